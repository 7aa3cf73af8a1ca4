"""Articulated-body recursion: accelerations in time linear in the number of links.

With S, the acceleration at q̈ = 0, taken out, Ẏ = S + a and a_j = a_i + B_j q̈_j has no further term. A joint of several degrees
of freedom is eliminated one column at a time, so that only numbers are divided by: D = Bᵀ K B.
"""

from __future__ import annotations

from multibody.kernels.compile import inlined, inner_kernel
from multibody.kernels.tree import layout as T
from multibody.kernels.tree.algebra import carried, inner, load, moved, plus, store, width, zero
from multibody.kernels.tree.frames import column_of, link_of, offset, record_of, state_of
from multibody.kernels.tree.inertias import add_inertia, carried_inertia, inertia_times, load_inertia, without

FLAT = 1e-14  # a pivot D below this part of what it is made of: the column moves no mass


@inner_kernel
def eliminate(d, I, W, h):
    """Eliminate all columns inward: U = K B and 1/D stay with each column; return −1, or the first column without mass."""
    w = width(d)
    for i in range(I[h + T.LINK_COUNT] - 1, -1, -1):
        link, at = link_of(I, h, i), state_of(d, I, W, h, i) + T.INERTIA * w
        K = load_inertia(d, W, at)
        for j in range(I[link + T.FIRST] + I[link + T.COUNT] - 1, I[link + T.FIRST] - 1, -1):
            if I[record_of(I, h, j) + T.RATE] < 0:
                continue
            b = column_of(d, I, h, j)
            B = load(d, W, b)
            U = inertia_times(d, K, B)
            D = inner(d, B, U)
            if not FLAT * inner(d, absolute(d, B), absolute(d, U)) < D:
                return j
            store(d, W, b + w, U)
            W[b + 2 * w] = 1.0 / D
            K = without(d, K, U, 1.0 / D)
        c = I[link + T.CARRIER]
        if c >= 0:
            if I[link + T.OWN_POINT] == 1:
                K = carried_inertia(d, offset(d, I, W, h, i), K)
            add_inertia(d, W, state_of(d, I, W, h, c) + T.INERTIA * w, K)
    return -1


@inlined
def absolute(d, x):
    """Return the components without their signs."""
    if d is None:
        return (abs(x[0]), abs(x[1]), abs(x[2]))
    return (abs(x[0]), abs(x[1]), abs(x[2]), abs(x[3]), abs(x[4]), abs(x[5]))


@inner_kernel
def give_way(d, I, W, h, tau):
    """Sweep the forces G inward through the eliminated columns; u = τ − Bᵀ G stays with each. τ at W[tau…], none if tau < 0."""
    w = width(d)
    for i in range(I[h + T.LINK_COUNT] - 1, -1, -1):
        link, at = link_of(I, h, i), state_of(d, I, W, h, i) + T.FORCE * w
        g = load(d, W, at)
        for j in range(I[link + T.FIRST] + I[link + T.COUNT] - 1, I[link + T.FIRST] - 1, -1):
            r = I[record_of(I, h, j) + T.RATE]
            if r < 0:
                continue
            b = column_of(d, I, h, j)
            u = (W[tau + r] if tau >= 0 else 0.0) - inner(d, load(d, W, b), g)
            W[b + 2 * w + 1] = u
            g = plus(d, u * W[b + 2 * w], load(d, W, b + w), g)
        c = I[link + T.CARRIER]
        if c >= 0:
            if I[link + T.OWN_POINT] == 1:
                g = carried(d, offset(d, I, W, h, i), g)
            p = state_of(d, I, W, h, c) + T.FORCE * w
            store(d, W, p, plus(d, 1.0, g, load(d, W, p)))


@inner_kernel
def accelerations(d, I, W, h, out):
    """Sweep outward: q̈ = (u − Uᵀ a)/D of every unknown rate to out (an array), a = Σ B q̈ of every link to its state."""
    w = width(d)
    for i in range(I[h + T.LINK_COUNT]):
        link, at = link_of(I, h, i), state_of(d, I, W, h, i)
        a, c = zero(d), I[link + T.CARRIER]
        if c >= 0:
            a = load(d, W, state_of(d, I, W, h, c) + T.CHANGE * w)
            if I[link + T.OWN_POINT] == 1:
                a = moved(d, offset(d, I, W, h, i), a)
        for j in range(I[link + T.FIRST], I[link + T.FIRST] + I[link + T.COUNT]):
            r = I[record_of(I, h, j) + T.RATE]
            if r >= 0:
                b = column_of(d, I, h, j)
                found = (W[b + 2 * w + 1] - inner(d, load(d, W, b + w), a)) * W[b + 2 * w]
                a = plus(d, found, load(d, W, b), a)
                out[r] = found
        store(d, W, at + T.CHANGE * w, a)


@inner_kernel
def sweep(d, I, W, h, tau):
    """Eliminate all columns and let the forces give way in one sweep inward; return −1, or the first column without mass.

    For a tree without loops. The inertia of every link and its force G stand in its state; tau (an array) are the efforts along
    the unknown rates. U = K B, 1/D and u = τ − Bᵀ G stay with each column.
    """
    for i in range(I[h + T.LINK_COUNT] - 1, -1, -1):
        bad = _give_way(d, I, W, h, i, tau)
        if bad >= 0:
            return bad
    return -1


@inlined
def _give_way(d, I, W, h, i, tau):
    """Eliminate the columns of link i and hand what is left to its carrier; return −1, or a column without mass."""
    w, link, at = width(d), link_of(I, h, i), state_of(d, I, W, h, i)
    K, g, c = load_inertia(d, W, at + T.INERTIA * w), load(d, W, at + T.FORCE * w), I[link + T.CARRIER]
    for j in range(I[link + T.FIRST] + I[link + T.COUNT] - 1, I[link + T.FIRST] - 1, -1):
        r = I[record_of(I, h, j) + T.RATE]
        if r < 0:
            continue
        b = column_of(d, I, h, j)
        B = load(d, W, b)
        U = inertia_times(d, K, B)
        D = inner(d, B, U)
        if not FLAT * inner(d, absolute(d, B), absolute(d, U)) < D:
            return j
        D, u = 1.0 / D, tau[r] - inner(d, B, g)
        store(d, W, b + w, U)
        W[b + 2 * w], W[b + 2 * w + 1] = D, u
        if c >= 0 or j > I[link + T.FIRST]:  # somebody reads what is left
            K, g = without(d, K, U, D), plus(d, u * D, U, g)
    if c >= 0:
        if I[link + T.OWN_POINT] == 1:
            e = offset(d, I, W, h, i)
            K, g = carried_inertia(d, e, K), carried(d, e, g)
        p = state_of(d, I, W, h, c)
        add_inertia(d, W, p + T.INERTIA * w, K)
        store(d, W, p + T.FORCE * w, plus(d, 1.0, g, load(d, W, p + T.FORCE * w)))
    return -1
