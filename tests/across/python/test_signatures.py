"""Signatures of joint and force methods are real ones, written from the catalog, and seen by type checkers."""

from __future__ import annotations

import inspect

import pytest

import multibody as mb
from multibody.model import write_methods
from multibody.model.forces import KINDS as FORCES
from multibody.model.joints import ALIASES
from multibody.model.joints import KINDS as JOINTS

KINDS = {**JOINTS, **FORCES, **{alias: JOINTS[kind] for alias, kind in ALIASES.items()}}


@pytest.mark.parametrize("name", KINDS)
def test_a_method_has_the_fields_of_its_kind(name: str) -> None:
    signature = inspect.signature(getattr(mb.Model, name))
    parameters = {key: p for key, p in signature.parameters.items() if key != "self"}
    assert next(iter(parameters)) == "name"
    assert not any(p.kind in (p.VAR_KEYWORD, p.VAR_POSITIONAL) for p in parameters.values())
    for field in KINDS[name].fields:
        p = parameters.pop(field.name)
        assert (p.default is p.empty) == field.required or field.name == "expression"
        if not field.required:
            assert p.default == field.default
    assert set(parameters) <= {"name", "first", "second", "end", "coordinate", "at"}
    constructor = inspect.signature(getattr(mb, write_methods.class_name(name)))
    assert list(constructor.parameters) == [key for key in signature.parameters if key != "self"]
    documented = getattr(mb.Model, name).__doc__
    assert all(f"{key} : " in documented for key in constructor.parameters)


def test_the_written_files_follow_the_catalog() -> None:
    for path, text in write_methods.texts().items():
        fresh = "run python -m multibody.model.write_methods after a change of the catalog"
        assert path.read_text(encoding="utf-8") == text, fresh


def test_all_constructors_are_public_names() -> None:
    from multibody.model import constructors

    assert set(constructors.__all__) <= set(mb.__all__) and set(constructors.__all__) <= set(dir(mb))
    assert all(getattr(mb, name) is getattr(constructors, name) for name in constructors.__all__)


def test_all_functions_are_known_to_type_checkers() -> None:
    from multibody.model.expressions import public

    assert set(public.__all__) == set(mb._FUNCTIONS), "expressions/public.py lists what _FUNCTIONS of the package does"


def test_body_shows_its_orientations() -> None:
    names = list(inspect.signature(mb.Model.body).parameters)
    assert names[-8:] == ["angle", "x", "z", "quaternion", "rotvec", "rpy", "euler", "rotation"]


def test_the_first_axis_given_is_kept() -> None:
    models = [mb.Model("a"), mb.Model("b")]
    models[0].body("b", x=(1, 1, 0), z=(0, 1, 1))
    models[1].body("b", z=(0, 1, 1), x=(1, 1, 0))
    forms = [model.bodies["b"].orientation for model in models]
    assert [[letter for letter, _ in form.numbers] for form in forms if form] == [["x", "z"], ["z", "x"]]


@pytest.mark.parametrize("method", ["parameter", "table", "body", "output", "event", "revolute", "spring"])
def test_a_name_is_called_name(method: str) -> None:
    assert list(inspect.signature(getattr(mb.Model, method)).parameters)[1] == "name"


def test_no_public_verb_takes_just_anything() -> None:
    anything = {"set", "frames", "joint", "load"}  # parameters, frames and fields by their own names
    owners = [mb.Model, mb.Run, mb.State, mb.Robot, mb.Simulator]
    for owner in owners:
        for name, member in inspect.getmembers(owner, inspect.isfunction):
            if not name.startswith("_") and name not in anything:
                kinds = [p.kind for p in inspect.signature(member).parameters.values()]
                assert inspect.Parameter.VAR_KEYWORD not in kinds, f"{owner.__name__}.{name}"
