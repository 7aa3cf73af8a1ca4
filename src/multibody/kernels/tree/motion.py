"""Outward recursion: positions, velocities and accelerations from the ground to the leaves; Kim, You (1996), eqs. (1)–(9).

About one point o at rest nothing is transformed on the way: Ŷ_j = Ŷ_i + B_j q̇_j. Now and then a link takes its own joint point
for o, so that a long chain or a mechanism far from the origin loses no digits.
"""

from __future__ import annotations

from multibody.kernels.compile import inlined, inner_kernel
from multibody.kernels.tree import layout as T
from multibody.kernels.tree.algebra import (
    load,
    moved,
    plus,
    rigid_about,
    rigid_times,
    store,
    turned,
    turned_force,
    width,
    zero,
)
from multibody.kernels.tree.frames import (
    center_of,
    column_of,
    inertia_about,
    link_of,
    offset,
    place,
    rate,
    record_of,
    state_of,
)
from multibody.kernels.vectors import apply, apply_transposed, cross, load9


@inlined
def move(d, I, W, h, i, v, a, known):
    """Write Y and S of link i, and return them.

    Y = Y_carrier + Σ B q̇ (6); S = S_carrier + Σ (Ḃ q̇ + B q̈) (8), the sum with q̈ over the prescribed columns, and with
    `known` = 1 over all of them (q̈ in `a`): S is then the whole acceleration, less gravity.
    """
    link, at, w = link_of(I, h, i), state_of(d, I, W, h, i), width(d)
    c = I[link + T.CARRIER]
    if c < 0:
        y, s = zero(d), load(d, W, I[h + T.W_BASE])
    else:
        p = state_of(d, I, W, h, c) + 3 * w
        y, s = load(d, W, p), load(d, W, p + w)
        if I[link + T.OWN_POINT] == 1:
            e = offset(d, I, W, h, i)
            y, s = moved(d, e, y), moved(d, e, s)
    fixed = y  # motion of the frame in which the next axis is fixed
    for j in range(I[link + T.FIRST], I[link + T.FIRST] + I[link + T.COUNT]):
        record, b = record_of(I, h, j), load(d, W, column_of(d, I, h, j))
        speed = rate(I, W, h, j, record, v)
        s = plus(d, speed, turned(d, fixed, b), s)
        y = plus(d, speed, b, y)
        if I[record + T.KIND] != T.BALL:
            fixed = y
        if I[record + T.RATE] < 0:
            s = plus(d, W[I[h + T.W_GIVEN] - 3 * (I[record + T.RATE] + 1) + 2], b, s)
        elif known == 1:
            s = plus(d, a[I[record + T.RATE]], b, s)
    store(d, W, at + 3 * w, y)
    store(d, W, at + 4 * w, s)
    return (y, s)


@inner_kernel
def positions(d, I, W, h, q):
    """Write the frames and columns of all links."""
    for i in range(I[h + T.LINK_COUNT]):
        place(d, I, W, h, i, q)


@inner_kernel
def motions(d, I, W, h, q, v):
    """Write frames, columns, Y and S (with q̈ = 0) of all links."""
    for i in range(I[h + T.LINK_COUNT]):
        place(d, I, W, h, i, q)
        move(d, I, W, h, i, v, v, 0)


@inner_kernel
def velocities(d, I, W, h, v):
    """Write Y and S of all links, whose frames are known."""
    for i in range(I[h + T.LINK_COUNT]):
        move(d, I, W, h, i, v, v, 0)


@inlined
def rigid(d, I, W, h, i):
    """Return the inertia M̂ of link i about o; eq. (11)."""
    m, J = inertia_about(d, I, W, h, i)
    return rigid_about(d, m, center_of(d, W, state_of(d, I, W, h, i)), J)


@inlined
def bias(d, K, y, s):
    """Return M̂ S + Y ×* M̂ Y: the inertial force (gravity within S), eq. (10) with (12)."""
    return plus(d, 1.0, rigid_times(d, K, s), turned_force(d, y, rigid_times(d, K, y)))


@inlined
def inertial_force(d, I, W, h, i, y, s):
    """Return the inertial force of link i about o from its motion alone, without its inertia about o (cheaper)."""
    at = state_of(d, I, W, h, i)
    if d is None:
        k, c = I[h + T.W_CONSTANT] + 9 * i, center_of(d, W, at)
        m, u, r = W[k + 5], y[2] * y[2], s[2]
        vx, vy = s[0] - y[2] * y[1], s[1] + y[2] * y[0]  # ω × v of the point at o
        fx, fy = m * (vx - r * c[1] - u * c[0]), m * (vy + r * c[0] - u * c[1])
        return (fx, fy, W[k + 8] * r + c[0] * fy - c[1] * fx)
    k, A, c = I[h + T.W_CONSTANT] + 31 * i, load9(W, at), center_of(d, W, at)
    o, g, m = (y[3], y[4], y[5]), (s[3], s[4], s[5]), W[k + 12]
    u = cross(o, c)
    u = cross(o, (y[0] + u[0], y[1] + u[1], y[2] + u[2]))
    z = cross(g, c)
    f = (m * (s[0] + z[0] + u[0]), m * (s[1] + z[1] + u[1]), m * (s[2] + z[2] + u[2]))
    own, grow = apply_transposed(A, o), apply_transposed(A, g)
    xx, yy, zz, xy, xz, yz = W[k + 16], W[k + 17], W[k + 18], W[k + 19], W[k + 20], W[k + 21]
    J = (xx, xy, xz, xy, yy, yz, xz, yz, zz)
    n, spin = apply(J, grow), cross(own, apply(J, own))
    n = apply(A, (n[0] + spin[0], n[1] + spin[1], n[2] + spin[2]))
    l = cross(c, f)
    return (f[0], f[1], f[2], n[0] + l[0], n[1] + l[1], n[2] + l[2])
