"""Means over time of what is known at instants, evenly spaced or not."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def integrals(t: Any, values: Any) -> Floats:
    """Return ∫ values dt by the trapezoidal rule over the intervals whose ends are both known, along the last axis.

    Parameters
    ----------
    t : array (..., instants)
        Rising or falling, with any spacing.
    values : array (..., instants)
        Intervals with a NaN at an end are left out.
    """
    widths, means = _intervals(t, values)
    return np.asarray(np.sum(widths * means, axis=-1))


def means(t: Any, values: Any) -> Floats:
    """Return (1/T) ∫ values dt, T the length of the intervals that are known; of one instant its value, of none NaN."""
    widths, middles = _intervals(t, values)
    whole, total = np.sum(widths, axis=-1), np.sum(widths * middles, axis=-1)
    known = np.isfinite(np.asarray(values, dtype=float))
    count = np.sum(known, axis=-1)
    with np.errstate(all="ignore"):
        alone = np.sum(np.where(known, values, 0.0), axis=-1) / count
        return np.asarray(np.where(whole > 0.0, total / whole, np.where(count > 0, alone, np.nan)))


def roots(t: Any, values: Any) -> Floats:
    """Return √((1/T) ∫ values² dt), the root of the mean square over time."""
    numbers = np.asarray(values, dtype=float)
    known = np.isfinite(numbers)
    size = np.max(np.abs(np.where(known, numbers, 0.0)), axis=-1, initial=0.0)
    scaled = numbers / np.where(size > 0.0, size, 1.0)[..., None]  # neither 1e-200 nor 1e200 is squared
    found = np.where(size > 0.0, size * np.sqrt(means(t, scaled**2)), 0.0)
    nothing = (numbers.shape[-1] > 0) & ~np.any(known, axis=-1)
    return np.asarray(np.where(nothing, np.nan, found))


def integral(t: Any, values: Any) -> float:
    """Return ∫ values dt of one quantity, see :func:`integrals`."""
    return float(integrals(t, values))


def mean(t: Any, values: Any) -> float:
    """Return the mean of one quantity over time, see :func:`means`."""
    return float(means(t, values))


def rms(t: Any, values: Any) -> float:
    """Return the root of the mean square of one quantity over time, see :func:`roots`."""
    return float(roots(t, values))


def duration(t: Any, values: Any) -> float:
    """Return the length of the intervals whose ends are both known."""
    return float(np.sum(_intervals(t, values)[0]))


def _intervals(t: Any, values: Any) -> tuple[Floats, Floats]:
    """Return widths of intervals and the mean of the values at their ends, both 0 where that is not known."""
    times, numbers = np.asarray(t, dtype=float), np.asarray(values, dtype=float)
    widths, middles = np.abs(np.diff(times, axis=-1)), 0.5 * (numbers[..., 1:] + numbers[..., :-1])
    known = np.isfinite(middles)
    return np.where(known, widths, 0.0), np.where(known, middles, 0.0)
