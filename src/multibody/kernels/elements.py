"""Elements of arrays and sums of numbers, lowered straight: an address, one load or store, one operation.

Numba unpacks the whole record of an array for every element, into memory of its own that LLVM takes away again, and looks for
an implementation of every sum. Elements are a third of the text of a kernel, and this is a twelfth of a first run. What is not
a single element of a contiguous array, or a sum, a difference or a product of two floats, goes numba's way.
"""

from __future__ import annotations

import operator
from typing import Any

from numba import types
from numba.core import lowering

from multibody import kernels

_LOWER: Any = lowering.Lower
_GETITEM: Any = getattr(_LOWER, "lower_getitem", None)
_SETITEM: Any = getattr(_LOWER, "lower_setitem", None)
_BINOP: Any = getattr(_LOWER, "lower_binop", None)
_OPERATIONS = {
    operator.add: "fadd", operator.iadd: "fadd", operator.sub: "fsub", operator.isub: "fsub", operator.mul: "fmul",
    operator.imul: "fmul",
}  # fmt: skip
_FLOAT = types.float64


def _simple(kind: Any, index: Any) -> bool:
    """Return whether an index names one element, the address of which is the first one's and a multiple."""
    one = isinstance(kind, types.Array) and kind.ndim == 1 and kind.layout == "C" and kind.aligned
    return one and isinstance(index, types.Integer) and not kernels.CHECKED


def _element(own: Any, array: Any, kind: Any, index: Any) -> Any:
    """Return a pointer to an element: kernels never count from the end."""
    k = own.context.cast(own.builder, own.loadvar(index.name), own.typeof(index.name), types.intp)
    place = own.context.data_model_manager[kind].get_field_position("data")
    return own.builder.gep(own.builder.extract_value(own.loadvar(array.name), place), [k])


def read_element(own: Any, result: Any, expression: Any, array: Any, index: Any, signature: Any) -> Any:
    """Return what an index names, as numba's ``Lower.lower_getitem``."""
    kind = own.typeof(array.name)
    if not _simple(kind, own.typeof(index.name)):
        return _GETITEM(own, result, expression, array, index, signature)
    found = own.context.unpack_value(own.builder, kind.dtype, _element(own, array, kind, index))
    return own.context.cast(own.builder, found, kind.dtype, result)


def write_element(own: Any, array: Any, index: Any, value: Any, signature: Any) -> Any:
    """Store what an index names, as numba's ``Lower.lower_setitem``."""
    kind = own.typeof(array.name)
    if not _simple(kind, own.typeof(index.name)) or not kind.mutable:
        return _SETITEM(own, array, index, value, signature)
    new = own.context.cast(own.builder, own.loadvar(value.name), own.typeof(value.name), kind.dtype)
    return own.context.pack_value(own.builder, kind.dtype, new, _element(own, array, kind, index))


def operate(own: Any, result: Any, expression: Any, what: Any) -> Any:
    """Return a sum, a difference or a product of floats, as numba's ``Lower.lower_binop``."""
    left, right = expression.lhs.name, expression.rhs.name
    if not (what in _OPERATIONS and own.typeof(left) == own.typeof(right) == result == _FLOAT):
        return _BINOP(own, result, expression, what)
    return getattr(own.builder, _OPERATIONS[what])(own.loadvar(left), own.loadvar(right))


STRAIGHT: tuple[tuple[Any, str, Any], ...] = (  # owner, name, what stands there while a kernel is compiled
    (_LOWER, "lower_getitem", read_element),
    (_LOWER, "lower_setitem", write_element),
    (_LOWER, "lower_binop", operate),
)
