"""Constraints of a spatial pair in parametric coordinates: value, Φ_q and γ, exact on and off the constraints.

Lee, Lee, Bae (2013), the errors of the text corrected: three translations A_iᵀ(r_j + A_j s_j − r_i) − s_i − B α in the axes of
body i, and three rotations. With E = C_iᵀ A_iᵀ A_j C_j these are entries of G = H(α)ᵀE, [g*·h_j, h*·f_j, f*·g_j], which have
full rank at every α; or, as in the paper, entries of E − H(α), which lose rank where a sine vanishes. A turn u of the left
frame and v of the right one change G by −ũG + Gṽ, hence entry (a, b) by (e_a × G_b)·u + (e_b × Gᵃ)·v, column and row of G.
"""

from __future__ import annotations

from multibody.kernels import layout as L
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
)


@inner_kernel
def reach(model, scratch, pair):
    """Return A_iᵀ(r_j + A_j s_j − r_i)."""
    I, F, W = model.I, model.F, scratch.W
    p, q = I[L.W_POSE] + 12 * I[pair + P.FIRST], I[L.W_POSE] + 12 * I[pair + P.SECOND]
    end = add(load3(W, q), apply(load9(W, q + 3), load3(F, I[pair + P.NUMBERS] + 3)))
    return apply_transposed(load9(W, p + 3), subtract(end, load3(W, p)))


@inner_kernel
def relative(model, scratch, pair):
    """Return the axes f, g, h of the second frame in the axes of body i."""
    I, F, W = model.I, model.F, scratch.W
    p, q = I[L.W_POSE] + 12 * I[pair + P.FIRST] + 3, I[L.W_POSE] + 12 * I[pair + P.SECOND] + 3
    f, g, h = frame_at(F, I[pair + P.NUMBERS] + 15)
    A, B = load9(W, p), load9(W, q)
    return (apply_transposed(A, apply(B, f)), apply_transposed(A, apply(B, g)), apply_transposed(A, apply(B, h)))


@inner_kernel
def products(left, right):
    """Return the matrix of the scalar products of two frames' axes, by rows."""
    a, b, c = inside(right, left[0]), inside(right, left[1]), inside(right, left[2])
    return (a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2])


@inner_kernel
def left_frame(model, scratch, pair):
    """Return the frame on body i that G is read in, the axes of the angles, and H (of use to cosine rows only)."""
    I, F = model.I, model.F
    k, angles = I[pair + P.NUMBERS] + 6, angles_of(model, scratch, pair, I[L.W_EXTRA])
    fixed = frame_at(F, k)
    if I[pair + P.COSINE] == 0:
        moved, axes = turned(I[pair + P.ROTATION], fixed, angles)
        return moved, axes, (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
    moved, axes = turned(I[pair + P.ROTATION], UNIT, angles)
    return fixed, axes, products(UNIT, moved)


@inner_kernel
def picked(model, pair, r):
    """Return the entry (a, b) that the r-th rotation row is."""
    I = model.I
    code = I[pair + P.PICK + r]
    return (code // 3, code % 3)


@inner_kernel
def unit(a):
    """Return the a-th unit vector."""
    return (1.0 if a == 0 else 0.0, 1.0 if a == 1 else 0.0, 1.0 if a == 2 else 0.0)


@inner_kernel
def column(G, b):
    """Return the b-th column."""
    return (G[b], G[3 + b], G[6 + b])


@inner_kernel
def row_of(G, a):
    """Return the a-th row."""
    return (G[3 * a], G[3 * a + 1], G[3 * a + 2])


@inner_kernel
def turning(G, u, v):
    """Return −ũG + Gṽ."""
    x, y = multiply(tilde(u), G), multiply(G, tilde(v))
    return (
        y[0] - x[0], y[1] - x[1], y[2] - x[2], y[3] - x[3], y[4] - x[4], y[5] - x[5], y[6] - x[6], y[7] - x[7], y[8] - x[8],
    )  # fmt: skip


@inner_kernel
def pair_values(model, scratch, pair, out):
    """Write the six constraints of a pair at W[out…]."""
    I, W = model.I, scratch.W
    x = subtract(reach(model, scratch, pair), slide_of(model, scratch, pair))
    left, _, H = left_frame(model, scratch, pair)
    G = products(left, relative(model, scratch, pair))
    for r in range(3):
        W[out + r] = x[r]
        code = I[pair + P.PICK + r]
        W[out + 3 + r] = G[code] - (H[code] if I[pair + P.COSINE] == 1 else 0.0)


@inner_kernel
def write_row(model, scratch, pair, row, x, turn_i, y, turn_j):
    """Write the blocks of the two bodies in a row at W[row…]."""
    I, W = model.I, scratch.W
    i, j = I[pair + P.AT_FIRST], I[pair + P.AT_SECOND]
    for c in range(3):
        if i >= 0:
            W[row + i + c] = x[c]
            W[row + i + 3 + c] = turn_i[c]
        if j >= 0:
            W[row + j + c] = y[c]
            W[row + j + 3 + c] = turn_j[c]


@inner_kernel
def pair_rows(model, scratch, pair, J):
    """Write Φ_q of a pair, its entries from W[J…] on, in the velocity columns (ṙ, ω′) and those of α."""
    I, F, W = model.I, model.F, scratch.W
    k, width, n = I[pair + P.NUMBERS], I[pair + P.WIDTH], I[pair + P.ALPHAS]
    slides, at = I[pair + P.SLIDES], J + I[pair + P.AT_ALPHA]
    A = load9(W, I[L.W_POSE] + 12 * I[pair + P.FIRST] + 3)
    B = load9(W, I[L.W_POSE] + 12 * I[pair + P.SECOND] + 3)
    d, s = reach(model, scratch, pair), load3(F, k + 3)
    for r in range(3):
        a = column(A, r)
        write_row(model, scratch, pair, J + width * r, scale(-1.0, a), cross(unit(r), d), a, cross(s, apply_transposed(B, a)))
        for c in range(n):
            W[at + width * r + c] = -direction(model, pair, c)[r]
    left, axes, H = left_frame(model, scratch, pair)
    G, right = products(left, relative(model, scratch, pair)), frame_at(F, k + 15)
    for r in range(3):
        a, b = picked(model, pair, r)
        gu, gv = cross(unit(a), column(G, b)), cross(unit(b), row_of(G, a))
        by_axis = gu if I[pair + P.COSINE] == 0 else cross(row_of(H, a), unit(b))
        write_row(model, scratch, pair, J + width * (3 + r), NONE, outside(left, gu), NONE, outside(right, gv))
        for c in range(n):
            W[at + width * (3 + r) + c] = dot(by_axis, axes[c - slides]) if c >= slides else 0.0


@inner_kernel
def pair_gamma(model, scratch, pair, out):
    """Write γ of a pair at W[out…]: minus the second time derivative of the constraints without accelerations."""
    I, F, W = model.I, model.F, scratch.W
    k, v, e = I[pair + P.NUMBERS], I[L.W_VELOCITY], I[L.W_VELOCITY] + 6 * (I[L.BODIES] + 1)
    first, second = v + 6 * I[pair + P.FIRST], v + 6 * I[pair + P.SECOND]
    A = load9(W, I[L.W_POSE] + 12 * I[pair + P.FIRST] + 3)
    B = load9(W, I[L.W_POSE] + 12 * I[pair + P.SECOND] + 3)
    oi, oj, s = load3(W, first + 3), load3(W, second + 3), load3(F, k + 3)
    swing = cross(oj, s)
    rate = apply_transposed(A, subtract(add(load3(W, second), apply(B, swing)), load3(W, first)))
    own = subtract(rate, cross(oi, reach(model, scratch, pair)))
    far = apply_transposed(A, apply(B, cross(oj, swing)))
    translation = subtract(cross(oi, add(rate, own)), far)
    left, axes, H = left_frame(model, scratch, pair)
    rates = angles_of(model, scratch, pair, e)
    w, change, spin = sum_of_axes(axes, rates), NONE, inside(left, oi)
    for c in range(3):
        change = add(change, scale(rates[c], axis_change(axes, rates, c)))
    G, turn_v = products(left, relative(model, scratch, pair)), inside(frame_at(F, k + 15), oj)
    u, du, cosine = spin, NONE, I[pair + P.COSINE] == 1
    if not cosine:
        u, du = add(spin, w), subtract(change, cross(w, spin))
    second_order, sway = turning(turning(G, u, turn_v), u, turn_v), multiply(tilde(du), G)
    bend = turning(turning(H, NONE, w), NONE, w)
    extra = multiply(H, tilde(change))
    for r in range(3):
        code = I[pair + P.PICK + r]
        W[out + r] = translation[r]
        W[out + 3 + r] = sway[code] - second_order[code] + (bend[code] + extra[code] if cosine else 0.0)


@inner_kernel
def pair_multipliers(model, pair, x, at):
    """Return the multipliers of a pair's translations and rotations in x[at…]; 0 for rows that are left out."""
    I = model.I
    c = pair + P.CHOSEN
    t = (
        x[at + I[c]] if I[c] >= 0 else 0.0, x[at + I[c + 1]] if I[c + 1] >= 0 else 0.0,
        x[at + I[c + 2]] if I[c + 2] >= 0 else 0.0,
    )  # fmt: skip
    r = (
        x[at + I[c + 3]] if I[c + 3] >= 0 else 0.0, x[at + I[c + 4]] if I[c + 4] >= 0 else 0.0,
        x[at + I[c + 5]] if I[c + 5] >= 0 else 0.0,
    )  # fmt: skip
    return t, r
