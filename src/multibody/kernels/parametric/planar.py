"""Constraints of a planar pair in parametric coordinates: A_iᵀ(r_j + A_j s_j − r_i) − s_i − b α and θ_j − θ_i + offset − α.

Columns are [x_i, y_i, θ_i, x_j, y_j, θ_j | α]; x^⊥ = (−x₂, x₁). What ``alpha`` and ``exact`` say of space holds here too.
"""

from __future__ import annotations

import math

from multibody.kernels import layout as L
from multibody.kernels.blocks import spot
from multibody.kernels.compile import inlined, inner_kernel
from multibody.kernels.parametric import layout as P
from multibody.kernels.rotations import sincos


@inlined
def _out(W, p, x, y):
    """Return A (x, y) for the pose at W[p]."""
    return (W[p + 3] * x - W[p + 4] * y, W[p + 4] * x + W[p + 3] * y)


@inlined
def _back(W, p, x, y):
    """Return Aᵀ (x, y) for the pose at W[p]."""
    return (W[p + 3] * x + W[p + 4] * y, W[p + 3] * y - W[p + 4] * x)


@inner_kernel
def _reach(model, scratch, pair):
    """Return A_iᵀ(r_j + A_j s_j − r_i) and A_iᵀA_j s_j."""
    I, F, W = model.I, model.F, scratch.W
    p, q, k = I[L.W_POSE] + 5 * I[pair + P.FIRST], I[L.W_POSE] + 5 * I[pair + P.SECOND], I[pair + P.NUMBERS]
    sx, sy = _out(W, q, F[k + 2], F[k + 3])
    d = _back(W, p, W[q] + sx - W[p], W[q + 1] + sy - W[p + 1])
    return d, _back(W, p, sx, sy)


@inlined
def _slide(model, scratch, pair):
    """Return s_i + b α."""
    I, F, W = model.I, model.F, scratch.W
    k = I[pair + P.NUMBERS]
    x = W[I[L.W_EXTRA] + I[pair + P.EXTRA]] if I[pair + P.SLIDES] > 0 else 0.0
    return (F[k] + x * F[k + 4], F[k + 1] + x * F[k + 5])


@inner_kernel
def planar_pair_values(model, scratch, pair, out):
    """Write the three constraints of a pair at W[out…]."""
    I, F, W = model.I, model.F, scratch.W
    p, q, k = I[L.W_POSE] + 5 * I[pair + P.FIRST], I[L.W_POSE] + 5 * I[pair + P.SECOND], I[pair + P.NUMBERS]
    d, x = _reach(model, scratch, pair)[0], _slide(model, scratch, pair)
    W[out], W[out + 1] = d[0] - x[0], d[1] - x[1]
    angle = W[q + 2] - W[p + 2] + F[k + P.OFFSET]
    if I[pair + P.ROTATION] == 1:
        angle -= W[I[L.W_EXTRA] + I[pair + P.EXTRA] + I[pair + P.SLIDES]]
    else:  # frames that are aligned but for whole turns
        angle -= 2.0 * math.pi * math.floor(0.5 * angle / math.pi + 0.5)
    W[out + 2] = angle


@inlined
def _write(model, scratch, pair, row, xi, yi, ti, xj, yj, tj):
    """Write the blocks of the two bodies in a row at W[row…]."""
    I, W = model.I, scratch.W
    i, j = I[pair + P.AT_FIRST], I[pair + P.AT_SECOND]
    if i >= 0:
        W[row + i], W[row + i + 1], W[row + i + 2] = xi, yi, ti
    if j >= 0:
        W[row + j], W[row + j + 1], W[row + j + 2] = xj, yj, tj


@inlined
def _write_angle(model, scratch, pair, row):
    """Write the parameters' columns of the translations, and the rotation row, which is constant."""
    I, F, W = model.I, model.F, scratch.W
    k, width, at = I[pair + P.NUMBERS], I[pair + P.WIDTH], row + I[pair + P.AT_ALPHA]
    _write(model, scratch, pair, row + 2 * width, 0.0, 0.0, -1.0, 0.0, 0.0, 1.0)
    for c in range(I[pair + P.ALPHAS]):
        slide = 1.0 if c < I[pair + P.SLIDES] else 0.0
        W[at + c], W[at + width + c], W[at + 2 * width + c] = -slide * F[k + 4], -slide * F[k + 5], slide - 1.0


@inner_kernel
def planar_pair_rows(model, scratch, pair, J):
    """Write Φ_q of a pair, its entries from W[J…] on."""
    I, W = model.I, scratch.W
    p, width = I[L.W_POSE] + 5 * I[pair + P.FIRST], I[pair + P.WIDTH]
    c, s, (d, x) = W[p + 3], W[p + 4], _reach(model, scratch, pair)
    _write(model, scratch, pair, J, -c, -s, d[1], c, s, -x[1])
    _write(model, scratch, pair, J + width, s, -c, -d[0], -s, c, x[0])
    _write_angle(model, scratch, pair, J)


@inlined
def _velocities(model, scratch, pair):
    """Return ω_i, ω_j, A_iᵀṙ_i, A_iᵀ of the velocity of j's center, and A_iᵀẋ of the second point as seen from r_i."""
    I, W = model.I, scratch.W
    v, p = I[L.W_VELOCITY], I[L.W_POSE] + 5 * I[pair + P.FIRST]
    a, b = v + 3 * I[pair + P.FIRST], v + 3 * I[pair + P.SECOND]
    own, other, x = _back(W, p, W[a], W[a + 1]), _back(W, p, W[b], W[b + 1]), _reach(model, scratch, pair)[1]
    rate = (other[0] - W[b + 2] * x[1] - own[0], other[1] + W[b + 2] * x[0] - own[1])
    return W[a + 2], W[b + 2], own, other, rate


@inner_kernel
def planar_pair_gamma(model, scratch, pair, out):
    """Write γ of a pair at W[out…]."""
    W = scratch.W
    (d, x), (oi, oj, _, _, rate) = _reach(model, scratch, pair), _velocities(model, scratch, pair)
    total = (2.0 * rate[0] + oi * d[1], 2.0 * rate[1] - oi * d[0])
    W[out], W[out + 1] = oj * oj * x[0] - oi * total[1], oj * oj * x[1] + oi * total[0]
    W[out + 2] = 0.0


@inlined
def _across(model, scratch, pair):
    """Return (sin, cos) of θ_j − θ_i as the parameters have it."""
    I, F, W = model.I, model.F, scratch.W
    angle = -F[I[pair + P.NUMBERS] + P.OFFSET]
    if I[pair + P.ROTATION] == 1:
        angle += W[I[L.W_EXTRA] + I[pair + P.EXTRA] + I[pair + P.SLIDES]]
    return sincos(angle)


@inner_kernel
def planar_alpha_rows(model, scratch, pair, J, V):
    """Write Φ_q in the axes of the bodies to W[J…] and (Φ_q v)_q to W[V…], as functions of α and of the velocities."""
    I, F, W = model.I, model.F, scratch.W
    k, width, at = I[pair + P.NUMBERS], I[pair + P.WIDTH], I[pair + P.AT_ALPHA]
    (s, c), z = _across(model, scratch, pair), _slide(model, scratch, pair)
    x = (c * F[k + 2] - s * F[k + 3], s * F[k + 2] + c * F[k + 3])
    _write(model, scratch, pair, J, -1.0, 0.0, z[1], c, -s, -x[1])
    _write(model, scratch, pair, J + width, 0.0, -1.0, -z[0], s, c, x[0])
    _write_angle(model, scratch, pair, J)
    oi, oj, own, other, _ = _velocities(model, scratch, pair)
    _write(model, scratch, pair, V, 0.0, 0.0, -own[1], 0.0, 0.0, other[1])
    _write(model, scratch, pair, V + width, 0.0, 0.0, own[0], 0.0, 0.0, -other[0])
    _write(model, scratch, pair, V + 2 * width, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for n in range(I[pair + P.ALPHAS]):
        if n < I[pair + P.SLIDES]:
            W[V + at + n], W[V + width + at + n] = oi * F[k + 5], -oi * F[k + 4]
        else:
            W[V + at + n], W[V + width + at + n] = -other[1] - oj * x[0], other[0] - oj * x[1]
        W[V + 2 * width + at + n] = 0.0


@inner_kernel
def planar_alpha_second(model, scratch, pair, fx, fy, K):
    """Add (Φ_qᵀ λ)_q of a pair, functions of α alone in the axes of the bodies; λ = (fx, fy) of its translations."""
    I, F = model.I, model.F
    k, i, j = I[pair + P.NUMBERS], 3 * I[pair + P.FIRST] - 3, 3 * I[pair + P.SECOND] - 3
    alpha, (s, c) = 3 * I[L.BODIES] + I[pair + P.EXTRA], _across(model, scratch, pair)
    y = (c * fx + s * fy, c * fy - s * fx)
    if i >= 0:
        at, stride = spot(model, i, i)
        K[at + 2] += fy
        K[at + stride + 2] -= fx
    if j >= 0:
        at, stride = spot(model, j, j)
        K[at + 2] -= y[1]
        K[at + stride + 2] += y[0]
    for n in range(I[pair + P.ALPHAS]):
        if n < I[pair + P.SLIDES]:
            if i >= 0:
                at, stride = spot(model, i, alpha + n)
                K[at + 2 * stride] += F[k + 5] * fx - F[k + 4] * fy
        elif j >= 0:
            at, stride = spot(model, j, alpha + n)
            K[at] += y[1]
            K[at + stride] -= y[0]
            K[at + 2 * stride] -= y[0] * F[k + 2] + y[1] * F[k + 3]


@inner_kernel
def planar_exact_rates(model, scratch, pair, V):
    """Write (Φ_q v)_q of a pair, exact, to W[V…]."""
    I, W = model.I, scratch.W
    p, width = I[L.W_POSE] + 5 * I[pair + P.FIRST], I[pair + P.WIDTH]
    c, s, (d, x) = W[p + 3], W[p + 4], _reach(model, scratch, pair)
    oi, oj, _, _, rate = _velocities(model, scratch, pair)
    # δ(A_iᵀẋ) − ω_i (δd′)^⊥
    _write(model, scratch, pair, V, oi * s, -oi * c, rate[1] - oi * d[0], -oi * s, oi * c, (oi - oj) * x[0])
    _write(model, scratch, pair, V + width, oi * c, oi * s, -rate[0] - oi * d[1], -oi * c, -oi * s, (oi - oj) * x[1])
    _write(model, scratch, pair, V + 2 * width, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for n in range(I[pair + P.ALPHAS]):
        for r in range(3):
            W[V + width * r + I[pair + P.AT_ALPHA] + n] = 0.0


@inner_kernel
def planar_exact_second(model, scratch, pair, fx, fy, K):
    """Add (Φ_qᵀ λ)_q of a pair, exact in the axes of the ground, to a block matrix with room for both bodies."""
    I, W = model.I, scratch.W
    i, j, p = 3 * I[pair + P.FIRST] - 3, 3 * I[pair + P.SECOND] - 3, I[L.W_POSE] + 5 * I[pair + P.FIRST]
    gx, gy = _out(W, p, fx, fy)
    d, x = _reach(model, scratch, pair)
    along = x[0] * fx + x[1] * fy
    if i >= 0:
        at, stride = spot(model, i, i)
        K[at + 2] += gy
        K[at + stride + 2] -= gx
        K[at + 2 * stride] += gy
        K[at + 2 * stride + 1] -= gx
        K[at + 2 * stride + 2] -= d[0] * fx + d[1] * fy
    if i >= 0 and j >= 0:
        at, stride = spot(model, i, j)
        K[at + 2 * stride] -= gy
        K[at + 2 * stride + 1] += gx
        K[at + 2 * stride + 2] += along
        at, stride = spot(model, j, i)
        K[at + 2] -= gy
        K[at + stride + 2] += gx
        K[at + 2 * stride + 2] += along
    if j >= 0:
        at, stride = spot(model, j, j)
        K[at + 2 * stride + 2] -= along
