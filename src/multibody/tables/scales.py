"""The characteristic mass and time of a model, beside its characteristic length (``Tables.length``).

What is compared with a tolerance is first divided by these: the same model in other units is then the same problem.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from multibody.model.units import TIMES
from multibody.tables.lower import Tables


def characteristic_mass(tables: Tables) -> float:
    """Return the mean mass of the bodies; where none has any, their mean inertia over L²; where there is none either, 1."""
    return float(characteristic_masses(tables, tables.F[None, :])[0])


def characteristic_masses(tables: Tables, numbers: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the same of many models with the structure of one (models,), by their numbers (models, ·)."""
    count, places = max(len(tables.masses), 1), (0,) if tables.dimension == 2 else (0, 4, 8)
    mass, inertia = np.zeros(len(numbers)), np.zeros(len(numbers))
    for slots in tables.masses:
        if slots.mass >= 0:
            mass = mass + numbers[:, slots.mass]
        for k in places if slots.inertia >= 0 else ():
            inertia = inertia + numbers[:, slots.inertia + k]
    length = numbers[:, tables.packed.length]
    turning = np.where(inertia > 0.0, inertia / (count * len(places)) / (length * length), 1.0)
    return np.asarray(np.where(mass > 0.0, mass / count, turning))


def second(tables: Tables) -> float:
    """Return one second in the model's unit of time: rates are measured by lengths and angles per second."""
    return 1.0 / TIMES[tables.model.units.time]
