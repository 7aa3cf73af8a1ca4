"""Writing a model: plain data that reads back as the same model, formulas and all."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from multibody._target import write_whole
from multibody.errors import ModelError, nearest
from multibody.files.include import FORMATS
from multibody.files.yaml12 import write_yaml
from multibody.model.geometry import Orientation
from multibody.model.model import Guess, InitialValue, Model
from multibody.model.units import Units
from multibody.model.values import write_value

__all__ = ["known_text", "model_text", "model_to_plain", "write_file"]


def model_to_plain(model: Model) -> dict[str, Any]:
    """Return a model as the data of a file.

    Parameters
    ----------
    model : Model

    Returns
    -------
    dict
        Text, numbers, booleans, lists and maps; what is empty or as by default is left out. ``repeat`` and ``include``
        are written out as the items they stand for.
    """
    data: dict[str, Any] = {"name": model.name, "dimension": model.dimension}
    if model.units != Units():
        data["units"] = model.units.plain()
    if model.gravity is not None:
        data["gravity"] = write_value(model.gravity)
    if model.length is not None:
        data["length"] = write_value(model.length)
    sections: dict[str, dict[str, Any]] = {
        "parameters": {key: item.plain() for key, item in model.parameters.items()},
        "tables": {key: item.plain() for key, item in model.tables.items()},
        "ground": {key: item.plain() for key, item in model.ground_frames.items()},
        "bodies": {key: item.plain() for key, item in model.bodies.items()},
        "joints": {key: item.plain() for key, item in model.joints.items()},
        "forces": {key: item.plain() for key, item in model.forces.items()},
        "motions": {key: write_value(item) for key, item in model.motions.items()},
        "initial": {key: _initial(item) for key, item in model.initials.items()},
        "guess": {key: _guess(item) for key, item in model.guesses.items()},
        "outputs": {key: _output(model, key) for key in model.outputs},
        "events": {key: {k: write_value(v) for k, v in item.items()} for key, item in model.events.items()},
        **{verb: dict(options) for verb, options in model.defaults.items()},
    }
    return data | {key: section for key, section in sections.items() if section}


def _output(model: Model, key: str) -> Any:
    """Return an output, with its unit where that is stated."""
    value, unit = write_value(model.outputs[key]), model.output_units.get(key)
    return value if unit is None else {"value": value, "unit": unit}


def _initial(value: InitialValue) -> Any:
    """Return a held value: a number, a formula or an orientation."""
    return value.plain() if isinstance(value, Orientation) else write_value(value)


def _guess(guess: Guess) -> Any:
    """Return a guess, with its weight where that is not 1."""
    value = _initial(guess.value)
    return value if guess.weight == 1.0 else {"value": value, "weight": write_value(guess.weight)}


def write_file(model: Model, path: str | os.PathLike[str]) -> None:
    """Write a model to a file.

    Parameters
    ----------
    model : Model
    path : path
        Ends in ``.yaml``, ``.yml`` or ``.json``, which says how it is written.

    Raises
    ------
    ModelError
        If the ending is another one, or the model holds something that a file cannot.
    """
    file = Path(path)
    form = FORMATS.get(file.suffix.lower())
    if form is None:
        hint = f"{nearest(file.suffix, FORMATS)} A model file ends in {', '.join(FORMATS)}.".strip()
        raise ModelError(f'unknown ending "{file.suffix}"', file=str(path), hint=hint)
    data = model_to_plain(model)
    yaml = write_yaml(data)  # also for JSON: it refuses, with the place, what a file cannot hold
    text = json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False) + "\n" if form == "json" else yaml
    write_whole(file, text.encode())


def model_text(model: Model) -> str:
    """Return a model as the text of a YAML file.

    Raises
    ------
    ModelError
        If the model holds something that a file cannot.
    """
    return write_yaml(model_to_plain(model))


def known_text(model: Model) -> str:
    """Return a model as the text of a YAML file; nothing where it holds something that a file cannot."""
    try:
        return model_text(model)
    except ModelError:
        return ""
