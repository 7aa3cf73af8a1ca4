"""Pinocchio on the arm of seven joints, one state and batches, and on random chains, one state.

A setting of the problem ``arm7`` is the number of states of a batch, one of ``chain`` the number of joints; the answer has the
shortest time of a state for each [s], and of chains the efforts, to be compared.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable

import numpy as np
import pinocchio as pin

MASSES = (12.0, 9.0, 6.0, 4.0, 2.5, 1.2, 0.8)


def arm() -> pin.Model:
    """Return the library's arm7."""
    model, joint = pin.Model(), 0
    model.gravity.linear = np.array([0.0, 0.0, -9.81])
    for j, mass in enumerate(MASSES):
        place = pin.SE3(np.eye(3), np.array([0.0, 0.0, 0.3 if j else 0.0]))
        joint = model.addJoint(joint, pin.JointModelRY() if j % 2 else pin.JointModelRZ(), place, f"joint{j + 1}")
        inertia = pin.Inertia(mass, np.array([0.0, 0.0, 0.15]), mass * np.diag([0.05, 0.05, 0.02]))
        model.appendBodyToJoint(joint, inertia, pin.SE3.Identity())
    return model


def shortest(function: Callable[[], object], calls: int, rounds: int = 60) -> float:
    """Return the shortest time of a call [s]."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        for _ in range(calls):
            function()
        times.append((time.perf_counter() - start) / calls)
    return min(times)


def chain(count: int) -> pin.Model:
    """Return the random chain of ``chain_of`` in benchmarks/robot.py."""
    model, joint = pin.Model(), 0
    model.gravity.linear = np.array([0.0, 0.0, -9.81])
    rng = np.random.default_rng(count)
    for k in range(count):
        point, vector = rng.uniform(-0.3, 0.3, 3), rng.normal(size=3)
        mass, com = rng.uniform(1.0, 3.0), rng.uniform(-0.1, 0.1, 3)
        place = pin.SE3(pin.exp3(vector), point)
        kind = (pin.JointModelRZ, pin.JointModelRY, pin.JointModelRX)[k % 3]
        joint = model.addJoint(joint, kind(), place, f"j{k}")
        model.appendBodyToJoint(joint, pin.Inertia(mass, com, mass * np.diag([0.02, 0.03, 0.04])), pin.SE3.Identity())
    model.addFrame(pin.Frame("tip", joint, pin.SE3.Identity(), pin.FrameType.OP_FRAME))
    return model


def of_chain(count: int) -> dict[str, object]:
    """Return times of single calls on a chain, and the efforts."""
    model = chain(count)
    data, frame = model.createData(), model.getFrameId("tip")
    q, v, a = np.random.default_rng(1).normal(size=(3, count))
    axes = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
    return {
        "inverse": shortest(lambda: pin.rnea(model, data, q, v, a), 300),
        "mass": shortest(lambda: pin.crba(model, data, q), 300),
        "forward": shortest(lambda: pin.aba(model, data, q, v, a), 300),
        "frame Jacobian": shortest(lambda: pin.computeFrameJacobian(model, data, q, frame, axes), 300),
        "momentum matrix": shortest(lambda: pin.computeCentroidalMap(model, data, q), 300),
        "efforts": pin.rnea(model, data, q, v, a).tolist(),
    }


def main() -> None:
    """Print one line of JSON a setting."""
    parser = argparse.ArgumentParser()
    parser.add_argument("problem")
    parser.add_argument("--settings", default="10000")
    options = parser.parse_args()
    if options.problem == "chain":
        for setting in options.settings.split(","):
            print(json.dumps(of_chain(int(float(setting)))))
        return
    count = int(float(options.settings))
    model = arm()
    data, pool = model.createData(), pin.ModelPool(model, 1)
    rng = np.random.default_rng(0)
    q, v, a = rng.normal(size=(3, 7))
    answer = {
        "inverse": shortest(lambda: pin.rnea(model, data, q, v, a), 500),
        "mass": shortest(lambda: pin.crba(model, data, q), 500),
        "forward": shortest(lambda: pin.aba(model, data, q, v, a), 500),
    }
    Q, V, A = (np.asfortranarray(x) for x in rng.normal(size=(3, 7, count)))
    out = np.zeros((7, count), order="F")
    answer["inverse batch"] = shortest(lambda: pin.rneaInParallel(1, pool, Q, V, A, out), 1, 20) / count
    answer["forward batch"] = shortest(lambda: pin.abaInParallel(1, pool, Q, V, A, out), 1, 20) / count
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
