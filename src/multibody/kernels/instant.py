"""Position, velocity and acceleration analysis of a driven mechanism at one instant.

Newton–Raphson on Φ(q, t) = 0, then Φ_q v = ν and Φ_q v̇ = γ with the factors of the last Jacobian (Shabana, Computational
Dynamics, section 3.10: the computer algorithm). How the square system is factored is its own affair.
"""

from __future__ import annotations

import math

from multibody.kernels.compile import inner_kernel
from multibody.kernels.rows import row_gamma, row_jacobian, row_values, row_velocity
from multibody.kernels.square_system import factor, find_smallest, is_regular, largest_gap, solve
from multibody.kernels.state import displace, set_positions, set_velocities

NEWTON_LIMIT = 20
CLOSE = 1e-11  # a Newton step this small (scaled) is the last one
SETTLED = 1e-14  # what the next step would be, going by the last two, where it is not made any more
KEEP = 1e-4  # after a step this small the factors serve for the next one too


@inner_kernel
def newton(model, state, scratch, square, t, q):
    """Solve Φ(q, t) = 0 in place; return (iterations or a negative code, size of the total correction).

    Codes: −1 does not settle, −2 singular, −3 not a number.

    The Jacobian is factored anew while steps are large; once they are small its factors are kept (simplified Newton), as
    their error then costs less than another factorization.
    """
    total, previous, keep = 0.0, math.inf, False
    for iteration in range(NEWTON_LIMIT):
        set_positions(model, scratch, q)
        row_values(model, state, scratch, t, 0, square.rows, square.values)
        if not keep:
            row_jacobian(model, state, scratch, t, 0, square.rows, square.J)
            if not factor(model, square):
                return (-2, math.inf)
        size = solve(model, square, -1.0)
        if math.isnan(size):
            return (-3, math.inf)
        if not size < 1.0 or (size > 2.0 * previous and size > 1e-6):
            return (-1, math.inf)
        displace(model, q, square.x, 1.0, q)
        total += size
        if size < CLOSE or (size < 1e-7 and size > 0.25 * previous) or (iteration > 0 and size * size < SETTLED * previous):
            return (iteration + 1, total)
        keep = size < min(KEEP, square.shrinking * previous)
        previous = size
    return (-1, math.inf)


@inner_kernel
def rates(model, state, scratch, square, t, q, v, a, violation):
    """Write v and v̇ at the pose q, and how far all rows are violated at the three levels; return False where it is singular.

    The bodies have the poses of q already. The square system has the signs of its determinants and its smallest singular value
    then.
    """
    rows = square.rows
    row_values(model, state, scratch, t, 0, rows, square.values)
    violation[0] = largest_gap(model, square, q, 0)
    row_jacobian(model, state, scratch, t, 0, rows, square.J)
    if not factor(model, square) or not is_regular(square):
        return False
    row_velocity(model, state, scratch, t, 0, rows, square.values)
    _solved(model, square, v)
    violation[1] = largest_gap(model, square, v, 1)
    set_velocities(model, scratch, v)
    row_gamma(model, state, scratch, t, 0, rows, square.values)
    _solved(model, square, a)
    violation[2] = largest_gap(model, square, a, 2)
    find_smallest(model, square)
    return True


@inner_kernel
def _solved(model, square, out):
    """Write the solution of Φ_q out = ``values``."""
    solve(model, square, 1.0)
    for c in range(model.velocities):
        out[c] = square.x[c]
