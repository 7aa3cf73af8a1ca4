"""A study from a file or from a store, as far as it came."""

from __future__ import annotations

import json
import math
import pathlib
from typing import Any

import numpy as np

from multibody.errors import ModelError
from multibody.results.stored import read_whole
from multibody.study.conduct import Book
from multibody.study.distributions import Floats
from multibody.study.members import FAILED, WAITING
from multibody.study.result import About, Study
from multibody.study.store import MANIFEST, Store, chunk_of, read_manifest, read_plan

WRITTEN_ONLY = (".csv", ".parquet", ".json")  # tables for other programs


def read_study(place: pathlib.Path) -> Study:
    """Return the study of a ``.nc`` file or of the folder of a store."""
    try:
        folder = place.is_dir()
    except OSError as error:
        raise ModelError(f"it cannot be reached ({error.strerror})", file=str(place), hint="name another file") from None
    if not folder and place.suffix.lower() in WRITTEN_ONLY:
        hint = "name a .nc file, or the folder of a store"
        raise ModelError(f"studies are not read back from {place.suffix.lower()} files", file=str(place), hint=hint)
    return _of_store(place) if folder else _of_file(place)


def _of_store(place: pathlib.Path) -> Study:
    """Return what a store holds so far."""
    found = read_manifest(place)
    try:
        values = read_plan(place, found["digests"]["plan"], tuple(found["about"]["keys"]))
        about = about_of(found["about"], values)
        store = Store(place, str(found["digest"]), chunk_of(found), len(values))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, EOFError):
        raise ModelError("the store is damaged", file=str(place / MANIFEST), hint="compute the study anew") from None
    book = Book.blank(values, len(about.outputs), store.size, store, None)
    return Study(about, book.values, book.outputs, book.status, book.messages)


def about_of(plain: dict[str, Any], values: Floats) -> About:
    """Return what a study was asked from plain data; a ValueError if that cannot be."""
    fields: Any = {key: tuple(value) if isinstance(value, list) else value for key, value in plain.items()}
    made = About(**fields)
    words = (made.name, made.method, made.analysis, made.model_text)
    groups = ((made.keys, made.ranges, made.key_units), (made.outputs, made.texts, made.units))
    for group in groups:
        if len({len(part) for part in group}) != 1 or not all(isinstance(text, str) for part in group for text in part):
            raise ValueError("names")
    if not all(isinstance(word, str) for word in words) or not isinstance(made.seed, int) or not isinstance(made.options, dict):
        raise ValueError("words")
    if values.shape != (len(values), len(made.keys)) or (made.shape and math.prod(made.shape) != len(values)):
        raise ValueError("shapes")
    if made.shape and len(made.shape) != len(made.keys):
        raise ValueError("grid")
    return made


def _of_file(file: pathlib.Path) -> Study:
    """Return the study of a netCDF file."""
    data = read_whole(str(file))
    try:
        values, outputs, status = (np.array(data[key].values).astype(float) for key in ("values", "outputs", "status"))
        about = about_of(json.loads(data.attrs["study"]), values)
        said = {int(k): str(text) for k, text in json.loads(data.attrs["messages"]).items()}
        if outputs.shape != (len(values), len(about.outputs)) or status.shape != (len(values),):
            raise ValueError("shapes")
        if not np.all((status >= 0) & (status <= max(WAITING, FAILED))):
            raise ValueError("status")
    except (KeyError, ValueError, TypeError, AttributeError):
        raise ModelError("it holds no study", file=str(file), hint="name a file that study.save wrote") from None
    return Study(about, values, outputs, status.astype(np.int8), said)
