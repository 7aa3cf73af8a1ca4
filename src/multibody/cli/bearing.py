"""`multibody bearing`: the life of a bearing in a joint."""

from __future__ import annotations

from typing import Annotated

import typer

from multibody.cli.app import app
from multibody.cli.moved import SourceArgument, moved, require_instants, source_of
from multibody.cli.options import JsonOption, OutputStepOption, RtolOption, SetOption, option, read_time
from multibody.cli.output import Page, print_json
from multibody.cli.pictures import finish


@app.command()
def bearing(
    model: SourceArgument,
    joint: Annotated[str, typer.Option("--joint", metavar="A", help="A revolute, cylindrical or screw joint.")],
    rating: Annotated[float, typer.Option("--rating", metavar="C", help="Dynamic load rating, in the model's unit of force.")],
    kind: Annotated[str, typer.Option("--kind", metavar="KIND", help="ball or roller.")] = "ball",
    X: Annotated[float, typer.Option("--x-factor", metavar="X", help="Factor of the radial force.")] = 1.0,
    Y: Annotated[float, typer.Option("--y-factor", metavar="Y", help="Factor of the axial force.")] = 0.0,
    e: Annotated[float | None, typer.Option("--e", metavar="E", help="Axial over radial force that is neglected.")] = None,
    share: Annotated[float, typer.Option("--share", metavar="S", help="Part of the force that this bearing takes.")] = 1.0,
    until: Annotated[str | None, option("run", "until", "T")] = None,
    rtol: RtolOption = None,
    output_step: OutputStepOption = None,
    settings: SetOption = None,
    json: JsonOption = False,
) -> None:
    """Move the model and print the basic rating life L10 of a bearing in a joint, in revolutions and hours."""
    from multibody.results.bearing import check_bearing

    loaded, saved = source_of(model, settings, until)
    check_bearing(loaded, joint, rating, kind, X, Y, e, share)
    how = {"rtol": rtol, "output_step": read_time(loaded, output_step, "--output-step")}
    run = saved or moved(loaded, until, how, quiet=json)
    require_instants(run)
    found = run.bearing(joint, rating, kind, X=X, Y=Y, e=e, share=share)
    if json:
        print_json({"model": loaded.name, **found.plain()})
    else:
        Page().line(str(found))
    finish(run.ok)
