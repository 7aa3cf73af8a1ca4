"""Constraint rows: Φ = Σ w_k c_k + G(c₁…c_m, t) over coordinate functions c_k, with everything analyses ask of them.

A pair's row is one function with weight one; a motion is c − f(t); a gear a weighted sum; a cam or a coupler has a program G
with its first and second partial derivatives, made when the model was lowered.

A program table holds, for inputs x = (t, c₁…c_m): the value, the m+1 first and the (m+1)(m+2)/2 second partial derivatives
(upper triangle by rows), each as the start of a program or −1 where it vanishes.
"""

from __future__ import annotations

from multibody.kernels import layout as L
from multibody.kernels.blocks import add_outer, add_square, columns_of
from multibody.kernels.compile import inner_kernel, kernel
from multibody.kernels.declared import model_at, scratch_at, state_at
from multibody.kernels.functions import (
    dot_gradient,
    function_gamma,
    function_gradient,
    function_hessian,
    function_value,
    record,
)
from multibody.kernels.programs import run_program


@inner_kernel
def partial(model, scratch, table, index):
    """Return the partial derivative with this index in the program table."""
    I = model.I
    pc = I[table + index]
    if pc < 0:
        return 0.0
    return run_program(model, scratch, I[L.CODE] + pc, I[L.W_INPUT])


@inner_kernel
def _second(m, k, l):
    """Return the index of the second partial ∂²G/∂x_k∂x_l in a table with m coordinates."""
    low, high = min(k, l), max(k, l)
    return m + 2 + low * (m + 1) - low * (low - 1) // 2 + high - low


@inner_kernel
def _inputs(model, state, scratch, t, row):
    """Write the program's inputs (t, then the row's coordinates) into W."""
    I, W = model.I, scratch.W
    W[I[L.W_INPUT]] = t
    for k in range(I[row + 1]):
        f = I[I[L.TERMS] + L.TERM_STRIDE * (I[row] + k)]
        W[I[L.W_INPUT] + 1 + k] = function_value(model, state, scratch, f)


@kernel
def row_values(model, state, scratch, t, lo, hi, out):
    """Write Φ of the rows lo..hi−1 at time t and the poses in W."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    I, F, W = model.I, model.F, scratch.W
    for r in range(lo, hi):
        row = I[L.ROWS] + L.ROW_STRIDE * r
        total = 0.0
        for k in range(I[row + 1]):
            term = I[L.TERMS] + L.TERM_STRIDE * (I[row] + k)
            value = function_value(model, state, scratch, I[term])
            W[I[L.W_INPUT] + 1 + k] = value
            total += F[I[term + 1]] * value
        if I[row + 4] >= 0:
            W[I[L.W_INPUT]] = t
            total += partial(model, scratch, I[row + 4], 0)
        out[r - lo] = total


@kernel
def row_jacobian(model, state, scratch, t, lo, hi, J):
    """Write the entries of Φ_q of the rows lo..hi−1; entry e of the model is J[e − first entry of row lo]."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    I, F = model.I, model.F
    width = 3 if I[L.DIMENSION] == 2 else 6
    start = I[I[L.ROWS] + L.ROW_STRIDE * lo + 2] if hi > lo else 0
    g = I[L.W_GRADIENT]
    for r in range(lo, hi):
        row = I[L.ROWS] + L.ROW_STRIDE * r
        for e in range(I[row + 3]):
            J[I[row + 2] - start + e] = 0.0
        if I[row + 4] >= 0:
            _inputs(model, state, scratch, t, row)
        for k in range(I[row + 1]):
            term = I[L.TERMS] + L.TERM_STRIDE * (I[row] + k)
            weight = F[I[term + 1]]
            if I[row + 4] >= 0:
                weight += partial(model, scratch, I[row + 4], 2 + k)
            function_gradient(model, scratch, I[term], g)
            _accumulate(model, scratch, I[term], term, g, weight, J, I[row + 2] - start, width)


@inner_kernel
def _accumulate(model, scratch, f, term, g, weight, J, at, width):
    """Add weight · gradient to the row's entries."""
    I, W = model.I, scratch.W
    if record(model, f)[0] == L.EXTRA:
        J[at + I[term + 2]] += weight
        return
    for side in range(2):
        entry = I[term + 2 + side]
        if entry >= 0:
            for c in range(width):
                J[at + entry + c] += weight * W[g + side * width + c]


@kernel
def row_velocity(model, state, scratch, t, lo, hi, out):
    """Write ν = −∂Φ/∂t of the rows lo..hi−1, so that Φ_q v = ν."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    I = model.I
    for r in range(lo, hi):
        row = I[L.ROWS] + L.ROW_STRIDE * r
        out[r - lo] = 0.0
        if I[row + 4] >= 0 and I[I[row + 4] + 1] >= 0:
            _inputs(model, state, scratch, t, row)
            out[r - lo] = -partial(model, scratch, I[row + 4], 1)


@kernel
def row_gamma(model, state, scratch, t, lo, hi, out):
    """Write γ of the rows lo..hi−1 at the positions and velocities in W, so that Φ_q v̇ = γ."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    I, F = model.I, model.F
    for r in range(lo, hi):
        row = I[L.ROWS] + L.ROW_STRIDE * r
        table = I[row + 4]
        if table >= 0:
            _inputs(model, state, scratch, t, row)
        total = 0.0
        for k in range(I[row + 1]):
            term = I[L.TERMS] + L.TERM_STRIDE * (I[row] + k)
            weight = F[I[term + 1]]
            if table >= 0:
                weight += partial(model, scratch, table, 2 + k)
            total += weight * function_gamma(model, scratch, I[term])
        out[r - lo] = total - (_program_rates(model, scratch, row) if table >= 0 else 0.0)


@inner_kernel
def _program_rates(model, scratch, row):
    """Return Σ G_kl ẋ_k ẋ_l over x = (t, c): the part of G̈ that is quadratic in (1, ċ)."""
    I, W = model.I, scratch.W
    m, table, g = I[row + 1], I[row + 4], I[L.W_GRADIENT]
    rates = g + 36  # behind the scratch of a gradient
    W[rates] = 1.0
    for k in range(m):
        f = I[I[L.TERMS] + L.TERM_STRIDE * (I[row] + k)]
        function_gradient(model, scratch, f, g)
        W[rates + 1 + k] = dot_gradient(model, scratch, f, g, I[L.W_VELOCITY])
    total = 0.0
    for k in range(m + 1):
        for l in range(k, m + 1):
            second = partial(model, scratch, table, _second(m, k, l))
            total += (1.0 if k == l else 2.0) * second * W[rates + k] * W[rates + l]
    return total


@kernel
def row_partials(model, state, scratch, t, lo, hi, multipliers, K, V):
    """Add (Φ_qᵀ λ)_q of the rows lo..hi−1 to K and write V = (Φ_q v − ν)_q of them, at the poses and velocities in W.

    Parameters
    ----------
    multipliers : array (hi − lo,)
    K : array, a block matrix (see ``blocks``), added to
        Row: component of Φ_qᵀλ; column: velocity column along which it changes.
    V : array, written
        On the entries of the rows, as ``row_jacobian``.
    """
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    I, F = model.I, model.F
    h, g, rate, width = I[L.W_HESSIAN], I[L.W_GRADIENT], I[L.W_GRADIENT] + 36, 3 if I[L.DIMENSION] == 2 else 6
    start = I[I[L.ROWS] + L.ROW_STRIDE * lo + 2] if hi > lo else 0
    for r in range(lo, hi):
        row = I[L.ROWS] + L.ROW_STRIDE * r
        table, factor, at = I[row + 4], multipliers[r - lo], I[row + 2] - start
        for e in range(I[row + 3]):
            V[at + e] = 0.0
        if table >= 0:
            _inputs(model, state, scratch, t, row)
        for k in range(I[row + 1]):
            term = I[L.TERMS] + L.TERM_STRIDE * (I[row] + k)
            weight = F[I[term + 1]]
            if table >= 0:
                weight += partial(model, scratch, table, 2 + k)
            if record(model, I[term])[0] != L.EXTRA and weight != 0.0:
                hessian_and_rate(model, scratch, I[term], rate)
                _accumulate(model, scratch, I[term], term, rate, weight, V, at, width)
                if factor != 0.0:
                    add_square(model, scratch, h, columns_of(model, I[term]), factor * weight, K)
        if table >= 0:
            _program_partials(model, scratch, row, factor, g, V, at, K)


@inner_kernel
def hessian_and_rate(model, scratch, f, row):
    """Write the second derivative H of a function at W_HESSIAN and vᵀH, the derivative of its rate, at W[row]."""
    I, W = model.I, scratch.W
    kind, i, j, _, _ = record(model, f)
    width, h = 3 if I[L.DIMENSION] == 2 else 6, I[L.W_HESSIAN]
    if kind == L.EXTRA:
        for c in range(144):
            W[h + c] = 0.0
    function_hessian(model, scratch, f, h, row)
    vi, vj = I[L.W_VELOCITY] + width * i, I[L.W_VELOCITY] + width * j
    for c in range(2 * width):
        total = 0.0
        for r in range(width):
            total += W[vi + r] * W[h + 2 * width * r + c] + W[vj + r] * W[h + 2 * width * (width + r) + c]
        W[row + c] = total


@inner_kernel
def _program_partials(model, scratch, row, factor, g, V, at, K):
    """Add λ Σ G_kl ∇c_k ∇c_lᵀ to K and Σ G_kl ẋ_l ∇c_kᵀ over x = (t, c) to V; W[g + 36] is scratch."""
    I = model.I
    m, table, width = I[row + 1], I[row + 4], 3 if I[L.DIMENSION] == 2 else 6
    for k in range(m):
        term = I[L.TERMS] + L.TERM_STRIDE * (I[row] + k)
        rate = partial(model, scratch, table, _second(m, 0, k + 1))
        for l in range(m):
            second = partial(model, scratch, table, _second(m, k + 1, l + 1))
            if second != 0.0:
                fl = I[I[L.TERMS] + L.TERM_STRIDE * (I[row] + l)]
                function_gradient(model, scratch, fl, g)
                rate += second * dot_gradient(model, scratch, fl, g, I[L.W_VELOCITY])
                function_gradient(model, scratch, I[term], g + 36)
                add_outer(model, scratch, g + 36, columns_of(model, I[term]), g, columns_of(model, fl), factor * second, K)
        if rate != 0.0:
            function_gradient(model, scratch, I[term], g)
            _accumulate(model, scratch, I[term], term, g, rate, V, at, width)
