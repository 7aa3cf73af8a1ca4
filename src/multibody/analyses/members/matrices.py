"""Members by implicit methods: iteration matrices of one structure, each in its own units."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from multibody.analyses.dynamics.choice import Choice
from multibody.analyses.members.numbers import note
from multibody.formulations.dependable import ALLOWED, trial_error
from multibody.formulations.newton import newton_calls
from multibody.formulations.prepare_newton import matrix_units, numbered, pattern_of
from multibody.formulations.spaces.space import Space
from multibody.integrators import contract as C
from multibody.kernels.mass import set_masses
from multibody.kernels.newton.declared import Newton, NewtonState
from multibody.state.system import Floats, Integers
from multibody.tables.scales import characteristic_mass

if TYPE_CHECKING:
    from multibody.analyses.members.batch import Batch


class Equations:
    """What an implicit method asks of the equations of a model, the same for all members.

    Parameters
    ----------
    space : Space
        Of the model; its blocks get the iteration matrix.
    choice : Choice

    Attributes
    ----------
    ops : array of int
        Addresses that the method calls.
    work : int
        Numbers that it needs room for.
    """

    def __init__(self, space: Space, choice: Choice) -> None:
        integrator, b = choice.integrator, space.bundle
        self.sizes = space.nq, space.nv, len(b.chosen)
        self.work = integrator.work_size(*self.sizes)
        self.ops: Integers = newton_calls(b, choice.formulation.kernels()[0], integrator.complex_factors)
        self.bundle, self.sparse, self.driven = b, choice.formulation.sparse, b.model.driven
        newton = b.newton.model
        self.where = newton.unknowns, numbered(pattern_of(newton.pattern)), (newton.entries.row, newton.entries.column)

    def tell(self, counts: Integers) -> None:
        """Write the sizes of the equations for the integrator."""
        counts[C.NQ], counts[C.NV], counts[C.NM], counts[C.DRIVEN] = *self.sizes, self.driven

    def room(self, count: int) -> Matrices:
        """Return room for so many members."""
        newton = self.bundle.newton.model
        lengths = (len(newton.units), len(newton.matrix_units), len(newton.entry_units))
        return Matrices(self, self.bundle.newton.state.copy(), *(np.zeros((count, n)) for n in (1, *lengths)))


@dataclass
class Matrices:
    """Iteration matrices of some members: units of their own, and one memory for all, which are integrated in turn."""

    equations: Equations
    state: NewtonState
    unit: Floats
    units: Floats
    matrix_units: Floats
    entry_units: Floats

    def __post_init__(self) -> None:
        self._models: list[Newton] = []

    def of(self, k: int) -> tuple[Newton, NewtonState]:
        """Return the blocks of a member."""
        names = ("unit", "units", "matrix_units", "entry_units")
        self._models.append(self.equations.bundle.newton.model.sharing(**{name: getattr(self, name)[k] for name in names}))
        return self._models[k], self.state

    def begin(self, b: Batch, n: int, why: Any) -> None:
        """Write the units of the first members; note where the sparse order of elimination is no good."""
        rows = b.row_scale[:n, self.equations.bundle.chosen]
        for name, values in matrix_units(b.column_scale[:n], rows, *self.equations.where).items():
            getattr(self, name)[:n] = values
        for k in range(n):
            tables = b.one.load(k)
            self.unit[k] = characteristic_mass(tables) * tables.length**2
        if self.equations.sparse:
            b.reset(np.arange(n))
            note(why, np.array([why[k] != "" or self._is_good(b, k) for k in range(n)]), "full matrices")

    def _is_good(self, b: Batch, k: int) -> bool:
        """Return whether a member's linear systems are solved well by the sparse order."""
        bundle = b.one.coordinates(k).bundle
        set_masses(bundle.model.address, b.scratch.address)
        return trial_error(bundle, b.members.start, b.starts[k].copy()) <= ALLOWED
