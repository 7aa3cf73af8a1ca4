"""xacro: macros are expanded by xacrodoc, packages are found around the file, faults are told in a sentence."""

from __future__ import annotations

import builtins
from pathlib import Path
from typing import Any

import pytest

import multibody as mb

ARM = """<robot xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:macro name="arm" params="side y">
  <link name="${side}_arm">
    <inertial><mass value="${2*3}"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
  </link>
  <joint name="${side}_shoulder" type="continuous">
    <origin xyz="0 ${y/2} 0"/><parent link="base"/><child link="${side}_arm"/>
  </joint>
</xacro:macro>
</robot>
"""
ROBOT = """<robot name="two-arms" xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:include filename="$(find my_arm)/urdf/arm.xacro"/>
<link name="base"/>
<xacro:arm side="left" y="0.5"/> <xacro:arm side="right" y="-0.5"/>
</robot>
"""


def test_macros_and_packages(tmp_path: Path) -> None:
    pytest.importorskip("xacrodoc")
    for folder in ("my_arm/urdf", "my_robot/urdf"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "my_arm" / "urdf" / "arm.xacro").write_text(ARM)
    file = tmp_path / "my_robot" / "urdf" / "robot.urdf.xacro"
    file.write_text(ROBOT)
    model = mb.load(str(file))
    assert model.name == "two-arms"
    assert list(model.bodies) == ["base", "left_arm", "right_arm"]
    assert model.bodies["left_arm"].mass == 6.0
    assert model.bodies["base"].frames["right_shoulder"].at == (0.0, -0.25, 0.0)
    elsewhere = tmp_path / "far" / "away"
    (tmp_path / "my_arm").rename(tmp_path / "hidden")
    elsewhere.mkdir(parents=True)
    (tmp_path / "hidden").rename(elsewhere / "arm")
    assert len(mb.load(str(file), packages={"my_arm": elsewhere / "arm"}).bodies) == 3


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (ROBOT.replace("my_arm", "no_such_package"), "it cannot be expanded (Package not found: no_such_package"),
        (
            '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><link name="${1/0}"/></robot>',
            "it cannot be expanded (division by zero",
        ),
        ('<!DOCTYPE robot [<!ENTITY a "b">]><robot name="&a;"/>', "robot.xacro:1: it declares a document type"),
        ("<robot", "robot.xacro:1: it is no XML"),
    ],
)
def test_faults_are_told_in_a_sentence(tmp_path: Path, text: str, words: str) -> None:
    pytest.importorskip("xacrodoc")
    (tmp_path / "robot.xacro").write_text(text)
    with pytest.raises(mb.ModelError) as caught:
        mb.load(str(tmp_path / "robot.xacro"))
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_without_xacrodoc_the_command_that_installs_it_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "robot.xacro").write_text('<robot name="r"/>')
    real = builtins.__import__

    def without(name: str, *more: Any, **options: Any) -> Any:
        if name == "xacrodoc":
            raise ImportError(name)
        return real(name, *more, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(mb.ModelError, match=r"xacro files need xacrodoc, which is not installed; .*multibody\[xacro\]"):
        mb.load(str(tmp_path / "robot.xacro"))
