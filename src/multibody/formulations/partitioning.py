"""Generalized coordinate partitioning (GCP): every evaluation settles positions and velocities, then solves for v̇ and λ."""

from __future__ import annotations

from multibody.formulations.cartesian import accelerate, applied, driving_power, write_rates
from multibody.formulations.partitioned import settle
from multibody.kernels import sections as R
from multibody.kernels.compile import kernel
from multibody.kernels.kkt import factor, solve
from multibody.kernels.plain_rows import rows_at_state


@kernel
def rhs_partitioning(I, F, W, ref, t, y, dy):
    """Write ẏ at the settled state nearest to (t, y); return 0, or 1 where it cannot be settled."""
    ratio = settle(I, F, W, ref, t, y, W[I[R.W_SETTINGS] + R.STAGE_CLOSED])
    if ratio < 0.0:
        return 1
    if ratio > 0.0:
        rows_at_state(I, F, W, ref, t)
        if not factor(I, W) > 0.0:
            return 1
        power = applied(I, F, W, ref, t)
        solve(I, W)
        power += driving_power(I, F, W, ref, t)
    else:  # no partition tells at a change point; the equations of motion still do
        solvable, power = accelerate(I, F, W, ref, t, y)
        if not solvable:
            return 1
    write_rates(I, W, y, power, dy)
    return 0
