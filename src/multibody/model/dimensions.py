"""Units of expressions: powers of length, time, mass and angle, carried through a formula.

A formula whose parts do not fit (a length plus a time, the sine of a force) has no unit; nothing is refused for it, since
numbers without a unit, such as parameters, may stand for anything.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from multibody.model.expressions import Expression, Number, children, postorder
from multibody.model.units import Units

Dimension = tuple[Fraction, Fraction, Fraction, Fraction]  # exponents of length, time, mass, angle

NONE: Dimension = (Fraction(0), Fraction(0), Fraction(0), Fraction(0))
_SAME = ("abs", "min", "max", "norm")  # of the unit of their arguments
_ANGLES = ("asin", "acos", "atan", "atan2")
_RAMPS = {"step": (2, 4), "step5": (2, 4), "haversine": (2, 4), "trapezoid": (2, 4)}  # arguments that are values


def dimension(length: float = 0, time: float = 0, mass: float = 0, angle: float = 0) -> Dimension:
    """Return a dimension from its exponents."""
    return Fraction(length), Fraction(time), Fraction(mass), Fraction(angle)


LENGTH, TIME, ANGLE = dimension(1), dimension(0, 1), dimension(0, 0, 0, 1)
ANGULAR_VELOCITY = dimension(0, -1, 0, 1)
FORCE, ENERGY, MOMENTUM = dimension(1, -2, 1), dimension(2, -2, 1), dimension(1, -1, 1)
MOMENT, ANGULAR_MOMENTUM = dimension(2, -2, 1, -1), dimension(2, -1, 1, -1)  # a moment does work along an angle


def product(a: Dimension | None, b: Dimension | None, sign: int = 1) -> Dimension | None:
    """Return the dimension of a product, or with sign −1 of a quotient."""
    if a is None or b is None:
        return None
    return a[0] + sign * b[0], a[1] + sign * b[1], a[2] + sign * b[2], a[3] + sign * b[3]


def power(a: Dimension | None, exponent: float) -> Dimension | None:
    """Return the dimension of a power."""
    if a is None:
        return None
    n = Fraction(exponent).limit_denominator(24)
    return a[0] * n, a[1] * n, a[2] * n, a[3] * n


def rate(a: Dimension | None, order: int = 1) -> Dimension | None:
    """Return the dimension of a time derivative."""
    return product(a, power(TIME, float(order)), -1)


Found = tuple[Dimension | None, bool]  # a dimension, None where there is none; whether it is a plain number that fits anything


def dimension_of(formula: Number, lookup: Callable[[tuple[str, ...]], Found]) -> Found:
    """Return the dimension of a formula, None where it has none that is known, and whether it is a plain number.

    Parameters
    ----------
    formula : float or Expression
    lookup : callable
        ``lookup(path)`` is the dimension of a name, and whether it is a plain number that may stand for anything.
    """
    if not isinstance(formula, Expression):
        return NONE, True
    values: dict[int, Found] = {}
    for node in postorder(formula):
        parts = [values[id(child)] for child in children(node)]
        if node.op == "number":
            values[id(node)] = (NONE, True)
        elif node.op == "name":
            values[id(node)] = lookup(node.args)
        else:
            values[id(node)] = _combined(node, parts)
    return values[id(formula)]


def _combined(node: Expression, parts: list[Found]) -> Found:
    """Return the dimension of an operation from those of its parts."""
    op = node.op
    if op in ("neg", "component"):
        return parts[0]
    if op in ("+", "-", "vector"):
        return _agreed(parts)
    if op in ("*", "/"):
        return product(parts[0][0], parts[1][0], 1 if op == "*" else -1), parts[0][1] and parts[1][1]
    if op == "^":
        exponent = children(node)[1]
        fixed = float(exponent.args[0]) if exponent.op == "number" else None
        return parts[0] if parts[0][1] else ((None if fixed is None else power(parts[0][0], fixed)), False)
    if op == "call":
        return _of_call(str(node.args[0]), parts)
    return NONE, True  # comparisons are 0 or 1, tables have numbers without a unit


def _of_call(title: str, parts: list[Found]) -> Found:
    """Return the dimension of a function's value."""
    if title == "if":
        return _agreed(parts[1:])
    if title in _SAME:
        return _agreed(parts)
    if title in _RAMPS:
        return _agreed([parts[k] for k in _RAMPS[title]])
    if title in ("dot", "cross"):
        found, plain = product(parts[0][0], parts[1][0]), parts[0][1] and parts[1][1]
        # The vector product of an arm with a force is a moment, that of an angular velocity with an arm a velocity.
        return (found if title == "dot" or plain else product(found, ANGLE, -1)), plain
    if title == "sqrt":
        return power(parts[0][0], 0.5), parts[0][1]
    if title in _ANGLES:
        return ANGLE, False
    return NONE, False  # sin, exp, unit, sign, …


def _agreed(parts: list[Found]) -> Found:
    """Return the one dimension of terms of a sum; plain numbers fit any."""
    stated = [found for found, plain in parts if not plain]
    if not stated:
        return (None if any(found is None for found, _ in parts) else NONE), True
    return (stated[0] if len({_without_angle(found) for found in stated}) == 1 else None), False


def _without_angle(found: Dimension | None) -> Dimension | None:
    """Return a dimension without its radians where there is something else that counts: a rim moves by radius times angle."""
    return (*found[:3], Fraction(0)) if found is not None and (found[0] != 0 or found[2] != 0) else found


def unit_name(found: Dimension | None, units: Units) -> str:
    """Return a dimension as the name of a unit: ``W``, ``N·m``, ``m/s²``; "" where it is not known, ``1`` for none."""
    if found is None:
        return ""
    length, time, mass, angle = found
    si, names = units == Units(), units.names
    known: dict[Dimension, str] = {MOMENT: names["moment"], ENERGY: names["energy"], FORCE: names["force"]}
    if si:
        known[dimension(2, -3, 1)] = "W"
    if found in known:
        return known[found]
    if mass == 0:
        return _powers([(units.length, length), ("rad", angle if length == 0 else Fraction(0)), (units.time, time)])
    if mass == 1 and time <= -2 and (si or units.mass is None):  # a force times what is left
        turns = angle + 1 if length == 2 else Fraction(0)  # a moment has no radian, an angular stiffness has
        rest = [(units.length, length - 1), ("rad", min(turns, Fraction(0))), (units.time, time + 2)]
        return _powers([(names["force"], Fraction(1)), *rest])
    return _powers([(names["mass"], mass), (units.length, length), (units.time, time)])


def _powers(parts: list[tuple[str, Fraction]]) -> str:
    """Return a product of powers in words, what divides behind a stroke."""
    above = [_power(name, n) for name, n in parts if n > 0]
    below = [_power(name, -n) for name, n in parts if n < 0]
    if not below:
        return "·".join(above) or "1"
    under = "·".join(below)
    return f"{'·'.join(above) or '1'}/{under if len(below) == 1 else f'({under})'}"


def _power(name: str, n: Fraction) -> str:
    """Return a power of a unit."""
    base = f"({name})" if n != 1 and ("·" in name or "/" in name) else name
    if n == 1:
        return base
    small = str(n).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")) if n.denominator == 1 else f"^({n})"
    return f"{base}{small}"
