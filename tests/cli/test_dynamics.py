"""run, reactions, inverse and compare on the command line: what they print, the keys of their JSON, files, exit status."""

import json
import math
import pathlib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

from cli_runs import run, run_json

PENDULUM = """
name: swing
dimension: 2
units: {length: in, force: lbf, time: s}
gravity: [0, -386.0886]
bodies: {bob: {mass: 10/386.0886, inertia: 0, com: [5, 0]}}
joints: {O: {revolute: [ground, bob]}}
events: {bottom: {when: bob.x}}
run: {until: 1}
"""


@pytest.fixture
def swing(tmp_path: pathlib.Path) -> str:
    file = tmp_path / "swing.yaml"
    file.write_text(PENDULUM)
    return str(file)


# --- run --------------------------------------------------------------------------------------------------------------
def test_run_json_has_the_keys_of_the_contract() -> None:
    found = run_json("run", "four-bar", "--until", "1")
    assert found["units"] == {"length": "m", "time": "s", "mass": "kg"}
    assert found["gravity"] == "none"
    assert {"success", "message", "time_reached"} <= set(found["status"])
    assert found["status"]["time_reached"] == 1.0
    work = {"steps", "rhs_evaluations", "jacobian_evaluations", "factorizations", "wall_time"}
    assert work <= set(found["statistics"])
    quality = {"position_violation", "velocity_violation", "energy_drift", "smallest_singular_value"}
    assert quality <= set(found["certificate"])
    body, joint = found["final"]["bodies"]["link2"], found["final"]["joints"]["O1"]
    assert {"position", "angle", "velocity", "angular_velocity"} <= set(body)
    assert {"coordinates", "rates"} <= set(joint)
    assert found["final"]["time"] == 1.0


def test_run_takes_every_formulation_and_integrator() -> None:
    ends = []
    for option in ("augmented", "baumgarte", "partitioning", "kane"):
        ends.append(run_json("run", "double-pendulum", "--until", "1", "--formulation", option, "--rtol", "1e-10"))
    for option in ("adams", "rk4"):
        step = ["--step", "1/500"] if option == "rk4" else ["--rtol", "1e-10", "--atol", "1e-12"]
        ends.append(run_json("run", "double-pendulum", "--until", "1", "--integrator", option, *step))
    angles = [end["final"]["bodies"]["link2"]["angle"] for end in ends]
    assert np.ptp(angles) < 1e-8
    assert ends[3]["statistics"]["formulation"] == "kane"
    assert ends[-1]["statistics"]["steps"] == 500


def test_run_for_people() -> None:
    code, out, err = run("run", "four-bar", "--until", "1", "--output-step", "0.1")
    assert (code, err) == (0, "")
    assert "four-bar: finished; 0 … 1 s, 11 instants" in out
    assert "gravity: none" in out
    assert "used: formulation augmented, integrator dop853" in out
    assert re.search(r"link2 +position ", out)
    assert "certificate: position violation" in out
    assert re.search(r"work: steps \d+, rhs evaluations \d+", out)


def test_run_in_other_units_with_events(swing: str) -> None:
    own, si = run_json("run", swing), run_json("run", swing, "--units", "SI")
    assert own["gravity"] != "none"
    first, second = (item["final"]["bodies"]["bob"]["position"] for item in (own, si))
    np.testing.assert_allclose(np.array(first) * 0.0254, second, rtol=1e-12)
    assert own["events"][0]["name"] == "bottom"
    assert 0.1 < own["events"][0]["time"] < 0.3
    code, out, _ = run("run", swing)
    assert code == 0
    assert re.search(r"events\s", out)
    assert "bottom" in out


def test_a_model_that_its_motions_determine_runs_by_kinematics() -> None:
    code, out, _ = run("run", "slider-crank", "--until", "0.01")
    assert code == 0
    assert "the motions determine everything" in out
    assert "gravity: (0, -9.81)" in out


def test_run_writes_files(tmp_path: pathlib.Path) -> None:
    names = [tmp_path / f"a.{ending}" for ending in ("csv", "json", "png")]
    options = [part for name in names for part in ("--out", str(name))]
    code, out, err = run("run", "four-bar", "--until", "1", "--output-step", "0.05", "--plot", "O1.rate", *options)
    assert (code, err) == (0, "")
    assert all(f"written: {name}" in out for name in names)
    assert len(names[0].read_text(encoding="utf-8").splitlines()) == 22
    assert json.loads(names[1].read_text(encoding="utf-8"))["final"]["time"] == 1.0
    assert names[2].read_bytes()[:4] == b"\x89PNG"


def test_an_interrupted_run_keeps_what_it_has(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[float] = []

    @contextmanager
    def interrupting(*_: object, **__: object) -> Iterator[Any]:
        def stop(t: float) -> None:
            calls.append(t)
            if len(calls) == 3:
                raise KeyboardInterrupt

        yield stop

    monkeypatch.setattr("multibody.cli.run.run_progress", interrupting)
    found = run_json("run", "four-bar", "--until", "1e6", "--output-step", "1", "--out", str(tmp_path / "a.csv"), status=1)
    assert found["status"]["success"] is False
    assert "interrupted at t =" in found["status"]["message"]
    assert found["final"]["time"] == pytest.approx(calls[-1])
    assert (tmp_path / "a.csv").exists()


def test_a_run_that_fails_exits_with_1(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "blow.yaml"
    file.write_text(
        "name: blow\ndimension: 2\nbodies: {b: {mass: 1, inertia: 1}}\n"
        "joints: {S: {translational: [ground, b], axis: [1, 0]}}\nforces: {f: {effort: S, value: 1 + S^3}}\n"
    )
    found = run_json("run", str(file), "--until", "50", status=1)
    assert found["status"]["success"] is False
    assert 0 < found["status"]["time_reached"] < 50
    assert found["final"]["time"] == found["status"]["time_reached"]


# --- reactions --------------------------------------------------------------------------------------------------------
def test_reactions_json_has_the_keys_of_the_contract() -> None:
    found = run_json("reactions", "four-bar", "--joints", "O1,B", "--at", "10", "--rtol", "1e-11", "--atol", "1e-13")
    assert list(found) == ["O1", "B"]
    keys = {"force", "moment", "effort", "total", "point", "on_body", "axes", "unique"}
    assert all(keys <= set(item) for item in found.values())
    np.testing.assert_allclose(found["O1"]["force"], [3.74052, -44.58816], atol=2e-5)
    np.testing.assert_allclose(found["B"]["force"], [57.51859, 41.26086], atol=2e-5)
    assert found["O1"]["on_body"] == "link1"
    assert found["O1"]["axes"] == "ground"
    assert found["O1"]["unique"] is True
    assert found["O1"]["total"]["moment"] == pytest.approx(found["O1"]["moment"] + found["O1"]["effort"])
    assert found["O1"]["point"] == pytest.approx([0.0, 0.0], abs=1e-12)


def test_reactions_of_a_driven_model_need_no_run() -> None:
    found = run_json("reactions", "slider-crank", "--at", "0.01")
    assert set(found) == {"O", "A", "B", "S"}
    power = run_json("inverse", "slider-crank", "--at", "0.01")["efforts"]["O"]
    assert found["O"]["effort"] == pytest.approx(power["effort"][0], rel=1e-10)
    assert found["S"]["force"][0] == pytest.approx(0.0, abs=1e-9)


def test_reactions_at_the_start_and_in_space(swing: str) -> None:
    found = run_json("reactions", swing, "--at", "0")
    assert found["O"]["force"] == [pytest.approx(0.0, abs=1e-9), pytest.approx(0.0, abs=1e-9)]  # a point mass falls freely
    spatial = run_json("reactions", "rssr", "--at", "0", "--joints", "crank_pivot")["crank_pivot"]
    assert [len(spatial[key]) for key in ("force", "moment", "point")] == [3, 3, 3]
    si = run_json("reactions", swing, "--at", "0.2", "--units", "SI")["O"]
    own = run_json("reactions", swing, "--at", "0.2")["O"]
    np.testing.assert_allclose(si["force"], np.array(own["force"]) * 4.4482216152605, rtol=1e-12)
    assert (own["units"]["force"], si["units"]["force"]) == ("lbf", "N")


def test_reactions_for_people() -> None:
    code, out, err = run("reactions", "iftomm-bricard", "--at", "0")
    assert (code, err) == (0, "")
    assert "no: " in out
    assert re.search(r"J0 ", out)


# --- inverse ----------------------------------------------------------------------------------------------------------
def test_inverse_json() -> None:
    found = run_json("inverse", "offset-slider-crank", "--until", "0.02", "--steps", "10")
    assert {"units", "status", "time", "efforts", "condition", "blocked", "notes"} <= set(found)
    assert len(found["time"]) == len(found["efforts"]["O"]["effort"]) == len(found["condition"]) == 11
    assert (found["efforts"]["O"]["unit"], found["efforts"]["O"]["unique"]) == ("N·m", True)


def test_inverse_with_actuators_elsewhere() -> None:
    at = ["--at", "0.01"]
    own, other = run_json("inverse", "slider-crank", *at), run_json("inverse", "slider-crank", *at, "--efforts", "S")
    rate = run_json("kinematics", "slider-crank", *at)["final"]["joints"]["S"]["rates"][0]
    assert other["efforts"]["S"]["effort"][0] * rate == pytest.approx(own["efforts"]["O"]["effort"][0] * 150, rel=1e-9)
    both = run_json("inverse", "slider-crank", *at, "--efforts", "S, O")
    assert [both["efforts"][name]["unique"] for name in "SO"] == [False, False]


def test_inverse_at_a_dead_point_fails_with_words() -> None:
    found = run_json("inverse", "slider-crank", "--efforts", "S", status=1)
    assert found["efforts"]["S"]["effort"][0] is None
    assert found["condition"][0] is None
    assert "S stands still" in found["blocked"][0]["direction"]
    code, out, _ = run("inverse", "slider-crank", "--efforts", "S")
    assert code == 1
    assert "blocked at t = 0 s" in out
    assert "advice: " in out


def test_inverse_for_people_and_files(tmp_path: pathlib.Path) -> None:
    names = [tmp_path / f"a.{ending}" for ending in ("csv", "json", "png")]
    options = [part for name in names for part in ("--out", str(name))]
    code, out, err = run("inverse", "slider-crank", "--until", "2*pi/omega", *options)
    assert (code, err) == (0, "")
    assert re.search(r"O +-?[\d.e-]+ .*N·m +yes", out)
    assert all(name.stat().st_size > 100 for name in names)
    assert json.loads(names[1].read_text(encoding="utf-8"))["time"][-1] == pytest.approx(2 * math.pi / 150)


# --- compare ----------------------------------------------------------------------------------------------------------
def test_compare_json_and_table(tmp_path: pathlib.Path) -> None:
    options = ["compare", "double-pendulum", "--until", "1", "--formulations", "augmented,kane", "--integrators", "dop853,rk4"]
    found = run_json(*options, "--repeats", "1", "--rtol", "1e-6,1e-8", "--plot", str(tmp_path / "w.svg"))
    assert [(row["formulation"], row["integrator"]) for row in found["rows"]] == [
        (f, i) for f in ("augmented", "kane") for i in ("dop853", "rk4") for _ in range(2)
    ]
    keys = {"wall_time", "evaluations", "steps", "mean_step", "error", "error_end", "energy_drift", "success", "message"}
    assert all(keys <= set(row) for row in found["rows"])
    assert "<svg" in (tmp_path / "w.svg").read_text(encoding="utf-8")
    code, out, err = run(*options, "--repeats", "1", "--step", "0.01")
    assert (code, err) == (0, "")
    assert re.search(r"kane +rk4 +0\.01 ", out)
    assert "evaluations" in out
