"""The small items of a model: parameters and guesses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from multibody.errors import ModelError
from multibody.model.expressions import Number
from multibody.model.geometry import Orientation
from multibody.model.values import listed, read_number, read_vector, write_value

InitialValue = Number | Orientation


@dataclass(frozen=True)
class Parameter:
    """A named number, vector or formula of other parameters."""

    name: str
    value: Any  # Number or tuple of Numbers or a vector Expression
    unit: str | None = None
    doc: str = ""
    min: float | None = None
    max: float | None = None

    def plain(self) -> Any:
        """Return what a file has for it."""
        extra = {
            k: v
            for k, v in (("unit", self.unit), ("doc", self.doc), ("min", self.min), ("max", self.max))
            if v not in (None, "")
        }
        return {"value": write_value(self.value), **extra} if extra else write_value(self.value)


@dataclass(frozen=True)
class Guess:
    """A value that assembly starts from and stays near, with its weight."""

    value: InitialValue
    weight: Number = 1.0


def read_parameter(value: Any, where: str) -> Any:
    """Return the value of a parameter: a number or formula, or a vector of two or three."""
    value = listed(value)
    if isinstance(value, list | tuple):
        if len(value) not in (2, 3):
            raise ModelError(f"{len(value)} components", where=where, hint="a vector has 2 or 3")
        return read_vector(value, len(value), where)
    return read_number(value, where)
