"""The JSON Schema of model files, made from the same catalogs that the reader uses; editors complete and check with it.

A schema sees form only: names in formulas, ends that do not exist and the like are told by the reader.
"""

from __future__ import annotations

from typing import Any

from multibody.files._items import BODY_KEYS
from multibody.files.repeat import SECTIONS
from multibody.model.events import DIRECTIONS
from multibody.model.forces import KINDS as FORCE_KINDS
from multibody.model.forces import ForceKind
from multibody.model.geometry import ORIENTATION_KEYS
from multibody.model.joints import ALIASES, JointKind
from multibody.model.joints import KINDS as JOINT_KINDS
from multibody.model.shapes import SHAPES, TURNED
from multibody.model.tables import TABLE_KINDS
from multibody.model.units import FORCES, LENGTHS, MASSES, TIMES
from multibody.model.values import Field
from multibody.options.verbs import VERBS, definitions, verb_schema

__all__ = ["json_schema"]

Schema = dict[str, Any]

_NUMBER: Schema = {"$ref": "#/$defs/number"}
_VECTOR: Schema = {"$ref": "#/$defs/vector"}
_END: Schema = {"type": "string", "description": "body or body.frame"}
_ENDS: Schema = {"type": "array", "items": _END, "minItems": 2, "maxItems": 2}
_PAIR: Schema = {"type": "array", "minItems": 2, "maxItems": 2}
_TEXT: Schema = {"type": "string"}
_COMPONENTS: Schema = {"type": "array", "items": _NUMBER, "minItems": 3, "maxItems": 6}

# How each type of field is written; what is not here is a number or a formula.
_FIELDS: dict[str, Schema] = {
    "vector": _VECTOR,
    "axis": _VECTOR,
    "axis3": _VECTOR,
    "axes": {**_PAIR, "items": _VECTOR},
    "pair": {**_PAIR, "items": _NUMBER},
    "wrench": _COMPONENTS,
    "symmetric": {"anyOf": [_COMPONENTS, {"type": "array", "items": _COMPONENTS, "minItems": 3, "maxItems": 6}]},
    "moment": {"anyOf": [_NUMBER, _VECTOR]},
    "flag": {"type": "boolean"},
    "end": _END,
    "word": _TEXT,
}


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of model files.

    Returns
    -------
    dict
        Plain data, ready for ``json.dumps``.
    """
    properties: dict[str, Schema] = {
        "name": {"type": "string", "description": "name of the model"},
        "dimension": {"enum": [2, 3], "default": 3},
        "units": _units(),
        "gravity": {**_VECTOR, "description": "acceleration of gravity in ground axes; default none"},
        "length": {**_NUMBER, "description": "characteristic length; default: derived from the bodies"},
        "parameters": _map_of("parameter"),
        "tables": _map_of("table"),
        "include": {"type": "array", "items": {"$ref": "#/$defs/include"}},
        "repeat": {"type": "array", "items": {"$ref": "#/$defs/repeat"}},
        **_sections(),
        **{verb: verb_schema(verb) for verb in VERBS},
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "multibody model",
        **_closed(properties),
        "$defs": _definitions(),
    }


def _closed(properties: dict[str, Schema], required: list[str] | None = None) -> Schema:
    """Return an object that has these properties and no other."""
    schema: Schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**schema, "required": required} if required else schema


def _map_of(definition: str) -> Schema:
    """Return a section: names, each with an item of one definition."""
    return {"type": ["object", "null"], "additionalProperties": {"$ref": f"#/$defs/{definition}"}}


def _sections() -> dict[str, Schema]:
    """Return the sections that a file and a repeat share."""
    items = {
        "ground": "frame", "bodies": "body", "joints": "joint", "forces": "force", "motions": "number",
        "initial": "condition", "guess": "guess", "outputs": "output", "events": "event",
    }  # fmt: skip
    return {section: _map_of(items[section]) for section in SECTIONS}


def _definitions() -> dict[str, Schema]:
    """Return what sections are made of."""
    placed = {"at": _VECTOR, **_orientation()}
    limits = {"min": {"type": "number"}, "max": {"type": "number"}}
    stated = _closed({"value": {"anyOf": [_NUMBER, _VECTOR]}, "unit": _TEXT, "doc": _TEXT, **limits}, ["value"])
    orientation = {**_closed(_orientation()), "minProperties": 1}
    weighed = {"value": {"anyOf": [_NUMBER, orientation]}, "weight": _NUMBER}
    source = {"model": {"type": "string", "description": "a file or a library model"}, "prefix": _TEXT}
    counter = {"type": "object", "additionalProperties": _NUMBER, "minProperties": 1, "maxProperties": 1}
    return {
        "number": {"type": ["number", "string"], "description": "a number or a formula"},
        "vector": {"anyOf": [{"type": "array", "items": _NUMBER, "minItems": 2, "maxItems": 3}, _TEXT]},
        "parameter": {"anyOf": [_NUMBER, _VECTOR, stated]},
        "table": _table(),
        "frame": {"anyOf": [_VECTOR, _closed(placed)]},
        "shape": {"anyOf": [_shape(kind, keys) for kind, (_, keys) in SHAPES.items()]},
        "body": _body(),
        "joint": {"anyOf": [_joint(name, kind) for name, kind in _joint_kinds().items()]},
        "force": {"anyOf": [_force(kind) for kind in FORCE_KINDS.values()]},
        "condition": {"anyOf": [_NUMBER, orientation]},
        "guess": {"anyOf": [_NUMBER, orientation, _closed(weighed, ["value"])]},
        "output": {"anyOf": [_NUMBER, _closed({"value": _NUMBER, "unit": _TEXT}, ["value"])]},
        "event": {"anyOf": [_NUMBER, _closed({"when": _NUMBER, **_event()}, ["when"])]},
        "repeat": _closed({"for": counter, "from": _NUMBER, **_sections()}, ["for"]),
        "include": _closed({**source, **placed, "set": {"type": "object"}}, ["model", "prefix"]),
        **definitions(),
    }


def _event() -> dict[str, Schema]:
    """Return the fields of an event beside its expression."""
    return {"terminal": {"type": "boolean"}, "direction": {"enum": list(DIRECTIONS)}}


def _units() -> Schema:
    tables = {"length": LENGTHS, "time": TIMES, "mass": MASSES, "force": FORCES}
    return _closed({quantity: {"enum": list(names)} for quantity, names in tables.items()})


def _orientation() -> dict[str, Schema]:
    """Return the keys that say how axes lie."""
    three = {"type": "array", "items": _NUMBER, "minItems": 3, "maxItems": 3}
    four = {**three, "minItems": 4, "maxItems": 4}
    euler = {"type": "object", "additionalProperties": three, "minProperties": 1, "maxProperties": 1}
    special: dict[str, Schema] = {
        "angle": _NUMBER, "x": _VECTOR, "z": _VECTOR, "quaternion": four, "euler": euler,
        "rotation": {"type": ["object", "array"]},
    }  # fmt: skip
    return {key: special.get(key, three) for key in ORIENTATION_KEYS}


def _table() -> Schema:
    column = {"type": "array", "items": {"type": "number"}, "minItems": 2}
    return _closed({"x": column, "y": column, "kind": {"enum": list(TABLE_KINDS)}}, ["x", "y"])


def _shape(kind: str, keys: tuple[str, ...]) -> Schema:
    special: dict[str, Schema] = {"rod": {**_PAIR, "items": _VECTOR}, "cylinder": {**_PAIR, "items": _VECTOR}}
    own = special.get(kind, _TEXT if kind == "mesh" else _VECTOR)
    fields = {key: _VECTOR if key in ("at", "axis") else _NUMBER for key in (*keys, "mass", "density", "depth")}
    if "scale" in fields:
        fields["scale"] = {"anyOf": [_NUMBER, _VECTOR]}
    return _closed({kind: own, **fields, **(_orientation() if kind in TURNED else {})}, [kind])


def _body() -> Schema:
    row = {"type": "array", "items": _NUMBER, "minItems": 3, "maxItems": 3}
    inertia = {"anyOf": [_NUMBER, row, {"type": "array", "items": row, "minItems": 3, "maxItems": 3}]}
    shape = {"$ref": "#/$defs/shape"}
    fields: dict[str, Schema] = {
        "mass": _NUMBER,
        "inertia": inertia,
        "com": _VECTOR,
        "frames": _map_of("frame"),
        "shape": {"anyOf": [shape, {"type": "array", "items": shape}]},
        "at": _VECTOR,
        "file": {"type": "string", "description": "a STEP, STL, OBJ or GLB file of a solid"},
        "density": _NUMBER,
        "unit": {"enum": list(LENGTHS)},
        **_orientation(),
    }
    return {**_closed({key: fields[key] for key in BODY_KEYS}), "type": ["object", "null"]}


def _described(f: Field) -> Schema:
    """Return a field with the words that explain it."""
    return {**_FIELDS.get(f.type.shape, _NUMBER), "description": f.doc}


def _joint_kinds() -> dict[str, JointKind]:
    return {**JOINT_KINDS, **{alias: JOINT_KINDS[name] for alias, name in ALIASES.items()}}


def _joint(name: str, kind: JointKind) -> Schema:
    if kind.relation == "coupler":
        return {**_closed({name: _NUMBER}, [name]), "description": kind.summary}
    required = [name, *(f.name for f in kind.fields if f.required)]
    place = {} if kind.relation in ("gear", "rack") else {"at": _VECTOR}
    fields = {f.name: _described(f) for f in kind.fields}
    return {**_closed({name: _ENDS, **place, **fields}, required), "description": kind.summary}


def _force(kind: ForceKind) -> Schema:
    target = {"ends": _ENDS, "end": _END, "coordinate": {"type": "string", "description": "path of a coordinate"}}
    fields = {f.name: _described(f) for f in kind.fields}
    return _closed({**fields, kind.name: target[kind.target]}, [kind.name])
