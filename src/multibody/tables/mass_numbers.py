"""Mass properties of all bodies as numbers, whether they are stated or follow from shapes."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from multibody.model.model import Model
from multibody.tables.mass import MassProperties
from multibody.tables.scope import Scope

Floats = npt.NDArray[np.float64]


def mass_numbers(model: Model) -> dict[str, tuple[float | None, Floats, Floats | None]]:
    """Return mass, center of mass (author's axes) and inertia about it (spatial: 3×3) of each body, in the model's units.

    None stands for what the model does not say.
    """
    scope = Scope(model)
    found: dict[str, tuple[float | None, Floats, Floats | None]] = {}
    for name, body in model.bodies.items():
        own = MassProperties(body, model.dimension, scope)
        rows = own.inertia if isinstance(own.inertia, tuple) else None if own.inertia is None else ((own.inertia,),)
        inertia = None if rows is None else np.array([scope.numeric(row, own.where) for row in rows])
        mass = None if own.mass is None else scope.value(own.mass, own.where)
        found[name] = (mass, np.array(scope.numeric(own.com, own.where)), inertia)
    return found
