"""Reading results by path: what a user may write between the brackets, and arrays that cannot change a result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from multibody.arguments import short
from multibody.errors import ModelError
from multibody.model.expressions import Expression
from multibody.model.paths import component_names
from multibody.state.state import sealed

__all__ = ["labels_of", "number_or_array", "owned", "path_text", "sealed", "several"]


def path_text(path: Any) -> str:
    """Return a path or an expression of paths as text: from text, from an expression or from a joint with one coordinate."""
    if isinstance(path, str):
        return path
    if isinstance(path, Expression):
        return str(path)
    reference = getattr(path, "reference", None)
    if isinstance(reference, str):
        return reference
    hint = 'give text such as "slider.x" or "O.rate"; several of them, as in ["O", "O.rate"], come together'
    raise ModelError(f"{short(path)} is not a path", hint=hint)


def several(path: Any) -> list[str] | None:
    """Return the paths where several are asked for, None for a single one."""
    if not isinstance(path, tuple | list):
        return None
    if not path:
        raise ModelError("no path is given", hint='give text such as "slider.x"')
    return [path_text(item) for item in path]


def labels_of(text: str, count: int) -> list[str]:
    """Return names for the numbers that a path or an expression has at an instant.

    Parameters
    ----------
    text : str
    count : int
        How many: components of a path get its letters, those of an expression their number.
    """
    if count == 1:
        return [text]
    plain = all(part.isidentifier() for part in text.split("."))
    return component_names(text, count) if plain else [f"{text} [{k}]" for k in range(count)]


def number_or_array(value: Any) -> Any:
    """Return the value of a path at one instant: a number, or an array that belongs to the caller."""
    return float(value) if np.ndim(value) == 0 else np.array(value)


def owned(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return columns of a dataset, ``(dimensions, values, attributes)``, whose values belong to the dataset alone."""
    return {key: (column[0], np.array(column[1]), *column[2:]) for key, column in columns.items()}
