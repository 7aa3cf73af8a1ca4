"""The spin of a massless rod between two balls: it moves nothing and nothing resists it, so that its equation says 0 = 0.

Explicit methods in the coordinates of bodies leave it out. Methods whose matrices have to be regular get an inertia about the
rod's own line, and a rod that is still: no moment acts about its line, so that it does not begin to spin, and an inertia of
any size has no effect. It must not be small: rounding in the moments, divided by it, is an acceleration that the error test
sees, and below its size steps shrink with the tolerance. Only where another motion than a spin moves nothing, and that
in one position alone, is the inertia a small one.
"""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np

from multibody.kernels.declared import MassSlots
from multibody.state.state import State
from multibody.state.system import Floats, System
from multibody.tables.rows import listed
from multibody.tables.scales import characteristic_mass

LARGE, SMALL = 1.0, 1e-9  # of the characteristic mass times the square of the characteristic length
_TURN, _CHANGED = 1e-3, 1e-5  # angle [rad] of a trial; change of a scaled Jacobian that is more than its square

ROUNDING = 1e-12  # of a body's own rate: less than this is no spin that was given

Spins = dict[int, Floats]  # axes of idle spins in body axes, by the number of the body


def with_spins(system: System, spins: Spins, state: State) -> tuple[System, State]:
    """Return the system with an inertia about every axis of an idle spin, and the state without these spins.

    Parameters
    ----------
    system : System
    spins : dict
        Unit vectors in body axes by the number of the body, counted from 0 without the ground; none leave all as it is.
    state : State
        On the constraints.
    """
    if not spins:
        return system, state
    lasting = {body: axis for body, axis in spins.items() if _lasts(system, state, body, axis)}
    tables = copy.copy(system.tables)
    whole = characteristic_mass(tables) * tables.length**2
    tables.masses, tables.cache, numbers = list(tables.masses), {"lasting spins": lasting}, [tables.F]
    for body, axis in spins.items():
        own, size = tables.masses[body], (LARGE if body in lasting else SMALL) * whole
        tables.masses[body] = own._replace(inertia=sum(len(part) for part in numbers))
        numbers.append((tables.matrix(own.inertia) + size * np.outer(axis, axis)).ravel())
    tables.packed = tables.packed.sharing(numbers=np.concatenate(numbers), masses=listed(MassSlots, tables.masses))
    made = System(tables)
    made.ref[:] = system.ref
    return made, stilled(made, state)


def stilled(system: System, state: State) -> State:
    """Return a state without the idle spins that a system has given an inertia to.

    Parameters
    ----------
    system : System
    state : State
        On the constraints, where it stays.
    """
    spins: Spins = system.tables.cache.get("lasting spins", {})
    if not spins:
        return state
    v, layout = state.v.copy(), system.tables.layout
    for body, axis in spins.items():
        rate = float(v[layout.spin(body + 1)] @ axis)
        v -= rate * _twist(system, state, body, axis)
    return replace(state, v=v)


def stopped(system: System, before: State, after: State) -> str:
    """Return in words which spins were left out of a state; nothing where there were none.

    Parameters
    ----------
    system : System
        That has given them an inertia.
    before, after : State
        With the spins, and without (see ``stilled``).
    """
    spins: Spins = system.tables.cache.get("lasting spins", {})
    lost, layout = [], system.tables.layout
    for body, axis in spins.items():
        turning = layout.spin(body + 1)
        rate = abs(float((before.v[turning] - after.v[turning]) @ axis))
        if rate > ROUNDING * float(np.linalg.norm(before.v[turning])):
            lost.append(f"{system.tables.bodies[body + 1]} ({rate:.3g} rad/s)")
    if not lost:
        return ""
    return f"the spin of {', '.join(lost)} about its own line moves no mass and was left out; dop853 with augmented keeps it"


def _twist(system: System, state: State, body: int, axis: Floats) -> Floats:
    """Return the velocities of a spin with 1 rad/s: the origin moves as well where it is not on the axis."""
    layout, found = system.tables.layout, np.zeros(system.nv)
    found[layout.spin(body + 1)] = axis
    velocity = layout.velocity(body + 1)
    if system.rows:
        rows = system.jacobian(state.q, state.t) * system.scale_rows[: system.rows, None]
        found[velocity] = -np.linalg.lstsq(rows[:, velocity], rows @ found, rcond=None)[0]
    return found


def _lasts(system: System, state: State, body: int, axis: Floats) -> bool:
    """Return whether a body that turns a little leaves the constraints of all others as they are: a spin, in every position."""
    rest = np.ones(system.nv, dtype=bool)
    rest[system.tables.layout.motion(body + 1)] = False
    turned = system.displaced(state.q, _twist(system, state, body, axis), _TURN)
    before, after = (system.scaled(system.jacobian(q, state.t))[:, rest] for q in (state.q, turned))
    return float(np.max(np.abs(after - before), initial=0.0)) < _CHANGED
