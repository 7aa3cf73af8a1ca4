"""Random trees of mixed joints: the same tree as a model of ours, of Pinocchio and of MuJoCo."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

import multibody as mb

Floats = NDArray[np.float64]
KINDS = ("revolute", "translational", "cylindrical", "universal", "spherical", "planar", "screw", "fixed")
X, Y, Z = np.eye(3)


@dataclass(frozen=True)
class Pose:
    """A point and axes."""

    point: Floats
    axes: Floats

    def __matmul__(self, other: Pose) -> Pose:
        return Pose(self.point + self.axes @ other.point, self.axes @ other.axes)

    @property
    def inverse(self) -> Pose:
        return Pose(-self.axes.T @ self.point, self.axes.T)

    @property
    def quaternion(self) -> list[float]:
        x, y, z, w = Rotation.from_matrix(self.axes).as_quat()
        return [w, x, y, z]

    def plain(self) -> dict[str, Any]:
        return {"at": self.point, "quaternion": self.quaternion}


@dataclass(frozen=True)
class Node:
    """A body with the joint that carries it; `on_parent` and `own` are the joint's frames in the bodies' axes."""

    parent: int
    kind: str
    backward: bool  # the joint's first end is the body, its second one the carrier
    axis: Floats
    lead: float
    on_parent: Pose
    own: Pose
    mass: float
    com: Floats
    inertia: Floats

    def motions(self) -> list[tuple[str, Floats]]:
        """Return the elementary motions from the carrier to the body: turn, slide, screw, ball."""
        n = self.axis
        found = {
            "revolute": [("turn", n)], "translational": [("slide", n)], "cylindrical": [("slide", n), ("turn", n)],
            "universal": [("turn", Z), ("turn", X)], "spherical": [("ball", Z)], "screw": [("screw", n)], "fixed": [],
            "planar": [("slide", X), ("slide", Y), ("turn", Z)],
            "free": [("slide", X), ("slide", Y), ("slide", Z), ("ball", Z)],
        }[self.kind]  # fmt: skip
        if not self.backward:
            return found
        return [(kind, axis if kind == "ball" else -axis) for kind, axis in reversed(found)]


@dataclass(frozen=True)
class RandomTree:
    """A tree, its bodies depth first, and what its neighbors call its coordinates."""

    nodes: tuple[Node, ...]
    gravity: Floats
    base: Floats = field(default_factory=lambda: np.zeros(3))  # where everything stands

    def model(self, springs: bool = False) -> mb.Model:
        """Return the tree as our model; body k is b<k>, its joint j<k>, the tip of every body "tip"."""
        m = mb.Model("tree", gravity=self.gravity)
        for k, node in enumerate(self.nodes):
            frames = {f"to{c}": n.on_parent.plain() for c, n in enumerate(self.nodes) if n.parent == k}
            m.body(f"b{k}", mass=node.mass, inertia=node.inertia, com=node.com,
                   frames={"own": node.own.plain(), "tip": self.tip.plain(), **frames})  # fmt: skip
        m.frames(**{f"to{c}": self.foot(n).plain() for c, n in enumerate(self.nodes) if n.parent < 0})
        for k, node in enumerate(self.nodes):
            ends = [f"b{node.parent}.to{k}" if node.parent >= 0 else f"ground.to{k}", f"b{k}.own"]
            fields: dict[str, Any] = {"lead": node.lead} if node.kind == "screw" else {}
            if node.kind == "universal":
                fields["axes"] = [(0, 0, 1), (1, 0, 0)]
            elif node.kind not in ("spherical", "free", "fixed"):
                fields["axis"] = node.axis
            m.joint(node.kind, f"j{k}", *(ends[::-1] if node.backward else ends), **fields)
        if springs:
            last = len(self.nodes) - 1
            m.frames(anchor=self.base + [1.0, 2.0, 3.0])
            m.spring("k0", "ground.anchor", f"b{last}.tip", stiffness=20.0, length=0.5, damping=2.0)
            m.spring("k1", f"b{last}.com", "b0.tip", stiffness=10.0, length=0.3)
            m.force("wind", f"b{last}.tip", value=(1.0, "2*sin(t)", 0.5), moment=(0.1, -0.2, 0.3))
        return m

    @property
    def tip(self) -> Pose:
        return Pose(np.array([0.2, -0.3, 0.4]), Rotation.from_rotvec([0.3, 0.2, -0.5]).as_matrix())

    def foot(self, node: Node) -> Pose:
        """Return the ground's frame of a first joint."""
        return Pose(node.on_parent.point + self.base, node.on_parent.axes)

    def placement(self, node: Node) -> Pose:
        """Return the joint's frame on the carrier, from the carrier's own joint frame (ground: as it is)."""
        return self.nodes[node.parent].own.inverse @ node.on_parent if node.parent >= 0 else self.foot(node)

    # --- Pinocchio ----------------------------------------------------------------------------------------------------
    @cached_property
    def pinocchio(self) -> tuple[Any, Any, list[int], list[Any]]:
        """Model and data of Pinocchio; joint of every body, and the body's joint frame from it."""
        import pinocchio as pin

        model = pin.Model()
        model.gravity.linear = np.asarray(self.gravity, dtype=float)
        ids: list[int] = []
        frames: list[Pose] = []
        for k, node in enumerate(self.nodes):
            parent, at = (ids[node.parent], frames[node.parent] @ self.placement(node)) if node.parent >= 0 else (
                0, self.placement(node)
            )  # fmt: skip
            if node.motions():
                joint = pin.JointModelComposite()
                for kind, axis in node.motions():
                    joint.addJoint(_pinocchio_joint(pin, kind, axis, node.lead))
                parent, at = model.addJoint(parent, joint, pin.SE3(at.axes, at.point), f"j{k}"), Pose(np.zeros(3), np.eye(3))
            body = at @ node.own.inverse
            inertia = pin.Inertia(node.mass, node.com, node.inertia)
            model.appendBodyToJoint(parent, inertia, pin.SE3(body.axes, body.point))
            ids.append(parent)
            frames.append(at)
            tip = body @ self.tip
            model.addFrame(pin.Frame(f"tip{k}", parent, pin.SE3(tip.axes, tip.point), pin.FrameType.OP_FRAME))
        return model, model.createData(), ids, frames

    # --- MuJoCo -------------------------------------------------------------------------------------------------------
    def mujoco(self) -> Any:
        """Return the model of MuJoCo; it has no screws."""
        import mujoco

        spec = mujoco.MjSpec()
        spec.option.gravity = self.gravity
        spec.compiler.balanceinertia = False
        bodies: list[Any] = []
        for k, node in enumerate(self.nodes):
            at = self.placement(node)
            parent = bodies[node.parent] if node.parent >= 0 else spec.worldbody
            body = parent.add_body(name=f"b{k}", pos=at.point, quat=at.quaternion)
            own = node.own.inverse
            moments, axes = np.linalg.eigh(node.inertia)
            axes[:, 0] *= np.linalg.det(axes)
            body.explicitinertial, body.mass = 1, node.mass
            body.ipos, body.inertia = own.point + own.axes @ node.com, moments
            body.iquat = Pose(np.zeros(3), own.axes @ axes).quaternion
            for c, (kind, axis) in enumerate(node.motions()):
                kinds = {"turn": mujoco.mjtJoint.mjJNT_HINGE, "slide": mujoco.mjtJoint.mjJNT_SLIDE,
                         "ball": mujoco.mjtJoint.mjJNT_BALL}  # fmt: skip
                body.add_joint(type=kinds[kind], axis=axis, name=f"j{k}_{c}")
            bodies.append(body)
        model = spec.compile()
        model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
        return model

    # --- coordinates --------------------------------------------------------------------------------------------------
    def columns(self) -> list[tuple[str, int, int]]:
        """Return (kind, place of the coordinate, place of the rate) of all elementary motions."""
        found, q, v = [], 0, 0
        for node in self.nodes:
            for kind, _ in node.motions():
                found.append((kind, q, v))
                q, v = q + (4 if kind == "ball" else 1), v + (3 if kind == "ball" else 1)
        return found

    def theirs(self, q: Floats, scalar_first: bool) -> tuple[Floats, Floats]:
        """Return q as others have it, and T with v_theirs = T v: they take ω of balls along the axes of the body."""
        other, T = q.copy(), np.eye(sum(3 if kind == "ball" else 1 for kind, *_ in self.columns()))
        for kind, at, rate in self.columns():
            if kind == "ball":
                w, x, y, z = q[at : at + 4]
                other[at : at + 4] = [w, x, y, z] if scalar_first else [x, y, z, w]
                T[rate : rate + 3, rate : rate + 3] = Rotation.from_quat([x, y, z, w]).as_matrix().T
        return other, T


def _pinocchio_joint(pin: Any, kind: str, axis: Floats, lead: float) -> Any:
    """Return an elementary joint of Pinocchio."""
    if kind == "ball":
        return pin.JointModelSpherical()
    if kind == "screw":
        return pin.JointModelHelicalUnaligned(axis, lead / (2.0 * np.pi))
    return (pin.JointModelRevoluteUnaligned if kind == "turn" else pin.JointModelPrismaticUnaligned)(axis)


def random_tree(
    seed: int, count: int = 8, kinds: tuple[str, ...] = KINDS, floating: bool = True, base: Any = (0.0, 0.0, 0.0)
) -> RandomTree:
    """Return a random tree; body 0 floats by a free joint where `floating`."""
    rng = np.random.default_rng(seed)

    def pose() -> Pose:
        return Pose(rng.uniform(-0.5, 0.5, 3), Rotation.random(random_state=int(rng.integers(1 << 30))).as_matrix())

    nodes: list[Node] = []
    for k in range(count):
        kind = "free" if floating and k == 0 else kinds[int(rng.integers(len(kinds)))]
        parent = k - 1  # depth first: a body hangs on the one before it, or on one that carries that one
        while parent >= 0 and rng.uniform() < 0.3:
            parent = nodes[parent].parent
        axis = rng.normal(size=3) if kind != "planar" else Z
        turn = Rotation.random(random_state=int(rng.integers(1 << 30))).as_matrix()
        inertia = turn @ np.diag(rng.uniform(0.3, 0.5, 3)) @ turn.T
        nodes.append(
            Node(parent, kind, bool(rng.integers(2)) and kind != "free", axis / np.linalg.norm(axis), rng.uniform(0.2, 1.0),
                 pose(), pose(), rng.uniform(0.5, 2.0), rng.uniform(-0.3, 0.3, 3), 0.5 * (inertia + inertia.T))
        )  # fmt: skip
    return RandomTree(tuple(nodes), rng.normal(size=3) * 5.0, np.asarray(base, dtype=float))
