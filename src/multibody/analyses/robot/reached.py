"""What inverse kinematics answers: solutions, which is nearest, what is singular, and how near it comes where there is none."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from multibody.arguments import answered, short
from multibody.errors import ModelError
from multibody.state.system import Floats, Integers

if TYPE_CHECKING:
    from multibody.analyses.robot.reaching import ReachMethods

SINGULAR = 1e-6  # smallest over largest singular value of the scaled Jacobian, below which a direction is lost
WHERE = "robot.inverse_kinematics"


@answered
class Reached:
    """The coordinates at which a frame is at its target; made by :meth:`multibody.Robot.inverse_kinematics`.

    Attributes
    ----------
    solutions : array (k, nq)
        Different solutions within limits, nearest to the start first; whole turns of an angle make no difference.
    errors : array (k)
        What is left of the pose, in radians and characteristic lengths of the model.
    reached : bool
        Whether there is a solution.
    every : bool
        Whether these are all solutions: in closed form they are.
    nearest : array (nq)
        The first solution, or what comes nearest to the target where there is none.
    """

    def __init__(
        self, robot: ReachMethods, frame: str, target: Floats, rows: int, moving: Integers, found: tuple[Any, ...]
    ) -> None:
        self._robot, self._frame, self._target, self._rows, self._moving = robot, frame, target, rows, moving
        self.solutions, self.errors, self.nearest, self.every = found
        self.reached = len(self.solutions) > 0

    def __len__(self) -> int:
        """Return the number of solutions."""
        return len(self.solutions)

    def __repr__(self) -> str:
        """Return a line for people."""
        if self.reached:
            many = "1 solution" if len(self) == 1 else f"{len(self)} solutions"
            return f"<{self._frame}: {many}{'' if self.every else ', perhaps not all'}>"
        return f"<{self.words}>"

    @property
    def q(self) -> Floats:
        """The solution nearest to the start (nq)."""
        if not self.reached:
            raise ModelError(self.words, where=WHERE, hint="its `nearest` is what comes nearest; `gap` says how near")
        return np.asarray(self.solutions[0])

    @cached_property
    def gap(self) -> tuple[float, float]:
        """Distance [length] and angle [rad] that are left at `nearest`."""
        r, A = self._robot.frame_pose(self._frame, self.nearest)
        d = len(r)
        R = self._target[d:].reshape(d, d) @ A.T
        if self._rows == d:
            return float(np.linalg.norm(self._target[:d] - r)), 0.0
        sine = [R[1, 0]] if d == 2 else [R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]
        cosine = R[0, 0] if d == 2 else np.trace(R) - 1.0
        return float(np.linalg.norm(self._target[:d] - r)), float(np.arctan2(np.linalg.norm(sine), cosine))

    @property
    def words(self) -> str:
        """What there is to say: how far a target is out of reach, or which direction a singular solution has lost."""
        robot, unit = self._robot, self._robot.model.units.names["length"]
        if not self.reached:
            distance, angle = self.gap
            turned = f" and {angle:.6g} rad" if self._rows > robot.dimension else ""
            return f"{self._frame} does not reach the target: the nearest pose found is {distance:.6g} {unit}{turned} away"
        lines = []
        for k, directions in enumerate(self.lost):
            for x in directions:
                lines.append(f"solution {k} is singular: {self._frame} cannot move along {direction_words(x, robot.dimension)}")
        return "\n".join(lines)

    @cached_property
    def lost(self) -> list[Floats]:
        """For each solution the directions (j, rows) in which the frame cannot move: velocity, angular velocity, in ground."""
        return [self._lost(q) for q in self.solutions]

    @property
    def singular(self) -> list[bool]:
        """Whether each solution is singular: it has lost a direction that other positions have."""
        return [len(directions) > 0 for directions in self.lost]

    def _lost(self, q: Floats) -> Floats:
        """Return the directions lost at q."""
        robot, length = self._robot, self._robot.tables.length
        return lost_directions(robot.frame_jacobian(self._frame, q)[: self._rows, self._moving], robot, self._moving, length)


def lost_directions(J: Floats, robot: ReachMethods, moving: Integers, length: float) -> Floats:
    """Return the directions (j, rows), unit vectors in which velocities count in characteristic lengths, that J cannot make."""
    rows = J.shape[0]
    along = np.where(np.arange(rows) < robot.dimension, 1.0 / length, 1.0)
    sizes = np.where(robot.are_lengths[moving], length, 1.0)
    U, s, _ = np.linalg.svd(along[:, None] * J * sizes)
    usual = min(rows, J.shape[1])
    weak = s < SINGULAR * max(float(s[0]) if s.size else 0.0, np.finfo(float).tiny)
    return np.asarray(U[:, :usual].T[weak] * along / np.linalg.norm(U[:, :usual].T[weak] * along, axis=1, keepdims=True))


def direction_words(x: Floats, d: int) -> str:
    """Return a direction in words."""
    x = np.where(np.abs(x) < 1e-9, 0.0, x)
    velocity = ", ".join(f"{c:.3g}" for c in x[:d])
    turning = ", ".join(f"{c:.3g}" for c in x[d:])
    if not np.any(x[d:]):
        return f"({velocity})"
    return f"({turning}) as an angular velocity" if not np.any(x[:d]) else f"({velocity}) with the angular velocity ({turning})"


@answered
class ReachedMany:
    """Several targets; made by :meth:`multibody.Robot.inverse_kinematics`. ``many[k]`` is the answer for one of them.

    Attributes
    ----------
    reached : array (N) of bool
    counts : array (N) of int
        Numbers of solutions.
    nearest : array (N, nq)
        As of one target.
    """

    def __init__(self, single: list[Reached]) -> None:
        self._single = single
        self.reached = np.array([one.reached for one in single], dtype=bool)
        self.counts = np.array([len(one) for one in single], dtype=np.int64)
        self.nearest = np.array([one.nearest for one in single])

    def __len__(self) -> int:
        """Return the number of targets."""
        return len(self._single)

    def __iter__(self) -> Iterator[Reached]:
        """Go through the targets."""
        return iter(self._single)

    def __getitem__(self, k: int) -> Reached:
        """Return the answer for one target."""
        if not isinstance(k, int | np.integer) or not -len(self) <= k < len(self):
            raise ModelError(f"there is no target {short(k)}", where=WHERE, hint=f"there are {len(self)}, from 0")
        return self._single[k]

    def __repr__(self) -> str:
        """Return a line for people."""
        return f"<{len(self)} targets, {int(self.reached.sum())} reached>"

    @property
    def q(self) -> Floats:
        """The solutions nearest to the starts (N, nq)."""
        for k, one in enumerate(self._single):
            if not one.reached:
                raise ModelError(f"target {k}: {one.words}", where=WHERE, hint="`reached` tells which are, `nearest` the best")
        return self.nearest
