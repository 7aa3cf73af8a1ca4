"""Motors, gears and bearings against hand calculations, in other units, from runs and from inverse dynamics."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import multibody as mb
from cli_runs import run, run_json
from multibody.files.motors import read_motors
from multibody.model.motors import Motor
from multibody.results.sizing import Gear, limit, through
from other_units import SYSTEMS, in_units

J, JR = 0.02, 4e-5
MOTOR: dict[str, Any] = {"one": {"continuous": 1.0, "peak": 3.0, "speed": 500.0, "inertia": JR}}


def turntable(motion: str, inertia: float = J) -> mb.Model:
    """Return a driven disk."""
    m = mb.Model("turntable", dimension=2)
    m.body("table", mass=1.0, inertia=inertia)
    m.revolute("O", m.ground, "table")
    m.motion("O", motion)
    return m


MOVE = "if(t < 0.1, 100*t^2, if(t < 0.3, 1 + 20*(t - 0.1), 5 + 20*(t - 0.3) - 100*(t - 0.3)^2))"  # ±200 rad/s², 20 rad/s


# --- what a drive needs -----------------------------------------------------------------------------------------------
def test_trapezoidal_move_by_hand() -> None:
    size = turntable(MOVE).run(until=0.4, output_step=2.5e-4).size("O", MOTOR, ratios=[10.0], efficiency=0.8, cycle=0.8)
    assert size.needs["peak_effort"] == pytest.approx(J * 200)
    assert size.needs["rms_effort"] == pytest.approx(J * 200 * math.sqrt(0.2 / 0.8), rel=2e-3)
    assert size.needs["peak_rate"] == pytest.approx(20) and size.needs["peak_power"] == pytest.approx(80, rel=3e-3)
    assert size.needs["peak_regenerated_power"] == pytest.approx(80, rel=3e-3)
    assert size.needs["largest_inertia"] == pytest.approx(J) and size.needs["duty"] == pytest.approx(0.5, rel=3e-3)
    own = size.candidates[0]
    speeding = J * 200 / (10 * 0.8) + JR * 10 * 200  # the gear's loss adds to what the motor gives ...
    braking = -J * 200 * 0.8 / 10 - JR * 10 * 200  # ... and helps where the load gives power back
    assert own.peak_effort == pytest.approx(speeding)
    assert own.rms_effort == pytest.approx(math.sqrt((speeding**2 + braking**2) * 0.1 / 0.8), rel=2e-3)
    assert own.peak_speed == pytest.approx(200) and own.mean_speed == pytest.approx(200 * 0.3 / 0.8, rel=1e-3)
    assert own.peak_margin == pytest.approx(3.0 / speeding) and own.speed_margin == pytest.approx(2.5)
    assert own.continuous_margin == pytest.approx(1.0 / own.rms_effort)
    assert own.inertia_ratio == pytest.approx(J / (JR * 100))
    assert own.feasible and size.best is own


@pytest.mark.parametrize("efficiency", [1.0, 0.7])
def test_the_best_ratio_of_a_harmonic_motion(efficiency: float) -> None:
    found = turntable("sin(20*t)").run(until=2 * math.pi / 20, output_step=math.pi / 16000)  # η jumps
    size = found.size("O", MOTOR, ratios=[3.0], efficiency=efficiency)
    assert size.needs["rms_effort"] == pytest.approx(J * 400 / math.sqrt(2), rel=1e-6)
    squares = 0.5 * (1 / efficiency**2 + efficiency**2)  # half of the time it brakes
    assert size.candidates[0].best_ratio == pytest.approx(math.sqrt(J / JR * math.sqrt(squares)), rel=1e-3)
    tried = found.size("O", MOTOR, ratios=list(np.linspace(10, 30, 41)), efficiency=efficiency).candidates
    least = min(tried, key=lambda item: item.rms_effort)
    assert least.gear.ratio == pytest.approx(size.candidates[0].best_ratio, abs=0.5)


def test_a_motion_without_acceleration_is_bounded_by_the_top_speed() -> None:
    model = turntable("50*t")
    model.effort("drag", "O", value=-2.0)
    size = model.run(until=1.0).size("O", MOTOR, ratios=[4.0, 10.0, 20.0])
    assert [item.feasible for item in sorted(size.candidates, key=lambda c: c.gear.ratio)] == [True, True, False]
    assert size.candidates[0].best_ratio == pytest.approx(10.0) and size.candidates[-1].reason.endswith("speed")
    assert size.best is not None and size.best.gear.ratio == 4.0  # margins 2, 2.5; with 10 it is 1 in speed
    assert size.needs["mean_power"] == pytest.approx(100.0) and size.needs["work"] == pytest.approx(100.0)


def test_the_drive_alone_is_sized_and_not_what_acts_beside_it() -> None:
    model = turntable("50*t")
    model.effort("drag", "O", value=-2.0)
    found = model.run(until=1.0)
    assert float(found["O.effort"].values[0]) == pytest.approx(0.0)  # all that acts along the coordinate
    assert found.size("O").needs["peak_effort"] == pytest.approx(2.0)
    assert found.size("drag").needs["peak_effort"] == pytest.approx(2.0)
    assert model.inverse(until=1.0).size("O.angle").needs["peak_effort"] == pytest.approx(2.0)


@pytest.mark.parametrize(
    ("system", "units"),
    [
        ("m-kg", {}), ("mm-g", {"length": "mm", "mass": "g"}), ("km-t", {"length": "km", "mass": "t"}),
        ("mm-g-ms", {"length": "mm", "mass": "g", "time": "ms"}),
    ],
)  # fmt: skip
def test_a_screw_in_any_units(system: str, units: dict[str, str]) -> None:
    m, lead, eta = 12.0, 0.01, 0.9
    model = mb.Model("slide", dimension=2, gravity=(0, -9.81))
    model.body("carriage", mass=m, inertia=1.0)
    model.translational("S", model.ground, "carriage", axis=(0, 1))
    model.motion("S", "0.1*sin(10*t)")
    to = SYSTEMS[system]
    moved = in_units(model, to)
    moved.units = mb.Model("u", units=units).units
    found = moved.run(until=2 * math.pi / 10 * to.time, output_step=math.pi / 1000 * to.time)
    size = found.size("S", MOTOR, ratios=[2 * math.pi / (lead * to.length)], efficiency=eta)
    top = m * (9.81 + 10.0)  # at the lower end, where it is at rest and speeds up
    assert size.needs["peak_effort"] == pytest.approx(top) and size.needs["peak_rate"] == pytest.approx(1.0)
    assert size.needs["largest_inertia"] == pytest.approx(m)
    own, N = size.candidates[0], 2 * math.pi / lead
    assert own.gear.ratio == pytest.approx(N) and size.plain()["candidates"][0]["ratio_unit"] == "rad/m"
    assert own.peak_effort == pytest.approx(top / (N * eta) + JR * N * 10.0, rel=1e-3)  # η jumps there
    assert own.peak_speed == pytest.approx(N)


def test_linear_motors_drive_slides_directly_and_are_left_out_where_the_coordinate_turns() -> None:
    model = mb.Model("slide", dimension=2)
    model.body("carriage", mass=5.0, inertia=1.0)
    model.translational("S", model.ground, "carriage", axis=(1, 0))
    model.motion("S", "0.1*sin(10*t)")
    motors = {"coil": {"kind": "linear", "continuous": 50, "peak": 200, "speed": 2, "mass": 1.5}}
    own = model.run(until=2 * math.pi / 10).size("S", motors, ratios=[7.0]).candidates
    assert len(own) == 1 and own[0].gear.ratio == 1.0
    assert own[0].peak_effort == pytest.approx((5.0 + 1.5) * 10.0, rel=1e-4)
    turning = turntable("sin(t)").run(until=1.0).size("O", motors)
    assert turning.candidates == [] and "linear motors are left out" in turning.notes[-1] and turning.best is None
    assert "no motors" in str(turning)


# --- reflected inertia ------------------------------------------------------------------------------------------------
def test_reflected_inertia_of_a_slider_crank() -> None:
    r, l, m = 0.05, 0.2, 0.8
    model = mb.Model("slider-crank", dimension=2)
    model.body("crank", mass=1.0, inertia=1e-3, frames={"pin": (r, 0)})
    model.body("rod", mass=0.0, inertia=0.0, frames={"small": (l, 0)})
    model.body("slider", mass=m, inertia=1e-3)
    model.revolute("O", model.ground, "crank")
    model.revolute("A", "crank.pin", "rod")
    model.revolute("B", "rod.small", "slider")
    model.translational("S", model.ground, "slider", axis=(1, 0))
    model.motion("O", "10*t")
    model.initial(guess={"S": r + l})
    found = model.run(until=2 * math.pi / 10, output_step=2 * math.pi / 1000)
    phi = found["O"].values
    slope = -r * np.sin(phi) - r * np.cos(phi) * np.tan(np.arcsin(r / l * np.sin(phi)))
    duty = found.size("O").duty
    assert duty.inertia == pytest.approx((1e-3 + m * slope**2)[::1][: len(duty.inertia)], rel=1e-6, abs=1e-9)
    assert model.inverse(until=2 * math.pi / 10).size("O").needs["largest_inertia"] == pytest.approx(
        1e-3 + m * np.max(slope**2), rel=2e-3
    )


def test_reflected_inertia_through_a_gear_with_other_drives_held_and_of_a_free_partner() -> None:
    gears = mb.Model("gears", dimension=2)
    gears.body("a", mass=1.0, inertia=0.003)
    gears.body("b", mass=1.0, inertia=0.05, at=(0.06, 0))
    gears.revolute("A", gears.ground, "a")
    gears.revolute("B", gears.ground, "b", at=(0.06, 0))
    gears.gear("mesh", "a", "b", teeth=(20, 40))
    gears.motion("A", "10*t")
    assert gears.run(until=1.0).size("A").needs["mean_inertia"] == pytest.approx(0.003 + 0.05 / 4)
    arm = mb.Model("arm")  # two links in space, the second held straight by its own drive
    for name, x in (("upper", 0.0), ("fore", 1.0)):
        arm.body(name, mass=2.0, inertia=(0.01, 0.1, 0.1), com=(0.5, 0, 0), at=(x, 0, 0))
    arm.revolute("S", arm.ground, "upper", axis=(0, 0, 1))
    arm.revolute("E", "upper", "fore", at=(1, 0, 0), axis=(0, 0, 1))
    arm.motion("S", "0.3*t^2")
    arm.motion("E", "0")
    held = arm.run(until=0.5).size("S").needs["mean_inertia"]
    assert held == pytest.approx(0.1 + 2 * 0.25 + 0.1 + 2 * 1.5**2)
    free = mb.Model("cart", dimension=2)  # a cart with a hanging pendulum that swings freely
    free.body("cart", mass=3.0, inertia=1.0)
    free.body("bob", mass=1.0, inertia=0.0, com=(0, -0.5))
    free.translational("S", free.ground, "cart", axis=(1, 0))
    free.revolute("P", "cart", "bob")
    free.effort("push", "S", value=1.0)
    first = free.run(until=0.01).size("push").duty.inertia[0]
    assert first == pytest.approx(3.0)  # the bob hangs below and is not taken along at first


def test_the_inertia_is_that_of_the_part_that_counts() -> None:
    arm = mb.Model("arm", dimension=2)  # a mass that slides out along a rotating arm
    arm.body("arm", mass=1.0, inertia=0.1)
    arm.body("mass", mass=2.0, inertia=0.0)
    arm.revolute("O", arm.ground, "arm")
    arm.translational("S", "arm", "mass", axis=(1, 0))
    arm.motion("O", "t")
    arm.motion("S", "t")
    found = arm.run(until=2.0, output_step=0.01)
    part = found.size("O", MOTOR, start=0.5, until=1.0)
    assert part.needs["smallest_inertia"] == pytest.approx(0.1 + 2 * 0.25)
    assert part.needs["largest_inertia"] == pytest.approx(0.1 + 2 * 1.0)
    assert found.size("O", MOTOR).needs["largest_inertia"] == pytest.approx(0.1 + 2 * 4.0)


# --- drives that hold still -------------------------------------------------------------------------------------------
DWELL = "0.5*step5(t, 0, 0, 1, 1)"


def held_arm(dimension: int, motion: str = "0.5") -> mb.Model:
    """Return two links under gravity of which the first swings and the second is held."""
    m = mb.Model("held", dimension=dimension, gravity=(0, -9.81) if dimension == 2 else (0, -9.81, 0))
    inertia: Any = 0.1 if dimension == 2 else (0.01, 0.1, 0.1)
    tip, axis = ((1, 0), {}) if dimension == 2 else ((1, 0, 0), {"axis": (0.1, 0.2, 1)})
    for name in ("upper", "fore"):
        m.body(name, mass=2.0, inertia=inertia, com=tuple(x / 2 for x in tip), frames={"tip": tip})
    m.revolute("A", m.ground, "upper", **axis)
    m.revolute("B", "upper.tip", "fore", **axis)
    m.motion("A", "0.7*sin(3*t)")
    m.motion("B", motion)
    return m


@pytest.mark.parametrize("dimension", [2, 3])
def test_no_ratio_is_chosen_for_a_drive_that_holds_still(dimension: int) -> None:
    found = held_arm(dimension).run(until=2.0)
    size = found.size("B", MOTOR, efficiency=0.6)
    assert size.candidates == [] and "it holds still: give ratios" in size.notes and "holds still" in str(size)
    assert (size.needs["peak_rate"], size.needs["peak_acceleration"], size.needs["duty"]) == (0.0, 0.0, 0.0)
    assert size.needs["peak_effort"] > 1.0 and size.plot() is not None
    given = found.size("B", MOTOR, ratios=[50.0], efficiency=0.6)
    own = given.candidates[0]  # holding takes the loss of the gear as lifting does
    assert own.peak_effort == pytest.approx(size.needs["peak_effort"] / (50 * 0.6)) and own.best_ratio is None
    assert own.peak_speed == 0.0 and own.speed_margin == math.inf and "it holds still: give ratios" not in given.notes
    assert found.size("A", MOTOR).candidates[0].best_ratio > 0.1


@pytest.mark.parametrize("dimension", [2, 3])
def test_a_dwell_counts_as_holding(dimension: int) -> None:
    found = held_arm(dimension, DWELL).run(until=3.0, output_step=0.01)
    duty = found.size("B", MOTOR, ratios=[10.0]).duty
    rest = duty.time > 1.01
    assert not np.any(duty.rate[rest]) and not np.any(duty.acceleration[rest]) and np.any(duty.rate[~rest])
    _, effort = through(duty, Gear(10.0, 0.5), JR)
    assert effort[rest] == pytest.approx(duty.effort[rest] / (10.0 * 0.5))


def test_slow_drives_in_any_units_are_none_that_hold_still() -> None:
    for until, rate in ((1e-6, 1e6), (1.0, 1e-3), (1e8, 1e-8)):
        size = turntable(f"{rate!r}*t").run(until=until, output_step=until / 10).size("O", MOTOR)
        assert size.needs["peak_rate"] == pytest.approx(rate) and len(size.candidates) == 1


def test_a_motor_without_inertia_passes_no_limit_of_the_inertia_ratio() -> None:
    found = turntable(MOVE).run(until=0.4)
    light = {"coil": {"kind": "rotary", "continuous": 100.0, "peak": 300.0, "speed": 500.0, "inertia": 0.0}}
    free, bound = (found.size("O", light, ratios=[1.0], inertia_ratio=x).candidates[0] for x in (None, 10.0))
    assert free.feasible and free.inertia_ratio == math.inf
    assert not bound.feasible and bound.reason == "inertia ratio"


@pytest.mark.parametrize("number", [np.int64, np.float32, np.float16, np.int8])
def test_numbers_of_numpy_are_numbers(number: Any) -> None:
    found = turntable(MOVE).run(until=0.4)
    one, ten = number(1), number(10)
    options: dict[str, Any] = {"efficiency": one, "margin": one, "inertia_ratio": ten, "gear_inertia": number(0), "cycle": ten}
    motors = {"one": {**MOTOR["one"], "peak": number(3), "continuous": np.array([[0, 1.0], [500, 1.0]])}}
    size = found.size("O", motors, ratios=ten, start=number(0), until=one, **options)
    assert json.loads(json.dumps(size.plain()))["candidates"][0]["ratio"] == 10.0
    assert size.plain() == found.size("O", MOTOR, ratios=[10], inertia_ratio=10, cycle=10).plain()
    assert found.size("O", MOTOR, ratios=[one, ten]).plain() == found.size("O", MOTOR, ratios=[1, 10]).plain()
    life = found.bearing("O", ten, X=one, Y=number(0), e=one, share=one)
    assert json.loads(json.dumps(life.plain())) == found.bearing("O", 10.0, e=1.0).plain() | {"notes": life.notes}
    assert mb.Model("plane", dimension=number(2)).dimension == 2


# --- motors -----------------------------------------------------------------------------------------------------------
def test_tables_in_yaml_json_and_csv_are_the_same(tmp_path: Path) -> None:
    yaml = "motors:\n  m1: {continuous: [[0, 1.2], [3000*rpm, 0.9]], peak: 3, speed: 3000*rpm, inertia: 2e-5}\n"
    (tmp_path / "m.yaml").write_text(yaml)
    (tmp_path / "m.json").write_text(json.dumps({"motors": {"m1": {
        "continuous": [[0, 1.2], ["3000*rpm", 0.9]], "peak": 3, "speed": "3000*rpm", "inertia": 2e-5}}}))  # fmt: skip
    csv = "# ours\nname,continuous,peak,speed,inertia\nm1,0:1.2 3000*rpm:0.9,3,3000*rpm,2e-5\n"
    (tmp_path / "m.csv").write_text(csv)
    motors = [read_motors(str(tmp_path / f"m.{ending}")) for ending in ("yaml", "json", "csv")]
    assert motors[0] == motors[1] == motors[2]
    assert motors[0][0].continuous[1] == pytest.approx((100 * math.pi, 0.9))
    assert read_motors({"m1": motors[0][0].plain()}) == motors[0]


def test_generic_motors_are_sound() -> None:
    motors = read_motors("generic")
    assert len(motors) > 8 and {motor.kind for motor in motors} == {"rotary", "linear"}
    for motor in motors:
        speeds = np.linspace(0, motor.continuous[-1][0], 50)
        assert "generic" in motor.doc
        assert np.all(limit(motor.peak, speeds) >= limit(motor.continuous, speeds) * (motor.name != "dc-brush-24V"))


def test_envelopes_are_level_first_straight_between_and_nothing_beyond() -> None:
    points = ((100.0, 2.0), (200.0, 1.0))
    assert list(limit(points, np.array([-150.0, 0.0, 50.0, 200.0, 201.0]))) == [1.5, 2.0, 2.0, 1.0, 0.0]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"continuous": 1, "peak": 3, "speed": 100}, '"inertia" is missing'),
        ({"continuous": 1, "peak": 3, "speed": 100, "inertia": -1}, "inertia -1 is negative"),
        ({"continuous": "one", "peak": 3, "speed": 100, "inertia": 1}, "'one' is not a number"),
        ({"continuous": 1, "peak": [[0, 3], [0, 2]], "speed": 100, "inertia": 1}, "do not rise"),
        ({"continuous": 1, "peak": [[0, 3], [200, 2]], "speed": 100, "inertia": 1}, "beyond the top speed"),
        ({"continuous": 0, "peak": 3, "speed": 100, "inertia": 1}, "0 is not positive"),
        ({"continuous": 1, "peak": 3, "speed": 100, "mass": 1, "inertia": 1}, "a rotary motor has no mass"),
        ({"kind": "steam", "continuous": 1, "peak": 3, "speed": 100}, 'unknown kind "steam"'),
        ({"continous": 1}, 'unknown field "continous"; did you mean "continuous"'),
        ({"continuous": float("nan"), "peak": 3, "speed": 100, "inertia": 1}, "nan is not a number"),
        (3, "no map of fields"),
    ],
)
def test_bad_motors(given: Any, words: str) -> None:
    with pytest.raises(mb.ModelError, match=words):
        read_motors({"m1": given})


def test_bad_tables(tmp_path: Path) -> None:
    for name, text, words in (
        ("a.csv", "names,peak\n", 'unknown column "names"'),
        ("b.csv", "name,peak\nx,1\nx,2\n", 'b.csv:3: motor "x" is there twice'),
        ("c.yaml", "drives: {}\n", "motors"), ("d.yaml", "motors: {}\n", "no motors"), ("e.csv", "peak\n1\n", "no column name"),
        ("f.txt", "", 'unknown ending ".txt"'),
    ):  # fmt: skip
        (tmp_path / name).write_text(text)
        with pytest.raises(mb.ModelError, match=words):
            read_motors(str(tmp_path / name))
    with pytest.raises(mb.ModelError, match="no such file"):
        read_motors(str(tmp_path / "none.yaml"))
    with pytest.raises(mb.ModelError, match="no table of motors"):
        read_motors(7)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"drive": "P"}, 'nothing drives "P"; drives are O'), ({"efficiency": 0.0}, "size.efficiency"),
        ({"efficiency": 1.5}, "at most 1"), ({"margin": -1}, "size.margin"), ({"ratios": [0]}, "not a positive number"),
        ({"ratios": "3"}, "no list of ratios"), ({"cycle": 0.1}, "shorter than the motion"),
        ({"start": 9.0}, "no instant lies"),
        ({"start": "soon"}, "'soon' is not a time"), ({"until": float("nan")}, "nan is not a time"),
        ({"margin": True}, "size.margin"), ({"ratios": 10**400}, "not a positive number"),
        ({"cycle": float("nan")}, "not a length of time"), ({"gear_inertia": -1.0}, "no inertia"), ({"drive": 3}, "no drive"),
        ({"inertia_ratio": 0}, "size.inertia_ratio"),
    ],
)  # fmt: skip
def test_bad_options(options: dict[str, Any], words: str) -> None:
    found, late = turntable("sin(t)").kinematics(until=1.0), {"drive", "cycle", "start", "until"}
    with pytest.raises(mb.ModelError, match=f"forces|{words}" if late & set(options) else words):
        found.size(**({"drive": "O"} | options))
    with pytest.raises(mb.ModelError, match=words):
        turntable("sin(t)").run(until=1.0).size(**({"drive": "O"} | options))


# --- bearings ---------------------------------------------------------------------------------------------------------
def spindle(force: str, motion: str = "100*t", units: dict[str, str] | None = None) -> mb.Model:
    """Return a balanced disk on a pin that a force presses on."""
    m = mb.Model("spindle", dimension=2, units=units)
    m.body("disk", mass=1.0, inertia=0.01)
    m.revolute("O", m.ground, "disk")
    m.motion("O", motion)
    m.force("belt", "disk", value=(force, 0))
    return m


def test_life_under_a_constant_load() -> None:
    found = spindle("500").run(until=1.0)
    ball, roller = found.bearing("O", 9000.0), found.bearing("O", 9000.0, "roller")
    assert ball.equivalent_load == pytest.approx(500.0)
    assert ball.revolutions == pytest.approx(18.0**3 * 1e6) and roller.revolutions == pytest.approx(18.0 ** (10 / 3) * 1e6)
    assert ball.hours == pytest.approx(18.0**3 * 1e6 / (100 / (2 * math.pi)) / 3600)
    assert ball.mean_speed == pytest.approx(100 * 60 / (2 * math.pi)) and ball.notes == []
    assert found.bearing("O", 9000.0, share=0.5).revolutions == pytest.approx(36.0**3 * 1e6)
    assert spindle("500").inverse(until=1.0).bearing("O", 9000.0).hours == pytest.approx(ball.hours)


def test_a_varying_load_counts_by_revolutions() -> None:
    steps = spindle("if(t < 0.5, 100, 400)", "if(t < 0.5, 10*t, 5 + 30*(t - 0.5))").run(until=1.0, output_step=1e-4)
    life = steps.bearing("O", 5000.0)
    assert life.equivalent_load == pytest.approx(((10 * 100**3 + 30 * 400**3) / 40) ** (1 / 3), rel=1e-4)
    assert life.mean_speed == pytest.approx(20 * 60 / (2 * math.pi), rel=1e-3)
    ramp = spindle("100 + 300*t").run(until=1.0, output_step=1e-3).bearing("O", 5000.0)
    assert ramp.equivalent_load == pytest.approx(((400**4 - 100**4) / (4 * 300)) ** (1 / 3), rel=1e-5)


def test_axial_forces_and_their_factors() -> None:
    m = mb.Model("shaft", gravity=(0, 0, -10.0))
    m.body("shaft", mass=40.0, inertia=(1, 1, 1))
    m.revolute("O", m.ground, "shaft", axis=(0, 0, 1))
    m.motion("O", "50*t")
    m.force("belt", "shaft", value=(300, 0, 0))
    found = m.run(until=1.0)
    plain = found.bearing("O", 1e4)
    assert (plain.radial, plain.axial) == pytest.approx((300.0, 400.0)) and plain.equivalent_load == pytest.approx(300.0)
    assert found.bearing("O", 1e4, X=0.56, Y=1.5).equivalent_load == pytest.approx(0.56 * 300 + 1.5 * 400)
    assert found.bearing("O", 1e4, X=0.56, Y=1.5, e=2.0).equivalent_load == pytest.approx(300.0)
    assert found.bearing("O", 1e4, X=0.56, Y=1.5, e=0.3).equivalent_load == pytest.approx(768.0)


def test_life_in_other_units() -> None:
    hours = [
        spindle(f"{500 / size}", f"100*t*{second}", units).run(until=1.0 / second).bearing("O", 9000.0 / size).hours
        for units, size, second in ((None, 1.0, 1.0), ({"length": "in", "force": "lbf"}, 4.4482216152605, 1.0),
                                    ({"length": "m", "time": "ms"}, 1e6, 1e-3))
    ]  # fmt: skip
    assert hours == pytest.approx([hours[0]] * 3)


def test_bearings_that_swing_stand_or_carry_more_than_a_force() -> None:
    swing = spindle("500", "0.2*sin(10*t)").run(until=2 * math.pi / 10, output_step=1e-4).bearing("O", 9000.0)
    assert "swings" in swing.notes[0]
    assert swing.mean_speed == pytest.approx(0.8 / (2 * math.pi / 10) / (2 * math.pi) * 60, rel=1e-5)
    still = spindle("500", "0.3").run(until=1.0).bearing("O", 9000.0)
    assert still.hours == math.inf and "does not turn" in still.notes[0]
    assert "∞" in str(still)
    held = held_arm(3).run(until=2.0).bearing("B", 9000.0)  # its rate is round-off of the other's
    assert held.hours == math.inf == held.revolutions and held.mean_speed == 0.0 and "does not turn" in held.notes[-1]
    once = held_arm(3, DWELL).run(until=3.0, output_step=0.01).bearing("B", 9000.0)
    assert not any("swings" in note for note in once.notes)
    redundant = mb.load("engine").run(until=0.5).bearing("O1", 1e3)
    assert not redundant.unique and any("not unique" in note for note in redundant.notes)
    heavy = spindle("500").run(until=1.0).bearing("O", 800.0)
    assert any("half of the rating" in note for note in heavy.notes)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"joint": "Q"}, 'unknown joint "Q"'), ({"rating": 0}, "bearing.rating"),
        ({"rating": float("nan")}, "nan does not fit"),
        ({"kind": "bull"}, 'unknown kind "bull"; did you mean "ball"'), ({"Y": -1}, "bearing.Y"),
        ({"share": 0}, "bearing.share"),
    ],
)  # fmt: skip
def test_bad_bearings(options: dict[str, Any], words: str) -> None:
    with pytest.raises(mb.ModelError, match=words):
        spindle("1").run(until=0.1).bearing(**({"joint": "O", "rating": 100.0} | options))
    with pytest.raises(mb.ModelError, match="translational, and no pin"):
        mb.load("slider-crank").run(until=0.01).bearing("S", 100.0)


# --- the command line, files, pictures --------------------------------------------------------------------------------
def test_the_verbs(tmp_path: Path) -> None:
    files = [tmp_path / f"size.{ending}" for ending in ("csv", "json", "svg")]
    code, out, err = run("size", "slider-crank", "--ratios", "1, 2*pi", *(x for f in files for x in ("--out", str(f))))
    assert (code, err) == (0, "") and "none of 20 motors" in out and all(file.exists() for file in files)
    assert len(files[0].read_text().splitlines()) == 21
    found = run_json("size", "slider-crank", "--drive", "O", "--cycle", "0.1")
    assert found["needs"]["cycle"] == 0.1 and found["drive"] == "O" and found["best"] is None
    life = run_json("bearing", "slider-crank", "--joint", "A", "--rating", "20e3")
    assert life["hours"] > 0 and life["kind"] == "ball"
    for arguments, words in (
        (("size", "slider-crank", "--drive", "X"), "nothing drives"),
        (("size", "slider-crank", "--motors", "m.xml"), "unknown ending"),
        (("size", "slider-crank", "--ratios", "1,x"), '"x" is not a number'), (("size", "four-bar"), "no motion and no effort"),
        (("bearing", "slider-crank", "--joint", "S", "--rating", "1"), "translational"),
    ):  # fmt: skip
        code, out, err = run(*arguments)
        assert (code, out) == (2, "") and words in err


def test_pictures_of_torque_over_speed() -> None:
    import matplotlib.pyplot as plt

    size = turntable(MOVE).run(until=0.4).size("O", MOTOR)
    (ax,) = size.plot()
    assert "torque [N·m]" in ax.get_ylabel() and len(ax.patches) == 2
    weak = turntable(MOVE).run(until=0.4).size("O", MOTOR, ratios=[0.1]).candidates[0]
    assert "does not fit" in size.plot(weak)[0].texts[0].get_text()
    assert turntable(MOVE).run(until=0.4).size("O", {}).plot()[0].get_title(loc="left").endswith("drive O")
    plt.close("all")
    assert isinstance(size.candidates[0].motor, Motor) and "<table>" in size._repr_html_()


def test_an_axial_force_that_no_factor_counts_is_told() -> None:
    m = mb.Model("turntable", gravity=(0, 0, -9.81))
    m.body("d", mass=100, inertia=(1, 1, 1))
    m.revolute("O", m.ground, "d", axis=(0, 0, 1))
    m.motion("O", "100*t")
    run = m.run(until=0.2)
    assert any("an axial force of up to 981 N is not counted" in note for note in run.bearing("O", rating=1e4).notes)
    assert not any("axial" in note for note in run.bearing("O", rating=1e4, X=0.56, Y=1.5, e=0.3).notes)
