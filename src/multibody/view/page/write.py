"""Pages of results, written and opened."""

from __future__ import annotations

import os
import pathlib
import tempfile
import webbrowser
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from multibody._target import check_free, check_target, write_whole
from multibody.arguments import short
from multibody.errors import ModelError
from multibody.tables.lower import Tables
from multibody.view.checked import check_of
from multibody.view.page.assemble import Look, page_text, with_plots
from multibody.view.page.small import direction_tracks, freedom_tracks, mode_tracks
from multibody.view.page.tracks import Track, track_of_run, track_of_state

if TYPE_CHECKING:
    from multibody.analyses.check.report import CheckReport

ENDINGS = (".html", ".htm")
MOST_NAMED = 3
"""Parameters that differ of which a label tells."""
LONGEST = 40
"""Letters of a model's name in that of a temporary file: a file's name has at most 255 bytes, a letter up to 4 of them."""


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
    write_whole(file, page_of(results, labels, look_of(**options)).encode("utf-8", "replace"))
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


def page_of(results: Sequence[Any], labels: Sequence[str] | None, look: Look, check: CheckReport | None = None) -> str:
    """Return the page of some results as text.

    Parameters
    ----------
    results : sequence of Run, State, ...
        Whatever has poses: of one model, or of models that differ in their parameters only.
    labels : sequence of str, optional
        One for each; default the model's name, of several what differs in their parameters.
    look : Look
    check : CheckReport, optional
        Of the mechanism, where it is known already.
    """
    if not results:
        raise ModelError("there is nothing to show", where="page", hint="give a run or a state")
    names = labels_of([_tables(result) for result in results]) if labels is None else [str(label) for label in labels]
    if len(names) != len(results):
        raise ModelError(f"{len(names)} labels for {len(results)} results", where="page", hint="give one for each")
    tracks = [track for result, name in zip(results, names, strict=True) for track in tracks_of(result, name, look)]
    if not tracks:
        raise ModelError("nothing moves", where=names[0], hint="show a pose: model.assemble().page(...)")
    told = check or check_of(tracks[0].tables)
    return page_text(tracks, look, "" if told is None else str(told))


def labels_of(shown: Sequence[Tables]) -> list[str]:
    """Return names that tell results apart: those of their models, else the parameters that differ, else numbers."""
    names = [tables.model.name for tables in shown]
    if len(set(names)) == len(names):
        return names
    values = [_parameters(tables) for tables in shown]
    common = [key for key in values[0] if all(key in own for own in values)]
    differing = [key for key in common if len({own[key] for own in values}) > 1]
    found = [", ".join(f"{key} = {own[key]}" for key in differing[:MOST_NAMED]) for own in values]
    if len(set(found)) == len(found):
        return found
    return [f"{k}: {text}" if text else f"{names[k - 1]} {k}" for k, text in enumerate(found, start=1)]


def _parameters(tables: Tables) -> dict[str, str]:
    """Return the parameters of a model that are no formulas of others, as text with their units."""
    found = {}
    for name, parameter in tables.model.parameters.items():
        numbers = [tables.F[slot] for path, slot in tables.parameter_slots.items() if path[0] == name]
        if isinstance(parameter.value, float | int | tuple) and numbers:
            text = ", ".join(f"{number:.6g}" for number in numbers)
            unit = f" {parameter.unit}" if parameter.unit else ""
            found[name] = (f"({text})" if len(numbers) > 1 else text) + unit
    return found


def _tables(result: Any) -> Tables:
    """Return the tables of a result.

    Raises
    ------
    ModelError
        If it is no result with something to show.
    """
    if not hasattr(result, "tables"):
        raise ModelError(f"{short(result)} is no result", where="page", hint="give runs, states, modes or freedoms")
    found: Tables = result.tables
    return found


def tracks_of(result: Any, label: str, look: Look) -> list[Track]:
    """Return what a page plays of a result: one motion, or several where it has them."""
    from multibody.results.compare import Compare
    from multibody.results.inverse import Inverse
    from multibody.results.modes import Modes
    from multibody.results.run import Run
    from multibody.results.small_motions import Freedoms
    from multibody.results.statics import Equilibrium

    if isinstance(result, Compare):
        return [track for name, run in result.runs().items() for track in tracks_of(run, name, look)]
    if isinstance(result, Modes):
        return mode_tracks(result) or [track_of_state(result.state, label)]
    if isinstance(result, Freedoms):
        return freedom_tracks(result) or [track_of_state(result.state, label)]
    run = result.motion if isinstance(result, Inverse) else result
    if isinstance(run, Run):
        return [with_plots(track_of_run(run, label), run.measurer, look.curves), *direction_tracks(run)]
    state = result.state if isinstance(result, Equilibrium) else result
    return [with_plots(track_of_state(state, label), state.measurer, look.curves)]


def open_page(text: str, name: str) -> pathlib.Path:
    """Write a page to a temporary place and open it in the browser; where there is none, say where the file is.

    Returns
    -------
    Path
        The file.
    """
    content = text.encode("utf-8", "replace")
    kept = "".join(letter if letter.isalnum() or letter in "-_" else "-" for letter in name[:LONGEST]) or "motion"
    handle, place = tempfile.mkstemp(prefix=f"{kept}-", suffix=".html")
    os.close(handle)
    file = pathlib.Path(place)
    try:
        write_whole(file, content)
    except BaseException:
        file.unlink(missing_ok=True)
        raise
    try:
        shown = webbrowser.open(file.as_uri())
    except (webbrowser.Error, OSError):
        shown = False
    if not shown:
        print(f"no browser could be opened; the page is {file}")
    return file
