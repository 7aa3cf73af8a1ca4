"""MuJoCo as an oracle for trees: mass matrix, bias forces and accelerations of the same file, in our coordinates.

Rates of hinges, slides and of the origin of a free body are the same. Angular velocities of balls and free bodies are along
the carried body's axes in MuJoCo and along the carrying end's here: ω_mj = Rᵀω. With v_mj = T v the mass matrix is TᵀM T and
bias forces are Tᵀb, since Ṫv = Rᵀ(ω × ω) = 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

import multibody as mb
from multibody.files.robots.description import Description
from multibody.files.robots.lower import lower
from multibody.files.robots.markup import read_markup
from multibody.files.robots.mjcf import describe
from multibody.files.robots.mjcf.compiled import Compiled, compile_file
from multibody.files.robots.names import Names
from multibody.files.robots.options import RobotOptions
from oracles import oracle

mujoco: Any = oracle("mujoco")
Floats = NDArray[np.float64]


@dataclass
class Tree:
    """A file read by both: what MuJoCo compiled, our robot without armature, friction, stops and loops, names of its joints."""

    compiled: Compiled
    robot: Any
    names: dict[str, str]
    armature: Floats  # over MuJoCo's rates

    @classmethod
    def of(cls, file: Path) -> Tree:
        """Read a file; its armature is compared apart, since a robot has no flywheels."""
        compiled = compile_file(file, read_markup(file, str(file)), str(file))
        options = RobotOptions(limits="none")
        description = describe(compiled, options)
        description.couplings = []
        description.joints = [joint for joint in description.joints if not joint.closes]
        for joint in description.joints:
            joint.armature = joint.friction = 0.0
        robot = _quiet(description, options).robot()
        return cls(compiled, robot, Names(description).joints, np.array(compiled.model.dof_armature))

    @property
    def plain(self) -> bool:
        """Whether all passive forces are those of hinges and slides, which are carried over."""
        model = self.compiled.model
        wide = np.isin(model.dof_jntid, np.flatnonzero(model.jnt_type < 2))
        others = [model.ntendon, model.nflex, model.ngravcomp, model.opt.density, model.opt.viscosity, model.nplugin]
        wide_ones = [*model.dof_damping[wide], *model.jnt_stiffness[model.jnt_type < 2], *np.ravel(model.dof_dampingpoly)]
        return not any(others) and not np.any(wide_ones) and not np.any(model.jnt_stiffnesspoly)

    def states(self, count: int, seed: int) -> list[tuple[Floats, Floats]]:
        """Return random states: coordinates and rates of the robot."""
        generator = np.random.default_rng(seed)
        rows = np.atleast_2d(self.robot.random(generator, count))
        return [(q, generator.normal(size=self.robot.nv)) for q in rows]

    def taken(self, q: Floats, v: Floats) -> tuple[Any, Floats]:
        """Return MuJoCo's data at a state, and T."""
        model = self.compiled.model
        data = mujoco.MjData(model)
        T = np.zeros((model.nv, self.robot.nv))
        for number, name in enumerate(self.compiled.joints):
            here, rates = self.robot.slices(self.names[name])
            a, d, kind = model.jnt_qposadr[number], model.jnt_dofadr[number], model.jnt_type[number]
            own = q[here]
            data.qpos[a : a + len(own)] = own
            if kind < 2:
                w, x, y, z = own[-4:]
                turn = Rotation.from_quat([x, y, z, w]).as_matrix().T
                k = 0 if kind == 1 else 3
                T[d : d + k, rates.start : rates.start + k] = np.eye(k)
                T[d + k : d + k + 3, rates.start + k : rates.stop] = turn
            else:
                T[d, rates] = 1.0
        data.qvel[:] = T @ v
        model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT) | int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
        mujoco.mj_forward(model, data)
        return data, T

    def worst(self, count: int = 4, seed: int = 1) -> dict[str, float]:
        """Return the largest relative differences over random states."""
        found = {"mass": 0.0, "bias": 0.0} | ({"passive": 0.0, "forward": 0.0} if self.plain else {})
        for q, v in self.states(count, seed):
            data, T = self.taken(q, v)
            M = np.zeros((len(data.qvel),) * 2)
            mujoco.mj_fullM(self.compiled.model, data, M)
            M = T.T @ (M - np.diag(self.armature)) @ T
            bias, passive = T.T @ data.qfrc_bias, T.T @ data.qfrc_passive
            size = max(_largest(bias), _largest(M) * _largest(v) ** 2)
            tau = np.random.default_rng(seed).normal(size=self.robot.nv) * size
            ours = {"mass": self.robot.mass_matrix(q), "bias": self.robot.gravity(q) + self.robot.coriolis(q, v)}
            theirs = {"mass": M, "bias": bias, "passive": passive}
            if self.plain:
                ours |= {"passive": self.robot.applied(q, v)}
                if not self.armature.any() and self.robot.nv:  # compared as forces: stiff accelerations are not
                    ours["forward"], theirs["forward"] = M @ self.robot.forward_dynamics(q, v, tau), tau + passive - bias
            for key, value in ours.items():
                found[key] = max(found[key], _apart(value, theirs[key], 0.0 if key == "mass" else size))
        return found


def _apart(ours: Floats, theirs: Floats, scale: float = 0.0) -> float:
    """Return the largest difference over the largest number."""
    largest = max(_largest(theirs), scale)
    return _largest(ours - theirs) / largest if largest else 0.0


def _largest(numbers: Floats) -> float:
    """Return the largest size, 0 of none."""
    return float(np.max(np.abs(numbers), initial=0.0))


def _quiet(description: Description, options: RobotOptions) -> mb.Model:
    """Return the model without the note on what is not carried over."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return lower(description, mb.Model, options)
