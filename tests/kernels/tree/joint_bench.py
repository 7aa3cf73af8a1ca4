"""A model in joint coordinates on a bench: R and Φ̇ by NumPy from the kernels of the bodies, and their derivatives both ways."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.spatial.transform import Rotation

import multibody as mb
from kernels.differences import derivative
from multibody.analyses.assembly.assemble import assemble
from multibody.formulations.spaces.joint_space import JointSpace
from multibody.kernels.compile import kernel
from multibody.kernels.declared import model_at, scratch_at
from multibody.kernels.force_partials import force_partials
from multibody.kernels.forces import add_forces
from multibody.kernels.rows import row_jacobian, row_partials, row_velocity
from multibody.kernels.tags import PLANAR, SPATIAL
from multibody.kernels.tree.calls import TREE_CALLS
from multibody.kernels.tree.partials import tree_partials, tree_row
from multibody.rank.run_rows import run_rows
from multibody.state.system import System, tables_of
from multibody.tables.tree_arrays import add_partials

Floats = npt.NDArray[np.float64]


@kernel
def partials_planar(model, scratch, v, a, G, Kc, Cc, H, C, K):  # type: ignore[no-untyped-def]
    """Call `tree_partials` for a planar model."""
    tree_partials(PLANAR, model_at(model), scratch_at(scratch), v, a, G, Kc, Cc, H, C, K)


@kernel
def partials_spatial(model, scratch, v, a, G, Kc, Cc, H, C, K):  # type: ignore[no-untyped-def]
    """Call `tree_partials` for a spatial model."""
    tree_partials(SPATIAL, model_at(model), scratch_at(scratch), v, a, G, Kc, Cc, H, C, K)


@kernel
def row_planar(model, scratch, r, E, V, J, out):  # type: ignore[no-untyped-def]
    """Call `tree_row` for a planar model."""
    tree_row(PLANAR, model_at(model), scratch_at(scratch), r, E, V, J, out)


@kernel
def row_spatial(model, scratch, r, E, V, J, out):  # type: ignore[no-untyped-def]
    """Call `tree_row` for a spatial model."""
    tree_row(SPATIAL, model_at(model), scratch_at(scratch), r, E, V, J, out)


@dataclass(frozen=True)
class Point:
    """Where R is evaluated."""

    t: float
    q: Floats
    u: Floats
    a: Floats
    multipliers: Floats


class Bench:
    """A model in joint coordinates: R by NumPy from the kernels of the bodies, and its derivatives by the kernel under test."""

    def __init__(self, model: mb.Model, state: mb.State | None = None, cut: list[str] | None = None) -> None:
        state = assemble(model) if state is None else state
        system = System(tables_of(model))
        system.ref[:] = state.references
        self.space = JointSpace(system, state, run_rows(system, state.q, state.t), mb.Recursive(cut))
        b, self.tables = self.space.bundle, system.tables
        self.arrays = b.working()
        self.tree, self.work = self.arrays.tree, self.arrays.scratch
        self.d, self.w = self.tables.dimension, 3 if self.tables.dimension == 2 else 6
        self.n, self.nq, self.nv = self.space.nv, self.space.nq, self.tables.nv
        self.rows = [b.loops[k] for k in b.chosen]
        add_partials(self.tree, self.tables, self.nv**2, 0)
        calls = TREE_CALLS
        self.state, self.twists = calls["state"], calls["twists"]
        self.start, self.mass = self.space.start(state), self._mass()

    def point(self, seed: int, far: float = 0.3) -> Point:
        """Return a state about the start, off the loops, with any rates, accelerations and multipliers."""
        rng = np.random.default_rng(seed)
        q = self.displaced(self.start[: self.nq], rng.uniform(-far, far, self.n) * self.space.rate_scales)
        u, a = rng.uniform(-2.0, 2.0, (2, self.n)) * self.space.rate_scales
        return Point(float(rng.uniform(0.1, 0.4)), q, u, a, rng.uniform(-3.0, 3.0, len(self.rows)))

    def displaced(self, q: Floats, x: Floats) -> Floats:
        """Return q ⊕ x: coordinates add, balls turn by the rotation vector in the carrier's axes."""
        out, c = q.copy(), self.space.columns
        for column, place, rate in zip(c.columns, c.places, c.rates, strict=True):
            if place >= 0:
                out[place] += x[rate]
            elif rate >= 0 and column.axis == 0:
                at = c.quaternions[column.link]
                p = Rotation.from_quat(np.roll(q[at : at + 4], -1))
                out[at : at + 4] = np.roll((Rotation.from_rotvec(x[rate : rate + 3]) * p).as_quat(), 1)
        extras = len(self.tables.extras)
        out[self.nq - extras :] += x[self.n - extras :]
        return out

    # --- R by hand ----------------------------------------------------------------------------------------------------
    def place(self, p: Point) -> Floats:
        """Write poses and twists at a point; return v_c."""
        self.tree.scratch.with_bodies = 1
        y = np.concatenate([p.q, p.u, [0.0]])
        self.state(*self.arrays.run, p.t, y, y)
        return self.velocities()

    def velocities(self) -> Floats:
        """Return v_c as it stands in the scratch."""
        return np.array(self.work.velocity[self.w :])

    def transformation(self, p: Point) -> Floats:
        """Return B, from the bodies' velocities at unit rates; W is as before."""
        none = np.zeros(self.n)

        def seen(u: Floats) -> Floats:
            self.twists(*self.arrays.run, p.t, u, u)
            return self.velocities()

        rest = seen(none)
        B = np.stack([seen(e) - rest for e in np.eye(self.n)], axis=-1) if self.n else np.zeros((self.nv, 0))
        self.place(p)
        return B

    def bias(self) -> Floats:
        """Return the accelerations of the bodies at u̇ = 0, prescribed ones included, from the state of the links."""
        w, work = self.w, self.tree.scratch
        twists = np.asarray(self.work.planar_twist if self.d == 2 else self.work.spatial_twist).view(float).reshape(-1, w)
        out = np.zeros(self.nv)
        for link, now in zip(self.tree.model.links, work.planar_links if self.d == 2 else work.spatial_links, strict=True):
            body, c, s = int(link.body), now.center, now.bias - self.tree.model.base
            twist = twists[body]
            own = out[w * (body - 1) : w * body]
            if self.d == 2:
                own[:] = s + np.array([-s[2] * c[1] - twist[2] * twist[1], s[2] * c[0] + twist[2] * twist[0], 0.0])
            else:
                A = self.work.spatial_pose.A[body].reshape(3, 3)
                own[:3] = s[:3] + np.cross(s[3:], c) + np.cross(twist[3:], twist[:3])
                own[3:] = A.T @ s[3:]
        return out

    def entries(self, kernel: Any, p: Point, *more: Any) -> Floats:
        """Return what a kernel writes on the entries of the chosen rows, as a matrix over the velocity columns."""
        out = np.zeros((len(self.rows), self.nv))
        for k, r in enumerate(self.rows):
            columns = self.columns(r)
            values = np.zeros(len(columns))
            kernel(*self.arrays.run, p.t, r, r + 1, *more, values)
            out[k, columns] = values
        return out

    def columns(self, r: int) -> Any:
        """Return the velocity columns of the entries of a row."""
        return self.tables.columns[self.tables.row_pointer[r] : self.tables.row_pointer[r + 1]]

    def _mass(self) -> Floats:
        """Return M_c."""
        M, w, d = np.zeros((self.nv, self.nv)), self.w, self.d
        for b, mass in enumerate(self.arrays.model.planar_mass if d == 2 else self.arrays.model.spatial_mass):
            M[w * b : w * b + d, w * b : w * b + d] = mass.m * np.eye(d)
            M[w * b + d : w * b + w, w * b + d : w * b + w] = mass.J if d == 2 else mass.J.reshape(3, 3)
        return M

    def loads(self, p: Point) -> Floats:
        """Return γ = Φ_cᵀ λ − Q_c at the state in W."""
        Q = np.zeros(self.nv)
        add_forces(*self.arrays.run, p.t, Q)
        return self.entries(row_jacobian, p).T @ p.multipliers - Q

    def residual(self, p: Point, B: Floats | None = None) -> Floats:
        """Return Bᵀ(M_c a_c + γ); B may be given where it is known."""
        self.place(p)
        B = self.transformation(p) if B is None else B
        return np.asarray(B.T @ (self.mass @ (B @ p.a + self.bias()) + self.loads(p)))

    def rates(self, p: Point) -> Floats:
        """Return Φ_c v_c − ν of the chosen rows."""
        v, nu = self.place(p), np.zeros(len(self.rows))
        for k, r in enumerate(self.rows):
            row_velocity(*self.arrays.run, p.t, r, r + 1, nu[k:])
        return np.asarray(self.entries(row_jacobian, p) @ v - nu)

    def blocks(self, p: Point) -> tuple[Floats, Floats, Floats]:
        """Return K_c and C_c of γ, full matrices by rows, and ∂(Φ_c v_c − ν)/∂q at the state in W."""
        K, D = np.zeros((2, self.nv * self.nv))
        force_partials(*self.arrays.run, p.t, K, D)
        K, D, none = -K, -D, np.zeros(self.nv)
        for k, r in enumerate(self.rows):
            row_partials(*self.arrays.run, p.t, r, r + 1, p.multipliers[k : k + 1], K, none)
        return K, D, self.entries(row_partials, p, np.zeros(1), np.zeros(self.nv * self.nv))

    # --- the kernel ---------------------------------------------------------------------------------------------------
    def partials(self, p: Point) -> dict[str, Floats]:
        """Return H, C, K, Φ_u and V."""
        entry, row_entry = (partials_planar, row_planar) if self.d == 2 else (partials_spatial, row_spatial)
        self.place(p)
        G, (K, D, V), n = self.loads(p), self.blocks(p), self.n
        found = {key: np.full((n, n), np.nan) for key in "HCK"}
        entry(*self.arrays.still, p.u, p.a, G, K, D, *(x.reshape(-1) for x in found.values()))
        found |= {"J": np.zeros((len(self.rows), n)), "V": np.zeros((len(self.rows), n))}
        Phi = self.entries(row_jacobian, p)
        for k, r in enumerate(self.rows):
            columns = self.columns(r)
            row_entry(*self.arrays.still, r, Phi[k, columns], V[k, columns], found["J"][k], found["V"][k])
        return found

    def expected(self, p: Point) -> dict[str, Floats]:
        """Return the same: H and Φ_u by products, the others from differences of R and Φ_c v_c − ν."""
        self.place(p)
        B, unit = self.transformation(p), np.eye(self.n)

        def turned(x: Floats) -> Point:
            return replace(p, q=self.displaced(p.q, x))

        def along(f: Callable[[Floats], Floats]) -> Floats:
            return np.stack([derivative(lambda s, e=e: f(s * e)) for e in unit], axis=-1)  # type: ignore[misc]

        found = {"H": B.T @ self.mass @ B, "J": self.entries(row_jacobian, p) @ B}
        found["C"] = along(lambda x: self.residual(replace(p, u=p.u + x), B))
        found["K"] = along(lambda x: self.residual(turned(x)))
        found["V"] = along(lambda x: self.rates(turned(x)))
        return found
