"""Planar drawings: strokes in body axes that hold for a whole motion."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import multibody as mb
from multibody.view.drawing import drawing_of, placed
from multibody.view.planar import planar_drawing
from multibody.view.scene import Poses
from multibody.view.stretch import cylinder_at, ends_at
from multibody.view.strokes import PLANAR, Drawing, Owner
from other_units import SYSTEMS, in_units


def drawn(run: Any) -> Drawing:
    return drawing_of(run.tables, run.motion.q)


def of(drawing: Drawing, sort: str, name: str) -> list[Any]:
    """Return the strokes of an owner."""
    return [stroke for stroke in drawing.strokes if stroke.owner == Owner(sort, name)]


def apart(points: Any, line: Any) -> float:
    """Return how far points lie off a closed line, at most."""
    points, starts = points[np.isfinite(points[:, 0])], line[np.isfinite(line[:, 0])]
    along = np.roll(starts, -1, axis=0) - starts
    away = points[:, None] - starts
    part = np.clip(np.sum(away * along, axis=2) / np.maximum(np.sum(along**2, axis=1), 1e-300), 0.0, 1.0)
    return float(np.linalg.norm(away - part[..., None] * along, axis=2).min(axis=1).max())


@pytest.mark.parametrize("name", ["slider-crank", "shabana-four-bar", "cam-roller", "rack-and-pinion", "driven-slider"])
def test_strokes_of_one_pose_are_those_of_any_other(name: str) -> None:
    run = mb.load(name).kinematics(steps=24)
    size = drawn(run).size
    one, other = (planar_drawing(run.tables, run.motion.q, reference=k, size=size) for k in (0, 17))
    assert len(one.strokes) == len(other.strokes)
    poses = Poses(run.tables, run.motion.q[17])
    for first, second in zip(one.strokes, other.strokes, strict=True):
        assert (first.kind, first.body, first.owner, first.color) == (second.kind, second.body, second.owner, second.color)
        a, b = placed(first, poses), placed(second, poses)
        assert max(apart(a, b), apart(b, a)) < 0.01 * size, first.owner  # circles of 144 corners may be turned


def test_everything_has_an_owner_that_the_model_names() -> None:
    model = mb.load("cam-roller")
    drawing = drawn(model.kinematics(steps=10))
    known = {"body": {*model.bodies, "ground"}, "joint": set(model.joints), "force": set(model.forces)}
    owners = {thing.owner for part in (drawing.strokes, drawing.stretched, drawing.wanderers) for thing in part}
    assert all(owner.name in known[owner.sort] for owner in owners)
    assert owners >= {Owner("body", "cam"), Owner("body", "follower"), Owner("joint", "guide"), Owner("force", "valve_spring")}
    assert all(stroke.kind in PLANAR for stroke in drawing.strokes)
    assert {owner for owner, _, _ in drawing.names} >= {Owner("body", "cam"), Owner("joint", "guide")}
    assert Owner("force", "valve_spring") not in {owner for owner, _, _ in drawing.names}  # a spring's name is in its middle


def test_the_contact_of_a_cam_lies_on_its_roller_at_every_instant() -> None:
    run = mb.load("cam-roller").kinematics(steps=36)
    drawing = drawn(run)
    (contact,) = drawing.wanderers
    roller = next(s for s in of(drawing, "body", "follower") if s.kind == "circle")
    for k, q in enumerate(run.motion.q):
        center = placed(roller, Poses(run.tables, q))[0]
        assert np.linalg.norm(contact.places[k] - center) == pytest.approx(0.008)


def test_teeth_mesh_at_every_instant() -> None:
    run = mb.load("planetary").kinematics(steps=30)
    drawing = drawn(run)
    sun, planet = (next(s for s in of(drawing, "body", name) if s.kind == "area") for name in ("sun", "planet1"))
    for q in run.motion.q[::5]:
        poses = Poses(run.tables, q)
        outlines = [placed(stroke, poses) for stroke in (sun, planet)]
        centers = [outline.mean(axis=0) for outline in outlines]
        parts = []
        for k, (outline, center) in enumerate(zip(outlines, centers, strict=True)):
            tip = outline[1:3].mean(axis=0) - center  # middle of the first tooth
            turn = np.angle(complex(*(centers[1 - k] - center)) / complex(*tip)) / (2 * np.pi)
            parts.append(turn * len(outline) / 4)
        assert (parts[0] + parts[1]) % 1.0 == pytest.approx(0.5, abs=1e-6)


def test_a_rail_covers_the_travel() -> None:
    run = mb.load("slider-crank").kinematics(steps=60)
    drawing, travel = drawn(run), run["S"].values
    rail = np.vstack([s.points for s in of(drawing, "joint", "S") if s.body == 0])
    assert np.nanmin(rail[:, 0]) < travel.min()
    assert travel.max() < np.nanmax(rail[:, 0])
    assert np.all(drawing.low < np.nanmin(rail, axis=0))
    assert np.all(np.nanmax(rail, axis=0) < drawing.high)


@pytest.mark.parametrize("turned", [False, True])
def test_guides_stay_beside_a_long_slider(turned: bool) -> None:
    model = mb.Model("plunger", dimension=2)
    model.body("p", frames={"a": (0, 0), "b": (1, 0)})
    model.translational("S", *(("p", model.ground) if turned else (model.ground, "p")), axis=(1, 0))
    model.motion("S", "3*t")
    run = model.kinematics(until=1, steps=20)
    drawing = drawn(run)
    guides = np.vstack([s.points for s in of(drawing, "joint", "S")])
    for x in run["p.x"].values:  # some part of the body is between the guides at every instant
        assert np.nanmin(guides[:, 0]) < max(x, x + 1)
        assert np.nanmax(guides[:, 0]) > min(x, x + 1)


def test_the_rail_of_a_shape_lies_under_it_and_needs_no_block() -> None:
    model = mb.Model("cart", dimension=2)
    model.body("cart", mass=1, shape={"box": (0.6, 0.3)})
    model.body("bare", mass=1, at=(0, 1))
    model.translational("S", model.ground, "cart", axis=(1, 0))
    model.translational("T", model.ground, "bare", at=(0, 1), axis=(1, 0))
    state = model.assemble()
    drawing = drawing_of(state.tables, state.q[None])
    heights = {name: max(np.nanmax(s.points[:, 1]) for s in of(drawing, "joint", name) if s.body == 0) for name in "ST"}
    assert heights["S"] == pytest.approx(-0.15)
    assert heights["T"] == pytest.approx(1.0 - 0.62 * drawing.size)
    assert len(of(drawing, "body", "cart")) == 1
    assert all(s.body == 0 for s in of(drawing, "joint", "S"))
    assert len(of(drawing, "body", "bare")) == 1  # the block is all that shows it


def lift(driven: bool) -> mb.Model:
    model = mb.Model("lift", dimension=2)
    model.frames(foot=(1, 0))
    model.body("arm", mass=1, inertia=1, frames={"eye": (1, 0.8), "tip": (3, 1)})
    model.revolute("O", model.ground, "arm")
    model.spring("boom", "ground.foot", "arm.eye", stiffness=10)
    if driven:
        model.motion("boom.length", "0.9 + 0.3*sin(t)")
    return model


def test_a_driven_length_is_a_cylinder_and_a_free_one_a_spring() -> None:
    run = lift(driven=True).kinematics(until=6, steps=60)
    (cylinder,) = drawn(run).stretched
    assert (cylinder.kind, cylinder.owner) == ("cylinder", Owner("force", "boom"))
    assert cylinder.rest == pytest.approx(run["boom"].values.min())
    for k, q in enumerate(run.motion.q):
        a, b = ends_at(cylinder, Poses(run.tables, q))
        assert np.linalg.norm(b - a) == pytest.approx(run["boom"].values[k])
        parts = cylinder_at(a, b, cylinder.rest)
        along = (b - a) / np.linalg.norm(b - a)
        stations = [float((p - a) @ along) for p in (parts.start, parts.piston, parts.mouth, parts.end)]
        assert stations == sorted(stations)  # the piston stays in its tube
        assert np.linalg.norm(parts.mouth - parts.start) < cylinder.rest
    state = lift(driven=False).assemble()
    assert [thing.kind for thing in drawing_of(state.tables, state.q[None]).stretched] == ["spring"]


@pytest.mark.parametrize("units", ["mm-g", "um-ng", "km-t"])
def test_drawings_do_not_depend_on_units(units: str) -> None:
    factor = SYSTEMS[units].length
    model = mb.load("slider-crank")
    here, there = (drawn(m.kinematics(steps=20)) for m in (model, in_units(model, SYSTEMS[units])))
    assert there.size == pytest.approx(factor * here.size)
    np.testing.assert_allclose(there.low, factor * here.low, rtol=1e-9)
    for a, b in zip(here.strokes, there.strokes, strict=True):
        np.testing.assert_allclose(b.points, factor * a.points, atol=1e-9 * factor)
        assert (a.width, a.level, a.color) == (b.width, b.level, b.color)


def test_one_pose_one_body_and_poses_that_are_not_finite() -> None:
    alone = mb.Model("alone", dimension=2)
    alone.body("b")
    state = alone.assemble()
    drawing = drawing_of(state.tables, state.q[None])
    assert [s.owner for s in drawing.strokes] == [Owner("body", "b")]
    assert np.all(drawing.high > drawing.low)
    run = mb.load("slider-crank").kinematics(steps=10)
    q = run.motion.q.copy()
    q[[0, 4]] = np.nan
    assert np.all(np.isfinite(drawing_of(run.tables, q).high))
    with pytest.raises(mb.ModelError, match="no finite pose"):
        drawing_of(run.tables, q[:1])


def test_a_thousand_bodies() -> None:
    state = mb.load("chain", n=1000).assemble()
    drawing = drawing_of(state.tables, np.repeat(state.q[None], 3, axis=0))
    assert len([s for s in drawing.strokes if s.kind == "circle"]) == 1000
    assert drawing.high[0] > drawing.low[0]
