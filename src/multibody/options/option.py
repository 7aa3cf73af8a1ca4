"""One option: its name, what values it takes, and the words that explain it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

from multibody.errors import ModelError, nearest

Schema = dict[str, Any]

_NAMES: Schema = {"type": "array", "items": {"type": "string"}, "minItems": 1}


@dataclass(frozen=True)
class Option:
    """An option of a verb, of a formulation or of an integrator.

    Attributes
    ----------
    name : str
        As Python and files have it.
    kind : str
        ``number`` (a formula does too), ``whole``, ``flag``, ``word``, ``names``, ``numbers``.
    doc : str
        What it means, one line; also the help of the command line.
    noun : str
        What a number is, for the sentence "… is no NOUN".
    low, high : float
        Limits of a number.
    above : bool
        Whether the lower limit itself is refused.
    hint : str
        Which values would do.
    words : tuple of str
        The words that a ``word`` may be.
    required : bool
    flag : str
        Its name on the command line where that is another one, without the dashes.
    """

    name: str
    kind: str
    doc: str
    noun: str = "number"
    low: float = -math.inf
    high: float = math.inf
    above: bool = False
    hint: str = "give a finite number"
    words: tuple[str, ...] = ()
    required: bool = False
    flag: str = ""

    @property
    def command(self) -> str:
        """Its name on the command line."""
        return f"--{self.flag or self.name.replace('_', '-')}"

    def read(self, value: Any, where: str, *, formulas: bool = True) -> Any:
        """Return the value, checked.

        Parameters
        ----------
        value : object
        where : str
            What the message blames: ``run.rtol``, ``bdf``.
        formulas : bool
            Whether text may stand for a number; it is judged when its value is known.
        """
        if self.kind == "number":
            return value if formulas and isinstance(value, str) else self._number(value, where)
        if self.kind == "whole":
            return self._whole(value, where)
        if self.kind == "word":
            return self._word(value, where)
        if self.kind == "flag":
            if not isinstance(value, bool):
                raise ModelError(f"{self.name} {shown(value)} is not true or false", where=where, hint="write true or false")
            return value
        return self._list(value, where)

    def _number(self, value: Any, where: str) -> Any:
        """Return a number inside its limits."""
        fits = isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)
        if not fits or not self.low <= value <= self.high or (self.above and value == self.low):
            raise ModelError(f"{self.name} {shown(value)} is no {self.noun}", where=where, hint=self.hint)
        return value

    def _whole(self, value: Any, where: str) -> int:
        """Return a whole number inside its limits; 2.0 is one."""
        whole = isinstance(value, Integral) or (isinstance(value, float) and value.is_integer())
        if not whole or isinstance(value, bool) or not self.low <= value <= self.high:
            raise ModelError(f"{self.name} {shown(value)} is out of range", where=where, hint=self.hint)
        return int(value)

    def _word(self, value: Any, where: str) -> str:
        """Return one of the words."""
        if not isinstance(value, str) or value not in self.words:
            problem = f'unknown {self.name} "{value}"'
            raise ModelError(problem, where=where, hint=near_of(str(value), self.words))
        return value

    def _list(self, value: Any, where: str) -> list[Any]:
        """Return names, or numbers, in a list."""
        numbers = self.kind == "numbers"
        if numbers and isinstance(value, Real):
            value = [value]
        what = "numbers" if numbers else "names"
        if isinstance(value, str | Mapping) or not isinstance(value, Sequence) or (numbers and not value):
            example = "[1e-6, 1e-8]" if numbers else "[A, B]"
            raise ModelError(f"{self.name} {shown(value)} is no list of {what}", where=where, hint=f"write {example}")
        if numbers:
            return [self._number(item, where) for item in value]
        texts = [named(item) for item in value]
        for item, text in zip(value, texts, strict=True):
            if text is None:
                raise ModelError(f"{self.name} has {shown(item)}, which is no name", where=where, hint="write [A, B]")
        return texts

    def schema(self) -> Schema:
        """Return the JSON Schema of its values."""
        return {**self._form(), "description": self.doc}

    def _form(self) -> Schema:
        """Return the form of its values."""
        number: Schema = {"type": "integer" if self.kind == "whole" else "number"}
        if math.isfinite(self.low):
            number["exclusiveMinimum" if self.above else "minimum"] = self.low
        if math.isfinite(self.high):
            number["maximum"] = self.high
        forms: dict[str, Schema] = {
            "number": {"anyOf": [number, {"type": "string", "description": "a formula"}]}, "whole": number,
            "flag": {"type": "boolean"}, "word": {"enum": list(self.words)}, "names": _NAMES,
            "numbers": {"anyOf": [number, {"type": "array", "items": number, "minItems": 1}]},
        }  # fmt: skip
        return forms[self.kind]


def named(item: Any) -> str | None:
    """Return a name from text or from the handle of a body, a joint or a coordinate; None for anything else."""
    if isinstance(item, str):
        return item
    reference = getattr(item, "reference", None)
    if isinstance(reference, str):
        return reference
    return ".".join(item.args) if getattr(item, "op", "") == "name" else None


def shown(value: Any) -> str:
    """Return a value as messages show it, cut to a readable length."""
    text = repr(value.item()) if hasattr(value, "item") and getattr(value, "ndim", 1) == 0 else repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"


def near_of(word: str, known: Iterable[str]) -> str:
    """Return the near word and all there are, as a hint."""
    known = list(known)
    listed = f"There {'is' if len(known) == 1 else 'are'} {', '.join(known)}."
    return " ".join(part for part in (nearest(word, known), listed) if part)


def refuse_unknown(given: Iterable[str], known: Mapping[str, Option], owner: str) -> None:
    """Refuse the first option that does not exist, with the near one and the list of all."""
    for key in given:
        if key in known:
            continue
        flags = {option.flag: option.name for option in known.values() if option.flag}
        if key in flags:
            raise ModelError(f'unknown option "{key}"', where=owner, hint=f'here it is called "{flags[key]}"')
        hint = near_of(str(key), known) if known else f"{owner} has no options"
        raise ModelError(f'unknown option "{key}"', where=owner, hint=hint)
