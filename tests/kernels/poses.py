"""Poses that satisfy a joint, made by hand from its geometry and never by the package's lowering.

The second end follows from the first by a displacement d and a rotation H in the joint's axes f, g, h:
r_j + A_j s_j = r_i + A_i (s_i + C_i d) and A_j = A_i C_i H C_jᵀ (Lee, Lee, Bae 2013).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from kernels.mechanisms import Floats, Pose, Random, World, turn
from multibody.state.system import System


def about(axis: str | Floats | Sequence[float], angle: float) -> Floats:
    """Return the rotation about an axis by its letter, or about any vector."""
    vector = np.eye(3)["xyz".index(axis)] if isinstance(axis, str) else np.array(axis)
    return Rotation.from_rotvec(angle * vector / np.linalg.norm(vector)).as_matrix()


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


Relative = tuple[Floats, Floats, dict[str, float]]  # d, H, coordinates
Maker = Callable[[Random, World], Relative]


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
    "fixed": _fixed, "revolute": _revolute, "translational": _translational, "cylindrical": _cylindrical,
    "screw": _screw, "universal": _universal, "spherical": _spherical, "planar": _planar, "free": _free,
    "distance": _distance, "point_on_line": _on_line, "point_on_plane": _on_plane, "parallel": _parallel,
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
