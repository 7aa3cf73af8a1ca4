"""The problems as numbers, for every peer alike, and the loop that times a peer and prints one JSON line a setting."""

from __future__ import annotations

import argparse
import json
import math
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

DOUBLE_PENDULUM = {
    "until": 10.0, "length": 2.0, "masses": (5.0, 7.0), "inertias": (10.0, 20.0), "angles": (0.5236, 0.7854),
    "torque": 10.0, "force": (8.0, 7.0),
}  # fmt: skip
FOUR_BAR = {
    "until": 10.0, "length": 2.0, "ground": 1.9, "masses": (5.0, 7.0, 9.0), "inertias": (10.0, 20.0, 25.0), "angle": 1.1036,
    "stiffness": 100.0, "rest": 0.524, "force": (80.0, 70.0),
}  # fmt: skip
LADDER = {"until": 10.0, "rate": -1.0, "gravity": 9.81}
ENGINE = {
    "until": 1.0, "radius": 0.05, "rod": 0.2, "masses": (1.0, 0.5, 0.4), "inertias": (0.01, 0.002), "rate": 15.0,
}  # fmt: skip
CHAIN = {"until": 1.0, "gravity": 9.81}
ANDREWS = {
    "until": 0.03, "torque": 0.033, "stiffness": 4530.0, "rest": 0.07785,
    "A": (-0.06934, -0.00227), "B": (-0.03635, 0.03273), "C": (0.014, 0.072), "D": (0.02, -0.018),
    "masses": (0.04325, 0.00365, 0.02373, 0.00706, 0.0705, 0.00706, 0.05498),
    "inertias": (2.194e-6, 4.41e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5),
    # of K1 … K7: parent (0: ground), place of the hinge in the parent, center of mass, the point E where four of them meet
    "parents": (0, 1, 0, 5, 0, 7, 0),
    "hinges": ((0.0, 0.0), (0.007, 0.0), "B", (0.04, 0.0), "A", (0.0, -0.04), "A"),
    "centers": (
        (0.00092, 0.0), (-0.0115, 0.0), (0.01043, -0.01874), (0.0, -0.00579), (0.02308, 0.00916), (0.00579, 0.0),
        (0.01228, -0.00449),
    ),
    "E": (None, (-0.028, 0.0), (0.0, -0.035), (0.0, -0.02), None, (0.02, 0.0), None),
    "angles": (
        -0.0617138900142764496, 0.0, 0.455279819163070380, 0.222668390165885885, 0.487364979543842550, -0.222668390165885885,
        1.230547444549821192,
    ),
}  # fmt: skip


def andrews_hinge(k: int) -> tuple[float, float]:
    """Return where the hinge of K1 (0) … K7 (6) lies in its parent."""
    place = ANDREWS["hinges"][k]
    return ANDREWS[place] if isinstance(place, str) else place


def chain_link(n: int) -> tuple[float, float, float]:
    """Return length, mass and inertia of a link of a chain of one meter and one kilogram."""
    return 1.0 / n, 1.0 / n, 1.0 / (12.0 * n**3)


@dataclass
class Task:
    """A peer's model at its start: ``run`` does the whole time once, ``answer`` says what came of it."""

    run: Callable[[], int]
    answer: Callable[[], dict[str, Any]]


def four_bar_angles() -> tuple[float, float, float]:
    """Return the angles of crank, coupler and rocker of the planar four-bar at its start [rad]."""
    size, first = FOUR_BAR["length"], FOUR_BAR["angle"]
    pin = (size * math.cos(first), size * math.sin(first))
    to = (FOUR_BAR["ground"] - pin[0], -pin[1])
    half = 0.5 * math.hypot(*to)
    turn = math.acos(half / size)  # an isosceles triangle over the diagonal, coupler and rocker being equally long
    diagonal = math.atan2(to[1], to[0])
    coupler = diagonal + turn
    end = (pin[0] + size * math.cos(coupler), pin[1] + size * math.sin(coupler))
    return first, coupler, math.atan2(end[1], end[0] - FOUR_BAR["ground"])


def ladder_energy(n: int) -> float:
    """Return the energy at the start of n four-bars side by side, height counted from the ground pivots."""
    return 0.5 * ((n + 1) / 3 + n) * LADDER["rate"] ** 2 + LADDER["gravity"] * (1.5 * n + 0.5)


def shortest(run: Callable[[], int], repeats: int, budget: float) -> tuple[float, int]:
    """Return the shortest processor time of several runs after one that warms up, and the steps of a run."""
    start = time.process_time()
    steps = run()
    least, used = math.inf, time.process_time() - start
    for k in range(repeats):
        begin = time.process_time()
        run()
        took = time.process_time() - begin
        least, used = min(least, took), used + took
        if k > 0 and used > budget:
            break
    return least, steps


def main(problems: dict[str, Callable[..., Task]]) -> None:
    """Run the problem named on the command line for every setting."""
    parser = argparse.ArgumentParser()
    parser.add_argument("problem", choices=list(problems))
    parser.add_argument("--settings", required=True, help="numbers between commas")
    parser.add_argument("--n", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--budget", type=float, default=2.0, help="seconds for the repeats of one setting")
    given = parser.parse_args()
    for setting in (float(text) for text in given.settings.split(",")):
        task = problems[given.problem](setting, given.n)
        wall, steps = shortest(task.run, given.repeats, given.budget)
        print(json.dumps({"setting": setting, "wall": wall, "steps": steps, **task.answer()}), flush=True)
