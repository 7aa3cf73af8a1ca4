"""Linear systems of a parametric run: the equations of motion by block LU, and those of implicit methods, turned and scaled."""

from __future__ import annotations

import math

from multibody.kernels import blocks as B
from multibody.kernels import layout as L
from multibody.kernels import sections as R
from multibody.kernels.calls import call
from multibody.kernels.compile import inner_kernel, kernel
from multibody.kernels.declared import model_at, scratch_at, state_at
from multibody.kernels.parametric import layout as P
from multibody.kernels.parametric.turning import scale_vector, turn_rows, turn_vector
from multibody.kernels.rotations import sincos

LOST = -29.0  # logarithm of the ratio where a pivot vanishes that never did before
DOUBTFUL, SOUND = 0.3, 0.6  # ratios at which other rows are looked for, and above which they may be looked for again

NEAR_GIMBAL = 0.3  # cos α₂ of a ball below which its chart is moved
FLAT = 1e-4  # sine below which a cosine row counts as lost


@inner_kernel
def _regularity(model, scratch, h, b):
    """Return the smallest determinant of a group over the largest that it ever had; where an unknown became idle, next to 0.

    Near a change point the pivot that vanishes makes that of its group vanish; order and units of the unknowns do not matter.
    """
    I, W = model.I, scratch.W
    first, X, lowest = I[h + P.W_SEEN], I[b + B.W_FACTOR], 0.0
    for p in range(I[b + B.GROUP_COUNT]):
        group, seen = I[b + B.GROUPS] + 6 * p, first + 2 * p
        size, at = I[group], X + I[group + 2]
        total, idle = 0.0, 0.0
        for k in range(size):
            inverse = abs(W[at + size * k + k])
            if inverse > 0.0:
                total -= math.log(inverse)
            else:
                idle += 1.0
        if idle < W[seen + 1]:
            W[seen], W[seen + 1] = total, idle
        if idle > W[seen + 1]:
            lowest = min(lowest, LOST)
        else:
            W[seen] = max(W[seen], total)
            lowest = min(lowest, total - W[seen])
    return math.exp(lowest)


@kernel
def factor_pairs(model, state, scratch, t, x, out):
    """Form and factor [M Φ_qᵀ; Φ_q 0] of the rows in W_J; the smallest pivot ratio goes to PAIR_RATIO."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    I, W = model.I, scratch.W
    h = I[R.PARAMETRIC]
    b, before = I[h + P.KKT], I[R.NEWTON]
    columns, rows, at = I[h + P.W_COLUMN_SCALE], I[h + P.W_ROW_SCALE], I[h + P.W_COEFFICIENTS]
    near = I[R.W_SETTINGS] + R.NEAR_CHANGE
    W[I[R.W_STATISTICS] + R.FACTORIZATIONS] += 1.0
    for e in range(I[b + B.ENTRY_COUNT]):
        record = I[b + B.ENTRIES] + B.ENTRY_STRIDE * e
        k = W[columns + I[record + 1]] * W[rows + I[record + 2]]
        W[I[b + B.W_P] + I[record]] = k * W[I[R.W_J] + I[record]]
    for k in range(10):
        W[at + k] = 1.0 if k == 0 or k == 6 else 0.0
    I[R.NEWTON], kept, W[near] = b, W[near], 0.0  # these factors are the same near a change point
    call(I[h + P.KKT_FACTOR], (model, state, scratch), t, W[at : at + 10], W[at + 10 : at + 11])
    I[R.NEWTON], W[near] = before, kept
    W[I[h + R.PAIR_RESULT] + R.PAIR_RATIO] = _regularity(model, scratch, h, b)
    return 0


@inner_kernel
def _solve_kkt(model, state, scratch, t):
    """Solve for the right side at W_VECTOR, which is overwritten; write the columns to W_A and the rows to W_LAMBDA."""
    I, W = model.I, scratch.W
    h, n, m = I[R.PARAMETRIC], I[L.VELOCITIES], I[R.CHOSEN_COUNT]
    at, before = I[h + P.W_VECTOR], I[R.NEWTON]
    end = at + n + m
    scale_vector(model, scratch, at, n, m, False)
    near = I[R.W_SETTINGS] + R.NEAR_CHANGE
    I[R.NEWTON], kept, W[near] = I[h + P.KKT], W[near], 0.0
    call(I[h + P.KKT_SOLVE], (model, state, scratch), t, W[at:end], W[end : end + n + m])
    I[R.NEWTON], W[near] = before, kept
    scale_vector(model, scratch, end, n, m, False)
    for c in range(n):
        W[I[R.W_A] + c] = W[end + c]
    for k in range(m):
        W[I[R.W_LAMBDA] + k] = W[end + n + k]


@kernel
def solve_pairs(model, state, scratch, t, x, out):
    """Write v̇ to W_A and λ to W_LAMBDA from the forces in W_Q and γ in W_X."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    I, W = model.I, scratch.W
    n, at = I[L.VELOCITIES], I[I[R.PARAMETRIC] + P.W_VECTOR]
    for c in range(n):
        W[at + c] = W[I[R.W_Q] + c]
    for k in range(I[R.CHOSEN_COUNT]):
        W[at + n + k] = W[I[R.W_X] + I[I[R.CHOSEN] + k]]
    _solve_kkt(model, state, scratch, t)
    return 0


@kernel
def correct_pairs(model, state, scratch, t, x, out):
    """Write the smallest change of the bodies (in the metric of the masses) with Φ_q x = W_X, and that of α, to W_A."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    I, W = model.I, scratch.W
    n, at = I[L.VELOCITIES], I[I[R.PARAMETRIC] + P.W_VECTOR]
    for c in range(n):
        W[at + c] = 0.0
    for k in range(I[R.CHOSEN_COUNT]):
        W[at + n + k] = W[I[R.W_X] + I[I[R.CHOSEN] + k]]
    _solve_kkt(model, state, scratch, t)
    return 0


@kernel
def residual_turned(model, state, scratch, t, x, out):
    """Write the residuals; near a change point those of v̇ − f, parameters have no mass that could multiply them."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    I, W = model.I, scratch.W
    h = I[R.PARAMETRIC]
    status = call(I[h + P.NEWTON_RESIDUAL], (model, state, scratch), t, x, out)
    if W[I[R.W_SETTINGS] + R.NEAR_CHANGE] > 0.0:
        for c in range(I[L.VELOCITIES]):
            k = W[I[h + P.W_COLUMN_SCALE] + c]
            out[c] /= k * k
    return status


@kernel
def solve_turned(model, state, scratch, t, x, out):
    """Solve a linear system of an implicit method, real or complex; right side and solution in ground axes."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    I, W = model.I, scratch.W
    h, n, m, size = I[R.PARAMETRIC], I[L.VELOCITIES], I[R.CHOSEN_COUNT], x.shape[0]
    at = I[h + P.W_VECTOR]
    for k in range(size):
        W[at + k] = x[k]
    for part in range(size // (n + m)):
        turn_vector(model, scratch, at + (n + m) * part, True)
        turn_rows(model, scratch, at + (n + m) * part + n, True)
        scale_vector(model, scratch, at + (n + m) * part, n, m, False)
    end = at + size
    status = call(I[h + P.NEWTON_SOLVE], (model, state, scratch), t, W[at:end], W[end : end + size])
    for part in range(size // (n + m)):
        scale_vector(model, scratch, end + (n + m) * part, n, m, False)
        turn_rows(model, scratch, end + (n + m) * part + n, False)
        turn_vector(model, scratch, end + (n + m) * part, False)
    for k in range(size):
        out[k] = W[end + k]
    return status


@kernel
def product_turned(model, state, scratch, t, x, out):
    """Write M a + C v + K q and Φ_q v + V q for x = (a, v, q) in ground axes, with the kept matrices."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    I, W = model.I, scratch.W
    h, n, m = I[R.PARAMETRIC], I[L.VELOCITIES], I[R.CHOSEN_COUNT]
    at = I[h + P.W_VECTOR]
    end = at + 3 * n
    for k in range(3 * n):
        W[at + k] = x[k]
    for part in range(3):
        turn_vector(model, scratch, at + n * part, True)
        scale_vector(model, scratch, at + n * part, n, 0, True)
    status = call(I[h + P.NEWTON_PRODUCT], (model, state, scratch), t, W[at:end], W[end : end + n + m])
    scale_vector(model, scratch, end, n, m, True)
    turn_rows(model, scratch, end + n, False)
    turn_vector(model, scratch, end, False)
    for k in range(n + m):
        out[k] = W[end + k]
    return status


@inner_kernel
def _unfit(model, scratch, h, y):
    """Return why a pair's parameters in y do not serve any more, and which pair; 0 where all do."""
    I, W = model.I, scratch.W
    first = I[L.COORDINATES] - I[L.EXTRAS]
    for n in range(I[h + P.PAIR_COUNT]):
        pair = I[h + P.PAIRS] + P.PAIR_STRIDE * n
        rotation, at = I[pair + P.ROTATION], first + I[pair + P.EXTRA] + I[pair + P.SLIDES]
        if I[L.DIMENSION] == 2:
            continue
        if I[pair + P.COSINE] == 0:
            if rotation == 3 and abs(sincos(y[at + 1])[1]) < NEAR_GIMBAL:
                return R.MOVING_CHART, n
            continue
        for k in range(rotation):
            value = sincos(y[at + k])[1 if rotation == 3 and k == 1 else 0]  # cos α₂ of a ball, else the sines
            last = I[h + P.W_LAST] + 3 * n + k
            if abs(value) < FLAT or value * W[last] < 0.0:
                return R.LOST_RANK, n
            W[last] = value
    return 0, -1


@kernel
def accept_parametric(model, state, scratch, t, y, active):
    """Accept a state: project it, and let the angle references of pairs follow their parameters."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    I, W, ref = model.I, scratch.W, state.ref
    h = I[R.PARAMETRIC]
    why, pair = _unfit(model, scratch, h, y)
    W[I[h + R.PAIR_RESULT] + R.PAIR_TROUBLE] = pair
    if why != 0:
        return why
    status = call(I[h + P.CLOSE], (model, state, scratch), t, y, active)
    result = I[h + R.PAIR_RESULT]
    ratio = W[result + R.PAIR_RATIO]
    if ratio < DOUBTFUL and W[result + R.PAIR_CHOICE] > 0.0:
        return R.OTHER_ROWS
    if ratio > SOUND and W[result + R.PAIR_CHOICE] == 0.0:
        W[result + R.PAIR_CHOICE] = 1.0
    if 0 <= status <= 1 or 4 <= status <= 5:
        first = I[L.COORDINATES] - I[L.EXTRAS]
        for k in range(I[h + P.SHADOW_COUNT]):
            record = I[h + P.SHADOWS] + 2 * k
            ref[I[record]] = y[first + I[record + 1]]
    return status
