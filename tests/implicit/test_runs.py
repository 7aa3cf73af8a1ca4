"""Implicit integrators on models: against references, explicit methods and each other, in all coordinates."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import multibody as mb

ANDREWS = 15.810771195154  # β at 0.03 s, by two independent integrations of the minimal equations
TILTED = {0.5: -0.689656995585, 1.0: -4.143813546622}  # crank angle of the velocity-transformation paper's four-bar
SMOOTH = ("augmented", "partitioning", "kane", "parametric", "recursive", "transformation", "articulated")


@pytest.fixture(scope="module")
def four_bar() -> tuple[mb.Model, float]:
    """Return a model and where its coupler is after two seconds."""
    model = mb.load("four-bar")
    return model, float(model.run(2.0, rtol=1e-12, atol=1e-14)["link2.x"].values[-1])


@pytest.mark.parametrize("formulation", SMOOTH)
@pytest.mark.parametrize("integrator", ["bdf", "radau"])
def test_every_formulation(four_bar: tuple[mb.Model, float], formulation: str, integrator: str) -> None:
    model, exact = four_bar
    run = model.run(2.0, formulation=formulation, integrator=integrator, rtol=1e-9, atol=1e-11)
    assert run.ok
    assert abs(float(run["link2.x"].values[-1]) - exact) < 1e-6
    assert run.certificate["position_violation"] < 1e-11 and run.certificate["velocity_violation"] < 1e-10
    assert run.certificate["energy_drift"] < 1e-6
    assert run.statistics["jacobian_evaluations"] < 0.5 * run.statistics["steps"]


@pytest.mark.parametrize(("integrator", "options"), [
    ("bdf", {"rtol": 1e-10, "atol": 1e-12}), ("radau", {"rtol": 1e-9, "atol": 1e-11}), ("alpha", {"step": 5e-7}),
])  # fmt: skip
def test_andrews_squeezer(integrator: str, options: dict[str, Any]) -> None:
    run = mb.load("iftomm-andrews").run(0.03, integrator=integrator, **options)
    angle = float(run["O.angle"].values[-1]) if "O" in run.motion.tables.joint_rows else float(run.motion.q[-1, 2])
    assert run.ok and abs(angle / ANDREWS - 1.0) < 1e-6


@pytest.mark.parametrize("integrator", ["bdf", "radau"])
def test_tilted_four_bar_of_the_paper(integrator: str) -> None:
    run = mb.load("tilted-four-bar").run(1.0, formulation="recursive", integrator=integrator, rtol=1e-10, atol=1e-12)
    for t, angle in TILTED.items():
        assert abs(float(run["O2.angle"].sel(time=t, method="nearest")) - angle) < 1e-7


def test_a_stiff_governor_needs_few_implicit_steps() -> None:
    model = mb.load("iftomm-flyball", c=4e5)
    steps = {}
    for name in ("dop853", "bdf", "radau"):
        run = model.run(0.5, integrator=name, rtol=1e-6, atol=1e-8)
        assert run.ok
        steps[name] = run.statistics["steps"]
    assert steps["dop853"] > 20 * steps["bdf"] and steps["dop853"] > 20 * steps["radau"]


def test_engine_in_conventional_and_parametric_coordinates() -> None:
    model, ends = mb.load("engine"), []
    for formulation in ("augmented", "parametric"):
        run = model.run(0.3, formulation=formulation, integrator="bdf", rtol=1e-11, atol=1e-13)
        ends.append(float(run["piston1.x"].values[-1]))
    assert abs(ends[0] - ends[1]) < 1e-8


def test_auto_hands_a_stiff_model_to_an_implicit_method() -> None:
    run = mb.load("iftomm-flyball", c=4e5).run(0.3, rtol=1e-6, atol=1e-8)
    assert run.ok and run.statistics["integrator"] == "bdf"
    assert "stiff" in run.statistics["choice"] and run.statistics["choice"] in run.notes


def test_auto_notices_stiffness_after_the_first_steps() -> None:
    """Rows of dense output fill up between looks at the integrator; stiffness that sets in late must be seen then, too."""
    m = mb.Model("late", dimension=2)
    b = m.body("b", mass=1.0, inertia=1.0)
    m.translational("S", m.ground, b, axis=(1, 0))
    m.effort("damper", "S", value="-step(t, 2, 1, 2.5, 1e6)*(S.rate - sin(40*t))")
    run = m.run(6.0, rtol=1e-6, atol=1e-8)
    assert run.ok and run.statistics["integrator"] == "bdf"
    assert run.status.time_reached == 6.0


def test_auto_goes_back_to_the_explicit_method_where_the_implicit_one_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib

    from multibody.analyses.state import Status

    runs = importlib.import_module("multibody.analyses.run")
    plain = runs._integrate

    def failing(sim: Any, options: Any, progress: Any) -> Any:
        if sim.integrator.name == "bdf":
            return Status(False, "the step became too small at t = 0.01", 0.01)
        return plain(sim, options, progress)

    monkeypatch.setattr(runs, "_integrate", failing)
    run = mb.load("iftomm-flyball", c=4e5).run(0.1, rtol=1e-6, atol=1e-8)
    assert run.ok and run.statistics["integrator"] == "dop853" and "bdf" in run.statistics["choice"]


def test_auto_says_what_it_picked() -> None:
    small, long = mb.load("four-bar").run(0.05), mb.load("chain", n=40).run(0.01)
    assert "augmented" in small.statistics["choice"] and "3 bodies" in small.statistics["choice"]
    assert long.statistics["formulation"] == "articulated" and "without a closed loop" in long.statistics["choice"]
    assert mb.load("four-bar").run(0.05, formulation="kane", integrator="adams").statistics["choice"] == ""


@pytest.mark.parametrize("formulation", ["baumgarte", "transformation-stabilized"])
def test_feedback_is_refused(formulation: str) -> None:
    with pytest.raises(mb.ModelError, match="feeds their violation back"):
        mb.load("four-bar").run(0.1, formulation=formulation, integrator="bdf")


@pytest.mark.parametrize("integrator", ["bdf", "radau"])
def test_change_points_are_passed(integrator: str) -> None:
    run = mb.load("iftomm-n-four-bar").run(3.0, integrator=integrator, rtol=1e-7, atol=1e-9)
    assert run.ok and run.certificate["energy_drift"] < 1e-5
    assert run.certificate["smallest_pivot_ratio"] < 1e-2  # a position without rank was met


def test_the_work_of_a_motion_is_exact() -> None:
    run = mb.load("rssr").run(1.0, integrator="bdf", rtol=1e-8, atol=1e-10)
    assert run.ok and run.certificate["energy_drift"] < 1e-5


def test_stepping_from_outside() -> None:
    model = mb.load("four-bar")
    sim = model.simulator(integrator="bdf", rtol=1e-9, atol=1e-11)
    for _ in range(10):
        sim.step(0.05)
    exact = model.run(0.5, rtol=1e-11, atol=1e-13)
    assert abs(sim["link2.x"] - float(exact["link2.x"].values[-1])) < 1e-6


def test_what_was_computed_before_a_failure_is_kept() -> None:
    m = mb.Model("late", dimension=2)
    b = m.body("b", mass=1.0, inertia=1.0)
    m.translational("S", m.ground, b, axis=(1, 0))
    m.effort("e", "S", value="1/(0.5 - t)^2")
    with pytest.warns(RuntimeWarning):
        run = m.run(1.0, integrator="bdf")
    assert not run.ok and 0.3 < run.status.time_reached <= 0.51
    assert np.all(np.isfinite(run["S"].values)) and len(run["S"]) > 10
