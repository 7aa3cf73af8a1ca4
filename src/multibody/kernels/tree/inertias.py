"""Articulated inertias: symmetric 3×3 (planar, 6 numbers) or 6×6 (spatial, 21 numbers) matrices that map motions to forces.

Planar: M_xx, M_xy, M_yy, C_x, C_y, J. Spatial: M as xx, yy, zz, xy, xz, yz; C by rows (f = M v + C ω, n = Cᵀ v + J ω); J as M.
"""

from __future__ import annotations

from multibody.kernels.compile import inlined
from multibody.kernels.tags import PLANAR


@inlined
def load_inertia(d, K):
    """Return an articulated inertia from where it lies."""
    if d is PLANAR:
        return (K[0], K[1], K[2], K[3], K[4], K[5])
    return (
        K[0], K[1], K[2], K[3], K[4], K[5], K[6], K[7], K[8], K[9], K[10],
        K[11], K[12], K[13], K[14], K[15], K[16], K[17], K[18], K[19], K[20],
    )  # fmt: skip


@inlined
def add_inertia(K, value):
    """Add an articulated inertia to the one that lies there."""
    for i in range(len(value)):
        K[i] += value[i]


@inlined
def no_inertia(d):
    """Return the articulated inertia of nothing."""
    if d is PLANAR:
        return (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    return (
        0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
    )  # fmt: skip


@inlined
def store_inertia(K, value):
    """Write an articulated inertia to where it lies."""
    for i in range(len(value)):
        K[i] = value[i]


@inlined
def sum_of_inertias(d, A, B):
    """Return the sum of two articulated inertias about the same point."""
    if d is PLANAR:
        return (A[0] + B[0], A[1] + B[1], A[2] + B[2], A[3] + B[3], A[4] + B[4], A[5] + B[5])
    return (
        A[0] + B[0], A[1] + B[1], A[2] + B[2], A[3] + B[3], A[4] + B[4], A[5] + B[5], A[6] + B[6], A[7] + B[7],
        A[8] + B[8], A[9] + B[9], A[10] + B[10], A[11] + B[11], A[12] + B[12], A[13] + B[13], A[14] + B[14],
        A[15] + B[15], A[16] + B[16], A[17] + B[17], A[18] + B[18], A[19] + B[19], A[20] + B[20],
    )  # fmt: skip


@inlined
def sum_of_rigid(d, R, K):
    """Return the sum of a rigid inertia, M = m E and C = −h̃, and an articulated one."""
    if d is PLANAR:
        return (K[0] + R[0], K[1], K[2] + R[0], K[3] - R[2], K[4] + R[1], K[5] + R[3])
    return (
        K[0] + R[0], K[1] + R[0], K[2] + R[0], K[3], K[4], K[5],
        K[6], K[7] + R[3], K[8] - R[2], K[9] - R[3], K[10], K[11] + R[1], K[12] + R[2], K[13] - R[1], K[14],
        K[15] + R[4], K[16] + R[5], K[17] + R[6], K[18] + R[7], K[19] + R[8], K[20] + R[9],
    )  # fmt: skip


@inlined
def store_of_rigid(d, K, R):
    """Write a rigid inertia as an articulated one: M = m E, C = −h̃."""
    if d is PLANAR:
        K[0], K[1], K[2], K[3], K[4], K[5] = (R[0], 0.0, R[0], -R[2], R[1], R[3])
        return
    K[0], K[1], K[2], K[3], K[4], K[5] = (R[0], R[0], R[0], 0.0, 0.0, 0.0)
    K[6], K[7], K[8] = (0.0, R[3], -R[2])
    K[9], K[10], K[11] = (-R[3], 0.0, R[1])
    K[12], K[13], K[14] = (R[2], -R[1], 0.0)
    K[15], K[16], K[17], K[18], K[19], K[20] = (R[4], R[5], R[6], R[7], R[8], R[9])


@inlined
def inertia_times(d, K, x):
    """Return the force of an articulated inertia times a motion."""
    if d is PLANAR:
        return (
            K[0] * x[0] + K[1] * x[1] + K[3] * x[2], K[1] * x[0] + K[2] * x[1] + K[4] * x[2],
            K[3] * x[0] + K[4] * x[1] + K[5] * x[2],
        )  # fmt: skip
    v0, v1, v2, w0, w1, w2 = x
    return (
        K[0] * v0 + K[3] * v1 + K[4] * v2 + (K[6] * w0 + K[7] * w1 + K[8] * w2),
        K[3] * v0 + K[1] * v1 + K[5] * v2 + (K[9] * w0 + K[10] * w1 + K[11] * w2),
        K[4] * v0 + K[5] * v1 + K[2] * v2 + (K[12] * w0 + K[13] * w1 + K[14] * w2),
        K[6] * v0 + K[9] * v1 + K[12] * v2 + (K[15] * w0 + K[18] * w1 + K[19] * w2),
        K[7] * v0 + K[10] * v1 + K[13] * v2 + (K[18] * w0 + K[16] * w1 + K[20] * w2),
        K[8] * v0 + K[11] * v1 + K[14] * v2 + (K[19] * w0 + K[20] * w1 + K[17] * w2),
    )


@inlined
def without(d, K, U, k):
    """Return K − k U Uᵀ: the inertia that is left when a joint column with U = K B gives way."""
    if d is PLANAR:
        return (  # k comes last: it is waited for
            K[0] - k * (U[0] * U[0]), K[1] - k * (U[0] * U[1]), K[2] - k * (U[1] * U[1]), K[3] - k * (U[0] * U[2]),
            K[4] - k * (U[1] * U[2]), K[5] - k * (U[2] * U[2]),
        )  # fmt: skip
    u0, u1, u2, u3, u4, u5 = U
    a, b, c, p, q, r = k * u0, k * u1, k * u2, k * u3, k * u4, k * u5
    return (
        K[0] - a * u0, K[1] - b * u1, K[2] - c * u2, K[3] - a * u1, K[4] - a * u2, K[5] - b * u2,
        K[6] - a * u3, K[7] - a * u4, K[8] - a * u5,
        K[9] - b * u3, K[10] - b * u4, K[11] - b * u5,
        K[12] - c * u3, K[13] - c * u4, K[14] - c * u5,
        K[15] - p * u3, K[16] - q * u4, K[17] - r * u5, K[18] - p * u4, K[19] - p * u5, K[20] - q * u5,
    )  # fmt: skip


@inlined
def carried_inertia(d, e, K):
    """Return an articulated inertia about o from the one about o + e: C − M ẽ and J − Cᵀẽ + ẽ (C − M ẽ)."""
    if d is PLANAR:
        cx, cy = K[3] - K[0] * e[1] + K[1] * e[0], K[4] - K[1] * e[1] + K[2] * e[0]
        J = K[5] + e[0] * (K[4] + cy) - e[1] * (K[3] + cx)
        return (K[0], K[1], K[2], cx, cy, J)
    x, y, z = e
    # M ẽ has the columns M (ẽ column): ẽ = [[0, −z, y], [z, 0, −x], [−y, x, 0]]
    c00, c01, c02 = K[6] - (K[3] * z - K[4] * y), K[7] - (K[4] * x - K[0] * z), K[8] - (K[0] * y - K[3] * x)
    c10, c11, c12 = K[9] - (K[1] * z - K[5] * y), K[10] - (K[5] * x - K[3] * z), K[11] - (K[3] * y - K[1] * x)
    c20, c21, c22 = K[12] - (K[5] * z - K[2] * y), K[13] - (K[2] * x - K[4] * z), K[14] - (K[4] * y - K[5] * x)
    # −Cᵀẽ is the transpose of ẽ C: its entry (i, j) is (ẽ C)_ji
    a00, a11, a22 = y * K[12] - z * K[9], z * K[7] - x * K[13], x * K[11] - y * K[8]
    a10, a20, a21 = z * K[6] - x * K[12], x * K[9] - y * K[6], x * K[10] - y * K[7]
    b00, b11, b22 = y * c20 - z * c10, z * c01 - x * c21, x * c12 - y * c02
    b01, b02, b12 = y * c21 - z * c11, y * c22 - z * c12, z * c02 - x * c22
    return (
        K[0], K[1], K[2], K[3], K[4], K[5], c00, c01, c02, c10, c11, c12, c20, c21, c22,
        K[15] + a00 + b00, K[16] + a11 + b11, K[17] + a22 + b22, K[18] + a10 + b01, K[19] + a20 + b02, K[20] + a21 + b12,
    )  # fmt: skip
