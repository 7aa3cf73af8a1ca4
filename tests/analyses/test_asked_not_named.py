"""Formulations and integrators are asked for what they can do, never for their names: a new one needs no change elsewhere."""

import ast
import importlib
import pathlib

import pytest

import multibody
from multibody.formulations import FORMULATIONS
from multibody.integrators import INTEGRATORS, OPTIONAL

ROOT = pathlib.Path(multibody.__file__).parent
FILES = [file for room in ("analyses", "cli", "results", "view") for file in sorted((ROOT / room).rglob("*.py"))]
KINDS = {kind.__name__ for kind in (*FORMULATIONS.values(), *INTEGRATORS.values(), *OPTIONAL.values())}
NAMES = {*FORMULATIONS, *INTEGRATORS, *OPTIONAL} - {"alpha"}  # alpha is a color's too


def means_names(part: ast.AST, known: dict[str, object]) -> bool:
    """Return whether a part of a test is the name of a method, or a constant that holds some."""
    value = part.value if isinstance(part, ast.Constant) else known.get(part.id) if isinstance(part, ast.Name) else None
    held = value if isinstance(value, tuple | list | set | frozenset) else (value,)
    return any(isinstance(each, str) and each in NAMES for each in held)


def named(node: ast.AST, known: dict[str, object]) -> bool:
    """Return whether a test in the source names a formulation or an integrator; `known` is what the module knows."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("isinstance", "issubclass"):
        return any(isinstance(part, ast.Name) and part.id in KINDS for part in ast.walk(node.args[1]))
    if isinstance(node, ast.Compare):
        sides = [part for side in (node.left, *node.comparators) for part in ast.walk(side)]
        return any(means_names(part, known) for part in sides)
    return False


@pytest.mark.parametrize("room", ["analyses", "cli", "results", "view"])
def test_no_room_tests_formulations_or_integrators_by_name(room: str) -> None:
    found = [
        f"{file.relative_to(ROOT)}:{node.lineno}"
        for file in FILES
        if file.is_relative_to(ROOT / room)
        for known in [vars(importlib.import_module(".".join(("multibody", *file.relative_to(ROOT).with_suffix("").parts))))]
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if named(node, known)
    ]
    assert not found


def test_a_name_behind_a_constant_is_found() -> None:
    known = {"METHOD": "rk4", "SERVED": ("dop853", "bdf"), "WIDE": 3}
    for text, expected in (("x.name == METHOD", 1), ("x.name in SERVED", 1), ("x == 'kane'", 1), ("x == WIDE", 0)):
        assert any(named(node, known) for node in ast.walk(ast.parse(text))) == bool(expected)
