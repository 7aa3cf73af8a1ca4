"""`multibody check`: what a mechanism is before it moves."""

from __future__ import annotations

import typer

from multibody.cli.app import app
from multibody.cli.options import (
    PAGES,
    CutOption,
    ForceOption,
    JsonOption,
    ModelArgument,
    OutOption,
    SetOption,
    announce_compilation,
    check_endings,
    load_model,
    read_names,
)
from multibody.cli.output import print_json
from multibody.cli.pictures import finish, write_each


@app.command()
def check(
    model: ModelArgument,
    cut: CutOption = None,
    out: OutOption = None,
    force: ForceOption = False,
    settings: SetOption = None,
    json: JsonOption = False,
) -> None:
    """Count and judge: mobility, rank, redundant equations by name, unique reactions, singularity, loops, the tree.

    --out plays the freedoms that the joints leave, each as a small motion (.html).
    """
    loaded = load_model(model, settings)
    check_endings(out or [], PAGES, loaded._files, force=force)
    announce_compilation("rows.row_jacobian")
    report = loaded.check(cut=read_names(cut, "--cut"))
    written, failures = write_each(out or [], lambda file: loaded.wiggle().page(file, force=True))
    if json:
        print_json(report.plain())
    else:
        typer.echo(str(report))
        for file in written:
            typer.echo(f"written: {file}")
    finish(True, failures)
