"""Idle freedom: motions of a single body between others that move nothing else, such as the spin of an RSSR coupler."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from multibody.rank.elimination import Matrix
from multibody.state.system import Floats, System, row_vertices

VANISHES = 1e-8


def idle_motions(system: System, J: Any) -> list[tuple[int, Floats]]:
    """Return (body, basis of its idle twists) of every body that is jointed to two others or more and has such motions.

    Parameters
    ----------
    system : System
    J : array or sparse matrix
        Scaled Jacobian of the joint rows at a pose; with further rows, what is idle beside these too.

    Returns
    -------
    list of (int, array (width, k))
        Columns are twists (δr/L in ground axes, δπ′ in body axes).
    """
    width, bodies = system.tables.width, len(system.tables.bodies)
    others: dict[int, set[int]] = {}
    for vertices in row_vertices(system)[: system.joint_rows]:
        for v in vertices:
            others.setdefault(v, set()).update(w for w in vertices if w != v and w < bodies)
    columns = J if isinstance(J, np.ndarray) else J.tocsc()
    found = []
    for body in range(1, bodies):
        if len(others.get(body, ())) < 2:
            continue
        part = columns[:, system.tables.layout.motion(body)]
        rows = np.flatnonzero(np.any(part != 0.0, axis=1)) if isinstance(part, np.ndarray) else np.unique(part.indices)
        block = part[rows] if isinstance(part, np.ndarray) else part[rows].toarray()
        padded = np.zeros((max(len(rows), width), width))
        padded[: len(rows)] = block
        _, s, Vt = np.linalg.svd(padded)
        if np.any(s < VANISHES):
            found.append((body, Vt[s < VANISHES].T))
    return found


def gauge_rows(system: System, J: Any) -> Matrix:
    """Return rows (scaled) that hold idle freedom still: rotations of one body about an axis fixed in it, or shifts.

    Parameters
    ----------
    system : System
    J : array or sparse matrix
        As for :func:`idle_motions`.

    Returns
    -------
    sparse array (idle, nv)
        A spatial model's only: in the plane nothing spins without being seen.
    """
    layout = system.tables.layout
    rows: list[Floats] = []
    columns: list[int] = []
    for body, twists in idle_motions(system, J) if system.tables.dimension == 3 else []:
        _, sizes, Vt = np.linalg.svd(twists[layout.turn], full_matrices=True)
        turns = np.append(sizes, np.zeros(twists.shape[1]))[: twists.shape[1]] > 1e-6
        for turning, vector in zip(turns, (twists @ Vt.T).T, strict=True):
            part = vector[layout.turn if turning else layout.shift]
            rows.append(part / np.linalg.norm(part))
            columns.append((layout.spin(body) if turning else layout.velocity(body)).start)
    pointer = 3 * np.arange(len(rows) + 1)
    indices = (np.array(columns, dtype=np.int64)[:, None] + np.arange(3)).ravel()
    return sparse.csr_array((np.array(rows).ravel(), indices, pointer), shape=(len(rows), system.nv))
