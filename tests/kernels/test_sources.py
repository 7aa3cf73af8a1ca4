"""The hash of a room covers everything that its functions are compiled from: the imports of their modules are followed."""

from __future__ import annotations

import ast
import functools
import pathlib
from collections.abc import Iterator

import pytest

from multibody.kernels import compile as compiling

PACKAGE = pathlib.Path(compiling.__file__).parents[1]
COMPILED = ("kernels", "formulations", "integrators", "specialize")  # nothing else holds functions or memory of kernels
APART = "kernels/cache/"  # says where machine code lies, not what it is
DECORATORS = {"kernel", "inlined", "inner_kernel", "shared_kernel", "shared_in_space"}


@functools.cache
def _tree(path: pathlib.Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _file_of(module: str) -> pathlib.Path | None:
    """Return the file of one of our modules."""
    place = PACKAGE.joinpath(*module.split(".")[1:])
    found = (place.with_suffix(".py"), place / "__init__.py")
    return next((path for path in found if path.exists()), None) if module.split(".")[0] == "multibody" else None


def _imported(path: pathlib.Path) -> Iterator[pathlib.Path]:
    """Yield the files of ours that a file imports at its top."""
    for node in _tree(path).body:
        names = [each.name for each in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{each.name}" for each in node.names]
            names = [name if _file_of(name) else node.module for name in names]
        yield from (path for path in map(_file_of, names) if path is not None)


def _holds_kernels(path: pathlib.Path) -> bool:
    """Return whether functions of a file are compiled."""
    functions = (node for node in _tree(path).body if isinstance(node, ast.FunctionDef))
    return any(isinstance(mark, ast.Name) and mark.id in DECORATORS for each in functions for mark in each.decorator_list)


def _kernel_files() -> list[pathlib.Path]:
    return [path for top in COMPILED for path in (PACKAGE / top).rglob("*.py") if _holds_kernels(path)]


def _room(path: pathlib.Path) -> str:
    return compiling._room(".".join(("multibody", *path.relative_to(PACKAGE).with_suffix("").parts)))


def missing(room: str) -> list[str]:
    """Return what the modules of a room import, directly or not, and its hash leaves out."""
    patterns = compiling._SOURCES[room]
    covered = {path for pattern in patterns for path in PACKAGE.glob(pattern)}
    waiting = [path for path in _kernel_files() if _room(path) == room]
    assert waiting, f"no kernels in {room}"
    seen = set(waiting)
    while waiting:
        for path in _imported(waiting.pop()):
            if path not in seen:
                seen.add(path)
                waiting.append(path)
    names = (path.relative_to(PACKAGE).as_posix() for path in seen - covered)
    return sorted(name for name in names if name.split("/")[0] in COMPILED and not name.startswith(APART))


@pytest.mark.parametrize("room", compiling._SOURCES)
def test_the_hash_of_a_room_covers_what_its_functions_are_compiled_from(room: str) -> None:
    assert missing(room) == []


def test_every_room_that_holds_kernels_has_a_hash() -> None:
    assert {_room(path) for path in _kernel_files()} == set(compiling._SOURCES)


def test_a_source_that_is_left_out_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    left = {**compiling._SOURCES, "integrators": ("integrators/*.py",), "kernels": ("kernels/*.py", "kernels/memory/*.py")}
    monkeypatch.setattr(compiling, "_SOURCES", left)
    assert {"kernels/acceptance.py", "kernels/memory/declaration.py"} <= set(missing("integrators"))
    assert "kernels/newton/declared.py" in missing("kernels")
