"""Expressions as text: the shortest formula that parses back to the same tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .nodes import Expression

COMPARISON, SUM, PRODUCT, UNARY, POWER, ATOM = range(10, 70, 10)
"""How tightly an operator binds; the parser uses the same ladder."""

LEVELS = {
    "<": COMPARISON, "<=": COMPARISON, ">": COMPARISON, ">=": COMPARISON, "==": COMPARISON, "!=": COMPARISON,
    "+": SUM, "-": SUM, "*": PRODUCT, "/": PRODUCT, "neg": UNARY, "^": POWER,
}  # fmt: skip


def numeral(value: float) -> str:
    """Write a float as the shortest text that reads back the same; whole numbers without a point."""
    text = repr(value)
    return text[:-2] if text.endswith(".0") else text


def formula(expression: Expression) -> str:
    """Write an expression as a formula with as few parentheses as possible.

    The walk keeps its own stack, so a sum of thousands of terms, which is a tree of that depth, is
    printed in linear time and without recursion.
    """
    written: list[str] = []
    pending: list[str | tuple[Expression, int]] = [(expression, COMPARISON)]
    while pending:
        piece = pending.pop()
        if isinstance(piece, str):
            written.append(piece)
            continue
        node, least = piece
        pieces = _pieces(node)
        if _level(node) < least:
            pieces = ["(", *pieces, ")"]
        pending.extend(reversed(pieces))
    return "".join(written)


def _level(node: Expression) -> int:
    if node.op == "number":
        return UNARY if numeral(node.args[0]).startswith("-") else ATOM
    return LEVELS.get(node.op, ATOM)


def _pieces(node: Expression) -> list[str | tuple[Expression, int]]:
    """Write a node in pieces; an operand stands with the level below which it needs parentheses."""
    op, args = node.op, node.args
    if op == "number":
        return [numeral(args[0])]
    if op == "name":
        return [".".join(args)]
    if op == "call":
        return [args[0], "(", *_separated(args[1:]), ")"]
    if op == "vector":
        return ["[", *_separated(args), "]"]
    if op == "table":
        return [args[0] + "'" * args[1], "(", (args[2], COMPARISON), ")"]
    if op == "component":
        # A bare "pA.x" would read as a dotted name.
        bare = args[0].op in ("call", "table", "vector", "component")
        return [(args[0], ATOM if bare else ATOM + 1), "." + args[1]]
    if op == "neg":
        # "-2" is a numeral; the negation of the numeral 2 is another tree.
        plain_numeral = args[0].op == "number" and _level(args[0]) == ATOM
        return ["-", (args[0], ATOM + 1 if plain_numeral else UNARY)]
    return _binary(op, *args)


def _binary(op: str, left: Expression, right: Expression) -> list[str | tuple[Expression, int]]:
    level = LEVELS[op]
    if level == COMPARISON:
        return [(left, SUM), f" {op} ", (right, SUM)]
    if level == POWER:
        return [(left, ATOM), op, (right, UNARY)]
    return [(left, level), f" {op} " if level == SUM else op, (right, level + 1)]


def _separated(nodes: tuple[Expression, ...]) -> list[str | tuple[Expression, int]]:
    pieces: list[str | tuple[Expression, int]] = []
    for node in nodes:
        pieces += [", ", (node, COMPARISON)] if pieces else [(node, COMPARISON)]
    return pieces
