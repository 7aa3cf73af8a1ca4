"""The picture of the house, its tables and the contributors' guide name every room that there is."""

from __future__ import annotations

import pathlib

import pytest

ROOT = pathlib.Path(__file__).parents[2]
ROOMS = sorted(p.parent.name for p in (ROOT / "src" / "multibody").glob("*/__init__.py"))
INNER = sorted(p.parent.name for p in (ROOT / "src" / "multibody" / "kernels").glob("*/__init__.py"))


@pytest.mark.parametrize("page", ["docs/theory/house.svg", "docs/theory/design.md", "CONTRIBUTING.md"])
def test_every_room_is_named(page: str) -> None:
    """A room that is new joins the picture and both tables."""
    text = (ROOT / page).read_text(encoding="utf-8")
    assert len(ROOMS) > 15 and [room for room in ROOMS if f"{room}/" not in text] == []


def test_the_picture_has_what_is_inside_the_kernels() -> None:
    """Rooms of kernels stand in their box."""
    text = (ROOT / "docs/theory/house.svg").read_text(encoding="utf-8")
    assert len(INNER) > 5 and [room for room in INNER if f"{room}/" not in text] == []
