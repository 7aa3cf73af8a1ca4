"""The characteristic length of a model: stated, or the size of its bodies."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from multibody.tables.lowered import MassSlots

if TYPE_CHECKING:
    from multibody.tables.lower import Tables

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


def set_length(tables: Tables) -> None:
    """Set the characteristic length, unless the model states it, and the numbers that are multiples of it."""
    set_lengths(tables, tables.F[None, :])


def set_lengths(tables: Tables, numbers: Floats) -> None:
    """Set the same among the numbers of many members (members, numbers), each as if it were alone."""
    at = tables.packed.length
    if tables.model.length is None:
        numbers[:, at] = _derived_lengths(tables, numbers)
    for slot, factor in tables.of_length:
        numbers[:, slot] = factor * numbers[:, at]


def _derived_lengths(tables: Tables, numbers: Floats) -> Floats:
    """Return the largest distance between two points of a body; where there is none, another length that the model has."""
    if "points" not in tables.structure:
        tables.structure["points"] = _points(tables)
    points: dict[int, Integers] = tables.structure["points"]
    largest = np.zeros(len(numbers))
    for body, places in points.items():
        if body != 0 or len(points) == 1:
            largest = np.maximum(largest, _spread(numbers[:, places]))
    for k in np.flatnonzero(~(largest > 0.0)):
        largest[k] = _other_length(tables, points, numbers[k])
    return largest


def _other_length(tables: Tables, points: dict[int, Integers], numbers: Floats) -> float:
    """Return a length where bodies have no size: between bodies, on the ground, of gyration; else 1."""
    centers = np.array([pose.center for pose in tables.poses])[:, None] + np.arange(tables.dimension)
    for places in (centers, points.get(0)):
        largest = 0.0 if places is None else float(_spread(numbers[None, places])[0])
        if largest > 0.0:
            return largest
    largest = max((_gyration(tables, slots, numbers) for slots in tables.masses), default=0.0)
    return largest if largest > 0.0 else 1.0


def _spread(clouds: Floats) -> Floats:
    """Return the diagonals of the boxes around clouds of points (members, points, dimension)."""
    sides = clouds.max(axis=1) - clouds.min(axis=1)
    total = sides[:, 0] * sides[:, 0]
    for k in range(1, sides.shape[1]):
        total = total + sides[:, k] * sides[:, k]
    return np.asarray(np.sqrt(total))


def _points(tables: Tables) -> dict[int, Integers]:
    """Return where the points of every body stand among the numbers (points, dimension)."""
    found: dict[int, list[int]] = {}
    index = {name: k for k, name in enumerate(tables.bodies)}
    for (body, _), slots in tables.frames.items():
        found.setdefault(index[body], []).append(slots.point)
    for pair in tables.ends.values():
        for end in pair:
            found.setdefault(end.body, []).append(end.point)
    return {body: np.array(offsets)[:, None] + np.arange(tables.dimension) for body, offsets in found.items()}


def _gyration(tables: Tables, slots: MassSlots, numbers: Floats) -> float:
    """Return a body's largest radius of gyration, 0 where it has none."""
    if not slots.stated:
        return 0.0
    mass, at, d = float(numbers[slots.mass]), slots.inertia, tables.dimension
    size = float(numbers[at]) if d == 2 else float(np.linalg.norm(numbers[at : at + d * d].reshape(d, d), 2))
    return math.sqrt(size / mass) if mass > 0.0 and size > 0.0 else 0.0
