"""Events of mechanisms that their motions determine: located, listed, and terminal ones end the analysis."""

import math
from typing import Any

import pytest

import multibody as mb


def slider_crank(scale: float = 1.0) -> mb.Model:
    """Return a driven slider-crank of r = 1, l = 3 (times a scale)."""
    m = mb.Model("crank", dimension=2, gravity=(0, -9.81 * scale))
    m.body("crank", mass=1, inertia=0.1 * scale**2, frames={"pin": (scale, 0)})
    m.body("rod", mass=1, inertia=0.1 * scale**2, com=(1.5 * scale, 0), frames={"small": (3 * scale, 0)})
    m.body("slider", mass=1, inertia=0.1 * scale**2)
    m.revolute("O", "ground", "crank")
    m.revolute("A", "crank.pin", "rod")
    m.revolute("B", "rod.small", "slider")
    m.translational("S", "ground", "slider", axis=(1, 0))
    m.motion("O", "2*t")
    m.initial(guess={"S": 4 * scale})
    return m


def middle(scale: float = 1.0) -> float:
    """Return the time at which the slider is at x = 3 for the first time: cos 2t + √(9 − sin² 2t) = 3."""
    low, high = 0.0, math.pi / 2
    for _ in range(200):
        t = 0.5 * (low + high)
        low, high = (t, high) if math.cos(2 * t) + math.sqrt(9 - math.sin(2 * t) ** 2) > 3 else (low, t)
    return low


VERBS: list[Any] = [lambda m, *a: m.kinematics(*a), lambda m, *a: m.run(*a[:1])]


@pytest.mark.parametrize("scale", [1.0, 1e3, 1e-6])
@pytest.mark.parametrize("verb", VERBS, ids=["kinematics", "run"])
def test_events_are_located(verb: Any, scale: float) -> None:
    m = slider_crank(scale)
    m.event("level", f"slider.x - 3*{scale}")
    m.event("quarter", "O - pi/2", direction="rising")
    m.event("never", "O - pi/2", direction="falling")
    m.event("turning", "slider.x.rate")
    run = verb(m, 3.0)
    assert run.ok and run.time[-1] == 3.0
    times = {name: [e.time for e in run.events if e.name == name] for name in m.events}
    first = middle()
    assert times["level"] == pytest.approx([first, math.pi - first], abs=1e-12)
    assert times["quarter"] == pytest.approx([math.pi / 4], abs=1e-13)
    assert times["never"] == []
    assert times["turning"] == pytest.approx([math.pi / 2], abs=1e-12)
    assert [e.time for e in run.events] == sorted(e.time for e in run.events)
    assert len(run.time) == (101 if verb is VERBS[0] else 401)


@pytest.mark.parametrize("speed", [2.0, -2.0])
@pytest.mark.parametrize("turned", [0.0, 0.3, 1.1, 2.0, 2.9])
@pytest.mark.parametrize("driven", [True, False])
def test_what_begins_at_zero_does_not_come_to_it(turned: float, speed: float, driven: bool) -> None:
    """The slider begins at its dead point, wherever its line points: its rate there is zero, or what rounding leaves of it."""
    m, line = mb.Model("crank", dimension=2), (math.cos(turned), math.sin(turned))
    m.body("crank", mass=1, inertia=0.1, frames={"pin": line})
    m.body("rod", mass=1, inertia=0.1, frames={"small": (3 * line[0], 3 * line[1])})
    m.body("slider", mass=1, inertia=0.1)
    m.revolute("O", "ground", "crank")
    m.revolute("A", "crank.pin", "rod")
    m.revolute("B", "rod.small", "slider")
    m.translational("S", "ground", "slider", axis=line)
    m.event("turning", "S.rate", terminal=True)
    if driven:
        m.motion("O", f"{speed}*t")
    m.initial({} if driven else {"O": 0.0, "O.rate": speed}, guess={"S": 4})
    run = m.kinematics(3.0) if driven else m.run(10.0, rtol=1e-10)
    assert [e.name for e in run.events] == ["turning"]
    assert run["O"].values[-1] == pytest.approx(math.copysign(math.pi, speed), abs=1e-8)


@pytest.mark.parametrize("verb", VERBS, ids=["kinematics", "run"])
def test_a_terminal_event_ends_it(verb: Any) -> None:
    m = slider_crank()
    m.event("level", "slider.x - 3", terminal=True)
    run = verb(m, 3.0)
    first = middle()
    assert run.ok and run.status.message == f'stopped by event "level" at t = {first:.9g}'
    assert run.time[-1] == pytest.approx(first, abs=1e-12) and run.time[-2] < first
    assert run["slider.x"].values[-1] == pytest.approx(3.0, abs=1e-12)
    assert run["O.rate"].values[-1] == pytest.approx(2.0)
    assert run.events[-1].terminal and run.plain()["events"][-1]["name"] == "level"
    assert run.final["slider.x"] == pytest.approx(3.0)
    if verb is VERBS[1]:
        assert math.isfinite(run["O.effort"].values[-1])
    whole = verb(slider_crank(), 3.0)
    n = len(run.time) - 1
    assert run["slider.x"].values[:n] == pytest.approx(whole["slider.x"].values[:n], abs=1e-12)


def test_backward_and_coarse_grids() -> None:
    m = slider_crank()
    m.event("level", "slider.x - 3")
    first = middle()
    back = m.kinematics(0.0, 1, start=3.0)
    assert [e.time for e in back.events] == pytest.approx([math.pi - first, first], abs=1e-12)
    assert len(back.time) == 2
    assert m.kinematics(at=1.0).events == []
    assert [e.time for e in m.kinematics(times=[0.0, 0.2, 3.0]).events] == pytest.approx([first, math.pi - first], abs=1e-12)


def test_turns_are_counted_in_space() -> None:
    m = mb.Model("m", gravity=(0, 0, -9.81))
    m.body("a", mass=1, inertia=(1, 1, 1), frames={"p": (1.0, 0.3, 0.1)})
    m.revolute("O", "ground", "a", axis=(1, 2, -0.5))
    m.motion("O", "10*t")
    m.event("turns", "O - 5*pi", terminal=True)
    m.event("high", "a.p.z", direction="rising")
    for run in (m.kinematics(3.0, 4), m.run(3.0)):
        assert run.time[-1] == pytest.approx(math.pi / 2, abs=1e-12)
        assert run["O"].values[-1] == pytest.approx(5 * math.pi)
        assert [e.name for e in run.events][-1] == "turns" and sum(e.name == "high" for e in run.events) in (2, 3)


def test_large_mechanisms() -> None:
    m = mb.Model("many", dimension=2)
    for k in range(60):
        m.revolute(f"J{k}", "ground" if k == 0 else f"b{k - 1}.e", m.body(f"b{k}", mass=1, inertia=1, frames={"e": (1, 0)}))
        m.motion(f"J{k}", f"0.01*t*{k + 1}")
    m.event("half", "J59 - 0.3", terminal=True)
    run = m.kinematics(1.0, 3)
    assert run.time[-1] == pytest.approx(0.5, abs=1e-12) and run.ok


def test_the_singular_positions_behind_the_end_are_not_told() -> None:
    m = slider_crank()
    m.event("soon", "t - 0.25", terminal=True)
    run = m.kinematics(3.0, 10)
    assert run.time[-1] == pytest.approx(0.25) and run.singularities == []
