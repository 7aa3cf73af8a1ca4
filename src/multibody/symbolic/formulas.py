"""Formulas of users as SymPy expressions: parameters stay symbols, tables stay functions with a name."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

import sympy

from multibody.model.expressions import CONSTANTS, Expression, Number, children, postorder
from multibody.symbolic.exact import exact

_ARITHMETIC: dict[str, Callable[..., Any]] = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": lambda a, b: a / b,
    "^": lambda a, b: a**b, "neg": lambda a: -a,
}  # fmt: skip
_RELATIONS: dict[str, Any] = {
    "<": sympy.Lt, "<=": sympy.Le, ">": sympy.Gt, ">=": sympy.Ge, "==": sympy.Eq, "!=": sympy.Ne,
}  # fmt: skip
_CONSTANTS = {("pi",): sympy.pi, ("deg",): sympy.pi / 180, ("rpm",): sympy.pi / 30}
assert _CONSTANTS.keys() == CONSTANTS.keys()


class Table(sympy.Function):  # type: ignore[misc]
    """A table of points, or one of its derivatives, as a function with a name; subclasses are made by :func:`table_class`."""

    nargs = 1
    table, order = "", 0

    def fdiff(self, argindex: int = 1) -> Any:
        """Return the next derivative."""
        return table_class(self.table, self.order + 1)(self.args[0])

    def _latex(self, printer: Any, exp: Any = None) -> str:
        name = rf"\mathrm{{{self.table}}}{chr(39) * self.order}\left({printer._print(self.args[0])}\right)"
        return name if exp is None else f"{name}^{{{exp}}}"

    def _sympystr(self, printer: Any) -> str:
        return f"{self.table}{chr(39) * self.order}({printer._print(self.args[0])})"


_CLASSES: dict[tuple[str, int], Any] = {}


def table_class(name: str, order: int = 0) -> Any:
    """Return the function that a table's derivative of some order is."""
    if (name, order) not in _CLASSES:
        made = type(f"table_{name}_{order}", (Table,), {"table": name, "order": order})
        _CLASSES[name, order] = made
    return _CLASSES[name, order]


def symbolic(formula: Number, names: Mapping[tuple[str, ...], Any]) -> Any:
    """Return a formula as a SymPy expression.

    Parameters
    ----------
    formula : float or Expression
        Its vector algebra expanded.
    names : mapping
        What every name stands for, by its path.
    """
    if not isinstance(formula, Expression):
        return exact(float(formula))
    done: dict[int, Any] = {}
    for node in postorder(formula):
        done[id(node)] = _node(node, [done[id(child)] for child in children(node)], names)
    return done[id(formula)]


def _node(node: Expression, parts: list[Any], names: Mapping[tuple[str, ...], Any]) -> Any:
    """Return one node of a formula, its operands given."""
    if node.op == "number":
        return exact(float(node.args[0]))
    if node.op == "name":
        return _CONSTANTS[node.args] if node.args in _CONSTANTS else names[node.args]
    if node.op in _ARITHMETIC:
        return _ARITHMETIC[node.op](*parts)
    if node.op in _RELATIONS:
        return _chosen(_RELATIONS[node.op](*parts), sympy.Integer(1), sympy.Integer(0))
    if node.op == "table":
        return table_class(node.args[0], node.args[1])(*parts)
    known = _CALLS.get(node.args[0])
    return table_class(node.args[0])(*parts) if known is None else known(*parts)


def _chosen(condition: Any, a: Any, b: Any) -> Any:
    """Return a where a condition holds, else b."""
    return sympy.Piecewise((a, condition), (b, True))


def _if(condition: Any, a: Any, b: Any) -> Any:
    """Return a where a number is not 0; one that was made of a comparison is that comparison."""
    if isinstance(condition, sympy.Piecewise) and [pair[0] for pair in condition.args] == [1, 0]:
        return _chosen(condition.args[0][1], a, b)
    return _chosen(sympy.Ne(condition, 0), a, b)


class largest(sympy.Function):  # type: ignore[misc]  # noqa: N801
    """The larger of two numbers; SymPy's own compares its arguments by all that it knows of them, which takes seconds."""

    nargs = 2

    def _latex(self, printer: Any, exp: Any = None) -> str:
        return _extreme_latex(printer, r"\max", self.args, exp)


class smallest(sympy.Function):  # type: ignore[misc]  # noqa: N801
    """The smaller of two numbers."""

    nargs = 2

    def _latex(self, printer: Any, exp: Any = None) -> str:
        return _extreme_latex(printer, r"\min", self.args, exp)


def _extreme_latex(printer: Any, word: str, args: Any, exp: Any) -> str:
    """Return an extreme in LaTeX."""
    text = rf"{word}\left({', '.join(printer._print(x) for x in args)}\right)"
    return text if exp is None else f"{text}^{{{exp}}}"


def _extreme(kind: Any) -> Callable[..., Any]:
    """Return the smallest or largest of several numbers."""
    return lambda *args: functools.reduce(kind, args)


def _ramp(shape: Callable[[Any], Any]) -> Callable[..., Any]:
    """Return y0 before x0, y1 after x1, and a shape of u = (x − x0)/(x1 − x0) between."""

    def ramp(x: Any, x0: Any, y0: Any, x1: Any, y1: Any) -> Any:
        between = y0 + (y1 - y0) * shape((x - x0) / (x1 - x0))
        return sympy.Piecewise((y0, x <= x0), (y1, x >= x1), (between, True))

    return ramp


_STEP5 = _ramp(lambda u: u**3 * (10 - 15 * u + 6 * u**2))


def _trapezoid(x: Any, x0: Any, y0: Any, x1: Any, y1: Any, x2: Any, x3: Any) -> Any:
    """Return y0 + (y1 − y0)(up − down) with two quintic flanks."""
    return y0 + (y1 - y0) * (_STEP5(x, x0, 0, x1, 1) - _STEP5(x, x2, 0, x3, 1))


def _poly(x: Any, x0: Any, *coefficients: Any) -> Any:
    """Return Σ a_k (x − x0)^k."""
    return sum((a * (x - x0) ** k for k, a in enumerate(coefficients)), sympy.Integer(0))


_CALLS: dict[str, Callable[..., Any]] = {
    "sin": sympy.sin, "cos": sympy.cos, "tan": sympy.tan, "asin": sympy.asin, "acos": sympy.acos, "atan": sympy.atan,
    "atan2": sympy.atan2, "sinh": sympy.sinh, "cosh": sympy.cosh, "tanh": sympy.tanh, "exp": sympy.exp, "log": sympy.log,
    "sqrt": sympy.sqrt, "abs": sympy.Abs, "sign": sympy.sign, "min": _extreme(smallest), "max": _extreme(largest), "if": _if,
    "step": _ramp(lambda u: u**2 * (3 - 2 * u)), "haversine": _ramp(lambda u: (1 - sympy.cos(sympy.pi * u)) / 2),
    "step5": _STEP5, "trapezoid": _trapezoid, "poly": _poly,
}  # fmt: skip
