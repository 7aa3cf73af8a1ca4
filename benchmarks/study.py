"""Studies on cores: what a member costs beyond its kernels, what threads give, and a hundred thousand four-bars.

Run: ``python benchmarks/study.py [PART ...]``. Parts: members, kinds, threads, inverse, tolerances (writes ``--picture FILE``);
all but the last by default. Times are processor times, the shortest of several; the load is printed beside walls.
To compare with other sources of the package, once with each in ``PYTHONPATH``, in turns.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import os
import time
from collections.abc import Callable, Iterator
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
import numpy as np

import multibody as mb
from multibody.integrators import crossing_members, deciding_members, driven_members, rest_members
from multibody.integrators import members as loops
from multibody.study.compiled import CompiledMembers
from multibody.study.members import OrdinaryMembers, prepare
from multibody.study.plan import make_plan

LOOPS = (loops, rest_members, deciding_members, driven_members, crossing_members)
PIN = "max(norm(A.reaction.force))"
TOLERANCES = {"l0": mb.normal(1.9, 0.002), "length": mb.normal(2.0, 0.002), "start": mb.normal(1.0, 0.002)}


def least(function: Callable[[], object], repeats: int, clock: Callable[[], float] = time.process_time) -> float:
    """Return the shortest time of several calls after a first one [s]."""
    function()
    times = []
    for _ in range(repeats):
        start = clock()
        function()
        times.append(clock() - start)
    return min(times)


def prepared(model: mb.Model, varied: Any, asked: list[str], analysis: str, count: int, **options: Any) -> tuple[Any, Any]:
    """Return compiled members and the values of so many of them."""
    plan = make_plan(model, varied, count, "random")
    ordinary = prepare(model, plan.keys, asked, analysis, options, None, True)
    assert isinstance(ordinary, OrdinaryMembers)
    return CompiledMembers(ordinary), plan.values


@contextlib.contextmanager
def loops_timed() -> Iterator[list[float]]:
    """Sum up within what is spent in the compiled loops over members, and nowhere else."""
    own = [(room, name, getattr(room, name)) for room in LOOPS for name in dir(room) if name.endswith("_members")]
    spent = [0.0]

    def timed(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any) -> Any:
            start = time.process_time()
            try:
                return function(*given)
            finally:
                spent[0] += time.process_time() - start

        return call

    for room, name, function in own:
        setattr(room, name, timed(function))
    try:
        yield spent
    finally:
        for room, name, function in own:
            setattr(room, name, function)


def parted(made: Any, values: Any, repeats: int) -> tuple[float, float]:
    """Return what a member takes, and what of it is spent in compiled loops, of the shortest of several calls [s]."""
    made.compute(values)
    best = (math.inf, 0.0)
    for _ in range(repeats):
        with loops_timed() as spent:
            start = time.process_time()
            made.compute(values)
            best = min(best, (time.process_time() - start, spent[0]))
    return best[0] / len(values), best[1] / len(values)


def members(repeats: int) -> None:
    """Print what a member of a study of runs costs: ordinary, compiled, of that in compiled loops, and the rest."""
    print("microseconds a member, processor time of one thread")
    heads = ("instants", "output", "ordinary", "compiled", "loops", "rest")
    print("".join(f"{head:>30s}" if head == "output" else f"{head:>10s}" for head in heads))
    for instants in (400, 60):
        for asked in ("final(link2.x)", PIN):
            step = 0.3 / instants
            made, values = prepared(mb.load("four-bar"), TOLERANCES, [asked], "run", 256, until=0.3, output_step=step)
            whole, inside = parted(made, values, repeats)
            slow = least(lambda: made.ordinary.compute(values[:8]), 3) / 8  # noqa: B023
            numbers = (slow, whole, inside, whole - inside)
            print(f"{instants:10d}{asked:>30s}" + "".join(f"{1e6 * x:10.0f}" for x in numbers))
            assert isinstance(made, CompiledMembers) and not made.aside


def kinds(repeats: int) -> None:
    """Print what members cost in other coordinates, with redundant rows, by implicit methods and of other analyses."""
    print("microseconds a member, processor time of one thread")
    heads = ("model", "options", "output", "ordinary", "compiled", "loops", "rest")
    print("".join(f"{head:>{width}s}" for head, width in zip(heads, (16, 24, 34, 10, 10, 10, 10), strict=True)))
    lengths, arm = {"l0": (1.88, 1.92)}, {"spacing": (0.95, 1.05), "initial.joint2": (0.1, 0.4)}
    rows: list[tuple[str, Any, str, dict[str, Any]]] = [
        ("arm7", arm, "final(energy.total)", {}), ("arm7", arm, "max(norm(joint1.reaction.force))", {}),
        ("four-bar", lengths, PIN, {"formulation": "recursive"}), ("four-bar", lengths, PIN, {"formulation": "kane"}),
        ("four-bar", lengths, PIN, {"formulation": "partitioning"}), ("four-bar", lengths, PIN, {"formulation": "baumgarte"}),
        ("four-bar", lengths, PIN, {"integrator": "bdf"}), ("four-bar", lengths, PIN, {"integrator": "radau"}),
        ("iftomm-bricard", {"section": (0.09, 0.11)}, "final(J1)", {}),
        ("four-bar", lengths, "link2.x", {"analysis": "assemble"}),
        ("four-bar", lengths, "norm(A.reaction.force)", {"analysis": "statics"}),
        ("stewart-platform", {"rb": (0.98, 1.02)}, "energy.potential", {"analysis": "statics"}),
    ]  # fmt: skip
    for name, varied, asked, options in rows:
        told, given = ", ".join(options.values()) or "auto", {"until": 0.3, "output_step": 0.005, **options}
        analysis = given.pop("analysis", "run")
        if analysis != "run":
            given = {}
        made, values = prepared(mb.load(name), varied, [asked], analysis, 256, **given)
        whole, inside = parted(made, values, repeats)
        slow = least(lambda: made.ordinary.compute(values[:6]), 3) / 6  # noqa: B023
        numbers = "".join(f"{1e6 * x:10.0f}" for x in (slow, whole, inside, whole - inside))
        print(f"{name:>16s}{told:>24s}{asked:>34s}{numbers} {dict(made.aside) or ''}")


def threads(repeats: int) -> None:
    """Print walls of one and two threads, and how many threads the work could fill."""
    model = mb.load("four-bar")

    def walled(workers: int) -> float:
        given: dict[str, Any] = {"samples": 4096, "method": "random", "until": 1.0}
        return least(lambda: model.study(TOLERANCES, [PIN], workers=workers, **given), repeats, time.perf_counter)

    one, two = walled(1), walled(2)
    load = f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores"
    print(f"4096 four-bars, one thread {one:.2f} s, two {two:.2f} s: {one / two:.2f} times ({load})")


def inverse(repeats: int) -> None:
    """Print the study of inverse dynamics: 200 slider-cranks at 180 instants."""
    crank, lengths = mb.load("slider-crank"), {"l2": np.linspace(0.14, 0.16, 200)}
    asked, given = ["max(O.effort)", "rms(O.effort)"], {"until": "2*pi/omega", "steps": 179}
    plan = make_plan(crank, lengths)
    ordinary = prepare(crank, plan.keys, asked, "inverse", given, None, True)
    slow = least(lambda: ordinary.compute(plan.values[:20]), 3) * 10
    took = least(lambda: crank.study(lengths, asked, analysis="inverse", workers=1, **given), repeats)
    wall = least(lambda: crank.study(lengths, asked, analysis="inverse", **given), repeats, time.perf_counter)
    print(f"inverse, 200 slider-cranks at 180 instants: {took:.3f} s of processor time, member by member {slow:.2f} s")
    print(f"    with all cores {wall:.3f} s (load {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores)")


def tolerances(count: int, picture: str) -> None:
    """Compute very many four-bars with random tolerances, and plot the distribution of the peak pin force."""
    import matplotlib

    matplotlib.use("Agg")
    model = mb.load("four-bar")
    start, used = time.perf_counter(), time.process_time()
    found = model.study(TOLERANCES, [PIN], samples=count, method="random", until=1.0, output_step=0.01)
    wall, used = time.perf_counter() - start, time.process_time() - used
    load, each = os.getloadavg()[0], 1e6 * used / count
    print(f"{count} four-bars: {used:.1f} s of processor time, {each:.0f} µs each; {wall:.1f} s at load {load:.1f}")
    print(f"{found.statistics}; mean {float(found.mean(PIN)):.4f}, sd {float(found.sd(PIN)):.4f}")
    print(f"percentiles {found.percentiles(PIN, [0.1, 50, 99.9])}")
    if picture:
        figure = found.histogram(PIN)
        getattr(figure, "figure", figure).savefig(picture, dpi=120)


def main() -> None:
    """Run the parts that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", default=["members", "kinds", "threads", "inverse"])
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--picture", default="")
    parser.add_argument("--repeats", type=int, default=7)
    given = parser.parse_args()
    for part in given.parts:
        if part == "tolerances":
            tolerances(given.count, given.picture)
        else:
            {"members": members, "kinds": kinds, "threads": threads, "inverse": inverse}[part](given.repeats)


if __name__ == "__main__":
    main()
