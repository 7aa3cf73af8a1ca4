"""Whether whatever is free in members has a mass, where some of their bodies have none: all members at once.

Digits do not matter here: what is near the limit of ``run_start.require_inertia`` is asked of that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from multibody.analyses.members.numbers import Numbers
from multibody.state.system import Flags, Floats, Integers
from multibody.tables.lower import Tables

if TYPE_CHECKING:
    from multibody.analyses.members.batch import Batch

SURE = 1e-10  # smallest eigenvalue of M/size + JᵀJ; the limit is 1e-13


def surely_has_inertia(b: Batch, n: int, rows: Integers, start: float, numbers: Numbers) -> Flags:
    """Return which of the first members have no direction that is free and without mass, beyond doubt.

    Parameters
    ----------
    b : Batch
        Its members are assembled.
    n : int
    rows : array of int
        Independent ones.
    start : float
        Time.
    numbers : Numbers
    """
    tables, every, references = b.tables, np.arange(n), np.ascontiguousarray(b.begin_refs[:n, None, :])
    count = tables.count_joint + tables.count_motion
    entries = b.entries(every, np.full((n, 1), start), np.ascontiguousarray(b.Q[:n, None, :]), references)[:, 0]
    row_of = np.repeat(np.arange(count), np.diff(tables.row_pointer[: count + 1]))
    row_scale, column_scale = np.zeros((n, count)), np.zeros((n, tables.nv))
    numbers.scales(b.numbers[:n], row_scale, column_scale)
    flat = np.zeros((count * tables.nv, n))
    np.add.at(flat, row_of * tables.nv + tables.columns[: len(row_of)], entries.T)
    J = (row_scale[:, :, None] * flat.T.reshape(n, count, tables.nv) * column_scale[:, None, :])[:, rows]
    M = _masses(tables, b.numbers[:n]) * column_scale[:, :, None] * column_scale[:, None, :]
    size = np.trace(M, axis1=1, axis2=2) / max(tables.nv, 1)
    known = np.isfinite(J).all(axis=(1, 2)) & (size > 0.0)
    J[~known], M[~known], size[~known] = 0.0, 0.0, 1.0
    least = np.linalg.eigvalsh(M / size[:, None, None] + np.swapaxes(J, 1, 2) @ J)[:, 0]
    return np.asarray(known & (least > SURE))


def _masses(tables: Tables, numbers: Floats) -> Floats:
    """Return M of members (members, nv, nv), body axes for rotations."""
    M, d, width = np.zeros((len(numbers), tables.nv, tables.nv)), tables.dimension, tables.width
    for body, slots in enumerate(tables.masses):
        at = width * body
        for k in range(at, at + d):
            M[:, k, k] = numbers[:, slots.mass]
        size = width - d
        M[:, at + d : at + width, at + d : at + width] = numbers[:, slots.inertia : slots.inertia + size * size].reshape(
            -1, size, size
        )
    return M
