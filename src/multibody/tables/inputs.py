"""Expressions of time and state as formulas of numbered inputs: values and rates of functions, angular velocities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from multibody.errors import ModelError
from multibody.kernels import codes as L
from multibody.model.expressions import Expression, Number, fold, names, substitute
from multibody.model.paths import Path
from multibody.model.validate import LAW
from multibody.tables.programs import coordinate

if TYPE_CHECKING:
    from multibody.tables.build import Builder

Item = tuple[int, int]  # code and index of a program's input


def reduced(builder: Builder, expression: Number, where: str) -> Number:
    """Return an expression of a law with its names checked and its vector algebra expanded."""
    checked = builder.model.formula(expression, where)
    builder.scope.check_names(checked, where, LAW)
    return builder.scope.formula(checked, where)


def reduced_vector(builder: Builder, expression: Expression, count: int, where: str) -> list[Number]:
    """Return the components of a formula of vectors, which must be so many."""
    builder.scope.check_names(expression, where, LAW)
    found = builder.scope.reduced(expression, where)
    if not isinstance(found, tuple) or len(found) != count:
        word = f"has {len(found)} components" if isinstance(found, tuple) else "is a number"
        raise ModelError(f"{expression} {word}", where=where, hint=f"{count} components are needed")
    return [fold(part) for part in found]


def is_number(builder: Builder, formula: Number) -> bool:
    """Return whether a formula depends on parameters alone."""
    return all(builder.scope.knows(parts) for parts in names(formula))


def _item(builder: Builder, path: Path, where: str) -> Item:
    """Return the input that a path is."""
    if path.kind == "omega":
        if path.owner not in builder.placement.index:
            hint = "use the omega of its bodies, which is in ground axes"
            raise ModelError(f'"{path.text}" cannot stand in an expression', where=where, hint=hint)
        return L.INPUT_OMEGA + path.axis, builder.placement.index[path.owner]
    function = builder.function_of(Path(path.kind, path.owner, path.item, path.axis, 0, path.text))
    return (L.INPUT_RATE if path.order else L.INPUT_VALUE), function


def on_inputs(builder: Builder, formulas: Sequence[Number], where: str) -> tuple[list[Number], tuple[Item, ...]]:
    """Return the formulas with their paths replaced by coordinates 1, 2, …, and the inputs these are."""
    mapping: dict[tuple[str, ...], Number] = {}
    items: list[Item] = []
    for parts in sorted(set().union(*(names(formula) for formula in formulas))):
        if builder.scope.knows(parts) or parts == ("t",):
            continue
        item = _item(builder, builder.model.resolve(parts, where), where)
        if item not in items:
            items.append(item)
        mapping[parts] = coordinate(items.index(item) + 1)
    return [substitute(formula, mapping) for formula in formulas], tuple(items)
