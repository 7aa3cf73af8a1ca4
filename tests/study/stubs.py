"""Members that misbehave, for workers in other processes."""

from __future__ import annotations

import os
import pathlib
import signal
from dataclasses import dataclass

import numpy as np

from multibody.study.language import Outputs
from multibody.study.members import Computed

SQUARE = Outputs(("square",), ("square",), (0.0,))


@dataclass
class Treacherous:
    """Squares; a worker that meets a number kills itself, as often as it is told."""

    folder: pathlib.Path
    fatal: float
    times: int
    outputs: Outputs = SQUARE
    units: tuple[str, ...] = ("",)
    chunk: int = 2
    threads: bool = False

    def compute(self, values: np.ndarray) -> Computed:
        """Return squares, or never return."""
        for x in values[:, 0]:
            deaths = list(self.folder.glob("death-*"))
            if x == self.fatal and len(deaths) < self.times:
                (self.folder / f"death-{len(deaths)}").touch()
                os.kill(os.getpid(), signal.SIGKILL)
            with (self.folder / f"computed-{os.getpid()}").open("a") as file:
                file.write(f"{x:g}\n")
        return Computed(values[:, :1] ** 2, np.zeros(len(values), dtype=np.int8), [""] * len(values))


class Raising(Treacherous):
    """Members with a fault that nobody foresaw."""

    def compute(self, values: np.ndarray) -> Computed:
        """Raise for one of them."""
        if self.fatal in values[:, 0]:
            raise RuntimeError("nobody foresaw this")
        return Computed(values[:, :1] ** 2, np.zeros(len(values), dtype=np.int8), [""] * len(values))
