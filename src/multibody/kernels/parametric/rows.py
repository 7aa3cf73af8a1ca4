"""Constraints of pairs in parametric coordinates: value, Φ_q and γ, exact on and off the constraints.

Lee, Lee, Bae (2013), the errors of the text corrected. Translations are A_iᵀ(r_j + A_j s_j − r_i) − s_i − B α in the axes of
body i, two or three rows; the rotation is θ_j − θ_i + offset − α in the plane, and three rows in space (``rotation_rows``).
"""

from __future__ import annotations

import math

from multibody.kernels.compile import inner_kernel, kernel
from multibody.kernels.declared import model_at, scratch_at, state_at
from multibody.kernels.parametric.algebra import (
    add,
    apply,
    apply_transposed,
    axis,
    cross,
    load,
    negative,
    numbers_of,
    orientation,
    parameter_entry,
    poses_of,
    position,
    size,
    subtract,
    swing,
    unit_cross,
    velocity_of,
    write_row,
    zero,
)
from multibody.kernels.parametric.frames import direction, slide_of
from multibody.kernels.parametric.rotation_rows import write_rotation_gamma, write_rotation_rows, write_rotations
from multibody.kernels.tags import PLANAR, SPATIAL

ANGLE = 2  # the rotation row of a planar pair


@inner_kernel
def orientations(d, scratch, pair):
    """Return A_i and A_j."""
    poses = poses_of(d, scratch)
    return orientation(d, poses[pair.first]), orientation(d, poses[pair.second])


@inner_kernel
def reach(d, model, scratch, n):
    """Return A_iᵀ(r_j + A_j s_j − r_i)."""
    pair, poses = model.parametric.pairs[n], poses_of(d, scratch)
    p, q, s = poses[pair.first], poses[pair.second], load(d, numbers_of(d, model.parametric)[n].s_j, 0)
    end = add(d, position(d, q), apply(d, orientation(d, q), s))
    return apply_transposed(d, orientation(d, p), subtract(d, end, position(d, p)))


@inner_kernel
def reach_rate(d, model, scratch, n):
    """Return A_iᵀ of the velocity of the second point as seen from r_i, and ω_j × s_j in the axes of body j."""
    pair, (A, B) = model.parametric.pairs[n], orientations(d, scratch, model.parametric.pairs[n])
    (vi, _), (vj, oj) = velocity_of(d, model, scratch, pair.first), velocity_of(d, model, scratch, pair.second)
    swung = swing(d, oj, load(d, numbers_of(d, model.parametric)[n].s_j, 0))
    return apply_transposed(d, A, subtract(d, add(d, vj, apply(d, B, swung)), vi)), swung


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
    x, s = reach(d, model, scratch, n), load(d, numbers_of(d, model.parametric)[n].s_j, 0)
    for r in range(size(d)):
        a = axis(d, A, r)
        write_row(d, pair, J, r, negative(d, a), unit_cross(d, r, x), a, cross(d, s, apply_transposed(d, B, a)))
    write_slides(d, model, state, n, J)
    if d is PLANAR:
        write_angle_row(pair, J)
    else:
        write_rotation_rows(model, state, scratch, n)


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
