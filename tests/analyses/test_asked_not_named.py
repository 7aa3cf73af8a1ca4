"""Formulations and integrators are asked for what they can do, never for their names: a new one needs no change elsewhere."""

import ast
import importlib
import pathlib
import pkgutil

import pytest

import multibody
from multibody.analyses.members.batches import BATCHES
from multibody.formulations import FORMULATIONS, formulation, of_bodies, of_joints, spaces
from multibody.integrators import INTEGRATORS, OPTIONAL

ROOT = pathlib.Path(multibody.__file__).parent
ROOMS = ("analyses", "cli", "results", "view", "study", "learn", "specialize")
FILES = [file for room in ROOMS for file in sorted((ROOT / room).rglob("*.py"))]
SPACES = [importlib.import_module(f"{spaces.__name__}.{found.name}") for found in pkgutil.iter_modules(spaces.__path__)]
FAMILIES = {  # formulations, the coordinates that they work in, and what serves members in these
    name
    for module in (formulation, of_bodies, of_joints, *SPACES)
    for name, kind in vars(module).items()
    if isinstance(kind, type) and kind.__module__ == module.__name__ and name not in ("Expanded", "Along")
} | {batch.__name__ for batch in BATCHES.values()}
KINDS = {kind.__name__ for kind in (*FORMULATIONS.values(), *INTEGRATORS.values(), *OPTIONAL.values())} | FAMILIES
OF_FORMULATIONS = {"relative", "pairs"}  # which kind of coordinates a formulation has
ASKED = {  # what `auto` takes, and in which part of the cache kernels are made ahead
    ("analyses/dynamics/choice.py", "pairs"), ("cli/warm.py", "relative"),
}  # fmt: skip
OTHERS = {  # that have the same name and are none of a formulation: numbers of a balance, joints of a model
    ("analyses/statics/statics.py", "relative"), ("view/report/assemble.py", "relative"), ("results/run.py", "relative"),
}  # fmt: skip
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


def last_name(node: ast.AST) -> str:
    """Return the last word of ``a.b.c``, of a call or of an element too."""
    while isinstance(node, ast.Call | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def asks_the_kind(node: ast.AST) -> str:
    """Return the attribute by which a part of a source asks which kind of coordinates there is, nothing where none does."""
    if isinstance(node, ast.Attribute) and node.attr in OF_FORMULATIONS and last_name(node.value) not in ("tables", "model"):
        return node.attr
    owned = node.value if isinstance(node, ast.Attribute) else node.args[0] if is_getattr(node) else None  # type: ignore[attr-defined]
    if owned is not None and last_name(owned) in ("space", "formulation"):
        name = node.attr if isinstance(node, ast.Attribute) else "getattr"
        return name if name == "getattr" or (name.startswith("_") and not name.startswith("__")) else ""
    return ""


def is_getattr(node: ast.AST) -> bool:
    """Return whether a part of a source looks for an attribute that may be missing."""
    asks = isinstance(node, ast.Call) and last_name(node.func) in ("getattr", "hasattr") and len(node.args) > 1
    return asks and isinstance(node.args[1], ast.Constant)  # type: ignore[attr-defined]


def chosen_by_name(node: ast.AST) -> bool:
    """Return whether a part of a source returns the name of a method, or one of two."""
    held = [node.value] if isinstance(node, ast.Return) else [node.body, node.orelse] if isinstance(node, ast.IfExp) else []
    parts = [side for part in held for side in ([part.body, part.orelse] if isinstance(part, ast.IfExp) else [part])]
    return any(isinstance(part, ast.Constant) and isinstance(part.value, str) and part.value in NAMES for part in parts)


@pytest.mark.parametrize("room", ROOMS)
def test_no_room_tests_formulations_or_integrators_by_name(room: str) -> None:
    found = [
        f"{file.relative_to(ROOT)}:{node.lineno}"
        for file in FILES
        if file.is_relative_to(ROOT / room)
        for known in [vars(importlib.import_module(".".join(("multibody", *file.relative_to(ROOT).with_suffix("").parts))))]
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if named(node, known) or chosen_by_name(node)
    ]
    assert not found


@pytest.mark.parametrize("room", ROOMS)
def test_no_room_asks_which_kind_of_coordinates_there_is(room: str) -> None:
    found = [
        (str(file.relative_to(ROOT)), asks_the_kind(node), node.lineno)
        for file in FILES
        if file.is_relative_to(ROOT / room)
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if asks_the_kind(node)
    ]
    assert not [item for item in found if item[:2] not in ASKED | OTHERS]
    assert {item for item in ASKED | OTHERS if item[0].startswith(f"{room}/")} <= {item[:2] for item in found}


def test_a_question_for_the_kind_of_coordinates_is_found() -> None:
    for text, expected in (
        ("if self.choice.formulation.relative: pass", "relative"), ("x = chosen.pairs or y", "pairs"),
        ("a = getattr(simulation.space, 'columns', None)", "getattr"), ("self.space._unknown(1)", "_unknown"),
        ("tables.pairs[name]", ""), ("space.free", ""), ("self.space = made", ""),
    ):  # fmt: skip
        assert "".join(asks_the_kind(node) for node in ast.walk(ast.parse(text))) == expected, text
    for text in ("isinstance(room, JointBatch)", "isinstance(x.space, JointSpace)", "isinstance(formulation, OfJoints)"):
        assert any(named(node, {}) for node in ast.walk(ast.parse(text))), text
    assert any(chosen_by_name(node) for node in ast.walk(ast.parse("def f(x):\n    return 'auto' if x else 'recursive'")))


def test_a_name_behind_a_constant_is_found() -> None:
    known = {"METHOD": "rk4", "SERVED": ("dop853", "bdf"), "WIDE": 3}
    for text, expected in (("x.name == METHOD", 1), ("x.name in SERVED", 1), ("x == 'kane'", 1), ("x == WIDE", 0)):
        assert any(named(node, known) for node in ast.walk(ast.parse(text))) == bool(expected)
