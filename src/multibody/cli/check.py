"""`multibody check`: what a mechanism is before it moves."""

from __future__ import annotations

import typer

from multibody.cli.app import app
from multibody.cli.groups import Files, Source, grouped
from multibody.cli.options import PAGES, CutOption, ModelArgument, announce_compilation, read_names
from multibody.cli.output import print_json
from multibody.cli.pictures import finish, write_each


@app.command()
@grouped
def check(model: ModelArgument, cut: CutOption = None, *, files: Files, source: Source) -> None:
    """Count and judge: mobility, rank, redundant equations by name, unique reactions, singularity, loops, the tree.

    --out plays the freedoms that the joints leave, each as a small motion (.html).
    """
    loaded = source.load(model)
    named = files.check(PAGES, loaded)
    announce_compilation("rows.row_jacobian")
    report = loaded.check(cut=read_names(cut, "--cut"))
    written, failures = write_each(named, lambda file: loaded.wiggle().page(file, force=True))
    if source.json:
        print_json(report.plain())
    else:
        typer.echo(str(report))
        for file in written:
            typer.echo(f"written: {file}")
    finish(True, failures)
