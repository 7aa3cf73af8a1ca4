"""Poses of bodies in q: position and rotation matrix of one, and of all as they are drawn."""

from __future__ import annotations

import math

import numpy as np

from multibody.state.system import Floats, System


def drawn_pose(system: System) -> Floats:
    """Return q of the drawn poses; extra coordinates are zero."""
    tables, layout = system.tables, system.tables.layout
    q = np.zeros(system.nq)
    for b in range(1, len(tables.bodies)):
        center, turn = tables.poses[b]
        write_pose(system, q, b, tables.vector(center), tables.matrix(turn))
        if tables.dimension == 2:
            orientation = tables.model.bodies[tables.bodies[b]].orientation
            if orientation is not None and isinstance(orientation.numbers[0], float):
                q[layout.angle_of(b)] = orientation.numbers[0]  # a drawn angle beyond half a turn is kept
    return q


def write_pose(system: System, q: Floats, b: int, center: Floats, turn: Floats) -> None:
    """Write position and orientation of body b into q."""
    layout = system.tables.layout
    q[layout.position(b)] = center
    if layout.dimension == 2:
        angle, at = math.atan2(turn[1, 0], turn[0, 0]), layout.angle_of(b)
        q[at] = angle + 2.0 * math.pi * round((q[at] - angle) / (2.0 * math.pi))
    else:
        q[layout.orientation(b)] = quaternion_of(turn)


def read_pose(system: System, q: Floats, b: int) -> tuple[Floats, Floats]:
    """Return position and rotation matrix of body b (0: the ground)."""
    layout = system.tables.layout
    if b == 0:
        return np.zeros(layout.dimension), np.eye(layout.dimension)
    center = q[layout.position(b)].copy()
    if layout.dimension == 2:
        angle = q[layout.angle_of(b)]
        c, s = math.cos(angle), math.sin(angle)
        return center, np.array([[c, -s], [s, c]])
    return center, matrix_of(q[layout.orientation(b)])


def matrix_of(p: Floats) -> Floats:
    """Return the rotation matrix of unit quaternions, shape (..., 4) → (..., 3, 3)."""
    w, x, y, z = np.moveaxis(np.asarray(p), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def quaternion_of(A: Floats) -> Floats:
    """Return the unit quaternion (scalar first, scalar ≥ 0 where it can be) of a rotation matrix."""
    trace = A[0, 0] + A[1, 1] + A[2, 2]
    squares = np.array([1 + trace, 1 + 2 * A[0, 0] - trace, 1 + 2 * A[1, 1] - trace, 1 + 2 * A[2, 2] - trace])
    k = int(np.argmax(squares))  # the largest component divides the others
    p = np.empty(4)
    if k == 0:
        p[:] = [squares[0], A[2, 1] - A[1, 2], A[0, 2] - A[2, 0], A[1, 0] - A[0, 1]]
    elif k == 1:
        p[:] = [A[2, 1] - A[1, 2], squares[1], A[0, 1] + A[1, 0], A[0, 2] + A[2, 0]]
    elif k == 2:
        p[:] = [A[0, 2] - A[2, 0], A[0, 1] + A[1, 0], squares[2], A[1, 2] + A[2, 1]]
    else:
        p[:] = [A[1, 0] - A[0, 1], A[0, 2] + A[2, 0], A[1, 2] + A[2, 1], squares[3]]
    p /= np.linalg.norm(p)
    return p if p[0] >= 0.0 else -p
