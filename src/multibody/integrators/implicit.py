"""What the implicit integrators share: how they reach the equations, how they start, and how they end a step.

The state is y = (q, v, w): coordinates (unit quaternions among them, so there may be more of them than rates), rates and work.
With multipliers λ of the constraints Φ(q, t) = 0

* q̇ = N(q) v,
* R(t, q, v, a, λ) = M(q) a + h(t, q, v) + Φ_qᵀ λ = 0 with a = v̇,
* Φ = 0, ψ = Φ_q v − ν = 0, χ = Φ_q a − γ = 0.

``ops`` holds the addresses of what can be asked of these equations, all called as ``call(ops[k], run, t, x, out)``; an
answer other than 0 says that it cannot be had at this point.

=========== ======================== ====================================================================================
START       y                        (a, λ, power): consistent accelerations and multipliers, ẇ
RESIDUAL    (q, v, a, λ)             (R, ψ, Φ, χ, power)
LINEARIZE   (q, v, a, λ)             nothing; M, C = ∂R/∂v, K = ∂R/∂q (along the rates), Φ_q and V = ∂ψ/∂q are kept
FACTOR      (re, im) of cM cC cK cP  its smallest pivot ratio; [[cM·M + cC·C + cK·K, Φ_qᵀ], [cP·Φ_q + cV·V, 0]] of what is kept
            cV                       is factored: the real matrix if there is room for one number, else the complex one
SOLVE       right side               the solution; of twice the length (real parts, then imaginary ones) for the complex one
PRODUCT     (xa, xv, xq)             (M xa + C xv + K xq, Φ_q xv + V xq)
MOVE        0, q, w                  q̇ = N(q) w
..          1, q, dq                 the tangent N⁺ dq
..          2, c, β, w               the q that solves c q + β = N(q) w
..          3, q, d                  q moved along d: positions add, quaternions turn by the rotation vector
CORRECT     gap                      the smallest d (by the masses) with Φ_q d = gap at the last accepted state
=========== ======================== ====================================================================================
"""

from __future__ import annotations

import math

from multibody.integrators import contract as at
from multibody.integrators.contract import finite, length_by_slopes, scaled_norm
from multibody.kernels.calls import call
from multibody.kernels.compile import inner_kernel

START, RESIDUAL, LINEARIZE, FACTOR, SOLVE, PRODUCT, MOVE, CORRECT = range(8)
GGL, INDEX2, INDEX1 = 0, 1, 2  # FORM of bdf: Φ = ψ = 0 with a correction of q̇; ψ = 0; χ = 0
STABILIZED, INDEX3 = 0, 1  # FORM of alpha: Φ = ψ = 0 with a correction of the change of q; Φ = 0
NEWTON = -9  # within a call: the iteration does not converge
NONE, USED, STALE = 0, 1, 2  # MATRIX: there is none; it has served; it has served badly
ROUNDING = 2.220446049250313e-16
NEGLIGIBLE = 1e-3  # of the error that an iteration may leave: corrections below are round-off where they do not fall
_EULER = 0.01  # of |y|/|y'|: the step that shows the second derivative


@inner_kernel
def slope_of(ops, run, ref, t, y, counts, f, out, move):
    """Write (a, λ, power) at (t, y) into out and y' into f; return a status. move: (1 + nq + n) at least, used up."""
    nq, n, m = counts[at.NQ], counts[at.NV], counts[at.NM]
    counts[at.EVALUATIONS] += 1
    status = call(ops[START], run, t, y, out[: n + m + 1])
    if status != 0:
        return status
    move[0] = 0.0
    for i in range(nq + n):
        move[1 + i] = y[i]
    status = call(ops[MOVE], run, t, move[: 1 + nq + n], f[:nq])
    for i in range(n):
        f[nq + i] = out[i]
    f[nq + n] = out[n + m]
    return status


@inner_kernel
def begin(ops, monitor, run, ref, control, counts, y, f, out, move, g):
    """At a fresh start write y', (a, λ, power) and the watched values in g[1]; return STEP or what went wrong."""
    if control[at.END] == control[at.T]:
        return at.DONE
    if counts[at.FRESH] == 0:
        return at.STEP
    status = slope_of(ops, run, ref, control[at.T], y, counts, f, out, move)
    if status != 0:
        counts[at.CODE] = status
        return at.RHS_FAILED
    if not (finite(y) and finite(f)):
        return at.NOT_FINITE
    if monitor != 0:
        call(monitor, run, control[at.T], y, g[1])
    control[at.ERROR] = 0.0
    control[at.CEILING] = 0.0
    counts[at.FRESH] = 0
    counts[at.SUSPECT] = 0
    counts[at.CLEARED] = 0
    counts[at.MATRIX] = NONE
    return at.STEP


@inner_kernel
def first_step(ops, run, ref, control, counts, y, atol, active, f, x, df, out, move, exponent):
    """Return the length of a first step (positive) for a method whose error goes with length^(1/exponent).

    As for the explicit methods: the difference of y' over a short Euler step shows the second derivative.
    """
    rtol, span = control[at.RTOL], control[at.END] - control[at.T]
    size, slope = scaled_norm(y, y, y, atol, active, rtol), scaled_norm(f, y, y, atol, active, rtol)
    longest, shortest = abs(span), 64.0 * ROUNDING * abs(control[at.T])
    if control[at.HMAX] > 0.0:
        longest = min(longest, control[at.HMAX])
    trial, second = 1e-6 * abs(span), control[at.SECOND] if control[at.SECOND] > 0.0 else 1.0
    if size > 1.0 and 1e-5 < second * slope < math.inf:
        trial = _EULER * size / slope
    trial = max(min(trial, longest), shortest)
    signed = math.copysign(trial, span)
    for i in range(y.shape[0]):
        x[i] = y[i] + signed * f[i]
    if slope_of(ops, run, ref, control[at.T] + signed, x, counts, df, out, move) != 0:
        return max(0.01 * trial, shortest)
    for i in range(y.shape[0]):
        df[i] -= f[i]
    bend = scaled_norm(df, y, y, atol, active, rtol) / trial
    return length_by_slopes(slope, bend, trial, second, exponent, longest, shortest)


@inner_kernel
def hopeless(y, atol, active, rtol):
    """Return whether the tolerance asks for more digits than there are: steps would shrink for ever, or be made for nothing."""
    return 10.0 * ROUNDING * scaled_norm(y, y, y, atol, active, rtol) > 1.0


@inner_kernel
def offer(accept, run, ref, t, y, active, counts, refs):
    """Offer the new state y to `accept`; return 0, 2, 3 (not here) or a negative answer of the contract.

    The references at the start of the step are kept in the next free row of `refs`; they are put back if the step fails.
    """
    k, answer = counts[at.STORED], 0
    for i in range(ref.shape[0]):
        refs[k, i] = ref[i]
    if accept != 0:
        answer = call(accept, run, t, y, active)
        gentle = answer >= at.ROUGH
        answer = answer - at.ROUGH if gentle else answer
        if answer >= 0:
            counts[at.GENTLE] = 1 if gentle else 0
    if 0 <= answer <= 1:
        if finite(y):
            counts[at.MOVED] += answer
            return 0
        answer = at.NOT_FINITE
    elif answer < 0:
        counts[at.CODE] = answer
        answer = at.ACCEPT_FAILED
    for i in range(ref.shape[0]):
        ref[i] = refs[k, i]
    return answer


@inner_kernel
def factored(ops, run, ref, t, counts, cM, cC, cK, cV, coefficients, ratio):
    """Form and factor the real matrix with cP = 1 of what is kept; return whether it can be used."""
    for i in range(10):
        coefficients[i] = 0.0
    coefficients[0] = cM
    coefficients[2] = cC
    coefficients[4] = cK
    coefficients[6] = 1.0
    coefficients[8] = cV
    counts[at.FACTORIZATIONS] += 1
    ratio[0] = 0.0
    return call(ops[FACTOR], run, t, coefficients, ratio) == 0


@inner_kernel
def close_gap(ops, run, ref, t, part, counts, gap, d, change, z, product, b):
    """Add to d what closes a gap of Φ_q, q moving by part·d, and take what that does to the residuals off the right side b.

    Without the latter, residuals would only show it in the next iteration. z (3 n) and product (n + m) are used up; return
    whether all went well.
    """
    n, m = counts[at.NV], counts[at.NM]
    if call(ops[CORRECT], run, t, gap, change) != 0:
        return False
    for i in range(n):
        d[i] += change[i]
        z[i] = 0.0
        z[n + i] = 0.0
        z[2 * n + i] = part * change[i]
    if call(ops[PRODUCT], run, t, z[: 3 * n], product) != 0:
        return False
    for i in range(n + m):
        b[i] -= product[i]
    return True


@inner_kernel
def blame(ops, run, ref, t, counts, x, r):
    """Return why the matrix at x cannot be factored: no equations there, numbers that are none, or that it is singular."""
    counts[at.EVALUATIONS] += 1
    status = call(ops[RESIDUAL], run, t, x, r)
    if status != 0:
        counts[at.CODE] = status
        return at.RHS_FAILED
    return NEWTON if finite(r) else at.NOT_FINITE
