"""Orders of the implicit methods, errors that follow the tolerance, and what must stay as it is."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import ellipk

from integrators import systems
from integrators.drive import Floats, Motion
from integrators.implicit_drive import run
from multibody.integrators import Alpha, Bdf, Integrator, Radau, contract
from multibody.integrators import radau_stages as radau

TOP_START = (math.cos(0.3), math.sin(0.3), 0.0, 0.0, 0.5, 0.2, 20.0)  # quaternion, body rates


def on_circle(t: float, moving: bool, angle: float = 1.0) -> tuple[Floats, float]:
    """Return (q, v) and λ of a point on a circle (of changing radius) at a time, from its angle by another method."""
    g = systems.GRAVITY

    def radius(t: float) -> tuple[float, float, float]:
        if not moving:
            return 1.0, 0.0, 0.0
        return 1.0 + 0.2 * math.sin(2.0 * t), 0.4 * math.cos(2.0 * t), -0.8 * math.sin(2.0 * t)

    def f(t: float, z: Floats) -> tuple[float, float]:
        l, rate, _ = radius(t)
        return z[1], -g / l * math.sin(z[0]) - 2.0 * rate / l * z[1]

    a, w = solve_ivp(f, (0.0, t), (angle, 0.0), method="DOP853", rtol=1e-13, atol=1e-13).y[:, -1]
    l, rate, bend = radius(t)
    s, c = math.sin(a), math.cos(a)
    state = np.array([l * s, -l * c, rate * s + l * w * c, -rate * c + l * w * s])
    return state, (g * c + l * w * w - bend) / l  # radially: r̈ − l ω² = g cos − λ l


def start_on_circle(moving: bool, angle: float = 1.0) -> tuple[float, ...]:
    rate = 0.4 if moving else 0.0
    return math.sin(angle), -math.cos(angle), rate * math.sin(angle), -rate * math.cos(angle)


def slope(sizes: list[float], errors: list[float]) -> float:
    """Return the measured order: the slope of log error over log size."""
    return float(np.polyfit(np.log(sizes), np.log(errors), 1)[0])


def multiplier(method: Integrator, system: int, start: Any, end: float, **options: Any) -> tuple[Motion, float]:
    """Return the run and the multiplier that the method itself has found at the end."""
    W = np.zeros(systems.W_SIZE)
    motion = run(method, system, start, end, W=W, **options)
    return motion, float(W[systems.MULTIPLIERS])


# ---------------------------------------------------------------------------------------------------------------- orders


@pytest.mark.parametrize("order", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("moving", [False, True])
def test_orders_of_bdf(order: int, moving: bool) -> None:
    system = systems.MOVING_CIRCLE if moving else systems.PENDULUM
    there, _ = on_circle(1.5, moving)
    finest = {1: 1e-5, 2: 1e-7}.get(order, 1e-9)
    sizes, errors = [], []
    for rtol in np.geomspace(1e3 * finest, finest, 13):  # many, for an adaptive method makes steps of many lengths
        motion = run(Bdf(max_order=order), system, start_on_circle(moving), 1.5, rtol=rtol)
        assert motion.status == contract.DONE
        assert motion.mean_order > order - 0.8
        sizes.append(1.0 / motion.counts[contract.STEPS])
        errors.append(float(np.abs(motion.y[:4] - there).max()))
    assert order - 0.6 < slope(sizes, errors) < order + 0.9  # the first steps, of lower orders, weigh less and less


@pytest.mark.parametrize("form", Bdf.forms)
def test_bdf_reaches_order_five(form: str) -> None:
    motion = run(Bdf(form=form), systems.PENDULUM, start_on_circle(False), 5.0, rtol=1e-8)
    assert motion.counts[contract.ORDER] == 5
    assert motion.mean_order > 4.7


@pytest.mark.parametrize("moving", [False, True])
def test_order_of_radau(moving: bool) -> None:
    system = systems.MOVING_CIRCLE if moving else systems.PENDULUM
    there, force = on_circle(1.5, moving)
    sizes, errors, dense, forces = [], [], [], []
    between = np.array([on_circle(t, moving)[0] for t in np.linspace(0.0, 1.5, 40)[1:]])
    for rtol in np.geomspace(1e-4, 1e-9, 16):  # many, for an adaptive method makes steps of many lengths
        motion, found = multiplier(Radau(), system, start_on_circle(moving), 1.5, rtol=rtol, dense=True)
        sizes.append(1.0 / motion.counts[contract.STEPS])
        errors.append(float(np.abs(motion.y[:4] - there).max()))
        dense.append(float(np.abs(motion.at(np.linspace(0.0, 1.5, 40)[1:])[:, :4] - between).max()))
        forces.append(abs(found - force))
    assert slope(sizes, errors) == pytest.approx(5.0, abs=0.6)
    assert slope(sizes, dense) > 3.4  # a cubic between the steps
    assert slope(sizes, forces) > 2.4


def test_coefficients_of_radau() -> None:
    """The stages integrate polynomials exactly, and the transformation makes A⁻¹ block diagonal."""
    for power in range(5):  # order 5: quadrature of degree 4
        assert radau.A[2] @ radau.C**power == pytest.approx(1.0 / (power + 1), rel=1e-14)
    for power in range(3):
        assert radau.A @ radau.C**power == pytest.approx(radau.C ** (power + 1) / (power + 1), rel=1e-13)
    blocks = radau.TI @ np.linalg.inv(radau.A) @ radau.T
    a, b = radau.ALPHA, radau.BETA
    assert blocks == pytest.approx(np.array([[radau.GAMMA, 0, 0], [0, a, b], [0, -b, a]]), abs=1e-13)


@pytest.mark.parametrize(
    ("form", "rho"), [("stabilized", 0.0), ("stabilized", 0.8), ("stabilized", 1.0), ("index3", 0.0), ("index3", 0.8)]
)
@pytest.mark.parametrize("project", [False, True])
@pytest.mark.parametrize("moving", [False, True])
def test_order_of_alpha(moving: bool, project: bool, form: str, rho: float) -> None:
    """Order 2 in coordinates, rates and multipliers, whether or not `accept` moves the states onto the constraints."""
    system = systems.MOVING_CIRCLE if moving else systems.PENDULUM
    end = 2.0
    there, force = on_circle(end, moving)
    steps, errors, forces, dense = [0.02, 0.01, 0.005, 0.0025], [], [], []
    times, options = np.linspace(0.1, end, 20), {"rtol": 1e-10, "dense": True, "project": project}
    between = np.array([on_circle(float(t), moving)[0] for t in times])
    for step in steps:
        motion, found = multiplier(Alpha(step, rho, form), system, start_on_circle(moving), end, **options)
        assert motion.counts[contract.STEPS] == round(end / step)
        errors.append(float(np.abs(motion.y[:4] - there).max()))
        dense.append(float(np.abs(motion.at(times)[:, :4] - between).max()))
        forces.append(abs(found - force))
    assert slope(steps, errors) == pytest.approx(2.0, abs=0.2)
    assert slope(steps, dense) == pytest.approx(2.0, abs=0.2)
    assert slope(steps, forces) == pytest.approx(2.0, abs=0.2)


def test_first_multiplier_of_alpha_is_of_order_two() -> None:
    errors, steps = [], [0.02, 0.01, 0.005]
    for step in steps:
        _, found = multiplier(Alpha(step), systems.MOVING_CIRCLE, start_on_circle(True), step, rtol=1e-10)
        errors.append(abs(found - on_circle(step, True)[1]))
    assert slope(steps, errors) > 1.7


def test_alpha_keeps_its_order_when_steps_change() -> None:
    """Ends that lie between the points of the grid make steps of other lengths."""
    targets = tuple(np.arange(0.3, 1.9, 0.37))
    there, _ = on_circle(2.0, True)
    steps, errors = [0.02, 0.01, 0.005], []
    for step in steps:
        motion = run(Alpha(step), systems.MOVING_CIRCLE, start_on_circle(True), 2.0, ends=targets, rtol=1e-10)
        errors.append(float(np.abs(motion.y[:4] - there).max()))
    assert slope(steps, errors) == pytest.approx(2.0, abs=0.3)


@pytest.mark.parametrize("method", [Bdf(), Radau()])
def test_error_follows_the_tolerance(method: Integrator) -> None:
    tolerances, end = [1e-4, 1e-5, 1e-6, 1e-7, 1e-8], 3.0
    times = np.linspace(0.2, end, 30)
    there = np.array([on_circle(float(t), True)[0] for t in times])
    ends, dense = [], []
    for rtol in tolerances:
        motion = run(method, systems.MOVING_CIRCLE, start_on_circle(True), end, rtol=rtol, dense=True)
        ends.append(float(np.abs(motion.y[:4] - there[-1]).max()))
        dense.append(float(np.abs(motion.at(times)[:, :4] - there).max()))
    assert slope(tolerances, ends) == pytest.approx(1.0, abs=0.25)
    for rtol, error, between in zip(tolerances, ends, dense, strict=True):
        assert error < 300.0 * rtol
        assert between < 500.0 * rtol  # the output between steps is as good as the steps


@pytest.mark.parametrize("method", [Bdf(), Radau(), Alpha(0.005)])
def test_period_of_the_pendulum(method: Integrator) -> None:
    """Four times K(sin(α/2))·√(l/g) from amplitude α back to it."""
    angle = 2.0
    period = 4.0 * ellipk(math.sin(0.5 * angle) ** 2) / math.sqrt(systems.GRAVITY)
    motion = run(method, systems.PENDULUM, start_on_circle(False, angle), period, rtol=1e-8)
    assert motion.y[:4] == pytest.approx(start_on_circle(False, angle), abs=1e-5 if method.adaptive else 3e-3)


@pytest.mark.parametrize("method", [Bdf(), Radau(), Alpha(0.01)])
def test_dense_output_joins_states(method: Integrator) -> None:
    motion = run(method, systems.MOVING_CIRCLE, start_on_circle(True), 4.0, rtol=1e-6, dense=True)
    assert motion.counts[contract.STEPS] == len(motion.steps)
    left, right = np.empty(5), np.empty(5)
    for k in range(len(motion.steps) - 1):
        (t0, h), (t1, h1) = motion.steps[k], motion.steps[k + 1]
        assert t1 == pytest.approx(t0 + h, abs=1e-13)
        method.interpolate(motion.dense[k], t0, h, t0 + h, left)
        method.interpolate(motion.dense[k + 1], t1, h1, t1, right)
        assert left == pytest.approx(right, abs=1e-12)


# ------------------------------------------------------------------------------------------------------------ invariants


def top_invariants(y: Floats) -> tuple[float, float]:
    """Return energy and angular momentum about the vertical of the top with a fixed point."""
    e, w = y[:4] / np.linalg.norm(y[:4]), y[4:7]
    x, y, z = 2 * (e[1] * e[3] - e[0] * e[2]), 2 * (e[2] * e[3] + e[0] * e[1]), 1 - 2 * (e[1] ** 2 + e[2] ** 2)
    up = np.array([x, y, z])
    J = np.array(systems.TOP_INERTIA) + systems.TOP_MASS * systems.TOP_ARM**2 * np.array([1.0, 1.0, 0.0])
    weight = systems.TOP_MASS * systems.GRAVITY * systems.TOP_ARM
    return float(0.5 * w @ (J * w) + weight * up[2]), float(up @ (J * w))


@pytest.mark.parametrize(("method", "rtol", "near"), [(Bdf(), 1e-7, 2e-4), (Radau(), 1e-8, 1e-6), (Alpha(0.001), 1e-8, 1e-3)])
def test_top_keeps_energy_and_momentum(method: Integrator, rtol: float, near: float) -> None:
    motion = run(method, systems.TOP, TOP_START, 2.0, rtol=rtol)
    assert motion.status == contract.DONE
    before, after = top_invariants(np.array(TOP_START)), top_invariants(motion.y)
    assert after == pytest.approx(before, rel=near)
    assert motion.y[6] == pytest.approx(20.0, rel=near)  # the symmetric top keeps its spin


@pytest.mark.parametrize(("method", "near"), [(Bdf(), 2e-4), (Radau(), 2e-6), (Alpha(0.001), 5e-3)])
def test_hinged_body_is_the_top(method: Integrator, near: float) -> None:
    """The same motion with and without coordinates for the hinge's three constraints (nq = 7, n = 6, m = 3)."""
    e = np.array(TOP_START[:4])
    w = np.array(TOP_START[4:])
    c, s = e[0], e[1]  # a turn about x: A = [1, 0, 0; 0, cos, −sin; 0, sin, cos]
    A = np.array([[1.0, 0.0, 0.0], [0.0, c * c - s * s, -2 * c * s], [0.0, 2 * c * s, c * c - s * s]])
    r = systems.TOP_ARM * A[:, 2]
    v = A @ np.cross(w, [0.0, 0.0, systems.TOP_ARM])
    top = run(Radau(), systems.TOP, TOP_START, 1.0, rtol=1e-10)
    motion = run(method, systems.HINGED_TOP, (*r, *e, *v, *w), 1.0, rtol=1e-7)
    assert motion.status == contract.DONE
    assert motion.y[3:7] == pytest.approx(top.y[:4], abs=near)
    assert motion.y[10:13] == pytest.approx(top.y[4:7], abs=10.0 * near)
    gained = 0.5 * systems.TOP_MASS * motion.y[7:10] @ motion.y[7:10] + 0.5 * motion.y[10:13] @ (
        np.array(systems.TOP_INERTIA) * motion.y[10:13]
    )
    begun = 0.5 * systems.TOP_MASS * v @ v + 0.5 * w @ (np.array(systems.TOP_INERTIA) * w)
    assert gained - begun == pytest.approx(motion.y[13], abs=50.0 * near)  # work of the weight


@pytest.mark.parametrize("rtol", [1e-5, 1e-8])
@pytest.mark.parametrize(("method", "holds"), [
    (Bdf(), "both"), (Bdf(form="index2"), "rates"), (Radau(), "rates"), (Alpha(0.01), "both"),
    (Alpha(0.01, form="index3"), "positions"),
])  # fmt: skip
def test_constraints_hold_without_projection(method: Integrator, holds: str, rtol: float) -> None:
    motion = run(method, systems.MOVING_CIRCLE, start_on_circle(True), 5.0, rtol=rtol, project=False)
    x, y, vx, vy = motion.y[:4]
    l, rate = 1.0 + 0.2 * math.sin(10.0), 0.4 * math.cos(10.0)
    position, velocity = abs(0.5 * (x * x + y * y - l * l)), abs(x * vx + y * vy - l * rate)
    if holds != "rates":
        assert position < 2.0 * rtol
    if holds != "positions":
        assert velocity < 10.0 * rtol
    assert position < 1e-2 and velocity < 1e-1


@pytest.mark.parametrize("method", [Bdf(), Bdf(form="index2"), Bdf(form="index1"), Radau()])
def test_work_is_what_energy_gains(method: Integrator) -> None:
    for rtol in (1e-4, 1e-6, 1e-8):
        motion = run(method, systems.PENDULUM, start_on_circle(False, 2.0), 3.0, rtol=rtol)
        assert motion.y[4] == pytest.approx(0.5 * motion.y[2:4] @ motion.y[2:4], abs=5000.0 * rtol)


@pytest.mark.parametrize("method", [Bdf(), Radau(), Alpha(0.01)])
def test_time_dependent_equations(method: Integrator) -> None:
    start = (1.0, math.sin(0.3), 0.0, math.cos(0.3))
    motion = run(method, systems.STIFF, start, 4.0, start=0.3, F=(3.0, 0.4), rtol=1e-8, dense=True)
    near = 1e-5 if method.adaptive else 1e-3
    assert motion.y[:4] == pytest.approx([math.cos(3.7), math.sin(4.0), -math.sin(3.7), math.cos(4.0)], abs=near)
    assert motion.at(np.array([2.0]))[0, 1] == pytest.approx(math.sin(2.0), abs=near)
