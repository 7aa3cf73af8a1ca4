"""A given state brought onto the constraints by the smallest change: positions by Newton's method, then velocities."""

from __future__ import annotations

import math

from multibody.kernels.assembly.closing import fill_rows, largest_gap, smallest_step
from multibody.kernels.assembly.declared import assembly_at, room_at
from multibody.kernels.compile import inner_kernel, kernel
from multibody.kernels.declared import model_at, scratch_at, state_at
from multibody.kernels.functions import set_references
from multibody.kernels.rows import row_velocity
from multibody.kernels.scales import column_scale, row_scale
from multibody.kernels.state import displace, set_positions

ITERATIONS = 20
CLOSED = 1e-12  # scaled residual of positions at which they are left
OPEN = 1e-9  # the same at which nothing was found
KEPT = 1e-11  # scaled change of positions, or residual of velocities, below which they stay as they are


@kernel
def adopt_state(model, state, scratch, plan, room, t, q, v):
    """Bring q and v onto joints and motions, and the angle references along; return how far each was moved, scaled.

    Parameters
    ----------
    plan : address of Assembly
    room : address of AssemblyScratch
    t : float
    q, v : arrays, changed
        Infinity comes back, and they are as they were, where the mechanism cannot be closed from there.
    """
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    plan, room = assembly_at(plan), room_at(room)
    begin, moved = room.start, 0.0
    for k in range(q.shape[0]):
        begin[k] = q[k]
    for _ in range(ITERATIONS):
        if largest_gap(model, state, scratch, plan, room, t, q, plan.rows) < CLOSED:
            break
        fill_rows(model, state, scratch, plan, room, t, plan.rows)
        moved += smallest_step(model, room, plan.rows)
        displace(model, q, room.step, 1.0, room.trial)
        for k in range(q.shape[0]):
            q[k] = room.trial[k]
    lost = not largest_gap(model, state, scratch, plan, room, t, q, plan.rows) <= OPEN or not moved < math.inf
    if lost or moved < KEPT:  # the state as it was given, to the last digit
        for k in range(q.shape[0]):
            q[k] = begin[k]
    if lost:
        return math.inf, math.inf
    set_positions(model, scratch, q)
    changed = _close_velocities(model, state, scratch, plan, room, t, v)
    set_references(model, state, scratch, model.function_count)
    return moved, changed


@inner_kernel
def _close_velocities(model, state, scratch, plan, room, t, v):
    """Bring v onto Φ_q v = ν at the poses that are set; return how far it was moved, scaled."""
    n = model.velocities
    row_velocity(model, state, scratch, t, 0, plan.rows, room.residual)
    fill_rows(model, state, scratch, plan, room, t, plan.rows)
    worst = 0.0
    for r in range(plan.rows):
        total = -room.residual[r] * row_scale(model, r)
        for c in range(n):
            total += room.A[r * n + c] * (v[c] / column_scale(model, c))
        room.residual[r] = total
        worst = max(worst, abs(total)) if abs(total) < math.inf else math.inf
    if worst < KEPT:
        return 0.0
    changed = smallest_step(model, room, plan.rows)
    for c in range(n):
        v[c] += room.step[c]
    return changed
