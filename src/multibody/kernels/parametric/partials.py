"""Derivatives of pairs: as functions of their parameters alone (Lee, Lee, Bae 2013), and exact ones.

On the constraints A_iᵀA_j = C_i H(α) C_jᵀ and A_iᵀ(r_j + A_j s_j − r_i) = s_i + B α. With virtual displacements δr′, δπ′ in the
axes of the bodies Φ_Z is then

    translations [−1, tilde(s_i + B α), A_ij, −A_ij s̃_j | −B],   rotations [0, (C_i H)ᵀ, 0, −C_jᵀ | W(α)],

and its derivatives have columns of α only. They are not those of the exact matrices, but agree with them along every variation
that the constraints allow. Residuals stay in ground axes: this adds ∓tilde(force) to the block (δr′, δπ′) of each body, and
likewise for rates. Exact derivatives, on and off the constraints, along (δr, δπ′, δα) are what a system Jacobian needs.
"""

from __future__ import annotations

from multibody.kernels import vectors as v3
from multibody.kernels.blocks import add_matrix, spot
from multibody.kernels.body_layout import POINT
from multibody.kernels.codes import FIRST_BODY
from multibody.kernels.compile import inner_kernel
from multibody.kernels.parametric.frames import (
    NONE,
    across,
    add,
    add_turns,
    angle_rates,
    apply,
    apply_transposed,
    axes_of,
    axis,
    axis_change,
    basis,
    basis_cross,
    basis_turn,
    clear_row,
    cross,
    direction,
    inside,
    moved_frame,
    multipliers_of,
    outside,
    parameter_entry,
    right_frame,
    scale,
    second_point,
    size,
    slide_of,
    sum_of_axes,
    swing,
    turns,
    velocity_of,
    write_row,
    zero,
)
from multibody.kernels.parametric.rows import (
    ANGLE,
    ROTATION,
    by_turns,
    left_frame,
    orientations,
    parameter_matrix,
    picked,
    reach,
    reach_rate,
    seen_from,
    turning,
    write_angle_row,
    write_rotation_rows,
    write_slides,
)
from multibody.kernels.tags import PLANAR, SPATIAL

# columns of the turns of both bodies and of the angles, as exact derivatives of rotations go through them
TURN_J, ANGLES = 3, 6


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
        write_row(d, pair, P, r, scale(d, -1.0, basis(d, r)), basis_cross(d, r, x), a, cross(d, s, a))
    write_slides(d, model, state, n, P)
    if d is PLANAR:
        write_angle_row(pair, P)
    elif pair.cosine == 1:
        write_rotation_rows(model, state, scratch, n, 1, P)
    else:
        for r in range(3):
            write_row(d, pair, P, ROTATION + r, NONE, moved[r], NONE, scale(d, -1.0, right[r]))
            for k in range(pair.parameters):
                angle = k - pair.slides
                P[parameter_entry(pair, ROTATION + r, k)] = axes[angle][r] if angle >= 0 else 0.0



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
        write_row(d, pair, V, r, zero(d), cross(d, ri, basis(d, r)), zero(d), turn_j)
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
    return width * (pair.first - FIRST_BODY), width * (pair.second - FIRST_BODY), width * model.bodies + pair.extra


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
                K[spot(model, alpha + e, alpha + c)[0]] -= moment[r] * bend(H, axes, e, c, pair.pick[r])


@inner_kernel
def bend(H, axes, d, c, code):
    """Return ∂²H/∂α_d∂α_c at one entry."""
    twice = turning(turning(H, NONE, axes[c]), NONE, axes[d])[code]
    if c > d:  # ∂(H w̃_d)/∂α_c = H w̃_c w̃_d + H tilde(∂w_d/∂α_c)
        twice += v3.multiply(H, v3.tilde(v3.cross(axes[d], axes[c])))[code]
    return twice


# --- exact -------------------------------------------------------------------------------------------------------------------
@inner_kernel
def exact_partials(d, model, state, scratch, n, multipliers):
    """Write (Φ_q v)_q of a pair to the kept rows and add (Φ_qᵀ λ)_q to the kept matrix K, with room for all its columns."""
    pair = model.parametric.pairs[n]
    _translation_rates(d, model, scratch, n, state.newton.V)
    _translation_second(d, model, scratch, n, multipliers_of(d, pair, multipliers, 0), state.newton.K)
    if d is PLANAR:
        clear_row(pair, state.newton.V, ANGLE)
    else:
        _exact_rotation_rates(model, state, scratch, n, state.newton.V)
        _exact_rotation_second(model, state, scratch, n, multipliers_of(d, pair, multipliers, ROTATION), state.newton.K)


# --- translations ------------------------------------------------------------------------------------------------------------
@inner_kernel
def _translation_rates(d, model, scratch, n, V):
    """Write (Φ_q v)_q of the translations."""
    pair, s = model.parametric.pairs[n], second_point(d, model, n)
    oi, (A, B) = velocity_of(d, model, scratch, pair.first)[1], orientations(d, scratch, pair)
    x, (rate, swung) = reach(d, model, scratch, n), reach_rate(d, model, scratch, n)
    for r in range(size(d)):
        back = swing(d, oi, basis(d, r))  # −ω̃_i by rows
        ground, own = apply(d, A, back), apply_transposed(d, B, axis(d, A, r))
        turn_i = add_turns(d, basis_cross(d, r, rate), cross(d, back, x))
        turn_j = add_turns(d, cross(d, swung, own), cross(d, s, apply_transposed(d, B, ground)))
        clear_row(pair, V, r)
        write_row(d, pair, V, r, scale(d, -1.0, ground), turn_i, ground, turn_j)


@inner_kernel
def _translation_second(d, model, scratch, n, force, K):
    """Add the derivatives of what λ does: −A_i λ and λ × A_iᵀ(…) on body i, A_i λ and s_j × A_ijᵀ λ on body j."""
    pair, s = model.parametric.pairs[n], second_point(d, model, n)
    (i, j, _), (A, B) = columns_of(model, pair), orientations(d, scratch, pair)
    x, turn = reach(d, model, scratch, n), size(d)
    own = apply_transposed(d, B, apply(d, A, force))
    for c in range(turns(d)):
        u = basis_turn(d, c)
        moved = apply(d, A, swing(d, u, force))
        if i >= 0:
            add_column(model, K, i, i, 0, turn + c, scale(d, -1.0, moved))
            add_column(model, K, i, i, turn, turn + c, cross(d, swing(d, u, x), force))
        if j >= 0:
            add_column(model, K, j, j, turn, turn + c, cross(d, swing(d, u, own), s))
        if i >= 0 and j >= 0:
            far = apply_transposed(d, A, apply(d, B, swing(d, u, s)))
            add_column(model, K, i, j, turn, turn + c, cross(d, force, far))
            add_column(model, K, j, i, 0, turn + c, moved)
            add_column(model, K, j, i, turn, turn + c, cross(d, s, apply_transposed(d, B, moved)))
    for c in range(size(d)):
        e = apply_transposed(d, A, basis(d, c))
        if i >= 0:
            add_column(model, K, i, i, turn, c, cross(d, e, force))
        if i >= 0 and j >= 0:
            add_column(model, K, i, j, turn, c, cross(d, force, e))


# --- rotations of a spatial pair ---------------------------------------------------------------------------------------------
@inner_kernel
def _variation(pair, left, axes, right, c):
    """Return the turns (u, v, W δα) of the frames along a column: of δπ′_i, of δπ′_j, then of the angles."""
    if c < TURN_J:
        return inside(SPATIAL, left, v3.basis(c)), NONE, NONE
    if c < ANGLES:
        return NONE, inside(SPATIAL, right, v3.basis(c - TURN_J)), NONE
    w = axes[c - ANGLES]
    return (w if pair.cosine == 0 else NONE), NONE, w


@inner_kernel
def _entry(pair, r, c):
    """Return which entry of Φ_q such a column has in the r-th rotation row, −1 for the ground."""
    at = pair.entry + pair.width * (ROTATION + r)
    if c < TURN_J:
        return at + pair.at_first + POINT + c if pair.at_first >= 0 else -1
    if c < ANGLES:
        return at + pair.at_second + POINT + c - TURN_J if pair.at_second >= 0 else -1
    return parameter_entry(pair, ROTATION + r, pair.slides + c - ANGLES)


@inner_kernel
def _exact_rotation_rates(model, state, scratch, n, V):
    """Write (Φ_q v)_q of the rotation rows."""
    pair, cosine = model.parametric.pairs[n], model.parametric.pairs[n].cosine == 1
    left, axes, H = left_frame(model, state, scratch, n)
    right, G = right_frame(SPATIAL, model, n), seen_from(model, scratch, n, left)
    spin = inside(SPATIAL, left, velocity_of(SPATIAL, model, scratch, pair.first)[1])
    turn = inside(SPATIAL, right, velocity_of(SPATIAL, model, scratch, pair.second)[1])
    rates = angle_rates(model, scratch, pair)
    w = sum_of_axes(axes, rates)
    u = spin if cosine else v3.add(spin, w)
    for r in range(3):
        clear_row(pair, V, ROTATION + r)
    for c in range(ANGLES + pair.rotation):
        if _entry(pair, 0, c) < 0:
            continue
        du, dv, dw = _variation(pair, left, axes, right, c)
        found, change = turning(turning(G, du, dv), u, turn), NONE
        if c >= ANGLES:
            change = axis_change(axes, rates, c - ANGLES)
        bent, bent_by = turning(turning(H, NONE, dw), NONE, w), v3.multiply(H, v3.tilde(change))
        sway = v3.multiply(v3.tilde(v3.subtract(change, v3.cross(dw, spin))), G)
        for r in range(3):
            code = pair.pick[r]
            V[_entry(pair, r, c)] = found[code] - (bent[code] + bent_by[code] if cosine else sway[code])


@inner_kernel
def _forces(pair, G, moment):
    """Return Σ λ_r (e_a × G_b) and Σ λ_r (e_b × Gᵃ)."""
    gu, gv = NONE, NONE
    for r in range(3):
        a, b = picked(pair, r)
        by_left, by_right = by_turns(G, a, b)
        gu, gv = v3.add(gu, v3.scale(moment[r], by_left)), v3.add(gv, v3.scale(moment[r], by_right))
    return gu, gv


@inner_kernel
def _exact_rotation_second(model, state, scratch, n, moment, K):
    """Add the second derivatives of the rotation rows."""
    pair, cosine = model.parametric.pairs[n], model.parametric.pairs[n].cosine == 1
    i, j, alpha = columns_of(model, pair)
    alpha += pair.slides
    left, axes, H = left_frame(model, state, scratch, n)
    right, G = right_frame(SPATIAL, model, n), seen_from(model, scratch, n, left)
    gu = _forces(pair, G, moment)[0]
    for c in range(ANGLES + pair.rotation):
        if _entry(pair, 0, c) < 0:
            continue
        du, dv, dw = _variation(pair, left, axes, right, c)
        hu, hv = _forces(pair, turning(G, du, dv), moment)
        to, inner = (i, POINT + c) if c < TURN_J else (j, POINT + c - TURN_J) if c < ANGLES else (alpha + c - ANGLES, 0)
        if i >= 0:
            turn_i = hu if cosine else v3.add(hu, v3.cross(dw, gu))
            add_column(model, K, i, to, POINT, inner, outside(SPATIAL, left, turn_i))
        if j >= 0:
            add_column(model, K, j, to, POINT, inner, outside(SPATIAL, right, hv))
        for a in range(pair.rotation):
            value = 0.0
            if not cosine:
                value = v3.dot(axes[a], hu) + (v3.dot(v3.cross(axes[a], dw), gu) if c - ANGLES > a else 0.0)
            elif c >= ANGLES:
                for r in range(3):
                    value -= moment[r] * bend(H, axes, a, c - ANGLES, pair.pick[r])
            K[spot(model, alpha + a, to)[0] + inner] += value
