"""Stops and friction on an expression of coordinates, such as the backlash of a gear pair, ``stop: A - 2*B``.

With e(c₁, c₂, …, t) and its rate ė = Σ ∂e/∂c ċ + ∂e/∂t, the effort f(e, ė) along the expression acts on every coordinate as
f ∂e/∂c, so that its power is f ė. Each of these is a law with a formula; nothing of it has a potential, all of it is work.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from multibody.errors import ModelError
from multibody.model.expressions import Number, abs_, differentiate, exp, fold, if_, max_, name, names, tanh
from multibody.model.forces import Force, check_order, check_static
from multibody.model.units import TIMES

if TYPE_CHECKING:
    from multibody.tables.scope import Scope

STOP_WIDTH = 1e-3  # default depth over which a stop sets in: radians, or parts of the characteristic length
FRICTION_RATE = 1e-2  # default smoothing rate of friction a second: radians, or parts of the characteristic length
STRIBECK_OVER_SMOOTH = 10.0


def target_formula(scope: Scope, force: Force) -> Number:
    """Return the expression that a force acts along, its vector algebra expanded."""
    where = f"forces.{force.name}"
    return scope.formula(scope.model.formula(force.target[0], where), where)


def coordinates_of(scope: Scope, formula: Number) -> list[tuple[str, ...]]:
    """Return the paths of coordinates in an expression."""
    return sorted(parts for parts in names(formula) if parts != ("t",) and not scope.knows(parts))


def effort_formula(scope: Scope, force: Force, has_lengths: bool) -> Number:
    """Return the effort along the expression as a formula of paths, rates and parameters, positive if it raises it.

    Parameters
    ----------
    scope : Scope
    force : Force
        A stop or a friction.
    has_lengths : bool
        Whether lengths are among its coordinates: then widths have to be stated.
    """
    value = target_formula(scope, force)
    rate: Number = differentiate(value, ("t",))
    for parts in coordinates_of(scope, value):
        rate = rate + differentiate(value, parts) * name(*parts, "rate")
    read = _Fields(scope, force, has_lengths)
    return fold(_stop(read, value, rate) if force.kind.name == "stop" else _friction(read, rate))


class _Fields:
    """The fields of a force as numbers of parameters."""

    def __init__(self, scope: Scope, force: Force, has_lengths: bool) -> None:
        self.scope, self.force, self.has_lengths = scope, force, has_lengths
        self.where = f"forces.{force.name}"

    def stated(self, key: str) -> bool:
        """Return whether a field has a value."""
        return self.force.fields[key] is not None

    def number(self, key: str) -> Number:
        """Return a field that is a number or a formula of parameters, its sign checked."""
        where, shape = f"{self.where}.{key}", next(f.type.shape for f in self.force.kind.fields if f.name == key)
        number = self.scope.scalar(self.force.fields[key], where)
        found = self.scope.value(number, where)
        if (shape == "nonnegative" and found < 0.0) or (shape == "positive" and found <= 0.0):
            word, hint = ("negative", "zero or above") if shape == "nonnegative" else ("not positive", "above zero")
            raise ModelError(f"{found:g} is {word}", where=where, hint=f"give a number {hint}")
        if shape in ("nonnegative", "positive"):
            self.scope.keep(number, shape == "positive")
        return number

    def width(self, key: str, usual: float) -> Number:
        """Return a width that has a default only where all coordinates are angles."""
        if self.stated(key):
            return self.number(key)
        if self.has_lengths:
            raise ModelError(f'"{key}" is missing', where=self.where, hint="on an expression of lengths it has to be stated")
        return usual

    def value(self, number: Number) -> float:
        """Return the value of a number of parameters."""
        return self.scope.value(number, self.where)


def _stop(read: _Fields, value: Number, rate: Number) -> Number:
    """Return max(0, k r(p) + d r′(p) ṗ) beyond the lower limit, less the same beyond the upper one."""
    width = read.width("smooth", STOP_WIDTH)
    limits = {key: read.number(key) for key in ("lower", "upper") if read.stated(key)}
    if len(limits) == 2:
        check_order(read.value(limits["lower"]), read.value(limits["upper"]), read.where)
        read.scope.keep(limits["upper"] - limits["lower"], strict=True)
    return stop_effort(value, rate, limits, read.number("stiffness"), read.number("damping"), width)


def stop_effort(value: Number, rate: Number, limits: Mapping[str, Number], k: Number, d: Number, width: Number) -> Number:
    """Return the effort of a stop along a value as a formula.

    Parameters
    ----------
    value, rate : Number
        What is limited, and its rate.
    limits : mapping
        ``lower`` and ``upper``, as far as there are any.
    k, d, width : Number
        Stiffness and damping beyond a limit, and the depth over which they set in.
    """

    def push(depth: Number, deepening: Number) -> Number:
        u = depth / width
        rises = if_(u <= 0.0, 0.0, if_(u < 1.0, depth * u * u * (1.0 - 0.5 * u), depth - 0.5 * width))
        slope = if_(u <= 0.0, 0.0, if_(u < 1.0, u * u * (3.0 - 2.0 * u), 1.0))
        return max_(0.0, k * rises + d * slope * deepening)

    total: Number = 0.0
    if "lower" in limits:
        total = total + push(limits["lower"] - value, -1.0 * rate)
    if "upper" in limits:
        total = total - push(value - limits["upper"], rate)
    return total


def _friction(read: _Fields, rate: Number) -> Number:
    """Return dry friction that falls from static to sliding, smoothed about rest, and viscous friction."""
    load = read.scope.formula(read.scope.model.formula(read.force.fields["load"], f"{read.where}.load"), f"{read.where}.load")
    coulomb = read.number("coulomb")
    static = read.number("static") if read.stated("static") else coulomb
    check_static(read.value(static), read.value(coulomb), read.where)
    read.scope.keep(static - coulomb)
    if read.stated("stribeck") and not read.stated("smooth"):
        stribeck = read.number("stribeck")
        smooth = stribeck / STRIBECK_OVER_SMOOTH
    else:
        smooth = read.width("smooth", FRICTION_RATE * TIMES[read.scope.model.units.time])
        stribeck = read.number("stribeck") if read.stated("stribeck") else STRIBECK_OVER_SMOOTH * smooth
    falling: Any = rate / stribeck
    coefficient: Any = coulomb + (static - coulomb) * exp(-1.0 * falling * falling)
    dry: Number = -1.0 * abs_(load) * coefficient * tanh(rate / smooth)
    return dry - read.number("viscous") * rate
