"""Events on forces are located in results; a comparison means the instant at which it becomes true."""

import math

import pytest

import multibody as mb


def pendulum() -> mb.Model:
    m = mb.Model("pendulum", dimension=2, gravity=(0, -9.81))
    m.body("rod", mass=2, inertia=0.0, com=(1, 0))
    m.revolute("O", "ground", "rod")
    return m


def test_an_event_on_a_reaction() -> None:
    """A point mass that falls from the horizontal: the pull is 3 m g sin φ, φ counted downward."""
    m = pendulum()
    m.event("taut", "norm(O.reaction.force) > 30")
    m.event("slack", "norm(O.reaction.force) < 30")
    m.event("power", "O.rate^2 + O")
    run = m.run(1.0)
    phi = math.asin(30 / (3 * 2 * 9.81))
    taut, slack = (next(e for e in run.events if e.name == name) for name in ("taut", "slack"))
    assert run.at(taut.time)["O"] == pytest.approx(-phi, abs=1e-7)
    assert run.at(slack.time)["O"] == pytest.approx(-(math.pi - phi), abs=1e-7)
    assert taut.q[2] == pytest.approx(-phi, abs=1e-7) and not taut.terminal
    assert [e.time for e in run.events] == sorted(e.time for e in run.events)
    assert {e["name"] for e in run.plain()["events"]} >= {"taut", "slack"}


def test_events_on_outputs_and_accelerations() -> None:
    m = pendulum()
    m.output("work", "2*9.81*rod.y")
    m.event("low", "work + 10")
    m.event("turning", "O.acceleration")
    run = m.run(1.0)
    times = {e.name: e.time for e in run.events}
    assert run.at(times["low"])["rod.y"] == pytest.approx(-10 / (2 * 9.81), abs=1e-9)
    assert run.at(times["turning"])["O"] == pytest.approx(-math.pi / 2, abs=1e-7)


def test_a_driven_model_too() -> None:
    m = pendulum()
    m.motion("O", "3*t")
    m.event("pull", "O.effort < 0")
    m.event("late", "O > 3", terminal=True)
    run = m.run(2.0)
    assert run.time[-1] == pytest.approx(1.0)
    assert [e.time for e in run.events if e.name == "pull"] == pytest.approx([math.pi / 6], abs=1e-9)
    moved = m.kinematics(2.0)
    assert [e.name for e in moved.events] == ["late"]
    assert any('event "pull" needs forces' in note for note in moved.notes)
    with pytest.raises(mb.ModelError, match="determine everything"):
        m.simulator()


@pytest.mark.parametrize(
    ("when", "rises"), [("O.rate < -2", True), ("-2 > O.rate", True), ("O.rate >= -2", False), ("O.rate == -2", True)]
)
def test_a_comparison_means_when_it_becomes_true(when: str, rises: bool) -> None:
    m = pendulum()
    m.event("fast", when)
    run = m.run(1.0)
    signs = [run.at(min(e.time + 1e-6, 1.0))["O.rate"] < -2 for e in run.events]
    assert len(run.events) >= 1
    assert signs[0] is rises


def test_what_cannot_be_an_event() -> None:
    m = pendulum()
    m.event("taut", "norm(O.reaction.force) > 30", terminal=True)
    with pytest.raises(mb.ModelError, match='event "taut": it names what only results know, so it cannot end a run'):
        m.run(1.0)
    m = pendulum()
    m.event("not", "O != 1")
    with pytest.raises(mb.ModelError, match="write when the two are equal"):
        m.run(1.0)
    m = pendulum()
    m.event("pull", "norm(O.reaction.force) - 30")
    assert any("a simulator does not see it" in note for note in m.simulator().notes)


def test_events_of_a_run_that_keeps_nothing_between_its_instants() -> None:
    m = pendulum()
    m.event("past", "O + 1")
    m.event("taut", "norm(O.reaction.force) > 30")
    run, whole = m.run(1.0, dense=False), m.run(1.0)
    assert run.ok and len(run.time) == 2
    assert [e.time for e in run.events if e.name == "past"] == pytest.approx([e.time for e in whole.events if e.name == "past"])
    assert run["O"].values[-1] == pytest.approx(whole["O"].values[-1])
    assert all(row.success for row in m.compare(0.8, formulations=["kane"], repeats=2).rows)
