"""Times of whole calls of ``run`` from Python, against an older version and against the integration alone of other programs.

Run: ``python benchmarks/calls.py [--before FOLDER] [--peer-python PYTHON]``. FOLDER is the ``src`` of an older version (``git
worktree add``), measured in processes of its own that take turns with those of this one. A time is the shortest of many calls;
both versions and the peers keep an error of 1e-6 at the end. *Read* is a call whose result is read as well: the arrays of a run
are made when the first of them is. *New* is a call of a model that was just loaded, with ``load``.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from common import Point, load, milliseconds, peer, reached, table, times

TARGET, ROUNDS = 1e-6, 3
TOLERANCES = [10.0 ** (-k / 3) for k in range(9, 31)]
STEPS = (32, 40, 50, 64, 80, 100, 125, 160, 200, 250, 320, 400, 500, 640, 800, 1000, 1600)


@dataclass(frozen=True)
class Problem:
    """A model, how long it runs, and a quantity whose value at the end is known."""

    model: str
    until: float
    path: str
    exact: float
    options: dict[str, Any]

    def error(self, value: float) -> float:
        """Return the relative error of a value at the end."""
        return abs(value / self.exact - 1.0)


PISTON = 0.18257160266946568  # minimal coordinates to 1e-12
PROBLEMS = {
    "four-bar": Problem("four-bar", 10.0, "link2.x", 1.9322768783826, {}),
    "double-pendulum": Problem("double-pendulum", 10.0, "link2.angle", 0.3428507629219, {}),
    **{f"engine, n = {n}": Problem("engine", 1.0, "S1", PISTON, {"n": n, "data": "peer", "dimension": 2}) for n in (1, 5, 20)},
}


def shortest(function: Callable[[], object], seconds: float) -> float:
    """Return the shortest of as many calls as a time has room for [s]."""
    least, end = float("inf"), time.perf_counter() + seconds
    while time.perf_counter() < end:
        begin = time.perf_counter()
        function()
        least = min(least, time.perf_counter() - begin)
    return least


def measured(problem: Problem, setting: float, seconds: float) -> dict[str, float]:
    """Return the times of one problem [s], with steps and evaluations."""
    import multibody as mb

    model, how = mb.load(problem.model, **problem.options), {"rtol": setting, "atol": setting}
    run = model.run(problem.until, **how)
    found = {
        "again": shortest(lambda: model.run(problem.until, **how), seconds),
        "read": shortest(lambda: model.run(problem.until, **how).motion.q, seconds),
        "new": shortest(lambda: mb.load(problem.model, **problem.options).run(problem.until, **how), seconds),
        "error": problem.error(float(run[problem.path].values[-1])),
    }
    return {**found, "steps": run.statistics["steps"], "evaluations": run.statistics["rhs_evaluations"]}


def setting_of(problem: Problem) -> float:
    """Return the coarsest tolerance from which on all finer ones keep the target."""
    import multibody as mb

    model, points = mb.load(problem.model, **problem.options), []
    for setting in TOLERANCES:
        run = model.run(problem.until, rtol=setting, atol=setting)
        points.append(Point(setting, 0.0, problem.error(float(run[problem.path].values[-1]))))
    found = reached(points, TARGET)
    assert found is not None
    return found.setting


def asked(sources: str, settings: dict[str, float], seconds: float) -> dict[str, dict[str, float]]:
    """Return what another process measures with the package in a folder of sources."""
    command = [sys.executable, __file__, "--measure", json.dumps(settings), "--seconds", str(seconds)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": sources})
    answer: dict[str, dict[str, float]] = json.loads(done.stdout.splitlines()[-1])
    return answer


def rival(python: str, name: str, problem: Problem) -> tuple[str, float] | None:
    """Return the quickest of the other programs that are there and the time of its integration alone [s]."""
    programs = {"MuJoCo RK4": ("peer_mujoco", STEPS)}
    if problem.model == "engine":
        programs["Pinocchio RK4"] = ("peer_pinocchio", (100, 200, 500, 1000))
    if problem.model == "double-pendulum":
        programs["Exudyn DOPRI5"] = ("peer_exudyn", tuple(TOLERANCES))
    found = []
    for program, (script, settings) in programs.items():
        answers = peer(python, script, problem.model, settings, n=problem.options.get("n", 1))
        point = reached([Point(a["setting"], a["wall"], problem.error(a["value"])) for a in answers], TARGET)
        if point is not None:
            found.append((program, point.wall))
    return min(found, key=lambda each: each[1]) if found else None


def least(rounds: list[dict[str, dict[str, float]]], name: str, key: str) -> float:
    """Return the shortest time of several rounds."""
    return min(found[name][key] for found in rounds)


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", help="sources of an older version")
    parser.add_argument("--peer-python", default=sys.executable)
    parser.add_argument("--seconds", type=float, default=0.5, help="for each time")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure:
        settings = json.loads(given.measure)
        print(json.dumps({name: measured(PROBLEMS[name], settings[name], given.seconds) for name in settings}))
        return
    settings = {name: setting_of(problem) for name, problem in PROBLEMS.items()}
    rivals = {name: rival(given.peer_python, name, problem) for name, problem in PROBLEMS.items()}
    here, sources = str(Path(__file__).parents[1] / "src"), given.before
    rounds = [(asked(here, settings, given.seconds), asked(sources or here, settings, given.seconds)) for _ in range(ROUNDS)]
    now, before = [one for one, _ in rounds], [other for _, other in rounds]
    rows = []
    for name, setting in settings.items():
        values = now[0][name]
        row = [name, f"{setting:.1e}", f"{values['error']:.1e}", f"{values['steps']:.0f}, {values['evaluations']:.0f}"]
        for key in ("again", "read", "new"):
            mine = least(now, name, key)
            row.append(milliseconds(mine))
            if sources:
                row += [milliseconds(least(before, name, key)), times(least(before, name, key), mine)]
        other = rivals[name]
        row += [f"{other[0]} {milliseconds(other[1])}", times(other[1], least(now, name, "again"))] if other else ["", ""]
        rows.append(row)
    header = ["problem", "tolerance", "error", "steps, evaluations"]
    for key in ("again", "read", "new"):
        header += [key, *(("before", "ratio") if sources else ())]
    table(f"Whole calls of run ({load()})", [*header, "integration alone of", "peer / again"], rows)


if __name__ == "__main__":
    main()
