"""What an event can be told beside its expression, and which sign changes it means."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from multibody.errors import ModelError, nearest
from multibody.model.expressions import CONSTANTS, Expression, Number, names
from multibody.model.paths import component, vector_size
from multibody.model.result_paths import resolve_result

if TYPE_CHECKING:
    from multibody.model.model import Model

DIRECTIONS: dict[Any, int] = {"falling": -1, "both": 0, "rising": 1, -1: -1, 0: 0, 1: 1}
FIELDS = ("terminal", "direction")


def check_event(options: Mapping[str, Any], where: str) -> None:
    """Refuse fields of an event that do not exist, and values that they do not take."""
    for key in options:
        if key not in FIELDS:
            hint = nearest(key, FIELDS) or "it takes when, terminal, direction"
            raise ModelError(f'unknown field "{key}"', where=where, hint=hint)
    terminal, direction = options.get("terminal", False), options.get("direction", 0)
    if not isinstance(terminal, bool):
        raise ModelError(f"{terminal!r} is not true or false", where=f"{where}.terminal", hint="write true or false")
    if isinstance(direction, bool | list | dict) or direction not in DIRECTIONS:
        hint = "it is rising, falling or both (1, -1 or 0)"
        raise ModelError(f"unknown direction {direction!r}", where=f"{where}.direction", hint=hint)


def crossing(event: Mapping[str, Any], where: str) -> tuple[Number, int]:
    """Return the expression whose zeros an event means, and their direction.

    A comparison means the instant at which it becomes true, unless a direction is stated: ``O > 1`` is ``O - 1``, rising.

    Parameters
    ----------
    event : mapping
        ``when``, and maybe ``direction``.
    where : str
        Its place, for error messages.
    """
    when, stated = event["when"], event.get("direction")
    direction = DIRECTIONS[0 if stated is None else stated]
    if not isinstance(when, Expression) or when.op not in ("<", "<=", ">", ">=", "==", "!="):
        return when, direction
    if when.op == "!=":
        raise ModelError("its comparison holds nearly everywhere", where=where, hint="write when the two are equal: ==")
    a, b = when.args
    formula = b - a if when.op in ("<", "<=") else a - b
    return formula, direction if when.op == "==" or stated is not None else 1


def refuse_terminal(event: Mapping[str, Any], where: str) -> None:
    """Refuse an event that should end a run, on what only results know."""
    if event.get("terminal"):
        hint = "watch a coordinate or a rate, or leave terminal out"
        raise ModelError("it names what only results know, so it cannot end a run", where=where, hint=hint)


def of_results(model: Model, formula: Number) -> bool:
    """Return whether an expression names what only results know: efforts, reactions, accelerations, outputs."""
    return any(
        parts[0] in model.outputs or parts[-1] == "acceleration" or _is_force(model, parts) for parts in _paths(model, formula)
    )


def needs_forces(model: Model, formula: Number) -> bool:
    """Return whether an expression names efforts, reactions or energies, itself or by an output."""
    return any(
        needs_forces(model, model.outputs[parts[0]]) if parts[0] in model.outputs else _is_force(model, parts)
        for parts in _paths(model, formula)
    )


def _paths(model: Model, formula: Number) -> list[tuple[str, ...]]:
    """Return the names of a formula that are no constants and no parameters."""
    return [parts for parts in names(formula) if parts not in CONSTANTS and parts[0] not in model.parameters]


def _is_force(model: Model, parts: tuple[str, ...]) -> bool:
    """Return whether a path is an effort, a reaction, a load, an energy or a momentum."""
    try:
        return resolve_result(model, component(parts, "x") if vector_size(model, parts) else parts, "") is not None
    except ModelError:
        return False
