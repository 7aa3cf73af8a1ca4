"""Between the columns of the ground and those of the bodies: matrices and vectors of implicit methods are turned and scaled.

With R the orientations of the bodies (on their translations) and D a diagonal matrix, a system A x = b of implicit methods is
solved as (D Rᵀ A R D) (D⁻¹ Rᵀ x) = D Rᵀ b. R is 1 where exact derivatives in ground axes are asked for. A matrix serves for
many steps; R is kept with it. Translations of a pair are constraints in the axes of its first body: their right sides and
multipliers are turned from where that body is now to where it was, so that forces fit for as long as the matrix serves.
"""

from __future__ import annotations

from multibody.kernels import blocks as B
from multibody.kernels import layout as L
from multibody.kernels import sections as R
from multibody.kernels.compile import inlined, inner_kernel
from multibody.kernels.parametric import layout as P


@inlined
def orientation(model, n):
    """Return where the orientation of the n-th moving body lies in W: A by rows, or cos, sin."""
    I = model.I
    return I[L.W_POSE] + (5 * n + 8 if I[L.DIMENSION] == 2 else 12 * n + 15)


@inlined
def kept_orientation(model, n):
    """Return where the orientation lies that the n-th moving body had when the matrix was made."""
    I = model.I
    return I[I[R.PARAMETRIC] + P.W_TURN] + (2 * n if I[L.DIMENSION] == 2 else 9 * n)


@inner_kernel
def _turn_pair(W, p, turn, planar, back):
    """Turn the two or three numbers at W[p], W[p + 1] … by A, or with `back` by Aᵀ."""
    x, y = W[p], W[p + 1]
    if planar:
        c, s = W[turn], W[turn + 1] if not back else -W[turn + 1]
        W[p], W[p + 1] = c * x - s * y, s * x + c * y
        return
    z, right, down = W[p + 2], 1 if not back else 3, 3 if not back else 1
    for r in range(3):
        W[p + r] = W[turn + down * r] * x + W[turn + down * r + right] * y + W[turn + down * r + 2 * right] * z


@inner_kernel
def _turn_block(W, at, rows, stride, turn_rows, turn_columns, planar):
    """Replace a block by A_rowsᵀ · block · A_columns on the translations; a turn < 0 is none."""
    n = 2 if planar else 3
    if turn_columns >= 0:
        for r in range(rows):
            _turn_pair(W, at + stride * r, turn_columns, planar, True)
    if turn_rows >= 0:
        for c in range(stride):
            x, y, z = W[at + c], W[at + stride + c], 0.0 if planar else W[at + 2 * stride + c]
            if planar:
                cosine, sine = W[turn_rows], W[turn_rows + 1]
                W[at + c], W[at + stride + c] = cosine * x + sine * y, cosine * y - sine * x
            else:
                for r in range(n):
                    W[at + stride * r + c] = W[turn_rows + r] * x + W[turn_rows + 3 + r] * y + W[turn_rows + 6 + r] * z


@inner_kernel
def turn_matrices(model, scratch):
    """Keep the orientations of the bodies; turn C, K, Φ_q and V of an iteration matrix into their axes."""
    I, W = model.I, scratch.W
    h, b, planar, bodies = I[R.PARAMETRIC], I[R.NEWTON], I[L.DIMENSION] == 2, I[L.BODIES]
    width = 3 if planar else 6
    for n in range(bodies):
        for k in range(2 if planar else 9):
            W[kept_orientation(model, n) + k] = W[orientation(model, n) + k]
    if I[h + P.EXACT] == 1:
        return
    for p in range(I[b + B.NODE_COUNT]):
        rows, turn_rows = I[I[b + B.NODES] + 2 * p + 1], orientation(model, p) if p < bodies else -1
        for e in range(I[I[b + B.MEETINGS] + p], I[I[b + B.MEETINGS] + p + 1], B.MEETING_STRIDE):
            q, at = I[e], I[e + 1]
            stride, turn_columns = I[I[b + B.NODES] + 2 * q + 1], orientation(model, q) if q < bodies else -1
            _turn_block(W, I[b + B.W_C] + at, rows, stride, turn_rows, turn_columns, planar)
            _turn_block(W, I[b + B.W_K] + at, rows, stride, turn_rows, turn_columns, planar)
    for e in range(I[b + B.ENTRY_COUNT]):
        record = I[b + B.ENTRIES] + B.ENTRY_STRIDE * e
        c = I[record + 1]
        if c < width * bodies and c % width == 0:
            turn = orientation(model, c // width)
            _turn_pair(W, I[b + B.W_P] + I[record], turn, planar, True)
            _turn_pair(W, I[b + B.W_V] + I[record], turn, planar, True)


@inner_kernel
def scale_matrices(model, scratch):
    """Scale M, C, K, Φ_q and V of an iteration matrix."""
    I, W = model.I, scratch.W
    h, b = I[R.PARAMETRIC], I[R.NEWTON]
    columns, rows = I[h + P.W_COLUMN_SCALE], I[h + P.W_ROW_SCALE]
    for p in range(I[b + B.NODE_COUNT]):
        node = I[b + B.NODES] + 2 * p
        for e in range(I[I[b + B.MEETINGS] + p], I[I[b + B.MEETINGS] + p + 1], B.MEETING_STRIDE):
            other, at = I[b + B.NODES] + 2 * I[e], I[e + 1]
            for r in range(I[node + 1]):
                for c in range(I[other + 1]):
                    k, place = W[columns + I[node] + r] * W[columns + I[other] + c], at + I[other + 1] * r + c
                    W[I[b + B.W_M] + place] *= k
                    W[I[b + B.W_C] + place] *= k
                    W[I[b + B.W_K] + place] *= k
    for e in range(I[b + B.ENTRY_COUNT]):
        record = I[b + B.ENTRIES] + B.ENTRY_STRIDE * e
        k = W[columns + I[record + 1]] * W[rows + I[record + 2]]
        W[I[b + B.W_P] + I[record]] *= k
        W[I[b + B.W_V] + I[record]] *= k


@inner_kernel
def unit_matrices(model, scratch):
    """Let the kept matrices be those of v̇ − f: M = 1, scaled, and nothing else."""
    I, W = model.I, scratch.W
    h, b = I[R.PARAMETRIC], I[R.NEWTON]
    for e in range(I[b + B.MATRIX_SIZE]):
        W[I[b + B.W_M] + e] = 0.0
        W[I[b + B.W_C] + e] = 0.0
        W[I[b + B.W_K] + e] = 0.0
    for p in range(I[b + B.NODE_COUNT]):
        node, at = I[b + B.NODES] + 2 * p, I[b + B.W_M] + I[I[I[b + B.MEETINGS] + p] + 1]  # a node meets itself first
        for r in range(I[node + 1]):
            k = W[I[h + P.W_COLUMN_SCALE] + I[node] + r]
            W[at + I[node + 1] * r + r] = k * k


@inner_kernel
def turn_vector(model, scratch, x, back):
    """Turn the translations of the columns at W[x…] by the kept orientations: into the ground's axes, or `back`."""
    I, W = model.I, scratch.W
    planar = I[L.DIMENSION] == 2
    if I[I[R.PARAMETRIC] + P.EXACT] == 0:
        for n in range(I[L.BODIES]):
            _turn_pair(W, x + (3 if planar else 6) * n, kept_orientation(model, n), planar, back)


@inner_kernel
def turn_rows(model, scratch, x, back):
    """Turn translations of pairs among the rows at W[x…] from where their first bodies were to where they are, or `back`."""
    I, W = model.I, scratch.W
    h, planar = I[R.PARAMETRIC], I[L.DIMENSION] == 2
    count, room = 2 if planar else 3, I[h + P.W_COEFFICIENTS]
    for n in range(I[h + P.PAIR_COUNT]):
        pair = I[h + P.PAIRS] + P.PAIR_STRIDE * n
        body, whole = I[pair + P.FIRST] - 1, True
        for k in range(count):
            whole = whole and I[pair + P.CHOSEN + k] >= 0
        if body < 0 or not whole:
            continue
        now, then = orientation(model, body), kept_orientation(model, body)
        for k in range(count):
            W[room + k] = W[x + I[pair + P.CHOSEN + k]]
        _turn_pair(W, room, now if back else then, planar, False)
        _turn_pair(W, room, then if back else now, planar, True)
        for k in range(count):
            W[x + I[pair + P.CHOSEN + k]] = W[room + k]


@inner_kernel
def scale_vector(model, scratch, x, n, m, inverse):
    """Multiply n columns and m rows at W[x…] by their scales, or with `inverse` divide."""
    I, W = model.I, scratch.W
    h = I[R.PARAMETRIC]
    for c in range(n):
        k = W[I[h + P.W_COLUMN_SCALE] + c]
        W[x + c] *= 1.0 / k if inverse else k
    for r in range(m):
        k = W[I[h + P.W_ROW_SCALE] + r]
        W[x + n + r] *= 1.0 / k if inverse else k
