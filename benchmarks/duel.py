"""A thousand random mechanisms against an independent program (``tests/across/duel``): agreement, not speed.

Run: ``python benchmarks/duel.py [COUNT] [--from SEED] [--processes N]``: COUNT seeds (default 500) in the plane and as many in
space, every formulation; prints the table of the documentation and names every seed with a difference above 1e-8.
"""

from __future__ import annotations

import argparse
import multiprocessing
import pathlib
import sys
import warnings
from collections import Counter

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "tests"))
from common import table

from across.duel.cases import random_case
from across.duel.compare import FORMULATIONS, Verdict, judge, may_refuse

CLOSE = 1e-8
Outcome = tuple[int, int, set[str], list[Verdict]]


def duel(task: tuple[int, int]) -> Outcome:
    """Return what came of one seed; a program that raises has lost."""
    warnings.simplefilter("ignore")
    dimension, seed = task
    case = random_case(seed, dimension)
    try:
        verdicts = judge(case)
    except Exception as error:  # the seed is named, and the others go on
        verdicts = [Verdict("all", faults=[f"{type(error).__name__}: {error}"])]
    for verdict in verdicts:
        if verdict.refused and not may_refuse(case, verdict.formulation):
            verdict.faults.append(verdict.refused)
    return dimension, seed, case.kinds, verdicts


def report(outcomes: list[Outcome]) -> None:
    """Print the table, the kinds that occurred and what disagreed."""
    rows = []
    for name in FORMULATIONS:
        found = [(d, v) for d, _, _, verdicts in outcomes for v in verdicts if v.formulation == name]
        judged = [v for _, v in found if not v.refused]
        parts = ("acceleration", "reaction", "place")
        largest = [f"{max((getattr(v, part) for v in judged), default=0.0):.1e}" for part in parts]
        off = sum(v.worst > CLOSE or bool(v.faults) for v in judged)
        rows.append([f"`{name}`", str(len(judged)), str(len(found) - len(judged)), *largest, str(off)])
    header = ["formulation", "cases", "refused", "accelerations", "unique reactions", "places after 0.05 s", "off"]
    table("Largest differences from the independent program", header, rows)
    kinds = Counter(kind for _, _, found, _ in outcomes for kind in found)
    print("kinds:", ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items())))
    for dimension, seed, _, verdicts in outcomes:
        for v in verdicts:
            if v.faults or v.worst > CLOSE:
                print(f"dimension {dimension}, seed {seed}, {v.formulation}: {v.worst:.1e} {'; '.join(v.faults)}")


def main() -> None:
    """Run the duel."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("count", type=int, nargs="?", default=500)
    parser.add_argument("--from", dest="first", type=int, default=0)
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    tasks = [(d, seed) for seed in range(options.first, options.first + options.count) for d in (2, 3)]
    duel(tasks[0])  # compiles what the processes share
    with multiprocessing.get_context("spawn").Pool(options.processes) as pool:
        report(list(pool.imap_unordered(duel, tasks, chunksize=4)))


if __name__ == "__main__":
    main()
