"""Redundant joints, bodies without inertia, constraints that depend on time, models that are driven completely."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import multibody as mb
from analyses.dynamics.checks import FORMULATIONS, Floats, difference, patience, tight


def door(hinges: int) -> mb.Model:
    """Return a door about a leaning axis with one or two hinges."""
    m = mb.Model("door", gravity=(0, 0, -9.81))
    m.body("door", mass=20.0, inertia=(4.0, 3.0, 1.5), com=(0.45, 0.02, 1.0))
    axis = (0.1, 0.0, 1.0)
    for k in range(hinges):
        m.revolute(f"hinge{k}", "ground", "door", at=(0.15 * k, 0.0, 0.2 + 1.5 * k), axis=axis)
    m.initial({"hinge0": 0.8, "hinge0.rate": 0.5})
    return m


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_second_hinge_changes_nothing_but_the_reactions(formulation: str) -> None:
    one, two = (door(n).run(until=4, formulation=formulation, rtol=1e-10, atol=1e-12) for n in (1, 2))
    assert difference(two, one, "hinge0", "hinge0.rate", "door.x", "door.y", "door.z") < 1e-8
    assert len(two.motion.dynamics.rows) == 5 and two.tables.count_joint == 10
    assert two["hinge0.reaction.force"].attrs["unique"] is False
    assert one["hinge0.reaction.force"].attrs["unique"] is True
    total = two["hinge0.reaction.force"].values + two["hinge1.reaction.force"].values
    assert total == pytest.approx(one["hinge0.reaction.force"].values, abs=1e-6)
    assert door(2).check().redundant != []


def test_the_door_swings_as_a_pendulum() -> None:
    run = tight(door(2), 4.0)
    h = np.array([0.1, 0.0, 1.0]) / math.hypot(0.1, 1.0)
    arm = np.array([0.45, 0.02, 1.0]) - [0.0, 0.0, 0.2]
    off = arm - (arm @ h) * h
    inertia = h @ np.diag([4.0, 3.0, 1.5]) @ h + 20.0 * off @ off
    weight = np.array([0, 0, -20 * 9.81])

    def slope(t: float, y: Floats) -> list[float]:
        turned = off * math.cos(y[0]) + np.cross(h, off) * math.sin(y[0])
        return [y[1], float(h @ np.cross(turned, weight)) / inertia]

    found = solve_ivp(slope, (0, 4), [0.8, 0.5], "DOP853", run.time, rtol=1e-12, atol=1e-12)
    assert run["hinge0"].values == pytest.approx(found.y[0], abs=1e-8)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_bricard_runs_and_says_what_is_unique(formulation: str) -> None:
    run = mb.load("iftomm-bricard").run(until=1, formulation=formulation, rtol=1e-9)
    assert run.ok
    assert len(run.motion.dynamics.rows) == 29 and run.tables.count_joint == 30
    assert run.certificate["energy_drift"] < 1e-8
    assert run.balance().relative < 1e-8
    assert not any(run[f"J{k}.reaction.force"].attrs["unique"] for k in range(6))


def scott_russell(doubled: bool) -> mb.Model:
    """Return two straight-line linkages on one slider: each bar's end on the line, its middle held by a crank."""
    m = mb.Model("double-scott-russell", dimension=2, gravity=(0, -9.81))
    for k, side in enumerate((1, -1) if doubled else (1,)):
        m.body(f"crank{k}", mass=0.5, inertia=0.02, com=(0.25, 0), frames={"end": (0.5, 0)})
        m.body(f"bar{k}", mass=1.0, inertia=0.1, frames={"B": (0.5, 0), "C": (-0.5, 0)})
        m.revolute(f"O{k}", "ground", f"crank{k}")
        m.revolute(f"A{k}", f"crank{k}.end", f"bar{k}")
        m.point_on_line(f"C{k}", "ground", f"bar{k}.C", axis=(0, 1))
        angle = 0.7 if side > 0 else math.pi - 0.7
        m.initial(guess={f"O{k}": angle, f"bar{k}.angle": -0.7 if side > 0 else math.pi + 0.7})
    m.body("slider", mass=0.4, inertia=0.01, at=(0, 0.0))
    m.translational("S", "ground", "slider", axis=(0, 1))
    for k in range(2 if doubled else 1):
        m.revolute(f"P{k}", f"bar{k}.C", "slider")
    m.initial({"O0": 0.7, "O0.rate": 1.0}, guess={"S": math.sin(0.7)})
    return m


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_double_scott_russell_linkage(formulation: str) -> None:
    model = scott_russell(True)
    report = model.check()
    assert report.mobility == 1 and len(report.redundant) == 2
    run = model.run(until=0.5, formulation=formulation, rtol=1e-10, atol=1e-12)
    assert run.ok
    assert run["S"].values == pytest.approx(np.sin(run["O0"].values), abs=1e-9)  # C goes straight up, twice the crank's height
    assert run.certificate["energy_drift"] < 1e-8
    assert run.balance().relative < 1e-8
    assert not run["C0.reaction.force"].attrs["unique"]
    # by hand: both halves move as mirror images; the energy gives the speed
    theta, rate = run["O0"].values, run["O0.rate"].values
    inertia = 2 * (0.02 + 0.5 * 0.0625 + 1.0 * 0.25 + 0.1) + 0.4 * np.cos(theta) ** 2
    height = 2 * 9.81 * (0.5 * 0.25 + 1.0 * 0.5) * np.sin(theta) + 0.4 * 9.81 * np.sin(theta)
    E = 0.5 * inertia * rate**2 + height
    assert np.max(np.abs(E - E[0])) < 1e-8 * E[0]


# --- without inertia --------------------------------------------------------------------------------------------------


def rssr(axial: float, drawn: str) -> mb.Model:
    """Return an RSSR linkage whose coupler has the given inertia about its own line, where it spins idly."""
    A, B = np.array([0.1, 0.0, 0.0]), np.array([0.5, 0.05, 0.4])
    size = float(np.linalg.norm(B - A))
    across = 0.3 * size**2 / 12
    m = mb.Model("rssr", gravity=(0, 0, -9.81))
    m.body("crank", mass=0.5, inertia=(0, 0.02, 0.02), com=0.5 * A)
    if drawn == "along":
        m.body("coupler", mass=0.3, inertia=(axial, across, across), com=(0.5 * size, 0, 0), at=A, x=B - A)
    else:  # a tensor in ground axes, whose small eigenvalue is round-off
        d = (B - A) / size
        m.body("coupler", mass=0.3, inertia=across * (np.eye(3) - np.outer(d, d)) + axial * np.outer(d, d), com=0.5 * (A + B))
    m.body("rocker", mass=0.4, inertia=(0.01, 0.01, 0.01), com=(0.5, 0.0, 0.2))
    m.revolute("O", "ground", "crank", at=(0, 0, 0), axis=(0, 0, 1))
    m.spherical("S1", "crank", "coupler", at=A)
    m.spherical("S2", "coupler", "rocker", at=B)
    m.revolute("R", "ground", "rocker", at=(0.5, 0, 0), axis=(0, 1, 0))
    m.initial({"O.rate": 5.0})
    return m


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("drawn", ["along", "skew"])
def test_a_slender_coupler_between_balls_may_spin_without_inertia(drawn: str, formulation: str) -> None:
    slender, thick = (
        rssr(axial, drawn).run(1.0, formulation=formulation, rtol=1e-10, progress=patience(5.0)) for axial in (0.0, 1e-5)
    )
    assert slender.ok and thick.ok
    # the rod starts without spin about its own line and keeps none, so that its inertia there does not matter
    assert difference(slender, thick, "O", "R", "O.rate", "coupler.x", "coupler.z") < 1e-7
    assert slender.certificate["energy_drift"] < 1e-8
    assert np.max(np.abs(slender["coupler.omega.x"].values)) < 100.0


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_massless_rod_is_a_distance(formulation: str) -> None:
    def linkage(kind: str) -> mb.Model:
        m = mb.Model("linkage", dimension=2, gravity=(0, -9.81))
        m.body("crank", mass=1.0, inertia=0.02, com=(0.1, 0), frames={"pin": (0.2, 0)})
        m.body("rocker", mass=2.0, inertia=0.1, com=(0.2, 0), frames={"pin": (0.4, 0)}, at=(0.6, 0))
        m.revolute("O", "ground", "crank")
        m.revolute("R", "ground", "rocker", at=(0.6, 0))
        if kind == "rod":
            m.body("rod", mass=0, inertia=0, frames={"end": (0.5, 0)})
            m.revolute("A", "crank.pin", "rod")
            m.revolute("B", "rod.end", "rocker.pin")
        else:
            m.distance("AB", "crank.pin", "rocker.pin", length=0.5)
        m.initial({"O": 0.5, "O.rate": 4.0}, guess={"R": 1.7} | ({"rod.angle": 0.5} if kind == "rod" else {}))
        return m

    rod, distance = (linkage(kind).run(1.0, formulation=formulation, rtol=1e-10, atol=1e-12) for kind in ("rod", "distance"))
    assert difference(rod, distance, "O", "R", "O.rate", "R.rate") < 1e-8
    # a massless rod pulls along its line only
    along = rod.point("rod.end").position.values - rod.point("rod.origin").position.values
    force = rod["A.reaction.force"].values
    assert np.max(np.abs(along[:, 0] * force[:, 1] - along[:, 1] * force[:, 0])) < 1e-6
    assert force == pytest.approx(rod["B.reaction.force"].values, abs=1e-6)  # what it takes from the crank it gives on


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_cam_with_its_contact_as_extra_coordinate(formulation: str) -> None:
    model = mb.load("cam-roller")
    model.motions.clear()
    model.initial({"O.rate": 30.0})
    run = model.run(until=0.3, formulation=formulation, rtol=1e-10, atol=1e-12)
    assert run.ok
    assert run.tables.nv == 7  # two bodies and the contact
    assert run.certificate["energy_drift"] < 1e-8
    other = model.run(until=0.3, rtol=1e-11, atol=1e-12)
    assert difference(run, other, "O", "guide", "contact") < 1e-8


# --- driven -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_pendulum_whose_pivot_is_driven(formulation: str) -> None:
    m = mb.Model("shaken", dimension=2, gravity=(0, -9.81))
    m.body("cart", mass=3.0, inertia=0.1)
    m.body("rod", mass=0.7, inertia=0.05, com=(0, -0.4))
    m.translational("S", "ground", "cart", axis=(1, 0))
    m.revolute("P", "cart", "rod")
    m.motion("S", "0.3*sin(4*t) + 0.1*t^2")
    m.initial({"P": 0.5, "P.rate": 0.0})
    run = m.run(until=3, formulation=formulation, rtol=1e-10, atol=1e-12)
    about = 0.05 + 0.7 * 0.16

    def slope(t: float, y: Floats) -> list[float]:
        push = -4.8 * math.sin(4 * t) + 0.2
        return [y[1], -0.7 * 0.4 * (9.81 * math.sin(y[0]) + push * math.cos(y[0])) / about]

    found = solve_ivp(slope, (0, 3), [0.5, 0.0], "DOP853", run.time, rtol=1e-12, atol=1e-12)
    assert run["P"].values == pytest.approx(found.y[0], abs=1e-8)
    bend = np.array([slope(t, y)[1] for t, y in zip(run.time, found.y.T, strict=True)])
    push = -4.8 * np.sin(4 * run.time) + 0.2
    needed = 3.7 * push + 0.7 * 0.4 * (bend * np.cos(found.y[0]) - found.y[1] ** 2 * np.sin(found.y[0]))
    assert run["S.effort"].values == pytest.approx(needed, abs=1e-6)
    assert run.certificate["energy_drift"] < 1e-8


def test_a_model_driven_completely_is_answered_by_kinematics() -> None:
    m = mb.Model("driven", dimension=2, gravity=(0, -9.81))
    m.body("rod", mass=1.5, inertia=0.07, com=(0.4, 0))
    m.revolute("O", "ground", "rod")
    m.motion("O", "0.2 + sin(2*t)")
    run = m.run(until=2)
    assert run.ok
    assert any("kinematics" in note for note in run.notes)
    angle = 0.2 + np.sin(2 * run.time)
    needed = (0.07 + 1.5 * 0.16) * -4 * np.sin(2 * run.time) + 1.5 * 9.81 * 0.4 * np.cos(angle)
    assert run["O.effort"].values == pytest.approx(needed, abs=1e-9)
    assert run["O"].values == pytest.approx(angle, abs=1e-10)
    assert run["O.reaction.force"].shape == (len(run.time), 2)


# --- fixed steps ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize(("integrator", "order", "steps"), [("rk4", 4, (0.02, 0.01, 0.005)), ("ab3", 3, (0.004, 0.002, 0.001))])
def test_order_of_fixed_steps_with_projection(integrator: str, order: int, steps: tuple[float, ...], formulation: str) -> None:
    model = mb.load("four-bar")
    exact = tight(model, 1.0).final
    errors = []
    for step in steps:
        final = model.run(until=1.0, formulation=formulation, integrator=integrator, step=step).final
        errors.append(float(np.max(np.abs(final.q - exact.q)) + np.max(np.abs(final.v - exact.v))))
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.all(orders > order - 0.4), (errors, orders)
    assert errors[-1] < 1e-5


def massless_rods(count: int = 1, length: float = 1.0, mass: float = 1.0) -> mb.Model:
    """Return cranks and rockers joined by massless rods with balls at their ends, in units of which so many go to one."""
    m = mb.Model("rods", gravity=(0.3 * length, 0.2 * length, -9.81 * length))
    for k in range(count):
        inertia = mass * length**2
        m.frames(**{f"G{k}": (0, 2.0 * k * length, 0), f"P{k}": (length, (0.3 + 2.0 * k) * length, 0)})
        m.body(f"crank{k}", mass=mass, inertia=(0.01 * inertia, 0.02 * inertia, 0.02 * inertia), com=(0.1 * length, 0, 0),
               frames={"e": (0.3 * length, 0, 0.05 * length)})  # fmt: skip
        m.body(f"rod{k}", mass=0, inertia=(0, 0, 0), frames={"e": (0.6 * length, 0.6 * length, 0.2 * length)})
        m.body(f"rocker{k}", mass=2 * mass, inertia=(0.02 * inertia, 0.05 * inertia, 0.05 * inertia), com=(0.2 * length, 0, 0),
               frames={"e": (0.5 * length, 0.1 * length, 0)})  # fmt: skip
        m.revolute(f"O{k}", f"ground.G{k}", f"crank{k}", axis=(0, 0.2, 1))
        m.revolute(f"C{k}", f"ground.P{k}", f"rocker{k}", axis=(0.3, 1, 0.1))
        m.spherical(f"A{k}", f"crank{k}.e", f"rod{k}")
        m.spherical(f"B{k}", f"rod{k}.e", f"rocker{k}.e")
        m.initial({f"O{k}": 0.5 + 0.2 * k})
    return m


@pytest.fixture(scope="module")
def exact_rods() -> Any:
    """Return a run of one rod with a tight tolerance."""
    return massless_rods().run(0.2, formulation="augmented", rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("formulation", ["augmented", "kane", "parametric", "recursive"])
def test_a_massless_rod_may_spin_with_every_integrator(formulation: str, exact_rods: Any) -> None:
    exact = exact_rods
    for integrator in ("dop853", "bdf", "radau"):
        run = massless_rods().run(0.2, formulation=formulation, integrator=integrator, rtol=1e-9, atol=1e-11)
        assert run.ok
        assert run.final["O0"] == pytest.approx(exact.final["O0"], abs=2e-8)
        np.testing.assert_allclose(run["A0.reaction.force"].values, exact["A0.reaction.force"].values, atol=2e-6)
        np.testing.assert_allclose(run["energy.kinetic"].values, exact["energy.kinetic"].values, atol=1e-6)


def test_two_massless_rods_and_other_units() -> None:
    exact = massless_rods(2).run(0.2, formulation="augmented", rtol=1e-10, atol=1e-12)
    for units in ((1.0, 1.0), (1e3, 1e3), (1e6, 1e12)):
        run = massless_rods(2, *units).run(0.2, formulation="augmented", integrator="bdf", rtol=1e-9, atol=1e-11)
        assert run.ok
        for joint in ("O0", "O1"):
            assert run.final[joint] == pytest.approx(exact.final[joint], abs=2e-8)


def test_a_massless_rod_that_spins_moves_nothing() -> None:
    """A spin is given to the rod about its own line; the others do not feel it, and a run goes on from there."""
    m = massless_rods()
    state = m.assemble()
    line = np.array([0.6, 0.6, 0.2]) / np.linalg.norm([0.6, 0.6, 0.2])
    v = state.v.copy()
    v[9:12] += 5.0 * line
    runs = [m.run(0.2, initial=replace(state, v=each), integrator="bdf", rtol=1e-9, atol=1e-11) for each in (state.v, v)]
    assert runs[1].final["O0"] == pytest.approx(runs[0].final["O0"], abs=5e-8)
    said = "the spin of rod0 (5 rad/s) about its own line moves no mass and was left out"
    assert any(note.startswith(said) for note in runs[1].notes) and not any("spin" in note for note in runs[0].notes)
    kept = m.run(0.01, initial=replace(state, v=v), formulation="augmented", integrator="dop853")
    assert kept.final.v[9:12] @ line == pytest.approx(5.0, rel=0.05) and not any("spin" in note for note in kept.notes)
    again = m.run(0.3, initial=runs[1].final, integrator="radau")
    stepped = m.simulator(runs[1].final, integrator="bdf").step(0.01)
    assert again.ok and stepped["O0"] == pytest.approx(again.at(0.21)["O0"], abs=1e-6)


@pytest.mark.parametrize("units", [(1.0, 1.0), (1e3, 1e3)], ids=["m, kg", "mm, g"])
@pytest.mark.parametrize(
    ("formulation", "integrator"),
    [("augmented", "bdf"), ("recursive", "bdf"), ("kane", "radau"), ("parametric", "dop853"), ("kane", "dop853")],
)
def test_tight_tolerances_make_no_massless_rod_creep(formulation: str, integrator: str, units: tuple[float, float]) -> None:
    """Rounding about the rod's own line stays below the tolerance: a thousandth of it costs no thousand times the steps."""
    model = massless_rods(1, *units)
    steps = []
    for rtol in (1e-8, 1e-11):
        run = model.run(0.05, formulation=formulation, integrator=integrator, rtol=rtol, atol=1e-2 * rtol)
        assert run.ok
        steps.append(run.statistics["steps"])
    assert steps[1] < 8 * steps[0]


def test_a_spin_that_is_restored_moves_nothing() -> None:
    m = massless_rods()
    state = m.assemble()
    v = state.v.copy()
    v[9:12] += 5.0 * np.array([0.6, 0.6, 0.2]) / np.linalg.norm([0.6, 0.6, 0.2])
    sim = m.simulator(integrator="bdf", rtol=1e-9, atol=1e-11)
    still = float(sim.step(0.1)["O0"])
    spun = float(sim.restore(replace(state, v=v)).step(0.1)["O0"])
    assert spun == pytest.approx(still, abs=1e-10)


def test_a_run_that_cannot_begin_says_how_it_was_asked_for() -> None:
    m = mb.Model("apart", dimension=2, gravity=(0, -9.81))
    m.body("a", mass=1, inertia=1, frames={"e": (1, 0)})
    m.revolute("O", "ground", "a")
    m.distance("D", "ground", "a.e", length=3)
    with pytest.warns(RuntimeWarning):
        run = m.run(0.1, formulation="kane", integrator="bdf")
    assert not run.ok
    assert (run.statistics["formulation"], run.statistics["integrator"], run.statistics["steps"]) == ("kane", "bdf", 0)
