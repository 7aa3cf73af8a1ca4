"""Velocity transformation: M̄ = Bᵀ M B and ḡ = Bᵀ(f − M Ḃ q̇) from the matrix B itself; Lee, Sohn, Kim, Yoo (2001), (1), (2).

For one body at a time, B (its rows of ẏ = B q̇) is written out for every column on the way to the ground: (ũ d, u) for a turn,
(u, 0) for a slide, with d from the axis to the center of mass.
"""

from __future__ import annotations

from multibody.kernels.compile import inlined, inner_kernel
from multibody.kernels.tree import layout as T
from multibody.kernels.tree.algebra import inner, load, moved, store, width
from multibody.kernels.tree.frames import axes_of, center_of, column_of, link_of, offset, record_of, state_of
from multibody.kernels.tree.sweep import inertia_of


@inlined
def _further(d, e, c):
    """Return e + c."""
    if d is None:
        return (e[0] + c[0], e[1] + c[1])
    return (e[0] + c[0], e[1] + c[1], e[2] + c[2])


@inner_kernel
def write_columns(d, model, scratch, h, i):
    """Write the columns of B of link i, (velocity of its center of mass, ω) a rate, to W_B at the place of each rate."""
    I, W = model.I, scratch.W
    w = width(d)
    c = center_of(d, W, state_of(d, model, scratch, h, i))
    link, k = i, I[link_of(model, h, i) + T.LAST]
    while k >= 0:
        record = record_of(model, h, k)
        while link != I[record + T.LINK]:
            if I[link_of(model, h, link) + T.OWN_POINT] == 1:
                c = _further(d, offset(d, model, scratch, h, link), c)
            link = I[link_of(model, h, link) + T.CARRIER]
        r = I[record + T.RATE]
        if r >= 0:
            store(d, W, I[h + T.W_B] + w * r, moved(d, c, load(d, W, column_of(d, model, h, k))))
        k = I[record + T.INNER]


@inlined
def mass_times_column(d, m, J, b):
    """Return M b with M = diag(m E, J) at the center of mass."""
    if d is None:
        return (m * b[0], m * b[1], J * b[2])
    xx, yy, zz, xy, xz, yz = J
    return (
        m * b[0], m * b[1], m * b[2], xx * b[3] + xy * b[4] + xz * b[5], xy * b[3] + yy * b[4] + yz * b[5],
        xz * b[3] + yz * b[4] + zz * b[5],
    )  # fmt: skip


@inner_kernel
def transformed_mass(d, model, scratch, h):
    """Write Bᵀ M B to the skyline of H, body by body."""
    I, W = model.I, scratch.W
    w, n = width(d), I[h + T.NV]
    for r in range(n):
        at = I[I[h + T.H_BASE] + r]
        for c in range(I[I[h + T.H_FIRST] + r], r + 1):
            W[at + c] = 0.0
    for i in range(I[h + T.LINK_COUNT]):
        write_columns(d, model, scratch, h, i)
        m, J = inertia_of(d, model, scratch, h, i, axes_of(d, W, state_of(d, model, scratch, h, i)))
        k = I[link_of(model, h, i) + T.LAST]
        while k >= 0:
            r = I[record_of(model, h, k) + T.RATE]
            if r >= 0:
                x = mass_times_column(d, m, J, load(d, W, I[h + T.W_B] + w * r))
                at, l = I[I[h + T.H_BASE] + r], k
                while l >= 0:
                    c = I[record_of(model, h, l) + T.RATE]
                    if c >= 0:
                        W[at + c] += inner(d, x, load(d, W, I[h + T.W_B] + w * c))
                    l = I[record_of(model, h, l) + T.INNER]
            k = I[record_of(model, h, k) + T.INNER]


@inner_kernel
def transformed_force(d, model, scratch, h, out):
    """Write ḡ = Bᵀ(f − M Ḃ q̇) to W[out…], G of every link (inertial less applied force at q̈ = 0) about o known."""
    I, W = model.I, scratch.W
    w, n = width(d), I[h + T.NV]
    for c in range(n):
        W[out + c] = 0.0
    for i in range(I[h + T.LINK_COUNT]):
        at = state_of(d, model, scratch, h, i)
        write_columns(d, model, scratch, h, i)
        g = at_center(d, center_of(d, W, at), load(d, W, at + T.FORCE * w))
        k = I[link_of(model, h, i) + T.LAST]
        while k >= 0:
            r = I[record_of(model, h, k) + T.RATE]
            if r >= 0:
                W[out + r] -= inner(d, g, load(d, W, I[h + T.W_B] + w * r))
            k = I[record_of(model, h, k) + T.INNER]


@inlined
def at_center(d, c, g):
    """Return a force about o as one about the center of mass c."""
    if d is None:
        return (g[0], g[1], g[2] - c[0] * g[1] + c[1] * g[0])
    return (
        g[0], g[1], g[2], g[3] - c[1] * g[2] + c[2] * g[1], g[4] - c[2] * g[0] + c[0] * g[2],
        g[5] - c[0] * g[1] + c[1] * g[0],
    )  # fmt: skip
