"""Inverse dynamics, forward dynamics and mass matrix of a tree, for one state or many in one call."""

from __future__ import annotations

from typing import Any

import numpy as np

from multibody.analyses.robot.base import RobotBase
from multibody.analyses.robot.centroidal import CentroidalMethods
from multibody.analyses.robot.frames import FrameMethods
from multibody.analyses.robot.joint_forces import ReactionMethods
from multibody.arguments import answered
from multibody.errors import ModelError
from multibody.kernels.robot.applied import applied_forces
from multibody.kernels.robot.dynamics import (
    forward_dynamics,
    forward_planar,
    forward_spatial,
    inverse_dynamics,
    inverse_planar,
    inverse_spatial,
    mass_matrices,
    mass_planar,
    mass_spatial,
)
from multibody.kernels.robot.entrance import prepared
from multibody.state.system import Floats


@answered
class Robot(FrameMethods, CentroidalMethods, ReactionMethods, RobotBase):
    """A tree of bodies as roboticists ask about it; made by :meth:`Model.robot`.

    Every method takes one state, q (nq,) and v (nv,), or N of them, (N, nq) and (N, nv), and returns arrays without or with
    that first axis. Units are the model's. Motions of the model are ignored: q, v and a are given. A robot has a workspace of
    its own; two threads take two robots.

    Attributes
    ----------
    model : Model
    nq, nv : int
        Numbers of coordinates and of rates; they differ where there are quaternions.
    coordinates, rates : list of str
        Their names in order, ``joint1.angle``; ``ball.quaternion.w`` and ``ball.omega.x`` for rotations in space.
    joints, bodies : list of str
        In the order of the tree, what carries before what is carried.
    q0, neutral : array (nq)
        The model's own start, and all coordinates zero.

    Notes
    -----
    Coordinates are those of the joints. The rotation of a spherical or free joint, and of a body that hangs on no joint, is a
    unit quaternion (scalar first) of the body relative to what carries it; its rate is the relative angular velocity along the
    axes of the carrier's end. Others than unit quaternions are made unit.
    """

    _bare = ("inverse_dynamics", "forward_dynamics", "mass_matrix")  # as quick as can be: Python answers wrong arguments
    _inverse_one: Any = None  # entrances for one state, once they are compiled; never where the model has forces of its own
    _forward_one: Any = None
    _mass_one: Any = None

    # --- inverse dynamics ---------------------------------------------------------------------------------------------
    def inverse_dynamics(self, q: Any, v: Any, a: Any, out: Any = None, t: float = 0.0) -> Floats:
        """Return the efforts along all coordinates that the accelerations a need.

        Springs, dampers, efforts and loads of the model help: the result is what is needed beside them.

        Parameters
        ----------
        q : array (nq) or (N, nq)
        v, a : array (nv) or (N, nv)
        out : array, optional
            Where the result is written. With one state and contiguous arrays of floats this is the fastest call.
        t : float
            Time, for forces that depend on it.

        Returns
        -------
        array (nv) or (N, nv)
            Forces along slides, moments along angles.
        """
        one = self._inverse_one
        if one is not None and (out is not None or _is_row(q)):
            try:
                tau = np.empty(self.nv) if out is None else out
                if one(self._at_model, self._at_scratch, q, v, a, tau):
                    return tau
            except (TypeError, ValueError):
                pass
        single, (q_, v_, a_) = self._states("inverse_dynamics", q=q, v=v, a=a)
        tau = self._result("inverse_dynamics", out, (self.nv,) if single else v_.shape)
        if single and not self._acted and one is None:
            self._inverse_one = prepared(
                inverse_spatial if self.dimension == 3 else inverse_planar,
                self._at_model,
                self._at_scratch,
                q_[0],
                v_[0],
                a_[0],
                tau,
            )
        inverse_dynamics(self._d, self._at_model, self._at_scratch, q_, v_, a_, tau[None] if single else tau)
        if self._acted:
            tau -= self._applied(q_, v_, t).reshape(tau.shape)
        return tau

    def bias(self, q: Any, v: Any, t: float = 0.0) -> Floats:
        """Return what is left of the inverse dynamics at a = 0: Coriolis and gravity terms, less the model's own forces.

        Parameters
        ----------
        q : array (nq) or (N, nq)
        v : array (nv) or (N, nv)
        t : float

        Returns
        -------
        array (nv) or (N, nv)
            M a + bias = τ.
        """
        return self.inverse_dynamics(q, v, np.zeros(self.nv), t=t)

    def gravity(self, q: Any) -> Floats:
        """Return the efforts that hold the weights at rest, (nv) or (N, nv)."""
        single, (q_,) = self._states("gravity", q=q)
        zero, out = np.zeros((len(q_), self.nv)), np.empty((len(q_), self.nv))
        inverse_dynamics(self._d, self._at_model, self._at_scratch, q_, zero, zero, out)
        return out[0] if single else out

    def coriolis(self, q: Any, v: Any) -> Floats:
        """Return the Coriolis and centrifugal terms C(q, v) v, without gravity, (nv) or (N, nv)."""
        single, (q_, v_) = self._states("coriolis", q=q, v=v)
        out = np.empty_like(v_)
        inverse_dynamics(self._d, *self._weightless.still, q_, v_, np.zeros_like(v_), out)
        return out[0] if single else out

    def applied(self, q: Any, v: Any, t: float = 0.0) -> Floats:
        """Return what springs, dampers, efforts and loads of the model do along the coordinates, (nv) or (N, nv)."""
        single, (q_, v_) = self._states("applied", q=q, v=v)
        out = self._applied(q_, v_, t)
        return out[0] if single else out

    def _applied(self, q: Floats, v: Floats, t: float) -> Floats:
        out = np.zeros_like(v)
        if self._acted:
            applied_forces(self._d, *self._arrays.run, float(t), self._turns, q, v, out)
        return out

    # --- forward dynamics ---------------------------------------------------------------------------------------------
    def forward_dynamics(self, q: Any, v: Any, tau: Any, out: Any = None, t: float = 0.0) -> Floats:
        """Return the accelerations under efforts tau along all coordinates and the model's own forces.

        Parameters
        ----------
        q : array (nq) or (N, nq)
        v, tau : array (nv) or (N, nv)
        out : array, optional
            Where the result is written. With one state and contiguous arrays of floats this is the fastest call.
        t : float
            Time, for forces that depend on it.

        Returns
        -------
        array (nv) or (N, nv)

        Raises
        ------
        ModelError
            Where a coordinate moves no mass.
        """
        one = self._forward_one
        if one is not None and (out is not None or _is_row(q)):
            try:
                a = np.empty(self.nv) if out is None else out
                if one(self._at_model, self._at_scratch, q, v, tau, a):
                    return a
            except (TypeError, ValueError):
                pass
        single, (q_, v_, tau_) = self._states("forward_dynamics", q=q, v=v, tau=tau)
        a = self._result("forward_dynamics", out, (self.nv,) if single else v_.shape)
        if single and not self._acted and one is None:
            self._forward_one = prepared(
                forward_spatial if self.dimension == 3 else forward_planar,
                self._at_model,
                self._at_scratch,
                q_[0],
                v_[0],
                tau_[0],
                a,
            )
        if self._acted:
            tau_ = tau_ + self._applied(q_, v_, t)
        column = int(forward_dynamics(self._d, self._at_model, self._at_scratch, q_, v_, tau_, a[None] if single else a))
        if column >= 0:
            raise self._massless(column)
        return a

    def _massless(self, k: int) -> ModelError:
        """Return the error for a coordinate that moves no mass, with the name of its body."""
        column = self._columns.columns[k]
        return ModelError(
            f"{column.name} moves no mass, so that its acceleration is not determined",
            where=f"bodies.{self.bodies[column.link]}", hint="give the body a mass and an inertia about that axis",
        )  # fmt: skip

    # --- mass matrix --------------------------------------------------------------------------------------------------
    def mass_matrix(self, q: Any, out: Any = None) -> Floats:
        """Return the mass matrix M(q) over the rates.

        Parameters
        ----------
        q : array (nq) or (N, nq)
        out : array, optional
            Where the result is written. With one state and contiguous arrays of floats this is the fastest call.

        Returns
        -------
        array (nv, nv) or (N, nv, nv)
            Symmetric; the kinetic energy is ½ vᵀ M v.
        """
        one = self._mass_one
        if one is not None and (out is not None or _is_row(q)):
            try:
                M = np.empty((self.nv, self.nv)) if out is None else out
                if one(self._at_model, self._at_scratch, q, M):
                    return M
            except (TypeError, ValueError):
                pass
        self._refuse_large()
        single, (q_,) = self._states("mass_matrix", q=q)
        n = self.nv
        M = self._result("mass_matrix", out, (n, n) if single else (len(q_), n, n))
        if single and one is None:
            self._mass_one = prepared(
                mass_spatial if self.dimension == 3 else mass_planar, self._at_model, self._at_scratch, q_[0], M
            )
        mass_matrices(self._d, self._at_model, self._at_scratch, q_, M[None] if single else M)
        return M

    def _refuse_large(self) -> None:
        """Raise where the mass matrix would be too large."""
        if not self._dense:
            raise ModelError(
                f"a mass matrix of {self.nv} rates is too large", where="robot.mass_matrix",
                hint="inverse_dynamics and forward_dynamics need none",
            )  # fmt: skip


def _is_row(q: Any) -> bool:
    """Return whether q is an array of one axis."""
    return isinstance(q, np.ndarray) and q.ndim == 1
