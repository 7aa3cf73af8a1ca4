"""LU factors of a sparse matrix by small dense blocks, with a pattern and an order that are found once.

Unknowns come in *groups*: the columns of a body, the rows of a joint, or several of these where one alone has no pivot (a
massless body with its joints). The pattern is symmetric, its fill is known beforehand. Rows are exchanged inside a group only:
bodies are eliminated before the joints that connect them, which then have regular pivots. A pivot that vanishes beside its
group belongs to an idle freedom (the spin of a slender rod), whose unknown is then 0.

Record of a group: size, first place of its unknowns, place of its diagonal block, number of groups behind it that it meets,
where their records (size, first place, block above the diagonal, block below) begin in I, and where the blocks that a product
of them changes are listed. X is real or complex.
"""

from __future__ import annotations

from multibody.kernels import blocks as B
from multibody.kernels.compile import inner_kernel

GROUP_STRIDE, MEETING_STRIDE = 6, 4
VANISHING = 1e-14  # of the largest number of its group: a pivot that is none


@inner_kernel
def _factor_group(I, X, at, s, pivots):
    """Factor the diagonal block of s rows at X[at] with row exchanges; the diagonal gets 1/pivot. Return the smallest ratio."""
    largest, lowest = 0.0, 1.0
    for k in range(s * s):
        largest = max(largest, abs(X[at + k]))
    for k in range(s):
        best = k
        for r in range(k + 1, s):
            if abs(X[at + s * r + k]) > abs(X[at + s * best + k]):
                best = r
        I[pivots + k] = best
        if best != k:
            for c in range(s):
                X[at + s * k + c], X[at + s * best + c] = X[at + s * best + c], X[at + s * k + c]
        pivot = X[at + s * k + k]
        if not abs(pivot) > VANISHING * largest:
            for r in range(k, s):
                X[at + s * r + k] = 0.0
            lowest = 0.0
            continue
        lowest = min(lowest, abs(pivot) / largest)
        X[at + s * k + k] = 1.0 / pivot
        for r in range(k + 1, s):
            if X[at + s * r + k] != 0.0:
                X[at + s * r + k] *= X[at + s * k + k]
                for c in range(k + 1, s):
                    X[at + s * r + c] -= X[at + s * r + k] * X[at + s * k + c]
    return lowest


@inner_kernel
def _divide(I, X, at, s, pivots, meeting):
    """Turn the blocks of one meeting into L⁻¹ P A (above the diagonal) and A U⁻¹ (below)."""
    n, above, below = I[meeting], I[meeting + 2], I[meeting + 3]
    for k in range(s):
        best = I[pivots + k]
        if best != k:
            for c in range(n):
                X[above + n * k + c], X[above + n * best + c] = X[above + n * best + c], X[above + n * k + c]
    for r in range(1, s):
        for k in range(r):
            l = X[at + s * r + k]
            if l != 0.0:
                for c in range(n):
                    X[above + n * r + c] -= l * X[above + n * k + c]
    for r in range(n):
        row = below + s * r
        for k in range(s):
            x = X[row + k] * X[at + s * k + k]
            X[row + k] = x
            for c in range(k + 1, s):
                X[row + c] -= x * X[at + s * k + c]


@inner_kernel
def factor_blocks(I, X, h, pivots):
    """Factor the matrix in X in place; return the smallest pivot over the largest number of its group (0: idle unknowns)."""
    lowest = 1.0
    for p in range(I[h + B.GROUP_COUNT]):
        group = I[h + B.GROUPS] + GROUP_STRIDE * p
        s, at, count, first, targets = I[group], I[group + 2], I[group + 3], I[group + 4], I[group + 5]
        exchanges = pivots + I[group + 1]
        lowest = min(lowest, _factor_group(I, X, at, s, exchanges))
        for i in range(count):
            _divide(I, X, at, s, exchanges, first + MEETING_STRIDE * i)
        for i in range(count):
            m, below = I[first + MEETING_STRIDE * i], I[first + MEETING_STRIDE * i + 3]
            for j in range(count):
                n, above = I[first + MEETING_STRIDE * j], I[first + MEETING_STRIDE * j + 2]
                target = I[targets + count * i + j]
                for r in range(m):
                    for k in range(s):
                        l = X[below + s * r + k]
                        if l != 0.0:
                            for c in range(n):
                                X[target + n * r + c] -= l * X[above + n * k + c]
    return lowest


@inner_kernel
def solve_blocks(I, X, h, pivots, x):
    """Solve with the factors in X; x, in the order of elimination, is overwritten."""
    count = I[h + B.GROUP_COUNT]
    for p in range(count):
        group = I[h + B.GROUPS] + GROUP_STRIDE * p
        s, place, at, first = I[group], I[group + 1], I[group + 2], I[group + 4]
        for k in range(s):
            best = I[pivots + place + k]
            if best != k:
                x[place + k], x[place + best] = x[place + best], x[place + k]
        for r in range(1, s):
            for k in range(r):
                x[place + r] -= X[at + s * r + k] * x[place + k]
        for i in range(I[group + 3]):
            meeting = first + MEETING_STRIDE * i
            to, below = I[meeting + 1], I[meeting + 3]
            for r in range(I[meeting]):
                for k in range(s):
                    x[to + r] -= X[below + s * r + k] * x[place + k]
    for p in range(count - 1, -1, -1):
        group = I[h + B.GROUPS] + GROUP_STRIDE * p
        s, place, at, first = I[group], I[group + 1], I[group + 2], I[group + 4]
        for i in range(I[group + 3]):
            meeting = first + MEETING_STRIDE * i
            n, source, above = I[meeting], I[meeting + 1], I[meeting + 2]
            for r in range(s):
                for c in range(n):
                    x[place + r] -= X[above + n * r + c] * x[source + c]
        for r in range(s - 1, -1, -1):
            for c in range(r + 1, s):
                x[place + r] -= X[at + s * r + c] * x[place + c]
            x[place + r] *= X[at + s * r + r]
