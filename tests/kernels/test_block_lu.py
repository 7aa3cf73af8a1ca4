"""The static block LU: solutions against dense ones, linear fill, weak bodies, full matrices where the order is no good."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import multibody as mb
from analyses.dynamics.random_loops import random_loops
from formulations.implicit.newton_bench import Bench
from multibody.analyses.dynamics.simulation import Simulation
from multibody.formulations import dependable, formulation_of, newton, pattern
from multibody.formulations.pattern import Pattern, sparse_pattern
from multibody.formulations.prepare_newton import sparse_entries, symbolic
from multibody.integrators import integrator_of
from multibody.kernels.block_lu import factor_blocks
from multibody.kernels.compile import kernel
from multibody.kernels.declared import Model, model_at
from multibody.kernels.newton.declared import Group, Newton
from multibody.rank.run_rows import run_rows
from multibody.state.system import System, tables_of

Floats = npt.NDArray[np.float64]
MODELS = ("four-bar", "iftomm-andrews", "cam-roller", "planetary", "rssr", "iftomm-bricard", "stewart-platform", "delta-robot")


@kernel
def factor_one(model, X, pivots):  # type: ignore[no-untyped-def]
    """Factor a matrix."""
    return factor_blocks(model_at(model).newton, X, pivots)


@pytest.mark.parametrize("name", MODELS)
def test_solutions_are_those_of_a_dense_solver(name: str) -> None:
    b = Bench(name)
    for c in (3.0, 700.0, 2e5, complex(5.0, 3.0), complex(4e3, -6e3)):
        A, right = b.matrix(c), b.noise(b.n + b.m, complex(c).imag != 0.0)
        x = b.solved(c, right)
        exact = np.linalg.solve(A, right)
        size = np.max(np.abs(exact))
        assert np.max(np.abs(x - exact)) < 1e-7 * size  # the order is a static one: at 1/c = 0.3 s pivots may be poor
        refined = x + b.solved(c, right - A @ x)  # as Newton's iteration does
        assert np.max(np.abs(refined - exact)) < 1e-10 * size


@pytest.mark.parametrize("n", [20, 40, 80])
def test_fill_of_a_ladder_is_linear(n: int) -> None:
    b = Bench("iftomm-n-four-bar", n=n)
    assert len(b.bundle.newton.state.factor) < 145 * n + 10
    assert b.bundle.newton.model.pattern.numbers == 9 * (2 * n + 1)  # points that coincide couple no bodies in ∂R/∂q


def test_order_lets_joints_wait_for_their_bodies() -> None:
    b = Bench("iftomm-andrews")
    tables, chosen = b.system.tables, b.bundle.chosen
    place = {u: k for k, group in enumerate(sparse_pattern(tables, chosen).groups) for u in group}
    seen = 0
    for k, r in enumerate(chosen):
        bodies = {int(c) // 3 for c in tables.columns[tables.row_pointer[r] : tables.row_pointer[r + 1]]}
        before = [body for body in bodies if place[3 * body] < place[b.n + k]]
        assert before  # every joint follows one of its bodies at least
        seen += len(before) == len(bodies)
    assert seen > len(chosen) / 2


def test_a_chain_is_eliminated_without_fill() -> None:
    b = Bench("chain", n=30)
    found = sparse_pattern(b.system.tables, b.bundle.chosen)
    factors = symbolic(found, sparse_entries(b.bundle)[:, 1:], b.n)
    assert max(len(later) for later in factors.behind) <= 2


def test_a_massless_body_is_eliminated_with_its_joints() -> None:
    m = mb.Model("massless coupler", dimension=2, gravity=(0, -9.81))
    crank = m.body("crank", mass=1.0, inertia=0.1, frames={"pin": (1, 0)})
    coupler = m.body("coupler", mass=0.0, inertia=0.0, frames={"end": (2, 0)}, at=(1, 0))
    rocker = m.body("rocker", mass=2.0, inertia=0.2, frames={"pin": (0, 1)}, at=(3, -1))
    m.revolute("O", m.ground, crank)
    m.revolute("A", crank["pin"], coupler)
    m.revolute("B", coupler["end"], rocker["pin"])
    m.revolute("C", m.ground, rocker, at=(3, -1))
    b = Bench(m)
    groups = sparse_pattern(b.system.tables, b.bundle.chosen).groups
    joined = next(group for group in groups if 3 in group)
    assert len(joined) == 3 + 4
    right = b.noise(b.n + b.m, False)
    assert np.allclose(b.matrix(50.0) @ b.solved(50.0, right), right, atol=1e-9)
    reference = m.run(0.5, rtol=1e-11, atol=1e-13)
    run = m.run(0.5, integrator="radau", rtol=1e-10, atol=1e-12)
    assert run.ok and abs(run["crank.angle"].values[-1] - reference["crank.angle"].values[-1]) < 1e-8


def test_full_matrices_take_over_where_the_order_is_no_good(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = sparse_pattern

    def joints_first(tables: Any, chosen: Any, ordered: bool = True) -> Pattern:
        found = plain(tables, chosen, ordered)
        rows_first = sorted(found.groups, key=lambda group: -max(group))
        return Pattern(found.nodes, found.meetings, rows_first)

    monkeypatch.setattr(pattern, "sparse_pattern", joints_first)
    model = mb.load("four-bar")
    run = model.run(1.0, integrator="bdf", rtol=1e-8, atol=1e-10)
    assert run.ok and any("full matrices" in note for note in run.notes)
    monkeypatch.undo()
    other = model.run(1.0, integrator="bdf", rtol=1e-8, atol=1e-10)
    assert not any("full matrices" in note for note in other.notes)
    assert abs(run["link2.x"].values[-1] - other["link2.x"].values[-1]) < 1e-7


def test_trial_error_is_small_for_the_order_that_is_used() -> None:
    b = Bench("iftomm-flyball")
    assert dependable.trial_error(b.bundle, 0.0, b.y) < 1e-9


# --- pivots ----------------------------------------------------------------------------------------------------------
def loop_run(seed: int, integrator: str = "bdf") -> Simulation:
    """Return the first steps of a random loop in joint coordinates, its matrices kept."""
    _, model, state = next(random_loops(range(seed, seed + 1)))
    system = System(tables_of(model))
    system.ref[:] = state.references
    rows, formulation, method = run_rows(system, state.q, state.t), formulation_of("recursive"), integrator_of(integrator)
    sim = Simulation(system, state, rows, formulation, method, rtol=1e-6, atol=1e-8, dense=False)
    sim.call(0.01, 3)
    return sim


@pytest.mark.parametrize("seed", [0, 2, 3])
def test_short_and_long_steps_in_joint_coordinates(seed: int) -> None:
    """The pivots of constraints go with h² beside those of the masses; all rows must hold, however short the step."""
    sim = loop_run(seed)
    b, m = sim.bundle, len(sim.bundle.chosen)
    kernels = sim.bundle.newton_kernels(complex_=False)
    M, C, K, P, V = (part.toarray() for part in newton.kept_matrices(b))
    right = np.random.default_rng(seed).normal(size=len(M) + m)
    for c in 10.0 ** np.arange(-2, 13, 2):
        A = np.block([[c * M + C + K / c, P.T], [P + V / c, np.zeros((m, m))]])
        x, arrays = np.zeros(len(A)), (*b.run, 0.0)
        kernels[3](*arrays, np.array([c, 0.0, 1.0, 0.0, 1.0 / c, 0.0, 1.0, 0.0, 1.0 / c, 0.0]), np.zeros(1))
        assert kernels[4](*arrays, right, x) == 0
        assert np.all(np.abs(A @ x - right) < 1e-10 * (np.abs(A) @ np.abs(x) + np.abs(right)))


def factored(A: Floats) -> tuple[float, Floats]:
    """Return what `factor_blocks` says of a matrix as one group, and the factors."""
    n, X = len(A), A.ravel().copy()
    model = Model(newton=Newton(groups=np.array([(n, 0, 0, 0, 0, 0)], dtype=Group.dtype)))
    return factor_one(model.address, X, np.zeros(n, dtype=np.int64)), X


def test_idle_freedoms_are_found_in_any_units() -> None:
    """The third direction has no inertia but for round-off; lengths, masses and times may be told in any units."""
    R = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
    inertia = R @ np.diag([1.0, 2.0, 0.0]) @ R.T
    P = np.array([[0.3, -0.4, 0.5]]) @ np.diag([1.0, 1.0, 0.0]) @ R.T
    A = np.block([[inertia, P.T], [P, np.zeros((1, 1))]])
    rod = np.linalg.qr(np.random.default_rng(2).normal(size=(3, 3)))[0] @ np.diag([1.0, 1.0, 0.0])
    for scale in 10.0 ** np.arange(-12, 13, 4):
        D = np.diag([1.0, scale, 1.0 / scale, scale**2])
        regular = D @ (A + np.diag([0.0, 0.0, 0.1, 0.0])) @ D
        assert factored(regular)[0] > 1e-4
        assert factored(scale * rod @ rod.T)[0] == 0.0
