"""Checks that each equation cited in the code is defined, once, in the theory pages.

Sample run: python3 tests/architecture/check_labels.py .

A displayed equation of docs/theory*.md or docs/theory/**/*.md is followed by {#eq:name}. A comment
cites it as (eq:name), several as (eq:name, eq:other). Fails, with file:line for each fault, on
a cited label that is not defined and on a label that is defined twice. Citations in docs/ count
as well, except inside code spans and fenced blocks.
"""

import re
import sys
from pathlib import Path

NAME = r"eq:([A-Za-z0-9][A-Za-z0-9_-]*)"
DEFINITION = re.compile(r"\{#" + NAME + r"\}")
CITATION = re.compile(r"\(\s*" + NAME + r"(?:\s*[,;]\s*" + NAME + r")*\s*\)")
CODE = {".hpp", ".cpp", ".h", ".cc", ".cu", ".cuh", ".py", ".js", ".ts"}
CODE_FOLDERS = ["clack", "tests", "bench", "examples", "python", "web"]
EXCLUDED = "tests/architecture"  # these checks themselves, with faults planted on purpose


def theory_pages(root):
    docs = root / "docs"
    return sorted({*docs.glob("theory*.md"), *docs.glob("theory/**/*.md")})


def code_files(root):
    for folder in CODE_FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            inside = path.relative_to(root).as_posix()
            if path.suffix in CODE and path.is_file() and not inside.startswith(EXCLUDED):
                yield path


def blank(match):
    """Spaces for the text, so that line numbers stay."""
    return re.sub(r"[^\n]", " ", match[0])


def read_prose(path):
    """The text of a page without its fenced blocks and code spans."""
    text = path.read_text(encoding="utf-8", errors="replace")
    text = re.sub(r"^(```+|~~~+).*?^\1", blank, text, flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"`[^`\n]*`", blank, text)


def find(pattern, text):
    """(line, match) of each match in the text."""
    return [(text.count("\n", 0, match.start()) + 1, match) for match in pattern.finditer(text)]


def check_definitions(root):
    """Label -> place of its first definition, and the faults."""
    defined, faults = {}, []
    for path in theory_pages(root):
        for line, match in find(DEFINITION, read_prose(path)):
            place = f"{path.relative_to(root)}:{line}"
            if match[1] in defined:
                faults.append(f"{place}: eq:{match[1]} is defined at {defined[match[1]]} already")
            defined.setdefault(match[1], place)
    return defined, faults


def check_citations(root, path, text, defined):
    return [f"{path.relative_to(root)}:{line}: eq:{label} is not defined in docs/theory"
            for line, match in find(CITATION, text)
            for label in re.findall(NAME, match[0]) if label not in defined]


def check(root):
    """All faults of the tree, as lines `file:line: what is wrong`."""
    defined, faults = check_definitions(root)
    for path in sorted((root / "docs").rglob("*.md")):
        faults += check_citations(root, path, read_prose(path), defined)
    for path in code_files(root):
        text = path.read_text(encoding="utf-8", errors="replace")
        faults += check_citations(root, path, text, defined)
    return faults


def main():
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_dir():
        print("usage: check_labels.py ROOT, the folder that holds docs/", file=sys.stderr)
        return 2
    faults = check(Path(sys.argv[1]).resolve())
    print("\n".join(faults) if faults else "labels: no fault")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
