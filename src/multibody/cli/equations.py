"""`multibody equations`: the equations of a model on paper, or as code."""

from __future__ import annotations

import pathlib
from typing import TYPE_CHECKING, Annotated

import typer

from multibody._target import check_free, check_target, write_whole
from multibody.cli.app import app
from multibody.cli.options import CutOption, ForceOption, JsonOption, ModelArgument, SetOption, load_model, read_names
from multibody.cli.output import print_json
from multibody.errors import ModelError

if TYPE_CHECKING:
    from multibody.symbolic.equations import Equations

FORMS = {".tex": "latex", ".py": "python", ".c": "c", ".json": "json", ".txt": "txt"}


@app.command()
def equations(
    model: ModelArgument,
    latex: Annotated[bool, typer.Option("--latex", help="Print LaTeX.")] = False,
    python: Annotated[bool, typer.Option("--python", help="Print Python functions that need math alone.")] = False,
    c: Annotated[bool, typer.Option("--c", help="Print C functions that need math.h alone.")] = False,
    file: Annotated[
        pathlib.Path | None, typer.Option("--out", "-o", metavar="FILE", help="Write a file: .tex, .py, .c, .txt or .json.")
    ] = None,
    minimal: Annotated[bool, typer.Option("--minimal/--no-minimal", help="Whether minimal equations are made.")] = True,
    angles: Annotated[
        str | None, typer.Option("--angles", metavar="KIND", help="Of minimal equations in the plane: joints or bodies.")
    ] = None,
    independent: Annotated[
        str | None, typer.Option("--independent", metavar="A,B", help="Joints or bodies whose coordinates are independent.")
    ] = None,
    cut: CutOption = None,
    force: ForceOption = False,
    settings: SetOption = None,
    json: JsonOption = False,
) -> None:
    """Print q, Φ, Φ_q, γ, M, Q and minimal equations of motion with the user's names; parameters stay symbols.

    They are compared with the compiled kernels at random states first.
    """
    form = _form({"latex": latex, "python": python, "c": c, "json": json}, file)
    loaded = load_model(model, settings)
    if file is not None:
        check_target(file, (), loaded._files)
        check_free(file, force)
    if angles not in (None, "joints", "bodies"):
        raise ModelError(f'"{angles}" is not known', where="--angles", hint="write joints or bodies")
    names = {"cut": read_names(cut, "--cut"), "independent": read_names(independent, "--independent")}
    found = loaded.equations(minimal=minimal, angles=angles, **names)  # type: ignore[arg-type]
    if file is not None:
        write_whole(file, _text(found, form).encode())
        typer.echo(f"written: {file}")
    elif form == "json":
        print_json(found.plain())
    else:
        typer.echo(_text(found, form), nl=form == "txt")


def _form(flags: dict[str, bool], file: pathlib.Path | None) -> str:
    """Return what is written: as a flag says, else the ending of the file, else text."""
    given = [name for name, on in flags.items() if on]
    if len(given) > 1:
        raise ModelError(f"--{given[0]} and --{given[1]} are both given", hint="one form is written at a time")
    if given or file is None:
        return given[0] if given else "txt"
    if file.suffix.lower() not in FORMS:
        raise ModelError("its ending says nothing", file=str(file), hint=f"use {', '.join(FORMS)}")
    return FORMS[file.suffix.lower()]


def _text(found: Equations, form: str) -> str:
    """Return the equations in a form."""
    if form == "json":
        import json

        return json.dumps(found.plain(), indent=1, ensure_ascii=False) + "\n"
    return str(found) if form == "txt" else {"latex": found.latex, "python": found.python, "c": found.c}[form]()
