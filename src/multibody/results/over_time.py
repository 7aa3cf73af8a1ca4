"""Means over time of what is known at instants, evenly spaced or not."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def integral(t: Any, values: Any) -> float:
    """Return ∫ values dt by the trapezoidal rule over the intervals whose ends are both known.

    Parameters
    ----------
    t : array (instants,)
        Rising or falling, with any spacing.
    values : array (instants,)
        Intervals with a NaN at an end are left out.
    """
    widths, means = _intervals(t, values)
    return float(np.sum(widths * means))


def mean(t: Any, values: Any) -> float:
    """Return (1/T) ∫ values dt, T the length of the intervals that are known; of one instant its value, of none NaN."""
    widths, means = _intervals(t, values)
    whole = float(np.sum(widths))
    if whole > 0.0:
        return float(np.sum(widths * means)) / whole
    known = np.asarray(values, dtype=float)
    known = known[np.isfinite(known)]
    return float(np.mean(known)) if len(known) else math.nan


def rms(t: Any, values: Any) -> float:
    """Return √((1/T) ∫ values² dt), the root of the mean square over time."""
    numbers = np.asarray(values, dtype=float)
    size = float(np.max(np.abs(numbers[np.isfinite(numbers)]), initial=0.0))
    if size == 0.0:
        return math.nan if len(numbers) and not np.any(np.isfinite(numbers)) else 0.0
    return size * math.sqrt(mean(t, (numbers / size) ** 2))  # neither 1e-200 nor 1e200 is squared


def duration(t: Any, values: Any) -> float:
    """Return the length of the intervals whose ends are both known."""
    return float(np.sum(_intervals(t, values)[0]))


def _intervals(t: Any, values: Any) -> tuple[Floats, Floats]:
    """Return widths of the known intervals and the mean of the values at their ends."""
    times, numbers = np.asarray(t, dtype=float), np.asarray(values, dtype=float)
    widths, means = np.abs(np.diff(times)), 0.5 * (numbers[1:] + numbers[:-1])
    known = np.isfinite(means)
    return widths[known], means[known]
