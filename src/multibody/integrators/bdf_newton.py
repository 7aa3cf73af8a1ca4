"""The steps of ``bdf``: history, prediction and Newton's iteration (see there for notation)."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from multibody.integrators import contract as at
from multibody.integrators.driver import OWN, SPARE
from multibody.integrators.implicit import (
    GGL,
    INDEX1,
    LINEARIZE,
    MOVE,
    NEGLIGIBLE,
    RESIDUAL,
    ROUNDING,
    SOLVE,
    blame,
    close_gap,
    factored,
)
from multibody.kernels.calls import call
from multibody.kernels.compile import inlined, inner_kernel
from multibody.kernels.memory.compiled import split
from multibody.kernels.stacked import ASKED, COEFFICIENTS, PLACE, chi_at

HIGHEST = 5
# rows of memory: an error; φ, φ*; prediction, β, difference of the new state from the prediction, 1/scale
ERROR, PHI = SPARE, OWN
STAR = PHI + HIGHEST + 2
PREDICTED, BETA, DEFECT, WEIGHT, ROWS = range(STAR + HIGHEST + 2, STAR + HIGHEST + 7)
# coefficients of a step
BETAS, SIGMAS, GAMMAS = at.OWN, at.OWN + 8, at.OWN + 16
C, ERROR_CONSTANT, C_MATRIX, C_LAST, SURE, WAS_GENTLE, TABLE = (at.OWN + 24 + i for i in range(7))
_UNSURE = 100.0  # ρ/(1 − ρ) where no rate is known
_ENOUGH = 0.33  # of the tolerance: error of the iteration
_MOST, _DIVERGENT, _SLOW = 4, 0.9, 0.25  # iterations; rates that end the iteration, that ask for a new linearization
_CAUTION = 0.25  # least ρ/(1 − ρ) that is believed: a matrix gets older unseen while one iteration is enough
_JUMPY = 2.0  # rate that ends it after two iterations: what the first one has not touched may show up in the second
_RANGE = 0.6  # of the c that was factored: how far it may be off
_LAMBDA = HIGHEST  # highest difference of λ in its prediction; a lower one costs an iteration or two a step


class Work(NamedTuple):
    """The vectors in `work`."""

    x: Any  # (q, v, a, λ) of the iteration, or what PRODUCT takes
    r: Any  # its residual
    b: Any  # right side
    s: Any  # solution
    move: Any  # what MOVE or PRODUCT take
    q: Any  # a new q
    d: Any  # the correction
    change: Any  # its change
    gap: Any  # that this closes
    lam: Any  # differences φ of λ, one after the other
    coefficients: Any  # what FACTOR takes
    ratio: Any  # and gives


@inlined
def lengths(nq, n, m):
    """Return how long the vectors in `work` are, for nq coordinates, n rates and m multipliers (Python asks too: no calls)."""
    return Work(
        x=nq + 2 * n + m, r=n + 3 * m + 1, b=n + m, s=n + m, move=ASKED + 1 + nq + max(nq, n) + n, q=nq, d=n,
        change=n, gap=m, lam=(HIGHEST + 2) * m, coefficients=COEFFICIENTS, ratio=1,
    )  # fmt: skip


@inlined
def views(counts, work):
    """Return the vectors in `work`."""
    return split(work, lengths(counts[at.NQ], counts[at.NV], counts[at.NM]))


@inner_kernel
def coefficients(control, h, k):
    """Write β, σ, γ of the terms 1 … k + 2, c, and the constant of the error test for a step of length h."""
    new, old, beta, sigma, gamma, sum_alpha, sum_equal = h, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0
    for j in range(k + 2):
        alpha = h / new
        if j > 0:
            sigma *= j * alpha
        control[BETAS + j] = beta
        control[SIGMAS + j] = sigma
        control[GAMMAS + j] = gamma
        if j < k:
            sum_alpha += alpha
            sum_equal += 1.0 / (j + 1)
        elif j == k:
            control[ERROR_CONSTANT] = max(abs(alpha - sum_equal + sum_alpha), alpha)
        gamma += alpha / h
        old += control[at.PAST + j]
        beta *= new / old
        new += control[at.PAST + j]
    control[C] = sum_equal / h


@inner_kernel
def predict(control, counts, k, y, atol, memory):
    """Write φ*, the predicted state, β and the weights of the iteration."""
    p, slope, weight, rtol = memory[PREDICTED], memory[BETA], memory[WEIGHT], control[at.RTOL]
    for i in range(y.shape[0]):
        p[i] = 0.0
        slope[i] = 0.0
    for j in range(min(k + 1, counts[at.DEPTH] - 1), -1, -1):
        beta, gamma, phi, star = control[BETAS + j], control[GAMMAS + j], memory[PHI + j], memory[STAR + j]
        for i in range(y.shape[0]):
            star[i] = beta * phi[i]
        if j <= k:
            for i in range(y.shape[0]):
                p[i] += star[i]
                slope[i] += gamma * star[i]
    for i in range(y.shape[0]):
        scale = atol[i] + rtol * max(abs(y[i]), abs(p[i]))
        weight[i] = 1.0 / scale if scale > 0.0 else 0.0
        slope[i] -= control[C] * p[i]


@inner_kernel
def _position(ops, run, t, c, counts, beta, v, d, move, q):
    """Write the q of the rates v + d; return a status."""
    nq, n = counts[at.NQ], counts[at.NV]
    given, end = ASKED + 1, ASKED + 1 + nq + n  # behind c
    move[0] = PLACE
    move[ASKED] = c
    for i in range(nq):
        move[given + i] = beta[i]
    for i in range(n):
        move[given + nq + i] = v[i] + d[i]
    return call(ops[MOVE], run, t, move[:end], q)


@inner_kernel
def _iterate(ops, run, t, control, counts, memory, work):
    """Make (q, v, λ) solve the equations at t, from what is predicted in x; return 0 or how it failed."""
    parts = views(counts, work)
    x, r, b, s, move = parts.x, parts.r, parts.b, parts.s, parts.move
    q, d, change, gap = parts.q, parts.d, parts.change, parts.gap
    nq, n, m = counts[at.NQ], counts[at.NV], counts[at.NM]
    weight, beta, p, c, size = memory[WEIGHT], memory[BETA], memory[PREDICTED], control[C], nq + n
    factor, first, before, level, rate = 2.0 / (1.0 + c / control[C_MATRIX]), 0.0, 0.0, 0.0, 0.0
    for i in range(size):
        level += (p[i] * weight[i]) * (p[i] * weight[i])
    level = 100.0 * ROUNDING * math.sqrt(level / size)
    for iteration in range(_MOST):
        for i in range(n):
            x[size + i] = c * x[nq + i] + beta[nq + i]
        counts[at.ITERATIONS] += 1
        counts[at.EVALUATIONS] += 1
        status = call(ops[RESIDUAL], run, t, x, r)
        if status != 0:
            counts[at.CODE] = status
            return at.RHS_FAILED
        for i in range(n):
            b[i] = -factor * r[i]
        for i in range(m):
            b[n + i] = -factor * (r[chi_at(n, m) + i] / c if counts[at.FORM] == INDEX1 else r[n + i])
        if counts[at.FORM] == GGL and m > 0:
            for i in range(m):  # δv moves Φ by −ψ/c
                gap[i] = -c * r[n + m + i] - b[n + i]
            if not close_gap(ops, run, t, 1.0 / c, counts, gap, d, change, move, s, b):
                return at.NEWTON
        if call(ops[SOLVE], run, t, b, s) != 0:
            return at.NEWTON
        total = 0.0
        for i in range(n):
            x[nq + i] += s[i]
            total += (s[i] * weight[nq + i]) * (s[i] * weight[nq + i])
        for i in range(m):
            x[size + n + i] += s[n + i]
        status = _position(ops, run, t, c, counts, beta, x[nq:size], d, move, q)
        if status != 0:
            counts[at.CODE] = status
            return at.RHS_FAILED
        for i in range(nq):
            e = (q[i] - x[i]) * weight[i]
            total += e * e
            x[i] = q[i]
        norm = math.sqrt(total / size)
        if not norm < math.inf:
            return at.NOT_FINITE
        if iteration > 0 and norm > 0.0:
            rate = norm / before
            if rate > (_DIVERGENT if iteration > 1 else _JUMPY) and norm > max(level, NEGLIGIBLE * _ENOUGH):
                return at.NEWTON
            mean = (norm / first) ** (1.0 / iteration)
            control[SURE] = max(mean / max(1.0 - mean, 0.1), _CAUTION)
        first = norm if iteration == 0 else first
        before = norm
        if norm <= level or (control[SURE] * norm <= _ENOUGH and (iteration > 0 or m == 0)):  # what λ lacks shows up in v later
            counts[at.MATRIX] = at.STALE if rate > _SLOW else at.USED
            return 0
    return at.NEWTON


@inner_kernel
def _add_multipliers(control, counts, lam, x):
    """Add the predicted multipliers to those in x."""
    first, m = counts[at.NQ] + 2 * counts[at.NV], counts[at.NM]
    for i in range(m):
        for j in range(min(_LAMBDA, counts[at.ORDER], counts[at.DEPTH] - 1), -1, -1):
            x[first + i] += control[BETAS + j] * lam[j * m + i]


@inner_kernel
def solve(ops, run, t, control, counts, memory, work):
    """Solve for the new state, with a new matrix where the old one is of no use; return 0 or how it failed."""
    parts = views(counts, work)
    x, r, move, q = parts.x, parts.r, parts.move, parts.q
    d, lam, coefficients, ratio = parts.d, parts.lam, parts.coefficients, parts.ratio
    nq, n, m = counts[at.NQ], counts[at.NV], counts[at.NM]
    beta, p, c, size = memory[BETA], memory[PREDICTED], control[C], nq + n
    outcome = at.NEWTON
    for attempt in range(2):
        for i in range(n):
            d[i] = 0.0
            x[nq + i] = p[nq + i]
            x[size + i] = c * p[nq + i] + beta[nq + i]
        for i in range(m):
            x[size + n + i] = 0.0
        if counts[at.GENTLE] == 0:
            _add_multipliers(control, counts, lam, x)
        status = _position(ops, run, t, c, counts, beta, x[nq:size], d, move, q)
        for i in range(nq):
            x[i] = q[i]
        fresh = attempt == 1 or counts[at.MATRIX] != at.USED
        if status == 0 and fresh:
            counts[at.JACOBIANS] += 1
            status = call(ops[LINEARIZE], run, t, x, x)
        if counts[at.GENTLE] == 1:  # no unknowns near a change point: the matrix is better off without what is left of them
            _add_multipliers(control, counts, lam, x)
        if status != 0:
            counts[at.CODE] = status
            return at.RHS_FAILED
        if fresh or not _RANGE < c / control[C_MATRIX] < 1.0 / _RANGE:
            cV = 2.0 / c if counts[at.FORM] == INDEX1 else 1.0 / c
            counts[at.MATRIX] = at.NONE
            if not factored(ops, run, t, counts, c, 1.0, 1.0 / c, cV, coefficients, ratio):
                return blame(ops, run, t, counts, x, r)
            counts[at.MATRIX] = at.USED
            control[C_MATRIX] = c
            control[C_LAST] = 0.0
        if c != control[C_LAST]:
            control[SURE] = _UNSURE
        control[C_LAST] = c
        outcome = _iterate(ops, run, t, control, counts, memory, work)
        if outcome == 0 or fresh:
            break
    if outcome == at.NEWTON:
        counts[at.NOT_CONVERGED] += 1
    return outcome
