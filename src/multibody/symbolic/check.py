"""Equations compared with the compiled kernels at random states: what differs is an error, never a print.

Numbers are compared free of units: rows of length kind over the characteristic length L, translation columns times L. A random
state has positions and rates of order one then, so that a row is a sum of terms of order one or above, and a difference is
measured by its value or by one, whichever is larger. Forces are measured by M at unit rates in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from multibody.analyses.linear.linearization import applied_forces, known_mass_matrix
from multibody.errors import AnalysisError
from multibody.state.system import System

Floats = npt.NDArray[np.float64]
TOLERANCE = 1e-12
STATES = 4  # at which everything is compared
TRIES = 40  # states that are drawn for that
MANY = 1e3  # terms of a sum that cancel may be larger than all that is left in any row by this factor
NAMES = {"phi": "Φ", "phi_q": "Φ_q", "nu": "ν", "gamma_term": "γ", "mass_matrix": "M", "force": "Q"}
OF_VELOCITY = ("gamma_term", "force")


class Reference:
    """What the kernels say at a state, free of units."""

    def __init__(self, system: System, p: Sequence[float]) -> None:
        self.system, self.tables, self.p = system, system.tables, list(p)
        self.rows, self.columns = system.scale_rows[: system.rows], system.scale_columns
        self.M = known_mass_matrix(system).toarray()
        own = np.abs(np.diag(self.M)) * self.columns**2
        largest = float(np.max(own, initial=0.0)) or 1.0
        self.inertia = np.where(own > 0.0, own, largest)  # of every column; one without has the largest

    def random(self, seed: int) -> tuple[float, Floats, Floats]:
        """Return a time, positions and velocities: lengths about as large as the model, any orientation.

        Later ones are ever nearer to zero: formulas of users may have no value far away from where they are used.
        """
        draw, tables, near = np.random.default_rng(seed), self.tables, 0.8 ** max(seed - STATES, 0)
        layout = tables.layout
        q, v = near * draw.normal(size=tables.nq), near * draw.normal(size=tables.nv)
        for b in range(1, len(tables.bodies)):
            q[layout.position(b)] *= tables.length
            v[layout.velocity(b)] *= tables.length
            if layout.dimension == 3:
                q[layout.orientation(b)] /= np.linalg.norm(q[layout.orientation(b)])
        self.system.ref[:] = 0.0  # angles in space are those within half a turn
        return float(draw.uniform()), q, v

    def values(self, t: float, q: Floats, v: Floats) -> dict[str, Floats]:
        """Return Φ, Φ_q, ν, γ, M, Q at a state by the kernels, in the model's units."""
        system = self.system
        return {
            "phi": system.phi(q, t), "phi_q": system.jacobian(q, t), "nu": system.velocity_side(q, t),
            "gamma_term": system.gamma(q, v, t), "mass_matrix": self.M, "force": applied_forces(system, q, v, t),
        }  # fmt: skip

    def scaled(self, name: str, values: Floats) -> Floats:
        """Return values free of units; masses and forces in parts of the inertia of their columns."""
        if name == "mass_matrix":
            root = np.sqrt(self.inertia)
            left, right = (self.columns / root)[:, None], self.columns / root
        elif name == "force":
            left, right = self.columns, 1.0 / self.inertia
        else:
            left, right = (self.rows[:, None], self.columns) if name == "phi_q" else (self.rows, np.ones(1))
        scaled: Floats = left * values * right
        return scaled


def require_equal(name: str, found: Floats, expected: Floats, words: Callable[[tuple[int, ...]], str]) -> float:
    """Return the largest difference of two arrays free of units, in parts of what is compared; raise where it is too large.

    Parameters
    ----------
    name : str
        What is compared.
    found, expected : array
        By the equations and by the kernels.
    words : callable
        Says in words which entry an index is.
    """
    if expected.size == 0:
        return 0.0
    size = np.maximum(np.maximum(np.abs(expected), 1.0), np.max(np.abs(expected)) / MANY)
    gap = np.abs(found - expected) / size
    if np.all(gap <= TOLERANCE):
        return float(np.max(gap))
    at = np.unravel_index(int(np.argmax(np.where(np.isnan(gap), np.inf, gap))), gap.shape)
    index = tuple(int(k) for k in at)
    problem = f"{name} of {words(index)} is {found[index]:.15g} by the equations and {expected[index]:.15g} by the kernels"
    raise AnalysisError(f"{problem}, free of units: a fault of the package, no equations are given; please report the model")


def at_states(compare_at: Callable[[int], float | None]) -> float:
    """Compare at random states until there are enough in which all formulas have values; return the largest difference.

    Parameters
    ----------
    compare_at : callable
        Takes the number of a state; returns the difference there, None where a formula has no value.
    """
    found: list[float] = []
    for seed in range(TRIES):
        try:
            own = compare_at(seed)
        except (ArithmeticError, ValueError):  # what Python's math says of a root of a negative number
            own = None
        if own is not None:
            found.append(own)
        if len(found) == STATES:
            return max(found)
    raise AnalysisError("the equations could not be compared with the kernels: their formulas have no values at random states")


def compare(references: Sequence[Reference], routines: Mapping[str, Callable[..., Any]]) -> float:
    """Compare generated routines with the kernels at random states; return the largest difference found.

    Parameters
    ----------
    references : list of Reference
        Kernels with the model's parameters and with others, taken in turn.
    routines : mapping
        Generated Python functions by name; those that are not there are not compared.
    """
    rows = [row.name for row in references[0].tables.rows]

    def words(name: str) -> Callable[[tuple[int, ...]], str]:
        of_rows = name not in ("mass_matrix", "force")
        return lambda index: f'"{rows[index[0]]}"' if of_rows else f"velocity {index[0] + 1}"

    def compare_at(seed: int) -> float | None:
        reference, worst = references[seed % len(references)], 0.0
        t, q, v = reference.random(seed)
        values = {name: x for name, x in reference.values(t, q, v).items() if name in routines}
        if not all(np.all(np.isfinite(x)) for x in values.values()):
            return None
        for name, expected in values.items():
            given = [q.tolist(), v.tolist()] if name in OF_VELOCITY else [] if name == "mass_matrix" else [q.tolist()]
            found = np.array(routines[name](t, *given, reference.p), dtype=float).reshape(expected.shape)
            pair = (reference.scaled(name, found), reference.scaled(name, expected))
            worst = max(worst, require_equal(NAMES[name], *pair, words(name)))
        return worst

    return at_states(compare_at)
