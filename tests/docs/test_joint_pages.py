"""The pages of the joints agree with the catalog: one for each kind, the same headings, the right counts and names."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from multibody.model.joints import KINDS, JointKind, Structure

PAGES = Path(__file__).resolve().parents[2] / "docs" / "reference" / "joints"
HEADINGS = [
    "In Python and YAML", "Frames", "Zero position", "Sign", "Coordinates", "Equations", "Validity",
    "Reactions and notes",
]  # fmt: skip


def page_of(kind: JointKind) -> str:
    """Return the text of a kind's page."""
    return (PAGES / f"{kind.name.replace('_', '-')}.md").read_text(encoding="utf-8")


def row_of(kind: JointKind) -> list[str]:
    """Return the cells of a kind's row in the table of all joints."""
    text = (PAGES / "index.md").read_text(encoding="utf-8")
    found = re.search(rf"^\| \[`{kind.name}`\].*$", text, re.MULTILINE)
    assert found is not None, f"{kind.name} is not in the table"
    return [cell.strip() for cell in found[0].strip("|").split("|")]


def removed(structure: Structure | None, kind: JointKind, dimension: int) -> str:
    """Return how many freedoms a kind removes; a cam has two rows and brings one coordinate."""
    if structure is None:
        return "–"
    rows = sum(dimension if basic[0] == "coincide" else 1 for basic in structure.rows)
    return str(rows + (1 if kind.relation else 0))


def test_there_is_a_page_for_every_kind_and_no_other() -> None:
    names = {path.stem.replace("-", "_") for path in PAGES.glob("*.md")} - {"index"}
    assert names == set(KINDS)


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_a_page_has_the_headings_and_the_fields(kind: JointKind) -> None:
    page = page_of(kind)
    assert re.findall(r"^## (.*)$", page, re.MULTILINE) == HEADINGS
    for field in kind.fields:
        assert kind.relation == "coupler" or f"`{field.name}`" in page


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_the_table_counts_as_the_catalog_does(kind: JointKind) -> None:
    _, planar, spatial, fields, coordinates = row_of(kind)
    assert planar == removed(kind.planar, kind, 2)
    assert spatial == removed(kind.spatial, kind, 3)
    for field in kind.fields:
        assert kind.relation == "coupler" or f"`{field.name}" in fields
    for structure in (kind.planar, kind.spatial):
        for name, _ in structure.coordinates + structure.readable if structure else ():
            assert f"`{name}`" in coordinates
