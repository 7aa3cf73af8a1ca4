"""A model with its implicit equations at hand: residual, kept matrices, linear systems."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

import multibody as mb
from multibody.analyses.dynamics.run_start import start_state
from multibody.formulations import Augmented
from multibody.formulations.augmented import rhs_augmented
from multibody.formulations.newton import kept_matrices, newton_calls
from multibody.formulations.spaces.cartesian_space import CartesianSpace
from multibody.rank.run_rows import run_rows
from multibody.state.system import System, tables_of

Floats = npt.NDArray[np.float64]
START, RESIDUAL, LINEARIZE, FACTOR, SOLVE, PRODUCT, MOVE, CORRECT = range(8)


class Bench:
    """A library model (by name) or any model, linearized at its start with random rates, accelerations and multipliers."""

    def __init__(self, model: str | mb.Model, seed: int = 0, **parameters: Any) -> None:
        self.model = mb.load(model, **parameters) if isinstance(model, str) else model
        self.state, _ = start_state(self.model, None, None)
        self.system = System(tables_of(self.model))
        self.system.ref[:] = self.state.references
        rows = run_rows(self.system, self.state.q, self.state.t)
        self.bundle = CartesianSpace(self.system, self.state, rows, Augmented()).bundle
        newton_calls(self.bundle, rhs_augmented, complex_=True)
        self.bundle.settings(regular_ratio=1e-300)
        self.kernels = self.bundle.newton_kernels(complex_=True)
        self.n, self.nq, self.m = self.system.nv, self.system.nq, len(self.bundle.chosen)
        self.random = np.random.default_rng(seed)
        self.q, self.t = self.state.q.copy(), self.state.t
        self.v, self.a, self.multipliers = (self.random.normal(size=k) for k in (self.n, self.n, self.m))
        self.y = np.concatenate([self.q, self.state.v, [0.0]])
        self.linearize()

    def call(self, k: int, x: Floats, out: Floats) -> Floats:
        """Call a function of the equations; return what it wrote."""
        b = self.bundle
        assert self.kernels[k](*b.run, self.t, x, out) == 0
        return out

    def residual(self, q: Floats, v: Floats, a: Floats, multipliers: Floats) -> Floats:
        """Return (R, ψ, Φ, χ, power)."""
        return self.call(RESIDUAL, np.concatenate([q, v, a, multipliers]), np.zeros(self.n + 3 * self.m + 1))

    def linearize(self) -> None:
        """Keep the derivatives at the point."""
        x = np.concatenate([self.q, self.v, self.a, self.multipliers])
        self.call(LINEARIZE, x, x)

    def moved(self, code: int, *parts: Any) -> Floats:
        """Return what MOVE answers."""
        size = self.n if code == 1 else self.nq
        return self.call(MOVE, np.concatenate([[float(code)], *[np.atleast_1d(part) for part in parts]]), np.zeros(size))

    def matrix(self, c: complex) -> Any:
        """Return the iteration matrix of bdf and radau with the leading coefficient c, dense."""
        M, C, K, P, V = (part.toarray() for part in kept_matrices(self.bundle))
        none = np.zeros((self.m, self.m))
        A = np.block([[c * M + C + K / c, P.T], [P + V / c, none]])
        return A.real if complex(c).imag == 0.0 else A

    def solved(self, c: complex, right: Any) -> Any:
        """Return the solution of that matrix by the factors."""
        is_complex = complex(c).imag != 0.0
        coefficients = np.array([complex(c), 1.0, 1.0 / complex(c), 1.0, 1.0 / complex(c)]).view(np.float64)
        self.call(FACTOR, coefficients, np.zeros(2 if is_complex else 1))
        if not is_complex:
            return self.call(SOLVE, right, np.zeros_like(right))
        found = self.call(SOLVE, np.concatenate([right.real, right.imag]), np.zeros(2 * len(right)))
        return found[: len(right)] + 1j * found[len(right) :]

    def noise(self, size: int, is_complex: bool) -> Any:
        """Return a random vector."""
        x = self.random.normal(size=size)
        return x + 1j * self.random.normal(size=size) if is_complex else x
