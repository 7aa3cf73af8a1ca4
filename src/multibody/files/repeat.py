"""Copies: the blocks of ``repeat`` written out, one item after another, before anything is built.

``$k`` and ``$(k-1)`` are replaced in names and references, a plain ``k`` in formulas. There are no conditions and no
loops inside loops, and the number of items is bounded, so expanding always ends.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from multibody.errors import ModelError, nearest
from multibody.files.document import Path
from multibody.model.expressions import Expression, ExpressionError, Number, as_number, fold, names, parse, substitute
from multibody.model.names import check_name
from multibody.model.scope import PARAMETERS, ParameterScope
from multibody.model.values import from_expression, read_number, write_value

__all__ = ["LIMIT", "Budget", "Item", "expand"]

LIMIT = 100_000
"""So many items may a model have when everything is written out."""

SECTIONS = ("ground", "bodies", "joints", "forces", "motions", "initial", "guess", "outputs", "events")

_WORD = re.compile(r"[^\W\d]\w*")
_NOT_FORMULAS = frozenset({"mesh", "file", "doc", "unit", "kind"})  # fields whose text is no formula


@dataclass(frozen=True)
class Item:
    """An entry of a section: its name, its data, and where it stands in the file."""

    name: str
    value: Any
    path: Path


@dataclass
class Budget:
    """How many items may still come."""

    left: int = LIMIT

    def take(self, count: int, where: str) -> None:
        """Use up so many items."""
        self.left -= count
        if self.left < 0:
            raise ModelError(f"more than {LIMIT} items", where=where, hint="lower the count of the repeat")


def expand(
    block: Any,
    index: int,
    scope: ParameterScope,
    taken: Collection[str],
    budget: Budget,
    note: Callable[[ModelError, Path], None],
) -> dict[str, list[Item]]:
    """Write out one block of ``repeat``.

    Parameters
    ----------
    block : mapping
        ``{for: {k: n}, from: 1, bodies: ..., joints: ..., ...}``.
    index : int
        Its place in the list, from 0.
    scope : ParameterScope
        The parameters that counts may use.
    taken : collection of str
        Names that the counter must not have.
    budget : Budget
        Items that may still come.
    note : callable
        Takes what is wrong with one entry, and its path; the others go on.

    Returns
    -------
    dict
        For each section its items, in the order of the counter; each points to its template in the file.

    Raises
    ------
    ModelError
        If the block as a whole cannot be expanded.
    """
    where = f"repeat.{index}"
    if not isinstance(block, Mapping):
        raise ModelError("it is not a mapping", where=where, hint="write - for: {k: n} and sections below it")
    for key in block:
        if key not in (*SECTIONS, "for", "from"):
            near = nearest(key, SECTIONS) or f"it takes for, from, {', '.join(SECTIONS)}"
            raise ModelError(f'unknown key "{key}"', where=f"{where}.{key}", hint=near)
    counter, last = _counter(block, scope, taken, where)
    first = _whole(block.get("from", 1), scope, f"{where}.from")
    if first is None or last is None:
        return {}
    templates = _templates(block, where, several=last > first, note=note)
    if not any(block.get(section) for section in SECTIONS):
        raise ModelError("there is nothing to copy", where=where, hint=f"give it sections: {', '.join(SECTIONS)}")
    if not templates:
        return {}
    copies = max(0, last - first + 1)
    budget.take(copies * len(templates), where)
    items: dict[str, list[Item]] = {}
    unfolding = _Unfolding(counter, scope)
    for k in range(first, last + 1):
        for section, template in templates:
            try:
                name, value = unfolding.text(template.name, k), unfolding.value(template.value, k)
                items.setdefault(section, []).append(Item(name, value, template.path))
            except ExpressionError as error:
                note(from_expression(error, f"{where}.{section}.{template.name}"), template.path)
    return items


def _counter(
    block: Mapping[str, Any], scope: ParameterScope, taken: Collection[str], where: str
) -> tuple[str, int | None]:
    """Return the name of the counter and its last value, None if that hangs on a name that was reported already."""
    given = block.get("for")
    if not isinstance(given, Mapping) or len(given) != 1:
        raise ModelError("it needs one counter", where=where, hint="write for: {k: n}; k runs from 1 to n")
    name, count = next(iter(given.items()))
    place = f"{where}.for"
    check_name(name, place)
    if name in taken:
        problem = f'the counter "{name}" is also a name of the model'
        raise ModelError(problem, where=place, hint="choose another letter for the counter")
    return name, _whole(count, scope, place)


def _whole(value: Any, scope: ParameterScope, where: str) -> int | None:
    """Return a whole number from a number, a parameter or a formula of parameters."""
    number = read_number(value, where)
    if any(parts[0] in scope.unknown for parts in names(number)):
        return None
    scope.check_names(number, where, PARAMETERS)
    found = scope.value(scope.scalar(number, where), where)
    if found is None:
        raise ModelError(f"{value} is not known on reading", where=where, hint="use numbers and parameters, no tables")
    said = f"{value} = {found:g}" if isinstance(value, str) and isinstance(number, Expression) else f"{found:g}"
    if abs(found - round(found)) > 1e-9:
        raise ModelError(f"{said} is not a whole number", where=where, hint="a counter runs over whole numbers")
    if found < 0.0:
        raise ModelError(f"{said} is negative", where=where, hint="a counter runs from 0 or above")
    return round(found)


def _templates(
    block: Mapping[str, Any], where: str, *, several: bool, note: Callable[[ModelError, Path], None]
) -> list[tuple[str, Item]]:
    """Return the entries to copy, with their sections."""
    templates = []
    path = tuple(int(step) if step.isdecimal() else step for step in where.split("."))
    for section in SECTIONS:
        entries = block.get(section)
        if entries is None:
            continue
        if not isinstance(entries, Mapping):
            hint = f"write {section}: {{name: ...}}"
            note(ModelError("it is not a mapping", where=f"{where}.{section}", hint=hint), (*path, section))
            continue
        for name, value in entries.items():
            here = (*path, section, name)
            if several and "$" not in name:
                place = f"{where}.{section}.{name}"
                note(ModelError("all its copies have one name", where=place, hint="put the counter into it: $k"), here)
                continue
            templates.append((section, Item(name, value, here)))
    return templates


class _Unfolding:
    """Replaces the counter in texts and formulas."""

    def __init__(self, counter: str, scope: ParameterScope) -> None:
        self.counter, self.known = counter, scope.values
        self.plain = re.compile(rf"(?<![\w.]){re.escape(counter)}(?!\w)")
        self._parsed: dict[str, Number | None] = {}

    def value(self, value: Any, k: int) -> Any:
        """Return data with the counter replaced in keys, references and formulas."""
        if isinstance(value, Mapping):
            return {
                self.text(key, k): self.text(item, k)
                if key in _NOT_FORMULAS and isinstance(item, str)
                else self.value(item, k)
                for key, item in value.items()
            }
        if isinstance(value, list):
            return [self.value(item, k) for item in value]
        if not isinstance(value, str):
            return value
        return self.formula(self.text(value, k), k)

    def text(self, text: str, k: int) -> str:
        """Return a text with ``$k`` and ``$(...)`` replaced."""
        if "$" not in text:
            return text
        pieces, at = [], 0
        while (dollar := text.find("$", at)) >= 0:
            pieces.append(text[at:dollar])
            at, number = self._number(text, dollar, k)
            pieces.append(str(number))
        return "".join([*pieces, text[at:]])

    def _number(self, text: str, dollar: int, k: int) -> tuple[int, int]:
        """Return the end of a ``$...`` and the number it stands for."""
        start = dollar + 1
        if text[start : start + 1] == "(":
            end = _closing(text, start)
            return end, self._index(text[start + 1 : end - 1], k, text, (dollar, end))
        word = _WORD.match(text, start)
        found = word.group() if word else ""
        if found != self.counter and not found.startswith(f"{self.counter}_"):
            hint = f"the counter here is ${self.counter}"
            raise ExpressionError(f'unknown counter "${found}"', hint, text, (dollar, start + len(found)))
        return start + len(self.counter), k

    def _index(self, inner: str, k: int, text: str, span: tuple[int, int]) -> int:
        """Return the value of a formula of the counter and parameters, which must be a whole number from 0."""
        formula = self._parse(inner)
        if formula is None:
            as_number(inner)  # raises what is wrong with it
            raise ExpressionError(f'"{inner}" is not a formula', "", text, span)
        found = fold(substitute(formula, {**self.known, (self.counter,): float(k)}))
        if isinstance(found, Expression):
            hint = f"it may use {self.counter} and numbers known on reading, and nothing else"
            raise ExpressionError(f'"{inner}" is not a number here', hint, text, span)
        if found < 0.0 or found != round(found):
            hint = "names are numbered by whole numbers from 0"
            raise ExpressionError(f"{inner} is {found:g} for {self.counter} = {k}", hint, text, span)
        return round(found)

    def _parse(self, text: str) -> Number | None:
        """Return the formula of a text, read once; None if it is none."""
        if text not in self._parsed:
            if len(self._parsed) > 1000:  # texts with $k differ from copy to copy
                self._parsed.clear()
            try:
                self._parsed[text] = parse(text)
            except ExpressionError:
                self._parsed[text] = None
        return self._parsed[text]

    def formula(self, text: str, k: int) -> Any:
        """Return a formula with the counter as a number; other texts, such as the ends of joints, as they are."""
        if not self.plain.search(text):
            return text
        formula = self._parse(text)
        # What cannot be read is reported where it is used, with the caret in the right place.
        return text if formula is None else write_value(substitute(formula, {(self.counter,): float(k)}))


def _closing(text: str, opening: int) -> int:
    """Return the index behind the parenthesis that closes the one at `opening`."""
    depth = 0
    for index in range(opening, len(text)):
        depth += {"(": 1, ")": -1}.get(text[index], 0)
        if depth == 0:
            return index + 1
    raise ExpressionError('"(" is never closed', 'add ")"', text, (opening, opening + 1))
