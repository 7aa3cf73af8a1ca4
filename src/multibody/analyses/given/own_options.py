"""Options that were not given come from the model's own: ``statics: {method: nearest}`` in a file."""

from __future__ import annotations

from typing import Any

from multibody.analyses.given.run_options import number_of
from multibody.model.model import Model
from multibody.options.verbs import VERBS


def own_options(model: Model, verb: str, **given: Any) -> dict[str, Any]:
    """Return the given options of a verb, with the model's own in place of None and formulas as their values.

    Parameters
    ----------
    model : Model
    verb : str
    **given
        Values by name; None where nothing was given.
    """
    own, catalog = model.defaults.of(verb), VERBS[verb]
    found = {key: own.get(key) if value is None else value for key, value in given.items()}
    for key, value in found.items():
        if isinstance(value, str) and key in catalog and catalog[key].kind == "number":
            found[key] = number_of(model, value, key, f"{verb}.{key}")
    return found
