"""MJCF files that other people wrote: read or refused, trees against MuJoCo, loops closed exactly beside MuJoCo's soft ones."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import multibody as mb
from files.robots.mujoco_oracle import Tree, mujoco
from multibody.errors import RobotNote

LARGEST = 200
"""Trees of more rates are read and not compared: deformable bodies of thousands of points."""

PUSH = 2.0  # [rad/s or m/s]

LOOPS = (
    ("genesis-world", "four_bar_linkage.xml", 1.0, PUSH), ("mujoco-warp", "jdotv/connect_2d.xml", 1.0, PUSH),
    ("mujoco-warp", "jdotv/connect_3d.xml", 1.0, PUSH), ("mujoco-warp", "jdotv/weld_3d.xml", 1.0, PUSH),
    ("gym-xarm", "assets/reach.xml", 0.1, 0.0), ("gym-hil", "assets/panda.xml", 0.1, 0.0),
)  # fmt: skip
"""Files with equalities: package, end of the path, length of the run [s], and the rate that it starts with."""


def mjcf_files(place: Path) -> list[Path]:
    """Return the files of a package that begin a model of MuJoCo; parts that others include are counted too."""
    return sorted(path for path in place.rglob("*.xml") if b"<mujoco" in path.read_bytes()[:100_000])


def worst_of(file: Path) -> float | None:
    """Return the largest relative difference of a tree from MuJoCo; loops are opened first.

    None: it is too large, or tendons, which are not carried over, add to its inertia.
    """
    tree = Tree.of(file)
    heavy = bool(np.any(tree.compiled.model.tendon_armature))
    return None if heavy or tree.robot.nv > LARGEST else max(tree.worst(2).values())


@dataclass(frozen=True)
class Loop:
    """How a mechanism with equalities closes, here and in MuJoCo, in a run from its own start with a push."""

    file: str
    bodies: int
    mobility: int
    redundant: int
    gap: float
    soft: float

    def row(self) -> list[str]:
        return [self.file, str(self.bodies), str(self.mobility), str(self.redundant), f"{self.gap:.0e}", f"{self.soft:.0e}"]


def loop_of(file: Path, until: float, push: float) -> Loop:
    """Return it for a file, with contacts left out in both programs."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RobotNote)
        model = mb.load(str(file), limits="none")
    report = model.check()
    start = model.assemble(_pushed(model, push))
    fine = {"rtol": 1e-11, "atol": 1e-13} if push else {}  # then instants between steps are as exact as steps
    run = model.run(until, initial=start, **fine)
    assert run.ok, run.status.message
    gaps = [_gap(run, joint) for joint in model.joints.values() if joint.kind.name == "spherical" or _closes(model, joint)]
    counts = (len(model.bodies), report.mobility, len(report.redundant))
    return Loop(file.name, *counts, max(gaps, default=0.0), soft_gap(file, until, start))


def _pushed(model: mb.Model, push: float) -> dict[str, float]:
    """Return a start that moves: a rate of the first hinge, of a free body a turn about a general axis."""
    if not push:
        return {}
    first = next(joint for joint in model.joints.values() if joint.kind.name in ("free", "revolute"))
    if first.kind.name == "revolute":
        return {f"{first.name}.rate": push}
    body = first.second.split(".")[0]
    return {f"{body}.omega.{c}": k * push for k, c in enumerate("xyz", start=1)}


def _closes(model: mb.Model, joint: Any) -> bool:
    """Return whether a fixed joint holds bodies that other joints carry already."""
    carried = [j for j in model.joints.values() if j.second.split(".")[0] == joint.second.split(".")[0]]
    return joint.kind.name == "fixed" and len(carried) > 1


def _gap(run: Any, joint: Any) -> float:
    """Return the largest distance of the two points of a joint over a run [m]."""
    ends = [np.array([run[f"{_point(end)}.{c}"].values for c in "xyz"]) for end in (joint.first, joint.second)]
    return float(np.max(np.linalg.norm(ends[0] - ends[1], axis=0)))


def _point(end: str) -> str:
    return end if "." in end else f"{end}.origin"


def soft_gap(file: Path, until: float, start: Any) -> float:
    """Return the largest distance that MuJoCo leaves at a connect or weld [m], from the same start."""
    model = mujoco.MjModel.from_xml_path(str(file))
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT) | int(mujoco.mjtDisableBit.mjDSBL_LIMIT)
    data, worst = mujoco.MjData(model), 0.0
    data.qpos[:] = model.key_qpos[0] if model.nkey else model.qpos0
    data.qvel[:] = _rates(model, start)
    points = [k for k in range(model.neq) if int(model.eq_type[k]) < 2 and model.eq_active0[k]]
    while data.time < until:
        mujoco.mj_step(model, data)
        for k in points:
            rows = np.flatnonzero((data.efc_type == 0) & (data.efc_id == k))
            worst = max(worst, float(np.linalg.norm(data.efc_pos[rows[:3]])))
    return worst


def _rates(model: Any, start: Any) -> np.ndarray:
    """Return MuJoCo's rates of a state whose free bodies are not turned; the names of the file are taken over as they are."""
    found = np.zeros(model.nv)
    for k in range(model.njnt):
        joint, dof = model.joint(k), int(model.jnt_dofadr[k])
        if int(model.jnt_type[k]) > 1:
            found[dof] = start[f"{joint.name}.rate"]
        elif int(model.jnt_type[k]) == 0:
            body = model.body(int(model.jnt_bodyid[k]))
            found[dof : dof + 3] = [start[f"{body.name}.origin.{c}.rate"] for c in "xyz"]
            found[dof + 3 : dof + 6] = [start[f"{body.name}.omega.{c}"] for c in "xyz"]
    return found
