"""The program that integrates members by the integrators of every run and leaves their states at some instants.

f and the acceptance of steps are functions of their own in it: an integrator calls f from several places, and a copy in each
would be long. They find the member's numbers and words by the two addresses that an integrator hands on.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from multibody.integrators import contract as at
from multibody.integrators.alpha_history import TERMS
from multibody.kernels.arrays import Arrays
from multibody.kernels.memory.declaration import SLOT
from multibody.specialize import integrating
from multibody.specialize.image import Image
from multibody.specialize.program import ARRAY, MOVE, TILE, TYPES, Beginning, Moved, Program, as_text, entry, name_of, symbol_of
from multibody.specialize.stepping import RENEW

CONTROL = TERMS + 1  # numbers of an integrator's control that the ones served have: alpha most
GIVEN = "double %t, double %h, i64 %k, i64 %instants, i64 %final, i64 %rows"
ARGUMENTS = ", ".join(f"ptr %{name}" for name in ("numbers", "words", "y", "told", "kept", "states", "known"))
STATES_TYPES = ", ".join([f"ptr, ptr, i64, i64, ptr{', i64' * 4}"] * 2)
_FUNCTION = "multibody.asked.{}"  # name of an equation's function
_EQUATION = (
    "define internal i32 @{}(ptr %answer, ptr %trouble, i64 %numbers.at, i64 %words.at, i64 %room.at, double %t,"
    " ptr %x.0, ptr %x.1, i64 %x.2, i64 %x.3, ptr %x, i64 %x.5, i64 %x.6,"
    " ptr %out.0, ptr %out.1, i64 %out.2, i64 %out.3, ptr %out, i64 %out.5, i64 %out.6) {{\n"
)


class Layout(ABC):
    """What is kept of a member on its way, in two vectors of words: what it is told, and what begins with zeros."""

    @property
    @abstractmethod
    def vectors(self) -> dict[str, dict[str, tuple[int, ...]]]:
        """Shape of every part of both vectors, ``told`` and ``kept``, in their order."""

    def length(self, vector: str) -> int:
        """Return the length of a vector."""
        return sum(map(product, self.vectors[vector].values()))

    def at(self, vector: str, part: str) -> int:
        """Return where a part begins in its vector."""
        shapes = self.vectors[vector]
        names = list(shapes)
        return sum(product(shapes[name]) for name in names[: names.index(part)])

    def told(self, rows: Any, name: str) -> Any:
        """Return a part of what is told, of vectors that lie along the last axis of an array."""
        begin = self.at("told", name)
        return rows[..., begin : begin + product(self.vectors["told"][name])]

    def places(self) -> list[str]:
        """Return the instructions that give every part a pointer by its name, from ``%told`` and ``%kept``."""
        parts = [(name, each) for name, shapes in self.vectors.items() for each in shapes]
        return [f"%{each} = getelementptr i8, ptr %{name}, i64 {SLOT * self.at(name, each)}" for name, each in parts]


@dataclass(frozen=True)
class Kept(Layout):
    """What an integrator keeps of a member.

    Attributes
    ----------
    size, references : int
        Length of y, number of angle references.
    method : str
        Name of the integrator.
    memory_rows, dense_rows : int
        As the integrator says.
    work, room : int
        Of an implicit one, else 0: numbers that it needs room for, and what its equations keep (``image.room_of``).
    """

    size: int
    references: int
    method: str
    memory_rows: int
    dense_rows: int
    work: int = 0
    room: int = 0

    @property
    def implicit(self) -> bool:
        """Whether the integrator is implicit."""
        return self.room > 0

    @property
    def vectors(self) -> dict[str, dict[str, tuple[int, ...]]]:
        """Shape of every part of both vectors."""
        n = self.size
        told: dict[str, tuple[int, ...]] = {"control": (CONTROL,), "counts": (at.COUNTS_SIZE,), "atol": (n,), "active": (n,)}
        kept: dict[str, tuple[int, ...]] = {
            "memory": (self.memory_rows, n),
            "steps": (1, 2),
            "dense": (1, self.dense_rows, n),
            "refs": (1, self.references),
        }
        if self.implicit:
            kept |= {"work": (self.work,), "room": (self.room,)}
        return {"told": told, "kept": kept}


def product(shape: Sequence[int]) -> int:
    """Return the number of items of an array."""
    found = 1
    for length in shape:
        found *= length
    return found


def integration_of(arrays: Arrays, kept: Kept, equations: Mapping[str, Any], target: str) -> Program:
    """Return the program that integrates members of the structure of a prepared run.

    Parameters
    ----------
    arrays : Arrays
        The blocks of a run.
    kept : Kept
    equations : mapping of kernels
        What the integrator calls, by name: ``rates`` or, of an implicit one, all of ``implicit.ops``, in their order; then
        ``accept`` where steps are accepted.
    target : str
        ``host`` or ``ptx``.
    """
    begun, n = Beginning(arrays, target, kept.implicit), kept.size
    names = {part: f"{name_of(each)}:{begun.version}" for part, each in equations.items()}
    way = f"{integrating.__name__}:to_instants_{kept.method}"
    kernels, parts = begun.linked([*names.values()], [way])
    image = begun.image
    length = 0 if kept.implicit else n
    parts += [MOVE, *(_equation(_FUNCTION.format(part), image, length, symbol_of(name)) for part, name in names.items())]
    parts += [_member(image, kept, list(names), symbol_of(way), 1 if target == "host" else TILE)]
    parts.append(way_entry(target, image, n, kept))
    apart = tuple(_FUNCTION.format(part) for part in names)
    text, rolled = "\n".join(parts) + "\n", (symbol_of(way),)
    return Program(text, kernels, image, n, begun.functions, 0, apart, rolled, kept, not kept.implicit)


def way_entry(target: str, image: Image, n: int, kept: Layout) -> str:
    """Return the entry of a program that goes from instant to instant, by the function ``@member`` with :data:`ARGUMENTS`."""
    vectors = [
        Moved("y", n, True), Moved("words", image.word_count, True),
        *(Moved(name, kept.length(name), True, long=True) for name in kept.vectors),
        Moved("states", n, True, stays=True), Moved("known", image.word_count, True, stays=True),
    ]  # fmt: skip
    call = "call i64 @member(ptr %numbers, ptr %words, ptr %y, ptr %told, ptr %kept, ptr %states.at, ptr %known.at,"
    call += f" {GIVEN})"
    return entry(target, image.number_count, vectors, GIVEN, call)


def apart_states(n: int, words: int) -> list[str]:
    """Return the instructions that find how far the states of two instants, and the words there, lie apart."""
    return [f"%{name}.apart = mul i64 %rows, {SLOT * width}" for name, width in (("states", n), ("known", words))]


def left_states(n: int, words: int, stride: int) -> list[str]:
    """Return the arrays (instants, ·) of states and words, `stride` numbers apart, as a kernel takes them."""
    return [
        f"ptr null, ptr null, i64 0, i64 {SLOT}, ptr %{name}, i64 %instants, i64 {width}, i64 %{name}.apart,"
        f" i64 {SLOT * stride}"
        for name, width in (("states", n), ("known", words))
    ]


def _equation(function: str, image: Image, n: int, kernel: str) -> str:
    """Return an equation as an integrator calls it, with blocks of its own on the stack, which mean nothing after the call.

    Its vectors have the length `n`; where that is 0, the one that they come with.
    """
    x, out = (ARRAY.format(n=n or f"%{name}.5", data=f"%{name}") for name in ("x", "out"))
    lines = [
        *(f"%{name} = inttoptr i64 %{name}.at to ptr" for name in ("numbers", "words", "room")),
        f"call void @{RENEW}(ptr %numbers, i64 0)", *image.setup,
        *(f"%{each}.at = ptrtoint ptr %{each} to i64" for each in ("state", "scratch")),
        f"%thrown = call i32 @{kernel}(ptr %answer, ptr %trouble, i64 ptrtoint (ptr @model to i64), i64 %state.at,"
        f" i64 %scratch.at, double %t, {x}, {out})", "ret i32 %thrown",
    ]  # fmt: skip
    return _EQUATION.format(function) + as_text(lines) + "}"


def _member(image: Image, kept: Kept, equations: list[str], way: str, stride: int) -> str:
    """Return the function that integrates one member whose state, words and memory lie on the stack."""
    order = [*_ORDER, "work"] if kept.implicit else [*_ORDER]
    n, words, refs = kept.size, image.word_count, kept.references
    begin = next((part.at for part in image.words if part.path == "state.ref"), 0)
    vectors = kept.vectors
    shapes = {"words": (words,), "ref": (refs,), **vectors["told"], **vectors["kept"], "y": (n,), "g": (2, 0)}
    wide = [f"ptr, ptr, i64, i64, ptr{', i64' * 2 * len(shapes[name])}" for name in order]
    wide.append(STATES_TYPES)
    first = f"ptr, ptr, {TYPES}, i64" if kept.implicit else "ptr, ptr, i64, i64"
    types = f"{first}, i64, i64, i64, double, double, i64, i64, i64, {wide[0]}, i64, {', '.join(wide[1:])}"
    given = [_array(f"%{name}", shapes[name]) for name in order]
    given += left_states(n, words, stride)
    *asked, accept = [f"i64 ptrtoint (ptr @{_FUNCTION.format(part)} to i64)" for part in equations]
    if equations[-1] != "accept":
        asked, accept = [*asked, accept], "i64 0"
    ops = f"@ops = internal constant [{len(asked)} x i64] [{', '.join(asked)}], align 16\n" if kept.implicit else ""
    called = f"{_array('@ops', (len(asked),)) if kept.implicit else asked[0]}, {accept}"
    shared = "%room.run" if kept.implicit else "0"
    lines = [
        *kept.places(),
        f"%ref = getelementptr i8, ptr %words, i64 {SLOT * begin}", "%g = getelementptr i8, ptr %kept, i64 0",
        *apart_states(n, words),
        *(f"%{name}.run = ptrtoint ptr %{name} to i64" for name in ("numbers", "words", *(["room"] if kept.implicit else []))),
        "%answer = alloca i64, align 8", "%trouble = alloca ptr, align 8", "store i64 0, ptr %answer",
        f"%thrown = call i32 @{way}(ptr %answer, ptr %trouble, {called}, i64 %numbers.run, i64 %words.run, i64 {shared},"
        f" double %t, double %h, i64 %k, i64 %instants, i64 %final, {given[0]}, i64 {begin}, {', '.join(given[1:])})",
        "%status = load i64, ptr %answer", "ret i64 %status",
    ]  # fmt: skip
    head = f"define internal i64 @member({ARGUMENTS}, {GIVEN}) alwaysinline {{\n"
    return f"declare i32 @{way}({types})\n{ops}{head}" + as_text(lines) + "}"


_ORDER = ("words", "ref", "control", "counts", "y", "atol", "active", "memory", "g", "steps", "dense", "refs")


def _array(data: str, shape: tuple[int, ...]) -> str:
    """Return an array whose rows lie one behind the other, as a kernel takes it."""
    strides = [SLOT * product(shape[k + 1 :]) for k in range(len(shape))]
    numbers = ", ".join(f"i64 {each}" for each in (*shape, *strides))
    return f"ptr null, ptr null, i64 {product(shape)}, i64 {SLOT}, ptr {data}, {numbers}"
