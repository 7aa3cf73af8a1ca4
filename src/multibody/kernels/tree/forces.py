"""Forces of joints: the wrench R̂ that a joint puts on its link, for all joints or for selected ones, and what follows from it.

Kim, You (1996): reaction (30), (31) and driving force (36). With Ẏ = S + a and G_i = K_i S_i − L_i,
R̂_i = G_i + K_i a_i + Σ U_l q̈_l over the columns l beyond link i, U_l = K_l B_l: nothing but what forming (15) made.
"""

from __future__ import annotations

import math

from multibody.kernels import layout as L
from multibody.kernels import sections as R
from multibody.kernels.compile import inner_kernel
from multibody.kernels.rows import row_jacobian
from multibody.kernels.tree import layout as T
from multibody.kernels.tree.algebra import inner, load, load_rigid, plus, rigid_times, store, width, zero
from multibody.kernels.tree.bodies import wrench_about
from multibody.kernels.tree.composite import carried_in
from multibody.kernels.tree.frames import center_of, column_of, link_of, record_of, state_of
from multibody.kernels.tree.loops import loop_wrenches
from multibody.kernels.tree.transformation import at_center
from multibody.kernels.tree.wrenches import joint_wrenches, spread


@inner_kernel
def selected_wrench(d, model, scratch, h, i, x):
    """Return R̂ of the joint of link i about o by eq. (30): K, G summed, U and a of the links known, q̈ at W[x…]."""
    I, W = model.I, scratch.W
    w, link, at = width(d), link_of(model, h, i), state_of(d, model, scratch, h, i)
    f = load(d, W, at + T.FORCE * w)
    f = plus(d, 1.0, rigid_times(d, load_rigid(d, W, at + T.INERTIA * w), load(d, W, at + T.CHANGE * w)), f)
    end = I[link + T.END]
    if i + 1 < end:
        k = I[link + T.FIRST] + I[link + T.COUNT]
        stop = I[h + T.COLUMN_COUNT] if end == I[h + T.LINK_COUNT] else I[link_of(model, h, end) + T.FIRST]
        for l in range(k, stop):
            r = I[record_of(model, h, l) + T.RATE]
            if r >= 0:
                u, j = load(d, W, column_of(d, model, h, l) + w), I[record_of(model, h, l) + T.LINK]
                while j != i:
                    u = carried_in(d, model, scratch, h, j, u)
                    j = I[link_of(model, h, j) + T.CARRIER]
                f = plus(d, W[x + r], u, f)
    return f


@inner_kernel
def joint_multipliers(d, model, state, scratch, t, h, out):
    """Write λ of the rows of tree joints and of the motions on them; u̇ and λ of the loops are known.

    The rows of a joint act on its link with −Φ_yᵀ λ; efforts of laws are applied forces, so that this is R̂ up to the efforts of
    motions. λ is what R̂ needs along the gradients of the rows (normal equations of at most six). R̂ of all joints comes from
    Newton–Euler, of selected ones from (30).
    """
    I, W = model.I, scratch.W
    w, count = width(d), I[h + T.SELECTED_COUNT]
    if count >= 0:
        spread(d, model, scratch, h, I[R.W_A])
        _loops_alone(d, model, state, scratch, t, h)
        for k in range(count):
            i = I[I[h + T.SELECTED] + k]
            f = plus(d, 1.0, _loops_beyond(d, model, scratch, h, i), selected_wrench(d, model, scratch, h, i, I[R.W_A]))
            store(d, W, state_of(d, model, scratch, h, i) + T.WRENCH * w, f)
            _multipliers_of(d, model, state, scratch, t, h, i, out)
        return
    joint_wrenches(d, model, state, scratch, t, h)
    for i in range(I[h + T.LINK_COUNT]):
        at = state_of(d, model, scratch, h, i)
        store(d, W, at + T.WRENCH * w, load(d, W, at + T.FORCE * w))
        _multipliers_of(d, model, state, scratch, t, h, i, out)


@inner_kernel
def _loops_alone(d, model, state, scratch, t, h):
    """Write Φ_yᵀ λ of the loops on every link to W_WRENCH."""
    I, W = model.I, scratch.W
    for i in range(I[h + T.LINK_COUNT] if I[R.CHOSEN_COUNT] > 0 else 0):
        store(d, W, I[h + T.W_WRENCH] + width(d) * i, zero(d))
    loop_wrenches(d, model, state, scratch, t, h, I[h + T.W_WRENCH])


@inner_kernel
def _loops_beyond(d, model, scratch, h, i):
    """Return the sum of the loops' wrenches on the subtree of link i, about its o."""
    I, W = model.I, scratch.W
    total = zero(d)
    for l in range(i, I[link_of(model, h, i) + T.END] if I[R.CHOSEN_COUNT] > 0 else i):
        f, j = load(d, W, I[h + T.W_WRENCH] + width(d) * l), l
        while j != i:
            f = carried_in(d, model, scratch, h, j, f)
            j = I[link_of(model, h, j) + T.CARRIER]
        total = plus(d, 1.0, f, total)
    return total


@inner_kernel
def _multipliers_of(d, model, state, scratch, t, h, i, out):
    """Write λ of the motions on link i's joint, −τ of (36), and of the joint's own rows; R̂ is known."""
    I, W = model.I, scratch.W
    w, link, rows = width(d), link_of(model, h, i), I[h + T.JOINT_ROWS] + 2 * i
    f = load(d, W, state_of(d, model, scratch, h, i) + T.WRENCH * w)
    for j in range(I[link + T.FIRST], I[link + T.FIRST] + I[link + T.COUNT]):
        rate = I[record_of(model, h, j) + T.RATE]
        if rate < 0:
            out[I[I[h + T.GIVEN] - 2 * (rate + 1) + 1]] = -inner(d, load(d, W, column_of(d, model, h, j)), f)
    if I[rows + 1] > I[rows]:
        _fit(d, model, state, scratch, t, h, i, I[rows], I[rows + 1], out)


@inner_kernel
def _fit(d, model, state, scratch, t, h, i, lo, hi, out):
    """Write λ of the rows lo..hi−1 of the joint of link i, of which R̂ (less the motions' own efforts) is made."""
    I, F, W = model.I, model.F, scratch.W
    w, m, g = width(d), hi - lo, I[h + T.W_FIT]
    s, link = state_of(d, model, scratch, h, i), link_of(model, h, i)
    f = at_center(d, center_of(d, W, s), load(d, W, s + T.WRENCH * w))
    for j in range(I[link + T.FIRST], I[link + T.FIRST] + I[link + T.COUNT]):
        rate = I[record_of(model, h, j) + T.RATE]
        if rate < 0:
            row = I[I[h + T.GIVEN] - 2 * (rate + 1) + 1]
            _gradient(d, model, state, scratch, t, h, i, row, g)
            f = plus(d, out[row], at_center(d, center_of(d, W, s), load(d, W, g)), f)
    for k in range(m):
        _gradient(d, model, state, scratch, t, h, i, lo + k, g + w * k)
        store(d, W, g + w * k, at_center(d, center_of(d, W, s), load(d, W, g + w * k)))
    A, x, length = g + w * m, g + w * m + m * m, F[I[L.LENGTH]]
    for k in range(m):
        scaled = over_length(d, load(d, W, g + w * k), length)
        for l in range(k + 1):
            W[A + m * k + l] = inner(d, scaled, load(d, W, g + w * l))
        W[x + k] = -inner(d, scaled, f)
    _solve_small(W, A, x, m)
    for k in range(m):
        out[lo + k] = W[x + k]


@inner_kernel
def over_length(d, f, length):
    """Return a force with its moment over the square of a length: the metric in which both count alike."""
    k = 1.0 / (length * length)
    if d is None:
        return (f[0], f[1], k * f[2])
    return (f[0], f[1], f[2], k * f[3], k * f[4], k * f[5])


@inner_kernel
def _gradient(d, model, state, scratch, t, h, i, r, out):
    """Write the gradient of row r over the body of link i, as a force about o, to W[out…]."""
    I, W = model.I, scratch.W
    w, body, entries = width(d), I[link_of(model, h, i) + T.BODY], I[h + T.W_ENTRIES]
    row = I[L.ROWS] + L.ROW_STRIDE * r
    row_jacobian(model, state, scratch, t, r, r + 1, W[entries:])
    store(d, W, out, zero(d))
    for e in range(I[row + 3]):
        if I[I[L.COLUMNS] + I[row + 2] + e] == w * (body - 1):
            store(d, W, out, wrench_about(d, model, scratch, h, i, entries + e))


@inner_kernel
def _solve_small(W, A, x, m):
    """Solve a positive definite system of m equations in place (Cholesky; lower triangle by rows at W[A…])."""
    for i in range(m):
        for j in range(i + 1):
            total = W[A + m * i + j]
            for k in range(j):
                total -= W[A + m * i + k] * W[A + m * j + k]
            W[A + m * i + j] = math.sqrt(total) if i == j else total / W[A + m * j + j]
    for i in range(m):
        for k in range(i):
            W[x + i] -= W[A + m * i + k] * W[x + k]
        W[x + i] /= W[A + m * i + i]
    for i in range(m - 1, -1, -1):
        for k in range(i + 1, m):
            W[x + i] -= W[A + m * k + i] * W[x + k]
        W[x + i] /= W[A + m * i + i]
