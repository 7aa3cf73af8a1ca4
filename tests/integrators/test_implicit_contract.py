"""The promises that every implicit integrator makes to its driver."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bare_blocks import bare_model_at, bare_scratch_at
from integrators import problems, systems
from integrators.drive import Floats
from integrators.implicit_drive import run
from integrators.problems import remember_time, short_steps_only
from multibody.integrators import Alpha, Bdf, Dop853, Integrator, Radau, contract
from multibody.kernels.compile import REGISTRY, kernel
from multibody.kernels.declared import state_at
from multibody.kernels.objects import ObjectType

ADAPTIVE: list[Integrator] = [Bdf(), Radau()]
ALL = [*ADAPTIVE, Alpha(0.01)]
every = pytest.mark.parametrize("method", ALL, ids=lambda method: method.name)
adaptive = pytest.mark.parametrize("method", ADAPTIVE, ids=lambda method: method.name)
ARM = (math.sin(1.0), -math.cos(1.0), 0.0, 0.0)  # pendulum at rest


@kernel
def height(model, state, scratch, t, y, out):
    """Watch the pendulum's x."""
    model, state, scratch = bare_model_at(model), state_at(state), bare_scratch_at(scratch)
    out[0] = y[0]
    return 0


@kernel
def rough_gives_way(model, state, scratch, t, y, active):
    """Refuse steps longer than F[0] with the answer 3."""
    model, state, scratch = bare_model_at(model), state_at(state), bare_scratch_at(scratch)
    F, ref = model.F, state.ref
    if abs(t - ref[0]) > F[0]:
        return 3
    ref[0] = t
    return 0


def swung(t: float, angle: float = 1.0) -> Floats:
    """Return (x, y, vx, vy) of the pendulum at a time, by another method in another coordinate."""
    from scipy.integrate import solve_ivp

    found = solve_ivp(
        lambda t, z: (z[1], -systems.GRAVITY * math.sin(z[0])), (0.0, t), (angle, 0.0), method="DOP853", rtol=1e-13, atol=1e-13
    )
    a, w = found.y[:, -1]
    return np.array([math.sin(a), -math.cos(a), w * math.cos(a), w * math.sin(a)])


# ----------------------------------------------------------------------------------------------------------------- time


@every
@pytest.mark.parametrize("system", [systems.PENDULUM, systems.HINGED_TOP])
def test_many_calls_are_one_call(method: Integrator, system: int) -> None:
    options = {"rtol": 1e-6, "dense": True, "monitor": height, "watched": 1}
    start = ARM if system == systems.PENDULUM else (0.0, 0.0, systems.TOP_ARM, 1.0, 0.0, 0.0, 0.0, 0.4, 0.0, 0.0, 0.0, 1.0, 9.0)
    one = run(method, system, start, 3.0, rows=4096, **options)
    for limit, rows in ((1, 64), (7, 3), (1000, 1)):
        many = run(method, system, start, 3.0, limit=limit, rows=rows, **options)
        assert np.array_equal(many.y, one.y)
        assert np.array_equal(many.dense, one.dense)
        assert np.array_equal(many.steps, one.steps)
        assert np.array_equal(many.counts[contract.JACOBIANS :], one.counts[contract.JACOBIANS :])
        assert many.evaluations == one.evaluations
        assert many.events == one.events


@every
def test_backwards(method: Integrator) -> None:
    there = run(method, systems.PENDULUM, ARM, 2.0, rtol=1e-8)
    back = run(method, systems.PENDULUM, there.y[:-1], 0.0, start=2.0, rtol=1e-8, dense=True)
    near = 1e-5 if method.adaptive else 1e-2
    assert back.t == 0.0
    assert np.all(back.steps[:, 1] < 0.0)
    assert back.y[:-1] == pytest.approx(ARM, abs=near)
    assert back.y[-1] == pytest.approx(-there.y[-1], abs=near)
    assert back.at(np.array([1.0]))[0, :-1] == pytest.approx(swung(1.0), abs=near)


@every
def test_turning_round_without_a_restart(method: Integrator) -> None:
    motion = run(method, systems.PENDULUM, ARM, 0.0, ends=(1.3,), rtol=1e-8)
    assert motion.t == 0.0
    assert motion.y[:-1] == pytest.approx(ARM, abs=1e-5 if method.adaptive else 1e-3)


@every
def test_ends_are_hit_and_passed_without_loss(method: Integrator) -> None:
    targets = tuple(np.cumsum(np.full(12, 0.777)))
    straight = run(method, systems.OSCILLATOR, (1.0, 0.0), 10.0, rtol=1e-7, dense=True)
    stops = run(method, systems.OSCILLATOR, (1.0, 0.0), 10.0, ends=targets, rtol=1e-7, dense=True)
    assert stops.t == 10.0
    assert set(targets) <= set(np.append(stops.steps[1:, 0], stops.t))  # to the last bit
    lengths = np.abs(stops.steps[:, 1])
    assert lengths[25:].min() > 0.1 * np.median(lengths)  # no tiny steps to get there
    assert stops.y == pytest.approx(straight.y, abs=2e-4)
    assert stops.counts[contract.STEPS] <= 1.5 * straight.counts[contract.STEPS] + 2 * len(targets)


def test_fixed_steps_lie_on_a_grid() -> None:
    motion = run(Alpha(0.1), systems.OSCILLATOR, (1.0, 0.0), 100.0, dense=True)
    assert motion.counts[contract.STEPS] == 1000
    assert motion.steps[:, 0] == pytest.approx(0.1 * np.arange(1000), rel=1e-15)
    motion = run(Alpha(0.3), systems.OSCILLATOR, (1.0, 0.0), 1.0, dense=True)
    assert motion.steps[:, 1] == pytest.approx([0.3, 0.3, 0.3, 0.1])


@adaptive
def test_given_steps(method: Integrator) -> None:
    kind = type(method)
    motion = run(kind(first_step=0.01, max_step=0.04), systems.PENDULUM, ARM, 3.0, rtol=1e-3, dense=True)
    assert motion.steps[0, 1] == 0.01
    assert motion.steps[:, 1].max() <= 0.04 * (1.0 + 2e-6)
    assert motion.steps[:, 1].max() > 0.035


# --------------------------------------------------------------------------------------------------------------- events


@every
@pytest.mark.parametrize("dense", [False, True])
def test_events_are_found(method: Integrator, dense: bool) -> None:
    motion = run(
        method, systems.OSCILLATOR, (1.0, 0.0), 10.0, rtol=1e-8, dense=dense, monitor=problems.first_component, watched=1
    )
    assert motion.status == contract.DONE
    assert motion.events == pytest.approx(math.pi * (np.arange(3) + 0.5), abs=2e-6 if method.adaptive else 2e-3)
    assert len(motion.steps) == (motion.counts[contract.STEPS] if dense else 3)  # only steps with events are stored


@every
def test_cut_and_restart(method: Integrator) -> None:
    """A ball that bounces: each time the step is cut at the ground and the velocity turned round."""

    def bounce(y: Floats) -> None:
        y[0], y[1] = 0.0, -y[1]

    motion = run(
        method, systems.FALLING, (1.0, 0.0), 6.5, rtol=1e-8, cut=True, change=bounce,
        monitor=problems.first_component, watched=1, dense=True,
    )  # fmt: skip
    assert motion.status == contract.DONE
    assert motion.events == pytest.approx([1.0, 3.0, 5.0], abs=1e-5)
    assert motion.y[:2] == pytest.approx([0.75, -1.0], abs=1e-4)


# --------------------------------------------------------------------------------------------------------------- accept


@every
def test_refused_steps_are_halved(method: Integrator) -> None:
    longest = 0.02 if method.adaptive else 0.004
    motion = run(
        method, systems.OSCILLATOR, (1.0, 0.0), 2.0, rtol=1e-5, accept=short_steps_only, F=(longest,), ref=(0.0,), dense=True
    )
    assert motion.status == contract.DONE
    assert motion.counts[contract.REJECTED] > 0
    assert motion.steps[:, 1].max() <= longest
    assert motion.refs[:, 0] == pytest.approx(motion.steps[:, 0], abs=0.0)  # references at the start of each step
    assert motion.y[:2] == pytest.approx([math.cos(2.0), -math.sin(2.0)], abs=1e-3)
    if method.adaptive:
        assert motion.counts[contract.REJECTED] < 0.15 * motion.counts[contract.STEPS]  # once refused, twice shy


@every
def test_a_somewhat_shorter_step(method: Integrator) -> None:
    options = {"rtol": 1e-5, "accept": rough_gives_way, "F": (0.006,), "ref": (0.0,), "dense": True}
    motion = run(method, systems.OSCILLATOR, (1.0, 0.0), 1.0, **options)
    assert motion.status == contract.DONE
    assert 0.003 < motion.steps[5:-2, 1].max() <= 0.006


@every
def test_refused_for_ever(method: Integrator) -> None:
    motion = run(method, systems.OSCILLATOR, (1.0, 0.0), 2.0, accept=short_steps_only, F=(0.0,), ref=(0.0,), start=1e-3)
    assert motion.status == contract.STEP_TOO_SMALL
    assert motion.t == 1e-3
    assert motion.y.tolist() == [1.0, 0.0, 0.0]


@every
def test_accept_gives_up(method: Integrator) -> None:
    motion = run(method, systems.OSCILLATOR, (1.0, 0.0), 2.0, accept=problems.fatal_after_one, rtol=1e-8)
    assert motion.status == contract.ACCEPT_FAILED
    assert motion.counts[contract.CODE] == -17
    assert 0.5 < motion.t <= 1.0
    assert motion.y[:2] == pytest.approx([math.cos(motion.t), -math.sin(motion.t)], abs=1e-3)


@every
def test_projection_costs_nothing(method: Integrator) -> None:
    free = run(method, systems.PENDULUM, ARM, 10.0, rtol=1e-7, project=False)
    motion = run(method, systems.PENDULUM, ARM, 10.0, rtol=1e-7, dense=True)
    assert motion.status == contract.DONE
    assert motion.counts[contract.MOVED] == motion.counts[contract.STEPS]
    assert motion.counts[contract.STEPS] <= 1.1 * free.counts[contract.STEPS]
    assert motion.evaluations <= 1.1 * free.evaluations
    assert motion.mean_order > free.mean_order - 0.3
    assert np.hypot(*motion.y[:2]) == pytest.approx(1.0, abs=1e-14)
    between = motion.at(np.linspace(1.0, 10.0, 500))
    assert np.abs(np.hypot(between[:, 0], between[:, 1]) - 1.0).max() < (1e-5 if method.adaptive else 1e-3)


# ------------------------------------------------------------------------------------------------------------- failures


@every
@pytest.mark.parametrize("code", [0.0, 4.0])
def test_no_equations_after_one(method: Integrator, code: float) -> None:
    motion = run(method, systems.UNTIL_ONE, (1.0, 0.0), 3.0, F=(code,), rtol=1e-7, accept=None)
    assert motion.status == (contract.RHS_FAILED if code else contract.NOT_FINITE)
    if code:
        assert motion.counts[contract.CODE] == code
    assert 1.0 - 1e-5 < motion.t <= 1.0
    assert motion.y[:2] == pytest.approx([math.cos(1.0), -math.sin(1.0)], abs=1e-4)
    assert motion.evaluations < 5000


@every
def test_no_equations_at_the_start(method: Integrator) -> None:
    failed = run(method, systems.UNTIL_ONE, (1.0, 0.0), 3.0, start=2.0, F=(4.0,))
    assert (failed.status, failed.t, failed.counts[contract.CODE]) == (contract.RHS_FAILED, 2.0, 4)
    undefined = run(method, systems.UNTIL_ONE, (1.0, 0.0), 3.0, start=2.0, F=(0.0,))
    assert undefined.status == contract.NOT_FINITE
    assert run(method, systems.OSCILLATOR, (math.nan, 0.0), 1.0).status == contract.NOT_FINITE


@adaptive
def test_a_step_into_nowhere_is_shortened(method: Integrator) -> None:
    motion = run(type(method)(first_step=3.0), systems.NARROW, (1.0, 0.0), 6.0, rtol=1e-7)
    assert motion.status == contract.DONE
    assert motion.counts[contract.REJECTED] > 0
    assert motion.y[:2] == pytest.approx([math.cos(6.0), -math.sin(6.0)], abs=1e-4)


@adaptive
def test_blow_up(method: Integrator) -> None:
    motion = run(method, systems.BLOW_UP, (1.0, 1.0), 2.0, rtol=1e-6)
    assert motion.status == contract.STEP_TOO_SMALL
    assert motion.t == pytest.approx(1.0, abs=1e-4)
    assert np.all(np.isfinite(motion.y))


@adaptive
@pytest.mark.parametrize("system", [systems.PENDULUM, systems.OSCILLATOR])
def test_a_tolerance_below_rounding(method: Integrator, system: int) -> None:
    start = ARM if system == systems.PENDULUM else (1.0, 0.3)
    motion = run(method, system, start, 100.0, rtol=1e-30, atol=0.0, limit=2000)
    assert motion.status == contract.STEP_TOO_SMALL
    assert motion.evaluations < 100_000


@adaptive
def test_jumps_of_the_force_do_not_pass_unseen(method: Integrator) -> None:
    from integrators import drive

    exact = np.zeros(2)
    for k in range(10):  # from jump to jump the solution is smooth
        start, end = math.pi / 3.0 * k, math.pi / 3.0 * (k + 1)
        inside = 1e-12
        exact = drive.run(Dop853(), problems.jumping, exact, end - inside, start=start + inside, rtol=1e-12).y
    for rtol in (1e-5, 1e-7):
        motion = run(method, systems.JUMPING, (0.0, 0.0), math.pi / 3.0 * 10, rtol=rtol)
        assert motion.status == contract.DONE
        assert motion.y[:2] == pytest.approx(exact, abs=200.0 * rtol)
        assert motion.counts[contract.REJECTED] > 10


# ------------------------------------------------------------------------------------------------------ what is counted


@adaptive
def test_uncounted_components_do_not_limit_the_steps(method: Integrator) -> None:
    alone = run(method, systems.OSCILLATOR, (1.0, 0.0), 2.0, rtol=1e-5)
    motion = run(method, systems.ROUGH, (1.0, 0.0, 0.0, 0.0), 2.0, rtol=1e-5, active=(1.0, 0.0, 1.0, 0.0))
    assert motion.counts[contract.STEPS] <= 1.3 * alone.counts[contract.STEPS]
    assert motion.y[[0, 2]] == pytest.approx(alone.y[:2], abs=1e-4)
    counted = run(method, systems.ROUGH, (1.0, 0.0, 0.0, 0.0), 2.0, rtol=1e-5)
    assert counted.counts[contract.STEPS] > 10 * alone.counts[contract.STEPS]


@every
def test_nothing_is_counted(method: Integrator) -> None:
    motion = run(method, systems.OSCILLATOR, (1.0, 0.0), 5.0, active=(0.0, 0.0))
    assert motion.status == contract.DONE
    assert motion.counts[contract.REJECTED] == 0
    assert np.all(np.isfinite(motion.y))


@adaptive
def test_a_component_that_is_zero_needs_no_absolute_tolerance(method: Integrator) -> None:
    motion = run(method, systems.STIFF, (1.0, 0.0, 0.5, 1.0), 0.5, F=(0.0, 0.0), rtol=1e-6, atol=0.0)
    assert motion.status == contract.DONE


@every
def test_references_go_with_accepted_states(method: Integrator) -> None:
    motion = run(method, systems.OSCILLATOR, (1.0, 0.0), 2.0, accept=remember_time, ref=(0.0,), dense=True)
    assert motion.refs[:, 0] == pytest.approx(motion.steps[:, 0], abs=0.0)


def test_one_specialization_each() -> None:
    for method in ALL:
        run(method, systems.PENDULUM, ARM, 0.5, dense=True).at(np.array([0.25]))
    for made in REGISTRY:
        if made.py_func.__module__.startswith("multibody.integrators"):
            objects = [tuple(kind for kind in signature if isinstance(kind, ObjectType)) for signature in made.signatures]
            assert len(objects) == len(set(objects)), made.py_func.__name__
