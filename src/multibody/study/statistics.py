"""What the numbers of many members say together: means, spreads, percentiles."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from multibody.arguments import number_in, short
from multibody.errors import ModelError
from multibody.study.distributions import Floats

PERCENTILES = (5.0, 25.0, 50.0, 75.0, 95.0)
_FIRST = re.compile(r"\bfirst\b(?=\s*\(|\s+\w)")  # of an event, which need not happen; a body may be called so too


def known(values: Floats) -> Floats:
    """Return the values that are numbers."""
    return values[np.isfinite(values)]


def without_a_number(texts: Sequence[str], outputs: Floats, which: Sequence[int]) -> dict[int, str]:
    """Return which of some members has an output that is no number although it was computed, and which output that is.

    A division by zero, the logarithm of a negative number. The time of an event that does not happen is none, as it says.
    """
    counted = [k for k, text in enumerate(texts) if not _FIRST.search(text)]
    found: dict[int, str] = {}
    for member in which:
        for k in counted:
            if not np.isfinite(outputs[member, k]):
                found[int(member)] = f'output "{texts[k]}" is no number here ({outputs[member, k]:g})'
                break
    return found


def mean(values: Floats) -> float:
    """Return the mean of the values that are numbers, NaN of none."""
    found = known(values)
    return float(np.mean(found)) if len(found) else float("nan")


def sd(values: Floats) -> float:
    """Return the standard deviation of a sample, with n − 1 in the denominator; NaN of fewer than two values."""
    found = known(values)
    return float(np.std(found, ddof=1)) if len(found) > 1 else float("nan")


def percentiles(values: Floats, parts: Floats) -> Floats:
    """Return the values below which parts [%] of them lie, linear between neighbors; NaN of none."""
    found = known(values)
    return np.percentile(found, parts) if len(found) else np.full(len(parts), np.nan)


def read_parts(parts: Sequence[float] | float) -> Floats:
    """Return percentages, checked."""
    given: Any = [parts] if not isinstance(parts, Sequence | np.ndarray) or isinstance(parts, str) else parts
    found = np.array([number_in(x) for x in given])
    if len(found) == 0 or not np.all((found >= 0.0) & (found <= 100.0)):
        raise ModelError(f"{short(parts)} are no percentages", where="study.percentiles", hint="give numbers from 0 to 100")
    return found
