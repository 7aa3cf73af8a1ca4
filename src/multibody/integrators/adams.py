"""Adams predictor–corrector of variable order and step: PECE with local extrapolation in modified divided differences.

Shampine, Gordon, Computer Solution of Ordinary Differential Equations, chapters 5 to 7; Hairer, Nørsett, Wanner, Solving
Ordinary Differential Equations I, section III.5, whose notation is used here. With S_i = t_{n+1} − t_{n−i} and
P_i = t_n − t_{n−i−1}

* Φ_0(n) = f_n, Φ_{j+1}(n) = Φ_j(n) − Φ*_j(n−1), Φ*_j(n) = β_j Φ_j(n), β_j = Π_{i<j} S_i/P_i,
* predictor of order k: p = y_n + h Σ_{j<k} g_j Φ*_j(n); the polynomial gives Σ_{j<k} Φ*_j(n) for f at t_{n+1},
* corrector of order k + 1: y_{n+1} = p + h g_k d with d = f(p) − Σ_{j<k} Φ*_j(n),
* error of order q: h (g_q − g_{q−1}) Φ_q(n+1), for q = k with d in place of Φ_k(n+1).

The coefficients hold for any steps: nothing has to wait for steps of equal length. Φ(n) stays untouched until a step is
accepted, so a rejected step costs nothing but its evaluation. When `accept` moves the new state, f is evaluated there and the
differences go on: neither order nor step are lost.

The dense output is y_n + ∫ of the polynomial through the k + 1 newest slopes (the new one among them), as powers of
s = (t − t_n)/h; what is missing to the new state, of the size of the error, is spread as s²(3 − 2s). So it runs through both
states with both slopes.
"""

from __future__ import annotations

import math

import numpy as np

from multibody.integrators import contract as at
from multibody.integrators.adaptive import GENTLY, AdaptiveMethod
from multibody.integrators.contract import finite, interpolate_polynomial
from multibody.integrators.driver import NEW, SLOPE, SPARE, advance_by, right_side
from multibody.kernels.calls import call
from multibody.kernels.compile import inlined, inner_kernel, kernel

HIGHEST = 12
# rows of memory: the predicted state; Φ (Φ_0 is f at the present state); Φ*; d; f at the predicted, then at the new state
PREDICTED, PHI = SPARE, SLOPE
STAR = PHI + HIGHEST + 2
DEFECT = STAR + HIGHEST + 1
NEW_SLOPE = DEFECT + 1
# coefficients of a step, and a table that they come from
_G, _BETA, _TABLE = at.OWN, at.OWN + 16, at.OWN + 32
_SIZE, _SIZE_BEFORE = at.OWN + 48, at.OWN + 49  # norm of d, and of that of the failed attempt before
_TARGET, _SAFETY = 0.5, 0.9  # of the tolerance: what the next step aims at; of the length that seems best
_GROW, _WORTH = 2.0, 1.2  # most that a step grows, least that makes it grow
_PATIENCE = 12  # failed tests in a row that are met gently where f is rough near by
_SAME = 0.8  # a defect that falls by less when the step is halved comes from a jump of f
_STIFF, _SURE = 0.7, 40  # h·|eigenvalue| that speaks for stiffness; how often more than twice the contrary is proof


def _equal_steps() -> list[float]:
    """Return |g_q − g_{q−1}| for steps of equal length, q = 0 ... 13: the error constants of the Adams–Moulton formulas."""
    constants: list[float] = [1.0]
    for q in range(1, HIGHEST + 2):
        constants.append(-sum(constant / (q + 1 - i) for i, constant in enumerate(constants)))
    return [abs(constant) for constant in constants]


_EQUAL = np.array(_equal_steps())
interpolate_adams = interpolate_polynomial
rows_adams = NEW_SLOPE + 1


@inner_kernel
def _coefficients(control, h, k):
    """Write g_0 ... g_{k+1} and β_0 ... β_k for a step of length h."""
    for q in range(k + 2):
        control[_TABLE + q] = 1.0 / (q + 1)
    control[_G] = 1.0
    control[_BETA] = 1.0
    ahead, behind = h, 0.0
    for j in range(1, k + 2):
        ratio = h / ahead
        for q in range(k + 2 - j):
            control[_TABLE + q] -= control[_TABLE + q + 1] * ratio
        control[_G + j] = control[_TABLE]
        behind += control[at.PAST + j - 1]
        control[_BETA + j] = control[_BETA + j - 1] * ahead / behind
        ahead += control[at.PAST + j - 1]


@inner_kernel
def _predict(control, h, k, known, y, memory):
    """Write Φ*, the predicted state, and minus the predicted slope into the row of the defect."""
    p, defect = memory[PREDICTED], memory[DEFECT]
    for i in range(y.shape[0]):
        p[i] = 0.0
        defect[i] = 0.0
    if known >= k:  # not part of the predictor, but of the next differences
        for i in range(y.shape[0]):
            memory[STAR + k, i] = control[_BETA + k] * memory[PHI + k, i]
    for j in range(k - 1, -1, -1):
        beta, weight, phi, star = control[_BETA + j], control[_G + j], memory[PHI + j], memory[STAR + j]
        for i in range(y.shape[0]):
            star[i] = beta * phi[i]
            p[i] += weight * star[i]
            defect[i] -= star[i]
    for i in range(y.shape[0]):
        p[i] = y[i] + h * p[i]


@inner_kernel
def _coefficient(control, h, q):
    """Return |h (g_q − g_{q−1})|, but not less than for equal steps.

    After a much longer step g_q and g_{q−1} are nearly the same, whatever happens in the present one: a jump of f would pass.
    """
    return abs(h) * max(abs(control[_G + q] - control[_G + q - 1]), _EQUAL[q])


@inner_kernel
def _correct(control, h, k, y, atol, active, rtol, memory):
    """Make the new state from f(p); return the errors over the tolerance of the orders k, k − 1 and k − 2 (0 if absent)."""
    p, defect, new, slope = memory[PREDICTED], memory[DEFECT], memory[NEW], memory[NEW_SLOPE]
    star, earlier = memory[STAR + k - 1], memory[STAR + max(k - 2, 0)]
    weight, here, below, lowest, count = h * control[_G + k], 0.0, 0.0, 0.0, 0
    for i in range(y.shape[0]):
        defect[i] += slope[i]
        new[i] = p[i] + weight * defect[i]
        if active[i] != 0.0:
            count += 1
            scale = atol[i] + rtol * max(abs(y[i]), abs(new[i]))
            if scale > 0.0:
                e = defect[i] / scale
                here += e * e
                e = (defect[i] + star[i]) / scale
                below += e * e
                e = (defect[i] + star[i] + earlier[i]) / scale
                lowest += e * e
    if count == 0:
        return 0.0, 0.0, 0.0
    control[_SIZE] = math.sqrt(here / count)
    here = _coefficient(control, h, k) * control[_SIZE]
    below = 0.0 if k < 2 else _coefficient(control, h, k - 1) * math.sqrt(below / count)
    lowest = 0.0 if k < 3 else _coefficient(control, h, k - 2) * math.sqrt(lowest / count)
    return here, below, lowest


@inner_kernel
def _test_stiffness(counts, above, below):
    """Raise STIFF when correcting the state by h·g_k·d has changed the slope by a large part of d for many steps.

    That part over g_k is h times an eigenvalue. Where stability limits the steps it wanders about 1, up to 2; where accuracy
    does, it stays below a half.
    """
    if above > below:
        counts[at.SUSPECT] += 1
        if counts[at.SUSPECT] >= _SURE:
            counts[at.STIFF] = 1
    else:
        counts[at.SUSPECT] = max(counts[at.SUSPECT] - 2, 0)


@inner_kernel
def _update(control, counts, h, k, atol, active, rtol, memory):
    """Make the differences at the new state; return the error over the tolerance of order k + 1, negative if unknown."""
    top = min(counts[at.DEPTH], k)
    new, slope, last = memory[NEW], memory[NEW_SLOPE], memory[PHI + top + 1]
    for i in range(new.shape[0]):
        last[i] = slope[i]
    for j in range(top + 1):
        phi, star = memory[PHI + j], memory[STAR + j]
        for i in range(new.shape[0]):
            phi[i] = last[i]
            last[i] -= star[i]
    for j in range(HIGHEST, 0, -1):
        control[at.PAST + j] = control[at.PAST + j - 1]
    control[at.PAST] = h
    known, defect, phi = counts[at.DEPTH], memory[DEFECT], memory[PHI + k]
    counts[at.DEPTH] = min(top + 1, HIGHEST)
    above, slope_change, state_change, count = 0.0, 0.0, 0.0, 0
    for i in range(new.shape[0]):
        scale = atol[i] + rtol * abs(new[i])
        if active[i] != 0.0 and scale > 0.0:
            count += 1
            a, b, c = last[i] / scale, (phi[i] - defect[i]) / scale, defect[i] / scale
            above += a * a
            slope_change += b * b
            state_change += c * c
    _test_stiffness(counts, slope_change, state_change * (_STIFF * control[_G + k]) ** 2)
    if known < k:
        return -1.0
    return _coefficient(control, h, k + 1) * math.sqrt(above / max(count, 1))


@inner_kernel
def _lower(k, here, below, lowest):
    """Return whether the errors of the orders k, k − 1, k − 2 ask for a lower order."""
    return (k > 2 and max(below, lowest) <= here) or (k == 2 and below <= 0.5 * here)


@inner_kernel
def _choose(control, counts, h, k, here, below, lowest, above, grow):
    """Choose order and length of the next step after an accepted one; the length grows by the factor `grow` at most.

    Errors that do not fall from order to order ask for a lower one. A longer step must be worth it: each change of length
    makes the differences a little less smooth.
    """
    lower = _lower(k, here, below, lowest)
    if lower or k == counts[at.MAX_ORDER]:
        counts[at.STARTING] = 0
    if counts[at.STARTING] != 0 and grow > 1.0:
        counts[at.ORDER] = k + 1
        control[at.H] = grow * h
        return
    order, error = k, here
    if lower or (k > 1 and above >= 0.0 and below <= min(here, above)):
        order, error = k - 1, below
    elif 0.0 <= above < (here if k > 1 else 0.5 * here) and k < counts[at.MAX_ORDER]:
        order, error = k + 1, above
    counts[at.ORDER] = order
    factor = grow
    if error > 0.0:
        factor = min(grow, _SAFETY * (_TARGET / error) ** (1.0 / (order + 1)))
    if error > _TARGET:
        control[at.H] = h * max(0.5, factor)
    elif factor >= _WORTH:
        control[at.H] = h * factor
    else:
        control[at.H] = h


@inner_kernel
def _between(rhs, run, t, end, h, k, y, control, counts, memory, work, row):
    """Write the powers of the dense output into row (14, n); the differences are those at the new state."""
    new, count = memory[NEW], y.shape[0]
    for j in range(2, row.shape[0]):
        for i in range(count):
            row[j, i] = 0.0
    for i in range(count):
        row[0, i] = y[i]
        row[1, i] = h * memory[PHI, i]
    # basis polynomial Π (s − s_i)/(1 − s_{i+1}) with s_0 = 1, s_1 = 0, s_2 = −PAST[1]/h ...; PAST[0] is this step
    for q in range(HIGHEST + 2):
        control[_TABLE + q] = 0.0
    control[_TABLE] = 1.0
    node, span = 1.0, 0.0
    for j in range(1, k + 1):
        span += control[at.PAST + j - 1]
        scale = h / span
        for q in range(j, 0, -1):
            control[_TABLE + q] = scale * (control[_TABLE + q - 1] - node * control[_TABLE + q])
        control[_TABLE] *= -node * scale
        node = 1.0 - span / h
        phi = memory[PHI + j]
        for q in range(j + 1):
            weight = h * control[_TABLE + q] / (q + 1)
            if weight != 0.0:
                for i in range(count):
                    row[q + 1, i] += weight * phi[i]
    for i in range(count):
        gap = new[i]
        for j in range(k + 2):
            gap -= row[j, i]
        row[2, i] += 3.0 * gap
        row[3, i] -= 2.0 * gap


@inner_kernel
def _restart(control, counts, y, memory, work):
    """Begin at order 1 with nothing but f at the present state."""
    _forget(counts)
    if not 1 <= counts[at.MAX_ORDER] <= HIGHEST:
        counts[at.MAX_ORDER] = HIGHEST
    for j in range(HIGHEST + 1):
        control[at.PAST + j] = 0.0


@inlined
def _forget(counts):
    """Go on at order 1, the order being raised from step to step."""
    counts[at.ORDER] = 1
    counts[at.DEPTH] = 0
    counts[at.STARTING] = 1


@inner_kernel
def _attempt(rhs, run, t, end, h, k, control, counts, y, atol, active, memory, work):
    """Try one step of order k; return how it ended and the errors of the orders k, k − 1, k − 2."""
    if counts[at.TRIES] == 0:
        control[_SIZE_BEFORE] = math.inf
    _coefficients(control, h, k)
    _predict(control, h, k, counts[at.DEPTH], y, memory)
    counts[at.EVALUATIONS] += 1
    status = call(rhs, run, end, memory[PREDICTED], memory[NEW_SLOPE])
    if status != 0:
        counts[at.CODE] = status
        return at.RHS_FAILED, (0.0, 0.0, 0.0)
    here, below, lowest = _correct(control, h, k, y, atol, active, control[at.RTOL], memory)
    if not (here < math.inf and finite(memory[NEW])):
        return at.NOT_FINITE, (0.0, 0.0, 0.0)
    return (at.STEP_TOO_SMALL if here > 1.0 else 0), (here, below, lowest)


@inner_kernel
def _shorten(outcome, errors, h, k, control, counts, y, memory):
    """Choose the order of another attempt after one that has failed; return its length over the failed one's."""
    if outcome != at.STEP_TOO_SMALL:
        return 0.5
    if counts[at.GENTLE] == 1 and counts[at.TESTS] <= _PATIENCE:
        return GENTLY
    here, below, lowest = errors
    shrink = 0.5
    counts[at.STARTING] = 0
    if k == 1:
        shrink = min(0.5, max(0.05, _SAFETY * math.sqrt(_TARGET / here)))
    elif counts[at.TESTS] == 3 or control[_SIZE] > _SAME * control[_SIZE_BEFORE]:  # the past says nothing about what comes
        _forget(counts)
    elif _lower(k, here, below, lowest):
        counts[at.ORDER] = k - 1
    control[_SIZE_BEFORE] = control[_SIZE]
    return shrink


@inlined
def _nothing_kept(method, h, control, counts, memory, work):
    """Keep nothing: f at the new state is among the differences already."""


@inner_kernel
def _go_on(rhs, run, end, h, k, errors, control, counts, y, atol, active, memory, work):
    """Make the differences at the new state, and choose order and length of the next step."""
    here, below, lowest = errors
    above = _update(control, counts, h, k, atol, active, control[at.RTOL], memory)
    _choose(control, counts, h, k, here, below, lowest, above, _GROW if counts[at.TRIES] == 0 else 1.0)


ADAMS = AdaptiveMethod(
    "adams", order=0, exponent=0.5, new_slope=NEW_SLOPE, one_way=True, keeps_length=False, slope=right_side, restart=_restart,
    attempt=_attempt, shorten=_shorten, choose=_go_on, between=_between, remember=_nothing_kept,
)  # fmt: skip


@kernel
def advance_adams(rhs, accept, monitor, run, ref, control, counts, y, atol, active, memory, g, steps, dense, refs):
    """Step towards END as the contract says; return why it stopped."""
    return advance_by(
        ADAMS, rhs, accept, monitor, run, ref, control, counts, y, atol, active, memory, g, steps, dense, refs, None
    )
