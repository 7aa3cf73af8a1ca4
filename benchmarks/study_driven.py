"""Studies of driven mechanisms, of runs that events end, of massless bodies and cams: what a member costs.

Run: ``python benchmarks/study_driven.py``. Times are processor times of one thread, the shortest of several.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
import multibody as mb
from multibody.analyses.members.numbers import NotServed
from multibody.study.members import prepare
from multibody.study.plan import make_plan
from study import least, loops_timed, prepared


def pendulum() -> mb.Model:
    """Return a pendulum on a massless rod, whose run ends where it comes to rest."""
    made = mb.Model("pendulum", dimension=2)
    made.gravity = (0, -9.81)
    l = made.parameter("l", 0.5)
    made.body("rod", mass=0, inertia=0, frames={"e": (l, 0)})
    made.body("bob", mass=1.0, inertia=0.01)
    made.revolute("O", "ground", "rod")
    made.revolute("A", "rod.e", "bob")
    made.initial({"O": 0.3, "A": 0.2})
    return made


def swinging() -> mb.Model:
    """Return a pendulum whose run ends when it hangs."""
    made = mb.load("pendulum")
    name = next(iter(made.joints))
    made.event("down", f"{name} + pi/2", terminal=True)
    return made


def started() -> mb.Model:
    """Return a slider-crank whose crank is turned by a step of half a second."""
    made = mb.load("slider-crank")
    made.motions.clear()
    made.motion("O", "step5(t, 0, 0, 0.5, 1.2)")
    return made


def carried() -> mb.Model:
    """Return a pendulum on a cart that is moved by a step of half a second."""
    made = mb.Model("cart", dimension=2, gravity=(0, -9.81))
    made.parameter("l", 0.5)
    made.body("cart", mass=1.0, inertia=0.1)
    made.body("rod", mass=0.5, inertia=0.01, com=("l", 0))
    made.translational("S", "ground", "cart", axis=(1, 0))
    made.revolute("A", "cart", "rod")
    made.motion("S", "step5(t, 0.1, 0, 0.6, 0.4)")
    made.initial({"A": -1.5})
    return made


def inside(work: Callable[[], object]) -> float:
    """Return what is spent in compiled loops over members while something is done [s]."""
    with loops_timed() as spent:
        work()
    return spent[0]


def main(repeats: int = 5, count: int = 256) -> None:
    """Print a row for every kind."""
    print(f"{'':46s}{'members a second':>20s}{'':8s}{'µs a member':>24s}")
    heads = (("ordinary", 10), ("compiled", 10), ("ratio", 8), ("compiled", 9), ("loops", 8), ("rest", 8))
    print(f"{'model, analysis, output':46s}" + "".join(f"{head:>{width}s}" for head, width in heads))
    crank, cam, shaft = mb.load("slider-crank"), mb.load("cam-roller"), mb.load("universal-shaft")
    lengths, turn = {"l2": (0.14, 0.16)}, {"until": 0.06, "steps": 60}
    ways = {"until": 0.5, "steps": 60}
    base, angle = next(iter(cam.parameters)), next(k for k, p in shaft.parameters.items() if isinstance(p.value, float))
    own = [float(model.parameters[key].value) for model, key in ((cam, base), (shaft, angle))]
    rows: list[tuple[mb.Model, Any, str, str, dict[str, Any]]] = [
        (crank, lengths, "kinematics", "final(slider.x)", turn), (crank, lengths, "kinematics", "max(slider.x.rate)", turn),
        (crank, lengths, "kinematics", "at(0.0123, slider.x)", turn),
        (crank, lengths, "run", "final(energy.total)", {"until": 0.06, "output_step": 0.001}),
        (crank, lengths, "run", "max(norm(A.reaction.force))", {"until": 0.06, "output_step": 0.001}),
        (cam, {base: (0.99 * own[0], 1.01 * own[0])}, "kinematics", f"max({list(cam.bodies)[-1]}.y)", ways),
        (shaft, {angle: (0.97 * own[1], 1.03 * own[1])}, "kinematics", f"max({list(shaft.bodies)[-1]}.omega.x)", turn),
        (pendulum(), {"l": (0.45, 0.55)}, "run", "max(norm(O.reaction.force))", {"until": 0.5, "output_step": 0.01}),
        (started(), lengths, "kinematics", "max(slider.x.rate)", {"until": 0.6, "steps": 60}),
        (started(), lengths, "run", "max(norm(A.reaction.force))", {"until": 0.6, "output_step": 0.01}),
        (carried(), {"l": (0.45, 0.55)}, "run", "max(norm(A.reaction.force))", {"until": 1.0, "output_step": 0.02}),
        (swinging(), {next(iter(mb.load("pendulum").parameters)): (0.95, 1.05)}, "run", "first(down)", {"until": 5.0}),
    ]  # fmt: skip
    for model, varied, analysis, asked, options in rows:
        plan = make_plan(model, varied, count, "random")
        ordinary = prepare(model, plan.keys, [asked], analysis, options, None, True)
        slow = least(lambda: ordinary.compute(plan.values[:12]), 3) / 12  # noqa: B023
        numbers, aside = (0.0, 0.0, 0.0), ""
        try:
            made, values = prepared(model, varied, [asked], analysis, count, **options)
            whole = least(lambda: made.compute(values), repeats) / count  # noqa: B023
            loops = min(inside(lambda: made.compute(values)) for _ in range(repeats)) / count  # noqa: B023
            numbers, aside = (whole, loops, whole - loops), f"{dict(made.aside) or ''}"
        except NotServed as reason:
            aside = str(reason)
        fast = 1 / numbers[0] if numbers[0] else 0.0
        line = f"{f'{model.name}, {analysis}, {asked}':46s}{1 / slow:10.0f}{fast:10.0f}{slow * fast:8.1f}"
        print(line + " " + "".join(f"{1e6 * x:8.0f}" for x in numbers), aside)


if __name__ == "__main__":
    main()
