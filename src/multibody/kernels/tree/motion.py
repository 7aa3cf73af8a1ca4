"""Outward recursions over all links: positions, velocities and accelerations from the ground to the leaves."""

from __future__ import annotations

from multibody.kernels.compile import inlined, inner_kernel
from multibody.kernels.tags import FREE, MOVING, STILL
from multibody.kernels.tree.algebra import load, moved, plus, rigid_times, store, turned_force, zero
from multibody.kernels.tree.declared import columns_of, links_of
from multibody.kernels.tree.frames import offset_of
from multibody.kernels.tree.sweep import follow, link_out


@inner_kernel
def positions(d, tree, work, q):
    """Write the frames and columns of all links."""
    for i in range(tree.links.size):
        link_out(d, STILL, FREE, tree, work, i, q, q, q)


@inlined
def motions(d, tree, work, q, v):
    """Write frames, columns, Y and S (with q̈ = 0) of all links."""
    for i in range(tree.links.size):
        link_out(d, MOVING, FREE, tree, work, i, q, v, v)


@inner_kernel
def velocities(d, tree, work, v):
    """Write Y and S (with q̈ = 0) of all links, whose frames and columns are known."""
    for i in range(tree.links.size):
        link, now = tree.links[i], links_of(d, work)[i]
        if link.carrier < 0:
            y, s = zero(d), load(d, tree.base)
        else:
            before = links_of(d, work)[link.carrier]
            y, s = load(d, before.motion), load(d, before.bias)
            if link.own_point == 1:
                e = offset_of(d, now)
                y, s = moved(d, e, y), moved(d, e, s)
        fixed = y
        for j in range(link.first, link.first + link.count):
            B = load(d, columns_of(d, work)[j].B)
            fixed, y, s = follow(d, FREE, work, tree.columns[j], B, v, v, fixed, y, s)
        store(d, now.motion, y)
        store(d, now.bias, s)


@inlined
def bias(d, K, y, s):
    """Return M̂ S + Y ×* M̂ Y: the inertial force (gravity within S), eq. (10) with (12)."""
    return plus(d, 1.0, rigid_times(d, K, s), turned_force(d, y, rigid_times(d, K, y)))
