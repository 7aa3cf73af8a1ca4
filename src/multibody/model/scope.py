"""The parameters of a model as sizes and values: what formulas of them are worth, without lowering anything."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from typing import Any

from multibody.errors import ModelError
from multibody.model.expressions import (
    CONSTANTS,
    Expression,
    ExpressionError,
    Number,
    check_calls,
    components,
    evaluate,
    name,
    names,
    postorder,
    substitute,
)
from multibody.model.model import Model, Parameter, caret
from multibody.model.paths import AXES, component, vector_size
from multibody.model.values import Vector, check_limits, from_expression

PARAMETERS = frozenset({"parameter"})


def circle(graph: Mapping[str, Collection[str]]) -> list[str]:
    """Return the names of a circle of dependences, each depending on the next, closed; empty if there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        found: list[str] = error.args[1]
        return found[::-1]
    return []


class ParameterScope:
    """Sizes and values of the parameters of a model.

    Parameters
    ----------
    model : Model
    broken : collection of str
        Names whose definition failed before; what depends on them is not judged.

    Attributes
    ----------
    sizes : dict
        Number of components of each parameter, 0 for a number.
    values : dict
        Value of each scalar slot, ``("l2",)`` or ``("pA", "x")``. Formulas that use tables have none.
    formulas : dict
        Number or formula of each scalar slot, in an order in which each depends only on earlier ones.
    unknown : set of str
        Names about which nothing can be said: the broken ones, those at fault and those that depend on them.
    errors : list of ModelError
        What is wrong with the parameters.
    """

    def __init__(self, model: Model, broken: Collection[str] = ()) -> None:
        self.model = model
        self.sizes: dict[str, int] = {}
        self.values: dict[tuple[str, ...], float] = {}
        self.formulas: dict[tuple[str, ...], Number] = {}
        self.unknown = set(broken)
        self.errors: list[ModelError] = []
        for item in self._order():
            self._declare(model.parameters[item])

    def _order(self) -> list[str]:
        """Return the parameters so that each depends only on earlier ones; none at all if they go in a circle."""
        known = self.model.parameters
        graph = {item: [used for used in _first_names(p.value) if used in known] for item, p in known.items()}
        found = circle(graph)
        if not found:
            return list(TopologicalSorter(graph).static_order())
        problem = f"it depends on itself ({' → '.join(found)})"
        self.errors.append(ModelError(problem, where=f"parameters.{found[0]}", hint="break the circle"))
        self.unknown.update(known)
        return []

    def _declare(self, parameter: Parameter) -> None:
        """Note the size and the values of a parameter, or what is wrong with it."""
        item, value = parameter.name, parameter.value
        where = f"parameters.{item}"
        if item in self.unknown or any(used in self.unknown for used in _first_names(value)):
            self.unknown.add(item)
            return
        try:
            for part in value if isinstance(value, tuple) else (value,):
                self.check_names(part, where, PARAMETERS)
            reduced = self.vector(value, None, where) if isinstance(value, tuple) else self.reduced(value, where)
            self.sizes[item] = len(reduced) if isinstance(reduced, tuple) else 0
            for k, number in enumerate(reduced if isinstance(reduced, tuple) else (reduced,)):
                self._evaluate(parameter, (item, AXES[k]) if isinstance(reduced, tuple) else (item,), number)
        except ModelError as error:
            self.errors.append(error)
            self.unknown.add(item)

    def _evaluate(self, parameter: Parameter, path: tuple[str, ...], number: Number) -> None:
        """Note one value; refuse it outside the parameter's limits."""
        where = f"parameters.{parameter.name}"
        self.formulas[path] = number
        value = self.value(number, where)
        if value is None:
            return
        self.values[path] = value
        check_limits(parameter.name, value, parameter.min, parameter.max)

    def size(self, parts: tuple[str, ...]) -> int:
        """Return how many components a name has, 0 for a scalar: of a vector parameter, a point, a force."""
        if parts[0] in self.model.parameters or parts in CONSTANTS:
            return self.sizes.get(parts[0], 0) if len(parts) == 1 else 0
        return vector_size(self.model, parts)

    def check_names(self, formula: Number, where: str, allowed: frozenset[str], *, results: bool = False) -> None:
        """Raise for the first name of a formula that does not exist or may not stand there; the error has a caret."""
        if not isinstance(formula, Expression):
            return
        for node in postorder(formula):
            if node.op != "name":
                continue
            if node.args[0] in self.model.parameters:
                self._check_parameter(node, where)
                continue
            if self.size(node.args):
                node = Expression("name", component(node.args, AXES[0]))
            self.model.check_paths(node, where, allowed, results=results)

    def _check_parameter(self, node: Expression, where: str) -> None:
        """Raise for a component that a parameter does not have."""
        first, *rest = node.args
        size = self.sizes.get(first, 0)
        if not rest or (len(rest) == 1 and rest[0] in AXES[:size]):
            return
        word = f"a vector of {size}" if size else "a number"
        hint = f"it has {', '.join(f'{first}.{axis}' for axis in AXES[:size])}" if size else f"write {first}"
        raise ModelError(f'parameter "{first}" is {word}', where=where, hint=hint, detail=caret(node, node.args))

    def reduced(self, formula: Number, where: str) -> Number | tuple[Number, ...]:
        """Return the scalar components of a formula, a tuple for a vector; mixed shapes are errors."""
        if not isinstance(formula, Expression):
            return float(formula)
        try:
            found = components(check_calls(formula, self.model.tables), self.size)
        except ExpressionError as error:
            raise from_expression(error, where) from None
        return tuple(_spelled(part) for part in found) if isinstance(found, tuple) else _spelled(found)

    def scalar(self, formula: Number, where: str) -> Number:
        """Return a formula that must be a number, its vector algebra expanded."""
        found = self.reduced(formula, where)
        if isinstance(found, tuple):
            hint = "a number is needed; take a component such as .x"
            raise ModelError(f"{formula} is a vector", where=where, hint=hint)
        return found

    def vector(self, value: Vector, size: int | None, where: str) -> tuple[Number, ...]:
        """Return the components of a vector; `size` says how many it must have, None: any number."""
        if isinstance(value, tuple):
            return tuple(self.scalar(item, where) for item in value)
        found = self.reduced(value, where)
        if not isinstance(found, tuple):
            raise ModelError(f"{value} is a number", where=where, hint="a vector is needed")
        if size is not None and len(found) != size:
            raise ModelError(f"{value} has {len(found)} components", where=where, hint=f"{size} are needed")
        return found

    def value(self, number: Number, where: str) -> float | None:
        """Return the value of a scalar formula of parameters; None if it hangs on a table or on an unknown name."""
        if not isinstance(number, Expression):
            return float(number)
        try:
            found = float(evaluate(number, self.values.__getitem__))
        except (KeyError, ExpressionError):
            return None
        if not math.isfinite(found):
            raise ModelError(f"{number} is not a finite number", where=where, hint="check the parameters it uses")
        return found

    def numeric(self, vector: Sequence[Number], where: str = "") -> tuple[float, ...]:
        """Return the values of several formulas, NaN where one has none."""
        found = (self.value(item, where) for item in vector)
        return tuple(math.nan if item is None else item for item in found)


def _spelled(formula: Number) -> Number:
    """Return a formula with components of rates as paths have them: ``rod.tip.x.rate`` for ``rod.tip.rate.x``."""
    turned = {
        parts: name(*component(parts[:-1], parts[-1]))
        for parts in names(formula)
        if len(parts) > 2 and parts[-1] in AXES and parts[-2] in ("rate", "acceleration")
    }
    return substitute(formula, turned) if turned else formula


def _first_names(value: Any) -> set[str]:
    """Return the first parts of all names that a parameter's value uses, constants aside."""
    parts = value if isinstance(value, tuple) else (value,)
    return {path[0] for part in parts for path in names(part) if path not in CONSTANTS}
