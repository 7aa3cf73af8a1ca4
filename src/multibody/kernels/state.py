"""Poses and twists of all bodies, unpacked from (q, v) once an evaluation."""

from __future__ import annotations

from multibody.kernels.compile import inner_kernel, kernel
from multibody.kernels.declared import model_at, scratch_at
from multibody.kernels.rotations import matrix_of_quaternion, sincos, turned_quaternion

PLANE, SPACE, TURN = 3, 7, 6  # coordinates of a body in the plane; in space; velocity coordinates in space
POINT = 3  # of them those of the center of mass in space


@kernel
def set_positions(model, scratch, q):
    """Write every body's pose (position of the center of mass, orientation) and the extra coordinates."""
    model, scratch = model_at(model), scratch_at(scratch)
    if model.planar:
        _planar_pose(scratch.planar_pose[0], 0.0, 0.0, 0.0)  # the ground
        for b in range(model.bodies):
            _planar_pose(scratch.planar_pose[b + 1], q[PLANE * b], q[PLANE * b + 1], q[PLANE * b + 2])
        first = PLANE * model.bodies
    else:
        _spatial_pose(scratch.spatial_pose[0], 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
        for b in range(model.bodies):
            k = SPACE * b
            _spatial_pose(scratch.spatial_pose[b + 1], q[k], q[k + 1], q[k + 2], q[k + 3], q[k + 4], q[k + 5], q[k + 6])
        first = SPACE * model.bodies
    for k in range(model.extras):
        scratch.extra[k] = q[first + k]


@inner_kernel
def _planar_pose(pose, x, y, angle):
    """Write x, y, θ, cos θ, sin θ."""
    pose.x, pose.y, pose.angle = x, y, angle
    pose.sin, pose.cos = sincos(angle)


@inner_kernel
def _spatial_pose(pose, x, y, z, e0, e1, e2, e3):
    """Write r and A by rows."""
    r, A, found = pose.r, pose.A, matrix_of_quaternion(e0, e1, e2, e3)
    r[0], r[1], r[2] = x, y, z
    for k in range(9):
        A[k] = found[k]


@kernel
def set_velocities(model, scratch, v):
    """Write every body's velocity (ṙ, ω in ground axes) and the plain vector v, ground first."""
    model, scratch = model_at(model), scratch_at(scratch)
    width, plain = model.width, scratch.velocity
    for k in range(width):
        plain[k] = 0.0
    for k in range(model.velocities):
        plain[width + k] = v[k]
    if model.planar:
        _planar_twist(scratch.planar_twist[0], 0.0, 0.0, 0.0)
        for b in range(model.bodies):
            _planar_twist(scratch.planar_twist[b + 1], v[PLANE * b], v[PLANE * b + 1], v[PLANE * b + 2])
        return
    ground = scratch.spatial_twist[0]
    for i in range(3):
        ground.v[i] = 0.0
        ground.omega[i] = 0.0
    for b in range(model.bodies):
        k, A, twist = TURN * b, scratch.spatial_pose[b + 1].A, scratch.spatial_twist[b + 1]
        x, y, z = v[k + POINT], v[k + POINT + 1], v[k + POINT + 2]
        for i in range(3):
            twist.v[i] = v[k + i]
            twist.omega[i] = A[3 * i] * x + A[3 * i + 1] * y + A[3 * i + 2] * z


@inner_kernel
def _planar_twist(twist, x, y, omega):
    """Write ẋ, ẏ, ω."""
    twist.x, twist.y, twist.omega = x, y, omega


@kernel
def displace(model, q, d, k, out):
    """Write q ⊕ k d: positions add, orientations turn by exp(½ k δπ′), extra coordinates add."""
    model = model_at(model)
    bodies = model.bodies
    if model.planar:
        for i in range(model.velocities):
            out[i] = q[i] + k * d[i]
        return
    for b in range(bodies):
        i, j = SPACE * b, TURN * b
        for c in range(POINT):
            out[i + c] = q[i + c] + k * d[j + c]
        i, j = i + POINT, j + POINT
        p = turned_quaternion(q[i], q[i + 1], q[i + 2], q[i + 3], k * d[j], k * d[j + 1], k * d[j + 2])
        for c in range(4):
            out[i + c] = p[c]
    for e in range(model.extras):
        out[SPACE * bodies + e] = q[SPACE * bodies + e] + k * d[TURN * bodies + e]
