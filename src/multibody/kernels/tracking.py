"""Position, velocity and acceleration analysis of a driven mechanism along a time grid, in one compiled loop.

Newton–Raphson on Φ(q, t) = 0, then Φ_q v = ν and Φ_q v̇ = γ with the factors of the last Jacobian (Shabana, Computational
Dynamics, section 3.10: the computer algorithm). Between grid points the step is halved when Newton wanders off or when the
sign of det Φ_q changes, so that the mechanism stays on its branch; a sign change that survives halving is a singular
position that was passed, and is recorded.

The square system consists of the chosen independent rows and of gauge rows, which hold idle degrees of freedom still. It is
scaled by the characteristic length, so that units change nothing.
"""

from __future__ import annotations

import math

from multibody.kernels import layout as L
from multibody.kernels.compile import inner_kernel, kernel
from multibody.kernels.functions import largest_turn, set_references
from multibody.kernels.lu import factor, smallest_singular_value, solve
from multibody.kernels.rows import row_gamma, row_jacobian, row_values, row_velocity
from multibody.kernels.state import displace, set_positions, set_velocities

DONE, LOCKED, SINGULAR, INCONSISTENT, NOT_A_NUMBER = 0, 1, 2, 3, 4
NEWTON_LIMIT = 20
CLOSE = 1e-9  # a Newton step this small (scaled) leaves an error of its square
KEEP = 1e-4  # after a step this small the factors serve for the next one too
SINGULAR_PIVOT = 1e-11
FINEST = 1.0 / 1048576.0  # of a grid interval: smallest substep before a lock-up is declared
CROSSING = 1.0 / 256.0  # of a grid interval: where a change of sign is taken for a singular position

# slots of the integer and float scratch that survive between calls
STEPS, ITERATIONS, REJECTED, CROSSINGS = 0, 1, 2, 3


@inner_kernel
def _is_length_column(I, c):
    """Return whether velocity column c is a translation."""
    width = 3 if I[L.DIMENSION] == 2 else 6
    if c >= width * I[L.BODIES]:
        return False
    return c % width < (2 if width == 3 else 3)


@inner_kernel
def _assemble(I, F, J, chosen, gauge, A):
    """Scatter the chosen rows and the gauge rows into A, rows and columns scaled by the characteristic length."""
    n, length = I[L.VELOCITIES], F[I[L.LENGTH]]
    for r in range(n):
        for c in range(n):
            A[r, c] = 0.0
    for k in range(chosen.shape[0]):
        row = I[L.ROWS] + L.ROW_STRIDE * chosen[k]
        row_scale = 1.0 / length if I[row + 5] == 1 else 1.0
        for e in range(I[row + 3]):
            c = I[I[L.COLUMNS] + I[row + 2] + e]
            A[k, c] += row_scale * J[I[row + 2] + e] * (length if _is_length_column(I, c) else 1.0)
    for k in range(gauge.shape[0]):
        for c in range(n):
            A[chosen.shape[0] + k, c] = gauge[k, c] * (length if _is_length_column(I, c) else 1.0)


@inner_kernel
def _right_side(I, F, chosen, values, sign, x):
    """Write sign · (scaled values of the chosen rows), zero for the gauge rows, into x."""
    n, length = I[L.VELOCITIES], F[I[L.LENGTH]]
    for k in range(n):
        x[k] = 0.0
    for k in range(chosen.shape[0]):
        scale = 1.0 / length if I[I[L.ROWS] + L.ROW_STRIDE * chosen[k] + 5] == 1 else 1.0
        x[k] = sign * scale * values[chosen[k]]


@inner_kernel
def _unscale(I, F, x):
    """Turn the scaled solution into velocity dimensions; return its largest scaled component."""
    n, length, worst = I[L.VELOCITIES], F[I[L.LENGTH]], 0.0
    for c in range(n):
        if not abs(x[c]) <= worst:
            worst = abs(x[c])
        if _is_length_column(I, c):
            x[c] *= length
    return worst


@kernel
def newton(I, F, W, ref, t, m, chosen, gauge, q, values, J, A, pivots, x):
    """Solve Φ(q, t) = 0 in place; return (iterations or −1, size of the total correction).

    The Jacobian is factored anew while steps are large; once they are small its factors are kept (simplified Newton), as
    their error then costs less than another factorization.
    """
    n = I[L.VELOCITIES]
    total, previous, keep = 0.0, math.inf, False
    for iteration in range(NEWTON_LIMIT):
        set_positions(I, W, q)
        row_values(I, F, W, ref, t, 0, m, values)
        if not keep:
            row_jacobian(I, F, W, ref, t, 0, m, J)
            _assemble(I, F, J, chosen, gauge, A)
            if not factor(A, n, pivots)[1] > 1e-15:
                return (-1, math.inf)
        _right_side(I, F, chosen, values, -1.0, x)
        solve(A, n, pivots, x)
        size = _unscale(I, F, x)
        if not size < 1.0 or (size > 2.0 * previous and size > 1e-6):
            return (-1, math.inf)
        displace(I, q, x, 1.0, q)
        total += size
        if size < CLOSE or (size < 1e-7 and size > 0.25 * previous):
            return (iteration + 1, total)
        keep = size < KEEP
        previous = size
    return (-1, math.inf)


@kernel
def rates(I, F, W, ref, t, m, chosen, gauge, q, v, a, values, J, A, pivots, x, null):
    """Write v and v̇ at q; return (sign of det, pivot ratio, σ_min of the scaled Jacobian)."""
    n = I[L.VELOCITIES]
    set_positions(I, W, q)
    row_jacobian(I, F, W, ref, t, 0, m, J)
    _assemble(I, F, J, chosen, gauge, A)
    sign, ratio = factor(A, n, pivots)
    if not ratio > SINGULAR_PIVOT:
        return (0.0, ratio, 0.0)
    row_velocity(I, F, W, ref, t, 0, m, values)
    _right_side(I, F, chosen, values, 1.0, x)
    solve(A, n, pivots, x)
    _unscale(I, F, x)
    for c in range(n):
        v[c] = x[c]
    set_velocities(I, W, v)
    row_gamma(I, F, W, ref, t, 0, m, values)
    _right_side(I, F, chosen, values, 1.0, x)
    solve(A, n, pivots, x)
    _unscale(I, F, x)
    for c in range(n):
        a[c] = x[c]
    return (sign, ratio, smallest_singular_value(A, n, pivots, null, 1))


@inner_kernel
def _predict(I, q, v, a, h, x, out):
    """Write q ⊕ (h v + ½ h² v̇); return nothing."""
    for c in range(I[L.VELOCITIES]):
        x[c] = h * v[c] + 0.5 * h * h * a[c]
    displace(I, q, x, 1.0, out)


@inner_kernel
def _size(I, F, x):
    """Return the largest scaled component of a displacement."""
    worst = 0.0
    for c in range(I[L.VELOCITIES]):
        k = abs(x[c]) / F[I[L.LENGTH]] if _is_length_column(I, c) else abs(x[c])
        if not k <= worst:
            worst = k
    return worst


@inner_kernel
def _worst_row(I, F, W, ref, t, m, q, values):
    """Return the largest scaled residual over all rows, the dropped ones included."""
    set_positions(I, W, q)
    row_values(I, F, W, ref, t, 0, m, values)
    worst = 0.0
    for r in range(m):
        k = abs(values[r])
        if I[I[L.ROWS] + L.ROW_STRIDE * r + 5] == 1:
            k /= F[I[L.LENGTH]]
        if not k <= worst:
            worst = k
    return worst


@kernel
def step(I, F, W, ref, t, h, m, nf, chosen, gauge, state, trial, values, J, A, pivots, x, null, counts):
    """Try to go from t to t + h: state rows are q, v, v̇, trial gets the new ones.

    Returns
    -------
    tuple
        (outcome, sign of det, σ_min); outcome 0 accepted, 1 to be halved, 2 singular, 3 dropped rows violated.
    """
    nq, nv = I[L.COORDINATES], I[L.VELOCITIES]
    _predict(I, state[0, :nq], state[1, :nv], state[2, :nv], h, x, trial[0, :nq])
    move = _size(I, F, x)
    if not move < 1.0:
        return (1, 0.0, 0.0)
    iterations, correction = newton(I, F, W, ref, t + h, m, chosen, gauge, trial[0, :nq], values, J, A, pivots, x)
    counts[ITERATIONS] += max(iterations, 0)
    if iterations < 0 or correction > 0.3 * move + 1e-5:
        return (1, 0.0, 0.0)
    set_positions(I, W, trial[0, :nq])
    if largest_turn(I, F, W, ref, nf) > 0.5 * math.pi:
        return (1, 0.0, 0.0)
    sign, _, sigma = rates(
        I,
        F,
        W,
        ref,
        t + h,
        m,
        chosen,
        gauge,
        trial[0, :nq],
        trial[1, :nv],
        trial[2, :nv],
        values,
        J,
        A,
        pivots,
        x,
        null,
    )
    if sign == 0.0:
        return (2, 0.0, 0.0)
    if chosen.shape[0] < m and _worst_row(I, F, W, ref, t + h, m, trial[0, :nq], values) > 1e-8:
        return (3, sign, sigma)
    return (0, sign, sigma)


@kernel
def track(I, F, W, ref, times, first, m, nf, chosen, gauge, state, trial, values, J, A, pivots, x, null,
          clock, Q, V, Vdot, sigma, crossings, counts):  # fmt: skip
    """Follow the mechanism over times[first:], writing every grid point; the state before is in `state`.

    Parameters
    ----------
    clock : array (3,)
        Time of the accepted state, sign of its determinant (0: unknown), last substep (0: a whole interval).
    crossings : array (k, 2)
        Filled with the intervals in which the determinant changed its sign; counts[CROSSINGS] says how many.

    Returns
    -------
    tuple
        (status, grid index reached): DONE, LOCKED, SINGULAR, INCONSISTENT or NOT_A_NUMBER.
    """
    nq, nv = I[L.COORDINATES], I[L.VELOCITIES]
    for k in range(first, times.shape[0]):
        interval = times[k] - clock[0]
        h = interval
        if 0.0 < abs(clock[2]) < abs(h):
            h = clock[2]
        while clock[0] != times[k]:
            rest = times[k] - clock[0]
            last = abs(rest) <= abs(h) * (1.0 + 1e-9)
            span = rest if last else h
            outcome, sign, low = step(
                I, F, W, ref, clock[0], span, m, nf, chosen, gauge, state, trial, values, J, A, pivots, x, null, counts
            )
            if outcome == 2 and last:
                return (SINGULAR, k)
            if outcome == 3:
                return (INCONSISTENT, k)
            crossed = outcome == 0 and clock[1] != 0.0 and sign != clock[1]
            if outcome != 0 or (crossed and abs(span) > CROSSING * abs(interval)):
                counts[REJECTED] += 1
                h = 0.5 * span
                if abs(h) < FINEST * abs(interval):
                    return (LOCKED, k)
                continue
            if crossed and counts[CROSSINGS] < crossings.shape[0]:
                crossings[counts[CROSSINGS], 0] = clock[0]
                crossings[counts[CROSSINGS], 1] = clock[0] + span
                counts[CROSSINGS] += 1
            _accept(I, F, W, ref, nf, state, trial, nq, nv)
            counts[STEPS] += 1
            clock[0] = times[k] if last else clock[0] + span
            clock[1] = sign
            h = math.copysign(min(2.0 * abs(h), abs(interval)), interval)
            sigma[k] = low
        clock[2] = h
        for c in range(nq):
            if not math.isfinite(state[0, c]):
                return (NOT_A_NUMBER, k)
            Q[k, c] = state[0, c]
        for c in range(nv):
            V[k, c] = state[1, c]
            Vdot[k, c] = state[2, c]
    return (DONE, times.shape[0])


@inner_kernel
def _accept(I, F, W, ref, nf, state, trial, nq, nv):
    """Make the trial state the accepted one and move the angle references to it."""
    for c in range(nq):
        state[0, c] = trial[0, c]
    for c in range(nv):
        state[1, c] = trial[1, c]
        state[2, c] = trial[2, c]
    set_positions(I, W, state[0, :nq])
    set_references(I, F, W, ref, nf)
