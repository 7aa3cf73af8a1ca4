"""What a parametric run has instead of the Cartesian formulations' own, each called by its address (``sections.PAIR_…``).

Rows of pairs come from their parameters; the equations of motion are solved with the block LU of implicit methods, because the
parameters have no mass; linear systems of implicit methods are turned into the axes of the bodies and scaled.
"""

from __future__ import annotations

from typing import Any

from multibody.kernels import blocks as B
from multibody.kernels import layout as L
from multibody.kernels import sections as R
from multibody.kernels.compile import kernel
from multibody.kernels.declared import model_at, scratch_at, state_at
from multibody.kernels.parametric import layout as P
from multibody.kernels.parametric import linear
from multibody.kernels.parametric.alpha import alpha_rates, alpha_rows, alpha_second, moved_frame
from multibody.kernels.parametric.exact import exact_rates, exact_second
from multibody.kernels.parametric.planar import (
    planar_alpha_rows,
    planar_alpha_second,
    planar_exact_rates,
    planar_exact_second,
    planar_pair_gamma,
    planar_pair_rows,
    planar_pair_values,
)
from multibody.kernels.parametric.spatial import pair_gamma, pair_multipliers, pair_rows, pair_values
from multibody.kernels.parametric.turning import scale_matrices, turn_matrices, unit_matrices


@kernel
def values_spatial(model, state, scratch, t, x, out):
    """Write Φ of the pairs at the poses and parameters in W to W_X."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    I = model.I
    h = I[R.PARAMETRIC]
    for n in range(I[h + P.PAIR_COUNT]):
        pair = I[h + P.PAIRS] + P.PAIR_STRIDE * n
        pair_values(model, scratch, pair, I[R.W_X] + I[pair + P.ROW])
    return 0


@kernel
def values_planar(model, state, scratch, t, x, out):
    """Write Φ of the pairs at the poses and parameters in W to W_X."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    I = model.I
    h = I[R.PARAMETRIC]
    for n in range(I[h + P.PAIR_COUNT]):
        pair = I[h + P.PAIRS] + P.PAIR_STRIDE * n
        planar_pair_values(model, scratch, pair, I[R.W_X] + I[pair + P.ROW])
    return 0


@kernel
def rows_spatial(model, state, scratch, t, x, out):
    """Write Φ_q of the pairs to W_J and, where PAIR_WITH_RATES is set, γ to W_X."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    I, W = model.I, scratch.W
    h = I[R.PARAMETRIC]
    rates = W[I[h + R.PAIR_RESULT] + R.PAIR_WITH_RATES] > 0.0
    for n in range(I[h + P.PAIR_COUNT]):
        pair = I[h + P.PAIRS] + P.PAIR_STRIDE * n
        pair_rows(model, scratch, pair, I[R.W_J] + I[pair + P.ENTRY])
        if rates:
            pair_gamma(model, scratch, pair, I[R.W_X] + I[pair + P.ROW])
    return 0


@kernel
def rows_planar(model, state, scratch, t, x, out):
    """Write Φ_q of the pairs to W_J and, where PAIR_WITH_RATES is set, γ to W_X."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    I, W = model.I, scratch.W
    h = I[R.PARAMETRIC]
    rates = W[I[h + R.PAIR_RESULT] + R.PAIR_WITH_RATES] > 0.0
    for n in range(I[h + P.PAIR_COUNT]):
        pair = I[h + P.PAIRS] + P.PAIR_STRIDE * n
        planar_pair_rows(model, scratch, pair, I[R.W_J] + I[pair + P.ENTRY])
        if rates:
            planar_pair_gamma(model, scratch, pair, I[R.W_X] + I[pair + P.ROW])
    return 0


@kernel
def partials_spatial(model, state, scratch, t, x, out):
    """Finish a linearization at x = (q, v, v̇, λ): turn what is kept into the axes of the bodies, add the pairs, scale."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    I, W = model.I, scratch.W
    h, b = I[R.PARAMETRIC], I[R.NEWTON]
    K, at, size = I[b + B.W_K], I[L.COORDINATES] + 2 * I[L.VELOCITIES], I[b + B.MATRIX_SIZE]
    if W[I[R.W_SETTINGS] + R.NEAR_CHANGE] > 0.0:
        unit_matrices(model, scratch)
        return 0
    turn_matrices(model, scratch)
    for n in range(I[h + P.PAIR_COUNT]):
        pair = I[h + P.PAIRS] + P.PAIR_STRIDE * n
        entry = I[pair + P.ENTRY]
        force, moment = pair_multipliers(model, pair, x, at)
        moved, axes = moved_frame(model, scratch, pair)
        alpha_rows(model, scratch, pair, moved, axes, I[b + B.W_P] + entry)
        alpha_rates(model, scratch, pair, moved, axes, I[b + B.W_V] + entry)
        alpha_second(model, scratch, pair, moved, axes, force, moment, W[K : K + size])
    scale_matrices(model, scratch)
    return 0


@kernel
def partials_spatial_exact(model, state, scratch, t, x, out):
    """Finish a linearization at x = (q, v, v̇, λ) with exact derivatives in ground axes: add the pairs, scale."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    I, W = model.I, scratch.W
    h, b = I[R.PARAMETRIC], I[R.NEWTON]
    K, at, size = I[b + B.W_K], I[L.COORDINATES] + 2 * I[L.VELOCITIES], I[b + B.MATRIX_SIZE]
    if W[I[R.W_SETTINGS] + R.NEAR_CHANGE] > 0.0:
        unit_matrices(model, scratch)
        return 0
    turn_matrices(model, scratch)
    for n in range(I[h + P.PAIR_COUNT]):
        pair = I[h + P.PAIRS] + P.PAIR_STRIDE * n
        entry = I[pair + P.ENTRY]
        force, moment = pair_multipliers(model, pair, x, at)
        exact_rates(model, scratch, pair, I[b + B.W_V] + entry)
        exact_second(model, scratch, pair, force, moment, W[K : K + size])
    scale_matrices(model, scratch)
    return 0


@kernel
def partials_planar(model, state, scratch, t, x, out):
    """Finish a linearization at x = (q, v, v̇, λ), of α alone or exact."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    I, W = model.I, scratch.W
    h, b = I[R.PARAMETRIC], I[R.NEWTON]
    K, at, size = I[b + B.W_K], I[L.COORDINATES] + 2 * I[L.VELOCITIES], I[b + B.MATRIX_SIZE]
    if W[I[R.W_SETTINGS] + R.NEAR_CHANGE] > 0.0:
        unit_matrices(model, scratch)
        return 0
    turn_matrices(model, scratch)
    for n in range(I[h + P.PAIR_COUNT]):
        pair = I[h + P.PAIRS] + P.PAIR_STRIDE * n
        entry, c = I[pair + P.ENTRY], pair + P.CHOSEN
        fx, fy = x[at + I[c]] if I[c] >= 0 else 0.0, x[at + I[c + 1]] if I[c + 1] >= 0 else 0.0
        if I[h + P.EXACT] == 1:
            planar_exact_rates(model, scratch, pair, I[b + B.W_V] + entry)
            planar_exact_second(model, scratch, pair, fx, fy, W[K : K + size])
        else:
            planar_alpha_rows(model, scratch, pair, I[b + B.W_P] + entry, I[b + B.W_V] + entry)
            planar_alpha_second(model, scratch, pair, fx, fy, W[K : K + size])
    scale_matrices(model, scratch)
    return 0


def units_of(dimension: int, exact: bool) -> dict[int, Any]:
    """Return the units of a run by the slots of their addresses."""
    if dimension == 2:
        found = (values_planar, rows_planar, partials_planar)
    else:
        found = (values_spatial, rows_spatial, partials_spatial_exact if exact else partials_spatial)
    slots = (R.PAIR_VALUES, R.PAIR_ROWS, R.PAIR_PARTIALS, R.PAIR_FACTOR, R.PAIR_SOLVE, R.PAIR_CORRECT)
    return dict(zip(slots, (*found, linear.factor_pairs, linear.solve_pairs, linear.correct_pairs), strict=True))
