"""What all integrators have in common: how they are called, what they answer, and where their numbers lie.

The loop that keeps these promises is written once, in ``driver``; a method is an object of kernels that this loop asks.

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
    Answers 0: y has not moved, 1: y has moved, REFUSED: try half the length, NOT_HERE: try a somewhat shorter step, negative:
    give up. With ROUGH added to 0 or 1 it says that f is rough near by: steps that fail are then made shorter little by
    little, lest they home in on the spot.
``monitor(t, y, out)``
    Watched values, 0 if there are none. ``g[0]`` holds them at the start of the last step and ``g[1]`` at its end; where there
    is a row ``g[2]``, methods with a fixed step put those of their last stage there and look at its signs as well.
``y, atol, active``
    State, absolute tolerance and whether a component is counted, (n,) each.
``memory``
    (memory_rows, n), left alone by the caller. Its first rows are those of ``driver``, then come the method's own.
``steps, dense, refs``
    (rows, 2), (rows, dense_rows, n), (rows, len(ref)), at least one row each: start and signed length of a step, its dense
    output, and the references at its start. ``counts[STORED]`` rows are in use; the caller sets it to 0 after reading them.
    With ``counts[DENSE]`` = LATER a row of ``dense`` has kept_rows rows: the step as it was made, without the evaluations of f
    that only its dense output needs. ``complete`` of the method makes it later, the same to the last bit as long as f depends
    on nothing but t, y and ``ref``. ``accept`` says by ROUGH where it begins to: from there on dense output is made at once.

A step that was not accepted leaves y, ``ref`` and the memory as they were.

The implicit integrators (see ``implicit``) take an array of addresses ``ops`` in the place of ``rhs`` and one more array at the
end, ``work``, for vectors of other lengths than y; it is left alone by the caller as ``memory`` is.
"""

from __future__ import annotations

import math

from multibody.kernels import acceptance
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
NEWTON = -9  # within a call: the iteration of an implicit method does not converge
HOPELESS = -10  # within a call: the tolerance asks for more digits than there are
REFUSED, NOT_HERE, ROUGH = acceptance.REFUSED, acceptance.ELSEWHERE, acceptance.ROUGH  # answers of `accept`
SHORTEST = 1e-12  # of the time: a shorter way to an instant at which motions switch is none
STEP = 99  # within a call: there is a step to be made
LATER = 2  # DENSE: what the dense output is made of is stored, and it is made where somebody asks for it
NONE, USED, STALE = 0, 1, 2  # within a call, MATRIX: there is none; it has served; it has served badly

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
OWN = 32  # of the method itself (128 numbers): coefficients of a step, and what it remembers of matrices and iterations
CONTROL_SIZE = 160

# ------------------------------------------------------------------------------------------------ counts: numbers (int64)
STEPS = 0  # accepted steps
REJECTED = 1  # steps that the error test, f or `accept` did not let pass
EVALUATIONS = 2  # of f
MOVED = 3  # accepted steps whose state `accept` moved
LIMIT = 4  # steps that one call may make
STORED = 5  # rows in use of `steps`
FRESH = 6  # 1: y is a new start, nothing is known of the past
DENSE = 7  # 1: every step is stored with its dense output; LATER: as it was made, if its method can complete it afterwards
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
TRIES = 29  # adaptive: attempts at the present step that have failed
TESTS = 30  # adaptive: those among them that the error test did not let pass
PATIENCE = 31  # adaptive: how many more of these are met with a step that is only a little shorter
AS_MADE = 32  # steps that were stored as they were made, the first ones: where f becomes rough, all later ones are complete
COUNTS_SIZE = 33


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


@kernel
def interpolate_polynomial(row, t0, h, t, out):
    """Write y(t) = Σ row[j] ((t − t0)/h)^j into out: the dense output of the methods that store powers."""
    s, last = (t - t0) / h, row.shape[0] - 1
    for i in range(out.shape[0]):
        out[i] = row[last, i]
    for j in range(last - 1, -1, -1):
        for i in range(out.shape[0]):
            out[i] = out[i] * s + row[j, i]
