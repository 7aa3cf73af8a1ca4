"""The program that reads members at an instant: what is known there, the formulas of the outputs, the running numbers.

It is a program of its own beside that of the steps: both stay short, and each has the processor's registers for itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from multibody.kernels.arrays import Arrays
from multibody.kernels.codes import ENERGIES
from multibody.kernels.memory.declaration import SLOT
from multibody.specialize import observing, reducing
from multibody.specialize.formulas import FormulaCode, Operation, written
from multibody.specialize.image import NUMBERS, Image
from multibody.specialize.program import ARRAY, FACTORS, TYPES, Beginning, Moved, Program, as_text, entry, moved, symbol_of
from multibody.specialize.stepping import RENEW

_ROW = "ptr null, ptr null, i64 {n}, i64 8, ptr {data}, i64 1, i64 {n}, i64 {width}, i64 8"
_ROW_TYPES = "ptr, ptr, i64, i64, ptr, i64, i64, i64, i64"
_NOTE = f"i32 @{{}}(ptr, ptr, {TYPES}, {TYPES}, {TYPES}, i64, i64, double, double, {TYPES}, {TYPES})"


@dataclass(frozen=True)
class Known:
    """How what is known at an instant lies in one vector.

    Attributes
    ----------
    coordinates, velocities, rows, efforts, loads, entries : int
        Lengths of q, v and v̇, λ, efforts, loads, and the number of entries of Φ_q.
    functions : tuple of int
        Coordinate functions that are read.
    reading : str
        What y is, and by which kernel of ``observing`` it is read: ``bodies`` (q, v, w of the bodies), ``joints``,
        ``kinematics`` (q, v, v̇) or ``inverse``.
    """

    coordinates: int
    velocities: int
    rows: int
    efforts: int
    loads: int
    entries: int
    functions: tuple[int, ...] = ()
    reading: str = "bodies"

    @property
    def of_bodies(self) -> bool:
        """Whether y is (q, v, w) of the bodies."""
        return self.reading == "bodies"

    @property
    def lengths(self) -> dict[str, int]:
        """Length of every part, in their order."""
        c = len(self.functions)
        return {
            "t": 1, "bodies": self.coordinates + self.velocities + 1, "A": self.velocities, "multipliers": self.rows,
            "energies": ENERGIES, "efforts": self.efforts, "loads": self.loads, "entries": self.entries, "values": c,
            "rates": c, "accelerations": c,
        }  # fmt: skip

    def at(self, part: str) -> int:
        """Return where a part begins."""
        names = list(self.lengths)
        return sum(self.lengths[name] for name in names[: names.index(part)])

    @property
    def size(self) -> int:
        """Length of the whole."""
        return sum(self.lengths.values())


@dataclass(frozen=True)
class Acting:
    """The only actuator of a mechanism with one motion.

    Attributes
    ----------
    about : tuple of int
        See ``observing.observe_inverse``.
    slots : tuple of int
        Where the entries of Φ_q lie in the square matrix.
    moved, needed : float
        Limits, see ``one_drive.efforts_at``.
    """

    about: tuple[int, ...]
    slots: tuple[int, ...]
    moved: float
    needed: float

    def lines(self, known: Known) -> list[str]:
        """Return the instructions that make room for its kernel."""
        sizes = observing.drive_room(known.velocities, known.rows, len(self.slots))
        return [f"%{name} = alloca [{size} x i64], align 16" for name, size in zip(("room", "places"), sizes, strict=True)]

    def given(self, known: Known) -> str:
        """Return what its kernel takes beside the others."""
        room, places = observing.drive_room(known.velocities, known.rows, len(self.slots))
        arrays = {"@about": len(self.about), "@slots": len(self.slots), "%room": room, "%places": places}
        about, slots, *rooms = (ARRAY.format(n=n, data=name) for name, n in arrays.items())
        return f", {about}, {slots}, double {written(self.moved)}, double {written(self.needed)}, {', '.join(rooms)}"


@dataclass(frozen=True)
class Asked:
    """What is asked of members over time.

    Attributes
    ----------
    known : Known
    operations : list of Operation
        Formulas; an input is a place in what is known, a parameter one among the model's numbers.
    constants : list of float
    values : list of int
        The operations whose values running numbers are made of.
    kinds, series, instants : lists of int
        Running numbers, see ``reducing.note``.
    between : bool
        Whether extremes are sought between the instants.
    closing : bool
        Whether states come from dense output and are brought onto the constraints before they are read.
    actuator : Acting or None
        Whose effort is found, for the reading ``inverse``.
    """

    known: Known
    operations: Sequence[Operation]
    constants: Sequence[float]
    values: Sequence[int]
    kinds: Sequence[int] = field(default=())
    series: Sequence[int] = field(default=())
    instants: Sequence[int] = field(default=())
    between: bool = True
    closing: bool = False
    actuator: Acting | None = None

    @property
    def results(self) -> int:
        """Length of a member's results."""
        return reducing.PLACES * len(self.kinds)


def observer_of(arrays: Arrays, size: int, asked: Asked, target: str) -> Program:
    """Return the program that takes one instant of all members into their results.

    Parameters
    ----------
    arrays : Arrays
        The blocks of a run.
    size : int
        Length of y.
    asked : Asked
    target : str
        ``host`` or ``ptx``.
    """
    begun = Beginning(arrays, target)
    kernel, note = f"observe_{asked.known.reading}", f"{reducing.__name__}:note"
    observe = f"{observing.__name__}:{kernel}:{begun.version}"
    kernels, parts = begun.linked([], [observe, note])
    numbers = f"getelementptr (i8, ptr @{NUMBERS}, i64 {SLOT * begun.image.number('model.numbers')})"
    formulas = FormulaCode(asked.operations, asked.constants, "%known", numbers, begun.functions)
    rows = ", ".join([_ROW_TYPES] * 9)
    kinds = f"ptr, ptr, i64, i64, i64, {TYPES}, {rows}, i64, {_ROW_TYPES}, {TYPES}, {', '.join([_ROW_TYPES] * 3)}, i64"
    kinds += f", {TYPES}, {TYPES}, double, double, {TYPES}, {TYPES}" if asked.actuator is not None else ""
    parts += [f"declare i32 @{symbol_of(observe)}({kinds})", f"declare {_NOTE.format(symbol_of(note))}"]
    parts += [*sorted(formulas.declared - begun.declared), *_constants(asked)]
    parts.append(_reading(begun.image, size, asked, formulas, symbol_of(observe), symbol_of(note)))
    vectors = [Moved("y", size, False), Moved("words", begun.image.word_count, False), Moved("results", asked.results, True)]
    call = "call i64 @reading(ptr %numbers, ptr %words, ptr %y, ptr %results, double %t, double %h, i64 %k)"
    parts.append(entry(target, begun.image.number_count, vectors, "double %t, double %h, i64 %k", call))
    apart = FACTORS if asked.actuator is not None else ()
    return Program("\n".join(parts) + "\n", kernels, begun.image, size, begun.functions, asked.results, apart)


def _constants(asked: Asked) -> list[str]:
    """Return what the kernels are told, as constants."""
    lists = {"which": asked.known.functions, "kinds": asked.kinds, "series": asked.series, "instants": asked.instants}
    if asked.actuator is not None:
        lists |= {"about": asked.actuator.about, "slots": asked.actuator.slots}
    return [
        f"@{name} = internal constant [{max(len(items), 1)} x i64] [{', '.join(f'i64 {k}' for k in items or [0])}], align 16"
        for name, items in lists.items()
    ]


def _reading(image: Image, size: int, asked: Asked, formulas: FormulaCode, observe: str, note: str) -> str:
    """Return the function that reads one member whose state, words and results lie on the stack."""
    known, count = asked.known, len(asked.values)
    lines = [
        f"call void @{RENEW}(ptr %numbers, i64 %k)", *image.setup, f"%known = alloca [{known.size} x double], align 16",
        f"store [{known.size} x double] zeroinitializer, ptr %known, align 16",
        *(f"%known.{part} = getelementptr i8, ptr %known, i64 {SLOT * known.at(part)}" for part in known.lengths),
        f"%known.v = getelementptr i8, ptr %known.bodies, i64 {SLOT * known.coordinates}", "store double %t, ptr %known.t",
        *(moved(size, "%known.bodies", "%y", "1", "1", "bodies") if known.of_bodies else ()),
        f"%values = alloca [{max(count, 1)} x double], align 16",
        "%answer = alloca i64, align 8", "%trouble = alloca ptr, align 8", "store i64 0, ptr %answer",
        "store ptr null, ptr %trouble",
        *(f"%{each}.at = ptrtoint ptr %{each} to i64" for each in ("state", "scratch")),
        *(asked.actuator.lines(known) if asked.actuator is not None else ()),
        _observed(image, size, asked, observe),
        "%status = load i64, ptr %answer", "%solved = icmp eq i64 %status, 0", "br i1 %solved, label %read, label %stop",
        "stop:", "ret i64 1", "read:", *formulas.lines,
    ]  # fmt: skip
    for j, k in enumerate(asked.values):
        lines += [f"%value.{j} = getelementptr double, ptr %values, i64 {j}", f"store double %f.{k}, ptr %value.{j}, align 8"]
    given = ", ".join(ARRAY.format(n=len(asked.kinds), data=f"@{each}") for each in ("kinds", "series", "instants"))
    room = f"{ARRAY.format(n=count, data='%values')}, {ARRAY.format(n=asked.results, data='%results')}"
    lines.append(
        f"%noted = call i32 @{note}(ptr %answer, ptr %trouble, {given}, i64 {int(asked.between)}, i64 %k, double %t,"
        f" double %h, {room})"
    )
    head = "define internal i64 @reading(ptr %numbers, ptr %words, ptr %y, ptr %results, double %t, double %h, i64 %k)"
    return f"{head} alwaysinline {{\n" + as_text([*lines, "ret i64 0"]) + "}"


def _observed(image: Image, size: int, asked: Asked, observe: str) -> str:
    """Return the call that writes what is known."""
    known, functions = asked.known, image.length("state.ref")
    rows = [_row("%known.bodies" if known.of_bodies else "%y", size)]
    rows += [_row("%state.ref.data" if functions else "null", functions)]
    rows += [_row("%known.bodies", known.lengths["bodies"]), _row("%known.v", known.velocities)]
    rows += [_row(f"%known.{name}", known.lengths[name]) for name in ("A", "multipliers", "energies", "efforts", "loads")]
    measured = [_row(f"%known.{name}", known.lengths[name]) for name in ("values", "rates", "accelerations")]
    which = ARRAY.format(n=len(known.functions), data="@which")
    more = asked.actuator.given(known) if asked.actuator is not None else ""
    return (
        f"%thrown = call i32 @{observe}(ptr %answer, ptr %trouble, i64 ptrtoint (ptr @model to i64), i64 %state.at,"
        f" i64 %scratch.at, {ARRAY.format(n=1, data='%known.t')}, {', '.join(rows)}, i64 {known.rows},"
        f" {_row('%known.entries', known.entries)}, {which}, {', '.join(measured)}, i64 {int(asked.closing)}{more})"
    )


def _row(data: str, n: int) -> str:
    """Return an array of one row."""
    return _ROW.format(n=n, data=data, width=SLOT * n)
