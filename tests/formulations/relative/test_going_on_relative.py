"""Events, dense output, going on, stepping from outside, other integrators, free bases: as in Cartesian coordinates."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import multibody as mb
from analyses.dynamics.checks import patience, tight
from analyses.dynamics.test_events_and_going_on import pendulum, period
from analyses.dynamics.test_invariants import CASES, floating, machine, momenta, power_by_hand
from analyses.dynamics.test_simulator import arm, cart_pole
from formulations.relative.agreement import CLOSINGS, METHODS, exact, worst

each = pytest.mark.parametrize("formulation", METHODS.values(), ids=METHODS)
every = pytest.mark.parametrize("formulation", CLOSINGS.values(), ids=CLOSINGS)
TIGHT: dict[str, Any] = {"rtol": 1e-11, "atol": 1e-12}


@each
@pytest.mark.parametrize("integrator", ["dop853", "adams"])
def test_passages_through_the_vertical(integrator: str, formulation: Any) -> None:
    T = period(1.2)
    run = pendulum(when="O", direction=0).run(3.1 * T, formulation=formulation, integrator=integrator, **TIGHT)
    assert [e.time for e in run.events] == pytest.approx(T * (0.25 + 0.5 * np.arange(6)), abs=1e-8)
    assert max(abs(e.q[2]) for e in run.events) < 1e-9  # Cartesian states
    stopped = pendulum(when="O", terminal=True).run(10.0, formulation=formulation, **TIGHT)
    assert stopped.status.message.startswith('stopped by event "down"')
    assert stopped.time[-1] == pytest.approx(T / 4, abs=1e-8)


def _events(formulation: Any) -> list[tuple[str, float]]:
    """Return names and times of the events of a falling four-bar."""
    model = mb.load("tilted-four-bar")
    model.event("high", "coupler.y - follower.end.y")
    model.event("folded", "A.angle1.rate")
    model.event("turned", "O2 + 3")
    return [(e.name, e.time) for e in model.run(4.0, formulation=formulation, **TIGHT).events]


@every
def test_events_in_a_loop(formulation: Any) -> None:
    found, expected = _events(formulation), _events("augmented")
    assert [name for name, _ in found] == [name for name, _ in expected] and len(found) > 4
    assert [t for _, t in found] == pytest.approx([t for _, t in expected], abs=1e-7)


@pytest.mark.parametrize("name", ["tilted-four-bar", "engine"])
def test_between_the_instants(name: str) -> None:
    model = mb.load(name)
    fine = tight(model, 0.5, output_step=0.0125)
    for title, formulation in CLOSINGS.items():
        run = model.run(0.5, formulation=formulation, rtol=1e-10, atol=1e-12, output_step=0.25)
        for k in (3, 17, 33, 39):
            there, here = fine.state_at(k), run.at(float(fine.time[k]))
            assert np.abs(here.q) == pytest.approx(np.abs(there.q), abs=1e-8), title  # up to the sign of quaternions
            assert here.v == pytest.approx(there.v, abs=1e-7), title
            for joint in model.joints:
                force = there[f"{joint}.reaction.force"]
                assert here[f"{joint}.reaction.force"] == pytest.approx(force, rel=1e-6, abs=1e-6), title


LONG = [(name, title) for name in ("four-bar", "spatial-four-bar") for title in CLOSINGS]
LONG += [("engine", "articulated"), ("rrc-arm", "recursive"), ("rrc-arm", "articulated"), ("delta-robot", "transformation")]


@pytest.mark.parametrize(("name", "title"), LONG)
def test_going_on_is_one_long_run(name: str, title: str) -> None:
    formulation = CLOSINGS[title]
    model = mb.load(name)
    options = TIGHT | {"formulation": formulation}
    whole, half = model.run(0.5, **options), model.run(0.2, **options)
    rest = model.run(0.5, initial=half.final, **options)
    assert rest.time[0] == 0.2 and not [note for note in rest.notes if "inconsistent" in note]
    assert rest.final.q == pytest.approx(whole.final.q, abs=1e-8)
    assert rest.final.v == pytest.approx(whole.final.v, abs=1e-7)
    mixed = model.run(0.5, initial=whole.at(0.2), **TIGHT)  # in Cartesian coordinates from there
    assert mixed.final.q == pytest.approx(whole.final.q, abs=1e-8)
    bare = model.run(0.5, dense=False, **options)
    assert np.abs(bare.final.q) == pytest.approx(np.abs(whole.final.q), abs=1e-9)  # a quaternion may have the other sign
    with pytest.raises(mb.ModelError, match="dense=True"):
        bare.at(0.3)


@each
@pytest.mark.parametrize("dimension", [2, 3])
def test_turns_are_counted(dimension: int, formulation: Any) -> None:
    model = mb.load("engine", dimension=dimension)
    run = model.run(0.7, formulation=formulation, rtol=1e-10)
    later = model.run(1.0, initial=run.final, formulation=formulation, rtol=1e-10)
    assert float(later.final["O1"]) == pytest.approx(15.2595756652, abs=1e-6)
    assert np.all(np.diff(later["O1"].values) > 0)


@each
@pytest.mark.parametrize("rtol", [1e-6, 1e-8, 1e-11])
def test_turns_within_one_step_are_counted(rtol: float, formulation: Any) -> None:
    m = mb.Model("wheel")
    m.body("wheel", mass=1.0, inertia=(0.1, 0.1, 0.2))
    m.body("other", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(0.3, 0, 0))
    m.revolute("O", "ground", "wheel")
    m.revolute("P", "ground", "other", at=(0.3, 0, 0))
    m.gear("mesh", "wheel", "other", radii=(0.1, 0.2))
    m.effort("motor", "O", value=225.0)  # 0.225 kg m² in all: 1000 rad/s², the motion is a parabola
    run = m.run(1.0, formulation=formulation, rtol=rtol, output_step=0.05)
    assert run["O"].values == pytest.approx(500 * run.time**2, abs=1e-4)
    assert run["P"].values == pytest.approx(-250 * run.time**2, abs=1e-4)
    assert float(run.at(0.77)["O"]) == pytest.approx(500 * 0.77**2, abs=1e-4)
    later = m.run(1.5, initial=run.final, formulation=formulation, rtol=rtol)
    assert float(later.final["O"]) == pytest.approx(500 * 1.5**2, abs=1e-3)


@every
@pytest.mark.parametrize("build", [cart_pole, arm])
def test_stepping_gives_the_motion_of_a_run(build: Any, formulation: Any) -> None:
    m = build()
    final = m.run(until=1.0, rtol=1e-10, dense=False).final
    sim = m.simulator(formulation=formulation, rtol=1e-9)
    for _ in range(40):
        sim.step(0.025)
    assert sim.state.q == pytest.approx(final.q, abs=2e-6)
    assert sim.state.v == pytest.approx(final.v, abs=2e-5)


@every
@pytest.mark.parametrize("integrator", ["dop853", mb.Rk4(1e-3)])
def test_an_effort_that_is_set(integrator: Any, formulation: Any) -> None:
    m = cart_pole(value="if(t < 0.3, 2, if(t < 0.6, -3, 0.5))")
    expected = m.run(until=1.0, rtol=1e-10)
    sim = cart_pole().simulator(formulation=formulation, integrator=integrator)
    for k in range(10):
        sim.set("motor.effort", 2 if k < 3 else -3 if k < 6 else 0.5)
        sim.step(0.1)
        assert sim["motor.effort"] == (2 if k < 3 else -3 if k < 6 else 0.5)
        there = expected.at(0.1 * (k + 1))
        for path in ("track", "pivot.rate", "pole.tip.x"):
            assert float(sim[path]) == pytest.approx(float(there[path]), abs=1e-5), path
    assert sim["pivot.reaction.force"] == pytest.approx(there["pivot.reaction.force"], abs=1e-4)


@every
def test_a_simulator_goes_back(formulation: Any) -> None:
    sim = mb.load("four-bar").simulator(formulation=formulation, rtol=1e-10)
    sim.step(0.3)
    kept = sim.state
    sim.step(0.4)
    there = sim.state.q.copy()
    sim.restore(kept)
    assert sim.t == pytest.approx(0.3)
    sim.step(0.4)
    assert sim.state.q == pytest.approx(there, abs=1e-8)


@pytest.mark.parametrize("formulation", [CLOSINGS["recursive"], CLOSINGS["partitioned"]], ids=["recursive", "partitioned"])
@pytest.mark.parametrize(("integrator", "order", "steps"), [("rk4", 4, (0.02, 0.01, 0.005)), ("ab3", 3, (0.004, 0.002, 0.001))])
def test_order_of_fixed_steps(integrator: str, order: int, steps: tuple[float, ...], formulation: Any) -> None:
    model = mb.load("four-bar")
    goal = tight(model, 1.0).final
    found = []
    for step in steps:
        final = model.run(until=1.0, formulation=formulation, integrator=integrator, step=step).final
        found.append(float(np.max(np.abs(final.q - goal.q)) + np.max(np.abs(final.v - goal.v))))
    assert np.all(np.log2(np.array(found[:-1]) / found[1:]) > order - 0.4), found
    assert found[-1] < 1e-5


@every
@pytest.mark.parametrize("name", ["four-bar", "tilted-four-bar", "floating"])
def test_turning_all_velocities_round_leads_back(name: str, formulation: Any) -> None:
    model = floating() if name == "floating" else mb.load(name)
    out = model.run(until=1.0, formulation=formulation, **TIGHT)
    back = model.run(until=2.0, initial=replace(out.final, v=-out.final.v), formulation=formulation, **TIGHT)
    assert back.final.q == pytest.approx(out.motion.q[0], abs=1e-7)
    earlier = model.run(until=0.0, initial=out.final, formulation=formulation, **TIGHT)  # backward in time
    assert earlier.final.q == pytest.approx(out.motion.q[0], abs=1e-7)


@each
def test_a_base_that_floats(formulation: Any) -> None:
    run = exact(floating(), 3.0, formulation)
    P, H, _, _ = momenta(run)
    assert np.max(np.abs(P - P[0])) < 1e-8
    assert np.max(np.abs(H - H[0])) < 1e-8
    assert run.certificate["energy_drift"] < 1e-9
    assert worst(run, exact(floating(), 3.0)) < 1e-8


@every
def test_a_floating_base_far_away(formulation: Any) -> None:
    model, where = floating(), 1e4
    start = model.assemble()
    moved = start.q.copy()
    moved[[0, 1, 2, 7, 8, 9]] += where
    options: dict[str, Any] = {"rtol": 1e-10, "atol": 1e-11, "output_step": 0.025, "progress": patience(5.0)}
    near = model.run(1.0, **options)
    far = model.run(1.0, initial=replace(start, q=moved), formulation=formulation, **options)
    assert far.ok, far.status.message
    size = float(np.max(np.abs(near.motion.a)))
    assert np.max(np.abs(far.motion.a[0] - near.motion.a[0])) < 1e-9 * size  # eps times the distance is 1e-12
    assert worst(far, near, "velocity", "angular_velocity") < 1e-6
    shift = far.data["position"].values - near.data["position"].values - where
    assert np.max(np.abs(shift)) < 1e-6


@every
@pytest.mark.parametrize("name", ["all", "driven with all"])
def test_work_is_the_change_of_energy(name: str, formulation: Any) -> None:
    from scipy.integrate import simpson

    parts = CASES[name]
    run = machine(**dict.fromkeys(parts.split(), True)).run(
        until=1.0, formulation=formulation, rtol=1e-10, atol=1e-12, output_step=0.0005
    )
    E = run["energy.total"].values
    work = simpson(power_by_hand(run, parts), x=run.time)
    assert abs(work) > 0.05
    assert work == pytest.approx(E[-1] - E[0], rel=1e-8, abs=5e-6)
    assert run.certificate["energy_drift"] < 1e-7
