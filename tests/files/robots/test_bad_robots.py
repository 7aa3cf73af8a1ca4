"""Bad robot files: one sentence with file and line, never a traceback, and quickly."""

from __future__ import annotations

import os
import time
import warnings
from pathlib import Path

import pytest

import multibody as mb
from multibody.errors import RobotNote

BODY = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
BOMB = '<!DOCTYPE robot [\n<!ENTITY a "ha">\n' + "".join(
    f'<!ENTITY {b} "{10 * ("&" + a + ";")}">\n' for a, b in zip("abcdefghi", "bcdefghij", strict=True)
) + ']>\n<robot name="&j;"/>'  # fmt: skip


def joint(name: str, parent: str, child: str, kind: str = "continuous", more: str = "") -> str:
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{more}</joint>'


def robot(*lines: str) -> str:
    return "\n".join(['<robot name="r">', *lines, "</robot>"])


AB = ('<link name="a"/>', f'<link name="b">{BODY}</link>')
URDFS = {
    "bomb": (BOMB, "r.urdf:1: it declares a document type (robot), which is not read; take the DOCTYPE out"),
    "external": (
        '<!DOCTYPE robot SYSTEM "file:///etc/passwd">\n<robot name="r"/>',
        "r.urdf:1: it declares a document type (robot)",
    ),
    "no XML": ("robots!", "r.urdf:1: it is no XML (not well-formed (invalid token)); check this line"),
    "not closed": ('<robot name="r">\n<link name="a">', "r.urdf:2: it is no XML (no element found)"),
    "empty": ("", "r.urdf:1: it is no XML (no element found)"),
    "blank lines in front": ('\n\n<?xml version="1.0"?>\n<robot name="r">\n<link/>\n</robot>', "r.urdf:5: <link> has no name"),
    "encoding": ('<?xml version="1.0" encoding="klingon"?><robot/>', "it is no XML (unknown encoding"),
    "deep": ("<a>" * 5000, "r.urdf:1: more than 100 levels"),
    "SDF": ('<sdf version="1.6"/>', "r.urdf:1: its outermost element is <sdf>; a URDF file has <robot name=...>"),
    "xacro": (robot('<xacro:include filename="x"/>'), "r.urdf:2: it has macros (<xacro:include>); name the file .xacro"),
    "no link": ('<robot name="r"/>', "r.urdf:1: it has no link"),
    "two roots": (
        robot(*AB, '<link name="c"/>', joint("j", "a", "b")),
        'r.urdf:4: 2 links hang on no joint: "a" (line 2), "c" (line 4); a URDF has one root',
    ),
    "circle": (robot(*AB, joint("j", "a", "b"), joint("k", "b", "a")), "r.urdf:4: every link hangs on another"),
    "circle apart": (
        robot(*AB, '<link name="c"/>', joint("j", "b", "c"), joint("k", "c", "b")),
        'r.urdf:5: link "c" hangs on itself: its joints go round in a circle',
    ),
    "two parents": (
        robot(*AB, '<link name="c"/>', joint("j", "a", "c"), joint("k", "a", "b"), joint("l", "b", "c")),
        'r.urdf:7: link "c" is the child of two joints, "j" and "l"; URDF is a tree: close a loop with <loop_joint>',
    ),
    "joined with itself": (
        robot(*AB, joint("j", "a", "b"), joint("k", "b", "b")),
        'r.urdf:5: link "b" is the child of two joints',
    ),
    "unknown link": (
        robot(*AB, joint("j", "a", "bb")),
        'r.urdf:4: joint "j" names the link "bb", which is not there; did you mean "b"?',
    ),
    "no type": (robot(*AB, '<joint name="j"/>'), 'r.urdf:4: joint "j" has no type'),
    "unknown type": (
        robot(*AB, joint("j", "a", "b", "revolut")),
        'r.urdf:4: joint "j" has the type "revolut"; did you mean "revolute"?',
    ),
    "no parent": (robot(*AB, '<joint name="j" type="fixed"><child link="b"/></joint>'), 'r.urdf:4: joint "j" has no parent'),
    "zero axis": (
        robot(*AB, joint("j", "a", "b", more='\n<axis xyz="0 0 0"/>')),
        'r.urdf:5: the axis of joint "j" has no length; give a direction',
    ),
    "NaN": (robot(*AB, joint("j", "a", "b", more='<axis xyz="0 nan 1"/>')), 'r.urdf:4: "xyz" of <axis> is not finite ("nan")'),
    "infinite": (
        robot('<link name="a"><inertial>\n<mass value="1e999"/></inertial></link>'),
        'r.urdf:3: "value" of <mass> is not finite',
    ),
    "comma": (
        robot(*AB, joint("j", "a", "b", more='<axis xyz="0,5 0 1"/>')),
        'r.urdf:4: "xyz" of <axis> has "0,5", which is no number',
    ),
    "two numbers": (
        robot(*AB, joint("j", "a", "b", more='<axis xyz="0 1"/>')),
        'r.urdf:4: "xyz" of <axis> has 2 numbers; it takes 3',
    ),
    "no mass": (robot('<link name="a"><inertial><mass/></inertial></link>'), 'r.urdf:2: <mass> has no "value"'),
    "scale of zero": (
        robot('<link name="a"><visual><geometry>\n<mesh filename="x.stl" scale="1 0 1"/></geometry></visual></link>'),
        'r.urdf:3: the scale of the mesh "x.stl" is zero',
    ),
    "negative size": (
        robot('<link name="a"><visual><geometry><box size="1 -1 1"/></geometry></visual></link>'),
        "r.urdf:2: a size of <box> is negative",
    ),
    "negative damping": (
        robot(*AB, joint("j", "a", "b", more='<dynamics damping="-1"/>')),
        'r.urdf:4: the damping of joint "j" is negative',
    ),
    "the same name twice": (
        robot(*AB, '<link name="b"/>', joint("j", "a", "b")),
        'r.urdf:4: link "b" is there twice, first in line 3',
    ),
    "the same joint twice": (
        robot(*AB, '<link name="c"/>', joint("j", "a", "b"), joint("j", "a", "c")),
        'r.urdf:6: joint "j" is there twice, first in line 5',
    ),
    "mimic of a mimic": (
        robot(
            *AB,
            '<link name="c"/>',
            '<link name="d"/>',
            joint("j", "a", "b"),
            joint("k", "b", "c", more='\n<mimic joint="j"/>'),
            joint("l", "c", "d", more='<mimic joint="k"/>'),
        ),
        'r.urdf:9: joint "l" follows "k", which follows another one itself; name the joint that leads',
    ),
    "mimic of itself": (robot(*AB, joint("j", "a", "b", more='<mimic joint="j"/>')), 'r.urdf:4: joint "j" follows "j"'),
    "mimic of nothing": (
        robot(*AB, joint("j", "a", "b", more='<mimic joint="jj"/>')),
        'follows "jj", which is not there; did you mean "j"?',
    ),
}


def link(name: str, more: str = "") -> str:
    return f'<link name="{name}">{more}</link>'


def sdf(*lines: str) -> str:
    return "\n".join(['<sdf version="1.9">', '<model name="m">', *lines, "</model>", "</sdf>"])


def sdf_joint(more: str, kind: str = "revolute", parent: str = "a", child: str = "b") -> str:
    return f'<joint name="j" type="{kind}"><parent>{parent}</parent><child>{child}</child>{more}</joint>'


SDFS = {
    "URDF": ('<robot name="r"/>', "r.sdf:1: its outermost element is <robot>; an SDF file has <sdf version=...>"),
    "no link": (sdf(), "r.sdf:1: it has no link"),
    "frames in a circle": (
        sdf(link("a", '<pose relative_to="b">0 0 0 0 0 0</pose>'), link("b", '<pose relative_to="a">0 0 0 0 0 0</pose>')),
        "r.sdf:4: the frames are relative to each other (a → b → a); break the circle",
    ),
    "frame attached to itself": (
        sdf(link("a"), '<frame name="f" attached_to="f"/>'),
        "the frames are relative to each other (f → f)",
    ),
    "unknown frame": (
        sdf(link("a", '<pose relative_to="bb"/>'), link("b")),
        'r.sdf:3: there is no frame "bb"; did you mean "b"?',
    ),
    "pose of four": (sdf(link("a", "<pose>0 0 0 0</pose>")), "r.sdf:3: <pose> has 4 numbers; it takes 6"),
    "NaN": (sdf(link("a", "<pose>0 0 0 nan 0 0</pose>")), 'r.sdf:3: <pose> is not finite ("nan")'),
    "zero axis": (
        sdf(link("a"), link("b"), sdf_joint("<axis><xyz>0 0 0</xyz></axis>")),
        'r.sdf:5: the axis of joint "j" has no length',
    ),
    "unknown type": (sdf(link("a"), link("b"), sdf_joint("", "hinge")), 'r.sdf:5: joint "j" has the type "hinge"'),
    "unknown link": (
        sdf(link("a"), link("b"), sdf_joint("", child="bb")),
        'r.sdf:5: there is no frame "bb"; did you mean "b"?',
    ),
    "with itself": (sdf(link("a"), link("b"), sdf_joint("", parent="b")), 'r.sdf:5: joint "j" joins link "b" with itself'),
    "scale of zero": (
        sdf(link("a", "<visual name='v'><geometry><mesh><uri>x.stl</uri><scale>0 1 1</scale></mesh></geometry></visual>")),
        'r.sdf:3: the scale of the mesh "x.stl" is zero',
    ),
    "a model twice": (
        '<sdf version="1.9"><world name="w">\n<model name="m"><link name="a"/></model>\n'
        '<model name="m"><link name="a"/></model></world></sdf>',
        'r.sdf:3: the model "m" is there twice',
    ),
    "names that collide after prefixing": (
        '<sdf version="1.9"><world name="w"><model name="m"><link name="n__a"/>\n<model name="n">\n'
        '<link name="a"/></model></model>'
        '<model name="o"><link name="x"/></model></world></sdf>',
        'r.sdf:3: link "m::n::a" and link "m::n__a" (line 1) would both be called "m__n__a"; rename one of them',
    ),
    "bomb": (BOMB.replace("robot", "sdf"), "r.sdf:1: it declares a document type (sdf)"),
}


def refusal(file: Path, text: str, **options: object) -> str:
    file.write_text(text)
    begun = time.monotonic()
    with warnings.catch_warnings(), pytest.raises(mb.ModelError) as caught:
        warnings.simplefilter("ignore", RobotNote)
        mb.load(str(file), **options)
    assert time.monotonic() - begun < 5.0
    return str(caught.value)


@pytest.mark.parametrize("case", URDFS)
def test_a_bad_urdf_is_refused_in_a_sentence_with_its_line(tmp_path: Path, case: str) -> None:
    text, words = URDFS[case]
    said = refusal(tmp_path / "r.urdf", text)
    assert words in said
    assert "r.urdf:" not in said.partition("(")[2]  # one reason, not one inside of another
    assert len(said.splitlines()) == 1


@pytest.mark.parametrize("case", SDFS)
def test_a_bad_sdf_is_refused_in_a_sentence_with_its_line(tmp_path: Path, case: str) -> None:
    text, words = SDFS[case]
    said = refusal(tmp_path / "r.sdf", text)
    assert words in said
    assert len(said.splitlines()) == (2 if case == "frames in a circle" else 1)  # both links are at fault


def test_all_faults_of_a_file_are_told_at_once(tmp_path: Path) -> None:
    said = refusal(tmp_path / "r.urdf", robot(*AB, joint("j", "a", "b", "x"), joint("k", "a", "b", "y"), "<link/>"))
    assert [line.split(": ")[0].rpartition(":")[2] for line in said.splitlines()] == ["4", "5", "6"]


def test_files_that_include_each_other(tmp_path: Path) -> None:
    for one, other in (("a", "b"), ("b", "a")):
        include = f"<include><uri>{other}.sdf</uri></include>"
        (tmp_path / f"{one}.sdf").write_text(
            f'<sdf version="1.9">\n<model name="{one}"><link name="l"/>\n{include}</model></sdf>'
        )
    said = refusal(tmp_path / "a.sdf", (tmp_path / "a.sdf").read_text())
    assert "b.sdf:3: the files include each other (a.sdf → b.sdf → a.sdf); break the circle" in said


def test_a_huge_file_and_a_huge_mesh_are_not_read(tmp_path: Path) -> None:
    with open(tmp_path / "huge.urdf", "wb") as file:
        file.truncate(10**9)
    with pytest.raises(mb.ModelError, match="more than the"):
        mb.load(str(tmp_path / "huge.urdf"))
    with open(tmp_path / "huge.stl", "wb") as file:
        file.truncate(3 * 10**9)
    (tmp_path / "r.urdf").write_text(
        robot(f'<link name="a">{BODY}<visual><geometry><mesh filename="huge.stl"/></geometry></visual></link>')
    )
    begun = time.monotonic()
    assert mb.load(str(tmp_path / "r.urdf")).bodies["a"].shape[0].kind == "mesh"
    assert time.monotonic() - begun < 2.0
    os.unlink(tmp_path / "huge.stl")


def test_a_missing_file_and_a_folder(tmp_path: Path) -> None:
    with pytest.raises(mb.ModelError, match="there is no such file"):
        mb.load(str(tmp_path / "none.urdf"))
    (tmp_path / "d.urdf").mkdir()
    with pytest.raises(mb.ModelError, match=r"it cannot be read \(Is a directory\)"):
        mb.load(str(tmp_path / "d.urdf"))


def test_parameters_of_a_robot_are_options(tmp_path: Path) -> None:
    said = refusal(tmp_path / "r.urdf", robot(*AB, joint("j", "a", "b")), density=-1)
    assert "density is -1; give a number above zero, in kg/m³" in said
