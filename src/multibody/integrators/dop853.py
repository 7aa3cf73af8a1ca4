"""Dormand–Prince 8(5, 3): explicit, order 8, two error estimates, dense output of order 7.

Hairer, Nørsett, Wanner, Solving Ordinary Differential Equations I, sections II.4, II.5, II.10; the stiffness test is that of
Hairer, Wanner II, section IV.2. Twelve evaluations a step: the derivative at the new state, made after `accept` has had its
say, is the first stage of the next step. The dense output takes three evaluations more, only where it is asked for: a step can
be stored as it was made, and completed when somebody looks between the steps.
"""

from __future__ import annotations

import math

import numpy as np

from multibody.integrators import contract as at
from multibody.integrators import tableau as c
from multibody.integrators.adaptive import GENTLY, AdaptiveMethod
from multibody.integrators.contract import finite
from multibody.integrators.driver import NEW, SLOPE, SPARE, advance_by, nothing_past, right_side
from multibody.kernels.calls import call
from multibody.kernels.compile import inner_kernel, kernel

ORDER = 8
STAGE = SPARE  # row of memory: the state of the stage at hand
# rows of the slopes: of the present state, of the stages 2 to 12, of the new state, and of those that serve the dense output
HIGHER = 4  # rows of dense output behind those that need no further evaluations
K1, K2, K3, K4, K5, K6, K7, K8, K9, K10, K11, K12, K13, K14, K15, K16 = range(SLOPE, SLOPE + 16)
K = SLOPE - 1  # stages are counted from 1: that of stage s is the row K + s
rows_dop853 = K16 + 1
OLD = K2  # row of the state before, where a step is completed: its slopes 2 to 5 are not needed any more
STATE, NEW_STATE, FIRST_SLOPE, SIXTH_SLOPE = range(4)  # rows of a step that is stored as it was made; the slopes 7 to 13 follow
FROM_SIXTH, EXTRA = 8, 3  # slopes 6 to 13, which dense output is made of; further evaluations that it takes
_SAFETY, _SHRINK, _GROW = 0.9, 0.3, 6.0
_TEST_EVERY = 25  # steps; once stiffness is suspected, every step
_STABLE = 6.1  # h·|eigenvalue| on the border of the stability region
_SURE, _CLEAR = 15, 6  # steps in a row that prove stiffness, that disprove it


@inner_kernel
def _stages(rhs, run, t, h, y, memory, first, last):
    """Make the stages first to last of a step, stage 1 (and 13 for those that follow it) being there.

    Returns 0 or the status of the evaluation that failed. Only here is f called: one place costs the compiler a tenth of
    what twelve places do.
    """
    n, x = y.shape[0], memory[STAGE]
    k1, k2, k3, k4, k5, k6, k7 = memory[K1], memory[K2], memory[K3], memory[K4], memory[K5], memory[K6], memory[K7]
    k8, k9, k10, k11, k12, k13 = memory[K8], memory[K9], memory[K10], memory[K11], memory[K12], memory[K13]
    k14, k15 = memory[K14], memory[K15]
    for s in range(first, last + 1):
        if s == 2:
            for i in range(n):
                x[i] = y[i] + h * (c.A2_1 * k1[i])
        elif s == 3:
            for i in range(n):
                x[i] = y[i] + h * (c.A3_1 * k1[i] + c.A3_2 * k2[i])
        elif s == 4:
            for i in range(n):
                x[i] = y[i] + h * (c.A4_1 * k1[i] + c.A4_3 * k3[i])
        elif s == 5:
            for i in range(n):
                x[i] = y[i] + h * (c.A5_1 * k1[i] + c.A5_3 * k3[i] + c.A5_4 * k4[i])
        elif s == 6:
            for i in range(n):
                x[i] = y[i] + h * (c.A6_1 * k1[i] + c.A6_4 * k4[i] + c.A6_5 * k5[i])
        elif s == 7:
            for i in range(n):
                x[i] = y[i] + h * (c.A7_1 * k1[i] + c.A7_4 * k4[i] + c.A7_5 * k5[i] + c.A7_6 * k6[i])
        elif s == 8:
            for i in range(n):
                x[i] = y[i] + h * (c.A8_1 * k1[i] + c.A8_4 * k4[i] + c.A8_5 * k5[i] + c.A8_6 * k6[i] + c.A8_7 * k7[i])
        elif s == 9:
            for i in range(n):
                x[i] = y[i] + h * (
                    c.A9_1 * k1[i] + c.A9_4 * k4[i] + c.A9_5 * k5[i] + c.A9_6 * k6[i] + c.A9_7 * k7[i] + c.A9_8 * k8[i]
                )
        elif s == 10:
            for i in range(n):
                x[i] = y[i] + h * (
                    c.A10_1 * k1[i]
                    + c.A10_4 * k4[i]
                    + c.A10_5 * k5[i]
                    + c.A10_6 * k6[i]
                    + c.A10_7 * k7[i]
                    + c.A10_8 * k8[i]
                    + c.A10_9 * k9[i]
                )
        elif s == 11:
            for i in range(n):
                x[i] = y[i] + h * (
                    c.A11_1 * k1[i]
                    + c.A11_4 * k4[i]
                    + c.A11_5 * k5[i]
                    + c.A11_6 * k6[i]
                    + c.A11_7 * k7[i]
                    + c.A11_8 * k8[i]
                    + c.A11_9 * k9[i]
                    + c.A11_10 * k10[i]
                )
        elif s == 12:
            for i in range(n):
                x[i] = y[i] + h * (
                    c.A12_1 * k1[i]
                    + c.A12_4 * k4[i]
                    + c.A12_5 * k5[i]
                    + c.A12_6 * k6[i]
                    + c.A12_7 * k7[i]
                    + c.A12_8 * k8[i]
                    + c.A12_9 * k9[i]
                    + c.A12_10 * k10[i]
                    + c.A12_11 * k11[i]
                )
        elif s == 14:
            for i in range(n):
                x[i] = y[i] + h * (
                    c.A14_1 * k1[i]
                    + c.A14_7 * k7[i]
                    + c.A14_8 * k8[i]
                    + c.A14_9 * k9[i]
                    + c.A14_10 * k10[i]
                    + c.A14_11 * k11[i]
                    + c.A14_12 * k12[i]
                    + c.A14_13 * k13[i]
                )
        elif s == 15:
            for i in range(n):
                x[i] = y[i] + h * (
                    c.A15_1 * k1[i]
                    + c.A15_6 * k6[i]
                    + c.A15_7 * k7[i]
                    + c.A15_8 * k8[i]
                    + c.A15_11 * k11[i]
                    + c.A15_12 * k12[i]
                    + c.A15_13 * k13[i]
                    + c.A15_14 * k14[i]
                )
        else:
            for i in range(n):
                x[i] = y[i] + h * (
                    c.A16_1 * k1[i]
                    + c.A16_6 * k6[i]
                    + c.A16_7 * k7[i]
                    + c.A16_8 * k8[i]
                    + c.A16_9 * k9[i]
                    + c.A16_13 * k13[i]
                    + c.A16_14 * k14[i]
                    + c.A16_15 * k15[i]
                )
        status = call(rhs, run, t + c.C[s - 1] * h, x, memory[K + s])
        if status != 0:
            return status
    return 0


@inner_kernel
def _new_state(h, y, memory):
    """Write the new state. That of stage 12, at the end of the step as well, stays behind for the stiffness test."""
    k1, k6, k7, k8, k9 = memory[K1], memory[K6], memory[K7], memory[K8], memory[K9]
    k10, k11, k12, new = memory[K10], memory[K11], memory[K12], memory[NEW]
    for i in range(y.shape[0]):
        new[i] = y[i] + h * (
            c.B1 * k1[i]
            + c.B6 * k6[i]
            + c.B7 * k7[i]
            + c.B8 * k8[i]
            + c.B9 * k9[i]
            + c.B10 * k10[i]
            + c.B11 * k11[i]
            + c.B12 * k12[i]
        )


@inner_kernel
def _error(h, y, atol, active, rtol, memory):
    """Return the error of the step over its tolerance: the estimate of order 5, made smaller by that of order 3.

    With e5 and e3 the two norms it is e5²/√(e5² + e3²/100), of order 8 in h.
    """
    k1, k6, k7, k8, k9 = memory[K1], memory[K6], memory[K7], memory[K8], memory[K9]
    k10, k11, k12, new = memory[K10], memory[K11], memory[K12], memory[NEW]
    fifth, third, count = 0.0, 0.0, 0
    for i in range(y.shape[0]):
        if active[i] != 0.0:
            count += 1
            five = (
                c.E5_1 * k1[i]
                + c.E5_6 * k6[i]
                + c.E5_7 * k7[i]
                + c.E5_8 * k8[i]
                + c.E5_9 * k9[i]
                + c.E5_10 * k10[i]
                + c.E5_11 * k11[i]
                + c.E5_12 * k12[i]
            )
            three = (
                c.E3_1 * k1[i]
                + c.E3_6 * k6[i]
                + c.E3_7 * k7[i]
                + c.E3_8 * k8[i]
                + c.E3_9 * k9[i]
                + c.E3_10 * k10[i]
                + c.E3_11 * k11[i]
                + c.E3_12 * k12[i]
            )
            if five != 0.0 or three != 0.0:
                scale = 1.0 / (atol[i] + rtol * max(abs(y[i]), abs(new[i])))
                fifth += (five * scale) * (five * scale)
                third += (three * scale) * (three * scale)
    together = fifth + 0.01 * third
    if together == 0.0:
        return 0.0
    return abs(h) * fifth / math.sqrt(together * count)


@inner_kernel
def _between(rhs, run, t, end, h, order, y, control, counts, memory, work, row):
    """Write the dense output of a step into row (8, n), or what it is made of into row (11, n)."""
    if counts[at.DENSE] == at.LATER and counts[at.GENTLE] == 0:
        _keep(y, memory, row)
        counts[at.AS_MADE] += 1
        return
    if counts[at.DENSE] == at.LATER:
        counts[at.DENSE] = 1
    counts[at.EVALUATIONS] += EXTRA
    _complete(rhs, run, t, h, y, memory, row)


@inner_kernel
def _keep(y, memory, row):
    """Write both states and the slopes that the dense output is made of."""
    new, before = memory[NEW], memory[K1]
    for i in range(y.shape[0]):
        row[STATE, i] = y[i]
        row[NEW_STATE, i] = new[i]
        row[FIRST_SLOPE, i] = before[i]
    for j in range(FROM_SIXTH):
        slope = memory[K6 + j]
        for i in range(y.shape[0]):
            row[SIXTH_SLOPE + j, i] = slope[i]


@inner_kernel
def _complete(rhs, run, t, h, y, memory, row):
    """Write the dense output of a step into the first eight rows of row; its slopes, and the new state, are in the memory.

    It uses the state and the derivative that `accept` has left, so steps join without a gap. The first four rows alone are
    the cubic Hermite polynomial, which remains if an evaluation fails.
    """
    new, before, after = memory[NEW], memory[K1], memory[K13]
    for i in range(y.shape[0]):
        change = new[i] - y[i]
        row[0, i] = y[i]
        row[1, i] = change
        row[2, i] = h * before[i] - change
        row[3, i] = 2.0 * change - h * (before[i] + after[i])
        for r in range(HIGHER, 8):
            row[r, i] = 0.0
    if _stages(rhs, run, t, h, y, memory, np.int64(14), np.int64(16)) != 0:
        return
    for r in range(4):
        for i in range(y.shape[0]):
            total = c.D[r, 0] * before[i]
            for j in range(5, 16):
                total += c.D[r, j] * memory[K1 + j, i]
            row[HIGHER + r, i] = h * total


@kernel
def complete_dop853(rhs, run, ref, steps, kept, refs, memory, dense):
    """Write the dense output (steps, 8, n) of steps that were stored as they were made (steps, 11, n).

    `refs` are the references behind each step, with which f is evaluated; `ref` is overwritten, `memory` is room as ``advance``
    takes it.
    """
    for k in range(steps.shape[0]):
        y, row = memory[OLD], kept[k]
        for i in range(ref.shape[0]):
            ref[i] = refs[k, i]
        for i in range(y.shape[0]):
            y[i] = row[STATE, i]
            memory[NEW, i] = row[NEW_STATE, i]
            memory[K1, i] = row[FIRST_SLOPE, i]
        for j in range(FROM_SIXTH):
            for i in range(y.shape[0]):
                memory[K6 + j, i] = row[SIXTH_SLOPE + j, i]
        _complete(rhs, run, steps[k, 0], steps[k, 1], y, memory, dense[k])


@kernel
def interpolate_dop853(row, t0, h, t, out):
    """Write y(t) of the step from t0 to t0 + h with the dense output row (8, n) into out (n,)."""
    s = (t - t0) / h
    r = 1.0 - s
    for i in range(out.shape[0]):
        tail = row[4, i] + s * (row[5, i] + r * (row[6, i] + s * row[7, i]))
        out[i] = row[0, i] + s * (row[1, i] + r * (row[2, i] + s * (row[3, i] + r * tail)))


@inner_kernel
def _test_stiffness(h, atol, rtol, active, counts, memory):
    """Estimate the largest eigenvalue from the two derivatives at the end of the step; raise STIFF when it limits h."""
    k12, k13, x, new = memory[K12], memory[K13], memory[STAGE], memory[NEW]
    above, below = 0.0, 0.0
    for i in range(new.shape[0]):
        if active[i] != 0.0:
            scale = 1.0 / (atol[i] + rtol * abs(new[i]))
            slope, change = (k13[i] - k12[i]) * scale, (new[i] - x[i]) * scale
            above += slope * slope
            below += change * change
    if below > 0.0 and h * h * above > _STABLE * _STABLE * below:
        counts[at.CLEARED] = 0
        counts[at.SUSPECT] += 1
        if counts[at.SUSPECT] == _SURE:
            counts[at.STIFF] = 1
    else:
        counts[at.CLEARED] += 1
        if counts[at.CLEARED] == _CLEAR:
            counts[at.SUSPECT] = 0


@inner_kernel
def _factor(error, growth):
    """Return by what to multiply the step so that the error, if it goes on growing like this, is the tolerance."""
    return max(_SHRINK, _SAFETY * (error * growth) ** (-1.0 / ORDER))


@inner_kernel
def _attempt(rhs, run, t, end, h, order, control, counts, y, atol, active, memory, work):
    """Try one step; return how it ended, and the error over its tolerance."""
    counts[at.EVALUATIONS] += 11
    status = _stages(rhs, run, t, h, y, memory, np.int64(2), np.int64(12))
    if status != 0:
        counts[at.CODE] = status
        return at.RHS_FAILED, (0.0,)
    _new_state(h, y, memory)
    error = _error(h, y, atol, active, control[at.RTOL], memory)
    if not (error < math.inf and finite(memory[NEW])):
        return at.NOT_FINITE, (0.0,)
    return (at.STEP_TOO_SMALL if error > 1.0 else 0), (error,)


@inner_kernel
def _shorten(outcome, errors, h, order, control, counts, y, memory):
    """Return the length of another attempt over that of one that has failed."""
    if outcome != at.STEP_TOO_SMALL:
        return 0.5
    return GENTLY if counts[at.PATIENCE] >= 0 else _factor(errors[0], 1.0)


@inner_kernel
def _choose(rhs, run, end, h, order, errors, control, counts, y, atol, active, memory, work):
    """Choose the length of the next step by this error and the trend; test for stiffness now and then."""
    error, factor = errors[0], _GROW if counts[at.TRIES] == 0 else 1.0
    if error > 0.0:
        factor = min(factor, _factor(error, 1.0))
        if control[at.ERROR] > 0.0:  # the trend of the last two steps, if it asks for less
            trend = abs(h / control[at.H_LAST]) * _factor(error, error / control[at.ERROR])
            factor = min(factor, max(_SHRINK, trend))
    control[at.ERROR] = max(error, 0.01)
    control[at.H] = h * factor
    if counts[at.SUSPECT] > 0 or counts[at.STEPS] % _TEST_EVERY == 0:
        _test_stiffness(h, atol, control[at.RTOL], active, counts, memory)


DOP853 = AdaptiveMethod(
    "dop853", order=ORDER, exponent=1.0 / ORDER, new_slope=K13, one_way=False, keeps_length=True, slope=right_side,
    restart=nothing_past, attempt=_attempt, shorten=_shorten, choose=_choose, between=_between,
)  # fmt: skip


@kernel
def advance_dop853(rhs, accept, monitor, run, ref, control, counts, y, atol, active, memory, g, steps, dense, refs):
    """Step towards END as the contract says; return why it stopped."""
    return advance_by(
        DOP853, rhs, accept, monitor, run, ref, control, counts, y, atol, active, memory, g, steps, dense, refs, None
    )
