"""Times of the kinematic analyses: minimum of repeats on one thread, as a table.

Run: ``python benchmarks/kinematics.py`` (``--cold`` also compiles all kernels into an empty cache, in its own process).
The rival of the slider-crank is the same Newton iteration with NumPy's solver on the same three angles-and-position loop
equations, written by hand: what a careful user would write without the package.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

os.environ.setdefault("OMP_NUM_THREADS", "1")
import numpy as np

import multibody as mb

INSTANTS = 10_000


def best(function: Callable[[], object], repeats: int = 5) -> float:
    """Return the shortest of several times [s]."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def hand_written(l2: float = 0.15, l3: float = 0.35) -> np.ndarray:
    """Return θ3, x and their rates and accelerations of the slider-crank, by Newton with NumPy at every instant."""
    q, out = np.array([0.0, l2 + l3]), np.zeros((INSTANTS + 1, 6))
    for k, t in enumerate(np.linspace(0.0, 1.0, INSTANTS + 1)):
        a, w = 150.0 * t, 150.0
        for _ in range(10):
            c = np.array([l2 * np.cos(a) + l3 * np.cos(q[0]) - q[1], l2 * np.sin(a) + l3 * np.sin(q[0])])
            J = np.array([[-l3 * np.sin(q[0]), -1.0], [l3 * np.cos(q[0]), 0.0]])
            d = np.linalg.solve(J, -c)
            q = q + d
            if np.max(np.abs(d)) < 1e-9:
                break
        v = np.linalg.solve(J, np.array([l2 * w * np.sin(a), -l2 * w * np.cos(a)]))
        g = l2 * w**2 * np.array([np.cos(a), np.sin(a)]) + l3 * v[0] ** 2 * np.array([np.cos(q[0]), np.sin(q[0])])
        out[k] = [*q, *v, *np.linalg.solve(J, g)]
    return out


def slider_crank() -> None:
    """Compare 10 000 instants at three levels with the hand-written loop, at equal accuracy."""
    model = mb.load("slider-crank")
    run = model.kinematics(until=1.0, steps=INSTANTS)
    exact = 0.15 * np.cos(150 * run.time) + np.sqrt(0.35**2 - (0.15 * np.sin(150 * run.time)) ** 2)
    ours = best(lambda: model.kinematics(until=1.0, steps=INSTANTS))
    rival = best(hand_written, 2)
    error, rival_error = np.max(np.abs(run["slider.x"].values - exact)), np.max(np.abs(hand_written()[:, 1] - exact))
    print(f"slider-crank, {INSTANTS} instants, three levels: {ours:.3f} s (error {error:.1e})")
    print(f"  by hand with NumPy: {rival:.3f} s (error {rival_error:.1e}); ratio {rival / ours:.1f}")


def ladder() -> None:
    """Check and move the ladder of N four-bars; time and memory should grow like N."""
    for n in (125, 250, 500, 1000):
        start = time.perf_counter()
        model = mb.load("iftomm-n-four-bar", n=n, drive=True)
        built = time.perf_counter()
        report = model.check()
        checked = time.perf_counter()
        run = model.kinematics(until=0.5, steps=20)
        moved = time.perf_counter()
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(
            f"ladder n = {n}: build {built - start:.2f} s, check {checked - built:.2f} s (mobility {report.mobility}), "
            f"20 intervals {moved - checked:.2f} s, ok {run.ok}, peak memory so far {memory:.0f} MB"
        )


def process(code: list[str], environment: dict[str, str] | None = None, repeats: int = 3) -> float:
    """Return the shortest wall time of a whole process."""
    return best(lambda: subprocess.run(code, check=True, capture_output=True, env=environment), repeats)


def processes(cold: bool) -> None:
    """Time import, a warm process from start to printed result, and compilation into an empty cache."""
    python = sys.executable
    bare = process([python, "-c", "pass"])
    print(f"import multibody: {process([python, '-c', 'import multibody']) - bare:.3f} s")
    command = [python, "-m", "multibody", "kinematics", "slider-crank", "--until", "2*pi/150", "--json"]
    print(f"warm process from start to printed result: {process(command):.2f} s")
    if cold:
        with tempfile.TemporaryDirectory() as directory:
            environment = {**os.environ, "MULTIBODY_CACHE_DIR": directory}
            print(f"the same with an empty cache: {process(command, environment, 1):.1f} s")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cold", action="store_true", help="also compile into an empty cache")
    arguments = parser.parse_args()
    slider_crank()
    ladder()
    processes(arguments.cold)
