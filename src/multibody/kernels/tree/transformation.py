"""Velocity transformation: M̄ = Bᵀ M B and ḡ = Bᵀ(f − M Ḃ q̇) from the matrix B itself; Lee, Sohn, Kim, Yoo (2001), (1), (2).

For one body at a time, B (its rows of ẏ = B q̇) is written out for every column on the way to the ground: (ũ d, u) for a turn,
(u, 0) for a slide, with d from the axis to the center of mass.
"""

from __future__ import annotations

from multibody.kernels.compile import inlined, inner_kernel
from multibody.kernels.tags import PLANAR
from multibody.kernels.tree.algebra import inner, load, moved, store
from multibody.kernels.tree.declared import columns_of, constants_of, links_of, transformation_of
from multibody.kernels.tree.frames import axes_of, center_of, inward_to
from multibody.kernels.tree.sweep import inertia_of


@inner_kernel
def write_columns(d, tree, work, i):
    """Write the columns of B of link i, (velocity of its center of mass, ω) a rate, at the place of each rate."""
    c = center_of(d, links_of(d, work)[i])
    link, k = i, tree.links[i].last
    while k >= 0:
        column = tree.columns[k]
        c, link = inward_to(d, tree, work, link, column.link, c), column.link
        if column.rate >= 0:
            store(d, transformation_of(d, work)[column.rate].x, moved(d, c, load(d, columns_of(d, work)[k].B)))
        k = column.inner


@inlined
def mass_times_column(d, m, J, b):
    """Return M b with M = diag(m E, J) at the center of mass."""
    if d is PLANAR:
        return (m * b[0], m * b[1], J * b[2])
    xx, yy, zz, xy, xz, yz = J
    return (
        m * b[0], m * b[1], m * b[2], xx * b[3] + xy * b[4] + xz * b[5], xy * b[3] + yy * b[4] + yz * b[5],
        xz * b[3] + yz * b[4] + zz * b[5],
    )  # fmt: skip


@inner_kernel
def transformed_mass(d, tree, work):
    """Write Bᵀ M B to the skyline of H, body by body."""
    H, B = work.H, transformation_of(d, work)
    for r in range(tree.H_base.size):
        at = tree.H_base[r]
        for c in range(tree.H_first[r], r + 1):
            H[at + c] = 0.0
    for i in range(tree.links.size):
        write_columns(d, tree, work, i)
        m, J = inertia_of(d, constants_of(d, tree)[i], axes_of(d, links_of(d, work)[i]))
        k = tree.links[i].last
        while k >= 0:
            r = tree.columns[k].rate
            if r >= 0:
                x = mass_times_column(d, m, J, load(d, B[r].x))
                at, l = tree.H_base[r], k
                while l >= 0:
                    c = tree.columns[l].rate
                    if c >= 0:
                        H[at + c] += inner(d, x, load(d, B[c].x))
                    l = tree.columns[l].inner
            k = tree.columns[k].inner


@inner_kernel
def transformed_force(d, tree, work, out):
    """Write ḡ = Bᵀ(f − M Ḃ q̇) to out, G of every link (inertial less applied force at q̈ = 0) about o known."""
    for c in range(tree.nv):
        out[c] = 0.0
    for i in range(tree.links.size):
        now = links_of(d, work)[i]
        write_columns(d, tree, work, i)
        g = at_center(d, center_of(d, now), load(d, now.force))
        k = tree.links[i].last
        while k >= 0:
            r = tree.columns[k].rate
            if r >= 0:
                out[r] -= inner(d, g, load(d, transformation_of(d, work)[r].x))
            k = tree.columns[k].inner


@inlined
def at_center(d, c, g):
    """Return a force about o as one about the center of mass c."""
    if d is PLANAR:
        return (g[0], g[1], g[2] - c[0] * g[1] + c[1] * g[0])
    return (
        g[0], g[1], g[2], g[3] - c[1] * g[2] + c[2] * g[1], g[4] - c[2] * g[0] + c[0] * g[2],
        g[5] - c[0] * g[1] + c[1] * g[0],
    )  # fmt: skip
