"""Equations of motion in as many coordinates as there are degrees of freedom, made in the tests and without the package.

A body's center of mass and axes are given as functions of the minimal coordinates u and of time. Their derivatives are taken
by central differences of eighth order, virtual power gives M(u) ü = f(u, u̇, t), and SciPy integrates it. Nothing of the
package is used: no constraint, no multiplier, no quaternion.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.integrate import solve_ivp

from analyses.dynamics.checks import Floats

STEP = 0.02  # of the differences; coordinates are of the order of one
FIRST = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0, 4 / 5, -1 / 5, 4 / 105, -1 / 280]) / STEP
SECOND = np.array([-1 / 560, 8 / 315, -1 / 5, 8 / 5, -205 / 72, 8 / 5, -1 / 5, 8 / 315, -1 / 560]) / STEP**2
POINTS = STEP * np.arange(-4, 5)

Pose = tuple[Floats, Floats]  # centers of mass (N, 3) and axes (N, 3, 3)
Embedding = Callable[[Floats, Floats], Sequence[Pose]]  # of coordinates (N, n) and times (N,)
Efforts = Callable[[float, Floats, Floats], Floats]  # generalized efforts (n,) of t, u and its rate


@dataclass
class Minimal:
    """A mechanism in minimal coordinates.

    Attributes
    ----------
    masses : masses of the bodies
    inertias : inertias about the centers of mass, body axes: a number about z, three numbers or a matrix
    embedding : poses of all bodies from the coordinates
    gravity : three components
    efforts : efforts along the coordinates beside gravity
    """

    masses: Sequence[float]
    inertias: Sequence[object]
    embedding: Embedding
    gravity: Sequence[float] = (0.0, 0.0, 0.0)
    efforts: Efforts | None = None
    tensors: list[Floats] = field(init=False)

    def __post_init__(self) -> None:
        """Make matrices of the inertias."""
        self.tensors = [_tensor(J) for J in self.inertias]

    def accelerations(self, t: float, u: Floats, rate: Floats) -> Floats:
        """Return ü."""
        n = len(u)
        fast = max(1.0, float(np.max(np.abs(rate))))
        path = u + np.outer(POINTS / fast, rate)  # along the motion, for the terms with velocities
        around = (u + POINTS[None, :, None] * np.eye(n)[:, None, :]).reshape(-1, n)
        times = np.concatenate([t + POINTS / fast, np.full(9 * n, t)])
        M = np.zeros((n, n))
        f = np.zeros(n) if self.efforts is None else np.array(self.efforts(t, u, rate), dtype=float)
        for m, J, (r, A) in zip(self.masses, self.tensors, self.embedding(np.vstack([path, around]), times), strict=True):
            here = A[4]
            spin = fast * _axial(np.tensordot(FIRST, A[:9], 1) @ here.T)
            turning = fast**2 * _axial(np.tensordot(SECOND, A[:9], 1) @ here.T)
            moving = fast**2 * np.tensordot(SECOND, r[:9], 1)
            along = np.einsum("k,nkc->cn", FIRST, r[9:].reshape(n, 9, 3))
            about = np.array([_axial(D @ here.T) for D in np.einsum("k,nkij->nij", FIRST, A[9:].reshape(n, 9, 3, 3))]).T
            tensor = here @ J @ here.T
            M += m * along.T @ along + about.T @ tensor @ about
            f += along.T @ (m * (np.asarray(self.gravity) - moving))
            f -= about.T @ (tensor @ turning + np.cross(spin, tensor @ spin))
        return np.linalg.solve(M, f)

    def motion(self, times: Sequence[float], u: Sequence[float], rate: Sequence[float], rtol: float = 1e-11) -> Floats:
        """Return (u, u̇) at the times, one row each, from the first time on."""
        n = len(u)

        def slope(t: float, y: Floats) -> Floats:
            return np.concatenate([y[n:], self.accelerations(t, y[:n], y[n:])])

        start = np.concatenate([u, rate])
        found = solve_ivp(slope, (times[0], times[-1]), start, "DOP853", times, rtol=rtol, atol=1e-12)
        assert found.success
        return np.asarray(found.y.T)


def _tensor(J: object) -> Floats:
    """Return an inertia as a matrix."""
    given = np.asarray(J, dtype=float)
    if given.ndim == 0:
        return np.diag([0.0, 0.0, float(given)])
    return np.diag(given) if given.ndim == 1 else given


def _axial(W: Floats) -> Floats:
    """Return the vector of the skew part of a matrix."""
    return 0.5 * np.array([W[2, 1] - W[1, 2], W[0, 2] - W[2, 0], W[1, 0] - W[0, 1]])


# --- placements --------------------------------------------------------------------------------------------------------


@dataclass
class Place:
    """A displacement of a body from where it is drawn: x → A x + b, for many instants at once."""

    A: Floats
    b: Floats

    def __matmul__(self, other: Place) -> Place:
        """Return the displacement by the other one first."""
        return Place(self.A @ other.A, self.of(other.b))

    def of(self, x: Floats | Sequence[float]) -> Floats:
        """Return where a drawn point has gone."""
        return np.einsum("nij,nj->ni", self.A, np.broadcast_to(np.asarray(x, dtype=float), self.b.shape)) + self.b

    def pose(self, com: Sequence[float]) -> Pose:
        """Return the pose of a body with this drawn center of mass and ground axes as drawn."""
        return self.of(com), self.A


def turn(axis: Sequence[float], angle: Floats, through: Sequence[float] = (0.0, 0.0, 0.0)) -> Place:
    """Return rotations about an axis through a drawn point."""
    a = np.asarray(axis, dtype=float) / np.linalg.norm(axis)
    K = np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])
    s, c = np.sin(angle)[:, None, None], np.cos(angle)[:, None, None]
    A = np.eye(3) + s * K + (1.0 - c) * (K @ K)
    p = np.asarray(through, dtype=float)
    return Place(A, p - A @ p)


def shift(direction: Sequence[float], length: Floats) -> Place:
    """Return translations along a direction (made a unit vector)."""
    d = np.asarray(direction, dtype=float) / np.linalg.norm(direction)
    return Place(np.broadcast_to(np.eye(3), (len(length), 3, 3)), np.outer(length, d))


def moved(by: Floats) -> Place:
    """Return translations by vectors (N, 3)."""
    return Place(np.broadcast_to(np.eye(3), (len(by), 3, 3)), by)


def ball(rotvec: Floats, through: Sequence[float] = (0.0, 0.0, 0.0)) -> Place:
    """Return rotations by vectors (N, 3) through a drawn point."""
    angle = np.sqrt(np.sum(rotvec**2, axis=1))
    K = np.zeros((len(rotvec), 3, 3))
    K[:, 2, 1], K[:, 0, 2], K[:, 1, 0] = rotvec.T
    K[:, 1, 2], K[:, 2, 0], K[:, 0, 1] = -rotvec.T
    s, c = np.sinc(angle / np.pi), 0.5 * np.sinc(angle / (2.0 * np.pi)) ** 2
    A = np.eye(3) + s[:, None, None] * K + c[:, None, None] * (K @ K)
    p = np.asarray(through, dtype=float)
    return Place(A, p - A @ p)


def flat(x: Floats, y: Floats, angle: Floats) -> Pose:
    """Return the pose of a planar body."""
    place = turn((0, 0, 1), angle)
    return np.stack([x, y, 0.0 * x], 1), place.A
