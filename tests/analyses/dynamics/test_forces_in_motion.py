"""Forces in motion against closed forms: springs, dampers, stops, friction, bushings, laws with kinks."""

from __future__ import annotations

import math

import numpy as np
import pytest

import multibody as mb
from analyses.dynamics.checks import FORMULATIONS, tight


def block(mass: float = 2.0, gravity: float | None = None, **start: float) -> mb.Model:
    """Return a block on a rail along x."""
    m = mb.Model("block", dimension=2, gravity=None if gravity is None else (gravity, 0))
    m.body("block", mass=mass, inertia=0.1)
    m.translational("S", "ground", "block", axis=(1, 0))
    m.initial({"S": start.get("x", 0.0), "S.rate": start.get("v", 0.0)})
    return m


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_damped_oscillator(formulation: str) -> None:
    m = block(x=0.3, v=-1.0)
    m.effort("spring", "S", stiffness=50.0, rest=0.1, damping=1.2)
    run = m.run(until=5, formulation=formulation, rtol=1e-10, atol=1e-12)
    decay, natural = 1.2 / 4.0, 50.0 / 2.0
    w = math.sqrt(natural - decay**2)
    a, b = 0.2, (-1.0 + decay * 0.2) / w
    x = 0.1 + np.exp(-decay * run.time) * (a * np.cos(w * run.time) + b * np.sin(w * run.time))
    assert run["S"].values == pytest.approx(x, abs=1e-9)
    assert run["spring.effort"].values == pytest.approx(-50 * (x - 0.1) - 1.2 * run["S.rate"].values, abs=1e-8)


@pytest.mark.parametrize("dimension", [2, 3])
def test_two_masses_on_a_line_spring(dimension: int) -> None:
    m = mb.Model("two", dimension=dimension)
    zero = (0,) * (dimension - 1)
    inertia = 0.1 if dimension == 2 else (0.1, 0.1, 0.1)
    m.body("a", mass=1.0, inertia=inertia)
    m.body("b", mass=3.0, inertia=inertia, at=(1.2, *zero))
    m.spring("k", "a", "b", stiffness=30.0, length=1.0)
    run = tight(m, 2.0)
    w = math.sqrt(30.0 / 0.75)
    assert run["k.length"].values == pytest.approx(1.0 + 0.2 * np.cos(w * run.time), abs=1e-9)
    assert run["momentum"].values == pytest.approx(np.zeros((len(run.time), dimension)), abs=1e-10)


def test_resonance_under_a_load_that_depends_on_time() -> None:
    m = block()
    m.effort("spring", "S", stiffness=8.0)
    m.effort("shaker", "S", value="3*sin(2*t)")  # ω = 2 is the natural frequency
    run = tight(m, 10.0)
    t = run.time
    assert run["S"].values == pytest.approx(3 / 16 * (np.sin(2 * t) - 2 * t * np.cos(2 * t)), abs=1e-8)


@pytest.mark.parametrize("axes", ["ground", "body"])
def test_a_force_that_follows_the_body_or_not(axes: str) -> None:
    m = mb.Model("rocket", dimension=2)
    m.body("rocket", mass=2.0, inertia=0.5)
    m.force("thrust", "rocket", value=(4.0, 0.0), axes=axes)
    m.initial({"rocket.angle.rate": 1.5})
    run = tight(m, 3.0)
    t = run.time
    if axes == "ground":
        assert run["rocket.x"].values == pytest.approx(t**2, abs=1e-9)
    else:
        assert run["rocket.x"].values == pytest.approx(2 * (1 - np.cos(1.5 * t)) / 2.25, abs=1e-9)
        assert run["rocket.y"].values == pytest.approx(2 * (1.5 * t - np.sin(1.5 * t)) / 2.25, abs=1e-9)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_stop_gives_the_energy_back_without_damping(formulation: str) -> None:
    m = block(v=1.0)
    m.stop("walls", "S", lower=-0.2, upper=0.3, stiffness=1e5, smooth=1e-3)
    run = m.run(until=3, formulation=formulation, rtol=1e-11, atol=1e-12)
    assert run.certificate["energy_drift"] < 1e-6
    v = run["S.rate"].values
    inside = (run["S"].values > -0.199) & (run["S"].values < 0.299)
    assert np.abs(v[inside]) == pytest.approx(np.ones(np.sum(inside)), abs=1e-6)
    assert np.sum(np.diff(np.sign(v)) != 0) >= 5  # to and fro
    deepest = float(np.max(run["S"].values)) - 0.3
    assert 0.0 < deepest < 1.3 * math.sqrt(2.0 / 1e5) + 1e-3


def test_a_damped_stop_takes_energy() -> None:
    m = block(v=1.0)
    m.stop("wall", "S", upper=0.3, stiffness=1e5, damping=200.0, smooth=1e-4)
    run = m.run(until=1, rtol=1e-9, atol=1e-11)
    speed = -float(run["S.rate"].values[-1])
    w, decay = math.sqrt(1e5 / 2), 200.0 / 4.0
    z = decay / w
    restitution = math.exp(-z / math.sqrt(1 - z * z) * (math.pi - 2 * math.asin(z)))  # leaves when the force vanishes
    assert speed == pytest.approx(restitution, abs=2e-3)
    assert run.certificate["energy_drift"] < 1e-6
    assert np.max(run["wall.effort"].values) <= 0.0  # it pushes back and never pulls


def test_friction_slows_a_block_evenly_and_holds_it() -> None:
    m = block(v=1.5)
    m.friction("rub", "S", coulomb=0.4, load=9.81 * 2.0, smooth=1e-4)
    run = m.run(until=1.0, rtol=1e-8)
    a = 0.4 * 9.81
    moving = run.time < 1.5 / a - 0.01
    assert run["S.rate"].values[moving] == pytest.approx(1.5 - a * run.time[moving], abs=1e-5)
    assert float(run["S"].values[-1]) == pytest.approx(1.5**2 / (2 * a), abs=1e-4)
    assert abs(float(run["S.rate"].values[-1])) < 1e-5
    assert float(run.motion.dynamics.work[-1]) == pytest.approx(-0.5 * 2.0 * 1.5**2, rel=1e-5)


def test_a_block_on_an_incline_creeps_below_the_limit_and_slides_above_it() -> None:
    for slope, slides in ((0.3, False), (0.6, True)):
        m = block(gravity=9.81 * slope)
        m.friction("rub", "S", coulomb=0.4, load=2.0 * 9.81, smooth=1e-3)
        run = m.run(until=1.0)
        expected = 0.5 * 9.81 * (slope - 0.4) if slides else 0.0
        assert float(run["S"].values[-1]) == pytest.approx(expected, abs=2e-3)


@pytest.mark.parametrize("dimension", [2, 3])
def test_a_stiff_bushing_comes_near_a_hinge(dimension: int) -> None:
    def pendulum(kind: str, stiffness: float = 0.0) -> mb.Model:
        space = dimension == 3
        m = mb.Model("pendulum", dimension=dimension, gravity=(0, -9.81, 0) if space else (0, -9.81))
        com, at = ((0.4, 0.0, 0.0), (0.0, 0.0, 0.0)) if space else ((0.4, 0.0), (0.0, 0.0))
        m.body("rod", mass=1.5, inertia=(0.05, 0.07, 0.07) if space else 0.07, com=com, at=at)
        if kind == "hinge":
            m.revolute("O", "ground", "rod")
        else:
            free = (stiffness,) * 3 + (stiffness, stiffness, 0.0) if space else (stiffness, stiffness, 0.0)
            slow = 2 * math.sqrt(stiffness)
            damped = (slow,) * 3 + (slow, slow, 0.0) if space else (slow, slow, 0.0)
            m.bushing("O", "ground", "rod", stiffness=free, damping=damped)
        return m

    exact = tight(pendulum("hinge"), 0.8)
    errors = []
    for stiffness in (1e4, 1e5, 1e6):
        run = pendulum("bushing", stiffness).run(until=0.8, rtol=1e-9)
        assert run.ok
        errors.append(float(np.max(np.abs(run["rod.y"].values - exact["rod.y"].values))))
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 5e-4
    assert errors[0] / errors[2] > 30  # of the order of 1/stiffness


# --- kinks ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("integrator", ["dop853", "adams"])
@pytest.mark.parametrize("value", ["if(t < 0.5, 4, -4)", "4*sign(0.5 - t)", "4 - 8*max(0, min(1, 1e12*(t - 0.5)))"])
def test_a_force_that_jumps_is_cut_at_the_jump(value: str, integrator: str) -> None:
    m = block()
    m.effort("push", "S", value=value)
    run = m.run(until=1.0, integrator=integrator, rtol=1e-9, atol=1e-11)
    t = run.time
    x = np.where(t < 0.5, t**2, 0.25 + (t - 0.5) - (t - 0.5) ** 2)
    assert run["S"].values == pytest.approx(x, abs=1e-8)
    assert run.statistics["steps"] < 120


def test_dry_friction_by_sign_and_a_spring_by_abs() -> None:
    m = block(x=1.0)
    m.effort("cone", "S", value="-6*sign(S)")  # potential 6 |x|: parabolic arcs of period 4 sqrt(2 m / 6)
    run = m.run(until=6.0, rtol=1e-9, atol=1e-11)
    quarter = math.sqrt(2 * 1.0 * 2.0 / 6.0)
    phase = np.mod(run.time / quarter, 4)
    arc = np.select([phase < 1, phase < 3], [1 - phase**2, (phase - 2) ** 2 - 1], 1 - (4 - phase) ** 2)
    assert run["S"].values == pytest.approx(arc, abs=1e-6)
    stiffer = block(x=1.0)
    stiffer.effort("spring", "S", value="-if(S > 0, 8, 2)*S")
    run = stiffer.run(until=3 * math.pi, rtol=1e-10, atol=1e-12)  # half periods π/2 and π
    assert run["S"].values[-1] == pytest.approx(1.0, abs=1e-6)
    assert np.min(run["S"].values) == pytest.approx(-2.0, abs=1e-3)
