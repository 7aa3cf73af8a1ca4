"""Inverse dynamics: closed forms, the run's own effort found again, actuators elsewhere, singular and redundant cases."""

import math
import pathlib

import numpy as np
import pytest

import multibody as mb

L2, L3, OMEGA = 0.15, 0.35, 40.0


def engine(dimension: int = 2, start: str = "0", omega: float = OMEGA) -> mb.Model:
    """Return a slider-crank whose crank turns at constant speed; in space its parallel pins are redundant."""
    planar = dimension == 2
    m = mb.Model("engine", dimension=dimension, gravity=(0, -9.81) if planar else (0, -9.81, 0))
    rod = 0.5 * L3**2 / 12

    def point(x: float, y: float) -> tuple[float, ...]:
        return (x, y) if planar else (x, y, 0.0)

    def inertia(value: float) -> object:
        return value if planar else (0.6 * value, 0.7 * value, value)

    m.body("crank", mass=1.0, inertia=inertia(0.01), frames={"pin": point(L2, 0)})
    m.body("rod", mass=0.5, inertia=inertia(rod), com=point(L3 / 2, 0), frames={"small": point(L3, 0)})
    m.body("slider", mass=0.4, inertia=inertia(1e-3))
    m.revolute("O", m.ground, "crank")
    m.revolute("A", "crank.pin", "rod")
    m.revolute("B", "rod.small", "slider")
    m.translational("S", m.ground, "slider", axis=point(1, 0))
    m.motion("O", f"{start} + {omega}*t")
    m.initial(guess={"S": L2 + L3})
    return m


def energy(theta: complex) -> complex:
    """Return kinetic plus potential energy of the engine at a crank angle, the speed constant."""
    s, c = np.sin(theta), np.cos(theta)
    root = np.sqrt(L3**2 - (L2 * s) ** 2)
    turn = -L2 * c / root * OMEGA  # of the rod: sin θ₃ = −(l₂/l₃) sin θ₂
    vx = -L2 * s * OMEGA + 0.5 * (L2 * s) * turn  # the middle of the rod, sin θ₃ l₃/2 = −l₂ s/2
    vy = L2 * c * OMEGA + 0.5 * root * turn
    slider = -L2 * s * OMEGA + L2 * s * turn
    kinetic = 0.5 * 0.01 * OMEGA**2 + 0.25 * (vx**2 + vy**2) + 0.25 * L3**2 / 12 * turn**2 + 0.2 * slider**2
    return kinetic + 0.5 * 9.81 * 0.5 * L2 * s


def torque(theta: float) -> float:
    """Return dE/dθ by a complex step: the torque of virtual power."""
    return float(np.imag(energy(theta + 1e-30j)) / 1e-30)


def arm() -> mb.Model:
    """Return a two-link arm in the vertical plane with prescribed joint angles."""
    m = mb.Model("arm", dimension=2, gravity=(0, -9.81))
    m.body("upper", mass=2.0, inertia=0.05, com=(0.3, 0), frames={"end": (0.6, 0)})
    m.body("lower", mass=1.2, inertia=0.02, com=(0.2, 0), frames={"tip": (0.45, 0)})
    m.revolute("shoulder", m.ground, "upper")
    m.revolute("elbow", "upper.end", "lower")
    m.motion("shoulder", "0.4 + 0.8*sin(2*t)")
    m.motion("elbow", "1 + 0.5*cos(3*t)")
    return m


def arm_torques(t: np.ndarray) -> np.ndarray:
    """Return the torques of the textbook's equations of motion."""
    a, b = 0.4 + 0.8 * np.sin(2 * t), 1 + 0.5 * np.cos(3 * t)
    da, db, dda, ddb = 1.6 * np.cos(2 * t), -1.5 * np.sin(3 * t), -3.2 * np.sin(2 * t), -4.5 * np.cos(3 * t)
    m1, m2, l1, c1, c2, j1, j2 = 2.0, 1.2, 0.6, 0.3, 0.2, 0.05, 0.02
    h = m2 * l1 * c2
    m11 = j1 + m1 * c1**2 + j2 + m2 * (l1**2 + c2**2) + 2 * h * np.cos(b)
    m12 = j2 + m2 * c2**2 + h * np.cos(b)
    g2 = m2 * c2 * 9.81 * np.cos(a + b)
    g1 = (m1 * c1 + m2 * l1) * 9.81 * np.cos(a) + g2
    first = m11 * dda + m12 * ddb - h * np.sin(b) * (2 * da * db + db**2) + g1
    second = m12 * dda + (j2 + m2 * c2**2) * ddb + h * np.sin(b) * da**2 + g2
    return np.stack([first, second], 1)


# --- efforts of the motions -------------------------------------------------------------------------------------------
@pytest.mark.parametrize("dimension", [2, 3])
def test_engine_torque_is_that_of_virtual_power(dimension: int) -> None:
    found = engine(dimension).inverse(until=2 * math.pi / OMEGA, steps=36)
    expected = [torque(OMEGA * t) for t in found.time]
    assert found.ok
    np.testing.assert_allclose(found["O"].values, expected, atol=1e-10 * np.max(np.abs(expected)))
    assert found.unique == {"O": True}


def test_two_link_arm_agrees_with_the_textbook() -> None:
    found = arm().inverse(until=2.0, steps=40)
    both = np.stack([found["shoulder"].values, found["elbow.effort"].values], 1)
    np.testing.assert_allclose(both, arm_torques(found.time), atol=1e-11)


def test_redundant_joints_do_no_harm_and_give_the_same_reactions() -> None:
    planar, spatial = (engine(d).inverse(at=0.01) for d in (2, 3))
    for joint in "OAB":
        flat, deep = (x[f"{joint}.reaction.force"].values[0] for x in (planar.motion, spatial.motion))
        np.testing.assert_allclose(deep[:2], flat, rtol=1e-9)
    assert spatial.motion["A.reaction.force"].attrs["unique_components"] != [True, True, True]


def test_inverse_of_a_runs_own_motion_finds_the_applied_effort() -> None:
    m = mb.Model("pendulum", dimension=2, gravity=(0, -9.81))
    m.body("bob", mass=1.5, inertia=0.03, com=(0.4, 0))
    m.revolute("O", m.ground, "bob")
    m.effort("motor", "O", value="6*sin(3*t) - 0.5*O.rate")
    m.initial({"O": -1.2, "O.rate": 0.5})
    run = m.run(1.0, rtol=1e-11, atol=1e-13, output_step=1 / 2000)
    again = mb.Model("again", dimension=2, gravity=(0, -9.81))
    again.body("bob", mass=1.5, inertia=0.03, com=(0.4, 0))
    again.revolute("O", again.ground, "bob")
    again.table("record", run.time, run["O"].values)
    again.motion("O", "record(t)")
    found = again.inverse(times=run.time[200:-200:50])
    applied = 6 * np.sin(3 * found.time) - 0.5 * run["O.rate"].values[200:-200:50]
    np.testing.assert_allclose(found["O"].values, applied, atol=1e-4)


def test_a_large_model_agrees_with_a_small_one() -> None:
    found = []
    for n in (1, 12):  # 12 cylinders have 216 coordinates and are solved by sparse factors
        m = mb.load("engine", n=n)
        m.initials.clear()
        for k in range(1, n + 1):
            m.motion(f"O{k}", f"{0.3 + 0.1 * k} + 20*t")
        found.append(m.inverse(until=0.03, steps=3))
        found.append(m.inverse(at=0.01, efforts=[f"S{k}" for k in range(1, n + 1)]))
    np.testing.assert_allclose(found[2]["O1"].values, found[0]["O1"].values, rtol=1e-10)
    np.testing.assert_allclose(found[3]["S1"].values, found[1]["S1"].values, rtol=1e-10)
    for path in ("A1.reaction.force", "S1.reaction.moment"):
        np.testing.assert_allclose(found[2].motion[path].values, found[0].motion[path].values, rtol=1e-9, atol=1e-9)


def test_forces_of_the_model_are_subtracted() -> None:
    m = engine()
    m.effort("brake", "S", value=-20.0)
    plain, braked = engine().inverse(at=0.013), m.inverse(at=0.013)
    rate = float(plain["S.rate"].values[0])
    assert braked["O"].values[0] - plain["O"].values[0] == pytest.approx(20.0 * rate / OMEGA, rel=1e-10)


# --- actuators elsewhere ----------------------------------------------------------------------------------------------
def test_an_actuator_elsewhere_has_the_power_of_the_motion() -> None:
    times = np.linspace(0.005, 0.07, 14)
    own, other = engine().inverse(times=times), engine().inverse(times=times, efforts=["S"])
    power = own["O"].values * OMEGA
    np.testing.assert_allclose(other["S"].values * other["S.rate"].values, power, atol=1e-9 * np.max(np.abs(power)))
    assert other["S"].attrs["unit"] == "N"
    assert own["O"].attrs["unit"] == "N·m"


def test_two_efforts_at_the_tip_of_an_arm() -> None:
    own, tip = arm().inverse(until=1.0, steps=10), arm().inverse(until=1.0, steps=10, efforts=["lower.tip.x", "lower.tip.y"])
    power = sum(own[name].values * own[f"{name}.rate"].values for name in ("shoulder", "elbow"))
    given = sum(tip[name].values * tip[f"{name}.rate"].values for name in ("lower.tip.x", "lower.tip.y"))
    np.testing.assert_allclose(given, power, atol=1e-9)
    x, y = tip["lower.tip.x"].values, tip["lower.tip.y"].values
    at = tip.motion["lower.tip.x"].values, tip.motion["lower.tip.y"].values
    np.testing.assert_allclose(at[0] * y - at[1] * x, own["shoulder"].values, atol=1e-9)


def test_reactions_belong_to_the_chosen_actuator() -> None:
    own, other = engine().inverse(at=0.01), engine().inverse(at=0.01, efforts=["S"])
    assert own.motion["O.effort"].values[0] == pytest.approx(own["O"].values[0], rel=1e-12)
    assert other.motion["O.effort"].values[0] == 0.0
    assert other.motion["S.effort"].values[0] == pytest.approx(other["S"].values[0], rel=1e-12)
    crank = other.motion["O.reaction.force"].values[0], other.motion["A.reaction.force"].values[0]
    moment = L2 * (math.cos(0.4) * crank[1][1] - math.sin(0.4) * crank[1][0])  # nothing turns the crank but the rod
    assert moment == pytest.approx(0.0, abs=1e-9)
    assert own.motion.balance().relative < 1e-9
    assert other.motion.balance().relative < 1e-9


def test_more_efforts_than_needed_are_the_smallest() -> None:
    own, both = engine().inverse(at=0.01), engine().inverse(at=0.01, efforts=["O", "S"])
    rate, need = float(both["S.rate"].values[0]), float(own["O"].values[0])
    assert both.unique == {"O": False, "S": False}
    assert both["O"].attrs["unique"] is False
    ratio = rate / OMEGA / L3  # ∂x/∂θ over the characteristic length, which weighs force against moment
    assert both["O"].values[0] == pytest.approx(need / (1 + ratio**2), rel=1e-10)
    assert both["S"].values[0] * L3 == pytest.approx(need * ratio / (1 + ratio**2), rel=1e-10)
    assert "not unique: O, S" in both.notes[0]


# --- singular ---------------------------------------------------------------------------------------------------------
def test_a_slider_cannot_move_the_crank_over_its_dead_point() -> None:
    with pytest.warns(RuntimeWarning, match="cannot give this motion at t = 0 "):
        found = engine().inverse(until=2 * math.pi / OMEGA, steps=8, efforts=["S"])
    assert not found.ok
    assert [item.time for item in found.blocked] == pytest.approx([0, math.pi / OMEGA, 2 * math.pi / OMEGA])
    assert '"crank" turns' in found.blocked[0].direction
    assert "S stands still" in found.blocked[0].direction
    assert "slider" not in found.blocked[0].direction
    values = found["S"].values
    assert list(np.flatnonzero(np.isnan(values))) == [0, 4, 8]
    assert np.all(np.isinf(found.condition[[0, 4, 8]]))
    assert np.all(found.condition[[1, 2, 3]] < 10)
    assert found.plain()["efforts"]["S"]["effort"][1] == values[1]


def test_a_dead_point_where_nothing_is_needed_is_no_fault() -> None:
    m = engine(omega=0.0)
    m.gravity = None
    found = m.inverse(at=0.0, efforts=["S"])
    assert found.ok
    assert found["S"].values[0] == pytest.approx(0.0, abs=1e-9)
    assert found.unique == {"S": False}


def test_near_a_dead_point_the_condition_tells() -> None:
    near, far = (engine(start=str(angle)).inverse(at=0.0, efforts=["S"]) for angle in (1e-4, 1.0))
    assert near.ok
    assert far.condition[0] < 10 < 1e3 < near.condition[0] < 1e6


# --- questions that cannot be answered --------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("efforts", "sentence"),
    [
        (["shoulder"], "1 effort is missing: 1 for 2 degrees of freedom"),
        ([], "2 efforts are missing: 0 for 2 degrees of freedom"),
        (["shoulder", "elbwo"], 'did you mean "elbow"'),
        (["shoulder", "shoulder.angle"], '"shoulder.angle" is given twice'),
        (["shoulder", "elbow.rate"], '"elbow.rate" is not a coordinate'),
        (["shoulder", "ground.x"], '"ground.x" is not a coordinate'),
        ("shoulder", "is no list"),
    ],
)
def test_bad_efforts_are_told_in_a_sentence(efforts: object, sentence: str) -> None:
    with pytest.raises(mb.ModelError) as caught:
        arm().inverse(at=0.1, efforts=efforts)  # type: ignore[arg-type]
    assert sentence in str(caught.value)


def test_motions_that_are_missing_are_named() -> None:
    m = mb.load("double-pendulum")
    with pytest.raises(mb.ModelError, match="2 motions are missing"):
        m.inverse(at=0.0)


def test_a_missing_mass_is_named() -> None:
    m = mb.Model("bare", dimension=2)
    m.body("link")
    m.revolute("O", m.ground, "link")
    m.motion("O", "t")
    with pytest.raises(mb.ModelError, match='body "link": it has no mass'):
        m.inverse(at=0.0)


def test_a_lock_up_keeps_what_came_before() -> None:
    with pytest.warns(RuntimeWarning, match="locked up"):
        found = mb.load("driven-slider", part=1.2).inverse()
    assert not found.ok
    assert len(found.time) > 1
    assert np.all(np.isfinite(found["S"].values))


# --- files ------------------------------------------------------------------------------------------------------------
def test_efforts_are_saved_and_plotted(tmp_path: pathlib.Path) -> None:
    import matplotlib

    matplotlib.use("agg")
    found = arm().inverse(until=1.0, steps=10)
    found.save(tmp_path / "a.csv")
    found.save(tmp_path / "a.json")
    lines = (tmp_path / "a.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "time [s],shoulder.effort [N·m],elbow.effort [N·m],condition"
    table = np.loadtxt(tmp_path / "a.csv", delimiter=",", skiprows=1)
    np.testing.assert_array_equal(table[:, 1], found["shoulder"].values)
    assert set(found.data) == {"shoulder.effort", "elbow.effort", "condition"}
    (ax,) = found.plot()
    assert [line.get_label() for line in ax.get_lines()] == ["shoulder", "elbow"]
    with pytest.raises(mb.ModelError, match="unknown ending"):
        found.save(tmp_path / "a.xyz")


def test_units_of_the_model_and_si() -> None:
    m = mb.Model("inches", dimension=2, gravity=(0, -386.0886), units={"length": "in", "force": "lbf", "time": "s"})
    m.body("bob", mass=10 / 386.0886, inertia=0.0, com=(5, 0))
    m.revolute("O", m.ground, "bob")
    m.motion("O", "0*t")
    found = m.inverse(at=0.0)
    assert found["O"].values[0] == pytest.approx(50.0)
    assert found["O"].attrs["unit"] == "lbf·in"
    si = found.plain("SI")["efforts"]["O"]
    assert (si["effort"][0], si["unit"]) == (pytest.approx(50 * 4.4482216152605 * 0.0254), "N·m")
