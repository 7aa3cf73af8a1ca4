"""Radau IIA with three stages: implicit, order 5, for stiff equations of motion with constraints on the velocities.

Hairer, Wanner, Solving Ordinary Differential Equations II, section IV.8 (program RADAU5), whose notation is used here. With
Z_i = Y_i − y_n and B = A⁻¹ the stages satisfy

* Σ_j B_ij Z_j(q)/h = N(Q_i) V_i,
* R(Q_i, V_i, A_i, Λ_i) = 0 with A_i = Σ_j B_ij Z_j(v)/h, and ψ(Q_i, V_i) = 0.

T⁻¹BT is block diagonal: one real system with c = γ/h and one complex one with c = (α − iβ)/h take the place of a system of
three times the size. In each, with r the transformed residuals and δq = (δv − N⁺r_q)/c along the rates,

``[[c M + C + K/c, Φ_qᵀ], [Φ_q + V/c, 0]] (δv, δλ) = (−r_R + K N⁺r_q/c, −r_ψ + V N⁺r_q/c)``.

The error estimate is the embedded one of order 3, filtered by the real matrix; the tolerance is transformed as in RADAU5, for
the method is of order 5. The work w is the quadrature of the power over the stages and in no test.
"""

from __future__ import annotations

import math

from multibody.integrators import contract as at
from multibody.integrators.adaptive import GENTLY, AdaptiveMethod
from multibody.integrators.contract import finite, interpolate_polynomial
from multibody.integrators.driver import NEW, SLOPE, advance_by
from multibody.integrators.implicit import PRODUCT, RESIDUAL, SOLVE, ask_move, hopeless, slope_of
from multibody.integrators.radau_stages import (
    AT_START,
    BOUND,
    END_STAGE,
    ERROR,
    FACCON,
    GAMMA,
    H_MATRIX,
    H_STAGES,
    LAST,
    MOST,
    P1,
    P2,
    P3,
    ROWS,
    THETA,
    TO_POWERS,
    WEIGHT,
    Z1,
    Z2,
    Z3,
    A,
    B,
    E,
    P,
    Z,
    iterate,
    lengths,
    loosened,
    matrices,
    predict,
    views,
)
from multibody.kernels.calls import call
from multibody.kernels.compile import inner_kernel, kernel
from multibody.kernels.stacked import RATES, TANGENT, changes_size, positions_at

_SAFETY, _SHRINK, _GROW = 0.9, 8.0, 5.0
_KEEP = 0.05  # rate of the iteration up to which the linearization serves another step
_CAUTION, _RELAX = 0.75, 1.08  # bound of the next steps over one that did not converge; its growth from step to step
_SAME = 1.2  # a step that would grow by no more stays as it is, and the factors with it

interpolate_radau = interpolate_polynomial
rows_radau = ROWS
work_radau = lengths


@inner_kernel
def _estimate(ops, run, t, h, again, counts, y, active, memory, work):
    """Return the error of the step over its tolerance; again = 1: filtered once more, from an evaluation at the error."""
    parts = views(counts, work)
    x, r, move, rate, g = parts.x, parts.r, parts.move, parts.rate, parts.g
    tangent, b, s, lam = parts.tangent, parts.b, parts.s, parts.lam
    nq, n, m, c, size = counts[at.NQ], counts[at.NV], counts[at.NM], GAMMA / h, counts[at.NQ] + counts[at.NV]
    error, slope = memory[ERROR], memory[SLOPE]
    status = 0
    if again == 1:
        for i in range(size):
            x[i] = y[i] + error[i]
        for i in range(n):
            x[size + i] = 0.0
        for i in range(m):
            x[size + n + i] = lam[AT_START * m + i]
        counts[at.EVALUATIONS] += 1
        status = call(ops[RESIDUAL], run, t, x, r)
        status += ask_move(ops, run, t, float(RATES), x[:nq], x[nq:size], move, g[:nq])
    for i in range(size):
        e = (E[0] * memory[Z1, i] + E[1] * memory[Z2, i] + E[2] * memory[Z3, i]) / h
        if i < nq:
            g[i] = e + (g[i] if again == 1 else slope[i])
        else:
            x[i - nq] = e + (0.0 if again == 1 else slope[i])
    status += ask_move(ops, run, t, float(TANGENT), y[:nq], g[:nq], move, tangent[:n])
    for i in range(n):
        x[n + i] = 0.0
        x[positions_at(n) + i] = -tangent[i] / c
    status += call(ops[PRODUCT], run, t, x[: changes_size(n)], b[: n + m])
    if again == 1:
        for i in range(n + m):
            b[i] -= r[i]
    status += call(ops[SOLVE], run, t, b[: n + m], s[: n + m])
    status += ask_move(ops, run, t, float(RATES), y[:nq], s[:n], move, rate)
    total, count = 0.0, 0
    for i in range(size):
        error[i] = (rate[i] + g[i]) / c if i < nq else s[i - nq]
        if active[i] != 0.0:
            count += 1
            e = error[i] * memory[WEIGHT, i]
            total += e * e
    return math.sqrt(total / max(count, 1)) if status == 0 else math.inf


@inner_kernel
def _take_over(h, counts, y, memory, work):
    """Write the new state with its work; the stages get theirs."""
    power = views(counts, work).power
    last = y.shape[0] - 1
    for k in range(3):
        memory[Z + k, last] = h * (A[k, 0] * power[0] + A[k, 1] * power[1] + A[k, 2] * power[2])
    for i in range(last + 1):
        memory[NEW, i] = y[i] + memory[Z3, i]


@inner_kernel
def _update(control, counts, h, y, memory, work):
    """Keep what the next step needs: powers and multipliers of this one, and y' at its end."""
    parts = views(counts, work)
    lam, power = parts.lam, parts.power
    m, last = counts[at.NM], y.shape[0] - 1
    for i in range(last + 1):
        z0, z1, z2 = memory[Z1, i], memory[Z2, i], memory[Z3, i]
        for j in range(3):
            memory[P + j, i] = TO_POWERS[j, 0] * z0 + TO_POWERS[j, 1] * z1 + TO_POWERS[j, 2] * z2
        memory[SLOPE, i] = (B[2, 0] * z0 + B[2, 1] * z1 + B[2, 2] * z2) / h
    memory[SLOPE, last] = power[2]
    for i in range(3 * m):
        lam[LAST * m + i] = lam[i]
    for i in range(m):
        lam[AT_START * m + i] = lam[END_STAGE * m + i]
    control[H_STAGES] = h


@inner_kernel
def _between(ops, run, t, end, h, order, y, control, counts, memory, work, row):
    """Write the powers of the collocation polynomial; what `accept` has moved is spread as s²(3 − 2s)."""
    for i in range(y.shape[0]):
        moved = memory[NEW, i] - y[i] - memory[Z3, i]
        row[0, i] = y[i]
        row[1, i] = memory[P1, i]
        row[2, i] = memory[P2, i] + 3.0 * moved
        row[3, i] = memory[P3, i] - 2.0 * moved


@inner_kernel
def _slope(ops, run, t, y, counts, f, work):
    """Write y' at (t, y), and (a, λ, power) into the residual; return a status."""
    parts = views(counts, work)
    r, move = parts.r, parts.move
    return slope_of(ops, run, t, y, counts, f, r, move)


@inner_kernel
def _restart(control, counts, y, memory, work):
    """Forget stages and matrices; keep λ of the start."""
    parts = views(counts, work)
    r, lam = parts.r, parts.lam
    for i in range(counts[at.NM]):
        lam[AT_START * counts[at.NM] + i] = r[counts[at.NV] + i]
    control[H_MATRIX] = 0.0
    control[H_STAGES] = 0.0
    control[FACCON] = 1.0
    control[BOUND] = 0.0


@inner_kernel
def _attempt(ops, run, t, end, h, order, control, counts, y, atol, active, memory, work):
    """Try one step; return how it ended, its error, and by what to multiply the step (error 0) or the iterations made.

    SUSPECT counts the linearizations at this state.
    """
    if counts[at.TRIES] == 0:
        counts[at.SUSPECT] = 0
        if hopeless(y, atol, active, control[at.RTOL] * loosened(control[at.RTOL])):
            return at.HOPELESS, (0.0, 0.0)
    rtol = predict(control, counts, h, y, atol, memory, work)
    outcome, factor = 0, 0.0
    for attempt in range(2):
        renew = counts[at.MATRIX] != at.USED or attempt == 1
        if renew or control[H_MATRIX] != h:
            outcome = matrices(ops, run, t, h, renew, control, counts, y, memory, work)
            if outcome != 0:
                return outcome, (0.0, 0.5)
            if renew:
                control[FACCON] = 1.0
                counts[at.SUSPECT] += 1
        outcome, factor = iterate(ops, run, t, h, rtol, control, counts, y, memory, work)
        if outcome != at.NEWTON or counts[at.SUSPECT] > 0:
            break
        predict(control, counts, h, y, atol, memory, work)
    if outcome != 0:
        counts[at.NOT_CONVERGED] += 1 if outcome == at.NEWTON else 0
        counts[at.MATRIX] = at.STALE  # it belongs to a longer step
        control[FACCON] = 1.0
        return outcome, (0.0, factor)
    error = math.inf
    for again in range(2 if counts[at.TRIES] > 0 or control[H_STAGES] == 0.0 else 1):
        if error >= 1.0:
            error = min(error, _estimate(ops, run, t, h, again, counts, y, active, memory, work))
    _take_over(h, counts, y, memory, work)
    if not (error < math.inf and finite(memory[NEW])):
        return at.NOT_FINITE, (0.0, 0.5)
    return (at.STEP_TOO_SMALL if error >= 1.0 else 0), (error, factor)


@inner_kernel
def _shorten(outcome, errors, h, order, control, counts, y, memory):
    """Return the length of another attempt over that of one that has failed."""
    error, factor = errors
    if outcome == at.NEWTON:
        control[BOUND] = _CAUTION * abs(h)
        return factor
    if outcome != at.STEP_TOO_SMALL:
        return 0.5
    if counts[at.PATIENCE] >= 0:
        return GENTLY
    return 0.1 if control[H_STAGES] == 0.0 else max(1.0 / _SHRINK, min(_SAFETY, _SAFETY * error**-0.25))


@inner_kernel
def _choose(control, counts, h, error, iterations):
    """Choose the length of the next step by this error and the trend, and whether the matrices serve it as well."""
    error = max(error, 1e-10)
    safety = min(_SAFETY, _SAFETY * (1.0 + 2.0 * MOST) / (iterations + 2.0 * MOST))
    quotient = max(1.0 / _GROW, min(_SHRINK, error**0.25 / safety))
    if control[at.ERROR] > 0.0:
        trend = abs(control[at.H_LAST] / h) * (error * error / control[at.ERROR]) ** 0.25 / _SAFETY
        quotient = max(quotient, max(1.0 / _GROW, min(_SHRINK, trend)))
    control[at.ERROR] = max(error, 0.01)
    new = 1.0 / quotient if counts[at.TRIES] == 0 else min(1.0 / quotient, 1.0)
    if control[THETA] > _KEEP:
        counts[at.MATRIX] = at.STALE
    elif 1.0 <= new <= _SAME:
        new = 1.0
    if control[BOUND] > 0.0:  # the iteration does not converge everywhere where errors are small
        control[BOUND] *= _RELAX
        new = min(new, max(control[BOUND] / abs(h), 1.0 / _SHRINK))
    control[at.H] = h * new


@inner_kernel
def _go_on(ops, run, end, h, order, errors, control, counts, y, atol, active, memory, work):
    """Keep what the next step needs, and choose its length."""
    error, iterations = errors
    _update(control, counts, h, y, memory, work)
    _choose(control, counts, h, error, iterations)


RADAU = AdaptiveMethod(
    "radau", order=5, exponent=0.25, new_slope=0, one_way=True, keeps_length=True, slope=_slope, restart=_restart,
    attempt=_attempt, shorten=_shorten, choose=_go_on, between=_between,
)  # fmt: skip


@kernel
def advance_radau(ops, accept, monitor, run, ref, control, counts, y, atol, active, memory, g, steps, dense, refs, work):
    """Step towards END as the contract says; return why it stopped."""
    return advance_by(
        RADAU, ops, accept, monitor, run, ref, control, counts, y, atol, active, memory, g, steps, dense, refs, work
    )
