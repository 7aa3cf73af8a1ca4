"""What the methods with a fixed step share: the grid of steps and the cubic that joins two states."""

from __future__ import annotations

import math

from multibody.integrators import contract as at
from multibody.kernels.calls import call
from multibody.kernels.compile import inner_kernel

FINEST = 1.0 / 1048576.0  # of the fixed step: the shortest step that is tried where f fails or `accept` refuses
_STRETCH = 1e-6  # of the fixed step: what the last step may be longer, so that rounding makes no tiny one


@inner_kernel
def next_point(control, counts):
    """Return the time at which the next step ends: a point BASE + k·FIXED of the grid, or END.

    Sums of many steps would gather rounding errors; the grid is therefore counted from its base. A step that was broken up
    goes on to the same point.
    """
    t, end = control[at.T], control[at.END]
    step = math.copysign(control[at.FIXED], end - t)
    point = control[at.BASE] + (counts[at.GRID] + 1) * step
    if not 0.0 < (point - t) / step < 1.5:  # another step, another direction or a fresh start
        control[at.BASE] = t
        counts[at.GRID] = 0
        point = t + step
    return end if (point - end) / step > -_STRETCH else point


@inner_kernel
def reach(control, counts, t):
    """Count the grid point t that a step has reached."""
    counts[at.GRID] += 1
    if t == control[at.END]:
        control[at.BASE] = t
        counts[at.GRID] = 0


@inner_kernel
def hermite(h, y, new, slope, new_slope, row):
    """Write the powers of the cubic through both states with both slopes into row[0] to row[3]."""
    for i in range(y.shape[0]):
        change = new[i] - y[i]
        row[0, i] = y[i]
        row[1, i] = h * slope[i]
        row[2, i] = 3.0 * change - h * (2.0 * slope[i] + new_slope[i])
        row[3, i] = h * (slope[i] + new_slope[i]) - 2.0 * change


@inner_kernel
def watch_stage(monitor, run, ref, t, x, g):
    """Write the watched values at the last stage x into g[2], where there is such a row; return whether g[0] has other signs.

    A stage may lie beyond a jump of f that the step, made with the law of both sides, does not reach itself.
    """
    if monitor == 0 or g.shape[0] < 3:
        return False
    call(monitor, run, t, x, g[2])
    beyond = False
    for j in range(g.shape[1]):
        beyond = beyond or g[0, j] * g[2, j] < 0.0
    return beyond
