"""Frames on a tree: poses, Jacobians and their rates, in ground axes at the frame's own point."""

from __future__ import annotations

from multibody.kernels.compile import inner_kernel, kernel
from multibody.kernels.declared import model_at, scratch_at
from multibody.kernels.robot.declared import frame_at
from multibody.kernels.tags import FREE, MOVING, PLANAR, SPATIAL, STILL
from multibody.kernels.tree.algebra import load, moved, plus, store, turned, width
from multibody.kernels.tree.declared import BALL, columns_of, constants_of, links_of
from multibody.kernels.tree.frames import axes_of, center_of, inward_to, matrix, origin_of
from multibody.kernels.tree.space import joint_displace
from multibody.kernels.tree.sweep import link_out
from multibody.kernels.vectors import add, apply, multiply


@inner_kernel
def body_axes(d, tree, work, i):
    """Return the axes of the body of link i, by rows; planar the axes of the link."""
    now = links_of(d, work)[i]
    if d is PLANAR:
        _, c, s = axes_of(d, now)
        return (c, -s, s, c)
    return multiply(matrix(now.axes), matrix(constants_of(d, tree)[i].G))


@inner_kernel
def point_of(d, tree, work, i, s):
    """Return a point of link i from its o; s in body axes from the center of mass."""
    c, A = center_of(d, links_of(d, work)[i]), body_axes(d, tree, work, i)
    if d is PLANAR:
        return (c[0] + A[0] * s[0] + A[1] * s[1], c[1] + A[2] * s[0] + A[3] * s[1])
    return add(c, apply(A, (s[0], s[1], s[2])))


@inner_kernel
def _write(J, r, x):
    """Write a motion to column r of J."""
    for c in range(len(x)):
        J[c, r] = x[c]


@inner_kernel
def place_carriers(d, tree, work, i, q):
    """Write frames and columns of link i and of what carries it; branches that end before it are left out."""
    l = 0
    while l <= i:
        end = tree.links[l].end
        if end > i:
            link_out(d, STILL, FREE, tree, work, l, q, q, q)
            end = l + 1
        l = end


@inner_kernel
def write_jacobian(d, tree, work, i, s, J):
    """Write J of a point of link i, whose carriers are placed; entries of rates that do not move it stay what they are."""
    e, link, k = point_of(d, tree, work, i, s), i, tree.links[i].last
    while k >= 0:
        column = tree.columns[k]
        e, link = inward_to(d, tree, work, link, column.link, e), column.link
        _write(J, column.rate, moved(d, e, load(d, columns_of(d, work)[k].B)))
        k = column.inner


@inner_kernel
def clear(J):
    """Write zeros to a matrix."""
    for r in range(J.shape[0]):
        for c in range(J.shape[1]):
            J[r, c] = 0.0


@inner_kernel
def _jacobian(d, tree, work, i, s, q, J):
    """Write J of a point of link i: columns (velocity of the point, ω) a rate, zero where a joint does not carry it."""
    clear(J)
    place_carriers(d, tree, work, i, q)
    write_jacobian(d, tree, work, i, s, J)


@inner_kernel
def jacobian_one(d, frame, q, J):
    """Write J (3 or 6, nv) of one state; return 1, or 0 where a size is wrong or a number is not finite."""
    tree, work = model_at(frame.model).tree, scratch_at(frame.scratch).tree
    if q.shape[0] != tree.nq or J.shape[0] != width(d) or J.shape[1] != tree.nv:
        return 0
    _jacobian(d, tree, work, frame.link, frame.point, q, J)
    return finite_link(d, work, frame.link, q)


@inner_kernel
def finite_link(d, work, i, q):
    """Return 1 if q and the place of link i are made of numbers: a quaternion of zeros gives axes that are none."""
    now, total = links_of(d, work)[i], 0.0
    o, A = origin_of(d, now), axes_of(d, now)
    for k in range(q.shape[0]):
        total += q[k]
    for k in range(len(o)):
        total += o[k]
    for k in range(len(A)):
        total += A[k]
    return 1 if total - total == 0.0 else 0


@kernel
def jacobian_planar(frame, q, J):
    """See :func:`jacobian_one`."""
    return jacobian_one(PLANAR, frame_at(frame), q, J)


@kernel
def jacobian_spatial(frame, q, J):
    """See :func:`jacobian_one`."""
    return jacobian_one(SPATIAL, frame_at(frame), q, J)


@kernel
def frame_jacobians(d, model, scratch, i, s, q, J):
    """Write the Jacobians J (states, 3 or 6, nv) of the point s of link i."""
    tree, work = model_at(model).tree, scratch_at(scratch).tree
    for k in range(q.shape[0]):
        _jacobian(d, tree, work, i, s, q[k], J[k])


@inner_kernel
def column_rates(d, tree, work, i, v):
    """Write Ḃ of the columns of link i, o at rest, to the place of U; the carrier's motion is known, columns too."""
    link, y = tree.links[i], load(d, links_of(d, work)[i].motion)
    for j in range(link.first + link.count - 1, link.first - 1, -1):  # back to the motion of the carrier
        y = plus(d, -v[tree.columns[j].rate], load(d, columns_of(d, work)[j].B), y)
    fixed = y
    for j in range(link.first, link.first + link.count):
        now = columns_of(d, work)[j]
        B = load(d, now.B)
        store(d, now.U, turned(d, fixed, B))
        y = plus(d, v[tree.columns[j].rate], B, y)
        if tree.columns[j].kind != BALL:
            fixed = y


@inner_kernel
def _with(d, x, y, p):
    """Return a rate of a column about a point: x = Ḃ there, plus ω × ṗ of the column y for a point with velocity p."""
    if d is PLANAR:
        return (x[0] - y[2] * p[1], x[1] + y[2] * p[0], x[2])
    return (
        x[0] + y[4] * p[2] - y[5] * p[1], x[1] + y[5] * p[0] - y[3] * p[2], x[2] + y[3] * p[1] - y[4] * p[0],
        x[3], x[4], x[5],
    )  # fmt: skip


@inner_kernel
def _jacobian_rate(d, tree, work, i, s, q, v, J):
    """Write dJ/dt of a point of link i at the rates v."""
    clear(J)
    for l in range(i + 1):
        link_out(d, MOVING, FREE, tree, work, l, q, v, v)
        column_rates(d, tree, work, l, v)
    e, link, k = point_of(d, tree, work, i, s), i, tree.links[i].last
    p = moved(d, e, load(d, links_of(d, work)[i].motion))
    while k >= 0:
        column, now = tree.columns[k], columns_of(d, work)[k]
        e, link = inward_to(d, tree, work, link, column.link, e), column.link
        _write(J, column.rate, _with(d, moved(d, e, load(d, now.U)), load(d, now.B), p))
        k = column.inner


@kernel
def frame_jacobian_rates(d, model, scratch, i, s, q, v, J):
    """Write the rates of the Jacobians (states, 3 or 6, nv) of the point s of link i."""
    tree, work = model_at(model).tree, scratch_at(scratch).tree
    for k in range(q.shape[0]):
        _jacobian_rate(d, tree, work, i, s, q[k], v[k], J[k])


@inner_kernel
def _pose(d, tree, work, i, s, E, q, r, A):
    """Write position r of the point s of link i, and the axes A of its body times E (by rows)."""
    place_carriers(d, tree, work, i, q)
    o, e, axes = origin_of(d, links_of(d, work)[i]), point_of(d, tree, work, i, s), body_axes(d, tree, work, i)
    n = len(e)
    for c in range(n):
        r[c] = o[c] + e[c]
        for b in range(n):
            total = 0.0
            for k in range(n):
                total += axes[n * c + k] * E[n * k + b]
            A[c, b] = total


@inner_kernel
def pose_one(d, frame, q, r, A):
    """Write position r and axes A of one state; return 1, or 0 where a size is wrong or a number is not finite."""
    tree, work = model_at(frame.model).tree, scratch_at(frame.scratch).tree
    if q.shape[0] != tree.nq:
        return 0
    _pose(d, tree, work, frame.link, frame.point, frame.axes, q, r, A)
    return finite_link(d, work, frame.link, q)


@kernel
def pose_planar(frame, q, r, A):
    """See :func:`pose_one`."""
    return pose_one(PLANAR, frame_at(frame), q, r, A)


@kernel
def pose_spatial(frame, q, r, A):
    """See :func:`pose_one`."""
    return pose_one(SPATIAL, frame_at(frame), q, r, A)


@kernel
def frame_poses(d, model, scratch, i, s, E, q, r, A):
    """Write positions r (states, d) of the point s of link i, and the axes A (states, d, d) of its body times E."""
    tree, work = model_at(model).tree, scratch_at(scratch).tree
    for k in range(q.shape[0]):
        _pose(d, tree, work, i, s, E, q[k], r[k], A[k])


@kernel
def displaced(model, q, x, out):
    """Write q ⊕ x: coordinates add, quaternions turn by x about the axes of the carrier's end."""
    model = model_at(model)
    for k in range(q.shape[0]):
        joint_displace(model, q[k], x[k], 1.0, out[k])
