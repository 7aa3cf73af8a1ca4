"""Who factors and solves the square system of a driven mechanism for the compiled loop: LU in the loop, or SciPy.

A solver owns the block through which the loop uses it; everything else about steps is the loop's.
"""

from __future__ import annotations

import contextlib
import math
from abc import ABC, abstractmethod
from collections.abc import Iterator

import numpy as np

from multibody.analyses.kinematics.square import Factors, Square
from multibody.kernels.asking import listening
from multibody.kernels.square_system import FACTOR, INSPECT, SOLVE, SquareCalls, SquareSystem
from multibody.rank.drive import Drive
from multibody.rank.leastnorm import is_large
from multibody.state.system import System

SWEEPS = 2  # of inverse iteration an instant, with sparse factors


class Solver(ABC):
    """Solves the rows of a drive.

    Attributes
    ----------
    block : SquareSystem
        What the loop sees of it.
    """

    _square: Square | None

    def __init__(self, system: System) -> None:
        m, n = system.rows, system.nv
        self.system, self._square = system, None
        self.block = SquareSystem(rows=m, J=max(int(system.tables.row_pointer[m]), 1), values=max(m, 1), x=n)

    def use(self, drive: Drive) -> None:
        """Solve the rows of a drive from now on."""
        self.drive, self._square = drive, None
        self.block.chosen = drive.rows

    @property
    def square(self) -> Square:
        """The square system as a sparse matrix, which serves to locate what the steps noted."""
        if self._square is None:
            self._square = Square(self.system, self.drive)
        return self._square

    @abstractmethod
    def at_work(self) -> contextlib.AbstractContextManager[None]:
        """Return a context in which the loop may run."""


class DenseSolver(Solver):
    """Dense factors in the loop itself, in arrays that are made once."""

    def __init__(self, system: System) -> None:
        super().__init__(system)
        block, n = self.block, system.nv
        block.A, block.pivots, block.null, block.signs = n * n, n, np.ones(n) / np.sqrt(n), 1
        block.places, block.ends = n * n, 2 * n
        block.noisy, block.shrinking = 1e-8, math.inf  # factors are kept as soon as a step is small

    def use(self, drive: Drive) -> None:
        """Solve the rows of a drive from now on."""
        super().use(drive)
        self.block.gauge = drive.gauge.ravel()

    def at_work(self) -> contextlib.AbstractContextManager[None]:
        """Return a context in which the loop may run: any."""
        return contextlib.nullcontext()


class SparseSolver(Solver):
    """SciPy's sparse factors, which the loop asks for: time and memory grow like the size of the mechanism."""

    def __init__(self, system: System) -> None:
        super().__init__(system)
        start = np.random.default_rng(0).normal(size=system.nv)
        self.null = start / np.linalg.norm(start)
        self.block.noisy = 1e-6  # below, round-off in the pose spoils the fourth digit of the rates
        self.block.calls = SquareCalls()
        self.block.shrinking = 0.1  # kept factors that do less have become bad
        self.factors: Factors | None = None

    def use(self, drive: Drive) -> None:
        """Solve the rows of a drive from now on."""
        super().use(drive)
        self.block.signs = self.square.blocks

    @contextlib.contextmanager
    def at_work(self) -> Iterator[None]:
        """Answer the loop within; raise what came up behind."""
        self.block.failed = 0
        with listening(self._answer) as address:
            self.block.calls.solver = address
            yield

    def _answer(self, question: int) -> int:
        """Do what the loop asks for, on its block; return 0 where the matrix is singular."""
        block = self.block
        if question == FACTOR:
            self.factors = self.square.factored(block.J)
            return int(self.factors is not None)
        assert self.factors is not None
        if question == INSPECT:
            block.ratio = self.factors.pivot_ratio()
            if block.ratio > block.noisy:
                block.signs[:] = self.factors.determinants()[0]
        elif question == SOLVE:
            block.x[:] = self.factors.solve_scaled(block.x)
        else:
            block.sigma, self.null = self.factors.smallest(self.null, SWEEPS)
        return 1


def solver_for(system: System) -> Solver:
    """Return the solver that suits the size of a mechanism."""
    return SparseSolver(system) if is_large(system.nv) else DenseSolver(system)
