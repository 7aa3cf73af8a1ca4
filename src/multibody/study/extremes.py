"""The largest value of a quantity over a motion: on the instants, then between them where the motion is known there.

Parabolas through three instants tell how high peaks between them may be. The most promising are looked into: ten parts of the
two intervals around, twice, then the vertex of the parabola through the last three points. Where the quantity has a continuous
third derivative, what is left is of the order of a hundred-thousandth of what the instants alone leave.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Between = Callable[[Floats], Floats]
PARTS, ROUNDS = 10, 2
LOOKED_INTO = 3  # peaks
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
    tall = {k: _vertex(t[_around(k, n)], values[_around(k, n)])[1] for k in map(int, tops)}
    hopes = [(k, float(values[k] + HOPE * (height - values[k]))) for k, height in tall.items()]
    return sorted(hopes, key=lambda item: -item[1])[:LOOKED_INTO]


def _around(k: int, n: int) -> slice:
    """Return an instant with its neighbors, three in all where there are."""
    first = min(max(k - 1, 0), max(n - 3, 0))
    return slice(first, min(first + 3, n))


def _refined(t: Floats, values: Floats, k: int, between: Between) -> tuple[float, float]:
    """Return time and size of the peak near an instant."""
    low, high = float(t[max(k - 1, 0)]), float(t[min(k + 1, len(t) - 1)])
    when, size = float(t[k]), float(values[k])
    for _ in range(ROUNDS):
        times = np.linspace(low, high, PARTS + 1)
        inner = between(times[1:-1])
        if not np.all(np.isfinite(inner)):
            return when, size
        j = int(np.argmax(inner))
        if inner[j] > size:
            when, size = float(times[1 + j]), float(inner[j])
        width = (high - low) / PARTS
        low, high = _clipped(when - width, low, high), _clipped(when + width, low, high)
    middle = 0.5 * (low + high)
    three = np.array([low, middle, high])
    vertex, _ = _vertex(three, between(three))
    last = float(between(np.array([_clipped(vertex, low, high)]))[0])
    return (_clipped(vertex, low, high), last) if last > size else (when, size)


def _clipped(x: float, a: float, b: float) -> float:
    """Return x, or the end of the range from a to b, in either direction, that it lies beyond."""
    return min(max(x, min(a, b)), max(a, b))


def _vertex(t: Floats, y: Floats) -> tuple[float, float]:
    """Return the top of the parabola through three points; the highest point where it has none between them."""
    k = int(np.argmax(y))
    if len(t) < 3:
        return float(t[k]), float(y[k])
    a, b = float(t[0] - t[1]), float(t[2] - t[1])
    p, q = float(y[0] - y[1]), float(y[2] - y[1])
    curve = (p / a - q / b) / (a - b)
    slope = q / b - curve * b
    if not curve < 0.0:
        return float(t[k]), float(y[k])
    s = -0.5 * slope / curve
    if not min(a, b) <= s <= max(a, b):
        return float(t[k]), float(y[k])
    return float(t[1] + s), float(max(y[1] + s * (slope + curve * s), y[k]))
