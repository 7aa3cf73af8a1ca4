"""What follows a driven mechanism from instant to instant: the compiled loop, and the state that it leaves behind."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from multibody.analyses.kinematics.instant import Instant
from multibody.analyses.kinematics.solvers import solver_for
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


class Follower:
    """Follows the mechanism over a grid and notes where determinants change their sign.

    Parameters
    ----------
    system : System
    drive : Drive
        The rows that it solves.
    q : array
        Where it begins.
    t : float
        When it begins.
    instants : int
        Length of the grid.

    Attributes
    ----------
    path : Path
        The accepted state, and what was met on the way to it.
    solver : Solver
        Who solves the rows.
    """

    def __init__(self, system: System, drive: Drive, q: Floats, t: float, instants: int) -> None:
        n, nq = system.nv, system.nq
        width = tracking.ENDS + nq + 2 * n
        self.system, self.solver = system, solver_for(system)
        self.path = tracking.Path(
            time=t, q=q.copy(), v=n, a=n, trial_q=nq, trial_v=n, trial_a=n, violation=3, worst=3,
            crossings=width * min(instants + 64, max(64, 4_000_000 // width)),
        )  # fmt: skip
        self.use(drive)

    def use(self, drive: Drive) -> None:
        """Go on with other rows."""
        self.drive = drive
        self.solver.use(drive)
        self.path.signs = len(self.solver.block.signs)
        self.forget()

    @property
    def square(self) -> Square:
        """The square system as a sparse matrix, which serves to locate what the steps noted."""
        return self.solver.square

    def track(self, grid: Floats, first: int, record: Record) -> tuple[int, int]:
        """Follow the mechanism over grid[first:]; return a code of `kernels.tracking` and the grid index reached."""
        with self.solver.at_work():
            code, k = tracking.track(
                *self.system.run, self.solver.block.address, self.path.address, grid, first,
                record.Q, record.V, record.A, record.R, record.sigma,
            )  # fmt: skip
        return int(code), int(k)

    def take_crossings(self) -> list[Crossing]:
        """Return the crossings noted since the last call."""
        nq, nv = self.system.nq, self.system.nv
        state, found = tracking.ENDS, []
        width = state + nq + 2 * nv
        for row in self.path.crossings[: self.path.noted * width].reshape(-1, width).copy():
            (begin, end), q, v, a = np.split(row, (state, state + nq, state + nq + nv))
            found.append(Crossing(Instant(float(begin), q, v, a), float(end)))
        self.path.noted = 0
        return found

    def forget(self) -> None:
        """Take the signs of determinants as unknown and the next step as wide as its interval."""
        self.path.known, self.path.step = 0, 0.0

    def go(self, t: float) -> int:
        """Follow the mechanism to one instant that is no grid point; return the code."""
        self.path.step = 0.0
        return self.track(np.array([t]), 0, Record(1, self.system))[0]

    def snapshot(self) -> Instant:
        """Return the accepted state."""
        path = self.path
        return Instant(path.time, path.q.copy(), path.v.copy(), path.a.copy())

    def place(self, instant: Instant) -> None:
        """Make an instant the accepted state; the angle references are left to the caller."""
        path = self.path
        path.q[:], path.v[:], path.a[:] = instant.q, instant.v, instant.a
        path.time = instant.t
        self.forget()
