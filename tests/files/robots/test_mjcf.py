"""MJCF files against MuJoCo: trees to rounding, loops exactly where MuJoCo is soft, names, what is left out, bad files."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import multibody as mb
from files.robots.mujoco_oracle import Tree, mujoco
from multibody.files.robots.lower import RobotNote

ROBOT = """<mujoco model="general">
  <compiler angle="degree" autolimits="true"/>
  <option gravity="1 2 -9"/>
  <default><geom density="800"/><default class="stiff"><joint stiffness="2" damping="1"/></default></default>
  <worldbody>
    <body name="a" pos="0 .2 1" euler="10 20 30">
      <joint name="j" class="stiff" axis="0.1 1 0.3" pos=".1 .2 -.1" ref="30" range="-10 90" springref="5"/>
      <geom type="box" size=".1 .2 .3" pos=".1 .2 .3" euler="10 20 30"/>
      <body name="b" pos="0.3 0 0" euler="40 0 10">
        <joint name="b" type="ball" pos=".1 .2 .3"/>
        <geom type="capsule" size=".1 .2" pos=".1 0 0" euler="20 30 0"/>
        <body name="c" pos=".1 .1 .2">
          <joint type="slide" axis="1 1 0" pos="0 0 .1" ref=".2" stiffness="3"/>
          <joint axis="1 0 1" pos="0 .3 .1" ref="20"/>
          <joint axis="0 1 0"/>
          <inertial pos=".1 .2 .3" mass="2" fullinertia=".3 .4 .5 .01 .02 .03"/>
        </body>
      </body>
      <body name="w" pos=".1 .2 .3" euler="1 2 3"><geom type="ellipsoid" size=".1 .2 .3"/><site name="tip" pos="1 2 3"/></body>
    </body>
    <body name="f" pos="3 0 0" euler="20 30 40">
      <freejoint/>
      <geom type="cylinder" size=".1 .2" pos=".1 0 .1"/>
      <body pos="0 0 1"><joint axis="1 0 0" pos="0 .1 0"/><geom type="sphere" size=".2" pos=".3 .4 0"/></body>
    </body>
  </worldbody>
</mujoco>
"""

SWING = """<mujoco>
  <worldbody>
    <body name="one">
      <joint name="p" axis="0 1 0" armature=".3" damping=".2"/>
      <geom type="capsule" fromto="0 0 0 1 0 0" size=".05"/>
      <body name="two" pos="1 0 0">
        <joint name="r" axis="0 1 0" armature=".1"/>
        <joint name="s" type="slide" axis="1 0 0" armature=".7" stiffness="4" springref=".1"/>
        <geom type="capsule" fromto="0 0 0 0 0 1" size=".05"/>
      </body>
    </body>
  </worldbody>
</mujoco>
"""

FOUR_BAR = """<mujoco>
  <worldbody>
    <body name="crank"><joint name="A" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 .3" size=".02"/>
      <body name="rod" pos="0 0 .3">
        <joint name="B" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 .8 0 .2" size=".02"/></body>
    </body>
    <body name="rocker" pos=".8 0 0">
      <joint name="D" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 .5" size=".02"/></body>
  </worldbody>
  <equality>EQUALITY</equality>
  <contact>
    <exclude body1="crank" body2="rod"/><exclude body1="rod" body2="rocker"/><exclude body1="crank" body2="rocker"/>
  </contact>
</mujoco>
"""


def write(folder: Path, text: str, name: str = "robot.xml") -> str:
    (folder / name).write_text(text)
    return str(folder / name)


def load(file: str, **options: Any) -> mb.Model:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RobotNote)
        return mb.load(file, **options)


def test_a_tree_with_joints_of_all_kinds_is_mujocos_to_rounding(tmp_path: Path) -> None:
    tree = Tree.of(Path(write(tmp_path, ROBOT)))
    assert tree.robot.nv == tree.compiled.model.nv == 14
    assert max(tree.worst(6).values()) < 1e-13


def test_accelerations_with_armature_springs_and_damping_are_mujocos(tmp_path: Path) -> None:
    file = write(tmp_path, SWING)
    model = load(file)
    native = mujoco.MjModel.from_xml_path(file)
    native.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    data = mujoco.MjData(native)
    generator = np.random.default_rng(3)
    for _ in range(3):
        data.qpos[:], data.qvel[:] = generator.normal(size=(2, 3))
        mujoco.mj_forward(native, data)
        start = dict(zip(("p", "r", "s"), data.qpos, strict=True))
        start |= {f"{name}.rate": v for name, v in zip(("p", "r", "s"), data.qvel, strict=True)}
        sim = model.simulator(initial=start)
        found = [sim[f"{name}.acceleration"] for name in ("p", "r", "s")]
        np.testing.assert_allclose(found, data.qacc, rtol=1e-10, atol=1e-10 * np.max(np.abs(data.qacc)))


def test_coordinates_limits_and_springs_are_those_of_the_file(tmp_path: Path) -> None:
    model = load(write(tmp_path, ROBOT))
    assert model.gravity == (1.0, 2.0, -9.0)
    state = model.assemble()
    assert state["j"] == pytest.approx(np.radians(30), abs=1e-12)  # the file draws it at ref
    assert state["c_joint"] == pytest.approx(0.2, abs=1e-12)
    stop = model.forces["j_limit"].fields
    assert (stop["lower"], stop["upper"]) == pytest.approx((np.radians(-10), np.radians(90)))
    assert model.forces["j_spring"].fields["rest"] == pytest.approx(np.radians(5))
    native = mujoco.MjModel.from_xml_string(ROBOT)
    data = mujoco.MjData(native)
    mujoco.mj_kinematics(native, data)
    for name in ("a", "b", "c", "w", "f"):
        here = [state[f"{name}.origin.{c}"] for c in "xyz"]
        np.testing.assert_allclose(here, data.body(name).xpos, atol=1e-12)
    np.testing.assert_allclose([state[f"w.tip.{c}"] for c in "xyz"], data.site("tip").xpos, atol=1e-12)


def test_what_has_no_name_gets_one_by_the_stated_rule(tmp_path: Path) -> None:
    model = load(write(tmp_path, ROBOT))
    assert set(model.joints) == {"j", "b_joint", "c_joint", "c_joint2", "c_joint3", "w_fixed", "f_joint", "body6_joint"}
    assert {"body6", "c_c_joint", "c_c_joint2"} <= set(model.bodies)  # massless links between the joints of c
    assert model.bodies["c_c_joint"].mass == 0.0


def test_a_keyframe_is_where_it_starts(tmp_path: Path) -> None:
    turn = np.array([0.5, 0.5, 0.5, 0.5])
    qpos = [0.4, *turn, 0.3, -0.2, 0.1, 1.0, 2.0, 3.0, *turn, 0.6]
    key = f"<keyframe><key name='home' qpos='{' '.join(map(str, qpos))}'/><key name='other'/></keyframe></mujoco>"
    file = write(tmp_path, ROBOT.replace("</mujoco>", key))
    with pytest.warns(RobotNote, match="1 further keyframe"):
        state = mb.load(file).assemble()
    native = mujoco.MjModel.from_xml_path(file)
    data = mujoco.MjData(native)
    data.qpos[:] = qpos
    mujoco.mj_kinematics(native, data)
    for name in ("a", "b", "c", "w", "f"):
        np.testing.assert_allclose([state[f"{name}.origin.{c}"] for c in "xyz"], data.body(name).xpos, atol=1e-12)
        np.testing.assert_allclose(np.abs(state[f"{name}.rotation"] @ data.body(name).xquat), 1.0, atol=1e-12)


CONNECT = '<connect body1="rod" body2="rocker" anchor=".8 0 .2"/>'
SITES = '<connect name="C" site1="on_rod" site2="on_rocker"/>'


@pytest.mark.parametrize("form", ["bodies", "sites", "world"])
def test_a_connect_closes_a_four_bar_exactly(tmp_path: Path, form: str) -> None:
    text = FOUR_BAR.replace("EQUALITY", SITES if form == "sites" else CONNECT)
    if form == "sites":
        text = text.replace('size=".02"/></body>\n    </body>', 'size=".02"/><site name="on_rod" pos=".8 0 .2"/></body></body>')
        text = text.replace('0 0 .5" size=".02"/>', '0 0 .5" size=".02"/><site name="on_rocker" pos="0 0 .5"/>')
    if form == "world":  # the crank held to the world by a second hinge at the same place
        text = text.replace("<connect", '<connect body1="crank" anchor="0 0 0"/><connect')
    model = load(write(tmp_path, text))
    report = model.check()
    assert report.mobility == 1
    assert len(report.redundant) == (4 if form == "world" else 1)  # out of the plane, and all of the second hinge
    run = model.run(1.0)
    assert run.ok
    ends = np.array([[run[f"{body}.{name}.{c}"].values for c in "xyz"] for body, name in _ends(model, form)])
    assert float(np.max(np.abs(ends[0] - ends[1]))) < 1e-12
    native = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(native)
    soft = 0.0
    while data.time < 1.0:
        mujoco.mj_step(native, data)
        soft = max(soft, float(np.max(np.abs(data.efc_pos[:3]))))
    assert soft > 1e-8  # what MuJoCo leaves open
    assert abs(float(run["A"].values[-1]) - data.qpos[0]) < 0.05  # the same swing, as far as a soft loop can tell


def _ends(model: mb.Model, form: str) -> list[tuple[str, str]]:
    name = {"bodies": "connect1", "sites": "C", "world": "connect2"}[form]
    return [("rod", name), ("rocker", name)]


def test_a_weld_holds_a_pose_in_general_position(tmp_path: Path) -> None:
    text = """<mujoco><worldbody>
      <body name="one" pos="1 0 0" euler="10 20 30"><freejoint/><geom size=".1"/></body>
      <body name="two" pos="1.5 .2 .1" euler="-40 5 0"><freejoint/><geom type="box" size=".1 .2 .3"/></body></worldbody>
      <equality><weld body1="one" body2="two" anchor=".1 .2 .3"/></equality></mujoco>"""
    model = load(write(tmp_path, text))
    assert model.check().mobility == 6
    drawn = model.assemble()
    native = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(native)
    mujoco.mj_kinematics(native, data)
    for name in ("one", "two"):  # it was closed as drawn, and stays there
        np.testing.assert_allclose([drawn[f"{name}.{c}"] for c in "xyz"], data.body(name).xpos, atol=1e-12)
    assert model.run(0.5, initial={"one.omega.x": 3.0, "one.omega.z": 1.0}).certificate["position_violation"] < 1e-12


@pytest.mark.parametrize(("polynomial", "redundant"), [("0.1 -2 0 0 0", 0), ("0.1 -2 0.3 0.2 -0.1", 0)])
def test_a_joint_equality_is_an_exact_coupling(tmp_path: Path, polynomial: str, redundant: int) -> None:
    text = """<mujoco><compiler angle="radian"/><worldbody>
      <body name="one"><joint name="x" axis="0 1 0" ref=".2"/><geom size=".1" pos=".3 0 0"/></body>
      <body name="two"><joint name="y" axis="0 1 0" ref=".5"/><geom size=".1" pos=".2 0 .1"/></body>
      <body name="three"><joint name="held" type="slide" axis="0 0 1"/><geom size=".1"/></body></worldbody>
      <equality>
        <joint name="gear" joint1="y" joint2="x" polycoef="POLY"/><joint joint1="held" polycoef=".3 0 0 0 0"/></equality>
    </mujoco>""".replace("POLY", polynomial)
    model = load(write(tmp_path, text))
    report = model.check()
    assert (report.mobility, len(report.redundant)) == (1, redundant)
    run = model.run(0.5)
    x, y = run["x"].values - 0.2, run["y"].values - 0.5
    a = [float(word) for word in polynomial.split()]
    np.testing.assert_allclose(y, sum(c * x**k for k, c in enumerate(a)), atol=1e-11)
    np.testing.assert_allclose(run["held"].values, 0.3, atol=1e-12)


def test_what_is_not_carried_over_is_listed_once_by_name_and_count(tmp_path: Path) -> None:
    text = SWING.replace(
        "</mujoco>",
        """<tendon><fixed name="cord"><joint joint="p" coef="1"/></fixed></tendon>
        <actuator><motor name="m1" joint="p"/><motor name="m2" joint="r"/></actuator>
        <sensor><jointpos name="q" joint="p"/></sensor>
        <equality><connect name="off" body1="one" body2="two" anchor="0 0 0" active="false"/></equality></mujoco>""",
    )
    with pytest.warns(RobotNote) as told:
        mb.load(write(tmp_path, text))
    assert len(told) == 1
    for part in ("2 actuators (m1, m2)", "1 tendon (cord)", "1 sensor (q)", "1 inactive equality (off)", "2 colliding geoms"):
        assert part in str(told[0].message)


def test_meshes_and_includes_are_found_as_mujoco_finds_them(tmp_path: Path) -> None:
    trimesh: Any = pytest.importorskip("trimesh")
    (tmp_path / "sub" / "assets").mkdir(parents=True)
    part = trimesh.creation.box((0.1, 0.2, 0.3))
    motion = trimesh.transformations.euler_matrix(0.3, 0.4, 0.5)
    motion[:3, 3] = (1.0, 2.0, 3.0)
    part.apply_transform(motion).export(tmp_path / "sub" / "assets" / "part.stl")
    asset = '<asset><mesh name="p" file="part.stl" scale="2 2 -2" refpos=".1 0 0"/></asset>'
    write(tmp_path / "sub", f"<mujoco>{asset}</mujoco>", "a.xml")
    text = """<mujoco><compiler meshdir="sub/assets"/><include file="sub/a.xml"/><worldbody><body name="x" pos="1 0 0">
      <joint axis="0 0 1"/><geom type="mesh" mesh="p" pos=".5 .6 .7" euler="10 20 30"/></body></worldbody></mujoco>"""
    model = load(write(tmp_path, text))
    native = mujoco.MjModel.from_xml_path(str(tmp_path / "robot.xml"))
    data = mujoco.MjData(native)
    mujoco.mj_kinematics(native, data)
    corners = data.geom_xpos[0] + native.mesh_vert @ data.geom_xmat[0].reshape(3, 3).T
    from multibody.view.drawing import drawing_of

    state = model.assemble()
    drawing = drawing_of(state.tables, np.array(state.q)[None])
    (mesh,) = [stroke for stroke in drawing.strokes if stroke.kind == "mesh"]
    drawn = mesh.points + [state[f"x.{c}"] for c in "xyz"]
    assert max(float(np.min(np.linalg.norm(corners - point, axis=1))) for point in drawn) < 1e-6  # single precision
    assert model.bodies["x"].mass == pytest.approx(native.body_mass[1], rel=1e-12)


def test_a_base_is_fixed_or_freed_on_request(tmp_path: Path) -> None:
    assert load(write(tmp_path, ROBOT), base="fixed").joints["f_fixed"].kind.name == "fixed"
    text = '<mujoco><worldbody><body name="b"><geom size=".1"/></body></worldbody></mujoco>'
    assert load(write(tmp_path, text), base="floating").joints["b_free"].kind.name == "free"


BAD = {
    "<mujoco><worldbody><body><joint type='bad'/></body></worldbody></mujoco>": r":1: MuJoCo refuses it: invalid keyword",
    "<mujoco>\n<worldbody>\n<body name='b'><joint/></body></worldbody></mujoco>": r":3: MuJoCo refuses it: mass and inertia",
    "<mujoco><worldbody><geom type='mesh' mesh='none'/></worldbody></mujoco>": "MuJoCo refuses it",
    "<mujoco><include file='gone.xml'/></mujoco>": "gone.xml",
    "<mujoco><include file='robot.xml'/></mujoco>": "include each other in a circle",
    "<mujocoinclude/>": "it is a part that other files include",
    "<html/>": "<html> is no robot",
    "<mujoco><worldbody>": "it is no XML",
    "not xml at all": "it is no XML",
    "": "it is no XML",
    "<mujoco/>": "it has no body",
    '<!DOCTYPE m [<!ENTITY a "b">]><mujoco/>': "document type",
    "<mujoco><worldbody><body pos='nan 0 0'><geom size='.1'/></body></worldbody></mujoco>": "body1. has a number that is not",
}


@pytest.mark.parametrize("text", BAD)
def test_bad_files_are_told_in_one_sentence(tmp_path: Path, text: str) -> None:
    with pytest.raises(mb.ModelError) as told:
        load(write(tmp_path, text))
    sentence = str(told.value)
    assert "robot.xml" in sentence and "\n" not in sentence
    import re

    assert re.search(BAD[text], sentence), sentence


@pytest.mark.parametrize("text", ["<include file='inner.xml'/>", "<asset><model name='m' file='inner.xml'/></asset>"])
def test_entities_of_another_file_are_refused(tmp_path: Path, text: str) -> None:
    write(tmp_path, '<!DOCTYPE m [<!ENTITY a "b">]><mujoco/>', "inner.xml")
    with pytest.raises(mb.ModelError, match=r"inner.xml.*document type"):
        load(write(tmp_path, f"<mujoco>{text}</mujoco>"))


def test_what_mujoco_warns_of_is_in_the_note_and_in_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    body = "<worldbody><body name='b'><geom size='.1'/></body></worldbody>"
    write(tmp_path, f"<mujoco model='child'><option iterations='7'/>{body}</mujoco>", "child.xml")
    asset = "<asset><model name='child' file='child.xml'/></asset>"
    attach = "<worldbody><frame><attach model='child' body='b' prefix='x'/></frame></worldbody>"
    with pytest.warns(RobotNote, match="1 warning of MuJoCo .Attach conflict"):
        mb.load(write(tmp_path, f"<mujoco>{asset}{attach}</mujoco>"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["child.xml", "robot.xml"]
