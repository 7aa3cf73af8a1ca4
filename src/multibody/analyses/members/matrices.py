"""Members by implicit methods: iteration matrices of one structure, each in its own units."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from multibody.analyses.dynamics.choice import Choice
from multibody.analyses.members.many import Many
from multibody.analyses.members.numbers import note
from multibody.formulations.dependable import ALLOWED, trial_coefficients, trial_wave
from multibody.formulations.implicit import factor_newton, linearize_implicit, product_newton, solve_newton, start_newton
from multibody.formulations.newton import newton_calls
from multibody.formulations.prepare_newton import matrix_units, numbered, pattern_of
from multibody.formulations.spaces.space import Space
from multibody.integrators import contract as C
from multibody.integrators import deciding_members as M
from multibody.kernels.calls import address_of
from multibody.kernels.newton.declared import Newton, NewtonState
from multibody.state.system import Floats, Integers
from multibody.tables.scales import second

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
        names = ("unit", "units", "matrix_units", "entry_units")
        self.models: Many[Newton] = Many(
            self.equations.bundle.newton.model, len(self.units), {name: getattr(self, name) for name in names}
        )  # fmt: skip

    def begin(self, b: Batch, n: int, why: Any) -> None:
        """Write the units of the first members; note where the sparse order of elimination is no good."""
        rows = b.row_scale[:n, self.equations.bundle.chosen]
        for name, values in matrix_units(b.column_scale[:n], rows, *self.equations.where).items():
            getattr(self, name)[:n] = values
        squares = [length**2 for length in b.numbers[:n, b.tables.packed.length].tolist()]  # of arrays a bit may differ
        self.unit[:n, 0] = self._masses(b, n) * np.array(squares)
        if self.equations.sparse:
            b.reset(np.arange(n))
            which = np.flatnonzero(why == "")
            good = np.ones(n, dtype=bool)
            good[which] = self._errors(b, which) <= ALLOWED
            note(why, good, "full matrices")

    def _masses(self, b: Batch, n: int) -> Floats:
        """Return the characteristic mass of members, the mean of all bodies: those of members count."""
        slots, total = b.tables.masses, np.zeros(n)
        for each in slots:
            total = total + b.numbers[:n, each.mass]
        return np.where(total > 0.0, total / max(len(slots), 1), 1.0)

    def _errors(self, b: Batch, which: Integers) -> Floats:
        """Return how well the linear systems of members are solved by the sparse order."""
        eq, kept, errors = self.equations, self.state, np.zeros(len(which))
        (nq, n, m), model, c = eq.sizes, eq.bundle.newton.model, 100.0 / second(b.tables)
        kernels = (start_newton, linearize_implicit, factor_newton, product_newton, solve_newton)
        calls = tuple(address_of(each, b.planar) for each in kernels)
        entries, sizes = model.entries, (n + m + 1, nq + 2 * n + m, n + m, n + m, 3 * n, n + m, n + m, 1)
        places = (np.ascontiguousarray(x) for x in (entries.entry, entries.row, entries.column))
        M.trial_members(
            calls, which, b.models, b.states, b.scratch.address, b.members.start, b.starts, (n, m),
            (trial_coefficients(c), c), (np.array(model.unknowns), kept.scaled, kept.P, *places), trial_wave(n, m),
            tuple(np.zeros(size) for size in sizes), errors,
        )  # fmt: skip
        return errors
