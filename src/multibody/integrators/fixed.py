"""Methods with a fixed step: the one loop around them, the grid of steps, and the cubic that joins two states.

A method is an object of kernels (:class:`FixedMethod`): how it makes one step, what it puts between two states, what it
remembers. Where f fails or `accept` refuses, a step is broken up; the grid of steps stays as it was.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from multibody.integrators import contract as at
from multibody.integrators.contract import begin, commit, ready, settle, store, watch
from multibody.kernels.calls import call
from multibody.kernels.compile import inlined, inner_kernel
from multibody.kernels.objects import Kernel, KernelObject

FINEST = 1.0 / 1048576.0  # of the fixed step: the shortest step that is tried where f fails or `accept` refuses
# rows of a method's memory: f at the present state, two more stages, a last one whose place f at the new state takes, the state
# of a stage, and the new state; a method may have further ones
SLOPE, SECOND, THIRD, NEW_SLOPE, STAGE, NEW, OWN = range(7)
_STRETCH = 1e-6  # of the fixed step: what the last step may be longer, so that rounding makes no tiny one


@dataclass(frozen=True, eq=False)
class FixedMethod(KernelObject):
    """What makes a method with a fixed step.

    Attributes
    ----------
    restart : (control)
        Forget what was remembered: nothing is known of the past.
    attempt : (rhs, run, ref, t, h, y, control, counts, memory)
        Write the state at t + h to memory[NEW]; 0, or how it failed.
    staged : (h, control)
        Whether that step has stages, the last of which is in memory[STAGE].
    between : (rhs, run, ref, t, h, y, counts, memory, row)
        Write the powers of the dense output of the step to row.
    remember : (h, control, memory)
        Keep what later steps need, f at the present state still being in memory[SLOPE].
    """

    restart: Kernel
    attempt: Kernel
    staged: Kernel
    between: Kernel
    remember: Kernel


@inlined
def advance_fixed(method, order, rhs, accept, monitor, run, ref, control, counts, y, active, memory, g, steps, dense, refs):
    """Step towards END as the contract says; return why it stopped."""
    fresh, last = counts[at.FRESH], counts[at.STEPS] + counts[at.LIMIT]
    status = begin(rhs, monitor, run, ref, control, counts, y, memory[SLOPE], g)
    if fresh != 0:
        control[at.BASE] = math.inf  # no grid yet
        method.restart(control)
    while status == at.STEP:
        status = ready(control, counts, steps, last)
        if status != at.STEP:
            break
        t, point = control[at.T], next_point(control, counts)
        outcome, end = _shortened(method, rhs, accept, run, ref, t, point, y, control, counts, active, memory, refs)
        if outcome != 0:
            return outcome
        h = end - t
        for j in range(g.shape[1]):
            g[0, j] = g[1, j]
        jumped = method.staged(h, control) and watch_stage(monitor, run, ref, end, memory[STAGE], g)
        crossed = monitor != 0 and (watch(monitor, run, ref, end, memory[NEW], g) or jumped)
        kept = crossed or counts[at.DENSE] != 0
        if kept:
            method.between(rhs, run, ref, t, h, y, counts, memory, dense[counts[at.STORED]])
        commit(control, counts, h, end, y, memory[NEW], order)
        if end == point:
            reach(control, counts, point)
        method.remember(h, control, memory)
        for i in range(y.shape[0]):
            memory[SLOPE, i] = memory[NEW_SLOPE, i]
        if kept:
            store(control, counts, steps)
        if crossed:
            return at.EVENT
    return status


@inner_kernel
def _shortened(method, rhs, accept, run, ref, t, point, y, control, counts, active, memory, refs):
    """Make a step towards a point of the grid, half as long wherever it fails; return 0 or how it failed, and where it ends."""
    end = point
    while True:
        h = end - t
        outcome = method.attempt(rhs, run, ref, t, h, y, control, counts, memory)
        if outcome == 0:
            outcome = settle(rhs, accept, run, ref, end, memory[NEW], memory[NEW_SLOPE], active, counts, refs)
        if outcome == 0:
            return (outcome, end)
        counts[at.REJECTED] += 1
        end = t + 0.5 * h
        if outcome == at.ACCEPT_FAILED or abs(h) < FINEST * control[at.FIXED] or end == t:
            return (at.STEP_TOO_SMALL if outcome == 2 else outcome, end)


@inlined
def nothing_past(control):
    """Forget nothing: a method of one step remembers nothing."""


@inlined
def always(h, control):
    """Return True: every step has stages."""
    return True


@inlined
def nothing_kept(h, control, memory):
    """Keep nothing."""


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
