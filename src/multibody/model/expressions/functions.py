"""The functions of the language: one row each, with its numbers, its derivative and its Python face.

To add a function, add a row to FUNCTIONS (and a line at the end of this file if Python users shall call it):
parser, folding, derivatives, evaluation and messages all read the row.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

from . import arrays
from .arrays import ufunc
from .error import ExpressionError
from .nodes import (
    Expression,
    Number,
    Operand,
    add,
    compare,
    constant,
    divide,
    error_at,
    multiply,
    negate,
    node,
    operand,
    power,
    subtract,
)

Rule = Callable[[tuple[Number, ...], tuple[Number, ...]], Number]


class FunctionInfo(NamedTuple):
    """One function of the language.

    Parameters
    ----------
    min_args, max_args : int
        How many arguments it takes; ``max_args`` is None where there is no limit.
    doc : str
        ``signature: what it is``.
    numpy : callable
        Its value: takes floats or arrays of one shape, gives the same. The functions of vectors take arrays
        whose last axis holds the components.
    derivative : callable, optional
        ``derivative(args, d_args)`` is the differential for given differentials of the arguments. None marks a
        function of vectors, which `components` expands before anything is differentiated.
    simplify : callable, optional
        ``simplify(*args)`` gives a simpler number, or None.
    switches : callable, optional
        ``switches(*args)`` gives the numbers at whose zeros the function or one of its derivatives jumps.
    """

    min_args: int
    max_args: int | None
    doc: str
    numpy: Callable[..., Any]
    derivative: Rule | None
    simplify: Callable[..., Number | None] | None = None
    switches: Callable[..., list[Number]] | None = None

    @property
    def signature(self) -> str:
        """How it is called, for instance ``atan2(y, x)``."""
        return self.doc.partition(":")[0]

    def accepts(self, count: int) -> bool:
        """Whether it can be called with so many arguments."""
        return self.min_args <= count and (self.max_args is None or count <= self.max_args)


# Derivatives. Operators cannot be trusted to fold here when both sides are plain floats (1.0/0.0 raises),
# so divisions go through divide().


def _slope(of: Callable[[Expression], Number]) -> Rule:
    """Make the rule of a function of one argument from its slope."""
    return lambda args, d_args: multiply(of(node(args[0])), d_args[0])


def _over(denominator: Callable[[Expression], Number]) -> Rule:
    """Make the rule of a function of one argument whose slope is one over something."""
    return lambda args, d_args: divide(d_args[0], denominator(node(args[0])))


def _d_atan2(args: tuple[Number, ...], d_args: tuple[Number, ...]) -> Number:
    (y, x), (dy, dx) = args, d_args
    return divide(subtract(multiply(x, dy), multiply(y, dx)), add(power(x, 2.0), power(y, 2.0)))


def _d_extreme(args: tuple[Number, ...], d_args: tuple[Number, ...], name: str, op: str) -> Number:
    """Differential of min or max: the one of the argument that is taken, the first of equals."""
    rest, slope = args[-1], d_args[-1]
    for a, da in zip(args[-2::-1], d_args[-2::-1], strict=True):
        slope = apply("if", (compare(op, a, rest), da, slope))
        rest = apply(name, (a, rest))
    return slope


def _d_if(args: tuple[Number, ...], d_args: tuple[Number, ...]) -> Number:
    return apply("if", (args[0], d_args[1], d_args[2]))


def _d_ramp(
    args: tuple[Number, ...],
    d_args: tuple[Number, ...],
    shape: Callable[[Number], Number],
    slope: Callable[[Number], Number],
) -> Number:
    """Differential of y0 + (y1 - y0)*shape(u) between the ends, u = (x - x0)/(x1 - x0), and flat beyond them."""
    (x, x0, y0, x1, y1), (dx, dx0, dy0, dx1, dy1) = args, d_args
    width = subtract(x1, x0)
    u = divide(subtract(x, x0), width)
    du = divide(subtract(subtract(dx, dx0), multiply(u, subtract(dx1, dx0))), width)
    rise = multiply(multiply(subtract(y1, y0), slope(u)), du)
    between = add(add(dy0, multiply(shape(u), subtract(dy1, dy0))), rise)
    upper = apply("if", (compare(">=", x, x1), dy1, between))
    return apply("if", (compare("<=", x, x0), dy0, upper))


def _d_step(args: tuple[Number, ...], d_args: tuple[Number, ...]) -> Number:
    return _d_ramp(
        args,
        d_args,
        lambda u: multiply(power(u, 2.0), subtract(3.0, multiply(2.0, u))),
        lambda u: multiply(multiply(6.0, u), subtract(1.0, u)),
    )


def _d_haversine(args: tuple[Number, ...], d_args: tuple[Number, ...]) -> Number:
    return _d_ramp(
        args,
        d_args,
        lambda u: multiply(0.5, subtract(1.0, cos(multiply(math.pi, u)))),
        lambda u: multiply(0.5 * math.pi, sin(multiply(math.pi, u))),
    )


def _d_step5(args: tuple[Number, ...], d_args: tuple[Number, ...]) -> Number:
    return _d_ramp(
        args,
        d_args,
        lambda u: multiply(power(u, 3.0), add(10.0, multiply(u, subtract(multiply(6.0, u), 15.0)))),
        lambda u: multiply(30.0, power(multiply(u, subtract(1.0, u)), 2.0)),
    )


def _d_trapezoid(args: tuple[Number, ...], d_args: tuple[Number, ...]) -> Number:
    """Differential of y0 + (y1 - y0)*(up - down), the flanks being quintic steps from 0 to 1."""
    (x, x0, y0, x1, y1, x2, x3), (dx, dx0, dy0, dx1, dy1, dx2, dx3) = args, d_args
    up, down = (x, x0, 0.0, x1, 1.0), (x, x2, 0.0, x3, 1.0)
    height = subtract(apply("step5", up), apply("step5", down))
    slope = subtract(_d_step5(up, (dx, dx0, 0.0, dx1, 0.0)), _d_step5(down, (dx, dx2, 0.0, dx3, 0.0)))
    return add(dy0, add(multiply(subtract(dy1, dy0), height), multiply(subtract(y1, y0), slope)))


def _d_poly(args: tuple[Number, ...], d_args: tuple[Number, ...]) -> Number:
    x, x0, *coefficients = args
    along = subtract(d_args[0], d_args[1])
    lowered = [multiply(float(k), a) for k, a in enumerate(coefficients)][1:]
    slope = apply("poly", (x, x0, *lowered)) if lowered else 0.0
    return add(multiply(slope, along), apply("poly", (x, x0, *d_args[2:])))


def _simpler_poly(x: Number, x0: Number, *coefficients: Number) -> Number | None:
    """Drop the highest coefficients that are zero; a constant polynomial is its constant."""
    kept = list(coefficients)
    while len(kept) > 1 and constant(kept[-1]) == 0.0:
        kept.pop()
    if len(kept) == 1:
        return kept[0]
    return None if len(kept) == len(coefficients) else apply("poly", (x, x0, *kept))


def _simpler_if(condition: Number, a: Number, b: Number) -> Number | None:
    known = constant(condition)
    if known is not None:
        return b if known == 0.0 else a
    return a if a == b or (constant(a) is not None and constant(a) == constant(b)) else None


def _simpler_extreme(name: str, args: tuple[Number, ...]) -> Number | None:
    """Drop arguments that stand there twice."""
    kept = tuple(dict.fromkeys(args))
    if len(kept) == len(args):
        return None
    return kept[0] if len(kept) == 1 else apply(name, kept)


def _simpler_min(*args: Number) -> Number | None:
    return _simpler_extreme("min", args)


def _simpler_max(*args: Number) -> Number | None:
    return _simpler_extreme("max", args)


def _d_min(args: tuple[Number, ...], d_args: tuple[Number, ...]) -> Number:
    return _d_extreme(args, d_args, "min", "<=")


def _d_max(args: tuple[Number, ...], d_args: tuple[Number, ...]) -> Number:
    return _d_extreme(args, d_args, "max", ">=")


def _contests(name: str, args: tuple[Number, ...]) -> list[Number]:
    """List the differences between each argument of min or max and the extreme of those after it."""
    found: list[Number] = []
    rest = args[-1]
    for argument in args[-2::-1]:
        found.append(subtract(argument, rest))
        rest = apply(name, (argument, rest))
    return found[::-1]


def _min_switches(*args: Number) -> list[Number]:
    return _contests("min", args)


def _max_switches(*args: Number) -> list[Number]:
    return _contests("max", args)


def _trapezoid_switches(x: Number, x0: Number, y0: Number, x1: Number, y1: Number, x2: Number, x3: Number) -> list[Number]:
    return [subtract(x, corner) for corner in (x0, x1, x2, x3)]


def _ramp_switches(x: Number, x0: Number, y0: Number, x1: Number, y1: Number) -> list[Number]:
    return [subtract(x, x0), subtract(x, x1)]


FUNCTIONS: dict[str, FunctionInfo] = {
    "sin": FunctionInfo(1, 1, "sin(x): sine of x radians", ufunc("sin"), _slope(lambda x: cos(x))),
    "cos": FunctionInfo(1, 1, "cos(x): cosine of x radians", ufunc("cos"), _slope(lambda x: negate(sin(x)))),
    "tan": FunctionInfo(1, 1, "tan(x): tangent of x radians", ufunc("tan"), _slope(lambda x: 1.0 + tan(x) ** 2.0)),
    "asin": FunctionInfo(
        1, 1, "asin(x): angle in [-pi/2, pi/2] whose sine is x", ufunc("arcsin"), _over(lambda x: sqrt(1.0 - x**2.0))
    ),
    "acos": FunctionInfo(
        1, 1, "acos(x): angle in [0, pi] whose cosine is x", ufunc("arccos"),
        _over(lambda x: negate(sqrt(1.0 - x**2.0))),
    ),
    "atan": FunctionInfo(
        1, 1, "atan(x): angle in (-pi/2, pi/2) whose tangent is x", ufunc("arctan"), _over(lambda x: 1.0 + x**2.0)
    ),
    "atan2": FunctionInfo(2, 2, "atan2(y, x): angle of the point (x, y) in (-pi, pi]", ufunc("arctan2"), _d_atan2),
    "sinh": FunctionInfo(1, 1, "sinh(x): hyperbolic sine", ufunc("sinh"), _slope(lambda x: cosh(x))),
    "cosh": FunctionInfo(1, 1, "cosh(x): hyperbolic cosine", ufunc("cosh"), _slope(lambda x: sinh(x))),
    "tanh": FunctionInfo(1, 1, "tanh(x): hyperbolic tangent", ufunc("tanh"), _slope(lambda x: 1.0 - tanh(x) ** 2.0)),
    "exp": FunctionInfo(1, 1, "exp(x): e to the power x", ufunc("exp"), _slope(lambda x: exp(x))),
    "log": FunctionInfo(1, 1, "log(x): natural logarithm", ufunc("log"), _over(lambda x: x)),
    "sqrt": FunctionInfo(1, 1, "sqrt(x): square root", ufunc("sqrt"), _over(lambda x: 2.0 * sqrt(x))),
    "abs": FunctionInfo(1, 1, "abs(x): magnitude", ufunc("abs"), _slope(lambda x: sign(x)), None, lambda x: [x]),
    "sign": FunctionInfo(1, 1, "sign(x): -1, 0 or 1", ufunc("sign"), lambda args, d_args: 0.0, None, lambda x: [x]),
    "min": FunctionInfo(2, None, "min(a, b, ...): the smallest", arrays.smallest, _d_min, _simpler_min, _min_switches),
    "max": FunctionInfo(2, None, "max(a, b, ...): the largest", arrays.largest, _d_max, _simpler_max, _max_switches),
    "if": FunctionInfo(
        3, 3, "if(condition, a, b): a where the condition holds (is not 0), else b", arrays.choose, _d_if, _simpler_if,
        lambda condition, a, b: [condition],
    ),
    "step": FunctionInfo(
        5, 5, "step(x, x0, y0, x1, y1): y0 below x0, y1 above x1, a cubic with flat ends between", arrays.step, _d_step,
        None, _ramp_switches,
    ),
    "haversine": FunctionInfo(
        5, 5, "haversine(x, x0, y0, x1, y1): y0 below x0, y1 above x1, half a cosine wave between",
        arrays.haversine, _d_haversine, None, _ramp_switches,
    ),
    "step5": FunctionInfo(
        5, 5, "step5(x, x0, y0, x1, y1): y0 below x0, y1 above x1, a quintic between, slope and curvature 0 at its ends",
        arrays.step5, _d_step5, None, _ramp_switches,
    ),
    "trapezoid": FunctionInfo(
        7, 7, "trapezoid(x, x0, y0, x1, y1, x2, x3): y0 below x0, y1 from x1 to x2, y0 above x3, quintics like step5 between",
        arrays.trapezoid, _d_trapezoid, None, _trapezoid_switches,
    ),
    "poly": FunctionInfo(
        3, None, "poly(x, x0, a0, a1, ...): a0 + a1*(x - x0) + a2*(x - x0)^2 + ...", arrays.poly, _d_poly, _simpler_poly
    ),
    "norm": FunctionInfo(1, 1, "norm(a): length of a vector", arrays.norm, None),
    "unit": FunctionInfo(1, 1, "unit(a): vector of length 1 along a", arrays.unit, None),
    "cross": FunctionInfo(2, 2, "cross(a, b): vector product; a number for two vectors of 2", arrays.cross, None),
    "dot": FunctionInfo(2, 2, "dot(a, b): scalar product", arrays.dot, None),
}  # fmt: skip
"""Name of the function -> (min_args, max_args, doc, numpy callable, derivative, simplify, switches)."""


def function_of(call: Expression) -> FunctionInfo | None:
    """Find the row of a call: None if it is no built-in function; a wrong number of arguments is an ExpressionError."""
    info = FUNCTIONS.get(call.args[0])
    count = len(call.args) - 1
    if info is not None and not info.accepts(count):
        least = info.min_args
        if info.max_args is None:
            wanted = f"at least {least} arguments"
        else:
            wanted = f"{least} argument{'s' if least > 1 else ''}"
        raise error_at(call, f"{call.args[0]} takes {wanted}, not {count}", f"write {info.signature}")
    return info


def apply(name: str, args: Sequence[Number]) -> Number:
    """Apply a function to numbers: simplified, and evaluated if all its arguments are constants.

    A value that is not finite (``log(0)``) is left as a formula, and so is a call that makes no sense:
    `check_calls` is the place that complains.
    """
    info = FUNCTIONS.get(name)
    if info is not None and info.derivative is not None and info.accepts(len(args)):
        simpler = None if info.simplify is None else info.simplify(*args)
        if simpler is not None:
            return simpler
        constants = [constant(argument) for argument in args]
        if None not in constants:
            value = _value(info, constants)
            if math.isfinite(value):
                return value
    return Expression("call", (name, *(node(argument) for argument in args)))


def _value(info: FunctionInfo, constants: Sequence[float | None]) -> float:
    import numpy

    with numpy.errstate(all="ignore"):
        return float(info.numpy(*constants))


# The Python face.


class Function(Protocol):
    """A function of numbers for Python users: constants give a float, everything else an Expression."""

    def __call__(self, *args: Operand) -> Number:
        """Apply it to numbers."""


def as_operand(value: object, function: str) -> Number:
    """Take a Python argument as a number, or raise an ExpressionError that names the function."""
    number = operand(value)
    if number is None:
        raise ExpressionError(
            f"{function} cannot take {value!r}", "give it numbers or expressions; text becomes one with parse()"
        )
    return number


def _python_function(name: str) -> Function:
    info = FUNCTIONS[name]

    def call(*args: Operand) -> Number:
        if not info.accepts(len(args)):
            raise TypeError(f"{info.signature} cannot take {len(args)} arguments")
        return apply(name, [as_operand(argument, name) for argument in args])

    call.__name__ = call.__qualname__ = name
    call.__doc__ = info.doc
    return call


sin: Function = _python_function("sin")
cos: Function = _python_function("cos")
tan: Function = _python_function("tan")
asin: Function = _python_function("asin")
acos: Function = _python_function("acos")
atan: Function = _python_function("atan")
atan2: Function = _python_function("atan2")
sinh: Function = _python_function("sinh")
cosh: Function = _python_function("cosh")
tanh: Function = _python_function("tanh")
exp: Function = _python_function("exp")
log: Function = _python_function("log")
sqrt: Function = _python_function("sqrt")
abs_: Function = _python_function("abs")
min_: Function = _python_function("min")
max_: Function = _python_function("max")
sign: Function = _python_function("sign")
step: Function = _python_function("step")
haversine: Function = _python_function("haversine")
step5: Function = _python_function("step5")
trapezoid: Function = _python_function("trapezoid")
poly: Function = _python_function("poly")
if_: Function = _python_function("if")
