"""What implicit methods ask of parametric coordinates, as plain functions, and models in general position."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

import multibody as mb
from analyses.reactions.test_reactions_balance import perpendicular
from multibody.analyses.dynamics.run_start import start_state
from multibody.formulations import Parametric
from multibody.formulations.newton import newton_calls
from multibody.formulations.parametric import parametric_kernels, rhs_parametric
from multibody.formulations.spaces.parametric_space import ParametricSpace
from multibody.rank.run_rows import run_rows
from multibody.state.system import System, tables_of

Floats = npt.NDArray[np.float64]
START, RESIDUAL, LINEARIZE, FACTOR, SOLVE, PRODUCT, MOVE = range(7)
COSINE = ("revolute", "cylindrical", "screw", "universal", "spherical", "planar")


class Equations:
    """The equations of a model in parametric coordinates at its start, with what an implicit method calls.

    Parameters
    ----------
    model : Model
    rotation : {"regular", "cosine"}
    exact : bool
        Whether derivatives are the exact ones, or those of α alone.
    """

    def __init__(self, model: mb.Model, rotation: str = "regular", exact: bool = False) -> None:
        state, _ = start_state(model, None, None)
        system = System(tables_of(model))
        system.ref[:] = state.references
        rows = run_rows(system, state.q, state.t)
        self.space = ParametricSpace(system, state, rows, Parametric(rotation), exact)
        self.bundle, self.y = self.space.bundle, self.space.start(state)
        newton_calls(self.bundle, rhs_parametric, complex_=False)
        self.kernels = parametric_kernels(exact, complex_=False)
        self.nq, self.n, self.m = self.space.nq, self.space.nv, len(self.bundle.chosen)

    def ask(self, k: int, x: Floats, size: int, t: float = 0.1) -> Floats:
        """Return what one of the functions answers."""
        b, out = self.bundle, np.zeros(size)
        assert self.kernels[k](*b.run, t, np.ascontiguousarray(x), out) == 0
        return out

    def residual(self, q: Floats, v: Floats, a: Floats, multipliers: Floats, t: float = 0.1) -> dict[str, Floats]:
        """Return R, ψ, Φ and χ."""
        n, m = self.n, self.m
        out = self.ask(RESIDUAL, np.concatenate([q, v, a, multipliers]), n + 3 * m + 1, t)
        return {"R": out[:n], "psi": out[n : n + m], "phi": out[n + m : n + 2 * m], "chi": out[n + 2 * m : n + 3 * m]}

    def linearized(self, q: Floats, v: Floats, a: Floats, multipliers: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the kept (C, K) over (Φ_q, V) along rates and along coordinates, and M, all in ground axes."""
        self.ask(LINEARIZE, np.concatenate([q, v, a, multipliers]), 1)
        none, size = np.zeros(self.n), self.n + self.m

        def columns(place: int) -> Floats:
            parts = [[none, none, none] for _ in range(self.n)]
            for k, part in enumerate(parts):
                part[place] = np.eye(self.n)[k]
            return np.stack([self.ask(PRODUCT, np.concatenate(part), size) for part in parts], axis=1)

        return columns(1), columns(2), columns(0)[: self.n]

    def displaced(self, q: Floats, d: Floats, k: float = 1.0) -> Floats:
        """Return q ⊕ k d."""
        return self.ask(MOVE, np.concatenate([[3.0], q, k * d]), self.nq)

    def consistent(self) -> tuple[Floats, Floats, Floats, Floats]:
        """Return (q, v, v̇, λ) of the start."""
        out = self.ask(START, self.y, self.n + self.m + 1, 0.0)
        return self.y[: self.nq], self.y[self.nq : -1], out[: self.n], out[self.n : self.n + self.m]


def along(equations: Equations, f: Callable[[Floats], Floats], q: Floats) -> Floats:
    """Return the derivatives of f(q) along the columns, by differences of eighth order."""
    from kernels.differences import derivative

    unit = np.eye(equations.n)
    return np.stack([derivative(lambda s, e=e: f(equations.displaced(q, e, s))) for e in unit], axis=1)  # type: ignore[misc]


def swinging(kind: str, rng: np.random.Generator, **fields: Any) -> mb.Model:
    """Return ground – a – b with a revolute joint, then the kind, every angle away from multiples of a quarter turn."""
    m = mb.Model("swinging", dimension=3, gravity=(0.3, -9.0, 2.0))
    for name, mass in (("a", 1.3), ("b", 0.7)):
        place = {"at": rng.normal(size=3) * 0.3, "rotvec": rng.normal(size=3)}
        m.body(name, mass=mass, inertia=(0.11, 0.17, 0.23), com=rng.normal(size=3) * 0.2, frames={"P": place})
    m.revolute("first", "ground", "a", axis=tuple(rng.normal(size=3)))
    joint = m.joint(kind, "J", "a.P", "b.P", **(fields or pair_fields(kind, rng)))
    m.initial({"first": 0.6, "first.rate": 1.2})
    if kind == "spherical":
        m.initial({"J.rotation": {"rpy": [0.5, 0.4, 0.7]}})
    for item in joint.names_of_coordinates(3):
        angle = item.startswith("angle")
        m.initial({f"J.{item}": 0.7 if angle else 0.2, f"J.{item}.rate": -0.9 if angle else 0.4})
    return m


def pair_fields(kind: str, rng: np.random.Generator) -> dict[str, Any]:
    """Return fields of a spatial pair in general position."""
    if kind == "universal":
        return {"axes": perpendicular(rng)}
    if kind in ("fixed", "spherical", "free"):
        return {}
    return {"axis": tuple(rng.normal(size=3))} | ({"lead": 0.4} if kind == "screw" else {})
