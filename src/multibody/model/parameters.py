"""Changing parameters: a copy of the model with other values, its structure untouched."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

from multibody.model.changes import copied, same
from multibody.model.model import Model
from multibody.model.names import unknown
from multibody.model.values import check_limits, read_number, read_vector

_Model = TypeVar("_Model", bound=Model)


def changed(model: _Model, values: Mapping[str, Any]) -> _Model:
    """Return a copy of the model with other parameter values.

    Parameters
    ----------
    model : Model
    values : mapping
        Number, vector or formula by parameter name; limits are respected.

    Returns
    -------
    Model
        Of the same class. Where the tables were made already they are carried over, only the numbers change.
    """
    result = copied(model)
    plain = {}
    for name, value in values.items():
        if name not in model.parameters:
            raise unknown("parameter", name, model.parameters, f"parameters.{name}")
        old = model.parameters[name]
        where = f"parameters.{name}"
        if isinstance(old.value, tuple):
            new: Any = read_vector(value, len(old.value), where)
        else:
            new = read_number(value, where)
        check_limits(name, new, old.min, old.max)
        result.parameters[name] = replace(old, value=new)
        plain[name] = new
    numbers = [x for value in plain.values() for x in (value if isinstance(value, tuple) else (value,))]
    lowered, result._lowered = model._lowered, None
    if lowered is not None and same(model, lowered.model) and all(isinstance(x, float) for x in numbers):
        now = copied(result)
        result._lowered = now._lowered = lowered.with_parameters(plain, now)
    return result
