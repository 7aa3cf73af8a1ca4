"""Accelerations of trees against Pinocchio and MuJoCo, where they are installed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import multibody as mb
from analyses.dynamics.checks import FORMULATIONS, Floats
from oracles import oracle

GRAVITY = (0.5, -1.0, -9.0)
PARENTS = (-1, 0, 1, 1, 3, 0)
KINDS = ("revolute", "translational", "revolute", "revolute", "translational", "revolute")


class Tree:
    """A random tree of hinges and slides, bodies drawn on the ground frame."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        n = len(KINDS)
        self.masses = rng.uniform(0.5, 2.0, n)
        self.coms, self.places = rng.uniform(-1, 1, (n, 3)), rng.uniform(-1, 1, (n, 3))
        self.axes = [a / np.linalg.norm(a) for a in rng.normal(size=(n, 3))]
        turns = [Rotation.random(random_state=int(rng.integers(1 << 30))).as_matrix() for _ in range(n)]
        self.inertias = [R @ np.diag(rng.uniform(0.3, 0.5, 3)) @ R.T for R in turns]
        self.q, self.v = rng.uniform(-1, 1, n), rng.uniform(-2, 2, n)

    def model(self) -> mb.Model:
        m = mb.Model("tree", gravity=GRAVITY)
        for k, kind in enumerate(KINDS):
            m.body(f"b{k}", mass=self.masses[k], inertia=self.inertias[k], com=self.coms[k])
            parent = "ground" if PARENTS[k] < 0 else f"b{PARENTS[k]}"
            m.joint(kind, f"J{k}", parent, f"b{k}", at=self.places[k], axis=self.axes[k])
            m.initial({f"J{k}": float(self.q[k]), f"J{k}.rate": float(self.v[k])})
        return m


def coordinates(run: mb.Run, k: int) -> tuple[Floats, Floats, Floats]:
    """Return values, rates and accelerations of all joints at an instant."""
    names = [f"J{j}" for j in range(len(KINDS))]
    parts = ("", ".rate", ".acceleration")
    return tuple(np.array([float(run[name + part][k]) for name in names]) for part in parts)  # type: ignore[return-value]


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("seed", [1, 2])
def test_a_tree_agrees_with_pinocchio(seed: int, formulation: str) -> None:
    pin: Any = oracle("pinocchio")
    tree = Tree(seed)
    model = pin.Model()
    model.gravity.linear = np.array(GRAVITY)
    for k, kind in enumerate(KINDS):
        parent, origin = PARENTS[k] + 1, np.zeros(3) if PARENTS[k] < 0 else tree.places[PARENTS[k]]
        make = pin.JointModelRevoluteUnaligned if kind == "revolute" else pin.JointModelPrismaticUnaligned
        joint = model.addJoint(parent, make(*tree.axes[k]), pin.SE3(np.eye(3), tree.places[k] - origin), f"J{k}")
        inertia = pin.Inertia(tree.masses[k], tree.coms[k] - tree.places[k], tree.inertias[k])
        model.appendBodyToJoint(joint, inertia, pin.SE3.Identity())
    data = model.createData()
    run = tree.model().run(0.3, formulation=formulation, rtol=1e-10, output_step=0.1)
    for k in range(len(run.time)):
        q, v, a = coordinates(run, k)
        exact = pin.aba(model, data, q, v, np.zeros(len(q)))
        assert a == pytest.approx(exact, rel=1e-8, abs=1e-8)


MJCF = """
<mujoco>
  <option gravity="0.5 -1.0 -9.0" integrator="RK4"/>
  <compiler inertiafromgeom="false" angle="radian"/>
  <worldbody>
    <body name="b0" pos="0.1 0.2 0.3"> <freejoint/>
      <inertial pos="0.2 -0.1 0.3" mass="1.5" fullinertia="0.5 0.6 0.7 0.02 0.03 -0.04"/>
      <body name="b1" pos="0.4 0.1 0.2"> <joint type="ball"/>
        <inertial pos="0.3 0.2 -0.1" mass="0.8" fullinertia="0.2 0.3 0.25 -0.01 0.02 0.03"/>
        <body name="b2" pos="0.5 -0.2 0.3"> <joint type="hinge" axis="1 2 -1"/>
          <inertial pos="0.1 0.1 0.4" mass="0.6" fullinertia="0.1 0.15 0.2 0 0 0"/>
          <body name="b3" pos="0.2 0.3 0.1"> <joint type="slide" axis="0 3 4"/>
            <inertial pos="0.2 0.1 -0.3" mass="0.7" fullinertia="0.1 0.12 0.2 0 0 0"/>
          </body>
        </body>
      </body>
    </body>
  </worldbody>
</mujoco>
"""


def floating() -> mb.Model:
    """Return the same as MJCF describes: free, spherical, revolute and translational joints in a chain."""
    m = mb.Model("floating", gravity=GRAVITY)
    full = [[0.5, 0.02, 0.03], [0.02, 0.6, -0.04], [0.03, -0.04, 0.7]]
    second = [[0.2, -0.01, 0.02], [-0.01, 0.3, 0.03], [0.02, 0.03, 0.25]]
    places = np.cumsum([(0.1, 0.2, 0.3), (0.4, 0.1, 0.2), (0.5, -0.2, 0.3), (0.2, 0.3, 0.1)], axis=0)
    m.body("b0", mass=1.5, inertia=full, com=(0.2, -0.1, 0.3), at=places[0])
    m.body("b1", mass=0.8, inertia=second, com=(0.3, 0.2, -0.1), at=places[1])
    m.body("b2", mass=0.6, inertia=(0.1, 0.15, 0.2), com=(0.1, 0.1, 0.4), at=places[2])
    m.body("b3", mass=0.7, inertia=(0.1, 0.12, 0.2), com=(0.2, 0.1, -0.3), at=places[3])
    m.free("F", "ground", "b0")
    m.spherical("S", "b0", "b1", at=places[1])
    m.revolute("R", "b1", "b2", at=places[2], axis=(1, 2, -1))
    m.translational("T", "b2", "b3", at=places[3], axis=(0, 3, 4))
    spin, own = (0.3, -0.7, 1.1), (-0.4, 0.9, 0.5)
    rates = {f"b0.omega.{c}": w for c, w in zip("xyz", spin, strict=True)}
    rates |= {f"b1.omega.{c}": a + b for c, a, b in zip("xyz", spin, own, strict=True)}
    m.initial({"F.x.rate": 0.2, "F.y.rate": 0.5, "F.z.rate": -0.1, "R.rate": 1.2, "T.rate": -0.6} | rates)
    return m


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_floating_chain_agrees_with_mujoco(formulation: str) -> None:
    mujoco: Any = oracle("mujoco")
    theirs = mujoco.MjModel.from_xml_string(MJCF)
    data = mujoco.MjData(theirs)
    data.qvel[:] = [0.2, 0.5, -0.1, 0.3, -0.7, 1.1, -0.4, 0.9, 0.5, 1.2, -0.6]
    theirs.opt.timestep = 5e-4
    mujoco.mj_forward(theirs, data)
    run = floating().run(0.25, formulation=formulation, rtol=1e-11)
    start = run.at(0.0)
    assert [float(start[f"{joint}.acceleration"]) for joint in "RT"] == pytest.approx(data.qacc[9:11], rel=1e-9)
    assert [float(start[f"F.{c}.acceleration"]) for c in "xyz"] == pytest.approx(data.qacc[:3], rel=1e-9)
    assert run.motion.a[0, 3:6] == pytest.approx(data.qacc[3:6], rel=1e-9)  # of ω′ in body axes
    for _ in range(500):
        mujoco.mj_step(theirs, data)
    assert data.time == pytest.approx(0.25)
    for body in ("b0", "b1", "b2", "b3"):
        theirs_at = data.xipos[mujoco.mj_name2id(theirs, mujoco.mjtObj.mjOBJ_BODY, body)]
        ours = [float(run[f"{body}.{c}"][-1]) for c in "xyz"]
        assert ours == pytest.approx(theirs_at, abs=1e-9)  # Runge–Kutta steps of 0.5 ms
    assert [float(run["R"][-1]), float(run["T"][-1])] == pytest.approx(data.qpos[11:13], abs=1e-9)
