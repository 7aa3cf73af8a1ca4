"""Piecewise polynomials of time: splines through points, and straight lines with trapezoids of speed."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from multibody.errors import ModelError
from multibody.state.system import Floats

WHERE = "trajectory"


class Pieces(NamedTuple):
    """Polynomials in consecutive intervals; constant outside.

    Attributes
    ----------
    times : array (K + 1)
    coefficients : array (K, n, degree + 1)
        From the constant on, of the time since the interval began.
    """

    times: Floats
    coefficients: Floats

    def value(self, at: Floats, order: int) -> Floats:
        """Return a derivative at times, (N, n); at an instant between two polynomials that of the later one."""
        inside = np.clip(at, self.times[0], self.times[-1])
        k = np.clip(np.searchsorted(self.times, inside, side="right") - 1, 0, len(self.coefficients) - 1)
        s = (inside - self.times[k])[:, None]
        out = np.zeros((len(at), self.coefficients.shape[1]))
        for power in range(self.coefficients.shape[2] - 1, order - 1, -1):
            out = out * s + math.perm(power, order) * self.coefficients[k, :, power]
        if order:
            out[(at < self.times[0]) | (at > self.times[-1])] = 0.0
        return out

    def peaks(self, order: int) -> Floats:
        """Return the largest magnitude of a derivative of each coordinate (n), from ends of pieces and where it turns back."""
        most = np.zeros(self.coefficients.shape[1])
        factors = [math.perm(power, order) for power in range(order, self.coefficients.shape[2])]
        for piece, length in zip(self.coefficients, np.diff(self.times), strict=True):
            for j, row in enumerate(piece):
                curve = np.polynomial.Polynomial(row[order:] * factors)
                roots: Any = curve.deriv().roots() if curve.degree() > 0 else ()
                inside = [float(x.real) for x in roots if abs(x.imag) <= 1e-9 * length and 0.0 < x.real < length]
                most[j] = np.max(np.abs([most[j], *(float(curve(x)) for x in [0.0, float(length), *inside])]))
        return most

    def slower(self, factor: float, start: float) -> Pieces:
        """Return the same path in `factor` times the time, beginning at `start`."""
        powers = factor ** -np.arange(self.coefficients.shape[2])
        return Pieces(start + factor * (self.times - self.times[0]), self.coefficients * powers)


# --- splines ----------------------------------------------------------------------------------------------------------------
def spline_pieces(
    q: Floats, at: Floats | None, degree: int, speed: Floats, change: Floats, start: float, names: Sequence[str]
) -> Pieces:
    """Return a spline through points, at rest at its ends; of degree five without acceleration there too.

    Parameters
    ----------
    at : array (K), optional
        When it is there; default as early as the limits allow, times in proportion to what the slowest coordinate needs.
    """
    if at is not None:
        found = _spline(q, at, degree)
        for peak, limit, name in ((found.peaks(1), speed, "vmax"), (found.peaks(2), change, "amax")):
            over = np.flatnonzero(peak > limit * (1.0 + 1e-12))
            if over.size:
                k = int(over[0])
                who = names[k] if len(names) else f"coordinate {k}"
                raise ModelError(
                    f"{who} comes to {peak[k]:.6g}, above {name} = {limit[k]:.6g}", where=WHERE,
                    hint="give later times, or none, and it takes the earliest",
                )  # fmt: skip
        return found
    if not (np.isfinite(speed).any() or np.isfinite(change).any()):
        raise ModelError("times are missing", where=WHERE, hint="give times, or vmax and amax to be as early as they allow")
    away = np.abs(np.diff(q, axis=0))
    lasts = np.maximum((away / speed).max(axis=1), np.sqrt(away / change).max(axis=1))
    if not np.all(lasts > 0.0):
        k = int(np.flatnonzero(~(lasts > 0.0))[0])
        hint = "leave one out, limit all coordinates, or give times"
        raise ModelError(f"points {k} and {k + 1} take no time", where=WHERE, hint=hint)
    found = _spline(q, np.concatenate([[0.0], np.cumsum(lasts)]), degree)
    # the same path k times slower has 1/k of its speeds and 1/k² of its accelerations
    factor = max(float((found.peaks(1) / speed).max()), math.sqrt(float((found.peaks(2) / change).max())))
    return found.slower(factor, start)


def _spline(q: Floats, at: Floats, degree: int) -> Pieces:
    """Return the spline of a degree whose first derivatives (of degree five, the second ones too) are zero at its ends."""
    from scipy.interpolate import make_interp_spline  # costs import time

    zero = np.zeros(q.shape[1])
    ends = [(order, zero) for order in range(1, (degree + 1) // 2)]
    # in units of the mean interval the equations are well conditioned, whatever the unit of time
    unit = (at[-1] - at[0]) / (len(at) - 1)
    x = (at - at[0]) / unit
    both: Any = (ends, ends)
    curve = make_interp_spline(x, q, k=degree, bc_type=both)
    rows = [curve(x[:-1], nu=order) / math.factorial(order) / unit**order for order in range(degree + 1)]
    for order in range(1, (degree + 1) // 2):
        rows[order][0] = 0.0  # not only to rounding
    rows[0] = q[:-1]
    return Pieces(at.copy(), np.ascontiguousarray(np.stack(rows, axis=-1)))


# --- straight lines ---------------------------------------------------------------------------------------------------------
def line_pieces(q: Floats, at: Floats | None, speed: Floats, change: Floats, start: float) -> Pieces:
    """Return straight lines from rest to rest between points, all coordinates together, in the least time or in given times."""
    if not np.isfinite(change).all() or (at is None and not np.isfinite(speed).all()):
        raise ModelError(
            "a trapezoidal trajectory has limits", where=WHERE, hint="give vmax and amax, or times and amax, of all coordinates"
        )
    times, rows = [start if at is None else float(at[0])], []
    for k, (a, b) in enumerate(itertools.pairwise(q)):
        away = b - a
        moves = away != 0.0
        if not moves.any():
            if at is None:
                raise ModelError(f"points {k} and {k + 1} are the same", where=WHERE, hint="leave one out, or give times")
            times.append(float(at[k + 1]))
            rows.append(np.column_stack([a, 0.0 * a, 0.0 * a]))
            continue
        fastest, sharpest = (float(np.min(limit[moves] / np.abs(away[moves]))) for limit in (speed, change))
        rise, cruise = _trapezoid(fastest, sharpest, None if at is None else float(at[k + 1] - at[k]), k)
        top = 1.0 / (rise + cruise)
        for lasts, s, v, acceleration in (
            (rise, 0.0, 0.0, top / rise),
            (cruise, 0.5 * top * rise, top, 0.0),
            (rise, 1.0 - 0.5 * top * rise, top, -top / rise),
        ):
            if lasts > 0.0:
                rows.append(np.column_stack([a + s * away, v * away, 0.5 * acceleration * away]))
                times.append(times[-1] + lasts)
        if at is not None:
            times[-1] = float(at[k + 1])
    return Pieces(np.array(times), np.array(rows))


def _trapezoid(speed: float, change: float, lasts: float | None, k: int) -> tuple[float, float]:
    """Return how long a way of length 1 accelerates and how long it keeps its speed."""
    if lasts is None:
        rise = min(speed / change, math.sqrt(1.0 / change))
        return rise, max(1.0 / (change * rise) - rise, 0.0)
    square = lasts * lasts - 4.0 / change
    least = math.sqrt(1.0 / change) * 2.0 if speed * speed >= change else 1.0 / speed + speed / change
    if square < -1e-12 * lasts * lasts or lasts < least * (1.0 - 1e-12):
        raise ModelError(
            f"from point {k} to point {k + 1} it takes {least:.6g}, and has {lasts:.6g}", where=WHERE,
            hint="give later times, or higher limits",
        )  # fmt: skip
    rise = 0.5 * (lasts - math.sqrt(max(square, 0.0)))
    return rise, max(lasts - 2.0 * rise, 0.0)
