"""Generalized coordinate partitioning (GCP): every evaluation settles positions and velocities, then solves for v̇ and λ."""

from __future__ import annotations

from multibody.formulations.closing import accelerate
from multibody.formulations.partitioned import settle
from multibody.formulations.space import applied, driving_power, factor, rows_at_state, solve, write_rates
from multibody.kernels import sections as R
from multibody.kernels.compile import inner_kernel, kernel


@inner_kernel
def rates_partitioning(space, I, F, W, ref, t, y, dy):
    """Write ẏ at the settled state nearest to (t, y); return 0, or 1 where it cannot be settled."""
    ratio = settle(space, I, F, W, ref, t, y, W[I[R.W_SETTINGS] + R.STAGE_CLOSED])
    if ratio < 0.0:
        return 1
    if ratio > 0.0:
        rows_at_state(space, I, F, W, ref, t)
        if not factor(space, I, F, W, ref) > 0.0:
            return 1
        power = applied(space, I, F, W, ref, t)
        solve(space, I, F, W, ref)
        power += driving_power(space, I, F, W, ref, t)
    else:  # no partition tells at a change point; the equations of motion still do
        solvable, power = accelerate(space, I, F, W, ref, t, y)
        if not solvable:
            return 1
    write_rates(space, I, W, y, power, dy)
    return 0


@kernel
def rhs_partitioning(I, F, W, ref, t, y, dy):
    """Write ẏ in Cartesian coordinates."""
    return rates_partitioning(None, I, F, W, ref, t, y, dy)
