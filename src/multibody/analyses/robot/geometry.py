"""Whether an arm can be solved in closed form, read off the axes of its joints where they are zero."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from multibody.kernels.memory.declaration import numbers_of
from multibody.kernels.robot.declared import ITERATED, PLANAR_THREE, PLANAR_TWO, THREE, WRIST
from multibody.kernels.robot.geometry import Shape
from multibody.state.system import Floats

MEETING = 1e-9  # distance of lines that meet, relative to the arm; sine of the angle of lines that are parallel


class Geometry(NamedTuple):
    """How the pose of a frame is reached, and the numbers for it (see ``kernels/robot/declared.py``)."""

    how: int = ITERATED
    lines: Floats = np.zeros(1)
    center: Floats = np.zeros(1)
    shape: Floats = np.zeros(1)


def geometry_of(J: Floats, r: Floats, rows: int) -> Geometry:
    """Return what kind of arm turns about the axes that a Jacobian tells.

    Parameters
    ----------
    J : array (3 or 6, turns)
        Columns of the joints that may move, all of them turns, from the ground on, at zero.
    r : array (2 or 3)
        The frame's point there.
    rows : int
        How many rows of its pose are asked for.
    """
    count = J.shape[1]
    if len(r) == 2:
        how = {(2, 2): PLANAR_TWO, (3, 3): PLANAR_THREE}.get((count, rows), ITERATED)
        lines = [(s, r[0] - s * vy, r[1] + s * vx) for vx, vy, s in J.T]
        return Geometry(how, np.array(lines).ravel()) if how else Geometry()
    directions, points = J[3:].T, r + np.cross(J[3:].T, J[:3].T)
    if (count, rows) == (3, 3):
        return _first_three(THREE, directions, points, r)
    if (count, rows) != (6, 6):
        return Geometry()
    center = _meeting(directions[3:], points[3:], r)
    if center is None or not _is_wrist(directions[3:]):
        return Geometry()
    return _first_three(WRIST, directions, points, center)


def _meeting(directions: Floats, points: Floats, r: Floats) -> Floats | None:
    """Return the point at which lines meet, None where they do not."""
    across = [np.eye(3) - np.outer(w, w) for w in directions]
    A = sum(across, np.zeros((3, 3)))
    if np.linalg.matrix_rank(A, tol=MEETING) < 3:
        return None
    center = np.linalg.solve(A, sum((P @ p for P, p in zip(across, points, strict=True)), np.zeros(3)))
    away = max(float(np.linalg.norm(P @ (center - p))) for P, p in zip(across, points, strict=True))
    size = max(float(np.linalg.norm(points - r, axis=1).max()), float(np.linalg.norm(center - r)))
    return center if away <= MEETING * size or size == 0.0 else None


def _is_wrist(directions: Floats) -> bool:
    """Return whether the middle one of three axes turns the third against the first."""
    w4, w5, w6 = directions
    a = w4 @ w6 - (w4 @ w5) * (w5 @ w6)
    return float(np.hypot(a, w4 @ np.cross(w5, w6))) > MEETING and float(np.linalg.norm(np.cross(w4, w5))) > MEETING


def _first_three(how: int, directions: Floats, points: Floats, center: Floats) -> Geometry:
    """Return the geometry of an arm whose first three axes place `center`, none where they cannot: see ``three_axes``."""
    (w1, w2, w3), (p1, p2, p3) = directions[:3], points[:3]
    size = float(np.max(np.linalg.norm(center - points[:3], axis=1)))
    if size == 0.0:
        return Geometry()
    normal, apart = np.cross(w1, w2), p2 - p1
    sine = float(np.linalg.norm(normal))
    if sine < MEETING:
        r1, r2 = p1, p2 - w2 * (w2 @ apart)
        sine = 0.0
    else:
        r1 = p1 + w1 * (np.cross(apart, w2) @ normal) / sine**2
        r2 = p2 + w2 * (np.cross(apart, w1) @ normal) / sine**2
    a1 = float(np.linalg.norm(r2 - r1))
    if a1 < MEETING * size:
        if sine == 0.0:
            return Geometry()  # the first two turn about one line
        a1, r2, n = 0.0, r1, normal / sine
    else:
        n = (r2 - r1) / a1
    m = np.cross(w2, n)
    arm = center - p3
    yc, ys = arm - w3 * (w3 @ arm), np.cross(w3, arm)
    y0 = p3 - r2 + w3 * (w3 @ arm)
    moved = {True: np.hypot(2 * y0 @ yc, 2 * y0 @ ys) / size**2, False: np.hypot(w2 @ yc, w2 @ ys) / size}
    if np.linalg.norm(yc) < MEETING * size or ((a1 == 0.0 or sine == 0.0) and moved[a1 == 0.0] < MEETING):
        return Geometry()  # the third turn changes nothing that the others do not
    lines = np.concatenate([np.column_stack([directions[:3], [r1, r2, p3]]).ravel(), _rest(directions, points)])
    shape = np.zeros(Shape.size)
    own = numbers_of(Shape, shape, 0)
    own.n, own.m, own.a1, own.cos, own.sin, own.extent = n, m, a1, float(w1 @ w2), float(w1 @ m) if sine else 0.0, size
    return Geometry(how, lines, center, shape)


def _rest(directions: Floats, points: Floats) -> Floats:
    """Return the lines behind the third."""
    return np.column_stack([directions[3:], points[3:]]).ravel()
