"""The whole program of a structure as one LLVM module: kernels, the steps of a member, its memory, and the entry.

One text for every machine. What differs is the entry: a loop over members on the host's processor, one member a thread on a
graphics processor, where members lie in tiles of 32 so that neighbors read neighbors.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from multibody.kernels.arrays import Arrays
from multibody.kernels.calls import functions_by_address
from multibody.specialize import elementary, stepping
from multibody.specialize.image import NUMBERS, Image, image_of
from multibody.specialize.lowered import Lowered, lowered

ENTRY = "members"
TILE = 32  # members that lie side by side: a warp
_ARRAY = "ptr null, ptr null, i64 {n}, i64 8, ptr {data}, i64 {n}, i64 8"
_TYPES = "ptr, ptr, i64, i64, ptr, i64, i64"
_EVALUATE = f"ptr, ptr, i64, i64, i64, double, {_TYPES}, {_TYPES}"


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
    """

    text: str
    kernels: list[Lowered]
    image: Image
    size: int
    functions: dict[str, str]


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
    called, version = functions_by_address(), "planar" if arrays.model.planar else "spatial"
    image = image_of(arrays, lambda address: ".".join(called[address][:2]))
    asked = [f"{module}:{name}:{version}" for module, name, _ in (called[address] for address in image.called)]
    names = {"rates": _name(rhs), "accept": _name(accept) if accept is not None else None}
    wanted = [f"{name}:{version}" for name in names.values() if name is not None]
    step = f"{stepping.__name__}:advance_member"
    functions = {} if target == "host" else dict(elementary.OWN)
    own = {name: f"{elementary.__name__}:{function.__name__}" for name, function in functions.items()}
    kernels = lowered([*dict.fromkeys([*wanted, *asked, step, *own.values()])])
    parts = [f"@{NUMBERS} = external global [{max(image.number_count, 1)} x double], align 8", *image.constants]
    parts.append(f"declare void @{stepping.RENEW}(ptr, i64) noduplicate nocallback nounwind willreturn")
    parts += [f"declare i32 @{symbol_of(each.name)}({_EVALUATE})" for each in kernels if each.name in (*wanted, *asked)]
    parts += [_function(name, own[name], 2 if name in elementary.OF_TWO else 1) for name in own]
    parts += [_wrapped(part, image, size, name) for part, name in names.items()]
    arguments = "ptr, ptr, ptr, ptr, i64, double, double, i64" + f", {_TYPES}" * 5
    parts.append(f"declare i32 @{symbol_of(step)}({arguments})")
    parts.append(_member(image, size, int(accept is not None), symbol_of(step)))
    parts.append(_host_entry(image, size) if target == "host" else _ptx_entry(image, size))
    return Program("\n".join(parts) + "\n", kernels, image, size, {name: f"@multibody.{name}" for name in own})


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


def _name(function: Any) -> str:
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
    x, out = _ARRAY.format(n=n, data="%x"), _ARRAY.format(n=n, data="%out")
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


def _member(image: Image, n: int, projected: int, step: str) -> str:
    """Return the function that steps one member whose state and words lie on the stack."""
    rooms = ("x", "slope", "first", "middle")
    given = ", ".join(_ARRAY.format(n=n, data=f"%{each}") for each in ("y", *rooms))
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
def _moved(count: int, target: str, source: str, source_step: str, target_step: str, prefix: str) -> list[str]:
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


def _member_call(image: Image, n: int, step: int) -> list[str]:
    """Return the instructions that fetch a member, step it and put it back; ``step``: words between its words in memory."""
    w = image.word_count
    return [
        *_moved(n, "%y", "%y.at", str(step), "1", "yin"), *_moved(w, "%words", "%words.at", str(step), "1", "win"),
        "%status = call i64 @member(ptr %numbers, ptr %words, ptr %y, double %t, double %h, i64 %steps)",
        *_moved(n, "%y.at", "%y", "1", str(step), "yout"), *_moved(w, "%words.at", "%words", "1", str(step), "wout"),
        "%status.at = getelementptr i64, ptr %statuses, i64 %b", "store i64 %status, ptr %status.at, align 8",
    ]  # fmt: skip


def _allocas(image: Image, n: int) -> list[str]:
    return [f"%y = alloca [{n} x double], align 16", f"%words = alloca [{max(image.word_count, 1)} x i64], align 16"]


def _host_entry(image: Image, n: int) -> str:
    """Return the entry for the host's processor: members from ``%first`` to before ``%last``, one behind the other."""
    lines = [
        "entry:", *_allocas(image, n), "br label %test",
        "test:", "%b = phi i64 [ %first, %entry ], [ %next, %body ]", "%more = icmp slt i64 %b, %last",
        "br i1 %more, label %body, label %done",
        "body:", *_addresses(image, n, "%b", 1, "0"), "%numbers = getelementptr i8, ptr %numbers.at, i64 0",
        *_member_call(image, n, 1), "%next = add i64 %b, 1", "br label %test", "done:", "ret void",
    ]  # fmt: skip
    head = f"define void @{ENTRY}(ptr noalias readonly %all.numbers, ptr noalias %all.y, ptr noalias %all.words,"
    return f"{head} ptr noalias %statuses, i64 %first, i64 %last, double %t, double %h, i64 %steps) {{\n" + _lines(lines) + "}"


def _addresses(image: Image, n: int, block: str, tile: int, lane: str) -> list[str]:
    """Return the instructions that find the vectors of a member: of which tile, at which place in it."""
    lines = []
    for name, count in (("numbers", image.number_count), ("y", n), ("words", image.word_count)):
        lines += [
            f"%{name}.tile = mul i64 {block}, {count * tile}", f"%{name}.item = add i64 %{name}.tile, {lane}",
            f"%{name}.at = getelementptr double, ptr %all.{name}, i64 %{name}.item",
        ]  # fmt: skip
    return lines


def _ptx_entry(image: Image, n: int) -> str:
    """Return the entry for graphics processors: a thread is a member."""
    read = "llvm.nvvm.read.ptx.sreg"
    lines = [
        "entry:", *_allocas(image, n),
        *(f"%{name} = call i32 @{read}.{name}.x()" for name in ("tid", "ctaid", "ntid")),
        "%base = mul i32 %ctaid, %ntid", "%index = add i32 %base, %tid", "%b = zext i32 %index to i64",
        "%inside = icmp slt i64 %b, %count", "br i1 %inside, label %fetch, label %done",
        "fetch:", "%block = lshr i64 %b, 5", "%lane = and i64 %b, 31", *_addresses(image, n, "%block", TILE, "%lane"),
        "%numbers = getelementptr i8, ptr %numbers.at, i64 0",
        *_member_call(image, n, TILE), "br label %done", "done:", "ret void",
    ]  # fmt: skip
    head = f"define ptx_kernel void @{ENTRY}(ptr addrspace(1) noalias readonly %g.numbers, ptr addrspace(1) noalias %g.y,"
    head += " ptr addrspace(1) noalias %g.words, ptr addrspace(1) noalias %g.statuses, i64 %count, double %t, double %h,"
    head += " i64 %steps)"
    casts = [f"%all.{name} = addrspacecast ptr addrspace(1) %g.{name} to ptr" for name in ("numbers", "y", "words")]
    casts.append("%statuses = addrspacecast ptr addrspace(1) %g.statuses to ptr")
    lines[1:1] = casts
    declared = "\n".join(f"declare i32 @{read}.{name}.x()" for name in ("tid", "ctaid", "ntid"))
    return f"{declared}\n{head} {{\n" + _lines(lines) + "}"


def _lines(lines: Sequence[str]) -> str:
    """Return instructions as text, labels to the left."""
    return "".join(f"{line}\n" if line.endswith(":") else f"  {line}\n" for line in lines)
