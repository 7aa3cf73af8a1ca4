"""The report as one text: sections, style and player, nothing from elsewhere."""

from __future__ import annotations

import datetime
import html
import os
import pathlib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING

from multibody._target import check_free, check_target, write_whole
from multibody._version import __version__
from multibody.errors import ModelError
from multibody.results.load_table import Loads, loads
from multibody.view.checked import check_of
from multibody.view.embed import frame_of, quiet
from multibody.view.report import sections
from multibody.view.report.figures import main_paths
from multibody.view.style import PALE

if TYPE_CHECKING:
    from multibody.analyses.check.report import CheckReport
    from multibody.results.run import Run

ENDINGS = (".html", ".htm")
MOST_BALANCED = 100_000  # instants times bodies up to which the free-body balance is
HEIGHT = 560  # of the player [pixels]


@dataclass(frozen=True)
class Told:
    """What a report says beside the run.

    Attributes
    ----------
    title : str
        Default: the model's name.
    command : str
        The command line that made it.
    model : str
        The model as a file has it.
    plot : tuple of str
        Paths whose curves are shown; default outputs and the coordinates that move.
    player : bool
        Whether the motion can be played.
    note : str
        A word at the top: why there are no forces.
    """

    title: str = ""
    command: str = ""
    model: str = ""
    plot: tuple[str, ...] = ()
    player: bool = True
    note: str = ""


def check_report_target(file: str | os.PathLike[str], force: bool, kept: Sequence[str] = ()) -> None:
    """Judge where a report is to be written, before the work; a file that is there is replaced only where that is asked for.

    Raises
    ------
    ModelError
    """
    check_target(file, ENDINGS, kept)
    check_free(file, force)


def save_report(run: Run, file: str | os.PathLike[str], told: Told, force: bool) -> pathlib.Path:
    """Write the report of a run and return its path."""
    check_report_target(file, force, run.model._files)
    write_whole(file, report_text(run, told).encode("utf-8", "replace"))
    return pathlib.Path(file)


def report_text(run: Run, told: Told) -> str:
    """Return the report of a run as one page of HTML.

    Parameters
    ----------
    run : Run
        Of any model, with or without forces, finished or not.
    told : Told
    """
    for path in told.plot:
        if run.measurer(path).values.ndim != 1:
            raise ModelError(f'"{path}" is a vector', where="report", hint=f"a curve takes a number: write {path}.x")
    if len(run.time) == 0:
        return _page(run, told, [sections.repeat(run, told.command, told.model)])
    with quiet():
        check, carried = check_of(run.tables), None if run.motion.dynamics is None else loads(run, None, "ground", False)
        parts = [
            sections.summary(run, carried), _player(run, told, check), sections.mechanism(run, check),
            sections.motion(run, told.plot), sections.loads_section(run, carried), sections.trust(run, _balance(run, carried)),
            sections.repeat(run, told.command, told.model),
        ]  # fmt: skip
    return _page(run, told, parts)


def _page(run: Run, told: Told, parts: Sequence[str]) -> str:
    """Return the page around the sections."""
    title = html.escape(told.title or run.model.name)
    style = resources.files("multibody.view.report").joinpath("report.css").read_text(encoding="utf-8")
    made = datetime.datetime.now().astimezone().strftime("%Y-%m-%d %H:%M")
    body = "\n".join(part for part in parts if part)
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<meta name="generator" content="multibody">\n'
        f'<link rel="icon" href="data:,">\n<title>{title}: report</title>\n<style>\n{style}</style>\n</head>\n<body>\n'
        f"<header><h1>{title}</h1><p>Report of {made}, multibody {__version__}</p></header>\n{_banner(run, told)}\n"
        f"{body}\n</body>\n</html>\n"
    )


def _banner(run: Run, told: Told) -> str:
    """Return what has to be known before anything else: a run that is not complete, forces that are missing."""
    said = []
    if not run.ok:
        reached = f" It reached t = {run.status.time_reached:g} {run.model.units.time}." if len(run.time) else ""
        advice = f" {run.status.advice[:1].upper()}{run.status.advice[1:]}." if run.status.advice else ""
        said.append(f"The motion is not complete: {run.status.message}.{reached}{advice} Everything below is about that part.")
    said += [told.note] if told.note else []
    return "\n".join(f'<p class="banner">{html.escape(text)}</p>' for text in said)


def _player(run: Run, told: Told, check: CheckReport | None) -> str:
    """Return the page that plays the motion, in a frame; on paper pictures take its place."""
    if not told.player:
        return ""
    from multibody.view.page.write import look_of, page_of

    look = f"width:100%;height:{HEIGHT}px;border:1px solid {PALE};border-radius:6px"
    page = page_of([run], None, look_of(plot=told.plot or main_paths(run)[:2], paper="light"), check)
    frame = frame_of(page, f"{run.model.name} in motion", look)
    return f'<section class="player">{frame}</section>'


def _balance(run: Run, carried: Loads | None) -> float | None:
    """Return the free-body balance of a run with forces, where that is not too much work."""
    if carried is None or len(run.time) * len(run.tables.bodies) > MOST_BALANCED:
        return None
    return run.balance().relative
