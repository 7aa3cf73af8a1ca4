"""Our robot and Pinocchio's of the same file at the same random states."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

import multibody as mb
from multibody.errors import RobotNote
from multibody.files.robots.formats import describe
from multibody.files.robots.inertias import judged
from multibody.files.robots.lower import lower
from multibody.files.robots.names import Names
from multibody.files.robots.options import RobotOptions

SINGULAR = 1e-12
"""Smallest eigenvalue of a mass matrix of unit diagonal below which it is singular: something moves without mass."""


@dataclass
class Difference:
    """Worst relative differences: of the mass matrix, of efforts, and of M times the accelerations."""

    mass: float
    inverse: float
    forward: float

    @property
    def worst(self) -> float:
        return max(self.mass, self.inverse, self.forward)


def bare_model(file: Path, base: str) -> tuple[Any, Names, set[str]]:
    """Return the model of a file without what Pinocchio's functions leave out: mimic, damping, friction, stops.

    Links whose inertias no body can have are massless in it; they are returned too.
    """
    options = RobotOptions(base=base, inertias="massless", limits="none")
    robot = describe(file, str(file), options)
    _, faults = judged(robot, replace(options, inertias="refuse"))
    robot.couplings.clear()
    for joint in robot.joints:
        joint.damping = joint.friction = joint.stiffness = joint.armature = 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RobotNote)
        return lower(robot, mb.Model, options), Names(robot), {fault.link for fault in faults}


def text_without(file: Path, links: set[str]) -> str:
    """Return a URDF without the inertias of some links."""
    root = ElementTree.fromstring(file.read_bytes().lstrip())
    for link in root.findall("link"):
        for inertial in link.findall("inertial") if link.get("name") in links else ():
            link.remove(inertial)
    return ElementTree.tostring(root, encoding="unicode")


def difference(file: Path, base: str = "fixed", states: int = 2, seed: int = 0) -> Difference | None:
    """Return the worst differences at random states; None where nothing moves."""
    import pinocchio as pin

    model, names, massless = bare_model(file, base)
    robot = model.robot()
    root = (pin.JointModelFreeFlyer(),) if base == "floating" else ()
    peer = pin.buildModelFromXML(text_without(file, massless), *root)
    assert robot.nv == peer.nv, f"{robot.nv} rates, Pinocchio has {peer.nv}"
    if robot.nv == 0 or sum(inertia.mass for inertia in peer.inertias) == 0.0:
        return None
    free = [name for name, joint in model.joints.items() if joint.kind.name == "free"]
    theirs = [peer.names[k] for k in range(1, peer.njoints)]
    ours = {name: free[0] if name == "root_joint" else names.joints[name] for name in theirs}
    generator = np.random.default_rng(seed)
    found = [_at_one_state(robot, peer, ours, generator) for _ in range(states)]
    return Difference(*(max(column) for column in zip(*found, strict=True)))


def _at_one_state(robot: Any, peer: Any, named: dict[str, str], generator: np.random.Generator) -> tuple[float, ...]:
    """Return the three differences at one state. Where the mass matrix is singular, accelerations are not compared."""
    import pinocchio as pin

    data = peer.createData()
    q, p, T = robot.neutral.copy(), pin.neutral(peer), np.zeros((peer.nv, robot.nv))
    frees = []
    for k in range(1, peer.njoints):
        joint = peer.joints[k]
        places, rates = robot.slices(named[peer.names[k]])
        _place(joint, q, p, T, places, rates, generator, frees)
    v, a = generator.normal(size=robot.nv), generator.normal(size=robot.nv)
    w, b = T @ v, T @ a
    for k in frees:  # Pinocchio's rates are along the moving axes: d/dt (Rᵀ v) = Rᵀ a − ω × Rᵀ v
        b[k : k + 3] -= np.cross(w[k + 3 : k + 6], w[k : k + 3])
    upper = np.triu(pin.crba(peer, data, p))
    M = T.T @ (upper + np.triu(upper, 1).T) @ T
    tau = T.T @ pin.rnea(peer, data, p, w, b)
    mine = robot.inverse_dynamics(q, v, a)
    mass = np.abs(robot.mass_matrix(q) - M).max() / np.abs(M).max()
    inverse = np.abs(mine - tau).max() / np.abs(tau).max()
    size = np.sqrt(np.diag(M))
    if size.min() == 0.0 or np.linalg.eigvalsh(M / np.outer(size, size))[0] < SINGULAR:
        return float(mass), float(inverse), 0.0
    ours = robot.forward_dynamics(q, v, tau)
    theirs = np.linalg.lstsq(T, _corrected(pin.aba(peer, data, p, w, np.linalg.solve(T.T, tau)), w, frees), rcond=None)[0]
    forward = np.abs(M @ (ours - theirs)).max() / np.abs(tau).max()
    return float(mass), float(inverse), float(forward)


def _corrected(b: np.ndarray, w: np.ndarray, frees: list[int]) -> np.ndarray:
    """Return Pinocchio's accelerations as ours: of the point, not along moving axes."""
    b = b.copy()
    for k in frees:
        b[k : k + 3] += np.cross(w[k + 3 : k + 6], w[k : k + 3])
    return b


def _place(
    joint: Any, q: np.ndarray, p: np.ndarray, T: np.ndarray, places: slice, rates: slice, generator: np.random.Generator,
    frees: list[int],
) -> None:  # fmt: skip
    """Put both robots to the same random coordinates of a joint; T maps our rates to Pinocchio's."""
    if joint.nv == 1:
        x = generator.uniform(-2.0, 2.0)
        q[places] = x
        p[joint.idx_q : joint.idx_q + joint.nq] = (np.cos(x), np.sin(x)) if joint.nq == 2 else x
        T[joint.idx_v, rates.start] = 1.0
        return
    assert joint.nv == 6, f"{joint.shortname()} is not compared"
    import pinocchio as pin

    point, turn = generator.normal(size=3), generator.normal(size=4)
    turn /= np.linalg.norm(turn)
    q[places] = [*point, *turn]
    p[joint.idx_q : joint.idx_q + 7] = [*point, *turn[1:], turn[0]]
    R = pin.Quaternion(*turn).toRotationMatrix()
    T[joint.idx_v : joint.idx_v + 3, rates.start : rates.start + 3] = R.T
    T[joint.idx_v + 3 : joint.idx_v + 6, rates.start + 3 : rates.start + 6] = R.T
    frees.append(joint.idx_v)
