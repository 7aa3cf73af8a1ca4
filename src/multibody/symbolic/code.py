"""Code of equations: functions of C and Python that need nothing but their mathematics, with common parts shared."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import sympy
from sympy.printing.c import C99CodePrinter
from sympy.printing.pycode import PythonCodePrinter
from sympy.simplify.cse_main import tree_cse

from multibody.symbolic.bodies import wrap
from multibody.symbolic.formulas import Table, largest, smallest
from multibody.symbolic.names import Names, identifier

MANY_ZEROS = 4  # from which they are written in a loop
PI = "3.141592653589793238462643"


@dataclass(frozen=True)
class Routine:
    """A function to be written: its name, the arrays of symbols that it is given, what it computes, and what that is in words.

    Attributes
    ----------
    name, doc : str
    arguments : tuple of str
        Names of its arrays, keys of the arguments of the whole code; ``t`` is a number and comes first.
    value : sympy.Matrix
        Written by rows.
    definitions : tuple of (symbol, expression)
        Abbreviations that the value may use, each of earlier ones.
    matrix : bool
        Whether it is a matrix even where it has one column.
    """

    name: str
    doc: str
    arguments: tuple[str, ...]
    value: Any
    definitions: tuple[tuple[Any, Any], ...] = ()
    matrix: bool = False


@dataclass(frozen=True)
class Program:
    """All routines of a model with what they share.

    Attributes
    ----------
    header : list of str
        Lines of the comment at the top.
    arrays : dict
        Symbols of each array that routines are given: q, v, p, ….
    derived : list of (symbol, expression)
        Parameters that follow from others.
    tables : dict
        Kind (1: periodic), knots and coefficients of each table.
    values : list of float
        Of the parameters, in the order of p.
    """

    names: Names
    header: Sequence[str]
    arrays: Mapping[str, Sequence[Any]]
    derived: Sequence[tuple[Any, Any]]
    tables: Mapping[str, tuple[int, Sequence[float], Sequence[float]]]
    values: Sequence[float]
    routines: Sequence[Routine]


class _Naming:
    """Prints symbols under their identifiers; what has a helper in the code is a call of it."""

    names: Names
    extremes: ClassVar[dict[Any, str]] = {}

    def _print_Symbol(self, expr: Any) -> str:
        known = self.names.known.get(expr)
        return str(expr.name) if known is None else known.code

    def _print_Pi(self, expr: Any) -> str:
        return PI

    def _print_Function(self, expr: Any) -> str:
        if isinstance(expr, largest | smallest):
            return f"{self.extremes[type(expr)]}({', '.join(map(self._print, expr.args))})"  # type: ignore[attr-defined]
        if isinstance(expr, wrap):
            return f"wrap({self._print(expr.args[0])})"  # type: ignore[attr-defined]
        if isinstance(expr, Table):
            return f"table_{identifier(expr.table).strip('_')}({expr.order}, {self._print(expr.args[0])})"  # type: ignore[attr-defined]
        return str(super()._print_Function(expr))  # type: ignore[misc]

    def _print_sign(self, expr: Any) -> str:
        x = self._print(expr.args[0])  # type: ignore[attr-defined]
        return f"(({x} > 0) - ({x} < 0))"


class _C(_Naming, C99CodePrinter):  # type: ignore[misc]
    """C, with small powers as products."""

    extremes: ClassVar[dict[Any, str]] = {largest: "fmax", smallest: "fmin"}

    def _print_BooleanTrue(self, expr: Any) -> str:
        return "1"

    def _print_BooleanFalse(self, expr: Any) -> str:
        return "0"

    def _print_Pow(self, expr: Any) -> str:
        base, power = expr.args
        if power in (2, 3, 4) and base.is_Symbol:
            return f"({'*'.join([self._print(base)] * int(power))})"
        return str(super()._print_Pow(expr))


class _Python(_Naming, PythonCodePrinter):  # type: ignore[misc]
    """Python, whose mathematics is that of ``math``."""

    extremes: ClassVar[dict[Any, str]] = {largest: "max", smallest: "min"}


def _used(program: Program, routine: Routine) -> tuple[set[Any], list[tuple[Any, Any]]]:
    """Return the symbols that a routine uses, and the derived parameters and abbreviations among them in their order."""
    used = set(routine.value.free_symbols)
    derived = []
    for symbol, formula in reversed([*program.derived, *routine.definitions]):
        if symbol in used:
            derived.append((symbol, formula))
            used |= formula.free_symbols
    return used, derived[::-1]


def _shared(derived: list[tuple[Any, Any]], routine: Routine, names: Names) -> tuple[list[tuple[Any, Any]], list[Any]]:
    """Return abbreviations with the common parts of all expressions among them, each before its use, and the values.

    Parts are the same subexpressions alone: a search for common factors too takes most of the time and saves little. Branches
    share nothing with the rest: a root or a quotient in one may have no value where another is taken.
    """
    symbols: Iterator[Any] = (
        sympy.Symbol(text, real=True) for text in (f"c{k}" for k in itertools.count()) if text not in names.codes
    )
    choices: dict[Any, Any] = {}
    given = [_without_choices(x, choices, symbols) for x in (*(formula for _, formula in derived), *routine.value)]
    parts, found = tree_cse(given, symbols, order="none")
    waiting, lines = {symbol: choice for choice, symbol in choices.items()} | dict(parts), list[tuple[Any, Any]]()

    def need(expression: Any) -> None:
        """Write the parts that an expression is made of."""
        for symbol in sorted(expression.free_symbols & waiting.keys(), key=lambda own: int(str(own)[1:])):
            if symbol in waiting:
                value = waiting.pop(symbol)
                need(value)
                lines.append((symbol, value))

    for (symbol, _), value in zip(derived, found, strict=False):
        need(value)
        lines.append((symbol, value))
    values = found[len(derived) :]
    for value in values:
        need(value)
    return lines, values


def _without_choices(e: Any, choices: dict[Any, Any], symbols: Iterator[Any]) -> Any:
    """Return an expression with a symbol for each choice of branches: a branch is computed only where it is taken."""
    if isinstance(e, sympy.Piecewise):
        if e not in choices:
            choices[e] = next(symbols)
        return choices[e]
    if not e.args or not e.has(sympy.Piecewise):
        return e
    return e.func(*(_without_choices(part, choices, symbols) for part in e.args))


# --- Python ------------------------------------------------------------------------------------------------------------------
def python(program: Program) -> str:
    """Return the routines in Python; they return lists, a matrix as a list of rows."""
    printer = _Python({"fully_qualified_modules": True, "order": "none"})
    printer.names = program.names
    # a model's words must not end the comment that they stand in: a model file cannot run code
    words = [" ".join(line.splitlines()).replace("\\", "/").replace('"', "'") for line in program.header]
    lines = ['"""' + words[0], *words[1:], '"""', "import math", ""]
    lines.append(f"P = [{', '.join(map(repr, program.values))}]")
    lines += _python_helpers(program)
    for routine in program.routines:
        used, derived = _used(program, routine)
        parts, values = _shared(derived, routine, program.names)
        lines += ["", "", f"def {routine.name}({', '.join(('t', *routine.arguments))}):", f'    """{routine.doc}"""']
        for array in routine.arguments:
            for k, symbol in enumerate(program.arrays[array]):
                if symbol in used:
                    lines.append(f"    {program.names.known[symbol].code} = {array}[{k}]")
        for symbol, formula in parts:
            lines.append(f"    {printer._print(symbol)} = {printer._print(formula)}")
        rows, columns = routine.value.shape
        texts = [printer._print(value) for value in values]
        if not routine.matrix:
            lines.append(f"    return [{', '.join(texts)}]")
        else:
            own = [", ".join(texts[columns * r : columns * (r + 1)]) for r in range(rows)]
            lines.append("    return [" + ", ".join(f"[{row}]" for row in own) + "]")
    return "\n".join(lines) + "\n"


def _python_helpers(program: Program) -> list[str]:
    """Return the functions that expressions call."""
    lines: list[str] = []
    if any(routine.value.has(wrap) for routine in program.routines):
        lines += ["", "", "def wrap(x):", '    """Return an angle less its whole turns."""']
        lines.append(f"    return x - 2.0*{PI}*math.floor(0.5*x/{PI} + 0.5)")
    if program.tables:
        lines += ["", "", *_PYTHON_TABLE.splitlines()]
    for name, (kind, knots, coefficients) in program.tables.items():
        own = identifier(name).strip("_")
        lines += ["", "", f"def table_{own}(order, x):", f'    """Return a derivative of the table {own} at x."""']
        lines.append(f"    return table({kind}, {list(knots)!r}, {list(coefficients)!r}, order, x)")
    return lines


_PYTHON_TABLE = '''def table(periodic, knots, pieces, order, x):
    """Return a derivative of piecewise cubics in the distance from their left knots; flat outside, or periodic."""
    first, last = knots[0], knots[-1]
    if periodic:
        x -= (last - first)*math.floor((x - first)/(last - first))
    elif x < first or x > last:
        if order > 0:
            return 0.0
        x = min(max(x, first), last)
    k = 0
    while k + 2 < len(knots) and x >= knots[k + 1]:
        k += 1
    u, (a, b, c, d) = x - knots[k], pieces[4*k:4*k + 4]
    return [a + u*(b + u*(c + u*d)), b + u*(2*c + 3*d*u), 2*c + 6*d*u, 6*d, 0.0][min(order, 4)]'''


# --- C -----------------------------------------------------------------------------------------------------------------------
def c(program: Program) -> str:
    """Return the routines in C (C99, ``math.h`` alone); each writes its values to ``out``, by rows."""
    printer = _C({"order": "none"})
    printer.names = program.names
    words = [" ".join(line.splitlines()).replace("*/", "* /").replace("\\", "/").rstrip() for line in program.header]
    lines = ["/* " + words[0], *(f"   {line}".rstrip() for line in words[1:]), "*/", "#include <math.h>", ""]
    if program.values:
        lines.append(f"const double P[{len(program.values)}] = {{{', '.join(map(repr, program.values))}}};")
    lines += _c_helpers(program)
    for routine in program.routines:
        used, derived = _used(program, routine)
        parts, values = _shared(derived, routine, program.names)
        arrays = "".join(f", const double *{array}" for array in routine.arguments)
        rows, columns = routine.value.shape
        shape = f"{rows}*{columns}, by rows" if routine.matrix else f"{rows}"
        lines += ["", f"/* {routine.doc} out: {shape} */"]
        lines.append(f"void {routine.name}(double t{arrays}, double *out)")
        lines.append("{")
        for array in routine.arguments:
            own = [(k, symbol) for k, symbol in enumerate(program.arrays[array]) if symbol in used]
            lines += [f"    const double {program.names.known[symbol].code} = {array}[{k}];" for k, symbol in own]
            if not own:
                lines.append(f"    (void){array};")
        if not any(str(symbol) == "t" for symbol in used):
            lines.append("    (void)t;")
        for symbol, formula in parts:
            lines.append(f"    const double {printer._print(symbol)} = {printer._print(formula)};")
        zero = sum(value == 0 for value in values) > MANY_ZEROS
        if zero:
            lines.append(f"    for (int k = 0; k < {len(values)}; k++) out[k] = 0.0;")
        lines += [f"    out[{k}] = {printer._print(value)};" for k, value in enumerate(values) if not (zero and value == 0)]
        lines.append("}")
    return "\n".join(lines) + "\n"


def _c_helpers(program: Program) -> list[str]:
    """Return the functions that expressions call."""
    lines: list[str] = []
    if any(routine.value.has(wrap) for routine in program.routines):
        lines += ["", "/* an angle less its whole turns */", "static double wrap(double x)", "{"]
        lines += [f"    return x - 2.0*{PI}*floor(0.5*x/{PI} + 0.5);", "}"]
    if program.tables:
        lines += ["", *_C_TABLE.splitlines()]
    for name, (kind, knots, pieces) in program.tables.items():
        own, count = identifier(name).strip("_"), len(knots)
        lines += ["", f"static double table_{own}(int order, double x)", "{"]
        lines.append(f"    static const double knots[{count}] = {{{', '.join(map(repr, knots))}}};")
        lines.append(f"    static const double pieces[{len(pieces)}] = {{{', '.join(map(repr, pieces))}}};")
        lines += [f"    return table({kind}, {count}, knots, pieces, order, x);", "}"]
    return lines


_C_TABLE = """/* a derivative of piecewise cubics in the distance from their left knots; flat outside, or periodic */
static double table(int periodic, int count, const double *knots, const double *pieces, int order, double x)
{
    const double first = knots[0], last = knots[count - 1];
    const double *a;
    double u;
    int k = 0;
    if (periodic)
        x -= (last - first)*floor((x - first)/(last - first));
    else if (x < first || x > last) {
        if (order > 0)
            return 0.0;
        x = x < first ? first : last;
    }
    while (k + 2 < count && x >= knots[k + 1])
        k++;
    u = x - knots[k];
    a = pieces + 4*k;
    if (order == 0)
        return a[0] + u*(a[1] + u*(a[2] + u*a[3]));
    if (order == 1)
        return a[1] + u*(2.0*a[2] + 3.0*a[3]*u);
    if (order == 2)
        return 2.0*a[2] + 6.0*a[3]*u;
    return order == 3 ? 6.0*a[3] : 0.0;
}"""
