"""What numba spends on things that nobody looks at while kernels are compiled, and how it is spared.

A third of the time in which numba types and lowers our functions goes into these: its garbage is collected over and over,
thousands of errors that it raises and catches itself get colors for a terminal, every call into LLVM is announced to listeners,
where variables live is found after every pass, and the variables of an instruction ten times by a general search. Each is put
back when a compilation is over.
"""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator
from typing import Any

from llvmlite import binding
from numba.core import errors, ir, postproc, transforms


def _variables(owner: Any, value: Any) -> list[Any]:
    """Return the variables in a part of an instruction, as ``ir.Inst._rec_list_vars`` does."""
    if isinstance(value, ir.Var):
        return [value]
    if isinstance(value, ir.Inst):
        found: list[Any] = value.list_vars()
        return found
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    found = []
    for part in parts:
        kind = type(part)
        if kind is ir.Var:
            found.append(part)
        elif part is not None and kind is not str and kind is not ir.Loc:
            found += _variables(owner, part)
    return found


def _plain(scheme: Any, message: str, *style: Any) -> str:
    """Return an error message as it is."""
    return message


_COLORS = ((errors.HighlightColorScheme, "_markup", _plain),) if hasattr(errors, "HighlightColorScheme") else ()  # colorama
_PROCESS: Any = postproc.PostProcessor.run


def _processed(owner: Any, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
    """Do of what follows a pass only what the next one reads: loops with one way back; lifetimes are found when asked for."""
    function = owner.func_ir
    if emit_dels or function.is_generator:
        _PROCESS(owner, emit_dels, extend_lifetimes)
        return
    function.blocks = transforms.canonicalize_cfg(function.blocks)
    function.variable_lifetime = postproc.VariableLifetime(function.blocks)
    function.generator_info = None


SPARED: tuple[tuple[Any, str, Any], ...] = (  # owner, name, what stands there while a kernel is compiled
    *_COLORS,
    (getattr(binding.ffi.lib, "_lock", None), "_cblist", []),
    (postproc.PostProcessor, "run", _processed),
    (ir.Inst, "_rec_list_vars", _variables),
)


@contextlib.contextmanager
def without_collection() -> Iterator[None]:
    """Collect no garbage within: a compilation makes little, and much that is searched in vain."""
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()
