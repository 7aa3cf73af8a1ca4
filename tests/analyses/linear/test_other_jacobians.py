"""The system Jacobian in joint and in parametric coordinates, against 8th-order differences of the equations themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import multibody as mb
from kernels.differences import central

NAMES = ("four-bar", "rssr", "iftomm-andrews")
TOLERANCE = 1e-9


def _close(found: Any, exact: Any) -> bool:
    """Return whether two matrices agree relative to their largest number."""
    return bool(np.max(np.abs(found - exact), initial=0.0) <= TOLERANCE * max(1.0, float(np.max(np.abs(exact), initial=0.0))))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("formulation", ["recursive", "parametric"])
def test_derivatives_by_rates_accelerations_and_multipliers(name: str, formulation: str) -> None:
    """F is affine in v̇ and λ, so that differences of its residual are exact there; Φ_q must stand in its four places."""
    model = mb.load(name)
    at = model.system_jacobian(formulation)
    n, m = len(at.v), len(at.multipliers)
    assert np.max(np.abs(at.residual)) < 1e-8 * max(
        1.0,
        float(
            np.max(np.abs(at.acceleration)),
        ),
    )
    by_y, by_rate = at.dF_dy.toarray(), at.dF_dydot.toarray()

    def residual(a: Any, x: Any) -> Any:
        return model.system_jacobian(formulation, acceleration=a, multipliers=x).residual[n : 2 * n]

    M = np.stack([residual(at.acceleration + d, at.multipliers) for d in np.eye(n)], axis=1) - at.residual[n : 2 * n, None]
    assert _close(by_rate[n : 2 * n, n : 2 * n], M)
    rows = [residual(at.acceleration, at.multipliers + d) - at.residual[n : 2 * n] for d in np.eye(m)]
    J = np.stack(rows) if rows else np.zeros((0, n))
    assert _close(by_y[2 * n : 2 * n + m, :n], J) and _close(by_y[2 * n + m :, n : 2 * n], J)
    assert _close(by_y[n : 2 * n, 2 * n : 2 * n + m], J.T) and _close(by_y[:n, 2 * n + m :], J.T)


def test_pendulum_of_the_paper() -> None:
    """Lee, Sohn, Kim, Yoo (2001), eq. (23): G₁ = ⅓ m l² u̇ + ½ m g l cos θ."""
    m = mb.Model("pendulum", dimension=2, gravity=(0, -9.81))
    rod = m.body("rod", mass=2.0, inertia=2.0 * 1.5**2 / 12, com=(0.75, 0))
    m.revolute("O", m.ground, rod)
    m.initial({"O": 0.4, "O.rate": 1.1})
    at = m.system_jacobian("recursive")
    assert at.dF_dydot.toarray()[1, 1] == pytest.approx(2.0 * 1.5**2 / 3)
    assert at.dF_dy.toarray()[1, 0] == pytest.approx(-0.5 * 2.0 * 9.81 * 1.5 * np.sin(0.4))
    assert at.dF_dy.toarray()[1, 1] == pytest.approx(0.0, abs=1e-12)


def test_differences_of_the_model_along_a_joint() -> None:
    """K of a tree against differences of whole models: the joint's own initial value moved, v̇ held."""
    m = mb.Model("two", dimension=3, gravity=(0, 0, -9.81))
    a = m.body("a", mass=1.0, inertia=(0.1, 0.2, 0.3), com=(0.5, 0.1, 0))
    b = m.body("b", mass=2.0, inertia=(0.2, 0.3, 0.4), com=(0.2, 0, 0.3), at=(1, 0, 0))
    m.revolute("O", m.ground, a, axis=(0.2, 1, 0.1))
    m.revolute("A", a, b, at=(1, 0, 0), axis=(0, 0.3, 1))
    m.spring("s", "ground", "b", stiffness=30.0, damping=2.0, length=0.2)

    def model(first: float, second: float) -> mb.Model:
        copy = m.set()
        copy.initial({"O": first, "A": second, "O.rate": 1.3, "A.rate": -0.8})
        return copy

    u_dot = np.array([0.7, -1.9])
    at = model(0.3, 0.5).system_jacobian("recursive", acceleration=u_dot)
    steps = [lambda s: model(0.3 + s, 0.5), lambda s: model(0.3, 0.5 + s)]
    K = [central(lambda s, f=f: f(s).system_jacobian("recursive", acceleration=u_dot).residual[2:4], 5e-3) for f in steps]
    assert _close(at.dF_dy.toarray()[2:4, :2], np.stack(K, axis=1))
