"""The value of an expression with NumPy: one number, or arrays of them."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from .functions import FUNCTIONS, function_of
from .inspection import unknown_function
from .nodes import CONSTANTS, Expression, Number, error_at, node
from .tree import children, postorder
from .vectors import components

if TYPE_CHECKING:
    from numpy.typing import NDArray

Lookup = Callable[[tuple[str, ...]], Any]
Table = Callable[[Any, int], Any]


def evaluate(e: Number, lookup: Lookup, tables: Mapping[str, Table] | None = None) -> float | NDArray[Any]:
    """Evaluate an expression.

    Parameters
    ----------
    e : float or Expression
        A vector written out (``[a, b, c]``) gives an array with the components on its last axis; names of
        vectors must be expanded with `components` before.
    lookup : callable
        ``lookup(path)`` is the value of a name, a float or an array; arrays are broadcast against each other.
        It is asked once for each place a name stands, and never for ``pi``, ``deg``, ``rpm``.
    tables : mapping of name to callable, optional
        ``tables[name](x, order)`` is the derivative of this order of a table at `x`.

    Returns
    -------
    float or ndarray
        NaN or infinity where a formula has no value; ``if`` chooses element by element.
    """
    import numpy as np

    if not isinstance(e, Expression):
        return float(e)
    if e.op == "name":  # nothing is computed
        found = _value(e, [], lookup, tables or {})
        return found if isinstance(found, np.ndarray) else float(found)
    order = postorder(e)
    if any(_is_of_vectors(current) for current in order):
        parts = components(e, lambda path: 0)
        if isinstance(parts, tuple):
            values = [evaluate(part, lookup, tables) for part in parts]
            return np.stack(np.broadcast_arrays(*values), axis=-1)
        e = node(parts)
        order = postorder(e)
    with np.errstate(all="ignore"):
        result = _run(order, lookup, tables or {})
    return float(result) if np.ndim(result) == 0 else np.asarray(result)


def _is_of_vectors(current: Expression) -> bool:
    if current.op == "call":
        function = FUNCTIONS.get(current.args[0])
        return function is not None and function.derivative is None
    return current.op in ("vector", "component")


def _run(order: list[Expression], lookup: Lookup, tables: Mapping[str, Table]) -> Any:
    """Evaluate nodes in order; an intermediate array is dropped after its last use."""
    uses = Counter(id(child) for current in order for child in children(current))
    values: dict[int, Any] = {}
    for current in order:
        operands = children(current)
        values[id(current)] = _value(current, [values[id(child)] for child in operands], lookup, tables)
        for child in operands:
            uses[id(child)] -= 1
            if not uses[id(child)]:
                del values[id(child)]
    return values[id(order[-1])]


def _value(current: Expression, operands: list[Any], lookup: Lookup, tables: Mapping[str, Table]) -> Any:
    op, args = current.op, current.args
    if op == "number":
        return args[0]
    if op == "name":
        return CONSTANTS[args] if args in CONSTANTS else _as_floats(lookup(args))
    if op == "call":
        function = function_of(current)
        if function is not None:
            return function.numpy(*operands)
    if op in ("call", "table"):
        if args[0] not in tables:
            raise unknown_function(current, tables)
        if len(operands) != 1:
            raise error_at(current, f'table "{args[0]}" takes 1 argument, not {len(operands)}', f"write {args[0]}(x)")
        return _as_floats(tables[args[0]](operands[0], args[1] if op == "table" else 0))
    return _ufuncs()[op](*operands)


def _as_floats(value: Any) -> Any:
    """Convert a looked-up value to double precision: whole-number arrays would refuse negative powers."""
    import numpy as np

    return value if type(value) is float else np.asarray(value, dtype=float)[()]


@functools.cache
def _ufuncs() -> dict[str, Callable[..., Any]]:
    import numpy as np

    def as_float(comparison: Callable[..., Any]) -> Callable[..., Any]:
        return lambda a, b: comparison(a, b) * 1.0

    def power(a: Any, b: Any) -> Any:
        if type(b) is float and b == 2.0:  # a tenth of the time
            return np.square(a, dtype=float)
        return np.float_power(a, b)

    return {
        "+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide, "^": power, "neg": np.negative,
        "<": as_float(np.less), "<=": as_float(np.less_equal), ">": as_float(np.greater),
        ">=": as_float(np.greater_equal), "==": as_float(np.equal), "!=": as_float(np.not_equal),
    }  # fmt: skip
