"""Radau IIA with three stages: implicit, order 5, for stiff equations of motion with constraints on the velocities.

Hairer, Wanner, Solving Ordinary Differential Equations II, section IV.8 (program RADAU5), whose notation is used here. With
Z_i = Y_i − y_n and B = A⁻¹ the stages satisfy

* Σ_j B_ij Z_j(q)/h = N(Q_i) V_i,
* R(Q_i, V_i, A_i, Λ_i) = 0 with A_i = Σ_j B_ij Z_j(v)/h, and ψ(Q_i, V_i) = 0.

T⁻¹BT is block diagonal: one real system with c = γ/h and one complex one with c = (α − iβ)/h take the place of a system of three
times the size. In each, with r the transformed residuals and δq = (δv − N⁺r_q)/c along the rates,

``[[c M + C + K/c, Φ_qᵀ], [Φ_q + V/c, 0]] (δv, δλ) = (−r_R + K N⁺r_q/c, −r_ψ + V N⁺r_q/c)``.

The error estimate is the embedded one of order 3, filtered by the real matrix; the tolerance is transformed as in RADAU5, for the
method is of order 5. The work w is the quadrature of the power over the stages and in no test.
"""

from __future__ import annotations

import math

import numpy as np

from multibody.integrators import contract as at
from multibody.integrators.contract import (
    commit,
    finite,
    fitted_step,
    interpolate_polynomial,
    note_refusal,
    ready,
    store,
    too_small,
    watch,
)
from multibody.integrators.implicit import (
    FACTOR,
    LINEARIZE,
    MOVE,
    NEWTON,
    NONE,
    PRODUCT,
    RESIDUAL,
    ROUNDING,
    SOLVE,
    STALE,
    USED,
    begin,
    factored,
    first_step,
    offer,
)
from multibody.kernels.calls import call
from multibody.kernels.compile import inner_kernel, kernel

ORDER = 5
_S6 = math.sqrt(6.0)
C = np.array([(4.0 - _S6) / 10.0, (4.0 + _S6) / 10.0, 1.0])
A = np.array([
    [(88.0 - 7.0 * _S6) / 360.0, (296.0 - 169.0 * _S6) / 1800.0, (-2.0 + 3.0 * _S6) / 225.0],
    [(296.0 + 169.0 * _S6) / 1800.0, (88.0 + 7.0 * _S6) / 360.0, (-2.0 - 3.0 * _S6) / 225.0],
    [(16.0 - _S6) / 36.0, (16.0 + _S6) / 36.0, 1.0 / 9.0],
])  # fmt: skip
E = np.array([-13.0 - 7.0 * _S6, -13.0 + 7.0 * _S6, -1.0]) / 3.0
GAMMA = 3.0 + 3.0 ** (2.0 / 3.0) - 3.0 ** (1.0 / 3.0)  # eigenvalues of A⁻¹: γ and α ± iβ
ALPHA = 3.0 + 0.5 * (3.0 ** (1.0 / 3.0) - 3.0 ** (2.0 / 3.0))
BETA = 0.5 * (3.0 ** (5.0 / 6.0) + 3.0 ** (7.0 / 6.0))


def _inverse(M):
    """Return the inverse of a 3×3 matrix by cofactors: the same on every machine."""
    rows = [np.array([M[(i + 1) % 3] * 1.0, M[(i + 2) % 3] * 1.0]) for i in range(3)]
    cross = [[r[0][(j + 1) % 3] * r[1][(j + 2) % 3] - r[0][(j + 2) % 3] * r[1][(j + 1) % 3] for j in range(3)] for r in rows]
    cofactors = np.array(cross)
    return cofactors.T / (M[0, 0] * cofactors[0, 0] + M[0, 1] * cofactors[0, 1] + M[0, 2] * cofactors[0, 2])


def _eigenvector(M, value):
    """Return the eigenvector of a 3×3 matrix with third component 1."""
    a, b, c = M[0, 0] - value, M[0, 1], M[0, 2]
    d, e, f = M[1, 0], M[1, 1] - value, M[1, 2]
    det = a * e - b * d
    return np.array([(b * f - c * e) / det, (c * d - a * f) / det, 1.0])


B = _inverse(A)
_u = _eigenvector(B, complex(ALPHA, BETA))
T = np.stack([_eigenvector(B, GAMMA), _u.real, _u.imag], axis=1)
TI = _inverse(T)
_TO_POWERS = _inverse(np.stack([C, C**2, C**3], axis=1))  # of the stages: Z(s) = Σ s^(j+1) p_j

# rows of memory: Z, powers of the last step, new state, 1/scale, y' at the start of the step, an error, a guess
_Z, _P, _NEW, _WEIGHT, _SLOPE, _ERROR, _GUESS = 0, 3, 6, 7, 8, 9, 10
_H_MATRIX, _H_STAGES, _FACCON, _THETA = (at.SCRATCH + i for i in range(4))
_MOST = 7  # iterations
_SAFETY, _SHRINK, _GROW = 0.9, 8.0, 5.0
_KEEP = 0.05  # rate of the iteration up to which the linearization serves another step
_SAME = 1.2  # a step that would grow by no more stays as it is, and the factors with it
_FIRST = 0.25  # the first step is chosen as for an error that goes with its fourth power

interpolate_radau = interpolate_polynomial


@inner_kernel
def _views(counts, work):
    """Return the vectors in `work`.

    These are x = (q, v, a, λ) of a stage and its residual, what MOVE takes and gives, the residuals of the stages (three rows
    (q, v, ψ)), tangents (3 n), right side and solution of both systems (2 (n + m) each), λ of the stages, of those of the last
    step, at the start, the powers, and what FACTOR takes and gives.
    """
    nq, n, m = counts[at.NQ], counts[at.NV], counts[at.NM]
    a = nq + 2 * n + m
    b = a + n + 3 * m + 1
    c = b + 1 + nq + max(nq, n)
    d = c + nq
    e = d + 3 * (nq + n + m)
    f = e + 3 * n
    g = f + 2 * (n + m)
    h = g + 2 * (n + m)
    i = h + 7 * m
    j = i + 3
    return (
        work[:a], work[a:b], work[b:c], work[c:d], work[d:e], work[e:f], work[f:g], work[g:h], work[h:i], work[i:j],
        work[j : j + 10], work[j + 10 : j + 12],
    )  # fmt: skip


@inner_kernel
def _move(ops, I, F, W, ref, t, code, q, d, move, out):
    """Ask MOVE with code 0 or 1 (and q, d); return its status."""
    nq, size = q.shape[0], d.shape[0]
    move[0] = code
    for i in range(nq):
        move[1 + i] = q[i]
    for i in range(size):
        move[1 + nq + i] = d[i]
    return call(ops[MOVE], I, F, W, ref, t, move[: 1 + nq + size], out)


@inner_kernel
def _matrices(ops, I, F, W, ref, t, h, renew, control, counts, y, memory, work):
    """Linearize at the start of the step if asked, and factor both matrices; return 0 or how it failed."""
    x, _, _, _, _, _, _, _, lam, _, coefficients, ratio = _views(counts, work)
    nq, n, m = counts[at.NQ], counts[at.NV], counts[at.NM]
    counts[at.MATRIX] = NONE if renew else counts[at.MATRIX]
    control[_H_MATRIX] = 0.0
    if renew:
        for i in range(nq + n):
            x[i] = y[i]
        for i in range(n):
            x[nq + n + i] = memory[_SLOPE, nq + i]
        for i in range(m):
            x[nq + 2 * n + i] = lam[6 * m + i]
        counts[at.JACOBIANS] += 1
        status = call(ops[LINEARIZE], I, F, W, ref, t, x, x)
        if status != 0:
            counts[at.CODE] = status
            return at.RHS_FAILED
        counts[at.MATRIX] = USED
    c = GAMMA / h
    if not factored(ops, I, F, W, ref, t, counts, c, 1.0, 1.0 / c, 1.0 / c, coefficients, ratio[:1]):
        return NEWTON
    size = (ALPHA * ALPHA + BETA * BETA) / h
    coefficients[0] = ALPHA / h
    coefficients[1] = -BETA / h
    coefficients[4] = ALPHA / size
    coefficients[5] = BETA / size
    coefficients[8] = ALPHA / size
    coefficients[9] = BETA / size
    counts[at.FACTORIZATIONS] += 1
    if call(ops[FACTOR], I, F, W, ref, t, coefficients, ratio) != 0:
        return NEWTON
    control[_H_MATRIX] = h
    return 0


@inner_kernel
def _predict(control, counts, h, y, atol, memory, work):
    """Write the weights and the first guess of the stages, by the polynomials of the last step if there is one."""
    _, _, _, _, _, _, _, _, lam, _, _, _ = _views(counts, work)
    m, weight, rtol, old = counts[at.NM], memory[_WEIGHT], control[at.RTOL], control[_H_STAGES]
    loose = 0.1 * rtol ** (-1.0 / 3.0) if rtol > 0.0 else 1.0
    for k in range(3):
        z = memory[_Z + k]
        s = 1.0 + C[k] * h / old if old != 0.0 else 0.0
        for i in range(y.shape[0]):
            if old != 0.0:
                p1, p2, p3 = memory[_P, i], memory[_P + 1, i], memory[_P + 2, i]
                z[i] = (s - 1.0) * (p1 + p2 * (s + 1.0) + p3 * (s * s + s + 1.0))
            else:
                z[i] = C[k] * h * memory[_SLOPE, i]
        l0 = (s - C[1]) * (s - C[2]) / ((C[0] - C[1]) * (C[0] - C[2]))
        l1 = (s - C[0]) * (s - C[2]) / ((C[1] - C[0]) * (C[1] - C[2]))
        l2 = (s - C[0]) * (s - C[1]) / ((C[2] - C[0]) * (C[2] - C[1]))
        for i in range(m):
            lam[k * m + i] = lam[6 * m + i]
            if old != 0.0:
                lam[k * m + i] = l0 * lam[3 * m + i] + l1 * lam[4 * m + i] + l2 * lam[5 * m + i]
    for i in range(y.shape[0]):
        scale = loose * (atol[i] + rtol * max(abs(y[i]), abs(y[i] + memory[_Z + 2, i])))
        weight[i] = 1.0 / scale if scale > 0.0 else 0.0
    return rtol * loose


@inner_kernel
def _residuals(ops, I, F, W, ref, t, h, counts, y, memory, work):
    """Write the residuals of the three stages; return a status."""
    x, r, move, rate, g, _, _, _, lam, power, _, _ = _views(counts, work)
    nq, n, m = counts[at.NQ], counts[at.NV], counts[at.NM]
    size, row = nq + n, nq + n + m
    for k in range(3):
        b0, b1, b2 = B[k, 0] / h, B[k, 1] / h, B[k, 2] / h
        for i in range(size):
            x[i] = y[i] + memory[_Z + k, i]
        for i in range(n):
            j = nq + i
            x[size + i] = b0 * memory[_Z, j] + b1 * memory[_Z + 1, j] + b2 * memory[_Z + 2, j]
        for i in range(m):
            x[size + n + i] = lam[k * m + i]
        counts[at.EVALUATIONS] += 1
        status = call(ops[RESIDUAL], I, F, W, ref, t + C[k] * h, x, r)
        if status == 0:
            status = _move(ops, I, F, W, ref, t, 0.0, x[:nq], x[nq:size], move, rate)
        if status != 0:
            counts[at.CODE] = status
            return status
        for i in range(nq):
            g[k * row + i] = b0 * memory[_Z, i] + b1 * memory[_Z + 1, i] + b2 * memory[_Z + 2, i] - rate[i]
        for i in range(n + m):
            g[k * row + nq + i] = r[i]
        power[k] = r[n + 3 * m]
    return 0


@inner_kernel
def _real_system(ops, I, F, W, ref, t, h, counts, y, work):
    """Solve for the first transformed correction, which takes the place of its residual; return a status."""
    x, _, move, rate, g, tangent, b, s, _, _, _, _ = _views(counts, work)
    nq, n, m, c = counts[at.NQ], counts[at.NV], counts[at.NM], GAMMA / h
    status = _move(ops, I, F, W, ref, t, 1.0, y[:nq], g[:nq], move, tangent[:n])
    for i in range(n):
        x[i] = 0.0
        x[n + i] = 0.0
        x[2 * n + i] = tangent[i] / c
    if status == 0:
        status = call(ops[PRODUCT], I, F, W, ref, t, x[: 3 * n], b[: n + m])
    for i in range(n + m):
        b[i] -= g[nq + i]
    if status == 0:
        status = call(ops[SOLVE], I, F, W, ref, t, b[: n + m], s[: n + m])
    if status == 0:
        status = _move(ops, I, F, W, ref, t, 0.0, y[:nq], s[:n], move, rate)
    for i in range(nq):
        g[i] = (rate[i] - g[i]) / c
    for i in range(n + m):
        g[nq + i] = s[i]
    return status


@inner_kernel
def _complex_system(ops, I, F, W, ref, t, h, counts, y, work):
    """Solve for the other two transformed corrections, which take the place of their residuals; return a status."""
    x, r, move, rate, g, tangent, b, s, _, _, _, _ = _views(counts, work)
    nq, n, m = counts[at.NQ], counts[at.NV], counts[at.NM]
    row, size = nq + n + m, (ALPHA * ALPHA + BETA * BETA) / h
    re, im = ALPHA / size, BETA / size  # of 1/c
    status = 0
    for k in range(2):
        status += _move(ops, I, F, W, ref, t, 1.0, y[:nq], g[(1 + k) * row : (1 + k) * row + nq], move, tangent[k * n : k * n + n])
    for k in range(2):
        for i in range(n):
            x[i] = 0.0
            x[n + i] = 0.0
            x[2 * n + i] = (
                re * tangent[i] - im * tangent[n + i] if k == 0 else re * tangent[n + i] + im * tangent[i]
            )
        status += call(ops[PRODUCT], I, F, W, ref, t, x[: 3 * n], b[k * (n + m) : (k + 1) * (n + m)])
        for i in range(n + m):
            b[k * (n + m) + i] -= g[(1 + k) * row + nq + i]
    status += call(ops[SOLVE], I, F, W, ref, t, b, s)
    for k in range(2):
        status += _move(ops, I, F, W, ref, t, 0.0, y[:nq], s[k * (n + m) : k * (n + m) + n], move, rate)
        for i in range(nq):
            g[(1 + k) * row + i] = rate[i] - g[(1 + k) * row + i]
        for i in range(n + m):
            g[(1 + k) * row + nq + i] = s[k * (n + m) + i]
    for i in range(nq):
        a, b2 = g[row + i], g[2 * row + i]
        g[row + i] = re * a - im * b2
        g[2 * row + i] = re * b2 + im * a
    return status


@inner_kernel
def _transform(M, count, g):
    """Multiply the three rows of `g`, count numbers each, by M."""
    for i in range(count):
        a, b, c = g[i], g[count + i], g[2 * count + i]
        for k in range(3):
            g[k * count + i] = M[k, 0] * a + M[k, 1] * b + M[k, 2] * c


@inner_kernel
def _iterate(ops, I, F, W, ref, t, h, rtol, control, counts, y, memory, work):
    """Solve for the stages; return 0 or how it failed, and how many iterations it took or by what to multiply the step."""
    _, _, _, _, g, _, _, _, lam, _, _, _ = _views(counts, work)
    nq, n, m, weight = counts[at.NQ], counts[at.NV], counts[at.NM], memory[_WEIGHT]
    row, size = nq + n + m, nq + n
    enough = max(10.0 * ROUNDING / max(rtol, ROUNDING), min(0.03, math.sqrt(rtol)))
    faccon, before, theta = max(control[_FACCON], ROUNDING) ** 0.8, 0.0, 0.0
    for iteration in range(_MOST):
        counts[at.ITERATIONS] += 1
        if _residuals(ops, I, F, W, ref, t, h, counts, y, memory, work) != 0:
            return at.RHS_FAILED, 0.5
        _transform(TI, row, g)
        if _real_system(ops, I, F, W, ref, t, h, counts, y, work) != 0:
            return NEWTON, 0.5
        if _complex_system(ops, I, F, W, ref, t, h, counts, y, work) != 0:
            return NEWTON, 0.5
        _transform(T, row, g)
        total = 0.0
        for k in range(3):
            for i in range(size):
                e = g[k * row + i] * weight[i]
                total += e * e
                memory[_Z + k, i] += g[k * row + i]
            for i in range(m):
                lam[k * m + i] += g[k * row + size + i]
        norm = math.sqrt(total / (3.0 * size))
        if not norm < math.inf:
            return at.NOT_FINITE, 0.5
        if iteration > 0:
            rate = norm / before if before > 0.0 else 0.0
            theta = rate if iteration == 1 else math.sqrt(rate * theta)
            if theta >= 0.99:
                return NEWTON, 0.5
            faccon = theta / (1.0 - theta)
            left = faccon * norm * theta ** (_MOST - 2 - iteration) / enough
            if left >= 1.0 and faccon * norm > enough:
                return NEWTON, 0.8 * max(1e-4, min(20.0, left)) ** (-1.0 / (4.0 + _MOST - 2 - iteration))
        before = max(norm, ROUNDING)
        if faccon * norm <= enough:
            control[_FACCON] = faccon
            control[_THETA] = theta
            return 0, 1.0 + iteration
    return NEWTON, 0.5


@inner_kernel
def _estimate(ops, I, F, W, ref, t, h, again, counts, y, active, memory, work):
    """Return the error of the step over its tolerance; again = 1: filtered once more, from an evaluation at the error itself."""
    x, r, move, rate, g, tangent, b, s, lam, _, _, _ = _views(counts, work)
    nq, n, m, c, size = counts[at.NQ], counts[at.NV], counts[at.NM], GAMMA / h, counts[at.NQ] + counts[at.NV]
    error, slope = memory[_ERROR], memory[_SLOPE]
    status = 0
    if again == 1:
        for i in range(size):
            x[i] = y[i] + error[i]
        for i in range(n):
            x[size + i] = 0.0
        for i in range(m):
            x[size + n + i] = lam[6 * m + i]
        counts[at.EVALUATIONS] += 1
        status = call(ops[RESIDUAL], I, F, W, ref, t, x, r)
        status += _move(ops, I, F, W, ref, t, 0.0, x[:nq], x[nq:size], move, g[:nq])
    for i in range(size):
        e = (E[0] * memory[_Z, i] + E[1] * memory[_Z + 1, i] + E[2] * memory[_Z + 2, i]) / h
        if i < nq:
            g[i] = e + (g[i] if again == 1 else slope[i])
        else:
            x[i - nq] = e + (0.0 if again == 1 else slope[i])
    status += _move(ops, I, F, W, ref, t, 1.0, y[:nq], g[:nq], move, tangent[:n])
    for i in range(n):
        x[n + i] = 0.0
        x[2 * n + i] = -tangent[i] / c
    status += call(ops[PRODUCT], I, F, W, ref, t, x[: 3 * n], b[: n + m])
    if again == 1:
        for i in range(n + m):
            b[i] -= r[i]
    status += call(ops[SOLVE], I, F, W, ref, t, b[: n + m], s[: n + m])
    status += _move(ops, I, F, W, ref, t, 0.0, y[:nq], s[:n], move, rate)
    total, count = 0.0, 0
    for i in range(size):
        error[i] = (rate[i] + g[i]) / c if i < nq else s[i - nq]
        if active[i] != 0.0:
            count += 1
            e = error[i] * memory[_WEIGHT, i]
            total += e * e
    return math.sqrt(total / max(count, 1)) if status == 0 else math.inf


@inner_kernel
def _take_over(h, counts, y, memory, work):
    """Write the new state with its work; the stages get theirs."""
    _, _, _, _, _, _, _, _, _, power, _, _ = _views(counts, work)
    last = y.shape[0] - 1
    for k in range(3):
        memory[_Z + k, last] = h * (A[k, 0] * power[0] + A[k, 1] * power[1] + A[k, 2] * power[2])
    for i in range(last + 1):
        memory[_NEW, i] = y[i] + memory[_Z + 2, i]


@inner_kernel
def _update(control, counts, h, y, memory, work):
    """Keep what the next step needs: powers and multipliers of this one, and y' at its end."""
    _, _, _, _, _, _, _, _, lam, power, _, _ = _views(counts, work)
    nq, m, last = counts[at.NQ], counts[at.NM], y.shape[0] - 1
    for i in range(last + 1):
        z0, z1, z2 = memory[_Z, i], memory[_Z + 1, i], memory[_Z + 2, i]
        for j in range(3):
            memory[_P + j, i] = _TO_POWERS[j, 0] * z0 + _TO_POWERS[j, 1] * z1 + _TO_POWERS[j, 2] * z2
        memory[_SLOPE, i] = (B[2, 0] * z0 + B[2, 1] * z1 + B[2, 2] * z2) / h
    memory[_SLOPE, last] = power[2]
    for i in range(3 * m):
        lam[3 * m + i] = lam[i]
    for i in range(m):
        lam[6 * m + i] = lam[2 * m + i]
    control[_H_STAGES] = h


@inner_kernel
def _dense(y, memory, row):
    """Write the powers of the collocation polynomial; what `accept` has moved is spread as s²(3 − 2s)."""
    for i in range(y.shape[0]):
        moved = memory[_NEW, i] - y[i] - memory[_Z + 2, i]
        row[0, i] = y[i]
        row[1, i] = memory[_P, i]
        row[2, i] = memory[_P + 1, i] + 3.0 * moved
        row[3, i] = memory[_P + 2, i] - 2.0 * moved


@inner_kernel
def _start(ops, monitor, I, F, W, ref, control, counts, y, atol, active, memory, work, g):
    """Begin or go on; return STEP or why not."""
    if (control[at.END] - control[at.T]) * control[at.H_LAST] < 0.0:
        counts[at.FRESH] = 1  # turned round
    fresh, slope = counts[at.FRESH], memory[_SLOPE]
    _, r, move, _, _, _, _, _, lam, _, _, _ = _views(counts, work)
    status = begin(ops, monitor, I, F, W, ref, control, counts, y, slope, r, move, g)
    if status != at.STEP or fresh == 0:
        return status
    for i in range(counts[at.NM]):
        lam[6 * counts[at.NM] + i] = r[counts[at.NV] + i]
    control[_H_MATRIX] = 0.0
    control[_H_STAGES] = 0.0
    control[_FACCON] = 1.0
    if control[at.H] == 0.0:
        guess, error = memory[_GUESS], memory[_ERROR]
        control[at.H] = first_step(ops, I, F, W, ref, control, counts, y, atol, active, slope, guess, error, r, move, _FIRST)
    return status


@inner_kernel
def _attempt(ops, I, F, W, ref, t, h, control, counts, y, atol, active, memory, work):
    """Try one step; return how it ended, its error, and by what to multiply the step (error 0) or the iterations made.

    CLEARED counts the attempts from this state, SUSPECT the linearizations there.
    """
    rtol = _predict(control, counts, h, y, atol, memory, work)
    outcome, factor = 0, 0.0
    for attempt in range(2):
        renew = counts[at.MATRIX] != USED or attempt == 1
        if renew or control[_H_MATRIX] != h:
            outcome = _matrices(ops, I, F, W, ref, t, h, renew, control, counts, y, memory, work)
            if outcome != 0:
                return outcome, 0.0, 0.5
            if renew:
                control[_FACCON] = 1.0
                counts[at.SUSPECT] += 1
        outcome, factor = _iterate(ops, I, F, W, ref, t, h, rtol, control, counts, y, memory, work)
        if outcome != NEWTON or counts[at.SUSPECT] > 0:
            break
        _predict(control, counts, h, y, atol, memory, work)
    if outcome != 0:
        counts[at.NOT_CONVERGED] += 1 if outcome == NEWTON else 0
        control[_FACCON] = 1.0
        return outcome, 0.0, factor
    error = math.inf
    for again in range(2 if counts[at.CLEARED] > 1 or control[_H_STAGES] == 0.0 else 1):
        if error >= 1.0:
            error = min(error, _estimate(ops, I, F, W, ref, t, h, again, counts, y, active, memory, work))
    _take_over(h, counts, y, memory, work)
    if not (error < math.inf and finite(memory[_NEW])):
        return at.NOT_FINITE, 0.0, 0.5
    return (at.STEP_TOO_SMALL if error >= 1.0 else 0), error, factor


@inner_kernel
def _choose(control, counts, h, error, iterations, grow):
    """Choose the length of the next step by this error and the trend, and whether the matrices serve it as well."""
    error = max(error, 1e-10)
    safety = min(_SAFETY, _SAFETY * (1.0 + 2.0 * _MOST) / (iterations + 2.0 * _MOST))
    quotient = max(1.0 / _GROW, min(_SHRINK, error**0.25 / safety))
    if control[at.ERROR] > 0.0:
        trend = abs(control[at.H_LAST] / h) * (error * error / control[at.ERROR]) ** 0.25 / _SAFETY
        quotient = max(quotient, max(1.0 / _GROW, min(_SHRINK, trend)))
    control[at.ERROR] = max(error, 0.01)
    new = min(1.0 / quotient, grow)
    if control[_THETA] > _KEEP:
        counts[at.MATRIX] = STALE
    elif 1.0 <= new <= _SAME:
        new = 1.0
    control[at.H] = h * new


@kernel
def advance_radau(ops, accept, monitor, I, F, W, ref, control, counts, y, atol, active, memory, g, steps, dense, refs, work):
    """Step towards END as the contract says; return why it stopped."""
    last = counts[at.STEPS] + counts[at.LIMIT]
    status = _start(ops, monitor, I, F, W, ref, control, counts, y, atol, active, memory, work, g)
    while status == at.STEP:
        status = ready(control, counts, steps, last)
        if status != at.STEP:
            break
        wanted, h, grow, patience = abs(control[at.H]), fitted_step(control), math.inf, 15 * counts[at.GENTLE]
        counts[at.CLEARED] = 0
        counts[at.SUSPECT] = 0
        if too_small(control, h):
            return at.STEP_TOO_SMALL
        while True:
            t = control[at.T]
            end = control[at.END] if h == control[at.END] - t else t + h
            counts[at.CLEARED] += 1
            outcome, error, factor = _attempt(ops, I, F, W, ref, t, h, control, counts, y, atol, active, memory, work)
            if outcome == 0:
                outcome = offer(accept, I, F, W, ref, end, memory[_NEW], active, counts, refs)
            if outcome == 0:
                break
            counts[at.REJECTED] += 1
            if outcome == 2:
                note_refusal(control, h)
            grow, wanted = 1.0, 0.0
            if outcome == 3 or (error >= 1.0 and patience > 0):
                patience -= 1
                h *= 0.87
            elif error >= 1.0:
                h *= 0.1 if control[_H_STAGES] == 0.0 else max(1.0 / _SHRINK, min(_SAFETY, _SAFETY * error**-0.25))
            else:
                h *= factor if outcome == NEWTON else 0.5
            if outcome == at.ACCEPT_FAILED or too_small(control, h):
                return at.STEP_TOO_SMALL if outcome > 0 or outcome == NEWTON else outcome
        _update(control, counts, h, y, memory, work)
        _choose(control, counts, h, error, factor, grow)
        if abs(h) < wanted and abs(control[at.H]) >= abs(h):  # cut short by END: the next step need not grow from there
            control[at.H] = math.copysign(max(abs(control[at.H]), wanted), h)
        for j in range(g.shape[1]):
            g[0, j] = g[1, j]
        crossed = monitor != 0 and watch(monitor, I, F, W, ref, end, memory[_NEW], g)
        if crossed or counts[at.DENSE] != 0:
            _dense(y, memory, dense[counts[at.STORED]])
        commit(control, counts, h, end, y, memory[_NEW], np.int64(ORDER))
        if crossed or counts[at.DENSE] != 0:
            store(control, counts, steps)
        if crossed:
            return at.EVENT
    return status
