"""Shapes that robots need: boxes and meshes that are turned and placed, meshes with a scale for each axis."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import multibody as mb
from multibody.files.robots.description import Solid
from multibody.files.robots.pose import Pose, quaternion, rpy_axes, rpy_of
from multibody.files.robots.solids import mass_of_solids
from multibody.state.system import tables_of
from multibody.tables.mass_numbers import mass_numbers
from multibody.tables.scope import Scope
from multibody.view.meshes import meshes_of

TURN = (0.4, -0.9, 1.7)


def test_a_turned_box_has_the_inertia_of_a_turned_box() -> None:
    m = mb.Model("box")
    m.body("a", shape={"box": (0.1, 0.2, 0.4), "at": (1, 2, 3), "rpy": TURN, "density": 500})
    mass, com, inertia = mass_numbers(m)["a"]
    expected = mass_of_solids([Solid("box", (0.1, 0.2, 0.4), Pose((1, 2, 3), rpy=TURN))], 500.0, "a")
    assert mass == pytest.approx(expected[0])
    np.testing.assert_allclose(com, [1, 2, 3])
    assert inertia is not None
    np.testing.assert_allclose(inertia, expected[2], rtol=1e-13)


def test_orientations_of_shapes_survive_a_file(tmp_path: Path) -> None:
    m = mb.Model("box")
    m.parameter("tilt", 0.3)
    shapes = [
        {"box": (1, 2, 3), "quaternion": (1, 2, 3, 4)},
        {"mesh": "x.stl", "scale": (1, -1, 2), "at": (1, 0, 0), "rpy": ("tilt", 0, 0)},
    ]
    m.body("a", mass=1, inertia=(1, 1, 1), shape=shapes)
    m.save(str(tmp_path / "m.yaml"))
    assert mb.load(str(tmp_path / "m.yaml")).bodies["a"].plain() == m.bodies["a"].plain()


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        ({"mesh": "x.stl", "scale": (1, 0, 1)}, "a scale is zero"),
        ({"sphere": (0, 0, 0), "radius": 1, "rpy": (0, 0, 1)}, 'unknown field "rpy"'),
        ({"box": (1, 1, 1), "rpy": (0, 0, 1), "z": (0, 0, 1)}, "two orientations"),
    ],
)
def test_bad_shapes(shape: dict[str, object], words: str) -> None:
    with pytest.raises(mb.ModelError, match=words):
        mb.Model("m").body("a", shape=shape)


def test_a_mesh_is_scaled_turned_and_placed(tmp_path: Path) -> None:
    trimesh = pytest.importorskip("trimesh")
    file = tmp_path / "block.stl"
    trimesh.creation.box((0.4, 0.1, 0.2)).export(file)
    m = mb.Model("m")
    m.body(
        "a",
        mass=1,
        inertia=(1, 1, 1),
        com=(0.1, 0.2, 0.3),
        shape={"mesh": str(file), "scale": (1, -2, 3), "at": (1, 2, 3), "rpy": TURN},
    )
    tables = tables_of(m)
    found, notes = meshes_of(tables, Scope(tables.model))
    assert not notes
    mesh = found[1][0]
    corners = (mesh.points + np.array([0.1, 0.2, 0.3]) - np.array([1, 2, 3])) @ rpy_axes(TURN)
    np.testing.assert_allclose(np.abs(corners), np.tile([0.2, 0.1, 0.3], (len(corners), 1)), atol=1e-7)
    a, b, c = (mesh.points[mesh.triangles[:, k]] - mesh.points.mean(axis=0) for k in range(3))
    assert np.einsum("ij,ij->", a, np.cross(b, c)) > 0.0  # mirrored, it looks outwards still


@pytest.mark.parametrize("kind", ["sphere", "cylinder", "capsule", "ellipsoid"])
def test_mass_of_solids_against_sums_over_points(kind: str) -> None:
    sizes = {"sphere": (0.3,), "cylinder": (0.2, 0.7), "capsule": (0.2, 0.7), "ellipsoid": (0.2, 0.3, 0.5)}
    mass, com, inertia = mass_of_solids([Solid(kind, sizes[kind])], 800.0, "a")
    edge = np.linspace(-0.6, 0.6, 121)[:-1] + 0.005
    x, y, z = np.meshgrid(edge, edge, edge, indexing="ij")
    r2, half = x * x + y * y, 0.35
    inside = {
        "sphere": r2 + z * z < 0.09,
        "cylinder": (r2 < 0.04) & (abs(z) < half),
        "capsule": np.where(abs(z) < half, r2 < 0.04, r2 + (abs(z) - half) ** 2 < 0.04),
        "ellipsoid": (x / 0.2) ** 2 + (y / 0.3) ** 2 + (z / 0.5) ** 2 < 1.0,
    }[kind]
    cell = 800.0 * 0.01**3
    assert mass == pytest.approx(cell * inside.sum(), rel=0.01)
    np.testing.assert_allclose(com, 0.0, atol=1e-12)
    for k, arm in enumerate((y * y + z * z, x * x + z * z, x * x + y * y)):
        assert inertia[k, k] == pytest.approx(cell * arm[inside].sum(), rel=0.02)


def test_rotations_there_and_back() -> None:
    generator = np.random.default_rng(0)
    for angles in [
        *generator.uniform(-3, 3, (200, 3)),
        (0.3, np.pi / 2, 0.2),
        (1.0, -np.pi / 2, 2.0),
        (np.pi, 0, 0),
        (0, 0, np.pi),
    ]:
        R = rpy_axes(angles)
        np.testing.assert_allclose(rpy_axes(rpy_of(R)), R, atol=1e-7 if abs(abs(angles[1]) - np.pi / 2) < 1e-3 else 1e-13)
        w, x, y, z = quaternion(R)
        u = np.array([x, y, z])
        again = (w * w - u @ u) * np.eye(3) + 2 * np.outer(u, u) + 2 * w * np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        np.testing.assert_allclose(again, R, atol=1e-14)
