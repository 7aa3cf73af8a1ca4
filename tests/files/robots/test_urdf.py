"""URDF: trees against Pinocchio, what joints carry, names, inertias, and what is not carried over."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import multibody as mb
from multibody.errors import RobotNote

sys.path.insert(0, str(Path(__file__).parent))
from robot_texts import tree

ALL = ["revolute", "prismatic", "continuous", "fixed", "revolute", "prismatic", "fixed", "continuous", "revolute"]
BODY = '<inertial><mass value="1"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial>'
TURNING = '<parent link="a"/><child link="b"/><axis xyz="0 1 1"/>'


def robot(content: str) -> str:
    return f'<robot name="r">\n{content}\n</robot>\n'


def two(joint: str, body: str = BODY, type: str = "revolute") -> str:
    """Return two links with one joint."""
    return robot(f'<link name="a"/>\n<link name="b">{body}</link>\n<joint name="j" type="{type}">{TURNING}{joint}</joint>')


def read(folder: Path, text: str, **options: object) -> mb.Model:
    file = folder / "r.urdf"
    file.write_text(text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RobotNote)
        return mb.load(str(file), **options)


def note(folder: Path, text: str, **options: object) -> str:
    file = folder / "r.urdf"
    file.write_text(text)
    with pytest.warns(RobotNote) as caught:
        mb.load(str(file), **options)
    assert len(caught) == 1
    return str(caught[0].message)


# --- against Pinocchio ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("base", ["fixed", "floating"])
def test_a_tree_in_general_position_has_pinocchios_dynamics(tmp_path: Path, base: str) -> None:
    pytest.importorskip("pinocchio")
    from peer import difference

    for seed in range(3):
        file = tmp_path / f"{seed}.urdf"
        file.write_text(tree(ALL, seed))
        found = difference(file, base, seed=seed)
        assert found is not None
        assert found.worst < 1e-12


def test_frames_lie_where_pinocchio_has_them(tmp_path: Path) -> None:
    pin = pytest.importorskip("pinocchio")
    file = tmp_path / "t.urdf"
    file.write_text(tree(ALL, 4))
    peer = pin.buildModelFromUrdf(str(file))
    data = peer.createData()
    ours = read(tmp_path, file.read_text(), limits="none").robot()
    q, p = ours.neutral.copy(), pin.neutral(peer)
    for k in range(1, peer.njoints):
        x = 0.3 * k - 1.0
        q[ours.slices(peer.names[k])[0]] = x
        at, size = peer.joints[k].idx_q, peer.joints[k].nq
        p[at : at + size] = (np.cos(x), np.sin(x)) if size == 2 else x
    pin.framesForwardKinematics(peer, data, p)
    for k in range(len(ALL)):
        point, axes = ours.frame_pose(f"link{k}", q)
        place = data.oMf[peer.getFrameId(f"link{k}")]
        np.testing.assert_allclose(point, place.translation, atol=1e-13)
        np.testing.assert_allclose(axes, place.rotation, atol=1e-13)


def test_merging_fixed_joints_changes_no_dynamics(tmp_path: Path) -> None:
    text = tree(ALL, 7)
    kept, merged = (read(tmp_path, text, fixed=word, limits="none") for word in ("keep", "merge"))
    assert len(merged.bodies) == len(kept.bodies) - ALL.count("fixed")
    a, b = kept.robot(), merged.robot()
    order = [b.rates.index(name) for name in a.rates]
    q, v, acc = (np.random.default_rng(k).normal(size=a.nv) for k in range(3))
    again = [np.empty(a.nv) for _ in range(3)]
    for x, y in zip((q, v, acc), again, strict=True):
        y[order] = x
    np.testing.assert_allclose(b.inverse_dynamics(*again)[order], a.inverse_dynamics(q, v, acc), rtol=1e-12, atol=1e-12)
    assert "link3" in merged.bodies["link2"].frames or any("link3" in body.frames for body in merged.bodies.values())


# --- what joints carry ------------------------------------------------------------------------------------------------
def test_limits_become_a_stop_that_takes_the_effort_within_a_hundredth_of_a_radian(tmp_path: Path) -> None:
    model = read(tmp_path, two('<limit lower="-1" upper="2" effort="30" velocity="4"/>'))
    stop = model.forces["j_limit"]
    assert (stop.fields["lower"], stop.fields["upper"], stop.fields["stiffness"]) == (-1.0, 2.0, 3000.0)
    assert not read(tmp_path, two('<limit lower="-1" upper="2" effort="30"/>'), limits="none").forces


@pytest.mark.parametrize(
    "limit", ['<limit effort="1" velocity="1"/>', '<limit lower="-inf" upper="inf"/>', '<limit lower="1" upper="0"/>', ""]
)
def test_limits_that_are_none(tmp_path: Path, limit: str) -> None:
    assert not read(tmp_path, two(limit)).forces


def test_a_joint_whose_limits_leave_zero_out_starts_at_the_nearer_one(tmp_path: Path) -> None:
    model = read(tmp_path, two('<limit lower="0.5" upper="2" effort="1" velocity="1"/>'))
    assert model.robot().q0 == pytest.approx([0.5], abs=1e-12)


def test_damping_and_friction_act_against_the_rate(tmp_path: Path) -> None:
    damped = read(tmp_path, two('<dynamics damping="0.7"/>')).robot()
    plain = read(tmp_path, two("")).robot()
    extra = damped.inverse_dynamics([0.2], [3.0], [0.0]) - plain.inverse_dynamics([0.2], [3.0], [0.0])
    assert extra == pytest.approx([2.1])
    rubbing = read(tmp_path, two('<dynamics damping="0.7" friction="0.4"/>')).robot()
    extra = rubbing.inverse_dynamics([0.2], [3.0], [0.0]) - plain.inverse_dynamics([0.2], [3.0], [0.0])
    assert extra == pytest.approx([2.5], abs=1e-6)  # dry friction is smoothed


def test_armature_adds_to_the_diagonal_of_the_mass_matrix(tmp_path: Path) -> None:
    body = BODY.replace("<mass", '<origin xyz="0.2 0.1 0.05"/><mass')
    plain, heavy = (read(tmp_path, two(more, body)) for more in ("", '<dynamics armature="0.3"/>'))
    M, g = float(plain.robot().mass_matrix([0.4])[0, 0]), float(plain.robot().gravity([0.4])[0])
    assert abs(g) > 0.1
    for model, inertia in ((plain, M), (heavy, M + 0.3)):
        rate = model.run(1e-4, initial={"j": 0.4, "j.rate": 0.0})["j.rate"].values[-1]
        assert rate == pytest.approx(-g / inertia * 1e-4, rel=1e-6)


def test_mimic_is_exact(tmp_path: Path) -> None:
    text = robot(
        f'<link name="a"/><link name="b">{BODY}</link><link name="c">{BODY}</link>'
        '<joint name="j" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 1 1"/></joint>'
        '<joint name="k" type="prismatic"><parent link="b"/><child link="c"/><axis xyz="1 0 2"/>'
        '<mimic joint="j" multiplier="-0.25" offset="0.1"/></joint>'
    )
    model = read(tmp_path, text)
    report = model.check()
    assert report.mobility == 1
    run = model.run(1.0, initial={"j": 0.3})
    assert np.abs(run["k"].values - (0.1 - 0.25 * run["j"].values)).max() < 1e-11


def test_planar_and_floating_joints(tmp_path: Path) -> None:
    model = read(tmp_path, two("", type="planar"))
    assert model.joints["j"].kind.name == "planar"
    assert model.robot().nv == 3
    assert read(tmp_path, two("", type="floating")).robot().nv == 6


# --- names ------------------------------------------------------------------------------------------------------------
def test_names_by_the_stated_rule(tmp_path: Path) -> None:
    text = robot(
        f'<link name="base/0"/><link name="upper-arm.v2">{BODY}</link><link name="1st">{BODY}</link>'
        '<joint name="upper-arm.v2" type="continuous"><parent link="base/0"/><child link="upper-arm.v2"/></joint>'
        '<joint name="t" type="continuous"><parent link="upper-arm.v2"/><child link="1st"/></joint>'
    )
    model = read(tmp_path, text)
    assert list(model.bodies) == ["base_0", "upper_arm_v2", "n1st"]
    assert {"upper_arm_v2_joint", "t_"} <= set(model.joints)
    assert 'link "base/0" is base_0' in note(tmp_path, text)


def test_names_that_would_become_the_same_are_refused(tmp_path: Path) -> None:
    text = robot('<link name="a"/>\n<link name="x-y"/>\n<link name="x_y"/>\n' + "".join(
        f'<joint name="{name}" type="fixed"><parent link="a"/><child link="{child}"/></joint>'
        for name, child in (("j", "x-y"), ("k", "x_y"))
    ))  # fmt: skip
    with pytest.raises(mb.ModelError, match=r'r.urdf:4: link "x_y" and link "x-y" \(line 3\) would both be called "x_y"'):
        read(tmp_path, text)


# --- inertias ---------------------------------------------------------------------------------------------------------
def inertia(xx: float, yy: float, zz: float, mass: float = 1.0, more: str = "") -> str:
    return (
        f'<inertial><mass value="{mass!r}"/><inertia ixx="{xx!r}" ixy="0" ixz="0" iyy="{yy!r}" iyz="0" izz="{zz!r}"/>'
        f"</inertial>{more}"
    )


def test_rounding_of_a_cad_program_is_no_fault(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", RobotNote)
        file = tmp_path / "r.urdf"
        for body in (inertia(0.01, 0.01, -2e-22), inertia(1e-22, -2e-22, 3e-22), inertia(0.0, 0.0, 0.0)):
            file.write_text(two("", body))
            model = mb.load(str(file))
            assert np.isfinite(model.robot().mass_matrix([0.1])).all()


def test_a_turned_inertia_with_asymmetry_in_the_last_digit_is_no_fault(tmp_path: Path) -> None:
    body = inertia(0.3, 0.4, 0.5).replace("<mass", '<origin xyz="0.1 0.2 0.3" rpy="0.1 1.7 -2.2"/><mass')
    model = read(tmp_path, two("", body))
    assert model.check().mobility == 1
    rows = np.array(model.bodies["b"].inertia, dtype=float)
    assert (rows == rows.T).all()
    np.testing.assert_allclose(np.linalg.eigvalsh(rows), [0.3, 0.4, 0.5], rtol=1e-14)


def impossible() -> str:
    return robot(
        f'<link name="a"/>\n<link name="b">{inertia(0.001, 0.001, 0.01)}</link>\n'
        f'<link name="c">{inertia(1.0, 1.0, 1.0, -2.0)}</link>\n<link name="d"/>\n<link name="e">{BODY}</link>\n' + "".join(
            f'<joint name="j{k}" type="continuous"><parent link="{p}"/><child link="{c}"/></joint>'
            for k, (p, c) in enumerate(("ab", "bc", "cd", "de"))
        )
    )  # fmt: skip


def test_all_impossible_inertias_are_named_at_once_and_refused_by_dynamics_alone(tmp_path: Path) -> None:
    text = note(tmp_path, impossible())
    model = read(tmp_path, impossible())
    assert model.check().mobility == 4
    for act in (lambda: model.run(0.1), lambda: model.robot().inverse_dynamics(*[[0.0] * 4] * 3)):
        with pytest.raises(mb.ModelError) as caught:
            act()
        for said in (str(caught.value), text):
            assert '3 links lack a possible inertia: "b" (no body has the principal moments 0.001, 0.001, 0.01, line 3)' in said
            assert '"c" (its mass is -2, line 4)' in said
            assert '"d" (it states no inertia, line 5)' in said
        assert 'inertias="massless"' in str(caught.value)


def test_impossible_inertias_can_be_massless(tmp_path: Path) -> None:
    model = read(tmp_path, impossible(), inertias="massless")
    assert [float(model.bodies[name].mass) for name in "bcd"] == [0.0, 0.0, 0.0]
    assert np.isfinite(model.robot().inverse_dynamics(*[[0.1] * 4] * 3)).all()


def test_inertias_from_shapes(tmp_path: Path) -> None:
    shapes = (
        '<collision><origin xyz="0 0 1" rpy="0.5 0 0"/><geometry><box size="0.1 0.2 0.3"/></geometry></collision>'
        '<collision><geometry><sphere radius="0.1"/></geometry></collision>'
        '<visual><geometry><sphere radius="9"/></geometry></visual>'
    )
    body = read(tmp_path, two("", shapes), inertias="shapes", density=500).bodies["b"]
    box, ball = 500 * 0.006, 500 * 4 / 3 * np.pi * 1e-3
    assert body.mass == pytest.approx(box + ball)
    assert body.com == pytest.approx([0, 0, box / (box + ball)])
    c, s = np.cos(0.5), np.sin(0.5)
    R = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
    own = R @ np.diag([0.13, 0.10, 0.05]) @ R.T * box / 12 + np.eye(3) * 0.4 * ball * 0.01
    lever = box * ball / (box + ball)
    np.testing.assert_allclose(np.array(body.inertia, dtype=float), own + lever * np.diag([1.0, 1.0, 0.0]), rtol=1e-13)


def test_a_frame_without_mass_on_a_link_with_mass_needs_none(tmp_path: Path) -> None:
    text = robot(
        f'<link name="a"/><link name="b">{BODY}</link><link name="tool"/>'
        '<joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint>'
        '<joint name="k" type="fixed"><parent link="b"/><child link="tool"/></joint>'
    )
    assert np.isfinite(read(tmp_path, text).robot().mass_matrix([0.3])).all()


# --- meshes and notes -------------------------------------------------------------------------------------------------
def test_meshes_of_packages_and_beside_the_file(tmp_path: Path) -> None:
    folder = tmp_path / "my_robot" / "urdf"
    folder.mkdir(parents=True)
    (tmp_path / "my_robot" / "m").mkdir()
    for place in (folder / "near.stl", tmp_path / "my_robot" / "m" / "far.stl", tmp_path / "other.stl"):
        place.write_text("solid x\nendsolid x\n")
    names = (
        "near.stl",
        "package://my_robot/m/far.stl",
        "package://elsewhere/other.stl",
        "package://nowhere/x.stl",
        "http://x/y.stl",
    )
    visuals = "".join(f'<visual><geometry><mesh filename="{n}" scale="1 -1 2"/></geometry></visual>' for n in names)
    text = note(folder, two("", BODY + visuals), packages={"elsewhere": tmp_path})
    assert "2 mesh" in text
    assert "package://nowhere/x.stl" in text
    shapes = read(folder, two("", BODY + visuals), packages={"elsewhere": str(tmp_path)}).bodies["b"].shape
    assert [Path(shape.value).name for shape in shapes] == ["near.stl", "far.stl", "other.stl"]
    assert shapes[0].fields["scale"] == (1.0, -1.0, 2.0)


def test_what_is_not_carried_over_is_counted_by_name_in_one_note(tmp_path: Path) -> None:
    more = '<transmission name="t1"/><transmission name="t2"/><gazebo/><sensor name="imu"/>'
    text = note(tmp_path, two("").replace("</robot>", f"{more}</robot>"))
    assert "2 transmissions (t1, t2), 1 gazebo, 1 sensor (imu)" in text


def test_unknown_options_are_answered_with_the_near_one(tmp_path: Path) -> None:
    with pytest.raises(mb.ModelError, match='unknown option "inertia"; did you mean "inertias"'):
        read(tmp_path, two(""), inertia="massless")
    with pytest.raises(mb.ModelError, match="base is 'flying'; it is file or fixed or floating"):
        read(tmp_path, two(""), base="flying")
