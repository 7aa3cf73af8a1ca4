"""Derivatives of the generalized forces: K = ∂Q/∂q along the velocity columns (δr, δπ′) and D = ∂Q/∂v.

A law adds e ∇c to Q. With e(c, ċ, x) and H the derivative of ∇c along the columns, ∂ċ/∂q = vᵀH and

    K += ∇c (e_c ∇cᵀ + e_ċ vᵀH + Σ e_x x_q) + e H,   D += ∇c (e_ċ ∇cᵀ + Σ e_x x_v).
"""

from __future__ import annotations

from multibody.kernels import layout as L
from multibody.kernels.blocks import add_matrix, add_outer, add_square, columns_of, spot
from multibody.kernels.compile import inner_kernel, kernel
from multibody.kernels.declared import model_at, scratch_at, state_at
from multibody.kernels.forces import coincident, law_effort, law_term, load_wrench, program_value, without_direction
from multibody.kernels.functions import component_gradient, dot_gradient, function_gradient, function_value, record
from multibody.kernels.rows import hessian_and_rate
from multibody.kernels.vectors import apply, apply_transposed, cross, load3, load9, multiply, tilde, tilde_tilde

SECOND = 36  # scratch behind the gradient of the law: the derivatives of one input


@inner_kernel
def _add_input(model, scratch, item, slope, g, rows, K, D):
    """Add slope · (vector at W[g]) times the derivatives of an input: of K along q and of D along v."""
    I, W = model.I, scratch.W
    code, index, row = I[item], I[item + 1], I[L.W_GRADIENT] + SECOND
    if code >= L.INPUT_OMEGA:  # A ω′: along δπ′ it changes by −A ω̃′ δπ′
        if index == 0:
            return
        at, n = I[L.W_POSE] + 12 * index + 3, code - L.INPUT_OMEGA
        axis, spin = load3(W, at + 3 * n), load3(W, I[L.W_VELOCITY] + 6 * index + 3)
        turned = cross(spin, axis)
        for c in range(3):
            W[row + c] = 0.0
            W[row + 3 + c] = turned[c]
        add_outer(model, scratch, g, rows, row, (6 * index - 6, -1, 6), slope, K)
        for c in range(3):
            W[row + 3 + c] = axis[c]
        add_outer(model, scratch, g, rows, row, (6 * index - 6, -1, 6), slope, D)
        return
    columns = columns_of(model, index)
    if code == L.INPUT_RATE:
        hessian_and_rate(model, scratch, index, row)
        add_outer(model, scratch, g, rows, row, columns, slope, K)
    function_gradient(model, scratch, index, row)
    add_outer(model, scratch, g, rows, row, columns, slope, D if code == L.INPUT_RATE else K)


@inner_kernel
def _add_smooth(model, scratch, f, found, K, D):
    """Add the derivatives of a law along a distance of nearly zero, ∇c at W_GRADIENT: −k d has those of its components."""
    I = model.I
    columns, g, row = columns_of(model, f), I[L.W_GRADIENT], I[L.W_GRADIENT] + SECOND
    for c in range(I[L.DIMENSION]):
        component_gradient(model, scratch, f, c, row)
        add_outer(model, scratch, row, columns, row, columns, found[3], K)
    add_outer(model, scratch, g, columns, g, columns, found[4], D)
    return found[5]


@inner_kernel
def _add_law(model, state, scratch, t, law, K, D):
    """Add the derivatives of a law but for its inputs; leave ∇c at W_GRADIENT and return ∂e/∂x of its expression."""
    I, F = model.I, model.F
    f, g, row = I[law + 1], I[L.W_GRADIENT], I[L.W_GRADIENT] + SECOND
    x = law_term(model, state, scratch, t, law)
    value = function_value(model, state, scratch, f)
    function_gradient(model, scratch, f, g)
    rate = dot_gradient(model, scratch, f, g, I[L.W_VELOCITY])
    found = law_effort(F, I[law], I[law + 2], value, rate, x)
    columns = columns_of(model, f)
    kind, i, j, _, _ = record(model, f)
    if coincident(model, scratch, kind, i, j, value):
        return _add_smooth(model, scratch, f, without_direction(F, I[law], I[law + 2], value, rate, found), K, D)
    e, _, _, by_value, by_rate, by_term = found
    add_outer(model, scratch, g, columns, g, columns, by_value, K)
    add_outer(model, scratch, g, columns, g, columns, by_rate, D)
    if (e != 0.0 or by_rate != 0.0) and columns[2] > 1:  # an extra coordinate has no second derivative
        hessian_and_rate(model, scratch, f, row)
        add_square(model, scratch, I[L.W_HESSIAN], columns, e, K)
        add_outer(model, scratch, g, columns, row, columns, by_rate, K)
    return by_term


@inner_kernel
def _direction(model, scratch, load, k, g):
    """Write at W[g] what a unit of a load's k-th component adds to the columns of its body."""
    I, F, W = model.I, model.F, scratch.W
    body, s, own = I[load], I[load + 1], I[load + 2] == 1
    if I[L.DIMENSION] == 2:
        pose = I[L.W_POSE] + 5 * body
        cosine, sine = W[pose + 3], W[pose + 4]
        x, y = 1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0
        if own:
            x, y = cosine * x - sine * y, sine * x + cosine * y
        arm = (cosine * F[s] - sine * F[s + 1]) * y - (sine * F[s] + cosine * F[s + 1]) * x
        W[g], W[g + 1], W[g + 2] = x, y, 1.0 if k == 2 else arm
        return
    A, n = load9(W, I[L.W_POSE] + 12 * body + 3), k % 3
    e = (1.0 if n == 0 else 0.0, 1.0 if n == 1 else 0.0, 1.0 if n == 2 else 0.0)
    if own:
        turned, force = e, apply(A, e)
    else:
        turned, force = apply_transposed(A, e), e
    arm3 = cross(load3(F, s), turned)
    for c in range(3):
        W[g + c] = force[c] if k < 3 else 0.0
        W[g + 3 + c] = arm3[c] if k < 3 else turned[c]


@inner_kernel
def _add_load(model, state, scratch, t, load, K):
    """Add the derivatives of a load with constant components: of its arm, or of its direction if it follows the body."""
    I, F, W = model.I, model.F, scratch.W
    x, y, z, mx, my, mz = load_wrench(model, state, scratch, t, load)
    body, s, own = I[load], I[load + 1], I[load + 2] == 1
    if I[L.DIMENSION] == 2:
        pose = I[L.W_POSE] + 5 * body
        at, stride = spot(model, 3 * (body - 1), 3 * (body - 1))
        if own:
            K[at + 2] -= y
            K[at + stride + 2] += x
        else:
            K[at + 2 * stride + 2] -= x * (W[pose + 3] * F[s] - W[pose + 4] * F[s + 1])
            K[at + 2 * stride + 2] -= y * (W[pose + 4] * F[s] + W[pose + 3] * F[s + 1])
        return
    A, at = load9(W, I[L.W_POSE] + 12 * body + 3), 6 * (body - 1)
    force = apply_transposed(A, (x, y, z))
    if own:
        add_matrix(model, K, at, at, 0, 3, -1.0, multiply(A, tilde(force)))
    else:
        add_matrix(model, K, at, at, 3, 3, 1.0, tilde_tilde(load3(F, s), force))
        add_matrix(model, K, at, at, 3, 3, 1.0, tilde(apply_transposed(A, (mx, my, mz))))


@inner_kernel
def _add_source(model, state, scratch, t, n, K, D):
    """Add the derivatives of law n or, after the laws, of a load: its own, then those of its expressions' inputs."""
    I = model.I
    g, width, laws = I[L.W_GRADIENT], 3 if I[L.DIMENSION] == 2 else 6, I[L.LAW_COUNT]
    is_law = n < laws
    if is_law:
        at = I[L.LAWS] + L.LAW_STRIDE * n
        by_term = _add_law(model, state, scratch, t, at, K, D)
        rows = columns_of(model, I[at + 1])
        table, first, count, parts = I[at + 3], I[at + 4], I[at + 5], 1
    else:
        at = I[L.LOADS] + L.LOAD_STRIDE * (n - laws)
        _add_load(model, state, scratch, t, at, K)
        by_term, rows = 1.0, (width * (I[at] - 1), -1, width)
        table, first, count, parts = I[at + 4], I[at + 5], I[at + 6], width
    for k in range(parts if table >= 0 else 0):
        if not is_law:
            _direction(model, scratch, at, k, g)
        for i in range(count):
            slope = by_term * program_value(model, scratch, table + k * (count + 2) + 2 + i)
            if slope != 0.0:
                _add_input(model, scratch, I[L.INPUTS] + L.INPUT_STRIDE * (first + i), slope, g, rows, K, D)


@kernel
def force_partials(model, state, scratch, t, K, D):
    """Add the derivatives of all generalized forces: K += ∂Q/∂q along (δr, δπ′), D += ∂Q/∂v.

    Parameters
    ----------
    t : float
    K, D : block matrices (see ``blocks``), added to
        Row: component of Q; column: velocity column. v is held in K, so spatial angular velocities keep their body components.
    """
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    I, W = model.I, scratch.W
    if I[L.DIMENSION] == 3:
        for b in range(I[L.BODIES]):
            spin, J = load3(W, I[L.W_VELOCITY] + 6 * b + 9), load9(W, I[L.W_MASS] + 20 * b + 2)
            add_matrix(model, D, 6 * b, 6 * b, 3, 3, 1.0, tilde(apply(J, spin)))
            add_matrix(model, D, 6 * b, 6 * b, 3, 3, -1.0, multiply(tilde(spin), J))
    for n in range(I[L.LAW_COUNT] + I[L.LOAD_COUNT]):
        _add_source(model, state, scratch, t, n, K, D)
