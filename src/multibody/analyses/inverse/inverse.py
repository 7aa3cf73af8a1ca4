"""Inverse dynamics: the efforts that a prescribed motion needs, at its own coordinates or from actuators elsewhere.

With B a basis of the motions that the joints allow (the null space of their rows, motions left out) and S the gradients of
the coordinates on which actuators act, the principle of virtual power gives (BᵀS) e = Bᵀ(M v̇ − Q); v̇ comes from kinematics.
No reaction appears in it, so redundant joints do no harm. What is left, M v̇ − Q − S e, is carried by the joints: it gives
their multipliers, of minimum norm.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from multibody.analyses.dynamics.run_start import require_masses
from multibody.analyses.given.own_options import own_options
from multibody.analyses.inverse.virtual_power import Actuator, Efforts, Progress, Solver, laws_beside
from multibody.analyses.kinematics.kinematics import motion_over, time_grid
from multibody.errors import ModelError
from multibody.formulations import Formulation, formulation_of
from multibody.model.forces import coordinate_text, make_force
from multibody.model.model import Model
from multibody.state.motion import Motion
from multibody.state.state import State
from multibody.state.system import System, tables_of
from multibody.tables.lower import Tables


def inverse(
    model: Model, *, start: float | str | None = None, until: float | str | None = None, steps: int | None = None,
    at: float | str | None = None, times: Any = None, efforts: Sequence[Any] | None = None, initial: State | None = None,
    formulation: Any = None, joints: Sequence[str] | None = None, progress: Progress | None = None,
) -> Efforts:  # fmt: skip
    """Return the efforts that the model's motions need.

    Parameters
    ----------
    model : Model
        Its motions drive all its degrees of freedom.
    start, until, steps, at, times, initial
        As for :func:`kinematics`.
    efforts : sequence of coordinates, optional
        Where actuators act in place of the motions: at least as many as there are degrees of freedom.
    formulation : str or Formulation, optional
        ``recursive``, ``transformation`` or ``articulated``: the efforts are those of the tree's joints, eq. (36) of Kim and
        You (1996), and of the loops' multipliers. By default they follow from virtual power.
    joints : list of str, optional
        Joints whose forces are wanted; `recursive` finds only these.
    progress : callable, optional
        Called with the time now and then.

    Returns
    -------
    Efforts
    """
    asked = own_options(model, "inverse", efforts=efforts, formulation=formulation)
    efforts, formulation = asked["efforts"], asked["formulation"]
    system = System(tables_of(model))
    require_masses(system)
    chosen = formulation_of("auto" if formulation is None else formulation)
    if chosen.own_forces and efforts is not None:
        hint = "leave the formulation out: virtual power takes actuators anywhere"
        raise ModelError(f"{chosen.name} finds the efforts of the motions themselves", where="efforts", hint=hint)
    acted, names = with_actuators(model, efforts)
    if acted is not model:
        system = System(tables_of(acted))
    grid = time_grid(model, start, until, steps, at, times, "inverse", system.tables)
    motion = motion_over(system, grid, initial)
    if chosen.own_forces:
        return in_own_coordinates(model, motion, chosen, joints)
    return Solver(system, motion, find_actuators(system.tables, names)).solve(progress)


def in_own_coordinates(model: Model, motion: Motion, formulation: Formulation, joints: Sequence[str] | None) -> Efforts:
    """Return the efforts of a motion from the coordinates of a formulation."""
    from multibody.analyses.dynamics.known_forces import KnownForces
    from multibody.rank.run_rows import run_rows

    tables, state, n = motion.tables, motion.initial, len(motion.t)
    actuators = find_actuators(tables, dict.fromkeys(model.motions, ""))
    values = np.zeros((n, len(actuators)))
    if n:
        system = System(tables)
        system.ref[:] = motion.references[0] if motion.references.ndim == 2 else motion.references
        start = replace(state, t=float(motion.t[0]), q=motion.q[0], v=motion.v[0], references=system.ref.copy())
        rows = run_rows(system, start.q, start.t)
        if len(rows) < system.nv:
            missing = system.nv - len(rows)
            raise ModelError(
                f"{missing} degree{'s' if missing > 1 else ''} of freedom no motion drives", where="inverse",
                hint="add motions, or run it",
            )  # fmt: skip
        motion.dynamics = KnownForces(motion, start, rows, formulation, joints)(motion).dynamics
        motion.dynamics.work = motion.dynamics.kinetic + motion.dynamics.potential
        motion.dynamics.work = motion.dynamics.work - motion.dynamics.work[0]
        values = -motion.dynamics.multipliers[:, [actuator.row for actuator in actuators]]
    unique = [True] * len(actuators)
    notes = laws_beside(tables, actuators, motion.dynamics.efforts) if motion.dynamics is not None else []
    return Efforts(motion, actuators, values, unique, np.full(n, np.nan), [], motion.status, notes)


def with_actuators(model: Model, efforts: Sequence[Any] | None) -> tuple[Model, dict[str, str]]:
    """Return the model with an effort of its own for every actuator without a motion, and {coordinate: force, "" if none}."""
    if efforts is None:
        return model, dict.fromkeys(model.motions, "")
    if isinstance(efforts, str) or not isinstance(efforts, Sequence):
        raise ModelError(f"{efforts!r} is no list", where="efforts", hint='give a list of coordinates, such as ["S", "O"]')
    driven = {coordinate_key(model, path, f"motions.{path}"): path for path in model.motions}
    found: dict[str, str] = {}
    keys: dict[Any, str] = {}
    result = model
    for given in efforts:
        text = coordinate_text(given, "efforts").removesuffix(".effort")
        key = coordinate_key(model, text, "efforts")
        if key in keys:
            raise ModelError(f'"{text}" is given twice', where="efforts", hint="name every coordinate once")
        keys[key], found[text] = text, ""
        if key not in driven:
            if result is model:
                result = copy.copy(model)
                result.forces, result._lowered = dict(model.forces), None
            found[text] = _new_name(result, text)
            result.forces[found[text]] = make_force("effort", found[text], text, model.dimension, value=0.0)
    return result, found


def coordinate_key(model: Model, text: str, where: str) -> tuple[str, str, str, int]:
    """Return what tells one coordinate from another; refuse what is no coordinate."""
    path = model.resolve(text, where)
    if not path.scalar_coordinate or path.owner == "ground":
        raise ModelError(
            f'"{text}" is not a coordinate', where=where, hint="name a joint coordinate, a point's component or a spring"
        )
    return path.key


def actuator_column(model: Model, actuators: Sequence[Actuator], text: str) -> int:
    """Return the number of the actuator on a coordinate, in any spelling; −1 where there is none."""
    names = [actuator.name for actuator in actuators]
    if text in names:
        return names.index(text)
    try:
        key = coordinate_key(model, text, "inverse")
        return next((k for k, name in enumerate(names) if coordinate_key(model, name, "inverse") == key), -1)
    except ModelError:  # a force, or no coordinate: the motion knows it or says what is wrong
        return -1


def _new_name(model: Model, text: str) -> str:
    """Return a name for the actuator of a coordinate that nothing else has."""
    name = "actuator_" + text.replace(".", "_")
    while name in model.all_names():
        name += "_"
    return name


def find_actuators(tables: Tables, names: dict[str, str]) -> list[Actuator]:
    """Return where the efforts act in the tables of a model that has them."""
    model, found = tables.model, []
    rows = {tables.rows[r].owner: r for r in range(tables.count_joint, tables.count_joint + tables.count_motion)}
    by_key = {coordinate_key(model, owner, ""): r for owner, r in rows.items()}
    for text, force in names.items():
        key = coordinate_key(model, text, "efforts")
        if force:
            law = tables.laws_of[force][0]
            function, row = tables.laws[law].function, -1
        else:
            law, function, row = -1, tables.coordinates[key], by_key[key]
        found.append(Actuator(text, function, tables.functions[function].is_length, row, law))
    return found
