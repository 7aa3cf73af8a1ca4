"""What numba spends on things that nobody looks at while kernels are compiled, and how it is spared.

A third of the time in which numba types and lowers our functions goes into these: its garbage is collected over and over,
thousands of errors that it raises and catches itself get colors for a terminal, every call into LLVM is announced to listeners,
and the variables of an instruction are found anew ten times by a general search. Each is put back when a compilation is over.
"""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator
from typing import Any

from llvmlite import binding
from numba.core import errors, ir


class _PlainText:
    """Error messages as they are, in place of numba's color scheme."""

    def code(self, message: str) -> str:
        """Return a message as it is."""
        return message

    errmsg = filename = indicate = highlight = reset = code


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


SPARED: tuple[tuple[Any, str, Any], ...] = (  # owner, name, what stands there while a kernel is compiled
    (errors, "_termcolor_inst", _PlainText()),
    (getattr(binding.ffi.lib, "_lock", None), "_cblist", []),
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
