"""Φ, Φ_q, γ and second derivatives of every pair against differences; derivatives of α alone against the exact ones."""

from __future__ import annotations

import numpy as np
import pytest

from formulations.parametric.cases import COSINE, Equations, along, swinging
from formulations.relative.test_joint_kinds_relative import EDGES, chain
from kernels.differences import derivative, relative_error


def check_exact(equations: Equations, seed: int) -> None:
    """Compare Φ_q, γ and the derivatives of the residual with differences, off the constraints and at any velocity."""
    e, rng, t = equations, np.random.default_rng(seed), 0.1
    q = e.displaced(e.y[: e.nq], 0.3 * rng.normal(size=e.n))
    v, a, x = rng.normal(size=e.n), rng.normal(size=e.n), rng.normal(size=e.m)
    rates, coordinates, _ = e.linearized(q, v, a, x)
    phi_q = rates[e.n :]
    assert relative_error(phi_q, along(e, lambda moved: e.residual(moved, v, a, x)["phi"], q)) < 1e-10
    gamma = phi_q @ a - e.residual(q, v, a, x)["chi"]
    drift = -derivative(lambda s: e.residual(e.displaced(q, v, s), v, a, x, t + s)["psi"])
    assert relative_error(gamma, drift) < 1e-10
    by_q = along(e, lambda moved: np.concatenate([e.residual(moved, v, a, x)[key] for key in ("R", "psi")]), q)
    assert relative_error(coordinates, by_q) < 1e-9


@pytest.mark.parametrize("backward", [False, True], ids=["forward", "backward"])
@pytest.mark.parametrize(("kind", "d"), EDGES)
def test_exact_derivatives_of_every_pair(kind: str, d: int, backward: bool) -> None:
    check_exact(Equations(chain(kind, d, backward), exact=True), 1)


@pytest.mark.parametrize("kind", COSINE)
def test_exact_derivatives_of_cosine_rows(kind: str) -> None:
    model = swinging(kind, np.random.default_rng(3))
    check_exact(Equations(model, "cosine", exact=True), 2)


@pytest.mark.parametrize(("kind", "d"), EDGES)
def test_velocities_are_the_derivative_of_positions(kind: str, d: int) -> None:
    e = Equations(chain(kind, d, False))
    rng = np.random.default_rng(4)
    v, none = rng.normal(size=e.n), np.zeros(e.n)
    q, multipliers = e.displaced(e.y[: e.nq], 0.2 * rng.normal(size=e.n)), np.zeros(e.m)
    moved = derivative(lambda s: e.residual(e.displaced(q, v, s), v, none, multipliers)["phi"])
    assert relative_error(e.residual(q, v, none, multipliers)["psi"], moved) < 1e-11


def feasible_gap(model_equations: tuple[Equations, Equations]) -> tuple[float, float]:
    """Return the largest difference of both matrices, and along variations that the constraints allow, relative."""
    found = []
    for e in model_equations:
        found.append((e, e.linearized(*e.consistent())))
    (exact, (rates, exactly, _)), (_, (alpha_rates, alpha, _)) = found
    _, s, vt = np.linalg.svd(rates[exact.n :])
    free = vt[int(np.sum(s > 1e-9 * s[0])) :].T
    size = float(np.max(np.abs(exactly)))
    along_free = np.abs((alpha - exactly) @ free)
    assert np.max(np.abs((alpha_rates - rates) @ free)) < 1e-12 * max(1.0, float(np.max(np.abs(rates))))
    return float(np.max(np.abs(alpha - exactly))) / size, float(np.max(along_free, initial=0.0)) / size


@pytest.mark.parametrize(("kind", "d"), EDGES)
def test_derivatives_of_alpha_alone_agree_where_the_mechanism_can_move(kind: str, d: int) -> None:
    model = chain(kind, d, False)
    everywhere, feasible = feasible_gap((Equations(model, exact=True), Equations(model)))
    assert feasible < 1e-12
    assert everywhere > 1e-3  # the matrices themselves differ


@pytest.mark.parametrize("kind", COSINE)
def test_derivatives_of_alpha_alone_of_cosine_rows(kind: str) -> None:
    model = swinging(kind, np.random.default_rng(3))
    both = (Equations(model, "cosine", exact=True), Equations(model, "cosine"))
    assert feasible_gap(both)[1] < 1e-12


@pytest.mark.parametrize("exact", [False, True])
def test_solutions_belong_to_the_matrix_of_the_products(exact: bool) -> None:
    e = Equations(chain("cylindrical", 3, False), exact=exact)
    rates, coordinates, M = e.linearized(*e.consistent())
    c, n = 50.0, e.n
    e.ask(3, np.array([c, 0.0, 1.0, 0.0, 1.0 / c, 0.0, 1.0, 0.0, 1.0 / c, 0.0]), 1)
    whole = np.zeros((n + e.m, n + e.m))
    whole[:n, :n] = c * M + rates[:n] + coordinates[:n] / c
    whole[n:, :n] = rates[n:] + coordinates[n:] / c
    whole[:n, n:] = rates[n:].T
    right = np.random.default_rng(5).normal(size=n + e.m)
    assert relative_error(e.ask(4, right, n + e.m), np.linalg.solve(whole, right)) < 1e-9
