"""Members are single runs to the last bit, however they are computed; each fails alone."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import multibody as mb
from multibody.study.members import prepare
from multibody.study.plan import make_plan
from study.models import oscillator, single, swing

ASKED = ["max(norm(A.reaction.force))", "final(link2.x)", "rms(O1.rate)", "final(energy.total)"]
VARIED = {"l0": mb.normal(1.9, 0.01), "length": (1.98, 2.02), "initial.O1.rate": (-0.2, 0.2)}


@pytest.mark.parametrize("options", [{}, {"formulation": "kane"}, {"integrator": "rk4", "step": 0.01}])
def test_a_member_is_a_single_run(options: dict[str, object]) -> None:
    found = swing().study(VARIED, ASKED, samples=3, until=0.3, **options)  # type: ignore[arg-type]
    for k in range(len(found)):
        run = single(swing(), found.member(k)["values"], until=0.3, **options)
        peak = run.loads(["A"], refine=True)["A"]["force"].peak
        assert found.outputs[k, 1] == float(run["link2.x"][-1])
        assert found.outputs[k, 3] == float(run["energy.total"][-1])
        assert found.outputs[k, 0] == pytest.approx(peak, rel=1e-7)
        again = found.repeat(k)
        np.testing.assert_array_equal(again["link2.x"].values, run["link2.x"].values)


def test_other_analyses_are_single_ones_too() -> None:
    crank = mb.load("slider-crank")
    values = [0.12, 0.16]
    moved = crank.study({"l2": values}, ["final slider.x", "max(slider.x.rate)"], analysis="kinematics", until=0.03, steps=50)
    driven = crank.study({"l2": values}, ["final(O.effort)", "final O"], analysis="inverse", until=0.03, steps=50)
    hung = oscillator().study({"k": values}, ["S", "block.x"], analysis="statics")
    for k, l2 in enumerate(values):
        run = crank.set(l2=l2).kinematics(until=0.03, steps=50)
        assert moved.outputs[k, 0] == float(run["slider.x"][-1])
        assert moved.outputs[k, 1] >= float(run["slider.x.rate"].max())
        inverse = crank.set(l2=l2).inverse(until=0.03, steps=50)
        assert driven.outputs[k, 0] == float(inverse["O"][-1]) and driven.outputs[k, 1] == float(inverse.motion["O"][-1])
        assert driven.repeat(k).names == ["O"]
        assert hung.outputs[k, 0] == oscillator().set(k=l2).statics()["S"]
    assert isinstance(crank.study({"l2": values}, "slider.x", analysis="assemble").repeat(1), mb.State)
    assert hung.repeat(0).ok and moved.repeat(0).ok


def test_neither_chunks_nor_threads_nor_pickling_change_a_digit() -> None:
    plain = swing().study(VARIED, ASKED, samples=12, until=0.1)
    chunked = swing().study(VARIED, ASKED, samples=12, until=0.1, chunk=5)
    np.testing.assert_array_equal(plain.outputs, chunked.outputs)
    with ThreadPoolExecutor(3) as pool:
        threaded = swing().study(VARIED, ASKED, samples=12, until=0.1, chunk=2, executor=pool)
    np.testing.assert_array_equal(plain.outputs, threaded.outputs)
    plan = make_plan(swing(), VARIED, 12)
    members = pickle.loads(pickle.dumps(prepare(swing(), plan.keys, ASKED, "run", {"until": 0.1}, None, True)))
    np.testing.assert_array_equal(plain.outputs, members.compute(plan.values).outputs)


def test_members_fail_and_stop_alone() -> None:
    found = swing().study({"l0": [1.9, 6.5, 1.8]}, "final O1", until=0.1)
    assert found.states == ["done", "failed", "done"] and found.ok and found.counts["failed"] == 1
    assert '"O3" cannot close' in found.messages[1] and np.isnan(found.outputs[1, 0])
    crank = mb.load("slider-crank").study({"l2": [0.15, 0.4]}, "final t", analysis="kinematics", until=0.04)
    assert crank.states == ["done", "stopped"] and "locked up" in crank.messages[1]
    assert crank.outputs[1, 0] == pytest.approx(0.0068), "numbers of the part that it moved, to the last of 100 instants"
    assert crank.mean("final t") == 0.04, "and no part of the mean"
    light = oscillator().study({"m": [1.0, 0.01]}, "final S", until=0.1)
    assert light.states == ["done", "failed"] and "0.01 is outside its limits" in light.messages[1]
    assert light.reasons()[0].startswith("1 failed, first member 1: parameter")
    rare = oscillator().study({"initial.S": [0.3, -0.3]}, "first(middle)", until=1.0)
    assert rare.states == ["done", "done"] and np.isnan(rare.outputs[1, 0]), "it did not happen, and nothing failed"


def test_components_and_initial_values_are_varied() -> None:
    m = mb.Model("two points", dimension=2)
    p = m.parameter("p", (1.0, "2*q"))
    m.parameter("q", 0.5)
    m.body("block", mass=1, inertia=1, frames={"tip": p})
    m.translational("S", m.ground, "block", axis=(1, 0))
    found = m.study({"p.y": [3.0, 4.0], "initial.S": 0.5}, ["block.tip.x", "block.tip.y"], analysis="assemble")
    np.testing.assert_allclose(found.outputs, [[1.5, 3.0], [1.5, 4.0]], atol=1e-14)
    both = m.study({"initial.S": [0.5, 0.7]}, ["block.tip.x", "block.tip.x.rate"], analysis="assemble", initial={"S.rate": 2.0})
    np.testing.assert_allclose(both.outputs, [[1.5, 2.0], [1.7, 2.0]], atol=1e-14)
    state = m.assemble({"S": 0.9})
    assert m.study({"q": [1.0]}, "block.x", analysis="assemble", initial=state).outputs[0, 0] == pytest.approx(0.9)
    with pytest.raises(mb.ModelError, match="a state is given to start from"):
        m.study({"initial.S": [0.5]}, "block.x", analysis="assemble", initial=state)
    assert m.parameters["p"].value[1] != 3.0 and list(m.parameters) == ["p", "q"], "the model stays as it is"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "run: no end time; give until"),
        ({"until": 0}, "the end time equals the start"),
        ({"until": 1, "steps": 5}, 'run takes no "steps"; it takes until, formulation'),
        ({"until": 1, "analysis": "rum"}, 'did you mean "run"?'),
        ({"until": 1, "rtol": 2.0}, "rtol is 2"),
        ({"until": 1, "integrator": "rk5"}, "rk4"),
        ({"until": 1, "workers": 0}, "workers is 0"),
        ({"until": 1, "chunk": 2.5}, "chunk is 2.5"),
        ({"until": 1, "executor": 7}, "7 is no executor"),
        ({"until": 1, "resume": True}, "there is no store to resume from"),
        ({"until": 1, "initial": 3}, "3 is not a state"),
        ({"until": 1, "sample": 3}, 'unknown field "sample"; did you mean "samples"?'),
    ],
)
def test_what_cannot_be_studied_is_refused_before_the_work(given: dict[str, object], said: str) -> None:
    with pytest.raises(mb.ModelError) as caught:
        oscillator().study({"k": [1.0, 2.0]}, "final S", **given)  # type: ignore[arg-type]
    assert said in str(caught.value)


def test_a_model_without_masses_is_refused_at_once() -> None:
    m = mb.Model("bare", dimension=2)
    m.parameter("q", 1.0)
    m.body("block")
    m.translational("S", m.ground, "block", axis=(1, 0))
    with pytest.raises(mb.ModelError, match="mass"):
        m.study({"q": [1.0, 2.0]}, "final S", until=1)
