"""The expression language: formulas as data.

Any number of a model may be a formula of parameters, coordinates and time. This package parses formulas
(and can do nothing else with them than what is written here), prints, folds, differentiates, expands their
vector algebra and evaluates them. `FUNCTIONS` is the table of the built-in functions.
"""

from .calculus import differentiate, fold, substitute
from .error import ExpressionError
from .evaluate import evaluate
from .functions import (
    FUNCTIONS,
    FunctionInfo,
    abs_,
    acos,
    asin,
    atan,
    atan2,
    cos,
    cosh,
    exp,
    haversine,
    if_,
    log,
    max_,
    min_,
    poly,
    sign,
    sin,
    sinh,
    sqrt,
    step,
    step5,
    tan,
    tanh,
    trapezoid,
)
from .inspection import check_calls, names, switches, tables
from .nodes import CONSTANTS, Expression, Number, deg, name, number, pi, rpm
from .parser import as_number, parse
from .tree import children, postorder
from .vectors import component, components, cross, dot, norm, unit

t = name("t")
phi = name("phi")

__all__ = [
    "CONSTANTS",
    "FUNCTIONS",
    "Expression",
    "ExpressionError",
    "FunctionInfo",
    "Number",
    "abs_",
    "acos",
    "as_number",
    "asin",
    "atan",
    "atan2",
    "check_calls",
    "children",
    "component",
    "components",
    "cos",
    "cosh",
    "cross",
    "deg",
    "differentiate",
    "dot",
    "evaluate",
    "exp",
    "fold",
    "haversine",
    "if_",
    "log",
    "max_",
    "min_",
    "name",
    "names",
    "norm",
    "number",
    "parse",
    "phi",
    "pi",
    "poly",
    "postorder",
    "rpm",
    "sign",
    "sin",
    "sinh",
    "sqrt",
    "step",
    "step5",
    "substitute",
    "switches",
    "t",
    "tables",
    "tan",
    "tanh",
    "trapezoid",
    "unit",
]
