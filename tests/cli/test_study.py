"""`multibody study`: what is printed, written and refused."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from typer.testing import CliRunner

import multibody as mb
from multibody.cli.app import app
from multibody.cli.study import read_varied

OUT = ["--output", "max(norm(A.reaction.force))", "--output", "final O1"]


def run(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["study", *arguments])
    return result.exit_code, result.stdout, result.stderr


def test_a_grid_is_printed_written_and_resumed(tmp_path: Path) -> None:
    files = [str(tmp_path / name) for name in ("s.csv", "s.html", "s.svg")]
    asked = ["four-bar", "--vary", "l0=1.88:1.92:3", "--vary", "length=2,2.01", *OUT, "--until", "0.05"]
    asked += ["--store", str(tmp_path / "d")]
    code, out, err = run(*asked, *(x for file in files for x in ("--out", file)))
    assert code == 0 and err == "" and "6 members: 6 done" in out and "max(norm(A.reaction.force))" in out
    assert all(f"written: {file}" in out.replace("\n", "") for file in files)
    assert len((tmp_path / "s.csv").read_text().splitlines()) == 7
    code, out, err = run(*asked)
    assert code == 2 and "it holds a study already" in err
    code, out, _ = run(*asked, "--resume", "--json")
    plain = json.loads(out)
    assert code == 0 and plain["counts"]["done"] == 6
    assert plain["parameters"] == {"l0": "(1.88, 1.92, 3)", "length": "[2, 2.01]"}
    known = mb.load("four-bar").study({"l0": (1.88, 1.92, 3), "length": [2, 2.01]}, "final O1", until=0.05)
    assert plain["outputs"]["final O1"]["mean"] == known.mean("final O1")


def test_samples_and_other_analyses() -> None:
    code, out, _ = run("slider-crank", "--vary", "l2=normal(0.15, 0.001)", "--samples", "4", "--method", "saltelli",
                       "--analysis", "kinematics", "--until", "0.01", "--steps", "10", "--output", "max slider.x")  # fmt: skip
    assert code == 0 and "12 members: 12 done" in out and "Sobol' indices" in out
    code, out, _ = run("four-bar", "--vary", "l0=6.5", "--until", "0.1", "--output", "final O1")
    assert code == 1 and "1 failed, first member 0" in out.replace("\n", " ")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--vary", "l0=1:2:3"], "--output: nothing is asked for"),
        ([*OUT], "--vary: nothing is varied"),
        (["--vary", "l0", *OUT], '"l0" says not how a number is varied'),
        (["--vary", "l0=1:2", "--vary", "l0=3", *OUT], '"l0" is given twice'),
        (["--vary", "l0=1:2:3:4", *OUT], "is no range"),
        (["--vary", "l0=normals(1, 2)", *OUT], 'did you mean "normal"?'),
        (["--vary", "l0=normal(1)", *OUT], '"sd" is missing'),
        (["--vary", "l0=normal(1, x)", *OUT], "sd is 'x'"),
        (["--vary", "l0=1:2", *OUT], "the number of samples is missing"),
        (["--vary", "l0=1:2", "--samples", "0", *OUT], "samples is 0"),
        (["--vary", "lo=1:2", "--samples", "4", *OUT], 'unknown parameter "lo"'),
        (["--vary", "l0=1:2", "--samples", "4", "--method", "sobel", *OUT], 'did you mean "sobol"?'),
        (["--vary", "l0=1,2", *OUT, "--out", "x.doc"], 'unknown ending ".doc"'),
        (["--vary", "l0=1,2", "--resume", *OUT], "there is no store to resume from"),
    ],
)
def test_bad_input_ends_with_2_and_words(arguments: list[str], said: str) -> None:
    code, _, err = run("four-bar", "--until", "0.1", *arguments)
    assert code == 2 and said in err and "Traceback" not in err


def test_values_are_formulas_too() -> None:
    found = read_varied(["a=30*deg:60*deg:3", "b=max(1, 2),3"])
    assert found == {"a": (pytest.approx(math.pi / 6), pytest.approx(math.pi / 3), 3.0), "b": [2.0, 3.0]}


def test_devices_are_refused_in_words() -> None:
    asked = ["four-bar", "--vary", "l0=1.9,1.91", *OUT, "--until", "0.1"]
    code, _, err = run(*asked, "--device", "tpu")
    assert code == 2 and "unknown device 'tpu'" in err and "cuda" in err
    code, _, err = run(*asked, "--device", "host", "--integrator", "bdf")
    assert code == 2 and "not by bdf" in " ".join(err.split())


@pytest.mark.parametrize("flag", ["--until", "--from", "--at", "--step", "--output-step"])
def test_formulas_that_are_none_are_named_by_their_flag(flag: str) -> None:
    code, _, err = run("four-bar", "--vary", "l0=1.9,1.91", "--output", "final O1", flag, "1 +")
    assert code == 2 and f"error: {flag}: the formula ends too early" in err


def test_every_member_has_its_own_value_of_a_formula() -> None:
    asked = ["four-bar", "--vary", "l0=1.91:1.94:4", "--output", "final O1", "--until", "0.001/(l0 - 1.9)", "--json"]
    code, out, _ = run(*asked)
    found = mb.load("four-bar").study({"l0": (1.91, 1.94, 4)}, "final O1", until="0.001/(l0 - 1.9)")
    assert code == 0 and json.loads(out)["outputs"]["final O1"]["mean"] == float(found.mean("final O1"))
    crank = ["slider-crank", "--vary", "l2=0.14,0.15", "--output", "final S", "--analysis", "kinematics", "--steps", "3"]
    assert "2 members: 2 done" in run(*crank, "--from", "l2/100", "--until", "0.04")[1]
    code, _, err = run("four-bar", "--vary", "l0=1.9,1.91", "--set", "l0=2", "--output", "final O1", "--until", "0.1")
    assert code == 2 and 'error: --set: "l0" is varied too' in err
