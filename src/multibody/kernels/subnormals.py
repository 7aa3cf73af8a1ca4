"""Numbers below 2.2e-308 taken for zero while kernels run.

Processors reckon a hundred times slower with subnormal numbers, and a motion that leaves a plane by round-off only dies out
into them. A register of the processor says what becomes of them; it is set for the time of a call and put back, so that nobody
else's arithmetic changes.
"""

from __future__ import annotations

import contextlib
import platform
from collections.abc import Iterator
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from multibody.kernels.compile import kernel

_MACHINE = platform.machine().lower()
_X86, _ARM = _MACHINE in ("x86_64", "amd64"), _MACHINE in ("aarch64", "arm64")
FLUSH = 0x8040 if _X86 else 1 << 24 if _ARM else 0  # flush to zero and denormals are zero; the flush bit of FPCR
_BYTE, _HALF, _WORD = ir.IntType(8), ir.IntType(32), ir.IntType(64)


def _function(builder: Any, name: str, result: Any, *arguments: Any) -> Any:
    """Return one of LLVM's intrinsic functions."""
    return cgutils.get_or_insert_function(builder.module, ir.FunctionType(result, arguments), name)


@intrinsic
def _mode(typing_context):
    """Return the control register of floating-point arithmetic, 0 on machines that are not known."""

    def generate(context, builder, signature, arguments):
        if _ARM:
            return builder.call(_function(builder, "llvm.aarch64.get.fpcr", _WORD), [])
        if not _X86:
            return ir.Constant(_WORD, 0)
        place = cgutils.alloca_once(builder, _HALF)
        pointer = builder.bitcast(place, _BYTE.as_pointer())
        builder.call(_function(builder, "llvm.x86.sse.stmxcsr", ir.VoidType(), _BYTE.as_pointer()), [pointer])
        return builder.zext(builder.load(place), _WORD)

    return types.int64(), generate


@intrinsic
def _set_mode(typing_context, mode):
    """Set the control register."""

    def generate(context, builder, signature, arguments):
        if _ARM:
            builder.call(_function(builder, "llvm.aarch64.set.fpcr", ir.VoidType(), _WORD), [arguments[0]])
        elif _X86:
            place = cgutils.alloca_once(builder, _HALF)
            builder.store(builder.trunc(arguments[0], _HALF), place)
            pointer = builder.bitcast(place, _BYTE.as_pointer())
            builder.call(_function(builder, "llvm.x86.sse.ldmxcsr", ir.VoidType(), _BYTE.as_pointer()), [pointer])
        return context.get_dummy_value()

    return types.void(types.int64), generate


@kernel
def exchange_mode(add, mode):
    """Set the control register to `mode`, with `add` = 1 to what it is with the bits of `mode` added; return what it was."""
    before = _mode()
    _set_mode(before | mode if add == 1 else mode)
    return before


@contextlib.contextmanager
def flushed() -> Iterator[None]:
    """Take subnormal numbers for zero within."""
    before = exchange_mode(1, FLUSH)
    try:
        yield
    finally:
        exchange_mode(0, before)
