"""Bad input: one sentence on stderr, nothing on stdout, exit status 2, no traceback."""

import pathlib
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from multibody import load
from multibody.cli.app import app
from multibody.files.writer import model_to_plain
from multibody.files.yaml12 import write_yaml

CASES = [
    (["kinemtics", "slider-crank"], 'unknown verb "kinemtics"; did you mean "kinematics"?'),
    (["kinematics", "slider-crnk"], 'did you mean "slider-crank"?'),
    (["kinematics", "missing.yaml"], "missing.yaml: there is no such file"),
    (["kinematics", "slider-crank", "--set", "l4=1"], 'no parameter "l4"'),
    (["kinematics", "slider-crank", "--set", "l2"], '--set: "l2" is no setting; write NAME=VALUE'),
    (["kinematics", "slider-crank", "--set", "l2="], "is no setting"),
    (["kinematics", "slider-crank", "--set", "l2=[1, 2]"], "error: "),
    (["kinematics", "planetary", "--set", "drive=wind"], "error: "),
    (["kinematics", "slider-crank", "--until", "soon"], '--until: unknown name "soon"'),
    (["kinematics", "slider-crank", "--until", "2*"], "error: --until: "),
    (["kinematics", "slider-crank", "--until", "1/0"], "error: --until: "),
    (["kinematics", "slider-crank", "--until", "0"], "the end time equals the start"),
    (["kinematics", "slider-crank", "--steps", "0"], "0 steps"),
    (["kinematics", "slider-crank", "--at", "1", "--until", "2"], "--at together with"),
    (["kinematics", "slider-crank", "--units", "cgs"], '--units: unknown units "cgs"'),
    (["kinematics", "slider-crank", "--out", "a.xyz"], 'a.xyz: unknown ending ".xyz"; use .csv'),
    (["kinematics", "slider-crank", "--out", "no/such/place/a.csv"], "no/such/place: there is no such directory"),
    (["kinematics", "slider-crank", "--plot", "slider.q"], 'unknown name "slider.q"'),
    (["kinematics", "slider-crank", "--trace", "rod.nose"], 'body "rod" has no frame "nose"'),
    (["kinematics", "four-bar"], "error: "),
    (["assemble", "slider-crank", "--out", "a.csv"], 'unknown ending ".csv"'),
    (["check", "no-such"], "error: "),
]


@pytest.mark.parametrize(("arguments", "sentence"), CASES)
def test_bad_input_is_told_in_a_sentence(
    arguments: list[str], sentence: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, arguments)
    assert isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("error: ")
    assert sentence in result.stderr
    assert "Traceback" not in result.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["kinematics", "slider-crank", "--plot", "slider.q"], 'unknown name "slider.q"'),
        (["kinematics", "slider-crank", "--plot", "2*slider.x + O.reaction.force.x"], "kinematics knows no forces"),
        (["kinematics", "slider-crank", "--plot", "energy.total"], "kinematics knows no forces"),
        (["kinematics", "slider-crank", "--trace", "rod.nose"], 'body "rod" has no frame "nose"'),
        (["kinematics", "slider-crank", "--plot", "slider.x", "--x", "P"], 'unknown name "P"'),
        (["kinematics", "slider-crank", "--x", "O"], "--x: there is no curve to plot against it; add --plot PATH"),
        (["inverse", "slider-crank", "--until", "0.01", "--x", "P"], 'unknown name "P"'),
        (["run", "four-bar", "--until", "1", "--plot", "O1", "--x", "O1.reaction.force"], '"O1.reaction.force" is a vector'),
        (["run", "four-bar", "--until", "1", "--plot", "O1.rate", "--plot", "O1.rat"], '"O1.rat"'),
        (["run", "four-bar", "--until", "1", "--plot", "norm(O1)"], "norm"),
        (["run", "four-bar", "--until", "1", "--plot", "2*"], "2*"),
        (["run", "four-bar", "--until", "1", "--plot", ""], "error: "),
        (["run", "four-bar", "--until", "1", "--trace", "link2.nose"], 'has no frame "nose"'),
    ],
)
def test_curves_are_judged_before_the_work(
    arguments: list[str], sentence: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_work(*_: object, **__: object) -> None:
        raise AssertionError("it works before it judges what is to be drawn")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("multibody.Model.run", no_work)
    monkeypatch.setattr("multibody.Model.kinematics", no_work)
    result = CliRunner().invoke(app, arguments)
    assert isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code == 2 and sentence in result.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "arguments", [["kinematics"], ["check", "pendulum", "--nonsense"], ["kinematics", "x", "--steps", "a"]]
)
def test_usage_errors_exit_with_2(arguments: list[str]) -> None:
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr != ""


def test_all_faults_of_a_file_are_told_at_once(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "faulty.yaml"
    file.write_text(
        "name: faulty\ndimension: 2\nbodies:\n  crank: {frames: {pin: [1, 0]}}\n  rod: {}\n"
        "joints:\n  O: {revolute: [ground, crank]}\n  A: {revolute: [crank.pim, rod]}\nmotions: {Q: t}\n"
    )
    result = CliRunner().invoke(app, ["check", str(file), "--json"])
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "faulty.yaml:8" in result.stderr
    assert 'did you mean "pin"?' in result.stderr
    assert "faulty.yaml:9" in result.stderr


@pytest.mark.parametrize("verb", ["check", "assemble", "statics"])
def test_overflows_bring_no_warning_of_numpy(verb: str, tmp_path: pathlib.Path) -> None:
    file = tmp_path / "far.yaml"
    text = write_yaml(model_to_plain(load("chain"))).replace("end: [link_length, 0]", "end: [link_length/1e-200, 0]", 1)
    assert "1e-200" in text
    file.write_text(text)
    done = subprocess.run([sys.executable, "-m", "multibody", verb, str(file)], capture_output=True, text=True)
    assert done.stderr.startswith("error: ") and "Warning" not in done.stderr


def test_a_file_that_cannot_be_written_is_bad_input(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.csv").mkdir()
    result = CliRunner().invoke(app, ["kinematics", "slider-crank", "--steps", "2", "--out", str(tmp_path / "a.csv")])
    assert result.exit_code == 2
    assert "a.csv" in result.stderr
    assert result.stdout == ""
