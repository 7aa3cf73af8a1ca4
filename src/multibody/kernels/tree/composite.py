"""Composite inertias K_i and forces L_i, and the system (15) in joint coordinates; Kim, You (1996), eqs. (15)–(17).

K_i is the inertia of link i with all that it carries, locked. Forces are kept as G_i = K_i S_i − L_i, the inertial less the
applied forces of the subtree at q̈ = 0, so that the right side of (15), B_iᵀ(L_i − K_i Σ D), is −B_iᵀ G_i.
"""

from __future__ import annotations

from multibody.kernels.compile import inlined, inner_kernel
from multibody.kernels.modes import FORCES
from multibody.kernels.tree.algebra import (
    add_rigid,
    add_to,
    carried,
    carried_rigid,
    inner,
    load,
    load_rigid,
    plus,
    rigid_times,
    store,
    store_rigid,
)
from multibody.kernels.tree.declared import columns_of, links_of, loads_of
from multibody.kernels.tree.frames import offset_of
from multibody.kernels.tree.motion import bias
from multibody.kernels.tree.sweep import rigid


@inner_kernel
def bodies(d, tree, work, forces):
    """Write M̂ of every link to its K and, with ``FORCES``, its inertial less its applied force at q̈ = 0 to its G."""
    for i in range(tree.links.size):
        now, K = links_of(d, work)[i], rigid(d, tree, work, i)
        store_rigid(d, now.inertia, K)
        if forces == FORCES:
            g = bias(d, K, load(d, now.motion), load(d, now.bias))
            if tree.acted == 1:
                g = plus(d, -1.0, load(d, loads_of(d, work)[i].x), g)
            store(d, now.force, g)


@inner_kernel
def sum_inertias(d, tree, work):
    """Sum K inward, eq. (16), and write U = K B of every column."""
    for i in range(tree.links.size - 1, -1, -1):
        link, now = tree.links[i], links_of(d, work)[i]
        K = load_rigid(d, now.inertia)
        for j in range(link.first, link.first + link.count):
            column = columns_of(d, work)[j]
            store(d, column.U, rigid_times(d, K, load(d, column.B)))
        if link.carrier >= 0:
            if link.own_point == 1:
                K = carried_rigid(d, offset_of(d, now), K)
            to = links_of(d, work)[link.carrier].inertia
            store_rigid(d, to, add_rigid(d, load_rigid(d, to), K))


@inner_kernel
def sum_forces(d, tree, work, out):
    """Sum G inward; eq. (17). Write −Bᵀ G, the right side of (15), to out."""
    for i in range(tree.links.size - 1, -1, -1):
        link = tree.links[i]
        g = load(d, links_of(d, work)[i].force)
        for j in range(link.first, link.first + link.count):
            r = tree.columns[j].rate
            if r >= 0:
                out[r] = -inner(d, load(d, columns_of(d, work)[j].B), g)
        if link.carrier >= 0:
            add_to(d, links_of(d, work)[link.carrier].force, carried_in(d, tree, work, i, g))


@inlined
def climb(d, tree, work, i, column, f, out, at):
    """Add B_k · f of every unknown rate from `column` towards the ground to out[at + its place].

    Parameters
    ----------
    i, column : int
        The link that the force f acts on, f about its o; the innermost column that counts (it moves this link).
    """
    k = column
    while k >= 0:
        record = tree.columns[k]
        while i != record.link:
            f = carried_in(d, tree, work, i, f)
            i = tree.links[i].carrier
        if record.rate >= 0:
            out[at + record.rate] += inner(d, load(d, columns_of(d, work)[k].B), f)
        k = record.inner


@inlined
def carried_in(d, tree, work, i, f):
    """Return a force about o of link i as one about o of its carrier."""
    if tree.links[i].own_point == 1:
        return carried(d, offset_of(d, links_of(d, work)[i]), f)
    return f


@inner_kernel
def mass_matrix(d, tree, work):
    """Write the rows of (15), M_ij = B_iᵀ K_max(i,j) B_j, to the skyline of H; U = K B is known."""
    H = work.H
    for j in range(tree.columns.size):
        r = tree.columns[j].rate
        if r >= 0:
            at = tree.H_base[r]
            for c in range(tree.H_first[r], r + 1):
                H[at + c] = 0.0
            climb(d, tree, work, tree.columns[j].link, j, load(d, columns_of(d, work)[j].U), H, at)
