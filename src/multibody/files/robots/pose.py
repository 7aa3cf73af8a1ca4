"""Poses as numbers: a point and axes, composed and inverted while a robot file is read."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
_NONE = (0.0, 0.0, 0.0)


class Pose:
    """A point and axes in other axes.

    Parameters
    ----------
    at : three numbers
        [m]
    axes : array (3, 3), optional
        Columns are its axes; default none turned.
    rpy : three numbers, optional
        Roll, pitch, yaw [rad], from which the axes follow: turns about the fixed x, y, z in this order. They are kept, so that
        a model has the numbers of the file.
    """

    __slots__ = ("at", "axes", "rpy")

    def __init__(
        self, at: Sequence[float] | Floats = _NONE, axes: Floats | None = None, rpy: Sequence[float] | None = None
    ) -> None:
        self.at: tuple[float, float, float] = tuple(float(x) for x in at)  # type: ignore[assignment]
        self.rpy: tuple[float, ...] | None = None
        if axes is not None:
            self.axes: Floats = axes
        else:
            self.rpy = _NONE if rpy is None else tuple(float(x) for x in rpy)
            self.axes = rpy_axes(self.rpy)

    @property
    def turned(self) -> bool:
        """Whether its axes differ from those that it lies in."""
        return self.rpy != _NONE and not bool(np.array_equal(self.axes, np.eye(3)))

    @property
    def trivial(self) -> bool:
        """Whether it is the identity."""
        return self.at == _NONE and not self.turned

    def __matmul__(self, other: Pose) -> Pose:
        """Return the pose of `other`, which is given in this one."""
        if self.trivial:
            return other
        if other.trivial:
            return self
        return Pose(np.array(self.at) + self.axes @ np.array(other.at), self.axes @ other.axes)

    def inverse(self) -> Pose:
        """Return the pose of the outer axes in this one."""
        return Pose(-self.axes.T @ np.array(self.at), self.axes.T)

    def orientation(self) -> dict[str, Any]:
        """Return the orientation as the keyword that a model takes: none, rpy where the file has it, else a quaternion."""
        if not self.turned:
            return {}
        return {"rpy": self.rpy} if self.rpy is not None else {"quaternion": quaternion(self.axes)}

    def frame(self) -> Any:
        """Return the frame as a model takes it: a bare point where it is not turned."""
        return {"at": self.at, **self.orientation()} if self.turned else self.at

    def __repr__(self) -> str:
        return f"Pose({self.at}, {self.orientation() or 'not turned'})"


def rpy_axes(rpy: Sequence[float]) -> Floats:
    """Return Rz(yaw) Ry(pitch) Rx(roll)."""
    if tuple(rpy) == _NONE:
        return np.eye(3)
    (cr, sr), (cp, sp), (cy, sy) = ((math.cos(a), math.sin(a)) for a in rpy)
    return np.array([
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ])  # fmt: skip


def rpy_of(R: Floats) -> tuple[float, float, float]:
    """Return roll, pitch and yaw of axes; where the pitch is a quarter turn, the roll is taken as zero."""
    pitch = math.atan2(-R[2, 0], math.hypot(R[0, 0], R[1, 0]))
    if math.hypot(R[0, 0], R[1, 0]) < 1e-9:  # roll and yaw turn about the same line
        return 0.0, pitch, math.atan2(-R[0, 1], R[1, 1])
    return math.atan2(R[2, 1], R[2, 2]), pitch, math.atan2(R[1, 0], R[0, 0])


def quaternion(R: Floats) -> tuple[float, float, float, float]:
    """Return (w, x, y, z) of axes, w not negative (Shepperd: from the largest of the four)."""
    t = np.array([R.trace(), R[0, 0], R[1, 1], R[2, 2]])
    k = int(np.argmax(t))
    if k == 0:
        q = np.array([1.0 + t[0], R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    else:
        i, j, m = k - 1, k % 3, (k + 1) % 3
        q = np.empty(4)
        q[0] = R[m, j] - R[j, m]
        q[1 + i] = 1.0 + 2.0 * R[i, i] - t[0]
        q[1 + j], q[1 + m] = R[j, i] + R[i, j], R[m, i] + R[i, m]
    q /= np.linalg.norm(q)
    w, x, y, z = (float(c) for c in (-q if q[0] < 0.0 else q))
    return w, x, y, z
