"""From states to everything that is reported: accelerations, multipliers, energies, efforts; the same for all formulations."""

from __future__ import annotations

from multibody.formulations.cartesian import CARTESIAN, applied, normalize, set_state
from multibody.formulations.closing import project, settle_references
from multibody.kernels.codes import KINETIC, POTENTIAL
from multibody.kernels.compile import kernel
from multibody.kernels.declared import model_at, scratch_at, state_at
from multibody.kernels.forces import law_efforts, load_wrenches, potential_energy
from multibody.kernels.kkt import factor, solve
from multibody.kernels.mass import kinetic_energy
from multibody.kernels.modes import BODIES, WHOLE
from multibody.kernels.plain_rows import rows_at_state


@kernel
def expand(model, state, scratch, times, Y, refs, closing, A, multipliers, energies, efforts, loads):
    """Evaluate the states Y at their times.

    Parameters
    ----------
    Y : array (instants, nq + nv + 1)
        With `closing`, projected in place onto the constraints.
    refs : array (instants, functions)
        Angle references to start from; with `closing`, moved to the projected state.
    closing : int
        1: states come from an interpolant and are closed first.
    A : array (instants, nv), written
        Accelerations.
    multipliers : array (instants, all rows), written
        λ of the chosen rows, 0 for the others.
    energies : array (instants, 2), written
        Kinetic and potential energy.
    efforts, loads : arrays (instants, ·), written
        Efforts of laws and wrenches of loads.

    Returns
    -------
    int
        Number of instants done; fewer than all where the equations cannot be solved.
    """
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    ref = state.ref
    for k in range(times.shape[0]):
        y, t = Y[k], times[k]
        for f in range(refs.shape[1]):
            ref[f] = refs[k, f]
        if closing == 1:
            normalize(model, y)
            project(CARTESIAN, model, state, scratch, t, y, WHOLE)
            settle_references(CARTESIAN, model, state, scratch, t, y)
            for f in range(refs.shape[1]):
                refs[k, f] = ref[f]
        set_state(model, state, scratch, t, y, BODIES)
        energies[k, KINETIC] = kinetic_energy(model, scratch)
        energies[k, POTENTIAL] = potential_energy(model, state, scratch, t)
        law_efforts(model, state, scratch, t, efforts[k])
        load_wrenches(model, state, scratch, t, loads[k])
        rows_at_state(model, state, scratch, t)
        applied(model, state, scratch, t)
        if not factor(model, state, scratch) > 0.0:
            return k
        solve(model, state, scratch)
        for c in range(model.velocities):
            A[k, c] = scratch.a[c]
        for i in range(model.chosen.size):
            multipliers[k, model.chosen[i]] = scratch.multipliers[i]
    return times.shape[0]
