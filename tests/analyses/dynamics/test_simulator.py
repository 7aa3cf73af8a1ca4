"""Stepping from outside: the same motion as a run, efforts that are set, states that are restored, no needless work."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import multibody as mb

FORMULATIONS = ["augmented", "baumgarte", "partitioning", "kane"]


def cart_pole(**effort: Any) -> mb.Model:
    m = mb.Model("cart-pole", dimension=2, gravity=(0, -9.81))
    m.parameter("stroke", 1.0)
    cart = m.body("cart", mass=1.0, inertia=0.01)
    pole = m.body("pole", mass=0.2, inertia=0.006, com=(0, 0.3), frames={"tip": (0, 0.6)})
    m.translational("track", m.ground, cart, axis=(1, 0))
    m.revolute("pivot", cart, pole)
    m.effort("motor", "track", **effort)
    m.friction("bearing", "pivot", load=1.0, coulomb=0.0)
    m.force("push", pole["tip"], value=("0.1*sin(t)", 0.2), moment="0.05*t")
    m.initial({"track": 0.0, "pivot": 0.2, "track.rate": 0.0, "pivot.rate": 0.0})
    return m


def arm() -> mb.Model:
    m = mb.Model("arm", gravity=(0, 0, -9.81))
    for k in (1, 2):
        m.body(f"link{k}", mass=1.0, inertia=(0.01, 0.09, 0.08), com=(0.5, 0, 0.1), frames={"end": (1, 0, 0)})
    m.revolute("A", m.ground, "link1", axis=(0, 1, 0.3))
    m.revolute("B", "link1.end", "link2", axis=(0.2, 0, 1))
    m.effort("motor", "A", value="2*sin(5*t)")
    m.force("push", "link2.end", axes="body", value=(0, 0, 1))
    m.initial({"A": 0.3, "B": 0.5, "A.rate": 0, "B.rate": 3.0})
    return m


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("build", [cart_pole, arm])
def test_stepping_gives_the_motion_of_a_run(build: Any, formulation: str) -> None:
    m = build()
    final = m.run(until=1.0, rtol=1e-10, dense=False).final
    sim = m.simulator(formulation=formulation, rtol=1e-9)
    for _ in range(40):
        sim.step(0.025)
    assert sim.t == pytest.approx(1.0, abs=1e-13)
    sim.run_until(1.0)
    assert sim.t == 1.0
    state = sim.state
    np.testing.assert_allclose(state.q, final.q, atol=2e-6)
    np.testing.assert_allclose(state.v, final.v, atol=2e-5)


@pytest.mark.parametrize("integrator", ["dop853", "adams", mb.Rk4(1e-3), mb.Ab3(5e-4)])
def test_an_effort_that_is_set_is_held_until_it_is_set_again(integrator: Any) -> None:
    m = cart_pole(value="if(t < 0.3, 2, if(t < 0.6, -3, 0.5))")
    expected = m.run(until=1.0, rtol=1e-10).final
    sim = cart_pole().simulator(integrator=integrator)
    for k in range(10):
        sim.set("motor.effort", 2 if k < 3 else -3 if k < 6 else 0.5)
        sim.step(0.1)
        assert sim["motor.effort"] == (2 if k < 3 else -3 if k < 6 else 0.5)
    np.testing.assert_allclose(sim.state.q, expected.q, atol=1e-6)


def test_setting_replaces_formula_stiffness_and_damping_of_this_simulator_only() -> None:
    m = cart_pole(value="100*sin(t)", stiffness=50, damping=3)
    sim, other = m.simulator(), m.simulator()
    free, reference = cart_pole().simulator(), m.simulator()
    sim.set("motor.effort", 0.0)
    for s in (sim, other, free, reference):
        s.step(0.5)
    np.testing.assert_allclose(sim.state.q, free.state.q, atol=1e-7)
    np.testing.assert_array_equal(other.state.q, reference.state.q)
    assert abs(other["track"] - sim["track"]) > 0.1


@pytest.mark.parametrize("formulation", ["kane", "parametric", "recursive", "articulated"])
def test_reactions_know_what_was_set_in_place_of_a_formula(formulation: str) -> None:
    found = []
    for each in ("augmented", formulation):
        m = mb.Model("pushed", dimension=2, gravity=(0, -9.81))
        m.body("bar", mass=1.0, inertia=0.1, com=(0.5, 0), frames={"end": (1, 0)})
        m.revolute("O", m.ground, "bar")
        m.force("drag", "bar.end", value=(0.3, "-5 + O.rate"))
        sim = m.simulator(formulation=each, rtol=1e-10, atol=1e-12)
        sim.step(0.02)
        sim.set("drag.force", (3.0, 1.0))
        sim.step(0.02)
        found.append(sim["O.reaction.force"])
    np.testing.assert_allclose(found[1], found[0], rtol=1e-8)


def test_loads_are_set_whole_or_by_component() -> None:
    sim = cart_pole().simulator()
    sim.step(0.2)
    np.testing.assert_allclose(sim["push.force"], [0.1 * math.sin(0.2), 0.2], atol=1e-12)
    sim.set("push.force.y", 1.5)
    np.testing.assert_allclose(sim["push.force"], [0.1 * math.sin(0.2), 1.5], atol=1e-12)
    assert sim["push.moment"] == pytest.approx(0.01)
    sim.set("push.force", [3, 4])
    sim.set("push.moment", -1.0)
    sim.step(0.1)
    np.testing.assert_allclose(sim["push.force"], [3.0, 4.0], atol=1e-12)
    assert sim["push.moment"] == pytest.approx(-1.0)


def test_a_load_in_body_axes_follows_the_body() -> None:
    sim = arm().simulator()
    sim.set("push.force", (0, 5, 0))
    sim.step(0.3)
    w, x, y, z = sim["link2.rotation"]
    axis = [2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)]
    np.testing.assert_allclose(sim["push.force"], 5 * np.array(axis), atol=1e-12)


def test_every_path_is_read_as_in_a_state_and_a_run() -> None:
    for m, paths in (
        (cart_pole(), ["track", "pivot.rate", "cart.x", "pole.angle", "pole.angle.rate", "pole.y.rate", "pole.tip.x", "t"]),
        (arm(), ["A", "B.rate", "link2.x", "link2.z.rate", "link1.end.y", "link2.omega.z", "A.angle - 2*B"]),
    ):
        sim = m.simulator()
        for _ in range(3):
            sim.step(0.1)
            state = sim.state
            for path in paths:
                assert sim[path] == pytest.approx(state[path], abs=1e-13), path
                assert sim.get(path) == sim[path]
    run = arm().run(until=0.3)
    sim.run_until(0.3)
    for path in ("A.acceleration", "A.reaction.force", "A.effort", "energy.total", "energy.work"):
        np.testing.assert_allclose(sim[path], run.final[path], rtol=1e-5, atol=1e-6, err_msg=path)


def test_reading_does_not_disturb_the_motion() -> None:
    quiet, watched = arm().simulator(formulation="kane"), arm().simulator(formulation="kane")
    for _ in range(20):
        quiet.step(0.02)
        watched.step(0.02)
        for path in ("A", "B.rate", "A.reaction.moment", "energy.total"):
            watched[path]
    np.testing.assert_array_equal(quiet.state.q, watched.state.q)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_state_is_restored_to_the_last_digit(formulation: str) -> None:
    sim = arm().simulator(formulation=formulation)
    sim.step(0.2)
    state = sim.state
    ends = []
    for _ in range(2):
        sim.restore(state)
        assert sim.t == state.t and sim["energy.work"] == state.work
        np.testing.assert_array_equal(sim.state.q, state.q)
        sim.step(0.3)
        ends.append(sim.state)
    np.testing.assert_array_equal(ends[0].q, ends[1].q)
    np.testing.assert_array_equal(ends[0].v, ends[1].v)


def test_steps_may_end_next_to_a_change_point() -> None:
    sim = mb.load("four-bar-singular").simulator(formulation="kane")  # flat at t = 0.8226, and five times later
    for t in np.arange(0.01, 10.001, 0.01):
        sim.run_until(t)
    assert sim["link1.angle"] == pytest.approx(0.643330106954, abs=1e-6)


def test_states_go_from_runs_to_simulators_and_back() -> None:
    m = arm()
    run = m.run(until=0.4)
    sim = m.simulator(initial=run.at(0.15))
    assert sim.t == 0.15
    sim.step(0.25)
    np.testing.assert_allclose(sim.state.q, run.final.q, atol=1e-7)
    further = m.run(until=0.6, initial=sim.state)
    assert further.time[0] == 0.4
    sim.restore(run.final)
    np.testing.assert_allclose(sim.step(0.2).state.q, further.final.q, atol=1e-7)
    sim.step(-0.6)
    assert sim.t == pytest.approx(0.0, abs=1e-15)
    np.testing.assert_allclose(sim.state.q, m.assemble().q, atol=1e-6)


def test_events_are_recorded_and_terminal_ones_end_a_step() -> None:
    m = mb.Model("ball", dimension=2, gravity=(0, -10))
    m.body("ball", mass=1.0, inertia=0.1)
    m.free("path", m.ground, "ball")
    m.initial({"ball.y": 5.0, "ball.x.rate": 1.0, "ball.y.rate": 0.0})
    m.event("halfway", "ball.y - 3.75")
    m.event("ground_reached", "ball.y", terminal=True)
    sim = m.simulator()
    sim.step(2.0)
    assert sim.stopped == "ground_reached" and sim.t == pytest.approx(1.0, abs=1e-9)
    assert [(e.name, e.terminal) for e in sim.events] == [("halfway", False), ("ground_reached", True)]
    assert sim.events[0].time == pytest.approx(0.5, abs=1e-9)
    sim.step(0.5)  # goes on below the ground
    assert sim.stopped == "" and sim["ball.y"] == pytest.approx(5 - 5 * 1.5**2, abs=1e-8)


def test_many_crossings_of_a_recorded_event_do_not_end_a_long_simulation() -> None:
    m = mb.Model("spinner", dimension=2)
    m.body("wheel", mass=1.0, inertia=0.1)
    m.revolute("O", m.ground, "wheel")
    m.initial({"O.rate": 200.0})
    m.event("mark", "sin(O)")
    sim = m.simulator(integrator=mb.Dop853(max_step=0.01))  # a longer step would hold two crossings
    for _ in range(20):
        sim.step(0.1)
    assert len(sim.events) == int(2.0 * 200.0 / math.pi)
    assert sim.simulation.segments.parts == []  # nothing is kept that nobody reads


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("moter.effort", 'did you mean "motor.effort"'),
        ("motor", "motor.effort"),
        ("stroke", "model.set(stroke=...)"),
        ("bearing.effort", "bearing is a friction"),
        ("push.force.z", "push.force.x"),
        ("pivot.effort", "It has motor.effort"),
    ],
)
def test_what_cannot_be_set_is_said_with_what_can(path: str, words: str) -> None:
    sim = cart_pole().simulator()
    with pytest.raises(mb.ModelError, match="simulator: ") as caught:
        sim.set(path, 1.0)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("path", "value"),
    [("motor.effort", math.nan), ("motor.effort", "much"), ("push.force", 1.0), ("push.force", [1, math.inf])],
)
def test_a_value_that_is_no_number_changes_nothing(path: str, value: Any) -> None:
    sim = cart_pole(value=7.0).simulator()
    with pytest.raises(mb.ModelError, match="give"):
        sim.set(path, value)
    assert sim["motor.effort"] == 7.0 and sim["push.force.y"] == 0.2


def test_a_model_without_forces_or_without_freedom_says_so() -> None:
    with pytest.raises(mb.ModelError, match="motions determine everything"):
        mb.load("slider-crank").simulator()
    sim = mb.load("pendulum").simulator()
    with pytest.raises(mb.ModelError, match=r"add model\.effort"):
        sim.set("motor.effort", 1.0)
    with pytest.raises(mb.ModelError, match="not finite"):
        sim.step(math.nan)
    with pytest.raises(mb.ModelError, match="another model"):
        sim.restore(cart_pole().assemble())


def test_a_motion_that_cannot_go_on_raises_and_keeps_the_last_state() -> None:
    m = mb.Model("wall", dimension=2)
    m.body("ball", mass=1.0, inertia=0.1)
    m.free("path", m.ground, "ball")
    m.effort("field", "path.x", value="sqrt(0.5 - path.x) - 1")
    m.initial({"path.x.rate": 2.0})
    sim = m.simulator()
    with pytest.raises(mb.AnalysisError) as caught:
        sim.step(5.0)
    assert 0.0 < sim.t < 5.0 and "t = " in str(caught.value)
    sim.set("field.effort", 0.0)
    assert sim.step(1.0)["path.x"] > 0.5


def test_a_controller_balances_an_inverted_pendulum() -> None:
    sim = cart_pole().simulator()
    for path in ("push.force", "push.moment"):
        sim.set(path, [0.0, 0.0] if path == "push.force" else 0.0)
    for _ in range(800):
        u = -40 * sim["pivot"] - 8 * sim["pivot.rate"] + 2 * sim["track"] + 4 * sim["track.rate"]
        sim.set("motor.effort", u)
        sim.step(0.01)
    assert abs(sim["pivot"]) < 1e-3 and abs(sim["track"]) < 1e-2


def test_the_integrator_begins_anew_only_where_a_value_has_changed() -> None:
    sim = cart_pole().simulator()
    sim.set("motor.effort", 1.0)
    sim.step(1e-3)
    before = sim.statistics["rhs_evaluations"]
    sim.set("motor.effort", 1.0)
    sim.step(1e-3)
    same = sim.statistics["rhs_evaluations"] - before
    sim.set("motor.effort", 2.0)
    sim.step(1e-3)
    assert sim.statistics["rhs_evaluations"] - before - same == same + 1


def test_a_short_step_is_one_step_of_the_integrator() -> None:
    sim = cart_pole().simulator()
    sim.step(1e-3)
    before = sim.statistics["steps"]
    for k in range(100):
        sim.set("motor.effort", 0.01 * k)  # the length of the steps is not lost where an effort changes
        sim.step(1e-3)
    assert sim.statistics["steps"] == before + 100
    assert sim.statistics["rejected"] == 0
