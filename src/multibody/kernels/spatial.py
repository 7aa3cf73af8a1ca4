"""Basic functions of two spatial poses: value, gradient, γ term, second derivative.

Columns are [δr_i (ground axes), δπ′_i (body axes), δr_j, δπ′_j]; d = r_j + A_j s′_j − r_i − A_i s′_i. The formulas are those
of Lee, Lee, Bae (2013), section 2, with their signs corrected; the second derivatives are "the derivative of the vector
Φ_qᵀλ along δq" and not symmetric, because virtual rotations are not differentials of coordinates.

Numbers of a function at F[k]: s_i, s_j, a (on i), b (on j), c (on i), d (on j), three each.
"""

from __future__ import annotations

import math

from multibody.kernels import layout as L
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


@inner_kernel
def _gap(W, F, p, q, k):
    """Return d, from the first point to the second, in ground axes."""
    end = add(load3(W, q), apply(load9(W, q + 3), load3(F, k + 3)))
    return subtract(end, add(load3(W, p), apply(load9(W, p + 3), load3(F, k))))


@inner_kernel
def _dot1(W, F, p, q, a, b):
    """Return a_i·b_j of the vectors at F[a] (on i) and F[b] (on j)."""
    return dot(apply(load9(W, p + 3), load3(F, a)), apply(load9(W, q + 3), load3(F, b)))


@inner_kernel
def spatial_value(W, F, kind, p, q, k, reference):
    """Return the function's value; p, q: poses in W, k: its numbers in F; an angle is the one nearest its reference."""
    if kind == L.DOT1:
        return _dot1(W, F, p, q, k + 6, k + 9)
    if kind == L.ANGLE:
        angle = math.atan2(_dot1(W, F, p, q, k + 6, k + 9), _dot1(W, F, p, q, k + 12, k + 15))
        return angle + 2.0 * math.pi * math.floor((reference - angle) / (2.0 * math.pi) + 0.5)
    d = _gap(W, F, p, q, k)
    if kind == L.COINCIDE:
        return dot(load3(F, k + 6), d)
    if kind == L.DOT2:
        return dot(apply(load9(W, p + 3), load3(F, k + 6)), d)
    return math.sqrt(dot(d, d))  # DISTANCE


@inner_kernel
def _write(W, g, x, pi, pj):
    """Write a gradient whose translational parts are −x and x."""
    for c in range(3):
        W[g + c] = -x[c]
        W[g + 3 + c] = pi[c]
        W[g + 6 + c] = x[c]
        W[g + 9 + c] = pj[c]


@inner_kernel
def _dot1_terms(W, F, p, q, a, b):
    """Return (δπ′_i: a′×A_iᵀb, δπ′_j: b′×A_jᵀa) of a_i·b_j."""
    Ai, Aj, ai, bj = load9(W, p + 3), load9(W, q + 3), load3(F, a), load3(F, b)
    return (cross(ai, apply_transposed(Ai, apply(Aj, bj))), cross(bj, apply_transposed(Aj, apply(Ai, ai))))


@inner_kernel
def _coincide_terms(W, F, p, q, k, e):
    """Return (e, δπ′_i: A_iᵀe×s_i, δπ′_j: s_j×A_jᵀe) of e·d, e fixed in ground."""
    ei, ej = apply_transposed(load9(W, p + 3), e), apply_transposed(load9(W, q + 3), e)
    return (e, cross(ei, load3(F, k)), cross(load3(F, k + 3), ej))


@inner_kernel
def _angle_terms(W, F, p, q, k):
    """Return the gradient (c ∇s − s ∇c)/ρ² of atan2(s, c)."""
    s, c = _dot1(W, F, p, q, k + 6, k + 9), _dot1(W, F, p, q, k + 12, k + 15)
    square = s * s + c * c
    factor = 1.0 / square if square > 0.0 else 0.0
    si, sj = _dot1_terms(W, F, p, q, k + 6, k + 9)
    ci, cj = _dot1_terms(W, F, p, q, k + 12, k + 15)
    turn_i = subtract(scale(factor * c, si), scale(factor * s, ci))
    return ((0.0, 0.0, 0.0), turn_i, subtract(scale(factor * c, sj), scale(factor * s, cj)))


@inner_kernel
def spatial_terms(W, F, kind, p, q, k):
    """Return (x, δπ′_i, δπ′_j) of the gradient (−x, δπ′_i, x, δπ′_j)."""
    if kind == L.COINCIDE:
        return _coincide_terms(W, F, p, q, k, load3(F, k + 6))
    if kind == L.DOT1:
        turn_i, turn_j = _dot1_terms(W, F, p, q, k + 6, k + 9)
        return ((0.0, 0.0, 0.0), turn_i, turn_j)
    if kind == L.ANGLE:
        return _angle_terms(W, F, p, q, k)
    d = _gap(W, F, p, q, k)
    if kind == L.DOT2:
        Ai, a = load9(W, p + 3), load3(F, k + 6)
        f = apply(Ai, a)
        arm = add(apply_transposed(Ai, d), load3(F, k))  # d′ + s_i
        return (f, cross(a, arm), cross(load3(F, k + 3), apply_transposed(load9(W, q + 3), f)))
    ell = math.sqrt(dot(d, d))
    return _coincide_terms(W, F, p, q, k, scale(1.0 / ell if ell > 0.0 else 0.0, d))


@inner_kernel
def spatial_gradient(W, F, kind, p, q, k, g):
    """Write the twelve partial derivatives at W[g]."""
    x, turn_i, turn_j = spatial_terms(W, F, kind, p, q, k)
    _write(W, g, x, turn_i, turn_j)


@inner_kernel
def spatial_component(W, F, p, q, k, c, g):
    """Write the gradient of component c of d, in ground axes, at W[g]."""
    e = (1.0 if c == 0 else 0.0, 1.0 if c == 1 else 0.0, 1.0 if c == 2 else 0.0)
    x, turn_i, turn_j = _coincide_terms(W, F, p, q, k, e)
    _write(W, g, x, turn_i, turn_j)


@inner_kernel
def _dot1_rates(W, F, p, q, u, w, a, b):
    """Return (value, rate, γ) of a_i·b_j."""
    ai, bj = apply(load9(W, p + 3), load3(F, a)), apply(load9(W, q + 3), load3(F, b))
    oi, oj = load3(W, u + 3), load3(W, w + 3)
    da, db = cross(oi, ai), cross(oj, bj)
    quadratic = dot(cross(oi, da), bj) + 2.0 * dot(da, db) + dot(ai, cross(oj, db))
    return (dot(ai, bj), dot(da, bj) + dot(ai, db), -quadratic)


@inner_kernel
def spatial_gamma(W, F, kind, p, q, u, w, k):
    """Return the γ term, minus the part of the second time derivative that is quadratic in v; u, w: twists in W."""
    if kind == L.DOT1:
        return _dot1_rates(W, F, p, q, u, w, k + 6, k + 9)[2]
    if kind == L.ANGLE:
        s, ds, gs = _dot1_rates(W, F, p, q, u, w, k + 6, k + 9)
        c, dc, gc = _dot1_rates(W, F, p, q, u, w, k + 12, k + 15)
        square = s * s + c * c
        if square == 0.0:
            return 0.0
        return (c * gs - s * gc + 2.0 * (c * dc + s * ds) * (c * ds - s * dc) / square) / square
    oi, oj = load3(W, u + 3), load3(W, w + 3)
    si, sj = apply(load9(W, p + 3), load3(F, k)), apply(load9(W, q + 3), load3(F, k + 3))
    di, dj = cross(oi, si), cross(oj, sj)
    n = subtract(cross(oi, di), cross(oj, dj))  # minus the centripetal part of d̈
    if kind == L.COINCIDE:
        return dot(load3(F, k + 6), n)
    d = _gap(W, F, p, q, k)
    rate = subtract(add(load3(W, w), dj), add(load3(W, u), di))
    if kind == L.DOT2:
        f = apply(load9(W, p + 3), load3(F, k + 6))
        df = cross(oi, f)
        return dot(f, n) - 2.0 * dot(df, rate) - dot(cross(oi, df), d)
    ell = math.sqrt(dot(d, d))
    if ell == 0.0:
        return 0.0
    along = dot(d, rate) / ell
    return dot(d, n) / ell - (dot(rate, rate) - along * along) / ell


@inner_kernel
def _dot1_hessian(W, F, p, q, a, b, factor, h):
    """Add factor times the second derivative of a_i·b_j: blocks (2,2), (2,4), (4,2), (4,4)."""
    Ai, Aj, ai, bj = load9(W, p + 3), load9(W, q + 3), load3(F, a), load3(F, b)
    Aij = multiply(transpose(Ai), Aj)
    ta, tb = tilde(ai), tilde(bj)
    add_block(W, h, 12, 3, 3, factor, tilde_tilde(ai, apply(Aij, bj)))
    add_block(W, h, 12, 3, 9, -factor, multiply(ta, multiply(Aij, tb)))
    add_block(W, h, 12, 9, 3, -factor, multiply(tb, multiply(transpose(Aij), ta)))
    add_block(W, h, 12, 9, 9, factor, tilde_tilde(bj, apply_transposed(Aij, ai)))


@inner_kernel
def _coincide_hessian(W, F, p, q, k, e, h):
    """Add the second derivative of e·d: blocks (2,2) −s̃_i ẽ′_i and (4,4) s̃_j ẽ′_j."""
    add_block(W, h, 12, 3, 3, -1.0, tilde_tilde(load3(F, k), apply_transposed(load9(W, p + 3), e)))
    add_block(W, h, 12, 9, 9, 1.0, tilde_tilde(load3(F, k + 3), apply_transposed(load9(W, q + 3), e)))


@inner_kernel
def _dot2_hessian(W, F, p, q, k, h):
    """Add the second derivative of f_i·d."""
    Ai, Aj, f = load9(W, p + 3), load9(W, q + 3), load3(F, k + 6)
    sj = load3(F, k + 3)
    arm = add(apply_transposed(Ai, _gap(W, F, p, q, k)), load3(F, k))  # d′ + s_i
    tf = tilde(f)
    turned = multiply(Ai, tf)  # A_i f̃′
    transposed = multiply(tf, transpose(Ai))
    Aij = multiply(transpose(Ai), Aj)
    ts = tilde(sj)
    add_block(W, h, 12, 0, 3, 1.0, turned)
    add_block(W, h, 12, 3, 0, -1.0, transposed)
    add_block(W, h, 12, 3, 3, 1.0, tilde_tilde(f, arm))
    add_block(W, h, 12, 3, 6, 1.0, transposed)
    add_block(W, h, 12, 3, 9, -1.0, multiply(tf, multiply(Aij, ts)))
    add_block(W, h, 12, 6, 3, -1.0, turned)
    add_block(W, h, 12, 9, 3, -1.0, multiply(ts, multiply(transpose(Aij), tf)))
    add_block(W, h, 12, 9, 9, 1.0, tilde_tilde(sj, apply_transposed(Aij, f)))


@inner_kernel
def _distance_hessian(W, F, p, q, k, h, g):
    """Add the second derivative of |d|: that of u·d with u = d/|d| held, plus Dᵀ(I − u uᵀ)D/|d|."""
    d = _gap(W, F, p, q, k)
    ell = math.sqrt(dot(d, d))
    if ell == 0.0:
        return
    u = scale(1.0 / ell, d)
    for c in range(3):
        spatial_component(W, F, p, q, k, c, g + 12 * c)
    for r in range(12):
        ur = u[0] * W[g + r] + u[1] * W[g + 12 + r] + u[2] * W[g + 24 + r]
        for c in range(12):
            uc = u[0] * W[g + c] + u[1] * W[g + 12 + c] + u[2] * W[g + 24 + c]
            full = W[g + r] * W[g + c] + W[g + 12 + r] * W[g + 12 + c] + W[g + 24 + r] * W[g + 24 + c]
            W[h + 12 * r + c] += (full - ur * uc) / ell
    _coincide_hessian(W, F, p, q, k, u, h)


@inner_kernel
def _angle_hessian(W, F, p, q, k, h, g):
    """Add the second derivative of atan2(s, c), from those of s and c."""
    s, c = _dot1(W, F, p, q, k + 6, k + 9), _dot1(W, F, p, q, k + 12, k + 15)
    square = s * s + c * c
    if square == 0.0:
        return
    _dot1_hessian(W, F, p, q, k + 6, k + 9, c / square, h)
    _dot1_hessian(W, F, p, q, k + 12, k + 15, -s / square, h)
    zero = (0.0, 0.0, 0.0)
    turn_i, turn_j = _dot1_terms(W, F, p, q, k + 6, k + 9)
    _write(W, g + 12, zero, turn_i, turn_j)  # ∇s
    turn_i, turn_j = _dot1_terms(W, F, p, q, k + 12, k + 15)
    _write(W, g + 24, zero, turn_i, turn_j)  # ∇c
    for n in range(12):
        W[g + n] = (c * W[g + 12 + n] - s * W[g + 24 + n]) / square
    for r in range(12):
        for n in range(12):
            swap = W[g + 12 + r] * W[g + 24 + n] - W[g + 24 + r] * W[g + 12 + n]
            radial = c * W[g + 24 + n] + s * W[g + 12 + n]
            W[h + 12 * r + n] += (swap - 2.0 * W[g + r] * radial) / square


@inner_kernel
def spatial_hessian(W, F, kind, p, q, k, h, g):
    """Write the 12×12 second derivative at W[h] (by rows); W[g..g+36] is scratch."""
    for c in range(144):
        W[h + c] = 0.0
    if kind == L.DOT1:
        _dot1_hessian(W, F, p, q, k + 6, k + 9, 1.0, h)
    elif kind == L.DOT2:
        _dot2_hessian(W, F, p, q, k, h)
    elif kind == L.COINCIDE:
        _coincide_hessian(W, F, p, q, k, load3(F, k + 6), h)
    elif kind == L.ANGLE:
        _angle_hessian(W, F, p, q, k, h, g)
    elif kind == L.DISTANCE:
        _distance_hessian(W, F, p, q, k, h, g)
