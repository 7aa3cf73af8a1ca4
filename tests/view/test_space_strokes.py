"""Spatial drawings: strokes in body axes that hold for a whole motion."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.other_units import SYSTEMS, in_units

import multibody as mb
from multibody.view.drawing import drawing_of, placed
from multibody.view.scene import Poses
from multibody.view.spatial import spatial_drawing
from multibody.view.strokes import SPATIAL, Drawing, Owner, Stroke


def drawn(run: Any) -> Drawing:
    return drawing_of(run.tables, run.motion.q)


def of(drawing: Drawing, sort: str, name: str, kind: str) -> list[Stroke]:
    """Return the strokes of an owner."""
    return [stroke for stroke in drawing.strokes if stroke.owner == Owner(sort, name) and stroke.kind == kind]


@pytest.mark.parametrize("name", ["rssr", "screw-press", "universal-shaft"])
def test_strokes_of_one_pose_are_those_of_any_other(name: str) -> None:
    run = mb.load(name).kinematics(until=0.7, steps=12)
    size = drawn(run).size
    one, other = (spatial_drawing(run.tables, run.motion.q, reference=k, size=size) for k in (0, 7))
    assert [(s.kind, s.body, s.owner) for s in one.strokes] == [(s.kind, s.body, s.owner) for s in other.strokes]
    for q in run.motion.q[::5]:
        poses = Poses(run.tables, q)
        for first, second in zip(one.strokes, other.strokes, strict=True):
            a, b = placed(first, poses), placed(second, poses)
            if first.kind in ("tube", "ball", "box") and not first.symbol:
                np.testing.assert_allclose(a, b, atol=1e-6 * size)
            elif first.kind in ("tube", "ball"):  # where a symbol is does not depend on the pose, how it is turned may
                np.testing.assert_allclose(a.mean(axis=0), b.mean(axis=0), atol=1e-6 * size)


def test_everything_has_an_owner_that_the_model_names() -> None:
    for name in ("bushing-suspension", "delta-robot", "screw-press"):
        model = mb.load(name)
        state = model.assemble()
        drawing = drawing_of(state.tables, np.array(state.q)[None])
        known = {"body": {*model.bodies, "ground"}, "joint": set(model.joints), "force": set(model.forces)}
        owners = {thing.owner for part in (drawing.strokes, drawing.stretched, drawing.wanderers) for thing in part}
        assert all(owner.name in known[owner.sort] for owner in owners)
        assert {owner.name for owner in owners if owner.sort == "body"} == set(model.bodies)
        assert {owner.name for owner in owners if owner.sort == "joint"} == set(model.joints)
        assert all(stroke.kind in SPATIAL for stroke in drawing.strokes)
        assert all(stroke.symbol == (stroke.owner.sort == "joint") for stroke in drawing.strokes if stroke.kind == "tube")
        assert {owner.name for owner, _, _ in drawing.names if owner.sort == "body"} == set(model.bodies)


def test_balls_stay_in_their_joints() -> None:
    run = mb.load("rssr").kinematics(steps=20)
    drawing = drawn(run)
    for joint, frame in (("crank_pin", "crank.pin"), ("rocker_pin", "rocker.pin")):
        if frame.partition(".")[2] not in run.model.bodies[frame.partition(".")[0]].frames:
            continue
        (ball,) = of(drawing, "joint", joint, "ball")
        for q, place in zip(run.motion.q, run.point(frame).position.values, strict=True):
            np.testing.assert_allclose(placed(ball, Poses(run.tables, q))[0], place, atol=1e-9)


def test_a_rail_and_the_box_cover_the_whole_travel() -> None:
    m = mb.Model("slide")
    m.body("block", at=(0, 0, 1), mass=1, inertia=(1, 1, 1))
    m.translational("S", m.ground, "block", at=(0, 0, 1), axis=(1, 2, 0))
    m.motion("S", "3*sin(t)")
    run = m.kinematics(until=6.0, steps=60)
    drawing = drawn(run)
    (rail,) = of(drawing, "joint", "S", "tube")
    assert rail.body == 0
    along = np.array([1.0, 2.0, 0.0]) / np.sqrt(5.0)
    stations = (rail.points - [0, 0, 1]) @ along
    assert stations.min() < -2.9
    assert stations.max() > 2.9
    assert np.all(drawing.low < run.point("block").position.values.min(axis=0))
    assert np.all(drawing.high > run.point("block").position.values.max(axis=0))


def test_the_thread_runs_through_its_nut_at_every_instant() -> None:
    run = mb.load("screw-press").kinematics(until=0.7, steps=30)
    drawing = drawn(run)
    name = next(name for name, joint in run.model.joints.items() if joint.kind.name == "screw")
    (thread,) = of(drawing, "joint", name, "line")[-1:]
    nut = of(drawing, "joint", name, "tube")[0]
    for q in run.motion.q:
        poses = Poses(run.tables, q)
        heights = placed(thread, poses)[:, 2]
        ends = placed(nut, poses)[:, 2]
        assert heights.min() < ends.min()
        assert heights.max() > ends.max()


def driven_length() -> mb.Model:
    m = mb.Model("lift")
    m.frames(base=(0.5, 0, 0))
    m.body("arm", frames={"tip": (1, 0, 0)}, mass=1, inertia=(1, 1, 1))
    m.revolute("O", m.ground, "arm", axis=(0, 1, 0))
    m.spring("lift", "ground.base", "arm.tip")
    m.motion("lift", "0.8 + 0.2*sin(t)")
    m.initial(guess={"O": -0.8})
    return m


def test_a_driven_length_is_a_cylinder_as_short_as_it_gets() -> None:
    run = driven_length().kinematics(until=6.0, steps=60)
    drawing = drawn(run)
    (cylinder,) = drawing.stretched
    assert cylinder.kind == "cylinder"
    assert cylinder.rest == pytest.approx(run["lift.length"].values.min())
    assert Owner("force", "lift") not in {owner for owner, _, _ in drawing.names}


def shaped() -> mb.Model:
    """Return a crank and a rod with thick shapes, and a piston that slides far from the point that its joint names."""
    m = mb.Model("shaped")
    m.body("crank", frames={"pin": (0.1, 0, 0)}, shape={"box": (0.14, 0.04, 0.03), "at": (0.05, 0, 0), "mass": 1})
    bar = {"cylinder": [(0, 0, 0), (0.3, 0, 0)], "radius": 0.015, "mass": 1}
    m.body("rod", at=(0.1, 0, 0), frames={"end": (0.3, 0, 0)}, shape=bar)
    m.body("piston", at=(0.4, 0, 0), shape={"cylinder": [(-0.03, 0, 0), (0.05, 0, 0)], "radius": 0.05, "mass": 1})
    m.revolute("O", m.ground, "crank", axis=(0, 0, 1))
    m.revolute("A", "crank.pin", "rod", axis=(0, 0, 1))
    m.revolute("B", "rod.end", "piston", axis=(0, 0, 1))
    m.translational("S", m.ground, "piston", axis=(1, 0, 0))
    m.motion("O", "t")
    return m


def test_given_shapes_win_over_symbols() -> None:
    run = shaped().kinematics(until=6.0, steps=30)
    drawing = drawn(run)
    for joint in "ABS":
        assert {stroke.kind for stroke in drawing.strokes if stroke.owner == Owner("joint", joint)} == {"line"}
    assert of(drawing, "joint", "O", "tube")  # the ground has no shape: its symbol stays
    assert len(of(drawing, "body", "piston", "tube")) == 1  # and no bar to the point that the joint names
    assert max(stroke.radius for stroke in drawing.strokes if stroke.symbol) < 0.03


@pytest.mark.parametrize("units", ["mm-g", "um-ng", "km-t"])
@pytest.mark.parametrize("name", ["rssr", "bushing-suspension"])
def test_a_drawing_is_the_same_in_other_units(name: str, units: str) -> None:
    model = mb.load(name)
    drawings = []
    for one in (model, in_units(model, SYSTEMS[units])):
        state = one.assemble()
        drawings.append(drawing_of(state.tables, np.array(state.q)[None]))
    scale = SYSTEMS[units].length
    for first, second in zip(drawings[0].strokes, drawings[1].strokes, strict=True):
        assert (first.kind, first.body, first.owner) == (second.kind, second.body, second.owner)
        np.testing.assert_allclose(first.points * scale, second.points, atol=1e-5 * drawings[1].size)
    np.testing.assert_allclose(drawings[0].high * scale, drawings[1].high)


def test_instants_that_are_not_finite_are_passed_over() -> None:
    run = mb.load("rssr").kinematics(steps=10)
    q = run.motion.q.copy()
    q[0] = np.nan
    q[-1] = np.inf
    drawing = drawing_of(run.tables, q)
    assert all(np.all(np.isfinite(stroke.points)) for stroke in drawing.strokes)
    assert np.all(np.isfinite(drawing.low))
