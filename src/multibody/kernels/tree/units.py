"""The units that a run in joint coordinates is made of, each compiled by itself for one dimension and called by its address.

Everything built on them (right-hand sides, projection, partitioning, change points) is compiled once and links none of them; a
planar model compiles planar units only, and `articulated` no others than its own. All have the signature of ``calls.EVALUATE``;
numbers that they answer go to W_RESULT.
"""

from __future__ import annotations

from typing import Any

from multibody.kernels import layout as L
from multibody.kernels import sections as R
from multibody.kernels.compile import inlined, inner_kernel, kernel
from multibody.kernels.declared import model_at, scratch_at, state_at
from multibody.kernels.forces import add_actions
from multibody.kernels.rows import partial, row_velocity
from multibody.kernels.tree import layout as T
from multibody.kernels.tree.algebra import inner, load, width
from multibody.kernels.tree.bodies import write_accelerations, write_poses, write_twists, write_wrenches
from multibody.kernels.tree.forces import joint_multipliers
from multibody.kernels.tree.frames import column_of, record_of, state_of
from multibody.kernels.tree.loops import loop_gaps, loop_rows, loop_values
from multibody.kernels.tree.motion import motions, positions, velocities
from multibody.kernels.tree.solver import factor_tree, solve_tree
from multibody.kernels.tree.sweep import coordinate
from multibody.kernels.tree.wrenches import joint_wrenches


@inner_kernel
def set_given(model, scratch, t, h):
    """Write value, rate and acceleration of the prescribed columns: the motion's row is c + G(t) = 0."""
    I, W = model.I, scratch.W
    for k in range(I[h + T.GIVEN_COUNT]):
        at, r = I[h + T.W_GIVEN] + 3 * k, I[I[h + T.GIVEN] + 2 * k + 1]
        table = I[I[L.ROWS] + L.ROW_STRIDE * r + 4]
        W[I[L.W_INPUT]], W[I[L.W_INPUT] + 1] = t, 0.0
        for order in range(3):  # places of G, G_t, G_tt in the table of a row with one coordinate
            W[at + order] = -partial(model, scratch, table, (0, 1, 3)[order]) if table >= 0 else 0.0


@inner_kernel
def count_turns(model, state, scratch, h, q):
    """Let the angles of tree joints be read as the coordinates that they are, whole turns included."""
    I, ref = model.I, state.ref
    for j in range(I[h + T.COLUMN_COUNT]):
        record = record_of(model, h, j)
        if I[record + T.FUNCTION] >= 0 and I[record + T.KIND] != T.SLIDE:
            ref[I[record + T.FUNCTION]] = coordinate(model, scratch, h, record, q)


@inner_kernel
def _poses(d, model, state, scratch, t, q):
    """Write the poses of links and bodies at (t, q)."""
    I, W = model.I, scratch.W
    h = I[T.TREE]
    if I[h + T.GIVEN_COUNT] > 0:
        set_given(model, scratch, t, h)
    for e in range(I[L.EXTRAS]):
        W[I[L.W_EXTRA] + e] = q[I[h + T.EXTRAS_AT] + e]
    positions(d, model, scratch, h, q)
    if W[I[h + T.W_RESULT] + T.WITH_BODIES] > 0.0:
        write_poses(d, model, scratch, h)
        count_turns(model, state, scratch, h, q)


@inlined
def set_state(d, model, state, scratch, t, y):
    """Write poses and motions of links and bodies at (t, y) in one sweep."""
    I, W = model.I, scratch.W
    h, w = I[T.TREE], width(d)
    v = y[I[h + T.NQ] :]
    if I[h + T.GIVEN_COUNT] > 0:
        set_given(model, scratch, t, h)
    for e in range(I[L.EXTRAS]):
        W[I[L.W_EXTRA] + e] = y[I[h + T.EXTRAS_AT] + e]
        W[I[L.W_VELOCITY] + w * (I[L.BODIES] + 1) + e] = v[I[h + T.EXTRAS_RATE] + e]
    motions(d, model, scratch, h, y, v)
    if W[I[h + T.W_RESULT] + T.WITH_BODIES] > 0.0:
        write_poses(d, model, scratch, h)
        write_twists(d, model, scratch, h)
        count_turns(model, state, scratch, h, y)


@inner_kernel
def _twists(d, model, scratch, v):
    """Write the motions of links and bodies, whose poses are known, for the rates v."""
    I, W = model.I, scratch.W
    h, w = I[T.TREE], width(d)
    velocities(d, model, scratch, h, v)
    if W[I[h + T.W_RESULT] + T.WITH_BODIES] > 0.0:
        write_twists(d, model, scratch, h)
    for e in range(I[L.EXTRAS]):
        W[I[L.W_VELOCITY] + w * (I[L.BODIES] + 1) + e] = v[I[h + T.EXTRAS_RATE] + e]


@inner_kernel
def applied_forces(d, model, state, scratch, t):
    """Write what laws and loads do to the links to W_WRENCH; the power of those without a potential to W_RESULT."""
    I, W = model.I, scratch.W
    h = I[T.TREE]
    n, Q = I[L.VELOCITIES], I[h + T.W_FORCE]
    for c in range(n):
        W[Q + c] = 0.0
    W[I[h + T.W_RESULT] + T.WORK_RATE] = add_actions(model, state, scratch, t, W[Q : Q + n])
    write_wrenches(d, model, scratch, h, Q)


@inner_kernel
def driving_power(d, model, state, scratch, t):
    """Write the power of prescribed columns, Σ τ q̇ with τ = Bᵀ R̂ (36), and of loop rows that depend on time to W_RESULT."""
    I, W = model.I, scratch.W
    h, total, w = I[T.TREE], 0.0, width(d)
    if I[h + T.GIVEN_COUNT] > 0:
        joint_wrenches(d, model, state, scratch, t, h)
    for k in range(I[h + T.GIVEN_COUNT]):
        j = I[I[h + T.GIVEN] + 2 * k]
        f = load(d, W, state_of(d, model, scratch, h, I[record_of(model, h, j) + T.LINK]) + T.FORCE * w)
        total += inner(d, load(d, W, column_of(d, model, h, j)), f) * W[I[h + T.W_GIVEN] + 3 * k + 1]
    if I[R.DRIVEN] == 1:
        for k in range(I[R.CHOSEN_COUNT]):
            r = I[I[h + T.ROW_LIST] + I[I[R.CHOSEN] + k]]
            row_velocity(model, state, scratch, t, r, r + 1, W[I[R.W_X] + k :])
            total -= W[I[R.W_LAMBDA] + k] * W[I[R.W_X] + k]
    W[I[h + T.W_RESULT] + T.WORK_RATE] = total


@kernel
def values(model, state, scratch, t, y, out):
    """Write Φ of the loop rows at the poses in W to W_X."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    I = model.I
    loop_values(model, state, scratch, t, I[T.TREE])
    return 0


@kernel
def poses_planar(model, state, scratch, t, y, out):
    """Write the poses of links and bodies at (t, y)."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    _poses(None, model, state, scratch, t, y)
    return 0


@kernel
def state_planar(model, state, scratch, t, y, out):
    """Write poses and motions of links and bodies at (t, y)."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    set_state(None, model, state, scratch, t, y)
    return 0


@kernel
def twists_planar(model, state, scratch, t, y, out):
    """Write the motions of links and bodies for the rates y."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    _twists(None, model, scratch, y)
    return 0


@kernel
def rows_planar(model, state, scratch, t, y, out):
    """Write Φ_u of the loop rows to W_J and, where WITH_RATES is set, γ_u to W_X."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    I, W = model.I, scratch.W
    loop_rows(None, model, state, scratch, t, I[T.TREE], W[I[I[T.TREE] + T.W_RESULT] + T.WITH_RATES])
    return 0


@kernel
def gaps_planar(model, state, scratch, t, y, out):
    """Write ν − Φ̇ of the loop rows for the rates y, whose motions are known, to W_X."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    I = model.I
    loop_gaps(None, model, state, scratch, t, I[T.TREE], y)
    return 0


@kernel
def factor_planar(model, state, scratch, t, y, out):
    """Factor the equations of motion, mass matrix formed."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    I, W = model.I, scratch.W
    W[I[I[T.TREE] + T.W_RESULT] + T.RATIO] = factor_tree(None, None, model, scratch, I[T.TREE])
    return 0


@kernel
def solve_planar(model, state, scratch, t, y, out):
    """Write u̇ to W_A and λ to W_LAMBDA, mass matrix formed."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    I = model.I
    solve_tree(None, None, model, scratch, I[T.TREE])
    return 0


@kernel
def factor_planar_swept(model, state, scratch, t, y, out):
    """Factor the equations of motion by sweeps."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    I, W = model.I, scratch.W
    W[I[I[T.TREE] + T.W_RESULT] + T.RATIO] = factor_tree(None, True, model, scratch, I[T.TREE])
    return 0


@kernel
def solve_planar_swept(model, state, scratch, t, y, out):
    """Write u̇ to W_A and λ to W_LAMBDA by sweeps."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    I = model.I
    solve_tree(None, True, model, scratch, I[T.TREE])
    return 0


@kernel
def applied_planar(model, state, scratch, t, y, out):
    """Write what laws and loads do to the links to W_WRENCH."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    applied_forces(None, model, state, scratch, t)
    return 0


@kernel
def power_planar(model, state, scratch, t, y, out):
    """Write the power of motions to W_RESULT; W_WRENCH and W_X are overwritten."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    driving_power(None, model, state, scratch, t)
    return 0


@kernel
def multipliers_planar(model, state, scratch, t, y, out):
    """Write λ of the rows of tree joints and their motions to out, and the accelerations of the bodies to W_FORCE."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    I = model.I
    joint_multipliers(None, model, state, scratch, t, I[T.TREE], out)
    write_accelerations(None, model, scratch, I[T.TREE], I[I[T.TREE] + T.W_FORCE])
    return 0


@kernel
def poses_spatial(model, state, scratch, t, y, out):
    """Write the poses of links and bodies at (t, y)."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    _poses(True, model, state, scratch, t, y)
    return 0


@kernel
def state_spatial(model, state, scratch, t, y, out):
    """Write poses and motions of links and bodies at (t, y)."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    set_state(True, model, state, scratch, t, y)
    return 0


@kernel
def twists_spatial(model, state, scratch, t, y, out):
    """Write the motions of links and bodies for the rates y."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    _twists(True, model, scratch, y)
    return 0


@kernel
def rows_spatial(model, state, scratch, t, y, out):
    """Write Φ_u of the loop rows to W_J and, where WITH_RATES is set, γ_u to W_X."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    I, W = model.I, scratch.W
    loop_rows(True, model, state, scratch, t, I[T.TREE], W[I[I[T.TREE] + T.W_RESULT] + T.WITH_RATES])
    return 0


@kernel
def gaps_spatial(model, state, scratch, t, y, out):
    """Write ν − Φ̇ of the loop rows for the rates y, whose motions are known, to W_X."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    I = model.I
    loop_gaps(True, model, state, scratch, t, I[T.TREE], y)
    return 0


@kernel
def factor_spatial(model, state, scratch, t, y, out):
    """Factor the equations of motion, mass matrix formed."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    I, W = model.I, scratch.W
    W[I[I[T.TREE] + T.W_RESULT] + T.RATIO] = factor_tree(True, None, model, scratch, I[T.TREE])
    return 0


@kernel
def solve_spatial(model, state, scratch, t, y, out):
    """Write u̇ to W_A and λ to W_LAMBDA, mass matrix formed."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    I = model.I
    solve_tree(True, None, model, scratch, I[T.TREE])
    return 0


@kernel
def factor_spatial_swept(model, state, scratch, t, y, out):
    """Factor the equations of motion by sweeps."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    I, W = model.I, scratch.W
    W[I[I[T.TREE] + T.W_RESULT] + T.RATIO] = factor_tree(True, True, model, scratch, I[T.TREE])
    return 0


@kernel
def solve_spatial_swept(model, state, scratch, t, y, out):
    """Write u̇ to W_A and λ to W_LAMBDA by sweeps."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    I = model.I
    solve_tree(True, True, model, scratch, I[T.TREE])
    return 0


@kernel
def applied_spatial(model, state, scratch, t, y, out):
    """Write what laws and loads do to the links to W_WRENCH."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    applied_forces(True, model, state, scratch, t)
    return 0


@kernel
def power_spatial(model, state, scratch, t, y, out):
    """Write the power of motions to W_RESULT; W_WRENCH and W_X are overwritten."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    driving_power(True, model, state, scratch, t)
    return 0


@kernel
def multipliers_spatial(model, state, scratch, t, y, out):
    """Write λ of the rows of tree joints and their motions to out, and the accelerations of the bodies to W_FORCE."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    I = model.I
    joint_multipliers(True, model, state, scratch, t, I[T.TREE], out)
    write_accelerations(True, model, scratch, I[T.TREE], I[I[T.TREE] + T.W_FORCE])
    return 0


def units_of(dimension: int, method: int) -> dict[int, Any]:
    """Return the units of a run by the slots of their addresses."""
    slots = (T.STATE, T.POSES, T.TWISTS, T.ROWS, T.GAPS, T.APPLIED, T.POWER, T.MULTIPLIERS, T.FACTOR, T.SOLVE)
    found: tuple[Any, ...]
    if dimension == 2:
        found = (state_planar, poses_planar, twists_planar, rows_planar, gaps_planar, applied_planar, power_planar)
        found += (multipliers_planar, factor_planar, solve_planar)
        swept = (factor_planar_swept, solve_planar_swept)
    else:
        found = (state_spatial, poses_spatial, twists_spatial, rows_spatial, gaps_spatial, applied_spatial, power_spatial)
        found += (multipliers_spatial, factor_spatial, solve_spatial)
        swept = (factor_spatial_swept, solve_spatial_swept)
    found = found[:-2] + swept if method == T.ARTICULATED else found
    return {**dict(zip(slots, found, strict=True)), T.VALUES: values}
