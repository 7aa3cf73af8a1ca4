"""What is known of a block when a kernel is compiled, put in the place of reading it, so that branches fall away.

A planar model and one in space have blocks of different types (``Block.versions``). Numba prunes branches before it finds
types, knowing those of the arguments alone; here fields with known values become constants before it does. A planar
model so compiles nothing of space, which is half of the work of a first run. A field that is not found here is read, or a
constant for LLVM: nothing depends on this but time.
"""

from __future__ import annotations

from typing import Any

from numba.core import ir, untyped_passes
from numba.core.ir_utils import get_definition, guard

from multibody.kernels.memory.compiled import MAKERS, Place, place_at

_REWRITE: Any = getattr(untyped_passes, "rewrite_semantic_constants", None)


def fold(function: Any, given: Any) -> None:
    """Do what numba does (``array.ndim`` and ``len(tuple)``), and put constants in the place of fields with known values.

    Parameters
    ----------
    function : numba.core.ir.FunctionIR
        Changed in place.
    given : tuple of numba types
        Of the arguments.
    """
    _REWRITE(function, given)
    for block in function.blocks.values():
        for made in block.find_insts(ir.Assign):
            value = _constant(function, made.value, given)
            if value is not None:
                definitions = function._definitions[made.target.name]
                definitions[definitions.index(made.value)] = value
                made.value = value


def _constant(function: Any, value: Any, given: Any) -> Any:
    """Return the constant that an expression is, a known field of a block; None where it is none."""
    if not isinstance(value, ir.Expr) or value.op != "getattr":
        return None
    place = _place(function, value.value, given)
    return ir.Const(place.known[value.attr], value.loc) if place is not None and value.attr in place.known else None


def _place(function: Any, variable: Any, given: Any) -> Place | None:
    """Return the type of a block that is an argument, or made from one."""
    found = guard(get_definition, function, variable)
    if isinstance(found, ir.Arg):
        kind = given[found.index]
        return kind if isinstance(kind, Place) else None
    if isinstance(found, ir.Expr) and found.op == "call":
        maker = guard(get_definition, function, found.func)
        declared = MAKERS.get(getattr(maker, "value", None))
        argument = guard(get_definition, function, found.args[0]) if declared is not None else None
        if declared is not None and isinstance(argument, ir.Arg):
            return place_at(declared, given[argument.index])
    return None
