"""Files that verbs write: data, JSON and pictures; no display is needed."""

from __future__ import annotations

import pathlib
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import typer

from multibody._target import TABLES, is_keys, write_whole
from multibody.cli.app import FAILED, say_error
from multibody.cli.options import BODIES, FILMS, PAGES, PICTURES
from multibody.cli.output import print_json, stage_progress, to_json
from multibody.errors import ModelError

if TYPE_CHECKING:
    from multibody import Model
    from multibody.results.run import Run
    from multibody.results.state import State

KEYED = ("fps", "speed")  # numbers of a film that keyframes have too


@dataclass(frozen=True)
class Pictured:
    """What pictures and films show beside the mechanism.

    Attributes
    ----------
    plots, x, traces
        Curves (``--plot``), against what (``--x``), and paths of points (``--trace``).
    film : mapping
        How a film runs: what is given of ``fps``, ``seconds``, ``speed`` and ``size``.
    """

    plots: Sequence[str] = ()
    x: str | None = None
    traces: Sequence[str] = ()
    film: Mapping[str, Any] = field(default_factory=dict)


def pictured(
    model: Model, plots: Sequence[str] | None, x: str | None, traces: Sequence[str] | None, *, forces: bool,
    usual: bool = False,
) -> Pictured:  # fmt: skip
    """Return what a picture is to show, judged on the model alone, before any work.

    Parameters
    ----------
    model : Model
    plots, x, traces
        Those of ``--plot``, ``--x`` and ``--trace``, None where there are none.
    forces : bool
        Whether the analysis knows forces.
    usual : bool
        Whether there are curves even if none is chosen.
    """
    from multibody.analyses.measures.readable import require_readable

    if x is not None and not plots and not usual:
        raise ModelError("there is no curve to plot against it", where="--x", hint="add --plot PATH")
    for text in (*(plots or ()), *([] if x is None else [x])):
        require_readable(model, text, forces=forces)
    if x is not None:
        _require_number(model, x)
    for name in traces or ():
        model.find_end(name, "trace")
    return Pictured(tuple(plots or ()), x, tuple(traces or ()))


def _require_number(model: Model, x: str) -> None:
    """Refuse a vector as what curves are plotted against; an expression is a number always."""
    from multibody.model.paths import component_names, vector_size

    parts = tuple(x.split("."))
    plain = all(part.isidentifier() for part in parts)
    count = 0 if not plain else 4 if model.resolve(parts, x, results=True).kind == "rotation" else vector_size(model, parts)
    if count:
        names = ", ".join(component_names(x, count))
        raise ModelError(f'"{x}" is a vector', where="--x", hint=f"choose one of {names}")


def filmed(
    shown: Pictured, files: Sequence[pathlib.Path], fps: float | None, seconds: float | None, speed: float | None,
    size: str | None = None,
) -> Pictured:  # fmt: skip
    """Return what is shown with the numbers of a film, judged before any work."""
    pixels = None if size is None else _pixels(size)
    given = (("fps", fps), ("seconds", seconds), ("speed", speed), ("size", pixels))
    film = {name: value for name, value in given if value is not None}
    endings = [ending for ending in (file.suffix.lower() for file in files) if ending in FILMS]
    keyed = any(is_keys(file) for file in files)
    alone = [name for name in film if not endings and not (keyed and name in KEYED)]
    if alone:
        raise ModelError("there is no film", where=f"--{alone[0]}", hint="add --out x.gif, .webp, .mp4 or .glb")
    if not endings:
        return replace(shown, film=film)
    from multibody.view.film.animate import check_numbers

    for ending in endings:
        check_numbers(ending, fps, seconds, speed, pixels)
    if pixels is not None and set(endings) == {BODIES}:
        raise ModelError(f"size has no meaning for {BODIES}", where="--size", hint="leave it out")
    return replace(shown, film=film)


def _pixels(text: str) -> tuple[int, int]:
    """Return width and height that were given as 640x480."""
    found = re.fullmatch(r"(\d{1,6})\s*[x×,]\s*(\d{1,6})", text.strip())
    if found is None:
        raise ModelError(f'"{text}" is no size', where="--size", hint="write width x height in pixels: 640x480")
    return int(found[1]), int(found[2])


def picture_files(model: Model, files: Sequence[pathlib.Path], shown: Pictured) -> list[pathlib.Path]:
    """Return the files to write: those of ``--out``, one picture at least where curves or traces are asked for."""
    if not shown.plots and not shown.traces and shown.x is None:
        return list(files)
    made = any(file.suffix.lower() in (*PICTURES, *PAGES, *FILMS) for file in files)
    return [*files, *([] if made else [pathlib.Path(re.sub(r"[^\w.-]+", "-", f"{model.name}.png"))])]


def write_each(files: Sequence[pathlib.Path], write: Callable[[pathlib.Path], object]) -> tuple[list[str], list[ModelError]]:
    """Write files one by one; return the names of those written, and why others could not be."""
    written: list[str] = []
    failures: list[ModelError] = []
    for file in files:
        try:
            with _told():
                write(file)
            written.append(str(file))
        except ModelError as error:  # whatever is wrong with one file, the rest is written and the answer printed
            failures.append(error)
    return written, failures


def answer(
    found: Any, plain: dict[str, Any], files: Sequence[pathlib.Path], write: Callable[[pathlib.Path], object],
    show: Callable[[Any, dict[str, Any], list[str]], None], *, json: bool,
) -> None:  # fmt: skip
    """Write the files of a motion, unless it has no instant, print it as JSON or for people, and end the verb.

    Parameters
    ----------
    found : Run or Inverse
    plain : dict
        What it gives as data.
    files : sequence of Path
    write : callable
        Writes one file.
    show : callable
        Prints for people; takes what was found, its data and the names of the files.
    json : bool
    """
    written, failures = write_each(files if len(found.time) else [], write)
    if json:
        print_json(plain)
    else:
        show(found, plain, written)
    finish(found.ok, failures)


@contextmanager
def _told() -> Iterator[None]:
    """Say in a plain sentence each what a picture lacks; other warnings go on as they are."""
    from multibody.view.meshes import MeshWarning

    usual = warnings.showwarning

    def show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
        if issubclass(category, MeshWarning):
            typer.echo(str(message), err=True)
        else:
            usual(message, category, *place, **more)

    with warnings.catch_warnings():
        warnings.simplefilter("always", MeshWarning)
        warnings.showwarning = show
        yield


def finish(ok: bool, failures: Sequence[ModelError] = ()) -> None:
    """End a verb after everything was printed: with status 1 if the analysis failed or a file could not be written."""
    for error in failures:
        say_error(str(error))
    if failures or not ok:
        raise typer.Exit(FAILED)


def write_run(run: Run, file: pathlib.Path, plain: dict[str, Any], shown: Pictured, long: bool = False) -> None:
    """Write a run by the file's ending: data, last instant, picture, page or film; the verb has judged what may be replaced."""
    ending = file.suffix.lower()
    if is_keys(file):
        run.keyframes(**{key: shown.film[key] for key in KEYED if key in shown.film}).save(file)
    elif ending == ".json":
        write_whole(file, f"{to_json(plain)}\n".encode())
    elif ending in PICTURES:
        save_run(run, file, shown)
    elif ending in PAGES:
        run.page(file, force=True, plot=shown.plots, x=shown.x, trace=shown.traces)
    elif ending in FILMS:
        with stage_progress(file.name, quiet=False) as told:
            progress = None if told is None else lambda k, count: told(file.name, k, count)
            film = {key: value for key, value in shown.film.items() if key != "size" or ending != BODIES}
            run.animate(file, force=True, trace=shown.traces, progress=progress, **film)
    else:
        run.save(file, long=long and ending in TABLES)


def save_run(run: Run, file: pathlib.Path, shown: Pictured) -> None:
    """Write a picture of a run: one pose, the paths of points, and curves over time if there are any."""
    from multibody.view.beside import page_of, telling_time
    from multibody.view.draw import draw_run

    def drawn() -> Any:
        at = telling_time(run)
        if shown.plots:
            return page_of(run, shown.plots, shown.x, at=at, trace=shown.traces)
        return draw_run(run, at, trace=shown.traces).figure

    save_figure(drawn, file, "" if run.ok else run.status.message)


def save_state(state: State, file: pathlib.Path) -> None:
    """Write a picture of a state."""
    from multibody.view.draw import draw_state

    save_figure(lambda: draw_state(state).figure, file)


def save_figure(draw: Callable[[], Any], file: pathlib.Path, partial: str = "") -> None:
    """Draw a figure without a display, write it and let go of it.

    Parameters
    ----------
    draw : callable
        Returns the figure.
    file : Path
    partial : str
        Why not all of the motion is shown, which the picture then says.
    """
    headless()
    import matplotlib.pyplot as plt

    from multibody.view.remark import write_remark
    from multibody.view.style import save

    figure = draw()
    if partial:
        write_remark(figure, f"partial: {partial}")
    save(figure, file)
    plt.close(figure)


def headless() -> None:
    """Choose the backend that draws into files."""
    import matplotlib

    matplotlib.use("agg")
