"""The equations of motion in joint coordinates, H u̇ + Φ_uᵀ λ = g with Φ_u u̇ = γ_u at the cut joints.

Kim, You (1996) without loops, Lee, Sohn, Kim, Yoo (2001) with them. How the mass matrix is met (`recursive`, `transformation`,
`articulated`) stands in the tables of a run; what is done about the loops (projection, stabilization, partitioning) is the same
code as in Cartesian coordinates.
"""

from __future__ import annotations

import math

from multibody.formulations.augmented import close_augmented, rates_augmented
from multibody.formulations.baumgarte import rates_baumgarte, watch_baumgarte
from multibody.formulations.closing import project, settle_references
from multibody.formulations.partitioned import close_partitioned
from multibody.formulations.partitioning import rates_partitioning
from multibody.kernels.calls import call
from multibody.kernels.codes import KINETIC, POTENTIAL
from multibody.kernels.compile import inner_kernel, kernel
from multibody.kernels.declared import model_at, scratch_at, state_at
from multibody.kernels.forces import law_efforts, load_wrenches, potential_energy
from multibody.kernels.mass import kinetic_energy
from multibody.kernels.modes import BODIES, GRADIENTS, NO_VALUES, WHOLE
from multibody.kernels.tags import PLANAR, SPATIAL
from multibody.kernels.tree.bodies import write_state
from multibody.kernels.tree.space import JOINT
from multibody.kernels.watch import watched_values

RATIO, COLUMN, PROBED = range(3)  # what a probe answers
WEIGHTLESS = 1e-13  # a pivot of the mass matrix below this part of the largest is what rounding leaves of none


@kernel
def rhs_relative(model, state, scratch, t, y, dy):
    """Write ẏ; return 0, or 1 where the equations cannot be solved."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    return rates_augmented(JOINT, model, state, scratch, t, y, dy)


@kernel
def accept_relative(model, state, scratch, t, y, active):
    """Project an accepted state onto the loops."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    return close_augmented(JOINT, model, state, scratch, t, y)


@kernel
def rhs_relative_stabilized(model, state, scratch, t, y, dy):
    """Write ẏ with feedback of the loops' violations."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    return rates_baumgarte(JOINT, model, state, scratch, t, y, dy)


@kernel
def accept_relative_stabilized(model, state, scratch, t, y, active):
    """Accept a state whose loops are stabilized."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    return watch_baumgarte(JOINT, model, state, scratch, t, y)


@kernel
def rhs_relative_partitioned(model, state, scratch, t, y, dy):
    """Write ẏ at the state with the independent joint coordinates of y."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    return rates_partitioning(JOINT, model, state, scratch, t, y, dy)


@kernel
def accept_relative_partitioned(model, state, scratch, t, y, active):
    """Make the dependent joint coordinates of an accepted state exact."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    return close_partitioned(JOINT, model, state, scratch, t, y, active)


@kernel
def monitor_relative(model, state, scratch, t, y, out):
    """Write the values of all watched expressions at y; return 0."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    JOINT.set_state(model, state, scratch, t, y, BODIES)
    watched_values(model, state, scratch, t, out)
    return 0


@kernel
def probe_relative(model, state, scratch, t, y, out):
    """Write Φ_u of the loop rows at (t, y) to `J` and factor the mass matrix; write what that met to out.

    Parameters
    ----------
    out : array (PROBED,), written
        RATIO: smallest pivot ratio of the mass matrix, ≤ 0 where it is singular; COLUMN: one that moves no mass, −1 if all do.
    """
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    JOINT.set_state(model, state, scratch, t, y, BODIES)
    JOINT.rows_at_pose(model, state, scratch, t, NO_VALUES, GRADIENTS)
    JOINT.factor(model, state, scratch)
    if model.chosen.size == 0:
        JOINT.solve(model, state, scratch)
    out[RATIO], out[COLUMN] = scratch.tree.mass_ratio, scratch.tree.weightless
    if out[RATIO] > 0.0 and scratch.tree.HD.size > 0 and model.general == 0:
        out[RATIO] = min(out[RATIO], _lightest(model, scratch.tree.HD))
    return 0


@inner_kernel
def _lightest(model, inverse):
    """Return the smallest pivot of the mass matrix over the largest, free of units, where it is next to nothing, else 1.

    A direction without mass has a pivot of zero, or one that rounding leaves of numbers that cancel.
    """
    least, largest = math.inf, 0.0
    for c in range(inverse.size):
        pivot = model.column_scale[c] * model.column_scale[c] / inverse[c]
        least, largest = min(least, pivot), max(largest, pivot)
    return least / largest if least < WEIGHTLESS * largest else 1.0


@kernel
def cartesian_states(model, state, scratch, times, Y, refs, closing, out):
    """Write the Cartesian (q, v, w) of states in joint coordinates.

    Parameters
    ----------
    Y : array (instants, NQ + NV + 1)
        With `closing` = 1, projected onto the loops in place.
    refs : array (instants, functions)
        Angle references to start from, moved to the state.
    out : array (instants, nq + nv + 1), written
        Quaternions take the sign nearest to the instant before (the first: to what stands there).
    """
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    ref = state.ref
    tree, nq, nv = model.tree, model.coordinates, model.velocities
    for k in range(times.shape[0]):
        y, t = Y[k], times[k]
        for f in range(refs.shape[1]):
            ref[f] = refs[k, f]
        if closing == 1:
            JOINT.normalize(model, y)
            project(JOINT, model, state, scratch, t, y, WHOLE)
            settle_references(JOINT, model, state, scratch, t, y)
        JOINT.set_state(model, state, scratch, t, y, BODIES)
        for f in range(refs.shape[1]):
            refs[k, f] = ref[f]
        if k > 0:
            for c in range(nq):
                out[k, c] = out[k - 1, c]
        if model.planar:
            write_state(PLANAR, model, scratch, out[k])
        else:
            write_state(SPATIAL, model, scratch, out[k])
        for e in range(model.extras):
            out[k, nq - model.extras + e] = y[tree.extras_at + e]
            out[k, nq + nv - model.extras + e] = y[tree.nq + tree.extras_rate + e]
        out[k, nq + nv] = y[tree.nq + tree.nv]


@kernel
def expand_relative(model, state, scratch, times, Y, refs, A, multipliers, energies, efforts, loads):
    """Evaluate states in joint coordinates: accelerations of the bodies, multipliers of all rows, energies, efforts.

    Parameters and result as ``expand.expand``; multipliers of tree joints follow from their wrenches.
    """
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    ref, tree = state.ref, model.tree
    for k in range(times.shape[0]):
        y, t = Y[k], times[k]
        for f in range(refs.shape[1]):
            ref[f] = refs[k, f]
        JOINT.set_state(model, state, scratch, t, y, BODIES)
        energies[k, KINETIC] = kinetic_energy(model, scratch)
        energies[k, POTENTIAL] = potential_energy(model, state, scratch, t)
        law_efforts(model, state, scratch, t, efforts[k])
        load_wrenches(model, state, scratch, t, loads[k])
        JOINT.rows_at_state(model, state, scratch, t)
        if not JOINT.factor(model, state, scratch) > 0.0:
            return k
        JOINT.applied(model, state, scratch, t)
        JOINT.solve(model, state, scratch)
        for c in range(model.chosen.size):
            multipliers[k, tree.row_list[model.chosen[c]]] = scratch.multipliers[c]
        call(tree.calls.multipliers, (model, state, scratch), t, y, multipliers[k])
        extras = model.velocities - model.extras
        for c in range(extras):
            A[k, c] = scratch.tree.force[c]
        for e in range(model.extras):
            A[k, extras + e] = scratch.a[tree.extras_rate + e]
    return times.shape[0]
