"""Forces along a motion that is known, instant after instant: what inverse dynamics and reactions are made of.

The rows of joints and motions that make kinematics square, and the gauges that hold idle directions, are one matrix T. Its
columns of T⁻¹ that belong to motions are the velocities of a unit rate of each motion, a basis of all free directions; T⁻ᵀ
turns a force on the bodies into multipliers. One factorization serves both.
"""

from __future__ import annotations

import math

from multibody.kernels import codes as L
from multibody.kernels.compile import inner_kernel, kernel
from multibody.kernels.declared import model_at, scratch_at, state_at
from multibody.kernels.forces import add_forces, law_efforts, load_wrenches, potential_energy
from multibody.kernels.functions import function_gradient
from multibody.kernels.gathered_lu import factor, smallest_singular_value, solve, solve_transposed
from multibody.kernels.mass import kinetic_energy, mass_times
from multibody.kernels.modes import STRAIGHT
from multibody.kernels.rows import row_jacobian
from multibody.kernels.state import set_positions, set_velocities


@kernel
def forces_at(model, state, scratch, times, Q, V, A, R, inertia, applied, energies, laws, loads):
    """Write M v̇, Q and what is reported beside them at every instant.

    Parameters
    ----------
    times : array (instants,)
    Q, V, A : arrays (instants, ·)
        Positions, velocities, accelerations.
    R : array (instants or 1, functions)
        Angle references.
    inertia, applied : arrays (instants, nv), written
        M v̇ and the generalized forces Q.
    energies : array (instants, 2), written
        Kinetic and potential energy.
    laws, loads : arrays (instants, ·), written
        Efforts of laws and wrenches of loads.
    """
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    ref, n, x = state.ref, model.velocities, scratch.velocity[model.width :]
    for k in range(times.shape[0]):
        t = times[k]
        refer(R, k, ref)
        set_positions(model, scratch, Q[k])
        set_velocities(model, scratch, V[k])
        energies[k, L.KINETIC] = kinetic_energy(model, scratch)
        energies[k, L.POTENTIAL] = potential_energy(model, state, scratch, t)
        law_efforts(model, state, scratch, t, laws[k])
        load_wrenches(model, state, scratch, t, loads[k])
        for c in range(n):
            applied[k, c] = 0.0
        add_forces(model, state, scratch, t, applied[k])
        for c in range(n):
            x[c] = A[k, c]
        mass_times(model, x, x, STRAIGHT)
        for c in range(n):
            inertia[k, c] = x[c]


@kernel
def entries_at(model, state, scratch, times, Q, R, rows, out):
    """Write the entries of Φ_q of the first `rows` rows on their static pattern at every instant, out (instants, entries)."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    ref = state.ref
    for k in range(times.shape[0]):
        refer(R, k, ref)
        set_positions(model, scratch, Q[k])
        row_jacobian(model, state, scratch, times[k], 0, rows, out[k])


@kernel
def gradients_at(model, scratch, Q, functions, scale, out):
    """Write the gradients of coordinate functions times the columns' scale at every instant, out (instants, functions, nv)."""
    model, scratch = model_at(model), scratch_at(scratch)
    for k in range(Q.shape[0]):
        set_positions(model, scratch, Q[k])
        for i in range(functions.shape[0]):
            set_gradient(model, scratch, functions[i], scale, out[k, i])


@inner_kernel
def set_gradient(model, scratch, function, scale, row):
    """Write the gradient of a coordinate function times the columns' scale at the poses, row (nv,)."""
    width, g, f = model.width, scratch.gradient, model.functions[function]
    for c in range(model.velocities):
        row[c] = 0.0
    if f.kind == L.EXTRA:
        c = width * model.bodies + f.extra
        row[c] = scale[c]
        return
    function_gradient(model, scratch, function, g)
    _scatter(g, f.first, width, scale, row)
    _scatter(g[width:], f.second, width, scale, row)


@inner_kernel
def _scatter(g, body, width, scale, row):
    """Add the block of a gradient that belongs to a body to its columns; the ground has none."""
    if body > 0:
        first = width * (body - L.FIRST_BODY)
        for c in range(width):
            row[first + c] += scale[first + c] * g[c]


@inner_kernel
def refer(R, k, ref):
    """Set the angle references of instant k; one row of R serves all instants."""
    row = R[min(k, R.shape[0] - 1)]
    for f in range(row.shape[0]):
        ref[f] = row[f]


@inner_kernel
def factor_square(entries, slots, weights, gauge, T, pivots, places, ends, null):
    """Fill and factor T; return its smallest singular value, 0 where it is singular. See :func:`solve_square`."""
    n = T.shape[0]
    for r in range(n):
        for c in range(n):
            T[r, c] = 0.0
    for e in range(slots.shape[0]):
        if slots[e] >= 0:
            T[slots[e] // n, slots[e] % n] += weights[e] * entries[e]
    for i in range(gauge.shape[0]):
        for c in range(n):
            T[n - gauge.shape[0] + i, c] = gauge[i, c]
    if not factor(T, n, pivots, places, ends)[1] > 1e-15:
        return 0.0
    sigma = smallest_singular_value(T, n, pivots, places, ends, null, 2)
    return sigma if math.isfinite(sigma) else 0.0


@kernel
def solve_square(entries, slots, weights, gauge, motions, sides, T, pivots, places, ends, null, sigma, basis, multipliers):
    """Factor T at every instant; write the directions of the motions and the multipliers of several forces.

    Parameters
    ----------
    entries : array (instants, entries)
        Of Φ_q, as of :func:`entries_at`.
    slots, weights : arrays (entries,)
        Where each entry lies in T by rows (−1: a row that is left out), and its scale.
    gauge : array (idle, nv)
        Last rows of T, scaled.
    motions : array of int
        Rows of T that are motions.
    sides : array (instants, forces, nv)
        Scaled forces.
    T, pivots, places, ends, null : arrays (nv, nv), (nv,), (nv, nv), (2, nv), (nv,)
        Scratch, as LU has it; `null` begins as any unit vector.
    sigma : array (instants,), written
        Smallest singular value of T by inverse iteration; 0 where T is singular, and nothing else is written there.
    basis : array (instants, motions, nv), written
    multipliers : array (instants, forces, nv), written
        T⁻ᵀ times each force.
    """
    n = T.shape[0]
    for k in range(entries.shape[0]):
        sigma[k] = factor_square(entries[k], slots, weights, gauge, T, pivots, places, ends, null)
        if sigma[k] == 0.0:
            continue
        for i in range(motions.shape[0]):
            for c in range(n):
                basis[k, i, c] = 0.0
            basis[k, i, motions[i]] = 1.0
            solve(T, n, pivots, places, ends, basis[k, i])
        for i in range(sides.shape[1]):
            for c in range(n):
                multipliers[k, i, c] = sides[k, i, c]
            solve_transposed(T, n, pivots, places, ends, multipliers[k, i])
