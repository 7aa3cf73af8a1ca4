"""Backward differentiation of variable order (1 to 5) and step for the equations of motion with constraints.

Brenan, Campbell, Petzold, Numerical Solution of Initial-Value Problems in Differential-Algebraic Equations, chapter 5, whose
notation is used here: fixed leading coefficient, modified divided differences. With ψ_i = h_{n+1} + … + h_{n+2−i}

* α_i = h/ψ_i(n+1), β_i = Π_{j<i} ψ_j(n+1)/ψ_j(n), γ_i = Σ_{j<i} α_j/h, σ_i = (i − 1)! Π_{j≤i} α_j, φ*_i = β_i φ_i(n),
* predictor y⁰ = Σ φ*_i, y′⁰ = Σ γ_i φ*_i (i = 1 … k + 1),
* y′ = y′⁰ + c (y − y⁰) with c = (1 + 1/2 + … + 1/k)/h; what is left of it besides c y is called β here,
* error of order k: σ_{k+1} (y − y⁰), and likewise with one and two more terms for the orders k − 1 and k − 2.

The unknowns of Newton's iteration are (v, λ): a = c v + β_v, and c q + β_q = N(q)(v + d) gives q. In the form "ggl" d moves q
on Φ = 0 (Gear, Gupta, Leimkuhler: d = M⁻¹Φ_qᵀμ), in the others it is zero. Neither λ nor the work w are in any test, but λ is
predicted as y is: the iteration converges to v and λ together.

φ(n) stays untouched until a step is accepted. When `accept` moves the new state, that is the newest point of the history; where
it says that the equations are rough near by, the whole history moves with the new state.
"""

from __future__ import annotations

import math

import numpy as np

from multibody.integrators import contract as at
from multibody.integrators.adaptive import GENTLY, AdaptiveMethod
from multibody.integrators.bdf_newton import (
    BETA,
    BETAS,
    C_MATRIX,
    DEFECT,
    ERROR,
    ERROR_CONSTANT,
    HIGHEST,
    PHI,
    PREDICTED,
    ROWS,
    SIGMAS,
    STAR,
    TABLE,
    WAS_GENTLE,
    C,
    coefficients,
    lengths,
    predict,
    solve,
    views,
)
from multibody.integrators.contract import interpolate_polynomial
from multibody.integrators.driver import NEW, SLOPE, advance_by
from multibody.integrators.implicit import PRODUCT, SOLVE, START, hopeless, slope_of
from multibody.kernels.calls import call
from multibody.kernels.compile import inner_kernel, kernel
from multibody.kernels.stacked import changes_size, lambda_at, positions_at, power_at

_WORTH, _GROW, _SAFETY = 2.0, 2.0, 0.9
_PATIENCE = 12  # failed tests in a row that are met gently where the equations are rough near by
_REMEMBERED = 20  # steps for which errors are filtered once that has made a difference

interpolate_bdf = interpolate_polynomial
rows_bdf = ROWS
work_bdf = lengths


@inner_kernel
def _take_over(control, counts, memory, work):
    """Write the new state of the iteration and its difference from the prediction."""
    nq, n, m = counts[at.NQ], counts[at.NV], counts[at.NM]
    parts = views(counts, work)
    x, r = parts.x, parts.r
    new, p, defect = memory[NEW], memory[PREDICTED], memory[DEFECT]
    for i in range(nq + n):
        new[i] = x[i]
    new[nq + n] = (r[power_at(n, m)] - memory[BETA, nq + n]) / control[C]
    for i in range(nq + n + 1):
        defect[i] = new[i] - p[i]


@inner_kernel
def _settle_work(ops, run, t, control, counts, memory, work):
    """Find λ of the accepted state exactly, and the work with it: the iteration stops when (q, v) are good enough."""
    nq, n, m = counts[at.NQ], counts[at.NV], counts[at.NM]
    parts = views(counts, work)
    x, r = parts.x, parts.r
    counts[at.EVALUATIONS] += 1
    if call(ops[START], run, t, memory[NEW], r[: n + m + 1]) == 0:
        for i in range(m):
            x[lambda_at(nq, n) + i] = r[n + i]
        memory[NEW, nq + n] = (r[n + m] - memory[BETA, nq + n]) / control[C]
        memory[DEFECT, nq + n] = memory[NEW, nq + n] - memory[PREDICTED, nq + n]


@inner_kernel
def _size(ops, run, t, which, k, control, counts, y, atol, active, memory, work):
    """Return the norm of y − y⁰ with the φ* of order k − which added, for which = −1 with that of order k + 1 taken away.

    While SUSPECT the rates are first multiplied by A⁻¹cM, A being the iteration matrix. That leaves alone what moves slowly and
    takes away what stiff springs, dampers and constraints determine: there v is a difference quotient of q, which jumps by
    its error whenever step or order change, but does not live on.
    """
    parts = views(counts, work)
    b, s = parts.b, parts.s
    nq, n, rtol = counts[at.NQ], counts[at.NV], control[at.RTOL]
    new, error, defect = memory[NEW], memory[ERROR], memory[DEFECT]
    for i in range(y.shape[0]):
        error[i] = defect[i]
        if which < 0:
            error[i] -= memory[STAR + k + 1, i]
        for j in range(which):
            error[i] += memory[STAR + k - j, i]
    if counts[at.SUSPECT] > 0:
        z = views(counts, work).x[: changes_size(n)]
        for i in range(n):
            z[i] = control[C_MATRIX] * error[nq + i]
            z[n + i] = 0.0
            z[positions_at(n) + i] = 0.0
        if call(ops[PRODUCT], run, t, z, b) == 0 and call(ops[SOLVE], run, t, b, s) == 0:
            for i in range(n):
                error[nq + i] = s[i]
    total, count = 0.0, 0
    for i in range(y.shape[0]):
        if active[i] != 0.0:
            count += 1
            scale = atol[i] + rtol * max(abs(y[i]), abs(new[i]))
            if scale > 0.0:
                e = error[i] / scale
                total += e * e
    return math.sqrt(total / count) if count > 0 else 0.0


@inner_kernel
def _lower(k, here, below, lowest):
    """Return whether the errors of the orders k, k − 1, k − 2 ask for a lower order."""
    if k > 2:
        return max(k * below, (k - 1) * lowest) <= (k + 1) * here
    return k == 2 and 2.0 * below <= 0.5 * (k + 1) * here


@inner_kernel
def _errors(ops, run, t, k, control, counts, y, atol, active, memory, work):
    """Return the error that is tested and those of the orders k, k − 1, k − 2, all over the tolerance.

    They are filtered where that makes a difference: tried whenever they ask for a shorter step or a lower order.
    """
    size, here, below, lowest, raw = 0.0, 0.0, 0.0, 0.0, 0.0
    for attempt in range(2):
        size = _size(ops, run, t, np.int64(0), k, control, counts, y, atol, active, memory, work)
        here = control[SIGMAS + k] * size
        if k > 1:
            size1 = _size(ops, run, t, np.int64(1), k, control, counts, y, atol, active, memory, work)
            below = control[SIGMAS + k - 1] * size1
        if k > 2:
            size2 = _size(ops, run, t, np.int64(2), k, control, counts, y, atol, active, memory, work)
            lowest = control[SIGMAS + k - 2] * size2
        if attempt == 1:
            counts[at.SUSPECT] = _REMEMBERED if size < 0.5 * raw else 0
        elif counts[at.SUSPECT] > 0:
            counts[at.SUSPECT] -= 1
            break
        elif control[ERROR_CONSTANT] * size <= 1.0 and here < 0.5 and not _lower(k, here, below, lowest):
            break
        else:
            counts[at.SUSPECT] = 1
            raw = size
    return control[ERROR_CONSTANT] * size, here, below, lowest


@inner_kernel
def _update(control, counts, h, k, left, memory, work):
    """Make the differences at the new state.

    Where `accept` says that the equations are rough, it moves states by errors that differ from step to step. In the newest
    point alone they would pass for high derivatives, which shorter steps make no smaller. A constant changes neither
    derivatives nor errors: the first difference is the moved state, all others are those of what solved the equations. Of λ
    only the value is known where that has been left behind.
    """
    new, defect, slope, beta, c = memory[NEW], memory[DEFECT], memory[SLOPE], memory[BETA], control[C]
    for i in range(new.shape[0]):
        slope[i] = c * (memory[PREDICTED, i] + defect[i]) + beta[i]  # of what solved the equations
        last = memory[PREDICTED, i] + defect[i] if counts[at.GENTLE] == 1 else new[i]
        for j in range(k + 1):
            memory[PHI + j, i] = last
            last -= memory[STAR + j, i]
        memory[PHI + k + 1, i] = last
        memory[PHI, i] = new[i]
    counts[at.DEPTH] = k + 2
    for j in range(HIGHEST + 1, 0, -1):
        control[at.PAST + j] = control[at.PAST + j - 1]
    control[at.PAST] = h
    parts = views(counts, work)
    x, lam = parts.x, parts.lam
    m = counts[at.NM]
    for i in range(m):
        last = x[lambda_at(counts[at.NQ], counts[at.NV]) + i]
        for j in range(k + 2):
            star = control[BETAS + j] * lam[j * m + i]
            lam[j * m + i] = last
            last = 0.0 if left else last - star


@inner_kernel
def _choose(control, counts, h, k, here, below, lowest, above, grow):
    """Choose order and length of the next step after an accepted one.

    Errors times (order + 1), which are those of the next term of a series, should fall from order to order. The length is
    left alone unless it can be doubled or must shrink: each change costs a factorization.
    """
    lower = _lower(k, here, below, lowest)
    if lower or k == counts[at.MAX_ORDER]:
        counts[at.STARTING] = 0
    if counts[at.STARTING] != 0 and grow > 1.0:
        counts[at.ORDER] = k + 1
        control[at.H] = grow * h
        return
    order, error = k, here
    if lower or (k > 1 and above >= 0.0 and k * below <= min((k + 1) * here, (k + 2) * above)):
        order, error = k - 1, below
    elif above >= 0.0 and (k + 2) * above < (1.0 if k > 1 else 0.5) * (k + 1) * here:
        order, error = k + 1, above
    counts[at.ORDER] = order
    factor = (2.0 * error + 1e-4) ** (-1.0 / (order + 1))
    if factor >= _WORTH:
        control[at.H] = h * grow
    elif factor <= 1.0:
        control[at.H] = h * max(0.5, min(_SAFETY, factor))
    else:
        control[at.H] = h


@inner_kernel
def _between(ops, run, t, end, h, k, y, control, counts, memory, work, row):
    """Write the powers of the polynomial through the k + 1 newest points into row; the differences are those at the end.

    Where the whole history has moved with the last point, what it has moved by is spread over the step as s²(3 − 2s).
    """
    count = row.shape[1]
    for j in range(row.shape[0]):
        for i in range(count):
            row[j, i] = 0.0
        control[TABLE + j] = 0.0
    # Π (s − s_i)/(1 − s_{i+1}) with s_0 = 1, s_1 = 0, s_2 = −PAST[1]/h …; PAST[0] is this step
    control[TABLE] = 1.0
    node, span = 1.0, 0.0
    for j in range(k + 1):
        phi = memory[PHI + j]
        for q in range(j + 1):
            weight = control[TABLE + q]
            if weight != 0.0:
                for i in range(count):
                    row[q, i] += weight * phi[i]
        span += control[at.PAST + j]
        scale = h / span
        for q in range(j + 1, 0, -1):
            control[TABLE + q] = scale * (control[TABLE + q - 1] - node * control[TABLE + q])
        control[TABLE] *= -node * scale
        node = 1.0 - span / h
    if counts[at.GENTLE] == 1:
        for i in range(count):
            moved = memory[NEW, i] - memory[PREDICTED, i] - memory[DEFECT, i]
            row[0, i] -= moved
            row[2, i] += 3.0 * moved
            row[3, i] -= 2.0 * moved


@inner_kernel
def _begin_history(control, counts, h, y, memory):
    """Begin at order 1 with the present state and its slope, as if a step of length h had led here."""
    counts[at.ORDER] = 1
    counts[at.DEPTH] = 2
    counts[at.STARTING] = 1
    for j in range(HIGHEST + 2):
        control[at.PAST + j] = 0.0
    control[at.PAST] = h
    for i in range(y.shape[0]):
        memory[PHI, i] = y[i]
        memory[PHI + 1, i] = h * memory[SLOPE, i]


@inner_kernel
def _slope(ops, run, t, y, counts, f, work):
    """Write y' at (t, y), and (a, λ, power) into the residual; return a status."""
    parts = views(counts, work)
    r, move = parts.r, parts.move
    return slope_of(ops, run, t, y, counts, f, r, move)


@inner_kernel
def _restart(control, counts, y, memory, work):
    """Forget the history, and begin that of λ."""
    parts = views(counts, work)
    r, lam = parts.r, parts.lam
    counts[at.ORDER] = 1
    counts[at.DEPTH] = 0
    if not 1 <= counts[at.MAX_ORDER] <= HIGHEST:
        counts[at.MAX_ORDER] = HIGHEST
    for i in range(counts[at.NM]):
        lam[i] = r[counts[at.NV] + i]
        lam[counts[at.NM] + i] = 0.0


@inner_kernel
def _attempt(ops, run, t, end, h, k, control, counts, y, atol, active, memory, work):
    """Try one step of order k; return how it ended and the errors of the orders k, k − 1, k − 2."""
    if counts[at.TRIES] == 0:
        control[WAS_GENTLE] = counts[at.GENTLE]
        if hopeless(y, atol, active, control[at.RTOL]):
            return at.HOPELESS, (0.0, 0.0, 0.0)
    if counts[at.DEPTH] == 0:
        _begin_history(control, counts, h, y, memory)
    coefficients(control, h, k)
    predict(control, counts, k, y, atol, memory)
    outcome = solve(ops, run, end, control, counts, memory, work)
    if outcome != 0:
        return outcome, (0.0, 0.0, 0.0)
    _take_over(control, counts, memory, work)
    error, here, below, lowest = _errors(ops, run, end, k, control, counts, y, atol, active, memory, work)
    if not error < math.inf:
        return at.NOT_FINITE, (0.0, 0.0, 0.0)
    return (at.STEP_TOO_SMALL if error > 1.0 else 0), (here, below, lowest)


@inner_kernel
def _shorten(outcome, errors, h, k, control, counts, y, memory):
    """Choose the order of another attempt after one that has failed; return its length over the failed one's."""
    if outcome != at.STEP_TOO_SMALL:
        return 0.5 if outcome == at.REFUSED else 0.25
    if counts[at.GENTLE] == 1 and counts[at.TESTS] <= _PATIENCE:
        return GENTLY
    counts[at.STARTING] = 0
    here, below, lowest = errors
    error = here
    if _lower(k, here, below, lowest):
        counts[at.ORDER] = k - 1
        error = below
    shrink = 0.25
    if counts[at.TESTS] == 1:
        shrink = max(0.25, min(_SAFETY, _SAFETY * (2.0 * error + 1e-4) ** (-1.0 / (counts[at.ORDER] + 1))))
    elif counts[at.TESTS] > 2:  # the past says nothing about what comes
        _begin_history(control, counts, 0.25 * h, y, memory)
    return shrink


@inner_kernel
def _go_on(ops, run, end, h, k, errors, control, counts, y, atol, active, memory, work):
    """Make the differences at the new state, and choose order and length of the next step."""
    here, below, lowest = errors
    left = control[WAS_GENTLE] == 1.0 and counts[at.GENTLE] == 0
    if counts[at.DRIVEN] != 0 or left:
        _settle_work(ops, run, end, control, counts, memory, work)
    above = -1.0
    if counts[at.DEPTH] > k + 1 and k < counts[at.MAX_ORDER]:
        size = _size(ops, run, end, np.int64(-1), k, control, counts, y, atol, active, memory, work)
        above = control[SIGMAS + k + 1] * size
    _update(control, counts, h, k, left, memory, work)
    _choose(control, counts, h, k, here, below, lowest, above, _GROW if counts[at.TRIES] == 0 else 1.0)


BDF = AdaptiveMethod(
    "bdf", order=0, exponent=0.5, new_slope=0, one_way=True, keeps_length=False, slope=_slope, restart=_restart,
    attempt=_attempt, shorten=_shorten, choose=_go_on, between=_between,
)  # fmt: skip


@kernel
def advance_bdf(ops, accept, monitor, run, ref, control, counts, y, atol, active, memory, g, steps, dense, refs, work):
    """Step towards END as the contract says; return why it stopped."""
    return advance_by(
        BDF, ops, accept, monitor, run, ref, control, counts, y, atol, active, memory, g, steps, dense, refs, work
    )
