"""Derivatives of the generalized forces: K = ∂Q/∂q along the velocity columns (δr, δπ′) and D = ∂Q/∂v.

A law adds e ∇c to Q. With e(c, ċ, x) and H the derivative of ∇c along the columns, ∂ċ/∂q = vᵀH and

    K += ∇c (e_c ∇cᵀ + e_ċ vᵀH + Σ e_x x_q) + e H,   D += ∇c (e_ċ ∇cᵀ + Σ e_x x_v).
"""

from __future__ import annotations

from multibody.kernels import codes as L
from multibody.kernels.blocks import add_matrix, add_outer, add_square, columns_of, spot
from multibody.kernels.body_layout import ANGLE, POINT, TURN
from multibody.kernels.compile import inner_kernel, shared_kernel
from multibody.kernels.declared import model_at, scratch_at, state_at
from multibody.kernels.forces import (
    coincident,
    component_table,
    law_effort,
    law_term,
    load_wrench,
    program_value,
)
from multibody.kernels.functions import component_gradient, function_gradient, function_rate, function_value
from multibody.kernels.planar import turned
from multibody.kernels.rows import hessian_and_rate
from multibody.kernels.vectors import apply, apply_transposed, cross, load2, load3, load9, multiply, row_of, tilde, tilde_tilde
from multibody.kernels.wrench_partials import add_wrench_partials


@inner_kernel
def _add_input(model, scratch, item, slope, rows, K, D):
    """Add slope · (what stands as the gradient) times the derivatives of an input: of K along q and of D along v."""
    g, row, index = scratch.gradient, scratch.second_gradient, item.index
    if item.code >= L.INPUT_OMEGA:  # A ω′: along δπ′ it changes by −A ω̃′ δπ′
        if index == 0:
            return
        n, columns = item.code - L.INPUT_OMEGA, (TURN * (index - L.FIRST_BODY), -1, TURN)
        axis = row_of(scratch.spatial_pose[index].A, n)
        across = cross(load3(scratch.velocity, TURN * index + POINT), axis)
        for c in range(3):
            row[c], row[POINT + c] = 0.0, across[c]
        add_outer(model, g, rows, row, columns, slope, K)
        for c in range(3):
            row[POINT + c] = axis[c]
        add_outer(model, g, rows, row, columns, slope, D)
        return
    columns = columns_of(model, index)
    if item.code == L.INPUT_RATE:
        hessian_and_rate(model, scratch, index, row)
        add_outer(model, g, rows, row, columns, slope, K)
    function_gradient(model, scratch, index, row)
    add_outer(model, g, rows, row, columns, slope, D if item.code == L.INPUT_RATE else K)


@inner_kernel
def _add_smooth(model, scratch, f, found, K, D):
    """Add the derivatives of a law along a distance of nearly zero, whose ∇c is known: −k d has those of its components."""
    columns, g, row = columns_of(model, f), scratch.gradient, scratch.second_gradient
    for c in range(model.dimension):
        component_gradient(model, scratch, f, c, row)
        add_outer(model, row, columns, row, columns, found[3], K)
    add_outer(model, g, columns, g, columns, found[4], D)
    return found[5]


@inner_kernel
def _add_law(model, state, scratch, t, law, K, D):
    """Add the derivatives of a law but for its inputs; leave ∇c as the gradient and return ∂e/∂x of its expression."""
    f, g, row = law.function, scratch.gradient, scratch.second_gradient
    x = law_term(model, state, scratch, t, law)
    value = function_value(model, state, scratch, f)
    function_gradient(model, scratch, f, g)
    rate = function_rate(model, scratch, f, g)
    directed, columns = not coincident(model, scratch, f, value), columns_of(model, f)
    found = law_effort(model.numbers, law, value, rate, x, directed)
    if not directed:
        return _add_smooth(model, scratch, f, found, K, D)
    e, _, _, by_value, by_rate, by_term = found
    add_outer(model, g, columns, g, columns, by_value, K)
    add_outer(model, g, columns, g, columns, by_rate, D)
    if (e != 0.0 or by_rate != 0.0) and columns[2] > 1:  # an extra coordinate has no second derivative
        hessian_and_rate(model, scratch, f, row)
        add_square(model, scratch.hessian, columns, e, K)
        add_outer(model, g, columns, row, columns, by_rate, K)
    return by_term


@inner_kernel
def _direction(model, scratch, load, k, g):
    """Write to g what a unit of a load's k-th component adds to the columns of its body."""
    s, own = load.point, load.follows == 1
    if model.planar:
        pose, e2 = scratch.planar_pose[load.body], (1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0)
        if own:
            e2 = turned(pose, e2)
        arm = turned(pose, load2(model.numbers, s))
        g[0], g[1], g[2] = e2[0], e2[1], 1.0 if k == 2 else arm[0] * e2[1] - arm[1] * e2[0]
        return
    A, n = load9(scratch.spatial_pose[load.body].A, 0), k % 3
    e = (1.0 if n == 0 else 0.0, 1.0 if n == 1 else 0.0, 1.0 if n == 2 else 0.0)
    if own:
        inside, force = e, apply(A, e)
    else:
        inside, force = apply_transposed(A, e), e
    arm3 = cross(load3(model.numbers, s), inside)
    for c in range(3):
        g[c] = force[c] if k < 3 else 0.0
        g[POINT + c] = arm3[c] if k < 3 else inside[c]


@inner_kernel
def _add_load(model, state, scratch, t, load, K):
    """Add the derivatives of a load with constant components: of its arm, or of its direction if it follows the body."""
    x, y, z, mx, my, mz = load_wrench(model, state, scratch, t, load)
    s, own, column = load.point, load.follows == 1, model.width * (load.body - L.FIRST_BODY)
    if model.planar:
        at, stride = spot(model, column, column)
        arm = turned(scratch.planar_pose[load.body], load2(model.numbers, s))
        if own:
            K[at + ANGLE] -= y
            K[at + stride + ANGLE] += x
        else:
            K[at + stride * ANGLE + ANGLE] -= x * arm[0]
            K[at + stride * ANGLE + ANGLE] -= y * arm[1]
        return
    A = load9(scratch.spatial_pose[load.body].A, 0)
    force = apply_transposed(A, (x, y, z))
    if own:
        add_matrix(model, K, column, column, 0, POINT, -1.0, multiply(A, tilde(force)))
    else:
        add_matrix(model, K, column, column, POINT, POINT, 1.0, tilde_tilde(load3(model.numbers, s), force))
        add_matrix(model, K, column, column, POINT, POINT, 1.0, tilde(apply_transposed(A, (mx, my, mz))))


@inner_kernel
def _add_law_source(model, state, scratch, t, law, K, D):
    """Add the derivatives of a law: its own, then those of its expression's inputs."""
    by_term, rows = _add_law(model, state, scratch, t, law, K, D), columns_of(model, law.function)
    for i in range(law.inputs if law.program >= 0 else 0):
        slope = by_term * program_value(model, scratch, model.tables[law.program + L.BY_FIRST + i])
        if slope != 0.0:
            _add_input(model, scratch, model.inputs[law.first_input + i], slope, rows, K, D)


@inner_kernel
def _add_load_source(model, state, scratch, t, load, K, D):
    """Add the derivatives of a load: its own, then those of its expressions' inputs."""
    width = model.width
    _add_load(model, state, scratch, t, load, K)
    for k in range(width if load.program >= 0 else 0):
        _direction(model, scratch, load, k, scratch.gradient)
        for i in range(load.inputs):
            slope = program_value(model, scratch, model.tables[component_table(load, k) + L.BY_FIRST + i])
            if slope != 0.0:
                rows = (width * (load.body - L.FIRST_BODY), -1, width)
                _add_input(model, scratch, model.inputs[load.first_input + i], slope, rows, K, D)


@shared_kernel
def force_partials(model, state, scratch, t, K, D):
    """Add the derivatives of all generalized forces: K += ∂Q/∂q along (δr, δπ′), D += ∂Q/∂v.

    Parameters
    ----------
    t : float
    K, D : block matrices (see ``blocks``), added to
        Row: component of Q; column: velocity column. v is held in K, so spatial angular velocities keep their body components.
    """
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    if not model.planar:
        for b in range(model.bodies):
            spin, J = load3(scratch.velocity, TURN * (L.FIRST_BODY + b) + POINT), load9(model.spatial_mass[b].J, 0)
            add_matrix(model, D, TURN * b, TURN * b, POINT, POINT, 1.0, tilde(apply(J, spin)))
            add_matrix(model, D, TURN * b, TURN * b, POINT, POINT, -1.0, multiply(tilde(spin), J))
    for n in range(model.laws.size):
        _add_law_source(model, state, scratch, t, model.laws[n], K, D)
    for n in range(model.loads.size):
        _add_load_source(model, state, scratch, t, model.loads[n], K, D)
    for n in range(model.wrench_elements.size):
        add_wrench_partials(model, state, scratch, t, model.wrench_elements[n], K, D)
