"""Linearization about states that move: tops, rotors and rolling pairs in closed form, mechanisms against differences."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import multibody as mb
from kernels.differences import Floats, central
from multibody.analyses.linear.linearization import applied_forces, known_mass_matrix
from multibody.analyses.modes.minimal import Minimal
from multibody.rank.run_rows import run_rows
from multibody.results.modes import Modes
from multibody.state.system import System, tables_of

G = 9.81


def frequencies(found: Modes) -> Floats:
    """Return the angular frequencies that are not zero, sorted."""
    values = np.abs(found.eigenvalues.imag)
    return np.sort(values[values > 1e-6])


# --- tops and rotors ----------------------------------------------------------------------------------------------------
def top(spin: float) -> mb.Model:
    """Return a symmetric top, upright on a ball joint."""
    m = mb.Model("top", gravity=(0, 0, -G))
    m.body("top", mass=2.0, inertia=(0.03, 0.03, 0.05), com=(0, 0, 0.2))
    m.spherical("O", m.ground, "top")
    m.initial({"top.omega.x": 0.0, "top.omega.y": 0.0, "top.omega.z": spin})
    return m


@pytest.mark.parametrize("spin", [60.0, 200.0])
def test_sleeping_top_precesses_and_nutates(spin: float) -> None:
    """Jₜ λ² − i Jₐ Ω λ = m g l for x + i y in ground axes: slow precession and fast nutation."""
    across, along, weight = 0.03 + 2.0 * 0.04, 0.05, 2.0 * G * 0.2
    root = np.sqrt((along * spin) ** 2 - 4.0 * across * weight)
    found = top(spin).modes()
    expected = [(along * spin - root) / (2 * across), (along * spin + root) / (2 * across)]
    assert frequencies(found) == pytest.approx(np.sort(expected), rel=1e-9)
    assert any("snapshot" in note for note in found.notes) and found.stable


def test_a_slow_top_falls() -> None:
    found = top(20.0).modes()  # below 2 √(Jₜ m g l) / Jₐ
    across, along, weight = 0.11, 0.05, 2.0 * G * 0.2
    assert 2 * np.sqrt(across * weight) / along > 20.0 and not found.stable
    growth = np.sqrt(4.0 * across * weight - (along * 20.0) ** 2) / (2 * across)
    assert np.max(found.eigenvalues.real) == pytest.approx(growth, rel=1e-9)


def test_steady_precession_in_gimbals() -> None:
    """A fast top that precesses steadily at an inclination, in Euler angles: the frequency of nutation in closed form."""
    across, along, weight, tilt, fast = 0.11, 0.05, 2.0 * G * 0.2, 0.7, 4.0
    spin = (weight + across * fast**2 * np.cos(tilt)) / (along * fast) - fast * np.cos(tilt)  # relative, about the axis
    m = mb.Model("gimbals", gravity=(0, 0, -G))
    m.body("ring", mass=0.0, inertia=(0.0, 0.0, 0.0))
    m.body("arm", mass=0.0, inertia=(0.0, 0.0, 0.0))
    m.body("top", mass=2.0, inertia=(0.03, 0.03, 0.05), com=(0, 0, 0.2))
    m.revolute("precession", m.ground, "ring", axis=(0, 0, 1))
    m.revolute("nutation", "ring", "arm", axis=(1, 0, 0))
    m.revolute("spin", "arm", "top", axis=(0, 0, 1))
    m.initial({"nutation": tilt, "precession.rate": fast, "spin.rate": spin, "nutation.rate": 0.0})
    found = m.modes()
    momentum = along * (spin + fast * np.cos(tilt))
    # energy with momenta about the vertical and the axis kept: V(θ) = (p − a cosθ)²/(2 Jₜ sin²θ) + m g l cosθ
    p, a = across * fast * np.sin(tilt) ** 2 + momentum * np.cos(tilt), momentum

    def potential(theta: float) -> Floats:
        return np.asarray((p - a * np.cos(theta)) ** 2 / (2 * across * np.sin(theta) ** 2) + weight * np.cos(theta))

    slope = central(lambda x: central(lambda s: potential(tilt + x + s), 1e-2), 1e-2)
    assert abs(central(lambda s: potential(tilt + s), 1e-2)) < 1e-9  # it is steady
    assert frequencies(found) == pytest.approx([np.sqrt(slope / across)], rel=1e-7)
    assert np.sum(found.eigenvalues == 0.0) >= 2  # both angles of rotation are ignorable


def test_free_symmetric_body_nutates() -> None:
    """A free body that spins about its axis: in ground axes the nutation has the frequency Jₐ Ω / Jₜ."""
    m = mb.Model("satellite")
    m.body("hub", mass=1.0, inertia=(0.4, 0.4, 0.7))
    m.initial({"hub.omega.z": 5.0})
    assert frequencies(m.modes()) == pytest.approx([0.7 * 5.0 / 0.4], rel=1e-9)


def test_rotor_in_springs_whirls() -> None:
    """A disk on a rotating shaft in a bushing: forward and backward whirl, Jₜ λ² − i Jₐ Ω λ + k = 0."""
    spin, k, across, along = 300.0, 500.0, 0.02, 0.035
    m = mb.Model("rotor")
    m.body("carrier", mass=0.0, inertia=(0.0, 0.0, 0.0))
    m.body("disk", mass=1.0, inertia=(across, across, along))
    m.universal("tilt", m.ground, "carrier", axes=((1, 0, 0), (0, 1, 0)))
    m.revolute("shaft", "carrier", "disk", axis=(0, 0, 1))
    m.effort("kx", "tilt.angle1", stiffness=k)
    m.effort("ky", "tilt.angle2", stiffness=k)
    m.initial({"shaft.rate": spin})
    root = np.sqrt((along * spin) ** 2 + 4 * across * k)
    expected = [(root - along * spin) / (2 * across), (root + along * spin) / (2 * across)]
    assert frequencies(m.modes()) == pytest.approx(expected, rel=1e-8)


def test_a_governor_that_turns_steadily() -> None:
    """A bead on a hoop that is driven at a constant rate: ω² = Ω² sin²θ at cos θ = g/(Ω² R)."""
    rate, radius = 12.0, 0.2
    theta = float(np.arccos(G / (rate**2 * radius)))
    m = mb.Model("hoop", gravity=(0, 0, -G))
    m.body("hoop", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.body("bead", mass=0.3, inertia=(0.0, 0.0, 0.0), com=(0, 0, -radius))
    m.revolute("O", m.ground, "hoop", axis=(0, 0, 1))
    m.revolute("B", "hoop", "bead", axis=(0, 1, 0))
    m.motion("O", f"{rate}*t")
    m.initial({"B": theta})
    found = m.modes()
    assert np.abs(found.eigenvalues) == pytest.approx([rate * np.sin(theta)], rel=1e-9)
    assert np.max(np.abs(found.found.minimal.Az)) > 0.0  # type: ignore[union-attr]


def test_a_disk_that_rolls_on_a_beam() -> None:
    """A rack on a wheel under a spring: m + J/r² on the spring."""
    m = mb.Model("rolling", dimension=2)
    m.body("wheel", mass=2.0, inertia=0.03)
    m.body("bar", mass=1.5, inertia=0.1, at=(0, 0.1))
    m.revolute("W", m.ground, "wheel")
    m.translational("S", m.ground, "bar", at=(0, 0.1), axis=(1, 0))
    m.rack("mesh", "wheel", "bar", radius=0.1, axis=(1, 0))
    m.effort("k", "S", stiffness=200.0)
    assert np.abs(m.modes().eigenvalues) == pytest.approx([np.sqrt(200.0 / (1.5 + 0.03 / 0.01))], rel=1e-11)


# --- mechanisms against differences -------------------------------------------------------------------------------------
class Coordinates:
    """z̈ as a function of (z, ż) by Newton's method on the constraints and the dense equations of motion."""

    def __init__(self, model: mb.Model, state: mb.State, made: Minimal) -> None:
        self.system = s = System(tables_of(model))
        s.ref[:] = state.references
        self.state, self.rows = state, np.sort(run_rows(s, state.q, state.t))
        tables = s.tables
        self.functions = []
        for name in made.names:
            joint, _, item = name.partition(".")
            items = model.joints[joint].names_of_coordinates(tables.dimension)
            self.functions.append(tables.coordinates["joint", joint, item or items[0], 0])
        self.z, self.y = self.read(state.q, state.v)[:2]

    def read(self, q: Floats, v: Floats) -> tuple[Floats, Floats, Floats]:
        """Return values, rates and γ of the coordinates."""
        parts = [self.system.functions(q, np.ascontiguousarray(v), f, f + 1) for f in self.functions]
        values = np.array([[float(x[0]) for x in part] for part in parts]).T
        return values[0], values[1], values[2]

    def __call__(self, dz: Floats, dy: Floats) -> Floats:
        """Return z̈ where the coordinates are dz and their rates dy beside those of the state."""
        s, t, q = self.system, self.state.t, self.state.q
        for _ in range(30):
            J = np.vstack([s.jacobian(q, t)[self.rows], [s.gradient(q, f) for f in self.functions]])
            rest = np.concatenate([s.phi(q, t)[self.rows], self.read(q, self.state.v)[0] - self.z - dz])
            step = np.linalg.solve(J, -rest)
            q = s.displaced(q, step)
            if np.max(np.abs(step)) < 1e-14:
                break
        J = np.vstack([s.jacobian(q, t)[self.rows], [s.gradient(q, f) for f in self.functions]])
        v = np.linalg.solve(J, np.concatenate([s.velocity_side(q, t)[self.rows], self.y + dy]))
        m, n = len(self.rows), s.nv
        KKT = np.block([[known_mass_matrix(s).toarray(), J[:m].T], [J[:m], np.zeros((m, m))]])
        right = np.concatenate([applied_forces(s, q, v, t), s.gamma(q, v, t)[self.rows]])
        a = np.linalg.solve(KKT, right)[:n]
        return J[m:] @ a - self.read(q, v)[2]


MOVING = {
    "four-bar": {}, "double-pendulum": {}, "slider-crank": {"drive": False}, "spatial-four-bar": {}, "iftomm-flyball": {},
    "stewart-platform": {}, "iftomm-bricard": {}, "iftomm-andrews": {}, "rrc-arm": {}, "arm7": {},
    "tilted-four-bar": {}, "engine": {},
}  # fmt: skip


@pytest.mark.parametrize("name", MOVING)
def test_mechanisms_in_motion(name: str) -> None:
    model, rng = mb.load(name, **MOVING[name]), np.random.default_rng(7)
    start = model.assemble(t=0.02)
    scale = System(start.tables).scale_columns
    state = replace(start, v=start.v + rng.normal(size=len(start.v)) * scale)
    found = model.modes(at=state)
    made = found.found.minimal
    assert made is not None
    exact = Coordinates(model, found.found.state, made)
    unit = np.where(made.is_length, start.tables.length, 1.0)
    f, none = len(made.names), np.zeros(len(made.names))
    steps = unit * np.eye(f)
    by_z = [central(lambda s, x=x: exact(s * x, none), 4e-3) / unit for x in steps]  # type: ignore[misc]
    by_y = [central(lambda s, x=x: exact(none, s * x), 4e-3) / unit for x in steps]  # type: ignore[misc]
    for matrix, columns in ((made.stiffness, by_z), (made.damping, by_y)):
        scaled, expected = matrix * unit / unit[:, None], np.stack(columns, axis=-1)
        assert np.max(np.abs(scaled - expected)) < 1e-7 * max(1.0, float(np.max(np.abs(expected))))
