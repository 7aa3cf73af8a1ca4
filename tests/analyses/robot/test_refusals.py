"""What a robot refuses, in one clear sentence."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import multibody as mb


@pytest.fixture(scope="module")
def arm() -> mb.Robot:
    robot = mb.load("arm7").robot()
    z = np.zeros(7)
    robot.inverse_dynamics(z, z, z, out=z.copy())  # the short way is open from here on
    return robot


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (np.zeros(6), "q has the shape (6,); it is (7,) or (N, 7)"),
        (np.zeros((2, 3, 7)), "q has the shape (2, 3, 7)"),
        (None, "q has the shape ()"),
        ("x", "q is not an array of numbers"),
        ([], "q has the shape (0,)"),
        ([[1, 2], [3]], "q is not an array of numbers"),
        (np.full(7, np.nan), "q has a number that is not finite: joint1.angle"),
        (np.array([0, 0, np.inf, 0, 0, 0, 0]), "q has a number that is not finite: joint3.angle"),
    ],
)
@pytest.mark.parametrize("given", [False, True])
def test_arrays_that_do_not_fit(arm: mb.Robot, value: Any, words: str, given: bool) -> None:
    z = np.zeros(7)
    with pytest.raises(mb.ModelError) as error:
        arm.inverse_dynamics(value, z, z, out=np.zeros(7) if given else None)
    assert words in str(error.value)


@pytest.mark.parametrize("dtype", [np.float32, np.int64, object])
def test_other_numbers_are_converted(arm: mb.Robot, dtype: Any) -> None:
    q, z, out = np.arange(7).astype(dtype), np.zeros(7), np.empty(7)
    expected = arm.inverse_dynamics(np.arange(7.0), z, z)
    np.testing.assert_array_equal(arm.inverse_dynamics(q, z, z, out=out), expected)
    np.testing.assert_array_equal(arm.inverse_dynamics(list(range(7)), z, z), expected)
    np.testing.assert_array_equal(arm.inverse_dynamics(np.arange(0.0, 7.0, 0.5)[::2], z, z, out=out), expected)


@pytest.mark.parametrize("out", [np.zeros(6), np.zeros(7, dtype=np.float32), np.zeros(14)[::2], [0.0] * 7, np.zeros((1, 7))])
def test_results_that_do_not_fit(arm: mb.Robot, out: Any) -> None:
    z = np.zeros(7)
    with pytest.raises(mb.ModelError, match="out does not fit; it takes a contiguous array of floats"):
        arm.inverse_dynamics(z, z, z, out=out)


def test_rows_that_do_not_match(arm: mb.Robot) -> None:
    with pytest.raises(mb.ModelError, match=r"has 3 states and another array 2|has 2 states and another array 3"):
        arm.inverse_dynamics(np.zeros((3, 7)), np.zeros((2, 7)), np.zeros(7))


def test_joints_and_frames_that_do_not_exist(arm: mb.Robot) -> None:
    z = np.zeros(7)
    with pytest.raises(mb.ModelError, match=r'unknown joint "joint9".*joint'):
        arm.reactions(z, z, z, ["joint1", "joint9"])
    with pytest.raises(mb.ModelError, match='unknown joint "elbow"'):
        arm.equations(z, z).driving_force(z, "elbow")
    with pytest.raises(mb.ModelError, match='unknown body "link9"'):
        arm.frame_jacobian("link9.tip", z)
    with pytest.raises(mb.ModelError, match='has no frame "top"'):
        arm.frame_jacobian("link7.top", z)


def test_loops_are_refused_and_can_be_opened() -> None:
    model = mb.load("four-bar")
    with pytest.raises(mb.ModelError, match="closes a loop, and a robot is a tree; use run or inverse") as error:
        model.robot()
    name = str(error.value).split('cut=["')[1].split('"')[0]
    robot = model.robot(cut=[name])
    assert robot.nv == 3
    assert name not in robot.joints


def test_constraints_are_refused() -> None:
    m = mb.Model("held", dimension=2)
    m.body("a", mass=1, inertia=1, frames={"tip": (1, 0)})
    m.body("b", mass=1, inertia=1)
    m.revolute("A", m.ground, "a")
    m.revolute("B", m.ground, "b")
    m.gear("G", "a", "b", teeth=(10, 20))
    with pytest.raises(mb.ModelError, match="gear G closes a loop"):
        m.robot()


@pytest.mark.parametrize("given", [False, True])
def test_a_massless_end_is_named(given: bool) -> None:
    m = mb.Model("light", dimension=2, gravity=(0, -9.81))
    m.body("arm", mass=1, inertia=1, com=(1, 0), frames={"tip": (2, 0)})
    m.body("flag", mass=0, inertia=0)
    m.revolute("A", m.ground, "arm")
    m.revolute("B", "arm.tip", "flag")
    robot, z = m.robot(), np.zeros(2)
    for _ in range(2):
        with pytest.raises(mb.ModelError, match=r'"flag": B\.angle moves no mass'):
            robot.forward_dynamics(z, z, z, out=np.zeros(2) if given else None)
    np.testing.assert_allclose(robot.inverse_dynamics(z, z, z), [9.81, 0.0])  # needs no division


def test_a_quaternion_of_zeros_is_refused() -> None:
    m = mb.Model("ball")
    m.body("b", mass=1, inertia=(1, 1, 1))
    m.spherical("S", m.ground, "b")
    with pytest.raises(mb.ModelError, match="the quaternion of S is zero"):
        m.robot().mass_matrix(np.zeros(4))


def test_a_model_without_masses_has_no_center() -> None:
    m = mb.Model("ghost", dimension=2)
    m.body("b", mass=0, inertia=0)
    m.revolute("A", m.ground, "b")
    robot = m.robot()
    with pytest.raises(mb.ModelError, match="nothing that moves has a mass"):
        robot.center_of_mass([0.0])
    np.testing.assert_allclose(robot.frame_jacobian("b", [0.0]), [[0], [0], [1]])


def test_a_mass_matrix_may_be_too_large() -> None:
    robot = mb.load("chain", n=2000).robot()
    with pytest.raises(mb.ModelError, match="a mass matrix of 2000 rates is too large"):
        robot.mass_matrix(robot.neutral)
    with pytest.raises(mb.ModelError, match="is too large"):
        robot.equations(robot.neutral, np.zeros(2000))


def test_states_of_other_models_are_refused(arm: mb.Robot) -> None:
    with pytest.raises(mb.ModelError, match="belongs to another model"):
        arm.from_state(mb.load("four-bar").assemble())
    with pytest.raises(mb.ModelError, match="a state is one row"):
        arm.state(np.zeros((2, 7)))


def _tool(dimension: int, **given: Any) -> mb.Robot:
    m = mb.Model("tool", dimension=dimension, gravity=(0, -9.81, 0)[:dimension])
    m.body("arm", mass=2.0, inertia=0.1 if dimension == 2 else (0.1, 0.1, 0.1), com=(0.3, 0, 0)[:dimension])
    m.body("tip", **given)
    m.revolute("O", "ground", "arm")
    m.revolute("A", "arm", "tip", at=(0.5, 0, 0)[:dimension])
    return m.robot()


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize(("given", "word"), [({}, "mass"), ({"mass": 1.0}, "inertia")])
def test_masses_that_are_not_stated_are_asked_for_as_run_does(dimension: int, given: dict[str, Any], word: str) -> None:
    """A body without a mass is not massless, one without an inertia no point mass: 0 says so."""
    robot, z = _tool(dimension, **given), np.zeros(2)
    for verb in (
        lambda: robot.inverse_dynamics(z, z, z), lambda: robot.mass_matrix(z), lambda: robot.momentum(z, z),
        lambda: robot.kinetic_energy(z, z), lambda: robot.reactions(z, z, z), lambda: robot.equations(z, z),
    ):  # fmt: skip
        with pytest.raises(mb.ModelError, match=rf"it has no {word}, and robot.\w+ needs one; give {word}"):
            verb()
    with pytest.raises(mb.ModelError, match=f"it has no {word}, and dynamics needs one"):
        robot.model.run(until=0.1)
    robot.frame_jacobian("tip", z)
    if word == "inertia":
        assert robot.mass == 3.0 and robot.gravity(z)[0] > 0.0
    else:
        with pytest.raises(mb.ModelError, match=r"robot.mass needs one"):
            _ = robot.mass


@pytest.mark.parametrize("dimension", [2, 3])
def test_what_is_welded_to_the_ground_does_not_move(dimension: int) -> None:
    """Mass, center of mass and momentum are those of the model without the welded bodies."""
    found = []
    for welded in (False, True):
        m = mb.Model("arm", dimension=dimension)
        inertia = 0.1 if dimension == 2 else (0.1, 0.2, 0.15)
        carrier = "ground"
        if welded:
            m.body("base", mass=50.0, inertia=inertia, com=(0.2, -0.4, 0.1)[:dimension])
            m.body("plate", mass=7.0, inertia=inertia)
            m.fixed("weld", "ground", "base")
            m.fixed("bolt", "base", "plate")
            carrier = "plate"
        m.body("arm", mass=2.0, inertia=inertia, com=(0.3, 0.1, 0)[:dimension])
        m.body("hand", mass=1.0, inertia=inertia, com=(0.6, 0, 0)[:dimension])
        m.revolute("O", carrier, "arm")
        m.fixed("grip", "arm", "hand")  # welded to what moves: it counts
        robot = m.robot()
        q, v = np.array([0.4]), np.array([1.3])
        found.append([
            np.array([robot.mass]), robot.center_of_mass(q), robot.center_of_mass_jacobian(q), robot.momentum(q, v),
            robot.momentum_bias(q, v), np.atleast_1d(robot.kinetic_energy(q, v)),
        ])  # fmt: skip
    for plain, welded_ in zip(*found, strict=True):
        np.testing.assert_allclose(welded_, plain, rtol=1e-13, atol=1e-13)
    assert found[0][0][0] == 3.0


def test_a_robot_of_welded_bodies_alone_has_nothing_that_moves() -> None:
    m = mb.Model("plate", dimension=2)
    m.body("plate", mass=1.0, inertia=1.0)
    m.fixed("weld", "ground", "plate")
    robot = m.robot()
    assert robot.mass == 0.0
