"""Poses of arms in closed form: six turns of which the last three axes meet, three turns to a point, planar arms.

A candidate is a row of angles from the position in which the lines are given; whether it is good, ``reach`` tests.
"""

from __future__ import annotations

import math

from multibody.kernels.compile import inlined, inner_kernel
from multibody.kernels.robot.declared import AXES, PLANAR_THREE, PLANAR_TWO, THREE, WRIST
from multibody.kernels.robot.geometry import CANDIDATES, PLANAR_LINE, SIX, TRIPLE, planar_line_in, planar_target_in, work_in
from multibody.kernels.robot.three_axes import angle_about, line_of, three_turns, turned_about
from multibody.kernels.rotations import sincos
from multibody.kernels.vectors import (
    add,
    apply,
    apply_transposed,
    cross,
    dot,
    load2,
    load3,
    load4,
    load9,
    multiply,
    store3,
    subtract,
    transpose,
)

SQUARE = 1e-12  # cosine of axes that are perpendicular


@inner_kernel
def candidates(task, target, start):
    """Write candidates to ``angles``, six numbers each; return how many there are.

    Parameters
    ----------
    target : array
        Position, then axes by rows.
    start : array
        Coordinates of the tree: angles that do not matter stay what they are there.
    """
    if task.how == WRIST:
        return _spherical_wrist(task, target, start)
    if task.how == THREE:
        triples = work_in(task.room.work, 0).triples
        count = three_turns(task, load3(target, 0), start[task.place[0]], triples)
        for j in range(count):
            store3(task.room.angles, SIX * j, load3(triples, TRIPLE * j))
        return count
    if task.how == PLANAR_TWO or task.how == PLANAR_THREE:
        return _planar(task, target, start)
    return 0


# --- a spherical wrist ------------------------------------------------------------------------------------------------------
@inner_kernel
def _spherical_wrist(task, target, start):
    """First the center of the wrist by three turns, then the axes by the other three."""
    r, R, A0 = load3(target, 0), load9(target, AXES), load9(task.zero_axes, 0)
    reach = apply_transposed(A0, subtract(load3(task.center, 0), load3(task.zero_point, 0)))  # center in the frame
    turn = multiply(R, transpose(A0))
    triples, angles, found = work_in(task.room.work, 0).triples, task.room.angles, 0
    for j in range(three_turns(task, add(r, apply(R, reach)), start[task.place[0]], triples)):
        left = transpose(turn)  # (R₁ R₂ R₃)ᵀ turn by its rows: columns of the transposed
        x, y, z = (left[0], left[1], left[2]), (left[3], left[4], left[5]), (left[6], left[7], left[8])
        for k in range(3):
            axis, angle = line_of(task.lines, k)[0], -triples[TRIPLE * j + k]
            x, y, z = turned_about(axis, angle, x), turned_about(axis, angle, y), turned_about(axis, angle, z)
        W = (x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2])
        for side in range(2):
            out = angles[SIX * found + TRIPLE :]
            if found < CANDIDATES and _wrist(task, W, 1.0 - 2.0 * side, start[task.place[3]], out):
                store3(angles, SIX * found, load3(triples, TRIPLE * j))
                found += 1
    return found


@inner_kernel
def _wrist(task, W, side, fourth, out):
    """Write θ₄, θ₅, θ₆ with Rot(ω₄, θ₄) Rot(ω₅, θ₅) Rot(ω₆, θ₆) = W, θ₅ on one side; return whether there are any."""
    w4, w5, w6 = line_of(task.lines, 3)[0], line_of(task.lines, 4)[0], line_of(task.lines, 5)[0]
    d = apply(W, w6)
    a, b = dot(w4, w5), dot(w5, w6)
    A, B, C = dot(w4, w6) - a * b, dot(w4, cross(w5, w6)), dot(w4, d) - a * b
    size = math.sqrt(A * A + B * B)
    if abs(a) < SQUARE and abs(b) < SQUARE:  # the angle between ω₄ and d, exact also where it is small
        t = cross(w4, d)
        half = math.atan2(math.sqrt(dot(t, t)), dot(w4, d))
    elif abs(C) > size * (1.0 + 1e-9):
        return False
    else:
        half = math.acos(min(1.0, max(-1.0, C / size)))
    fifth = math.atan2(B, A) + side * half
    f = turned_about(w5, fifth, w6)
    out[0] = angle_about(w4, f, d, fourth, 1.0)
    out[1] = fifth
    g = cross(w6, (1.0, 0.0, 0.0) if abs(w6[0]) < 0.6 else (0.0, 1.0, 0.0))
    h = turned_about(w5, -fifth, turned_about(w4, -out[0], apply(W, g)))
    out[2] = angle_about(w6, g, h, 0.0, 1.0)
    return True


# --- in the plane -----------------------------------------------------------------------------------------------------------
@inlined
def _planar_line(lines, k):
    """Return sign and place of the k-th axis."""
    line = planar_line_in(lines, PLANAR_LINE * k)
    return (line.sign, line.x, line.y)


@inner_kernel
def _planar(task, target, start):
    """Two turns to a point; with three the pose says where the third joint is."""
    lines, pose = task.lines, planar_target_in(target, 0)
    x, y = pose.x, pose.y
    s1, x1, y1 = _planar_line(lines, 0)
    s2, x2, y2 = _planar_line(lines, 1)
    (ex, ey), turn = load2(task.zero_point, 0), 0.0
    if task.how == PLANAR_THREE:
        axes = load4(task.zero_axes, 0)
        turn = math.atan2(pose.sin, pose.cos) - math.atan2(axes[2], axes[0])
        s, c = sincos(turn)
        _, x3, y3 = _planar_line(lines, 2)
        ux, uy = ex - x3, ey - y3
        x, y = x - (c * ux - s * uy), y - (s * ux + c * uy)
        ex, ey = x3, y3
    ax, ay, bx, by, dx, dy = x2 - x1, y2 - y1, ex - x2, ey - y2, x - x1, y - y1
    a, b, d = math.sqrt(ax * ax + ay * ay), math.sqrt(bx * bx + by * by), math.sqrt(dx * dx + dy * dy)
    inner, outer = (d - a + b) * (d + a - b), (a + b - d) * (a + b + d)
    small = 1e-9 * (a + b) * (a + b)
    if a == 0.0 or b == 0.0 or inner < -small or outer < -small:
        return 0
    bend = 2.0 * math.atan2(math.sqrt(max(outer, 0.0)), math.sqrt(max(inner, 0.0)))  # angle from a to b, exact at both ends
    offset = math.atan2(ax * by - ay * bx, ax * bx + ay * by)
    for side in range(2):
        second = bend * (1.0 - 2.0 * side) - offset
        s, c = sincos(second)
        px, py = ax + c * bx - s * by, ay + s * bx + c * by
        if d > 1e-12 * (a + b):
            first = math.atan2(px * dy - py * dx, px * dx + py * dy)
        else:
            first = s1 * start[task.place[0]]
        out = task.room.angles[SIX * side :]
        out[0], out[1], out[2] = s1 * first, s2 * second, 0.0
        if task.how == PLANAR_THREE:
            out[2] = _planar_line(lines, 2)[0] * (turn - first - second)
    return 2
