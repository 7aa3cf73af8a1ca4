"""Numbers as users mean them: decimals become fractions, multiples of π and roots are found again where they were rounded."""

from __future__ import annotations

import functools
import math
from fractions import Fraction
from typing import Any

import sympy

DIGITS = 15  # a number that needs as many digits was computed, not written
PARTS = 720  # largest denominator of a multiple of π: a quarter of a degree
SQUARES = 64  # largest denominator of what a root is taken of


@functools.cache
def exact(value: float) -> Any:
    """Return a number as a fraction, a multiple of π or a root; what none of them meets to the last digit stays a decimal.

    A number that was written with few digits is that fraction, 0.35 = 7/20. One that takes all digits was computed: from
    ``2*pi``, ``30*deg``, ``1/3`` or an axis at 45°. It is taken for such a number if it equals it after rounding.

    Parameters
    ----------
    value : float

    Returns
    -------
    sympy.Expr
    """
    if value == math.floor(value) and abs(value) < 1e15:
        return sympy.Integer(int(value))
    text = repr(value)
    if sum(map(str.isdigit, text.partition("e")[0].lstrip("-0."))) < DIGITS:
        return sympy.Rational(text)
    fraction = Fraction(value).limit_denominator(1000)
    if _same(fraction.numerator / fraction.denominator, value):
        return sympy.Rational(fraction.numerator, fraction.denominator)
    turns = Fraction(value / math.pi).limit_denominator(PARTS)
    if turns and _same(turns.numerator / turns.denominator * math.pi, value):
        return sympy.Rational(turns.numerator, turns.denominator) * sympy.pi
    square = Fraction(value * value).limit_denominator(SQUARES)
    if square and _same(math.copysign(math.sqrt(square.numerator / square.denominator), value), value):
        return sympy.Integer(int(math.copysign(1.0, value))) * sympy.sqrt(sympy.Rational(square.numerator, square.denominator))
    return sympy.Rational(text)


def _same(a: float, b: float) -> bool:
    """Return whether two numbers differ by rounding alone."""
    return abs(a - b) <= 4.0 * math.ulp(b)
