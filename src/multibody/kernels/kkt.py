"""The one service behind every Cartesian formulation: M v̇ + Φ_qᵀ λ = Q, Φ_q v̇ = γ, with M ≥ 0 and Φ_q of any rank.

Fast path (M > 0): S = Φ_q M⁻¹ Φ_qᵀ over the chosen independent rows, assembled from pairs of rows that share a body, factored
by skyline Cholesky. General path (massless directions, extra coordinates): M̄ = M + Φ_qᵀ W Φ_q and Q̄ = Q + Φ_qᵀ W γ have the
same solution, and M̄ is positive definite unless a direction is free and without mass.

Near a change point S loses rank although the motion is smooth. Where a pivot all but vanishes S is lifted a little and the
multipliers are refined (proximal iteration): small singular values are then truncated, everything else is exact.
"""

from __future__ import annotations

from multibody.kernels import layout as L
from multibody.kernels import sections as R
from multibody.kernels.compile import inlined, inner_kernel
from multibody.kernels.mass import mass_times, mass_times_block
from multibody.kernels.skyline import cholesky, cholesky_solve

VANISHING = 1e-13  # a pivot below this part of its diagonal entry is taken for zero
LIFT = 1e-12  # regularization where a pivot vanishes, as a part of the diagonal


@inner_kernel
def _entries(model, r):
    """Return the first entry of row r in Φ_q, its number of entries, and where its columns are listed in I."""
    I = model.I
    row = I[L.ROWS] + L.ROW_STRIDE * r
    return (I[row + 2], I[row + 3], I[L.COLUMNS] + I[row + 2])


@inlined
def _inner(W, a, b, planar):
    """Return the product of two blocks."""
    total = W[a] * W[b] + W[a + 1] * W[b + 1] + W[a + 2] * W[b + 2]
    return total if planar else total + (W[a + 3] * W[b + 3] + W[a + 4] * W[b + 4] + W[a + 5] * W[b + 5])


@inlined
def _form(model, scratch):
    """Write U = M⁻¹ Φ_qᵀ on the pattern of the entries, and S from the pairs of blocks that share a body."""
    I, W = model.I, scratch.W
    J, U, planar = I[R.W_J], I[R.W_U], I[L.DIMENSION] == 2
    for k in range(I[R.BLOCK_COUNT]):
        block = I[R.BLOCKS] + 3 * k
        mass_times_block(model, scratch, I[block + 1], W, J + I[block], W, U + I[block], 1)
    for k in range(I[R.W_S], I[R.W_D]):
        W[k] = 0.0
    for k in range(I[R.PAIR_COUNT]):
        at = I[R.PAIRS] + 3 * k
        W[I[at]] += _inner(W, U + I[at + 1], J + I[at + 2], planar)


@inner_kernel
def _form_general(model, scratch):
    """Write M̄ and its factors, U = M̄⁻¹ Φ_qᵀ by rows of full length, and S; return the smallest pivot ratio of M̄."""
    I, W = model.I, scratch.W
    n, m, J, A, U = I[L.VELOCITIES], I[R.CHOSEN_COUNT], I[R.W_J], I[R.W_DENSE], I[R.W_U]
    width, weights = (3 if I[L.DIMENSION] == 2 else 6), I[R.W_GAUGE] + I[L.VELOCITIES]
    for k in range(n * n):
        W[A + k] = 0.0
    for b in range(I[L.BODIES]):  # M, a column at a time
        for c in range(width):
            x, out = I[R.W_B], I[R.W_B] + width
            for k in range(width):
                W[x + k] = 1.0 if k == c else 0.0
            mass_times_block(model, scratch, b, W, x, W, out, 0)
            for k in range(width):
                W[A + (width * b + k) * n + width * b + c] = W[out + k]
    for k in range(m):
        first, count, columns = _entries(model, I[I[R.CHOSEN] + k])
        weight = W[weights + I[I[R.CHOSEN] + k]]
        for a in range(count):
            for b in range(count):
                W[A + I[columns + a] * n + I[columns + b]] += weight * W[J + first + a] * W[J + first + b]
    _drop_empty(model, scratch, A, n)
    # what has no mass and is free may only be idle (the spin of a slender rod): it is held still
    lowest = cholesky(model, scratch, n, I[R.DENSE_BASE], I[R.DENSE_FIRST], I[R.W_GAUGE], 0.0, 1e-11)
    for k in range(m):
        for c in range(n):
            W[U + n * k + c] = 0.0
        first, count, columns = _entries(model, I[I[R.CHOSEN] + k])
        for a in range(count):
            W[U + n * k + I[columns + a]] += W[J + first + a]
        cholesky_solve(model, scratch, n, I[R.DENSE_BASE], I[R.DENSE_FIRST], I[R.W_GAUGE], U + n * k)
    for i in range(m):
        for j in range(i + 1):
            W[I[I[R.BASE] + i] + j] = _row_times(model, scratch, j, U + n * i)
    return lowest


@inner_kernel
def _drop_empty(model, scratch, A, n):
    """Set rows and columns of M̄ to zero whose diagonal entry is round-off beside the largest one (lengths over L)."""
    I, W = model.I, scratch.W
    scale, largest = I[R.W_SCALE] + I[R.ALL_COUNT], 0.0
    for c in range(n):
        largest = max(largest, W[A + n * c + c] * W[scale + c] * W[scale + c])
    for c in range(n):
        if W[A + n * c + c] * W[scale + c] * W[scale + c] < 1e-14 * largest:
            for k in range(n):
                W[A + n * c + k] = 0.0
                W[A + n * k + c] = 0.0


@inner_kernel
def _row_times(model, scratch, k, x):
    """Return row k of the chosen rows times the vector at W[x…]."""
    I, W = model.I, scratch.W
    first, count, columns = _entries(model, I[I[R.CHOSEN] + k])
    J, total = I[R.W_J] + first, 0.0
    for e in range(count):
        total += W[J + e] * W[x + I[columns + e]]
    return total


@inlined
def _residual(model, scratch, a, x):
    """Write Φ_q a − γ of the chosen rows to W[x…], a at W[a…], γ of all rows in W_X."""
    I, W = model.I, scratch.W
    for k in range(I[R.CHOSEN_COUNT]):
        W[x + k] = -W[I[R.W_X] + I[I[R.CHOSEN] + k]]
    if I[R.GENERAL] == 1:
        for k in range(I[R.CHOSEN_COUNT]):
            W[x + k] += _row_times(model, scratch, k, a)
        return
    planar, J = I[L.DIMENSION] == 2, I[R.W_J]
    for b in range(I[R.BLOCK_COUNT]):
        block = I[R.BLOCKS] + 3 * b
        at = a + (3 * I[block + 1] if planar else 6 * I[block + 1])
        W[x + I[block + 2]] += _inner(W, J + I[block], at, planar)


@inner_kernel
def factor(model, scratch):
    """Form and factor S at the entries of Φ_q in W; return the smallest pivot ratio, ≤ 0 where M̄ is not positive."""
    I, W = model.I, scratch.W
    statistics = I[R.W_STATISTICS]
    W[statistics + R.FACTORIZATIONS] += 1.0
    for lifted in range(2):
        if I[R.GENERAL] == 0:
            _form(model, scratch)
        elif not _form_general(model, scratch) > 0.0:
            return -1.0
        W[statistics + R.LIFTED] = lifted
        ratio = cholesky(model, scratch, I[R.CHOSEN_COUNT], I[R.BASE], I[R.FIRST], I[R.W_D], LIFT * lifted, 0.0)
        if lifted == 0 and ratio > VANISHING:
            return ratio
    return VANISHING


@inlined
def _add_columns(model, scratch, x, sign, out):
    """Add sign · G Φ_qᵀ x to the vector at W[out…], x over the chosen rows."""
    I, W = model.I, scratch.W
    n, U, planar = I[L.VELOCITIES], I[R.W_U], I[L.DIMENSION] == 2
    if I[R.GENERAL] == 1:
        for k in range(I[R.CHOSEN_COUNT]):
            for c in range(n):
                W[out + c] += sign * W[x + k] * W[U + n * k + c]
        return
    for b in range(I[R.BLOCK_COUNT]):
        block = I[R.BLOCKS] + 3 * b
        value, u = sign * W[x + I[block + 2]], U + I[block]
        to = out + (3 * I[block + 1] if planar else 6 * I[block + 1])
        W[to] += value * W[u]
        W[to + 1] += value * W[u + 1]
        W[to + 2] += value * W[u + 2]
        if not planar:
            W[to + 3] += value * W[u + 3]
            W[to + 4] += value * W[u + 4]
            W[to + 5] += value * W[u + 5]


@inner_kernel
def _free_general(model, scratch, a):
    """Write M̄⁻¹ Q̄, the accelerations without constraint forces, to W[a…]."""
    I, W = model.I, scratch.W
    n, J = I[L.VELOCITIES], I[R.W_J]
    weights = I[R.W_GAUGE] + n
    for c in range(n):
        W[a + c] = W[I[R.W_Q] + c]
    for k in range(I[R.CHOSEN_COUNT]):
        r = I[I[R.CHOSEN] + k]
        first, count, columns = _entries(model, r)
        for e in range(count):
            W[a + I[columns + e]] += W[weights + r] * W[I[R.W_X] + r] * W[J + first + e]
    cholesky_solve(model, scratch, n, I[R.DENSE_BASE], I[R.DENSE_FIRST], I[R.W_GAUGE], a)


@inner_kernel
def solve(model, scratch):
    """Write v̇ to W_A and λ to W_LAMBDA from the forces in W_Q and γ (of all rows) in W_X, with the factors in W."""
    I, W = model.I, scratch.W
    m, a, x, b = I[R.CHOSEN_COUNT], I[R.W_A], I[R.W_LAMBDA], I[R.W_B]
    if I[R.GENERAL] == 0:
        mass_times(model, scratch, W[I[R.W_Q] :], W[a:], 1)
    else:
        _free_general(model, scratch, a)
    for k in range(m):
        W[x + k] = 0.0
    for _ in range(4 if W[I[R.W_STATISTICS] + R.LIFTED] > 0.0 else 1):  # proximal refinement where S was lifted
        _residual(model, scratch, a, b)
        cholesky_solve(model, scratch, m, I[R.BASE], I[R.FIRST], I[R.W_D], b)
        _add_columns(model, scratch, b, -1.0, a)
        for k in range(m):
            W[x + k] += W[b + k]


@inner_kernel
def correct(model, scratch):
    """Write the smallest change x (in the metric of M or M̄) with Φ_q x = W_X to W_A, with the factors in W."""
    I, W = model.I, scratch.W
    x = I[R.W_LAMBDA]
    for k in range(I[R.CHOSEN_COUNT]):
        W[x + k] = W[I[R.W_X] + I[I[R.CHOSEN] + k]]
    cholesky_solve(model, scratch, I[R.CHOSEN_COUNT], I[R.BASE], I[R.FIRST], I[R.W_D], x)
    for c in range(I[L.VELOCITIES]):
        W[I[R.W_A] + c] = 0.0
    _add_columns(model, scratch, x, 1.0, I[R.W_A])
