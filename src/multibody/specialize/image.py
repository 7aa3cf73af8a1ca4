"""The memory of a run as LLVM code: structure is constants, numbers and state belong to a member, scratch lies on the stack.

What is an integer in the block ``Model`` is structure; what is a number there may be another one in every member. A member is
so two vectors beside its state y: its *numbers* (of ``Model``, and the masses, which are made of them before a run) and its
*words* (the contents of ``State``, numbers and integers alike, 8 bytes each). Both are laid out here, from the declarations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from multibody.errors import AnalysisError
from multibody.kernels import codes as L
from multibody.kernels.arrays import Arrays
from multibody.kernels.calls import Calls
from multibody.kernels.memory.declaration import SLOT, Block

Floats = npt.NDArray[np.float64]
Words = npt.NDArray[np.int64]
FACTORS = "state.factors.", "state.newton."  # from call to call only implicit methods use them; nobody reads them at an instant
NUMBERS = "multibody.numbers"  # stands for the address of a member's numbers until LLVM has optimized everything


@dataclass(frozen=True)
class Part:
    """An array of a block that lies in a vector of the member: its path, where it begins, how many words it has."""

    path: str
    at: int
    words: int


@dataclass
class Image:
    """Where everything of a run lies, and the code that puts it there.

    Attributes
    ----------
    numbers, words : list of Part
        What a member's vectors hold, in this order.
    constants : list of str
        Definitions of the structure, as LLVM globals.
    setup : list of str
        Instructions that make the blocks ``%state``, on a member's ``%words``, and ``%scratch``; the block ``@model`` is a
        constant, in which the member's numbers have the address of :data:`NUMBERS`.
    called : list of int
        Addresses of kernels that are called by address.
    room : list of Part
        What else lives from call to call, where an implicit method steps, in a vector ``%room``.
    local : int
        Bytes that blocks and scratch take on the stack before LLVM makes registers of them.
    """

    numbers: list[Part] = field(default_factory=list)
    words: list[Part] = field(default_factory=list)
    constants: list[str] = field(default_factory=list)
    setup: list[str] = field(default_factory=list)
    called: list[int] = field(default_factory=list)
    room: list[Part] = field(default_factory=list)
    local: int = 0

    @property
    def number_count(self) -> int:
        """Length of a member's numbers."""
        return sum(part.words for part in self.numbers)

    @property
    def word_count(self) -> int:
        """Length of a member's words."""
        return sum(part.words for part in self.words)

    def number(self, path: str) -> int:
        """Return where an array begins among the numbers."""
        return next(part.at for part in self.numbers if part.path == path)

    def length(self, path: str) -> int:
        """Return how many words an array of the state has, 0 where it is empty."""
        return next((part.words for part in self.words if part.path == path), 0)


def image_of(arrays: Arrays, symbol: Callable[[int], str], implicit: bool = False) -> Image:
    """Return the image of a prepared run.

    Parameters
    ----------
    arrays : Arrays
        The blocks of a run.
    symbol : callable
        Name of the function that an address of a kernel stands for.
    implicit : bool
        Whether an implicit method steps, whose matrices live from call to call.
    """
    return _Writer(arrays, symbol, implicit).image


def room_of(arrays: Arrays) -> int:
    """Return the length of ``%room`` where an implicit method steps."""
    return sum(len(_as_words(value)) for path, value in _arrays(arrays.state, "state") if path.startswith(FACTORS))


def local_block(block: Block, name: str, elsewhere: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """Return constants, and the instructions that make one more block ``%name`` on the stack.

    Its numbers in place are what they are. Arrays that are said to be elsewhere are there, an address of "" making one a
    constant; all others lie on the stack and are zero.

    Parameters
    ----------
    block : Block
        Blocks in it lie on the stack too.
    name : str
    elsewhere : mapping of str
        Pointers by the names of arrays.
    """
    constants, setup = [], [f"%{name} = alloca [{max(block.size, 1)} x i64], align 16"]

    def put(slot: int, value: str) -> None:
        setup.append(f"%{name}.{slot} = getelementptr i8, ptr %{name}, i64 {SLOT * slot}")
        setup.append(f"store {value}, ptr %{name}.{slot}, align 8")

    for each in block.fields.values():
        value, where = getattr(block, each.name), f"{name}.{each.name}"
        if isinstance(value, Block):
            inner, more = local_block(value, where, {})
            constants.extend(inner)
            setup.extend(more)
            put(each.slot, f"ptr %{where}")
            continue
        if not each.array:
            put(each.slot, f"i64 {_as_words(np.array([value], np.float64 if each.kind is float else np.int64))[0]}")
            continue
        words, pointer = _as_words(value), elsewhere.get(each.name, f"%{where}.data")
        if pointer == "":
            pointer = f"@{where}"
            items = ", ".join(f"i64 {word}" for word in words) or "i64 0"
            constants.append(f"{pointer} = internal constant [{max(len(words), 1)} x i64] [{items}], align 16")
        elif each.name not in elsewhere:
            setup.append(f"{pointer} = alloca [{max(len(words), 1)} x i64], align 16")
            setup.append(f"store [{max(len(words), 1)} x i64] zeroinitializer, ptr {pointer}, align 16")
        put(each.slot, f"ptr {pointer}")
        put(each.slot + 1, f"i64 {len(value)}")
    return constants, setup


def numbers_of(arrays: Arrays) -> Floats:
    """Return the numbers of a member from its blocks, in the order of :attr:`Image.numbers`.

    Parameters
    ----------
    arrays : Arrays
        The blocks of a run of the same structure.

    Returns
    -------
    array
    """
    return np.concatenate([np.zeros(0), *(_as_words(value).view(np.float64) for _, value in _numbers(arrays))])


def parts_of(arrays: Arrays) -> tuple[list[Part], list[Part]]:
    """Return how the numbers and the words of a member lie, in the order of :func:`numbers_of` and :func:`words_of`."""
    found: tuple[list[Part], list[Part]] = ([], [])
    for parts, items in zip(found, (_numbers(arrays), _words(arrays)), strict=True):
        at = 0
        for path, value in items:
            parts.append(Part(path, at, len(_as_words(value))))
            at += parts[-1].words
    return found


def words_of(arrays: Arrays) -> Words:
    """Return the words of a member, the contents of its ``State``, in the order of :attr:`Image.words`."""
    return np.concatenate([np.zeros(0, np.int64), *(_as_words(value) for _, value in _words(arrays))])


def structure_of(arrays: Arrays) -> list[tuple[str, bytes]]:
    """Return everything that must be the same in all members, with its path: what the code is made for."""
    found = [(path, _as_words(value).tobytes()) for path, value in _arrays(arrays.model, "model") if not _is_number(value)]
    for path, value in (*_numbers(arrays), *_arrays(arrays.state, "state"), *_arrays(arrays.scratch, "scratch")):
        found.append((f"{path}.size", str(len(value)).encode()))
    return found + [(path, str(value).encode()) for path, value in _integers(arrays.model, "model")]


# --- what there is -----------------------------------------------------------------------------------------------------------
def _numbers(arrays: Arrays) -> Iterator[tuple[str, Any]]:
    """Yield path and array of all that is a number of the member."""
    yield from ((path, value) for path, value in _arrays(arrays.model, "model") if _is_number(value))


def _words(arrays: Arrays) -> Iterator[tuple[str, Any]]:
    """Yield path and array of all that belongs to the words of the member."""
    yield from ((path, value) for path, value in _arrays(arrays.state, "state") if not path.startswith(FACTORS))


def _arrays(block: Block, path: str) -> Iterator[tuple[str, Any]]:
    """Yield path and value of all arrays of a block and its parts that are not empty."""
    for name, each in block.fields.items():
        value = getattr(block, name)
        if isinstance(value, Block):
            yield from _arrays(value, f"{path}.{name}")
        elif each.array and len(value):
            yield f"{path}.{name}", value


def _integers(block: Block, path: str) -> Iterator[tuple[str, int]]:
    """Yield path and value of the integers in place of a block and its parts; of an address whether there is one."""
    for name, each in block.fields.items():
        value = getattr(block, name)
        if isinstance(value, Block):
            yield from _integers(value, f"{path}.{name}")
        elif not each.array:
            yield f"{path}.{name}", int(value != 0) if isinstance(block, Calls) else value


def _as_words(value: Any) -> Words:
    """Return the 8-byte words of an array."""
    return np.frombuffer(np.ascontiguousarray(value).tobytes(), dtype=np.int64)


def _is_number(value: Any) -> bool:
    """Return whether an array holds nothing but numbers."""
    kinds = [value.dtype] if value.dtype.names is None else [value.dtype[name].base for name in value.dtype.names]
    return all(kind == np.float64 for kind in kinds)


def stack_depth(code: Any) -> int:
    """Return how many values a program has in hand at most, over all programs of a model."""
    deepest, depth = 0, 0
    for op in np.asarray(code)[::2]:
        if op == L.OP_END:
            depth = 0
        elif op <= L.OP_LOAD:
            depth += 1
        elif op == L.OP_SELECT:
            depth -= 2
        elif L.OP_ADD <= op <= L.OP_POWER or L.OP_LESS <= op <= L.OP_NOT_EQUAL or op in (L.OP_ATAN2, L.OP_MIN, L.OP_MAX):
            depth -= 1
        deepest = max(deepest, depth)
    return deepest


# --- the code ----------------------------------------------------------------------------------------------------------------
class _Writer:
    """Writes the code of an image."""

    def __init__(self, arrays: Arrays, symbol: Callable[[int], str], implicit: bool) -> None:
        self.arrays, self.symbol, self.implicit, self.image = arrays, symbol, implicit, Image()
        self._constant(arrays.model, "model")
        self._block(arrays.state, "state", self._state_array)
        self._block(arrays.scratch, "scratch", self._scratch_array)

    def _constant(self, block: Block, path: str) -> str:
        """Write a block of the model as a constant; return its name."""
        slots = ["0"] * max(block.size, 1)
        for each in block.fields.values():
            value, where = getattr(block, each.name), f"{path}.{each.name}"
            if isinstance(value, Block):
                slots[each.slot] = f"ptrtoint (ptr {self._constant(value, where)} to i64)"
            elif each.array:
                slots[each.slot] = f"ptrtoint (ptr {self._model_array(where, value)} to i64)" if len(value) else "0"
                slots[each.slot + 1] = str(len(value))
            elif isinstance(block, Calls) and value != 0:
                self.image.called.append(int(value))
                slots[each.slot] = f"ptrtoint (ptr @{self.symbol(int(value))} to i64)"
            elif each.kind is float and value != 0.0:
                raise AnalysisError(f"{where} is a number that belongs to no array; it cannot differ between members")
            else:
                slots[each.slot] = str(int(value))
        items = ", ".join(f"i64 {slot}" for slot in slots)
        self.image.constants.append(f"@{path} = internal constant [{len(slots)} x i64] [{items}], align 16")
        return f"@{path}"

    def _block(self, block: Block, path: str, array: Callable[[str, Any], str]) -> str:
        """Write a block onto the stack, its numbers in place zero; return the name of its pointer."""
        name = f"%{path}"
        self.image.setup.append(f"{name} = alloca [{max(block.size, 1)} x i64], align 16")
        self.image.local += SLOT * block.size
        for each in block.fields.values():
            value, where = getattr(block, each.name), f"{path}.{each.name}"
            if isinstance(value, Block):
                self._store(path, each.slot, f"ptr {self._block(value, where, array)}")
            elif each.array:
                self._store(path, each.slot, f"ptr {array(where, value)}" if len(value) else "i64 0")
                self._store(path, each.slot + 1, f"i64 {self._length(where, value)}")
            else:
                self._store(path, each.slot, "i64 0")
        return name

    def _store(self, path: str, slot: int, value: str) -> None:
        """Store what a slot of a block holds."""
        place = f"%{path}.{slot}"
        self.image.setup.append(f"{place} = getelementptr i8, ptr %{path}, i64 {SLOT * slot}")
        self.image.setup.append(f"store {value}, ptr {place}, align 8")

    def _length(self, path: str, value: Any) -> int:
        """Return the length of an array: programs get a stack as deep as they need."""
        return self._stack() if path == "scratch.stack" else len(value)

    def _stack(self) -> int:
        return stack_depth(self.arrays.model.code) + 1

    def _model_array(self, path: str, value: Any) -> str:
        """Return a pointer to an array of the model: a constant, or a part of the member's numbers."""
        if _is_number(value):
            return self._number(path, value)
        words = ", ".join(f"i64 {word}" for word in _as_words(value))
        self.image.constants.append(f"@{path} = internal constant [{len(_as_words(value))} x i64] [{words}], align 16")
        return f"@{path}"

    def _number(self, path: str, value: Any) -> str:
        """Return a pointer to an array that lies among the member's numbers."""
        return f"getelementptr (i8, ptr @{NUMBERS}, i64 {SLOT * self._placed(self.image.numbers, path, value)})"

    def _state_array(self, path: str, value: Any) -> str:
        """Return a pointer to an array of the state: a part of the member's words, or of what lives beside them."""
        apart = path.startswith(FACTORS)
        if apart and not self.implicit:
            return self._scratch_array(path, value)
        parts, vector = (self.image.room, "room") if apart else (self.image.words, "words")
        at = self._placed(parts, path, value)
        self.image.setup.append(f"%{path}.data = getelementptr i8, ptr %{vector}, i64 {SLOT * at}")
        return f"%{path}.data"

    def _placed(self, parts: list[Part], path: str, value: Any) -> int:
        """Return where an array lies in a vector of the member, in which it takes its place."""
        at = sum(part.words for part in parts)
        parts.append(Part(path, at, len(_as_words(value))))
        return at

    def _scratch_array(self, path: str, value: Any) -> str:
        """Return a pointer to an array of scratch, on the stack and zero."""
        words = self._length(path, value) * (value.dtype.itemsize // SLOT)
        self.image.setup.append(f"%{path}.data = alloca [{words} x i64], align 16")
        self.image.setup.append(f"store [{words} x i64] zeroinitializer, ptr %{path}.data, align 16")
        self.image.local += SLOT * words
        return f"%{path}.data"
