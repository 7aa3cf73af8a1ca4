"""Redundant rows: whichever are left out at the start, the motion is the same; rows are chosen anew where they have to be."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import multibody as mb
from multibody.analyses.dynamics import opening
from multibody.formulations.spaces.joint_space import JointSpace
from multibody.formulations.spaces.other_rows import better_rows
from multibody.formulations.spaces.parametric_space import ParametricSpace

TIGHT = {"until": 3.0, "rtol": 1e-9, "atol": 1e-11, "output_step": 0.1}
Reference = dict[str, Any]


@pytest.fixture(scope="module")
def exact() -> Reference:
    """Return the angles and a force of Bricard's mechanism, by rows that stay sound all the way."""
    run = mb.load("iftomm-bricard").run(until=3.0, rtol=1e-11, atol=1e-13, output_step=0.1)
    paths = [*(f"J{k}" for k in range(6)), "J3.reaction.force"]
    return {path: run[path].values for path in paths}


def leave_out(monkeypatch: pytest.MonkeyPatch, row: int) -> None:
    """Let a run of Bricard's mechanism begin without one of its 30 equations."""
    rows = np.delete(np.arange(30), row)
    monkeypatch.setattr(opening, "run_rows", lambda system, q, t: rows)


def worst(run: mb.Run, exact: Reference, paths: slice = slice(None)) -> float:
    return max(float(np.max(np.abs(run[path].values - exact[path]))) for path in list(exact)[paths])


@pytest.mark.parametrize("row", [1, 2, 4, 11, 26])
@pytest.mark.parametrize(
    ("formulation", "integrator", "allowed", "steps"),  # without one that stays sound 28, 73, 83, 172 steps
    [
        ("augmented", "dop853", 3e-9, 45), ("baumgarte", "dop853", 1e-9, 110), ("kane", "adams", 3e-8, 120),
        ("augmented", "radau", 1e-7, 240),
    ],
)
def test_rows_of_bodies_are_chosen_anew(
    formulation: str, integrator: str, allowed: float, steps: int, row: int, exact: Reference, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the rows that these leave, the equations become singular on the way; the mechanism does not."""
    leave_out(monkeypatch, row)
    run = mb.load("iftomm-bricard").run(formulation=formulation, integrator=integrator, **TIGHT)
    assert run.ok, run.status.message
    assert worst(run, exact, slice(6)) < allowed
    assert worst(run, exact) < 20 * allowed, "forces are read with rows that are sound at each instant"
    assert run.statistics["steps"] < steps, "nothing creeps"


@pytest.mark.parametrize("row", range(5))
@pytest.mark.parametrize(("formulation", "integrator"), [("recursive", "dop853"), ("transformation", "bdf")])
def test_loop_rows_are_chosen_anew(
    formulation: str, integrator: str, row: int, exact: Reference, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(JointSpace, "loop_rows", lambda space, J: np.delete(np.arange(5), row))
    run = mb.load("iftomm-bricard").run(formulation=formulation, integrator=integrator, **TIGHT)
    assert run.ok, run.status.message
    assert worst(run, exact, slice(6)) < 5e-9
    assert worst(run, exact) < 1e-7


def test_the_certificate_tells_of_the_mechanism_and_not_of_the_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = []
    for row in (25, 1, 4):
        leave_out(monkeypatch, row)
        sizes.append(mb.load("iftomm-bricard").run(**TIGHT).certificate["smallest_singular_value"])
    assert sizes == pytest.approx([sizes[0]] * 3, rel=1e-6)


@pytest.mark.parametrize("formulation", ["augmented", "recursive", "parametric"])
@pytest.mark.parametrize("integrator", ["dop853", "bdf"])
def test_a_simulator_goes_on_with_other_rows(formulation: str, integrator: str, monkeypatch: pytest.MonkeyPatch) -> None:
    leave_out(monkeypatch, 1)
    monkeypatch.setattr(JointSpace, "loop_rows", lambda space, J: np.delete(np.arange(5), 1))
    monkeypatch.setattr(ParametricSpace, "_independent", lambda space, state: without_one(space))
    sim = mb.load("iftomm-bricard").simulator(formulation=formulation, integrator=integrator, rtol=1e-9, atol=1e-11)
    first = sim.simulation.bundle
    for _ in range(30):
        sim.step(0.1)
    assert sim.simulation.bundle is not first
    assert sim._arguments[len(sim.simulation.addresses)] == sim.simulation.bundle.run


def without_one(space: ParametricSpace) -> Any:
    """Return independent rows of pairs that become dependent on the way: all but the second one."""
    return np.delete(np.arange(len(space.rows) + 1 + space.nv - space.system.nv), 1)


def test_equally_good_rows_are_left_alone() -> None:
    """A restart has to be worth it; and where the mechanism itself is singular no rows are better than others."""
    random = np.random.default_rng(1)
    J = random.normal(size=(4, 6))
    J = np.concatenate([J, J.sum(axis=0)[None, :]])
    assert better_rows(J, np.arange(4), 0.0) is None
    J[3] = J[2] + 1e-6 * J[3]
    assert better_rows(np.concatenate([J[:4], random.normal(size=(1, 6))]), np.arange(4), 0.0) is not None
    assert better_rows(np.concatenate([J[:4], J[:1]]), np.arange(4), 0.0) is None


def parallelogram(rate: float) -> mb.Model:
    """Return a parallelogram in space, three of whose equations are redundant."""
    m = mb.Model("parallelogram", dimension=3, gravity=(0, -9.81, 0))
    for name, length in (("a", 1.0), ("b", 2.0), ("c", 1.0)):
        m.body(name, mass=1.0, inertia=(0.01, 0.1, 0.1), com=(length / 2, 0, 0), frames={"end": (length, 0, 0)})
    m.revolute("O", "ground", "a")
    m.revolute("A", "a.end", "b")
    m.revolute("B", "b.end", "c.end")
    m.revolute("C", "ground", "c", at=(2.0, 0, 0))
    m.initial({"O": 1.2, "O.rate": rate}, guess={"C": 1.2})
    return m


def test_a_change_point_is_passed_with_redundant_rows_too() -> None:
    """A flat parallelogram in space: all rows are weak together; a choice among them is not asked for again and again."""
    sim = parallelogram(-1.0).simulator(formulation="augmented", rtol=1e-9, atol=1e-11)
    energies = []
    for _ in range(20):
        sim.step(0.1)
        energies.append(float(sim["energy.total"]))
    assert np.ptp(energies) < 1e-6
    assert sim.simulation.partitions == 0 and len(sim.simulation.space.before) < 4


@pytest.mark.parametrize("formulation", ["augmented", "recursive"])
def test_members_of_an_environment_pass_a_change_point_too(formulation: str) -> None:
    """Each as in a run of its own, whichever of them ask for other rows, and when."""
    m = parallelogram(-3.0)
    m.effort("motor", "O", value=0)
    seen, known = in_environment(m, {"O.rate": [-3.0, -1.0, 2.0]}, "O", 0.02, 50, formulation)
    assert np.any(known * known[:, :1] < 0.0), "a change point is passed"
    np.testing.assert_allclose(seen, known, rtol=0, atol=1e-6)


@pytest.mark.parametrize("formulation", ["augmented", "recursive"])
@pytest.mark.parametrize("row", [1, 4])
def test_members_of_an_environment_go_on_with_other_rows(formulation: str, row: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the rows that these leave, the equations of every member become singular on the way, at a time of its own."""
    leave_out(monkeypatch, row)
    monkeypatch.setattr(JointSpace, "loop_rows", lambda space, J: np.delete(np.arange(5), row))
    m = mb.load("iftomm-bricard")
    m.effort("motor", "J0", value=0)
    seen, known = in_environment(m, {"J0.rate": [0.0, 0.5, 1.0]}, "J0", 0.01, 300, formulation)
    np.testing.assert_allclose(seen, known, rtol=0, atol=1e-7)


def in_environment(
    m: mb.Model, starts: dict[str, list[float]], path: str, step: float, steps: int, formulation: str
) -> tuple[Any, Any]:
    """Return a path after every step of the members of an environment, and in runs of their own with the same method."""
    (name, values), seen, known = next(iter(starts.items())), [], []
    turns = SimpleNamespace(ppf=lambda u: np.array([next(draws) for _ in u]))  # the next value whenever one is drawn
    draws = iter(values)
    env = m.environment(
        {"motor.effort": (-1, 1)}, [path], step=step, formulation=formulation, members=len(values),
        initial={name: turns},
    )  # fmt: skip
    env.reset(seed=0)
    for _ in range(steps):
        observed, _, _, cut, infos = env.step(np.zeros((len(values), 1)))
        assert not np.any(cut), infos
        seen.append(observed[:, 0])
    for value in values:
        m.initial({name: value})
        run = m.run(step * steps, formulation=formulation, integrator="rk4", step=step, output_step=step)
        assert run.ok, run.status.message
        known.append(run[path].values[1:])
    return np.stack(seen, axis=1), np.stack(known)
