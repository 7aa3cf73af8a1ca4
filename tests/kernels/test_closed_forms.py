"""What each joint means: poses made by hand satisfy it and have the coordinates that they should."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

from kernels.mechanisms import BY_FRAMES, CASES, Case, Floats, Random, World, random_state, turn
from kernels.poses import MAKERS, about, joint_value, placed, wrapped
from multibody.model.expressions import evaluate
from multibody.model.joints import KINDS
from multibody.model.model import Model
from multibody.state.system import System, tables_of

TINY = 1e-12


def test_every_kind_of_the_catalog_has_a_closed_form() -> None:
    assert set(MAKERS) | {"gear", "rack", "cam", "coupler"} == set(KINDS)


# --- kinds placed by two frames --------------------------------------------------------------------------------------

FRAMED = [case for case in CASES if case.kind in MAKERS and case.arrangement in BY_FRAMES]


@pytest.mark.parametrize("case", FRAMED, ids=lambda case: case.name)
def test_poses_made_by_hand_satisfy_the_joint(case: Case) -> None:
    world, rng = case.world(driven=False), case.rng("closed form")
    system = world.system()
    first, second = BY_FRAMES[case.arrangement]
    for _ in range(5):
        d, H, coordinates = MAKERS[case.kind](rng, world)
        q = world.coordinates(placed(world, first, second, d, H, rng))
        phi = system.phi(q, 0.0)
        if case.dimension == 2:  # a body's angle counts turns, and the pose by hand does not know them
            angular = [not row.is_length for row in system.tables.rows]
            phi[angular] = wrapped(phi[angular])
        np.testing.assert_allclose(phi, 0.0, atol=TINY)
        for name, value in coordinates.items():
            found = joint_value(system, q, name)
            assert (wrapped(found - value) if "angle" in name else found - value) == pytest.approx(0.0, abs=TINY)
    assert set(coordinates) == set(world.model.joints["J"].readable(case.dimension))


@pytest.mark.parametrize("case", [case for case in FRAMED if case.kind != "free"], ids=lambda case: case.name)
def test_random_poses_violate_every_equation(case: Case) -> None:
    system = case.world(driven=False).system()
    phi = system.phi(random_state(system, case.rng("violated")).q, 0.0)
    assert np.all(np.abs(phi) > 1e-4)


IN_PLACE = [case for case in CASES if case.kind in MAKERS and case.arrangement == "in-place"]
AS_DRAWN = [case for case in IN_PLACE if case.kind != "distance"] + [
    case for case in CASES if case.kind in ("gear", "rack")
]


@pytest.mark.parametrize("case", AS_DRAWN, ids=lambda case: case.name)
def test_joints_in_place_are_satisfied_and_zero_as_drawn(case: Case) -> None:
    """Gears and racks too: their angles and travels are zero as drawn, so that only the phase remains."""
    world = case.world(driven=False)
    system, q = world.system(), world.coordinates({})
    phase = 0.0
    if case.kind == "gear":
        fields = world.model.joints["J"].fields
        phase = fields["phase"] / max(fields["teeth"] or fields["radii"])
    np.testing.assert_allclose(system.phi(q, 0.0), -phase, atol=TINY)
    for name in world.model.joints["J"].readable(case.dimension):
        assert joint_value(system, q, name) == pytest.approx(0.0, abs=TINY)


@pytest.mark.parametrize("kind", ["fixed", "translational", "parallel", "revolute"])
@pytest.mark.parametrize("drawn", [0.0, 2.5, -2.5, 4.5])
@pytest.mark.parametrize("frame", [0.0, -3.0, 4.7])
def test_planar_angles_count_no_turns_as_drawn(kind: str, drawn: float, frame: float) -> None:
    """However angles of bodies, frames and axes add up: frames that coincide as drawn are no turn apart."""
    for axis in (0.0, 1.0, 2.5, -2.0) if kind in ("translational", "parallel") else (0.0,):
        fields = {"axis": [np.cos(axis), np.sin(axis)]} if kind in ("translational", "parallel") else {}
        model = Model("aligned", dimension=2)
        model.frames(G={"at": [0.0, 0.0], "angle": drawn + frame})
        model.body("a", frames={"P": {"at": [0.0, 0.0], "angle": frame}}, angle=drawn)
        model.body("b", angle=0.3 - drawn)
        model.joint(kind, "J", "ground.G", "a.P", **fields)
        model.joint(kind, "K", "a", "b", at=[0.2, 0.1], **fields)
        system = System(tables_of(model))
        q = np.array([0.0, 0.0, drawn, 0.0, 0.0, 0.3 - drawn])
        np.testing.assert_allclose(system.phi(q, 0.0), 0.0, atol=TINY)
        if kind == "revolute":
            assert joint_value(system, q, "angle") == pytest.approx(0.0, abs=TINY)
            assert joint_value(system, q, "angle", "K") == pytest.approx(0.0, abs=TINY)


# --- gears, racks, cams, couplers ------------------------------------------------------------------------------------


def turn_about(world: World, axis: Any, angle: float) -> Floats:
    """Return the rotation about an axis in ground components, z where there is none."""
    if world.dimension == 2:
        return turn(angle)
    return about(np.array([0.0, 0.0, 1.0] if axis is None else axis), angle)


def counted(world: World, turned: dict[str, float]) -> dict[str, float]:
    """Return the angles of planar bodies that turned from their drawn poses."""
    return {body: world.angles[body] + angle for body, angle in turned.items() if body != "ground"}


def gear_pose(world: World, wheels: tuple[str, str], angles: tuple[float, float], rng: Random) -> Floats:
    """Return q in which the wheels have turned by these angles relative to their carrier."""
    fields = world.model.joints["J"].fields
    carrier = fields["carrier"]
    turns = [turn_about(world, axis, angle) for axis, angle in zip(fields["axes"] or (None, None), angles, strict=True)]
    T, planar = np.eye(world.dimension), 0.0  # how the carrier has turned
    if carrier != "ground":
        planar = float(rng.uniform(-9.0, 9.0))
        T = turn(planar) if world.dimension == 2 else world.random_pose(rng)[1]
    for wheel, R, angle in zip(wheels, turns, angles, strict=True):
        if wheel == "ground":
            T, planar = R.T, -angle
    poses = {carrier: (rng.normal(size=world.dimension), T @ world.drawn[carrier][1])}
    turned = {carrier: planar}
    for wheel, R, angle in zip(wheels, turns, angles, strict=True):
        poses[wheel] = (rng.normal(size=world.dimension), T @ R @ world.drawn[wheel][1])
        turned[wheel] = planar + angle
    return world.coordinates(poses, angles=counted(world, turned))


GEARS = [case for case in CASES if case.kind == "gear"]


@pytest.mark.parametrize("case", GEARS, ids=lambda case: case.name)
def test_gears_turn_in_the_ratio_of_their_teeth_over_many_turns(case: Case) -> None:
    world, rng = case.world(driven=False), case.rng("closed form")
    system, fields = world.system(), world.model.joints["J"].fields
    a, b = fields["teeth"] or fields["radii"]
    wheels = tuple(end.partition(".")[0] for end in BY_FRAMES[case.arrangement])
    sign = -1.0 if fields["internal"] else 1.0
    start = float(fields["phase"] / (sign * b))
    for step in range(41):
        first = 0.45 * step
        second = float(start - sign * a / b * first)
        q = gear_pose(world, (wheels[0], wheels[1]), (first, second), rng)
        np.testing.assert_allclose(system.phi(q, 0.0), 0.0, atol=1e-11)
        system.take_references(q)


RACKS = [case for case in CASES if case.kind == "rack"]


@pytest.mark.parametrize("case", RACKS, ids=lambda case: case.name)
def test_a_rack_travels_by_the_arc_of_its_pinion(case: Case) -> None:
    world, rng = case.world(driven=False), case.rng("closed form")
    system, fields = world.system(), world.model.joints["J"].fields
    pinion, rack = (end.partition(".")[0] for end in BY_FRAMES[case.arrangement])
    sj = world.end(BY_FRAMES[case.arrangement][1])[0]
    direction = np.array(fields["axis"]) / np.linalg.norm(fields["axis"])
    carrier = fields["carrier"]
    rc0, Ac0 = world.drawn[carrier]
    point0 = world.drawn[rack][0] + world.drawn[rack][1] @ sj
    for step in range(12):
        angle = 0.7 * step
        R = turn_about(world, fields.get("turn"), angle)
        planar = 0.0 if carrier == "ground" else -angle if pinion == "ground" else 0.9
        T = turn(planar) if world.dimension == 2 else R.T if pinion == "ground" else about([1.0, 2.0, 3.0], planar)
        aside = rng.normal(size=world.dimension)
        gap = point0 - rc0 + direction * fields["radius"] * angle + aside - direction * (direction @ aside)
        Aj = world.drawn[rack][1] if rack == "ground" else world.random_pose(rng)[1]
        rc = rc0 if carrier == "ground" else point0 - T @ gap if rack == "ground" else rng.normal(size=world.dimension)
        poses = {carrier: (rc, T @ Ac0), pinion: (rng.normal(size=world.dimension), T @ R @ world.drawn[pinion][1])}
        poses[rack] = (rc + T @ gap - Aj @ sj, Aj)
        q = world.coordinates(poses, angles=counted(world, {carrier: planar, pinion: planar + angle}))
        np.testing.assert_allclose(system.phi(q, 0.0), 0.0, atol=1e-11)
        system.take_references(q)


CAMS = [case for case in CASES if case.kind == "cam" and case.arrangement in BY_FRAMES and "table" not in case.name]


def cam_curve(phi: float) -> tuple[Floats, Floats]:
    """Return point and tangent of the profile of the cams under test, in the cam's frame."""
    radius = 0.7 + 0.2 * np.cos(phi - 0.4) + 0.05 * np.sin(3.0 * phi)
    slope = -0.2 * np.sin(phi - 0.4) + 0.15 * np.cos(3.0 * phi)
    along, across = np.array([np.cos(phi), np.sin(phi)]), np.array([-np.sin(phi), np.cos(phi)])
    return radius * along, slope * along + radius * across


@pytest.mark.parametrize("case", CAMS, ids=lambda case: case.name)
def test_cams_touch_their_followers(case: Case) -> None:
    world, rng = case.world(driven=False), case.rng("closed form")
    system, fields = world.system(), world.model.joints["J"].fields
    first, second = BY_FRAMES[case.arrangement]
    for phi in (0.3, 2.0, -1.1, 4.9):
        point, tangent = cam_curve(phi)
        outward = np.array([tangent[1], -tangent[0]]) / np.linalg.norm(tangent)
        assert outward @ point > 0.0
        d, H = np.zeros(world.dimension), world.random_pose(rng)[1]
        d[:2] = point + (fields["roller"] or 0.0) * outward
        if world.dimension == 3 and fields["flat"] is None:
            d[2] = rng.normal()  # a point may touch the cam anywhere along its thickness, a tilted face only its curve
        if fields["flat"] is not None:
            d, H = _flat_face(world, fields["flat"], d, outward, rng)
        q = world.coordinates(placed(world, first, second, d, H, rng), (phi,))
        np.testing.assert_allclose(system.phi(q, 0.0), 0.0, atol=TINY)
        assert joint_value(system, q, "contact") == phi


def _flat_face(world: World, flat: Any, point: Floats, outward: Floats, rng: Random) -> tuple[Floats, Floats]:
    """Return a follower whose face touches the cam at the point: its normal lies across the tangent, maybe tilted."""
    own = np.array(flat) / np.linalg.norm(flat)
    if world.dimension == 2:
        H = np.column_stack([outward, [-outward[1], outward[0]]]) @ np.column_stack([own, [-own[1], own[0]]]).T
        return point + rng.normal() * np.array([-outward[1], outward[0]]), H
    tilt = float(rng.uniform(-1.0, 1.0))
    normal = np.array([*(np.cos(tilt) * outward), np.sin(tilt)])
    R = world.random_pose(rng)[1]
    pivot = np.cross(R @ own, normal)
    H = about(pivot, float(np.arctan2(np.linalg.norm(pivot), R @ own @ normal))) @ R
    return point + np.cross(normal, rng.normal(size=3)), H


@pytest.mark.parametrize("dimension", [2, 3])
def test_a_coupler_is_its_expression(dimension: int) -> None:
    case = next(case for case in CASES if case.name == f"coupler-{dimension}d")
    world = case.world()
    system = world.system()
    model = world.model
    x = random_state(system, case.rng("closed form"))

    def lookup(parts: tuple[str, ...]) -> float:
        if parts == ("t",):
            return x.t
        if parts == ("base",):
            return 0.7
        path = model.resolve(parts)
        return system.value(x.q, system.tables.coordinates[path.kind, path.owner, path.item, path.axis])

    table = model.tables["lift"]
    spline = CubicSpline(table.x, [*table.y[:-1], table.y[0]], bc_type="periodic")
    expected = evaluate(model.joints["X"].fields["expression"], lookup, {"lift": lambda u, order: spline(u, order)})
    rows = system.tables.joint_rows["X"]
    assert len(rows) == 1
    assert system.phi(x.q, x.t)[rows.start] == pytest.approx(float(expected), rel=1e-13)
