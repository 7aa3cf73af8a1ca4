"""Random mechanisms with masses, gravity, springs and velocities, and their equations of motion by dense NumPy."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import multibody as mb
from across.properties.strategies import Frame, Mechanism, _fields, _plain, orientation, regularity
from analyses.dynamics.checks import Floats
from multibody.analyses.dynamics.simulation import Simulation
from multibody.formulations import formulation_of
from multibody.integrators import Dop853
from multibody.rank.run_rows import run_rows
from multibody.state.system import System, tables_of


@dataclass(frozen=True)
class Heavy:
    """A mechanism with everything that moves it; frames of springs are P and Q of its bodies."""

    mechanism: Mechanism
    masses: dict[str, float]
    inertias: dict[str, Any]
    gravity: Floats
    springs: tuple[tuple[str, str, float, float, float], ...]  # ends, stiffness, free length, damping
    rates: dict[str, Floats]  # random velocities of the bodies, ground axes, before they are made consistent

    def model(self, scale: float = 1.0, units: dict[str, str] | None = None) -> mb.Model:
        """Return the model, its lengths multiplied by `scale` (masses and times are kept)."""
        mechanism, gravity = self.mechanism, scale * self.gravity
        m = mb.Model("random", dimension=mechanism.dimension, units=units, gravity=gravity)
        m.frames(**{name: _plain(frame, scale) for name, frame in mechanism.ground.items()})
        for body in mechanism.bodies:
            frames = {name: _plain(frame, scale) for name, frame in body.frames.items()}
            inertia = scale**2 * np.asarray(self.inertias[body.name])
            m.body(body.name, mass=self.masses[body.name], inertia=inertia, com=scale * body.com, frames=frames,
                   at=scale * body.at, **orientation(body.axes))  # fmt: skip
        for joint in mechanism.joints:
            at = None if joint.at is None else scale * joint.at
            m.joint(joint.kind, joint.name, joint.first, joint.second, at=at, **_fields(joint, scale))
        for k, (first, second, stiffness, length, damping) in enumerate(self.springs):
            m.spring(f"k{k}", first, second, stiffness=stiffness, length=scale * length, damping=damping)
        return m

    def in_units(self, length: float, mass: float) -> Heavy:
        """Return the same mechanism with lengths and masses in units of which so many go to one of these."""
        m = self.mechanism
        far = {key: Frame(length * f.point, f.axes) for key, f in m.ground.items()}
        bodies = tuple(
            replace(b, at=length * b.at, com=length * b.com,
                    frames={key: Frame(length * f.point, f.axes) for key, f in b.frames.items()})
            for b in m.bodies
        )  # fmt: skip
        joints = tuple(replace(j, at=None if j.at is None else length * j.at, lead=length * j.lead) for j in m.joints)
        d = m.dimension
        return Heavy(
            replace(m, bodies=bodies, joints=joints, ground=far), {k: mass * x for k, x in self.masses.items()},
            {k: mass * length**2 * np.asarray(x) for k, x in self.inertias.items()}, length * self.gravity,
            tuple((a, b, mass * k, length * x, mass * c) for a, b, k, x, c in self.springs),
            {k: np.concatenate([length * x[:d], x[d:]]) for k, x in self.rates.items()},
        )  # fmt: skip

    def state(self, model: mb.Model, scale: float = 1.0) -> mb.State:
        """Return the drawn pose with consistent velocities: the random ones, changed as little as the masses allow."""
        drawn = model.assemble()
        assert drawn.ok
        system = System(tables_of(model))
        system.ref[:] = drawn.references
        J, M = system.jacobian(drawn.q, 0.0), self.mass_matrix(drawn, scale)
        v = self.velocities(drawn, scale)
        inverse = np.linalg.inv(M)
        v -= inverse @ J.T @ np.linalg.pinv(J @ inverse @ J.T, rcond=1e-11) @ (J @ v)
        return replace(drawn, v=v)  # type: ignore[no-any-return]

    # --- by hand ------------------------------------------------------------------------------------------------------
    def mass_matrix(self, state: mb.State, scale: float = 1.0) -> Floats:
        """Return M, moments in body axes."""
        d = self.mechanism.dimension
        width = 3 if d == 2 else 6
        M = np.zeros((len(state.v), len(state.v)))
        for k, name in enumerate(state.tables.bodies[1:]):
            at = width * k
            M[at : at + d, at : at + d] = self.masses[name] * np.eye(d)
            M[at + d : at + width, at + d : at + width] = scale**2 * np.asarray(self.inertias[name])
        return M

    def velocities(self, state: mb.State, scale: float) -> Floats:
        """Return the random velocities in the order of the state, angular ones in body axes."""
        d, parts = self.mechanism.dimension, []
        for name in state.tables.bodies[1:]:
            rate = self.rates[name]
            turning = rate[d:] if d == 2 else self.axes(state, name).T @ rate[d:]
            parts += [scale * rate[:d], turning]
        return np.concatenate(parts)

    def axes(self, state: mb.State, name: str) -> Floats:
        """Return the axes of a body in ground."""
        if name == "ground":
            return np.eye(self.mechanism.dimension)
        k = list(state.tables.bodies).index(name) - 1
        if self.mechanism.dimension == 2:
            c, s = np.cos(state.q[3 * k + 2]), np.sin(state.q[3 * k + 2])
            return np.array([[c, -s], [s, c]])
        w, x, y, z = state.q[7 * k + 3 : 7 * k + 7]
        return np.asarray(Rotation.from_quat([x, y, z, w]).as_matrix())

    def forces(self, state: mb.State) -> Floats:
        """Return Q: weights, gyroscopic moments and springs, moments in body axes about the centers of mass."""
        d, names = self.mechanism.dimension, list(state.tables.bodies)
        width, stride = (3, 3) if d == 2 else (6, 7)
        Q = np.zeros(len(state.v))
        for k, name in enumerate(names[1:]):
            Q[width * k : width * k + d] = self.masses[name] * self.gravity
            if d == 3:
                spin = state.v[6 * k + 3 : 6 * k + 6]
                Q[6 * k + 3 : 6 * k + 6] = -np.cross(spin, np.asarray(self.inertias[name]) @ spin)
        for first, second, stiffness, length, damping in self.springs:
            ends = []
            for end in (first, second):
                name, _, frame = end.partition(".")
                body, k = next(b for b in self.mechanism.bodies if b.name == name), names.index(name) - 1
                A = self.axes(state, name)
                arm = A @ (body.frames[frame].point - body.com)
                v = state.v[width * k : width * (k + 1)]
                speed = v[:d] + (v[2] * np.array([-arm[1], arm[0]]) if d == 2 else np.cross(A @ v[3:], arm))
                ends.append((k, A, arm, state.q[stride * k : stride * k + d] + arm, speed))
            gap, relative = ends[1][3] - ends[0][3], ends[1][4] - ends[0][4]
            along = gap / np.linalg.norm(gap)
            push = -stiffness * (np.linalg.norm(gap) - length) - damping * (relative @ along)
            for sign, (k, A, arm, _, _) in zip((-1.0, 1.0), ends, strict=True):
                F = sign * push * along
                Q[width * k : width * k + d] += F
                moment = [arm[0] * F[1] - arm[1] * F[0]] if d == 2 else A.T @ np.cross(arm, F)
                Q[width * k + d : width * (k + 1)] += moment
        return Q

    def accelerations(self, model: mb.Model, state: mb.State) -> tuple[Floats, Floats]:
        """Return v̇ and the constraint forces −Φ_qᵀλ of the dense KKT system, by pseudo-inverse."""
        system = System(tables_of(model))
        system.ref[:] = state.references
        J, M, n = system.jacobian(state.q, 0.0), self.mass_matrix(state), len(state.v)
        gamma = system.gamma(state.q, state.v, 0.0)
        m = len(J)
        KKT = np.block([[M, J.T], [J, np.zeros((m, m))]])
        found = np.linalg.pinv(KKT, rcond=1e-11) @ np.concatenate([self.forces(state), gamma])
        return found[:n], -J.T @ found[n:]


def own_acceleration(model: mb.Model, state: mb.State, formulation: str) -> Floats:
    """Return v̇ from a formulation's own right-hand side."""
    system = System(tables_of(model))
    system.ref[:] = state.references
    sim = Simulation(
        system, state, run_rows(system, state.q, 0.0), formulation_of(formulation), Dop853(), rtol=1e-8, atol=1e-10
    )
    if len(sim.y) != system.nq + system.nv + 1:  # bodies welded together are one: its slopes are not those of bodies
        return np.asarray(model.run(0.01, initial=state, formulation=formulation, output_step=0.01).motion.a[0])
    b, slope = sim.bundle, np.zeros(len(sim.y))
    rhs, _ = formulation_of(formulation).kernels()
    assert rhs(*b.run, 0.0, sim.y, slope) >= 0
    return slope[system.nq : system.nq + system.nv]


def loaded(mechanism: Mechanism, seed: int) -> Heavy:
    """Return a mechanism with random masses, inertias, gravity, springs and velocities."""
    rng, d = np.random.default_rng(seed), mechanism.dimension
    masses = {b.name: float(rng.uniform(0.5, 2.0)) for b in mechanism.bodies}
    inertias: dict[str, Any] = {}
    for b in mechanism.bodies:
        R = Rotation.from_quat(rng.normal(size=4)).as_matrix()
        inertias[b.name] = float(rng.uniform(0.1, 0.5)) if d == 2 else R @ np.diag(rng.uniform(0.3, 0.5, 3)) @ R.T
    names = [b.name for b in mechanism.bodies]
    springs = []
    for _ in range(2):
        if len(names) > 1:
            first, second = rng.permutation(names)[:2]
            springs.append((f"{first}.P", f"{second}.Q", float(rng.uniform(5, 20)), float(rng.uniform(0.5, 1.5)),
                            float(rng.uniform(0, 1))))  # fmt: skip
    rates = {name: rng.uniform(-1, 1, 3 if d == 2 else 6) for name in names}
    return Heavy(mechanism, masses, inertias, rng.uniform(-6, 6, d), tuple(springs), rates)


def well_posed(heavy: Heavy) -> bool:
    """Return whether the mechanism moves, and is not near a singular pose."""
    model = heavy.model()
    system, state = System(tables_of(model)), model.assemble()
    if not state.ok:
        return False
    system.ref[:] = state.references
    J = system.scaled(system.jacobian(state.q, 0.0))
    free = system.nv - (np.linalg.matrix_rank(J, 1e-9) if len(J) else 0)
    return free > 0 and (len(J) == 0 or regularity(J) > 0.02)
