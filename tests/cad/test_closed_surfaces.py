"""Mass properties of meshes against closed forms, in general position and at any scale; bad meshes in one sentence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import multibody as mb
from cad.solids import SHIFT, TURN, Exact, box, close, prism, sphere, tetrahedron, write_obj, write_stl
from multibody.cad import part as part_module
from multibody.cad.closed import scaled_properties

trimesh: Any = pytest.importorskip("trimesh")


def l_shape() -> tuple[Any, Exact]:
    """Return an L of two boxes that share a face, as one closed surface, and its composition."""
    outline = np.array([[0, 0], [4, 0], [4, 1], [1, 1], [1, 3], [0, 3]], dtype=float)
    low, high = (np.column_stack([outline, np.full(6, z)]) for z in (0.0, 2.0))
    caps = [(0, 1, 2), (0, 2, 3), (0, 3, 5), (3, 4, 5)]
    faces = [(c, b, a) for a, b, c in caps] + [(a + 6, b + 6, c + 6) for a, b, c in caps]
    for k in range(6):
        j = (k + 1) % 6
        faces += [(k, j, j + 6), (k, j + 6, k + 6)]
    return trimesh.Trimesh(np.vstack([low, high]), faces, process=False), box(4, 1, 2, (2, 0.5, 1)) + box(1, 2, 2, (0.5, 2, 1))


def tetra(a: float, b: float, c: float) -> Any:
    points = [[0, 0, 0], [a, 0, 0], [0, b, 0], [0, 0, c]]
    return trimesh.Trimesh(points, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], process=False)


SOLIDS = {
    "box": (trimesh.creation.box((1, 2, 3)), box(1, 2, 3)),
    "prism": (trimesh.creation.cylinder(radius=0.7, height=3.0, sections=17), prism(17, 0.7, 3.0)),
    "tetrahedron": (tetra(1.0, 2.0, 0.5), tetrahedron(1.0, 2.0, 0.5)),
    "L": l_shape(),
}


@pytest.mark.parametrize("name", SOLIDS)
@pytest.mark.parametrize("scale", [1.0, 1e-3, 1e-9, 1e6])
def test_closed_forms_in_general_position(tmp_path: Path, name: str, scale: float) -> None:
    mesh, exact = SOLIDS[name]
    points = (np.asarray(mesh.vertices) @ TURN.T + SHIFT) * scale
    for ending, write in (("stl", write_stl), ("obj", write_obj)):
        write(tmp_path / f"part.{ending}", points, mesh.faces)
        found = mb.read_part(str(tmp_path / f"part.{ending}"))
        close(found, exact.moved().scaled(scale), 3e-11)
        assert found.solids == 1 and found.unit is None and found.cylinders == {}


def test_a_sphere_of_triangles_approaches_the_sphere_quadratically(tmp_path: Path) -> None:
    errors = []
    for level in (2, 3, 4):
        ball = trimesh.creation.icosphere(subdivisions=level, radius=0.5)
        write_obj(tmp_path / f"ball{level}.obj", np.asarray(ball.vertices) + SHIFT, ball.faces)
        found = mb.read_part(str(tmp_path / f"ball{level}.obj"))
        errors.append((1 - found.volume / sphere(0.5).volume, 1 - found.inertia[0, 0] / sphere(0.5).inertia[0, 0]))
    ratios = np.array(errors)[:-1] / np.array(errors)[1:]
    assert np.all((ratios > 3.8) & (ratios < 4.2))


def test_a_glb_file_is_in_meters_and_a_body_in_the_models_unit(tmp_path: Path) -> None:
    mesh = trimesh.creation.box((0.1, 0.2, 0.3))
    mesh.apply_translation((1, 2, 3))
    mesh.export(tmp_path / "part.glb")
    model = mb.Model("m", units={"length": "mm"})
    body = model.body("part", file=tmp_path / "part.glb", density=2.7e-6)
    np.testing.assert_allclose(body.com, [1000, 2000, 3000], rtol=1e-6)
    assert body.mass == pytest.approx(2.7e-6 * 100 * 200 * 300, rel=1e-5)
    assert "scale" not in body.shape[0].fields  # drawing knows that a GLB is in meters


UNITS = [("m", "mm", 1e-3), ("mm", None, 1.0), ("mm", "m", 1e3), ("m", "in", 0.0254)]


@pytest.mark.parametrize(("length", "unit", "factor"), UNITS)
def test_the_unit_of_a_file_that_knows_none(tmp_path: Path, length: str, unit: str | None, factor: float) -> None:
    mesh, exact = SOLIDS["L"]
    write_stl(tmp_path / "part.stl", np.asarray(mesh.vertices) @ TURN.T + SHIFT, mesh.faces)
    model = mb.Model("m", units={"length": length})
    rho = model.parameter("rho", 7.0)
    body = model.body("part", file=str(tmp_path / "part.stl"), density=rho, unit=unit)
    lowered = mass_of(model)
    want = exact.moved().scaled(factor)
    close(lowered, Exact(7.0 * want.volume, want.center, 7.0 * want.inertia), 1e-10)
    close(mass_of(model.set(rho=14.0)), Exact(14.0 * want.volume, want.center, 14.0 * want.inertia), 1e-10)
    assert body.shape[0].fields.get("scale", 1.0) == pytest.approx(factor, rel=1e-15)


def mass_of(model: mb.Model) -> Exact:
    """Return what the analyses take for the body."""
    from multibody.tables.mass import MassProperties
    from multibody.tables.scope import Scope

    scope = Scope(model)
    body = model.bodies["part"]
    found = MassProperties(body, 3, scope)
    numbers: Any = [scope.numeric(row, "") for row in found.inertia]  # type: ignore[union-attr]
    assert found.mass is not None
    return Exact(scope.value(found.mass, ""), np.array(scope.numeric(found.com, "")), np.array(numbers))


def test_a_stated_mass_in_place_of_a_density_and_neither(tmp_path: Path) -> None:
    write_obj(tmp_path / "part.obj", np.asarray(SOLIDS["box"][0].vertices), SOLIDS["box"][0].faces)
    model = mb.Model("m")
    weighed = model.body("weighed", mass=12.0, file=str(tmp_path / "part.obj"))
    np.testing.assert_allclose(weighed.inertia, np.diag([13.0, 10.0, 5.0]), atol=1e-12)
    bare = model.body("bare", file=str(tmp_path / "part.obj"), frames={"tip": (0, 0, 1.5)})
    assert bare.mass is None and bare.inertia is None and bare["tip"].reference == "bare.tip"
    flat = mb.Model("flat", dimension=2).body("plate", file=str(tmp_path / "part.obj"), density=2.0)
    assert flat.mass == pytest.approx(12.0) and flat.inertia == pytest.approx(5.0) and flat.shape == ()


def test_several_pieces_and_a_cavity_add_up(tmp_path: Path) -> None:
    one, two = trimesh.creation.box((1, 1, 1)), trimesh.creation.box((2, 1, 1))
    two.apply_translation((5, 0, 0))
    both = trimesh.util.concatenate([one, two])
    write_stl(tmp_path / "two.stl", both.vertices, both.faces)
    found = mb.read_part(str(tmp_path / "two.stl"))
    close(found, box(1, 1, 1) + box(2, 1, 1, (5, 0, 0)), 1e-12)
    assert found.solids == 2
    inner = trimesh.creation.box((0.5, 0.5, 0.5))
    inner.invert()
    hollow = trimesh.util.concatenate([one, inner])
    write_stl(tmp_path / "hollow.stl", hollow.vertices, hollow.faces)
    full, gap = box(1, 1, 1), box(0.5, 0.5, 0.5)
    close(mb.read_part(str(tmp_path / "hollow.stl")), Exact(0.875, full.center, full.inertia - gap.inertia), 1e-12)


def test_a_file_is_scaled_along_its_axes_and_mirrored(tmp_path: Path) -> None:
    mesh, _ = SOLIDS["tetrahedron"]
    write_obj(tmp_path / "part.obj", np.asarray(mesh.vertices), mesh.faces)
    found = Exact(*scaled_properties(str(tmp_path / "part.obj"), (2.0, -1.0, 3.0)))
    mirror = np.diag([1.0, -1.0, 1.0])
    close(found, tetrahedron(2.0, 2.0, 1.5).moved(mirror, np.zeros(3)), 1e-12)


def refusal(file: Path, **fields: Any) -> str:
    with pytest.raises(mb.ModelError) as told:
        mb.Model("m").body("arm", file=file, **({"density": 1.0} | fields))
    text = str(told.value)
    assert 'body "arm"' in text and "\n" not in text
    return text


def test_what_encloses_no_volume_is_told_with_what_would_mend_it(tmp_path: Path) -> None:
    mesh = trimesh.creation.box((1, 2, 3))
    file = tmp_path / "part.obj"
    write_obj(file, mesh.vertices, mesh.faces[1:])
    assert "is not closed: 3 of its edges do not join two triangles; close it" in refusal(file)
    write_obj(tmp_path / "inside.obj", mesh.vertices, mesh.faces[:, ::-1])
    assert "is inside out: its faces look inwards; turn its normals over" in refusal(tmp_path / "inside.obj")
    far = trimesh.creation.box((1, 1, 1))
    far.apply_translation((9, 0, 0))
    far.invert()
    mixed = trimesh.util.concatenate([mesh, far])
    write_obj(tmp_path / "mixed.obj", mixed.vertices, mixed.faces)
    assert "is inside out" in refusal(tmp_path / "mixed.obj")
    turned = np.array(mesh.faces)
    turned[0] = turned[0][::-1]
    write_obj(tmp_path / "turned.obj", mesh.vertices, turned)
    assert "disagree about where its outside is" in refusal(tmp_path / "turned.obj")
    write_obj(tmp_path / "flat.obj", np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]]), [(0, 1, 2), (0, 2, 1)])
    assert "encloses no volume" in refusal(tmp_path / "flat.obj")


def test_fields_that_contradict_the_file_and_files_that_are_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "part.stl"
    write_stl(file, SOLIDS["box"][0].vertices, SOLIDS["box"][0].faces)
    assert "file and com are both given" in refusal(file, com=(0, 0, 0))
    assert "mass and density are both given" in refusal(file, mass=1.0)
    assert "density -1 is not positive" in refusal(file, density=-1.0)
    assert 'unknown unit "mmm" of length; did you mean "mm"?' in refusal(file, unit="mmm")
    assert "there is no file" in refusal(tmp_path / "none.stl")
    (tmp_path / "part.dwg").write_text("")
    assert "its name ends in .stl, .obj, .glb, .step, .stp" in refusal(tmp_path / "part.dwg")
    (tmp_path / "bad.stl").write_bytes(b"\x00" * 100)
    assert "bad.stl" in refusal(tmp_path / "bad.stl")
    with pytest.raises(mb.ModelError, match="density without file; a density belongs to a shape, or to a file"):
        mb.Model("m").body("arm", density=1.0)
    monkeypatch.setattr(part_module, "MOST_BYTES", 100)
    assert "is too large (0 MB" in refusal(file)


def test_yaml_names_a_file_beside_it_and_keeps_the_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sub").mkdir()
    mesh, exact = SOLIDS["tetrahedron"]
    write_stl(tmp_path / "sub" / "part.stl", np.asarray(mesh.vertices) @ TURN.T + SHIFT, mesh.faces)
    text = "parameters: {rho: 2700}\nbodies:\n  part: {file: part.stl, density: rho, unit: mm}\n"
    (tmp_path / "sub" / "m.yaml").write_text(text + "joints: {O: {revolute: [ground, part], axis: [0, 0, 1]}}\n")
    monkeypatch.chdir(tmp_path)
    model = mb.load("sub/m.yaml")
    want = exact.moved().scaled(1e-3)
    close(mass_of(model), Exact(2700 * want.volume, want.center, 2700 * want.inertia), 1e-10)
    model.save("saved.yaml")
    again = mb.load("saved.yaml")
    assert "file:" not in Path("saved.yaml").read_text()
    close(mass_of(again), mass_of(model), 1e-13)
    (tmp_path / "sub" / "m.yaml").write_text(text.replace("part.stl", "gone.stl"))
    with pytest.raises(mb.ModelError, match=r'm.yaml:3: body "part".*no file "gone.stl" beside m.yaml'):
        mb.load("sub/m.yaml")
