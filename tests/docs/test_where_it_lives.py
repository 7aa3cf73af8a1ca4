"""The pages that say where things live name files and functions that exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "theory" / "where-it-lives.md"
DESIGN = PAGE.with_name("design.md").read_text(encoding="utf-8")
STEPS = re.findall(r"^\| \d+ \| (.*) \| `(.*)` \| .* \|$", DESIGN, re.MULTILINE)
ROWS = [line for line in PAGE.read_text(encoding="utf-8").split("\n") if line.startswith("| ") and "`" in line]


def defined(file: Path) -> set[str]:
    """Return what a file defines at its top, and the methods of its classes as ``Class.method``."""
    found = set()
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        if isinstance(node, ast.ClassDef):
            found |= {f"{node.name}.{part.name}" for part in node.body if isinstance(part, ast.FunctionDef)}
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)}
    return found


@pytest.mark.parametrize("row", ROWS, ids=[" ".join(row.split("|")[1:3]).strip() for row in ROWS])
def test_files_and_functions_exist(row: str) -> None:
    names, known, some = re.findall(r"`([^`]+)`", row.rsplit("|", 2)[1]), set[str](), False
    for name in names:
        if name.endswith(".py"):
            file = ROOT / name if name.startswith("tests/") else ROOT / "src" / "multibody" / name
            assert file.is_file(), name
            known, some = defined(file), True
        else:
            assert name in known, name
    assert some


@pytest.mark.parametrize(("functions", "name"), STEPS)
def test_steps_from_a_file_to_a_force_exist(functions: str, name: str) -> None:
    assert set(re.findall(r"`([^`]+)`", functions)) <= defined(ROOT / "src" / "multibody" / name)


def test_steps_are_as_many_as_the_page_says() -> None:
    assert f"These {len(STEPS)} steps" in DESIGN
