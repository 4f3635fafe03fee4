"""Checks the rooms of clack/ and python/ and the arrows between them.

Sample run: python3 tests/architecture/check_arrows.py .

Fails, with file:line for each fault, on
  - an include that the table ALLOWED does not list, or of a room that does not exist;
  - an include of the project's own file by another path than "clack/ROOM/...";
  - a room that is used but has no target in clack/CMakeLists.txt, and a DEPENDS there that the
    table does not allow;
  - a source file of more than MAX_LINES lines.
"""

import re
import sys
from pathlib import Path

# ALLOWED[b] are the rooms that b may include besides itself: the arrows of docs/architecture.md
# and what follows from them (integrate <- assemble <- collide, so integrate may include collide).
ROOMS_BELOW_APP = ["core", "model", "collide", "problem", "solve", "assemble", "integrate",
                   "analyse", "io", "record"]
ALLOWED = {
    "core": [],
    "model": ["core"],
    "collide": ["core", "model"],
    "problem": ["core"],
    "solve": ["core", "problem"],
    "assemble": ["core", "model", "collide", "problem"],
    "integrate": ["core", "model", "collide", "problem", "assemble", "solve"],
    "analyse": ["core", "model", "collide", "problem", "assemble", "solve", "integrate"],
    "io": ["core", "model", "collide", "problem", "assemble", "solve", "integrate"],
    "record": ["core", "model", "collide", "problem", "assemble", "solve", "integrate", "analyse",
               "io"],
    "app": ROOMS_BELOW_APP,
    "python": ROOMS_BELOW_APP,
    "web": ROOMS_BELOW_APP,
    "gpu": ["core", "model", "collide", "problem", "assemble", "solve", "integrate"],
    "mpi": ["core", "model", "collide", "problem", "assemble", "solve", "integrate"],
}
MAX_LINES = 1000
SOURCES = {".hpp", ".cpp", ".h", ".cc", ".cu", ".cuh"}
CHECKED_FOR_LENGTH = SOURCES | {".py", ".js", ".ts"}
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')


def files_under(folder, suffixes):
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix in suffixes)


def read_lines(path):
    return path.read_text(encoding="utf-8", errors="replace").splitlines()


def cmake_targets(cmake_file):
    """Room -> (line, rooms after DEPENDS), from clack/CMakeLists.txt."""
    if not cmake_file.is_file():
        return {}
    text = re.sub(r"#[^\n]*", "", cmake_file.read_text(encoding="utf-8"))
    targets = {}
    for call in re.finditer(r"\bclack_module\s*\(\s*(\w+)([^)]*)\)", text):
        depends = re.search(r"\bDEPENDS\b(.*?)(?:\bLINKS\b|$)", call[2], re.DOTALL)
        targets[call[1]] = (text.count("\n", 0, call.start()) + 1,
                            depends[1].split() if depends else [])
    if re.search(r"\badd_executable\s*\(\s*clack_program\b", text):
        targets["app"] = (0, [])
    return targets


def include_fault(path, room, delimiter, target, known_rooms):
    """What is wrong with one include of a file of `room`, or None."""
    parts = target.split("/")
    if parts[0] != "clack":
        own_file = delimiter == '"' and (path.parent / target).is_file()
        if ".." in parts or "." in parts or own_file:
            return f'"{target}" is a relative path; write "clack/ROOM/FILE"'
        if parts[0] in ["tests", "bench"]:
            return f"{room} must not include {parts[0]}"
        return None
    if ".." in parts or "." in parts or len(parts) < 3:
        return f'"{target}" is not of the form "clack/ROOM/FILE"'
    used = parts[1]
    if used not in ALLOWED:
        return f"there is no room '{used}'"
    if used != room and used not in ALLOWED[room]:
        allowed = ", ".join(ALLOWED[room]) or "no other room"
        return f"{room} must not include {used} (it may include {allowed})"
    if used not in known_rooms:
        return f"room '{used}' has no target in clack/CMakeLists.txt"
    return None


def check_includes(root, targets):
    faults = []
    for path in files_under(root / "clack", SOURCES) + files_under(root / "python", SOURCES):
        name = path.relative_to(root)
        room = name.parts[1] if name.parts[0] == "clack" else name.parts[0]
        if len(name.parts) < 3 or room not in ALLOWED:
            faults.append(f"{name}:1: lies in no room; rooms are {', '.join(ALLOWED)}")
            continue
        if name.parts[0] == "clack" and room not in targets:
            faults.append(f"{name}:1: room '{room}' has no target in clack/CMakeLists.txt")
        for number, line in enumerate(read_lines(path), 1):
            match = INCLUDE.match(line)
            fault = match and include_fault(path, room, match[1], match[2], targets)
            if fault:
                faults.append(f"{name}:{number}: {fault}")
    return faults


def check_targets(targets):
    return [f"clack/CMakeLists.txt:{line}: {room} must not depend on {used}"
            for room, (line, depends) in targets.items()
            for used in depends if used not in ALLOWED.get(room, [])]


def check_lengths(root):
    faults = []
    for folder in ["clack", "tests", "bench", "examples", "python"]:
        for path in files_under(root / folder, CHECKED_FOR_LENGTH):
            count = len(read_lines(path))
            if count > MAX_LINES:
                faults.append(f"{path.relative_to(root)}:{count}: "
                              f"{count} lines, {MAX_LINES} are allowed")
    return faults


def check(root):
    """All faults of the tree, as lines `file:line: what is wrong`."""
    targets = cmake_targets(root / "clack" / "CMakeLists.txt")
    return check_includes(root, targets) + check_targets(targets) + check_lengths(root)


def main():
    if len(sys.argv) != 2 or not (Path(sys.argv[1]) / "clack").is_dir():
        print("usage: check_arrows.py ROOT, the folder that holds clack/", file=sys.stderr)
        return 2
    faults = check(Path(sys.argv[1]).resolve())
    print("\n".join(faults) if faults else "arrows: no fault")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
