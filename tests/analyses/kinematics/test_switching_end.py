"""Motions that switch at the very beginning and end of the time that is asked for: each instant is found once."""

import pytest

import multibody as mb
from multibody.analyses.events.switching import SwitchingTimes


def swinging() -> mb.Model:
    """Return a hand that is moved in two steps."""
    m = mb.Model("hand", dimension=2)
    m.revolute("O", "ground", m.body("hand"))
    m.motion("O", "step5(t, 0, 0, 1, 1) + step5(t, 1, 0, 2, 1)")
    return m


@pytest.mark.parametrize(
    ("begin", "end", "expected"),
    [(0, 2, [0, 1, 2]), (2, 0, [2, 1, 0]), (0, 1, [0, 1]), (1, 0, [1, 0]), (0, 1.5, [0, 1]), (1.5, 0, [1, 0])],
)
def test_each_instant_is_met_once(begin: float, end: float, expected: list[float]) -> None:
    found = SwitchingTimes(swinging()).on_the_way(float(begin), float(end), 50)
    assert [item.time for item in found] == expected


def test_kinematics_ends_where_its_motion_does() -> None:
    run = swinging().kinematics(until=2.0, steps=4)
    assert run.ok
    assert run["O"].values == pytest.approx([0, 0.5, 1, 1.5, 2])
