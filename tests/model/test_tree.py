"""The spanning tree: what is cut where the answer is known, overrides, order, and random graphs against Kruskal."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import multibody as mb
from across.properties.strategies import examples
from multibody.analyses.check.check import check
from multibody.state.system import tables_of
from multibody.tables.tree import Link, Tree, joint_freedom, loop_rows, spanning_tree


def bodies_and(dimension: int, *names: str) -> Any:
    """Return a model of bodies without joints."""
    m = mb.Model("m", dimension=dimension)
    for name in names:
        m.body(name)
    return m


def four_bar(dimension: int = 2) -> Any:
    m = bodies_and(dimension, "crank", "coupler", "rocker")
    for name, first, second in (("O", "ground", "crank"), ("A", "crank", "coupler"), ("B", "coupler", "rocker")):
        m.revolute(name, first, second)
    m.revolute("C", "ground", "rocker")
    return m


def platform() -> Any:
    """Stewart's platform: six legs, universal below, sliding, ball above."""
    m = bodies_and(3, "top")
    for k in range(6):
        m.body(f"low{k}")
        m.body(f"high{k}")
        m.universal(f"U{k}", "ground", f"low{k}", axes=[(1, 0, 0), (0, 1, 0)])
        m.translational(f"P{k}", f"low{k}", f"high{k}", axis=(0, 0, 1))
        m.spherical(f"S{k}", f"high{k}", "top")
    return m


def ladder(n: int) -> Any:
    """Cranks on the ground, neighbors joined by bars: n loops."""
    m = bodies_and(2, "v0")
    m.revolute("G0", "ground", "v0")
    for k in range(1, n + 1):
        m.body(f"v{k}")
        m.body(f"h{k}")
        m.revolute(f"G{k}", "ground", f"v{k}")
        m.revolute(f"L{k}", f"v{k - 1}", f"h{k}")
        m.revolute(f"R{k}", f"h{k}", f"v{k}")
    return m


def tree_of(model: Any, cut: list[str] | None = None) -> Tree:
    return spanning_tree(tables_of(model), cut)


def carriers(model: Any, tree: Tree) -> dict[str, tuple[str, str]]:
    """Return for each body what carries it: body and joint."""
    names = ["ground", *model.bodies]
    return {names[link.body]: (names[link.parent], link.joint) for link in tree.links}


# --- what is cut ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("dimension", [2, 3])
def test_a_four_bar_is_cut_once_in_its_middle(dimension: int) -> None:
    m = four_bar(dimension)
    tree = tree_of(m)
    assert tree.cut == ("B",)
    assert carriers(m, tree) == {"crank": ("ground", "O"), "coupler": ("crank", "A"), "rocker": ("ground", "C")}


@pytest.mark.parametrize("name", ["spatial-four-bar", "spatial-four-bar-haug"])
def test_the_joint_with_the_fewest_equations_is_cut(name: str) -> None:
    m = mb.load(name)
    (cut,) = tree_of(m).cut
    assert m.joints[cut].kind.name == "spherical"


@pytest.mark.parametrize("name", ["rrc-arm", "arm7", "double-pendulum", "chain"])
def test_open_chains_are_not_cut(name: str) -> None:
    m = mb.load(name)
    tree = tree_of(m)
    assert tree.cut == ()
    assert tree.depth == tuple(range(1, len(m.bodies) + 1))
    assert loop_rows(tables_of(m), tree) == []


@pytest.mark.parametrize("driven", ["A", "B"])
def test_a_driven_joint_stays_in_the_tree(driven: str) -> None:
    m = four_bar()
    m.motion(driven, "t")
    tree = tree_of(m)
    assert len(tree.cut) == 1 and driven not in tree.cut
    assert driven in {link.joint for link in tree.links}
    assert len(loop_rows(tables_of(m), tree)) == 2, "the motion prescribes a joint coordinate and closes nothing"


def test_fewer_equations_outweigh_a_motion() -> None:
    m = bodies_and(3, "a", "b")
    m.revolute("O", "ground", "a")
    m.revolute("Q", "ground", "b")
    m.cylindrical("C", "a", "b")
    m.motion("C.angle", "t")
    assert tree_of(m).cut == ("C",)
    assert len(loop_rows(tables_of(m), tree_of(m))) == 5, "four of C and one of its motion"


def test_stewart_platform() -> None:
    m = platform()
    tables = tables_of(m)
    tree = spanning_tree(tables)
    assert len(tree.cut) == 5 and {m.joints[name].kind.name for name in tree.cut} == {"spherical"}
    assert sum(joint_freedom(tables, link) for link in tree.links) == 6 * 2 + 6 + 3
    assert len(loop_rows(tables, tree)) == 15, "21 joint coordinates and 15 equations leave the six freedoms"


def test_parallel_joints_between_two_bodies() -> None:
    m = bodies_and(3, "door")
    m.spherical("low", "ground", "door")
    m.revolute("hinge", "door", "ground")
    tree = tree_of(m)
    assert tree.cut == ("low",)
    assert tree.links == (Link(1, 0, "hinge", True),), "the door is the first end of its hinge"


# --- bodies that float ------------------------------------------------------------------------------------------------
def test_bodies_on_no_pair_are_free() -> None:
    m = bodies_and(3, "a", "b", "c", "d")
    m.spherical("J", "c", "b")
    m.distance("rod", "ground", "d", length=1)
    tree = tree_of(m)
    assert carriers(m, tree) == {"a": ("ground", ""), "b": ("ground", ""), "c": ("b", "J"), "d": ("ground", "")}
    assert [joint_freedom(tables_of(m), link) for link in tree.links] == [6, 6, 3, 6]
    assert tree.cut == () and len(loop_rows(tables_of(m), tree)) == 1


def test_a_free_joint_carries_only_a_body_that_floats() -> None:
    m = bodies_and(3, "a", "b", "c", "d")
    m.free("held", "ground", "a")
    m.revolute("O", "ground", "a")
    m.free("between", "a", "b")
    m.free("backward", "c", "ground")
    m.free("float", "ground", "d")
    m.spherical("J", "d", "c")
    tree = tree_of(m)
    expected = {"a": ("ground", "O"), "b": ("ground", ""), "d": ("ground", "float"), "c": ("d", "J")}
    assert carriers(m, tree) == expected
    assert tree.cut == (), "what constrains nothing is not cut either"


def test_one_of_two_free_joints_to_what_floats_together() -> None:
    m = bodies_and(2, "a", "b")
    m.free("F", "ground", "a")
    m.free("G", "ground", "b")
    m.revolute("J", "a", "b")
    assert carriers(m, tree_of(m)) == {"a": ("ground", "F"), "b": ("a", "J")}
    m.motion("G.x", "t")
    assert carriers(m, tree_of(m)) == {"b": ("ground", "G"), "a": ("b", "J")}, "the driven one"


# --- overrides --------------------------------------------------------------------------------------------------------
def test_another_joint_can_be_cut() -> None:
    m = four_bar()
    tree = tree_of(m, ["O"])
    assert tree.cut == ("O",)
    assert carriers(m, tree) == {"rocker": ("ground", "C"), "coupler": ("rocker", "B"), "crank": ("coupler", "A")}
    assert [link.reversed for link in tree.links] == [False, True, True]


def test_cutting_more_than_needed_frees_bodies() -> None:
    m = four_bar()
    tree = tree_of(m, ["B", "A"])
    assert tree.cut == ("A", "B"), "in the order of the model"
    assert carriers(m, tree)["coupler"] == ("ground", "")
    tables = tables_of(m)
    assert sum(joint_freedom(tables, link) for link in tree.links) - len(loop_rows(tables, tree)) == 1


def test_an_empty_override_suits_an_open_chain_only() -> None:
    assert tree_of(mb.load("arm7"), []) == tree_of(mb.load("arm7"))
    with pytest.raises(mb.ModelError, match="B, C, O, A form a loop"):
        tree_of(four_bar(), [])


@pytest.mark.parametrize(
    ("cut", "message"),
    [
        (["crnk_pin"], 'cut: unknown joint "crnk_pin"; did you mean "crank_pin"?'),
        (["rod"], 'joint "rod": a distance closes loops by itself and is never part of the tree; leave it out of `cut`'),
        (["loose"], 'joint "loose": a free joint holds nothing and closes no loop; leave it out of `cut`'),
        (["crank_pin", "B", "crank_pin"], 'cut: it names "crank_pin" twice; name it once'),
        (["O", "crank"], 'cut: unknown joint "crank"'),
        ([3], 'cut: unknown joint "3"'),
        (3, "cut: it takes a list of joints"),
        (["Q"], "cut: what is left is not a tree: B, C, O, crank_pin form a loop; cut one of them too"),
        (["B"], "cut: what is left is not a tree: Q, P form a loop; cut one of them too"),
        (["B", "C"], "cut: what is left is not a tree: Q, P form a loop; cut one of them too"),
    ],
)
def test_overrides_that_are_no_tree(cut: Any, message: str) -> None:
    m = bodies_and(2, "crank", "coupler", "rocker", "float", "twin")
    m.revolute("O", "ground", "crank")
    m.revolute("crank_pin", "crank", "coupler")
    m.revolute("B", "coupler", "rocker")
    m.revolute("C", "ground", "rocker")
    m.distance("rod", "crank", "rocker", length=1)
    m.free("loose", "ground", "float")
    m.revolute("P", "float", "twin")
    m.revolute("Q", "float", "twin")
    with pytest.raises(mb.ModelError) as caught:
        tree_of(m, cut)
    assert str(caught.value).startswith(message)


def test_a_long_loop_is_named_in_part() -> None:
    m = bodies_and(2, *(f"b{k}" for k in range(20)))
    for k in range(20):
        m.revolute(f"J{k}", f"b{k}", f"b{(k + 1) % 20}")
    with pytest.raises(mb.ModelError, match=r"(J\d+, ){7}J\d+ and 12 more form a loop"):
        tree_of(m, [])


# --- order, size ------------------------------------------------------------------------------------------------------
def seconds(tables: Any) -> float:
    """Return the shortest of a few times that the tree takes."""
    times = []
    for _ in range(3):
        start = time.process_time()
        spanning_tree(tables)
        times.append(time.process_time() - start)
    return min(times)


def test_a_long_ladder_takes_linear_time() -> None:
    small, large = tables_of(ladder(250)), tables_of(ladder(2000))
    tree = spanning_tree(large)
    assert tree.cut == tuple(f"R{k}" for k in range(1, 2001))
    assert max(tree.depth) == 2
    assert seconds(large) < 30 * seconds(small), "eight times as much, not 64 times"


def test_a_chain_deeper_than_the_stack() -> None:
    m = bodies_and(2, *(f"b{k}" for k in range(3000)))
    for k in range(3000):
        m.revolute(f"J{k}", f"b{k - 1}" if k else "ground", f"b{k}")
    tree = tree_of(m)
    assert [link.body for link in tree.links] == list(range(1, 3001))
    assert tree.ends == (3000,) * 3000


KINDS = {  # kind, its fields, rows in space
    "fixed": ({}, 6), "revolute": ({}, 5), "cylindrical": ({}, 4), "screw": ({"lead": 0.1}, 5), "spherical": ({}, 3),
    "planar": ({}, 3), "universal": ({"axes": [(1, 0, 0), (0, 1, 0)]}, 4), "translational": ({"axis": (1, 0, 0)}, 5),
    "free": ({}, 0), "distance": ({"length": 1}, 1),
}  # fmt: skip


@st.composite
def graphs(draw: st.DrawFn) -> list[tuple[int, int, str]]:
    """Return joints of some kinds between any of up to nine bodies, the ground first; often several parts and loops."""
    count = draw(st.integers(2, 9))
    ends = st.lists(st.integers(0, count - 1), min_size=2, max_size=2, unique=True)
    joints = draw(st.lists(st.tuples(ends, st.sampled_from(sorted(KINDS))), max_size=14))
    return [(0, count - 1, "distance"), *((a, b, kind) for (a, b), kind in joints)]


def modeled(joints: list[tuple[int, int, str]]) -> Any:
    names = ["ground", *(f"b{k}" for k in range(1, 1 + max(max(a, b) for a, b, _ in joints)))]
    m = bodies_and(3, *names[1:])
    for k, (a, b, kind) in enumerate(joints):
        getattr(m, kind)(f"J{k}", names[a], names[b], **KINDS[kind][0])
    return m


def heaviest_forest(joints: list[tuple[int, int, str]]) -> int:
    """Return the rows of a maximum spanning forest by Kruskal's algorithm."""
    part = list(range(10))
    total = 0
    for a, b, kind in sorted(joints, key=lambda joint: -KINDS[joint[2]][1]):
        if kind not in ("free", "distance") and part[a] != part[b]:
            total += KINDS[kind][1]
            part = [part[a] if p == part[b] else p for p in part]
    return total


@examples(150)
@given(graphs())
def test_random_graphs(joints: list[tuple[int, int, str]]) -> None:
    m = modeled(joints)
    tables = tables_of(m)
    tree = spanning_tree(tables)
    assert sorted(link.body for link in tree.links) == list(range(1, len(tables.bodies)))
    for k, link in enumerate(tree.links):
        inside = tree.links[k + 1 : tree.ends[k]]
        assert link.parent == 0 or tree.position[link.parent] < k, "a parent before its children"
        under = {link.body} | {other.body for other in tree.links if link in tree.path(other.body)}
        assert {link.body, *(other.body for other in inside)} == under, "a subtree is contiguous"
        if link.joint:
            first, second = (end.body for end in tables.ends[link.joint])
            assert (link.parent, link.body) == ((second, first) if link.reversed else (first, second))
    siblings = [[link.body for link in tree.links if link.parent == parent] for parent in range(len(tables.bodies))]
    assert all(children == sorted(children) for children in siblings), "children in the order of the model"
    used = {link.joint for link in tree.links} - {""}
    assert sum(len(tables.joint_rows[name]) for name in used) == heaviest_forest(joints)
    pairs = {f"J{k}" for k, (_, _, kind) in enumerate(joints) if kind not in ("free", "distance")}
    assert set(tree.cut) == pairs - used
    assert spanning_tree(tables, tree.cut) == tree, "cutting what is cut anyway changes nothing"
    freedom = sum(joint_freedom(tables, link) for link in tree.links)
    assert freedom - len(loop_rows(tables, tree)) == tables.nv - tables.count_joint, "Gruebler's count in both coordinates"


@examples(50)
@given(graphs(), st.data())
def test_random_overrides_are_trees_or_name_a_loop(joints: list[tuple[int, int, str]], data: st.DataObject) -> None:
    m = modeled(joints)
    tables = tables_of(m)
    pairs = [f"J{k}" for k, (_, _, kind) in enumerate(joints) if kind not in ("free", "distance")]
    cut = data.draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    left = {name: tables.ends[name] for name in pairs if name not in cut}
    try:
        tree = spanning_tree(tables, cut)
    except mb.ModelError as error:
        loop = str(error).removeprefix("cut: what is left is not a tree: ").split(" form a loop")[0].split(", ")
        ends = [end.body for name in loop for end in left[name]]
        assert len(loop) == len(set(loop)) >= 2 and all(ends.count(body) == 2 for body in ends), "a ring of pairs"
        return
    assert set(tree.cut) == set(cut)
    assert {link.joint for link in tree.links} >= set(left), "every pair that is not cut is an edge"


# --- what check shows -------------------------------------------------------------------------------------------------
def test_the_tree_in_the_report() -> None:
    report = check(mb.load("slider-crank"))
    assert "\n".join(report.tree.lines) in str(report)
    assert report.tree.lines == [
        "tree (3 joint coordinates, 2 loop equations):",
        "  ground",
        "    crank by O (angle)",
        "      rod by A (angle)",
        "    slider by S (position)",
        "  cut (equations): B (2)",
    ]
    plain = json.loads(json.dumps(report.plain()))["tree"]
    joints = {"crank": "O", "rod": "A", "slider": "S"}
    assert plain == {"joints": joints, "cut": ["B"], "coordinates": 3, "loop_equations": 2}


def test_the_report_counts_contacts_constraints_and_motions_elsewhere() -> None:
    cam = check(mb.load("cam-roller"))
    assert (cam.tree.coordinates, cam.tree.loop_equations) == (3, 2), "two joints, a contact; the two rows of the contact"
    assert cam.tree.lines[-1] == "  further (equations): contact (2)"
    two = check(mb.load("two-link"))
    assert two.tree.lines[-1] == "  further (equations): motion link2.angle (1), motion link3.angle (1)"
    assert two.tree.loop_equations == 2


def test_the_report_on_what_floats_and_turns_freely() -> None:
    m = bodies_and(3, "a", "b", "c")
    m.spherical("J", "a", "b")
    m.fixed("W", "b", "c")
    tree = check(m).tree
    assert tree.joints == {"a": None, "b": "J", "c": "W"}
    shown = ["    a free (x, y, z, rotation)", "      b by J (rotation)", "        c by W (fixed)"]
    assert tree.lines[2:] == shown


def test_a_large_tree_is_only_counted() -> None:
    tree = check(mb.load("chain", n=31)).tree
    assert tree.lines == [
        "tree: 31 joint coordinates, 0 loop equations, 0 cut joints, up to 31 joints from the ground to a body"
    ]
    assert len(tree.joints) == 31


def test_check_takes_an_override_and_refuses_a_bad_one() -> None:
    m = mb.load("slider-crank")
    report = check(m, cut=["S"])
    assert report.tree.cut == ["S"] and report.tree.joints["slider"] == "B"
    assert report.mobility == check(m).mobility
    with pytest.raises(mb.ModelError, match="is not a tree"):
        check(m, cut=[])
