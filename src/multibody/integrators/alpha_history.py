"""The vectors of ``alpha`` and their past: predictions of (v̇, λ) and of the gap that d closes (see there for notation)."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from multibody.integrators import contract as at
from multibody.integrators.driver import OWN, SPARE
from multibody.kernels.compile import inlined, inner_kernel
from multibody.kernels.memory.compiled import split
from multibody.kernels.stacked import ASKED, COEFFICIENTS

WEIGHT, NEW_SLOPE, ROWS = SPARE, OWN, OWN + 1  # rows of memory: 1/scale, y' at the new state
AM, AF, GAMMA, BETA, H_A, H_MATRIX, SURE, AGE, TERMS = (at.OWN + i for i in range(9))
_DIFFERENCES, _EQUAL = 6, 1e-6  # kept for predictions; how far equal steps may differ
_HALF = 0.5  # of 2ᵏ: what k terms multiply the errors of the past by, where ρ is not less
FIRST = 1  # place of the first difference in the past, behind z itself


class Work(NamedTuple):
    """The vectors in `work`."""

    x: Any  # (q, v, v̇, λ) of the iteration
    r: Any  # its residual
    b: Any  # right side
    s: Any  # solution
    move: Any  # what MOVE or PRODUCT take
    q: Any  # a new q
    d: Any  # the correction
    change: Any  # its change
    gap: Any  # that this closes
    a: Any  # now
    new: Any  # a at the end of the step
    past: Any  # (v̇, λ, gap) now and its differences
    offset: Any  # how far `accept` has moved v
    coefficients: Any  # what FACTOR takes
    ratio: Any  # and gives
    gaps: Any  # what d closes in all


@inlined
def lengths(nq, n, m):
    """Return how long the vectors in `work` are, for nq coordinates, n rates and m multipliers (Python asks too: no calls)."""
    return Work(
        x=nq + 2 * n + m, r=n + 3 * m + 1, b=n + m, s=n + m, move=ASKED + nq + max(nq, n) + n, q=nq, d=n, change=n,
        gap=m, a=n, new=n, past=(1 + _DIFFERENCES) * (n + 2 * m), offset=n, coefficients=COEFFICIENTS, ratio=1, gaps=m,
    )  # fmt: skip


@inlined
def views(counts, work):
    """Return the vectors in `work`."""
    return split(work, lengths(counts[at.NQ], counts[at.NV], counts[at.NM]))


@inner_kernel
def predict(h, control, counts, work):
    """Write (v̇, λ) into x, and the gap that d is to close, as the last steps suggest if they were of the same length.

    Of z = (v̇, λ, gap), what the method damps least goes with (−ρ)ⁿ; s_n = z_n + ρ z_{n−1} is without it, and smooth:
    s_{n+1} = s_n + ∇s_n + ∇²s_n + …, of which the last one that serves may be taken in part.
    """
    parts = views(counts, work)
    x, past, gaps = parts.x, parts.past, parts.gaps
    n, m, first, terms = counts[at.NV], counts[at.NM], counts[at.NQ] + counts[at.NV], 0.0
    if abs(h - control[at.PAST]) < _EQUAL * abs(h):
        terms = control[TERMS]
    size, part = n + 2 * m, 1.0 if terms == 0.0 else -control[at.RHO]
    for i in range(size):
        value = part * past[i]
        for k in range(math.ceil(terms)):
            value += min(1.0, terms - k) * past[(FIRST + k) * size + i]
        if i < n + m:
            x[first + i] = value
        else:
            gaps[i - n - m] = value if terms > 0.0 else 0.0


@inner_kernel
def remember(h, control, counts, memory, work):
    """Take z of the new state into the differences of s, and choose how many serve the next prediction.

    A term serves as far as the error without it, the next difference, falls by it: wholly where a quarter is gone, not at all
    where nothing is. Between them a part of it is taken, so that round-off does not decide between equals: what an iteration
    leaves would differ. k terms multiply errors of the past by about 2ᵏ max(1 − ρ, ½), and an iteration leaves the part `SURE`
    of them. Where the product is above 1, round-off would grow from step to step, up to what the iteration tolerates.
    """
    parts = views(counts, work)
    x, past, gaps = parts.x, parts.past, parts.gaps
    nq, n, m = counts[at.NQ], counts[at.NV], counts[at.NM]
    size, known = n + 2 * m, 0
    if abs(h - control[at.PAST]) < _EQUAL * abs(h) and counts[at.GENTLE] == 0:  # near a change point λ is no unknown
        known = min(counts[at.DEPTH] + 1, _DIFFERENCES)
    for i in range(size):
        new = x[nq + n + i] if i < n + m else gaps[i - n - m]
        last = new + control[at.RHO] * past[i]
        past[i] = new
        for k in range(1, known + 1):
            before = past[k * size + i]
            past[k * size + i] = last
            last -= before
    counts[at.DEPTH] = known
    control[at.PAST] = h
    control[TERMS], part = min(known, 1), 1.0
    before, grows = _difference(FIRST + 1, counts, memory, past), 2.0 * control[SURE] * max(1.0 - control[at.RHO], _HALF)
    for k in range(2, known):
        grows *= 2.0
        error = _difference(FIRST + k, counts, memory, past)
        if not error < before:
            break
        part *= min(1.0, 4.0 - 4.0 * error / before) * min(1.0, max(0.0, 2.0 - 2.0 * grows))
        control[TERMS] += part
        before = error


@inlined
def _difference(place, counts, memory, past):
    """Return the size of what is at a place of the past: √Σ(∇ᵏv̇/scale)²."""
    nq, n, total = counts[at.NQ], counts[at.NV], 0.0
    size = n + 2 * counts[at.NM]
    for i in range(n):
        e = past[place * size + i] * memory[WEIGHT, nq + i]
        total += e * e
    return math.sqrt(total)
