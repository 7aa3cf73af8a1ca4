"""Parametric coordinates: bodies and the parameters α of their pairs (Lee, Lee, Bae 2013), six constraints a pair.

A configuration space of its own: Cartesian coordinates in which pairs have rows of their parameters, and whose equations of
motion are solved by block LU, because the parameters have no mass. The formulation on it is that of ``augmented``; what acts
along α stands in its own rows Φ_αᵀ λ = Q_α.

Implicit integrators get residuals in ground axes. The derivatives of pairs are functions of α alone, in the axes of the bodies;
what is kept is therefore turned and scaled, and so are right sides and solutions (``kernels/parametric/systems.py``).
"""

from __future__ import annotations

from dataclasses import replace

from multibody.formulations import implicit
from multibody.formulations.augmented import close_augmented, rates_augmented
from multibody.formulations.cartesian import CARTESIAN
from multibody.formulations.implicit import correction, linearize, near, write_residual
from multibody.formulations.newton import NewtonKernels, cartesian_kernels
from multibody.kernels import plain_rows
from multibody.kernels.acceptance import LOST_RANK, MOVING_CHART, passes
from multibody.kernels.compile import inlined, inner_kernel, kernel
from multibody.kernels.declared import model_at, scratch_at, state_at
from multibody.kernels.modes import GRADIENTS, VALUES
from multibody.kernels.parametric.partials import alpha_partials, exact_partials
from multibody.kernels.parametric.rows import pair_gamma, pair_rows, pair_values
from multibody.kernels.parametric.systems import (
    correct_pairs,
    factor_pairs,
    identity_matrices,
    keep_orientations,
    scale_matrices,
    scale_vector,
    solve_pairs,
    turn_matrices,
    turn_rows,
    turn_vector,
)
from multibody.kernels.rotations import sincos
from multibody.kernels.stacked import changes_size, lambda_at
from multibody.kernels.tags import PLANAR, SPATIAL

MIDDLE = 1  # place of α₂ among the angles of a ball
NEAR_GIMBAL = 0.3  # cos α₂ of a ball below which its chart is moved
FLAT = 1e-4  # sine below which a cosine row counts as lost


@inner_kernel
def rows_at_pose(model, state, scratch, t, values, gradients):
    """Write Φ of all rows to ``by_row`` with ``VALUES``, Φ_q to ``J`` with ``GRADIENTS``, at the poses."""
    plain_rows.rows_at_pose(model, state, scratch, t, values, gradients)
    if values == VALUES:
        pair_values(model, state, scratch)
    if gradients == GRADIENTS:
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
        at, ball = first + pair.extra + pair.slides, pair.rotation == 3
        if pair.cosine == 0:
            if ball and abs(sincos(y[at + MIDDLE])[1]) < NEAR_GIMBAL:
                return MOVING_CHART, n
            continue
        for k in range(pair.rotation):
            value = sincos(y[at + k])[1 if ball and k == MIDDLE else 0]  # cos α₂ of a ball, else the sines
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
    if not model.planar:
        why, state.parametric.trouble = _unfit(model, state, y)
        if why != 0:
            return why
    status = close_augmented(PARAMETRIC, model, state, scratch, t, y)
    if passes(status):
        first = model.coordinates - model.extras
        for k in range(model.parametric.shadows.size):
            shadow = model.parametric.shadows[k]
            state.ref[shadow.function] = y[first + shadow.extra]
    return status


# --- implicit methods --------------------------------------------------------------------------------------------------------
@kernel
def residual_implicit_parametric(model, state, scratch, t, x, out):
    """Write the residuals away from change points."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    write_residual(PARAMETRIC, model, state, scratch, t, x, out)
    return 0


@kernel
def residual_parametric(model, state, scratch, t, x, out):
    """Write the residuals; near a change point those of v̇ − f, parameters have no mass that could multiply them."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    status = implicit.residual_newton(model, state, scratch, t, x, out)
    if near(state) == 1:
        for c in range(model.velocities):
            k = model.parametric.column_scale[c]
            out[c] /= k * k
    return status


@inlined
def _linearize_others(model, state, scratch, t, x):
    """Keep the derivatives of all but pairs; return whether those of pairs are wanted: near a change point they are not."""
    linearize(PARAMETRIC, model, state, scratch, t, x)
    if near(state) == 1:
        identity_matrices(model, state)
        return False
    keep_orientations(model, state, scratch)
    return True


@kernel
def linearize_parametric(model, state, scratch, t, x, out):
    """Keep the derivatives at x = (q, v, v̇, λ) as functions of α alone: turned into the axes of the bodies, and scaled."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    if _linearize_others(model, state, scratch, t, x):
        multipliers = x[lambda_at(model.coordinates, model.velocities) :]
        if model.planar:
            turn_matrices(PLANAR, model, state)
        else:
            turn_matrices(SPATIAL, model, state)
        for n in range(model.parametric.pairs.size):
            if model.planar:
                alpha_partials(PLANAR, model, state, scratch, n, multipliers)
            else:
                alpha_partials(SPATIAL, model, state, scratch, n, multipliers)
        scale_matrices(model, state)
    return 0


@kernel
def linearize_exact(model, state, scratch, t, x, out):
    """Keep the exact derivatives at x = (q, v, v̇, λ) in ground axes, scaled."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    if _linearize_others(model, state, scratch, t, x):
        multipliers = x[lambda_at(model.coordinates, model.velocities) :]
        for n in range(model.parametric.pairs.size):
            if model.planar:
                exact_partials(PLANAR, model, state, scratch, n, multipliers)
            else:
                exact_partials(SPATIAL, model, state, scratch, n, multipliers)
        scale_matrices(model, state)
    return 0


@inlined
def _turn_right_side(model, state, scratch, x):
    """Write a right side, real or complex, to ``vector`` in the axes of the bodies."""
    n, size, vector = model.velocities, model.velocities + model.chosen.size, scratch.parametric.vector
    for k in range(x.size):
        vector[k] = x[k]
    for part in range(x.size // size):
        one = vector[size * part : size * part + size]
        turn_vector(model, state, one, True)
        turn_rows(model, state, scratch, one[n:], True)
        scale_vector(model, one, False)


@inlined
def _turn_solution(model, state, scratch, out):
    """Write the solution in ``answer`` in the axes of the ground."""
    n, size, answer = model.velocities, model.velocities + model.chosen.size, scratch.parametric.answer
    for part in range(out.size // size):
        one = answer[size * part : size * part + size]
        scale_vector(model, one, False)
        turn_rows(model, state, scratch, one[n:], False)
        turn_vector(model, state, one, False)
    for k in range(out.size):
        out[k] = answer[k]


@kernel
def solve_parametric(model, state, scratch, t, x, out):
    """Solve a linear system; right side and solution in ground axes."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    work = scratch.parametric
    _turn_right_side(model, state, scratch, x)
    status = implicit.solve_newton(model, state, scratch, t, work.vector[: x.size], work.answer[: x.size])
    _turn_solution(model, state, scratch, out)
    return status


@kernel
def solve_complex_parametric(model, state, scratch, t, x, out):
    """Solve a linear system, real or complex; right side and solution in ground axes."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    work = scratch.parametric
    _turn_right_side(model, state, scratch, x)
    status = implicit.solve_complex(model, state, scratch, t, work.vector[: x.size], work.answer[: x.size])
    _turn_solution(model, state, scratch, out)
    return status


@kernel
def product_parametric(model, state, scratch, t, x, out):
    """Write M a + C v + K q and Φ_q v + V q for x = (a, v, q) in ground axes, with the kept matrices."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    n, vector, size = model.velocities, scratch.parametric.vector, changes_size(model.velocities)
    for k in range(size):
        vector[k] = x[k]
    for part in range(3):
        one = vector[n * part : n * part + n]
        turn_vector(model, state, one, True)
        scale_vector(model, one, True)
    status = implicit.product_newton(model, state, scratch, t, vector[:size], out)
    scale_vector(model, out, True)
    turn_rows(model, state, scratch, out[n:], False)
    turn_vector(model, state, out, False)
    return status


@kernel
def correct_parametric(model, state, scratch, t, x, out):
    """Write the smallest change that closes gaps."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    return correction(PARAMETRIC, model, state, scratch, x, out)


def parametric_kernels(exact: bool, complex_: bool) -> NewtonKernels:
    """Return what an implicit method calls."""
    return cartesian_kernels(complex_)._replace(
        residual=residual_parametric, linearize=linearize_exact if exact else linearize_parametric,
        solve=solve_complex_parametric if complex_ else solve_parametric, product=product_parametric,
        correct=correct_parametric, regular=residual_implicit_parametric,
    )  # fmt: skip
