"""A strict reader of JSON that knows the line of every entry."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from typing import Any, NoReturn

from multibody.errors import ModelError
from multibody.files.document import DEPTH_LIMIT, MOST_VALUES, Document, Faults, Path, check_size, number

__all__ = ["read_json"]

_SPACE = re.compile(r"[ \t\r\n]*")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"')
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?(?![\w.+-])")
_WORD = re.compile(r"[-+]?[\w.]+")
_CONSTANTS = {"true": True, "false": False, "null": None}


def read_json(text: str, file: str) -> Document:
    """Read a JSON text, as `multibody.files.yaml12.read_yaml` reads YAML.

    Raises
    ------
    ModelError
        If the text is not JSON, repeats a key, holds a number that is not finite, or is too large or too deep; with
        file, line and hint.
    """
    check_size(text, file)
    if text.count(",") > MOST_VALUES:
        problem = f"more than {MOST_VALUES} values"
        raise ModelError(problem, file=file, hint="write repeated parts with repeat, or build the model in Python")
    return _Reader(text.removeprefix("\ufeff"), file).read()


class _Reader:
    def __init__(self, text: str, file: str) -> None:
        self.text = text
        self.faults = Faults(file)
        self.lines: dict[Path, int] = {}
        self.at = 0
        # Carriage returns are counted through the line feed behind them, as editors do.
        self.breaks = [match.start() for match in re.finditer(r"\n|\r(?!\n)", text)]

    def line(self) -> int:
        return bisect_right(self.breaks, self.at - 1) + 1

    def fail(self, problem: str, hint: str, path: Path = ()) -> NoReturn:
        """Raise: nothing behind a fault of the form can be trusted. Faults noted before are told too."""
        self.faults.add(self.line(), problem, hint, path)
        self.faults.raise_any()
        raise ModelError(problem)  # unreachable: there is at least one fault

    def skip(self) -> str:
        """Pass over space; return the next character, empty at the end."""
        match = _SPACE.match(self.text, self.at)
        self.at = match.end() if match else self.at
        return self.text[self.at : self.at + 1]

    def read(self) -> Document:
        if not self.skip():
            self.fail("the file is empty", "write the model in it")
        self.lines[()] = self.line()
        data = self.value((), 0)
        if self.skip():
            self.fail("something follows the end of the content", "remove it, or check the brackets before it")
        self.faults.raise_any()
        return Document(data, self.lines, self.faults.file)

    def value(self, path: Path, depth: int) -> Any:
        char = self.skip()
        if char == '"':
            return self.string()
        if char in ("{", "["):
            if depth == DEPTH_LIMIT:
                self.fail(f"maps and lists are nested deeper than {DEPTH_LIMIT} levels", "flatten the content")
            self.at += 1
            return self.map(path, depth + 1) if char == "{" else self.list(path, depth + 1)
        return self.scalar(path)

    def string(self) -> str:
        match = _STRING.match(self.text, self.at)
        if match is None:
            problem = "this text is not closed, or holds a line break, a tab or an unknown escape"
            self.fail(problem, 'close it by "; write \\n, \\t and \\\\ for a line break, a tab and a backslash')
        self.at = match.end()
        return str(json.loads(match.group()))

    def scalar(self, path: Path) -> Any:
        word = _WORD.match(self.text, self.at)
        if word is None:
            found = f'"{self.text[self.at]}"' if self.at < len(self.text) else "the end of the file"
            self.fail(f"a value is missing before {found}", "write it, or remove the comma or colon before it", path)
        if word.group() in _CONSTANTS:
            self.at = word.end()
            return _CONSTANTS[word.group()]
        match = _NUMBER.match(self.text, self.at)
        if match is not None:
            try:
                value = number(match.group())
            except OverflowError:
                value = None
            if value is not None:
                self.at = match.end()
                return value
        if match is not None or word.group().lstrip("+-").casefold() in ("nan", "inf", "infinity"):
            self.fail(f"{word.group()[:30]} is not a finite number", "write a number below 1.8e308", path)
        self.fail(f"{word.group()[:30]} is neither number, true, false nor null", "text goes in double quotes", path)

    def list(self, path: Path, depth: int) -> list[Any]:
        items: list[Any] = []
        if self.skip() == "]":
            self.at += 1
            return items
        while True:
            self.skip()
            here = (*path, len(items))
            self.lines[here] = self.line()
            items.append(self.value(here, depth))
            if self.closed("]"):
                return items

    def map(self, path: Path, depth: int) -> dict[str, Any]:
        entries: dict[str, Any] = {}
        if self.skip() == "}":
            self.at += 1
            return entries
        while True:
            if self.skip() != '"':
                self.fail("a key is missing", 'keys stand in double quotes; no comma before "}"', path)
            line = self.line()
            key = self.string()
            here = (*path, key)
            if key in entries:
                problem = f"written a second time, first on line {self.lines[here]}"
                self.faults.add(line, problem, "rename or remove one of the two", here)
            self.lines.setdefault(here, line)
            if self.skip() != ":":
                self.fail("a colon is missing after the key", 'write "key": value', here)
            self.at += 1
            entries.setdefault(key, self.value(here, depth))
            if self.closed("}"):
                return entries

    def closed(self, closer: str) -> bool:
        """Pass over the comma or the closing bracket behind an entry; say which it was."""
        char = self.skip()
        if char not in (",", closer) or not char:
            self.fail(f'a comma or "{closer}" is missing here', "separate entries by commas and close every bracket")
        self.at += 1
        return char == closer
