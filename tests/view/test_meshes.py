"""Meshes of bodies: read for drawing, in the model's unit, and one sentence where that cannot be."""

from __future__ import annotations

import builtins
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import multibody as mb
from multibody.cad import part
from multibody.cli.app import app
from multibody.view.drawing import drawing_of
from multibody.view.meshes import MeshWarning, decimated
from multibody.view.solids import mesh as surface
from multibody.view.strokes import Drawing, Owner, Stroke

trimesh: Any = pytest.importorskip("trimesh")


def block(file: Path, edges: tuple[float, float, float] = (0.4, 0.1, 0.2)) -> str:
    """Write a box whose corner is at its origin, and return its name."""
    made = trimesh.creation.box(edges)
    made.apply_translation(np.array(edges) / 2.0)
    made.export(file)
    return str(file)


def hinged(mesh: str, unit: str = "m", **shape: Any) -> mb.Model:
    m = mb.Model("hinged", units={"length": unit})
    m.body("arm", mass=1, inertia=(1, 1, 1), com=(0.1, 0, 0), frames={"tip": (0.4, 0, 0)}, shape={"mesh": mesh, **shape})
    m.revolute("O", m.ground, "arm", axis=(0, 1, 0))
    return m


def drawn(model: mb.Model) -> Drawing:
    state = model.assemble()
    return drawing_of(state.tables, np.array(state.q)[None])


def strokes(drawing: Drawing, kind: str) -> list[Stroke]:
    return [stroke for stroke in drawing.strokes if stroke.kind == kind and stroke.owner == Owner("body", "arm")]


@pytest.mark.parametrize("ending", ["stl", "obj", "glb"])
def test_a_mesh_is_drawn_from_the_origin_of_its_body(tmp_path: Path, ending: str) -> None:
    drawing = drawn(hinged(block(tmp_path / f"arm.{ending}")))
    (mesh,) = strokes(drawing, "mesh")
    np.testing.assert_allclose(mesh.points.min(axis=0), [-0.1, 0.0, 0.0], atol=1e-6)  # from the center of mass
    np.testing.assert_allclose(mesh.points.max(axis=0), [0.3, 0.1, 0.2], atol=1e-6)
    assert surface(mesh.points, mesh.triangles).volume() == pytest.approx(0.4 * 0.1 * 0.2, rel=1e-5)
    assert len(mesh.points) == 8  # corners that triangles share are one
    assert not strokes(drawing, "tube")  # it stands for the link
    assert drawing.notes == ()


def test_the_unit_of_a_file_is_the_models_but_a_glb_is_in_meters(tmp_path: Path) -> None:
    for ending, size in (("stl", 0.4), ("obj", 0.4), ("glb", 400.0)):
        name = block(tmp_path / f"arm.{ending}")
        (mesh,) = strokes(drawn(hinged(name, "mm")), "mesh")
        assert float(np.ptp(mesh.points[:, 0])) == pytest.approx(size, rel=1e-5)
        (larger,) = strokes(drawn(hinged(name, "mm", scale=2.5)), "mesh")
        assert float(np.ptp(larger.points[:, 0])) == pytest.approx(2.5 * size, rel=1e-5)


def test_a_mesh_lies_beside_the_model_file(tmp_path: Path) -> None:
    block(tmp_path / "arm.stl")
    file = tmp_path / "hinged.yaml"
    body = "{mass: 1, inertia: [1, 1, 1], shape: {mesh: arm.stl}}"
    file.write_text(f"bodies: {{arm: {body}}}\njoints: {{O: {{revolute: [ground, arm], axis: [0, 1, 0]}}}}\n")
    assert strokes(drawn(mb.load(file)), "mesh")


def test_triangles_that_look_inwards_are_turned(tmp_path: Path) -> None:
    made = trimesh.creation.box((0.4, 0.1, 0.2))
    made.invert()
    made.export(tmp_path / "inside.stl")
    (mesh,) = strokes(drawn(hinged(str(tmp_path / "inside.stl"))), "mesh")
    assert surface(mesh.points, mesh.triangles).volume() == pytest.approx(0.008, rel=1e-5)


def test_a_fine_mesh_is_made_coarser_without_changing_its_shape() -> None:
    ball = trimesh.creation.icosphere(subdivisions=5, radius=2.0)
    points, triangles = decimated(np.asarray(ball.vertices), np.asarray(ball.faces), 3000)
    assert 500 < len(triangles) <= 3000
    assert np.linalg.norm(points, axis=1) == pytest.approx(2.0, rel=0.02)
    assert surface(points, triangles).volume() == pytest.approx(4.0 / 3.0 * np.pi * 8.0, rel=0.03)


HOLLOW = (
    ("0 0 0", "0 0 0", "0 0 0"), ("1 2 3", "1 2 3", "0 0 0"), ("-1e308 0 0", "1e308 0 0", "0 1e308 0"),
    ("1e200 0 0", "0 1e200 0", "0 0 1e200"), ("1e-320 0 0", "0 1e-320 0", "0 0 1e-320"),
)  # fmt: skip


def test_a_hinge_far_along_its_axis_needs_no_bar_to_a_mesh(tmp_path: Path) -> None:
    def bars(at: tuple[float, float, float]) -> int:
        model = hinged(block(tmp_path / "arm.stl"))
        model.body("hand", mass=1, inertia=(1, 1, 1), at=at)
        del model.joints["O"]
        model.revolute("O", "ground", "arm", axis=(0, 1, 0))
        model.revolute("P", "arm", "hand", at=at, axis=(1, 0, 0))
        return len(strokes(drawn(model), "tube"))

    assert bars((2.0, 0.05, 0.1)) == 0  # the axis runs through the block, though its point is far outside
    assert bars((2.0, 0.5, 0.1)) == 1


def fault(model: mb.Model) -> str:
    """Return the one sentence about what is not drawn; everything else is."""
    with pytest.warns(MeshWarning) as told:
        drawing = drawn(model)
    assert len(told) == 1
    assert strokes(drawing, "tube")  # the link is drawn in its place
    text = str(told[0].message)
    assert drawing.notes[0] in text
    assert "\n" not in text
    assert 'body "arm"' in text
    return text


def test_what_cannot_be_read_is_told_in_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert 'there is no file "none.stl" in the current folder' in fault(hinged("none.stl"))
    (tmp_path / "bad.stl").write_bytes(b"solid nothing")
    assert "bad.stl" in fault(hinged(str(tmp_path / "bad.stl")))
    (tmp_path / "bad.glb").write_bytes(b"glTF\x02\x00\x00\x00 and then nothing")
    assert "cannot be read" in fault(hinged(str(tmp_path / "bad.glb")))
    (tmp_path / "empty.obj").write_text("")
    assert "empty.obj" in fault(hinged(str(tmp_path / "empty.obj")))
    (tmp_path / "nan.obj").write_text("v 0 0 0\nv nan 0 1\nv 0 1 0\nf 1 2 3\n")
    assert "finite" in fault(hinged(str(tmp_path / "nan.obj")))
    for k, corners in enumerate(HOLLOW):
        (tmp_path / f"hollow{k}.obj").write_text("".join(f"v {corner}\n" for corner in corners) + "f 1 2 3\n")
        assert "has no triangles with finite corners; check the file" in fault(hinged(str(tmp_path / f"hollow{k}.obj")))
    assert "has no triangles with finite corners" in fault(hinged(block(tmp_path / "vast.obj"), scale=1e99))
    (tmp_path / "arm.dwg").write_text("AC1032")
    assert "its name ends in .stl, .obj, .glb" in fault(hinged(str(tmp_path / "arm.dwg")))
    assert "there is no file" in fault(hinged("a\0b.stl"))
    monkeypatch.setattr(part, "MOST_BYTES", 100)
    assert "is too large" in fault(hinged(block(tmp_path / "arm.stl")))


def test_without_trimesh_the_rest_is_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = block(tmp_path / "other.stl")
    usual = builtins.__import__

    def without(module: str, *more: Any, **options: Any) -> Any:
        if module == "trimesh":
            raise ImportError(module)
        return usual(module, *more, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    assert "needs trimesh, which is not installed; python -m pip install" in fault(hinged(name))


def test_the_command_line_says_it_and_draws(tmp_path: Path) -> None:
    file, picture = tmp_path / "hinged.yaml", tmp_path / "hinged.png"
    body = "{mass: 1, inertia: [1, 1, 1], shape: {mesh: gone.stl}}"
    file.write_text(f"bodies: {{arm: {body}}}\njoints: {{O: {{revolute: [ground, arm], axis: [0, 1, 0]}}}}\n")
    result = CliRunner().invoke(app, ["assemble", str(file), "--out", str(picture)])
    assert result.exit_code == 0, result.output
    assert picture.stat().st_size > 5000
    told = 'body "arm", shape: there is no file "gone.stl" beside hinged.yaml; check the path; drawn without it'
    assert told in result.output
