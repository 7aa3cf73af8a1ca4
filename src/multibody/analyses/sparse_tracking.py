"""The kinematic loop for large mechanisms: the same steps with SciPy's sparse LU as the linear solver."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from multibody.analyses.state import Status
from multibody.analyses.system import Floats, System
from multibody.kernels import tracking

if TYPE_CHECKING:
    from multibody.analyses.kinematics import Tracker


class SparseSquare:
    """Φ_q of the chosen rows as a sparse matrix with a static pattern, scaled, factored on demand."""

    def __init__(self, system: System, chosen: Any) -> None:
        self.system, self.chosen = system, np.asarray(chosen)
        pointer, columns = system.tables.row_pointer, system.tables.columns
        pieces = [np.arange(pointer[r], pointer[r + 1]) for r in self.chosen]
        self.entries = np.concatenate(pieces)
        self.rows = np.repeat(np.arange(len(self.chosen)), [len(p) for p in pieces])
        self.columns = columns[self.entries]
        self.row_scale = system.scale_rows[self.chosen]
        self.scale = self.row_scale[self.rows] * system.scale_columns[self.columns]

    def factor(self, q: Floats, t: float) -> Any:
        """Return the LU factors at q."""
        from scipy.sparse import csc_matrix
        from scipy.sparse.linalg import splu

        values = self.system.entries(q, t)[self.entries] * self.scale
        n = self.system.nv
        return splu(csc_matrix((values, (self.rows, self.columns)), shape=(n, n)))

    def solve(self, factors: Any, side: Floats) -> Floats:
        """Return the unscaled solution for an unscaled right side over all rows."""
        solution: Floats = factors.solve(side[self.chosen] * self.row_scale) * self.system.scale_columns
        return solution


def track_sparse(tracker: Tracker) -> tuple[int, Status]:
    """Follow the grid; return (points reached, status)."""
    system, grid = tracker.system, tracker.grid
    square = SparseSquare(system, tracker.chosen)
    q, t = tracker.initial.q.copy(), float(grid[0])
    v = a = np.zeros(system.nv)
    for k, target in enumerate(grid):
        while True:
            h = float(target) - t
            found = _advance(tracker, square, q, v, a, t, h) if k else _rates(square, q, t)
            halvings = 0
            while found is None and halvings < 20:
                h, halvings = 0.5 * h, halvings + 1
                tracker.counts[tracking.REJECTED] += 1
                found = _advance(tracker, square, q, v, a, t, h)
            if found is None:
                advice = "the motion asks for more than the mechanism can reach"
                return k, Status(False, f"locked up at t = {t:.9g}", t, advice=advice)
            q, v, a = found
            t = t + h if halvings else float(target)
            system.take_references(q)
            tracker.counts[tracking.STEPS] += 1
            if t == target:
                break
        tracker.Q[k], tracker.V[k], tracker.A[k], tracker.sigma[k] = q, v, a, np.inf
        tracker.R[k] = system.ref[: tracker.R.shape[1]]
        tracker.worst[:3] = np.maximum(tracker.worst[:3], _violations(system, q, v, a, t))
    return len(grid), Status(True, "finished", float(grid[-1]))


def _rates(square: SparseSquare, q: Floats, t: float) -> tuple[Floats, Floats, Floats] | None:
    """Return (q, v, v̇) at a closed pose."""
    try:
        factors = square.factor(q, t)
    except RuntimeError:  # exactly singular
        return None
    v = square.solve(factors, square.system.velocity_side(q, t))
    return q, v, square.solve(factors, square.system.gamma(q, v, t))


def _advance(
    tracker: Tracker, square: SparseSquare, q: Floats, v: Floats, a: Floats, t: float, h: float
) -> tuple[Floats, Floats, Floats] | None:
    """Return the state at t + h, None where Newton does not settle there."""
    system = square.system
    move = h * v + 0.5 * h * h * a
    size = float(np.max(np.abs(move / system.scale_columns)))
    trial, total, previous = system.displaced(q, move), 0.0, np.inf
    if size > 1.0:
        return None
    for _ in range(tracking.NEWTON_LIMIT):
        try:
            factors = square.factor(trial, t + h)
        except RuntimeError:
            return None
        step = square.solve(factors, -system.phi(trial, t + h))
        norm = float(np.max(np.abs(step / system.scale_columns)))
        if not norm < 1.0 or (norm > 2.0 * previous and norm > 1e-6):
            return None
        trial, total, previous = system.displaced(trial, step), total + norm, norm
        tracker.counts[tracking.ITERATIONS] += 1
        if norm < tracking.CLOSE:
            break
    if total > 0.3 * size + 1e-5:
        return None
    return _rates(square, trial, t + h)


def _violations(system: System, q: Floats, v: Floats, a: Floats, t: float) -> Floats:
    """Return the largest scaled violation of all rows at position, velocity and acceleration level."""
    from multibody.analyses.rank import scaled_rows

    J, scale = scaled_rows(system, q, t, system.rows), system.scale_rows[: system.rows]
    levels = (
        system.phi(q, t) * scale,
        J @ (v / system.scale_columns) - system.velocity_side(q, t) * scale,
        J @ (a / system.scale_columns) - system.gamma(q, v, t) * scale,
    )
    return np.array([np.max(np.abs(level)) for level in levels])
