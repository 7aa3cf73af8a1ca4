"""Limits of a robot's coordinates: those that the caller gives, else the stops of the model."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from multibody.analyses.robot.base import RobotBase
from multibody.arguments import number_in, short
from multibody.errors import ModelError
from multibody.model.names import unknown
from multibody.state.system import Floats
from multibody.tables.scope import Scope


def limits_of(robot: RobotBase, given: Any, where: str) -> tuple[Floats, Floats]:
    """Return lower and upper limits of all rates' coordinates, ∓∞ where there are none or within quaternions, (nv) each.

    Parameters
    ----------
    robot : RobotBase
    given : mapping, optional
        A joint or coordinate, and its lower and upper limit, None for none. None as a whole: the stops of the model.
    where : str
        What is asked, for errors.
    """
    found = _stops(robot) if given is None else _given(robot, given, where)
    low, high = np.full(robot._tree_nv, -math.inf), np.full(robot._tree_nv, math.inf)
    for name, (lower, upper) in found.items():
        k = robot._tree_rates.index(name)
        low[k], high[k] = max(low[k], lower), min(high[k], upper)
    if robot._coupling is not None:
        low, high = _of_leaders(robot, low, high)
    bad = np.flatnonzero(low > high)
    if bad.size:
        k = int(bad[0])
        raise ModelError(
            f"the lower limit {low[k]:g} of {robot.rates[k]} is above the upper one, {high[k]:g}", where=where,
            hint="give (lower, upper)",
        )  # fmt: skip
    return low, high


def _stops(robot: RobotBase) -> dict[str, tuple[float, float]]:
    """Return the limits that stops of the model set on single coordinates."""
    found: dict[str, tuple[float, float]] = {}
    scope = None
    for force in robot.model.forces.values():
        if force.kind.name != "stop" or force.on_expression:
            continue
        scope = scope or Scope(robot.model)
        name = _coordinate(robot, force.target[0])
        if name:
            low, high = found.get(name, (-math.inf, math.inf))
            ends = []
            for key, otherwise in (("lower", -math.inf), ("upper", math.inf)):
                value, where = force.fields.get(key), f"forces.{force.name}.{key}"
                ends.append(otherwise if value is None else scope.value(scope.scalar(value, where), where))
            found[name] = (max(low, ends[0]), min(high, ends[1]))
    return found


def _given(robot: RobotBase, given: Any, where: str) -> dict[str, tuple[float, float]]:
    """Return limits as the caller gave them, checked."""
    hint = 'give {"joint": (lower, upper)}, None for no limit'
    if not isinstance(given, Mapping):
        raise ModelError(f"limits are {short(given)}", where=where, hint=hint)
    found = {}
    for key, pair in given.items():
        name = _coordinate(robot, key)
        if not name:
            raise unknown("coordinate", str(key), robot._tree_rates, where)
        try:
            low, high = pair
        except (TypeError, ValueError):
            raise ModelError(f"the limits of {key} are {short(pair)}", where=where, hint=hint) from None
        numbers = [-math.inf if low is None else number_in(low), math.inf if high is None else number_in(high)]
        if any(math.isnan(x) for x in numbers):
            raise ModelError(f"the limits of {key} are {short(pair)}", where=where, hint=hint)
        found[name] = (numbers[0], numbers[1])
    return found


def _coordinate(robot: RobotBase, text: Any) -> str:
    """Return the name of a coordinate from it or from a joint that has one; "" where there is none."""
    if text in robot._tree_coordinates:
        return str(text)
    own = [column.name for k, column in enumerate(robot._columns.columns)
           if robot._columns.places[k] >= 0 and robot.tree.links[column.link].joint == text]  # fmt: skip
    return own[0] if len(own) == 1 else ""


def _of_leaders(robot: RobotBase, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Return the limits of coordinates that follow no others, narrowed by what follows one of them alone."""
    coupling = robot._coupling
    assert coupling is not None
    lower, upper = low[coupling.rates].copy(), high[coupling.rates].copy()
    offsets = {robot._tree_coordinates[k]: coupling.offset[k] for k in range(robot._tree_nq)}
    for r, name in enumerate(robot._tree_rates):
        leaders = np.flatnonzero(coupling.G[r])
        if name in robot.followers and len(leaders) == 1:
            k, a, b = int(leaders[0]), coupling.G[r, leaders[0]], offsets[name]
            ends = sorted([(low[r] - b) / a, (high[r] - b) / a])
            lower[k], upper[k] = max(lower[k], ends[0]), min(upper[k], ends[1])
    return lower, upper
