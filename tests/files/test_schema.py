"""The JSON Schema accepts what the reader accepts, as far as form goes."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

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

TYPES = {
    "object": dict, "array": list, "string": str, "boolean": bool, "null": type(None), "number": (int, float),
}  # fmt: skip
KNOWN = {
    "$schema", "$defs", "$ref", "title", "description", "default", "type", "enum", "anyOf", "properties", "required",
    "additionalProperties", "minProperties", "maxProperties", "items", "minItems", "maxItems",
}  # fmt: skip


def accepts(schema: dict[str, Any], data: Any) -> bool:
    """Judge data by the keywords that the schema uses, as the standard defines them."""
    assert not schema.keys() - KNOWN, schema.keys() - KNOWN
    if "$ref" in schema and not accepts(SCHEMA["$defs"][schema["$ref"].removeprefix("#/$defs/")], data):
        return False
    types = schema.get("type", list(TYPES))
    types = [types] if isinstance(types, str) else types
    is_type = any(isinstance(data, TYPES[t]) and (t == "boolean" or not isinstance(data, bool)) for t in types)
    if not is_type or ("enum" in schema and data not in schema["enum"]):
        return False
    if "anyOf" in schema and not any(accepts(each, data) for each in schema["anyOf"]):
        return False
    if isinstance(data, dict):
        return accepts_object(schema, data)
    if isinstance(data, list):
        return schema.get("minItems", 0) <= len(data) <= schema.get("maxItems", len(data)) and all(
            accepts(schema.get("items", {}), item) for item in data
        )
    return True


def accepts_object(schema: dict[str, Any], data: dict[str, Any]) -> bool:
    if not schema.get("minProperties", 0) <= len(data) <= schema.get("maxProperties", len(data)):
        return False
    if any(key not in data for key in schema.get("required", ())):
        return False
    for key, value in data.items():
        rule = schema.get("properties", {}).get(key, schema.get("additionalProperties", {}))
        if rule is False or not accepts(rule, value):
            return False
    return True


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
