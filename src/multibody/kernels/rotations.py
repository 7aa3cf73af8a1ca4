"""Unit quaternions, scalar first: matrix, update by a body-frame rotation vector."""

from __future__ import annotations

import math

from multibody.kernels.compile import inner_kernel


@inner_kernel
def matrix_of_quaternion(e0, e1, e2, e3):
    """Return A (by rows) of the quaternion (e0, e1, e2, e3): ground components = A · body components."""
    return (
        1.0 - 2.0 * (e2 * e2 + e3 * e3), 2.0 * (e1 * e2 - e0 * e3), 2.0 * (e1 * e3 + e0 * e2),
        2.0 * (e1 * e2 + e0 * e3), 1.0 - 2.0 * (e1 * e1 + e3 * e3), 2.0 * (e2 * e3 - e0 * e1),
        2.0 * (e1 * e3 - e0 * e2), 2.0 * (e2 * e3 + e0 * e1), 1.0 - 2.0 * (e1 * e1 + e2 * e2),
    )  # fmt: skip


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
