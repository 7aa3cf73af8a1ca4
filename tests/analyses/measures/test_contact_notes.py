"""Notes about one-sided contact: a cam that would have to pull, a stop that is not left, with their times."""

import numpy as np
import pytest

import multibody as mb
from multibody.analyses.measures.contact import intervals, normal_force

G = 9.81


def valve(omega: float, *, dimension: int = 2, follower: dict[str, object] | None = None, preload: float = 0.0) -> mb.Model:
    """Return a cam whose follower moves as y = base + lift (1 − cos φ)/2 (plus a roller's radius at rest)."""
    up = (0.0, 1.0) if dimension == 2 else (0.0, 1.0, 0.0)
    m = mb.Model("valve", dimension=dimension, gravity=tuple(-G * x for x in up))
    inertia = 1e-4 if dimension == 2 else (1e-4, 1e-4, 1e-4)
    m.body("cam", mass=0.5, inertia=inertia)
    m.body("follower", mass=0.2, inertia=inertia)
    m.revolute("O", m.ground, "cam")
    m.translational("guide", m.ground, "follower", axis=up)
    kind: dict[str, object] = {"roller": 0.008} if follower is None else follower
    m.cam("touch", "cam", "follower", profile="0.03 + 0.002*cos(2*phi)", **kind)  # type: ignore[arg-type]
    if preload:
        m.force("press", "follower", value=tuple(-preload * x for x in up))
    m.motion("O", f"{omega}*t")
    m.initial(guess={"guide": 0.038, "touch": "pi/2"})
    return m


FLAT = {"flat": (0, 1)}


@pytest.mark.parametrize("follower", [None, {}, FLAT])
def test_a_cam_that_pulls_says_when(follower: dict[str, object] | None) -> None:
    """N = m (a + g) along the guide; its sign changes where the follower's acceleration passes −g."""
    m = valve(60.0, follower=follower)
    run = m.run(until=0.1, output_step=1e-4)
    need = 0.2 * (run["follower.y.acceleration"].values + G)  # what the contact gives along the guide
    assert np.all(np.sign(normal_force(run.measurer.forces, "touch")) == np.sign(need))
    pulls = np.flatnonzero(need < 0)
    (note,) = (text for text in run.notes if text.startswith("touch"))
    start = float(note.split("from t = ")[1].split()[0])
    assert run.time[pulls[0] - 1] <= start <= run.time[pulls[0]] if pulls[0] else start == 0.0
    assert "more interval" in note and "lifts off" in note and " N)" in note
    assert note in m.inverse(until=0.1, steps=1000).notes
    assert note in run.plain()["notes"]


def test_a_cam_that_pushes_says_nothing() -> None:
    """Slowly, or pressed on."""
    assert not [text for text in valve(3.0).run(until=1.0).notes if "touch" in text]
    assert not [text for text in valve(60.0, preload=60.0).run(until=0.1).notes if "touch" in text]


def test_in_space_and_at_rest() -> None:
    """The normal turns with the cam's frame; an equilibrium has the note too."""
    spatial = valve(60.0, dimension=3).run(until=0.1, output_step=1e-4)
    planar = valve(60.0).run(until=0.1, output_step=1e-4)
    force = normal_force(spatial.measurer.forces, "touch")
    np.testing.assert_allclose(force, normal_force(planar.measurer.forces, "touch"), rtol=1e-6, atol=1e-9)
    m = valve(0.0, preload=-5.0)  # lifted at rest
    (note,) = (text for text in m.statics().notes if text.startswith("touch"))
    assert "at t = 0 s" in note


def arm(lower: float) -> mb.Model:
    """Return an arm that falls onto a stop."""
    m = mb.Model("arm", dimension=2, gravity=(0, -G))
    m.body("rod", mass=1.0, inertia=0.02, com=(0.3, 0))
    m.revolute("O", m.ground, "rod")
    m.stop("rest", "O", lower=lower, stiffness=800, damping=20, smooth=0.01)
    m.initial({"O": 0.0})
    return m


def test_a_stop_that_is_not_left_any_more() -> None:
    """With the time from which on it is pressed; the whole time where the start lies beyond the limit."""
    run = arm(-0.5).run(until=3.0, output_step=1e-3)
    beyond = np.flatnonzero(run["O"].values >= -0.5)
    (note,) = (text for text in run.notes if text.startswith("rest"))
    start = float(note.split("from t = ")[1].split()[0])
    assert run.time[beyond[-1]] <= start <= run.time[beyond[-1] + 1] and note.endswith("to the end")
    assert '"O" stays beyond the lower limit the whole time' in arm(0.4).run(until=0.01).notes[-1]
    assert '"O" begins beyond the lower limit, until t = 0.' in arm(0.4).run(until=1.0).notes[0]
    assert not [text for text in arm(-3.0).run(until=0.2).notes if text.startswith("rest")]


def test_intervals_end_where_the_value_crosses_zero() -> None:
    """Also at the first and the last instant, and for one instant alone."""
    t = np.linspace(0.0, 2.0, 2001)
    found = intervals(t, np.cos(2 * np.pi * t), 1e-9)
    np.testing.assert_allclose([(x.start, x.end) for x in found], [(0.25, 0.75), (1.25, 1.75)], atol=1e-6)
    (whole,) = intervals(t, -np.ones_like(t), 0.0)
    assert (whole.start, whole.end, whole.open_end) == (0.0, 2.0, True)
    assert intervals(t, np.full_like(t, -1e-12), 1e-9) == []
    assert intervals(np.array([1.0]), np.array([-1.0]), 0.0)[0].start == 1.0
    assert intervals(t, np.full_like(t, np.nan), 0.0) == []
