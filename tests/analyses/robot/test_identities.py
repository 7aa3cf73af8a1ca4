"""What must hold whatever the tree: identities, differences, batches, far places, long chains."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import multibody as mb
from analyses.robot.trees import Floats, random_tree
from thorough import thorough

SEEDS = range(6)
WEIGHTS = (4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0)  # central differences of order 8


def rate(function: Callable[[float], Any], h: float = 1e-2) -> Floats:
    """Return the derivative at zero, to order 8."""
    terms = (w * (np.asarray(function(k * h)) - np.asarray(function(-k * h))) for k, w in enumerate(WEIGHTS, start=1))
    return np.asarray(sum(terms) / h)


def setting(seed: int, springs: bool = False, **options: Any) -> tuple[mb.Robot, Floats, Floats, Floats]:
    robot = random_tree(seed, **options).model(springs).robot()
    rng = np.random.default_rng(seed)
    return robot, robot.random(rng), *rng.normal(size=(2, robot.nv))


@pytest.mark.parametrize("springs", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_mass_times_acceleration_and_bias_is_effort(seed: int, springs: bool) -> None:
    robot, q, v, a = setting(seed, springs)
    tau = robot.inverse_dynamics(q, v, a, t=0.7)
    scale = np.max(np.abs(tau))
    np.testing.assert_allclose(robot.mass_matrix(q) @ a + robot.bias(q, v, t=0.7), tau, atol=1e-12 * scale)
    parts = robot.coriolis(q, v) + robot.gravity(q) - robot.applied(q, v, t=0.7)
    np.testing.assert_allclose(robot.bias(q, v, t=0.7), parts, atol=1e-12 * scale)
    np.testing.assert_allclose(robot.forward_dynamics(q, v, tau, t=0.7), a, atol=1e-11)
    assert springs == bool(np.any(robot.applied(q, v)))


@pytest.mark.parametrize("seed", SEEDS)
def test_jacobians_are_rates_of_poses(seed: int) -> None:
    robot, q, v, _ = setting(seed)
    frame = f"{robot.bodies[-1]}.tip"
    J, dJ = robot.frame_jacobian(frame, q), robot.frame_jacobian_rate(frame, q, v)
    A = robot.frame_pose(frame, q)[1]

    def at(t: float) -> Floats:
        return robot.displaced(q, t * v)

    spin = rate(lambda t: robot.frame_pose(frame, at(t))[1]) @ A.T
    np.testing.assert_allclose((J @ v)[:3], rate(lambda t: robot.frame_pose(frame, at(t))[0]), atol=1e-10)
    np.testing.assert_allclose((J @ v)[3:], [spin[2, 1], spin[0, 2], spin[1, 0]], atol=1e-10)
    # along q ⊕ t v the rates of a ball stay v, since it turns about an axis that is fixed in the carrier
    np.testing.assert_allclose(dJ, rate(lambda t: robot.frame_jacobian(frame, at(t))), atol=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_momenta_and_energies_change_as_they_must(seed: int) -> None:
    robot, q, v, _ = setting(seed, springs=True)

    def at(t: float) -> Floats:
        return robot.displaced(q, t * v)

    np.testing.assert_allclose(robot.center_of_mass_jacobian(q) @ v, rate(lambda t: robot.center_of_mass(at(t))), atol=1e-10)
    bias = rate(lambda t: robot.momentum_matrix(at(t)) @ v)
    np.testing.assert_allclose(robot.momentum_bias(q, v), bias, atol=1e-8)
    np.testing.assert_allclose(robot.momentum(q, v), robot.momentum_matrix(q) @ v, rtol=1e-12)
    assert robot.kinetic_energy(q, v) == pytest.approx(0.5 * v @ robot.mass_matrix(q) @ v, rel=1e-12)
    power = rate(lambda t: robot.potential_energy(at(t)), h=3e-3)
    assert float(power) == pytest.approx(v @ (robot.gravity(q) - _elastic(robot, q)), rel=1e-9)


def _elastic(robot: mb.Robot, q: Floats) -> Floats:
    """Return what springs alone do: without the load at the tip of the last body."""
    frame = f"{robot.bodies[-1]}.tip"
    J = robot.frame_jacobian(frame, q)
    return np.asarray(robot.applied(q, np.zeros(robot.nv)) - J.T @ [1.0, 0.0, 0.5, 0.1, -0.2, 0.3])


@pytest.mark.parametrize("springs", [False, True])
def test_rows_of_a_batch_are_single_calls(springs: bool) -> None:
    robot, *_ = setting(4, springs)
    rng, n = np.random.default_rng(0), 7
    q = robot.random(rng, n)
    v, a = rng.normal(size=(2, n, robot.nv))
    frame, joints = f"{robot.bodies[-1]}.tip", robot.joints[1:3]
    calls: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
        "inverse": (robot.inverse_dynamics, (q, v, a)), "forward": (robot.forward_dynamics, (q, v, a)),
        "mass": (robot.mass_matrix, (q,)), "bias": (robot.bias, (q, v)), "gravity": (robot.gravity, (q,)),
        "coriolis": (robot.coriolis, (q, v)), "applied": (robot.applied, (q, v)),
        "jacobian": (lambda q: robot.frame_jacobian(frame, q), (q,)),
        "rate": (lambda q, v: robot.frame_jacobian_rate(frame, q, v), (q, v)),
        "velocity": (lambda q, v: robot.frame_velocity(frame, q, v), (q, v)),
        "acceleration": (lambda q, v, a: robot.frame_acceleration(frame, q, v, a), (q, v, a)),
        "position": (lambda q: robot.frame_pose(frame, q)[0], (q,)), "axes": (lambda q: robot.frame_pose(frame, q)[1], (q,)),
        "center": (robot.center_of_mass, (q,)), "momentum": (robot.momentum, (q, v)),
        "momentum bias": (robot.momentum_bias, (q, v)), "kinetic": (robot.kinetic_energy, (q, v)),
        "potential": (robot.potential_energy, (q,)),
        "reactions": (lambda q, v, a: robot.reactions(q, v, a, joints), (q, v, a)),
        "displaced": (robot.displaced, (q, v)),
    }  # fmt: skip
    for name, (function, arguments) in calls.items():
        together = np.asarray(function(*arguments))
        assert together.shape[0] == n
        for k in range(n):
            np.testing.assert_array_equal(together[k], function(*(x[k] for x in arguments)), err_msg=name)


def test_one_row_goes_with_many() -> None:
    robot, q, v, a = setting(2)
    many = np.stack([a, 2.0 * a, -a])
    together = robot.inverse_dynamics(q, v, many)
    for k in range(3):
        np.testing.assert_array_equal(together[k], robot.inverse_dynamics(q, v, many[k]))


@pytest.mark.parametrize("seed", SEEDS)
def test_results_go_where_they_are_told(seed: int) -> None:
    robot, q, v, a = setting(seed)
    tau, M = np.full(robot.nv, np.nan), np.full((robot.nv, robot.nv), np.nan)
    for _ in range(2):  # the second call takes the short way
        assert robot.inverse_dynamics(q, v, a, out=tau) is tau
        np.testing.assert_array_equal(tau, robot.inverse_dynamics(q[None], v[None], a[None])[0])
        assert robot.mass_matrix(q, out=M) is M
        np.testing.assert_array_equal(M, robot.mass_matrix(q[None])[0])
        found = np.full(robot.nv, np.nan)
        assert robot.forward_dynamics(q, v, tau, out=found) is found
        np.testing.assert_array_equal(found, robot.forward_dynamics(q[None], v[None], tau[None])[0])
        tau[:], M[:] = np.nan, np.nan
        robot.inverse_dynamics(q, v, a, out=tau)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_far_base_loses_no_digits(seed: int) -> None:
    near, q, v, a = setting(seed, floating=False)
    far = random_tree(seed, floating=False, base=(1e4, -1e4, 1e4)).model().robot()
    tau = near.inverse_dynamics(q, v, a)
    np.testing.assert_allclose(far.inverse_dynamics(q, v, a), tau, atol=1e-13 * np.max(np.abs(tau)))
    np.testing.assert_allclose(far.mass_matrix(q), near.mass_matrix(q), atol=1e-14)
    np.testing.assert_allclose(far.forward_dynamics(q, v, tau), a, atol=1e-11)
    frame = f"{near.bodies[-1]}.tip"
    np.testing.assert_allclose(far.frame_jacobian(frame, q), near.frame_jacobian(frame, q), atol=1e-14)
    np.testing.assert_allclose(far.reactions(q, v, a), near.reactions(q, v, a), atol=1e-12 * np.max(np.abs(tau)))
    np.testing.assert_allclose(far.momentum_matrix(q), near.momentum_matrix(q), atol=1e-10)  # its center is a far point


@pytest.mark.parametrize("n", [2_000, pytest.param(10_000, marks=thorough)])
def test_a_long_chain_falls_as_pinned_rods_must(n: int) -> None:
    """A chain of thousands of links that hangs at rest in equilibrium stays there, and M a + bias = τ without M."""
    robot = mb.load("chain", n=n).robot()
    hanging = np.zeros(n)
    hanging[0] = -0.5 * np.pi
    assert np.max(np.abs(robot.forward_dynamics(hanging, np.zeros(n), np.zeros(n)))) < 1e-4  # of g/length = 1e5
    rng = np.random.default_rng(0)
    q, v, a = 0.01 * rng.normal(size=(3, n))
    tau = robot.inverse_dynamics(q, v, a)
    again = robot.inverse_dynamics(q, v, robot.forward_dynamics(q, v, tau))
    np.testing.assert_allclose(again, tau, atol=1e-10 * np.max(np.abs(tau)))


@pytest.mark.parametrize("seed", SEEDS)
def test_states_come_back(seed: int) -> None:
    robot, q, v, _ = setting(seed)
    state = robot.state(q, v, t=1.5)
    assert state.t == 1.5
    back, rates = robot.from_state(state)
    np.testing.assert_allclose(np.abs(back), np.abs(q), atol=1e-12)  # a quaternion may come back with the other sign
    np.testing.assert_allclose(rates, v, atol=1e-12)
    body = robot.bodies[-1]
    r, _ = robot.frame_pose(f"{body}.tip", q)
    np.testing.assert_allclose([state[f"{body}.tip.{c}"] for c in "xyz"], r, atol=1e-12)
    speed = robot.frame_velocity(f"{body}.tip", q, v)
    np.testing.assert_allclose([state[f"{body}.tip.{c}.rate"] for c in "xyz"], speed[:3], atol=1e-12)
    np.testing.assert_allclose([state[f"{body}.omega.{c}"] for c in "xyz"], speed[3:], atol=1e-12)


def test_turns_of_joints_count_for_their_springs() -> None:
    m = mb.Model("spun", gravity=(0, 0, -9.81))
    m.body("wheel", mass=1.0, inertia=(0.1, 0.1, 0.2))
    m.revolute("axle", m.ground, "wheel", axis=(0, 1, 0))
    m.effort("coil", "axle", stiffness=2.0, rest=1.0, damping=0.5)
    robot = m.robot()
    assert robot.applied([9.0], [3.0])[0] == pytest.approx(-2.0 * (9.0 - 1.0) - 0.5 * 3.0, rel=1e-12)
    assert robot.potential_energy([9.0]) == pytest.approx(0.5 * 2.0 * 8.0**2, rel=1e-12)


def test_names_and_places() -> None:
    m = mb.Model("named")
    m.body("base", mass=1.0, inertia=(1, 1, 1))
    m.body("arm", mass=1.0, inertia=(1, 1, 1))
    m.body("lone", mass=1.0, inertia=(1, 1, 1))
    m.free("float", m.ground, "base")
    m.revolute("elbow", "base", "arm")
    robot = m.robot()
    assert robot.joints == ["float", "elbow"]
    assert robot.bodies == ["base", "arm", "lone"]
    assert (robot.nq, robot.nv) == (15, 13)
    assert robot.coordinates[:8] == ["float.x", "float.y", "float.z", *(f"float.quaternion.{c}" for c in "wxyz"), "elbow.angle"]
    assert robot.rates[3:7] == ["float.omega.x", "float.omega.y", "float.omega.z", "elbow.angle"]
    assert robot.slices("elbow") == (slice(7, 8), slice(6, 7))
    assert robot.slices("lone") == (slice(8, 15), slice(7, 13))
    assert robot.neutral[3] == 1.0
    np.testing.assert_allclose(robot.q0, robot.neutral, atol=1e-12)


def test_motions_of_the_model_are_ignored() -> None:
    free, driven = mb.load("arm7"), mb.load("arm7")
    driven.motion("joint2", "sin(t)")
    rng = np.random.default_rng(0)
    q, v, a = rng.normal(size=(3, 7))
    np.testing.assert_array_equal(driven.robot().inverse_dynamics(q, v, a), free.robot().inverse_dynamics(q, v, a))
