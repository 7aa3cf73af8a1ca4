"""The configuration space of joint coordinates: y = (q, u, w) with q the unknown joint coordinates, u their rates, w the work.

What the formulations ask of a space (see ``formulations/space.py``): poses and twists at a state, the rows that are to be closed,
factors and solutions of the equations of motion, displacements along u.
"""

from __future__ import annotations

import math

from multibody.kernels import layout as L
from multibody.kernels import sections as R
from multibody.kernels.compile import inner_kernel
from multibody.kernels.forces import add_actions
from multibody.kernels.rotations import turned_quaternion
from multibody.kernels.rows import partial, row_velocity
from multibody.kernels.tree import layout as T
from multibody.kernels.tree.algebra import carried, inner, load, moved, plus, store, width, zero
from multibody.kernels.tree.bodies import write_poses, write_twists, write_wrenches
from multibody.kernels.tree.frames import column_of, link_of, offset, record_of, state_of
from multibody.kernels.tree.loops import loop_gaps, loop_rows, loop_values, loop_wrenches
from multibody.kernels.tree.motion import inertial_force, positions, velocities
from multibody.kernels.tree.solver import correct_tree, factor_tree, remember_rows, solve_tree

FORCE = 6  # place of a link's force in its state, in widths


@inner_kernel
def set_given(I, F, W, t, h):
    """Write value, rate and acceleration of the prescribed columns: the motion's row is c + G(t) = 0."""
    for k in range(I[h + T.GIVEN_COUNT]):
        at, r = I[h + T.W_GIVEN] + 3 * k, I[I[h + T.GIVEN] + 2 * k + 1]
        table = I[I[L.ROWS] + L.ROW_STRIDE * r + 4]
        W[I[L.W_INPUT]], W[I[L.W_INPUT] + 1] = t, 0.0
        for order in range(3):  # places of G, G_t, G_tt in the table of a row with one coordinate
            W[at + order] = -partial(I, F, W, table, (0, 1, 3)[order]) if table >= 0 else 0.0


@inner_kernel
def joint_poses(I, F, W, ref, t, q):
    """Write the poses of links and bodies at (t, q)."""
    h = I[T.TREE]
    set_given(I, F, W, t, h)
    for e in range(I[L.EXTRAS]):
        W[I[L.W_EXTRA] + e] = q[I[h + T.EXTRAS_AT] + e]
    if I[L.DIMENSION] == 2:
        positions(None, I, W, h, q)
        write_poses(None, I, W, h)
    else:
        positions(True, I, W, h, q)
        write_poses(True, I, W, h)


@inner_kernel
def joint_twists(I, W, v):
    """Write the motions of links and bodies, whose poses are known, for the rates v."""
    h = I[T.TREE]
    if I[L.DIMENSION] == 2:
        velocities(None, I, W, h, v)
        write_twists(None, I, W, h)
    else:
        velocities(True, I, W, h, v)
        write_twists(True, I, W, h)
    at = I[L.W_VELOCITY] + (3 if I[L.DIMENSION] == 2 else 6) * (I[L.BODIES] + 1)
    for e in range(I[L.EXTRAS]):
        W[at + e] = v[I[h + T.EXTRAS_RATE] + e]


@inner_kernel
def joint_jacobian(I, F, W, ref, t, rates):
    """Write Φ_u of the loop rows to W_J and, with `rates` = 1, γ_u to W_X."""
    if I[L.DIMENSION] == 2:
        loop_rows(None, I, F, W, ref, t, I[T.TREE], rates)
    else:
        loop_rows(True, I, F, W, ref, t, I[T.TREE], rates)


@inner_kernel
def joint_values(I, F, W, ref, t):
    """Write Φ of the loop rows at the poses in W to W_X."""
    loop_values(I, F, W, ref, t, I[T.TREE])


@inner_kernel
def joint_gaps(I, F, W, ref, t, v):
    """Write ν − Φ̇ of the loop rows for the rates v to W_X; poses are known."""
    joint_twists(I, W, v)
    if I[L.DIMENSION] == 2:
        loop_gaps(None, I, F, W, ref, t, I[T.TREE], v)
    else:
        loop_gaps(True, I, F, W, ref, t, I[T.TREE], v)


@inner_kernel
def joint_factor(I, W):
    """Factor the equations of motion; return the smallest pivot ratio, ≤ 0 where there is no solution."""
    if I[L.DIMENSION] == 2:
        return factor_tree(None, I, W, I[T.TREE])
    return factor_tree(True, I, W, I[T.TREE])


@inner_kernel
def joint_solve(I, W):
    """Write u̇ to W_A and λ to W_LAMBDA."""
    if I[L.DIMENSION] == 2:
        solve_tree(None, I, W, I[T.TREE])
    else:
        solve_tree(True, I, W, I[T.TREE])


@inner_kernel
def joint_correct(I, W):
    """Write the smallest change of u with Φ_u x = W_X to W_A."""
    correct_tree(I, W, I[T.TREE])


@inner_kernel
def joint_remember(I, W):
    """Keep what the rows are like in regular positions; only accepted states are remembered."""
    remember_rows(I, W, I[T.TREE])


@inner_kernel
def joint_applied(I, F, W, ref, t):
    """Write what laws and loads do to the links to W_WRENCH; return the power of those without a potential."""
    h = I[T.TREE]
    if I[h + T.ACTED] == 0:
        return 0.0
    n, Q = I[L.VELOCITIES], I[h + T.W_FORCE]
    for c in range(n):
        W[Q + c] = 0.0
    power = add_actions(I, F, W, ref, t, W[Q : Q + n])
    if I[L.DIMENSION] == 2:
        write_wrenches(None, I, W, h, Q)
    else:
        write_wrenches(True, I, W, h, Q)
    return power


@inner_kernel
def joint_normalize(I, q):
    """Make the quaternions in q unit."""
    h = I[T.TREE]
    for k in range(I[h + T.QUATERNION_COUNT]):
        e = I[I[h + T.QUATERNIONS] + k]
        s = 1.0 / math.sqrt(q[e] * q[e] + q[e + 1] * q[e + 1] + q[e + 2] * q[e + 2] + q[e + 3] * q[e + 3])
        for c in range(4):
            q[e + c] *= s


@inner_kernel
def joint_displace(I, q, x, k, out):
    """Write q ⊕ k x: coordinates add, quaternions turn by exp(½ k x) about the axes of the carrier."""
    h = I[T.TREE]
    for j in range(I[h + T.COLUMN_COUNT]):
        record = record_of(I, h, j)
        r, place = I[record + T.RATE], I[record + T.POSITION]
        if place >= 0:
            out[place] = q[place] + k * x[r]
        elif r >= 0 and I[record + T.AXIS] == 0:
            e = I[link_of(I, h, I[record + T.LINK]) + T.QUATERNION]
            # exp ∘ p is the conjugate of p* ∘ exp*
            p = turned_quaternion(q[e], -q[e + 1], -q[e + 2], -q[e + 3], -k * x[r], -k * x[r + 1], -k * x[r + 2])
            out[e], out[e + 1], out[e + 2], out[e + 3] = p[0], -p[1], -p[2], -p[3]
    for c in range(I[L.EXTRAS]):
        out[I[h + T.EXTRAS_AT] + c] = q[I[h + T.EXTRAS_AT] + c] + k * x[I[h + T.EXTRAS_RATE] + c]


@inner_kernel
def joint_write_rates(I, W, y, power, dy):
    """Write ẏ: q̇ from u (ṗ = ½ ω ∘ p for quaternions, ω in the carrier's axes), u̇ from W_A, ẇ."""
    h = I[T.TREE]
    nq, n = I[h + T.NQ], I[h + T.NV]
    for j in range(I[h + T.COLUMN_COUNT]):
        record = record_of(I, h, j)
        r, place = I[record + T.RATE], I[record + T.POSITION]
        if place >= 0:
            dy[place] = y[nq + r]
        elif r >= 0 and I[record + T.AXIS] == 0:
            e = I[link_of(I, h, I[record + T.LINK]) + T.QUATERNION]
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
def joint_count_independent(I, active):
    """Let the error test count the coordinates whose rates it counts; a quaternion with any of its rotations."""
    h = I[T.TREE]
    nq = I[h + T.NQ]
    for j in range(I[h + T.COLUMN_COUNT]):
        record = record_of(I, h, j)
        r, place = I[record + T.RATE], I[record + T.POSITION]
        if place >= 0:
            active[place] = active[nq + r]
        elif r >= 0 and I[record + T.AXIS] == 0:
            turn = max(active[nq + r], active[nq + r + 1], active[nq + r + 2])
            for c in range(4):
                active[I[link_of(I, h, I[record + T.LINK]) + T.QUATERNION] + c] = turn
    for c in range(I[L.EXTRAS]):
        active[I[h + T.EXTRAS_AT] + c] = active[nq + I[h + T.EXTRAS_RATE] + c]


@inner_kernel
def spread(d, I, W, h, x):
    """Write a = Σ B u̇ of every link to its state, u̇ at W[x…]: Ẏ = S + a."""
    w = width(d)
    for i in range(I[h + T.LINK_COUNT]):
        link = link_of(I, h, i)
        a, c = zero(d), I[link + T.CARRIER]
        if c >= 0:
            a = load(d, W, state_of(d, I, W, h, c) + 5 * w)
            if I[link + T.OWN_POINT] == 1:
                a = moved(d, offset(d, I, W, h, i), a)
        for j in range(I[link + T.FIRST], I[link + T.FIRST] + I[link + T.COUNT]):
            r = I[record_of(I, h, j) + T.RATE]
            if r >= 0:
                a = plus(d, W[x + r], load(d, W, column_of(d, I, h, j)), a)
        store(d, W, state_of(d, I, W, h, i) + 5 * w, a)


@inner_kernel
def joint_wrenches(d, I, F, W, ref, t, h):
    """Write the wrench R̂ of every joint on its link about o, efforts included, to the link's force: Newton–Euler inward.

    u̇ and λ in W; R̂ = Σ over the subtree of inertial force − applied force + Φ_yᵀ λ.
    """
    w = width(d)
    spread(d, I, W, h, I[R.W_A])
    for i in range(I[h + T.LINK_COUNT]):
        at = state_of(d, I, W, h, i)
        s = plus(d, 1.0, load(d, W, at + 4 * w), load(d, W, at + 5 * w))
        f = inertial_force(d, I, W, h, i, load(d, W, at + 3 * w), s)
        if I[h + T.ACTED] == 1:
            f = plus(d, -1.0, load(d, W, I[h + T.W_WRENCH] + w * i), f)
        store(d, W, I[h + T.W_WRENCH] + w * i, f)
    loop_wrenches(d, I, F, W, ref, t, h, I[h + T.W_WRENCH])
    for i in range(I[h + T.LINK_COUNT]):
        store(d, W, state_of(d, I, W, h, i) + FORCE * w, load(d, W, I[h + T.W_WRENCH] + w * i))
    for i in range(I[h + T.LINK_COUNT] - 1, -1, -1):
        c = I[link_of(I, h, i) + T.CARRIER]
        if c >= 0:
            f = load(d, W, state_of(d, I, W, h, i) + FORCE * w)
            if I[link_of(I, h, i) + T.OWN_POINT] == 1:
                f = carried(d, offset(d, I, W, h, i), f)
            p = state_of(d, I, W, h, c) + FORCE * w
            store(d, W, p, plus(d, 1.0, f, load(d, W, p)))


@inner_kernel
def _power_of_given(d, I, F, W, ref, t, h):
    """Return Σ τ q̇ over the prescribed columns, τ = Bᵀ R̂; eq. (36)."""
    joint_wrenches(d, I, F, W, ref, t, h)
    total, w = 0.0, width(d)
    for k in range(I[h + T.GIVEN_COUNT]):
        j = I[I[h + T.GIVEN] + 2 * k]
        f = load(d, W, state_of(d, I, W, h, I[record_of(I, h, j) + T.LINK]) + FORCE * w)
        total += inner(d, load(d, W, column_of(d, I, h, j)), f) * W[I[h + T.W_GIVEN] + 3 * k + 1]
    return total


@inner_kernel
def joint_driving_power(I, F, W, ref, t):
    """Return the power of prescribed columns and of loop rows that depend on time; W_WRENCH and W_X are overwritten."""
    h, total = I[T.TREE], 0.0
    if I[h + T.GIVEN_COUNT] > 0:
        if I[L.DIMENSION] == 2:
            total += _power_of_given(None, I, F, W, ref, t, h)
        else:
            total += _power_of_given(True, I, F, W, ref, t, h)
    if I[R.DRIVEN] == 1:
        for k in range(I[R.CHOSEN_COUNT]):
            r = I[I[h + T.ROW_LIST] + I[I[R.CHOSEN] + k]]
            row_velocity(I, F, W, ref, t, r, r + 1, W[I[R.W_X] + k :])
            total -= W[I[R.W_LAMBDA] + k] * W[I[R.W_X] + k]
    return total
