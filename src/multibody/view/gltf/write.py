"""Runs as .glb files."""

from __future__ import annotations

import pathlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from multibody._target import Target, check_free, check_target, write_whole
from multibody.view.film.moments import film_length

if TYPE_CHECKING:
    from multibody.results.run import Run

LONGEST = 60.0  # longer runs do not play in real time [s]


def save_glb(
    run: Run, file: Target, *, fps: float = 25.0, seconds: float | None = None, speed: float | None = None,
    trace: Sequence[str] = (), symbols: bool | None = None, force: bool = False,
) -> pathlib.Path:  # fmt: skip
    """Write a run as animated glTF; the arguments are those of ``run.animate``."""
    check_target(file, (".glb",), run.model._files)
    check_free(file, force)
    length = film_length(run, seconds, speed, LONGEST)
    from multibody.view.gltf.scene import RunScene

    names = [trace] if isinstance(trace, str) else list(trace)
    ends = {name: run.model.find_end(name, "trace") for name in names}
    paths = {name: (run.tables.bodies.index(end[0]), run.measurer.frame(*end)[0]) for name, end in ends.items()}
    write_whole(file, RunScene(run, length, float(fps), symbols is not False, paths).content())
    return pathlib.Path(file)
