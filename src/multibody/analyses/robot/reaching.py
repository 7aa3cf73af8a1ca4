"""Inverse kinematics: from the pose of a frame to coordinates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy import empty

from multibody.analyses.robot.frames import FrameMethods
from multibody.analyses.robot.geometry import Geometry, geometry_of
from multibody.analyses.robot.limits import limits_of
from multibody.analyses.robot.reached import Reached, ReachedMany
from multibody.analyses.robot.targets import Targets, read_targets
from multibody.arguments import answered, number_in, short, truth
from multibody.errors import ModelError
from multibody.kernels.robot.declared import AXES, ITERATED, Reach, ReachRoom
from multibody.kernels.robot.entrance import prepared
from multibody.kernels.robot.geometry import CANDIDATES, SIX, Work
from multibody.kernels.robot.reach import reach_one, reach_planar, reach_spatial
from multibody.kernels.tree import declared as T
from multibody.kernels.vectors import ROW
from multibody.model.names import unknown
from multibody.state.system import Floats, Integers

WHERE = "robot.inverse_kinematics"
MOST = 16  # solutions that are kept
ITERATIONS = 200
RESTARTS = 24
TOLERANCE = 1e-10  # error at which a pose is reached, in radians and characteristic lengths


class Asked(NamedTuple):
    """What a caller may wish."""

    joints: tuple[str, ...] | None
    limits: Any
    every: bool
    restarts: int
    seed: int


class Task:
    """A frame with the coordinates that may move, prepared for the kernel.

    Attributes
    ----------
    block : Reach
    moving : array of int
        Rates that may move, from the ground on.
    every : bool
        Whether all solutions are found.
    """

    def __init__(self, robot: ReachMethods, frame: str, rows: int, asked: Asked) -> None:
        self.robot, self.frame, self.rows, self.asked = robot, frame, rows, asked
        joints = asked.joints
        self.link, self.point, self.axes = robot._frame(frame, "inverse_kinematics")
        if self.link < 0:
            raise ModelError(f"{frame} is on the ground and does not move", where=WHERE, hint="name a frame of a moving body")
        self.moving = self._moving(joints)
        self.held = joints is not None
        low, high = limits_of(robot, asked.limits, WHERE)
        self.lower, self.upper = low[self.moving], high[self.moving]
        self.block = self._block(robot.neutral)
        self.address = self.block.address

    def _moving(self, joints: tuple[str, ...] | None) -> Integers:
        """Return the rates that move the frame and may."""
        robot, columns = self.robot, self.robot._tree.model.columns
        on_path, k = [], int(robot._tree.model.links[self.link].last)
        while k >= 0:
            on_path.append(int(columns[k].rate))
            k = int(columns[k].inner)
        self.path = on_path[::-1]
        G = np.eye(robot.nv) if robot._coupling is None else robot._coupling.G
        moving = [a for a in range(robot.nv) if np.any(G[self.path, a])]
        if joints is not None:
            for name in joints:
                if name not in robot.joints:
                    raise unknown("joint", str(name), robot.joints, WHERE)
            owner = {c.name: robot.tree.links[c.link].joint for c in robot._columns.columns}
            moving = [a for a in moving if owner[robot.rates[a]] in joints]
        if not moving:
            raise ModelError(f"nothing that may move moves {self.frame}", where=WHERE, hint="name joints that carry it")
        return np.array(moving, dtype=np.int64)

    def _block(self, q: Floats) -> Reach:
        """Return the block of the kernel."""
        robot, n = self.robot, self.robot._tree_nv
        model, G = robot._tree.model, np.eye(n) if robot._coupling is None else robot._coupling.G
        self.G = G[:, self.moving]
        names = [robot.rates[a] for a in self.moving]
        column = [robot._tree_rates.index(name) for name in names]
        place = np.array([robot._columns.places[k] for k in column], dtype=np.int64)
        alone = np.array([np.count_nonzero(self.G[:, a]) == 1 for a in range(len(names))])
        turn = np.array([int(model.columns[k].kind) == T.TURN for k in column])
        slide = np.array([int(model.columns[k].kind) == T.SLIDE for k in column])
        self.turns = (turn & alone).astype(np.int64)
        length = float(robot.tables.length)
        count = len(names)
        geometry = self.geometry(q)
        self.every = geometry.how != ITERATED
        r, A = self.at_zero(q)
        room = ReachRoom(
            lower=count, upper=count, J=robot.width * n, Jz=robot.width * count, S=SIX * SIX, error=SIX, step=count, whole=n,
            trial=robot._tree_nq, angles=SIX * (MOST + 1), roots=CANDIDATES, work=Work.size, target=AXES + ROW * ROW,
            q=robot._tree_nq,
        )  # fmt: skip
        return Reach(
            model=int(robot._at_model), scratch=int(robot._at_scratch), link=self.link, point=self.point,
            axes=np.ascontiguousarray(self.axes).ravel(), rows=self.rows, length=length, tolerance=TOLERANCE,
            wanted=MOST if self.asked.every else 1, iterations=ITERATIONS, G=np.ascontiguousarray(self.G).ravel(),
            place=place, turns=self.turns, scale=np.where(slide, length, 1.0), lower=self.lower.copy(), upper=self.upper.copy(),
            how=geometry.how, lines=geometry.lines, zero_point=r, zero_axes=A.ravel(), center=geometry.center,
            shape=geometry.shape, starts=self.starts(), room=room,
        )  # fmt: skip

    def at_zero(self, q: Floats) -> tuple[Floats, Floats]:
        """Return the pose of the frame where the angles that may move are zero."""
        r, A = self.robot.frame_pose(self.frame, self.zero(q))
        return r, np.ascontiguousarray(A)

    def zero(self, q: Floats) -> Floats:
        """Return coordinates q with those that may move set to zero."""
        q = q.copy()
        for a in self.moving:
            name = self.robot.rates[a]
            if name in self.robot.coordinates:
                q[self.robot.coordinates.index(name)] = 0.0
        return q

    def geometry(self, q: Floats) -> Geometry:
        """Return the closed form of the arm, if it has one."""
        own = np.array([row for row in self.G[self.path] if np.any(row)])
        if not self.turns.all() or not np.array_equal(np.sort(own, axis=0), np.sort(np.eye(len(self.moving)), axis=0)):
            return Geometry()
        zero = self.zero(q)
        J = self.robot.frame_jacobian(self.frame, zero)[:, self.moving]
        return geometry_of(J, self.robot.frame_pose(self.frame, zero)[0], self.rows)

    def place_held(self, q: Floats) -> None:
        """Let the lines of a closed form follow the joints that are held at q."""
        geometry = self.geometry(q)
        r, A = self.at_zero(q)
        self.every = geometry.how != ITERATED
        self.block.how = geometry.how
        if geometry.how != ITERATED and len(geometry.lines) == len(self.block.lines):
            self.block.lines[:], self.block.zero_point[:], self.block.zero_axes[:] = geometry.lines, r, A.ravel()
            if robot_is_spatial(r):
                self.block.center[:], self.block.shape[:] = geometry.center, geometry.shape
        else:
            self.block.how, self.every = ITERATED, False

    def starts(self) -> Floats:
        """Return other starts, coordinates of the tree: random, within limits where there are some."""
        robot, count = self.robot, self.asked.restarts
        generator = np.random.default_rng(self.asked.seed)
        q = robot.random(generator, count)
        for a, low, high in zip(self.moving, self.lower, self.upper, strict=True):
            name = robot.rates[a]
            if name in robot.coordinates and np.isfinite(low) and np.isfinite(high):
                q[:, robot.coordinates.index(name)] = generator.uniform(low, high, count)
        return (robot._states("inverse_kinematics", q=q)[1][0] if count else np.empty(0)).ravel()


def robot_is_spatial(r: Floats) -> bool:
    """Return whether a point has three coordinates."""
    return len(r) == 3


@answered
class ReachMethods(FrameMethods):
    """What can be asked about coordinates at which a frame is somewhere."""

    _opened = False  # whether the quick way for one pose is compiled

    def inverse_kinematics(
        self, frame: str, target: Any, *, start: Any = None, limits: Mapping[str, Any] | None = None,
        joints: str | Sequence[str] | None = None, every: bool = False, restarts: int = RESTARTS, seed: int = 0,
    ) -> Any:  # fmt: skip
        """Return the coordinates at which a frame is at a target.

        Arms with six turns of which the last three axes meet, and three turns to a position, have all their solutions found in
        closed form; so have planar arms of two turns to a position and of three to a pose. All others are iterated from the
        start, and from random ones where that does not get there.

        Parameters
        ----------
        frame : str
            ``link6.tip``, or a body for its origin.
        target : array or tuple
            Pose (4, 4), position (3,), or (position, axes (3, 3)); planar pose (3, 3), position (2,), (x, y, angle), or
            (position, axes (2, 2)). N of them have one more axis before. A position leaves the axes free.
        start : array (nq) or (N, nq), optional
            Solutions near it come first; what does not move the frame stays as it is there. Default: the model's own start.
        limits : mapping, optional
            ``{"joint1": (lower, upper)}``, None for no limit. Default: the stops of the model.
        joints : str or list of str, optional
            Joints that may move; the others stay at the start. Default: all that carry the frame.
        every : bool
            Try all starts and return all different solutions that are found, where there is no closed form.
        restarts : int
            Number of random starts.
        seed : int
            Of the random starts.

        Returns
        -------
        Reached or ReachedMany
            The latter for N targets.
        """
        plain = limits is None and joints is None and every is False and restarts == RESTARTS and seed == 0
        task = self._tasks.get((frame, self.width)) if plain and self._opened else None
        if task is not None and isinstance(target, np.ndarray) and self._coupling is None:
            found = self._quick(task, frame, target, start)
            if found is not None:
                return found
        asked = Asked(_names(joints), limits, truth(every, "every", WHERE), _count(restarts, "restarts"), _count(seed, "seed"))
        targets = read_targets(target, self.dimension, WHERE)
        task = self._task(frame, self.width if targets.whole else self.dimension, asked, plain)
        begin = self._starts("inverse_kinematics", self._begin if start is None else start, len(targets.rows))
        if task.held:
            if np.any(begin != begin[0]):
                raise ModelError("joints are held at different starts", where=WHERE, hint="give one start")
            task.place_held(self._left(begin[0]))
        answers = self._solved(task, frame, targets, begin)
        return answers[0] if targets.single else ReachedMany(answers)

    def _quick(self, task: Task, frame: str, target: Any, start: Any) -> Reached | None:
        """Return the answer for one pose as a matrix, None where it does not fit."""
        rows, errors = empty((MOST + 1, self.nq)), empty(MOST)
        try:
            n = reach_one(task.address, self._begin if start is None else start, target, rows, errors)
        except TypeError:
            return None
        if n < 0:
            return None
        d = self.dimension
        whole = np.concatenate([target[:d, d], target[:d, :d].ravel()])
        answer = (rows[:n], errors[:n], rows[0 if n else MOST], task.every and n > 0)
        return Reached(self, frame, whole, self.width, task.moving, answer)

    def _solved(self, task: Task, frame: str, targets: Targets, begin: Floats) -> list[Reached]:
        """Return the answers for targets."""
        count = len(targets.rows)
        solutions, errors = np.empty((count, MOST, self._tree_nq)), np.empty((count, MOST))
        near, counts = begin.copy(), np.empty(count, dtype=np.int64)
        kernel: Any = reach_spatial if self.dimension == 3 else reach_planar
        kernel(task.address, begin, targets.rows, solutions, errors, near, counts)
        if self.dimension == 3 and targets.whole and not self._opened:
            prepared(reach_one, task.address, begin[0], np.eye(4), solutions[0], errors[0])
            self._opened = True
        found = []
        for k in range(count):
            n = int(counts[k])
            own = self._left(solutions[k, :n])
            nearest = own[0] if n else self._left(near[k])
            answer = (own, errors[k, :n], nearest, task.every and n > 0)
            found.append(Reached(self, frame, targets.rows[k], task.rows, task.moving, answer))
        return found

    def _starts(self, verb: str, start: Any, count: int) -> Floats:
        """Return starts (count, coordinates of the tree)."""
        _, (begin,) = self._states(verb, q=start)
        if len(begin) not in (1, count):
            raise ModelError(f"there are {len(begin)} starts for {count} targets", where=WHERE, hint="give one, or as many")
        return begin if len(begin) == count else np.repeat(begin, count, axis=0)

    @cached_property
    def _begin(self) -> Floats:
        """The model's own start."""
        return self.q0

    def _task(self, frame: str, rows: int, asked: Asked, plain: bool) -> Task:
        """Return the prepared task; those without wishes are kept from call to call."""
        found = self._tasks.get((frame, rows)) if plain else None
        if found is None:
            found = Task(self, frame, rows, asked)
            if plain:
                self._tasks[frame, rows] = found
        return found


def _names(joints: Any) -> tuple[str, ...] | None:
    """Return the joints that may move, None for all."""
    if joints is None or isinstance(joints, str):
        return None if joints is None else (joints,)
    if not isinstance(joints, Sequence):
        raise ModelError(f"joints are {short(joints)}", where=WHERE, hint="give a list of names")
    return tuple(joints)


def _count(value: Any, name: str) -> int:
    """Return a whole number that is not negative."""
    number = number_in(value)
    if not (0 <= number < 1e9 and number == int(number)):
        raise ModelError(f"{name} is {short(value)}", where=WHERE, hint="give a whole number, 0 or more")
    return int(number)
