"""The package against an older version on the rows of the other benchmarks: times in turns, results beside each other.

Run: ``python benchmarks/before_after.py --before FOLDER [PART ...] [--row TEXT] [--rounds N] [--seconds S]``. FOLDER is a
checkout of the older version (``git worktree add``). Both versions answer from processes of their own, with their own sources
and their own ``common.py`` and ``joint.py``, and take turns row by row; a time is the shortest processor time of all rounds,
measured with real-time priority where the system allows it. Processes are started anew for every round, since now and then a
whole process is slow. Parts: dynamics, right-hand-side, joint, implicit, parametric, kinematics, inverse, robot, calls,
processes. ``--json FILE`` keeps what was found and adds to what is there: the shortest time of both counts.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

LEAST_CALLS = 3  # of every row in every round, however long they take


@dataclass(frozen=True)
class Row:
    """One line: a model and what is done with it, as data that both versions read."""

    part: str
    what: str  # integration, slope, verb, robot, process
    model: str
    options: dict[str, Any] = field(default_factory=dict)
    formulation: str = ""
    integrator: str = ""
    until: float = 0.0
    tolerance: float = 1e-7
    step: float | None = None
    call: str = ""

    @property
    def name(self) -> str:
        """What is printed, and asked for."""
        size = "".join(f" {value}" for key, value in self.options.items() if key in ("n", "dimension"))
        return f"{self.part}: {', '.join(x for x in (self.model + size, self.call, self.formulation, self.integrator) if x)}"


def integrations(
    part: str, model: str, until: float, formulations: str, integrators: str, tolerance: float = 1e-7, **options: Any
) -> list[Row]:
    """Return a row for each formulation and integrator."""
    return [
        Row(part, "integration", model, options, f, i, until, tolerance, until / 1000 if i in ("rk4", "alpha") else None)
        for f in formulations.split() for i in integrators.split()
    ]  # fmt: skip


def slopes(part: str, model: str, formulations: str, **options: Any) -> list[Row]:
    """Return a row for one right-hand side in each formulation."""
    return [Row(part, "slope", model, options, formulation, call="one right-hand side") for formulation in formulations.split()]


FIVE = {"n": 5, "data": "peer", "dimension": 2}
RUNS = ("run", "run and read", "load and run")
BODIES, JOINTS = "augmented baumgarte partitioning kane", "recursive transformation articulated"
ROWS = [
    *integrations("dynamics", "four-bar", 10.0, BODIES, "dop853"),
    *integrations("dynamics", "four-bar", 10.0, "augmented", "adams rk4"),
    *integrations("dynamics", "double-pendulum", 10.0, BODIES, "dop853"),
    *integrations("dynamics", "double-pendulum", 10.0, "augmented", "adams rk4"),
    *integrations("dynamics", "iftomm-n-four-bar", 10.0, "augmented", "dop853 adams", 1e-6, n=2),
    *integrations("dynamics", "iftomm-n-four-bar", 10.0, "augmented", "dop853 adams", 1e-6, n=10),
    *integrations("dynamics", "iftomm-n-four-bar", 1.0, "augmented", "dop853", 1e-6, n=40),
    *[row for name in ("double-pendulum", "four-bar", "spatial-four-bar") for row in slopes("right-hand-side", name, BODIES)],
    *[row for name in ("four-bar", "spatial-four-bar") for row in slopes("right-hand-side", name, JOINTS)],
    *[row for n in (10, 100) for row in slopes("right-hand-side", "chain", JOINTS if n == 10 else "articulated", n=n)],
    *slopes("right-hand-side", "rrc-arm", "augmented articulated"),
    *integrations("joint", "four-bar", 10.0, JOINTS, "dop853"),
    *integrations("joint", "spatial-four-bar", 10.0, "augmented recursive articulated", "dop853"),
    *integrations("joint", "chain", 1.0, JOINTS, "dop853", 1e-6, n=10),
    *integrations("joint", "chain", 0.2, "augmented articulated", "dop853", 1e-6, n=100),
    *integrations("joint", "engine", 1.0, "augmented recursive", "dop853", n=5),
    *integrations("joint", "iftomm-n-four-bar", 2.0, "recursive articulated", "dop853", 1e-6, n=10),
    *integrations("joint", "rrc-arm", 5.0, "augmented articulated", "dop853"),
    *integrations("implicit", "iftomm-andrews", 0.03, "augmented recursive", "bdf radau dop853"),
    *integrations("implicit", "engine", 1.0, "augmented", "bdf radau dop853", n=1, data="peer", dimension=2),
    *integrations("implicit", "engine", 1.0, "augmented", "bdf dop853", n=5, data="peer", dimension=3),
    *integrations("implicit", "chain", 1.0, "augmented", "bdf radau", 1e-6, n=10),
    *integrations("implicit", "iftomm-n-four-bar", 1.0, "augmented", "bdf radau", 1e-6, n=40),
    *integrations("implicit", "four-bar", 10.0, "augmented", "alpha"),
    *integrations("implicit", "iftomm-flyball", 10.0, "augmented", "bdf radau", 1e-6),
    *integrations("implicit", "bushing-suspension", 4.0, "augmented", "bdf", 1e-6),
    *[row for n in (1, 5, 20) for row in integrations("parametric", "engine", 1.0, "parametric", "bdf", 1e-6, n=n)],
    *integrations("parametric", "four-bar", 2.0, "parametric", "dop853"),
    Row("kinematics", "verb", "slider-crank", call="kinematics, 10 000 instants"),
    Row("kinematics", "verb", "iftomm-n-four-bar", {"n": 125, "drive": True}, call="check"),
    Row("kinematics", "verb", "iftomm-n-four-bar", {"n": 125, "drive": True}, call="kinematics, 20 instants"),
    Row("kinematics", "verb", "four-cylinder-engine", call="kinematics, 180 instants"),
    Row("inverse", "verb", "four-cylinder-engine", call="inverse, 720 instants"),
    Row("inverse", "verb", "slider-crank", call="kinematics, 180 instants"),
    Row("inverse", "verb", "slider-crank", call="inverse, 180 instants"),
    *[Row("robot", "robot", "arm7", call=call) for call in ("inverse", "mass", "forward")],
    *[Row("robot", "robot", "arm7", call=f"{call}, batch") for call in ("inverse", "forward", "reactions")],
    *[Row("calls", "verb", "four-bar", {}, until=10.0, call=call, tolerance=1e-6) for call in RUNS],
    *[Row("calls", "verb", "double-pendulum", {}, until=10.0, call=call, tolerance=1e-6) for call in RUNS],
    *[Row("calls", "verb", "engine", FIVE, until=1.0, call=call, tolerance=1e-6) for call in RUNS],
    Row("calls", "verb", "four-bar", call="simulator, 1000 steps"),
    Row("processes", "process", "", call="import multibody"),
    Row("processes", "process", "four-bar", call="multibody run"),
    Row("processes", "process", "slider-crank", call="multibody kinematics"),
]  # fmt: skip
ONCE = {row.name: row for row in ROWS}


# --- one version, in its own process -----------------------------------------------------------------------------------------
@contextlib.contextmanager
def undisturbed() -> Iterator[None]:
    """Give this process real-time priority where it may have it."""
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    except (AttributeError, OSError):
        yield
        return
    try:
        yield
    finally:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


def shortest(prepare: Callable[[], Any], function: Callable[[Any], object], seconds: float) -> tuple[float, Any]:
    """Return the shortest processor time of prepared calls, as many as there is time for [s], and the last answer."""
    least, calls, answer, end = math.inf, 0, None, time.perf_counter() + seconds
    while calls < LEAST_CALLS or time.perf_counter() < end:
        given = prepare()
        with undisturbed():
            begin = time.process_time()
            answer = function(given)
            least = min(least, time.process_time() - begin)
        calls += 1
    return least, answer


def integration(row: Row, seconds: float) -> tuple[float, list[float]]:
    """Return the time of an integration alone, and its final state with steps and evaluations in front."""
    import common

    import multibody as mb

    model = mb.load(row.model, **row.options)

    def start() -> Any:
        return common.simulation(model, row.formulation, row.integrator, row.tolerance, row.tolerance, row.step)

    def advance(sim: Any) -> Any:
        sim.advance(row.until)
        return sim

    least, sim = shortest(start, advance, seconds)
    assert sim.t == row.until, f"{row.name} stopped at {sim.t}"
    return least, [float(x) for x in sim.y]


def slope(row: Row, seconds: float) -> tuple[float, list[float]]:
    """Return the time of one right-hand side as an integrator calls it, and its value."""
    import common
    import joint
    import numpy as np

    import multibody as mb

    sim = common.simulation(mb.load(row.model, **row.options), row.formulation, "dop853", 1e-6, 1e-6)
    sim.advance(0.05)
    if LOOP not in CACHE:
        CACHE[LOOP] = joint.timer()
    least, end, count = math.inf, time.perf_counter() + seconds, max(1, 1000 // max(1, len(sim.y) // 10))
    while time.perf_counter() < end:
        with undisturbed():
            least = min(least, joint.evaluation(CACHE[LOOP], sim, count, 20))
    dy = np.zeros(len(sim.y))
    run = sim.bundle.run if hasattr(sim.bundle, "run") else (sim.bundle.I, sim.bundle.F, sim.bundle.W, sim.bundle.ref)
    sim.formulation.kernels()[0](*run, sim.t, sim.y, dy)
    return least, [float(x) for x in dy]


LOOP = "loop"
CACHE: dict[str, Any] = {}  # what one process compiles once


def verb(row: Row, seconds: float) -> tuple[float, list[float]]:
    """Return the time of a call of a verb of the model from Python, and numbers of its answer."""
    import multibody as mb

    model = mb.load(row.model, **row.options)
    how = {"rtol": row.tolerance, "atol": row.tolerance}

    def steps() -> Any:
        sim = model.simulator()
        for _ in range(1000):
            sim.step(1e-6)
        return sim

    ways: dict[str, tuple[Callable[[], Any], Callable[[Any], Any]]] = {
        "kinematics, 10 000 instants": (lambda: model.kinematics(until=1.0, steps=10_000), lambda r: r.motion.q[-1]),
        "kinematics, 20 instants": (lambda: model.kinematics(until=0.5, steps=20), lambda r: r.motion.q[-1]),
        "kinematics, 180 instants": (lambda: model.kinematics(until=0.04, steps=179), lambda r: r.motion.q[-1]),
        "check": (model.check, lambda r: [r.mobility]),
        "inverse, 720 instants": (lambda: model.inverse(until=0.04, steps=719), lambda r: r.motion.motion.q[-1]),
        "inverse, 180 instants": (lambda: model.inverse(until="2*pi/omega", steps=179), lambda r: r.motion.motion.q[-1]),
        "run": (lambda: model.run(row.until, **how), lambda r: r.motion.q[-1]),
        "run and read": (lambda: model.run(row.until, **how).motion.q[-1], lambda q: q),
        "load and run": (lambda: mb.load(row.model, **row.options).run(row.until, **how), lambda r: r.motion.q[-1]),
        "simulator, 1000 steps": (steps, lambda sim: [sim.t]),
    }
    function, numbers = ways[row.call]
    function()
    least, answer = shortest(lambda: None, lambda _: function(), seconds)
    return least, [float(x) for x in numbers(answer)]


def robot(row: Row, seconds: float) -> tuple[float, list[float]]:
    """Return the time of a state of an arm, and what was found."""
    import numpy as np

    import multibody as mb

    arm, rng = mb.load(row.model).robot(), np.random.default_rng(0)
    q, v, a = rng.normal(size=(3, 7))
    Q, V, A = rng.normal(size=(3, 2000, 7))
    ways: dict[str, tuple[int, Callable[[], Any]]] = {
        "inverse": (200, lambda: arm.inverse_dynamics(q, v, a)),
        "mass": (200, lambda: arm.mass_matrix(q)),
        "forward": (200, lambda: arm.forward_dynamics(q, v, a)),
        "inverse, batch": (1, lambda: arm.inverse_dynamics(Q, V, A)),
        "forward, batch": (1, lambda: arm.forward_dynamics(Q, V, A)),
        "reactions, batch": (1, lambda: arm.reactions(Q, V, A)),
    }
    count, function = ways[row.call]
    function()

    def often(_: None) -> Any:
        for _ in range(count - 1):
            function()
        return function()

    least, answer = shortest(lambda: None, often, seconds)
    return least / (count if count > 1 else len(Q)), [float(x) for x in np.ravel(answer)[:70]]


def process(row: Row, seconds: float) -> tuple[float, list[float]]:
    """Return the processor time of a whole process."""
    commands = {
        "import multibody": ["-c", "import multibody"],
        "multibody run": ["-m", "multibody", "run", row.model, "--json"],
        "multibody kinematics": ["-m", "multibody", "kinematics", row.model, "--until", "2*pi/150", "--json"],
    }
    command, least = [sys.executable, *commands[row.call]], math.inf
    with tempfile.TemporaryDirectory() as folder:  # byte code is kept, as it is for users
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": folder}
        subprocess.run(command, check=True, capture_output=True, env=environment)
        for _ in range(LEAST_CALLS + 2):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            with undisturbed():
                subprocess.run(command, check=True, capture_output=True, env=environment)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            least = min(least, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return least, []


MEASURES = {"integration": integration, "slope": slope, "verb": verb, "robot": robot, "process": process}


def serve() -> None:
    """Answer rows by name, a line each, until nothing more is asked."""
    for line in sys.stdin:
        asked = json.loads(line)
        row = ONCE[asked["row"]]
        try:
            least, values = MEASURES[row.what](row, asked["seconds"])
            answer = {"least": least, "values": values}
        except Exception as fault:
            answer = {"fault": f"{type(fault).__name__}: {fault}"}
        print(json.dumps(answer), flush=True)


# --- both ------------------------------------------------------------------------------------------------------------------
class Version:
    """A process that has one version of the package and answers rows."""

    def __init__(self, root: Path) -> None:
        paths = os.pathsep.join([str(root / "src"), str(root / "benchmarks")])
        command = [sys.executable, "-P", __file__, "--serve"]
        environment = {**os.environ, "PYTHONPATH": paths, "OMP_NUM_THREADS": "1"}
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)

    def ask(self, row: Row, seconds: float) -> dict[str, Any]:
        """Return what the process found, or its fault."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"row": row.name, "seconds": seconds}) + "\n")
        self._process.stdin.flush()
        while line := self._process.stdout.readline():
            if line.startswith("{"):
                answer: dict[str, Any] = json.loads(line)
                return answer
        return {"fault": "the process ended"}

    def end(self) -> None:
        """Let the process go."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def difference(a: list[float], b: list[float]) -> float:
    """Return the largest difference of two answers over the largest number of them; NaN where they are of another length."""
    if len(a) != len(b):
        return math.nan
    return max((abs(x - y) for x, y in zip(a, b, strict=True)), default=0.0) / max((abs(x) for x in a), default=1.0)


def measure(rows: list[Row], before: Path, rounds: int, seconds: float, found: dict[str, dict[str, Any]]) -> None:
    """Add the times of both versions to what was found, the shorter of each."""
    here = Path(__file__).parents[1]
    for _ in range(rounds):
        versions = {"before": Version(before), "now": Version(here)}
        for row in rows:
            answers = {key: version.ask(row, seconds) for key, version in versions.items()}
            kept = found.setdefault(row.name, {"before": math.inf, "now": math.inf})
            faults = {key: answer["fault"] for key, answer in answers.items() if "fault" in answer}
            if faults:
                kept["fault"] = faults
                continue
            kept.pop("fault", None)
            for key, answer in answers.items():
                kept[key] = min(kept[key], answer["least"])
            kept["difference"] = difference(answers["before"]["values"], answers["now"]["values"])
        for version in versions.values():
            version.end()


def words(seconds: float) -> str:
    """Return a time with a unit that suits it."""
    unit, factor = next((u, f) for u, f, top in (("µs", 1e6, 1e-4), ("ms", 1e3, 0.5), ("s", 1.0, math.inf)) if seconds < top)
    return f"{factor * seconds:.3g} {unit}"


def show(found: dict[str, dict[str, Any]]) -> None:
    """Print the table, and how many rows are slower."""
    ratios = []
    print("| row | before | now | now / before | difference |\n|---|---|---|---|---|")
    for name, one in found.items():
        if "fault" in one:
            print(f"| {name} | {one['fault']} | | | |")
            continue
        ratios.append((one["now"] / one["before"], name))
        gap = "equal" if one["difference"] == 0.0 else f"{one['difference']:.0e}"
        print(f"| {name} | {words(one['before'])} | {words(one['now'])} | {ratios[-1][0]:.2f} | {gap} |")
    slower = [f"{name} {ratio:.3f}" for ratio, name in sorted(ratios, reverse=True) if ratio > 1.03]
    print(f"\n{len(ratios)} rows, {len(slower)} slower by more than 3 %{': ' if slower else ''}{'; '.join(slower)}")


def main() -> None:
    """Run the parts that were asked for."""
    parts = list(dict.fromkeys(row.part for row in ROWS))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(parts))
    parser.add_argument("--before", type=Path, help="checkout of the older version")
    parser.add_argument("--row", action="append", default=[], help="only rows whose names contain this text")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0.3, help="for each row, version and round")
    parser.add_argument("--json", type=Path, help="file with what was found; is added to")
    parser.add_argument("--show", action="store_true", help="print what the file has, measure nothing")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        serve()
        return
    if set(given.parts) - set(parts):
        parser.error(f"there are the parts {', '.join(parts)}")
    found = json.loads(given.json.read_text()) if given.json and given.json.exists() else {}
    if not given.show:
        if given.before is None:
            parser.error("--before names a checkout of the older version")
        rows = [row for row in ROWS if not given.parts or row.part in given.parts]
        rows = [row for row in rows if not given.row or any(text in row.name for text in given.row)]
        measure(rows, given.before.resolve(), given.rounds, given.seconds, found)
    if given.json:
        given.json.write_text(json.dumps(found, indent=1))
    show(found)


if __name__ == "__main__":
    main()
