"""LU factors of a sparse matrix by small dense blocks, with a pattern and an order that are found once.

Unknowns come in *groups*: the columns of a body, the rows of a joint, or several of these where one alone has no pivot (a
massless body with its joints). The pattern is symmetric, its fill is known beforehand. Rows are exchanged inside a group only:
bodies are eliminated before the joints that connect them, which then have regular pivots. A pivot of which elimination leaves
nothing but round-off belongs to an idle freedom (the spin of a slender rod), whose unknown is then 0.

Groups, and the groups behind each that it meets, are records of ``kernels/newton/declared.py``. X is real or complex.
"""

from __future__ import annotations

from multibody.kernels.compile import inlined, inner_kernel
from multibody.kernels.vectors import dot, load2, load3

VANISHING = 1e-14  # of what it is a difference of: a pivot that is none


@inlined
def _left(X, at, s, r, k):
    """Return what elimination has left of the entry of row r in column k over what it has been taken from.

    A pivot is lost where it is the round-off of a difference. Beside other numbers of its group it may be as small as units and
    steps make it: the pivots of constraints go with h², those of translations and rotations with a length squared.
    """
    here, taken = abs(X[at + s * r + k]), 0.0
    for j in range(k):
        taken += abs(X[at + s * r + j]) * abs(X[at + s * j + k])
    return here / (here + taken) if here > 0.0 else 0.0


@inner_kernel
def _pivot(X, at, s, k):
    """Return the row of the pivot of column k, and what is left of it; the largest number unless that is round-off."""
    best = k
    for r in range(k + 1, s):
        if abs(X[at + s * r + k]) > abs(X[at + s * best + k]):
            best = r
    left = _left(X, at, s, best, k)
    if not left > VANISHING:
        for r in range(k, s):
            other = _left(X, at, s, r, k)
            if other > left:
                best, left = r, other
    return best, left


@inner_kernel
def _factor_group(X, at, s, pivots):
    """Factor the diagonal block of s rows at X[at] with row exchanges; the diagonal gets 1/pivot. Return the smallest ratio."""
    lowest = 1.0
    for k in range(s):
        best, left = _pivot(X, at, s, k)
        pivots[k] = best
        if best != k:
            for c in range(s):
                X[at + s * k + c], X[at + s * best + c] = X[at + s * best + c], X[at + s * k + c]
        if not left > VANISHING:
            for r in range(k, s):
                X[at + s * r + k] = 0.0
            lowest = 0.0
            continue
        lowest = min(lowest, left)
        pivot = 1.0 / X[at + s * k + k]
        X[at + s * k + k] = pivot
        for r in range(k + 1, s):
            l = X[at + s * r + k]
            if l != 0.0:
                l *= pivot
                X[at + s * r + k] = l
                for c in range(k + 1, s):
                    X[at + s * r + c] -= l * X[at + s * k + c]
    return lowest


@inner_kernel
def _divide(X, at, s, pivots, other):
    """Turn the blocks of a group and another one behind it into L⁻¹ P A (above the diagonal) and A U⁻¹ (below)."""
    n, above, below = other.size, other.above, other.below
    for k in range(s):
        best = pivots[k]
        if best != k:
            for c in range(n):
                X[above + n * k + c], X[above + n * best + c] = X[above + n * best + c], X[above + n * k + c]
    for r in range(1, s):
        for c in range(n):
            total = X[above + n * r + c]
            for k in range(r):
                total -= X[at + s * r + k] * X[above + n * k + c]
            X[above + n * r + c] = total
    for r in range(n):
        row = below + s * r
        for c in range(s):
            total = X[row + c]
            for k in range(c):
                total -= X[row + k] * X[at + s * k + c]
            X[row + c] = total * X[at + s * c + c]


@inner_kernel
def _take_products(newton, X, group):
    """Take what a group's elimination changes off the blocks of the groups behind it."""
    s, count = group.size, group.count
    for i in range(count):
        row = newton.behind[group.behind + i]
        for j in range(count):
            column = newton.behind[group.behind + j]
            target, n = newton.targets[group.targets + count * i + j], column.size
            for r in range(row.size):
                for c in range(n):
                    total = X[target + n * r + c]
                    for k in range(s):
                        total -= X[row.below + s * r + k] * X[column.above + n * k + c]
                    X[target + n * r + c] = total


@inner_kernel
def factor_blocks(newton, X, pivots):
    """Factor the matrix in X in place; return the least that elimination has left of a pivot (0: idle unknowns)."""
    lowest = 1.0
    for p in range(newton.groups.size):
        group = newton.groups[p]
        exchanges = pivots[group.place :]
        lowest = min(lowest, _factor_group(X, group.diagonal, group.size, exchanges))
        for i in range(group.count):
            _divide(X, group.diagonal, group.size, exchanges, newton.behind[group.behind + i])
        _take_products(newton, X, group)
    return lowest


@inlined
def _take_off(X, block, rows, columns, x, source, to):
    """Take a block times x[source…] off x[to…]; most blocks in the plane have two or three columns: x in registers."""
    if columns == 2:
        a, b = load2(x, source)
        for r in range(rows):
            first, second = load2(X, block + columns * r)
            x[to + r] -= first * a + second * b
    elif columns == 3:
        taken = load3(x, source)
        for r in range(rows):
            x[to + r] -= dot(load3(X, block + columns * r), taken)
    else:
        for r in range(rows):
            total = x[to + r]
            for k in range(columns):
                total -= X[block + columns * r + k] * x[source + k]
            x[to + r] = total


@inner_kernel
def solve_blocks(newton, X, pivots, x):
    """Solve with the factors in X; x, in the order of elimination, is overwritten."""
    for p in range(newton.groups.size):
        group = newton.groups[p]
        s, place, at = group.size, group.place, group.diagonal
        for k in range(s):
            best = pivots[place + k]
            if best != k:
                x[place + k], x[place + best] = x[place + best], x[place + k]
        for r in range(1, s):
            total = x[place + r]
            for k in range(r):
                total -= X[at + s * r + k] * x[place + k]
            x[place + r] = total
        for i in range(group.count):
            other = newton.behind[group.behind + i]
            _take_off(X, other.below, other.size, s, x, place, other.place)
    for p in range(newton.groups.size - 1, -1, -1):
        group = newton.groups[p]
        s, place, at = group.size, group.place, group.diagonal
        for i in range(group.count):
            other = newton.behind[group.behind + i]
            _take_off(X, other.above, s, other.size, x, other.place, place)
        for r in range(s - 1, -1, -1):
            total = x[place + r]
            for c in range(r + 1, s):
                total -= X[at + s * r + c] * x[place + c]
            x[place + r] = total * X[at + s * r + r]
