"""Operational space: the inertia that a frame shows, the dynamically consistent inverse of its Jacobian, and its null space.

O. Khatib, A unified approach for motion and force control of robot manipulators: the operational space formulation (1987).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from multibody.analyses.robot.frames import FrameMethods
from multibody.analyses.robot.reached import SINGULAR, direction_words
from multibody.arguments import answered, short
from multibody.errors import ModelError
from multibody.state.system import Floats

WHERE = "robot.operational_space"


@answered
class OperationalSpace:
    """What a frame shows of the robot's inertia; made by :meth:`multibody.Robot.operational_space`.

    All arrays have N before their shape where N states were given. Rows are velocity of the frame's point, then angular
    velocity, in ground axes, or the part of them that was asked for.

    Attributes
    ----------
    jacobian : array (rows, nv)
    mobility : array (rows, rows)
        J M⁻¹ Jᵀ: the acceleration of the frame for a force on it.
    inverse : array (nv, rows)
        M⁻¹ Jᵀ Λ, the dynamically consistent inverse J̄ of J; J J̄ = 1 but for lost directions.
    projector : array (nv, nv)
        N = 1 − J̄ J. Efforts Nᵀ τ do not accelerate the frame.
    lost : array (k, rows), or list of N of them
        Directions in which the frame cannot move.
    """

    def __init__(self, frame: str, J: Floats, M: Floats, along: Floats, dimension: int, single: bool) -> None:
        self._frame, self._d, self._single = frame, dimension, single
        X = np.linalg.solve(M, J.transpose(0, 2, 1))  # M⁻¹ Jᵀ
        mobility = J @ X
        mobility = 0.5 * (mobility + mobility.transpose(0, 2, 1))
        values, vectors = np.linalg.eigh(along[:, None] * mobility * along)
        largest = np.maximum(values[:, -1:], np.finfo(float).tiny)
        self._weak = values < SINGULAR**2 * largest
        per = np.where(self._weak, 0.0, 1.0 / np.where(self._weak, 1.0, values))
        scaled = along[None, :, None] * vectors
        self._inertia = (scaled * per[:, None, :]) @ scaled.transpose(0, 2, 1)
        self._lost = [s[:, weak].T / np.linalg.norm(s[:, weak].T, axis=1, keepdims=True)
                      for s, weak in zip(scaled, self._weak, strict=True)]  # fmt: skip
        inverse = X @ self._inertia
        projector = np.eye(M.shape[1]) - inverse @ J
        self.jacobian, self.mobility, self.inverse, self.projector = (
            np.asarray(x[0] if single else x) for x in (J, mobility, inverse, projector)
        )
        self.lost: Any = self._lost[0] if single else self._lost

    def __repr__(self) -> str:
        """Return a line for people."""
        lost = sum(len(x) for x in self._lost)
        less = f", {lost} directions lost" if lost else ""
        return f"<operational space of {self._frame}: {self.jacobian.shape[-2]} rows{less}>"

    @property
    def singular(self) -> Any:
        """Whether a direction is lost: True or False, or (N) of them."""
        return bool(self._weak.any()) if self._single else self._weak.any(axis=1)

    @property
    def inertia(self) -> Floats:
        """Λ = (J M⁻¹ Jᵀ)⁻¹ (rows, rows): force of the frame for an acceleration; refused where a direction is lost."""
        for k, lost in enumerate(self._lost):
            if len(lost):
                state = "" if self._single else f"state {k}: "
                direction = direction_words(lost[0], self._d)
                raise ModelError(
                    f"{state}{self._frame} cannot move along {direction}, its inertia is infinite there",
                    where=WHERE, hint='take `mobility`, or part="position" or "rotation"',
                )  # fmt: skip
        return np.asarray(self._inertia[0] if self._single else self._inertia)


@answered
class OperationalMethods(FrameMethods):
    """What can be asked about the inertia that a frame shows."""

    def operational_space(self, frame: str, q: Any, part: str = "pose") -> OperationalSpace:
        """Return inertia, consistent inverse and null space of a frame.

        Parameters
        ----------
        frame : str
        q : array (nq) or (N, nq)
        part : {"pose", "position", "rotation"}
            Which rows of the Jacobian: all, the velocity of the frame's point, or its angular velocity.

        Returns
        -------
        OperationalSpace
        """
        d, n = self.dimension, self.width
        parts = {"pose": slice(0, n), "position": slice(0, d), "rotation": slice(d, n)}
        if part not in parts:
            raise ModelError(f"part is {short(part)}", where=WHERE, hint='it is "pose", "position" or "rotation"')
        single, _ = self._states("operational_space", q=q)
        rows = np.atleast_2d(np.asarray(q, dtype=np.float64))
        J = self.frame_jacobian(frame, rows)[:, parts[part], :]
        M = self.mass_matrix(rows)  # type: ignore[attr-defined]
        self._require_definite(M)
        along = np.where(np.arange(n) < d, 1.0 / self.tables.length, 1.0)[parts[part]]
        return OperationalSpace(frame, J, M, along, self.dimension, single)

    def _require_definite(self, M: Floats) -> None:
        """Raise where a coordinate moves no mass."""
        still = np.argwhere(~(np.einsum("kii->ki", M) > 0.0))
        if still.size:
            raise self._massless(self.rates[int(still[0][1])])  # type: ignore[attr-defined]
