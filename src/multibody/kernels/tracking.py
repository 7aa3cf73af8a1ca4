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
CLOSE = 1e-11  # a Newton step this small (scaled) is the last one
KEEP = 1e-4  # after a step this small the factors serve for the next one too
SINGULAR_PIVOT = 1e-8  # smallest over largest pivot; below, rates are noise
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


@inner_kernel
def newton(I, F, W, ref, t, m, chosen, gauge, q, values, J, A, pivots, x):
    """Solve Φ(q, t) = 0 in place; return (iterations or a negative code, size of the total correction).

    Codes: −1 does not settle, −2 singular, −3 not a number.

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
                return (-2, math.inf)
        _right_side(I, F, chosen, values, -1.0, x)
        solve(A, n, pivots, x)
        size = _unscale(I, F, x)
        if math.isnan(size):
            return (-3, math.inf)
        if not size < 1.0 or (size > 2.0 * previous and size > 1e-6):
            return (-1, math.inf)
        displace(I, q, x, 1.0, q)
        total += size
        if size < CLOSE or (size < 1e-7 and size > 0.25 * previous):
            return (iteration + 1, total)
        keep = size < KEEP
        previous = size
    return (-1, math.inf)


@inner_kernel
def _violation(I, F, J, x, side, m, worst, level):
    """Write the largest scaled |J x − side| to worst[3 + level]; without x (level 0) the largest scaled |side|."""
    largest = 0.0
    for r in range(m):
        row = I[L.ROWS] + L.ROW_STRIDE * r
        total = side[r]
        if level > 0:
            for e in range(I[row + 3]):
                total -= J[I[row + 2] + e] * x[I[I[L.COLUMNS] + I[row + 2] + e]]
        total = abs(total) / F[I[L.LENGTH]] if I[row + 5] == 1 else abs(total)
        if not total <= largest:
            largest = total
    worst[3 + level] = largest
    return largest


@inner_kernel
def rates(I, F, W, ref, t, m, chosen, gauge, state, values, J, A, pivots, x, null, worst):
    """Write v and v̇ at the pose state[0] into state[1] and state[2], and how far all rows are violated into `worst[3:]`.

    Returns
    -------
    tuple
        (sign of det or 0 where singular, largest scaled residual of all rows, σ_min of the scaled Jacobian).
    """
    n = I[L.VELOCITIES]
    set_positions(I, W, state[0])
    row_values(I, F, W, ref, t, 0, m, values)
    violated = _violation(I, F, J, x, values, m, worst, 0)
    row_jacobian(I, F, W, ref, t, 0, m, J)
    _assemble(I, F, J, chosen, gauge, A)
    sign, ratio = factor(A, n, pivots)
    if not ratio > SINGULAR_PIVOT:
        return (0.0, violated, 0.0)
    row_velocity(I, F, W, ref, t, 0, m, values)
    _solved_rates(I, F, chosen, values, A, pivots, x, state[1])
    _violation(I, F, J, state[1], values, m, worst, 1)
    set_velocities(I, W, state[1])
    row_gamma(I, F, W, ref, t, 0, m, values)
    _solved_rates(I, F, chosen, values, A, pivots, x, state[2])
    _violation(I, F, J, state[2], values, m, worst, 2)
    return (sign, violated, smallest_singular_value(A, n, pivots, null, 1))


@inner_kernel
def _solved_rates(I, F, chosen, values, A, pivots, x, out):
    """Write the solution of Φ_q out = values with the factors in A."""
    n = I[L.VELOCITIES]
    _right_side(I, F, chosen, values, 1.0, x)
    solve(A, n, pivots, x)
    _unscale(I, F, x)
    for c in range(n):
        out[c] = x[c]


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
def _newton_outcome(iterations, correction, move):
    """Return what a position analysis says of a step: 0 go on, 1 to be halved, 2 singular, 4 not a number."""
    if iterations < -1:
        return 2 if iterations == -2 else 4
    return 1 if iterations < 0 or correction > 0.3 * move + 1e-5 else 0


@inner_kernel
def _rates_outcome(I, F, h, state, trial, x, sign, violated, move):
    """Return what the rates say of a step: 0 accepted, 1 to be halved, 2 singular, 3 dropped rows violated."""
    if sign == 0.0:
        return 2
    for c in range(I[L.VELOCITIES]):  # how far the rates turned from where they were heading, as a displacement
        x[c] = h * (trial[1, c] - state[1, c] - h * state[2, c])
    if _size(I, F, x) > 0.7 * move + 1e-5:
        return 1
    return 3 if violated > 1e-8 else 0


@kernel
def track(I, F, W, ref, times, first, m, nf, chosen, gauge, state, trial, values, J, A, pivots, x, null, worst,
          clock, Q, V, Vdot, R, sigma, crossings, counts):  # fmt: skip
    """Follow the mechanism over times[first:], writing every grid point; the state before is in `state`.

    Parameters
    ----------
    R : array (instants, functions)
        Gets the angle references of every grid point, so that turns are counted however wide the grid is; it may have
        no columns where nothing counts turns.
    worst : array (6,)
        Raised to the largest scaled violation of all rows at position, velocity and acceleration level over the accepted
        steps; behind these the three of the last attempt.
    clock : array (3,)
        Time of the accepted state, sign of its determinant (0: unknown), last substep (0: a whole interval).
    crossings : array (k, 2 + nq + 2 nv)
        Filled with the intervals in which the determinant changed its sign, each with the state before it;
        counts[CROSSINGS] says how many.

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
        if interval == 0.0:  # the start itself: only rates are asked for
            clock[1], _, sigma[k] = rates(I, F, W, ref, times[k], m, chosen, gauge, state, values, J, A, pivots, x, null, worst)
            if clock[1] == 0.0:
                return (SINGULAR, k)
            for level in range(3):
                worst[level] = max(worst[level], worst[3 + level])
        while clock[0] != times[k]:
            rest = times[k] - clock[0]
            last = abs(rest) <= abs(h) * (1.0 + 1e-9)
            span = rest if last else h
            if clock[0] + span == clock[0]:  # below the resolution of time
                return (LOCKED, k)
            _predict(I, state[0], state[1], state[2], span, x, trial[0])
            move, t, sign, low = _size(I, F, x), clock[0] + span, 0.0, 0.0
            outcome = 0 if move < 1.0 else 1
            if outcome == 0:
                iterations, correction = newton(I, F, W, ref, t, m, chosen, gauge, trial[0], values, J, A, pivots, x)
                counts[ITERATIONS] += max(iterations, 0)
                outcome = _newton_outcome(iterations, correction, move)
            if outcome == 0:
                set_positions(I, W, trial[0])
                outcome = 1 if largest_turn(I, F, W, ref, nf) > 0.5 * math.pi else 0
            if outcome == 0:
                sign, violated, low = rates(I, F, W, ref, t, m, chosen, gauge, trial, values, J, A, pivots, x, null, worst)
                outcome = _rates_outcome(I, F, span, state, trial, x, sign, violated, move)
            if outcome == 2 and last:
                return (SINGULAR, k)
            if outcome == 3:
                return (INCONSISTENT, k)
            crossed = outcome == 0 and clock[1] != 0.0 and sign != clock[1]
            if outcome != 0 or (crossed and abs(span) > CROSSING * abs(interval)):
                counts[REJECTED] += 1
                h = 0.5 * span
                if abs(h) < FINEST * abs(interval):
                    return (NOT_A_NUMBER if outcome == 4 else LOCKED, k)
                continue
            if crossed and counts[CROSSINGS] < crossings.shape[0]:
                _note_crossing(crossings[counts[CROSSINGS]], clock[0], clock[0] + span, state, nq, nv)
                counts[CROSSINGS] += 1
            _accept(I, F, W, ref, nf, state, trial, nq, nv)
            for level in range(3):
                worst[level] = max(worst[level], worst[3 + level])
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
        for c in range(R.shape[1]):
            R[k, c] = ref[c]
    return (DONE, times.shape[0])


@inner_kernel
def _note_crossing(row, low, high, state, nq, nv):
    """Write the interval and the state at its beginning."""
    row[0] = low
    row[1] = high
    for c in range(nq):
        row[2 + c] = state[0, c]
    for c in range(nv):
        row[2 + nq + c] = state[1, c]
        row[2 + nq + nv + c] = state[2, c]


@inner_kernel
def _accept(I, F, W, ref, nf, state, trial, nq, nv):
    """Make the trial state the accepted one and move the angle references to it."""
    for c in range(nq):
        state[0, c] = trial[0, c]
    for c in range(nv):
        state[1, c] = trial[1, c]
        state[2, c] = trial[2, c]
    set_positions(I, W, state[0])
    set_references(I, F, W, ref, nf)
