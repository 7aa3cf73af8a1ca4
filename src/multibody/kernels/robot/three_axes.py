"""Three lines in space about which a point is turned to a given place: Pieper's solution, with lines in any position.

D. L. Pieper, The kinematics of manipulators under computer control (1968); here without frames of Denavit and Hartenberg. With
r₁, r₂ the feet of the common normal of the first two lines, n along it, m = ω₂ × n and y the turned point from r₂,

    z = ω₁·(p − r₁) = cos α (ω₂·y) + sin α w,    D² = |p − r₁|² = a₁² + 2 a₁ u + |y|²,    u² + w² = |y|² − (ω₂·y)²,

u and w the components of y along n and m after the second turn. ω₂·y and |y|² are linear in cos θ₃ and sin θ₃: without u and w
that is an equation of degree two in them, of degree one where the first two lines meet (a₁ = 0) or are parallel (sin α = 0).
"""

from __future__ import annotations

import math

from multibody.kernels.compile import inner_kernel
from multibody.kernels.robot.geometry import LINE, TRIPLE, line_in, shape_in, work_in
from multibody.kernels.robot.quartic import circle_roots
from multibody.kernels.rotations import sincos
from multibody.kernels.vectors import add, cross, dot, load3, scale, store3, subtract

SQUARED = 1e-9  # how far below zero a square may be by rounding, relative to the lengths it is made of


@inner_kernel
def line_of(lines, k):
    """Return the direction of the k-th line and its point."""
    line = line_in(lines, LINE * k)
    return (load3(line.direction, 0), load3(line.point, 0))


@inner_kernel
def turned_about(axis, angle, x):
    """Return a vector turned about a unit axis."""
    s, c = sincos(angle)
    along = scale(dot(axis, x), axis)
    return add(along, add(scale(c, subtract(x, along)), scale(s, cross(axis, x))))


@inner_kernel
def angle_about(axis, a, b, otherwise, size):
    """Return the angle about an axis from a to b, seen along it; `otherwise` where one of them has no direction there."""
    a, b = subtract(a, scale(dot(axis, a), axis)), subtract(b, scale(dot(axis, b), axis))
    if dot(a, a) <= (1e-12 * size) ** 2 or dot(b, b) <= (1e-12 * size) ** 2:
        return otherwise
    return math.atan2(dot(axis, cross(a, b)), dot(a, b))


@inner_kernel
def _linear(c, s, right, out):
    """Write the angles with c cos θ + s sin θ = right; return how many there are."""
    size = math.sqrt(c * c + s * s)
    if size == 0.0 or abs(right) > size * (1.0 + SQUARED):
        return 0
    middle, half = math.atan2(s, c), math.acos(min(1.0, max(-1.0, right / size)))
    out[0], out[1] = middle - half, middle + half
    return 1 if half == 0.0 else 2


@inner_kernel
def _third_angles(task, y0, yc, ys, z, D2):
    """Write the candidates of θ₃ to ``roots``; return how many there are."""
    shape, (w2, _) = shape_in(task.shape, 0), line_of(task.lines, 1)
    a1, ca, sa = shape.a1, shape.cos, shape.sin
    N0, Nc, Ns = dot(y0, y0) + dot(yc, yc), 2.0 * dot(y0, yc), 2.0 * dot(y0, ys)
    k0, kc, ks = dot(w2, y0), dot(w2, yc), dot(w2, ys)
    if a1 == 0.0:
        return _linear(Nc, Ns, D2 - N0, task.room.roots)
    if sa == 0.0:
        return _linear(kc, ks, z / ca - k0, task.room.roots)
    work = work_in(task.room.work, 0)
    f = work.circle
    for k in range(f.size):
        f[k] = 0.0
    size = shape.extent * shape.extent
    _add_square(f, sa * sa / (size * size), D2 - a1 * a1 - N0, -Nc, -Ns)
    _add_square(f, 4.0 * a1 * a1 / (size * size), z - ca * k0, -ca * kc, -ca * ks)
    _add_square(f, 4.0 * a1 * a1 * sa * sa / (size * size), k0, kc, ks)
    k = 4.0 * a1 * a1 * sa * sa / (size * size)
    f[0], f[1], f[2] = f[0] - k * N0, f[1] - k * Nc, f[2] - k * Ns
    return circle_roots(work, task.room.roots)


@inner_kernel
def _add_square(f, k, a, b, c):
    """Add k (a + b cos + c sin)² to the coefficients of 1, cos, sin, cos 2, sin 2."""
    f[0] += k * (a * a + 0.5 * (b * b + c * c))
    f[1] += 2.0 * k * a * b
    f[2] += 2.0 * k * a * c
    f[3] += 0.5 * k * (b * b - c * c)
    f[4] += k * b * c


@inner_kernel
def three_turns(task, p, first, out):
    """Write candidates (θ₁, θ₂, θ₃) that bring ``center`` to p, three numbers each; return how many there are, at most eight.

    Parameters
    ----------
    first : float
        θ₁ where it does not matter: p on the first line.
    """
    lines, shape = task.lines, shape_in(task.shape, 0)
    (w1, r1), (w2, r2), (w3, r3) = line_of(lines, 0), line_of(lines, 1), line_of(lines, 2)
    n, m, size = load3(shape.n, 0), load3(shape.m, 0), shape.extent
    arm, d = subtract(load3(task.center, 0), r3), subtract(p, r1)
    along = scale(dot(w3, arm), w3)
    y0, yc, ys = add(subtract(r3, r2), along), subtract(arm, along), cross(w3, arm)
    z, D2 = dot(w1, d), dot(d, d)
    found = 0
    for j in range(_third_angles(task, y0, yc, ys, z, D2)):
        third = task.room.roots[j]
        s, c = sincos(third)
        y = add(y0, add(scale(c, yc), scale(s, ys)))
        k, N2, yn, ym = dot(w2, y), dot(y, y), dot(n, y), dot(m, y)
        for side in range(2):
            u = (D2 - shape.a1 * shape.a1 - N2) / (2.0 * shape.a1) if shape.a1 != 0.0 else 0.0
            w = (z - shape.cos * k) / shape.sin if shape.sin != 0.0 else 0.0
            if shape.a1 == 0.0 or shape.sin == 0.0:
                square = N2 - k * k - w * w - u * u  # one of them is not known yet
                if square < -SQUARED * size * size:
                    break
                root = math.sqrt(max(square, 0.0)) * (1.0 - 2.0 * side)
                if shape.a1 == 0.0:
                    u = root
                else:
                    w = root
            elif side == 1:
                break
            second = math.atan2(w, u) - math.atan2(ym, yn)
            x = add(r2, turned_about(w2, second, y))
            store3(out, TRIPLE * found, (angle_about(w1, subtract(x, r1), d, first, size), second, third))
            found += 1
    return found
