"""What newcomers get wrong: each mistake is answered in words that name the argument, never by a bare error of Python."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import multibody as mb
from across.python.models import crank, pendulum
from multibody.model.expressions import ExpressionError

Case = tuple[Callable[[mb.Model], Any], str]

# each on a planar model that has the body "rod" and the joint "O"
BUILDING: dict[str, Case] = {
    "no ends": (lambda m: m.revolute("A"), '"first" and "second" are missing'),
    "no arguments": (lambda m: m.revolute(), '"name", "first" and "second" are missing'),
    "typo in a field": (lambda m: m.revolute("A", "ground", "rod", axs=(0, 0, 1)), 'did you mean "axis"'),
    "required field": (lambda m: m.translational("S", "ground", "rod"), '"axis" is missing'),
    "place without a name": (lambda m: m.revolute("A", "ground", "rod", (0, 0)), "at=(0, 0)"),
    "given twice": (lambda m: m.revolute("A", "ground", "rod", first="rod"), '"first" is given twice'),
    "None as end": (lambda m: m.revolute("A", "ground", None), "None is not an end"),
    "number as end": (lambda m: m.revolute("A", "ground", 3), "3 is not an end"),
    "joint as end": (lambda m: m.revolute("A", "ground", m.joints["O"]), '"O" is a joint'),
    "list as name": (lambda m: m.revolute(["A"], "ground", "rod"), "is not a name"),
    "unknown method": (lambda m: m.hinge("A", "ground", "rod"), 'a model has no "hinge"'),
    "misspelled method": (lambda m: m.revolut("A", "ground", "rod"), 'did you mean "revolute"'),
    "three components": (lambda m: m.revolute("A", "ground", "rod", at=(0, 0, 0)), "3 components; 2 are needed"),
    "axis in the plane": (lambda m: m.translational("S", "ground", "rod", axis=(1, 0, 0)), "3 components; 2 are needed"),
    "planar axis": (lambda m: m.revolute("A", "ground", "rod", axis=(1, 0)), "z"),
    "frame in space": (lambda m: m.body("b", frames={"p": (0, 0, 0)}), "3 components; 2 are needed"),
    "gravity in space": (lambda m: setattr(m, "gravity", (0, 0, -9.81)), "3 components; 2 are needed"),
    "force in space": (lambda m: m.force("f", "rod", value=(0, 0, 1)), "3 components; 2 are needed"),
    "moment in space": (lambda m: m.force("f", "rod", moment=(0, 0, 1)), "not a number"),
    "vector parameter in space": (lambda m: m.body("b", at=m.parameter("p", (1, 2, 3))), "3 components"),
    "inertia in space": (lambda m: m.body("b", inertia=(1, 1, 1)), "several numbers"),
    "rpy in the plane": (lambda m: m.body("b", rpy=(0, 0, 1)), "needs dimension 3"),
    "misspelled field of a body": (lambda m: m.body("b", mas=1), 'did you mean "mass"'),
    "text as mass": (lambda m: m.body("b", mass="heavy"), "heavy"),
    "list as mass": (lambda m: m.body("b", mass=[1]), "[1] is not a number"),
    "true as mass": (lambda m: m.body("b", mass=True), "True"),
    "frames as a list": (lambda m: m.body("b", frames=[(0, 0)]), "frames are a mapping"),
    "a taken name": (lambda m: m.body("rod"), 'the name "rod" is taken'),
    "unknown body": (lambda m: m.revolute("A", "ground", "rood"), 'did you mean "rod"'),
    "unknown frame": (lambda m: m.bodies["rod"]["tup"], 'did you mean "tip"'),
    "force on a joint": (lambda m: m.force("f", m.joints["O"], value=(1, 0)), "use effort"),
    "spring on a joint": (lambda m: m.spring("s", "ground", "O", stiffness=1), "use effort with stiffness"),
    "effort on a body": (lambda m: m.effort("e", m.bodies["rod"], value=1), "use force"),
    "effort on a number": (lambda m: m.effort("e", 3, value=1), "3 is not a coordinate"),
    "typo in a force": (lambda m: m.spring("s", "ground", "rod", stifness=1), 'did you mean "stiffness"'),
    "force without a value": (lambda m: m.force("f", "rod"), "no force and no moment"),
    "stop without stiffness": (lambda m: m.stop("s", "O", lower=0), '"stiffness" is missing'),
    "driven twice": (lambda m: (m.motion("O", "t"), m.motion("O.angle", "t")), "replace=True"),
    "motion without expression": (lambda m: m.motion("O"), '"expression" is missing'),
    "motion of None": (lambda m: m.motion("O", None), "None is not a number"),
    "initial as pairs": (lambda m: m.initial([("O", 1)]), "is not a mapping"),
    "initial as keywords": (lambda m: m.initial(O=0.3), 'unknown field "O"'),
    "event option": (lambda m: m.event("e", "O", terminl=True), 'did you mean "terminal"'),
    "table as pairs": (lambda m: m.table("f", [(0, 1), (1, 2)]), '"y" is missing'),
    "parameter without a value": (lambda m: m.parameter("k"), '"value" is missing'),
    "adding text": (lambda m: m.add("rod"), "cannot be added"),
    "adding a list": (lambda m: m.add([mb.Spring("s", "ground", "rod")]), "cannot be added"),
    "constructor": (lambda m: mb.Spring("s", "ground"), '"second" is missing'),
    "constructor's field": (lambda m: mb.Gear("g", "a", "b", tooth=(1, 2)), 'did you mean "teeth"'),
    "unknown constructor": (lambda m: mb.Revolut("A", "a", "b"), 'did you mean "Revolute"'),
    "model without a name": (lambda m: mb.Model(), '"name" is missing'),
    "misspelled dimension": (lambda m: mb.Model("a", dimensions=2), 'did you mean "dimension"'),
    "dimension as text": (lambda m: mb.Model("a", dimension="2"), "it is 2 or 3"),
    "number as name": (lambda m: mb.Model(3), "3 is not a name"),
    "assigned typo": (lambda m: setattr(m, "gravty", (0, 0)), 'did you mean "gravity"'),
    "assigned verb": (lambda m: setattr(m, "run", 3), "cannot be assigned"),
    "unknown parameter": (lambda m: m.set(k=3), 'unknown parameter "k"'),
    "parameter by place": (lambda m: m.set(3), "too many"),
    "typo in a coordinate": (lambda m: m.joints["O"].angel, 'did you mean "angle"'),
    "numpy": (lambda m: np.floor(mb.t), "numpy.floor cannot take an expression"),
    "math": (lambda m: math.sin(mb.t), "mb.sin"),
    "modulo": (lambda m: mb.t % 2, "use sin, cos, if_"),
    "whole part": (lambda m: 3 // mb.t, "cannot be taken modulo"),
    "float": (lambda m: float(m.joints["O"].angle), "known only when the model runs"),
    "included twice": (lambda m: m.include(pendulum(), "a_", ats=(0, 0)), 'did you mean "at"'),
}  # fmt: skip


@pytest.mark.parametrize("name", BUILDING)
def test_building(name: str) -> None:
    act, words = BUILDING[name]
    with pytest.raises((mb.ModelError, ExpressionError)) as caught:
        m = pendulum()
        act(m)
        m.check()  # what only the whole model can tell comes with the next analysis
    assert words in str(caught.value), str(caught.value)


ANALYSES: dict[str, Case] = {
    "initial is a number": (lambda m: m.run(1, initial=3), "3 is not a state"),
    "initial is a run": (lambda m: m.run(1, initial=m.run(0.05)), "give its .final"),
    "initial is text": (lambda m: m.statics("O"), "is not a state"),
    "initial of another model": (lambda m: m.run(1, initial=crank().assemble()), "another model"),
    "unknown path in initial": (lambda m: m.run(1, initial={"P": 1}), 'unknown name "P"'),
    "a rate that is text": (lambda m: m.assemble({"O": "fast"}), "fast"),
    "no end": (lambda m: m.run(), "give until"),
    "typo in an option": (lambda m: m.run(1, rtoll=1e-9), 'did you mean "rtol"'),
    "typo in reactions": (lambda m: m.reactions(0.1, rtoll=1e-9), 'did you mean "rtol"'),
    "integrator is a class": (lambda m: m.run(0.1, integrator=mb.Adams), "mb.Adams()"),
    "formulation is a class": (lambda m: m.run(0.1, formulation=mb.Kane), "mb.Kane()"),
    "fixed step missing": (lambda m: m.run(0.1, integrator=mb.Alpha()), "step"),
    "integrator's option": (lambda m: mb.Adams(order=3), 'did you mean "max_order"'),
    "formulation's option": (lambda m: mb.Baumgarte(gain=3), 'unknown field "gain"'),
    "end as a list": (lambda m: m.run([1]), "[1]"),
    "kinematics option": (lambda m: m.kinematics(1, stepps=3), 'did you mean "steps"'),
    "robot of no such joint": (lambda m: m.robot(cut=["P"]), "P"),
    "simulator set typo": (lambda m: m.simulator().set("moter.effort", 1), 'did you mean "motor.effort"'),
    "simulator's argument": (lambda m: m.simulator(rtoll=1), 'did you mean "rtol"'),
    "simulator until": (lambda m: m.simulator().run_until(tt=1), "t"),
    "simulator restore": (lambda m: m.simulator().restore(), "state"),
    "simulator step": (lambda m: m.simulator().step("fast"), "length of time"),
    "load": (lambda m: mb.load(), '"source" is missing'),
    "draw option": (lambda m: m.draw(colour=3), 'unknown field "colour"'),
    "check option": (lambda m: m.check(joints=["O"]), 'unknown field "joints"'),
    "modes at": (lambda m: m.modes(at=3), "equilibrium, initial, or a state"),
    "compare": (lambda m: m.compare(0.1, formulation="kane"), 'did you mean "formulations"'),
    "compare reference": (lambda m: m.compare(0.1, reference=3), "give a run"),
}  # fmt: skip


@pytest.mark.parametrize("name", ANALYSES)
def test_analyses(name: str) -> None:
    act, words = ANALYSES[name]
    with pytest.raises(mb.ModelError) as caught:
        act(pendulum())
    assert words in str(caught.value), str(caught.value)


RESULTS: dict[str, tuple[Callable[[mb.Run], Any], str]] = {
    "unknown path": (lambda r: r["P"], 'unknown name "P"'),
    "a number": (lambda r: r[0], "0 is not a path"),
    "nothing": (lambda r: r[()], "no path is given"),
    "none of several": (lambda r: r["O", 3], "3 is not a path"),
    "slice": (lambda r: r[0:3], "is not a path"),
    "late": (lambda r: r.at(99), "outside of the run"),
    "time as text": (lambda r: r.at("late"), "is not a time"),
    "reactions": (lambda r: r.reactions("P"), 'unknown joint "P"'),
    "reactions axes": (lambda r: r.reactions("O", axes="bodi"), 'did you mean "body"'),
    "reactions option": (lambda r: r.reactions("O", axis="body"), 'did you mean "axes"'),
    "point": (lambda r: r.point("rod.tup"), 'did you mean "tip"'),
    "plot": (lambda r: r.plot("P"), 'unknown name "P"'),
    "plot option": (lambda r: r.plot("O", tittle="a"), 'did you mean "title"'),
    "ending": (lambda r: r.save("run.xyz"), "xyz"),
    "state": (lambda r: r.final["O", "P"], 'unknown name "P"'),
    "relative": (lambda r: r.relative("rod"), '"to" is missing'),
    "unknown instant": (lambda r: r.state_at(10**6), "instant"),
}  # fmt: skip


@pytest.fixture(scope="module")
def run() -> mb.Run:
    return pendulum().run(0.1)


@pytest.mark.parametrize("name", RESULTS)
def test_results(name: str, run: mb.Run) -> None:
    act, words = RESULTS[name]
    with pytest.raises(mb.ModelError) as caught:
        act(run)
    assert words in str(caught.value), str(caught.value)


ROBOT: dict[str, tuple[Callable[[mb.Robot], Any], str]] = {
    "too long": (lambda r: r.mass_matrix(np.zeros(3)), "has the shape (3,)"),
    "text": (lambda r: r.mass_matrix("zero"), "not an array of numbers"),
    "seed": (lambda r: r.random("lucky"), "give a seed"),
    "count": (lambda r: r.random(0, count=-1), "number of states"),
    "frame": (lambda r: r.frame_jacobian("rood", r.q0), 'did you mean "rod"'),
    "state": (lambda r: r.from_state(3), "3 is not a state"),
    "argument": (lambda r: r.random(cuont=2), 'did you mean "count"'),
    "frame's argument": (lambda r: r.frame_pose("rod", z=r.q0), "z"),
    "missing": (lambda r: r.bias(r.q0), "v"),
    "too many": (lambda r: r.gravity(r.q0, r.q0, r.q0), "gravity"),
    "quick, missing": (lambda r: r.inverse_dynamics(r.q0, r.q0), '"a" is missing'),
    "quick, unknown": (lambda r: r.forward_dynamics(r.q0, r.q0, r.q0, result=r.q0), 'unknown field "result"'),
    "quick, too many": (lambda r: r.mass_matrix(r.q0, None, 3), "3 arguments without a name are too many"),
    "quick, no frame": (lambda r: r.frame_jacobian(q=r.q0), '"frame" is missing'),
    "quick, no q": (lambda r: r.frame_pose("rod"), '"q" is missing'),
    "quick, a typo": (lambda r: r.momentum_matrix(r.q0, ouput=r.q0), 'unknown field "ouput"'),
    "a frame that is no text": (lambda r: r.frame_jacobian(3, r.q0), "3"),
    "a list for a frame": (lambda r: r.frame_pose(["rod"], r.q0), "['rod'] is not a frame"),
    "a time in words": (lambda r: r.state(r.q0, t="now"), "t is 'now'"),
    "a number for joints": (lambda r: r.reactions(r.q0, r.q0, r.q0, 3), "joints are 3"),
}  # fmt: skip


@pytest.mark.parametrize("name", ROBOT)
def test_robots(name: str) -> None:
    act, words = ROBOT[name]
    with pytest.raises(mb.ModelError) as caught:
        act(pendulum().robot())
    assert words in str(caught.value), str(caught.value)


def test_what_works() -> None:
    m = pendulum()
    pin, rod = m.joints["O"], m.bodies["rod"]
    run = m.run(0.1, initial={pin: 0.5, pin.rate: -1.0})
    assert run[pin].values[0] == run["O"].values[0] == 0.5 and run[pin.rate].values[0] == -1.0
    assert run[2 * pin.angle].values[0] == 1.0 and run[rod.x].values[0] == run["rod.x"].values[0]
    both = run["O", "O.rate"]
    assert list(both.data_vars) == ["O", "O.rate"] and both["O.rate"].attrs["unit"] == "rad/s"
    assert run[["O", "O.rate"]].equals(both)
    assert run.final["O", "O.rate"] == [run.final["O"], run.final["O.rate"]]
    sim = m.simulator({"O": 0.5})
    assert sim["O", "O.rate"] == sim[["O", "O.rate"]] == [0.5, 0.0]
    assert m.assemble({"O.angle": 0.7})["O"] == pytest.approx(0.7), "in place of the model's own value of O"
    assert m.initials == pendulum().initials, "the model stays as it is"
    assert m.statics({"O": -1.5})["O"] == pytest.approx(-np.pi / 2)
    assert len(m.modes({"O": -1.5})) == 1 and m.reactions(0.1, initial={"O": 0.5})["O"]["time"] == 0.1
    assert crank().kinematics(0.1, 2, initial={"S": 0.5}).ok and crank().inverse(0.1, 2, initial={"S": 0.5}).ok
    assert m.system_jacobian(initial={"O": 0.5}).q[2] == pytest.approx(0.5)
    m.motion("O", "t")
    m.motion("O.angle", "2*t", replace=True)
    assert list(m.motions) == ["O.angle"]
    m.initials.clear()
    assert m.run(0.2, initial=run.final).ok, "a state goes on in the changed model"


def test_numpy_functions_build_formulas() -> None:
    x, t = mb.Model("a").parameter("x", 1.0), mb.t
    pairs = {
        np.sin(t): mb.sin(t), np.arctan2(t, x): mb.atan2(t, x), np.sqrt(x): mb.sqrt(x), np.abs(x): mb.abs_(x),
        np.minimum(x, t): mb.min_(x, t), np.square(x): x**2, np.float64(2) * x: 2 * x, np.pi * t: mb.pi * t,
        np.exp(-t): mb.exp(-t), np.hypot(x, 1): mb.sqrt(x**2 + 1), np.deg2rad(x): x * mb.deg, np.power(x, 3): x**3,
    }  # fmt: skip
    assert all(made == meant for made, meant in pairs.items())
    turned = np.array([[0, -1], [1, 0]]) @ np.array([x, 2 * x])
    assert [str(part) for part in turned] == ["-2*x", "x"]
    assert [str(part) for part in np.sin([x, t])] == ["sin(x)", "sin(t)"]
    m = pendulum()
    m.effort("wave", "O", value=np.sin(2 * t) * np.array(0.5))
    assert m.run(0.05).ok


def test_a_robot_without_degrees_of_freedom() -> None:
    m = mb.Model("rigid", dimension=2)
    m.body("plate", mass=1.0, inertia=1.0)
    m.fixed("weld", "ground", "plate")
    robot = m.robot()
    none = np.zeros(0)
    assert robot.nv == robot.nq == 0 and robot.q0.shape == (0,) and robot.random(0, 3).shape == (3, 0)
    assert robot.mass_matrix(none).shape == (0, 0)
    assert robot.inverse_dynamics(none, none, none).shape == robot.forward_dynamics(none, none, none).shape == (0,)
    assert robot.inverse_dynamics(np.zeros((4, 0)), np.zeros((4, 0)), np.zeros((4, 0))).shape == (4, 0)
    assert robot.mass_matrix(np.zeros((4, 0))).shape == (4, 0, 0)


def test_random_coordinates_by_a_seed() -> None:
    robot = pendulum().robot()
    assert robot.random(0) == robot.random(0) == robot.random(np.random.default_rng(0))
    assert robot.random(1, count=5).shape == (5, 1) and robot.random().shape == (1,)


def test_a_step_of_the_run_is_that_of_a_method_without_one() -> None:
    for method in (mb.Alpha(), mb.Rk4(), mb.Ab3()):
        assert copy.copy(method) == method
        assert pendulum().run(0.05, integrator=method, step=0.01).statistics["steps"] == 5
    with pytest.raises(mb.ModelError, match="step"):
        pendulum().run(0.05, integrator=mb.Rk4(0.01), step=0.02)
