"""What implicit methods ask of the equations of motion in joint coordinates: R = H u̇ + bias − g + Φ_uᵀ λ and its derivatives.

See ``formulations/implicit.py``; units called by their address, as those of ``units.py``.
"""

from __future__ import annotations

from typing import Any

from multibody.kernels import blocks as B
from multibody.kernels import layout as L
from multibody.kernels import sections as R
from multibody.kernels.compile import inner_kernel, kernel
from multibody.kernels.declared import model_at, scratch_at, state_at
from multibody.kernels.force_partials import force_partials
from multibody.kernels.forces import add_forces
from multibody.kernels.rotations import four, quaternion_place, quaternion_rates, quaternion_tangent
from multibody.kernels.rows import row_jacobian, row_partials
from multibody.kernels.tree import layout as T
from multibody.kernels.tree.algebra import load, plus, store, width
from multibody.kernels.tree.frames import link_of, record_of, state_of
from multibody.kernels.tree.loops import loop_gaps, loop_rows, loop_values
from multibody.kernels.tree.newton_euler import inward, outward
from multibody.kernels.tree.partials import tree_partials, tree_row
from multibody.kernels.tree.units import applied_forces, driving_power, set_state
from multibody.kernels.vectors import load3

RATES, TANGENT, PLACE = 0, 1, 2


@inner_kernel
def residual_tree(d, model, state, scratch, t, x, out):
    """Write R, ψ, Φ, Φ_u u̇ − γ_u of the chosen loop rows and the power at x = (q, u, u̇, λ)."""
    I, W = model.I, scratch.W
    h, m, w = I[T.TREE], I[R.CHOSEN_COUNT], width(d)
    nq, n = I[h + T.NQ], I[h + T.NV]
    q, v, a = x[:nq], x[nq : nq + n], x[nq + n : nq + 2 * n]
    W[I[h + T.W_RESULT] + T.WITH_BODIES] = 1.0
    set_state(d, model, state, scratch, t, x)
    power = 0.0
    if I[h + T.ACTED] == 1:
        applied_forces(d, model, state, scratch, t)
        power = W[I[h + T.W_RESULT] + T.WORK_RATE]
    _write_loops(d, model, state, scratch, t, x, out)
    if I[h + T.GIVEN_COUNT] > 0 or I[R.DRIVEN] == 1:
        for c in range(n):
            W[I[R.W_A] + c] = a[c]
        for k in range(m):
            W[I[R.W_LAMBDA] + k] = x[nq + 2 * n + k]
        driving_power(d, model, state, scratch, t)
        power += W[I[h + T.W_RESULT] + T.WORK_RATE]
        if I[h + T.ACTED] == 1:
            applied_forces(d, model, state, scratch, t)
    outward(d, model, scratch, h, q, v, a)
    if I[h + T.ACTED] == 1:
        for i in range(I[h + T.LINK_COUNT]):
            at = state_of(d, model, scratch, h, i) + T.FORCE * w
            store(d, W, at, plus(d, -1.0, load(d, W, I[h + T.W_WRENCH] + w * i), load(d, W, at)))
    inward(d, model, scratch, h, out)
    for e in range(I[L.EXTRAS]):
        out[I[h + T.EXTRAS_RATE] + e] = -W[I[h + T.W_FORCE] + w * I[L.BODIES] + e] if I[h + T.ACTED] == 1 else 0.0
    for k in range(m):
        row, force = I[R.W_J] + n * I[I[R.CHOSEN] + k], x[nq + 2 * n + k]
        for c in range(n):
            out[c] += force * W[row + c]
    out[n + 3 * m] = power


@inner_kernel
def _write_loops(d, model, state, scratch, t, x, out):
    """Write ψ, Φ and Φ_u u̇ − γ_u of the chosen loop rows, and keep Φ_u in W_J."""
    I, W = model.I, scratch.W
    h, m = I[T.TREE], I[R.CHOSEN_COUNT]
    nq, n = I[h + T.NQ], I[h + T.NV]
    if I[R.ALL_COUNT] == 0:
        return
    loop_rows(d, model, state, scratch, t, h, 1.0)
    for k in range(m):
        r = I[I[R.CHOSEN] + k]
        total = -W[I[R.W_X] + r]
        for c in range(n):
            total += W[I[R.W_J] + n * r + c] * x[nq + n + c]
        out[n + 2 * m + k] = total
    loop_gaps(d, model, state, scratch, t, h, x[nq : nq + n])
    for k in range(m):
        out[n + k] = -W[I[R.W_X] + I[I[R.CHOSEN] + k]]
    loop_values(model, state, scratch, t, h)
    for k in range(m):
        out[n + m + k] = W[I[R.W_X] + I[I[R.CHOSEN] + k]]


@inner_kernel
def linearize_tree(d, model, state, scratch, t, x):
    """Keep H, C, K, Φ_u and V at x = (q, u, u̇, λ)."""
    I, W = model.I, scratch.W
    h, g, p = I[T.TREE], I[R.NEWTON], I[R.PATTERN]
    nq, n, size, G = I[h + T.NQ], I[h + T.NV], I[p + B.MATRIX_SIZE], I[p + B.W_POINT]
    Kc, Cc = W[I[p + B.W_K] : I[p + B.W_K] + size], W[I[p + B.W_C] : I[p + B.W_C] + size]
    W[I[h + T.W_RESULT] + T.WITH_BODIES] = 1.0
    set_state(d, model, state, scratch, t, x)
    for c in range(I[L.VELOCITIES]):
        W[G + c] = 0.0
    for e in range(size):
        Kc[e] = 0.0
        Cc[e] = 0.0
    add_forces(model, state, scratch, t, W[G : G + I[L.VELOCITIES]])
    force_partials(model, state, scratch, t, Kc, Cc)
    for c in range(I[L.VELOCITIES]):
        W[G + c] = -W[G + c]
    for e in range(size):
        Kc[e] = -Kc[e]
        Cc[e] = -Cc[e]
    entries = I[p + B.W_V]
    for k in range(I[R.CHOSEN_COUNT]):
        r, at = I[I[h + T.ROW_LIST] + I[I[R.CHOSEN] + k]], nq + 2 * n + k
        row = I[L.ROWS] + L.ROW_STRIDE * r
        count = I[row + 3]
        row_jacobian(model, state, scratch, t, r, r + 1, W[entries:])
        row_partials(model, state, scratch, t, r, r + 1, x[at : at + 1], Kc, W[entries + count :])
        for e in range(count):
            W[G + I[I[L.COLUMNS] + I[row + 2] + e]] += x[at] * W[entries + e]
        entries += 2 * count
    S, a = I[p + B.W_M], x[nq + n : nq + 2 * n]
    tree_partials(d, model, scratch, h, x[nq : nq + n], a, G, Kc, Cc, S, I[g + B.W_M], I[g + B.W_C], I[g + B.W_K])
    entries = I[p + B.W_V]
    for k in range(I[R.CHOSEN_COUNT]):
        r, place = I[I[h + T.ROW_LIST] + I[I[R.CHOSEN] + k]], n * I[I[R.CHOSEN] + k]
        count = I[I[L.ROWS] + L.ROW_STRIDE * r + 3]
        tree_row(d, model, scratch, h, r, entries, entries + count, S, I[g + B.W_P] + place, I[g + B.W_V] + place)
        entries += 2 * count


@inner_kernel
def move_tree(model, code, x, out):
    """Answer a question about coordinates and rates, see ``formulations/implicit.move``; x without its code.

    Rates of a ball joint are in the axes of its carrier: the conjugate quaternion then turns with minus these in its own.
    """
    I = model.I
    h = I[T.TREE]
    nq, shift = I[h + T.NQ], 1 if code == PLACE else 0
    first = nq + shift
    for j in range(I[h + T.COLUMN_COUNT]):
        record = record_of(model, h, j)
        r, place = I[record + T.RATE], I[record + T.POSITION]
        if place >= 0:
            if code == TANGENT:
                out[r] = x[first + place]
            else:
                out[place] = x[first + r] if code == RATES else (x[first + r] - x[1 + place]) / x[0]
        elif r >= 0 and I[record + T.AXIS] == 0:
            e = I[link_of(model, h, I[record + T.LINK]) + T.QUATERNION]
            p = four(x, shift + e)
            p = (p[0], -p[1], -p[2], -p[3])
            if code == TANGENT:
                b = four(x, first + e)
                u = quaternion_tangent(p, (b[0], -b[1], -b[2], -b[3]))
                out[r], out[r + 1], out[r + 2] = -u[0], -u[1], -u[2]
                continue
            u = load3(x, first + r)
            u = (-u[0], -u[1], -u[2])
            found = quaternion_rates(p, u) if code == RATES else quaternion_place(x[0], p, u)
            out[e], out[e + 1], out[e + 2], out[e + 3] = found[0], -found[1], -found[2], -found[3]
    for c in range(I[L.EXTRAS]):
        at, r = I[h + T.EXTRAS_AT] + c, I[h + T.EXTRAS_RATE] + c
        if code == TANGENT:
            out[r] = x[first + at]
        else:
            out[at] = x[first + r] if code == RATES else (x[first + r] - x[1 + at]) / x[0]


@kernel
def residual_planar(model, state, scratch, t, x, out):
    """Write the residuals of a planar model."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    residual_tree(None, model, state, scratch, t, x, out)
    return 0


@kernel
def residual_spatial(model, state, scratch, t, x, out):
    """Write the residuals of a spatial model."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    residual_tree(True, model, state, scratch, t, x, out)
    return 0


@kernel
def linearize_planar(model, state, scratch, t, x, out):
    """Keep the derivatives of a planar model."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    linearize_tree(None, model, state, scratch, t, x)
    return 0


@kernel
def linearize_spatial(model, state, scratch, t, x, out):
    """Keep the derivatives of a spatial model."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    linearize_tree(True, model, state, scratch, t, x)
    return 0


def newton_units(dimension: int) -> tuple[Any, Any]:
    """Return the residual and the linearization of a dimension."""
    return (residual_planar, linearize_planar) if dimension == 2 else (residual_spatial, linearize_spatial)
