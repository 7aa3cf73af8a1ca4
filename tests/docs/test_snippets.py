"""Every snippet of the documentation and of the README runs, page by page, and prints what the page says that it prints.

* ``python`` blocks of a page are executed in order, in one namespace and in an empty directory.
* A ``text`` block that follows one directly is what it prints: numbers are compared to six digits, ``…`` stands for
  anything.
* Commands ``$ multibody …`` of ``console`` blocks are run too, and what stands below them is their output; other commands
  are not run. A ``json`` block that follows one is what its last command prints, in any layout.
* A ``yaml`` block with a title is written to a file of that name. One with the key ``name`` is a whole model: it is read
  and assembled, and where a snippet before it built a model of the same name, both are the same.
"""

from __future__ import annotations

import contextlib
import io
import json
import math
import re
import shlex
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import multibody as mb
from multibody.cli.app import app
from multibody.files.reader import read_text
from multibody.files.writer import model_to_plain
from multibody.model.expressions import ExpressionError, fold, parse

DOCS = Path(__file__).resolve().parents[2] / "docs"
FENCE = re.compile(r"^(?P<indent> *)```(?P<language>\w+)?(?: +title=\"(?P<title>[^\"]+)\")?[^\n]*$")
ANYTHING = "…"


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, title, text, first line, and whether it follows the block before it directly."""

    language: str
    title: str
    text: str
    line: int
    follows: bool


def blocks_of(page: Path) -> Iterator[Block]:
    """Yield the fenced blocks of a page."""
    lines = page.read_text(encoding="utf-8").split("\n")
    follows, k = False, 0
    while k < len(lines):
        opening = FENCE.match(lines[k])
        if opening is None:
            follows = follows and not lines[k].strip()
            k += 1
            continue
        indent = opening["indent"]
        last = next(n for n in range(k + 1, len(lines)) if lines[n] == f"{indent}```")
        text = "\n".join(line.removeprefix(indent) for line in lines[k + 1 : last]) + "\n"
        yield Block(opening["language"] or "", opening["title"] or "", text, k + 2, follows)
        follows, k = True, last + 1


def pages() -> list[str]:
    """Return the pages that hold something to run."""
    found = ["../README.md", *sorted(str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md"))]
    found = [name for name in found if not name.endswith(".ko.md")]  # the blocks of the originals: test_translations
    return [name for name in found if any(is_run(block) for block in blocks_of(DOCS / name))]


def is_run(block: Block) -> bool:
    """Return whether a block is executed or read."""
    text = block.text
    return block.language == "python" or (block.language in ("yaml", "console") and ("name:" in text or "$ multib" in text))


@pytest.mark.parametrize("name", pages())
def test_the_snippets_of_a_page_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, Any] = {"__name__": "snippet"}
    printed = ""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # runs that stop early on purpose
        for block in blocks_of(DOCS / name):
            place = f"docs/{name}:{block.line}"
            if block.language == "yaml":
                read(block, namespace)
            elif block.language == "python":
                printed = execute(block, name, namespace)
            elif block.language == "console":
                printed = type_in(block, place)
            elif block.language == "text" and block.follows and printed:
                compare(printed, block.text, place)
            elif block.language == "json" and block.follows and printed:
                assert alike(json.loads(printed), json.loads(block.text)), f"{place} differs from\n{printed}"
    close_figures()


def execute(block: Block, name: str, namespace: dict[str, Any]) -> str:
    """Run a block of Python so that a traceback names the line of the page; return what it printed."""
    stream = io.StringIO()
    code = compile("\n" * (block.line - 1) + block.text, str(DOCS / name), "exec")
    with contextlib.redirect_stdout(stream):
        exec(code, namespace)
    return stream.getvalue()


def type_in(block: Block, place: str) -> str:
    """Run the commands of a block and compare their output where it is shown; return that of the last one."""
    printed = ""
    for command, shown in re.findall(r"^\$ multibody (.*)\n((?:(?!\$ ).*\n)*)", block.text, re.MULTILINE):
        result = CliRunner().invoke(app, shlex.split(command, comments=True))
        printed = result.output
        if shown.strip():
            compare(printed, shown, place)
        else:
            assert result.exit_code == 0, f"{place}: {command}\n{printed}"
    return printed


def alike(found: Any, shown: Any) -> bool:
    """Return whether two JSON values are equal, numbers to six digits; the text ``…`` stands for anything."""
    if shown == ANYTHING:
        return True
    if isinstance(found, dict) and isinstance(shown, dict):
        return found.keys() == shown.keys() and all(alike(found[key], shown[key]) for key in shown)
    if isinstance(found, list) and isinstance(shown, list):
        return len(found) == len(shown) and all(alike(a, b) for a, b in zip(found, shown, strict=True))
    if isinstance(found, float) and isinstance(shown, float | int):
        return math.isclose(found, shown, rel_tol=1e-6, abs_tol=1e-9)
    return bool(found == shown)


def read(block: Block, namespace: dict[str, Any]) -> None:
    """Write a YAML block with a title to its file; read and assemble it if it is a model."""
    if block.title:
        Path(block.title).write_text(block.text, encoding="utf-8")
    if not re.search(r"^name:", block.text, re.MULTILINE):
        return
    model = read_text(block.text, block.title or "snippet.yaml", mb.Model)
    state = model.assemble()
    assert state.ok, state.status.message
    twins = [other for other in namespace.values() if isinstance(other, mb.Model) and other.name == model.name]
    if twins:
        assert folded(model_to_plain(model)) in [folded(model_to_plain(twin)) for twin in twins]


def folded(data: Any) -> Any:
    """Return plain data with the constants of its formulas worked out: Python knows ``90 * mb.deg`` as a number."""
    if isinstance(data, dict):
        return {key: folded(value) for key, value in data.items()}
    if isinstance(data, list):
        return [folded(value) for value in data]
    if isinstance(data, str):
        with contextlib.suppress(ExpressionError):
            data = fold(parse(data))
    return float(f"{data:.12g}") if isinstance(data, float | int) else str(data)


def compare(printed: str, shown: str, place: str) -> None:
    """Compare what was printed with what the page shows, number by number."""
    pattern = [line.split() for line in shown.strip().split("\n")]
    found = [line.split() for line in printed.strip().split("\n")]
    assert matches(found, pattern), f"{place} shows\n{shown}\nbut the snippet prints\n{printed}"


def matches(found: list[list[str]], pattern: list[list[str]]) -> bool:
    """Return whether the lines match; a line ``…`` stands for any number of lines."""
    for k, line in enumerate(pattern):
        if line == [ANYTHING]:
            return any(matches(found[n:], pattern[k + 1 :]) for n in range(k, len(found) + 1))
        if k >= len(found) or len(found[k]) != len(line):
            return False
        if not all(same(a, b) for a, b in zip(found[k], line, strict=True)):
            return False
    return len(found) == len(pattern)


def same(found: str, shown: str) -> bool:
    """Return whether two words are equal, or differ by numbers that are equal to six digits."""
    if found == shown or shown == ANYTHING:
        return True
    number = re.compile(r"[-+]?\d+\.?\d*(?:e[-+]?\d+)?")
    if number.sub("#", found) != number.sub("#", shown):
        return False
    pairs = zip(number.findall(found), number.findall(shown), strict=True)
    return all(math.isclose(float(a), float(b), rel_tol=1e-6, abs_tol=1e-9) for a, b in pairs)


def close_figures() -> None:
    """Close what a page has drawn."""
    import matplotlib.pyplot as plt

    plt.close("all")


def test_a_page_that_shows_something_else_is_found() -> None:
    compare("x = 1.0000000001 m\n", "x = 1.0 m\n", "here")
    compare("a\nb\nc 2.5\n", "a\n…\nc …\n", "here")
    for shown in ("x = 1.001 m\n", "x = 1.0 mm\n", "x = 1.0 m\nmore\n"):
        with pytest.raises(AssertionError, match="but the snippet prints"):
            compare("x = 1.0 m\n", shown, "here")
