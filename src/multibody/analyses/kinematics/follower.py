"""What follows a driven mechanism from instant to instant: the state it keeps, and the compiled loop with dense factors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from multibody.analyses.kinematics.instant import Instant
from multibody.analyses.kinematics.square import Square
from multibody.kernels import tracking
from multibody.rank.drive import Drive
from multibody.state.system import Floats, System


class Record:
    """Arrays over a grid: positions Q, velocities V, accelerations A, angle references R, smallest singular values σ.

    R has no columns where nothing counts turns.
    """

    def __init__(self, count: int, system: System, counted: int = 0) -> None:
        self.Q = np.zeros((count, system.nq))
        self.V, self.A = np.zeros((count, system.nv)), np.zeros((count, system.nv))
        self.R, self.sigma = np.zeros((count, counted)), np.zeros(count)

    def store(self, k: int, q: Floats, v: Floats, a: Floats, references: Floats, sigma: float) -> None:
        """Keep an instant as grid point k."""
        self.Q[k], self.V[k], self.A[k], self.sigma[k] = q, v, a, sigma
        self.R[k] = references[: self.R.shape[1]]


@dataclass(frozen=True)
class Crossing:
    """An interval in which a determinant changed its sign: the accepted instant before it, and its end."""

    before: Instant
    end: float


class Follower(ABC):
    """Follows the mechanism over a grid and notes where determinants change their sign.

    Attributes
    ----------
    system : System
    drive : Drive
        The rows that it solves.
    state : array (3, ·)
        q, v and v̇ of the accepted state.
    clock : array (3,)
        Time of the accepted state, sign of its determinant (0: unknown), last substep (0: a whole interval).
    counts : array of int
        Steps, Newton iterations and rejected steps, at the places that `kernels.tracking` names.
    worst : array (6,)
        Largest scaled violation of all rows at position, velocity and acceleration level over the accepted steps; behind
        these the three of the last attempt.
    """

    def __init__(self, system: System, drive: Drive, q: Floats, t: float) -> None:
        self.system = system
        self.state = np.zeros((3, max(system.nq, system.nv)))
        self.state[0, : system.nq] = q
        self.clock = np.array([t, 0.0, 0.0])
        self.counts, self.worst = np.zeros(8, dtype=np.int64), np.zeros(6)
        self.use(drive)

    def use(self, drive: Drive) -> None:
        """Go on with other rows."""
        self.drive = drive
        self._square: Square | None = None
        self.forget()

    @property
    def square(self) -> Square:
        """The square system as a sparse matrix, which serves to locate what the steps noted."""
        if self._square is None:
            self._square = Square(self.system, self.drive)
        return self._square

    @abstractmethod
    def track(self, grid: Floats, first: int, record: Record) -> tuple[int, int]:
        """Follow the mechanism over grid[first:]; return a code of `kernels.tracking` and the grid index reached."""

    @abstractmethod
    def take_crossings(self) -> list[Crossing]:
        """Return the crossings noted since the last call."""

    def forget(self) -> None:
        """Take the determinant's sign as unknown and the next step as wide as its interval."""
        self.clock[1] = self.clock[2] = 0.0

    def go(self, t: float) -> int:
        """Follow the mechanism to one instant that is no grid point; return the code."""
        self.clock[2] = 0.0
        return self.track(np.array([t]), 0, Record(1, self.system))[0]

    def snapshot(self) -> Instant:
        """Return the accepted state."""
        nq, nv = self.system.nq, self.system.nv
        q, v, a = self.state[0, :nq], self.state[1, :nv], self.state[2, :nv]
        return Instant(float(self.clock[0]), q.copy(), v.copy(), a.copy())

    def place(self, instant: Instant) -> None:
        """Make an instant the accepted state; the angle references are left to the caller."""
        nq, nv = self.system.nq, self.system.nv
        self.state[0, :nq], self.state[1, :nv], self.state[2, :nv] = instant.q, instant.v, instant.a
        self.clock[0] = instant.t
        self.forget()


class DenseFollower(Follower):
    """The compiled loop: dense factors in arrays that are made once."""

    def __init__(self, system: System, drive: Drive, q: Floats, t: float, instants: int) -> None:
        n, nq, m = system.nv, system.nq, system.rows
        self.trial = np.zeros((3, max(nq, n)))
        self.values, self.J = np.zeros(max(m, 1)), np.zeros(max(int(system.tables.row_pointer[m]), 1))
        self.matrix, self.pivots = np.zeros((n, n)), np.zeros(n, dtype=np.int64)
        self.x, self.null = np.zeros(n), np.ones(n) / np.sqrt(n)
        width = 2 + nq + 2 * n
        self.noted = np.zeros((min(instants + 64, max(64, 4_000_000 // width)), width))
        super().__init__(system, drive, q, t)

    def use(self, drive: Drive) -> None:
        """Go on with other rows."""
        super().use(drive)
        self.gauge = drive.gauge

    def track(self, grid: Floats, first: int, record: Record) -> tuple[int, int]:
        """Call the compiled loop from grid[first] on."""
        s = self.system
        code, k = tracking.track(
            *s.run, grid, first, s.rows, len(s.tables.functions), self.drive.rows, self.gauge,
            self.state, self.trial, self.values, self.J, self.matrix, self.pivots, self.x, self.null, self.worst,
            self.clock, record.Q, record.V, record.A, record.R, record.sigma, self.noted, self.counts,
        )  # fmt: skip
        return int(code), int(k)

    def take_crossings(self) -> list[Crossing]:
        """Return the crossings noted since the last call."""
        nq, nv = self.system.nq, self.system.nv
        found = []
        for row in self.noted[: self.counts[tracking.CROSSINGS]].copy():
            q, v, a = row[2 : 2 + nq], row[2 + nq : 2 + nq + nv], row[2 + nq + nv :]
            found.append(Crossing(Instant(float(row[0]), q, v, a), float(row[1])))
        self.counts[tracking.CROSSINGS] = 0
        return found
