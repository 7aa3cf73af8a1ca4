"""Walks over the tree of a formula.

Every walk keeps its own stack: a flat sum of thousands of terms is a tree thousands of levels deep, and
must not meet Python's recursion limit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .nodes import Expression


def children(expression: Expression) -> tuple[Expression, ...]:
    """List the operands of an expression, in order; numbers and names have none."""
    op = expression.op
    if op == "number" or op == "name":
        return ()
    if op == "call":
        return expression.args[1:]
    if op == "table":
        return expression.args[2:]
    if op == "component":
        return expression.args[:1]
    return expression.args


def with_children(expression: Expression, operands: Sequence[Expression]) -> Expression:
    """Give an expression other operands: nothing is folded, and it keeps its place in the source."""
    op, args = expression.op, expression.args
    if all(new is old for new, old in zip(operands, children(expression), strict=True)):
        return expression
    if op == "call":
        rebuilt: tuple[Any, ...] = (args[0], *operands)
    elif op == "table":
        rebuilt = (args[0], args[1], *operands)
    elif op == "component":
        rebuilt = (*operands, args[1])
    else:
        rebuilt = tuple(operands)
    return type(expression)(op, rebuilt, expression.span, expression.text)


def postorder(expression: Expression) -> list[Expression]:
    """All nodes of a tree, operands before what they are operands of, shared nodes once.

    Walkers keep their results in a dictionary by ``id(node)``. That makes them linear in the number of
    distinct nodes, which matters because derivatives share their parts.
    """
    order: list[Expression] = []
    seen: set[int] = set()
    pending: list[tuple[Expression, bool]] = [(expression, False)]
    while pending:
        current, ready = pending.pop()
        if ready:
            order.append(current)
        elif id(current) not in seen:
            seen.add(id(current))
            pending.append((current, True))
            pending.extend([(child, False) for child in reversed(children(current))])
    return order


def same_tree(first: Expression, second: Expression) -> bool:
    """Whether two trees are equal, node by node; places in the source do not count."""
    kind = type(first)
    pending = [(first, second)]
    known: set[tuple[int, int]] = set()
    while pending:
        a, b = pending.pop()
        if a is b or (id(a), id(b)) in known:
            continue
        if a._hash != b._hash or a.op != b.op or len(a.args) != len(b.args):
            return False
        known.add((id(a), id(b)))
        for x, y in zip(a.args, b.args, strict=True):
            if type(x) is kind and type(y) is kind:
                pending.append((x, y))
            elif x != y:
                return False
    return True


def flatten(expression: Expression) -> list[Any]:
    """Write a tree as rows (op, own arguments, positions of the operands, span, text), operands first."""
    kind = type(expression)
    order = postorder(expression)
    position = {id(each): index for index, each in enumerate(order)}
    rows: list[Any] = []
    for each in order:
        own = tuple(arg for arg in each.args if type(arg) is not kind)
        rows.append((each.op, own, [position[id(child)] for child in children(each)], each.span, each.text))
    return rows
