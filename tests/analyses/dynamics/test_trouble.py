"""Runs that cannot be: one clear sentence, and everything up to there is kept."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import multibody as mb
from analyses.dynamics.checks import FORMULATIONS, patience


def rod(**fields: Any) -> mb.Model:
    m = mb.Model("rod", dimension=2, gravity=(0, -9.81))
    m.body("rod", **({"mass": 1.0, "inertia": 0.1, "com": (0.5, 0.0)} | fields))
    m.revolute("O", "ground", "rod")
    return m


def slider_crank() -> mb.Model:
    m = mb.Model("slider-crank", dimension=2)
    m.body("crank", mass=1.0, inertia=0.01, frames={"pin": (0.2, 0)})
    m.body("rod", mass=0.5, inertia=0.01, com=(0.3, 0), frames={"end": (0.6, 0)})
    m.body("slider", mass=0.4, inertia=0.01)
    m.revolute("O", "ground", "crank")
    m.revolute("A", "crank.pin", "rod")
    m.revolute("B", "rod.end", "slider")
    m.translational("S", "ground", "slider", axis=(1, 0))
    m.initial({"O": 0.5}, guess={"S": 0.75})
    return m


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_motion_that_locks_up_keeps_what_came_before(formulation: str) -> None:
    m = slider_crank()
    m.body("flag", mass=0.1, inertia=0.001, com=(0.1, 0))
    m.revolute("F", "slider", "flag")  # a freedom is left, so that it is integrated
    m.initials.clear()
    m.motion("S", "0.75 + 0.2*t")  # the slider reaches 0.8 at most, at t = 0.25
    m.initial({"F.rate": 1.0}, guess={"O": 0.5})
    run = m.run(1.0, formulation=formulation, progress=patience(5.0))
    assert not run.ok and "interrupted" not in run.status.message
    assert run.status.time_reached == pytest.approx(0.25, abs=0.01)
    assert len(run.time) > 50 and np.all(np.isfinite(run.motion.q))
    assert run["S"].values[:50] == pytest.approx(0.75 + 0.2 * run.time[:50], abs=1e-8)
    assert f"at t = {run.status.time_reached:.9g}"[:12] in run.status.message
    assert run.status.advice


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_model_that_is_driven_completely_and_locks_up() -> None:
    m = slider_crank()
    m.initials.clear()
    m.motion("S", "0.75 + 0.2*t")
    m.initial(guess={"O": 0.5})
    run = m.run(1.0)
    assert not run.ok
    assert 0.2 < run.status.time_reached <= 0.2500001
    assert len(run.time) > 50


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("integrator", ["dop853", "adams"])
def test_a_stiff_model_is_told_to_be_stiff(integrator: str) -> None:
    m = mb.Model("stiff", dimension=2)
    m.body("block", mass=1.0, inertia=0.1)
    m.translational("S", "ground", "block", axis=(1, 0))
    m.effort("spring", "S", stiffness=100.0, damping=1e5)  # decays as exp(-1e5 t), then as exp(-1e-3 t)
    m.initial({"S": 1.0})
    run = m.run(0.5, integrator=integrator, rtol=1e-6, progress=patience(10.0))
    assert run.ok
    assert run.statistics["stiff"]
    assert "implicit" in run.status.advice


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_force_that_grows_without_bound() -> None:
    m = mb.Model("blow-up", dimension=2)
    m.body("block", mass=1.0, inertia=0.1)
    m.translational("S", "ground", "block", axis=(1, 0))
    m.effort("push", "S", value="2*S^3")  # x = 1/(1 - t) from x = 1, v = 1
    m.initial({"S": 1.0, "S.rate": 1.0})
    run = m.run(2.0, rtol=1e-10, progress=patience(5.0))
    assert not run.ok and "interrupted" not in run.status.message
    assert run.status.time_reached == pytest.approx(1.0, abs=1e-3)
    early = run.time < 0.9
    assert run["S"].values[early] == pytest.approx(1 / (1 - run.time[early]), rel=1e-7)
    assert run.status.advice


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("integrator", ["dop853", "adams", "rk4"])
def test_a_force_that_is_not_a_number(integrator: str) -> None:
    m = rod()
    m.effort("root", "O", value="sqrt(0.3 - t)")
    run = m.run(1.0, integrator=integrator, step=0.01 if integrator == "rk4" else None, progress=patience(5.0))
    assert not run.ok and "interrupted" not in run.status.message
    assert run.status.time_reached == pytest.approx(0.3, abs=0.02)
    assert np.all(np.isfinite(run.motion.q)) and np.all(np.isfinite(run.motion.v))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_events_without_end() -> None:
    m = rod()
    m.event("buzz", "sin(1e6*t)")
    run = m.run(1.0, integrator="rk4", step=1.1e-6, progress=patience(20.0))
    assert not run.ok
    assert 'event "buzz" happens without end' in run.status.message
    assert "terminal" in run.status.advice
    assert len(run.events) == 10_000


def test_many_cheap_steps() -> None:
    run = rod().run(0.3, integrator="rk4", step=1e-5, output_step=0.1)
    assert run.ok and run.statistics["steps"] == 30_000
    assert run["O"].values == pytest.approx(rod().run(0.3, rtol=1e-11, output_step=0.1)["O"].values, abs=1e-9)


# --- models that cannot run ------------------------------------------------------------------------------------------


def refused(model: mb.Model, *args: Any, **options: Any) -> str:
    """Return the sentence of the error that a run gives."""
    with pytest.raises(mb.ModelError) as caught:
        model.run(*args, **options)
    return str(caught.value)


def test_a_model_that_cannot_move() -> None:
    m = mb.Model("rigid", dimension=2, gravity=(0, -9.81))
    m.body("a", mass=1.0, inertia=0.1, com=(0.5, 0))
    m.fixed("weld", "ground", "a")
    run = m.run(1.0)
    assert run.ok
    assert any("kinematics" in note or "move" in note for note in run.notes)
    assert run["weld.reaction.force"].values == pytest.approx(np.tile([0.0, 9.81], (len(run.time), 1)), abs=1e-9)
    assert run["weld.reaction.moment"].values == pytest.approx(np.full(len(run.time), 0.5 * 9.81), abs=1e-9)


def test_a_missing_mass_or_inertia_is_named() -> None:
    assert 'body "rod"' in refused(rod(mass=None), 1.0) or "bodies.rod" in refused(rod(mass=None), 1.0)
    assert "no mass" in refused(rod(mass=None), 1.0)
    assert "no inertia" in refused(rod(inertia=None), 1.0)


def test_a_free_direction_without_mass_is_named() -> None:
    sentence = refused(rod(mass=0.0, inertia=0.0), 1.0)
    assert "mass" in sentence
    m = mb.Model("pair", dimension=2)
    m.body("heavy", mass=1.0, inertia=0.1)
    m.body("ghost", mass=0.0, inertia=0.0)
    m.revolute("O", "ground", "heavy")
    m.translational("S", "heavy", "ghost", axis=(3, 4))
    sentence = refused(m, 1.0)
    assert "ghost" in sentence and "translation along (0.6, 0.8)" in sentence and "no inertia" in sentence
    m = mb.Model("spin")
    m.body("bar", mass=1.0, inertia=(0.0, 0.1, 0.1))
    m.revolute("O", "ground", "bar", axis=(1, 0, 0))
    m.effort("motor", "O", value=1.0)  # would turn it infinitely fast
    sentence = refused(m, 1.0)
    assert "bar" in sentence and "rotation about" in sentence


def test_an_inconsistent_start_is_projected_and_told() -> None:
    model = mb.load("four-bar")
    state = model.assemble()
    q = state.q.copy()
    q[0] += 0.01
    v = state.v.copy()
    v[4] += 0.3
    run = model.run(0.1, initial=replace(state, q=q, v=v))
    assert run.ok
    note = next(note for note in run.notes if "inconsistent" in note)
    assert "positions moved by 0.00" in note and "velocities by 0." in note
    assert run.certificate["position_violation"] < 1e-9
    assert np.max(np.abs(run.motion.q[0] - q)) < 0.02
    assert run.certificate["energy_drift"] < 1e-7
    with pytest.raises(mb.ModelError, match="not finite"):
        model.run(0.1, initial=replace(state, q=q * math.nan))
    with pytest.raises(mb.ModelError, match="belongs to another model"):
        mb.load("double-pendulum").run(0.1, initial=state)


def test_state_of_a_model_of_equal_size() -> None:
    one, other = mb.load("four-bar"), mb.load("slider-crank")
    state = one.assemble()
    assert state.q.shape == other.assemble().q.shape
    with pytest.raises(mb.ModelError, match="belongs to another model"):
        other.run(0.1, initial=state)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"until": 0.0}, "the end time equals the start"),
        ({}, "no end time; give until"),
        ({"until": math.inf}, "until is inf; give a finite number"),
        ({"until": 1.0, "output_step": 0.0}, "output_step is 0; give a positive length of time"),
        ({"until": 1.0, "output_step": -0.1}, "output_step is -0.1"),
        ({"until": 1.0, "output_step": 1e-12}, "GB of memory"),
        ({"until": 1.0, "integrator": "rk4", "step": 0.0}, "step is 0; give a positive length of time"),
        ({"until": 1.0, "integrator": "rk4", "step": -0.01}, "step is -0.01"),
        ({"until": 1.0, "integrator": "rk4"}, "a fixed step is missing"),
        ({"until": 1.0, "step": 0.1}, "this integrator chooses its steps"),
        ({"until": 1.0, "rtol": 0.0}, "rtol is 0"),
        ({"until": 1.0, "atol": -1.0}, "atol is -1"),
        ({"until": 1.0, "formulation": "kaen"}, 'did you mean "kane"'),
        ({"until": 1.0, "integrator": "dop835"}, 'did you mean "dop853"'),
        ({"until": "2*banana"}, "banana"),
    ],
)
def test_bad_options(options: dict[str, Any], words: str) -> None:
    sentence = refused(rod(), options.pop("until", None), **options)
    assert words in sentence
    assert "\n\n" not in sentence and len(sentence) < 400


def test_gravity_that_is_missing_is_told() -> None:
    assert "gravity: none" in mb.load("double-pendulum").run(0.1).notes
    assert "gravity: none" not in rod().run(0.1).notes


def test_a_poor_energy_balance_is_told() -> None:
    """A step that is far too long finishes, and says that it is not to be trusted."""
    coarse, fine = (mb.load("pendulum").run(5.0, integrator="rk4", step=step) for step in (0.25, 0.005))
    assert coarse.certificate["energy_drift"] > 1e-3 > fine.certificate["energy_drift"]
    assert any("energy balance is off" in note for note in coarse.notes)
    assert not any("energy balance" in note for note in fine.notes)
