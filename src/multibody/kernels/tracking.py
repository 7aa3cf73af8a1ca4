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

from multibody.kernels.compile import inner_kernel, kernel
from multibody.kernels.declared import model_at, scratch_at, state_at
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
def _is_length_column(model, c):
    """Return whether velocity column c is a translation."""
    return c < model.width * model.bodies and c % model.width < model.dimension


@inner_kernel
def _assemble(model, J, chosen, gauge, A):
    """Scatter the chosen rows and the gauge rows into A, rows and columns scaled by the characteristic length."""
    n, length = model.velocities, model.numbers[model.length]
    for r in range(n):
        for c in range(n):
            A[r, c] = 0.0
    for k in range(chosen.shape[0]):
        row = model.rows[chosen[k]]
        row_scale = 1.0 / length if row.is_length == 1 else 1.0
        for e in range(row.entry, row.entry + row.entries):
            c = model.columns[e]
            A[k, c] += row_scale * J[e] * (length if _is_length_column(model, c) else 1.0)
    for k in range(gauge.shape[0]):
        for c in range(n):
            A[chosen.shape[0] + k, c] = gauge[k, c] * (length if _is_length_column(model, c) else 1.0)


@inner_kernel
def _right_side(model, chosen, values, sign, x):
    """Write sign · (scaled values of the chosen rows), zero for the gauge rows, into x."""
    n, length = model.velocities, model.numbers[model.length]
    for k in range(n):
        x[k] = 0.0
    for k in range(chosen.shape[0]):
        scale = 1.0 / length if model.rows[chosen[k]].is_length == 1 else 1.0
        x[k] = sign * scale * values[chosen[k]]


@inner_kernel
def _unscale(model, x):
    """Turn the scaled solution into velocity dimensions; return its largest scaled component."""
    n, length, worst = model.velocities, model.numbers[model.length], 0.0
    for c in range(n):
        if not abs(x[c]) <= worst:
            worst = abs(x[c])
        if _is_length_column(model, c):
            x[c] *= length
    return worst


@inner_kernel
def newton(model, state, scratch, t, m, chosen, gauge, q, values, J, A, pivots, x):
    """Solve Φ(q, t) = 0 in place; return (iterations or a negative code, size of the total correction).

    Codes: −1 does not settle, −2 singular, −3 not a number.

    The Jacobian is factored anew while steps are large; once they are small its factors are kept (simplified Newton), as
    their error then costs less than another factorization.
    """
    n = model.velocities
    total, previous, keep = 0.0, math.inf, False
    for iteration in range(NEWTON_LIMIT):
        set_positions(model, scratch, q)
        row_values(model, state, scratch, t, 0, m, values)
        if not keep:
            row_jacobian(model, state, scratch, t, 0, m, J)
            _assemble(model, J, chosen, gauge, A)
            if not factor(A, n, pivots)[1] > 1e-15:
                return (-2, math.inf)
        _right_side(model, chosen, values, -1.0, x)
        solve(A, n, pivots, x)
        size = _unscale(model, x)
        if math.isnan(size):
            return (-3, math.inf)
        if not size < 1.0 or (size > 2.0 * previous and size > 1e-6):
            return (-1, math.inf)
        displace(model, q, x, 1.0, q)
        total += size
        if size < CLOSE or (size < 1e-7 and size > 0.25 * previous):
            return (iteration + 1, total)
        keep = size < KEEP
        previous = size
    return (-1, math.inf)


@inner_kernel
def _violation(model, J, x, side, m, worst, level):
    """Write the largest scaled |J x − side| to worst[3 + level]; without x (level 0) the largest scaled |side|."""
    largest = 0.0
    for r in range(m):
        row, total = model.rows[r], side[r]
        if level > 0:
            for e in range(row.entry, row.entry + row.entries):
                total -= J[e] * x[model.columns[e]]
        total = abs(total) / model.numbers[model.length] if row.is_length == 1 else abs(total)
        if not total <= largest:
            largest = total
    worst[3 + level] = largest
    return largest


@inner_kernel
def rates(model, state, scratch, t, m, chosen, gauge, motion, values, J, A, pivots, x, null, worst):
    """Write v and v̇ at the pose motion[0] into motion[1] and motion[2], and how far all rows are violated into `worst[3:]`.

    Returns
    -------
    tuple
        (sign of det or 0 where singular, largest scaled residual of all rows, σ_min of the scaled Jacobian).
    """
    n = model.velocities
    set_positions(model, scratch, motion[0])
    row_values(model, state, scratch, t, 0, m, values)
    violated = _violation(model, J, x, values, m, worst, 0)
    row_jacobian(model, state, scratch, t, 0, m, J)
    _assemble(model, J, chosen, gauge, A)
    sign, ratio = factor(A, n, pivots)
    if not ratio > SINGULAR_PIVOT:
        return (0.0, violated, 0.0)
    row_velocity(model, state, scratch, t, 0, m, values)
    _solved_rates(model, chosen, values, A, pivots, x, motion[1])
    _violation(model, J, motion[1], values, m, worst, 1)
    set_velocities(model, scratch, motion[1])
    row_gamma(model, state, scratch, t, 0, m, values)
    _solved_rates(model, chosen, values, A, pivots, x, motion[2])
    _violation(model, J, motion[2], values, m, worst, 2)
    return (sign, violated, smallest_singular_value(A, n, pivots, null, 1))


@inner_kernel
def _solved_rates(model, chosen, values, A, pivots, x, out):
    """Write the solution of Φ_q out = values with the factors in A."""
    n = model.velocities
    _right_side(model, chosen, values, 1.0, x)
    solve(A, n, pivots, x)
    _unscale(model, x)
    for c in range(n):
        out[c] = x[c]


@inner_kernel
def _predict(model, q, v, a, h, x, out):
    """Write q ⊕ (h v + ½ h² v̇); return nothing."""
    for c in range(model.velocities):
        x[c] = h * v[c] + 0.5 * h * h * a[c]
    displace(model, q, x, 1.0, out)


@inner_kernel
def _size(model, x):
    """Return the largest scaled component of a displacement."""
    worst = 0.0
    for c in range(model.velocities):
        k = abs(x[c]) / model.numbers[model.length] if _is_length_column(model, c) else abs(x[c])
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
def _rates_outcome(model, h, motion, trial, x, sign, violated, move):
    """Return what the rates say of a step: 0 accepted, 1 to be halved, 2 singular, 3 dropped rows violated."""
    if sign == 0.0:
        return 2
    for c in range(model.velocities):  # how far the rates turned from where they were heading, as a displacement
        x[c] = h * (trial[1, c] - motion[1, c] - h * motion[2, c])
    if _size(model, x) > 0.7 * move + 1e-5:
        return 1
    return 3 if violated > 1e-8 else 0


@kernel
def track(model, state, scratch, times, first, m, nf, chosen, gauge, motion, trial, values, J, A, pivots, x, null, worst,
          clock, Q, V, Vdot, R, sigma, crossings, counts):  # fmt: skip
    """Follow the mechanism over times[first:], writing every grid point; the motion before is in `motion`.

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
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    ref, nq, nv = state.ref, model.coordinates, model.velocities
    for k in range(first, times.shape[0]):
        interval = times[k] - clock[0]
        h = interval
        if 0.0 < abs(clock[2]) < abs(h):
            h = clock[2]
        if interval == 0.0:  # the start itself: only rates are asked for
            clock[1], _, sigma[k] = rates(
                model, state, scratch, times[k], m, chosen, gauge, motion, values, J, A, pivots, x, null, worst
            )
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
            _predict(model, motion[0], motion[1], motion[2], span, x, trial[0])
            move, t, sign, low = _size(model, x), clock[0] + span, 0.0, 0.0
            outcome = 0 if move < 1.0 else 1
            if outcome == 0:
                iterations, correction = newton(model, state, scratch, t, m, chosen, gauge, trial[0], values, J, A, pivots, x)
                counts[ITERATIONS] += max(iterations, 0)
                outcome = _newton_outcome(iterations, correction, move)
            if outcome == 0:
                set_positions(model, scratch, trial[0])
                outcome = 1 if largest_turn(model, state, scratch, nf) > 0.5 * math.pi else 0
            if outcome == 0:
                sign, violated, low = rates(
                    model, state, scratch, t, m, chosen, gauge, trial, values, J, A, pivots, x, null, worst
                )
                outcome = _rates_outcome(model, span, motion, trial, x, sign, violated, move)
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
                _note_crossing(crossings[counts[CROSSINGS]], clock[0], clock[0] + span, motion, nq, nv)
                counts[CROSSINGS] += 1
            _accept(model, state, scratch, nf, motion, trial, nq, nv)
            for level in range(3):
                worst[level] = max(worst[level], worst[3 + level])
            counts[STEPS] += 1
            clock[0] = times[k] if last else clock[0] + span
            clock[1] = sign
            h = math.copysign(min(2.0 * abs(h), abs(interval)), interval)
            sigma[k] = low
        clock[2] = h
        for c in range(nq):
            if not math.isfinite(motion[0, c]):
                return (NOT_A_NUMBER, k)
            Q[k, c] = motion[0, c]
        for c in range(nv):
            V[k, c] = motion[1, c]
            Vdot[k, c] = motion[2, c]
        for c in range(R.shape[1]):
            R[k, c] = ref[c]
    return (DONE, times.shape[0])


@inner_kernel
def _note_crossing(row, low, high, motion, nq, nv):
    """Write the interval and the state at its beginning."""
    row[0] = low
    row[1] = high
    for c in range(nq):
        row[2 + c] = motion[0, c]
    for c in range(nv):
        row[2 + nq + c] = motion[1, c]
        row[2 + nq + nv + c] = motion[2, c]


@inner_kernel
def _accept(model, state, scratch, nf, motion, trial, nq, nv):
    """Make the trial state the accepted one and move the angle references to it."""
    for c in range(nq):
        motion[0, c] = trial[0, c]
    for c in range(nv):
        motion[1, c] = trial[1, c]
        motion[2, c] = trial[2, c]
    set_positions(model, scratch, motion[0])
    set_references(model, state, scratch, nf)
