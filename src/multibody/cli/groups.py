"""Options that go together: a verb takes a group of them as one argument.

``@grouped`` under ``@app.command()`` shows typer the fields of a group as options of their own, where the group stands.
"""

from __future__ import annotations

import functools
import inspect
import pathlib
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from multibody.cli.options import (
    CutOption,
    ForceOption,
    JsonOption,
    OutputStepOption,
    PlotOption,
    RtolOption,
    SetOption,
    StepOption,
    TraceOption,
    UnitsOption,
    XOption,
    check_endings,
    check_long,
    load_model,
    option,
    read_names,
    read_time,
    read_units,
)
from multibody.cli.pictures import Pictured, filmed, picture_files, pictured

if TYPE_CHECKING:
    from multibody import Model


def grouped(verb: Callable[..., None]) -> Callable[..., None]:
    """Return a verb whose groups are spread: every field of a group is a parameter of its own."""
    hints = get_type_hints(verb, include_extras=True)
    groups: dict[str, Any] = {name: kind for name, kind in hints.items() if is_dataclass(kind)}

    @functools.wraps(verb)
    def spread(**given: Any) -> None:
        made = {name: kind(**{f.name: given.pop(f.name) for f in fields(kind)}) for name, kind in groups.items()}
        verb(**given, **made)

    shown = []
    for name, parameter in inspect.signature(verb).parameters.items():
        if name not in groups:
            shown.append(parameter.replace(annotation=hints[name], kind=inspect.Parameter.KEYWORD_ONLY))
            continue
        kinds = get_type_hints(groups[name], include_extras=True)
        shown += [
            inspect.Parameter(f.name, inspect.Parameter.KEYWORD_ONLY, default=f.default, annotation=kinds[f.name])
            for f in fields(groups[name])
        ]
    spread.__signature__ = inspect.Signature(shown)  # type: ignore[attr-defined]
    spread.__annotations__ = {parameter.name: parameter.annotation for parameter in shown}
    return spread


@dataclass(frozen=True)
class Source:
    """How a model is changed before anything is asked of it, and in which form the answer is printed."""

    settings: SetOption = None
    json: JsonOption = False

    def load(self, source: str) -> Model:
        """Return the model of a file or of the library with its settings."""
        return load_model(source, self.settings)


@dataclass(frozen=True)
class SourceInUnits:
    """The same, with the units of the answer."""

    settings: SetOption = None
    units: UnitsOption = None
    json: JsonOption = False

    def read(self, source: str) -> tuple[Model, str | None]:
        """Return the model with its settings and the units of the answer; wrong units are told before the model is read."""
        chosen = read_units(self.units)
        return load_model(source, self.settings), chosen


@dataclass(frozen=True)
class Files:
    """The files that a verb writes."""

    out: Annotated[
        list[pathlib.Path] | None,
        typer.Option("--out", metavar="FILE", help="Write a file; its ending says what. Repeatable."),
    ] = None
    force: ForceOption = False

    def check(self, endings: tuple[str, ...], model: Model) -> list[pathlib.Path]:
        """Return the files, each of which can be written: its ending has a meaning, and nothing is replaced unasked."""
        files = list(self.out or [])
        check_endings(files, endings, model._files, force=self.force)
        return files


@dataclass(frozen=True)
class Curves(Files):
    """Files with tables and curves."""

    long: Annotated[
        bool, typer.Option("--long", help="Write tables with a row for each path at each instant: time, path, value, unit.")
    ] = False
    plot: PlotOption = None
    x: XOption = None

    def shown(self, model: Model) -> Pictured:
        """Return what a picture of forces is to show, judged before any work."""
        return pictured(model, self.plot, self.x, None, forces=True, usual=True)

    def judged(self, model: Model, shown: Pictured, endings: tuple[str, ...]) -> tuple[Pictured, list[pathlib.Path]]:
        """Return what is shown and the files for it, each of which can be written."""
        files = picture_files(model, self.out or [], shown)
        shown = self._filmed(shown, files)
        check_endings(files, endings, model._files, force=self.force)
        check_long(files, self.long)
        return shown, files

    def _filmed(self, shown: Pictured, files: list[pathlib.Path]) -> Pictured:
        """Return what is shown with the numbers of a film; there is none here."""
        return shown


@dataclass(frozen=True)
class Films(Curves):
    """Files with tables, pictures and films of a motion."""

    trace: TraceOption = None
    fps: Annotated[float | None, typer.Option("--fps", metavar="N", help="Frames a second of a film; default 25.")] = None
    seconds: Annotated[float | None, typer.Option("--seconds", metavar="S", help="How long a film takes.")] = None
    speed: Annotated[
        float | None, typer.Option("--speed", metavar="X", help="How many times faster than in reality a film runs.")
    ] = None
    size: Annotated[
        str | None,
        typer.Option(
            "--size", metavar="WxH", help="Width and height of a film, 640x480 [pixels]; default after the mechanism."
        ),
    ] = None

    def motion(self, model: Model, *, forces: bool) -> Pictured:
        """Return what a picture of a motion is to show, judged before any work."""
        return pictured(model, self.plot, self.x, self.trace, forces=forces)

    def _filmed(self, shown: Pictured, files: list[pathlib.Path]) -> Pictured:
        """Return what is shown with the numbers of a film."""
        return filmed(shown, files, self.fps, self.seconds, self.speed, self.size)


@dataclass(frozen=True)
class Methods:
    """Formulation, integrator and how exactly they work."""

    formulation: Annotated[str | None, option("run", "formulation", "NAME[:OPTION=VALUE,...]")] = None
    integrator: Annotated[str | None, option("run", "integrator", "NAME[:OPTION=VALUE,...]")] = None
    rtol: RtolOption = None
    atol: Annotated[float | None, option("run", "atol", "A")] = None
    step: StepOption = None

    def read(self, model: Model) -> dict[str, Any]:
        """Return the options of a run as the verb takes them."""
        given = {name: getattr(self, name) for name in ("formulation", "integrator", "rtol", "atol")}
        return {**given, "step": read_time(model, self.step, "--step")}


@dataclass(frozen=True)
class RunMethods(Methods):
    """The same, and the instants that are kept."""

    output_step: OutputStepOption = None

    def read(self, model: Model) -> dict[str, Any]:
        """Return the options of a run as the verb takes them."""
        return {**super().read(model), "output_step": read_time(model, self.output_step, "--output-step")}


@dataclass(frozen=True)
class CutMethods(RunMethods):
    """The same, and the joints that are cut in joint coordinates."""

    cut: CutOption = None

    def read(self, model: Model) -> dict[str, Any]:
        """Return the options of a run as the verb takes them."""
        return {**super().read(model), "cut": read_names(self.cut, "--cut")}
