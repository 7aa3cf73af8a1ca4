"""Benchmark problems as data: which model, and what a solution of it has to meet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Check:
    """One number of the reference solution.

    Attributes
    ----------
    path : str
        What is read, as results name it.
    time : float
        When.
    value : float
        The reference.
    tolerance : float
        Largest distance from it that is accepted, in the path's unit.
    """

    path: str
    time: float
    value: float
    tolerance: float

    @property
    def name(self) -> str:
        """Path and time in words."""
        return f"{self.path} at {self.time:g}"


@dataclass(frozen=True)
class Problem:
    """A benchmark problem with its acceptance criteria.

    Attributes
    ----------
    name : str
        Within its suite.
    model : str
        Name in the library.
    until : float
        Last time.
    checks : tuple of Check
    energy_drift : float
        Largest error of the energy balance over the energies at play that is accepted.
    violation : float
        Largest violation of the constraints, of positions and of velocities, that is accepted (lengths over the model's).
    seconds : float
        Longest time of the integration that is accepted [s]; a run that takes longer is stopped.
    steps : dict
        Number of steps of a method with a fixed step, by its order.
    rtol, atol : float
        Tolerances of the methods that choose their steps.
    parameters : dict
        Of the model.
    """

    name: str
    model: str
    until: float
    checks: tuple[Check, ...]
    energy_drift: float
    violation: float
    seconds: float
    steps: Mapping[int, int]
    rtol: float = 1e-8
    atol: float = 1e-10
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def step(self, order: int) -> float:
        """Return the fixed step of a method of this order; of an order that is not listed, that of the next lower one."""
        known = max((k for k in self.steps if k <= order), default=min(self.steps))
        return self.until / self.steps[known]


def checks(tolerance: float, readings: Mapping[float, Mapping[str, float]]) -> tuple[Check, ...]:
    """Return the checks of a reference solution given as {time: {path: value}}, all with one tolerance."""
    return tuple(Check(path, t, value, tolerance) for t, row in readings.items() for path, value in row.items())
