"""Random trees of mixed joints against Pinocchio and MuJoCo: inverse and forward dynamics, mass matrix, Jacobians, momentum."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from analyses.robot.trees import KINDS, Floats, RandomTree, random_tree
from oracles import oracle

SEEDS = range(12)
CLOSE = 1e-10


def close(a: Any, b: Any) -> bool:
    """Return whether two arrays agree to 1e-10 of the larger one."""
    a, b = np.asarray(a), np.asarray(b)
    return bool(np.max(np.abs(a - b), initial=0.0) <= CLOSE * max(1.0, float(np.max(np.abs(b), initial=0.0))))


def states(tree: RandomTree, seed: int) -> tuple[Any, Floats, Floats, Floats]:
    robot = tree.model().robot()
    rng = np.random.default_rng(1000 + seed)
    q = robot.random(rng)
    v, a = rng.normal(size=(2, robot.nv))
    return robot, q, v, a


@pytest.mark.parametrize("seed", SEEDS)
def test_dynamics_are_pinocchios(seed: int) -> None:
    pin = oracle("pinocchio")
    tree = random_tree(seed, floating=seed % 3 != 0)
    robot, q, v, a = states(tree, seed)
    model, data, *_ = tree.pinocchio
    p, T = tree.theirs(q, scalar_first=False)
    tau = robot.inverse_dynamics(q, v, a)
    assert close(tau, T.T @ pin.rnea(model, data, p, T @ v, T @ a))
    upper = np.triu(pin.crba(model, data, p))
    M = upper + np.triu(upper, 1).T
    assert close(robot.mass_matrix(q), T.T @ M @ T)
    assert close(robot.forward_dynamics(q, v, tau), T.T @ pin.aba(model, data, p, T @ v, T @ tau))
    assert close(robot.gravity(q), T.T @ pin.computeGeneralizedGravity(model, data, p))


@pytest.mark.parametrize("seed", SEEDS)
def test_dynamics_are_mujocos(seed: int) -> None:
    mujoco = oracle("mujoco")
    tree = random_tree(seed, kinds=tuple(k for k in KINDS if k != "screw"), floating=seed % 2 == 0)
    robot, q, v, a = states(tree, seed)
    model = tree.mujoco()
    data = mujoco.MjData(model)
    data.qpos[:], T = tree.theirs(q, scalar_first=True)
    data.qvel[:], data.qacc[:] = T @ v, T @ a
    mujoco.mj_inverse(model, data)
    tau = robot.inverse_dynamics(q, v, a)
    assert close(tau, T.T @ data.qfrc_inverse)
    data.qfrc_applied[:] = T @ tau
    mujoco.mj_forward(model, data)
    M = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, M)
    assert close(robot.mass_matrix(q), T.T @ M @ T)
    assert close(robot.forward_dynamics(q, v, tau), T.T @ data.qacc)
    J, rows = np.zeros((6, model.nv)), len(tree.nodes) - 1
    r, _ = robot.frame_pose(f"b{rows}.tip", q)
    mujoco.mj_jac(model, data, J[:3], J[3:], r, model.body(f"b{rows}").id)
    assert close(robot.frame_jacobian(f"b{rows}.tip", q), J @ T)


@pytest.mark.parametrize("seed", SEEDS)
def test_frames_are_pinocchios(seed: int) -> None:
    pin = oracle("pinocchio")
    tree = random_tree(seed, floating=seed % 3 != 1)
    robot, q, v, a = states(tree, seed)
    model, data, *_ = tree.pinocchio
    p, T = tree.theirs(q, scalar_first=False)
    pin.computeJointJacobiansTimeVariation(model, data, p, T @ v)
    pin.forwardKinematics(model, data, p, T @ v, T @ a)
    pin.updateFramePlacements(model, data)
    about = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
    for k in range(len(tree.nodes)):
        frame, tip = model.getFrameId(f"tip{k}"), f"b{k}.tip"
        r, A = robot.frame_pose(tip, q)
        assert close(r, data.oMf[frame].translation)
        assert close(A, data.oMf[frame].rotation)
        assert close(robot.frame_jacobian(tip, q), pin.getFrameJacobian(model, data, frame, about) @ T)
        assert close(robot.frame_velocity(tip, q, v), pin.getFrameVelocity(model, data, frame, about).vector)
        theirs = pin.getFrameClassicalAcceleration(model, data, frame, about).vector
        assert close(robot.frame_acceleration(tip, q, v, a), theirs)


@pytest.mark.parametrize("seed", SEEDS)
def test_centroidal_quantities_are_pinocchios(seed: int) -> None:
    pin = oracle("pinocchio")
    tree = random_tree(seed)
    robot, q, v, a = states(tree, seed)
    model, data, *_ = tree.pinocchio
    p, T = tree.theirs(q, scalar_first=False)
    pin.computeCentroidalMomentumTimeVariation(model, data, p, T @ v, T @ a)
    assert close(robot.center_of_mass(q), data.com[0])
    assert close(robot.momentum(q, v), data.hg.vector)
    assert close(robot.momentum_matrix(q) @ a + robot.momentum_bias(q, v), data.dhg.vector)
    assert close(robot.momentum_matrix(q), pin.ccrba(model, data, p, T @ v) @ T)
    assert close(robot.center_of_mass_jacobian(q), pin.jacobianCenterOfMass(model, data, p) @ T)
    assert close(robot.kinetic_energy(q, v), pin.computeKineticEnergy(model, data, p, T @ v))
    assert close(robot.potential_energy(q), pin.computePotentialEnergy(model, data, p))


def test_all_kinds_of_joints_and_both_directions_occur() -> None:
    nodes = [node for seed in SEEDS for node in random_tree(seed).nodes]
    assert {(node.kind, node.backward) for node in nodes} == {(k, b) for k in KINDS for b in (False, True)} | {("free", False)}
