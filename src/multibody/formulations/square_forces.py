"""Forces along a known motion from one factorization an instant: the square matrix T of kinematics, in compiled loops.

Singular values are asked for only where T comes near to a singular one; the caller does those instants itself.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from multibody.formulations.driven import entries_at, forces_at, gradients_at, solve_square
from multibody.formulations.one_drive import FOUND, REGULAR, ROOM, efforts_at
from multibody.kernels.codes import ENERGIES
from multibody.rank.drive import Drive
from multibody.state.motion import Motion
from multibody.state.system import Floats, Integers, System


@dataclass
class Along:
    """What acts along a motion at some instants.

    Attributes
    ----------
    inertia, applied : arrays (instants, nv)
        M v̇ and Q.
    energies : array (instants, 2)
    laws, loads : arrays (instants, ·)
    """

    inertia: Floats
    applied: Floats
    energies: Floats
    laws: Floats
    loads: Floats

    def first(self, n: int) -> Along:
        """Return those of the first n instants."""
        return Along(self.inertia[:n], self.applied[:n], self.energies[:n], self.laws[:n], self.loads[:n])


@dataclass
class Found:
    """The efforts of one actuator at some instants.

    Attributes
    ----------
    numbers : array (instants, FOUND)
        See ``one_drive``.
    basis : array (instants, nv)
        The free direction, of length 1, scaled columns.
    multipliers : array (instants, rows)
        Of joints.
    """

    numbers: Floats
    basis: Floats
    multipliers: Floats

    @classmethod
    def room(cls, system: System, *shape: int) -> Found:
        """Return room for so many instants."""
        return cls(*(np.zeros((*shape, width)) for width in (FOUND, system.nv, system.rows)))


def lu_room(n: int) -> tuple[Floats, Integers, Integers, Integers]:
    """Return T, pivots, places and ends, as LU of n unknowns needs them."""
    return (
        np.zeros((n, n)), np.zeros(n, dtype=np.int64), np.zeros((n, n), dtype=np.int64), np.zeros((2, n), dtype=np.int64),
    )  # fmt: skip


def as_rows(references: Floats) -> Floats:
    """Return angle references as a matrix: one row an instant, or one row for all."""
    return np.ascontiguousarray(references if references.ndim == 2 else references[None, :])


def forces_along(system: System, t: Floats, q: Floats, v: Floats, a: Floats, references: Floats) -> Along:
    """Return M v̇, Q, energies, efforts of laws and loads at all instants of a motion, arrays (instants, ·)."""
    s, tables, n = system, system.tables, len(t)
    found = Along(
        np.zeros((n, s.nv)), np.zeros((n, s.nv)), np.zeros((n, ENERGIES)), np.zeros((n, tables.effort_count)),
        np.zeros((n, tables.load_count)),
    )  # fmt: skip
    s.weigh()
    t, q, v, a = (np.ascontiguousarray(x) for x in (t, q, v, a))
    forces_at(
        *s.run, t, q, v, a, as_rows(references), found.inertia, found.applied, found.energies, found.laws,
        found.loads,
    )  # fmt: skip
    return found


def jacobian_entries(system: System, t: Floats, q: Floats, references: Floats) -> Floats:
    """Return the entries of Φ_q of joints and motions at all instants (instants, entries)."""
    out = np.zeros((len(t), int(system.tables.row_pointer[system.rows])))
    if system.rows and len(t):
        entries_at(*system.run, t, np.ascontiguousarray(q), as_rows(references), system.rows, out)
    return out


class SquareForces:
    """The matrix T of a drive at chosen instants of a motion.

    Parameters
    ----------
    system : System
    drive : Drive
        Rows and gauges that make T square.
    motion : Motion
    """

    def __init__(self, system: System, drive: Drive, motion: Motion) -> None:
        s = self.system = system
        self.rows, self.motion = drive.rows, motion
        self.gauge = np.ascontiguousarray(drive.gauge * s.scale_columns)
        pointer = s.tables.row_pointer
        row_of = np.repeat(np.arange(s.rows), np.diff(pointer[: s.rows + 1]))
        columns = s.tables.columns[: pointer[s.rows]]
        place = np.full(s.rows, -1)
        place[self.rows] = np.arange(len(self.rows))
        self.slots = np.where(place[row_of] >= 0, place[row_of] * s.nv + columns, -1).astype(np.int64)
        self.weights = s.scale_rows[row_of] * s.scale_columns[columns]
        self.driving = np.flatnonzero(self.rows >= s.joint_rows).astype(np.int64)
        self.null = np.full(s.nv, 1.0 / np.sqrt(s.nv))

    @property
    def alone(self) -> bool:
        """Whether one motion drives everything."""
        return len(self.driving) == 1

    def one(self, part: slice, function: int, unit: float, forces: Along, limits: tuple[float, float]) -> Found:
        """Return the efforts of one actuator, where one motion drives everything.

        Parameters
        ----------
        part : slice
            Instants.
        function, unit
            The actuator's coordinate, and the characteristic length if that is a length, else 1.
        forces : Along
        limits : tuple
            Part of its largest rate by which the coordinate changes at least; part of the forces at play that needs no effort.
        """
        s, m, n = self.system, self.motion, part.stop - part.start
        references = m.references[part] if m.references.ndim == 2 else m.references
        found = Found.room(s, n)
        q, inertia, applied = (np.ascontiguousarray(x[part]) for x in (m.q, forces.inertia, forces.applied))
        efforts_at(
            *s.run, np.ascontiguousarray(m.t[part]), q, as_rows(references), inertia, applied,
            (self.slots, self.weights, self.gauge, self.rows, int(self.driving[0]), np.zeros(len(self.slots))),
            (*lu_room(s.nv), self.null), (s.scale_rows[: s.rows].copy(), s.scale_columns), (function, unit),
            (REGULAR, *limits), np.zeros((ROOM, s.nv)), found.numbers, found.basis, found.multipliers,
        )  # fmt: skip
        self._renew()
        return found

    def _renew(self) -> None:
        """Begin anew with the null vector where it was lost."""
        if not np.all(np.isfinite(self.null)):
            self.null[:] = 1.0 / np.sqrt(self.system.nv)

    def gradients(self, functions: Integers, part: slice) -> Floats:
        """Return gradients of coordinate functions, scaled columns, (instants, functions, nv)."""
        s, q = self.system, np.ascontiguousarray(self.motion.q[part])
        out = np.zeros((len(q), len(functions), s.nv))
        gradients_at(s.at.model, s.at.scratch, q, functions, s.scale_columns, out)
        return out

    def solve(self, part: slice, sides: Floats) -> tuple[Floats, Floats, Floats]:
        """Return σ of T (instants), unit velocities of the motions (instants, motions, nv) and multipliers of forces.

        Parameters
        ----------
        part : slice
            Instants.
        sides : array (instants, forces, nv)
            Scaled forces on the bodies.

        Returns
        -------
        sigma, basis, multipliers
            The last as (instants, forces, nv), in the order of the rows of T; neither is meant where σ is below REGULAR.
        """
        s, m = self.system, self.motion
        references = m.references[part] if m.references.ndim == 2 else m.references
        entries = jacobian_entries(s, m.t[part], m.q[part], references)
        count = len(entries)
        sigma, basis = np.zeros(count), np.zeros((count, len(self.driving), s.nv))
        multipliers = np.zeros(sides.shape)
        solve_square(
            entries, self.slots, self.weights, self.gauge, self.driving, np.ascontiguousarray(sides), *lu_room(s.nv),
            self.null, sigma, basis, multipliers,
        )  # fmt: skip
        self._renew()
        return sigma, basis, multipliers
