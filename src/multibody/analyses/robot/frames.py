"""Frames of a robot: poses, velocities, accelerations, Jacobians and their rates."""

from __future__ import annotations

from typing import Any

import numpy as np

from multibody.analyses.robot import entrances
from multibody.analyses.robot.base import RobotBase
from multibody.arguments import answered, quick, short
from multibody.errors import ModelError
from multibody.kernels.robot.declared import FrameCall
from multibody.kernels.robot.entrance import prepared
from multibody.kernels.robot.frames import (
    frame_jacobian_rates,
    frame_jacobians,
    frame_poses,
    jacobian_planar,
    jacobian_spatial,
    pose_planar,
    pose_spatial,
)
from multibody.state.system import Floats


@answered
class FrameMethods(RobotBase):
    """What can be asked about a frame: a body's name, or ``body.frame``."""

    _bare: tuple[str, ...] = ("frame_pose", "frame_jacobian")
    _pose_one: Any = None  # kernels for one state, once they are compiled
    _jacobian_one: Any = None

    @quick(entrances.pose)
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
        self._prepare(frame, q_[0])
        r, A = np.tile(s, (len(q_), 1)), np.tile(axes, (len(q_), 1, 1))
        if i >= 0:
            frame_poses(self._d, self._at_model, self._at_scratch, i, s, np.ascontiguousarray(axes).ravel(), q_, r, A)
        return (r[0], A[0]) if single else (r, A)

    @quick(entrances.jacobian)
    def frame_jacobian(self, frame: str, q: Any, out: Any = None) -> Floats:
        """Return J of a frame: J v is the velocity of its point, then its angular velocity, in ground axes.

        Parameters
        ----------
        frame : str
        q, out
            As for :meth:`inverse_dynamics`.

        Returns
        -------
        array (6, nv) or (N, 6, nv)
            Planar three rows: x, y, angle.
        """
        single, (q_,) = self._states("frame_jacobian", q=q)
        J = self._result("frame_jacobian", out, self._wide_shape if single else (len(q_), *self._wide_shape))
        J[...] = self._reduced(self._jacobians(frame, q_, "frame_jacobian")).reshape(J.shape)
        self._prepare(frame, q_[0])
        return J

    def _jacobians(self, frame: str, q: Floats, verb: str) -> Floats:
        """Return the Jacobians (N, 6, rates of the tree) of a frame."""
        i, s, _ = self._frame(frame, verb)
        J = np.zeros((len(q), self.width, self._tree_nv))
        if i >= 0:
            frame_jacobians(self._d, self._at_model, self._at_scratch, i, s, q, J)
        return J

    def _prepare(self, frame: str, q: Floats) -> None:
        """Open the quick entrances for a frame; those on the ground and where coordinates follow others have none."""
        i, s, axes = self._frame(frame, "frame_pose")
        if i < 0 or self._coupling is not None or frame in self._at_frames:
            return
        if self._jacobian_one is None:
            planar = self.dimension == 2
            r, A, J = np.empty(self.dimension), np.empty(self._pose_shape), np.empty(self._wide_shape)
            self._pose_one = prepared(pose_planar if planar else pose_spatial, 0, q, r, A)
            self._jacobian_one = prepared(jacobian_planar if planar else jacobian_spatial, 0, q, J)
        call = FrameCall(
            model=int(self._at_model), scratch=int(self._at_scratch), link=i, point=s, axes=np.ascontiguousarray(axes).ravel()
        )
        self._frame_calls.append(call)
        self._at_frames[frame] = call.address

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
        single, (q_, v_) = self._states("frame_jacobian_rate", q=q, v=v)
        J = self._reduced(self._jacobian_rates(frame, q_, v_, "frame_jacobian_rate"))
        return J[0] if single else J

    def _jacobian_rates(self, frame: str, q: Floats, v: Floats, verb: str) -> Floats:
        """Return dJ/dt (N, 6, rates of the tree) of a frame."""
        i, s, _ = self._frame(frame, verb)
        J = np.zeros((len(q), self.width, self._tree_nv))
        if i >= 0:
            frame_jacobian_rates(self._d, self._at_model, self._at_scratch, i, s, q, v, J)
        return J

    def frame_velocity(self, frame: str, q: Any, v: Any) -> Floats:
        """Return velocity of a frame's point and angular velocity, in ground axes, (6) or (N, 6), planar three."""
        single, (q_, v_) = self._states("frame_velocity", q=q, v=v)
        out = np.einsum("kij,kj->ki", self._jacobians(frame, q_, "frame_velocity"), v_)
        return out[0] if single else np.asarray(out)

    def frame_acceleration(self, frame: str, q: Any, v: Any, a: Any) -> Floats:
        """Return acceleration of a frame's point and angular acceleration, in ground axes, (6) or (N, 6), planar three."""
        single, (q_, v_, a_) = self._states("frame_acceleration", q=q, v=v, a=a)
        out = np.einsum("kij,kj->ki", self._jacobians(frame, q_, "frame_acceleration"), a_)
        out += np.einsum("kij,kj->ki", self._jacobian_rates(frame, q_, v_, "frame_acceleration"), v_)
        return out[0] if single else np.asarray(out)

    def _frame(self, frame: str, verb: str) -> tuple[int, Floats, Floats]:
        """Return the link of a frame (−1: the ground), its point from the center of mass and its axes, in body axes."""
        if not isinstance(frame, str):
            hint = "write its body and name, such as link7.tip, or a body for its origin"
            raise ModelError(f"{short(frame)} is not a frame", where=f"robot.{verb}", hint=hint)
        body, name = self.model.find_end(frame, f"robot.{verb}")
        point, axes = self.tables.frames[body, name]
        number = self.tables.bodies.index(body)
        i = self.tree.position[number] if number else -1
        return i, self.tables.vector(point).copy(), self.tables.matrix(axes)
