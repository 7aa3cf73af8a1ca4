"""Generalized coordinate partitioning (GCP): every evaluation settles positions and velocities, then solves for v̇ and λ."""

from __future__ import annotations

from multibody.formulations.cartesian import applied, driving_power, evaluate, write_rates
from multibody.formulations.partitioned import POOR, settle
from multibody.kernels import sections as R
from multibody.kernels.compile import kernel
from multibody.kernels.kkt import factor, solve
from multibody.kernels.plain_rows import rows_at_state


@kernel
def rhs_partitioning(I, F, W, ref, t, y, dy):
    """Write ẏ at the settled state nearest to (t, y); return 0, or 1 where it cannot be settled."""
    if W[I[R.W_SETTINGS] + R.NEAR_CHANGE] > 0.0:
        ratio = 0.0
    else:
        ratio = settle(I, F, W, ref, t, y, W[I[R.W_SETTINGS] + R.STAGE_CLOSED])
    if ratio < 0.0:
        return 1
    if ratio > POOR:
        rows_at_state(I, F, W, ref, t)
        solvable = factor(I, W)
    else:  # no partition tells at a change point; the equations of motion still do
        solvable = evaluate(I, F, W, ref, t, y)
    if not solvable > 0.0:
        return 1
    power = applied(I, F, W, ref, t)
    solve(I, W)
    write_rates(I, W, y, power + driving_power(I, F, W, ref, t), dy)
    return 0
