"""Distributions of toleranced values, each by its inverse cumulative distribution, which samples of (0, 1) are put through."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from multibody.arguments import in_words, number_in, short
from multibody.errors import ModelError

Floats = npt.NDArray[np.float64]
INSIDE = 2.0**-53  # samples are kept this far from 0 and 1, where a normal distribution has no value


@dataclass(frozen=True)
class Normal:
    """A normal distribution, cut off where limits are given.

    Attributes
    ----------
    mean, sd : float
        Mean and standard deviation, of the whole distribution before it is cut off.
    low, high : float
        What lies outside does not happen.
    """

    mean: float
    sd: float
    low: float = -math.inf
    high: float = math.inf

    def ppf(self, u: Floats) -> Floats:
        """Return the values below which the parts u of all values lie."""
        from scipy.special import ndtr, ndtri

        low, high = ((limit - self.mean) / self.sd for limit in (self.low, self.high))
        sign = -1.0 if low > 0.0 else 1.0  # probabilities near 1 have few digits: the upper tail is the lower one, mirrored
        a, b = (ndtr(limit) for limit in ((low, high) if sign > 0.0 else (-high, -low)))
        found = self.mean + sign * self.sd * ndtri(np.clip(a + (b - a) * (u if sign > 0.0 else 1.0 - u), INSIDE, 1.0 - INSIDE))
        return np.asarray(np.clip(found, self.low, self.high))

    def __str__(self) -> str:
        """Return it as one writes it."""
        limits = "" if math.isinf(self.low) and math.isinf(self.high) else f", {self.low:g}, {self.high:g}"
        return f"normal({self.mean:g}, {self.sd:g}{limits})"


@dataclass(frozen=True)
class Uniform:
    """Every value between two limits is as likely as any other."""

    low: float
    high: float

    def ppf(self, u: Floats) -> Floats:
        """Return the values below which the parts u of all values lie."""
        return np.asarray(self.low + (self.high - self.low) * u)

    def __str__(self) -> str:
        """Return it as one writes it."""
        return f"uniform({self.low:g}, {self.high:g})"


@dataclass(frozen=True)
class Triangular:
    """Values between two limits, most likely at one of them or between them, falling off on straight lines."""

    low: float
    mode: float
    high: float

    def ppf(self, u: Floats) -> Floats:
        """Return the values below which the parts u of all values lie."""
        whole, rise = self.high - self.low, self.mode - self.low
        left = self.low + np.sqrt(u * whole * rise)
        right = self.high - np.sqrt((1.0 - u) * whole * (self.high - self.mode))
        return np.asarray(np.where(u * whole <= rise, left, right))

    def __str__(self) -> str:
        """Return it as one writes it."""
        return f"triangular({self.low:g}, {self.mode:g}, {self.high:g})"


@in_words
def normal(mean: float, sd: float, low: float | None = None, high: float | None = None) -> Normal:
    """Return a normal distribution for :meth:`Model.study`.

    Parameters
    ----------
    mean, sd : float
        Mean and standard deviation, in the unit of the parameter.
    low, high : float, optional
        Limits: what lies outside is not drawn, and the rest keeps its shape.
    """
    m, s = _finite("normal", mean=mean, sd=sd)
    a = -math.inf if low is None else _finite("normal", low=low)[0]
    b = math.inf if high is None else _finite("normal", high=high)[0]
    if not s > 0.0:
        raise ModelError(f"sd is {s:g}", where="normal", hint="give a positive standard deviation")
    if not a < b:
        raise ModelError(f"low {a:g} is not below high {b:g}", where="normal", hint="give the lower limit first")
    made = Normal(m, s, a, b)
    from scipy.special import ndtr

    if not ndtr((b - m) / s) - ndtr((a - m) / s) > 1e-12:
        hint = "give limits that are nearer to the mean"
        raise ModelError("next to nothing of the distribution lies between its limits", where="normal", hint=hint)
    return made


@in_words
def uniform(low: float, high: float) -> Uniform:
    """Return a uniform distribution for :meth:`Model.study`; the range ``(low, high)`` means the same.

    Parameters
    ----------
    low, high : float
        Limits, in the unit of the parameter.
    """
    a, b = _finite("uniform", low=low, high=high)
    if not a < b:
        raise ModelError(f"low {a:g} is not below high {b:g}", where="uniform", hint="give the lower limit first")
    return Uniform(a, b)


@in_words
def triangular(low: float, mode: float, high: float) -> Triangular:
    """Return a triangular distribution for :meth:`Model.study`.

    Parameters
    ----------
    low, mode, high : float
        Lower limit, most likely value and upper limit, in the unit of the parameter.
    """
    a, m, b = _finite("triangular", low=low, mode=mode, high=high)
    if not a < b or not a <= m <= b:
        problem = f"{a:g}, {m:g}, {b:g} do not rise"
        raise ModelError(problem, where="triangular", hint="give the lower limit, the most likely value, the upper limit")
    return Triangular(a, m, b)


def drawn(distribution: Any, u: Floats, where: str) -> Floats:
    """Return values of a distribution, ours or a frozen one of ``scipy.stats``.

    Parameters
    ----------
    distribution : object
        With ``ppf``, or ``icdf`` as newer distributions of SciPy have it.
    u : array
        Between 0 and 1.
    where : str
        Whose values they are, for messages.
    """
    method = getattr(distribution, "ppf", None) or distribution.icdf
    inside = np.clip(u, INSIDE, 1.0 - INSIDE)
    with np.errstate(all="ignore"):
        try:
            found = np.asarray(method(inside), dtype=float)
        except (TypeError, ValueError, ArithmeticError) as error:
            hint = "give a frozen distribution, such as scipy.stats.norm(0.15, 0.001)"
            raise ModelError(f"the distribution gives no values ({error})", where=where, hint=hint) from None
    if found.shape != u.shape or not np.all(np.isfinite(found)):
        raise ModelError("the distribution gives values that are not finite", where=where, hint="check its parameters")
    return found


def is_distribution(value: object) -> bool:
    """Return whether values can be drawn from an object."""
    return not isinstance(value, type) and (hasattr(value, "ppf") or hasattr(value, "icdf"))


def _finite(where: str, **given: Any) -> list[float]:
    """Return numbers that are finite."""
    found = []
    for key, value in given.items():
        number = number_in(value)
        if not math.isfinite(number):
            raise ModelError(f"{key} is {short(value)}", where=where, hint="give a finite number")
        found.append(number)
    return found
