"""Rows that are one basic function and nothing else, as almost all rows of joints are: Φ, Φ_q and γ in few passes.

A prepared run lists them with everything resolved, so that no record of the tables is read; other rows (motions, gears, cams,
couplers) go through ``rows``.
"""

from __future__ import annotations

from multibody.kernels import layout as L
from multibody.kernels import sections as R
from multibody.kernels.compile import inlined, inner_kernel
from multibody.kernels.planar import planar_gamma, planar_terms, planar_value
from multibody.kernels.rows import row_gamma, row_jacobian, row_values
from multibody.kernels.spatial import spatial_gamma, spatial_terms, spatial_value


@inner_kernel
def rows_at_state(model, state, scratch, t):
    """Write the entries of Φ_q to W_J and γ of all rows to W_X, at the positions and velocities in W."""
    I, F, W = model.I, model.F, scratch.W
    planar, first, pose, twist, gamma = I[L.DIMENSION] == 2, I[R.PLAIN], I[L.W_POSE], I[L.W_TWIST], I[R.W_X]
    for k in range(I[R.PLAIN_COUNT]):
        at = first + R.PLAIN_STRIDE * k
        kind, i, j, numbers, out = I[at], I[at + 1], I[at + 2], I[at + 3], gamma + I[at + 6]
        if planar:
            p, q, u, w = pose + 5 * i, pose + 5 * j, twist + 3 * i, twist + 3 * j
            x, y, turn_i, turn_j = planar_terms(W, F, kind, p, q, numbers)
            W[out] = planar_gamma(W, F, kind, p, q, u, w, numbers)
            _write_planar(W, I[at + 4], -x, -y, turn_i)
            _write_planar(W, I[at + 5], x, y, turn_j)
        else:
            p, q, u, w = pose + 12 * i, pose + 12 * j, twist + 6 * i, twist + 6 * j
            d, spin_i, spin_j = spatial_terms(W, F, kind, p, q, numbers)
            W[out] = spatial_gamma(W, F, kind, p, q, u, w, numbers)
            _write_spatial(W, I[at + 4], -1.0, d, spin_i)
            _write_spatial(W, I[at + 5], 1.0, d, spin_j)
    for k in range(I[R.OTHER_COUNT]):
        r = I[I[R.OTHERS] + k]
        entry = I[I[L.ROWS] + L.ROW_STRIDE * r + 2]
        row_jacobian(model, state, scratch, t, r, r + 1, W[I[R.W_J] + entry :])
        row_gamma(model, state, scratch, t, r, r + 1, W[I[R.W_X] + r :])


@inner_kernel
def rows_at_pose(model, state, scratch, t, values, gradients):
    """Write Φ of all rows to W_X where `values` is 1, the entries of Φ_q to W_J where `gradients` is 1, at the poses in W."""
    I, F, W, ref = model.I, model.F, scratch.W, state.ref
    planar, first, pose = I[L.DIMENSION] == 2, I[R.PLAIN], I[L.W_POSE]
    for k in range(I[R.PLAIN_COUNT]):
        at = first + R.PLAIN_STRIDE * k
        kind, numbers, out = I[at], I[at + 3], I[R.W_X] + I[at + 6]
        if planar:
            p, q = pose + 5 * I[at + 1], pose + 5 * I[at + 2]
            if values == 1:
                W[out] = planar_value(W, F, kind, p, q, numbers)
            if gradients == 1:
                x, y, turn_i, turn_j = planar_terms(W, F, kind, p, q, numbers)
                _write_planar(W, I[at + 4], -x, -y, turn_i)
                _write_planar(W, I[at + 5], x, y, turn_j)
        else:
            p, q = pose + 12 * I[at + 1], pose + 12 * I[at + 2]
            if values == 1:
                W[out] = spatial_value(W, F, kind, p, q, numbers, ref[I[at + 7]])
            if gradients == 1:
                d, spin_i, spin_j = spatial_terms(W, F, kind, p, q, numbers)
                _write_spatial(W, I[at + 4], -1.0, d, spin_i)
                _write_spatial(W, I[at + 5], 1.0, d, spin_j)
    for k in range(I[R.OTHER_COUNT]):
        r = I[I[R.OTHERS] + k]
        if values == 1:
            row_values(model, state, scratch, t, r, r + 1, W[I[R.W_X] + r :])
        if gradients == 1:
            entry = I[I[L.ROWS] + L.ROW_STRIDE * r + 2]
            row_jacobian(model, state, scratch, t, r, r + 1, W[I[R.W_J] + entry :])


@inlined
def _write_planar(W, at, x, y, turn):
    """Write a planar block; the ground (at < 0) has none."""
    if at >= 0:
        W[at] = x
        W[at + 1] = y
        W[at + 2] = turn


@inlined
def _write_spatial(W, at, sign, x, turn):
    """Write a spatial block; the ground (at < 0) has none."""
    if at >= 0:
        W[at], W[at + 1], W[at + 2] = sign * x[0], sign * x[1], sign * x[2]
        W[at + 3], W[at + 4], W[at + 5] = turn[0], turn[1], turn[2]
