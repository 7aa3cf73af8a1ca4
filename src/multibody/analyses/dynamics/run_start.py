"""Where a run begins: a consistent state, independent rows, masses that suffice, and the arrays that kernels take."""

from __future__ import annotations

import numpy as np

from multibody.analyses.assembly.assemble import assemble
from multibody.analyses.assembly.member import plan_of
from multibody.analyses.dynamics.idle_spin import Spins
from multibody.analyses.events.switching import limit_after
from multibody.analyses.given.initial import adopted
from multibody.errors import MassError, ModelError
from multibody.kernels.assembly.given import adopt_state
from multibody.model.model import Model
from multibody.rank.leastnorm import DENSE_ASSEMBLY, least_norm, sparse_step
from multibody.state.state import State, Status
from multibody.state.system import Floats, Integers, System, tables_of
from multibody.tables.lower import Tables

CONSISTENT = 1e-9  # scaled violation below which a given state is taken as it is


def start_state(model: Model, initial: State | None, t: float | None) -> tuple[State, str]:
    """Return a consistent state to start from, and a sentence where a given one had to be changed.

    Without `initial` the model's own initial values are assembled; a given state is kept as it is, or brought onto the
    constraints by the smallest change where it violates them.
    """
    if t is not None and not np.isfinite(t):
        raise ModelError(f"t is {t}", where=model.name, hint="give a finite time")
    if initial is None:
        return assemble(model, None, t, labeled=False), ""
    tables = tables_of(model)
    initial = adopted(initial, tables, "initial")
    return closed_state(System(tables), initial, float(initial.t if t is None else t))


def closed_state(system: System, initial: State, time: float) -> tuple[State, str]:
    """Return a given state of a system on its constraints, and a sentence where it had to be changed.

    Parameters
    ----------
    system : System
        Its angle references become those of the state.
    initial : State
        Of a model with the same structure.
    time : float
    """
    tables, plan, q, v = system.tables, plan_of(system.tables), initial.q.copy(), initial.v.copy()
    system.ref[:] = initial.references
    if plan is not None:
        room = plan.room()  # which lives as long as its address is used
        moved, changed = adopt_state(*system.run, plan.block.address, room.address, time, q, v)
    else:
        q, v, moved, changed = _closed(system, q, v, time)
    if not np.isfinite(moved):
        status = Status(False, "the mechanism cannot be closed from the given state", time, advice="assemble it first")
        return State(tables, time, initial.q, initial.v, initial.references, initial.branch, status), ""
    system.take_references(q)
    note = ""
    if max(moved, changed) > CONSISTENT:
        size = f"positions moved by {moved:.3g}, velocities by {changed:.3g} (lengths over L)"
        note = f"the initial state was inconsistent: {size}"
    return State(tables, time, q, v, system.ref.copy(), initial.branch, Status(True, "given", time)), note


def _closed(system: System, q: Floats, v: Floats, t: float) -> tuple[Floats, Floats, float, float]:
    """Return position and velocity on the constraints, and how far each was moved (scaled)."""
    rows, columns = system.scale_rows[: system.rows], system.scale_columns
    begin, moved = q, 0.0
    for _ in range(20):
        c = system.phi(q, t) * rows
        if np.max(np.abs(c), initial=0.0) < 1e-12:
            break
        step = smallest_step(system, q, t, c)
        moved += float(np.max(np.abs(step), initial=0.0))
        q = system.displaced(q, step * columns)
    if np.max(np.abs(system.phi(q, t) * rows), initial=0.0) > 1e-9:
        return q, v, np.inf, np.inf
    if moved < 1e-11:  # the state as it was given, to the last digit
        q = begin
    t = limit_after(system.tables.model, t)
    residual = (system.jacobian(q, t) @ v - system.velocity_side(q, t)) * rows if len(rows) else np.zeros(0)
    if np.max(np.abs(residual), initial=0.0) < 1e-11:
        return q, v, moved, 0.0
    change = smallest_step(system, q, t, residual)
    return q, v + change * columns, moved, float(np.max(np.abs(change), initial=0.0))


def smallest_step(system: System, q: Floats, t: float, c: Floats) -> Floats:
    """Return the smallest scaled step with J δ = −c."""
    if system.nv > DENSE_ASSEMBLY:
        from multibody.rank.decider import scaled_rows

        return sparse_step(scaled_rows(system, q, t, system.rows), c)
    return least_norm(system.scaled(system.jacobian(q, t)), -c)[0]


def require_masses(system: System) -> None:
    """Raise where a body states no mass or inertia, with its name."""
    tables = system.tables
    for body, slots in zip(tables.bodies[1:], tables.masses, strict=True):
        if not slots.stated:
            word = "mass" if slots.mass < 0 else "inertia"
            error = MassError(
                f"it has no {word}, and dynamics needs one",
                where=f"bodies.{body}",
                hint=f"give {word}, or a shape with a mass; 0 is one",
            )
            raise tables.model._locate(error)


def require_inertia(system: System, q: Floats, t: float, rows: Integers) -> Spins:
    """Raise where a direction is free and without mass, with the body and the direction.

    The spin of a rod between two balls moves nothing and is let pass; returned are the axes of those without any mass.
    """
    tables, d, width = system.tables, system.tables.dimension, system.tables.width
    if _heavy(tables):
        return {}
    M = mass_matrix(system) / np.outer(1.0 / system.scale_columns, 1.0 / system.scale_columns)
    size = np.trace(M) / max(len(M), 1)
    if size == 0.0:
        raise MassError("no body has a mass", where=tables.model.name, hint="give masses; statics and kinematics need none")
    J = system.scaled(system.jacobian(q, t))[rows]
    values, vectors = np.linalg.eigh(M / size + J.T @ J)
    spins: Spins = {}
    for value, vector in zip(values, vectors.T, strict=True):
        if value > 1e-13:
            break
        bodies = [float(np.linalg.norm(vector[width * b : width * (b + 1)])) for b in range(len(tables.bodies) - 1)]
        b = int(np.argmax(bodies))
        part = vector[width * b : width * (b + 1)]
        turning = np.linalg.norm(part[d:]) > np.linalg.norm(part[:d])
        idle = turning and _is_idle(system, q, J, width * b, part)
        if idle:
            spins |= _spins(system, q, J, vector)
            continue
        direction = part[d:] if turning else part[:d]
        first = int(np.argmax(np.abs(direction) > 1e-6 * np.max(np.abs(direction))))
        direction = direction * np.copysign(1.0, direction[first])
        text = "" if d == 2 and turning else " (" + ", ".join(f"{x:.3g}" for x in direction / np.linalg.norm(direction)) + ")"
        word = f"rotation{' about' if text else ''}" if turning else "translation along"
        raise ModelError(
            f"its {word}{text} is free and has no inertia", where=f"bodies.{tables.bodies[b + 1]}",
            hint="give it a mass or inertia, or hold this motion with a joint or a motion",
        )  # fmt: skip
    return spins


def _heavy(tables: Tables) -> bool:
    """Return whether every body has a mass and an inertia that count beside those of the others: no direction is without."""
    if tables.extras:
        return False
    masses, length = np.array([tables.F[slots.mass] for slots in tables.masses]), tables.length
    if tables.dimension == 2:
        least = largest = np.array([tables.F[slots.inertia] for slots in tables.masses])
    else:
        inertias = np.linalg.eigvalsh(np.array([tables.matrix(slots.inertia) for slots in tables.masses]))
        least, largest = inertias[:, 0], inertias[:, -1]
    size = max(float(np.max(masses)) * length**2, float(np.max(largest)))
    return bool(min(float(np.min(masses)) * length**2, float(np.min(least))) > 1e-9 * size)


def _spins(system: System, q: Floats, J: Floats, vector: Floats) -> Spins:
    """Return the axes of idle spins of massless bodies that a direction without inertia has a part of."""
    tables, layout, found = system.tables, system.tables.layout, {}
    for b, slots in enumerate(tables.masses):
        part = vector[layout.motion(b + 1)]
        spin = part[layout.turn]
        size = float(np.linalg.norm(spin))
        if tables.F[slots.mass] == 0.0 and size > 1e-6 and _is_idle(system, q, J, layout.first_rate(b + 1), part / size):
            found[b] = spin / size
    return found


def _is_idle(system: System, q: Floats, J: Floats, first: int, part: Floats) -> bool:
    """Return whether a motion of one body moves nothing else and changes no coordinate: a rod's spin between two balls."""
    alone = np.zeros(system.nv)
    alone[first : first + len(part)] = part
    if system.tables.dimension != 3 or float(np.max(np.abs(J @ alone), initial=0.0)) > 1e-9:
        return False
    body = first // len(part) + 1
    if any(body in (element.first, element.second) for element in system.tables.wrenches):
        return False
    functions = {f for (kind, *_), f in system.tables.coordinates.items() if kind == "joint"}
    functions |= {law.function for law in system.tables.laws}
    return all(abs(float(system.gradient(q, f) * system.scale_columns @ alone)) < 1e-9 for f in functions)


def mass_matrix(system: System) -> Floats:
    """Return M (velocity dimensions squared), body axes for rotations; extra coordinates have no mass."""
    tables, layout = system.tables, system.tables.layout
    M, diagonal = np.zeros((system.nv, system.nv)), np.arange(system.nv)
    for b, (mass, inertia) in enumerate(tables.masses, 1):
        velocity, spin = diagonal[layout.velocity(b)], layout.spin(b)
        M[velocity, velocity] = tables.F[mass]
        M[spin, spin] = tables.F[inertia] if layout.dimension == 2 else tables.matrix(inertia)
    return M
