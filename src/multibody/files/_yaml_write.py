"""Writes plain data as YAML that reads well and reads back exactly."""

from __future__ import annotations

import json
import math
import re
from typing import Any

from multibody.errors import ModelError
from multibody.files.document import DEPTH_LIMIT, plain_scalar

__all__ = ["write_yaml"]

_COLUMNS = 100
# A key that is longer does not read back: YAML looks for the colon within 1024 characters.
_LONGEST_KEY = 300

# Text that needs no quotes. This is narrower than YAML's own rule, and so easy to see through: it begins with a letter,
# a digit, a sign or the like, and holds nothing that YAML or the reader could take for punctuation.
_PLAIN = re.compile(r"(?:[\w$(]|[-+.](?=[\w($]))[\w $.()+\-*/^<>=!%&|@~]*")
_PLAIN_OUTSIDE_BRACKETS = re.compile(r"(?:[\w$(]|[-+.](?=[\w($]))[\w $.()+\-*/^<>=!%&|@~,\[\]{}]*")


def write_yaml(data: Any) -> str:
    """Write plain data as YAML.

    The top two levels are written line by line, everything below in ``[ ]`` and ``{ }`` where that fits into 100
    columns; so is a section that holds nothing but scalars. Text is quoted only where it has to be.

    Parameters
    ----------
    data : Any
        ``dict`` with text keys, ``list``, ``str``, ``int``, ``float``, ``bool`` or None; a ``tuple`` becomes a list.

    Returns
    -------
    str
        The text, ending in a line break; ``read_yaml(write_yaml(data), file).data == data``.

    Raises
    ------
    ModelError
        If the data hold something that a file cannot, such as a number that is not finite, and name where.
    """
    _check(data, (), 0)
    return "\n".join(_block(data, 0, 0)) + "\n"


def _check(data: Any, path: tuple[str, ...], depth: int) -> None:
    where = ".".join(path)
    if depth > DEPTH_LIMIT:
        problem = f"maps and lists are nested deeper than {DEPTH_LIMIT} levels"
        raise ModelError(problem, where=".".join(path[:3]), hint="flatten the content")
    if isinstance(data, dict):
        for key, value in data.items():
            if not isinstance(key, str) or len(key) > _LONGEST_KEY:
                hint = f"use names of at most {_LONGEST_KEY} characters"
                raise ModelError(f"a file cannot have the key {str(key)[:50]!r}", where=where, hint=hint)
            _check(value, (*path, key), depth + 1)
    elif isinstance(data, list | tuple):
        for index, value in enumerate(data):
            _check(value, (*path, str(index)), depth + 1)
    elif isinstance(data, float) and not math.isfinite(data):
        raise ModelError(f"a file cannot hold the number {float(data)}", where=where, hint="give it a finite value")
    elif not (data is None or isinstance(data, str | int | float)):
        hint = "use text, numbers, booleans, lists and maps"
        raise ModelError(f"a file cannot hold a {type(data).__name__}", where=where, hint=hint)


def _block(data: Any, depth: int, used: int) -> list[str]:
    """Write a value in lines of its own, without indentation; `used` is the indentation they will get."""
    if not _holds_something(data):
        return [_flow(data) if isinstance(data, dict | list | tuple) else _scalar(data, inside=False)]
    entries: list[tuple[str, Any]] = (
        [(_text(key, inside=False) + ":", value) for key, value in data.items()]
        if isinstance(data, dict)
        else [("-", value) for value in data]
    )
    lines: list[str] = []
    for head, value in entries:
        line = f"{head} {_flow(value)}"
        if not _holds_something(value):
            lines.append(f"{head} {_block(value, depth, used)[0]}")
        elif used + len(line) <= _COLUMNS and (depth > 0 or not any(map(_holds_something, _values(value)))):
            lines.append(line)
        else:
            below = _block(value, depth + 1, used + 2)
            if head == "-":
                lines += [f"- {below[0]}", *("  " + text for text in below[1:])]
            else:
                lines += [head, *("  " + text for text in below)]
    return lines


def _holds_something(data: Any) -> bool:
    return isinstance(data, dict | list | tuple) and len(data) > 0


def _values(data: Any) -> list[Any]:
    return list(data.values()) if isinstance(data, dict) else list(data)


def _flow(data: Any) -> str:
    """Write a value in one line, fit to stand inside [ ] and { }."""
    if isinstance(data, dict):
        return "{" + ", ".join(f"{_text(key, inside=True)}: {_flow(value)}" for key, value in data.items()) + "}"
    if isinstance(data, list | tuple):
        return "[" + ", ".join(map(_flow, data)) + "]"
    return _scalar(data, inside=True)


def _scalar(data: Any, *, inside: bool) -> str:
    """Write a scalar; `inside` says whether it stands in [ ] or { }."""
    if data is None or isinstance(data, bool):
        return {None: "null", True: "true", False: "false"}[data]
    if isinstance(data, int):
        return int.__repr__(data)
    if isinstance(data, float):
        return float.__repr__(data)  # not repr(data): a NumPy scalar would name its type
    return _text(data, inside=inside)


def _text(text: str, *, inside: bool) -> str:
    """Write text, in quotes if it must be."""
    if _needs_no_quotes(text, inside=inside):
        return text
    if text.isprintable() and ('"' in text or "\\" in text):
        return "'" + text.replace("'", "''") + "'"
    return '"' + "".join(map(_escaped, text)) + '"'


def _needs_no_quotes(text: str, *, inside: bool) -> bool:
    if not (_PLAIN if inside else _PLAIN_OUTSIDE_BRACKETS).fullmatch(text) or text.endswith(" "):
        return False
    # The reader takes an open parenthesis inside brackets for a sign that a comma has cut an expression apart.
    if inside and text.count("(") > text.count(")"):
        return False
    try:
        return isinstance(plain_scalar(text), str)
    except OverflowError:
        return False


def _escaped(char: str) -> str:
    """Write a character of a text in double quotes."""
    if char.isprintable() and char not in '"\\':
        return char
    if ord(char) > 0xFFFF:
        return f"\\U{ord(char):08x}"
    # JSON's escapes are YAML's; those it leaves alone beyond ASCII are not printable here.
    return json.dumps(char)[1:-1] if ord(char) != 0x7F else "\\x7f"
