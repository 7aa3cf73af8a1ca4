"""`multibody loads`: what joints, drives and forces carry over a motion."""

from __future__ import annotations

from typing import Annotated

import typer

from multibody.cli.app import app
from multibody.cli.groups import Files, RunMethods, SourceInUnits, grouped
from multibody.cli.moved import SourceArgument, moved, require_instants, source_of
from multibody.cli.options import option, read_names, read_units
from multibody.cli.output import Page, print_json
from multibody.cli.pictures import finish, write_each

ENDINGS = (".csv", ".json", ".nc")


@app.command()
@grouped
def loads(
    model: SourceArgument,
    until: Annotated[str | None, option("run", "until", "T")] = None,
    joints: Annotated[str | None, option("reactions", "joints", "A,B")] = None,
    axes: Annotated[str, typer.Option("--axes", metavar="AXES", help="Axes of components: ground, body or joint.")] = "ground",
    refine: Annotated[bool, typer.Option("--refine", help="Seek peaks between the instants too.")] = False,
    *,
    methods: RunMethods,
    files: Files,
    source: SourceInUnits,
) -> None:
    """Move the model and print what joints, drives and forces carry: peak, when, in which direction, mean, unique or not.

    --out writes the table (.csv, .nc) or what --json prints (.json).
    """
    from multibody.results.load_table import check_asked

    chosen = read_units(source.units)
    loaded, saved = source_of(model, source.settings, until)
    named, names = files.check(ENDINGS, loaded), read_names(joints, "--joints")
    check_asked(loaded, names, axes)
    run = saved or moved(loaded, until, methods.read(loaded), quiet=source.json)
    require_instants(run)
    found = run.loads(names, axes=axes, refine=refine)
    written, failures = write_each(named, lambda file: found.save(file, chosen))
    if source.json:
        print_json(found.plain(chosen))
    else:
        page = Page()
        page.line(found.in_units(chosen).text())
        page.files(written)
    finish(run.ok, failures)
