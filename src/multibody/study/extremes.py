"""The largest value of a quantity over motions: on the instants, then between them where a motion is known there.

Parabolas through three instants tell how high peaks between them may be. The most promising are looked into: ten parts of the
two intervals around, twice, then the vertex of the parabola through the best three points. Where the quantity has a continuous
third derivative, what is left is of the order of a hundred-thousandth of what the instants alone leave.

All arrays have a row a member. Rows do not know each other: one alone gives the same digits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.intp]
Between = Callable[[Integers, Floats], Floats]
PARTS, ROUNDS = 10, 2
LOOKED_INTO = 3  # peaks
SAME = 1e-6  # of the interval: times that are nearer are one
HOPE = 4.0  # times as high above its instant as the parabola says may a narrow peak be


def largest(t: Floats, values: Floats, between: Between | None = None) -> tuple[Floats, Floats]:
    """Return when quantities are largest, and how large (members,); NaN where one has no value at an instant.

    Parameters
    ----------
    t : array (members, instants)
        Rising or falling.
    values : array (members, instants)
    between : callable, optional
        ``between(which, times)`` is the quantity of some members at other times of their motions (which, times), in the order
        of the instants.
    """
    rows, best, whole = np.arange(len(t)), np.argmax(values, axis=1), np.all(np.isfinite(values), axis=1)
    when, size = np.where(whole, t[rows, best], np.nan), np.where(whole, values[rows, best], np.nan)
    if between is None or t.shape[1] < 2:
        return when, size
    for k, hope in _peaks(t, values):
        which = np.flatnonzero(whole & (hope > size))
        if len(which) == 0:
            break
        found = _refined(t[which], values[which], k[which], which, between)
        higher = found[1] > size[which]
        when[which[higher]], size[which[higher]] = found[0][higher], found[1][higher]
    return when, size


def _peaks(t: Floats, values: Floats) -> list[tuple[Integers, Floats]]:
    """Return instants that are not below their neighbors, with the height that is hoped for there, highest first.

    Every entry has the instant and the height of each member, −∞ where it has no further one.
    """
    m, n = t.shape
    which, k = np.divmod(np.flatnonzero(_tops(values)), n)
    if n < 3:
        hopes = np.full(len(which), np.inf)
    else:
        around, own = _around(k, n)[:, None] + np.arange(3), values[which, k]
        # a top just beyond the end of the motion may lie just before it: the parabola is not the quantity
        top, height = _vertex(t[which[:, None], around], values[which[:, None], around], beyond=1.0)
        hopes = np.where(np.isfinite(top), own + HOPE * (height - own), -np.inf)
    order = np.lexsort((k, -hopes, which))  # of each member the highest first, of equal ones the earlier
    which, k, hopes = which[order], k[order], hopes[order]
    place = np.arange(len(which)) - np.searchsorted(which, which)
    instants, heights = np.zeros((LOOKED_INTO, m), dtype=np.intp), np.full((LOOKED_INTO, m), -np.inf)
    few = place < (LOOKED_INTO if n > 2 else 1)
    instants[place[few], which[few]], heights[place[few], which[few]] = k[few], hopes[few]
    return list(zip(instants, heights, strict=True))


def _tops(values: Floats) -> npt.NDArray[np.bool_]:
    """Return which values are not below their neighbors, and above one of them."""
    before, after = values[:, :-1], values[:, 1:]
    falls, rises, tops = before >= after, after >= before, np.ones(values.shape, dtype=bool)
    tops[:, :-1] = falls
    tops[:, 1:] &= rises
    level = falls & rises
    tops[:, 1:-1] &= ~(level[:, :-1] & level[:, 1:])
    return tops


def _around(k: Any, n: Any) -> Integers:
    """Return the first of three instants around one."""
    return np.asarray(np.minimum(np.maximum(k - 1, 0), np.maximum(n - 3, 0)))


def _refined(t: Floats, values: Floats, k: Integers, which: Integers, between: Between) -> tuple[Floats, Floats]:
    """Return time and size of the peaks near instants, one of each member in `which`."""
    n, rows = t.shape[1], np.arange(len(t))[:, None]
    sign = np.where(t[:, -1] > t[:, 0], 1.0, -1.0)[:, None]
    places = k[:, None] + np.arange(-1, 2)
    inside = (places >= 0) & (places < n)  # at an end of the motion there are two instants alone
    places = np.clip(places, 0, n - 1)
    times, sizes = np.where(inside, t[rows, places], np.nan), np.where(inside, values[rows, places], -np.inf)
    first, last = t[rows, places[:, :1]][:, 0], t[rows, places[:, 2:]][:, 0]
    going = np.arange(len(t))
    for _ in range(ROUNDS):
        step = (last[going] - first[going]) / PARTS
        inner = np.arange(1, PARTS) * step[:, None] + first[going, None]
        found = between(which[going], inner)
        good = np.all(np.isfinite(found), axis=1)
        going, inner, found = going[good], inner[good], found[good]
        if len(going) == 0:
            break
        span = np.abs(last[going] - first[going])[:, None]
        old = times[going]
        apart = np.min(np.abs(inner[:, None, :] - old[:, :, None]), axis=2) > SAME * span  # a point once; NaN is none
        every = np.hstack([np.where(apart, old, np.nan), inner])
        heights = np.hstack([np.where(apart, sizes[going], -np.inf), found])
        order = np.argsort(sign[going] * every, axis=1, kind="stable")  # NaN last
        own = np.arange(len(going))[:, None]
        every, heights = every[own, order], heights[own, order]
        best = _around(np.argmax(heights, axis=1), PARTS - 1 + np.sum(apart, axis=1))[:, None] + np.arange(3)
        times[going], sizes[going] = every[own, best], heights[own, best]
        first[going], last[going] = times[going, 0], times[going, 2]
    return _topped(times, sizes, which, between)


def _topped(times: Floats, sizes: Floats, which: Integers, between: Between) -> tuple[Floats, Floats]:
    """Return the highest of three points, or the vertex of the parabola through them where the quantity is higher there."""
    rows, j = np.arange(len(times)), np.argmax(sizes, axis=1)
    when, size = times[rows, j], sizes[rows, j]
    vertex, hope = _vertex(times, sizes)
    tried = np.flatnonzero(hope > size)  # NaN is not
    if len(tried):
        last = between(which[tried], vertex[tried, None])[:, 0]
        higher = last > size[tried]
        when[tried[higher]], size[tried[higher]] = vertex[tried[higher]], last[higher]
    return when, size


def _vertex(t: Floats, y: Floats, beyond: float = 0.0) -> tuple[Floats, Floats]:
    """Return the tops of parabolas through three points, NaN where they have none between them.

    Parameters
    ----------
    t, y : arrays (parabolas, 3)
        Where a point is missing there is no parabola.
    beyond : float
        How many intervals beyond the points it may lie.
    """
    with np.errstate(all="ignore"):
        a, b = t[:, 0] - t[:, 1], t[:, 2] - t[:, 1]
        p, q = y[:, 0] - y[:, 1], y[:, 2] - y[:, 1]
        curve = (p / a - q / b) / (a - b)
        slope = q / b - curve * b
        s = -0.5 * slope / curve
        good = (curve < 0.0) & (np.minimum(a, b) * (1.0 + beyond) <= s) & (s <= np.maximum(a, b) * (1.0 + beyond))
        top, height = t[:, 1] + s, y[:, 1] + s * (slope + curve * s)
    return np.where(good, top, np.nan), np.where(good, height, np.nan)
