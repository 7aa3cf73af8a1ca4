"""Equilibria against closed forms: positions, reactions, stability; what is said where there is none."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import assume, given
from scipy.optimize import brentq

import multibody as mb
from across.properties.strategies import examples
from analyses.dynamics.random_models import Heavy, well_posed
from analyses.dynamics.test_random_models import heavies
from analyses.linear.models import catenary, hanging

G = 9.81
METHODS = ["newton", "relaxation"]


def rod(angle: float, gravity: float = G) -> mb.Model:
    """Return a rod of mass 2 with its center of mass at 0.4 on a pin."""
    m = mb.Model("rod", dimension=2, gravity=(0, -gravity) if gravity else None)
    m.body("rod", mass=2.0, inertia=0.1, com=(0.4, 0), frames={"tip": (0.8, 0)})
    m.revolute("O", m.ground, "rod")
    m.initial({"O": angle})
    return m


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("angle", [0.0, 1.5, -3.0, 2.8])
def test_a_rod_hangs_down(angle: float, method: str) -> None:
    found = rod(angle).statics(method=method)
    assert found.ok and found.stability == "stable" and found.residual < 1e-10
    assert np.cos(found["O"]) == pytest.approx(0.0, abs=1e-9) and np.sin(found["O"]) == pytest.approx(-1.0)
    assert found["O.reaction.force"] == pytest.approx([0.0, 2.0 * G], abs=1e-8)
    assert found.potential == pytest.approx(-2.0 * G * 0.4)


def test_a_rod_that_stands_is_unstable() -> None:
    found = rod(np.pi / 2).statics()
    assert found.ok and found.stability == "unstable" and found.iterations == 0
    assert found.directions == ["O +1"] and "slightest push" in found.status.advice


def test_nearest_finds_what_downhill_leaves() -> None:
    assert rod(1.4).statics(method="nearest").stability == "unstable"
    assert rod(1.4).statics().stability == "stable"


def test_reduced_stiffness_of_a_rod_on_a_pin() -> None:
    """The free direction is a unit vector over (δr/L, δθ): m g l over 1 + (l/L)²."""
    found = rod(-1.0).statics()
    length = found.tables.length
    assert found.eigenvalues == pytest.approx([2.0 * G * 0.4 / (1.0 + (0.4 / length) ** 2)], rel=1e-10)


def test_a_weight_on_a_spring() -> None:
    m = mb.Model("scale", gravity=(0, 0, -G))
    m.body("pan", mass=1.5, inertia=(0.1, 0.1, 0.1))
    m.translational("S", m.ground, "pan", axis=(0, 0, 1))
    m.effort("k", "S", stiffness=120.0)
    found = m.statics()
    assert found["S"] == pytest.approx(-1.5 * G / 120.0, rel=1e-12)
    assert found["k.effort"] == pytest.approx(1.5 * G) and found["S.reaction.force"] == pytest.approx([0, 0, 0], abs=1e-12)
    assert found.potential == pytest.approx(-0.5 * (1.5 * G) ** 2 / 120.0)
    run = m.run(0.5, initial=found.state)
    assert np.max(np.abs(run["S.rate"].values)) < 1e-9


@pytest.mark.parametrize("method", METHODS)
def test_a_hanging_chain_of_links(method: str) -> None:
    """Between two supports: the horizontal force is the same in all pins, tan θ is the vertical force in the middle over it."""
    n, span, link, mass = 12, 0.8, 0.1, 0.3
    found = hanging(n, span, link, mass).statics(method=method)
    assert found.ok and found.stability == "stable"
    angles, pull = catenary(n, span, link, mass * G)
    computed = np.array([found[f"link{k}.angle"] for k in range(1, n + 1)])
    assert computed == pytest.approx(angles, abs=1e-7)
    assert found["P1.reaction.force.x"] == pytest.approx(-pull, rel=1e-7)
    assert found["P1.reaction.force.y"] == pytest.approx(0.5 * n * mass * G, rel=1e-8)


@pytest.mark.parametrize("load", [0.8, 0.99, 1.01, 1.6])
def test_buckling_of_a_column(load: float) -> None:
    """A rigid column on a torsion spring under a dead load: P l sin θ = k θ beyond the critical load k/l."""
    k, length = 40.0, 0.5
    m = mb.Model("column", dimension=2)
    m.body("column", frames={"top": (0, length)})
    m.revolute("O", m.ground, "column")
    m.effort("spring", "O", stiffness=k)
    m.force("weight", "column.top", value=(0, -load * k / length))
    straight = m.statics()
    assert straight["O"] == 0.0 and straight.stability == ("stable" if load < 1.0 else "unstable")
    m.initial({"O": 0.05})
    found = m.statics()
    assert found.ok and found.stability == "stable"
    exact = brentq(lambda x: load * np.sin(x) - x, 0.1, 3.0) if load > 1.0 else 0.0
    assert found["O"] == pytest.approx(exact, abs=1e-7)


def test_a_truss_snaps_through() -> None:
    """Two springs to a middle mass (von Mises): beyond the limit load only the lower position is left."""
    k, half, height = 1000.0, 1.0, 0.2
    free = np.hypot(half, height)

    def force(y: float) -> float:  # upward force that holds the middle at height y
        length = np.hypot(half, y)
        return float(2 * k * (length - free) * y / length)

    heights = np.linspace(0.0, height, 2001)
    limit = -min(force(y) for y in heights)
    for part in (0.6, 1.2):
        m = mb.Model("truss", dimension=2)
        m.frames(left=(-half, 0), right=(half, 0))
        m.body("middle", at=(0, height))
        m.translational("S", m.ground, "middle", at=(0, 0), axis=(0, 1))
        for side in ("left", "right"):
            m.spring(side[0], f"ground.{side}", "middle", stiffness=k, length=free)
        m.force("load", "middle", value=(0, -part * limit))
        found = m.statics()
        low, high = (0.15, height) if part < 1.0 else (-0.5, -height)
        exact = brentq(lambda y: force(y) + part * limit, low, high)  # noqa: B023
        assert found.ok and found.stability == "stable" and found["middle.y"] == pytest.approx(exact, abs=1e-9)


def test_a_ladder_against_a_wall_with_a_rope() -> None:
    """Statics of Varignon: N = W cot α / 2 at the wall, tension of the rope the same."""
    length, weight, foot = 2.0, 50.0, 0.9
    alpha = np.arccos(foot / length)
    m = mb.Model("ladder", dimension=2, gravity=(0, -weight))
    m.body("ladder", mass=1.0, com=(length / 2, 0), frames={"foot": (0, 0), "head": (length, 0)})
    m.point_on_line("wall", m.ground, "ladder.head", axis=(0, 1))
    m.point_on_line("floor", m.ground, "ladder.foot", axis=(1, 0))
    m.distance("rope", m.ground, "ladder.foot", length=foot)
    m.initial(guess={"ladder.angle": float(np.pi - alpha), "ladder.x": foot / 2, "ladder.y": 0.8})
    found = m.statics()
    assert found.ok and found.stability == "rigid"
    push = 0.5 * weight / np.tan(alpha)
    assert abs(found["wall.reaction.force.x"]) == pytest.approx(push) and abs(found["floor.reaction.force.y"]) == pytest.approx(
        weight
    )
    assert abs(found["rope.reaction.force.x"]) == pytest.approx(push)


def test_a_door_on_two_hinges() -> None:
    """Redundant hinges share the weight; what does not depend on how is exact: forces across, and the sum along."""
    m = mb.Model("door", gravity=(0, 0, -G))
    m.body("door", mass=10.0, inertia=(1.0, 1.0, 1.0), com=(0.4, 0, 0), frames={"low": (0, 0, -0.7), "high": (0, 0, 0.7)})
    m.frames(low=(0, 0, -0.7), high=(0, 0, 0.7))
    for end in ("low", "high"):
        m.revolute(end, f"ground.{end}", f"door.{end}")
    found = m.statics()
    assert found.ok and found.stability == "indifferent" and "high" in found.directions[0]
    low, high = found["low.reaction.force"], found["high.reaction.force"]
    assert low + high == pytest.approx([0, 0, 10 * G], abs=1e-9)
    assert not found.reactions(["low"])["low"]["unique"]
    moments = found["low.reaction.moment"] + found["high.reaction.moment"]
    about = moments + np.cross([0, 0, -0.7], low) + np.cross([0, 0, 0.7], high)
    assert about == pytest.approx(np.cross([0.4, 0, 0], [0, 0, 10 * G]), abs=1e-9)


def test_motions_are_held() -> None:
    m = rod(0.3)
    m.motion("O", "0.3 + 2*t")
    found = m.statics(t=0.5)
    assert found.ok and found.stability == "rigid" and found["O"] == pytest.approx(1.3)
    assert found["O.effort"] == pytest.approx(2.0 * G * 0.4 * np.cos(1.3)) and found["O.rate"] == 0.0
    assert "motions are held at t = 0.5" in found.notes


def test_a_weight_on_a_stop() -> None:
    m = mb.Model("rest", dimension=2, gravity=(0, -G))
    m.body("block", mass=2.0, inertia=0.1)
    m.translational("S", m.ground, "block", axis=(0, 1))
    m.stop("floor", "S", lower=0.0, stiffness=1e5)
    m.initial({"S": 0.3})
    found = m.statics()
    assert found.ok and found.stability == "stable"
    assert found["floor.effort"] == pytest.approx(2.0 * G, rel=1e-9) and -1e-3 < found["S"] < 0.0


def test_no_mass_is_needed_without_gravity() -> None:
    m = mb.Model("lever", dimension=2)
    m.body("lever", frames={"a": (-0.3, 0), "b": (0.6, 0)})
    m.revolute("O", m.ground, "lever")
    m.effort("k", "O", stiffness=5.0)
    m.force("push", "lever.b", value=(0, 2.0))
    found = m.statics()
    assert 5.0 * found["O"] == pytest.approx(2.0 * 0.6 * np.cos(found["O"]), rel=1e-10)
    assert "gravity: none" in found.notes


@pytest.mark.parametrize("push", [0.5, 1.9, 3.0])
def test_a_follower_force_has_no_potential(push: float) -> None:
    """Ziegler's column: the stiffness is asymmetric; it never buckles, but flutters where two frequencies have met."""
    m = mb.Model("ziegler", dimension=2)
    m.body("a", mass=1.0, inertia=0.0, com=(0, 1), frames={"top": (0, 1)})
    m.body("b", mass=1.0, inertia=0.0, com=(0, 1), frames={"top": (0, 1)}, at=(0, 1))
    m.revolute("A", m.ground, "a")
    m.revolute("B", "a.top", "b")
    for joint in ("A", "B"):
        m.effort(f"k{joint}", joint, stiffness=1.0)
    m.force("jet", "b.top", value=(0, -push), axes="body")
    found = m.statics()
    assert found.ok and any("without a potential" in note for note in found.notes)
    M, K = np.array([[2.0, 1.0], [1.0, 1.0]]), np.array([[2.0 - push, push - 1.0], [-1.0, 1.0]])  # absolute angles
    squares = np.linalg.eigvals(-np.linalg.solve(M, K)).astype(complex)
    exact = np.concatenate([np.sqrt(squares), -np.sqrt(squares)])
    modes = m.modes()
    computed = np.concatenate([modes.eigenvalues, modes.eigenvalues.conj()])
    assert len(modes) == 2 and max(np.min(np.abs(exact - x)) for x in computed) < 1e-9
    assert modes.stable == (push < 2.0)


@pytest.mark.parametrize("name", ["four-bar", "iftomm-andrews", "iftomm-bricard", "spatial-four-bar", "rrc-arm"])
def test_the_library_stays_at_rest(name: str) -> None:
    model = mb.load(name)
    found = model.statics()
    assert found.ok and found.stability == "stable"
    other = model.statics(method="relaxation")
    assert other.ok and other.stability == "stable" and other.potential == pytest.approx(found.potential, rel=1e-6, abs=1e-9)
    if not model.motions:
        run = model.run(1e-3, initial=found.state, output_step=1e-3)
        size = max(G, float(np.max(np.abs(model.run(1e-3, output_step=1e-3).motion.a[0]))))
        assert np.max(np.abs(run.motion.a[0])) < 1e-6 * size


@examples(12)
@given(heavies(3))
def test_random_mechanisms_find_rest(heavy: Heavy) -> None:
    """Where an equilibrium is found, nothing accelerates; where none is, something that nothing holds is named."""
    assume(well_posed(heavy))
    model = heavy.model()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        found = model.statics()
    if not found.ok:
        assert found.status.worst in model.bodies and found.status.gap > 0.0
        return
    assert found.stability in ("stable", "indifferent", "rigid")
    from dataclasses import replace

    exact, _ = heavy.accelerations(model, replace(found.state, v=np.zeros_like(found.state.v)))
    assert np.max(np.abs(exact)) < 1e-6


# --- what cannot be found -----------------------------------------------------------------------------------------------
def test_a_free_direction_is_named() -> None:
    m = mb.Model("free", dimension=2, gravity=(0, -G))
    m.body("slider", mass=1.0, inertia=0.1)
    m.translational("S", m.ground, "slider", axis=(1, 0))
    found = m.statics()
    assert found.ok and found.stability == "indifferent" and found.directions == ["S +1"]
    assert found.status.advice.startswith("nothing holds S +1")


@pytest.mark.parametrize("method", METHODS)
def test_what_nothing_holds_is_named(method: str) -> None:
    m = mb.Model("falling", dimension=2, gravity=(0, -G))
    m.body("slider", mass=1.0, inertia=0.1)
    m.translational("S", m.ground, "slider", axis=(0, 1))
    with pytest.warns(RuntimeWarning, match='"slider"'):
        found = m.statics(method=method)
    assert not found.ok and found.stability == "" and found.status.worst == "slider"
    assert found.status.gap == pytest.approx(G, rel=1e-6)
    assert found["slider.x"] == 0.0  # what there is can be read


def test_a_force_that_no_position_balances() -> None:
    m = rod(0.0, gravity=0.0)
    m.effort("motor", "O", value="3 + sin(O)")
    with pytest.warns(RuntimeWarning, match="no equilibrium"):
        found = m.statics()
    assert not found.ok and "O +1" in found.status.message + found.status.advice


def test_a_mechanism_that_does_not_close() -> None:
    m = mb.Model("open", dimension=2)
    m.body("bar", frames={"end": (1, 0)})
    m.revolute("O", m.ground, "bar")
    m.distance("D", m.ground, "bar.end", length=3.0)
    with pytest.warns(RuntimeWarning, match="cannot close"):
        found = m.statics()
    assert not found.ok and found.iterations == 0 and found.plain()["stability"] is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "newtn"}, 'unknown method "newtn"; did you mean "newton"'),
        ({"tolerance": 0.0}, "tolerance is 0"),
        ({"tolerance": 2.0}, "between 0 and 1"),
    ],
)
def test_bad_options(options: dict[str, object], message: str) -> None:
    with pytest.raises(mb.ModelError, match=message):
        rod(0.0).statics(**options)  # type: ignore[arg-type]


def test_a_body_without_mass_under_gravity_is_named() -> None:
    m = mb.Model("bare", dimension=2, gravity=(0, -1))
    m.body("bar")
    m.revolute("O", m.ground, "bar")
    with pytest.raises(mb.ModelError, match='body "bar": it has no mass, and gravity acts'):
        m.statics()


def test_plain_and_text() -> None:
    found = rod(-1.0).statics()
    plain = found.plain("SI")
    assert plain["stability"] == "stable" and plain["reactions"]["O"]["force"][1] == pytest.approx(2.0 * G)
    assert plain["final"]["joints"]["O"]["rates"] == [0.0]
    assert "stable equilibrium" in str(found) and "rad" in str(found) and "<Equilibrium" in repr(found)
