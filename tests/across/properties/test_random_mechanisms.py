"""Mobility of random mechanisms, closure of their drawn poses, and driven loops that stay closed."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import multibody as mb
from across.properties.strategies import (
    FREEDOM,
    Floats,
    Mechanism,
    drawn_state,
    driven,
    examples,
    joint_jacobian,
    meshes,
    rank,
    regularity,
    seeds,
    single_loops,
    trees,
)
from multibody.analyses.check.check import check
from multibody.state.system import System, tables_of

LINKS = ("revolute", "translational", "fixed")
CHAIN = ("revolute", "translational", "cylindrical", "screw", "universal", "spherical", "planar", "fixed")


def freedom_left(mechanism: Mechanism) -> int:
    """Return n − rank of the joint Jacobian at the drawn pose."""
    J = joint_jacobian(mechanism)
    return int(J.shape[1] - rank(J))


# --- mobility --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dimension", [2, 3])
def test_a_tree_has_the_sum_of_its_joints_freedoms(dimension: int) -> None:
    @examples(40)
    @given(trees(dimension))
    def holds(mechanism: Mechanism) -> None:
        assert freedom_left(mechanism) == mechanism.freedom
        report = check(mechanism.model())
        assert report.mobility == mechanism.freedom
        assert not report.redundant

    holds()


@pytest.mark.parametrize("dimension", [2, 3])
def test_drawn_poses_are_closed_and_read_back(dimension: int) -> None:
    """The package's joint coordinates at the drawn pose are those that the mechanism was made with."""

    @examples(40)
    @given(trees(dimension))
    def holds(mechanism: Mechanism) -> None:
        system, q = drawn_state(mechanism)
        assert np.max(np.abs(system.phi(q, 0.0)), initial=0.0) < 1e-13
        state = mechanism.model().assemble()
        assert state.ok
        for joint in mechanism.joints:
            for item, value in joint.drawn.items():
                assert state[f"{joint.name}.{item}"] == pytest.approx(value, abs=1e-12)
        for body in mechanism.bodies:
            place = [state[f"{body.name}.origin.{axis}"] for axis in "xyz"[:dimension]]
            assert place == pytest.approx(body.at, abs=1e-12)

    holds()


@pytest.mark.parametrize(("dimension", "kinds", "most"), [(2, LINKS, 6), (3, CHAIN, 9)])
def test_a_single_loop_has_its_freedoms_less_six(dimension: int, kinds: tuple[str, ...], most: int) -> None:
    closure = 6 if dimension == 3 else 3

    @examples(40)
    @given(single_loops(dimension, kinds, 2, most))
    def holds(mechanism: Mechanism) -> None:
        expected = max(0, mechanism.freedom - closure)
        assert mechanism.mobility() == expected
        assert freedom_left(mechanism) == expected
        assert check(mechanism.model()).mobility == expected

    holds()


@pytest.mark.parametrize("dimension", [2, 3])
def test_several_loops_have_the_freedom_that_their_screws_leave(dimension: int) -> None:
    @examples(40)
    @given(meshes(dimension))
    def holds(mechanism: Mechanism) -> None:
        assert freedom_left(mechanism) == mechanism.mobility()

    holds()


def test_seven_revolute_joints_in_general_position() -> None:
    @examples(20)
    @given(single_loops(3, ("revolute",), 7, 7))
    def holds(mechanism: Mechanism) -> None:
        report = check(mechanism.model())
        assert (report.mobility, report.rank, report.redundant) == (1, 35, [])

    holds()


# --- overconstrained linkages ----------------------------------------------------------------------------------------


def ring(points: list[Floats], axes: list[Floats]) -> mb.Model:
    """Return a loop of revolute joints in place: ground, link1, …, ground."""
    m = mb.Model("ring")
    names = ["ground", *(m.body(f"link{k}").name for k in range(1, len(points))), "ground"]
    for k, (point, axis) in enumerate(zip(points, axes, strict=True)):
        m.revolute(f"J{k}", names[k], names[k + 1], at=point, axis=axis)
    return m


def bennett(alpha: float, ratio: float, angle: float) -> tuple[list[Floats], list[Floats]]:
    """Return points and axes of a Bennett linkage: opposite links equal, a/sin α = b/sin β.

    Made by the Denavit–Hartenberg chain; with tan(θ₁/2)·tan(θ₂/2) = sin((β+α)/2) / sin((β−α)/2) it closes.
    """
    beta = math.asin(min(1.0, ratio * math.sin(alpha)))
    second = 2.0 * math.atan2(math.sin(0.5 * (beta + alpha)), math.sin(0.5 * (beta - alpha)) * math.tan(0.5 * angle))
    T = np.eye(4)
    points, axes = [], []
    lengths, twists = [1.0, ratio] * 2, [alpha, beta] * 2
    for theta, a, twist in zip([angle, second, -angle, -second], lengths, twists, strict=True):
        points.append(T[:3, 3].copy())
        axes.append(T[:3, 2].copy())
        c, s, ca, sa = math.cos(theta), math.sin(theta), math.cos(twist), math.sin(twist)
        T = T @ np.array([[c, -s * ca, s * sa, a * c], [s, c * ca, -c * sa, a * s], [0, sa, ca, 0], [0, 0, 0, 1.0]])
    assert np.max(np.abs(T - np.eye(4))) < 1e-12
    return points, axes


def placed(points: list[Floats], axes: list[Floats], seed: int) -> tuple[list[Floats], list[Floats]]:
    """Return points and axes moved as a whole, so that nothing lies along the ground's axes."""
    from scipy.spatial.transform import Rotation

    rng = np.random.default_rng(seed)
    turn, shift = Rotation.from_quat(rng.normal(size=4)).as_matrix(), rng.normal(size=3)
    return [shift + turn @ p for p in points], [turn @ a for a in axes]


def planar_four_bar_in_space(seed: int) -> mb.Model:
    rng = np.random.default_rng(seed)
    corners = ((0, 0), (1, 2), (3, 3), (4, 0))  # links of general length, clear of dead points
    points = [np.append(np.array(c) + rng.uniform(-0.3, 0.3, 2), rng.normal()) for c in corners]
    return ring(*placed(points, [np.array([0.0, 0.0, 1.0])] * 4, seed))


def spherical_four_bar(seed: int) -> mb.Model:
    rng = np.random.default_rng(seed)
    axes = [np.array(a) + 0.2 * rng.normal(size=3) for a in ((1, 0, 1), (0, 1, 2), (-1, 0.5, 1), (-0.5, -1, 1))]
    return ring(*placed([float(rng.uniform(0.5, 2)) * a for a in axes], axes, seed))  # all axes meet in one point


def parallelogram_in_space(seed: int) -> mb.Model:
    rng = np.random.default_rng(seed)
    side, base = np.append(rng.uniform(0.5, 1.0, 2), 0.0), np.array([2.0, 0.0, 0.0])
    points = [np.zeros(3), side, side + base, base]
    return ring(*placed(points, [np.array([0.0, 0.0, 1.0])] * 4, seed))


def bricard(seed: int) -> mb.Model:
    points = [np.array(p, dtype=float) for p in ((0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1))]
    axes = [np.array(a, dtype=float) for a in ((0, 1, 0), (0, 0, 1), (1, 0, 0))] * 2
    return ring(*placed(points, axes, seed))


def bennett_linkage(seed: int) -> mb.Model:
    rng = np.random.default_rng(seed)
    points, axes = bennett(float(rng.uniform(0.4, 0.8)), float(rng.uniform(1.1, 1.3)), float(rng.uniform(0.5, 2.0)))
    return ring(*placed(points, axes, seed))


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize(
    ("make", "redundant"),
    [
        (planar_four_bar_in_space, 3),
        (parallelogram_in_space, 3),
        (spherical_four_bar, 3),
        (bennett_linkage, 3),
        (bricard, 1),
    ],
)
def test_overconstrained_linkages_move(make: object, redundant: int, seed: int) -> None:
    model = make(seed)  # type: ignore[operator]
    system = System(tables_of(model))
    state = model.assemble()
    J = system.scaled(system.jacobian(state.q, 0.0, 0, system.joint_rows))
    assert system.nv - rank(J) == 1
    report = check(model)
    assert report.mobility == 1
    assert len(report.redundant) == redundant
    assert report.gruebler == 1 - redundant


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize(
    "make", [planar_four_bar_in_space, parallelogram_in_space, spherical_four_bar, bennett_linkage, bricard]
)
def test_overconstrained_linkages_follow_a_motion(make: object, seed: int) -> None:
    """Redundant equations are monitored, not solved: all of them stay satisfied."""
    model = make(seed)  # type: ignore[operator]
    model.motion("J0", "0.2*sin(2*t)")
    run = model.kinematics(until=3.0, steps=60)
    assert run.ok, run.status
    assert run.certificate["position_violation"] < 1e-11
    assert run.certificate["velocity_violation"] < 1e-11
    assert np.ptp(run["J1"].values) > 0.01  # it moves


# --- driven loops ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("dimension", "kinds", "low", "high"), [(2, LINKS, 4, 6), (3, CHAIN, 7, 9)])
def test_driven_loops_stay_closed(dimension: int, kinds: tuple[str, ...], low: int, high: int) -> None:
    found = []

    @examples(25)
    @given(single_loops(dimension, kinds, low, high), seeds)
    def holds(mechanism: Mechanism, seed: int) -> None:
        moved = driven(mechanism, np.random.default_rng(seed))
        assume(moved is not None)
        assert moved is not None
        run = moved.model().kinematics(until=6.0, steps=60)
        assert run.ok, run.status
        assert run.certificate["position_violation"] < 1e-12
        assert run.certificate["velocity_violation"] < 1e-12
        assert run.certificate["acceleration_violation"] < 1e-12
        for motion in moved.motions:
            expected = motion.value + motion.amplitude * np.sin(motion.rate * run.time)
            assert np.max(np.abs(run[motion.coordinate].values - expected)) < 1e-12
        found.append(mechanism)

    holds()
    assert len(found) >= 10


@pytest.mark.parametrize("dimension", [2, 3])
def test_driven_trees_follow_their_motions(dimension: int) -> None:
    kinds = [k for k in FREEDOM[dimension] if not (dimension == 3 and k in ("spherical", "free"))]

    @examples(25)
    @given(trees(dimension, 5, kinds), seeds)
    def holds(mechanism: Mechanism, seed: int) -> None:
        assume(mechanism.freedom > 0)
        moved = driven(mechanism, np.random.default_rng(seed), amplitude=1.0)
        assume(moved is not None)
        assert moved is not None
        assert len(moved.motions) == mechanism.freedom
        run = moved.model().kinematics(until=4.0, steps=20)
        assert run.ok, run.status
        for motion in moved.motions:
            phase = motion.rate * run.time
            assert np.max(np.abs(run[motion.coordinate] - motion.value - motion.amplitude * np.sin(phase))) < 1e-12
            rate = run[f"{motion.coordinate}.rate"]
            assert np.max(np.abs(rate - motion.amplitude * motion.rate * np.cos(phase))) < 1e-11

    holds()


# --- four-bars that turn fully ---------------------------------------------------------------------------------------

crank_rockers = st.tuples(
    st.floats(0.2, 0.9), st.floats(0.0, 1.0), st.floats(0.0, 1.0), st.sampled_from([-1, 1]), st.floats(0.0, 6.0)
)


def four_bar(lengths: tuple[float, ...], angle: float, side: int, omega: float = 1.0) -> mb.Model:
    """Ground l1, crank l2 at an angle, coupler l3 with a triangle, rocker l4, drawn closed on one side of A–C."""
    l1, l2, l3, l4 = lengths
    A = l2 * np.array([math.cos(angle), math.sin(angle)])
    gap = np.array([l1, 0.0]) - A
    d = float(np.linalg.norm(gap))
    along = (l3**2 - l4**2 + d**2) / (2.0 * d)
    across = side * math.sqrt(l3**2 - along**2)
    B = A + (along * gap + across * np.array([-gap[1], gap[0]])) / d
    m = mb.Model("four-bar", dimension=2)
    m.frames(C=(l1, 0.0))
    m.body("crank", frames={"A": (l2, 0)}, angle=angle)
    m.body("coupler", com=(0.4 * l3, 0.1), frames={"B": (l3, 0), "P": (0.5 * l3, 0.7)}, at=A, angle=math.atan2(*(B - A)[::-1]))
    m.body("rocker", frames={"B": (l4, 0)}, at=(l1, 0), angle=math.atan2(B[1], B[0] - l1))
    m.revolute("O", "ground", "crank")
    m.revolute("A", "crank.A", "coupler")
    m.revolute("B", "coupler.B", "rocker.B")
    m.revolute("C", "ground.C", "rocker")
    m.motion("O", f"{angle!r} + {omega!r}*t")
    return m


@examples(25)
@given(crank_rockers)
def test_crank_rockers_turn_fully(numbers: tuple[float, float, float, int, float]) -> None:
    """Grashof with the shortest link as the crank: revolutions without end, on one branch, back where it began."""
    short, u, w, side, angle = numbers
    l1, l3 = 1.0 + u, 1.0 + w
    low, high = max(l1, l3) + short - min(l1, l3), l1 + l3 - short  # l4 between: s + l < p + q whichever is longest
    l4 = low + (high - low) * (0.15 + 0.7 * abs(u - w))
    model = four_bar((l1, short, l3, l4), angle, side)
    state = model.assemble()
    assert state.ok and state.branch in ("+", "-")
    assert "crank-rocker" in str(model.check())
    run = model.kinematics(until=2.0 * math.pi * 5, steps=5 * 72)
    assert run.ok and not run.singularities
    assert run.certificate["position_violation"] < 1e-12
    assert {label for _, label in run.branches} == {state.branch}
    assert run["O"].values[-1] == pytest.approx(angle + 10.0 * math.pi, abs=1e-10)  # turns are counted
    assert np.ptp(run["crank.angle"].values) == pytest.approx(10.0 * math.pi, abs=1e-10)
    for turn in range(1, 6):
        for path in ("coupler.P.x", "coupler.P.y", "coupler.angle", "rocker.angle", "C", "C.rate", "C.acceleration"):
            assert run[path].values[72 * turn] == pytest.approx(run[path].values[0], abs=1e-10)
    area = _triangle(run)
    assert np.all(area * area[0] > 0.0)


def _triangle(run: object) -> Floats:
    """Return twice the signed area of A, B, C: its sign tells the two assemblies apart."""
    read = lambda path: run[path].values  # type: ignore[index]  # noqa: E731
    A = np.stack([read("coupler.origin.x"), read("coupler.origin.y")])
    B = np.stack([read("coupler.B.x"), read("coupler.B.y")])
    C = np.stack([read("rocker.origin.x"), read("rocker.origin.y")])
    return np.asarray((B - A)[0] * (C - B)[1] - (B - A)[1] * (C - B)[0])


def test_regularity_of_the_drawn_loops_is_what_the_strategies_promise() -> None:
    """A refused mechanism is one near a singular pose; one that is driven has no singular value near zero."""

    @examples(10)
    @given(single_loops(3, CHAIN, 7, 9), seeds)
    def holds(mechanism: Mechanism, seed: int) -> None:
        moved = driven(mechanism, np.random.default_rng(seed))
        if moved is not None:
            assert regularity(joint_jacobian(mechanism)) >= 0.02

    holds()
