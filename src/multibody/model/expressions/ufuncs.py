"""NumPy's functions on expressions: ``np.sin(mb.t)`` is ``mb.sin(mb.t)``, and arrays of expressions go element by element."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from multibody.arguments import no_attribute

from .error import ExpressionError
from .functions import FUNCTIONS, as_operand
from .functions import apply as applied
from .nodes import Expression, Number, name

# NumPy's name of a function -> ours, where they differ
SPELLED: dict[str, str] = {
    "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arctan2": "atan2", "absolute": "abs", "fabs": "abs",
    "minimum": "min", "maximum": "max", "fmin": "min", "fmax": "max",
}  # fmt: skip
ARITHMETIC: dict[str, Callable[..., Any]] = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "divide": operator.truediv,
    "true_divide": operator.truediv, "power": operator.pow, "float_power": operator.pow, "negative": operator.neg,
    "positive": operator.pos, "square": lambda x: x**2, "reciprocal": lambda x: 1.0 / x, "less": operator.lt,
    "less_equal": operator.le, "greater": operator.gt, "greater_equal": operator.ge, "equal": operator.eq,
    "not_equal": operator.ne, "deg2rad": lambda x: x * FULL, "radians": lambda x: x * FULL, "rad2deg": lambda x: x / FULL,
    "degrees": lambda x: x / FULL, "hypot": lambda x, y: _call("sqrt", x**2 + y**2), "exp2": lambda x: 2.0**x,
    "log2": lambda x: _call("log", x) / _call("log", 2.0), "log10": lambda x: _call("log", x) / _call("log", 10.0),
    "log1p": lambda x: _call("log", 1.0 + x), "expm1": lambda x: _call("exp", x) - 1.0,
}  # fmt: skip
PROBED = frozenset(("item", "tolist", "reference", "as_quat", "ndim", "shape", "dtype"))  # what readers look for on anything
OPERATORS = frozenset(("add", "subtract", "multiply", "divide", "equal", "not_equal", "less", "greater"))  # no methods of ours
FULL = 0.017453292519943295  # one degree in radians


def _call(name: str, *operands: Any) -> Number:
    """Apply one of our functions to numbers, arrays of none."""
    return applied(name, [as_operand(operand, name) for operand in operands])


def function_of_ufunc(name: str) -> Callable[..., Any] | None:
    """Return what a NumPy function does to expressions, None where there is nothing like it."""
    if name in ARITHMETIC:
        return ARITHMETIC[name]
    own = SPELLED.get(name, name)
    info = FUNCTIONS.get(own)
    return None if info is None or info.derivative is None else lambda *operands: _call(own, *operands)


def attribute_of(expression: Expression, attribute: str) -> Any:
    """Return what ``expression.attribute`` means beyond its components: a rate, or a method that NumPy looks for."""
    if attribute in PROBED or attribute.startswith("_"):
        raise AttributeError(attribute)
    if attribute in ("rate", "acceleration", "effort") and expression.op == "name":
        return name(*expression.args, attribute)
    function = function_of_ufunc(attribute)
    if function is not None and attribute not in OPERATORS:
        return lambda *operands: function(expression, *operands)
    no_attribute("an expression", attribute, ["x", "y", "z", *(["rate"] if expression.op == "name" else [])], str(expression))


def on_expressions(ufunc: Any, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """Return ``ufunc(*inputs)`` where an expression is among the inputs (NumPy's ``__array_ufunc__``)."""
    import numpy

    function = function_of_ufunc(ufunc.__name__)
    if method != "__call__" or options or function is None:
        word = f"numpy.{ufunc.__name__}" + ("" if method == "__call__" else f".{method}")
        raise ExpressionError(f"{word} cannot take an expression", f"expressions know {', '.join(FUNCTIONS)} (mb.sin, …)")
    arrays = [numpy.asarray(item, dtype=object) for item in inputs]
    if all(array.ndim == 0 for array in arrays):
        return function(*(_plain(item) for item in inputs))
    return numpy.frompyfunc(lambda *items: function(*(_plain(item) for item in items)), len(inputs), 1)(*arrays)


def _plain(item: Any) -> Any:
    """Return a NumPy scalar as Python has it."""
    return item.item() if hasattr(item, "item") else item
