"""The oldest releases that are promised are the ones that are tried."""

from __future__ import annotations

import pathlib
import re
import tomllib

ROOT = pathlib.Path(__file__).parent.parent


def promised() -> dict[str, str]:
    """Return the lower bound of every package that the program itself needs, optional ones too."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    found = {}
    for text in (*project["dependencies"], *(text for name in ("netcdf", "parquet", "mesh", "video") for text in extras[name])):
        name, version = re.fullmatch(r"([\w-]+)>=([\d.]+)(?:,<[\d.]+)?", text.split(" ")[0]).groups()  # type: ignore[union-attr]
        found[name] = version
    return found


def test_the_minima_are_those_that_are_tried() -> None:
    lines = [line for line in (ROOT / ".ci" / "minima").read_text().splitlines() if line and not line.startswith("#")]
    tried = dict(line.split("==") for line in lines)
    bounds = promised()
    assert set(tried) == set(bounds)
    for name, version in tried.items():
        padded = [*bounds[name].split("."), "0", "0"]
        assert version.split(".") == padded[: len(version.split("."))], name
