"""The configuration space of joint coordinates: y = (q, u, w) with q the unknown joint coordinates, u their rates, w the work.

What the formulations ask of a space (see ``kernels/space.py``). Small things are done here; everything larger is
called by its address (``calls.py``); what takes no vectors is handed scratch that it does not look at.
"""

from __future__ import annotations

from multibody.kernels.calls import call
from multibody.kernels.compile import inlined, inner_kernel
from multibody.kernels.modes import GRADIENTS, VALUES
from multibody.kernels.rotations import normalize_quaternion, turned_quaternion
from multibody.kernels.space import Space
from multibody.kernels.tree.declared import SLIDE
from multibody.kernels.tree.solver import correct_tree, remember_rows
from multibody.kernels.vectors import load3, load4, scale, store4

FAR = 0.7  # rad: a path of four joints then turns by less than half a turn


@inlined
def joint_sizes(model):
    """Return the numbers of coordinates and of rates."""
    return (model.tree.nq, model.tree.nv)


@inlined
def joint_poses(model, state, scratch, t, q):
    """Write the poses of links and bodies at (t, q)."""
    scratch.tree.with_bodies = 1
    call(model.tree.calls.poses, (model, state, scratch), t, q, q)


@inlined
def joint_state(model, state, scratch, t, y, bodies):
    """Write poses and motions of links at (t, y), and with `bodies` = 1, or where the equations need them, of the bodies."""
    scratch.tree.with_bodies = max(bodies, model.tree.posed)
    call(model.tree.calls.state, (model, state, scratch), t, y, y)


@inlined
def joint_twists(model, state, scratch, v):
    """Write the motions of links, and of bodies whose poses are known, for the rates v."""
    scratch.tree.with_bodies = model.tree.posed
    call(model.tree.calls.twists, (model, state, scratch), 0.0, v, v)


@inlined
def joint_rows_at_pose(model, state, scratch, t, values, gradients):
    """Write Φ of the loop rows to `by_row` where `values` is ``VALUES``, Φ_u to `J` where `gradients` is ``GRADIENTS``."""
    if values == VALUES:
        joint_values(model, state, scratch, t)
    if gradients == GRADIENTS:
        joint_jacobian(model, state, scratch, t, 0)


@inlined
def joint_rows_at_state(model, state, scratch, t):
    """Write Φ_u of the loop rows to `J` and γ_u to `by_row`."""
    joint_jacobian(model, state, scratch, t, 1)


@inlined
def joint_jacobian(model, state, scratch, t, rates):
    """Write Φ_u of the loop rows to `J` and, with `rates` = 1, γ_u to `by_row`."""
    if model.tree.row_list.size > 0:
        scratch.tree.with_rates = rates
        call(model.tree.calls.rows, (model, state, scratch), t, scratch.tree.tau, scratch.tree.tau)


@inlined
def joint_values(model, state, scratch, t):
    """Write Φ of the loop rows at the poses to `by_row`."""
    if model.tree.row_list.size > 0:
        call(model.tree.calls.values, (model, state, scratch), t, scratch.tree.tau, scratch.tree.tau)


@inlined
def joint_gaps(model, state, scratch, t, v):
    """Write ν − Φ̇ of the loop rows for the rates v to `by_row`; poses are known."""
    if model.tree.row_list.size > 0:
        joint_twists(model, state, scratch, v)
        call(model.tree.calls.gaps, (model, state, scratch), t, v, v)


@inlined
def joint_factor(model, state, scratch):
    """Factor the equations of motion; return the smallest pivot ratio, ≤ 0 where there is no solution."""
    if model.tree.calls.factor == 0:
        return 1.0  # `articulated` solves a tree alone in one sweep, with nothing to factor before
    call(model.tree.calls.factor, (model, state, scratch), 0.0, scratch.tree.tau, scratch.tree.tau)
    return scratch.tree.ratio


@inlined
def joint_solve(model, state, scratch):
    """Write u̇ to `a` and λ to `multipliers`."""
    call(model.tree.calls.solve, (model, state, scratch), 0.0, scratch.tree.tau, scratch.tree.tau)


@inner_kernel
def joint_correct(model, state, scratch):
    """Write the smallest change of u with Φ_u x = `by_row` to `a`."""
    correct_tree(model, state, scratch)


@inner_kernel
def joint_remember(model, state, scratch):
    """Keep what the rows are like in regular positions; only accepted states are remembered."""
    remember_rows(model, state)


@inner_kernel
def joint_turned(model, state, q):
    """Return whether a joint turned so far since the last accepted state that angles elsewhere could lose a turn."""
    tree = model.tree
    if tree.counted == 0:
        return False
    for j in range(tree.columns.size):
        place = tree.columns[j].position
        if place >= 0 and tree.columns[j].kind != SLIDE and abs(q[place] - state.tree.accepted[place]) > FAR:
            return True
    return False


@inner_kernel
def joint_settled(state, q):
    """Keep the coordinates of an accepted state."""
    accepted = state.tree.accepted
    for c in range(accepted.size):
        accepted[c] = q[c]


@inlined
def joint_applied(model, state, scratch, t):
    """Write what laws and loads do to the links; return the power of those without a potential."""
    if model.tree.acted == 0:
        return 0.0
    call(model.tree.calls.applied, (model, state, scratch), t, scratch.tree.tau, scratch.tree.tau)
    return scratch.tree.work_rate


@inlined
def joint_driving_power(model, state, scratch, t):
    """Return the power of prescribed columns and of loop rows that depend on time; loads and `by_row` are overwritten."""
    if model.tree.given.size == 0 and model.driven == 0:
        return 0.0
    call(model.tree.calls.power, (model, state, scratch), t, scratch.tree.tau, scratch.tree.tau)
    return scratch.tree.work_rate


@inner_kernel
def joint_normalize(model, q):
    """Make the quaternions in q unit."""
    places = model.tree.quaternions
    for k in range(places.size):
        normalize_quaternion(q, places[k])


@inner_kernel
def joint_displace(model, q, x, k, out):
    """Write q ⊕ k x: coordinates add, quaternions turn by exp(½ k x) about the axes of the carrier."""
    tree = model.tree
    for j in range(tree.columns.size):
        r, place = tree.columns[j].rate, tree.columns[j].position
        if place >= 0:
            out[place] = q[place] + k * x[r]
        elif r >= 0 and tree.columns[j].axis == 0:
            e = tree.links[tree.columns[j].link].quaternion
            (e0, e1, e2, e3), w = load4(q, e), load3(x, r)
            # exp ∘ p is the conjugate of p* ∘ exp*
            p = turned_quaternion(e0, -e1, -e2, -e3, -k * w[0], -k * w[1], -k * w[2])
            store4(out, e, (p[0], -p[1], -p[2], -p[3]))
    for c in range(model.extras):
        out[tree.extras_at + c] = q[tree.extras_at + c] + k * x[tree.extras_rate + c]


@inlined
def joint_write_rates(model, scratch, y, power, dy):
    """Write ẏ: q̇ from u (ṗ = ½ ω ∘ p for quaternions, ω in the carrier's axes), u̇ from `a`, ẇ."""
    tree = model.tree
    nq, n = tree.nq, tree.nv
    for j in range(tree.columns.size):
        r, place = tree.columns[j].rate, tree.columns[j].position
        if place >= 0:
            dy[place] = y[nq + r]
        elif r >= 0 and tree.columns[j].axis == 0:
            e = tree.links[tree.columns[j].link].quaternion
            (a, b, c), (e0, e1, e2, e3) = scale(0.5, load3(y, nq + r)), load4(y, e)
            rates = (-e1 * a - e2 * b - e3 * c, e0 * a + b * e3 - c * e2, e0 * b + c * e1 - a * e3, e0 * c + a * e2 - b * e1)
            store4(dy, e, rates)
    for c in range(model.extras):
        dy[tree.extras_at + c] = y[nq + tree.extras_rate + c]
    for c in range(n):
        dy[nq + c] = scratch.a[c]
    dy[nq + n] = power


@inner_kernel
def joint_count_independent(model, active):
    """Let the error test count the coordinates whose rates it counts; a quaternion with any of its rotations."""
    tree = model.tree
    nq = tree.nq
    for j in range(tree.columns.size):
        r, place = tree.columns[j].rate, tree.columns[j].position
        if place >= 0:
            active[place] = active[nq + r]
        elif r >= 0 and tree.columns[j].axis == 0:
            a, b, c = load3(active, nq + r)
            turn = max(a, b, c)
            for k in range(4):
                active[tree.links[tree.columns[j].link].quaternion + k] = turn
    for c in range(model.extras):
        active[tree.extras_at + c] = active[nq + tree.extras_rate + c]


@inlined
def joint_entry(model, scratch, k, c):
    """Return column and value of the c-th entry of row k: rows are full."""
    return (c, scratch.J[model.tree.nv * k + c])


@inlined
def joint_entry_count(model, k):
    """Return the number of entries of a row."""
    return model.tree.nv


JOINT = Space(
    "joint",
    sizes=joint_sizes,
    normalize=joint_normalize,
    set_poses=joint_poses,
    set_state=joint_state,
    displace=joint_displace,
    rows_at_pose=joint_rows_at_pose,
    rows_at_state=joint_rows_at_state,
    velocity_gaps=joint_gaps,
    applied=joint_applied,
    driving_power=joint_driving_power,
    factor=joint_factor,
    solve=joint_solve,
    correct=joint_correct,
    write_rates=joint_write_rates,
    entry=joint_entry,
    entry_count=joint_entry_count,
    count_independent=joint_count_independent,
    remember=joint_remember,
    turned=joint_turned,
    settled=joint_settled,
)
