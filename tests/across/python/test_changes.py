"""Results do not change with what a user does to arrays or to the model; a changed model is lowered again."""

from __future__ import annotations

import dataclasses
import sys
from typing import Any

import numpy as np
import pytest

import multibody as mb
from across.python.models import crank, pendulum


def arrays_of(item: Any, seen: set[int] | None = None) -> list[np.ndarray[Any, Any]]:
    """Return every array that hangs on an object."""
    seen = set() if seen is None else seen
    if id(item) in seen or isinstance(item, str | int | float | type | mb.Model):
        return []
    seen.add(id(item))
    if isinstance(item, np.ndarray):
        return [item]
    parts = list(item.values()) if isinstance(item, dict) else list(item) if isinstance(item, list | tuple) else []
    if not parts and type(item).__module__.startswith("multibody"):
        parts = list(getattr(item, "__dict__", {}).values())
    return [array for part in parts for array in arrays_of(part, seen)]


def assert_apart(handed: dict[str, Any], owner: Any) -> None:
    """Assert that no array handed out can write into the memory of a result."""
    own = arrays_of(owner)
    assert own
    for name, value in handed.items():
        array = np.asarray(value)
        assert not array.flags.writeable or not any(np.shares_memory(array, other) for other in own), name


PLANAR = ("O", "rod.angle", "rod.x", "rod.tip.x", "O.rate", "O.acceleration", "O.reaction.force", "motor.effort",
          "energy.kinetic", "energy.work", "height", "t", "2*O", "O.reaction.moment", "momentum", "rod.angle.rate")  # fmt: skip


def test_a_run_keeps_its_memory_to_itself() -> None:
    run = pendulum().run(0.6)
    _ = run.data, run.reactions("O")  # whatever is kept once it was read
    handed = {path: run[path].values for path in PLANAR}
    handed |= {f"data.{key}": run.data[key].values for key in run.data.variables}
    handed |= {f"reactions.{key}": run.reactions("O")[key].values for key in run.reactions("O").variables}
    handed |= {f"point.{key}": run.point("rod.tip")[key].values for key in run.point("rod.tip").variables}
    handed |= {"time": run.time, "center": run.instant_center("rod"), "final.q": run.final.q, "final.v": run.final.v}
    handed |= {"final.force": run.final["O.reaction.force"], "at": run.at(0.123).q, "coordinate": run["O"]["time"].values}
    handed |= {"event.q": run.events[0].q, "event.v": run.events[0].v, "state": run.state_at(3).q}
    handed |= {f"relative.{key}": value for key, value in vars(run.relative("rod.tip", "ground")).items()}
    assert_apart(handed, run)


def test_results_in_space_keep_their_memory_to_themselves() -> None:
    m = mb.Model("top", gravity=(0, 0, -9.81))
    m.body("top", mass=1, inertia=(0.1, 0.1, 0.05), com=(0, 0, 0.3))
    m.spherical("ball", "ground", "top")
    run = m.run(0.1)
    paths = ("top.rotation", "ball.rotation", "top.omega.x", "ball.reaction.force", "top.z", "ball.omega.z")
    handed = {path: run[path].values for path in paths} | {f"data.{key}": run.data[key].values for key in run.data.variables}
    assert_apart(handed | {"state": run.final["top.rotation"]}, run)
    both = run["ball.reaction.force", "top.rotation"]
    assert both["top.rotation"].dims == ("time", "quaternion") and both["ball.reaction.force"].dims == ("time", "component")


def test_other_results_keep_their_memory_to_themselves() -> None:
    inverse = crank().inverse(0.1, 5)
    handed = {"O": inverse["O"].values, "S": inverse.motion["S"].values, "time": inverse.time, "condition": inverse.condition}
    assert_apart(handed | {key: inverse.data[key].values for key in inverse.data.variables}, inverse)
    modes = pendulum().modes()
    space, shape = modes.state_space(), modes.shape(0)
    handed = {"A": space.A, "B": space.B, "eigenvalues": modes.eigenvalues, "q": modes.state.q}
    assert_apart(handed | {"move": shape.bodies["rod"]["translation"]}, modes)
    equilibrium = pendulum().statics()
    assert_apart({"eigenvalues": equilibrium.eigenvalues, "q": equilibrium.state.q}, equilibrium)
    state = pendulum().assemble()
    with pytest.raises(ValueError, match="read-only"):
        state.q[0] = 1.0
    sim = pendulum().simulator()
    sim.step(0.1)
    assert_apart({"force": sim["O.reaction.force"], "q": sim.state.q}, sim)


def test_subtracting_the_first_value_changes_no_run() -> None:
    run = pendulum().run(0.3)
    before = run["O"].values.copy()
    x = run["O"]
    x -= x[0]
    data = run.data
    data["coordinate"] -= 1.0
    data["angle"] *= 0.0
    np.testing.assert_array_equal(run["O"].values, before)
    np.testing.assert_array_equal(run.data["angle"].values[:, 0], run["rod.angle"].values)


def test_robot_arrays_belong_to_the_caller() -> None:
    robot = pendulum().robot()
    one, other = robot.q0, robot.q0
    one += 5.0
    assert other[0] == robot.q0[0] == pytest.approx(0.3)
    M = robot.mass_matrix(robot.q0)
    M *= 0.0
    assert robot.mass_matrix(robot.q0)[0, 0] > 0.0
    q = robot.q0
    q.flags.writeable = False
    assert robot.inverse_dynamics(q, [0.0], [0.0]) == robot.inverse_dynamics(robot.q0, [0.0], [0.0])


def test_a_run_belongs_to_the_model_as_it_was() -> None:
    m = pendulum()
    run, state, robot = m.run(0.3), m.assemble(), m.robot()
    said = [run["height"].values, run.data["gravity"].values, state["height"], robot.bias(robot.q0, [0.0])]
    m.gravity = (0, 0)
    m.outputs["height"] = 7.0
    m.body("more", mass=1, inertia=1)
    m.motion("O", "t")
    m.joints["O"] = dataclasses.replace(m.joints["O"], name="O")
    del m.bodies["more"]
    again = [run["height"].values, run.data["gravity"].values, state["height"], robot.bias(robot.q0, [0.0])]
    for a, b in zip(said, again, strict=True):
        np.testing.assert_array_equal(a, b)
    assert run.at(0.123)["height"] == pytest.approx(np.interp(0.123, run.time, said[0]), abs=1e-4)
    assert m.run(0.3, initial={"O": 0.0})["height"].values[0] == 7.0


CHANGES: dict[str, Any] = {
    "gravity": lambda m: setattr(m, "gravity", [0, -1.62]),
    "gravity as a formula": lambda m: setattr(m, "gravity", ("0", "-l")),
    "initial by hand": lambda m: m.initials.update({"O": "30*deg"}),
    "initial by the verb": lambda m: m.initial({"O": 0.5}),
    "initial taken away": lambda m: m.initials.clear(),
    "body exchanged": lambda m: m.bodies.update(rod=dataclasses.replace(m.bodies["rod"], inertia=1.0)),
    "body as a file has it": lambda m: m.bodies.update(rod={"mass": 1, "inertia": 2, "frames": {"tip": [1, 0]}}),
    "motion by hand": lambda m: m.motions.update({"O": "t^2"}),
    "force by hand": lambda m: m.forces.update(motor={"effort": "O", "value": 3}),
    "parameter by hand": lambda m: m.parameters.update(l=2),
    "event in depth": lambda m: m.events["low"].update(terminal=True),
    "output by hand": lambda m: m.outputs.update(height="rod.x"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_in_place_is_seen(name: str) -> None:
    m, fresh = pendulum(), pendulum()
    before = m.run(0.7)
    CHANGES[name](m)
    CHANGES[name](fresh)  # never lowered before
    after, expected = m.run(0.7), fresh.run(0.7)
    assert (len(after.time), [e.time for e in after.events]) == (len(expected.time), [e.time for e in expected.events])
    np.testing.assert_array_equal(after["O"].values, expected["O"].values)
    np.testing.assert_array_equal(after["height"].values, expected["height"].values)
    same = len(after.time) == len(before.time) and np.array_equal(after["O"], before["O"])
    assert not (same and np.array_equal(after["height"], before["height"]))


def test_what_cannot_be_changed_says_what_to_do() -> None:
    m = pendulum()
    for change in (
        lambda: setattr(m.bodies["rod"], "mass", 3), lambda: m.bodies["rod"].frames.update(a=(0, 0)),
        lambda: m.joints["O"].fields.update(axis=(0, 0, 1)), lambda: setattr(m.joints["O"], "first", "rod"),
        lambda: setattr(m.forces["motor"], "name", "x"), lambda: m.forces["motor"].fields.clear(),
    ):  # fmt: skip
        with pytest.raises(mb.ModelError, match=r"model.set|dataclasses.replace"):
            change()
    with pytest.raises(mb.ModelError, match="dimension"):
        m.dimension = 3
    with pytest.raises(mb.ModelError, match='did you mean "gravity"'):
        m.gravty = (0, -9.81)
    m.bodies["rod"] = 3  # type: ignore[assignment]
    with pytest.raises(mb.ModelError, match='body "rod": 3 is not a body'):
        m.check()


def test_set_gives_a_copy_that_does_not_follow() -> None:
    m = pendulum()
    other = m.set(l=2.0)
    m.gravity = (0, 0)
    assert other.gravity == (0.0, -9.81) and m.set(l=2.0).gravity == (0.0, 0.0)
    assert other.run(0.1).final["rod.tip.x"] == pytest.approx(2.0 * np.cos(other.run(0.1).final["O"]))


def test_kernels_are_compiled_for_arrays_that_can_be_written_to_only() -> None:
    """What is only read is for users: an array of that kind would compile every kernel again."""
    from numba.core import types
    from numba.core.dispatcher import Dispatcher

    def compiled() -> set[tuple[str, Any]]:
        found = set()
        for name, module in list(sys.modules.items()):
            for member in list(vars(module).values()) if name.startswith("multibody") and module else []:
                if isinstance(member, Dispatcher):
                    found |= {(str(member), signature) for signature in member.signatures}
        return found

    before = compiled()  # other tests hand over what they like
    m = pendulum()
    run = m.run(0.2, initial=m.assemble())
    m.run(0.3, initial=run.final, formulation="recursive")
    m.statics(run.final)
    m.modes(at=run.final)
    crank().kinematics(0.2, initial=crank().kinematics(0.1).final).at(0.15)
    m.robot().from_state(run.final)
    m.simulator(run.final).restore(run.final)
    for member, signature in compiled() - before:
        assert all(not isinstance(a, types.Array) or a.mutable for a in signature), (member, signature)
