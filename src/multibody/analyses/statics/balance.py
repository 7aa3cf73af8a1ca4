"""The balance of forces at rest on the constraints: what is left unbalanced at a pose, and steps that reduce it.

Everything is free of lengths: displacements are divided, forces multiplied by the characteristic length, so that forces are
moments. With N an orthonormal basis of the directions that the joints and motions leave free, p = N Nᵀ Q is the unbalanced
force, and S = Nᵀ K N, K = −∂Q/∂q + (Φ_qᵀ λ)_q, its stiffness along the constraints.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from multibody.analyses.dynamics.run_start import smallest_step
from multibody.analyses.events.undefined import require_values
from multibody.analyses.linear.linearization import Linearization, applied_forces, linearize, place
from multibody.kernels.forces import law_efforts, load_wrenches
from multibody.rank.leastnorm import DENSE_LIMIT
from multibody.state.state import State
from multibody.state.system import Floats, Integers, System

CLOSED = 1e-12  # scaled residual of constraints that a pose may have
CLOSINGS = 25  # Newton steps back onto the constraints


@dataclass
class Point:
    """A pose on the constraints and what is unbalanced there.

    Attributes
    ----------
    state : State
        At rest.
    multipliers : array (rows,)
        λ of minimum norm that balances as much as it can.
    p : array (nv,)
        Unbalanced force along the free directions, scaled.
    reference : float
        Size of the forces that act, scaled.
    N : array (nv, f), optional
        Free directions; not formed for large models.
    """

    state: State
    multipliers: Floats
    p: Floats
    reference: float
    N: Floats | None = None
    made: Linearization | None = None

    @property
    def size(self) -> float:
        """Largest unbalanced force."""
        return float(np.max(np.abs(self.p), initial=0.0))


class Balance:
    """Forces at rest of one system at one time; motions are held.

    Parameters
    ----------
    system : System
    state : State
        A closed pose.
    rows : array of int
        Independent rows of joints and motions, as many as the mechanism has in general.
    """

    def __init__(self, system: System, state: State, rows: Integers) -> None:
        self.system, self.rows, self.t = system, np.sort(rows), state.t
        self.like = replace(state, v=np.zeros(system.nv))
        self.dense = system.nv <= DENSE_LIMIT
        self.freedom = system.nv - len(rows)
        self._weights = self._reach(state.q)

    def _reach(self, q: Floats) -> Floats:
        """Return what displacements are divided by before their size is taken: translations by how far the model extends.

        A long chain that turns by a radian moves its end by its whole length, not by that of a link.
        """
        s, layout = self.system, self.system.tables.layout
        bodies = len(s.tables.bodies) - 1
        places = layout.split(q, bodies)[:, layout.shift]
        weights = np.ones(s.nv)
        reach = 1.0 + float(np.linalg.norm(np.ptp(places, axis=0))) / s.tables.length
        layout.split_rates(weights, bodies)[:, layout.shift] = reach
        return weights

    def length(self, d: Floats) -> float:
        """Return the size of a scaled displacement: the largest turn, or translation over the extent of the model."""
        return float(np.max(np.abs(d) / self._weights, initial=0.0))

    # --- a pose -------------------------------------------------------------------------------------------------------
    def point(self, q: Floats) -> Point:
        """Return what is unbalanced at a closed pose; angle references move there."""
        s = self.system
        s.take_references(q)
        state = replace(self.like, q=q, references=s.ref.copy())
        Q = applied_forces(s, q, state.v, self.t) * s.scale_columns
        if not np.all(np.isfinite(Q)):
            require_values(s, q, state.v, self.t)
        if self.dense:
            J = s.scaled(s.jacobian(q, self.t))
            U, sizes, Vt = np.linalg.svd(J) if len(J) else (np.zeros((0, 0)), np.zeros(0), np.eye(s.nv))
            rank = int(np.sum(sizes > 1e-9 * max(float(sizes[0]), 1e-300))) if len(sizes) else 0
            N = Vt[len(self.rows) :].T
            multipliers = U[:, :rank] @ ((Vt[:rank] @ Q) / sizes[:rank])
            return Point(state, multipliers * s.scale_rows[: s.rows], N @ (N.T @ Q), self.reference(q), N)
        p, multipliers = self._sparse_balance(q, Q)
        return Point(state, multipliers, p, self.reference(q))

    def _sparse_balance(self, q: Floats, Q: Floats) -> tuple[Floats, Floats]:
        """Return the unbalanced force and multipliers of the independent rows, from [1 Jᵀ; J 0]."""
        from scipy.sparse import eye_array

        s = self.system
        solved = self.solver(q, eye_array(s.nv))(Q)
        multipliers = np.zeros(s.rows)
        multipliers[self.rows] = solved[s.nv :] * s.scale_rows[self.rows]
        return solved[: s.nv], multipliers

    def solver(self, q: Floats, A: Any) -> Any:
        """Return a function that solves [A Jᵀ; J 0] x = (right, 0) with sparse factors, J the independent rows."""
        from scipy.sparse import block_array
        from scipy.sparse.linalg import splu

        from multibody.rank.decider import scaled_rows

        J = scaled_rows(self.system, q, self.t, self.system.rows)[self.rows]
        factors = splu(block_array([[A, J.T], [J, None]], format="csc"))
        zeros = np.zeros(len(self.rows))

        def solve(right: Floats) -> Floats:
            return np.asarray(factors.solve(np.concatenate([right, zeros])))

        return solve

    def reference(self, q: Floats) -> float:
        """Return the size of the largest force that acts, scaled; 0 where nothing acts."""
        s, tables = self.system, self.system.tables
        place(s, q, np.zeros(s.nv))
        d, length = tables.dimension, tables.length
        gravity = float(np.linalg.norm(tables.gravity))
        masses = (s.model.planar_mass if d == 2 else s.model.spatial_mass).m
        efforts, loads = np.zeros(tables.effort_count), np.zeros((len(tables.loads), tables.width))
        law_efforts(*s.run, self.t, efforts)
        load_wrenches(*s.run, self.t, loads.reshape(-1))
        units = np.ones(len(efforts))
        units[: len(tables.laws)] = [length if tables.functions[law.function].is_length else 1.0 for law in tables.laws]
        units[len(tables.laws) :].reshape(-1, tables.width)[:, :d] = length
        loads[:, :d] *= length
        parts = (masses * gravity * length, np.abs(efforts) * units, np.abs(loads))
        return max(float(np.max(part, initial=0.0)) for part in parts)

    def closed(self, q: Floats) -> Floats | None:
        """Return the nearest pose on the constraints, None where Newton's method does not get there."""
        s = self.system
        for _ in range(CLOSINGS):
            if not np.all(np.isfinite(q)):
                return None
            c = s.phi(q, self.t) * s.scale_rows[: s.rows]
            if np.max(np.abs(c), initial=0.0) < CLOSED:
                return q
            q = s.displaced(q, smallest_step(s, q, self.t, c) * s.scale_columns)
        c = s.phi(q, self.t) * s.scale_rows[: s.rows]
        return q if np.max(np.abs(c), initial=0.0) < 1e3 * CLOSED else None

    def moved(self, point: Point, d: Floats) -> Point | None:
        """Return the point that a scaled displacement leads to, None where the constraints cannot be closed there."""
        s = self.system
        q = self.closed(s.displaced(point.state.q, d * s.scale_columns))
        return None if q is None else self.point(q)

    # --- stiffness ----------------------------------------------------------------------------------------------------
    def linearized(self, point: Point) -> Linearization:
        """Return the derivatives at a point, made once."""
        if point.made is None:
            point.made = linearize(self.system, point.state, np.zeros(self.system.nv), point.multipliers)
        return point.made

    def stiffness(self, point: Point) -> Any:
        """Return K, scaled."""
        from scipy.sparse import diags_array

        scale = diags_array(self.system.scale_columns)
        return (scale @ self.linearized(point).K @ scale).tocsr()

    def reduced(self, point: Point) -> Floats:
        """Return S = Nᵀ K N of a model that is not large."""
        assert point.N is not None
        return np.asarray(point.N.T @ (self.stiffness(point) @ point.N))

    # --- steps --------------------------------------------------------------------------------------------------------
    def descent(self, point: Point, limit: float) -> tuple[Floats, float]:
        """Return a step along the constraints that gains energy, no longer than `limit`, and the energy it should gain.

        Stiffness counts by its absolute value, so that the step leads away from unstable positions, not to them.
        """
        if not self.dense:
            return self._sparse_descent(point, limit)
        S = self.reduced(point)
        sizes, U = np.linalg.eigh(0.5 * (S + S.T))
        assert point.N is not None
        basis = point.N @ U
        force, least = basis.T @ point.p, 1e-9 * max(float(np.max(np.abs(sizes), initial=0.0)), point.reference, 1e-300)
        stiff = np.maximum(np.abs(sizes), least)
        low, high, d = 0.0, 0.0, basis @ (force / stiff)
        while self.length(d) > limit:
            low, high = high, max(10.0 * high, least)
            d = basis @ (force / (stiff + high))
        for _ in range(12 if high else 0):
            middle = np.sqrt(max(low, 1e-3 * high) * high)
            tried = basis @ (force / (stiff + middle))
            if self.length(tried) > limit:
                low = middle
            else:
                high, d = middle, tried
        z = basis.T @ d
        return d, float(force @ z - 0.5 * z @ (stiff * z))

    def _sparse_descent(self, point: Point, limit: float) -> tuple[Floats, float]:
        """Return the same for a large model: a shift of the stiffness makes the step short and downhill."""
        from scipy.sparse import eye_array

        n, K = self.system.nv, self.stiffness(point)
        K = 0.5 * (K + K.T)
        shift, least = 0.0, 1e-6 * max(float(abs(K).max()), point.reference, 1e-300)
        for _ in range(40):
            try:
                d = self.solver(point.state.q, K + shift * eye_array(n))(point.p)[:n]
            except RuntimeError:  # exactly singular
                d = np.full(n, np.inf)
            if np.all(np.isfinite(d)) and self.length(d) <= limit and d @ (K @ d) + shift * (d @ d) > 0.0:
                break
            shift = max(4.0 * shift, least)
        bent = max(float(d @ (K @ d)), 0.0)
        return d, float(point.p @ d - 0.5 * bent) or 1e-300

    def newton(self, point: Point, limit: float) -> Floats:
        """Return the step of Newton's method, shortened to `limit`: to the nearest equilibrium, be it stable or not."""
        if self.dense:
            assert point.N is not None
            z, *_ = np.linalg.lstsq(self.reduced(point), point.N.T @ point.p, rcond=1e-11)
            d = point.N @ z
        else:
            try:
                d = self.solver(point.state.q, self.stiffness(point))(point.p)[: self.system.nv]
            except RuntimeError:
                d = np.zeros(self.system.nv)
        return np.asarray(d * min(1.0, limit / max(self.length(d), 1e-300)))

    def along(self, point: Point, x: Floats) -> Floats:
        """Return the part of a scaled vector along the free directions of a point."""
        if point.N is not None:
            return np.asarray(point.N @ (point.N.T @ x))
        from scipy.sparse import eye_array

        return np.asarray(self.solver(point.state.q, eye_array(self.system.nv))(x)[: self.system.nv])
