"""Paths as formulas of what is known at an instant: the measurer of results, asked with symbols in the place of numbers.

Arrays of one instant whose items are names go through the same code as those of a motion, so that a reaction or a point means
the same on every processor. What it cannot say in formulas is refused with the name of the path.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from multibody.analyses.inverse.inverse import actuator_column
from multibody.analyses.inverse.virtual_power import Actuator
from multibody.analyses.measures.force_values import ForceValues
from multibody.analyses.measures.measure import Measurer, time_derivative
from multibody.analyses.reactions.reactions import Reactions
from multibody.analyses.reactions.wrenches import RowPattern, Wrench
from multibody.errors import ModelError
from multibody.formulations.row_wrenches import CENTER, add_planar_wrench, add_spatial_wrench, generalized_force
from multibody.kernels.codes import ENERGIES, KINETIC, POTENTIAL
from multibody.model.expressions import Expression, ExpressionError, Number, names, substitute
from multibody.model.expressions.nodes import CONSTANTS, node
from multibody.state.kinetics import Dynamics
from multibody.state.system import Integers
from multibody.tables.lower import Tables
from multibody.tables.products import turned

PARAMETER = "#number"  # first part of the name of a number of the model
HINT = 'leave it out, or compute the study without "device"'


def symbol(part: str, k: int) -> Expression:
    """Return the name of item k of something that is known, which no user can write."""
    return Expression("name", (f"#{part}", str(k)))


def symbols(part: str, count: int, first: int = 0) -> Any:
    """Return the names of some items as a row: an array (1, count) of one instant."""
    found = np.empty((1, count), dtype=object)
    for k in range(count):
        found[0, k] = symbol(part, first + k)
    return found


class SymbolicTables:
    """Tables whose numbers are symbols: they differ from member to member."""

    vector, matrix, gravity = Tables.vector, Tables.matrix, Tables.gravity

    def __init__(self, tables: Tables) -> None:
        self.tables, self.F = tables, symbols("number", len(tables.F))[0]

    def __getattr__(self, attribute: str) -> Any:
        return getattr(self.tables, attribute)


class SymbolicMeasurer(Measurer):
    """Evaluates paths at one instant that is not known yet.

    Parameters
    ----------
    tables : Tables
    rows : array of int
        Rows that carry multipliers.
    entries : int
        Number of entries of Φ_q of joints and motions.

    Attributes
    ----------
    functions : list of int
        Coordinate functions that were asked for.
    entries : array (1, entries)
        Of Φ_q.
    """

    def __init__(self, tables: Tables, rows: Integers, entries: int) -> None:
        nq, nv = tables.nq, tables.nv
        energies, loads = symbols("energies", ENERGIES), tables.load_count
        dynamics = Dynamics(
            symbols("multipliers", tables.count_joint + tables.count_motion), energies[:, KINETIC], energies[:, POTENTIAL],
            symbols("bodies", 1, nq + nv)[:, 0], symbols("efforts", tables.effort_count), symbols("loads", loads), rows,
        )  # fmt: skip
        own: Any = SymbolicTables(tables)
        q, v, A = symbols("bodies", nq), symbols("bodies", nv, nq), symbols("A", nv)
        super().__init__(own, symbols("t", 1)[0], q, v, A, np.zeros(0), dynamics)
        self.functions: list[int] = []
        self.entries = symbols("entries", entries)

    @cached_property
    def forces(self) -> ForceValues:
        """Reactions, efforts, energies and momentum."""
        assert self.dynamics is not None
        return ForceValues(self, self.dynamics, SymbolicReactions(self, self.dynamics))

    def formula(self, asked: Number, where: str) -> Number:
        """Return a formula of paths as one of what is known.

        Parameters
        ----------
        asked : float or Expression
            Of paths, parameters and t.
        where : str
            How it is called in messages.
        """
        if not isinstance(asked, Expression):
            return float(asked)
        found: dict[tuple[str, ...], Number] = {}
        for parts in sorted(names(asked)):
            if parts in CONSTANTS:
                continue
            if parts[0].startswith("#"):
                problem = "an output over time is made of another one, and takes a second way through the motion"
                raise ModelError(problem, where=where, hint=HINT)
            try:
                found[parts] = self.lookup(parts)[0]
            except (TypeError, ValueError, ExpressionError) as error:
                problem = f'"{".".join(parts)}" cannot be said in specialized code ({" ".join(str(error).split())[:120]})'
                raise ModelError(problem, where=where, hint=HINT) from None
        return substitute(asked, {parts: node(value) for parts, value in found.items()})

    def coordinate(self, function: int) -> Any:
        """Return value, rate and acceleration of a coordinate function as names."""
        if function not in self.functions:
            self.functions.append(function)
        k = self.functions.index(function)
        return tuple(symbols(part, 1, k)[0] for part in ("values", "rates", "accelerations"))

    def _derivative(self, formula: Any, order: int) -> Any:
        """Return a formula of paths, or its rate or acceleration, as one of what is known."""
        from multibody.tables.scope import Scope

        if isinstance(formula, Expression):
            formula = Scope(self.model).formula(formula, str(formula))
        for _ in range(order):
            formula = time_derivative(formula, self.model)
        value = np.empty(1, dtype=object)
        value[0] = self.formula(formula, str(formula))
        return value


class SymbolicEfforts(SymbolicMeasurer):
    """Evaluates paths at one instant of inverse dynamics, where the effort of an actuator has its own.

    Parameters
    ----------
    tables, rows, entries
        As of :class:`SymbolicMeasurer`.
    actuators : sequence of Actuator
    """

    def __init__(self, tables: Tables, rows: Integers, entries: int, actuators: Sequence[Actuator]) -> None:
        super().__init__(tables, rows, entries)
        self.actuators = actuators

    def lookup(self, parts: tuple[str, ...]) -> Any:
        """Return the values of a path; the effort of an actuator where there is one."""
        if parts[-1] == "effort":
            column = actuator_column(self.model, self.actuators, ".".join(parts[:-1]))
            if column >= 0:
                own = self.actuators[column]
                return np.array([-symbol("multipliers", own.row) if own.row >= 0 else symbol("efforts", own.law)], dtype=object)
        return super().lookup(parts)

    def formula(self, asked: Number, where: str) -> Number:
        """Return a formula of paths as one of what is known; the work is not, which begins with the first instant."""
        found = super().formula(asked, where)
        work = symbol("bodies", self.tables.nq + self.tables.nv).args
        if isinstance(found, Expression) and work in names(found):
            raise ModelError("work is not made in specialized code of inverse", where=where, hint=HINT)
        return found


class SymbolicReactions(Reactions):
    """What joints, motions and forces do at an instant that is not known yet."""

    measurer: SymbolicMeasurer

    def of_rows(
        self, rows: range, multipliers: Any, bodies: Sequence[int], home: int, point: int, sign: float = -1.0,
        which: Integers | None = None,
    ) -> Wrench:  # fmt: skip
        """Return −Φ_qᵀ λ of some rows on some bodies together as a wrench about a point of a body: the text of the kernel."""
        m, own, tables, d = self.measurer, RowPattern.of(self.tables, rows), self.tables, self.tables.dimension
        r, A, *_ = m.body_motion(tables.bodies[home])
        place = r if point == CENTER else r + turned(A, tables.vector(point))
        J = m.entries[0, int(tables.row_pointer[rows.start]) : int(tables.row_pointer[rows.stop])]
        out, block = np.zeros(tables.width, dtype=object), np.zeros(6, dtype=object)
        for b in bodies:
            center, A, *_ = m.body_motion(tables.bodies[b])
            arm, first = (center - place)[0], tables.width * (b - 1)
            _text(generalized_force)(
                J, own.columns, own.ends, multipliers[0, rows.start : rows.stop], first, tables.width, sign, block
            )
            if d == 2:
                _text(add_planar_wrench)(block, arm, out)
            else:
                _text(add_spatial_wrench)(block, A[0].ravel(), arm, out)
        return Wrench(out[None, :d], out[None, d:], place)


def _text(kernel: Any) -> Any:
    """Return a kernel as the function that was written."""
    return kernel.py_func


def inputs_of(lengths: dict[str, int], begins: dict[str, int]) -> dict[tuple[str, ...], int]:
    """Return the place of every name among what is known.

    Parameters
    ----------
    lengths, begins : dict
        Of the parts.
    """
    return {symbol(part, k).args: begins[part] + k for part, count in lengths.items() for k in range(count)}


def numbers_of(count: int) -> dict[tuple[str, ...], int]:
    """Return the place of every number of a model by its name."""
    return {symbol(PARAMETER[1:], k).args: k for k in range(count)}


def read(measurer: SymbolicMeasurer, formulas: Sequence[Number], texts: Sequence[str]) -> list[Number]:
    """Return formulas of paths as formulas of what is known."""
    return [measurer.formula(each, f'output "{text}"') for each, text in zip(formulas, texts, strict=True)]
