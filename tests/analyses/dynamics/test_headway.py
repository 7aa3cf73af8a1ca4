"""Runs end: by their end, or with a word why not; a long way is no reason, and an answer that is off is not silent."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

import multibody as mb
from multibody.analyses.dynamics import headway as H
from multibody.analyses.dynamics.headway import Headway
from multibody.analyses.dynamics.simulation import Simulation
from multibody.integrators import Adams, Bdf, Dop853, Radau
from multibody.integrators import contract as C


def pace(watch: Headway, rounds: list[tuple[float, int, int]]) -> list[bool]:
    """Return what a watch says of rounds (time made by an attempt, attempts, refused ones), 1000 attempts at a time."""
    t, attempts, refused, found = 0.0, 0, 0, []
    for step, count, bad in rounds:
        for _ in range(count // 1000):
            t, attempts, refused = t + 1000 * step, attempts + 1000, refused + bad * 1000 // count
            found.append(watch.lost(t, attempts, refused, False))
    return found


def test_a_long_run_is_let_alone() -> None:
    """Ten million oscillations in steady steps, and passages in which steps are a million times shorter."""
    assert not any(pace(Headway(10.0, 0.0, 0, 0), [(2e-9, 2_000_000, 40_000)]))
    assert not any(pace(Headway(1e3, 0.0, 0, 0), [(1e-2, 10_000, 0), (1e-8, 60_000, 20_000), (1e-2, 20_000, 0)]))
    assert not any(pace(Headway(1e3, 0.0, 0, 0), [(1e-2, 10_000, 0), (1e-7, 2_000_000, 2000)]))  # few are refused


def test_a_run_that_stands_still_is_stopped() -> None:
    found = pace(Headway(1.0, 0.0, 0, 0), [(1e-6, 50_000, 0), (1e-12, 400_000, 100_000)])
    assert found.index(True) <= 200
    found = pace(Headway(1.0, 0.0, 0, 0), [(1e-13, 400_000, 0)])  # weeks from the beginning on
    assert any(found)


def falling() -> mb.Model:
    """Return a pendulum."""
    m = mb.Model("pendulum", dimension=2, gravity=(0, -9.81))
    m.body("b", mass=1, inertia=0.1, com=(1, 0))
    m.revolute("O", "ground", "b")
    return m


@pytest.mark.parametrize("integrator", [Dop853(), Adams(), Bdf(), Radau()], ids=lambda x: x.name)
def test_what_was_computed_is_kept(integrator: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """An integrator whose steps collapse at t = 0.3 ends there, with a status that says so."""
    monkeypatch.setattr(H, "WINDOW", 500)
    monkeypatch.setattr(H, "SAMPLE", 3)
    monkeypatch.setattr(H, "LONG", 1e3)
    monkeypatch.setattr(H, "COLLAPSED", 0.1)
    call = Simulation.call

    def slow(self: Simulation, end: float, limit: int) -> int:
        if self.t > 0.3:  # as if something held it
            self.control[C.HMAX] = 1e-7
            self.counts[C.REJECTED] += 100
        return call(self, end, 100 if self.t > 0.3 else 3)

    monkeypatch.setattr(Simulation, "call", slow)
    run = falling().run(1.0, integrator=integrator, rtol=1e-10)
    assert not run.ok and "no headway" in run.status.message
    assert 0.3 < run.status.time_reached < 0.5 and run["O"].values[-1] == pytest.approx(float(run["O"].values.min()))
    assert run.status.advice


def test_steps_near_a_change_point_may_be_short() -> None:
    """A flat parallelogram passes its change point in thousands of steps of 1e-5 s as it does in a few."""
    m = mb.Model("parallelogram", dimension=2)
    for name in ("left", "right"):
        m.body(name, mass=1, inertia=0.1, com=(0.5, 0), frames={"e": (1, 0)})
    m.body("bar", mass=1, inertia=0.2, com=(1, 0), frames={"e": (2, 0)})
    m.frames(P=(2, 0))
    m.revolute("O", "ground", "left")
    m.revolute("P", "ground.P", "right")
    m.revolute("A", "left.e", "bar")
    m.revolute("B", "right.e", "bar.e")
    m.initial({"O": -0.03, "O.rate": 1.0}, guess={"P": -0.03, "P.rate": 1.0})
    for integrator in (Dop853(max_step=1e-5), Bdf(max_step=1e-5)):
        run = m.run(0.06, integrator=integrator, formulation="augmented")
        assert run.ok, run.status.message
        assert run.statistics["steps"] > 5000
        assert run["O"].values[-1] == pytest.approx(0.03, abs=1e-6) and run["P"].values[-1] == pytest.approx(0.03, abs=1e-6)


def test_auto_hands_a_stiff_parametric_model_over() -> None:
    """A slider-crank with a damper that stops it: explicit steps become short near its dead point."""
    m = mb.Model("slider-crank", dimension=2, gravity=(0, -9.81))
    m.body("crank", mass=1, inertia=0.01, frames={"pin": (0.15, 0)})
    m.body("rod", mass=0.5, inertia=0.005, com=(0.175, 0), frames={"small": (0.35, 0)})
    m.body("slider", mass=0.4, inertia=1e-3)
    m.revolute("O", "ground", "crank")
    m.revolute("A", "crank.pin", "rod")
    m.revolute("B", "rod.small", "slider")
    m.translational("S", "ground", "slider", axis=(1, 0))
    m.effort("damper", "S", damping=1e5)
    m.initial({"O": 0.3, "O.rate": 15.0}, guess={"S": 0.5})
    run = m.run(0.3, formulation="parametric", rtol=1e-7)
    assert run.ok and run.statistics["integrator"] == "bdf"


# --- the energy balance -----------------------------------------------------------------------------------------------
def off(run: mb.Run) -> bool:
    """Return whether a run says that its energy balance is off."""
    return any("energy balance" in note for note in run.notes)


@pytest.mark.parametrize("name", ["double-pendulum", "four-bar", "iftomm-flyball", "spatial-four-bar", "iftomm-andrews"])
def test_right_runs_say_nothing(name: str) -> None:
    model = mb.load(name)
    until = {"iftomm-andrews": 0.01}.get(name, 0.5)
    for integrator in ("dop853", "bdf", "radau"):
        for rtol in (1e-4, 1e-6, 1e-8, 1e-10):
            assert not off(model.run(until, integrator=integrator, rtol=rtol, atol=0.01 * rtol))


def test_an_answer_that_is_off_is_said_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    """Work that is not accounted for, 2e-4 of the energy, is far above what rtol = 1e-8 promises."""
    call = Simulation.call

    def leaking(self: Simulation, end: float, limit: int) -> int:
        self.y[-1] += 2e-4 * 5.0 / 8
        return call(self, end, 10)

    run = falling().run(1.0, integrator="dop853", rtol=1e-8)
    assert not off(run)
    monkeypatch.setattr(Simulation, "call", leaking)
    run = falling().run(1.0, integrator="dop853", rtol=1e-8)
    assert 1e-5 < run.certificate["energy_drift"] < 1e-3 and off(run)
    assert np.isfinite(run.certificate["energy_drift"])


def test_a_formula_that_ends_a_run_is_not_met_a_second_time() -> None:
    """A stiff bushing turned to its pole stops `bdf`; an explicit method would grind against the same pole for minutes."""
    m = mb.load("bushing-suspension")
    upper = m.bodies["upper"]
    ball = dataclasses.replace(upper.frames["upper_ball"], at=(-0.02, 0.68, 0.0))  # so far off that bushings turn over
    m.bodies["upper"] = dataclasses.replace(upper, frames={**upper.frames, "upper_ball": ball})
    with pytest.warns(RuntimeWarning, match="changes beyond all bounds"):
        run = m.run(0.01, output_step=0.005)
    assert run.statistics["integrator"] == "bdf"
    assert run.statistics["steps"] < 20_000
    assert 0.005 < run.time[-1] < 0.01
