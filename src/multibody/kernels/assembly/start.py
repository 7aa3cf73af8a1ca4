"""Where assembly starts: bodies as drawn, then hung on each other along the spanning tree, as in ``tree_start``."""

from __future__ import annotations

import math

from multibody.kernels.assembly.declared import TURNS
from multibody.kernels.body_layout import ANGLE, PLANE, POINT, SPACE
from multibody.kernels.codes import FIRST_BODY
from multibody.kernels.compile import inner_kernel
from multibody.kernels.functions import function_value
from multibody.kernels.rotations import quaternion_of_matrix
from multibody.kernels.rows import row_values
from multibody.kernels.state import set_positions
from multibody.kernels.vectors import (
    add,
    apply,
    load2,
    load3,
    load4,
    load9,
    multiply,
    store3,
    store4,
    subtract,
    transpose,
)

WHOLE = 2.0 * math.pi
IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


@inner_kernel
def draw(model, plan, q):
    """Write q of the drawn poses; extra coordinates are zero."""
    for k in range(q.shape[0]):
        q[k] = 0.0
    for b in range(model.bodies):
        drawn = plan.drawn[b]
        write_pose(model, q, FIRST_BODY + b, point_at(model, drawn.center), axes_at(model, drawn.axes))
        if model.planar and not math.isnan(plan.drawn_angle[b]):
            q[PLANE * b + ANGLE] = plan.drawn_angle[b]  # a drawn angle beyond half a turn is kept


@inner_kernel
def point_at(model, slot):
    """Return a point among the numbers; in the plane its third component is zero."""
    if model.planar:
        x, y = load2(model.numbers, slot)
        return (x, y, 0.0)
    return load3(model.numbers, slot)


@inner_kernel
def axes_at(model, slot):
    """Return axes among the numbers, by rows; in the plane the third is the normal."""
    if model.planar:
        a, b, c, d = load4(model.numbers, slot)
        return (a, b, 0.0, c, d, 0.0, 0.0, 0.0, 1.0)
    return load9(model.numbers, slot)


@inner_kernel
def write_pose(model, q, b, center, turn):
    """Write position and orientation of body b into q; a planar angle stays within half a turn of what stood there."""
    if model.planar:
        k, angle = PLANE * (b - 1), math.atan2(turn[3], turn[0])
        turns = float(round((q[k + ANGLE] - angle) / WHOLE))
        store3(q, k, (center[0], center[1], angle + WHOLE * turns))
        return
    k = SPACE * (b - 1)
    store3(q, k, center)
    store4(q, k + POINT, quaternion_of_matrix(turn))


@inner_kernel
def pose_of(model, scratch, b):
    """Return position and orientation of a body at the poses that are set."""
    if model.planar:
        p = scratch.planar_pose[b]
        return (p.x, p.y, 0.0), (p.cos, -p.sin, 0.0, p.sin, p.cos, 0.0, 0.0, 0.0, 1.0)
    pose = scratch.spatial_pose[b]
    return load3(pose.r, 0), load9(pose.A, 0)


@inner_kernel
def find_targets(model, state, scratch, plan, room, t, q):
    """Write the value that motions, held values and guesses (in this order of rank) give to functions; 1 if not finite."""
    for f in range(room.target.size):
        room.has_target[f] = 0
    for k in range(plan.guesses.size):
        guess = plan.guesses[k]
        room.has_target[guess.function], room.target[guess.function] = 1, model.numbers[guess.value]
    set_positions(model, scratch, q)
    row_values(model, state, scratch, t, 0, plan.all_rows, room.residual)
    for r in range(plan.all_rows - 1, plan.joint_rows - 1, -1):
        if not abs(room.residual[r]) < math.inf:
            return 1
        f = plan.row_function[r]
        room.has_target[f], room.target[f] = 1, function_value(model, state, scratch, f) - room.residual[r]
    return 0


@inner_kernel
def start_on_tree(model, state, scratch, plan, room, t, q):
    """Write the pose in which the pairs of the tree are closed with given or drawn values; 0, or 1 if it has none."""
    drawn = room.start
    draw(model, plan, drawn)
    if find_targets(model, state, scratch, plan, room, t, drawn) != 0 or not _turn_screws(model, plan, room):
        return 1
    for k in range(plan.given.size):
        each = plan.given[k]
        drawn[each.place] = room.target[each.function]
    for k in range(plan.turned.size):
        turned = plan.turned[k]
        store4(drawn, SPACE * (turned.body - FIRST_BODY) + POINT, quaternion_of_matrix(axes_at(model, turned.axes)))
    for k in range(q.shape[0]):
        q[k] = drawn[k]
    for k in range(plan.hangers.size):
        _hang(model, state, scratch, plan, room, plan.hangers[k], q)
    _touch_cams(model, scratch, plan, room, q)
    return 0


@inner_kernel
def _turn_screws(model, plan, room):
    """Let a given position of a screw stand for its angle; return whether it does: without a pitch it says nothing of it."""
    for k in range(plan.screws.size):
        screw = plan.screws[k]
        if room.has_target[screw.position] == 1 and room.has_target[screw.angle] == 0:
            if model.numbers[screw.pitch] == 0.0:
                return False
            room.has_target[screw.angle] = 1
            room.target[screw.angle] = room.target[screw.position] / model.numbers[screw.pitch]
    return True


@inner_kernel
def _touch_cams(model, scratch, plan, room, q):
    """Start every contact at the given value, else at the follower's direction in the cam's frame."""
    set_positions(model, scratch, q)
    for k in range(plan.contacts.size):
        touch = plan.contacts[k]
        if touch.given == 1:
            q[touch.place] = room.target[touch.function]
            continue
        r, A = pose_of(model, scratch, touch.cam)
        s, B = pose_of(model, scratch, touch.follower)
        far = add(s, apply(B, point_at(model, touch.follower_point)))
        gap = subtract(far, add(r, apply(A, point_at(model, touch.cam_point))))
        x, y, _ = apply(transpose(multiply(A, axes_at(model, touch.cam_axes))), gap)
        q[touch.place] = math.atan2(y, x)


@inner_kernel
def _hang(model, state, scratch, plan, room, pair, q):
    """Place the one body from the other so that the pair is closed."""
    pose, wide = room.trial, PLANE if model.planar else SPACE
    for k in range(q.shape[0]):
        pose[k] = q[k] if pair.moved == 1 else room.start[k]
    if pair.moved == 1:  # keep its own orientation: measure against the parent where it is now
        for k in range(wide * (pair.child - FIRST_BODY), wide * pair.child):
            pose[k] = room.start[k]
    set_positions(model, scratch, pose)
    shift, turn = _motion(model, state, scratch, plan, room, pair)
    Ci, Cj = axes_at(model, pair.first_axes), axes_at(model, pair.second_axes)
    si, sj = point_at(model, pair.first_point), point_at(model, pair.second_point)
    set_positions(model, scratch, q)
    out = add(si, apply(Ci, shift))
    if pair.forward == 1:
        r, A = pose_of(model, scratch, pair.first)
        B = multiply(multiply(A, Ci), multiply(turn, transpose(Cj)))
        write_pose(model, q, pair.child, subtract(add(r, apply(A, out)), apply(B, sj)), B)
    else:
        r, A = pose_of(model, scratch, pair.second)
        B = multiply(multiply(A, Cj), multiply(transpose(turn), transpose(Ci)))
        write_pose(model, q, pair.child, subtract(add(r, apply(A, sj)), apply(B, out)), B)
    if pair.angle >= 0:  # whole turns so that the pair's angle is the given one, not that less a few turns
        set_positions(model, scratch, q)
        turns = float(round((room.target[pair.angle] - function_value(model, state, scratch, pair.angle)) / WHOLE))
        q[PLANE * (pair.child - FIRST_BODY) + ANGLE] += (WHOLE if pair.forward == 1 else -WHOLE) * turns


@inner_kernel
def _motion(model, state, scratch, plan, room, pair):
    """Return the relative translation and rotation (axes of the first end) for the pair's coordinates."""
    x, y, z, turn = 0.0, 0.0, 0.0, IDENTITY
    for k in range(pair.step, pair.step + pair.steps):
        step = plan.steps[k]
        value = room.target[step.function] if step.given == 1 else function_value(model, state, scratch, step.function)
        if step.how == TURNS:
            turn = multiply(turn, _turn(value, 2 if model.planar else step.axis))
            if step.screw < 0:
                continue
            value = _advance(model, state, scratch, plan, room, plan.screws[step.screw], value)
        if step.axis == 0:
            x = value
        elif step.axis == 1:
            y = value
        else:
            z = value
    if pair.orientation >= 0:
        turn = multiply(transpose(axes_at(model, pair.first_axes)), axes_at(model, pair.orientation))
    elif pair.ball == 1:
        _, Ai = pose_of(model, scratch, pair.first)
        _, Aj = pose_of(model, scratch, pair.second)
        first = multiply(Ai, axes_at(model, pair.first_axes))
        turn = multiply(transpose(first), multiply(Aj, axes_at(model, pair.second_axes)))
    return (x, y, z), turn


@inner_kernel
def _advance(model, state, scratch, plan, room, screw, angle):
    """Return how far a screw slides at an angle: as far as its row asks at the poses that are set, and on by its pitch."""
    row_values(model, state, scratch, 0.0, 0, plan.joint_rows, room.residual)
    position, turned = function_value(model, state, scratch, screw.position), function_value(model, state, scratch, screw.angle)
    return position - room.residual[screw.row] + model.numbers[screw.pitch] * (angle - turned)


@inner_kernel
def _turn(angle, axis):
    """Return the rotation about axis 0 (x) or 2 (z)."""
    c, s = math.cos(angle), math.sin(angle)
    if axis == 0:
        return (1.0, 0.0, 0.0, 0.0, c, -s, 0.0, s, c)
    return (c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0)
