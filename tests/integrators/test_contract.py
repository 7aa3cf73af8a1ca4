"""The promises that every integrator makes to its driver."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from integrators import problems
from integrators.drive import Floats, one_specialization_each, run
from multibody.integrators import Ab3, Adams, Dop853, Integrator, Rk4, contract

ALL = [Rk4(0.05), Ab3(0.05), Dop853(), Adams()]
ADAPTIVE = [Dop853(), Adams()]
every = pytest.mark.parametrize("method", ALL, ids=lambda method: method.name)
adaptive = pytest.mark.parametrize("method", ADAPTIVE, ids=lambda method: method.name)


@every
def test_many_calls_are_one_call(method: Integrator) -> None:
    options = {"rtol": 1e-7, "dense": True, "monitor": problems.first_component, "watched": 1}
    one = run(method, problems.duffing, (1.0, 0.0), 9.0, rows=4096, **options)
    for limit, rows in ((1, 64), (7, 3), (1000, 1)):
        many = run(method, problems.duffing, (1.0, 0.0), 9.0, limit=limit, rows=rows, **options)
        assert np.array_equal(many.y, one.y)
        assert np.array_equal(many.dense, one.dense)
        assert np.array_equal(many.steps, one.steps)
        assert many.evaluations == one.evaluations
        assert many.events == one.events


@every
def test_backwards(method: Integrator) -> None:
    there = run(method, problems.duffing, (1.0, 0.0), 6.0, rtol=1e-9)
    back = run(method, problems.duffing, there.y, 0.0, start=6.0, rtol=1e-9, dense=True)
    assert back.t == 0.0
    assert np.all(back.steps[:, 1] < 0.0)
    assert back.y == pytest.approx([1.0, 0.0], abs=1e-7 if method.adaptive else 5e-3)
    halfway = run(method, problems.duffing, (1.0, 0.0), 3.0, rtol=1e-9)
    assert back.at(np.array([3.0]))[0] == pytest.approx(halfway.y, abs=1e-7 if method.adaptive else 5e-3)


@every
def test_turning_round_without_a_restart(method: Integrator) -> None:
    motion = run(method, problems.oscillator, (1.0, 0.0), 0.0, ends=(2.0,), rtol=1e-9)
    assert motion.t == 0.0
    assert motion.y == pytest.approx([1.0, 0.0], abs=1e-7 if method.adaptive else 1e-3)


@every
def test_ends_are_hit_and_passed_without_loss(method: Integrator) -> None:
    targets = tuple(np.cumsum(np.full(12, 0.777)))
    straight = run(method, problems.oscillator, (1.0, 0.0), 10.0, rtol=1e-9, dense=True)
    stops = run(method, problems.oscillator, (1.0, 0.0), 10.0, ends=targets, rtol=1e-9, dense=True)
    assert stops.t == 10.0
    ends = np.append(stops.steps[1:, 0], stops.t)
    assert set(targets) <= set(ends)  # to the last bit
    lengths = np.abs(stops.steps[:, 1])
    settled = 25 if method.name == "adams" else 5
    assert lengths[settled:].min() > 0.2 * np.median(lengths)  # no tiny steps to get there
    assert stops.y == pytest.approx(straight.y, abs=1e-6 if method.adaptive else 1e-3)
    assert stops.counts[contract.STEPS] <= straight.counts[contract.STEPS] + 2 * len(targets)
    assert stops.mean_order > straight.mean_order - 0.5
    if method.adaptive:
        assert lengths[settled:].max() < 2.5 * np.abs(straight.steps[:, 1]).max()


def test_fixed_steps_lie_on_a_grid() -> None:
    motion = run(Rk4(0.1), problems.oscillator, (1.0, 0.0), 100.0, dense=True)
    assert motion.counts[contract.STEPS] == 1000
    assert motion.steps[:, 0] == pytest.approx(0.1 * np.arange(1000), rel=1e-15)
    motion = run(Rk4(0.3), problems.oscillator, (1.0, 0.0), 1.0, dense=True)
    assert motion.steps[:, 1] == pytest.approx([0.3, 0.3, 0.3, 0.1])


def test_ab3_takes_one_evaluation_a_step() -> None:
    motion = run(Ab3(0.1), problems.oscillator, (1.0, 0.0), 10.0)
    assert motion.counts[contract.STEPS] == 100
    assert motion.evaluations == 1 + 2 * 4 + 98


@adaptive
def test_given_steps(method: Integrator) -> None:
    kind = type(method)
    motion = run(kind(first_step=0.01, max_step=0.125), problems.oscillator, (1.0, 0.0), 5.0, rtol=1e-4, dense=True)
    assert motion.steps[0, 1] == 0.01
    assert motion.steps[:, 1].max() <= 0.125 * (1.0 + 2e-6)
    assert motion.steps[:, 1].max() > 0.12


# -------------------------------------------------------------------------------------------------------------- events


@every
@pytest.mark.parametrize("dense", [False, True])
def test_events_are_found(method: Integrator, dense: bool) -> None:
    motion = run(
        method, problems.oscillator, (1.0, 0.0), 10.0, rtol=1e-9, dense=dense, monitor=problems.first_component, watched=1
    )
    assert motion.status == contract.DONE
    assert motion.events == pytest.approx(math.pi * (np.arange(3) + 0.5), abs=1e-7 if method.adaptive else 2e-3)
    assert len(motion.steps) == (motion.counts[contract.STEPS] if dense else 3)  # only steps with events are stored


@every
def test_several_watched_values(method: Integrator) -> None:
    motion = run(method, problems.oscillator, (1.0, 0.0), 3.0, monitor=problems.two_times, watched=2, rtol=1e-9)
    found = {round(t, 9) for t in motion.events}
    assert found == {1.0, 1.6}


def test_a_value_that_is_zero_at_the_end_of_a_step_is_one_event() -> None:
    motion = run(Rk4(0.25), problems.oscillator, (1.0, 0.0), 1.5, monitor=problems.two_times, watched=2, dense=True)
    assert motion.events == [1.0]
    start = run(Rk4(0.25), problems.oscillator, (1.0, 0.0), 1.5, start=1.0, monitor=problems.two_times, watched=2)
    assert start.events == []  # a zero at the start is none


@every
def test_cut_and_restart(method: Integrator) -> None:
    """A ball that bounces: each time the step is cut at the ground and the velocity turned round."""

    def bounce(y: Floats) -> None:
        y[0], y[1] = 0.0, -y[1]

    motion = run(
        method, problems.falling, (1.0, 0.0), 6.5, rtol=1e-9, cut=True, change=bounce,
        monitor=problems.first_component, watched=1, dense=True,
    )  # fmt: skip
    assert motion.status == contract.DONE
    assert motion.events == pytest.approx([1.0, 3.0, 5.0], abs=1e-6)
    assert motion.y == pytest.approx([0.75, -1.0], abs=1e-5)


# -------------------------------------------------------------------------------------------------------------- accept


@every
def test_refused_steps_are_halved(method: Integrator) -> None:
    kind = type(method)
    longest = 0.03 if method.adaptive else 0.02
    chosen = kind(max_order=12) if kind is Adams else method
    free = run(chosen, problems.oscillator, (1.0, 0.0), 2.0, rtol=1e-6)
    motion = run(
        chosen, problems.oscillator, (1.0, 0.0), 2.0, rtol=1e-6, accept=problems.short_steps_only, F=(longest,), ref=(0.0,),
        dense=True,
    )  # fmt: skip
    assert motion.status == contract.DONE
    assert motion.counts[contract.REJECTED] > 0
    assert motion.steps[:, 1].max() <= longest
    assert motion.refs[:, 0] == pytest.approx(motion.steps[:, 0], abs=0.0)  # references at the start of each step
    assert motion.y == pytest.approx([math.cos(2.0), -math.sin(2.0)], abs=1e-4)
    if kind is Adams:
        assert motion.counts[contract.ORDER] >= 3  # refusals are no reason for a lower order
    if method.adaptive:
        assert motion.counts[contract.REJECTED] < 0.15 * motion.counts[contract.STEPS]  # once refused, twice shy
    assert motion.counts[contract.STEPS] > free.counts[contract.STEPS]


@every
def test_refused_for_ever(method: Integrator) -> None:
    motion = run(
        method, problems.oscillator, (1.0, 0.0), 2.0, accept=problems.short_steps_only, F=(0.0,), ref=(0.0,), start=1e-3
    )
    assert motion.status == contract.STEP_TOO_SMALL
    assert motion.t == 1e-3
    assert motion.y.tolist() == [1.0, 0.0]


@every
def test_accept_gives_up(method: Integrator) -> None:
    motion = run(method, problems.oscillator, (1.0, 0.0), 2.0, accept=problems.fatal_after_one, rtol=1e-9)
    assert motion.status == contract.ACCEPT_FAILED
    assert motion.counts[contract.CODE] == -17
    assert 0.5 < motion.t <= 1.0
    assert motion.y == pytest.approx([math.cos(motion.t), -math.sin(motion.t)], abs=1e-3)


@every
def test_references_are_put_back_when_the_accepted_state_has_no_slope(method: Integrator) -> None:
    motion = run(method, problems.lost_after_accept, (0.0,), 2.0, accept=problems.remember_time, ref=(0.0,), dense=True)
    assert motion.status == contract.RHS_FAILED
    assert motion.counts[contract.CODE] == 9
    assert motion.t == pytest.approx(0.5, abs=1e-5)
    assert motion.y[0] == pytest.approx(motion.t)
    assert motion.refs[:, 0] == pytest.approx(motion.steps[:, 0], abs=0.0)


@every
@pytest.mark.parametrize("partitioned", [False, True])
def test_projection_costs_nothing(method: Integrator, partitioned: bool) -> None:
    start = (math.sin(2.0), -math.cos(2.0), 0.0, 0.0)
    end, rtol = 30.0, 1e-8
    angle = solve_ivp(lambda t, y: (y[1], -math.sin(y[0])), (0.0, end), (2.0, 0.0), method="DOP853", rtol=1e-12, atol=1e-13)
    there = np.array([math.sin(angle.y[0, -1]), -math.cos(angle.y[0, -1])])
    free = run(method, problems.pendulum, start, end, rtol=rtol)
    motion = run(
        method, problems.pendulum, start, end, rtol=rtol, accept=problems.onto_circle, F=(float(partitioned),), dense=True
    )
    steps, rejected = motion.counts[contract.STEPS], motion.counts[contract.REJECTED]
    assert motion.status == contract.DONE
    assert motion.counts[contract.MOVED] > 0.3 * steps
    cost = {"rk4": 1 + 5 * steps, "ab3": 7 + steps, "dop853": 2 + 15 * steps + 11 * rejected, "adams": 2 + 2 * steps + rejected}
    assert motion.evaluations == cost[method.name]  # a move costs no evaluation
    assert steps <= (1.25 if partitioned else 1.05) * free.counts[contract.STEPS]  # where only some count, they count more
    assert motion.mean_order > free.mean_order - 0.6
    error = float(np.abs(motion.y[:2] - there).max())
    if method.adaptive:
        assert error < 3e-6
    else:  # the order is kept: half the step, a 2^order-th of the error
        finer = run(type(method)(0.5 * method.step), problems.pendulum, start, end, accept=problems.onto_circle, F=(0.0,))
        assert float(np.abs(finer.y[:2] - there).max()) < 0.6**method.order * error
    assert np.hypot(*motion.y[:2]) == pytest.approx(1.0, abs=1e-15)
    between = motion.at(np.linspace(1.0, end, 500))
    assert np.abs(np.hypot(between[:, 0], between[:, 1]) - 1.0).max() < (1e-6 if method.adaptive else 1e-3)


# ------------------------------------------------------------------------------------------------------------ failures


@every
@pytest.mark.parametrize("code", [0.0, 4.0])
def test_no_slope_after_one(method: Integrator, code: float) -> None:
    motion = run(method, problems.decay_until_one, (1.0,), 3.0, F=(code,), rtol=1e-9)
    assert motion.status == (contract.RHS_FAILED if code else contract.NOT_FINITE)
    if code:
        assert motion.counts[contract.CODE] == code
    assert 1.0 - 1e-6 < motion.t <= 1.0
    assert motion.y[0] == pytest.approx(math.exp(-1.0), rel=1e-4)
    assert motion.evaluations < 3000


@every
def test_no_slope_at_the_start(method: Integrator) -> None:
    failed = run(method, problems.decay_until_one, (1.0,), 3.0, start=2.0, F=(4.0,))
    assert (failed.status, failed.t, failed.counts[contract.CODE]) == (contract.RHS_FAILED, 2.0, 4)
    undefined = run(method, problems.decay_until_one, (1.0,), 3.0, start=2.0, F=(0.0,))
    assert undefined.status == contract.NOT_FINITE
    assert run(method, problems.oscillator, (math.nan, 0.0), 1.0).status == contract.NOT_FINITE


@adaptive
def test_a_step_into_nowhere_is_shortened(method: Integrator) -> None:
    motion = run(type(method)(first_step=3.0), problems.narrow, (1.0, 0.0), 12.0, rtol=1e-7)
    assert motion.status == contract.DONE
    assert motion.counts[contract.REJECTED] > 0
    assert motion.y == pytest.approx([math.cos(12.0), -math.sin(12.0)], abs=1e-4)


@adaptive
def test_blow_up(method: Integrator) -> None:
    motion = run(method, problems.blow_up, (1.0,), 2.0, rtol=1e-8)
    assert motion.status == contract.STEP_TOO_SMALL
    assert motion.t == pytest.approx(1.0, abs=1e-6)
    assert math.isfinite(motion.y[0])


@adaptive
def test_jumps_of_the_slope_do_not_pass_unseen(method: Integrator) -> None:
    exact = np.zeros(2)
    for k in range(10):  # from jump to jump the solution is smooth
        start, end = math.pi / 3.0 * k, math.pi / 3.0 * (k + 1)
        inside = 1e-12
        exact = run(Dop853(), problems.jumping, exact, end - inside, start=start + inside, rtol=1e-12).y
    for rtol in (1e-6, 1e-9):
        motion = run(method, problems.jumping, (0.0, 0.0), math.pi / 3.0 * 10, rtol=rtol)
        assert motion.status == contract.DONE
        assert motion.y == pytest.approx(exact, abs=100.0 * rtol)
        assert motion.counts[contract.REJECTED] > 20


# ------------------------------------------------------------------------------------------------------ what is counted


@adaptive
def test_uncounted_components_do_not_limit_the_steps(method: Integrator) -> None:
    alone = run(method, problems.oscillator, (1.0, 0.0), 5.0, rtol=1e-6)
    motion = run(method, problems.rough, (1.0, 0.0, 0.0), 5.0, rtol=1e-6, active=(1.0, 1.0, 0.0))
    assert motion.counts[contract.STEPS] == alone.counts[contract.STEPS]
    assert motion.y[:2] == pytest.approx(alone.y, abs=1e-13)
    counted = run(method, problems.rough, (1.0, 0.0, 0.0), 5.0, rtol=1e-6)
    assert counted.counts[contract.STEPS] > 10 * alone.counts[contract.STEPS]


@every
def test_nothing_is_counted(method: Integrator) -> None:
    motion = run(method, problems.oscillator, (1.0, 0.0), 5.0, active=(0.0, 0.0))
    assert motion.status == contract.DONE
    assert motion.counts[contract.REJECTED] == 0
    assert np.all(np.isfinite(motion.y))


@adaptive
def test_a_component_that_is_zero_needs_no_absolute_tolerance(method: Integrator) -> None:
    motion = run(method, problems.kepler, (1.0, 0.0, 0.0, 0.0), 0.5, rtol=1e-8, atol=0.0)
    assert motion.status == contract.DONE
    assert motion.y[1] == 0.0


@adaptive
def test_stiffness_is_noticed(method: Integrator) -> None:
    stiff = run(method, problems.van_der_pol, (2.0, 0.0), 0.5, rtol=1e-5, F=(1e4,))
    assert stiff.counts[contract.STIFF] == 1
    for rtol in (1e-3, 1e-6, 1e-10):
        for rhs, y0 in ((problems.oscillator, (1.0, 0.0)), (problems.duffing, (1.0, 0.0))):
            assert run(method, rhs, y0, 200.0, rtol=rtol).counts[contract.STIFF] == 0


def test_one_specialization_each() -> None:
    for method in ALL:
        run(method, problems.oscillator, (1.0, 0.0), 1.0, dense=True).at(np.array([0.5]))
    one_specialization_each()
