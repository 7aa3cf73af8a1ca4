"""The regressor against inverse dynamics and Pinocchio, base parameters against derivations by hand, and a round trip."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import multibody as mb
from analyses.robot.arms import arm, planar_arm
from analyses.robot.trees import random_tree
from oracles import oracle


@pytest.mark.parametrize("seed", range(5))
def test_efforts_are_the_regressor_times_the_parameters(seed: int) -> None:
    robot = random_tree(seed, floating=seed % 2 == 0).model().robot()
    rng = np.random.default_rng(seed)
    q, v, a = robot.random(rng, 3), *rng.normal(size=(2, 3, robot.nv))
    np.testing.assert_allclose(robot.regressor(q, v, a) @ robot.parameters(), robot.inverse_dynamics(q, v, a), atol=1e-11)


def test_planar_efforts_too() -> None:
    robot = planar_arm(3)
    q, v, a = np.random.default_rng(0).normal(size=(3, 4, 3))
    np.testing.assert_allclose(robot.regressor(q, v, a) @ robot.parameters(), robot.inverse_dynamics(q, v, a), atol=1e-12)
    assert robot.parameter_names[:5] == ["l1.m", "l1.mx", "l1.my", "l1.J", "l2.m"]
    np.testing.assert_allclose(robot.parameters()[:4], [2.0, 0.4, 0.1, 0.1 + 2.0 * (0.04 + 0.0025)])


def _moved(pin: Any, place: Any) -> Any:
    """Return the map of Pinocchio's ten numbers of a body from its own frame to that of its joint."""
    base = np.array([1.0, 0, 0, 0, 1, 0, 1, 0, 0, 1])

    def moved(x: Any) -> Any:
        return place.act(pin.Inertia.FromDynamicParameters(x)).toDynamicParameters()

    return np.column_stack([(moved(base + 0.5 * e) - moved(base)) / 0.5 for e in np.eye(10)])


@pytest.mark.parametrize("seed", range(4))
def test_the_regressor_is_pinocchios(seed: int) -> None:
    """Column by column, in Pinocchio's order; its parameters are about the joint, ours about the body's own frame."""
    pin = oracle("pinocchio")
    tree = random_tree(seed, floating=seed == 1)
    robot = tree.model().robot()
    rng = np.random.default_rng(seed)
    q, (v, a) = robot.random(rng), rng.normal(size=(2, robot.nv))
    model, data, ids, frames = tree.pinocchio
    p, T = tree.theirs(q, scalar_first=False)
    theirs = T.T @ pin.computeJointTorqueRegressor(model, data, p, T @ v, T @ a)
    ours = robot.regressor(q, v, a)
    for k, node in enumerate(tree.nodes):
        own = ours[:, 10 * k : 10 * k + 10]
        if ids[k] == 0:
            assert not np.any(own)
            continue
        body = frames[k] @ node.own.inverse
        expected = theirs[:, 10 * (ids[k] - 1) : 10 * ids[k]] @ _moved(pin, pin.SE3(body.axes, body.point))
        np.testing.assert_allclose(own, expected, atol=1e-10 * max(1.0, np.abs(expected).max()))


def two_links(gravity: Any) -> mb.Robot:
    m = mb.Model("two", dimension=2, gravity=gravity)
    m.body("l1", mass=1.0, inertia=0.1, com=(0.2, 0.05), frames={"e": (0.5, 0)})
    m.body("l2", mass=2.0, inertia=0.2, com=(0.3, -0.02))
    m.revolute("j1", "ground", "l1")
    m.revolute("j2", "l1.e", "l2")
    return m.robot()


def test_base_parameters_of_two_planar_links() -> None:
    """By hand: the kinetic energy has J1 + l² m2, J2 and l (mx2, my2); the weight adds mx1 + l m2 and my1."""
    base = two_links((0, -9.81)).base_parameters()
    assert base.rank == 6
    assert base.names == ["l1.mx + 0.5*l2.m", "l1.my", "l1.J + 0.25*l2.m", "l2.mx", "l2.my", "l2.J"]
    assert base.silent == ["l1.m"]
    np.testing.assert_allclose(base.values(), [0.2 + 1.0, 0.05, 0.1 + 0.0425 + 0.5, 0.6, -0.04, 0.2 + 2.0 * 0.0904])
    floating = two_links(None).base_parameters()
    assert floating.names == ["l1.J + 0.25*l2.m", "l2.mx", "l2.my", "l2.J"]
    assert floating.silent == ["l1.m", "l1.mx", "l1.my"]


@pytest.mark.parametrize(("model", "rank"), [("puma", 36), ("elbow", 36)])
@pytest.mark.parametrize("scale", [1.0, 1000.0])
def test_base_parameters_of_arms_that_stand_upright(model: str, rank: int, scale: float) -> None:
    """Of the first link, turning about the vertical, one counts; of each other seven, three being grouped: 1 + 7 · 5.

    36 is also the number that the literature has for the PUMA 560 (Gautier, Khalil 1990; Mayeda, Yoshida, Osuka 1990).
    """
    assert arm(model, scale, turned=True).robot().base_parameters().rank == rank


def test_seven_joints_and_a_slide() -> None:
    assert mb.load("arm7").robot().base_parameters().rank == 1 + 7 * 6
    m = mb.Model("cart", dimension=2, gravity=(0, -9.81))
    m.body("cart", mass=2.0, inertia=1.0)
    m.body("rod", mass=1.0, inertia=0.1, com=(0.5, 0))
    m.translational("x", "ground", "cart", axis=(1, 0))
    m.revolute("A", "cart", "rod")
    base = m.robot().base_parameters()
    assert base.names == ["rod.m + cart.m", "rod.mx", "rod.my", "rod.J"]


@pytest.mark.parametrize("scale", [1.0, 1000.0])
def test_a_round_trip_recovers_the_base_parameters(scale: float) -> None:
    robot = arm("elbow", scale, turned=True).robot()
    base = robot.base_parameters()
    rng = np.random.default_rng(3)
    q, v, a = rng.normal(size=(3, 60, 6))
    tau = robot.inverse_dynamics(q, v, a)
    Y = base.regressor(q, v, a)
    np.testing.assert_allclose(Y @ base.values(), tau, rtol=1e-9, atol=1e-9 * np.abs(tau).max())
    np.testing.assert_allclose(base.identify(q, v, a, tau), base.values(), rtol=1e-6, atol=1e-8 * np.abs(base.values()).max())
    if scale == 1.0:
        plain, *_ = np.linalg.lstsq(Y.reshape(-1, base.rank), tau.ravel(), rcond=None)
        np.testing.assert_allclose(plain, base.values(), rtol=1e-6, atol=1e-8)
    with pytest.raises(mb.ModelError, match=r"the states tell . of 36 base parameters apart"):
        base.identify(q[:1], v[:1], a[:1], tau[:1])


def test_parameters_that_are_not_told_may_be_anything() -> None:
    """Parameters that differ but agree in the base give the same efforts."""
    robot = arm("puma", turned=True).robot()
    base = robot.base_parameters()
    rng = np.random.default_rng(4)
    q, v, a = rng.normal(size=(3, 6))
    _, _, V = np.linalg.svd(base.matrix)
    other = robot.parameters() + V[base.rank :].T @ rng.normal(size=len(robot.parameters()) - base.rank)
    np.testing.assert_allclose(robot.regressor(q, v, a) @ other, robot.inverse_dynamics(q, v, a), atol=1e-7)
