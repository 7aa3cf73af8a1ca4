"""Inverse dynamics, forward dynamics and mass matrix of a tree: one state, or many in one call; arrays in, arrays out.

What springs, dampers and loads of the model do is not in here (see ``applied.py``): these are the paths that have to be fast.
Entrances for one state check nothing but sizes, and whether what comes out is a number; they return 1, or 0 where somebody has
to look closer.

Here and in the other files, the first argument `d` of a kernel is PLANAR or SPATIAL (see ``tags``), from Python too: for a
spatial model no planar code is compiled.
"""

from __future__ import annotations

from multibody.kernels.compile import inlined, inner_kernel, kernel
from multibody.kernels.declared import model_at, scratch_at
from multibody.kernels.tags import DROPPED, FREE, PLANAR, SPATIAL, STILL
from multibody.kernels.tree.algebra import inner, load, store_rigid
from multibody.kernels.tree.articulated import accelerations, sweep
from multibody.kernels.tree.composite import carried_in, sum_inertias
from multibody.kernels.tree.declared import columns_of, constants_of, links_of
from multibody.kernels.tree.motion import motions
from multibody.kernels.tree.newton_euler import inward, outward
from multibody.kernels.tree.sweep import link_out, rigid_of


@inner_kernel
def finite_sum(x):
    """Return 1 if the sum of x is a number, else 0."""
    total = 0.0
    for k in range(x.shape[0]):
        total += x[k]
    return 1 if total - total == 0.0 else 0


# --- inverse dynamics ---------------------------------------------------------------------------------------------------
@inner_kernel
def _inverse(d, tree, work, q, v, a, tau):
    """Write the efforts of one state: inertial forces outward, their sums and Bᵀ R̂ inward."""
    outward(d, tree, work, q, v, a)
    inward(d, tree, work, tau)


@kernel
def inverse_dynamics(d, model, scratch, q, v, a, tau):
    """Write the efforts tau (states, nv) of all coordinates by recursive Newton–Euler."""
    tree, work = model_at(model).tree, scratch_at(scratch).tree
    for k in range(q.shape[0]):
        _inverse(d, tree, work, q[k], v[k], a[k], tau[k])


@inner_kernel
def inverse_one(d, tree, work, q, v, a, tau):
    """Write the efforts tau (nv) of one state; return 1, or 0 where a size is wrong or a number is not finite."""
    n = tree.nv
    if q.shape[0] != tree.nq or v.shape[0] != n or a.shape[0] != n or tau.shape[0] != n:
        return 0
    _inverse(d, tree, work, q, v, a, tau)
    return finite_sum(tau)


@kernel
def inverse_at(model, scratch, q, v, a, tau):
    """See :func:`inverse_one`."""
    model, scratch = model_at(model), scratch_at(scratch)
    if model.planar:
        return inverse_one(PLANAR, model.tree, scratch.tree, q, v, a, tau)
    return inverse_one(SPATIAL, model.tree, scratch.tree, q, v, a, tau)


# --- forward dynamics ---------------------------------------------------------------------------------------------------
@inner_kernel
def forward_state(d, kept, tree, work, q, v, tau, a):
    """Write the accelerations of one state; return −1, or a column without mass. If `kept`, K, G and a stay with the links."""
    motions(d, tree, work, q, v)
    bad = sweep(d, kept, tree, work, tau, 0)
    if bad < 0:
        accelerations(d, kept, tree, work, a)
    return bad


@kernel
def forward_dynamics(d, model, scratch, q, v, tau, a):
    """Write the accelerations a (states, nv) by the articulated-body recursion; return −1, or a column without mass."""
    tree, work = model_at(model).tree, scratch_at(scratch).tree
    for k in range(q.shape[0]):
        bad = forward_state(d, DROPPED, tree, work, q[k], v[k], tau[k], a[k])
        if bad >= 0:
            return bad
    return -1


@inner_kernel
def forward_one(d, tree, work, q, v, tau, a):
    """Write the accelerations a (nv) of one state; return 1, or 0 where a size is wrong or there is no solution."""
    n = tree.nv
    if q.shape[0] != tree.nq or v.shape[0] != n or a.shape[0] != n or tau.shape[0] != n:
        return 0
    bad = forward_state(d, DROPPED, tree, work, q, v, tau, a)
    return finite_sum(a) if bad < 0 else 0


@kernel
def forward_at(model, scratch, q, v, tau, a):
    """See :func:`forward_one`."""
    model, scratch = model_at(model), scratch_at(scratch)
    if model.planar:
        return forward_one(PLANAR, model.tree, scratch.tree, q, v, tau, a)
    return forward_one(SPATIAL, model.tree, scratch.tree, q, v, tau, a)


# --- mass matrix --------------------------------------------------------------------------------------------------------
@inlined
def composite_inertias(d, tree, work, q):
    """Write frames and columns of all links, their composite inertias K, eq. (16), and U = K B of every column."""
    for i in range(tree.links.size):
        A, c, _, _ = link_out(d, STILL, FREE, tree, work, i, q, q, q)
        store_rigid(d, links_of(d, work)[i].inertia, rigid_of(d, constants_of(d, tree)[i], A, c))
    sum_inertias(d, tree, work)


@inner_kernel
def _mass(d, tree, work, q, M):
    """Write the mass matrix of one state: M_ij = B_iᵀ K_max(i,j) B_j, eqs. (15), (16)."""
    for r in range(M.shape[0]):
        for c in range(M.shape[0]):
            M[r, c] = 0.0
    composite_inertias(d, tree, work, q)
    for j in range(tree.columns.size):
        _row(d, tree, work, j, load(d, columns_of(d, work)[j].U), M)


@inlined
def _row(d, tree, work, column, u, M):
    """Write B_k · u of a column and of all that carry it, u about o of its link, to row and column of M."""
    r, link, k = tree.columns[column].rate, tree.columns[column].link, column
    while k >= 0:
        record = tree.columns[k]
        while link != record.link:
            u = carried_in(d, tree, work, link, u)
            link = tree.links[link].carrier
        found = inner(d, load(d, columns_of(d, work)[k].B), u)
        M[r, record.rate] = found
        M[record.rate, r] = found
        k = record.inner


@kernel
def mass_matrices(d, model, scratch, q, M):
    """Write the mass matrices M (states, nv, nv) by composite inertias."""
    tree, work = model_at(model).tree, scratch_at(scratch).tree
    for k in range(q.shape[0]):
        _mass(d, tree, work, q[k], M[k])


@inner_kernel
def mass_one(d, tree, work, q, M):
    """Write the mass matrix M (nv, nv) of one state; return 1, or 0 where a size is wrong or a number is not finite."""
    n = tree.nv
    if q.shape[0] != tree.nq or M.shape[0] != n or M.shape[1] != n:
        return 0
    _mass(d, tree, work, q, M)
    total = 0.0
    for r in range(n):
        total += M[r, r]
    return 1 if total - total == 0.0 else 0


@kernel
def mass_at(model, scratch, q, M):
    """See :func:`mass_one`."""
    model, scratch = model_at(model), scratch_at(scratch)
    if model.planar:
        return mass_one(PLANAR, model.tree, scratch.tree, q, M)
    return mass_one(SPATIAL, model.tree, scratch.tree, q, M)
