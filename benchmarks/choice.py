"""What an evaluation takes in each formulation, against the cost that `auto` weighs, for all library models and some chains.

    python benchmarks/choice.py [MODEL ...]

Prints a line for each model: microseconds of one evaluation (shortest of many), the cost told from the structure, and what
`auto` takes; then the largest ratio between choice and best. The constants of ``analyses/dynamics/cost.py`` were fitted to
such lines.
"""

from __future__ import annotations

import pathlib
import sys
import time
import warnings
from collections.abc import Callable, Iterator

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests"))

import multibody as mb
from multibody.analyses.dynamics.choice import choose
from multibody.analyses.dynamics.cost import STAGE, evaluation_costs, structure_of
from multibody.library import names
from multibody.state.system import tables_of
from tool_arms import arm

FORMULATIONS = ("augmented", "articulated", "recursive")
REPEATS, CALLS = 40, 25
CALL = 0.45  # microseconds that a call from Python takes


def models(asked: list[str]) -> Iterator[tuple[str, Callable[[], mb.Model]]]:
    """Yield names and makers of models."""
    for name in asked or names():
        yield name, lambda name=name: mb.load(name)  # type: ignore[misc]
    if not asked:
        for n in (3, 30, 100):
            yield f"chain n={n}", lambda n=n: mb.load("chain", n=n)  # type: ignore[misc]
        for n in (4, 10):
            yield f"engine n={n}", lambda n=n: mb.load("engine", n=n)  # type: ignore[misc]
            yield f"n-four-bar n={n}", lambda n=n: mb.load("iftomm-n-four-bar", n=n)  # type: ignore[misc]
        for n, tools in ((2, 0), (8, 0), (24, 0), (24, 1), (24, 24), (64, 0)):
            yield f"arm n={n} tools={tools}", lambda n=n, tools=tools: arm(n, tools)  # type: ignore[misc]


def measured(make: Callable[[], mb.Model], formulation: str) -> float:
    """Return the microseconds of one evaluation, an integrator's share included; NaN where it does not take the model."""
    try:
        sim = make().simulator(formulation=formulation, integrator="dop853").simulation
    except mb.ModelError:
        return float("nan")
    rhs, _ = sim.formulation.kernels()
    b, y, dy, best = sim.bundle, sim.y.copy(), np.zeros_like(sim.y), np.inf
    for _ in range(REPEATS):
        begin = time.perf_counter()
        for _ in range(CALLS):
            rhs(*b.run, sim.t, y, dy)
        best = min(best, (time.perf_counter() - begin) / CALLS * 1e6)
    return best - CALL + STAGE


def main() -> None:
    """Print the table."""
    warnings.simplefilter("ignore")
    worst = (0.0, "")
    print(f"{'model':26}" + "".join(f"{name:>12}{'told':>8}" for name in FORMULATIONS) + "  auto")
    for name, make in models(sys.argv[1:]):
        times = {f: measured(make, f) for f in FORMULATIONS}
        if all(np.isnan(list(times.values()))):  # its motions determine everything
            continue
        tables = tables_of(make())
        costs, taken = evaluation_costs(structure_of(tables)), choose(tables, None, None).formulation.name
        cells = "".join(f"{times[f]:12.2f}{costs.get(f, np.nan):8.2f}" for f in FORMULATIONS)
        worst = max(worst, (times[taken] / np.nanmin(list(times.values())), name))
        print(f"{name:26}{cells}  {taken}", flush=True)
    print(f"slowest choice: {worst[0]:.2f} times the best, {worst[1]}")


if __name__ == "__main__":
    main()
