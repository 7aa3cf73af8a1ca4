"""Zeros of watched expressions: whether a sign changed in a step, and when."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from multibody.integrators import zeros as compiled

_kernels: Any = compiled  # the text of its kernels is what is called here
changed, _between, _resolved = (kernel.py_func for kernel in (_kernels.changed, _kernels.between, _kernels.resolved))


def begins_at_zero(first: Any, second: Any) -> Any:
    """Return whether watched values at the start of a motion are zero but for rounding: they do not come to zero then.

    Parameters
    ----------
    first, second : float or array
        Values at the start, and behind the first step.
    """
    return np.abs(first) <= compiled.ROUNDING * np.abs(second)


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
    for iteration in range(compiled.HALVINGS):
        middle = _between(iteration, low, high, a, b)
        if _resolved(middle, low, high, start, h):
            break
        now = value(start + middle * h)
        if np.sign(now) == sign:
            low, a = middle, now
        else:
            high, b = middle, now
    return start + high * h
