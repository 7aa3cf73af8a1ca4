"""Vectors of vectors that implicit methods and formulations hand each other: where their parts begin.

=========== ==================== ===================================================================================
point       (q, v, a, λ)         where residuals are asked for
residuals   (R, ψ, Φ, χ, power)  what is answered: equations of motion, then constraints by rate, position, acceleration
changes     (xa, xv, xq)         what the kept matrices are multiplied by
question    (code, vectors)      what is asked about coordinates and rates, see ``integrators/implicit.py``
weights     (M, C, K, P, V)      what kept matrices are multiplied by, each a real part and an imaginary one
=========== ==================== ===================================================================================

nq, n and m are the numbers of coordinates, of rates and of multipliers.
"""

from __future__ import annotations

from multibody.kernels.compile import inlined

RATES, TANGENT, PLACE, DISPLACED = 0, 1, 2, 3  # codes of questions
ASKED = 1  # where the vectors of a question begin
OF_M, OF_C, OF_K, OF_P, OF_V, COEFFICIENTS = range(0, 12, 2)  # weights: where they are, and how many numbers
IMAGINARY = 1  # so far after the real part


@inlined
def lambda_at(nq, n):
    """Return where λ begins in a point."""
    return nq + 2 * n


@inlined
def chi_at(n, m):
    """Return where χ begins among residuals; ψ does at n, Φ at n + m."""
    return n + 2 * m


@inlined
def power_at(n, m):
    """Return where the power stands among residuals: behind all others."""
    return n + 3 * m


@inlined
def positions_at(n):
    """Return where xq begins among changes; xv does at n."""
    return 2 * n


@inlined
def changes_size(n):
    """Return how many numbers changes have."""
    return 3 * n
