"""Times of inverse dynamics from Python: processor time of whole calls on one thread, the shortest of several.

Run: ``python benchmarks/inverse.py``; to compare with other sources of the package, once with each in ``PYTHONPATH``, in turns.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable

os.environ.setdefault("OMP_NUM_THREADS", "1")
import numpy as np

import multibody as mb

MEMBERS = 200


def least(function: Callable[[], object], repeats: int) -> float:
    """Return the shortest processor time of several calls after a first one [s]."""
    function()
    times = []
    for _ in range(repeats):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return min(times)


def engine() -> None:
    """Find the torque of the four-cylinder engine over two turns."""
    model = mb.load("four-cylinder-engine")
    took = least(lambda: model.inverse(until=0.04, steps=719), 10)
    print(f"four-cylinder engine, 90 coordinates, 720 instants: {1e3 * took:.1f} ms")


def one_call() -> None:
    """Take a mechanism of three bodies over one turn."""
    model = mb.load("slider-crank")
    for verb in ("kinematics", "inverse"):
        took = least(lambda verb=verb: getattr(model, verb)(until="2*pi/omega", steps=179), 60)  # type: ignore[misc]
        print(f"slider-crank, {verb}, 180 instants: {1e3 * took:.2f} ms")


def study() -> None:
    """Find peak and mean torque over many lengths of the crank, in one process."""
    model, lengths = mb.load("slider-crank"), np.linspace(0.14, 0.16, MEMBERS)
    outputs = ["max(O.effort)", "rms(O.effort)"]
    took = least(
        lambda: model.study({"l2": lengths}, outputs, analysis="inverse", until="2*pi/omega", steps=179, workers=1), 4
    )
    print(f"study of inverse, {MEMBERS} slider-cranks, 180 instants each: {took:.2f} s, {1e3 * took / MEMBERS:.2f} ms a member")


if __name__ == "__main__":
    engine()
    one_call()
    study()
