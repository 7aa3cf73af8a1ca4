"""`multibody loads`: what joints, drives and forces carry over a motion."""

from __future__ import annotations

from typing import Annotated

import typer

from multibody.cli.app import app
from multibody.cli.moved import SourceArgument, moved, require_instants, source_of
from multibody.cli.options import (
    AtolOption,
    ForceOption,
    FormulationOption,
    IntegratorOption,
    JsonOption,
    OutOption,
    OutputStepOption,
    RtolOption,
    SetOption,
    StepOption,
    UnitsOption,
    check_endings,
    option,
    read_names,
    read_units,
    run_options,
)
from multibody.cli.output import Page, print_json
from multibody.cli.pictures import finish, write_each

ENDINGS = (".csv", ".json", ".nc")


@app.command()
def loads(
    model: SourceArgument,
    until: Annotated[str | None, option("run", "until", "T")] = None,
    joints: Annotated[str | None, option("reactions", "joints", "A,B")] = None,
    axes: Annotated[str, typer.Option("--axes", metavar="AXES", help="Axes of components: ground, body or joint.")] = "ground",
    refine: Annotated[bool, typer.Option("--refine", help="Seek peaks between the instants too.")] = False,
    formulation: FormulationOption = None,
    integrator: IntegratorOption = None,
    rtol: RtolOption = None,
    atol: AtolOption = None,
    step: StepOption = None,
    output_step: OutputStepOption = None,
    out: OutOption = None,
    force: ForceOption = False,
    settings: SetOption = None,
    units: UnitsOption = None,
    json: JsonOption = False,
) -> None:
    """Move the model and print what joints, drives and forces carry: peak, when, in which direction, mean, unique or not.

    --out writes the table (.csv, .nc) or what --json prints (.json).
    """
    from multibody.results.load_table import check_asked

    chosen = read_units(units)
    loaded, saved = source_of(model, settings, until)
    files, names = list(out or []), read_names(joints, "--joints")
    check_endings(files, ENDINGS, loaded._files, force=force)
    check_asked(loaded, names, axes)
    run = saved or moved(loaded, until, run_options(loaded, formulation, integrator, rtol, atol, step, output_step), quiet=json)
    require_instants(run)
    found = run.loads(names, axes=axes, refine=refine)
    written, failures = write_each(files, lambda file: found.save(file, chosen))
    if json:
        print_json(found.plain(chosen))
    else:
        page = Page()
        page.line(found.in_units(chosen).text())
        for file in written:
            page.line(f"written: {file}")
    finish(run.ok, failures)
