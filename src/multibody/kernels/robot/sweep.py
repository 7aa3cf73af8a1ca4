"""Outward over the links with everything in registers: frame, columns and motion of a link in one go.

The recursions of ``kernels/tree`` keep every quantity in W, since other kernels want them; here each link hands on only what
its own children read. All coordinates are unknown (no motions). Compile-time tags: d (None planar, True spatial), moving (None:
positions alone), known (True: q̈ is given, S is the whole acceleration).

In the state of a link: axes (planar θ, cos θ, sin θ), x (joint point from o) and e (o from the carrier's o) stand where
``kernels/tree`` has axes, x and o; Y, S, forces and inertias where it has them.
"""

from __future__ import annotations

from multibody.kernels.compile import inlined
from multibody.kernels.rotations import sincos
from multibody.kernels.tree import layout as T
from multibody.kernels.tree.algebra import load, moved, plus, rigid_about, store, turned, zero
from multibody.kernels.tree.frames import _about, _axis, _matrix_of, column_of, link_of, record_of, state_of
from multibody.kernels.vectors import add, apply, apply_transposed, cross, dot, load3, load9, multiply, scale


@inlined
def link_out(d, moving, known, I, W, h, i, q, v, a):
    """Write frame and columns of link i and, if `moving`, Y and S; return (axes, center of mass from o, Y, S)."""
    if d is None:
        return _planar_out(moving, known, I, W, h, i, q, v, a)
    return _spatial_out(moving, known, I, W, h, i, q, v, a)


@inlined
def _arrive(d, moving, I, W, h, link, x):
    """Return (x, e, Y, S) with which a link begins: its carrier's motion, about its own point where it has one."""
    c, own = I[link + T.CARRIER], I[link + T.OWN_POINT] == 1
    y, s = zero(d), zero(d)
    e = scale_zero(d)
    if moving is not None:
        if c < 0:
            s = load(d, W, I[h + T.W_BASE])
        else:
            p = state_of(d, I, W, h, c) + 3 * len(y)
            y, s = load(d, W, p), load(d, W, p + len(y))
            if own:
                y, s = moved(d, x, y), moved(d, x, s)
    if own:
        e, x = x, e
    return (x, e, y, s)


@inlined
def scale_zero(d):
    """Return the zero vector."""
    if d is None:
        return (0.0, 0.0)
    return (0.0, 0.0, 0.0)


@inlined
def _follow(d, known, I, record, B, v, a, fixed, y, s):
    """Return (frame's motion for the next axis, Y, S) after a column."""
    r = I[record + T.RATE]
    s = plus(d, v[r], turned(d, fixed, B), s)
    y = plus(d, v[r], B, y)
    if known is not None:
        s = plus(d, a[r], B, s)
    if I[record + T.KIND] != T.BALL:
        fixed = y
    return (fixed, y, s)


@inlined
def _planar_out(moving, known, I, W, h, i, q, v, a):
    link, at, k = link_of(I, h, i), state_of(None, I, W, h, i), I[h + T.W_CONSTANT] + 9 * i
    angle, x, c, s = W[k], (W[k + 3], W[k + 4]), W[k + 1], W[k + 2]
    if I[link + T.CARRIER] >= 0:
        p = state_of(None, I, W, h, I[link + T.CARRIER])
        cp, sp = W[p + 1], W[p + 2]
        angle += W[p]
        x = (W[p + 3] + cp * x[0] - sp * x[1], W[p + 4] + sp * x[0] + cp * x[1])
        c, s = cp * c - sp * s, sp * c + cp * s
    x, e, Y, S = _arrive(None, moving, I, W, h, link, x)
    fixed = Y
    for j in range(I[link + T.FIRST], I[link + T.FIRST] + I[link + T.COUNT]):
        record = record_of(I, h, j)
        value, sign = q[I[record + T.POSITION]], 1.0 if I[record + T.SIGN] > 0 else -1.0
        if I[record + T.KIND] == T.TURN:
            angle += sign * value
            B = (sign * x[1], -sign * x[0], sign)
        else:
            ux, uy = (sign * c, sign * s) if I[record + T.AXIS] == 0 else (-sign * s, sign * c)
            x = (x[0] + value * ux, x[1] + value * uy)
            B = (ux, uy, 0.0)
        store(None, W, column_of(None, I, h, j), B)
        if moving is not None:
            fixed, Y, S = _follow(None, known, I, record, B, v, a, fixed, Y, S)
    s, c = sincos(angle)
    A = (angle, c, s)
    W[at], W[at + 1], W[at + 2] = A
    W[at + 3], W[at + 4] = x
    W[at + 7], W[at + 8] = e
    if moving is not None:
        store(None, W, at + 9, Y)
        store(None, W, at + 12, S)
    center = (x[0] + A[1] * W[k + 6] - A[2] * W[k + 7], x[1] + A[2] * W[k + 6] + A[1] * W[k + 7])
    return (A, center, Y, S)


@inlined
def _spatial_out(moving, known, I, W, h, i, q, v, a):
    link, at, k = link_of(I, h, i), state_of(True, I, W, h, i), I[h + T.W_CONSTANT] + 31 * i
    A, x = load9(W, k), load3(W, k + 9)
    if I[link + T.CARRIER] >= 0:
        p = state_of(True, I, W, h, I[link + T.CARRIER])
        Ap = load9(W, p)
        A, x = multiply(Ap, A), add(load3(W, p + 9), apply(Ap, x))
    x, e, Y, S = _arrive(True, moving, I, W, h, link, x)
    fixed = Y
    for j in range(I[link + T.FIRST], I[link + T.FIRST] + I[link + T.COUNT]):
        record = record_of(I, h, j)
        kind, axis, sign = I[record + T.KIND], I[record + T.AXIS], 1.0 if I[record + T.SIGN] > 0 else -1.0
        u = _axis(A, axis, sign)
        if kind == T.TURN:
            m = cross(x, u)
            B = (m[0], m[1], m[2], u[0], u[1], u[2])
            A = _about(A, axis, sign * q[I[record + T.POSITION]])
        elif kind == T.SLIDE:
            B = (u[0], u[1], u[2], 0.0, 0.0, 0.0)
            x = add(x, scale(q[I[record + T.POSITION]], u))
        else:
            pitch = W[I[h + T.W_PITCH] + j] if kind == T.SCREW else 0.0
            m = add(cross(x, u), scale(pitch, u))
            B = (m[0], m[1], m[2], u[0], u[1], u[2])
            if kind == T.SCREW:
                value = q[I[record + T.POSITION]]
                A, x = _about(A, axis, sign * value), add(x, scale(pitch * value, u))
            elif axis == 2:
                A = multiply(A, _matrix_of(q, I[link + T.QUATERNION]))
        store(True, W, column_of(True, I, h, j), B)
        if moving is not None:
            fixed, Y, S = _follow(True, known, I, record, B, v, a, fixed, Y, S)
    for n in range(9):
        W[at + n] = A[n]
    W[at + 9], W[at + 10], W[at + 11] = x
    W[at + 15], W[at + 16], W[at + 17] = e
    if moving is not None:
        store(True, W, at + 18, Y)
        store(True, W, at + 24, S)
    return (A, add(x, apply(A, load3(W, k + 13))), Y, S)


@inlined
def shift_of(d, W, at):
    """Return o of the link whose state lies at W[at…] from o of its carrier."""
    if d is None:
        return (W[at + 7], W[at + 8])
    return load3(W, at + 15)


@inlined
def force_of(d, I, W, h, i, A, c, y, s):
    """Return the inertial force of link i about o from its motion, with axes A and center of mass c from o."""
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
def rigid_of(d, I, W, h, i, A, c):
    """Return the inertia of link i about o, with axes A and center of mass c from o; eq. (11)."""
    if d is None:
        k = I[h + T.W_CONSTANT] + 9 * i
        return rigid_about(d, W[k + 5], c, W[k + 8])
    k = I[h + T.W_CONSTANT] + 31 * i
    xx, yy, zz, xy, xz, yz = W[k + 16], W[k + 17], W[k + 18], W[k + 19], W[k + 20], W[k + 21]
    J = (xx, xy, xz, xy, yy, yz, xz, yz, zz)
    x, y, z = (A[0], A[1], A[2]), (A[3], A[4], A[5]), (A[6], A[7], A[8])
    a, b = apply(J, x), apply(J, y)
    return rigid_about(
        d, W[k + 12], c, (dot(x, a), dot(y, b), dot(z, apply(J, z)), dot(y, a), dot(z, a), dot(z, b))
    )  # fmt: skip
