"""Inverse dynamics, forward dynamics and mass matrix of a tree: one state, or many in one call; arrays in, arrays out.

What springs, dampers and loads of the model do is not in here (see ``applied.py``): these are the paths that have to be fast.
Entrances for one state check nothing but sizes, and whether what comes out is a number; they return 1, or 0 where somebody has
to look closer.

Here and in the other files, the last argument `flat` of a kernel is True for planar models and left out for spatial ones, for
which no planar code is compiled then.
"""

from __future__ import annotations

from multibody.kernels.compile import inlined, inner_kernel, kernel
from multibody.kernels.declared import model_at, scratch_at
from multibody.kernels.tree import layout as T
from multibody.kernels.tree.algebra import inner, load, store_rigid, width
from multibody.kernels.tree.articulated import accelerations, sweep
from multibody.kernels.tree.composite import carried_in, sum_inertias
from multibody.kernels.tree.frames import column_of, link_of, record_of, state_of
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
def _inverse(d, model, scratch, h, q, v, a, tau):
    """Write the efforts of one state: inertial forces outward, their sums and Bᵀ R̂ inward."""
    outward(d, model, scratch, h, q, v, a)
    inward(d, model, scratch, h, tau)


@kernel
def inverse_dynamics(model, scratch, q, v, a, tau, flat=None):
    """Write the efforts tau (states, nv) of all coordinates by recursive Newton–Euler."""
    model, scratch = model_at(model), scratch_at(scratch)
    I = model.I
    h = I[T.TREE]
    for k in range(q.shape[0]):
        if flat is None:
            _inverse(True, model, scratch, h, q[k], v[k], a[k], tau[k])
        else:
            _inverse(None, model, scratch, h, q[k], v[k], a[k], tau[k])


@inner_kernel
def inverse_one(d, model, scratch, q, v, a, tau):
    """Write the efforts tau (nv) of one state; return 1, or 0 where a size is wrong or a number is not finite."""
    I = model.I
    h = I[T.TREE]
    n = I[h + T.NV]
    if q.shape[0] != I[h + T.NQ] or v.shape[0] != n or a.shape[0] != n or tau.shape[0] != n:
        return 0
    _inverse(d, model, scratch, h, q, v, a, tau)
    return finite_sum(tau)


@kernel
def inverse_planar(model, scratch, q, v, a, tau):
    """See :func:`inverse_one`."""
    model, scratch = model_at(model), scratch_at(scratch)
    return inverse_one(None, model, scratch, q, v, a, tau)


@kernel
def inverse_spatial(model, scratch, q, v, a, tau):
    """See :func:`inverse_one`."""
    model, scratch = model_at(model), scratch_at(scratch)
    return inverse_one(True, model, scratch, q, v, a, tau)


# --- forward dynamics ---------------------------------------------------------------------------------------------------
@inner_kernel
def forward_state(d, kept, model, scratch, h, q, v, tau, a):
    """Write the accelerations of one state; return −1, or a column without mass. If `kept`, K, G and a stay with the links."""
    motions(d, model, scratch, h, q, v)
    bad = sweep(d, kept, model, scratch, h, tau, -1)
    if bad < 0:
        accelerations(d, kept, model, scratch, h, a)
    return bad


@kernel
def forward_dynamics(model, scratch, q, v, tau, a, flat=None):
    """Write the accelerations a (states, nv) by the articulated-body recursion; return −1, or a column without mass."""
    model, scratch = model_at(model), scratch_at(scratch)
    I = model.I
    h = I[T.TREE]
    for k in range(q.shape[0]):
        if flat is None:
            bad = forward_state(True, None, model, scratch, h, q[k], v[k], tau[k], a[k])
        else:
            bad = forward_state(None, None, model, scratch, h, q[k], v[k], tau[k], a[k])
        if bad >= 0:
            return bad
    return -1


@inner_kernel
def forward_one(d, model, scratch, q, v, tau, a):
    """Write the accelerations a (nv) of one state; return 1, or 0 where a size is wrong or there is no solution."""
    I = model.I
    h = I[T.TREE]
    n = I[h + T.NV]
    if q.shape[0] != I[h + T.NQ] or v.shape[0] != n or a.shape[0] != n or tau.shape[0] != n:
        return 0
    bad = forward_state(d, None, model, scratch, h, q, v, tau, a)
    return finite_sum(a) if bad < 0 else 0


@kernel
def forward_planar(model, scratch, q, v, tau, a):
    """See :func:`forward_one`."""
    model, scratch = model_at(model), scratch_at(scratch)
    return forward_one(None, model, scratch, q, v, tau, a)


@kernel
def forward_spatial(model, scratch, q, v, tau, a):
    """See :func:`forward_one`."""
    model, scratch = model_at(model), scratch_at(scratch)
    return forward_one(True, model, scratch, q, v, tau, a)


# --- mass matrix --------------------------------------------------------------------------------------------------------
@inner_kernel
def _mass(d, model, scratch, h, q, M):
    """Write the mass matrix of one state: M_ij = B_iᵀ K_max(i,j) B_j, eqs. (15), (16)."""
    I, W = model.I, scratch.W
    w, count = width(d), I[h + T.LINK_COUNT]
    for r in range(M.shape[0]):
        for c in range(M.shape[0]):
            M[r, c] = 0.0
    for i in range(count):
        A, c, _, _ = link_out(d, None, None, model, scratch, h, i, q, q, q)
        store_rigid(d, W, state_of(d, model, scratch, h, i) + T.INERTIA * w, rigid_of(d, model, scratch, h, i, A, c))
    sum_inertias(d, model, scratch, h)
    for j in range(I[h + T.COLUMN_COUNT]):
        _row(d, model, scratch, h, I[record_of(model, h, j) + T.LINK], j, load(d, W, column_of(d, model, h, j) + w), M)


@inlined
def _row(d, model, scratch, h, link, column, u, M):
    """Write B_k · u of a column and of all that carry it, u about o of the link, to row and column of M."""
    I, W = model.I, scratch.W
    r, k = I[record_of(model, h, column) + T.RATE], column
    while k >= 0:
        record = record_of(model, h, k)
        while link != I[record + T.LINK]:
            u = carried_in(d, model, scratch, h, link, u)
            link = I[link_of(model, h, link) + T.CARRIER]
        found = inner(d, load(d, W, column_of(d, model, h, k)), u)
        M[r, I[record + T.RATE]] = found
        M[I[record + T.RATE], r] = found
        k = I[record + T.INNER]


@kernel
def mass_matrices(model, scratch, q, M, flat=None):
    """Write the mass matrices M (states, nv, nv) by composite inertias."""
    model, scratch = model_at(model), scratch_at(scratch)
    I = model.I
    h = I[T.TREE]
    for k in range(q.shape[0]):
        if flat is None:
            _mass(True, model, scratch, h, q[k], M[k])
        else:
            _mass(None, model, scratch, h, q[k], M[k])


@inner_kernel
def mass_one(d, model, scratch, q, M):
    """Write the mass matrix M (nv, nv) of one state; return 1, or 0 where a size is wrong or a number is not finite."""
    I = model.I
    h = I[T.TREE]
    n = I[h + T.NV]
    if q.shape[0] != I[h + T.NQ] or M.shape[0] != n or M.shape[1] != n:
        return 0
    _mass(d, model, scratch, h, q, M)
    total = 0.0
    for r in range(n):
        total += M[r, r]
    return 1 if total - total == 0.0 else 0


@kernel
def mass_planar(model, scratch, q, M):
    """See :func:`mass_one`."""
    model, scratch = model_at(model), scratch_at(scratch)
    return mass_one(None, model, scratch, q, M)


@kernel
def mass_spatial(model, scratch, q, M):
    """See :func:`mass_one`."""
    model, scratch = model_at(model), scratch_at(scratch)
    return mass_one(True, model, scratch, q, M)
