"""How memory is declared: records, and blocks of numbers and arrays, each field with its meaning.

A *record* is a few numbers with names that lie together: ``class Pose(Record): x = number("…")``. A *block* is what a kernel
gets an address of: numbers in place, and for every array its address and its length. ``class Scratch(Block): pose =
records(Pose, "…")`` is read as ``scratch.pose[b].x`` in Python and in kernels alike; offsets, sizes and strides follow from the
declaration and appear nowhere else. A block that is declared ``readonly`` cannot be written to by a kernel: numba refuses to
compile that.

All fields are 8 bytes wide, so that a block or record is an array of slots on any machine.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Iterator
from typing import Any, ClassVar, NamedTuple, Self
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
        costs nothing; a part that is not given is an empty block, the same for all.

    Attributes
    ----------
    address : int or numpy.uint64
        Of the block; good as long as the block lives. That of the second version is unsigned: an entry kernel is compiled for
        the types of its arguments, and so for one version.
    versions : tuple of dict
        Values that fields have in all blocks of a version, the first field telling which version a block is: they are known
        when a kernel is compiled, and branches that ask for them cost nothing. Two at most; none, and all is read.
    """

    fields: ClassVar[dict[str, Field]]
    size: ClassVar[int]
    readonly: ClassVar[bool] = False
    versions: ClassVar[tuple[dict[str, int], ...]] = ()
    _recipe: _Recipe | None  # how it is copied, where that is known

    def __init_subclass__(cls, readonly: bool = False, versions: tuple[dict[str, int], ...] = ()) -> None:
        cls.fields, cls.size = _placed(cls)
        cls.readonly, cls.versions = readonly, versions

    @property
    def address(self) -> Any:
        """Where the block lies."""
        if not self.versions:
            return self._address
        name, value = next(iter(self.versions[-1].items()))
        return np.uint64(self._address) if self._slots[self.fields[name].slot] == value else self._address

    def __init__(self, **values: Any) -> None:
        slots, held = _blank(type(self))
        self._place(slots.copy(), held.copy())
        unknown = [name for name in values if name not in self.fields]
        if unknown:
            raise TypeError(f"{type(self).__name__} declares no {', '.join(unknown)}")
        sizes = {name: int(value) for name, value in values.items() if self.fields[name].array and _is_size(value)}
        for name, value in values.items():
            if name not in sizes:
                self._write(self.fields[name], value)
        if sizes:
            key = type(self), *sizes.items()
            if key not in _LAYOUTS:  # blocks of one model, one for every run, have the same
                _LAYOUTS[key] = _layout(type(self), sizes)
            self._allocate(_LAYOUTS[key])

    def _place(self, slots: npt.NDArray[np.int64], held: dict[str, Any]) -> None:
        """Take slots and what must live as long as their addresses stand in them: arrays and blocks."""
        self._slots, self._floats, self._held = slots, slots.view(np.float64), held
        self._address = _address_of(slots)
        self._memory, self._parts, self._recipe = _NO_MEMORY, _NO_PARTS, None
        LIVING[self._address] = self

    def _allocate(self, layout: _Layout) -> None:
        """Give arrays room in one piece of memory, zero."""
        self._memory, self._parts = np.zeros(layout.words, dtype=np.int64), layout.parts
        self._slots[layout.at] = layout.offsets + _address_of(self._memory)
        self._slots[layout.at + 1] = layout.lengths

    def contents(self) -> dict[str, Any]:
        """Return the values of all fields by name: numbers, the arrays and blocks themselves."""
        return {name: getattr(self, name) for name in self.fields}

    def sharing(self, **values: Any) -> Self:
        """Return a block with other values for some fields; all other arrays and blocks are the same as here."""
        made = object.__new__(type(self))
        made._place(self._slots.copy(), self._held.copy())
        made._memory, made._parts = self._memory, self._parts
        for name, value in values.items():
            made._write(made.fields[name], value)
        return made

    def copy(self, **values: Any) -> Self:
        """Return a block with other values for some fields and copies of all other arrays; read-only blocks are shared."""
        recipe = self._recipe or self._make_recipe()
        made = object.__new__(type(self))
        memory, moved = self._memory, 0
        if self._parts:  # arrays that lie in one piece of memory are copied with it, and found where it is now
            memory = self._memory.copy()
            moved = _address_of(memory) - _address_of(self._memory)
        made._place(self._slots + moved * recipe.moving, recipe.shared.copy())
        made._memory, made._parts = memory, self._parts
        for name, value in recipe.owned:
            if name not in values:
                made._write(made.fields[name], value.copy())
        for name, value in values.items():
            made._write(made.fields[name], value)
        return made

    def _make_recipe(self) -> _Recipe:
        """Find how it is copied; kept until another array or block is given to it."""
        moving, held = np.zeros(len(self._slots), dtype=np.int64), list(self._held.items())
        if len(self._memory):
            moving[[self.fields[name].slot for name in self._parts]] = 1
        shared = {name for name, value in held if isinstance(value, Block) and (value.readonly or value is empty(type(value)))}
        made = self._recipe = _Recipe(
            moving, {name: value for name, value in held if name in shared},
            [(name, value) for name, value in held if name not in shared and name not in self._parts],
        )  # fmt: skip
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what makes it again, elsewhere in memory."""
        return _again, (type(self), self.contents())

    def _read(self, field: Field) -> Any:
        held = self._held.get(field.name)
        if not field.array:
            if held is not None:
                return held
            return float(self._floats[field.slot]) if field.kind is float else int(self._slots[field.slot])
        if held is None:
            begin, end = self._parts.get(field.name, (0, 0))  # what is not given is empty
            held = self._memory[begin:end].view(field.dtype)
        if field.dtype.names and not isinstance(held, np.recarray):  # rows have their fields by name
            held = held.view(np.recarray)
        self._held[field.name] = held
        return held

    def _write(self, field: Field, value: Any) -> None:
        if field.array:
            self._recipe = None
            if field.name in self._parts:  # its place in the memory is given up
                self._parts = {name: part for name, part in self._parts.items() if name != field.name}
            made = np.zeros(value, dtype=field.dtype) if _is_size(value) else _contiguous(value, field.dtype)
            self._held[field.name] = made
            self._slots[field.slot], self._slots[field.slot + 1] = made.__array_interface__["data"][0], len(made)
        elif isinstance(value, Block):
            self._recipe, self._held[field.name] = None, value
            self._slots[field.slot] = value.address
        elif field.kind is float:
            self._floats[field.slot] = value
        else:
            self._slots[field.slot] = value


_BLANK: dict[type[Block], tuple[npt.NDArray[np.int64], dict[str, Any]]] = {}


def _blank(kind: type[Block]) -> tuple[npt.NDArray[np.int64], dict[str, Any]]:
    """Return the slots of a block in which nothing is given, and what lives for them: all parts are empty blocks.

    An address that leads nowhere would end the process.
    """
    if kind in _BLANK:
        return _BLANK[kind]
    slots = np.zeros(max(kind.size, 1), dtype=np.int64)
    blocks = {f.name: f for f in kind.fields.values() if isinstance(f.kind, type) and issubclass(f.kind, Block)}
    held: dict[str, Any] = {name: empty(field.kind) for name, field in blocks.items()}
    for name, field in blocks.items():
        slots[field.slot] = held[name].address
    _BLANK[kind] = slots, held
    return slots, held


_EMPTY: dict[type[Block], Block] = {}


def empty(kind: type[Block]) -> Block:
    """Return the empty block of a declaration, which stands where none is given: its arrays have no items."""
    if kind not in _EMPTY:
        _EMPTY[kind] = kind()
    return _EMPTY[kind]


class _Layout(NamedTuple):
    """Where arrays of given lengths lie in the one piece of memory of their block, in the order of their declaration.

    Attributes
    ----------
    words : int
        Of the memory.
    parts : dict
        First word and end of each array.
    at : array of int
        Slots of their addresses; the lengths are in the slots behind.
    offsets : array of int
        In the memory, in bytes.
    lengths : array of int
    """

    words: int
    parts: dict[str, tuple[int, int]]
    at: npt.NDArray[np.int64]
    offsets: npt.NDArray[np.int64]
    lengths: npt.NDArray[np.int64]


def _layout(kind: type[Block], sizes: dict[str, int]) -> _Layout:
    """Return where arrays of these lengths lie."""
    fields = sorted([kind.fields[name] for name in sizes], key=_slot)
    words = [sizes[field.name] * (field.dtype.itemsize // SLOT) for field in fields]
    ends = np.cumsum([0, *words])
    return _Layout(
        int(ends[-1]), {field.name: (int(ends[k]), int(ends[k + 1])) for k, field in enumerate(fields)},
        np.array([field.slot for field in fields]), SLOT * ends[:-1], np.array([sizes[field.name] for field in fields]),
    )  # fmt: skip


class _Recipe(NamedTuple):
    """How a block is copied.

    Attributes
    ----------
    moving : array of int
        1 in the slots of addresses within its own memory, which move with it; 0 in all others.
    shared : dict
        Blocks that the copy takes as they are.
    owned : list
        Arrays outside its memory, and blocks, that are copied as well.
    """

    moving: npt.NDArray[np.int64]
    shared: dict[str, Any]
    owned: list[tuple[str, Any]]


_LAYOUTS: dict[Any, _Layout] = {}
_NO_MEMORY: npt.NDArray[np.int64] = np.zeros(0, dtype=np.int64)
_NO_PARTS: dict[str, tuple[int, int]] = {}


def _address_of(array: Any) -> int:
    """Return where an array of our own lies; NumPy's own answer, of any array, takes several times as long."""
    return ctypes.addressof(ctypes.c_char.from_buffer(array)) if len(array) else 0


def _slot(field: Field) -> int:
    """Return where a field lies."""
    return field.slot


def _is_size(value: Any) -> bool:
    """Return whether the length of an array is given instead of the array."""
    return type(value) is int or isinstance(value, int | np.integer)


def numbers_of(kind: type[Record], numbers: npt.NDArray[np.float64], at: int) -> Any:
    """Return the record that begins at a place of an array of numbers, its fields by name."""
    return numbers[at : at + kind.size].view(kind.dtype).view(np.recarray)[0]


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
