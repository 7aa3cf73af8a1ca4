"""Adams–Bashforth of order 3 with a fixed step: one evaluation a step.

The first two steps after a start are classical Runge–Kutta steps. The coefficients are those of the quadratic through the
last three slopes at the times they belong to, so that a shortened step (at END, or where f failed) needs no restart; only
after a step of less than half the present length, which would magnify errors, Runge–Kutta steps take over again.

The dense output is the cubic through both states with both slopes, of order 3 as the method is.
"""

from __future__ import annotations

from multibody.integrators import contract as at
from multibody.integrators.contract import finite, interpolate_polynomial
from multibody.integrators.driver import NEW, SLOPE, advance_by, right_side, slope_kept, watch_end
from multibody.integrators.fixed import NEW_SLOPE, FixedMethod, hermite, watch_stages
from multibody.integrators.rk4 import runge_kutta
from multibody.kernels.compile import inlined, inner_kernel, kernel

LAST, OLDEST = NEW_SLOPE + 1, NEW_SLOPE + 2  # further rows of memory: f at the two states before the present one
BEFORE, EARLIER = at.PAST, at.PAST + 1  # in control: lengths of the two steps before
_LIKE = 0.499  # of a step: the steps before it may be no shorter

interpolate_ab3 = interpolate_polynomial
rows_ab3 = OLDEST + 1


@inlined
def _restart(control, counts, y, memory, work):
    """Forget the steps before."""
    control[BEFORE] = 0.0
    control[EARLIER] = 0.0


@inlined
def _staged(h, control):
    """Return whether a step is one of Runge and Kutta: the steps before it are unknown or too short."""
    return not min(control[BEFORE] / h, control[EARLIER] / h) > _LIKE


@inner_kernel
def _extrapolate(h, before, earlier, y, memory):
    """Write y + ∫ of the quadratic through the last three slopes, which are `before` and `earlier` apart; say if finite."""
    now, last, oldest, new = memory[SLOPE], memory[LAST], memory[OLDEST], memory[NEW]
    linear, square = 0.5 * h * h / before, h * h * (h / 3.0 + 0.5 * before) / (before + earlier)
    for i in range(y.shape[0]):
        first = now[i] - last[i]
        second = first / before - (last[i] - oldest[i]) / earlier
        new[i] = y[i] + h * now[i] + linear * first + square * second
    return finite(new)


@inner_kernel
def _attempt(rhs, run, t, end, h, y, control, counts, atol, memory, work):
    """Make a step; return 0 or how it failed."""
    if _staged(h, control):
        return runge_kutta(rhs, run, t, end, h, y, control, counts, atol, memory, work)
    return 0 if _extrapolate(h, control[BEFORE], control[EARLIER], y, memory) else at.NOT_FINITE


@inner_kernel
def _watch(monitor, run, end, h, control, memory, g):
    """Watch the new state, and the last stage where there is one; return whether a sign has changed."""
    if _staged(h, control):
        return watch_stages(monitor, run, end, h, control, memory, g)
    return watch_end(monitor, run, end, h, control, memory, g)


@inner_kernel
def _between(rhs, run, t, end, h, order, y, control, counts, memory, work, row):
    """Write the powers of the cubic through both states with both slopes."""
    hermite(h, y, memory[NEW], memory[SLOPE], memory[NEW_SLOPE], row)


@inner_kernel
def _remember(method, h, control, counts, memory, work):
    """Keep the length of the step and the slopes at its beginning and its end."""
    control[EARLIER] = control[BEFORE]
    control[BEFORE] = h
    for i in range(memory.shape[1]):
        memory[OLDEST, i] = memory[LAST, i]
        memory[LAST, i] = memory[SLOPE, i]
    slope_kept(method, h, control, counts, memory, work)


AB3 = FixedMethod(
    "ab3", order=3, new_slope=NEW_SLOPE, slope=right_side, restart=_restart, attempt=_attempt, watch=_watch, between=_between,
    remember=_remember,
)  # fmt: skip


@kernel
def advance_ab3(rhs, accept, monitor, run, ref, control, counts, y, atol, active, memory, g, steps, dense, refs):
    """Step towards END as the contract says; return why it stopped."""
    return advance_by(
        AB3, rhs, accept, monitor, run, ref, control, counts, y, atol, active, memory, g, steps, dense, refs, None
    )
