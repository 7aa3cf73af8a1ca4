"""What implicit integrators ask of parametric coordinates: residuals in ground axes, linear systems in those of the bodies.

The derivatives of pairs are functions of α alone, in the axes of the bodies; what is kept is therefore turned and scaled, and
so are right sides and solutions (``kernels/parametric/turning.py``).
"""

from __future__ import annotations

from multibody.formulations.implicit import (
    correction,
    factor_complex,
    factor_newton,
    linearize,
    move_implicit,
    near,
    product_newton,
    residual_newton,
    solve_complex,
    solve_newton,
    start_newton,
    write_residual,
)
from multibody.formulations.newton import NewtonKernels
from multibody.formulations.parametric import PARAMETRIC
from multibody.kernels.compile import inlined, kernel
from multibody.kernels.declared import model_at, scratch_at, state_at
from multibody.kernels.parametric.alpha import alpha_partials
from multibody.kernels.parametric.exact import exact_partials
from multibody.kernels.parametric.turning import (
    keep_orientations,
    scale_matrices,
    scale_vector,
    turn_matrices,
    turn_rows,
    turn_vector,
    unit_matrices,
)
from multibody.kernels.stacked import changes_size, lambda_at
from multibody.kernels.tags import PLANAR, SPATIAL


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
    status = residual_newton(model, state, scratch, t, x, out)
    if near(state) == 1:
        for c in range(model.velocities):
            k = model.parametric.column_scale[c]
            out[c] /= k * k
    return status


@kernel
def linearize_parametric(model, state, scratch, t, x, out):
    """Keep the derivatives at x = (q, v, v̇, λ) as functions of α alone: turned into the axes of the bodies, and scaled."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    linearize(PARAMETRIC, model, state, scratch, t, x)
    if near(state) == 1:
        unit_matrices(model, state)
        return 0
    keep_orientations(model, state, scratch)
    multipliers = x[lambda_at(model.coordinates, model.velocities) :]
    if model.planar:
        turn_matrices(PLANAR, model, state)
        for n in range(model.parametric.pairs.size):
            alpha_partials(PLANAR, model, state, scratch, n, multipliers)
    else:
        turn_matrices(SPATIAL, model, state)
        for n in range(model.parametric.pairs.size):
            alpha_partials(SPATIAL, model, state, scratch, n, multipliers)
    scale_matrices(model, state)
    return 0


@kernel
def linearize_exact(model, state, scratch, t, x, out):
    """Keep the exact derivatives at x = (q, v, v̇, λ) in ground axes, scaled."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    linearize(PARAMETRIC, model, state, scratch, t, x)
    if near(state) == 1:
        unit_matrices(model, state)
        return 0
    keep_orientations(model, state, scratch)
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
    status = solve_newton(model, state, scratch, t, work.vector[: x.size], work.answer[: x.size])
    _turn_solution(model, state, scratch, out)
    return status


@kernel
def solve_complex_parametric(model, state, scratch, t, x, out):
    """Solve a linear system, real or complex; right side and solution in ground axes."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    work = scratch.parametric
    _turn_right_side(model, state, scratch, x)
    status = solve_complex(model, state, scratch, t, work.vector[: x.size], work.answer[: x.size])
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
    status = product_newton(model, state, scratch, t, vector[:size], out)
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
    linear = (factor_complex, solve_complex_parametric) if complex_ else (factor_newton, solve_parametric)
    return NewtonKernels(
        start_newton, residual_parametric, linearize_exact if exact else linearize_parametric, *linear, product_parametric,
        move_implicit, correct_parametric, residual_implicit_parametric,
    )  # fmt: skip
