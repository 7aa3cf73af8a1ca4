"""`multibody examples`: the mechanisms of the library."""

from __future__ import annotations

from multibody.cli.app import app
from multibody.cli.options import JsonOption
from multibody.cli.output import Page, print_json, table


@app.command()
def examples(json: JsonOption = False) -> None:
    """List the library models; each name can be used as MODEL."""
    from multibody.library import describe, names

    if json:
        print_json({"examples": [{"name": name, "description": describe(name)} for name in names()]})
        return
    made = table("library models", [("name", "left"), ("what it is", "left")])
    for name in names():
        made.add_row(name, describe(name))
    page = Page()
    page.table(made)
    page.line("multibody check NAME, multibody kinematics NAME, …; parameters with --set NAME=VALUE")
