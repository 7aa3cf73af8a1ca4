"""`multibody mcp`: a server of tools for programs that ask in words."""

from __future__ import annotations

import math
import pathlib
from typing import Annotated

import typer

from multibody.cli.app import app
from multibody.errors import ModelError


@app.command("mcp")
def mcp_verb(
    folder: Annotated[pathlib.Path, typer.Option("--folder", metavar="DIR", help="The only folder whose files it may see.")],
    seconds: Annotated[float, typer.Option("--seconds", metavar="S", help="Time limit of a call.")] = 60.0,
    characters: Annotated[int, typer.Option("--characters", metavar="N", help="Size limit of an answer, as JSON.")] = 50_000,
    write: Annotated[bool, typer.Option("--write", help="Let it write new files to the folder.")] = False,
) -> None:
    """Serve check, assemble, kinematics, run, reactions and inverse as tools of MCP, over standard input and output.

    Programs that ask in words start it themselves. It opens no port, sees no files but those of the folder, replaces none, and
    computes in processes that end with the time limit. Needs the extra multibody[agent].
    """
    from multibody.agent.calls import Caller, Limits
    from multibody.agent.folder import Folder

    if not (math.isfinite(seconds) and seconds > 0.0):
        raise ModelError(f"{seconds} is no time limit", where="--seconds", hint="give a positive number")
    if characters < 1000:
        raise ModelError(f"{characters} characters hold no answer", where="--characters", hint="give 1000 at least")
    caller = Caller(Folder(folder, write), Limits(seconds, characters))
    try:
        from multibody.agent.server import server_of
    except ImportError as error:
        raise ModelError(f"a further package is missing ({error})", where="mcp", hint="pip install multibody[agent]") from None
    server_of(caller).run("stdio")
