"""Formulations and integrators are asked for what they can do, never for their names: a new one needs no change elsewhere."""

import ast
import pathlib

import pytest

import multibody
from multibody.formulations import FORMULATIONS
from multibody.integrators import INTEGRATORS, OPTIONAL

ROOT = pathlib.Path(multibody.__file__).parent
FILES = [file for room in ("analyses", "cli", "results", "view") for file in sorted((ROOT / room).rglob("*.py"))]
KINDS = {kind.__name__ for kind in (*FORMULATIONS.values(), *INTEGRATORS.values(), *OPTIONAL.values())}
NAMES = {*FORMULATIONS, *INTEGRATORS, *OPTIONAL} - {"alpha"}  # alpha is a color's too


def named(node: ast.AST) -> bool:
    """Return whether a test in the source names a formulation or an integrator."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("isinstance", "issubclass"):
        return any(isinstance(part, ast.Name) and part.id in KINDS for part in ast.walk(node.args[1]))
    if isinstance(node, ast.Compare):
        sides = [part for side in (node.left, *node.comparators) for part in ast.walk(side)]
        return any(isinstance(part, ast.Constant) and part.value in NAMES for part in sides)
    return False


@pytest.mark.parametrize("room", ["analyses", "cli", "results", "view"])
def test_no_room_tests_formulations_or_integrators_by_name(room: str) -> None:
    found = [
        f"{file.relative_to(ROOT)}:{node.lineno}"
        for file in FILES
        if file.is_relative_to(ROOT / room)
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if named(node)
    ]
    assert not found
