"""Bad input to the verbs of dynamics: one sentence on stderr, nothing on stdout, exit status 2, no traceback."""

import pathlib

import pytest
from typer.testing import CliRunner

from multibody.cli.app import app

STILL = "name: still\ndimension: 2\nbodies: {b: {mass: 1, inertia: 1}}\njoints: {F: {fixed: [ground, b]}}\n"
BARE = "name: bare\ndimension: 2\nbodies: {b: {}}\njoints: {O: {revolute: [ground, b]}}\n"
MASSLESS = f"{BARE.replace('b: {}', 'b: {mass: 0, inertia: 0}, c: {mass: 1, inertia: 1}')}"

CASES = [
    (["run", "four-bar", "--formulation", "augmentd"], 'unknown formulation "augmentd"; did you mean "augmented"?'),
    (["run", "four-bar", "--integrator", "dop85"], 'unknown integrator "dop85"; did you mean "dop853"?'),
    (["run", "four-bar", "--integrator", "rk4"], "a fixed step is missing"),
    (["run", "four-bar", "--integrator", "rk4", "--step", "-0.1"], "step is -0.1; give a positive length of time"),
    (["run", "four-bar", "--integrator", "rk4", "--step", "0"], "step is 0; give a positive length of time"),
    (["run", "four-bar", "--step", "0.1"], "this integrator chooses its steps"),
    (["run", "four-bar", "--output-step", "0"], "output_step is 0"),
    (["run", "four-bar", "--output-step", "1e-9"], "GB of memory"),
    (["run", "four-bar", "--rtol", "2"], "rtol is 2; give a tolerance between 0 and 1"),
    (["run", "four-bar", "--until", "0"], "the end time equals the start"),
    (["run", "four-bar", "--until", "soon"], '--until: unknown name "soon"'),
    (["run", "slider-crank"], "no end time; give until"),
    (["run", "four-bar", "--out", "a.xyz"], 'unknown ending ".xyz"; use .nc, .mat, .parquet, .csv'),
    (["run", "bare.yaml", "--until", "1"], 'body "b": it has no mass'),
    (["run", "massless.yaml", "--until", "1"], 'body "b": its '),
    (["reactions", "four-bar", "--at", "1", "--joints", "O1,O2"], 'unknown joint "O2"'),
    (["reactions", "four-bar", "--joints", "O1"], "the time is missing; give --at T"),
    (["reactions", "four-bar", "--at", "1", "--joints", "O1,,A"], "is no list"),
    (["reactions", "bare.yaml", "--at", "1"], 'body "b": it has no mass'),
    (["inverse", "four-bar", "--at", "0"], "1 motion is missing"),
    (["inverse", "slider-crank", "--at", "0", "--until", "1"], "--at together with"),
    (["inverse", "slider-crank", "--at", "0", "--efforts", "slidr.x"], 'unknown name "slidr.x"; did you mean "slider"?'),
    (["inverse", "slider-crank", "--at", "0", "--efforts", "S,S"], '"S" is given twice'),
    (["inverse", "slider-crank", "--at", "0", "--efforts", "S.rate"], '"S.rate" is not a coordinate'),
    (["inverse", "still.yaml", "--at", "0"], "nothing can move"),
    (["compare", "four-bar", "--formulations", "kan"], 'did you mean "kane"?'),
    (["compare", "four-bar", "--integrators", "adam"], 'did you mean "adams"?'),
    (["compare", "four-bar", "--rtol", "1e-6,x"], '"x" is no number'),
    (["compare", "four-bar", "--plot", "a.csv"], 'unknown ending ".csv"'),
    (["compare", "still.yaml", "--until", "1"], "nothing is integrated"),
]


@pytest.mark.parametrize(("arguments", "sentence"), CASES)
def test_bad_input_is_told_in_a_sentence(
    arguments: list[str], sentence: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in (("still", STILL), ("bare", BARE), ("massless", MASSLESS)):
        (tmp_path / f"{name}.yaml").write_text(text)
    result = CliRunner().invoke(app, arguments)
    assert isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("error: ")
    assert sentence in result.stderr
    assert "Traceback" not in result.stderr
    assert len(list(tmp_path.iterdir())) == 3


@pytest.mark.parametrize("verb", ["run", "reactions", "inverse", "compare"])
def test_every_verb_has_help(verb: str) -> None:
    result = CliRunner().invoke(app, [verb, "--help"])
    assert result.exit_code == 0
    assert "--json" in result.stdout
    assert "MODEL" in result.stdout


@pytest.mark.parametrize("how", [[], ["--json"]])
@pytest.mark.parametrize(
    "arguments",
    [["assemble"], ["kinematics"], ["run", "--until", "1"], ["reactions", "--at", "0"], ["inverse"], ["inverse", "--at", "0"],
     ["statics"], ["modes"], ["compare", "--until", "1", "--formulations", "augmented", "--integrators", "dop853"]],
)  # fmt: skip
def test_a_model_that_cannot_close_is_answered_by_every_verb(arguments: list[str], how: list[str]) -> None:
    result = CliRunner().invoke(app, [arguments[0], "shabana-four-bar", "--set", "l4=9", *arguments[1:], *how])
    assert isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code in (1, 2)
    assert "cannot close" in result.stdout + result.stderr
