"""The relative motion of a pair is what its ends do: poses made of it by hand satisfy its rows and have its coordinates."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy.spatial.transform import Rotation

import multibody as mb
from multibody.model.joints import KINDS
from multibody.model.structure import BALL, SCREW, SLIDE, PairMotion
from multibody.state.poses import write_pose
from multibody.state.system import System, tables_of
from multibody.tables.pairs import offset_of, pitch_of

Floats = npt.NDArray[np.float64]
LEAD = -0.9
PAIRS = [
    (name, structure.motion)
    for name, kind in KINDS.items() for structure in (kind.planar, kind.spatial) if structure and structure.motion
]  # fmt: skip
NAMED = pytest.mark.parametrize(("kind", "motion"), PAIRS, ids=[f"{name}-{motion.dimension}d" for name, motion in PAIRS])


def drawn(kind: str, motion: PairMotion, rng: np.random.Generator) -> mb.Model:
    """Return two bodies in general position with the pair between frames of them."""
    d, fields = motion.dimension, dict[str, Any]()
    m = mb.Model("pair", dimension=d)
    for name in ("a", "b"):
        turn = {"angle": rng.normal()} if d == 2 else {"rotvec": rng.normal(size=3)}
        frames = {"P": {"at": rng.normal(size=d), **turn}}
        m.body(name, mass=1.0, inertia=0.1 if d == 2 else (0.1, 0.1, 0.1), com=rng.normal(size=d), frames=frames)
    if any(f.name == "axis" for f in KINDS[kind].fields) and (d == 3 or motion.slides):
        fields["axis"] = tuple(rng.normal(size=d))
    if kind == "universal":
        fields["axes"] = ((0.0, 0.6, 0.8), (1.0, 0.0, 0.0))
    if kind == "screw":
        m.parameter("lead", LEAD)
        fields["lead"] = "lead"
    m.joint(kind, "J", "a.P", "b.P", **fields)
    return m


def turned(motion: PairMotion, values: Floats) -> Floats:
    """Return the rotation of the second end relative to the first, by SciPy."""
    angles = [value for value, freedom in zip(values, motion.freedoms, strict=True) if freedom.how != SLIDE]
    if motion.dimension == 2:
        return np.asarray(Rotation.from_rotvec([0, 0, sum(angles)]).as_matrix()[:2, :2])
    if motion.ball:
        return np.asarray(Rotation.from_rotvec(angles).as_matrix())
    found = np.eye(3)
    for angle, freedom in zip(angles, motion.turns, strict=True):
        found = found @ Rotation.from_rotvec(angle * np.eye(3)["fgh".index(freedom.axis)]).as_matrix()
    return found


@NAMED
def test_a_pose_made_of_the_motion_closes_the_rows_and_has_the_coordinates(kind: str, motion: PairMotion) -> None:
    rng, d = np.random.default_rng(8), motion.dimension
    tables = tables_of(drawn(kind, motion, rng))
    pair, system = tables.pairs["J"], System(tables)
    values = rng.uniform(0.2, 0.9, len(motion.freedoms))
    shift = np.zeros(d)
    for value, freedom in zip(values, motion.freedoms, strict=True):
        if freedom.how in (SLIDE, SCREW):
            shift["fgh".index(freedom.axis)] += value if freedom.how == SLIDE else LEAD * value / (2.0 * math.pi)
    q, r = np.zeros(tables.nq), rng.normal(size=d)
    A = Rotation.from_rotvec(rng.normal(size=3) if d == 3 else [0, 0, rng.normal()]).as_matrix()[:d, :d]
    first, second = ((tables.vector(end.point), tables.matrix(end.axes)) for end in pair.ends)
    B = A @ first[1] @ turned(motion, values) @ second[1].T
    write_pose(system, q, 1, r, A)
    write_pose(system, q, 2, r + A @ (first[0] + first[1] @ shift) - B @ second[0], B)
    assert system.phi(q, 0.0) == pytest.approx(np.zeros(len(tables.rows)), abs=1e-14)
    for value, freedom, function in zip(values, motion.freedoms, pair.functions, strict=True):
        assert (function < 0) == (freedom.how == BALL)
        if function >= 0:
            beyond = system.value(q, function) - value
            turns = 0.0 if freedom.how == SLIDE else 2.0 * math.pi * round(beyond / (2.0 * math.pi))
            assert beyond == pytest.approx(turns, abs=1e-14)


@NAMED
def test_rows_and_freedoms_are_all_there_is(kind: str, motion: PairMotion) -> None:
    tables = tables_of(drawn(kind, motion, np.random.default_rng(3)))
    assert len(tables.joint_rows["J"]) + len(motion.freedoms) == tables.width
    assert motion.angles + len(motion.slides) == len(motion.freedoms)


def test_the_pitch_follows_its_parameter() -> None:
    model = drawn("screw", dict(PAIRS)["screw"], np.random.default_rng(1))
    for lead in (LEAD, 0.25):
        tables = tables_of(model.set(lead=lead))
        assert pitch_of(tables, tables.pairs["J"]) == lead / (2.0 * math.pi)
    hinge = tables_of(drawn("revolute", dict(PAIRS)["revolute"], np.random.default_rng(1)))
    assert pitch_of(hinge, hinge.pairs["J"]) == 0.0


@pytest.mark.parametrize("kind", ["fixed", "revolute", "translational", "free"])
def test_the_offset_of_a_planar_pair_is_the_angle_between_its_frames(kind: str) -> None:
    m = mb.Model("planar", dimension=2)
    for name, angle in (("a", 0.3), ("b", 1.1)):
        m.body(name, mass=1.0, inertia=0.1, frames={"P": {"at": (0.1, 0.2), "angle": angle}})
    m.joint(kind, "J", "a.P", "b.P", **({"axis": (1.0, 2.0)} if kind == "translational" else {}))
    tables = tables_of(m)
    assert offset_of(tables, tables.pairs["J"]) == pytest.approx(1.1 - 0.3, abs=1e-15)
