"""A study from a file or from a store, as far as it came."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import numpy as np

from multibody.errors import ModelError
from multibody.results.stored import read_whole
from multibody.study.conduct import Book
from multibody.study.members import FAILED, WAITING
from multibody.study.result import About, Study
from multibody.study.store import MANIFEST, PLAN, Store, read_manifest


def read_study(place: pathlib.Path) -> Study:
    """Return the study of a ``.nc`` file or of the folder of a store."""
    return _of_store(place) if place.is_dir() else _of_file(place)


def _of_store(place: pathlib.Path) -> Study:
    """Return what a store holds so far."""
    found = read_manifest(place)
    try:
        values = np.load(place / PLAN, allow_pickle=False)
        about = about_of(found["about"])
        store = Store(place, found["digest"], int(found["chunk"]), len(values))
    except (OSError, ValueError, KeyError, TypeError):
        raise ModelError("the store is damaged", file=str(place / MANIFEST), hint="compute the study anew") from None
    book = Book.blank(values, len(about.outputs), store.size, store, None)
    return Study(about, book.values, book.outputs, book.status, book.messages)


def about_of(plain: dict[str, Any]) -> About:
    """Return what a study was asked from plain data."""
    fields: Any = {key: tuple(value) if isinstance(value, list) else value for key, value in plain.items()}
    return About(**fields)


def _of_file(file: pathlib.Path) -> Study:
    """Return the study of a netCDF file."""
    data = read_whole(str(file))
    try:
        about = about_of(json.loads(data.attrs["study"]))
        said = {int(k): text for k, text in json.loads(data.attrs["messages"]).items()}
        values, outputs, status = (np.array(data[key].values) for key in ("values", "outputs", "status"))
        n = len(values)
        if outputs.shape != (n, len(about.outputs)) or values.shape != (n, len(about.keys)) or status.shape != (n,):
            raise ValueError("shapes")
        if not np.all((status >= 0) & (status <= max(WAITING, FAILED))):
            raise ValueError("status")
    except (KeyError, ValueError, TypeError):
        raise ModelError("it holds no study", file=str(file), hint="name a file that study.save wrote") from None
    return Study(about, values.astype(float), outputs.astype(float), status.astype(np.int8), said)
