"""Methods that choose their steps by tolerances: what lengths are tried, for the first step and where a step fails.

A method is an object of kernels (:class:`AdaptiveMethod`): how it tries one step, how it goes on where that has failed and
where it has not. A step that `accept` refuses, or that has no f on its way, fails like one with too large an error.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from multibody.integrators import contract as at
from multibody.integrators.contract import scaled_norm
from multibody.integrators.driver import NEW, SLOPE, SPARE, Method, settle, slope_kept, watch_end
from multibody.kernels.compile import inlined, inner_kernel
from multibody.kernels.objects import Kernel

GENTLY = 0.87  # of a step that failed where f is rough near by, or that ended where it must not: what is tried next
_PATIENCE = 15  # failed tests in a row that are met gently where f is rough near by
_ROUNDING = 64.0 * 2.220446049250313e-16  # of |T|: in a shorter step, T + step may be T
_SMALLEST = 1e-13  # of |T|: a run that needs smaller steps is stuck
_SPAN_FRACTION = 1e-16  # of the time left: the smallest step where T = 0
_CAUTION = 0.75  # of a length that `accept` has refused: no longer step for a while
_EULER = 0.01  # of |y|/|y'|: the step that shows the second derivative


@inlined
def by_tolerance(method, equations, accept, run, ref, control, counts, y, atol, active, memory, refs, work):
    """Make a step, shorter wherever it fails; return 0 or how it failed, its length, its end and its order."""
    if control[at.H] == 0.0:
        control[at.H] = _first_length(method, equations, run, control, counts, y, atol, active, memory, work)
    t, wanted, h = control[at.T], abs(control[at.H]), _fitted_step(control)
    outcome, end, order = at.STEP_TOO_SMALL, t, counts[at.ORDER]
    counts[at.TRIES] = 0
    counts[at.TESTS] = 0
    counts[at.PATIENCE] = _PATIENCE * counts[at.GENTLE]
    while not _too_small(control, h):
        end = control[at.END] if h == control[at.END] - t else t + h
        order = method.order if method.order > 0 else counts[at.ORDER]
        outcome, errors = method.attempt(equations, run, t, end, h, order, control, counts, y, atol, active, memory, work)
        if outcome == 0:
            outcome = settle(method, equations, accept, run, ref, end, active, counts, memory, refs, work)
        if outcome == 0:
            method.choose(equations, run, end, h, order, errors, control, counts, y, atol, active, memory, work)
            if method.keeps_length and counts[at.TRIES] == 0 and abs(h) < wanted and abs(control[at.H]) >= abs(h):
                control[at.H] = math.copysign(max(abs(control[at.H]), wanted), h)  # it has been cut short by END
            break
        if outcome == at.HOPELESS:
            break
        _note_failure(outcome, h, control, counts)
        h *= GENTLY if outcome == at.NOT_HERE else method.shorten(outcome, errors, h, order, control, counts, y, memory)
        if outcome == at.ACCEPT_FAILED:
            break
    return outcome, h, end, order


@dataclass(frozen=True, eq=False, kw_only=True)
class AdaptiveMethod(Method):
    """What makes a method that chooses its steps.

    Attributes
    ----------
    exponent : float
        The first step is chosen as for an error that goes with length^(1/exponent).
    attempt : (equations, run, t, end, h, order, control, counts, y, atol, active, memory, work)
        Write the state at end = t + h to memory[NEW]; 0 or how that failed (STEP_TOO_SMALL: the error test; HOPELESS), and a
        tuple of numbers for ``shorten`` and ``choose``. counts[TRIES] is 0 at the first attempt at a step.
    shorten : (outcome, errors, h, order, control, counts, y, memory)
        Prepare another attempt after one of length h has failed; its length over h. A state that is NOT_HERE never asks.
    choose : (equations, run, end, h, order, errors, control, counts, y, atol, active, memory, work)
        Write the length of the next step to control[H], and its order if that varies, before the new state is the present one.
    keeps_length : bool
        Whether the next step may be as long as the present one was to be before END cut it short.
    """

    exponent: float
    keeps_length: bool
    attempt: Kernel
    shorten: Kernel
    choose: Kernel
    step: Kernel = by_tolerance
    watch: Kernel = watch_end
    remember: Kernel = slope_kept


@inner_kernel
def _first_length(method, equations, run, control, counts, y, atol, active, memory, work):
    """Return a first step length (positive), from one further evaluation of y'.

    An Euler step of a hundredth of |y|/|y'| shows the second derivative; the first term of the error that the method
    neglects is then taken for (length·derivative)^order (Hairer, Nørsett, Wanner I, section II.4). Derivatives are compared
    in seconds.
    """
    f, x, df, rtol, span = memory[SLOPE], memory[NEW], memory[SPARE], control[at.RTOL], control[at.END] - control[at.T]
    size, slope = scaled_norm(y, y, y, atol, active, rtol), scaled_norm(f, y, y, atol, active, rtol)
    longest, shortest = abs(span), _ROUNDING * abs(control[at.T])
    if control[at.HMAX] > 0.0:
        longest = min(longest, control[at.HMAX])
    trial, second = 1e-6 * abs(span), control[at.SECOND] if control[at.SECOND] > 0.0 else 1.0
    if size > 1.0 and 1e-5 < second * slope < math.inf:  # a smaller |y| is zero within its tolerance and says nothing
        trial = _EULER * size / slope
    trial = max(min(trial, longest), shortest)
    signed = math.copysign(trial, span)
    for i in range(y.shape[0]):
        x[i] = y[i] + signed * f[i]
    if method.slope(equations, run, control[at.T] + signed, x, counts, df, work) != 0:
        return max(0.01 * trial, shortest)
    for i in range(y.shape[0]):
        df[i] -= f[i]
    bend = scaled_norm(df, y, y, atol, active, rtol) / trial
    steepest = max(slope * second, bend * second * second)
    if not steepest < math.inf:
        return max(0.01 * trial, shortest)
    if steepest <= 1e-15 * second / trial:
        return min(100.0 * trial, longest)
    return max(min(100.0 * trial, second * (0.01 / steepest) ** method.exponent, longest), shortest)


@inner_kernel
def _fitted_step(control):
    """Return the next step with its sign: H, no longer than HMAX, shortened so that END is hit and no tiny step is left."""
    left, h = control[at.END] - control[at.T], abs(control[at.H])
    if control[at.HMAX] > 0.0:
        h = min(h, control[at.HMAX])
    if control[at.CEILING] > 0.0:
        h = min(h, control[at.CEILING])
    if 1.000001 * h >= abs(left):
        return left
    if 2.0 * h > abs(left):
        return 0.5 * left
    return math.copysign(h, left)


@inner_kernel
def _too_small(control, h):
    """Return whether T + h is T but for rounding, unless that is all that is left."""
    left = control[at.END] - control[at.T]
    return not abs(h) >= _SMALLEST * abs(control[at.T]) + _SPAN_FRACTION * abs(left) and h != left  # true of what is no number


@inner_kernel
def _note_failure(outcome, h, control, counts):
    """Count an attempt that has failed, and keep the next steps below a length that `accept` has refused.

    The error test knows nothing of what `accept` does not like (a wheel that turns too far in a step, as smoothly as it may);
    without a ceiling, every other step would run into it.
    """
    counts[at.REJECTED] += 1
    counts[at.TRIES] += 1
    if outcome == at.REFUSED:
        control[at.CEILING] = _CAUTION * abs(h)
    elif outcome == at.STEP_TOO_SMALL:
        counts[at.TESTS] += 1
    if outcome == at.STEP_TOO_SMALL or outcome == at.NOT_HERE:
        counts[at.PATIENCE] -= 1
