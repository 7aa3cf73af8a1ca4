"""Redundant rows on the way: which ones are written with equations of motion is chosen anew where others serve better.

Rows that the others imply at the start are left out. On the way the very rows that are kept may become dependent, where the
mechanism itself is as regular as ever: what stands still then is the choice, and not the motion.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from multibody.formulations.prepare import Bundle
from multibody.formulations.spaces.expanded import Expanded
from multibody.rank.leastnorm import independent_rows
from multibody.state.system import Floats, Integers

BETTER = 2.0  # times the smallest singular value of the chosen rows: others are worth a restart
_ARRAYS = ("multipliers", "kinetic", "potential", "work", "efforts", "loads")  # of the dynamics, over the instants


def better_rows(J: Floats, chosen: Integers, floor: float) -> Integers | None:
    """Return independent rows that serve better than the chosen ones, None where these are as good as any.

    Parameters
    ----------
    J : array (rows, columns)
        Φ_q of all rows, free of units.
    chosen : array of int
    floor : float
        Size of a row that is none.
    """
    rows = independent_rows(J, floor=floor, most=len(chosen))
    if len(rows) < len(chosen):
        return None
    held, found = (least_size(J[which]) for which in (chosen, rows))
    return rows if found > BETTER * held else None


def least_size(J: Floats) -> float:
    """Return the smallest singular value."""
    return float(np.linalg.svd(J, compute_uv=False)[-1])


def allow_others(bundle: Bundle, rows: int) -> None:
    """Let a run ask for other rows where some of all rows are left out."""
    bundle.settings(other_rows=1.0 if len(bundle.chosen) < rows else -1.0)


def carry_on(before: Bundle, made: Bundle) -> None:
    """Let a bundle with other rows go on where one was: what it was told, what it met, and numbers that a simulator sets."""
    share_numbers(before, made)
    own, state = before.state, made.state
    state.ref, state.settings, state.statistics = own.ref, own.settings, own.statistics
    made.settings(regular_ratio=1e-300, near_change=0.0, avoided=0.0, lingering=0.0, other_rows=0.0)


def share_numbers(living: Bundle, other: Bundle) -> None:
    """Let another bundle of the model have the numbers and formulas that a simulator may set."""
    own, model = living.model, other.model
    model.numbers, model.laws, model.tables = own.numbers, own.laws, own.tables


def read_by_rows(
    bundles: Sequence[Bundle], size: Callable[[Bundle, int], float], times: Floats,
    read: Callable[[Bundle, slice, Expanded | None], Expanded],
) -> Expanded:  # fmt: skip
    """Return what follows from the states of a run that chose its rows anew: every instant by those that serve best there.

    Parameters
    ----------
    bundles : sequence of Bundle
        With different rows.
    size : callable
        Smallest singular value of a bundle's rows at an instant.
    times : array (instants,)
    read : callable
        What follows at some instants by a bundle; given what was read before them, None at first.
    """
    sizes = np.array([[size(b, k) for b in bundles] for k in range(len(times))])
    best = np.argmax(sizes, axis=1) if len(times) else np.zeros(0, dtype=np.int64)
    cuts = [0, *(1 + np.flatnonzero(np.diff(best))).tolist(), len(times)]
    parts: list[Expanded] = []
    for first, last in pairwise(cuts):
        b = bundles[int(best[first])] if len(times) else bundles[0]
        parts.append(read(b, slice(first, last), parts[-1] if parts else None))
    joined: dict[str, Any] = {name: np.concatenate([getattr(part.dynamics, name) for part in parts]) for name in _ARRAYS}
    Y, references, A = (np.concatenate([getattr(part, name) for part in parts]) for name in ("Y", "references", "A"))
    return Expanded(Y, references, A, replace(parts[-1].dynamics, **joined))
