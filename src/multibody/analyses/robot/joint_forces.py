"""Forces of a robot's joints: all by recursive Newton–Euler, or named ones from equations that are formed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from multibody.analyses.robot.base import RobotBase
from multibody.arguments import answered, short
from multibody.errors import ModelError
from multibody.kernels.robot.reactions import (
    form_equations,
    forward_reactions,
    joint_reactions,
    selected_effort,
    selected_reactions,
)
from multibody.kernels.tags import ALONE
from multibody.model.names import unknown
from multibody.state.system import Floats, Integers


@answered
class ReactionMethods(RobotBase):
    """What can be asked about the forces of joints."""

    def reactions(
        self, q: Any, v: Any, a: Any, joints: str | Sequence[str] | None = None, *, drives: bool = False, t: float = 0.0
    ) -> Floats:
        """Return the wrench of joints on their second body, at the origin of the second frame, in ground axes.

        Everything is computed anew by recursive Newton–Euler; where the equations of a state are formed anyway,
        :meth:`equations` gives the forces of single joints for less.

        Parameters
        ----------
        q : array (nq) or (N, nq)
        v, a : array (nv) or (N, nv)
        joints : str or list of str, optional
            Default all, in the order of ``robot.joints``.
        drives : bool
            Add the efforts of :meth:`inverse_dynamics` along the joint's coordinates.
        t : float
            Time, for forces that depend on it.

        Returns
        -------
        array (joints, 6) or (N, joints, 6)
            Force, then moment; planar (…, 3). Without the axis of joints where `joints` is one name.
        """
        which = self._which(joints)
        single, (q_, v_, a_) = self._states("reactions", q=q, v=v, a=a)
        out, at = np.empty((len(q_), len(which), self.width)), self._time(t, "reactions")
        joint_reactions(self._d, self._acted, *self._arrays.run, at, self._turns, which, int(drives), q_, v_, a_, out)
        out = out[:, 0] if isinstance(joints, str) else out
        return np.asarray(out[0] if single else out)

    def forward_reactions(
        self, q: Any, v: Any, tau: Any, joints: str | Sequence[str] | None = None, *, drives: bool = False, t: float = 0.0
    ) -> tuple[Floats, Floats]:
        """Return the accelerations of :meth:`forward_dynamics`, and with them the wrenches of named joints.

        The wrenches come from what the forward dynamics made on its way: a joint costs a small part of what recursive
        Newton–Euler takes for all of them.

        Parameters
        ----------
        q : array (nq) or (N, nq)
        v, tau : array (nv) or (N, nv)
        joints, drives, t
            As for :meth:`reactions`.

        Returns
        -------
        a : array (nv) or (N, nv)
        wrenches : array (joints, 6) or (N, joints, 6)
            As of :meth:`reactions`.
        """
        which = self._which(joints)
        single, (q_, v_, tau_) = self._states("forward_reactions", q=q, v=v, tau=tau)
        a, out = np.empty_like(v_), np.empty((len(q_), len(which), self.width))
        if self._acted or self._coupling is not None:
            a = self.forward_dynamics(q, v, tau_, t=t).reshape(len(q_), -1)  # type: ignore[attr-defined]
            out[:] = self.reactions(q, v, a, self.joints if joints is None else _list(joints), drives=drives, t=t)
        else:
            column = int(
                forward_reactions(self._d, self._at_model, self._at_scratch, which, int(drives), q_, v_, tau_, a, out)
            )
            if column >= 0:
                raise self._massless(self._columns.columns[column].name)  # type: ignore[attr-defined]
        out = out[:, 0] if isinstance(joints, str) else out
        return (a[0], out[0]) if single else (a, out)

    def equations(self, q: Any, v: Any, t: float = 0.0) -> Equations:
        """Form the equations of motion of one state, M a + bias = τ, and keep what they are made of.

        Parameters
        ----------
        q : array (nq)
        v : array (nv)
        t : float
            Time, for forces that depend on it.

        Returns
        -------
        Equations
        """
        return Equations(self, q, v, t)

    def _which(self, joints: str | Sequence[str] | None) -> Integers:
        """Return the links of named joints, each with 1 where it is the joint's first body."""
        names = list(self.joints) if joints is None else _list(joints)
        number = {link.joint: i for i, link in enumerate(self.tree.links) if link.joint}
        for name in names:
            if not isinstance(name, str) or name not in number:
                raise unknown("joint", str(name), self.joints, "robot.reactions")
        rows = [(number[name], int(self.tree.links[number[name]].reversed)) for name in names]
        return np.array(rows, dtype=np.int64).reshape(-1, 2)


def _list(joints: str | Sequence[str]) -> list[str]:
    """Return one or several names as a list."""
    if isinstance(joints, str):
        return [joints]
    if not isinstance(joints, Sequence):
        raise ModelError(f"joints are {short(joints)}", where="robot.reactions", hint="give a name or a list of names")
    return list(joints)


@answered
class Equations:
    """The equations of motion of one state, and the joint forces that follow from what they are made of.

    Forming them sums inertias and forces of subtrees; the wrench of one joint is then a few products, whatever the others
    are (Kim, You 1996, eqs. (30), (31), (36)).

    Attributes
    ----------
    mass_matrix : array (nv, nv)
    bias : array (nv)
        M a + bias = τ.
    """

    def __init__(self, robot: ReactionMethods, q: Any, v: Any, t: float) -> None:
        robot._refuse_large()  # type: ignore[attr-defined]
        single, (q_, v_) = robot._states("equations", q=q, v=v)
        if not single:
            raise ModelError("equations are of one state", where="robot.equations", hint="give q (nq,) and v (nv,)")
        self.robot, n = robot, robot._tree_nv
        self._tree = robot._tree.changed(acted=int(robot._acted is not ALONE)).working()
        self._arrays = robot._arrays_of(self._tree)
        self._at_model, self._at_formed = self._arrays.still  # its own: what the equations are made of stays there
        self.mass_matrix, self.bias, at = np.empty((n, n)), np.empty(n), robot._time(t, "equations")
        form_equations(
            robot._d, robot._acted, *self._arrays.run, at, robot._turns, q_[0], v_[0], self.mass_matrix, self.bias
        )
        if robot._coupling is not None:
            self.mass_matrix, self.bias = robot._coupling.matrix(self.mass_matrix), robot._coupling.efforts(self.bias)

    def accelerations(self, tau: Any) -> Floats:
        """Return a of M a + bias = τ, (nv)."""
        single, (tau_,) = self.robot._states("accelerations", tau=tau)
        if not single:
            raise ModelError("tau is not one state", where="equations.accelerations", hint=f"it is ({self.robot.nv},)")
        try:
            return np.asarray(cho_solve(cho_factor(self.mass_matrix), tau_[0] - self.bias))
        except LinAlgError:
            raise ModelError(
                "the mass matrix is singular", where="equations", hint="give every body that ends a chain a mass"
            ) from None

    def reactions(self, a: Any, joints: str | Sequence[str] | None = None, *, drives: bool = False) -> Floats:
        """Return the wrench of joints on their second body for the accelerations a, by eqs. (30) and (31).

        Parameters
        ----------
        a : array (nv)
        joints : str or list of str, optional
            Only these are computed. Default all.
        drives : bool
            Add the efforts along the joint's coordinates.

        Returns
        -------
        array (joints, 6)
            As of :meth:`Robot.reactions`.
        """
        robot = self.robot
        which, (_, (a_,)) = robot._which(joints), robot._states("equations", a=a)
        out = np.empty((len(which), robot.width))
        selected_reactions(robot._d, self._at_model, self._at_formed, which, int(drives), a_[0], out)
        return out[0] if isinstance(joints, str) else out

    def driving_force(self, a: Any, joint: str) -> Floats:
        """Return the efforts along the coordinates of one joint for the accelerations a, by eq. (36)."""
        robot = self.robot
        _, (a_,) = robot._states("equations", a=a)
        i = robot._link(joint)
        out = np.empty(int(self._tree.model.links[i].count))
        selected_effort(robot._d, self._at_model, self._at_formed, i, a_[0], out)
        return out
