"""Derivatives of pairs as functions of their parameters alone (Lee, Lee, Bae 2013).

On the constraints A_iᵀA_j = C_i H(α) C_jᵀ and A_iᵀ(r_j + A_j s_j − r_i) = s_i + B α. With virtual displacements δr′, δπ′ in the
axes of the bodies Φ_Z is then

    translations [−1, tilde(s_i + B α), A_ij, −A_ij s̃_j | −B],   rotations [0, (C_i H)ᵀ, 0, −C_jᵀ | W(α)],

and its derivatives have columns of α only. They are not those of the exact matrices, but agree with them along every variation
that the constraints allow. Residuals stay in ground axes: this adds ∓tilde(force) to the block (δr′, δπ′) of each body, and
likewise for rates.
"""

from __future__ import annotations

from multibody.kernels import vectors as v3
from multibody.kernels.blocks import add_matrix, spot
from multibody.kernels.compile import inner_kernel
from multibody.kernels.parametric.algebra import (
    add,
    apply_transposed,
    clear_row,
    cross,
    inside,
    multipliers_of,
    outside,
    parameter_entry,
    scale,
    size,
    swing,
    unit,
    unit_cross,
    velocity_of,
    write_row,
    zero,
)
from multibody.kernels.parametric.frames import (
    NONE,
    across,
    angle_rates,
    axes_of,
    axis_change,
    direction,
    moved_frame,
    right_frame,
    second_point,
    slide_of,
    sum_of_axes,
)
from multibody.kernels.parametric.rows import (
    ANGLE,
    ROTATION,
    by_turns,
    orientations,
    parameter_matrix,
    picked,
    turning,
    write_angle_row,
    write_slides,
)
from multibody.kernels.state import POINT
from multibody.kernels.tags import PLANAR, SPATIAL


@inner_kernel
def alpha_partials(d, model, state, scratch, n, multipliers):
    """Write Φ_Z, Φ_α and (Φ_q v)_q of a pair to the kept rows and add (Φ_qᵀ λ)_q to the kept matrix K."""
    kept = state.newton
    moved, axes = moved_frame(d, model, state, scratch, n)
    alpha_rows(d, model, state, scratch, n, moved, axes, kept.P)
    alpha_rates(d, model, state, scratch, n, moved, axes, kept.V)
    alpha_second(d, model, state, scratch, n, moved, axes, multipliers, kept.K)


# --- Φ_Z and Φ_α -------------------------------------------------------------------------------------------------------------
@inner_kernel
def alpha_rows(d, model, state, scratch, n, moved, axes, P):
    """Write Φ_Z and Φ_α of a pair; `moved` and `axes` from ``moved_frame``."""
    pair, right = model.parametric.pairs[n], right_frame(d, model, n)
    s, x = second_point(d, model, n), slide_of(d, model, state, scratch, n)
    for r in range(size(d)):
        a = across(d, moved, right, r)
        write_row(d, pair, P, r, scale(d, -1.0, unit(d, r)), unit_cross(d, r, x), a, cross(d, s, a))
    write_slides(d, model, state, n, P)
    if d is PLANAR:
        write_angle_row(pair, P)
    elif pair.cosine == 1:
        _cosine_rows(model, state, scratch, n, axes, P)
    else:
        for r in range(3):
            write_row(d, pair, P, ROTATION + r, NONE, moved[r], NONE, scale(d, -1.0, right[r]))
            for k in range(pair.parameters):
                angle = k - pair.slides
                P[parameter_entry(pair, ROTATION + r, k)] = axes[angle][r] if angle >= 0 else 0.0


@inner_kernel
def _cosine_rows(model, state, scratch, n, axes, P):
    """Write the rotation rows of the cosine form."""
    pair, H = model.parametric.pairs[n], parameter_matrix(model.parametric.pairs[n], scratch)[0]
    left, right = axes_of(state.parametric.charts[n].C_i), right_frame(SPATIAL, model, n)
    for r in range(3):
        a, b = picked(pair, r)
        gu, gv = by_turns(H, a, b)
        write_row(SPATIAL, pair, P, ROTATION + r, NONE, outside(SPATIAL, left, gu), NONE, outside(SPATIAL, right, gv))
        for k in range(pair.parameters):
            angle = k - pair.slides
            P[parameter_entry(pair, ROTATION + r, k)] = -v3.dot(gv, axes[angle]) if angle >= 0 else 0.0


# --- (Φ_q v)_q ---------------------------------------------------------------------------------------------------------------
@inner_kernel
def alpha_rates(d, model, state, scratch, n, moved, axes, V):
    """Write (Φ_q v)_q of a pair: v held, ṙ in the axes of the ground."""
    pair, right = model.parametric.pairs[n], right_frame(d, model, n)
    (vi, oi), (vj, oj) = velocity_of(d, model, scratch, pair.first), velocity_of(d, model, scratch, pair.second)
    A, B = orientations(d, scratch, pair)
    ri, rj = apply_transposed(d, A, vi), apply_transposed(d, B, vj)
    swung = inside(d, right, add(d, rj, swing(d, oj, second_point(d, model, n))))
    for r in range(size(d)):
        turn_j = cross(d, across(d, moved, right, r), rj)
        write_row(d, pair, V, r, zero(d), cross(d, ri, unit(d, r)), zero(d), turn_j)
    for k in range(pair.parameters):
        x, angle = scale(d, -1.0, swing(d, oi, direction(d, model, state, n, k))), k - pair.slides
        if angle >= 0:
            x = add(d, x, outside(d, moved, swing(d, axes[angle], swung)))
        for r in range(size(d)):
            V[parameter_entry(pair, r, k)] = x[r]
    if d is PLANAR:
        clear_row(pair, V, ANGLE)
    else:
        _rotation_rates(model, state, scratch, n, moved, axes, oi, oj, V)


@inner_kernel
def _rotation_rates(model, state, scratch, n, moved, axes, oi, oj, V):
    """Write (Φ_q v)_q of the rotation rows."""
    pair, rates = model.parametric.pairs[n], angle_rates(model, scratch, model.parametric.pairs[n])
    spin = inside(SPATIAL, moved, oi)
    for r in range(3):
        clear_row(pair, V, ROTATION + r)
    for angle in range(pair.rotation):
        k, x = pair.slides + angle, NONE
        if pair.cosine == 0:
            x = v3.subtract(axis_change(axes, rates, angle), v3.cross(axes[angle], spin))
        else:
            x = _cosine_rate(model, state, scratch, n, axes, rates, angle, oi, oj)
        for r in range(3):
            V[parameter_entry(pair, ROTATION + r, k)] = x[r]


@inner_kernel
def _cosine_rate(model, state, scratch, n, axes, rates, angle, oi, oj):
    """Return (Φ_q v) of the rotation rows of the cosine form by one angle."""
    pair, H = model.parametric.pairs[n], parameter_matrix(model.parametric.pairs[n], scratch)[0]
    u = inside(SPATIAL, axes_of(state.parametric.charts[n].C_i), oi)
    change, turn = turning(H, NONE, axes[angle]), inside(SPATIAL, right_frame(SPATIAL, model, n), oj)
    by_w, own = turning(change, u, turn), turning(change, NONE, sum_of_axes(axes, rates))
    by_axis = v3.multiply(H, v3.tilde(axis_change(axes, rates, angle)))
    a, b, c = pair.pick[0], pair.pick[1], pair.pick[2]
    return (by_w[a] - own[a] - by_axis[a], by_w[b] - own[b] - by_axis[b], by_w[c] - own[c] - by_axis[c])


# --- (Φ_qᵀ λ)_q ---------------------------------------------------------------------------------------------------------------
@inner_kernel
def columns_of(model, pair):
    """Return the first columns of body i and of body j, negative for the ground, and that of the parameters."""
    width = model.width
    return width * (pair.first - 1), width * (pair.second - 1), width * model.bodies + pair.extra


@inner_kernel
def add_column(model, K, row, column, dr, dc, x):
    """Add a vector or turn x at (row + dr, column + dc) of a block matrix; row and column are the first ones of their nodes."""
    at, stride = spot(model, row, column)
    for r in range(len(x)):
        K[at + stride * (dr + r) + dc] += x[r]


@inner_kernel
def _add_tilde(d, model, K, i, sign, force):
    """Add ∓f̃ to the block (δr′, δπ′) of a body."""
    if d is PLANAR:
        add_column(model, K, i, i, 0, size(d), (sign * force[1], -sign * force[0]))
    else:
        add_matrix(model, K, i, i, 0, size(d), sign, v3.tilde(force))


@inner_kernel
def alpha_second(d, model, state, scratch, n, moved, axes, multipliers, K):
    """Add (Φ_qᵀ λ)_q of a pair to a block matrix."""
    pair, right = model.parametric.pairs[n], right_frame(d, model, n)
    s, (i, j, alpha) = second_point(d, model, n), columns_of(model, pair)
    force, turn = multipliers_of(d, pair, multipliers, 0), size(d)
    y = inside(d, moved, force)
    if i >= 0:
        _add_tilde(d, model, K, i, 1.0, force)
    if j >= 0:
        _add_tilde(d, model, K, j, -1.0, outside(d, right, y))
    for k in range(pair.parameters):
        if i >= 0 and (k < pair.slides or pair.pitched == 1):
            add_column(model, K, i, alpha + k, turn, 0, cross(d, force, direction(d, model, state, n, k)))
        if j >= 0 and k >= pair.slides:
            x = scale(d, -1.0, outside(d, right, swing(d, axes[k - pair.slides], y)))  # D_rᵀ λ
            add_column(model, K, j, alpha + k, 0, 0, x)
            add_column(model, K, j, alpha + k, turn, 0, cross(d, s, x))
    if d is PLANAR:
        return
    moment = multipliers_of(d, pair, multipliers, ROTATION)
    if pair.cosine == 1:
        _cosine_second(model, state, scratch, n, axes, moment, K)
    else:
        _rotation_second(model, n, moved, axes, moment, K)


@inner_kernel
def _rotation_second(model, n, moved, axes, moment, K):
    """Add the second derivatives of the rotation rows."""
    pair = model.parametric.pairs[n]
    i, _, alpha = columns_of(model, pair)
    alpha += pair.slides
    for c in range(pair.rotation):
        if i >= 0:
            add_column(model, K, i, alpha + c, POINT, 0, outside(SPATIAL, moved, v3.cross(axes[c], moment)))
        for a in range(c):
            K[spot(model, alpha + a, alpha + c)[0]] += v3.dot(v3.cross(axes[a], axes[c]), moment)


@inner_kernel
def _cosine_second(model, state, scratch, n, axes, moment, K):
    """Add the second derivatives of the rotation rows of the cosine form."""
    pair, H = model.parametric.pairs[n], parameter_matrix(model.parametric.pairs[n], scratch)[0]
    left, right = axes_of(state.parametric.charts[n].C_i), right_frame(SPATIAL, model, n)
    i, j, alpha = columns_of(model, pair)
    alpha += pair.slides
    for c in range(pair.rotation):
        change = turning(H, NONE, axes[c])
        for r in range(3):
            a, b = picked(pair, r)
            gu, gv = by_turns(change, a, b)
            if i >= 0:
                add_column(model, K, i, alpha + c, POINT, 0, v3.scale(moment[r], outside(SPATIAL, left, gu)))
            if j >= 0:
                add_column(model, K, j, alpha + c, POINT, 0, v3.scale(moment[r], outside(SPATIAL, right, gv)))
            for e in range(pair.rotation):
                K[spot(model, alpha + e, alpha + c)[0]] -= moment[r] * bend(H, axes, e, c, 3 * a + b)


@inner_kernel
def bend(H, axes, d, c, code):
    """Return ∂²H/∂α_d∂α_c at one entry."""
    twice = turning(turning(H, NONE, axes[c]), NONE, axes[d])[code]
    if c > d:  # ∂(H w̃_d)/∂α_c = H w̃_c w̃_d + H tilde(∂w_d/∂α_c)
        twice += v3.multiply(H, v3.tilde(v3.cross(axes[d], axes[c])))[code]
    return twice
