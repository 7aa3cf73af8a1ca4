"""Adams–Bashforth of order 3 with a fixed step: one evaluation a step.

The first two steps after a start are classical Runge–Kutta steps. The coefficients are those of the quadratic through the
last three slopes at the times they belong to, so that a shortened step (at END, or where f failed) needs no restart; only
after a step of less than half the present length, which would magnify errors, Runge–Kutta steps take over again.

The dense output is the cubic through both states with both slopes, of order 3 as the method is.
"""

from __future__ import annotations

import math

import numpy as np

from multibody.integrators import contract as at
from multibody.integrators.contract import begin, commit, finite, interpolate_polynomial, ready, settle, store, watch
from multibody.integrators.fixed import FINEST, hermite, next_point, reach, watch_stage
from multibody.integrators.rk4 import runge_kutta
from multibody.kernels.compile import inner_kernel, kernel

ORDER = 3
_LIKE = 0.499  # of a step: the steps before it may be no shorter

interpolate_ab3 = interpolate_polynomial


@inner_kernel
def _extrapolate(h, before, earlier, y, memory):
    """Write y + ∫ of the quadratic through the last three slopes, which are `before` and `earlier` apart; say if finite."""
    now, past, oldest, new = memory[0], memory[1], memory[2], memory[7]
    linear, square = 0.5 * h * h / before, h * h * (h / 3.0 + 0.5 * before) / (before + earlier)
    for i in range(y.shape[0]):
        first = now[i] - past[i]
        second = first / before - (past[i] - oldest[i]) / earlier
        new[i] = y[i] + h * now[i] + linear * first + square * second
    return finite(new)


@kernel
def advance_ab3(rhs, accept, monitor, run, ref, control, counts, y, atol, active, memory, g, steps, dense, refs):
    """Step towards END as the contract says; return why it stopped.

    Rows of memory: f at the present state and at the two before it, k2, k3, k4 (then f at the new state), state of a stage,
    new state.
    """
    fresh, last = counts[at.FRESH], counts[at.STEPS] + counts[at.LIMIT]
    status = begin(rhs, monitor, run, ref, control, counts, y, memory[0], g)
    if fresh != 0:
        control[at.BASE] = math.inf  # no grid yet
        control[at.PAST] = 0.0
        control[at.PAST + 1] = 0.0
    while status == at.STEP:
        status = ready(control, counts, steps, last)
        if status != at.STEP:
            break
        t, point, before, earlier = control[at.T], next_point(control, counts), control[at.PAST], control[at.PAST + 1]
        end = point
        while True:
            h = end - t
            if min(before / h, earlier / h) > _LIKE:
                outcome = 0 if _extrapolate(h, before, earlier, y, memory) else at.NOT_FINITE
            else:
                outcome = runge_kutta(rhs, run, ref, t, h, y, memory[0], memory[3:8], counts)
            if outcome == 0:
                outcome = settle(rhs, accept, run, ref, end, memory[7], memory[5], active, counts, refs)
            if outcome == 0:
                break
            counts[at.REJECTED] += 1
            end = t + 0.5 * h
            if outcome == at.ACCEPT_FAILED or abs(h) < FINEST * control[at.FIXED] or end == t:
                return at.STEP_TOO_SMALL if outcome == 2 else outcome
        for j in range(g.shape[1]):
            g[0, j] = g[1, j]
        staged = not min(before / h, earlier / h) > _LIKE
        jumped = staged and watch_stage(monitor, run, ref, end, memory[6], g)
        crossed = monitor != 0 and (watch(monitor, run, ref, end, memory[7], g) or jumped)
        if crossed or counts[at.DENSE] != 0:
            hermite(h, y, memory[7], memory[0], memory[5], dense[counts[at.STORED]])
        commit(control, counts, h, end, y, memory[7], np.int64(ORDER))
        if end == point:
            reach(control, counts, point)
        control[at.PAST + 1] = before
        control[at.PAST] = h
        for i in range(y.shape[0]):
            memory[2, i] = memory[1, i]
            memory[1, i] = memory[0, i]
            memory[0, i] = memory[5, i]
        if crossed or counts[at.DENSE] != 0:
            store(control, counts, steps)
        if crossed:
            return at.EVENT
    return status
