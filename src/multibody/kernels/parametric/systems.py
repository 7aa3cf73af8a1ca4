"""Linear systems of a parametric run: scaled, turned between the axes of the ground and those of the bodies, solved.

The equations of motion [M Φ_qᵀ; Φ_q 0] go through the block LU of implicit methods: the parameters have no mass, so that M⁻¹
does not exist; a joint's parameters are eliminated together with its rows.

With R the orientations of the bodies (on their translations) and D a diagonal matrix, a system A x = b of implicit methods is
solved as (D Rᵀ A R D) (D⁻¹ Rᵀ x) = D Rᵀ b. R is 1 where exact derivatives in ground axes are asked for. A matrix serves for
many steps; R is kept with it. Translations of a pair are constraints in the axes of its first body: their right sides and
multipliers are turned from where that body is now to where it was, so that forces fit for as long as the matrix serves.
"""

from __future__ import annotations

import math

from multibody.kernels.codes import FIRST_BODY
from multibody.kernels.compile import inner_kernel
from multibody.kernels.newton.matrix import factor_matrix, solve_matrix
from multibody.kernels.parametric.frames import (
    apply,
    apply_transposed,
    load,
    load_column,
    multipliers_of,
    orientation,
    poses_of,
    size,
    turns_of,
)
from multibody.kernels.tags import PLANAR, SPATIAL

LOST = -29.0  # logarithm of the ratio where a pivot vanishes that never did before


# --- matrices ----------------------------------------------------------------------------------------------------------------
@inner_kernel
def keep_orientations(model, state, scratch):
    """Keep the orientations of the bodies."""
    for b in range(FIRST_BODY + model.bodies):
        if model.planar:
            turn, pose = state.parametric.planar_turns[b], scratch.planar_pose[b]
            turn.cos, turn.sin = pose.cos, pose.sin
        else:
            kept, A = state.parametric.spatial_turns[b].A, scratch.spatial_pose[b].A
            for k in range(A.size):
                kept[k] = A[k]


@inner_kernel
def turn_matrices(d, model, state):
    """Turn C, K, Φ_q and V of an iteration matrix from the ground's axes into those that the bodies had."""
    kept, turned = state.newton, turns_of(d, state.parametric)
    pattern, bodies = model.newton.pattern, model.bodies
    for p in range(pattern.nodes.size):
        node = pattern.nodes[p]
        for e in range(node.first, node.end):
            block = pattern.meetings[e]
            if block.node < bodies:
                A = orientation(d, turned[FIRST_BODY + block.node])
                _turn_rows_of(d, kept.C, block, node.size, A)
                _turn_rows_of(d, kept.K, block, node.size, A)
            if p < bodies:
                A = orientation(d, turned[FIRST_BODY + p])
                _turn_columns_of(d, kept.C, block, A)
                _turn_columns_of(d, kept.K, block, A)
    for e in range(model.newton.entries.size):
        entry = model.newton.entries[e]
        if entry.column < model.width * bodies and entry.column % model.width == 0:
            A = orientation(d, turned[FIRST_BODY + entry.column // model.width])
            _turn_back(d, kept.P, entry.entry, A)
            _turn_back(d, kept.V, entry.entry, A)


@inner_kernel
def _turn_back(d, x, k, A):
    """Turn the vector at x[k…] by Aᵀ."""
    y = apply_transposed(d, A, load(d, x, k))
    for c in range(size(d)):
        x[k + c] = y[c]


@inner_kernel
def _turn_rows_of(d, K, block, rows, A):
    """Replace a block by block · A on the translations."""
    for r in range(rows):
        _turn_back(d, K, block.at + block.stride * r, A)


@inner_kernel
def _turn_columns_of(d, K, block, A):
    """Replace a block by Aᵀ · block on the translations."""
    for c in range(block.stride):
        y = apply_transposed(d, A, load_column(d, K, block.at + c, block.stride))
        for r in range(size(d)):
            K[block.at + block.stride * r + c] = y[r]


@inner_kernel
def scale_matrices(model, state):
    """Scale M, C, K, Φ_q and V of an iteration matrix."""
    kept, pattern = state.newton, model.newton.pattern
    columns, rows = model.parametric.column_scale, model.parametric.row_scale
    for p in range(pattern.nodes.size):
        node = pattern.nodes[p]
        for e in range(node.first, node.end):
            block = pattern.meetings[e]
            first = pattern.nodes[block.node].column
            for r in range(node.size):
                for c in range(block.stride):
                    k, at = columns[node.column + r] * columns[first + c], block.at + block.stride * r + c
                    kept.M[at] *= k
                    kept.C[at] *= k
                    kept.K[at] *= k
    for e in range(model.newton.entries.size):
        entry = model.newton.entries[e]
        k = columns[entry.column] * rows[entry.row]
        kept.P[entry.entry] *= k
        kept.V[entry.entry] *= k


@inner_kernel
def identity_matrices(model, state):
    """Let the kept matrices be those of v̇ − f: M = 1, scaled, and nothing else."""
    kept, pattern = state.newton, model.newton.pattern
    for e in range(kept.M.size):
        kept.M[e] = 0.0
        kept.C[e] = 0.0
        kept.K[e] = 0.0
    for p in range(pattern.nodes.size):
        node = pattern.nodes[p]
        block = pattern.meetings[node.first]  # a node meets itself first
        for r in range(node.size):
            k = model.parametric.column_scale[node.column + r]
            kept.M[block.at + block.stride * r + r] = k * k


# --- vectors -----------------------------------------------------------------------------------------------------------------
@inner_kernel
def turn_vector(model, state, x, back):
    """Turn the translations of the columns x by the kept orientations: into the ground's axes, or `back`."""
    if model.parametric.exact == 1:
        return
    for b in range(model.bodies):
        if model.planar:
            _turn(PLANAR, state, FIRST_BODY + b, x, model.width * b, back)
        else:
            _turn(SPATIAL, state, FIRST_BODY + b, x, model.width * b, back)


@inner_kernel
def _turn(d, state, body, x, k, back):
    """Turn the vector at x[k…] by the kept orientation of a body, or `back`."""
    A, y = orientation(d, turns_of(d, state.parametric)[body]), load(d, x, k)
    y = apply_transposed(d, A, y) if back else apply(d, A, y)
    for c in range(size(d)):
        x[k + c] = y[c]


@inner_kernel
def turn_rows(model, state, scratch, x, back):
    """Turn translations of pairs among the rows x from where their first bodies were to where they are, or `back`."""
    for n in range(model.parametric.pairs.size):
        if model.planar:
            _turn_pair(PLANAR, state, scratch, model.parametric.pairs[n], x, back)
        else:
            _turn_pair(SPATIAL, state, scratch, model.parametric.pairs[n], x, back)


@inner_kernel
def _turn_pair(d, state, scratch, pair, x, back):
    """Turn the translations of a pair, unless one of them is left out."""
    whole = pair.first > 0
    for r in range(size(d)):
        whole = whole and pair.chosen[r] >= 0
    if not whole:
        return
    now = orientation(d, poses_of(d, scratch)[pair.first])
    then = orientation(d, turns_of(d, state.parametric)[pair.first])
    if back:
        now, then = then, now
    y = apply_transposed(d, now, apply(d, then, multipliers_of(d, pair, x, 0)))
    for r in range(size(d)):
        x[pair.chosen[r]] = y[r]


@inner_kernel
def scale_vector(model, x, inverse):
    """Multiply columns, and the rows behind them where x has these, by their scales, or with `inverse` divide."""
    columns, rows = model.parametric.column_scale, model.parametric.row_scale
    n = columns.size
    for c in range(n):
        x[c] *= 1.0 / columns[c] if inverse else columns[c]
    for r in range(x.size - n):
        x[n + r] *= 1.0 / rows[r] if inverse else rows[r]


# --- equations of motion -----------------------------------------------------------------------------------------------------
@inner_kernel
def _regularity(newton, kept, seen):
    """Return the smallest determinant of a group over the largest that it ever had; where an unknown became idle, next to 0.

    Near a change point the pivot that vanishes makes that of its group vanish; order and units of the unknowns do not matter.
    """
    lowest = 0.0
    for p in range(newton.groups.size):
        group, best, total, idle = newton.groups[p], seen[p], 0.0, 0.0
        for k in range(group.size):
            inverse = abs(kept.factor[group.diagonal + group.size * k + k])
            if inverse > 0.0:
                total -= math.log(inverse)
            else:
                idle += 1.0
        if idle < best.idle:
            best.determinant, best.idle = total, idle
        if idle > best.idle:
            lowest = min(lowest, LOST)
        else:
            best.determinant = max(best.determinant, total)
            lowest = min(lowest, total - best.determinant)
    return math.exp(lowest)


@inner_kernel
def factor_pairs(model, state, scratch):
    """Form and factor the matrix at the rows in ``J``; return how regular it is, see ``_regularity``."""
    pairs, kept = model.parametric, state.parametric.kkt
    state.statistics[0].factorizations += 1.0
    for e in range(pairs.kkt.entries.size):
        entry = pairs.kkt.entries[e]
        kept.P[entry.entry] = pairs.column_scale[entry.column] * pairs.row_scale[entry.row] * scratch.J[entry.entry]
    factor_matrix(pairs.kkt, kept, 0, 1.0, 0.0, 0.0, 1.0, 0.0)
    scratch.parametric.ratio = _regularity(pairs.kkt, kept, state.parametric.seen)
    return scratch.parametric.ratio


@inner_kernel
def _solve(model, state, scratch):
    """Solve for the right side in ``vector``, which is overwritten; write the columns to ``a``, the rows to ``multipliers``."""
    n, m, work = model.velocities, model.chosen.size, scratch.parametric
    x, y = work.vector[: n + m], work.answer[: n + m]
    scale_vector(model, x, False)
    solve_matrix(model.parametric.kkt, state.parametric.kkt, work.kkt, x, y)
    scale_vector(model, y, False)
    for c in range(n):
        scratch.a[c] = y[c]
    for k in range(m):
        scratch.multipliers[k] = y[n + k]


@inner_kernel
def solve_pairs(model, state, scratch):
    """Write v̇ and λ from the forces in ``Q`` and γ in ``by_row``."""
    n, x = model.velocities, scratch.parametric.vector
    for c in range(n):
        x[c] = scratch.Q[c]
    for k in range(model.chosen.size):
        x[n + k] = scratch.by_row[model.chosen[k]]
    _solve(model, state, scratch)


@inner_kernel
def correct_pairs(model, state, scratch):
    """Write the smallest change x of the bodies (in the metric of the masses) with Φ_q x = ``by_row``, and of α, to ``a``."""
    n, x = model.velocities, scratch.parametric.vector
    for c in range(n):
        x[c] = 0.0
    for k in range(model.chosen.size):
        x[n + k] = scratch.by_row[model.chosen[k]]
    _solve(model, state, scratch)
