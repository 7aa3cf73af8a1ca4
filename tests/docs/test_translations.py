"""A translated page says the same as its original: the same blocks, the same pictures and the same number of headings.

Blocks are compared without their comments, which are translated too. What the original's blocks do is tested with it.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FENCED = re.compile(r"^```(.*?)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TRANSLATED = sorted(str(path.relative_to(ROOT)) for path in [*ROOT.glob("*.ko.md"), *(ROOT / "docs").rglob("*.ko.md")])


def blocks(text: str) -> list[tuple[str, list[str]]]:
    """Return the language line of every block and its lines without comments."""
    return [(language, [re.sub(r"\s+#.*$", "", line) for line in body.splitlines()]) for language, body in FENCED.findall(text)]


def prose(text: str) -> str:
    """Return a page without its blocks."""
    return FENCED.sub("", text)


def test_readme_and_first_tutorial_are_there_in_korean() -> None:
    assert TRANSLATED == ["README.ko.md", "docs/tutorial/first-mechanism.ko.md"]


@pytest.mark.parametrize("name", TRANSLATED)
def test_a_translation_has_the_blocks_and_pictures_of_its_original(name: str) -> None:
    page = (ROOT / name).read_text(encoding="utf-8")
    original = (ROOT / name.replace(".ko.md", ".md")).read_text(encoding="utf-8")
    assert blocks(page) == blocks(original)
    pictures = [re.findall(r"!\[[^\]]+\]\(([^)]+)\)", prose(text)) for text in (page, original)]
    assert pictures[0] == pictures[1]
    assert len(re.findall(r"[가-힣]", prose(page))) > 1000
