"""The formulations in joint coordinates, and how two runs of one model are compared in everything that they give."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

import multibody as mb

METHODS: dict[str, Any] = {"recursive": mb.Recursive(), "transformation": mb.Transformation(), "articulated": mb.Articulated()}
CLOSINGS: dict[str, Any] = METHODS | {
    "stabilized": mb.Transformation("stabilized"), "partitioned": mb.Transformation("partitioned"),
}  # fmt: skip

MOTION = ("position", "rotation", "angle", "velocity", "angular_velocity", "coordinate", "coordinate_rate")
ACCELERATIONS = ("acceleration", "angular_acceleration", "coordinate_acceleration")
FORCES = ("reaction_force", "reaction_moment", "total_force", "total_moment", "effort", "force_effort")
FORCES += ("action_force", "action_moment")
ENERGIES = ("kinetic_energy", "potential_energy", "work")
UNIQUE = {"reaction_force": "unique_force", "reaction_moment": "unique_moment", "effort": "unique_effort"}
UNIQUE |= {"total_force": "unique_force", "total_moment": "unique_moment"}


def exact(model: mb.Model, until: float, formulation: Any = "augmented", **options: Any) -> mb.Run:
    """Return a run at tight tolerances that has finished."""
    run = model.run(until, formulation=formulation, **({"rtol": 1e-11, "atol": 1e-12, "output_step": until / 40} | options))
    assert run.ok, run.status.message
    return run


def differences(
    run: mb.Run, other: mb.Run, keys: Iterable[str] = (*MOTION, *ACCELERATIONS, *FORCES, *ENERGIES)
) -> dict[str, float]:
    """Return the largest difference of every variable of two runs over the largest value of its kind.

    Forces are compared where the other run calls them unique; which ones are unique must agree.
    """
    mine, theirs = run.data, other.data
    assert np.array_equal(run.time, other.time)
    force = max([1.0, *(float(np.max(np.abs(theirs[key].values), initial=0.0)) for key in FORCES if key in theirs)])
    found = {}
    for key in keys:
        if key not in theirs:
            continue
        gap = np.abs(mine[key].values - theirs[key].values)
        if key == "rotation":
            gap = np.minimum(gap, np.abs(mine[key].values + theirs[key].values))
        if key in UNIQUE:
            flags = theirs[UNIQUE[key]].values
            assert np.array_equal(mine[UNIQUE[key]].values, flags), key
            gap = np.where(flags, gap, 0.0)
        size = force if key in FORCES else max(1.0, float(np.max(np.abs(theirs[key].values), initial=0.0)))
        found[key] = float(np.max(gap, initial=0.0)) / size
    return found


def worst(run: mb.Run, other: mb.Run, *keys: str) -> float:
    """Return the largest difference of the named variables of two runs, of all without names."""
    return max(differences(run, other, *([keys] if keys else [])).values())
