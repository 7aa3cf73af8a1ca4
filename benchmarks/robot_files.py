"""Inverse and forward dynamics of robots that other people wrote, one call from Python, against Pinocchio on the same file.

Run: ``python benchmarks/robot_files.py [FOLDER]``, FOLDER with the unpacked wheel ``example-robot-data`` (default: that of the
corpus). Ours are timed with the stops, friction and damping of the file, and without them, as Pinocchio has none. Both run
in this process, by turns; times are the shortest of many calls.
"""

from __future__ import annotations

import pathlib
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import multibody as mb

ROBOTS = ("talos_reduced.urdf", "icub.urdf", "icub_reduced.urdf", "g1_29dof_rev_1_0.urdf")


def shortest(functions: dict[str, Callable[[], Any]], rounds: int = 3000) -> dict[str, float]:
    """Return the shortest time [µs] of each function, called by turns."""
    found = dict.fromkeys(functions, np.inf)
    for _ in range(rounds):
        for name, function in functions.items():
            begin = time.perf_counter_ns()
            function()
            found[name] = min(found[name], 1e-3 * (time.perf_counter_ns() - begin))
    return found


def measured(file: pathlib.Path) -> dict[str, float]:
    """Return the times of one robot, after its answers were compared with Pinocchio's."""
    import pinocchio as pin

    model, peer = mb.load(str(file)), pin.buildModelFromUrdf(str(file))
    data, rng = peer.createData(), np.random.default_rng(0)
    robot, bare = model.robot(), model.robot(forces=False)
    q, v, a = robot.random(rng), rng.normal(size=robot.nv), rng.normal(size=robot.nv)
    order = [peer.joints[peer.getJointId(joint)].idx_v for joint in robot.joints if peer.existJointName(joint)]
    theirs = [np.empty(peer.nv) for _ in range(3)]
    for given, own in zip(theirs, (q, v, a), strict=True):
        given[order] = own
    known = pin.rnea(peer, data, *theirs)[order]
    assert np.max(np.abs(bare.inverse_dynamics(q, v, a) - known)) < 1e-10 * np.max(np.abs(known))
    robot.inverse_dynamics(q, v, a), robot.forward_dynamics(q, v, a), bare.forward_dynamics(q, v, a)
    return shortest({
        "inverse": lambda: robot.inverse_dynamics(q, v, a), "inverse, no forces": lambda: bare.inverse_dynamics(q, v, a),
        "inverse, Pinocchio": lambda: pin.rnea(peer, data, *theirs),
        "forward": lambda: robot.forward_dynamics(q, v, a), "forward, no forces": lambda: bare.forward_dynamics(q, v, a),
        "forward, Pinocchio": lambda: pin.aba(peer, data, *theirs),
    })  # fmt: skip


def main() -> None:
    """Print a table."""
    warnings.simplefilter("ignore")
    usual = pathlib.Path.home() / ".cache" / "multibody-corpus" / "example_robot_data"
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else usual
    files = {path.name: path for path in folder.rglob("*.urdf") if path.name in ROBOTS}
    if not files:
        sys.exit(f"{folder} has none of {', '.join(ROBOTS)}: unpack the wheel example-robot-data there")
    for name in ROBOTS:
        if name in files:
            print(name, *(f"{key} {value:.2f} µs" for key, value in measured(files[name]).items()), sep="; ")


if __name__ == "__main__":
    main()
