"""The one loop around all methods but SUNDIALS' own: begin, make a step, watch, store.

A method is an object of kernels and numbers (:class:`Method`). How a step of some length is tried is its own; what lengths are
tried is the same for all methods that choose their steps (``adaptive``), and for all with steps of one length (``fixed``).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from multibody.integrators import contract as at
from multibody.integrators.contract import finite
from multibody.kernels.acceptance import moved, passes
from multibody.kernels.calls import call
from multibody.kernels.compile import inlined, inner_kernel
from multibody.kernels.objects import Kernel, KernelObject

# rows of memory that every method has: the new state, room for a vector that no step leaves behind, y' at the present state;
# a method's own rows follow
NEW, SPARE, SLOPE, OWN = range(4)
_RELAX = 1.02  # growth from step to step of the ceiling that a refusal leaves


@dataclass(frozen=True, eq=False, kw_only=True)
class Method(KernelObject):
    """What makes a method; ``equations`` are ``rhs`` or, for an implicit one, ``ops``, whose ``work`` is None otherwise.

    Attributes
    ----------
    order : int
        What counts as the order of a step; 0: it varies and is in counts[ORDER].
    new_slope : int
        The row of memory that takes y' at the new state, which an explicit method must know before the step counts; 0: none.
    one_way : bool
        Whether turning round is a fresh start.
    slope : (equations, run, t, y, counts, f, work)
        Write y' at (t, y) to f; a status.
    restart : (control, counts, y, memory, work)
        Forget the past at a fresh start; y' there is in memory[SLOPE].
    step : (method, equations, accept, run, ref, control, counts, y, atol, active, memory, refs, work)
        Write a new state that is accepted to memory[NEW]; 0 or how that failed, the step's length, its end and its order.
    watch : (monitor, run, end, h, control, memory, g)
        Write the watched values to g[1]; whether one of them has changed its sign since g[0].
    between : (equations, run, t, end, h, order, y, control, counts, memory, work, row)
        Write the dense output of the step to row.
    remember : (method, h, control, counts, memory, work)
        Keep what later steps need once the new state is the present one; y' in memory[SLOPE] is that of the one before.
    """

    order: int
    new_slope: int
    one_way: bool
    slope: Kernel
    restart: Kernel
    step: Kernel
    watch: Kernel
    between: Kernel
    remember: Kernel


@inlined
def advance_by(
    method, equations, accept, monitor, run, ref, control, counts, y, atol, active, memory, g, steps, dense, refs, work
):  # fmt: skip
    """Step towards END by a method as the contract says; return why it stopped."""
    last = counts[at.STEPS] + counts[at.LIMIT]
    status = _begin(method, equations, monitor, run, control, counts, y, memory, g, work)
    while status == at.STEP:
        if control[at.T] == control[at.END]:
            return at.DONE
        k = counts[at.STORED]
        if k >= steps.shape[0]:
            return at.OUTPUT_FULL
        if counts[at.STEPS] >= last:
            return at.CONTINUE
        outcome, h, end, order = method.step(
            method, equations, accept, run, ref, control, counts, y, atol, active, memory, refs, work
        )
        if outcome != 0:
            return outcome if at.NOT_FINITE <= outcome < 0 else at.STEP_TOO_SMALL  # others are not for the caller
        for j in range(g.shape[1]):
            g[0, j] = g[1, j]
        crossed = monitor != 0 and method.watch(monitor, run, end, h, control, memory, g)
        if crossed or counts[at.DENSE] != 0:
            method.between(equations, run, control[at.T], end, h, order, y, control, counts, memory, work, dense[k])
            steps[k, 0] = control[at.T]
            steps[k, 1] = h
            counts[at.STORED] = k + 1
        _commit(control, counts, h, end, y, memory[NEW], order)
        method.remember(method, h, control, counts, memory, work)
        if crossed:
            return at.EVENT
    return status


@inner_kernel
def _begin(method, equations, monitor, run, control, counts, y, memory, g, work):
    """At a fresh start write y' and the watched values in g[1]; return STEP or what went wrong.

    Steps take g[1] over into g[0] before they write g[1] anew.
    """
    if method.one_way and (control[at.END] - control[at.T]) * control[at.H_LAST] < 0.0:
        counts[at.FRESH] = 1
    if control[at.END] == control[at.T]:
        return at.DONE
    if counts[at.FRESH] == 0:
        return at.STEP
    status = method.slope(equations, run, control[at.T], y, counts, memory[SLOPE], work)
    if status != 0:
        counts[at.CODE] = status
        return at.RHS_FAILED
    if not (finite(y) and finite(memory[SLOPE])):
        return at.NOT_FINITE
    if monitor != 0:
        call(monitor, run, control[at.T], y, g[1])
    control[at.BASE] = math.inf  # no grid yet
    control[at.ERROR] = 0.0
    control[at.CEILING] = 0.0
    counts[at.FRESH] = 0
    counts[at.SUSPECT] = 0
    counts[at.CLEARED] = 0
    counts[at.MATRIX] = at.NONE
    method.restart(control, counts, y, memory, work)
    return at.STEP


@inner_kernel
def settle(method, equations, accept, run, ref, t, active, counts, memory, refs, work):
    """Offer the new state to `accept`, and find y' there if needed; return 0, 2, 3 (not here) or a negative answer.

    The references at the start of the step are kept in the next free row of `refs`; they are put back if the step fails.
    """
    k, answer, new = counts[at.STORED], 0, memory[NEW]
    for i in range(ref.shape[0]):
        refs[k, i] = ref[i]
    if accept != 0:
        answer = call(accept, run, t, new, active)
        gentle = answer >= at.ROUGH
        answer = moved(answer)
        if answer >= 0:
            counts[at.GENTLE] = 1 if gentle else 0
    if passes(answer):
        status = 0
        if method.new_slope > 0:
            status = method.slope(equations, run, t, new, counts, memory[method.new_slope], work)
        if status == 0 and finite(new) and (method.new_slope == 0 or finite(memory[method.new_slope])):
            counts[at.MOVED] += answer
            return 0
        counts[at.CODE] = status
        answer = at.RHS_FAILED if status != 0 else at.NOT_FINITE
    elif answer < 0:
        counts[at.CODE] = answer
        answer = at.ACCEPT_FAILED
    for i in range(ref.shape[0]):
        ref[i] = refs[k, i]
    return answer


@inner_kernel
def _commit(control, counts, h, t, y, new, order):
    """Make the new state the present one."""
    control[at.T_LAST] = control[at.T]
    control[at.H_LAST] = h
    control[at.T] = t
    for i in range(y.shape[0]):
        y[i] = new[i]
    counts[at.STEPS] += 1
    counts[at.ORDER_SUM] += order
    control[at.CEILING] *= _RELAX


# ------------------------------------------------------------------------------------------ parts that several methods take
@inner_kernel
def right_side(rhs, run, t, y, counts, f, work):
    """Write f(t, y), which is y' of an explicit method; return a status."""
    counts[at.EVALUATIONS] += 1
    return call(rhs, run, t, y, f)


@inner_kernel
def watch_end(monitor, run, end, h, control, memory, g):
    """Write the watched values at the new state to g[1]; return whether one of them has another sign than in g[0]."""
    call(monitor, run, end, memory[NEW], g[1])
    crossed = False
    for j in range(g.shape[1]):
        crossed = crossed or changed(g[0, j], g[1, j])
    return crossed


@inlined
def changed(before, after):
    """Return whether a watched value changed its sign in a step, or came to zero; a product of small ones would be zero."""
    return (before < 0.0 and after >= 0.0) or (before > 0.0 and after <= 0.0)


@inlined
def nothing_past(control, counts, y, memory, work):
    """Forget nothing: a method of one step remembers nothing."""


@inlined
def slope_kept(method, h, control, counts, memory, work):
    """Make y' at the new state, if the method knows it, that of the present one."""
    if method.new_slope > 0:
        for i in range(memory.shape[1]):
            memory[SLOPE, i] = memory[method.new_slope, i]
