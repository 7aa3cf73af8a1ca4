"""Rows that are one basic function and nothing else, as almost all rows of joints are: Φ, Φ_q and γ in few passes.

A prepared run lists them with everything resolved, so that no record of the tables is read; other rows (motions, gears, cams,
couplers) go through ``rows``.
"""

from __future__ import annotations

from multibody.kernels.body_layout import POINT
from multibody.kernels.compile import inlined, shared_in_space
from multibody.kernels.declared import planar_numbers, spatial_numbers
from multibody.kernels.modes import GRADIENTS, VALUES
from multibody.kernels.planar import planar_gamma, planar_terms, planar_value
from multibody.kernels.rows import row_gamma, row_jacobian, row_values
from multibody.kernels.spatial import spatial_gamma, spatial_terms, spatial_value
from multibody.kernels.vectors import scale, store3


@shared_in_space
def rows_at_state(model, state, scratch, t):
    """Write the entries of Φ_q and γ of all rows, at the positions and velocities."""
    J, gamma = scratch.J, scratch.by_row
    if model.planar:
        pose, twist = scratch.planar_pose, scratch.planar_twist
        for k in range(model.plain.size):
            row = model.plain[k]
            p, q, n = pose[row.first], pose[row.second], planar_numbers(model.numbers, row.numbers)
            x, y, turn_i, turn_j = planar_terms(row.kind, p, q, n)
            gamma[row.row] = planar_gamma(row.kind, p, q, twist[row.first], twist[row.second], n)
            _write_planar(J, row.at_first, -x, -y, turn_i)
            _write_planar(J, row.at_second, x, y, turn_j)
    else:
        pose3, twist3 = scratch.spatial_pose, scratch.spatial_twist
        for k in range(model.plain.size):
            row = model.plain[k]
            p3, q3, n3 = pose3[row.first], pose3[row.second], spatial_numbers(model.numbers, row.numbers)
            d, spin_i, spin_j = spatial_terms(row.kind, p3, q3, n3)
            gamma[row.row] = spatial_gamma(row.kind, p3, q3, twist3[row.first], twist3[row.second], n3)
            _write_spatial(J, row.at_first, -1.0, d, spin_i)
            _write_spatial(J, row.at_second, 1.0, d, spin_j)
    for k in range(model.others.shape[0]):
        r = model.others[k]
        row_jacobian(model, state, scratch, t, r, r + 1, J[model.rows[r].entry :])
        row_gamma(model, state, scratch, t, r, r + 1, gamma[r:])


@shared_in_space
def rows_at_pose(model, state, scratch, t, values, gradients):
    """Write Φ of all rows where `values` is ``VALUES``, the entries of Φ_q where `gradients` is ``GRADIENTS``, at the poses."""
    J, phi = scratch.J, scratch.by_row
    for k in range(model.plain.size):
        row = model.plain[k]
        if model.planar:
            p, q = scratch.planar_pose[row.first], scratch.planar_pose[row.second]
            n = planar_numbers(model.numbers, row.numbers)
            if values == VALUES:
                phi[row.row] = planar_value(row.kind, p, q, n)
            if gradients == GRADIENTS:
                x, y, turn_i, turn_j = planar_terms(row.kind, p, q, n)
                _write_planar(J, row.at_first, -x, -y, turn_i)
                _write_planar(J, row.at_second, x, y, turn_j)
        else:
            p3, q3 = scratch.spatial_pose[row.first], scratch.spatial_pose[row.second]
            n3 = spatial_numbers(model.numbers, row.numbers)
            if values == VALUES:
                phi[row.row] = spatial_value(row.kind, p3, q3, n3, state.ref[row.function])
            if gradients == GRADIENTS:
                d, spin_i, spin_j = spatial_terms(row.kind, p3, q3, n3)
                _write_spatial(J, row.at_first, -1.0, d, spin_i)
                _write_spatial(J, row.at_second, 1.0, d, spin_j)
    for k in range(model.others.shape[0]):
        r = model.others[k]
        if values == VALUES:
            row_values(model, state, scratch, t, r, r + 1, phi[r:])
        if gradients == GRADIENTS:
            row_jacobian(model, state, scratch, t, r, r + 1, J[model.rows[r].entry :])


@inlined
def _write_planar(J, at, x, y, turn):
    """Write a planar block; the ground (at < 0) has none."""
    if at >= 0:
        store3(J, at, (x, y, turn))


@inlined
def _write_spatial(J, at, sign, x, turn):
    """Write a spatial block; the ground (at < 0) has none."""
    if at >= 0:
        store3(J, at, scale(sign, x))
        store3(J, at + POINT, turn)
