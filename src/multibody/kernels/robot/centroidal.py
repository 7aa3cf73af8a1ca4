"""Center of mass, momentum matrix and what the momentum does by itself; momenta about the center of mass, in ground axes.

A column of the momentum matrix is K B about the center of mass, K the inertia of everything that the column moves.
"""

from __future__ import annotations

from multibody.kernels.compile import inner_kernel, kernel
from multibody.kernels.declared import model_at, scratch_at
from multibody.kernels.tree import layout as T
from multibody.kernels.tree.algebra import carried, load, plus, width, zero
from multibody.kernels.tree.composite import bodies, sum_inertias
from multibody.kernels.tree.frames import center_of, column_of, origin_of, record_of, state_of
from multibody.kernels.tree.motion import bias, motions, positions, rigid


@inner_kernel
def _mass_of(d, model, scratch, h, i):
    """Return the mass of link i."""
    I, W = model.I, scratch.W
    if d is None:
        return W[I[h + T.W_CONSTANT] + 9 * i + 5]
    return W[I[h + T.W_CONSTANT] + 31 * i + 12]


@inner_kernel
def _center(d, model, scratch, h):
    """Return the center of mass, three numbers (planar 0 at last); not a number where there is no mass."""
    I, W = model.I, scratch.W
    m, x, y, z = 0.0, 0.0, 0.0, 0.0
    for i in range(I[h + T.LINK_COUNT]):
        k, at = _mass_of(d, model, scratch, h, i), state_of(d, model, scratch, h, i)
        c, o = center_of(d, W, at), origin_of(d, W, at)
        m += k
        if d is None:
            x, y = x + k * (o[0] + c[0]), y + k * (o[1] + c[1])
        else:
            x, y, z = x + k * (o[0] + c[0]), y + k * (o[1] + c[1]), z + k * (o[2] + c[2])
    return (x / m, y / m, z / m)


@inner_kernel
def _from(d, W, at, c):
    """Return o of the link whose state lies at W[at…] from a point c."""
    o = origin_of(d, W, at)
    if d is None:
        return (o[0] - c[0], o[1] - c[1])
    return (o[0] - c[0], o[1] - c[1], o[2] - c[2])


@inner_kernel
def _center_only(d, model, scratch, h, q, out):
    positions(d, model, scratch, h, q)
    c = _center(d, model, scratch, h)
    for k in range(out.shape[0]):
        out[k] = c[k]


@kernel
def mass_centers(model, scratch, q, out, flat=None):
    """Write the center of mass of everything that moves (states, d), from the ground's origin."""
    model, scratch = model_at(model), scratch_at(scratch)
    I = model.I
    for k in range(q.shape[0]):
        if flat is None:
            _center_only(True, model, scratch, I[T.TREE], q[k], out[k])
        else:
            _center_only(None, model, scratch, I[T.TREE], q[k], out[k])


@inner_kernel
def _momentum_matrix(d, model, scratch, h, q, A):
    I, W = model.I, scratch.W
    w = width(d)
    positions(d, model, scratch, h, q)
    bodies(d, model, scratch, h, 0)
    sum_inertias(d, model, scratch, h)
    c = _center(d, model, scratch, h)
    for j in range(I[h + T.COLUMN_COUNT]):
        record = record_of(model, h, j)
        e = _from(d, W, state_of(d, model, scratch, h, I[record + T.LINK]), c)
        p = carried(d, e, load(d, W, column_of(d, model, h, j) + w))
        for k in range(w):
            A[k, I[record + T.RATE]] = p[k]


@kernel
def momentum_matrices(model, scratch, q, A, flat=None):
    """Write the centroidal momentum matrices A (states, 3 or 6, nv): A v is linear momentum, then angular momentum."""
    model, scratch = model_at(model), scratch_at(scratch)
    I = model.I
    for k in range(q.shape[0]):
        if flat is None:
            _momentum_matrix(True, model, scratch, I[T.TREE], q[k], A[k])
        else:
            _momentum_matrix(None, model, scratch, I[T.TREE], q[k], A[k])


@inner_kernel
def _momentum_bias(d, model, scratch, h, q, v, out):
    I, W = model.I, scratch.W
    w, total = width(d), zero(d)
    motions(d, model, scratch, h, q, v)
    c = _center(d, model, scratch, h)
    for i in range(I[h + T.LINK_COUNT]):
        at = state_of(d, model, scratch, h, i)
        f = bias(d, rigid(d, model, scratch, h, i), load(d, W, at + T.MOTION * w), load(d, W, at + T.BIAS * w))
        total = plus(d, 1.0, carried(d, _from(d, W, at, c), f), total)
    for k in range(w):
        out[k] = total[k]


@kernel
def momentum_biases(model, scratch, q, v, out, flat=None):
    """Write dA/dt v (states, 3 or 6): how the momenta change at constant rates. W without gravity (W_BASE zero)."""
    model, scratch = model_at(model), scratch_at(scratch)
    I = model.I
    for k in range(q.shape[0]):
        if flat is None:
            _momentum_bias(True, model, scratch, I[T.TREE], q[k], v[k], out[k])
        else:
            _momentum_bias(None, model, scratch, I[T.TREE], q[k], v[k], out[k])
