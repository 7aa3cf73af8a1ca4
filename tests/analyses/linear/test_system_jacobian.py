"""The system Jacobian against differences of eighth order, on every model of the library and on random mechanisms."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given

import multibody as mb
from across.properties.strategies import examples
from analyses.dynamics.random_models import Heavy, well_posed
from analyses.dynamics.test_random_models import heavies
from kernels.differences import Floats, derivative
from multibody.analyses.linear.linearization import applied_forces, known_mass_matrix
from multibody.analyses.linear.system_jacobian import SystemJacobian
from multibody.library import names
from multibody.rank.run_rows import run_rows
from multibody.state.system import System, tables_of

TOLERANCE = 1e-9
VARIANTS = {
    "planetary": {"drive": "torque"}, "rrc-arm": {"case": "1b"}, "engine": {"n": 2}, "iftomm-n-four-bar": {"n": 3},
    "slider-crank": {"drive": False},
}  # fmt: skip


def quaternion_product(a: Floats, b: Floats) -> Floats:
    """Return a ∘ b, scalar first."""
    vector = a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:])
    return np.concatenate([[a[0] * b[0] - a[1:] @ b[1:]], vector])


class Implicit:
    """F(t, y, ẏ) from values alone: y = (q ⊕ d, v, λ, μ), ẏ from a path that passes through q with given velocities."""

    def __init__(self, model: mb.Model, at: SystemJacobian, state: mb.State) -> None:
        self.system = System(tables_of(model))
        self.system.ref[:] = state.references
        self.at, self.rows = at, np.sort(run_rows(self.system, at.q, at.t))
        self.n, self.m = self.system.nv, len(self.rows)
        self.M = known_mass_matrix(self.system)

    def rate(self, d: Floats, rates: Floats) -> Floats:
        """Return (ṙ, ω′) of the path q(τ) ⊕ d, whose undisplaced velocities are `rates`."""
        if self.system.tables.dimension == 2:
            return rates
        found = rates.copy()
        for b in range(len(self.system.tables.bodies) - 1):
            k = slice(6 * b + 3, 6 * b + 6)
            p = self.at.q[7 * b + 3 : 7 * b + 7]
            dp = 0.5 * quaternion_product(p, np.concatenate([[0.0], rates[k]]))
            moved = self.system.displaced(self.at.q, d)[7 * b + 3 : 7 * b + 7]
            turn = quaternion_product(p * [1, -1, -1, -1], moved)
            conjugate = moved * [1, -1, -1, -1]
            found[k] = 2.0 * quaternion_product(conjugate, quaternion_product(dp, turn))[1:]
        return found

    def __call__(self, y: Floats, dy: Floats) -> Floats:
        """Return F at displacements y from the state and changes dy of the rates."""
        s, at, n, m = self.system, self.at, self.n, self.m
        d, v, force, closing = y[:n], at.v + y[n : 2 * n], at.multipliers[self.rows] + y[2 * n : 2 * n + m], y[2 * n + m :]
        q = s.displaced(at.q, d)
        J = s.jacobian(q, at.t)[self.rows]
        rates = self.rate(d, at.v) + dy[:n]
        return np.concatenate([
            rates - v + J.T @ closing,
            self.M @ (at.acceleration + dy[n : 2 * n]) - applied_forces(s, q, v, at.t) + J.T @ force,
            s.phi(q, at.t)[self.rows], J @ v - s.velocity_side(q, at.t)[self.rows],
        ])  # fmt: skip

    def scales(self) -> tuple[Floats, Floats]:
        """Return what frees rows and columns of units of length."""
        s, rows = self.system, self.system.scale_rows[self.rows]
        columns = np.concatenate([s.scale_columns, s.scale_columns, 1.0 / rows, 1.0 / rows])
        return np.concatenate([1.0 / s.scale_columns, s.scale_columns, rows, rows]), columns


def check(model: mb.Model, state: mb.State, rng: np.random.Generator, **options: Floats) -> None:
    """Assert that both matrices are those of differences, and that F vanishes at a consistent state."""
    at = model.system_jacobian(initial=state, **options)
    F = Implicit(model, at, replace(state, q=at.q, v=at.v))
    size = 2 * F.n + 2 * F.m
    assert at.dF_dy.shape == at.dF_dydot.shape == (size, size) == (len(at.equations), len(at.unknowns))
    assert np.max(np.abs(F(np.zeros(size), np.zeros(size)) - at.residual), initial=0.0) < 1e-9 * (
        1.0 + np.max(abs(at.residual))
    )
    rows, columns = F.scales()
    picked = rng.permutation(size)[:24]  # of large models some columns
    unit, none = np.diag(columns), np.zeros(size)
    by_y = [rows * derivative(lambda s, k=k: F(s * unit[k], none)) for k in picked]  # type: ignore[misc]
    by_rate = [rows * (F(none, unit[k]) - F(none, -unit[k])) / 2.0 for k in picked]  # it is linear in ẏ
    for matrix, made in ((at.dF_dy, by_y), (at.dF_dydot, by_rate)):
        found, expected = rows[:, None] * matrix.toarray() * columns, np.stack(made, axis=-1)
        for block in np.split(np.arange(size), [F.n, 2 * F.n, 2 * F.n + F.m]):
            scale = max(1.0, float(np.max(np.abs(expected[block]), initial=0.0)))
            assert np.max(np.abs(found[block][:, picked] - expected[block]), initial=0.0) < TOLERANCE * scale


def moving(model: mb.Model, rng: np.random.Generator, t: float = 0.1) -> mb.State:
    """Return an assembled state with random consistent velocities."""
    state = model.assemble(t=t)
    assert state.ok
    scale = System(state.tables).scale_columns
    return replace(state, v=state.v + rng.normal(size=len(state.v)) * scale)


@pytest.mark.parametrize("name", names())
def test_library(name: str) -> None:
    model, rng = mb.load(name, **VARIANTS.get(name, {})), np.random.default_rng(sum(name.encode()))
    state = moving(model, rng)
    system = System(tables_of(model))
    a, force = (
        rng.normal(size=system.nv) * system.scale_columns,
        rng.normal(size=system.rows) * system.scale_rows[: system.rows],
    )
    check(model, state, rng, acceleration=a, multipliers=force)


@pytest.mark.parametrize("name", ["spatial-four-bar", "stewart-platform", "cam-roller", "iftomm-bricard", "universal-shaft"])
def test_the_residual_vanishes_with_the_accelerations_and_multipliers_of_a_run(name: str) -> None:
    at = mb.load(name).system_jacobian(t=0.05)
    n = len(at.v)
    assert np.max(np.abs(at.residual)) < 1e-9 * max(1.0, float(np.max(np.abs(at.multipliers), initial=0.0)))
    assert len(at.residual) == 2 * n + 2 * (len(at.residual) // 2 - n)


@examples(10)
@given(heavies(2))
def test_random_planar_mechanisms(heavy: Heavy) -> None:
    assume(well_posed(heavy))
    model = heavy.model()
    check(model, heavy.state(model), np.random.default_rng(0))


@examples(6)
@given(heavies(3))
def test_random_spatial_mechanisms(heavy: Heavy) -> None:
    assume(well_posed(heavy))
    model = heavy.model()
    check(model, heavy.state(model), np.random.default_rng(0))


def test_a_coupler_that_depends_on_time_and_coordinates_together() -> None:
    m = mb.Model("mixed", dimension=2, gravity=(0, -9.81))
    for name in ("a", "b"):
        m.body(name, mass=1.0, inertia=0.1, com=(0.5, 0.1))
    m.revolute("A", m.ground, "a")
    m.revolute("B", m.ground, "b", at=(1, 0))
    m.coupler("C", "A*(1 + t^2) - sin(B)*t - 0.2*A*B")
    m.initial({"A": 0.4}, guess={"B": 0.3})
    check(m, moving(m, np.random.default_rng(3), 0.7), np.random.default_rng(3))


def test_the_single_pendulum_of_the_velocity_transformation_paper() -> None:
    """∂G/∂Y of G = (m l²/3) u̇ + (m g l/2) cos θ: −(m g l/2) sin θ, from the matrices of bodies along the joint."""
    mass, length, g, theta = 1.3, 0.7, 9.81, 0.6
    m = mb.Model("rod", dimension=2, gravity=(0, -g))
    m.body("rod", mass=mass, inertia=mass * length**2 / 12, com=(length / 2, 0))
    m.revolute("O", m.ground, "rod")
    m.initial({"O": theta, "O.rate": 1.7})
    at = m.system_jacobian()
    s, c = np.sin(theta), np.cos(theta)
    along = np.array([-length / 2 * s, length / 2 * c, 1.0])  # column of the joint
    bend = np.array([-length / 2 * c, -length / 2 * s, 0.0])  # its derivative
    A, E = at.dF_dy.toarray(), at.dF_dydot.toarray()
    K, M = A[3:6, :3], E[3:6, 3:6]
    acceleration = -1.5 * g / length * c
    # d/dθ of alongᵀ(M v̇ − Q + Φᵀλ), with the terms of v̇ = along u̇ + bend u² held in u̇ and u
    change = along @ (K @ along) + along @ M @ (bend * acceleration - along * [1, 1, 0] * 1.7**2)
    assert change == pytest.approx(-0.5 * mass * g * length * s, rel=1e-12)
    assert along @ M @ along == pytest.approx(mass * length**2 / 3, rel=1e-13)


def test_names_and_the_matrix_of_newton() -> None:
    at = mb.load("four-bar").system_jacobian()
    assert at.names["equations"][9] == "link1.x: balance" and "A: x-coincidence" in at.equations
    assert at.unknowns[9] == "link1.x.rate" and "multiplier of B: y-coincidence" in at.unknowns
    matrix = at.iteration_matrix(100.0).toarray()
    np.testing.assert_array_equal(matrix, at.dF_dy.toarray() + 100.0 * at.dF_dydot.toarray())
    assert np.linalg.matrix_rank(matrix) == len(matrix)
    assert "34 equations" in repr(at)


def test_redundant_rows_are_left_out() -> None:
    at = mb.load("iftomm-bricard").system_jacobian()
    assert len(at.residual) == 2 * len(at.v) + 2 * 29  # of 30 rows
    matrix = at.iteration_matrix(50.0).toarray()
    assert np.linalg.matrix_rank(matrix) == len(matrix)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"acceleration": [1.0, 2.0]}, "acceleration has the shape \\(2,\\); give 9 finite numbers"),
        ({"multipliers": np.full(8, np.nan)}, "multipliers"),
        ({"formulation": "augmentd"}, "augmentd"),
    ],
)
def test_bad_input(options: dict[str, object], message: str) -> None:
    with pytest.raises(mb.ModelError, match=message):
        mb.load("four-bar").system_jacobian(**options)  # type: ignore[arg-type]


def test_a_body_without_mass_is_named() -> None:
    m = mb.Model("bare", dimension=2)
    m.body("bar")
    m.revolute("O", m.ground, "bar")
    with pytest.raises(mb.ModelError, match='body "bar": it has no mass'):
        m.system_jacobian()
