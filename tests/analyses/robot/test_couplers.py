"""Coordinates that follow others: every answer is that of the tree under q = G z + g₀, and a run with the coupler agrees."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import multibody as mb
from analyses.robot.trees import random_tree
from oracles import oracle

COUPLERS = {"follow1": "j4 - 2*j1 - 0.3", "follow2": "j6 + 0.5*j4 - k*j2"}  # the second follows one that follows


def models(seed: int = 3) -> tuple[Any, mb.Model, mb.Model]:
    """Return a random tree, the model of it, and one with couplers."""
    tree = random_tree(seed, 8, kinds=("revolute", "translational"), floating=False)
    plain, coupled = tree.model(), tree.model()
    coupled.parameter("k", 0.7)
    for name, expression in COUPLERS.items():
        coupled.coupler(name, expression)
    return tree, plain, coupled


def known_map(robot: mb.Robot, full: mb.Robot) -> tuple[Any, Any]:
    """Return G and g₀ as the couplers say them, by hand: q4 = 2 q1 + 0.3, q6 = 0.7 q2 − 0.5 q4."""
    place = {name.partition(".")[0]: k for k, name in enumerate(full.coordinates)}
    own = {name.partition(".")[0]: k for k, name in enumerate(robot.coordinates)}
    G, offset = np.zeros((full.nq, robot.nq)), np.zeros(full.nq)
    for name, k in own.items():
        G[place[name], k] = 1.0
    G[place["j4"], own["j1"]], offset[place["j4"]] = 2.0, 0.3
    G[place["j6"], own["j2"]], G[place["j6"], own["j1"]], offset[place["j6"]] = 0.7, -1.0, -0.15
    return G, offset


def test_every_answer_is_reduced_by_the_linear_map() -> None:
    _, plain, coupled = models()
    robot, full = coupled.robot(), plain.robot()
    assert (robot.nq, robot.nv) == (6, 6)
    assert set(robot.followers) == {name for name in full.coordinates if name.startswith(("j4", "j6"))}
    G, offset = known_map(robot, full)
    rng = np.random.default_rng(1)
    z, v, a = rng.normal(size=(3, 5, 6))
    q = z @ G.T + offset
    near = {"rtol": 1e-12, "atol": 1e-11}
    np.testing.assert_allclose(robot.inverse_dynamics(z, v, a), full.inverse_dynamics(q, v @ G.T, a @ G.T) @ G, **near)
    np.testing.assert_allclose(robot.mass_matrix(z), G.T @ full.mass_matrix(q) @ G, **near)
    np.testing.assert_allclose(robot.gravity(z), full.gravity(q) @ G, **near)
    np.testing.assert_allclose(robot.coriolis(z, v), full.coriolis(q, v @ G.T) @ G, **near)
    np.testing.assert_allclose(robot.bias(z, v), full.bias(q, v @ G.T) @ G, **near)
    np.testing.assert_allclose(robot.momentum_matrix(z), full.momentum_matrix(q) @ G, **near)
    np.testing.assert_allclose(robot.momentum(z, v), full.momentum(q, v @ G.T), **near)
    np.testing.assert_allclose(robot.momentum_bias(z, v), full.momentum_bias(q, v @ G.T), **near)
    np.testing.assert_allclose(robot.frame_jacobian("b7.tip", z), full.frame_jacobian("b7.tip", q) @ G, **near)
    rate = full.frame_jacobian_rate("b7.tip", q, v @ G.T) @ G
    np.testing.assert_allclose(robot.frame_jacobian_rate("b7.tip", z, v), rate, **near)
    acceleration = full.frame_acceleration("b7.tip", q, v @ G.T, a @ G.T)
    np.testing.assert_allclose(robot.frame_acceleration("b7.tip", z, v, a), acceleration, **near)
    np.testing.assert_allclose(robot.center_of_mass(z), full.center_of_mass(q), **near)
    np.testing.assert_allclose(robot.kinetic_energy(z, v), full.kinetic_energy(q, v @ G.T), **near)
    np.testing.assert_allclose(robot.potential_energy(z), full.potential_energy(q), **near)
    np.testing.assert_allclose(robot.reactions(z, v, a), full.reactions(q, v @ G.T, a @ G.T), **near)
    np.testing.assert_allclose(robot.regressor(z, v, a) @ robot.parameters(), robot.inverse_dynamics(z, v, a), **near)
    tau = robot.inverse_dynamics(z, v, a)
    np.testing.assert_allclose(robot.forward_dynamics(z, v, tau), a, rtol=1e-9, atol=1e-9)
    found, wrenches = robot.forward_reactions(z, v, tau)
    np.testing.assert_allclose(found, a, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(wrenches, robot.reactions(z, v, a), rtol=1e-8, atol=1e-8)
    equations = robot.equations(z[0], v[0])
    np.testing.assert_allclose(equations.mass_matrix, robot.mass_matrix(z[0]), **near)
    np.testing.assert_allclose(equations.bias, robot.bias(z[0], v[0]), **near)
    np.testing.assert_allclose(equations.accelerations(tau[0]), a[0], rtol=1e-9, atol=1e-9)


def test_pinocchio_projected_by_hand_agrees() -> None:
    pin = oracle("pinocchio")
    tree, plain, coupled = models(4)
    robot = coupled.robot()
    G, offset = known_map(robot, plain.robot())
    model, data, *_ = tree.pinocchio
    z, v, a = np.random.default_rng(2).normal(size=(3, 6))
    q = G @ z + offset
    tau = G.T @ pin.rnea(model, data, q, G @ v, G @ a)
    np.testing.assert_allclose(robot.inverse_dynamics(z, v, a), tau, rtol=1e-10, atol=1e-10)
    upper = np.triu(pin.crba(model, data, q))
    np.testing.assert_allclose(robot.mass_matrix(z), G.T @ (upper + np.triu(upper, 1).T) @ G, rtol=1e-10, atol=1e-10)


def test_a_run_that_closes_the_coupler_moves_the_same_way() -> None:
    m = mb.Model("fingers", gravity=(0, 0, -9.81))
    before = "ground"
    for k, axis in enumerate([(0, 1, 0), (0, 1, 0.2), (1, 0.3, 0)]):
        m.body(f"b{k}", mass=1.0, inertia=(0.02, 0.03, 0.01), com=(0.1, 0.02, 0), frames={"tip": (0.2, 0, 0)})
        m.revolute(f"j{k}", before, f"b{k}", axis=axis)
        before = f"b{k}.tip"
    m.coupler("tendon", "j2 - 0.8*j1 - 0.2")
    m.spring("band", "ground", "b2.tip", stiffness=5.0, length=0.1, damping=0.2)
    robot = m.robot()
    z, v = np.array([0.3, -0.4]), np.array([0.5, 1.0])
    run = m.run(1.0, initial=robot.state(z, v), rtol=1e-10, atol=1e-10)

    def rates(_: float, y: Any) -> Any:
        return np.concatenate([y[2:], robot.forward_dynamics(y[:2], y[2:], np.zeros(2))])

    ours = solve_ivp(rates, (0.0, 1.0), np.concatenate([z, v]), rtol=1e-11, atol=1e-11).y[:, -1]
    final = np.concatenate(robot.from_state(run.final))
    np.testing.assert_allclose(final, ours, atol=1e-7)
    assert abs(run.final["j2"] - 0.8 * run.final["j1"] - 0.2) < 1e-9


def test_inverse_kinematics_moves_what_follows() -> None:
    m = mb.Model("finger", dimension=2)
    before = "ground"
    for k in range(3):
        m.body(f"b{k}", mass=1, inertia=1, frames={"e": (1.0 - 0.2 * k, 0)})
        m.revolute(f"j{k}", before, f"b{k}")
        before = f"b{k}.e"
    m.coupler("tendon", "j2 - 0.8*j1 - 0.2")
    m.stop("s", "j2", lower=-1.0, upper=1.0, stiffness=10.0)
    robot = m.robot()
    for seed in range(10):
        q = np.random.default_rng(seed).uniform([-3, -1.5], [3, 1.0])
        target = robot.frame_pose("b2.e", q)[0]
        found = robot.inverse_kinematics("b2.e", target, every=True)
        assert found.reached
        for z in found.solutions:
            np.testing.assert_allclose(robot.frame_pose("b2.e", z)[0], target, atol=1e-12)
            assert -1.0 - 1e-9 <= 0.8 * z[1] + 0.2 <= 1.0 + 1e-9


def test_coordinates_states_and_names() -> None:
    m = mb.Model("pair", dimension=2)
    m.body("a", mass=1, inertia=1)
    m.body("b", mass=1, inertia=1)
    m.revolute("A", "ground", "a")
    m.revolute("B", "ground", "b")
    m.coupler("mimic", "B - 3*A + 0.5")
    robot = m.robot()
    assert robot.coordinates == ["A.angle"] and robot.followers == {"B.angle": "3*A.angle - 0.5"}
    np.testing.assert_allclose(robot.mass_matrix([0.2]), [[1.0 + 9.0]])
    state = robot.state([0.2], [1.0])
    assert state["B"] == pytest.approx(0.1, abs=1e-12) and state["B.rate"] == pytest.approx(3.0)
    q, v = robot.from_state(state)
    np.testing.assert_allclose([q[0], v[0]], [0.2, 1.0])
    np.testing.assert_allclose(robot.displaced([0.2], [0.3]), [0.5])
    assert robot.random(0).shape == (1,)
    with pytest.raises(mb.ModelError, match=r"B.angle follows others and is no coordinate of the robot; it is 3\*A.angle"):
        robot.slices("B")


@pytest.mark.parametrize(
    ("couplers", "words"),
    [
        (["B - A^2"], "coupler c0 is not linear in A"),
        (["B - sin(A)"], "coupler c0 is not linear in A"),
        (["B - A - 0.1*t"], "coupler c0 depends on time, and a robot has none"),
        (["B - a.com.x"], "a.com.x is no coordinate of the robot's tree"),
        (["B - A", "2*B - 2*A - 1"], "coupler c1 contradicts the others"),
    ],
)
def test_what_no_robot_takes_is_said(couplers: list[str], words: str) -> None:
    m = mb.Model("pair", dimension=2)
    for name in "ab":
        m.body(name, mass=1, inertia=1)
        m.revolute(name.upper(), "ground", name)
    for k, expression in enumerate(couplers):
        m.coupler(f"c{k}", expression)
    with pytest.raises(mb.ModelError, match=words.replace(".", r"\.")):
        m.robot()


def test_a_coupler_said_twice_counts_once_and_a_mimic_of_a_mimic_is_exact() -> None:
    m = mb.Model("chain", dimension=2)
    for name in "abc":
        m.body(name, mass=1, inertia=1)
        m.revolute(name.upper(), "ground", name)
    m.coupler("c0", "B - 2*A")
    m.coupler("c1", "4*A - 2*B")
    m.coupler("c2", "C - 0.1*B - 1")
    robot = m.robot()
    assert robot.coordinates == ["A.angle"]
    np.testing.assert_allclose(robot.mass_matrix([0.0]), [[1 + 4 + 0.04]], rtol=1e-15)


def test_what_is_named_first_follows_though_its_name_begins_as_the_other() -> None:
    m = mb.Model("arm", dimension=2)
    m.body("link", mass=1.0, inertia=0.1, com=(0.5, 0.0))
    m.body("rotor", mass=0.0, inertia=0.3)
    m.revolute("shoulder", "ground", "link")
    m.revolute("shoulder_axle", "ground", "rotor")
    m.coupler("armature", "shoulder_axle - shoulder")
    robot = m.robot()
    assert robot.coordinates == ["shoulder.angle"] and list(robot.followers) == ["shoulder_axle.angle"]
    assert robot.mass_matrix(np.array([0.2]))[0, 0] == pytest.approx(0.1 + 0.25 + 0.3, rel=1e-14)
