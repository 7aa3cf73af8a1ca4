"""Specialized code on the host against the ordinary kernels, and what it does with members."""

from __future__ import annotations

import numpy as np
import pytest

from multibody.errors import AnalysisError
from multibody.kernels.arrays import weigh
from multibody.specialize.stepping import NOT_FINITE, REASONS
from specialize.cases import CASES, QUICK, STEP, STEPS, simulation, specialized
from thorough import few_of, thorough


@pytest.mark.parametrize("name", few_of(CASES, QUICK))
def test_equals_the_ordinary_kernels(name: str) -> None:
    run, code = simulation(name), specialized(name)
    numbers, words = (np.repeat(part[None], 3, axis=0) for part in code.member(run.bundle))
    y = np.repeat(run.y[None], 3, axis=0)
    begin = y.copy()
    statuses = code.host.advance(numbers, y, words, 0.0, STEP, STEPS, threads=2)
    run.advance(STEP * STEPS)
    assert list(statuses) == [0, 0, 0]
    assert np.max(np.abs(run.y - begin[0])) > 1e-4  # it moves
    assert y == pytest.approx(np.repeat(run.y[None], 3, axis=0), abs=1e-12)
    assert np.array_equal(y[0], y[2])


@thorough
def test_going_on_is_one_way() -> None:
    """What lives from step to step is handed back: two calls make the steps of one."""
    run, code = simulation("four-bar projected"), specialized("four-bar projected")
    numbers, words = (part[None].copy() for part in code.member(run.bundle))
    y = run.y[None].copy()
    once, kept = y.copy(), words.copy()
    code.host.advance(numbers, once, kept, 0.0, STEP, STEPS)
    for k in range(2):
        code.host.advance(numbers, y, words, k * STEPS // 2 * STEP, STEP, STEPS // 2)
    assert y == pytest.approx(once, abs=1e-14)


def test_members_have_numbers_of_their_own() -> None:
    """A member with other masses moves as the ordinary kernels move it."""
    run, code = simulation("double pendulum"), specialized("double pendulum")
    usual = code.member(run.bundle)
    bundle = run.bundle
    for k, slots in enumerate(bundle.model.masses):
        bundle.model.numbers[slots.mass] *= 1.0 + 0.3 * k
    weigh(bundle.model)
    heavier = code.member(bundle)
    numbers, words = (np.stack(pair) for pair in zip(usual, heavier, strict=True))
    y = np.repeat(run.y[None], 2, axis=0)
    code.host.advance(numbers, y, words, 0.0, STEP, STEPS)
    run.advance(STEP * STEPS)
    assert y[1] == pytest.approx(run.y, abs=1e-12)
    assert np.max(np.abs(y[0] - y[1])) > 1e-3


def test_a_member_that_cannot_go_on_stops_alone() -> None:
    run, code = simulation("double pendulum"), specialized("double pendulum")
    numbers, words = (np.repeat(part[None], 2, axis=0) for part in code.member(run.bundle))
    y = np.repeat(run.y[None], 2, axis=0)
    y[1, 0] = np.nan
    statuses = code.host.advance(numbers, y, words, 0.0, STEP, STEPS)
    assert statuses[0] == 0 and statuses[1] in (1, NOT_FINITE) and statuses[1] // REASONS == 0


def test_other_structures_and_shapes_are_refused() -> None:
    run, code = simulation("four-bar"), specialized("double pendulum")
    with pytest.raises(AnalysisError, match="another structure"):
        code.member(run.bundle)
    numbers, words = (part[None].copy() for part in code.member(simulation("double pendulum").bundle))
    with pytest.raises(ValueError, match="numbers must be a contiguous array"):
        code.host.advance(numbers[:, 1:], np.zeros((1, code.size)), words, 0.0, STEP, 1)
