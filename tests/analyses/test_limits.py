"""Both sides of every limit on full matrices: below it the same answer, above it a refusal in words or another way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import multibody as mb
from multibody.analyses.dynamics import simulation
from multibody.analyses.modes import modes
from multibody.analyses.robot import base as robot_base
from multibody.formulations import dependable, prepare
from multibody.formulations.spaces import joint_space, parametric_space
from multibody.state.system import tables_of

TIGHT: dict[str, Any] = {"until": 0.1, "rtol": 1e-10, "atol": 1e-12}


def everything(run: Any) -> np.ndarray:
    """Return positions, rates and all reactions over time in one array."""
    forces = [run[f"{joint}.reaction.force"].values.ravel() for joint in run.model.joints]
    return np.concatenate([run.motion.q.ravel(), run.motion.v.ravel(), *forces])


def assert_same(one: Any, other: Any, tolerance: float) -> None:
    """Compare arrays, differences over the size of the whole."""
    one, other = np.asarray(one), np.asarray(other)
    assert one.shape == other.shape
    assert np.max(np.abs(one - other)) <= tolerance * max(1.0, float(np.max(np.abs(other))))


def refused(act: Callable[[], Any], words: str) -> None:
    """Check that something is too large, and said to be."""
    with pytest.raises(mb.ModelError) as caught:
        act()
    assert words in str(caught.value), str(caught.value)


def test_modes_of_a_moving_state(monkeypatch: pytest.MonkeyPatch) -> None:
    m = mb.load("double-pendulum")
    state = m.run(0.3).final
    usual, size = m.modes(initial=state).eigenvalues, tables_of(m).nv
    monkeypatch.setattr(modes, "DENSE_MODES", size)
    assert_same(m.modes(initial=state).eigenvalues, usual, 0.0)
    monkeypatch.setattr(modes, "DENSE_MODES", size - 1)
    refused(lambda: m.modes(initial=state), "too many to linearize a moving state; linearize at rest")


@pytest.mark.parametrize("formulation", ["recursive", "transformation", "articulated"])
def test_joint_coordinates(formulation: str, monkeypatch: pytest.MonkeyPatch) -> None:
    m = mb.load("double-pendulum")
    usual = everything(m.run(**TIGHT, formulation=formulation))
    for limit in (2, 1):
        monkeypatch.setattr(joint_space, "MOST_DENSE", limit)
        if limit == 1 and formulation != "articulated":
            refused(lambda: m.run(0.1, formulation=formulation), "use articulated")
        else:
            assert_same(everything(m.run(**TIGHT, formulation=formulation)), usual, 0.0)


@pytest.mark.parametrize("formulation", ["recursive", "transformation", "articulated"])
def test_loop_equations(formulation: str, monkeypatch: pytest.MonkeyPatch) -> None:
    m = mb.load("four-bar")
    monkeypatch.setattr(joint_space, "MOST_LOOPS", 2)
    assert m.run(0.01, formulation=formulation).ok
    monkeypatch.setattr(joint_space, "MOST_LOOPS", 1)
    refused(lambda: m.run(0.01, formulation=formulation), "use augmented")


def test_parametric_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    m = mb.load("four-bar")
    columns = m.simulator(formulation="parametric").simulation.space.nv
    monkeypatch.setattr(parametric_space, "MOST", columns)
    assert m.run(0.01, formulation="parametric").ok
    monkeypatch.setattr(parametric_space, "MOST", columns - 1)
    refused(lambda: m.run(0.01, formulation="parametric"), "use augmented")


def test_robots_without_a_mass_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forward dynamics by articulated inertias is the inverse of inverse dynamics as the one by a full matrix is."""
    m, random = mb.load("arm7"), np.random.default_rng(4)
    small = m.robot()
    q, v, tau = small.random(0), random.normal(size=small.nv), random.normal(size=small.nv)
    monkeypatch.setattr(robot_base, "MOST_DENSE", small.nv - 1)
    large = m.robot()
    a = large.forward_dynamics(q, v, tau)
    assert_same(a, small.forward_dynamics(q, v, tau), 1e-10)
    assert_same(large.inverse_dynamics(q, v, a), tau, 1e-10)
    assert_same(large.bias(q, v), small.bias(q, v), 1e-12)
    refused(lambda: large.mass_matrix(q), "inverse_dynamics and forward_dynamics need none")
    monkeypatch.setattr(robot_base, "MOST_DENSE", small.nv)
    assert_same(m.robot().mass_matrix(q), small.mass_matrix(q), 0.0)


@pytest.mark.parametrize("formulation", ["augmented", "baumgarte", "partitioning", "kane"])
@pytest.mark.parametrize("name", ["four-bar", "spatial-four-bar", "iftomm-bricard"])
def test_the_general_path_is_the_fast_one(name: str, formulation: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full system that inverts no masses, as for massless bodies, on models that need none."""
    m = mb.load(name)
    fast = m.run(**TIGHT, formulation=formulation)
    monkeypatch.setattr(prepare, "inverts_masses", lambda tables: False)
    general = m.run(**TIGHT, formulation=formulation)
    assert general.ok and not m.simulator(formulation=formulation).simulation.bundle.regular
    assert_same(everything(general), everything(fast), 1e-8)


def test_nearly_massless_bodies_of_small_and_large_models(monkeypatch: pytest.MonkeyPatch) -> None:
    """A body a billionth as heavy as the others: not inverted in small models, inverted in large ones, the same motion."""
    m = mb.Model("light coupler", dimension=2, gravity=(0, -9.81))
    m.body("crank", mass=2.0, inertia=0.02, com=(0.1, 0), frames={"e": (0.2, 0)})
    m.body("coupler", mass=1e-9, inertia=1e-11, com=(0.25, 0.01), frames={"e": (0.5, 0)})
    m.body("rocker", mass=3.0, inertia=0.05, com=(0.2, 0), frames={"e": (0.4, 0)})
    m.frames(P=(0.5, 0))
    m.revolute("O", "ground", "crank")
    m.revolute("A", "crank.e", "coupler")
    m.revolute("B", "coupler.e", "rocker.e")
    m.revolute("C", "ground.P", "rocker")
    m.initial({"O": 1.0}, guess={"C": 1.8})
    usual = m.run(**TIGHT, formulation="augmented")
    assert not m.simulator(formulation="augmented").simulation.bundle.regular
    monkeypatch.setattr(prepare, "LARGE", tables_of(m).nv - 1)
    assert m.simulator(formulation="augmented").simulation.bundle.regular
    other = m.run(**TIGHT, formulation="augmented")
    assert_same(other.motion.q, usual.motion.q, 1e-7)


@pytest.mark.parametrize("integrator", ["bdf", "radau"])
@pytest.mark.parametrize("name", ["four-bar", "spatial-four-bar"])
def test_full_matrices_of_implicit_methods(name: str, integrator: str, monkeypatch: pytest.MonkeyPatch) -> None:
    m = mb.load(name)
    usual = m.run(**TIGHT, formulation="augmented", integrator=integrator)
    monkeypatch.setattr(dependable, "ALLOWED", -1.0)  # no trial is good enough
    full = m.run(**TIGHT, formulation="augmented", integrator=integrator)
    assert any("full matrices are used" in note for note in full.notes)
    assert_same(everything(full), everything(usual), 1e-6)
    monkeypatch.setattr(dependable, "MOST_FULL", 5)
    sparse = m.run(**TIGHT, formulation="augmented", integrator=integrator)
    assert any("are solved to" in note for note in sparse.notes)
    assert_same(everything(sparse), everything(usual), 0.0)


@pytest.mark.parametrize("formulation", ["augmented", "recursive"])
def test_dense_output_that_is_let_go(formulation: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps that are no longer kept have left their states at all instants of the output behind."""
    m = mb.load("double-pendulum")
    usual = m.run(20.0, formulation=formulation, output_step=0.1)
    monkeypatch.setattr(simulation, "MOST_DENSE", 1)
    monkeypatch.setattr(simulation, "ROWS", 8)
    least = m.run(20.0, formulation=formulation, output_step=0.1)
    assert len(least.time) == len(usual.time) == 201
    assert_same(everything(least), everything(usual), 0.0)
