"""The iteration matrix of implicit methods: formed with a method's coefficients, factored, solved with, multiplied by.

    | c_M M + c_C C + c_K K   Φ_qᵀ |
    | c_P Φ_q + c_V V          0   |

Pivots are compared with each other, so that it is factored as S A S, a matrix of plain numbers: S is √σ·(L or 1) for lengths
and angles among the columns and (1/L or 1)/√σ for their rows, σ = 1/(|c_M| m L²), with the model's characteristic length L and
mass m, c_M being the time.
"""

from __future__ import annotations

import math

import numpy as np

from multibody.kernels.block_lu import factor_blocks, solve_blocks
from multibody.kernels.compile import inlined, inner_kernel
from multibody.kernels.stacked import changes_size, positions_at


@inner_kernel
def _set_scales(newton, size, scaled):
    """Write what unknowns and equations are multiplied by, size being |c_M|; return the square part's factor."""
    size *= newton.unit[0]
    root = 1.0 / math.sqrt(size) if 0.0 < size < math.inf else 1.0
    for k in range(newton.unknowns.size):
        scaled[k] = newton.units[k] * root if newton.unknowns[k] < newton.nv else newton.units[k] / root
    return root * root


@inlined
def _assemble(newton, kept, near, X, cM, cC, cK, cP, cV, scaled):
    """Write the scaled iteration matrix with these coefficients on the pattern of the factors."""
    factor = _set_scales(newton, abs(cM), scaled)
    cM, cC, cK = factor * cM, factor * cC, factor * cK
    for e in range(X.size):
        X[e] = 0.0
    for e in range(newton.places.size):
        X[newton.places[e]] += newton.matrix_units[e] * (cM * kept.M[e] + cC * kept.C[e] + cK * kept.K[e])
    if near == 1:  # multipliers are no unknowns there
        for k in range(newton.diagonals.size):
            X[newton.diagonals[k]] = 1.0
        return
    for e in range(newton.entries.size):
        entry = newton.entries[e]
        p, unit = kept.P[entry.entry], newton.entry_units[e]
        X[entry.below] += unit * (cP * p + cV * kept.V[entry.entry])
        X[entry.above] += unit * p


@inner_kernel
def factor_matrix(newton, kept, near, cM, cC, cK, cP, cV):
    """Form and factor the real matrix; near = 1: without constraints, for the neighborhood of a change point.

    Returns
    -------
    float
        The least that elimination has left of a pivot.
    """
    kept.near = near
    _assemble(newton, kept, near, kept.factor, cM, cC, cK, cP, cV, kept.scaled)
    return factor_blocks(newton, kept.factor, kept.pivots)


@inner_kernel
def factor_complex_matrix(newton, kept, near, cM, cC, cK, cP, cV):
    """Form and factor the complex matrix, which is kept beside the real one."""
    kept.near = near
    Z = kept.complex_factor.view(np.complex128)
    _assemble(newton, kept, near, Z, cM, cC, cK, cP, cV, kept.complex_scaled)
    return factor_blocks(newton, Z, kept.complex_pivots)


@inner_kernel
def solve_matrix(newton, kept, work, x, out):
    """Write the solution for the right side x (rows of R, then chosen rows) with the real factors."""
    n, b = newton.unknowns.size, work.right
    for k in range(n):
        b[k] = kept.scaled[k] * x[newton.unknowns[k]]
    solve_blocks(newton, kept.factor, kept.pivots, b)
    for k in range(n):
        out[newton.unknowns[k]] = kept.scaled[k] * b[k]


@inner_kernel
def solve_complex_matrix(newton, kept, work, x, out):
    """Write the solution with the complex factors; real parts of x and out come first, then imaginary ones."""
    n = newton.unknowns.size
    z = work.right.view(np.complex128)
    for k in range(n):
        u = newton.unknowns[k]
        z[k] = kept.complex_scaled[k] * complex(x[u], x[n + u])
    solve_blocks(newton, kept.complex_factor.view(np.complex128), kept.complex_pivots, z)
    for k in range(n):
        u = newton.unknowns[k]
        out[u] = kept.complex_scaled[k] * z[k].real
        out[n + u] = kept.complex_scaled[k] * z[k].imag


@inner_kernel
def add_product(pattern, A, x, out):
    """Add A x for a block matrix A over the columns."""
    for p in range(pattern.nodes.size):
        node = pattern.nodes[p]
        for e in range(node.first, node.end):
            block = pattern.meetings[e]
            column = pattern.nodes[block.node].column
            for r in range(node.size):
                total = 0.0
                for c in range(block.stride):
                    total += A[block.at + block.stride * r + c] * x[column + c]
                out[node.column + r] += total


@inner_kernel
def _add_rows(newton, values, x, out):
    """Add the product of chosen rows, given on the entries of Φ_q, with x."""
    for e in range(newton.entries.size):
        entry = newton.entries[e]
        out[newton.nv + entry.row] += values[entry.entry] * x[entry.column]


@inlined
def _some(x):
    """Return whether there is a number in x that is not 0."""
    found = False
    for c in range(x.size):
        found = found or x[c] != 0.0
    return found


@inner_kernel
def write_product(newton, kept, x, out):
    """Write M a + C v + K q and Φ_q v + V q for x = (a, v, q), with the kept matrices; often two of the three are none."""
    n = newton.nv
    a, v, q = x[:n], x[n : positions_at(n)], x[positions_at(n) : changes_size(n)]
    for c in range(out.size):
        out[c] = 0.0
    if _some(a):
        add_product(newton.pattern, kept.M, a, out)
    if _some(v):
        add_product(newton.pattern, kept.C, v, out)
        _add_rows(newton, kept.P, v, out)
    if _some(q):
        add_product(newton.pattern, kept.K, q, out)
        _add_rows(newton, kept.V, q, out)
