"""Small systems with constraints, as the eight kernels that an implicit integrator asks (see integrators/implicit.py).

I = (system, nq, n, m, where the quaternion begins in q or −1, and in v, whether `accept` projects). Everything that is kept
lies in W. The linearization is made by central differences of the residual: good to nine digits, which a Newton iteration
cannot tell from the exact one.
"""

from __future__ import annotations

import math

from bare_blocks import bare_model_at, bare_scratch_at
from multibody.kernels.compile import inner_kernel, kernel
from multibody.kernels.declared import state_at

PENDULUM, VAN_DER_POL, STIFF, TOP, HINGED_TOP, MOVING_CIRCLE, UNTIL_ONE, OSCILLATOR, JUMPING, BLOW_UP = range(10)
ROUGH, FALLING, NARROW = range(10, 13)
SIZES = {  # nq, n, m, quaternion in q, in v
    PENDULUM: (2, 2, 1, -1, 0), VAN_DER_POL: (1, 1, 0, -1, 0), STIFF: (2, 2, 0, -1, 0), TOP: (4, 3, 0, 0, 0),
    HINGED_TOP: (7, 6, 3, 3, 3), MOVING_CIRCLE: (2, 2, 1, -1, 0), UNTIL_ONE: (1, 1, 0, -1, 0), OSCILLATOR: (1, 1, 0, -1, 0),
    JUMPING: (1, 1, 0, -1, 0), BLOW_UP: (1, 1, 0, -1, 0), ROUGH: (2, 2, 0, -1, 0), FALLING: (1, 1, 0, -1, 0),
    NARROW: (1, 1, 0, -1, 0),
}  # fmt: skip
W_SIZE = 1400
MULTIPLIERS = 1300  # where the multipliers of the last residual are found
# terms at a state: masses, forces, rows, and what belongs to them
_M, _H, _P, _PHI, _NU, _GAMMA, _POWER = 0, 36, 42, 60, 63, 66, 69
# what is kept by LINEARIZE, and factors
_KM, _KC, _KK, _KP, _KV = 70, 106, 142, 178, 196
_REAL, _COMPLEX, _METRIC, _SCRATCH = 214, 304, 646, 736
_X, _R1, _R2, _RIGHT, _MOVE = 840, 870, 900, 930, 960
TOP_MASS, TOP_ARM, TOP_INERTIA, GRAVITY = 1.5, 0.4, (0.3, 0.3, 0.1), 9.81


@inner_kernel
def _lu(W, at, size):
    """Factor the size×size matrix at W[at:] in place with row exchanges; they follow it. Return whether it is regular."""
    for k in range(size):
        best = k
        for r in range(k + 1, size):
            if abs(W[at + r * size + k]) > abs(W[at + best * size + k]):
                best = r
        W[at + size * size + k] = best
        for c in range(size):
            a, b = at + k * size + c, at + best * size + c
            W[a], W[b] = W[b], W[a]
        if not abs(W[at + k * size + k]) > 0.0:
            return False
        for r in range(k + 1, size):
            W[at + r * size + k] /= W[at + k * size + k]
            for c in range(k + 1, size):
                W[at + r * size + c] -= W[at + r * size + k] * W[at + k * size + c]
    return True


@inner_kernel
def _lu_solve(W, at, size, x):
    """Solve with the factors at W[at:]; x is overwritten."""
    for k in range(size):
        p = int(W[at + size * size + k])
        x[k], x[p] = x[p], x[k]
    for r in range(size):
        for c in range(r):
            x[r] -= W[at + r * size + c] * x[c]
    for r in range(size - 1, -1, -1):
        for c in range(r + 1, size):
            x[r] -= W[at + r * size + c] * x[c]
        x[r] /= W[at + r * size + r]


@inner_kernel
def _down(q, k, x, y, z):
    """Return Aᵀ(x, y, z) for the quaternion at q[k:], of any length."""
    e0, e1, e2, e3 = q[k], q[k + 1], q[k + 2], q[k + 3]
    s = 2.0 / (e0 * e0 + e1 * e1 + e2 * e2 + e3 * e3)
    # A v = v + s (e × (e × v) + e0 e × v), Aᵀ with the opposite e
    cx, cy, cz = -(e2 * z - e3 * y), -(e3 * x - e1 * z), -(e1 * y - e2 * x)
    dx, dy, dz = -(e2 * cz - e3 * cy), -(e3 * cx - e1 * cz), -(e1 * cy - e2 * cx)
    return x + s * (dx + e0 * cx), y + s * (dy + e0 * cy), z + s * (dz + e0 * cz)


@inner_kernel
def _top(model, scratch, q, v):
    """Write the terms of the heavy top with a fixed point, alone or as a free body with a hinge."""
    I, W = model.I, scratch.W
    n, hinged = I[2], I[3] > 0
    k, w = I[4], I[5]
    wx, wy, wz = v[w], v[w + 1], v[w + 2]
    J1, J2, J3 = TOP_INERTIA
    ux, uy, _ = _down(q, k, 0.0, 0.0, 1.0)  # vertical in the body
    moment = 0.0 if hinged else -TOP_MASS * GRAVITY * TOP_ARM
    own = TOP_MASS * TOP_ARM * TOP_ARM
    if not hinged:
        J1, J2 = J1 + own, J2 + own
    W[_M + w * n + w] = J1
    W[_M + (w + 1) * n + w + 1] = J2
    W[_M + (w + 2) * n + w + 2] = J3
    # arm along the body's third axis: torque of the weight is s × (−m g u)
    W[_H + w] = wy * wz * (J3 - J2) - moment * (-uy)
    W[_H + w + 1] = wz * wx * (J1 - J3) - moment * ux
    W[_H + w + 2] = wx * wy * (J2 - J1)
    W[_POWER] = 0.0
    if hinged:
        for i in range(3):
            W[_M + i * n + i] = TOP_MASS
        W[_H + 2] = TOP_MASS * GRAVITY
        W[_POWER] = -TOP_MASS * GRAVITY * v[2]
        for i in range(3):  # Φ = r − A s: rows (1, A s̃) with s = arm·e3; row i of A is Aᵀe_i
            ax, ay, az = _down(q, k, 1.0 if i == 0 else 0.0, 1.0 if i == 1 else 0.0, 1.0 if i == 2 else 0.0)
            W[_P + i * n + i] = 1.0
            W[_P + i * n + 3] = TOP_ARM * ay
            W[_P + i * n + 4] = -TOP_ARM * ax
            W[_PHI + i] = q[i] - TOP_ARM * az
            # A (ω × (ω × s)) = γ
            cx, cy, cz = wx * wz, wy * wz, -(wx * wx + wy * wy)
            W[_GAMMA + i] = TOP_ARM * (ax * cx + ay * cy + az * cz)


@inner_kernel
def _terms(model, scratch, t, q, v):
    """Write M, h, Φ_q, Φ, ν, γ and the power at (t, q, v); return a status."""
    I, F, W = model.I, model.F, scratch.W
    system, n = I[0], I[2]
    for i in range(70):
        W[i] = 0.0
    for i in range(n):
        W[_M + i * n + i] = 1.0
    if system in (PENDULUM, MOVING_CIRCLE):
        length, rate, bend = 1.0, 0.0, 0.0
        if system == MOVING_CIRCLE:
            length, rate, bend = 1.0 + 0.2 * math.sin(2.0 * t), 0.4 * math.cos(2.0 * t), -0.8 * math.sin(2.0 * t)
        W[_H + 1] = GRAVITY
        W[_POWER] = -GRAVITY * v[1]
        W[_P] = q[0]
        W[_P + 1] = q[1]
        W[_PHI] = 0.5 * (q[0] * q[0] + q[1] * q[1] - length * length)
        W[_NU] = length * rate
        W[_GAMMA] = rate * rate + length * bend - v[0] * v[0] - v[1] * v[1]
    elif system == VAN_DER_POL:
        W[_H] = q[0] - F[0] * (1.0 - q[0] * q[0]) * v[0]
        W[_POWER] = v[0] * v[0]
    elif system == STIFF:
        W[_H] = q[0]
        W[_H + 1] = F[0] * (q[1] - math.sin(t)) + F[1] * (v[1] - math.cos(t)) + math.sin(t)
    elif system in (TOP, HINGED_TOP):
        _top(model, scratch, q, v)
    elif system == UNTIL_ONE:
        if t > 1.0 and F[0] != 0.0:
            return int(F[0])
        W[_H] = q[0] if t <= 1.0 else math.nan
    elif system == JUMPING:
        W[_H] = q[0] + 0.1 * v[0] - (1.0 if math.sin(3.0 * t) > 0.0 else -1.0)
    elif system == BLOW_UP:
        W[_H] = -2.0 * q[0] * v[0]
    elif system == FALLING:
        W[_H] = 2.0
    elif system == NARROW and abs(q[0]) > 1.05:
        return 5
    else:
        for i in range(n):
            W[_H + i] = q[i] if i == 0 else q[i] + 1e3 * math.sin(300.0 * t)
        W[_POWER] = -q[0] * v[0]
    return 0


@inner_kernel
def _metric(model, scratch):
    """Factor [M, Φ_qᵀ; Φ_q, 0] of the terms; return whether it is regular."""
    I, W = model.I, scratch.W
    n, m = I[2], I[3]
    size = n + m
    for i in range(size * size):
        W[_METRIC + i] = 0.0
    for i in range(n):
        for j in range(n):
            W[_METRIC + i * size + j] = W[_M + i * n + j]
        for r in range(m):
            W[_METRIC + i * size + n + r] = W[_P + r * n + i]
            W[_METRIC + (n + r) * size + i] = W[_P + r * n + i]
    return _lu(W, _METRIC, size)


@kernel
def start(model, state, scratch, t, y, out):
    model, state, scratch = bare_model_at(model), state_at(state), bare_scratch_at(scratch)
    I, W = model.I, scratch.W
    nq, n, m = I[1], I[2], I[3]
    status = _terms(model, scratch, t, y[:nq], y[nq:])
    if status != 0 or not _metric(model, scratch):
        return max(status, 1)
    for i in range(n):
        out[i] = -W[_H + i]
    for i in range(m):
        out[n + i] = W[_GAMMA + i]
    _lu_solve(W, _METRIC, n + m, out)
    out[n + m] = W[_POWER]
    return 0


@kernel
def residual(model, state, scratch, t, x, out):
    model, state, scratch = bare_model_at(model), state_at(state), bare_scratch_at(scratch)
    I, W = model.I, scratch.W
    nq, n, m = I[1], I[2], I[3]
    v, a, lam = x[nq : nq + n], x[nq + n : nq + 2 * n], x[nq + 2 * n :]
    status = _terms(model, scratch, t, x[:nq], v)
    if status != 0:
        return status
    for i in range(n):
        out[i] = W[_H + i]
        for j in range(n):
            out[i] += W[_M + i * n + j] * a[j]
        for r in range(m):
            out[i] += W[_P + r * n + i] * lam[r]
    for r in range(m):
        W[MULTIPLIERS + r] = lam[r]
        out[n + r] = -W[_NU + r]
        out[n + m + r] = W[_PHI + r]
        out[n + 2 * m + r] = -W[_GAMMA + r]
        for j in range(n):
            out[n + r] += W[_P + r * n + j] * v[j]
            out[n + 2 * m + r] += W[_P + r * n + j] * a[j]
    out[n + 3 * m] = W[_POWER]
    return 0


@inner_kernel
def _turned(model, q, d, out):
    """Write q moved along the tangent d."""
    I = model.I
    k, w = I[4], I[5]
    for i in range(I[1] if k < 0 else k):
        out[i] = q[i] + d[i]
    if k >= 0:
        angle = math.sqrt(d[w] * d[w] + d[w + 1] * d[w + 1] + d[w + 2] * d[w + 2])
        c, s = math.cos(0.5 * angle), 0.5 - angle * angle / 48.0
        if angle > 1e-4:
            s = math.sin(0.5 * angle) / angle
        _quaternion_product(q, k, c, s * d[w], s * d[w + 1], s * d[w + 2], out)


@inner_kernel
def _quaternion_product(q, k, c, x, y, z, out):
    """Write q[k:]∘(c, x, y, z) into out[k:]."""
    e0, e1, e2, e3 = q[k], q[k + 1], q[k + 2], q[k + 3]
    out[k] = e0 * c - e1 * x - e2 * y - e3 * z
    out[k + 1] = e0 * x + e1 * c + e2 * z - e3 * y
    out[k + 2] = e0 * y + e2 * c + e3 * x - e1 * z
    out[k + 3] = e0 * z + e3 * c + e1 * y - e2 * x


@kernel
def linearize(model, state, scratch, t, x, out):
    model, state, scratch = bare_model_at(model), state_at(state), bare_scratch_at(scratch)
    I, W = model.I, scratch.W
    nq, n, m = I[1], I[2], I[3]
    status = _terms(model, scratch, t, x[:nq], x[nq : nq + n])
    if status != 0:
        return status
    for i in range(n * n):
        W[_KM + i] = W[_M + i]
    for i in range(m * n):
        W[_KP + i] = W[_P + i]
    z, low, high = W[_X : _X + nq + 2 * n + m], W[_R1 : _R1 + n + 3 * m + 1], W[_R2 : _R2 + n + 3 * m + 1]
    d = W[_MOVE : _MOVE + n]
    for along in range(2):
        for j in range(n):
            step = 1e-6 * max(1.0, abs(x[nq + j]))
            for sign in range(2):
                for i in range(nq + 2 * n + m):
                    z[i] = x[i]
                for i in range(n):
                    d[i] = 0.0
                d[j] = step if sign == 1 else -step
                if along == 0:
                    z[nq + j] += d[j]
                else:
                    _turned(model, x, d, z)
                status = residual(model, state, scratch, t, z, high if sign == 1 else low)
                if status != 0:
                    return status
            for i in range(n):
                W[(_KC if along == 0 else _KK) + i * n + j] = (high[i] - low[i]) / (2.0 * step)
            for r in range(m):
                if along == 1:
                    W[_KV + r * n + j] = (high[n + r] - low[n + r]) / (2.0 * step)
    return 0


@inner_kernel
def _assemble(model, scratch, x, part, at, size, row, column, sign):
    """Add one part (0 real, 1 imaginary) of the iteration matrix at a place of a larger one."""
    I, W = model.I, scratch.W
    n, m = I[2], I[3]
    for i in range(n):
        for j in range(n):
            value = x[part] * W[_KM + i * n + j] + x[2 + part] * W[_KC + i * n + j] + x[4 + part] * W[_KK + i * n + j]
            W[at + (row + i) * size + column + j] = sign * value
        for r in range(m):
            if part == 0:
                W[at + (row + i) * size + column + n + r] = W[_KP + r * n + i]
            W[at + (row + n + r) * size + column + i] = sign * (
                x[6 + part] * W[_KP + r * n + i] + x[8 + part] * W[_KV + r * n + i]
            )


@kernel
def factor(model, state, scratch, t, x, out):
    model, state, scratch = bare_model_at(model), state_at(state), bare_scratch_at(scratch)
    I, W = model.I, scratch.W
    size = I[2] + I[3]
    out[0] = 1.0
    if out.shape[0] == 1:
        for i in range(size * size):
            W[_REAL + i] = 0.0
        _assemble(model, scratch, x, 0, _REAL, size, 0, 0, 1.0)
        return 0 if _lu(W, _REAL, size) else 1
    for i in range(4 * size * size):
        W[_COMPLEX + i] = 0.0
    _assemble(model, scratch, x, 0, _COMPLEX, 2 * size, 0, 0, 1.0)
    _assemble(model, scratch, x, 0, _COMPLEX, 2 * size, size, size, 1.0)
    _assemble(model, scratch, x, 1, _COMPLEX, 2 * size, 0, size, -1.0)
    _assemble(model, scratch, x, 1, _COMPLEX, 2 * size, size, 0, 1.0)
    return 0 if _lu(W, _COMPLEX, 2 * size) else 1


@kernel
def solve(model, state, scratch, t, x, out):
    model, state, scratch = bare_model_at(model), state_at(state), bare_scratch_at(scratch)
    I, W = model.I, scratch.W
    size = I[2] + I[3]
    for i in range(x.shape[0]):
        out[i] = x[i]
    _lu_solve(W, _REAL if x.shape[0] == size else _COMPLEX, x.shape[0], out)
    return 0


@kernel
def product(model, state, scratch, t, x, out):
    model, state, scratch = bare_model_at(model), state_at(state), bare_scratch_at(scratch)
    I, W = model.I, scratch.W
    n, m = I[2], I[3]
    for i in range(n):
        out[i] = 0.0
        for j in range(n):
            out[i] += W[_KM + i * n + j] * x[j] + W[_KC + i * n + j] * x[n + j] + W[_KK + i * n + j] * x[2 * n + j]
    for r in range(m):
        out[n + r] = 0.0
        for j in range(n):
            out[n + r] += W[_KP + r * n + j] * x[n + j] + W[_KV + r * n + j] * x[2 * n + j]
    return 0


@kernel
def move(model, state, scratch, t, x, out):
    model, state, scratch = bare_model_at(model), state_at(state), bare_scratch_at(scratch)
    I = model.I
    nq, code, k, w = I[1], int(x[0]), I[4], I[5]
    plain = nq if k < 0 else k
    if code == 0:
        for i in range(plain):
            out[i] = x[1 + nq + i]
        if k >= 0:
            o = 1 + nq + w
            _quaternion_product(x[1:], k, 0.0, 0.5 * x[o], 0.5 * x[o + 1], 0.5 * x[o + 2], out)
    elif code == 1:
        for i in range(plain):
            out[i] = x[1 + nq + i]
        if k >= 0:
            e0, e1, e2, e3 = x[1 + k], x[2 + k], x[3 + k], x[4 + k]
            d0, d1, d2, d3 = x[1 + nq + k], x[2 + nq + k], x[3 + nq + k], x[4 + nq + k]
            s = 2.0 / (e0 * e0 + e1 * e1 + e2 * e2 + e3 * e3)
            out[w] = s * (e0 * d1 - e1 * d0 - e2 * d3 + e3 * d2)
            out[w + 1] = s * (e0 * d2 - e2 * d0 - e3 * d1 + e1 * d3)
            out[w + 2] = s * (e0 * d3 - e3 * d0 - e1 * d2 + e2 * d1)
    elif code == 2:
        c, o = x[1], 2 + nq + w
        for i in range(plain):
            out[i] = (x[2 + nq + i] - x[2 + i]) / c
        if k >= 0:
            wx, wy, wz = 0.5 * x[o], 0.5 * x[o + 1], 0.5 * x[o + 2]
            s = -1.0 / (c * c + wx * wx + wy * wy + wz * wz)
            _quaternion_product(x[2:], k, s * c, s * wx, s * wy, s * wz, out)
    else:
        _turned(model, x[1:], x[1 + nq :], out)
    return 0


@kernel
def correct(model, state, scratch, t, x, out):
    model, state, scratch = bare_model_at(model), state_at(state), bare_scratch_at(scratch)
    I, W = model.I, scratch.W
    n, m = I[2], I[3]
    b = W[_RIGHT : _RIGHT + n + m]
    for i in range(n):
        b[i] = 0.0
    for r in range(m):
        b[n + r] = x[r]
    _lu_solve(W, _METRIC, n + m, b)
    for i in range(n):
        out[i] = b[i]
    return 0


@kernel
def accept(model, state, scratch, t, y, active):
    """Factor the metric at the new state; if asked, normalize the quaternion and go onto Φ = 0 and ψ = 0."""
    model, state, scratch = bare_model_at(model), state_at(state), bare_scratch_at(scratch)
    I, W = model.I, scratch.W
    nq, n, m, k = I[1], I[2], I[3], I[4]
    d, q = W[_MOVE : _MOVE + n], W[_X : _X + nq]
    for _ in range(3):
        if k >= 0 and I[6] > 0:
            s = 1.0 / math.sqrt(y[k] * y[k] + y[k + 1] * y[k + 1] + y[k + 2] * y[k + 2] + y[k + 3] * y[k + 3])
            for i in range(4):
                y[k + i] *= s
        if _terms(model, scratch, t, y[:nq], y[nq : nq + n]) != 0 or not _metric(model, scratch):
            return 2
        if I[6] == 0 or m == 0:
            return 0
        correct(model, state, scratch, t, W[_PHI : _PHI + m], d)
        for i in range(n):
            d[i] = -d[i]
        _turned(model, y, d, q)
        for i in range(nq):
            y[i] = q[i]
    b = W[_R1 : _R1 + m]
    _terms(model, scratch, t, y[:nq], y[nq : nq + n])
    _metric(model, scratch)
    for r in range(m):
        b[r] = W[_NU + r]
        for j in range(n):
            b[r] -= W[_P + r * n + j] * y[nq + j]
    correct(model, state, scratch, t, b, d)
    for i in range(n):
        y[nq + i] += d[i]
    return 1


OPS = (start, residual, linearize, factor, solve, product, move, correct)
