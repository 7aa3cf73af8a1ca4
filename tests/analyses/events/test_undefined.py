"""Formulas without a finite value are named with their time, in every verb; nothing is called a lock-up."""

from __future__ import annotations

import pytest

import multibody as mb


def links(count: int = 2) -> mb.Model:
    """Return a pendulum of one or two links."""
    m = mb.Model("links", dimension=2, gravity=(0, -9.81))
    m.body("a", mass=1, inertia=0.1, com=(0.5, 0), frames={"e": (1, 0)})
    m.revolute("O", "ground", "a")
    if count == 2:
        m.body("b", mass=1, inertia=0.1, com=(0.5, 0))
        m.revolute("Q", "a.e", "b")
    return m


POLES = [
    ("1/(t - 0.5)", "it grows"),
    ("sqrt(0.5 - t)", "its rate grows"),
    ("0.1*log(0.5 - t)", "it"),
    ("0.2*(0.5 - t)^-0.5", "it grows"),
]
FORCES = [("sqrt(0.5 - t)", "no finite value"), ("1/(t - 0.5)", "beyond all bounds"), ("log(O)", "no finite value")]


@pytest.mark.parametrize(("motion", "what"), POLES)
@pytest.mark.parametrize("formulation", ["augmented", "recursive", "parametric"])
def test_a_motion_with_a_pole_ends_a_run_by_name(motion, what, formulation):
    m = links()
    m.motion("O", motion)
    with pytest.warns(RuntimeWarning, match=r'motion "O": it.* beyond all bounds at t = 0\.5'):
        r = m.run(until=1, formulation=formulation)
    assert not r.ok
    assert r.status.message.startswith(f'motion "O": {what}')
    assert 0.49 < r.time[-1] <= 0.5
    assert r.statistics["steps"] < 20_000


@pytest.mark.parametrize(("motion", "what"), POLES)
@pytest.mark.parametrize("verb", ["kinematics", "run", "inverse"])
def test_a_motion_with_a_pole_is_no_lock_up(motion, what, verb):
    m = links(1)
    m.motion("O", motion)
    with pytest.warns(RuntimeWarning, match=r'motion "O": it.* beyond all bounds at t = 0\.5'):
        found = getattr(m, verb)(until=1)
    assert not found.ok
    assert "locked" not in found.status.message


def test_a_pole_that_is_not_reached_is_none():
    m = links()
    m.motion("O", "1/(t - 2) + sqrt(3 - t)")
    assert m.run(until=1).ok


def test_forces_without_a_value_are_named():
    for value, words in FORCES:
        m = links()
        m.effort("F", "O", value=value)
        with pytest.warns(RuntimeWarning, match=rf'effort "F": .*{words}'):
            assert not m.run(until=1).ok
    m = links()
    m.force("push", "b", value=("sqrt(0.5 - t)", 0))
    with pytest.warns(RuntimeWarning, match=r'force "push": it has no finite value at or behind t = 0\.5'):
        m.run(until=1)


@pytest.mark.parametrize("verb", ["statics", "modes"])
def test_forces_without_a_value_in_statics(verb):
    m = links()
    m.effort("F", "O", value="log(O)")
    with pytest.raises(mb.ModelError, match='force "F": it is not a finite number at t = 0'):
        getattr(m, verb)()
    with pytest.raises(mb.ModelError, match='force "F": it is not a finite number at t = 0'):
        m.reactions(at=0.0)


@pytest.mark.parametrize("verb", ["assemble", "check", "run", "kinematics", "inverse", "statics", "modes"])
def test_couplers_and_motions_without_a_value_at_the_start(verb):
    options = {"until": 1} if verb in ("run", "kinematics", "inverse") else {}
    m = links()
    m.coupler("K", "Q - sqrt(O - 5)")
    with pytest.raises(mb.ModelError, match=r'"K": it has no finite value where assembly looked at t = 0'):
        getattr(m, verb)(**options)
    m = links(1)
    m.motion("O", "log(t)")
    with pytest.raises(mb.ModelError, match=r'motion "O": it is not a finite number at t = 0'):
        getattr(m, verb)(**options)
    m = links(1)
    m.motion("O", "sqrt(t)")
    with pytest.raises(mb.ModelError, match=r'motion "O": its rate is not a finite number at t = 0'):
        getattr(m, verb)(**options)


def test_events_without_a_value_and_poles_of_events():
    m = links()
    m.event("E", "sqrt(O - 5)")
    r = m.run(until=1)
    assert r.ok
    assert any('event "E": it has no finite value at t = 0' in note for note in r.notes)
    m = links()
    m.event("P", "1/(O + 0.5)")
    m.event("Z", "O + 0.5")
    r = m.run(until=1)
    assert {e.name for e in r.events} == {"Z"}
    assert any('event "P": it has a pole at t = ' in note for note in r.notes)
