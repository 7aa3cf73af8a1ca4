"""The regressor Y of τ = Y π: how the efforts depend on mass, first moments and inertia of every body.

Parameters of a body, about the origin and along the axes of its own frame: m, m c (3), and the inertia about the origin as xx,
xy, yy, xz, yz, zz; planar m, m c (2), J. The wrench of a body is linear in them (C. G. Atkeson, C. H. An, J. M. Hollerbach,
1986): with a the acceleration of the origin less gravity, f = m a + (α̃ + ω̃ω̃) m c and n = m c × a + J α + ω × J ω.
"""

from __future__ import annotations

from multibody.kernels.compile import inner_kernel, kernel
from multibody.kernels.declared import model_at, scratch_at
from multibody.kernels.robot.frames import body_axes, point_of
from multibody.kernels.tags import KNOWN, MOVING, PLANAR
from multibody.kernels.tree.algebra import inner, load
from multibody.kernels.tree.composite import carried_in
from multibody.kernels.tree.declared import columns_of, links_of
from multibody.kernels.tree.sweep import link_out
from multibody.kernels.vectors import add, apply, apply_transposed, basis, cross

PLANAR_COUNT, SPATIAL_COUNT = 4, 10  # parameters of a body
FIRST_INERTIA = 4


@inner_kernel
def _inertia_times(k, x):
    """Return J x for the inertia of which only the k-th of xx, xy, yy, xz, yz, zz is 1."""
    if k == 0:
        return (x[0], 0.0, 0.0)
    if k == 1:
        return (x[1], x[0], 0.0)
    if k == 2:
        return (0.0, x[1], 0.0)
    if k == 3:
        return (x[2], 0.0, x[0])
    if k == 4:
        return (0.0, x[2], x[1])
    return (0.0, 0.0, x[2])


@inner_kernel
def _planar_wrench(A, y, s, e, k):
    """Return the wrench about o of a planar body whose k-th parameter alone is 1; e its origin from o."""
    w, u = y[2], s[2]
    ax = s[0] - w * y[1] - u * e[1] - w * w * e[0]
    ay = s[1] + w * y[0] + u * e[0] - w * w * e[1]
    if k == 0:
        return (ax, ay, e[0] * ay - e[1] * ax)
    if k == 3:
        return (0.0, 0.0, u)
    cx, cy = (A[0], A[2]) if k == 1 else (A[1], A[3])
    fx, fy = -u * cy - w * w * cx, u * cx - w * w * cy
    return (fx, fy, cx * ay - cy * ax + e[0] * fy - e[1] * fx)


@inner_kernel
def _spatial_wrench(A, y, s, e, k):
    """Return the wrench about o of a spatial body whose k-th parameter alone is 1; e its origin from o."""
    w, u = (y[3], y[4], y[5]), (s[3], s[4], s[5])
    a = add(add((s[0], s[1], s[2]), cross(u, e)), cross(w, add((y[0], y[1], y[2]), cross(w, e))))
    if k == 0:
        f, n = a, (0.0, 0.0, 0.0)
    elif k < FIRST_INERTIA:
        c = apply(A, basis(k - 1))
        f, n = add(cross(u, c), cross(w, cross(w, c))), cross(c, a)
    else:
        turning, grow = apply_transposed(A, w), apply_transposed(A, u)
        x, y_ = _inertia_times(k - FIRST_INERTIA, grow), _inertia_times(k - FIRST_INERTIA, turning)
        f, n = (0.0, 0.0, 0.0), apply(A, add(x, cross(turning, y_)))
    n = add(n, cross(e, f))
    return (f[0], f[1], f[2], n[0], n[1], n[2])


@inner_kernel
def _wrench(d, A, y, s, e, k):
    if d is PLANAR:
        return _planar_wrench(A, y, s, e, k)
    return _spatial_wrench(A, y, s, e, k)


@inner_kernel
def _regressor(d, tree, work, origins, q, v, a, Y):
    """Write Y (nv, parameters) of one state."""
    count = PLANAR_COUNT if d is PLANAR else SPATIAL_COUNT
    for r in range(Y.shape[0]):
        for c in range(Y.shape[1]):
            Y[r, c] = 0.0
    for i in range(tree.links.size):
        link_out(d, MOVING, KNOWN, tree, work, i, q, v, a)
        now = links_of(d, work)[i]
        A, e = body_axes(d, tree, work, i), point_of(d, tree, work, i, origins[i])
        y, s = load(d, now.motion), load(d, now.bias)
        for p in range(count):
            f, link, k = _wrench(d, A, y, s, e, p), i, tree.links[i].last
            while k >= 0:
                column = tree.columns[k]
                while link != column.link:
                    f = carried_in(d, tree, work, link, f)
                    link = tree.links[link].carrier
                if column.rate >= 0:
                    Y[column.rate, count * i + p] = inner(d, load(d, columns_of(d, work)[k].B), f)
                k = column.inner


@kernel
def regressors(d, model, scratch, origins, q, v, a, Y):
    """Write the regressors Y (states, nv, parameters); origins (links, d) of the bodies' frames from their centers of mass."""
    tree, work = model_at(model).tree, scratch_at(scratch).tree
    for k in range(q.shape[0]):
        _regressor(d, tree, work, origins, q[k], v[k], a[k], Y[k])
