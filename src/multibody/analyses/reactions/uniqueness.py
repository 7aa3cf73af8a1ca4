"""Redundant rows: multipliers of minimum norm, and which combinations of them the equations of motion leave open.

Where rows depend on each other, Φ_qᵀ λ has one value but λ has not: with N a basis of null(Φ_qᵀ), λ + N y does as well.
The λ that is reported is the smallest, with lengths over the characteristic length; what changes with y is not unique.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from multibody.rank.leastnorm import DENSE_LIMIT, sparse_step
from multibody.state.system import Floats, Integers, System

SAMPLES = 7  # instants at which dependencies are looked for
SPREAD, AROUND, MINIMA = 105, 9, 3  # instants at which singular values are taken: over the motion, about its lowest minima
WORK = 3e8  # cubes of the number of unknowns that may be spent on it
CHUNK = 4_000_000  # numbers of a stack of matrices that is factored at once
SOUND = 1e-5  # pivot of a kept row, free of units, below which it is not clearly independent
FOLLOWS = 1e-11  # what may be left of a row that depends on others, free of units


@dataclass(frozen=True)
class Dependency:
    """Rows that depend on each other at one instant.

    Attributes
    ----------
    instant : int
    left : sparse array (rows, dependencies)
        Multipliers [in the model's units] that have no effect on any body.
    """

    instant: int
    left: Any


class Redundancy:
    """The dependent rows of a system along a motion.

    Parameters
    ----------
    system : System
    chosen : array of int
        Independent rows, as many as the mechanism has in general.
    """

    def __init__(self, system: System, chosen: Integers) -> None:
        from multibody.rank.decider import Decider  # here: SciPy's sparse matrices take long to import

        self.system, self.rank, self.chosen = system, len(chosen), chosen
        self.decider = Decider(system, system.rows)
        kept = {int(r) for r in chosen}
        self.blocks: list[tuple[Integers, Integers, int]] = []  # rows, columns, number of dependencies
        for block in self.decider.blocks:
            excess = sum(r not in kept for r in block.rows)
            if excess:
                offsets = self.decider.offsets
                columns = np.concatenate([np.arange(offsets[v], offsets[v + 1]) for v in block.vertices])
                self.blocks.append((np.array(block.rows, dtype=np.int64), columns, excess))

    def smallest(self, multipliers: Floats, entries: Floats) -> Floats:
        """Return the multipliers of minimum norm with the same effect on all bodies.

        Parameters
        ----------
        multipliers : array (instants, rows)
        entries : array (instants, entries of Φ_q)
        """
        if not self.blocks:
            return multipliers
        scale = self.system.scale_rows[: self.system.rows]
        scaled = multipliers / scale
        for rows, columns, excess in self.blocks:
            if len(columns) > DENSE_LIMIT:
                self._sparse(scaled, entries, rows)
                continue
            size = max(1, CHUNK // (len(rows) ** 2 + len(rows) * len(columns) + len(columns) ** 2))
            for at in range(0, len(scaled), size):
                part = slice(at, at + size)
                stack, own = self._stack(entries[part], rows, columns), scaled[part][:, rows]
                scaled[part, rows] = without_dependencies(stack, own, np.isin(rows, self.chosen), excess)
        return np.asarray(scaled * scale)

    def _stack(self, entries: Floats, rows: Integers, columns: Integers) -> Floats:
        """Return the scaled Jacobian of a block at several instants (instants, rows, columns)."""
        s, pointer = self.system, self.system.tables.row_pointer
        place = np.full(s.nv, -1)
        place[columns] = np.arange(len(columns))
        stack = np.zeros((len(entries), len(rows), len(columns)))
        for i, r in enumerate(rows):
            span = np.arange(pointer[r], pointer[r + 1])
            own = s.tables.columns[span]
            inside = place[own] >= 0
            span, own = span[inside], own[inside]
            stack[:, i, place[own]] = entries[:, span] * (s.scale_rows[r] * s.scale_columns[own])
        return stack

    def _matrix(self, entries: Floats) -> Any:
        """Return the scaled Jacobian of all rows at one instant."""
        from scipy import sparse

        s, pointer = self.system, self.system.tables.row_pointer[: self.system.rows + 1]
        columns = s.tables.columns[: pointer[-1]]
        scale = np.repeat(s.scale_rows[: s.rows], np.diff(pointer)) * s.scale_columns[columns]
        return sparse.csr_array((entries * scale, columns, pointer), shape=(s.rows, s.nv))

    def _sparse(self, scaled: Floats, entries: Floats, rows: Integers) -> None:
        """Make the multipliers of a large block smallest, instant by instant."""
        from scipy import sparse

        for k, item in enumerate(entries):
            J = sparse.csr_matrix(self._matrix(item)[rows])
            scaled[k, rows] = sparse_step(J.T.tocsr(), -(J.T @ scaled[k, rows]))

    def dependencies(self, entries: Floats) -> list[Dependency]:
        """Return the dependencies at a few instants, those left out where the rank is lower than in general."""
        from scipy import sparse

        if not self.blocks or len(entries) == 0:
            return []
        found: list[Dependency] = []
        special: list[Dependency] = []
        scale = sparse.diags_array(self.system.scale_rows[: self.system.rows])
        for k in np.unique(np.linspace(0, len(entries) - 1, SAMPLES).round().astype(int)):
            rank = self.decider.decide(self._matrix(entries[k]))
            item = Dependency(int(k), sparse.csc_array(scale @ rank.left))
            (found if rank.rank >= self.rank else special).append(item)
        return found or special


def without_dependencies(J: Floats, multipliers: Floats, kept: npt.NDArray[np.bool_], excess: int) -> Floats:
    """Return the smallest multipliers with the same Jᵀ λ at several instants.

    With the kept rows J_c = (Q R)ᵀ the others are C J_c with C = J_d Q R⁻ᵀ, and null(Jᵀ) is spanned by (−Cᵀ, 1). Where the
    kept rows are not clearly independent, or the others do not follow from them, singular values give the null space.

    Parameters
    ----------
    J : array (instants, rows, columns)
        Scaled rows.
    multipliers : array (instants, rows)
    kept : array of bool (rows,)
        An independent set of rows in general.
    excess : int
        Number of dependencies in general.
    """
    base, others = J[:, kept], J[:, ~kept]
    result = multipliers.copy()
    if base.shape[1]:
        Q, R = np.linalg.qr(np.swapaxes(base, 1, 2))
        pivots = np.abs(np.diagonal(R, axis1=1, axis2=2))
        sound = np.min(pivots, axis=1) > SOUND
        R[~sound] = np.eye(R.shape[1])
        C = np.linalg.solve(R, np.swapaxes(others @ Q, 1, 2))
        sound &= np.max(np.abs(others - np.swapaxes(C, 1, 2) @ base), axis=(1, 2)) < FOLLOWS
        sound &= np.max(np.abs(C), axis=(1, 2)) < 1.0 / SOUND
    else:
        C, sound = np.zeros((len(J), 0, excess)), np.max(np.abs(others), axis=(1, 2)) < FOLLOWS
    if np.any(sound):
        N = np.zeros((int(np.sum(sound)), len(kept), excess))
        N[:, kept], N[:, ~kept] = -C[sound], np.eye(excess)
        N = np.linalg.qr(N)[0]
        own = multipliers[sound]
        result[sound] = own - np.einsum("tik,tjk,tj->ti", N, N, own, optimize=True)
    for k in np.flatnonzero(~sound):
        N = np.linalg.svd(J[k], full_matrices=True)[0][:, len(kept) - excess :]
        result[k] = multipliers[k] - N @ (N.T @ multipliers[k])
    return result


def smallest_singular_value(system: System, chosen: Integers, t: Floats, q: Floats, references: Floats) -> float | None:
    """Return the smallest singular value of the scaled rows over a motion, None for large models.

    Of redundant rows as many count as are independent, whichever these are. It is evaluated at instants spread over the motion,
    then at the instants around the lowest minima among them.

    Parameters
    ----------
    system : System
    chosen : array of int
        Independent rows: as many as the mechanism has in general.
    t, q, references : arrays
        The motion.
    """
    if system.nv > DENSE_LIMIT or len(t) == 0 or len(chosen) == 0:
        return None
    def value(k: int) -> float:
        system.ref[:] = references[k] if references.ndim == 2 else references
        J = system.scaled(system.jacobian(np.ascontiguousarray(q[k]), float(t[k])))
        return float(np.linalg.svd(J, compute_uv=False)[len(chosen) - 1])

    count = int(np.clip(WORK / system.nv**3, 12, SPREAD))
    grid = np.unique(np.linspace(0, len(t) - 1, count).round().astype(int))
    found = np.array([value(int(k)) for k in grid])
    edges = np.concatenate([[np.inf], found, [np.inf]])
    minima = np.flatnonzero((found <= edges[:-2]) & (found <= edges[2:]))
    lowest = float(np.min(found))
    for at in minima[np.argsort(found[minima])][: MINIMA if count > SPREAD // 2 else 1]:
        around = np.linspace(grid[max(at - 1, 0)], grid[min(at + 1, len(grid) - 1)], AROUND).round().astype(int)
        lowest = min([lowest, *(value(int(k)) for k in np.setdiff1d(around, grid))])
    return lowest
