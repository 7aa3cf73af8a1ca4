"""Studies of driven mechanisms in specialized code: against closed forms, against the ordinary way, and what they refuse."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
import pytest

import multibody as mb
from multibody.errors import ModelError
from multibody.specialize.device import DeviceCode
from multibody.study.members import OrdinaryMembers, prepare
from multibody.study.specialized import SpecializedMembers, on_device

GRAVITY, UNTIL, STEPS = 9.81, 1.2, 30
ANGLE = "0.3 + w*t^2 + 0.1*sin(3*t) - t/5"  # of the rod from below
RICH = "exp(-w*t)*cos(2*t)/4 + atan2(t, 2 + t) + tanh(t)^3/7 + 0.1*sinh(t) - cosh(t)^2/30 + atan(w*t)"
OUTPUTS = {
    "kinematics": {
        "x": "max(rod.x)", "turned": "final(O)", "fast": "rms(O.rate)", "pull": "min(rod.y.acceleration)", "half": "at(0.6, O)",
    },
    "inverse": {
        "effort": "final(O.effort)", "most": "max(O.effort)", "pin": "final(norm(O.reaction.force))",
        "moving": "max(energy.kinetic)",
    },
}  # fmt: skip
VALUES = np.array([[1.0, 0.5, 2.0], [2.5, 0.5, 2.0], [2.5, 0.8, 1.0], [0.4, 1.1, 20.0]])
TIMES = np.linspace(0.0, UNTIL, STEPS + 1)
OPTIONS: dict[str, Any] = {"until": UNTIL, "steps": STEPS}


@functools.cache
def driven(kind: str = "one") -> mb.Model:
    """Return a rod on a pin, its center of mass l away, whose angle is a formula of time."""
    made = mb.Model("driven pendulum", dimension=2, gravity=(0, -GRAVITY))
    mass, length = made.parameter("m", 1.0, min=0.01), made.parameter("l", 0.5)
    made.parameter("w", 2.0)
    made.body("rod", mass=mass, inertia=0.1 * mass, frames={"pin": (0, length), "end": (0, -length)})
    made.revolute("O", made.ground, "rod.pin")
    made.motion("O", RICH if kind == "rich" else ANGLE)
    if kind == "two":
        made.body("tip", mass=1, inertia=0.1)
        made.revolute("Q", "rod.end", "tip")
        made.motion("Q", "t")
    if kind == "event":
        made.event("below", "O", direction="falling")
    return made


def ordinary(analysis: str, kind: str = "one", outputs: Any = None, **options: Any) -> OrdinaryMembers:
    """Return the members of a study by the ordinary way."""
    asked = OUTPUTS[analysis] if outputs is None else outputs
    return prepare(driven(kind), ["m", "l", "w"], asked, analysis, {**OPTIONS, **options}, None, False)


@functools.cache
def both(analysis: str) -> tuple[SpecializedMembers, Any]:
    """Return members in specialized code, and their outputs by the ordinary way."""
    members = ordinary(analysis)
    return on_device(members, "host", 0), members.compute(VALUES)


@pytest.mark.parametrize("analysis", list(OUTPUTS))
def test_equals_the_ordinary_way(analysis: str) -> None:
    members, wanted = both(analysis)
    found = members.compute(VALUES)
    assert not np.any(found.status) and not members.aside
    assert found.outputs == pytest.approx(wanted.outputs, rel=1e-12, abs=1e-12)


def test_closed_form_of_the_motion() -> None:
    found = both("kinematics")[0].compute(VALUES)
    for row, (_, l, w) in zip(found.outputs, VALUES, strict=True):
        numbers = dict(zip(OUTPUTS["kinematics"], row, strict=True))
        angle = 0.3 + w * TIMES**2 + 0.1 * np.sin(3 * TIMES) - TIMES / 5
        rate, bend = 2 * w * TIMES + 0.3 * np.cos(3 * TIMES) - 0.2, 2 * w - 0.9 * np.sin(3 * TIMES)
        assert numbers["turned"] == pytest.approx(angle[-1], rel=1e-10)
        assert numbers["half"] == pytest.approx(angle[STEPS // 2], rel=1e-10)
        assert numbers["x"] == pytest.approx(np.max(l * np.sin(angle)), rel=1e-10)
        assert numbers["pull"] == pytest.approx(np.min(l * (bend * np.sin(angle) + rate**2 * np.cos(angle))), rel=1e-10)
        mean = np.trapezoid(rate**2, TIMES) / UNTIL
        assert numbers["fast"] == pytest.approx(math.sqrt(mean), rel=1e-10)


def test_closed_form_of_the_effort() -> None:
    """J θ̈ + m g l sin θ turns the rod, and m (a − g) carries it."""
    found = both("inverse")[0].compute(VALUES)
    for row, (m, l, w) in zip(found.outputs, VALUES, strict=True):
        numbers = dict(zip(OUTPUTS["inverse"], row, strict=True))
        angle = 0.3 + w * TIMES**2 + 0.1 * np.sin(3 * TIMES) - TIMES / 5
        rate, bend, about = 2 * w * TIMES + 0.3 * np.cos(3 * TIMES) - 0.2, 2 * w - 0.9 * np.sin(3 * TIMES), 0.1 * m + m * l * l
        effort = about * bend + m * GRAVITY * l * np.sin(angle)
        assert numbers["effort"] == pytest.approx(effort[-1], rel=1e-9)
        assert numbers["most"] == pytest.approx(np.max(effort), rel=1e-9)
        along = m * (l * rate[-1] ** 2 + GRAVITY * math.cos(angle[-1]))
        across = m * (l * bend[-1] + GRAVITY * math.sin(angle[-1]))
        assert numbers["pin"] == pytest.approx(math.hypot(along, across), rel=1e-9)
        assert numbers["moving"] == pytest.approx(np.max(0.5 * about * rate**2), rel=1e-9)


def test_every_function_of_a_formula() -> None:
    """The programs of a motion are straight code: value, rate and acceleration against the formula itself."""
    members = ordinary("kinematics", "rich", ["final(O)", "final(O.rate)", "final(O.acceleration)"])
    found = on_device(members, "host", 0).compute(VALUES).outputs
    assert found == pytest.approx(members.compute(VALUES).outputs, rel=1e-12)
    for row, w in zip(found, VALUES[:, 2], strict=True):

        def angle(t: float, w: float = float(w)) -> float:
            first = math.exp(-w * t) * math.cos(2 * t) / 4 + math.atan2(t, 2 + t) + math.tanh(t) ** 3 / 7
            return first + 0.1 * math.sinh(t) - math.cosh(t) ** 2 / 30 + math.atan(w * t)

        h = 1e-3
        before, at, after = angle(UNTIL - h), angle(UNTIL), angle(UNTIL + h)
        assert row[0] == pytest.approx(at, rel=1e-10)
        assert row[1] == pytest.approx((after - before) / (2 * h), rel=1e-4)
        assert row[2] == pytest.approx((after - 2 * at + before) / h**2, rel=1e-3, abs=1e-3)


def test_a_member_goes_on_where_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    """With room for a few instants at a time, the path of a member is put away and fetched again."""
    from multibody.specialize import schedule

    members, wanted = both("kinematics")
    monkeypatch.setattr(schedule, "instants_in", lambda *lengths: 7)
    assert members.compute(VALUES).outputs == pytest.approx(wanted.outputs, rel=1e-12, abs=1e-12)


def test_a_member_that_turns_very_often_goes_the_ordinary_way() -> None:
    members = on_device(ordinary("kinematics"), "host", 0)
    assert not np.any(members.compute(np.array([[1.0, 0.5, 2.0], [1.0, 0.5, 20_000.0]])).status)
    assert members.compiled == 1 and members.aside == {"it does not fit the code": 1}


@pytest.mark.parametrize("analysis", list(OUTPUTS))
def test_on_a_device(monkeypatch: pytest.MonkeyPatch, analysis: str) -> None:
    """Whose memory and processor are the host's, and whose highest level is wrong."""
    from multibody.specialize import device
    from specialize.pretended import PretendedDevice, pretended_module

    members, wanted = both(analysis)
    code, reader = members.batch._host
    monkeypatch.setattr(device, "Module", pretended_module([code, reader], 3))
    made = DeviceCode("way", code, PretendedDevice(), ("readings", reader))  # type: ignore[arg-type]
    monkeypatch.setitem(members.batch.__dict__, "_device", made)
    monkeypatch.setattr(members, "device", "cuda")
    found = members.compute(np.tile(VALUES, (9, 1)))
    assert len(made.notes) == 1 and not made.driver.memory  # type: ignore[attr-defined]
    assert found.outputs == pytest.approx(np.tile(wanted.outputs, (9, 1)), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize(
    ("analysis", "options", "words"),
    [
        ("inverse", {"kind": "two"}, r"inverse is not made into specialized code here \(more than one motion or actuator\)"),
        ("inverse", {"outputs": ["final(energy.work)"]}, "work is not made in specialized code"),
        ("inverse", {"formulation": "recursive"}, r"\(formulation\)"),
        ("kinematics", {"kind": "event"}, r"\(events\)"),
        ("kinematics", {"until": "w"}, r"\(times that are formulas of parameters\)"),
        ("kinematics", {"outputs": ["at(0.61, O)"]}, "reads nothing at t = 0.61"),
    ],
)  # fmt: skip
def test_what_is_refused(analysis: str, options: dict[str, Any], words: str) -> None:
    members = ordinary(analysis, **options)
    with pytest.raises(ModelError, match=words):
        on_device(members, "host", 0)


@pytest.mark.parametrize("motion", ["abs(t - 0.5)", "step5(t, 0, 0, 0.5, 1)"])
def test_motions_that_switch_are_refused(motion: str) -> None:
    """At the instant of a switch results have the rates just behind it, which this code does not look for."""
    model = mb.Model("turned", dimension=2)
    model.parameter("l", 1.0)
    model.body("rod", mass=1, inertia=0.1, frames={"end": ("l", 0)})
    model.revolute("O", "ground", "rod")
    model.motion("O", motion)
    with pytest.raises(ModelError, match="motions that switch"):
        model.study({"l": [1.0, 1.1]}, "at(0.5, O.rate)", analysis="kinematics", until=1.0, steps=50, device="host")
