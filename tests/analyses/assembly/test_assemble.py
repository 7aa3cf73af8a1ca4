"""Assembly: closed poses from disturbed starts, held values, weights, impossible lengths, rates, and all branches."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from scipy.spatial.transform import Rotation

import multibody as mb
from across.properties.strategies import (
    Mechanism,
    drawn_state,
    driven,
    examples,
    joint_jacobian,
    rank,
    regularity,
    seeds,
    single_loops,
    trees,
)
from multibody.analyses.assembly.assemble import CLOSED
from multibody.state.poses import drawn_pose
from multibody.state.state import State, Status
from multibody.state.system import Floats, System, tables_of

LINKS = ("revolute", "translational", "fixed")
CHAIN = ("revolute", "translational", "cylindrical", "screw", "universal", "spherical", "planar", "fixed")


def e(angle: float) -> Floats:
    return np.array([math.cos(angle), math.sin(angle)])


def violation(state: State) -> float:
    """Return the largest scaled residual over joints, motions and held values."""
    system = System(state.tables)
    system.ref[:] = state.references
    values = system.phi(state.q, state.t, 0, system.all_rows) * system.scale_rows
    return float(np.max(np.abs(values), initial=0.0))


def four_bar(l1: float, l2: float, l3: float, l4: float, dimension: int = 2) -> mb.Model:
    """Links drawn on the ground frame, not closed: assembly does everything."""
    point = lambda x: (x, 0) if dimension == 2 else (x, 0, 0)  # noqa: E731
    m = mb.Model("four-bar", dimension=dimension)
    m.frames(C=point(l1))
    m.body("crank", frames={"A": point(l2)})
    m.body("coupler", frames={"B": point(l3)})
    m.body("rocker", frames={"B": point(l4)})
    m.revolute("O", "ground", "crank")
    m.revolute("A", "crank.A", "coupler")
    m.revolute("B", "coupler.B", "rocker.B")
    m.revolute("C", "ground.C", "rocker")
    return m


def four_bar_angles(l1: float, l2: float, l3: float, l4: float, angle: float, side: int) -> tuple[float, float]:
    """Return coupler and rocker angle; side +1: B lies to the left of the way from A to C."""
    A, C = l2 * e(angle), np.array([l1, 0.0])
    d = float(np.linalg.norm(C - A))
    along = (l3**2 - l4**2 + d**2) / (2.0 * d)
    normal = np.array([-(C - A)[1], (C - A)[0]]) / d
    B = A + along * (C - A) / d + side * math.sqrt(l3**2 - along**2) * normal
    return math.atan2(*(B - A)[::-1]), math.atan2(*(B - C)[::-1])


def wrapped(angle: float) -> float:
    return (angle + math.pi) % (2.0 * math.pi) - math.pi


# --- closing ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("dimension", "kinds", "low", "high"), [(2, LINKS, 3, 6), (3, CHAIN, 6, 9)])
def test_a_disturbed_pose_closes_again(dimension: int, kinds: tuple[str, ...], low: int, high: int) -> None:
    @examples(30)
    @given(single_loops(dimension, kinds, low, high), seeds)
    def holds(mechanism: Mechanism, seed: int) -> None:
        J = joint_jacobian(mechanism)
        assume(regularity(J) > 0.02)
        system, q = drawn_state(mechanism)
        shake = 0.05 * np.random.default_rng(seed).normal(size=system.nv) * system.scale_columns
        start = State(
            system.tables, 0.0, system.displaced(q, shake), np.zeros(system.nv), system.ref.copy(), "", Status(True, "")
        )
        state = mechanism.model().assemble(start)
        assert state.ok, state.status
        assert violation(state) < CLOSED
        assert len(state.history) < 15
        if rank(J) == system.nv:  # no freedom: back where it was drawn
            assert np.max(np.abs(np.abs(state.q) - np.abs(q))) < 1e-8

    holds()


@pytest.mark.parametrize("dimension", [2, 3])
def test_a_tree_hangs_together_however_it_is_drawn(dimension: int) -> None:
    """Joints by frames, every body drawn somewhere else: the tree closes at once with the drawn coordinates' values."""

    @examples(25)
    @given(trees(dimension, 6), seeds)
    def holds(mechanism: Mechanism, seed: int) -> None:
        by_frames = [j for j in mechanism.joints if j.at is None]
        assume(len(by_frames) == len(mechanism.joints))
        rng = np.random.default_rng(seed)
        away = tuple(replace(b, at=b.at + rng.normal(size=dimension)) for b in mechanism.bodies)
        model = replace(mechanism, bodies=away).model()
        scalars = [(j, item) for j in by_frames for item in j.drawn]
        model.initial(guess={f"{j.name}.{item}": j.drawn[item] for j, item in scalars})
        state = model.assemble()
        assert state.ok and violation(state) < CLOSED
        for joint, item in scalars:
            assert state[f"{joint.name}.{item}"] == pytest.approx(joint.drawn[item], abs=1e-10)

    holds()


@pytest.mark.parametrize(("dimension", "kinds", "low", "high"), [(2, LINKS, 4, 6), (3, CHAIN, 7, 9)])
def test_held_values_are_met(dimension: int, kinds: tuple[str, ...], low: int, high: int) -> None:
    @examples(25)
    @given(single_loops(dimension, kinds, low, high), seeds)
    def holds(mechanism: Mechanism, seed: int) -> None:
        moved = driven(mechanism, np.random.default_rng(seed))
        assume(moved is not None)
        assert moved is not None
        model = mechanism.model()
        model.initial({m.coordinate: m.value + 0.5 * m.amplitude for m in moved.motions})
        state = model.assemble()
        assert state.ok, state.status
        assert violation(state) < CLOSED
        for m in moved.motions:
            assert state[m.coordinate] == pytest.approx(m.value + 0.5 * m.amplitude, abs=1e-12)

    holds()


def test_held_points_angles_and_orientations() -> None:
    m = mb.Model("held", dimension=3)
    m.body("a", com=(0.2, 0.1, -0.3), frames={"P": (1, 0.5, 0.2)})
    m.body("b", com=(0.1, 0.4, 0.2), at=(0.5, 0.5, 0.5))
    m.spherical("S", "ground", "a")
    m.revolute("R", "a.P", "b", axis=(1, 2, 3))
    m.initial({"b.rotation": {"rpy": [0.3, -0.4, 0.9]}, "R": 0.7})
    state = m.assemble()
    assert state.ok, state.status
    assert state["R"] == pytest.approx(0.7, abs=1e-12)
    x, y, z, w = Rotation.from_euler("xyz", [0.3, -0.4, 0.9]).as_quat()
    assert abs(state["b.rotation"] @ np.array([w, x, y, z])) == pytest.approx(1.0, abs=1e-12)
    height = state["a.P.z"]
    m.initials.pop("R")
    m.initial({"a.P.z": height - 0.1})  # now the joint's angle follows from a point's height
    state = m.assemble()
    assert state.ok, state.status
    assert state["a.P.z"] == pytest.approx(height - 0.1, abs=1e-12)
    assert abs(state["b.rotation"] @ np.array([w, x, y, z])) == pytest.approx(1.0, abs=1e-12)


THIRDS = Rotation.from_rotvec(np.array([1.0, 1.0, 1.0]) * 2.0 * math.pi / 3.0 / math.sqrt(3.0))  # x → y → z → x


def start_at(m: mb.Model, turn: Rotation) -> State:
    """Return a start with the only body turned."""
    system = System(tables_of(m))
    q = drawn_pose(system)
    x, y, z, w = turn.as_quat()
    q[3:7] = w, x, y, z
    return State(system.tables, 0.0, q, np.zeros(6), system.ref.copy(), "", Status(True, ""))


@pytest.mark.parametrize(
    "turn", [THIRDS, THIRDS.inv(), Rotation.from_rotvec([math.pi, 0, 0]), Rotation.from_rotvec([0, 0, 3.1])]
)
@pytest.mark.parametrize("kind", ["fixed", "translational"])
def test_axes_that_are_perpendicular_the_wrong_way_do_not_count_as_closed(kind: str, turn: Rotation) -> None:
    """g·h = h·f = f·g = 0 holds as well where the axes have changed places in turn: x on y, y on z, z on x."""
    m = mb.Model("one")
    m.body("a")
    m.joint(kind, "J", "ground", "a", **({"axis": (0, 0, 1)} if kind == "translational" else {}))
    state = m.assemble(start_at(m, turn))
    assert not state.ok or abs(state["a.rotation"][0]) == pytest.approx(1.0, abs=1e-12)
    assert state.ok  # and from here the way back is known


@pytest.mark.parametrize("seed", range(8))
def test_a_held_orientation_is_met_from_any_drawing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    drawn, held = (Rotation.from_quat(rng.normal(size=4)) for _ in range(2))
    m = mb.Model("one")
    m.body("a", com=(0.1, 0.2, 0.3), rotation=drawn)
    m.spherical("S", "ground", "a")
    m.initial({"a.rotation": held})
    state = m.assemble()
    assert state.ok, state.status
    x, y, z, w = held.as_quat()
    assert abs(state["a.rotation"] @ np.array([w, x, y, z])) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_a_held_rotation_of_a_joint_is_met(seed: int) -> None:
    rng = np.random.default_rng(seed)
    held = Rotation.from_quat(rng.normal(size=4))
    m = mb.Model("two")
    m.body("a", frames={"P": {"at": (1, 0, 0), "rotvec": [0.3, 0.2, 0.9]}})
    m.body("b", frames={"Q": {"at": (0, 1, 0), "rotvec": [-0.5, 0.2, 0.1]}})
    m.revolute("O", "ground", "a", axis=(1, 2, 3))
    m.spherical("S", "a.P", "b.Q")
    m.initial({"O": 0.4, "S.rotation": held})
    state = m.assemble()
    assert state.ok, state.status
    x, y, z, w = held.as_quat()
    assert abs(state["S.rotation"] @ np.array([w, x, y, z])) == pytest.approx(1.0, abs=1e-12)


def test_a_held_angle_beyond_a_turn_is_counted() -> None:
    for dimension in (2, 3):
        m = four_bar(0.35, 0.2, 0.35, 0.25, dimension)
        m.initial({"O": 9.0}, guess={"C": -1.0})
        state = m.assemble()
        assert state.ok
        assert state["O"] == pytest.approx(9.0, abs=1e-12)


def test_motions_hold_at_the_asked_time() -> None:
    m = four_bar(0.35, 0.2, 0.35, 0.25)
    m.motion("O", "0.4 + 2*t^2")
    m.initial(guess={"C": 1.2})
    for t in (0.0, 0.3, 0.7):
        state = m.assemble(t=t)
        assert state.ok and state.t == t
        assert state["O"] == pytest.approx(0.4 + 2 * t * t, abs=1e-12)
        assert state["O.rate"] == pytest.approx(4 * t, abs=1e-12)


# --- guesses ---------------------------------------------------------------------------------------------------------


def two_slides() -> mb.Model:
    """One degree of freedom, x = y: a wedge of 45 degrees."""
    m = mb.Model("wedge", dimension=2)
    m.body("a")
    m.body("b")
    m.translational("X", "ground", "a", axis=(1, 0))
    m.translational("Y", "ground", "b", axis=(0, 1))
    m.coupler("wedge", "X - Y")
    return m


@pytest.mark.parametrize("weight", [1.0, 3.0, 10.0, 1e4])
def test_a_heavier_guess_is_met_better(weight: float) -> None:
    """The least squares of conflicting guesses: the mean of 1 and 2 by weight."""
    m = two_slides()
    m.initial(guess={"X": {"value": 1.0, "weight": weight}, "Y": 2.0})
    state = m.assemble()
    assert state.ok
    assert state["X"] == pytest.approx((weight * 1.0 + 2.0) / (weight + 1.0), abs=1e-9)
    assert state["Y"] == pytest.approx(state["X"], abs=1e-12)


@pytest.mark.parametrize(("light", "heavy"), [("C", "O"), ("O", "C")])
def test_weights_on_a_four_bar(light: str, heavy: str) -> None:
    gaps = []
    for weight in (1.0, 100.0):
        m = four_bar(3.0, 1.0, 2.5, 2.0)
        values = {"O": 1.0, "C": 2.0}  # the rocker stands at 1.69 when the crank is at 1
        m.initial(guess={light: values[light], heavy: {"value": values[heavy], "weight": weight}})
        state = m.assemble()
        assert state.ok
        gaps.append(abs(state[heavy] - values[heavy]))
    assert gaps[1] < 0.1 * gaps[0]
    assert gaps[0] > 1e-3


def test_a_weight_of_zero_only_starts() -> None:
    m = two_slides()
    m.initial(guess={"X": {"value": 5.0, "weight": 0.0}, "Y": 2.0})
    assert m.assemble()["X"] == pytest.approx(2.0, abs=1e-9)


def test_a_guess_is_met_where_nothing_contradicts() -> None:
    m = four_bar(3.0, 1.0, 2.5, 2.0)
    m.initial(guess={"O": 0.8, "C": 1.5})
    m.initial(guess={"O": {"value": 0.8, "weight": 1e6}})
    state = m.assemble()
    assert state["O"] == pytest.approx(0.8, abs=1e-5)
    free = four_bar(3.0, 1.0, 2.5, 2.0)
    free.initial(guess={"O": 0.8})
    assert free.assemble()["O"] == pytest.approx(0.8, abs=1e-9)


@pytest.mark.parametrize("angle", [0.5, 1.2, 1.6, 2.7, 3.0])
def test_a_guess_beyond_reach_is_met_as_well_as_can_be(angle: float) -> None:
    """The rocker swings between 1.633 and 2.681: a guess outside leaves it at its dead point, and assembled."""
    low, high = (math.pi - math.acos((9 + 4 - r * r) / 12) for r in (3.5, 1.5))
    m = four_bar(3.0, 1.0, 2.5, 2.0)
    m.initial(guess={"C": angle})
    state = m.assemble()
    assert state.ok, state.status
    assert violation(state) < CLOSED
    assert low - 1e-9 <= state["C"] <= high + 1e-9
    assert state["C"] == pytest.approx(min(max(angle, low), high), abs=1e-6)


@pytest.mark.parametrize("weight", [1.0, 5.0, 10.0, 100.0])
def test_conflicting_guesses_beyond_reach(weight: float) -> None:
    m = four_bar(3.0, 1.0, 2.5, 2.0)
    m.initial(guess={"O": 1.0, "C": {"value": 1.0, "weight": weight}})
    state = m.assemble()
    assert state.ok, state.status
    assert violation(state) < CLOSED


def test_a_spatial_orientation_as_guess() -> None:
    """A free body keeps the orientation that it is guessed at."""
    m = mb.Model("ball")
    m.body("a", frames={"P": (1, 0, 0)})
    m.spherical("S", "ground", "a")
    turn = Rotation.from_rotvec([0.4, -0.9, 1.3])
    m.initial(guess={"a.rotation": turn})
    x, y, z, w = turn.as_quat()
    assert abs(m.assemble()["a.rotation"] @ np.array([w, x, y, z])) == pytest.approx(1.0, abs=1e-12)


# --- what cannot close -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("lengths", [(4.0, 1.0, 1.0, 1.0), (1.0, 1.0, 5.0, 1.0), (0.5, 0.2, 0.1, 3.0)])
def test_impossible_lengths_are_named(lengths: tuple[float, ...], dimension: int) -> None:
    m = four_bar(*lengths, dimension)
    state = m.assemble()
    assert not state.ok
    status = state.status
    joint, _, meaning = status.worst.partition(": ")
    assert joint in m.joints and meaning
    assert abs(status.gap) > 0.0
    assert f'"{status.worst}"' in status.message and "remain" in status.message
    missing = max(lengths) - (sum(lengths) - max(lengths))
    assert abs(status.gap) == pytest.approx(missing, rel=1e-6)  # the links stretched: what the longest one has too much
    assert "length" in status.advice


def test_the_gap_is_positive() -> None:
    """A residual has a sign, the gap that a person reads has none."""
    for sign in (1.0, -1.0):  # the drawing turned by half a turn: residuals change their sign
        for lengths in ((4.0, 1.0, 1.0, 1.0), (1.0, 1.0, 5.0, 1.0), (1.0, 5.0, 1.0, 1.0), (0.5, 0.2, 0.1, 3.0)):
            assert four_bar(*(sign * length for length in lengths)).assemble().status.gap > 0.0


@pytest.mark.parametrize("unit", ["m", "mm"])
def test_an_unreachable_motion_is_named_with_its_unit(unit: str) -> None:
    scale = {"m": 1.0, "mm": 1e3}[unit]
    m = mb.Model("slider-crank", dimension=2, units={"length": unit})
    m.body("crank", frames={"A": (0.15 * scale, 0)})
    m.body("rod", frames={"B": (0.35 * scale, 0)})
    m.body("slider")
    m.revolute("O", "ground", "crank")
    m.revolute("A", "crank.A", "rod")
    m.revolute("B", "rod.B", "slider")
    m.translational("S", "ground", "slider", axis=(1, 0))
    m.motion("S", 0.6 * scale)
    status = m.assemble().status
    assert not status.success
    assert abs(status.gap) <= 0.1 * scale * (1 + 1e-9)
    assert f" {unit} remain" in status.message
    with pytest.warns(RuntimeWarning, match="cannot close"):
        run = m.kinematics(until=1.0, steps=5)
    assert not run.ok and len(run.time) == 0 and run.status.worst == status.worst


def test_a_held_value_beyond_reach() -> None:
    m = four_bar(3.0, 1.0, 2.5, 2.0)
    m.initial({"C": 3.0})  # the rocker swings between 1.2 and 2.2 or so
    status = m.assemble().status
    assert not status.success
    assert status.worst and status.gap != 0.0
    assert "guess" in status.advice


# --- rates -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("dimension", "kinds", "low", "high"), [(2, LINKS, 4, 6), (3, CHAIN, 7, 9)])
def test_held_rates_are_met(dimension: int, kinds: tuple[str, ...], low: int, high: int) -> None:
    @examples(25)
    @given(single_loops(dimension, kinds, low, high), seeds)
    def holds(mechanism: Mechanism, seed: int) -> None:
        rng = np.random.default_rng(seed)
        moved = driven(mechanism, rng)
        assume(moved is not None)
        assert moved is not None
        rates = {m.coordinate: float(rng.normal()) for m in moved.motions}
        model = mechanism.model()
        model.initial({f"{path}.rate": rate for path, rate in rates.items()})
        state = model.assemble()
        assert state.ok, state.status
        for path, rate in rates.items():
            assert state[f"{path}.rate"] == pytest.approx(rate, abs=1e-11)
        system = System(tables_of(model))
        J = system.scaled(system.jacobian(state.q, 0.0, 0, system.joint_rows))
        assert np.max(np.abs(J @ (state.v / system.scale_columns))) < 1e-11

    holds()


def test_without_rates_everything_rests() -> None:
    state = four_bar(3.0, 1.0, 2.5, 2.0).assemble()
    assert state.ok and np.all(state.v == 0.0)


def test_angular_velocities_and_points_as_rates() -> None:
    m = mb.Model("top")
    m.body("a", com=(0.1, 0.2, 0.7), frames={"P": (1, 0.5, 0.2)}, quaternion=[0.7, 0.1, -0.5, 0.3])
    m.spherical("S", "ground", "a")
    m.initial({"a.omega.x": 1.0, "a.omega.y": -2.0, "a.omega.z": 0.5})
    state = m.assemble()
    assert [state[f"a.omega.{c}"] for c in "xyz"] == pytest.approx([1.0, -2.0, 0.5], abs=1e-12)
    P = np.array([state[f"a.P.{c}"] for c in "xyz"])
    assert [state[f"a.P.{c}.rate"] for c in "xyz"] == pytest.approx(np.cross([1.0, -2.0, 0.5], P), abs=1e-12)


def test_a_guessed_rate_is_met_where_it_can() -> None:
    m = four_bar(3.0, 1.0, 2.5, 2.0)
    m.initial({"O": 1.0}, guess={"C": 1.6, "O.rate": 2.0})
    state = m.assemble()
    assert state["O.rate"] == pytest.approx(2.0, abs=1e-10)
    m.initial({"C.rate": 0.0})
    still = m.assemble()
    assert still.ok and still["O.rate"] == pytest.approx(0.0, abs=1e-10)  # what is held wins


def test_conflicting_held_rates_are_named() -> None:
    m = four_bar(3.0, 1.0, 2.5, 2.0)
    m.initial({"O": 1.0, "O.rate": 2.0, "C.rate": 100.0}, guess={"C": 1.6})
    state = m.assemble()
    assert not state.ok
    assert "O.rate" in state.status.worst or "C.rate" in state.status.worst
    assert state.status.worst in state.status.message
    assert state.status.gap > 0.0
    assert state.status.advice


def test_a_rate_against_a_motion_is_named() -> None:
    m = four_bar(3.0, 1.0, 2.5, 2.0)
    m.motion("O", "1 + 2*t")
    m.initial({"O.rate": 3.0}, guess={"C": 1.6})
    status = m.assemble().status
    assert not status.success
    assert status.worst in ("initial O.rate", "O: motion")


# --- branches --------------------------------------------------------------------------------------------------------


def labels(states: list[State]) -> list[str]:
    return sorted(state.branch for state in states)


@pytest.mark.parametrize("angle", [0.3, 1.0, 2.2, 3.6, 5.0])
@pytest.mark.parametrize("lengths", [(3.0, 1.0, 2.5, 2.0), (0.35, 0.2, 0.35, 0.25)])
def test_both_assemblies_of_a_four_bar(lengths: tuple[float, ...], angle: float) -> None:
    m = four_bar(*lengths)
    m.motion("O", angle)
    states = m.assemble(branches=True)
    assert len(states) == 2
    assert labels(states) == ["+", "-"]
    assert all(state.ok and violation(state) < 10 * CLOSED for state in states)
    found = sorted((wrapped(s["coupler.angle"]), wrapped(s["rocker.angle"])) for s in states)
    expected = sorted(four_bar_angles(*lengths, angle, side) for side in (-1, 1))  # type: ignore[call-arg]
    assert np.max(np.abs(np.array(found) - np.array(expected))) < 1e-10
    assert states[0].branch == m.assemble().branch  # the first one is the one without branches


@pytest.mark.parametrize(("angle", "h"), [(0.7, 0.0), (2.0, 0.05), (4.4, -0.08)])
def test_both_assemblies_of_a_slider_crank(angle: float, h: float) -> None:
    l2, l3 = 0.15, 0.35
    m = mb.Model("slider-crank", dimension=2)
    m.frames(guide=(0, h))
    m.body("crank", frames={"A": (l2, 0)})
    m.body("rod", frames={"B": (l3, 0)})
    m.body("slider")
    m.revolute("O", "ground", "crank")
    m.revolute("A", "crank.A", "rod")
    m.revolute("B", "rod.B", "slider")
    m.translational("S", "ground.guide", "slider", axis=(1, 0))
    m.motion("O", angle)
    states = m.assemble(branches=True)
    assert len(states) == 2 and labels(states) == ["+", "-"]
    assert all(state.ok and violation(state) < 10 * CLOSED for state in states)
    root = math.sqrt(l3**2 - (h - l2 * math.sin(angle)) ** 2)
    expected = [l2 * math.cos(angle) - root, l2 * math.cos(angle) + root]
    assert sorted(state["S"] for state in states) == pytest.approx(expected, abs=1e-11)


def test_a_driven_slider_has_the_crank_on_both_sides() -> None:
    l2, l3, x = 0.15, 0.35, 0.4
    m = mb.Model("slider-crank", dimension=2)
    m.body("crank", frames={"A": (l2, 0)})
    m.body("rod", frames={"B": (l3, 0)})
    m.body("slider")
    m.revolute("O", "ground", "crank")
    m.revolute("A", "crank.A", "rod")
    m.revolute("B", "rod.B", "slider")
    m.translational("S", "ground", "slider", axis=(1, 0))
    m.motion("S", x)
    states = m.assemble(branches=True)
    angle = math.acos((l2**2 + x**2 - l3**2) / (2 * l2 * x))
    assert sorted(wrapped(state["crank.angle"]) for state in states) == pytest.approx([-angle, angle], abs=1e-11)


@pytest.mark.parametrize("angle", [0.4, 1.3, 4.0])
def test_both_assemblies_of_an_inverted_slider(angle: float) -> None:
    """A block on the crank slides in a slotted arm with an offset slot: the arm on either side."""
    l2, d, offset = 0.1, 0.3, 0.06
    m = mb.Model("inverted", dimension=2)
    m.frames(O3=(-d, 0))
    m.body("crank", frames={"A": (l2, 0)})
    m.body("block")
    m.body("arm", frames={"slot": (0, offset)})
    m.revolute("O", "ground", "crank")
    m.revolute("A", "crank.A", "block")
    m.revolute("O3", "ground.O3", "arm")
    m.translational("S", "arm.slot", "block", axis=(1, 0))
    m.motion("O", angle)
    states = m.assemble(branches=True)
    assert len(states) == 2 and labels(states) == ["+", "-"]
    assert all(state.ok and violation(state) < 10 * CLOSED for state in states)
    way = np.array([d, 0.0]) + l2 * e(angle)
    reach, direction = float(np.linalg.norm(way)), math.atan2(way[1], way[0])
    span = math.sqrt(reach**2 - offset**2)
    expected = [(-span, wrapped(direction - math.atan2(offset, -span))), (span, direction - math.atan2(offset, span))]
    found = sorted((state["S"], wrapped(state["arm.angle"])) for state in states)
    assert np.max(np.abs(np.array(found) - np.array(expected))) < 1e-10


def six_bar() -> mb.Model:
    """Return a four-bar whose coupler point drives a second dyad."""
    m = four_bar(3.0, 1.0, 2.5, 2.0)
    m.bodies.pop("coupler")
    m.joints.clear()
    m.body("coupler", frames={"B": (2.5, 0), "P": (1.2, 0.9)})
    m.frames(G=(4.5, 1.5))
    m.body("link5", frames={"E": (2.2, 0)})
    m.body("link6", frames={"E": (1.8, 0)})
    m.revolute("O", "ground", "crank")
    m.revolute("A", "crank.A", "coupler")
    m.revolute("B", "coupler.B", "rocker.B")
    m.revolute("C", "ground.C", "rocker")
    m.revolute("D", "coupler.P", "link5")
    m.revolute("E", "link5.E", "link6.E")
    m.revolute("G", "ground.G", "link6")
    m.motion("O", "1 + t")
    return m


def test_four_assemblies_of_a_six_bar() -> None:
    states = six_bar().assemble(branches=True)
    assert len(states) == 4
    assert labels(states) == ["++", "+-", "-+", "--"]
    assert all(state.ok and violation(state) < 10 * CLOSED for state in states)
    found = []
    for state in states:
        side = 1 if state["coupler.angle"] == pytest.approx(four_bar_angles(3.0, 1.0, 2.5, 2.0, 1.0, 1)[0], abs=1e-9) else -1
        beta = four_bar_angles(3.0, 1.0, 2.5, 2.0, 1.0, side)[0]
        assert wrapped(state["coupler.angle"] - beta) == pytest.approx(0.0, abs=1e-10)
        turn = np.array([[math.cos(beta), -math.sin(beta)], [math.sin(beta), math.cos(beta)]])
        P, G = e(1.0) + turn @ np.array([1.2, 0.9]), np.array([4.5, 1.5])
        d = float(np.linalg.norm(G - P))
        along = (2.2**2 - 1.8**2 + d**2) / (2 * d)
        normal = np.array([-(G - P)[1], (G - P)[0]]) / d
        E = np.array([state["link5.E.x"], state["link5.E.y"]])
        other = float((E - P) @ normal)
        assert (E - P) @ (G - P) / d == pytest.approx(along, abs=1e-10)
        assert abs(other) == pytest.approx(math.sqrt(2.2**2 - along**2), abs=1e-10)
        found.append((side, np.sign(other)))
    assert len(set(found)) == 4


def test_branches_without_motions_keep_the_free_coordinate() -> None:
    """Where nothing drives it, the mirror image is taken at the same place of the mechanism's own freedom."""
    m = four_bar(3.0, 1.0, 2.5, 2.0)
    m.initial({"O": 1.0})
    states = m.assemble(branches=True)
    assert len(states) == 2 and labels(states) == ["+", "-"]
    assert all(state["O"] == pytest.approx(1.0, abs=1e-10) for state in states)


def test_branches_have_consistent_velocities() -> None:
    m = four_bar(3.0, 1.0, 2.5, 2.0)
    m.motion("O", "1 + 2*t")
    for state in m.assemble(branches=True):
        assert state["O.rate"] == pytest.approx(2.0, abs=1e-12)
        system = System(state.tables)
        J = system.jacobian(state.q, 0.0)
        assert np.max(np.abs(J @ state.v - system.velocity_side(state.q, 0.0))) < 1e-11


def test_one_assembly_where_nothing_can_flip() -> None:
    m = mb.Model("arm", dimension=2)
    m.body("a", frames={"P": (1, 0)})
    m.body("b")
    m.revolute("O", "ground", "a")
    m.revolute("A", "a.P", "b")
    m.motion("O", 0.3)
    m.motion("A", 0.5)
    states = m.assemble(branches=True)
    assert len(states) == 1 and states[0].branch == ""


def test_a_spatial_mechanism_with_two_assemblies() -> None:
    """RSSR: the rocker's pin lies where a circle meets a sphere, in two points; the rod's own spin makes no branch."""
    m = mb.Model("rssr")
    m.frames(C=(3, 0, 0))
    m.body("crank", frames={"A": (0, 1, 0)})
    m.body("rod", frames={"B": (2.6, 0, 0)})
    m.body("rocker", frames={"B": (0, 2, 0)})
    m.revolute("O", "ground", "crank", axis=(1, 0, 0))
    m.spherical("A", "crank.A", "rod")
    m.spherical("B", "rod.B", "rocker.B")
    m.revolute("R", "ground.C", "rocker", axis=(0, 0, 1))
    m.motion("O", 0.7)
    states = m.assemble(branches=True)
    A = np.array([0.0, math.cos(0.7), math.sin(0.7)])
    roots = []
    for state in states:
        assert state.ok
        B = np.array([state[f"rocker.B.{c}"] for c in "xyz"])
        assert np.linalg.norm(B - A) == pytest.approx(2.6, abs=1e-10)
        roots.append(round(float(B[0]), 8))
    assert len(set(roots)) == 2
    assert len(states) == 2 and labels(states) == ["+", "-"]


PUMA = (
    [(0, 0, 0), (0, 0, 670), (430, 150, 670), (450, 150, 1100), (450, 150, 1100), (450, 150, 1100)],
    [(0, 0, 1), (0, 1, 0), (0, 1, 0), (0, 0, 1), (0, 1, 0), (0, 0, 1)],
)


def six_axes(unit: float) -> mb.Model:
    """Return an arm with six turning joints whose last three axes meet in a point; lengths in mm times `unit`."""
    m, carrier = mb.Model("arm"), "ground"
    for k, (at, axis) in enumerate(zip(*PUMA, strict=True), 1):
        place = tuple(unit * x for x in at)
        m.body(f"l{k}", com=place, frames={"tool": (550 * unit, 100 * unit, 1300 * unit)} if k == 6 else {})
        m.revolute(f"j{k}", carrier, f"l{k}", at=place, axis=axis)
        carrier = f"l{k}"
    return m


@pytest.mark.parametrize(
    ("hold", "unit", "wrist", "count"),
    [("initial", 1.0, 0.9, 8), ("fixed", 1e-3, 0.9, 8), ("motion", 1e3, 0.9, 8), ("fixed", 1.0, 0.0, 7)],
)
def test_a_six_axis_arm_has_eight_poses(hold: str, unit: float, wrist: float, count: int) -> None:
    """Shoulder left or right, elbow up or down, wrist turned over or not, however the tool is held and in any unit.

    With its wrist in line the first pose is singular, and turning the wrist over leads to the same pose.
    """
    angles = dict(zip((f"j{k}" for k in range(1, 7)), (0.3, -0.5, 0.4, 0.7, wrist, -0.6), strict=True))
    free = six_axes(unit)
    free.initial(angles)
    known = free.assemble()
    place, rotation = [float(known[f"l6.tool.{c}"]) for c in "xyz"], [float(x) for x in known["l6.rotation"]]
    m = six_axes(unit)
    if hold == "fixed":
        m.frames(pose={"at": place, "quaternion": rotation})
        m.fixed("grip", "ground.pose", "l6.tool")
    else:
        m.initial({"l6.rotation": {"quaternion": rotation}})
        for c, x in zip("xyz", place, strict=True):
            m.motion(f"l6.tool.{c}", x) if hold == "motion" else m.initial({f"l6.tool.{c}": x})
    m.initial(guess=angles)
    states = m.assemble(branches=True)
    assert len(states) == count and all(state.ok for state in states)
    poses = {tuple(np.round(np.exp([1j * state[name] for name in angles]), 6)) for state in states}
    assert len(poses) == count
    for state in states:
        assert [state[f"l6.tool.{c}"] for c in "xyz"] == pytest.approx(place, abs=1e-8 * 1000 * unit)
        assert abs(float(np.dot(state["l6.rotation"], rotation))) == pytest.approx(1.0, abs=1e-12)
    if hold == "initial":  # the starts are the same every time
        assert all(np.array_equal(a.q, b.q) for a, b in zip(states, m.assemble(branches=True), strict=True))


def test_a_row_of_dyads_has_more_assemblies_than_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The number doubles with every dyad; the list ends and says so."""
    monkeypatch.setattr("multibody.analyses.assembly.enumerate.LISTED", 5)
    m = mb.Model("star", dimension=2)
    m.body("crank", frames={"A": (1, 0)})
    m.revolute("O", "ground", "crank")
    m.motion("O", 0.4)
    for k in range(4):
        m.frames(**{f"G{k}": (3 * math.cos(1.5 * k), 3 * math.sin(1.5 * k))})
        m.body(f"a{k}", frames={"B": (2.5, 0)})
        m.body(f"b{k}", frames={"B": (2.0, 0)})
        m.revolute(f"A{k}", "crank.A", f"a{k}")
        m.revolute(f"B{k}", f"a{k}.B", f"b{k}.B")
        m.revolute(f"G_{k}", f"ground.G{k}", f"b{k}")
    states = m.assemble(branches=True)
    assert len(states) == 5 and "more than 5 assemblies" in states[0].status.advice and states[0].ok
    monkeypatch.setattr("multibody.analyses.assembly.enumerate.LISTED", 100)
    states = m.assemble(branches=True)
    assert len(states) == 16 and states[0].status.advice == ""


def test_poses_that_are_not_isolated_are_not_listed() -> None:
    """A seven-axis arm can move with its tool held; the further coordinate stays as it is, so that a few are left."""
    m, carrier = mb.Model("arm"), "ground"
    joints = [*zip(*PUMA, strict=True)]
    for k, (at, axis) in enumerate([*joints[:2], ((200, 100, 670), (1, 0, 0)), *joints[2:]], 1):
        m.body(f"l{k}", com=at)
        m.revolute(f"j{k}", carrier, f"l{k}", at=at, axis=axis)
        carrier = f"l{k}"
    m.initial({"l7.x": 300, "l7.y": 250, "l7.z": 900, "l7.rotation": {"rotvec": [0.3, 0.2, -0.4]}})
    states = m.assemble(branches=True)
    assert states[0].ok and 1 <= len(states) <= 16


def test_the_label_of_a_spatial_mechanism_does_not_turn_with_an_idle_rod() -> None:
    found = set()
    for spin in (0.0, 1.0, 2.0, 3.0, 4.0, 5.0):
        m = mb.Model("rssr")
        m.frames(C=(3, 0, 0))
        m.body("crank", frames={"A": (0, 1, 0)})
        m.body("rod", frames={"B": (2.6, 0, 0)}, at=(0, 1, 0), rotvec=(spin, 0, 0))
        m.body("rocker", frames={"B": (0, 2, 0)}, at=(3, 0, 0))
        m.revolute("O", "ground", "crank", axis=(1, 0, 0))
        m.spherical("A", "crank.A", "rod")
        m.spherical("B", "rod.B", "rocker.B")
        m.revolute("R", "ground.C", "rocker", axis=(0, 0, 1))
        m.motion("O", 0.7)
        state = m.assemble()
        assert state.ok
        found.add((round(state["R"], 6), state.branch))
    assert len(found) == 1


# --- states ----------------------------------------------------------------------------------------------------------


def test_a_state_starts_another_assembly() -> None:
    m = four_bar(3.0, 1.0, 2.5, 2.0)
    m.motion("O", "1 + t")
    for state in m.assemble(branches=True):
        again = m.assemble(state, t=0.3)
        assert again.ok and again.branch == state.branch
        assert again["O"] == pytest.approx(1.3, abs=1e-12)


def test_assembly_leaves_the_model_as_it_was() -> None:
    m = four_bar(3.0, 1.0, 2.5, 2.0)
    m.motion("O", "1 + t")
    system = System(tables_of(m))
    before, numbers = drawn_pose(system).copy(), system.F.copy()
    first = m.assemble()
    m.assemble(branches=True)
    m.kinematics(until=1.0, steps=5)
    assert np.array_equal(drawn_pose(system), before) and np.array_equal(system.F, numbers)
    assert np.array_equal(m.assemble().q, first.q)  # and the answer is the same every time


def test_newton_converges_quadratically() -> None:
    m = four_bar(0.35, 0.2, 0.35, 0.25)
    m.motion("O", 63 * mb.deg)
    m.initial(guess={"coupler.angle": 10 * mb.deg, "rocker.angle": 65 * mb.deg})
    state = m.assemble()
    steps = [entry["step"] for entry in state.history]
    assert state.ok and len(steps) <= 6
    assert steps[-1] < 10 * steps[-2] ** 2 + 1e-14


# --- what the joints determine already --------------------------------------------------------------------------------


def crank_and_pendulum() -> mb.Model:
    """Return a crank that a stay holds, and a pendulum on it that nothing holds: all closed as drawn."""
    m = mb.Model("held", dimension=2)
    m.body("crank", mass=1, inertia=0.1, frames={"end": (0.7, 0.3)})
    m.body("bob", mass=1, inertia=0.1, com=(0.2, 0.5), at=(0.7, 0.3), angle=0.4)
    m.revolute("O", "ground", "crank")
    m.revolute("P", "crank.end", "bob")
    m.frames(tip=(1.13, 0.41))
    m.distance("stay", "ground.tip", "crank.end", length=((1.13 - 0.7) ** 2 + 0.11**2) ** 0.5)
    return m


def test_a_guess_of_what_is_determined_moves_nothing_else() -> None:
    m = crank_and_pendulum()
    m.initial(guess={"O": 0.0, "O.rate": 0.7, "P.rate": 0.25})
    state = m.assemble()
    assert state.ok
    assert state["O"] == pytest.approx(0.0, abs=1e-12)
    assert state["bob.angle"] == pytest.approx(0.4, abs=1e-12)
    assert state["P.rate"] == pytest.approx(0.25, abs=1e-12)
    assert state["O.rate"] == pytest.approx(0.0, abs=1e-12)


def test_a_held_rate_of_what_is_determined_moves_nothing_else() -> None:
    m = crank_and_pendulum()
    m.initial({"O.rate": 0.0}, guess={"P.rate": 0.25})
    state = m.assemble()
    assert state.ok and state["bob.angle"] == pytest.approx(0.4, abs=1e-12)
    assert state["P.rate"] == pytest.approx(0.25, abs=1e-12)
