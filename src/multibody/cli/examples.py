"""`multibody examples`: the mechanisms of the library and the recipes, as a list and as model files."""

from __future__ import annotations

import inspect
import pathlib
import re
from typing import TYPE_CHECKING, Annotated

import typer

from multibody._target import check_free, check_target, write_whole
from multibody.cli.app import app
from multibody.cli.options import JsonOption, SetOption, load_model
from multibody.cli.output import Page, print_json, table
from multibody.errors import ModelError

if TYPE_CHECKING:
    from multibody import Model

NameArgument = Annotated[
    str | None, typer.Argument(metavar="[NAME]", help="A library model or a recipe, whose file is printed.", show_default=False)
]
FileArgument = Annotated[
    pathlib.Path | None, typer.Argument(metavar="[FILE]", help="With --save: where; default NAME.yaml.", show_default=False)
]
SaveOption = Annotated[bool, typer.Option("--save", help="Write the model file to FILE or NAME.yaml in place of printing it.")]
ForceOption = Annotated[bool, typer.Option("--force", help="Replace a file that is there.")]


@app.command()
def examples(
    name: NameArgument = None, file: FileArgument = None, save: SaveOption = False, force: ForceOption = False,
    settings: SetOption = None, json: JsonOption = False,
) -> None:  # fmt: skip
    """List the library models and recipes, each of which can be used as MODEL, or print the model file of one."""
    if name is None:
        if settings or save:
            raise ModelError("no model is named", where="--save" if save else "--set", hint="multibody examples lists them")
        _list(json)
        return
    from multibody.library import find

    find(name)  # an unknown name is told before anything about files
    if file is not None and not save:
        hint = f"to write the file: multibody examples {name} --save {file}"
        raise ModelError(f'"{file}" is one argument too many', hint=hint)
    if force and not save:
        raise ModelError("nothing is written", where="--force", hint="add --save")
    target = (file or pathlib.Path(f"{name}.yaml")) if save else None
    if target is not None:
        check_target(target, (".yaml", ".yml"))
        check_free(target, force)
    text = model_text(name, settings)
    if target is not None:
        write_whole(target, text.encode())
    if json:
        print_json(_described(name) | {"text": text} | ({"file": str(target)} if target else {}))
    elif target is not None:
        typer.echo(f"{name}: written to {target}; multibody check {target}")
    else:
        typer.echo(text, nl=False)


def model_text(name: str, settings: list[str] | None = None) -> str:
    """Return the model file of a library model or a recipe: YAML, with what it is as a comment.

    Parameters
    ----------
    name : str
        In the library or among the recipes.
    settings : list of str, optional
        ``NAME=VALUE`` each, as of ``--set``; a recipe loses its comments by them.
    """
    from multibody.library import find, recipes
    from multibody.library.recipe_files import text_of

    build = find(name)
    if name in recipes() and not settings:
        return text_of(name)
    comment = _comment(inspect.getdoc(build) or "")
    return "".join(f"# {line}".rstrip() + "\n" for line in comment) + _written(load_model(name, settings))


def _written(model: Model) -> str:
    """Return a model as YAML with numbers that can be read."""
    from multibody.files._yaml_write import write_yaml
    from multibody.files.readable import readable
    from multibody.files.writer import model_to_plain

    data = model_to_plain(model)
    return write_yaml({key: readable(value, angles=key not in model.defaults) for key, value in data.items()})


def _comment(doc: str) -> list[str]:
    """Return the lines of a docstring that say what the model is: all but its table of arguments."""
    parts = re.split(r"\n*^(\w+)\n-+\n", doc, flags=re.MULTILINE)
    kept = [parts[0], *(body for head, body in zip(parts[1::2], parts[2::2], strict=True) if head == "Notes")]
    return "\n\n".join(part.strip("\n") for part in kept).replace("``", "").splitlines()


def _described(name: str) -> dict[str, str]:
    """Return name and description for JSON."""
    from multibody.library import describe

    return {"name": name, "description": describe(name)}


def _list(json: bool) -> None:
    """Print what there is."""
    from multibody.library import names, recipes

    if json:
        print_json({"examples": [_described(name) for name in names()], "recipes": [_described(name) for name in recipes()]})
        return
    page = Page()
    for title, found in (("library models", names()), ("recipes, each with a page of the documentation", recipes())):
        made = table(title, [("name", "left"), ("what it is", "left")])
        for name in found:
            made.add_row(*_described(name).values())
        page.table(made)
    page.line("multibody examples NAME prints the model file, --save writes it")
    page.line("multibody check NAME, multibody kinematics NAME, …; parameters with --set NAME=VALUE")
