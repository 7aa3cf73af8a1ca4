"""Forces of joints: selected ones against all of them, against the multipliers of a run, and against statics."""

from __future__ import annotations

import numpy as np
import pytest

import multibody as mb
from analyses.robot.trees import random_tree

SEEDS = range(6)


@pytest.mark.parametrize("springs", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_one_joint_alone_is_that_joint_among_all(seed: int, springs: bool) -> None:
    robot = random_tree(seed, count=14).model(springs).robot()
    rng = np.random.default_rng(seed)
    q = robot.random(rng)
    v, a = rng.normal(size=(2, robot.nv))
    tau = robot.inverse_dynamics(q, v, a, t=0.3)
    equations, scale = robot.equations(q, v, t=0.3), np.max(np.abs(tau))
    for drives in (False, True):
        everything = robot.reactions(q, v, a, drives=drives, t=0.3)
        found, wrenches = robot.forward_reactions(q, v, tau, drives=drives, t=0.3)
        np.testing.assert_allclose(found, a, atol=1e-10)
        np.testing.assert_allclose(wrenches, everything, atol=1e-11 * scale)
        np.testing.assert_allclose(equations.reactions(a, drives=drives), everything, atol=1e-12 * scale)
        for k, joint in enumerate(robot.joints):
            np.testing.assert_allclose(equations.reactions(a, joint, drives=drives), everything[k], atol=1e-12 * scale)
            np.testing.assert_array_equal(robot.reactions(q, v, a, joint, drives=drives, t=0.3), everything[k])
    for joint in robot.joints:
        effort = tau[robot.slices(joint)[1]]
        np.testing.assert_allclose(equations.driving_force(a, joint), effort, atol=1e-12 * scale)
    np.testing.assert_allclose(equations.accelerations(tau), a, atol=1e-10)
    np.testing.assert_allclose(equations.mass_matrix, robot.mass_matrix(q), atol=1e-12)
    np.testing.assert_allclose(equations.bias, robot.bias(q, v, t=0.3), atol=1e-12 * scale)


@pytest.mark.parametrize("seed", SEEDS)
def test_reactions_are_those_of_the_multipliers(seed: int) -> None:
    model = random_tree(seed).model(springs=True)
    robot = model.robot()
    rng = np.random.default_rng(seed)
    q, v = robot.random(rng), rng.normal(size=robot.nv)
    a = robot.forward_dynamics(q, v, np.zeros(robot.nv))
    run = model.run(1e-3, initial=robot.state(q, v), output_step=1e-3)
    found = robot.reactions(q, v, a)
    scale = np.max(np.abs(found))
    for k, joint in enumerate(robot.joints):
        theirs = run.reactions(joint).isel(time=0)
        np.testing.assert_allclose(found[k, :3], theirs["force"], atol=1e-9 * scale, err_msg=joint)
        np.testing.assert_allclose(found[k, 3:], theirs["moment"], atol=1e-9 * scale, err_msg=joint)


def test_a_pendulum_at_rest_hangs_on_its_pin() -> None:
    m = mb.Model("pendulum", dimension=2, gravity=(0, -10))
    m.body("rod", mass=2.0, inertia=0.5, com=(1.5, 0))
    m.revolute("O", m.ground, "rod")
    robot, still = m.robot(), np.zeros(1)
    np.testing.assert_allclose(robot.reactions(still, still, still, "O"), [0, 20, 0], atol=1e-13)
    np.testing.assert_allclose(robot.reactions(still, still, still, "O", drives=True), [0, 20, 30], atol=1e-13)
    m = mb.Model("backward", dimension=2, gravity=(0, -10))
    m.body("rod", mass=2.0, inertia=0.5, com=(1.5, 0))
    m.revolute("O", "rod", m.ground)
    np.testing.assert_allclose(m.robot().reactions(still, still, still, "O", drives=True), [0, -20, -30], atol=1e-13)
