"""What all integrators have in common: how they are called, what they answer, and the parts that every one of them needs.

An integrator steps y' = f(t, y). It is a kernel

``advance(rhs, accept, monitor, run, ref, control, counts, y, atol, active, memory, g, steps, dense, refs) -> status``

and knows f by an address only; ``run`` are the addresses of the blocks of the run, which it hands on as ``call(rhs, run, t, y,
out)`` (``kernels/calls.py``). All its memory lies in ``control``, ``counts`` and ``memory``: a call may stop after any step
and the next one goes on as if there had been no stop.

``rhs(t, y, out)``
    f. A status other than 0 says that there is no f at this y: the step is tried again with half the length.
``accept(t, y, active)``
    Called with each new state that has passed the error test, 0 if there is none. It may change y (projection,
    normalization) and ``ref``, and says in ``active`` which components the error test of the next steps counts (1.0 or 0.0).
    Answers 0: y has not moved, 1: y has moved, 2: refused, try half the length, 3: not just here, try a somewhat shorter step,
    negative: give up. With ROUGH added to 0 or
    1 it says that f is rough near by: steps that fail are then made shorter little by little, lest they home in on the spot.
``monitor(t, y, out)``
    Watched values, 0 if there are none. ``g[0]`` holds them at the start of the last step and ``g[1]`` at its end; where there
    is a row ``g[2]``, methods with a fixed step put those of their last stage there and look at its signs as well.
``y, atol, active``
    State, absolute tolerance and whether a component is counted, (n,) each.
``memory``
    (memory_rows, n), left alone by the caller.
``steps, dense, refs``
    (rows, 2), (rows, dense_rows, n), (rows, len(ref)), at least one row each: start and signed length of a step, its dense
    output, and the references at its start. ``counts[STORED]`` rows are in use; the caller sets it to 0 after reading them.

A step that was not accepted leaves y, ``ref`` and the memory as they were.

The implicit integrators (see ``implicit``) take an array of addresses ``ops`` in the place of ``rhs`` and one more array at the
end, ``work``, for vectors of other lengths than y; it is left alone by the caller as ``memory`` is.
"""

from __future__ import annotations

import math

from multibody.kernels.calls import call
from multibody.kernels.compile import inner_kernel, kernel

# ------------------------------------------------------------------------------------------------------------- answers
CONTINUE = 0  # LIMIT steps are done
OUTPUT_FULL = 1  # `steps` is full: read it, set STORED to 0, call again
EVENT = 2  # a watched value changed its sign in the last stored step
DONE = 3  # T is END
STEP_TOO_SMALL = -1  # the error test or `accept` refused even the smallest step
RHS_FAILED = -2  # f failed even with the smallest step; its status is in CODE
ACCEPT_FAILED = -3  # `accept` gave up; its answer is in CODE
NOT_FINITE = -4  # infinite or undefined values even with the smallest step
ROUGH = 4  # added to the answer of `accept`
STEP = 99  # within a call: there is a step to be made

# -------------------------------------------------------------------------------------------- control: numbers (float64)
T = 0  # where y is
H = 1  # length of the next step with its sign; 0: to be chosen
END = 2  # where to stop
RTOL = 3  # relative tolerance
HMAX = 4  # largest length of a step; 0: any
FIXED = 5  # step of the methods with a fixed step, positive
T_LAST = 6  # start of the last step
H_LAST = 7  # its length with its sign
BASE = 8  # fixed step: where the grid of steps begins
ERROR = 9  # error of the last step over its tolerance; 0: not known
CEILING = 10  # no step is longer: where `accept` has refused one; 0: none
RHO = 11  # alpha: spectral radius at infinity
SECOND = 12  # a second in the unit of time, so that the choice of the first step does not depend on that unit; 0: is one
PAST = 16  # multistep: lengths of the last steps, newest first (16 numbers)
SCRATCH = 32  # multistep: coefficients of the present step (128 numbers)
CONTROL_SIZE = 160

# ------------------------------------------------------------------------------------------------ counts: numbers (int64)
STEPS = 0  # accepted steps
REJECTED = 1  # steps that the error test, f or `accept` did not let pass
EVALUATIONS = 2  # of f
MOVED = 3  # accepted steps whose state `accept` moved
LIMIT = 4  # steps that one call may make
STORED = 5  # rows in use of `steps`
FRESH = 6  # 1: y is a new start, nothing is known of the past
DENSE = 7  # 1: every step is stored with its dense output
STIFF = 8  # 1: stiffness limits the steps, not accuracy
ORDER_SUM = 9  # sum of the orders of all accepted steps
CODE = 10  # why f or `accept` failed
MAX_ORDER = 11  # highest order that may be used (variable order)
ORDER = 12  # order of the next step (variable order)
DEPTH = 13  # multistep: steps of the past that are known
GRID = 14  # fixed step: whole steps made since BASE
SUSPECT = 15  # stiffness test: steps in a row that spoke for it
CLEARED = 16  # stiffness test: steps in a row that spoke against it
STARTING = 17  # variable order: 1 while the order is being raised after a start
GENTLE = 18  # 1: `accept` says that f is rough near by; errors there do not fall with the step
NQ = 19  # implicit: coordinates, y = (q, v, w)
NV = 20  # implicit: rates
NM = 21  # implicit: multipliers
JACOBIANS = 22  # implicit: linearizations
FACTORIZATIONS = 23  # implicit: factored matrices, a complex one counts once
ITERATIONS = 24  # implicit: Newton iterations
NOT_CONVERGED = 25  # implicit: steps given up because Newton's iteration did not converge with a new matrix
FORM = 26  # implicit: which of the constraint equations are solved
MATRIX = 27  # implicit: what is known of the iteration matrix
DRIVEN = 28  # implicit: 1 where multipliers do work, so that they must be as exact as the state
COUNTS_SIZE = 32

_ROUNDING = 16.0 * 2.220446049250313e-16
_SMALLEST = 1e-13  # of |T|: a run that needs smaller steps is stuck
_SPAN_FRACTION = 1e-16  # of the time left: the smallest step where T = 0
_CAUTION, _RELAX = 0.75, 1.02  # ceiling after a refusal over the refused length; its growth from step to step


@inner_kernel
def scaled_norm(x, y0, y1, atol, active, rtol):
    """Return the root mean square of x_i / (atol_i + rtol·max(|y0_i|, |y1_i|)) over the active components; 0 if none is."""
    total, count = 0.0, 0
    for i in range(x.shape[0]):
        if active[i] != 0.0:
            count += 1
            if x[i] != 0.0:
                e = x[i] / (atol[i] + rtol * max(abs(y0[i]), abs(y1[i])))
                total += e * e
    return math.sqrt(total / count) if count > 0 else 0.0


@inner_kernel
def finite(x):
    """Return whether all components are finite."""
    total = 0.0
    for i in range(x.shape[0]):
        total += 0.0 * x[i]
    return total == 0.0


@inner_kernel
def watch(monitor, run, ref, t, y, g):
    """Write the watched values at (t, y) into g[1]; return whether one of them has another sign than in g[0]."""
    call(monitor, run, t, y, g[1])
    for j in range(g.shape[1]):
        before, now = g[0, j], g[1, j]
        if (before < 0.0 and now >= 0.0) or (before > 0.0 and now <= 0.0):
            return True
    return False


@inner_kernel
def begin(rhs, monitor, run, ref, control, counts, y, f, g):
    """At a fresh start write f(T, y) and the watched values in g[1]; return STEP or what went wrong.

    Steps take g[1] over into g[0] before they write g[1] anew.
    """
    if control[END] == control[T]:
        return DONE
    if counts[FRESH] == 0:
        return STEP
    counts[EVALUATIONS] += 1
    status = call(rhs, run, control[T], y, f)
    if status != 0:
        counts[CODE] = status
        return RHS_FAILED
    if not (finite(y) and finite(f)):
        return NOT_FINITE
    if monitor != 0:
        call(monitor, run, control[T], y, g[1])
    control[ERROR] = 0.0
    control[CEILING] = 0.0
    counts[FRESH] = 0
    counts[SUSPECT] = 0
    counts[CLEARED] = 0
    return STEP


@inner_kernel
def length_by_slopes(slope, bend, trial, second, exponent, longest, shortest):
    """Return a first step length from the sizes of the first and the second derivative, which are compared in seconds."""
    steepest = max(slope * second, bend * second * second)
    if not steepest < math.inf:
        return max(0.01 * trial, shortest)
    if steepest <= 1e-15 * second / trial:
        return min(100.0 * trial, longest)
    return max(min(100.0 * trial, second * (0.01 / steepest) ** exponent, longest), shortest)


@inner_kernel
def starting_step(rhs, run, ref, control, counts, y, atol, active, f, x, df, exponent):
    """Return a first step length (positive) for a method of order 1/exponent, from one further evaluation of f.

    An Euler step of a hundredth of |y|/|f| shows the second derivative; the first term of the error that the method
    neglects is then taken for (length·derivative)^order (Hairer, Nørsett, Wanner I, section II.4).
    """
    rtol, span = control[RTOL], control[END] - control[T]
    size, slope = scaled_norm(y, y, y, atol, active, rtol), scaled_norm(f, y, y, atol, active, rtol)
    longest, shortest = abs(span), 4.0 * _ROUNDING * abs(control[T])  # below, T + step may be T
    if control[HMAX] > 0.0:
        longest = min(longest, control[HMAX])
    trial, second = 1e-6 * abs(span), control[SECOND] if control[SECOND] > 0.0 else 1.0
    if size > 1.0 and 1e-5 < second * slope < math.inf:  # a smaller |y| is zero within its tolerance and says nothing
        trial = 0.01 * size / slope
    trial = max(min(trial, longest), shortest)
    signed = math.copysign(trial, span)
    for i in range(y.shape[0]):
        x[i] = y[i] + signed * f[i]
    counts[EVALUATIONS] += 1
    if call(rhs, run, control[T] + signed, x, df) != 0:
        return max(0.01 * trial, shortest)
    for i in range(y.shape[0]):
        df[i] -= f[i]
    bend = scaled_norm(df, y, y, atol, active, rtol) / trial
    return length_by_slopes(slope, bend, trial, second, exponent, longest, shortest)


@inner_kernel
def ready(control, counts, steps, last):
    """Return STEP if a further step is to be made, else why not; last: number of the last step of this call."""
    if control[T] == control[END]:
        return DONE
    if counts[STORED] >= steps.shape[0]:
        return OUTPUT_FULL
    if counts[STEPS] >= last:
        return CONTINUE
    return STEP


@inner_kernel
def fitted_step(control):
    """Return the next step with its sign: H, no longer than HMAX, shortened so that END is hit and no tiny step is left."""
    left, h = control[END] - control[T], abs(control[H])
    if control[HMAX] > 0.0:
        h = min(h, control[HMAX])
    if control[CEILING] > 0.0:
        h = min(h, control[CEILING])
    if 1.000001 * h >= abs(left):
        return left
    if 2.0 * h > abs(left):
        return 0.5 * left
    return math.copysign(h, left)


@inner_kernel
def too_small(control, h):
    """Return whether T + h is T but for rounding, unless that is all that is left."""
    left = control[END] - control[T]
    return not abs(h) >= _SMALLEST * abs(control[T]) + _SPAN_FRACTION * abs(left) and h != left  # true of what is no number


@inner_kernel
def note_refusal(control, h):
    """Keep the next steps below a length that `accept` has refused.

    The error test knows nothing of what `accept` does not like (a wheel that turns too far in a step, as smoothly as it may);
    without this, every other step would run into it.
    """
    control[CEILING] = _CAUTION * abs(h)


@inner_kernel
def settle(rhs, accept, run, ref, t, y, f, active, counts, refs):
    """Offer the new state y to `accept` and evaluate f there; return 0, 2, 3 (not here) or a negative answer of this module.

    The references at the start of the step are kept in the next free row of `refs`; they are put back if the step fails.
    """
    k, answer = counts[STORED], 0
    for i in range(ref.shape[0]):
        refs[k, i] = ref[i]
    if accept != 0:
        answer = call(accept, run, t, y, active)
        gentle = answer >= ROUGH
        answer = answer - ROUGH if gentle else answer
        if answer >= 0:
            counts[GENTLE] = 1 if gentle else 0
    if 0 <= answer <= 1:
        counts[EVALUATIONS] += 1
        status = call(rhs, run, t, y, f)
        if status == 0 and finite(y) and finite(f):
            counts[MOVED] += answer
            return 0
        counts[CODE] = status
        answer = RHS_FAILED if status != 0 else NOT_FINITE
    elif answer < 0:
        counts[CODE] = answer
        answer = ACCEPT_FAILED
    for i in range(ref.shape[0]):
        ref[i] = refs[k, i]
    return answer


@inner_kernel
def commit(control, counts, h, t, y, new, order):
    """Make the new state the present one."""
    control[T_LAST] = control[T]
    control[H_LAST] = h
    control[T] = t
    for i in range(y.shape[0]):
        y[i] = new[i]
    counts[STEPS] += 1
    counts[ORDER_SUM] += order
    control[CEILING] *= _RELAX


@inner_kernel
def store(control, counts, steps):
    """Enter the last step, whose dense output is written already, into `steps`."""
    steps[counts[STORED], 0] = control[T_LAST]
    steps[counts[STORED], 1] = control[H_LAST]
    counts[STORED] += 1


@kernel
def interpolate_polynomial(row, t0, h, t, out):
    """Write y(t) = Σ row[j] ((t − t0)/h)^j into out: the dense output of the methods that store powers."""
    s, last = (t - t0) / h, row.shape[0] - 1
    for i in range(out.shape[0]):
        out[i] = row[last, i]
    for j in range(last - 1, -1, -1):
        for i in range(out.shape[0]):
            out[i] = out[i] * s + row[j, i]
