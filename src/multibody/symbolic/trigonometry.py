"""Trigonometric sums in one form: products of sines and cosines become sines and cosines of sums.

cos a cos b = ½ cos(a − b) + ½ cos(a + b), and so on. In that form equal terms meet and cancel, cos² + sin² among them. An
expression is held as Σ (x + i z) e^{iφ}, by phase φ; a product adds phases.
"""

from __future__ import annotations

import time
from typing import Any

import sympy

MOST = 60  # terms of a sum in this form; an expression with more is left as it is
LONGEST = 300  # operations of an expression that is looked at

Phases = dict[Any, tuple[Any, Any]]
ZERO, ONE = sympy.Integer(0), sympy.Integer(1)


class _TooLongError(Exception):
    """The form has too many terms."""


def simplified(expression: Any, until: float) -> Any:
    """Return an expression in the form of this module, or as it is if that is shorter, or the time has run out.

    Parameters
    ----------
    expression : sympy.Expr
    until : float
        Time of ``time.process_time`` after which nothing is simplified any more: a limit for the worst case, while the
        sizes above, which do not depend on the machine, decide as a rule.
    """
    if expression.is_Atom or time.process_time() > until:
        return expression
    before = _operations(expression)
    if before > LONGEST:
        return expression
    try:
        found = _joined(_phases(expression))
    except _TooLongError:
        return expression
    return found if _operations(found) <= before else expression


def _operations(e: Any) -> int:
    """Return how many nodes an expression has, counted up to a little more than the longest that is looked at."""
    count = 0
    for _ in sympy.preorder_traversal(e):
        count += 1
        if count > 2 * LONGEST:
            break
    return count


def _phases(e: Any) -> Phases:
    """Return an expression by phases; what is no sum, product, power, sine or cosine is a coefficient."""
    if not e.has(sympy.sin, sympy.cos):
        return {ZERO: (e, ZERO)}
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
        raise _TooLongError
    product: Phases = {}
    for phase, (x, z) in a.items():
        for other, (r, s) in b.items():
            p, q = product.get(phase + other, (ZERO, ZERO))
            product[phase + other] = (p + x * r - z * s, q + x * s + z * r)
    return _short(product)


def _short(total: Phases) -> Phases:
    """Return a sum without the phases whose coefficients vanish."""
    found = {phase: (sympy.expand_mul(x, deep=False), sympy.expand_mul(z, deep=False)) for phase, (x, z) in total.items()}
    found = {phase: pair for phase, pair in found.items() if pair != (0, 0)}
    if sum(len(sympy.Add.make_args(x)) + len(sympy.Add.make_args(z)) for x, z in found.values()) > 2 * MOST:
        raise _TooLongError
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
