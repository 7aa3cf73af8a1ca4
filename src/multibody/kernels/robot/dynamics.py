"""What roboticists ask of a tree, for many states in one call: arrays in, arrays out."""

from __future__ import annotations

from multibody.kernels import layout as L
from multibody.kernels.compile import inner_kernel, kernel
from multibody.kernels.tree import layout as T
from multibody.kernels.tree.articulated import accelerations, bodies_articulated, eliminate, give_way
from multibody.kernels.tree.composite import bodies, mass_matrix, sum_inertias
from multibody.kernels.tree.motion import motions, positions
from multibody.kernels.tree.newton_euler import inward, outward


@inner_kernel
def _inverse(d, I, W, q, v, a, tau):
    h = I[T.TREE]
    for k in range(q.shape[0]):
        outward(d, I, W, h, q[k], v[k], a[k])
        inward(d, I, W, h, tau[k])


@kernel
def inverse_dynamics(I, W, q, v, a, tau):
    """Write the efforts tau (states, nv) of all coordinates by recursive Newton–Euler."""
    if I[L.DIMENSION] == 2:
        _inverse(None, I, W, q, v, a, tau)
    else:
        _inverse(True, I, W, q, v, a, tau)


@inner_kernel
def _forward(d, I, W, q, v, tau, a):
    h, n = I[T.TREE], a.shape[1]
    at = I[h + T.W_TAU]
    for k in range(q.shape[0]):
        motions(d, I, W, h, q[k], v[k])
        bodies_articulated(d, I, W, h)
        bad = eliminate(d, I, W, h)
        if bad >= 0:
            return bad
        for c in range(n):
            W[at + c] = tau[k, c]
        give_way(d, I, W, h, at)
        accelerations(d, I, W, h, at)
        for c in range(n):
            a[k, c] = W[at + c]
    return -1


@kernel
def forward_dynamics(I, W, q, v, tau, a):
    """Write the accelerations a (states, nv) by the articulated-body recursion; return −1, or a column without mass."""
    if I[L.DIMENSION] == 2:
        return _forward(None, I, W, q, v, tau, a)
    return _forward(True, I, W, q, v, tau, a)


@inner_kernel
def _mass(d, I, W, q, M):
    h, n = I[T.TREE], M.shape[1]
    for k in range(q.shape[0]):
        positions(d, I, W, h, q[k])
        bodies(d, I, W, h, 0)
        sum_inertias(d, I, W, h)
        mass_matrix(d, I, W, h)
        for r in range(n):
            first, at = I[I[h + T.H_FIRST] + r], I[I[h + T.H_BASE] + r]
            for c in range(r + 1):
                value = W[at + c] if c >= first else 0.0
                M[k, r, c] = value
                M[k, c, r] = value


@kernel
def mass_matrices(I, W, q, M):
    """Write the mass matrices M (states, nv, nv) by composite inertias."""
    if I[L.DIMENSION] == 2:
        _mass(None, I, W, q, M)
    else:
        _mass(True, I, W, q, M)
