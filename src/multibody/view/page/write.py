"""Pages of results, written and opened."""

from __future__ import annotations

import os
import pathlib
import tempfile
import webbrowser
from collections.abc import Sequence
from typing import Any

from multibody._target import check_free, check_target, write_whole
from multibody.errors import ModelError
from multibody.tables.lower import Tables
from multibody.view.page.assemble import Look, page_text, with_plots
from multibody.view.page.tracks import Track, track_of_run, track_of_state

ENDINGS = (".html", ".htm")
LARGE = 300
"""Bodies above which a page does without the report of the check, which would take longer than all the rest."""


def check_page(file: str | os.PathLike[str], force: bool, kept: Sequence[str] = ()) -> None:
    """Judge where a page is to be written, before the work: a file that exists is replaced only where that is asked for.

    Raises
    ------
    ModelError
    """
    check_target(file, ENDINGS, kept)
    check_free(file, force)


def save_page(
    file: str | os.PathLike[str], results: Sequence[Any], labels: Sequence[str] | None = None, *, force: bool = False,
    **options: Any,
) -> pathlib.Path:  # fmt: skip
    """Write the page of some results and return its path; see :func:`multibody.page`."""
    kept = [name for result in results for name in _tables(result).model._files]
    check_page(file, force, kept)
    write_whole(file, page_of(results, labels, look_of(**options)).encode("utf-8"))
    return pathlib.Path(file)


def view_page(results: Sequence[Any], labels: Sequence[str] | None = None, **options: Any) -> pathlib.Path:
    """Write the page of some results to a temporary place, open it, and return its path."""
    return open_page(page_of(results, labels, look_of(**options)), _tables(results[0]).model.name)


def look_of(**options: Any) -> Look:
    """Return what a page shows at first, from the options of a verb."""
    for key in ("plot", "trace"):
        given = options.get(key, ())
        options[key] = (given,) if isinstance(given, str) else tuple(given)
    return Look(**options)


def page_of(results: Sequence[Any], labels: Sequence[str] | None, look: Look) -> str:
    """Return the page of some results as text.

    Parameters
    ----------
    results : sequence of Run, State, ...
        Whatever has poses: of one model, or of models that differ in their parameters only.
    labels : sequence of str, optional
        One for each; default the model's name.
    look : Look
    """
    names = [_tables(result).model.name for result in results] if labels is None else list(labels)
    tracks = [with_plots(track_of(r, name), r.measurer, look.plot) for r, name in zip(results, names, strict=True)]
    return page_text(tracks, look, check_text(tracks[0]))


def _tables(result: Any) -> Tables:
    """Return the tables of a result."""
    found: Tables = result.tables
    return found


def track_of(result: Any, label: str) -> Track:
    """Return a run or a state as a page plays it."""
    from multibody.results.run import Run

    return track_of_run(result, label) if isinstance(result, Run) else track_of_state(result, label)


def check_text(track: Track) -> str:
    """Return the report of the check of a mechanism as text; nothing for a large one, or where it cannot be made."""
    from multibody.analyses.check import check

    if len(track.tables.bodies) > LARGE:
        return ""
    try:
        return str(check(track.tables.model))
    except ModelError:
        return ""


def open_page(text: str, name: str) -> pathlib.Path:
    """Write a page to a temporary place and open it in the browser; where there is none, say where the file is.

    Returns
    -------
    Path
        The file.
    """
    kept = "".join(letter if letter.isalnum() or letter in "-_" else "-" for letter in name) or "motion"
    handle, place = tempfile.mkstemp(prefix=f"{kept}-", suffix=".html")
    os.close(handle)
    file = pathlib.Path(place)
    write_whole(file, text.encode("utf-8"))
    try:
        shown = webbrowser.open(file.as_uri())
    except (webbrowser.Error, OSError):
        shown = False
    if not shown:
        print(f"no browser could be opened; the page is {file}")
    return file
