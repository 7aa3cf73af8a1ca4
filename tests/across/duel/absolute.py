"""A multibody program of its own: absolute coordinates, constraints differentiated by complex steps, one dense KKT system.

It imports nothing of the package that it judges and shares no formula with it. All bodies are spatial; a planar model is one
whose bodies slide on the plane z = 0. Constraints are functions of poses alone: their derivatives along every coordinate come
from complex steps, so that there is no hand-written Jacobian to be wrong, and ``Φ̈`` at constant velocity from differences of
the eighth order of those. Redundant rows are ordinary: the system is solved by least squares with the smallest multipliers.

Everything is batched over the first index, which counts perturbations.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

Floats = Any
STEP = 1e-30  # imaginary; there is no difference in which digits could be lost
REACH = 0.005  # of the moves that second rates are differences over: both truncation and round-off are below 1e-11
NODES = np.array([-4.0, -3.0, -2.0, -1.0, 1.0, 2.0, 3.0, 4.0])
WEIGHTS = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 4 / 5, -1 / 5, 4 / 105, -1 / 280])


def skew(a: Floats) -> Floats:
    """Return the matrices of a ×, shape (..., 3, 3)."""
    zero = np.zeros_like(a[..., 0])
    rows = [[zero, -a[..., 2], a[..., 1]], [a[..., 2], zero, -a[..., 0]], [-a[..., 1], a[..., 0], zero]]
    return np.stack([np.stack(row, -1) for row in rows], -2)


def turn(w: Floats) -> Floats:
    """Return the rotation matrices of real rotation vectors (Rodrigues)."""
    angle = np.linalg.norm(w, axis=-1)[..., None, None]
    safe = np.where(angle < 1e-8, 1.0, angle)
    s = np.where(angle < 1e-8, 1.0 - angle**2 / 6, np.sin(safe) / safe)
    c = np.where(angle < 1e-8, 0.5 - angle**2 / 24, (1 - np.cos(safe)) / safe**2)
    W = skew(w)
    return np.eye(3) + s * W + c * (W @ W)


def angle_of(s: Floats, c: Floats) -> Floats:
    """Return atan2 of numbers with a tiny imaginary part."""
    size = s.real**2 + c.real**2
    return np.arctan2(s.real, c.real) + 1j * (c.real * s.imag - s.real * c.imag) / size


@dataclass(frozen=True)
class Frame:
    """A frame of a body: its place from the center of mass and its axes, both along the body's axes; body −1 is the ground."""

    body: int
    point: Floats
    axes: Floats


@dataclass
class Poses:
    """Poses of all bodies in a batch, complex: r (B, n, 3), R (B, n, 3, 3), time (B,)."""

    r: Floats
    R: Floats
    t: Floats

    def point(self, frame: Frame) -> Floats:
        """Return a frame's origin in ground, (B, 3)."""
        if frame.body < 0:
            return np.broadcast_to(frame.point + 0j, (len(self.t), 3))
        return self.r[:, frame.body] + self.R[:, frame.body] @ frame.point

    def axes(self, frame: Frame) -> Floats:
        """Return a frame's axes in ground as columns, (B, 3, 3)."""
        if frame.body < 0:
            return np.broadcast_to(frame.axes + 0j, (len(self.t), 3, 3))
        return self.R[:, frame.body] @ frame.axes

    def relative(self, first: Frame, second: Frame) -> tuple[Floats, Floats]:
        """Return where the second frame is, seen from the first: x = A_iᵀ d and Q = A_iᵀ A_j."""
        A = np.swapaxes(self.axes(first), -1, -2)
        d = self.point(second) - self.point(first)
        return (A @ d[..., None])[..., 0], A @ self.axes(second)


Function = Callable[[Poses], Floats]  # of poses: (B,) for a coordinate, (B, m) for the rows of a joint


@dataclass(frozen=True)
class Joint:
    """Rows that stay zero; the wrench is that on the body of `second` at its origin."""

    name: str
    rows: Function
    first: Frame | None = None
    second: Frame | None = None


@dataclass
class Program:
    """Bodies, constraints and forces; see the module's first lines."""

    masses: Floats
    inertias: Floats  # (n, 3, 3), body axes
    gravity: Floats
    joints: list[Joint] = field(default_factory=list)
    coordinate_laws: list[tuple[Function, Callable[[float, float], float]]] = field(default_factory=list)  # e(c, ċ)
    loads: list[tuple[Frame, Floats, Floats, bool]] = field(default_factory=list)  # force, moment, whether in body axes

    @property
    def n(self) -> int:
        """How many bodies there are."""
        return len(self.masses)

    # --- poses ----------------------------------------------------------------------------------------------------------
    def perturbed(self, r: Floats, R: Floats, t: float, steps: Floats, moved: Floats, times: Floats) -> Poses:
        """Return poses after finite moves along twists (s·v), each with an imaginary perturbation (B, n, 6)."""
        base_r = r + moved[..., :3]
        base_R = R @ turn(moved[..., 3:])
        small = 1j * STEP * steps
        return Poses(base_r + small[..., :3], base_R @ (np.eye(3) + skew(small[..., 3:])), t + times)

    def batch(self, r: Floats, R: Floats, v: Floats, t: float, reach: float) -> tuple[Poses, int]:
        """Return all poses that one evaluation needs: a column each, then the velocity's direction along the motion."""
        n, columns = self.n, 6 * self.n
        size = columns + len(NODES) + 1
        steps, moved, times = np.zeros((size, n, 6)), np.zeros((size, n, 6)), np.zeros(size, complex)
        steps[:columns] = np.eye(columns).reshape(columns, n, 6)
        steps[columns:] = v.reshape(n, 6)
        at = np.concatenate([NODES * reach, [0.0]])
        moved[columns:] = at[:, None, None] * v.reshape(n, 6)
        times[columns:] = at + 1j * STEP
        return self.perturbed(r, R, t, steps, moved, times), columns

    def derivatives(self, function: Function, poses: Poses, columns: int, reach: float) -> tuple[Floats, ...]:
        """Return the value (m,), the Jacobian (m, 6n), the total rate and the second rate at constant velocity."""
        found = function(poses)
        found = found.reshape(len(found), -1)
        slopes = found.imag / STEP
        return found[-1].real, slopes[:columns].T, slopes[-1], WEIGHTS @ slopes[columns:-1] / reach

    # --- equations ------------------------------------------------------------------------------------------------------
    def constraints(self, r: Floats, R: Floats, v: Floats, t: float) -> tuple[Floats, Floats, Floats, Floats, list[slice]]:
        """Return Φ, Φ_q, dΦ/dt, d²Φ/dt² at v̇ = 0, and the rows of every joint."""
        reach = REACH / max(1.0, float(np.max(np.abs(v))))
        poses, columns = self.batch(r, R, v, t, reach)
        parts, places, at = [], [], 0
        for joint in self.joints:
            parts.append(self.derivatives(joint.rows, poses, columns, reach))
            places.append(slice(at, at + len(parts[-1][0])))
            at = places[-1].stop
        if not parts:
            return np.zeros(0), np.zeros((0, columns)), np.zeros(0), np.zeros(0), places
        phi, J, rate, second = (np.concatenate([p[k] for p in parts]) for k in range(4))
        return phi, J, rate, second, places

    def forces(self, r: Floats, R: Floats, v: Floats, t: float) -> Floats:
        """Return Q, (6n,): forces in ground axes at the centers of mass, moments in body axes, gyroscopic ones included."""
        Q, twist = np.zeros((self.n, 6)), v.reshape(self.n, 6)
        Q[:, :3] = self.masses[:, None] * self.gravity
        for k in range(self.n):
            w = twist[k, 3:]
            Q[k, 3:] = -np.cross(w, self.inertias[k] @ w)
        for frame, force, moment, follows in self.loads:
            A = R[frame.body]
            F, N = (A @ force, A @ moment) if follows else (force, moment)
            Q[frame.body, :3] += F
            Q[frame.body, 3:] += A.T @ (N + np.cross(A @ frame.point, F))
        poses, columns = self.batch(r, R, v, t, 0.01)
        for function, law in self.coordinate_laws:
            value, gradient, rate, _ = self.derivatives(function, poses, columns, 0.01)
            Q += law(float(value[0]), float(rate[0])) * gradient[0].reshape(self.n, 6)
        return Q.ravel()

    def mass_matrix(self) -> Floats:
        """Return M, (6n, 6n)."""
        M = np.zeros((6 * self.n, 6 * self.n))
        for k in range(self.n):
            M[6 * k : 6 * k + 3, 6 * k : 6 * k + 3] = self.masses[k] * np.eye(3)
            M[6 * k + 3 : 6 * k + 6, 6 * k + 3 : 6 * k + 6] = self.inertias[k]
        return M

    def solve(self, r: Floats, R: Floats, v: Floats, t: float) -> tuple[Floats, Floats, Floats, list[slice]]:
        """Return v̇, the smallest multipliers λ, Φ_q and the rows of every joint."""
        _, J, _, second, places = self.constraints(r, R, v, t)
        m, n = len(J), 6 * self.n
        K = np.block([[self.mass_matrix(), J.T], [J, np.zeros((m, m))]])
        found = np.linalg.lstsq(K, np.concatenate([self.forces(r, R, v, t), -second]), rcond=1e-12)[0]
        return found[:n], found[n:], J, places

    def consistent(self, r: Floats, R: Floats, v: Floats, t: float) -> Floats:
        """Return the velocity nearest to v that the constraints allow."""
        _, J, _, _, _ = self.constraints(r, R, 0.0 * v, t)
        rate = self.constraints(r, R, v, t)[2]
        return v - np.linalg.pinv(J, rcond=1e-11) @ rate

    def wrenches(self, r: Floats, R: Floats, v: Floats, t: float) -> dict[str, tuple[Floats, Floats, Floats, Floats]]:
        """Return force and moment of every joint on its second body (ground axes, at the second origin), and what is unique.

        A component is unique if no combination of multipliers that does nothing to the bodies changes it.
        """
        _, multipliers, J, places = self.solve(r, R, v, t)
        if not len(J):
            return {}
        values, vectors = np.linalg.svd(J.T)[1:]
        idle = vectors[int(np.sum(values > 1e-9)) :]
        found = {}
        for joint, rows in zip(self.joints, places, strict=True):
            if joint.first is None or joint.second is None:
                continue
            wrench = self._wrench_map(joint, J[rows], r, R)
            free = np.max(np.abs(wrench @ idle[:, rows].T), axis=1, initial=0.0) < 1e-7
            both = wrench @ multipliers[rows]
            found[joint.name] = (both[:3], both[3:], free[:3], free[3:])
        return found

    def _wrench_map(self, joint: Joint, J: Floats, r: Floats, R: Floats) -> Floats:
        """Return the matrix from a joint's multipliers to its wrench, (6, m)."""
        assert joint.first is not None and joint.second is not None
        on, sign = (joint.second.body, -1.0) if joint.second.body >= 0 else (joint.first.body, 1.0)
        F, N = sign * J[:, 6 * on : 6 * on + 3].T, sign * R[on] @ J[:, 6 * on + 3 : 6 * on + 6].T
        j, place = joint.second.body, joint.second.point
        if j >= 0:
            place = r[j] + R[j] @ place
        return np.vstack([F, N - skew(place - r[on]) @ F])

    def integrate(self, r: Floats, R: Floats, v: Floats, until: float, rtol: float) -> tuple[Floats, Floats, Floats]:
        """Return (r, R, v) at `until` by SciPy's DOP853 on v̇; over a short time nothing drifts."""
        n = self.n

        def slope(t: float, y: Floats) -> Floats:
            r, R, v = y[: 3 * n].reshape(n, 3), y[3 * n : 12 * n].reshape(n, 3, 3), y[12 * n :]
            w = v.reshape(n, 6)
            return np.concatenate([w[:, :3].ravel(), (R @ skew(w[:, 3:])).ravel(), self.solve(r, R, v, t)[0]])

        y = solve_ivp(slope, (0.0, until), np.concatenate([r.ravel(), R.ravel(), v]), "DOP853", rtol=rtol, atol=rtol).y[:, -1]
        return y[: 3 * n].reshape(n, 3), y[3 * n : 12 * n].reshape(n, 3, 3), y[12 * n :]
