"""Motors as a user describes them: envelopes of torque over speed, top speed and rotor inertia, in SI units."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from multibody.arguments import number_in, short
from multibody.errors import ModelError, nearest
from multibody.model.expressions import ExpressionError, evaluate, parse

KINDS = ("rotary", "linear")
FIELDS = ("kind", "continuous", "peak", "speed", "inertia", "mass", "doc")
Points = tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Motor:
    """A motor by what it can give at every speed, in SI units whatever the units of a model.

    Attributes
    ----------
    name : str
    kind : {"rotary", "linear"}
    continuous, peak : tuple of (speed, effort)
        Corners of what it can give for ever and for a short time, rising speeds [rad/s, N·m] or [m/s, N]; straight lines
        between them, level before the first, nothing beyond the last.
    speed : float
        Top speed [rad/s] or [m/s].
    inertia : float
        Of the rotor [kg·m²], or mass of the slider [kg].
    doc : str
    """

    name: str
    kind: str
    continuous: Points
    peak: Points
    speed: float
    inertia: float
    doc: str = ""

    def plain(self) -> dict[str, Any]:
        """Return the mapping that a file has for it."""
        data: dict[str, Any] = {"kind": self.kind, "speed": self.speed}
        data |= {key: [list(point) for point in getattr(self, key)] for key in ("continuous", "peak")}
        return data | {"inertia" if self.kind == "rotary" else "mass": self.inertia} | ({"doc": self.doc} if self.doc else {})


def read_motor(name: str, given: Any, where: str = "motors") -> Motor:
    """Return a checked motor.

    Parameters
    ----------
    name : str
    given : mapping
        ``kind`` (default rotary), ``continuous`` and ``peak`` (a number, or points [speed, effort]), ``speed``, and ``inertia``
        of a rotary or ``mass`` of a linear one; numbers may be formulas of constants, ``3000*rpm``.
    where : str
        Place of the fault in messages.
    """
    place = f'{where}: motor "{name}"'
    if isinstance(given, Motor):
        return given
    if not isinstance(given, Mapping):
        raise ModelError("it is no map of fields", where=place, hint=f"write {', '.join(FIELDS)}")
    for key in given:
        if key not in FIELDS:
            hint = nearest(str(key), FIELDS) or f"it has {', '.join(FIELDS)}"
            raise ModelError(f'unknown field "{key}"', where=place, hint=hint)
    kind = given.get("kind") or "rotary"
    if kind not in KINDS:
        raise ModelError(f'unknown kind "{kind}"', where=place, hint="it is rotary or linear")
    own, other = ("inertia", "mass") if kind == "rotary" else ("mass", "inertia")
    if given.get(other) is not None:
        raise ModelError(f"a {kind} motor has no {other}", where=place, hint=f"give {own}")
    for key in ("continuous", "peak", "speed", own):
        if given.get(key) is None:
            raise ModelError(f'"{key}" is missing', where=place, hint="see the table of fields in the docs")
    speed = _positive(given["speed"], f"{place}, speed")
    inertia = _number(given[own], f"{place}, {own}")
    if inertia < 0.0:
        raise ModelError(f"{own} {inertia:g} is negative", where=place, hint="give 0 or more")
    lines = [_points(given[key], speed, f"{place}, {key}") for key in ("continuous", "peak")]
    return Motor(name, kind, lines[0], lines[1], speed, inertia, str(given.get("doc") or ""))


def _points(given: Any, speed: float, where: str) -> Points:
    """Return the corners of an envelope: a number is level up to the top speed."""
    given = given.tolist() if hasattr(given, "tolist") else given  # NumPy's numbers and arrays
    if isinstance(given, int | float | str):
        level = _positive(given, where)
        return ((0.0, level), (speed, level))
    hint = "write [[0, 1.2], [3000*rpm, 0.9]]: speed and effort, speeds rising"
    if not isinstance(given, list | tuple) or not given or not all(isinstance(p, list | tuple) and len(p) == 2 for p in given):
        raise ModelError("it is neither a number nor a list of points", where=where, hint=hint)
    points = tuple((_number(p[0], where), _number(p[1], where)) for p in given)
    speeds = [p[0] for p in points]
    if any(b <= a for a, b in itertools.pairwise(speeds)) or speeds[0] < 0.0:
        raise ModelError("the speeds of its points do not rise", where=where, hint=hint)
    if speeds[-1] > speed * (1 + 1e-9):
        raise ModelError(f"it goes beyond the top speed {speed:g}", where=where, hint="end it there")
    if any(p[1] < 0.0 for p in points) or not any(p[1] > 0.0 for p in points):
        raise ModelError("efforts are negative, or all zero", where=where, hint="give what the motor can do, without a sign")
    return points


def _positive(value: Any, where: str) -> float:
    """Return a number above zero."""
    found = _number(value, where)
    if found <= 0.0:
        raise ModelError(f"{found:g} is not positive", where=where, hint="give a number above 0")
    return found


def _number(value: Any, where: str) -> float:
    """Return a finite number, also from a formula of constants."""
    try:
        found = evaluate(parse(value), lambda parts: math.nan) if isinstance(value, str) else value
    except ExpressionError:
        found = math.nan
    found = number_in(found)
    if not math.isfinite(found):
        raise ModelError(f"{short(value)} is not a number", where=where, hint="give a number or a formula such as 3000*rpm")
    return found
