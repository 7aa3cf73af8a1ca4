"""The configuration space of joint coordinates: y = (q, u, w) with q the unknown joint coordinates, u their rates, w the work.

What the formulations ask of a space (see ``formulations/space.py``). Small things are done here; everything larger is a unit
that is called by its address (``units.py``).
"""

from __future__ import annotations

import math

from multibody.kernels import layout as L
from multibody.kernels import sections as R
from multibody.kernels.calls import call
from multibody.kernels.compile import inlined, inner_kernel
from multibody.kernels.rotations import turned_quaternion
from multibody.kernels.tree import layout as T
from multibody.kernels.tree.frames import link_of, record_of
from multibody.kernels.tree.solver import correct_tree, remember_rows

FAR = 0.7  # rad: a path of four joints then turns by less than half a turn


@inlined
def joint_poses(model, state, scratch, t, q):
    """Write the poses of links and bodies at (t, q)."""
    I, W = model.I, scratch.W
    h = I[T.TREE]
    W[I[h + T.W_RESULT] + T.WITH_BODIES] = 1.0
    call(I[I[T.TREE] + T.POSES], (model, state, scratch), t, q, q)


@inlined
def joint_state(model, state, scratch, t, y, bodies):
    """Write poses and motions of links at (t, y), and with `bodies` = 1, or where the equations need them, of the bodies."""
    I, W = model.I, scratch.W
    h = I[T.TREE]
    W[I[h + T.W_RESULT] + T.WITH_BODIES] = max(bodies, I[h + T.POSED])
    call(I[h + T.STATE], (model, state, scratch), t, y, y)


@inlined
def joint_twists(model, state, scratch, v):
    """Write the motions of links, and of bodies whose poses are known, for the rates v."""
    I = model.I
    call(I[I[T.TREE] + T.TWISTS], (model, state, scratch), 0.0, v, v)


@inlined
def joint_jacobian(model, state, scratch, t, rates):
    """Write Φ_u of the loop rows to W_J and, with `rates` = 1, γ_u to W_X."""
    I, W = model.I, scratch.W
    if I[R.ALL_COUNT] > 0:
        W[I[I[T.TREE] + T.W_RESULT] + T.WITH_RATES] = rates
        call(I[I[T.TREE] + T.ROWS], (model, state, scratch), t, scratch.W, scratch.W)


@inlined
def joint_values(model, state, scratch, t):
    """Write Φ of the loop rows at the poses in W to W_X."""
    I = model.I
    if I[R.ALL_COUNT] > 0:
        call(I[I[T.TREE] + T.VALUES], (model, state, scratch), t, scratch.W, scratch.W)


@inlined
def joint_gaps(model, state, scratch, t, v):
    """Write ν − Φ̇ of the loop rows for the rates v to W_X; poses are known."""
    I = model.I
    if I[R.ALL_COUNT] > 0:
        joint_twists(model, state, scratch, v)
        call(I[I[T.TREE] + T.GAPS], (model, state, scratch), t, v, v)


@inlined
def joint_factor(model, state, scratch):
    """Factor the equations of motion; return the smallest pivot ratio, ≤ 0 where there is no solution."""
    I, W = model.I, scratch.W
    if I[I[T.TREE] + T.METHOD] == T.ARTICULATED and I[R.CHOSEN_COUNT] == 0:
        return 1.0  # a tree alone is solved in one sweep, with nothing to factor before
    call(I[I[T.TREE] + T.FACTOR], (model, state, scratch), 0.0, scratch.W, scratch.W)
    return W[I[I[T.TREE] + T.W_RESULT] + T.RATIO]


@inlined
def joint_solve(model, state, scratch):
    """Write u̇ to W_A and λ to W_LAMBDA."""
    I = model.I
    call(I[I[T.TREE] + T.SOLVE], (model, state, scratch), 0.0, scratch.W, scratch.W)


@inner_kernel
def joint_correct(model, scratch):
    """Write the smallest change of u with Φ_u x = W_X to W_A."""
    I = model.I
    correct_tree(model, scratch, I[T.TREE])


@inner_kernel
def joint_remember(model, scratch):
    """Keep what the rows are like in regular positions; only accepted states are remembered."""
    I = model.I
    remember_rows(model, scratch, I[T.TREE])


@inner_kernel
def joint_turned(model, scratch, q):
    """Return whether a joint turned so far since the last accepted state that angles elsewhere could lose a turn."""
    I, W = model.I, scratch.W
    h = I[T.TREE]
    if I[h + T.COUNTED] == 0:
        return False
    for j in range(I[h + T.COLUMN_COUNT]):
        record = record_of(model, h, j)
        place = I[record + T.POSITION]
        if place >= 0 and I[record + T.KIND] != T.SLIDE and abs(q[place] - W[I[h + T.W_ACCEPTED] + place]) > FAR:
            return True
    return False


@inner_kernel
def joint_settled(model, scratch, q):
    """Keep the coordinates of an accepted state."""
    I, W = model.I, scratch.W
    h = I[T.TREE]
    for c in range(I[h + T.NQ]):
        W[I[h + T.W_ACCEPTED] + c] = q[c]


@inlined
def joint_applied(model, state, scratch, t):
    """Write what laws and loads do to the links to W_WRENCH; return the power of those without a potential."""
    I, W = model.I, scratch.W
    if I[I[T.TREE] + T.ACTED] == 0:
        return 0.0
    call(I[I[T.TREE] + T.APPLIED], (model, state, scratch), t, scratch.W, scratch.W)
    return W[I[I[T.TREE] + T.W_RESULT] + T.WORK_RATE]


@inlined
def joint_driving_power(model, state, scratch, t):
    """Return the power of prescribed columns and of loop rows that depend on time; W_WRENCH and W_X are overwritten."""
    I, W = model.I, scratch.W
    if I[I[T.TREE] + T.GIVEN_COUNT] == 0 and I[R.DRIVEN] == 0:
        return 0.0
    call(I[I[T.TREE] + T.POWER], (model, state, scratch), t, scratch.W, scratch.W)
    return W[I[I[T.TREE] + T.W_RESULT] + T.WORK_RATE]


@inner_kernel
def joint_normalize(model, q):
    """Make the quaternions in q unit."""
    I = model.I
    h = I[T.TREE]
    for k in range(I[h + T.QUATERNION_COUNT]):
        e = I[I[h + T.QUATERNIONS] + k]
        s = 1.0 / math.sqrt(q[e] * q[e] + q[e + 1] * q[e + 1] + q[e + 2] * q[e + 2] + q[e + 3] * q[e + 3])
        for c in range(4):
            q[e + c] *= s


@inner_kernel
def joint_displace(model, q, x, k, out):
    """Write q ⊕ k x: coordinates add, quaternions turn by exp(½ k x) about the axes of the carrier."""
    I = model.I
    h = I[T.TREE]
    for j in range(I[h + T.COLUMN_COUNT]):
        record = record_of(model, h, j)
        r, place = I[record + T.RATE], I[record + T.POSITION]
        if place >= 0:
            out[place] = q[place] + k * x[r]
        elif r >= 0 and I[record + T.AXIS] == 0:
            e = I[link_of(model, h, I[record + T.LINK]) + T.QUATERNION]
            # exp ∘ p is the conjugate of p* ∘ exp*
            p = turned_quaternion(q[e], -q[e + 1], -q[e + 2], -q[e + 3], -k * x[r], -k * x[r + 1], -k * x[r + 2])
            out[e], out[e + 1], out[e + 2], out[e + 3] = p[0], -p[1], -p[2], -p[3]
    for c in range(I[L.EXTRAS]):
        out[I[h + T.EXTRAS_AT] + c] = q[I[h + T.EXTRAS_AT] + c] + k * x[I[h + T.EXTRAS_RATE] + c]


@inlined
def joint_write_rates(model, scratch, y, power, dy):
    """Write ẏ: q̇ from u (ṗ = ½ ω ∘ p for quaternions, ω in the carrier's axes), u̇ from W_A, ẇ."""
    I, W = model.I, scratch.W
    h = I[T.TREE]
    nq, n = I[h + T.NQ], I[h + T.NV]
    for j in range(I[h + T.COLUMN_COUNT]):
        record = record_of(model, h, j)
        r, place = I[record + T.RATE], I[record + T.POSITION]
        if place >= 0:
            dy[place] = y[nq + r]
        elif r >= 0 and I[record + T.AXIS] == 0:
            e = I[link_of(model, h, I[record + T.LINK]) + T.QUATERNION]
            a, b, c = 0.5 * y[nq + r], 0.5 * y[nq + r + 1], 0.5 * y[nq + r + 2]
            e0, e1, e2, e3 = y[e], y[e + 1], y[e + 2], y[e + 3]
            dy[e] = -e1 * a - e2 * b - e3 * c
            dy[e + 1] = e0 * a + b * e3 - c * e2
            dy[e + 2] = e0 * b + c * e1 - a * e3
            dy[e + 3] = e0 * c + a * e2 - b * e1
    for c in range(I[L.EXTRAS]):
        dy[I[h + T.EXTRAS_AT] + c] = y[nq + I[h + T.EXTRAS_RATE] + c]
    for c in range(n):
        dy[nq + c] = W[I[R.W_A] + c]
    dy[nq + n] = power


@inner_kernel
def joint_count_independent(model, active):
    """Let the error test count the coordinates whose rates it counts; a quaternion with any of its rotations."""
    I = model.I
    h = I[T.TREE]
    nq = I[h + T.NQ]
    for j in range(I[h + T.COLUMN_COUNT]):
        record = record_of(model, h, j)
        r, place = I[record + T.RATE], I[record + T.POSITION]
        if place >= 0:
            active[place] = active[nq + r]
        elif r >= 0 and I[record + T.AXIS] == 0:
            turn = max(active[nq + r], active[nq + r + 1], active[nq + r + 2])
            for c in range(4):
                active[I[link_of(model, h, I[record + T.LINK]) + T.QUATERNION] + c] = turn
    for c in range(I[L.EXTRAS]):
        active[I[h + T.EXTRAS_AT] + c] = active[nq + I[h + T.EXTRAS_RATE] + c]
