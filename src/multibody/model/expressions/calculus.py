"""Folding, substitution and differentiation of expressions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from .functions import apply, function_of, log
from .nodes import (
    COMPARISONS,
    CONSTANTS,
    Expression,
    Number,
    add,
    compare,
    divide,
    error_at,
    multiply,
    negate,
    node,
    plain,
    power,
    subtract,
)
from .tree import children, postorder, with_children

Path = tuple[str, ...]

ARITHMETIC: dict[str, Callable[..., Number]] = {
    "+": add, "-": subtract, "*": multiply, "/": divide, "^": power, "neg": negate,
}  # fmt: skip


def rebuild(expression: Expression, operands: Sequence[Number]) -> Number:
    """Apply the same operation to other operands, folded. A new node keeps the old one's place in the source."""
    op = expression.op
    if op in ARITHMETIC:
        result = ARITHMETIC[op](*operands)
    elif op in COMPARISONS:
        result = compare(op, operands[0], operands[1])
    elif op == "call":
        result = apply(expression.args[0], operands)
    else:
        return with_children(expression, [node(each) for each in operands])
    if not isinstance(result, Expression) or result.span is not None or expression.span is None:
        return result
    return Expression(result.op, result.args, expression.span, expression.text)


def fold(e: Number) -> Number:
    """Fold the constants of an expression and simplify ``x + 0``, ``x*1``, ``x*0``, ``x^1``, ``x^0``, ``--x``, ...

    Parameters
    ----------
    e : float or Expression
        Of scalars: expand vectors with `components` before, since a name does not tell whether it is one.

    Returns
    -------
    float or Expression
        A float if everything in it was constant; ``pi``, ``deg`` and ``rpm`` are. An operation whose value
        would not be finite (``1/0``) stays as it is.
    """
    if not isinstance(e, Expression):
        return float(e)
    folded: dict[int, Number] = {}
    for current in postorder(e):
        if current.op == "number":
            folded[id(current)] = current
        elif current.op == "name":
            folded[id(current)] = CONSTANTS.get(current.args, current)
        else:
            result = rebuild(current, [folded[id(child)] for child in children(current)])
            folded[id(current)] = current if result == current else result
    return plain(folded[id(e)])


def substitute(e: Number, mapping: Mapping[Path, Number]) -> Number:
    """Put numbers or formulas in place of names, all at once.

    Parameters
    ----------
    e : float or Expression
        Any formula.
    mapping : mapping of path to float or Expression
        ``{("rod", "x"): 0.5}``; a path stands for exactly this name, not for longer ones.

    Returns
    -------
    float or Expression
        What contains a replaced name is folded on the way; everything else stays as written.
    """
    if not isinstance(e, Expression):
        return float(e)
    result: dict[int, Number] = {}
    for current in postorder(e):
        if current.op == "name":
            replaced = mapping.get(current.args, current)
            result[id(current)] = replaced if isinstance(replaced, Expression) else float(replaced)
            continue
        old = children(current)
        new = [result[id(child)] for child in old]
        unchanged = all(x is y for x, y in zip(new, old, strict=True))
        result[id(current)] = current if unchanged else rebuild(current, new)
    return plain(result[id(e)])


def differentiate(e: Number, path: Path | str) -> Number:
    """Partial derivative with respect to a name, folded.

    Parameters
    ----------
    e : float or Expression
        Of scalars; vectors are refused: expand them with `components` before.
    path : tuple of str
        The name, for instance ``("t",)`` or ``("O", "angle")``; also as text, ``"O.angle"``. All other names are held.

    Returns
    -------
    float or Expression
        ``abs`` gives ``sign``, ``min`` and ``max`` the derivative of the argument taken, ``sign`` and comparisons
        0, ``if`` the ``if`` of the derivatives. A table gives its next derivative.
    """
    if isinstance(path, str):
        path = tuple(path.split("."))
    if not isinstance(e, Expression):
        return 0.0
    slopes: dict[int, Number] = {}
    for current in postorder(e):
        if current.op == "name":
            slopes[id(current)] = 1.0 if current.args == path else 0.0
            continue
        inner = tuple(slopes[id(child)] for child in children(current))
        _refuse_vectors(current)
        slopes[id(current)] = _slope(current, inner) if any(slope != 0.0 for slope in inner) else 0.0
    return fold(slopes[id(e)])


def _refuse_vectors(current: Expression) -> None:
    function = function_of(current) if current.op == "call" else None
    if current.op in ("vector", "component") or (function is not None and function.derivative is None):
        raise error_at(current, "a vector cannot be differentiated as a whole", "expand it with components() before")


def _slope(current: Expression, inner: tuple[Number, ...]) -> Number:
    """Differentiate a node, given the derivatives of its operands, of which at least one is not zero."""
    op = current.op
    operands = children(current)
    if op in ("+", "-", "neg"):
        return ARITHMETIC[op](*inner)
    if op == "*":
        return add(multiply(inner[0], operands[1]), multiply(operands[0], inner[1]))
    if op == "/":
        return _quotient_slope(current, inner)
    if op == "^":
        return _power_slope(current, inner)
    if op in COMPARISONS:
        return 0.0
    if op == "call":
        function = function_of(current)
        if function is not None:
            assert function.derivative is not None
            return function.derivative(operands, inner)
        if len(operands) != 1:
            raise error_at(current, f'"{current.args[0]}" cannot be differentiated', "a table takes 1 argument")
    order = current.args[1] if op == "table" else 0
    return multiply(Expression("table", (current.args[0], order + 1, operands[0])), inner[0])


def _quotient_slope(quotient: Expression, inner: tuple[Number, ...]) -> Number:
    b = quotient.args[1]
    da, db = inner
    if db == 0.0:
        return divide(da, b)
    # (da - (a/b)*db)/b has no b^2 to over- or underflow
    return divide(subtract(da, multiply(quotient, db)), b)


def _power_slope(current: Expression, inner: tuple[Number, ...]) -> Number:
    a, b = current.args
    da, db = inner
    # A fixed exponent needs no logarithm, which would spoil x^2 at and below x = 0.
    along_base = multiply(multiply(b, power(a, subtract(b, 1.0))), da) if da != 0.0 else 0.0
    if db == 0.0:
        return along_base
    return add(along_base, multiply(multiply(current, log(a)), db))
