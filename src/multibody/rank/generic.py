"""Poses near a given one: what a mechanism is like in general, not just where it happens to stand.

From a pose we go a finite step along a random free direction and back onto the joints. The way back is a
Levenberg-Marquardt iteration whose damping vanishes with the residual (Yamashita, Fukushima 2001): it converges fast
also where the rows depend on each other, as in every overconstrained mechanism.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.linalg import lu_factor, lu_solve
from scipy.sparse.linalg import LinearOperator, eigsh, splu

from multibody.rank.around import STEPS
from multibody.rank.decider import scaled_rows
from multibody.rank.elimination import Matrix
from multibody.state.system import Floats, System

CLOSED = 1e-12  # largest scaled residual of a pose on the joints
ITERATIONS = 80
TINY = 1e-14  # least damping
NULL = 1e-10  # damping below which directions count as free
MOVED = 1e-4  # a pose that comes back nearer than this has not left
DENSE = 700  # columns up to which singular values are computed by a full decomposition
SMALL = 120  # unknowns up to which a full matrix is factored in less time than a sparse one is put together


def damped(J: Matrix, damping: float, right: Floats, upper: Floats | None = None) -> tuple[Floats, Floats]:
    """Solve [I Jᵀ; J −μ] [x; λ] = [upper; right], which has a solution for every J."""
    n = J.shape[1]
    x = _factored(J, damping)(np.concatenate([np.zeros(n) if upper is None else upper, right]))
    return x[:n], x[n:]


def _factored(J: Matrix, damping: float) -> Callable[[Floats], Floats]:
    """Return what solves with [I Jᵀ; J −μ]."""
    m, n = J.shape
    if m + n > SMALL:
        K = sparse.block_array([[sparse.eye_array(n), J.T], [J, -damping * sparse.eye_array(m)]], format="csc")
        solve: Callable[[Floats], Floats] = splu(K).solve
        return solve
    full, rows = np.eye(n + m), J.toarray()
    full[n:, :n], full[:n, n:], full[n:, n:] = rows, rows.T, -damping * np.eye(m)
    return functools.partial(lu_solve, lu_factor(full, check_finite=False), check_finite=False)


def free_direction(J: Matrix, random: np.random.Generator) -> Floats:
    """Return a random vector of null(J) (scaled), largest component 1; zero where there is none."""
    m, n = J.shape
    z = random.normal(size=n)
    if m:
        solve, multipliers = _factored(J, NULL), np.zeros(m)
        for _ in range(4):  # proximal refinement removes the trace of the damping
            solved = solve(np.concatenate([z, -NULL * multipliers]))
            multipliers = solved[n:]
        start, z = float(np.linalg.norm(z)), solved[:n]
        if float(np.linalg.norm(z)) < 1e-7 * start:
            return np.zeros(n)
    return np.asarray(z / np.max(np.abs(z)))


@dataclass(frozen=True)
class Joints:
    """The joint rows of a system at one time, whose common zeros (or level set) are the assembled poses.

    Attributes
    ----------
    system : System
    t : float
    target : array
        Residual that counts as assembled: zero, or that of a given pose which cannot be closed.
    """

    system: System
    t: float
    target: Floats

    def residual(self, q: Floats) -> Floats:
        """Return the scaled residual of the joint rows."""
        count = self.system.joint_rows
        return np.asarray(self.system.phi(q, self.t, 0, count) * self.system.scale_rows[:count] - self.target)

    def worst(self, q: Floats) -> float:
        """Return the largest scaled residual."""
        return float(np.max(np.abs(self.residual(q)), initial=0.0))

    def project(self, q: Floats) -> Floats | None:
        """Return a pose near q that satisfies the joints, None if none is found."""
        system, best = self.system, np.inf
        for _ in range(ITERATIONS):
            c = self.residual(q)
            size = float(np.max(np.abs(c), initial=0.0))
            if not np.isfinite(size):
                return None
            if size < CLOSED or (size < 100.0 * CLOSED and size > 0.5 * best):
                return q
            best = min(best, size)
            J = scaled_rows(system, q, self.t, system.joint_rows)
            x, _ = damped(J, max(size * size, TINY), -c)
            q = system.displaced(q, x * system.scale_columns, min(1.0, 0.5 / max(float(np.max(np.abs(x))), 1e-300)))
        return q if self.worst(q) < 100.0 * CLOSED else None

    def neighbors(self, q: Floats, count: int, seed: int = 0) -> tuple[list[Floats], int, int]:
        """Return assembled poses at finite distance from q, how many steps led back to q, and how many to no pose.

        Parameters
        ----------
        q : array
            An assembled pose.
        count : int
            How many random steps are tried.
        seed : int
            The same seed gives the same poses.
        """
        random = np.random.default_rng(seed)
        system = self.system
        J = scaled_rows(system, q, self.t, system.joint_rows)
        found: list[Floats] = []
        back = lost = 0
        for k in range(count):
            direction = free_direction(J, random)
            if not np.any(direction):
                break
            step = STEPS[k % len(STEPS)] * random.uniform(0.8, 1.2)
            pose = self.project(system.displaced(q, direction * system.scale_columns, step))
            if pose is None:
                lost += 1
            elif distance(system, q, pose) > MOVED:
                found.append(pose)
            else:
                back += 1
        return found, back, lost


def distance(system: System, a: Floats, b: Floats) -> float:
    """Return the largest difference of two poses, lengths divided by the characteristic length."""
    bodies, layout = len(system.tables.bodies) - 1, system.tables.layout
    if layout.dimension == 2:
        return float(np.max(np.abs(a - b) / system.scale_columns, initial=0.0))
    A, B = layout.split(a, bodies), layout.split(b, bodies)
    moved = np.abs(A[:, layout.shift] - B[:, layout.shift]) / system.tables.length
    dots = np.abs(np.sum(A[:, layout.turn] * B[:, layout.turn], axis=1))
    turned = 2.0 * np.arccos(np.minimum(dots, 1.0))
    extras = np.abs(a[layout.extras(bodies)] - b[layout.extras(bodies)])
    return float(max(np.max(moved, initial=0.0), np.max(turned, initial=0.0), np.max(extras, initial=0.0)))


def singular_value(J: Matrix, index: int) -> float:
    """Return the index-th largest singular value (counted from 1) of a matrix that is not too large, else of full rank.

    Parameters
    ----------
    J : sparse array
        Beyond 700 columns it must have `index` independent rows and no others; the least singular value is then found
        by a Lanczos iteration on (J Jᵀ)⁻¹.
    index : int
    """
    m, n = J.shape
    if index == 0 or index > min(m, n):
        return 0.0
    if n <= DENSE:
        return float(np.linalg.svd(J.toarray(), compute_uv=False)[index - 1])
    K = sparse.block_array([[sparse.eye_array(n), J.T], [J, None]], format="csc")
    try:
        factors = splu(K)
    except RuntimeError:  # exactly singular
        return 0.0
    inverse = LinearOperator((m, m), matvec=lambda b: -factors.solve(np.concatenate([np.zeros(n), b.ravel()]))[n:])
    largest = eigsh(inverse, k=1, which="LA", v0=np.ones(m), tol=1e-6, return_eigenvectors=False)
    return float(1.0 / np.sqrt(largest[0]))
