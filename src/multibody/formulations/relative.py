"""The equations of motion in joint coordinates, H u̇ + Φ_uᵀ λ = g with Φ_u u̇ = γ_u at the cut joints.

Kim, You (1996) without loops, Lee, Sohn, Kim, Yoo (2001) with them. How the mass matrix is met (`recursive`, `transformation`,
`articulated`) stands in the tables of a run; what is done about the loops (projection, stabilization, partitioning) is the same
code as in Cartesian coordinates.
"""

from __future__ import annotations

from multibody.formulations.augmented import close_augmented, rates_augmented
from multibody.formulations.baumgarte import rates_baumgarte, watch_baumgarte
from multibody.formulations.closing import project, settle_references
from multibody.formulations.partitioned import close_partitioned
from multibody.formulations.partitioning import rates_partitioning
from multibody.formulations.space import applied, factor, normalize, rows_at_pose, rows_at_state, set_state, solve
from multibody.kernels import layout as L
from multibody.kernels import sections as R
from multibody.kernels.calls import call
from multibody.kernels.compile import kernel
from multibody.kernels.declared import model_at, scratch_at, state_at
from multibody.kernels.forces import law_efforts, load_wrenches, potential_energy
from multibody.kernels.mass import kinetic_energy
from multibody.kernels.tree import layout as T
from multibody.kernels.tree.bodies import write_state
from multibody.kernels.watch import watched_values


@kernel
def rhs_relative(model, state, scratch, t, y, dy):
    """Write ẏ; return 0, or 1 where the equations cannot be solved."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    return rates_augmented(True, model, state, scratch, t, y, dy)


@kernel
def accept_relative(model, state, scratch, t, y, active):
    """Project an accepted state onto the loops."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    return close_augmented(True, model, state, scratch, t, y)


@kernel
def rhs_relative_stabilized(model, state, scratch, t, y, dy):
    """Write ẏ with feedback of the loops' violations."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    return rates_baumgarte(True, model, state, scratch, t, y, dy)


@kernel
def accept_relative_stabilized(model, state, scratch, t, y, active):
    """Accept a state whose loops are stabilized."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    return watch_baumgarte(True, model, state, scratch, t, y)


@kernel
def rhs_relative_partitioned(model, state, scratch, t, y, dy):
    """Write ẏ at the state with the independent joint coordinates of y."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    return rates_partitioning(True, model, state, scratch, t, y, dy)


@kernel
def accept_relative_partitioned(model, state, scratch, t, y, active):
    """Make the dependent joint coordinates of an accepted state exact."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    return close_partitioned(True, model, state, scratch, t, y, active)


@kernel
def monitor_relative(model, state, scratch, t, y, out):
    """Write the values of all watched expressions at y; return 0."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    set_state(True, model, state, scratch, t, y, 1)
    watched_values(model, state, scratch, t, out)
    return 0


@kernel
def probe_relative(model, state, scratch, t, y, out):
    """Write Φ_u of the loop rows at (t, y) to W_J and factor the mass matrix; the answers are in W_RESULT."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    I = model.I
    set_state(True, model, state, scratch, t, y, 1)
    rows_at_pose(True, model, state, scratch, t, 0, 1)
    factor(True, model, state, scratch)
    if I[R.CHOSEN_COUNT] == 0:
        solve(True, model, state, scratch)
    return 0


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
    I, ref = model.I, state.ref
    h, nq, nv = I[T.TREE], I[L.COORDINATES], I[L.VELOCITIES]
    for k in range(times.shape[0]):
        y, t = Y[k], times[k]
        for f in range(refs.shape[1]):
            ref[f] = refs[k, f]
        if closing == 1:
            normalize(True, model, y)
            project(True, model, state, scratch, t, y, 0)
            settle_references(True, model, state, scratch, t, y)
        set_state(True, model, state, scratch, t, y, 1)
        for f in range(refs.shape[1]):
            refs[k, f] = ref[f]
        if k > 0:
            for c in range(nq):
                out[k, c] = out[k - 1, c]
        if I[L.DIMENSION] == 2:
            write_state(None, model, scratch, h, out[k])
        else:
            write_state(True, model, scratch, h, out[k])
        for e in range(I[L.EXTRAS]):
            out[k, nq - I[L.EXTRAS] + e] = y[I[h + T.EXTRAS_AT] + e]
            out[k, nq + nv - I[L.EXTRAS] + e] = y[I[h + T.NQ] + I[h + T.EXTRAS_RATE] + e]
        out[k, nq + nv] = y[I[h + T.NQ] + I[h + T.NV]]


@kernel
def expand_relative(model, state, scratch, times, Y, refs, A, multipliers, energies, efforts, loads):
    """Evaluate states in joint coordinates: accelerations of the bodies, multipliers of all rows, energies, efforts.

    Parameters and result as ``expand.expand``; multipliers of tree joints follow from their wrenches.
    """
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    I, W, ref = model.I, scratch.W, state.ref
    h = I[T.TREE]
    for k in range(times.shape[0]):
        y, t = Y[k], times[k]
        for f in range(refs.shape[1]):
            ref[f] = refs[k, f]
        set_state(True, model, state, scratch, t, y, 1)
        energies[k, 0], energies[k, 1] = kinetic_energy(model, scratch), potential_energy(model, state, scratch, t)
        law_efforts(model, state, scratch, t, efforts[k])
        load_wrenches(model, state, scratch, t, loads[k])
        rows_at_state(True, model, state, scratch, t)
        if not factor(True, model, state, scratch) > 0.0:
            return k
        applied(True, model, state, scratch, t)
        solve(True, model, state, scratch)
        for c in range(I[R.CHOSEN_COUNT]):
            multipliers[k, I[I[h + T.ROW_LIST] + I[I[R.CHOSEN] + c]]] = W[I[R.W_LAMBDA] + c]
        call(I[h + T.MULTIPLIERS], (model, state, scratch), t, y, multipliers[k])
        extras = I[L.VELOCITIES] - I[L.EXTRAS]
        for c in range(extras):
            A[k, c] = W[I[h + T.W_FORCE] + c]
        for e in range(I[L.EXTRAS]):
            A[k, extras + e] = W[I[R.W_A] + I[h + T.EXTRAS_RATE] + e]
    return times.shape[0]
