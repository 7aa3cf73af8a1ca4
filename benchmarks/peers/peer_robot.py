"""Pinocchio's inverse dynamics, mass matrix and forward dynamics of the arm of seven joints, one state and batches.

A setting is the number of states of a batch; the answer has the shortest time of a state for each [s].
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


def main() -> None:
    """Print one line of JSON a setting."""
    parser = argparse.ArgumentParser()
    parser.add_argument("problem")
    parser.add_argument("--settings", default="10000")
    count = int(float(parser.parse_args().settings))
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
