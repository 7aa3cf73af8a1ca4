"""The largest value of a quantity over a motion: on the instants, then between them where the motion is known there.

Parabolas through three instants tell how high peaks between them may be. The most promising are looked into: ten parts of the
two intervals around, twice, then the vertex of the parabola through the best three points. Where the quantity has a continuous
third derivative, what is left is of the order of a hundred-thousandth of what the instants alone leave.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Between = Callable[[Floats], Floats]
PARTS, ROUNDS = 10, 2
LOOKED_INTO = 3  # peaks
SAME = 1e-6  # of the interval: times that are nearer are one
HOPE = 4.0  # times as high above its instant as the parabola says may a narrow peak be


def largest(t: Floats, values: Floats, between: Between | None = None) -> tuple[float, float]:
    """Return when a quantity is largest, and how large; NaN where it has no value at any instant.

    Parameters
    ----------
    t : array (instants,)
        Rising or falling.
    values : array (instants,)
    between : callable, optional
        ``between(times)`` is the quantity at other times of the motion, in the order of the instants.
    """
    known = np.isfinite(values)
    if not np.any(known):
        return float("nan"), float("nan")
    best = int(np.nanargmax(np.where(known, values, -np.inf)))
    when, size = float(t[best]), float(values[best])
    if between is None or len(t) < 2 or not np.all(known):
        return when, size
    for k, hope in _peaks(t, values):
        if hope <= size:
            break
        found = _refined(t, values, k, between)
        if found[1] > size:
            when, size = found
    return when, size


def _peaks(t: Floats, values: Floats) -> list[tuple[int, float]]:
    """Return the instants that are not below their neighbors, with the height that is hoped for there, highest first."""
    n = len(t)
    padded = np.concatenate([[-np.inf], values, [-np.inf]])
    tops = np.flatnonzero((values >= padded[:-2]) & (values >= padded[2:]) & ((values > padded[:-2]) | (values > padded[2:])))
    hopes = []
    for k in map(int, tops):
        # a top just beyond the end of the motion may lie just before it: the parabola is not the quantity
        top, height = _vertex(t[_around(k, n)], values[_around(k, n)], beyond=1.0)
        hopes.append((k, float(values[k] + HOPE * (height - values[k])) if math.isfinite(top) else -math.inf))
    if n < 3:
        return [(k, math.inf) for k, _ in hopes[:1]]
    return sorted(hopes, key=lambda item: -item[1])[:LOOKED_INTO]


def _around(k: int, n: int) -> slice:
    """Return an instant with its neighbors, three in all where there are."""
    first = min(max(k - 1, 0), max(n - 3, 0))
    return slice(first, min(first + 3, n))


def _refined(t: Floats, values: Floats, k: int, between: Between) -> tuple[float, float]:
    """Return time and size of the peak near an instant."""
    times, sizes = t[max(k - 1, 0) : k + 2], values[max(k - 1, 0) : k + 2]
    for _ in range(ROUNDS):
        inner = np.linspace(times[0], times[-1], PARTS + 1)[1:-1]
        found = between(inner)
        if not np.all(np.isfinite(found)):
            break
        apart = [np.min(np.abs(inner - time)) > SAME * abs(times[-1] - times[0]) for time in times]  # a point once
        times, sizes = np.concatenate([times[apart], inner]), np.concatenate([sizes[apart], found])
        order = np.argsort(times if t[-1] > t[0] else -times)
        times, sizes = times[order], sizes[order]
        best = _around(int(np.argmax(sizes)), len(times))
        times, sizes = times[best], sizes[best]
    j = int(np.argmax(sizes))
    vertex, hope = _vertex(times, sizes)
    if hope > sizes[j]:  # NaN is not
        last = float(between(np.array([vertex]))[0])
        if last > sizes[j]:
            return vertex, last
    return float(times[j]), float(sizes[j])


def _vertex(t: Floats, y: Floats, beyond: float = 0.0) -> tuple[float, float]:
    """Return the top of the parabola through three points, NaN where it has none between them.

    Parameters
    ----------
    t, y : arrays (3,)
        With fewer points there is no parabola.
    beyond : float
        How many intervals beyond the points it may lie.
    """
    if len(t) < 3:
        return math.nan, math.nan
    a, b = float(t[0] - t[1]), float(t[2] - t[1])
    p, q = float(y[0] - y[1]), float(y[2] - y[1])
    curve = (p / a - q / b) / (a - b)
    slope = q / b - curve * b
    s = -0.5 * slope / curve if curve < 0.0 else math.nan
    if not min(a, b) * (1.0 + beyond) <= s <= max(a, b) * (1.0 + beyond):
        return math.nan, math.nan
    return float(t[1] + s), float(y[1] + s * (slope + curve * s))
