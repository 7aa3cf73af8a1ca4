"""Members in other coordinates, from given states, with redundant rows and by implicit methods: single runs to the last bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import multibody as mb
from multibody.study.compiled import CompiledMembers
from multibody.study.members import prepare
from multibody.study.plan import make_plan
from study.models import door, hanging, single, swing, tumbling
from study.test_compiled import both

JOINT = ["auto", "articulated", "recursive", "transformation"]
CLOSED = ["kane", "partitioning", "baumgarte", "baumgarte:alpha=5,beta=7", "recursive", "articulated"]
CLOSED += ["transformation:loops=stabilized", "transformation:loops=partitioned"]
IMPLICIT: list[dict[str, Any]] = [{"integrator": "bdf"}, {"integrator": "radau"}, {"integrator": "alpha", "step": 0.004}]
HANGING = {"w": (2.5, 3.5), "l": (0.45, 0.55), "initial.A": (-0.5, 0.9)}
HANGING_ASKED = [
    "final(energy.total)",
    "max(norm(A.reaction.force))",
    "max(O.effort)",
    "at(0.1, block.x)",
    "final(energy.work)",
]
TUMBLING = {"l": (0.35, 0.45), "m": (1.0, 1.3), "initial.A.rate": (1.0, 2.5)}
TUMBLING_ASKED = [
    "max(norm(O.reaction.force))", "rms(A.rate)", "at(0.11, b.x)", "final(B.angle)", "max(c.x.acceleration)",
    "min(B.reaction.moment.x)", "max(a.omega.x)",
]  # fmt: skip
FOUR_BAR_ASKED = ["max(norm(A.reaction.force))", "final(link2.x)", "at(0.0123, O3)"]


def same(*arguments: Any, **options: Any) -> Any:
    """Check that all members are compiled and those of the ordinary path to the last bit; return their outputs."""
    members, found, known = both(*arguments, **options)
    assert members.compiled == len(found.status) and not members.aside, members.aside
    np.testing.assert_array_equal(found.outputs, known.outputs)
    assert np.all(np.isfinite(found.outputs))
    return found.outputs


@pytest.mark.parametrize("formulation", JOINT)
def test_open_chains_in_joint_coordinates(formulation: str) -> None:
    same(hanging(), HANGING, HANGING_ASKED, samples=4, until=0.3, formulation=formulation)
    same(tumbling(), TUMBLING, TUMBLING_ASKED, samples=4, until=0.2, formulation=formulation)
    same(tumbling(), TUMBLING, ["final(energy.total)", "final(c.z)"], samples=4, until=0.2, formulation=formulation)


def test_a_member_in_joint_coordinates_is_the_run_that_a_user_makes() -> None:
    given = {"until": 0.2, "formulation": "articulated"}
    found = same(tumbling(), TUMBLING, ["final(b.x)", "final(energy.total)", "max(norm(O.reaction.force))"], samples=3, **given)
    for row, outputs in zip(make_plan(tumbling(), TUMBLING, 3).values, found, strict=True):
        run = single(tumbling(), dict(zip(TUMBLING, row.tolist(), strict=True)), **given)
        assert outputs[0] == float(run["b.x"][-1]) and outputs[1] == float(run["energy.total"][-1])
        assert outputs[2] >= float(np.max(np.linalg.norm(run["O.reaction.force"].values, axis=1)))


def test_what_auto_chooses_for_long_chains_is_compiled() -> None:
    arm = mb.load("arm7")
    found = arm.study({"spacing": (0.95, 1.05), "initial.joint2": (0.1, 0.4)}, "final(energy.kinetic)", samples=6, until=0.1)
    assert arm.run(0.01).statistics["formulation"] == "articulated"
    assert found.statistics["compiled"] == 6


@pytest.mark.parametrize("formulation", CLOSED)
def test_closed_loops_in_other_formulations(formulation: str) -> None:
    varied = {"l0": (1.88, 1.92), "initial.O1.rate": (-0.2, 0.2)}
    same(swing(), varied, FOUR_BAR_ASKED, samples=3, until=0.1, formulation=formulation)


def test_formulations_agree() -> None:
    """A mistake that single runs share would not show in bits: motion and forces are those of `augmented` too."""
    tight = {"samples": 2, "until": 0.1, "rtol": 1e-11, "atol": 1e-12}
    known = same(swing(), {"l0": (1.88, 1.92)}, FOUR_BAR_ASKED, **tight)
    for formulation in ("kane", "recursive", "transformation:loops=partitioned"):
        found = same(swing(), {"l0": (1.88, 1.92)}, FOUR_BAR_ASKED, **tight, formulation=formulation)
        np.testing.assert_allclose(found, known, rtol=1e-7)


@pytest.mark.parametrize("options", IMPLICIT, ids=lambda options: options["integrator"])
@pytest.mark.parametrize("formulation", ["auto", "recursive"])
def test_implicit_methods(options: dict[str, Any], formulation: str) -> None:
    given = {"formulation": formulation, **options}
    same(hanging(), HANGING, HANGING_ASKED[:3], samples=3, until=0.2, **given)
    same(swing(), {"l0": (1.88, 1.92)}, FOUR_BAR_ASKED, samples=2, until=0.1, **given)


@pytest.mark.parametrize("formulation", ["auto", "recursive", "kane"])
def test_redundant_rows(formulation: str) -> None:
    varied = {"width": (0.4, 0.5), "initial.hinge0": (0.7, 0.9)}
    asked = ["final(hinge0)", "max(norm(hinge0.reaction.force))", "max(norm(hinge1.reaction.moment))", "final(energy.total)"]
    same(door(), varied, asked, samples=4, until=0.5, formulation=formulation)


@pytest.mark.parametrize("formulation", ["auto", "articulated"])
def test_given_states(formulation: str) -> None:
    """A state of the model, which is brought onto the constraints of every member."""
    cases: list[tuple[mb.Model, dict[str, Any], list[str]]] = [
        (swing(), {"l0": (1.89, 1.91)}, FOUR_BAR_ASKED[:2]), (tumbling(), {"l": (0.38, 0.42)}, TUMBLING_ASKED[:2]),
    ]  # fmt: skip
    for model, varied, asked in cases:
        state, plan = model.run(0.05).final, make_plan(model, varied, 4)
        ordinary = prepare(model, plan.keys, asked, "run", {"until": 0.2, "formulation": formulation}, state, True)
        members = CompiledMembers(ordinary)
        np.testing.assert_array_equal(members.compute(plan.values).outputs, ordinary.compute(plan.values).outputs)
        assert members.compiled == 4, members.aside


@pytest.mark.parametrize("make", [hanging, door])
def test_other_units(make: Any) -> None:
    """Millimeters and grams: single runs to the last bit again, and the same motion."""
    if make is hanging:
        varied, asked, powers = {"l": (0.45, 0.55)}, ["final(S)", "max(norm(A.reaction.force))"], ((1, 0), (1, 1))
    else:
        varied, asked, powers = {"width": (0.4, 0.5)}, ["max(door.x)", "max(norm(hinge0.reaction.force))"], ((1, 0), (1, 1))
    found = []
    for scale in ((1.0, 1.0), (1e3, 1e3)):
        range_ = {key: (low * scale[0], high * scale[0]) for key, (low, high) in varied.items()}
        outputs = same(make(scale), range_, asked, samples=3, until=0.3, rtol=1e-10, atol=1e-12)
        found.append(outputs / [scale[0] ** a * scale[1] ** b for a, b in powers])
    np.testing.assert_allclose(found[1], found[0], rtol=1e-7)


def test_neither_threads_nor_chunks_nor_travel_change_a_bit_in_joint_coordinates() -> None:
    given: dict[str, Any] = {"samples": 12, "until": 0.12, "formulation": "articulated"}
    plain = tumbling().study(TUMBLING, TUMBLING_ASKED, **given, workers=1)
    assert plain.statistics["compiled"] == 12
    for ways in ({"workers": 3, "chunk": 5}, {"chunk": 1}, {"workers": 2}):
        other = tumbling().study(TUMBLING, TUMBLING_ASKED, **given, **ways)
        np.testing.assert_array_equal(plain.outputs, other.outputs)


def test_a_structure_that_does_not_hold_is_left_to_the_ordinary_path() -> None:
    """A mass that is none beside the others; members whose independent rows are not those of the model."""
    light = tumbling().study({"m": [1.0, 1e-12, 1.1, 1.2]}, "final(b.x)", until=0.05, formulation="articulated")
    assert light.statistics["because"] == {"masses that do not count": 1} and light.statistics["compiled"] == 3
    plan = make_plan(door(), {"width": [0.4, 0.45]})
    ordinary = prepare(door(), plan.keys, ["final(hinge0)"], "run", {"until": 0.1}, None, True)
    members = CompiledMembers(ordinary)
    rows, count = members.loops.rows, members.loops.tables.count_joint
    left_out = np.setdiff1d(np.arange(count), rows)
    members.loops.rows = np.sort(np.append(rows[1:], left_out[0]))  # as if the model had other rows than its members
    np.testing.assert_array_equal(members.compute(plan.values).outputs, ordinary.compute(plan.values).outputs)
    assert members.aside == {"other rows": 2} and members.compiled == 0


def massless(scale: tuple[float, float] = (1.0, 1.0)) -> mb.Model:
    """Return a pendulum of a point-like bob on a rod without mass, in units by `scale`."""
    length, mass = scale
    units = {"length": "m" if length == 1.0 else "mm", "time": "s", "mass": "kg" if mass == 1.0 else "g"}
    made = mb.Model("massless", dimension=2, units=units)
    made.gravity = (0, -9.81 * length)
    l, m = made.parameter("l", 0.5 * length), made.parameter("m", mass)
    made.body("rod", mass=0, inertia=0, frames={"e": (l, 0)})
    made.body("bob", mass=m, inertia=0.01 * mass * length**2)
    made.revolute("O", "ground", "rod")
    made.revolute("A", "rod.e", "bob")
    made.initial({"O": 0.3, "A": 0.2})
    return made


@pytest.mark.parametrize("options", [{}, {"formulation": "kane"}, {"formulation": "articulated"}, {"integrator": "bdf"}])
def test_massless_bodies(options: dict[str, Any]) -> None:
    """The rod carries the bob as a string does: T = m (g cos + l ω²) along it, of which the largest is at the bottom."""
    found = []
    for length, mass in ((1.0, 1.0), (1e3, 1e3)):
        varied = {"l": (0.45 * length, 0.55 * length)}
        asked = ["max(norm(O.reaction.force))", "final(bob.x)", "at(0.111, bob.y)"]
        outputs = same(massless((length, mass)), varied, asked, samples=3, until=0.6, rtol=1e-9, atol=1e-11, **options)
        found.append(outputs / [mass * length, length, length])
        pull = mass * length * 9.81 * (1 + 2 * (1 + np.sin(0.3)))  # m g + m ω² l, with ω² l = 2 g (1 + sin 0.3)
        np.testing.assert_allclose(outputs[:, 0], pull, rtol=1e-4)
    np.testing.assert_allclose(found[1], found[0], rtol=1e-6)


def test_a_member_that_loses_its_mass_is_left_to_the_ordinary_path() -> None:
    found = massless().study({"m": [1.0, 0.0, 1.1, 1.2]}, "final(bob.x)", until=0.05)
    assert found.states[1] == "failed" and found.statistics["compiled"] == 3, found.statistics


SWITCHING = ["step5(t, 0, 0, 0.2, 1)", "w*abs(t - l/4.1)", "abs(sin(20*t))"]


@pytest.mark.parametrize("motion", SWITCHING)
@pytest.mark.parametrize("options", [{}, {"formulation": "articulated"}, {"integrator": "rk4", "step": 0.004}, IMPLICIT[0]])
def test_motions_that_switch_on_the_way_of_a_run(motion: str, options: dict[str, Any]) -> None:
    """At the start, at times of their own in every member, again and again: velocities pass by an impulse."""
    model = hanging()
    model.motions.clear()
    model.motion("O", motion)
    varied, asked = {"l": (0.45, 0.55), "initial.A": (-0.5, 0.9)}, [*HANGING_ASKED, "at(0.1003, O.effort)", "min(A.rate)"]
    found = same(model, varied, asked, samples=4, until=0.3, output_step=0.01, **options)
    other = model.study(varied, asked, samples=4, until=0.3, output_step=0.01, chunk=1, workers=2, **options)
    np.testing.assert_array_equal(other.outputs, found)


def test_a_motion_that_jumps_on_the_way_of_a_run_is_left_to_the_ordinary_path() -> None:
    model = hanging()
    model.motions.clear()
    model.motion("O", "if(t < 0.1, 0, 1)")
    members, found, known = both(model, {"l": (0.45, 0.55)}, ["final(A)"], samples=3, until=0.3)
    assert dict(members.aside) == {"a motion that jumps": 3} and np.all(found.status == known.status)
    np.testing.assert_array_equal(found.outputs, known.outputs)


@pytest.mark.parametrize("formulation", ["kane", "partitioning", "recursive"])
@pytest.mark.parametrize("options", IMPLICIT, ids=lambda options: options["integrator"])
def test_implicit_members_owe_nothing_to_the_one_before(formulation: str, options: dict[str, Any]) -> None:
    """What a right-hand side leaves in the scratch is what the next member finds there: multipliers to begin with, once."""
    asked, told = ["final(O)", "final(O.rate)"], {"formulation": formulation, **options}
    same(mb.load("pendulum"), {"l": (0.5, 1.5)}, asked, samples=16, until=0.1, **told)
