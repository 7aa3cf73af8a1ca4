"""Recipes: models that come as files, each with a page of the documentation that works with it.

A recipe is a model file in the folder ``recipes``; its name is the file's, and the comment at its top says what it is.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from importlib import resources
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from multibody import Model


def recipes() -> list[str]:
    """Return the names of all recipes, sorted."""
    return sorted(_files())


def text_of(name: str) -> str:
    """Return the model file of a recipe."""
    return _files()[name].read_text(encoding="utf-8")


def recipe(name: str) -> Callable[..., Model]:
    """Return the function that builds the model of a recipe; its keyword arguments are the parameters of the file."""

    def build(**parameters: Any) -> Model:
        from multibody import load

        with resources.as_file(_files()[name]) as file:
            return load(str(file), **parameters)

    build.__doc__ = "\n".join(_comment(name))
    return build


def _comment(name: str) -> list[str]:
    """Return the lines of the comment at the top of a recipe's file."""
    lines = text_of(name).splitlines()
    length = next(k for k, line in enumerate(lines) if not line.startswith("#"))
    return [line.removeprefix("#").strip() for line in lines[:length]]


@functools.cache
def _files() -> dict[str, Traversable]:
    """Return the files of the recipes by name."""
    folder = resources.files("multibody.library") / "recipes"
    return {file.name.removesuffix(".yaml"): file for file in folder.iterdir() if file.name.endswith(".yaml")}
