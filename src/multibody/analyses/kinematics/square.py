"""The square system of a driven mechanism, Φ_q of its independent rows and gauge rows, as a sparse matrix.

Its pattern never changes, so it is brought into block triangular form once. Factored in that order, pivots never leave their
block: no entry is filled in between blocks, and each block (a group of bodies that is solved together) shows the sign of its
own determinant, so that any number of groups may pass a singular position at the same instant.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from multibody.rank.decider import scaled_rows
from multibody.rank.drive import Drive
from multibody.rank.triangular_form import determinants, split
from multibody.state.system import Floats, Integers, System

SMALL_BLOCK = 24  # blocks up to this size are factored in the order in which they come
NUDGE = 1e-13  # disturbs the entries of a matrix that is exactly singular


@dataclass(frozen=True)
class Factors:
    """LU factors of the scaled square matrix at one pose.

    Attributes
    ----------
    square : Square
    lu : SuperLU
        Of the matrix with its rows and columns in block order.
    """

    square: Square
    lu: Any

    def solve(self, values: Floats) -> Floats:
        """Return the solution (velocity dimensions) of Φ_q x = values, given over all rows; gauge rows give zero."""
        square = self.square
        side = np.zeros(square.n)
        side[: len(square.chosen)] = values[square.chosen] * square.row_scale
        return np.asarray(self.solve_scaled(side) * square.system.scale_columns)

    def solve_scaled(self, side: Floats) -> Floats:
        """Return the scaled solution for a scaled right side."""
        x = np.empty(len(side))
        x[self.square.column_order] = self.lu.solve(side[self.square.row_order])
        return x

    def _solve_transposed(self, side: Floats) -> Floats:
        """Return the solution with the transposed scaled matrix."""
        x = np.empty(len(side))
        x[self.square.row_order] = self.lu.solve(side[self.square.column_order], "T")
        return x

    def pivot_ratio(self) -> float:
        """Return the smallest over the largest pivot."""
        sizes = np.abs(self.lu.U.diagonal())
        return float(np.min(sizes) / np.max(sizes)) if np.all(np.isfinite(sizes)) else 0.0

    def determinants(self) -> tuple[Floats, Floats]:
        """Return sign and logarithm of the determinant of every block."""
        return determinants(self.lu, self.square.block, self.square.blocks)

    def smallest(self, start: Floats, sweeps: int, settled: float = 0.0) -> tuple[float, Floats]:
        """Return σ_min and its right singular vector (scaled) by inverse iteration from a vector.

        The iteration ends before `sweeps` where the vector changes by less than `settled`.
        """
        sigma, x = 0.0, start
        for _ in range(sweeps):
            y = self._solve_transposed(x)
            z = self.solve_scaled(y / np.linalg.norm(y))
            length = float(np.linalg.norm(z))
            if not (np.isfinite(length) and length > 0.0):
                return 0.0, start
            sigma, previous, x = 1.0 / length, x, z / length
            if min(float(np.max(np.abs(x - previous))), float(np.max(np.abs(x + previous)))) < settled:
                break
        return sigma, x


class Square:
    """The square matrix of a drive: pattern, order and scales; it is factored at a pose.

    Parameters
    ----------
    system : System
    drive : Drive
        Independent rows and gauge rows, as many as there are velocity coordinates.
    """

    def __init__(self, system: System, drive: Drive) -> None:
        self.system, self.chosen, self.n = system, drive.rows, system.nv
        tables = system.tables
        lengths = np.diff(tables.row_pointer)[self.chosen]
        starts = np.repeat(np.asarray(tables.row_pointer)[self.chosen], lengths)
        within = np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        self.entries = starts + within
        self.row_scale = system.scale_rows[self.chosen]
        gauge = sparse.coo_array(drive.gauge_rows)
        rows = np.concatenate([np.repeat(np.arange(len(self.chosen)), lengths), gauge.coords[0] + len(self.chosen)])
        columns = np.concatenate([np.asarray(tables.columns)[self.entries], gauge.coords[1]])
        scale = np.append(self.row_scale, np.ones(gauge.shape[0]))
        self.scale = (scale[rows] * system.scale_columns[columns])[: len(self.entries)]
        self.gauge: Floats = np.asarray(gauge.data * system.scale_columns[gauge.coords[1]], dtype=float)
        self.gauge_rows: Any = sparse.csr_array((self.gauge, gauge.coords), shape=gauge.shape)
        self._arrange(rows, columns)

    def _arrange(self, rows: Integers, columns: Integers) -> None:
        """Find the block order, and where each entry goes in the matrix in that order."""
        n = self.n
        pattern = sparse.csr_array((np.ones(len(rows)), (rows, columns)), shape=(n, n))
        self.row_order, self.column_order, self.block = _block_order(pattern)
        self.blocks = int(self.block[-1]) + 1 if n else 0
        row_at, column_at = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
        row_at[self.row_order], column_at[self.column_order] = np.arange(n), np.arange(n)
        keys, self.slot = np.unique(column_at[columns] * n + row_at[rows], return_inverse=True)
        self.indices = (keys % n).astype(np.int32)
        self.pointer = np.searchsorted(keys, n * np.arange(n + 1)).astype(np.int32)

    def factor(self, q: Floats, t: float, nudge: float = 0.0) -> Factors | None:
        """Return the factors at a pose, None where there are none."""
        return self.factored(self.system.entries(q, t), nudge)

    def factored(self, entries: Floats, nudge: float = 0.0) -> Factors | None:
        """Return the factors of the matrix with given entries of Φ_q, None where it is exactly singular or not finite.

        Parameters
        ----------
        entries : array
            Of all rows on their static pattern, not scaled.
        nudge : float
            Disturbs all entries by as much, for the null direction of a matrix that has one.
        """
        from scipy.sparse.linalg import splu

        values = np.concatenate([entries[self.entries] * self.scale, self.gauge])
        data = np.bincount(self.slot, weights=values, minlength=len(self.indices)).astype(np.float64, copy=False)
        if not np.all(np.isfinite(data)):
            return None
        if nudge:
            data = data + nudge * np.random.default_rng(0).uniform(-1.0, 1.0, len(data))
        matrix = sparse.csc_array((data, self.indices, self.pointer), shape=(self.n, self.n))
        try:
            return Factors(self, splu(matrix, permc_spec="NATURAL"))
        except RuntimeError:  # exactly singular
            return None

    def smallest(self, q: Floats, t: float) -> tuple[float, Floats]:
        """Return the smallest singular value of the scaled matrix at a pose and its right singular vector (scaled)."""
        factors = self.factor(q, t) or self.factor(q, t, NUDGE)
        start = np.random.default_rng(1).normal(size=self.n)
        start /= np.linalg.norm(start)
        return factors.smallest(start, 60, 1e-7) if factors is not None else (0.0, start)

    def all_rows(self, q: Floats, t: float) -> Any:
        """Return the scaled Jacobian with all its rows, redundant ones too, and the gauge rows."""
        return sparse.vstack([scaled_rows(self.system, q, t, self.system.rows), self.gauge_rows], format="csr")

    def free_direction(self, q: Floats, t: float) -> Floats:
        """Return how the mechanism could move (scaled) at a singular pose, with everything that could take part.

        Where nothing could, the direction that resists least.
        """
        from multibody.rank.generic import free_direction

        direction = free_direction(self.all_rows(q, t), np.random.default_rng(1))
        return direction if np.any(direction) else self.smallest(q, t)[1]

    def closed(self, q: Floats, t: float) -> Floats:
        """Return the pose near q that Newton's method reaches at time t."""
        system = self.system
        for _ in range(12):
            factors = self.factor(q, t)
            step = factors.solve(-system.phi(q, t)) if factors is not None else np.full(self.n, np.inf)
            size = float(np.max(np.abs(step / system.scale_columns), initial=0.0))
            if not size < 1.0:
                break
            q = system.displaced(q, step)
            if size < 1e-10:
                break
        return q


def smallest_of_all(square: Square, q: Floats, t: float) -> float:
    """Return σ_min of the scaled Jacobian J with all its rows and the gauge rows.

    By inverse iteration on JᵀJ through [α J; Jᵀ 0], which never forms it.
    """
    from scipy.sparse.linalg import splu

    J, alpha = square.all_rows(q, t), 1e-4
    m, n = J.shape
    blocks = [[alpha * sparse.eye_array(m), J], [J.T, None]]
    try:
        lu = splu(sparse.block_array(blocks, format="csc"))
    except RuntimeError:  # exactly singular
        return 0.0
    x, sigma = np.random.default_rng(1).normal(size=n), 0.0
    for _ in range(8):
        z = lu.solve(np.concatenate([np.zeros(m), x / np.linalg.norm(x)]))[m:]
        sigma = float(np.sqrt(alpha / np.linalg.norm(z)))
        x = z
    return sigma


def _block_order(pattern: Any) -> tuple[Integers, Integers, Integers]:
    """Return orders of rows and columns that make a pattern block upper triangular, and the block of each place."""
    n = pattern.shape[0]
    parts = split(pattern)
    if parts is None:  # no numbers can make it regular; factoring will say so
        return np.arange(n), np.arange(n), np.zeros(n, dtype=np.int64)
    rank = np.empty(len(parts.order), dtype=np.int64)
    rank[parts.order[::-1]] = np.arange(len(parts.order))  # what needs others comes before them: upper triangular
    rows = np.argsort(rank[parts.part], kind="stable")
    columns, block = parts.match[rows], rank[parts.part[rows]]
    begin = np.searchsorted(block, np.arange(len(parts.order) + 1))
    for k in np.flatnonzero(np.diff(begin) > SMALL_BLOCK):
        inside = slice(int(begin[k]), int(begin[k + 1]))
        order = _filling_least(pattern[rows[inside]][:, columns[inside]])
        rows[inside], columns[inside] = rows[inside][order], columns[inside][order]
    return rows, columns, block


def _filling_least(pattern: Any) -> Integers:
    """Return an order of the columns of a block in which factors fill in little."""
    from scipy.sparse.linalg import splu

    matrix = sparse.csc_array(pattern)
    matrix.data = np.random.default_rng(0).uniform(1.0, 2.0, len(matrix.data))  # only the pattern matters
    return np.argsort(splu(matrix).perm_c).astype(np.int64)
