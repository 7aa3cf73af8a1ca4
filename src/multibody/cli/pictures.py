"""Files that verbs write: data, JSON and pictures; no display is needed."""

from __future__ import annotations

import pathlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from multibody.cli.options import PICTURES
from multibody.cli.output import to_json

if TYPE_CHECKING:
    from multibody.results.run import Run
    from multibody.results.state import State


def write_run(run: Run, file: pathlib.Path, plain: dict[str, Any], plots: Sequence[str], traces: Sequence[str]) -> str:
    """Write a run's data, last instant or picture by the file's ending; return the file's name."""
    ending = file.suffix.lower()
    if ending == ".json":
        file.write_text(f"{to_json(plain)}\n", encoding="utf-8")
    elif ending in PICTURES:
        save_run(run, file, plots, traces)
    else:
        run.save(file)
    return str(file)


def save_run(run: Run, file: pathlib.Path, plots: Sequence[str], traces: Sequence[str]) -> None:
    """Write a picture of a run: one pose, the paths of points, and curves over time if there are any."""
    from multibody.view.draw import draw_run
    from multibody.view.page import page_of, telling_time

    _headless()
    at = telling_time(run)
    _save(page_of(run, plots, at=at, trace=traces) if plots else draw_run(run, at, trace=traces).figure, file)


def save_states(states: Sequence[State], files: Sequence[pathlib.Path]) -> None:
    """Write a picture of each state."""
    from multibody.view.draw import draw_state

    _headless()
    for state, file in zip(states, files, strict=True):
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
