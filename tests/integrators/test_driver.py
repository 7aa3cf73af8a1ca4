"""A method of a few lines in the loop that all share: Kutta's pair of the orders 3 and 2."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

from integrators import problems
from integrators.drive import Floats, run
from multibody.integrators import Integrator, contract
from multibody.integrators.adaptive import AdaptiveMethod
from multibody.integrators.contract import interpolate_polynomial, scaled_norm
from multibody.integrators.driver import NEW, OWN, SLOPE, SPARE, advance_by, nothing_past, right_side
from multibody.integrators.fixed import hermite
from multibody.kernels.calls import call
from multibody.kernels.compile import inner_kernel, kernel

K2, K3, NEW_SLOPE = range(OWN, OWN + 3)
LOOSE = 1e30  # a tolerance that lets every step pass


@inner_kernel
def attempt(rhs, run, t, end, h, order, control, counts, y, atol, active, memory, work):
    """Make the stages at 0, 1/2 and 1; the midpoint rule shows the error."""
    x, k1, k2, k3, new = memory[SPARE], memory[SLOPE], memory[K2], memory[K3], memory[NEW]
    counts[contract.EVALUATIONS] += 2
    for i in range(y.shape[0]):
        x[i] = y[i] + 0.5 * h * k1[i]
    status = call(rhs, run, t + 0.5 * h, x, k2)
    for i in range(y.shape[0]):
        x[i] = y[i] + h * (2.0 * k2[i] - k1[i])
    if status == 0:
        status = call(rhs, run, end, x, k3)
    if status != 0:
        counts[contract.CODE] = status
        return contract.RHS_FAILED, (0.0,)
    for i in range(y.shape[0]):
        new[i] = y[i] + h / 6.0 * (k1[i] + 4.0 * k2[i] + k3[i])
        x[i] = h / 6.0 * (k1[i] - 2.0 * k2[i] + k3[i])
    error = scaled_norm(x, y, new, atol, active, control[contract.RTOL])
    if not error < math.inf:
        return contract.NOT_FINITE, (0.0,)
    return (contract.STEP_TOO_SMALL if error > 1.0 else 0), (error,)


@inner_kernel
def shorten(outcome, errors, h, order, control, counts, y, memory):
    """Return by what to multiply a step that failed."""
    return max(0.2, 0.9 * errors[0] ** (-1.0 / 3.0)) if outcome == contract.STEP_TOO_SMALL else 0.5


@inner_kernel
def choose(rhs, run, end, h, order, errors, control, counts, y, atol, active, memory, work):
    """Set the length of the next step."""
    factor = 4.0 if counts[contract.TRIES] == 0 else 1.0
    control[contract.H] = h * min(factor, 0.9 * max(errors[0], 1e-9) ** (-1.0 / 3.0))


@inner_kernel
def between(rhs, run, t, end, h, order, y, control, counts, memory, work, row):
    """Write the cubic through both states with both slopes."""
    hermite(h, y, memory[NEW], memory[SLOPE], memory[NEW_SLOPE], row)


KUTTA = AdaptiveMethod(
    "kutta", order=3, exponent=1.0 / 3.0, new_slope=NEW_SLOPE, one_way=False, keeps_length=True, slope=right_side,
    restart=nothing_past, attempt=attempt, shorten=shorten, choose=choose, between=between,
)  # fmt: skip


@kernel
def advance_kutta(rhs, accept, monitor, run, ref, control, counts, y, atol, active, memory, g, steps, dense, refs):
    """Step towards END as the contract says; return why it stopped."""
    return advance_by(
        KUTTA, rhs, accept, monitor, run, ref, control, counts, y, atol, active, memory, g, steps, dense, refs, None
    )


advance_kutta._cache.disable()  # type: ignore[attr-defined]  # files of tests know nothing of edits in integrators


@dataclass(frozen=True)
class Kutta(Integrator):
    """The method with its options."""

    first_step: float = 0.0
    max_step: float = 0.0

    name: ClassVar[str] = "kutta"
    memory_rows: ClassVar[int] = NEW_SLOPE + 1
    dense_rows: ClassVar[int] = 4

    @property
    def advance(self) -> Any:
        return advance_kutta

    @property
    def interpolate(self) -> Any:
        return interpolate_polynomial

    def configure(self, control: Any, counts: Any) -> None:
        control[contract.H], control[contract.HMAX] = self.first_step, self.max_step


def exact(t: Floats) -> Floats:
    """Return the oscillator's state from (1, 0)."""
    return np.stack([np.cos(t), -np.sin(t)], axis=-1)


def test_order_of_states_and_of_dense_output() -> None:
    steps, errors, dense, times = [0.1, 0.05, 0.025], [], [], np.linspace(0.0, 12.0, 301)
    for step in steps:
        motion = run(Kutta(step, step), problems.oscillator, (1.0, 0.0), 12.0, rtol=LOOSE, dense=True)
        assert motion.counts[contract.STEPS] == pytest.approx(12.0 / step, abs=1.0)
        assert motion.mean_order == 3.0
        assert motion.evaluations == 1 + 3 * motion.counts[contract.STEPS]
        errors.append(float(np.abs(motion.y - exact(np.array(12.0))).max()))
        dense.append(float(np.abs(motion.at(times) - exact(times)).max()))
    for measured in (errors, dense):
        assert float(np.polyfit(np.log(steps), np.log(measured), 1)[0]) == pytest.approx(3.0, abs=0.25)


def test_errors_follow_the_tolerance() -> None:
    tolerances, errors = [1e-4, 1e-6, 1e-8], []
    for rtol in tolerances:
        motion = run(Kutta(), problems.kepler, (1.0, 0.0, 0.0, 1.0), 2.0 * math.pi, rtol=rtol)
        assert motion.status == contract.DONE
        errors.append(float(np.abs(motion.y - (1.0, 0.0, 0.0, 1.0)).max()))
    assert float(np.polyfit(np.log(tolerances), np.log(errors), 1)[0]) == pytest.approx(1.0, abs=0.2)
    assert max(np.array(errors) / tolerances) < 300.0


@pytest.mark.parametrize("dense", [False, True])
def test_events_and_what_is_stored(dense: bool) -> None:
    options: dict[str, Any] = {"rtol": 1e-8, "dense": dense, "monitor": problems.first_component, "watched": 1}
    motion = run(Kutta(), problems.oscillator, (1.0, 0.0), 10.0, rows=4096, **options)
    assert motion.status == contract.DONE
    assert motion.events == pytest.approx(math.pi * (np.arange(3) + 0.5), abs=1e-6)
    assert len(motion.steps) == (motion.counts[contract.STEPS] if dense else 3)
    if dense:
        times = np.linspace(0.0, 10.0, 101)
        assert motion.at(times) == pytest.approx(exact(times), abs=1e-6)
    many = run(Kutta(), problems.oscillator, (1.0, 0.0), 10.0, limit=7, rows=3, **options)
    assert np.array_equal(many.y, motion.y) and np.array_equal(many.dense, motion.dense) and many.events == motion.events


def test_there_and_back_through_several_ends() -> None:
    motion = run(Kutta(), problems.oscillator, (1.0, 0.0), 0.0, ends=(0.777, 2.0), rtol=1e-8)
    assert motion.t == 0.0
    assert motion.y == pytest.approx([1.0, 0.0], abs=1e-6)


def test_refusals_and_failures_are_met_by_the_loop() -> None:
    refusing: dict[str, Any] = {"accept": problems.short_steps_only, "F": (0.05,), "ref": (0.0,)}
    short = run(Kutta(), problems.oscillator, (1.0, 0.0), 2.0, rtol=1e-3, dense=True, **refusing)
    assert short.status == contract.DONE and short.steps[:, 1].max() <= 0.05
    assert 0 < short.counts[contract.REJECTED] < 0.2 * short.counts[contract.STEPS]  # a ceiling keeps it from trying every time
    for status, answer in ((4.0, contract.RHS_FAILED), (0.0, contract.NOT_FINITE)):
        lost = run(Kutta(), problems.decay_until_one, (1.0,), 2.0, F=(status,))
        assert lost.status == answer and lost.t == pytest.approx(1.0, abs=1e-9)
    assert run(Kutta(), problems.oscillator, (1.0, 0.0), 2.0, accept=problems.fatal_after_one).counts[contract.CODE] == -17
    jumps = run(Kutta(), problems.jumping, (0.0, 0.0), 10.0, rtol=1e-6)
    assert jumps.status == contract.DONE and jumps.counts[contract.REJECTED] > 9
