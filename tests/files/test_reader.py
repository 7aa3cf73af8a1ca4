"""Reading model files: the five models, parameters that are set, libraries, and what a file may hold."""

import json
from pathlib import Path

import numpy as np
import pytest

import multibody as mb
from five_models import MODELS
from multibody.files.reader import read_file, read_text
from multibody.files.yaml12 import read_yaml
from multibody.model.model import Model
from multibody.model.validate import validate
from multibody.tables.lower import lower, same_structure

FILES = Path(__file__).parent / "models"


@pytest.mark.parametrize("name", MODELS)
def test_a_file_and_python_give_the_same_tables(name: str) -> None:
    one, two = lower(mb.load(str(FILES / f"{name}.yaml"))), lower(MODELS[name]())
    assert [row.name for row in one.rows] == [row.name for row in two.rows]
    assert same_structure(one.packed, two.packed)
    np.testing.assert_array_equal(one.F, two.F)


@pytest.mark.parametrize("name", MODELS)
def test_json_is_read_like_yaml(name: str, tmp_path: Path) -> None:
    data = read_yaml((FILES / f"{name}.yaml").read_text(), name).data
    (tmp_path / "model.json").write_text(json.dumps(data, indent=1))
    one, two = lower(read_file(tmp_path / "model.json", Model)), lower(MODELS[name]())
    assert same_structure(one.packed, two.packed)
    np.testing.assert_array_equal(one.F, two.F)


def test_options_of_verbs_are_kept() -> None:
    model = read_file(FILES / "slider-crank.yaml", Model)
    assert model.defaults == {"run": {"until": 1, "formulation": "kane", "rtol": 1e-9}}
    text = "check:\nassemble: {}\nkinematics: {until: 2, steps: 7}\nrun:\n"
    assert read_text(text, "f.yaml", Model).defaults == {"kinematics": {"until": 2, "steps": 7}}


def test_the_class_and_the_name_of_the_model() -> None:
    class Own(Model):
        pass

    model = read_text("bodies: {a: }\n", "models/gear-box.yaml", Own)
    assert type(model) is Own
    assert (model.name, model.dimension, model.gravity, list(model.bodies)) == ("gear-box", 3, None, ["a"])


def test_a_characteristic_length() -> None:
    assert read_text("length: 0.25\n", "f.yaml", Model).length == 0.25


# --- parameters ------------------------------------------------------------------------------------------------------

PARAMETERS = """\
dimension: 2
parameters:
  l: {value: 0.5, unit: m, doc: length of the bar, min: 0.1, max: 2}
  p: [1, 2]
  q: 2*l
bodies: {bar: {mass: q, frames: {end: p}}}
"""


def test_a_parameter_with_unit_and_limits() -> None:
    parameter = read_text(PARAMETERS, "f.yaml", Model).parameters["l"]
    assert (parameter.value, parameter.unit, parameter.doc) == (0.5, "m", "length of the bar")
    assert (parameter.min, parameter.max) == (0.1, 2)


def test_parameters_can_be_set() -> None:
    given = {"l": 1.5, "p": (3, "l"), "q": "l + 1"}
    model = read_text(PARAMETERS, "f.yaml", Model, given)
    assert model.parameters["l"].value == 1.5
    assert model.parameters["l"].unit == "m"
    assert [str(part) for part in model.parameters["p"].value] == ["3.0", "l"]
    assert str(model.parameters["q"].value) == "l + 1"
    assert read_text(PARAMETERS, "f.yaml", Model, {"l": np.float64(1.5)}).parameters["l"].value == 1.5
    assert read_text(PARAMETERS, "f.yaml", Model, {"p": np.array([3, 4])}).parameters["p"].value == (3.0, 4.0)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"ll": 1}, 'f.yaml: unknown parameter "ll"; did you mean "l"? There is l, p, q.'),
        ({"l": 3}, 'f.yaml: parameter "l": 3 is outside its limits'),
        ({"l": "6*p.x"}, 'f.yaml: parameter "l": 6 is outside its limits'),
        ({"l": [1, 2]}, 'f.yaml: parameter "l": it is a number, no vector; give one number'),
        ({"p": 3}, 'f.yaml: parameter "p": it is a vector of 2; give 2 numbers in a list'),
        ({"p": [1, 2, 3]}, 'f.yaml: parameter "p": it is a vector of 2'),
        ({"q": "2*r"}, 'f.yaml: parameter "q": unknown name "r"'),
        ({"q": "word word"}, 'f.yaml: parameter "q": an operator is missing'),
        ({"q": float("inf")}, 'f.yaml: parameter "q": inf is not a number'),
        ({"q": True}, 'f.yaml: parameter "q": True is no value'),
        ({"q": None}, 'f.yaml: parameter "q": it has no value'),
    ],
)
def test_a_value_that_cannot_be_set(given: dict[str, object], message: str) -> None:
    with pytest.raises(mb.ModelError) as caught:
        read_text(PARAMETERS, "f.yaml", Model, given)
    assert str(caught.value).startswith(message)
    assert caught.value.line is None


# --- sources ---------------------------------------------------------------------------------------------------------


def test_a_missing_file_says_so(tmp_path: Path) -> None:
    (tmp_path / "engine.yaml").write_text("name: engine\n")
    with pytest.raises(mb.ModelError, match=r'there is no such file; did you mean "engine\.yaml"') as caught:
        read_file(tmp_path / "engin.yaml", Model)
    assert caught.value.file == str(tmp_path / "engin.yaml")
    with pytest.raises(mb.ModelError, match="there is no such file; check the path"):
        read_file(tmp_path / "none" / "engine.json", Model)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "model.yaml").mkdir()
    with pytest.raises(mb.ModelError, match="it cannot be read"):
        read_file(tmp_path / "model.yaml", Model)
    (tmp_path / "latin.yaml").write_bytes("name: größe\n".encode("latin-1"))
    with pytest.raises(mb.ModelError, match="it is not text in UTF-8"):
        read_file(tmp_path / "latin.yaml", Model)
    (tmp_path / "model.txt").write_text("name: a\n")
    with pytest.raises(mb.ModelError, match=r"a model file ends in .yaml, .yml, .json"):
        read_file(tmp_path / "model.txt", Model)


def test_a_library_model_is_found_by_name() -> None:
    model = read_file("slider-crank", mb.Model)
    assert "crank" in model.bodies
    with pytest.raises(mb.ModelError, match='slider-crank'):
        read_file("slider-crnk", mb.Model)


# --- the same checks for models made in Python -----------------------------------------------------------------------


def test_python_models_get_the_same_checks() -> None:
    model = Model("m", dimension=2)
    model.body("rod", mass="2*a", frames={"p": ("b", 0)})
    model.revolute("O", "ground", "rod")
    model.motion("O", "w*t")
    model.output("y", "rod.q.x")
    errors = validate(model)
    assert [error.where for error in errors] == [
        "bodies.rod.mass", "bodies.rod.frames.p", "motions.O", "outputs.y",
    ]  # fmt: skip
    assert all(isinstance(error, mb.ModelError) and "unknown name" in str(error) for error in errors)
    model.parameter("a", 1)
    model.parameter("b", "2*a")
    assert [error.where for error in validate(model, broken={"w"})] == ["outputs.y"]


@pytest.mark.parametrize("name", MODELS)
def test_sound_models_pass_the_checks(name: str) -> None:
    assert validate(MODELS[name]()) == []


def test_long_chains_of_parameters_are_no_trouble() -> None:
    """Neither their depth nor the number of ways through them matters."""
    model = Model("m")
    model.parameter("p0", (1, 2, 3))
    for k in range(1, 2000):
        model.parameter(f"p{k}", f"(p{k - 1} + p{k - 1})/2")
    model.body("b", mass="p1999.z")
    assert validate(model) == []
