"""Between links and bodies: poses, twists and accelerations of the bodies from the state of the links, and wrenches back.

Everything that forces, constraints, events and results read (poses, twists and velocities in W, see ``kernels/state.py``) is
written here, so that they are the same in joint coordinates as in Cartesian ones.
"""

from __future__ import annotations

import math

from multibody.kernels import layout as L
from multibody.kernels.compile import inlined, inner_kernel
from multibody.kernels.tree import layout as T
from multibody.kernels.tree.algebra import load, store, width
from multibody.kernels.tree.frames import center_of, link_of, origin_of, state_of
from multibody.kernels.vectors import add, apply, apply_transposed, cross, load3, load9, multiply


@inner_kernel
def write_poses(d, model, scratch, h):
    """Write the pose of every body, and that of the ground, into W."""
    I, W = model.I, scratch.W
    at = I[L.W_POSE]
    if d is None:
        W[at], W[at + 1], W[at + 2], W[at + 3], W[at + 4] = 0.0, 0.0, 0.0, 1.0, 0.0
    else:
        for k in range(12):
            W[at + k] = 1.0 if k == 3 or k == 7 or k == 11 else 0.0
    for i in range(I[h + T.LINK_COUNT]):
        s, body = state_of(d, model, scratch, h, i), I[link_of(model, h, i) + T.BODY]
        if d is None:
            p = at + 5 * body
            W[p], W[p + 1] = W[s + 30] + W[s + 5], W[s + 31] + W[s + 6]
            W[p + 2], W[p + 3], W[p + 4] = W[s], W[s + 1], W[s + 2]
        else:
            p = at + 12 * body
            r = add(origin_of(d, W, s), load3(W, s + 12))
            A = multiply(load9(W, s), load9(W, I[h + T.W_CONSTANT] + 31 * i + 22))
            W[p], W[p + 1], W[p + 2] = r
            for k in range(9):
                W[p + 3 + k] = A[k]


@inner_kernel
def write_twists(d, model, scratch, h):
    """Write ṙ and ω of every body into W, in ground axes and as the velocity columns; poses are known."""
    I, W = model.I, scratch.W
    w = width(d)
    for k in range(w):
        W[I[L.W_TWIST] + k] = 0.0
        W[I[L.W_VELOCITY] + k] = 0.0
    for i in range(I[h + T.LINK_COUNT]):
        s, body = state_of(d, model, scratch, h, i), I[link_of(model, h, i) + T.BODY]
        y, c = load(d, W, s + T.MOTION * w), center_of(d, W, s)
        u, v = I[L.W_TWIST] + w * body, I[L.W_VELOCITY] + w * body
        if d is None:
            x = (y[0] - y[2] * c[1], y[1] + y[2] * c[0], y[2])
            store(d, W, u, x)
            store(d, W, v, x)
        else:
            omega = (y[3], y[4], y[5])
            r = add((y[0], y[1], y[2]), cross(omega, c))
            own = apply_transposed(load9(W, I[L.W_POSE] + 12 * body + 3), omega)
            store(d, W, u, (r[0], r[1], r[2], omega[0], omega[1], omega[2]))
            store(d, W, v, (r[0], r[1], r[2], own[0], own[1], own[2]))


@inlined
def centripetal(d, W, s):
    """Return ω × ṙ_c of the link whose state lies at W[s…]: classical less spatial acceleration of its center of mass."""
    w, c = width(d), center_of(d, W, s)
    y = load(d, W, s + T.MOTION * w)
    if d is None:
        vx, vy = y[0] - y[2] * c[1], y[1] + y[2] * c[0]
        return (-y[2] * vy, y[2] * vx)
    omega = (y[3], y[4], y[5])
    return cross(omega, add((y[0], y[1], y[2]), cross(omega, c)))


@inner_kernel
def write_accelerations(d, model, scratch, h, out):
    """Write r̈ and ω̇ (spatial: body axes) of every body to W[out…], from S + a; poses are known."""
    I, W = model.I, scratch.W
    w, g = width(d), load(d, W, I[h + T.W_BASE])
    for i in range(I[h + T.LINK_COUNT]):
        s, body = state_of(d, model, scratch, h, i), I[link_of(model, h, i) + T.BODY]
        c, z, to = center_of(d, W, s), centripetal(d, W, s), out + w * (body - 1)
        x, a = load(d, W, s + T.BIAS * w), load(d, W, s + T.CHANGE * w)
        if d is None:
            turn = x[2] + a[2]
            store(d, W, to, (x[0] + a[0] - g[0] - turn * c[1] + z[0], x[1] + a[1] - g[1] + turn * c[0] + z[1], turn))
        else:
            alpha = (x[3] + a[3], x[4] + a[4], x[5] + a[5])
            r = add(add((x[0] + a[0] - g[0], x[1] + a[1] - g[1], x[2] + a[2] - g[2]), cross(alpha, c)), z)
            own = apply_transposed(load9(W, I[L.W_POSE] + 12 * body + 3), alpha)
            store(d, W, to, (r[0], r[1], r[2], own[0], own[1], own[2]))


@inlined
def wrench_about(d, model, scratch, h, i, k):
    """Return the generalized force at W[k…] (force; moment about the center of mass, spatial: body axes) as one about o."""
    I, W = model.I, scratch.W
    s = state_of(d, model, scratch, h, i)
    c = center_of(d, W, s)
    if d is None:
        return (W[k], W[k + 1], W[k + 2] + c[0] * W[k + 1] - c[1] * W[k])
    f = load3(W, k)
    n = apply(load9(W, I[L.W_POSE] + 12 * I[link_of(model, h, i) + T.BODY] + 3), load3(W, k + 3))
    n = add(n, cross(c, f))
    return (f[0], f[1], f[2], n[0], n[1], n[2])


@inner_kernel
def write_wrenches(d, model, scratch, h, Q):
    """Write the generalized forces at W[Q…] as wrenches about o of the links to W_WRENCH; poses are known."""
    I, W = model.I, scratch.W
    w = width(d)
    for i in range(I[h + T.LINK_COUNT]):
        body = I[link_of(model, h, i) + T.BODY]
        store(d, W, I[h + T.W_WRENCH] + w * i, wrench_about(d, model, scratch, h, i, Q + w * (body - 1)))


@inner_kernel
def write_state(d, model, scratch, h, y):
    """Write the Cartesian (q, v) of all bodies to y; quaternions take the sign nearest to what stands there."""
    I, W = model.I, scratch.W
    w = width(d)
    nq = I[L.COORDINATES]
    for b in range(I[L.BODIES]):
        p, v = I[L.W_POSE], I[L.W_VELOCITY] + w * (b + 1)
        for k in range(w):
            y[nq + w * b + k] = W[v + k]
        if d is None:
            for k in range(3):
                y[3 * b + k] = W[p + 5 * (b + 1) + k]
        else:
            p += 12 * (b + 1)
            for k in range(3):
                y[7 * b + k] = W[p + k]
            e = quaternion_of(load9(W, p + 3))
            k = 7 * b + 3
            sign = e[0] * y[k] + e[1] * y[k + 1] + e[2] * y[k + 2] + e[3] * y[k + 3]
            sign = -1.0 if sign < 0.0 else 1.0
            y[k], y[k + 1], y[k + 2], y[k + 3] = sign * e[0], sign * e[1], sign * e[2], sign * e[3]


@inlined
def quaternion_of(A):
    """Return the unit quaternion of a rotation matrix by rows, from its largest component."""
    t = A[0] + A[4] + A[8]
    if t >= A[0] and t >= A[4] and t >= A[8]:
        s = math.sqrt(1.0 + t)
        k = 0.5 / s
        return (0.5 * s, k * (A[7] - A[5]), k * (A[2] - A[6]), k * (A[3] - A[1]))
    if A[0] >= A[4] and A[0] >= A[8]:
        s = math.sqrt(1.0 + A[0] - A[4] - A[8])
        k = 0.5 / s
        return (k * (A[7] - A[5]), 0.5 * s, k * (A[1] + A[3]), k * (A[2] + A[6]))
    if A[4] >= A[8]:
        s = math.sqrt(1.0 + A[4] - A[0] - A[8])
        k = 0.5 / s
        return (k * (A[2] - A[6]), k * (A[1] + A[3]), 0.5 * s, k * (A[5] + A[7]))
    s = math.sqrt(1.0 + A[8] - A[0] - A[4])
    k = 0.5 / s
    return (k * (A[3] - A[1]), k * (A[2] + A[6]), k * (A[5] + A[7]), 0.5 * s)
