"""Loops of robot files: each dialect is the same mechanism as ours in YAML, in general position."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import multibody as mb
from multibody.errors import RobotNote
from multibody.files.robots.pose import Pose

sys.path.insert(0, str(Path(__file__).parent))
from robot_texts import numbers

N = np.array([0.3, -0.2, 1.0])  # the normal of a four-bar that lies in no plane of coordinates
PLACES = {"ground": (0.0, 0.0, 0.0), "crank": (0.0, 0.0, 0.0), "coupler": (0.1, 0.25, 0.02), "rocker": (0.9, 0.1, -0.25)}


def points() -> dict[str, np.ndarray]:
    """Return the pivots O, A, B, C of the four-bar, in a plane across N, as drawn."""
    z = N / np.linalg.norm(N)
    x = np.cross(z, [0.1, 1.0, 0.4])
    x /= np.linalg.norm(x)
    y = np.cross(z, x)
    flat = {"O": (0.0, 0.0), "A": (0.1, 0.25), "B": (0.75, 0.55), "C": (0.8, -0.05)}
    return {name: np.array([0.05, -0.1, 0.2]) + a * x + b * y for name, (a, b) in flat.items()}


P = points()
JOINTS = (("O", "world", "crank"), ("A", "crank", "coupler"), ("C", "world", "rocker"), ("B", "coupler", "rocker"))
LINKS = {"crank": ("O", "A"), "coupler": ("A", "B"), "rocker": ("C", "B")}
MASS = {"crank": 0.7, "coupler": 1.1, "rocker": 0.9}


def own_yaml() -> mb.Model:
    """Return the four-bar in our own words, all joints in place."""
    m = mb.Model("four-bar", gravity=(0, 0, -9.81))
    for name, (first, second) in LINKS.items():
        m.body(name, mass=MASS[name], inertia=(0.01, 0.02, 0.025), com=tuple((P[first] + P[second]) / 2))
    for name, a, b, at in (("O", m.ground, "crank", "O"), ("A", "crank", "coupler", "A"), ("C", m.ground, "rocker", "C")):
        m.revolute(name, a, b, at=tuple(P[at]), axis=tuple(N))
    m.revolute("B", "coupler", "rocker", at=tuple(P["B"]), axis=tuple(N))
    return m


def urdf(loop: str, spherical: bool = False) -> str:
    """Return the open chain with links whose axes are parallel to ground, and a loop at B."""
    parts = ['<link name="ground_link"/>']
    for name, (first, second) in LINKS.items():
        com = (P[first] + P[second]) / 2 - P[first]
        parts.append(
            f'<link name="{name}"><inertial><origin xyz="{numbers(com)}"/><mass value="{MASS[name]}"/>'
            '<inertia ixx="0.01" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.025"/></inertial></link>'
        )
    for name, parent, child, at in (
        ("O", "ground_link", "crank", P["O"]),
        ("A", "crank", "coupler", P["A"] - P["O"]),
        ("C", "ground_link", "rocker", P["C"]),
    ):
        parts.append(
            f'<joint name="{name}" type="continuous"><origin xyz="{numbers(at)}"/><parent link="{parent}"/>'
            f'<child link="{child}"/><axis xyz="{numbers(N)}"/></joint>'
        )
    return '<robot name="four-bar">\n' + "\n".join([*parts, loop]) + "\n</robot>\n"


ON_COUPLER, ON_ROCKER = P["B"] - P["A"], P["B"] - P["C"]
TURN = (0.4, -1.1, 2.0)  # how the frames of the loop lie on both links
AXIS = Pose(rpy=TURN).axes.T @ N

LOOPS = {
    "loop_joint": f'<loop_joint name="B" type="revolute"><link1 link="coupler" xyz="{numbers(ON_COUPLER)}" '
    f'rpy="{numbers(TURN)}"/>'
    f'<link2 link="rocker" xyz="{numbers(ON_ROCKER)}" rpy="{numbers(TURN)}"/><axis xyz="{numbers(AXIS)}"/></loop_joint>',
    "loop_joint with parent and child": '<loop_joint name="B" type="revolute"><parent link="coupler"/><child link="rocker"/>'
    f'<parent_origin xyz="{numbers(ON_COUPLER)}"/><child_origin xyz="{numbers(ON_ROCKER)}"/>'
    f'<axis xyz="{numbers(N)}" frame="parent"/></loop_joint>',
    "constraint": '<constraint name="B" type="revolute"><parent link="coupler"/>'
    f'<parent_origin xyz="{numbers(ON_COUPLER)}" rpy="{numbers(TURN)}"/><parent_axis xyz="{numbers(AXIS)}"/>'
    f'<child link="rocker"/><child_origin xyz="{numbers(ON_ROCKER)}"/><child_axis xyz="{numbers(N)}"/></constraint>',
    "URDF+": f'<loop name="B" type="continuous"><predecessor link="coupler"><origin xyz="{numbers(ON_COUPLER)}" '
    f'rpy="{numbers(TURN)}"/></predecessor><successor link="rocker"><origin xyz="{numbers(ON_ROCKER)}" rpy="{numbers(TURN)}"/>'
    f'</successor><axis xyz="{numbers(AXIS)}"/></loop>',
}


def loaded(file: Path, text: str, **options: object) -> mb.Model:
    file.write_text(text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RobotNote)
        return mb.load(str(file), **options)


def assert_same(model: mb.Model, own: mb.Model) -> None:
    """Assert the same mobility, redundancy, poses and accelerations."""
    a, b = model.check(), own.check()
    assert a.mobility == b.mobility == 1
    start = {"O": 0.3, "O.rate": 2.0}
    mine, theirs = model.run(0.4, initial=start, rtol=1e-11, atol=1e-12), own.run(0.4, initial=start, rtol=1e-11, atol=1e-12)
    for path in [f"{name}.{axis}" for name in LINKS for axis in "xyz"]:
        assert mine.at(0.4)[path] == pytest.approx(theirs.at(0.4)[path], abs=1e-9)
        assert mine.at(0.0)[path] == pytest.approx(theirs.at(0.0)[path], abs=1e-12)
        assert mine.at(0.0)[f"{path}.acceleration"] == pytest.approx(theirs.at(0.0)[f"{path}.acceleration"], abs=1e-9)


@pytest.mark.parametrize("dialect", LOOPS)
def test_a_dialect_of_urdf_is_the_same_mechanism(tmp_path: Path, dialect: str) -> None:
    model = loaded(tmp_path / "r.urdf", urdf(LOOPS[dialect]))
    assert_same(model, own_yaml())
    assert len(model.check().redundant) == len(own_yaml().check().redundant) == 3


def test_isaacs_spherical_loop_with_two_elements_link1(tmp_path: Path) -> None:
    """Isaac Sim's manual writes both ends as ``link1``; a ball in place of the last hinge has the same motion."""
    loop = (
        f'<loop_joint name="B" type="spherical"><link1 link="coupler" xyz="{numbers(ON_COUPLER)}" rpy="0 0 0"/>'
        f'<link1 link="rocker" xyz="{numbers(ON_ROCKER)}" rpy="0 0 0"/></loop_joint>'
    )
    assert_same(loaded(tmp_path / "r.urdf", urdf(loop)), own_yaml())


@pytest.mark.parametrize("kind", ["3d", "6d"])
def test_a_yaml_file_beside_a_urdf(tmp_path: Path, kind: str) -> None:
    """Frames are links on fixed joints; in 6d the coupler's end hangs on a hinge of its own."""
    hinge = "fixed" if kind == "3d" else "continuous"
    ends = "".join(
        f'<link name="{name}"/><joint name="{name}_joint" type="{joint}"><origin xyz="{numbers(at)}"/>'
        f'<parent link="{parent}"/><child link="{name}"/><axis xyz="{numbers(N)}"/></joint>'
        for name, parent, at, joint in (("tip1", "coupler", ON_COUPLER, hinge), ("tip2", "rocker", ON_ROCKER, "fixed"))
    )
    if kind == "6d":
        ends = ends.replace('<link name="tip1"/>', '<link name="tip1"><inertial><mass value="0"/></inertial></link>')
    side = f"closed_loop: [[tip1, tip2_joint]]\ntype: [{kind}]\nname_mot: [O]\njoint_name: []\njoint_type: []\n"
    (tmp_path / "loops.yaml").write_text(side)
    assert_same(loaded(tmp_path / "r.urdf", urdf(ends), loops="loops.yaml"), own_yaml())


def test_a_link_of_two_parents_in_sdf(tmp_path: Path) -> None:
    links = "".join(
        f'<link name="{name}"><pose>{numbers(P[first])} {numbers(TURN)}</pose><inertial><pose>'
        f"{numbers(Pose(rpy=TURN).axes.T @ ((P[second] - P[first]) / 2))} 0 0 0</pose>"
        f"<mass>{MASS[name]}</mass>{sdf_inertia()}</inertial></link>"
        for name, (first, second) in LINKS.items()
    )
    joints = "".join(
        f'<joint name="{name}" type="revolute"><parent>{parent}</parent><child>{child}</child>'
        f'<pose relative_to="__model__">{numbers(P[name])} 0.3 0.2 0.1</pose>'
        f'<axis><xyz expressed_in="__model__">{numbers(N)}</xyz></axis></joint>'
        for name, parent, child in JOINTS
    )
    text = f'<sdf version="1.9"><model name="four-bar">{links}{joints}</model></sdf>'
    assert_same(loaded(tmp_path / "r.sdf", text), own_yaml())


def sdf_inertia() -> str:
    """Return the inertia whose axes are ground's, in the axes of the turned links."""
    R = Pose(rpy=TURN).axes
    I = R.T @ np.diag([0.01, 0.02, 0.025]) @ R
    entries = {"ixx": I[0, 0], "ixy": I[0, 1], "ixz": I[0, 2], "iyy": I[1, 1], "iyz": I[1, 2], "izz": I[2, 2]}
    return f"<inertia>{''.join(f'<{key}>{float(value)!r}</{key}>' for key, value in entries.items())}</inertia>"


def test_a_coupling_of_urdf_plus(tmp_path: Path) -> None:
    one = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
    text = (
        f'<robot name="g"><link name="base"/><link name="p">{one}</link><link name="s">{one}</link>'
        '<joint name="a" type="continuous"><parent link="base"/><child link="p"/></joint>'
        '<joint name="b" type="continuous"><parent link="base"/><child link="s"/></joint>'
        '<coupling name="belt"><predecessor link="p"/><successor link="s"/><ratio value="3"/></coupling></robot>'
    )
    model = loaded(tmp_path / "r.urdf", text)
    state = model.assemble({"a": 0.2, "a.rate": 1.0})
    assert (state["b"], state["b.rate"]) == (pytest.approx(0.6), pytest.approx(3.0))


BAD = {
    "names 1 links": '<loop_joint name="B" type="revolute"><link1 link="coupler"/></loop_joint>',
    'there is no link "couple"; did you mean "coupler"': LOOPS["loop_joint"].replace('"coupler"', '"couple"'),
    "joins link \"rocker\" with itself": LOOPS["URDF+"].replace('"coupler"', '"rocker"'),
    'has the type "hinge"': LOOPS["loop_joint"].replace("revolute", "hinge"),
    "has no length": LOOPS["constraint"].replace(f'<parent_axis xyz="{numbers(AXIS)}"/>', '<parent_axis xyz="0 0 0"/>'),
    "are not perpendicular": LOOPS["constraint"].replace("revolute", "universal").replace(numbers(AXIS), "1 1 0").replace(
        f'child_axis xyz="{numbers(N)}"', 'child_axis xyz="1 0 0"'
    ),
}  # fmt: skip


@pytest.mark.parametrize("words", BAD)
def test_bad_loops_are_refused_with_their_line(tmp_path: Path, words: str) -> None:
    with pytest.raises(mb.ModelError) as caught:
        loaded(tmp_path / "r.urdf", urdf(BAD[words]))
    assert words in str(caught.value)
    assert "r.urdf:9: " in str(caught.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("closed_loop: [[tip1, rocker]]", 'loops.yaml:1: there is no link or joint "tip1"'),
        ("closed_loop: [[crank]]", "a loop is two frames"),
        ("closed_loop: [[crank, rocker]]\ntype: [4d]", 'loops.yaml:2: the type of a loop is "4d"; it is 3d or 6d'),
        ("loops: 1", "it states no loops"),
        ("closed_loop: []\njoint_name: [O]\njoint_type: [BALL]", 'loops.yaml:3: joint "O" has the type "BALL"'),
    ],
)
def test_bad_side_files_are_refused(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "loops.yaml").write_text(text)
    with pytest.raises(mb.ModelError) as caught:
        loaded(tmp_path / "r.urdf", urdf(""), loops="loops.yaml")
    assert words in str(caught.value)
