"""Frames of links: from the carrier's frame and the joint's coordinates to the link's frame and its columns B."""

from __future__ import annotations

import math

from multibody.kernels.compile import inlined
from multibody.kernels.rotations import matrix_of_quaternion, sincos
from multibody.kernels.tree import layout as T
from multibody.kernels.vectors import add, apply, cross, dot, load3, load9, multiply, scale


@inlined
def state_of(d, I, W, h, i):
    """Return where the state of link i lies in W."""
    if d is None:
        return I[h + T.W_LINK] + 30 * i
    return I[h + T.W_LINK] + 69 * i


@inlined
def column_of(d, I, h, k):
    """Return where the state of column k lies in W: B, then U."""
    if d is None:
        return I[h + T.W_COLUMN] + 9 * k
    return I[h + T.W_COLUMN] + 18 * k


@inlined
def link_of(I, h, i):
    """Return where the record of link i lies in I."""
    return I[h + T.LINKS] + T.LINK_STRIDE * i


@inlined
def record_of(I, h, k):
    """Return where the record of column k lies in I."""
    return I[h + T.COLUMNS] + T.COLUMN_STRIDE * k


@inlined
def coordinate(I, W, h, k, record, q):
    """Return the value of column k: unknown, or prescribed."""
    rate = I[record + T.RATE]
    return q[I[record + T.POSITION]] if rate >= 0 else W[I[h + T.W_GIVEN] - 3 * (rate + 1)]


@inlined
def rate(I, W, h, k, record, v):
    """Return the rate of column k: unknown, or prescribed."""
    at = I[record + T.RATE]
    return v[at] if at >= 0 else W[I[h + T.W_GIVEN] - 3 * (at + 1) + 1]


@inlined
def place(d, I, W, h, i, q):
    """Write the frame of link i and its columns B at the coordinates q; eqs. (1), (2) and B of (6)."""
    if d is None:
        _place_planar(I, W, h, i, q)
    else:
        _place_spatial(I, W, h, i, q)


@inlined
def _place_planar(I, W, h, i, q):
    """Write θ, cos θ, sin θ, r, r_c, o of a planar link, and its columns."""
    link, at, k = link_of(I, h, i), state_of(None, I, W, h, i), I[h + T.W_CONSTANT] + 9 * i
    angle, x, y, c, s, ox, oy = W[k], W[k + 3], W[k + 4], W[k + 1], W[k + 2], 0.0, 0.0
    if I[link + T.CARRIER] >= 0:
        p = state_of(None, I, W, h, I[link + T.CARRIER])
        cp, sp = W[p + 1], W[p + 2]
        angle += W[p]
        x, y = W[p + 3] + cp * x - sp * y, W[p + 4] + sp * x + cp * y
        c, s = cp * c - sp * s, sp * c + cp * s
        ox, oy = W[p + 7], W[p + 8]
    if I[link + T.OWN_POINT] == 1:
        ox, oy, x, y = ox + x, oy + y, 0.0, 0.0
    for j in range(I[link + T.FIRST], I[link + T.FIRST] + I[link + T.COUNT]):
        record, b = record_of(I, h, j), column_of(None, I, h, j)
        value, sign = coordinate(I, W, h, j, record, q), 1.0 if I[record + T.SIGN] > 0 else -1.0
        if I[record + T.KIND] == T.TURN:
            angle += sign * value
            W[b], W[b + 1], W[b + 2] = sign * y, -sign * x, sign
        else:
            ux, uy = (sign * c, sign * s) if I[record + T.AXIS] == 0 else (-sign * s, sign * c)
            x, y = x + value * ux, y + value * uy
            W[b], W[b + 1], W[b + 2] = ux, uy, 0.0
    s, c = sincos(angle)
    W[at], W[at + 1], W[at + 2], W[at + 3], W[at + 4] = angle, c, s, x, y
    W[at + 5], W[at + 6] = x + c * W[k + 6] - s * W[k + 7], y + s * W[k + 6] + c * W[k + 7]
    W[at + 7], W[at + 8] = ox, oy


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
def _place_spatial(I, W, h, i, q):
    """Write A, r, r_c, o of a spatial link, and its columns."""
    link, at, k = link_of(I, h, i), state_of(True, I, W, h, i), I[h + T.W_CONSTANT] + 31 * i
    A, x, o = load9(W, k), load3(W, k + 9), (0.0, 0.0, 0.0)
    if I[link + T.CARRIER] >= 0:
        p = state_of(True, I, W, h, I[link + T.CARRIER])
        Ap, o = load9(W, p), load3(W, p + 15)
        A, x = multiply(Ap, A), add(load3(W, p + 9), apply(Ap, x))
    if I[link + T.OWN_POINT] == 1:
        o, x = add(o, x), (0.0, 0.0, 0.0)
    for j in range(I[link + T.FIRST], I[link + T.FIRST] + I[link + T.COUNT]):
        record, b = record_of(I, h, j), column_of(True, I, h, j)
        kind, axis, sign = I[record + T.KIND], I[record + T.AXIS], 1.0 if I[record + T.SIGN] > 0 else -1.0
        u = _axis(A, axis, sign)
        if kind == T.TURN:
            A = _about(A, axis, sign * coordinate(I, W, h, j, record, q))
            _write_turn(W, b, cross(x, u), u)
        elif kind == T.SLIDE:
            x = add(x, scale(coordinate(I, W, h, j, record, q), u))
            _write_turn(W, b, u, (0.0, 0.0, 0.0))
        elif kind == T.SCREW:
            value, pitch = coordinate(I, W, h, j, record, q), W[I[h + T.W_PITCH] + j]
            A = _about(A, axis, sign * value)
            _write_turn(W, b, add(cross(x, u), scale(pitch, u)), u)
            x = add(x, scale(pitch * value, u))
        else:
            _write_turn(W, b, cross(x, u), u)
            if axis == 2:
                A = multiply(A, _matrix_of(q, I[link + T.QUATERNION]))
    center = add(x, apply(A, load3(W, k + 13)))
    for n in range(9):
        W[at + n] = A[n]
    W[at + 9], W[at + 10], W[at + 11] = x
    W[at + 12], W[at + 13], W[at + 14] = center
    W[at + 15], W[at + 16], W[at + 17] = o


@inlined
def _write_turn(W, b, linear, angular):
    """Write a column (linear, angular)."""
    W[b], W[b + 1], W[b + 2] = linear
    W[b + 3], W[b + 4], W[b + 5] = angular


@inlined
def offset(d, I, W, h, i):
    """Return o of link i from o of its carrier; only asked where the link has its own point."""
    link, at = link_of(I, h, i), state_of(d, I, W, h, i)
    c = I[link + T.CARRIER]
    if d is None:
        if c < 0:
            return (W[at + 7], W[at + 8])
        p = state_of(d, I, W, h, c)
        return (W[at + 7] - W[p + 7], W[at + 8] - W[p + 8])
    if c < 0:
        return load3(W, at + 15)
    p = state_of(d, I, W, h, c)
    return (W[at + 15] - W[p + 15], W[at + 16] - W[p + 16], W[at + 17] - W[p + 17])


@inlined
def center_of(d, W, at):
    """Return the center of mass of the link whose state lies at W[at…], from o."""
    if d is None:
        return (W[at + 5], W[at + 6])
    return load3(W, at + 12)


@inlined
def inertia_about(d, I, W, h, i):
    """Return (m, J about the center of mass in ground axes) of link i: J = A J′ Aᵀ."""
    if d is None:
        k = I[h + T.W_CONSTANT] + 9 * i
        return (W[k + 5], W[k + 8])
    k, A = I[h + T.W_CONSTANT] + 31 * i, load9(W, state_of(d, I, W, h, i))
    xx, yy, zz, xy, xz, yz = W[k + 16], W[k + 17], W[k + 18], W[k + 19], W[k + 20], W[k + 21]
    a = apply((xx, xy, xz, xy, yy, yz, xz, yz, zz), (A[0], A[1], A[2]))
    b = apply((xx, xy, xz, xy, yy, yz, xz, yz, zz), (A[3], A[4], A[5]))
    c = apply((xx, xy, xz, xy, yy, yz, xz, yz, zz), (A[6], A[7], A[8]))
    x, y, z = (A[0], A[1], A[2]), (A[3], A[4], A[5]), (A[6], A[7], A[8])
    J = (dot(x, a), dot(y, b), dot(z, c), dot(y, a), dot(z, a), dot(z, b))
    return (W[k + 12], J)

