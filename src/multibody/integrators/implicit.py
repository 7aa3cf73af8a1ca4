"""What the implicit integrators share: how they reach the equations.

The state is y = (q, v, w): coordinates (unit quaternions among them, so there may be more of them than rates), rates and work.
With multipliers λ of the constraints Φ(q, t) = 0

* q̇ = N(q) v,
* R(t, q, v, a, λ) = M(q) a + h(t, q, v) + Φ_qᵀ λ = 0 with a = v̇,
* Φ = 0, ψ = Φ_q v − ν = 0, χ = Φ_q a − γ = 0.

``ops`` holds the addresses of what can be asked of these equations, all called as ``call(ops[k], run, t, x, out)``; an
answer other than 0 says that it cannot be had at this point. ``kernels/stacked.py`` has where the parts of these vectors begin.

=========== ======================== ====================================================================================
START       y                        (a, λ, power): consistent accelerations and multipliers, ẇ
RESIDUAL    (q, v, a, λ)             (R, ψ, Φ, χ, power)
LINEARIZE   (q, v, a, λ)             nothing; M, C = ∂R/∂v, K = ∂R/∂q (along the rates), Φ_q and V = ∂ψ/∂q are kept
FACTOR      (re, im) of cM cC cK cP  its smallest pivot ratio; [[cM·M + cC·C + cK·K, Φ_qᵀ], [cP·Φ_q + cV·V, 0]] of what is kept
            cV                       is factored: the real matrix if there is room for one number, else the complex one
SOLVE       right side               the solution; of twice the length (real parts, then imaginary ones) for the complex one
PRODUCT     (xa, xv, xq)             (M xa + C xv + K xq, Φ_q xv + V xq)
MOVE        RATES, q, w              q̇ = N(q) w
..          TANGENT, q, dq           the tangent N⁺ dq
..          PLACE, c, β, w           the q that solves c q + β = N(q) w
..          DISPLACED, q, d          q moved along d: positions add, quaternions turn by the rotation vector
CORRECT     gap                      the smallest d (by the masses) with Φ_q d = gap at the last accepted state
=========== ======================== ====================================================================================
"""

from __future__ import annotations

from multibody.integrators import contract as at
from multibody.integrators.contract import finite, scaled_norm
from multibody.kernels.calls import call
from multibody.kernels.compile import inner_kernel
from multibody.kernels.stacked import (
    ASKED,
    COEFFICIENTS,
    OF_C,
    OF_K,
    OF_M,
    OF_P,
    OF_V,
    RATES,
    changes_size,
    positions_at,
)

START, RESIDUAL, LINEARIZE, FACTOR, SOLVE, PRODUCT, MOVE, CORRECT = range(8)
GGL, INDEX2, INDEX1 = 0, 1, 2  # FORM of bdf: Φ = ψ = 0 with a correction of q̇; ψ = 0; χ = 0
STABILIZED, INDEX3 = 0, 1  # FORM of alpha: Φ = ψ = 0 with a correction of the change of q; Φ = 0
ROUNDING = 2.220446049250313e-16
NEGLIGIBLE = 1e-3  # of the error that an iteration may leave: corrections below are round-off where they do not fall


@inner_kernel
def ask_move(ops, run, t, code, q, d, move, out):
    """Ask MOVE about q and d, PLACE excepted; return its status.

    `code` is a float: of whole numbers that it knows numba would make a version each. move: room for the question.
    """
    nq, end = q.shape[0], ASKED + q.shape[0] + d.shape[0]
    move[0] = code
    for i in range(nq):
        move[ASKED + i] = q[i]
    for i in range(d.shape[0]):
        move[ASKED + nq + i] = d[i]
    return call(ops[MOVE], run, t, move[:end], out)


@inner_kernel
def slope_of(ops, run, t, y, counts, f, out, move):
    """Write (a, λ, power) at (t, y) into out and y' into f; return a status. move: (1 + nq + n) at least, used up."""
    nq, n, m = counts[at.NQ], counts[at.NV], counts[at.NM]
    counts[at.EVALUATIONS] += 1
    status = call(ops[START], run, t, y, out[: n + m + 1])
    if status != 0:
        return status
    status = ask_move(ops, run, t, float(RATES), y[:nq], y[nq : nq + n], move, f[:nq])
    for i in range(n):
        f[nq + i] = out[i]
    f[nq + n] = out[n + m]
    return status


@inner_kernel
def hopeless(y, atol, active, rtol):
    """Return whether the tolerance asks for more digits than there are: steps would shrink for ever, or be made for nothing."""
    return 10.0 * ROUNDING * scaled_norm(y, y, y, atol, active, rtol) > 1.0


@inner_kernel
def factored(ops, run, t, counts, cM, cC, cK, cV, coefficients, ratio):
    """Form and factor the real matrix with cP = 1 of what is kept; return whether it can be used."""
    for i in range(COEFFICIENTS):
        coefficients[i] = 0.0
    coefficients[OF_M] = cM
    coefficients[OF_C] = cC
    coefficients[OF_K] = cK
    coefficients[OF_P] = 1.0
    coefficients[OF_V] = cV
    counts[at.FACTORIZATIONS] += 1
    ratio[0] = 0.0
    return call(ops[FACTOR], run, t, coefficients, ratio) == 0


@inner_kernel
def close_gap(ops, run, t, part, counts, gap, d, change, z, product, b):
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
        z[positions_at(n) + i] = part * change[i]
    if call(ops[PRODUCT], run, t, z[: changes_size(n)], product) != 0:
        return False
    for i in range(n + m):
        b[i] -= product[i]
    return True


@inner_kernel
def blame(ops, run, t, counts, x, r):
    """Return why the matrix at x cannot be factored: no equations there, numbers that are none, or that it is singular."""
    counts[at.EVALUATIONS] += 1
    status = call(ops[RESIDUAL], run, t, x, r)
    if status != 0:
        counts[at.CODE] = status
        return at.RHS_FAILED
    return at.NEWTON if finite(r) else at.NOT_FINITE
