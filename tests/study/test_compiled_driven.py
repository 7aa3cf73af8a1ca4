"""Members whose motions determine everything: kinematics solved between its instants too, and runs with their forces."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import multibody as mb
from study.test_compiled import both
from study.test_compiled_kinds import same

CRANK = {"l2": (0.14, 0.16), "omega": (90.0, 110.0)}
CRANK_KINEMATICS = [
    "max(slider.x)", "min(slider.x)", "time of max rod.angle", "at(0.0123, slider.x)", "min(slider.x.acceleration)",
    "final(slider.x)", "max(abs(slider.x.rate))",
]  # fmt: skip
CRANK_FORCES = ["max(norm(A.reaction.force))", "max(O.effort)", "at(0.0123, A.reaction.force.x)", "final(energy.total)"]


def wrist(scale: tuple[float, float] = (1.0, 1.0)) -> mb.Model:
    """Return a driven chain in space, axes and centers of mass in general position, in units by `scale`."""
    length, mass = scale
    units = {"length": "m" if length == 1.0 else "mm", "time": "s", "mass": "kg" if mass == 1.0 else "g"}
    made = mb.Model("wrist", gravity=(1.0 * length, 2.0 * length, -9.0 * length), units=units)
    reach = made.parameter("reach", 0.4 * length)
    inertia = tuple(x * mass * length**2 for x in (0.02, 0.03, 0.04))
    made.body("a", mass=1.2 * mass, inertia=inertia, com=(reach / 2, 0.02 * length, 0), frames={"e": (reach, 0.1 * length, 0)})
    made.body("b", mass=0.7 * mass, inertia=inertia, com=(0.1 * length, -0.05 * length, 0.2 * length))
    made.revolute("O", "ground", "a", axis=(0.2, -0.1, 1))
    made.cylindrical("B", "a.e", "b", axis=(3, -1, 2))
    made.motion("O", "7*t + 0.2*sin(9*t)")
    made.motion("B.position", f"{0.1 * length}*cos(8*t)")
    made.motion("B.angle", "-11*t")
    return made


@pytest.mark.parametrize("until", ["2*pi/omega", -0.03])
def test_a_driven_mechanism_is_solved_between_its_instants(until: Any) -> None:
    asked = [text for text in CRANK_KINEMATICS if until != -0.03 or not text.startswith("at")]
    found = same(mb.load("slider-crank"), CRANK, asked, "kinematics", samples=7, until=until, steps=60)
    if until != -0.03:
        crank = mb.load("slider-crank").set(l2=0.15, omega=100.0)
        run = crank.kinematics(until=2 * math.pi / 100.0, steps=4000)
        one = same(mb.load("slider-crank"), {"l2": [0.15], "omega": [100.0]}, asked, "kinematics", until=until, steps=60)[0]
        assert one[0] == pytest.approx(0.5, abs=1e-12), "crank and rod in line"
        assert one[4] == pytest.approx(float(np.min(run["slider.x.acceleration"])), rel=1e-6)
        assert one[3] == pytest.approx(float(crank.kinematics(at=0.0123)["slider.x"][0]), abs=1e-12)
    assert np.all(found[:, 0] >= found[:, 5 if until != -0.03 else 4])


def test_a_driven_run_has_its_forces_between_the_instants_too() -> None:
    crank = mb.load("slider-crank")
    found = same(crank, CRANK, CRANK_FORCES, samples=5, until=0.05, output_step=0.001)
    same(crank, CRANK, ["final(energy.total)", "final(O.effort)"], samples=5, until="2*pi/omega")
    for row, (l2, omega) in zip(found, _values(crank, CRANK, 5), strict=True):
        known = crank.set(l2=l2, omega=omega).inverse(until=0.05, steps=2000)
        assert row[0] == pytest.approx(float(np.max(np.linalg.norm(known["A.reaction.force"], axis=1))), rel=1e-5)
        assert row[1] == pytest.approx(float(np.max(known["O.effort"])), rel=1e-5)


def _values(model: mb.Model, varied: Any, samples: int) -> Any:
    """Return the values of a plan."""
    from multibody.study.plan import make_plan

    return make_plan(model, varied, samples).values.tolist()


def of_the_library(name: str) -> tuple[mb.Model, dict[str, tuple[float, float]], str, str]:
    """Return a model, its first parameter varied, its last body and its first joint."""
    model = mb.load(name)
    key = next(iter(model.parameters))
    value = float(model.parameters[key].value)  # type: ignore[arg-type]
    return model, {key: (0.99 * value, 1.01 * value)}, list(model.bodies)[-1], next(iter(model.joints))


@pytest.mark.parametrize("name", ["driven-slider", "quick-return", "peaucellier", "six-bar", "two-link", "walking-leg"])
def test_driven_mechanisms_of_the_library(name: str) -> None:
    model, varied, body, joint = of_the_library(name)
    same(model, varied, [f"max({body}.x)", f"at(0.0113, {body}.y)"], "kinematics", samples=3, until=0.2, steps=40)
    same(model, varied, [f"max(norm({joint}.reaction.force))"], samples=3, until=0.2, output_step=0.01)


def test_driven_chains_in_space_in_two_systems_of_units() -> None:
    """Turns are counted between the instants too, and millimeters and grams change nothing."""
    asked = ["max(b.x)", "max(abs(O))", "at(0.511, B.angle)", "time of max b.z", "max(b.y.acceleration)"]
    forces = ["max(norm(O.reaction.force))", "max(O.effort)", "at(0.511, O.effort)"]
    found = []
    for length, mass in ((1.0, 1.0), (1e3, 1e3)):
        varied = {"reach": (0.35 * length, 0.45 * length)}
        moved = same(wrist((length, mass)), varied, asked, "kinematics", samples=3, until=2.0, steps=40)
        held = same(wrist((length, mass)), varied, forces, samples=3, until=2.0, output_step=0.05)
        force = mass * length
        found.append(np.hstack([moved / [length, 1.0, 1.0, 1.0, length], held / [force, force * length, force * length]]))
        np.testing.assert_allclose(moved[:, 2], -11 * 0.511, rtol=1e-12)
    np.testing.assert_allclose(found[1], found[0], rtol=1e-9)


def test_neither_threads_nor_chunks_nor_travel_change_a_bit_of_driven_members() -> None:
    crank = mb.load("slider-crank")
    for asked, given in ((CRANK_KINEMATICS, {"analysis": "kinematics", "steps": 40}), (CRANK_FORCES, {"output_step": 0.001})):
        plain = crank.study(CRANK, asked, samples=24, until=0.04, workers=1, **given)
        assert plain.statistics["compiled"] == 24
        for ways in ({"workers": 3, "chunk": 5}, {"chunk": 1}):
            other = crank.study(CRANK, asked, samples=24, until=0.04, **given, **ways)
            np.testing.assert_array_equal(plain.outputs, other.outputs)


@pytest.mark.parametrize("name", ["cam-flat", "cam-knife", "cam-roller"])
def test_cams(name: str) -> None:
    model, varied, body, joint = of_the_library(name)
    same(model, varied, [f"max({body}.y)", f"time of max {body}.y"], "kinematics", samples=3, until=0.5, steps=40)
    same(model, varied, [f"max(norm({joint}.reaction.force))"], samples=3, until=0.5, output_step=0.0125)


@pytest.mark.parametrize("name", ["universal-shaft", "planetary", "rssr"])
def test_redundant_rows_and_idle_freedom(name: str) -> None:
    """Every member has its own rows, and what holds its coupler still: with threads and chunks too."""
    model = mb.load(name)
    key = next(key for key, item in model.parameters.items() if isinstance(item.value, float))
    value, body = float(model.parameters[key].value), list(model.bodies)[-1]  # type: ignore[arg-type]
    varied, asked = {key: (0.97 * value, 1.03 * value)}, [f"max({body}.x)", f"at(0.0113, {body}.y)", f"max({body}.x.rate)"]
    found = same(model, varied, asked, "kinematics", samples=6, until=0.2, steps=40)
    ways: dict[str, Any] = {"analysis": "kinematics", "until": 0.2, "steps": 40}
    other = model.study(varied, asked, samples=6, workers=3, chunk=2, **ways)
    assert other.statistics["compiled"] == 6
    np.testing.assert_array_equal(other.outputs, found)
    members, found, known = both(model, varied, [f"max(norm({next(iter(model.joints))}.reaction.force))"], samples=4, until=0.1)
    np.testing.assert_array_equal(found.outputs, known.outputs)
    assert name == "planetary" or members.compiled >= 1, members.aside  # of whose rows others carry the forces of a member


def test_a_parallelogram_with_a_bar_too_many() -> None:
    """Its third crank is redundant, whose forces are those of smallest norm, in millimeters and grams too."""
    found = []
    for scale in (1.0, 1e3):
        model = parallelogram(scale)
        varied, asked = {"l": (0.18 * scale, 0.22 * scale)}, ["max(bar.x)", "mean(bar.y)", "at(0.111, c.angle)"]
        moved = same(model, varied, asked, "kinematics", samples=4, until=0.5, steps=30)
        members, held, known = both(model, varied, ["max(norm(O2.reaction.force))", "max(O0.effort)"], samples=4, until=0.4)
        np.testing.assert_array_equal(held.outputs, known.outputs)
        assert members.compiled >= 1, members.aside
        found.append(np.hstack([moved / [scale, scale, 1.0], held.outputs / [scale**2, scale**3]]))
        np.testing.assert_allclose(moved[:, 2], 6 * 0.111 + 0.3, rtol=1e-11)
    np.testing.assert_allclose(found[1], found[0], rtol=1e-9)


def parallelogram(scale: float) -> mb.Model:
    """Return a bar on three parallel cranks, one of them driven, in meters or millimeters and grams."""
    units = {"length": "m" if scale == 1.0 else "mm", "time": "s", "mass": "kg" if scale == 1.0 else "g"}
    made = mb.Model("parallelogram", dimension=2, units=units)
    made.gravity = (0, -9.81 * scale)
    l = made.parameter("l", 0.2 * scale)
    made.body("bar", mass=2.0 * scale, inertia=0.1 * scale**3, frames={f"p{k}": (0.3 * k * scale, 0) for k in range(3)})
    for k, name in enumerate("abc"):
        made.body(name, mass=0.5 * scale, inertia=0.01 * scale**3, com=(0.5 * l, 0.0), frames={"e": (l, 0)})
        made.frames(**{f"O{k}": (0.3 * k * scale, 0)})
        made.revolute(f"O{k}", made.ground[f"O{k}"], name)
        made.revolute(f"A{k}", f"{name}.e", f"bar.p{k}")
    made.motion("O0", "6*t + 0.3")
    made.initial(guess={"O1": 0.3, "O2": 0.3, "bar.angle": 0.0})
    return made


SWITCHING = ["step5(t, 0, 0, 0.5, 1.2)", "haversine(t, 0.1, 0, 0.4, 2)", "abs(t - 3.1*l2)", "abs(sin(9*t))"]


@pytest.mark.parametrize("motion", SWITCHING)
def test_motions_that_switch(motion: str) -> None:
    """At the start, on the way, at times of their own in every member; rates and forces are those behind the instants."""
    model = mb.load("slider-crank")
    model.motions.clear()
    model.motion("O", motion)
    asked = ["max(slider.x)", "min(slider.x.acceleration)", "at(0.25, O)", "max(abs(slider.x.rate))", "at(0.4995, O.rate)"]
    found = same(model, {"l2": (0.14, 0.16)}, asked, "kinematics", samples=4, until=0.7, steps=35)
    same(model, {"l2": (0.14, 0.16)}, ["max(O.effort)", "at(0.2503, O.effort)"], samples=4, until=0.7, output_step=0.02)
    if motion.startswith("step5"):
        np.testing.assert_allclose(found[:, 2], 0.6, rtol=1e-12)
        u = 0.4995 / 0.5
        np.testing.assert_allclose(found[:, 4], 1.2 / 0.5 * 30 * u**2 * (1 - u) ** 2, rtol=1e-6)


def test_a_motion_that_jumps_is_left_to_the_ordinary_path_and_said() -> None:
    model = mb.load("slider-crank")
    model.motions.clear()
    model.motion("O", "if(t < 2*l2, 0, l2 - 0.15)")  # no jump where l2 is 0.15
    found = model.study({"l2": [0.15, 0.14, 0.16, 0.15]}, "final(slider.x)", analysis="kinematics", until=0.4, steps=7)
    assert found.states == ["done", "stopped", "stopped", "done"] and "jumps" in found.messages[1]
    assert found.statistics["because"] == {"a motion that jumps": 2}


def test_a_member_that_is_singular_or_locks_up_on_its_way_is_left_to_the_ordinary_path() -> None:
    """A crank that is longer than its rod cannot turn round; where both are as long it passes a singular position."""
    crank = mb.load("slider-crank")
    varied = {"l2": [0.15, 0.36, 0.14, 0.35], "omega": [100.0] * 4}
    for asked, analysis, options in ((["max(slider.x)"], "kinematics", {"steps": 50}), (["max(O.effort)"], "run", {})):
        members, found, known = both(crank, varied, asked, analysis, samples=None, until=0.0629, **options)
        assert members.compiled >= 2 and sum(members.aside.values()) >= 1, members.aside
        np.testing.assert_array_equal(found.outputs, known.outputs)
        assert np.all(found.status == known.status) and found.messages == known.messages
