"""Robotics on the arm of seven joints: times against Pinocchio, forces of single joints, and their operation counts.

Run: ``python benchmarks/robot.py [PART ...] [--peer-python PYTHON]``. Parts: calls, joints, operations; all of them by default.
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


# --- Table 3 in kind -------------------------------------------------------------------------------------------------------
def kernels() -> tuple[Any, Any]:
    """Return timing loops over accelerations: one joint by (30), (31); Newton–Euler inward to a joint, all told on the way."""
    import numba

    from multibody.kernels.robot.reactions import change_of, offset_of, one_wrench, tell
    from multibody.kernels.tree import layout as T
    from multibody.kernels.tree.algebra import carried, load, plus, store
    from multibody.kernels.tree.frames import link_of, offset, state_of
    from multibody.kernels.tree.motion import inertial_force
    from multibody.kernels.tree.wrenches import spread

    @numba.njit(error_model="numpy", fastmath={"contract"})
    def selected(I: Any, W: Any, i: int, A: Any, out: Any) -> None:
        h = I[T.TREE]
        for k in range(A.shape[0]):
            f = one_wrench(True, I, W, h, i, change_of(True, I, W, h, i, A[k]), A[k])
            tell(True, I, W, h, i, offset_of(True, I, W, h, i), 0, 1, f, out[k, i])

    @numba.njit(error_model="numpy", fastmath={"contract"})
    def recursive(I: Any, W: Any, first: int, A: Any, out: Any) -> None:
        h = I[T.TREE]
        n = I[h + T.LINK_COUNT]
        for k in range(A.shape[0]):
            for c in range(A.shape[1]):
                W[I[h + T.W_TAU] + c] = A[k, c]
            spread(True, I, W, h, I[h + T.W_TAU])
            for i in range(first, n):
                at = state_of(True, I, W, h, i)
                s = plus(True, 1.0, load(True, W, at + 24), load(True, W, at + 30))
                store(True, W, at + 36, inertial_force(True, I, W, h, i, load(True, W, at + 18), s))
            for i in range(n - 1, first - 1, -1):
                f, link = load(True, W, state_of(True, I, W, h, i) + 36), link_of(I, h, i)
                tell(True, I, W, h, i, offset_of(True, I, W, h, i), 0, 1, f, out[k, i])
                if i > first:
                    if I[link + T.OWN_POINT] == 1:
                        f = carried(True, offset(True, I, W, h, i), f)
                    p = state_of(True, I, W, h, I[link + T.CARRIER]) + 36
                    store(True, W, p, plus(True, 1.0, f, load(True, W, p)))

    return selected, recursive


def joints() -> None:
    """Print the time of one joint's forces against those of all, once the equations are formed and solved."""
    arm, rng = mb.load("arm7").robot(), np.random.default_rng(0)
    selected, recursive = kernels()
    A, out = rng.normal(size=(1000, 7)), np.zeros((1000, 7, 6))
    q, v = rng.normal(size=(2, 7))

    def one(function: Any, i: int) -> Callable[[], None]:
        equations = arm.equations(q, v)
        return lambda: function(equations._I, equations._W, i, A, out)

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


def counted(i: int, what: str) -> dict[str, int]:
    """Return the operations of joint i (0: the first) by the kernels themselves, run as Python on counted numbers.

    Parameters
    ----------
    i : int
    what : {"selected", "at hand", "recursive"}
        Eqs. (30), (31); Newton–Euler inward to it, inertia and force of each body known; the same from the bodies' motion.
    """
    from multibody.kernels.robot.reactions import change_of, offset_of, one_wrench, tell
    from multibody.kernels.tree import layout as T
    from multibody.kernels.tree.algebra import load, plus, rigid_times
    from multibody.kernels.tree.frames import link_of, state_of
    from multibody.kernels.tree.motion import inertial_force, rigid

    arm, rng = mb.load("arm7").robot(), np.random.default_rng(0)
    q, v, a = rng.normal(size=(3, 7))
    equations = arm.equations(q, v)
    I, h = equations._I, int(equations._I[T.TREE])
    W = np.array([Counted(x) for x in equations._W], dtype=object)
    a = np.array([Counted(x) for x in a], dtype=object)
    model, scratch = SimpleNamespace(I=I), SimpleNamespace(W=W)
    x = change_of(True, model, scratch, h, i, a)
    places = [state_of(True, model, scratch, h, l) for l in range(7)]
    before = [(load(True, W, at + 18), load(True, W, at + 24)) for at in places]
    whole = [plus(True, 1.0, change_of(True, model, scratch, h, l, a), s) for l, (_, s) in enumerate(before)]
    bodies = [rigid(True, model, scratch, h, l) for l in range(7)]
    Counted.done = dict.fromkeys("+*/", 0)
    if what == "selected":
        f = one_wrench(True, model, scratch, h, i, x, a)
    elif what == "at hand":
        f = None
        for l in range(int(I[link_of(model, h, i) + T.END]) - 1, i - 1, -1):
            own = plus(True, 1.0, before[l][0], rigid_times(True, bodies[l], whole[l]))
            f = own if f is None else plus(True, 1.0, own, f)
    else:
        f = None
        for l in range(int(I[link_of(model, h, i) + T.END]) - 1, i - 1, -1):
            own = inertial_force(True, model, scratch, h, l, before[l][0], whole[l])
            f = own if f is None else plus(True, 1.0, own, f)
    tell(True, model, scratch, h, i, offset_of(True, model, scratch, h, i), 0, 1, f, np.empty(6, dtype=object))
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
    parser.add_argument("parts", nargs="*", default=["calls", "joints", "operations"])
    parser.add_argument("--peer-python", default=sys.executable)
    parser.add_argument("--count", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.count:
        print(json.dumps({j: [counted(j - 1, what) for what in ("selected", "at hand", "recursive")] for j in JOINTS}))
        return
    for part in options.parts:
        {"calls": lambda: calls(options.peer_python), "joints": joints, "operations": operations}[part]()


if __name__ == "__main__":
    main()
