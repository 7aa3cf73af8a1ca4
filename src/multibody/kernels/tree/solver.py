"""H u̇ + Φ_uᵀ λ = g, Φ_u u̇ = γ_u in joint coordinates: the mass matrix met in one of three ways, loops by S = Φ_u H⁻¹ Φ_uᵀ.

How the mass matrix is met the object `mass` says (``mass.py``); the three are in ``formulations``: `recursive`,
`transformation`, `articulated`.
"""

from __future__ import annotations

from multibody.kernels.compile import inlined, inner_kernel
from multibody.kernels.kkt import LIFT, VANISHING
from multibody.kernels.skyline import cholesky, cholesky_solve


@inner_kernel
def _form(model, state, scratch):
    """Write S = Φ_u U, U = H⁻¹ Φ_uᵀ by rows."""
    J, U, S, n = scratch.J, state.factors.U, state.factors.S, model.tree.nv
    for i in range(model.chosen.size):
        for j in range(i + 1):
            row, u, total = n * model.chosen[j], n * i, 0.0
            for c in range(n):
                total += J[row + c] * U[u + c]
            S[model.S_base[i] + j] = total


@inner_kernel
def factor_tree(d, mass, model, state, scratch):
    """Factor H and S at the frames and the rows Φ_u in `J`; return the smallest pivot ratio of S, ≤ 0 where H is singular."""
    tree, work, statistics = model.tree, scratch.tree, state.statistics[0]
    n, m, factors = tree.nv, model.chosen.size, state.factors
    work.mass_ratio = mass.meet(d, mass, model, scratch)
    if not work.mass_ratio > 0.0:
        return -1.0
    for k in range(m):
        u = factors.U[n * k : n * k + n]
        for c in range(n):
            u[c] = scratch.J[n * model.chosen[k] + c]
        mass.over(d, tree, work, u)
    _form(model, state, scratch)
    statistics.factorizations += 1.0
    statistics.lifted = 0.0
    ratio = cholesky(factors.S, model.S_base, model.S_first, factors.D, m, 0.0, 0.0)
    if not ratio > VANISHING:
        _form(model, state, scratch)
        statistics.lifted = 1.0
        cholesky(factors.S, model.S_base, model.S_first, factors.D, m, LIFT, 0.0)
        return VANISHING
    return _smallest(model, state)


@inlined
def row_size(model, state, k):
    """Return the diagonal entry of S of the k-th chosen row, lengths over L; factoring leaves it as it is."""
    scale = model.row_scale[model.chosen[k]]
    return scale * scale * state.factors.S[model.S_base[k] + k]


@inner_kernel
def _smallest(model, state):
    """Return the smallest pivot of S over what its row is in regular positions.

    At a change point rows do not only become parallel, as those of Cartesian coordinates do: a row over joint rates may vanish
    as a whole. It is therefore measured by the largest row of its joint, and by its own largest size so far.
    """
    group, lowest = model.tree.group, 1.0
    for k in range(group.size):
        largest, scale = state.tree.row_size[k], model.row_scale[model.chosen[k]]
        l = group[k]
        while l < group.size and group[l] == group[k]:
            largest = max(largest, row_size(model, state, l))
            l += 1
        lowest = min(lowest, scale * scale / (state.factors.D[k] * largest))
    return max(lowest, VANISHING)


@inner_kernel
def remember_rows(model, state):
    """Keep the largest size of every chosen row, at an accepted state."""
    kept = state.tree.row_size
    for k in range(kept.size):
        kept[k] = max(kept[k], row_size(model, state, k))


@inlined
def solve_tree(d, mass, model, state, scratch):
    """Write u̇ to `a` and λ of the chosen rows to `multipliers`: motions, loads, γ_u (in `by_row`) and factors are known."""
    J, a, b, n, m, factors = scratch.J, scratch.a, scratch.b, model.tree.nv, model.chosen.size, state.factors
    mass.free(d, mass, model, scratch, a)
    for k in range(m):
        scratch.multipliers[k] = 0.0
    for _ in range(4 if state.statistics[0].lifted > 0.0 else 1):  # proximal refinement where S was lifted
        for k in range(m):
            row, total = n * model.chosen[k], -scratch.by_row[model.chosen[k]]
            for c in range(n):
                total += J[row + c] * a[c]
            b[k] = total
        cholesky_solve(factors.S, model.S_base, model.S_first, factors.D, m, b)
        _add_columns(model, factors.U, b, -1.0, a)
        for k in range(m):
            scratch.multipliers[k] += b[k]


@inner_kernel
def _add_columns(model, U, x, sign, a):
    """Add sign · U x to a."""
    n = model.tree.nv
    for k in range(model.chosen.size):
        value = sign * x[k]
        for c in range(n):
            a[c] += value * U[n * k + c]


@inner_kernel
def correct_tree(model, state, scratch):
    """Write the smallest change x (in the metric of H) with Φ_u x = `by_row` to `a`, with the factors known."""
    x, a, m, factors = scratch.multipliers, scratch.a, model.chosen.size, state.factors
    for k in range(m):
        x[k] = scratch.by_row[model.chosen[k]]
    cholesky_solve(factors.S, model.S_base, model.S_first, factors.D, m, x)
    for c in range(model.tree.nv):
        a[c] = 0.0
    _add_columns(model, factors.U, x, 1.0, a)
