"""Sobol' indices: how much of the variance of an output each parameter explains, alone and with all that it takes part in.

With f at the rows a, b and ab_i (a with its i-th number from b) of a Saltelli plan, the first-order index is estimated by
mean(f_b (f_abi − f_a)) / V (Saltelli and others 2010) and the total one by mean((f_a − f_abi)²) / 2V (Jansen 1999), V the
variance of f over a and b; f is centered first, which changes nothing in the mean and much in the spread.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from multibody.study.distributions import Floats

RESAMPLES = 200  # of the bootstrap
NORMAL_95 = 1.959963984540054  # half width of the middle 95 % of a normal distribution, in standard deviations
FLAT = 1e-12  # spread over size below which an output does not vary


@dataclass(frozen=True)
class Indices:
    """Indices of one output.

    Attributes
    ----------
    first, total : arrays (varied,)
        NaN where the output does not vary.
    first_error, total_error : arrays (varied,)
        Half widths of 95 % confidence intervals, by bootstrap.
    count : int
        Base samples all of whose members are done.
    """

    first: Floats
    total: Floats
    first_error: Floats
    total_error: Floats
    count: int


def sobol_indices(values: Floats, seed: int = 0) -> Indices:
    """Return the Sobol' indices of an output.

    Parameters
    ----------
    values : array (base samples, varied + 2)
        The output at a, b, ab_1, ab_2, …; base samples with a NaN are left out.
    seed : int
        Of the bootstrap.
    """
    known = values[np.all(np.isfinite(values), axis=1)]
    d, n = values.shape[1] - 2, len(known)
    nothing = np.full(d, np.nan)
    if n < 2 or np.ptp(known[:, :2]) <= FLAT * np.max(np.abs(known[:, :2])):
        return Indices(nothing, nothing, nothing, nothing, n)
    first, total = _estimated(known)
    rng = np.random.default_rng(seed)
    again = np.array([_estimated(known[rng.integers(0, n, n)]) for _ in range(RESAMPLES)])
    spread = NORMAL_95 * np.nanstd(again, axis=0, ddof=1)
    return Indices(first, total, spread[0], spread[1], n)


def _estimated(f: Floats) -> tuple[Floats, Floats]:
    """Return first-order and total indices."""
    f = f - np.mean(f[:, :2])
    a, b, ab = f[:, :1], f[:, 1:2], f[:, 2:]
    variance = np.var(f[:, :2])
    with np.errstate(all="ignore"):
        return np.mean(b * (ab - a), axis=0) / variance, 0.5 * np.mean((a - ab) ** 2, axis=0) / variance
