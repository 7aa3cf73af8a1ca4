"""`multibody convert`: a model or a robot in another format."""

from __future__ import annotations

import pathlib
from typing import Annotated

import typer

from multibody.cli.app import app
from multibody.cli.options import ForceOption, ModelArgument, SetOption, check_endings, load_model

ENDINGS = (".yaml", ".yml", ".json", ".urdf")


def _option(flag: str, metavar: str, text: str) -> object:
    """Return an option that is passed on to the reader of robots as ``--set`` is."""
    return typer.Option(flag, metavar=metavar, help=f"Of a robot file: {text}")


@app.command()
def convert(
    model: ModelArgument,
    out: Annotated[pathlib.Path, typer.Argument(metavar="OUT", help="Written: .yaml, .json, or .urdf where it is a tree.")],
    base: Annotated[str | None, _option("--base", "WORD", "file, fixed or floating.")] = None,
    fixed: Annotated[str | None, _option("--fixed", "WORD", "keep or merge links behind fixed joints.")] = None,
    inertias: Annotated[
        str | None, _option("--inertias", "WORD", "refuse, shapes or massless, where they are missing or impossible.")
    ] = None,
    density: Annotated[float | None, _option("--density", "D", "for --inertias shapes [kg/m³].")] = None,
    limits: Annotated[str | None, _option("--limits", "WORD", "stops or none.")] = None,
    packages: Annotated[str | None, _option("--packages", "NAME:FOLDER,...", "where package:// leads.")] = None,
    loops: Annotated[str | None, _option("--loops", "FILE", "a YAML file with the loops of a URDF.")] = None,
    settings: SetOption = None,
    force: ForceOption = False,
) -> None:
    """Write a model or a robot in another format: to YAML or JSON always, to URDF where it is a tree."""
    given = {
        "base": base, "fixed": fixed, "inertias": inertias, "density": density, "limits": limits, "packages": packages,
        "loops": loops,
    }  # fmt: skip
    told = {name: value for name, value in given.items() if value is not None}
    loaded = load_model(model, settings, told)
    check_endings([out], ENDINGS, loaded._files, force=force)
    loaded.save(str(out))
    typer.echo(f"written: {out}")
