"""Sub-mechanisms of a file: ``include: [{model: other.yaml, prefix: left_, at: [..], set: {l2: 0.2}}]``.

A path is relative to the file that names it and stays in the directory of the file that was opened first, so a model
that came from elsewhere cannot look around on the disk. Files cannot include each other in a circle.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PureWindowsPath
from typing import Any

from multibody.errors import ModelError
from multibody.files._items import check_keys
from multibody.files.repeat import Budget
from multibody.model.expressions import Expression, Number, names
from multibody.model.geometry import ORIENTATION_KEYS, read_frame
from multibody.model.include import include
from multibody.model.model import Model
from multibody.model.scope import PARAMETERS, ParameterScope
from multibody.model.validate import Checker
from multibody.model.values import read_number

__all__ = ["FORMATS", "Context", "add_include"]

FORMATS = {".yaml": "yaml", ".yml": "yaml", ".json": "json"}
"""Endings of model files."""

_KEYS = ("model", "prefix", "at", "set", *ORIENTATION_KEYS)
_DEEPEST = 20
_MOST = 1000
_EXAMPLE = "include: [{model: other.yaml, prefix: left_}]"

Load = Callable[[str, Mapping[str, Any], str], Model]


@dataclass
class Context:
    """What the files of one model share: the directory they stay in, and how much may still come."""

    root: Path
    stack: tuple[Path, ...] = ()
    budget: Budget = field(default_factory=Budget)
    files: list[Path] = field(default_factory=list)

    def enter(self, file: Path, where: str) -> Context:
        """Return the context inside a file."""
        real = Path(os.path.realpath(file))  # Path.resolve raises at links that lead in a circle
        if real in self.stack:
            circle = " → ".join(path.name for path in (*self.stack[self.stack.index(real) :], real))
            raise ModelError(f"the files include each other ({circle})", where=where, hint="break the circle")
        self.files.append(real)
        if len(self.stack) >= _DEEPEST or len(self.files) > _MOST:
            problem = f"more than {_DEEPEST} levels or {_MOST} files are included"
            raise ModelError(problem, where=where, hint="build such a model in Python")
        return Context(self.root, (*self.stack, real), self.budget, self.files)

    def find(self, text: str, where: str) -> Path:
        """Return the file that an include names, seen from the file it stands in."""
        if "\0" in text:
            raise ModelError(f"{text!r} is no name of a file", where=where, hint="check the path")
        if Path(text).is_absolute() or PureWindowsPath(text).anchor:
            raise ModelError(f'"{text}" is an absolute path', where=where, hint="name it relative to this file")
        here = self.stack[-1].parent if self.stack else self.root
        if not Path(os.path.realpath(here / text)).is_relative_to(os.path.realpath(self.root)):
            hint = "keep included files in the directory of the model or below it"
            raise ModelError(f'"{text}" leaves the directory of the model', where=where, hint=hint)
        return here / text


def add_include(model: Model, entry: Any, where: str, load: Load, overrides: Mapping[str, Any]) -> None:
    """Add one sub-mechanism to a model.

    Parameters
    ----------
    model : Model
        It has its parameters already.
    entry : mapping
        ``model``, ``prefix``, ``at``, an orientation, ``set``.
    where : str
        Path of the entry, for messages.
    load : callable
        ``load(name, parameters, where)`` reads the model to include.
    overrides : mapping
        Values for parameters by their prefixed names, which go before those of ``set``.
    """
    given = check_keys(entry, _KEYS, where, _EXAMPLE)
    source, prefix = given.pop("model", None), given.pop("prefix", None)
    if not isinstance(source, str) or not isinstance(prefix, str):
        raise ModelError("it needs a model and a prefix", where=where, hint=f"write {_EXAMPLE}")
    values, formulas = _settings(given.pop("set", None), ParameterScope(model), where, words=not _is_file(source))
    for name, value in overrides.items():
        values[name] = value
        formulas.pop(name, None)
    checker = Checker(model)
    known = len(checker.errors)
    checker.frame(read_frame(dict(given), model.dimension, where), where)
    if len(checker.errors) > known:
        raise _at(checker.errors[known], where)
    other = load(source, values, where)
    try:
        include(model, other, prefix, **given)
    except ModelError as error:
        raise _at(error, where) from None
    for name, formula in formulas.items():  # of the including model's parameters, so it gets no prefix
        own = model.parameters.get(prefix + name)
        if own is not None:
            model.parameters[prefix + name] = replace(own, value=formula)


def _is_file(source: str) -> bool:
    return Path(source).suffix.lower() in FORMATS


def _at(error: ModelError, where: str) -> ModelError:
    """Return an error at the entry, whatever part of it was at fault."""
    return ModelError(error.problem, where=where, hint=error.hint, detail=error.detail)


def _settings(
    given: Any, scope: ParameterScope, where: str, *, words: bool
) -> tuple[dict[str, Any], dict[str, Number | tuple[Number, ...]]]:
    """Return the values of ``set`` for reading, and which of them are formulas of the including model.

    With `words`, text that is no formula of known parameters is passed on as it is: library models take words.
    """
    if given is not None and not isinstance(given, Mapping):
        raise ModelError("set is not a mapping", where=where, hint="write set: {l2: 0.2}")
    values: dict[str, Any] = {}
    formulas: dict[str, Number | tuple[Number, ...]] = {}
    for name, value in (given or {}).items():
        place = f"{where}.set.{name}"
        try:
            parts = [read_number(item, place) for item in (value if isinstance(value, list) else [value])]
            for part in parts:
                scope.check_names(part, place, PARAMETERS)
        except ModelError:
            if words and isinstance(value, str):
                values[name] = value
                continue
            raise
        formula = tuple(parts) if isinstance(value, list) else parts[0]
        if any(isinstance(part, Expression) for part in parts):
            formulas[name] = formula
        values[name] = _value(formula, scope, place)
    return values, formulas


def _value(formula: Number | tuple[Number, ...], scope: ParameterScope, where: str) -> float | list[float]:
    """Return the present value of a number, a vector or a formula."""
    used = {parts[0] for part in (formula if isinstance(formula, tuple) else (formula,)) for parts in names(part)}
    reduced = scope.vector(formula, None, where) if isinstance(formula, tuple) else scope.reduced(formula, where)
    found = [scope.value(part, where) for part in (reduced if isinstance(reduced, tuple) else (reduced,))]
    numbers = [item for item in found if item is not None]
    if len(numbers) < len(found):
        hint = f"check {', '.join(sorted(used))}; it may use no tables"
        raise ModelError("its value is not known on reading", where=where, hint=hint)
    return numbers if isinstance(reduced, tuple) else numbers[0]
