"""The three rotation rows of a spatial pair: value, Φ_q and γ, exact on and off the constraints.

With E = C_iᵀ A_iᵀ A_j C_j they are entries of G = H(α)ᵀE, [g*·h_j, h*·f_j, f*·g_j], which have full rank at every α; or, as in
Lee, Lee, Bae (2013), entries of E − H(α), which lose rank where a sine vanishes. A turn u of the left frame and v of the right
one change G by −ũG + Gṽ, hence entry (a, b) by (e_a × G_b)·u + (e_b × Gᵃ)·v, column and row of G.
"""

from __future__ import annotations

from multibody.kernels.compile import inner_kernel
from multibody.kernels.parametric.algebra import inside, orientation, outside, parameter_entry, unit, velocity_of, write_row
from multibody.kernels.parametric.frames import (
    NONE,
    UNIT,
    angle_rates,
    angles_of,
    axes_of,
    axis_change,
    moved_frame,
    right_frame,
    sum_of_axes,
    turned,
)
from multibody.kernels.tags import SPATIAL
from multibody.kernels.vectors import add, apply, apply_transposed, cross, dot, multiply, scale, subtract, tilde

FIRST = 3  # the rotation rows come behind those of the translations
ONE = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


@inner_kernel
def products(left, right):
    """Return the matrix of the scalar products of two frames' axes, by rows."""
    a, b, c = inside(SPATIAL, right, left[0]), inside(SPATIAL, right, left[1]), inside(SPATIAL, right, left[2])
    return (a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2])


@inner_kernel
def parameter_matrix(pair, scratch):
    """Return H(α) by rows, and the axes of the angles."""
    moved, axes = turned(pair.rotation, UNIT, angles_of(pair, scratch.extra))
    return products(UNIT, moved), axes


@inner_kernel
def left_frame(model, state, scratch, n):
    """Return the frame on body i that G is read in, the axes of the angles, and H (of use to cosine rows only)."""
    pair = model.parametric.pairs[n]
    if pair.cosine == 0:
        moved, axes = moved_frame(SPATIAL, model, state, scratch, n)
        return moved, axes, ONE
    H, axes = parameter_matrix(pair, scratch)
    return axes_of(state.parametric.charts[n].C_i), axes, H


@inner_kernel
def seen_from(model, scratch, n, left):
    """Return G: the second frame of a pair in the left one."""
    pair, (f, g, h) = model.parametric.pairs[n], right_frame(SPATIAL, model, n)
    A = orientation(SPATIAL, scratch.spatial_pose[pair.first])
    B = orientation(SPATIAL, scratch.spatial_pose[pair.second])
    right = (apply_transposed(A, apply(B, f)), apply_transposed(A, apply(B, g)), apply_transposed(A, apply(B, h)))
    return products(left, right)


@inner_kernel
def picked(pair, r):
    """Return the entry (a, b) that the r-th rotation row is."""
    return (pair.pick[r] // 3, pair.pick[r] % 3)


@inner_kernel
def column(G, b):
    """Return the b-th column."""
    return (G[b], G[3 + b], G[6 + b])


@inner_kernel
def row_of(G, a):
    """Return the a-th row."""
    return (G[3 * a], G[3 * a + 1], G[3 * a + 2])


@inner_kernel
def by_turns(G, a, b):
    """Return (e_a × G_b, e_b × Gᵃ): how entry (a, b) changes with turns of the left and of the right frame."""
    return cross(unit(SPATIAL, a), column(G, b)), cross(unit(SPATIAL, b), row_of(G, a))


@inner_kernel
def turning(G, u, v):
    """Return −ũG + Gṽ."""
    x, y = multiply(tilde(u), G), multiply(G, tilde(v))
    return (
        y[0] - x[0], y[1] - x[1], y[2] - x[2], y[3] - x[3], y[4] - x[4], y[5] - x[5], y[6] - x[6], y[7] - x[7], y[8] - x[8],
    )  # fmt: skip


@inner_kernel
def write_rotations(model, state, scratch, n):
    """Write Φ."""
    pair, (left, _, H) = model.parametric.pairs[n], left_frame(model, state, scratch, n)
    G = seen_from(model, scratch, n, left)
    for r in range(3):
        code = pair.pick[r]
        scratch.by_row[pair.row + FIRST + r] = G[code] - (H[code] if pair.cosine == 1 else 0.0)


@inner_kernel
def write_rotation_rows(model, state, scratch, n):
    """Write Φ_q in the velocity columns (ṙ, ω′) and those of α."""
    pair, J = model.parametric.pairs[n], scratch.J
    left, axes, H = left_frame(model, state, scratch, n)
    G, right = seen_from(model, scratch, n, left), right_frame(SPATIAL, model, n)
    for r in range(3):
        a, b = picked(pair, r)
        gu, gv = by_turns(G, a, b)
        by_axis = gu if pair.cosine == 0 else cross(row_of(H, a), unit(SPATIAL, b))
        write_row(SPATIAL, pair, J, FIRST + r, NONE, outside(SPATIAL, left, gu), NONE, outside(SPATIAL, right, gv))
        for k in range(pair.parameters):
            angle = k - pair.slides
            J[parameter_entry(pair, FIRST + r, k)] = dot(by_axis, axes[angle]) if angle >= 0 else 0.0


@inner_kernel
def write_rotation_gamma(model, state, scratch, n):
    """Write γ: minus the second time derivative of the constraints without accelerations."""
    pair, cosine = model.parametric.pairs[n], model.parametric.pairs[n].cosine == 1
    oi = velocity_of(SPATIAL, model, scratch, pair.first)[1]
    oj = velocity_of(SPATIAL, model, scratch, pair.second)[1]
    left, axes, H = left_frame(model, state, scratch, n)
    rates = angle_rates(model, scratch, pair)
    w, change, spin = sum_of_axes(axes, rates), NONE, inside(SPATIAL, left, oi)
    for c in range(3):
        change = add(change, scale(rates[c], axis_change(axes, rates, c)))
    G, v = seen_from(model, scratch, n, left), inside(SPATIAL, right_frame(SPATIAL, model, n), oj)
    u, du = spin, NONE
    if not cosine:
        u, du = add(spin, w), subtract(change, cross(w, spin))
    second_order, sway = turning(turning(G, u, v), u, v), multiply(tilde(du), G)
    bend, extra = turning(turning(H, NONE, w), NONE, w), multiply(H, tilde(change))
    for r in range(3):
        code = pair.pick[r]
        lost = bend[code] + extra[code] if cosine else 0.0
        scratch.by_row[pair.row + FIRST + r] = sway[code] - second_order[code] + lost
