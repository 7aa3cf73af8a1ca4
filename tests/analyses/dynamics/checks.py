"""What the tests of this folder have in common: the formulations, and reading a run at given times."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

import multibody as mb

Floats = npt.NDArray[np.float64]
Values = Mapping[str, float]

FORMULATIONS = ("augmented", "baumgarte", "partitioning", "kane")


def errors_at(run: mb.Run, reference: Mapping[float, Values]) -> dict[float, float]:
    """Return the largest error over max(1, |value|) at every time of a reference {time: {path: value}}."""
    found = {}
    for t, values in reference.items():
        state = run.at(t)
        found[t] = max(abs(float(state[path]) - value) / max(1.0, abs(value)) for path, value in values.items())
    return found


def worst_error(run: mb.Run, reference: Mapping[float, Values]) -> float:
    """Return the largest error of a run against a reference {time: {path: value}}."""
    assert run.ok, run.status.message
    return max(errors_at(run, reference).values())


def difference(run: mb.Run, other: mb.Run, *paths: str) -> float:
    """Return the largest difference of paths over two runs with the same instants, over max(1, |value|)."""
    assert np.array_equal(run.time, other.time)
    worst = 0.0
    for path in paths:
        mine, theirs = run[path].values, other[path].values
        worst = max(worst, float(np.max(np.abs(mine - theirs))) / max(1.0, float(np.max(np.abs(theirs)))))
    return worst


def tight(model: mb.Model, until: float, **options: Any) -> mb.Run:
    """Return a run with tolerances of 1e-12 that has finished."""
    run = model.run(until, **({"rtol": 1e-12, "atol": 1e-13} | options))
    assert run.ok, run.status.message
    return run


def patience(seconds: float) -> Callable[[float], None]:
    """Return a progress function that interrupts a run which takes longer, so that it ends with a status."""
    begin = time.monotonic()

    def look(t: float) -> None:
        if time.monotonic() - begin > seconds:
            raise KeyboardInterrupt

    return look
