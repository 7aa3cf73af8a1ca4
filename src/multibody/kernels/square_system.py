"""The square linear system of a driven mechanism: Φ_q of independent rows, and gauge rows that hold idle freedom still.

It is scaled by the characteristic length, so that units change nothing. Who uses it factors and solves, and does not see how:
by LU right here, which skips zeros, or by a solver in Python that is asked for every factorization and solution. A large system
takes so long with each that a question costs nothing beside it. Which of them it is, is tested when the loop runs and not when
it is compiled: a test is nothing beside a factorization, a second version of the loop is seconds.
"""

from __future__ import annotations

import math

from multibody.kernels import gathered_lu as lu
from multibody.kernels.asking import ask
from multibody.kernels.calls import Calls
from multibody.kernels.compile import inner_kernel
from multibody.kernels.memory.compiled import at, table
from multibody.kernels.memory.declaration import Block, block, floats, integer, integers, number
from multibody.kernels.scales import column_without_unit, is_length_column, row_scale, row_without_unit

FACTOR, INSPECT, SOLVE, SMALLEST = 1, 2, 3, 4  # what a solver is asked: 1 for yes or done, 0 for no
SOLVABLE = 1e-15  # smallest over largest pivot; below, dense factors are those of a singular matrix


class SquareCalls(Calls):
    """Who is asked."""

    solver = integer("address of a solver in Python while the loop runs, 0 for dense factors")


class SquareSystem(Block):
    """Its rows, numbers and factors."""

    rows = integer("number of all rows of joints and motions, redundant ones too")
    chosen = integers("the independent ones")
    J = floats("entries of Φ_q of all rows")
    values = floats("of all rows: Φ, ν or γ")
    x = floats("scaled right side, then the solution, for each velocity coordinate")
    signs = floats("signs of the determinants of the parts that are solved one after the other; dense: of the whole")
    ratio = number("smallest over largest pivot")
    sigma = number("smallest singular value")
    noisy = number("ratio up to which rates are noise")
    shrinking = number("part of a Newton step by which the next one must be smaller for factors to be kept")
    failed = integer("1 when this solver has raised an exception")
    gauge = floats("dense: gauge rows, by rows")
    A = floats("dense: the scaled matrix by rows, then its factors")
    pivots = integers("dense: row exchanges")
    places = integers("dense: columns of the entries of the factors that are not zero, by rows")
    ends = integers("dense: how far those of L go in every row, then those of U")
    null = floats("dense: right singular vector of the smallest singular value, as far as it is known")
    calls = block(SquareCalls, "who is asked")


square_at = at(SquareSystem)


@inner_kernel
def _asked(square, question):
    """Return whether a solver in Python answers with yes."""
    answer = ask(square.calls.solver, question)
    if answer < 0:
        square.failed = 1
    return answer > 0


@inner_kernel
def factor(model, square):
    """Factor the matrix with the entries of Φ_q in ``J``; return whether it can be solved with."""
    if square.calls.solver != 0:
        return _asked(square, FACTOR)
    n = model.velocities
    A = table(square.A, n, n)
    _assemble(model, square, A)
    square.signs[0], square.ratio = lu.factor(A, n, square.pivots, table(square.places, n, n), table(square.ends, 2, n))
    return square.ratio > SOLVABLE


@inner_kernel
def is_regular(square):
    """Return whether the factors are good for rates; where they are, the signs of determinants are known.

    Newton's method asks only whether it can go on, so that a solver which has to look for its pivots does that here.
    """
    if square.calls.solver != 0 and not _asked(square, INSPECT):
        return False
    return square.ratio > square.noisy


@inner_kernel
def solve(model, square, sign):
    """Write the solution of Φ_q x = sign · ``values`` to ``x``; return its largest scaled component."""
    _right_side(model, square, sign)
    if square.calls.solver != 0:
        _asked(square, SOLVE)
    else:
        n = model.velocities
        lu.solve(table(square.A, n, n), n, square.pivots, table(square.places, n, n), table(square.ends, 2, n), square.x)
    size = 0.0
    for c in range(model.velocities):
        size = larger(size, abs(square.x[c]))
        if is_length_column(model, c):
            square.x[c] *= model.numbers[model.length]
    return size


@inner_kernel
def find_smallest(model, square):
    """Write the smallest singular value, by inverse iteration that goes on from one matrix to the next."""
    if square.calls.solver != 0:
        _asked(square, SMALLEST)
    else:
        n = model.velocities
        A, places, ends = table(square.A, n, n), table(square.places, n, n), table(square.ends, 2, n)
        square.sigma = lu.smallest_singular_value(A, n, square.pivots, places, ends, square.null, 1)


# --- sizes -------------------------------------------------------------------------------------------------------------------
@inner_kernel
def larger(one, two):
    """Return the larger of two numbers; what is not a number stays."""
    return two if two > one or math.isnan(two) else one


@inner_kernel
def size_of(model, x):
    """Return the largest scaled component of a displacement."""
    worst = 0.0
    for c in range(model.velocities):
        worst = larger(worst, column_without_unit(model, c, abs(x[c])))
    return worst


@inner_kernel
def largest_gap(model, square, x, level):
    """Return the largest scaled |Φ_q x − ``values``| of all rows; at level 0, that of positions, the largest |``values``|."""
    largest = 0.0
    for r in range(square.rows):
        row, total = model.rows[r], square.values[r]
        if level > 0:
            for e in range(row.entry, row.entry + row.entries):
                total -= square.J[e] * x[model.columns[e]]
        largest = larger(largest, row_without_unit(model, r, abs(total)))
    return largest


@inner_kernel
def _right_side(model, square, sign):
    """Write sign · (scaled values of the chosen rows), zero for the gauge rows, into ``x``."""
    x = square.x
    for k in range(model.velocities):
        x[k] = 0.0
    for k in range(square.chosen.shape[0]):
        x[k] = sign * row_scale(model, square.chosen[k]) * square.values[square.chosen[k]]


@inner_kernel
def _assemble(model, square, A):
    """Scatter the chosen rows and the gauge rows into A, rows and columns scaled by the characteristic length."""
    n, length, chosen = model.velocities, model.numbers[model.length], square.chosen  # read once: the loops write numbers
    for r in range(n):
        for c in range(n):
            A[r, c] = 0.0
    for k in range(chosen.shape[0]):
        row, scale = model.rows[chosen[k]], row_scale(model, chosen[k])
        for e in range(row.entry, row.entry + row.entries):
            c = model.columns[e]
            A[k, c] += scale * square.J[e] * (length if is_length_column(model, c) else 1.0)
    for k in range(n - chosen.shape[0]):
        for c in range(n):
            A[chosen.shape[0] + k, c] = square.gauge[n * k + c] * (length if is_length_column(model, c) else 1.0)
