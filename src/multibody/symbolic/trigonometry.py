"""Trigonometric sums in one form: products of sines and cosines become sines and cosines of sums.

cos a cos b = ½ cos(a − b) + ½ cos(a + b), and so on. In that form equal terms meet and cancel, cos² + sin² among them. An
expression is held as Σ (x + i z) e^{iφ}, by phase φ; a product adds phases.
"""

from __future__ import annotations

import time
from typing import Any

import sympy

MOST = 120  # terms of a sum in this form; an expression with more is left as it is

Phases = dict[Any, tuple[Any, Any]]
ZERO, ONE = sympy.Integer(0), sympy.Integer(1)


class _TooLong(Exception):
    """The form has too many terms."""


def simplified(expression: Any, until: float) -> Any:
    """Return an expression in the form of this module, or as it is if that is shorter, or the time has run out.

    Parameters
    ----------
    expression : sympy.Expr
    until : float
        Time of ``time.monotonic`` after which nothing is simplified any more.
    """
    if expression.is_Atom or time.monotonic() > until:
        return expression
    try:
        found = _joined(_phases(expression))
    except _TooLong:
        return expression
    return found if found.count_ops() <= expression.count_ops() else expression


def _phases(e: Any) -> Phases:
    """Return an expression by phases; what is no sum, product, power, sine or cosine is a coefficient."""
    if e.is_Add:
        total: Phases = {}
        for part in e.args:
            for phase, (x, z) in _phases(part).items():
                a, b = total.get(phase, (ZERO, ZERO))
                total[phase] = (a + x, b + z)
        return _short(total)
    if e.is_Mul:
        product: Phases = {ZERO: (ONE, ZERO)}
        for part in e.args:
            product = _times(product, _phases(part))
        return product
    if e.is_Pow and e.exp.is_Integer and 2 <= e.exp <= 4 and e.base.has(sympy.sin, sympy.cos):
        base = _phases(e.base)
        product = base
        for _ in range(int(e.exp) - 1):
            product = _times(product, base)
        return product
    half = sympy.Rational(1, 2)
    if isinstance(e, sympy.cos):
        return {e.args[0]: (half, ZERO), -e.args[0]: (half, ZERO)}
    if isinstance(e, sympy.sin):
        return {e.args[0]: (ZERO, -half), -e.args[0]: (ZERO, half)}
    return {ZERO: (e, ZERO)}


def _times(a: Phases, b: Phases) -> Phases:
    """Return the product of two sums."""
    if len(a) * len(b) > MOST * MOST:
        raise _TooLong
    product: Phases = {}
    for phase, (x, z) in a.items():
        for other, (r, s) in b.items():
            p, q = product.get(phase + other, (ZERO, ZERO))
            product[phase + other] = (p + x * r - z * s, q + x * s + z * r)
    return _short(product)


def _short(total: Phases) -> Phases:
    """Return a sum without the phases whose coefficients vanish."""
    found = {phase: (sympy.expand(x), sympy.expand(z)) for phase, (x, z) in total.items()}
    found = {phase: pair for phase, pair in found.items() if pair != (0, 0)}
    if len(found) > MOST:
        raise _TooLong
    return found


def _joined(total: Phases) -> Any:
    """Return a real sum by phases as sines and cosines: coefficients of φ and −φ are conjugate."""
    terms, done = [], set()
    for phase, (x, z) in total.items():
        if phase in done:
            continue
        done |= {phase, -phase}
        if phase == 0:
            terms.append(x)
            continue
        up = -phase if phase.could_extract_minus_sign() else phase
        sign = 1 if up == phase else -1
        terms.append(2 * sympy.factor_terms(x) * sympy.cos(up) - 2 * sign * sympy.factor_terms(z) * sympy.sin(up))
    return sympy.Add(*terms)
