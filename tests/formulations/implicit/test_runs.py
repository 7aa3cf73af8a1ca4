"""Implicit integrators on models: against references, explicit methods and each other, in all coordinates."""

from __future__ import annotations

import dataclasses
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import multibody as mb
from analyses.dynamics.random_loops import random_loop
from multibody.integrators import Alpha, Bdf, Dop853, Integrator, Radau

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

    from multibody.state.state import Status

    runs = importlib.import_module("multibody.analyses.dynamics.run")
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


@pytest.mark.parametrize("form", ["stabilized", "index3"])
def test_alpha_passes_change_points_in_few_iterations(form: str) -> None:
    runs = [mb.load("iftomm-n-four-bar", n=3).run(3.0, integrator=Alpha(h, form=form)) for h in (4e-3, 2e-3)]
    drift = [run.certificate["energy_drift"] for run in runs]
    assert all(run.ok for run in runs) and drift[1] < 1e-4 and 3.0 < drift[0] / drift[1] < 5.0
    assert all(run.statistics["iterations"] < 3 * run.statistics["steps"] for run in runs)


@pytest.fixture(scope="module")
def flat() -> tuple[mb.Model, float]:
    """Return a parallelogram that lies flat six times in ten seconds, and where its crank is then."""
    model = mb.load("four-bar-singular")
    return model, float(model.run(10.0, rtol=1e-11, atol=1e-12)["link1.angle"].values[-1])


@pytest.mark.parametrize("formulation", ["augmented", "kane", "partitioning", "recursive"])
@pytest.mark.parametrize("ratio", [1e-2, 1.0])
@pytest.mark.parametrize("rtol", [1e-5, 1e-8, 1e-9, 1e-10])
def test_bdf_passes_change_points_at_every_tolerance(
    flat: tuple[mb.Model, float], rtol: float, ratio: float, formulation: str
) -> None:
    model, exact = flat
    run = model.run(10.0, formulation=formulation, integrator="bdf", rtol=rtol, atol=ratio * rtol)
    assert run.ok and run.certificate["smallest_pivot_ratio"] < 1e-2
    assert np.max(np.abs(run["link2.angle"].values)) < 1e-5  # it stays on its branch
    assert abs(float(run["link1.angle"].values[-1]) - exact) < 1e3 * rtol
    assert run.certificate["energy_drift"] < 1e3 * rtol
    assert run.statistics["rejected"] < 0.2 * run.statistics["steps"]  # it does not creep


@pytest.mark.parametrize("n", [1, 3, 10])
def test_bdf_passes_all_change_points_of_many_loops(n: int) -> None:
    rtol, inertia, weight = 1e-10, (n + 1) / 3 + n, 9.81 * ((n + 1) / 2 + n)
    run = mb.load("iftomm-n-four-bar", n=n).run(5.0, integrator="bdf", rtol=rtol, atol=1e-2 * rtol)
    assert run.ok and run.certificate["energy_drift"] < 1e3 * rtol
    energy = 0.5 * inertia * run["A0.rate"].values ** 2 + weight * np.sin(run["A0"].values)  # in the crank's angle alone
    assert np.max(np.abs(energy / energy[0] - 1.0)) < 1e3 * rtol
    assert max(np.max(np.abs(run[f"coupler{k}.angle"].values)) for k in range(n)) < 1e-8


def test_output_across_a_change_point_is_continuous() -> None:
    run = mb.load("four-bar-singular").run(1.0, integrator="bdf", rtol=1e-6, atol=1e-8)
    assert run.certificate["smallest_pivot_ratio"] < 1e-2
    records = run.motion.dynamics.dense.records  # powers of the part of each step that has passed
    assert records[:-1].sum(axis=1) == pytest.approx(records[1:, 0], rel=0.0, abs=1e-12)


@pytest.mark.parametrize("integrator", ["dop853", "radau", "bdf"])
def test_short_steps_across_a_change_point_are_no_lock(integrator: str) -> None:
    """A passage in hundreds of steps is one all the same."""
    method = {"dop853": Dop853, "radau": Radau, "bdf": Bdf}[integrator](max_step=1e-3 / 2)
    assert mb.load("four-bar-singular").run(1.0, integrator=method, rtol=1e-6).ok


@pytest.mark.parametrize("method", [Bdf(max_step=1e-300), Radau(max_step=1e-13), Alpha(step=1e-13), Dop853(max_step=1e-17)])
def test_steps_without_end_are_refused(method: Integrator) -> None:
    with pytest.raises(mb.ModelError, match=r"is too short: it takes more than 1e\+12 steps; give a longer one"):
        mb.load("four-bar").run(1.0, integrator=method)


def test_steps_that_time_has_no_digits_for_are_refused() -> None:
    model = mb.load("four-bar")
    late = dataclasses.replace(model.run(0.1).final, t=1e6)
    with pytest.raises(mb.ModelError, match="has no such digits"):
        model.run(1e6 + 1e-3, initial=late, integrator=Bdf(max_step=1e-9))


def test_a_tolerance_below_round_off_is_said_to_be_one() -> None:
    model = mb.load("four-bar")
    assert any("rtol 1e-40 is taken as 1e-14" in note for note in model.run(0.05, rtol=1e-40).notes)
    assert not any("is taken as" in note for note in model.run(0.05, rtol=1e-14, atol=1e-14).notes)


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


@pytest.mark.parametrize("integrator", ["bdf", "radau", "alpha"])
@pytest.mark.parametrize(("length", "mass"), [(1.0, 1.0), (1e3, 1e3), (1e-3, 1e-3)], ids=["m-kg", "mm-g", "km-t"])
def test_parametric_takes_massless_bodies(length: float, mass: float, integrator: str) -> None:
    """The joints of a massless body are eliminated with it; their pivots, small beside others of the group, are sound."""
    m = mb.Model("massless coupler", dimension=2, gravity=(0, -9.81 * length))
    m.frames(c=(0.5 * length, 0))
    heavy = mass * length**2
    m.body("crank", mass=0.5 * mass, inertia=0.002 * heavy, com=(0.05 * length, 0), frames={"p": (0.1 * length, 0)})
    m.body("coupler", mass=0.0, inertia=0.0, frames={"p": (0.5 * length, 0)})
    m.body("rocker", mass=0.7 * mass, inertia=0.005 * heavy, com=(0.12 * length, 0), frames={"p": (0.25 * length, 0)})
    m.revolute("O", m.ground, "crank")
    m.revolute("A", "crank.p", "coupler")
    m.revolute("B", "coupler.p", "rocker.p")
    m.revolute("C", "ground.c", "rocker")
    m.initial({"O": 0.8, "O.rate": 6.0}, guess={"coupler.angle": 0.3, "rocker.angle": 1.3})
    exact = m.run(0.1, rtol=1e-10, atol=1e-12).final["O"]
    how = {"step": 2e-4} if integrator == "alpha" else {"rtol": 1e-8, "atol": 1e-10}
    run = m.run(0.1, formulation="parametric", integrator=integrator, **how)
    beside = m.run(0.1, formulation="augmented", integrator=integrator, **how)
    for each in (run, beside):
        assert each.ok and each.final["O"] == pytest.approx(exact, abs=1e-6)
    assert run.statistics["rhs_evaluations"] < 1.5 * beside.statistics["rhs_evaluations"]


@pytest.mark.parametrize("seed", [0, 3, 5, 9])
def test_massless_bodies_in_random_loops(seed: int) -> None:
    heavy = random_loop(seed)[1]
    plain = heavy.state(heavy.model())
    name = heavy.mechanism.bodies[0].name
    inertias = heavy.inertias | {name: 0.0 * np.asarray(heavy.inertias[name])}
    model = replace(heavy, masses=heavy.masses | {name: 0.0}, inertias=inertias, springs=()).model()
    state = replace(model.assemble(), v=plain.v)
    exact = model.run(0.1, initial=state, formulation="augmented", rtol=1e-11, atol=1e-12).motion.q[-1]
    for formulation in ("augmented", "parametric", "recursive"):
        for integrator in ("bdf", "radau"):
            how = {"formulation": formulation, "integrator": integrator, "rtol": 1e-8, "atol": 1e-10}
            run = model.run(0.1, initial=state, **how)
            assert run.ok and run.statistics["steps"] < 200
            assert np.max(np.abs(run.motion.q[-1] - exact)) < 1e-6, how


@pytest.fixture(scope="module")
def rod() -> tuple[mb.Model, float]:
    """Return a crank and a rocker with a massless rod between balls, and where the crank is after a tenth of a second."""
    m = mb.Model("rssr", dimension=3, gravity=(0, 0, -9.81))
    m.frames(c={"at": (1.2, 0.3, 0.1)})
    m.body("crank", mass=1, inertia=(0.02, 0.03, 0.04), com=(0.1, 0.02, 0.01), frames={"p": (0.3, 0, 0.05)})
    m.body("rod", mass=0, inertia=(0, 0, 0), frames={"q": (0.9, 0.2, 0.1)}, at=(0.3, 0, 0.05))
    m.body("rocker", mass=1.5, inertia=(0.05, 0.06, 0.07), com=(0, 0.1, 0.3), frames={"p": (0, -0.1, 0.05)}, at=(1.2, 0.3, 0.1))
    m.revolute("O", m.ground, "crank", axis=(0, 0, 1))
    m.spherical("A", "crank.p", "rod")
    m.spherical("B", "rod.q", "rocker.p")
    m.revolute("C", "ground.c", "rocker", axis=(0.2, 1, 0.1))
    m.initial({"O.rate": 2.0})
    return m, float(m.run(0.1, formulation="augmented", rtol=1e-11, atol=1e-12).final["O"])


@pytest.mark.parametrize("integrator", ["bdf", "radau", Alpha(step=1e-3), "dop853"], ids=["bdf", "radau", "alpha", "dop853"])
@pytest.mark.parametrize("formulation", ["augmented", "recursive", "parametric", "kane", "partitioning"])
def test_a_massless_rod_may_spin_between_balls(rod: tuple[mb.Model, float], formulation: str, integrator: Any) -> None:
    model, exact = rod
    run = model.run(0.1, formulation=formulation, integrator=integrator)
    assert run.ok and run.final["O"] == pytest.approx(exact, abs=6e-5 if isinstance(integrator, Alpha) else 2e-7)


@pytest.mark.parametrize("t", [np.nan, np.inf])
def test_times_are_finite(t: float) -> None:
    for ask in (mb.load("four-bar").system_jacobian, mb.load("double-pendulum").statics):
        with pytest.raises(mb.ModelError, match="give a finite time"):
            ask(t=t)
