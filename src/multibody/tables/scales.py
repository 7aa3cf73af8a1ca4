"""The characteristic mass and time of a model, beside its characteristic length (``Tables.length``).

What is compared with a tolerance is first divided by these: the same model in other units is then the same problem.
"""

from __future__ import annotations

from multibody.model.units import TIMES
from multibody.tables.lower import Tables


def characteristic_mass(tables: Tables) -> float:
    """Return the mean mass of the bodies; where none has any, their mean inertia over L²; where there is none either, 1."""
    F, count = tables.F, max(len(tables.masses), 1)
    mass = sum(float(F[slots.mass]) for slots in tables.masses if slots.mass >= 0) / count
    if mass > 0.0:
        return mass
    places = (0,) if tables.dimension == 2 else (0, 4, 8)
    inertia = sum(float(F[slots.inertia + k]) for slots in tables.masses for k in places) / (count * len(places))
    return inertia / tables.length**2 if inertia > 0.0 else 1.0


def second(tables: Tables) -> float:
    """Return one second in the model's unit of time: rates are measured by lengths and angles per second."""
    return 1.0 / TIMES[tables.model.units.time]
