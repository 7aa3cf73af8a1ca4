"""What a run in joint coordinates calls by address, each function compiled by itself for one dimension.

Everything built on them (right-hand sides, projection, partitioning, change points) is compiled once and links none of them; a
planar model compiles planar ones only. All have the signature of ``calls.EVALUATE``;
what they are asked and numbers that they answer stand in the tree's scratch.
"""

from __future__ import annotations

from multibody.kernels.codes import BY_TIME, READ, TIME, VALUE
from multibody.kernels.compile import inlined, inner_kernel, kernel
from multibody.kernels.declared import model_at, scratch_at, state_at
from multibody.kernels.forces import add_actions
from multibody.kernels.rows import partial, row_velocity
from multibody.kernels.tags import PLANAR, SPATIAL
from multibody.kernels.tree.algebra import inner, load
from multibody.kernels.tree.bodies import (
    write_accelerations,
    write_extra_rates,
    write_poses,
    write_twists,
    write_wrenches,
)
from multibody.kernels.tree.declared import SLIDE, columns_of, links_of
from multibody.kernels.tree.joint_forces import joint_multipliers
from multibody.kernels.tree.loops import loop_gaps, loop_rows, loop_values
from multibody.kernels.tree.motion import motions, positions, velocities
from multibody.kernels.tree.sweep import coordinate
from multibody.kernels.tree.wrenches import joint_wrenches

TWICE_BY_TIME = 3  # place of G_tt in the program table of a row with one coordinate


@inner_kernel
def set_given(model, scratch, t):
    """Write value, rate and acceleration of the prescribed columns: the motion's row is c + G(t) = 0."""
    tree = model.tree
    for k in range(tree.given.size):
        now, table = scratch.tree.given[k], model.rows[tree.given[k].row].program
        scratch.input[TIME], scratch.input[READ] = t, 0.0
        now.value = -partial(model, scratch, table, VALUE) if table >= 0 else 0.0
        now.rate = -partial(model, scratch, table, BY_TIME) if table >= 0 else 0.0
        now.acceleration = -partial(model, scratch, table, TWICE_BY_TIME) if table >= 0 else 0.0


@inner_kernel
def count_turns(model, state, scratch, q):
    """Let the angles of tree joints be read as the coordinates that they are, whole turns included."""
    tree = model.tree
    for j in range(tree.columns.size):
        column = tree.columns[j]
        if column.function >= 0 and column.kind != SLIDE:
            state.ref[column.function] = coordinate(column, scratch.tree, q)


@inner_kernel
def _poses(d, model, state, scratch, t, q):
    """Write the poses of links and bodies at (t, q)."""
    tree, work = model.tree, scratch.tree
    if tree.given.size > 0:
        set_given(model, scratch, t)
    for e in range(model.extras):
        scratch.extra[e] = q[tree.extras_at + e]
    positions(d, tree, work, q)
    if work.with_bodies == 1:
        write_poses(d, model, scratch)
        count_turns(model, state, scratch, q)


@inlined
def set_state(d, model, state, scratch, t, y):
    """Write poses and motions of links and bodies at (t, y) in one sweep."""
    tree, work = model.tree, scratch.tree
    v = y[tree.nq :]
    if tree.given.size > 0:
        set_given(model, scratch, t)
    for e in range(model.extras):
        scratch.extra[e] = y[tree.extras_at + e]
    write_extra_rates(d, model, scratch, v)
    motions(d, tree, work, y, v)
    if work.with_bodies == 1:
        write_poses(d, model, scratch)
        write_twists(d, model, scratch)
        count_turns(model, state, scratch, y)


@inner_kernel
def _twists(d, model, scratch, v):
    """Write the motions of links and bodies, whose poses are known, for the rates v."""
    velocities(d, model.tree, scratch.tree, v)
    if scratch.tree.with_bodies == 1:
        write_twists(d, model, scratch)
    write_extra_rates(d, model, scratch, v)


@inner_kernel
def applied_forces(d, model, state, scratch, t):
    """Write what laws and loads do to the links to their loads; return the power of those without a potential."""
    work = scratch.tree
    for c in range(work.force.size):
        work.force[c] = 0.0
    power = add_actions(model, state, scratch, t, work.force)
    write_wrenches(d, model, scratch)
    return power


@inner_kernel
def driving_power(d, model, state, scratch, t):
    """Return the power of prescribed columns, Σ τ q̇ with τ = Bᵀ R̂ (36), and of loop rows that depend on time."""
    tree, work = model.tree, scratch.tree
    total, x = 0.0, scratch.by_row
    if tree.given.size > 0:
        joint_wrenches(d, model, state, scratch, t)
    for k in range(tree.given.size):
        j = tree.given[k].column
        f = load(d, links_of(d, work)[tree.columns[j].link].force)
        total += inner(d, load(d, columns_of(d, work)[j].B), f) * work.given[k].rate
    if model.driven == 1:
        for k in range(model.chosen.size):
            r = tree.row_list[model.chosen[k]]
            row_velocity(model, state, scratch, t, r, r + 1, x[k:])
            total -= scratch.multipliers[k] * x[k]
    return total


# --- what is called ----------------------------------------------------------------------------------------------------------
@kernel
def call_values(model, state, scratch, t, y, out):
    """Write Φ of the loop rows at the poses to `by_row`."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    loop_values(model, state, scratch, t)
    return 0


@kernel
def call_poses(model, state, scratch, t, y, out):
    """Write the poses of links and bodies at (t, y)."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    if model.planar:
        _poses(PLANAR, model, state, scratch, t, y)
    else:
        _poses(SPATIAL, model, state, scratch, t, y)
    return 0


@kernel
def call_state(model, state, scratch, t, y, out):
    """Write poses and motions of links and bodies at (t, y)."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    if model.planar:
        set_state(PLANAR, model, state, scratch, t, y)
    else:
        set_state(SPATIAL, model, state, scratch, t, y)
    return 0


@kernel
def call_twists(model, state, scratch, t, y, out):
    """Write the motions of links and bodies for the rates y."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    if model.planar:
        _twists(PLANAR, model, scratch, y)
    else:
        _twists(SPATIAL, model, scratch, y)
    return 0


@kernel
def call_rows(model, state, scratch, t, y, out):
    """Write Φ_u of the loop rows to `J` and, where `with_rates` is set, γ_u to `by_row`."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    if model.planar:
        loop_rows(PLANAR, model, state, scratch, t, scratch.tree.with_rates)
    else:
        loop_rows(SPATIAL, model, state, scratch, t, scratch.tree.with_rates)
    return 0


@kernel
def call_gaps(model, state, scratch, t, y, out):
    """Write ν − Φ̇ of the loop rows for the rates y, whose motions are known, to `by_row`."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    if model.planar:
        loop_gaps(PLANAR, model, state, scratch, t, y)
    else:
        loop_gaps(SPATIAL, model, state, scratch, t, y)
    return 0


@kernel
def call_applied(model, state, scratch, t, y, out):
    """Write what laws and loads do to the links to their loads."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    if model.planar:
        scratch.tree.work_rate = applied_forces(PLANAR, model, state, scratch, t)
    else:
        scratch.tree.work_rate = applied_forces(SPATIAL, model, state, scratch, t)
    return 0


@kernel
def call_power(model, state, scratch, t, y, out):
    """Write the power of motions; loads and `by_row` are overwritten."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    if model.planar:
        scratch.tree.work_rate = driving_power(PLANAR, model, state, scratch, t)
    else:
        scratch.tree.work_rate = driving_power(SPATIAL, model, state, scratch, t)
    return 0


@kernel
def call_multipliers(model, state, scratch, t, y, out):
    """Write λ of the rows of tree joints and their motions to out, and the accelerations of the bodies to the tree's forces."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    if model.planar:
        joint_multipliers(PLANAR, model, state, scratch, t, out)
        write_accelerations(PLANAR, model, scratch, scratch.tree.force)
    else:
        joint_multipliers(SPATIAL, model, state, scratch, t, out)
        write_accelerations(SPATIAL, model, scratch, scratch.tree.force)
    return 0


# by their names in ``TreeCalls``; how the mass matrix is met the formulation adds
TREE_CALLS = {
    "state": call_state, "poses": call_poses, "twists": call_twists, "rows": call_rows, "values": call_values,
    "gaps": call_gaps, "applied": call_applied, "power": call_power, "multipliers": call_multipliers,
}  # fmt: skip
