"""Products of small matrices and vectors, of one or of many (..., d, d): the same digits for both.

NumPy's own product hands large stacks and single matrices to different code, and a last digit may differ.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def times(A: Floats, B: Floats) -> Floats:
    """Return A B of matrices (..., d, d)."""
    total = A[..., :, 0, None] * B[..., None, 0, :]
    for k in range(1, A.shape[-1]):
        total = total + A[..., :, k, None] * B[..., None, k, :]
    return np.asarray(total)


def across(A: Floats, B: Floats) -> Floats:
    """Return Aᵀ B of matrices (..., d, d)."""
    return times(np.swapaxes(A, -1, -2), B)


def turned(A: Floats, s: Floats) -> Floats:
    """Return A s of matrices (..., d, d) and vectors (..., d)."""
    total = A[..., :, 0] * s[..., 0, None]
    for k in range(1, A.shape[-1]):
        total = total + A[..., :, k] * s[..., k, None]
    return np.asarray(total)


def turned_back(A: Floats, s: Floats) -> Floats:
    """Return Aᵀ s of matrices (..., d, d) and vectors (..., d)."""
    return turned(np.swapaxes(A, -1, -2), s)


def dot(a: Floats, b: Floats) -> Floats:
    """Return a·b of vectors (..., d)."""
    total = a[..., 0] * b[..., 0]
    for k in range(1, a.shape[-1]):
        total = total + a[..., k] * b[..., k]
    return np.asarray(total)
