"""Newton's method on joints, motions and held values: damped steps of smallest norm that follow the guesses.

The steps and the measures of ``analyses/assembly/assemble.py``.
"""

from __future__ import annotations

import math

from multibody.kernels import codes as L
from multibody.kernels.assembly.levels import solve_level, turn_back
from multibody.kernels.assembly.start import axes_at, pose_of
from multibody.kernels.compile import inner_kernel
from multibody.kernels.functions import function_gradient, function_value
from multibody.kernels.rows import row_jacobian, row_values
from multibody.kernels.scales import column_scale, row_scale
from multibody.kernels.state import displace, set_positions
from multibody.kernels.vectors import column_of, dot, multiply

CLOSED = 1e-11  # largest scaled residual of an assembled mechanism
ITERATIONS, HALVINGS = 60, 12
STEP_LIMIT = 0.5  # scaled length or rad a step
NEAR, SLOW, PATIENCE = 0.01, 0.25, 3  # short steps that are longer than SLOW times the one before, so many, pivots falling too
CUT = 1e-9  # rows whose rest is below this part of the longest one count as dependent
WEAK = 1e-10  # the same for guesses within the freedom that the constraints leave


@inner_kernel
def close_positions(model, state, scratch, plan, room, t, q):
    """Bring q onto the constraints; return whether they are closed, with axes that point the right way."""
    norm, stalled, slow, before = _norm(model, state, scratch, plan, room, t, q), 0, 0, math.inf
    room.iterations = 0
    for _ in range(ITERATIONS):
        if not norm < math.inf:
            return False
        size, pivots = _find_step(model, state, scratch, plan, room, t, q)
        _note(room, norm, size, q)
        slow = slow + 1 if NEAR > size > SLOW * before and pivots < NEAR else 0
        if not size < math.inf or slow == PATIENCE:  # it creeps into a singular position: others may be regular
            return False
        before = size
        taken, after = _walk(model, state, scratch, plan, room, t, q, min(1.0, STEP_LIMIT / max(size, 1e-300)), norm)
        stalled = stalled + 1 if after > 0.999 * norm and after > CLOSED else 0
        norm = after
        if size < 1e-10 or (size < 1e-6 and norm < 1e-14) or taken == 0.0 or stalled > 6:
            break
    _norm(model, state, scratch, plan, room, t, q)
    worst = 0.0
    for r in range(plan.all_rows):
        if not abs(room.residual[r]) < CLOSED:
            return False
        worst = max(worst, abs(room.residual[r]))
    return not _flipped(model, scratch, plan)


@inner_kernel
def _note(room, norm, size, q):
    """Note where an iteration begins and its step."""
    k, n, nq = room.iterations, room.step.size, q.shape[0]
    room.residuals[k], room.sizes[k], room.iterations = norm, size, k + 1
    for c in range(nq):
        room.poses[k * nq + c] = q[c]
    for c in range(n):
        room.steps[k * n + c] = room.step[c]


@inner_kernel
def _norm(model, state, scratch, plan, room, t, q):
    """Write the scaled residual of all rows at q; return its norm."""
    set_positions(model, scratch, q)
    row_values(model, state, scratch, t, 0, plan.all_rows, room.residual)
    total = 0.0
    for r in range(plan.all_rows):
        room.residual[r] *= row_scale(model, r)
        total += room.residual[r] * room.residual[r]
    return math.sqrt(total)


@inner_kernel
def largest_gap(model, state, scratch, plan, room, t, q, count):
    """Write the scaled residual of the first rows at q; return the largest one, infinite where one has no value."""
    set_positions(model, scratch, q)
    row_values(model, state, scratch, t, 0, count, room.residual)
    worst = 0.0
    for r in range(count):
        room.residual[r] *= row_scale(model, r)
        worst = max(worst, abs(room.residual[r])) if abs(room.residual[r]) < math.inf else math.inf
    return worst


@inner_kernel
def smallest_step(model, room, count):
    """Write the smallest step that takes the residual away, by the rows in the conditions; return its scaled size."""
    n, size = model.velocities, 0.0
    for r in range(count):
        room.right[r] = -room.residual[r]
    known = solve_level(room, n, 0, count, count, 0, CUT, 1e-300)
    turn_back(room, n, known, room.step)
    for c in range(n):
        size = max(size, abs(room.step[c])) if abs(room.step[c]) < math.inf else math.inf
        room.step[c] *= column_scale(model, c)
    return size


@inner_kernel
def fill_rows(model, state, scratch, plan, room, t, count):
    """Write the scaled rows of Φ_q at the poses that are set to the conditions, full, from row 0 on."""
    n, A = model.velocities, room.A
    row_jacobian(model, state, scratch, t, 0, count, room.entries)
    for r in range(count):
        row, factor = model.rows[r], row_scale(model, r)
        for c in range(n):
            A[r * n + c] = 0.0
        for e in range(row.entry, row.entry + row.entries):
            c = model.columns[e]
            A[r * n + c] += factor * room.entries[e] * column_scale(model, c)


@inner_kernel
def fill_gradient(model, scratch, room, r, f, factor):
    """Write the gradient of a function (scaled columns), times a factor, as row r of the conditions; return its norm."""
    n, width, A, c, g = model.velocities, model.width, room.A, model.functions[f], scratch.gradient
    for k in range(n):
        A[r * n + k] = 0.0
    function_gradient(model, scratch, f, g)
    if c.kind == L.EXTRA:
        A[r * n + width * model.bodies + c.extra] = factor
        return factor
    for side in range(2):
        body = c.first if side == 0 else c.second
        if body > 0:
            for k in range(width):
                column = width * (body - L.FIRST_BODY) + k
                A[r * n + column] += factor * g[side * width + k] * column_scale(model, column)
    total = 0.0
    for k in range(n):
        total += A[r * n + k] * A[r * n + k]
    return math.sqrt(total)


@inner_kernel
def _find_step(model, state, scratch, plan, room, t, q):
    """Write the Newton step of smallest norm that also follows the guesses; return its size and least over largest pivot."""
    n, rows, longest = model.velocities, plan.all_rows, 0.0
    set_positions(model, scratch, q)
    fill_rows(model, state, scratch, plan, room, t, rows)
    for r in range(rows):
        room.right[r] = -room.residual[r]
    for k in range(plan.guesses.size):
        guess = plan.guesses[k]
        length = model.numbers[model.length] if plan.is_length[guess.function] == 1 else 1.0
        factor = math.sqrt(model.numbers[guess.weight]) / length
        longest = max(longest, fill_gradient(model, scratch, room, rows + k, guess.function, factor))
        miss = function_value(model, state, scratch, guess.function) - model.numbers[guess.value]
        room.right[rows + k] = -factor * miss
    known = solve_level(room, n, 0, rows, rows + plan.guesses.size, 0, CUT, 1e-300)
    pivots = abs(room.diagonal[known - 1] / room.diagonal[0]) if known > 0 else 1.0
    known = solve_level(room, n, rows, rows + plan.guesses.size, rows + plan.guesses.size, known, WEAK, longest)
    turn_back(room, n, known, room.step)
    size = 0.0
    for c in range(n):
        if not abs(room.step[c]) < math.inf:
            return math.inf, pivots
        size = max(size, abs(room.step[c]))
        room.step[c] *= column_scale(model, c)
    return size, pivots


@inner_kernel
def _walk(model, state, scratch, plan, room, t, q, factor, norm):
    """Move q along the step as far as its residual falls enough (halving); return the part taken and the residual's norm."""
    taken, best = 0.0, norm
    for _ in range(HALVINGS):
        displace(model, q, room.step, factor, room.trial)
        after = _norm(model, state, scratch, plan, room, t, room.trial)
        enough = after <= (1.0 - 1e-4 * factor) * norm or after < 1e-12
        if enough or after < best:
            taken, best = factor, after
            for k in range(q.shape[0]):
                room.best[k] = room.trial[k]
        if enough:
            break
        factor *= 0.5
    if taken == 0.0 and norm < 1e-9:  # at round-off: the last step only moves along free directions
        displace(model, q, room.step, 1.0, room.best)
        taken, best = 1.0, _norm(model, state, scratch, plan, room, t, room.best)
    if taken != 0.0:
        for k in range(q.shape[0]):
            q[k] = room.best[k]
    _norm(model, state, scratch, plan, room, t, q)
    return taken, best


@inner_kernel
def _flipped(model, scratch, plan):
    """Return whether some axes that must point the same way do not, at the poses that are set."""
    for k in range(plan.aligned.size):
        pair = plan.aligned[k]
        _, A = pose_of(model, scratch, pair.first)
        _, B = pose_of(model, scratch, pair.second)
        first = multiply(A, axes_at(model, pair.first_axes))
        second = multiply(B, axes_at(model, pair.second_axes))
        if dot(column_of(first, pair.axis), column_of(second, pair.axis)) < 0.5:
            return True
    return False
