"""Constraint equations on paper: Φ = Σ w c + G(c, t), its Jacobian, and the right-hand sides of velocity and acceleration.

Φ_q = Σ (w_k + G_k) ∇c_k,   ν = −G_t,   γ = Σ (w_k + G_k) γ_k − Σ G_kl ẋ_k ẋ_l,   x_0 = t, x_k = c_k
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sympy

from multibody.model.expressions import Expression, Number, differentiate
from multibody.symbolic.bodies import ZERO, Functions
from multibody.symbolic.formulas import symbolic
from multibody.tables.build import RowRecord
from multibody.tables.programs import coordinate

Path = tuple[str, ...]


@dataclass(frozen=True)
class Row:
    """One equation: value, entries of its gradient by column, ν and γ."""

    value: Any
    entries: dict[int, Any]
    nu: Any
    gamma: Any


def row(record: RowRecord, functions: Functions) -> Row:
    """Return a row of the lowered model on paper."""
    terms = [functions[term.function] for term in record.terms]
    paths: list[Path] = [("t",), *(coordinate(k + 1).args for k in range(len(terms)))]
    names = {**functions.names, **dict(zip(paths[1:], (term.value for term in terms), strict=True))}
    weights = [functions.number(term.weight) for term in record.terms]
    slopes, curves = _derivatives(record.formula, paths, names)
    factors = [w + slope for w, slope in zip(weights, slopes[1:], strict=True)]
    entries: dict[int, Any] = {}
    for factor, term in zip(factors, terms, strict=True):
        for column, g in term.columns:
            entries[column] = entries.get(column, ZERO) + factor * g
    value = sum((w * term.value for w, term in zip(weights, terms, strict=True)), symbolic(record.formula, names))
    rates = [sympy.Integer(1), *(term.rate for term in terms)]
    gamma = sum((factor * term.gamma for factor, term in zip(factors, terms, strict=True)), ZERO)
    gamma -= sum((curve * rates[k] * rates[l] for (k, l), curve in curves.items()), ZERO)
    return Row(value, {c: g for c, g in entries.items() if g != 0}, -slopes[0], gamma)


def _derivatives(
    formula: Number, paths: Sequence[Path], names: Mapping[Path, Any]
) -> tuple[list[Any], dict[tuple[int, int], Any]]:
    """Return first and second partial derivatives of a formula, as the lowering forms them."""
    if not isinstance(formula, Expression):
        return [ZERO] * len(paths), {}
    first = [differentiate(formula, path) for path in paths]
    second = {(k, l): differentiate(own, other) for k, own in enumerate(first) for l, other in enumerate(paths)}
    return [symbolic(g, names) for g in first], {at: symbolic(g, names) for at, g in second.items() if g != 0.0}
