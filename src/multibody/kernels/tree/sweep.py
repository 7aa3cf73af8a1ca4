"""Outward over the links: frame, columns and motion of a link in one go, kept in registers on the way; eqs. (1)–(9).

This is the one file of joint mathematics in joint coordinates: what an elementary motion (turn, slide, screw, ball) does to the
frame of its link and which column B it has. Compile-time tags: d (None planar, True spatial), moving (None: positions alone),
known (True: q̈ is given, S is then the whole acceleration, less gravity).

About one point o at rest nothing is transformed on the way: Ŷ_j = Ŷ_i + B_j q̇_j. Now and then a link takes its own joint point
for o (e is the way there), so that a long chain or a mechanism far from the origin loses no digits.
"""

from __future__ import annotations

import math

from multibody.kernels.compile import inlined
from multibody.kernels.rotations import matrix_of_quaternion, sincos
from multibody.kernels.tree import layout as T
from multibody.kernels.tree.algebra import load, moved, plus, rigid_about, store, turned, zero
from multibody.kernels.tree.frames import column_of, link_of, record_of, state_of
from multibody.kernels.vectors import add, apply, apply_transposed, cross, dot, load3, load9, multiply, scale


@inlined
def coordinate(model, scratch, h, record, q):
    """Return the value of a column: unknown, or prescribed."""
    I, W = model.I, scratch.W
    rate = I[record + T.RATE]
    return q[I[record + T.POSITION]] if rate >= 0 else W[I[h + T.W_GIVEN] - 3 * (rate + 1)]


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
    s = 1.0 / math.sqrt(q[e] * q[e] + q[e + 1] * q[e + 1] + q[e + 2] * q[e + 2] + q[e + 3] * q[e + 3])
    return matrix_of_quaternion(s * q[e], s * q[e + 1], s * q[e + 2], s * q[e + 3])


@inlined
def link_out(d, moving, known, model, scratch, h, i, q, v, a):
    """Write frame and columns of link i and, if `moving`, Y and S; return (axes, center of mass from o, Y, S)."""
    if d is None:
        return _planar_out(moving, known, model, scratch, h, i, q, v, a)
    return _spatial_out(moving, known, model, scratch, h, i, q, v, a)


@inlined
def _arrive(d, moving, model, scratch, h, link, x):
    """Return (x, e, Y, S) with which a link begins, from the joint's point x on the carrier: Y and S are the carrier's.

    A link that takes its own point for o begins there: x is then 0 and e is what it was.
    """
    I, W = model.I, scratch.W
    c, own = I[link + T.CARRIER], I[link + T.OWN_POINT] == 1
    y, s, e = zero(d), zero(d), nowhere(d)
    if moving is not None:
        if c < 0:
            s = load(d, W, I[h + T.W_BASE])
        else:
            p = state_of(d, model, scratch, h, c) + 3 * len(y)
            y, s = load(d, W, p), load(d, W, p + len(y))
            if own:
                y, s = moved(d, x, y), moved(d, x, s)
    if own:
        e, x = x, e
    return (x, e, y, s)


@inlined
def nowhere(d):
    """Return the zero vector."""
    if d is None:
        return (0.0, 0.0)
    return (0.0, 0.0, 0.0)


@inlined
def follow(d, known, model, scratch, h, record, B, v, a, fixed, y, s):
    """Return (motion of the frame in which the next axis is fixed, Y, S) after a column: Y + B q̇ (6), S + Ḃ q̇ (+ B q̈) (8)."""
    I, W = model.I, scratch.W
    r = I[record + T.RATE]
    if r >= 0:
        speed = v[r]
        if known is not None:
            s = plus(d, a[r], B, s)
    else:
        given = I[h + T.W_GIVEN] - 3 * (r + 1)
        speed = W[given + 1]
        s = plus(d, W[given + 2], B, s)
    s = plus(d, speed, turned(d, fixed, B), s)
    y = plus(d, speed, B, y)
    if d is None or I[record + T.KIND] != T.BALL:
        fixed = y
    return (fixed, y, s)


@inlined
def _along(d, model, scratch, h, link, j, x, fixed, y, s):
    """Let o follow a slide by x: return the motions about the new o; columns of this link before column j are moved too.

    A link that has its own point keeps it at the joint's moving end: o of a floating body goes with the body.
    """
    I, W = model.I, scratch.W
    for k in range(I[link + T.FIRST], j):
        b = column_of(d, model, h, k)
        store(d, W, b, moved(d, x, load(d, W, b)))
    return (moved(d, x, fixed), moved(d, x, y), moved(d, x, s))


@inlined
def _planar_out(moving, known, model, scratch, h, i, q, v, a):
    """Write θ, cos θ, sin θ, x, c, e, o of a planar link, its columns, Y and S."""
    I, W = model.I, scratch.W
    link, at, k = link_of(model, h, i), state_of(None, model, scratch, h, i), I[h + T.W_CONSTANT] + 9 * i
    angle, x, cp, sp, o = W[k], (W[k + 3], W[k + 4]), 1.0, 0.0, (0.0, 0.0)
    if I[link + T.CARRIER] >= 0:
        p = state_of(None, model, scratch, h, I[link + T.CARRIER])
        cp, sp, o = W[p + 1], W[p + 2], (W[p + 30], W[p + 31])
        angle += W[p]
        x = (W[p + 3] + cp * x[0] - sp * x[1], W[p + 4] + sp * x[0] + cp * x[1])
    x, e, Y, S = _arrive(None, moving, model, scratch, h, link, x)
    fixed = Y
    for j in range(I[link + T.FIRST], I[link + T.FIRST] + I[link + T.COUNT]):
        record = record_of(model, h, j)
        value, sign = coordinate(model, scratch, h, record, q), float(I[record + T.SIGN])
        if I[record + T.KIND] == T.TURN:
            angle += sign * value
            B = (sign * x[1], -sign * x[0], sign)
        else:
            ux, uy = (W[k + 1], W[k + 2]) if I[record + T.AXIS] == 0 else (-W[k + 2], W[k + 1])
            ux, uy = sign * (cp * ux - sp * uy), sign * (sp * ux + cp * uy)
            B, way = (ux, uy, 0.0), (value * ux, value * uy)
            if I[link + T.OWN_POINT] == 1:
                e = (e[0] + way[0], e[1] + way[1])
                fixed, Y, S = _along(None, model, scratch, h, link, j, way, fixed, Y, S)
            else:
                x = (x[0] + way[0], x[1] + way[1])
        store(None, W, column_of(None, model, h, j), B)
        if moving is not None:
            fixed, Y, S = follow(None, known, model, scratch, h, record, B, v, a, fixed, Y, S)
    s, c = sincos(angle)
    A = (angle, c, s)
    W[at], W[at + 1], W[at + 2] = A
    W[at + 3], W[at + 4] = x
    center = (x[0] + A[1] * W[k + 6] - A[2] * W[k + 7], x[1] + A[2] * W[k + 6] + A[1] * W[k + 7])
    W[at + 5], W[at + 6] = center
    W[at + 7], W[at + 8] = e
    W[at + 30], W[at + 31] = o[0] + e[0], o[1] + e[1]
    if moving is not None:
        store(None, W, at + 9, Y)
        store(None, W, at + 12, S)
    return (A, center, Y, S)


@inlined
def _spatial_out(moving, known, model, scratch, h, i, q, v, a):
    """Write A, x, c, e, o of a spatial link, its columns, Y and S."""
    I, W = model.I, scratch.W
    link, at, k = link_of(model, h, i), state_of(True, model, scratch, h, i), I[h + T.W_CONSTANT] + 31 * i
    A, x, o = load9(W, k), load3(W, k + 9), (0.0, 0.0, 0.0)
    if I[link + T.CARRIER] >= 0:
        p = state_of(True, model, scratch, h, I[link + T.CARRIER])
        Ap, o = load9(W, p), load3(W, p + 69)
        A, x = multiply(Ap, A), add(load3(W, p + 9), apply(Ap, x))
    x, e, Y, S = _arrive(True, moving, model, scratch, h, link, x)
    fixed = Y
    for j in range(I[link + T.FIRST], I[link + T.FIRST] + I[link + T.COUNT]):
        record = record_of(model, h, j)
        kind, axis, sign = I[record + T.KIND], I[record + T.AXIS], float(I[record + T.SIGN])
        u = _axis(A, axis, sign)
        if kind == T.TURN:
            m = cross(x, u)
            B = (m[0], m[1], m[2], u[0], u[1], u[2])
            A = _about(A, axis, sign * coordinate(model, scratch, h, record, q))
        elif kind == T.SLIDE:
            B, way = (u[0], u[1], u[2], 0.0, 0.0, 0.0), scale(coordinate(model, scratch, h, record, q), u)
            if I[link + T.OWN_POINT] == 1:
                e = add(e, way)
                fixed, Y, S = _along(True, model, scratch, h, link, j, way, fixed, Y, S)
            else:
                x = add(x, way)
        else:
            pitch = W[I[h + T.W_PITCH] + j] if kind == T.SCREW else 0.0
            m = add(cross(x, u), scale(pitch, u))
            B = (m[0], m[1], m[2], u[0], u[1], u[2])
            if kind == T.SCREW:
                value = coordinate(model, scratch, h, record, q)
                A, x = _about(A, axis, sign * value), add(x, scale(pitch * value, u))
            elif axis == 2:
                A = multiply(A, _matrix_of(q, I[link + T.QUATERNION]))
        store(True, W, column_of(True, model, h, j), B)
        if moving is not None:
            fixed, Y, S = follow(True, known, model, scratch, h, record, B, v, a, fixed, Y, S)
    for n in range(9):
        W[at + n] = A[n]
    center = add(x, apply(A, load3(W, k + 13)))
    W[at + 9], W[at + 10], W[at + 11] = x
    W[at + 12], W[at + 13], W[at + 14] = center
    W[at + 15], W[at + 16], W[at + 17] = e
    W[at + 69], W[at + 70], W[at + 71] = add(o, e)
    if moving is not None:
        store(True, W, at + 18, Y)
        store(True, W, at + 24, S)
    return (A, center, Y, S)


@inlined
def force_of(d, model, scratch, h, i, A, c, y, s):
    """Return the inertial force of link i about o from its motion, with axes A and center of mass c from o."""
    I, W = model.I, scratch.W
    if d is None:
        k = I[h + T.W_CONSTANT] + 9 * i
        m, u, r = W[k + 5], y[2] * y[2], s[2]
        fx, fy = m * (s[0] - y[2] * y[1] - r * c[1] - u * c[0]), m * (s[1] + y[2] * y[0] + r * c[0] - u * c[1])
        return (fx, fy, W[k + 8] * r + c[0] * fy - c[1] * fx)
    k = I[h + T.W_CONSTANT] + 31 * i
    o, g = (y[3], y[4], y[5]), (s[3], s[4], s[5])
    u = cross(o, add((y[0], y[1], y[2]), cross(o, c)))
    f = scale(W[k + 12], add(add((s[0], s[1], s[2]), cross(g, c)), u))
    own, grow = apply_transposed(A, o), apply_transposed(A, g)
    xx, yy, zz, xy, xz, yz = W[k + 16], W[k + 17], W[k + 18], W[k + 19], W[k + 20], W[k + 21]
    J = (xx, xy, xz, xy, yy, yz, xz, yz, zz)
    n = apply(A, add(apply(J, grow), cross(own, apply(J, own))))
    n = add(n, cross(c, f))
    return (f[0], f[1], f[2], n[0], n[1], n[2])


@inlined
def inertia_of(d, model, scratch, h, i, A):
    """Return (m, J about the center of mass in ground axes) of link i with axes A: J = A J′ Aᵀ."""
    I, W = model.I, scratch.W
    if d is None:
        k = I[h + T.W_CONSTANT] + 9 * i
        return (W[k + 5], W[k + 8])
    k = I[h + T.W_CONSTANT] + 31 * i
    xx, yy, zz, xy, xz, yz = W[k + 16], W[k + 17], W[k + 18], W[k + 19], W[k + 20], W[k + 21]
    J = (xx, xy, xz, xy, yy, yz, xz, yz, zz)
    x, y, z = (A[0], A[1], A[2]), (A[3], A[4], A[5]), (A[6], A[7], A[8])
    a, b = apply(J, x), apply(J, y)
    return (W[k + 12], (dot(x, a), dot(y, b), dot(z, apply(J, z)), dot(y, a), dot(z, a), dot(z, b)))


@inlined
def rigid_of(d, model, scratch, h, i, A, c):
    """Return the inertia of link i about o, with axes A and center of mass c from o; eq. (11)."""
    m, J = inertia_of(d, model, scratch, h, i, A)
    return rigid_about(d, m, c, J)
