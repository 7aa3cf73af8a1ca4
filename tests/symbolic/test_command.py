"""`multibody equations`: what it prints and writes, and what it refuses in one sentence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from multibody.cli.app import app

pytest.importorskip("sympy", minversion="1.13")


def run(*words: str) -> tuple[int, str]:
    """Return exit status and output of the command."""
    result = CliRunner().invoke(app, ["equations", *words])
    return result.exit_code, result.output


def test_each_form_is_printed() -> None:
    for words, part in (((), "minimal equations"), (("--latex",), r"\begin{aligned}"), (("--python",), "def minimal_mass"),
                        (("--c",), "void phi_q(")):  # fmt: skip
        status, text = run("double-pendulum", *words)
        assert status == 0 and part in text
    status, text = run("double-pendulum", "--json", "--angles", "bodies")
    assert status == 0 and json.loads(text)["minimal"]["u"] == ["thetadot_link1", "thetadot_link2"]


def test_the_ending_says_what_is_written(tmp_path: Path) -> None:
    for name, part in (("a.c", "#include <math.h>"), ("a.py", "import math"), ("a.tex", "aligned"), ("a.json", "Phi_q")):
        status, text = run("pendulum", "-o", str(tmp_path / name))
        assert status == 0 and "written" in text and part in (tmp_path / name).read_text()
    status, text = run("pendulum", "-o", str(tmp_path / "a.c"))
    assert status == 2 and "exists" in text


@pytest.mark.parametrize(
    ("words", "part"),
    [(("--c", "--latex"), "both given"), (("-o", "a.xyz"), "ending"), (("--angles", "x"), "joints or bodies"),
     (("--independent", "nobody"), "nobody")],
)  # fmt: skip
def test_bad_input_is_one_sentence(words: tuple[str, ...], part: str) -> None:
    status, text = run("slider-crank", *words)
    assert status == 2 and part in text and "Traceback" not in text and len(text.strip().splitlines()) <= 2
