"""Watched expressions: events and the switching points of forces and motions, at a state (q, v, w)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kernels.differences import Floats
from multibody.errors import ModelError
from multibody.kernels.arrays import Arrays
from multibody.kernels.calls import address_of
from multibody.kernels.declared import State
from multibody.kernels.watch import monitor
from multibody.model.model import Model
from multibody.state.system import System, tables_of
from multibody.tables.watches import Watch


def arm(dimension: int = 2) -> Model:
    """Return a rod on a hinge; its states here need not satisfy the hinge."""
    model = Model("arm", dimension=dimension)
    model.parameter("level", 0.25)
    model.body("rod", mass=1, inertia=1 if dimension == 2 else (1, 2, 3), frames={"tip": (1, 0, 0)[:dimension]})
    model.revolute("O", "ground", "rod")
    return model


def watched(model: Model, q: Any, v: Any, t: float) -> Floats:
    """Return the values of all watched expressions."""
    system = System(tables_of(model))
    out = np.full(len(system.model.watches), np.nan)
    y = np.array([*q, *v, 7.0])
    assert monitor(*system.run, t, y, out) == 0
    return out


def test_events_come_first_with_what_their_zeros_do() -> None:
    model = arm()
    model.effort("push", "O", value="if(t < 2, 3, 1) + abs(O.rate)")
    model.event("high", "rod.tip.y - level", terminal=True, direction="rising")
    model.event("turn", "O.rate", direction=-1)
    model.event("pass", "O - 2*t")
    found = tables_of(model).watches
    assert found[:3] == [
        Watch("high", "event", True, 1),
        Watch("turn", "event", False, -1),
        Watch("pass", "event", False, 0),
    ]
    assert found[3:] == [Watch("push", "switch", False, 0)] * 2
    q, v = (0.1, 0.2, 0.5), (0.3, -0.4, 1.5)
    expected = [0.2 + np.sin(0.5) - 0.25, 1.5, 0.5 - 2 * 0.7, 0.7 - 2, 1.5]
    assert sorted(watched(model, q, v, 0.7)) == pytest.approx(sorted(expected))
    assert watched(model, q, v, 0.7)[:3] == pytest.approx(expected[:3])


def test_angular_velocities_and_loads_in_space() -> None:
    model = arm(3)
    model.event("spin", "rod.omega.y - 2*rod.tip.z.rate")
    model.force("gust", "rod.tip", value=("max(rod.omega.x, 0.5)", 0, "step(t, 0, 0, 1, 5)"))
    half = np.sqrt(0.5)
    q, v = (0, 0, 0, half, 0, 0, half), (0.1, 0.2, 0.3, 1.0, 2.0, 3.0)  # a quarter turn about z: ω = (−2, 1, 3)
    tip_rate = 0.3 - 2.0  # ż + ω_x, with the tip at (0, 1, 0) from the center of mass
    values = watched(model, q, v, 0.4)
    assert values[0] == pytest.approx(1.0 - 2 * tip_rate)
    assert sorted(values[1:]) == pytest.approx(sorted([-2.5, 0.4, -0.6]))


def test_motions_switch_in_time_and_each_point_is_watched_once() -> None:
    model = arm()
    model.motion("O", "if(t < level, 0, t - level)")
    model.effort("a", "O", value="sign(rod.x)*3")
    model.effort("b", "rod.x", value="2*abs(rod.x)")
    model.friction("c", "O", coulomb=0.3, load="2 - rod.y")
    found = tables_of(model).watches
    assert sorted(watch.name for watch in found) == ["O", "a", "c"]
    values = dict(zip((watch.name for watch in found), watched(model, (0.3, -0.2, 0.1), (0, 0, 0), 1.0), strict=True))
    assert values == pytest.approx({"O": 0.75, "a": 0.3, "c": 2.2})


def test_what_depends_on_parameters_alone_is_not_watched() -> None:
    model = arm()
    model.effort("a", "O", value="if(level > 0, 3, 1)*t")
    assert tables_of(model).watches == []
    assert len(tables_of(model).packed.watches) == 0


def test_parameters_of_events_change_without_a_new_lowering() -> None:
    model = arm()
    model.event("high", "rod.y - level")
    tables = tables_of(model)
    changed = tables.with_parameters({"level": 3.0}, model)
    out = np.zeros(1)
    y = np.array([0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    arrays = Arrays(changed.packed, State(ref=9))
    monitor(*arrays.run, 0.0, y, out)
    assert out[0] == pytest.approx(-2.0)


def test_integrators_reach_it_by_its_address() -> None:
    assert address_of(monitor, planar=False) != 0


@pytest.mark.parametrize(
    ("when", "options", "message"),
    [
        ("level - 1", {}, "it never changes; write an expression of t, coordinates or rates"),
        ("O", {"terminl": True}, 'unknown field "terminl"; did you mean "terminal"'),
        ("O", {"terminal": 1}, "1 is not true or false"),
        ("O", {"direction": "up"}, "unknown direction 'up'; it is rising, falling or both"),
        ("O", {"direction": 2}, "unknown direction 2"),
    ],
)
def test_bad_events(when: str, options: dict[str, Any], message: str) -> None:
    model = arm()
    with pytest.raises(ModelError) as caught:
        model.event("e", when, **options)
        tables_of(model)
    assert message in str(caught.value)
