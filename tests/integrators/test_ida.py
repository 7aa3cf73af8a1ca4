"""IDA of SUNDIALS on the same equations: an oracle for the trajectories of bdf and for the work that it needs."""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np
import pytest

import multibody as mb
from multibody.analyses.dynamics.simulation import Simulation
from multibody.integrators import Ida, integrator_of
from oracles import REQUIRED

needs_sundials = pytest.mark.skipif(
    not REQUIRED and importlib.util.find_spec("sksundae") is None, reason="scikit-sundae is not installed"
)

# model, its parameters, end
PROBLEMS: dict[str, tuple[str, dict[str, Any], float]] = {
    "pendulum": ("iftomm-pendulum", {}, 5.0),
    "andrews": ("iftomm-andrews", {}, 0.03),
    "flyball": ("iftomm-flyball", {}, 1.0),
    "engine": ("engine", {}, 1.0),
}
RTOL = 1e-6


def positions(run: mb.Run) -> np.ndarray[Any, Any]:
    """Return the coordinates over time, one row an instant."""
    return np.asarray(run.motion.q)


@needs_sundials
@pytest.mark.parametrize("name", PROBLEMS)
def test_bdf_and_ida_agree_and_bdf_needs_no_more_work(name: str) -> None:
    source, parameters, until = PROBLEMS[name]
    model = mb.load(source, **parameters)
    exact = model.run(until, rtol=1e-11, atol=1e-13)
    runs = {key: model.run(until, integrator=key, rtol=RTOL, atol=1e-2 * RTOL) for key in ("bdf", "ida")}
    size = float(np.max(np.abs(positions(exact))))
    off = {key: float(np.max(np.abs(positions(run) - positions(exact)))) / size for key, run in runs.items()}
    assert max(off.values()) < 1e3 * RTOL  # what the error of a step leaves after many of them
    assert off["bdf"] < 10 * off["ida"]
    work = {key: run.statistics for key, run in runs.items()}
    for key in ("steps", "rhs_evaluations"):
        assert 0.2 < work["bdf"][key] / work["ida"][key] < 1.5
    assert 0.1 < work["bdf"]["jacobian_evaluations"] / work["ida"]["jacobian_evaluations"] < 2.0


def session_of(name: str, at: float) -> tuple[Simulation, Any]:
    """Return a simulation with IDA that has come to a time, and its session."""
    from multibody.analyses.dynamics.run_start import start_state
    from multibody.formulations import Augmented
    from multibody.integrators import ida
    from multibody.rank.run_rows import run_rows
    from multibody.state.system import System, tables_of

    model = mb.load(name)
    state, _ = start_state(model, None, None)
    system = System(tables_of(model))
    system.ref[:] = state.references
    rows = run_rows(system, state.q, state.t)
    sim = Simulation(system, state, rows, Augmented(), Ida(), rtol=1e-6, atol=1e-8)
    sim.advance(at)
    return sim, ida._SESSIONS[id(sim.control)][1]


@needs_sundials
@pytest.mark.parametrize(("name", "at"), [("iftomm-flyball", 0.05), ("spatial-four-bar", 0.2), ("iftomm-andrews", 0.005)])
def test_the_jacobian_is_the_derivative_of_the_residual(name: str, at: float) -> None:
    sim, session = session_of(name, at)
    size, cj = session.size, 300.0
    y, slope = session.y.copy(), session.slope.copy()
    y[-session.m :] = 0.0
    J, out = np.zeros((size, size)), np.zeros(size)
    session.jacobian(sim.t, y, slope, out, cj, J)
    for k in range(size):
        h = 1e-6 * max(1.0, abs(y[k]))
        difference = np.zeros(size)
        for sign in (1.0, -1.0):
            moved, rate = y.copy(), slope.copy()
            moved[k] += sign * h
            rate[k] += sign * cj * h
            session.residual(sim.t, moved, rate, out)
            difference += sign * out / (2 * h)
        difference[session.nq + session.n] = J[session.nq + session.n, k]  # power is in no test: its derivative is left out
        assert J[:, k] == pytest.approx(difference, rel=1e-5, abs=1e-6 * max(1.0, np.max(np.abs(difference))))


@needs_sundials
def test_a_free_body_has_no_multipliers() -> None:
    m = mb.Model("thrown", gravity=(0, 0, -9.81))
    m.body("stone", mass=2.0, inertia=[0.1, 0.2, 0.3])
    m.initial({"stone.x.rate": 1, "stone.z.rate": 5, "stone.omega.x": 3.0, "stone.omega.y": 0.1, "stone.omega.z": 0.2})
    run = m.run(1.0, integrator="ida", rtol=1e-8)
    assert run["stone.z"].values[-1] == pytest.approx(5.0 - 0.5 * 9.81, abs=1e-6)
    explicit = m.run(1.0, integrator="dop853", rtol=1e-11)
    assert run["stone.omega.x"].values == pytest.approx(explicit["stone.omega.x"].values, abs=1e-5)


@needs_sundials
def test_events_and_dense_output() -> None:
    m = mb.load("iftomm-pendulum")
    m.event("bottom", "bar.x")
    run = m.run(2.0, integrator="ida", rtol=1e-9, atol=1e-11)
    other = m.run(2.0, rtol=1e-11, atol=1e-12)
    assert [e.time for e in run.events] == pytest.approx([e.time for e in other.events], abs=1e-6)
    for t in (0.123, 1.017, 1.9):
        assert float(run.at(t)["bar.x"]) == pytest.approx(float(other.at(t)["bar.x"]), abs=1e-6)


@needs_sundials
def test_it_goes_on_after_a_stop_as_if_there_had_been_none() -> None:
    whole, _ = session_of("iftomm-andrews", 0.01)
    parts, _ = session_of("iftomm-andrews", 0.004)
    steps = int(parts.counts[0])
    parts.advance(0.01)
    assert int(parts.counts[0]) > steps
    assert parts.y == pytest.approx(whole.y, rel=1e-3, abs=1e-4)


@needs_sundials
def test_it_integrates_backwards() -> None:
    model = mb.load("engine")
    there = model.run(0.2, integrator="ida", rtol=1e-9, atol=1e-11)
    back = model.run(0.0, initial=there.final, integrator="ida", rtol=1e-9, atol=1e-11)
    assert positions(back)[-1] == pytest.approx(positions(there)[0], abs=1e-5)


def test_without_the_package_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *rest: None if name == "sksundae" else found(name, *rest))
    with pytest.raises(mb.ModelError, match="pip install scikit-sundae"):
        integrator_of("ida")
    with pytest.raises(mb.ModelError, match="pip install scikit-sundae"):
        mb.load("iftomm-pendulum").run(0.1, integrator="ida")


def test_bad_options() -> None:
    with pytest.raises(mb.ModelError, match="max_order 6 is out of range"):
        Ida(max_order=6)


@needs_sundials
def test_a_force_that_ends_is_no_endless_run() -> None:
    m = mb.Model("ends", dimension=2)
    m.body("c", mass=1.0, inertia=1.0)
    m.translational("T", m.ground, "c", axis=(1, 0))
    m.effort("f", "T", value="-sqrt(0.5 - T)")
    m.initial({"T": 0.49, "T.rate": 1.0})
    with pytest.warns(RuntimeWarning, match='effort "f": it has no finite value at or behind t = 0.01'):
        run = m.run(1.0, integrator="ida")
    assert not run.ok and 0.0100 < float(run.motion.t[-1]) < 0.0101
