"""How memory is declared: records, and blocks of numbers and arrays, each field with its meaning.

A *record* is a few numbers with names that lie together: ``class Pose(Record): x = number("…")``. A *block* is what a kernel
gets an address of: numbers in place, and for every array its address and its length. ``class Scratch(Block): pose =
records(Pose, "…")`` is read as ``scratch.pose[b].x`` in Python and in kernels alike; offsets, sizes and strides follow from the
declaration and appear nowhere else. A block that is declared ``readonly`` cannot be written to by a kernel: numba refuses to
compile that.

All fields are 8 bytes wide, so that a block or record is an array of slots on any machine.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any, ClassVar, Self
from weakref import WeakValueDictionary

import numpy as np
import numpy.typing as npt

SLOT = 8  # bytes
KINDS: dict[Any, Any] = {int: np.int64, float: np.float64}
LIVING: WeakValueDictionary[int, Block] = WeakValueDictionary()  # blocks by address, for kernels that run as plain Python


class Field:
    """One field: its kind, how many numbers it takes in place, and what it means.

    Parameters
    ----------
    kind : type
        ``int`` or ``float``; of arrays of records the record.
    width : int
        Numbers in place: 1, or the length of a vector inside a record.
    array : bool
        Whether it is an array outside the block.
    meaning : str
    """

    def __init__(self, kind: Any, meaning: str, width: int = 1, array: bool = False) -> None:
        self.kind, self.meaning, self.width, self.array = kind, meaning, width, array
        self.name, self.slot = "", 0

    @functools.cached_property
    def dtype(self) -> np.dtype[Any]:
        """NumPy type of a number, or of an array's items."""
        found: np.dtype[Any] = np.dtype(KINDS[self.kind]) if self.kind in KINDS else self.kind.dtype
        return found

    @property
    def slots(self) -> int:
        """Slots that it takes: an array has an address and a length."""
        return 2 if self.array else self.width

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, block: Any, owner: type | None = None) -> Any:
        """Return the value of a block in Python; of a class the declaration itself."""
        return self if block is None else block._read(self)

    def __set__(self, block: Any, value: Any) -> None:
        block._write(self, value)


def integer(meaning: str) -> Any:
    """Declare an integer."""
    return Field(int, meaning)


def number(meaning: str) -> Any:
    """Declare a number."""
    return Field(float, meaning)


def vector(width: int, meaning: str) -> Any:
    """Declare numbers that lie inside a record one behind the other."""
    return Field(float, meaning, width)


def indices(width: int, meaning: str) -> Any:
    """Declare integers that lie inside a record one behind the other."""
    return Field(int, meaning, width)


def floats(meaning: str) -> Any:
    """Declare an array of numbers."""
    return Field(float, meaning, array=True)


def integers(meaning: str) -> Any:
    """Declare an array of integers."""
    return Field(int, meaning, array=True)


def records(kind: type[Record], meaning: str) -> Any:
    """Declare an array of records."""
    return Field(kind, meaning, array=True)


def block(kind: type[Block], meaning: str) -> Any:
    """Declare another block, found by its address."""
    return Field(kind, meaning)


def _fields(owner: type) -> Iterator[Field]:
    """Yield the fields of a class in the order of their declaration, those of its bases first."""
    for each in reversed(owner.__mro__):
        yield from (field for field in vars(each).values() if isinstance(field, Field))


def _placed(owner: type) -> tuple[dict[str, Field], int]:
    """Return the fields by name, with their slots given out, and the number of slots."""
    found, at = {}, 0
    for field in _fields(owner):
        field.slot = at
        found[field.name] = field
        at += field.slots
    return found, at


class Record:
    """Numbers that lie together; subclasses declare them."""

    fields: ClassVar[dict[str, Field]]
    size: ClassVar[int]
    dtype: ClassVar[np.dtype[Any]]

    def __init_subclass__(cls) -> None:
        cls.fields, cls.size = _placed(cls)
        every = cls.fields.values()
        cls.dtype = np.dtype([(f.name, f.dtype) if f.width == 1 else (f.name, f.dtype, (f.width,)) for f in every])


class Block:
    """Numbers and arrays that a kernel finds by one address; subclasses declare them.

    Parameters
    ----------
    **values : int, float, array or Block
        A number, an array, or for an array its length: it is then allocated and zero. What is not given is 0 or empty, and
        costs nothing.

    Attributes
    ----------
    address : int
        Of the block; good as long as the block lives.
    """

    fields: ClassVar[dict[str, Field]]
    size: ClassVar[int]
    readonly: ClassVar[bool] = False

    def __init_subclass__(cls, readonly: bool = False) -> None:
        cls.fields, cls.size = _placed(cls)
        cls.readonly = readonly

    def __init__(self, **values: Any) -> None:
        self._slots: npt.NDArray[np.int64] = np.zeros(max(self.size, 1), dtype=np.int64)
        self._floats = self._slots.view(np.float64)
        self._held: dict[str, Any] = {}  # arrays and blocks must live as long as their addresses stand here
        self.address = int(self._slots.ctypes.data)
        LIVING[self.address] = self
        unknown = [name for name in values if name not in self.fields]
        if unknown:
            raise TypeError(f"{type(self).__name__} declares no {', '.join(unknown)}")
        for name, value in values.items():
            self._write(self.fields[name], value)

    def contents(self) -> dict[str, Any]:
        """Return the values of all fields by name: numbers, the arrays and blocks themselves."""
        return {name: getattr(self, name) for name in self.fields}

    def copy(self, **values: Any) -> Self:
        """Return a block with other values for some fields and copies of all other arrays; blocks are shared."""
        held = {name: value.copy() if isinstance(value, np.ndarray) else value for name, value in self.contents().items()}
        return type(self)(**{**held, **values})

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what makes it again, elsewhere in memory."""
        return _again, (type(self), self.contents())

    def _read(self, field: Field) -> Any:
        held = self._held.get(field.name)
        if field.array:  # what is not given is empty; rows have their fields by name
            held = np.zeros(0, field.dtype) if held is None else held
            return held.view(np.recarray) if field.dtype.names else held
        if held is not None:
            return held
        return float(self._floats[field.slot]) if field.kind is float else int(self._slots[field.slot])

    def _write(self, field: Field, value: Any) -> None:
        if field.array:
            kind = field.dtype
            made = np.zeros(value, dtype=kind) if isinstance(value, int | np.integer) else _contiguous(value, kind)
            self._held[field.name] = made
            self._slots[field.slot], self._slots[field.slot + 1] = made.__array_interface__["data"][0], len(made)
        elif isinstance(value, Block):
            self._held[field.name] = value
            self._slots[field.slot] = value.address
        elif field.kind is float:
            self._floats[field.slot] = value
        else:
            self._slots[field.slot] = value


def _again(kind: type[Block], values: dict[str, Any]) -> Block:
    """Return a block with these values."""
    return kind(**values)


def _contiguous(value: Any, kind: Any) -> npt.NDArray[Any]:
    """Return an array as it is if it can serve, so that whoever handed it over sees what kernels write; else a copy."""
    given = np.asarray(value)
    if given.dtype == kind and given.flags.c_contiguous:
        return given
    if np.dtype(kind).names is not None and given.dtype in (np.int64, np.float64):  # records from plain numbers
        viewed: npt.NDArray[Any] = np.ascontiguousarray(given).view(kind).reshape(-1)
        return viewed
    return np.ascontiguousarray(given, dtype=kind)
