"""Poses and twists of all bodies, unpacked from (q, v) into the workspace once an evaluation."""

from __future__ import annotations

from multibody.kernels import layout as L
from multibody.kernels.compile import inner_kernel, kernel
from multibody.kernels.declared import model_at, scratch_at
from multibody.kernels.rotations import matrix_of_quaternion, sincos, turned_quaternion


@kernel
def set_positions(model, scratch, q):
    """Write every body's pose (position of the center of mass, orientation) and the extra coordinates into W."""
    model, scratch = model_at(model), scratch_at(scratch)
    I, W = model.I, scratch.W
    bodies, at = I[L.BODIES], I[L.W_POSE]
    if I[L.DIMENSION] == 2:
        for k in range(5):
            W[at + k] = 1.0 if k == 3 else 0.0  # the ground
        for b in range(bodies):
            _planar_pose(W, at + 5 * (b + 1), q[3 * b], q[3 * b + 1], q[3 * b + 2])
        first = 3 * bodies
    else:
        _spatial_pose(W, at, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
        for b in range(bodies):
            k = 7 * b
            _spatial_pose(W, at + 12 * (b + 1), q[k], q[k + 1], q[k + 2], q[k + 3], q[k + 4], q[k + 5], q[k + 6])
        first = 7 * bodies
    for k in range(I[L.EXTRAS]):
        W[I[L.W_EXTRA] + k] = q[first + k]


@inner_kernel
def _planar_pose(W, at, x, y, angle):
    """Write x, y, θ, cos θ, sin θ."""
    W[at] = x
    W[at + 1] = y
    W[at + 2] = angle
    W[at + 4], W[at + 3] = sincos(angle)


@inner_kernel
def _spatial_pose(W, at, x, y, z, e0, e1, e2, e3):
    """Write r and A by rows."""
    W[at] = x
    W[at + 1] = y
    W[at + 2] = z
    A = matrix_of_quaternion(e0, e1, e2, e3)
    for k in range(9):
        W[at + 3 + k] = A[k]


@kernel
def set_velocities(model, scratch, v):
    """Write every body's velocity (ṙ, ω in ground axes) and the plain vector v, ground first, into W."""
    model, scratch = model_at(model), scratch_at(scratch)
    I, W = model.I, scratch.W
    bodies, at, plain = I[L.BODIES], I[L.W_TWIST], I[L.W_VELOCITY]
    width = 3 if I[L.DIMENSION] == 2 else 6
    for k in range(width):
        W[at + k] = 0.0
        W[plain + k] = 0.0
    for k in range(I[L.VELOCITIES]):
        W[plain + width + k] = v[k]
    if width == 3:
        for k in range(3 * bodies):
            W[at + 3 + k] = v[k]
        return
    for b in range(bodies):
        k, pose, twist = 6 * b, I[L.W_POSE] + 12 * (b + 1) + 3, at + 6 * (b + 1)
        for i in range(3):
            W[twist + i] = v[k + i]
            W[twist + 3 + i] = W[pose + 3 * i] * v[k + 3] + W[pose + 3 * i + 1] * v[k + 4] + W[pose + 3 * i + 2] * v[k + 5]


@kernel
def displace(model, q, d, k, out):
    """Write q ⊕ k d: positions add, orientations turn by exp(½ k δπ′), extra coordinates add."""
    model = model_at(model)
    I = model.I
    bodies = I[L.BODIES]
    if I[L.DIMENSION] == 2:
        for i in range(I[L.VELOCITIES]):
            out[i] = q[i] + k * d[i]
        return
    for b in range(bodies):
        i, j = 7 * b, 6 * b
        for c in range(3):
            out[i + c] = q[i + c] + k * d[j + c]
        p = turned_quaternion(q[i + 3], q[i + 4], q[i + 5], q[i + 6], k * d[j + 3], k * d[j + 4], k * d[j + 5])
        for c in range(4):
            out[i + 3 + c] = p[c]
    for e in range(I[L.EXTRAS]):
        out[7 * bodies + e] = q[7 * bodies + e] + k * d[6 * bodies + e]
