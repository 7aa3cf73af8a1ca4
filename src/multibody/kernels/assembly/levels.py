"""Linear conditions level by level: the smallest x that meets the first ones, then the next as well as these allow, and so on.

Rows are turned by Householder vectors from the right, pivoted within a level: A = L Qᵀ with L lower trapezoidal. What the rows
of a level fix are the components of y = Qᵀ x that no earlier level has; the rest of y is zero, so that x is the smallest.
The same as ``rank/leastnorm.py`` by singular values, in a tenth of the time.
"""

from __future__ import annotations

import math

from multibody.kernels.assembly.declared import room_at
from multibody.kernels.compile import inner_kernel, kernel

UNCLEAR = -1  # an answer: singular values have to give it
FAR_BELOW = 0.5  # of the least pivot that counts: rounding is no matter there
TINY = 1e-300  # a pivot that is none
EQUAL = 1e-7  # rests that differ by less than this part are equal: no processor's rounding decides which row is taken


@inner_kernel
def solve_level(room, n, lo, hi, last, known, cut, size):
    """Turn the rows lo..hi−1 of the conditions and solve them for further components of y; return how many are known then.

    Parameters
    ----------
    room : AssemblyScratch
        ``A`` (rows of length n) and ``right``; rows behind hi, up to `last`, are turned along.
    known : int
        Components of y that earlier levels fixed.
    cut, size : float
        Rows whose rest is below cut times the longest row, or times `size`, ask for nothing.
    """
    end = turn_level(room, n, lo, hi, last, known, cut, size)
    _components(room, n, lo, hi, known, end)
    return end


@inner_kernel
def turn_level(room, n, lo, hi, last, known, cut, size):
    """Turn the rows lo..hi−1, as :func:`solve_level` does; of equally long rests that of the earlier row is taken."""
    A, longest = room.A, 0.0
    for r in range(lo, hi):
        room.order[r] = r
        longest = max(longest, _norm(A, n, r, known))
    least, k = cut * max(longest, size), known
    while k < n and k - known < hi - lo:
        at = lo + k - known
        pivot, largest = -1, least
        for r in range(at, hi):
            rest = _norm(A, n, room.order[r], k)
            if rest > largest * (1.0 + EQUAL if pivot >= 0 else 1.0):
                pivot, largest = r, rest
        if pivot < 0:
            break
        row = carried = room.order[pivot]
        for r in range(at, pivot):  # the others keep their order
            carried, room.order[r] = room.order[r], carried
        room.order[pivot] = carried
        _turn(room, n, row, k, hi, last, at + 1)
        k += 1
    return k


@kernel
def pivot_rows(room, n, rows, cut, floor):
    """Order the rows that stand in the conditions (rows, n), which are turned; return how many are independent: the first ones.

    Parameters
    ----------
    room : address of AssemblyScratch
    n, rows : int
    cut, floor : float
        Rows whose rest is below `cut` times the longest one, or below `floor`, count as dependent.
    """
    return turn_level(room_at(room), n, 0, rows, rows, 0, cut, floor / cut)


@kernel
def takes_rows(room, n, rows, cut, floor, chosen):
    """Return whether some rows are the independent ones among those that stand in the conditions (rows, n), which are turned.

    No pivot is below the least singular value: where one is far below what counts, the rows are not all independent, and their
    singular values need not be known.

    Parameters
    ----------
    room : address of AssemblyScratch
    n, rows : int
    cut, floor : float
        A pivot counts that is above `cut` times the largest one and above `floor`.
    chosen : array of int
        In increasing order, fewer than all.

    Returns
    -------
    int
        1 or 0; UNCLEAR where singular values have to say it.
    """
    room = room_at(room)
    count = turn_level(room, n, 0, rows, rows, 0, TINY, 1.0)
    least, known, pivot = max(cut * abs(room.diagonal[0]), floor, TINY) if count > 0 else TINY, 0, 0.0
    for k in range(count):
        pivot = abs(room.diagonal[k])
        known += 1 if pivot > least else 0
    if count == rows and not pivot < FAR_BELOW * least:
        return UNCLEAR
    if known != chosen.size:
        return 0
    same = 0
    for k in range(known):
        for i in range(known):
            same += 1 if chosen[i] == room.order[k] else 0
    return 1 if same == known else 0


@inner_kernel
def _norm(A, n, r, k):
    """Return the norm of row r from column k on."""
    total = 0.0
    for c in range(k, n):
        total += A[r * n + c] * A[r * n + c]
    return math.sqrt(total)


@inner_kernel
def _turn(room, n, r, k, hi, last, after):
    """Turn row r into its column k, and with it the rows of its level that are still to come and all behind the level."""
    A, head = room.A, room.A[r * n + k]
    room.diagonal[k], room.owner[k] = -math.copysign(_norm(A, n, r, k), head), r
    A[r * n + k] = head - room.diagonal[k]
    squares = _norm(A, n, r, k) ** 2
    room.factor[k] = 2.0 / squares
    for i in range(after, hi):
        _reflect(A, n, room.order[i], r, k, room.factor[k])
    for i in range(hi, last):
        _reflect(A, n, i, r, k, room.factor[k])


@inner_kernel
def _reflect(A, n, i, r, k, factor):
    """Reflect row i by the vector in row r."""
    total = 0.0
    for c in range(k, n):
        total += A[i * n + c] * A[r * n + c]
    total *= factor
    for c in range(k, n):
        A[i * n + c] -= total * A[r * n + c]


@inner_kernel
def _components(room, n, lo, hi, known, end):
    """Write y[known..end−1]: forward where as many rows as unknowns remain, else by least squares."""
    A, y = room.A, room.y
    if hi - lo > end - known:
        _least_squares(room, n, lo, hi, known, end)
        return
    for k in range(known, end):
        r = room.order[lo + k - known]
        total = room.right[r]
        for c in range(k):
            total -= A[r * n + c] * y[c]
        y[k] = total / room.diagonal[k]


@inner_kernel
def _least_squares(room, n, lo, hi, known, end):
    """Write y[known..end−1] that meet all rows of a level best: Householder's method on its part of L."""
    A, y, L, rest, m, w = room.A, room.y, room.L, room.rest, hi - lo, end - known
    for i in range(m):
        r = room.order[lo + i]
        rest[i] = room.right[r]
        for c in range(known):
            rest[i] -= A[r * n + c] * y[c]
        for j in range(w):
            below = j < i or i >= w
            L[i * w + j] = room.diagonal[known + j] if i == j else A[r * n + known + j] if below else 0.0
    for j in range(w):
        _eliminate(L, rest, m, w, j)
    for j in range(w - 1, -1, -1):
        total = rest[j]
        for c in range(j + 1, w):
            total -= L[j * w + c] * y[known + c]
        y[known + j] = total / L[j * w + j]


@inner_kernel
def _eliminate(L, rest, m, w, j):
    """Turn column j of an m×w matrix into its diagonal, the columns behind it and the right side with it."""
    squares, head = 0.0, L[j * w + j]
    for i in range(j, m):
        squares += L[i * w + j] * L[i * w + j]
    diagonal = -math.copysign(math.sqrt(squares), head)
    L[j * w + j] = head - diagonal
    squares += L[j * w + j] * L[j * w + j] - head * head
    for c in range(j + 1, w):
        total = 0.0
        for i in range(j, m):
            total += L[i * w + j] * L[i * w + c]
        for i in range(j, m):
            L[i * w + c] -= 2.0 / squares * total * L[i * w + j]
    total = 0.0
    for i in range(j, m):
        total += L[i * w + j] * rest[i]
    for i in range(j, m):
        rest[i] -= 2.0 / squares * total * L[i * w + j]
    L[j * w + j] = diagonal


@inner_kernel
def turn_back(room, n, known, x):
    """Write x = Q y, y zero from `known` on."""
    for c in range(known, n):
        room.y[c] = 0.0
    turn_all(room, n, known, x)


@inner_kernel
def turn_all(room, n, known, x):
    """Write x = Q y, of all components of y; `known` Householder vectors make Q."""
    A = room.A
    for c in range(n):
        x[c] = room.y[c]
    for k in range(known - 1, -1, -1):
        r, total = room.owner[k], 0.0
        for c in range(k, n):
            total += A[r * n + c] * x[c]
        total *= room.factor[k]
        for c in range(k, n):
            x[c] -= total * A[r * n + c]
