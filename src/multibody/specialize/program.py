"""The whole program of a structure as one LLVM module: kernels, the steps of a member, its memory, and the entry.

One text for every machine. What differs is the entry: a loop over members on the host's processor, one member a thread on a
graphics processor, where members lie in tiles of 32 so that neighbors read neighbors.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from multibody.kernels.arrays import Arrays
from multibody.kernels.calls import functions_by_address
from multibody.specialize import elementary, stepping
from multibody.specialize.image import NUMBERS, Image, image_of
from multibody.specialize.lowered import Lowered, lowered
from multibody.specialize.straight import straight

ENTRY = "members"
_PLACES = ("tid", "ctaid", "ntid", "nctaid")  # what a thread knows of itself
FACTORS = ("11gathered_lu",)  # in names of functions that stay functions, as numba makes names: pivots come while they run
TILE = 32  # members that lie side by side: a warp
ARRAY = "ptr null, ptr null, i64 {n}, i64 8, ptr {data}, i64 {n}, i64 8"
TYPES = "ptr, ptr, i64, i64, ptr, i64, i64"
_EVALUATE = f"ptr, ptr, i64, i64, i64, double, {TYPES}, {TYPES}"


@dataclass(frozen=True)
class Program:
    """A program before it is optimized.

    Attributes
    ----------
    text : str
        LLVM code of memory and entry; the kernels are linked to it.
    kernels : list of Lowered
    image : Image
    size : int
        Length of y.
    functions : dict
        Own functions in the place of the mathematical library's.
    results : int
        Length of a member's results, where the program makes some.
    apart : tuple of str
        Parts of the names of functions that stay functions; all others are copied to where they are called.
    rolled : tuple of str
        Kernels whose loops stay loops.
    kept : Layout or None
        What is kept of a member on its way, where it goes from instant to instant.
    again : bool
        Whether a second form is made where the first leaves arrays in memory; matrices always lie there.
    """

    text: str
    kernels: list[Lowered]
    image: Image
    size: int
    functions: dict[str, str]
    results: int = 0
    apart: tuple[str, ...] = ()
    rolled: tuple[str, ...] = ()
    kept: Any = None
    again: bool = True


def program_of(arrays: Arrays, size: int, rhs: Any, accept: Any | None, target: str) -> Program:
    """Return the program that steps members of the structure of a prepared run.

    Parameters
    ----------
    arrays : Arrays
        The blocks of a run.
    size : int
        Length of y.
    rhs, accept : kernels
        Right-hand side, and the acceptance of steps, None for none.
    target : str
        ``host`` or ``ptx``.
    """
    begun = Beginning(arrays, target)
    names = {"rates": name_of(rhs), "accept": name_of(accept) if accept is not None else None}
    wanted = [f"{name}:{begun.version}" for name in names.values() if name is not None]
    step = f"{stepping.__name__}:advance_member"
    kernels, parts = begun.linked(wanted, [step])
    image = begun.image
    parts += [_wrapped(part, image, size, name) for part, name in names.items()]
    arguments = "ptr, ptr, ptr, ptr, i64, double, double, i64" + f", {TYPES}" * 4
    parts.append(f"declare i32 @{symbol_of(step)}({arguments})")
    parts.append(_member(size, int(accept is not None), symbol_of(step)))
    vectors = [Moved("y", size, True), Moved("words", image.word_count, True)]
    call = "call i64 @member(ptr %numbers, ptr %words, ptr %y, double %t, double %h, i64 %steps)"
    parts.append(entry(target, image.number_count, vectors, "double %t, double %h, i64 %steps", call))
    return Program("\n".join(parts) + "\n", kernels, image, size, begun.functions)


class Beginning:
    """What every program of a structure begins with: its memory, the kernels that it calls, functions of numbers.

    Parameters
    ----------
    arrays : Arrays
        The blocks of a run.
    target : str
        ``host`` or ``ptx``.
    implicit : bool
        Whether an implicit method steps.
    """

    def __init__(self, arrays: Arrays, target: str, implicit: bool = False) -> None:
        called, self.version = functions_by_address(), "planar" if arrays.model.planar else "spatial"
        self.image = image_of(arrays, lambda address: ".".join(called[address][:2]), implicit)
        named = (called[address] for address in self.image.called)
        self._asked = [f"{module}:{name}:{self.version}" for module, name, _ in named]
        own = {} if target == "host" else dict(elementary.OWN)
        self._own = {name: f"{elementary.__name__}:{function.__name__}" for name, function in own.items()}
        self.functions = {name: f"@multibody.{name}" for name in own}
        self.declared = set[str]()  # functions that the beginning declares
        self._programs = straight(arrays, self.image, self.functions, self.declared)

    def linked(self, equations: Sequence[str], others: Sequence[str]) -> tuple[list[Lowered], list[str]]:
        """Return all kernels, lowered, and the beginning of the text.

        Parameters
        ----------
        equations, others : sequences of str
            Kernels with the signature of a right-hand side, and others, whose declarations are left to the caller.
        """
        kernels = lowered([*dict.fromkeys([*equations, *self._asked, *others, *self._own.values()])])
        parts = [f"@{NUMBERS} = external global [{max(self.image.number_count, 1)} x double], align 8", *self.image.constants]
        parts.append(f"declare void @{stepping.RENEW}(ptr, i64) noduplicate nocallback nounwind willreturn")
        declared = [*dict.fromkeys([*equations, *self._asked])]
        parts += [f"declare i32 @{symbol_of(name)}({_EVALUATE})" for name in declared]
        parts += [_function(name, self._own[name], 2 if name in elementary.OF_TWO else 1) for name in self._own]
        parts += [*sorted(self.declared), *self._programs]
        return kernels, parts


def _function(name: str, kernel: str, count: int) -> str:
    """Return a function of numbers that calls a kernel: what the program has in the place of the mathematical library's."""
    given = [f"double %x{k}" for k in range(count)]
    return (
        f"declare i32 @{symbol_of(kernel)}(ptr, ptr{', double' * count})\n"
        f"define double @multibody.{name}({', '.join(given)}) alwaysinline {{\n"
        "  %answer = alloca double, align 8\n  %trouble = alloca ptr, align 8\n"
        f"  %thrown = call i32 @{symbol_of(kernel)}(ptr %answer, ptr %trouble, {', '.join(given)})\n"
        "  %value = load double, ptr %answer\n  ret double %value\n}"
    )


def name_of(function: Any) -> str:
    """Return the name that a kernel is lowered by."""
    plain = function.py_func
    return f"{plain.__module__}:{plain.__qualname__}"


def symbol_of(name: str) -> str:
    """Return the name of a kernel's function in the program."""
    return ".".join(name.split(":")[:2])


def _wrapped(part: str, image: Image, n: int, name: str | None) -> str:
    """Return what ``stepping`` calls: a kernel with blocks of its own on the stack, which mean nothing after the call."""
    head = f"define i64 @multibody.{part}(ptr %words, double %t, ptr %x, ptr %out) alwaysinline {{\n"
    if name is None:
        return head + "  ret i64 0\n}"
    x, out = ARRAY.format(n=n, data="%x"), ARRAY.format(n=n, data="%out")
    lines = [
        *image.setup,
        "%answer = alloca i64, align 8", "%trouble = alloca ptr, align 8", "store i64 0, ptr %answer",
        "store ptr null, ptr %trouble",
        *(f"%{each}.at = ptrtoint ptr %{each} to i64" for each in ("state", "scratch")),
        f"%thrown = call i32 @{symbol_of(name)}(ptr %answer, ptr %trouble, i64 ptrtoint (ptr @model to i64), i64 %state.at,"
        f" i64 %scratch.at, double %t, {x}, {out})",
        "%status = load i64, ptr %answer", "ret i64 %status",
    ]  # fmt: skip
    return head + "".join(f"  {line}\n" for line in lines) + "}"


def _member(n: int, projected: int, step: str) -> str:
    """Return the function that steps one member whose state and words lie on the stack."""
    rooms = ("x", "slope", "total")
    given = ", ".join(ARRAY.format(n=n, data=f"%{each}") for each in ("y", *rooms))
    lines = [
        *(f"%{each} = alloca [{n} x double], align 16" for each in rooms),
        "%answer = alloca i64, align 8", "%trouble = alloca ptr, align 8", "store i64 0, ptr %answer",
        f"%thrown = call i32 @{step}(ptr %answer, ptr %trouble, ptr %numbers, ptr %words, i64 {projected}, double %t,"
        f" double %h, i64 %steps, {given})",
        "%status = load i64, ptr %answer", "ret i64 %status",
    ]  # fmt: skip
    head = "define internal i64 @member(ptr %numbers, ptr %words, ptr %y, double %t, double %h, i64 %steps) alwaysinline {\n"
    return head + "".join(f"  {line}\n" for line in lines) + "}"


@functools.cache
def moved(count: int, target: str, source: str, source_step: str, target_step: str, prefix: str) -> list[str]:
    """Return instructions that move words one by one: straight, so that LLVM sees every one of them."""
    lines = []
    for k in range(count):
        lines += [
            f"%{prefix}.s{k} = getelementptr i8, ptr {source}, i64 {8 * k * int(source_step)}",
            f"%{prefix}.t{k} = getelementptr i8, ptr {target}, i64 {8 * k * int(target_step)}",
            f"%{prefix}.v{k} = load i64, ptr %{prefix}.s{k}, align 8",
            f"store i64 %{prefix}.v{k}, ptr %{prefix}.t{k}, align 8",
        ]
    return lines


class Moved(NamedTuple):
    """A vector that every member has: its name, its length in words, whether it is put back.

    A long one is moved in a loop; one that stays is written where it lies.
    """

    name: str
    words: int
    back: bool
    long: bool = False
    stays: bool = False

    def lines(self, inward: bool, step: int) -> list[str]:
        """Return the instructions that move it to the stack, or back; `step` words lie between two of its own in memory."""
        here, there, way = f"%{self.name}", f"%{self.name}.at", "in" if inward else "out"
        (target, to), (source, by) = ((here, 1), (there, step)) if inward else ((there, step), (here, 1))
        if self.stays or not (inward or self.back):
            return []
        if self.long:
            return [f"call void @multibody.move(ptr {target}, i64 {8 * to}, ptr {source}, i64 {8 * by}, i64 {self.words})"]
        return moved(self.words, target, source, str(by), str(to), f"{self.name}.{way}")


MOVE = """define internal void @multibody.move(ptr %target, i64 %to, ptr %source, i64 %by, i64 %count) alwaysinline {
entry:
  br label %test
test:
  %k = phi i64 [ 0, %entry ], [ %next, %body ]
  %more = icmp slt i64 %k, %count
  br i1 %more, label %body, label %done
body:
  %far = mul i64 %k, %by
  %near = mul i64 %k, %to
  %from = getelementptr i8, ptr %source, i64 %far
  %into = getelementptr i8, ptr %target, i64 %near
  %word = load i64, ptr %from, align 8
  store i64 %word, ptr %into, align 8
  %next = add i64 %k, 1
  br label %test, !llvm.loop !100
done:
  ret void
}
!100 = distinct !{!100, !101}
!101 = !{!"llvm.loop.unroll.disable"}"""


def _member_call(vectors: Sequence[Moved], call: str, step: int) -> list[str]:
    """Return the instructions that fetch a member, do something to it and put it back, unless it has stopped before.

    Parameters
    ----------
    vectors : sequence of Moved
    call : str
        The call that answers with a status.
    step : int
        Words between a member's words in memory.
    """
    lines = ["%status.at = getelementptr i64, ptr %statuses, i64 %b", "%before = load i64, ptr %status.at, align 8"]
    lines += ["%goes = icmp eq i64 %before, 0", "br i1 %goes, label %work, label %next", "work:"]
    for each in vectors:
        lines += each.lines(True, step)
    lines.append(f"%status = {call}")
    for each in vectors:
        lines += each.lines(False, step)
    return [*lines, "store i64 %status, ptr %status.at, align 8", "br label %next", "next:"]


def entry(target: str, numbers: int, vectors: Sequence[Moved], given: str, call: str) -> str:
    """Return the entry of a program.

    Parameters
    ----------
    target : str
        ``host``: members from ``%first`` to before ``%last``, one behind the other; ``ptx``: a thread is a member.
    numbers : int
        Length of a member's numbers.
    vectors : sequence of Moved
        What it has beside them.
    given : str
        Arguments that are the same for all members.
    call : str
        What is done to a member, on ``%numbers`` and the vectors by their names.
    """
    return (_host_entry if target == "host" else _ptx_entry)(numbers, vectors, given, call)


def _allocas(vectors: Sequence[Moved]) -> list[str]:
    return [f"%{each.name} = alloca [{max(each.words, 1)} x i64], align 16" for each in vectors if not each.stays]


def _host_entry(numbers: int, vectors: Sequence[Moved], given: str, call: str) -> str:
    """Return the entry for the host's processor."""
    lines = [
        "entry:", *_allocas(vectors), "br label %test",
        "test:", "%b = phi i64 [ %first, %entry ], [ %following, %next ]", "%more = icmp slt i64 %b, %last",
        "br i1 %more, label %body, label %done",
        "body:", *_addresses(numbers, vectors, "%b", 1, "0"), "%numbers = getelementptr i8, ptr %numbers.at, i64 0",
        *_member_call(vectors, call, 1), "%following = add i64 %b, 1", "br label %test", "done:", "ret void",
    ]  # fmt: skip
    pointers = ["ptr noalias readonly %all.numbers", *(f"ptr noalias %all.{each.name}" for each in vectors)]
    head = f"define void @{ENTRY}({', '.join(pointers)}, ptr noalias %statuses, i64 %first, i64 %last, {given})"
    return f"{head} {{\n" + as_text(lines) + "}"


def _addresses(numbers: int, vectors: Sequence[Moved], block: str, tile: int, lane: str) -> list[str]:
    """Return the instructions that find the vectors of a member: of which tile, at which place in it."""
    lines = []
    for name, count in (("numbers", numbers), *((each.name, each.words) for each in vectors)):
        lines += [
            f"%{name}.tile = mul i64 {block}, {count * tile}", f"%{name}.item = add i64 %{name}.tile, {lane}",
            f"%{name}.at = getelementptr double, ptr %all.{name}, i64 %{name}.item",
        ]  # fmt: skip
    return lines


def _ptx_entry(numbers: int, vectors: Sequence[Moved], given: str, call: str) -> str:
    """Return the entry for graphics processors: a thread is a member, then the next one that no thread has."""
    read, names = "llvm.nvvm.read.ptx.sreg", ["numbers", *(each.name for each in vectors)]
    lines = [
        "entry:", *(f"%all.{name} = addrspacecast ptr addrspace(1) %g.{name} to ptr" for name in names),
        "%statuses = addrspacecast ptr addrspace(1) %g.statuses to ptr", *_allocas(vectors),
        *(f"%{name} = call i32 @{read}.{name}.x()" for name in _PLACES),
        "%base = mul i32 %ctaid, %ntid", "%index = add i32 %base, %tid", "%begin = zext i32 %index to i64",
        "%all = mul i32 %nctaid, %ntid", "%stride = zext i32 %all to i64", "br label %test",
        "test:", "%b = phi i64 [ %begin, %entry ], [ %following, %next ]", "%more = icmp slt i64 %b, %count",
        "br i1 %more, label %fetch, label %done",
        "fetch:", "%block = lshr i64 %b, 5", "%lane = and i64 %b, 31", *_addresses(numbers, vectors, "%block", TILE, "%lane"),
        "%numbers = getelementptr i8, ptr %numbers.at, i64 0", *_member_call(vectors, call, TILE),
        "%following = add i64 %b, %stride", "br label %test", "done:", "ret void",
    ]  # fmt: skip
    pointers = ["ptr addrspace(1) noalias readonly %g.numbers"]
    pointers += [f"ptr addrspace(1) noalias %g.{name}" for name in (*names[1:], "statuses")]
    head = f"define ptx_kernel void @{ENTRY}({', '.join(pointers)}, i64 %count, {given})"
    declared = "\n".join(f"declare i32 @{read}.{name}.x()" for name in _PLACES)
    return f"{declared}\n{head} {{\n" + as_text(lines) + "}"


def as_text(lines: Sequence[str]) -> str:
    """Return instructions as text, labels to the left."""
    return "".join(f"{line}\n" if line.endswith(":") else f"  {line}\n" for line in lines)
