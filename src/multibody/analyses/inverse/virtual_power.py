"""The efforts of inverse dynamics from virtual power, over a whole motion.

(BᵀS) e = Bᵀ(M v̇ − Q) with B a basis of the free directions. B comes from one factorization an instant of the matrix that
kinematics solves with, for many instants at a time; where that matrix is near a singular one, and in large models, instants
are solved one by one with singular values or sparse factors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from multibody.analyses.inverse.virtual_motions import Directions, said
from multibody.errors import ModelError
from multibody.formulations import one_drive
from multibody.formulations.one_drive import REGULAR
from multibody.formulations.square_forces import SquareForces, forces_along
from multibody.kernels.codes import KINETIC, POTENTIAL
from multibody.state.kinetics import Dynamics
from multibody.state.motion import Motion
from multibody.state.state import Status
from multibody.state.system import Floats, Integers, System
from multibody.tables.lower import Tables

LIMIT = 1e6  # an actuator that moves less than this part of what it could in a free motion counts as not moving at all
NEEDED = 1e-9  # part of the forces at play below which a direction needs no effort
UNIQUE = 1e-8
CHUNK = 1_000_000  # numbers of a stack of matrices that is solved at once
Progress = Callable[[float], None]


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
    instant: int = 0

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


class Solver:
    """Solves for the efforts instant by instant."""

    def __init__(self, system: System, motion: Motion, actuators: list[Actuator]) -> None:
        self.system, self.motion, self.actuators = system, motion, actuators
        n, k = len(motion.t), len(actuators)
        self.values, self.condition = np.full((n, k), np.nan), np.full(n, np.inf)
        self.unique = np.ones(k, dtype=bool)
        self.blocked: list[Blocked] = []
        self.multipliers = np.zeros((n, self.system.rows))
        self.units = np.array([system.tables.length if actuator.is_length else 1.0 for actuator in actuators])
        self.row_scales, self.column_scales = system.scale_rows, system.scale_columns
        self.forces = forces_along(self.system, motion.t, motion.q, motion.v, motion.a, motion.references)

    def solve(self, progress: Progress | None = None) -> Efforts:
        """Return the efforts over time; `progress` is called with the time now and then."""
        motion, n = self.motion, len(self.motion.t)
        if n:
            best = int(np.argmax(np.nan_to_num(motion.sigma))) if len(motion.sigma) == n else 0
            self._set_references(best)
            regular = len(motion.sigma) == n and float(motion.sigma[best]) > REGULAR
            directions = Directions(self.system, motion.q[best], float(motion.t[best]), regular)
            self._require_enough(directions)
            square = SquareForces(self.system, directions.drive, motion) if directions.dense else None
            width = self.system.nv * (self.system.nv if square is None else len(self.actuators) + directions.count + 2)
            size = max(1, CHUNK // width)
            for at in range(0, n, size):
                part, done = slice(at, min(at + size, n)), at
                try:
                    left = range(part.start, part.stop) if square is None else self._regular(part, square)
                    for k in left:
                        self._instant(k, directions)
                    done = part.stop
                    if progress is not None:
                        progress(float(motion.t[part.stop - 1]))
                except KeyboardInterrupt:
                    self._keep(done)
                    break
            self.blocked.sort(key=lambda item: item.instant)
            motion.dynamics = self._dynamics(directions) if len(motion.t) else None
        return Efforts(
            motion, self.actuators, self.values, [bool(x) for x in self.unique], self.condition, self.blocked, self._status(),
            self._notes(),
        )  # fmt: skip

    def _keep(self, n: int) -> None:
        """End with the first n instants."""
        m = self.motion
        t = float(m.t[max(n - 1, 0)])
        m.status = Status(False, f"interrupted at t = {t:.9g}", t, advice="what was computed up to there is kept")
        m.t, m.q, m.v, m.a, m.sigma = m.t[:n], m.q[:n], m.v[:n], m.a[:n], m.sigma[:n]
        m.references = m.references[:n] if m.references.ndim == 2 else m.references
        self.values, self.condition, self.multipliers = self.values[:n], self.condition[:n], self.multipliers[:n]
        self.forces = self.forces.first(n)
        self.blocked = [item for item in self.blocked if item.instant < n]

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

    def _needs(self, part: slice) -> tuple[Floats, Floats]:
        """Return the scaled forces M v̇ − Q that something has to give, and the size of the forces at play."""
        scale, f = _of(self.column_scales, part), self.forces
        inertia, applied = f.inertia[part] * scale, f.applied[part] * scale
        return inertia - applied, np.linalg.norm(inertia, axis=1) + np.linalg.norm(applied, axis=1)

    def _regular(self, part: slice, square: SquareForces) -> list[int]:
        """Solve at the instants where the kinematic equations are regular; return the others."""
        if square.alone and len(self.actuators) == 1:
            return self._alone(part, square)
        functions = np.array([actuator.function for actuator in self.actuators], dtype=np.int64)
        S = square.gradients(functions, part) / _of(self.units, part)[..., None]
        need, scale = self._needs(part)
        sigma, directions, shared = square.solve(part, np.concatenate([need[:, None], S], axis=1))
        regular = np.flatnonzero(sigma > REGULAR)
        S, need, scale, shared = S[regular], need[regular], scale[regular], shared[regular]
        B = np.linalg.qr(np.swapaxes(directions[regular], 1, 2))[0]
        e, given = self._efforts(regular + part.start, B, S, need, scale)
        joint = square.rows < self.system.joint_rows
        rest = np.einsum("tkr,tk->tr", shared[:, 1:], e) - shared[:, 0]
        rows = square.rows[joint]
        rest = rest[:, : len(square.rows)][:, joint] * _of(self.row_scales, regular + part.start)[..., rows]
        self.multipliers[np.ix_(regular[given] + part.start, rows)] = rest[given]
        self._give(regular[given] + part.start)
        return [part.start + int(k) for k in np.flatnonzero(sigma <= REGULAR)]

    def _alone(self, part: slice, square: SquareForces) -> list[int]:
        """Do the same with one motion and one actuator, as most mechanisms have them, in a compiled loop."""
        found = square.one(part, self.actuators[0].function, self.unit, self.forces, (1.0 / LIMIT, NEEDED))
        code, at = found.numbers[:, one_drive.CODE], part.start
        self.condition[part] = found.numbers[:, one_drive.CONDITION]
        for i in np.flatnonzero(code == one_drive.BLOCKED):
            self._lose(at + int(i), found.basis[i])
        given = np.flatnonzero((code == one_drive.GIVEN) | (code == one_drive.IDLE))
        which: Any = part if len(given) == len(code) else at + given
        kept: Any = slice(None) if len(given) == len(code) else given  # mostly all: nothing is gathered then
        self.values[which, 0] = found.numbers[kept, one_drive.EFFORT]
        self.multipliers[which] = found.multipliers[kept]
        self.unique &= not np.any(code == one_drive.IDLE)
        self._give(which)
        return [at + int(k) for k in np.flatnonzero(code == one_drive.SINGULAR)]

    def _efforts(self, which: Integers, B: Floats, S: Floats, need: Floats, scale: Floats) -> tuple[Floats, Integers]:
        """Return the scaled efforts at some instants, and the places of those that are not blocked.

        Parameters
        ----------
        which : array of int
            The instants.
        B : array (instants, nv, freedoms)
            Orthonormal free directions.
        S : array (instants, actuators, nv)
            Scaled gradients of the actuators' coordinates.
        need : array (instants, nv)
            Scaled forces.
        scale : array (instants,)
            Size of the forces at play.
        """
        side = np.einsum("tvf,tv->tf", B, need)
        U, sigma, Vt = np.linalg.svd(np.swapaxes(B, 1, 2) @ np.swapaxes(S, 1, 2))
        size = np.max(np.linalg.norm(S, axis=2), axis=1, initial=0.0)
        freedoms, r = B.shape[2], sigma.shape[1]
        lowest = sigma[:, freedoms - 1] if freedoms else size
        self.condition[which] = np.where(lowest > 0.0, size / np.where(lowest > 0.0, lowest, 1.0), np.inf)
        kept = sigma > (size / LIMIT)[:, None]
        parts = np.einsum("tfi,tf->ti", U, side)
        e = np.einsum("tij,ti->tj", Vt[:, :r], np.where(kept, parts[:, :r] / np.where(kept, sigma, 1.0), 0.0))
        moved = np.concatenate([kept, np.zeros((len(which), freedoms - r), dtype=bool)], axis=1)
        lost = np.linalg.norm(np.where(moved, 0.0, parts), axis=1) > NEEDED * scale
        for i in np.flatnonzero(lost):
            self._lose(int(which[i]), B[i] @ U[i, :, -1])
        given = np.flatnonzero(~lost)
        self.values[which[given]] = e[given] / _of(self.units, which[given])
        open_ = np.concatenate([~kept, np.ones((len(which), len(self.actuators) - r), dtype=bool)], axis=1)[given]
        self.unique &= np.max(np.abs(Vt[given]) * open_[:, :, None], axis=(0, 1), initial=0.0) < UNIQUE
        return e, given

    def _instant(self, k: int, directions: Directions) -> None:
        """Solve at instant k alone, with singular values or sparse factors."""
        s, m = self.system, self.motion
        q, t, part = m.q[k], float(m.t[k]), slice(k, k + 1)
        self._set_references(k)
        S = np.array([s.gradient(q, actuator.function) for actuator in self.actuators])
        S = S * s.scale_columns / self.units[:, None]
        need, scale = self._needs(part)
        B = directions.basis(q, t)
        if B is None:
            self._block(k, "the motions themselves are singular there")
            return
        e, given = self._efforts(np.array([k]), B[None], S[None], need, scale)
        if len(given):
            self.multipliers[k, : s.joint_rows] = directions.multipliers(q, t, e[0] @ S - need[0])
            self._give(np.array([k]))

    def _give(self, which: Integers | slice) -> None:
        """Give every effort at some instants to its motion or its law."""
        for i, actuator in enumerate(self.actuators):
            if actuator.row >= 0:
                self.multipliers[which, actuator.row] = -self.values[which, i]
            else:
                self.forces.laws[which, actuator.law] = self.values[which, i]

    @property
    def unit(self) -> Any:
        """What makes the effort of the only actuator a moment."""
        return float(self.units[0])

    def _lose(self, k: int, direction: Floats) -> None:
        """Leave instant k without numbers, where something is needed in a direction (scaled) that no actuator moves."""
        self._block(k, said(self.system, self.motion.q[k], direction, [actuator.name for actuator in self.actuators]))

    def _block(self, k: int, direction: str) -> None:
        """Leave instant k without numbers."""
        self.blocked.append(Blocked(float(self.motion.t[k]), direction, k))
        self.condition[k] = np.inf
        self.multipliers[k] = np.nan
        for actuator in self.actuators:
            if actuator.law >= 0:
                self.forces.laws[k, actuator.law] = np.nan

    def _dynamics(self, directions: Directions) -> Dynamics:
        """Return forces and energies for the results of the motion; the work is what the energy gained."""
        kinetic, potential = self.forces.energies[:, KINETIC], self.forces.energies[:, POTENTIAL]
        total, rows = kinetic + potential, directions.drive.rows
        return Dynamics(self.multipliers, kinetic, potential, total - total[0], self.forces.laws, self.forces.loads, rows)

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
        notes = laws_beside(self.system.tables, self.actuators, self.forces.laws)
        if not all(self.unique):
            names = ", ".join(a.name for a, unique in zip(self.actuators, self.unique, strict=True) if not unique)
            length = self.system.tables.length
            notes.append(f"not unique: {names}; the smallest efforts are given (forces times {length:.4g} as moments)")
        return notes


def _of(scales: Floats, which: slice | Integers) -> Floats:
    """Return scales of some instants, where every instant has its own."""
    return scales if scales.ndim == 1 else scales[which]


def laws_beside(tables: Tables, actuators: Sequence[Actuator], efforts: Floats) -> list[str]:
    """Return a note for every actuator along whose coordinate forces of the model act too, which its effort leaves out."""
    notes = []
    for actuator in actuators:
        own = {k for k, law in enumerate(tables.laws) if law.function == actuator.function} - {actuator.law}
        acting = {law for law in own if np.any(efforts[:, law])}
        names = [name for name, laws in tables.laws_of.items() if acting.intersection(laws)]
        if names:
            notes.append(
                f'{actuator.name}: the effort is that of its motor alone; motion["{actuator.name}.effort"] also has what '
                f"{', '.join(names)} appl{'y' if len(names) > 1 else 'ies'} along it"
            )
    return notes
