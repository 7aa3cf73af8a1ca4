"""The generalized-α method for the equations of motion with constraints: order 2, fixed step.

Chung, Hulbert, J. Appl. Mech. 60 (1993) 371; on constraints and rotations Arnold, Brüls, Multibody Syst. Dyn. 18 (2007) 185,
and Arnold, Brüls, Cardona (2011) on the stabilized form. With the algorithmic accelerations a

* q_{n+1} = q_n ⊕ (h v_n + h²((½ − β) a_n + β a_{n+1}) + d),
* v_{n+1} = v_n + h((1 − γ) a_n + γ a_{n+1}),
* (1 − α_m) a_{n+1} + α_m a_n = (1 − α_f) v̇_{n+1} + α_f v̇_n,
* R(q, v, v̇, λ) = 0 at n + 1, and Φ = 0; in the stabilized form ψ = 0 as well, with a correction d of q (else d = 0).

α_m = (2ρ − 1)/(ρ + 1), α_f = ρ/(ρ + 1), γ = ½ + α_f − α_m, β = ¼(γ + ½)². The unknowns are (v̇, λ): with
κ = (1 − α_f)/(1 − α_m) the matrix ``[[M + hγκ C + h²βκ K, Φ_qᵀ], [Φ_q (+ hβ/γ V), 0]]`` and the right sides ψ/(hγκ) or
Φ/(h²βκ) are of the same size for any h.

a_n belongs to the time t_n + (α_m − α_f) h. It starts there, without which the method is of order 1, and is moved there when a
step has another length than the one before: a − v̇ goes with h. Without ψ = 0, v is off the constraints by its error, and λ is
of order 2 only if it stays so: where `accept` moves v there, the method goes on from where v was.
"""

from __future__ import annotations

import math

from multibody.integrators import contract as at
from multibody.integrators.alpha_history import (
    AF,
    AGE,
    AM,
    BETA,
    GAMMA,
    H_A,
    H_MATRIX,
    NEW_SLOPE,
    ROWS,
    SURE,
    WEIGHT,
    lengths,
    predict,
    remember,
    views,
)
from multibody.integrators.contract import interpolate_polynomial
from multibody.integrators.driver import NEW, SLOPE, advance_by
from multibody.integrators.fixed import FixedMethod, hermite
from multibody.integrators.implicit import (
    CORRECT,
    LINEARIZE,
    NEGLIGIBLE,
    RESIDUAL,
    ROUNDING,
    SOLVE,
    STABILIZED,
    ask_move,
    blame,
    close_gap,
    factored,
    slope_of,
)
from multibody.kernels.calls import call
from multibody.kernels.compile import inner_kernel, kernel
from multibody.kernels.stacked import DISPLACED, RATES, power_at

_TIGHT = 1e-8  # the iteration goes on to this relative error at least: a fixed step asks for no tolerance
_ENOUGH, _MOST, _DIVERGENT = 0.1, 10, 0.9
_SLOW, _SLUGGISH, _OLD = 0.1, 0.03, 12.0  # rates that ask for a new linearization, the second after so many steps
_CAUTION, _DOUBT = 0.01, 1.25  # least rate that is believed; its growth while one iteration is enough: nobody sees it then
_JUMPY = 2.0  # rate that ends the iteration after two: what the first one has not touched may show up in the second
_CLOSE = 0.05  # of the step that was factored: how far a step may be off

interpolate_alpha = interpolate_polynomial
rows_alpha = ROWS
work_alpha = lengths


@inner_kernel
def _slope(ops, run, t, y, counts, f, work):
    """Write y' at (t, y), and (v̇, λ, power) into the residual; return a status."""
    parts = views(counts, work)
    r, move = parts.r, parts.move
    return slope_of(ops, run, t, y, counts, f, r, move)


@inner_kernel
def _restart(control, counts, y, memory, work):
    """Write the numbers of the method; begin with a = v̇ and forget the past of (v̇, λ)."""
    parts = views(counts, work)
    r, a, past, offset = parts.r, parts.a, parts.past, parts.offset
    nq, n, m, slope = counts[at.NQ], counts[at.NV], counts[at.NM], memory[SLOPE]
    rho = control[at.RHO]
    control[AM] = (2.0 * rho - 1.0) / (rho + 1.0)
    control[AF] = rho / (rho + 1.0)
    control[GAMMA] = 0.5 + control[AF] - control[AM]
    control[BETA] = 0.25 * (control[GAMMA] + 0.5) * (control[GAMMA] + 0.5)
    control[H_A] = math.copysign(control[at.FIXED], control[at.END] - control[at.T])
    for i in range(n + m):
        past[i] = r[i]
    for i in range(m):
        past[n + m + i] = 0.0
    for i in range(n):
        a[i] = slope[nq + i]
        offset[i] = 0.0
    counts[at.DEPTH] = 0
    control[at.PAST] = 0.0
    counts[at.STARTING] = 1


@inner_kernel
def _shift(h, control, counts, memory, work):
    """After a first step with a = v̇, move a to its own time by the change of v̇ over that step, which is to be made again.

    Stiff springs would answer to a state at another time that is not found by solving the equations there.
    """
    parts = views(counts, work)
    x, a = parts.x, parts.a
    nq, n = counts[at.NQ], counts[at.NV]
    for i in range(n):
        a[i] += (control[AM] - control[AF]) * (x[nq + n + i] - memory[SLOPE, nq + i])
    control[H_A] = h
    counts[at.STARTING] = 0


@inner_kernel
def _advance_state(ops, run, t, h, control, counts, y, memory, work):
    """Write a, v and q of the accelerations in x; return a status."""
    parts = views(counts, work)
    x, move, q, d = parts.x, parts.move, parts.q, parts.d
    change, a, new, offset = parts.change, parts.a, parts.new, parts.offset
    nq, n, am, af = counts[at.NQ], counts[at.NV], control[AM], control[AF]
    gamma, beta, size, shift, part = control[GAMMA], control[BETA], nq + n, h / control[H_A], 1.0 / (1.0 - am)
    for i in range(n):
        rate = memory[SLOPE, nq + i]
        old = rate + (a[i] - rate) * shift
        new[i] = part * ((1.0 - af) * x[size + i] + af * rate - am * old)
        v = y[nq + i] + offset[i]
        x[nq + i] = v + h * ((1.0 - gamma) * old + gamma * new[i])
        change[i] = h * (v + h * ((0.5 - beta) * old + beta * new[i])) + d[i]
    return ask_move(ops, run, t, float(DISPLACED), y[:nq], change, move, q)


@inner_kernel
def _iterate(ops, run, t, h, control, counts, y, memory, work):
    """Make (q, v, v̇, λ) solve the equations at t, from what is predicted in x; return 0 or how it failed."""
    parts = views(counts, work)
    x, r, b, s, move = parts.x, parts.r, parts.b, parts.s, parts.move
    q, d, change, gap, gaps = parts.q, parts.d, parts.change, parts.gap, parts.gaps
    nq, n, m, weight, size = counts[at.NQ], counts[at.NV], counts[at.NM], memory[WEIGHT], counts[at.NQ] + counts[at.NV]
    kappa = (1.0 - control[AF]) / (1.0 - control[AM])
    to_v, to_q = h * control[GAMMA] * kappa, h * h * control[BETA] * kappa
    level, before, rate, sure = 0.0, 0.0, 0.0, _DOUBT * control[SURE]
    for i in range(size):
        level += (y[i] * weight[i]) * (y[i] * weight[i])
    level = 10.0 * ROUNDING * math.sqrt(level / size)
    for iteration in range(_MOST):
        counts[at.ITERATIONS] += 1
        counts[at.EVALUATIONS] += 1
        status = call(ops[RESIDUAL], run, t, x, r)
        if status != 0:
            counts[at.CODE] = status
            return at.RHS_FAILED
        for i in range(n):
            b[i] = -r[i]
        for i in range(m):
            b[n + i] = -r[n + m + i] / to_q
        if counts[at.FORM] == STABILIZED and m > 0:
            for i in range(m):  # δv̇ moves Φ by −ψ·to_q/to_v
                gap[i] = r[n + i] * to_q / to_v - r[n + m + i]
                gaps[i] += gap[i]
                b[n + i] = -r[n + i]
            if not close_gap(ops, run, t, 1.0, counts, gap, d, change, move, s, b):
                return at.NEWTON
            for i in range(m):
                b[n + i] /= to_v
        if call(ops[SOLVE], run, t, b, s) != 0:
            return at.NEWTON
        for i in range(n + m):
            x[size + i] += s[i]
        status = _advance_state(ops, run, t, h, control, counts, y, memory, work)
        if status != 0:
            counts[at.CODE] = status
            return at.RHS_FAILED
        total = 0.0
        for i in range(n):
            e = to_v * s[i] * weight[nq + i]
            total += e * e
        for i in range(nq):
            e = (q[i] - x[i]) * weight[i]
            total += e * e
            x[i] = q[i]
        norm = math.sqrt(total / size)
        if not norm < math.inf:
            return at.NOT_FINITE
        if iteration > 0:
            rate = norm / before
            if rate > (_DIVERGENT if iteration > 1 else _JUMPY) and norm > max(level, NEGLIGIBLE * _ENOUGH):
                return at.NEWTON
            sure = max(rate / max(1.0 - rate, 0.1), _CAUTION)
        if norm <= level or sure * norm <= _ENOUGH:
            control[AGE] += 1.0
            counts[at.MATRIX] = at.STALE if rate > (_SLOW if control[AGE] < _OLD else _SLUGGISH) else at.USED
            control[SURE] = sure
            return 0
        before = norm
    return at.NEWTON


@inner_kernel
def _solve(ops, run, t, h, control, counts, y, atol, memory, work):
    """Solve for the new state, with a new matrix where the old one is of no use; return 0 or how it failed."""
    parts = views(counts, work)
    x, r, q, d, coefficients, ratio, gaps = parts.x, parts.r, parts.q, parts.d, parts.coefficients, parts.ratio, parts.gaps
    nq, n, weight, rtol = counts[at.NQ], counts[at.NV], memory[WEIGHT], control[at.RTOL]
    size, kappa = nq + n, (1.0 - control[AF]) / (1.0 - control[AM])
    tight = min(1.0, _TIGHT / rtol) if rtol > 0.0 else 1.0
    for i in range(size):
        scale = tight * (atol[i] + rtol * abs(y[i]))
        weight[i] = 1.0 / scale if scale > 0.0 else 0.0
    outcome = at.NEWTON
    for attempt in range(2):
        for i in range(n):
            d[i] = 0.0
        predict(h, control, counts, work)
        if counts[at.FORM] == STABILIZED and counts[at.NM] > 0 and call(ops[CORRECT], run, t, gaps, d) != 0:
            return at.NEWTON
        status = _advance_state(ops, run, t, h, control, counts, y, memory, work)
        for i in range(nq):
            x[i] = q[i]
        fresh = attempt == 1 or counts[at.MATRIX] != at.USED
        if status == 0 and fresh:
            counts[at.JACOBIANS] += 1
            control[AGE] = 0.0
            status = call(ops[LINEARIZE], run, t, x, x)
        if status != 0:
            counts[at.CODE] = status
            return at.RHS_FAILED
        if fresh or abs(h - control[H_MATRIX]) > _CLOSE * abs(h):
            cC, cK = h * control[GAMMA] * kappa, h * h * control[BETA] * kappa
            cV = cK / cC if counts[at.FORM] == STABILIZED else 0.0
            counts[at.MATRIX] = at.NONE
            if not factored(ops, run, t, counts, 1.0, cC, cK, cV, coefficients, ratio):
                return blame(ops, run, t, counts, x, r)
            counts[at.MATRIX] = at.USED
            control[H_MATRIX] = h
            control[SURE] = math.inf
        outcome = _iterate(ops, run, t, h, control, counts, y, memory, work)
        if outcome == 0 or fresh:
            break
    if outcome == at.NEWTON:
        counts[at.NOT_CONVERGED] += 1
    return outcome


@inner_kernel
def _take_over(h, counts, y, memory, work):
    """Write the new state; the work by the trapezoidal rule."""
    parts = views(counts, work)
    x, r = parts.x, parts.r
    nq, n, m, new = counts[at.NQ], counts[at.NV], counts[at.NM], memory[NEW]
    for i in range(nq + n):
        new[i] = x[i]
    power = r[power_at(n, m)]
    memory[NEW_SLOPE, nq + n] = power
    new[nq + n] = y[nq + n] + 0.5 * h * (memory[SLOPE, nq + n] + power)
    for i in range(n):
        memory[NEW_SLOPE, nq + i] = x[nq + n + i]


@inner_kernel
def _remember(method, h, control, counts, memory, work):
    """Make what belongs to the new state the present: y', a, the past of (v̇, λ)."""
    parts = views(counts, work)
    x, a, new, offset = parts.x, parts.a, parts.new, parts.offset
    nq, n = counts[at.NQ], counts[at.NV]
    for i in range(n):
        a[i] = new[i]
        offset[i] = 0.0 if counts[at.FORM] == STABILIZED else x[nq + i] - memory[NEW, nq + i]
    for i in range(nq + n + 1):
        memory[SLOPE, i] = memory[NEW_SLOPE, i]
    control[H_A] = h
    remember(h, control, counts, memory, work)


@inner_kernel
def _rates(ops, run, t, counts, new, slope, work):
    """Write q̇ of a state into its slope."""
    move = views(counts, work).move
    nq, n = counts[at.NQ], counts[at.NV]
    ask_move(ops, run, t, float(RATES), new[:nq], new[nq : nq + n], move, slope[:nq])


@inner_kernel
def _attempt(ops, run, t, end, h, y, control, counts, atol, memory, work):
    """Make a step, the first one twice; return 0 or how it failed."""
    outcome = _solve(ops, run, end, h, control, counts, y, atol, memory, work)
    if outcome == 0 and counts[at.STARTING] == 1:
        _shift(h, control, counts, memory, work)
        outcome = _solve(ops, run, end, h, control, counts, y, atol, memory, work)
    if outcome == 0:
        _take_over(h, counts, y, memory, work)
    return outcome


@inner_kernel
def _between(ops, run, t, end, h, order, y, control, counts, memory, work, row):
    """Write the powers of the cubic through both states with both slopes."""
    _rates(ops, run, t, counts, y, memory[SLOPE], work)
    _rates(ops, run, end, counts, memory[NEW], memory[NEW_SLOPE], work)
    hermite(h, y, memory[NEW], memory[SLOPE], memory[NEW_SLOPE], row)


ALPHA = FixedMethod(
    "alpha", order=2, new_slope=0, slope=_slope, restart=_restart, attempt=_attempt, between=_between, remember=_remember
)


@kernel
def advance_alpha(ops, accept, monitor, run, ref, control, counts, y, atol, active, memory, g, steps, dense, refs, work):
    """Step towards END as the contract says; return why it stopped."""
    return advance_by(
        ALPHA, ops, accept, monitor, run, ref, control, counts, y, atol, active, memory, g, steps, dense, refs, work
    )
