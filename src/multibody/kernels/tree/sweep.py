"""Outward over the links: frame, columns and motion of a link in one go, kept in registers on the way; eqs. (1)–(9).

This is the one file of joint mathematics in joint coordinates: what an elementary motion (turn, slide, screw, ball) does to the
frame of its link and which column B it has. Tags (see ``tags``): d, moving (STILL: positions alone), known (KNOWN: q̈ is given,
S is then the whole acceleration, less gravity).

About one point o at rest nothing is transformed on the way: Ŷ_j = Ŷ_i + B_j q̇_j. Now and then a link takes its own joint point
for o (e is the way there), so that a long chain or a mechanism far from the origin loses no digits.
"""

from __future__ import annotations

import math

from multibody.kernels.compile import inlined
from multibody.kernels.rotations import matrix_of_quaternion, sincos
from multibody.kernels.tags import FREE, PLANAR, SPATIAL, STILL
from multibody.kernels.tree.algebra import load, moved, plus, rigid_about, store, turned, zero
from multibody.kernels.tree.declared import BALL, SCREW, SLIDE, TURN, columns_of, constants_of, given_of, links_of
from multibody.kernels.tree.frames import axes_of, matrix, nowhere, origin_of, place, store_place
from multibody.kernels.vectors import add, apply, apply_transposed, cross, dot, load4, multiply, scale


@inlined
def coordinate(column, work, q):
    """Return the value of a column: unknown, or prescribed."""
    return q[column.position] if column.rate >= 0 else work.given[given_of(column.rate)].value


@inlined
def _about(A, axis, angle):
    """Return A turned by an angle about its own axis x, y or z (0, 1, 2)."""
    s, c = sincos(angle)
    x, y, z = (A[0], A[3], A[6]), (A[1], A[4], A[7]), (A[2], A[5], A[8])
    if axis == 2:
        x, y = add(scale(c, x), scale(s, y)), add(scale(c, y), scale(-s, x))
    elif axis == 0:
        y, z = add(scale(c, y), scale(s, z)), add(scale(c, z), scale(-s, y))
    else:
        z, x = add(scale(c, z), scale(s, x)), add(scale(c, x), scale(-s, z))
    return (x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2])


@inlined
def _axis(A, axis, sign):
    """Return a column of A, times ±1."""
    if axis == 2:
        return (sign * A[2], sign * A[5], sign * A[8])
    if axis == 0:
        return (sign * A[0], sign * A[3], sign * A[6])
    return (sign * A[1], sign * A[4], sign * A[7])


@inlined
def _matrix_of(q, e):
    """Return the rotation of the quaternion at q[e…], made unit first.

    Stages of an integrator are off the unit sphere, and a matrix that is not orthogonal mixes the moments of inertia: a slender
    rod would feel its spin accelerate.
    """
    p = load4(q, e)
    s = 1.0 / math.sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3])
    return matrix_of_quaternion(s * p[0], s * p[1], s * p[2], s * p[3])


@inlined
def link_out(d, moving, known, tree, work, i, q, v, a):
    """Write frame and columns of link i and, if `moving`, Y and S; return (axes, center of mass from o, Y, S)."""
    if d is PLANAR:
        return _planar_out(moving, known, tree, work, i, q, v, a)
    return _spatial_out(moving, known, tree, work, i, q, v, a)


@inlined
def _arrive(d, moving, tree, work, link, x):
    """Return (x, e, Y, S) with which a link begins, from the joint's point x on the carrier: Y and S are the carrier's.

    A link that takes its own point for o begins there: x is then 0 and e is what it was.
    """
    own = link.own_point == 1
    y, s, e = zero(d), zero(d), nowhere(d)
    if moving is not STILL:
        if link.carrier < 0:
            s = load(d, tree.base)
        else:
            before = links_of(d, work)[link.carrier]
            y, s = load(d, before.motion), load(d, before.bias)
            if own:
                y, s = moved(d, x, y), moved(d, x, s)
    if own:
        e, x = x, e
    return (x, e, y, s)


@inlined
def follow(d, known, work, column, B, v, a, fixed, y, s):
    """Return (motion of the frame in which the next axis is fixed, Y, S) after a column: Y + B q̇ (6), S + Ḃ q̇ (+ B q̈) (8)."""
    r = column.rate
    if r >= 0:
        speed = v[r]
        if known is not FREE:
            s = plus(d, a[r], B, s)
    else:
        given = work.given[given_of(r)]
        speed = given.rate
        s = plus(d, given.acceleration, B, s)
    s = plus(d, speed, turned(d, fixed, B), s)
    y = plus(d, speed, B, y)
    if d is PLANAR or column.kind != BALL:
        fixed = y
    return (fixed, y, s)


@inlined
def _along(d, work, link, j, x, fixed, y, s):
    """Let o follow a slide by x: return the motions about the new o; columns of this link before column j are moved too.

    A link that has its own point keeps it at the joint's moving end: o of a floating body goes with the body.
    """
    for k in range(link.first, j):
        B = columns_of(d, work)[k].B
        store(d, B, moved(d, x, load(d, B)))
    return (moved(d, x, fixed), moved(d, x, y), moved(d, x, s))


@inlined
def _planar_out(moving, known, tree, work, i, q, v, a):
    """Write θ, cos θ, sin θ, x, c, e, o of a planar link, its columns, Y and S."""
    link, now, own = tree.links[i], work.planar_links[i], tree.planar_constants[i]
    angle, x, cp, sp, o = own.angle, place(PLANAR, own.s), 1.0, 0.0, (0.0, 0.0)
    if link.carrier >= 0:
        before = work.planar_links[link.carrier]
        turn, cp, sp = axes_of(PLANAR, before)
        o, p = origin_of(PLANAR, before), place(PLANAR, before.point)
        angle += turn
        x = (p[0] + cp * x[0] - sp * x[1], p[1] + sp * x[0] + cp * x[1])
    x, e, Y, S = _arrive(PLANAR, moving, tree, work, link, x)
    fixed = Y
    for j in range(link.first, link.first + link.count):
        column = tree.columns[j]
        value, sign = coordinate(column, work, q), column.sign
        if column.kind == TURN:
            angle += sign * value
            B = (sign * x[1], -sign * x[0], sign)
        else:
            f = place(PLANAR, own.axis)
            ux, uy = f if column.axis == 0 else (-f[1], f[0])
            ux, uy = sign * (cp * ux - sp * uy), sign * (sp * ux + cp * uy)
            B, way = (ux, uy, 0.0), (value * ux, value * uy)
            if link.own_point == 1:
                e = (e[0] + way[0], e[1] + way[1])
                fixed, Y, S = _along(PLANAR, work, link, j, way, fixed, Y, S)
            else:
                x = (x[0] + way[0], x[1] + way[1])
        store(PLANAR, work.planar_columns[j].B, B)
        if moving is not STILL:
            fixed, Y, S = follow(PLANAR, known, work, column, B, v, a, fixed, Y, S)
    s, c = sincos(angle)
    A, center = (angle, c, s), place(PLANAR, own.c)
    center = (x[0] + c * center[0] - s * center[1], x[1] + s * center[0] + c * center[1])
    store(PLANAR, now.axes, A)
    _write_points(PLANAR, now, x, center, e, (o[0] + e[0], o[1] + e[1]))
    if moving is not STILL:
        store(PLANAR, now.motion, Y)
        store(PLANAR, now.bias, S)
    return (A, center, Y, S)


@inlined
def _write_points(d, now, x, c, e, o):
    """Write joint point, center of mass, way from the carrier's o, and o of a link."""
    store_place(d, now.point, x)
    store_place(d, now.center, c)
    store_place(d, now.offset, e)
    store_place(d, now.origin, o)


@inlined
def _spatial_out(moving, known, tree, work, i, q, v, a):
    """Write A, x, c, e, o of a spatial link, its columns, Y and S."""
    link, now, own = tree.links[i], work.spatial_links[i], tree.spatial_constants[i]
    A, x, o = matrix(own.C), place(SPATIAL, own.s), (0.0, 0.0, 0.0)
    if link.carrier >= 0:
        before = work.spatial_links[link.carrier]
        Ap, o = matrix(before.axes), origin_of(SPATIAL, before)
        A, x = multiply(Ap, A), add(place(SPATIAL, before.point), apply(Ap, x))
    x, e, Y, S = _arrive(SPATIAL, moving, tree, work, link, x)
    fixed = Y
    for j in range(link.first, link.first + link.count):
        column = tree.columns[j]
        kind, axis, sign = column.kind, column.axis, column.sign
        u = _axis(A, axis, sign)
        if kind == TURN:
            m = cross(x, u)
            B = (m[0], m[1], m[2], u[0], u[1], u[2])
            A = _about(A, axis, sign * coordinate(column, work, q))
        elif kind == SLIDE:
            B, way = (u[0], u[1], u[2], 0.0, 0.0, 0.0), scale(coordinate(column, work, q), u)
            if link.own_point == 1:
                e = add(e, way)
                fixed, Y, S = _along(SPATIAL, work, link, j, way, fixed, Y, S)
            else:
                x = add(x, way)
        else:
            pitch = column.pitch  # 0 but for screws
            m = add(cross(x, u), scale(pitch, u))
            B = (m[0], m[1], m[2], u[0], u[1], u[2])
            if kind == SCREW:
                value = coordinate(column, work, q)
                A, x = _about(A, axis, sign * value), add(x, scale(pitch * value, u))
            elif axis == 2:
                A = multiply(A, _matrix_of(q, link.quaternion))
        store(SPATIAL, work.spatial_columns[j].B, B)
        if moving is not STILL:
            fixed, Y, S = follow(SPATIAL, known, work, column, B, v, a, fixed, Y, S)
    for n in range(len(A)):
        now.axes[n] = A[n]
    center = add(x, apply(A, place(SPATIAL, own.c)))
    _write_points(SPATIAL, now, x, center, e, add(o, e))
    if moving is not STILL:
        store(SPATIAL, now.motion, Y)
        store(SPATIAL, now.bias, S)
    return (A, center, Y, S)


@inlined
def force_of(d, own, A, c, y, s):
    """Return the inertial force of a link with the constants `own` about o from its motion, axes A, center of mass c from o."""
    if d is PLANAR:
        m, u, r = own.m, y[2] * y[2], s[2]
        fx, fy = m * (s[0] - y[2] * y[1] - r * c[1] - u * c[0]), m * (s[1] + y[2] * y[0] + r * c[0] - u * c[1])
        return (fx, fy, own.J * r + c[0] * fy - c[1] * fx)
    o, g = (y[3], y[4], y[5]), (s[3], s[4], s[5])
    u = cross(o, add((y[0], y[1], y[2]), cross(o, c)))
    f = scale(own.m, add(add((s[0], s[1], s[2]), cross(g, c)), u))
    turning, grow = apply_transposed(A, o), apply_transposed(A, g)
    J = _whole(own.J)
    n = apply(A, add(apply(J, grow), cross(turning, apply(J, turning))))
    n = add(n, cross(c, f))
    return (f[0], f[1], f[2], n[0], n[1], n[2])


@inlined
def _whole(J):
    """Return the matrix of six numbers xx, yy, zz, xy, xz, yz by rows."""
    return (J[0], J[3], J[4], J[3], J[1], J[5], J[4], J[5], J[2])


@inlined
def inertia_of(d, own, A):
    """Return (m, J about the center of mass in ground axes) of a link with the constants `own` and axes A: J = A J′ Aᵀ."""
    if d is PLANAR:
        return (own.m, own.J)
    J = _whole(own.J)
    x, y, z = (A[0], A[1], A[2]), (A[3], A[4], A[5]), (A[6], A[7], A[8])
    a, b = apply(J, x), apply(J, y)
    return (own.m, (dot(x, a), dot(y, b), dot(z, apply(J, z)), dot(y, a), dot(z, a), dot(z, b)))


@inlined
def rigid_of(d, own, A, c):
    """Return the inertia of a link about o, with axes A and center of mass c from o; eq. (11)."""
    m, J = inertia_of(d, own, A)
    return rigid_about(d, m, c, J)


@inlined
def rigid(d, tree, work, i):
    """Return the inertia M̂ of link i about o; eq. (11)."""
    now = links_of(d, work)[i]
    return rigid_of(d, constants_of(d, tree)[i], axes_of(d, now), place(d, now.center))


@inlined
def inertial_force(d, tree, work, i, y, s):
    """Return the inertial force of link i about o from its motion alone, without its inertia about o (cheaper)."""
    now = links_of(d, work)[i]
    return force_of(d, constants_of(d, tree)[i], axes_of(d, now), place(d, now.center), y, s)
