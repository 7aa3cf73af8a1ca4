"""A driven mechanism between the instants of its motion: followed from one of them by the rows that solved it there."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from multibody.analyses.kinematics.follower import Follower, Record
from multibody.analyses.kinematics.switched_grid import with_limits
from multibody.kernels import tracking
from multibody.state.motion import Motion
from multibody.state.system import Floats, System

TRIES = 3  # at the first instant: the smallest singular value comes by inverse iteration from an arbitrary vector


def followed_from(motion: Motion, k: int, times: Floats) -> Motion | None:
    """Return a driven motion at times behind one of its instants; None where they are not reached this way.

    Nothing is assembled and no rows are chosen: an instant of the motion is on the constraints already, and its rows are known.

    Parameters
    ----------
    motion : Motion
    k : int
        The instant.
    times : array (times,)
        In the direction of the motion, the first of them not before the instant.
    """
    if motion.drive is None:
        return None
    grid, solved = with_limits(motion.passed, np.append(motion.t[k], times))
    system, counted = System(motion.tables), motion.references.ndim == 2
    system.ref[:] = motion.references[k] if counted else motion.references
    record = Record(len(grid), system, len(system.ref) if counted else 0)
    follower = Follower(system, motion.drive, motion.q[k], float(grid[0]), len(grid))
    code = tracking.DONE
    for _ in range(TRIES):
        code, _ = follower.track(grid[:1], 0, record)
    if code == tracking.DONE:
        code, _ = follower.track(grid, 1, record)
    if code != tracking.DONE:
        return None
    sign = 1.0 if grid[-1] >= grid[0] else -1.0
    which = np.searchsorted(sign * grid, sign * solved[1:])
    return replace(
        motion, t=times, q=record.Q[which], v=record.V[which], a=record.A[which], sigma=record.sigma[which],
        references=record.R[which] if counted else motion.references, dynamics=None, singularities=[], events=[], jumps=[],
    )  # fmt: skip
