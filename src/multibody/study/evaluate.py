"""The numbers of members: reductions of their values over time, and what the outputs make of them; some members at once.

Extremes lie on the motion between the instants where it is known there. Means and integrals follow the trapezoidal rule on the
instants; with h their spacing the error is of the order of h². At a time between the instants the motion itself is read.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from multibody.model.dimensions import TIME, Found, product, unit_name
from multibody.model.dimensions import dimension_of as dimension_in
from multibody.model.expressions import Expression, Number, evaluate
from multibody.results import over_time
from multibody.study.distributions import Floats
from multibody.study.extremes import Integers, largest
from multibody.study.language import CERTIFICATE, EXTREMES, Outputs, Reduction
from multibody.study.readings import Answers, Reading

MEANS: dict[str, Callable[[Floats, Floats], Floats]] = {
    "mean": over_time.means, "rms": over_time.roots, "integral": over_time.integrals,
}  # fmt: skip


class Evaluator:
    """Evaluates reductions on the answers of some members; each as if it were alone.

    Parameters
    ----------
    outputs : Outputs
    answers : Answers
        With one instant at least.
    refine : bool
        Whether extremes are sought between the instants.
    """

    def __init__(self, outputs: Outputs, answers: Answers, refine: bool) -> None:
        self.outputs, self.answers, self.refine = outputs, answers, refine
        self.splines = answers.splines()
        self.every = np.arange(len(answers.times))
        self.found: list[Floats] = []
        self._series: dict[Number, Floats] = {}
        self._extremes: dict[tuple[Number, int], tuple[Floats, Floats]] = {}

    def numbers(self) -> Floats:
        """Return all outputs (members, outputs)."""
        self.found = []
        for reduction in self.outputs.reductions:
            self.found.append(self._reduced(reduction))
        return np.stack([self.number(formula) for formula in self.outputs.formulas], axis=1)

    def number(self, formula: Number) -> Floats:
        """Return a formula of reductions and parameters (members,)."""
        value = formula if not isinstance(formula, Expression) else evaluate(formula, self._constant, self.splines)
        return np.broadcast_to(np.asarray(value, dtype=float), self.every.shape)

    def _constant(self, parts: tuple[str, ...]) -> Floats:
        """Return a reduction that is known, or a parameter."""
        return self.found[int(parts[0][1:])] if parts[0].startswith("#") else self.answers.parameter(parts)

    def _values(self, formula: Number, answers: Answers, which: Integers) -> Floats:
        """Return a formula of paths at all instants of answers of these members (members, instants)."""
        m, n = answers.times.shape

        def lookup(parts: tuple[str, ...]) -> object:
            return np.repeat(self.found[int(parts[0][1:])][which], n) if parts[0].startswith("#") else answers.lookup(parts)

        value = formula if not isinstance(formula, Expression) else evaluate(formula, lookup, self.splines)
        return np.broadcast_to(np.asarray(value, dtype=float), (m * n,)).reshape(m, n)

    def _reduced(self, reduction: Reduction) -> Floats:
        """Return one reduction (members,)."""
        word, t = reduction.word, self.answers.times
        if word == "first":
            return self.answers.first(reduction.event)
        if word == CERTIFICATE:
            return self.answers.certificate(reduction.event)
        if word == "at":
            return self._at(reduction)
        values = self._over_time(reduction.formula)
        if word in EXTREMES:
            time, size = self._extreme(reduction.formula, values, -1 if word.endswith("min") else 1)
            return time if word.startswith("time") else size
        if word == "final":
            return np.array(values[:, -1])
        known = np.all(np.isfinite(values), axis=1)
        return np.where(known, MEANS[word](t, np.where(known[:, None], values, 0.0)), np.nan)

    def _over_time(self, formula: Number) -> Floats:
        """Return a formula at the instants, evaluated once."""
        if formula not in self._series:
            self._series[formula] = self._values(formula, self.answers, self.every)
        return self._series[formula]

    def _extreme(self, formula: Number, values: Floats, sign: int) -> tuple[Floats, Floats]:
        """Return time and value of the largest (sign 1) or smallest (−1) value; found once for both questions."""
        key, looked = (formula, sign), self.refine and self.answers.known_between
        if key not in self._extremes:
            between, signed = self._signed(formula, sign) if looked else None, values if sign > 0 else -values
            time, size = largest(self.answers.times, signed, between)
            self._extremes[key] = (time, sign * size)
        return self._extremes[key]

    def _signed(self, formula: Number, sign: int) -> Callable[[Integers, Floats], Floats]:
        """Return the formula as a function of members and times, NaN where a motion between the instants is not known."""

        def between(which: Integers, times: Floats) -> Floats:
            answers = self.answers.between(which, times)
            return np.full(times.shape, np.nan) if answers is None else sign * self._values(formula, answers, which)

        return between

    def _at(self, reduction: Reduction) -> Floats:
        """Return a formula at one time of each member; NaN where a motion does not get there."""
        t, time = self.answers.times, self.number(reduction.time)
        values, found = self._over_time(reduction.formula), np.full(len(t), np.nan)
        low, high = np.minimum(t[:, 0], t[:, -1]), np.maximum(t[:, 0], t[:, -1])
        same = t == time[:, None]
        on = np.any(same, axis=1)
        found[on] = values[on, np.argmax(same[on], axis=1)]
        off = np.flatnonzero((low <= time) & (time <= high) & ~on)
        if len(off) == 0:
            return found
        answers = self.answers.between(off, time[off, None])
        if answers is not None:
            found[off] = self._values(reduction.formula, answers, off)[:, 0]
            return found
        for k in off:
            order = slice(None) if t[k, -1] > t[k, 0] else slice(None, None, -1)
            found[k] = np.interp(time[k], t[k, order], values[k, order])
        return found


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
        elif reduction.word == CERTIFICATE:
            known.append(of(1.0))
        elif reduction.word == "integral":
            found, _ = of(reduction.formula)
            known.append((product(found, TIME), False))
        else:
            known.append(of(reduction.formula))
    found_units = (of(formula) for formula in outputs.formulas)
    return tuple("" if plain else unit_name(found, measurer.model.units) for found, plain in found_units)
