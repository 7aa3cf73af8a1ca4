"""Times of dynamic analyses against peers on the same problems, as ratios within one run.

Run: ``python benchmarks/dynamics.py [PART ...] [--peer-python PYTHON] [--cold]``. Parts: four-bar, double-pendulum,
right-hand-side, n-four-bar, processes, simulator; all of them by default. Peers (mujoco, pin, exudyn) are used where PYTHON can
import them; put them into an environment of their own. A time is the processor time of the integration alone on one thread, the
shortest of several, at the coarsest setting from which on all finer ones keep the error; only ratios within one run mean much.
"""

from __future__ import annotations

import argparse
import math
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from common import FORMULATIONS, Point, best, faster, integration, load, milliseconds, peer, reached, simulation, table, times

import multibody as mb

TOLERANCES = [10.0 ** (-k / 3) for k in range(9, 31)]
STEPS = (32, 40, 50, 64, 80, 100, 125, 160, 200, 250, 320, 400, 500, 640, 800, 1000, 1600)
TARGET = 1e-6
ROUNDS = 2  # over all methods, so that a busy spell of the machine does not hit one of them alone
REFERENCE = {"four-bar": ("link2.x", 1.9322768783826), "double-pendulum": ("link2.angle", 0.3428507629219)}  # at 10 s


def one_run(model: mb.Model, path: str, exact: float, repeats: int, setting: float, options: dict[str, Any]) -> Point:
    """Return time and error of one setting of ours."""
    run = model.run(10.0, output_step=10.0, dense=False, **options)
    error = abs(float(run[path].values[-1]) / exact - 1.0) if run.ok else math.inf
    time_, _ = integration(model, 10.0, repeats, **options)
    return Point(setting, time_, error, run.statistics["steps"], run.statistics["rhs_evaluations"])


def our_points(name: str, formulation: str, integrator: str, repeats: int) -> list[Point]:
    """Return the work–precision points of one formulation and integrator, from coarse to fine."""
    model, (path, exact) = mb.load(name), REFERENCE[name]
    points = []
    for setting in STEPS if integrator == "rk4" else TOLERANCES:
        how = {"step": 10.0 / setting} if integrator == "rk4" else {"rtol": setting, "atol": setting}
        options = {"formulation": formulation, "integrator": integrator, **how}
        points.append(one_run(model, path, exact, repeats, setting, options))
    return points


def peer_points(python: str, name: str, problem: str, settings: Any) -> list[Point]:
    """Return the work–precision points of a peer, from coarse to fine."""
    exact = REFERENCE[problem][1]
    answers = peer(python, name, problem, settings)
    return [Point(a["setting"], a["wall"], abs(a["value"] / exact - 1.0), a["steps"]) for a in answers]


def setting_words(method: str, point: Point) -> str:
    """Return the setting of a point in words: a tolerance, or the step of 10 s."""
    return f"h = {10.0 / point.setting:.3g}" if "rk4" in method.lower() else f"{point.setting:.1e}"


def to_accuracy(name: str, python: str, repeats: int) -> None:
    """Print the time to the target accuracy of every formulation and integrator of ours, and of the peers."""
    methods: dict[str, list[Point]] = {}
    for _ in range(ROUNDS):
        found = {"MuJoCo RK4": peer_points(python, "peer_mujoco", name, STEPS)}
        if name == "double-pendulum":
            found["Exudyn tree DOPRI5"] = peer_points(python, "peer_exudyn", name, TOLERANCES)
        for formulation in FORMULATIONS:
            for integrator in ("dop853", "adams", "rk4"):
                found[f"{formulation}, {integrator}"] = our_points(name, formulation, integrator, repeats)
        methods = {key: faster(points, methods.get(key)) for key, points in found.items()}
    rival = reached(methods["MuJoCo RK4"], TARGET)
    rows = []
    for method, points in methods.items():
        if not points:
            continue
        found = reached(points, TARGET)
        if found is None:
            rows.append([method, "not reached", "", "", "", "", ""])
            continue
        cost = f"{1e6 * found.wall / found.evaluations:.2f}" if found.evaluations else ""
        ratio = times(rival.wall if rival else None, found.wall)
        how = [setting_words(method, found), f"{found.error:.1e}", str(found.evaluations or ""), cost]
        rows.append([method, milliseconds(found.wall), ratio, *how])
    header = ("method", "time", "MuJoCo / this", "setting", "error", "evaluations", "µs an evaluation, all in")
    table(f"{name}, 10 s, to a relative error of {TARGET:g} ({load()})", header, rows)


def right_hand_sides(repeats: int) -> None:
    """Print what one evaluation of the right-hand side costs, at a closed state and at one 1e-6 beside it."""
    import numba
    import numpy as np

    from multibody.kernels.calls import call

    @numba.njit
    def loop(address, run, t, y, dy, count):
        for _ in range(count):
            call(address, run, t, y, dy)

    rows, noise = [], np.random.default_rng(1)
    for name in ("double-pendulum", "four-bar", "spatial-four-bar"):
        costs = []
        for formulation in FORMULATIONS:
            sim = simulation(mb.load(name), formulation, "dop853", 1e-6, 1e-6)
            sim.advance(0.3)
            y, b = sim.y.copy(), sim.bundle
            beside = y + 1e-6 * noise.normal(size=len(y))
            for state in (y, beside) if sim.formulation.partitioned else (y,):
                rest = (sim.addresses[0], b.run, sim.t, state, np.zeros(len(y)))
                loop(*rest, 1)
                costs.append(best(lambda rest=rest: loop(*rest, 1000), 4 * repeats) / 1000)
        rows.append([name, *[f"{1e6 * cost:.2f}" for cost in costs]])
    header = ("µs", "augmented", "baumgarte", "partitioning", "  1e-6 open", "kane", "  1e-6 open")
    table(f"One right-hand side ({load()})", header, rows)


def ladder_points(n: int, integrator: str, tolerances: list[float], repeats: int) -> list[Point]:
    """Return times and largest energy errors of n four-bars, from coarse to fine."""
    model, points = mb.load("iftomm-n-four-bar", n=n), []
    for rtol in tolerances:
        options = {"integrator": integrator, "rtol": rtol, "atol": rtol}
        run = model.run(10.0, output_step=0.01, **options)
        energy = run["energy.total"].values
        error = float(abs(energy / energy[0] - 1.0).max()) if run.ok else math.inf
        time_, _ = integration(model, 10.0, repeats, formulation="augmented", **options)
        points.append(Point(rtol, time_, error, run.statistics["steps"], run.statistics["rhs_evaluations"]))
    return points


def ladders(python: str, repeats: int) -> None:
    """Print the time that n four-bars, which pass singular positions, need for the energy error of Pinocchio with h = 0.01."""
    rows = []
    for n in (1, 2, 10, 40):
        answers = peer(python, "peer_pinocchio", "n-four-bar", (1000,), n=n, repeats=5)
        rival = answers[0] if answers else None
        target = max(3e-8, rival["energy_error"]) if rival else 3e-8
        if rival:
            error = f"{rival['energy_error']:.1e}"
            rows.append([str(n), "Pinocchio RK4", milliseconds(rival["wall"]), "1.00", "h = 0.01", error, ""])
        for integrator in ("dop853", "adams"):
            points = ladder_points(n, integrator, [10.0 ** (-k / 2) for k in range(10, 23)], repeats)
            found, method = reached(points, target), f"augmented, {integrator}"
            if found is None:
                least = min(points, key=lambda point: point.error)
                rows.append([str(n), method, "not reached", "", f"{least.setting:.1e}", f"{least.error:.1e}", ""])
                continue
            ratio = times(rival["wall"] if rival else None, found.wall)
            how = [f"{found.setting:.1e}", f"{found.error:.1e}", f"{1e6 * found.wall / found.evaluations:.2f}"]
            rows.append([str(n), method, milliseconds(found.wall), ratio, *how])
    header = ("n", "method", "time", "Pinocchio / this", "setting", "energy error", "µs an evaluation, all in")
    table(f"n four-bars, 10 s, to the same energy error ({load()})", header, rows)


def process(command: list[str], environment: dict[str, str], repeats: int) -> float:
    """Return the shortest processor time of a whole process [s], compilation being on one thread too."""
    took = []
    for _ in range(repeats):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, capture_output=True, env=environment)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        took.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(took)


def processes(cold: bool) -> None:
    """Print times of whole processes: warm, and with kernels compiled into an empty cache one after the other."""
    rows, base = [], [sys.executable, "-m", "multibody", "run", "four-bar", "--json"]
    rows.append(["import multibody", f"{process([sys.executable, '-c', 'import multibody'], dict(os.environ), 3):.2f} s"])
    subprocess.run(base, check=True, capture_output=True)
    rows.append(["run four-bar, warm", f"{process(base, dict(os.environ), 3):.2f} s"])
    if cold:
        with tempfile.TemporaryDirectory() as directory:
            environment = {**os.environ, "MULTIBODY_CACHE_DIR": directory}
            pairs = [("augmented", "dop853"), *[(f, "dop853") for f in FORMULATIONS[1:]]]
            pairs += [("augmented", "adams"), ("augmented", "rk4"), ("kane", "adams")]
            for formulation, integrator in pairs:
                command = [*base, "--formulation", formulation, "--integrator", integrator]
                command += ["--step", "0.01"] if integrator == "rk4" else []
                took = process(command, environment, 1)
                files = sum(1 for path in Path(directory).rglob("*.nbc"))
                rows.append([f"{formulation}, {integrator}: first process", f"{took:.1f} s, {files} kernels in the cache then"])
    title = f"Whole processes; each line of an empty cache goes on where the one before it ended ({load()})"
    table(title, ("what", "time"), rows)


def simulators(repeats: int) -> None:
    """Print what a call from outside costs: one tiny step, and one with an effort set before it."""
    if not hasattr(mb.Model, "simulator"):
        return
    sim = mb.load("four-bar").simulator()
    count = 1000

    def steps() -> None:
        for _ in range(count):
            sim.step(1e-6)

    def sets() -> None:
        for k in range(count):
            sim.set("spring.effort", 1e-3 * k)
            sim.step(1e-6)

    steps()
    sets()
    rows = [["step(dt)", f"{1e6 * best(steps, repeats) / count:.1f} µs"]]
    rows.append(["set(effort) and step(dt)", f"{1e6 * best(sets, repeats) / count:.1f} µs"])
    table(f"Stepping from outside, dt = 1e-6 s ({load()})", ("call", "time"), rows)


def main() -> None:
    """Run the parts that were asked for."""
    names = ("four-bar", "double-pendulum", "right-hand-side", "n-four-bar", "processes", "simulator")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(names))
    parser.add_argument("--peer-python", default=sys.executable, help="interpreter that can import the peers")
    parser.add_argument("--cold", action="store_true", help="also compile into an empty cache (two minutes)")
    parser.add_argument("--repeats", type=int, default=10)
    given = parser.parse_args()
    unknown = set(given.parts) - set(names)
    if unknown:
        parser.error(f"unknown part {', '.join(sorted(unknown))}; there are {', '.join(names)}")
    parts = given.parts or names
    for name in ("four-bar", "double-pendulum"):
        if name in parts:
            to_accuracy(name, given.peer_python, given.repeats)
    if "right-hand-side" in parts:
        right_hand_sides(given.repeats)
    if "n-four-bar" in parts:
        ladders(given.peer_python, given.repeats)
    if "processes" in parts:
        processes(given.cold)
    if "simulator" in parts:
        simulators(given.repeats)


if __name__ == "__main__":
    main()
