"""Films of a run: what is asked for is judged first, then frames are drawn and written one by one."""

from __future__ import annotations

import contextlib
import math
import pathlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from multibody._target import Target, check_free, check_target, filled_whole
from multibody.arguments import short
from multibody.errors import ModelError
from multibody.view.between import poses_at
from multibody.view.draw import eye_of
from multibody.view.film.canvas import Canvas, Story, Trace
from multibody.view.film.moments import film_times
from multibody.view.film.paper import paper_of
from multibody.view.geometry import Floats

if TYPE_CHECKING:
    from multibody.results.run import Run

FILMS = (".gif", ".webp", ".mp4", ".png")
BODIES = ".glb"
SMALLEST, LARGEST = 64, 4096  # width and height [pixels]
MOST_FPS = {".gif": 50.0, ".webp": 500.0, ".mp4": 240.0, ".png": 10_000.0, BODIES: 1000.0}
SAMPLES = 8  # frames from which the palette of a GIF is made

Progress = Callable[[int, int], None]


def animate(
    run: Run, file: Target, *, fps: float = 25.0, seconds: float | None = None, speed: float | None = None,
    size: tuple[int, int] | None = None, trace: Sequence[str] = (), labels: bool | None = None, symbols: bool | None = None,
    title: str | None = None, view: str | tuple[float, float] | None = None, paper: str = "light", loop: bool = True,
    force: bool = False, progress: Progress | None = None,
) -> pathlib.Path:  # fmt: skip
    """Write a film of a run; the arguments are those of ``run.animate``."""
    ending = check_film(file, force, run.model._files)
    check_numbers(ending, 0.0 if fps is None else fps, seconds, speed, size)
    if ending == BODIES:
        from multibody.view.gltf.write import save_glb

        _check_meaningless(size=size, labels=labels, title=title, view=view, paper=None if paper == "light" else paper)
        return save_glb(run, file, fps=fps, seconds=seconds, speed=speed, trace=trace, symbols=symbols, force=force)
    times = film_times(run, float(fps), seconds, speed)
    canvas = canvas_of(run, times, trace=trace, size=size, labels=labels, symbols=symbols, title=title, view=view, paper=paper)
    path, told = pathlib.Path(file), progress or (lambda done, total: None)
    if ending == ".png":
        from multibody.view.film.sequence import numbered, write_sequence

        write_sequence(path, canvas.frames(), len(times), force, told)
        return path.parent / numbered(path, 0, len(times))
    with filled_whole(file) as beside, _writer(ending, beside, canvas, float(fps), loop) as writer:
        for k, frame in enumerate(canvas.frames()):
            writer.add(frame)
            told(k + 1, len(times))
    return path


def check_film(file: Target, force: bool, kept: Iterable[Target] = ()) -> str:
    """Return the ending of a film's file; what cannot be written is refused before any work.

    Parameters
    ----------
    file : path
    force : bool
        Whether a file that exists may be replaced.
    kept : iterable of paths
        Files that are not to be replaced whatever is said: the model's own.
    """
    ending = check_target(file, (*FILMS, BODIES), kept)
    if ending == ".png":
        from multibody.view.film.sequence import check_sequence

        check_sequence(pathlib.Path(file), force)
    else:
        check_free(file, force)
    if ending == ".mp4":
        from multibody.view.film.mp4 import require_ffmpeg

        require_ffmpeg(str(file))
    return ending


def canvas_of(
    run: Run, times: Floats, *, trace: Sequence[str] = (), size: tuple[int, int] | None = None, labels: bool | None = None,
    symbols: bool | None = None, title: str | None = None, view: str | tuple[float, float] | None = None,
    paper: str = "light",
) -> Canvas:  # fmt: skip
    """Return what draws the frames of a run at given times."""
    from multibody.view.drawing import drawing_of

    q = poses_at(run, times)
    names = [trace] if isinstance(trace, str) else list(trace)
    story = Story(
        run.tables, times, q, drawing_of(run.tables, q), [_trace(run, name, q) for name in names], title, labels,
        symbols is not False, paper_of(paper), size, eye_of(view), "" if run.ok else f"partial: {run.status.message}",
    )  # fmt: skip
    if run.tables.dimension == 2:
        from multibody.view.film.flat_canvas import FlatCanvas

        return FlatCanvas(story)
    from multibody.view.film.deep_canvas import DeepCanvas

    return DeepCanvas(story)


def _trace(run: Run, name: str, q: Floats) -> Trace:
    """Return the path of a point over the run and its places in the frames."""
    from multibody.view.scene import Journey

    body, frame = run.model.find_end(name, "trace")
    number = run.tables.bodies.index(body)
    point = run.tables.vector(run.tables.frames[body, frame].point)
    path = run.measurer.frame(body, frame)[0]
    return Trace(name, number, np.asarray(run.time), path, Journey(run.tables, q).place(number, point))


@contextlib.contextmanager
def _writer(ending: str, file: str, canvas: Canvas, fps: float, loop: bool) -> Iterator[Any]:
    """Yield what writes frames to a file; it is finished where nothing fails."""
    if ending == ".mp4":
        from multibody.view.film.mp4 import Mp4

        with contextlib.closing(Mp4(file, canvas.size, fps)) as film:
            yield film
        return
    with open(file, "wb") as sink:
        writer: Any
        if ending == ".gif":
            from multibody.view.film.gif import Gif

            count = len(canvas.story.times)
            chosen = np.unique(np.linspace(0, count - 1, min(SAMPLES, count)).astype(int))
            writer = Gif(sink, [canvas.frame(int(k)) for k in chosen], fps, loop)
        else:
            from multibody.view.film.webp import WebP

            writer = WebP(sink, canvas.size, fps, loop)
        yield writer
        writer.finish()


def check_numbers(ending: str, fps: Any = None, seconds: Any = None, speed: Any = None, size: Any = None) -> None:
    """Refuse numbers that mean no film."""
    most = MOST_FPS[ending]
    if fps is not None and (not _positive(fps) or fps > most):
        raise ModelError(f"fps is {short(fps)}", where="animate", hint=f"give frames a second, at most {most:g} for {ending}")
    if seconds is not None and speed is not None:
        raise ModelError("seconds and speed together", where="animate", hint="give one of them")
    for name, value in (("seconds", seconds), ("speed", speed)):
        if value is not None and not _positive(value):
            raise ModelError(f"{name} is {short(value)}", where="animate", hint="give a positive number")
    if size is not None and not _is_size(size):
        hint = f"give width and height, whole numbers from {SMALLEST} to {LARGEST} pixels"
        raise ModelError(f"size is {short(size)}", where="animate", hint=hint)


def _check_meaningless(**options: Any) -> None:
    """Refuse what says how a picture looks: a viewer of 3-D bodies decides that."""
    for name, value in options.items():
        if value is not None:
            raise ModelError(f"{name} has no meaning for {BODIES}", where="animate", hint="leave it out")


def _positive(value: Any) -> bool:
    """Return whether something is a finite number above 0."""
    number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    return number and math.isfinite(value) and value > 0


def _is_size(size: Any) -> bool:
    """Return whether something is a width and a height that a film can have."""
    whole = isinstance(size, Sequence) and len(size) == 2 and all(isinstance(x, int | np.integer) for x in size)
    return whole and all(SMALLEST <= x <= LARGEST for x in size)
