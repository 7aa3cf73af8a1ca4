"""The characteristic length of a model: stated, or the size of its bodies."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from multibody.tables.lowered import MassSlots

if TYPE_CHECKING:
    from multibody.tables.lower import Tables

Integers = npt.NDArray[np.int64]


def set_length(tables: Tables) -> None:
    """Set the characteristic length, unless the model states it, and the numbers that are multiples of it."""
    at = tables.packed.length
    if tables.model.length is None:
        tables.F[at] = _derived_length(tables)
    for slot, factor in tables.of_length:
        tables.F[slot] = factor * tables.F[at]


def _derived_length(tables: Tables) -> float:
    """Return the largest distance between two points of a body; where there is none, another length that the model has."""
    if "points" not in tables.structure:
        tables.structure["points"] = _points(tables)
    points: dict[int, Integers] = tables.structure["points"]
    largest = 0.0
    for number, places in points.items():
        if number == 0 and len(points) > 1:
            continue
        cloud = tables.F[places]
        largest = max(largest, float(np.linalg.norm(cloud.max(axis=0) - cloud.min(axis=0))))
    if largest == 0.0:
        cloud = np.array([tables.vector(pose.center) for pose in tables.poses])
        largest = float(np.linalg.norm(cloud.max(axis=0) - cloud.min(axis=0)))
    if largest == 0.0:
        cloud = tables.F[points[0]] if 0 in points else np.zeros((1, tables.dimension))
        largest = float(np.linalg.norm(cloud.max(axis=0) - cloud.min(axis=0)))
    if largest == 0.0:
        largest = max((_gyration(tables, slots) for slots in tables.masses), default=0.0)
    return largest if largest > 0.0 else 1.0


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


def _gyration(tables: Tables, slots: MassSlots) -> float:
    """Return a body's largest radius of gyration, 0 where it has none."""
    if not slots.stated:
        return 0.0
    mass, at = float(tables.F[slots.mass]), slots.inertia
    size = float(tables.F[at]) if tables.dimension == 2 else float(np.linalg.norm(tables.matrix(at), 2))
    return math.sqrt(size / mass) if mass > 0.0 and size > 0.0 else 0.0
