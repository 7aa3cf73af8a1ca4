"""Guesses that are out of reach: a closed mechanism is moved along what it is free to do until it misses them least."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from multibody.rank.leastnorm import DENSE_ASSEMBLY, WEAK, largest_row, least_norm

if TYPE_CHECKING:
    from multibody.analyses.assembly.assemble import PositionSolver
    from multibody.state.system import Floats

STEPS, HALVINGS = 60, 12
SETTLED = 1e-12  # part of what is missed by which a last step makes it less
TIE = 1e-6  # rows whose gaps differ by less than this part are open alike


def follow_guesses(solver: PositionSolver, q: Floats) -> Floats:
    """Return the closed pose near a closed one that misses the guesses least.

    Newton's method stops where the mechanism is closed. Near a dead point its way there is a matter of chance: the last digit
    of a processor decides in which pose it ends. Steps are those of Gauss and Newton, halved until less is missed.
    """
    from multibody.analyses.assembly.assemble import CLOSED, STEP_LIMIT

    system, every = solver.system, np.ones(solver.count, dtype=bool)
    closed = np.max(np.abs(solver.residual(q)), initial=0.0) < CLOSED
    if not (solver.guesses and closed) or system.nv > DENSE_ASSEMBLY:
        return q
    missed = float(np.linalg.norm(solver._soft(q)[1]))
    for _ in range(STEPS):
        soft, rest = solver._soft(q)
        _, Z = least_norm(system.scaled(system.jacobian(q, solver.t, 0, solver.count)), np.zeros(solver.count))
        if Z.shape[1] == 0:
            break
        step = Z @ least_norm(soft @ Z, -rest, WEAK, largest_row(soft))[0]
        size, before = float(np.max(np.abs(step), initial=0.0)), missed
        factor = min(1.0, STEP_LIMIT / max(size, 1e-300))
        for _ in range(HALVINGS):
            trial = solver._closed(system.displaced(q, step * system.scale_columns, factor), every)
            worth = float(np.linalg.norm(solver._soft(trial)[1]))
            if worth < missed and np.max(np.abs(solver.residual(trial)), initial=0.0) < CLOSED and not solver.flipped(trial):
                q, missed = trial, worth
                break
            factor *= 0.5
        if not before - missed > SETTLED * before:
            break
    return q


def most_open(residual: Floats) -> int:
    """Return the first of the rows whose gap is the largest, but for rounding; −1 where there are none."""
    sizes = np.abs(residual)
    return int(np.argmax(sizes >= (1.0 - TIE) * np.max(sizes))) if len(sizes) else -1
