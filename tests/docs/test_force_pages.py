"""The pages of the forces agree with the catalog: one for each kind, the same headings, every field with its default."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from multibody.model.forces import KINDS, ForceKind

PAGES = Path(__file__).resolve().parents[2] / "docs" / "reference" / "forces"
HEADINGS = ["In Python and YAML", "Law", "Sign", "Energy", "Validity and notes"]
every_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)


def fields_of(page: str) -> dict[str, list[str]]:
    """Return the rows of the table of fields: name → cells behind it."""
    rows = {}
    for line in re.findall(r"^\| `.*$", page, re.MULTILINE):
        first, *rest = (cell.strip() for cell in line.strip("|").split("|"))
        rows |= {name: rest for name in re.findall(r"`(\w+)`", first)}
    return rows


def test_there_is_a_page_for_every_kind_and_no_other() -> None:
    assert {path.stem for path in PAGES.glob("*.md")} - {"index"} == set(KINDS)


@every_kind
def test_a_page_has_the_headings_and_the_fields(kind: ForceKind) -> None:
    page = (PAGES / f"{kind.name}.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (.*)$", page, re.MULTILINE) == HEADINGS
    rows = fields_of(page)
    assert list(rows) == [field.name for field in kind.fields]
    for field in kind.fields:
        default = rows[field.name][1]
        assert (default == "must be stated") == field.required
        if isinstance(field.default, float):
            assert default == f"{field.default:g}"
        if isinstance(field.default, str):
            assert default == f"`{field.default}`"


@every_kind
def test_the_table_of_all_forces_names_every_field(kind: ForceKind) -> None:
    text = (PAGES / "index.md").read_text(encoding="utf-8")
    found = re.search(rf"^\| \[`{kind.name}`\]\({kind.name}.md\) \|(.*)\|(.*)\|$", text, re.MULTILINE)
    assert found is not None, f"{kind.name} is not in the table"
    target = {"ends": "two ends", "end": "one end", "coordinate": "a coordinate"}[kind.target]
    assert found[1].strip() == target
    assert re.findall(r"`(\w+)`", found[2]) == [field.name for field in kind.fields]
