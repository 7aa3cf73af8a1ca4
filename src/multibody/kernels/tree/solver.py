"""H u̇ + Φ_uᵀ λ = g, Φ_u u̇ = γ_u in joint coordinates: the mass matrix met in one of three ways, loops by S = Φ_u H⁻¹ Φ_uᵀ.

`recursive` forms H from composite inertias, `transformation` from the matrix B; both factor it (`swept` is FORMED).
`articulated` never forms it (SWEPT): H⁻¹ x is one sweep inward and one outward. Where H is singular (a direction without mass,
an extra coordinate) H̄ = H + Φ_uᵀ W Φ_u takes its place, with the same solution.
"""

from __future__ import annotations

import math

from multibody.kernels.compile import inlined, inner_kernel
from multibody.kernels.kkt import LIFT, VANISHING
from multibody.kernels.skyline import cholesky, cholesky_solve
from multibody.kernels.tags import DROPPED, FORMED
from multibody.kernels.tree.algebra import load, plus, store, width, zero
from multibody.kernels.tree.articulated import accelerations, eliminate, give_way, sweep
from multibody.kernels.tree.composite import bodies, mass_matrix, sum_forces, sum_inertias
from multibody.kernels.tree.declared import RECURSIVE, columns_of, links_of, loads_of
from multibody.kernels.tree.inertias import store_of_rigid
from multibody.kernels.tree.sweep import inertial_force, rigid
from multibody.kernels.tree.transformation import transformed_force, transformed_mass

SKIPPED = 1e-11  # a pivot of H̄ below this part of its diagonal entry is left out


@inner_kernel
def _meet_mass(d, swept, model, scratch):
    """Form and factor the mass matrix at the frames of the links; return its smallest pivot ratio, ≤ 0 where it is singular."""
    tree, work = model.tree, scratch.tree
    if swept is not FORMED:
        for i in range(tree.links.size):
            store_of_rigid(d, links_of(d, work)[i].inertia, rigid(d, tree, work, i))
        work.weightless = eliminate(d, tree, work)
        return 1.0 if work.weightless < 0 else -1.0
    general = model.general == 1
    if general:
        for k in range(work.H.size):
            work.H[k] = 0.0
    if tree.method == RECURSIVE:
        bodies(d, tree, work, 0)
        sum_inertias(d, tree, work)
        mass_matrix(d, tree, work)
    else:
        transformed_mass(d, tree, work)
    if general:
        _add_loops(model, scratch)
    return cholesky(work.H, tree.H_base, tree.H_first, work.HD, tree.nv, 0.0, SKIPPED if general else 0.0)


@inner_kernel
def _add_loops(model, scratch):
    """Add Φ_uᵀ W Φ_u of the chosen rows to H: H̄ is regular where H is not."""
    J, H, tree = scratch.J, scratch.tree.H, model.tree
    n = tree.nv
    for k in range(model.chosen.size):
        row, weight = n * model.chosen[k], model.row_weight[model.chosen[k]]
        for i in range(n):
            at = tree.H_base[i]
            for j in range(i + 1):
                H[at + j] += weight * J[row + i] * J[row + j]


@inner_kernel
def _over_mass(d, swept, tree, work, x):
    """Turn x into H⁻¹ x."""
    if swept is FORMED:
        cholesky_solve(work.H, tree.H_base, tree.H_first, work.HD, tree.nv, x)
    else:
        for i in range(tree.links.size):
            store(d, links_of(d, work)[i].force, zero(d))
        give_way(d, tree, work, x)
        accelerations(d, DROPPED, tree, work, x)


@inner_kernel
def _form(model, scratch):
    """Write S = Φ_u U, U = H⁻¹ Φ_uᵀ by rows."""
    J, U, n = scratch.J, scratch.U, model.tree.nv
    for i in range(model.chosen.size):
        for j in range(i + 1):
            row, u, total = n * model.chosen[j], n * i, 0.0
            for c in range(n):
                total += J[row + c] * U[u + c]
            scratch.S[model.S_base[i] + j] = total


@inner_kernel
def factor_tree(d, swept, model, state, scratch):
    """Factor H and S at the frames and the rows Φ_u in `J`; return the smallest pivot ratio of S, ≤ 0 where H is singular."""
    tree, work, statistics = model.tree, scratch.tree, state.statistics[0]
    n, m = tree.nv, model.chosen.size
    mass = _meet_mass(d, swept, model, scratch)
    work.mass_ratio = mass
    if not mass > 0.0:
        return -1.0
    for k in range(m):
        u = scratch.U[n * k : n * k + n]
        for c in range(n):
            u[c] = scratch.J[n * model.chosen[k] + c]
        _over_mass(d, swept, tree, work, u)
    _form(model, scratch)
    statistics.factorizations += 1.0
    statistics.lifted = 0.0
    ratio = cholesky(scratch.S, model.S_base, model.S_first, scratch.D, m, 0.0, 0.0)
    if not ratio > VANISHING:
        _form(model, scratch)
        statistics.lifted = 1.0
        cholesky(scratch.S, model.S_base, model.S_first, scratch.D, m, LIFT, 0.0)
        return VANISHING
    return _smallest(model, state, scratch)


@inlined
def row_size(model, scratch, k):
    """Return the diagonal entry of S of the k-th chosen row, lengths over L; factoring leaves it as it is."""
    scale = model.row_scale[model.chosen[k]]
    return scale * scale * scratch.S[model.S_base[k] + k]


@inner_kernel
def _smallest(model, state, scratch):
    """Return the smallest pivot of S over what its row is in regular positions.

    At a change point rows do not only become parallel, as those of Cartesian coordinates do: a row over joint rates may vanish
    as a whole. It is therefore measured by the largest row of its joint, and by its own largest size so far.
    """
    group, lowest = model.tree.group, 1.0
    for k in range(group.size):
        largest, scale = state.tree.row_size[k], model.row_scale[model.chosen[k]]
        l = group[k]
        while l < group.size and group[l] == group[k]:
            largest = max(largest, row_size(model, scratch, l))
            l += 1
        lowest = min(lowest, scale * scale / (scratch.D[k] * largest))
    return max(lowest, VANISHING)


@inner_kernel
def remember_rows(model, state, scratch):
    """Keep the largest size of every chosen row, at an accepted state."""
    kept = state.tree.row_size
    for k in range(kept.size):
        kept[k] = max(kept[k], row_size(model, scratch, k))


@inlined
def _free(d, swept, model, scratch, a):
    """Write the accelerations u̇ that the forces alone would give to a; with H̄, those of the forces and Φ_uᵀ W γ_u."""
    tree, work = model.tree, scratch.tree
    if swept is not FORMED:
        if model.chosen.size > 0:
            _inertial_forces(d, tree, work)
            give_way(d, tree, work, work.tau[:0])
        else:
            _sweep(d, tree, work)
        accelerations(d, DROPPED, tree, work, a)
    else:
        _inertial_forces(d, tree, work)
        if tree.method == RECURSIVE:
            sum_forces(d, tree, work, a)
        else:
            transformed_force(d, tree, work, a)
        if model.general == 1:
            _add_general(d, model, scratch, a)
        cholesky_solve(work.H, tree.H_base, tree.H_first, work.HD, tree.nv, a)


@inner_kernel
def _inertial_forces(d, tree, work):
    """Write the force G of every link, from its motion and from what laws and loads do to it."""
    for i in range(tree.links.size):
        now = links_of(d, work)[i]
        g = inertial_force(d, tree, work, i, load(d, now.motion), load(d, now.bias))
        if tree.acted == 1:
            g = plus(d, -1.0, load(d, loads_of(d, work)[i].x), g)
        store(d, now.force, g)


@inlined
def _sweep(d, tree, work):
    """Sweep a tree without loops inward; where a column moves no mass, the answer is made no number, and the run stops."""
    bad = sweep(d, DROPPED, tree, work, work.tau, tree.acted)
    work.weightless = bad
    work.mass_ratio = 1.0 if bad < 0 else -1.0
    if bad >= 0:
        for j in range(tree.columns.size):
            columns_of(d, work)[j].u = math.nan


@inner_kernel
def _add_general(d, model, scratch, a):
    """Add the forces along extra coordinates and Φ_uᵀ W γ_u to a."""
    tree, force = model.tree, scratch.tree.force
    n, extras = tree.nv, width(d) * model.bodies
    for e in range(model.extras):
        a[tree.extras_rate + e] = force[extras + e] if tree.acted == 1 else 0.0
    for k in range(model.chosen.size):
        r = model.chosen[k]
        for c in range(n):
            a[c] += model.row_weight[r] * scratch.by_row[r] * scratch.J[n * r + c]


@inlined
def solve_tree(d, swept, model, state, scratch):
    """Write u̇ to `a` and λ of the chosen rows to `multipliers`: motions, loads, γ_u (in `by_row`) and factors are known."""
    J, a, b, n, m = scratch.J, scratch.a, scratch.b, model.tree.nv, model.chosen.size
    _free(d, swept, model, scratch, a)
    for k in range(m):
        scratch.multipliers[k] = 0.0
    for _ in range(4 if state.statistics[0].lifted > 0.0 else 1):  # proximal refinement where S was lifted
        for k in range(m):
            row, total = n * model.chosen[k], -scratch.by_row[model.chosen[k]]
            for c in range(n):
                total += J[row + c] * a[c]
            b[k] = total
        cholesky_solve(scratch.S, model.S_base, model.S_first, scratch.D, m, b)
        _add_columns(model, scratch, b, -1.0)
        for k in range(m):
            scratch.multipliers[k] += b[k]


@inner_kernel
def _add_columns(model, scratch, x, sign):
    """Add sign · U x to `a`."""
    n = model.tree.nv
    for k in range(model.chosen.size):
        value = sign * x[k]
        for c in range(n):
            scratch.a[c] += value * scratch.U[n * k + c]


@inner_kernel
def correct_tree(model, scratch):
    """Write the smallest change x (in the metric of H) with Φ_u x = `by_row` to `a`, with the factors known."""
    x, m = scratch.multipliers, model.chosen.size
    for k in range(m):
        x[k] = scratch.by_row[model.chosen[k]]
    cholesky_solve(scratch.S, model.S_base, model.S_first, scratch.D, m, x)
    for c in range(model.tree.nv):
        scratch.a[c] = 0.0
    _add_columns(model, scratch, x, 1.0)
