"""A tree of Python values as the text of a scene (YAML)."""

import json
import re

import numpy as np

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_'*/+^(). -]*\Z")
_RESERVED = {"null", "true", "false", "yes", "no", "on", "off", "y", "n"}
_LONG = 96  # characters of a line


def plain(value):
    """The value in Python's own types: NumPy's numbers and arrays as numbers and lists."""
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items() if item is not None}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value


def _scalar(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, str):
        is_plain = _PLAIN.match(value) and value.lower() not in _RESERVED
        return value if is_plain and value == value.strip() else json.dumps(value, ensure_ascii=False)
    raise TypeError(f"a scene holds numbers, texts, lists and maps; found {type(value).__name__}: "
                    f"{value!r}")


def flow(value):
    """On one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_scalar(str(k))}: {flow(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(flow(item) for item in value) + "]"
    return _scalar(value)


def _lines(value, indent):
    space = " " * indent
    if isinstance(value, dict):
        for key, item in value.items():
            head = f"{space}{_scalar(key)}:"
            yield from _entry(head, item, indent)
    else:
        for item in value:
            yield from _entry(f"{space}-", item, indent)


def _entry(head, item, indent):
    line = f"{head} {flow(item)}"
    nested = isinstance(item, (dict, list)) and len(item) > 0
    if not nested or len(line) <= _LONG or _is_row(item):
        yield line
        return
    yield head
    yield from _lines(item, indent + 2)


def _is_row(item):
    return isinstance(item, list) and not any(isinstance(x, (dict, list)) for x in item)


def text(tree):
    """The scene as a document."""
    return "\n".join(_lines(plain(tree), 0)) + "\n"
