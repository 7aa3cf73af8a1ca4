"""Exact derivatives of a spatial pair, on and off the constraints, along (δr, δπ′, δα): what a system Jacobian needs."""

from __future__ import annotations

from multibody.kernels import layout as L
from multibody.kernels.blocks import add_matrix, spot
from multibody.kernels.compile import inner_kernel
from multibody.kernels.parametric import layout as P
from multibody.kernels.parametric.alpha import bend
from multibody.kernels.parametric.frames import (
    NONE,
    angles_of,
    axis_change,
    frame_at,
    inside,
    outside,
    sum_of_axes,
)
from multibody.kernels.parametric.spatial import (
    column,
    left_frame,
    picked,
    products,
    reach,
    relative,
    row_of,
    turning,
    unit,
    write_row,
)
from multibody.kernels.vectors import (
    add,
    apply,
    apply_transposed,
    cross,
    dot,
    load3,
    load9,
    multiply,
    scale,
    subtract,
    tilde,
    tilde_tilde,
    transpose,
)


@inner_kernel
def exact_rates(model, scratch, pair, V):
    """Write (Φ_q v)_q of a pair, its entries from W[V…] on."""
    I, F, W = model.I, model.F, scratch.W
    width, n, v = I[pair + P.WIDTH], I[pair + P.ALPHAS], I[L.W_VELOCITY]
    i, j, s = I[pair + P.FIRST], I[pair + P.SECOND], load3(F, I[pair + P.NUMBERS] + 3)
    A, B = load9(W, I[L.W_POSE] + 12 * i + 3), load9(W, I[L.W_POSE] + 12 * j + 3)
    oi, oj, d = load3(W, v + 6 * i + 3), load3(W, v + 6 * j + 3), reach(model, scratch, pair)
    swing = cross(oj, s)
    rate = apply_transposed(A, subtract(add(load3(W, v + 6 * j), apply(B, swing)), load3(W, v + 6 * i)))
    for r in range(3):
        e = unit(r)
        back = cross(oi, e)  # −ω̃_i by rows
        ground, own = apply(A, back), apply_transposed(B, column(A, r))
        turn_i = add(cross(e, rate), cross(back, d))
        turn_j = add(cross(swing, own), cross(s, apply_transposed(B, ground)))
        write_row(model, scratch, pair, V + width * r, scale(-1.0, ground), turn_i, ground, turn_j)
        for c in range(n):
            W[V + width * r + I[pair + P.AT_ALPHA] + c] = 0.0
    _rotation_rates(model, scratch, pair, oi, oj, V)


@inner_kernel
def _variation(pair, model, left, axes, right, c):
    """Return the turns (u, v, W δα) of the frames along a column: 0…2 of δπ′_i, 3…5 of δπ′_j, then the angles."""
    I = model.I
    if c < 3:
        return inside(left, unit(c)), NONE, NONE
    if c < 6:
        return NONE, inside(right, unit(c - 3)), NONE
    w = axes[c - 6]
    return (w if I[pair + P.COSINE] == 0 else NONE), NONE, w


@inner_kernel
def _rotation_rates(model, scratch, pair, oi, oj, V):
    """Write (Φ_q v)_q of the rotation rows."""
    I, F, W = model.I, model.F, scratch.W
    width, slides, rotation = I[pair + P.WIDTH], I[pair + P.SLIDES], I[pair + P.ROTATION]
    left, axes, H = left_frame(model, scratch, pair)
    right, cosine = frame_at(F, I[pair + P.NUMBERS] + 15), I[pair + P.COSINE] == 1
    G, rates = (
        products(left, relative(model, scratch, pair)),
        angles_of(model, scratch, pair, I[L.W_VELOCITY] + 6 * (I[L.BODIES] + 1)),
    )
    spin, w, turn = inside(left, oi), sum_of_axes(axes, rates), inside(right, oj)
    u = spin if cosine else add(spin, w)
    for r in range(3):
        write_row(model, scratch, pair, V + width * (3 + r), NONE, NONE, NONE, NONE)
        for c in range(I[pair + P.ALPHAS]):
            W[V + width * (3 + r) + I[pair + P.AT_ALPHA] + c] = 0.0
    for c in range(6 + rotation):
        du, dv, dw = _variation(pair, model, left, axes, right, c)
        found, change = turning(turning(G, du, dv), u, turn), NONE
        at = I[pair + P.AT_FIRST] + 3 + c if c < 3 else I[pair + P.AT_SECOND] + c
        at = at if c < 6 else I[pair + P.AT_ALPHA] + slides + c - 6
        if (c < 3 and I[pair + P.AT_FIRST] < 0) or (3 <= c < 6 and I[pair + P.AT_SECOND] < 0):
            continue
        if c >= 6:
            change = axis_change(axes, rates, c - 6)
        bent = turning(turning(H, NONE, dw), NONE, w)
        bent_by = multiply(H, tilde(change))
        sway = multiply(tilde(subtract(change, cross(dw, spin))), G)
        for r in range(3):
            code = I[pair + P.PICK + r]
            lost = bent[code] + bent_by[code] if cosine else sway[code]
            W[V + width * (3 + r) + at] = found[code] - lost


@inner_kernel
def exact_second(model, scratch, pair, force, moment, K):
    """Add (Φ_qᵀ λ)_q of a pair to a block matrix with room for all pairs of its columns."""
    I, F, W = model.I, model.F, scratch.W
    i, j, s = 6 * I[pair + P.FIRST] - 6, 6 * I[pair + P.SECOND] - 6, load3(F, I[pair + P.NUMBERS] + 3)
    A = load9(W, I[L.W_POSE] + 12 * I[pair + P.FIRST] + 3)
    B = load9(W, I[L.W_POSE] + 12 * I[pair + P.SECOND] + 3)
    tf, ts, Aij = tilde(force), tilde(s), multiply(transpose(A), B)
    forward, back = multiply(A, tf), multiply(tf, transpose(A))
    if i >= 0:
        add_matrix(model, K, i, i, 0, 3, 1.0, forward)
        add_matrix(model, K, i, i, 3, 0, -1.0, back)
        add_matrix(model, K, i, i, 3, 3, 1.0, tilde_tilde(force, reach(model, scratch, pair)))
    if i >= 0 and j >= 0:
        add_matrix(model, K, i, j, 3, 0, 1.0, back)
        add_matrix(model, K, i, j, 3, 3, -1.0, multiply(tf, multiply(Aij, ts)))
        add_matrix(model, K, j, i, 0, 3, -1.0, forward)
        add_matrix(model, K, j, i, 3, 3, -1.0, multiply(ts, multiply(transpose(Aij), tf)))
    if j >= 0:
        add_matrix(model, K, j, j, 3, 3, 1.0, tilde_tilde(s, apply_transposed(Aij, force)))
    _rotation_second(model, scratch, pair, moment, K)


@inner_kernel
def _forces(model, pair, G, moment):
    """Return Σ λ_r (e_a × G_b) and Σ λ_r (e_b × Gᵃ)."""
    gu, gv = NONE, NONE
    for r in range(3):
        a, b = picked(model, pair, r)
        gu = add(gu, scale(moment[r], cross(unit(a), column(G, b))))
        gv = add(gv, scale(moment[r], cross(unit(b), row_of(G, a))))
    return gu, gv


@inner_kernel
def _rotation_second(model, scratch, pair, moment, K):
    """Add the second derivatives of the rotation rows."""
    I, F = model.I, model.F
    i, j, slides = 6 * I[pair + P.FIRST] - 6, 6 * I[pair + P.SECOND] - 6, I[pair + P.SLIDES]
    alpha, rotation, cosine = 6 * I[L.BODIES] + I[pair + P.EXTRA] + slides, I[pair + P.ROTATION], I[pair + P.COSINE] == 1
    left, axes, H = left_frame(model, scratch, pair)
    right = frame_at(F, I[pair + P.NUMBERS] + 15)
    G = products(left, relative(model, scratch, pair))
    gu = _forces(model, pair, G, moment)[0]
    for c in range(6 + rotation):
        if (c < 3 and i < 0) or (3 <= c < 6 and j < 0):
            continue
        du, dv, dw = _variation(pair, model, left, axes, right, c)
        hu, hv = _forces(model, pair, turning(G, du, dv), moment)
        turn_i = outside(left, hu if cosine else add(hu, cross(dw, gu)))
        turn_j = outside(right, hv)
        to = i if c < 3 else j if c < 6 else alpha + c - 6
        inner = c + 3 if c < 3 else c if c < 6 else 0
        for r in range(3):
            if i >= 0:
                at, stride = spot(model, i, to)
                K[at + stride * (3 + r) + inner] += turn_i[r]
            if j >= 0:
                at, stride = spot(model, j, to)
                K[at + stride * (3 + r) + inner] += turn_j[r]
        for a in range(rotation):
            value = 0.0
            if not cosine:
                value = dot(axes[a], hu) + (dot(cross(axes[a], dw), gu) if c - 6 > a else 0.0)
            elif c >= 6:
                for r in range(3):
                    value -= moment[r] * bend(H, axes, a, c - 6, I[pair + P.PICK + r])
            K[spot(model, alpha + a, to)[0] + inner] += value
