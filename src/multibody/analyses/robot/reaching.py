"""Inverse kinematics: from the pose of a frame to coordinates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from multibody.analyses.robot.frames import FrameMethods
from multibody.analyses.robot.geometry import Geometry, geometry_of
from multibody.analyses.robot.limits import limits_of
from multibody.analyses.robot.reached import Reached, ReachedMany
from multibody.analyses.robot.targets import read_targets
from multibody.arguments import answered, number_in, short
from multibody.errors import ModelError
from multibody.kernels.robot.declared import ITERATED, Reach
from multibody.kernels.robot.reach import reach_planar, reach_spatial
from multibody.kernels.tree import declared as T
from multibody.model.names import unknown
from multibody.state.system import Floats, Integers

WHERE = "robot.inverse_kinematics"
MOST = 16  # solutions that are kept
ITERATIONS = 200
TOLERANCE = 1e-10  # error at which a pose is reached, in radians and characteristic lengths


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

    def __init__(self, robot: ReachMethods, frame: str, rows: int, joints: tuple[str, ...] | None, limits: Any) -> None:
        self.robot, self.frame, self.rows = robot, frame, rows
        self.link, self.point, self.axes = robot._frame(frame, "inverse_kinematics")
        if self.link < 0:
            raise ModelError(f"{frame} is on the ground and does not move", where=WHERE, hint="name a frame of a moving body")
        self.moving = self._moving(joints)
        self.held = joints is not None
        low, high = limits_of(robot, limits, WHERE)
        self.lower, self.upper = low[self.moving], high[self.moving]
        self.block = self._block(robot.neutral)

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
        d, count = robot.dimension, len(names)
        geometry = self.geometry(q)
        self.every = geometry.how != ITERATED
        r, A = self.at_zero(q)
        return Reach(
            model=int(robot._at_model), scratch=int(robot._at_scratch), link=self.link, point=self.point,
            axes=np.ascontiguousarray(self.axes).ravel(), rows=self.rows, length=length, tolerance=TOLERANCE, wanted=1,
            iterations=ITERATIONS, G=np.ascontiguousarray(self.G).ravel(), place=place, turns=self.turns,
            scale=np.where(slide, length, 1.0), lower=self.lower.copy(), upper=self.upper.copy(),
            kept_lower=count, kept_upper=count, how=geometry.how, lines=geometry.lines, zero_point=r, zero_axes=A.ravel(),
            center=geometry.center, shape=geometry.shape, J=robot.width * n, Jz=robot.width * count, S=36, error=6, step=count,
            whole=n, trial=robot._tree_nq, angles=6 * (MOST + 1), roots=16, work=80,
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
        followers = any(np.count_nonzero(row) and not np.isclose(row.max(), 1.0) or np.count_nonzero(row) > 1
                        for row in self.G[self.path])  # fmt: skip
        if followers or not self.turns.all():
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

    def starts(self, count: int, seed: int) -> Floats:
        """Return other starts (count, coordinates of the tree): random, within limits where there are some."""
        robot = self.robot
        generator = np.random.default_rng(seed)
        q = robot.random(generator, count)
        names = [robot.rates[a] for a in self.moving]
        for name, low, high in zip(names, self.lower, self.upper, strict=True):
            if name in robot.coordinates and np.isfinite(low) and np.isfinite(high):
                q[:, robot.coordinates.index(name)] = generator.uniform(low, high, count)
        return np.ascontiguousarray(q)


def robot_is_spatial(r: Floats) -> bool:
    """Return whether a point has three coordinates."""
    return len(r) == 3


@answered
class ReachMethods(FrameMethods):
    """What can be asked about coordinates at which a frame is somewhere."""

    def inverse_kinematics(
        self, frame: str, target: Any, *, start: Any = None, limits: Mapping[str, Any] | None = None,
        joints: str | Sequence[str] | None = None, every: bool = False, restarts: int = 24, seed: int = 0,
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
        targets = read_targets(target, self.dimension, WHERE)
        rows = self.width if targets.whole else self.dimension
        task = self._task(frame, rows, limits, joints)
        count = len(targets.rows)
        q0 = self.q0 if start is None else start
        _, (begin,) = self._states("inverse_kinematics", q=q0)
        if len(begin) not in (1, count):
            raise ModelError(f"there are {len(begin)} starts for {count} targets", where=WHERE, hint="give one, or as many")
        if len(begin) != count:
            begin = np.repeat(begin, count, axis=0)
        if task.held:
            if count > 1 and np.any(begin != begin[0]):
                raise ModelError("joints are held at different starts", where=WHERE, hint="give one start, or one target")
            task.place_held(self._left(begin[0]))
        task.block.wanted = MOST if every else 1
        others = self._starts_of(task, _count(restarts, "restarts"), _count(seed, "seed"))
        solutions, errors = np.empty((count, MOST, self._tree_nq)), np.empty((count, MOST))
        near, counts, work = begin.copy(), np.empty(count, dtype=np.int64), np.empty(self._tree_nq)
        kernel = reach_spatial if self.dimension == 3 else reach_planar
        kernel(task.block.address, begin, targets.rows, others, work, solutions, errors, near, counts)
        found = []
        for k in range(count):
            n = int(counts[k])
            own = self._left(solutions[k, :n])
            nearest = own[0] if n else self._left(near[k])
            found.append(
                Reached(self, frame, targets.rows[k], rows, task.moving, (own, errors[k, :n], nearest, task.every and n > 0))
            )
        return found[0] if targets.single else ReachedMany(found)

    def _task(self, frame: str, rows: int, limits: Any, joints: Any) -> Task:
        """Return the prepared task, kept from call to call."""
        if limits is None and joints is None:
            found = self._tasks.get((frame, rows))
            if found is not None:
                return found
        names = None if joints is None else (joints,) if isinstance(joints, str) else tuple(joints)
        if limits is None and joints is None:
            self._tasks[frame, rows] = task = Task(self, frame, rows, None, None)
            return task
        return Task(self, frame, rows, names, limits)

    def _starts_of(self, task: Task, count: int, seed: int) -> Floats:
        """Return random starts as coordinates of the tree, kept from call to call."""
        key = (id(task), count, seed)
        if getattr(task, "kept_starts", (None,))[0] != key:
            q = task.starts(count, seed)
            task.kept_starts = (key, self._states("inverse_kinematics", q=q)[1][0] if count else np.empty((0, self._tree_nq)))  # type: ignore[attr-defined]
        return task.kept_starts[1]  # type: ignore[attr-defined,no-any-return]


def _count(value: Any, name: str) -> int:
    """Return a whole number that is not negative."""
    number = number_in(value)
    if not (number >= 0 and number == int(number)):
        raise ModelError(f"{name} is {short(value)}", where=WHERE, hint="give a whole number, 0 or more")
    return int(number)
