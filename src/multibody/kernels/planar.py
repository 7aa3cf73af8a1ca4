"""Basic functions of two planar poses: value, gradient, γ term, second derivative.

Columns are [x_i, y_i, θ_i, x_j, y_j, θ_j]. With S = A s′, d = r_j + S_j − r_i − S_i and x^⊥ = (−x₂, x₁): dS/dθ = S^⊥.
Shabana, Computational Dynamics, ch. 3, with every function as second minus first.
"""

from __future__ import annotations

import math

from multibody.kernels import layout as L
from multibody.kernels.compile import inlined, inner_kernel


@inlined
def _turned(W, p, F, k):
    """Return A x for the body whose pose is at W[p] and the vector at F[k]."""
    return (W[p + 3] * F[k] - W[p + 4] * F[k + 1], W[p + 4] * F[k] + W[p + 3] * F[k + 1])


@inlined
def _gap(W, p, q, si, sj):
    """Return d = r_j + S_j − r_i − S_i."""
    return (W[q] + sj[0] - W[p] - si[0], W[q + 1] + sj[1] - W[p + 1] - si[1])


@inlined
def planar_value(W, F, kind, p, q, k):
    """Return the function's value; p, q: poses in W, k: its numbers in F (s_i, s_j, a, b, offset)."""
    if kind == L.ANGLE or kind == L.ALIGNED:
        angle = W[q + 2] - W[p + 2] + F[k + 8]
        return angle if kind == L.ANGLE else angle - 2.0 * math.pi * math.floor(0.5 * angle / math.pi + 0.5)
    if kind == L.DOT1:
        a, b = _turned(W, p, F, k + 4), _turned(W, q, F, k + 6)
        return a[0] * b[0] + a[1] * b[1]
    d = _gap(W, p, q, _turned(W, p, F, k), _turned(W, q, F, k + 2))
    if kind == L.COINCIDE:
        return F[k + 4] * d[0] + F[k + 5] * d[1]
    if kind == L.DOT2:
        a = _turned(W, p, F, k + 4)
        return a[0] * d[0] + a[1] * d[1]
    return math.sqrt(d[0] * d[0] + d[1] * d[1])  # DISTANCE


@inner_kernel
def _write(W, g, x, y, ti, tj):
    """Write the gradient of a function that sees only the difference of the positions."""
    W[g] = -x
    W[g + 1] = -y
    W[g + 2] = ti
    W[g + 3] = x
    W[g + 4] = y
    W[g + 5] = tj


@inlined
def planar_terms(W, F, kind, p, q, k):
    """Return (x, y, ∂θ_i, ∂θ_j) of the gradient (−x, −y, ∂θ_i, x, y, ∂θ_j)."""
    if kind == L.ANGLE or kind == L.ALIGNED:
        return (0.0, 0.0, -1.0, 1.0)
    if kind == L.DOT1:
        a, b = _turned(W, p, F, k + 4), _turned(W, q, F, k + 6)
        s = a[0] * b[1] - a[1] * b[0]  # a^⊥·b
        return (0.0, 0.0, s, -s)
    si, sj = _turned(W, p, F, k), _turned(W, q, F, k + 2)
    if kind == L.DOT2:
        d, a = _gap(W, p, q, si, sj), _turned(W, p, F, k + 4)
        ti = -a[1] * (d[0] + si[0]) + a[0] * (d[1] + si[1])  # a^⊥·(d + S_i)
        return (a[0], a[1], ti, -a[0] * sj[1] + a[1] * sj[0])
    ex, ey = F[k + 4], F[k + 5]
    if kind == L.DISTANCE:
        d = _gap(W, p, q, si, sj)
        ell = math.sqrt(d[0] * d[0] + d[1] * d[1])
        ex, ey = (d[0] / ell, d[1] / ell) if ell > 0.0 else (0.0, 0.0)
    return (ex, ey, ex * si[1] - ey * si[0], -ex * sj[1] + ey * sj[0])


@inner_kernel
def planar_gradient(W, F, kind, p, q, k, g):
    """Write the six partial derivatives at W[g]."""
    x, y, ti, tj = planar_terms(W, F, kind, p, q, k)
    _write(W, g, x, y, ti, tj)


@inner_kernel
def planar_component(W, F, p, q, k, c, g):
    """Write the gradient of component c of d, in ground axes, at W[g]."""
    si, sj = _turned(W, p, F, k), _turned(W, q, F, k + 2)
    x, y = (1.0, 0.0) if c == 0 else (0.0, 1.0)
    _write(W, g, x, y, x * si[1] - y * si[0], -x * sj[1] + y * sj[0])


@inlined
def planar_gamma(W, F, kind, p, q, u, w, k):
    """Return the γ term, minus the part of the second time derivative that is quadratic in v; u, w: twists in W."""
    if kind == L.ANGLE or kind == L.ALIGNED:
        return 0.0
    oi, oj = W[u + 2], W[w + 2]
    if kind == L.DOT1:
        a, b = _turned(W, p, F, k + 4), _turned(W, q, F, k + 6)
        return (oi - oj) ** 2 * (a[0] * b[0] + a[1] * b[1])
    si, sj = _turned(W, p, F, k), _turned(W, q, F, k + 2)
    nx = oj * oj * sj[0] - oi * oi * si[0]  # minus the centripetal part of d̈
    ny = oj * oj * sj[1] - oi * oi * si[1]
    if kind == L.COINCIDE:
        return F[k + 4] * nx + F[k + 5] * ny
    d = _gap(W, p, q, si, sj)
    dx = W[w] - oj * sj[1] - W[u] + oi * si[1]
    dy = W[w + 1] + oj * sj[0] - W[u + 1] - oi * si[0]
    if kind == L.DOT2:
        a = _turned(W, p, F, k + 4)
        coriolis = 2.0 * oi * (-a[1] * dx + a[0] * dy)
        return oi * oi * (a[0] * d[0] + a[1] * d[1]) - coriolis + a[0] * nx + a[1] * ny
    ell = math.sqrt(d[0] * d[0] + d[1] * d[1])
    if ell == 0.0:
        return 0.0
    ex, ey = d[0] / ell, d[1] / ell
    rate = ex * dx + ey * dy
    return ex * nx + ey * ny - (dx * dx + dy * dy - rate * rate) / ell


@inner_kernel
def planar_hessian(W, F, kind, p, q, k, h, g):
    """Write the 6×6 second derivative at W[h] (by rows); W[g..g+12] is scratch."""
    for c in range(36):
        W[h + c] = 0.0
    if kind == L.ANGLE or kind == L.ALIGNED:
        return
    if kind == L.DOT1:
        a, b = _turned(W, p, F, k + 4), _turned(W, q, F, k + 6)
        c = a[0] * b[0] + a[1] * b[1]
        W[h + 14] = -c
        W[h + 17] = c
        W[h + 32] = c
        W[h + 35] = -c
        return
    si, sj = _turned(W, p, F, k), _turned(W, q, F, k + 2)
    d = _gap(W, p, q, si, sj)
    if kind == L.DOT2:
        a = _turned(W, p, F, k + 4)
        n = (-a[1], a[0])
        for c in range(2):
            W[h + 6 * c + 2] = -n[c]
            W[h + 12 + c] = -n[c]
            W[h + 15 + c] = n[c]
            W[h + 6 * (3 + c) + 2] = n[c]
        W[h + 14] = -(a[0] * (d[0] + si[0]) + a[1] * (d[1] + si[1]))
        cross_term = a[0] * sj[0] + a[1] * sj[1]
        W[h + 17] = cross_term
        W[h + 32] = cross_term
        W[h + 35] = -cross_term
        return
    ex, ey = F[k + 4], F[k + 5]
    if kind == L.DISTANCE:
        ell = math.sqrt(d[0] * d[0] + d[1] * d[1])
        if ell == 0.0:
            return
        ex, ey = d[0] / ell, d[1] / ell
        _write(W, g, -ey, ex, -ey * si[1] - ex * si[0], ey * sj[1] + ex * sj[0])  # gradient of u^⊥·d
        for r in range(6):
            for c in range(6):
                W[h + 6 * r + c] = W[g + r] * W[g + c] / ell
    W[h + 14] += ex * si[0] + ey * si[1]
    W[h + 35] -= ex * sj[0] + ey * sj[1]
