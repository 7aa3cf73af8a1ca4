"""The rows of joints and motions that equations of motion are written with: an independent set."""

from __future__ import annotations

import numpy as np

from multibody.rank.around import LOOKED_AT, rank_around
from multibody.rank.leastnorm import DENSE_ASSEMBLY, DENSE_LIMIT, independent_rows
from multibody.state.system import Floats, Integers, System

NOISE = 1e-13  # size of a row, free of units, that is round-off: joints within one composite hold by themselves


def run_rows(system: System, q: Floats, t: float) -> Integers:
    """Return independent rows of joints and motions, as many as the mechanism has in general.

    A start at a change point would show too few: where the rank falls short, poses around are looked at.
    """
    if system.nv > DENSE_LIMIT:
        from multibody.rank.decider import Decider

        decider = Decider(system, system.rows, relative=False)
        return np.asarray(decider.decide(decider.jacobian(q, t)).independent, dtype=np.int64)
    J = system.scaled(system.jacobian(q, t))
    best = independent_rows(J, floor=NOISE)
    if len(best) == min(J.shape) or system.rows == 0:
        return best
    if system.nv <= DENSE_ASSEMBLY and rank_around(system, q, t) <= len(best):
        return best
    from multibody.rank.generic import Joints

    references = system.ref.copy()
    poses, _, _ = Joints(system, t, np.zeros(system.joint_rows)).neighbors(q, LOOKED_AT)
    for pose in poses:
        found = independent_rows(system.scaled(system.jacobian(pose, t)), floor=NOISE)
        if len(found) > len(best):
            best = found
    system.ref[:] = references
    return best
