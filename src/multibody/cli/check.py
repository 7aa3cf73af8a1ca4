"""`multibody check`: what a mechanism is before it moves."""

from __future__ import annotations

import typer

from multibody.cli.app import app
from multibody.cli.options import CutOption, JsonOption, ModelArgument, SetOption, announce_compilation, load_model, read_names
from multibody.cli.output import print_json


@app.command()
def check(model: ModelArgument, cut: CutOption = None, settings: SetOption = None, json: JsonOption = False) -> None:
    """Count and judge: mobility, rank, redundant equations by name, unique reactions, singularity, loops, the tree."""
    loaded = load_model(model, settings)
    announce_compilation("rows.row_jacobian")
    report = loaded.check(cut=read_names(cut, "--cut"))
    if json:
        print_json(report.plain())
    else:
        typer.echo(str(report))
