"""Judge data by a JSON Schema: the keywords that ours uses, as the standard defines them."""

import math
import re
from typing import Any

from multibody.files.schema import json_schema

SCHEMA = json_schema()

TYPES = {
    "object": dict, "array": list, "string": str, "boolean": bool, "null": type(None), "number": (int, float),
    "integer": int,
}  # fmt: skip
KNOWN = {
    "$schema", "$defs", "$ref", "title", "description", "default", "type", "enum", "anyOf", "properties", "required",
    "additionalProperties", "minProperties", "maxProperties", "items", "minItems", "maxItems", "minimum", "maximum",
    "exclusiveMinimum", "pattern",
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
    if "pattern" in schema and not re.search(schema["pattern"], data):
        return False
    if isinstance(data, int | float) and not isinstance(data, bool) and not within(schema, data):
        return False
    if isinstance(data, dict):
        return accepts_object(schema, data)
    if isinstance(data, list):
        return schema.get("minItems", 0) <= len(data) <= schema.get("maxItems", len(data)) and all(
            accepts(schema.get("items", {}), item) for item in data
        )
    return True


def within(schema: dict[str, Any], data: float) -> bool:
    low, high = schema.get("minimum", -math.inf), schema.get("maximum", math.inf)
    return bool(low <= data <= high and data > schema.get("exclusiveMinimum", -math.inf))


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
