"""Whether rows become independent a finite step away: what a mechanism is like in general, not just where it stands.

The same way as ``rank/generic.py``: along free directions, and back onto the joints by Levenberg–Marquardt steps whose damping
vanishes with the residual (Yamashita, Fukushima 2001), which converge where rows depend on each other too.
"""

from __future__ import annotations

import math

from multibody.kernels.assembly.closing import CUT, fill_rows, largest_gap
from multibody.kernels.assembly.declared import assembly_at, room_at
from multibody.kernels.assembly.levels import turn_all, turn_level
from multibody.kernels.body_layout import PLANE, POINT, SPACE
from multibody.kernels.cholesky import factor_lower, solve_lower
from multibody.kernels.compile import inner_kernel, kernel
from multibody.kernels.declared import model_at, scratch_at, state_at
from multibody.kernels.scales import column_scale
from multibody.kernels.state import displace, set_positions
from multibody.kernels.vectors import load4

CLOSED = 1e-12  # largest scaled residual of a pose on the joints
ITERATIONS = 80
LONGEST = 0.5  # scaled length or rad of a step back
TINY = 1e-14  # least damping
MOVED = 1e-4  # a pose that comes back nearer than this has not left
VANISHES = 1e-7  # of a direction: what is left of it is none
NOISE = 1e-13  # size of a row, free of units, that is round-off


@kernel
def ranks_around(model, state, scratch, plan, room, t, q, directions, lengths):
    """Return the largest number of independent rows of joints and motions at poses around one; 0 where there are none.

    Parameters
    ----------
    plan : address of Assembly
        Which rows there are, and which of them are lengths.
    room : address of AssemblyScratch
    t : float
    q : array
        An assembled pose.
    directions : array (count, nv), changed
        In which poses are looked for, as far as they are free.
    lengths : array (count,)
        How far away, scaled.
    """
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    plan, room = assembly_at(plan), room_at(room)
    n, found = model.velocities, 0
    count = _free_directions(model, state, scratch, plan, room, t, q, directions)
    for k in range(count):
        for c in range(n):
            room.step[c] = directions[k, c] * column_scale(model, c)
        displace(model, q, room.step, lengths[k], room.start)
        if _close(model, state, scratch, plan, room, t) and _distance(model, q, room.start) > MOVED:
            set_positions(model, scratch, room.start)
            fill_rows(model, state, scratch, plan, room, t, plan.rows)
            found = max(found, _rank(room, n, plan.rows))
    return found


@inner_kernel
def _rank(room, n, rows):
    """Return how many of the rows that stand in the conditions are independent; they are turned."""
    return turn_level(room, n, 0, rows, rows, 0, CUT, NOISE / CUT)


@inner_kernel
def _free_directions(model, state, scratch, plan, room, t, q, directions):
    """Reduce directions to what the joints leave free, largest component 1; return how many there are before one vanishes."""
    n, y = model.velocities, room.y
    set_positions(model, scratch, q)
    fill_rows(model, state, scratch, plan, room, t, plan.joint_rows)
    known = _rank(room, n, plan.joint_rows)
    for k in range(directions.shape[0]):
        before, after, largest = 0.0, 0.0, 0.0
        for c in range(n):
            before += directions[k, c] * directions[k, c]
            y[c] = directions[k, c]
        _turn_into(room, n, known, y)
        for c in range(known):
            y[c] = 0.0
        turn_all(room, n, known, directions[k])
        for c in range(n):
            after += directions[k, c] * directions[k, c]
            largest = max(largest, abs(directions[k, c]))
        if not math.sqrt(after) > VANISHES * math.sqrt(before):
            return k
        for c in range(n):
            directions[k, c] /= largest
    return directions.shape[0]


@inner_kernel
def _turn_into(room, n, known, y):
    """Write Qᵀ y to y; `known` Householder vectors make Q."""
    for k in range(known):
        r, total = room.owner[k], 0.0
        for c in range(k, n):
            total += room.A[r * n + c] * y[c]
        total *= room.factor[k]
        for c in range(k, n):
            y[c] -= total * room.A[r * n + c]


@inner_kernel
def _close(model, state, scratch, plan, room, t):
    """Bring the pose that stands as the start onto the joints; return whether that works."""
    q, best = room.start, math.inf
    for _ in range(ITERATIONS):
        size = largest_gap(model, state, scratch, plan, room, t, q, plan.joint_rows)
        if not size < math.inf:
            return False
        if size < CLOSED or (size < 100.0 * CLOSED and size > 0.5 * best):
            return True
        best = min(best, size)
        fill_rows(model, state, scratch, plan, room, t, plan.joint_rows)
        largest = _set_step(room, model.velocities, plan.joint_rows, max(size * size, TINY))
        for c in range(model.velocities):
            room.step[c] *= column_scale(model, c)
        displace(model, q, room.step, min(1.0, LONGEST / max(largest, 1e-300)), room.trial)
        for k in range(q.size):
            q[k] = room.trial[k]
    return largest_gap(model, state, scratch, plan, room, t, q, plan.joint_rows) < 100.0 * CLOSED


@inner_kernel
def _set_step(room, n, m, damping):
    """Write the step −Jᵀ (J Jᵀ + μ)⁻¹ c, J standing in the conditions; return its largest component."""
    A, S, x = room.A, room.L, room.rest
    for i in range(m):
        x[i] = -room.residual[i]
        for j in range(i + 1):
            total = damping if i == j else 0.0
            for c in range(n):
                total += A[i * n + c] * A[j * n + c]
            S[i * m + j] = total
    factor_lower(S, m, TINY)  # what round-off leaves of a pivot asks for nothing
    solve_lower(S, m, x)
    largest = 0.0
    for c in range(n):
        total = 0.0
        for r in range(m):
            total += A[r * n + c] * x[r]
        room.step[c] = total
        largest = max(largest, abs(total))
    return largest


@inner_kernel
def _distance(model, a, b):
    """Return the largest difference of two poses, lengths divided by the characteristic length."""
    found, length = 0.0, model.numbers[model.length]
    wide = PLANE if model.planar else SPACE
    for body in range(model.bodies):
        for c in range(model.dimension):
            found = max(found, abs(a[wide * body + c] - b[wide * body + c]) / length)
        if model.planar:
            found = max(found, abs(a[PLANE * body + model.dimension] - b[PLANE * body + model.dimension]))
        else:
            p, r = load4(a, SPACE * body + POINT), load4(b, SPACE * body + POINT)
            dot = abs(p[0] * r[0] + p[1] * r[1] + p[2] * r[2] + p[3] * r[3])
            found = max(found, 2.0 * math.acos(min(dot, 1.0)))
    for k in range(wide * model.bodies, model.coordinates):
        found = max(found, abs(a[k] - b[k]))
    return found
