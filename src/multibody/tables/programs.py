"""Expressions into programs of the stack machine: codes and constants."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from multibody.errors import ModelError
from multibody.kernels import codes as L
from multibody.model.expressions import Expression, Number, differentiate, fold, if_
from multibody.model.expressions import cos as cos_of

_UNARY = {
    "sin": L.OP_SIN, "cos": L.OP_COS, "tan": L.OP_TAN, "asin": L.OP_ASIN, "acos": L.OP_ACOS, "atan": L.OP_ATAN,
    "sinh": L.OP_SINH, "cosh": L.OP_COSH, "tanh": L.OP_TANH, "exp": L.OP_EXP, "log": L.OP_LOG, "sqrt": L.OP_SQRT,
    "abs": L.OP_ABS, "sign": L.OP_SIGN,
}  # fmt: skip
_BINARY = {
    "+": L.OP_ADD, "-": L.OP_SUBTRACT, "*": L.OP_MULTIPLY, "/": L.OP_DIVIDE,
    "<": L.OP_LESS, "<=": L.OP_LESS_EQUAL, ">": L.OP_GREATER, ">=": L.OP_GREATER_EQUAL,
    "==": L.OP_EQUAL, "!=": L.OP_NOT_EQUAL,
}  # fmt: skip
LARGEST_POWER = 8  # whole exponents up to here are multiplied out
WORTH_KEEPING = 3  # operations of a part that occurs several times, below which it is computed again

Operation = tuple[int, int, tuple[int, ...]]  # code, argument, operands by their numbers


def _step(x: Number, x0: Number, y0: Number, x1: Number, y1: Number) -> Number:
    """Return the cubic smooth step as arithmetic."""
    u = (x - x0) / (x1 - x0)
    return if_(x <= x0, y0, if_(x >= x1, y1, y0 + (y1 - y0) * u * u * (3.0 - 2.0 * u)))


def _haversine(x: Number, x0: Number, y0: Number, x1: Number, y1: Number) -> Number:
    """Return the cosine ramp as arithmetic."""
    u = (x - x0) / (x1 - x0)
    return if_(x <= x0, y0, if_(x >= x1, y1, y0 + (y1 - y0) * (1.0 - cos_of(math.pi * u)) / 2.0))


def _step5(x: Number, x0: Number, y0: Number, x1: Number, y1: Number) -> Number:
    """Return the quintic smooth step as arithmetic."""
    u = (x - x0) / (x1 - x0)
    return if_(x <= x0, y0, if_(x >= x1, y1, y0 + (y1 - y0) * u * u * u * (10.0 + u * (6.0 * u - 15.0))))


def _trapezoid(x: Number, x0: Number, y0: Number, x1: Number, y1: Number, x2: Number, x3: Number) -> Number:
    """Return the smooth trapezoid as arithmetic."""
    return y0 + (y1 - y0) * (_step5(x, x0, 0.0, x1, 1.0) - _step5(x, x2, 0.0, x3, 1.0))


def _poly(x: Number, x0: Number, *coefficients: Number) -> Number:
    """Return Σ a_k (x − x0)^k by Horner's rule."""
    total: Number = 0.0
    for a in reversed(coefficients):
        total = total * (x - x0) + a
    return total


_MACROS: dict[str, Callable[..., Number]] = {
    "step": _step, "haversine": _haversine, "step5": _step5, "trapezoid": _trapezoid, "poly": _poly,
}  # fmt: skip


class Compiler:
    """Collects programs; equal programs are stored once.

    Parameters
    ----------
    parameters : mapping
        Path of a scalar parameter → its slot.
    splines : mapping
        Name of a table → its number.
    constant : callable
        Returns the offset in F of a constant.
    """

    def __init__(
        self, parameters: Mapping[tuple[str, ...], int], splines: Mapping[str, int], constant: Callable[[float], int]
    ) -> None:
        self.code: list[int] = []
        self.parameters, self.splines, self.constant = parameters, splines, constant
        self.kept = 0  # values that a program keeps at most
        self._starts: dict[tuple[object, tuple[tuple[str, ...], ...]], int] = {}
        self._constants: dict[tuple[float, float], int] = {}

    def program(self, formula: Number, inputs: Sequence[tuple[str, ...]], where: str) -> int:
        """Return the start of the program of a formula in the code, −1 if the formula is zero."""
        formula = fold(formula)
        if isinstance(formula, float) and formula == 0.0:
            return -1
        key = (formula, tuple(inputs))
        if key not in self._starts:
            start = len(self.code)
            depth = self._emit(formula, {path: k for k, path in enumerate(inputs)}, where)
            if depth > L.STACK_DEPTH - 2:
                raise ModelError("the formula nests too deep", where=where, hint="split it with parameters or outputs")
            self.code += [L.OP_END, 0]
            self._starts[key] = start
        return self._starts[key]

    def program_of_zero(self) -> int:
        """Return the start of a program that gives zero."""
        start = len(self.code)
        self.code += [L.OP_CONSTANT, self.constant(0.0), L.OP_END, 0]
        return start

    def table(self, formula: Number, count: int, where: str, *, second: bool = True) -> list[int]:
        """Return the program table of G(t, c₁…c_count): value, first and, if asked, second partial derivatives."""
        inputs: list[tuple[str, ...]] = [("t",), *((coordinate(k + 1)).args for k in range(count))]
        first = [differentiate(formula, path) for path in inputs]
        entries = [self.program(formula, inputs, where)]
        entries += [self.program(item, inputs, where) for item in first]
        for k, item in enumerate(first if second else ()):
            entries += [self.program(differentiate(item, path), inputs, where) for path in inputs[k:]]
        return entries

    def _emit(self, root: Number, inputs: Mapping[tuple[str, ...], int], where: str) -> int:
        """Append the code of a formula in postfix order; return the depth of stack it needs.

        What occurs several times is computed once and kept. As a tree, the second derivative of a product of n factors has n³
        operations, and that of a chain of n squares 2ⁿ; with shared parts both have a multiple of n.
        """
        nodes, (last,) = self._nodes([root], inputs, where)
        uses, sizes = _uses(nodes), _sizes(nodes)
        kept: dict[int, int] = {}
        pending: list[tuple[int, bool]] = [(last, False)]
        depth = deepest = 0
        while pending:
            k, ready = pending.pop()
            op, arg, operands = nodes[k]
            if ready:
                self.code += [op, arg]
                depth += 1 - len(operands)
                if uses[k] > 1 and sizes[k] >= WORTH_KEEPING:
                    kept[k] = len(kept)
                    self.code += [L.OP_KEEP, kept[k]]
            elif operands and k not in kept:
                pending.append((k, True))
                pending.extend((each, False) for each in reversed(operands))
            else:
                self.code += [L.OP_LOAD, kept[k]] if k in kept else [op, arg]
                depth += 1
            deepest = max(deepest, depth)
        self.kept = max(self.kept, len(kept))
        return deepest

    def operations(
        self, formulas: Sequence[Number], inputs: Mapping[tuple[str, ...], int], where: str
    ) -> tuple[list[Operation], list[int]]:
        """Return the operations of some formulas, operands before what uses them and equal ones once.

        Returns
        -------
        operations : list of Operation
        values : list of int
            Which of them gives the value of each formula.
        """
        return self._nodes([fold(each) for each in formulas], inputs, where)

    def _nodes(
        self, roots: Sequence[Number], inputs: Mapping[tuple[str, ...], int], where: str
    ) -> tuple[list[Operation], list[int]]:
        """Return the operations of formulas, and which of them are the formulas' values."""
        known: dict[Operation, int] = {}
        found: dict[int, int] = {}  # by the identity of parts of the formula
        alive: list[Sequence[Number]] = [roots]  # parts made on the way, whose identity must not be given again
        pending: list[tuple[Number, tuple[int, int, Sequence[Number]] | None]] = [(root, None) for root in reversed(roots)]
        while pending:
            item, operation = pending.pop()
            if id(item) in found:
                continue
            if operation is not None:
                op, arg, operands = operation
                parts = tuple(found[id(each)] for each in operands)
                found[id(item)] = parts[0] if op < 0 else known.setdefault((op, arg, parts), len(known))
            elif isinstance(item, float | int):
                found[id(item)] = known.setdefault((L.OP_CONSTANT, self._constant(float(item)), ()), len(known))
            elif item.op in ("name", "number"):
                found[id(item)] = known.setdefault((*self._leaf(item, inputs, where), ()), len(known))
            else:
                made = self._operation(item, where)
                alive.append(made[2])
                pending.append((item, made))
                pending.extend((each, None) for each in reversed(made[2]))
        return list(known), [found[id(root)] for root in roots]

    def _constant(self, value: float) -> int:
        """Return the place of a constant in F, the same for equal ones."""
        key = (value, math.copysign(1.0, value))
        if key not in self._constants:
            self._constants[key] = self.constant(value)
        return self._constants[key]

    def _leaf(self, item: Expression, inputs: Mapping[tuple[str, ...], int], where: str) -> tuple[int, int]:
        """Return the operation of a constant, an input or a parameter."""
        constants = {("pi",): math.pi, ("deg",): math.pi / 180.0, ("rpm",): math.pi / 30.0}
        if item.op == "number":
            return L.OP_CONSTANT, self._constant(item.args[0])
        if item.args in inputs:
            return L.OP_INPUT, inputs[item.args]
        if item.args in self.parameters:
            return L.OP_PARAMETER, self.parameters[item.args]
        if item.args in constants:
            return L.OP_CONSTANT, self._constant(constants[item.args])
        raise ModelError(f'"{".".join(item.args)}" cannot stand here', where=where, hint="use t and parameters")

    def _operation(self, item: Expression, where: str) -> tuple[int, int, list[Number]]:
        """Return (operation, argument, operands); operation −1: replace by the operands themselves."""
        if item.op in _BINARY:
            return _BINARY[item.op], 0, list(item.args)
        if item.op == "neg":
            return L.OP_NEGATE, 0, [item.args[0]]
        if item.op == "^":
            base, exponent = item.args
            power = exponent if isinstance(exponent, float) else exponent.args[0] if exponent.op == "number" else None
            if isinstance(power, float) and power.is_integer() and 0 <= power <= LARGEST_POWER:
                return L.OP_INTEGER_POWER, int(power), [base]
            return L.OP_POWER, 0, [base, exponent]
        if item.op == "table":
            return L.OP_SPLINE, 8 * self.splines[item.args[0]] + item.args[1], [item.args[2]]
        function, arguments = str(item.args[0]), list(item.args[1:])
        if function in _UNARY:
            return _UNARY[function], 0, arguments
        if function == "atan2":
            return L.OP_ATAN2, 0, arguments
        if function == "if":
            return L.OP_SELECT, 0, arguments
        if function in ("min", "max"):
            code = L.OP_MIN if function == "min" else L.OP_MAX
            nested: Number = arguments[0]
            for k in range(1, len(arguments) - 1):
                nested = Expression("call", (function, nested, arguments[k]))
            return code, 0, [nested, arguments[-1]]
        if function in _MACROS:
            return -1, 0, [_MACROS[function](*arguments)]
        raise ModelError(f'the function "{function}" cannot stand here', where=where, hint="use a scalar function")


def _uses(nodes: Sequence[Operation]) -> list[int]:
    """Return how often each operation is an operand."""
    uses = [0] * len(nodes)
    for _, _, operands in nodes:
        for each in operands:
            uses[each] += 1
    return uses


def _sizes(nodes: Sequence[Operation]) -> list[int]:
    """Return how many operations each has as a tree, counted no further than it matters."""
    sizes: list[int] = []
    for _, _, operands in nodes:
        sizes.append(min(1 + sum(sizes[each] for each in operands), WORTH_KEEPING))
    return sizes


def coordinate(k: int) -> Expression:
    """Return the k-th coordinate of a row as a name that no user can write."""
    return Expression("name", (f"#{k}",))
