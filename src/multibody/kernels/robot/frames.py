"""Frames on a tree: poses, Jacobians and their rates, in ground axes at the frame's own point."""

from __future__ import annotations

from multibody.kernels.compile import inner_kernel, kernel
from multibody.kernels.declared import model_at, scratch_at
from multibody.kernels.tree import layout as T
from multibody.kernels.tree.algebra import load, moved, plus, store, turned, width
from multibody.kernels.tree.frames import column_of, link_of, offset, origin_of, record_of, state_of
from multibody.kernels.tree.space import joint_displace
from multibody.kernels.tree.sweep import link_out
from multibody.kernels.vectors import add, apply, load3, load9, multiply


@inner_kernel
def body_axes(d, model, scratch, h, i):
    """Return the axes of the body of link i, by rows; planar the axes of the link."""
    I, W = model.I, scratch.W
    s = state_of(d, model, scratch, h, i)
    if d is None:
        return (W[s + 1], -W[s + 2], W[s + 2], W[s + 1])
    return multiply(load9(W, s), load9(W, I[h + T.W_CONSTANT] + 31 * i + 22))


@inner_kernel
def point_of(d, model, scratch, h, i, s):
    """Return a point of link i from its o; s in body axes from the center of mass."""
    W = scratch.W
    at, A = state_of(d, model, scratch, h, i), body_axes(d, model, scratch, h, i)
    if d is None:
        return (W[at + 5] + A[0] * s[0] + A[1] * s[1], W[at + 6] + A[2] * s[0] + A[3] * s[1])
    return add(load3(W, at + 12), apply(A, (s[0], s[1], s[2])))


@inner_kernel
def further(d, model, scratch, h, link, e):
    """Return a point from o of a link's carrier, e from o of the link."""
    I = model.I
    if I[link_of(model, h, link) + T.OWN_POINT] == 0:
        return e
    o = offset(d, model, scratch, h, link)
    if d is None:
        return (e[0] + o[0], e[1] + o[1])
    return add(e, o)


@inner_kernel
def _write(d, J, r, x):
    """Write a motion to column r of J."""
    for c in range(len(x)):
        J[c, r] = x[c]


@inner_kernel
def _jacobian(d, model, scratch, h, i, s, q, J):
    """Write J of a point of link i: columns (velocity of the point, ω) a rate, zero where a joint does not carry it."""
    I, W = model.I, scratch.W
    J[:] = 0.0
    for l in range(i + 1):  # what carries link i stands before it
        link_out(d, None, None, model, scratch, h, l, q, q, q)
    e, link, k = point_of(d, model, scratch, h, i, s), i, I[link_of(model, h, i) + T.LAST]
    while k >= 0:
        record = record_of(model, h, k)
        while link != I[record + T.LINK]:
            e = further(d, model, scratch, h, link, e)
            link = I[link_of(model, h, link) + T.CARRIER]
        _write(d, J, I[record + T.RATE], moved(d, e, load(d, W, column_of(d, model, h, k))))
        k = I[record + T.INNER]


@kernel
def frame_jacobians(model, scratch, i, s, q, J, flat=None):
    """Write the Jacobians J (states, 3 or 6, nv) of the point s of link i."""
    model, scratch = model_at(model), scratch_at(scratch)
    I = model.I
    for k in range(q.shape[0]):
        if flat is None:
            _jacobian(True, model, scratch, I[T.TREE], i, s, q[k], J[k])
        else:
            _jacobian(None, model, scratch, I[T.TREE], i, s, q[k], J[k])


@inner_kernel
def column_rates(d, model, scratch, h, i, v):
    """Write Ḃ of the columns of link i, o at rest, to the place of U; the carrier's motion is known, columns too."""
    I, W = model.I, scratch.W
    link, w = link_of(model, h, i), width(d)
    y = load(d, W, state_of(d, model, scratch, h, i) + T.MOTION * w)
    first, count = I[link + T.FIRST], I[link + T.COUNT]
    for j in range(first + count - 1, first - 1, -1):  # back to the motion of the carrier
        y = plus(d, -v[I[record_of(model, h, j) + T.RATE]], load(d, W, column_of(d, model, h, j)), y)
    fixed = y
    for j in range(first, first + count):
        b = column_of(d, model, h, j)
        B = load(d, W, b)
        store(d, W, b + w, turned(d, fixed, B))
        y = plus(d, v[I[record_of(model, h, j) + T.RATE]], B, y)
        if I[record_of(model, h, j) + T.KIND] != T.BALL:
            fixed = y


@inner_kernel
def _with(d, x, y, p):
    """Return a rate of a column about a point: x = Ḃ there, plus ω × ṗ of the column y for a point with velocity p."""
    if d is None:
        return (x[0] - y[2] * p[1], x[1] + y[2] * p[0], x[2])
    return (
        x[0] + y[4] * p[2] - y[5] * p[1], x[1] + y[5] * p[0] - y[3] * p[2], x[2] + y[3] * p[1] - y[4] * p[0],
        x[3], x[4], x[5],
    )  # fmt: skip


@inner_kernel
def _jacobian_rate(d, model, scratch, h, i, s, q, v, J):
    """Write dJ/dt of a point of link i at the rates v."""
    I, W = model.I, scratch.W
    w = width(d)
    J[:] = 0.0
    for l in range(i + 1):
        link_out(d, True, None, model, scratch, h, l, q, v, v)
        column_rates(d, model, scratch, h, l, v)
    e, link, k = point_of(d, model, scratch, h, i, s), i, I[link_of(model, h, i) + T.LAST]
    p = moved(d, e, load(d, W, state_of(d, model, scratch, h, i) + T.MOTION * w))
    while k >= 0:
        record, b = record_of(model, h, k), column_of(d, model, h, k)
        while link != I[record + T.LINK]:
            e = further(d, model, scratch, h, link, e)
            link = I[link_of(model, h, link) + T.CARRIER]
        _write(d, J, I[record + T.RATE], _with(d, moved(d, e, load(d, W, b + w)), load(d, W, b), p))
        k = I[record + T.INNER]


@kernel
def frame_jacobian_rates(model, scratch, i, s, q, v, J, flat=None):
    """Write the rates of the Jacobians (states, 3 or 6, nv) of the point s of link i."""
    model, scratch = model_at(model), scratch_at(scratch)
    I = model.I
    for k in range(q.shape[0]):
        if flat is None:
            _jacobian_rate(True, model, scratch, I[T.TREE], i, s, q[k], v[k], J[k])
        else:
            _jacobian_rate(None, model, scratch, I[T.TREE], i, s, q[k], v[k], J[k])


@inner_kernel
def _pose(d, model, scratch, h, i, s, q, r, A):
    """Write position and body axes of the point s of link i."""
    W = scratch.W
    for l in range(i + 1):
        link_out(d, None, None, model, scratch, h, l, q, q, q)
    o, e, axes = (
        origin_of(d, W, state_of(d, model, scratch, h, i)),
        point_of(d, model, scratch, h, i, s),
        body_axes(d, model, scratch, h, i),
    )
    n = len(e)
    for c in range(n):
        r[c] = o[c] + e[c]
        for b in range(n):
            A[c, b] = axes[n * c + b]


@kernel
def frame_poses(model, scratch, i, s, q, r, A, flat=None):
    """Write positions r (states, d) of the point s of link i, and the axes A (states, d, d) of its body."""
    model, scratch = model_at(model), scratch_at(scratch)
    I = model.I
    for k in range(q.shape[0]):
        if flat is None:
            _pose(True, model, scratch, I[T.TREE], i, s, q[k], r[k], A[k])
        else:
            _pose(None, model, scratch, I[T.TREE], i, s, q[k], r[k], A[k])


@kernel
def displaced(model, q, x, out):
    """Write q ⊕ x: coordinates add, quaternions turn by x about the axes of the carrier's end."""
    model = model_at(model)
    for k in range(q.shape[0]):
        joint_displace(model, q[k], x[k], 1.0, out[k])
