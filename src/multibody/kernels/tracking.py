"""The way of a driven mechanism along a time grid, in one compiled loop.

Between grid points the step is halved when Newton wanders off or when a determinant of Φ_q changes its sign, so that the
mechanism stays on its branch; a sign change that survives halving is a singular position that was passed, and is recorded.
Large mechanisms are often made of many equal loops that pass their singular positions together: of these the determinants are
watched one by one.
"""

from __future__ import annotations

import math

from multibody.kernels.compile import inner_kernel, kernel
from multibody.kernels.declared import model_at, scratch_at, state_at
from multibody.kernels.functions import largest_turn, set_references
from multibody.kernels.instant import newton, rates
from multibody.kernels.memory.compiled import at
from multibody.kernels.memory.declaration import Block, floats, integer, number
from multibody.kernels.rows import row_values
from multibody.kernels.square_system import size_of, square_at
from multibody.kernels.state import displace, set_positions

DONE, LOCKED, SINGULAR, INCONSISTENT, NOT_A_NUMBER, FAILED = 0, 1, 2, 3, 4, 5
HALVE = LOCKED  # a step that is refused; where it cannot be halved any more the mechanism is locked
FINEST = 1.0 / 1048576.0  # of a grid interval: smallest substep before a lock-up is declared
ENDS = 2  # numbers of a crossing before its state: both ends of the interval
CROSSING = 1.0 / 256.0  # of a grid interval: where a change of sign is taken for a singular position


class Path(Block):
    """How far a mechanism has come: the accepted state, the one that is tried, and what was met on the way."""

    time = number("of the accepted state")
    step = number("last substep, 0 for a whole interval")
    q = floats("its positions")
    v = floats("its velocities")
    a = floats("its accelerations")
    signs = floats("signs of its determinants, as the square system has them")
    known = integer("1 if they are known")
    sigma = number("its smallest singular value")
    trial_q = floats("positions that are tried")
    trial_v = floats("velocities there")
    trial_a = floats("accelerations there")
    violation = floats("largest scaled violation of all rows there, of positions, velocities and accelerations")
    worst = floats("the same over all accepted states")
    steps = integer("accepted steps")
    iterations = integer("of Newton's method where it settled")
    rejected = integer("steps that were tried again with half the length")
    crossings = floats("intervals in which a determinant changed its sign, by rows: both ends, and q, v, v̇ at the first")
    noted = integer("how many there are")


path_at = at(Path)


@kernel
def track(model, state, scratch, square, path, times, first, Q, V, Vdot, R, sigma):
    """Follow the mechanism over times[first:], writing every grid point; the state before is that of the path.

    Parameters
    ----------
    square : address of a SquareSystem
    path : address of a Path
    R : array (instants, functions)
        Gets the angle references of every grid point, so that turns are counted however wide the grid is; it may have
        no columns where nothing counts turns.
    sigma : array (instants,)
        Gets the smallest singular values of the scaled Jacobian.

    Returns
    -------
    tuple
        (status, grid index reached): DONE, LOCKED, SINGULAR, INCONSISTENT, NOT_A_NUMBER, or FAILED where a solver in Python
        has raised an exception.
    """
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    square, path = square_at(square), path_at(path)
    for k in range(first, times.shape[0]):
        status = follow(model, state, scratch, square, path, times[k])
        if status != DONE:
            return (status, k)
        for c in range(model.coordinates):
            Q[k, c] = path.q[c]
        for c in range(model.velocities):
            V[k, c] = path.v[c]
            Vdot[k, c] = path.a[c]
        for c in range(R.shape[1]):
            R[k, c] = state.ref[c]
        sigma[k] = path.sigma
    return (DONE, times.shape[0])


@inner_kernel
def follow(model, state, scratch, square, path, target):
    """Bring the accepted state of the path to a time, or find its rates where it is there; return the status."""
    if target == path.time:
        status = _stay(model, state, scratch, square, path)
    else:
        status = _reach(model, state, scratch, square, path, target)
    if status != DONE:
        return status
    for c in range(model.coordinates):
        if not math.isfinite(path.q[c]):
            return NOT_A_NUMBER
    return DONE


@kernel
def values_over(model, state, scratch, times, q, lo, hi, out):
    """Write Φ of the rows lo..hi−1 at one position and many times, out (instants, rows): what motions ask for."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    set_positions(model, scratch, q)
    for k in range(times.shape[0]):
        row_values(model, state, scratch, times[k], lo, hi, out[k])


# --- steps -------------------------------------------------------------------------------------------------------------------
@inner_kernel
def _stay(model, state, scratch, square, path):
    """Find the rates of the accepted pose; return the status."""
    path.known, path.step = 0, 0.0
    set_positions(model, scratch, path.q)
    regular = rates(model, state, scratch, square, path.time, path.q, path.v, path.a, path.violation)
    if square.failed == 1:
        return FAILED
    if not regular:
        return SINGULAR
    _know(square, path)
    return DONE


@inner_kernel
def _reach(model, state, scratch, square, path, target):
    """Step to a time, halving where a step is refused or a determinant changes its sign; return the status."""
    interval = target - path.time
    h = path.step if 0.0 < abs(path.step) < abs(interval) else interval
    while path.time != target:
        rest = target - path.time
        last = abs(rest) <= abs(h) * (1.0 + 1e-9)
        span = rest if last else h
        if path.time + span == path.time:  # below the resolution of time
            return LOCKED
        outcome = _attempt(model, state, scratch, square, path, span)
        if square.failed == 1:
            return FAILED
        if outcome == INCONSISTENT or (outcome == SINGULAR and last):
            return outcome
        crossed = outcome == DONE and path.known == 1 and _signs_differ(square, path)
        if outcome != DONE or (crossed and abs(span) > CROSSING * abs(interval)):
            path.rejected += 1
            h = 0.5 * span
            if abs(h) < FINEST * abs(interval):
                return NOT_A_NUMBER if outcome == NOT_A_NUMBER else LOCKED
            continue
        if crossed:
            _note_crossing(model, path, path.time + span)
        _accept(model, state, scratch, square, path, target if last else path.time + span)
        h = math.copysign(min(2.0 * abs(h), abs(interval)), interval)
    path.step = h
    return DONE


@inner_kernel
def _attempt(model, state, scratch, square, path, span):
    """Try the state a step further; return DONE, HALVE, SINGULAR, INCONSISTENT (dropped rows violated) or NOT_A_NUMBER."""
    x, t = square.x, path.time + span
    for c in range(model.velocities):
        x[c] = span * path.v[c] + 0.5 * span * span * path.a[c]
    move = size_of(model, x)
    if not move < 1.0:
        return HALVE
    displace(model, path.q, x, 1.0, path.trial_q)
    iterations, correction = newton(model, state, scratch, square, t, path.trial_q)
    if iterations < -1:
        return SINGULAR if iterations == -2 else NOT_A_NUMBER
    path.iterations += max(iterations, 0)
    if iterations < 0 or correction > 0.3 * move + 1e-5:
        return HALVE
    set_positions(model, scratch, path.trial_q)
    if largest_turn(model, state, scratch, model.function_count) > 0.5 * math.pi:
        return HALVE
    if not rates(model, state, scratch, square, t, path.trial_q, path.trial_v, path.trial_a, path.violation):
        return SINGULAR
    for c in range(model.velocities):  # how far the rates turned from where they were heading, as a displacement
        x[c] = span * (path.trial_v[c] - path.v[c] - span * path.a[c])
    if not size_of(model, x) <= 0.7 * move + 1e-5:
        return HALVE
    return INCONSISTENT if path.violation[0] > 1e-8 else DONE


# --- states ------------------------------------------------------------------------------------------------------------------
@inner_kernel
def _accept(model, state, scratch, square, path, t):
    """Make the trial state, whose poses the bodies have, the accepted one and move the angle references to it."""
    for c in range(model.coordinates):
        path.q[c] = path.trial_q[c]
    for c in range(model.velocities):
        path.v[c] = path.trial_v[c]
        path.a[c] = path.trial_a[c]
    path.time = t
    path.steps += 1
    set_references(model, state, scratch, model.function_count)
    _know(square, path)


@inner_kernel
def _know(square, path):
    """Keep what was found of the accepted state beside its rates: signs, smallest singular value, violations."""
    for k in range(square.signs.shape[0]):
        path.signs[k] = square.signs[k]
    path.known, path.sigma = 1, square.sigma
    for level in range(3):
        path.worst[level] = max(path.worst[level], path.violation[level])


@inner_kernel
def _signs_differ(square, path):
    """Return whether a determinant has another sign than that of the accepted state."""
    differ = False
    for k in range(square.signs.shape[0]):
        differ = differ or square.signs[k] != path.signs[k]
    return differ


@inner_kernel
def _note_crossing(model, path, end):
    """Write the interval from the accepted state to a time, and that state, as long as there is room."""
    nq, nv = model.coordinates, model.velocities
    width = ENDS + nq + nv + nv
    if (path.noted + 1) * width > path.crossings.shape[0]:
        return
    row = path.crossings[path.noted * width : (path.noted + 1) * width]
    row[0], row[1] = path.time, end
    for c in range(nq):
        row[ENDS + c] = path.q[c]
    for c in range(nv):
        row[ENDS + nq + c] = path.v[c]
        row[ENDS + nq + nv + c] = path.a[c]
    path.noted += 1
