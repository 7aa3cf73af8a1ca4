"""Initial values on coordinates that a motion drives: they have to agree with it, or one of the two would be dropped."""

from __future__ import annotations

import numpy as np

from multibody.model.geometry import Orientation
from multibody.model.paths import Path
from multibody.state.state import Status
from multibody.state.system import System
from multibody.tables.scope import Scope
from multibody.tables.tree import driven_functions as functions_of_motions

AGREE = 1e-9  # of the larger of both values and of the model's length, or 1 rad


def driven_functions(system: System) -> dict[int, int]:
    """Return the row of the motion of every coordinate function that one drives."""
    return {function: row for row, function in functions_of_motions(system.tables).items()}


def against_motions(system: System, t: float) -> Status | None:
    """Return what is wrong where the model holds a coordinate, or its rate, at another value than its motion has.

    The values are those of the model's beginning, t = 0; values that agree with the motion at the time of assembly do too.

    Parameters
    ----------
    system : System
    t : float
        Time of assembly.
    """
    model, driven = system.tables.model, driven_functions(system)
    if not driven or not model.initials:
        return None
    scope = Scope(model)
    for text, value in model.initials.items():
        path = model.resolve(text)
        key = (path.kind, path.owner, path.item, path.axis)
        row = driven.get(system.tables.coordinates.get(key, -1))
        if row is None or isinstance(value, Orientation):
            continue
        held = scope.value(scope.scalar(value, f"initial.{text}"), f"initial.{text}")
        wanted = [motion_value(system, row, path, time) for time in dict.fromkeys((0.0, t))]
        size = system.tables.length if system.tables.rows[row].is_length else 1.0
        if all(abs(held - each) > AGREE * max(size, abs(held), abs(each)) for each in wanted):
            word = "rate" if path.order else "value"
            message = f'initial "{text}" holds {held:.9g}, and the {word} of the motion of "{system.tables.rows[row].owner}"'
            advice = "leave it out, or let the motion begin there"
            return Status(False, f"{message} is {wanted[0]:.9g} at t = 0", t, f"initial {text}", abs(held - wanted[0]), advice)
    return None


def motion_value(system: System, row: int, path: Path, t: float) -> float:
    """Return what a motion prescribes for its coordinate, or for its rate, at a time."""
    q, layout = np.zeros(system.nq), system.tables.layout
    if layout.dimension == 3:
        q[layout.each(layout.scalar, len(system.tables.bodies) - 1)] = 1.0  # quaternions of length 1
    if path.order:
        return float(system.velocity_side(q, t)[row]) + 0.0  # no −0 for people
    return float(system.value(q, system.tables.function_of_row(row)) - system.phi(q, t)[row])
