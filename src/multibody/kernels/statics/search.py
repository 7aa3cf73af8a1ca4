"""The search for a position of rest: steps downhill along the constraints, then a few of Newton's method.

The steps of ``analyses/statics/statics.py``. Where they do not lead to a balance the search begins anew there, which also
says what is left.
"""

from __future__ import annotations

import math

from multibody.kernels.assembly.declared import assembly_at, room_at
from multibody.kernels.assembly.levels import solve_level, turn_back
from multibody.kernels.compile import inner_kernel, kernel
from multibody.kernels.declared import model_at, scratch_at, state_at
from multibody.kernels.forces import law_efforts, load_wrenches, potential_energy
from multibody.kernels.scales import column_scale
from multibody.kernels.state import displace
from multibody.kernels.statics.balance import balance_at, bend, close_pose, length_of, place, set_reach
from multibody.kernels.statics.declared import statics_at
from multibody.kernels.statics.jacobi import jacobi

BALANCED, LEFT = 0, 1  # answers of a search: at rest; the other one has to look
MOVED, UNCLOSED, UNKNOWN = 0, 1, 2  # how a step went: there; constraints do not close; nothing is known of the point
ITERATIONS, POLISHINGS = 150, 3
FAR = 30.0  # turns [rad], or extents of the model, after which what nothing holds has been followed long enough
FIRST_LIMIT, MOST_LIMIT, SMALL_LIMIT, LEAST_LIMIT = 0.5, 1.0, 1e-3, 1e-13  # of the lengths of steps
STIFF = 1e-14  # of the largest stiffness: an unbalanced force that is in its last digits
SINGULAR = 1e-11  # of the largest row of S


@kernel
def find_rest(model, state, scratch, plan, room, rest, t, rank, tolerance, q, multipliers, efforts, loads):
    """Write a position of rest and the forces there; return BALANCED and the potential energy, or LEFT and 0.

    Parameters
    ----------
    plan : address of Assembly
    room : address of AssemblyScratch
    rest : address of StaticsRoom
    t : float
        Time at which motions are held.
    rank : int
        How many rows of joints and motions are independent.
    tolerance : float
        Largest unbalanced force over the largest force that acts.
    q : array, changed
        From a closed pose, whose angle references are in the state, to the position of rest.
    multipliers, efforts, loads : arrays, written
    """
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    plan, room, rest = assembly_at(plan), room_at(room), statics_at(rest)
    here = rest.here
    for k in range(q.shape[0]):
        here.q[k] = q[k]
    rest.reference, rest.tolerance, rest.way, rest.iterations, rest.bent = 0.0, tolerance, 0.0, 0, 0
    set_reach(model, rest, here.q)
    if not balance_at(model, state, scratch, plan, room, rest, t, rank, here):
        return LEFT, 0.0
    rest.reference = here.reference
    if not _balanced(model, state, scratch, plan, rest, t):
        if rest.free == 0 or not _descend(model, state, scratch, plan, room, rest, t, rank):
            return LEFT, 0.0
        if not _polish(model, state, scratch, plan, room, rest, t, rank):
            return LEFT, 0.0
    return BALANCED, _leave(model, state, scratch, plan, rest, t, q, multipliers, efforts, loads)


@inner_kernel
def _leave(model, state, scratch, plan, rest, t, q, multipliers, efforts, loads):
    """Write pose, references and forces of the best point; return its potential energy."""
    here = rest.here
    for f in range(state.ref.size):
        state.ref[f] = here.ref[f]
    for k in range(q.shape[0]):
        q[k] = here.q[k]
    for r in range(plan.rows):
        multipliers[r] = here.multipliers[r]
    place(model, scratch, rest, here.q)
    law_efforts(model, state, scratch, t, efforts)
    load_wrenches(model, state, scratch, t, loads)
    return potential_energy(model, state, scratch, t)


@inner_kernel
def _balanced(model, state, scratch, plan, rest, t):
    """Return whether the best point counts as an equilibrium: to the tolerance, or to the last digits of stiff springs."""
    if rest.here.size <= rest.tolerance * rest.reference:
        return True
    bend(model, state, scratch, plan, rest, t)
    return rest.here.size <= STIFF * rest.stiffest


@inner_kernel
def _move(model, state, scratch, plan, room, rest, t, rank, d):
    """Find the point that a displacement without lengths leads to from the best one."""
    here, there = rest.here, rest.there
    for f in range(state.ref.size):
        state.ref[f] = here.ref[f]
    for c in range(model.velocities):
        room.step[c] = d[c] * column_scale(model, c)
    displace(model, here.q, room.step, 1.0, there.q)
    if not close_pose(model, state, scratch, plan, room, t, there.q):
        return UNCLOSED
    return MOVED if balance_at(model, state, scratch, plan, room, rest, t, rank, there) else UNKNOWN


@inner_kernel
def _take(model, plan, rest):
    """Let the point that was tried be the best one."""
    here, there = rest.here, rest.there
    for k in range(here.q.size):
        here.q[k] = there.q[k]
    for f in range(here.ref.size):
        here.ref[f] = there.ref[f]
    for r in range(plan.rows):
        here.multipliers[r] = there.multipliers[r]
    for c in range(model.velocities):
        here.p[c] = there.p[c]
    for k in range(rest.free * model.velocities):
        here.N[k] = there.N[k]
    here.size, here.reference, rest.bent = there.size, there.reference, 0


@inner_kernel
def _descend(model, state, scratch, plan, room, rest, t, rank):
    """Go downhill; return whether that leads to a balance."""
    here, there, limit = rest.here, rest.there, FIRST_LIMIT
    for _ in range(ITERATIONS):
        if _balanced(model, state, scratch, plan, rest, t):
            return True
        if rest.way > FAR or limit < LEAST_LIMIT:
            return False
        rest.iterations += 1
        expected = _find_descent(model, state, scratch, plan, rest, t, limit)
        length = length_of(model, rest, rest.d)
        if not length < math.inf:
            return False
        answer = _move(model, state, scratch, plan, room, rest, t, rank, rest.d)
        if answer == UNKNOWN:
            return False
        gained = _gained(model, rest) if answer == MOVED else -1.0
        if answer == MOVED and (gained > 0.01 * expected or there.size < 0.5 * here.size):
            rest.way += length
            rest.reference = max(rest.reference, there.reference)
            _take(model, plan, rest)
            limit = min(2.0 * limit, MOST_LIMIT) if gained > 0.7 * expected else limit
        else:
            limit = 0.25 * length
    return _balanced(model, state, scratch, plan, rest, t)


@inner_kernel
def _gained(model, rest):
    """Return the work of the unbalanced forces along the step, by the trapezoidal rule."""
    total = 0.0
    for c in range(model.velocities):
        total += rest.d[c] * (rest.here.p[c] + rest.there.p[c])
    return 0.5 * total


@inner_kernel
def _find_descent(model, state, scratch, plan, rest, t, limit):
    """Write a step that gains energy, no longer than `limit`; return the energy that it should gain.

    Stiffness counts by its absolute value, so that the step leads away from unstable positions, not to them.
    """
    bend(model, state, scratch, plan, rest, t)
    least = _set_spectrum(model, rest)
    low, high = 0.0, 0.0
    _set_step(model, rest, 0.0, least, rest.d)
    while length_of(model, rest, rest.d) > limit and high < math.inf:
        low, high = high, max(10.0 * high, least)
        _set_step(model, rest, high, least, rest.d)
    for _ in range(12 if high > 0.0 else 0):
        middle = math.sqrt(max(low, 1e-3 * high) * high)
        _set_step(model, rest, middle, least, rest.tried)
        if length_of(model, rest, rest.tried) > limit:
            low = middle
        else:
            high = middle
            for c in range(model.velocities):
                rest.d[c] = rest.tried[c]
    _set_step(model, rest, high, least, rest.tried)
    gain = 0.0
    for i in range(rest.free):
        stiff = max(abs(rest.eigenvalues[i]), least)
        gain += rest.z[i] * (rest.force[i] - 0.5 * stiff * rest.z[i])
    return gain


@inner_kernel
def _set_spectrum(model, rest):
    """Write the spectrum of the symmetric part of S and the unbalanced force along it; return the least stiffness."""
    free, A = rest.free, rest.KN  # which is not needed any more
    for i in range(free):
        for j in range(free):
            A[i * free + j] = 0.5 * (rest.S[i * free + j] + rest.S[j * free + i])
    jacobi(A, free, rest.eigenvalues, rest.U)
    largest = max(rest.here.reference, 1e-300)
    _set_free_force(model, rest)
    for i in range(free):
        largest, total = max(largest, abs(rest.eigenvalues[i])), 0.0
        for j in range(free):
            total += rest.U[j * free + i] * rest.y[j]
        rest.force[i] = total
    return 1e-9 * largest


@inner_kernel
def _set_free_force(model, rest):
    """Write the unbalanced force of the best point along its free directions to y."""
    n = model.velocities
    for i in range(rest.free):
        total = 0.0
        for c in range(n):
            total += rest.here.N[i * n + c] * rest.here.p[c]
        rest.y[i] = total


@inner_kernel
def _set_step(model, rest, shift, least, d):
    """Write the step whose stiffness is raised by a shift to d, and along the eigenvectors to z."""
    free = rest.free
    for i in range(free):
        rest.z[i] = rest.force[i] / (max(abs(rest.eigenvalues[i]), least) + shift)
    for j in range(free):
        total = 0.0
        for i in range(free):
            total += rest.U[j * free + i] * rest.z[i]
        rest.y[j] = total
    _spread(model, rest, d)


@inner_kernel
def _spread(model, rest, d):
    """Write d = Nᵀ y of the best point."""
    n = model.velocities
    for c in range(n):
        total = 0.0
        for i in range(rest.free):
            total += rest.here.N[i * n + c] * rest.y[i]
        d[c] = total


@inner_kernel
def _polish(model, state, scratch, plan, room, rest, t, rank):
    """Take a few steps of Newton's method that still reduce the unbalanced force; return False where nothing is known there."""
    for _ in range(POLISHINGS):
        _find_newton(model, state, scratch, plan, rest, t)
        answer = _move(model, state, scratch, plan, room, rest, t, rank, rest.d)
        if answer == UNKNOWN:
            return False
        if answer == UNCLOSED or not rest.there.size < 0.5 * rest.here.size:
            break
        _take(model, plan, rest)
    return True


@inner_kernel
def _find_newton(model, state, scratch, plan, rest, t):
    """Write the smallest step of Newton's method, S y = N p, no longer than SMALL_LIMIT."""
    bend(model, state, scratch, plan, rest, t)
    free, own = rest.free, rest.newton
    _set_free_force(model, rest)
    for i in range(free):
        own.right[i] = rest.y[i]
        for j in range(free):
            own.A[i * free + j] = rest.S[i * free + j]
    known = solve_level(own, free, 0, free, free, 0, SINGULAR, 1e-300)
    turn_back(own, free, known, rest.y)
    _spread(model, rest, rest.d)
    factor = min(1.0, SMALL_LIMIT / max(length_of(model, rest, rest.d), 1e-300))
    for c in range(model.velocities):
        rest.d[c] *= factor
