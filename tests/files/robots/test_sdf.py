"""SDF: poses and frames, nested and included models, kinds of joints, gearboxes, static models."""

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

ONE = "<inertial><mass>2</mass><inertia><ixx>0.1</ixx><iyy>0.12</iyy><izz>0.15</izz></inertia></inertial>"


def read(folder: Path, content: str, version: str = "1.9", **options: object) -> mb.Model:
    file = folder / "r.sdf"
    file.write_text(f'<sdf version="{version}">{content}</sdf>')
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RobotNote)
        return mb.load(str(file), **options)


def place(model: mb.Model, body: str) -> Pose:
    """Return where a body is drawn."""
    found = model.bodies[body]
    orientation = {} if found.orientation is None else found.orientation.plain()
    if "rpy" in orientation:
        return Pose(found.at or (0, 0, 0), rpy=orientation["rpy"])
    w, x, y, z = orientation.get("quaternion", (1, 0, 0, 0))
    axes = np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip
    return Pose(found.at or (0, 0, 0), axes)


def assert_same(a: Pose, b: Pose) -> None:
    np.testing.assert_allclose(a.at, b.at, atol=1e-14)
    np.testing.assert_allclose(a.axes, b.axes, atol=1e-14)


A, B, C, M = (
    ((0.1, 0.2, 0.3), (0.3, -0.5, 1.0)),
    ((1.0, 0, -0.2), (0.1, 0.7, 2.0)),
    ((0, 0.4, 0), (1, 1, 1)),
    ((3, 2, 1), (0.2, 0.1, -2)),
)


def pose(given: tuple[tuple[float, ...], tuple[float, ...]], relative: str = "") -> str:
    return f'<pose relative_to="{relative}">{numbers(given[0])} {numbers(given[1])}</pose>'


def as_pose(given: tuple[tuple[float, ...], tuple[float, ...]]) -> Pose:
    return Pose(given[0], rpy=given[1])


def test_poses_are_relative_to_what_they_say(tmp_path: Path) -> None:
    model = read(
        tmp_path,
        f'<model name="m">{pose(M)}<link name="a">{pose(A)}</link><frame name="f" attached_to="a">{pose(B)}</frame>'
        f'<link name="b">{pose(C, "f")}</link><link name="c">{pose(A, "j")}</link>'
        f'<joint name="j" type="revolute">{pose(C)}<parent>a</parent><child>b</child></joint>'
        '<joint name="k" type="fixed"><parent>b</parent><child>c</child></joint></model>',
    )
    f = as_pose(M) @ as_pose(A) @ as_pose(B)
    assert_same(place(model, "a"), as_pose(M) @ as_pose(A))
    assert_same(place(model, "b"), f @ as_pose(C))
    assert_same(place(model, "c"), f @ as_pose(C) @ as_pose(C) @ as_pose(A))
    assert "f" in model.bodies["a"].frames


def test_degrees_and_quaternions(tmp_path: Path) -> None:
    half = np.sqrt(0.5)
    model = read(
        tmp_path,
        '<model name="m"><link name="a"><pose degrees="true">1 2 3 90 0 0</pose></link>'
        f'<link name="b"><pose rotation_format="quat_xyzw">1 2 3 {half} 0 0 {half}</pose></link></model>',
    )
    assert_same(place(model, "a"), place(model, "b"))


def test_nested_and_included_models(tmp_path: Path) -> None:
    (tmp_path / "arm").mkdir()
    (tmp_path / "arm" / "model.sdf").write_text(
        f'<sdf version="1.9"><model name="arm">{pose(C)}<link name="l">{pose(A)}{ONE}</link></model></sdf>'
    )
    model = read(
        tmp_path,
        f'<world name="w"><gravity>0 0 -3.7</gravity><model name="body">{pose(M)}<link name="base">{ONE}</link>'
        f'<model name="head">{pose(B)}<link name="l">{pose(A)}{ONE}</link></model>'
        '<joint name="neck" type="revolute"><parent>base</parent><child>head::l</child><axis><xyz>0 1 0</xyz></axis></joint>'
        f"<include><uri>model://arm</uri><name>left</name>{pose(A)}</include><include><uri>model://arm</uri><name>right</name></include>"
        '<joint name="shoulder" type="ball"><parent>base</parent><child>left::l</child></joint></model></world>',
    )
    assert list(model.bodies) == ["base", "head__l", "left__l", "right__l"]
    assert model.gravity == (0.0, 0.0, -3.7)
    assert_same(place(model, "head__l"), as_pose(M) @ as_pose(B) @ as_pose(A))
    assert_same(place(model, "left__l"), as_pose(M) @ as_pose(A) @ as_pose(A))
    assert_same(place(model, "right__l"), as_pose(M) @ as_pose(C) @ as_pose(A))
    assert model.check().mobility == 6 + 1 + 3 + 6  # two parts that nothing holds
    assert read(tmp_path, '<model name="m"><static>true</static><link name="a"/></model>').check().mobility == 0


def test_axes_of_the_model_and_of_the_joint(tmp_path: Path) -> None:
    text = (
        f'<model name="m"><link name="a">{ONE}</link><link name="b">{pose(A)}{ONE}</link>'
        '<joint name="j" type="revolute"><parent>world</parent><child>a</child><axis><xyz>1 2 3</xyz></axis></joint>'
        '<joint name="k" type="revolute"><parent>a</parent><child>b</child>{axis}</joint></model>'
    )
    old = "<axis><xyz>0 1 2</xyz></axis>"
    cases = {
        "1.4": old,
        "1.6": "<axis><xyz>0 1 2</xyz><use_parent_model_frame>1</use_parent_model_frame></axis>",
        "1.9": '<axis><xyz expressed_in="__model__">0 1 2</xyz></axis>',
    }
    expected = as_pose(A).axes.T @ np.array([0, 1, 2]) / np.sqrt(5.0)
    for version, axis in cases.items():
        model = read(tmp_path, text.replace("{axis}", axis), version)
        np.testing.assert_allclose(model.joints["k"].fields["axis"], expected, atol=1e-15)
    model = read(tmp_path, text.replace("{axis}", old), "1.9")
    np.testing.assert_allclose(model.joints["k"].fields["axis"], np.array([0, 1, 2]) / np.sqrt(5.0), atol=1e-15)


@pytest.mark.parametrize(
    ("kind", "fields", "freedoms"),
    [
        ("fixed", "", 0), ("revolute", "", 1), ("continuous", "", 1), ("prismatic", "", 1), ("ball", "", 3),
        ("screw", "<screw_thread_pitch>0.01</screw_thread_pitch>", 1),
        ("universal", "<axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2>", 2),
        ("revolute2", "<axis><xyz>1 0 0</xyz></axis><axis2><xyz>1 1 0</xyz></axis2>", 2),
    ],
)  # fmt: skip
def test_kinds_of_joints(tmp_path: Path, kind: str, fields: str, freedoms: int) -> None:
    model = read(
        tmp_path,
        f'<model name="m"><link name="a">{pose(A)}{ONE}</link>'
        f'<joint name="j" type="{kind}"><parent>world</parent><child>a</child>{fields}</joint></model>',
    )
    assert model.check().mobility == freedoms
    assert model.assemble().ok


def test_a_gearbox_turns_its_child_the_other_way(tmp_path: Path) -> None:
    text = "".join(
        f'<link name="{name}">{ONE}</link><joint name="{name}_joint" type="revolute"><parent>{first}</parent>'
        f"<child>{second}</child><axis><xyz>{axis}</xyz></axis></joint>"
        for name, first, second, axis in (("p", "frame", "p", "0 0 1"), ("c", "c", "frame", "0 0 -1"))
    )
    box = (
        '<joint name="box" type="gearbox"><parent>p</parent><child>c</child><gearbox_ratio>0.25</gearbox_ratio>'
        "<gearbox_reference_body>frame</gearbox_reference_body><axis><xyz>0 0 1</xyz></axis>"
        "<axis2><xyz>0 0 1</xyz></axis2></joint>"
    )
    model = read(tmp_path, f'<model name="m"><link name="frame">{ONE}</link>{text}{box}</model>', base="fixed")
    state = model.assemble({"p_joint.rate": 2.0})
    assert state["p.omega.z"] - state["frame.omega.z"] == pytest.approx(2.0)
    assert state["c.omega.z"] - state["frame.omega.z"] == pytest.approx(-0.5)


def test_limits_springs_and_mimic(tmp_path: Path) -> None:
    model = read(
        tmp_path,
        f'<model name="m"><link name="a">{ONE}</link><link name="b">{ONE}</link>'
        '<joint name="j" type="revolute"><parent>world</parent><child>a</child><axis><xyz>0 0 1</xyz><limit><lower>-1</lower>'
        "<upper>inf</upper><effort>20</effort></limit><dynamics><damping>0.3</damping><spring_stiffness>4</spring_stiffness>"
        "<spring_reference>0.2</spring_reference></dynamics></axis></joint>"
        '<joint name="k" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 1 0</xyz><mimic joint="j">'
        "<multiplier>2</multiplier><offset>0.5</offset><reference>0.1</reference></mimic></axis></joint></model>",
    )
    assert model.forces["j_limit"].fields["upper"] is None
    spring = model.forces["j_spring"].fields
    assert (spring["stiffness"], spring["rest"], spring["damping"]) == (4.0, 0.2, 0.3)
    assert model.assemble({"j": 0.3})["k"] == pytest.approx(0.5 + 2 * (0.3 - 0.1))


def test_inertia_of_shapes_where_it_is_asked_for(tmp_path: Path) -> None:
    model = read(
        tmp_path,
        '<model name="m"><link name="a"><inertial auto="true"><density>100</density></inertial>'
        '<collision name="c"><geometry><capsule><radius>0.1</radius><length>0.5</length></capsule></geometry></collision>'
        "</link></model>",
    )
    assert model.bodies["a"].mass == pytest.approx(100 * np.pi * 0.01 * (0.5 + 4 / 3 * 0.1))
