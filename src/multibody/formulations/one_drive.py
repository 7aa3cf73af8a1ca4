"""Inverse dynamics of a mechanism with one motion and one actuator, instant after instant.

With d the velocities of a unit rate of the motion, B = d/|d| and the forces p = M v̇ − Q that something must give, the power in
the free direction asks for B·(S e) = B·p, S the gradient of the actuator's coordinate. The joints give the rest,
Φ_qᵀ λ = S e − p. One factorization an instant serves for both; see ``driven`` for T. With several motions or actuators it is a
small least-squares problem in the place of a quotient (``analyses/inverse/virtual_power.py``).
"""

from __future__ import annotations

import math

from multibody.formulations.driven import factor_square, refer, set_gradient
from multibody.kernels.compile import inner_kernel, kernel
from multibody.kernels.declared import model_at, scratch_at, state_at
from multibody.kernels.gathered_lu import solve, solve_transposed
from multibody.kernels.rows import row_jacobian
from multibody.kernels.state import set_positions

REGULAR = 1e-4  # smallest singular value of T (free of units) from which on its factors are trusted
GIVEN, IDLE, BLOCKED, SINGULAR = 0.0, 1.0, 2.0, 3.0  # an instant: its effort; needs none; cannot be had; T says nothing
CODE, EFFORT, CONDITION = 0, 1, 2  # columns of what is found
FOUND = 3  # how many
NEED, SIDE = 0, 1  # rows of the room: the forces that something has to give; the gradient of the actuator's coordinate
ROOM = 2


@kernel
def efforts_at(
    model, state, scratch, times, Q, R, inertia, applied, square, factors, scales, actuator, limits, room, found, basis,
    multipliers,
):  # fmt: skip
    """Write the effort, and the multipliers of joints, at every instant.

    Parameters
    ----------
    times : array (instants,)
    Q : array (instants, nq)
    R : array (instants or 1, functions)
        Angle references.
    inertia, applied : arrays (instants, nv)
        M v̇ and Q.
    square : tuple (slots, weights, gauge, rows, motion, entries)
        As ``solve_square`` has them, the rows of T that are rows of the model, which of them is the motion (all others are
        of joints), and room for the entries of Φ_q.
    factors : tuple (T, pivots, places, ends, null)
    scales : tuple (rows, columns)
        What makes them free of units.
    actuator : tuple (function, unit)
        Its coordinate, and a length if that is one.
    limits : tuple (regular, moved, needed)
        Smallest singular value of T that counts, part of its largest rate by which the coordinate changes at least, part of the
        forces at play that needs no effort.
    room : array (ROOM, nv)
    found : array (instants, FOUND), written
        How it is, the effort, how the actuator's coordinate could move at most over how it does.
    basis : array (instants, nv), written
        B where T is regular.
    multipliers : array (instants, all rows), written
        Of joints, where there is an effort or none is needed.
    """
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    slots, weights, gauge, rows, motion, entries = square
    T, pivots, places, ends, null = factors
    n, need, S = model.velocities, room[NEED], room[SIDE]
    for k in range(times.shape[0]):
        refer(R, k, state.ref)
        set_positions(model, scratch, Q[k])
        row_jacobian(model, state, scratch, times[k], 0, scales[0].shape[0], entries)
        found[k, CODE], found[k, EFFORT], found[k, CONDITION] = SINGULAR, math.nan, math.inf
        if not factor_square(entries, slots, weights, gauge, T, pivots, places, ends, null) > limits[0]:
            continue
        set_gradient(model, scratch, actuator[0], scales[1], S)
        play = _set_need(n, inertia[k], applied[k], scales[1], need)
        for c in range(n):
            S[c] /= actuator[1]
            basis[k, c] = 0.0
        basis[k, motion] = 1.0
        solve(T, n, pivots, places, ends, basis[k])
        effort = _quotient(n, basis[k], S, need, play, limits, found[k])
        if found[k, CODE] == BLOCKED:
            continue
        found[k, EFFORT] = effort / actuator[1]
        for c in range(n):
            need[c] = effort * S[c] - need[c]
        solve_transposed(T, n, pivots, places, ends, need)
        for i in range(rows.shape[0]):
            if i != motion:
                multipliers[k, rows[i]] = need[i] * scales[0][rows[i]]


@inner_kernel
def _set_need(n, inertia, applied, scale, need):
    """Write the scaled forces M v̇ − Q; return the size of the forces at play."""
    one, two = 0.0, 0.0
    for c in range(n):
        a, b = inertia[c] * scale[c], applied[c] * scale[c]
        need[c] = a - b
        one += a * a
        two += b * b
    return math.sqrt(one) + math.sqrt(two)


@inner_kernel
def _quotient(n, B, S, need, play, limits, found):
    """Give B the length 1; write how it is and the condition, return the scaled effort (B·p)/(B·S)."""
    length, size, side, moved = 0.0, 0.0, 0.0, 0.0
    for c in range(n):
        length += B[c] * B[c]
        size += S[c] * S[c]
    length, size = math.sqrt(length), math.sqrt(size)
    for c in range(n):
        B[c] /= length
        side += B[c] * need[c]
        moved += B[c] * S[c]
    if abs(moved) > 0.0:
        found[CONDITION] = size / abs(moved)
    if abs(moved) > limits[1] * size:
        found[CODE] = GIVEN
        return side / moved
    found[CODE] = BLOCKED if abs(side) > limits[2] * play else IDLE
    return 0.0
