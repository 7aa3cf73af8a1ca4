"""Center of mass, momentum matrix and what the momentum does by itself; momenta about the center of mass, in ground axes.

A column of the momentum matrix is K B about the center of mass, K the inertia of everything that the column moves.
"""

from __future__ import annotations

from multibody.kernels.compile import inner_kernel, kernel
from multibody.kernels.declared import model_at, scratch_at
from multibody.kernels.robot.dynamics import composite_inertias
from multibody.kernels.tags import PLANAR, SPATIAL
from multibody.kernels.tree.algebra import carried, load, plus, width, zero
from multibody.kernels.tree.declared import columns_of, constants_of, links_of
from multibody.kernels.tree.frames import between, center_of, origin_of
from multibody.kernels.tree.motion import bias, motions, positions
from multibody.kernels.tree.sweep import rigid


@inner_kernel
def _center(d, tree, work):
    """Return the center of mass, three numbers (planar 0 at last); not a number where there is no mass."""
    m, x, y, z = 0.0, 0.0, 0.0, 0.0
    for i in range(tree.links.size):
        k, now = constants_of(d, tree)[i].m, links_of(d, work)[i]
        c, o = center_of(d, now), origin_of(d, now)
        m += k
        if d is PLANAR:
            x, y = x + k * (o[0] + c[0]), y + k * (o[1] + c[1])
        else:
            x, y, z = x + k * (o[0] + c[0]), y + k * (o[1] + c[1]), z + k * (o[2] + c[2])
    return (x / m, y / m, z / m)


@inner_kernel
def _center_only(d, tree, work, q, out):
    positions(d, tree, work, q)
    c = _center(d, tree, work)
    for k in range(out.shape[0]):
        out[k] = c[k]


@kernel
def mass_centers(d, model, scratch, q, out):
    """Write the center of mass of everything that moves (states, d), from the ground's origin."""
    tree, work = model_at(model).tree, scratch_at(scratch).tree
    for k in range(q.shape[0]):
        _center_only(d, tree, work, q[k], out[k])


@inner_kernel
def _momentum_matrix(d, tree, work, q, A):
    composite_inertias(d, tree, work, q)
    c = _center(d, tree, work)
    for j in range(tree.columns.size):
        e = between(d, c, origin_of(d, links_of(d, work)[tree.columns[j].link]))
        p = carried(d, e, load(d, columns_of(d, work)[j].U))
        for k in range(width(d)):
            A[k, tree.columns[j].rate] = p[k]


@kernel
def momentum_matrices(d, model, scratch, q, A):
    """Write the centroidal momentum matrices A (states, 3 or 6, nv): A v is linear momentum, then angular momentum."""
    tree, work = model_at(model).tree, scratch_at(scratch).tree
    for k in range(q.shape[0]):
        _momentum_matrix(d, tree, work, q[k], A[k])


@inner_kernel
def momentum_one(d, tree, work, q, A):
    """Write the momentum matrix A (3 or 6, nv) of one state; return 1, or 0 where a size is wrong or a number is not finite."""
    if q.shape[0] != tree.nq or A.shape[0] != width(d) or A.shape[1] != tree.nv:
        return 0
    _momentum_matrix(d, tree, work, q, A)
    total = 0.0
    for c in range(A.shape[1]):
        for r in range(A.shape[0]):
            total += A[r, c]
    return 1 if total - total == 0.0 else 0


@kernel
def momentum_at(model, scratch, q, A):
    """See :func:`momentum_one`."""
    model, scratch = model_at(model), scratch_at(scratch)
    if model.planar:
        return momentum_one(PLANAR, model.tree, scratch.tree, q, A)
    return momentum_one(SPATIAL, model.tree, scratch.tree, q, A)


@inner_kernel
def _momentum_bias(d, tree, work, q, v, out):
    total = zero(d)
    motions(d, tree, work, q, v)
    c = _center(d, tree, work)
    for i in range(tree.links.size):
        now = links_of(d, work)[i]
        f = bias(d, rigid(d, tree, work, i), load(d, now.motion), load(d, now.bias))
        total = plus(d, 1.0, carried(d, between(d, c, origin_of(d, now)), f), total)
    for k in range(width(d)):
        out[k] = total[k]


@kernel
def momentum_biases(d, model, scratch, q, v, out):
    """Write dA/dt v (states, 3 or 6): how the momenta change at constant rates. For a model without gravity."""
    tree, work = model_at(model).tree, scratch_at(scratch).tree
    for k in range(q.shape[0]):
        _momentum_bias(d, tree, work, q[k], v[k], out[k])
