"""Every kind of joint: Φ_q, ν, γ and (Φ_qᵀλ)_q against differences of eighth order, far off the constraint manifold."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

from kernels import differences
from kernels.differences import Floats, relative_error
from kernels.mechanisms import CASES, SPECIAL, VARIANTS, Case, State, catalog, random_state
from multibody.kernels import codes as L
from multibody.model.joints import KINDS
from multibody.state.system import System, tables_of

TOLERANCE = 1e-10
every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


@cache
def system_of(case: Case) -> System:
    """Return the system of a case; tests share it and set its references themselves."""
    return case.world().system()


def prepared(case: Case, purpose: str = "state") -> tuple[System, State]:
    """Return the system and a random state."""
    system = system_of(case)
    assert system.all_rows > 0
    return system, random_state(system, case.rng(purpose))


@every_case
def test_jacobian(case: Case) -> None:
    system, x = prepared(case)
    found = system.jacobian(x.q, x.t, 0, system.all_rows)
    assert relative_error(found, differences.jacobian(system, x.q, x.t)) < TOLERANCE


@every_case
def test_velocity_side(case: Case) -> None:
    system, x = prepared(case)
    found = system.velocity_side(x.q, x.t, 0, system.all_rows)
    assert relative_error(found, differences.velocity_side(system, x.q, x.t)) < TOLERANCE


@every_case
def test_gamma(case: Case) -> None:
    system, x = prepared(case)
    found = system.gamma(x.q, x.v, x.t, 0, system.all_rows)
    assert relative_error(found, differences.gamma(system, x.q, x.v, x.t)) < TOLERANCE


@every_case
def test_hessian(case: Case) -> None:
    system, x = prepared(case)
    found = system.hessian(x.q, x.t, x.multipliers, 0, system.all_rows)
    assert relative_error(found, differences.hessian(system, x.q, x.t, x.multipliers)) < TOLERANCE


@every_case
def test_coordinate_functions(case: Case) -> None:
    """Value, gradient, rate and γ of the functions that rows are made of, one by one."""
    system, x = prepared(case)
    count = len(system.tables.functions)

    def values(q: Floats) -> Floats:
        return system.functions(q, x.v, 0, count)[0]

    gradients = np.array([system.gradient(x.q, k) for k in range(count)])
    assert relative_error(gradients, differences.along_columns(system, x.q, values)) < TOLERANCE
    _, rates, gammas = system.functions(x.q, x.v, 0, count)
    assert relative_error(rates, gradients @ x.v) < 1e-13

    def rates_along(s: float) -> Floats:
        return system.functions(system.displaced(x.q, x.v, s), x.v, 0, count)[1]

    assert relative_error(gammas, -differences.derivative(rates_along)) < TOLERANCE


@pytest.mark.parametrize("name", ["coupler-3d", "motion-2d", "held-3d", "cam-3d-roller-moving", "gear-3d-bevel-carrier-moving"])
def test_any_range_of_rows_is_the_same_as_all_rows(name: str) -> None:
    system, x = prepared(next(case for case in CASES if case.name == name))
    last = system.all_rows
    every = system.jacobian(x.q, x.t, 0, last)
    total = np.zeros((system.nv, system.nv))
    for r in range(last):
        span = (r, r + 1)
        assert system.phi(x.q, x.t, *span)[0] == system.phi(x.q, x.t, 0, last)[r]
        np.testing.assert_array_equal(system.jacobian(x.q, x.t, *span)[0], every[r])
        assert system.velocity_side(x.q, x.t, *span)[0] == system.velocity_side(x.q, x.t, 0, last)[r]
        assert system.gamma(x.q, x.v, x.t, *span)[0] == system.gamma(x.q, x.v, x.t, 0, last)[r]
        total += system.hessian(x.q, x.t, x.multipliers[r : r + 1], *span)
    np.testing.assert_allclose(system.hessian(x.q, x.t, x.multipliers, 0, last), total, rtol=0.0, atol=1e-13)


# --- nothing of the catalog goes untested ----------------------------------------------------------------------------


def test_every_kind_of_the_catalog_is_tested() -> None:
    tested = set(VARIANTS) | {(kind, dimension) for kind in SPECIAL if kind in KINDS for dimension in (2, 3)}
    assert tested == catalog()
    assert {(case.kind, case.dimension) for case in CASES} >= catalog()


@pytest.mark.parametrize("key", sorted(VARIANTS), ids=lambda key: f"{key[0]}-{key[1]}d")
def test_every_kind_is_tried_with_the_ground_on_either_side(key: tuple[str, int]) -> None:
    tried = {arrangement for variant in VARIANTS[key].values() for arrangement in variant.arrangements}
    assert tried >= {"moving", "reversed", "ground-first", "ground-second"}


def test_every_basic_function_occurs() -> None:
    codes = {2: set[int](), 3: set[int]()}
    for case in CASES:
        system = system_of(case)
        codes[case.dimension] |= set(system.model.functions.kind.tolist())
    known = {L.COINCIDE, L.DOT1, L.DOT2, L.ANGLE, L.DISTANCE, L.EXTRA}
    assert codes == {2: known | {L.ALIGNED}, 3: known}


# --- the comparisons can fail ----------------------------------------------------------------------------------------

MUTATED = [
    "revolute-3d-moving",
    "cam-2d-flat-moving",
    "screw-3d-right-ground-first",
    "coupler-3d",
    "distance-3d-reversed",
]
COMPARISONS: dict[str, tuple[Callable[[System, State], Floats], Callable[[System, State], Floats]]] = {
    "jacobian": (
        lambda system, x: system.jacobian(x.q, x.t, 0, system.all_rows),
        lambda system, x: differences.jacobian(system, x.q, x.t),
    ),
    "gamma": (
        lambda system, x: system.gamma(x.q, x.v, x.t, 0, system.all_rows),
        lambda system, x: differences.gamma(system, x.q, x.v, x.t),
    ),
    "hessian": (
        lambda system, x: system.hessian(x.q, x.t, x.multipliers, 0, system.all_rows),
        lambda system, x: differences.hessian(system, x.q, x.t, x.multipliers),
    ),
}


@pytest.mark.parametrize("comparison", COMPARISONS)
@pytest.mark.parametrize("name", MUTATED)
def test_an_entry_that_is_off_by_a_millionth_is_noticed(name: str, comparison: str) -> None:
    system, x = prepared(next(case for case in CASES if case.name == name))
    analytic, differenced = COMPARISONS[comparison]
    found, expected = analytic(system, x), differenced(system, x)
    assert relative_error(found, expected) < TOLERANCE
    for place in np.ndindex(found.shape):
        wrong = found.copy()
        wrong[place] += 1e-6
        assert relative_error(wrong, expected) > TOLERANCE


@pytest.mark.parametrize("comparison", COMPARISONS)
@pytest.mark.parametrize("name", MUTATED)
def test_a_sign_that_is_wrong_is_noticed(name: str, comparison: str) -> None:
    """Components of points and axes on moving bodies are negated in turn: the derivatives are those of another Φ."""
    case = next(case for case in CASES if case.name == name)
    system, x = prepared(case)
    analytic, differenced = COMPARISONS[comparison]
    expected, phi = differenced(system, x), system.phi(x.q, x.t)
    other = System(tables_of(case.world().model))
    noticed = 0
    for k in numbers_on_bodies(other):
        other.F[k] *= -1.0
        other.take_references(x.q)
        if np.max(np.abs(other.phi(x.q, x.t) - phi)) > 1e-3:
            assert relative_error(analytic(other, x), expected) > 1e-6
            noticed += 1
        other.F[k] *= -1.0
    assert noticed >= 6


def numbers_on_bodies(system: System) -> list[int]:
    """Return which numbers are of vectors that move with a body and that derivatives depend on."""
    d = system.tables.dimension
    places: list[int] = []
    for f, function in enumerate(system.tables.functions):
        kind, first = system.model.functions.kind[f], int(system.model.functions.numbers[f])
        for vector in range(4 if d == 2 else 6):  # s_i, s_j, a_i, b_j (, c_i, d_j)
            only_shifts = kind == L.DOT2 and vector == 0  # a_i·s_i is a constant
            if function.bodies[vector % 2] > 0 and not only_shifts:
                places += range(first + d * vector, first + d * (vector + 1))
    return [k for k in places if system.F[k] != 0.0]
