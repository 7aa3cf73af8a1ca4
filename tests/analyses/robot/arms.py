"""Arms whose inverse kinematics is known to have closed forms, anywhere in space and in any unit of length."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import multibody as mb

# points and axes of six joints and the tip at zero. puma: axes 1 and 2 meet, the third is beside; elbow: an offset between;
# skew: nothing is perpendicular; parallel: axes 1 and 2 are; oblique: a wrist whose axes are not perpendicular
Z, Y, X = (0, 0, 1), (0, 1, 0), (1, 0, 0)
ARMS: dict[str, tuple[Any, Any, Any]] = {
    "puma": (
        [(0, 0, 0), (0, 0, 0.5), (0.4, 0.15, 0.5), (0.42, 0.15, 0.9), (0.42, 0.15, 0.9), (0.42, 0.15, 0.9)],
        [Z, Y, Y, Z, Y, Z], (0.42, 0.18, 1.05),
    ),
    "elbow": (
        [(0, 0, 0), (0.1, 0, 0.5), (0.5, 0.05, 0.5), (0.52, 0.05, 0.9), (0.52, 0.05, 0.9), (0.52, 0.05, 0.9)],
        [Z, Y, Y, Z, Y, Z], (0.6, 0.18, 1.05),
    ),
    "skew": (
        [(0, 0, 0), (0.2, 0.1, 0.3), (0.5, -0.1, 0.4), (0.6, 0.2, 0.8), (0.6, 0.2, 0.8), (0.6, 0.2, 0.8)],
        [Z, (0.3, 0.9, 0.2), (0.5, 0.6, -0.4), (0.1, 0.2, 1.0), (0, -1, 0.2), (0.1, 0.2, 1.0)], (0.7, 0.3, 1.0),
    ),
    "parallel": (
        [(0, 0, 0), (0.4, 0, 0.1), (0.7, 0, 0.2), (0.9, 0.1, 0.2), (0.9, 0.1, 0.2), (0.9, 0.1, 0.2)],
        [Z, Z, Y, Z, Y, Z], (1.0, 0.2, 0.3),
    ),
    "oblique": (
        [(0, 0, 0), (0, 0, 0.5), (0.4, 0.1, 0.5), (0.4, 0.1, 0.9), (0.4, 0.1, 0.9), (0.4, 0.1, 0.9)],
        [Z, Y, Y, Z, (0, 0.8, 0.6), (0.3, 0.1, 1.0)], (0.5, 0.2, 1.0),
    ),
}  # fmt: skip


def arm(kind: str, scale: float = 1.0, turned: bool = False, **stops: Any) -> mb.Model:
    """Return an arm of six joints j1 … j6 with links l1 … l6 and the frame l6.tip.

    Parameters
    ----------
    scale : float
        Of all lengths: 1000 for millimeters.
    turned : bool
        Whether it stands turned and aside.
    stops
        Limits of joints.
    """
    points, axes, tip = ARMS[kind]
    R = Rotation.from_rotvec([0.3, 0.5, -0.8]).as_matrix() if turned else np.eye(3)
    o = np.array([0.3, -0.2, 0.1]) if turned else np.zeros(3)
    units = {"length": "mm", "force": "N", "time": "s"} if scale != 1.0 else None
    m = mb.Model(kind, gravity=tuple(R @ [0, 0, -9.81 * scale]), units=units)
    before = "ground"
    for k, (point, axis) in enumerate(zip(points, axes, strict=True), start=1):
        frames = {"tip": tuple(scale * (o + R @ tip))} if k == 6 else {}
        com = scale * (o + R @ (np.array(point) + 0.05))
        inertia = 0.01 * scale**2 * (7 - k) * np.array([1.0, 1.2, 0.9])
        m.body(f"l{k}", mass=7.0 - k, inertia=tuple(inertia), com=tuple(com), frames=frames)
        m.revolute(f"j{k}", before, f"l{k}", at=tuple(scale * (o + R @ point)), axis=tuple(R @ np.array(axis, dtype=float)))
        before = f"l{k}"
    for joint, (low, high) in stops.items():
        m.stop(f"stop_{joint}", joint, lower=low, upper=high, stiffness=100.0)
    return m


def planar_arm(count: int) -> mb.Robot:
    """Return a planar arm of joints j1 …, links l1 … and the frame "e" at their ends; the second joint is written backward."""
    m = mb.Model("planar", dimension=2, gravity=(0, -9.81))
    before = "ground"
    for k in range(1, count + 1):
        m.body(f"l{k}", mass=1.0 + k, inertia=0.1, com=(0.2, 0.05), frames={"e": (0.6 - 0.1 * k, 0.07)})
        ends = (f"l{k}", before) if k == 2 else (before, f"l{k}")
        m.revolute(f"j{k}", *ends)
        before = f"l{k}.e"
    return m.robot()


def pose(robot: mb.Robot, frame: str, q: Any) -> Any:
    """Return the pose of a frame as a matrix (4, 4), planar (3, 3)."""
    r, A = robot.frame_pose(frame, q)
    T = np.eye(len(r) + 1)
    T[:-1, :-1], T[:-1, -1] = A, r
    return T
