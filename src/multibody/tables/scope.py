"""Parameters: their order, their values, and formulas reduced to scalars of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from multibody.errors import ModelError
from multibody.model.expressions import (
    Expression,
    ExpressionError,
    Number,
    check_calls,
    components,
    evaluate,
    fold,
    name,
    names,
)
from multibody.model.model import Model
from multibody.model.paths import AXES
from multibody.model.values import Vector, from_expression

CONSTANTS: dict[tuple[str, ...], float] = {("pi",): math.pi, ("deg",): math.pi / 180.0, ("rpm",): math.pi / 30.0}


class Scope:
    """The scalar parameters of a model, in an order in which each depends only on earlier ones.

    Attributes
    ----------
    order : list of tuple
        Path of each scalar parameter slot: ``("l2",)`` or ``("pA", "x")``.
    formulas : list of Number
        Its number, or its formula of earlier slots.
    values : dict
        Value of each slot.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self.order: list[tuple[str, ...]] = []
        self.formulas: list[Number] = []
        self.values: dict[tuple[str, ...], float] = dict(CONSTANTS)
        self._cache: dict[Expression, float] = {}
        self._visiting: list[str] = []
        self._sizes: dict[str, int] = {}
        for item in model.parameters:
            self._declare(item)

    def _size(self, parts: tuple[str, ...]) -> int:
        """Return the number of components of a name, 0 for a scalar."""
        return self._sizes.get(parts[0], 0) if len(parts) == 1 else 0

    def _declare(self, item: str) -> None:
        """Declare a parameter after those it depends on."""
        where = f"parameters.{item}"
        if item in self._sizes:
            return
        if item in self._visiting:
            circle = " → ".join([*self._visiting[self._visiting.index(item) :], item])
            raise ModelError(f"it depends on itself ({circle})", where=where, hint="break the circle")
        self._visiting.append(item)
        value = self.model.parameters[item].value
        for part in value if isinstance(value, tuple) else (value,):
            for parts in names(part):
                if parts[0] in self.model.parameters:
                    self._declare(parts[0])
                elif parts not in CONSTANTS:
                    self.model.check_paths(part, where, frozenset({"parameter"}))
        self._visiting.pop()
        reduced = self.vector(value, None, where) if self._is_vector(value) else self.scalar(value, where)
        self._sizes[item] = len(reduced) if isinstance(reduced, tuple) else 0
        for k, number in enumerate(reduced if isinstance(reduced, tuple) else (reduced,)):
            path = (item, AXES[k]) if isinstance(reduced, tuple) else (item,)
            self.order.append(path)
            self.formulas.append(number)
            self.values[path] = self.value(number, where)

    def _is_vector(self, value: Any) -> bool:
        """Return whether a parameter's value has components."""
        if isinstance(value, tuple):
            return True
        return isinstance(value, Expression) and isinstance(self._components(value, ""), tuple)

    def _components(self, value: Number, where: str) -> Number | tuple[Number, ...]:
        """Return the scalar components of a formula."""
        if isinstance(value, float):
            return value
        try:
            return components(check_calls(value, self.model.tables), self._size)
        except ExpressionError as error:
            raise from_expression(error, where) from None

    def scalar(self, value: Number, where: str) -> Number:
        """Return a formula of parameters reduced to scalars; names other than parameters are errors."""
        if isinstance(value, float):
            return value
        for parts in names(value):
            if self._size(parts) == 0 and parts not in self.values:
                self.model.check_paths(value, where, frozenset({"parameter"}))
        reduced = self._components(value, where)
        if isinstance(reduced, tuple):
            raise ModelError(
                f"{value} is a vector", where=where, hint="a number is needed; take a component such as .x"
            )
        return fold(reduced)

    def formula(self, value: Number, where: str) -> Number:
        """Return a formula with its vector parameters expanded; other names stay."""
        reduced = self._components(value, where)
        if isinstance(reduced, tuple):
            raise ModelError(
                f"{value} is a vector", where=where, hint="a number is needed; take a component such as .x"
            )
        return fold(reduced)

    def vector(self, value: Vector, dimension: int | None, where: str) -> tuple[Number, ...]:
        """Return the components of a vector field."""
        if isinstance(value, tuple):
            return tuple(self.scalar(item, where) for item in value)
        for parts in names(value):
            if self._size(parts) == 0 and parts not in self.values:
                self.model.check_paths(value, where, frozenset({"parameter"}))
        reduced = self._components(value, where)
        if not isinstance(reduced, tuple):
            raise ModelError(f"{value} is a number", where=where, hint="a vector is needed")
        if dimension is not None and len(reduced) != dimension:
            raise ModelError(f"{value} has {len(reduced)} components", where=where, hint=f"{dimension} are needed")
        return tuple(fold(item) for item in reduced)

    def value(self, number: Number, where: str = "") -> float:
        """Return the value of a scalar formula of parameters, which must be finite."""
        if isinstance(number, float | int):
            return float(number)
        found = self._cache.get(number)
        if found is None:
            try:
                found = float(evaluate(number, self.values.__getitem__))
            except ZeroDivisionError:
                found = math.nan
            if not math.isfinite(found):
                raise ModelError(f"{number} is not a number here", where=where, hint="check the parameters it uses")
            self._cache[number] = found
        return found

    def numeric(self, vector: Sequence[Number], where: str = "") -> tuple[float, ...]:
        """Return the values of several formulas."""
        return tuple(self.value(item, where) for item in vector)

    def slot_name(self, k: int) -> Expression:
        """Return the k-th scalar parameter as an expression."""
        return name(*self.order[k])
