"""The balance of forces at rest on the constraints: what is unbalanced at a pose, and its stiffness.

The formulas of ``analyses/statics/balance.py``; null space and multipliers come from Householder vectors, not from singular
values.
"""

from __future__ import annotations

import math

from multibody.kernels.assembly.closing import CUT, fill_rows, largest_gap, smallest_step
from multibody.kernels.assembly.levels import solve_level, turn_all, turn_back
from multibody.kernels.body_layout import PLANE, SPACE
from multibody.kernels.compile import inner_kernel
from multibody.kernels.force_partials import force_partials
from multibody.kernels.forces import add_forces, law_efforts, load_gravity, load_wrenches
from multibody.kernels.functions import set_references
from multibody.kernels.rows import row_partials
from multibody.kernels.scales import column_scale, is_length_column, row_scale
from multibody.kernels.state import displace, set_positions, set_velocities

CLOSED = 1e-12  # scaled residual of constraints that a pose may have
CLOSINGS = 25  # Newton steps back onto the constraints


@inner_kernel
def place(model, scratch, rest, q):
    """Write positions and no velocities."""
    set_positions(model, scratch, q)
    set_velocities(model, scratch, rest.still)


@inner_kernel
def balance_at(model, state, scratch, plan, room, rest, t, rank, point):
    """Write what is unbalanced at the closed pose of a point; the angle references move there.

    Returns whether that is known: all forces have a value, and the rows are as independent as they are in general.
    """
    n, rows = model.velocities, plan.rows
    place(model, scratch, rest, point.q)
    set_references(model, state, scratch, model.function_count)
    for f in range(state.ref.size):
        point.ref[f] = state.ref[f]
    _set_forces(model, state, scratch, rest, t)
    fill_rows(model, state, scratch, plan, room, t, rows)
    _set_multipliers(model, plan, room, rest, point)
    for r in range(rows):
        room.right[r] = 0.0
    known = solve_level(room, n, 0, rows, rows, 0, CUT, 1e-300)
    if known != rank:
        return False
    _set_basis(room, n, known, point)
    _project(rest, n, n - known, point)
    point.reference = _reference(model, state, scratch, rest, t)
    return point.size < math.inf and point.reference < math.inf


@inner_kernel
def _set_forces(model, state, scratch, rest, t):
    """Write the generalized forces at rest, as moments."""
    for c in range(model.velocities):
        rest.Q[c] = 0.0
    add_forces(model, state, scratch, t, rest.Q)
    for c in range(model.velocities):
        rest.Q[c] *= column_scale(model, c)


@inner_kernel
def _set_multipliers(model, plan, room, rest, point):
    """Write λ of minimum norm, Φ_qᵀ λ as near to Q as can be, of the rows that stand in the conditions."""
    n, rows, dual = model.velocities, plan.rows, rest.dual
    for c in range(n):
        dual.right[c] = rest.Q[c]
        for r in range(rows):
            dual.A[c * rows + r] = room.A[r * n + c]
    known = solve_level(dual, rows, 0, n, n, 0, CUT, 1e-300)
    turn_back(dual, rows, known, point.multipliers)
    for r in range(rows):
        point.multipliers[r] *= row_scale(model, r)


@inner_kernel
def _set_basis(room, n, known, point):
    """Write an orthonormal basis of what the factored rows leave free."""
    for k in range(known, n):
        for c in range(n):
            room.y[c] = 1.0 if c == k else 0.0
        at = (k - known) * n
        turn_all(room, n, known, point.N[at : at + n])


@inner_kernel
def _project(rest, n, free, point):
    """Write the unbalanced force p = Nᵀ N Q, by rows of N, and its size."""
    rest.free = free
    for c in range(n):
        point.p[c] = 0.0
    for i in range(free):
        total = 0.0
        for c in range(n):
            total += point.N[i * n + c] * rest.Q[c]
        for c in range(n):
            point.p[c] += total * point.N[i * n + c]
    point.size = 0.0
    for c in range(n):
        point.size = max(point.size, abs(point.p[c])) if abs(point.p[c]) < math.inf else math.inf


@inner_kernel
def _reference(model, state, scratch, rest, t):
    """Return the size of the largest force that acts, as a moment; 0 where nothing acts."""
    length, found, g = model.numbers[model.length], 0.0, load_gravity(model)
    weight = math.sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]) * length
    for b in range(model.bodies):
        m = model.planar_mass[b].m if model.planar else model.spatial_mass[b].m
        found = max(found, m * weight)
    law_efforts(model, state, scratch, t, rest.efforts)
    for k in range(rest.efforts.size):
        found = max(found, abs(rest.efforts[k]) * (length if rest.effort_is_length[k] == 1 else 1.0))
    load_wrenches(model, state, scratch, t, rest.loads)
    for k in range(rest.loads.size):
        found = max(found, abs(rest.loads[k]) * (length if k % model.width < model.dimension else 1.0))
    return found


@inner_kernel
def close_pose(model, state, scratch, plan, room, t, q):
    """Bring a pose onto joints and motions by smallest steps; return whether Newton's method gets there."""
    rows = plan.rows
    for _ in range(CLOSINGS):
        worst = largest_gap(model, state, scratch, plan, room, t, q, plan.rows)
        if not worst < math.inf:
            return False
        if worst < CLOSED:
            return True
        fill_rows(model, state, scratch, plan, room, t, rows)
        smallest_step(model, room, rows)
        displace(model, q, room.step, 1.0, room.trial)
        for k in range(q.size):
            q[k] = room.trial[k]
    return largest_gap(model, state, scratch, plan, room, t, q, plan.rows) < 1e3 * CLOSED


@inner_kernel
def bend(model, state, scratch, plan, rest, t):
    """Write K and S = Nᵀ K N at the best point, where they are not known yet."""
    if rest.bent == 1:
        return
    n, point = model.velocities, rest.here
    for f in range(state.ref.size):
        state.ref[f] = point.ref[f]
    place(model, scratch, rest, point.q)
    for k in range(n * n):
        rest.K[k] = rest.D[k] = 0.0
    force_partials(model, state, scratch, t, rest.K, rest.D)
    for k in range(n * n):
        rest.K[k] = -rest.K[k]
    row_partials(model, state, scratch, t, 0, plan.rows, point.multipliers, rest.K, rest.V)
    rest.stiffest, rest.bent = 0.0, 1
    for i in range(n):
        for j in range(n):
            rest.K[i * n + j] *= column_scale(model, i) * column_scale(model, j)
            rest.stiffest = max(rest.stiffest, abs(rest.K[i * n + j]))
    _reduce(rest, n, point)


@inner_kernel
def _reduce(rest, n, point):
    """Write S = Nᵀ K N."""
    free = rest.free
    for a in range(free):
        for i in range(n):
            total = 0.0
            for j in range(n):
                total += rest.K[i * n + j] * point.N[a * n + j]
            rest.KN[a * n + i] = total
    for b in range(free):
        for a in range(free):
            total = 0.0
            for i in range(n):
                total += point.N[b * n + i] * rest.KN[a * n + i]
            rest.S[b * free + a] = total


@inner_kernel
def set_reach(model, rest, q):
    """Write how far the model extends: what translations are divided by before their size is taken."""
    wide, total = PLANE if model.planar else SPACE, 0.0
    for k in range(model.dimension):
        low, high = math.inf, -math.inf
        for b in range(model.bodies):
            low, high = min(low, q[wide * b + k]), max(high, q[wide * b + k])
        if model.bodies > 0:
            total += (high - low) * (high - low)
    rest.reach = 1.0 + math.sqrt(total) / model.numbers[model.length]


@inner_kernel
def length_of(model, rest, d):
    """Return the size of a displacement without lengths: the largest turn, or translation over the extent of the model."""
    found = 0.0
    for c in range(model.velocities):
        reach = rest.reach if is_length_column(model, c) else 1.0
        found = max(found, abs(d[c]) / reach) if abs(d[c]) < math.inf else math.inf
    return found
