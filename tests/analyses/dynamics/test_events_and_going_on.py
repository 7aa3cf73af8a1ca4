"""Events against closed forms, dense output, going on from where a run ended."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.special import ellipk

import multibody as mb
from analyses.dynamics.checks import FORMULATIONS, tight


def pendulum(start: float = 1.2, **event: object) -> mb.Model:
    """Return a rod of 1 m that hangs on its end, its angle from the vertical."""
    m = mb.Model("pendulum", dimension=2, gravity=(0, -9.81))
    m.body("rod", mass=1.0, inertia=1 / 12, com=(0, -0.5))
    m.revolute("O", "ground", "rod")
    m.initial({"O": start, "O.rate": 0.0})
    if event:
        m.event("down", event.pop("when", "O"), **event)
    return m


def period(start: float) -> float:
    """Return the period of the rod by the complete elliptic integral."""
    return 4 * math.sqrt(2 / (3 * 9.81)) * float(ellipk(math.sin(start / 2) ** 2))


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("integrator", ["dop853", "adams"])
def test_passages_through_the_vertical_come_every_half_period(integrator: str, formulation: str) -> None:
    m = pendulum(when="O", direction=0)
    T = period(1.2)
    run = m.run(until=3.1 * T, formulation=formulation, integrator=integrator, rtol=1e-11, atol=1e-12)
    found = [e.time for e in run.events]
    assert found == pytest.approx(T * (0.25 + 0.5 * np.arange(6)), abs=1e-8)
    assert [e.name for e in run.events] == ["down"] * 6
    assert max(abs(e.q[2]) for e in run.events) < 1e-9  # the state there lies on the event
    assert not any(e.terminal for e in run.events)


def test_a_large_amplitude() -> None:
    m = pendulum(3.1, when="O")
    run = m.run(until=2.0 * period(3.1), rtol=1e-12, atol=1e-13)
    assert run.events[0].time == pytest.approx(period(3.1) / 4, rel=1e-8)


@pytest.mark.parametrize(("direction", "first"), [(-1, 0.25), (1, 0.75), ("falling", 0.25), ("rising", 0.75)])
def test_direction(direction: object, first: float) -> None:
    run = pendulum(when="O", direction=direction).run(until=2.1 * period(1.2), rtol=1e-11, atol=1e-12)
    assert [e.time for e in run.events] == pytest.approx(period(1.2) * (first + np.arange(2)), abs=1e-8)


def test_a_terminal_event_ends_the_run() -> None:
    run = pendulum(when="O", terminal=True).run(until=10.0, rtol=1e-11, atol=1e-12)
    T = period(1.2)
    assert run.ok
    assert run.status.message.startswith('stopped by event "down"')
    assert run.time[-1] == run.status.time_reached == pytest.approx(T / 4, abs=1e-8)
    assert len(run.events) == 1 and run.events[0].terminal
    assert float(run["O"].values[-1]) == pytest.approx(0.0, abs=1e-9)
    speed = math.sqrt(3 * 9.81 * (1 - math.cos(1.2)))
    assert float(run["O.rate"].values[-1]) == pytest.approx(-speed, abs=1e-8)
    assert np.all(np.diff(run.time) > 0)


def test_two_events_in_one_step_come_in_order() -> None:
    m = pendulum()
    m.event("second", "O - 0.099")
    m.event("first", "O - 0.1")
    m.event("third", "t - 2")
    run = m.run(until=period(1.2) / 2, rtol=1e-10)
    assert [e.name for e in run.events] == ["first", "second"]
    assert run.events[0].time < run.events[1].time < run.events[0].time + 0.001


def test_events_on_rates_time_and_reactions_of_a_closed_loop() -> None:
    m = mb.load("four-bar")
    m.event("turning", "O1.rate")
    m.event("half", "t - 0.5")
    run = m.run(until=3, rtol=1e-10, atol=1e-12)
    names = [e.name for e in run.events]
    assert names.count("half") == 1
    assert next(e.time for e in run.events if e.name == "half") == pytest.approx(0.5, abs=1e-12)
    for event in run.events:
        if event.name == "turning":
            assert float(run.at(event.time)["O1.rate"]) == pytest.approx(0.0, abs=1e-9)
    assert names.count("turning") >= 1


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("integrator", ["dop853", "adams"])
def test_between_the_instants(integrator: str, formulation: str) -> None:
    model = mb.load("four-bar")
    exact = tight(model, 2.0, output_step=0.01)
    run = model.run(2.0, formulation=formulation, integrator=integrator, rtol=1e-9, atol=1e-11, output_step=0.5)
    for k in (3, 37, 111, 163, 199):
        there, here = exact.state_at(k), run.at(float(exact.time[k]))
        assert here.q == pytest.approx(there.q, abs=1e-7)
        assert here.v == pytest.approx(there.v, abs=1e-6)
        assert float(here["O1.acceleration"]) == pytest.approx(float(there["O1.acceleration"]), abs=1e-5)
        assert here["A.reaction.force"] == pytest.approx(there["A.reaction.force"], abs=1e-4)


@pytest.mark.parametrize("integrator", ["rk4", "ab3"])
def test_between_the_instants_of_fixed_steps(integrator: str) -> None:
    model = mb.load("four-bar")
    exact = tight(model, 1.0, output_step=0.01)
    run = model.run(1.0, integrator=integrator, step=0.002, output_step=0.5)
    for k in (13, 51, 99):
        assert run.at(float(exact.time[k])).q == pytest.approx(exact.motion.q[k], abs=1e-6)


def test_outside_of_the_run_and_without_dense_output() -> None:
    run = mb.load("four-bar").run(1.0)
    with pytest.raises(mb.ModelError, match="outside of the run; it goes from 0 to 1"):
        run.at(1.5)
    bare = mb.load("four-bar").run(1.0, dense=False)
    assert bare.final.q == pytest.approx(run.final.q, abs=1e-12)
    with pytest.raises(mb.ModelError, match="dense=True"):
        bare.at(0.3)


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("name", ["four-bar", "spatial-four-bar", "engine"])
def test_going_on_is_one_long_run(name: str, formulation: str) -> None:
    model = mb.load(name)
    options = {"formulation": formulation, "rtol": 1e-11, "atol": 1e-12}
    whole = model.run(1.0, **options)
    half = model.run(0.4, **options)
    rest = model.run(1.0, initial=half.final, **options)
    assert rest.time[0] == 0.4 and rest.time[-1] == 1.0
    assert rest.final.q == pytest.approx(whole.final.q, abs=1e-8)
    assert rest.final.v == pytest.approx(whole.final.v, abs=1e-7)
    angle = {"four-bar": "O1", "spatial-four-bar": "O", "engine": "O1"}[name]
    assert float(rest.final[angle]) == pytest.approx(float(whole.final[angle]), abs=1e-8)  # turns are counted on
    assert not [note for note in rest.notes if "inconsistent" in note]
    again = model.run(1.0, initial=whole.at(0.4), **options)
    assert again.final.q == pytest.approx(whole.final.q, abs=1e-8)


def test_turns_are_counted_over_runs() -> None:
    model = mb.load("engine")
    run = model.run(0.7, rtol=1e-10)
    later = model.run(1.0, initial=run.final, rtol=1e-10)
    assert float(later.final["O1"]) == pytest.approx(15.2595756652, abs=1e-6)
    assert np.all(np.diff(later["O1"].values) > 0)


@pytest.mark.parametrize("scale", ["1e-170", "1e-250", "1e200"])
@pytest.mark.parametrize("options", [{}, {"integrator": "rk4", "step": 0.3}, {"integrator": "bdf"}])
def test_events_and_switches_do_not_depend_on_the_size_of_what_is_watched(scale: str, options: dict[str, Any]) -> None:
    """The product of two values of 1e-170 is zero."""
    m = mb.Model("slider", dimension=2)
    m.body("block", mass=1, inertia=1)
    m.translational("S", "ground", "block", axis=(1, 0))
    m.event("there", f"{scale}*S")
    m.effort("motor", "S", value=f"if({scale}*S > 0, 1, 0)")
    m.initial({"S": -1.0, "S.rate": 1.0})
    run = m.run(2.0, **options)
    assert [event.time for event in run.events] == pytest.approx([1.0], abs=1e-9)
    assert float(run["S.rate"][-1]) == pytest.approx(2.0, abs=1e-8)
