"""What the state of a link tells: points, axes, and the way from one reference point to another."""

from __future__ import annotations

from multibody.kernels.compile import inlined
from multibody.kernels.tags import PLANAR
from multibody.kernels.tree.declared import links_of


@inlined
def place(d, x):
    """Return a point, or a vector, from where it lies."""
    if d is PLANAR:
        return (x[0], x[1])
    return (x[0], x[1], x[2])


@inlined
def store_place(d, x, value):
    """Write a point to where it lies."""
    if d is PLANAR:
        x[0], x[1] = value
    else:
        x[0], x[1], x[2] = value


@inlined
def axes_of(d, now):
    """Return the axes of a link: planar θ, cos θ, sin θ."""
    if d is PLANAR:
        return (now.axes[0], now.axes[1], now.axes[2])
    return matrix(now.axes)


@inlined
def matrix(A):
    """Return a matrix of three rows from where it lies."""
    return (A[0], A[1], A[2], A[3], A[4], A[5], A[6], A[7], A[8])


@inlined
def center_of(d, now):
    """Return the center of mass of a link from o."""
    return place(d, now.center)


@inlined
def offset_of(d, now):
    """Return o of a link from o of its carrier (of the ground: from its origin)."""
    return place(d, now.offset)


@inlined
def origin_of(d, now):
    """Return o of a link in ground."""
    return place(d, now.origin)


@inlined
def nowhere(d):
    """Return the point o itself."""
    if d is PLANAR:
        return (0.0, 0.0)
    return (0.0, 0.0, 0.0)


@inlined
def further(d, e, c):
    """Return e + c."""
    if d is PLANAR:
        return (e[0] + c[0], e[1] + c[1])
    return (e[0] + c[0], e[1] + c[1], e[2] + c[2])


@inlined
def between(d, a, b):
    """Return the point b from the point a."""
    if d is PLANAR:
        return (b[0] - a[0], b[1] - a[1])
    return (b[0] - a[0], b[1] - a[1], b[2] - a[2])


@inlined
def inward_to(d, tree, work, i, a, c):
    """Return the point c, from o of link i, as one from o of link a, which carries it."""
    while i != a:
        if tree.links[i].own_point == 1:
            c = further(d, offset_of(d, links_of(d, work)[i]), c)
        i = tree.links[i].carrier
    return c


@inlined
def branches(tree, i):
    """Return whether link i carries several links; in depth-first order the first is the next one, the last has its end."""
    return i + 1 < tree.links[i].end and tree.links[i + 1].end < tree.links[i].end
