"""The kernels as they are written, run on symbols.

A kernel is a plain Python function under its decorator. Its text is run here with other names: kernels that it calls are taken
as written too, and ``math`` is that of SymPy. So the formulas on paper are those that are compiled.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from types import FunctionType, SimpleNamespace
from typing import Any

import sympy

from multibody.kernels.memory.declaration import Record
from multibody.symbolic.exact import exact

ZERO, ONE = sympy.Integer(0), sympy.Integer(1)


class Symbolic:
    """A number that kernels compute with: a SymPy expression whose floats become exact.

    Kernels ask of lengths and squares whether they vanish, to answer with 0 in place of a division by zero. Paper has no such
    case: what is no number is taken to be positive there.
    """

    __slots__ = ("e",)

    def __init__(self, e: Any) -> None:
        self.e = e

    # Most entries of points and axes are 0 or 1. SymPy looks at all of an expression before it leaves out a factor 0.
    def __add__(self, other: Any) -> Symbolic:
        b = plain(other)
        return self if b is ZERO else Symbolic(b if self.e is ZERO else self.e + b)

    def __sub__(self, other: Any) -> Symbolic:
        b = plain(other)
        return self if b is ZERO else Symbolic(-b if self.e is ZERO else self.e - b)

    def __mul__(self, other: Any) -> Symbolic:
        a, b = self.e, plain(other)
        if a is ZERO or b is ZERO:
            return Symbolic(ZERO)
        return Symbolic(b if a is ONE else a if b is ONE else a * b)

    def __truediv__(self, other: Any) -> Symbolic:
        return Symbolic(self.e / plain(other))

    def __pow__(self, other: Any) -> Symbolic:
        return Symbolic(self.e ** plain(other))

    def __rsub__(self, other: Any) -> Symbolic:
        return Symbolic(plain(other) - self.e)

    def __rtruediv__(self, other: Any) -> Symbolic:
        return Symbolic(plain(other) / self.e)

    def __neg__(self) -> Symbolic:
        return Symbolic(-self.e)

    __radd__, __rmul__ = __add__, __mul__

    def __gt__(self, other: Any) -> bool:
        gap = self.e - plain(other)
        return bool(gap > 0) if gap.is_number else True

    def __eq__(self, other: object) -> bool:
        return bool(self.e == plain(other))

    __hash__ = None  # type: ignore[assignment]


def plain(value: Any) -> Any:
    """Return what a kernel computed as a SymPy expression; tuples and lists item by item."""
    if isinstance(value, tuple | list):
        return type(value)(plain(item) for item in value)
    if isinstance(value, Symbolic):
        return value.e
    return exact(float(value)) if isinstance(value, int | float) else value


def lifted(value: Any) -> Any:
    """Return an expression as a number for kernels; tuples and lists item by item."""
    return type(value)(lifted(item) for item in value) if isinstance(value, tuple | list) else Symbolic(value)


def named(record: type[Record], numbers: Sequence[Any]) -> SimpleNamespace:
    """Return the numbers of a record by the names of its fields, as kernels read them."""
    found = {}
    for name, field in record.fields.items():
        own = numbers[field.slot : field.slot + field.width]
        found[name] = lifted(own if field.width > 1 else own[0])
    return SimpleNamespace(**found)


def _of(function: Callable[..., Any]) -> Callable[..., Symbolic]:
    """Return a function of SymPy as one of ``math``."""
    return lambda *args: Symbolic(function(*(plain(item) for item in args)))


_MATH = SimpleNamespace(
    sqrt=_of(sympy.sqrt), exp=_of(sympy.exp), tanh=_of(sympy.tanh), atan2=_of(sympy.atan2), sin=_of(sympy.sin),
    cos=_of(sympy.cos), floor=_of(sympy.floor), pi=Symbolic(sympy.pi), nan=math.nan,
)  # fmt: skip


def _itself(numbers: Any, at: Any) -> Any:
    """Return numbers of a record: on paper the record itself stands where memory has their place."""
    return at


# What kernels read memory with. On paper a place in memory is the thing itself, and a function's value is asked of the model.
_READERS: dict[str, Callable[..., Any]] = {
    "wrench_frames": _itself, "bushing_numbers": _itself,
    "function_value": lambda model, state, scratch, f: model.values(f),
}  # fmt: skip


@functools.cache
def written(kernel: Any) -> Callable[..., Any]:
    """Return a kernel as the Python function that it is written as, to be called with :class:`Symbolic` numbers.

    Parameters
    ----------
    kernel : callable
        A function of ``kernels/`` under its decorator.
    """
    function = getattr(kernel, "py_func", kernel)
    names: dict[str, Any] = {}
    made = FunctionType(function.__code__, names, function.__name__, function.__defaults__)
    for name in function.__code__.co_names:
        if name in function.__globals__:
            found = function.__globals__[name]
            names[name] = _READERS.get(name) or (_MATH if found is math else written(found) if _is_kernel(found) else found)
    return made


def _is_kernel(found: Any) -> bool:
    """Return whether a name of a kernel's module is a kernel."""
    return callable(found) and (hasattr(found, "py_func") or isinstance(found, FunctionType)) and not isinstance(found, type)
