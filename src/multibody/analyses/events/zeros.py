"""Zeros of watched expressions: whether a sign changed in a step, and when."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

MOST = 10_000  # occurrences of one expression before a run is stopped
ROUNDING = 1e-10  # a value at the start that is smaller than so much of the one behind the first step is zero


def changed(before: float, after: float) -> bool:
    """Return whether a watched value changed its sign in a step."""
    return bool(before * after < 0.0 or (after == 0.0 and before != 0.0))


def begins_at_zero(first: Any, second: Any) -> Any:
    """Return whether watched values at the start of a motion are zero but for rounding: they do not come to zero then.

    Parameters
    ----------
    first, second : float or array
        Values at the start, and behind the first step.
    """
    return np.abs(first) <= ROUNDING * np.abs(second)


def zero_of(value: Callable[[float], float], start: float, h: float, a: float, b: float) -> float:
    """Return the first instant behind a change of sign, to the resolution of time.

    Parameters
    ----------
    value : callable
        What changes its sign, at a time.
    start, h : float
        Beginning and length of the step.
    a, b : float
        The values at its ends.
    """
    low, high, sign = 0.0, 1.0, np.sign(a)
    for iteration in range(200):
        middle = 0.5 * (low + high)
        if iteration % 3 and a != b:  # false position, with a halving every third time
            middle = min(max(low + (high - low) * a / (a - b), low + 0.01 * (high - low)), high - 0.01 * (high - low))
        if middle in (low, high) or high - low < 1e-15 or abs(h) * (high - low) < 4e-16 * max(abs(start), abs(h)):
            break
        now = value(start + middle * h)
        if np.sign(now) == sign:
            low, a = middle, now
        else:
            high, b = middle, now
    return start + high * h
