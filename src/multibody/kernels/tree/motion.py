"""Outward recursions over all links: positions, velocities and accelerations from the ground to the leaves."""

from __future__ import annotations

from multibody.kernels.compile import inlined, inner_kernel
from multibody.kernels.tree import layout as T
from multibody.kernels.tree.algebra import load, moved, plus, rigid_times, store, turned_force, width, zero
from multibody.kernels.tree.frames import axes_of, center_of, column_of, link_of, offset, record_of, state_of
from multibody.kernels.tree.sweep import follow, force_of, link_out, rigid_of


@inner_kernel
def positions(d, model, scratch, h, q):
    """Write the frames and columns of all links."""
    I = model.I
    for i in range(I[h + T.LINK_COUNT]):
        link_out(d, None, None, model, scratch, h, i, q, q, q)


@inlined
def motions(d, model, scratch, h, q, v):
    """Write frames, columns, Y and S (with q̈ = 0) of all links."""
    I = model.I
    for i in range(I[h + T.LINK_COUNT]):
        link_out(d, True, None, model, scratch, h, i, q, v, v)


@inner_kernel
def velocities(d, model, scratch, h, v):
    """Write Y and S (with q̈ = 0) of all links, whose frames and columns are known."""
    I, W = model.I, scratch.W
    w = width(d)
    for i in range(I[h + T.LINK_COUNT]):
        link, at = link_of(model, h, i), state_of(d, model, scratch, h, i)
        c = I[link + T.CARRIER]
        if c < 0:
            y, s = zero(d), load(d, W, I[h + T.W_BASE])
        else:
            p = state_of(d, model, scratch, h, c) + T.MOTION * w
            y, s = load(d, W, p), load(d, W, p + w)
            if I[link + T.OWN_POINT] == 1:
                e = offset(d, model, scratch, h, i)
                y, s = moved(d, e, y), moved(d, e, s)
        fixed = y
        for j in range(I[link + T.FIRST], I[link + T.FIRST] + I[link + T.COUNT]):
            B = load(d, W, column_of(d, model, h, j))
            fixed, y, s = follow(d, None, model, scratch, h, record_of(model, h, j), B, v, v, fixed, y, s)
        store(d, W, at + T.MOTION * w, y)
        store(d, W, at + T.BIAS * w, s)


@inlined
def rigid(d, model, scratch, h, i):
    """Return the inertia M̂ of link i about o; eq. (11)."""
    W = scratch.W
    at = state_of(d, model, scratch, h, i)
    return rigid_of(d, model, scratch, h, i, axes_of(d, W, at), center_of(d, W, at))


@inlined
def bias(d, K, y, s):
    """Return M̂ S + Y ×* M̂ Y: the inertial force (gravity within S), eq. (10) with (12)."""
    return plus(d, 1.0, rigid_times(d, K, s), turned_force(d, y, rigid_times(d, K, y)))


@inlined
def inertial_force(d, model, scratch, h, i, y, s):
    """Return the inertial force of link i about o from its motion alone, without its inertia about o (cheaper)."""
    W = scratch.W
    at = state_of(d, model, scratch, h, i)
    return force_of(d, model, scratch, h, i, axes_of(d, W, at), center_of(d, W, at), y, s)
