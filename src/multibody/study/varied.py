"""A model in which everything that a study varies is a parameter: components of vectors and initial values too.

What is varied is then one kind of thing, and a member is the same tables with other numbers; nothing is lowered again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from multibody.analyses.given.initial import given
from multibody.errors import ModelError
from multibody.model.changes import copied
from multibody.model.expressions import Expression, name
from multibody.model.items import Parameter
from multibody.model.model import Model
from multibody.state.state import State
from multibody.study.entries import is_initial, path_of
from multibody.tables.scope import Scope


def varied_model(model: Model, keys: Sequence[str], initial: Any) -> tuple[Model, tuple[str, ...], State | None]:
    """Return the model with a parameter for every key, the names of these parameters, and the state that it starts from.

    Parameters
    ----------
    model : Model
    keys : sequence of str
        What is varied, as :func:`multibody.study.entries.check_key` returns it.
    initial : State, mapping or None
        Where every member starts; initial values that are varied take the place of the same ones here.
    """
    starts = [key for key in keys if is_initial(model, key)]
    if starts and initial is not None and not isinstance(initial, Mapping):
        hint = 'give the other initial values by path, initial={"O": 0.3}, or leave them out'
        raise ModelError("a state is given to start from", where=f"study.{starts[0]}", hint=hint)
    made, state = given(copied(model), initial)
    names = {key: _new_parameter(made, key) for key in starts}
    if starts:
        made, _ = given(made, {path_of(key): name(names[key]) for key in starts})
    for key in keys:
        if key not in names:
            owner, _, axis = key.partition(".")
            names[key] = _component(made, owner, axis) if axis else owner
    made._lowered = None
    return made, tuple(names[key] for key in keys), state


def _new_parameter(model: Model, key: str, value: float = 0.0, **limits: Any) -> str:
    """Add a parameter under a name that nothing else has, and return that."""
    text = key.replace(".", "_")
    while text in model.all_names():
        text += "_"
    model.parameters[text] = Parameter(text, value, **limits)
    return text


def _component(model: Model, owner: str, axis: str) -> str:
    """Make one component of a vector parameter a parameter of its own, and return its name."""
    old = model.parameters[owner]
    own = Scope(model).values[owner, axis]  # the model has to make sense as it is
    text = _new_parameter(model, f"{owner}.{axis}", own, min=old.min, max=old.max)
    letters = "xyz"[: model.vector_size((owner,))]
    written = isinstance(old.value, tuple)
    parts = {x: old.value[k] if written else getattr(old.value, x) for k, x in enumerate(letters)}
    parts[axis] = Expression("name", (text,))
    model.parameters[owner] = replace(old, value=tuple(parts[x] for x in letters))
    return text
