"""Joint coordinates: what an evaluation costs as chains grow, runs at equal accuracy against Cartesian ones, compilation.

Run: ``python benchmarks/joint.py [PART ...] [--cold]``. Parts: chains, long, right-hand-side, runs, processes; all of them by
default, the last one with ``--cold`` only. A time is the shortest of many, on one thread; only ratios within one run mean much.
Operation counts are in ``robot.py``.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from common import FORMULATIONS, Point, best, load, milliseconds, reached, simulation, table, times
from dynamics import process

import multibody as mb

JOINT = ("recursive", "transformation", "articulated")
VARIANTS = ("transformation-stabilized", "transformation-partitioned")
SIZES = (10, 100, 1000)
LONG = 10_000
ASKED = {"planar": 50, "spatial": 180}  # ns a body
TARGET = 1e-6  # largest displacement of a body's center, over the characteristic length
TOLERANCES = [10.0 ** (-k / 3) for k in range(9, 34)]
TIGHT = 1e-12
BUDGET = 8.0  # seconds that one method may take in all for one problem


# --- one evaluation --------------------------------------------------------------------------------------------------------
def timer() -> Any:
    """Return a compiled loop over a right-hand side: as an integrator calls it, through its address."""
    import numba

    from multibody.kernels.calls import call

    @numba.njit
    def loop(address: int, run: Any, t: float, y: Any, dy: Any, count: int) -> None:
        for _ in range(count):
            call(address, run, t, y, dy)

    return loop


def evaluation(loop: Any, sim: Any, count: int, repeats: int, beside: float = 0.0) -> float:
    """Return the shortest time of one right-hand side at the state of a simulation [s].

    Parameters
    ----------
    loop : compiled function
    sim : Simulation
    count : int
        Calls in one repeat: few, so that some repeats fall between the spells of other work on the machine.
    repeats : int
    beside : float
        Size of a disturbance of the state, which opens the loops.
    """
    b = sim.bundle
    y = sim.y + beside * np.random.default_rng(1).normal(size=len(sim.y))
    rest = (sim.addresses[0], b.run, sim.t, y, np.zeros(len(y)))
    loop(*rest, 1)
    return best(lambda: loop(*rest, count), repeats) / count


def spatial_chain(n: int) -> mb.Model:
    """Return a chain of n equal bodies, 1 m and 1 kg in all, whose joints turn about y and z in turn."""
    model, previous = mb.Model("spatial-chain", gravity=(0, 0, -9.81)), None
    for k in range(n):
        body = model.body(
            f"b{k}", mass=1.0 / n, inertia=(1e-3 / n, 1e-3 / n, 2e-3 / n), com=(0.5 / n, 0, 0),
            frames={"end": (1.0 / n, 0, 0)}, at=(k / n, 0, 0),
        )  # fmt: skip
        carrier = model.ground if previous is None else previous["end"]
        model.revolute(f"j{k}", carrier, body, axis=(0, 0, 1) if k % 2 else (0, 1, 0))
        previous = body
    return model


def chain_of(kind: str, n: int) -> mb.Model:
    """Return the planar chain of the library, or the spatial one."""
    return mb.load("chain", n=n) if kind == "planar" else spatial_chain(n)


def chains(repeats: int) -> None:
    """Print what one evaluation of open chains costs a body, with all three ways to meet the mass matrix."""
    loop, rows = timer(), []
    for kind, asked in ASKED.items():
        for n in SIZES:
            costs = {}
            for formulation in JOINT if n <= 100 else ("articulated",):
                sim = simulation(chain_of(kind, n), formulation, "dop853", 1e-6, 1e-6)
                sim.advance(0.05 if n <= 100 else 0.01)
                linear = formulation == "articulated" or n == 10
                cost = evaluation(loop, sim, max(1, (4000 if linear else 200) // n), 15 * repeats)
                costs[formulation] = f"{1e9 * cost / n:.0f}"
            rows.append([kind, str(n), costs["articulated"], str(asked), *[costs.get(f, "") for f in JOINT[:2]]])
    head = ("chain", "n", "articulated", "asked", "recursive", "transformation")
    table(f"One right-hand side of an open chain, ns a body ({load()})", head, rows)


def memory() -> float:
    """Return the most memory that this process had [MB]."""
    status = Path("/proc/self/status")
    if status.exists():  # ru_maxrss of a started process begins with that of its parent
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return float(line.split()[1]) / 1024.0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0


def long_chain(kind: str) -> dict[str, float]:
    """Return times and memory of a chain of many bodies, in a process of its own."""
    model = chain_of(kind, LONG)
    stages = [time.process_time()]
    sim = simulation(model, "articulated", "dop853", 1e-6, 1e-6)
    stages.append(time.process_time())
    status = sim.advance(0.01)
    stages.append(time.process_time())
    cost = evaluation(timer(), sim, 1, 60)
    return {
        "prepare": stages[1] - stages[0], "run": stages[2] - stages[1], "steps": sim.statistics()["steps"],
        "cost": cost, "memory": memory(), "status": status, "time": sim.t,
    }  # fmt: skip


def long() -> None:
    """Print what chains of ten thousand bodies need."""
    rows = []
    for kind, asked in ASKED.items():
        done = subprocess.run([sys.executable, __file__, "--long", kind], capture_output=True, text=True, check=True)
        found = json.loads(done.stdout.splitlines()[-1])
        run = f"{found['run']:.1f} s, {found['steps']:.0f} steps to t = {found['time']:.3g}"
        size = [f"{1e9 * found['cost'] / LONG:.0f}", str(asked), f"{found['prepare']:.1f} s", run, f"{found['memory']:.0f} MB"]
        rows.append([kind, *size])
    head = ("chain", "ns a body", "asked", "tables and start", "run of 0.01 s", "memory of the process")
    table(f"Open chains of {LONG} bodies, articulated ({load()})", head, rows)


def right_hand_sides(repeats: int) -> None:
    """Print what one evaluation of a mechanism with loops costs in every formulation; in brackets 1e-6 beside the loops."""
    loop, names = timer(), ("four-bar", "spatial-four-bar")
    words: dict[str, list[str]] = {formulation: [] for formulation in (*FORMULATIONS, *JOINT, *VARIANTS)}
    for name in names:
        for formulation, cells in words.items():
            sim = simulation(mb.load(name), formulation, "dop853", 1e-6, 1e-6)
            sim.advance(0.3)
            cell = f"{1e6 * evaluation(loop, sim, 200, 20 * repeats):.2f}"
            if sim.formulation.partitioned:
                cell += f" ({1e6 * evaluation(loop, sim, 200, 20 * repeats, 1e-6):.2f})"
            cells.append(cell)
    table(f"One right-hand side, µs ({load()})", ("", *names), [[formulation, *cells] for formulation, cells in words.items()])


# --- runs ------------------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Problem:
    """A model of the library and how long it runs."""

    name: str
    until: float
    n: int = 0

    @property
    def title(self) -> str:
        """Its name and size."""
        return f"{self.name}, n = {self.n}" if self.n else self.name

    def model(self) -> mb.Model:
        """Return the model."""
        return mb.load(self.name, n=self.n) if self.n else mb.load(self.name)


PROBLEMS = (
    Problem("four-bar", 10.0), Problem("spatial-four-bar", 10.0), Problem("chain", 1.0, 10), Problem("chain", 1.0, 100),
    Problem("engine", 1.0, 1), Problem("engine", 1.0, 5), Problem("iftomm-n-four-bar", 10.0, 10),
    Problem("iftomm-n-four-bar", 10.0, 40), Problem("rrc-arm", 5.0),
)  # fmt: skip


def once(model: mb.Model, until: float, formulation: str, integrator: str, tolerance: float) -> tuple[float, Any]:
    """Return the processor time of one integration [s] and the simulation at its end, nothing of it where it failed."""
    sim = simulation(model, formulation, integrator, tolerance, tolerance)
    start = time.process_time()
    sim.advance(until)
    took = time.process_time() - start
    return took, sim if sim.t == until else None


def centers(sim: Any) -> np.ndarray:
    """Return the places of all bodies over the characteristic length."""
    tables = sim.system.tables
    q = sim.cartesian(sim.t, sim.y, sim.bundle.ref)
    bodies, width = len(tables.bodies) - 1, 3 if tables.dimension == 2 else 7
    return q[: width * bodies].reshape(bodies, width)[:, : tables.dimension] / tables.length


def distance(sim: Any, exact: np.ndarray) -> float:
    """Return the largest distance of a body from where it should be."""
    return math.inf if sim is None else float(np.linalg.norm(centers(sim) - exact, axis=1).max())


def setting_of(model: mb.Model, until: float, formulation: str, integrator: str, exact: np.ndarray) -> float:
    """Return the coarsest tolerance from which on all finer ones keep the error."""
    points = []
    for tolerance in TOLERANCES:
        took, sim = once(model, until, formulation, integrator, tolerance)
        points.append(Point(tolerance, took, distance(sim, exact)))
        if len(points) > 5 and all(point.error < 0.03 * TARGET for point in points[-3:]):
            break  # finer ones are further below
    found = reached(points, TARGET)
    return points[-1].setting if found is None else found.setting


def run(problem: Problem, integrator: str, repeats: int) -> tuple[list[list[str]], float]:
    """Return the rows of one problem, and how far two references in different coordinates lie apart.

    The three joint formulations integrate the same equations of the same coordinates: the tolerance found with one serves all.
    """
    model, until = problem.model(), problem.until
    tight = [once(model, until, formulation, integrator, TIGHT)[1] for formulation in ("articulated", "augmented")]
    arrived = [sim for sim in tight if sim is not None]  # forty loops ask for more digits than there are
    exact = centers(arrived[0])
    doubt = distance(arrived[1], exact) if len(arrived) == 2 else math.nan
    shared = setting_of(model, until, "articulated", integrator, exact)
    settings = {"augmented": setting_of(model, until, "augmented", integrator, exact), **dict.fromkeys(JOINT, shared)}
    least, used, last = dict.fromkeys(settings, math.inf), dict.fromkeys(settings, 0.0), {}
    for _ in range(3 * repeats):
        for formulation, tolerance in settings.items():
            if used[formulation] < BUDGET:
                took, last[formulation] = once(model, until, formulation, integrator, tolerance)
                least[formulation], used[formulation] = min(least[formulation], took), used[formulation] + took
    rows = []
    for formulation, tolerance in settings.items():
        sim = last[formulation]
        if sim is None:
            rows.append([formulation, "failed", "", f"{tolerance:.1e}", "", "", "", ""])
            continue
        done, error = sim.statistics(), distance(sim, exact)
        mark = "" if error <= TARGET else " (not kept)"
        ratio, each = times(least["augmented"], least[formulation]), 1e6 * least[formulation] / done["rhs_evaluations"]
        work = [str(done["steps"]), str(done["rhs_evaluations"]), f"{each:.2f}"]
        rows.append([formulation, milliseconds(least[formulation]), ratio, f"{tolerance:.1e}", f"{error:.1e}{mark}", *work])
    return rows, doubt


def runs(names: list[str], integrator: str, repeats: int) -> None:
    """Print the time to the target accuracy in Cartesian and in joint coordinates."""
    head = ("formulation", "time", "augmented / this", "tolerance", "error", "steps", "evaluations", "µs an evaluation, all in")
    for problem in PROBLEMS:
        if not names or problem.title in names:
            rows, doubt = run(problem, integrator, repeats)
            accuracy = f"to {TARGET:g}, references within {doubt:.0e}"
            table(f"{problem.title}, {problem.until:g} s, {integrator}, {accuracy} ({load()})", head, rows)


# --- compilation -----------------------------------------------------------------------------------------------------------
def processes() -> None:
    """Print what the first process with a formulation costs, each line in the cache that the one before it left."""
    every = ("augmented", *JOINT, *VARIANTS)
    for order in ({"four-bar": every, "spatial-four-bar": every}, {"spatial-four-bar": every[:2]}):
        rows = []
        with tempfile.TemporaryDirectory() as directory:
            environment = {**os.environ, "MULTIBODY_CACHE_DIR": directory}
            for name, formulation in [(name, formulation) for name, some in order.items() for formulation in some]:
                command = [sys.executable, "-m", "multibody", "run", name, "--json", "--formulation", formulation]
                first, again = process(command, environment, 1), process(command, environment, 1)
                files = sum(1 for path in Path(directory).rglob("*.nbc"))
                rows.append([name, formulation, f"{first:.1f} s", f"{again:.1f} s", str(files)])
        title = f"First process and the one after it, processor time, from an empty cache on ({load()})"
        table(title, ("mechanism", "formulation", "first", "again", "kernels in the cache"), rows)


def main() -> None:
    """Run the parts that were asked for."""
    names = ("chains", "long", "right-hand-side", "runs", "processes")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(names))
    parser.add_argument("--cold", action="store_true", help="also compile into empty caches (several minutes)")
    parser.add_argument("--problem", action="append", default=[], help='of runs, such as "chain, n = 10"; all by default')
    parser.add_argument("--integrator", default="dop853", help="of runs")
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--long", choices=tuple(ASKED), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.long:
        print(json.dumps(long_chain(given.long)))
        return
    unknown = set(given.parts) - set(names)
    if unknown:
        parser.error(f"unknown part {', '.join(sorted(unknown))}; there are {', '.join(names)}")
    titles = [problem.title for problem in PROBLEMS]
    if set(given.problem) - set(titles):
        parser.error(f"there are the problems {'; '.join(titles)}")
    parts = given.parts or names
    if "chains" in parts:
        chains(given.repeats)
    if "long" in parts:
        long()
    if "right-hand-side" in parts:
        right_hand_sides(given.repeats)
    if "runs" in parts:
        runs(given.problem, given.integrator, given.repeats)
    if "processes" in parts and given.cold:
        processes()


if __name__ == "__main__":
    main()
