"""H u̇ + Φ_uᵀ λ = g, Φ_u u̇ = γ_u in joint coordinates: the mass matrix met in one of three ways, loops by S = Φ_u H⁻¹ Φ_uᵀ.

`recursive` forms H from composite inertias, `transformation` from the matrix B; both factor it. `articulated` never forms it
(`swept` is True, else None, known when a function is compiled): H⁻¹ x is one sweep inward and one outward. Where H is singular
(a direction without mass, an extra coordinate) H̄ = H + Φ_uᵀ W Φ_u takes its place, with the same solution.
"""

from __future__ import annotations

import math

from multibody.kernels import layout as L
from multibody.kernels import sections as R
from multibody.kernels.compile import inlined, inner_kernel
from multibody.kernels.kkt import LIFT, VANISHING
from multibody.kernels.skyline import cholesky, cholesky_solve
from multibody.kernels.tree import layout as T
from multibody.kernels.tree.algebra import load, plus, store, width, zero
from multibody.kernels.tree.articulated import accelerations, eliminate, give_way, sweep
from multibody.kernels.tree.composite import bodies, mass_matrix, sum_forces, sum_inertias
from multibody.kernels.tree.frames import column_of, state_of
from multibody.kernels.tree.inertias import store_of_rigid
from multibody.kernels.tree.motion import inertial_force, rigid
from multibody.kernels.tree.transformation import transformed_force, transformed_mass


@inner_kernel
def _meet_mass(d, swept, model, scratch, h):
    """Form and factor the mass matrix at the frames of the links; return its smallest pivot ratio, ≤ 0 where it is singular."""
    I, W = model.I, scratch.W
    if swept is not None:
        for i in range(I[h + T.LINK_COUNT]):
            store_of_rigid(d, W, state_of(d, model, scratch, h, i) + T.INERTIA * width(d), rigid(d, model, scratch, h, i))
        k = eliminate(d, model, scratch, h)
        W[I[h + T.W_RESULT] + T.WEIGHTLESS] = k
        return 1.0 if k < 0 else -1.0
    n, general = I[h + T.NV], I[R.GENERAL] == 1
    if general:
        for k in range(I[h + T.W_H], I[h + T.W_HD]):
            W[k] = 0.0
    if I[h + T.METHOD] == T.RECURSIVE:
        bodies(d, model, scratch, h, 0)
        sum_inertias(d, model, scratch, h)
        mass_matrix(d, model, scratch, h)
    else:
        transformed_mass(d, model, scratch, h)
    if general:
        _add_loops(model, scratch, h, n)
    return cholesky(
        W, I[I[h + T.H_BASE] :], I[I[h + T.H_FIRST] :], W[I[h + T.W_HD] :], n, 0.0, 1e-11 if general else 0.0
    )


@inner_kernel
def _add_loops(model, scratch, h, n):
    """Add Φ_uᵀ W Φ_u of the chosen rows to H: H̄ is regular where H is not."""
    I, W = model.I, scratch.W
    for k in range(I[R.CHOSEN_COUNT]):
        row, weight = I[R.W_J] + n * I[I[R.CHOSEN] + k], W[I[R.W_GAUGE] + I[I[R.CHOSEN] + k]]
        for i in range(n):
            at = I[I[h + T.H_BASE] + i]
            for j in range(i + 1):
                W[at + j] += weight * W[row + i] * W[row + j]


@inner_kernel
def _over_mass(d, swept, model, scratch, h, x):
    """Turn the vector at W[x…] into H⁻¹ times it."""
    I, W = model.I, scratch.W
    if swept is None:
        cholesky_solve(W, I[I[h + T.H_BASE] :], I[I[h + T.H_FIRST] :], W[I[h + T.W_HD] :], I[h + T.NV], W[x:])
    else:
        for i in range(I[h + T.LINK_COUNT]):
            store(d, W, state_of(d, model, scratch, h, i) + T.FORCE * width(d), zero(d))
        give_way(d, model, scratch, h, x)
        accelerations(d, None, model, scratch, h, W[x:])


@inner_kernel
def _form(model, scratch, n):
    """Write S = Φ_u U, U = H⁻¹ Φ_uᵀ by rows in W_U."""
    I, W = model.I, scratch.W
    for i in range(I[R.CHOSEN_COUNT]):
        for j in range(i + 1):
            row, u, total = I[R.W_J] + n * I[I[R.CHOSEN] + j], I[R.W_U] + n * i, 0.0
            for c in range(n):
                total += W[row + c] * W[u + c]
            scratch.S[model.S_base[i] + j] = total


@inner_kernel
def factor_tree(d, swept, model, scratch, h):
    """Factor H and S at the frames and the rows Φ_u in W; return the smallest pivot ratio of S, ≤ 0 where H is singular."""
    I, W = model.I, scratch.W
    n, m, statistics = I[h + T.NV], I[R.CHOSEN_COUNT], I[R.W_STATISTICS]
    mass = _meet_mass(d, swept, model, scratch, h)
    W[I[h + T.W_RESULT] + T.MASS_RATIO] = mass
    if not mass > 0.0:
        return -1.0
    for k in range(m):
        for c in range(n):
            W[I[R.W_U] + n * k + c] = W[I[R.W_J] + n * I[I[R.CHOSEN] + k] + c]
        _over_mass(d, swept, model, scratch, h, I[R.W_U] + n * k)
    _form(model, scratch, n)
    W[statistics + R.FACTORIZATIONS] += 1.0
    W[statistics + R.LIFTED] = 0.0
    ratio = cholesky(scratch.S, model.S_base, model.S_first, scratch.D, m, 0.0, 0.0)
    if not ratio > VANISHING:
        _form(model, scratch, n)
        W[statistics + R.LIFTED] = 1.0
        cholesky(scratch.S, model.S_base, model.S_first, scratch.D, m, LIFT, 0.0)
        return VANISHING
    return _smallest(model, scratch, h)


@inlined
def row_size(model, scratch, k):
    """Return the diagonal entry of S of the k-th chosen row, lengths over L; factoring leaves it as it is."""
    I, W = model.I, scratch.W
    scale = W[I[R.W_SCALE] + I[I[R.CHOSEN] + k]]
    return scale * scale * scratch.S[model.S_base[k] + k]


@inner_kernel
def _smallest(model, scratch, h):
    """Return the smallest pivot of S over what its row is in regular positions.

    At a change point rows do not only become parallel, as those of Cartesian coordinates do: a row over joint rates may vanish
    as a whole. It is therefore measured by the largest row of its joint, and by its own largest size so far.
    """
    I, W = model.I, scratch.W
    lowest = 1.0
    for k in range(I[R.CHOSEN_COUNT]):
        largest, scale = W[I[h + T.W_ROW_SIZE] + k], W[I[R.W_SCALE] + I[I[R.CHOSEN] + k]]
        l = I[I[h + T.GROUP] + k]
        while l < I[R.CHOSEN_COUNT] and I[I[h + T.GROUP] + l] == I[I[h + T.GROUP] + k]:
            largest = max(largest, row_size(model, scratch, l))
            l += 1
        lowest = min(lowest, scale * scale / (W[I[R.W_D] + k] * largest))
    return max(lowest, VANISHING)


@inner_kernel
def remember_rows(model, scratch, h):
    """Keep the largest size of every chosen row, at an accepted state."""
    I, W = model.I, scratch.W
    for k in range(I[R.CHOSEN_COUNT]):
        at = I[h + T.W_ROW_SIZE] + k
        W[at] = max(W[at], row_size(model, scratch, k))


@inlined
def _free(d, swept, model, scratch, h, a):
    """Write the accelerations u̇ that the forces alone would give to W[a…]; with H̄, those of the forces and Φ_uᵀ W γ_u."""
    I, W = model.I, scratch.W
    if swept is not None:
        if I[R.CHOSEN_COUNT] > 0:
            _inertial_forces(d, model, scratch, h)
            give_way(d, model, scratch, h, -1)
        else:
            _sweep(d, model, scratch, h)
        accelerations(d, None, model, scratch, h, W[a:])
    else:
        _inertial_forces(d, model, scratch, h)
        if I[h + T.METHOD] == T.RECURSIVE:
            sum_forces(d, model, scratch, h, a)
        else:
            transformed_force(d, model, scratch, h, a)
        if I[R.GENERAL] == 1:
            _add_general(model, scratch, h, a, width(d))
        cholesky_solve(W, I[I[h + T.H_BASE] :], I[I[h + T.H_FIRST] :], W[I[h + T.W_HD] :], I[h + T.NV], W[a:])


@inner_kernel
def _inertial_forces(d, model, scratch, h):
    """Write the force G of every link, from its motion and from what laws and loads do to it."""
    I, W = model.I, scratch.W
    w = width(d)
    for i in range(I[h + T.LINK_COUNT]):
        at = state_of(d, model, scratch, h, i)
        g = inertial_force(d, model, scratch, h, i, load(d, W, at + T.MOTION * w), load(d, W, at + T.BIAS * w))
        if I[h + T.ACTED] == 1:
            g = plus(d, -1.0, load(d, W, I[h + T.W_WRENCH] + w * i), g)
        store(d, W, at + T.FORCE * w, g)


@inlined
def _sweep(d, model, scratch, h):
    """Sweep a tree without loops inward; where a column moves no mass, the answer is made no number, and the run stops."""
    I, W = model.I, scratch.W
    k = sweep(d, None, model, scratch, h, W[I[h + T.W_TAU] :], I[h + T.W_WRENCH] if I[h + T.ACTED] == 1 else -1)
    W[I[h + T.W_RESULT] + T.WEIGHTLESS] = k
    W[I[h + T.W_RESULT] + T.MASS_RATIO] = 1.0 if k < 0 else -1.0
    if k >= 0:
        for j in range(I[h + T.COLUMN_COUNT]):
            W[column_of(d, model, h, j) + 2 * width(d) + 1] = math.nan


@inner_kernel
def _add_general(model, scratch, h, a, w):
    """Add the forces along extra coordinates and Φ_uᵀ W γ_u to the vector at W[a…]."""
    I, W = model.I, scratch.W
    n = I[h + T.NV]
    for e in range(I[L.EXTRAS]):
        W[a + I[h + T.EXTRAS_RATE] + e] = W[I[h + T.W_FORCE] + w * I[L.BODIES] + e] if I[h + T.ACTED] == 1 else 0.0
    for k in range(I[R.CHOSEN_COUNT]):
        r = I[I[R.CHOSEN] + k]
        for c in range(n):
            W[a + c] += W[I[R.W_GAUGE] + r] * W[I[R.W_X] + r] * W[I[R.W_J] + n * r + c]


@inlined
def solve_tree(d, swept, model, scratch, h):
    """Write u̇ to W_A and λ of the chosen rows to W_LAMBDA: motions of the links, W_WRENCH, γ_u in W_X and factors are known."""
    I, W = model.I, scratch.W
    n, m, a, x, b = I[h + T.NV], I[R.CHOSEN_COUNT], I[R.W_A], I[R.W_LAMBDA], I[R.W_B]
    _free(d, swept, model, scratch, h, a)
    for k in range(m):
        W[x + k] = 0.0
    for _ in range(4 if W[I[R.W_STATISTICS] + R.LIFTED] > 0.0 else 1):  # proximal refinement where S was lifted
        for k in range(m):
            row, total = I[R.W_J] + n * I[I[R.CHOSEN] + k], -W[I[R.W_X] + I[I[R.CHOSEN] + k]]
            for c in range(n):
                total += W[row + c] * W[a + c]
            W[b + k] = total
        cholesky_solve(scratch.S, model.S_base, model.S_first, scratch.D, m, W[b:])
        _add_columns(model, scratch, n, b, a, -1.0)
        for k in range(m):
            W[x + k] += W[b + k]


@inner_kernel
def _add_columns(model, scratch, n, x, a, sign):
    """Add sign · U x to the vector at W[a…]."""
    I, W = model.I, scratch.W
    for k in range(I[R.CHOSEN_COUNT]):
        value = sign * W[x + k]
        for c in range(n):
            W[a + c] += value * W[I[R.W_U] + n * k + c]


@inner_kernel
def correct_tree(model, scratch, h):
    """Write the smallest change x (in the metric of H) with Φ_u x = W_X to W_A, with the factors in W."""
    I, W = model.I, scratch.W
    n, x = I[h + T.NV], I[R.W_LAMBDA]
    for k in range(I[R.CHOSEN_COUNT]):
        W[x + k] = W[I[R.W_X] + I[I[R.CHOSEN] + k]]
    cholesky_solve(scratch.S, model.S_base, model.S_first, scratch.D, model.chosen.size, W[x:])
    for c in range(n):
        W[I[R.W_A] + c] = 0.0
    _add_columns(model, scratch, n, x, I[R.W_A], 1.0)
