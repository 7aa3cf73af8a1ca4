"""The server: verbs of the command line as tools of MCP, over standard input and output."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from typing import Any

import anyio
import anyio.to_thread
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

from multibody._version import __version__
from multibody.agent.calls import Caller
from multibody.errors import ModelError

MOST_AT_ONCE = 4  # calls that compute at the same time
Time = float | str  # a number, or a formula of parameters such as "2*pi/omega"
INSTRUCTIONS = """\
Kinematics and dynamics of mechanisms and rigid multibody systems. A model is a YAML text; `examples` shows whole ones,
`schema` says what a file may have. Every tool takes `model` (a file of the folder, see `files`, or a name of `examples`) or
`text` (the model itself), and `set` for parameters. Begin with `check`, then `assemble`, then `run` (motion under forces),
`kinematics` (driven motion), `inverse` (efforts of a driven motion) or `reactions` (forces of joints at a time). Units are the
model's own unless units="SI". Answers are the JSON of the command line; `status.success` says whether it finished."""


def server_of(caller: Caller) -> MCPServer[Any]:
    """Return the server for a folder with limits.

    Parameters
    ----------
    caller : Caller
    """
    made: MCPServer[Any] = MCPServer("multibody", instructions=INSTRUCTIONS, version=__version__, log_level="ERROR")
    places = anyio.CapacityLimiter(max(1, min(os.cpu_count() or 1, MOST_AT_ONCE)))  # a call that waits has its whole time left
    for tool in _tools(caller):
        made.tool(structured_output=True)(_off_loop(tool, places))
    return made


def _off_loop(tool: Callable[..., dict[str, Any]], places: anyio.CapacityLimiter) -> Callable[..., Any]:
    """Return a tool that computes beside the server's own loop, and whose faults are told in one sentence."""

    @functools.wraps(tool)
    async def call(**given: Any) -> dict[str, Any]:
        try:
            return await anyio.to_thread.run_sync(functools.partial(tool, **given), limiter=places)
        except ModelError as error:
            raise ToolError(str(error)) from None

    return call


def _options(**given: Any) -> list[str]:
    """Return arguments of the command for what is given: ``until=2`` is ``--until 2``; nothing for None, "" and False."""
    found: list[str] = []
    for name, value in given.items():
        flag = f"--{name.replace('_', '-')}"  # with its value in one word: no value can be taken for another option
        if value is True:
            found.append(flag)
        elif isinstance(value, dict):
            found += [f"{flag}={key}={_written(item)}" for key, item in value.items()]
        elif isinstance(value, list):
            found += [f"{flag}={','.join(str(item) for item in value)}"] if value else []
        elif value is not None and value != "" and value is not False:
            found.append(f"{flag}={_written(value)}")
    return found


def _written(value: Any) -> str:
    """Return a value as the command reads it."""
    return f"[{', '.join(map(str, value))}]" if isinstance(value, list) else str(value)


def _tools(caller: Caller) -> list[Callable[..., dict[str, Any]]]:
    """Return the tools as functions, whose signatures and docstrings are what a client is told."""

    def files() -> dict[str, Any]:
        """List the model files of the folder."""
        return {"files": caller.folder.models(), "writing": caller.folder.writes}

    def examples(name: str = "") -> dict[str, Any]:
        """List the models of the library; with a name, give the text of that model file (YAML)."""
        return caller.print("examples", *([caller.folder.model(name)] if name else []))

    def schema(section: str = "") -> dict[str, Any]:
        """Give the JSON Schema of model files; with a section (such as "joints"), that part of it alone."""
        return _schema(section, caller.limits.characters)

    def check(model: str = "", text: str = "", set: dict[str, Any] | None = None) -> dict[str, Any]:
        """Count and judge a mechanism: mobility, rank, redundant equations by name, unique reactions, singularity, loops."""
        return caller.ask("check", model, text, _options(set=set))

    def assemble(
        model: str = "", text: str = "", set: dict[str, Any] | None = None, at: Time = "", branches: bool = False,
        units: str = "",
    ) -> dict[str, Any]:  # fmt: skip
        """Close all joints near the guess and give the state; with branches, all assemblies that are found."""
        return caller.ask("assemble", model, text, _options(set=set, at=at, branches=branches, units=units))

    def kinematics(
        model: str = "", text: str = "", set: dict[str, Any] | None = None, start: Time = "", until: Time = "",
        steps: int | None = None, at: Time = "", paths: list[str] | None = None, save: str = "", units: str = "",
    ) -> dict[str, Any]:  # fmt: skip
        """Move a driven mechanism along its motions; paths (such as "slider.x") give curves over time, in the model's units."""
        options = _options(set=set, until=until, steps=steps, at=at, units=units) + ([f"--from={start}"] if start != "" else [])
        return caller.ask("kinematics", model, text, options, paths or (), save)

    def run(
        model: str = "", text: str = "", set: dict[str, Any] | None = None, until: Time = "", formulation: str = "",
        integrator: str = "", rtol: float | None = None, atol: float | None = None, step: Time = "", output_step: Time = "",
        paths: list[str] | None = None, save: str = "", units: str = "",
    ) -> dict[str, Any]:  # fmt: skip
        """Move a model under its forces; paths (such as "slider.x", "A.reaction.force.x") give curves over time."""
        options = _options(
            set=set, until=until, formulation=formulation, integrator=integrator, rtol=rtol, atol=atol, step=step,
            output_step=output_step, units=units,
        )  # fmt: skip
        return caller.ask("run", model, text, options, paths or (), save)

    def reactions(
        model: str = "", text: str = "", set: dict[str, Any] | None = None, at: Time = "", joints: list[str] | None = None,
        units: str = "",
    ) -> dict[str, Any]:  # fmt: skip
        """Give force and moment of joints on their second bodies at one time, and the efforts along their coordinates."""
        return caller.ask("reactions", model, text, _options(set=set, at=at, joints=joints, units=units))

    def inverse(
        model: str = "", text: str = "", set: dict[str, Any] | None = None, start: Time = "", until: Time = "",
        steps: int | None = None, at: Time = "", efforts: list[str] | None = None, units: str = "",
    ) -> dict[str, Any]:  # fmt: skip
        """Give the effort of each motion, or of actuators elsewhere, that the prescribed motion needs, over time."""
        options = _options(set=set, until=until, steps=steps, at=at, efforts=efforts, units=units)
        return caller.ask("inverse", model, text, options + ([f"--from={start}"] if start != "" else []))

    return [files, examples, schema, check, assemble, kinematics, run, reactions, inverse]


def _schema(section: str, most: int) -> dict[str, Any]:
    """Return the schema of model files, or of one of their sections; one that is too long is told by its sections."""
    from multibody.agent.bounded import size_of
    from multibody.files.schema import json_schema

    whole = json_schema()
    sections = list(whole.get("properties", {}))
    if section and section not in sections:
        raise ModelError(f'there is no section "{section}"', where="schema", hint=f"there is {', '.join(sections)}")
    if section:
        return {"section": section, "schema": whole["properties"][section], "definitions": whole.get("$defs", {})}
    if size_of(whole) > most:
        return {"shortened": "the schema is longer than an answer may be: ask for a section", "sections": sections}
    return whole
