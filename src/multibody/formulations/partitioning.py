"""Generalized coordinate partitioning (GCP): every evaluation settles positions and velocities, then solves for v̇ and λ."""

from __future__ import annotations

from multibody.formulations.closing import accelerate
from multibody.formulations.partitioned import settle
from multibody.formulations.space import applied, driving_power, factor, rows_at_state, solve, write_rates
from multibody.kernels.compile import inner_kernel, kernel
from multibody.kernels.declared import model_at, scratch_at, state_at


@inner_kernel
def rates_partitioning(space, model, state, scratch, t, y, dy):
    """Write ẏ at the settled state nearest to (t, y); return 0, or 1 where it cannot be settled."""
    ratio = settle(space, model, state, scratch, t, y, state.settings[0].stage_closed)
    if ratio < 0.0:
        return 1
    if ratio > 0.0:
        rows_at_state(space, model, state, scratch, t)
        if not factor(space, model, state, scratch) > 0.0:
            return 1
        power = applied(space, model, state, scratch, t)
        solve(space, model, state, scratch)
        power += driving_power(space, model, state, scratch, t)
    else:  # no partition tells at a change point; the equations of motion still do
        solvable, power = accelerate(space, model, state, scratch, t, y)
        if not solvable:
            return 1
    write_rates(space, model, scratch, y, power, dy)
    return 0


@kernel
def rhs_partitioning(model, state, scratch, t, y, dy):
    """Write ẏ in Cartesian coordinates."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    return rates_partitioning(None, model, state, scratch, t, y, dy)
