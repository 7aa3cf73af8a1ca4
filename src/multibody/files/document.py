"""What a reader of model files returns: plain data that remembers its lines."""

from __future__ import annotations

import math
import os
import pathlib
import re
import stat
from collections.abc import Mapping
from typing import Any, TypeAlias

from multibody.errors import ModelError, ModelErrors

__all__ = [
    "DEPTH_LIMIT", "MOST_VALUES", "SIZE_LIMIT", "Document", "Faults", "Path",
    "check_size", "number", "plain_scalar", "read_plain",
]

Path: TypeAlias = tuple[str | int, ...]
"""The keys and item numbers (from 0) that lead to a value."""

DEPTH_LIMIT = 50
"""Maps and lists may be nested this deep."""

SIZE_LIMIT = 10_000_000
"""A file may have this many characters."""

MOST_VALUES = 300_000
"""A file may have this many values."""

_INTEGER = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_CONSTANTS: dict[str, bool | None] = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys(("null", "Null", "NULL", "~", ""), None),
}
_NOT_FINITE = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")


class Document:
    """The content of a file, with the line of every entry.

    Parameters
    ----------
    data : Any
        Plain ``dict``, ``list``, ``str``, ``float``, ``int``, ``bool`` or ``None``; maps keep their order.
    lines : mapping of path to int
        The line, from 1, of the key or item at each path; the empty path is the whole content.
    file : str
        The name of the file, as messages show it.
    """

    def __init__(self, data: Any, lines: Mapping[Path, int], file: str) -> None:
        self.data = data
        self.file = file
        self._lines = dict(lines)

    def line(self, path: Path) -> int | None:
        """Find the line of an entry.

        Parameters
        ----------
        path : tuple of str or int
            Keys and item numbers from the top, such as ``("joints", "A", "axis", 0)``.

        Returns
        -------
        int or None
            Line of the key or item, from 1. For a path that the file does not have, the line of the nearest parent
            that it has; None if the file is empty.
        """
        for length in range(len(path), -1, -1):
            found = self._lines.get(tuple(path[:length]))
            if found is not None:
                return found
        return None


class Faults:
    """Collects what is wrong with one file, so that all of it can be told at once.

    Parameters
    ----------
    file : str
        The name of the file, as messages show it.
    """

    def __init__(self, file: str) -> None:
        self.file = file
        self.errors: list[ModelError] = []

    def add(self, line: int, problem: str, hint: str = "", path: Path = (), detail: str = "") -> None:
        """Note a fault at a line (from 1) and, if known, at a path of the content."""
        where = ".".join(str(step) for step in path)
        self.errors.append(ModelError(problem, where=where, hint=hint, file=self.file, line=line, detail=detail))

    def raise_any(self) -> None:
        """Raise the fault or faults noted so far, if there are any."""
        if len(self.errors) == 1:
            raise self.errors[0]
        if self.errors:
            raise ModelErrors(self.errors)


def check_size(text: str, file: str) -> None:
    """Refuse a text longer than `SIZE_LIMIT` characters before any work is spent on it."""
    if len(text) > SIZE_LIMIT:
        raise _too_long(f"{len(text)} characters", file)


def _too_long(size: str, file: str) -> ModelError:
    """Return the error of a file that is not read."""
    hint = "write repeated parts with repeat, or build the model in Python"
    return ModelError(f"the file has {size}, more than the {SIZE_LIMIT} that are read", hint=hint, file=file)


def read_plain(file: pathlib.Path, shown: str) -> bytes:
    """Return the content of a plain file; devices and pipes, which may have no end, and huge files are refused unread."""
    with open(os.open(file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)), "rb") as opened:
        found = os.fstat(opened.fileno())
        if not stat.S_ISREG(found.st_mode):
            kind = "a directory" if stat.S_ISDIR(found.st_mode) else "no plain file"
            raise ModelError(f"it is {kind}", file=shown, hint="name a file")
        if found.st_size > 4 * SIZE_LIMIT:  # a character has at most 4 bytes
            raise _too_long(f"{found.st_size} bytes", shown)
        return opened.read(4 * SIZE_LIMIT + 1)


def number(text: str) -> int | float | None:
    """Read a number as YAML 1.2 (core schema) writes it.

    Parameters
    ----------
    text : str
        A scalar without quotes. Leading zeros mean nothing (``012`` is 12); ``0o14`` and ``0x1F`` are whole numbers.

    Returns
    -------
    int, float or None
        The number, or None if the text is none.

    Raises
    ------
    OverflowError
        If the number is beyond the range of double precision.
    """
    if _INTEGER.fullmatch(text):
        base = {"0o": 8, "0x": 16}.get(text[:2], 10)
        # Python converts at most 4300 digits; 400 are beyond double precision in each of the three bases.
        if len(text.lstrip("+-0ox")) > 400:
            raise OverflowError(text)
        whole = int(text, base)
        float(whole)
        return whole
    if _FLOAT.fullmatch(text):
        real = float(text)
        if math.isinf(real):
            raise OverflowError(text)
        return real
    return None


def plain_scalar(text: str) -> str | int | float | bool | None:
    """Give a scalar without quotes its meaning in the core schema of YAML 1.2.

    Parameters
    ----------
    text : str
        The scalar as written.

    Returns
    -------
    str, int, float, bool or None
        Its value; whatever is no number, boolean or null is text.

    Raises
    ------
    OverflowError
        If it is a number that is not finite in double precision.
    """
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if _NOT_FINITE.fullmatch(text):
        raise OverflowError(text)
    value = number(text)
    return text if value is None else value
