"""Lists of events print as tables."""

from __future__ import annotations

import multibody as mb


def bouncing(until: float = 2.0) -> mb.Run:
    m = mb.Model("swing", dimension=2, gravity=(0, -9.81))
    m.body("a", mass=1.0, inertia=0.1, com=(0.5, 0))
    m.revolute("O", m.ground, "a")
    m.event("lowest", "O + pi/2")
    m.initial({"O": -0.5})
    return m.run(until)


def test_events_print_as_a_table() -> None:
    run = bouncing(20.0)
    text = repr(run.events)
    lines = text.splitlines()
    assert lines[0] == f"{len(run.events)} events"
    assert lines[1].split() == ["time", "event"]
    assert lines[2].split() == [f"{run.events[0].time:.6g}", "lowest"]
    assert f"{len(run.events) - 12} more" in text
    assert len(text) < 500
    assert len(lines) == 15


def test_a_part_prints_as_one_too_and_none_in_words() -> None:
    events = bouncing().events
    assert repr(events[:1]).startswith("1 event\n")
    assert repr(events[:0]) == "no events"
    assert isinstance(events, list)
    assert events[0].q.shape == (3,)
