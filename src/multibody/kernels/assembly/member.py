"""Assembly of one member: positions, angle references, rates, and whether all rows are independent."""

from __future__ import annotations

import math

from multibody.kernels.assembly.closing import CUT, WEAK, close_positions, fill_gradient, fill_rows
from multibody.kernels.assembly.declared import assembly_at, room_at
from multibody.kernels.assembly.levels import solve_level, turn_back
from multibody.kernels.assembly.start import find_targets, pose_of, start_on_tree
from multibody.kernels.body_layout import POINT
from multibody.kernels.codes import FIRST_BODY
from multibody.kernels.compile import inner_kernel, kernel
from multibody.kernels.declared import model_at, scratch_at, state_at
from multibody.kernels.functions import set_references
from multibody.kernels.rows import row_velocity
from multibody.kernels.scales import column_scale, row_scale
from multibody.kernels.state import set_positions
from multibody.kernels.vectors import row_of, scale, store3

CLOSED = 0  # assembled, all rows of joints and motions are independent
DEPENDENT = 1  # assembled; which rows are independent has to be found out
OPEN = 2  # positions or rates were not found this way
MISSED = 1e-8  # scaled rates that are not met


@kernel
def assemble_member(model, state, scratch, plan, room, t, q, v):
    """Write a consistent q and v and the angle references; return CLOSED, DEPENDENT or OPEN.

    Parameters
    ----------
    plan : address of Assembly
    room : address of AssemblyScratch
    t : float
    q, v : arrays, written
    """
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    plan, room = assembly_at(plan), room_at(room)
    for f in range(state.ref.size):
        state.ref[f] = 0.0
    if start_on_tree(model, state, scratch, plan, room, t, q) != 0:
        return OPEN
    _set_start_references(model, state, scratch, plan, room, t, q)
    if not close_positions(model, state, scratch, plan, room, t, q):
        return OPEN
    set_positions(model, scratch, q)
    set_references(model, state, scratch, model.function_count)
    return _rates_found(model, state, scratch, plan, room, t, v)


@kernel
def rates_member(model, state, scratch, plan, room, t, q, v):
    """Write v that is consistent at a time and a pose that is assembled; return CLOSED, DEPENDENT or OPEN.

    Arguments as for :func:`assemble_member`: where motions switch at the time of assembly, rates are those just behind it.
    """
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    plan, room = assembly_at(plan), room_at(room)
    set_positions(model, scratch, q)
    return _rates_found(model, state, scratch, plan, room, t, v)


@inner_kernel
def _rates_found(model, state, scratch, plan, room, t, v):
    """Write v at the poses that are set; return whether it was found, and whether all rows are independent."""
    known = _find_rates(model, state, scratch, plan, room, t, v)
    if known < 0:
        return OPEN
    return CLOSED if known == plan.rows else DEPENDENT


@inner_kernel
def _set_start_references(model, state, scratch, plan, room, t, q):
    """Let counted angles start at the values that motions, held values and guesses ask for."""
    set_positions(model, scratch, q)
    set_references(model, state, scratch, model.function_count)
    find_targets(model, state, scratch, plan, room, t, q)
    for f in range(model.function_count):
        if room.has_target[f] == 1 and plan.is_length[f] == 0:
            state.ref[f] = room.target[f]


@inner_kernel
def _find_rates(model, state, scratch, plan, room, t, v):
    """Write v that satisfies joints and motions, then held rates, then guessed ones, small otherwise.

    Returns the number of independent rows among those of joints and motions, −1 where they or held rates cannot be met.
    """
    n, first, largest, worst = model.velocities, 0, 1.0, 0.0
    for c in range(n):
        v[c] = 0.0
    for _ in range(2):  # what is left after the first solution is round-off: a rate of −1 is to be −1
        held, last, longest_held, longest_wish = _conditions(model, state, scratch, plan, room, t)
        worst = 0.0
        for r in range(last):
            largest = max(largest, abs(room.right[r])) if r < held else largest
            for c in range(n):
                room.right[r] -= room.A[r * n + c] * v[c]
            worst = max(worst, abs(room.right[r])) if r < held else worst
            if not abs(room.right[r]) < math.inf:
                return -1
        first = solve_level(room, n, 0, plan.rows, last, 0, CUT, 1e-300)
        known = solve_level(room, n, plan.rows, held, last, first, CUT, longest_held)
        known = solve_level(room, n, held, last, last, known, WEAK, longest_wish)
        turn_back(room, n, known, room.step)
        for c in range(n):
            v[c] += room.step[c]
    for c in range(n):
        v[c] *= column_scale(model, c)
    return first if worst <= MISSED * largest else -1


@inner_kernel
def _conditions(model, state, scratch, plan, room, t):
    """Write the rows of joints and motions, of held and of guessed rates, scaled.

    Returns where the held ones and where the guessed ones end, and the longest row of each of these levels.
    """
    rows, r, held = plan.rows, plan.rows, plan.rows
    fill_rows(model, state, scratch, plan, room, t, rows)
    row_velocity(model, state, scratch, t, 0, rows, room.right)
    for k in range(rows):
        room.right[k] *= row_scale(model, k)
    longest_held, longest_wish = 1e-300, 1e-300
    for k in range(plan.rates.size):
        rate = plan.rates[k]
        length = model.numbers[model.length] if rate.function >= 0 and plan.is_length[rate.function] == 1 else 1.0
        factor = (1.0 if rate.weight < 0 else math.sqrt(model.numbers[rate.weight])) / length
        size = _rate_row(model, scratch, room, r, rate, factor)
        room.right[r] = factor * model.numbers[rate.value]
        r += 1
        if rate.weight < 0:
            held, longest_held = r, max(longest_held, size)
        else:
            longest_wish = max(longest_wish, size)
    return held, r, longest_held, longest_wish


@inner_kernel
def _rate_row(model, scratch, room, r, rate, factor):
    """Write the row of a rate as row r of the conditions; return its norm."""
    if rate.function >= 0:
        return fill_gradient(model, scratch, room, r, rate.function, factor)
    n, A = model.velocities, room.A
    for c in range(n):
        A[r * n + c] = 0.0
    _, axes = pose_of(model, scratch, rate.body)
    store3(A, r * n + model.width * (rate.body - FIRST_BODY) + POINT, scale(factor, row_of(axes, rate.axis)))
    return factor
