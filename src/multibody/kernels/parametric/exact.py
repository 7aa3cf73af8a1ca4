"""Exact derivatives of pairs, on and off the constraints, along (δr, δπ′, δα): what a system Jacobian needs."""

from __future__ import annotations

from multibody.kernels import vectors as v3
from multibody.kernels.blocks import spot
from multibody.kernels.compile import inner_kernel
from multibody.kernels.parametric.algebra import (
    add_turns,
    apply,
    apply_transposed,
    axis,
    clear_row,
    cross,
    inside,
    multipliers_of,
    outside,
    parameter_entry,
    scale,
    size,
    swing,
    turns,
    unit,
    unit_cross,
    unit_turn,
    velocity_of,
    write_row,
)
from multibody.kernels.parametric.alpha import add_column, bend, columns_of
from multibody.kernels.parametric.frames import NONE, angle_rates, axis_change, right_frame, second_point, sum_of_axes
from multibody.kernels.parametric.rows import (
    ANGLE,
    ROTATION,
    by_turns,
    left_frame,
    orientations,
    picked,
    reach,
    reach_rate,
    seen_from,
    turning,
)
from multibody.kernels.state import POINT
from multibody.kernels.tags import PLANAR, SPATIAL


@inner_kernel
def exact_partials(d, model, state, scratch, n, multipliers):
    """Write (Φ_q v)_q of a pair to the kept rows and add (Φ_qᵀ λ)_q to the kept matrix K, with room for all its columns."""
    pair = model.parametric.pairs[n]
    _translation_rates(d, model, scratch, n, state.newton.V)
    _translation_second(d, model, scratch, n, multipliers_of(d, pair, multipliers, 0), state.newton.K)
    if d is PLANAR:
        clear_row(pair, state.newton.V, ANGLE)
    else:
        _rotation_rates(model, state, scratch, n, state.newton.V)
        _rotation_second(model, state, scratch, n, multipliers_of(d, pair, multipliers, ROTATION), state.newton.K)


# --- translations ------------------------------------------------------------------------------------------------------------
@inner_kernel
def _translation_rates(d, model, scratch, n, V):
    """Write (Φ_q v)_q of the translations."""
    pair, s = model.parametric.pairs[n], second_point(d, model, n)
    oi, (A, B) = velocity_of(d, model, scratch, pair.first)[1], orientations(d, scratch, pair)
    x, (rate, swung) = reach(d, model, scratch, n), reach_rate(d, model, scratch, n)
    for r in range(size(d)):
        back = swing(d, oi, unit(d, r))  # −ω̃_i by rows
        ground, own = apply(d, A, back), apply_transposed(d, B, axis(d, A, r))
        turn_i = add_turns(d, unit_cross(d, r, rate), cross(d, back, x))
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
        u = unit_turn(d, c)
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
        e = apply_transposed(d, A, unit(d, c))
        if i >= 0:
            add_column(model, K, i, i, turn, c, cross(d, e, force))
        if i >= 0 and j >= 0:
            add_column(model, K, i, j, turn, c, cross(d, force, e))


# --- rotations of a spatial pair ---------------------------------------------------------------------------------------------
@inner_kernel
def _variation(pair, left, axes, right, c):
    """Return the turns (u, v, W δα) of the frames along a column: 0…2 of δπ′_i, 3…5 of δπ′_j, then the angles."""
    if c < 3:
        return inside(SPATIAL, left, unit(SPATIAL, c)), NONE, NONE
    if c < 6:
        return NONE, inside(SPATIAL, right, unit(SPATIAL, c - 3)), NONE
    w = axes[c - 6]
    return (w if pair.cosine == 0 else NONE), NONE, w


@inner_kernel
def _entry(pair, r, c):
    """Return which entry of Φ_q such a column has in the r-th rotation row, −1 for the ground."""
    at = pair.entry + pair.width * (ROTATION + r)
    if c < 3:
        return at + pair.at_first + POINT + c if pair.at_first >= 0 else -1
    if c < 6:
        return at + pair.at_second + POINT + c - 3 if pair.at_second >= 0 else -1
    return parameter_entry(pair, ROTATION + r, pair.slides + c - 6)


@inner_kernel
def _rotation_rates(model, state, scratch, n, V):
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
    for c in range(6 + pair.rotation):
        if _entry(pair, 0, c) < 0:
            continue
        du, dv, dw = _variation(pair, left, axes, right, c)
        found, change = turning(turning(G, du, dv), u, turn), NONE
        if c >= 6:
            change = axis_change(axes, rates, c - 6)
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
def _rotation_second(model, state, scratch, n, moment, K):
    """Add the second derivatives of the rotation rows."""
    pair, cosine = model.parametric.pairs[n], model.parametric.pairs[n].cosine == 1
    i, j, alpha = columns_of(model, pair)
    alpha += pair.slides
    left, axes, H = left_frame(model, state, scratch, n)
    right, G = right_frame(SPATIAL, model, n), seen_from(model, scratch, n, left)
    gu = _forces(pair, G, moment)[0]
    for c in range(6 + pair.rotation):
        if _entry(pair, 0, c) < 0:
            continue
        du, dv, dw = _variation(pair, left, axes, right, c)
        hu, hv = _forces(pair, turning(G, du, dv), moment)
        to, inner = (i, POINT + c) if c < 3 else (j, POINT + c - 3) if c < 6 else (alpha + c - 6, 0)
        if i >= 0:
            turn_i = hu if cosine else v3.add(hu, v3.cross(dw, gu))
            add_column(model, K, i, to, POINT, inner, outside(SPATIAL, left, turn_i))
        if j >= 0:
            add_column(model, K, j, to, POINT, inner, outside(SPATIAL, right, hv))
        for a in range(pair.rotation):
            value = 0.0
            if not cosine:
                value = v3.dot(axes[a], hu) + (v3.dot(v3.cross(axes[a], dw), gu) if c - 6 > a else 0.0)
            elif c >= 6:
                for r in range(3):
                    value -= moment[r] * bend(H, axes, a, c - 6, pair.pick[r])
            K[spot(model, alpha + a, to)[0] + inner] += value
