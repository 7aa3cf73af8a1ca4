"""What a parameter of a study may be given as: a list of values, a range, a range with a number of points, a distribution."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from multibody.analyses.given.run_options import number_of
from multibody.arguments import number_in, short
from multibody.errors import ModelError
from multibody.model.expressions import Expression
from multibody.model.forces import coordinate_text
from multibody.model.model import Model
from multibody.model.names import unknown
from multibody.study.distributions import Floats, Uniform, drawn, is_distribution

INITIAL = "initial."
MOST_POINTS = 10_000_000
LISTED = 6  # values that are written out
FORMS = "values [a, b, c], a range (low, high), points of it (low, high, count) or a distribution, mb.normal(0.15, 0.001)"


@dataclass(frozen=True)
class Entry:
    """How one number of the model is varied.

    Attributes
    ----------
    key : str
        A parameter, ``l2``, a component of one, ``pA.x``, or an initial value, ``initial.O.rate``.
    values : array or None
        The values themselves, where they are given.
    distribution : object or None
        Where they are drawn.
    text : str
        As a person writes it.
    """

    key: str
    values: Floats | None
    distribution: Any
    text: str

    def at(self, u: Floats) -> Floats:
        """Return values for samples of (0, 1); of a list every value is as likely as any other."""
        if self.values is None:
            return drawn(self.distribution, u, f"study.{self.key}")
        return np.asarray(self.values[np.minimum((u * len(self.values)).astype(int), len(self.values) - 1)])


def read_entries(model: Model, parameters: Any) -> list[Entry]:
    """Return how every varied number is given, checked.

    Parameters
    ----------
    model : Model
    parameters : mapping
        As for :meth:`Model.study`.
    """
    if not isinstance(parameters, Mapping):
        hint = 'give ranges and values by name: {"l2": (0.14, 0.16), "k": [1, 2, 5]}'
        raise ModelError(f"{short(parameters)} is not a mapping", where="study.parameters", hint=hint)
    if not parameters:
        raise ModelError("nothing is varied", where="study.parameters", hint='name a parameter: {"l2": (0.14, 0.16)}')
    found: list[Entry] = []
    for key, given in parameters.items():
        text = check_key(model, key)
        for other in found:
            if _same(model, other.key, text):
                raise ModelError(f'"{text}" and "{other.key}" are one number', where=f"study.{text}", hint="vary it once")
        found.append(read_entry(model, text, given))
    return found


def check_key(model: Model, given: Any) -> str:
    """Return the name of a number that can be varied: it exists, and it is one number."""
    if not isinstance(given, str | Expression) and (number_in(given) == number_in(given) or isinstance(given, bytes | bool)):
        hint = 'give ranges and values by name: {"l2": (0.14, 0.16)}'
        raise ModelError(f"{short(given)} is no name", where="study.parameters", hint=hint)
    key = str(given) if isinstance(given, str | Expression) else coordinate_text(given, "study.parameters")
    where = f"study.{key}"
    if is_initial(model, key):
        path = model.resolve(path_of(key), where)
        if path.kind not in ("joint", "point", "angle", "spring", "omega") or path.order > 1 or path.owner == "ground":
            hint = "name a coordinate or its rate, such as initial.O or initial.O.rate"
            raise ModelError("it is no initial value", where=where, hint=hint)
        return key
    name, _, axis = key.partition(".")
    if name not in model.parameters:
        names = [*model.parameters, *(f"{INITIAL}{path}" for path in model.initials)]
        raise unknown("parameter", key, names, where)
    size = model.vector_size((name,))
    if size and axis not in tuple("xyz"[:size]):
        raise ModelError("it is a vector", where=where, hint=f"vary its components: {name}.x")
    if not size and axis:
        raise ModelError(f'parameter "{name}" is a number', where=where, hint=f"write {name}")
    return key


def is_initial(model: Model, key: str) -> bool:
    """Return whether a key names an initial value: ``initial.O``."""
    return key.startswith(INITIAL) and "initial" not in model.parameters


def path_of(key: str) -> str:
    """Return the path of an initial value: ``O`` of ``initial.O``."""
    return key.removeprefix(INITIAL)


def _same(model: Model, one: str, other: str) -> bool:
    """Return whether two names are of one number: initial values may be spelled in several ways."""
    if is_initial(model, one) and is_initial(model, other):
        return bool(model.same_path(path_of(one), path_of(other)))
    return one == other


def read_entry(model: Model, key: str, given: Any) -> Entry:
    """Return how one number is varied."""
    where = f"study.{key}"
    if hasattr(given, "ppf") and hasattr(given, "freeze"):
        name = getattr(given, "name", "norm")
        problem = f"the distribution {name} has no parameters yet"
        raise ModelError(problem, where=where, hint=f"freeze it, such as scipy.stats.{name}(loc=…, scale=…)")
    if is_distribution(given):
        return Entry(key, None, given, str(given) if type(given).__module__.startswith("multibody.") else _frozen_text(given))
    if np.ma.is_masked(given):
        raise ModelError("some of its values are masked", where=where, hint="give numbers alone, such as x.compressed()")
    if hasattr(given, "__array__") and np.ndim(given) == 1:  # a column of a table, the values of another study
        given = np.asarray(given)
    if isinstance(given, np.ndarray) and given.ndim == 0:
        given = given.item()
    if isinstance(given, str) or not isinstance(given, Sequence | np.ndarray | range):
        value = _number(model, given, where)
        return Entry(key, np.array([value]), None, f"{value:g}")
    if isinstance(given, tuple):
        return _range(model, key, given)
    if np.ndim(given) != 1:
        raise ModelError(f"{short(given)} is no list of numbers", where=where, hint="give one number a member")
    if len(given) == 0:
        raise ModelError("the list is empty", where=where, hint=f"give {FORMS}")
    values = np.array([_number(model, value, where) for value in given])
    listed = f"[{', '.join(f'{x:.15g}' for x in values)}]"
    return Entry(key, values, None, listed if len(values) <= LISTED else f"{len(values)} values")


def _range(model: Model, key: str, given: tuple[Any, ...]) -> Entry:
    """Return a range, with a number of points where there is one."""
    where = f"study.{key}"
    if len(given) not in (2, 3):
        hint = "write (low, high) for a range, (low, high, count) for points, [a, b, c] for values"
        raise ModelError(f"{short(given)} is no range", where=where, hint=hint)
    low, high = (_number(model, value, where) for value in given[:2])
    if not low < high:
        raise ModelError(f"the range goes from {low:g} to {high:g}", where=where, hint="give the lower limit first")
    if len(given) == 2:
        return Entry(key, None, Uniform(low, high), f"({low:g}, {high:g})")
    count = number_in(given[2])
    if not (math.isfinite(count) and count >= 2.0 and count == math.floor(count) and count <= MOST_POINTS):
        shown = f"{count:.0f}" if math.isfinite(count) and count == math.floor(count) else short(given[2])
        hint = f"give a whole number from 2 to {MOST_POINTS}"
        raise ModelError(f"{shown} points", where=where, hint=hint)
    return Entry(key, np.linspace(low, high, int(count)), None, f"({low:g}, {high:g}, {int(count)})")


def _number(model: Model, value: Any, where: str) -> float:
    """Return a finite number, also from a formula of the model's parameters such as ``30*deg``."""
    if isinstance(value, str):
        return number_of(model, value, where, where)
    number = number_in(value)
    if not math.isfinite(number):
        raise ModelError(f"{short(value)} is not a finite number", where=where, hint=f"give {FORMS}")
    return number


def _frozen_text(distribution: Any) -> str:
    """Return a frozen distribution of SciPy as one writes it."""
    family = getattr(getattr(distribution, "dist", None), "name", type(distribution).__name__)
    given = [*(f"{x!r}" for x in getattr(distribution, "args", ())),
             *(f"{key}={x!r}" for key, x in getattr(distribution, "kwds", {}).items())]  # fmt: skip
    return f"{family}({', '.join(given)})"
