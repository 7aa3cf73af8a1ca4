"""Joints that motions drive: prescribed in the tree, they are no unknowns, and their efforts come out (hybrid dynamics)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.integrate import simpson

import multibody as mb
from analyses.dynamics.test_invariants import machine
from formulations.relative.agreement import CLOSINGS, METHODS, exact, worst
from multibody.analyses.dynamics.opening import opened
from multibody.formulations import formulation_of

G = (0.7, -3.0, -9.0)


def serial(kind: str, **fields: Any) -> mb.Model:
    """Return a chain of four bodies whose second joint is of the given kind."""
    rng = np.random.default_rng(7)
    m = mb.Model("serial", gravity=G)
    for k in range(4):
        m.body(f"b{k}", mass=rng.uniform(0.5, 1.5), inertia=rng.uniform(0.3, 0.5, 3), com=(0.4 * k, 0.1, 0.2 * k - 0.1))
    m.revolute("A", "ground", "b0", at=(0, 0, 0), axis=(1, 0.2, 0.3))
    m.joint(kind, "J", "b0", "b1", at=(0.3, 0.1, 0), **fields)
    m.revolute("B", "b2", "b1", at=(0.6, 0.2, 0.1), axis=(0.1, 1, 0))  # walked backward
    m.spherical("C", "b2", "b3", at=(0.9, 0.1, 0.3))
    m.initial({"A.rate": 0.5, "B.rate": -1.0})
    return m


AXIS = {"axis": (0.2, -0.3, 1.0)}
DRIVEN: dict[str, tuple[str, dict[str, Any], dict[str, str]]] = {
    "revolute": ("revolute", AXIS, {"J": "0.5*sin(3*t)"}),
    "revolute-constant": ("revolute", AXIS, {"J": "0.2"}),
    "translational": ("translational", AXIS, {"J": "0.1*sin(4*t)"}),
    "cylindrical-angle": ("cylindrical", AXIS, {"J.angle": "2*t + t^2"}),
    "cylindrical-position": ("cylindrical", AXIS, {"J.position": "0.2*sin(2*t)"}),
    "cylindrical-both": ("cylindrical", AXIS, {"J.position": "0.2*t", "J.angle": "sin(t)"}),
    "universal-first": ("universal", {"axes": [(1, 0, 0), (0, 1, 0)]}, {"J.angle1": "0.4*sin(3*t)"}),
    "universal-second": ("universal", {"axes": [(1, 0, 0), (0, 1, 0)]}, {"J.angle2": "0.4*sin(3*t)"}),
    "screw": ("screw", AXIS | {"lead": 0.3}, {"J": "3*t + sin(2*t)"}),
    "planar-x": ("planar", AXIS, {"J.x": "0.1*t^2", "J.angle": "0.3*t"}),
    "free-z": ("free", {}, {"J.z": "0.1*sin(5*t)"}),
    "ground": ("revolute", AXIS, {"A": "t + 0.3*sin(4*t)"}),
    "ground and last": ("revolute", AXIS, {"A": "t^2", "B": "0.1*sin(6*t)"}),
    "a point": ("revolute", AXIS, {"b2.x": "0.8 + 0.05*sin(3*t)"}),
}


def driven(name: str) -> mb.Model:
    """Return the chain with its motions."""
    kind, fields, motions = DRIVEN[name]
    model = serial(kind, **fields)
    for path, value in motions.items():
        model.motion(path, value)
        if path in ("A", "B"):
            del model.initials[f"{path}.rate"]
    if name == "a point":
        model.initials.clear()
    return model


@pytest.mark.parametrize("name", DRIVEN)
def test_a_driven_joint_within_a_tree(name: str) -> None:
    model = driven(name)
    expected = exact(model, 0.5, **({} if name != "a point" else {"rtol": 1e-12, "atol": 1e-13}))
    for title, formulation in CLOSINGS.items():
        run = exact(model, 0.5, formulation)
        assert worst(run, expected) < 1e-8, title
        assert run.balance().relative < 1e-10, title
        assert run.certificate["energy_drift"] < 1e-9, title


def prepared(model: mb.Model) -> Any:
    """Return the blocks of a run of a model in joint coordinates."""
    opening, formulation = opened(model, None), formulation_of("recursive")
    return formulation.space(opening.system, opening.state, opening.rows).bundle


def test_prescribed_coordinates_are_no_unknowns() -> None:
    counts = {"revolute": 5, "cylindrical-angle": 6, "cylindrical-both": 5, "universal-first": 6, "screw": 5}
    for name, unknown in counts.items():
        bundle = prepared(driven(name))
        assert bundle.velocities == unknown, name  # A, B and the ball C have five
        assert len(bundle.loops) == 0, name
    assert len(prepared(driven("a point")).loops) == 1  # no coordinate of the tree: an equation between them


@pytest.mark.parametrize("name", METHODS)
def test_effort_and_work_of_a_motion(name: str) -> None:
    run = driven("cylindrical-angle").run(1.0, formulation=METHODS[name], rtol=1e-10, atol=1e-12, output_step=1e-3)
    power = run["J.angle.effort"].values * run["J.angle.rate"].values
    E = run["energy.total"].values
    assert run["J.angle"].values == pytest.approx(2 * run.time + run.time**2, abs=1e-13)
    assert run["J.angle.rate"].values == pytest.approx(2 + 2 * run.time, abs=1e-12)
    assert np.max(np.abs(run["J.position.effort"].values)) == 0.0  # nothing acts along the free coordinate
    assert abs(E[-1] - E[0]) > 0.5
    assert simpson(power, x=run.time) == pytest.approx(E[-1] - E[0], rel=1e-8)


@pytest.mark.parametrize("name", METHODS)
def test_a_pendulum_on_a_shaken_pivot(name: str) -> None:
    m = mb.Model("shaken", dimension=2, gravity=(0, -9.81))
    m.body("cart", mass=3.0, inertia=0.1)
    m.body("rod", mass=0.7, inertia=0.05, com=(0, -0.4))
    m.translational("S", "ground", "cart", axis=(1, 0))
    m.revolute("P", "cart", "rod")
    m.motion("S", "0.3*sin(4*t) + 0.1*t^2")
    m.initial({"P": 0.5, "P.rate": 0.0})
    run = m.run(3, formulation=METHODS[name], rtol=1e-10, atol=1e-12)
    angle, rate, bend = (run[path].values for path in ("P", "P.rate", "P.acceleration"))
    push = -4.8 * np.sin(4 * run.time) + 0.2
    about = 0.05 + 0.7 * 0.16
    assert about * bend == pytest.approx(-0.7 * 0.4 * (9.81 * np.sin(angle) + push * np.cos(angle)), abs=1e-10)
    needed = 3.7 * push + 0.7 * 0.4 * (bend * np.cos(angle) - rate**2 * np.sin(angle))
    assert run["S.effort"].values == pytest.approx(needed, abs=1e-9)
    assert run.certificate["energy_drift"] < 1e-8


@pytest.mark.parametrize("name", CLOSINGS)
def test_a_driven_loop(name: str) -> None:
    model = machine(motion=True, damper=True, friction=True, load=True)
    expected, run = exact(model, 1.0), exact(model, 1.0, CLOSINGS[name])
    assert worst(run, expected) < 1e-7
    assert run.certificate["energy_drift"] < 1e-7


@pytest.mark.parametrize("cut", [["O"], ["B"], ["S"]])
def test_a_motion_on_a_joint_that_is_cut(cut: list[str]) -> None:
    model = machine(motion=True)
    expected = exact(model, 1.0)
    for formulation in (mb.Recursive(cut), mb.Transformation("partitioned", cut=cut), mb.Articulated(cut)):
        run = exact(model, 1.0, formulation)
        assert worst(run, expected) < 1e-8, formulation


@pytest.mark.parametrize("name", METHODS)
def test_a_spring_on_a_joint_that_is_driven_loads_the_drive(name: str) -> None:
    m = mb.Model("wound", gravity=None)
    m.body("rotor", mass=1.0, inertia=(0.1, 0.1, 0.2))
    m.body("tail", mass=0.5, inertia=(0.01, 0.02, 0.03), com=(0.3, 0, 0))
    m.revolute("O", "ground", "rotor")
    m.revolute("P", "rotor", "tail", axis=(0, 1, 0))
    m.effort("coil", "O", stiffness=5.0, rest=0.5)
    m.motion("O", "3*t")
    m.initial({"P": 0.0, "P.rate": 0.0})
    run = m.run(1.0, formulation=METHODS[name], rtol=1e-10, atol=1e-12)
    # the tail stays level, a steady spin: nothing but the coil is needed
    assert np.max(np.abs(run["P"].values)) < 1e-9
    assert run["coil.effort"].values == pytest.approx(-5 * (3 * run.time - 0.5), abs=1e-9)
    assert run["O.effort"].values == pytest.approx(np.zeros(len(run.time)), abs=1e-9)  # coil and drive together
    assert math.isclose(float(run.motion.dynamics.work[-1]), 2.5 * (2.5**2 - 0.5**2), rel_tol=1e-8)
