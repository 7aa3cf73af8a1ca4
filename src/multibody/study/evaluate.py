"""The numbers of one member: reductions of its values over time, and what the outputs make of them.

Extremes lie on the motion between the instants where it is known there. Means and integrals follow the trapezoidal rule on the
instants; with h their spacing the error is of the order of h². At a time between the instants the motion itself is read.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from multibody.errors import ModelError
from multibody.model.dimensions import TIME, Found, product, unit_name
from multibody.model.dimensions import dimension_of as dimension_in
from multibody.model.expressions import Expression, Number, evaluate
from multibody.results import over_time
from multibody.study.distributions import Floats
from multibody.study.extremes import largest
from multibody.study.language import EXTREMES, Outputs, Reduction
from multibody.study.readings import Reading


class Evaluator:
    """Evaluates reductions on the answer of one member.

    Parameters
    ----------
    outputs : Outputs
    reading : Reading
        With one instant at least.
    refine : bool
        Whether extremes are sought between the instants.
    """

    def __init__(self, outputs: Outputs, reading: Reading, refine: bool) -> None:
        self.outputs, self.reading, self.refine = outputs, reading, refine
        self.splines = reading.measurer.splines()
        self.found: list[float] = []
        self._series: dict[Number, Floats] = {}
        self._extremes: dict[tuple[Number, int], tuple[float, float]] = {}

    def numbers(self) -> Floats:
        """Return all outputs of the member."""
        self.found = []
        for reduction in self.outputs.reductions:
            self.found.append(self._reduced(reduction))
        return np.array([self.number(formula) for formula in self.outputs.formulas])

    def number(self, formula: Number) -> float:
        """Return a formula of reductions and parameters."""
        if not isinstance(formula, Expression):
            return float(formula)
        return float(np.asarray(evaluate(formula, self._constant, self.splines)))

    def _constant(self, parts: tuple[str, ...]) -> float:
        """Return a reduction that is known, or a parameter."""
        if parts[0].startswith("#"):
            return self.found[int(parts[0][1:])]
        tables = self.reading.measurer.tables
        return float(tables.F[tables.parameter_slots[parts]])

    def _values(self, formula: Number, reading: Reading) -> Floats:
        """Return a formula of paths at all instants of an answer."""
        def lookup(parts: tuple[str, ...]) -> object:
            return self.found[int(parts[0][1:])] if parts[0].startswith("#") else reading.lookup(parts)

        value = formula if not isinstance(formula, Expression) else evaluate(formula, lookup, self.splines)
        return np.broadcast_to(np.asarray(value, dtype=float), (len(reading.t),))

    def _reduced(self, reduction: Reduction) -> float:
        """Return one reduction."""
        word, t = reduction.word, self.reading.t
        if word == "first":
            events = () if self.reading.run is None else self.reading.run.events
            return next((event.time for event in events if event.name == reduction.event), math.nan)
        if word == "at":
            return self._at(reduction)
        if reduction.formula not in self._series:
            self._series[reduction.formula] = self._values(reduction.formula, self.reading)
        values = self._series[reduction.formula]
        if word in EXTREMES:
            time, size = self._extreme(reduction.formula, values, -1 if word.endswith("min") else 1)
            return time if word.startswith("time") else size
        if word == "final":
            return float(values[-1])
        means: dict[str, Callable[[Floats, Floats], float]] = {
            "mean": over_time.mean, "rms": over_time.rms, "integral": over_time.integral,
        }  # fmt: skip
        return means[word](t, values) if np.all(np.isfinite(values)) else math.nan

    def _extreme(self, formula: Number, values: Floats, sign: int) -> tuple[float, float]:
        """Return time and value of the largest (sign 1) or smallest (−1) value; found once for both questions."""
        key, looked = (formula, sign), self.refine and self.reading.known_between
        if key not in self._extremes:
            time, size = largest(self.reading.t, sign * values, self._signed(formula, sign) if looked else None)
            self._extremes[key] = (time, sign * size)
        return self._extremes[key]

    def _signed(self, formula: Number, sign: int) -> Callable[[Floats], Floats]:
        """Return the formula as a function of times, NaN where the motion between the instants is not known."""
        def between(times: Floats) -> Floats:
            try:
                reading = self.reading.between(times)
            except ModelError:  # a long run lets go of what lies between its first instants; a lock-up is near
                reading = None
            return np.full(len(times), math.nan) if reading is None else sign * self._values(formula, reading)

        return between

    def _at(self, reduction: Reduction) -> float:
        """Return a formula at one time; NaN where the motion does not get there."""
        t, time = self.reading.t, self.number(reduction.time)
        if not min(t[0], t[-1]) <= time <= max(t[0], t[-1]):
            return math.nan
        values, same = self._values(reduction.formula, self.reading), np.flatnonzero(t == time)
        if len(same):
            return float(values[same[0]])
        reading = self.reading.between(np.array([time]))
        if reading is not None:
            return float(self._values(reduction.formula, reading)[0])
        order = slice(None) if t[-1] > t[0] else slice(None, None, -1)
        return float(np.interp(time, t[order], values[order]))


def units_of(outputs: Outputs, reading: Reading) -> tuple[str, ...]:
    """Return the units of all outputs, "" where they have none that is known."""
    measurer, known = reading.measurer, list[Found]()

    def lookup(parts: tuple[str, ...]) -> Found:
        return known[int(parts[0][1:])] if parts[0].startswith("#") else measurer.dimension(Expression("name", parts))

    def of(formula: Number) -> Found:
        return dimension_in(formula, lookup)

    for reduction in outputs.reductions:
        if reduction.word == "first" or reduction.word.startswith("time"):
            known.append((TIME, False))
        elif reduction.word == "integral":
            found, _ = of(reduction.formula)
            known.append((product(found, TIME), False))
        else:
            known.append(of(reduction.formula))
    found_units = (of(formula) for formula in outputs.formulas)
    return tuple("" if plain else unit_name(found, measurer.model.units) for found, plain in found_units)
