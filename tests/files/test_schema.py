"""The JSON Schema accepts what the reader accepts, as far as form goes."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from files.judge import accepts
from five_models import everything
from multibody.files.reader import KEYS, read_file
from multibody.files.schema import json_schema
from multibody.files.writer import model_to_plain
from multibody.files.yaml12 import read_yaml
from multibody.model.forces import KINDS as FORCE_KINDS
from multibody.model.joints import KINDS as JOINT_KINDS
from multibody.model.model import Model

FILES = sorted((Path(__file__).parent / "models").glob("*.yaml"))
SCHEMA = json_schema()

def data_of(file: Path) -> Any:
    return read_yaml(file.read_text(), file.name).data


def test_the_schema_is_plain_data() -> None:
    assert json.loads(json.dumps(SCHEMA)) == SCHEMA
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert set(SCHEMA["properties"]) == set(KEYS)


def test_it_knows_all_kinds() -> None:
    joints = [next(iter(each["properties"])) for each in SCHEMA["$defs"]["joint"]["anyOf"]]
    assert set(joints) == {*JOINT_KINDS, "prismatic"}
    assert len(SCHEMA["$defs"]["force"]["anyOf"]) == len(FORCE_KINDS)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_five_models_are_valid(file: Path) -> None:
    assert len(FILES) == 5
    assert accepts(SCHEMA, data_of(file))
    assert accepts(SCHEMA, model_to_plain(read_file(file, Model)))


@pytest.mark.parametrize("dimension", [2, 3])
def test_every_kind_of_field_is_valid(dimension: int) -> None:
    assert accepts(SCHEMA, model_to_plain(everything(dimension)))


CHANGES = {
    "key of the file": (("colour",), "red"),
    "key of a body": (("bodies", "crank", "masss"), 1),
    "key of a joint": (("joints", "O", "axs"), [0, 0, 1]),
    "field of another kind": (("joints", "O", "lead"), 1),
    "two kinds": (("joints", "O", "fixed"), ["ground", "crank"]),
    "one end": (("joints", "O", "revolute"), ["ground"]),
    "a number for ends": (("joints", "O", "revolute"), 3),
    "dimension": (("dimension",), 4),
    "unit": (("units",), {"length": "inch"}),
    "mass": (("bodies", "crank", "mass"), [1]),
    "six numbers": (("bodies", "crank", "inertia"), [1, 2, 3, 0, 0, 0]),
    "four components": (("bodies", "crank", "com"), [1, 2, 3, 4]),
    "force": (("forces",), {"f": {"spring": ["ground", "crank"], "stiff": 3}}),
    "boolean": (("parameters", "l2"), True),
    "parameter without value": (("parameters", "l2"), {"unit": "m"}),
    "table": (("tables",), {"f": {"x": [0, 1]}}),
    "repeat": (("repeat",), [{"for": {"k": 3}, "body": {}}]),
    "include": (("include",), [{"model": "a.yaml"}]),
}


@pytest.mark.parametrize("case", CHANGES)
def test_what_is_wrong_is_refused(case: str) -> None:
    path, value = CHANGES[case]
    data = data_of(next(file for file in FILES if file.stem == "slider-crank"))
    changed = copy.deepcopy(data)
    inner = changed
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    assert accepts(SCHEMA, data)
    assert not accepts(SCHEMA, changed)
