"""Expressions whose zeros a run looks for: the model's events and the points where formulas may jump."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from multibody.errors import ModelError
from multibody.model.events import check_event, crossing, refuse_terminal
from multibody.model.expressions import Expression, Number, children, names, postorder, switches
from multibody.model.model import Model
from multibody.model.validate import MEASURE
from multibody.tables.inputs import Item, is_number, on_inputs, reduced
from multibody.tables.programs import coordinate

if TYPE_CHECKING:
    from multibody.tables.build import Builder


class Watch(NamedTuple):
    """A watched expression: the event's name or what owns the switching point, its kind and what its zeros do.

    `kind` is ``event`` or ``switch``; `direction` is 1 for zeros passed upwards, −1 downwards, 0 both.
    """

    name: str
    kind: str
    terminal: bool
    direction: int


@dataclass(frozen=True)
class Watched:
    """A watched expression before it is packed."""

    watch: Watch
    formula: Number
    items: tuple[Item, ...]


def watch_switches(
    watched: list[Watched], owner: str, formula: Number, items: tuple[Item, ...], also: Sequence[Expression] = ()
) -> None:
    """Watch the points where a formula of t and its inputs may jump, and others of it that are given, each once."""
    inputs = {("t",), *(coordinate(k + 1).args for k in range(len(items)))}
    for switch in [*switches(formula), *also]:
        entry = Watched(Watch(owner, "switch", False, 0), switch, items)
        if names(switch) & inputs and not any(entry.formula == w.formula and items == w.items for w in watched):
            watched.append(entry)


def check_result_event(builder: Builder, name: str, given: dict[str, Any]) -> bool:
    """Check an event on what only results know, which a run does not watch; return False."""
    where = f"events.{name}"
    refuse_terminal(given, where)
    builder.scope.check_names(crossing(given, where)[0], where, MEASURE, results=True)
    return False


def table_kinks(formula: Number, model: Model) -> list[Expression]:
    """Return the distances from the kinks of tables: all knots of straight pieces, the ends of a curve that is held there."""
    found: list[Expression] = []
    for current in postorder(formula) if isinstance(formula, Expression) else []:
        if current.op == "table":
            table, (argument, *_) = model.tables[current.args[0]], children(current)
            if table.kind != "periodic":
                knots = table.x if table.kind == "linear" or len(table.x) == 2 else (table.x[0], table.x[-1])
                found += [difference for x in knots if isinstance(difference := argument - x, Expression)]
    return found


def event(builder: Builder, name: str, given: dict[str, Any]) -> Watched:
    """Return a model's event: an expression whose zeros a run locates."""
    where = f"events.{name}"
    check_event({key: value for key, value in given.items() if key != "when"}, where)
    when, direction = crossing(given, where)
    terminal = given.get("terminal", False)
    formula = reduced(builder, when, where)
    if is_number(builder, formula):
        raise ModelError("it never changes", where=where, hint="write an expression of t, coordinates or rates")
    (formula,), items = on_inputs(builder, (formula,), where)
    return Watched(Watch(name, "event", terminal, direction), formula, items)
