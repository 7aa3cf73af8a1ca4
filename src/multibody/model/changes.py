"""Changes of a model in place, copies of it, and whether it is still the one that was lowered.

Items never change, so that a copy shares them and two models are compared by looking whether they hold the same items.
"""

from __future__ import annotations

import copy
import operator
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from multibody.arguments import ModelAttributeError, no_attribute, short
from multibody.errors import ModelError
from multibody.model.body import Body, make_body
from multibody.model.expressions import Expression
from multibody.model.forces import Force, read_force
from multibody.model.geometry import Frame, Orientation, read_frame
from multibody.model.items import Guess, Parameter, read_parameter
from multibody.model.joints import Joint, read_joint
from multibody.model.tables import Table, read_table
from multibody.model.units import read_units
from multibody.model.values import read_number, read_vector

if TYPE_CHECKING:
    from multibody.model.model import Model

_M = TypeVar("_M", bound="Model")

GROUPS = (
    "parameters", "tables", "ground_frames", "bodies", "joints", "forces", "motions", "initials", "guesses", "outputs",
    "output_units", "events", "defaults",
)  # fmt: skip
_ITEMS = tuple(group for group in GROUPS if group not in ("events", "defaults"))  # which a copy shares item by item
NUMBERS = (float, Expression)
SINGLE = ("name", "dimension", "units", "gravity", "length")


def assigned(model: Model, attribute: str, value: Any) -> Any:
    """Return what ``model.attribute = value`` stores: read and checked like an argument of the constructor."""
    if attribute.startswith("_") or not type(model).__module__.startswith("multibody."):
        return value
    if attribute == "dimension" and "dimension" in vars(model):
        hint = f"make a new one with dimension={value!r}"
        raise ModelAttributeError("the dimension of a model cannot be changed", where=model.name, hint=hint)
    if attribute == "name" and not isinstance(value, str):
        raise ModelError(f"{short(value)} is not a name", where="name", hint='give text, as in mb.Model("slider-crank")')
    if attribute == "gravity":
        return None if value is None else read_vector(value, model.dimension, "gravity")
    if attribute == "length":
        return None if value is None else read_number(value, "length")
    if attribute == "units":
        return read_units(value)
    if attribute in GROUPS:
        if not isinstance(value, Mapping):
            raise ModelError(f"{short(value)} is not a mapping", where=attribute, hint="give items by their names")
        return dict(value)
    if attribute not in SINGLE:
        refuse_attribute(model, attribute)
    return value


def refuse_attribute(model: Model, attribute: str) -> Any:
    """Raise for an attribute that a model does not have, or that is one of its verbs."""
    verbs = [name for name in dir(type(model)) if not name.startswith("_")]
    if attribute in verbs:
        raise ModelAttributeError(f'"{attribute}" cannot be assigned', where=vars(model).get("name", ""), hint="it is a verb")
    no_attribute("a model", attribute, [*SINGLE, *GROUPS, *verbs])


def copied(model: _M) -> _M:
    """Return an independent model with the same items."""
    made = object.__new__(type(model))
    for key, value in vars(model).items():
        if key in GROUPS:
            value = {name: _shallow(item) for name, item in value.items()}
        elif key == "_defaults":
            value = copy.deepcopy(value)
        object.__setattr__(made, key, value)
    return made


def _shallow(item: Any) -> Any:
    """Return an event as a dictionary of its own; everything else never changes."""
    return dict(item) if type(item) is dict else item


def same(model: Model, other: Model) -> bool:
    """Return whether two models hold the same: nothing was changed since the one was copied from the other."""
    if any(getattr(model, key) != getattr(other, key) for key in SINGLE):
        return False
    groups = [(getattr(model, key), getattr(other, key)) for key in GROUPS]
    return all(mine == theirs and list(mine) == list(theirs) for mine, theirs in groups)


def untouched(model: Model, other: Model) -> bool:
    """Return whether a model holds the very items of its copy, which have all been read: nothing is left to settle."""
    if any(getattr(model, key) != getattr(other, key) for key in SINGLE):
        return False
    mine, theirs = vars(model), vars(other)
    for key in _ITEMS:
        own, items = mine[key], theirs[key]
        if list(own) != list(items) or not all(map(operator.is_, own.values(), items.values())):
            return False
    return bool(mine["events"] == theirs["events"] and mine["_defaults"] == theirs["_defaults"])


def settle(model: Model) -> None:
    """Read what was put into the model's dictionaries by hand, as the verbs would have; what cannot be read is refused."""
    readers: dict[str, tuple[Any, Callable[[Model, str, Any], Any]]] = {
        "parameters": (Parameter, _parameter), "tables": (Table, _table), "ground_frames": (Frame, _frame),
        "bodies": (Body, _body), "joints": (Joint, _joint), "forces": (Force, _force),
        "motions": (NUMBERS, _formula("motions")), "outputs": (NUMBERS, _formula("outputs")),
        "initials": ((*NUMBERS, Orientation), _initial), "guesses": (Guess, _guess), "events": ((), _event),
    }  # fmt: skip
    for group, (kinds, read) in readers.items():
        items = getattr(model, group)
        for name, item in items.items():
            named = not isinstance(item, NUMBERS)  # of a formula every attribute is a question
            if not isinstance(item, kinds) or (named and getattr(item, "name", name) != name):
                items[name] = read(model, name, item)


def _renamed(item: Any, name: str) -> Any:
    """Return an item under the name by which it was put into the model."""
    return replace(item, name=name)


def _read(noun: str, kind: type, item: Any, name: str, reader: Callable[[], Any]) -> Any:
    """Return an item of a kind, or a mapping as a file has it."""
    if isinstance(item, kind):
        return _renamed(item, name)
    if isinstance(item, Mapping):
        return reader()
    where = f"{'bodies' if noun == 'body' else f'{noun}s'}.{name}"
    raise ModelError(f"{short(item)} is not a {noun}", where=where, hint="use the verb of the model that adds one")


def _body(model: Model, name: str, item: Any) -> Any:
    return _read("body", Body, item, name, lambda: make_body(name, model.dimension, **item))


def _joint(model: Model, name: str, item: Any) -> Any:
    return _read("joint", Joint, item, name, lambda: read_joint(name, dict(item), model.dimension))


def _force(model: Model, name: str, item: Any) -> Any:
    return _read("force", Force, item, name, lambda: read_force(name, dict(item), model.dimension))


def _table(model: Model, name: str, item: Any) -> Any:
    return _read("table", Table, item, name, lambda: read_table(name, item))


def _frame(model: Model, name: str, item: Any) -> Any:
    return read_frame(item, model.dimension, f"ground.{name}")


def _parameter(model: Model, name: str, item: Any) -> Any:
    return _renamed(item, name) if isinstance(item, Parameter) else Parameter(name, read_parameter(item, f"parameters.{name}"))


def _formula(group: str) -> Callable[[Model, str, Any], Any]:
    return lambda model, name, item: model.formula(item, f"{group}.{name}")


def _initial(model: Model, name: str, item: Any) -> Any:
    return model.initial_value(item, f"initial.{name}")


def _guess(model: Model, name: str, item: Any) -> Any:
    return model.guess_value(item, f"guess.{name}")


def _event(model: Model, name: str, item: Any) -> Any:
    if type(item) is dict and isinstance(item.get("when"), NUMBERS):
        return item
    given = dict(item) if isinstance(item, Mapping) else {"when": item}
    if "when" not in given:
        raise ModelError('"when" is missing', where=f"events.{name}", hint="give the expression whose zeros are looked for")
    return {**given, "when": model.formula(given["when"], f"events.{name}")}
