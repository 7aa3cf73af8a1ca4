"""Basic functions of two spatial poses: value, gradient, γ term, second derivative.

Columns are [δr_i (ground axes), δπ′_i (body axes), δr_j, δπ′_j]; d = r_j + A_j s′_j − r_i − A_i s′_i. The formulas are those
of Lee, Lee, Bae (2013), section 2, with their signs corrected; the second derivatives are "the derivative of the vector
Φ_qᵀλ along δq" and not symmetric, because virtual rotations are not differentials of coordinates.

p, q are the poses of the two bodies, u, w their twists, n the numbers of the function.
"""

from __future__ import annotations

import math

from multibody.kernels import codes as L
from multibody.kernels.compile import inner_kernel
from multibody.kernels.vectors import (
    add,
    add_block,
    apply,
    apply_transposed,
    cross,
    dot,
    load3,
    load9,
    multiply,
    scale,
    subtract,
    tilde,
    tilde_tilde,
    transpose,
)

R_I, TURN_I, R_J, TURN_J = 0, 3, 6, 9  # first columns of δr and δπ′ of the two bodies
COLUMNS = 12


@inner_kernel
def _gap(p, q, n):
    """Return d, from the first point to the second, in ground axes."""
    end = add(load3(q.r, 0), apply(load9(q.A, 0), load3(n.s_j, 0)))
    return subtract(end, add(load3(p.r, 0), apply(load9(p.A, 0), load3(n.s_i, 0))))


@inner_kernel
def _dot1(p, q, a, b):
    """Return a_i·b_j of a vector on i and one on j."""
    return dot(apply(load9(p.A, 0), load3(a, 0)), apply(load9(q.A, 0), load3(b, 0)))


@inner_kernel
def spatial_value(kind, p, q, n, reference):
    """Return the function's value; an angle is the one nearest its reference."""
    if kind == L.DOT1:
        return _dot1(p, q, n.a, n.b)
    if kind == L.ANGLE:
        angle = math.atan2(_dot1(p, q, n.a, n.b), _dot1(p, q, n.c, n.d))
        return angle + 2.0 * math.pi * math.floor((reference - angle) / (2.0 * math.pi) + 0.5)
    d = _gap(p, q, n)
    if kind == L.COINCIDE:
        return dot(load3(n.a, 0), d)
    if kind == L.DOT2:
        return dot(apply(load9(p.A, 0), load3(n.a, 0)), d)
    return math.sqrt(dot(d, d))  # DISTANCE


@inner_kernel
def _write(g, x, pi, pj):
    """Write a gradient whose translational parts are −x and x."""
    for c in range(3):
        g[R_I + c], g[TURN_I + c], g[R_J + c], g[TURN_J + c] = -x[c], pi[c], x[c], pj[c]


@inner_kernel
def _dot1_terms(p, q, a, b):
    """Return (δπ′_i: a′×A_iᵀb, δπ′_j: b′×A_jᵀa) of a_i·b_j."""
    Ai, Aj, ai, bj = load9(p.A, 0), load9(q.A, 0), load3(a, 0), load3(b, 0)
    return (cross(ai, apply_transposed(Ai, apply(Aj, bj))), cross(bj, apply_transposed(Aj, apply(Ai, ai))))


@inner_kernel
def _coincide_terms(p, q, n, e):
    """Return (e, δπ′_i: A_iᵀe×s_i, δπ′_j: s_j×A_jᵀe) of e·d, e fixed in ground."""
    ei, ej = apply_transposed(load9(p.A, 0), e), apply_transposed(load9(q.A, 0), e)
    return (e, cross(ei, load3(n.s_i, 0)), cross(load3(n.s_j, 0), ej))


@inner_kernel
def _angle_terms(p, q, n):
    """Return the gradient (c ∇s − s ∇c)/ρ² of atan2(s, c)."""
    s, c = _dot1(p, q, n.a, n.b), _dot1(p, q, n.c, n.d)
    square = s * s + c * c
    factor = 1.0 / square if square > 0.0 else 0.0
    si, sj = _dot1_terms(p, q, n.a, n.b)
    ci, cj = _dot1_terms(p, q, n.c, n.d)
    turn_i = subtract(scale(factor * c, si), scale(factor * s, ci))
    return ((0.0, 0.0, 0.0), turn_i, subtract(scale(factor * c, sj), scale(factor * s, cj)))


@inner_kernel
def spatial_terms(kind, p, q, n):
    """Return (x, δπ′_i, δπ′_j) of the gradient (−x, δπ′_i, x, δπ′_j)."""
    if kind == L.COINCIDE:
        return _coincide_terms(p, q, n, load3(n.a, 0))
    if kind == L.DOT1:
        turn_i, turn_j = _dot1_terms(p, q, n.a, n.b)
        return ((0.0, 0.0, 0.0), turn_i, turn_j)
    if kind == L.ANGLE:
        return _angle_terms(p, q, n)
    d = _gap(p, q, n)
    if kind == L.DOT2:
        Ai, a = load9(p.A, 0), load3(n.a, 0)
        f = apply(Ai, a)
        arm = add(apply_transposed(Ai, d), load3(n.s_i, 0))  # d′ + s_i
        return (f, cross(a, arm), cross(load3(n.s_j, 0), apply_transposed(load9(q.A, 0), f)))
    ell = math.sqrt(dot(d, d))
    return _coincide_terms(p, q, n, scale(1.0 / ell if ell > 0.0 else 0.0, d))


@inner_kernel
def spatial_gradient(kind, p, q, n, g):
    """Write the twelve partial derivatives to g."""
    x, turn_i, turn_j = spatial_terms(kind, p, q, n)
    _write(g, x, turn_i, turn_j)


@inner_kernel
def spatial_component(p, q, n, c, g):
    """Write the gradient of component c of d, in ground axes, to g."""
    e = (1.0 if c == 0 else 0.0, 1.0 if c == 1 else 0.0, 1.0 if c == 2 else 0.0)
    x, turn_i, turn_j = _coincide_terms(p, q, n, e)
    _write(g, x, turn_i, turn_j)


@inner_kernel
def _dot1_rates(p, q, u, w, a, b):
    """Return (value, rate, γ) of a_i·b_j."""
    ai, bj = apply(load9(p.A, 0), load3(a, 0)), apply(load9(q.A, 0), load3(b, 0))
    oi, oj = load3(u.omega, 0), load3(w.omega, 0)
    da, db = cross(oi, ai), cross(oj, bj)
    quadratic = dot(cross(oi, da), bj) + 2.0 * dot(da, db) + dot(ai, cross(oj, db))
    return (dot(ai, bj), dot(da, bj) + dot(ai, db), -quadratic)


@inner_kernel
def spatial_gamma(kind, p, q, u, w, n):
    """Return the γ term, minus the part of the second time derivative that is quadratic in v."""
    if kind == L.DOT1:
        return _dot1_rates(p, q, u, w, n.a, n.b)[2]
    if kind == L.ANGLE:
        s, ds, gs = _dot1_rates(p, q, u, w, n.a, n.b)
        c, dc, gc = _dot1_rates(p, q, u, w, n.c, n.d)
        square = s * s + c * c
        if square == 0.0:
            return 0.0
        return (c * gs - s * gc + 2.0 * (c * dc + s * ds) * (c * ds - s * dc) / square) / square
    oi, oj = load3(u.omega, 0), load3(w.omega, 0)
    si, sj = apply(load9(p.A, 0), load3(n.s_i, 0)), apply(load9(q.A, 0), load3(n.s_j, 0))
    di, dj = cross(oi, si), cross(oj, sj)
    inward = subtract(cross(oi, di), cross(oj, dj))  # minus the centripetal part of d̈
    if kind == L.COINCIDE:
        return dot(load3(n.a, 0), inward)
    d = _gap(p, q, n)
    rate = subtract(add(load3(w.v, 0), dj), add(load3(u.v, 0), di))
    if kind == L.DOT2:
        f = apply(load9(p.A, 0), load3(n.a, 0))
        df = cross(oi, f)
        return dot(f, inward) - 2.0 * dot(df, rate) - dot(cross(oi, df), d)
    ell = math.sqrt(dot(d, d))
    if ell == 0.0:
        return 0.0
    along = dot(d, rate) / ell
    return dot(d, inward) / ell - (dot(rate, rate) - along * along) / ell


@inner_kernel
def _dot1_hessian(p, q, a, b, factor, h):
    """Add factor times the second derivative of a_i·b_j: blocks (2,2), (2,4), (4,2), (4,4)."""
    Ai, Aj, ai, bj = load9(p.A, 0), load9(q.A, 0), load3(a, 0), load3(b, 0)
    Aij = multiply(transpose(Ai), Aj)
    ta, tb = tilde(ai), tilde(bj)
    add_block(h, 0, COLUMNS, TURN_I, TURN_I, factor, tilde_tilde(ai, apply(Aij, bj)))
    add_block(h, 0, COLUMNS, TURN_I, TURN_J, -factor, multiply(ta, multiply(Aij, tb)))
    add_block(h, 0, COLUMNS, TURN_J, TURN_I, -factor, multiply(tb, multiply(transpose(Aij), ta)))
    add_block(h, 0, COLUMNS, TURN_J, TURN_J, factor, tilde_tilde(bj, apply_transposed(Aij, ai)))


@inner_kernel
def _coincide_hessian(p, q, n, e, h):
    """Add the second derivative of e·d: blocks (2,2) −s̃_i ẽ′_i and (4,4) s̃_j ẽ′_j."""
    add_block(h, 0, COLUMNS, TURN_I, TURN_I, -1.0, tilde_tilde(load3(n.s_i, 0), apply_transposed(load9(p.A, 0), e)))
    add_block(h, 0, COLUMNS, TURN_J, TURN_J, 1.0, tilde_tilde(load3(n.s_j, 0), apply_transposed(load9(q.A, 0), e)))


@inner_kernel
def _dot2_hessian(p, q, n, h):
    """Add the second derivative of f_i·d."""
    Ai, Aj, f = load9(p.A, 0), load9(q.A, 0), load3(n.a, 0)
    sj = load3(n.s_j, 0)
    arm = add(apply_transposed(Ai, _gap(p, q, n)), load3(n.s_i, 0))  # d′ + s_i
    tf = tilde(f)
    turned = multiply(Ai, tf)  # A_i f̃′
    transposed = multiply(tf, transpose(Ai))
    Aij = multiply(transpose(Ai), Aj)
    ts = tilde(sj)
    add_block(h, 0, COLUMNS, R_I, TURN_I, 1.0, turned)
    add_block(h, 0, COLUMNS, TURN_I, R_I, -1.0, transposed)
    add_block(h, 0, COLUMNS, TURN_I, TURN_I, 1.0, tilde_tilde(f, arm))
    add_block(h, 0, COLUMNS, TURN_I, R_J, 1.0, transposed)
    add_block(h, 0, COLUMNS, TURN_I, TURN_J, -1.0, multiply(tf, multiply(Aij, ts)))
    add_block(h, 0, COLUMNS, R_J, TURN_I, -1.0, turned)
    add_block(h, 0, COLUMNS, TURN_J, TURN_I, -1.0, multiply(ts, multiply(transpose(Aij), tf)))
    add_block(h, 0, COLUMNS, TURN_J, TURN_J, 1.0, tilde_tilde(sj, apply_transposed(Aij, f)))


@inner_kernel
def _distance_hessian(p, q, n, h, g):
    """Add the second derivative of |d|: that of u·d with u = d/|d| held, plus Dᵀ(I − u uᵀ)D/|d|."""
    d = _gap(p, q, n)
    ell = math.sqrt(dot(d, d))
    if ell == 0.0:
        return
    u = scale(1.0 / ell, d)
    x, y, z = g[:COLUMNS], g[COLUMNS : 2 * COLUMNS], g[2 * COLUMNS :]  # gradients of the components of d
    spatial_component(p, q, n, 0, x)
    spatial_component(p, q, n, 1, y)
    spatial_component(p, q, n, 2, z)
    for r in range(COLUMNS):
        ur = u[0] * x[r] + u[1] * y[r] + u[2] * z[r]
        for c in range(COLUMNS):
            uc = u[0] * x[c] + u[1] * y[c] + u[2] * z[c]
            full = x[r] * x[c] + y[r] * y[c] + z[r] * z[c]
            h[COLUMNS * r + c] += (full - ur * uc) / ell
    _coincide_hessian(p, q, n, u, h)


@inner_kernel
def _angle_hessian(p, q, n, h, g):
    """Add the second derivative of atan2(s, c), from those of s and c."""
    s, c = _dot1(p, q, n.a, n.b), _dot1(p, q, n.c, n.d)
    square = s * s + c * c
    if square == 0.0:
        return
    _dot1_hessian(p, q, n.a, n.b, c / square, h)
    _dot1_hessian(p, q, n.c, n.d, -s / square, h)
    zero, da, ds, dc = (0.0, 0.0, 0.0), g[:COLUMNS], g[COLUMNS : 2 * COLUMNS], g[2 * COLUMNS :]  # ∇ of the angle, s and c
    turn_i, turn_j = _dot1_terms(p, q, n.a, n.b)
    _write(ds, zero, turn_i, turn_j)
    turn_i, turn_j = _dot1_terms(p, q, n.c, n.d)
    _write(dc, zero, turn_i, turn_j)
    for k in range(COLUMNS):
        da[k] = (c * ds[k] - s * dc[k]) / square
    for r in range(COLUMNS):
        for k in range(COLUMNS):
            swap = ds[r] * dc[k] - dc[r] * ds[k]
            radial = c * dc[k] + s * ds[k]
            h[COLUMNS * r + k] += (swap - 2.0 * da[r] * radial) / square


@inner_kernel
def spatial_hessian(kind, p, q, n, h, g):
    """Write the 12×12 second derivative to h (by rows); g is scratch for three gradients."""
    for c in range(COLUMNS * COLUMNS):
        h[c] = 0.0
    if kind == L.DOT1:
        _dot1_hessian(p, q, n.a, n.b, 1.0, h)
    elif kind == L.DOT2:
        _dot2_hessian(p, q, n, h)
    elif kind == L.COINCIDE:
        _coincide_hessian(p, q, n, load3(n.a, 0), h)
    elif kind == L.ANGLE:
        _angle_hessian(p, q, n, h, g)
    elif kind == L.DISTANCE:
        _distance_hessian(p, q, n, h, g)
