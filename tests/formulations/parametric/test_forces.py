"""Forces, motions and relations that act on the parameters themselves; redundancy; going on from a state."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import multibody as mb
from analyses.reactions.test_reactions_balance import PAIRS
from formulations.parametric.cases import Equations
from formulations.relative.agreement import exact, worst
from formulations.relative.test_joint_kinds_relative import EDGES, RELATIONS, chain
from multibody.kernels import codes as L
from multibody.model.joints import KINDS
from multibody.tables.parametric import parametric

FINE: dict[str, Any] = {"rtol": 1e-11, "atol": 1e-13}


@pytest.mark.parametrize("integrator", ["dop853", "bdf"])
@pytest.mark.parametrize(("kind", "d"), EDGES)
def test_every_pair_with_every_force_on_it(kind: str, d: int, integrator: str) -> None:
    model = chain(kind, d, False)
    expected = exact(model, 0.1, **FINE)
    run = exact(model, 0.1, "parametric", integrator=integrator, **FINE)
    assert worst(run, expected, "position", "velocity", "coordinate", "coordinate_rate") < 1e-8
    assert worst(run, expected) < 1e-6  # accelerations and forces: steps of stops have a kink there
    assert run.balance().relative < 1e-10


@pytest.mark.parametrize("integrator", ["dop853", "bdf"])
@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize("name", RELATIONS)
def test_constraints_that_are_no_pairs(name: str, d: int, integrator: str) -> None:
    model = RELATIONS[name](d)
    expected = exact(model, 0.1, **FINE)
    run = exact(model, 0.1, "parametric", integrator=integrator, **FINE)
    assert worst(run, expected, "position", "velocity", "coordinate") < 1e-8


@pytest.mark.parametrize("kind", [key for key in PAIRS if not KINDS[key[0]].pair])
def test_constraints_between_two_bodies(kind: tuple[str, int]) -> None:
    model = chain(*kind, False)
    assert worst(exact(model, 0.1, "parametric", **FINE), exact(model, 0.1, **FINE), "position", "velocity") < 1e-8


def test_the_coordinates_of_pairs_are_states_and_their_forces_stand_in_their_own_rows() -> None:
    model = chain("cylindrical", 3, False)
    e = Equations(model)
    tables = parametric(e.space.system.tables)
    functions = {f: k for pair in tables.parametrized for k, f in enumerate(pair.functions, pair.extra) if f >= 0}
    for name in ("motor0", "motor1", "rub0", "stop1"):
        function = tables.law_of(name).function
        assert function in functions
        assert e.bundle.model.functions[function].kind == L.EXTRA
    q, v, a, x = e.consistent()
    row = e.n - len(tables.extras) + functions[tables.law_of("motor1").function]
    before = e.residual(q, v, a, x)["R"]
    e.bundle.F[tables.law_of("motor1").numbers] += 0.25  # its constant effort
    change = e.residual(q, v, a, x)["R"] - before
    assert change[row] == pytest.approx(-0.25, rel=1e-12)
    assert np.max(np.abs(np.delete(change, row))) == 0.0


def test_a_torsional_spring_swings_as_the_closed_form_says() -> None:
    m = mb.Model("swing", dimension=3)
    m.body("disk", mass=1.0, inertia=(0.2, 0.2, 0.4))
    m.revolute("O", "ground", "disk")
    m.effort("spring", "O", stiffness=10.0, rest=0.2)
    m.initial({"O": 1.0})
    for integrator in ("dop853", "bdf"):
        run = exact(m, 2.0, "parametric", integrator=integrator, **FINE)
        assert np.max(np.abs(run["O"].values - 0.2 - 0.8 * np.cos(5.0 * run.time))) < 1e-8


def test_a_motion_on_a_parameter_and_its_effort() -> None:
    m = mb.Model("driven", dimension=3, gravity=(0.0, -9.81, 0.0))
    m.body("crank", mass=2.0, inertia=(0.2, 0.2, 0.3), com=(0.3, 0.0, 0.0), frames={"end": (0.6, 0.0, 0.0)})
    m.body("bob", mass=0.5, inertia=(0.01, 0.01, 0.01), com=(0.2, 0.0, 0.0))
    m.revolute("O", "ground", "crank")
    m.revolute("A", "crank.end", "bob")
    m.motion("O", "0.3*sin(4*t)")
    expected = exact(m, 0.5, **FINE)
    for integrator in ("dop853", "bdf"):
        run = exact(m, 0.5, "parametric", integrator=integrator, **FINE)
        assert worst(run, expected, "position", "velocity", "coordinate") < 1e-8
        assert worst(run, expected, "effort", "reaction_force", "work") < 1e-7
        assert np.max(np.abs(run["O"].values - 0.3 * np.sin(4.0 * run.time))) < 1e-12


def test_an_engine_in_space_has_three_redundant_rows() -> None:
    e = Equations(mb.load("engine"))
    J = e.space.jacobian(e.y, 0.0)
    assert J.shape == (24, 22)
    assert np.linalg.matrix_rank(J) == 21 == e.m


@pytest.mark.parametrize("n", [1, 2])
def test_an_engine_turns_alike_with_rows_of_either_kind(n: int) -> None:
    model = mb.load("engine", n=n)
    expected = exact(model, 0.25, integrator="bdf", **FINE)
    run = exact(model, 0.25, "parametric", integrator="bdf", **FINE)
    assert worst(run, expected, "position", "velocity", "coordinate", "coordinate_rate") < 1e-8


def test_rows_are_chosen_anew_where_those_that_were_left_out_are_needed() -> None:
    model = mb.load("iftomm-bricard")
    expected = model.run(3.0, rtol=1e-11, atol=1e-13, output_step=0.1)
    for integrator in ("dop853", "bdf"):
        run = model.run(3.0, formulation="parametric", integrator=integrator, rtol=1e-10, atol=1e-12, output_step=0.1)
        assert run.ok, run.status.message
        assert worst(run, expected, "position", "velocity") < 1e-8


def test_units_change_nothing() -> None:
    def steps(length: float, mass: float) -> tuple[int, float]:
        m = mb.Model("small", dimension=3, gravity=(0.0, -9.81 * length, 0.0))
        for k, name in enumerate("ab"):
            m.body(
                name, mass=mass, inertia=tuple(mass * length**2 * x for x in (0.02, 0.03, 0.04)), com=(0.2 * length, 0.0, 0.0),
                frames={"end": (0.4 * length, 0.0, 0.0)},
            )  # fmt: skip
            m.revolute(f"J{k}", "ground" if k == 0 else "a.end", name, axis=(0.1 * k, 0.2 * k, 1.0))
        m.initial({"J0": 0.4, "J1": 0.5})
        run = exact(m, 1.0, "parametric", integrator="bdf", rtol=1e-9, atol=1e-11)
        return run.statistics["steps"], float(run["J1"].values[-1])

    plain, tiny = steps(1.0, 1.0), steps(1e-3, 1e-6)  # the second one a watch
    assert tiny[0] == pytest.approx(plain[0], rel=0.1)
    assert tiny[1] == pytest.approx(plain[1], abs=1e-6)


def test_going_on_and_reading_in_between() -> None:
    model = chain("planar", 3, False)
    sim = model.simulator(formulation="parametric", rtol=1e-11, atol=1e-13)
    for _ in range(4):
        sim.step(0.025)
    expected = exact(model, 0.1, **FINE)
    for path in ("J.x", "J.angle", "b.x", "first.angle1"):
        assert sim[path] == pytest.approx(float(expected[path].values[-1]), abs=1e-8), path
    assert sim["motor0.effort"] == pytest.approx(float(expected["motor0.effort"].values[-1]), abs=1e-6)
    state = sim.state
    again = model.simulator(formulation="parametric", initial=state, rtol=1e-11, atol=1e-13)
    sim.step(0.05)
    again.step(0.05)
    assert sim["J.angle"] == pytest.approx(again["J.angle"], abs=1e-9)


def test_events_and_switches_on_parameters() -> None:
    m = mb.Model("event", dimension=3, gravity=(0.0, -9.81, 0.0))
    m.body("bar", mass=1.0, inertia=(0.1, 0.1, 0.1), com=(0.5, 0.0, 0.0))
    m.revolute("O", "ground", "bar")
    m.event("down", when="O + pi/2", terminal=True)
    runs = [m.run(5.0, formulation=name, rtol=1e-11, atol=1e-13) for name in ("augmented", "parametric")]
    assert [e.name for e in runs[1].events] == ["down"]
    assert runs[1].events[0].time == pytest.approx(runs[0].events[0].time, abs=1e-9)
    assert runs[1]["O"].values[-1] == pytest.approx(-math.pi / 2, abs=1e-9)


def test_words_that_do_not_exist_are_refused() -> None:
    with pytest.raises(mb.ModelError, match='parametric: unknown rotation "sine"; did you mean "cosine"'):
        mb.Parametric("sine")
