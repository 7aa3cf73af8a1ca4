"""The stages of ``radau``: coefficients, matrices and Newton's iteration (see there for notation)."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from multibody.integrators import contract as at
from multibody.integrators.driver import OWN, SLOPE, SPARE
from multibody.integrators.implicit import (
    FACTOR,
    LINEARIZE,
    NEGLIGIBLE,
    PRODUCT,
    RESIDUAL,
    ROUNDING,
    SOLVE,
    ask_move,
    blame,
    factored,
)
from multibody.kernels.calls import call
from multibody.kernels.compile import inlined, inner_kernel
from multibody.kernels.memory.compiled import split
from multibody.kernels.stacked import (
    ASKED,
    COEFFICIENTS,
    IMAGINARY,
    OF_K,
    OF_M,
    OF_V,
    RATES,
    TANGENT,
    changes_size,
    lambda_at,
    positions_at,
    power_at,
)

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
    return np.ascontiguousarray(cofactors.T) / (
        M[0, 0] * cofactors[0, 0] + M[0, 1] * cofactors[0, 1] + M[0, 2] * cofactors[0, 2]
    )


def _eigenvector(M, value):
    """Return the eigenvector of a 3×3 matrix with third component 1."""
    a, b, c = M[0, 0] - value, M[0, 1], M[0, 2]
    d, e, f = M[1, 0], M[1, 1] - value, M[1, 2]
    det = a * e - b * d
    return np.array([(b * f - c * e) / det, (c * d - a * f) / det, 1.0])


B = _inverse(A)
_u = _eigenvector(B, complex(ALPHA, BETA))
T = np.ascontiguousarray(np.stack([_eigenvector(B, GAMMA), _u.real, _u.imag], axis=1))
TI = _inverse(T)
TO_POWERS = _inverse(np.stack([C, C**2, C**3], axis=1))  # of the stages: Z(s) = Σ s^(j+1) p_j

# rows of memory: an error; Z (three), powers of the last step (three), 1/scale
ERROR, Z, P, WEIGHT, ROWS = SPARE, OWN, OWN + 3, OWN + 6, OWN + 7
Z1, Z2, Z3, P1, P2, P3 = range(Z, WEIGHT)
END_STAGE = 2  # the one at the end of the step
LAST, AT_START = 3, 6  # where λ of the stages of the last step and λ at the start follow those of the stages, over m
H_MATRIX, H_STAGES, FACCON, THETA, BOUND = (at.OWN + i for i in range(5))
MOST = 7  # iterations
_JUMPY = 2.0  # rate that ends the iteration after two: what the first one has not touched may show up in the second


class Work(NamedTuple):
    """The vectors in `work`."""

    x: Any  # (q, v, a, λ) of a stage, or what PRODUCT takes
    r: Any  # its residual
    move: Any  # what MOVE takes
    rate: Any  # and gives
    g: Any  # residuals of the stages: three rows (q, v, ψ)
    tangent: Any  # three tangents
    b: Any  # right sides of both systems
    s: Any  # their solutions
    lam: Any  # λ of the stages, of those of the last step and at the start
    power: Any  # of the stages
    coefficients: Any  # what FACTOR takes
    ratio: Any  # and gives


@inlined
def lengths(nq, n, m):
    """Return how long the vectors in `work` are, for nq coordinates, n rates and m multipliers (Python asks too: no calls)."""
    return Work(
        x=nq + 2 * n + m, r=n + 3 * m + 1, move=ASKED + nq + max(nq, n), rate=nq, g=3 * (nq + n + m),
        tangent=3 * n, b=2 * (n + m), s=2 * (n + m), lam=(AT_START + 1) * m, power=3, coefficients=COEFFICIENTS, ratio=2,
    )  # fmt: skip


@inlined
def views(counts, work):
    """Return the vectors in `work`."""
    return split(work, lengths(counts[at.NQ], counts[at.NV], counts[at.NM]))


@inner_kernel
def matrices(ops, run, t, h, renew, control, counts, y, memory, work):
    """Linearize if asked, and factor both matrices; return 0 or how it failed.

    The linearization is that at the guess of the second stage: from the middle of a step, all stages are nearer.
    """
    parts = views(counts, work)
    x, r, lam, coefficients, ratio = parts.x, parts.r, parts.lam, parts.coefficients, parts.ratio
    nq, n, m = counts[at.NQ], counts[at.NV], counts[at.NM]
    control[H_MATRIX] = 0.0
    if renew:
        b0, b1, b2 = B[1, 0] / h, B[1, 1] / h, B[1, 2] / h
        for i in range(nq + n):
            x[i] = y[i] + memory[Z2, i]
        for i in range(n):
            j = nq + i
            x[nq + n + i] = b0 * memory[Z1, j] + b1 * memory[Z2, j] + b2 * memory[Z3, j]
        for i in range(m):
            x[lambda_at(nq, n) + i] = lam[m + i]
        counts[at.JACOBIANS] += 1
        status = call(ops[LINEARIZE], run, t + C[1] * h, x, x)
        if status != 0:
            counts[at.CODE] = status
            counts[at.MATRIX] = at.NONE
            return at.RHS_FAILED
    counts[at.MATRIX] = at.NONE
    c = GAMMA / h
    if not factored(ops, run, t, counts, c, 1.0, 1.0 / c, 1.0 / c, coefficients, ratio[:1]):
        return blame(ops, run, t + C[1] * h, counts, x, r) if renew else at.NEWTON
    size = (ALPHA * ALPHA + BETA * BETA) / h
    coefficients[OF_M] = ALPHA / h
    coefficients[OF_M + IMAGINARY] = -BETA / h
    coefficients[OF_K] = ALPHA / size
    coefficients[OF_K + IMAGINARY] = BETA / size
    coefficients[OF_V] = ALPHA / size
    coefficients[OF_V + IMAGINARY] = BETA / size
    counts[at.FACTORIZATIONS] += 1
    if call(ops[FACTOR], run, t, coefficients, ratio) != 0:
        return at.NEWTON
    control[H_MATRIX] = h
    counts[at.MATRIX] = at.USED
    return 0


@inner_kernel
def loosened(rtol):
    """Return by what tolerances are multiplied, so that the error of order 5 follows them and not the estimate's of order 3."""
    return 0.1 * rtol ** (-1.0 / 3.0) if rtol > 0.0 else 1.0


@inner_kernel
def predict(control, counts, h, y, atol, memory, work):
    """Write the weights and the first guess of the stages, by the polynomials of the last step if there is one."""
    lam = views(counts, work).lam
    m, weight, rtol, old = counts[at.NM], memory[WEIGHT], control[at.RTOL], control[H_STAGES]
    loose = loosened(rtol)
    for k in range(3):
        z = memory[Z + k]
        s = 1.0 + C[k] * h / old if old != 0.0 else 0.0
        for i in range(y.shape[0]):
            if old != 0.0:
                p1, p2, p3 = memory[P1, i], memory[P2, i], memory[P3, i]
                z[i] = (s - 1.0) * (p1 + p2 * (s + 1.0) + p3 * (s * s + s + 1.0))
            else:
                z[i] = C[k] * h * memory[SLOPE, i]
        l0 = (s - C[1]) * (s - C[2]) / ((C[0] - C[1]) * (C[0] - C[2]))
        l1 = (s - C[0]) * (s - C[2]) / ((C[1] - C[0]) * (C[1] - C[2]))
        l2 = (s - C[0]) * (s - C[1]) / ((C[2] - C[0]) * (C[2] - C[1]))
        for i in range(m):
            lam[k * m + i] = lam[AT_START * m + i]
            if old != 0.0:
                j = LAST * m + i
                lam[k * m + i] = l0 * lam[j] + l1 * lam[j + m] + l2 * lam[j + 2 * m]
    for i in range(y.shape[0]):
        scale = loose * (atol[i] + rtol * max(abs(y[i]), abs(y[i] + memory[Z3, i])))
        weight[i] = 1.0 / scale if scale > 0.0 else 0.0
    return rtol * loose if rtol > 0.0 else 1e-6


@inner_kernel
def _residuals(ops, run, t, h, counts, y, memory, work):
    """Write the residuals of the three stages; return a status."""
    parts = views(counts, work)
    x, r, move, rate, g, lam, power = parts.x, parts.r, parts.move, parts.rate, parts.g, parts.lam, parts.power
    nq, n, m = counts[at.NQ], counts[at.NV], counts[at.NM]
    size, row = nq + n, nq + n + m
    for k in range(3):
        b0, b1, b2 = B[k, 0] / h, B[k, 1] / h, B[k, 2] / h
        for i in range(size):
            x[i] = y[i] + memory[Z + k, i]
        for i in range(n):
            j = nq + i
            x[size + i] = b0 * memory[Z1, j] + b1 * memory[Z2, j] + b2 * memory[Z3, j]
        for i in range(m):
            x[size + n + i] = lam[k * m + i]
        counts[at.EVALUATIONS] += 1
        status = call(ops[RESIDUAL], run, t + C[k] * h, x, r)
        if status == 0:
            status = ask_move(ops, run, t, float(RATES), x[:nq], x[nq:size], move, rate)
        if status != 0:
            counts[at.CODE] = status
            return status
        for i in range(nq):
            g[k * row + i] = b0 * memory[Z1, i] + b1 * memory[Z2, i] + b2 * memory[Z3, i] - rate[i]
        for i in range(n + m):
            g[k * row + nq + i] = r[i]
        power[k] = r[power_at(n, m)]
    return 0


@inner_kernel
def _real_system(ops, run, t, h, counts, y, work):
    """Solve for the first transformed correction, which takes the place of its residual; return a status."""
    parts = views(counts, work)
    x, move, rate, g, tangent, b, s = parts.x, parts.move, parts.rate, parts.g, parts.tangent, parts.b, parts.s
    nq, n, m, c = counts[at.NQ], counts[at.NV], counts[at.NM], GAMMA / h
    status = ask_move(ops, run, t, float(TANGENT), y[:nq], g[:nq], move, tangent[:n])
    for i in range(n):
        x[i] = 0.0
        x[n + i] = 0.0
        x[positions_at(n) + i] = tangent[i] / c
    if status == 0:
        status = call(ops[PRODUCT], run, t, x[: changes_size(n)], b[: n + m])
    for i in range(n + m):
        b[i] -= g[nq + i]
    if status == 0:
        status = call(ops[SOLVE], run, t, b[: n + m], s[: n + m])
    if status == 0:
        status = ask_move(ops, run, t, float(RATES), y[:nq], s[:n], move, rate)
    for i in range(nq):
        g[i] = (rate[i] - g[i]) / c
    for i in range(n + m):
        g[nq + i] = s[i]
    return status


@inner_kernel
def _complex_system(ops, run, t, h, counts, y, work):
    """Solve for the other two transformed corrections, which take the place of their residuals; return a status."""
    parts = views(counts, work)
    x, move, rate, g, tangent, b, s = parts.x, parts.move, parts.rate, parts.g, parts.tangent, parts.b, parts.s
    nq, n, m = counts[at.NQ], counts[at.NV], counts[at.NM]
    row, size = nq + n + m, (ALPHA * ALPHA + BETA * BETA) / h
    re, im = ALPHA / size, BETA / size  # of 1/c
    status = 0
    for k in range(2):
        own = (1 + k) * row  # where the second and the third correction begin
        status += ask_move(ops, run, t, float(TANGENT), y[:nq], g[own : own + nq], move, tangent[k * n : k * n + n])
    for k in range(2):
        for i in range(n):
            x[i] = 0.0
            x[n + i] = 0.0
            x[positions_at(n) + i] = re * tangent[i] - im * tangent[n + i] if k == 0 else re * tangent[n + i] + im * tangent[i]
        status += call(ops[PRODUCT], run, t, x[: changes_size(n)], b[k * (n + m) : k * (n + m) + n + m])
        own = (1 + k) * row
        for i in range(n + m):
            b[k * (n + m) + i] -= g[own + nq + i]
    status += call(ops[SOLVE], run, t, b, s)
    for k in range(2):
        status += ask_move(ops, run, t, float(RATES), y[:nq], s[k * (n + m) : k * (n + m) + n], move, rate)
        own = (1 + k) * row
        for i in range(nq):
            g[own + i] = rate[i] - g[own + i]
        for i in range(n + m):
            g[own + nq + i] = s[k * (n + m) + i]
    second, third = g[row:], g[row + row :]
    for i in range(nq):
        a, b2 = second[i], third[i]
        second[i] = re * a - im * b2
        third[i] = re * b2 + im * a
    return status


@inner_kernel
def _transform(M, count, g):
    """Multiply the three rows of `g`, count numbers each, by M."""
    second, third = g[count:], g[count + count :]
    for i in range(count):
        a, b, c = g[i], second[i], third[i]
        for k in range(3):
            g[k * count + i] = M[k, 0] * a + M[k, 1] * b + M[k, 2] * c


@inner_kernel
def iterate(ops, run, t, h, rtol, control, counts, y, memory, work):
    """Solve for the stages; return 0 or how it failed, and how many iterations it took or by what to multiply the step."""
    parts = views(counts, work)
    g, lam = parts.g, parts.lam
    nq, n, m, weight = counts[at.NQ], counts[at.NV], counts[at.NM], memory[WEIGHT]
    row, size = nq + n + m, nq + n
    enough = max(10.0 * ROUNDING / max(rtol, ROUNDING), min(0.03, math.sqrt(rtol)))
    faccon, before, theta = max(control[FACCON], ROUNDING) ** 0.8, 0.0, 0.0
    for iteration in range(MOST):
        counts[at.ITERATIONS] += 1
        if _residuals(ops, run, t, h, counts, y, memory, work) != 0:
            return at.RHS_FAILED, 0.5
        _transform(TI, row, g)
        if _real_system(ops, run, t, h, counts, y, work) != 0:
            return at.NEWTON, 0.5
        if _complex_system(ops, run, t, h, counts, y, work) != 0:
            return at.NEWTON, 0.5
        _transform(T, row, g)
        total = 0.0
        for k in range(3):
            for i in range(size):
                e = g[k * row + i] * weight[i]
                total += e * e
                memory[Z + k, i] += g[k * row + i]
            for i in range(m):
                lam[k * m + i] += g[k * row + size + i]
        norm = math.sqrt(total / (3.0 * size))
        if not norm < math.inf:
            return at.NOT_FINITE, 0.5
        if iteration > 0:
            rate = norm / before if before > 0.0 else 0.0
            theta = rate if iteration == 1 else math.sqrt(rate * theta)
            if theta >= (0.99 if iteration > 1 else _JUMPY) and norm > NEGLIGIBLE * enough:
                return at.NEWTON, 0.5
            faccon = theta / max(1.0 - theta, 0.01)
            left = faccon * norm * theta ** (MOST - 2 - iteration) / enough
            if left >= 1.0 and faccon * norm > enough and iteration > 1:
                return at.NEWTON, 0.8 * max(1e-4, min(20.0, left)) ** (-1.0 / (4.0 + MOST - 2 - iteration))
        before = max(norm, ROUNDING)
        if faccon * norm <= enough:
            control[FACCON] = faccon
            control[THETA] = theta
            return 0, 1.0 + iteration
    return at.NEWTON, 0.5
