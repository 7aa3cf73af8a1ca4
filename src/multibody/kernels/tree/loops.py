"""Rows that the tree does not satisfy by itself (cut joints, constraints, motions elsewhere), over the unknown rates.

A row of Φ_q over the bodies' velocity columns is a wrench on every body that it touches; B_kᵀ times that wrench, for every column
on the way to the ground, is the row over joint rates: Φ_u = Φ_y B and γ_u = γ_y − Φ_y Ḃ u of Lee, Sohn, Kim, Yoo (2001), eq. (2).
"""

from __future__ import annotations

from multibody.kernels import layout as L
from multibody.kernels import sections as R
from multibody.kernels.compile import inner_kernel
from multibody.kernels.rows import row_gamma, row_jacobian, row_values, row_velocity
from multibody.kernels.tree import layout as T
from multibody.kernels.tree.algebra import inner, load, plus, store, width
from multibody.kernels.tree.bodies import centripetal, wrench_about
from multibody.kernels.tree.composite import climb
from multibody.kernels.tree.frames import link_of, state_of


@inner_kernel
def loop_values(I, F, W, ref, t, h):
    """Write Φ of the loop rows at the poses in W to W_X."""
    for k in range(I[R.ALL_COUNT]):
        r = I[I[h + T.ROW_LIST] + k]
        row_values(I, F, W, ref, t, r, r + 1, W[I[R.W_X] + k :])


@inner_kernel
def loop_rows(d, I, F, W, ref, t, h, rates):
    """Write Φ_u of the loop rows to W_J, by rows of full length, and with `rates` = 1 γ_u to W_X."""
    w, n, entries, extras = width(d), I[h + T.NV], I[h + T.W_ENTRIES], width(d) * I[L.BODIES]
    base = load(d, W, I[h + T.W_BASE])
    for k in range(I[R.ALL_COUNT]):
        r = I[I[h + T.ROW_LIST] + k]
        row, out, x, e = I[L.ROWS] + L.ROW_STRIDE * r, I[R.W_J] + n * k, I[R.W_X] + k, 0
        for c in range(n):
            W[out + c] = 0.0
        row_jacobian(I, F, W, ref, t, r, r + 1, W[entries:])
        if rates == 1:
            row_gamma(I, F, W, ref, t, r, r + 1, W[x:])
        while e < I[row + 3]:
            column = I[I[L.COLUMNS] + I[row + 2] + e]
            if column >= extras:
                W[out + I[h + T.EXTRAS_RATE] + column - extras] += W[entries + e]
                e += 1
                continue
            i = I[I[h + T.LINK_OF] + column // w]
            f, s = wrench_about(d, I, W, h, i, entries + e), state_of(d, I, W, h, i)
            climb(d, I, W, h, i, I[link_of(I, h, i) + T.LAST], f, out)
            if rates == 1:
                W[x] -= _met(d, f, load(d, W, s + 4 * w), base, centripetal(d, W, s))
            e += w


@inner_kernel
def _met(d, f, s, base, z):
    """Return f · (S less the ground's acceleration) + force · (ω × ṙ_c): what a row meets at q̈ = 0."""
    total = inner(d, f, plus(d, -1.0, base, s))
    if d is None:
        return total + f[0] * z[0] + f[1] * z[1]
    return total + f[0] * z[0] + f[1] * z[1] + f[2] * z[2]


@inner_kernel
def loop_gaps(d, I, F, W, ref, t, h, v):
    """Write ν − Φ_y ẏ of the loop rows at the poses and twists of the links to W_X; v for extra coordinates."""
    w, entries, extras = width(d), I[h + T.W_ENTRIES], width(d) * I[L.BODIES]
    for k in range(I[R.ALL_COUNT]):
        r = I[I[h + T.ROW_LIST] + k]
        row, x, e = I[L.ROWS] + L.ROW_STRIDE * r, I[R.W_X] + k, 0
        row_velocity(I, F, W, ref, t, r, r + 1, W[x:])
        row_jacobian(I, F, W, ref, t, r, r + 1, W[entries:])
        while e < I[row + 3]:
            column = I[I[L.COLUMNS] + I[row + 2] + e]
            if column >= extras:
                W[x] -= W[entries + e] * v[I[h + T.EXTRAS_RATE] + column - extras]
                e += 1
                continue
            i = I[I[h + T.LINK_OF] + column // w]
            f = wrench_about(d, I, W, h, i, entries + e)
            W[x] -= inner(d, f, load(d, W, state_of(d, I, W, h, i) + 3 * w))
            e += w


@inner_kernel
def loop_wrenches(d, I, F, W, ref, t, h, out):
    """Add Φ_yᵀ λ of the chosen loop rows, as wrenches about o of the links, to W[out…]; λ in W_LAMBDA."""
    w, entries, extras = width(d), I[h + T.W_ENTRIES], width(d) * I[L.BODIES]
    for k in range(I[R.CHOSEN_COUNT]):
        r = I[I[h + T.ROW_LIST] + I[I[R.CHOSEN] + k]]
        row, e = I[L.ROWS] + L.ROW_STRIDE * r, 0
        row_jacobian(I, F, W, ref, t, r, r + 1, W[entries:])
        while e < I[row + 3]:
            column = I[I[L.COLUMNS] + I[row + 2] + e]
            if column >= extras:
                e += 1
                continue
            i = I[I[h + T.LINK_OF] + column // w]
            f, to = wrench_about(d, I, W, h, i, entries + e), out + w * i
            store(d, W, to, plus(d, W[I[R.W_LAMBDA] + k], f, load(d, W, to)))
            e += w
