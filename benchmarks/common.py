"""What the benchmarks of dynamics share: tables, the shortest of several times, time to an accuracy, peers as processes."""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
PEERS = Path(__file__).parent / "peers"
FORMULATIONS = ("augmented", "baumgarte", "partitioning", "kane")


@dataclass(frozen=True)
class Point:
    """One setting of one method: the processor time it needs [s] and the error it leaves."""

    setting: float
    wall: float
    error: float
    steps: int = 0
    evaluations: int = 0


def best(function: Callable[[], object], repeats: int = 5) -> float:
    """Return the shortest of several times [s]."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def integration(model: Any, until: float, repeats: int, budget: float = 4.0, **options: Any) -> tuple[float, Any]:
    """Return the shortest processor time of the integration alone [s], and the last simulation.

    Processor time is wall time on a quiet machine, and still worth something on a busy one: everything runs on one thread.
    """
    least, used, done = math.inf, 0.0, None
    for _ in range(repeats):
        done = simulation(model, **options)
        start = time.process_time()
        done.advance(until)
        took = time.process_time() - start
        least, used = min(least, took), used + took
        if used > budget:
            break
    return least, done


def reached(points: Iterable[Point], target: float) -> Point | None:
    """Return the coarsest setting from which on all finer ones are below the target: a lucky coarse one does not count.

    Parameters
    ----------
    points : iterable of Point
        From coarse to fine.
    target : float
        Largest error allowed.
    """
    found = None
    for point in reversed(list(points)):
        if not point.error <= target:
            break
        found = point
    return found


def faster(points: list[Point], earlier: list[Point] | None) -> list[Point]:
    """Return the same points with the shorter of two times."""
    if earlier is None:
        return points
    return [a if a.wall <= b.wall else b for a, b in zip(points, earlier, strict=True)]


def table(title: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table as Markdown, its columns aligned."""
    cells = [list(header), *[list(row) for row in rows]]
    widths = [max(len(row[k]) for row in cells) for k in range(len(header))]

    def line(row: Sequence[str]) -> str:
        return "| " + " | ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)) + " |"

    print(f"\n{title}\n\n{line(cells[0])}\n|{'|'.join('-' * (width + 2) for width in widths)}|")
    for row in cells[1:]:
        print(line(row))
    sys.stdout.flush()


def milliseconds(seconds: float | None) -> str:
    """Return a time in words."""
    return "not reached" if seconds is None else f"{1e3 * seconds:.3g} ms"


def times(a: float | None, b: float | None) -> str:
    """Return a ratio in words."""
    return "" if a is None or b is None else f"{a / b:.2f}"


def load() -> str:
    """Return how busy the machine is: times are worth something only where this is near the one core that is used."""
    return f"load average {os.getloadavg()[0]:.2f} on {os.cpu_count()} cores"


def peer(python: str, name: str, problem: str, settings: Sequence[float], **options: Any) -> list[dict[str, Any]]:
    """Return what a peer answers, one dictionary a setting; nothing where that peer is not installed.

    Parameters
    ----------
    python : str
        The interpreter that has the peer.
    name : str
        Script in ``peers`` without its ending.
    problem : str
    settings : sequence of float
        Steps in the whole time for methods of fixed step, tolerances for the others.
    **options
        Further options of the script.
    """
    found = shutil.which(python) or python
    command = [os.path.abspath(found), str(PEERS / f"{name}.py"), problem, "--settings", ",".join(f"{s:g}" for s in settings)]
    for key, value in options.items():
        command += [f"--{key}", str(value)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=PEERS)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no word"])[-1]
        print(f"peer {name} left out: {last}", file=sys.stderr)
        return []
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def simulation(
    model: Any, formulation: Any, integrator: Any, rtol: float = 1e-8, atol: float = 1e-10, step: float | None = None,
    closing: float | None = None,
) -> Any:  # fmt: skip
    """Return a simulation at the model's start, ready to advance, without the output that ``model.run`` makes of it.

    ``closing`` is the tolerance of the position analysis in every evaluation, in place of the one that follows from rtol.
    """
    from multibody.analyses.dynamics.run_start import start_state
    from multibody.analyses.dynamics.simulation import Simulation
    from multibody.formulations import formulation_of
    from multibody.integrators import integrator_of
    from multibody.rank.run_rows import run_rows
    from multibody.state.system import System, tables_of

    tables = tables_of(model)
    state, _ = start_state(model, None, None)
    system = System(tables)
    system.ref[:] = state.references
    rows = run_rows(system, state.q, state.t)
    chosen = integrator_of(integrator, step)
    sim = Simulation(system, state, rows, formulation_of(formulation), chosen, rtol=rtol, atol=atol, dense=False)
    if closing is not None:
        sim.bundle.settings(closed=closing, stage_closed=closing)
    return sim
