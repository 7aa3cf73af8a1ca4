"""Every verb of the command line on a file, in this process: what it said, and whether that is an answer."""

from __future__ import annotations

import functools
import pathlib
import re
import traceback
from unittest.mock import patch

from typer.main import get_command
from typer.testing import CliRunner

from multibody.cli.app import app

VERBS: dict[str, tuple[str, ...]] = {
    "check": (),
    "assemble": (),
    "kinematics": ("--until", "0.1", "--steps", "4"),
    "run": ("--until", "0.01", "--output-step", "0.005"),
    "reactions": ("--at", "0"),
    "inverse": ("--until", "0.1", "--steps", "3"),
    "statics": (),
    "modes": (),
    "compare": ("--until", "0.005", "--repeats", "1", "--formulations", "augmented", "--integrators", "dop853"),
}

NOT_FINITE = re.compile(r"(?<![\w.\"'])[+-]?(nan|inf|Infinity)(?![\w\"'])", re.IGNORECASE)


made_once = functools.cache(get_command)  # the command line: making it costs as much as most verbs


def fault_of(verb: str, file: pathlib.Path) -> str:
    """Return what is wrong with the answer of a verb, "" if nothing is.

    Wrong are a traceback, a warning of Python, an error that is no sentence, and a success with a number that is not finite,
    the file having none.
    """
    with patch("typer.testing._get_command", made_once):
        result = CliRunner().invoke(app, [verb, str(file), *VERBS[verb]])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        return "".join(traceback.format_exception(result.exception)[-4:])
    if result.exit_code not in (0, 1, 2):
        return f"exit status {result.exit_code}"
    if result.exit_code == 2 and not result.stderr.startswith(("error: ", "Usage:")):
        return f"status 2 without an error: {result.stderr[:200]}"
    if "RuntimeWarning" in result.stderr:
        return f"a warning of Python: {result.stderr[:400]}"
    found = NOT_FINITE.search(result.stdout) if result.exit_code == 0 else None
    if found and not re.search("nan|inf", file.read_text(encoding="utf-8", errors="replace"), re.IGNORECASE):
        return f"an answer that is not finite: {result.stdout[max(found.start() - 200, 0) : found.end() + 50]}"
    return ""
