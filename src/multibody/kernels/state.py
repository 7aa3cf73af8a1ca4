"""Poses and twists of all bodies, unpacked from (q, v) once an evaluation."""

from __future__ import annotations

from multibody.kernels.body_layout import ANGLE, PLANE, POINT, SPACE, TURN
from multibody.kernels.codes import FIRST_BODY, GROUND
from multibody.kernels.compile import inner_kernel, kernel
from multibody.kernels.declared import model_at, scratch_at
from multibody.kernels.rotations import matrix_of_quaternion, sincos, turned_quaternion
from multibody.kernels.vectors import apply, load3, load4, load9, store3, store4

__all__ = ["ANGLE", "PLANE", "POINT", "SPACE", "TURN", "displace", "set_positions", "set_velocities"]


@kernel
def set_positions(model, scratch, q):
    """Write every body's pose (position of the center of mass, orientation) and the extra coordinates."""
    model, scratch = model_at(model), scratch_at(scratch)
    if model.planar:
        _planar_pose(scratch.planar_pose[GROUND], 0.0, 0.0, 0.0)
        for b in range(model.bodies):
            x, y, angle = load3(q, PLANE * b)
            _planar_pose(scratch.planar_pose[FIRST_BODY + b], x, y, angle)
        first = PLANE * model.bodies
    else:
        _spatial_pose(scratch.spatial_pose[GROUND], (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))
        for b in range(model.bodies):
            _spatial_pose(scratch.spatial_pose[FIRST_BODY + b], load3(q, SPACE * b), load4(q, SPACE * b + POINT))
        first = SPACE * model.bodies
    for k in range(model.extras):
        scratch.extra[k] = q[first + k]


@inner_kernel
def _planar_pose(pose, x, y, angle):
    """Write x, y, θ, cos θ, sin θ."""
    pose.x, pose.y, pose.angle = x, y, angle
    pose.sin, pose.cos = sincos(angle)


@inner_kernel
def _spatial_pose(pose, r, e):
    """Write r and A by rows."""
    A, found = pose.A, matrix_of_quaternion(e[0], e[1], e[2], e[3])
    store3(pose.r, 0, r)
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
        _planar_twist(scratch.planar_twist[GROUND], 0.0, 0.0, 0.0)
        for b in range(model.bodies):
            x, y, omega = load3(v, PLANE * b)
            _planar_twist(scratch.planar_twist[FIRST_BODY + b], x, y, omega)
        return
    ground = scratch.spatial_twist[GROUND]
    for i in range(3):
        ground.v[i] = 0.0
        ground.omega[i] = 0.0
    for b in range(model.bodies):
        k, A, twist = TURN * b, scratch.spatial_pose[FIRST_BODY + b].A, scratch.spatial_twist[FIRST_BODY + b]
        store3(twist.v, 0, load3(v, k))
        store3(twist.omega, 0, apply(load9(A, 0), load3(v, k + POINT)))


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
        (e0, e1, e2, e3), (x, y, z) = load4(q, i), load3(d, j)
        store4(out, i, turned_quaternion(e0, e1, e2, e3, k * x, k * y, k * z))
    for e in range(model.extras):
        out[SPACE * bodies + e] = q[SPACE * bodies + e] + k * d[TURN * bodies + e]
