"""Types of fields: how a value is read from Python or a file, written back, and described in the JSON Schema."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, SupportsFloat

from multibody.arguments import short
from multibody.errors import ModelError
from multibody.model.expressions import Expression, ExpressionError, Number, as_number

SMALLEST, LARGEST = 1e-100, 1e100  # products of three such numbers neither over- nor underflow

Vector = tuple[Number, ...] | Expression  # components, or one formula of vector parameters


class ArrayLike(Protocol):
    """A NumPy array, as far as a model is concerned."""

    def tolist(self) -> Any:
        """Return plain numbers in lists."""


class Referred(Protocol):
    """What a path can name: a body, a frame of one, a joint."""

    @property
    def reference(self) -> str:
        """The path."""


# What a user may write in Python; everything is read into the forms above.
NumberLike = SupportsFloat | str | Expression
VectorLike = Sequence[NumberLike] | ArrayLike | str | Number  # arithmetic on vectors has the type of that on numbers
EndLike = str | Referred
CoordinateLike = str | Referred | Expression


def read_number(value: object, where: str) -> Number:
    """Return a number or a formula; strings are formulas.

    Parameters
    ----------
    value : object
        int, float, string or expression.
    where : str
        Path for the error message.

    Returns
    -------
    float or Expression
    """
    if hasattr(value, "item") and getattr(value, "ndim", 1) == 0:
        value = value.item()  # a NumPy scalar
    if not isinstance(value, int | float | str | Expression):
        raise ModelError(f"{short(value)} is not a number", where=where, hint="give a number or a formula")
    if isinstance(value, bool):
        raise ModelError(f"{value} is true or false, not a number", where=where, hint="give a number or a formula")
    try:
        number = as_number(value)
    except ExpressionError as error:
        raise from_expression(error, where) from None
    if isinstance(number, float) and not abs(number) <= LARGEST:
        problem = f"{number:g} is beyond the numbers that can be computed with"
        raise ModelError(problem, where=where, hint=f"give a number up to {LARGEST:g}, in other units")
    return 0.0 if isinstance(number, float) and abs(number) < SMALLEST else number


def from_expression(error: ExpressionError, where: str) -> ModelError:
    """Return a model error that shows the formula with the caret under the fault."""
    shown = "\n".join(str(error).split("\n")[1:])
    return ModelError(error.problem, where=where, hint=error.hint, detail=textwrap.dedent(shown))


def read_vector(value: object, dimension: int | None, where: str) -> Vector:
    """Return a vector: a list of numbers or formulas, or one formula of vector parameters; without a dimension 2 or 3."""
    needed = "2 or 3" if dimension is None else str(dimension)
    if isinstance(value, Expression):
        return value
    if isinstance(value, str):
        parsed = read_number(value, where)
        if isinstance(parsed, Expression):
            return parsed
        raise ModelError(f"{value} is a number", where=where, hint=f"a vector of {needed} components is needed")
    value = listed(value)
    if not isinstance(value, Sequence):
        raise ModelError(f"{short(value)} is not a vector", where=where, hint=f"give a list of {needed} numbers")
    if len(value) not in ((2, 3) if dimension is None else (dimension,)):
        hint = f"{needed} are needed" if dimension is None else f"{needed} are needed in dimension {needed}"
        raise ModelError(f"{len(value)} components", where=where, hint=hint)
    return tuple(read_number(item, where) for item in value)


def listed(value: object) -> object:
    """Return a NumPy array as lists, everything else as it is."""
    return value.tolist() if hasattr(value, "tolist") else value


def write_value(value: Any) -> Any:
    """Return plain data (numbers, strings, lists) of a field's value."""
    if isinstance(value, Expression):
        return str(value)
    if isinstance(value, tuple | list):
        return [write_value(item) for item in value]
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return int(value)
    return value


def is_zero(vector: Vector) -> bool:
    """Return whether all components are the number zero (formulas are judged when they are evaluated)."""
    return isinstance(vector, tuple) and all(isinstance(c, float) and c == 0.0 for c in vector)


def _is_row(value: object) -> bool:
    """Return whether a value is a list of numbers, and no number or formula itself."""
    return isinstance(listed(value), list | tuple)


_COUNTS: dict[int | None, tuple[int, ...]] = {2: (3,), 3: (6,), None: (3, 6)}  # components of a wrench by the dimension
_NUMBER_SCHEMA: dict[str, Any] = {"type": ["number", "string"], "description": "a number or a formula"}
_VECTOR_SCHEMA: dict[str, Any] = {
    "anyOf": [
        {"type": "array", "items": _NUMBER_SCHEMA, "minItems": 2, "maxItems": 3},
        {"type": "string", "description": "a formula of vector parameters"},
    ]
}


@dataclass(frozen=True)
class FieldType:
    """How one kind of field is read; `shape` names it."""

    shape: str

    def read(self, value: object, dimension: int | None, where: str) -> Any:
        """Return the checked value; None stays None. Without a dimension what both dimensions know is accepted."""
        if value is None:
            return None
        if hasattr(value, "tolist"):  # NumPy's arrays and numbers
            value = value.tolist()
        reader = getattr(self, f"_read_{self.shape}")
        return reader(value, dimension, where)

    def _read_number(self, value: object, dimension: int | None, where: str) -> Number:
        return read_number(value, where)

    def _read_expression(self, value: object, dimension: int | None, where: str) -> Number:
        return read_number(value, where)

    def _read_positive(self, value: object, dimension: int | None, where: str) -> Number:
        number = read_number(value, where)
        if isinstance(number, float) and not number > 0.0:
            raise ModelError(f"{number:g} is not positive", where=where, hint="give a number above zero")
        return number

    def _read_nonnegative(self, value: object, dimension: int | None, where: str) -> Number:
        number = read_number(value, where)
        if isinstance(number, float) and number < 0.0:
            raise ModelError(f"{number:g} is negative", where=where, hint="give a number that is zero or above")
        return number

    def _read_vector(self, value: object, dimension: int | None, where: str) -> Vector:
        return read_vector(value, dimension, where)

    def _read_axis(self, value: object, dimension: int | None, where: str) -> Vector:
        vector = read_vector(value, dimension, where)
        if is_zero(vector):
            raise ModelError("the axis is zero", where=where, hint="an axis may have any length but zero")
        return vector

    def _read_axis3(self, value: object, dimension: int | None, where: str) -> Vector:
        components = listed(value)
        if dimension == 2 and isinstance(components, list | tuple) and len(components) != 3:
            raise ModelError("a planar joint turns about z", where=where, hint="leave its axis out")
        return self._read_axis(value, 3, where)

    def _read_axes(self, value: object, dimension: int | None, where: str) -> tuple[Vector, Vector]:
        value = listed(value)
        if isinstance(value, str) or not isinstance(value, Sequence) or len(value) != 2:
            raise ModelError(f"{short(value)} is not a pair of axes", where=where, hint="give [first axis, second axis]")
        return self._read_axis(value[0], dimension, where), self._read_axis(value[1], dimension, where)

    def _read_pair(self, value: object, dimension: int | None, where: str) -> tuple[Number, Number]:
        value = listed(value)
        if isinstance(value, str) or not isinstance(value, Sequence) or len(value) != 2:
            raise ModelError(f"{short(value)} is not a pair of numbers", where=where, hint="give [first, second]")
        return read_number(value[0], where), read_number(value[1], where)

    def _read_moment(self, value: object, dimension: int | None, where: str) -> Any:
        if dimension == 3 or (dimension is None and isinstance(listed(value), list | tuple)):
            return read_vector(value, dimension, where)
        return read_number(value, where)

    def _read_components(self, value: object, dimension: int | None, where: str, order: str) -> tuple[Number, ...]:
        counts, value = _COUNTS[dimension], listed(value)
        if isinstance(value, str) or not isinstance(value, Sequence) or len(value) not in counts:
            word = " or ".join(str(count) for count in counts)
            problem = f"{short(value)} is not a list of {word} numbers"
            raise ModelError(problem, where=where, hint=order)
        return tuple(read_number(item, where) for item in value)

    def _read_wrench(self, value: object, dimension: int | None, where: str) -> tuple[Number, ...]:
        return self._read_components(value, dimension, where, "force, then moment")

    def _read_symmetric(self, value: object, dimension: int | None, where: str) -> tuple[Any, ...]:
        rows = listed(value)
        if isinstance(rows, str) or not isinstance(rows, Sequence) or not any(_is_row(row) for row in rows):
            return self._read_components(rows, dimension, where, "translations, then rotations; or rows of a matrix")
        if not all(_is_row(row) for row in rows):
            raise ModelError("rows and numbers are mixed", where=where, hint="give the diagonal alone, or all rows")
        count = len(rows)
        if count not in _COUNTS[dimension] or any(len(listed(row)) != count for row in rows):  # type: ignore[arg-type]
            lengths = ", ".join(str(len(listed(row))) for row in rows)  # type: ignore[arg-type]
            word = " or ".join(f"{count} rows of {count} numbers" for count in _COUNTS[dimension])
            problem = f"a matrix with {count} row{'s' if count != 1 else ''} of {lengths} numbers"
            raise ModelError(problem, where=where, hint=f"give {word}: translations, then rotations")
        return tuple(tuple(read_number(item, where) for item in listed(row)) for row in rows)  # type: ignore[attr-defined]

    def _read_flag(self, value: object, dimension: int | None, where: str) -> bool:
        if not isinstance(value, bool):
            raise ModelError(f"{short(value)} is not true or false", where=where, hint="write true or false")
        return value

    def _read_end(self, value: object, dimension: int | None, where: str) -> str:
        return read_end(value, where)

    def _read_word(self, value: object, dimension: int | None, where: str) -> str:
        if not isinstance(value, str):
            raise ModelError(f"{short(value)} is not a word", where=where, hint="give a word")
        return value

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of such a field."""
        pair = {"type": "array", "minItems": 2, "maxItems": 2}
        schemas: dict[str, dict[str, Any]] = {
            "vector": _VECTOR_SCHEMA,
            "axis": _VECTOR_SCHEMA,
            "axis3": _VECTOR_SCHEMA,
            "axes": {**pair, "items": _VECTOR_SCHEMA},
            "pair": {**pair, "items": _NUMBER_SCHEMA},
            "flag": {"type": "boolean"},
            "end": {"type": "string"},
            "word": {"type": "string"},
        }
        return schemas.get(self.shape, _NUMBER_SCHEMA)

    def annotation(self) -> str:
        """Return the type that such an argument has in a Python signature."""
        annotations = {
            "vector": "VectorLike", "axis": "VectorLike", "axis3": "VectorLike",
            "axes": "Sequence[VectorLike] | ArrayLike", "pair": "Sequence[NumberLike] | ArrayLike",
            "moment": "NumberLike | VectorLike", "wrench": "Sequence[NumberLike] | ArrayLike",
            "symmetric": "Sequence[NumberLike] | Sequence[Sequence[NumberLike]] | ArrayLike",
            "flag": "bool", "end": "EndLike", "word": "str",
        }  # fmt: skip
        return annotations.get(self.shape, "NumberLike")


@dataclass(frozen=True)
class Field:
    """One field of a kind: its name, type, default and the words that explain it."""

    name: str
    type: FieldType
    doc: str
    default: Any = None
    required: bool = field(default=False)


def read_end(value: object, where: str) -> str:
    """Return an end of a joint as text: ``body`` or ``body.frame``."""
    reference = getattr(value, "reference", None)
    if isinstance(reference, str):
        return reference
    if not isinstance(value, str) or not all(part.isidentifier() for part in value.split(".")) or value.count(".") > 1:
        raise ModelError(f"{short(value)} is not an end", where=where, hint='an end is "body" or "body.frame"')
    return value


def read_fields(fields: Sequence[Field], given: Mapping[str, Any], dimension: int | None, where: str) -> dict[str, Any]:
    """Return the checked values of all fields; unknown ones and missing required ones are errors."""
    from multibody.errors import nearest

    known = {f.name for f in fields}
    for name in given:
        if name not in known:
            hint = nearest(name, known) or f"it takes {', '.join(sorted(known)) or 'no further fields'}"
            raise ModelError(f'unknown field "{name}"', where=where, hint=hint)
    values = {}
    for f in fields:
        value = f.type.read(given.get(f.name), dimension, where)
        if value is None and f.required:
            raise ModelError(f'"{f.name}" is missing', where=where, hint=f.doc)
        values[f.name] = f.default if value is None else value
    return values


def is_number(value: object) -> bool:
    """Return whether the value is a finite plain number."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def check_limits(name: str, value: Any, low: float | None, high: float | None) -> None:
    """Refuse a value outside the parameter's limits."""
    if isinstance(value, float) and ((low is not None and value < low) or (high is not None and value > high)):
        limits = f"{'' if low is None else f'{low:g} ≤ '}{name}{'' if high is None else f' ≤ {high:g}'}"
        raise ModelError(f"{value:g} is outside its limits", where=f"parameters.{name}", hint=f"choose {limits}")
