"""Constraint rows: Φ = Σ w_k c_k + G(c₁…c_m, t) over coordinate functions c_k, with everything analyses ask of them.

A pair's row is one function with weight one; a motion is c − f(t); a gear a weighted sum; a cam or a coupler has a program G
with its first and second partial derivatives, made when the model was lowered.

A program table holds, for inputs x = (t, c₁…c_m): the value, the m+1 first and the (m+1)(m+2)/2 second partial derivatives
(upper triangle by rows), each as the start of a program or −1 where it vanishes.
"""

from __future__ import annotations

from multibody.kernels import codes as L
from multibody.kernels.blocks import add_outer, add_square, columns_of
from multibody.kernels.codes import BY_FIRST, BY_TIME, VALUE
from multibody.kernels.compile import inlined, inner_kernel, kernel, shared_in_space, shared_kernel
from multibody.kernels.declared import model_at, scratch_at, state_at
from multibody.kernels.functions import (
    function_gamma,
    function_gradient,
    function_hessian,
    function_rate,
    function_value,
)
from multibody.kernels.programs import run_program


@inner_kernel
def partial(model, scratch, table, index):
    """Return the partial derivative with this index in the program table."""
    pc = model.tables[table + index]
    return run_program(model, scratch, pc) if pc >= 0 else 0.0


@inner_kernel
def _second(m, k, l):
    """Return the index of the second partial ∂²G/∂x_k∂x_l in a table with m coordinates."""
    low, high = min(k, l), max(k, l)
    return m + 2 + low * (m + 1) - low * (low - 1) // 2 + high - low


@inner_kernel
def _inputs(model, state, scratch, t, row):
    """Write the program's inputs: t, then the row's coordinates."""
    scratch.input[L.TIME] = t
    for k in range(row.terms):
        scratch.input[L.READ + k] = function_value(model, state, scratch, model.terms[row.first_term + k].function)


@inlined
def _weight(model, scratch, row, term, k):
    """Return ∂Φ/∂c of the k-th term of a row: its weight, and what the program adds at its inputs."""
    weight = model.numbers[term.weight]
    if row.program >= 0:
        weight += partial(model, scratch, row.program, BY_FIRST + k)
    return weight


@kernel
def row_values(model, state, scratch, t, lo, hi, out):
    """Write Φ of the rows lo..hi−1 at time t and the poses."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    for r in range(lo, hi):
        row, total = model.rows[r], 0.0
        for k in range(row.terms):
            term = model.terms[row.first_term + k]
            value = function_value(model, state, scratch, term.function)
            scratch.input[L.READ + k] = value
            total += model.numbers[term.weight] * value
        if row.program >= 0:
            scratch.input[L.TIME] = t
            total += partial(model, scratch, row.program, VALUE)
        out[r - lo] = total


@shared_in_space
def row_jacobian(model, state, scratch, t, lo, hi, J):
    """Write the entries of Φ_q of the rows lo..hi−1; entry e of the model is J[e − first entry of row lo]."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    start, g = model.rows[lo].entry if hi > lo else 0, scratch.gradient
    for r in range(lo, hi):
        row = model.rows[r]
        for e in range(row.entries):
            J[row.entry - start + e] = 0.0
        if row.program >= 0:
            _inputs(model, state, scratch, t, row)
        for k in range(row.terms):
            term = model.terms[row.first_term + k]
            weight = _weight(model, scratch, row, term, k)
            function_gradient(model, scratch, term.function, g)
            _accumulate(model, term, g, weight, J, row.entry - start)


@inner_kernel
def _accumulate(model, term, g, weight, J, at):
    """Add weight · gradient to the entries of the row that begins at J[at]."""
    width = model.width
    if model.functions[term.function].kind == L.EXTRA:
        J[at + term.entry[0]] += weight
        return
    for side in range(2):
        entry = term.entry[side]
        if entry >= 0:
            for c in range(width):
                J[at + entry + c] += weight * g[side * width + c]


@shared_in_space
def row_velocity(model, state, scratch, t, lo, hi, out):
    """Write ν = −∂Φ/∂t of the rows lo..hi−1, so that Φ_q v = ν."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    for r in range(lo, hi):
        row = model.rows[r]
        out[r - lo] = 0.0
        if row.program >= 0 and model.tables[row.program + BY_TIME] >= 0:
            _inputs(model, state, scratch, t, row)
            out[r - lo] = -partial(model, scratch, row.program, BY_TIME)


@shared_in_space
def row_gamma(model, state, scratch, t, lo, hi, out):
    """Write γ of the rows lo..hi−1 at the positions and velocities, so that Φ_q v̇ = γ."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    for r in range(lo, hi):
        row, total = model.rows[r], 0.0
        if row.program >= 0:
            _inputs(model, state, scratch, t, row)
        for k in range(row.terms):
            term = model.terms[row.first_term + k]
            weight = _weight(model, scratch, row, term, k)
            total += weight * function_gamma(model, scratch, term.function)
        out[r - lo] = total - (_program_rates(model, scratch, row) if row.program >= 0 else 0.0)


@inner_kernel
def _program_rates(model, scratch, row):
    """Return Σ G_kl ẋ_k ẋ_l over x = (t, c): the part of G̈ that is quadratic in (1, ċ)."""
    m, g, rates, total = row.terms, scratch.gradient, scratch.rates, 0.0
    rates[L.TIME] = 1.0
    for k in range(m):
        f = model.terms[row.first_term + k].function
        function_gradient(model, scratch, f, g)
        rates[L.READ + k] = function_rate(model, scratch, f, g)
    for k in range(m + 1):
        for l in range(k, m + 1):
            second = partial(model, scratch, row.program, _second(m, k, l))
            total += (1.0 if k == l else 2.0) * second * rates[k] * rates[l]
    return total


@shared_kernel
def row_partials(model, state, scratch, t, lo, hi, multipliers, K, V):
    """Add (Φ_qᵀ λ)_q of the rows lo..hi−1 to K and write V = (Φ_q v − ν)_q of them, at the poses and velocities.

    Parameters
    ----------
    multipliers : array (hi − lo,)
    K : array, a block matrix (see ``blocks``), added to
        Row: component of Φ_qᵀλ; column: velocity column along which it changes.
    V : array, written
        On the entries of the rows, as ``row_jacobian``.
    """
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    start, rate = model.rows[lo].entry if hi > lo else 0, scratch.second_gradient
    for r in range(lo, hi):
        row, factor = model.rows[r], multipliers[r - lo]
        at = row.entry - start
        for e in range(row.entries):
            V[at + e] = 0.0
        if row.program >= 0:
            _inputs(model, state, scratch, t, row)
        for k in range(row.terms):
            term = model.terms[row.first_term + k]
            weight = _weight(model, scratch, row, term, k)
            if model.functions[term.function].kind != L.EXTRA and weight != 0.0:
                hessian_and_rate(model, scratch, term.function, rate)
                _accumulate(model, term, rate, weight, V, at)
                if factor != 0.0:
                    add_square(model, scratch.hessian, columns_of(model, term.function), factor * weight, K)
        if row.program >= 0:
            _program_partials(model, scratch, row, factor, V, at, K)


@inner_kernel
def hessian_and_rate(model, scratch, f, rate):
    """Write the second derivative H of a function to the scratch for it and vᵀH, the derivative of its rate, to `rate`."""
    c, width, h, v = model.functions[f], model.width, scratch.hessian, scratch.velocity
    both = 2 * width  # columns of both bodies
    if c.kind == L.EXTRA:
        for k in range(both * both):
            h[k] = 0.0
    function_hessian(model, scratch, f, h, rate)
    for k in range(both):
        total = 0.0
        for r in range(width):
            total += v[width * c.first + r] * h[both * r + k] + v[width * c.second + r] * h[both * (width + r) + k]
        rate[k] = total


@inner_kernel
def _program_partials(model, scratch, row, factor, V, at, K):
    """Add λ Σ G_kl ∇c_k ∇c_lᵀ to K and Σ G_kl ẋ_l ∇c_kᵀ over x = (t, c) to V."""
    m, g, other = row.terms, scratch.gradient, scratch.second_gradient
    for k in range(m):
        term = model.terms[row.first_term + k]
        rate = partial(model, scratch, row.program, _second(m, 0, k + 1))
        for l in range(m):
            second = partial(model, scratch, row.program, _second(m, k + 1, l + 1))
            if second != 0.0:
                fl = model.terms[row.first_term + l].function
                function_gradient(model, scratch, fl, g)
                rate += second * function_rate(model, scratch, fl, g)
                function_gradient(model, scratch, term.function, other)
                add_outer(model, other, columns_of(model, term.function), g, columns_of(model, fl), factor * second, K)
        if rate != 0.0:
            function_gradient(model, scratch, term.function, g)
            _accumulate(model, term, g, rate, V, at)
