"""What each joint means: poses made by hand, without the package's lowering, satisfy it and have the coordinates they should.

The second end follows from the first by a displacement d and a rotation H in the joint's axes f, g, h:
r_j + A_j s_j = r_i + A_i (s_i + C_i d) and A_j = A_i C_i H C_jᵀ (Lee, Lee, Bae 2013).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from kernels.mechanisms import BY_FRAMES, CASES, VARIANTS, Case, Floats, Pose, Random, World, catalog, random_state, turn
from scipy.spatial.transform import Rotation

from multibody.analyses.system import System, tables_of
from multibody.kernels.functions import largest_turn
from multibody.kernels.state import set_positions
from multibody.model.expressions import evaluate
from multibody.model.model import Model

TINY = 1e-12


def about(axis: str | Floats, angle: float) -> Floats:
    """Return the rotation about an axis of the joint, or about any vector."""
    vector = np.eye(3)["xyz".index(axis)] if isinstance(axis, str) else axis / np.linalg.norm(axis)
    return Rotation.from_rotvec(angle * vector).as_matrix()


def wrapped(angle: Any) -> Any:
    """Return the angle within half a turn of zero."""
    return (angle + np.pi) % (2.0 * np.pi) - np.pi


def basis(world: World) -> Floats:
    """Return the axes f, g, h of the joint J in the components of its frames."""
    fields = world.model.joints["J"].fields
    if "axes" in fields and fields["axes"] is not None:
        a, b = (np.array(axis) / np.linalg.norm(axis) for axis in fields["axes"])
        return np.column_stack([b, np.cross(a, b), a])
    axis = fields.get("axis")
    if axis is None:
        return np.eye(world.dimension)
    unit = np.array(axis) / np.linalg.norm(axis)
    if world.dimension == 2:
        return np.column_stack([unit, [-unit[1], unit[0]]])
    pivot = np.cross([0.0, 0.0, 1.0], unit)
    return about(pivot, float(np.arccos(unit[2])))


def joint_value(system: System, q: Floats, name: str, joint: str = "J") -> float:
    """Return the value of a coordinate of a joint."""
    return system.value(q, system.tables.coordinates["joint", joint, name, 0])


# --- kinds placed by two frames ----------------------------------------------------------------------------------------

Relative = tuple[Floats, Floats, dict[str, float]]  # d, H, coordinates
Maker = Callable[[Random, World], Relative]


def _spatial(rng: Random, d: list[float], H: Floats, **coordinates: float) -> Relative:
    return np.array(d), H, coordinates


def _fixed(rng: Random, world: World) -> Relative:
    return np.zeros(world.dimension), np.eye(world.dimension), {}


def _revolute(rng: Random, world: World) -> Relative:
    a = float(rng.uniform(-3.0, 3.0))
    return np.zeros(world.dimension), turn(a) if world.dimension == 2 else about("z", a), {"angle": a}


def _translational(rng: Random, world: World) -> Relative:
    p = float(rng.normal())
    d = np.array([p, 0.0] if world.dimension == 2 else [0.0, 0.0, p])
    return d, np.eye(world.dimension), {"position": p}


def _cylindrical(rng: Random, world: World) -> Relative:
    p, a = float(rng.normal()), float(rng.uniform(-3.0, 3.0))
    return np.array([0.0, 0.0, p]), about("z", a), {"position": p, "angle": a}


def _screw(rng: Random, world: World) -> Relative:
    a = float(rng.uniform(-3.0, 3.0))
    p = world.model.joints["J"].fields["lead"] * a / (2.0 * np.pi)
    return np.array([0.0, 0.0, p]), about("z", a), {"position": p, "angle": a}


def _universal(rng: Random, world: World) -> Relative:
    a, b = rng.uniform(-3.0, 3.0, size=2)
    return np.zeros(3), about("z", a) @ about("x", b), {"angle1": a, "angle2": b}


def _spherical(rng: Random, world: World) -> Relative:
    return np.zeros(3), world.random_pose(rng)[1], {}


def _planar(rng: Random, world: World) -> Relative:
    x, y = rng.normal(size=2)
    a = float(rng.uniform(-3.0, 3.0))
    return np.array([x, y, 0.0]), about("z", a), {"x": x, "y": y, "angle": a}


def _free(rng: Random, world: World) -> Relative:
    d, H = world.random_pose(rng)
    coordinates = dict(zip("xyz", d, strict=False))
    return d, H, coordinates | ({"angle": np.arctan2(H[1, 0], H[0, 0])} if world.dimension == 2 else {})


def _distance(rng: Random, world: World) -> Relative:
    d = rng.normal(size=world.dimension)
    length = world.model.joints["J"].fields["length"]
    return d * length / np.linalg.norm(d), world.random_pose(rng)[1], {"length": length}


def _on_line(rng: Random, world: World) -> Relative:
    d, _, coordinates = _translational(rng, world)
    return d, world.random_pose(rng)[1], coordinates


def _on_plane(rng: Random, world: World) -> Relative:
    return np.array([*rng.normal(size=2), 0.0]), world.random_pose(rng)[1], {}


def _parallel(rng: Random, world: World) -> Relative:
    H = np.eye(2) if world.dimension == 2 else about("z", float(rng.uniform(-3.0, 3.0)))
    return rng.normal(size=world.dimension), H, {}


MAKERS: dict[str, Maker] = {
    "fixed": _fixed, "revolute": _revolute, "translational": _translational, "cylindrical": _cylindrical, "screw": _screw,
    "universal": _universal, "spherical": _spherical, "planar": _planar, "free": _free, "distance": _distance,
    "point_on_line": _on_line, "point_on_plane": _on_plane, "parallel": _parallel,
}  # fmt: skip


def placed(world: World, first: str, second: str, d: Floats, H: Floats, rng: Random) -> dict[str, Pose]:
    """Return poses of the two bodies with the given relative displacement; the ground stays where it is."""
    (si, Ci), (sj, Cj) = world.end(first), world.end(second)
    B = basis(world)
    Ci, Cj = Ci @ B, Cj @ B
    i, j = first.partition(".")[0], second.partition(".")[0]
    if j == "ground":
        A = Cj @ H.T @ Ci.T
        return {i: (sj - A @ (si + Ci @ d), A)}
    r, A = world.drawn["ground"] if i == "ground" else world.random_pose(rng)
    Aj = A @ Ci @ H @ Cj.T
    poses = {j: (r + A @ (si + Ci @ d) - Aj @ sj, Aj)}
    return poses if i == "ground" else {i: (r, A), **poses}


FRAMED = [case for case in CASES if case.kind in MAKERS and case.arrangement in BY_FRAMES]


@pytest.mark.parametrize("case", FRAMED, ids=lambda case: case.name)
def test_poses_made_by_hand_satisfy_the_joint(case: Case) -> None:
    world, rng = case.world(driven=False), case.rng("closed form")
    system = world.system()
    first, second = BY_FRAMES[case.arrangement]
    for _ in range(5):
        d, H, coordinates = MAKERS[case.kind](rng, world)
        q = world.coordinates(placed(world, first, second, d, H, rng))
        # In the plane a body's angle counts turns and the pose by hand does not know them.
        phi = [x if row.is_length else wrapped(x) for x, row in zip(system.phi(q, 0.0), system.tables.rows, strict=True)]
        np.testing.assert_allclose(phi, 0.0, atol=TINY)
        for name, value in coordinates.items():
            found = joint_value(system, q, name)
            assert (wrapped(found - value) if "angle" in name else found - value) == pytest.approx(0.0, abs=TINY)
    assert set(coordinates) == set(world.model.joints["J"].readable(case.dimension))


@pytest.mark.parametrize("kind", sorted(MAKERS))
def test_a_displacement_that_the_joint_forbids_violates_it(kind: str) -> None:
    """A random displacement satisfies no joint but the free one."""
    for dimension in (2, 3):
        if (kind, dimension) in catalog() and kind != "free":
            case = next(case for case in FRAMED if (case.kind, case.dimension) == (kind, dimension))
            system = case.world(driven=False).system()
            phi = system.phi(random_state(system, case.rng("violated")).q, 0.0)
            assert np.all(np.abs(phi) > 1e-4)


IN_PLACE = [case for case in CASES if case.kind in MAKERS and case.arrangement == "in-place" and case.kind != "distance"]
AS_DRAWN = IN_PLACE + [case for case in CASES if case.kind in ("gear", "rack")]


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
@pytest.mark.parametrize("axis", [0.0, 1.0, 2.5, -2.0])
@pytest.mark.parametrize("drawn", [0.0, 2.5, -2.5, 4.5])
@pytest.mark.parametrize("frame", [0.0, 2.0, -3.0, 4.7])
def test_planar_angles_count_no_turns_as_drawn(kind: str, axis: float, drawn: float, frame: float) -> None:
    """However the angles of bodies, frames and axes add up: frames that coincide as drawn are not a whole turn apart."""
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


# --- gears, racks, cams, couplers --------------------------------------------------------------------------------------


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
        T = turn(planar) if world.dimension == 2 else R.T if pinion == "ground" else about(np.array([1.0, 2.0, 3.0]), planar)
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
        if world.dimension == 3:
            d[2] = rng.normal()
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
    H = Rotation.align_vectors([normal, np.cross(normal, [0.3, 0.5, 0.8])], [own, np.cross(own, [0.1, 0.9, 0.2])])[0].as_matrix()
    H = about(np.cross(H @ own, normal) + 1e-300, float(np.arctan2(np.linalg.norm(np.cross(H @ own, normal)), H @ own @ normal))) @ H
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

    from scipy.interpolate import CubicSpline

    table = model.tables["lift"]
    spline = CubicSpline(table.x, [*table.y[:-1], table.y[0]], bc_type="periodic")
    expected = evaluate(model.joints["X"].fields["expression"], lookup, {"lift": lambda u, order: spline(u, order)})
    rows = system.tables.joint_rows["X"]
    assert len(rows) == 1
    assert system.phi(x.q, x.t)[rows.start] == pytest.approx(float(expected), rel=1e-13)


# --- angles count turns ------------------------------------------------------------------------------------------------

TURNING = [case for case in FRAMED if case.dimension == 3 and case.kind in ("revolute", "cylindrical", "screw", "planar", "universal")]


def turning_relative(world: World, kind: str, angle: float) -> Relative:
    """Return a relative pose that has turned by an angle of any number of turns."""
    if kind == "universal":
        return np.zeros(3), about("z", angle) @ about("x", -0.9 * angle), {"angle1": angle, "angle2": -0.9 * angle}
    d = np.zeros(3)
    if kind == "screw":
        d[2] = world.model.joints["J"].fields["lead"] * angle / (2.0 * np.pi)
    return d, about("z", angle), {"angle": angle}


@pytest.mark.parametrize("direction", [1.0, -1.0])
@pytest.mark.parametrize("case", TURNING, ids=lambda case: case.name)
def test_angles_count_turns(case: Case, direction: float) -> None:
    """Over five turns, in steps below half a turn; a screw keeps advancing with them."""
    world, rng = case.world(driven=False), case.rng("turns")
    system = world.system()
    count = len(system.tables.function_is_length)
    for angle in direction * np.arange(0.0, 10.0 * np.pi, 1.3):
        d, H, coordinates = turning_relative(world, case.kind, angle)
        q = world.coordinates(placed(world, *BY_FRAMES[case.arrangement], d, H, rng))
        np.testing.assert_allclose(system.phi(q, 0.0), 0.0, atol=1e-11)
        for name, value in coordinates.items():
            assert joint_value(system, q, name) == pytest.approx(value, abs=1e-11)
        set_positions(system.I, system.W, q)
        assert largest_turn(system.I, system.F, system.W, system.ref, count) == pytest.approx(1.3 if angle else 0.0, abs=1e-11)
        system.take_references(q)
        assert largest_turn(system.I, system.F, system.W, system.ref, count) == pytest.approx(0.0, abs=1e-15)


def test_values_depend_on_the_reference_alone() -> None:
    """The same pose has the angle nearest to the reference, and evaluating it changes no reference."""
    case = next(case for case in TURNING if case.name == "revolute-3d-moving")
    world = case.world(driven=False)
    system = world.system()
    d, H, _ = turning_relative(world, "revolute", 0.5)
    q = world.coordinates(placed(world, *BY_FRAMES["moving"], d, H, case.rng("reference")))
    function = system.tables.coordinates["joint", "J", "angle", 0]
    for reference, turns in ((0.0, 0), (3.6, 0), (3.7, 1), (-2.6, 0), (-2.7, -1), (7.0, 1), (-40.0, -6), (200.0, 32)):
        system.ref[function] = reference
        for _ in range(2):
            assert joint_value(system, q, "angle") == pytest.approx(0.5 + 2.0 * np.pi * turns, abs=1e-12)
        assert system.ref[function] == reference


# --- how many equations each kind has ----------------------------------------------------------------------------------

REMOVED = {
    ("fixed", 2): 3, ("revolute", 2): 2, ("translational", 2): 2, ("free", 2): 0, ("distance", 2): 1,
    ("point_on_line", 2): 1, ("parallel", 2): 1, ("gear", 2): 1, ("rack", 2): 1, ("cam", 2): 2, ("coupler", 2): 1,
    ("fixed", 3): 6, ("revolute", 3): 5, ("translational", 3): 5, ("cylindrical", 3): 4, ("screw", 3): 5,
    ("universal", 3): 4, ("spherical", 3): 3, ("planar", 3): 3, ("free", 3): 0, ("distance", 3): 1,
    ("point_on_line", 3): 2, ("point_on_plane", 3): 1, ("parallel", 3): 2, ("gear", 3): 1, ("rack", 3): 1, ("cam", 3): 2,
    ("coupler", 3): 1,
}  # fmt: skip
COUNTED = [case for case in CASES if case.kind in {kind for kind, _ in VARIANTS}]


def satisfying(system: System, case: Case) -> Floats:
    """Return a pose that satisfies the joint, found by Newton steps of minimum norm from random starts."""
    rng = case.rng("rank")
    for _ in range(40):
        q = random_state(system, rng).q
        for _ in range(60):
            phi = system.phi(q, 0.0)
            if np.max(np.abs(phi), initial=0.0) < 1e-13:
                return q
            step = -np.linalg.lstsq(system.jacobian(q, 0.0), phi, rcond=None)[0]
            q = system.displaced(q, step, min(1.0, 0.5 / float(np.max(np.abs(step)))))
    raise AssertionError("no pose found")


def rank_of(matrix: Floats) -> int:
    """Return the number of singular values that are clearly not zero."""
    if matrix.size == 0:
        return 0
    values = np.linalg.svd(matrix, compute_uv=False)
    assert np.all((values > 1e-4) | (values < 1e-12))
    return int(np.sum(values > 1e-4))


def test_the_count_of_equations_is_stated_for_every_kind() -> None:
    assert set(REMOVED) == catalog()


@pytest.mark.parametrize("case", COUNTED, ids=lambda case: case.name)
def test_each_equation_removes_one_freedom(case: Case) -> None:
    system = case.world(driven=False).system()
    expected = REMOVED[case.kind, case.dimension]
    assert system.all_rows == expected
    matrix = system.jacobian(satisfying(system, case), 0.0)
    assert rank_of(matrix) == expected
    if case.kind == "cam":  # two equations, one of which determines the contact
        assert len(system.tables.extras) == 1
        assert rank_of(matrix[:, -1:]) == 1


@pytest.mark.parametrize("dimension", [2, 3])
def test_a_coupler_removes_one_freedom(dimension: int) -> None:
    case = next(case for case in CASES if case.name == f"coupler-{dimension}d")
    system = case.world().system()
    rows = system.tables.joint_rows["X"]
    assert len(rows) == REMOVED["coupler", dimension]
    x = random_state(system, case.rng("rank"))
    assert rank_of(system.jacobian(x.q, x.t, rows.start, rows.stop)) == 1
