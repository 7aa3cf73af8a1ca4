"""Keyframes: as few of the poses of a motion as interpolation needs to stay within a tolerance.

A channel is interpolated between its keys in a straight line (rotations on the great circle), or by cubics that have the
rates at the keys as slopes. Error falls with the square of the spacing, or with its fourth power: an interval whose error is
too large is cut into as many parts as that law asks for, until all are good. Of the two kinds the one with fewer bytes is
taken. A motion that is wilder than that allows for is given so many keys a second as a film has frames.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from multibody.view.between import hermite, slerp
from multibody.view.geometry import Floats

MOST_PARTS = 16  # that an interval is cut into at once

Rows = npt.NDArray[np.int64]
Between = Callable[[Rows, Rows, Floats], Floats]
"""Takes rows of the keys before and after, and the part of the way, to values."""


@dataclass(frozen=True)
class Keys:
    """The keys of a channel: rows of the samples, and whether cubics join them."""

    rows: Rows
    cubic: bool


def thinned(t: Floats, values: Floats, rates: Floats, tolerance: float, film: Rows, *, rotation: bool = False) -> Keys:
    """Return the keys of a channel.

    Parameters
    ----------
    t : array (n,)
        Strictly rising times of the samples.
    values, rates : arrays (n, m)
        With their time derivatives. Rotations are unit quaternions that change sign nowhere.
    tolerance : float
        Largest error of a value; of a rotation the angle [rad].
    film : array of int
        Rows that are taken where more would be needed.
    rotation : bool
    """
    if float(np.max(np.abs(values - values[0]))) == 0.0:
        return Keys(np.zeros(1, dtype=np.int64), False)

    def straight(i: Rows, j: Rows, s: Floats) -> Floats:
        return slerp(values[i], values[j], s) if rotation else values[i] + s[:, None] * (values[j] - values[i])

    def curved(i: Rows, j: Rows, s: Floats) -> Floats:
        made = hermite(s[:, None], values[i], values[j], rates[i] * (t[j] - t[i])[:, None], rates[j] * (t[j] - t[i])[:, None])
        return made / np.linalg.norm(made, axis=1, keepdims=True) if rotation else made

    scale = 2.0 if rotation else 1.0  # a quaternion differs by half the angle
    plain, rich = 1 + values.shape[1], 1 + 3 * values.shape[1]  # numbers of a key
    room = len(film) * plain
    cubics = _refined(t, values, curved, tolerance / scale, order=4, most=room // rich)
    room = room if cubics is None else min(room, len(cubics) * rich)
    lines = _refined(t, values, straight, tolerance / scale, order=2, most=room // plain)
    if lines is not None:
        return Keys(lines, False)
    return Keys(film, False) if cubics is None else Keys(cubics, True)


def _refined(t: Floats, values: Floats, between: Between, tolerance: float, order: int, most: int) -> Rows | None:
    """Return the rows of the keys: intervals with too large an error are cut until none is left; None if they are too many."""
    keys = np.array([0, len(t) - 1], dtype=np.int64)
    rows = np.arange(len(t))
    while True:
        k = np.clip(np.searchsorted(keys, rows, side="right") - 1, 0, len(keys) - 2)
        i, j = keys[k], keys[k + 1]
        errors = np.linalg.norm(between(i, j, (t - t[i]) / (t[j] - t[i])) - values, axis=1)
        worst = np.maximum.reduceat(errors, keys[:-1])
        wrong = np.flatnonzero((worst > tolerance) & (np.diff(keys) > 1))
        if len(keys) + len(wrong) > most:
            return None
        if len(wrong) == 0:
            return keys
        parts = np.clip(np.ceil((worst[wrong] / tolerance) ** (1.0 / order)), 2, MOST_PARTS).astype(int)
        cuts = [
            np.round(np.linspace(keys[w], keys[w + 1], p + 1)[1:-1]).astype(np.int64)
            for w, p in zip(wrong, parts, strict=True)
        ]
        keys = np.unique(np.concatenate([keys, *cuts]))


def output(values: Floats, rates: Floats, keys: Keys) -> Floats:
    """Return what a sampler gives out: values, of cubics slope before, value and slope behind each key (n, m)."""
    if not keys.cubic:
        return np.asarray(values[keys.rows])
    slopes = rates[keys.rows]
    return np.stack([slopes, values[keys.rows], slopes], axis=1).reshape(-1, values.shape[1])


def derivative(t: Floats, values: Floats) -> Any:
    """Return the rates of sampled values by differences of second order (n, m)."""
    return np.gradient(values, t, axis=0, edge_order=2 if len(t) > 2 else 1)
