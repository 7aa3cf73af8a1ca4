"""Articulated-body recursion: accelerations in time linear in the number of links.

With S, the acceleration at q̈ = 0, taken out, Ẏ = S + a and a_j = a_i + B_j q̈_j has no further term. A joint of several degrees
of freedom is eliminated one column at a time, so that only numbers are divided by: D = Bᵀ K B.
"""

from __future__ import annotations

from multibody.kernels.compile import inlined, inner_kernel
from multibody.kernels.tree import layout as T
from multibody.kernels.tree.algebra import carried, inner, load, moved, plus, store, width, zero
from multibody.kernels.tree.composite import INERTIA, SUM
from multibody.kernels.tree.frames import column_of, link_of, offset, record_of, state_of
from multibody.kernels.tree.inertias import (
    add_inertia,
    add_rigid_to,
    carried_inertia,
    inertia_times,
    load_inertia,
    size,
    store_of_rigid,
    without,
)
from multibody.kernels.tree.motion import bias, inertial_force, rigid

ACCELERATION = 5  # place of a (Ẏ less S) in a link's state, in widths
FLAT = 1e-14  # a pivot D below this part of what it is made of: the column moves no mass


@inner_kernel
def bodies_articulated(d, I, W, h):
    """Write M̂ of every link to its articulated inertia, and its inertial less its applied force at q̈ = 0 to its G."""
    w = width(d)
    for i in range(I[h + T.LINK_COUNT]):
        at, K = state_of(d, I, W, h, i), rigid(d, I, W, h, i)
        store_of_rigid(d, W, at + INERTIA * w, K)
        g = bias(d, K, load(d, W, at + 3 * w), load(d, W, at + 4 * w))
        if I[h + T.ACTED] == 1:
            g = plus(d, -1.0, load(d, W, I[h + T.W_WRENCH] + w * i), g)
        store(d, W, at + SUM * w, g)


@inner_kernel
def eliminate(d, I, W, h):
    """Eliminate all columns inward: U = K B and 1/D stay with each column; return −1, or the first column without mass."""
    w = width(d)
    for i in range(I[h + T.LINK_COUNT] - 1, -1, -1):
        link, at = link_of(I, h, i), state_of(d, I, W, h, i) + INERTIA * w
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
            add_inertia(d, W, state_of(d, I, W, h, c) + INERTIA * w, K)
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
        link, at = link_of(I, h, i), state_of(d, I, W, h, i) + SUM * w
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
            p = state_of(d, I, W, h, c) + SUM * w
            store(d, W, p, plus(d, 1.0, g, load(d, W, p)))


@inner_kernel
def accelerations(d, I, W, h, out):
    """Sweep outward: q̈ = (u − Uᵀ a)/D of every column to W[out…], a of every link to its state."""
    w = width(d)
    for i in range(I[h + T.LINK_COUNT]):
        link = link_of(I, h, i)
        a, c = zero(d), I[link + T.CARRIER]
        if c >= 0:
            a = load(d, W, state_of(d, I, W, h, c) + ACCELERATION * w)
            if I[link + T.OWN_POINT] == 1:
                a = moved(d, offset(d, I, W, h, i), a)
        for j in range(I[link + T.FIRST], I[link + T.FIRST] + I[link + T.COUNT]):
            r = I[record_of(I, h, j) + T.RATE]
            if r >= 0:
                b = column_of(d, I, h, j)
                found = (W[b + 2 * w + 1] - inner(d, load(d, W, b + w), a)) * W[b + 2 * w]
                a = plus(d, found, load(d, W, b), a)
                W[out + r] = found
        store(d, W, state_of(d, I, W, h, i) + ACCELERATION * w, a)


@inner_kernel
def sweep(d, I, W, h):
    """Eliminate all columns and let the forces give way in one sweep inward; return −1, or the first column without mass.

    For a tree without loops: inertias and forces are met on the way, so that nothing is written and read twice.
    """
    w = width(d)
    for i in range(I[h + T.LINK_COUNT]):
        for k in range(size(d)):
            W[state_of(d, I, W, h, i) + INERTIA * w + k] = 0.0
        store(d, W, state_of(d, I, W, h, i) + SUM * w, zero(d))
    for i in range(I[h + T.LINK_COUNT] - 1, -1, -1):
        link, at = link_of(I, h, i), state_of(d, I, W, h, i)
        K = add_rigid_to(d, load_inertia(d, W, at + INERTIA * w), rigid(d, I, W, h, i))
        g = inertial_force(d, I, W, h, i, load(d, W, at + 3 * w), load(d, W, at + 4 * w))
        g = plus(d, 1.0, load(d, W, at + SUM * w), g)
        if I[h + T.ACTED] == 1:
            g = plus(d, -1.0, load(d, W, I[h + T.W_WRENCH] + w * i), g)
        for j in range(I[link + T.FIRST] + I[link + T.COUNT] - 1, I[link + T.FIRST] - 1, -1):
            if I[record_of(I, h, j) + T.RATE] < 0:
                continue
            b = column_of(d, I, h, j)
            B = load(d, W, b)
            U = inertia_times(d, K, B)
            D = inner(d, B, U)
            if not FLAT * inner(d, absolute(d, B), absolute(d, U)) < D:
                return j
            u = -inner(d, B, g)
            store(d, W, b + w, U)
            W[b + 2 * w], W[b + 2 * w + 1] = 1.0 / D, u
            K = without(d, K, U, 1.0 / D)
            g = plus(d, u / D, U, g)
        c = I[link + T.CARRIER]
        if c >= 0:
            if I[link + T.OWN_POINT] == 1:
                e = offset(d, I, W, h, i)
                K, g = carried_inertia(d, e, K), carried(d, e, g)
            p = state_of(d, I, W, h, c)
            add_inertia(d, W, p + INERTIA * w, K)
            store(d, W, p + SUM * w, plus(d, 1.0, g, load(d, W, p + SUM * w)))
    return -1
