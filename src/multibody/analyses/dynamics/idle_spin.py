"""The spin of a massless rod between two balls: it moves nothing and nothing resists it, so that its equation says 0 = 0.

Explicit methods in the coordinates of bodies leave it out. Methods whose matrices have to be regular get an inertia about the
rod's own line: no moment acts about it, so that the rod, once still, does not begin to spin. One that spins already
carries an angular momentum of a billionth of what the others do.
"""

from __future__ import annotations

import copy

import numpy as np

from multibody.kernels.declared import MassSlots
from multibody.state.system import Floats, System
from multibody.tables.rows import listed
from multibody.tables.scales import characteristic_mass

SMALL = 1e-9  # of the characteristic mass times the square of the characteristic length

Spins = dict[int, Floats]  # axes of idle spins in body axes, by the number of the body


def with_spins(system: System, spins: Spins) -> System:
    """Return the system with an inertia about every axis of an idle spin.

    Parameters
    ----------
    system : System
    spins : dict
        Unit vectors in body axes by the number of the body, counted from 0 without the ground; none leave the system as it is.
    """
    if not spins:
        return system
    tables = copy.copy(system.tables)
    size = SMALL * characteristic_mass(tables) * tables.length**2
    tables.masses, tables.cache, numbers = list(tables.masses), {}, [tables.F]
    for body, axis in spins.items():
        own = tables.masses[body]
        tables.masses[body] = own._replace(inertia=sum(len(part) for part in numbers))
        numbers.append((tables.matrix(own.inertia) + size * np.outer(axis, axis)).ravel())
    tables.packed = tables.packed.sharing(numbers=np.concatenate(numbers), masses=listed(MassSlots, tables.masses))
    made = System(tables)
    made.ref[:] = system.ref
    return made
