"""Parameters at lowering: every formula reduced to scalars of them, and its value."""

from __future__ import annotations

import math
from typing import Any

from multibody.errors import ModelError, ModelErrors
from multibody.model.expressions import CONSTANTS, Expression, ExpressionError, Number, evaluate, fold
from multibody.model.model import Model
from multibody.model.scope import PARAMETERS, ParameterScope
from multibody.model.values import Vector
from multibody.tables.splines import table_function


class Scope(ParameterScope):
    """The scalar parameters of a model, with values for everything; faults are raised, not collected.

    Attributes
    ----------
    order : list of tuple
        Path of each scalar parameter slot, ``("l2",)`` or ``("pA", "x")``; each depends only on earlier ones.
    conditions : dict
        Formulas that must be zero or above, or above zero (True), whatever the parameters are.
    matrices : list
        Matrices that must be symmetric and without negative eigenvalues, likewise.
    """

    def __init__(self, model: Model) -> None:
        self._cache: dict[Expression, float] = {}
        self.conditions: dict[tuple[Expression, bool], None] = {}
        self.matrices: list[list[list[Number]]] = []
        self._functions = {name: table_function(table) for name, table in model.tables.items()}
        super().__init__(model)
        if self.errors:
            raise self.errors[0] if len(self.errors) == 1 else ModelErrors(self.errors)
        self.order = list(self.formulas)

    def knows(self, parts: tuple[str, ...]) -> bool:
        """Return whether a name is a scalar parameter or a constant."""
        return parts in self.values or parts in CONSTANTS

    def scalar(self, formula: Number, where: str) -> Number:
        """Return a formula of parameters, which must be a number, folded."""
        self.check_names(formula, where, PARAMETERS)
        return fold(super().scalar(formula, where))

    def keep(self, number: Number, strict: bool = False) -> None:
        """Let a number that is zero or above, or above zero (`strict`), stay so when parameters change."""
        if isinstance(number, Expression):
            self.conditions[number, strict] = None

    def keep_matrix(self, rows: list[list[Number]]) -> None:
        """Let a symmetric matrix without negative eigenvalues stay one when parameters change."""
        if any(isinstance(number, Expression) for row in rows for number in row):
            self.matrices.append(rows)

    def formula(self, formula: Number, where: str) -> Number:
        """Return a formula with its vector parameters expanded; other names stay."""
        return fold(super().scalar(formula, where))

    def vector(self, value: Vector, size: int | None, where: str) -> tuple[Number, ...]:
        """Return the components of a vector field of parameters."""
        if isinstance(value, Expression):
            self.check_names(value, where, PARAMETERS)
        return tuple(fold(item) for item in super().vector(value, size, where))

    def value(self, number: Number, where: str = "") -> float:
        """Return the value of a scalar formula of parameters, which must be finite."""
        if not isinstance(number, Expression):
            return float(number)
        found = self._cache.get(number)
        if found is None:
            found = self._evaluated(number, where)
            self._cache[number] = found
        return found

    def _evaluated(self, number: Expression, where: str) -> float:
        """Return the value of a formula, computed."""
        lookup: Any = self.values.__getitem__
        try:
            found = float(evaluate(number, lookup, self._functions))
        except (ZeroDivisionError, OverflowError, ExpressionError):
            found = math.nan
        if not math.isfinite(found):
            raise ModelError(f"{number} is not a finite number", where=where, hint="check the parameters it uses")
        return found
