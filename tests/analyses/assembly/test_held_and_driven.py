"""What is said twice has to agree: initial values beside motions; and requests that deserve a word get one."""

import math
from typing import Any

import pytest

import multibody as mb


def driven(units: float = 1.0, dimension: int = 2) -> mb.Model:
    """Return a slider and a crank; the crank is driven, lengths in parts of a meter."""
    m = mb.Model("m", dimension=dimension)
    m.parameter("w", 3.0)
    axis = (1, 0) if dimension == 2 else (1, 2, -0.5)
    m.body("a", mass=1, inertia=1 if dimension == 2 else (1, 1, 1), frames={"p": (units, 0, 0)[:dimension]})
    m.body("b", mass=1, inertia=1 if dimension == 2 else (1, 1, 1))
    m.revolute("O", "ground", "a")
    m.translational("S", "ground", "b", axis=axis)
    m.motion("O", "0.25 + w*t")
    m.motion("S", f"{2 * units}*cos(t)")
    return m


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("units", [1.0, 1e3, 1e-6])
@pytest.mark.parametrize(
    ("path", "scaled", "motion"),
    [("O", 0.3, 0.25), ("O.angle", 0.3, 0.25), ("O.rate", 2.0, 3.0), ("S", 1.0, 2.0), ("S.rate", 1.0, 0.0)],
)  # fmt: skip
def test_an_initial_value_against_a_motion_is_told(
    path: str, scaled: float, motion: float, units: float, dimension: int
) -> None:
    m = driven(units, dimension)
    length = units if path.startswith("S") else 1.0
    m.initial({path: scaled * length})
    for status in (m.assemble().status, m.kinematics(1.0).status, m.run(1.0).status):
        assert not status.success
        assert f'initial "{path}" holds' in status.message and "at t = 0" in status.message
        assert status.advice == "leave it out, or let the motion begin there"
        assert status.worst == f"initial {path}"
    assert f"is {motion * length:.9g} at t = 0" in status.message


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("given", [{"O": 0.25, "O.rate": "w"}, {"S": 2, "S.rate": 0}, {"O": 3.25}])
def test_values_that_agree_are_fine(given: dict[str, Any]) -> None:
    """At the beginning of the model, or at the time of assembly."""
    m = driven()
    m.initial(given)
    assert m.assemble(t=1.0).ok
    assert m.assemble(t=1.0)["O.rate"] == pytest.approx(3.0)
    assert m.kinematics(2.0, start=1.0).ok


def test_what_a_gear_determines_is_held_or_told() -> None:
    m = mb.Model("m", dimension=2)
    for name in ("A", "B"):
        m.revolute(name, "ground", m.body(f"wheel{name}", mass=1, inertia=1))
    m.coupler("C", "A - 2*B")
    m.initial({"A": 1.0})
    assert m.assemble()["B"] == pytest.approx(0.5)
    m.initial({"B": 0.7})
    state = m.assemble()
    assert not state.ok and "cannot close" in state.status.message


def test_one_coordinate_held_twice() -> None:
    m = mb.Model("m", dimension=2)
    m.revolute("A", "ground", m.body("a", mass=1, inertia=1))
    m.initial({"A": 1.0, "A.angle": 2.0})
    assert not m.assemble().ok


def swing() -> mb.Model:
    m = mb.Model("m", dimension=2, gravity=(0, -9.81))
    m.revolute("A", "ground", m.body("a", mass=1, inertia=0.1, com=(0.5, 0)))
    return m


def test_a_run_backward_says_so() -> None:
    run = swing().run(-0.5)
    assert run.ok and run.time[-1] == -0.5
    assert any("until -0.5 lies before the start 0: the model runs backward in time" in note for note in run.notes)
    assert not any("backward" in note for note in swing().run(0.5).notes)


@pytest.mark.parametrize(
    ("method", "field"),
    [("dop853:first_step=3", "first_step 3"), ("bdf:first_step=3", "first_step 3"), ("rk4:step=3", "step 3")],
)
def test_a_step_longer_than_the_run_says_so(method: str, field: str) -> None:
    run = swing().run(0.01, integrator=method)
    assert run.ok
    assert any(f"{field} of {method.split(':')[0]} is longer than the whole, 0.01" in note for note in run.notes)


def test_a_driven_run_keeps_its_notes() -> None:
    m = driven()
    run = m.run(-1.0, rtol=1e-20)
    assert any("backward" in note for note in run.notes) and any("rtol 1e-20 is taken as" in note for note in run.notes)
    assert run["O"].values[-1] == pytest.approx(0.25 - 3.0) and math.isfinite(run["S"].values[-1])
