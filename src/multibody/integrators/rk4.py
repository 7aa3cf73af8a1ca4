"""The classical Runge–Kutta method of order 4 with a fixed step.

Four evaluations a step. The dense output, of order 4 as well, takes a fifth one: the cubic Hermite polynomial (whose error
goes with h⁴ and is larger than that of the method on long steps) is corrected by the quartic s²(1 − s)² so that its slope is
right at the inner Lobatto point s = (5 − √5)/10. There the next term of the error is s²(1 − s)²(s − ½), the smallest there is.

Where f fails or `accept` refuses, the step is broken up; the grid of steps stays as it was.
"""

from __future__ import annotations

import math

import numpy as np

from multibody.integrators import contract as at
from multibody.integrators.contract import begin, commit, finite, interpolate_polynomial, ready, settle, store, watch
from multibody.integrators.fixed import FINEST, hermite, next_point, reach, watch_stage
from multibody.kernels.calls import call
from multibody.kernels.compile import inner_kernel, kernel

ORDER = 4
LOBATTO = (5.0 - math.sqrt(5.0)) / 10.0
_BEND = 2.0 * LOBATTO * (1.0 - LOBATTO) * (1.0 - 2.0 * LOBATTO)  # slope of s²(1 − s)² there

interpolate_rk4 = interpolate_polynomial


@inner_kernel
def runge_kutta(rhs, run, ref, t, h, y, slope, work, counts):
    """Make one classical step from (t, y) with slope f(t, y); return 0 or how it failed.

    work (5, n) takes k2, k3, k4, the state of a stage and the new state.
    """
    x, new = work[3], work[4]
    for s in range(3):
        part = h if s == 2 else 0.5 * h
        k = slope if s == 0 else work[s - 1]
        for i in range(y.shape[0]):
            x[i] = y[i] + part * k[i]
        counts[at.EVALUATIONS] += 1
        status = call(rhs, run, t + part, x, work[s])
        if status != 0:
            counts[at.CODE] = status
            return at.RHS_FAILED
    for i in range(y.shape[0]):
        new[i] = y[i] + h / 6.0 * (slope[i] + 2.0 * (work[0, i] + work[1, i]) + work[2, i])
    return 0 if finite(new) else at.NOT_FINITE


@inner_kernel
def _dense(rhs, run, ref, t, h, y, memory, counts, row):
    """Write the powers of the quartic dense output into row (5, n); the cubic remains if the evaluation fails."""
    x, slope = memory[4], memory[1]
    hermite(h, y, memory[5], memory[0], memory[3], row)
    s = LOBATTO
    for i in range(y.shape[0]):
        row[4, i] = 0.0
        x[i] = row[0, i] + s * (row[1, i] + s * (row[2, i] + s * row[3, i]))
    counts[at.EVALUATIONS] += 1
    if call(rhs, run, t + s * h, x, slope) != 0:
        return
    for i in range(y.shape[0]):
        bend = (h * slope[i] - (row[1, i] + s * (2.0 * row[2, i] + 3.0 * s * row[3, i]))) / _BEND
        row[2, i] += bend
        row[3, i] -= 2.0 * bend
        row[4, i] = bend


@kernel
def advance_rk4(rhs, accept, monitor, run, ref, control, counts, y, atol, active, memory, g, steps, dense, refs):
    """Step towards END as the contract says; return why it stopped.

    Rows of memory: f at the present state, k2, k3, k4 (then f at the new state), state of a stage, new state.
    """
    fresh, last = counts[at.FRESH], counts[at.STEPS] + counts[at.LIMIT]
    status = begin(rhs, monitor, run, ref, control, counts, y, memory[0], g)
    if fresh != 0:
        control[at.BASE] = math.inf  # no grid yet
    while status == at.STEP:
        status = ready(control, counts, steps, last)
        if status != at.STEP:
            break
        t, point = control[at.T], next_point(control, counts)
        end = point
        while True:
            h = end - t
            outcome = runge_kutta(rhs, run, ref, t, h, y, memory[0], memory[1:6], counts)
            if outcome == 0:
                outcome = settle(rhs, accept, run, ref, end, memory[5], memory[3], active, counts, refs)
            if outcome == 0:
                break
            counts[at.REJECTED] += 1
            end = t + 0.5 * h
            if outcome == at.ACCEPT_FAILED or abs(h) < FINEST * control[at.FIXED] or end == t:
                return at.STEP_TOO_SMALL if outcome == 2 else outcome
        for j in range(g.shape[1]):
            g[0, j] = g[1, j]
        jumped = watch_stage(monitor, run, ref, end, memory[4], g)
        crossed = monitor != 0 and (watch(monitor, run, ref, end, memory[5], g) or jumped)
        if crossed or counts[at.DENSE] != 0:
            _dense(rhs, run, ref, t, h, y, memory, counts, dense[counts[at.STORED]])
        commit(control, counts, h, end, y, memory[5], np.int64(ORDER))
        if end == point:
            reach(control, counts, point)
        for i in range(y.shape[0]):
            memory[0, i] = memory[3, i]
        if crossed or counts[at.DENSE] != 0:
            store(control, counts, steps)
        if crossed:
            return at.EVENT
    return status
