"""Composite inertias K_i and forces L_i, and the system (15) in joint coordinates; Kim, You (1996), eqs. (15)–(17).

K_i is the inertia of link i with all that it carries, locked. Forces are kept as G_i = K_i S_i − L_i, the inertial less the
applied forces of the subtree at q̈ = 0, so that the right side of (15), B_iᵀ(L_i − K_i Σ D), is −B_iᵀ G_i.
"""

from __future__ import annotations

from multibody.kernels.compile import inlined, inner_kernel
from multibody.kernels.tree import layout as T
from multibody.kernels.tree.algebra import (
    add_rigid,
    carried,
    carried_rigid,
    inner,
    load,
    load_rigid,
    plus,
    rigid_times,
    store,
    store_rigid,
    width,
)
from multibody.kernels.tree.frames import column_of, link_of, offset, record_of, state_of
from multibody.kernels.tree.motion import bias, rigid


@inner_kernel
def bodies(d, model, scratch, h, forces):
    """Write M̂ of every link to its K and, with `forces` = 1, its inertial less its applied force at q̈ = 0 to its G."""
    I, W = model.I, scratch.W
    w = width(d)
    for i in range(I[h + T.LINK_COUNT]):
        at, K = state_of(d, model, scratch, h, i), rigid(d, model, scratch, h, i)
        store_rigid(d, W, at + T.INERTIA * w, K)
        if forces == 1:
            g = bias(d, K, load(d, W, at + T.MOTION * w), load(d, W, at + T.BIAS * w))
            if I[h + T.ACTED] == 1:
                g = plus(d, -1.0, load(d, W, I[h + T.W_WRENCH] + w * i), g)
            store(d, W, at + T.FORCE * w, g)


@inner_kernel
def sum_inertias(d, model, scratch, h):
    """Sum K inward, eq. (16), and write U = K B of every column."""
    I, W = model.I, scratch.W
    w = width(d)
    for i in range(I[h + T.LINK_COUNT] - 1, -1, -1):
        link = link_of(model, h, i)
        K = load_rigid(d, W, state_of(d, model, scratch, h, i) + T.INERTIA * w)
        for j in range(I[link + T.FIRST], I[link + T.FIRST] + I[link + T.COUNT]):
            b = column_of(d, model, h, j)
            store(d, W, b + w, rigid_times(d, K, load(d, W, b)))
        c = I[link + T.CARRIER]
        if c >= 0:
            if I[link + T.OWN_POINT] == 1:
                K = carried_rigid(d, offset(d, model, scratch, h, i), K)
            p = state_of(d, model, scratch, h, c) + T.INERTIA * w
            store_rigid(d, W, p, add_rigid(d, load_rigid(d, W, p), K))


@inner_kernel
def sum_forces(d, model, scratch, h, out):
    """Sum G inward; eq. (17). Write −Bᵀ G, the right side of (15), to W[out…]."""
    I, W = model.I, scratch.W
    w = width(d)
    for i in range(I[h + T.LINK_COUNT] - 1, -1, -1):
        link, at = link_of(model, h, i), state_of(d, model, scratch, h, i) + T.FORCE * w
        g = load(d, W, at)
        for j in range(I[link + T.FIRST], I[link + T.FIRST] + I[link + T.COUNT]):
            k = I[record_of(model, h, j) + T.RATE]
            if k >= 0:
                W[out + k] = -inner(d, load(d, W, column_of(d, model, h, j)), g)
        c = I[link + T.CARRIER]
        if c >= 0:
            if I[link + T.OWN_POINT] == 1:
                g = carried(d, offset(d, model, scratch, h, i), g)
            p = state_of(d, model, scratch, h, c) + T.FORCE * w
            store(d, W, p, plus(d, 1.0, g, load(d, W, p)))


@inlined
def climb(d, model, scratch, h, link, column, f, out):
    """Add B_k · f of every unknown rate from `column` towards the ground to W[out + its place].

    Parameters
    ----------
    link, column : int
        The link that the force f acts on, f about its o; the innermost column that counts (it moves this link).
    """
    I, W = model.I, scratch.W
    k = column
    while k >= 0:
        record = record_of(model, h, k)
        i = I[record + T.LINK]
        while link != i:
            f = carried_in(d, model, scratch, h, link, f)
            link = I[link_of(model, h, link) + T.CARRIER]
        place = I[record + T.RATE]
        if place >= 0:
            W[out + place] += inner(d, load(d, W, column_of(d, model, h, k)), f)
        k = I[record + T.INNER]


@inlined
def carried_in(d, model, scratch, h, link, f):
    """Return a force about o of a link as one about o of its carrier."""
    I = model.I
    if I[link_of(model, h, link) + T.OWN_POINT] == 1:
        return carried(d, offset(d, model, scratch, h, link), f)
    return f


@inner_kernel
def mass_matrix(d, model, scratch, h):
    """Write the rows of (15), M_ij = B_iᵀ K_max(i,j) B_j, to the skyline of H; U = K B is known."""
    I, W = model.I, scratch.W
    w = width(d)
    for j in range(I[h + T.COLUMN_COUNT]):
        record = record_of(model, h, j)
        r = I[record + T.RATE]
        if r >= 0:
            at = I[I[h + T.H_BASE] + r]
            for c in range(I[I[h + T.H_FIRST] + r], r + 1):
                W[at + c] = 0.0
            climb(d, model, scratch, h, I[record + T.LINK], j, load(d, W, column_of(d, model, h, j) + w), at)
