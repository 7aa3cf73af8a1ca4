"""Methods with a fixed step: the grid of steps, and the cubic that joins two states.

A method is an object of kernels (:class:`FixedMethod`): how it makes one step, what it puts between two states, what it
remembers. Where f fails or `accept` refuses, a step is broken up; the grid of steps stays as it was.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from multibody.integrators import contract as at
from multibody.integrators.driver import OWN, SPARE, Method, changed, nothing_past, settle, slope_kept, watch_end
from multibody.kernels.calls import call
from multibody.kernels.compile import inlined, inner_kernel
from multibody.kernels.objects import Kernel

_FINEST = 1.0 / 1048576.0  # of the fixed step: the shortest step that is tried where f fails or `accept` refuses
STAGE = SPARE  # state of the stage at hand: after a step, that of the last one
# further rows of an explicit method: two more stages, a last one whose place f at the new state takes; those of its own follow
SECOND, THIRD, NEW_SLOPE = range(OWN, OWN + 3)
_STRETCH = 1e-6  # of the fixed step: what the last step may be longer, so that rounding makes no tiny one


@inlined
def on_grid(method, equations, accept, run, ref, control, counts, y, atol, active, memory, refs, work):
    """Make a step towards a point of the grid, half as long wherever it fails.

    Return 0 or how it failed, its length, its end and its order.
    """
    t, point = control[at.T], _next_point(control, counts)
    end = point
    while True:
        h = end - t
        outcome = method.attempt(equations, run, t, end, h, y, control, counts, atol, memory, work)
        if outcome == 0:
            outcome = settle(method, equations, accept, run, ref, end, active, counts, memory, refs, work)
        if outcome == 0:
            break
        counts[at.REJECTED] += 1
        end = t + 0.5 * h
        if outcome == at.ACCEPT_FAILED or abs(h) < _FINEST * control[at.FIXED] or end == t:
            return outcome, h, end, method.order
    if end == point:
        _reach(control, counts, point)
    return 0, h, end, method.order


@dataclass(frozen=True, eq=False, kw_only=True)
class FixedMethod(Method):
    """What makes a method with a fixed step.

    Attributes
    ----------
    attempt : (equations, run, t, end, h, y, control, counts, atol, memory, work)
        Write the state at end = t + h to memory[NEW]; 0, or how it failed.
    """

    attempt: Kernel
    one_way: bool = False
    restart: Kernel = nothing_past
    step: Kernel = on_grid
    watch: Kernel = watch_end
    remember: Kernel = slope_kept


@inner_kernel
def _next_point(control, counts):
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
def _reach(control, counts, t):
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
def watch_stages(monitor, run, end, h, control, memory, g):
    """Watch the last stage as well: its values are written to g[2], where there is such a row, and compared with g[0].

    A stage may lie beyond a jump of f that the step, made with the law of both sides, does not reach itself.
    """
    beyond = False
    if g.shape[0] > 2:
        call(monitor, run, end, memory[STAGE], g[2])
        for j in range(g.shape[1]):
            beyond = beyond or (g[2, j] != 0.0 and changed(g[0, j], g[2, j]))
    return watch_end(monitor, run, end, h, control, memory, g) or beyond
