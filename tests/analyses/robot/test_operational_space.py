"""Operational space: by its definition, against Pinocchio, and where directions are lost."""

from __future__ import annotations

import numpy as np
import pytest

import multibody as mb
from analyses.robot.arms import arm, planar_arm
from analyses.robot.trees import random_tree
from oracles import oracle


def test_inertia_inverse_and_projector_are_what_they_are_defined_as() -> None:
    robot = mb.load("arm7").robot()
    rng = np.random.default_rng(0)
    q = robot.random(rng)
    space = robot.operational_space("link7.tip", q)
    J, M = robot.frame_jacobian("link7.tip", q), robot.mass_matrix(q)
    np.testing.assert_allclose(space.inertia @ (J @ np.linalg.solve(M, J.T)), np.eye(6), atol=1e-9)
    np.testing.assert_allclose(J @ space.inverse, np.eye(6), atol=1e-10)
    np.testing.assert_allclose(space.projector @ space.projector, space.projector, atol=1e-10)
    # efforts in the null space do not accelerate the frame; a force on it does so by Λ alone
    tau, force = rng.normal(size=7), rng.normal(size=6)
    still = robot.forward_dynamics(q, np.zeros(7), robot.gravity(q) + space.projector.T @ tau)
    np.testing.assert_allclose(J @ still, 0.0, atol=1e-9)
    moved = robot.forward_dynamics(q, np.zeros(7), robot.gravity(q) + J.T @ force)
    np.testing.assert_allclose(space.inertia @ (J @ moved), force, rtol=1e-8, atol=1e-9)
    # no other inverse needs less kinetic energy
    x = rng.normal(size=6)
    own, other = space.inverse @ x, np.linalg.pinv(J) @ x
    assert own @ M @ own <= other @ M @ other


def test_many_states_are_single_ones() -> None:
    robot = mb.load("arm7").robot()
    Q = robot.random(0, 5)
    many = robot.operational_space("link7.tip", Q, "position")
    assert many.inertia.shape == (5, 3, 3) and many.projector.shape == (5, 7, 7) and many.singular.shape == (5,)
    for k, q in enumerate(Q):
        np.testing.assert_allclose(many.inertia[k], robot.operational_space("link7.tip", q, "position").inertia, rtol=1e-10)


@pytest.mark.parametrize("seed", range(4))
def test_pinocchio_agrees(seed: int) -> None:
    pin = oracle("pinocchio")
    tree = random_tree(seed, 9, kinds=("revolute",), floating=False)
    robot = tree.model().robot()
    q = robot.random(seed)
    model, data, *_ = tree.pinocchio
    frame = model.getFrameId("tip8")
    J = pin.computeFrameJacobian(model, data, q, frame, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED)
    mobility = J @ pin.computeMinverse(model, data, q) @ J.T
    space = robot.operational_space("b8.tip", q)
    np.testing.assert_allclose(space.mobility, mobility, rtol=1e-9, atol=1e-9 * np.abs(mobility).max())


def test_a_point_mass_on_a_slide_is_its_mass() -> None:
    m = mb.Model("cart", dimension=2)
    m.body("cart", mass=2.0, inertia=1.0)
    m.body("trolley", mass=3.0, inertia=1.0)
    m.translational("x", "ground", "cart", axis=(1, 0))
    m.translational("y", "cart", "trolley", axis=(0, 1))
    space = m.robot().operational_space("trolley", [0.0, 0.0], "position")
    np.testing.assert_allclose(space.inertia, np.diag([5.0, 3.0]), rtol=1e-14)


def test_lost_directions_are_said() -> None:
    robot = arm("puma").robot()
    space = robot.operational_space("l6.tip", np.array([0.1, 0.2, 0.3, 0.4, 0.0, 0.6]))
    assert space.singular and len(space.lost) == 1
    assert np.abs(space.lost[0] @ space.jacobian).max() < 1e-9
    with pytest.raises(mb.ModelError, match=r"l6.tip cannot move along .* its inertia is infinite there"):
        _ = space.inertia
    np.testing.assert_allclose(space.jacobian @ space.projector, 0.0, atol=1e-9)  # consistent all the same
    assert robot.operational_space("l6.tip", np.array([0.1, 0.2, 0.3, 0.4, 0.0, 0.6]), "position").inertia.shape == (3, 3)
    planar = planar_arm(2)
    assert planar.operational_space("l2.e", [0.3, 0.4]).singular  # two joints, three rows
    assert not planar.operational_space("l2.e", [0.3, 0.4], "position").singular
    with pytest.raises(mb.ModelError, match='part is \'all\'; it is "pose", "position" or "rotation"'):
        planar.operational_space("l2.e", [0.3, 0.4], "all")


def test_units_do_not_decide_what_is_singular() -> None:
    q = np.array([0.1, 0.2, 0.3, 0.4, 0.02, 0.6])
    for scale in (1.0, 1000.0):
        assert not arm("puma", scale).robot().operational_space("l6.tip", q).singular
