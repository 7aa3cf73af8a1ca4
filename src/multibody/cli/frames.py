"""`multibody frames`: what a file of a solid offers a body: volume, center, inertia, and frames on its cylinders."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from multibody.cli.app import app
from multibody.cli.options import JsonOption
from multibody.cli.output import Page, print_json, table

if TYPE_CHECKING:
    from multibody.cad.part import Part

FileArgument = Annotated[str, typer.Argument(metavar="FILE", help="A .step, .stp, .stl, .obj or .glb file of a solid.")]


@app.command()
def frames(file: FileArgument, json: JsonOption = False) -> None:
    """Print volume, center and inertia of the solids of a file, and the frames on the axes of its cylinders (STEP)."""
    from multibody.cad.part import read_part

    part = read_part(file)
    if json:
        print_json(part.plain())
        return
    page = Page()
    for line in _lines(part):
        page.line(line)
    if part.cylinders:
        made = table("frames", [("name", "left"), ("at", "left"), ("z axis", "left"), ("radius", "right"), ("length", "right")])
        for name, cylinder in part.cylinders.items():
            at, axis = _vector(cylinder.at), _vector(cylinder.axis)
            made.add_row(name, at, axis, f"{cylinder.radius:.6g}", f"{cylinder.length:.6g}")
        page.table(made)
    else:
        page.line("no frames: " + ("it has no cylinders" if part.stated else "only STEP files know their cylinders"))


def _lines(part: Part) -> list[str]:
    """Return the mass properties for people, at density 1."""
    unit = {None: "the file's unit", 1.0: "m", 1e-3: "mm"}[part.unit]
    rows = ", ".join(_vector(row) for row in part.inertia.tolist())
    return [
        f"{part.file}: {part.solids} solid{'s' if part.solids != 1 else ''}, lengths in {unit}",
        f"volume {part.volume:.9g}",
        f"center {_vector(part.center.tolist())}",
        f"inertia of density 1 about it [{rows}]",
    ]


def _vector(numbers: tuple[float, ...] | list[float]) -> str:
    return "[" + ", ".join(f"{x:.6g}" for x in numbers) + "]"
