"""Basic functions of two planar poses: value, gradient, γ term, second derivative.

Columns are [x_i, y_i, θ_i, x_j, y_j, θ_j]. With S = A s′, d = r_j + S_j − r_i − S_i and x^⊥ = (−x₂, x₁): dS/dθ = S^⊥.
Shabana, Computational Dynamics, ch. 3, with every function as second minus first.
"""

from __future__ import annotations

import math

from multibody.kernels import codes as L
from multibody.kernels.compile import inlined, inner_kernel

X_I, Y_I, TURN_I, X_J, Y_J, TURN_J = range(6)
COLUMNS = 6


@inlined
def turned(p, x):
    """Return A x for a body with the pose p."""
    return (p.cos * x[0] - p.sin * x[1], p.sin * x[0] + p.cos * x[1])


@inlined
def _gap(p, q, si, sj):
    """Return d = r_j + S_j − r_i − S_i."""
    return (q.x + sj[0] - p.x - si[0], q.y + sj[1] - p.y - si[1])


@inlined
def planar_value(kind, p, q, n):
    """Return the function's value; p, q: poses, n: its numbers."""
    if kind == L.ANGLE or kind == L.ALIGNED:
        angle = q.angle - p.angle + n.offset
        return angle if kind == L.ANGLE else angle - 2.0 * math.pi * math.floor(0.5 * angle / math.pi + 0.5)
    if kind == L.DOT1:
        a, b = turned(p, n.a), turned(q, n.b)
        return a[0] * b[0] + a[1] * b[1]
    d = _gap(p, q, turned(p, n.s_i), turned(q, n.s_j))
    if kind == L.COINCIDE:
        return n.a[0] * d[0] + n.a[1] * d[1]
    if kind == L.DOT2:
        a = turned(p, n.a)
        return a[0] * d[0] + a[1] * d[1]
    return math.sqrt(d[0] * d[0] + d[1] * d[1])  # DISTANCE


@inner_kernel
def _write(g, x, y, ti, tj):
    """Write the gradient of a function that sees only the difference of the positions."""
    g[X_I], g[Y_I], g[TURN_I], g[X_J], g[Y_J], g[TURN_J] = -x, -y, ti, x, y, tj


@inlined
def planar_terms(kind, p, q, n):
    """Return (x, y, ∂θ_i, ∂θ_j) of the gradient (−x, −y, ∂θ_i, x, y, ∂θ_j)."""
    if kind == L.ANGLE or kind == L.ALIGNED:
        return (0.0, 0.0, -1.0, 1.0)
    if kind == L.DOT1:
        a, b = turned(p, n.a), turned(q, n.b)
        s = a[0] * b[1] - a[1] * b[0]  # a^⊥·b
        return (0.0, 0.0, s, -s)
    si, sj = turned(p, n.s_i), turned(q, n.s_j)
    if kind == L.DOT2:
        d, a = _gap(p, q, si, sj), turned(p, n.a)
        ti = -a[1] * (d[0] + si[0]) + a[0] * (d[1] + si[1])  # a^⊥·(d + S_i)
        return (a[0], a[1], ti, -a[0] * sj[1] + a[1] * sj[0])
    ex, ey = n.a[0], n.a[1]
    if kind == L.DISTANCE:
        d = _gap(p, q, si, sj)
        ell = math.sqrt(d[0] * d[0] + d[1] * d[1])
        ex, ey = (d[0] / ell, d[1] / ell) if ell > 0.0 else (0.0, 0.0)
    return (ex, ey, ex * si[1] - ey * si[0], -ex * sj[1] + ey * sj[0])


@inner_kernel
def planar_gradient(kind, p, q, n, g):
    """Write the six partial derivatives to g."""
    x, y, ti, tj = planar_terms(kind, p, q, n)
    _write(g, x, y, ti, tj)


@inner_kernel
def planar_component(p, q, n, c, g):
    """Write the gradient of component c of d, in ground axes, to g."""
    si, sj = turned(p, n.s_i), turned(q, n.s_j)
    x, y = (1.0, 0.0) if c == 0 else (0.0, 1.0)
    _write(g, x, y, x * si[1] - y * si[0], -x * sj[1] + y * sj[0])


@inlined
def planar_gamma(kind, p, q, u, w, n):
    """Return the γ term, minus the part of the second time derivative that is quadratic in v; u, w: twists."""
    if kind == L.ANGLE or kind == L.ALIGNED:
        return 0.0
    oi, oj = u.omega, w.omega
    if kind == L.DOT1:
        a, b = turned(p, n.a), turned(q, n.b)
        return (oi - oj) ** 2 * (a[0] * b[0] + a[1] * b[1])
    si, sj = turned(p, n.s_i), turned(q, n.s_j)
    nx = oj * oj * sj[0] - oi * oi * si[0]  # minus the centripetal part of d̈
    ny = oj * oj * sj[1] - oi * oi * si[1]
    if kind == L.COINCIDE:
        return n.a[0] * nx + n.a[1] * ny
    d = _gap(p, q, si, sj)
    dx = w.x - oj * sj[1] - u.x + oi * si[1]
    dy = w.y + oj * sj[0] - u.y - oi * si[0]
    if kind == L.DOT2:
        a = turned(p, n.a)
        coriolis = 2.0 * oi * (-a[1] * dx + a[0] * dy)
        return oi * oi * (a[0] * d[0] + a[1] * d[1]) - coriolis + a[0] * nx + a[1] * ny
    ell = math.sqrt(d[0] * d[0] + d[1] * d[1])
    if ell == 0.0:
        return 0.0
    ex, ey = d[0] / ell, d[1] / ell
    rate = ex * dx + ey * dy
    return ex * nx + ey * ny - (dx * dx + dy * dy - rate * rate) / ell


@inlined
def at(row, column):
    """Return the place of a second derivative."""
    return COLUMNS * row + column


@inner_kernel
def planar_hessian(kind, p, q, n, h, g):
    """Write the 6×6 second derivative to h (by rows); g is scratch for a gradient."""
    for c in range(COLUMNS * COLUMNS):
        h[c] = 0.0
    if kind == L.ANGLE or kind == L.ALIGNED:
        return
    if kind == L.DOT1:
        a, b = turned(p, n.a), turned(q, n.b)
        c = a[0] * b[0] + a[1] * b[1]
        h[at(TURN_I, TURN_I)] = -c
        h[at(TURN_I, TURN_J)] = c
        h[at(TURN_J, TURN_I)] = c
        h[at(TURN_J, TURN_J)] = -c
        return
    si, sj = turned(p, n.s_i), turned(q, n.s_j)
    d = _gap(p, q, si, sj)
    if kind == L.DOT2:
        a = turned(p, n.a)
        across = (-a[1], a[0])
        for c in range(2):
            h[at(X_I + c, TURN_I)] = -across[c]
            h[at(TURN_I, X_I + c)] = -across[c]
            h[at(TURN_I, X_J + c)] = across[c]
            h[at(X_J + c, TURN_I)] = across[c]
        h[at(TURN_I, TURN_I)] = -(a[0] * (d[0] + si[0]) + a[1] * (d[1] + si[1]))
        cross_term = a[0] * sj[0] + a[1] * sj[1]
        h[at(TURN_I, TURN_J)] = cross_term
        h[at(TURN_J, TURN_I)] = cross_term
        h[at(TURN_J, TURN_J)] = -cross_term
        return
    ex, ey = n.a[0], n.a[1]
    if kind == L.DISTANCE:
        ell = math.sqrt(d[0] * d[0] + d[1] * d[1])
        if ell == 0.0:
            return
        ex, ey = d[0] / ell, d[1] / ell
        _write(g, -ey, ex, -ey * si[1] - ex * si[0], ey * sj[1] + ex * sj[0])  # gradient of u^⊥·d
        for r in range(COLUMNS):
            for c in range(COLUMNS):
                h[at(r, c)] = g[r] * g[c] / ell
    h[at(TURN_I, TURN_I)] += ex * si[0] + ey * si[1]
    h[at(TURN_J, TURN_J)] -= ex * sj[0] + ey * sj[1]
