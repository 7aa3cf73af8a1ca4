"""Measures: paths and expressions over time, relative motion, instant centers, toggle positions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import multibody as mb
from multibody.state.system import Floats


def e(angle: Any) -> Floats:
    return np.stack([np.cos(angle), np.sin(angle)], -1)


def perpendicular(v: Floats) -> Floats:
    return np.stack([-v[..., 1], v[..., 0]], -1)


def at(run: Any, path: str) -> Floats:
    return np.asarray(run[path].values)


def point(run: Any, end: str, key: str = "position") -> Floats:
    return np.asarray(run.point(end)[key].values)


@pytest.fixture(scope="module")
def crank() -> Any:
    """Return a crank that turns by 3t² about (1, 2), its center of mass and a frame off the axis, a spring at its pin."""
    m = mb.Model("crank", dimension=2, units={"length": "mm"})
    m.parameter("l2", 0.5)
    m.parameter("hook", (4.0, -1.0))
    m.table("law", np.linspace(0.0, 2.0, 9), np.linspace(0.0, 2.0, 9) ** 2)
    m.frames(O=(1, 2), S=(-1, 0.5))
    m.body("arm", com=(0.3, 0.2), frames={"P": {"at": ("l2", 0.4), "angle": 0.3}})
    m.body("hand", at=(3, 3))
    m.revolute("O", "ground.O", "arm")
    m.translational("X", "arm.P", "hand", axis=(1, 1))
    m.spring("coil", "ground.S", "arm.P", stiffness=1.0)
    m.motion("O", "3*t^2")
    m.motion("X", "0.2*sin(t)")
    m.output("height", "arm.P.y - 2")
    m.output("twice", "2*height + l2*O + t^2")
    m.output("speed", "sqrt(arm.x.rate^2 + arm.y.rate^2)")
    m.output("led", "O*law(t)")
    return m.kinematics(until=1.5, steps=30)


def arm(run: Any, offset: tuple[float, float]) -> tuple[Floats, Floats, Floats]:
    """Return position, velocity and acceleration of a point of the arm in closed form."""
    t = run.time
    angle, w, a = 3 * t**2, 6 * t, 6.0
    u = offset[0] * e(angle) + offset[1] * perpendicular(e(angle))
    return np.array([1.0, 2.0]) + u, w[:, None] * perpendicular(u), a * perpendicular(u) - (w**2)[:, None] * u


# --- paths -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "offset"), [("arm", (0.3, 0.2)), ("arm.com", (0.3, 0.2)), ("arm.P", (0.5, 0.4)), ("arm.origin", (0, 0))]
)
def test_points(crank: Any, path: str, offset: tuple[float, float]) -> None:
    for order, suffix in enumerate(("", ".rate", ".acceleration")):
        expected = arm(crank, offset)[order]
        for axis, name in enumerate("xy"):
            assert np.max(np.abs(at(crank, f"{path}.{name}{suffix}") - expected[:, axis])) < 1e-11


def test_a_frames_motion_as_a_dataset(crank: Any) -> None:
    data = crank.point("arm.P")
    for key, expected in zip(("position", "velocity", "acceleration"), arm(crank, (0.5, 0.4)), strict=True):
        assert np.max(np.abs(data[key].values - expected)) < 1e-11
        assert data[key].dims == ("time", "component")
    assert list(data["component"].values) == ["x", "y"]
    origin = crank.point("arm")  # a body alone is its origin, as in a joint
    assert np.max(np.abs(origin["position"].values - [1.0, 2.0])) < 1e-12


def test_coordinates_angles_time_and_parameters(crank: Any) -> None:
    t = crank.time
    assert np.max(np.abs(at(crank, "O") - 3 * t**2)) < 1e-12
    assert np.max(np.abs(at(crank, "O.angle.rate") - 6 * t)) < 1e-11
    assert np.max(np.abs(at(crank, "O.acceleration") - 6)) < 1e-10
    assert np.max(np.abs(at(crank, "arm.angle") - 3 * t**2)) < 1e-12
    assert np.max(np.abs(at(crank, "hand.angle.acceleration") - 6)) < 1e-10
    assert np.max(np.abs(at(crank, "X.position") - 0.2 * np.sin(t))) < 1e-12
    assert np.array_equal(at(crank, "t"), t)
    assert np.all(at(crank, "l2") == 0.5) and np.all(at(crank, "hook.x") == 4.0)
    assert np.all(at(crank, "ground.S.x") == -1.0)
    assert np.all(at(crank, "ground.S.x.rate") == 0.0)


def test_a_springs_length(crank: Any) -> None:
    p, dp, ddp = arm(crank, (0.5, 0.4))
    d = p - np.array([-1.0, 0.5])
    length = np.linalg.norm(d, axis=1)
    rate = np.sum(d * dp, 1) / length
    second = (np.sum(dp * dp, 1) + np.sum(d * ddp, 1) - rate**2) / length
    for path, expected in (
        ("coil", length),
        ("coil.length", length),
        ("coil.rate", rate),
        ("coil.length.acceleration", second),
    ):
        assert np.max(np.abs(at(crank, path) - expected)) < 1e-10


def test_outputs_and_their_rates(crank: Any) -> None:
    t = crank.time
    p, dp, ddp = (part[:, 1] for part in arm(crank, (0.5, 0.4)))
    assert np.max(np.abs(at(crank, "height") - p + 2)) < 1e-11
    assert np.max(np.abs(at(crank, "twice") - 2 * (p - 2) - 1.5 * t**2 - t**2)) < 1e-11
    assert np.max(np.abs(at(crank, "twice.rate") - 2 * dp - 5 * t)) < 1e-10
    assert np.max(np.abs(at(crank, "twice.acceleration") - 2 * ddp - 5)) < 1e-9
    radius = math.hypot(0.3, 0.2)
    assert np.max(np.abs(at(crank, "speed") - 6 * t * radius)) < 1e-11
    assert np.max(np.abs(at(crank, "speed.rate")[1:] - 6 * radius)) < 1e-9
    inner = (t > 0.2) & (t < 1.4)  # away from the ends, where the table's spline follows t² closely
    assert np.max(np.abs(at(crank, "led") - 3 * t**4)[inner]) < 1e-2
    assert np.max(np.abs(at(crank, "led.rate") - 12 * t**3)[inner]) < 0.1


def test_expressions(crank: Any) -> None:
    t = crank.time
    x, y = arm(crank, (0.5, 0.4))[0].T
    cases: dict[str, Floats] = {
        "O - 2*X": 3 * t**2 - 0.4 * np.sin(t),
        "sqrt(arm.P.x^2 + arm.P.y**2)": np.hypot(x, y),
        "atan2(arm.P.y, arm.P.x)": np.arctan2(y, x),
        "if(O > 2, 1, -1)": np.where(3 * t**2 > 2, 1.0, -1.0),
        "max(O, 1) + min(X, 0.1) - abs(arm.P.x)": np.maximum(3 * t**2, 1) + np.minimum(0.2 * np.sin(t), 0.1) - np.abs(x),
        "law(t)": t**2,
        "O.rate*l2 + t": 3 * t + t,
        "O.acceleration/deg": np.full_like(t, 6 * 180 / math.pi),
        "height + twice": 3 * (y - 2) + 2.5 * t**2,
        "3.5": np.full_like(t, 3.5),
        "2*pi": np.full_like(t, 2 * math.pi),
    }
    for text, expected in cases.items():
        found = at(crank, text)
        assert found.shape == t.shape, text
        tolerance = 1e-3 if text.startswith("law") else 1e-9  # a spline through the table's points
        assert np.max(np.abs(found - expected)) < tolerance, text


def test_units_and_attributes(crank: Any) -> None:
    units = {
        "arm.x": "mm", "arm.P.y.rate": "mm/s", "X.acceleration": "mm/s²", "O": "rad", "O.rate": "rad/s", "coil": "mm",
        "arm.angle.acceleration": "rad/s²", "t": "s",
    }  # fmt: skip
    for path, unit in units.items():
        assert crank[path].attrs["unit"] == unit
    assert crank["arm.P.x"].attrs["axes"] == "ground" and crank["arm.P.x"].attrs["point"] == "arm.P"
    assert "second end relative to the first" in crank["O"].attrs["sign"]
    assert crank["O"].dims == ("time",) and np.array_equal(crank["O"]["time"].values, crank.time)


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("amr.x", ["amr", "arm"]),
        ("arm.Q.x", ["arm.Q.x", "P"]),
        ("arm.z", ["arm.z"]),
        ("O.angel", ["O.angel", "angle"]),
        ("X.angle", ["X.angle", "position"]),
        ("O.rate.rate", ["rate"]),
        ("O.jerk", ["O.jerk", "angle"]),
        ("t.rate", ["rate"]),
        ("l2.rate", ["rate"]),
        ("hook", ["vector", "hook.x"]),
        ("arm.omega.x", ["arm.omega.x"]),
        ("O + nothing", ["nothing"]),
        ("sine(O)", ["sin"]),
        ("O +", []),
        ("", []),
        ("arm", ["arm"]),
    ],
)
def test_unknown_paths_are_explained(crank: Any, path: str, words: list[str]) -> None:
    with pytest.raises(mb.ModelError) as caught:
        crank[path]
    for word in words:
        assert word in str(caught.value), (path, str(caught.value))


def test_frames_that_are_not_there(crank: Any) -> None:
    with pytest.raises(mb.ModelError, match="no frame"):
        crank.point("arm.Q")
    with pytest.raises(mb.ModelError, match="amr"):
        crank.point("amr")
    with pytest.raises(mb.ModelError, match="amr"):
        crank.relative("arm.P", to="amr")
    with pytest.raises(mb.ModelError, match="amr"):
        crank.instant_center("amr")
    with pytest.raises(mb.ModelError, match="amr"):
        crank.instant_center("arm", "amr")


def test_outputs_in_a_circle_are_refused() -> None:
    m = mb.Model("circle", dimension=2)
    m.body("a")
    m.revolute("O", "ground", "a")
    m.motion("O", "t")
    m.output("one", "O + two")
    m.output("two", "2*one")
    with pytest.raises(mb.ModelError, match="itself"):
        m.kinematics(until=1.0, steps=2)["one"]


def test_a_state_is_read_by_the_same_paths(crank: Any) -> None:
    state = crank.model.assemble(t=0.7)
    assert state["O"] == pytest.approx(3 * 0.49, abs=1e-12)
    assert state["O.rate"] == pytest.approx(4.2, abs=1e-11)
    assert state["arm.P.x"] == pytest.approx(1 + 0.5 * math.cos(1.47) - 0.4 * math.sin(1.47), abs=1e-11)
    assert state["height*2 - O"] == pytest.approx(2 * state["height"] - state["O"], abs=1e-12)
    with pytest.raises(mb.ModelError, match="not known"):
        state["O.acceleration"]
    with pytest.raises(mb.ModelError, match="not known"):
        state["speed.rate"]


def test_everything_as_one_dataset(crank: Any) -> None:
    data = crank.data
    assert np.max(np.abs(data["position"].sel(body="arm").values - arm(crank, (0.3, 0.2))[0])) < 1e-11
    assert np.max(np.abs(data["acceleration"].sel(body="arm").values - arm(crank, (0.3, 0.2))[2])) < 1e-10
    assert np.array_equal(data["coordinate"].sel(joint_coordinate="O.angle").values, at(crank, "O"))
    assert np.array_equal(data["rate"].sel(joint_coordinate="X.position").values, at(crank, "X.rate"))
    assert np.array_equal(data["height"].values, at(crank, "height"))
    for path in crank:
        assert len(at(crank, path)) == len(crank.time)


# --- space -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def shaft() -> Any:
    """Return a shaft along (1, 2, 2)/3 turning by 2t, with a disc on a universal joint at its end."""
    m = mb.Model("shaft")
    m.body("shaft", com=(0.1, 0.2, 0.3), frames={"P": (1, 0, 0.5)})
    m.body("disc", com=(0.2, 0, 0.1), frames={"Q": {"at": (0.3, 0.1, 0.7), "rotvec": [0.2, 0.5, -0.3]}})
    m.revolute("O", "ground", "shaft", axis=(1, 2, 2))
    m.universal("U", "shaft.P", "disc.Q", axes=[(0, 0, 1), (1, 0, 0)])
    m.spring("coil", "ground", "disc.Q", stiffness=1.0)
    m.motion("O", "2*t")
    m.motion("U.angle1", "0.4 + sin(t)")
    m.motion("U.angle2", "0.7*t")
    m.output("spin", "disc.omega.x^2 + t*shaft.omega.y")
    return m.kinematics(until=2.0, steps=20)


def test_angular_velocity_of_a_fixed_axis(shaft: Any) -> None:
    axis = np.array([1.0, 2.0, 2.0]) / 3.0
    for k, name in enumerate("xyz"):
        assert np.max(np.abs(at(shaft, f"shaft.omega.{name}") - 2 * axis[k])) < 1e-11
        assert np.max(np.abs(at(shaft, f"shaft.omega.{name}.acceleration"))) < 1e-10
        assert shaft[f"shaft.omega.{name}"].attrs["unit"] == "rad/s"
        assert shaft[f"shaft.omega.{name}.acceleration"].attrs["unit"] == "rad/s²"
    turns = Rotation.from_rotvec(2 * shaft.time[:, None] * axis)
    rotation = at(shaft, "shaft.rotation")
    assert rotation.shape == (21, 4) and shaft["shaft.rotation"].dims == ("time", "component")
    x, y, z, w = turns.as_quat().T
    assert np.max(np.abs(np.abs(np.sum(rotation * np.stack([w, x, y, z], -1), 1)) - 1.0)) < 1e-12


def test_rates_of_outputs_that_speak_of_angular_velocity(shaft: Any) -> None:
    w, a = at(shaft, "disc.omega.x"), at(shaft, "disc.omega.x.acceleration")
    assert np.max(np.abs(at(shaft, "spin") - w**2 - shaft.time * 4 / 3)) < 1e-11
    assert np.max(np.abs(at(shaft, "spin.rate") - 2 * w * a - 4 / 3)) < 1e-10


def test_a_state_has_no_angular_acceleration(shaft: Any) -> None:
    state = shaft.model.assemble(t=0.5)
    assert state["shaft.omega.x"] == pytest.approx(2 / 3, abs=1e-12)
    with pytest.raises(mb.ModelError, match="not known"):
        state["shaft.omega.x.acceleration"]


def test_velocity_of_points_in_space(shaft: Any) -> None:
    omega = np.array([1.0, 2.0, 2.0]) * 2 / 3
    turns = Rotation.from_rotvec(shaft.time[:, None] * omega)
    p = turns.apply([1, 0, 0.5])
    assert np.max(np.abs(point(shaft, "shaft.P") - p)) < 1e-12
    assert np.max(np.abs(point(shaft, "shaft.P", "velocity") - np.cross(omega, p))) < 1e-11
    assert np.max(np.abs(point(shaft, "shaft.P", "acceleration") - np.cross(omega, np.cross(omega, p)))) < 1e-10
    assert np.max(np.abs(at(shaft, "coil") - math.hypot(1, 0.5))) < 1e-12
    assert np.max(np.abs(at(shaft, "coil.acceleration"))) < 1e-10


def test_relative_motion_in_space_adds_up(shaft: Any) -> None:
    parts = shaft.relative("disc.com", to="shaft")
    total = parts.carried_acceleration + parts.tangential + parts.normal + parts.coriolis + parts.acceleration
    assert np.max(np.abs(total - point(shaft, "disc.com", "acceleration"))) < 1e-11
    velocity = parts.carried_velocity + parts.transport + parts.velocity
    assert np.max(np.abs(velocity - point(shaft, "disc.com", "velocity"))) < 1e-11
    omega = np.array([1.0, 2.0, 2.0]) * 2 / 3
    assert np.max(np.abs(parts.coriolis - 2 * np.cross(omega, parts.velocity))) < 1e-11
    assert np.max(np.abs(parts.normal - np.cross(omega, np.cross(omega, parts.position)))) < 1e-11
    seen = Rotation.from_rotvec(shaft.time[:, None] * omega).inv().apply(parts.position)  # ū in the shaft's axes
    h = float(shaft.time[1])
    middle = (seen[2:] - seen[:-2]) / (2 * h)
    turned = Rotation.from_rotvec(shaft.time[1:-1, None] * omega).apply(middle)
    assert np.max(np.abs(turned - parts.velocity[1:-1])) < 5e-3  # differences of second order


def test_points_of_a_body_do_not_move_on_it(shaft: Any) -> None:
    parts = shaft.relative("shaft.P", to="shaft")
    assert np.max(np.abs(parts.velocity)) < 1e-12 and np.max(np.abs(parts.acceleration)) < 1e-11
    ground = shaft.relative("disc.Q", to="ground")
    assert np.max(np.abs(ground.coriolis)) == 0.0
    assert np.max(np.abs(ground.acceleration - point(shaft, "disc.Q", "acceleration"))) == 0.0


def test_planar_measures_are_refused_in_space(shaft: Any) -> None:
    with pytest.raises(mb.ModelError, match="dimension 2"):
        shaft.instant_center("disc")
    with pytest.raises(mb.ModelError, match="dimension 2"):
        shaft.toggles()


# --- relative motion -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def inverted() -> Any:
    """Return a crank of 0.1 at the origin, 5 rad/s from 60°, its pin in a slot that turns about (−0.3, 0)."""
    m = mb.Model("inverted", dimension=2)
    m.frames(O3=(-0.3, 0))
    m.body("crank", frames={"pin": (0.1, 0)})
    m.body("block")
    m.body("arm")
    m.revolute("O2", "ground", "crank")
    m.revolute("A", "crank.pin", "block")
    m.revolute("O3", "ground.O3", "arm")
    m.translational("S", "arm", "block", axis=(1, 0))
    m.motion("O2", "60*deg + 5*t")
    m.initial(guess={"S": 0.36})
    return m.kinematics(until=1.2, steps=48)


def test_coriolis_in_numbers(inverted: Any) -> None:
    parts = inverted.relative("crank.pin", to="arm")
    assert parts.coriolis[0] == pytest.approx([0.16642011834319526, -0.6725789008680921], abs=1e-12)
    assert at(inverted, "O3")[0] == pytest.approx(0.24256387409548527, abs=1e-13)
    assert at(inverted, "O3.rate")[0] == pytest.approx(0.9615384615384616, abs=1e-12)
    assert at(inverted, "O3.acceleration")[0] == pytest.approx(-3.0746464039684214, abs=1e-11)
    assert at(inverted, "S")[0] == pytest.approx(0.36055512754639896, abs=1e-13)
    assert at(inverted, "S.rate")[0] == pytest.approx(-0.36028834606144605, abs=1e-12)
    assert at(inverted, "S.acceleration")[0] == pytest.approx(-1.40008462989541, abs=1e-11)


@pytest.mark.parametrize("end", ["crank.pin", "block"])
def test_parts_of_the_relative_motion(inverted: Any, end: str) -> None:
    """Along the slot x̄, ẋ, ẍ; across it 2ωẋ; normal −ω²x̄; tangential αx̄."""
    parts = inverted.relative(end, to="arm")
    theta, w, a = (at(inverted, f"O3{suffix}")[:, None] for suffix in ("", ".rate", ".acceleration"))
    x, dx, ddx = (at(inverted, f"S{suffix}")[:, None] for suffix in ("", ".rate", ".acceleration"))
    along, across = e(theta[:, 0]), perpendicular(e(theta[:, 0]))
    for found, expected in (
        (parts.position, x * along), (parts.velocity, dx * along), (parts.acceleration, ddx * along),
        (parts.transport, w * x * across), (parts.tangential, a * x * across), (parts.normal, -(w**2) * x * along),
        (parts.coriolis, 2 * w * dx * across), (parts.carried_velocity, 0 * along), (parts.carried_acceleration, 0 * along),
    ):  # fmt: skip
        assert np.max(np.abs(found - expected)) < 1e-10
    total = parts.carried_acceleration + parts.tangential + parts.normal + parts.coriolis + parts.acceleration
    absolute = -25 * 0.1 * e(np.radians(60) + 5 * inverted.time)
    assert np.max(np.abs(total - absolute)) < 1e-10
    assert np.max(np.abs(total - point(inverted, end, "acceleration"))) < 1e-11


# --- instant centers -------------------------------------------------------------------------------------------------


def four_bar(l1: float, l2: float, l3: float, l4: float) -> mb.Model:
    m = mb.Model("four-bar", dimension=2)
    m.frames(C=(l1, 0))
    m.body("crank", com=(0.3, 0.1), frames={"A": (l2, 0)})
    m.body("coupler", com=(0.2, -0.3), frames={"B": (l3, 0)})
    m.body("rocker", frames={"B": (l4, 0)})
    m.revolute("O", "ground", "crank")
    m.revolute("A", "crank.A", "coupler")
    m.revolute("B", "coupler.B", "rocker.B")
    m.revolute("C", "ground.C", "rocker")
    m.motion("O", "0.7 + t")
    m.initial(guess={"C": 1.6})
    return m


def intersection(p: Floats, u: Floats, q: Floats, v: Floats) -> Floats:
    """Return where the lines p + s u and q + s v meet."""
    cross = u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]
    s = ((q - p)[:, 0] * v[:, 1] - (q - p)[:, 1] * v[:, 0]) / cross
    return p + s[:, None] * u


def test_the_couplers_center_lies_where_crank_and_rocker_meet() -> None:
    run = four_bar(3.0, 1.0, 2.5, 2.0).kinematics(until=2 * math.pi, steps=100)
    A, B = point(run, "crank.A"), point(run, "coupler.B")
    O, C = np.zeros_like(A), np.zeros_like(A) + [3.0, 0.0]
    center = run.instant_center("coupler")
    expected = intersection(O, A, C, B - C)
    near = np.linalg.norm(expected, axis=1) < 100.0  # elsewhere crank and rocker are nearly parallel
    assert np.sum(near) > 80
    size = np.maximum(1.0, np.linalg.norm(expected[near], axis=1))
    assert np.max(np.linalg.norm(center[near] - expected[near], axis=1) / size) < 1e-9


def test_centers_of_pins_and_kennedys_line() -> None:
    run = four_bar(3.0, 1.0, 2.5, 2.0).kinematics(until=2 * math.pi, steps=60)
    A, B = point(run, "crank.A"), point(run, "coupler.B")
    assert np.max(np.abs(run.instant_center("crank"))) < 1e-11
    assert np.max(np.abs(run.instant_center("crank", "coupler") - A)) < 1e-10
    assert np.max(np.abs(run.instant_center("coupler", "crank") - A)) < 1e-10
    away = np.abs(at(run, "B.rate")) > 0.05
    assert np.max(np.abs(run.instant_center("rocker", "coupler") - B)[away]) < 1e-9
    center = run.instant_center("rocker", "crank")  # on the line of the ground pivots (Kennedy)
    away = np.abs(at(run, "C.rate") - 1.0) > 0.05
    assert np.max(np.abs(center[away, 1]) / np.maximum(1.0, np.abs(center[away, 0]))) < 1e-10
    k = at(run, "C.rate")[away]  # ω_rocker (x − 3) = ω_crank x
    assert np.max(np.abs(k * (center[away, 0] - 3.0) - center[away, 0]) / np.maximum(1.0, np.abs(center[away, 0]))) < 1e-9


def test_a_translation_has_its_center_at_infinity() -> None:
    m = mb.Model("slide", dimension=2)
    m.body("a")
    m.translational("S", "ground", "a", axis=(1, 2))
    m.motion("S", "t")
    assert np.all(np.isinf(m.kinematics(until=1.0, steps=3).instant_center("a")))


# --- toggle positions ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("h", [0.0, 0.05, -0.1])
def test_toggles_of_a_slider_crank(h: float) -> None:
    l2, l3 = 0.15, 0.35
    m = mb.Model("slider-crank", dimension=2)
    m.frames(guide=(0, h))
    m.body("crank", frames={"A": (l2, 0)})
    m.body("rod", frames={"B": (l3, 0)})
    m.body("slider")
    m.revolute("O", "ground", "crank")
    m.revolute("A", "crank.A", "rod")
    m.revolute("B", "rod.B", "slider")
    m.translational("S", "ground.guide", "slider", axis=(1, 0))
    m.motion("O", "t - 1")
    m.initial(guess={"S": l2 + l3})
    found = m.kinematics(until=2 * math.pi, steps=360).toggles()
    stretched, folded = 1 + math.asin(h / (l3 + l2)), 1 + math.pi + math.asin(h / (l3 - l2))
    assert [item["kind"] for item in found] == ["stretched", "folded"]
    assert [item["time"] for item in found] == pytest.approx([stretched, folded], abs=1e-7)
    assert all(item["pins"] == ["O", "A", "B"] for item in found)
    assert all("crank" in item["links"] and "rod" in item["links"] for item in found)


@pytest.mark.parametrize("lengths", [(3.0, 1.0, 2.5, 2.0), (0.35, 0.1, 0.3, 0.25)])
def test_toggles_of_a_crank_rocker(lengths: tuple[float, ...]) -> None:
    """The rocker turns back where crank and coupler are in line: |O − B| = l₃ ± l₂ at the crank's angle."""
    l1, l2, l3, l4 = lengths
    model = four_bar(*lengths)
    run = model.kinematics(until=2 * math.pi, steps=720)
    found = run.toggles()
    expected = {}
    for kind, reach in (("stretched", l3 + l2), ("folded", l3 - l2)):
        direction = math.acos((l1**2 + reach**2 - l4**2) / (2 * l1 * reach))  # of B seen from O, B above the ground line
        angle = direction if kind == "stretched" else direction + math.pi
        expected[kind] = (angle - 0.7) % (2 * math.pi)
    assert {item["kind"] for item in found} == {"stretched", "folded"} and len(found) == 2
    for item in found:
        assert item["time"] == pytest.approx(expected[item["kind"]], abs=1e-7)
        assert item["pins"] == ["O", "A", "B"]
        k = int(np.searchsorted(run.time, item["time"]))
        rate = at(run, "C.rate")
        assert rate[k - 1] * rate[k] <= 0.0  # the rocker's rate changes its sign there


def test_a_toggle_on_a_grid_point_is_found_once() -> None:
    m = mb.Model("slider-crank", dimension=2)
    m.body("crank", frames={"A": (0.15, 0)})
    m.body("rod", frames={"B": (0.35, 0)})
    m.body("slider")
    m.revolute("O", "ground", "crank")
    m.revolute("A", "crank.A", "rod")
    m.revolute("B", "rod.B", "slider")
    m.translational("S", "ground", "slider", axis=(1, 0))
    m.motion("O", "pi*t")
    m.initial(guess={"S": 0.5})
    found = m.kinematics(until=3.5, steps=70).toggles()  # on the grid at t = 0, 1, 2, 3
    assert [item["time"] for item in found] == pytest.approx([0.0, 1.0, 2.0, 3.0], abs=1e-9)
    assert [item["kind"] for item in found] == ["stretched", "folded"] * 2


def leg(*, apart: bool) -> mb.Model:
    """Return Jansen's leg; its joints in the middle hold several links at one point.

    With `apart`, another choice of the pairs of links at these points: the same leg.
    """
    a, b, c, d, e, f, g, h, i, j, k, l, crank = 38.0, 41.5, 39.3, 40.1, 55.8, 39.4, 36.7, 65.7, 49.0, 50.0, 61.9, 7.8, 15.0

    def meet(p: complex, r: float, q: complex, s: float, side: float) -> complex:
        x = (r**2 - s**2 + abs(q - p) ** 2) / (2 * abs(q - p))
        return p + (q - p) / abs(q - p) * complex(x, side * math.sqrt(r**2 - x**2))

    O, Z = 0j, complex(-a, -l)
    M = crank * complex(math.cos(0.3), math.sin(0.3))
    T = meet(M, j, Z, b, 1.0)  # upper knee
    E = meet(T, e, Z, d, 1.0)
    B = meet(M, k, Z, c, -1.0)  # lower knee
    A = meet(E, f, B, g, 1.0)
    foot = meet(A, h, B, i, 1.0)
    m = mb.Model("leg", dimension=2)
    for name in ("crank", "j", "upper", "k", "c", "f", "lower"):
        m.body(name, frames={"foot": (foot.real, foot.imag)} if name == "lower" else {})

    def pin(name: str, first: str, second: str, at: complex) -> None:
        m.revolute(name, first, second, at=(at.real, at.imag))

    pin("O", "ground", "crank", O)
    pin("M1", "crank", "j", M)
    pin("M2", "crank" if apart else "j", "k", M)
    pin("T", "j", "upper", T)
    pin("Z1", "ground", "upper", Z)
    pin("Z2", "ground" if apart else "upper", "c", Z)
    pin("E", "upper", "f", E)
    pin("B1", "k", "c", B)
    pin("B2", "k" if apart else "c", "lower", B)
    pin("A", "f", "lower", A)
    m.motion("O", "t")
    return m


def test_joints_that_share_a_point_are_one_pin() -> None:
    """However the links at a point are paired, the toggles are those of three different points, each found once."""
    found = []
    for apart in (False, True):
        run = leg(apart=apart).kinematics(until=2 * math.pi, steps=720)
        assert run.ok
        toggles = run.toggles()
        assert len(toggles) < 20
        found.append(sorted((round(x["time"], 6), x["kind"], frozenset(x["links"].split(" (")[0].split("–"))) for x in toggles))
        for item in toggles:
            at = run.at(item["time"])
            points = [complex(*_point(at, name)) for name in item["pins"]]
            assert abs(points[0] - points[1]) > 1.0 and abs(points[1] - points[2]) > 1.0
            u, w = points[1] - points[0], points[2] - points[1]
            assert abs((u.conjugate() * w).imag) < 1e-3 * abs(u) * abs(w)
    assert found[0] == found[1]
    assert ("crank", "k") in [tuple(sorted(x[2])) for x in found[0]]  # paired by no joint in the first of the two


def _point(state: object, joint: str) -> tuple[float, float]:
    """Return the point of a joint that is made in place, from its second body."""
    tables = state.tables  # type: ignore[attr-defined]
    end = tables.ends[joint][1]
    name = tables.bodies[end.body]
    s, angle = tables.vector(end.point), state[f"{name}.angle"]  # type: ignore[index]
    turned = complex(*s) * complex(math.cos(angle), math.sin(angle))
    return float(state[f"{name}.x"]) + turned.real, float(state[f"{name}.y"]) + turned.imag  # type: ignore[index]
