"""Implicit methods in joint coordinates on random closed loops: work and errors beside `augmented`, runs that do not end.

Run: ``python benchmarks/loops.py [--count 100] [--first 0] [--until 0.1]``. The loops are those of
``tests/analyses/dynamics/random_loops.py``. References are runs of ``augmented`` with ``dop853`` at a tolerance of 1e-12. The
fixed-step method `alpha` is run with two steps; its error must fall as their squares. A run that needs more than MOST steps
counts as one that does not end.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from common import table

import multibody as mb
from multibody.analyses.dynamics.simulation import Simulation
from multibody.formulations import formulation_of
from multibody.integrators import Alpha, Integrator, integrator_of
from multibody.integrators import contract as C
from multibody.rank.run_rows import run_rows
from multibody.state.system import System, tables_of

sys.path[0] = str(Path(__file__).parent.parent / "tests")  # a file beside this one has the name of a folder there
from analyses.dynamics.random_loops import random_loops  # noqa: E402

FORMULATIONS = ("augmented", "recursive", "transformation", "articulated")
TOLERANCES = (1e-6, 1e-8, 1e-9)
STEPS = (2e-3, 1e-3)
MOST = 20_000


@dataclass
class Outcome:
    """What became of a run: the state at its end (None where it did not get there) and its work."""

    q: np.ndarray | None
    steps: int
    evaluations: int
    refused: int


def outcome(model: mb.Model, state: mb.State, formulation: str, method: Integrator, rtol: float, until: float) -> Outcome:
    """Run a model with a bound on its steps."""
    system = System(tables_of(model))
    system.ref[:] = state.references
    rows = run_rows(system, state.q, state.t)
    sim = Simulation(system, state, rows, formulation_of(formulation), method, rtol=rtol, atol=0.01 * rtol, dense=False)
    status = C.CONTINUE
    while status in (C.CONTINUE, C.OUTPUT_FULL) and sim.counts[C.STEPS] < MOST:
        status = sim.call(until, 1000)
        sim.drain()
    q = sim.cartesian(until, sim.y, sim.bundle.ref)[: system.nq] if status == C.DONE else None
    return Outcome(q, int(sim.counts[C.STEPS]), int(sim.counts[C.EVALUATIONS]), int(sim.counts[C.REJECTED]))


def main() -> None:
    """Print, for every pair, how many runs ended, their errors over the tolerance, and their work over augmented's."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--until", type=float, default=0.1)
    given = parser.parse_args()
    settings = [(name, integrator_of(name), rtol) for name in ("bdf", "radau") for rtol in TOLERANCES]
    settings += [("alpha", Alpha(step=step), step) for step in STEPS]
    found: dict[tuple[str, str, float], list[tuple[int, Outcome, float]]] = {}
    for seed, model, state in random_loops(range(given.first, given.first + given.count)):
        exact = outcome(model, state, "augmented", integrator_of("dop853"), 1e-12, given.until).q
        assert exact is not None, seed
        for name, method, setting in settings:
            for formulation in FORMULATIONS:
                rtol = setting if method.adaptive else 1e-8
                run = outcome(model, state, formulation, method, rtol, given.until)
                error = np.inf if run.q is None else float(np.max(np.abs(run.q - exact)))
                found.setdefault((formulation, name, setting), []).append((seed, run, error))
                if run.q is None or error > (100.0 * setting if method.adaptive else 1e-3):
                    print(f"seed {seed}: {formulation} {name} {setting:g}: {run.steps} steps, error {error:.1e}", flush=True)
    table("Random closed loops", *_rows(found))


def _rows(found: dict[tuple[str, str, float], list[tuple[int, Outcome, float]]]) -> tuple[list[str], list[list[str]]]:
    """Return header and rows of the table."""
    rows = []
    for (formulation, name, setting), runs in found.items():
        beside = {seed: run for seed, run, _ in found["augmented", name, setting]}
        work = [run.evaluations / beside[seed].evaluations for seed, run, _ in runs if run.q is not None]
        errors = [error for _, run, error in runs if run.q is not None]
        steps = [run.steps for _, run, _ in runs if run.q is not None]
        numbers = [f"{np.median(steps):.0f}", f"{max(steps)}", f"{np.median(work):.2f}", f"{max(work):.2f}"]
        numbers += [f"{np.median(errors):.1e}", f"{max(errors):.1e}"]
        rows.append([name, f"{setting:g}", formulation, f"{len(work)}/{len(runs)}", *numbers])
    header = ["integrator", "setting", "formulation", "ended", "steps", "most", "work", "most", "error", "largest"]
    return header, rows


if __name__ == "__main__":
    main()
