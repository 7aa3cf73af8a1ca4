"""Constraints of pairs in parametric coordinates: value, Φ_q and γ, exact on and off the constraints.

Lee, Lee, Bae (2013), the errors of the text corrected. Translations are A_iᵀ(r_j + A_j s_j − r_i) − s_i − B α in the axes of
body i, two or three rows; the rotation is θ_j − θ_i + offset − α in the plane.

In space it is three rows. With E = C_iᵀ A_iᵀ A_j C_j they are entries of G = H(α)ᵀE, [g*·h_j, h*·f_j, f*·g_j], which have full
rank at every α; or, as in the paper, entries of E − H(α), which lose rank where a sine vanishes. A turn u of the left frame and
v of the right one change G by −ũG + Gṽ, hence entry (a, b) by (e_a × G_b)·u + (e_b × Gᵃ)·v, column and row of G.
"""

from __future__ import annotations

import math

from multibody.kernels import vectors as v3
from multibody.kernels.compile import inner_kernel, kernel
from multibody.kernels.declared import model_at, scratch_at, state_at
from multibody.kernels.parametric.frames import (
    BASIS,
    NONE,
    add,
    angle_rates,
    angles_of,
    apply,
    apply_transposed,
    axes_of,
    axis,
    axis_change,
    basis_cross,
    cross,
    direction,
    inside,
    moved_frame,
    orientation,
    outside,
    parameter_entry,
    poses_of,
    position,
    right_frame,
    scale,
    second_point,
    size,
    slide_of,
    subtract,
    sum_of_axes,
    swing,
    turned,
    velocity_of,
    write_row,
    zero,
)
from multibody.kernels.tags import PLANAR, SPATIAL

ANGLE = 2  # the rotation row of a planar pair
ROTATION = 3  # the first one of a spatial pair
ONE = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


@inner_kernel
def orientations(d, scratch, pair):
    """Return A_i and A_j."""
    poses = poses_of(d, scratch)
    return orientation(d, poses[pair.first]), orientation(d, poses[pair.second])


@inner_kernel
def reach(d, model, scratch, n):
    """Return A_iᵀ(r_j + A_j s_j − r_i)."""
    pair, poses = model.parametric.pairs[n], poses_of(d, scratch)
    p, q, s = poses[pair.first], poses[pair.second], second_point(d, model, n)
    end = add(d, position(d, q), apply(d, orientation(d, q), s))
    return apply_transposed(d, orientation(d, p), subtract(d, end, position(d, p)))


@inner_kernel
def reach_rate(d, model, scratch, n):
    """Return A_iᵀ of the velocity of the second point as seen from r_i, and ω_j × s_j in the axes of body j."""
    pair, (A, B) = model.parametric.pairs[n], orientations(d, scratch, model.parametric.pairs[n])
    (vi, _), (vj, oj) = velocity_of(d, model, scratch, pair.first), velocity_of(d, model, scratch, pair.second)
    swung = swing(d, oj, second_point(d, model, n))
    return apply_transposed(d, A, subtract(d, add(d, vj, apply(d, B, swung)), vi)), swung


# --- rotations of a spatial pair ---------------------------------------------------------------------------------------------
@inner_kernel
def products(left, right):
    """Return the matrix of the scalar products of two frames' axes, by rows."""
    a, b, c = inside(SPATIAL, right, left[0]), inside(SPATIAL, right, left[1]), inside(SPATIAL, right, left[2])
    return (a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2])


@inner_kernel
def parameter_matrix(pair, scratch):
    """Return H(α) by rows, and the axes of the angles."""
    moved, axes = turned(pair.rotation, BASIS, angles_of(pair, scratch.extra))
    return products(BASIS, moved), axes


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
    A, B = orientations(SPATIAL, scratch, model.parametric.pairs[n])
    f, g, h = right_frame(SPATIAL, model, n)
    right = (
        v3.apply_transposed(A, v3.apply(B, f)),
        v3.apply_transposed(A, v3.apply(B, g)),
        v3.apply_transposed(A, v3.apply(B, h)),
    )
    return products(left, right)


@inner_kernel
def picked(pair, r):
    """Return the entry (a, b) that the r-th rotation row is."""
    return (pair.pick[r] // v3.ROW, pair.pick[r] % v3.ROW)




@inner_kernel
def by_turns(G, a, b):
    """Return (e_a × G_b, e_b × Gᵃ): how entry (a, b) changes with turns of the left and of the right frame."""
    return v3.cross(v3.basis(a), v3.column_of(G, b)), v3.cross(v3.basis(b), v3.row_of(G, a))


@inner_kernel
def turning(G, u, v):
    """Return −ũG + Gṽ."""
    x, y = v3.multiply(v3.tilde(u), G), v3.multiply(G, v3.tilde(v))
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
        scratch.by_row[pair.row + ROTATION + r] = G[code] - (H[code] if pair.cosine == 1 else 0.0)


@inner_kernel
def write_rotation_rows(model, n, left, axes, H, G, J):
    """Write Φ_q in the velocity columns (ṙ, ω′) and those of α; left, axes and H from ``left_frame``."""
    pair, right = model.parametric.pairs[n], right_frame(SPATIAL, model, n)
    for r in range(3):
        a, b = picked(pair, r)
        gu, gv = by_turns(G, a, b)
        by_axis = gu if pair.cosine == 0 else v3.cross(v3.row_of(H, a), v3.basis(b))
        write_row(SPATIAL, pair, J, ROTATION + r, NONE, outside(SPATIAL, left, gu), NONE, outside(SPATIAL, right, gv))
        for k in range(pair.parameters):
            angle = k - pair.slides
            J[parameter_entry(pair, ROTATION + r, k)] = v3.dot(by_axis, axes[angle]) if angle >= 0 else 0.0


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
        change = v3.add(change, v3.scale(rates[c], axis_change(axes, rates, c)))
    G, v = seen_from(model, scratch, n, left), inside(SPATIAL, right_frame(SPATIAL, model, n), oj)
    u, du = spin, NONE
    if not cosine:
        u, du = v3.add(spin, w), v3.subtract(change, v3.cross(w, spin))
    second_order, sway = turning(turning(G, u, v), u, v), v3.multiply(v3.tilde(du), G)
    bend, extra = turning(turning(H, NONE, w), NONE, w), v3.multiply(H, v3.tilde(change))
    for r in range(3):
        code = pair.pick[r]
        lost = bend[code] + extra[code] if cosine else 0.0
        scratch.by_row[pair.row + ROTATION + r] = sway[code] - second_order[code] + lost


# --- of one pair -------------------------------------------------------------------------------------------------------------
@inner_kernel
def _write_values(d, model, state, scratch, n):
    """Write Φ of a pair."""
    pair = model.parametric.pairs[n]
    x = subtract(d, reach(d, model, scratch, n), slide_of(d, model, state, scratch, n))
    for r in range(size(d)):
        scratch.by_row[pair.row + r] = x[r]
    if d is PLANAR:
        scratch.by_row[pair.row + ANGLE] = _angle(model, scratch, n)
    else:
        write_rotations(model, state, scratch, n)


@inner_kernel
def _angle(model, scratch, n):
    """Return θ_j − θ_i + offset − α."""
    pair, poses = model.parametric.pairs[n], scratch.planar_pose
    angle = poses[pair.second].angle - poses[pair.first].angle + model.parametric.planar_numbers[n].offset
    if pair.rotation == 1:
        return angle - scratch.extra[pair.extra + pair.slides]
    return angle - 2.0 * math.pi * math.floor(0.5 * angle / math.pi + 0.5)  # frames that are aligned but for whole turns


@inner_kernel
def _write_rows(d, model, state, scratch, n):
    """Write Φ_q of a pair in the velocity columns (ṙ, ω′) and those of α."""
    pair, J = model.parametric.pairs[n], scratch.J
    A, B = orientations(d, scratch, pair)
    x, s = reach(d, model, scratch, n), second_point(d, model, n)
    for r in range(size(d)):
        a = axis(d, A, r)
        write_row(d, pair, J, r, scale(d, -1.0, a), basis_cross(d, r, x), a, cross(d, s, apply_transposed(d, B, a)))
    write_slides(d, model, state, n, J)
    if d is PLANAR:
        write_angle_row(pair, J)
    else:
        left, axes, H = left_frame(model, state, scratch, n)
        write_rotation_rows(model, n, left, axes, H, seen_from(model, scratch, n, left), J)


@inner_kernel
def write_slides(d, model, state, n, J):
    """Write −B, the translations by the parameters."""
    pair = model.parametric.pairs[n]
    for k in range(pair.parameters):
        b = direction(d, model, state, n, k)
        for r in range(size(d)):
            J[parameter_entry(pair, r, k)] = -b[r]


@inner_kernel
def write_angle_row(pair, J):
    """Write the rotation row of a planar pair, which is constant."""
    write_row(PLANAR, pair, J, ANGLE, zero(PLANAR), (-1.0,), zero(PLANAR), (1.0,))
    for k in range(pair.parameters):
        J[parameter_entry(pair, ANGLE, k)] = 0.0 if k < pair.slides else -1.0


@inner_kernel
def _write_gamma(d, model, state, scratch, n):
    """Write γ of a pair: minus the second time derivative of the constraints without accelerations."""
    pair, (A, B) = model.parametric.pairs[n], orientations(d, scratch, model.parametric.pairs[n])
    oi = velocity_of(d, model, scratch, pair.first)[1]
    oj = velocity_of(d, model, scratch, pair.second)[1]
    rate, swung = reach_rate(d, model, scratch, n)
    own = subtract(d, rate, swing(d, oi, reach(d, model, scratch, n)))
    far = apply_transposed(d, A, apply(d, B, swing(d, oj, swung)))
    x = subtract(d, swing(d, oi, add(d, rate, own)), far)
    for r in range(size(d)):
        scratch.by_row[pair.row + r] = x[r]
    if d is PLANAR:
        scratch.by_row[pair.row + ANGLE] = 0.0
    else:
        write_rotation_gamma(model, state, scratch, n)


# --- of all pairs ------------------------------------------------------------------------------------------------------------
@inner_kernel
def pair_values(model, state, scratch):
    """Write Φ of all pairs at the poses and parameters."""
    for n in range(model.parametric.pairs.size):
        if model.planar:
            _write_values(PLANAR, model, state, scratch, n)
        else:
            _write_values(SPATIAL, model, state, scratch, n)


@kernel
def pair_rows(model, state, scratch):
    """Write Φ_q of all pairs at the poses and parameters."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    for n in range(model.parametric.pairs.size):
        if model.planar:
            _write_rows(PLANAR, model, state, scratch, n)
        else:
            _write_rows(SPATIAL, model, state, scratch, n)


@inner_kernel
def pair_gamma(model, state, scratch):
    """Write γ of all pairs at the poses, velocities and parameters."""
    for n in range(model.parametric.pairs.size):
        if model.planar:
            _write_gamma(PLANAR, model, state, scratch, n)
        else:
            _write_gamma(SPATIAL, model, state, scratch, n)
