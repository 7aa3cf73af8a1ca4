"""Frames of a robot: poses, velocities, accelerations, Jacobians and their rates."""

from __future__ import annotations

from typing import Any

import numpy as np

from multibody.analyses.robot.base import RobotBase
from multibody.arguments import answered
from multibody.kernels.robot.frames import frame_jacobian_rates, frame_jacobians, frame_poses
from multibody.state.system import Floats


@answered
class FrameMethods(RobotBase):
    """What can be asked about a frame: a body's name, or ``body.frame``."""

    def frame_pose(self, frame: str, q: Any) -> tuple[Floats, Floats]:
        """Return position and axes of a frame.

        Parameters
        ----------
        frame : str
            ``link7.tip``, or a body for its origin.
        q : array (nq) or (N, nq)

        Returns
        -------
        r : array (d) or (N, d)
            Position in ground.
        A : array (d, d) or (N, d, d)
            Axes of the frame as columns, in ground.
        """
        i, s, axes = self._frame(frame, "frame_pose")
        single, (q_,) = self._states("frame_pose", q=q)
        n, d = len(q_), self.dimension
        r, A = np.tile(s, (n, 1)), np.tile(np.eye(d), (n, 1, 1))
        if i >= 0:
            frame_poses(self._d, self._at_model, self._at_scratch, i, s, q_, r, A)
        A = A @ axes
        return (r[0], A[0]) if single else (r, A)

    def frame_jacobian(self, frame: str, q: Any) -> Floats:
        """Return J of a frame: J v is the velocity of its point, then its angular velocity, in ground axes.

        Parameters
        ----------
        frame : str
        q : array (nq) or (N, nq)

        Returns
        -------
        array (6, nv) or (N, 6, nv)
            Planar three rows: x, y, angle.
        """
        i, s, _ = self._frame(frame, "frame_jacobian")
        single, (q_,) = self._states("frame_jacobian", q=q)
        J = np.zeros((len(q_), self.width, self.nv))
        if i >= 0:
            frame_jacobians(self._d, self._at_model, self._at_scratch, i, s, q_, J)
        return J[0] if single else J

    def frame_jacobian_rate(self, frame: str, q: Any, v: Any) -> Floats:
        """Return dJ/dt of a frame, so that its acceleration is J a + dJ/dt v.

        Parameters
        ----------
        frame : str
        q : array (nq) or (N, nq)
        v : array (nv) or (N, nv)

        Returns
        -------
        array (6, nv) or (N, 6, nv)
            Planar three rows.
        """
        i, s, _ = self._frame(frame, "frame_jacobian_rate")
        single, (q_, v_) = self._states("frame_jacobian_rate", q=q, v=v)
        J = np.zeros((len(q_), self.width, self.nv))
        if i >= 0:
            frame_jacobian_rates(self._d, self._at_model, self._at_scratch, i, s, q_, v_, J)
        return J[0] if single else J

    def frame_velocity(self, frame: str, q: Any, v: Any) -> Floats:
        """Return velocity of a frame's point and angular velocity, in ground axes, (6) or (N, 6), planar three."""
        single, (q_, v_) = self._states("frame_velocity", q=q, v=v)
        out = np.einsum("kij,kj->ki", self.frame_jacobian(frame, q_), v_)
        return out[0] if single else np.asarray(out)

    def frame_acceleration(self, frame: str, q: Any, v: Any, a: Any) -> Floats:
        """Return acceleration of a frame's point and angular acceleration, in ground axes, (6) or (N, 6), planar three."""
        single, (q_, v_, a_) = self._states("frame_acceleration", q=q, v=v, a=a)
        out = np.einsum("kij,kj->ki", self.frame_jacobian(frame, q_), a_)
        out += np.einsum("kij,kj->ki", self.frame_jacobian_rate(frame, q_, v_), v_)
        return out[0] if single else np.asarray(out)

    def _frame(self, frame: str, verb: str) -> tuple[int, Floats, Floats]:
        """Return the link of a frame (−1: the ground), its point from the center of mass and its axes, in body axes."""
        body, name = self.model.find_end(frame, f"robot.{verb}")
        point, axes = self.tables.frames[body, name]
        number = self.tables.bodies.index(body)
        i = self.tree.position[number] if number else -1
        return i, self.tables.vector(point).copy(), self.tables.matrix(axes)
