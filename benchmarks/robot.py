"""Robotics on the arm of seven joints: times against Pinocchio, forces of single joints, and their operation counts.

Run: ``python benchmarks/robot.py [PART ...] [--peer-python PYTHON]``. Parts: calls, chains, reach, joints, operations; all of
them by default. Chains are random ones of 7 to 40 joints, as long as those of humanoids; reach is inverse kinematics.
Pinocchio is used where PYTHON can import it. A time is the shortest of many, on one thread; only ratios within one run mean
much.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
from common import load, peer, table

import multibody as mb

STATES = 10_000
ROUNDS = 3  # over ours and the peer's, so that a busy spell of the machine does not hit one of them alone
JOINTS = range(1, 8)
PAPER = {1: 2.105, 2: 2.081, 3: 1.993, 4: 1.807, 5: 1.578, 6: 1.244, 7: 1.134}  # Kim, You 1996, Table 3: ratios


def shortest(functions: dict[Any, Callable[[], object]], calls: int, rounds: int) -> dict[Any, float]:
    """Return the shortest time of a call of each [s]; they take turns."""
    found = dict.fromkeys(functions, float("inf"))
    for _ in range(rounds):
        for key, function in functions.items():
            start = time.perf_counter()
            for _ in range(calls):
                function()
            found[key] = min(found[key], (time.perf_counter() - start) / calls)
    return found


def our_times() -> dict[str, float]:
    """Return the time of a state for everything that is compared with Pinocchio [s]."""
    arm = mb.load("arm7").robot()
    rng = np.random.default_rng(0)
    q, v, a = rng.normal(size=(3, 7))
    tau, M = np.empty(7), np.empty((7, 7))
    single = {
        "inverse": lambda: arm.inverse_dynamics(q, v, a, out=tau),
        "mass": lambda: arm.mass_matrix(q, out=M),
        "forward": lambda: arm.forward_dynamics(q, v, a, out=tau),
        "inverse, new array": lambda: arm.inverse_dynamics(q, v, a),
    }
    Q, V, A = rng.normal(size=(3, STATES, 7))
    out = np.empty((STATES, 7))
    batch = {
        "inverse batch": lambda: arm.inverse_dynamics(Q, V, A, out=out),
        "forward batch": lambda: arm.forward_dynamics(Q, V, A, out=out),
        "forces of all joints, batch": lambda: arm.reactions(Q, V, A),
        "forward with forces of joint 4, batch": lambda: arm.forward_reactions(Q, V, A, "joint4"),
    }
    found = shortest(single, 200, 100)
    return found | {key: value / STATES for key, value in shortest(batch, 1, 15).items()}


def calls(python: str) -> None:
    """Print the times of calls from Python, and of batches."""
    ours: dict[str, float] = {}
    theirs: dict[str, float] = {}
    for _ in range(ROUNDS):
        for found, new in ((ours, our_times()), (theirs, (peer(python, "peer_robot", "arm7", [STATES]) or [{}])[0])):
            for key, value in new.items():
                found[key] = min(value, found.get(key, value))
    rows = []
    for key, value in ours.items():
        other = theirs.get(key)
        rows.append([key, f"{1e6 * value:.2f}", "" if other is None else f"{1e6 * other:.2f}",
                     "" if other is None else f"{other / value:.2f}"])  # fmt: skip
    table(f"Arm of seven joints, µs a state ({load()})", ["", "ours", "Pinocchio", "Pinocchio / ours"], rows)


# --- random chains -----------------------------------------------------------------------------------------------------------
CHAINS = (7, 12, 20, 30, 40)


def chain_of(count: int) -> mb.Robot:
    """Return a random chain of joints about z, y, x in turn."""
    from scipy.spatial.transform import Rotation

    m = mb.Model("chain", gravity=(0, 0, -9.81))
    rng = np.random.default_rng(count)
    places, bodies = [], []
    for _ in range(count):
        point, vector = rng.uniform(-0.3, 0.3, 3), rng.normal(size=3)
        mass, com = rng.uniform(1.0, 3.0), rng.uniform(-0.1, 0.1, 3)
        x, y, z, w = Rotation.from_rotvec(vector).as_quat()
        places.append({"at": tuple(point), "quaternion": (w, x, y, z)})
        bodies.append((mass, com))
    m.frames(next=places[0])
    before = "ground.next"
    for k, (mass, com) in enumerate(bodies):
        frames = {"next": places[k + 1]} if k + 1 < count else {}
        m.body(f"b{k}", mass=mass, inertia=(0.02 * mass, 0.03 * mass, 0.04 * mass), com=tuple(com), frames=frames)
        m.revolute(f"j{k}", before, f"b{k}", axis=((0, 0, 1), (0, 1, 0), (1, 0, 0))[k % 3])
        before = f"b{k}.next"
    return m.robot()


def chain_times(count: int) -> dict[str, Any]:
    """Return times of single calls that return new arrays, as Pinocchio's do, and the efforts."""
    robot = chain_of(count)
    q, v, a = np.random.default_rng(1).normal(size=(3, count))
    tip = f"b{count - 1}"
    ways = {
        "inverse": lambda: robot.inverse_dynamics(q, v, a),
        "mass": lambda: robot.mass_matrix(q),
        "forward": lambda: robot.forward_dynamics(q, v, a),
        "frame Jacobian": lambda: robot.frame_jacobian(tip, q),
        "momentum matrix": lambda: robot.momentum_matrix(q),
    }
    for way in ways.values():
        way()
    return {**shortest(ways, 300, 60), "efforts": robot.inverse_dynamics(q, v, a).tolist()}


def chains(python: str) -> None:
    """Print times of single calls from Python on random chains."""
    rows = []
    for count in CHAINS:
        ours, theirs = chain_times(count), (peer(python, "peer_robot", "chain", [count]) or [{}])[0]
        again = chain_times(count)
        if theirs:
            off = np.max(np.abs(np.subtract(ours["efforts"], theirs["efforts"]))) / np.max(np.abs(theirs["efforts"]))
            assert off < 1e-10, off
        for key in ours:
            if key != "efforts":
                mine, other = 1e6 * min(ours[key], again[key]), theirs.get(key)
                rows.append([str(count), key, f"{mine:.2f}", "" if other is None else f"{1e6 * other:.2f}",
                             "" if other is None else f"{1e6 * other / mine:.2f}"])  # fmt: skip
    table(f"Random chains, µs a call ({load()})", ["joints", "", "ours", "Pinocchio", "Pinocchio / ours"], rows)


# --- inverse kinematics -------------------------------------------------------------------------------------------------------
def reach() -> None:
    """Print times of inverse kinematics from Python: an arm with a spherical wrist, and one of seven joints."""
    m = mb.Model("six")
    axes = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}
    points = [(0, 0, 0), (0.1, 0, 0.4), (0.1, 0, 0.8), (0.3, 0, 0.9), (0.5, 0, 0.9), (0.5, 0, 0.9)]
    before = "ground"
    for k, (point, axis) in enumerate(zip(points, "zyyxyx", strict=True), start=1):
        m.body(f"l{k}", mass=1, inertia=(1, 1, 1), frames={"tip": (0.6, 0, 0.9)} if k == 6 else {})
        m.revolute(f"j{k}", before, f"l{k}", at=point, axis=axes[axis])
        before = f"l{k}"
    rows = []
    for name, robot, frame in (("six, spherical wrist", m.robot(), "l6.tip"), ("seven", mb.load("arm7").robot(), "link7.tip")):
        times, found = [], 0
        for seed in range(20):
            pose = np.eye(4)
            pose[:3, 3], pose[:3, :3] = robot.frame_pose(frame, robot.random(seed))
            start = robot.random(seed + 100)
            found += len(robot.inverse_kinematics(frame, pose, start=start))
            times.append(shortest({0: lambda: robot.inverse_kinematics(frame, pose, start=start)}, 20, 20)[0])  # noqa: B023
        rows.append([name, f"{found / 20:.1f}", f"{1e6 * np.median(times):.1f}", f"{1e6 * max(times):.1f}"])
    table(f"Inverse kinematics, µs a call ({load()})", ["joints", "solutions", "median of 20 poses", "slowest"], rows)


# --- Table 3 in kind -------------------------------------------------------------------------------------------------------
def kernels() -> tuple[Any, Any]:
    """Return timing loops over accelerations: one joint by (30), (31); Newton–Euler inward to a joint, all told on the way."""
    import numba

    from multibody.kernels.declared import model_at, scratch_at
    from multibody.kernels.robot.reactions import change_of, one_wrench, own_offset, tell
    from multibody.kernels.tags import SPATIAL
    from multibody.kernels.tree.algebra import add_to, load, plus, store
    from multibody.kernels.tree.composite import carried_in
    from multibody.kernels.tree.sweep import inertial_force
    from multibody.kernels.tree.wrenches import spread

    @numba.njit(error_model="numpy", fastmath={"contract"})
    def selected(model: int, scratch: int, i: int, A: Any, out: Any) -> None:
        tree, work = model_at(model).tree, scratch_at(scratch).tree
        for k in range(A.shape[0]):
            f = one_wrench(SPATIAL, tree, work, i, change_of(SPATIAL, tree, work, i, A[k]), A[k])
            tell(SPATIAL, tree, work, i, own_offset(SPATIAL, tree, work, i), 0, 1, f, out[k, i])

    @numba.njit(error_model="numpy", fastmath={"contract"})
    def recursive(model: int, scratch: int, first: int, A: Any, out: Any) -> None:
        tree, work = model_at(model).tree, scratch_at(scratch).tree
        links = work.spatial_links
        for k in range(A.shape[0]):
            spread(SPATIAL, tree, work, A[k])
            for i in range(first, tree.links.size):
                s = plus(SPATIAL, 1.0, load(SPATIAL, links[i].bias), load(SPATIAL, links[i].change))
                store(SPATIAL, links[i].force, inertial_force(SPATIAL, tree, work, i, load(SPATIAL, links[i].motion), s))
            for i in range(tree.links.size - 1, first - 1, -1):
                f = load(SPATIAL, links[i].force)
                tell(SPATIAL, tree, work, i, own_offset(SPATIAL, tree, work, i), 0, 1, f, out[k, i])
                if i > first:
                    add_to(SPATIAL, links[tree.links[i].carrier].force, carried_in(SPATIAL, tree, work, i, f))

    return selected, recursive


def joints() -> None:
    """Print the time of one joint's forces against those of all, once the equations are formed and solved."""
    arm, rng = mb.load("arm7").robot(), np.random.default_rng(0)
    selected, recursive = kernels()
    A, out = rng.normal(size=(1000, 7)), np.zeros((1000, 7, 6))
    q, v = rng.normal(size=(2, 7))

    def one(function: Any, i: int) -> Callable[[], None]:
        equations = arm.equations(q, v)
        return lambda: function(*equations._arrays.still, i, A, out)

    ways = (("alone", selected), ("inward", recursive))
    times = shortest({(key, j): one(function, j - 1) for j in JOINTS for key, function in ways}, 1, 300)
    rows = []
    for j in JOINTS:
        alone, inward, everything = (1e9 / len(A) * times[key] for key in (("alone", j), ("inward", j), ("inward", 1)))
        rows.append([str(j), f"{alone:.0f}", f"{inward:.0f}", f"{inward / alone:.2f}", f"{PAPER[j]:.2f}",
                     f"{everything / alone:.2f}"])  # fmt: skip
    head = ["joint", "(30), (31) [ns]", "Newton–Euler to it [ns]", "ratio", "paper", "Newton–Euler for all / (30)"]
    table(f"Table 3 of Kim, You 1996 in kind ({load()})", head, rows)


# --- Table 1 -----------------------------------------------------------------------------------------------------------------
class Counted:
    """A number that counts the operations done with it; a factor ±1 is none, since the compiler drops it."""

    done = dict.fromkeys("+*/", 0)

    def __init__(self, value: float) -> None:
        self.value = float(value)

    def __float__(self) -> float:
        return self.value

    def _with(self, operation: str, value: float) -> Counted:
        Counted.done[operation] += 1
        return Counted(value)

    def __add__(self, other: Any) -> Counted:
        return self._with("+", self.value + float(other))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Counted:
        return self._with("+", self.value - float(other))

    def __rsub__(self, other: Any) -> Counted:
        return self._with("+", float(other) - self.value)

    def __mul__(self, other: Any) -> Counted:
        if not isinstance(other, Counted) and abs(other) == 1.0:
            return Counted(self.value * other)
        return self._with("*", self.value * float(other))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Counted:
        return self._with("/", self.value / float(other))

    def __neg__(self) -> Counted:
        return Counted(-self.value)


def counting(records: Any) -> list[Any]:
    """Return records whose vectors have counted numbers."""
    def fields(record: Any) -> dict[str, Any]:
        found = {name: getattr(record, name) for name in record.dtype.names}
        return {
            name: np.array([Counted(x) for x in value], dtype=object) if np.ndim(value) else Counted(value)
            for name, value in found.items()
        }

    return [SimpleNamespace(**fields(record)) for record in records]


def counted(i: int, what: str) -> dict[str, int]:
    """Return the operations of joint i (0: the first) by the kernels themselves, run as Python on counted numbers.

    Parameters
    ----------
    i : int
    what : {"selected", "at hand", "recursive"}
        Eqs. (30), (31); Newton–Euler inward to it, inertia and force of each body known; the same from the bodies' motion.
    """
    from multibody.kernels.robot.reactions import change_of, one_wrench, own_offset, tell
    from multibody.kernels.tags import SPATIAL
    from multibody.kernels.tree.algebra import load, plus, rigid_times
    from multibody.kernels.tree.sweep import inertial_force, rigid

    arm, rng = mb.load("arm7").robot(), np.random.default_rng(0)
    q, v, a = rng.normal(size=(3, 7))
    made = arm.equations(q, v)._tree
    links, columns = counting(made.scratch.spatial_links), counting(made.scratch.spatial_columns)
    work: Any = SimpleNamespace(spatial_links=links, spatial_columns=columns)
    tree: Any = SimpleNamespace(
        links=made.model.links, columns=made.model.columns, spatial_constants=counting(made.model.spatial_constants)
    )
    a = np.array([Counted(x) for x in a], dtype=object)
    x = change_of(SPATIAL, tree, work, i, a)
    before = [(load(SPATIAL, now.motion), load(SPATIAL, now.bias)) for now in links]
    whole = [plus(SPATIAL, 1.0, change_of(SPATIAL, tree, work, l, a), s) for l, (_, s) in enumerate(before)]
    bodies = [rigid(SPATIAL, tree, work, l) for l in range(7)]
    Counted.done = dict.fromkeys("+*/", 0)
    f = one_wrench(SPATIAL, tree, work, i, x, a) if what == "selected" else None
    for l in range(int(tree.links[i].end) - 1, i - 1, -1) if f is None else ():
        if what == "at hand":
            own = plus(SPATIAL, 1.0, before[l][0], rigid_times(SPATIAL, bodies[l], whole[l]))
        else:
            own = inertial_force(SPATIAL, tree, work, l, before[l][0], whole[l])
        f = own if f is None else plus(SPATIAL, 1.0, own, f)
    tell(SPATIAL, tree, work, i, own_offset(SPATIAL, tree, work, i), 0, 1, f, np.empty(6, dtype=object))
    return dict(Counted.done)


def operations() -> None:
    """Print the operations of one joint's forces, counted in the kernels, beside the paper's formulas."""
    command = [sys.executable, __file__, "--count"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, "NUMBA_DISABLE_JIT": "1"})
    answer = json.loads(done.stdout.splitlines()[-1])
    rows = []
    for j in JOINTS:
        ours = [f"{found['*'] + found['/']}, {found['+']}" for found in answer[str(j)]]
        k = 7 - j
        rows.append([str(j), ours[0], f"{6 * k + 36}, {6 * k + 36}", ours[1], f"{36 * k + 36}, {42 * k + 36}", ours[2]])
    head = ["joint", "(30), (31): ×, +", "paper", "Newton–Euler, M and Q at hand", "paper", "Newton–Euler from the motion"]
    table("Table 1 of Kim, You 1996, counted in the kernels, n = 7", head, rows)


def main() -> None:
    """Run the chosen parts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", default=["calls", "chains", "reach", "joints", "operations"])
    parser.add_argument("--peer-python", default=sys.executable)
    parser.add_argument("--count", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.count:
        print(json.dumps({j: [counted(j - 1, what) for what in ("selected", "at hand", "recursive")] for j in JOINTS}))
        return
    for part in options.parts:
        {
            "calls": lambda: calls(options.peer_python), "chains": lambda: chains(options.peer_python), "reach": reach,
            "joints": joints, "operations": operations,
        }[part]()  # fmt: skip


if __name__ == "__main__":
    main()
