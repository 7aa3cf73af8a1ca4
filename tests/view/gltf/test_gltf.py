"""Animated glTF: nodes do what bodies do, files are valid and small, whatever the units."""

import json
import os
import pathlib
import shutil
import subprocess
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import multibody as mb
from multibody.errors import ModelError
from multibody.view.between import poses_at
from multibody.view.gltf.keyframes import thinned
from multibody.view.gltf.scene import TOLERANCE, RunScene
from multibody.view.gltf.triangulate import bridged, signed_area, triangles_of
from multibody.view.scene import Poses
from oracles import REQUIRED
from view.gltf.gltf_reader import Asset

TURN = 2.0 * np.pi / 150.0
VALIDATE = """
const validator = require("gltf-validator"), fs = require("fs");
validator.validateBytes(new Uint8Array(fs.readFileSync(process.argv[1])))
  .then((report) => console.log(JSON.stringify(report.issues)));
"""


def saved(run: Any, folder: pathlib.Path, **options: Any) -> Asset:
    return Asset(run.animate(folder / "a.glb", force=True, **options))


def run_of(name: str) -> Any:
    model = mb.load(name)
    if name in ("stewart-platform", "spatial-four-bar", "bushing-suspension", "chain", "four-bar"):
        return model.run(0.5)
    return model.kinematics(TURN if name == "slider-crank" else 1.0, 60)


# --- what moves -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", ["slider-crank", "planetary", "rssr", "stewart-platform", "chain"])
def test_nodes_are_where_bodies_are(name: str, tmp_path: pathlib.Path) -> None:
    run = run_of(name)
    asset = saved(run, tmp_path)
    told = asset.json["animations"][0]["extras"]
    pace = (told["end"] - told["start"]) / told["seconds"]
    for number, body in enumerate(run.tables.bodies[1:], start=1):
        for path in ("translation", "rotation"):
            times, values = asset.keys(body, path)
            q = poses_at(run, np.clip(told["start"] + pace * times, *sorted((told["start"], told["end"]))))
            for row, value in zip(q, values, strict=True):
                poses = Poses(run.tables, row)
                if path == "translation":
                    expected = np.append(poses.r[number], 0.0)[:3]
                    assert np.max(np.abs(value - expected)) < 1e-6 * max(run.tables.length, 1.0)
                else:
                    d = run.tables.dimension
                    turned = Rotation.from_quat(value).as_matrix()[:d, :d]
                    assert np.max(np.abs(turned - poses.A[number])) < 1e-5, "times are single precision"


@pytest.mark.parametrize("name", ["slider-crank", "rssr", "stewart-platform", "four-bar"])
def test_between_the_keys_no_point_is_off_by_more_than_the_tolerance(name: str, tmp_path: pathlib.Path) -> None:
    run = run_of(name)
    asset = saved(run, tmp_path)
    scene = RunScene(run, 4.0, 25.0, True, {})
    extent = float(np.max(scene.drawing.high - scene.drawing.low))
    told = asset.json["animations"][0]["extras"]
    s = np.linspace(0.0, 1.0, 523)
    q = poses_at(run, told["start"] + s * (told["end"] - told["start"]))
    for number, body in enumerate(run.tables.bodies[1:], start=1):
        places, turns = (asset.at(body, path, s * told["seconds"]) for path in ("translation", "rotation"))
        exact = [Poses(run.tables, row) for row in q]
        r = np.array([np.append(p.r[number], 0.0)[:3] for p in exact])
        assert np.max(np.linalg.norm(places - r, axis=1)) < 1.5 * TOLERANCE * extent
        d = run.tables.dimension
        gap = Rotation.from_quat(turns).as_matrix()[:, :d, :d] - np.array([p.A[number] for p in exact])
        reach = max(
            float(np.nanmax(np.linalg.norm(stroke.points, axis=1))) for stroke in scene.drawing.strokes if stroke.body == number
        )
        assert np.max(np.abs(gap)) * reach < 2.0 * TOLERANCE * extent


def levered(driven: str, motion: str) -> Any:
    m = mb.Model("lever", dimension=2)
    m.body("bar", mass=1.0, inertia=0.1, com=(0.3, 0), frames={"tip": (1, 0)})
    m.frames(base=(0.2, -0.8))
    m.revolute("O", "ground", "bar")
    m.spring("leg", "ground.base", "bar.tip", stiffness=10.0, length=1.0)
    m.motion(driven, motion)
    return m.kinematics(6.0, 60)


def test_springs_stretch(tmp_path: pathlib.Path) -> None:
    run = levered("O", "0.2*sin(t)")
    asset = saved(run, tmp_path)
    t = np.linspace(0.0, 6.0, 41)
    lengths = [run.at(float(x))["leg.length"] for x in t]
    _, node = asset.nodes["leg"]
    primitives = asset.json["meshes"][node["mesh"]]["primitives"]
    made = max(float(asset.values(p["attributes"]["POSITION"])[:, 0].max()) for p in primitives)
    assert np.max(np.abs(asset.at("leg", "scale", t)[:, 0] * made - lengths)) < 5e-3
    assert "leg tube" not in asset.nodes


def test_cylinders_are_two_rigid_parts(tmp_path: pathlib.Path) -> None:
    run = levered("leg.length", "1.1 + 0.1*sin(t)")
    asset = saved(run, tmp_path)
    assert "leg" not in asset.nodes
    for name in ("leg tube", "leg piston"):
        _, node = asset.nodes[name]
        assert node["scale"] == [1.0, 1.0, 1.0]
        assert len(asset.keys(name, "rotation")[0]) > 3
    assert len(asset.keys("leg tube", "translation")[0]) == 1, "it turns about its bearing"


def test_y_is_up_and_lengths_are_meters(tmp_path: pathlib.Path) -> None:
    m = mb.Model("lift", dimension=3, units={"length": "mm"})
    m.body("block", mass=1.0, shape={"box": (20, 30, 40)})
    m.translational("S", "ground", "block", axis=(0, 0, 1))
    m.motion("S", "500*t")
    asset = saved(m.kinematics(2.0, 10), tmp_path)
    root = asset.json["nodes"][asset.json["scenes"][0]["nodes"][0]]
    end = asset.at("block", "translation", np.array([2.0]))[0]
    assert np.allclose(end, [0.0, 0.0, 1.0], atol=1e-6), "1000 mm"
    assert np.allclose(Rotation.from_quat(root["rotation"]).apply(end), [0.0, 1.0, 0.0], atol=1e-6)


def test_a_wild_motion_has_no_more_keys_than_a_film_has_frames(tmp_path: pathlib.Path) -> None:
    run = mb.load("chain", n=20).run(3.0)
    asset = saved(run, tmp_path, fps=20)
    animation = asset.json["animations"][0]
    counts = [asset.json["accessors"][sampler["input"]]["count"] for sampler in animation["samplers"]]
    assert max(counts) <= 61
    assert len(animation["channels"]) == 40


def test_twenty_bodies_for_a_minute_are_less_than_a_megabyte(tmp_path: pathlib.Path) -> None:
    run = mb.load("chain", n=20).run(60.0, rtol=1e-4, output_step=0.02)
    file = run.animate(tmp_path / "a.glb")
    assert file.stat().st_size < 1_000_000
    assert Asset(file).json["animations"][0]["extras"]["seconds"] == 60.0


def test_traces_partial_runs_and_save(tmp_path: pathlib.Path) -> None:
    with pytest.warns(RuntimeWarning, match="locked up"):
        run = mb.load("driven-slider", part=1.2).kinematics()
    asset = saved(run, tmp_path, trace=["rod"], symbols=False)
    assert asset.json["animations"][0]["extras"]["partial"] == run.status.message
    _, node = asset.nodes["path of rod"]
    primitive = asset.json["meshes"][node["mesh"]]["primitives"][0]
    assert primitive["mode"] == 3
    assert len(asset.values(primitive["attributes"]["POSITION"])) == len(run.time)
    run.save(tmp_path / "a.glb")
    assert "path of rod" not in Asset(tmp_path / "a.glb").nodes


def test_what_cannot_be(tmp_path: pathlib.Path) -> None:
    run = mb.load("slider-crank").kinematics(TURN, 12)
    for options, words in (
        ({"size": (300, 200)}, r"animate: size has no meaning for \.glb; leave it out"),
        ({"paper": "dark"}, "paper has no meaning"),
        ({"seconds": 0}, "seconds is 0"),
        ({"fps": float("inf")}, "fps is inf"),
    ):
        with pytest.raises(ModelError, match=words):
            run.animate(tmp_path / "a.glb", **options)
    with pytest.raises(ModelError, match="two instants at least"):
        mb.load("slider-crank").kinematics(at=0.0).save(tmp_path / "a.glb")
    assert list(tmp_path.iterdir()) == []
    run.animate(tmp_path / "a.glb")
    with pytest.raises(ModelError, match="it exists already"):
        run.animate(tmp_path / "a.glb")


# --- its parts --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("hole", [False, True])
def test_triangles_fill_an_outline(hole: bool) -> None:
    angles = np.linspace(0.0, 2.0 * np.pi, 80, endpoint=False)
    radii = np.where(np.arange(80) // 2 % 2 == 0, 1.0, 1.4)
    star = radii[:, None] * np.column_stack([np.cos(angles), np.sin(angles)])
    area = signed_area(star)
    outline = star
    if hole:
        inner = 0.6 * np.column_stack([np.cos(angles[::4]), np.sin(angles[::4])])
        area -= signed_area(inner)
        outline = bridged(star, inner)
    for given in (outline, outline[::-1]):
        corners = given[triangles_of(given)]
        areas = [signed_area(triangle) for triangle in corners]
        assert min(areas) > -1e-12, "all of one sense"
        assert sum(areas) == pytest.approx(area, rel=1e-12)


def test_keys_of_a_circle_and_of_rest() -> None:
    t = np.linspace(0.0, 10.0, 4001)
    circle, rate = np.column_stack([np.cos(t), np.sin(t)]), np.column_stack([-np.sin(t), np.cos(t)])
    film = np.arange(4001)
    keys = thinned(t, circle, rate, 1e-4, film)
    assert keys.cubic
    assert 20 <= len(keys.rows) <= 60, "the fourth root: 23 would do"
    assert len(thinned(t, np.ones((4001, 3)), np.zeros((4001, 3)), 1e-4, film).rows) == 1
    spin = np.column_stack([np.zeros((4001, 2)), np.sin(t), np.cos(t)])
    steady = thinned(t, spin, np.gradient(spin, t, axis=0), 1e-4, film, rotation=True)
    assert not steady.cubic, "a steady turn is straight"
    assert len(steady.rows) < 20


# --- the judgment of others -------------------------------------------------------------------------------------------
def npm_folder() -> pathlib.Path | None:
    """Return the folder in which the Khronos validator is installed."""
    for place in (os.environ.get("MULTIBODY_NPM", ""), pathlib.Path(__file__).parents[3] / "build" / "npm"):
        if place and (pathlib.Path(place) / "node_modules" / "gltf-validator").is_dir():
            return pathlib.Path(place)
    return None


@pytest.mark.parametrize(
    "name", ["slider-crank", "planetary", "cam-roller", "rack-and-pinion", "stewart-platform", "rssr", "bushing-suspension"]
)
def test_the_khronos_validator_finds_nothing(name: str, tmp_path: pathlib.Path) -> None:
    folder, node = npm_folder(), shutil.which("node")
    if folder is None or node is None:
        if REQUIRED:
            pytest.fail("gltf-validator is missing: .ci/gltf-validator installs it")
        pytest.skip("gltf-validator is missing: .ci/gltf-validator installs it")
    file = run_of(name).animate(tmp_path / "a.glb")
    told = subprocess.run([node, "-e", VALIDATE, str(file)], cwd=folder, capture_output=True, text=True, timeout=60, check=True)
    assert json.loads(told.stdout)["messages"] == []


def test_another_reader_takes_it(tmp_path: pathlib.Path) -> None:
    trimesh = pytest.importorskip("trimesh")
    run = run_of("rssr")
    scene = trimesh.load(run.animate(tmp_path / "a.glb"))
    found = scene.bounds
    drawing = RunScene(run, 4.0, 25.0, True, {}).drawing
    assert len(scene.geometry) >= len(run.tables.bodies) - 1
    size = float(np.max(drawing.high - drawing.low))
    assert 0.2 * size < float(np.max(found[1] - found[0])) < 1.5 * size
