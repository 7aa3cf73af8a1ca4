"""Inverse dynamics: the efforts that a prescribed motion needs, at its own coordinates or from actuators elsewhere.

With B a basis of the motions that the joints allow (the null space of their rows, motions left out) and S the gradients of
the coordinates on which actuators act, the principle of virtual power gives (BᵀS) e = Bᵀ(M v̇ − Q); v̇ comes from kinematics.
No reaction appears in it, so redundant joints do no harm. What is left, M v̇ − Q − S e, is carried by the joints: it gives
their multipliers, of minimum norm.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from multibody.analyses.dynamics import Dynamics
from multibody.analyses.dynamics_start import mass_matrix, require_masses
from multibody.analyses.kinematics import kinematics
from multibody.analyses.motion import Motion
from multibody.analyses.state import State, Status
from multibody.analyses.system import Floats, System, tables_of
from multibody.analyses.virtual import Directions, said
from multibody.errors import ModelError
from multibody.formulations import Formulation, formulation_of
from multibody.kernels.forces import add_forces, law_efforts, load_wrenches, potential_energy
from multibody.kernels.mass import set_masses
from multibody.kernels.state import set_positions, set_velocities
from multibody.model.forces import coordinate_text, make_force
from multibody.model.model import Model
from multibody.tables.lower import Tables

LIMIT = 1e6  # an actuator that moves less than this part of what it could in a free motion counts as not moving at all
NEEDED = 1e-9  # part of the forces at play below which a direction needs no effort
UNIQUE = 1e-8


@dataclass(frozen=True)
class Actuator:
    """Where an effort acts: its name as asked for, its coordinate function, and the row of its motion or its law."""

    name: str
    function: int
    is_length: bool
    row: int = -1
    law: int = -1


@dataclass(frozen=True)
class Blocked:
    """An instant at which the motion needs an effort in a direction that no chosen actuator can move."""

    time: float
    direction: str

    def plain(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {"time": self.time, "direction": self.direction}


@dataclass
class Efforts:
    """The answer of inverse dynamics.

    Attributes
    ----------
    motion : Motion
        The prescribed motion with reactions and energies; its model has the actuators as forces.
    actuators : list of Actuator
    values : array (instants, actuators)
        Efforts, positive if they raise their coordinate; NaN at blocked instants.
    unique : list of bool
        Whether an effort has one value only; if not, the smallest set is given (forces times L beside moments).
    condition : array (instants,)
        1 where an actuator moves as much as it can in the free motions, large where it hardly moves.
    blocked : list of Blocked
    status : Status
    notes : list of str
    """

    motion: Motion
    actuators: list[Actuator]
    values: Floats
    unique: list[bool]
    condition: Floats
    blocked: list[Blocked]
    status: Status
    notes: list[str] = field(default_factory=list)


def inverse(
    model: Model, *, start: float | str = 0.0, until: float | str | None = None, steps: int | None = None,
    at: float | None = None, times: Any = None, efforts: Sequence[Any] | None = None, initial: State | None = None,
    formulation: Any = None, joints: Sequence[str] | None = None,
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

    Returns
    -------
    Efforts
    """
    require_masses(System(tables_of(model)))
    chosen = formulation_of("auto" if formulation is None else formulation)
    if chosen.relative:
        if efforts is not None:
            hint = "leave the formulation out: virtual power takes actuators anywhere"
            raise ModelError(f"{chosen.name} finds the efforts of the motions themselves", where="efforts", hint=hint)
        motion = kinematics(model, start=start, until=until, steps=steps, at=at, times=times, initial=initial)
        return in_joint_coordinates(model, motion, chosen, joints)
    acted, names = with_actuators(model, efforts)
    tables = tables_of(acted)
    motion = kinematics(acted, start=start, until=until, steps=steps, at=at, times=times, initial=initial)
    solver = Solver(tables, motion, find_actuators(tables, names))
    return solver.solve()


def in_joint_coordinates(model: Model, motion: Motion, formulation: Formulation, joints: Sequence[str] | None) -> Efforts:
    """Return the efforts of a motion from its joint coordinates."""
    from multibody.analyses.dynamics_start import run_rows
    from multibody.analyses.run import forces_of

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
        motion.dynamics = forces_of(motion, start, rows, formulation, joints).dynamics
        motion.dynamics.work = motion.dynamics.kinetic + motion.dynamics.potential
        motion.dynamics.work = motion.dynamics.work - motion.dynamics.work[0]
        values = -motion.dynamics.multipliers[:, [actuator.row for actuator in actuators]]
    unique = [True] * len(actuators)
    return Efforts(motion, actuators, values, unique, np.full(n, np.nan), [], motion.status)


def with_actuators(model: Model, efforts: Sequence[Any] | None) -> tuple[Model, dict[str, str]]:
    """Return the model with an effort of its own for every actuator without a motion, and {coordinate: force, "" if none}."""
    if efforts is None:
        return model, dict.fromkeys(model.motions, "")
    if isinstance(efforts, str) or not isinstance(efforts, Sequence):
        raise ModelError(f"{efforts!r} is no list", where="efforts", hint='give a list of coordinates, such as ["S", "O"]')
    driven = {_key(model, path, f"motions.{path}"): path for path in model.motions}
    found: dict[str, str] = {}
    keys: dict[Any, str] = {}
    result = model
    for given in efforts:
        text = coordinate_text(given, "efforts").removesuffix(".effort")
        key = _key(model, text, "efforts")
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


def _key(model: Model, text: str, where: str) -> tuple[str, str, str, int]:
    """Return what tells one coordinate from another; refuse what is no coordinate."""
    path = model.resolve(text, where)
    if not path.scalar_coordinate or path.owner == "ground":
        raise ModelError(
            f'"{text}" is not a coordinate', where=where, hint="name a joint coordinate, a point's component or a spring"
        )
    return path.kind, path.owner, path.item, path.axis


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
    by_key = {_key(model, owner, ""): r for owner, r in rows.items()}
    for text, force in names.items():
        key = _key(model, text, "efforts")
        if force:
            law = tables.laws[force][0]
            function, row = tables.law_functions[law], -1
        else:
            law, function, row = -1, tables.coordinates[key], by_key[key]
        found.append(Actuator(text, function, tables.function_is_length[function], row, law))
    return found


class Solver:
    """Solves for the efforts instant by instant."""

    def __init__(self, tables: Tables, motion: Motion, actuators: list[Actuator]) -> None:
        self.system, self.motion, self.actuators = System(tables), motion, actuators
        n, k = len(motion.t), len(actuators)
        d = 3 if tables.dimension == 2 else 6
        self.values, self.condition = np.full((n, k), np.nan), np.full(n, np.inf)
        self.unique = np.ones(k, dtype=bool)
        self.blocked: list[Blocked] = []
        self.multipliers = np.zeros((n, self.system.rows))
        self.energies = np.zeros((n, 2))
        self.laws, self.loads = np.zeros((n, len(tables.law_functions))), np.zeros((n, d * len(tables.loads)))
        self.units = np.array([tables.length if actuator.is_length else 1.0 for actuator in actuators])
        self.mass = mass_matrix(self.system)
        set_masses(self.system.I, self.system.F, self.system.W)

    def solve(self) -> Efforts:
        """Return the efforts over time."""
        motion, n = self.motion, len(self.motion.t)
        if n:
            best = int(np.argmax(np.nan_to_num(motion.sigma))) if len(motion.sigma) == n else 0
            self._set_references(best)
            directions = Directions(self.system, motion.q[best], float(motion.t[best]))
            self._require_enough(directions)
            for k in range(n):
                self._instant(k, directions)
            motion.dynamics = self._dynamics(directions)
        return Efforts(
            motion, self.actuators, self.values, [bool(x) for x in self.unique], self.condition, self.blocked, self._status(),
            self._notes(),
        )  # fmt: skip

    def _set_references(self, k: int) -> None:
        """Read angles at instant k as they were counted."""
        references = self.motion.references
        self.system.ref[:] = references[k] if references.ndim == 2 else references

    def _require_enough(self, directions: Directions) -> None:
        """Raise where there are fewer efforts than degrees of freedom."""
        have, need = len(self.actuators), directions.count
        if need == 0:
            raise ModelError("nothing can move, so no effort is needed", where="inverse", hint="check shows the mobility")
        if have < need:
            missing = need - have
            word = "is" if missing == 1 else "are"
            plural = "s" if need > 1 else ""
            raise ModelError(
                f"{missing} effort{'s' if missing > 1 else ''} {word} missing: {have} for {need} degree{plural} of freedom",
                where="efforts", hint="name as many coordinates as the model has motions",
            )  # fmt: skip

    def _instant(self, k: int, directions: Directions) -> None:
        """Solve at instant k."""
        s, m = self.system, self.motion
        q, v, t = m.q[k], m.v[k], float(m.t[k])
        self._set_references(k)
        S = np.array([s.gradient(q, actuator.function) for actuator in self.actuators]).T
        S = S * s.scale_columns[:, None] / self.units
        inertia, applied = self._forces(k, q, v, t)
        need = s.scale_columns * (inertia - applied)
        B = directions.basis(q, t)
        if B is None:
            self._block(k, "the motions themselves are singular there")
            return
        G, side = B.T @ S, B.T @ need
        U, sigma, Vt = np.linalg.svd(G)
        size = float(np.max(np.linalg.norm(S, axis=0), initial=0.0))
        lowest = float(sigma[B.shape[1] - 1]) if B.shape[1] else size
        self.condition[k] = size / lowest if lowest > 0.0 else np.inf
        rank = int(np.sum(sigma > size / LIMIT))
        scale = float(np.linalg.norm(s.scale_columns * inertia) + np.linalg.norm(s.scale_columns * applied))
        if np.linalg.norm(U[:, rank:].T @ side) > NEEDED * scale:
            self._block(k, said(s, q, B @ U[:, -1], [actuator.name for actuator in self.actuators]))
            return
        e = Vt[:rank].T @ ((U[:, :rank].T @ side) / sigma[:rank])
        self.unique &= np.max(np.abs(Vt[rank:]), axis=0, initial=0.0) < UNIQUE
        self.values[k] = e / self.units
        self._share(k, directions, q, t, S @ e - need)

    def _forces(self, k: int, q: Floats, v: Floats, t: float) -> tuple[Floats, Floats]:
        """Return M v̇ and Q at instant k; keep energies, efforts of laws and loads."""
        s, Q = self.system, np.zeros(self.system.nv)
        set_positions(s.I, s.W, q)
        set_velocities(s.I, s.W, v)
        add_forces(s.I, s.F, s.W, s.ref, t, Q)
        law_efforts(s.I, s.F, s.W, s.ref, t, self.laws[k])
        load_wrenches(s.I, s.F, s.W, s.ref, t, self.loads[k])
        self.energies[k] = 0.5 * float(v @ self.mass @ v), potential_energy(s.I, s.F, s.W, s.ref, t)
        return self.mass @ self.motion.a[k], Q

    def _share(self, k: int, directions: Directions, q: Floats, t: float, rest: Floats) -> None:
        """Give the joints what the efforts leave over, and every effort to its motion or its law."""
        self.multipliers[k, : self.system.joint_rows] = directions.multipliers(q, t, rest)
        for i, actuator in enumerate(self.actuators):
            if actuator.row >= 0:
                self.multipliers[k, actuator.row] = -self.values[k, i]
            else:
                self.laws[k, actuator.law] = self.values[k, i]

    def _block(self, k: int, direction: str) -> None:
        """Leave instant k without numbers."""
        self.blocked.append(Blocked(float(self.motion.t[k]), direction))
        self.condition[k] = np.inf
        self.multipliers[k] = np.nan
        for actuator in self.actuators:
            if actuator.law >= 0:
                self.laws[k, actuator.law] = np.nan

    def _dynamics(self, directions: Directions) -> Dynamics:
        """Return forces and energies for the results of the motion; the work is what the energy gained."""
        kinetic, potential = self.energies.T
        total, rows = kinetic + potential, directions.drive.rows
        return Dynamics(self.multipliers, kinetic, potential, total - total[0], self.laws, self.loads, rows)

    def _status(self) -> Status:
        """Return whether every instant has its efforts."""
        status = self.motion.status
        if not status.success or not self.blocked:
            return status
        first, more = self.blocked[0], len(self.blocked) - 1
        names = ", ".join(actuator.name for actuator in self.actuators)
        others = f" (and at {more} more instant{'s' if more > 1 else ''})" if more else ""
        message = f"efforts on {names} cannot give this motion at t = {first.time:.6g}{others}: {first.direction}"
        return Status(False, message, status.time_reached, advice="choose a coordinate that moves there, or add one")

    def _notes(self) -> list[str]:
        """Return what a reader should know beside the numbers."""
        if all(self.unique):
            return []
        names = ", ".join(a.name for a, unique in zip(self.actuators, self.unique, strict=True) if not unique)
        length = self.system.tables.length
        return [f"not unique: {names}; the smallest efforts are given (forces times {length:.4g} as moments)"]
