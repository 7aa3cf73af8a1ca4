"""Values of the functions of the language, for floats and arrays.

NumPy is imported by the first call, not with the package: a model can be written, read and checked without it.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any


def ufunc(title: str) -> Callable[..., Any]:
    """Get the NumPy function of this name; NumPy is imported when it is first called."""

    def call(*values: Any) -> Any:
        import numpy

        return getattr(numpy, title)(*values)

    return call


def _with_numpy(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def call(*values: Any) -> Any:
        import numpy

        return function(numpy, *values)

    return call


@_with_numpy
def choose(np: Any, condition: Any, a: Any, b: Any) -> Any:
    """Choose a where the condition is not 0, else b."""
    return np.where(np.not_equal(condition, 0.0), a, b)


@_with_numpy
def smallest(np: Any, *values: Any) -> Any:
    """Take the smallest of some values."""
    return functools.reduce(np.minimum, values)


@_with_numpy
def largest(np: Any, *values: Any) -> Any:
    """Take the largest of some values."""
    return functools.reduce(np.maximum, values)


def _ramp(np: Any, shape: Callable[..., Any], x: Any, x0: Any, y0: Any, x1: Any, y1: Any) -> Any:
    width = np.subtract(x1, x0)
    u = np.subtract(x, x0) / np.where(width > 0.0, width, 1.0)
    between = y0 + np.subtract(y1, y0) * shape(u)
    return np.where(np.less_equal(x, x0), y0, np.where(np.greater_equal(x, x1), y1, between))


@_with_numpy
def step(np: Any, *values: Any) -> Any:
    """Cubic ramp."""
    return _ramp(np, lambda u: u * u * (3.0 - 2.0 * u), *values)


@_with_numpy
def haversine(np: Any, *values: Any) -> Any:
    """Cosine ramp."""
    return _ramp(np, lambda u: 0.5 * (1.0 - np.cos(math.pi * u)), *values)


def _quintic(u: Any) -> Any:
    return u * u * u * (10.0 + u * (6.0 * u - 15.0))


@_with_numpy
def step5(np: Any, *values: Any) -> Any:
    """Quintic ramp."""
    return _ramp(np, _quintic, *values)


@_with_numpy
def trapezoid(np: Any, x: Any, x0: Any, y0: Any, x1: Any, y1: Any, x2: Any, x3: Any) -> Any:
    """Quintic ramp up, level, quintic ramp down."""
    height = _ramp(np, _quintic, x, x0, 0.0, x1, 1.0) - _ramp(np, _quintic, x, x2, 0.0, x3, 1.0)
    return y0 + np.subtract(y1, y0) * height


@_with_numpy
def poly(np: Any, x: Any, x0: Any, *coefficients: Any) -> Any:
    """Polynomial in x - x0, by Horner's rule."""
    u = np.subtract(x, x0)
    value = 0.0 * u + coefficients[-1]
    for coefficient in reversed(coefficients[:-1]):
        value = value * u + coefficient
    return value


@_with_numpy
def norm(np: Any, a: Any) -> Any:
    """Length of a vector."""
    return np.sqrt(np.sum(np.square(a), axis=-1))


@_with_numpy
def unit(np: Any, a: Any) -> Any:
    """Vector of length 1."""
    return a / np.sqrt(np.sum(np.square(a), axis=-1, keepdims=True))


@_with_numpy
def dot(np: Any, a: Any, b: Any) -> Any:
    """Scalar product."""
    return np.sum(np.multiply(a, b), axis=-1)


@_with_numpy
def cross(np: Any, a: Any, b: Any) -> Any:
    """Vector product; a number for two vectors of 2."""
    a, b = np.asarray(a), np.asarray(b)
    if a.shape[-1] == 2:
        return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    return np.cross(a, b)
