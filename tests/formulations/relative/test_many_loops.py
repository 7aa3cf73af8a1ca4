"""Mechanisms of several coupled loops in joint coordinates: linkages that are let go, a Stewart platform, a Delta robot."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import multibody as mb
from analyses.dynamics.test_redundant_and_massless import door, rssr, scott_russell
from formulations.relative.agreement import CLOSINGS, METHODS, exact, worst


def released(name: str, **initial: float) -> mb.Model:
    """Return a library model without its motions, with initial values in their place."""
    model = mb.load(name)
    model.motions.clear()
    model.initial(dict(initial))
    return model


def six_bar() -> mb.Model:
    model = released("six-bar", **{"O2": 0.3, "O2.rate": 4.0})
    model.effort("coil", "O6", stiffness=0.5, damping=0.01)
    return model


def peaucellier() -> mb.Model:
    model = released("peaucellier", **{"C": 0.4, "C.rate": -1.0})
    model.spring("pull", "ground", "b1.B", stiffness=30.0, length=0.3)
    return model


MODELS: dict[str, tuple[Any, float]] = {
    "six-bar": (six_bar, 1.0), "peaucellier": (peaucellier, 0.25), "stewart": (lambda: mb.load("stewart-platform"), 0.3),
    "delta": (lambda: mb.load("delta-robot"), 0.5), "andrews": (lambda: mb.load("iftomm-andrews"), 0.01),
    "engine": (lambda: mb.load("engine", n=2), 0.2), "scott-russell": (lambda: scott_russell(True), 0.5),
    "door": (lambda: door(2), 1.0), "rssr": (lambda: rssr(1e-4, "skew"), 0.5),
    "bricard": (lambda: mb.load("iftomm-bricard"), 0.5), "flyball": (lambda: mb.load("iftomm-flyball"), 0.1),
}  # fmt: skip

TIGHTER = {"flyball": {"rtol": 1e-12, "atol": 1e-13}}  # its stiff spring makes 1e-8 of what 1e-11 leaves


@pytest.mark.parametrize("name", MODELS)
def test_everything_agrees_with_cartesian_coordinates(name: str) -> None:
    build, until = MODELS[name]
    model, options = build(), TIGHTER.get(name, {})
    expected = exact(model, until, **options)
    for title, formulation in CLOSINGS.items():
        run = exact(model, until, formulation, **options)
        assert worst(run, expected) < 1e-8, title
        assert run.balance().relative < 1e-9, title
        assert run.certificate["position_violation"] < 1e-9, title
        assert run.certificate["energy_drift"] < 1e-8, title


@pytest.mark.parametrize("name", METHODS)
def test_peaucellier_draws_a_straight_line(name: str) -> None:
    run = exact(peaucellier(), 0.6, METHODS[name], rtol=1e-10)  # at 0.28 s all links fold on one line, a change point
    line = (0.4**2 - 0.25**2) / 0.2
    path = run.point("b1.B").position.values
    assert path[:, 0] == pytest.approx(np.full(len(path), line), abs=1e-10)
    assert np.ptp(path[:, 1]) > 0.1
    assert run["C"].values.min() == pytest.approx(-2 * np.arccos(0.75), abs=0.05)
    assert run.certificate["energy_drift"] < 1e-8


@pytest.mark.parametrize("name", CLOSINGS)
def test_the_plate_of_a_delta_robot_stays_level(name: str) -> None:
    run = exact(mb.load("delta-robot"), 1.0, CLOSINGS[name])
    turned = run.data["rotation"].sel(body="plate").values
    assert np.max(np.abs(turned[:, 1:])) < 1e-9
    p = run.point("plate.com").position.values
    for k in (1, 2, 3):
        e = np.array([np.cos(2 * np.pi * (k - 1) / 3), np.sin(2 * np.pi * (k - 1) / 3), 0.0])
        angle = run[f"A{k}"].values[:, None]
        elbow = (0.2 + 0.3 * np.cos(angle)) * e - 0.3 * np.sin(angle) * np.array([0.0, 0.0, 1.0])
        assert np.linalg.norm(p + 0.05 * e - elbow, axis=1) == pytest.approx(np.full(len(p), 0.7), abs=1e-9)
    assert np.ptp(p[:, 0]) > 0.02 and np.ptp(p[:, 1]) > 0.02  # led around


@pytest.mark.parametrize("name", METHODS)
def test_a_platform_that_falls_straight(name: str) -> None:
    run = exact(mb.load("stewart-platform", tilt=0.0, damping=0.0), 0.5, METHODS[name])
    x, y, z = run.data["position"].sel(body="platform").values.T
    assert max(np.ptp(x), np.ptp(y)) < 1e-9 and np.ptp(z) > 0.02
    legs = np.stack([run[f"L{k}"].values for k in range(1, 7)])
    assert np.max(np.abs(legs - legs[0])) < 1e-9
    assert run.certificate["energy_drift"] < 1e-9
    # the length of every leg follows from the height alone
    across = np.linalg.norm(np.array([0.6 * np.cos(0.2618), 0.6 * np.sin(0.2618)]) - 0.3 / np.sqrt(2.0))
    leg = np.hypot(across, 0.8 + z - z[0])
    assert legs[0] == pytest.approx(leg - leg[0], abs=1e-4)  # 15° to five digits


def test_where_a_loop_is_cut_does_not_matter() -> None:
    model = six_bar()
    expected = exact(model, 0.5)
    for cut in (["B", "F"], ["O2", "O6"], ["A", "E"], ["O4", "F"], ["A", "B", "E", "F"], ["O2", "O4", "O6"]):
        for formulation in (mb.Recursive(cut), mb.Articulated(cut), mb.Transformation(cut=cut)):
            assert worst(exact(model, 0.5, formulation), expected) < 1e-8, formulation


@pytest.mark.parametrize("name", CLOSINGS)
def test_a_joint_that_repeats_what_the_tree_holds(name: str) -> None:
    model = mb.Model("double", dimension=2, gravity=(0, -9.81))
    rng = np.random.default_rng(0)
    for body in "ab":
        model.body(body, mass=1, inertia=0.1, com=rng.normal(size=2), at=rng.normal(size=2), angle=rng.uniform(-3, 3))
    model.revolute("J", "ground", "a", at=rng.normal(size=2))
    model.fixed("weld", "a", "b", at=rng.normal(size=2))
    model.initial({"J.rate": 1.0})
    alone = exact(model, 0.1)
    model.revolute("again", "b", "a", at=rng.normal(size=2))
    run = model.run(0.1, formulation=CLOSINGS[name], rtol=1e-11, atol=1e-12, output_step=0.1 / 40)
    assert run.ok, run.status.message
    assert run.statistics["steps"] < 50
    assert worst(run, alone, "position", "velocity", "acceleration") < 1e-9


@pytest.mark.parametrize("name", METHODS)
def test_two_doors_are_one(name: str) -> None:
    one, two = exact(door(1), 2.0, METHODS[name]), exact(door(2), 2.0, METHODS[name])
    assert worst(two, one, "position", "velocity", "acceleration") < 1e-8
    total = two["hinge0.reaction.force"].values + two["hinge1.reaction.force"].values
    assert total == pytest.approx(one["hinge0.reaction.force"].values, abs=1e-6)
    assert not two["hinge0.reaction.force"].attrs["unique"]
