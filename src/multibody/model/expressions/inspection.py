"""What an expression uses: names, tables, functions, and the places where it switches."""

from __future__ import annotations

from collections.abc import Container, Iterable
from itertools import pairwise

from .error import ExpressionError, nearest
from .functions import FUNCTIONS, function_of
from .nodes import (
    COMPARISONS,
    Expression,
    Number,
    constant,
    error_at,
    subtract,
)
from .tree import children, postorder, with_children


def names(e: Number) -> set[tuple[str, ...]]:
    """All dotted paths an expression uses, ``t`` and constants such as ``pi`` included."""
    if not isinstance(e, Expression):
        return set()
    return {current.args for current in postorder(e) if current.op == "name"}


def tables(e: Number) -> set[str]:
    """All names an expression calls that are not built-in functions."""
    if not isinstance(e, Expression):
        return set()
    called = {current.args[0] for current in postorder(e) if current.op in ("call", "table")}
    return called - FUNCTIONS.keys()


def check_calls(e: Number, tables: Container[str] = ()) -> Number:
    """Check all calls, and turn those of tables into table nodes.

    Parameters
    ----------
    e : float or Expression
        Any formula.
    tables : container of str
        The tables of the model. If it can be iterated, a mistyped name is answered with the nearest one.

    Returns
    -------
    float or Expression
        The same formula, as written, with a ``table`` node of order 0 for each call of a table.

    Raises
    ------
    ExpressionError
        For unknown functions, wrong numbers of arguments, and ramps whose constant ends are in the wrong order.
    """
    if not isinstance(e, Expression):
        return e
    checked: dict[int, Expression] = {}
    for current in postorder(e):
        rewritten = with_children(current, [checked[id(child)] for child in children(current)])
        if current.op in ("call", "table"):
            rewritten = _checked(rewritten, tables)
        checked[id(current)] = rewritten
    return checked[id(e)]


def _checked(call: Expression, tables: Container[str]) -> Expression:
    title: str = call.args[0]
    if call.op == "call" and function_of(call) is not None:
        if title in ("step", "step5", "haversine", "trapezoid"):
            _check_ends(call)
        return call
    if title not in tables:
        raise unknown_function(call, tables)
    if call.op == "table":
        return call
    if len(call.args) != 2:
        raise error_at(call, f'table "{title}" takes 1 argument, not {len(call.args) - 1}', f"write {title}(x)")
    return Expression("table", (title, 0, call.args[1]), call.span, call.text)


def _check_ends(call: Expression) -> None:
    title, _, x0, _, x1, _, *fall = call.args
    corners = [("x0", x0), ("x1", x1), *(zip(("x2", "x3"), fall, strict=True) if fall else ())]
    for k, ((one, a), (two, b)) in enumerate(pairwise(corners)):
        low, high = constant(a), constant(b)
        if low is None or high is None or high > low or (k == 1 and high == low):  # a trapezoid may have no level part
            continue
        hint = f"{two} must be above {one}" if high < low or fall else "write if(x < x0, y0, y1) for a jump"
        raise error_at(call, f"{title} ends at {two} = {b}, not above {one} = {a}", hint)


def unknown_function(call: Expression, tables: Container[str] = ()) -> ExpressionError:
    """Make the error for a call of a name that is neither a function nor a table, with the nearest one that is."""
    title: str = call.args[0]
    choices = [*FUNCTIONS, *(tables if isinstance(tables, Iterable) else ())]
    near = nearest(title, choices)
    hint = f'did you mean "{near}"?' if near else f"there are {', '.join(choices)}"
    error = error_at(call, f'unknown function "{title}"', hint)
    if error.span is None:
        return error
    start = error.span[0]
    return ExpressionError(error.problem, error.hint, error.text, (start, start + len(title)))


def switches(e: Number) -> list[Expression]:
    """Expressions whose zero crossings are the points where a formula or one of its derivatives may jump.

    Parameters
    ----------
    e : float or Expression
        Of scalars.

    Returns
    -------
    list of Expression
        The arguments of ``abs`` and ``sign``, differences of those of ``min`` and ``max`` and of the two sides of
        comparisons, conditions of ``if`` that are plain numbers, distances from the ends of ``step``,
        ``step5``, ``haversine`` and ``trapezoid``; each once, in the order they are evaluated.
    """
    if not isinstance(e, Expression):
        return []
    order = postorder(e)
    stepwise = _stepwise(order)
    found: dict[Expression, None] = {}
    for current in order:
        for switch in _switches_of(current):
            if isinstance(switch, Expression) and id(switch) not in stepwise:
                found.setdefault(switch)
    return list(found)


def _switches_of(current: Expression) -> list[Number]:
    if current.op in COMPARISONS:
        return [subtract(*current.args)]
    function = function_of(current) if current.op == "call" else None
    if function is None or function.switches is None:
        return []
    return function.switches(*children(current))


def _stepwise(order: list[Expression]) -> set[int]:
    """Find nodes that are constant but for jumps (of numbers, comparisons, signs): they never pass through zero."""
    found: set[int] = set()
    for current in order:
        operands = children(current)
        jumps = current.op in COMPARISONS or (current.op == "call" and current.args[0] == "sign")
        made_of_such = bool(operands) and all(id(child) in found for child in operands)
        if jumps or current.op == "number" or made_of_such:
            found.add(id(current))
    return found
