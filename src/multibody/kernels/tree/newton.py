"""What implicit methods ask of the equations of motion in joint coordinates: R = H u̇ + bias − g + Φ_uᵀ λ and its derivatives.

See ``formulations/implicit.py``; called by address, as all of ``calls.py``.
"""

from __future__ import annotations

from multibody.kernels.compile import inlined, inner_kernel, kernel
from multibody.kernels.declared import model_at, scratch_at, state_at
from multibody.kernels.force_partials import force_partials
from multibody.kernels.forces import add_forces
from multibody.kernels.rotations import quaternion_place, quaternion_rates, quaternion_tangent
from multibody.kernels.rows import row_jacobian, row_partials
from multibody.kernels.stacked import PLACE, RATES, TANGENT, chi_at, lambda_at, power_at
from multibody.kernels.tags import PLANAR, SPATIAL
from multibody.kernels.tree.calls import applied_forces, driving_power, set_state
from multibody.kernels.tree.loops import entry_column, entry_count, first_extra, loop_gaps, loop_rows, loop_values
from multibody.kernels.tree.newton_euler import inward, outward, take_off_loads
from multibody.kernels.tree.partials import tree_partials, tree_row
from multibody.kernels.vectors import load3, load4, store3, store4


@inner_kernel
def residual_tree(d, model, state, scratch, t, x, out):
    """Write R, ψ, Φ, Φ_u u̇ − γ_u of the chosen loop rows and the power at x = (q, u, u̇, λ)."""
    tree, work = model.tree, scratch.tree
    nq, n, m = tree.nq, tree.nv, model.chosen.size
    q, v, a, multipliers = x[:nq], x[nq : nq + n], x[nq + n : lambda_at(nq, n)], x[lambda_at(nq, n) :]
    work.with_bodies = 1
    set_state(d, model, state, scratch, t, x)
    power = 0.0
    if tree.acted == 1:
        power = applied_forces(d, model, state, scratch, t)
    _write_loops(d, model, state, scratch, t, x, out)
    if tree.given.size > 0 or model.driven == 1:
        for c in range(n):
            scratch.a[c] = a[c]
        for k in range(m):
            scratch.multipliers[k] = multipliers[k]
        power += driving_power(d, model, state, scratch, t)
        if tree.acted == 1:
            applied_forces(d, model, state, scratch, t)
    outward(d, tree, work, q, v, a)
    if tree.acted == 1:
        take_off_loads(d, tree, work)
    inward(d, tree, work, out)
    for e in range(model.extras):
        out[tree.extras_rate + e] = -work.force[first_extra(d, model) + e] if tree.acted == 1 else 0.0
    for k in range(m):
        row, force = n * model.chosen[k], multipliers[k]
        for c in range(n):
            out[c] += force * scratch.J[row + c]
    out[power_at(n, m)] = power


@inner_kernel
def _write_loops(d, model, state, scratch, t, x, out):
    """Write ψ, Φ and Φ_u u̇ − γ_u of the chosen loop rows, and keep Φ_u in `J`."""
    m = model.chosen.size
    nq, n = model.tree.nq, model.tree.nv
    if model.tree.row_list.size == 0:
        return
    loop_rows(d, model, state, scratch, t, 1)
    for k in range(m):
        r = model.chosen[k]
        total = -scratch.by_row[r]
        for c in range(n):
            total += scratch.J[n * r + c] * x[nq + n + c]
        out[chi_at(n, m) + k] = total
    loop_gaps(d, model, state, scratch, t, x[nq : nq + n])
    for k in range(m):
        out[n + k] = -scratch.by_row[model.chosen[k]]
    loop_values(model, state, scratch, t)
    for k in range(m):
        out[n + m + k] = scratch.by_row[model.chosen[k]]


@inner_kernel
def _set_body_partials(model, state, scratch, t, x):
    """Write forces on the bodies and their derivatives over the Cartesian columns, and the chosen rows and theirs."""
    tree, work = model.tree, scratch.tree
    G, Kc, Cc = work.body_force, work.body_K, work.body_C
    for c in range(G.size):
        G[c] = 0.0
    for e in range(Kc.size):
        Kc[e] = 0.0
        Cc[e] = 0.0
    add_forces(model, state, scratch, t, G)
    force_partials(model, state, scratch, t, Kc, Cc)
    for c in range(G.size):
        G[c] = -G[c]
    for e in range(Kc.size):
        Kc[e] = -Kc[e]
        Cc[e] = -Cc[e]
    first = 0
    for k in range(model.chosen.size):
        r, multiplier = tree.row_list[model.chosen[k]], x[lambda_at(tree.nq, tree.nv) + k :]
        row_jacobian(model, state, scratch, t, r, r + 1, work.row_entries[first:])
        row_partials(model, state, scratch, t, r, r + 1, multiplier, Kc, work.row_changes[first:])
        count = entry_count(model, r)
        for e in range(count):
            G[entry_column(model, r, e)] += multiplier[0] * work.row_entries[first + e]
        first += count


@inner_kernel
def linearize_tree(d, model, state, scratch, t, x):
    """Keep H, C, K, Φ_u and V at x = (q, u, u̇, λ)."""
    tree, work, kept = model.tree, scratch.tree, state.newton
    nq, n, first = tree.nq, tree.nv, 0
    work.with_bodies = 1
    set_state(d, model, state, scratch, t, x)
    _set_body_partials(model, state, scratch, t, x)
    u, a = x[nq : nq + n], x[nq + n : lambda_at(nq, n)]
    tree_partials(d, model, scratch, u, a, work.body_force, work.body_K, work.body_C, kept.M, kept.C, kept.K)
    for k in range(model.chosen.size):
        r, place = tree.row_list[model.chosen[k]], n * model.chosen[k]
        tree_row(d, model, scratch, r, work.row_entries[first:], work.row_changes[first:], kept.P[place:], kept.V[place:])
        first += entry_count(model, r)


@inner_kernel
def move_tree(model, code, x, out):
    """Answer a question about coordinates and rates, see ``formulations/implicit.move_implicit``; x without its code.

    Rates of a ball joint are in the axes of its carrier: the conjugate quaternion then turns with minus these in its own.
    """
    tree = model.tree
    shift = 1 if code == PLACE else 0
    first = tree.nq + shift
    for j in range(tree.columns.size):
        r, place = tree.columns[j].rate, tree.columns[j].position
        if place >= 0:
            if code == TANGENT:
                out[r] = x[first + place]
            else:
                out[place] = x[first + r] if code == RATES else (x[first + r] - x[shift + place]) / x[0]
        elif r >= 0 and tree.columns[j].axis == 0:
            _move_ball(tree.links[tree.columns[j].link].quaternion, r, code, shift, first, x, out)
    for c in range(model.extras):
        at, r = tree.extras_at + c, tree.extras_rate + c
        if code == TANGENT:
            out[r] = x[first + at]
        else:
            out[at] = x[first + r] if code == RATES else (x[first + r] - x[shift + at]) / x[0]


@inlined
def _move_ball(e, r, code, shift, first, x, out):
    """Answer it for the quaternion at place e, whose rates are at r."""
    p = load4(x, shift + e)
    p = (p[0], -p[1], -p[2], -p[3])
    if code == TANGENT:
        b = load4(x, first + e)
        u = quaternion_tangent(p, (b[0], -b[1], -b[2], -b[3]))
        store3(out, r, (-u[0], -u[1], -u[2]))
        return
    u = load3(x, first + r)
    u = (-u[0], -u[1], -u[2])
    found = quaternion_rates(p, u) if code == RATES else quaternion_place(x[0], p, u)
    store4(out, e, (found[0], -found[1], -found[2], -found[3]))


@kernel
def residual_joint(model, state, scratch, t, x, out):
    """Write the residuals."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    if model.planar:
        residual_tree(PLANAR, model, state, scratch, t, x, out)
    else:
        residual_tree(SPATIAL, model, state, scratch, t, x, out)
    return 0


@kernel
def linearize_joint(model, state, scratch, t, x, out):
    """Keep the derivatives."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    if model.planar:
        linearize_tree(PLANAR, model, state, scratch, t, x)
    else:
        linearize_tree(SPATIAL, model, state, scratch, t, x)
    return 0
