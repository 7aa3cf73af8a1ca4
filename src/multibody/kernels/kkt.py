"""The one service behind every Cartesian formulation: M v̇ + Φ_qᵀ λ = Q, Φ_q v̇ = γ, with M ≥ 0 and Φ_q of any rank.

Fast path (M > 0): S = Φ_q M⁻¹ Φ_qᵀ over the chosen independent rows, assembled from pairs of rows that share a body, factored
by skyline Cholesky. General path (massless directions, extra coordinates): M̄ = M + Φ_qᵀ W Φ_q and Q̄ = Q + Φ_qᵀ W γ have the
same solution, and M̄ is positive definite unless a direction is free and without mass.

Near a change point S loses rank although the motion is smooth. Where a pivot all but vanishes S is lifted a little and the
multipliers are refined (proximal iteration): small singular values are then truncated, everything else is exact.
"""

from __future__ import annotations

from multibody.kernels.compile import inlined, inner_kernel
from multibody.kernels.mass import POINT, mass_times, mass_times_block
from multibody.kernels.skyline import cholesky, cholesky_solve
from multibody.kernels.vectors import add_to3, dot, load3, scale

VANISHING = 1e-13  # a pivot below this part of its diagonal entry is taken for zero
LIFT = 1e-12  # regularization where a pivot vanishes, as a part of the diagonal


@inlined
def _inner(x, at, y, to, planar):
    """Return the product of a block of x and one of y."""
    total = dot(load3(x, at), load3(y, to))
    if planar:
        return total
    return total + dot(load3(x, at + POINT), load3(y, to + POINT))


@inlined
def _form(model, state, scratch):
    """Write U = M⁻¹ Φ_qᵀ on the pattern of the entries, and S from the pairs of blocks that share a body."""
    J, U, S = scratch.J, state.factors.U, state.factors.S
    for k in range(model.blocks.size):
        block = model.blocks[k]
        mass_times_block(model, block.body, J, block.entry, U, block.entry, 1)
    for k in range(S.size):
        S[k] = 0.0
    for k in range(model.pairs.size):
        pair = model.pairs[k]
        S[pair.at] += _inner(U, pair.first, J, pair.second, model.planar)


@inner_kernel
def _form_general(model, state, scratch):
    """Write M̄ and its factors, U = M̄⁻¹ Φ_qᵀ by rows of full length, and S; return the smallest pivot ratio of M̄."""
    n, J, A, columns, factors = model.velocities, scratch.J, scratch.dense, model.columns, state.factors
    _write_mass(model, scratch)
    for k in range(model.chosen.size):
        r = model.chosen[k]
        row, weight = model.rows[r], model.row_weight[r]
        for a in range(row.entry, row.entry + row.entries):
            for b in range(row.entry, row.entry + row.entries):
                A[columns[a] * n + columns[b]] += weight * J[a] * J[b]
    _drop_empty(model, A)
    # what has no mass and is free may only be idle (the spin of a slender rod): it is held still
    lowest = cholesky(A, model.dense_base, model.dense_first, scratch.dense_D, n, 0.0, 1e-11)
    for k in range(model.chosen.size):
        row, u = model.rows[model.chosen[k]], factors.U[n * k : n * (k + 1)]
        for c in range(n):
            u[c] = 0.0
        for e in range(row.entry, row.entry + row.entries):
            u[columns[e]] += J[e]
        cholesky_solve(A, model.dense_base, model.dense_first, scratch.dense_D, n, u)
    for i in range(model.chosen.size):
        for j in range(i + 1):
            factors.S[model.S_base[i] + j] = _row_times(model, J, j, factors.U[n * i : n * (i + 1)])
    return lowest


@inner_kernel
def _write_mass(model, scratch):
    """Write M by rows of full length, a column at a time."""
    n, width, A, x = model.velocities, model.width, scratch.dense, scratch.b
    for k in range(n * n):
        A[k] = 0.0
    for b in range(model.bodies):
        for c in range(width):
            for k in range(width):
                x[k] = 1.0 if k == c else 0.0
            mass_times_block(model, b, x, 0, x, width, 0)
            for k in range(width):
                A[(width * b + k) * n + width * b + c] = x[width + k]


@inner_kernel
def _drop_empty(model, A):
    """Set rows and columns of M̄ to zero whose diagonal entry is round-off beside the largest one (lengths over L)."""
    n, scale, largest = model.velocities, model.column_scale, 0.0
    for c in range(n):
        largest = max(largest, A[n * c + c] * scale[c] * scale[c])
    for c in range(n):
        if A[n * c + c] * scale[c] * scale[c] < 1e-14 * largest:
            for k in range(n):
                A[n * c + k] = 0.0
                A[n * k + c] = 0.0


@inner_kernel
def _row_times(model, J, k, x):
    """Return row k of the chosen rows times a vector."""
    row, total = model.rows[model.chosen[k]], 0.0
    for e in range(row.entry, row.entry + row.entries):
        total += J[e] * x[model.columns[e]]
    return total


@inlined
def _residual(model, scratch, a, x):
    """Write Φ_q a − γ of the chosen rows to x, γ of all rows being known."""
    for k in range(model.chosen.size):
        x[k] = -scratch.by_row[model.chosen[k]]
    if model.general == 1:
        for k in range(model.chosen.size):
            x[k] += _row_times(model, scratch.J, k, a)
        return
    for b in range(model.blocks.size):
        block = model.blocks[b]
        x[block.row] += _inner(scratch.J, block.entry, a, model.width * block.body, model.planar)


@inner_kernel
def factor(model, state, scratch):
    """Form and factor S at the entries of Φ_q; return the smallest pivot ratio, ≤ 0 where M̄ is not positive."""
    statistics, factors = state.statistics[0], state.factors
    statistics.factorizations += 1.0
    for lifted in range(2):
        if model.general == 0:
            _form(model, state, scratch)
        elif not _form_general(model, state, scratch) > 0.0:
            return -1.0
        statistics.lifted = lifted
        ratio = cholesky(factors.S, model.S_base, model.S_first, factors.D, model.chosen.size, LIFT * lifted, 0.0)
        if lifted == 0 and ratio > VANISHING:
            return ratio
    return VANISHING


@inlined
def _add_columns(model, U, x, sign, out):
    """Add sign · G Φ_qᵀ x to a vector, x over the chosen rows."""
    n = model.velocities
    if model.general == 1:
        for k in range(model.chosen.size):
            for c in range(n):
                out[c] += sign * x[k] * U[n * k + c]
        return
    for b in range(model.blocks.size):
        block = model.blocks[b]
        value, u, to = sign * x[block.row], block.entry, model.width * block.body
        add_to3(out, to, scale(value, load3(U, u)))
        if not model.planar:
            add_to3(out, to + POINT, scale(value, load3(U, u + POINT)))


@inner_kernel
def _free_general(model, scratch, a):
    """Write M̄⁻¹ Q̄, the accelerations without constraint forces, to a."""
    n = model.velocities
    for c in range(n):
        a[c] = scratch.Q[c]
    for k in range(model.chosen.size):
        r = model.chosen[k]
        row = model.rows[r]
        for e in range(row.entry, row.entry + row.entries):
            a[model.columns[e]] += model.row_weight[r] * scratch.by_row[r] * scratch.J[e]
    cholesky_solve(scratch.dense, model.dense_base, model.dense_first, scratch.dense_D, n, a)


@inner_kernel
def solve(model, state, scratch):
    """Write v̇ and λ from the forces and γ (of all rows), with the factors at hand."""
    m, a, x, b, factors = model.chosen.size, scratch.a, scratch.multipliers, scratch.b, state.factors
    if model.general == 0:
        mass_times(model, scratch.Q, a, 1)
    else:
        _free_general(model, scratch, a)
    for k in range(m):
        x[k] = 0.0
    for _ in range(4 if state.statistics[0].lifted > 0.0 else 1):  # proximal refinement where S was lifted
        _residual(model, scratch, a, b)
        cholesky_solve(factors.S, model.S_base, model.S_first, factors.D, m, b)
        _add_columns(model, factors.U, b, -1.0, a)
        for k in range(m):
            x[k] += b[k]


@inner_kernel
def correct(model, state, scratch):
    """Write the smallest change a (in the metric of M or M̄) with Φ_q a = the values of the rows, with the factors at hand."""
    x, a, factors = scratch.multipliers, scratch.a, state.factors
    for k in range(model.chosen.size):
        x[k] = scratch.by_row[model.chosen[k]]
    cholesky_solve(factors.S, model.S_base, model.S_first, factors.D, model.chosen.size, x)
    for c in range(model.velocities):
        a[c] = 0.0
    _add_columns(model, factors.U, x, 1.0, a)
