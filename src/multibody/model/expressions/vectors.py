"""Vector algebra, expanded into scalar expressions: past this point only numbers exist."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .calculus import rebuild
from .error import ExpressionError
from .functions import as_operand, function_of, if_, sqrt
from .nodes import (
    Expression,
    Number,
    Operand,
    add,
    divide,
    error_at,
    multiply,
    name,
    negate,
    node,
    plain,
    power,
    subtract,
)
from .tree import children, postorder

AXES = ("x", "y", "z")

Vector = tuple[Number, ...]
Value = Number | Vector


def components(e: Number, vectors: Callable[[tuple[str, ...]], int]) -> Number | Vector:
    """Expand the vector algebra of an expression into scalar expressions.

    Parameters
    ----------
    e : float or Expression
        With ``+ -`` of vectors, vectors times or over a number, ``.x .y .z``, ``norm unit cross dot``,
        vector literals ``[a, b, c]``, and ``if`` between vectors.
    vectors : callable
        ``vectors(path)`` is the number of components of a name, 0 for a scalar.

    Returns
    -------
    float, Expression, or tuple of them
        A tuple for a vector. The vector name ``pA`` becomes the names ``pA.x``, ``pA.y``, ``pA.z``. Parts without
        vectors stay as written.

    Raises
    ------
    ExpressionError
        Where shapes are mixed.
    """
    if not isinstance(e, Expression):
        return float(e)
    values: dict[int, Value] = {}
    for current in postorder(e):
        if current.op == "number":
            values[id(current)] = current
        elif current.op == "name":
            values[id(current)] = _expanded_name(current, vectors(current.args))
        else:
            values[id(current)] = _expanded(current, [values[id(child)] for child in children(current)])
    result = values[id(e)]
    return tuple(plain(part) for part in result) if isinstance(result, tuple) else plain(result)


def component(vector: Operand, axis: str) -> Number:
    """One component of a vector: ``component(pA, "x")`` is ``pA.x``.

    Parameters
    ----------
    vector : Expression or sequence of numbers
        A vector.
    axis : {"x", "y", "z"}
        Which component.
    """
    value = node(as_operand(vector, "component"))
    if axis not in AXES:
        raise ExpressionError(f'unknown component "{axis}"', "components are x, y, z")
    if value.op == "name":
        return name(*value.args, axis)
    if value.op == "vector":
        return plain(_component(Expression("component", (value, axis)), value.args))
    return Expression("component", (value, axis))


def _expanded_name(current: Expression, size: int) -> Value:
    if size == 0:
        return current
    if not 1 <= size <= len(AXES):
        raise error_at(current, f"a vector of {size} has no place in a formula", "only x, y and z have names")
    return tuple(Expression("name", (*current.args, axis), current.span, current.text) for axis in AXES[:size])


def _shape(value: Value) -> str:
    return f"a vector of {len(value)}" if isinstance(value, tuple) else "a number"


def _expanded(current: Expression, parts: list[Value]) -> Value:
    """Expand a node into a number or a tuple, from its operands as numbers or tuples."""
    op = current.op
    title = current.args[0] if op == "call" else op
    if op == "call" and title in VECTOR_FUNCTIONS:
        return _of_vectors(current, parts)
    if op == "component":
        return _component(current, parts[0])
    scalars = [part for part in parts if not isinstance(part, tuple)]
    if len(scalars) == len(parts):
        if op == "vector":
            return tuple(scalars)
        unchanged = all(part is child for part, child in zip(scalars, children(current), strict=True))
        return current if unchanged else rebuild(current, scalars)
    if op == "neg":
        return tuple(negate(x) for x in _vector(current, parts[0]))
    if op in ("+", "-"):
        return _sum(current, parts[0], parts[1])
    if op in ("*", "/"):
        return _scaled(current, parts[0], parts[1])
    if op == "call" and title == "if":
        return _choice(current, parts)
    raise _not_for_vectors(current, parts)


def _not_for_vectors(current: Expression, parts: list[Value]) -> ExpressionError:
    """Make the error for an operation that only numbers have; it points at the first vector among the operands."""
    culprit = next(child for child, part in zip(children(current), parts, strict=True) if isinstance(part, tuple))
    if current.op in ("call", "table"):
        subject = f"{current.args[0]} takes numbers"
    elif current.op == "vector":
        subject = "a vector is made of numbers"
    else:
        subject = f'"{current.op}" works on numbers'
    hint = "write dot(a, a) for a square" if current.op == "^" else "take a component, as in a.x, or norm(a)"
    return error_at(culprit, f'{subject}, and "{culprit}" is a vector', hint)


def _vector(current: Expression, part: Value) -> Vector:
    """Insist that a part is a vector, for the operation `current`."""
    if isinstance(part, tuple):
        return part
    title = current.args[0] if current.op == "call" else f'".{current.args[1]}"'
    raise error_at(current, f'{title} needs a vector, and "{plain(part)}" is a number', "write a vector as [a, b, c]")


def _component(current: Expression, part: Value) -> Number:
    vector = _vector(current, part)
    index = AXES.index(current.args[1])
    if index >= len(vector):
        names = ", ".join(f".{axis}" for axis in AXES[: len(vector)])
        raise error_at(current, f'a vector of {len(vector)} has no ".{current.args[1]}"', f"it has {names}")
    return vector[index]


def _sum(current: Expression, a: Value, b: Value) -> Vector:
    if not isinstance(a, tuple) or not isinstance(b, tuple) or len(a) != len(b):
        word = "added to" if current.op == "+" else "subtracted from"
        first, second = (a, b) if current.op == "+" else (b, a)
        raise error_at(
            current, f"{_shape(first)} cannot be {word} {_shape(second)}", "both need the same number of components"
        )
    combine = add if current.op == "+" else subtract
    return tuple(combine(x, y) for x, y in zip(a, b, strict=True))


def _scaled(current: Expression, a: Value, b: Value) -> Vector:
    if current.op == "*" and not isinstance(a, tuple):
        a, b = b, a
        return tuple(multiply(b, x) for x in a)  # type: ignore[arg-type, union-attr]
    if isinstance(a, tuple) and not isinstance(b, tuple):
        combine = multiply if current.op == "*" else divide
        return tuple(combine(x, b) for x in a)
    if current.op == "*":
        raise error_at(current, "two vectors have no plain product", "write dot(a, b) or cross(a, b)")
    raise error_at(current, f"{_shape(a)} cannot be divided by a vector", "divide by a number, for instance norm(a)")


def _choice(current: Expression, parts: list[Value]) -> Vector:
    if len(parts) != 3 or isinstance(parts[0], tuple):
        raise _not_for_vectors(current, parts)
    condition, a, b = parts
    if not isinstance(a, tuple) or not isinstance(b, tuple) or len(a) != len(b):
        raise error_at(current, f"if cannot choose between {_shape(a)} and {_shape(b)}", "give both the same shape")
    return tuple(if_(condition, x, y) for x, y in zip(a, b, strict=True))


def _of_vectors(current: Expression, parts: list[Value]) -> Value:
    function_of(current)
    vectors = [_vector(current, part) for part in parts]
    if any(len(vector) != len(vectors[0]) for vector in vectors):
        raise error_at(
            current,
            f"{current.args[0]} cannot combine {_shape(vectors[0])} with {_shape(vectors[1])}",
            "both need the same number of components",
        )
    if current.args[0] == "cross" and len(vectors[0]) not in (2, 3):
        raise error_at(current, f"cross cannot take {_shape(vectors[0])}", "give it two vectors of 3, or two of 2")
    return VECTOR_FUNCTIONS[current.args[0]](*vectors)


def _dot(a: Vector, b: Vector) -> Number:
    total: Number = 0.0
    for x, y in zip(a, b, strict=True):
        total = add(total, multiply(x, y))
    return total


def _norm(a: Vector) -> Number:
    total: Number = 0.0
    for x in a:
        total = add(total, power(x, 2.0))
    return sqrt(total)


def _unit(a: Vector) -> Vector:
    length = _norm(a)
    return tuple(divide(x, length) for x in a)


def _cross(a: Vector, b: Vector) -> Value:
    def minor(i: int, j: int) -> Number:
        return subtract(multiply(a[i], b[j]), multiply(a[j], b[i]))

    return minor(0, 1) if len(a) == 2 else (minor(1, 2), minor(2, 0), minor(0, 1))


VECTOR_FUNCTIONS: dict[str, Callable[..., Value]] = {"norm": _norm, "unit": _unit, "cross": _cross, "dot": _dot}


def _python_function(title: str, args: Sequence[Operand]) -> Number:
    """Call a function of vectors from Python: expanded at once where all arguments are written out."""
    operands = [node(as_operand(argument, title)) for argument in args]
    call = Expression("call", (title, *operands))
    if any(each.op != "vector" for each in operands):
        return call
    value = _of_vectors(call, [each.args for each in operands])
    return Expression("vector", tuple(node(part) for part in value)) if isinstance(value, tuple) else plain(value)


def norm(a: Operand) -> Number:
    """Length of a vector: an Expression, or three (two) numbers."""
    return _python_function("norm", [a])


def unit(a: Operand) -> Number:
    """Vector of length 1 along a vector."""
    return _python_function("unit", [a])


def cross(a: Operand, b: Operand) -> Number:
    """Vector product; a number for two vectors of 2."""
    return _python_function("cross", [a, b])


def dot(a: Operand, b: Operand) -> Number:
    """Scalar product of two vectors."""
    return _python_function("dot", [a, b])
