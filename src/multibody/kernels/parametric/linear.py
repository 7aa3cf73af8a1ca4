"""The equations of motion of a parametric run, [M Φ_qᵀ; Φ_q 0], by the block LU of implicit methods.

The parameters have no mass, so that M⁻¹ does not exist; a joint's parameters are eliminated together with its rows.
"""

from __future__ import annotations

import math

from multibody.kernels.compile import inner_kernel
from multibody.kernels.newton.matrix import factor_matrix, solve_matrix
from multibody.kernels.parametric.turning import scale_vector

LOST = -29.0  # logarithm of the ratio where a pivot vanishes that never did before


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
