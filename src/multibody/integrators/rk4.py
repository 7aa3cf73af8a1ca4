"""The classical Runge–Kutta method of order 4 with a fixed step.

Four evaluations a step. The dense output, of order 4 as well, takes a fifth one: the cubic Hermite polynomial (whose error
goes with h⁴ and is larger than that of the method on long steps) is corrected by the quartic s²(1 − s)² so that its slope is
right at the inner Lobatto point s = (5 − √5)/10. There the next term of the error is s²(1 − s)²(s − ½), the smallest there is.
"""

from __future__ import annotations

import math

from multibody.integrators import contract as at
from multibody.integrators.contract import finite, interpolate_polynomial
from multibody.integrators.driver import NEW, SLOPE, advance_by, right_side
from multibody.integrators.fixed import NEW_SLOPE, SECOND, STAGE, THIRD, FixedMethod, hermite, watch_stages
from multibody.kernels.calls import call
from multibody.kernels.compile import inner_kernel, kernel

LOBATTO = (5.0 - math.sqrt(5.0)) / 10.0
_BEND = 2.0 * LOBATTO * (1.0 - LOBATTO) * (1.0 - 2.0 * LOBATTO)  # slope of s²(1 − s)² there

interpolate_rk4 = interpolate_polynomial
rows_rk4 = NEW_SLOPE + 1


@inner_kernel
def runge_kutta(rhs, run, t, end, h, y, control, counts, atol, memory, work):
    """Make one classical step from (t, y), whose slope is known; return 0 or how it failed."""
    slope, x, new = memory[SLOPE], memory[STAGE], memory[NEW]
    k = slope
    for s in range(3):
        part = h if s == 2 else 0.5 * h
        for i in range(y.shape[0]):
            x[i] = y[i] + part * k[i]
        counts[at.EVALUATIONS] += 1
        k = memory[SECOND + s]
        status = call(rhs, run, t + part, x, k)
        if status != 0:
            counts[at.CODE] = status
            return at.RHS_FAILED
    k2, k3, k4 = memory[SECOND], memory[THIRD], memory[NEW_SLOPE]
    for i in range(y.shape[0]):
        new[i] = y[i] + h / 6.0 * (slope[i] + 2.0 * (k2[i] + k3[i]) + k4[i])
    return 0 if finite(new) else at.NOT_FINITE


@inner_kernel
def _between(rhs, run, t, end, h, order, y, control, counts, memory, work, row):
    """Write the powers of the quartic dense output into row (5, n); the cubic remains if the evaluation fails."""
    x, slope = memory[STAGE], memory[SECOND]
    hermite(h, y, memory[NEW], memory[SLOPE], memory[NEW_SLOPE], row)
    s = LOBATTO
    for i in range(y.shape[0]):
        row[4, i] = 0.0
        x[i] = row[0, i] + s * (row[1, i] + s * (row[2, i] + s * row[3, i]))
    counts[at.EVALUATIONS] += 1
    if call(rhs, run, t + s * h, x, slope) != 0:
        return
    for i in range(y.shape[0]):
        bend = (h * slope[i] - (row[1, i] + s * (2.0 * row[2, i] + 3.0 * s * row[3, i]))) / _BEND
        row[2, i] += bend
        row[3, i] -= 2.0 * bend
        row[4, i] = bend


RK4 = FixedMethod(
    "rk4", order=4, new_slope=NEW_SLOPE, slope=right_side, attempt=runge_kutta, watch=watch_stages, between=_between
)


@kernel
def advance_rk4(rhs, accept, monitor, run, ref, control, counts, y, atol, active, memory, g, steps, dense, refs):
    """Step towards END as the contract says; return why it stopped."""
    return advance_by(
        RK4, rhs, accept, monitor, run, ref, control, counts, y, atol, active, memory, g, steps, dense, refs, None
    )
