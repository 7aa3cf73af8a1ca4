"""Rows that the tree does not satisfy by itself (cut joints, constraints, motions elsewhere), over the unknown rates.

A row of Φ_q over the bodies' velocity columns is a wrench on every body that it touches; B_kᵀ times that wrench, for every
column on the way to the ground, is the row over joint rates: Φ_u = Φ_y B and γ_u = γ_y − Φ_y Ḃ u of Lee, Sohn, Kim, Yoo (2001),
eq. (2).
"""

from __future__ import annotations

from multibody.kernels import layout as L
from multibody.kernels import sections as R
from multibody.kernels.compile import inlined, inner_kernel
from multibody.kernels.declared import planar_numbers, spatial_numbers
from multibody.kernels.planar import planar_gamma, planar_terms
from multibody.kernels.rows import row_gamma, row_jacobian, row_values, row_velocity
from multibody.kernels.spatial import spatial_gamma, spatial_terms
from multibody.kernels.tree import layout as T
from multibody.kernels.tree.algebra import inner, load, plus, store, width
from multibody.kernels.tree.bodies import centripetal, wrench_about
from multibody.kernels.tree.composite import climb
from multibody.kernels.tree.frames import center_of, link_of, state_of
from multibody.kernels.vectors import add, apply, cross, load9, scale


@inner_kernel
def loop_values(model, state, scratch, t, h):
    """Write Φ of the loop rows at the poses in W to W_X."""
    I, W = model.I, scratch.W
    for k in range(I[R.ALL_COUNT]):
        r = I[I[h + T.ROW_LIST] + k]
        row_values(model, state, scratch, t, r, r + 1, W[I[R.W_X] + k :])


@inner_kernel
def loop_rows(d, model, state, scratch, t, h, rates):
    """Write Φ_u of the loop rows to W_J, by rows of full length, and with `rates` = 1 γ_u to W_X."""
    I, W = model.I, scratch.W
    n = I[h + T.NV]
    for k in range(I[R.ALL_COUNT]):
        out = I[R.W_J] + n * k
        for c in range(n):
            W[out + c] = 0.0
        if I[I[h + T.PLAIN] + T.PLAIN_STRIDE * k] > 0:
            _plain_row(d, model, scratch, h, I[h + T.PLAIN] + T.PLAIN_STRIDE * k, rates, out, I[R.W_X] + k)
        else:
            _other_row(d, model, state, scratch, t, h, I[I[h + T.ROW_LIST] + k], rates, out, I[R.W_X] + k)


@inlined
def _plain_row(d, model, scratch, h, record, rates, out, x):
    """Write a row that is one basic function: its gradient is a wrench on each of two bodies."""
    I, W = model.I, scratch.W
    kind, i, j, numbers = I[record], I[record + 1], I[record + 2], I[record + 3]
    first, second, g = terms(d, model, scratch, h, kind, i, j, numbers, rates)
    if rates > 0:
        W[x] = g
    if i > 0:
        _send(d, model, scratch, h, I[I[h + T.LINK_OF] + i - 1], first, rates, out, x)
    if j > 0:
        _send(d, model, scratch, h, I[I[h + T.LINK_OF] + j - 1], second, rates, out, x)


@inlined
def _send(d, model, scratch, h, i, f, rates, out, x):
    """Add B · f of a wrench on link i to the row at W[out…] and, with `rates`, take what it meets at q̈ = 0 off γ at W[x]."""
    I, W = model.I, scratch.W
    climb(d, model, scratch, h, i, I[link_of(model, h, i) + T.LAST], f, out)
    if rates > 0:
        s = state_of(d, model, scratch, h, i)
        base = load(d, W, I[h + T.W_BASE])
        W[x] -= _met(d, f, load(d, W, s + T.BIAS * width(d)), base, centripetal(d, W, s))


@inlined
def terms(d, model, scratch, h, kind, i, j, numbers, rates):
    """Return the gradient of a basic function as wrenches about o on its two bodies, and its γ (0 without `rates`)."""
    g = 0.0
    if d is None:
        p, q, n = scratch.planar_pose[i], scratch.planar_pose[j], planar_numbers(model.numbers, numbers)
        ex, ey, ti, tj = planar_terms(kind, p, q, n)
        if rates > 0:
            g = planar_gamma(kind, p, q, scratch.planar_twist[i], scratch.planar_twist[j], n)
        return (_planar_wrench(model, scratch, h, i, -ex, -ey, ti), _planar_wrench(model, scratch, h, j, ex, ey, tj), g)
    p, q, n = scratch.spatial_pose[i], scratch.spatial_pose[j], spatial_numbers(model.numbers, numbers)
    e, si, sj = spatial_terms(kind, p, q, n)
    if rates > 0:
        g = spatial_gamma(kind, p, q, scratch.spatial_twist[i], scratch.spatial_twist[j], n)
    return (_spatial_wrench(model, scratch, h, i, scale(-1.0, e), si), _spatial_wrench(model, scratch, h, j, e, sj), g)


@inlined
def _planar_wrench(model, scratch, h, body, x, y, turn):
    """Return a force at the center of mass and a moment about it as a wrench about o of the body's link."""
    I, W = model.I, scratch.W
    if body == 0:
        return (0.0, 0.0, 0.0)
    c = center_of(None, W, state_of(None, model, scratch, h, I[I[h + T.LINK_OF] + body - 1]))
    return (x, y, turn + c[0] * y - c[1] * x)


@inlined
def _spatial_wrench(model, scratch, h, body, f, own):
    """Return a force at the center of mass and a moment about it, in body axes, as a wrench about o of the body's link."""
    I, W = model.I, scratch.W
    if body == 0:
        return (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    c = center_of(True, W, state_of(True, model, scratch, h, I[I[h + T.LINK_OF] + body - 1]))
    n = add(apply(load9(W, I[L.W_POSE] + 12 * body + 3), own), cross(c, f))
    return (f[0], f[1], f[2], n[0], n[1], n[2])


@inner_kernel
def _other_row(d, model, state, scratch, t, h, r, rates, out, x):
    """Write a row that is more than one basic function, from its entries over the bodies' velocity columns."""
    I, W = model.I, scratch.W
    w, entries, extras = width(d), I[h + T.W_ENTRIES], width(d) * I[L.BODIES]
    row, e = I[L.ROWS] + L.ROW_STRIDE * r, 0
    row_jacobian(model, state, scratch, t, r, r + 1, W[entries:])
    if rates > 0:
        row_gamma(model, state, scratch, t, r, r + 1, W[x:])
    while e < I[row + 3]:
        column = I[I[L.COLUMNS] + I[row + 2] + e]
        if column >= extras:
            W[out + I[h + T.EXTRAS_RATE] + column - extras] += W[entries + e]
            e += 1
            continue
        i = I[I[h + T.LINK_OF] + column // w]
        _send(d, model, scratch, h, i, wrench_about(d, model, scratch, h, i, entries + e), rates, out, x)
        e += w


@inlined
def _met(d, f, s, base, z):
    """Return f · (S less the ground's acceleration) + force · (ω × ṙ_c): what a row meets at q̈ = 0."""
    total = inner(d, f, plus(d, -1.0, base, s))
    if d is None:
        return total + f[0] * z[0] + f[1] * z[1]
    return total + f[0] * z[0] + f[1] * z[1] + f[2] * z[2]


@inner_kernel
def loop_gaps(d, model, state, scratch, t, h, v):
    """Write ν − Φ_y ẏ of the loop rows at the poses and twists of the links to W_X; v for extra coordinates."""
    I, W = model.I, scratch.W
    w, entries, extras = width(d), I[h + T.W_ENTRIES], width(d) * I[L.BODIES]
    for k in range(I[R.ALL_COUNT]):
        r = I[I[h + T.ROW_LIST] + k]
        row, x, e = I[L.ROWS] + L.ROW_STRIDE * r, I[R.W_X] + k, 0
        row_velocity(model, state, scratch, t, r, r + 1, W[x:])
        row_jacobian(model, state, scratch, t, r, r + 1, W[entries:])
        while e < I[row + 3]:
            column = I[I[L.COLUMNS] + I[row + 2] + e]
            if column >= extras:
                W[x] -= W[entries + e] * v[I[h + T.EXTRAS_RATE] + column - extras]
                e += 1
                continue
            i = I[I[h + T.LINK_OF] + column // w]
            f = wrench_about(d, model, scratch, h, i, entries + e)
            W[x] -= inner(d, f, load(d, W, state_of(d, model, scratch, h, i) + T.MOTION * w))
            e += w


@inner_kernel
def loop_wrenches(d, model, state, scratch, t, h, out):
    """Add Φ_yᵀ λ of the chosen loop rows, as wrenches about o of the links, to W[out…]; λ in W_LAMBDA."""
    I, W = model.I, scratch.W
    w, entries, extras = width(d), I[h + T.W_ENTRIES], width(d) * I[L.BODIES]
    for k in range(I[R.CHOSEN_COUNT]):
        r = I[I[h + T.ROW_LIST] + I[I[R.CHOSEN] + k]]
        row, e = I[L.ROWS] + L.ROW_STRIDE * r, 0
        row_jacobian(model, state, scratch, t, r, r + 1, W[entries:])
        while e < I[row + 3]:
            column = I[I[L.COLUMNS] + I[row + 2] + e]
            if column >= extras:
                e += 1
                continue
            i = I[I[h + T.LINK_OF] + column // w]
            f, to = wrench_about(d, model, scratch, h, i, entries + e), out + w * i
            store(d, W, to, plus(d, W[I[R.W_LAMBDA] + k], f, load(d, W, to)))
            e += w
