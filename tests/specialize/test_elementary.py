"""Own functions in plain arithmetic against the mathematical library, and at the edges that IEEE 754 names."""

from __future__ import annotations

import math
from decimal import Decimal, getcontext
from typing import Any

import numpy as np
import pytest

from multibody.kernels.compile import kernel
from multibody.specialize import elementary as e

SPECIAL = (0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, 1e-310, 2.0, -2.0, 0.5, 3.0)
RANGES = {
    "sin": (-1e4, 1e4), "cos": (-1e4, 1e4), "tan": (-10.0, 10.0), "exp": (-740.0, 709.0), "log": (0.5, 2.0),
    "asin": (-1.0, 1.0), "acos": (-1.0, 1.0), "atan": (-30.0, 30.0), "sinh": (-30.0, 30.0), "cosh": (-30.0, 30.0),
    "tanh": (-5.0, 5.0),
}  # fmt: skip
NUMPY = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2", "pow": "power"}


NAMES = list(e.OWN)


@kernel
def each(which, x, y, out):  # type: ignore[no-untyped-def]
    for i in range(x.size):
        if which == 0:
            out[i] = e.sine(x[i])
        elif which == 1:
            out[i] = e.cosine(x[i])
        elif which == 2:
            out[i] = e.tangent(x[i])
        elif which == 3:
            out[i] = e.exponential(x[i])
        elif which == 4:
            out[i] = e.logarithm(x[i])
        elif which == 5:
            out[i] = e.power(x[i], y[i])
        elif which == 6:
            out[i] = e.arcsine(x[i])
        elif which == 7:
            out[i] = e.arccosine(x[i])
        elif which == 8:
            out[i] = e.arctangent(x[i])
        elif which == 9:
            out[i] = e.arctangent2(x[i], y[i])
        elif which == 10:
            out[i] = e.hyperbolic_sine(x[i])
        elif which == 11:
            out[i] = e.hyperbolic_cosine(x[i])
        elif which == 12:
            out[i] = e.hyperbolic_tangent(x[i])


def values(name: str, x: Any, y: Any = None) -> Any:
    out = np.zeros(len(x))
    each(NAMES.index(name), x, x if y is None else y, out)
    return out


def units(got: Any, wanted: Any) -> float:
    """Return the largest difference in units in the last place."""
    return float(np.max(np.abs(got - wanted) / np.spacing(np.maximum(np.abs(wanted), 2.3e-308))))


def same(got: Any, wanted: Any) -> Any:
    return (got == wanted) | (np.isnan(got) & np.isnan(wanted))


def library(name: str, *given: Any) -> Any:
    with np.errstate(all="ignore"):
        return getattr(np, NUMPY.get(name, name))(*given)


@pytest.mark.parametrize("name", RANGES)
def test_of_one_argument(name: str) -> None:
    random = np.random.default_rng(7)
    x = random.uniform(*RANGES[name], 4000)
    assert units(values(name, x), library(name, x)) <= 3.0  # the library itself is right to one
    edge = np.array(SPECIAL)
    got, wanted = values(name, edge), library(name, edge)
    with np.errstate(invalid="ignore"):
        close = np.abs(got - wanted) <= 2.0 * np.spacing(np.abs(wanted))
    assert np.all(same(got, wanted) | close), [x for x, ok in zip(SPECIAL, same(got, wanted) | close, strict=True) if not ok]


@pytest.mark.parametrize("name", ["atan2", "pow"])
def test_of_two_arguments(name: str) -> None:
    random = np.random.default_rng(8)
    x, y = 10.0 ** random.uniform(-8.0, 8.0, 4000), random.uniform(-30.0, 30.0, 4000)
    if name == "atan2":
        x = x * random.choice([-1.0, 1.0], 4000)
    assert units(values(name, x, y), library(name, x, y)) <= 3.0
    a, b = (each.ravel() for each in np.meshgrid(SPECIAL, SPECIAL))
    got, wanted = values(name, a, b), library(name, a, b)
    with np.errstate(invalid="ignore"):
        close = np.abs(got - wanted) <= 2.0 * np.spacing(np.abs(wanted))
    assert np.all(same(got, wanted) | close)
    assert np.all((np.signbit(got) == np.signbit(wanted)) | np.isnan(got))


def test_angles_that_are_not_reduced_are_no_numbers() -> None:
    for name in ("sin", "cos", "tan"):
        assert np.all(np.isnan(values(name, np.array([1e6, -3e7]))))


def test_logarithms_from_end_to_end() -> None:
    getcontext().prec = 40
    x = np.array([5e-324, 1e-310, 1e-200, 0.9999999, 1.0000001, 7.0, 1e300])
    wanted = np.array([float(Decimal(float(each)).ln()) for each in x])
    assert units(values("log", x), wanted) <= 1.0
