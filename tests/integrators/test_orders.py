"""Convergence: orders of the methods and of their dense outputs, and errors that follow the tolerance."""

from __future__ import annotations

import math

import numpy as np
import pytest

from integrators import problems
from integrators.drive import Floats, run
from multibody.integrators import Ab3, Adams, Dop853, Integrator, Rk4, contract

LOOSE = 1e30  # a tolerance that lets every step pass: adaptive methods then keep the step they are given


def exact(t: Floats) -> Floats:
    """Return the oscillator's state from (1, 0)."""
    return np.stack([np.cos(t), -np.sin(t)], axis=-1)


def with_step(name: str, step: float) -> Integrator:
    """Return a method that makes steps of one length."""
    return {"rk4": Rk4(step), "ab3": Ab3(step)}.get(name) or Dop853(first_step=step, max_step=step)


def slope(steps: list[float], errors: list[float]) -> float:
    """Return the measured order: the slope of log error over log step."""
    return float(np.polyfit(np.log(steps), np.log(errors), 1)[0])


@pytest.mark.parametrize(("name", "order", "steps"), [
    ("rk4", 4, [0.1, 0.05, 0.025]), ("ab3", 3, [0.05, 0.025, 0.0125]), ("dop853", 8, [0.8, 0.6, 0.4]),
])  # fmt: skip
def test_order_of_the_method(name: str, order: int, steps: list[float]) -> None:
    errors, dense = [], []
    times = np.linspace(0.0, 12.0, 301)
    for step in steps:
        motion = run(with_step(name, step), problems.oscillator, (1.0, 0.0), 12.0, rtol=LOOSE, dense=True)
        assert motion.status == contract.DONE
        assert motion.counts[contract.STEPS] == pytest.approx(12.0 / step, abs=1.0)
        errors.append(float(np.abs(motion.y - exact(np.array(12.0))).max()))
        dense.append(float(np.abs(motion.at(times) - exact(times)).max()))
    assert slope(steps, errors) == pytest.approx(order, abs=0.25)
    assert slope(steps, dense) == pytest.approx(order, abs=0.35)


@pytest.mark.parametrize(("name", "order"), [("rk4", 5), ("ab3", 4), ("dop853", 8)])
def test_order_of_the_dense_output_within_one_step(name: str, order: int) -> None:
    """One step from exact values: a dense output of order p misses by h^(p+1)."""
    errors, steps = [], [0.8, 0.6, 0.45] if name == "dop853" else [0.2, 0.1, 0.05]
    for step in steps:
        motion = run(with_step(name, step), problems.oscillator, (0.6, -0.8), step, rtol=LOOSE, dense=True)
        s = np.linspace(0.0, step, 21)
        phase = math.atan2(0.8, 0.6)
        errors.append(float(np.abs(motion.at(s) - exact(s + phase)).max()))
    assert slope(steps, errors) == pytest.approx(order, abs=0.3)


@pytest.mark.parametrize("method", [Dop853(), Adams()])
def test_error_follows_the_tolerance(method: Integrator) -> None:
    end = 20.0
    times, tolerances = np.linspace(0.0, end, 401), [1e-5, 1e-7, 1e-9, 1e-11]
    ends, dense = [], []
    for rtol in tolerances:
        motion = run(method, problems.oscillator, (1.0, 0.0), end, rtol=rtol, dense=True)
        ends.append(float(np.abs(motion.y - exact(np.array(end))).max()))
        dense.append(float(np.abs(motion.at(times) - exact(times)).max()))
    assert slope(tolerances, ends) == pytest.approx(1.0, abs=0.15)
    for rtol, error, between in zip(tolerances, ends, dense, strict=True):
        assert error < 300.0 * rtol
        assert between < 500.0 * rtol  # the output between steps is as good as the steps


@pytest.mark.parametrize("method", [Rk4(0.01), Ab3(0.001), Dop853(), Adams()])
def test_time_dependent_equations(method: Integrator) -> None:
    motion = run(method, problems.forced, (math.sin(0.3), 0.027), 4.0, start=0.3, rtol=1e-9, dense=True)
    assert motion.y == pytest.approx([math.sin(4.0), 64.0], rel=1e-7)
    assert motion.at(np.array([2.0]))[0] == pytest.approx([math.sin(2.0), 8.0], rel=1e-7)


@pytest.mark.parametrize("method", [Rk4(0.05), Ab3(0.02), Dop853(), Adams()])
def test_dense_output_joins_states_and_slopes(method: Integrator) -> None:
    motion = run(method, problems.duffing, (1.0, 0.0), 8.0, rtol=1e-7, dense=True)
    assert motion.counts[contract.STEPS] == len(motion.steps)
    scale, (left, right, near, far) = 1e-3, np.empty((4, 2))
    for k in range(len(motion.steps) - 1):
        (t0, h), (t1, h1) = motion.steps[k], motion.steps[k + 1]
        assert t1 == pytest.approx(t0 + h, abs=1e-13)
        method.interpolate(motion.dense[k], t0, h, t0 + h, left)
        method.interpolate(motion.dense[k + 1], t1, h1, t1, right)
        assert left == pytest.approx(right, abs=1e-13)
        method.interpolate(motion.dense[k], t0, h, t0 + h - scale * h, near)
        method.interpolate(motion.dense[k + 1], t1, h1, t1 + scale * h, far)
        rates = (right - near) / (scale * h), (far - right) / (scale * h)
        assert rates[0] == pytest.approx(rates[1], abs=20.0 * scale * abs(h))  # apart by the curvature only


def test_adams_has_the_highest_order_where_it_pays() -> None:
    motion = run(Adams(), problems.arenstorf, problems.ARENSTORF, problems.ARENSTORF_PERIOD, rtol=1e-10)
    assert motion.mean_order > 10.0
    low = run(Adams(max_order=4), problems.arenstorf, problems.ARENSTORF, problems.ARENSTORF_PERIOD, rtol=1e-10)
    assert low.mean_order <= 4.0
    assert low.evaluations > 2 * motion.evaluations


def test_adams_rises_quickly_from_the_start() -> None:
    """From order 1 up to where it stays within little more steps than orders."""
    motion = run(Adams(), problems.oscillator, (1.0, 0.0), 1.0, rtol=1e-10)
    assert motion.counts[contract.ORDER] >= 8
    assert motion.counts[contract.STEPS] < 35
