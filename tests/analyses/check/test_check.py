"""Check: mobility, rank, redundancy, reactions, singularity, idle freedom and loops where the answers are known."""

from __future__ import annotations

import json
import math
import time

import numpy as np
import pytest

from multibody.analyses.check.check import check
from multibody.analyses.check.four_body_loops import four_cycles, full_turn, grashof
from multibody.errors import AnalysisError
from multibody.model.model import Model
from multibody.state.poses import drawn_pose
from multibody.state.system import System, tables_of


def place(dimension: int, x: float, y: float) -> tuple[float, ...]:
    return (float(x), float(y)) if dimension == 2 else (float(x), float(y), 0.0)


def four_bar(l1: float, l2: float, l3: float, l4: float, angle: float = 1.0, dimension: int = 2) -> Model:
    """Ground l1 along x, crank l2 at the given angle, coupler l3, rocker l4."""
    A = l2 * np.array([math.cos(angle), math.sin(angle)])
    gap = np.array([l1, 0.0]) - A
    d = float(np.linalg.norm(gap))
    along = (l3**2 - l4**2 + d**2) / (2.0 * d)
    across = math.sqrt(max(l3**2 - along**2, 0.0))
    B = A + (along * gap + across * np.array([-gap[1], gap[0]])) / d
    m = Model("four-bar", dimension=dimension)
    for name in ("crank", "coupler", "rocker"):
        m.body(name)
    m.revolute("O", "ground", "crank", at=place(dimension, 0.0, 0.0))
    m.revolute("A", "crank", "coupler", at=place(dimension, *A))
    m.revolute("B", "coupler", "rocker", at=place(dimension, *B))
    m.revolute("C", "ground", "rocker", at=place(dimension, l1, 0.0))
    return m


def slider_crank(dimension: int = 2, offset: float = 0.0, angle: float = 0.3) -> Model:
    l2, l3 = 0.15, 0.35
    pin = l2 * math.cos(angle), l2 * math.sin(angle)
    x = pin[0] + math.sqrt(l3**2 - (pin[1] - offset) ** 2)
    m = Model("slider-crank", dimension=dimension)
    for name in ("crank", "rod", "slider"):
        m.body(name)
    m.revolute("O", "ground", "crank", at=place(dimension, 0.0, 0.0))
    m.revolute("A", "crank", "rod", at=place(dimension, *pin))
    m.revolute("B", "rod", "slider", at=place(dimension, x, offset))
    m.translational("S", "ground", "slider", at=place(dimension, x, offset), axis=place(dimension, 1.0, 0.0))
    return m


def bricard() -> Model:
    points = [(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)]
    axes = [(0, 1, 0), (0, 0, 1), (1, 0, 0)] * 2
    bodies = ["ground", *(f"rod{k}" for k in range(1, 6)), "ground"]
    m = Model("bricard", gravity=(0, -9.81, 0))
    for name in bodies[1:-1]:
        m.body(name)
    for k in range(6):
        m.revolute(f"J{k + 1}", bodies[k], bodies[k + 1], at=points[k], axis=axes[k])
    return m


def rssr() -> Model:
    m = Model("rssr", gravity=(0, 0, -9.81))
    for name in ("crank", "coupler", "rocker"):
        m.body(name)
    m.revolute("crank_pivot", "ground", "crank", at=(0, 0, 0), axis=(1, 0.2, -0.05))
    m.spherical("crank_pin", "crank", "coupler", at=(0.01, -0.03, 0.08))
    m.spherical("rocker_pin", "coupler", "rocker", at=(0.25, 0.20, 0.10))
    m.revolute("rocker_pivot", "ground", "rocker", at=(0.30, 0.05, 0.0), axis=(0.1, -0.3, 1))
    m.motion("crank_pivot.angle", "10*t")
    return m


def planetary(n: int, dimension: int = 2) -> Model:
    sun, planet = 24, 18
    m = Model("planetary", dimension=dimension)
    m.body("sun")
    m.body("arm")
    m.revolute("S", "ground", "sun")
    m.revolute("C", "ground", "arm")
    for k in range(1, n + 1):
        at = place(dimension, 0.042 * math.cos(2 * math.pi * k / n), 0.042 * math.sin(2 * math.pi * k / n))
        m.body(f"planet{k}", at=at)
        m.revolute(f"P{k}", "arm", f"planet{k}", at=at)
        m.gear(f"sun_mesh{k}", "sun", f"planet{k}", carrier="arm", teeth=(sun, planet))
        ring = (sun + 2 * planet, planet)
        m.gear(f"ring_mesh{k}", "ground", f"planet{k}", carrier="arm", teeth=ring, internal=True)
    m.motion("S", "1500*rpm*t")
    return m


def ladder(n: int, angle: float = math.pi / 2, dimension: int = 2) -> Model:
    """Cranks of unit length on ground, neighbors joined by bars: n parallelograms in a row."""
    m = Model("ladder", dimension=dimension)
    c, s = math.cos(angle), math.sin(angle)
    for k in range(n + 1):
        m.body(f"v{k}")
        m.revolute(f"G{k}", "ground", f"v{k}", at=place(dimension, k, 0.0))
    for k in range(1, n + 1):
        m.body(f"h{k}")
        m.revolute(f"L{k}", f"v{k - 1}", f"h{k}", at=place(dimension, k - 1 + c, s))
        m.revolute(f"R{k}", f"h{k}", f"v{k}", at=place(dimension, k + c, s))
    return m


def pendulums(n: int) -> Model:
    m = Model("pendulums", dimension=2, gravity=(0, -9.81))
    previous = "ground"
    for k in range(n):
        m.body(f"link{k + 1}")
        m.revolute(f"J{k + 1}", previous, f"link{k + 1}", at=(float(k), 0.1 * k * k))
        previous = f"link{k + 1}"
    return m


def drawn(model: Model) -> np.ndarray:
    return drawn_pose(System(tables_of(model)))


# --- counts -----------------------------------------------------------------------------------------------------------
def test_planar_four_bar() -> None:
    report = check(four_bar(4.0, 2.0, 3.0, 3.5))
    assert (report.coordinates, report.equations, report.rank, report.generic_rank) == (9, 8, 8, 8)
    assert (report.mobility, report.gruebler, report.motions) == (1, 1, 0)
    assert report.redundant == [] and report.dependent_groups == []
    assert all(report.unique_reactions.values())
    assert report.nearness == "regular"
    assert report.notes == []


def test_double_pendulum_has_two_freedoms() -> None:
    report = check(pendulums(2))
    assert (report.coordinates, report.equations, report.rank, report.mobility) == (6, 4, 4, 2)
    assert report.gravity == "(0, -9.81) m/s²"


def test_flat_parallelogram_is_a_change_point_not_two_freedoms() -> None:
    report = check(four_bar(2.0, 1.0, 2.0, 1.0, angle=0.0))
    assert (report.rank, report.generic_rank, report.mobility) == (7, 8, 1)
    assert report.smallest_singular_value == pytest.approx(0.0, abs=1e-12)
    assert report.nearness.startswith("singular: a change point")
    assert report.redundant == [], "nothing is redundant where it moves"
    assert all(report.unique_reactions.values())


def test_near_a_change_point() -> None:
    report = check(four_bar(2.0, 1.0, 2.0, 1.0, angle=0.01))
    assert (report.rank, report.mobility) == (8, 1)
    assert report.nearness.startswith("near a singular configuration")
    assert check(four_bar(2.0, 1.0, 2.0, 1.0, angle=1.0)).nearness == "regular"


def test_parallelogram_with_a_third_crank_is_redundant_everywhere() -> None:
    m = four_bar(2.0, 1.0, 2.0, 1.0, angle=1.0)
    m.body("third")
    m.revolute("D", "ground", "third", at=(1.0, 0.0))
    m.revolute("E", "coupler", "third", at=(1.0 + math.cos(1.0), math.sin(1.0)))
    report = check(m)
    assert (report.coordinates, report.equations, report.rank, report.mobility, report.gruebler) == (12, 12, 11, 1, 0)
    assert len(report.redundant) == 1 and report.redundant[0].startswith("E: ")
    assert not any(report.unique_reactions.values())


def test_planar_four_bar_in_space() -> None:
    report = check(four_bar(4.0, 2.0, 3.0, 3.5, dimension=3))
    assert (report.coordinates, report.equations, report.rank, report.mobility, report.gruebler) == (18, 20, 17, 1, -2)
    assert len(report.redundant) == 3
    assert all("rotation" in name for name in report.redundant), "axes go before points"
    for parts in report.reaction_components.values():
        assert parts == {"force": [True, True, False], "moment": [False, False, True]}


def test_spatial_slider_crank() -> None:
    report = check(slider_crank(3))
    assert (report.coordinates, report.equations, report.rank, report.mobility) == (18, 20, 17, 1)
    assert len(report.redundant) == 3 == len(report.dependent_groups)
    assert report.reaction_components["A"] == {"force": [True, True, False], "moment": [False, False, True]}
    assert report.reaction_components["S"] == {"force": [True, True, False], "moment": [False, False, True]}
    for name, group in zip(report.redundant, report.dependent_groups, strict=True):
        assert name in group


def test_bricard_is_overconstrained_everywhere() -> None:
    report = check(bricard())
    assert (report.coordinates, report.equations, report.rank, report.generic_rank) == (30, 30, 29, 29)
    assert (report.mobility, report.gruebler) == (1, 0)
    assert len(report.redundant) == 1
    assert report.nearness == "regular"


def test_peaucellier() -> None:
    L, s, c = 4.0, 2.0, 1.5
    P = np.array([c + c * math.cos(0.4), c * math.sin(0.4)])
    d = float(np.linalg.norm(P))
    along, n = P / d, np.array([-P[1], P[0]]) / d
    x = (L**2 - s**2 + d**2) / (2 * d)
    y = math.sqrt(L**2 - x**2)
    points = {"A": x * along + y * n, "B": x * along - y * n, "R": 2 * x * along - P, "P": P}
    at = {name: (float(p[0]), float(p[1])) for name, p in points.items()}
    m = Model("peaucellier", dimension=2)
    for name in ("crank", "OA", "OB", "PA", "PB", "RA", "RB"):
        m.body(name)
    m.revolute("Q", "ground", "crank", at=(c, 0.0))
    for k in "AB":
        m.revolute(f"O{k}1", "ground", f"O{k}", at=(0.0, 0.0))
        m.revolute(f"P{k}1", "crank", f"P{k}", at=at["P"])
        m.revolute(f"{k}1", f"O{k}", f"P{k}", at=at[k])
        m.revolute(f"{k}2", f"O{k}", f"R{k}", at=at[k])
    m.revolute("R", "RA", "RB", at=at["R"])
    report = check(m)
    assert (report.coordinates, report.equations, report.rank, report.mobility) == (21, 20, 20, 1)
    assert report.redundant == []


@pytest.mark.parametrize("dimension", [2, 3])
def test_planetary_gear_has_redundant_meshes(dimension: int) -> None:
    report = check(planetary(3, dimension))
    assert report.mobility == 1
    assert report.equations - report.rank == 2
    assert report.redundant == ["ring_mesh2: mesh", "ring_mesh3: mesh"]
    assert report.dependent_groups[0] == ["sun_mesh1: mesh", "ring_mesh1: mesh", "sun_mesh2: mesh", "ring_mesh2: mesh"]
    assert not any(unique for name, unique in report.unique_reactions.items() if "mesh" in name)
    assert all(unique for name, unique in report.unique_reactions.items() if "mesh" not in name)
    assert report.nearness == "regular"
    assert check(planetary(1, dimension)).redundant == []


# --- reactions --------------------------------------------------------------------------------------------------------
def test_door_on_two_hinges() -> None:
    m = Model("door")
    m.body("leaf", com=(0.4, 0.02, 1.0))
    m.revolute("lower", "ground", "leaf", at=(0, 0, 0))
    m.revolute("upper", "ground", "leaf", at=(0, 0, 2))
    report = check(m)
    assert (report.rank, report.mobility, len(report.redundant)) == (5, 1, 5)
    for parts in report.reaction_components.values():
        assert parts == {"force": [False, False, False], "moment": [False, False, True]}


@pytest.mark.parametrize("ends", [("ground", "leaf"), ("leaf", "ground")])
def test_door_on_two_balls_shares_only_the_force_along_their_line(ends: tuple[str, str]) -> None:
    m = Model("door")
    m.body("leaf", com=(0.4, 0.02, 1.0))
    m.spherical("lower", "ground", "leaf", at=(0, 0, 0))
    m.spherical("upper", *ends, at=(0, 0, 2))
    report = check(m)
    assert (report.rank, report.mobility) == (5, 1)
    for parts in report.reaction_components.values():
        assert parts == {"force": [True, True, False], "moment": [True, True, True]}
    assert report.unique_reactions == {"lower": False, "upper": False}


def test_second_joint_point_is_where_moments_are_taken() -> None:
    """A beam held twice along x: the shared forces run along the line of the pins and have no moment about either."""
    m = Model("beam", dimension=2)
    m.body("beam", com=(0.7, 0.5))
    m.revolute("left", "ground", "beam", at=(0.0, 0.0))
    m.revolute("right", "ground", "beam", at=(1.0, 0.0))
    report = check(m)
    assert (report.rank, report.mobility) == (3, 0)
    for parts in report.reaction_components.values():
        assert parts == {"force": [False, True], "moment": [True]}


# --- idle freedom and motions -----------------------------------------------------------------------------------------
def test_rssr_coupler_spins_idly() -> None:
    report = check(rssr())
    assert (report.equations, report.mobility) == (16, 2)
    assert report.idle == ['spin of "coupler" about the line crank_pin–rocker_pin']
    assert "mobility 2, of which 1 idle" in report.notes
    assert "1 degree of freedom is not driven (idle)" in report.notes
    assert report.nearness == "regular"


def test_rod_between_two_sliders_slides_idly() -> None:
    m = Model("rod")
    m.body("rod")
    m.body("carriage")
    m.translational("T", "ground", "carriage", axis=(0, 0, 1))
    m.cylindrical("left", "ground", "rod", at=(0, 0.2, 0), axis=(0, 0, 1))
    m.cylindrical("right", "carriage", "rod", at=(0, 0.2, 1), axis=(0, 0, 1))
    report = check(m)
    assert report.mobility == 3
    assert report.idle[0] == 'spin of "rod" about the line left–right'
    assert report.idle[1:] == ['slide of "rod" along (0, 0, 1)', 'slide of "carriage" along (0, 0, 1)']


def test_undriven_freedom_is_told_with_candidates() -> None:
    m = pendulums(3)
    m.motion("J2", "t")
    assert "2 degrees of freedom are not driven; a motion could go on J1, J3" in check(m).notes


def test_motions_that_conflict_are_named() -> None:
    m = four_bar(4.0, 2.0, 3.0, 3.5)
    m.motion("O", "t")
    m.motion("C", "0.5*t")
    notes = check(m, drawn(m)).notes
    assert 'motion "C" conflicts with motion "O": the one determines the other' in notes
    fixed = Model("fixed", dimension=2)
    fixed.body("a")
    fixed.revolute("A", "ground", "a")
    fixed.revolute("B", "ground", "a", at=(1.0, 0.0))
    fixed.motion("A", "t")
    assert any('motion "A" drives what the joints hold fixed' in note for note in check(fixed).notes)


def test_driven_slider_is_singular_in_line_but_a_driven_crank_is_not() -> None:
    m = slider_crank(angle=0.0)
    m.motion("S", "-0.1*t")
    report = check(m, drawn(m))
    assert (report.rank, report.generic_rank) == (8, 8)
    assert report.nearness.startswith("singular: the motions cannot drive it here")
    assert report.smallest_singular_value == pytest.approx(0.0, abs=1e-12)
    crank = slider_crank(angle=0.0)
    crank.motion("O", "t")
    assert check(crank).nearness == "regular"


def test_a_motion_on_a_contact() -> None:
    m = Model("cam", dimension=2)
    m.body("cam")
    m.body("follower")
    m.revolute("O", "ground", "cam")
    m.translational("guide", "ground", "follower", axis=(0, 1))
    m.cam("contact", "cam", "follower", profile="0.03 + 0.005*(1 - cos(phi))", roller=0.008)
    m.initial({}, guess={"guide": 0.04})
    m.motion("contact", "pi/2 + t")
    report = check(m)
    assert (report.coordinates, report.equations, report.mobility) == (7, 6, 1)
    assert not any("not driven" in note for note in report.notes)


# --- loops ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("lengths", "words"),
    [
        ((4.0, 2.0, 3.0, 3.5), "crank-rocker"),
        ((0.35, 0.2, 0.35, 0.25), "crank-rocker"),
        ((1.0, 2.0, 2.5, 2.2), "double crank"),
        ((2.2, 2.0, 1.0, 2.5), "double rocker"),
        ((4.0, 2.5, 2.0, 3.0), "triple rocker"),
        ((2.0, 1.0, 2.0, 1.0), "parallelogram"),
        ((2.0, 1.0, 2.5, 1.5), "limit of Grashof's rule"),
    ],
)
@pytest.mark.parametrize("dimension", [2, 3])
def test_grashof_classes(lengths: tuple[float, ...], words: str, dimension: int) -> None:
    loops = check(four_bar(*lengths, angle=0.9, dimension=dimension)).loops
    assert len(loops) == 1
    assert loops[0].startswith(f"four-bar O–A–B–C (ground {lengths[0]:g}, crank {lengths[1]:g}, coupler {lengths[2]:g}")
    assert words in loops[0]


@pytest.mark.parametrize("grounded", [True, False])
@pytest.mark.parametrize(
    ("lengths", "words"),
    [
        ((10.0, 1.0, 1.0, 1.0), 'cannot be assembled, "a" is longer than the three others together by 7'),
        ((1.0, 2.0, 1.5, 4.6), 'cannot be assembled, "d" is longer than the three others together by 0.1'),
        ((3.0, 1.0, 1.0, 1.0), 'rigid, "a" is as long as the three others together'),
        ((2.0, 2.0, 2.0, 2.0), "rhombus, a parallelogram of equal links (s + l = p + q)"),
        ((1.0, 3.0, 1.0, 3.0), "parallelogram (s + l = p + q)"),
        ((1.0, 1.0, 3.0, 3.0), "kite (s + l = p + q)"),
        ((3.0, 1.0, 1.0, 3.0), "kite (s + l = p + q)"),
        ((2.0, 1.0, 2.5, 1.5), "limit of Grashof's rule (s + l = p + q)"),
    ],
)
def test_four_bars_at_and_beyond_the_limits(lengths: tuple[float, ...], words: str, grounded: bool) -> None:
    """Whatever the unit."""
    for unit in (1.0, 1e-6, 1e9):
        found = grashof([unit * x for x in lengths], ["a", "b", "c", "d"], grounded)
        assert found.startswith(words if unit == 1.0 else words.split(" by ")[0])


@pytest.mark.parametrize(
    ("sizes", "words"),
    [
        ((1.0, 2.0, 4.0), 'cannot be assembled, "crank" and "rod" together are 1 shorter than the offset'),
        ((1.0, 2.0, 3.0), 'rigid, "crank" and "rod" reach the slide in line only'),
        ((1.0, 2.0, 2.0), '"crank" cannot turn fully'),
        ((1.0, 2.0, 1.0), '"crank" turns fully, with a change point'),
        ((1.0, 2.0, 0.5), '"crank" turns fully'),
        ((2.0, 1.0, 0.5), '"rod" turns fully relative to "crank", "crank" rocks'),
        ((1.0, 1.0, 0.0), '"crank" turns fully, with change points'),
    ],
)
def test_slider_cranks_at_and_beyond_the_limits(sizes: tuple[float, float, float], words: str) -> None:
    for unit in (1.0, 1e-6, 1e9):
        found = full_turn(*(unit * x for x in sizes), "crank", "rod", True)
        assert found.startswith(words if unit == 1.0 else words.split(" are ")[0])


def test_a_four_bar_that_cannot_close_is_not_classified() -> None:
    """In the report too, where the links are drawn in line."""
    m = Model("open", dimension=2)
    for k in range(3):
        m.body(f"b{k}", at=(float(k), 0.0), frames={"end": (1.0, 0.0)})
    m.frames(far=(10.0, 0.0))
    m.revolute("O", "ground", "b0")
    m.revolute("A", "b0.end", "b1")
    m.revolute("B", "b1.end", "b2")
    m.revolute("C", "ground.far", "b2.end")
    (loop,) = check(m).loops
    assert 'cannot be assembled, "ground" is longer' in loop and "rocker" not in loop


@pytest.mark.parametrize("count", [1, 2])
def test_conflicting_motions_are_left_out_of_what_is_called_regular(count: int) -> None:
    """The configuration is regular without them, and says so."""
    m = four_bar(4.0, 1.0, 3.0, 3.5)
    m.motion("O", "t")
    assert check(m).nearness == "regular"
    for joint in ("A", "C")[:count]:
        m.motion(joint, "0.1*t")
    report = check(m)
    names = [name for name in ("O", "A", "C") if name in report.nearness.partition("motion")[2]]
    assert report.nearness.startswith("regular without the motion") and len(names) == count
    assert sum("conflicts" in note for note in report.notes) == count


def test_grashof_names_the_crank_and_floating_loops() -> None:
    assert '"d" turns fully and "b" rocks' in grashof([4.0, 3.5, 3.0, 2.0], ["a", "b", "c", "d"], True)
    assert grashof([4.0, 3.5, 3.0, 2.0], ["a", "b", "c", "d"], False).startswith('Grashof, "d" turns fully')
    assert grashof([4.0, 2.5, 2.0, 3.0], ["a", "b", "c", "d"], False).startswith("not Grashof")


@pytest.mark.parametrize("dimension", [2, 3])
def test_slider_crank_turns_fully_up_to_its_offset(dimension: int) -> None:
    assert check(slider_crank(dimension)).loops == [
        'slider-crank O–A–B–S (crank 0.15, rod 0.35, offset 0): "crank" turns fully'
    ]
    assert "offset 0.2): \"crank\" turns fully" in check(slider_crank(dimension, 0.2)).loops[0]
    assert '"crank" cannot turn fully (0.2 < offset 0.25)' in check(slider_crank(dimension, 0.25)).loops[0]
    assert '"rod" turns fully relative to "crank", "crank" rocks' in full_turn(0.4, 0.2, 0.0, "crank", "rod", True)
    assert "change points" in full_turn(0.2, 0.2, 0.0, "crank", "rod", True)


def test_inverted_slider_crank() -> None:
    m = Model("inverted", dimension=2)
    for name in ("crank", "slider", "lever"):
        m.body(name)
    m.revolute("O2", "ground", "crank", at=(0.0, 0.0))
    m.revolute("A", "crank", "slider", at=(0.1, 0.0))
    m.translational("S", "slider", "lever", at=(0.1, 0.0), axis=(0.1, 0.3))
    m.revolute("O3", "ground", "lever", at=(0.0, -0.3))
    loops = check(m).loops
    assert len(loops) == 1 and loops[0].startswith("inverted slider-crank")
    assert "crank 0.1" in loops[0] and "ground 0.3" in loops[0] and '"crank" turns fully' in loops[0]


def test_a_spherical_loop_is_no_planar_four_bar() -> None:
    m = four_bar(4.0, 2.0, 3.0, 3.5, dimension=3)
    other = Model("tilted")
    for name in m.bodies:
        other.body(name)
    for name, joint in m.joints.items():
        other.revolute(name, joint.first, joint.second, at=joint.at, axis=(0.1 if name == "B" else 0.0, 0, 1))
    assert check(other).loops == []


def test_four_cycles_are_each_found_once() -> None:
    random = np.random.default_rng(3)
    for _ in range(20):
        n = 9
        edges = {(a, b) for a in range(n) for b in range(a + 1, n) if random.random() < 0.35}
        adjacent: dict[int, list[int]] = {v: [] for v in range(n)}
        for a, b in edges:
            adjacent[a].append(b)
            adjacent[b].append(a)
        found = [_canonical(cycle) for cycle in four_cycles(adjacent)]
        assert len(found) == len(set(found))
        brute = set()
        for a in range(n):
            for b in adjacent[a]:
                for c in adjacent[b]:
                    for d in adjacent[c]:
                        if len({a, b, c, d}) == 4 and a in adjacent[d]:
                            brute.add(_canonical((a, b, c, d)))
        assert set(found) == brute


def _canonical(cycle: tuple[int, ...]) -> frozenset[frozenset[int]]:
    return frozenset(frozenset((cycle[k], cycle[(k + 1) % 4])) for k in range(4))


# --- special cases ----------------------------------------------------------------------------------------------------
def test_shaky_structure_has_no_mobility() -> None:
    m = Model("shaky", dimension=2)
    m.body("a")
    m.body("b")
    m.revolute("O", "ground", "a", at=(0.0, 0.0))
    m.revolute("A", "a", "b", at=(1.0, 0.0))
    m.revolute("C", "b", "ground", at=(2.0, 0.0))
    report = check(m)
    assert (report.rank, report.mobility) == (5, 0)
    assert report.nearness.startswith("singular: the structure gives way to first order")
    assert not any(report.unique_reactions.values()), "it can be prestressed"


def test_without_joints() -> None:
    single = Model("single")
    single.body("a", mass=1.0)
    report = check(single)
    assert (report.coordinates, report.equations, report.rank, report.mobility) == (6, 0, 0, 6)
    assert report.smallest_singular_value is None
    assert "gravity: none" in str(report)
    free = Model("free", dimension=2)
    free.body("a")
    free.free("F", "ground", "a")
    free.motion("F.x", "t")
    report = check(free)
    assert (report.mobility, report.motions) == (3, 1)
    assert "2 degrees of freedom are not driven; a motion could go on F.y, F.angle" in report.notes


def test_two_separate_mechanisms() -> None:
    m = four_bar(4.0, 2.0, 3.0, 3.5)
    m.body("x")
    m.body("y")
    m.revolute("X", "x", "y", at=(9.0, 9.0))
    report = check(m)
    assert report.mobility == 1 + 4
    assert report.redundant == []


def test_a_mechanism_that_cannot_close_is_judged_as_drawn() -> None:
    m = Model("open", dimension=2)
    m.body("a", frames={"end": (1, 0)})
    m.body("b", frames={"end": (1, 0)})
    m.frames(far=(3, 1))
    m.revolute("O", "ground", "a")
    m.revolute("A", "a.end", "b")
    m.revolute("C", "b.end", "ground.far")
    report = check(m)
    assert (report.coordinates, report.equations) == (6, 6)
    assert report.notes[0].startswith("assembly fails: ") and "drawn pose" in report.notes[0]


def test_a_pose_must_fit() -> None:
    with pytest.raises(AnalysisError, match="finite numbers"):
        check(pendulums(2), np.zeros(5))
    with pytest.raises(AnalysisError, match="finite numbers"):
        check(pendulums(2), np.full(6, np.nan))


def test_units_and_place_do_not_matter() -> None:
    reports = []
    for size, shift in ((1.0, (0.0, 0.0, 0.0)), (1000.0, (3e4, -2e4, 1e4))):
        m = Model("door")
        m.body("leaf", at=shift, com=(0.4 * size, 0.02 * size, size), frames={"top": (0, 0, 2 * size)})
        m.spherical("lower", "ground", "leaf", at=shift)
        m.revolute("upper", "ground", "leaf", at=(shift[0], shift[1], shift[2] + 2 * size))
        reports.append(check(m))
    a, b = reports
    assert (a.rank, a.redundant, a.reaction_components) == (b.rank, b.redundant, b.reaction_components)
    assert a.smallest_singular_value == pytest.approx(b.smallest_singular_value, rel=1e-9)


def test_report_as_text_and_as_data() -> None:
    report = check(planetary(3))
    text = str(report)
    assert len(text.splitlines()) <= 25
    assert "gravity: none" in text and "redundant" in text and "ring_mesh2: mesh" in text
    data = json.loads(json.dumps(report.plain()))
    expected = {
        "coordinates", "equations", "rank", "mobility", "gruebler", "redundant", "unique_reactions",
        "smallest_singular_value", "notes",
    }  # fmt: skip
    assert expected <= set(data)
    assert data["unique_reactions"]["S"] is True and data["rank"] == report.rank


def test_answers_are_the_same_every_time() -> None:
    assert check(bricard()).plain() == check(bricard()).plain()


# --- large ------------------------------------------------------------------------------------------------------------
def test_ladder_of_a_thousand_loops() -> None:
    n = 1000
    m = ladder(n)
    start = time.perf_counter()
    report = check(m)
    assert time.perf_counter() - start < 60.0, "of the order of a second where nothing is quadratic"
    assert (report.coordinates, report.equations, report.rank, report.mobility) == (6 * n + 3, 6 * n + 2, 6 * n + 2, 1)
    assert report.nearness == "regular"
    assert len(report.loops) == 11 and report.loops[-1] == f"and {n - 10} more"
    assert len(str(report).splitlines()) <= 25


def test_flat_ladder_is_a_change_point() -> None:
    n = 150
    report = check(ladder(n, angle=0.0))
    assert (report.rank, report.generic_rank, report.mobility) == (5 * n + 2, 6 * n + 2, 1)
    assert report.nearness.startswith("singular: a change point")


def test_spatial_ladder_names_its_redundant_rows() -> None:
    n = 70
    report = check(ladder(n, angle=1.0, dimension=3))
    assert report.mobility == 1
    assert len(report.redundant) == 3 * n == report.equations - report.rank
    assert report.reaction_components["L7"] == {"force": [True, True, False], "moment": [False, False, True]}


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("given", [{}, {"mass": 2.0}])
def test_a_body_without_points_and_inertia_has_a_length(dimension: int, given: dict[str, float]) -> None:
    """What is not stated is not read from elsewhere: the characteristic length is 1 where nothing gives one."""
    m = Model("lone", dimension=dimension)
    m.body("b", **given)  # type: ignore[arg-type]
    m.revolute("O", "ground", "b")
    assert check(m).mobility == 1 and tables_of(m).length == 1.0
