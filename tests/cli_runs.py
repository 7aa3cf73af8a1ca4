"""Verbs of the command line as a test calls them."""

from __future__ import annotations

import json
from typing import Any

from typer.testing import CliRunner

from multibody.cli.app import app


def run(*arguments: str) -> tuple[int, str, str]:
    """Return exit status, stdout and stderr."""
    result = CliRunner().invoke(app, list(arguments), prog_name="multibody")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


def run_json(*arguments: str, status: int = 0) -> dict[str, Any]:
    """Return the one JSON object that a verb prints, strictly read."""

    def refuse(text: str) -> float:
        raise AssertionError(f"{text} is no JSON")

    code, out, err = run(*arguments, "--json")
    assert (code, err) == (status, "")
    found: dict[str, Any] = json.loads(out, parse_constant=refuse)
    assert isinstance(found, dict)
    return found
