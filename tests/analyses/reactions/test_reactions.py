"""Reactions, efforts, energies and momentum against closed forms and reference solutions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import cumulative_simpson

import multibody as mb
from multibody.analyses.reactions.uniqueness import Redundancy

# In-line engine without gravity: forces on crank (bearing), rod (crank pin), piston (wrist pin) and of the wall on the piston,
# from Newton's and Euler's equations on a solution of its own (relative accuracy about 1e-12).
ENGINE = {
    0.05: (
        [-1.3581397312140056, -2.341875321152643],
        [-1.3581397312140056, -2.341875321152643],
        [-0.23824956118827462, 0.6281963898470284],
        -0.6281963898470284,
    ),
    0.1: (
        [4.038336915243373, -3.741835518717277],
        [4.038336915243373, -3.741835518717277],
        [2.2521679590075427, -0.464955348970472],
        0.464955348970472,
    ),
    0.25: (
        [4.949516472021163, 3.7595203811836675],
        [4.949516472021163, 3.7595203811836675],
        [2.559896144437629, 0.5528775513243444],
        -0.5528775513243444,
    ),
    0.5: (
        [1.50637606988558, -3.2133157946436213],
        [1.50637606988558, -3.2133157946436213],
        [1.198028664379773, -0.019010080851527396],
        0.019010080851527396,
    ),
    1.0: (
        [7.832865813871304, -2.1982721695859495],
        [7.832865813871304, -2.1982721695859495],
        [3.1967238025027354, -0.38216610642926113],
        0.38216610642926113,
    ),
}


def pendulum(driven: bool = False, dimension: int = 2) -> mb.Model:
    """Return a rod on a pin, its center of mass 0.4 m away and off the body's origin."""
    zero = (0.0,) * (dimension - 2)
    m = mb.Model("pendulum", dimension=dimension, gravity=(0.0, -9.81, *zero))
    inertia = 0.07 if dimension == 2 else (0.03, 0.06, 0.07)
    m.body(
        "rod", mass=1.5, inertia=inertia, com=(0.1, 0.0, *zero), frames={"pin": (-0.3, 0.0, *zero), "tip": (0.6, 0.0, *zero)}
    )
    m.revolute("O", "ground", "rod.pin")
    if driven:
        m.motion("O", "0.3 + 2*t")
    else:
        m.initial({"O": 0.3, "O.rate": 1.0})
    return m


@pytest.mark.parametrize("dimension", [2, 3])
def test_pin_force_of_a_pendulum(dimension: int) -> None:
    run = pendulum(dimension=dimension).run(until=2.0, rtol=1e-11)
    theta = run["O"].values
    about_pin = 0.07 + 1.5 * 0.4**2
    rate2 = 1.0 + 2 * 1.5 * 9.81 * 0.4 * (np.sin(0.3) - np.sin(theta)) / about_pin
    turning = -1.5 * 9.81 * 0.4 * np.cos(theta) / about_pin
    x = 1.5 * 0.4 * (-rate2 * np.cos(theta) - turning * np.sin(theta))
    y = 1.5 * (0.4 * (-rate2 * np.sin(theta) + turning * np.cos(theta)) + 9.81)
    force = run["O.reaction.force"]
    assert force.dims == ("time", "component")
    assert np.max(np.abs(force.values[:, :2] - np.stack([x, y], 1))) < 1e-8
    assert np.max(np.abs(run["O.reaction.moment"].values)) < 1e-9
    assert np.max(np.abs(run["O.reaction.force.x"].values - x)) < 1e-8
    expected = {"unit": "N", "axes": "ground", "point": "rod.pin", "on_body": "rod", "unique": True}
    assert {key: force.attrs[key] for key in expected} == expected
    assert run["O.reaction.moment"].attrs["unit"] == "N·m"


def test_an_unbalanced_rotor() -> None:
    m = mb.Model("rotor")
    J = [[0.5, 0.0, 0.08], [0.0, 0.4, 0.0], [0.08, 0.0, 0.6]]
    m.body("rotor", mass=2.0, inertia=J, com=(0.05, 0.0, 0.3))
    m.revolute("O", "ground", "rotor")
    m.initial({"O.rate": 7.0})
    run = m.run(until=1.0, rtol=1e-12)
    c, s = np.cos(7.0 * run.time), np.sin(7.0 * run.time)
    zero = 0.0 * c
    force = -2.0 * 49.0 * 0.05 * np.stack([c, s, zero], 1)
    moment = 49.0 * (0.08 - 2.0 * 0.05 * 0.3) * np.stack([-s, c, zero], 1)  # ω × J_O ω
    assert np.max(np.abs(run["O.reaction.force"].values - force)) < 1e-8
    assert np.max(np.abs(run["O.reaction.moment"].values - moment)) < 1e-8
    in_body = run.reactions("O", axes="body")
    assert np.max(np.abs(in_body.force.values - [-4.9, 0.0, 0.0])) < 1e-8
    assert np.max(np.abs(in_body.moment.values - [0.0, 49.0 * 0.05, 0.0])) < 1e-8
    at_com = run.reactions("O", at="com", axes="joint")  # joint axes are the ground's here: the first end is the ground
    arm = np.stack([0.05 * c, 0.05 * s, 0.3 + zero], 1)
    assert np.max(np.abs(at_com.moment.values - (moment - np.cross(arm, force)))) < 1e-8
    assert np.max(np.abs(run["momentum"].values - 2.0 * 7.0 * 0.05 * np.stack([-s, c, zero], 1))) < 1e-8
    assert np.max(np.abs(run["angular_momentum.z"].values - 7.0 * (0.6 + 2.0 * 0.05**2))) < 1e-8


@pytest.mark.parametrize("dimension", [2, 3])
def test_engine_joint_forces(dimension: int) -> None:
    run = mb.load("engine", dimension=dimension).run(until=1.0, rtol=1e-12, atol=1e-13)
    for t, (bearing, pin, wrist, wall) in ENGINE.items():
        state = run.at(t)
        for joint, expected in (("O1", bearing), ("A1", pin), ("B1", wrist), ("S1", (0.0, wall))):
            assert state[f"{joint}.reaction.force"][:2] == pytest.approx(expected, abs=2e-8)
            if dimension == 3:
                assert state[f"{joint}.reaction.force"][2] == pytest.approx(0.0, abs=1e-12)
                flags = run[f"{joint}.reaction.force"].attrs["unique_components"]
                assert flags == [True, True, False]


@pytest.mark.parametrize("formulation", ["augmented", "baumgarte", "partitioning", "kane"])
def test_four_bar_reactions_in_every_formulation(formulation: str) -> None:
    run = mb.load("four-bar").run(until=10.0, rtol=1e-10, formulation=formulation)
    assert run["O1.reaction.force"].values[-1] == pytest.approx([3.74052, -44.58816], abs=1e-5)
    assert -run["B.reaction.force"].values[-1] == pytest.approx([-57.51859, -41.26086], abs=1e-5)  # on the coupler
    assert run["O1.effort"].values[-1] == pytest.approx(-100 * (run["O1"].values[-1] - 0.524))
    assert np.max(np.abs(run["O1.effort - spring.effort"].values)) == 0.0
    assert np.max(np.abs(run["O1.total.moment - O1.reaction.moment - O1.effort"].values)) < 1e-9
    balance = run["energy.total - energy.work"].values
    assert np.ptp(balance) < 1e-6


def test_effort_of_a_motion_and_its_work() -> None:
    run = pendulum(driven=True).run(until=3.0)
    theta = 0.3 + 2 * run.time
    effort = run["O.effort"]
    assert np.max(np.abs(effort.values - 1.5 * 9.81 * 0.4 * np.cos(theta))) < 1e-10
    assert effort.attrs["unit"] == "N·m"
    assert effort.attrs["unique"] is True
    force = run["O.reaction.force"].values
    expected = 1.5 * (np.stack([-4 * 0.4 * np.cos(theta), -4 * 0.4 * np.sin(theta) + 9.81], 1))
    assert np.max(np.abs(force - expected)) < 1e-10
    assert np.max(np.abs(run["O.reaction.moment"].values)) < 1e-10
    assert np.max(np.abs(run["O.total.moment"].values - effort.values)) < 1e-10
    lifted = 1.5 * 9.81 * 0.4 * (np.sin(theta) - np.sin(0.3))
    assert np.max(np.abs(run["energy.work"].values - lifted)) < 1e-7
    between = run.at(1.2345)
    assert between["O.effort"] == pytest.approx(1.5 * 9.81 * 0.4 * np.cos(0.3 + 2 * 1.2345))


def test_a_spring_beside_a_motion_shares_its_effort() -> None:
    m = pendulum(driven=True)
    m.effort("helper", "O", stiffness=2.0, rest=0.5, damping=0.3)
    m.friction("rub", "O", load=1.0, coulomb=0.2)
    m.spring("tie", "ground", "rod.tip", stiffness=5.0)
    run = m.run(until=1.0)
    theta = 0.3 + 2 * run.time
    needed = 1.5 * 9.81 * 0.4 * np.cos(theta)  # the spring passes through the pin: it has no moment
    assert np.max(np.abs(run["O.effort"].values - needed)) < 1e-9
    assert np.max(np.abs(run["helper.effort"].values + 2.0 * (theta - 0.5) + 0.6)) < 1e-10
    assert np.max(np.abs(run["rub.effort"].values + 0.2 * np.tanh(2 / 0.01))) < 1e-9
    tie = run["tie.effort"]
    assert np.max(np.abs(tie.values + 5.0 * 0.9)) < 1e-10
    assert tie.attrs["unit"] == "N"
    work = cumulative_simpson((run["O.effort"] - run["helper.effort"]).values * 2.0, x=run.time, initial=0.0)
    damped = work - 0.3 * 4 * run.time  # all but the helper's stiffness
    assert np.max(np.abs(run["energy.work"].values - damped)) < 1e-6


def test_motion_on_a_point_and_bushings() -> None:
    m = mb.Model("carried", dimension=2, gravity=(0, -9.81))
    m.body("block", mass=2.0, inertia=0.1, frames={"eye": (0.3, 0.2)})
    m.motion("block.eye.x", "0.1*sin(5*t)")
    m.bushing("mount", "ground", "block", stiffness=(0.0, 500.0, 20.0), damping=(0.0, 3.0, 0.4))
    m.force("push", "block.eye", value=(0.0, "sin(t)"), moment=0.2)
    m.initial({"block.y": 0.0})
    run = m.run(until=1.0, rtol=1e-11)
    effort = run["block.eye.x.effort"]
    assert np.max(np.abs(effort.values - 2.0 * run["block.x.acceleration"].values)) < 1e-9
    assert run["mount.effort"].shape == (401, 3)
    assert (
        np.max(np.abs(run["mount.effort"].values[:, 1] + 500 * run["block.y"].values + 3 * run["block.y.rate"].values)) < 1e-10
    )
    assert np.max(np.abs(run["push.force.y"].values - np.sin(run.time))) < 1e-12
    assert np.max(np.abs(run["push.moment"].values - 0.2)) == 0.0
    assert run.balance().relative < 1e-12
    with pytest.raises(mb.ModelError, match=r'nothing acts along "block\.eye\.y"'):
        run["block.eye.y.effort"]


def wheels(kind: str) -> Any:
    m = mb.Model("wheels", dimension=2)
    m.body("a", mass=1.0, inertia=0.3)
    m.body("b", mass=1.0, inertia=0.5, at=(1.0, 0.0))
    m.revolute("A", "ground", "a")
    m.revolute("B", "ground", "b", at=(1.0, 0.0))
    if kind == "coupler":
        m.coupler("C", "A - 2*B")
    else:
        m.gear("C", "a", "b", teeth=(20, 40), internal=True)
    m.effort("motor", "A", value=1.7)
    return m.run(until=0.5)


def test_effort_of_a_coupler_and_moment_of_a_gear() -> None:
    b = 2 * 1.7 / (0.5 + 4 * 0.3)  # angular acceleration of B
    run = wheels("coupler")
    assert np.max(np.abs(run["C.effort"].values + 0.5 * b / 2)) < 1e-10  # B gets −2 times it
    with pytest.raises(mb.ModelError, match="a coupler acts on coordinates"):
        run["C.reaction.force"]
    with pytest.raises(mb.ModelError, match='coupler "C" has no reaction'):
        run.reactions("C")
    run = wheels("gear")
    assert np.max(np.abs(run["C.reaction.moment"].values - 0.5 * b)) < 1e-10
    assert np.max(np.abs(run["C.reaction.force"].values)) == 0.0
    both = run.measurer.forces.reactions.on_bodies("C")
    assert np.max(np.abs(both["a"].moment + 0.5 * b / 2)) < 1e-10


def test_a_ground_that_is_the_second_body() -> None:
    m = mb.Model("hung", dimension=2, gravity=(0, -9.81))
    m.body("rod", mass=1.5, inertia=0.07, com=(0.4, 0.0))
    m.revolute("O", "rod", "ground")
    m.initial({"O": 0.0})
    run = m.run(until=0.5)
    other = pendulum()
    other.initials.clear()
    other.initial({"O": 0.0, "O.rate": 0.0})
    assert np.max(np.abs(run["O.reaction.force"].values + other.run(until=0.5)["O.reaction.force"].values)) < 1e-6
    assert run["O.reaction.force"].attrs["on_body"] == "ground"


# --- redundant constraints --------------------------------------------------------------------------------------------
def door() -> mb.Model:
    """Return a door on two full hinges; its weight is off the axis."""
    m = mb.Model("door", gravity=(0, 0, -9.81))
    m.body("door", mass=20.0, inertia=(3.0, 2.0, 1.5), com=(0.4, 0.05, 1.0), frames={"low": (0, 0, 0.3), "high": (0, 0, 1.8)})
    m.frames(low=(0, 0, 0.3), high=(0, 0, 1.8))
    m.revolute("low", "ground.low", "door.low")
    m.revolute("high", "ground.high", "door.high")
    m.initial({"low": 0.4, "low.rate": 2.0})
    return m


def test_a_door_with_two_hinges() -> None:
    model = door()
    run = model.run(until=1.0, rtol=1e-11)
    for name in ("low", "high"):
        assert run[f"{name}.reaction.force"].attrs["unique_components"] == [False, False, False]
        assert run[f"{name}.reaction.moment"].attrs["unique_components"] == [False, False, True]
        assert run[f"{name}.reaction.moment.z"].attrs["unique"] is True
        assert run[f"{name}.reaction.force"].attrs["unique"] is False
        flags = model.check().reaction_components[name]
        assert flags == {"force": [False] * 3, "moment": [False, False, True]}
    # of all forces and moments that hold it, those with the smallest sum of squares (forces times L)
    L, k = run.tables.length, 137
    c, s = np.cos(run["low"].values[k]), np.sin(run["low"].values[k])
    center = np.array([0.4 * c - 0.05 * s, 0.4 * s + 0.05 * c, 1.0])
    held = run["door.x.acceleration"].values[k], run["door.y.acceleration"].values[k], 9.81
    force = 20.0 * np.array(held)
    columns = []
    for z in (0.3, 1.8):
        arm = np.array([0.0, 0.0, z]) - center
        columns += [np.concatenate([axis / L, np.cross(arm, axis / L)]) for axis in np.eye(3)]
        columns += [np.concatenate([np.zeros(3), axis]) for axis in np.eye(3)[:2]]
    smallest = np.linalg.pinv(np.array(columns).T) @ np.concatenate([force, np.zeros(3)])
    for name, part in zip(("low", "high"), (smallest[:5], smallest[5:]), strict=True):
        assert run[f"{name}.reaction.force"].values[k] == pytest.approx(part[:3] / L, abs=1e-6)
        assert run[f"{name}.reaction.moment"].values[k] == pytest.approx([*part[3:], 0.0], abs=1e-6)
    assert run["low.reaction.force.z"].values[k] == pytest.approx(20 * 9.81 / 2)
    assert run.balance().relative < 1e-9
    total = run["low.reaction.force.x + high.reaction.force.x"].values[k]
    assert total == pytest.approx(force[0])


def test_a_wrench_can_be_unique_at_one_point_only() -> None:
    """Hinge and ball share the weight along the line between them; about that line nothing is open."""
    m = door()
    del m.joints["high"]
    m.spherical("high", "ground.high", "door.high")
    run = m.run(until=0.2)
    assert run["high.reaction.force"].attrs["unique_components"] == [False, False, False]
    turned = run.reactions("high", at="low", axes="joint")
    assert list(turned.unique_moment.values) == [False, False, True]
    assert list(turned.unique_force.values) == [False, False, False]


def trammel() -> mb.Model:
    """Scott-Russell linkage with both ends of the bar on rails and a crank to its middle: one equation too many."""
    m = mb.Model("scott-russell", dimension=2, gravity=(0, -9.81))
    m.body("crank", mass=0.5, inertia=0.02, com=(0.25, 0.0), frames={"end": (0.5, 0.0)})
    m.body("bar", mass=1.0, inertia=0.1, frames={"B": (0.5, 0.0), "C": (-0.5, 0.0)})
    m.revolute("O", "ground", "crank")
    m.revolute("A", "crank.end", "bar")
    m.point_on_line("B", "ground", "bar.B", axis=(1, 0))
    m.point_on_line("C", "ground", "bar.C", axis=(0, 1))
    m.initial({"O": 0.7, "O.rate": 1.0}, guess={"bar.angle": -0.7})
    return m


def test_a_redundant_scott_russell_linkage() -> None:
    model = trammel()
    report = model.check()
    assert report.mobility == 1
    assert len(report.redundant) == 1
    run = model.run(until=1.0, rtol=1e-10)
    assert run.ok
    flags = {name: run[f"{name}.reaction.force"].attrs["unique_components"] for name in "OABC"}
    assert flags == {"O": [False, False], "A": [False, False], "B": [True, False], "C": [False, True]}
    assert run.balance().relative < 1e-9
    # a force s along the crank on crank and bar, and −s sin θ, −s cos θ on the rails, moves nothing: the smallest
    # reactions have no part along this combination
    theta = run["O"].values
    along = np.stack([np.cos(theta), np.sin(theta)], 1)
    pins = np.einsum("ti,ti->t", run["O.reaction.force"].values + run["A.reaction.force"].values, along)
    rails = run["B.reaction.force.y"].values * np.sin(theta) + run["C.reaction.force.x"].values * np.cos(theta)
    assert np.max(np.abs(pins - rails)) < 1e-8
    assert np.max(np.abs(pins)) > 1.0


def test_bricard_reports_its_open_reactions() -> None:
    run = mb.load("iftomm-bricard").run(until=0.5)
    assert run.ok
    assert all(not run[f"J{k}.reaction.force"].attrs["unique"] for k in range(6))
    reactions = run.measurer.forces.reactions
    assert len(reactions.dynamics.rows) == 29
    N = reactions.dependencies[-1].left.toarray()[:, 0] / reactions.system.scale_rows[:30]
    scaled = reactions.multipliers[reactions.dependencies[-1].instant] / reactions.system.scale_rows[:30]
    assert abs(N @ scaled) < 1e-6 * np.linalg.norm(N) * np.linalg.norm(scaled)
    assert run.balance().relative < 1e-9


@pytest.mark.parametrize("name", ["engine", "universal-shaft", "double-universal", "screw-press"])
def test_uniqueness_agrees_with_check(name: str) -> None:
    model = mb.load(name)
    run, report = model.run(until=0.3), model.check()
    for joint in run.tables.ends:
        force, moment = run.measurer.forces.reactions.unique(joint)
        assert {"force": force, "moment": moment} == report.reaction_components[joint]
    assert run.balance().relative < 1e-8


def test_large_blocks_take_the_sparse_way(monkeypatch: pytest.MonkeyPatch) -> None:
    run = mb.load("engine").run(until=0.1)
    reactions = run.measurer.forces.reactions
    dense = reactions.multipliers
    monkeypatch.setattr("multibody.analyses.reactions.uniqueness.DENSE_LIMIT", 0)
    again = Redundancy(reactions.system, reactions.dynamics.rows).smallest(reactions.dynamics.multipliers, reactions.entries)
    assert np.max(np.abs(again - dense)) < 1e-7 * np.max(np.abs(dense))


# --- units, words and faults ------------------------------------------------------------------------------------------
def test_units_of_the_model() -> None:
    run = mb.load("rrc-arm").run(until=0.05)
    units = {
        "joint2.reaction.force": "lbf", "joint2.reaction.moment": "lbf·in", "joint2.effort": "lbf·in",
        "energy.kinetic": "lbf·in", "momentum": "lbf·s", "angular_momentum": "lbf·in·s", "joint3.total.force.z": "lbf",
    }  # fmt: skip
    assert {path: run[path].attrs["unit"] for path in units} == units
    weight = sum((229.5, 122, 63.5, 45, 24.5, 12.5, 8))
    assert run["joint1.reaction.force.z"].values[0] == pytest.approx(
        weight + sum(w / 386.08858 * a for w, a in zip((229.5, 122, 63.5, 45, 24.5, 12.5, 8),
        (run[f"link{k}.z.acceleration"].values[0] for k in range(1, 8)), strict=True))
    )  # fmt: skip


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("A.reacton.force", 'did you mean "reaction"'),
        ("A.reaction.forse", 'did you mean "force"'),
        ("A.reaction", '"A.reaction" has force, force.x, force.y, moment'),
        ("A.reaction.moment.z", 'unknown name "A.reaction.moment.z"'),
        ("A.efort", 'did you mean "effort"'),
        ("energy.kinetik", 'did you mean "kinetic"'),
        ("momentum.z", "There is momentum, momentum.x, momentum.y"),
        ("O1.effort.rate", "has no rate"),
        ("load.effort", "load.force and load.moment"),
        ("sin(A.reaction.force)", '"A.reaction.force" is a vector'),
        ("enrgy.kinetic", 'unknown name "enrgy.kinetic"'),
    ],
)
def test_misspelled_paths(path: str, message: str) -> None:
    run = mb.load("four-bar").run(until=0.1)
    with pytest.raises(mb.ModelError) as caught:
        run[path]
    assert message in str(caught.value)


def test_what_only_results_know() -> None:
    model = mb.load("slider-crank")
    run = model.kinematics(until=0.01)
    for path in ("A.reaction.force", "O.effort", "energy.kinetic", "momentum"):
        with pytest.raises(mb.ModelError, match="reactions need masses and forces; use run or inverse"):
            run[path]
    with pytest.raises(mb.ModelError, match="reactions need masses and forces"):
        model.assemble()["A.reaction.force"]
    with pytest.raises(mb.ModelError, match="known only in results"):
        model.motion("A.reaction.force.x", 0.0)
        model.assemble()


def test_names_of_the_user_come_first() -> None:
    m = pendulum()
    m.body("energy", mass=1.0, inertia=1.0)
    m.revolute("momentum", "ground", "energy")
    run = m.run(until=0.1)
    assert run["energy.x"].shape == run["momentum"].shape == (401,)
    assert "kinetic_energy" in run.data
