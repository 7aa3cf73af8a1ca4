"""Tables 1 to 3 of Park, Yoo, Hwang, Bae 1997 made anew: time, evaluations and mean step of KANE, GCP and CS with ``adams``.

Run: ``python benchmarks/papers.py [--feedback A]``. KANE is ``kane``, GCP ``partitioning``, CS ``baumgarte`` with α = β = A, by
default 10 (the paper: "usually 1 to 10"); ``augmented`` is no part of it. Times are ratios to KANE's, the paper's beside ours.
Table 3 states its tolerances; Tables 1 and 2 do not, and 1e-7 makes KANE's number of evaluations that of the paper.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import Any

from common import integration, load, simulation, table

import multibody as mb
from multibody.formulations import Augmented, Baumgarte, Kane, Partitioning

UNSTATED = 1e-7
Printed = dict[str, tuple[float, int]]


@dataclass(frozen=True)
class Case:
    """One block of a table: the model, its time, the tolerances, and what the paper prints (CPU time [s], evaluations)."""

    words: str
    model: mb.Model
    until: float
    printed: Printed
    tolerance: float = UNSTATED
    closing: float | None = None  # tolerance of the position analysis, over the characteristic length


def first_table() -> list[Case]:
    """Return example 1, the double pendulum."""
    printed: dict[float, Printed] = {
        5.0: {"KANE": (0.10, 96), "GCP": (0.17, 96), "CS": (0.11, 140)},
        10.0: {"KANE": (0.17, 151), "GCP": (0.28, 152), "CS": (0.28, 283)},
        50.0: {"KANE": (0.66, 625), "GCP": (1.23, 607), "CS": (1.43, 1313)},
    }
    return [Case(f"{until:g} s", mb.load("double-pendulum"), until, numbers) for until, numbers in printed.items()]


def second_table() -> list[Case]:
    """Return example 2, the planar four-bar; case I with gravity, without which it does not pass its change point."""
    one: Printed = {"KANE": (0.55, 303), "GCP": (0.88, 295), "CS": (1.27, 699)}
    two: Printed = {"KANE": (0.55, 311), "GCP": (0.88, 311), "CS": (0.99, 707)}
    return [Case("case I", mb.load("four-bar-singular"), 10.0, one), Case("case II", mb.load("four-bar"), 10.0, two)]


def third_table() -> list[Case]:
    """Return example 3, the spatial four-bar, at the tolerances of integration and position analysis that the paper states."""
    printed: dict[tuple[float, float], Printed] = {
        (1e-5, 1e-3): {"KANE": (3.29, 210), "GCP": (5.54, 210), "CS": (11.81, 662)},
        (1e-3, 1e-3): {"KANE": (2.85, 157), "GCP": (4.51, 157), "CS": (7.91, 399)},
        (1e-3, 1e-5): {"KANE": (4.40, 154), "GCP": (5.83, 152), "CS": (7.91, 399)},
    }
    model = mb.load("spatial-four-bar")
    return [Case(f"{a:g}, {b:g}", model, 10.0, numbers, a, b) for (a, b), numbers in printed.items()]


def measured(case: Case, methods: dict[str, Any], repeats: int) -> dict[str, tuple[float, dict[str, Any]]]:
    """Return the shortest processor time [s] and the work of each method; they take turns, so that a busy spell hits all."""
    options = {"integrator": "adams", "rtol": case.tolerance, "atol": case.tolerance, "closing": case.closing}
    found: dict[str, tuple[float, dict[str, Any]]] = {}
    for _ in range(repeats):
        for name, formulation in methods.items():
            time, done = integration(case.model, case.until, 1, formulation=formulation, **options)
            found[name] = (min(time, found[name][0]) if name in found else time, done.statistics())
    return found


def block(case: Case, methods: dict[str, Any], repeats: int) -> list[list[str]]:
    """Return the lines of one case."""
    found = measured(case, methods, repeats)
    lines, unit = [], found["KANE"][0]
    for name, (time, work) in found.items():
        cpu, evaluations = case.printed.get(name, (None, None))
        steps = work["steps"] or 1
        lines.append(
            [
                case.words, name, f"{time / unit:.2f}", "" if cpu is None else f"{cpu / case.printed['KANE'][0]:.2f}",
                str(work["rhs_evaluations"]), "" if evaluations is None else str(evaluations),
                f"{case.until / work['rhs_evaluations']:.3f}", "" if evaluations is None else f"{case.until / evaluations:.3f}",
                f"{work['mean_order']:.1f}", str(steps), f"{1e3 * time:.2f}", f"{1e6 * time / work['rhs_evaluations']:.2f}",
            ]
        )  # fmt: skip
    return lines


def main() -> None:
    """Print the three tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--feedback", type=float, default=10.0, help="alpha = beta of CS [1/s]")
    given = parser.parse_args()
    stabilized = Baumgarte(given.feedback, given.feedback)
    methods = {"KANE": Kane(), "GCP": Partitioning(), "CS": stabilized, "augmented": Augmented()}
    for formulation in methods.values():  # compiles, or reads what was compiled
        simulation(mb.load("four-bar"), formulation, "adams").advance(1.0)
    header = (
        "case", "method", "time / KANE", "paper", "evaluations", "paper", "time / evaluations", "paper", "mean order", "steps",
        "ms", "µs an evaluation",
    )  # fmt: skip
    titles = {
        f"Table 1, double pendulum, tolerance {UNSTATED:g} ({load()})": first_table(),
        f"Table 2, planar four-bar, 10 s, tolerance {UNSTATED:g} ({load()})": second_table(),
        f"Table 3, spatial four-bar, 10 s, tolerances of integration and of positions ({load()})": third_table(),
    }
    for title, cases in titles.items():
        table(title, header, [line for case in cases for line in block(case, methods, given.repeats)])


if __name__ == "__main__":
    main()
