"""Derivatives of a spatial pair as functions of its parameters alone (Lee, Lee, Bae 2013).

On the constraints A_iᵀA_j = C_i H(α) C_jᵀ and A_iᵀ(r_j + A_j s_j − r_i) = s_i + B α. With virtual displacements δr′, δπ′ in the
axes of the bodies Φ_Z is then

    translations [−1, tilde(s_i + B α), A_ij, −A_ij s̃_j | −B],   rotations [0, (C_i H)ᵀ, 0, −C_jᵀ | W(α)],

and its derivatives have columns of α only. They are not those of the exact matrices, but agree with them along every variation
that the constraints allow. Residuals stay in ground axes: this adds ∓tilde(force) to the block (δr′, δπ′) of each body, and
likewise for rates.
"""

from __future__ import annotations

from multibody.kernels import layout as L
from multibody.kernels.blocks import add_matrix, spot
from multibody.kernels.compile import inner_kernel
from multibody.kernels.parametric import layout as P
from multibody.kernels.parametric.frames import (
    NONE,
    UNIT,
    angles_of,
    axis_change,
    direction,
    frame_at,
    inside,
    outside,
    slide_of,
    sum_of_axes,
    turned,
)
from multibody.kernels.parametric.spatial import column, picked, products, row_of, turning, unit, write_row
from multibody.kernels.vectors import add, apply_transposed, cross, dot, load3, load9, multiply, scale, subtract, tilde


@inner_kernel
def moved_frame(model, scratch, pair):
    """Return C_i H(α) and the axes of the angles."""
    I, F = model.I, model.F
    return turned(I[pair + P.ROTATION], frame_at(F, I[pair + P.NUMBERS] + 6), angles_of(model, scratch, pair, I[L.W_EXTRA]))


@inner_kernel
def parameter_matrix(model, scratch, pair):
    """Return H(α) by rows."""
    I = model.I
    return products(UNIT, turned(I[pair + P.ROTATION], UNIT, angles_of(model, scratch, pair, I[L.W_EXTRA]))[0])


@inner_kernel
def across(moved, right, r):
    """Return row r of A_ij = C_i H C_jᵀ as a vector in the axes of body j."""
    return outside(right, (moved[0][r], moved[1][r], moved[2][r]))


@inner_kernel
def tilde_entry(x, r, c):
    """Return the entry (r, c) of x̃."""
    if r == c:
        return 0.0
    return x[3 - r - c] if (c - r + 3) % 3 == 2 else -x[3 - r - c]


@inner_kernel
def alpha_rows(model, scratch, pair, moved, axes, J):
    """Write Φ_Z and Φ_α of a pair, its entries from W[J…] on; `moved` and `axes` from ``moved_frame``."""
    I, F, W = model.I, model.F, scratch.W
    k, width, n, slides = I[pair + P.NUMBERS], I[pair + P.WIDTH], I[pair + P.ALPHAS], I[pair + P.SLIDES]
    right, s, at, x = frame_at(F, k + 15), load3(F, k + 3), J + I[pair + P.AT_ALPHA], slide_of(model, scratch, pair)
    for r in range(3):
        e, a = unit(r), across(moved, right, r)
        turn = (tilde_entry(x, r, 0), tilde_entry(x, r, 1), tilde_entry(x, r, 2))
        write_row(model, scratch, pair, J + width * r, (-e[0], -e[1], -e[2]), turn, a, cross(s, a))
        for c in range(n):
            W[at + width * r + c] = -direction(model, pair, c)[r]
    for r in range(3):
        if I[pair + P.COSINE] == 1:
            break
        b = right[r]
        write_row(model, scratch, pair, J + width * (3 + r), NONE, moved[r], NONE, (-b[0], -b[1], -b[2]))
        for c in range(n):
            W[at + width * (3 + r) + c] = axes[c - slides][r] if c >= slides else 0.0
    if I[pair + P.COSINE] == 1:
        _cosine_rows(model, scratch, pair, axes, J)


@inner_kernel
def _cosine_rows(model, scratch, pair, axes, J):
    """Write the rotation rows of the cosine form."""
    I, F, W = model.I, model.F, scratch.W
    k, width, n, slides = I[pair + P.NUMBERS], I[pair + P.WIDTH], I[pair + P.ALPHAS], I[pair + P.SLIDES]
    H, left, right, at = (
        parameter_matrix(model, scratch, pair),
        frame_at(F, k + 6),
        frame_at(F, k + 15),
        J + I[pair + P.AT_ALPHA],
    )
    for r in range(3):
        a, b = picked(model, pair, r)
        gu, gv = cross(unit(a), column(H, b)), cross(unit(b), row_of(H, a))
        write_row(model, scratch, pair, J + width * (3 + r), NONE, outside(left, gu), NONE, outside(right, gv))
        for c in range(n):
            W[at + width * (3 + r) + c] = -dot(gv, axes[c - slides]) if c >= slides else 0.0


@inner_kernel
def alpha_rates(model, scratch, pair, moved, axes, V):
    """Write (Φ_q v)_q of a pair, its entries from W[V…] on: v held, ṙ in the axes of the ground."""
    I, F, W = model.I, model.F, scratch.W
    k, width, n, slides = I[pair + P.NUMBERS], I[pair + P.WIDTH], I[pair + P.ALPHAS], I[pair + P.SLIDES]
    v, right, s, at = I[L.W_VELOCITY], frame_at(F, k + 15), load3(F, k + 3), V + I[pair + P.AT_ALPHA]
    i, j = I[pair + P.FIRST], I[pair + P.SECOND]
    oi, oj = load3(W, v + 6 * i + 3), load3(W, v + 6 * j + 3)
    ri = apply_transposed(load9(W, I[L.W_POSE] + 12 * i + 3), load3(W, v + 6 * i))
    rj = apply_transposed(load9(W, I[L.W_POSE] + 12 * j + 3), load3(W, v + 6 * j))
    swing = inside(right, add(rj, cross(oj, s)))
    for r in range(3):
        write_row(model, scratch, pair, V + width * r, NONE, cross(ri, unit(r)), NONE, cross(across(moved, right, r), rj))
        write_row(model, scratch, pair, V + width * (3 + r), NONE, NONE, NONE, NONE)
    rates = angles_of(model, scratch, pair, v + 6 * (I[L.BODIES] + 1))
    spin, w = inside(moved, oi), sum_of_axes(axes, rates)
    for c in range(n):
        x, y, k_ = cross(direction(model, pair, c), oi), NONE, c - slides
        if c >= slides:
            x = add(x, outside(moved, cross(axes[k_], swing)))
            y = subtract(axis_change(axes, rates, k_), cross(axes[k_], spin))
        for r in range(3):
            W[at + width * r + c] = x[r]
            W[at + width * (3 + r) + c] = y[r]
        if I[pair + P.COSINE] == 1 and c >= slides:
            H = parameter_matrix(model, scratch, pair)
            change, u, turn = turning(H, NONE, axes[k_]), inside(frame_at(F, k + 6), oi), inside(right, oj)
            by_w, own = turning(change, u, turn), turning(change, NONE, w)
            by_axis = multiply(H, tilde(axis_change(axes, rates, k_)))
            for r in range(3):
                code = I[pair + P.PICK + r]
                W[at + width * (3 + r) + c] = by_w[code] - own[code] - by_axis[code]


@inner_kernel
def add_column(model, K, row, column_, dr, x):
    """Add the vector x at (row + dr, column) of a block matrix, the column one of its own."""
    at, stride = spot(model, row, column_)
    for r in range(3):
        K[at + stride * (dr + r)] += x[r]


@inner_kernel
def alpha_second(model, scratch, pair, moved, axes, force, moment, K):
    """Add (Φ_qᵀ λ)_q of a pair to a block matrix, λ = (force, moment) of its translations and rotations."""
    I, F = model.I, model.F
    k, n, slides = I[pair + P.NUMBERS], I[pair + P.ALPHAS], I[pair + P.SLIDES]
    i, j, right, s = 6 * I[pair + P.FIRST] - 6, 6 * I[pair + P.SECOND] - 6, frame_at(F, k + 15), load3(F, k + 3)
    alpha = 6 * I[L.BODIES] + I[pair + P.EXTRA]
    y = inside(moved, force)
    if i >= 0:
        add_matrix(model, K, i, i, 0, 3, 1.0, tilde(force))
    if j >= 0:
        add_matrix(model, K, j, j, 0, 3, -1.0, tilde(outside(right, y)))
    for c in range(n):
        turn = cross(force, direction(model, pair, c))
        if c >= slides:
            w = axes[c - slides]
            x = outside(right, cross(y, w))  # D_rᵀ λ
            if j >= 0:
                add_column(model, K, j, alpha + c, 0, x)
                add_column(model, K, j, alpha + c, 3, cross(s, x))
            if I[pair + P.COSINE] == 0:
                turn = add(turn, outside(moved, cross(w, moment)))
                for a in range(c - slides):
                    K[spot(model, alpha + slides + a, alpha + c)[0]] += dot(cross(axes[a], w), moment)
        if i >= 0:
            add_column(model, K, i, alpha + c, 3, turn)
    if I[pair + P.COSINE] == 1:
        _cosine_second(model, scratch, pair, axes, moment, K)


@inner_kernel
def _cosine_second(model, scratch, pair, axes, moment, K):
    """Add the second derivatives of the rotation rows of the cosine form."""
    I, F = model.I, model.F
    k, n, slides = I[pair + P.NUMBERS], I[pair + P.ALPHAS], I[pair + P.SLIDES]
    i, j, left, right = 6 * I[pair + P.FIRST] - 6, 6 * I[pair + P.SECOND] - 6, frame_at(F, k + 6), frame_at(F, k + 15)
    alpha, H = 6 * I[L.BODIES] + I[pair + P.EXTRA], parameter_matrix(model, scratch, pair)
    for c in range(slides, n):
        change = turning(H, NONE, axes[c - slides])
        for r in range(3):
            a, b = picked(model, pair, r)
            if i >= 0:
                add_column(model, K, i, alpha + c, 3, scale(moment[r], outside(left, cross(unit(a), column(change, b)))))
            if j >= 0:
                add_column(model, K, j, alpha + c, 3, scale(moment[r], outside(right, cross(unit(b), row_of(change, a)))))
            for d in range(slides, n):
                K[spot(model, alpha + d, alpha + c)[0]] -= moment[r] * bend(H, axes, d - slides, c - slides, 3 * a + b)


@inner_kernel
def bend(H, axes, d, c, code):
    """Return ∂²H/∂α_d∂α_c at one entry."""
    twice = turning(turning(H, NONE, axes[c]), NONE, axes[d])[code]
    if c > d:  # ∂(H w̃_d)/∂α_c = H w̃_c w̃_d + H tilde(∂w_d/∂α_c)
        twice += multiply(H, tilde(cross(axes[d], axes[c])))[code]
    return twice
