"""Parametric coordinates: bodies and the parameters α of their pairs (Lee, Lee, Bae 2013), six constraints a pair.

A configuration space of its own: Cartesian coordinates in which pairs have rows of their parameters, and whose equations of
motion are solved by block LU, because the parameters have no mass. The formulation on it is that of ``augmented``; what acts
along α stands in its own rows Φ_αᵀ λ = Q_α.
"""

from __future__ import annotations

from dataclasses import replace

from multibody.formulations.augmented import close_augmented, rates_augmented
from multibody.formulations.cartesian import CARTESIAN
from multibody.kernels import plain_rows
from multibody.kernels.compile import inner_kernel, kernel
from multibody.kernels.declared import model_at, scratch_at, state_at
from multibody.kernels.parametric.declared import LOST_RANK, MOVING_CHART, OTHER_ROWS
from multibody.kernels.parametric.linear import correct_pairs, factor_pairs, solve_pairs
from multibody.kernels.parametric.rows import pair_gamma, pair_rows, pair_values
from multibody.kernels.rotations import sincos

NEAR_GIMBAL = 0.3  # cos α₂ of a ball below which its chart is moved
FLAT = 1e-4  # sine below which a cosine row counts as lost
DOUBTFUL, SOUND = 0.3, 0.6  # ratios at which other rows are looked for, and above which they may be looked for again


@inner_kernel
def rows_at_pose(model, state, scratch, t, values, gradients):
    """Write Φ of all rows to ``by_row`` where `values` is 1, Φ_q to ``J`` where `gradients` is 1, at the poses."""
    plain_rows.rows_at_pose(model, state, scratch, t, values, gradients)
    if values == 1:
        pair_values(model, state, scratch)
    if gradients == 1:
        pair_rows(model, state, scratch)


@inner_kernel
def rows_at_state(model, state, scratch, t):
    """Write Φ_q of all rows to ``J`` and γ to ``by_row``, at the poses and velocities."""
    plain_rows.rows_at_state(model, state, scratch, t)
    pair_rows(model, state, scratch)
    pair_gamma(model, state, scratch)


PARAMETRIC = replace(
    CARTESIAN,
    name="parametric",
    rows_at_pose=rows_at_pose,
    rows_at_state=rows_at_state,
    factor=factor_pairs,
    solve=solve_pairs,
    correct=correct_pairs,
)


@inner_kernel
def _unfit(model, state, y):
    """Return why the parameters of a spatial pair in y do not serve any more, and which pair; 0 where all do."""
    first = model.coordinates - model.extras
    for n in range(model.parametric.pairs.size):
        pair, chart = model.parametric.pairs[n], state.parametric.charts[n]
        at = first + pair.extra + pair.slides
        if pair.cosine == 0:
            if pair.rotation == 3 and abs(sincos(y[at + 1])[1]) < NEAR_GIMBAL:
                return MOVING_CHART, n
            continue
        for k in range(pair.rotation):
            value = sincos(y[at + k])[1 if pair.rotation == 3 and k == 1 else 0]  # cos α₂ of a ball, else the sines
            if abs(value) < FLAT or value * chart.last[k] < 0.0:
                return LOST_RANK, n
            chart.last[k] = value
    return 0, -1


@kernel
def rhs_parametric(model, state, scratch, t, y, dy):
    """Write ẏ."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    return rates_augmented(PARAMETRIC, model, state, scratch, t, y, dy)


@kernel
def accept_parametric(model, state, scratch, t, y, active):
    """Accept a state: project it, and let the angle references of pairs follow their parameters."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    memory, work = state.parametric, scratch.parametric
    if not model.planar:
        why, work.trouble = _unfit(model, state, y)
        if why != 0:
            return why
    status = close_augmented(PARAMETRIC, model, state, scratch, t, y)
    if work.ratio < DOUBTFUL and memory.choice > 0:
        return OTHER_ROWS
    if work.ratio > SOUND and memory.choice == 0:
        memory.choice = 1
    if 0 <= status <= 1 or 4 <= status <= 5:
        first = model.coordinates - model.extras
        for k in range(model.parametric.shadows.size):
            shadow = model.parametric.shadows[k]
            state.ref[shadow.function] = y[first + shadow.extra]
    return status
