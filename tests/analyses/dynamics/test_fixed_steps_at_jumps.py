"""Methods with a fixed step keep their order across jumps and kinks of forces: a step ends there, one law on each side."""

from __future__ import annotations

import math

import numpy as np
import pytest

import multibody as mb

ORDERS = {"rk4": 4, "ab3": 3, "alpha": 2}
JUMPS = {
    "at a time": "if(t < 0.437, 6, -5)",
    "at a state": "-6*sign(O - 0.31)",
    "at a rate": "if(O.rate > 1.1, -4, 3)",
    "a kink": "-40*max(0, O - 0.31)",
    "only up to it": "if(O <= 0.31, 4, -4)",
    "two in one step": "if(t < 0.437, 6, -5) + if(t < 0.4371, 3, 0) - 2*sign(O - 0.3)",
}


def pendulum(value: str, length: float = 1.0, mass: float = 1.0) -> mb.Model:
    """Return a pendulum under gravity and an effort, with lengths and masses in units of which so many go to one of these."""
    m = mb.Model("pendulum", dimension=2, gravity=(0, -9.81 * length))
    m.body("rod", mass=2.0 * mass, inertia=0.3 * mass * length**2, com=(0.5 * length, -0.1 * length))
    m.revolute("O", m.ground, "rod")
    m.effort("push", "O", value=f"({value})*{mass * length**2!r}")
    m.initial({"O": -0.9, "O.rate": 5.0})
    return m


def order(model: mb.Model, integrator: str, until: float, coarse: float) -> float:
    """Return the mean order over two halvings of the step."""
    exact = model.run(until, rtol=1e-12, atol=1e-13).final["O"]
    runs = [model.run(until, integrator=integrator, step=coarse / 2**k) for k in range(3)]
    errors = [abs(run.final["O"] - exact) for run in runs]
    assert all(run.statistics["rejected"] > 0 for run in runs)  # steps that met the jump
    return math.log2(errors[0] / errors[2]) / 2.0 if errors[2] > 2e-10 else math.inf


@pytest.mark.parametrize("integrator", ORDERS)
@pytest.mark.parametrize("jump", JUMPS)
def test_order_across_jumps(jump: str, integrator: str) -> None:
    assert order(pendulum(JUMPS[jump]), integrator, 1.0, 0.01) > ORDERS[integrator] - 0.6


@pytest.mark.parametrize("integrator", ORDERS)
@pytest.mark.parametrize(("length", "mass"), [(1e3, 1e3), (1e6, 1e12), (1e-3, 1e-3)], ids=["mm-g", "um-ng", "km-t"])
def test_units_do_not_matter(length: float, mass: float, integrator: str) -> None:
    jump, options = JUMPS["two in one step"], {"integrator": integrator, "step": 0.01}
    plain, other = (pendulum(jump, *units).run(1.0, **options) for units in ((1.0, 1.0), (length, mass)))
    assert other.final["O"] == pytest.approx(plain.final["O"], abs=1e-9)
    assert other.statistics["steps"] == plain.statistics["steps"]


@pytest.mark.parametrize("integrator", ORDERS)
def test_a_jump_on_the_border_of_a_step(integrator: str) -> None:
    """The force of the near side is 4, that of the far side −4, and their instant belongs to one or the other or to neither."""
    for value in ("if(t < 0.5, 4, -4)", "if(t <= 0.5, 4, -4)", "4*sign(0.5 - t)"):
        m = mb.Model("block", dimension=2)
        m.body("block", mass=2.0, inertia=1.0)
        m.translational("S", m.ground, "block", axis=(1, 0))
        m.effort("push", "S", value=value)
        for step in (0.1, 0.125, 0.07):
            run = m.run(1.0, integrator=integrator, step=step)
            t = run.time
            assert run["S"].values == pytest.approx(np.where(t < 0.5, t**2, 0.25 + (t - 0.5) - (t - 0.5) ** 2), abs=1e-11)
            assert run.statistics["steps"] < 1.0 / step + 6
        early = m.run(0.5, integrator=integrator, step=0.1)  # the run ends with the jump
        assert early.final["S"] == pytest.approx(0.25, abs=1e-12) and early.status.time_reached == 0.5


@pytest.mark.parametrize("integrator", ORDERS)
def test_events_beside_jumps_are_found_once(integrator: str) -> None:
    m = pendulum("-6*sign(O - 0.31)")
    m.event("there", "O - 0.31")
    m.event("before", "O - 0.3")
    exact = m.run(1.0, rtol=1e-11, atol=1e-12)
    run = m.run(1.0, integrator=integrator, step=0.002)
    assert [e.name for e in run.events] == [e.name for e in exact.events]
    assert [e.time for e in run.events] == pytest.approx([e.time for e in exact.events], abs=1e-4)
    m.event("stop", "O - 0.31", terminal=True)
    assert m.run(1.0, integrator=integrator, step=0.002).status.time_reached == pytest.approx(exact.events[1].time, abs=1e-4)


def test_a_jump_that_the_near_side_never_reaches() -> None:
    """The stages of a step may lie beyond a jump that the motion turns round before; the step is then made without it."""
    m = mb.Model("block", dimension=2)
    m.body("block", mass=1.0, inertia=1.0)
    m.translational("S", m.ground, "block", axis=(1, 0))
    m.effort("push", "S", value="if(S > 0.5001, 50, -1)")
    m.initial({"S.rate": 1.0})
    for integrator in ORDERS:
        run = m.run(1.5, integrator=integrator, step=0.07)
        assert run.ok and run.final["S"] == pytest.approx(1.5 - 1.125, abs=1e-9)
