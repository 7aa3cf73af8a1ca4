"""Files that verbs write: data, JSON and pictures; no display is needed."""

from __future__ import annotations

import pathlib
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import typer

from multibody._target import write_whole
from multibody.cli.app import FAILED, say_error
from multibody.cli.options import PICTURES
from multibody.cli.output import to_json
from multibody.errors import ModelError

if TYPE_CHECKING:
    from multibody import Model
    from multibody.results.run import Run
    from multibody.results.state import State


def picture_files(
    model: Model, files: Sequence[pathlib.Path], plots: Sequence[str], traces: Sequence[str], *, forces: bool
) -> list[pathlib.Path]:
    """Return the files to write, one picture at least where curves or traces are asked for; these are judged before any work.

    Parameters
    ----------
    model : Model
    files : sequence of paths
        Those of ``--out``.
    plots, traces : sequence of str
        Those of ``--plot`` and ``--trace``.
    forces : bool
        Whether the analysis knows forces.
    """
    if not plots and not traces:
        return list(files)
    from multibody.analyses.readable import require_readable

    for text in plots:
        require_readable(model, text, forces=forces)
    for name in traces:
        model.find_end(name, "trace")
    pictured = any(file.suffix.lower() in PICTURES for file in files)
    return [*files, *([] if pictured else [pathlib.Path(re.sub(r"[^\w.-]+", "-", f"{model.name}.png"))])]


def write_each(files: Sequence[pathlib.Path], write: Callable[[pathlib.Path], object]) -> tuple[list[str], list[ModelError]]:
    """Write files one by one; return the names of those written, and why others could not be."""
    written: list[str] = []
    failures: list[ModelError] = []
    for file in files:
        try:
            write(file)
            written.append(str(file))
        except ModelError as error:  # whatever is wrong with one file, the rest is written and the answer printed
            failures.append(error)
    return written, failures


def finish(ok: bool, failures: Sequence[ModelError] = ()) -> None:
    """End a verb after everything was printed: with status 1 if the analysis failed or a file could not be written."""
    for error in failures:
        say_error(str(error))
    if failures or not ok:
        raise typer.Exit(FAILED)


def write_run(run: Run, file: pathlib.Path, plain: dict[str, Any], plots: Sequence[str], traces: Sequence[str]) -> None:
    """Write a run's data, last instant or picture by the file's ending."""
    ending = file.suffix.lower()
    if ending == ".json":
        write_whole(file, f"{to_json(plain)}\n".encode())
    elif ending in PICTURES:
        save_run(run, file, plots, traces)
    else:
        run.save(file)


def save_run(run: Run, file: pathlib.Path, plots: Sequence[str], traces: Sequence[str]) -> None:
    """Write a picture of a run: one pose, the paths of points, and curves over time if there are any."""
    from multibody.view.beside import page_of, telling_time
    from multibody.view.draw import draw_run

    _headless()
    at = telling_time(run)
    figure = page_of(run, plots, at=at, trace=traces) if plots else draw_run(run, at, trace=traces).figure
    if not run.ok:
        mark_partial(figure, run.status.message)
    _save(figure, file)


def mark_partial(figure: Any, message: str) -> None:
    """Write into a picture that not all of the motion is shown."""
    from multibody.view.style import ACCENT

    figure.text(0.01, 0.01, f"partial: {message}", color=ACCENT, fontsize=7.0)


def save_state(state: State, file: pathlib.Path) -> None:
    """Write a picture of a state."""
    from multibody.view.draw import draw_state

    _headless()
    _save(draw_state(state).figure, file)


def _headless() -> None:
    """Choose the backend that draws into files."""
    import matplotlib

    matplotlib.use("agg")


def _save(figure: Any, file: pathlib.Path) -> None:
    """Write a figure and let go of it."""
    import matplotlib.pyplot as plt

    from multibody.view.style import save

    save(figure, file)
    plt.close(figure)
