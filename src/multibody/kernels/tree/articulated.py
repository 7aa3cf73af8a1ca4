"""Articulated-body recursion: accelerations in time linear in the number of links.

With S, the acceleration at q̈ = 0, taken out, Ẏ = S + a and a_j = a_i + B_j q̈_j has no further term. A joint of several degrees
of freedom is eliminated one column at a time, so that only numbers are divided by: D = Bᵀ K B.
"""

from __future__ import annotations

from multibody.kernels.compile import inlined, inner_kernel
from multibody.kernels.tree import layout as T
from multibody.kernels.tree.algebra import carried, inner, load, moved, plus, store, times, width, zero
from multibody.kernels.tree.frames import column_of, link_of, offset, record_of, state_of
from multibody.kernels.tree.inertias import (
    add_inertia,
    carried_inertia,
    inertia_times,
    load_inertia,
    no_inertia,
    store_inertia,
    sum_of_inertias,
    sum_of_rigid,
    without,
)
from multibody.kernels.tree.motion import inertial_force, rigid

FLAT = 1e-14  # a pivot D below this part of what it is made of: the column moves no mass


@inner_kernel
def eliminate(d, model, scratch, h):
    """Eliminate all columns inward: U = K B and 1/D stay with each column; return −1, or the first column without mass."""
    I, W = model.I, scratch.W
    w = width(d)
    for i in range(I[h + T.LINK_COUNT] - 1, -1, -1):
        link, at = link_of(model, h, i), state_of(d, model, scratch, h, i) + T.INERTIA * w
        K = load_inertia(d, W, at)
        for j in range(I[link + T.FIRST] + I[link + T.COUNT] - 1, I[link + T.FIRST] - 1, -1):
            if I[record_of(model, h, j) + T.RATE] < 0:
                continue
            b = column_of(d, model, h, j)
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
                K = carried_inertia(d, offset(d, model, scratch, h, i), K)
            add_inertia(d, W, state_of(d, model, scratch, h, c) + T.INERTIA * w, K)
    return -1


@inlined
def absolute(d, x):
    """Return the components without their signs."""
    if d is None:
        return (abs(x[0]), abs(x[1]), abs(x[2]))
    return (abs(x[0]), abs(x[1]), abs(x[2]), abs(x[3]), abs(x[4]), abs(x[5]))


@inner_kernel
def give_way(d, model, scratch, h, tau):
    """Sweep the forces G inward through the eliminated columns; u = τ − Bᵀ G stays with each. τ at W[tau…], none if tau < 0."""
    I, W = model.I, scratch.W
    w = width(d)
    for i in range(I[h + T.LINK_COUNT] - 1, -1, -1):
        link, at = link_of(model, h, i), state_of(d, model, scratch, h, i) + T.FORCE * w
        g = load(d, W, at)
        for j in range(I[link + T.FIRST] + I[link + T.COUNT] - 1, I[link + T.FIRST] - 1, -1):
            r = I[record_of(model, h, j) + T.RATE]
            if r < 0:
                continue
            b = column_of(d, model, h, j)
            u = (W[tau + r] if tau >= 0 else 0.0) - inner(d, load(d, W, b), g)
            W[b + 2 * w + 1] = u
            g = plus(d, u * W[b + 2 * w], load(d, W, b + w), g)
        c = I[link + T.CARRIER]
        if c >= 0:
            if I[link + T.OWN_POINT] == 1:
                g = carried(d, offset(d, model, scratch, h, i), g)
            p = state_of(d, model, scratch, h, c) + T.FORCE * w
            store(d, W, p, plus(d, 1.0, g, load(d, W, p)))


@inlined
def accelerations(d, kept, model, scratch, h, out):
    """Sweep outward: q̈ = (u − Uᵀ a)/D of every unknown rate to out (an array); if `kept`, a = Σ B q̈ of links to their state.

    A chain of many links is a matter of memory: nothing is written that nobody reads.
    """
    I, W = model.I, scratch.W
    w, a = width(d), zero(d)
    for i in range(I[h + T.LINK_COUNT]):
        link = link_of(model, h, i)
        c = I[link + T.CARRIER]
        if c < 0:
            a = zero(d)
        else:
            if c < i - 1:  # else a is at hand
                a = load(d, W, state_of(d, model, scratch, h, c) + T.CHANGE * w)
            if I[link + T.OWN_POINT] == 1:
                a = moved(d, offset(d, model, scratch, h, i), a)
        for j in range(I[link + T.FIRST], I[link + T.FIRST] + I[link + T.COUNT]):
            r = I[record_of(model, h, j) + T.RATE]
            if r >= 0:
                b = column_of(d, model, h, j)
                k = W[b + 2 * w]  # 1/D multiplies what does not wait for a
                found = k * W[b + 2 * w + 1] - inner(d, times(d, k, load(d, W, b + w)), a)
                a = plus(d, found, load(d, W, b), a)
                out[r] = found
        if kept is not None or branches(model, link, i):
            store(d, W, state_of(d, model, scratch, h, i) + T.CHANGE * w, a)


@inlined
def branches(model, link, i):
    """Return whether link i carries several links; in depth-first order the first is the next one, the last has its END."""
    I = model.I
    return i + 1 < I[link + T.END] and I[link + T.LINK_STRIDE + T.END] < I[link + T.END]


@inlined
def sweep(d, kept, model, scratch, h, tau, loads):
    """Eliminate all columns and let the forces give way in one sweep inward; return −1, or the first column without mass.

    For a tree without loops whose frames and motions are known. tau (an array) are the efforts along the unknown rates; the
    wrenches on the links stand at W[loads…], there are none if loads < 0. U = K B, 1/D and u = τ − Bᵀ G stay with each column
    and, if `kept` (a compile-time tag: None or True), K and G with each link. On their way to a carrier that is the next link
    inward, as in a chain, K and G are in registers: the time of a link is that of the operations which wait for each other.
    """
    I, W = model.I, scratch.W
    w, K, g = width(d), no_inertia(d), zero(d)
    for i in range(I[h + T.LINK_COUNT] - 1, -1, -1):
        link, at = link_of(model, h, i), state_of(d, model, scratch, h, i)
        K, g = _gathered(d, model, scratch, h, i, link, at, loads, K, g)
        if kept is not None:
            store_inertia(d, W, at + T.INERTIA * w, K)
            store(d, W, at + T.FORCE * w, g)
        for j in range(I[link + T.FIRST] + I[link + T.COUNT] - 1, I[link + T.FIRST] - 1, -1):
            r = I[record_of(model, h, j) + T.RATE]
            if r < 0:
                continue
            b = column_of(d, model, h, j)
            B = load(d, W, b)
            U = inertia_times(d, K, B)
            D = inner(d, B, U)
            if not FLAT * inner(d, absolute(d, B), absolute(d, U)) < D:
                return j
            D, u = 1.0 / D, tau[r] - inner(d, B, g)
            store(d, W, b + w, U)
            W[b + 2 * w], W[b + 2 * w + 1] = D, u
            K, g = without(d, K, U, D), plus(d, u * D, U, g)
        if I[link + T.OWN_POINT] == 1:
            e = offset(d, model, scratch, h, i)
            K, g = carried_inertia(d, e, K), carried(d, e, g)
        c = I[link + T.CARRIER]
        if 0 <= c < i - 1:
            _lay_down(d, model, scratch, h, i, c, K, g)
    return -1


@inlined
def _gathered(d, model, scratch, h, i, link, at, loads, K, g):
    """Return K and G of link i: its own and what the links that it carries hand inward, of which K and g are the first's."""
    I, W = model.I, scratch.W
    w, R = width(d), rigid(d, model, scratch, h, i)
    f = inertial_force(d, model, scratch, h, i, load(d, W, at + T.MOTION * w), load(d, W, at + T.BIAS * w))
    if loads >= 0:
        f = plus(d, -1.0, load(d, W, loads + w * i), f)
    if i + 1 == I[link + T.END]:  # it carries none
        return (sum_of_rigid(d, R, no_inertia(d)), f)
    if branches(model, link, i):
        K = sum_of_inertias(d, K, load_inertia(d, W, at + T.INERTIA * w))
        g = plus(d, 1.0, load(d, W, at + T.FORCE * w), g)
    return (sum_of_rigid(d, R, K), plus(d, 1.0, f, g))


@inlined
def _lay_down(d, model, scratch, h, i, c, K, g):
    """Leave K and g of link i in the state of its carrier c, until it is c's turn; the last of c's links comes first."""
    I, W = model.I, scratch.W
    p, w = state_of(d, model, scratch, h, c), width(d)
    if I[link_of(model, h, i) + T.END] < I[link_of(model, h, c) + T.END]:
        K = sum_of_inertias(d, K, load_inertia(d, W, p + T.INERTIA * w))
        g = plus(d, 1.0, load(d, W, p + T.FORCE * w), g)
    store_inertia(d, W, p + T.INERTIA * w, K)
    store(d, W, p + T.FORCE * w, g)
