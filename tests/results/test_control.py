"""State spaces for python-control, and simulators with arrays: both against runs and closed forms."""

from __future__ import annotations

import copy
import pickle
import sys
from typing import Any

import numpy as np
import pytest

import multibody as mb
from multibody.errors import ModelError


def cart(**units: str) -> Any:
    """Return a mass on a spring and a damper that a motor pushes, in units of choice: m ẍ + c ẋ + k x = u."""
    m = mb.Model("cart", dimension=2, units=units or None)
    time, mass = m.units.factor(0, 1, 0), m.units.factor(0, 0, 1)
    m.body("cart", mass=2.0 / mass, inertia=1.0)
    m.translational("S", m.ground, "cart", axis=(1, 0))
    m.effort("motor", "S", value=0)
    m.effort("rest", "S", value=f"-{8.0 / mass * time**2}*S - {1.0 / mass * time}*S.rate")
    return m


# --- python-control ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("units", [{}, {"length": "mm", "time": "ms", "mass": "g"}])
def test_a_mass_on_a_spring(units: dict[str, str]) -> None:
    control = pytest.importorskip("control")
    m = cart(**units)
    space = m.modes(inputs=["motor"], outputs=["S", "S.rate", "S.acceleration"]).to_control()
    time, mass = m.units.factor(0, 1, 0), m.units.factor(0, 0, 1)
    stiffness, inertia = 8.0 / mass * time**2, 2.0 / mass
    assert np.allclose(control.dcgain(space)[0], 1 / stiffness, rtol=1e-9)
    poles = np.roots([2.0, 1.0, 8.0]) * time
    assert np.allclose(sorted(space.poles(), key=np.imag), sorted(poles, key=np.imag), rtol=1e-9)
    assert np.allclose(space.D[:, 0], [0, 0, 1 / inertia], rtol=1e-9), "a force acts on the acceleration at once"
    assert space.input_labels == ["motor"]
    assert space.output_labels == ["S", "S_rate", "S_acceleration"]
    assert space.notes["outputs"]["S_rate"] == {"path": "S.rate", "unit": f"{m.units.length}/{m.units.time}"}
    assert space.notes["outputs"]["S_acceleration"]["unit"]
    assert space.notes["inputs"]["motor"]["unit"] == m.units.names["force"]
    assert space.notes["time_unit"] == m.units.time


def loop() -> Any:
    """Return a four-bar that hangs at rest, with a motor at its crank."""
    m = mb.Model("hanging", dimension=2, gravity=(0, -9.81))
    m.frames(right=(0.7, 0))
    for name, length in (("crank", 0.3), ("coupler", 0.6), ("rocker", 0.5)):
        m.body(name, mass=length, inertia=length**3 / 12, com=(length / 2, 0), frames={"end": (length, 0)})
    m.revolute("O", m.ground, "crank")
    m.revolute("A", "crank.end", "coupler")
    m.revolute("B", "coupler.end", "rocker.end")
    m.revolute("C", m.ground["right"], "rocker")
    m.effort("motor", "O", value=0)
    m.effort("drag", "O", value="-0.05*O.rate")
    m.initial({"O": -1.2}, guess={"C": -1.5})
    return m


def test_poles_are_the_modes_also_with_loops() -> None:
    pytest.importorskip("control")
    found = loop().modes(inputs=["motor"], outputs=["O", "C"])
    space = found.to_control()
    assert space.nstates == 2
    pair = found.eigenvalues[0]
    assert np.allclose(sorted(space.poles(), key=np.imag), [pair.conjugate(), pair], rtol=1e-9)


def test_a_small_step_is_that_of_a_run() -> None:
    control = pytest.importorskip("control")
    m = loop()
    found = m.modes(inputs=["motor"], outputs=["O", "C", "O.rate"])
    rest, push, times = found.state, 1e-5, np.linspace(0, 1.5, 31)
    _, expected = control.step_response(found.to_control(), times)
    sim = m.simulator(rest)
    sim.set("motor.effort", push)
    moved = []
    for t in times:
        sim.run_until(float(t))
        moved.append([(sim[path] - rest[path]) / push for path in ("O", "C", "O.rate")])
    scale = np.max(np.abs(moved), axis=0)
    assert np.all(scale > 0)
    assert np.max(np.abs(np.array(moved).T - expected[:, 0]) / scale[:, None]) < 2e-4  # of second order in the push


def test_control_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "control", None)
    with pytest.raises(ModelError, match=r"python-control is not installed; pip install multibody\[control\]"):
        cart().modes(inputs=["motor"]).to_control()


# --- arrays -----------------------------------------------------------------------------------------------------------
def test_arrays_step_as_names_do() -> None:
    m = mb.load("inverted-pendulum")
    outputs = ["track", "pivot", "track.rate", "pole.tip.x", "track - 2*pivot"]
    for method in ("recursive", "augmented"):
        way = {"formulation": method, "integrator": "rk4", "step": 0.01}
        arrays = m.simulator(inputs=["motor.effort"], outputs=outputs, period=0.01, **way)
        quick = m.simulator(inputs=["motor.effort"], outputs=outputs[:3], period=0.01, **way)
        named = m.simulator(**way)
        for k in range(40):
            u = np.sin(0.3 * k)
            named.set("motor.effort", u)
            named.step(0.01)
            y = arrays.step([u])
            assert y.tolist() == [named[path] for path in outputs]
            assert quick.step(np.array([u])).tolist() == y[:3].tolist()
        assert arrays.t == named.t
        again = arrays.restore(arrays.state)
        assert np.array_equal(again, y)


def test_vectors_stand_for_their_components() -> None:
    m = mb.Model("puck", dimension=2)
    m.body("puck", mass=0.5, inertia=1e-3)
    m.free("table", m.ground, "puck")
    m.force("fan", "puck", value=(0, 0))
    outputs = ["[puck.x, puck.y]", "puck.angle.rate", "table.x"]
    sim = m.simulator(inputs=["fan.force", "fan.moment"], outputs=outputs, period=0.1)
    assert sim.inputs == ["fan.force.x", "fan.force.y", "fan.moment"]
    assert sim.outputs == ["[puck.x, puck.y] [0]", "[puck.x, puck.y] [1]", "puck.angle.rate", "table.x"]
    y = sim.step([1.0, -2.0, 3e-3])
    assert np.allclose(y, [0.5 * 2 * 0.01, -0.5 * 4 * 0.01, 0.3, 0.5 * 2 * 0.01], atol=1e-9)
    for copied in (copy.deepcopy(sim), pickle.loads(pickle.dumps(sim))):
        assert np.allclose(copied.read(), y)
        assert np.allclose(copied.step([1.0, -2.0, 3e-3]), _next(sim), atol=1e-9)


def _next(sim: Any) -> Any:
    """Return the outputs after the same step, and go back."""
    here = sim.state
    y = sim.step([1.0, -2.0, 3e-3])
    sim.restore(here)
    return y


def test_arrays_that_do_not_fit() -> None:
    m = mb.load("inverted-pendulum")
    good: dict[str, Any] = {"inputs": ["motor.effort"], "outputs": ["pivot"], "period": 0.01}
    sim = m.simulator(**good)
    for wrong in ([1.0, 2.0], "one", [float("nan")], [[1.0, 2.0]], None):
        with pytest.raises(ModelError, match="is no input; give 1 finite numbers"):
            sim.step(wrong)
    for change, words in (
        ({"period": None}, "arrays need all three"), ({"period": -1.0}, "period is -1"),
        ({"inputs": ["pivot"]}, "cannot be set"), ({"outputs": "pivot"}, "is no list"),
        ({"outputs": ["nothing"]}, "unknown name"),
        ({"inputs": ["motor.effort", "motor.effort"]}, "given twice"),
    ):  # fmt: skip
        with pytest.raises(ModelError, match=words):
            m.simulator(**{**good, **change})
