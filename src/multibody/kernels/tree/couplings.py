"""Derivatives of forces between bodies, in joint coordinates: what the blocks of ∂R_c do through the columns of two bodies.

For ``partials.py``, where the symbols are explained. Columns that move both bodies of a block see it as part of D and E of the
last link that carries both, so that a force between neighbors costs no more than the joint between them.
"""

from __future__ import annotations

from multibody.kernels import blocks as B
from multibody.kernels import layout as L
from multibody.kernels import sections as R
from multibody.kernels.compile import inlined, inner_kernel
from multibody.kernels.tree import layout as T
from multibody.kernels.tree.algebra import carried, inner, load, plus, width
from multibody.kernels.tree.frames import center_of, column_of, link_of, offset, record_of, state_of
from multibody.kernels.tree.matrices import (
    about,
    center_from,
    column_times,
    further,
    load_column,
    own_columns,
    store_column,
    swinging,
    swung,
    times,
    transposed_times,
    unit,
)


@inlined
def sums(d, S, i):
    """Return where F, I, D and E of link i lie in W."""
    if d is None:
        at = S + 25 * i
        return (at, at + 3, at + 7, at + 16)
    at = S + 88 * i
    return (at, at + 6, at + 16, at + 52)


@inlined
def changes(d, model, h, S, k):
    """Return where Ψ, Γ and Θ of column k lie in W."""
    I = model.I
    if d is None:
        at = S + 25 * I[h + T.LINK_COUNT] + 9 * k
        return (at, at + 3, at + 6)
    at = S + 88 * I[h + T.LINK_COUNT] + 18 * k
    return (at, at + 6, at + 12)


@inner_kernel
def fold(d, model, scratch, a, p, cp, q, cq, at, stride, Kc, Cc, S):
    """Add a block, force on body p by the motion of body q, to D and E of link a, which carries both.

    Parameters
    ----------
    cp, cq : tuples
        Centers of mass of the bodies from o of link a.
    at, stride : int
        Where the block lies in Kc and Cc.
    """
    I, W = model.I, scratch.W
    w, (_, _, D, E) = width(d), sums(d, S, a)
    r = load(d, W, I[L.W_TWIST] + w * q)
    for n in range(w):
        x = unit(d, n)
        own = own_columns(d, model, scratch, q, cq, x)
        f = about(d, model, scratch, p, cp, times(d, Cc, at, stride, own))
        store_column(d, W, D + n, w, plus(d, 1.0, f, load_column(d, W, D + n, w)))
        f = plus(d, 1.0, times(d, Kc, at, stride, own), times(d, Cc, at, stride, swung(d, x, r)))
        store_column(d, W, E + n, w, plus(d, 1.0, about(d, model, scratch, p, cp, f), load_column(d, W, E + n, w)))


@inner_kernel
def push(d, model, scratch, h, i, stop, f, g, S, C, K):
    """Let a row act along the columns that move link i, from the last one to `stop` (excluded).

    With f the row over the velocity columns of the body and g its derivative, f B is added to W[C + rate] and
    g B + f ∂v_c/∂q to W[K + rate]: a body turned along column j has ∂v_c = (ω_j × ṙ, 0) + Ψ_j, seen at the body.
    """
    I, W = model.I, scratch.W
    body, k, link = I[link_of(model, h, i) + T.BODY], I[link_of(model, h, i) + T.LAST], i
    c, r = center_of(d, W, state_of(d, model, scratch, h, i)), load(d, W, I[L.W_TWIST] + width(d) * body)
    g = plus(d, 1.0, about(d, model, scratch, body, c, g), swinging(d, r, f))
    f = about(d, model, scratch, body, c, f)
    while k != stop:
        record = record_of(model, h, k)
        while link != I[record + T.LINK]:
            if I[link_of(model, h, link) + T.OWN_POINT] == 1:
                e = offset(d, model, scratch, h, link)
                f, g = carried(d, e, f), carried(d, e, g)
            link = I[link_of(model, h, link) + T.CARRIER]
        place = I[record + T.RATE]
        if place >= 0:
            b = load(d, W, column_of(d, model, h, k))
            W[C + place] += inner(d, f, b)
            W[K + place] += inner(d, g, b) + inner(d, f, load(d, W, changes(d, model, h, S, k)[0]))
        k = I[record + T.INNER]


@inner_kernel
def _couple(d, model, scratch, h, i, l, at, stride, Kc, Cc, S, C, K):
    """Add a block: force on link i by the motion of link l."""
    I, W = model.I, scratch.W
    n, p, q = I[h + T.NV], I[link_of(model, h, i) + T.BODY], I[link_of(model, h, l) + T.BODY]
    a, b = i, l
    while a != b:  # a carrier comes before what it carries
        if a > b:
            a = I[link_of(model, h, a) + T.CARRIER]
        else:
            b = I[link_of(model, h, b) + T.CARRIER]
    if a >= 0:
        cp, cq = center_from(d, model, scratch, h, i, a), center_from(d, model, scratch, h, l, a)
        fold(d, model, scratch, a, p, cp, q, cq, at, stride, Kc, Cc, S)
    common = I[link_of(model, h, a) + T.LAST] if a >= 0 else -1
    stop, c, link, k = -1, center_of(d, W, state_of(d, model, scratch, h, i)), i, I[link_of(model, h, i) + T.LAST]
    while k >= 0:
        if k == common:
            stop = common  # from here on columns move both: those that move l alone are left
        if stop == I[link_of(model, h, l) + T.LAST]:
            break
        record = record_of(model, h, k)
        while link != I[record + T.LINK]:
            if I[link_of(model, h, link) + T.OWN_POINT] == 1:
                c = further(d, offset(d, model, scratch, h, link), c)
            link = I[link_of(model, h, link) + T.CARRIER]
        r = I[record + T.RATE]
        if r >= 0:
            x = own_columns(d, model, scratch, p, c, load(d, W, column_of(d, model, h, k)))
            f, g = transposed_times(d, Cc, at, stride, x), transposed_times(d, Kc, at, stride, x)
            push(d, model, scratch, h, l, stop, f, g, S, C + n * r, K + n * r)
        k = I[record + T.INNER]


@inner_kernel
def _couple_extra(d, model, scratch, h, i, rate, at, stride, Kc, Cc, C, K):
    """Add a block of one column: force on link i by an extra coordinate, whose rate is given."""
    I, W = model.I, scratch.W
    n, body = I[h + T.NV], I[link_of(model, h, i) + T.BODY]
    c, link, k = center_of(d, W, state_of(d, model, scratch, h, i)), i, I[link_of(model, h, i) + T.LAST]
    while k >= 0:
        record = record_of(model, h, k)
        while link != I[record + T.LINK]:
            if I[link_of(model, h, link) + T.OWN_POINT] == 1:
                c = further(d, offset(d, model, scratch, h, link), c)
            link = I[link_of(model, h, link) + T.CARRIER]
        r = I[record + T.RATE]
        if r >= 0:
            x = own_columns(d, model, scratch, body, c, load(d, W, column_of(d, model, h, k)))
            W[C + n * r + rate] += column_times(d, Cc, at, stride, x)
            W[K + n * r + rate] += column_times(d, Kc, at, stride, x)
        k = I[record + T.INNER]


@inner_kernel
def add_couplings(d, model, scratch, h, Kc, Cc, S, C, K):
    """Add all blocks between different bodies and extra coordinates to C and K, or to D and E of what carries both."""
    I, W = model.I, scratch.W
    n, bodies, shift = I[h + T.NV], I[L.BODIES], I[h + T.EXTRAS_RATE] - I[L.BODIES]  # rate of an extra node: shift + node
    for p in range(bodies + I[L.EXTRAS]):
        first, end, step = _meetings(model, p)
        for e in range(first, end, step):
            q, at, stride = block_of(model, p, e)
            if p >= bodies:
                row = n * (shift + p)
                if q < bodies:
                    l = I[I[h + T.LINK_OF] + q]
                    push(d, model, scratch, h, l, -1, load(d, Cc, at), load(d, Kc, at), S, C + row, K + row)
                else:
                    W[C + row + shift + q] += Cc[at]
                    W[K + row + shift + q] += Kc[at]
            elif q >= bodies:
                _couple_extra(d, model, scratch, h, I[I[h + T.LINK_OF] + p], shift + q, at, stride, Kc, Cc, C, K)
            elif p != q and _filled(d, at, stride, Kc, Cc):
                _couple(d, model, scratch, h, I[I[h + T.LINK_OF] + p], I[I[h + T.LINK_OF] + q], at, stride, Kc, Cc, S, C, K)


@inlined
def _filled(d, at, stride, Kc, Cc):
    """Return whether there is anything in a block."""
    w = width(d)
    for r in range(w):
        for c in range(w):
            if Kc[at + stride * r + c] != 0.0 or Cc[at + stride * r + c] != 0.0:
                return True
    return False


# --- where blocks are --------------------------------------------------------------------------------------------------------
@inlined
def _meetings(model, p):
    """Return first, end and step of the records of the nodes whose columns the rows of node p have."""
    I = model.I
    g = I[R.PATTERN]
    if g == 0:
        return (0, I[L.BODIES] + I[L.EXTRAS], 1)
    return (I[I[g + B.MEETINGS] + p], I[I[g + B.MEETINGS] + p + 1], B.MEETING_STRIDE)


@inlined
def block_of(model, p, e):
    """Return the node q of record e, where the block (p, q) begins in a matrix, and the stride of its rows.

    Without a pattern matrices are full, and records are the nodes themselves.
    """
    I = model.I
    g, w = I[R.PATTERN], 3 if I[L.DIMENSION] == 2 else 6
    if g == 0:
        first = w * p if p < I[L.BODIES] else (w - 1) * I[L.BODIES] + p
        return (e, I[L.VELOCITIES] * first + (w * e if e < I[L.BODIES] else (w - 1) * I[L.BODIES] + e), I[L.VELOCITIES])
    return (I[e], I[e + 1], I[I[g + B.NODES] + B.NODE_STRIDE * I[e] + 1])


@inlined
def diagonal_block(model, p):
    """Return where the block (p, p) of a body begins in a matrix, and the stride of its rows; it is its node's first record."""
    I = model.I
    return block_of(model, p, p if I[R.PATTERN] == 0 else I[I[I[R.PATTERN] + B.MEETINGS] + p])[1:]
