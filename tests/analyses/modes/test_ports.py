"""Inputs and outputs by name, bad input of modes, and both verbs on the command line."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import multibody as mb
from multibody.cli.app import app

G = 9.81


def arm() -> mb.Model:
    """Return two links in space with an effort, a load in body axes and a spring."""
    m = mb.Model("arm", gravity=(0, 0, -G))
    m.body("upper", mass=1.0, inertia=(0.02, 0.1, 0.1), com=(0.2, 0, 0), frames={"elbow": (0.5, 0, 0)})
    m.body("lower", mass=0.5, inertia=(0.01, 0.05, 0.05), com=(0.1, 0.05, 0), frames={"tip": (0.4, 0.1, 0.05)})
    m.revolute("S", m.ground, "upper", axis=(0, 1, 0))
    m.universal("E", "upper.elbow", "lower", axes=((0, 1, 0), (0, 0, 1)))
    m.effort("motor", "S", value=0.0)
    m.effort("hold", "S", stiffness=3.0, rest=0.2)
    m.effort("bend", "E.angle1", stiffness=2.0, damping=0.1)
    m.effort("sway", "E.angle2", stiffness=2.0)
    m.force("jet", "lower.tip", value=(0, 0, 0), moment=(0, 0, 0), axes="body")
    m.frames(post=(0.3, 0.4, 0.6))
    m.spring("rope", "ground.post", "lower.tip", stiffness=4.0, length=0.2)
    return m


PORTS = [
    "motor", "S", "E.angle2", "jet.force.x", "jet.force.z", "jet.moment.y", "lower.tip.x", "lower.tip.z", "upper.y",
    "lower.x", "rope.length",
]  # fmt: skip


@pytest.mark.parametrize("name", PORTS)
def test_an_input_is_the_acceleration_that_a_small_effort_brings_about(name: str) -> None:
    m, size = arm(), 1e-3
    push = m.parameter("push", 0.0)
    if name.startswith("jet"):
        part, axis = name.split(".")[1:]
        vector, none = tuple(push if x == axis else 0.0 for x in "xyz"), (0, 0, 0)
        m.force("extra", "lower.tip", value=vector if part == "force" else none, moment=none if part == "force" else vector,
                axes="body")  # fmt: skip
    else:
        m.effort("extra", {"motor": "S", "rope.length": "rope"}.get(name, name), value=push)
    found = m.modes(inputs=[name])
    space = found.state_space()
    run = m.set(push=size).run(1e-4, initial=found.state, output_step=1e-4)
    names = [x.removesuffix(".rate") for x in space.states[3:]]
    exact = np.array([float(run[f"{x}.acceleration"].values[0]) for x in names]) / size
    assert space.B[:3, 0] == pytest.approx(np.zeros(3), abs=1e-15)
    assert space.B[3:, 0] == pytest.approx(exact, rel=1e-6, abs=1e-6)


def test_default_ports_are_the_efforts_and_the_joints() -> None:
    space = arm().modes().state_space()
    assert space.inputs[:2] == ["motor.effort", "hold.effort"] and "jet.moment.z" in space.inputs
    assert space.outputs == ["S", "E.angle1", "E.angle2"]
    np.testing.assert_allclose(space.C, np.eye(3, 6), atol=1e-11)


def test_outputs_are_derivatives_of_what_results_read() -> None:
    m = arm()
    m.output("reach", "sqrt(lower.tip.x^2 + lower.tip.z^2)")
    names = ["reach", "lower.omega.z", "rope.length.rate", "lower.tip.y.rate + E.angle1", "2*t + S"]
    found = m.modes(outputs=names)
    space = found.state_space()
    base, made = found.state, found.found.minimal
    assert made is not None
    from dataclasses import replace

    from multibody.state.system import System

    system, h = System(base.tables), 1e-5
    for k in range(3):
        ends = [replace(base, q=system.displaced(base.q, made.D[:, k], s * h)) for s in (1.0, -1.0)]
        slope = [(ends[0][x] - ends[1][x]) / (2 * h) for x in names]
        assert space.C[:, k] == pytest.approx(slope, abs=1e-8)
        ends = [replace(base, v=base.v + s * h * made.D[:, k]) for s in (1.0, -1.0)]
        slope = [(ends[0][x] - ends[1][x]) / (2 * h) for x in names]
        assert space.C[:, 3 + k] == pytest.approx(slope, abs=1e-8)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"at": "equilibrum"}, 'at is "equilibrum"; did you mean "equilibrium"'),
        ({"count": 0}, "count is 0; give a whole number"),
        ({"count": 2.5}, "count is 2.5"),
        ({"inputs": "S"}, 'is no list; give a list of names, such as \\["O"\\]'),
        ({"inputs": ["moter"]}, 'did you mean "motor"'),
        ({"inputs": ["jet"]}, "no single component|has force"),
        ({"inputs": ["S.rate"]}, "is no input"),
        ({"outputs": ["lower.rotation"]}, "is a vector"),
        ({"outputs": ["S.reaction.force.x"]}, "reactions need masses and forces"),
        ({"outputs": ["lower.tipp.x"]}, "tipp"),
    ],
)
def test_bad_input(options: dict[str, object], message: str) -> None:
    with pytest.raises(mb.ModelError, match=message):
        arm().modes(**options)  # type: ignore[arg-type]


def test_there_is_no_mode_beyond_the_last() -> None:
    found = arm().modes()
    assert len(found) == 3
    with pytest.raises(mb.ModelError, match="there is no mode 3; there are 3, counted from 0"):
        found.shape(3)


def test_no_mass_no_modes() -> None:
    m = mb.Model("bare", dimension=2)
    m.body("bar")
    m.revolute("O", m.ground, "bar")
    with pytest.raises(mb.ModelError, match='body "bar": it has no mass'):
        m.modes()
    m = mb.Model("hollow", dimension=2)
    m.body("bar", mass=0.0, inertia=0.0)
    m.body("block", mass=1.0, inertia=0.1)
    m.revolute("O", m.ground, "bar")
    m.revolute("B", m.ground, "block")
    with pytest.raises(mb.ModelError, match='body "bar": its rotation is free and has no inertia'):
        m.modes()


def test_modes_of_what_cannot_rest() -> None:
    m = mb.Model("falling", dimension=2, gravity=(0, -G))
    m.body("stone", mass=1.0, inertia=0.1)
    with pytest.warns(RuntimeWarning, match='nothing holds "stone"'):
        found = m.modes()
    assert not found.ok and len(found) == 0 and found.plain()["modes"] == []
    assert np.all(m.modes(at="initial").eigenvalues == 0.0)


def test_modes_where_nothing_moves() -> None:
    found = mb.load("slider-crank").modes()
    assert found.ok and len(found) == 0 and "nothing can move" in found.status.message
    with pytest.raises(mb.ModelError, match="no state-space"):
        found.state_space()


# --- the command line ---------------------------------------------------------------------------------------------------
def command(*arguments: str) -> tuple[int, str, str]:
    """Return exit status, stdout and stderr."""
    result = CliRunner().invoke(app, list(arguments), prog_name="multibody")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


def test_statics_prints_and_has_json() -> None:
    code, out, err = command("statics", "pendulum", "--json")
    found = json.loads(out)
    assert (code, err) == (0, "") and found["stability"] == "stable" and found["status"]["success"]
    assert found["final"]["joints"]["O"]["coordinates"] == pytest.approx([-np.pi / 2])
    assert set(found) >= {
        "units",
        "gravity",
        "residual",
        "method",
        "iterations",
        "eigenvalues",
        "reactions",
        "potential_energy",
    }
    code, out, _ = command("statics", "pendulum", "--method", "relaxation")
    assert code == 0 and "stable equilibrium" in out and "reactions" in out


def test_modes_prints_and_has_json() -> None:
    code, out, err = command("modes", "chain", "--set", "n=3", "--count", "2", "--json")
    found = json.loads(out)
    assert (code, err) == (0, "") and len(found["modes"]) == 2
    first = found["modes"][0]
    assert first["damping_ratio"] == 0.0 and first["eigenvalue"][1] == pytest.approx(2 * np.pi * first["frequency"])
    assert set(first["shape"]) == {"bodies", "coordinates"} and len(first["shape"]["coordinates"]) == 3
    code, out, _ = command("modes", "stewart-platform")
    assert code == 0 and "frequency [Hz]" in out and "snapshot" in out


def test_failures_and_bad_input_on_the_command_line(tmp_path: object) -> None:
    from pathlib import Path

    file = Path(str(tmp_path)) / "falling.yaml"
    file.write_text("name: falling\ndimension: 2\ngravity: [0, -9.81]\nbodies: {stone: {mass: 1, inertia: 1}}\n")
    for verb in ("statics", "modes"):
        code, out, err = command(verb, str(file), "--json")
        assert code == 1 and not json.loads(out)["status"]["success"] and "nothing holds" in err
    for arguments in (
        ("statics", "pendulum", "--method", "x"),
        ("modes", "pendulum", "--at", "x"),
        ("modes", "pendulum", "--count", "0"),
    ):
        code, out, err = command(*arguments)
        assert code == 2 and out == "" and err.startswith("error: ")
