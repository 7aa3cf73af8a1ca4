"""Forces along the line between two points that coincide: no direction, no force; what vanishes with the length stays right."""

import numpy as np
import pytest

import multibody as mb

LAWS = [
    {"stiffness": 1000.0, "length": 0.5},
    {"damping": 40.0},
    {"force": 300.0},
    {"force": "200*cos(3*t) + 50*s.rate"},
]


def pendulum(dimension: int, law: dict[str, object] | None, away: float = 0.0, scale: float = 1.0) -> mb.Model:
    """Return a double pendulum in general position; with a law, a spring joins the two frames of its middle joint.

    `away` moves the whole model from the origin, `scale` is the number of length units in a meter.
    """
    planar = dimension == 2

    def point(*x: float) -> tuple[float, ...]:
        return tuple(scale * c for c in x[:dimension])

    m = mb.Model("z", dimension=dimension, gravity=point(1.3, -9.81, 2.1))
    m.frames(O=point(away, -2 * away, 0.5 * away))
    inertia = 0.1 * scale**2
    for name, end in (("a", (0.6, 0.2, 0.1)), ("b", (0.17, 0.23, 0.1))):
        m.body(name, mass=1, inertia=inertia if planar else (inertia,) * 3, com=point(0.3, 0.1, 0), frames={"e": point(*end)})
    joint = m.revolute if planar else m.spherical
    joint("O", "ground.O", "a")
    joint("A", "a.e", "b.e")
    if law is not None:
        # forces are in kg·(length unit)/s²: stiffness and damping are numbers of kg/s² and kg/s, a force grows with the unit
        of_length = {"length", "force"} if scale != 1.0 else set()
        m.spring("s", "a.e", "b.e", **{k: scale * v if k in of_length else v for k, v in law.items()})  # type: ignore[operator]
    if planar:
        m.initial({"O": 0.3, "A": -0.8, "O.rate": 2.0, "A.rate": -3.0})
    else:
        turned = {"O.rotation": {"rotvec": [0.3, 0.5, 0.2]}, "A.rotation": {"rotvec": [0.1, -0.5, 0.7]}}
        m.initial(turned | {"a.omega.x": 1.0, "b.omega.y": 2.0})
    return m


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("law", LAWS)
def test_a_spring_across_a_pin_does_nothing(dimension: int, law: dict[str, object]) -> None:
    """Reactions are those of the model without it, and its effort is zero."""
    plain, sprung = (pendulum(dimension, item).run(until=0.2, formulation="augmented") for item in (None, law))
    for path in ("A.reaction.force", "O.reaction.force"):
        assert sprung[path].attrs["unique"]
        np.testing.assert_allclose(sprung[path], plain[path], rtol=1e-6, atol=1e-6)
    assert float(abs(sprung["s.effort"]).max()) < 1e-6
    said = [note for note in sprung.notes if note.startswith("s: its two points coincide the whole time")]
    assert len(said) == ("damping" not in law)  # a damper needs no direction at rest
    assert np.all(np.isfinite(sprung["s.length.rate"])) and float(abs(sprung["s.length.acceleration"]).max()) == 0.0


@pytest.mark.parametrize("formulation", ["recursive", "articulated", "kane", "baumgarte"])
def test_a_spring_across_a_pin_does_nothing_in_every_formulation(formulation: str) -> None:
    """The points coincide to the tolerance of the formulation, not to the last digit."""
    run = pendulum(3, LAWS[0]).run(until=0.2, formulation=formulation, rtol=1e-6)
    plain = pendulum(3, None).run(until=0.2, formulation=formulation, rtol=1e-6)
    np.testing.assert_allclose(run["A.reaction.force"], plain["A.reaction.force"], rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(("away", "scale"), [(1e5, 1.0), (0.0, 1e3), (0.0, 1e-3), (1e4, 1e6)])
def test_far_from_the_origin_and_in_other_units(away: float, scale: float) -> None:
    """The threshold is a part of the model's own length, widened by the rounding of large coordinates."""
    plain, sprung = (pendulum(3, item, away, scale).run(until=0.05, formulation="recursive") for item in (None, LAWS[0]))
    np.testing.assert_allclose(sprung["A.reaction.force"], plain["A.reaction.force"], rtol=1e-6, atol=1e-5 * scale)


@pytest.mark.parametrize("dimension", [2, 3])
def test_statics_and_stops_at_coincident_points(dimension: int) -> None:
    """A lower stop on the length of a spring across a pin has no direction to push along either."""
    m = pendulum(dimension, LAWS[0])
    m.stop("end", "s", lower=0.2 if dimension == 2 else 0.3, stiffness=1e4)
    assert float(abs(m.run(until=0.05, formulation="augmented")["s.effort"]).max()) < 1e-6


@pytest.mark.parametrize("dimension", [2, 3])
def test_free_length_zero_passes_smoothly(dimension: int) -> None:
    """−k d is linear: a mass through its anchor swings as a sine, its modes there are √(k/m) in all directions."""
    planar = dimension == 2
    m = mb.Model("anchor", dimension=dimension)
    m.body("b", mass=2.0, inertia=0.1 if planar else (0.1, 0.1, 0.1))
    m.spring("s", "ground", "b", stiffness=8.0)
    found = m.modes()
    assert not [note for note in found.notes if "coincide" in note]
    rates = np.abs(found.eigenvalues)
    rates = rates[rates > 1e-6]
    np.testing.assert_allclose(rates, [2.0] * dimension, rtol=1e-9)
    m.initial({"b.x.rate": 1.0, "b.y.rate": -0.5})  # starts at the anchor itself
    run = m.run(until=4.0, rtol=1e-10)
    np.testing.assert_allclose(run["b.x"], np.sin(2 * run.time) / 2, atol=1e-8)
    np.testing.assert_allclose(run["b.y"], -np.sin(2 * run.time) / 4, atol=1e-8)


def test_stiff_integration_through_the_anchor() -> None:
    """The derivatives of the force are right there too: radau needs no more steps than where the anchor is not met."""
    steps = []
    for start in ((1.0, 0.0), (1.0, 0.7)):
        m = mb.Model("anchor", dimension=2)
        m.body("b", mass=2.0, inertia=0.1)
        m.spring("s", "ground", "b", stiffness=8.0)
        m.initial({"b.x": start[0], "b.y": start[1]})
        run = m.run(until=6.0, formulation="augmented", integrator="radau")
        assert run.ok
        np.testing.assert_allclose(run["b.x"], np.cos(2 * run.time), atol=1e-6)
        steps.append(run.statistics["steps"])
    assert steps[0] <= 1.3 * steps[1]


def test_a_distance_of_zero_is_refused_with_the_joint_that_does_it() -> None:
    """Also where the length is a formula."""
    m = mb.Model("d", dimension=2)
    m.body("b", mass=1, inertia=1)
    m.parameter("a", 2.0)
    m.distance("rod", "ground", "b", length="a - 2")
    with pytest.raises(mb.ModelError, match=r"not positive; a revolute joint keeps two points together"):
        m.check()


def test_modes_and_statics_name_a_line_without_direction() -> None:
    """With a free length the anchor is no equilibrium that could be linearized: said, not silent."""
    m = mb.Model("anchor", dimension=2)
    m.body("b", mass=2.0, inertia=0.1)
    m.spring("s", "ground", "b", stiffness=8.0, length=0.3)
    words = "s: its two points coincide at t = 0 s, where only what vanishes with the length acts"
    assert words in m.modes(at="initial").notes and words in m.statics().notes
