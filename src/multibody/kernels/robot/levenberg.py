"""A frame brought to a pose by the method of Levenberg and Marquardt, within limits.

The damping is a multiple of what is left of the error, after T. Sugihara, Solvability-unconcerned inverse kinematics by the
Levenberg–Marquardt method (2011): steps become Newton's where the pose can be reached, and stay short where it cannot. Only a
system with as many rows as the pose has is solved, however many joints there are. Lengths count in characteristic lengths.
"""

from __future__ import annotations

import math

from multibody.kernels.cholesky import factor_lower, solve_lower
from multibody.kernels.compile import inner_kernel
from multibody.kernels.declared import model_at, scratch_at
from multibody.kernels.robot.declared import AXES
from multibody.kernels.robot.frames import body_axes, place_carriers, point_of, write_jacobian
from multibody.kernels.robot.geometry import planar_target_in
from multibody.kernels.tags import PLANAR
from multibody.kernels.tree.declared import links_of
from multibody.kernels.tree.frames import origin_of
from multibody.kernels.tree.space import joint_displace
from multibody.kernels.vectors import load9, multiply, store3, transpose

WEAKEST, STRONGEST = 1e-6, 1e8  # damping over the square of the error
LONGEST = 1.0  # step in radians or characteristic lengths
ENOUGH = 1e-2  # part of the square of the error that steps have to take away …
PATIENCE = 8  # … unless so many of them in turn did not
STUCK = 1e-12  # part below which there is no way on at all
FINAL = 1e-13  # error below which steps end as soon as one does not halve it
EXACT = 1e-14  # error that is left as it is
ROTATION = 3  # where the rotation begins in what is left of a pose in space


@inner_kernel
def pose_error(d, task, target, q):
    """Write what is left to the target to ``error``; return its square. Carriers are placed."""
    model, i = model_at(task.model), task.link
    tree, work = model.tree, scratch_at(task.scratch).tree
    place_carriers(d, tree, work, i, q)
    o, e, A = origin_of(d, links_of(d, work)[i]), point_of(d, tree, work, i, task.point), body_axes(d, tree, work, i)
    n, error, total = len(o), task.room.error, 0.0
    for k in range(n):
        error[k] = (target[k] - o[k] - e[k]) / task.length
    if task.rows > n:
        if d is PLANAR:
            E = task.axes
            x, y = A[0] * E[0] + A[1] * E[2], A[2] * E[0] + A[3] * E[2]
            pose = planar_target_in(target, 0)
            error[n] = math.atan2(x * pose.sin - y * pose.cos, x * pose.cos + y * pose.sin)
        else:
            R = multiply(load9(target, AXES), transpose(multiply(A, load9(task.axes, 0))))
            _rotation_vector(R, error)
    for k in range(task.rows):
        total += error[k] * error[k]
    return total


@inner_kernel
def _rotation_vector(R, out):
    """Write the rotation vector of R, by rows, behind the position; good to rounding but for a half turn, and near there."""
    x, y, z = 0.5 * (R[7] - R[5]), 0.5 * (R[2] - R[6]), 0.5 * (R[3] - R[1])
    s, c = math.sqrt(x * x + y * y + z * z), 0.5 * (R[0] + R[4] + R[8] - 1.0)
    angle = math.atan2(s, c)
    if s > 1e-6 or c > 0.0:
        k = angle / s if s > 1e-150 else 1.0
        store3(out, ROTATION, (k * x, k * y, k * z))
        return
    # a half turn: R + 1 = 2 a aᵀ, of which the longest column is taken
    a, b, e = R[0] + 1.0, R[4] + 1.0, R[8] + 1.0
    if a >= b and a >= e:
        u, v, w = a, R[3], R[6]
    elif b >= e:
        u, v, w = R[1], b, R[7]
    else:
        u, v, w = R[2], R[5], e
    k = angle / math.sqrt(u * u + v * v + w * w)
    store3(out, ROTATION, (k * u, k * v, k * w))


@inner_kernel
def _scaled_jacobian(d, task):
    """Write the Jacobian over the rates that may move, rows and columns scaled; the carriers are placed."""
    tree, work = model_at(task.model).tree, scratch_at(task.scratch).tree
    n, moving, rows, room = tree.nv, task.place.size, task.rows, task.room
    size = len(origin_of(d, links_of(d, work)[task.link]))
    J = room.J.reshape((room.J.size // n, n))
    for r in range(J.shape[0]):
        for c in range(n):
            J[r, c] = 0.0
    write_jacobian(d, tree, work, task.link, task.point, J)
    for r in range(rows):
        per = 1.0 / task.length if r < size else 1.0
        for a in range(moving):
            total = 0.0
            for c in range(n):
                total += J[r, c] * task.G[c * moving + a]
            room.Jz[r * moving + a] = total * per * task.scale[a]


@inner_kernel
def _hold_at_limits(task, q):
    """Zero the columns of coordinates that stand at a limit and would leave it along the gradient."""
    moving, room = task.place.size, task.room
    for a in range(moving):
        at = task.place[a]
        if at >= 0:
            slope = 0.0
            for r in range(task.rows):
                slope += room.Jz[r * moving + a] * room.error[r]
            if (q[at] <= room.lower[a] and slope < 0.0) or (q[at] >= room.upper[a] and slope > 0.0):
                for r in range(task.rows):
                    room.Jz[r * moving + a] = 0.0


@inner_kernel
def _solved(task, damping):
    """Write the step Jᵀ (J Jᵀ + λ)⁻¹ e of the rates that may move, by Cholesky's factors; return whether there is one."""
    n, moving, room = task.rows, task.place.size, task.room
    S, x = room.S, room.work
    for r in range(n):
        x[r] = room.error[r]
        for c in range(r + 1):
            total = damping if r == c else 0.0
            for a in range(moving):
                total += room.Jz[r * moving + a] * room.Jz[c * moving + a]
            S[r * n + c] = total
    if not factor_lower(S, n, 0.0):
        return False
    solve_lower(S, n, x)
    for a in range(moving):
        total = 0.0
        for r in range(n):
            total += room.Jz[r * moving + a] * x[r]
        room.step[a] = total
    return True


@inner_kernel
def _try(task, q):
    """Write the coordinates after the step, shortened and kept within limits, to ``trial``."""
    model, moving, room, longest = model_at(task.model), task.place.size, task.room, 0.0
    for a in range(moving):
        longest = max(longest, abs(room.step[a]))
    k = LONGEST / longest if longest > LONGEST else 1.0
    for a in range(moving):
        x, at = k * room.step[a] * task.scale[a], task.place[a]
        if at >= 0:
            x = min(max(x, room.lower[a] - q[at]), room.upper[a] - q[at])
        room.step[a] = x
    for c in range(room.whole.size):
        total = 0.0
        for a in range(moving):
            total += task.G[c * moving + a] * room.step[a]
        room.whole[c] = total
    joint_displace(model, q, room.whole, 1.0, room.trial)


@inner_kernel
def approach(d, task, target, q, patience):
    """Bring the frame as near to the target as it comes from the coordinates q, where the result stands; return the error."""
    cost, damping, slow = pose_error(d, task, target, q), 1e-2, 0
    for _ in range(task.iterations):
        if cost <= EXACT * EXACT:
            break
        _scaled_jacobian(d, task)
        _hold_at_limits(task, q)
        better, new = False, cost
        while damping <= STRONGEST:
            if _solved(task, damping * cost + 1e-300):
                _try(task, q)
                new = pose_error(d, task, target, task.room.trial)
                if new < cost:
                    better = True
                    break
                pose_error(d, task, target, q)
            damping *= 8.0
            if cost < FINAL * FINAL:
                break
        if not better:
            break
        gain = 1.0 - new / cost
        for k in range(q.size):
            q[k] = task.room.trial[k]
        cost, damping = new, max(0.1 * damping, WEAKEST)
        slow = slow + 1 if gain < ENOUGH else 0
        if slow > patience or gain < STUCK or (cost < FINAL * FINAL and gain < 0.75):
            break
    return math.sqrt(cost)
