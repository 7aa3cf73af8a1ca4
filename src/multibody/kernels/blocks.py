"""Square matrices over the velocity columns, by blocks: which columns can meet in K = ∂R/∂q is known when a run is prepared.

A *node* is the columns of a body, or one extra coordinate (in joint coordinates: all columns together). ``I[NEWTON]`` is the
place of a header in I, whose slots are counted below; without one (0) matrices are full and stored by rows, as tests and
small analyses want them. ``I[PATTERN]`` is the place of a header whose nodes are bodies and extra coordinates in any case.
"""

from __future__ import annotations

from multibody.kernels import layout as L
from multibody.kernels import sections as R
from multibody.kernels.compile import inlined, inner_kernel

# header, from I[NEWTON] on
(
    NODE_COUNT,
    NODES,  # records (first column, size) of every node
    MEETINGS,  # for every node where its records (node, place of the block) begin, and the end of the last
    MATRIX_SIZE,  # numbers of a block matrix
    W_M,  # ∂R/∂v̇
    W_C,  # ∂R/∂v
    W_K,  # ∂R/∂q
    W_P,  # Φ_q
    W_V,  # ∂(Φ_q v − ν)/∂q on the entries of Φ_q
    ENTRIES,  # records (entry of Φ_q, column, chosen row, its places in the factors below and above the diagonal)
    ENTRY_COUNT,
    PLACES,  # for every number of a block matrix its place in the factors
    GROUP_COUNT,  # block LU: see kernels/block_lu.py
    GROUPS,
    FACTOR_SIZE,
    W_FACTOR,  # factors of the real matrix, then of the complex one (real and imaginary parts in turn)
    W_COMPLEX,
    PIVOTS,  # row exchanges of both
    UNKNOWNS,  # unknown (column, or number of columns + chosen row) at every place of the elimination order
    W_RIGHT,  # right side in that order, complex
    W_POINT,  # scratch: state and forces at the point of an evaluation
    NQ,  # numbers of coordinates and of rates
    NV,
    RHS,  # address of the right-hand side
    FACTOR_REAL,  # addresses of what serves the real matrix
    SOLVE_REAL,
    RESIDUAL,  # address of the residual away from change points
    DIAGONALS,  # for every chosen row its place on the diagonal of the factors
    NEAR,  # 1: the factors are those for the neighborhood of a change point
    W_UNIT,  # scales that make the matrix a matrix of plain numbers: of its square part (mass·length²),
    W_UNITS,  # of every unknown in the order of elimination,
    W_MATRIX_UNITS,  # of every number of a block matrix,
    W_ENTRY_UNITS,  # of every entry of Φ_q,
    W_SCALED,  # and what the unknowns and equations of the present factors were multiplied by, real ones, then complex ones
) = range(34)
NEWTON_HEADER = 34
NODE_STRIDE, MEETING_STRIDE, ENTRY_STRIDE = 2, 2, 5


@inlined
def node_of(model, column):
    """Return the node that a Cartesian velocity column belongs to."""
    width, bodies = model.width, model.bodies
    body = column // width
    return body if body < bodies else bodies + column - width * bodies


@inner_kernel
def spot(model, row, column):
    """Return where the number at (row, column), the first ones of their nodes, lies in a matrix, and the stride of its rows.

    (−1, 0) where the two nodes do not meet; that is so only where nothing but zeros would be written.
    """
    I = model.I
    h = I[R.PATTERN]
    if h == 0:
        return (row * model.velocities + column, model.velocities)
    p, q = node_of(model, row), node_of(model, column)
    first, end = I[I[h + MEETINGS] + p], I[I[h + MEETINGS] + p + 1]
    for e in range(first, end, MEETING_STRIDE):
        if I[e] == q:
            return (I[e + 1], I[I[h + NODES] + NODE_STRIDE * q + 1])
    return (-1, 0)


@inner_kernel
def columns_of(model, f):
    """Return the first columns of the function's two bodies (−1 for the ground) and their number; an extra one has one."""
    c, width = model.functions[f], model.width
    if c.kind == L.EXTRA:
        return (width * model.bodies + c.extra, -1, 1)
    return (width * (c.first - 1) if c.first > 0 else -1, width * (c.second - 1) if c.second > 0 else -1, width)


@inner_kernel
def add_outer(model, a, rows, b, columns, factor, K):
    """Add factor a bᵀ: gradients a, b with the columns (first body's, second body's, number) of each."""
    for p in range(2):
        row, height = rows[p], rows[2]
        if row < 0:
            continue
        for q in range(2):
            column, width = columns[q], columns[2]
            if column < 0:
                continue
            at, stride = spot(model, row, column)
            for r in range(height):
                x = factor * a[p * height + r]
                if x != 0.0:
                    for c in range(width):
                        K[at + stride * r + c] += x * b[q * width + c]


@inner_kernel
def add_square(model, h, columns, factor, K):
    """Add factor times the second derivative h of a function, by rows over the columns of its two bodies."""
    n = columns[2]
    for p in range(2):
        for q in range(2):
            if columns[p] < 0 or columns[q] < 0:
                continue
            at, stride = spot(model, columns[p], columns[q])
            if at < 0:  # nothing of these two meets
                continue
            for r in range(n):
                source = 2 * n * (p * n + r) + q * n
                for c in range(n):
                    K[at + stride * r + c] += factor * h[source + c]


@inner_kernel
def add_matrix(model, K, row, column, dr, dc, k, B):
    """Add k B (3×3, by rows) at (row + dr, column + dc); row and column are the first ones of their nodes."""
    at, stride = spot(model, row, column)
    at += stride * dr + dc
    for r in range(3):
        for c in range(3):
            K[at + stride * r + c] += k * B[3 * r + c]
