"""What implicit integrators ask of the equations of motion: residuals, their exact derivatives, and linear systems with them.

R(t, q, v, v̇, λ) = M v̇ − Q + Φ_qᵀ λ = 0 with Φ = 0 and ψ = Φ_q v − ν = 0. Its linearization has M, C = ∂R/∂v, K = ∂R/∂q, Φ_q and
V = ∂ψ/∂q along the velocity columns (δr, δπ′), so that every method solves with one matrix

    | c_M M + c_C C + c_K K   Φ_qᵀ |
    | c_P Φ_q + c_V V          0   |

whose coefficients are the method's own (Lee, Lee, Bae 2013, eq. (1) and the algorithm behind it; Lee, Sohn, Kim, Yoo 2001,
eqs. (4)–(7)). Pivots are compared with each other, so that it is factored as S A S, a matrix of plain numbers: S is
√σ·(L or 1) for lengths and angles among the columns and (1/L or 1)/√σ for their rows, σ = 1/(|c_M| m L²), with the model's
characteristic length L and mass m, c_M being the time. Everything has the signature of ``evaluate`` (``kernels/calls.py``);
`space` as in ``kernels/space.py``.
"""

from __future__ import annotations

import math

import numpy as np

from multibody.formulations import cartesian
from multibody.formulations.cartesian import CARTESIAN
from multibody.kernels import blocks as B
from multibody.kernels import layout as L
from multibody.kernels import sections as R
from multibody.kernels.block_lu import factor_blocks, solve_blocks
from multibody.kernels.calls import call
from multibody.kernels.compile import inlined, inner_kernel, kernel
from multibody.kernels.declared import model_at, scratch_at, state_at
from multibody.kernels.force_partials import force_partials
from multibody.kernels.mass import mass_times
from multibody.kernels.rotations import four, quaternion_place, quaternion_rates, quaternion_tangent
from multibody.kernels.rows import row_partials, row_velocity
from multibody.kernels.vectors import load3

RATES, TANGENT, PLACE, DISPLACED = 0, 1, 2, 3  # what ``move`` is asked for


@kernel
def start_newton(model, state, scratch, t, y, out):
    """Write consistent v̇, λ and the power at (t, y), as the right-hand side of the formulation finds them."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    I, W = model.I, scratch.W
    h = I[R.NEWTON]
    nq, n, m, z = I[h + B.NQ], I[h + B.NV], I[R.CHOSEN_COUNT], I[h + B.W_POINT]
    status = call(I[h + B.RHS], (model, state, scratch), t, y, W[z : z + nq + n + 1])
    for c in range(n):
        out[c] = W[z + nq + c]
    for k in range(m):
        out[n + k] = W[I[R.W_LAMBDA] + k]
    out[n + m] = W[z + nq + n]
    return status


@kernel
def residual_newton(model, state, scratch, t, x, out):
    """Write R, ψ, Φ, χ and the power at x = (q, v, v̇, λ).

    Near a change point Φ_q loses rank and λ no longer follows from the equations, though the motion is smooth. There
    R = M (v̇ − f) takes their place, with f as the right-hand side finds it; constraints are left to the projection of the
    accepted state.
    """
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    I, W = model.I, scratch.W
    h = I[R.NEWTON]
    if W[I[R.W_SETTINGS] + R.NEAR_CHANGE] == 0.0:
        return call(I[h + B.RESIDUAL], (model, state, scratch), t, x, out)
    nq, n, m, z = I[h + B.NQ], I[h + B.NV], I[R.CHOSEN_COUNT], I[h + B.W_POINT]
    for c in range(nq + n):
        W[z + c] = x[c]
    end = z + nq + n + 1
    status = call(I[h + B.RHS], (model, state, scratch), t, W[z:end], W[end : end + nq + n + 1])
    for c in range(n):
        W[z + c] = x[nq + n + c] - W[end + nq + c]
    power = W[end + nq + n]
    for k in range(n + 3 * m):
        out[k] = 0.0
    _add_product(model, scratch, I[h + B.W_M], W[z : z + n], out)
    out[n + 3 * m] = power
    return status


@inner_kernel
def _set_point(model, state, scratch, t, x):
    """Write poses, twists, Φ_q, γ and Q at x = (q, v, …) to W; return the power of forces without a potential."""
    I, W = model.I, scratch.W
    nq, n, z = I[L.COORDINATES], I[L.VELOCITIES], I[I[R.NEWTON] + B.W_POINT]
    for c in range(nq + n):
        W[z + c] = x[c]
    cartesian.normalize(model, W[z : z + nq])
    cartesian.set_state(model, state, scratch, t, W[z : z + nq + n], 1)
    cartesian.rows_at_state(model, state, scratch, t)
    return cartesian.applied(model, state, scratch, t)


@kernel
def residual_implicit(model, state, scratch, t, x, out):
    """Write R, ψ, Φ, Φ_q v̇ − γ of the chosen rows and the power at x = (q, v, v̇, λ)."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    I, W = model.I, scratch.W
    nq, n, m, h = I[L.COORDINATES], I[L.VELOCITIES], I[R.CHOSEN_COUNT], I[R.NEWTON]
    power = _set_point(model, state, scratch, t, x)
    for c in range(n):
        W[I[R.W_A] + c] = x[nq + n + c]
    mass_times(model, scratch, W[I[R.W_A] :], W[I[R.W_B] :], 0)
    for c in range(n):
        out[c] = W[I[R.W_B] + c] - W[I[R.W_Q] + c]
    psi, phi, chi = n, n + m, n + 2 * m
    for k in range(m):
        out[psi + k] = 0.0
        out[chi + k] = -W[I[R.W_X] + I[I[R.CHOSEN] + k]]
    for e in range(I[h + B.ENTRY_COUNT]):
        record = I[h + B.ENTRIES] + B.ENTRY_STRIDE * e
        value, c, k = W[I[R.W_J] + I[record]], I[record + 1], I[record + 2]
        out[c] += value * x[nq + 2 * n + k]
        out[psi + k] += value * x[nq + c]
        out[chi + k] += value * x[nq + n + c]
    if I[R.DRIVEN] == 1:
        row_velocity(model, state, scratch, t, 0, I[R.ALL_COUNT], W[I[R.W_X] :])
        for k in range(m):
            nu = W[I[R.W_X] + I[I[R.CHOSEN] + k]]
            out[psi + k] -= nu
            power -= x[nq + 2 * n + k] * nu
    cartesian.rows_at_pose(model, state, scratch, t, 1, 0)
    for k in range(m):
        out[phi + k] = W[I[R.W_X] + I[I[R.CHOSEN] + k]]
    out[n + 3 * m] = power
    return 0


@kernel
def linearize_implicit(model, state, scratch, t, x, out):
    """Keep M, C, K, Φ_q and V at x = (q, v, v̇, λ)."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    I, W = model.I, scratch.W
    nq, n, m, h = I[L.COORDINATES], I[L.VELOCITIES], I[R.CHOSEN_COUNT], I[R.NEWTON]
    size, M, C, K, P, V = I[h + B.MATRIX_SIZE], I[h + B.W_M], I[h + B.W_C], I[h + B.W_K], I[h + B.W_P], I[h + B.W_V]
    _set_point(model, state, scratch, t, x)
    for e in range(size):
        W[M + e] = 0.0
        W[C + e] = 0.0
        W[K + e] = 0.0
    force_partials(model, state, scratch, t, W[K : K + size], W[C : C + size])
    for e in range(size):
        W[C + e] = -W[C + e]
        W[K + e] = -W[K + e]
    write_mass(model, scratch, M)
    for k in range(m):
        r = I[I[R.CHOSEN] + k]
        entry, at = I[I[L.ROWS] + L.ROW_STRIDE * r + 2], nq + 2 * n + k
        row_partials(model, state, scratch, t, r, r + 1, x[at : at + 1], W[K : K + size], W[V + entry :])
    for e in range(I[h + B.ENTRY_COUNT]):
        entry = I[I[h + B.ENTRIES] + B.ENTRY_STRIDE * e]
        W[P + entry] = W[I[R.W_J] + entry]
    if I[R.PARAMETRIC] > 0:
        return call(I[I[R.PARAMETRIC] + R.PAIR_PARTIALS], (model, state, scratch), t, x, out)
    return 0


@inner_kernel
def write_mass(model, scratch, M):
    """Write the masses and inertias of the bodies into the diagonal blocks of the matrix at W[M…]."""
    I, W = model.I, scratch.W
    planar = I[L.DIMENSION] == 2
    for b in range(I[L.BODIES]):
        width, mass = (3, I[L.W_MASS] + 4 * b) if planar else (6, I[L.W_MASS] + 20 * b)
        at, stride = B.spot(model, width * b, width * b)
        at += M
        for c in range(2 if planar else 3):
            W[at + stride * c + c] = W[mass]
        if planar:
            W[at + 2 * stride + 2] = W[mass + 2]
        else:
            for r in range(3):
                for c in range(3):
                    W[at + stride * (3 + r) + 3 + c] = W[mass + 2 + 3 * r + c]


@inlined
def near(model, scratch):
    """Return 1 near a change point, else 0."""
    I, W = model.I, scratch.W
    return 1 if W[I[R.W_SETTINGS] + R.NEAR_CHANGE] > 0.0 else 0


@inlined
def _unknowns(model):
    """Return the number of unknowns of a linear system."""
    I = model.I
    return I[I[R.NEWTON] + B.NV] + I[R.CHOSEN_COUNT]


@inner_kernel
def _set_scales(model, scratch, size, scaled):
    """Write what unknowns and equations are multiplied by to W[scaled…], size being |c_M|; return the square part's factor."""
    I, W = model.I, scratch.W
    h = I[R.NEWTON]
    n, units, unknowns = I[h + B.NV], I[h + B.W_UNITS], I[h + B.UNKNOWNS]
    size *= W[I[h + B.W_UNIT]]
    root = 1.0 / math.sqrt(size) if 0.0 < size < math.inf else 1.0
    for k in range(_unknowns(model)):
        W[scaled + k] = W[units + k] * root if I[unknowns + k] < n else W[units + k] / root
    return root * root


@inlined
def _assemble(model, scratch, X, cM, cC, cK, cP, cV, scaled):
    """Write the scaled iteration matrix with these coefficients on the pattern of the factors."""
    I, W = model.I, scratch.W
    h = I[R.NEWTON]
    M, C, K, P, V, places = I[h + B.W_M], I[h + B.W_C], I[h + B.W_K], I[h + B.W_P], I[h + B.W_V], I[h + B.PLACES]
    matrix_units, entry_units, factor = (
        I[h + B.W_MATRIX_UNITS],
        I[h + B.W_ENTRY_UNITS],
        _set_scales(model, scratch, abs(cM), scaled),
    )
    cM, cC, cK = factor * cM, factor * cC, factor * cK
    for e in range(I[h + B.FACTOR_SIZE]):
        X[e] = 0.0
    for e in range(I[h + B.MATRIX_SIZE]):
        X[I[places + e]] += W[matrix_units + e] * (cM * W[M + e] + cC * W[C + e] + cK * W[K + e])
    I[h + B.NEAR] = near(model, scratch)
    if I[h + B.NEAR] == 1:  # multipliers are no unknowns there
        for k in range(I[R.CHOSEN_COUNT]):
            X[I[I[h + B.DIAGONALS] + k]] = 1.0
        return
    for e in range(I[h + B.ENTRY_COUNT]):
        record = I[h + B.ENTRIES] + B.ENTRY_STRIDE * e
        p, unit = W[P + I[record]], W[entry_units + e]
        X[I[record + 3]] += unit * (cP * p + cV * W[V + I[record]])
        X[I[record + 4]] += unit * p


@kernel
def factor_newton(model, state, scratch, t, x, out):
    """Form and factor the real matrix with the coefficients x (real and imaginary parts in turn); out[0]: pivot ratio."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    I, W = model.I, scratch.W
    h = I[R.NEWTON]
    X = W[I[h + B.W_FACTOR] : I[h + B.W_FACTOR] + I[h + B.FACTOR_SIZE]]
    _assemble(model, scratch, X, x[0], x[2], x[4], x[6], x[8], I[h + B.W_SCALED])
    out[0] = factor_blocks(model, X, h, I[h + B.PIVOTS])
    return 0


@kernel
def solve_newton(model, state, scratch, t, x, out):
    """Solve with the real factors; return 1 if a change point has come near, or is left behind, since they were made."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    I, W = model.I, scratch.W
    h, n = I[R.NEWTON], _unknowns(model)
    if near(model, scratch) != I[h + B.NEAR]:
        return 1
    size, at, unknowns, scaled = I[h + B.FACTOR_SIZE], I[h + B.W_RIGHT], I[h + B.UNKNOWNS], I[h + B.W_SCALED]
    b = W[at : at + n]
    for k in range(n):
        b[k] = W[scaled + k] * x[I[unknowns + k]]
    solve_blocks(model, W[I[h + B.W_FACTOR] : I[h + B.W_FACTOR] + size], h, I[h + B.PIVOTS], b)
    for k in range(n):
        out[I[unknowns + k]] = W[scaled + k] * b[k]
    return 0


@kernel
def factor_complex(model, state, scratch, t, x, out):
    """Form and factor the real matrix, or with out of length 2 the complex one, which is kept beside it."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    I, W = model.I, scratch.W
    h = I[R.NEWTON]
    if out.shape[0] == 1:
        return call(I[h + B.FACTOR_REAL], (model, state, scratch), t, x, out)
    Z = W[I[h + B.W_COMPLEX] : I[h + B.W_COMPLEX] + 2 * I[h + B.FACTOR_SIZE]].view(np.complex128)
    a, b, c = complex(x[0], x[1]), complex(x[2], x[3]), complex(x[4], x[5])
    n = _unknowns(model)
    _assemble(model, scratch, Z, a, b, c, complex(x[6], x[7]), complex(x[8], x[9]), I[h + B.W_SCALED] + n)
    out[0] = factor_blocks(model, Z, h, I[h + B.PIVOTS] + n)
    return 0


@kernel
def solve_complex(model, state, scratch, t, x, out):
    """Solve with the real factors, or with the complex ones where x is twice as long (real parts, then imaginary ones)."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    I, W = model.I, scratch.W
    h, n = I[R.NEWTON], _unknowns(model)
    if x.shape[0] == n:
        return call(I[h + B.SOLVE_REAL], (model, state, scratch), t, x, out)
    if near(model, scratch) != I[h + B.NEAR]:
        return 1
    size, at, unknowns, scaled = I[h + B.FACTOR_SIZE], I[h + B.W_RIGHT], I[h + B.UNKNOWNS], I[h + B.W_SCALED] + n
    z = W[at : at + 2 * n].view(np.complex128)
    for k in range(n):
        z[k] = W[scaled + k] * complex(x[I[unknowns + k]], x[n + I[unknowns + k]])
    Z = W[I[h + B.W_COMPLEX] : I[h + B.W_COMPLEX] + 2 * size].view(np.complex128)
    solve_blocks(model, Z, h, I[h + B.PIVOTS] + n, z)
    for k in range(n):
        out[I[unknowns + k]] = W[scaled + k] * z[k].real
        out[n + I[unknowns + k]] = W[scaled + k] * z[k].imag
    return 0


@inner_kernel
def _add_product(model, scratch, matrix, x, out):
    """Add A x for the block matrix A at W[matrix…]."""
    I, W = model.I, scratch.W
    h = I[R.NEWTON]
    for p in range(I[h + B.NODE_COUNT]):
        row, height = I[I[h + B.NODES] + B.NODE_STRIDE * p], I[I[h + B.NODES] + B.NODE_STRIDE * p + 1]
        for e in range(I[I[h + B.MEETINGS] + p], I[I[h + B.MEETINGS] + p + 1], B.MEETING_STRIDE):
            other = I[h + B.NODES] + B.NODE_STRIDE * I[e]
            column, width, at = I[other], I[other + 1], matrix + I[e + 1]
            for r in range(height):
                total = 0.0
                for c in range(width):
                    total += W[at + width * r + c] * x[column + c]
                out[row + r] += total


@kernel
def product_newton(model, state, scratch, t, x, out):
    """Write M a + C v + K q and Φ_q v + V q for x = (a, v, q), with the kept matrices."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    I, W = model.I, scratch.W
    h, n = I[R.NEWTON], x.shape[0] // 3
    for c in range(out.shape[0]):
        out[c] = 0.0
    for part in range(3):
        z, some = x[n * part : n * part + n], False
        for c in range(n):
            some = some or z[c] != 0.0
        if some:  # often two of the three vectors are none
            _add_product(model, scratch, I[h + (B.W_M, B.W_C, B.W_K)[part]], z, out)
            if part > 0:
                rows = I[h + (B.W_P if part == 1 else B.W_V)]
                for e in range(I[h + B.ENTRY_COUNT]):
                    record = I[h + B.ENTRIES] + B.ENTRY_STRIDE * e
                    out[n + I[record + 2]] += W[rows + I[record]] * z[I[record + 1]]
    return 0


@inner_kernel
def correction(space, model, state, scratch, x, out):
    """Write the smallest change (in the metric of the masses) with Φ_q out = x of the chosen rows; none near a change point."""
    I, W = model.I, scratch.W
    if W[I[R.W_SETTINGS] + R.NEAR_CHANGE] > 0.0:
        for c in range(space.sizes(model)[1]):
            out[c] = 0.0
        return 0
    for k in range(I[R.CHOSEN_COUNT]):
        W[I[R.W_X] + I[I[R.CHOSEN] + k]] = x[k]
    space.correct(model, state, scratch)
    for c in range(space.sizes(model)[1]):
        out[c] = W[I[R.W_A] + c]
    return 0


@inner_kernel
def move_cartesian(model, code, x, out):
    """Answer a question about coordinates and rates, see ``move``; x without its code."""
    I = model.I
    nq, bodies, planar = I[L.COORDINATES], I[L.BODIES], I[L.DIMENSION] == 2
    wide, width = (3, 3) if planar else (7, 6)
    first = nq if code != PLACE else 1 + nq  # where the second vector begins
    shift = 0 if code != PLACE else 1
    for b in range(bodies):
        for c in range(wide if planar else 3):
            q, v = x[shift + wide * b + c], x[first + (wide if code == TANGENT else width) * b + c]
            value = v if code != PLACE else (v - q) / x[0]
            out[(width if code == TANGENT else wide) * b + c] = value
        if planar:
            continue
        e = four(x, shift + 7 * b + 3)
        if code == TANGENT:
            w = quaternion_tangent(e, four(x, first + 7 * b + 3))
            out[6 * b + 3], out[6 * b + 4], out[6 * b + 5] = w[0], w[1], w[2]
            continue
        w = load3(x, first + 6 * b + 3)
        p = quaternion_rates(e, w) if code == RATES else quaternion_place(x[0], e, w)
        out[7 * b + 3], out[7 * b + 4], out[7 * b + 5], out[7 * b + 6] = p[0], p[1], p[2], p[3]
    for e in range(I[L.EXTRAS]):
        q = x[shift + wide * bodies + e]
        v = x[first + (wide if code == TANGENT else width) * bodies + e]
        value = v if code != PLACE else (v - q) / x[0]
        out[(width if code == TANGENT else wide) * bodies + e] = value


@kernel
def move_implicit(model, state, scratch, t, x, out):
    """Answer a question about Cartesian coordinates and rates.

    x[0] says which: RATES (q, w) → N(q) w; TANGENT (q, q̇) → w; PLACE (c, b, w) → the q with c q + b = N(q) w; DISPLACED
    (q, d) → q ⊕ d.
    """
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    I = model.I
    code = int(x[0])
    if code == DISPLACED:
        nq, n = I[L.COORDINATES], I[L.VELOCITIES]
        CARTESIAN.displace(model, x[1 : 1 + nq], x[1 + nq : 1 + nq + n], 1.0, out)
    else:
        move_cartesian(model, code, x[1:], out)
    return 0


@kernel
def correct_implicit(model, state, scratch, t, x, out):
    """Write the smallest change that closes gaps in Cartesian coordinates."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    return correction(CARTESIAN, model, state, scratch, x, out)
