"""`multibody examples NAME`: the model file of every library model and recipe, which moves as the model itself does."""

import json
from pathlib import Path

import numpy as np
import pytest
import yaml
from typer.testing import CliRunner

import multibody as mb
from multibody._target import FORCED
from multibody.cli.app import app
from multibody.cli.examples import model_text
from multibody.files.readable import readable
from multibody.files.reader import read_text
from multibody.library import describe, names, recipes


def run(*arguments: str) -> tuple[int, str, str]:
    """Return exit status, stdout and stderr."""
    result = CliRunner().invoke(app, ["examples", *arguments], prog_name="multibody")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


def moved(model: mb.Model, verb: str, span: float) -> tuple[np.ndarray, np.ndarray]:
    """Return positions and velocities after a time."""
    if verb == "kinematics":
        end = model.kinematics(times=[0, span]).final
    else:
        end = model.run(span, integrator="dop853", formulation="augmented", output_step=span).final
    assert end.ok, end.status
    return end.q, end.v


@pytest.mark.parametrize("name", names())
def test_the_file_of_a_library_model_moves_as_the_model_does(name: str) -> None:
    text = model_text(name)
    assert text.startswith(f"# {describe(name)}\n")
    made, model = read_text(text, f"{name}.yaml", mb.Model), mb.load(name)
    ((verb, options),) = model.defaults.items()
    assert made.defaults.keys() == {verb}
    span = options["until"] * (0.1 if verb == "kinematics" else 0.002)
    for found, expected in zip(moved(made, verb, span), moved(model, verb, span), strict=True):
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10 * max(1.0, float(np.max(np.abs(expected)))))


@pytest.mark.parametrize("name", recipes())
def test_the_file_of_a_recipe_is_the_one_that_is_loaded(name: str) -> None:
    text = model_text(name)
    assert text.startswith(f"# {describe(name)}\n")
    assert yaml.safe_load(text)["name"] == name
    assert read_text(text, f"{name}.yaml", mb.Model).assemble().ok


def test_a_file_is_printed_with_its_parameters_set() -> None:
    code, out, err = run("engine", "--set", "n=3", "--set", "l=0.15")
    assert (code, err) == (0, "")
    made = yaml.safe_load(out)
    assert "piston3" in made["bodies"] and made["parameters"]["l"]["value"] == 0.15


def test_a_file_is_saved_and_not_overwritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = run("slider-crank", "--save")
    assert (code, err) == (0, "") and "slider-crank.yaml" in out
    assert mb.load("slider-crank.yaml").check().mobility == 1
    before = Path("slider-crank.yaml").read_bytes()
    code, out, err = run("slider-crank", "--save", "--set", "l2=0.1")
    assert (code, out) == (2, "") and err == f"error: slider-crank.yaml: it exists already; {FORCED}\n"
    assert Path("slider-crank.yaml").read_bytes() == before
    assert run("slider-crank", "--save", "--set", "l2=0.1", "--force")[0] == 0
    assert Path("slider-crank.yaml").read_bytes() != before
    assert run("slider-crank", "--save", "my.yaml")[0] == 0 and mb.load("my.yaml").name == "slider-crank"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["slider-crnak"], 'did you mean "slider-crank"?'),
        (["slider-crank", "x.yaml"], "multibody examples slider-crank --save x.yaml"),
        (["slider-crank", "--save", "x.txt"], "use .yaml or .yml"),
        (["slider-crank", "--save", "no/such/x.yaml"], "there is no such directory"),
        (["--save"], "no model is named"),
        (["no-such-model", "--save", "no/such/x.yaml"], 'the library has no model "no-such-model"'),
        (["slider-crank", "--force"], "nothing is written; add --save"),
        (["slider-crank", "--set", "l9=1"], 'there is no parameter "l9"'),
    ],
)
def test_what_cannot_be_is_said(arguments: list[str], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = run(*arguments)
    assert (code, out) == (2, "") and words in err and err.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_json_has_the_text() -> None:
    code, out, _ = run("pendulum", "--json")
    assert code == 0
    found = json.loads(out)
    assert found["name"] == "pendulum" and yaml.safe_load(found["text"])["joints"]["O"] == {"revolute": ["ground", "rod"]}
    code, out, _ = run("--json")
    assert [item["name"] for item in json.loads(out)["recipes"]] == recipes()


@pytest.mark.parametrize(
    ("given", "written"),
    [
        (80 * mb.deg, "80*deg"),
        (-0.5 * mb.pi, "-0.5*pi"),
        (0.1 + 0.2, 0.3),
        (-0.4999999999999998, -0.5),
        (1.2345, 1.2345),
        (386.08858267716533, 386.08858267716533),
        ("speed*0.10471975511965977*t", "speed*rpm*t"),
        ("sin(6.283185307179586*f*t)", "sin(2*pi*f*t)"),
        ("x/1.3962634015954636", "x/(80*deg)"),
        ("1.3962634015954636^2", "(80*deg)^2"),
        ("0.3*x", "0.3*x"),
        ("a1.2", "a1.2"),
    ],
)
def test_numbers_are_written_as_people_write_them(given: object, written: object) -> None:
    assert readable(given) == written


def test_times_are_no_angles() -> None:
    assert readable({"until": 36 * mb.deg}, angles=False) == {"until": "0.2*pi"}
    assert readable(0.6108652381980153, angles=False) == 0.6108652381980153
