r"""A strict reader of the part of YAML 1.2 that model files use, and its writer.

Only maps with text keys, lists, text, numbers, booleans and nothing are read. Scalars follow the core schema of YAML
1.2: ``1e-3`` is a number, ``on``, ``no`` and ``1:30`` are text, ``012`` is twelve. Tags, anchors, aliases, merge keys,
further documents and duplicate keys are refused, so reading a file can neither run code nor expand without bound.

Two things that YAML allows are refused as well, because they are always slips in a model: a key without a value inside
``{ }``, and an expression that its own commas have cut into pieces, as in ``{value: max(a, b)}``.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from typing import Any

import yaml

from multibody.files._json import read_json
from multibody.files._yaml_syntax import explain
from multibody.files._yaml_write import write_yaml
from multibody.files.document import DEPTH_LIMIT, MOST_VALUES, Document, Faults, Path, check_size, plain_scalar

__all__ = ["Document", "read_json", "read_yaml", "write_yaml"]

_NO_SPACE = re.compile(r"[\w.$]+:[^\s:].*", re.DOTALL)
_LINE_BREAKS = re.compile("[\x85\u2028\u2029]")
_DIRECTIVE = re.compile(r"^%(?!YAML 1\.2 *$)", re.MULTILINE)
_LONGEST_EXPRESSION = 1000
LONG = 100_000  # characters of a text that a parser in C reads, six times as fast; its faults are told by the other one
_CLOSER = {"(": ")", "[": "]", "{": "}"}


def read_yaml(text: str, file: str) -> Document:
    """Read a YAML text.

    Parameters
    ----------
    text : str
        The content of the file.
    file : str
        Its name, for messages.

    Returns
    -------
    Document
        The data and its lines; the data of an empty file is None.

    Raises
    ------
    ModelError
        If the text is not YAML, uses what is not read, or is too large or too deep; with file, line and hint. Several
        faults come together as one `ModelErrors`.
    """
    check_size(text, file)
    # One kind of line break, so that the parser, the messages and the user's editor count the same lines.
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    # The parser of the pure Python loader is named so that lines and messages are the same everywhere.
    if len(text) > LONG and hasattr(yaml, "CSafeLoader"):
        with contextlib.suppress(yaml.YAMLError, UnicodeError):
            return _Reader(text, file, yaml.CSafeLoader).read()
    return _Reader(text, file).read()


class _Reader:
    """Builds plain data from the parser's events; the parser's own constructors are never involved."""

    def __init__(self, text: str, file: str, loader: Any = yaml.SafeLoader) -> None:
        self.text, self.loader, self.count = text, loader, 0
        self.faults = Faults(file)
        self.lines: dict[Path, int] = {}
        self.events: Iterator[Any] = iter(())
        self.told_to = -1  # up to this index of the text a fault has been told

    def read(self) -> Document:
        odd = _LINE_BREAKS.search(self.text)
        if odd:
            line = self.text.count("\n", 0, odd.start()) + 1
            code = f"{ord(odd.group()):04x}"
            self.faults.add(line, f"a line break U+{code.upper()}", f'write it as "\\u{code}" in double quotes')
            self.faults.raise_any()
        data = None
        try:
            self.events = iter(yaml.parse(self.text, Loader=self.loader))
            data = self.document()
        except yaml.YAMLError as error:
            if self.loader is not yaml.SafeLoader:
                raise
            fault = explain(error, self.text)
            # What was told about this line already is the likely cause of the parser's trouble with it.
            if all(known.line != fault.line for known in self.faults.errors):
                self.faults.add(fault.line, fault.problem, fault.hint, detail=fault.detail)
        self.faults.raise_any()
        return Document(data, self.lines, self.faults.file)

    def document(self) -> Any:
        data = None
        documents = 0
        for event in self.events:
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    hint = "keep one model in a file"
                    self.faults.add(_line(event), "a second document begins here (---)", hint)
                    break
                directive = _DIRECTIVE.search(self.text, 0, _end(event))
                if directive:
                    line = self.text.count("\n", 0, directive.start()) + 1
                    self.faults.add(line, "lines beginning with % are not read", "remove the line")
                root = next(self.events)
                self.lines[()] = _line(root)
                data = self.node(root, (), 0, flow=False)
        return data

    def node(self, event: Any, path: Path, depth: int, *, flow: bool) -> Any:
        """Build the value that begins with an event; `flow` says whether it stands inside [ ] or { }."""
        self.refuse_decoration(event, path)
        self.count += 1
        if self.count > MOST_VALUES:
            self.faults.add(_line(event), f"more than {MOST_VALUES} values", "write repeated parts with repeat")
            self.faults.raise_any()
        if isinstance(event, yaml.ScalarEvent):
            return self.scalar(event, path, flow=flow) if not event.style else event.value
        if isinstance(event, yaml.AliasEvent):
            return None
        if depth == DEPTH_LIMIT:
            problem = f"maps and lists are nested deeper than {DEPTH_LIMIT} levels"
            self.faults.add(_line(event), problem, "flatten the content")
            self.faults.raise_any()
        inside = flow or bool(event.flow_style)
        if isinstance(event, yaml.MappingStartEvent):
            return self.mapping(path, depth + 1, flow=inside)
        return self.sequence(path, depth + 1, flow=inside)

    def refuse_decoration(self, event: Any, path: Path) -> None:
        """Refuse tags, anchors and aliases, which a value may carry in YAML but not here."""
        hint = "write the value out; text that begins with {0} goes in quotes"
        if isinstance(event, yaml.AliasEvent):
            self.faults.add(_line(event), f"aliases (*{event.anchor}) are not read", hint.format("*"), path)
        elif event.anchor is not None:
            self.faults.add(_line(event), f"anchors (&{event.anchor}) are not read", hint.format("&"), path)
        if getattr(event, "tag", None) is not None:
            hint = "remove the tag; text that begins with ! goes in quotes"
            tag = event.tag.replace("tag:yaml.org,2002:", "!!")
            self.faults.add(_line(event), f"tags ({tag}) are not read", hint, path)

    def scalar(self, event: Any, path: Path, *, flow: bool) -> Any:
        """Give a plain scalar its value."""
        try:
            value = plain_scalar(event.value)
        except OverflowError:
            shown = event.value if len(event.value) <= 30 else event.value[:27] + "..."
            self.faults.add(_line(event), f"{shown} is not a finite number", "write a number below 1.8e308", path)
            return None
        if flow and isinstance(value, str):
            self.refuse_cut_expression(event, path)
        return value

    def refuse_cut_expression(self, event: Any, path: Path) -> None:
        """Refuse the first piece of an expression that was cut at a comma inside its parentheses."""
        start = _index(event)
        if event.value.count("(") <= event.value.count(")") or start < self.told_to:
            return
        whole = _parenthesized(self.text, start)
        if whole is not None:
            self.told_to = start + len(whole)
            problem = "text with commas is cut apart inside [ ] or { }"
            self.faults.add(_line(event), problem, f'put it in quotes: "{" ".join(whole.split())}"', path)

    def sequence(self, path: Path, depth: int, *, flow: bool) -> list[Any]:
        items: list[Any] = []
        while not isinstance(event := next(self.events), yaml.SequenceEndEvent):
            here = (*path, len(items))
            self.lines[here] = _line(event)
            items.append(self.node(event, here, depth, flow=flow))
        return items

    def mapping(self, path: Path, depth: int, *, flow: bool) -> dict[str, Any]:
        entries: dict[str, Any] = {}
        while not isinstance(event := next(self.events), yaml.MappingEndEvent):
            key = self.key(event, path, depth, flow=flow)
            first = next(self.events)
            here = (*path, key) if key is not None else path
            if key is not None and key in entries:
                hint = "rename or remove one of the two"
                self.faults.add(_line(event), f"written a second time, first on line {self.lines[here]}", hint, here)
            elif key is not None:
                self.lines[here] = _line(event)
            if key is not None:
                self.refuse_lost_colon(event, first, here, flow=flow)
            value = self.node(first, here, depth, flow=flow)
            if key is not None:
                entries.setdefault(key, value)
        return entries

    def key(self, event: Any, path: Path, depth: int, *, flow: bool) -> str | None:
        """Read a key; None for one that is refused."""
        if not isinstance(event, yaml.ScalarEvent):
            known = _index(event) < self.told_to
            self.node(event, path, depth, flow=flow)  # so that its events are used up
            if known:
                return None
            hint = "a key is a name; the counter of a repeat is written $k"
            self.faults.add(_line(event), "a key cannot be a list, a map or an alias", hint, path)
            return None
        self.refuse_decoration(event, path)
        text: str = event.value
        if event.style:
            return text
        if text == "<<":
            self.faults.add(_line(event), "merge keys (<<) are not read", "write the entries out", path)
            return None
        try:
            value = plain_scalar(text)
        except OverflowError:
            value = None
        if not isinstance(value, str):
            shown = f'"{text}"' if text else "nothing"
            hint = f'names begin with a letter; text goes in quotes: "{text}"' if text else "write the key"
            self.faults.add(_line(event), f"a key must be text, and {shown} is not", hint, path)
            return None
        return text

    def rest_of_line(self, event: Any) -> str:
        end = self.text.find("\n", _index(event))
        line = self.text[_index(event) : end if end >= 0 else len(self.text)]
        return line.partition(" #")[0].rstrip()

    def refuse_lost_colon(self, key: Any, value: Any, path: Path, *, flow: bool) -> None:
        """Refuse an entry whose colon has no space behind it, or that has no colon at all."""
        hint = 'write "{0}: {1}"'
        problem = "a space is missing after the colon"
        if not key.style and ":" in key.value:
            written = key.value if flow else self.rest_of_line(key)
            self.faults.add(_line(key), problem, hint.format(*written.split(":", 1)), path[:-1])
            return
        if not isinstance(value, yaml.ScalarEvent) or value.style:
            return
        if not flow and _line(value) > _line(key) and _NO_SPACE.fullmatch(value.value):
            told = hint.format(*self.rest_of_line(value).split(":", 1))
            self.faults.add(_line(value), problem, told, path)
        end = _index(value)
        between = self.text[_end(key) : end]
        if not flow or value.value or ":" in between or _index(key) < self.told_to:
            return
        name, _, rest = key.value.partition(" ")
        if rest and not key.style and name.isidentifier():
            told = hint.format(name, rest.strip())
        elif self.text[_index(key) - 1] == "{" and self.text[end : end + 1] == "}":
            told = f"the counter of a repeat is written ${key.value}, without braces"
        else:
            told = "write KEY: VALUE; text with commas goes in quotes"
        self.faults.add(_line(key), f'"{key.value}" has no value', told, path[:-1])


def _index(event: Any) -> int:
    """Index of the text at which an event begins."""
    return int(event.start_mark.index)


def _end(event: Any) -> int:
    """Index of the text at which an event ends."""
    return int(event.end_mark.index)


def _line(event: Any) -> int:
    """Line, from 1, in which an event begins."""
    return int(event.start_mark.line) + 1


def _parenthesized(text: str, start: int) -> str | None:
    """Text from `start` to the comma or bracket behind its parentheses, if they close and a comma is among them."""
    still_open: list[str] = []
    closed = False
    for index in range(start, min(start + _LONGEST_EXPRESSION, len(text))):
        char = text[index]
        if closed and not still_open and char in ",]}\n":
            whole = text[start:index].rstrip()
            return whole if "," in whole else None
        if char in _CLOSER:
            still_open.append(_CLOSER[char])
        elif char in _CLOSER.values():
            if not still_open or still_open.pop() != char:
                return None
            closed = True
        elif char in "#\"'":
            return None
    return None
