"""The small algebra of the tree recursions: motions, forces and inertias about a common point, planar or spatial.

The first argument `d` of every function says which, PLANAR or SPATIAL (see ``tags``): exactly two versions of a recursion
exist, and neither tests it at run time.

* motion (v, ω): velocity of the body point at the reference point o, and angular velocity; 3 or 6 numbers. This is the state
  vector Ŷ = (ṙ + r̃ω, ω) of Kim and You (1996), eq. (6), with o in place of the global origin
* force (f, n): force, and moment about o
* rigid inertia (m, m r_c, J about o): 4 or 10 numbers, J as xx, yy, zz, xy, xz, yz
* articulated inertia, any symmetric matrix: 6 or 21 numbers, (M, C, J) of f = M v + C ω, n = Cᵀ v + J ω
"""

from __future__ import annotations

from multibody.kernels.compile import inlined
from multibody.kernels.tags import PLANAR
from multibody.kernels.vectors import load3, load6, store3, store6


@inlined
def width(d):
    """Return the number of components of a motion."""
    if d is PLANAR:
        return 3
    return 6


@inlined
def load(d, x):
    """Return a motion or force from where it lies."""
    return load_at(d, x, 0)


@inlined
def load_at(d, x, k):
    """Return the motion or force from x[k] on."""
    if d is PLANAR:
        return load3(x, k)
    return load6(x, k)


@inlined
def store(d, x, value):
    """Write a motion or force to where it lies."""
    store_at(d, x, 0, value)


@inlined
def store_at(d, x, k, value):
    """Write a motion or force to x[k] and on."""
    if d is PLANAR:
        store3(x, k, value)
    else:
        store6(x, k, value)


@inlined
def add_to(d, x, value):
    """Add a motion or force to the one that lies there."""
    store(d, x, plus(d, 1.0, value, load(d, x)))


@inlined
def zero(d):
    """Return the zero motion."""
    if d is PLANAR:
        return (0.0, 0.0, 0.0)
    return (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@inlined
def plus(d, k, a, b):
    """Return k a + b."""
    if d is PLANAR:
        return (k * a[0] + b[0], k * a[1] + b[1], k * a[2] + b[2])
    return (
        k * a[0] + b[0], k * a[1] + b[1], k * a[2] + b[2], k * a[3] + b[3], k * a[4] + b[4], k * a[5] + b[5],
    )  # fmt: skip


@inlined
def times(d, k, a):
    """Return k a."""
    if d is PLANAR:
        return (k * a[0], k * a[1], k * a[2])
    return (k * a[0], k * a[1], k * a[2], k * a[3], k * a[4], k * a[5])


@inlined
def inner(d, a, b):
    """Return the power of a force on a motion."""
    if d is PLANAR:
        return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + (a[3] * b[3] + a[4] * b[4] + a[5] * b[5])


@inlined
def moved(d, e, x):
    """Return a motion about the point o + e from the one about o: v + ω × e."""
    if d is PLANAR:
        return (x[0] - x[2] * e[1], x[1] + x[2] * e[0], x[2])
    return (
        x[0] + x[4] * e[2] - x[5] * e[1], x[1] + x[5] * e[0] - x[3] * e[2], x[2] + x[3] * e[1] - x[4] * e[0],
        x[3], x[4], x[5],
    )  # fmt: skip


@inlined
def carried(d, e, f):
    """Return a force about the point o from the one about o + e: n + e × f."""
    if d is PLANAR:
        return (f[0], f[1], f[2] + e[0] * f[1] - e[1] * f[0])
    return (
        f[0], f[1], f[2],
        f[3] + e[1] * f[2] - e[2] * f[1], f[4] + e[2] * f[0] - e[0] * f[2], f[5] + e[0] * f[1] - e[1] * f[0],
    )  # fmt: skip


@inlined
def turned(d, y, b):
    """Return the rate ḃ = (ω × b_v + v × b_ω, ω × b_ω) of a motion b that is fixed in a frame moving with y = (v, ω)."""
    if d is PLANAR:
        return (y[1] * b[2] - y[2] * b[1], y[2] * b[0] - y[0] * b[2], 0.0)
    return (
        y[4] * b[2] - y[5] * b[1] + y[1] * b[5] - y[2] * b[4],
        y[5] * b[0] - y[3] * b[2] + y[2] * b[3] - y[0] * b[5],
        y[3] * b[1] - y[4] * b[0] + y[0] * b[4] - y[1] * b[3],
        y[4] * b[5] - y[5] * b[4],
        y[5] * b[3] - y[3] * b[5],
        y[3] * b[4] - y[4] * b[3],
    )


@inlined
def turned_force(d, y, p):
    """Return the rate (ω × f, ω × n + v × f) of a force p that is fixed in a frame moving with y: of a momentum, its bias."""
    if d is PLANAR:
        return (-y[2] * p[1], y[2] * p[0], y[0] * p[1] - y[1] * p[0])
    return (
        y[4] * p[2] - y[5] * p[1],
        y[5] * p[0] - y[3] * p[2],
        y[3] * p[1] - y[4] * p[0],
        y[4] * p[5] - y[5] * p[4] + y[1] * p[2] - y[2] * p[1],
        y[5] * p[3] - y[3] * p[5] + y[2] * p[0] - y[0] * p[2],
        y[3] * p[4] - y[4] * p[3] + y[0] * p[1] - y[1] * p[0],
    )


# --- rigid inertias --------------------------------------------------------------------------------------------------------
@inlined
def load_rigid(d, K):
    """Return a rigid inertia from where it lies."""
    if d is PLANAR:
        return (K[0], K[1], K[2], K[3])
    return (K[0], K[1], K[2], K[3], K[4], K[5], K[6], K[7], K[8], K[9])


@inlined
def store_rigid(d, K, value):
    """Write a rigid inertia to where it lies."""
    if d is PLANAR:
        K[0], K[1], K[2], K[3] = value
    else:
        K[0], K[1], K[2], K[3], K[4], K[5], K[6], K[7], K[8], K[9] = value


@inlined
def add_rigid(d, A, B):
    """Return the sum of two rigid inertias about the same point."""
    if d is PLANAR:
        return (A[0] + B[0], A[1] + B[1], A[2] + B[2], A[3] + B[3])
    return (
        A[0] + B[0], A[1] + B[1], A[2] + B[2], A[3] + B[3], A[4] + B[4], A[5] + B[5], A[6] + B[6], A[7] + B[7],
        A[8] + B[8], A[9] + B[9],
    )  # fmt: skip


@inlined
def rigid_about(d, m, c, J):
    """Return the rigid inertia of a mass m at c from o, J its inertia about the center of mass in ground axes; eq. (11)."""
    if d is PLANAR:
        hx, hy = m * c[0], m * c[1]
        return (m, hx, hy, J + hx * c[0] + hy * c[1])
    h0, h1, h2 = m * c[0], m * c[1], m * c[2]
    x, y, z = h0 * c[0], h1 * c[1], h2 * c[2]
    return (m, h0, h1, h2, J[0] + y + z, J[1] + x + z, J[2] + x + y, J[3] - h0 * c[1], J[4] - h0 * c[2], J[5] - h1 * c[2])


@inlined
def carried_rigid(d, e, K):
    """Return a rigid inertia about o from the one about o + e."""
    if d is PLANAR:
        m, hx, hy, J = K
        return (m, hx + m * e[0], hy + m * e[1], J + 2.0 * (e[0] * hx + e[1] * hy) + m * (e[0] * e[0] + e[1] * e[1]))
    m, h0, h1, h2 = K[0], K[1], K[2], K[3]
    g0, g1, g2 = h0 + m * e[0], h1 + m * e[1], h2 + m * e[2]
    x, y, z = e[0] * (h0 + g0), e[1] * (h1 + g1), e[2] * (h2 + g2)
    return (
        m, g0, g1, g2, K[4] + y + z, K[5] + x + z, K[6] + x + y,
        K[7] - g0 * e[1] - e[0] * h1, K[8] - g0 * e[2] - e[0] * h2, K[9] - g1 * e[2] - e[1] * h2,
    )  # fmt: skip


@inlined
def rigid_times(d, K, x):
    """Return the force (m v + ω × h, h × v + J ω) of a rigid inertia times a motion."""
    if d is PLANAR:
        m, hx, hy, J = K
        return (m * x[0] - x[2] * hy, m * x[1] + x[2] * hx, hx * x[1] - hy * x[0] + J * x[2])
    m, h0, h1, h2, xx, yy, zz, xy, xz, yz = K
    v0, v1, v2, w0, w1, w2 = x
    return (
        m * v0 + w1 * h2 - w2 * h1,
        m * v1 + w2 * h0 - w0 * h2,
        m * v2 + w0 * h1 - w1 * h0,
        h1 * v2 - h2 * v1 + xx * w0 + xy * w1 + xz * w2,
        h2 * v0 - h0 * v2 + xy * w0 + yy * w1 + yz * w2,
        h0 * v1 - h1 * v0 + xz * w0 + yz * w1 + zz * w2,
    )
