"""Members in compiled loops are those of the ordinary path to the last bit; what does not fit is done by that, and said."""

from __future__ import annotations

import pickle
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import multibody as mb
from multibody.analyses.members.numbers import NotServed
from multibody.study.compiled import CompiledMembers
from multibody.study.members import OrdinaryMembers, prepare
from multibody.study.plan import make_plan
from study.models import oscillator, single, swing

BAR = {"l0": mb.normal(1.9, 0.01), "length": (1.98, 2.02), "initial.O1.rate": (-0.2, 0.2)}
BAR_ASKED = [
    "max(norm(A.reaction.force))", "final(link2.x)", "rms(O1.rate)", "final(energy.total)", "min(link2.y)", "mean(O3)",
    "time of max norm(B.reaction.force)", "at(0.0123, O3)", "at(0.05, O3)", "integral(O1.rate^2)/l0", "max(abs(O1 - mean(O1)))",
    "max(momentum.x)", "max(A.reaction.moment)", "max(link2.x.acceleration)",
]  # fmt: skip
SPATIAL = {"coupler_length": (1.0, 1.02), "initial.O.rate": (0.9, 1.1)}


def both(
    model: mb.Model, varied: Any, asked: list[str], analysis: str = "run", samples: int | None = None, **options: Any
) -> tuple[Any, Any, Any]:
    """Return compiled members, and what they and the ordinary path compute."""
    plan = make_plan(model, varied, samples)
    ordinary = prepare(model, plan.keys, asked, analysis, options, None, True)
    assert isinstance(ordinary, OrdinaryMembers)
    members = CompiledMembers(ordinary)
    return members, members.compute(plan.values), ordinary.compute(plan.values)


@pytest.mark.parametrize(
    "options", [{"until": 0.1}, {"until": "0.05*l0"}, {"until": -0.1, "integrator": "rk4", "step": 0.004}]
)
def test_a_compiled_member_is_a_single_run_to_the_last_bit(options: dict[str, Any]) -> None:
    asked = [text for text in BAR_ASKED if options["until"] != -0.1 or not text.startswith("at")]
    members, found, known = both(swing(), BAR, asked, samples=7, **options)
    assert members.compiled == 7 and not members.aside, members.aside
    np.testing.assert_array_equal(found.outputs, known.outputs)
    assert np.all(found.status == known.status) and found.messages == known.messages
    for k, row in enumerate(make_plan(swing(), BAR, 7).values[:2]):
        run = single(swing(), dict(zip(BAR, row.tolist(), strict=True)), **options)
        assert found.outputs[k, 1] == float(run["link2.x"][-1]) and found.outputs[k, 3] == float(run["energy.total"][-1])


def test_other_integrators_and_tolerances() -> None:
    for options in ({"integrator": "adams"}, {"integrator": "ab3", "step": 0.002}, {"rtol": 1e-5}):
        members, found, known = both(swing(), {"l0": (1.88, 1.92)}, BAR_ASKED[:3], samples=3, until=0.06, **options)
        assert members.compiled == 3, (options, members.aside)
        np.testing.assert_array_equal(found.outputs, known.outputs)


def test_forces_and_trees() -> None:
    asked = ["max(S)", "max(spring.effort)", "min(energy.potential)", "final(S)", "max(S.reaction.force.x)", "max(block.x)"]
    members, found, known = both(oscillator(), {"k": (3.9, 4.1), "initial.S": (0.2, 0.3)}, asked, samples=5, until=0.5)
    assert members.compiled == 5, members.aside
    np.testing.assert_array_equal(found.outputs, known.outputs)
    pendulum = mb.load("double-pendulum")
    name = next(iter(pendulum.parameters))
    value = pendulum.set().parameters[name].value
    lengths = [float(value) * x for x in (0.98, 1.0, 1.01)]
    members, found, known = both(pendulum, {name: lengths}, ["final(energy.kinetic)"], until=0.3)
    assert members.compiled == 3, members.aside
    np.testing.assert_array_equal(found.outputs, known.outputs)


def test_kinematics_and_inverse_dynamics() -> None:
    crank, varied = mb.load("slider-crank"), {"l2": (0.14, 0.16), "omega": (90.0, 110.0)}
    asked = ["max(O.effort)", "rms(O.effort)", "max(norm(A.reaction.force))", "final(energy.work)", "at(0.011, O.effort)"]
    for words, analysis in ((asked, "inverse"), (["final slider.x", "rms(slider.x.rate)", "mean(rod.angle)"], "kinematics")):
        members, found, known = both(crank, varied, words, analysis, samples=7, until="2*pi/omega", steps=60)
        assert members.compiled == 7, members.aside
        np.testing.assert_array_equal(found.outputs, known.outputs)


def test_what_does_not_fit_is_done_by_the_ordinary_path_and_said() -> None:
    found = swing().study({"l0": [1.9, 6.5, 1.8, 1.7, 1.6]}, "final O1", until=0.1)
    assert found.states == ["done", "failed", "done", "done", "done"] and '"O3" cannot close' in found.messages[1]
    assert found.statistics == {"compiled": 4, "ordinary": 1, "because": {"it does not close at once": 1}}
    light = oscillator().study({"m": [1.0, 0.01, 1.1, 1.2, 1.3]}, "final S", until=0.1)
    assert light.states[1] == "failed" and light.statistics["because"] == {"values that are refused": 1}
    met = oscillator().study({"k": [4.0, 4.1, 4.2, 0.1]}, ["first(middle)", "max(S)"], until=1.0)
    assert met.statistics["compiled"] == 4
    w = np.sqrt([4.0, 4.1, 4.2])
    np.testing.assert_allclose(met.outputs[:3, 0], np.pi / 2 / w, rtol=1e-7)
    assert np.isnan(met.outputs[3, 0]) and met.outputs[3, 1] == pytest.approx(0.3)


def test_stiffness_and_many_steps_are_left_to_the_ordinary_path() -> None:
    members, found, known = both(oscillator(), {"k": [4.0, 4e9]}, ["final S"], until=0.02, rtol=1e-4, atol=1e-6)
    assert members.compiled == 1 and sum(members.aside.values()) == 1
    np.testing.assert_array_equal(found.outputs, known.outputs)


def test_room_is_made_for_long_runs() -> None:
    """More than 64 steps, more than 512, more than 4096; one member meets an event on its way."""
    asked, fixed = ["max(S)", "final S"], {"integrator": "rk4", "until": 0.7}
    members, found, known = both(oscillator(x0=-0.3), {"k": [4.0, 40.0]}, asked, **fixed, step=0.02)
    assert members.compiled == 2, members.aside
    np.testing.assert_array_equal(found.outputs, known.outputs)
    for step, compiled in ((0.003, 2), (0.001, 2), (0.0001, 0)):
        members, found, known = both(oscillator(x0=-0.3), {"k": [4.0, 4.1]}, asked, **fixed, step=step)
        assert members.compiled == compiled, (step, members.aside)
        np.testing.assert_array_equal(found.outputs, known.outputs)


def test_less_room_than_batches_need_leaves_nobody_out(monkeypatch: pytest.MonkeyPatch) -> None:
    from multibody.analyses.members import run

    monkeypatch.setattr(run, "MOST_NUMBERS", 60_000)
    values = np.linspace(3.9, 4.1, 11)
    asked, given = ["max(S)", "final S"], {"until": 0.7, "integrator": "rk4", "step": 0.001, "output_step": 0.05}
    members, found, known = both(oscillator(x0=-0.3), {"k": values}, asked, **given)
    assert members.compiled + sum(members.aside.values()) == 11
    np.testing.assert_array_equal(found.outputs, known.outputs)
    assert np.all(np.isfinite(found.outputs))


@pytest.mark.parametrize(
    "options", [{"formulation": "parametric"}, {"integrator": {"rk4": {"step": "0.001*l0"}}}, {"rtol": "1e-6*l0"}]
)
def test_what_compiled_loops_do_not_know_is_not_begun(options: dict[str, Any]) -> None:
    with pytest.raises(NotServed):
        both(swing(), {"l0": [1.9]}, ["final O1"], until=0.01, **options)


def test_neither_threads_nor_chunks_nor_travel_change_a_bit() -> None:
    plain = swing().study(BAR, BAR_ASKED, samples=24, until=0.1, workers=1)
    assert plain.statistics["compiled"] == 24
    for ways in ({"workers": 3, "chunk": 5}, {"chunk": 1}, {}):
        other = swing().study(BAR, BAR_ASKED, samples=24, until=0.1, **ways)  # type: ignore[arg-type]
        np.testing.assert_array_equal(plain.outputs, other.outputs)
    with ThreadPoolExecutor(3) as pool:
        handed = swing().study(BAR, BAR_ASKED, samples=24, until=0.1, chunk=3, executor=pool)
    np.testing.assert_array_equal(plain.outputs, handed.outputs)
    members, found, _ = both(swing(), BAR, BAR_ASKED, samples=24, until=0.1)
    there = pickle.loads(pickle.dumps(members))
    np.testing.assert_array_equal(there.compute(make_plan(swing(), BAR, 24).values).outputs, found.outputs)


def test_a_digit_that_differs_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    members, _, known = both(swing(), {"l0": (1.88, 1.92)}, ["final O1"], samples=4, until=0.02)
    members._trusted = None
    monkeypatch.setattr(members, "_is_same", lambda *_: False)
    plan = make_plan(swing(), {"l0": (1.88, 1.92)}, 4)
    found = members.compute(plan.values)
    np.testing.assert_array_equal(found.outputs, known.outputs)
    assert members.aside == {"its digits differ": 4}


def test_other_units_are_the_same_problem() -> None:
    metre, milli = ({"until": 0.5}, oscillator()), ({"until": 0.5}, oscillator(scale=(1e3, 1e3)))
    numbers = []
    for (options, model), scale in ((metre, 1.0), (milli, 1e3)):
        members, found, _ = both(model, {"k": [4.0 * scale, 4.2 * scale]}, ["max(S)", "final(S)"], **options)
        assert members.compiled == 2, members.aside
        numbers.append(found.outputs / scale)
    np.testing.assert_allclose(numbers[1], numbers[0], rtol=1e-8)


def test_space() -> None:
    model = mb.load("spatial-four-bar")
    asked = ["max(norm(A.reaction.force))", "final(energy.total)", "min(O.rate)"]
    members, found, known = both(model, SPATIAL, asked, samples=3, until=0.1)
    assert members.compiled + sum(members.aside.values()) == 3
    np.testing.assert_array_equal(found.outputs, known.outputs)


def bouncing() -> mb.Model:
    """Return the oscillator with something in its way whose force jumps."""
    made = oscillator()
    made.effort("wall", "S", value="if(S < -0.1, -200*(S + 0.1) + 0.5, 0)")
    return made


JOINTS, BDF, FIXED = {"formulation": "articulated"}, {"integrator": "bdf"}, {"integrator": "rk4", "step": 0.01}


@pytest.mark.parametrize("options", [{}, JOINTS, BDF, {"integrator": "adams"}, {"until": -6.0}])
def test_events_and_switches_of_forces_are_passed(options: dict[str, Any]) -> None:
    asked = ["first(middle)", "final(S)", "max(S)", "min(S)", "max(abs(wall.effort))", "first(middle)*k"]
    varied = {"k": (3.9, 4.1), "initial.S": (0.05, 0.3)}  # of which some do not come to the wall
    members, found, known = both(bouncing(), varied, asked, samples=6, **{"until": 6.0, **options})
    assert members.compiled == 6 and not members.aside, members.aside
    np.testing.assert_array_equal(found.outputs, known.outputs)
    met = found.outputs[:, 4] > 0.0
    assert np.all(np.isfinite(found.outputs[:, 0])) and np.any(met) and not np.all(met)


@pytest.mark.parametrize("options", [{}, JOINTS, BDF, FIXED])
def test_an_event_that_ends_a_run_ends_a_member(options: dict[str, Any]) -> None:
    """Members have as many instants as their runs: x = 0.3 cos(ωt) is at -0.1 when ωt = acos(-1/3), sin(ωt) = √8/3."""
    ending = oscillator()
    ending.event("over", "S + 0.1", terminal=True)
    asked = ["first(over)", "final(S)", "max(abs(S.rate))", "integral(S)", "at(0.8, S)", "at(2.5, S)"]
    members, found, known = both(ending, {"k": (3.0, 5.0)}, asked, samples=9, until=3.0, output_step=0.01, **options)
    assert members.compiled == 9, members.aside
    np.testing.assert_array_equal(found.outputs, known.outputs)
    assert np.all(found.status == known.status) and found.messages == known.messages
    w = np.sqrt(make_plan(ending, {"k": (3.0, 5.0)}, 9).values[:, 0])
    np.testing.assert_allclose(found.outputs[:, 0], np.arccos(-1 / 3) / w, rtol=1e-6)
    np.testing.assert_allclose(found.outputs[:, 1], -0.1, rtol=1e-6)
    np.testing.assert_allclose(found.outputs[:, 3], 0.3 * np.sqrt(8 / 9) / w, rtol=1e-3)
    assert np.all(np.isnan(found.outputs[:, 5])), "behind the end there is nothing"
    same = ending.study({"k": (3.0, 5.0)}, asked, samples=9, until=3.0, output_step=0.01, chunk=2, workers=2, **options)
    np.testing.assert_array_equal(same.outputs, found.outputs)


def test_what_ends_some_members_at_their_start_or_never() -> None:
    ending = oscillator()
    ending.event("over", "S - 0.3", terminal=True)
    ending.event("far", "S + 0.25", terminal=True)
    varied = {"initial.S": [0.3, 0.2, 0.4, 0.27, 0.31]}  # one begins at its end, one never comes to any
    members, found, known = both(ending, varied, ["first(over)", "first(far)", "final(S)", "mean(S)"], until=2.0)
    np.testing.assert_array_equal(found.outputs, known.outputs)
    assert members.compiled >= 4 and np.all(found.status == known.status), members.aside


def test_jumps_in_steps_of_one_length_are_left_to_the_ordinary_path() -> None:
    fixed, found, known = both(bouncing(), {"k": (3.9, 4.1)}, ["final(S)"], samples=3, until=3.0, integrator="rk4", step=0.01)
    assert dict(fixed.aside) == {"an event": 3}, "steps of one length come up to a jump by themselves"
    np.testing.assert_array_equal(found.outputs, known.outputs)


def test_memory_is_that_of_the_outputs() -> None:
    """What a study keeps is its values and outputs; what computes members is the same for few and for many."""
    model, asked, sizes = swing(), ["final(link2.x)"], []
    for count in (1024, 4096):  # whole batches
        given: dict[str, Any] = {"samples": count, "method": "random", "until": 0.02, "workers": 1}
        model.study(BAR, asked, **given)
        tracemalloc.start()
        found = model.study(BAR, asked, **given)
        kept, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        own = found.values.nbytes + found.outputs.nbytes
        assert kept < 2 * own + 2_000_000, (kept, own)
        sizes.append(most - kept)
    assert sizes[1] < 1.2 * sizes[0] + 4 * 3072 * 8 * len(BAR), "3072 members more leave the room of a batch as it is"


def test_a_study_that_compiled_loops_do_not_serve_says_why() -> None:
    found = swing().study({"l0": [1.9, 1.88, 1.92, 1.91]}, "final O1", until=0.01, formulation="parametric")
    assert found.statistics == {"compiled": 0, "ordinary": 4, "because": {"formulation parametric": 4}}
    few = swing().study({"l0": [1.9]}, "final O1", until=0.01)
    assert few.statistics == {"compiled": 0, "ordinary": 1, "because": {"fewer than 4 members": 1}}
