"""Inverse dynamics, forward dynamics and mass matrix of a tree, for one state or many in one call."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from multibody.analyses.robot import entrances
from multibody.analyses.robot.base import RobotBase
from multibody.analyses.robot.centroidal import CentroidalMethods
from multibody.analyses.robot.identification import IdentificationMethods
from multibody.analyses.robot.joint_forces import ReactionMethods
from multibody.analyses.robot.operational import OperationalMethods
from multibody.analyses.robot.reaching import ReachMethods
from multibody.analyses.robot.trajectory import Trajectory, trajectory
from multibody.arguments import answered, quick
from multibody.errors import ModelError
from multibody.kernels.robot.applied import applied_forces
from multibody.kernels.robot.dynamics import forward_at, forward_dynamics, inverse_at, inverse_dynamics, mass_at, mass_matrices
from multibody.kernels.robot.entrance import prepared
from multibody.kernels.robot.joint_laws import forward_with_laws, inverse_with_laws, joint_law_efforts
from multibody.state.system import Floats

# for one state, without and with laws along the coordinates
_INVERSE = inverse_at, inverse_with_laws
_FORWARD = forward_at, forward_with_laws


@answered
class Robot(ReachMethods, OperationalMethods, IdentificationMethods, CentroidalMethods, ReactionMethods, RobotBase):
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

    _bare: tuple[str, ...] = ("inverse_dynamics", "forward_dynamics", "mass_matrix")  # they answer by themselves: ``entrances``
    _inverse_one: Any = None  # kernels for one state, once they are compiled; none where bodies have to be found for forces
    _forward_one: Any = None
    _mass_one: Any = None

    # --- along a path --------------------------------------------------------------------------------------------------
    def trajectory(
        self, points: Any, times: Any = None, kind: str = "quintic", *, vmax: Any = None, amax: Any = None, start: float = 0.0
    ) -> Trajectory:
        """Return a trajectory from rest to rest through points of the robot's coordinates, as :func:`multibody.trajectory`.

        Parameters
        ----------
        points : array (K, nq)
            Such as solutions of :meth:`inverse_kinematics`.
        times : array (K), optional
            When it is there. Default: as early as vmax and amax allow.
        kind : {"quintic", "cubic", "trapezoidal"}
        vmax, amax : float, array (nq) or mapping of joints, optional
            Limits of speed and acceleration.
        start : float
            Time at the first point, where no times are given.
        """
        if self.nq != self.nv:
            ball = next(name for name in self.coordinates if ".quaternion." in name).partition(".")[0]
            raise ModelError(
                f"{ball} turns by a quaternion, which is no path of coordinates", where="robot.trajectory",
                hint="give multibody.trajectory the coordinates of the other joints",
            )  # fmt: skip
        _, (q,) = self._states("trajectory", q=points)
        return trajectory(self._left(q), times, kind, vmax=vmax, amax=amax, names=self.coordinates, start=start)

    # --- inverse dynamics ---------------------------------------------------------------------------------------------
    @quick(entrances.inverse)
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
        single, (q_, v_, a_) = self._states("inverse_dynamics", q=q, v=v, a=a)
        tau = self._result("inverse_dynamics", out, (self.nv,) if single else (len(q_), self.nv))
        if single and self._coupling is None and self._inverse_one is None:
            self._inverse_one = self._straight(_INVERSE, (), q_[0], v_[0], a_[0], tau)
        of_tree = tau.reshape(v_.shape) if self._coupling is None else np.empty_like(v_)
        inverse_dynamics(self._d, self._at_model, self._at_scratch, q_, v_, a_, of_tree)
        if self._acted:
            of_tree -= self._applied(q_, v_, t)
        if self._coupling is not None:
            tau[...] = self._reduced(of_tree).reshape(tau.shape)
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
        zero, out = np.zeros((len(q_), self._tree_nv)), np.empty((len(q_), self._tree_nv))
        inverse_dynamics(self._d, self._at_model, self._at_scratch, q_, zero, zero, out)
        out = self._reduced(out)
        return out[0] if single else out

    def coriolis(self, q: Any, v: Any) -> Floats:
        """Return the Coriolis and centrifugal terms C(q, v) v, without gravity, (nv) or (N, nv)."""
        single, (q_, v_) = self._states("coriolis", q=q, v=v)
        out = np.empty_like(v_)
        inverse_dynamics(self._d, *self._weightless.still, q_, v_, np.zeros_like(v_), out)
        out = self._reduced(out)
        return out[0] if single else out

    def applied(self, q: Any, v: Any, t: float = 0.0) -> Floats:
        """Return what springs, dampers, efforts and loads of the model do along the coordinates, (nv) or (N, nv)."""
        single, (q_, v_) = self._states("applied", q=q, v=v)
        out = self._reduced(self._applied(q_, v_, t))
        return out[0] if single else out

    def _straight(self, kernels: Any, work: tuple[Floats, ...], *state: Floats) -> Any:
        """Return the kernel for one state, None where what acts is more than laws along the coordinates."""
        if not self._acted:
            return prepared(kernels[0], self._at_model, self._at_scratch, *state)
        if self._joint_laws is None:
            return None
        first = self._joint_laws.address, *work
        return partial(prepared(kernels[1], *first, self._at_model, self._at_scratch, *state), *first)

    def _applied(self, q: Floats, v: Floats, t: float) -> Floats:
        out = np.zeros_like(v)
        if self._joint_laws is not None:
            self._time(t, "applied")
            joint_law_efforts(self._joint_laws.address, self._at_model, q, v, out)
        elif self._acted:
            applied_forces(self._d, *self._arrays.run, self._time(t, "applied"), self._turns, q, v, out)
        return out

    # --- forward dynamics ---------------------------------------------------------------------------------------------
    @quick(entrances.forward)
    def forward_dynamics(self, q: Any, v: Any, tau: Any, out: Any = None, t: float = 0.0) -> Floats:
        """Return the accelerations under efforts tau along all coordinates and the model's own forces.

        Parameters
        ----------
        q : array (nq) or (N, nq)
        v, tau : array (nv) or (N, nv)
        out : array, optional
            As for :meth:`inverse_dynamics`.
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
        single, (q_, v_, tau_) = self._states("forward_dynamics", q=q, v=v, tau=tau)
        a = self._result("forward_dynamics", out, (self.nv,) if single else (len(q_), self.nv))
        if self._coupling is not None:
            a[...] = self._coupled_accelerations(q_, v_, tau_, t).reshape(a.shape)
            return a
        if single and self._forward_one is None:
            self._forward_one = self._straight(_FORWARD, (np.empty(self.nv),), q_[0], v_[0], tau_[0], a)
        if self._acted:
            tau_ = tau_ + self._applied(q_, v_, t)
        column = int(forward_dynamics(self._d, self._at_model, self._at_scratch, q_, v_, tau_, a[None] if single else a))
        if column >= 0:
            raise self._massless(self._columns.columns[column].name)
        return a

    def _coupled_accelerations(self, q: Floats, v: Floats, tau: Floats, t: float) -> Floats:
        """Return z̈ of Gᵀ M G z̈ = τ − Gᵀ b from states of the tree."""
        self._refuse_large()
        bias, M = np.empty_like(v), np.empty((len(q), self._tree_nv, self._tree_nv))
        inverse_dynamics(self._d, self._at_model, self._at_scratch, q, v, np.zeros_like(v), bias)
        mass_matrices(self._d, self._at_model, self._at_scratch, q, M)
        if self._acted:
            bias -= self._applied(q, v, t)
        assert self._coupling is not None
        M, right = self._coupling.matrix(M), tau - self._reduced(bias)
        scale = np.sqrt(np.maximum(np.einsum("kii->ki", M), 0.0))
        if not np.all(scale > 0.0):
            raise self._massless(self.rates[int(np.argwhere(~(scale > 0.0))[0][1])])
        try:
            np.linalg.cholesky(M / scale[:, :, None] / scale[:, None, :])
        except np.linalg.LinAlgError:
            raise self._massless(self.rates[int(np.argmin(scale[0]))]) from None
        return np.asarray(np.linalg.solve(M, right[..., None])[..., 0])

    def _massless(self, name: str) -> ModelError:
        """Return the error for a coordinate that moves no mass, with the name of its body."""
        column = next(column for column in self._columns.columns if column.name == name)
        return ModelError(
            f"{name} moves no mass, so that its acceleration is not determined",
            where=f"bodies.{self.bodies[column.link]}", hint="give the body a mass and an inertia about that axis",
        )  # fmt: skip

    # --- mass matrix --------------------------------------------------------------------------------------------------
    @quick(entrances.mass)
    def mass_matrix(self, q: Any, out: Any = None) -> Floats:
        """Return the mass matrix M(q) over the rates.

        Parameters
        ----------
        q, out
            As for :meth:`inverse_dynamics`.

        Returns
        -------
        array (nv, nv) or (N, nv, nv)
            Symmetric; the kinetic energy is ½ vᵀ M v.
        """
        self._refuse_large()
        single, (q_,) = self._states("mass_matrix", q=q)
        n = self.nv
        M = self._result("mass_matrix", out, (n, n) if single else (len(q_), n, n))
        if self._coupling is not None:
            of_tree = np.empty((len(q_), self._tree_nv, self._tree_nv))
            mass_matrices(self._d, self._at_model, self._at_scratch, q_, of_tree)
            M[...] = self._coupling.matrix(of_tree).reshape(M.shape)
            return M
        if single and self._mass_one is None:
            self._mass_one = prepared(mass_at, self._at_model, self._at_scratch, q_[0], M)
        mass_matrices(self._d, self._at_model, self._at_scratch, q_, M[None] if single else M)
        return M

    def _refuse_large(self) -> None:
        """Raise where the mass matrix would be too large."""
        if not self._dense:
            raise ModelError(
                f"a mass matrix of {self.nv} rates is too large", where="robot.mass_matrix",
                hint="inverse_dynamics and forward_dynamics need none",
            )  # fmt: skip

