"""Checks that a type has one definition in its namespace.

Sample run: python3 tests/architecture/check_names.py .

Two classes of one name in one namespace break the one-definition rule as soon as a program holds
both: the linker keeps one of their inline functions, silently. Fails, with file:line for each
fault, on a class, struct, union or enum that is defined in more than one place of the same
namespace. Compared are the library with itself, and the files of each program (a folder of
tests/, bench/, python/) with the library and with each other. An anonymous namespace of a .cpp
file is its own and may hide a name; in a header it is taken for the namespace around it.
Specialisations of templates are not definitions of the name.
"""

import re
import sys
from pathlib import Path

SOURCES = {".hpp", ".cpp", ".h", ".cc", ".cu", ".cuh"}
TRANSLATION_UNITS = {".cpp", ".cc", ".cu"}
PROGRAMS = ["tests", "bench", "python", "examples"]

# Comments, literals (raw ones too) and preprocessor lines: what may hold braces that are none.
IGNORED = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<mark>[^()\s\\]*)\(.*?\)(?P=mark)"'
    r'''|"(?:\\.|[^"\\\n])*"|(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])*\'|^[ \t]*\#(?:\\\n|[^\n])*''',
    re.DOTALL | re.MULTILINE)
ATTRIBUTES = r"(?:\[\[.*?\]\]\s*|alignas\s*\([^{;]*?\)\s*|__attribute__\s*\(\([^{;]*?\)\)\s*)*"
NAMESPACE = re.compile(r"\bnamespace\s*(?P<name>[\w:]*)\s*$")
TYPE = re.compile(r"\b(?:class|struct|union|enum(?:\s+(?:class|struct))?)\s+" + ATTRIBUTES +
                  r"(?P<name>\w+(?:::\w+)*)\s*(?:final\s*)?(?::(?!:).*)?$", re.DOTALL)
TEMPLATE_HEAD = re.compile(r"\btemplate\s*<(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>")


def blank(match):
    """Spaces for the text, so that line numbers stay."""
    return re.sub(r"[^\n]", " ", match[0])


def opened_scope(head, is_header):
    """What the brace after `head` opens: ('namespace', name or None), ('type', name) or ('other',)."""
    namespace = NAMESPACE.search(head)
    if namespace:
        hidden = not namespace["name"] and not is_header
        return ("namespace", None if hidden else namespace["name"])
    found = TYPE.search(TEMPLATE_HEAD.sub(" ", head))
    return ("type", found["name"]) if found else ("other",)


def definitions(path):
    """(qualified name, line) of each type that the file defines in a namespace of linkage."""
    text = IGNORED.sub(blank, path.read_text(encoding="utf-8", errors="replace"))
    is_header = path.suffix not in TRANSLATION_UNITS
    scopes, begin = [], 0
    for mark in re.finditer(r"[{};]", text):
        head, begin = text[begin:mark.start()], mark.end()
        if mark[0] == "}" and scopes:
            scopes.pop()
        if mark[0] != "{":
            continue
        scope = opened_scope(head, is_header)
        in_namespace = all(outer[0] == "namespace" and outer[1] is not None for outer in scopes)
        if scope[0] == "type" and in_namespace:
            outer = [name for _, name in scopes if name]
            line = text.count("\n", 0, mark.start() - len(head) + len(head.rstrip())) + 1
            yield "::".join(outer + [scope[1]]), line
        scopes.append(scope)


def files_under(folder):
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix in SOURCES)


def collect(root, paths, known):
    """Adds the definitions of the files to `known` (name -> place) and gives the faults."""
    faults = []
    for path in paths:
        for name, line in definitions(path):
            place = f"{path.relative_to(root)}:{line}"
            if name in known:
                faults.append(f"{place}: {name} is defined at {known[name]} already")
            known.setdefault(name, place)
    return faults


def check(root):
    """All faults of the tree, as lines `file:line: what is wrong`."""
    library = {}
    faults = collect(root, files_under(root / "clack"), library)
    for folder in PROGRAMS:
        for program in [root / folder, *sorted((root / folder).glob("*/"))]:
            paths = [path for path in files_under(program)
                     if program != root / folder or path.parent == program]
            faults += collect(root, paths, dict(library))
    return faults


def main():
    if len(sys.argv) != 2 or not (Path(sys.argv[1]) / "clack").is_dir():
        print("usage: check_names.py ROOT, the folder that holds clack/", file=sys.stderr)
        return 2
    faults = check(Path(sys.argv[1]).resolve())
    print("\n".join(faults) if faults else "names: no fault")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
