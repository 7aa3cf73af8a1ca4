"""Inverse kinematics: all solutions of arms with a closed form, else those that iteration finds from several starts.

Solutions of closed forms are finished by the same iteration that serves all others, so that they are exact to rounding, and are
solutions of the robot itself and not of numbers that were read off it.
"""

from __future__ import annotations

import math

from multibody.kernels.compile import inner_kernel, kernel
from multibody.kernels.robot.closed_forms import candidates
from multibody.kernels.robot.declared import AXES, ITERATED, reach_at
from multibody.kernels.robot.geometry import SIX
from multibody.kernels.robot.levenberg import PATIENCE, approach
from multibody.kernels.tags import PLANAR, SPATIAL
from multibody.kernels.vectors import ROW, cross, dot, load9, row_of, store3, subtract

SAME = 1e-6  # difference of coordinates, in radians or characteristic lengths, below which solutions are the same
ROTATED = 1e-14  # how far axes may be from a rotation to be taken as one
AT_LIMIT = 1e-9  # how far beyond a limit a coordinate may come to stand by rounding


@inner_kernel
def _copy(a, b):
    """Write a to b."""
    for k in range(a.size):
        b[k] = a[k]


@inner_kernel
def _turned_back(task, start, q):
    """Take whole turns off angles, so that they are within limits and near the start; return whether all limits are kept."""
    for a in range(task.place.size):
        at = task.place[a]
        if at >= 0:
            x = q[at]
            if task.turns[a] == 1:
                x -= 2.0 * math.pi * math.floor((x - start[at]) / (2.0 * math.pi) + 0.5)
                if x < task.lower[a] - AT_LIMIT:
                    x += 2.0 * math.pi * math.ceil((task.lower[a] - AT_LIMIT - x) / (2.0 * math.pi))
                elif x > task.upper[a] + AT_LIMIT:
                    x -= 2.0 * math.pi * math.ceil((x - task.upper[a] - AT_LIMIT) / (2.0 * math.pi))
            slack = AT_LIMIT * task.scale[a]
            if not (task.lower[a] - slack <= x <= task.upper[a] + slack):
                return False
            q[at] = x
    return True


@inner_kernel
def _distance(task, a, b):
    """Return how far two positions are apart, (most, square), in radians and characteristic lengths."""
    most, square = 0.0, 0.0
    for k in range(task.place.size):
        at = task.place[k]
        if at >= 0:
            x = abs(a[at] - b[at]) / task.scale[k]
            if task.turns[k] == 1:
                most = max(most, abs(x - 2.0 * math.pi * math.floor(x / (2.0 * math.pi) + 0.5)))
            else:
                most = max(most, x)
            square += x * x
    return (most, square)


@inner_kernel
def _keep(task, start, q, error, count, solutions, errors):
    """Put a solution among the others, nearest to the start first; return how many there are then."""
    for j in range(count):
        if _distance(task, q, solutions[j])[0] < SAME:
            return count
    if count == solutions.shape[0]:
        return count
    away, j = _distance(task, q, start)[1], count
    while j > 0 and _distance(task, solutions[j - 1], start)[1] > away:
        _copy(solutions[j - 1], solutions[j])
        errors[j] = errors[j - 1]
        j -= 1
    _copy(q, solutions[j])
    errors[j] = error
    return count + 1


@inner_kernel
def _closed(d, task, start, target, q, solutions, errors):
    """Write the solutions in closed form; return how many there are."""
    count = 0
    for j in range(candidates(task, target, start)):
        _copy(start, q)
        for a in range(task.place.size):
            q[task.place[a]] = task.room.angles[SIX * j + a]
        _free(task.room)
        error = approach(d, task, target, q, PATIENCE)
        _bound(task)
        if error <= task.tolerance and _turned_back(task, start, q):
            count = _keep(task, start, q, error, count, solutions, errors)
    return count


@inner_kernel
def _free(room):
    """Let no limits be in force: whole turns are taken off only when a solution is exact."""
    for a in range(room.lower.size):
        room.lower[a], room.upper[a] = -math.inf, math.inf


@inner_kernel
def _bound(task):
    """Let the limits of the task be in force."""
    for a in range(task.place.size):
        task.room.lower[a], task.room.upper[a] = task.lower[a], task.upper[a]


@inner_kernel
def _reach(d, task, start, target, solutions, errors, near):
    """Write solutions, nearest to the start first, or else to `near` what comes nearest to the target; return how many."""
    q, nq = task.room.q, task.room.q.size
    _bound(task)
    count = _closed(d, task, start, target, q, solutions, errors) if task.how != ITERATED else 0
    if count > 0:
        return count
    least = math.inf
    for j in range(-1, task.starts.size // nq):
        if j < 0:
            _copy(start, q)
        else:
            _copy(task.starts[j * nq : (j + 1) * nq], q)
        for a in range(task.place.size):
            if task.place[a] >= 0:
                q[task.place[a]] = min(max(q[task.place[a]], task.lower[a]), task.upper[a])
        error = approach(d, task, target, q, PATIENCE)
        inside = _turned_back(task, start, q)
        if inside and error <= task.tolerance:
            count = _keep(task, start, q, error, count, solutions, errors)
            if count >= task.wanted:
                return count
        if inside and error < least:
            least = error
            _copy(q, near)
    if count == 0:  # as near as it comes, without haste
        approach(d, task, target, near, task.iterations)
        _turned_back(task, start, near)
    return count


@kernel
def reach_planar(task, start, targets, solutions, errors, near, counts):
    """See :func:`reach_spatial`."""
    task = reach_at(task)
    for k in range(targets.shape[0]):
        counts[k] = _reach(PLANAR, task, start[k], targets[k], solutions[k], errors[k], near[k])


@kernel
def reach_spatial(task, start, targets, solutions, errors, near, counts):
    """Write solutions (targets, most, nq), their errors, the number of them, and what comes nearest where there are none.

    Parameters
    ----------
    start : array (targets, nq)
    targets : array (targets, 12)
        Position, then axes by rows; planar 6 numbers.
    """
    task = reach_at(task)
    for k in range(targets.shape[0]):
        counts[k] = _reach(SPATIAL, task, start[k], targets[k], solutions[k], errors[k], near[k])


@kernel
def reach_one(task, start, pose, solutions, errors):
    """Write the solutions of one pose (4, 4) and, as the last row, what comes nearest; return how many there are.

    −1 where somebody has to look closer: sizes, numbers that are not finite, axes that are no rotation to rounding.
    """
    task = reach_at(task)
    target, most = task.room.target, errors.size
    if start.size != task.room.q.size or pose.shape[0] != 4 or pose.shape[1] != 4 or solutions.shape[0] != most + 1:
        return -1
    total = 0.0
    for r in range(3):
        target[r] = pose[r, 3]
        total += pose[r, 3]
        store3(target, AXES + ROW * r, (pose[r, 0], pose[r, 1], pose[r, 2]))
    for k in range(start.size):
        total += start[k]
    R = load9(target, AXES)
    x, y, z = row_of(R, 0), row_of(R, 1), row_of(R, 2)
    off = max(abs(dot(x, x) - 1.0), abs(dot(y, y) - 1.0), abs(dot(x, y)))
    e = subtract(cross(x, y), z)
    bottom = abs(pose[3, 0]) + abs(pose[3, 1]) + abs(pose[3, 2]) + abs(pose[3, 3] - 1.0)
    if not (total - total == 0.0 and off <= ROTATED and dot(e, e) <= ROTATED * ROTATED and bottom == 0.0):
        return -1
    return _reach(SPATIAL, task, start, target, solutions, errors, solutions[most])
