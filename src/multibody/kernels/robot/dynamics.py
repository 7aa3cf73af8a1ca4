"""Inverse dynamics, forward dynamics and mass matrix of a tree: one state, or many in one call; arrays in, arrays out.

What springs, dampers and loads of the model do is not in here (see ``applied.py``): these are the paths that have to be fast.
The entrances for one state check nothing but sizes, and whether what comes out is a number; they return 1, or 0 where somebody
has to look closer.
"""

from __future__ import annotations

from multibody.kernels import layout as L
from multibody.kernels.compile import inner_kernel, kernel
from multibody.kernels.tree import layout as T
from multibody.kernels.tree.articulated import accelerations, bodies_articulated, eliminate, give_way
from multibody.kernels.tree.composite import bodies, mass_matrix, sum_inertias
from multibody.kernels.tree.motion import motions, positions
from multibody.kernels.tree.newton_euler import inward, outward


@inner_kernel
def finite_sum(x):
    """Return 1 if the sum of x is a number, else 0."""
    total = 0.0
    for k in range(x.shape[0]):
        total += x[k]
    return 1 if total - total == 0.0 else 0


# --- inverse dynamics ---------------------------------------------------------------------------------------------------
@inner_kernel
def _inverse(d, I, W, h, q, v, a, tau):
    outward(d, I, W, h, q, v, a)
    inward(d, I, W, h, tau)


@kernel
def inverse_dynamics(I, W, q, v, a, tau):
    """Write the efforts tau (states, nv) of all coordinates by recursive Newton–Euler."""
    h = I[T.TREE]
    if I[L.DIMENSION] == 2:
        for k in range(q.shape[0]):
            _inverse(None, I, W, h, q[k], v[k], a[k], tau[k])
    else:
        for k in range(q.shape[0]):
            _inverse(True, I, W, h, q[k], v[k], a[k], tau[k])


@kernel
def inverse_one(I, W, q, v, a, tau):
    """Write the efforts tau (nv) of one state; return 1, or 0 where a size is wrong or a number is not finite."""
    h = I[T.TREE]
    n = I[h + T.NV]
    if q.shape[0] != I[h + T.NQ] or v.shape[0] != n or a.shape[0] != n or tau.shape[0] != n:
        return 0
    if I[L.DIMENSION] == 2:
        _inverse(None, I, W, h, q, v, a, tau)
    else:
        _inverse(True, I, W, h, q, v, a, tau)
    return finite_sum(tau)


# --- forward dynamics ---------------------------------------------------------------------------------------------------
@inner_kernel
def _forward(d, I, W, h, q, v, tau, a):
    """Write the accelerations of one state; return −1, or a column without mass."""
    at = I[h + T.W_TAU]
    motions(d, I, W, h, q, v)
    bodies_articulated(d, I, W, h)
    bad = eliminate(d, I, W, h)
    if bad >= 0:
        return bad
    for c in range(a.shape[0]):
        W[at + c] = tau[c]
    give_way(d, I, W, h, at)
    accelerations(d, I, W, h, at)
    for c in range(a.shape[0]):
        a[c] = W[at + c]
    return -1


@kernel
def forward_dynamics(I, W, q, v, tau, a):
    """Write the accelerations a (states, nv) by the articulated-body recursion; return −1, or a column without mass."""
    h = I[T.TREE]
    for k in range(q.shape[0]):
        if I[L.DIMENSION] == 2:
            bad = _forward(None, I, W, h, q[k], v[k], tau[k], a[k])
        else:
            bad = _forward(True, I, W, h, q[k], v[k], tau[k], a[k])
        if bad >= 0:
            return bad
    return -1


@kernel
def forward_one(I, W, q, v, tau, a):
    """Write the accelerations a (nv) of one state; return 1, or 0 where a size is wrong or there is no solution."""
    h = I[T.TREE]
    n = I[h + T.NV]
    if q.shape[0] != I[h + T.NQ] or v.shape[0] != n or a.shape[0] != n or tau.shape[0] != n:
        return 0
    if I[L.DIMENSION] == 2:
        bad = _forward(None, I, W, h, q, v, tau, a)
    else:
        bad = _forward(True, I, W, h, q, v, tau, a)
    return finite_sum(a) if bad < 0 else 0


# --- mass matrix --------------------------------------------------------------------------------------------------------
@inner_kernel
def _mass(d, I, W, h, q, M):
    positions(d, I, W, h, q)
    bodies(d, I, W, h, 0)
    sum_inertias(d, I, W, h)
    mass_matrix(d, I, W, h)
    for r in range(M.shape[0]):
        first, at = I[I[h + T.H_FIRST] + r], I[I[h + T.H_BASE] + r]
        for c in range(first):
            M[r, c] = 0.0
            M[c, r] = 0.0
        for c in range(first, r + 1):
            M[r, c] = W[at + c]
            M[c, r] = W[at + c]


@kernel
def mass_matrices(I, W, q, M):
    """Write the mass matrices M (states, nv, nv) by composite inertias."""
    h = I[T.TREE]
    for k in range(q.shape[0]):
        if I[L.DIMENSION] == 2:
            _mass(None, I, W, h, q[k], M[k])
        else:
            _mass(True, I, W, h, q[k], M[k])


@kernel
def mass_one(I, W, q, M):
    """Write the mass matrix M (nv, nv) of one state; return 1, or 0 where a size is wrong or a number is not finite."""
    h = I[T.TREE]
    n = I[h + T.NV]
    if q.shape[0] != I[h + T.NQ] or M.shape[0] != n or M.shape[1] != n:
        return 0
    if I[L.DIMENSION] == 2:
        _mass(None, I, W, h, q, M)
    else:
        _mass(True, I, W, h, q, M)
    total = 0.0
    for r in range(n):
        total += M[r, r]
    return 1 if total - total == 0.0 else 0
