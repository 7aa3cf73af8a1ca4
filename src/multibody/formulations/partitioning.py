"""Generalized coordinate partitioning (GCP): every evaluation settles positions and velocities, then solves for v̇ and λ."""

from __future__ import annotations

from multibody.formulations.cartesian import CARTESIAN
from multibody.formulations.closing import accelerate
from multibody.formulations.partitioned import settle
from multibody.kernels.compile import inner_kernel, kernel
from multibody.kernels.declared import model_at, scratch_at, state_at


@inner_kernel
def rates_partitioning(space, model, state, scratch, t, y, dy):
    """Write ẏ at the settled state nearest to (t, y); return 0, or 1 where it cannot be settled."""
    ratio = settle(space, model, state, scratch, t, y, state.settings[0].stage_closed)
    if ratio < 0.0:
        return 1
    if ratio > 0.0:
        space.rows_at_state(model, state, scratch, t)
        if not space.factor(model, state, scratch) > 0.0:
            return 1
        power = space.applied(model, state, scratch, t)
        space.solve(model, state, scratch)
        power += space.driving_power(model, state, scratch, t)
    else:  # no partition tells at a change point; the equations of motion still do
        solvable, power = accelerate(space, model, state, scratch, t, y)
        if not solvable:
            return 1
    space.write_rates(model, scratch, y, power, dy)
    return 0


@kernel
def rhs_partitioning(model, state, scratch, t, y, dy):
    """Write ẏ in Cartesian coordinates."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    return rates_partitioning(CARTESIAN, model, state, scratch, t, y, dy)
