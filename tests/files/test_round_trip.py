"""Writing and reading back gives the same model, formulas and all."""

from pathlib import Path

import numpy as np
import pytest

import multibody as mb
from five_models import MODELS, everything
from multibody.files.reader import read_file, read_text
from multibody.files.writer import model_to_plain, write_file
from multibody.model.model import Model
from multibody.tables.lower import lower, same_structure

FILES = Path(__file__).parent / "models"


def assert_equal_tables(one: Model, two: Model) -> None:
    first, second = lower(one), lower(two)
    assert same_structure(first.packed, second.packed)
    np.testing.assert_array_equal(first.F, second.F)
    assert [row.name for row in first.rows] == [row.name for row in second.rows]


@pytest.mark.parametrize("ending", ["yaml", "yml", "json"])
@pytest.mark.parametrize("name", MODELS)
def test_the_five_models(name: str, ending: str, tmp_path: Path) -> None:
    for model in (MODELS[name](), read_file(FILES / f"{name}.yaml", mb.Model)):
        write_file(model, tmp_path / f"model.{ending}")
        again = read_file(tmp_path / f"model.{ending}", mb.Model)
        assert model_to_plain(again) == model_to_plain(model)
        assert_equal_tables(model, again)


@pytest.mark.parametrize("ending", ["yaml", "json"])
@pytest.mark.parametrize("dimension", [2, 3])
def test_a_model_with_everything(dimension: int, ending: str, tmp_path: Path) -> None:
    model = everything(dimension)
    write_file(model, tmp_path / f"model.{ending}")
    again = read_file(tmp_path / f"model.{ending}", Model)
    assert model_to_plain(again) == model_to_plain(model)
    for group in set(vars(model)) - {"_lowered", "_locate", "_files"}:
        assert getattr(again, group) == getattr(model, group), group


def test_formulas_are_kept() -> None:
    data = model_to_plain(read_file(FILES / "slider-crank.yaml", Model))
    assert data["bodies"]["rod"] == {
        "mass": 0.5, "inertia": "0.5*l3^2/12", "com": ["l3/2", 0], "frames": {"small": ["l3", 0]},
    }  # fmt: skip
    assert data["guess"] == {"S": "l2 + l3"}
    assert data["run"] == {"until": 1, "formulation": "kane", "rtol": 1e-9}


def test_defaults_are_left_out() -> None:
    assert model_to_plain(Model("empty")) == {"name": "empty", "dimension": 3}
    model = Model("m", 2)
    model.body("b")
    model.spring("s", "ground", "b")
    assert model_to_plain(model) == {
        "name": "m", "dimension": 2, "bodies": {"b": {}}, "forces": {"s": {"spring": ["ground", "b"]}},
    }  # fmt: skip
    assert model_to_plain(read_text("name: m\ndimension: 2\nbodies: {b: }\n", "f.yaml", Model))["bodies"] == {"b": {}}


def test_a_written_file_is_for_people(tmp_path: Path) -> None:
    write_file(read_file(FILES / "slider-crank.yaml", Model), tmp_path / "a.yaml")
    text = (tmp_path / "a.yaml").read_text()
    assert "  A: {revolute: [crank.pin, rod]}\n" in text
    assert "guess: {S: l2 + l3}\n" in text


def test_what_cannot_be_written(tmp_path: Path) -> None:
    model = Model("m")
    with pytest.raises(mb.ModelError, match=r'unknown ending ".yam"; did you mean ".yaml"\?'):
        write_file(model, tmp_path / "m.yam")
    with pytest.raises(mb.ModelError, match="it cannot be written"):
        write_file(model, tmp_path / "none" / "m.yaml")
    with pytest.raises(mb.ModelError, match=r"run.until: until inf is no time; give a finite number"):
        model.defaults["run"] = {"until": float("inf")}
    model.parameter("p", 1.0, max=float("inf"))
    for ending in ("yaml", "json"):
        with pytest.raises(mb.ModelError, match=r"a file cannot hold the number inf") as caught:
            write_file(model, tmp_path / f"m.{ending}")
        assert caught.value.where == "parameters.p.max"
    assert not list(tmp_path.iterdir())
