"""Trajectories: through their points, continuous, within limits, in the least time, and the same as motions of a model."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import multibody as mb
from analyses.robot.arms import arm

POINTS = np.array([[0.0, 1.0], [1.0, -0.5], [0.4, 0.2], [2.0, 0.0]])
TIMES = np.array([0.5, 1.0, 2.2, 3.0])


def test_two_points_are_the_quintic_from_rest_to_rest() -> None:
    path = mb.trajectory([2.0, 5.0], [1.0, 3.0])
    s = np.linspace(0.0, 1.0, 21)
    q, v, a = path(1.0 + 2.0 * s)
    np.testing.assert_allclose(q[:, 0], 2.0 + 3.0 * (10 * s**3 - 15 * s**4 + 6 * s**5), atol=1e-13)
    np.testing.assert_allclose(v[:, 0], 1.5 * (30 * s**2 - 60 * s**3 + 30 * s**4), atol=1e-12)
    np.testing.assert_allclose(a[:, 0], 0.75 * (60 * s - 180 * s**2 + 120 * s**3), atol=1e-12)


@pytest.mark.parametrize(("kind", "smooth"), [("quintic", 4), ("cubic", 2)])
def test_splines_go_through_their_points_and_are_smooth(kind: str, smooth: int) -> None:
    path = mb.trajectory(POINTS, TIMES, kind)
    q, v, _ = path(TIMES)
    np.testing.assert_allclose(q, POINTS, atol=1e-13)
    np.testing.assert_allclose(v[[0, -1]], 0.0, atol=1e-12)
    for order in range(smooth + 1):
        pieces = path._pieces
        for k, at in enumerate(TIMES[1:-1]):
            left = mb.Trajectory(type(pieces)(pieces.times[k : k + 2], pieces.coefficients[k : k + 1]))._pieces.value(
                np.array([at]), order
            )
            np.testing.assert_allclose(left, pieces.value(np.array([at]), order), atol=1e-9)
    if kind == "quintic":
        np.testing.assert_allclose(path(TIMES[[0, -1]])[2], 0.0, atol=1e-11)


@pytest.mark.parametrize("kind", ["quintic", "cubic", "trapezoidal"])
def test_rates_are_derivatives_and_it_rests_outside(kind: str) -> None:
    path = mb.trajectory(POINTS, None, kind, vmax=[0.8, 1.1], amax=2.0, start=0.5)
    t = np.linspace(0.55, path.end - 0.05, 37)
    t = t[np.abs(t[:, None] - path.times).min(axis=1) > 1e-3]
    h = 1e-5
    q, v, a = path(t)
    np.testing.assert_allclose((path(t + h)[0] - path(t - h)[0]) / (2 * h), v, atol=1e-7)
    np.testing.assert_allclose((path(t + h)[1] - path(t - h)[1]) / (2 * h), a, atol=1e-6)
    q, v, a = path(np.array([-1.0, path.end + 1.0]))
    np.testing.assert_allclose(q, POINTS[[0, -1]], atol=1e-12)
    assert not np.any(v) and not np.any(a)


@pytest.mark.parametrize("kind", ["quintic", "cubic", "trapezoidal"])
def test_limits_are_kept_and_one_of_them_is_met(kind: str) -> None:
    vmax, amax = np.array([0.8, 1.1]), np.array([2.0, 5.0])
    path = mb.trajectory(POINTS, None, kind, vmax=vmax, amax=amax)
    _, q, v, a = path.sampled(20_001)
    assert np.all(np.abs(v) <= vmax * (1 + 1e-9)) and np.all(np.abs(a) <= amax * (1 + 1e-9))
    assert max((np.abs(v) / vmax).max(), (np.abs(a) / amax).max()) > 1.0 - 1e-4
    distance = np.abs(q[:, None] - POINTS).max(axis=2).min(axis=0)
    assert distance.max() < 1e-3


@pytest.mark.parametrize(
    ("way", "vmax", "amax", "least"),
    [
        (3.0, 1.0, 2.0, 3.0 / 1.0 + 1.0 / 2.0),  # a trapezoid: way/v + v/a
        (-3.0, 1.0, 2.0, 3.5),
        (0.1, 1.0, 2.0, 2.0 * np.sqrt(0.1 / 2.0)),  # a triangle: 2 √(way/a)
        (0.5, 1.0, 2.0, 1.0),  # both at once
    ],
)
def test_a_trapezoid_takes_the_least_time(way: float, vmax: float, amax: float, least: float) -> None:
    path = mb.trajectory([0.0, way], kind="trapezoidal", vmax=vmax, amax=amax)
    assert path.duration == pytest.approx(least, rel=1e-14)
    q, v, _ = path(path.end)
    assert q[0] == pytest.approx(way, rel=1e-14) and abs(v[0]) < 1e-13


def test_a_trapezoid_in_more_time_is_slower_and_less_is_refused() -> None:
    path = mb.trajectory([0.0, 3.0], [0.0, 5.0], "trapezoidal", amax=2.0)
    _, q, v, a = path.sampled(2001)
    assert path.end == 5.0 and q[-1, 0] == pytest.approx(3.0, rel=1e-13)
    assert np.abs(a).max() == pytest.approx(2.0, rel=1e-12)
    assert np.abs(v).max() == pytest.approx(5.0 - np.sqrt(25.0 - 6.0), rel=1e-12)  # a (T − √(T² − 4 way/a))/2
    with pytest.raises(mb.ModelError, match=r"from point 0 to point 1 it takes 2.44949, and has 2"):
        mb.trajectory([0.0, 3.0], [0.0, 2.0], "trapezoidal", amax=2.0)


def test_a_straight_line_stays_straight() -> None:
    path = mb.trajectory(POINTS, kind="trapezoidal", vmax=[0.5, 2.0], amax=[3.0, 1.0])
    _, q, _, _ = path.sampled(3001)
    for point in q[::50]:
        off = []
        for a, b in itertools.pairwise(POINTS):
            s = np.clip((point - a) @ (b - a) / ((b - a) @ (b - a)), 0.0, 1.0)
            off.append(np.linalg.norm(a + s * (b - a) - point))
        assert min(off) < 1e-12


def test_other_units_of_time_and_length_change_nothing() -> None:
    one = mb.trajectory(POINTS, vmax=0.8, amax=2.0)
    other = mb.trajectory(1e3 * POINTS, vmax=0.8 * 1e3 / 1e6, amax=2.0 * 1e3 / 1e12)
    assert other.duration == pytest.approx(1e6 * one.duration, rel=1e-12)
    np.testing.assert_allclose(other.sampled(31)[1], 1e3 * one.sampled(31)[1], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("kind", ["quintic", "cubic", "trapezoidal"])
def test_as_a_motion_it_is_what_it_is_as_arrays(kind: str) -> None:
    m = mb.Model("dial", dimension=2)
    for name in "ab":
        m.revolute(name.upper(), "ground", m.body(name, mass=1, inertia=1))
    path = mb.trajectory(POINTS, TIMES if kind != "trapezoidal" else None, kind, vmax=9.0, amax=30.0, names=["A", "B"])
    run = path.drive(m).kinematics(until=path.end + 0.5, steps=40)
    t = np.asarray(run["A"].time if hasattr(run["A"], "time") else run.times)
    near = np.abs(t[:, None] - path.times).min(axis=1) > 1e-6
    for k, name in enumerate("AB"):
        for order, suffix in enumerate(("", ".rate", ".acceleration")):
            np.testing.assert_allclose(run[name + suffix].values[near], path(t)[order][near, k], atol=1e-8)


def test_a_robot_follows_it_in_one_line_and_inverse_agrees() -> None:
    m = arm("puma")
    robot = m.robot()
    path = robot.trajectory([robot.neutral, robot.random(1) / 4, robot.random(2) / 4], [0.0, 1.0, 2.0])
    efforts = robot.inverse_dynamics(*path(np.linspace(0.0, 2.0, 11)))
    inverse = path.drive(m).inverse(until=2.0, steps=10)
    for k in range(6):
        np.testing.assert_allclose(inverse[f"j{k + 1}.effort"].values, efforts[:, k], rtol=1e-9, atol=1e-9)
    limited = robot.trajectory([robot.neutral, np.ones(6)], vmax={"j1": 0.5, "j2": 1.0}, amax={"j1": 2.0})
    assert np.abs(limited.sampled()[2][:, 0]).max() <= 0.5 * (1 + 1e-9)


def test_names_numbers_and_long_paths() -> None:
    path = mb.trajectory(POINTS, TIMES, names=["A.angle", "B.angle"])
    assert str(path["A"]) == str(path["A.angle"]) == str(path[0])
    long = mb.trajectory(np.sin(np.arange(150.0)), np.arange(150.0))
    assert len(str(long[0])) > 10_000  # a formula of many pieces is flat enough to be evaluated
    m = mb.Model("dial", dimension=2)
    m.revolute("A", "ground", m.body("a", mass=1, inertia=1))
    m.motion("A", long[0])
    run = m.kinematics(until=149.0, steps=149)
    np.testing.assert_allclose(run["A"].values, np.sin(np.arange(150.0)), atol=1e-9)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: mb.trajectory([1.0]), r"points have the shape \(1,\)"),
        (lambda: mb.trajectory("ab", [0, 1]), "points are not an array of numbers"),
        (lambda: mb.trajectory([0.0, np.nan], [0, 1]), "point 1 has a number that is not finite"),
        (lambda: mb.trajectory([0.0, 1.0]), "times are missing"),
        (lambda: mb.trajectory([0.0, 1.0], [1.0, 0.0]), "times do not increase"),
        (lambda: mb.trajectory([0.0, 1.0], [1.0]), r"times have the shape \(1,\)"),
        (lambda: mb.trajectory([0.0, 1.0], [0, 1], "septic"), "kind is 'septic'"),
        (lambda: mb.trajectory([0.0, 1.0], vmax=-1.0), "vmax is -1.0"),
        (lambda: mb.trajectory([0.0, 1.0], vmax={"A": 1.0}), 'unknown coordinate "A"'),
        (lambda: mb.trajectory([0.0, 1.0], kind="trapezoidal", vmax=1.0), "a trapezoidal trajectory has limits"),
        (lambda: mb.trajectory([0.0, 0.0], kind="trapezoidal", vmax=1.0, amax=1.0), "points 0 and 1 are the same"),
        (lambda: mb.trajectory([0.0, 1.0], [0.0, 1.0], vmax=1.0), "coordinate 0 comes to 1.875, above vmax = 1"),
        (lambda: mb.trajectory([0.0, 1.0], [0, 1])(np.inf), "is not a time"),
        (lambda: mb.trajectory([0.0, 1.0], [0, 1])["A"], 'unknown coordinate "A"'),
        (lambda: mb.trajectory([0.0, 1.0], [0, 1]).drive(mb.Model("m")), "its coordinates have no names"),
        (lambda: mb.trajectory(), '"points" is missing'),
        (lambda: arm("puma").robot().trajectory(np.zeros((2, 5)), [0, 1]), r"q has the shape \(2, 5\)"),
    ],
)
def test_what_does_not_fit_is_said_in_words(call: Any, words: str) -> None:
    with pytest.raises(mb.ModelError, match=words):
        call()
