"""The nodes of a formula, and arithmetic that builds them."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias, final

from .error import ExpressionError
from .printing import formula
from .tree import flatten, same_tree

COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip

CONSTANTS: dict[tuple[str, ...], float] = {("pi",): math.pi, ("deg",): math.pi / 180.0, ("rpm",): math.pi / 30.0}
"""Names with a fixed value: half a turn, one degree in radians, one revolution per minute in radians per second."""

pi = CONSTANTS[("pi",)]
deg = CONSTANTS[("deg",)]
rpm = CONSTANTS[("rpm",)]


@final
class Expression:
    """A formula, or a part of one: immutable and hashable, equal if written the same way.

    Python's operators build larger expressions and fold constants on the way (``0*x`` is ``0.0``).
    ``<  <=  >  >=`` build comparisons, worth 1 or 0; ``==`` and ``!=`` compare the two formulas.

    Parameters
    ----------
    op : str
        ``number  name  +  -  *  /  ^  neg  call  table  <  <=  >  >=  ==  !=  vector  component``.
    args : tuple
        number: ``(float,)``; name: the dotted path, ``("rod", "small", "x")``; call: ``(function, *operands)``;
        table: ``(table, order of the derivative, operand)``; component: ``(operand, "x" | "y" | "z")``;
        all others: their operands, which are Expressions.
    span : tuple of int, optional
        Where it stands in `text`. Not part of equality.
    text : str, optional
        The whole source it was parsed from. Not part of equality.
    """

    __slots__ = ("_hash", "args", "op", "span", "text")

    op: str
    args: tuple[Any, ...]
    span: tuple[int, int] | None
    text: str | None
    _hash: int

    def __init__(
        self, op: str, args: tuple[Any, ...], span: tuple[int, int] | None = None, text: str | None = None
    ) -> None:
        _put_op(self, op)
        _put_args(self, args)
        _put_span(self, span)
        _put_text(self, text)
        _put_hash(self, hash((op, args)))

    def __setattr__(self, attribute: str, value: object) -> None:
        raise AttributeError("expressions cannot be changed; build a new one, for instance with substitute()")

    def __delattr__(self, attribute: str) -> None:
        raise AttributeError("expressions cannot be changed; build a new one, for instance with substitute()")

    def __copy__(self) -> Expression:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Expression:
        return self

    def __reduce__(self) -> tuple[Callable[[list[Any]], Expression], tuple[list[Any]]]:
        # pickle would recurse once a level; a flat list of nodes, operands first, has no depth
        return _unflatten, (flatten(self),)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if type(other) is not Expression:
            return NotImplemented
        return same_tree(self, other)

    def __str__(self) -> str:
        return formula(self)

    def __repr__(self) -> str:
        return f"Expression({formula(self)!r})"

    def __bool__(self) -> bool:
        if self.op in COMPARISONS:
            raise TypeError(
                f"'{self}' is known only when the model runs; choose with if_(condition, a, b), min_ or max_, "
                "not with Python's if, and, or, min, max or a chained comparison"
            )
        return True

    def __float__(self) -> float:
        """Return the value of a constant; anything else is known only when the model runs."""
        value = constant(self)
        if value is None:
            raise ExpressionError(
                f"'{self}' is a formula, known only when the model runs", "use mb.sin, mb.sqrt, …, not float() or math"
            )
        return value

    __int__ = __round__ = __trunc__ = __floor__ = __ceil__ = __float__

    if not TYPE_CHECKING:

        def __getattr__(self, attribute: str) -> Any:
            """Return the rate of a path (``joint.angle.rate``), or a function as NumPy asks for it in arrays of expressions."""
            from .ufuncs import attribute_of

            return attribute_of(self, attribute)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        """Let NumPy's functions build formulas: ``np.sin(mb.t)`` is ``mb.sin(mb.t)``."""
        from .ufuncs import on_expressions

        return on_expressions(ufunc, method, inputs, options)

    def __add__(self, other: Operand) -> Number:
        b = operand(other)
        return NotImplemented if b is None else add(self, b)

    def __radd__(self, other: Operand) -> Number:
        a = operand(other)
        return NotImplemented if a is None else add(a, self)

    def __sub__(self, other: Operand) -> Number:
        b = operand(other)
        return NotImplemented if b is None else subtract(self, b)

    def __rsub__(self, other: Operand) -> Number:
        a = operand(other)
        return NotImplemented if a is None else subtract(a, self)

    def __mul__(self, other: Operand) -> Number:
        b = operand(other)
        return NotImplemented if b is None else multiply(self, b)

    def __rmul__(self, other: Operand) -> Number:
        a = operand(other)
        return NotImplemented if a is None else multiply(a, self)

    def __truediv__(self, other: Operand) -> Number:
        b = operand(other)
        return NotImplemented if b is None else divide(self, b)

    def __rtruediv__(self, other: Operand) -> Number:
        a = operand(other)
        return NotImplemented if a is None else divide(a, self)

    def __pow__(self, other: Operand) -> Number:
        b = operand(other)
        return NotImplemented if b is None else power(self, b)

    def __rpow__(self, other: Operand) -> Number:
        a = operand(other)
        return NotImplemented if a is None else power(a, self)

    def __mod__(self, other: object) -> NoReturn:
        raise ExpressionError(f"'{self}' cannot be taken modulo", "for a value that repeats use sin, cos, if_ or a table")

    __rmod__ = __floordiv__ = __rfloordiv__ = __divmod__ = __mod__

    def __neg__(self) -> Number:
        return negate(self)

    @property
    def x(self) -> Expression:
        """First component of a vector."""
        return self._component("x")

    @property
    def y(self) -> Expression:
        """Second component of a vector."""
        return self._component("y")

    @property
    def z(self) -> Expression:
        """Third component of a vector."""
        return self._component("z")

    def _component(self, axis: str) -> Expression:
        return Expression("name", (*self.args, axis)) if self.op == "name" else Expression("component", (self, axis))

    def __pos__(self) -> Expression:
        return self

    def __abs__(self) -> Number:
        value = constant(self)
        return Expression("call", ("abs", self)) if value is None else abs(value)

    def __lt__(self, other: Operand) -> Number:
        b = operand(other)
        return NotImplemented if b is None else compare("<", self, b)

    def __le__(self, other: Operand) -> Number:
        b = operand(other)
        return NotImplemented if b is None else compare("<=", self, b)

    def __gt__(self, other: Operand) -> Number:
        b = operand(other)
        return NotImplemented if b is None else compare(">", self, b)

    def __ge__(self, other: Operand) -> Number:
        b = operand(other)
        return NotImplemented if b is None else compare(">=", self, b)


# The slots' own setters pass by the __setattr__ that forbids changes; half the time of object.__setattr__.
_put_op, _put_args, _put_span, _put_text, _put_hash = (
    vars(Expression)[slot].__set__ for slot in ("op", "args", "span", "text", "_hash")
)

Number: TypeAlias = float | Expression
Operand: TypeAlias = Number | Sequence[Number]


def number(value: float) -> Expression:
    """Make the expression of a constant; NaN and infinity are refused with an ExpressionError."""
    shared = _SMALL.get(value)
    if shared is not None:
        return shared
    value = float(value)
    if not math.isfinite(value):
        raise ExpressionError(f"{value} is not a number a model can use", "give a finite number")
    return Expression("number", (value,))


_SMALL: dict[float, Expression] = {float(k): Expression("number", (float(k),)) for k in range(1, 17)}
"""Small whole numbers, most of the constants of lowered formulas, are made once."""


def name(*path: str) -> Expression:
    """Make the expression of a dotted name: ``name("rod", "small", "x")`` is ``rod.small.x``."""
    for part in path or ("",):
        if not part.isidentifier():
            raise ExpressionError(
                f'"{part}" is not a name', 'use letters, digits and _, one argument for each part: name("rod", "x")'
            )
    return Expression("name", path)


def node(value: Number) -> Expression:
    """Make an Expression of a number, whether it is one already or a float."""
    return value if type(value) is Expression else number(value)


def constant(value: Number) -> float | None:
    """Read the value of a float or a numeral; None for everything else."""
    if type(value) is Expression:
        return value.args[0] if value.op == "number" else None
    return value


def plain(value: Number) -> Number:
    """Make a float of a numeral, and leave everything else as it is."""
    known = constant(value)
    return value if known is None else known


def operand(value: object) -> Number | None:
    """Take what stands beside an Expression in Python arithmetic; None if it cannot stand there."""
    kind = type(value)
    if kind is Expression or kind is float:
        return value  # type: ignore[return-value]
    if kind is int or (kind is not bool and isinstance(value, Real)):
        return float(value)  # type: ignore[arg-type]
    if isinstance(value, tuple | list) and value:
        parts = [operand(part) for part in value]
        if all(part is not None for part in parts):
            return Expression("vector", tuple(node(part) for part in parts if part is not None))
    return None


def error_at(expression: Expression, problem: str, hint: str = "") -> ExpressionError:
    """Make an error that points at an expression in its source, or shows the expression if it has no source."""
    if expression.text is not None and expression.span is not None:
        return ExpressionError(problem, hint, expression.text, expression.span)
    text = str(expression)
    return ExpressionError(problem, hint, text, (0, len(text)))


def _unflatten(rows: list[Any]) -> Expression:
    built: list[Expression] = []
    for op, own, operands, span, text in rows:
        parts = tuple(built[index] for index in operands)
        args = parts + own if op == "component" else own + parts
        built.append(Expression(op, args, span, text))
    return built[-1]


# Arithmetic that folds. Each takes floats and Expressions and gives a float whenever both are constant. A
# result that is not finite (1/0) is left as a formula: it may stand in the branch of an if() that is never taken.


def _binary(op: str, a: Number, b: Number) -> Expression:
    return Expression(op, (node(a), node(b)))


def _has_components(value: Number) -> bool:
    """Whether a value is plainly a vector, so that 0 times it is not the number 0."""
    if type(value) is not Expression:
        return False
    return value.op == "vector" or (value.op == "call" and value.args[0] in ("cross", "unit"))


def add(a: Number, b: Number) -> Number:
    """Add two numbers, folded."""
    x, y = constant(a), constant(b)
    if x is not None:
        if y is not None and math.isfinite(x + y):
            return x + y
        if x == 0.0:
            return b
    elif y is not None:
        if y == 0.0:
            return a
        if y < 0.0:
            return Expression("-", (a, number(-y)))
    if type(b) is Expression and b.op == "neg":
        return subtract(a, b.args[0])
    return _binary("+", a, b)


def subtract(a: Number, b: Number) -> Number:
    """Subtract b from a, folded."""
    x, y = constant(a), constant(b)
    if x is not None:
        if y is not None and math.isfinite(x - y):
            return x - y
        if x == 0.0:
            return negate(b)
    elif y is not None:
        if y == 0.0:
            return a
        if y < 0.0:
            return Expression("+", (a, number(-y)))
    elif a == b and not _has_components(a):
        return 0.0
    if type(b) is Expression and b.op == "neg":
        return add(a, b.args[0])
    return _binary("-", a, b)


def negate(a: Number) -> Number:
    """Change the sign, folded."""
    if type(a) is not Expression:
        return -a
    if a.op == "number":
        return -float(a.args[0])
    if a.op == "neg":
        inner: Expression = a.args[0]
        return plain(inner)
    return Expression("neg", (a,))


def multiply(a: Number, b: Number) -> Number:
    """Multiply two numbers, folded; constants in a chain of products are collected into one."""
    x, y = constant(a), constant(b)
    if x is not None and y is not None:
        return x * y if math.isfinite(x * y) else _binary("*", a, b)
    if type(b) is Expression and x is not None:
        return _scaled(b, x, factor_first=True)
    if type(a) is Expression and y is not None:
        return _scaled(a, y, factor_first=False)
    if type(a) is Expression and type(b) is Expression and a.op == "neg" and b.op == "neg":
        return multiply(a.args[0], b.args[0])
    return Expression("*", (a, b))


def _scaled(a: Expression, factor: float, factor_first: bool) -> Number:
    """Multiply an expression by a constant; a loop, because a parsed chain of products may be thousands long."""
    if factor == 0.0 and not _has_components(a):
        return 0.0
    while a.op == "neg" or a.op == "*":
        if a.op == "neg":
            a, factor = a.args[0], -factor
            continue
        position = 0 if a.args[0].op == "number" else 1
        inner = constant(a.args[position])
        merged = 0.0 if inner is None else inner * factor
        # a product that over- or underflows would not be the same formula any more
        if not 1e-290 < abs(merged) < math.inf:
            break
        a, factor, factor_first = a.args[1 - position], merged, position == 0
    known = constant(a)
    if known is not None:
        return multiply(known, factor)
    if factor == 1.0:
        return a
    if factor == -1.0:
        return Expression("neg", (a,))
    return Expression("*", (number(factor), a) if factor_first else (a, number(factor)))


def divide(a: Number, b: Number) -> Number:
    """Divide a by b, folded; nothing is divided by a constant zero."""
    x, y = constant(a), constant(b)
    if y is not None and y != 0.0:
        if x is not None and math.isfinite(x / y):
            return x / y
        if y == 1.0:
            return plain(a)
        if y == -1.0:
            return negate(a)
    if x == 0.0 and y != 0.0:
        return 0.0
    return _binary("/", a, b)


def power(a: Number, b: Number) -> Number:
    """Raise a to the power b, folded; a ^ 0 is 1."""
    x, y = constant(a), constant(b)
    if y == 0.0 or x == 1.0:
        return 1.0
    if y == 1.0:
        return plain(a)
    if x is not None and y is not None:
        try:
            value = x**y
        except (OverflowError, ZeroDivisionError):
            return _binary("^", a, b)
        if isinstance(value, float) and math.isfinite(value):
            return value
    return _binary("^", a, b)


def compare(op: str, a: Number, b: Number) -> Number:
    """Compare two numbers, folded: 1 where it holds, 0 elsewhere."""
    x, y = constant(a), constant(b)
    if x is not None and y is not None:
        return float(COMPARISONS[op](x, y))
    return _binary(op, a, b)
