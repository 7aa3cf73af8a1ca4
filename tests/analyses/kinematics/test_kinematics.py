"""Kinematics: closed forms, lock-ups in time, change points, idle spins, counted turns, missing and surplus motions."""

from __future__ import annotations

import math
import tracemalloc
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import multibody as mb
from multibody.state.system import Floats

L2, L3 = 0.15, 0.35


def place(dimension: int, x: float, y: float = 0.0) -> tuple[float, ...]:
    return (x, y) if dimension == 2 else (x, y, 0.0)


def slider_crank(l2: float = L2, l3: float = L3, h: float = 0.0, dimension: int = 2) -> mb.Model:
    m = mb.Model("slider-crank", dimension=dimension)
    m.frames(guide=place(dimension, 0.0, h))
    m.body("crank", com=place(dimension, 0.03, 0.01), frames={"A": place(dimension, l2)})
    m.body("rod", com=place(dimension, 0.1, -0.02), frames={"B": place(dimension, l3)})
    m.body("slider")
    m.revolute("O", "ground", "crank")
    m.revolute("A", "crank.A", "rod")
    m.revolute("B", "rod.B", "slider")
    m.translational("S", "ground.guide", "slider", axis=place(dimension, 1.0))
    return m


def four_bar(l1: float, l2: float, l3: float, l4: float, dimension: int = 2) -> mb.Model:
    m = mb.Model("four-bar", dimension=dimension)
    m.frames(C=place(dimension, l1))
    m.body("crank", frames={"A": place(dimension, l2)})
    m.body(
        "coupler", com=place(dimension, 0.3 * l3, 0.1), frames={"B": place(dimension, l3), "P": place(dimension, l3 / 2, 0.4)}
    )
    m.body("rocker", frames={"B": place(dimension, l4)})
    m.revolute("O", "ground", "crank")
    m.revolute("A", "crank.A", "coupler")
    m.revolute("B", "coupler.B", "rocker.B")
    m.revolute("C", "ground.C", "rocker")
    return m


def parallelogram(omega: str = "0.5 + t", dimension: int = 2) -> mb.Model:
    m = four_bar(2.0, 1.0, 2.0, 1.0, dimension)
    m.motion("O", omega)
    m.initial(guess={"C": 0.5, "A": -0.5})
    return m


def stopped(model: mb.Model, **options: Any) -> Any:
    """Return a run that does not reach its end, with the warning that it gives."""
    with pytest.warns(RuntimeWarning, match=model.name):
        run = model.kinematics(**options)
    assert not run.ok
    return run


def at(run: Any, path: str) -> Floats:
    return np.asarray(run[path].values)


# --- closed forms ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("h", [0.0, 0.05])
def test_a_driven_crank(h: float, dimension: int) -> None:
    m = slider_crank(h=h, dimension=dimension)
    m.motion("O", "150*t")
    m.initial(guess={"S": L2 + L3})
    run = m.kinematics(until=0.1, steps=200)
    theta2, w = 150 * run.time, 150.0
    theta3 = np.arcsin((h - L2 * np.sin(theta2)) / L3)
    w3 = -w * L2 * np.cos(theta2) / (L3 * np.cos(theta3))
    c1 = -L2 * w**2 * np.cos(theta2) - L3 * w3**2 * np.cos(theta3)
    c2 = -L2 * w**2 * np.sin(theta2) - L3 * w3**2 * np.sin(theta3)
    assert run.ok and not run.singularities
    assert np.max(np.abs(at(run, "S") - L2 * np.cos(theta2) - L3 * np.cos(theta3))) < 1e-12
    assert np.max(np.abs(at(run, "S.rate") - w * L2 * np.sin(theta3 - theta2) / np.cos(theta3))) < 1e-10
    assert np.max(np.abs(at(run, "S.acceleration") - c1 - c2 * np.tan(theta3))) < 1e-8
    assert np.max(np.abs(at(run, "A") + theta2 - theta3)) < 1e-11
    assert np.max(np.abs(at(run, "A.acceleration") + c2 / (L3 * np.cos(theta3)))) < 1e-7


def test_shabanas_four_bar_in_numbers() -> None:
    """Links 0.35, 0.2, 0.35, 0.25 at 5 rad/s: coupler and rocker at crank angles of 0, 90 and 210 degrees."""
    expected = {
        0: (0.6669463445036642, -6.666666666666667, -6.666666666666667, 44.90502093697089, 98.79104606133596),
        90: (0.14327331647453442, -0.041327312835173366, 3.9921495327397665, 2.9249850590182085, 0.8157587359534962),
        210: (0.5867483647782257, 2.7282189593343387, 0.30575224438391924, 5.477639362133599, -11.490893209626265),
    }
    m = four_bar(0.35, 0.2, 0.35, 0.25)
    m.motion("O", "63*deg + 5*t")
    m.initial(guess={"coupler.angle": 10 * mb.deg, "rocker.angle": 65 * mb.deg})
    run = m.kinematics(times=np.radians(np.arange(63.0, 63.0 + 360.0, 3.0) - 63.0) / 5.0)
    for degrees, (theta3, w3, w4, a3, a4) in expected.items():
        k = ((degrees - 63) % 360) // 3
        assert at(run, "coupler.angle")[k] == pytest.approx(theta3, abs=1e-12)
        assert at(run, "coupler.angle.rate")[k] == pytest.approx(w3, abs=1e-11)
        assert at(run, "rocker.angle.rate")[k] == pytest.approx(w4, abs=1e-11)
        assert at(run, "coupler.angle.acceleration")[k] == pytest.approx(a3, abs=1e-9)
        assert at(run, "rocker.angle.acceleration")[k] == pytest.approx(a4, abs=1e-9)


# --- lock-up ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("steps", [7, 30, 200])
@pytest.mark.parametrize(
    ("motion", "h", "end"),
    [
        ("0.4 + 0.1*t", 0.0, 1.0),
        ("0.4 + 0.1*t", 0.05, (math.sqrt(0.25 - 0.0025) - 0.4) / 0.1),
        ("0.3 - 0.07*t^2", 0.0, math.sqrt(0.1 / 0.07)),
        ("0.3 - 0.1*t", 0.05, (0.3 - math.sqrt(0.04 - 0.0025)) / 0.1),
    ],
)
def test_a_driven_slider_locks_in_line(motion: str, h: float, end: float, steps: int) -> None:
    m = slider_crank(h=h)
    m.motion("S", motion)
    m.initial(guess={"O": 1.2})
    run = stopped(m, until=2.5, steps=steps)
    assert run.status.time_reached == pytest.approx(end, abs=1e-9)
    last = run.singularities[-1]
    assert (last.kind, last.time) == ("lock-up", run.status.time_reached)
    assert "O, A and B are in line" in last.reason
    assert last.reason in run.status.message and "locked up" in run.status.message
    assert run.status.advice
    grid = np.linspace(0.0, 2.5, steps + 1)
    assert np.array_equal(run.time, grid[grid < end - 1e-9])  # everything before is kept
    x = at(run, "S")
    theta2 = np.arccos((L2**2 + x**2 + h**2 - L3**2) / (2 * L2 * np.hypot(x, h))) + np.arctan2(h, x)
    assert np.max(np.abs(at(run, "O") - theta2)) < 1e-9


@pytest.mark.parametrize("steps", [5, 40, 333])
@pytest.mark.parametrize("dimension", [2, 3])
def test_a_driven_crank_locks_where_the_rod_stands_on_the_guide(steps: int, dimension: int) -> None:
    """A rod shorter than the crank: cos θ₃ = 0 where sin θ₂ = l₃/l₂."""
    l2, l3 = 0.35, 0.2
    m = slider_crank(l2, l3, dimension=dimension)
    m.motion("O", "0.1 + 0.4*t")
    m.initial(guess={"S": l2 + l3})
    run = stopped(m, until=4.0, steps=steps)
    end = (math.asin(l3 / l2) - 0.1) / 0.4
    assert run.status.time_reached == pytest.approx(end, abs=1e-9)
    assert run.singularities[-1].kind == "lock-up"
    if dimension == 2:
        assert "the line A–B is perpendicular to the slide of S" in run.status.message
    assert "rod" in run.status.message and "slider" in run.status.message
    assert len(run.time) == int(np.sum(np.linspace(0.0, 4.0, steps + 1) < end))


def test_a_lock_up_on_a_grid_point() -> None:
    m = slider_crank()
    m.motion("S", "0.4 + 0.1*t")
    m.initial(guess={"O": 1.2})
    run = stopped(m, until=2.0, steps=4)
    assert [item.kind for item in run.singularities] == ["lock-up"]
    assert run.status.time_reached == pytest.approx(1.0, abs=1e-9)
    assert at(run, "O")[1] == pytest.approx(math.acos((L2**2 + 0.45**2 - L3**2) / (2 * L2 * 0.45)), abs=1e-11)


def test_a_four_bar_that_cannot_turn_locks_with_its_pins_in_line() -> None:
    l1, l2, l3, l4 = 3.0, 2.0, 1.2, 1.5  # not Grashof: A, B, C in line where |A − C| = l3 + l4
    m = four_bar(l1, l2, l3, l4)
    m.motion("O", "0.5 + 0.3*t")
    m.initial(guess={"C": 2.5})
    run = stopped(m, until=10.0, steps=60)
    limit = math.acos((l1**2 + l2**2 - (l3 + l4) ** 2) / (2 * l1 * l2))
    assert run.status.time_reached == pytest.approx((limit - 0.5) / 0.3, abs=1e-9)
    assert "A, B and C are in line" in run.status.message


def test_a_spatial_lock_up() -> None:
    """RSSR whose rod is too short for part of the turn: stops where the pin's circle touches the rod's sphere."""
    m = mb.Model("rssr")
    m.frames(C=(3, 0, 0))
    m.body("crank", frames={"A": (0, 1.5, 0)})
    m.body("rod", frames={"B": (2.3, 0, 0)})
    m.body("rocker", frames={"B": (0, 1.2, 0)})
    m.revolute("O", "ground", "crank", axis=(1, 0, 0))
    m.spherical("A", "crank.A", "rod")
    m.spherical("B", "rod.B", "rocker.B")
    m.revolute("R", "ground.C", "rocker", axis=(0, 0, 1))
    m.motion("O", "0.2 + 0.5*t")
    run = stopped(m, until=6.0, steps=50)
    phi = np.linspace(0.0, 2 * np.pi, 2001)
    circle = np.stack([3 - 1.2 * np.sin(phi), 1.2 * np.cos(phi), 0 * phi], -1)

    def nearest(angle: float) -> float:
        A = np.array([0.0, 1.5 * math.cos(angle), 1.5 * math.sin(angle)])
        # |B − A|² = a + b sin φ + c cos φ: its least value in closed form
        a = 9 + 1.44 + A @ A
        return math.sqrt(a - math.hypot(-7.2, -2.4 * A[1]))

    assert nearest(0.2) < 2.3
    A = np.array([0.0, 1.5 * math.cos(0.2), 1.5 * math.sin(0.2)])
    assert np.min(np.linalg.norm(circle - A, axis=1)) == pytest.approx(nearest(0.2), abs=1e-5)
    # a − √(51.84 + 5.76 y²) = 5.29 with a = 12.69: |y| = 1.5 cos θ
    y = math.sqrt(((9 + 1.44 + 2.25 - 2.3**2) ** 2 - 7.2**2) / 2.4**2)
    assert run.status.time_reached == pytest.approx((math.acos(y / 1.5) - 0.2) / 0.5, abs=1e-9)


# --- singular positions that are passed ------------------------------------------------------------------------------


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("steps", [9, 40, 1000])
def test_a_parallelogram_stays_one_through_its_change_points(steps: int, dimension: int) -> None:
    run = parallelogram(dimension=dimension).kinematics(until=13.0, steps=steps)
    assert run.ok
    angle = 0.5 + run.time
    assert np.max(np.abs(at(run, "O") - angle)) < 1e-12
    assert np.max(np.abs(at(run, "C") - angle)) < 1e-9
    assert np.max(np.abs(at(run, "A") + angle)) < 1e-9
    assert np.max(np.abs(at(run, "C.rate") - 1.0)) < 1e-7
    assert np.max(np.abs(at(run, "coupler.B.y") - np.sin(angle))) < 1e-9
    times = [k * math.pi - 0.5 for k in range(1, 5)]
    assert [item.kind for item in run.singularities] == ["passed"] * 4
    assert [item.time for item in run.singularities] == pytest.approx(times, abs=1e-7)
    assert all("in line" in item.reason for item in run.singularities if dimension == 2)


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("before", [1, 3, 50])
def test_a_grid_point_on_the_change_point(before: int, dimension: int) -> None:
    """The crank at exactly π on the grid: the parallelogram's own velocity and acceleration, no jump to the other branch."""
    grid = np.concatenate([np.linspace(0.0, math.pi - 0.5, before + 1), np.linspace(math.pi - 0.5, 5.0, 12)[1:]])
    run = parallelogram(dimension=dimension).kinematics(times=grid)
    assert run.ok
    assert np.max(np.abs(at(run, "C") - 0.5 - grid)) < 1e-7
    assert np.max(np.abs(at(run, "C.rate") - 1.0)) < 1e-6
    assert np.max(np.abs(at(run, "A.rate") + 1.0)) < 1e-6
    assert np.max(np.abs(at(run, "C.acceleration"))) < 1e-4
    assert len(run.singularities) == 1
    assert run.singularities[0].kind == "passed"
    assert run.singularities[0].time == pytest.approx(math.pi - 0.5, abs=1e-7)
    assert run.certificate["smallest_singular_value"] < 1e-6


def test_change_points_without_end() -> None:
    """Every change point of fifty turns is reported."""
    run = parallelogram().kinematics(until=2 * math.pi * 50, steps=1000)
    assert run.ok
    assert np.max(np.abs(at(run, "C") - 0.5 - run.time)) < 1e-8
    assert len(run.singularities) == 100


def test_an_antiparallelogram_stays_one() -> None:
    """The crossed linkage: the other crank turns against the first, tan(θ/2)·tan(φ/2) is constant."""
    m = four_bar(2.0, 1.0, 2.0, 1.0)
    m.motion("O", "0.5 + t")
    m.initial(guess={"C": -2.5})
    assert m.assemble()["C"] != pytest.approx(0.5, abs=0.1)
    run = m.kinematics(until=12.0, steps=300)
    assert run.ok
    theta, phi = at(run, "O"), at(run, "C")
    ratio = np.tan(theta / 2) / np.tan(phi / 2)  # rocker's angle from the x axis
    regular = np.abs(np.sin(theta)) > 0.05
    assert np.max(np.abs(ratio[regular] / ratio[0] - 1.0)) < 1e-6
    assert np.all(at(run, "C.rate") * at(run, "C.rate")[0] > 0.0)  # it never turns back
    assert abs(phi[-1] - phi[0]) > 10.0


@pytest.mark.parametrize("steps", [14, 100, 1000])
def test_a_slider_that_drives_its_crank_over_the_dead_points(steps: int) -> None:
    """A slider moved just as a turning crank would move it: the crank goes on turning."""
    m = slider_crank()
    m.motion("S", f"{L2}*cos(t + 1) + sqrt({L3}^2 - {L2}^2*sin(t + 1)^2)")
    m.initial(guess={"O": 1.0})
    run = m.kinematics(until=12.0, steps=steps)
    assert run.ok
    assert np.max(np.abs(at(run, "O") - 1.0 - run.time)) < 1e-6
    times = [k * math.pi - 1.0 for k in range(1, 5)]
    assert [item.time for item in run.singularities] == pytest.approx(times, abs=1e-5)
    assert all(item.kind == "passed" for item in run.singularities)


@pytest.mark.parametrize("before", [3, 20])
def test_a_grid_point_on_the_dead_point(before: int) -> None:
    m = slider_crank()
    m.motion("S", f"{L2}*cos(t + 1) + sqrt({L3}^2 - {L2}^2*sin(t + 1)^2)")
    m.initial(guess={"O": 1.0})
    grid = np.concatenate([np.linspace(0.0, math.pi - 1.0, before + 1), np.linspace(math.pi - 1.0, 4.0, 12)[1:]])
    run = m.kinematics(times=grid)
    assert run.ok
    assert np.max(np.abs(at(run, "O") - 1.0 - grid)) < 1e-6
    assert np.max(np.abs(at(run, "O.rate") - 1.0)) < 1e-4
    assert [item.kind for item in run.singularities] == ["passed"]


def test_labels_follow_the_change_points() -> None:
    """The triangle A, B, C turns over at every change point; forwards and backwards alike."""
    forward = parallelogram().kinematics(until=5.0, steps=50)
    assert [label for _, label in forward.branches] in (["+", "-"], ["-", "+"])
    assert forward.branches[1][0] == pytest.approx(math.pi - 0.5, abs=1e-6)
    backward = parallelogram().kinematics(start=5.0, until=0.0, steps=50)
    assert backward.ok
    assert [label for _, label in backward.branches] == [label for _, label in forward.branches][::-1]


# --- space -----------------------------------------------------------------------------------------------------------


def rssr() -> mb.Model:
    """Hard points in general position, made in place."""
    m = mb.Model("rssr")
    for body in ("crank", "coupler", "rocker"):
        m.body(body, com=(0.02, 0.01, -0.03), frames={"P": (0.1, 0.2, 0.3)})
    m.revolute("crank_pivot", "ground", "crank", at=(0, 0, 0), axis=(1, 0.2, -0.05))
    m.spherical("crank_pin", "crank", "coupler", at=(0.01, -0.03, 0.08))
    m.spherical("rocker_pin", "coupler", "rocker", at=(0.25, 0.20, 0.10))
    m.revolute("rocker_pivot", "ground", "rocker", at=(0.30, 0.05, 0.0), axis=(0.1, -0.3, 1))
    m.motion("crank_pivot.angle", "10*t")
    return m


def test_rssr_over_revolutions_with_an_idle_coupler() -> None:
    run = rssr().kinematics(until=2 * math.pi * 0.3, steps=300)  # three turns
    assert run.ok and not run.singularities
    assert run.certificate["position_violation"] < 1e-12
    axis, lever = np.array([0.1, -0.3, 1.0]), np.array([0.25, 0.20, 0.10]) - np.array([0.30, 0.05, 0.0])
    crank, pin = np.array([1, 0.2, -0.05]), np.array([0.01, -0.03, 0.08])
    length = float(np.linalg.norm(np.array([0.25, 0.20, 0.10]) - pin))
    A = Rotation.from_rotvec(10 * run.time[:, None] * crank / np.linalg.norm(crank)).apply(pin)
    B = Rotation.from_rotvec(at(run, "rocker_pivot")[:, None] * axis / np.linalg.norm(axis)).apply(lever) + [0.30, 0.05, 0.0]
    assert np.max(np.abs(np.linalg.norm(B - A, axis=1) - length)) < 1e-12
    omega = np.stack([at(run, f"coupler.omega.{c}") for c in "xyz"], -1)
    along = np.einsum("ti,ti->t", omega, (B - A) / length)
    assert np.max(np.abs(along)) < 1e-10  # the coupler does not spin about itself
    for path in ("rocker_pivot", "rocker_pivot.rate", "rocker.P.z", "rocker.P.x.acceleration"):
        values = at(run, path)
        assert np.max(np.abs(values[100::100] - values[0])) < 1e-9 * max(1.0, float(np.max(np.abs(values))))
    assert at(run, "crank_pivot")[-1] == pytest.approx(6 * math.pi, abs=1e-11)


def test_a_planar_four_bar_modelled_in_space() -> None:
    """Three redundant equations, the same motion as in the plane."""
    runs = []
    for dimension in (2, 3):
        m = four_bar(0.35, 0.2, 0.35, 0.25, dimension)
        m.motion("O", "1.1 + 5*t")
        m.initial(guess={"C": 1.2})
        runs.append(m.kinematics(until=3.0, steps=200))
    plane, space = runs
    assert plane.ok and space.ok
    assert space.certificate["position_violation"] < 1e-11
    for path in ("O", "A", "C", "coupler.P.x", "coupler.P.y", "coupler.x"):
        for suffix, tolerance in (("", 1e-11), (".rate", 1e-9), (".acceleration", 1e-7)):
            assert np.max(np.abs(at(space, path + suffix) - at(plane, path + suffix))) < tolerance
    assert np.max(np.abs(at(space, "coupler.P.z"))) < 1e-12


@pytest.mark.parametrize("sign", [1, -1])
def test_turns_are_counted_in_space(sign: int) -> None:
    """A drag link: both cranks turn fully; eleven turns are eleven turns in every joint, on any grid."""
    for steps in (40, 400):
        m = four_bar(0.1, 0.3, 0.28, 0.31, dimension=3)
        m.motion("O", f"0.4 + {sign}*2*pi*t")
        m.initial(guess={"C": 0.8})
        run = m.kinematics(until=11.0, steps=steps)
        assert run.ok
        for joint in ("O", "C"):
            values = at(run, joint)
            assert values[-1] - values[0] == pytest.approx(sign * 22 * math.pi, abs=1e-9)
            assert np.max(np.abs(np.diff(values))) < 4 * math.pi * 11 / steps + 1.0
        assert abs(at(run, "A")[-1] - at(run, "A")[0]) < 23 * math.pi


def test_a_very_coarse_grid_counts_every_turn() -> None:
    m = four_bar(0.1, 0.3, 0.28, 0.31, dimension=3)
    m.motion("O", "0.4 + 2*pi*t")
    m.initial(guess={"C": 0.8})
    run = m.kinematics(until=60.0, steps=3)
    assert run.ok
    assert at(run, "C") - at(run, "C")[0] == pytest.approx(2 * math.pi * run.time, abs=1e-9)


def test_screws_count_turns() -> None:
    m = mb.Model("jack")
    m.body("nut", com=(0.1, 0.0, 0.2))
    m.screw("J", "ground", "nut", axis=(1, 1, 1), lead=0.01)
    m.motion("J", "2*pi*t")
    run = m.kinematics(until=7.0, steps=10)
    assert at(run, "J.position")[-1] == pytest.approx(0.07, abs=1e-13)
    assert at(run, "J")[-1] == pytest.approx(14 * math.pi, abs=1e-11)


# --- grids -----------------------------------------------------------------------------------------------------------


def driven_four_bar(dimension: int = 2) -> mb.Model:
    m = four_bar(0.35, 0.2, 0.35, 0.25, dimension)
    m.motion("O", "1.1 + 5*t + 0.3*sin(3*t)")
    m.initial(guess={"C": 1.2})
    return m


@pytest.mark.parametrize("dimension", [2, 3])
def test_backward_grids(dimension: int) -> None:
    m = driven_four_bar(dimension)
    forward = m.kinematics(until=2.0, steps=80)
    backward = m.kinematics(start=2.0, until=0.0, steps=80, initial=forward.final)
    assert backward.ok
    assert np.max(np.abs(backward.time - forward.time[::-1])) < 1e-15
    for path in ("O", "C", "A", "coupler.P.x", "C.rate", "C.acceleration"):
        assert np.max(np.abs(at(backward, path)[::-1] - at(forward, path))) < 1e-9
    given = m.kinematics(times=forward.time[::-1], initial=forward.final)
    assert np.max(np.abs(given.motion.q - backward.motion.q)) < 1e-12


def test_the_grid_does_not_matter() -> None:
    m = driven_four_bar()
    fine = m.kinematics(until=2.0, steps=400)
    rng = np.random.default_rng(3)
    chosen = np.sort(rng.choice(np.arange(1, 400), 12, replace=False))
    chosen = np.concatenate([[0], chosen])
    few = m.kinematics(times=fine.time[chosen])
    assert few.ok
    for path in ("C", "C.rate", "C.acceleration", "coupler.P.y"):
        assert np.max(np.abs(at(few, path) - at(fine, path)[chosen])) < 1e-10


def test_a_single_instant() -> None:
    m = driven_four_bar()
    run = m.kinematics(until=0.3, steps=1)
    one = m.kinematics(at=0.3, initial=run.final)
    assert one.ok and one.time.tolist() == [0.3]
    for path in ("O", "C", "C.rate", "C.acceleration"):
        assert at(one, path)[0] == pytest.approx(at(run, path)[-1], abs=1e-11)
    assert one.final.t == 0.3


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({}, "no end time"),
        ({"until": 0.0}, "equals the start"),
        ({"until": 1.0, "steps": 0}, "steps"),
        ({"until": 1.0, "steps": 2.5}, "steps"),
        ({"until": math.nan}, "finite"),
        ({"times": []}, "empty"),
        ({"times": [0.0, 1.0, 0.5]}, "monotonic"),
        ({"times": [0.0, math.inf]}, "finite"),
        ({"at": math.nan}, "finite"),
    ],
)
def test_bad_grids_are_refused(options: dict[str, Any], word: str) -> None:
    with pytest.raises(mb.ModelError, match=word):
        driven_four_bar().kinematics(**options)


def test_output_is_linear_in_the_grid() -> None:
    """Arrays hold one row an instant and nothing grows faster than the grid."""
    m = driven_four_bar()
    m.kinematics(until=1.0, steps=10)
    peaks = []
    for steps in (2000, 20000):
        tracemalloc.start()
        run = m.kinematics(until=20.0, steps=steps)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        for array, width in ((run.motion.q, 9), (run.motion.v, 9), (run.motion.a, 9)):
            assert array.shape == (steps + 1, width)
        assert run.motion.sigma.shape == (steps + 1,)
    assert peaks[1] < 11.0 * peaks[0] + 2e6
    assert peaks[1] < 20000 * 9 * 8 * 12


# --- motions ---------------------------------------------------------------------------------------------------------


def two_arms() -> mb.Model:
    m = mb.Model("arms", dimension=2)
    m.body("a", frames={"P": (1, 0)})
    m.body("b", frames={"P": (1, 0)})
    m.body("c")
    m.revolute("O", "ground", "a")
    m.revolute("A", "a.P", "b")
    m.translational("S", "b.P", "c", axis=(1, 0))
    return m


def test_missing_motions_are_counted_and_placed() -> None:
    m = two_arms()
    m.motion("O", "t")
    with pytest.raises(mb.ModelError) as caught:
        m.kinematics(until=1.0)
    text = str(caught.value)
    assert "2 motions are missing" in text
    assert "A" in caught.value.hint and "S" in caught.value.hint
    assert "O" not in caught.value.hint.split("for instance on")[1].split("(")[0].replace(" ", "").split(",")
    m.motion("A", "2*t")
    with pytest.raises(mb.ModelError, match="1 motion is missing") as caught:
        m.kinematics(until=1.0)
    assert "S" in caught.value.hint
    m.motion("S", "0.1*t")
    assert m.kinematics(until=1.0, steps=3).ok


def test_no_motion_at_all() -> None:
    with pytest.raises(mb.ModelError, match="1 motion is missing") as caught:
        four_bar(0.35, 0.2, 0.35, 0.25).kinematics(until=1.0)
    assert all(joint in caught.value.hint for joint in ("O", "A", "B", "C"))


def test_surplus_motions_are_named() -> None:
    m = driven_four_bar()
    m.motion("C", "1.2 + 0.1*t")
    with pytest.raises(mb.ModelError, match="1 degree of freedom, 2 motions") as caught:
        m.kinematics(until=1.0)
    assert caught.value.where in ("motions.C", "motions.O")


def test_surplus_motions_that_agree_are_named_too() -> None:
    m = two_arms()
    for path, law in (("O", "t"), ("A", "t"), ("S", "0.1"), ("b.angle", "2*t")):
        m.motion(path, law)
    with pytest.raises(mb.ModelError, match="3 degrees of freedom, 4 motions") as caught:
        m.kinematics(until=1.0)
    assert caught.value.where in ("motions.O", "motions.A", "motions.b.angle")


def test_two_motions_on_one_freedom_while_another_is_free() -> None:
    """As many motions as freedoms, but two of them drive the same one."""
    m = two_arms()
    for path, law in (("O", "t"), ("a.angle", "t"), ("A", "t")):
        m.motion(path, law)
    with pytest.raises(mb.ModelError) as caught:
        m.kinematics(until=1.0)
    assert "S" in str(caught.value) or "a.angle" in str(caught.value)


def test_a_start_in_a_singular_position_is_explained() -> None:
    m = four_bar(2.0, 1.0, 2.0, 1.0)
    m.motion("O", "t")  # the parallelogram lies flat
    with pytest.raises(mb.ModelError, match="singular"):
        m.kinematics(until=1.0)


def test_motions_with_cases() -> None:
    m = driven_four_bar()
    m.motions.clear()
    m.motion("O", "if(t < 1, 1 + t, 2 + 0.5*(t - 1))")
    run = m.kinematics(until=2.0, steps=41)
    assert run.ok
    expected = np.where(run.time < 1, 1 + run.time, 2 + 0.5 * (run.time - 1))
    assert np.max(np.abs(at(run, "O") - expected)) < 1e-12
    assert np.max(np.abs(at(run, "O.rate") - np.where(run.time < 1, 1.0, 0.5))) < 1e-12
    assert run.certificate["position_violation"] < 1e-12


def test_smooth_steps() -> None:
    m = driven_four_bar()
    m.motions.clear()
    m.motion("O", "step(t, 0.5, 1.0, 1.5, 2.2)")
    run = m.kinematics(until=2.0, steps=40)
    assert run.ok
    u = np.clip(run.time - 0.5, 0.0, 1.0)
    assert np.max(np.abs(at(run, "O") - 1.0 - 1.2 * u**2 * (3 - 2 * u))) < 1e-12
    assert np.all(at(run, "O.rate")[run.time < 0.49] == 0.0)


def test_a_jump_of_the_motion_ends_the_run_without_blaming_the_geometry() -> None:
    m = driven_four_bar()
    m.motions.clear()
    m.motion("O", "if(t < 1, 1.0, 1.3)")
    run = stopped(m, until=2.0, steps=9)  # it cannot be walked in small steps
    assert run.status.time_reached == pytest.approx(1.0, abs=1e-6)
    assert np.max(np.abs(at(run, "O") - 1.0)) < 1e-12
    assert "in line" not in run.status.message  # nothing is


def test_tables_as_motions() -> None:
    m = driven_four_bar()
    m.motions.clear()
    x = np.linspace(0.0, 2.0, 11)
    m.table("law", x, 1.0 + 0.5 * np.sin(x))
    m.motion("O", "law(t)")
    run = m.kinematics(times=x)
    assert run.ok
    assert np.max(np.abs(at(run, "O") - 1.0 - 0.5 * np.sin(x))) < 1e-12


def test_a_motion_that_is_no_number_is_not_called_a_lock_up() -> None:
    m = driven_four_bar()
    m.motions.clear()
    m.motion("O", "1 + sqrt(0.7 - t)")
    run = stopped(m, until=1.0, steps=20)
    assert run.status.message == 'motion "O": its rate grows beyond all bounds at t = 0.7'
    assert "formula" in run.status.advice
    assert "in line" not in run.status.message
    assert len(run.time) in (14, 15)  # 0.7 itself has an infinite rate


def test_a_motion_that_is_no_number_from_the_start() -> None:
    """An error that names the motion; never a bare error of the arithmetic."""
    m = driven_four_bar()
    m.motions.clear()
    m.motion("O", "sqrt(t - 1)")
    with pytest.raises(mb.ModelError, match=r'motion "O".*finite'):
        m.kinematics(until=1.5, steps=3)


def test_motions_of_points() -> None:
    """A point led along a circle by its two coordinates."""
    m = two_arms()
    m.motion("b.P.x", "0.9 + 0.3*cos(t)")
    m.motion("b.P.y", "0.8 + 0.3*sin(t)")
    m.motion("S", "0")
    m.initial(guess={"O": 0.0, "A": 1.5})
    run = m.kinematics(until=7.0, steps=60)
    assert run.ok
    x, y = 0.9 + 0.3 * np.cos(run.time), 0.8 + 0.3 * np.sin(run.time)
    bend = np.arccos((x**2 + y**2 - 2.0) / 2.0)
    assert np.max(np.abs(at(run, "A") - bend)) < 1e-10
    assert np.max(np.abs(at(run, "O") - np.arctan2(y, x) + bend / 2)) < 1e-10


# --- branches and states ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dimension", [2, 3])
def test_a_given_state_chooses_the_branch(dimension: int) -> None:
    m = driven_four_bar(dimension)
    ends = set()
    for state in m.assemble(branches=True):
        run = m.kinematics(until=1.0, steps=20, initial=state)
        assert run.ok
        assert run.branches[0][1] == state.branch
        assert at(run, "C")[0] == pytest.approx(state["C"], abs=1e-10)
        again = m.kinematics(start=1.0, until=1.5, steps=10, initial=run.final)
        whole = m.kinematics(until=1.5, steps=30, initial=state)
        assert np.max(np.abs(at(again, "C") - at(whole, "C")[20:])) < 1e-10
        ends.add(round(float(at(again, "C")[-1]), 6))
    assert len(ends) == 2


@pytest.mark.parametrize("dimension", [2, 3])
def test_a_continued_run_goes_on_counting(dimension: int) -> None:
    m = four_bar(0.1, 0.3, 0.28, 0.31, dimension)
    m.motion("O", "0.4 + 2*pi*t")
    m.initial(guess={"C": 0.8})
    first = m.kinematics(until=3.0, steps=60)
    second = m.kinematics(start=3.0, until=5.0, steps=40, initial=first.final)
    whole = m.kinematics(until=5.0, steps=100)
    for path in ("O", "C", "A", "B"):
        assert at(second, path)[0] == pytest.approx(at(first, path)[-1], abs=1e-10)
        assert at(second, path)[-1] == pytest.approx(at(whole, path)[-1], abs=1e-9)


def test_parameters_change_the_motion() -> None:
    m = mb.Model("four-bar", dimension=2)
    l2, speed = m.parameter("l2", 0.2), m.parameter("speed", 5.0)
    m.frames(C=(0.35, 0))
    m.body("crank", frames={"A": (l2, 0)})
    m.body("coupler", frames={"B": (0.35, 0)})
    m.body("rocker", frames={"B": (0.25, 0)})
    m.revolute("O", "ground", "crank")
    m.revolute("A", "crank.A", "coupler")
    m.revolute("B", "coupler.B", "rocker.B")
    m.revolute("C", "ground.C", "rocker")
    m.motion("O", 1.1 + speed * mb.t)
    m.initial(guess={"C": 1.2})
    m.kinematics(until=0.5, steps=5)
    changed = m.set(l2=0.15, speed=3.0).kinematics(until=0.5, steps=5)
    other = four_bar(0.35, 0.15, 0.35, 0.25)
    other.motion("O", "1.1 + 3*t")
    other.initial(guess={"C": 1.2})
    fresh = other.kinematics(until=0.5, steps=5)
    for path in ("O", "C", "C.rate", "C.acceleration"):
        assert np.max(np.abs(at(changed, path) - at(fresh, path))) < 1e-11


def test_statistics_and_certificate() -> None:
    run = driven_four_bar().kinematics(until=2.0, steps=100)
    assert run.statistics["steps"] == 100 and run.statistics["rejected"] == 0
    assert 100 <= run.statistics["newton_iterations"] <= 400
    for key in ("position_violation", "velocity_violation", "acceleration_violation"):
        assert 0.0 <= run.certificate[key] < 1e-12
    sigma = run.certificate["smallest_singular_value"]
    assert sigma == pytest.approx(float(np.min(run.motion.sigma)))
    system_sigma = _smallest(run, int(np.argmin(run.motion.sigma)))
    assert sigma == pytest.approx(system_sigma, rel=0.05)  # inverse iteration on the factors at hand


def _smallest(run: Any, k: int) -> float:
    """Return the smallest singular value of the scaled Jacobian at an instant."""
    from multibody.state.system import System

    system = System(run.tables)
    J = system.scaled(system.jacobian(run.motion.q[k], float(run.time[k])))
    return float(np.linalg.svd(J, compute_uv=False)[-1])


# --- motions that switch ----------------------------------------------------------------------------------------------
def switched_crank(motion: str) -> mb.Model:
    m = mb.Model("switched", dimension=2, gravity=(0, -9.81))
    m.body("crank", mass=1, inertia=0.01, frames={"A": (0.15, 0)})
    m.body("rod", mass=0.5, inertia=0.01, com=(0.1, 0), frames={"B": (0.35, 0)})
    m.body("slider", mass=0.4, inertia=0.001)
    m.revolute("O", "ground", "crank")
    m.revolute("A", "crank.A", "rod")
    m.revolute("B", "rod.B", "slider")
    m.translational("S", "ground", "slider", axis=(1, 0))
    m.motion("O", motion)
    m.initial(guess={"S": 0.5, "B": 0.0})
    return m


@pytest.mark.parametrize("verb", ["kinematics", "run"])
def test_velocities_behind_a_jump_stand_on_the_grid(verb):
    def moved(motion: str):
        m = switched_crank(motion)
        return m.kinematics(until=1, steps=4) if verb == "kinematics" else m.run(until=1, output_step=0.25)

    found, early, late = moved("0.7 + 3*abs(t - 0.5)"), moved("0.7 - 3*(t - 0.5)"), moved("0.7 + 3*(t - 0.5)")
    assert found.ok
    for path in ("O.rate", "S.rate", "S.acceleration", *(["O.effort"] if verb == "run" else [])):
        assert np.asarray(found[path])[:2] == pytest.approx(np.asarray(early[path])[:2], abs=1e-9)
        assert np.asarray(found[path])[2:] == pytest.approx(np.asarray(late[path])[2:], abs=1e-9)
    assert any("velocities jump at t = 0.5: those behind are given" in note for note in found.notes)
    assert not late.notes or "jump" not in " ".join(late.notes)


def test_back_in_time_and_at_one_time_the_limit_is_the_one_behind():
    back = switched_crank("0.7 + 3*abs(t - 0.5)").kinematics(start=1, until=0, steps=4)
    assert np.asarray(back["O.rate"]) == pytest.approx([3, 3, -3, -3, -3])
    assert np.asarray(switched_crank("0.7 + 3*abs(t - 0.5)").kinematics(at=0.5)["O.rate"]) == pytest.approx([3])
    assert switched_crank("0.7 + 3*abs(t)").assemble()["O.rate"] == pytest.approx(3)


@pytest.mark.parametrize("motion", ["0.7 + if(t < 0.4, 0, 1)", "0.7 + 1e-3*sign(t - 0.4)"])
@pytest.mark.parametrize("verb", ["kinematics", "run", "inverse"])
def test_a_position_that_jumps_ends_it_by_name(verb, motion):
    with pytest.warns(RuntimeWarning, match=r'motion "O" jumps by .* rad at t = 0\.4'):
        found = getattr(switched_crank(motion), verb)(until=1)
    assert not found.ok
    times = found.motion.time if verb == "inverse" else found.time
    assert 0.39 <= times[-1] <= 0.4


def test_a_coupler_that_jumps_is_named():
    m = switched_crank("0.7 + t")
    m.body("wheel", mass=1, inertia=0.1)
    m.revolute("W", "ground", "wheel")
    m.coupler("K", "W - O*if(t < 0.4, 1, 2)")
    with pytest.warns(RuntimeWarning, match=r'coupler "K" jumps at t = 0\.4'):
        found = m.kinematics(until=1, steps=20)
    assert not found.ok
    assert found.time[-1] == pytest.approx(0.35)


# --- very many turns --------------------------------------------------------------------------------------------------
def test_a_million_seconds_of_a_fast_crank():
    """One period is followed; positions are those of the crank's angle, turns are counted."""
    r = mb.load("slider-crank").kinematics(until=1e6, steps=10)
    assert r.ok
    assert r.statistics["steps"] < 1000
    angle = np.asarray(r["O"])
    assert angle == pytest.approx(150.0 * r.time, rel=1e-12)
    short = mb.load("slider-crank").kinematics(times=np.unique(np.append(0.0, np.mod(angle, 2 * math.pi) / 150.0)))
    places = {round(float(t), 9): k for k, t in enumerate(short.time)}
    for k, t in enumerate(np.mod(angle, 2 * math.pi) / 150.0):
        same = places[round(float(t), 9)]
        for path in ("S", "S.rate", "A.rate"):
            assert float(r[path][k]) == pytest.approx(float(short[path][same]), rel=1e-5, abs=1e-5)
    assert any("one period was followed" in note for note in r.notes)


@pytest.mark.parametrize("dimension", [2, 3])
def test_periods_give_what_following_gives(dimension, monkeypatch):
    from multibody.analyses.kinematics import turning

    def model() -> mb.Model:
        m = slider_crank(dimension=dimension)
        m.motion("O", "20*t")
        m.initial(guess={"S": L2 + L3})
        return m

    times = [0.0, 0.7, 3.1, 9.4]
    followed = model().kinematics(times=times)
    monkeypatch.setattr(turning, "MANY", 1.0)
    counted = model().kinematics(times=times)
    assert counted.statistics["steps"] < followed.statistics["steps"]
    for path in ("O", "A", "B", "S", "S.rate", "S.acceleration"):
        assert np.asarray(counted[path]) == pytest.approx(np.asarray(followed[path]), rel=1e-9, abs=1e-9)


def test_too_many_turns_without_a_period_are_no_lock_up():
    m = slider_crank()
    m.motion("O", "150*t + 1e-3*t^2")
    m.initial(guess={"S": L2 + L3})
    with pytest.warns(RuntimeWarning, match=r'motion "O" turns by .* rad up to t = 1e\+06, too many turns to be followed'):
        r = m.kinematics(until=1e6, steps=10)
    assert not r.ok
    assert "locked" not in r.status.message
