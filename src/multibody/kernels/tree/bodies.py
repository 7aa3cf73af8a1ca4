"""Between links and bodies: poses, twists and accelerations of the bodies from the state of the links, and wrenches back.

Everything that forces, constraints, events and results read (poses, twists and velocities, see ``kernels/state.py``) is
written here, so that they are the same in joint coordinates as in Cartesian ones.
"""

from __future__ import annotations

import math

from multibody.kernels.body_layout import PLANE, POINT, SPACE
from multibody.kernels.codes import FIRST_BODY
from multibody.kernels.compile import inlined, inner_kernel
from multibody.kernels.tags import PLANAR
from multibody.kernels.tree.algebra import load, load_at, store, store_at, width, zero
from multibody.kernels.tree.declared import constants_of, links_of, loads_of
from multibody.kernels.tree.frames import center_of, matrix, origin_of, store_place
from multibody.kernels.vectors import add, apply, apply_transposed, cross, load3, load4, multiply, store3, store4


# --- where the bodies are ----------------------------------------------------------------------------------------------------
@inlined
def axes_of_body(scratch, body):
    """Return the axes of a body in space, by rows."""
    return matrix(scratch.spatial_pose[body].A)


@inlined
def twist_of(d, scratch, body):
    """Return ṙ and ω of a body in ground axes."""
    if d is PLANAR:
        twist = scratch.planar_twist[body]
        return (twist.x, twist.y, twist.omega)
    v, omega = scratch.spatial_twist[body].v, scratch.spatial_twist[body].omega
    return (v[0], v[1], v[2], omega[0], omega[1], omega[2])


@inlined
def _write_pose(d, scratch, body, r, A):
    """Write center of mass and axes (planar: θ, cos θ, sin θ) of a body."""
    if d is PLANAR:
        pose = scratch.planar_pose[body]
        pose.x, pose.y = r
        pose.angle, pose.cos, pose.sin = A
    else:
        store_place(d, scratch.spatial_pose[body].r, r)
        axes = scratch.spatial_pose[body].A
        for k in range(len(A)):
            axes[k] = A[k]


@inlined
def _write_twist(d, scratch, body, x):
    """Write ṙ and ω of a body in ground axes."""
    if d is PLANAR:
        twist = scratch.planar_twist[body]
        twist.x, twist.y, twist.omega = x
    else:
        store_place(d, scratch.spatial_twist[body].v, (x[0], x[1], x[2]))
        store_place(d, scratch.spatial_twist[body].omega, (x[3], x[4], x[5]))


# --- outward -----------------------------------------------------------------------------------------------------------------
@inner_kernel
def write_poses(d, model, scratch):
    """Write the pose of every body, and that of the ground."""
    tree, work = model.tree, scratch.tree
    if d is PLANAR:
        _write_pose(d, scratch, 0, (0.0, 0.0), (0.0, 1.0, 0.0))
    else:
        _write_pose(d, scratch, 0, (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0))
    for i in range(tree.links.size):
        now, body = links_of(d, work)[i], tree.links[i].body
        o, c = origin_of(d, now), center_of(d, now)
        if d is PLANAR:
            _write_pose(d, scratch, body, (o[0] + c[0], o[1] + c[1]), load(d, now.axes))
        else:
            A = multiply(matrix(now.axes), matrix(constants_of(d, tree)[i].G))
            _write_pose(d, scratch, body, add(o, c), A)


@inner_kernel
def write_twists(d, model, scratch):
    """Write ṙ and ω of every body, in ground axes and as the velocity columns; poses are known."""
    tree, work = model.tree, scratch.tree
    _write_twist(d, scratch, 0, zero(d))
    store(d, scratch.velocity, zero(d))  # of the ground
    for i in range(tree.links.size):
        now, body = links_of(d, work)[i], tree.links[i].body
        y, c = load(d, now.motion), center_of(d, now)
        if d is PLANAR:
            x = (y[0] - y[2] * c[1], y[1] + y[2] * c[0], y[2])
            _write_twist(d, scratch, body, x)
            store_at(d, scratch.velocity, width(d) * body, x)
        else:
            omega = (y[3], y[4], y[5])
            r = add((y[0], y[1], y[2]), cross(omega, c))
            own = apply_transposed(axes_of_body(scratch, body), omega)
            _write_twist(d, scratch, body, (r[0], r[1], r[2], omega[0], omega[1], omega[2]))
            store_at(d, scratch.velocity, width(d) * body, (r[0], r[1], r[2], own[0], own[1], own[2]))


@inner_kernel
def write_extra_rates(d, model, scratch, v):
    """Write the rates of extra coordinates behind the velocity columns of the bodies."""
    at = width(d) * (FIRST_BODY + model.bodies)
    for e in range(model.extras):
        scratch.velocity[at + e] = v[model.tree.extras_rate + e]


@inlined
def centripetal(d, now):
    """Return ω × ṙ_c of a link: classical less spatial acceleration of its center of mass."""
    y, c = load(d, now.motion), center_of(d, now)
    if d is PLANAR:
        vx, vy = y[0] - y[2] * c[1], y[1] + y[2] * c[0]
        return (-y[2] * vy, y[2] * vx)
    omega = (y[3], y[4], y[5])
    return cross(omega, add((y[0], y[1], y[2]), cross(omega, c)))


@inner_kernel
def write_accelerations(d, model, scratch, out):
    """Write r̈ and ω̇ (spatial: body axes) of every body to its columns of out, from S + a; poses are known."""
    tree, work = model.tree, scratch.tree
    g = load(d, tree.base)
    for i in range(tree.links.size):
        now, body = links_of(d, work)[i], tree.links[i].body
        c, z, to = center_of(d, now), centripetal(d, now), width(d) * (body - FIRST_BODY)
        x, a = load(d, now.bias), load(d, now.change)
        if d is PLANAR:
            turn = x[2] + a[2]
            store_at(d, out, to, (x[0] + a[0] - g[0] - turn * c[1] + z[0], x[1] + a[1] - g[1] + turn * c[0] + z[1], turn))
        else:
            alpha = (x[3] + a[3], x[4] + a[4], x[5] + a[5])
            r = add(add((x[0] + a[0] - g[0], x[1] + a[1] - g[1], x[2] + a[2] - g[2]), cross(alpha, c)), z)
            own = apply_transposed(axes_of_body(scratch, body), alpha)
            store_at(d, out, to, (r[0], r[1], r[2], own[0], own[1], own[2]))


# --- back --------------------------------------------------------------------------------------------------------------------
@inlined
def wrench_about(d, model, scratch, i, g):
    """Return a generalized force g on link i (force; moment about the center of mass, spatial: body axes) as one about o."""
    c = center_of(d, links_of(d, scratch.tree)[i])
    if d is PLANAR:
        return (g[0], g[1], g[2] + c[0] * g[1] - c[1] * g[0])
    f = (g[0], g[1], g[2])
    n = apply(axes_of_body(scratch, model.tree.links[i].body), (g[3], g[4], g[5]))
    n = add(n, cross(c, f))
    return (f[0], f[1], f[2], n[0], n[1], n[2])


@inner_kernel
def write_wrenches(d, model, scratch):
    """Write the generalized forces over the velocity columns as wrenches about o of the links; poses are known."""
    tree, work = model.tree, scratch.tree
    for i in range(tree.links.size):
        g = load_at(d, work.force, width(d) * (tree.links[i].body - FIRST_BODY))
        store(d, loads_of(d, work)[i].x, wrench_about(d, model, scratch, i, g))


@inner_kernel
def write_state(d, model, scratch, y):
    """Write the Cartesian (q, v) of all bodies to y; quaternions take the sign nearest to what stands there."""
    w = width(d)
    for k in range(w * model.bodies):
        y[model.coordinates + k] = scratch.velocity[w + k]
    for b in range(model.bodies):
        if d is PLANAR:
            pose = scratch.planar_pose[FIRST_BODY + b]
            store_at(d, y, PLANE * b, (pose.x, pose.y, pose.angle))
        else:
            r, k = scratch.spatial_pose[FIRST_BODY + b].r, SPACE * b
            store3(y, k, load3(r, 0))
            e, before = quaternion_of(axes_of_body(scratch, FIRST_BODY + b)), load4(y, k + POINT)
            sign = e[0] * before[0] + e[1] * before[1] + e[2] * before[2] + e[3] * before[3]
            sign = -1.0 if sign < 0.0 else 1.0
            store4(y, k + POINT, (sign * e[0], sign * e[1], sign * e[2], sign * e[3]))


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
