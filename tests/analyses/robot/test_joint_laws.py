"""Stops, friction, springs and dampers along the coordinates of a robot: straight from q and v, as through its bodies."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import multibody as mb
from analyses.robot.test_planar import trees as planar_trees
from analyses.robot.trees import random_tree
from multibody.kernels.robot.applied import applied_forces


def with_laws(model: mb.Model) -> list[str]:
    """Put one or two laws on every coordinate of a tree; return the coordinates."""
    found = [name for name in model.robot().coordinates if ".quaternion." not in name]
    for k, name in enumerate(found):
        if k % 3 == 0:
            model.stop(f"stop{k}", name, lower=-0.3, upper=0.4, stiffness=50.0, damping=2.0)
        if k % 2 == 0:
            model.friction(f"rubs{k}", name, coulomb=0.7, viscous=0.2, smooth=0.01)
        if k % 3 == 1:
            model.effort(f"spring{k}", name, stiffness=3.0, rest=0.2, damping=0.4)
    return found


def through_bodies(robot: Any, q: Any, v: Any) -> Any:
    """Return the generalized forces of the laws by poses and velocities of the bodies."""
    out = np.zeros((1, len(v)))
    applied_forces(robot._d, *robot._arrays.run, 0.0, robot._turns, q[None].copy(), v[None].copy(), out)
    return out[0]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("dimension", [2, 3])
def test_laws_of_coordinates_need_no_bodies(seed: int, dimension: int) -> None:
    model = random_tree(seed).model() if dimension == 3 else planar_trees(seed)[0]
    bare = model.robot()
    assert with_laws(model)
    robot, rng = model.robot(), np.random.default_rng(seed)
    assert robot._joint_laws is not None and len(robot._joint_laws.law) == len(model.forces)
    q, v, a = robot.random(rng), rng.normal(size=robot.nv), rng.normal(size=robot.nv)
    known = through_bodies(robot, q, v)
    assert np.max(np.abs(known)) > 0.1
    np.testing.assert_allclose(robot.applied(q, v), known, rtol=1e-10, atol=1e-11)
    first = robot.inverse_dynamics(q, v, a)  # the careful method, which prepares the quick one
    quick = robot.inverse_dynamics(q, v, a)
    assert robot._inverse_one is not None
    np.testing.assert_allclose(quick, first, rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(quick, bare.inverse_dynamics(q, v, a) - known, rtol=1e-10, atol=1e-10)
    tau = rng.normal(size=robot.nv)
    robot.forward_dynamics(q, v, tau)
    found = robot.forward_dynamics(q, v, tau)
    assert robot._forward_one is not None
    np.testing.assert_allclose(robot.inverse_dynamics(q, v, found), tau, rtol=1e-8, atol=1e-8)
    many = robot.inverse_dynamics(np.tile(q, (3, 1)), np.tile(v, (3, 1)), np.tile(a, (3, 1)))
    np.testing.assert_allclose(many, np.tile(quick, (3, 1)), rtol=1e-13, atol=1e-13)


def test_without_forces_masses_and_gravity_are_left() -> None:
    model, plain = random_tree(3).model(), random_tree(3).model()
    with_laws(model)
    robot, bare = pickle.loads(pickle.dumps(model.robot(forces=False))), plain.robot()
    rng = np.random.default_rng(3)
    q, v, a = bare.random(rng), rng.normal(size=bare.nv), rng.normal(size=bare.nv)
    for _ in range(2):
        np.testing.assert_array_equal(robot.inverse_dynamics(q, v, a), bare.inverse_dynamics(q, v, a))
        np.testing.assert_array_equal(robot.forward_dynamics(q, v, a), bare.forward_dynamics(q, v, a))
    np.testing.assert_array_equal(robot.applied(q, v), np.zeros(bare.nv))
    assert robot.potential_energy(q) == bare.potential_energy(q) != model.robot().potential_energy(q)


def test_laws_with_formulas_and_loads_go_through_the_bodies() -> None:
    model = random_tree(2).model()
    name = next(name for name in model.robot().coordinates if name.endswith(".angle"))
    model.effort("shaken", name, value="sin(t) + 1")
    robot = model.robot()
    q, v, a = robot.random(0), np.zeros(robot.nv), np.zeros(robot.nv)
    early, late = (robot.inverse_dynamics(q, v, a, t=t) for t in (0.0, 0.5 * mb.pi))
    assert robot._joint_laws is None and robot._inverse_one is None
    np.testing.assert_allclose(np.max(np.abs(early - late)), 1.0, rtol=1e-12)


def test_wrong_arguments_are_answered_in_words_with_laws_too() -> None:
    model = random_tree(1).model()
    with_laws(model)
    robot = model.robot()
    q, v = robot.random(0), np.zeros(robot.nv)
    robot.inverse_dynamics(q, v, v)
    robot.forward_dynamics(q, v, v)
    with pytest.raises(mb.ModelError):
        robot.inverse_dynamics(q[:-1], v, v)
    with pytest.raises(mb.ModelError):
        robot.forward_dynamics(q, v, np.zeros(robot.nv + 1))
    with pytest.raises(mb.ModelError):
        robot.forward_dynamics(q, v, np.full(robot.nv, np.nan))
    with pytest.raises(mb.ModelError, match="forces is 'no'; say True or False"):
        model.robot(forces="no")  # type: ignore[arg-type]
