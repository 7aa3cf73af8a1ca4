"""Unit quaternions, scalar first: matrix, update by a body-frame rotation vector."""

from __future__ import annotations

import math

from multibody.kernels.compile import inlined, inner_kernel
from multibody.kernels.vectors import load4

# π/2 in three parts of 33 bits: k times a part is exact for |k| < 2²⁰ (Cody, Waite 1980)
_HALF_PI = (1.5707963267341256, 6.077100506303966e-11, 2.0222662487111665e-21)
_TURN = 2.0 / math.pi
_WHOLE = 1.5 * 2.0**52  # added to a number and taken away again, it leaves the nearest whole one
LARGE = 1e6  # an angle beyond which the library's own reduction is needed


@inlined
def sincos(x):
    """Return (sin x, cos x) to about one unit in the last place, in half the time that two calls of the library take."""
    if not abs(x) < LARGE:
        return (math.sin(x), math.cos(x))
    return sincos_of_usual(x)


@inlined
def sincos_of_usual(x):
    """Return (sin x, cos x) of an angle that is not too large.

    The angle less a multiple of π/2 is at most π/4; there Taylor's series to x¹⁵ and x¹⁶ are exact to 3e-17.
    """
    k = (x * _TURN + _WHOLE) - _WHOLE
    r = ((x - k * _HALF_PI[0]) - k * _HALF_PI[1]) - k * _HALF_PI[2]
    z = r * r
    s = 1.0 / 6.0 - z * (1.0 / 120.0 - z * (1.0 / 5040.0 - z * (1.0 / 362880.0 - z * (1.0 / 39916800.0 - z * (
        1.0 / 6227020800.0 - z * (1.0 / 1307674368000.0))))))  # fmt: skip
    c = 1.0 / 24.0 - z * (1.0 / 720.0 - z * (1.0 / 40320.0 - z * (1.0 / 3628800.0 - z * (1.0 / 479001600.0 - z * (
        1.0 / 87178291200.0 - z * (1.0 / 20922789888000.0))))))  # fmt: skip
    s, c = r - r * z * s, 1.0 - (0.5 * z - z * z * c)
    quadrant = int(k) & 3
    if quadrant & 1:
        s, c = c, -s
    return (-s, -c) if quadrant & 2 else (s, c)


@inner_kernel
def matrix_of_quaternion(e0, e1, e2, e3):
    """Return A (by rows) of the quaternion (e0, e1, e2, e3): ground components = A · body components."""
    return (
        1.0 - 2.0 * (e2 * e2 + e3 * e3), 2.0 * (e1 * e2 - e0 * e3), 2.0 * (e1 * e3 + e0 * e2),
        2.0 * (e1 * e2 + e0 * e3), 1.0 - 2.0 * (e1 * e1 + e3 * e3), 2.0 * (e2 * e3 - e0 * e1),
        2.0 * (e1 * e3 - e0 * e2), 2.0 * (e2 * e3 + e0 * e1), 1.0 - 2.0 * (e1 * e1 + e2 * e2),
    )  # fmt: skip


@inner_kernel
def quaternion_of_matrix(A):
    """Return the unit quaternion (scalar first, scalar ≥ 0 where it can be) of a rotation matrix, by rows."""
    trace = A[0] + A[4] + A[8]
    s0, s1, s2, s3 = 1.0 + trace, 1.0 + 2.0 * A[0] - trace, 1.0 + 2.0 * A[4] - trace, 1.0 + 2.0 * A[8] - trace
    largest = max(s0, s1, s2, s3)  # the largest component divides the others
    if s0 == largest:
        w, x, y, z = s0, A[7] - A[5], A[2] - A[6], A[3] - A[1]
    elif s1 == largest:
        w, x, y, z = A[7] - A[5], s1, A[1] + A[3], A[2] + A[6]
    elif s2 == largest:
        w, x, y, z = A[2] - A[6], A[1] + A[3], s2, A[5] + A[7]
    else:
        w, x, y, z = A[3] - A[1], A[2] + A[6], A[5] + A[7], s3
    size = math.copysign(math.sqrt(w * w + x * x + y * y + z * z), w)
    return (w / size, x / size, y / size, z / size)


@inner_kernel
def turned_quaternion(e0, e1, e2, e3, x, y, z):
    """Return p ∘ exp(½ δπ′), normalized, for the rotation vector δπ′ = (x, y, z) in body axes."""
    angle = math.sqrt(x * x + y * y + z * z)
    if angle > 1e-8:
        k = math.sin(0.5 * angle) / angle
        c = math.cos(0.5 * angle)
    else:
        k = 0.5 - angle * angle / 48.0
        c = 1.0 - angle * angle / 8.0
    d1, d2, d3 = k * x, k * y, k * z
    p0 = e0 * c - e1 * d1 - e2 * d2 - e3 * d3
    p1 = e0 * d1 + e1 * c + e2 * d3 - e3 * d2
    p2 = e0 * d2 - e1 * d3 + e2 * c + e3 * d1
    p3 = e0 * d3 + e1 * d2 - e2 * d1 + e3 * c
    n = 1.0 / math.sqrt(p0 * p0 + p1 * p1 + p2 * p2 + p3 * p3)
    return (p0 * n, p1 * n, p2 * n, p3 * n)


@inlined
def _product(a0, a1, a2, a3, b0, b1, b2, b3):
    """Return the product of two quaternions."""
    return (
        a0 * b0 - a1 * b1 - a2 * b2 - a3 * b3, a0 * b1 + a1 * b0 + a2 * b3 - a3 * b2, a0 * b2 - a1 * b3 + a2 * b0 + a3 * b1,
        a0 * b3 + a1 * b2 - a2 * b1 + a3 * b0,
    )  # fmt: skip


@inlined
def quaternion_rates(e, w):
    """Return ½ p ∘ ω′."""
    x, y, z = 0.5 * w[0], 0.5 * w[1], 0.5 * w[2]
    return (
        -e[1] * x - e[2] * y - e[3] * z, e[0] * x + e[2] * z - e[3] * y, e[0] * y + e[3] * x - e[1] * z,
        e[0] * z + e[1] * y - e[2] * x,
    )  # fmt: skip


@inlined
def quaternion_tangent(e, d):
    """Return ω′ of a rate d of the quaternion e: 2 p* ∘ d without its scalar part, over |p|²."""
    square = e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]
    found = _product(e[0], -e[1], -e[2], -e[3], d[0], d[1], d[2], d[3])
    return (2.0 * found[1] / square, 2.0 * found[2] / square, 2.0 * found[3] / square)


@inlined
def quaternion_place(c, b, w):
    """Return the direction of the quaternion p with c p + b = ½ p ∘ ω′, that is −b ∘ (c + ½ ω′)."""
    p = _product(-b[0], -b[1], -b[2], -b[3], c, 0.5 * w[0], 0.5 * w[1], 0.5 * w[2])
    k = 1.0 / math.sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3])
    k = -k if c < 0.0 else k
    return (k * p[0], k * p[1], k * p[2], k * p[3])


@inner_kernel
def normalize_quaternion(q, k):
    """Divide the quaternion at q[k] by its size."""
    e = load4(q, k)
    s = 1.0 / math.sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3])
    for c in range(4):
        q[k + c] *= s
