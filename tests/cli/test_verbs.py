"""The verbs of the command line: what they print, the keys of their JSON, and their exit status."""

import json
import math
import pathlib
import re

import pytest

import multibody as mb
from cli_runs import run, run_json
from multibody import __version__

TOO_SHORT = """
name: too-short
dimension: 2
ground: {far: [5, 0]}
bodies:
  a: {frames: {end: [1, 0]}}
  b: {frames: {end: [1, 0]}}
  c: {frames: {end: [1, 0]}}
joints:
  O: {revolute: [ground, a]}
  A: {revolute: [a.end, b]}
  B: {revolute: [b.end, c]}
  C: {revolute: [ground.far, c.end]}
"""


# --- kinematics -------------------------------------------------------------------------------------------------------
def test_kinematics_json_has_the_keys_of_the_contract() -> None:
    found = run_json("kinematics", "slider-crank", "--until", "2*pi/150", "--steps", "50")
    assert set(found) >= {"units", "status", "statistics", "certificate", "final", "singularities"}
    assert found["units"] == {"length": "m", "time": "s", "mass": "kg"}
    assert found["status"]["success"] is True
    assert found["status"]["time_reached"] == pytest.approx(2 * math.pi / 150)
    assert {"position_violation", "velocity_violation", "smallest_singular_value"} <= set(found["certificate"])
    assert {"steps", "wall_time"} <= set(found["statistics"])
    rod = found["final"]["bodies"]["rod"]
    assert len(rod["position"]) == len(rod["velocity"]) == len(rod["acceleration"]) == 2
    assert all(isinstance(rod[key], float) for key in ("angle", "angular_velocity", "angular_acceleration"))
    joint = found["final"]["joints"]["O"]
    assert joint["coordinates"] == [pytest.approx(2 * math.pi)]
    assert joint["rates"] == [pytest.approx(150.0)]


def test_kinematics_json_agrees_with_the_closed_form() -> None:
    t = 0.004
    found = run_json("kinematics", "slider-crank", "--at", str(t), "--set", "l2=0.1", "--set", "l3=0.4")
    theta = 150 * t
    root = math.sqrt(0.4**2 - (0.1 * math.sin(theta)) ** 2)
    assert found["final"]["bodies"]["slider"]["position"][0] == pytest.approx(0.1 * math.cos(theta) + root, rel=1e-12)


def test_a_spatial_model_has_rotations_and_three_components() -> None:
    found = run_json("kinematics", "rssr", "--at", "0.1")
    crank = found["final"]["bodies"]["crank"]
    assert [len(crank[key]) for key in ("position", "rotation", "angular_velocity", "acceleration")] == [3, 4, 3, 3]
    pin = found["final"]["joints"]["crank_pin"]
    assert [len(pin[key]) for key in ("coordinates", "rates")] == [4, 3]


def test_units_are_converted_to_si(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "inches.yaml"
    file.write_text(
        "name: inches\ndimension: 2\nunits: {length: in, time: ms, mass: kg}\nbodies: {b: {frames: {tip: [2, 0]}}}\n"
        "joints: {S: {translational: [ground, b], axis: [1, 0]}}\nmotions: {S: 3*t}\n"
    )
    own = run_json("kinematics", str(file), "--at", "2")["final"]
    si = run_json("kinematics", str(file), "--at", "2", "--units", "SI")
    assert own["bodies"]["b"]["position"][0] == pytest.approx(6.0)
    assert si["units"] == {"length": "m", "time": "s", "mass": "kg"}
    assert si["final"]["time"] == pytest.approx(0.002)
    assert si["final"]["bodies"]["b"]["position"][0] == pytest.approx(6.0 * 0.0254)
    assert si["final"]["joints"]["S"]["rates"][0] == pytest.approx(3.0 * 0.0254 / 1e-3)


def test_kinematics_for_people_shows_bodies_joints_certificate_and_toggles() -> None:
    code, out, err = run("kinematics", "slider-crank")
    assert (code, err) == (0, "")
    assert re.search(r"slider-crank: finished; 0 … 0\.0418879 s, 101 instants", out)
    assert re.search(r"slider +position +0\.5 +0 +0", out)
    assert re.search(r"S +translational +position +0\.5 ", out)
    assert "certificate: position violation" in out
    assert "branch: +" in out
    assert re.search(r"0\.020944 +folded +O, A, B", out)


def test_a_lock_up_exits_with_1_and_prints_what_there_is() -> None:
    code, out, err = run("kinematics", "driven-slider", "--set", "part=1.2")
    assert (code, err) == (1, "")
    assert "locked up at t = 0.0065674" in out
    assert "advice: " in out
    assert "O, A and B are in line" in out
    found = run_json("kinematics", "driven-slider", "--set", "part=1.2", status=1)
    assert found["status"]["success"] is False
    assert found["singularities"][-1]["kind"] == "lock-up"
    assert "final" in found


def test_the_page_of_a_lock_up_is_written_and_says_so(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "a.html"
    code, out, err = run("view", "driven-slider", "--set", "part=1.2", "--out", str(file))
    assert (code, err) == (1, "") and file.stat().st_size > 10_000
    lines = out.splitlines()
    assert lines[0] == f"written: {file}"
    assert lines[1].startswith("driven-slider: locked up at t = 0.006567") and lines[2].startswith("advice: ")
    run("kinematics", "driven-slider", "--set", "part=1.2", "--out", str(tmp_path / "a.nc"))
    code, out, err = run("view", str(tmp_path / "a.nc"), "--out", str(file), "--force")
    assert (code, err) == (1, "") and "driven-slider: locked up" in out


def test_a_model_that_cannot_close_exits_with_1(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "open.yaml"
    file.write_text(TOO_SHORT)
    found = run_json("assemble", str(file), status=1)
    assert found["status"]["success"] is False
    assert "cannot close" in found["status"]["message"]
    file.write_text(f"{TOO_SHORT}motions: {{O: t}}\n")
    empty = run_json("kinematics", str(file), "--until", "1", "--out", str(tmp_path / "x.png"), status=1)
    assert "final" not in empty
    code, out, _ = run("kinematics", str(file), "--until", "1")
    assert code == 1
    assert "cannot close" in out


# --- files ------------------------------------------------------------------------------------------------------------
def test_out_writes_data_and_pictures(tmp_path: pathlib.Path) -> None:
    names = [tmp_path / f"run.{ending}" for ending in ("csv", "json", "png", "svg")]
    options = [part for name in names for part in ("--out", str(name))]
    code, out, err = run("kinematics", "slider-crank", "--steps", "20", "--plot", "slider.x", "--trace", "rod", *options)
    assert (code, err) == (0, "")
    assert all(f"written: {name}" in out for name in names)
    lines = names[0].read_text().splitlines()
    assert lines[0].startswith("time [s],crank.x [m]")
    assert len(lines) == 22
    assert json.loads(names[1].read_text())["final"]["bodies"]["slider"]["position"][0] == pytest.approx(0.5)
    assert names[2].read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    assert "<svg" in names[3].read_text()


def test_plot_without_out_names_the_picture_after_the_model(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    words = ("kinematics", "rssr", "--steps", "10", "--plot", "rocker_pivot", "--plot", "rocker_pivot.rate")
    assert run(*words)[0] == 0
    assert (tmp_path / "rssr.png").stat().st_size > 10_000
    (tmp_path / "rssr.png").write_text("mine")
    assert run(*words) == (2, "", f"error: rssr.png: {EXISTS}\n")
    assert (tmp_path / "rssr.png").read_text() == "mine"
    assert run(*words, "--force")[0] == 0
    assert (tmp_path / "rssr.png").stat().st_size > 10_000


EXISTS = "it exists already; name another file, or say force=True (--force)"
WRITERS = {
    "assemble": (("pose.png", "pose.svg", "pose.html"), ()),
    "kinematics": (("a.csv", "a.nc", "a.json", "a.png", "a.html", "a.gif", "a.glb"), ("--steps", "5")),
    "run": (("a.csv", "a.nc", "a.parquet", "a.json", "a.pdf", "a.html", "a.webp"), ("--until", "0.01")),
    "inverse": (("a.csv", "a.nc", "a.json", "a.png", "a.html"), ("--steps", "5")),
    "loads": (("a.csv", "a.nc", "a.json"), ("--until", "0.01")),
    "size": (("a.csv", "a.json", "a.png"), ("--until", "0.01")),
    "check": (("a.html",), ()),
    "statics": (("a.html",), ()),
    "modes": (("a.html",), ()),
    "compare": (("a.html",), ("--until", "0.01")),
    "view": (("a.html",), ("--until", "0.01")),
    "report": (("a.html",), ("--until", "0.01")),
}


@pytest.mark.parametrize("verb", WRITERS)
def test_no_verb_replaces_a_file_that_exists_and_says_so_before_the_work(
    verb: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def work(*_: object, **__: object) -> None:
        raise AssertionError("the file was to be judged before the work")

    for name in ("assemble", "kinematics", "run", "inverse", "check", "statics", "modes", "compare", "wiggle"):
        monkeypatch.setattr(mb.Model, name, work)
    endings, options = WRITERS[verb]
    for name in endings:
        (tmp_path / name).write_text("mine")
        found = run(verb, "slider-crank", *options, "--out", str(tmp_path / name))
        assert found == (2, "", f"error: {tmp_path / name}: {EXISTS}\n")
        assert (tmp_path / name).read_text() == "mine"


@pytest.mark.parametrize("verb, name", [("kinematics", "a.csv"), ("run", "a.json"), ("inverse", "a.csv"),
                                        ("loads", "a.csv"), ("size", "a.csv")])  # fmt: skip
def test_force_replaces_a_file_that_exists(verb: str, name: str, tmp_path: pathlib.Path) -> None:
    (tmp_path / name).write_text("mine")
    code, out, err = run(verb, "slider-crank", "--until", "0.01", "--out", str(tmp_path / name), "--force")
    assert (code, err) == (0, "") and f"written: {tmp_path / name}" in out
    assert (tmp_path / name).stat().st_size > 100


def test_a_diagram_that_exists_is_kept(tmp_path: pathlib.Path) -> None:
    (tmp_path / "work.png").write_text("mine")
    found = run("compare", "double-pendulum", "--until", "0.1", "--plot", str(tmp_path / "work.png"))
    assert found == (2, "", f"error: {tmp_path / 'work.png'}: {EXISTS}\n")


@pytest.mark.parametrize(
    "arguments",
    [
        ("kinematics", "slider-crank", "--steps", "20", "--plot", "slider.x.rate"),
        ("run", "slider-crank", "--until", "0.02", "--plot", "A.reaction.force.x", "--plot", "slider.x"),
        ("inverse", "slider-crank", "--until", "0.02", "--steps", "20"),
        ("inverse", "slider-crank", "--until", "0.02", "--steps", "20", "--plot", "A.reaction.force.x"),
    ],
)
def test_curves_against_a_path(arguments: tuple[str, ...], tmp_path: pathlib.Path) -> None:
    file = tmp_path / "curves.svg"
    code, out, err = run(*arguments, "--x", "O", "--out", str(file))
    assert (code, err) == (0, "")
    assert f"written: {file}" in out
    comments = re.findall(r"<!-- (.*?) -->", file.read_text())  # matplotlib writes every text beside its outlines
    assert "O [rad]" in comments
    assert not any(text.startswith("time") for text in comments)


@pytest.mark.parametrize(
    "arguments",
    [
        ("kinematics", "slider-crank", "--steps", "20", "--plot", "slider.x.rate"),
        ("inverse", "slider-crank", "--until", "0.02", "--steps", "20"),
        ("view", "slider-crank", "--until", "0.02", "--plot", "slider.x.rate"),
    ],
)
def test_a_page_begins_over_a_path(arguments: tuple[str, ...], tmp_path: pathlib.Path) -> None:
    file = tmp_path / "page.html"
    code, _, err = run(*arguments, "--x", "O", "--out", str(file))
    assert (code, err) == (0, "")
    assert '"x":"O"' in file.read_text()


def test_assemble_draws_every_branch(tmp_path: pathlib.Path) -> None:
    code, out, _ = run("assemble", "six-bar", "--branches", "--out", str(tmp_path / "pose.png"))
    assert code == 0
    assert "assembled 1 of 4, branch" in out
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"pose-{k}.png" for k in range(1, 5)]


# --- the other verbs --------------------------------------------------------------------------------------------------
def test_assemble_json() -> None:
    found = run_json("assemble", "slider-crank", "--at", "pi/300")
    assert set(found) >= {"model", "units", "status", "branch", "iterations", "final"}
    assert found["branch"] == "+"
    assert found["final"]["joints"]["O"]["coordinates"] == [pytest.approx(math.pi / 2)]
    assert "acceleration" not in found["final"]["bodies"]["rod"]


def test_assemble_all_branches_json() -> None:
    found = run_json("assemble", "six-bar", "--branches")
    assert found["status"]["success"] is True
    assert len(found["assemblies"]) == 4
    assert len({item["branch"] for item in found["assemblies"]}) == 4


def test_check_json_has_the_keys_of_the_contract() -> None:
    found = run_json("check", "iftomm-bricard")
    assert (found["coordinates"], found["equations"], found["rank"], found["mobility"]) == (30, 30, 29, 1)
    assert found["gruebler"] == 0
    assert len(found["redundant"]) == 1
    assert set(found["unique_reactions"]) == {f"J{k}" for k in range(6)}
    assert {"smallest_singular_value", "notes"} <= set(found)


def test_check_for_people() -> None:
    code, out, err = run("check", "planetary", "--set", "n=4")
    assert (code, err) == (0, "")
    assert "mobility" in out
    assert "redundant" in out


def test_examples_lists_every_library_model() -> None:
    from multibody.library import names

    found = run_json("examples")["examples"]
    assert [item["name"] for item in found] == names()
    assert all(item["description"].endswith(".") for item in found)
    code, out, _ = run("examples")
    assert code == 0
    assert all(name in out for name in names())


def test_warm_says_where_the_cache_is() -> None:
    from multibody.kernels.compile import CACHE_DIRECTORY

    found = run_json("warm")
    assert found["cache_directory"] == str(CACHE_DIRECTORY)
    assert found["seconds"] > 0.0
    code, out, _ = run("warm")
    assert code == 0
    assert str(CACHE_DIRECTORY) in out
    assert "all kernels were compiled already" in out


def test_version_and_help() -> None:
    assert run("--version") == (0, f"multibody {__version__}\n", "")
    code, out, _ = run("--help")
    assert code == 0
    assert all(verb in out for verb in ("assemble", "check", "examples", "kinematics", "warm"))
    code, out, _ = run("kinematics", "--help")
    assert code == 0
    assert all(option in out for option in ("--until", "--set", "--json", "--units", "--plot"))


# --- values of --set --------------------------------------------------------------------------------------------------
def test_set_takes_numbers_vectors_formulas_and_words() -> None:
    slider = run_json("kinematics", "slider-crank", "--at", "0", "--set", "l2=l3/2", "--set", "l3=2*0.3")
    assert slider["final"]["bodies"]["slider"]["position"][0] == pytest.approx(0.9)
    moved = run_json("assemble", "rssr", "--set", "pO4=[0.30, 0.05 + sin(0), 0]")
    assert moved["status"]["success"] is True
    carrier = run_json("kinematics", "planetary", "--set", "drive=carrier", "--at", "0.01")
    assert carrier["final"]["joints"]["C"]["rates"] == [pytest.approx(1500 * math.pi / 30)]
    free = run_json("check", "slider-crank", "--set", "drive=false")
    assert free["motions"] == 0


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2*pi", 2 * math.pi), ("-1e-3", -1e-3), ("1b", "1b"), ("sun", "sun"), ("l3/2", "l3/2"), ("30*deg", math.pi / 6),
        ("true", True), ("False", False), ("1/0", "1/0"),
    ],
)  # fmt: skip
def test_a_value_is_a_number_a_truth_value_or_text(text: str, value: object) -> None:
    from multibody.cli.options import read_value

    found = read_value(text)
    assert found == (pytest.approx(value) if isinstance(value, float) else value)
    assert type(found) is type(value)


def test_a_vector_is_split_at_its_own_commas() -> None:
    from multibody.cli.options import read_setting

    assert read_setting("pA=[0, atan2(0, 1), 0.1]") == ("pA", [0.0, 0.0, pytest.approx(0.1)])


# --- JSON -------------------------------------------------------------------------------------------------------------
def test_numbers_that_are_not_finite_become_null() -> None:
    import numpy as np

    from multibody.cli.output import to_json

    data = {"a": [1.0, math.nan, (math.inf,)], "b": np.array([1.0, -np.inf]), "c": np.float64("nan"), "d": True, "e": None}
    assert json.loads(to_json(data)) == {"a": [1.0, None, [None]], "b": [1.0, None], "c": None, "d": True, "e": None}
