"""Where an analysis starts, as a user gives it: a state, values by path, or nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import numpy as np

from multibody.arguments import short
from multibody.errors import ModelError
from multibody.model.changes import copied
from multibody.model.forces import coordinate_text
from multibody.model.model import Model
from multibody.state.state import State
from multibody.state.system import Floats, System, tables_of
from multibody.tables.lower import Tables, same_structure

_Model = TypeVar("_Model", bound=Model)


def given(model: _Model, initial: Any, where: str = "initial") -> tuple[_Model, State | None]:
    """Return the model to be analyzed and the state that it starts from.

    Parameters
    ----------
    model : Model
    initial : State, mapping or None
        A state of this model; or values by path, ``{"O": 0.3, "O.rate": 15}``, which are held exactly, as
        ``model.initial(...)`` holds them, in place of the model's own values of the same coordinates.
    where : str
        The argument, for messages.

    Returns
    -------
    model : Model
        The same; with values by path a copy that has them.
    state : State or None
        Fit for the model's tables, with arrays of its own; None where assembly begins with the model's own values.
    """
    if initial is None:
        return model, None
    if isinstance(initial, Mapping):
        return with_values(model, initial), None
    if isinstance(initial, State):
        return model, adopted(initial, tables_of(model), where)
    for owner, attribute in (("Run", "final"), ("Equilibrium", "state"), ("Modes", "state"), ("Simulator", "state")):
        if type(initial).__name__ == owner:
            raise ModelError(f"a {owner} is not a state", where=where, hint=f"give its .{attribute}")
    hint = 'give a state (assemble(), run.final), or values by path: {"O": 0.3, "O.rate": 15}'
    raise ModelError(f"{short(initial)} is not a state", where=where, hint=hint)


def with_values(model: _Model, values: Mapping[Any, Any]) -> _Model:
    """Return a copy of the model with other initial values; its own values and guesses of the same coordinates go."""
    made = copied(model)
    for path in values:
        text = coordinate_text(path, "initial")
        for group in (made.initials, made.guesses):
            for key in [key for key in group if made.same_path(key, text)]:
                del group[key]
    made.initial(values)
    return made


def adopted(state: State, tables: Tables, where: str) -> State:
    """Return a state for given tables of the model that it belongs to, perhaps with other parameters, motions or outputs."""
    old = state.tables
    if list(old.bodies) != list(tables.bodies) or list(old.extras) != list(tables.extras) or old.dimension != tables.dimension:
        raise ModelError("it belongs to another model", where=where, hint="give a state of this model")
    if not (np.all(np.isfinite(state.q)) and np.all(np.isfinite(state.v))):
        raise ModelError("it has a number that is not finite", where=where, hint="give finite positions and velocities")
    q, v = np.array(state.q), np.array(state.v)
    return State(tables, state.t, q, v, _references(state, tables, q), state.branch, state.status, list(state.history))


def _references(state: State, tables: Tables, q: Floats) -> Floats:
    """Return the angle references for other tables: the same coordinates keep their turns, new ones take them from q."""
    old = state.tables
    if same_structure(old.packed, tables.packed):
        return np.array(state.references)
    system = System(tables)
    kept = {index: old.coordinates[key] for key, index in tables.coordinates.items() if key in old.coordinates}
    if list(old.ends) == list(tables.ends):  # functions without a name belong to joints, which are lowered first
        named = {*tables.coordinates.values(), *old.coordinates.values()}
        kept |= {k: k for k in range(min(len(system.ref), len(state.references))) if k not in named}
    for new, index in kept.items():
        system.ref[new] = state.references[index]
    system.take_references(q)
    return system.ref.copy()
