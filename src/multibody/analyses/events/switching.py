"""When formulas of time alone switch: instants at which a motion, or a coupler that names t, may jump.

The arguments of abs, min, max, sign, if, step and haversine and the kinks of tables are looked at ahead, so that a run ends a
step at every such instant and begins anew behind it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from multibody.model.expressions import (
    CONSTANTS,
    Expression,
    Number,
    children,
    cos,
    differentiate,
    evaluate,
    names,
    postorder,
    switches,
)
from multibody.model.model import Model
from multibody.state.system import Floats
from multibody.tables.lower import Tables
from multibody.tables.scope import Scope
from multibody.tables.watches import table_kinks

SAMPLES = 4096  # of a formula over the time that is looked at; zeros that lie closer than two of them can escape
TOGETHER = 1e-12  # of the time and its span: switching points that are nearer are one
HALVINGS = 80
MOST = 10_000  # occurrences of one expression before a run is stopped
SHRINKS = 12  # how often it is looked less far ahead where switching instants are dense
TIME = frozenset({("t",)})
Formula = Callable[[Floats], Floats]


@dataclass(frozen=True)
class Switching:
    """An instant at which formulas switch.

    Attributes
    ----------
    time : float
        Where they do, as well as it can be written.
    before, after : float
        The nearest instants on either side at which all of them are decided; time goes from `before` to `after`.
    """

    time: float
    before: float
    after: float

    @property
    def reversed(self) -> Switching:
        """The same instant for a run that goes back in time."""
        return Switching(self.time, self.after, self.before)


class SwitchingTimes:
    """Switching points of a model's motions and couplers that are known from the time alone.

    Parameters
    ----------
    model : Model
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self._formulas: dict[Expression, Formula] = {}
        self._length = math.inf  # how far it is looked ahead at most
        self._known: tuple[float, float, list[Switching]] = (math.inf, -math.inf, [])
        formulas = {f"motions.{text}": motion for text, motion in model.motions.items()}
        for name, joint in model.joints.items():
            if joint.kind.relation == "coupler":
                formulas[f"joints.{name}"] = model.formula(joint.fields["expression"], f"joints.{name}")
        if formulas:
            self._scope = Scope(model)
        for where, formula in formulas.items():
            self._collect(self._scope.formula(formula, where), model)

    def __bool__(self) -> bool:
        return bool(self._formulas)

    @property
    def parameters(self) -> list[tuple[str, ...]]:
        """The parameters that the instants depend on."""
        found = dict.fromkeys(parts for switch in self._formulas for parts in sorted(names(switch)))
        return [parts for parts in found if self._scope.knows(parts)]

    def __copy__(self) -> SwitchingTimes:
        """Return one that has not looked for anything yet; formulas are shared."""
        made = object.__new__(SwitchingTimes)
        vars(made).update(vars(self))
        made._length, made._known = math.inf, (math.inf, -math.inf, [])
        return made

    def looked(self, t: float, end: float) -> bool:
        """Return whether all instants between two times are known, from one look."""
        low, high, _ = self._known
        return low <= min(t, end) and max(t, end) <= high

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel as the model alone."""
        return SwitchingTimes, (self.model,)

    def _collect(self, formula: Number, model: Model) -> None:
        """Add the switching points of a formula that depend on time and parameters, inner ones first."""
        for switch in [*switches(formula), *table_kinks(formula, model), *_poles(formula)]:
            free = {parts for parts in names(switch) if not self._scope.knows(parts) and parts not in CONSTANTS}
            if free == TIME and switch not in self._formulas:
                self._formulas[switch] = self._function(switch)

    def _function(self, switch: Expression) -> Formula:
        """Return a switching formula as a function of times."""
        scope = self._scope

        def function(t: Floats) -> Floats:
            found = evaluate(switch, lambda parts: t if parts == ("t",) else scope.values[parts], scope._functions)
            return np.broadcast_to(np.asarray(found, dtype=float), t.shape)

        return function

    # --- looking ahead ------------------------------------------------------------------------------------------------
    def around(self, t: float) -> Switching | None:
        """Return the switching instant at a time, None where nothing switches there."""
        margin = 4.0 * _resolution(t)
        near, found = np.array([t - margin, t, t + margin]), []
        for g in self._formulas.values():
            low, middle, high = np.sign(g(near))
            if (middle == 0.0 and (low != 0.0 or high != 0.0)) or low * high < 0.0:
                found.append((t, g))
        return _decided(found) if found else None

    def next(self, t: float, end: float, reach: float = 1.0) -> Switching | None:
        """Return the first switching instant on the way from t to `end` that is not behind already, None where there is none.

        Parameters
        ----------
        t, end : float
            From where to where time goes, forwards or back.
        reach : float
            How many times as far it is looked ahead; what was found is kept.
        """
        if not self._formulas or t == end:
            return None
        forward, position = end > t, t
        while True:
            low, high, found = self._known
            if low <= position <= high:
                here = _first(found if forward else [s.reversed for s in reversed(found)], t, end, forward)
                if here is not None or low <= end <= high:
                    return here
                position = high if forward else low
            self._look(position, position + reach * (end - position))

    def _look(self, begin: float, far: float) -> None:
        """Look for switching instants from a time on, less far where they are many: samples must tell them apart."""
        far = begin + math.copysign(min(abs(far - begin), self._length), far - begin)
        for _ in range(SHRINKS):
            low, high = min(begin, far), max(begin, far)
            zeros = self._all_zeros(low, high)
            if len(zeros) <= SAMPLES // 32:
                break
            far = begin + (far - begin) / 8.0
        self._length = 2.0 * (high - low) if len(zeros) > SAMPLES // 256 else math.inf
        self._known = (low, high, _grouped(zeros, low, high))

    def on_the_way(self, t: float, end: float, most: int) -> list[Switching]:
        """Return the switching instants from t to `end` in the order in which they are met, at most so many."""
        found: list[Switching] = []
        here, sign = self.next(t, end), math.copysign(1.0, end - t)
        while here is not None and len(found) < most:
            found.append(here)
            # What switches at the end itself is left behind it: the way does not turn back.
            here = self.next(here.after, end) if sign * here.after < sign * end else None
        return found

    def add(self, t: float) -> bool:
        """Take a switching instant that was found on the way among the known ones; return whether it is new."""
        (low, high, found), here = self._known, self.around(t)
        if here is None or any(item.before <= here.after and here.before <= item.after for item in found):
            return False
        self._known = (low, high, sorted([*found, here], key=lambda item: item.time))
        return True

    def _all_zeros(self, low: float, high: float) -> list[tuple[float, Formula]]:
        """Return the zeros of all formulas from `low` to `high`, in order."""
        times: list[tuple[float, Formula]] = []
        for switch, g in self._formulas.items():  # inner formulas first: between their zeros an outer one is smooth
            times += [(t, g) for t in self._zeros(switch, g, low, high, [t for t, _ in times])]
        return sorted(times, key=lambda item: item[0])

    def _zeros(self, switch: Expression, g: Formula, low: float, high: float, inner: list[float]) -> list[float]:
        """Return the zeros of one formula."""
        slope = differentiate(switch, ("t",))
        if not (names(slope) - {parts for parts in names(slope) if self._scope.knows(parts)}) and not _calls(switch):
            rate = self._scope.value(slope)
            zero = -float(g(np.zeros(1))[0]) / rate if rate else math.nan
            return [_polished(g, zero)] if low <= zero <= high else []
        t = np.unique(np.concatenate([np.linspace(low, high, SAMPLES + 1), np.array(inner)]))
        t = np.unique(np.concatenate([t, _turning_points(g, t)]))
        y = g(t)
        y = np.where(np.isfinite(y), y, 0.0)
        turns = np.sign(y[:-1]) * np.sign(y[1:]) < 0.0  # the product of small numbers would be zero
        left, right = t[:-1][turns], t[1:][turns]
        exact = t[(y == 0.0) & (np.append(y[1:], 0.0) != np.append(0.0, y[:-1]))]
        return [*_halved(g, left, right).tolist(), *exact.tolist()]


def _first(found: list[Switching], t: float, end: float, forward: bool) -> Switching | None:
    """Return the first of some switching instants, in the order in which they are met, that is not behind t."""
    sign = 1.0 if forward else -1.0
    for item in found:
        if sign * item.after > sign * t and sign * t <= sign * item.time <= sign * end:
            return item
    return None


def switching_times(tables: Tables) -> SwitchingTimes | None:
    """Return the switching points of a model, None where it has none: whether it has any is known of its structure."""
    if not tables.structure.get("switches", True):
        return None
    found = SwitchingTimes(tables.model)
    tables.structure["switches"] = bool(found)
    return found if found else None


def limit_after(model: Model, t: float) -> float:
    """Return the time at which rates are read: t, or just behind it where motions switch at t."""
    found = SwitchingTimes(model).around(t)
    return t if found is None else found.after


def _grouped(times: list[tuple[float, Formula]], low: float, high: float) -> list[Switching]:
    """Return zeros as switching instants, those that lie together as one."""
    groups: list[list[tuple[float, Formula]]] = []
    apart = TOGETHER * max(abs(low), abs(high), high - low)
    for item in times:
        if groups and item[0] - groups[-1][-1][0] <= apart:
            groups[-1].append(item)
        else:
            groups.append([item])
    return [_decided(group) for group in groups]


def _decided(group: list[tuple[float, Formula]]) -> Switching:
    """Return one instant for formulas that switch together, with neighbors at which none of them is at its zero any more."""
    first, last = group[0][0], group[-1][0]
    margin = 4.0 * _resolution(max(abs(first), abs(last)))
    for _ in range(20):
        low = np.array([first - k * margin for k in (1.0, 1.5, 2.0)])
        high = np.array([last + k * margin for k in (1.0, 1.5, 2.0)])
        if all(_settled(g(low)) and _settled(g(high)) for _, g in group):
            break
        margin *= 2.0
    return Switching(first if first == last else 0.5 * (first + last), first - margin, last + margin)


def _resolution(t: float) -> float:
    """Return how finely times can be told apart, at zero as little as it needs."""
    return math.ulp(max(abs(t), 1e-12))


def _settled(values: Floats) -> bool:
    """Return whether a formula keeps its sign."""
    signs = np.sign(values)
    return bool(np.all(signs == signs[0]))


def _calls(e: Expression) -> bool:
    """Return whether a formula calls functions or compares: its slope may be constant by pieces."""
    return any(current.op not in ("number", "name", "+", "-", "*", "/", "neg") for current in postorder(e))


def _polished(g: Formula, zero: float) -> float:
    """Return the zero of a straight line, to the last digit."""
    near = zero + math.ulp(zero) * np.arange(-4.0, 5.0)
    values = np.abs(g(near))
    return float(near[int(np.argmin(values))])


def _halved(g: Formula, left: Floats, right: Floats) -> Floats:
    """Return the first instants behind the zeros of g between left and right, by halving."""
    sign = np.sign(g(left))
    for _ in range(HALVINGS):
        middle = 0.5 * (left + right)
        same = np.sign(g(middle)) == sign
        left, right = np.where(same, middle, left), np.where(same, right, middle)
    return right


def _turning_points(g: Formula, t: Floats) -> Floats:
    """Return where |g| may dip to a zero between the samples, by golden sections on its local minima."""
    y = np.abs(g(t))
    k = 1 + np.flatnonzero((y[1:-1] <= y[:-2]) & (y[1:-1] <= y[2:]) & (y[1:-1] > 0.0))
    k = k[y[k] <= np.maximum(y[k - 1], y[k + 1]) - y[k]]  # a minimum far from zero is none
    low, high, ratio = t[k - 1], t[k + 1], 0.5 * (math.sqrt(5.0) - 1.0)
    for _ in range(60 if len(k) else 0):
        a, b = high - ratio * (high - low), low + ratio * (high - low)
        lower = np.abs(g(a)) < np.abs(g(b))
        low, high = np.where(lower, low, a), np.where(lower, b, high)
    return np.asarray(0.5 * (low + high))


def _poles(formula: Number) -> list[Expression]:
    """Return what vanishes where a formula, or its rate, has no finite value: denominators, what roots and logarithms take."""
    found: list[Number] = []
    for current in postorder(formula) if isinstance(formula, Expression) else []:
        operands = children(current)
        if current.op == "/":
            found.append(operands[1])
        elif current.op == "^":
            power = operands[1].args[0] if operands[1].op == "number" else 0.5
            found += [operands[0]] if power < 0.0 or power != int(power) else []
        elif current.op == "call" and current.args[0] in ("sqrt", "log"):
            found.append(operands[0])
        elif current.op == "call" and current.args[0] == "tan":
            found.append(cos(operands[0]))
        elif current.op == "call" and current.args[0] in ("asin", "acos"):
            found += [operands[0] - 1.0, operands[0] + 1.0]
    return [item for item in found if isinstance(item, Expression)]


def limits_behind(passed: list[Switching], times: Floats) -> Floats:
    """Return the times at which states are evaluated: just behind a switching instant in place of the instant itself."""
    found = times.copy()
    for switching in passed:
        low, high = sorted((switching.before, switching.after))
        found[(times >= low) & (times <= high)] = switching.after
    return found
