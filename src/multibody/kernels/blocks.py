"""Square matrices over the velocity columns, by blocks: which columns can meet in K = ∂R/∂q is known when a run is prepared.

Where everything lies says ``model.pattern`` (``kernels/newton/declared.py``), whose nodes are bodies and extra coordinates;
without one matrices are full and stored by rows.
"""

from __future__ import annotations

from multibody.kernels import codes as L
from multibody.kernels.compile import inlined, inner_kernel
from multibody.kernels.vectors import add_to3, row_of, scale


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
    pattern = model.pattern
    if pattern.nodes.size == 0:
        return (row * model.velocities + column, model.velocities)
    node, q = pattern.nodes[node_of(model, row)], node_of(model, column)
    for e in range(node.first, node.end):
        block = pattern.meetings[e]
        if block.node == q:
            return (block.at, block.stride)
    return (-1, 0)


@inner_kernel
def columns_of(model, f):
    """Return the first columns of the function's two bodies (−1 for the ground) and their number; an extra one has one."""
    c, width = model.functions[f], model.width
    if c.kind == L.EXTRA:
        return (width * model.bodies + c.extra, -1, 1)
    return columns_of_bodies(model, c.first, c.second)


@inlined
def columns_of_bodies(model, i, j):
    """Return the first columns of two bodies (−1 for the ground) and their number."""
    width = model.width
    return (width * (i - L.FIRST_BODY) if i > 0 else -1, width * (j - L.FIRST_BODY) if j > 0 else -1, width)


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
        add_to3(K, at + stride * r, scale(k, row_of(B, r)))
