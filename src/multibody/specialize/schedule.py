"""When members are stepped and when they are read, and both on the host."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from multibody.specialize.host import HostCode, HostReader
from multibody.specialize.image import Floats, Words

METHOD = "rk4"  # the integrator whose steps these are
SIDE_BY_SIDE = 256  # members of which a thread makes a part of the way before it goes on: they stay in its cache


@dataclass(frozen=True)
class Schedule:
    """Instants on a grid.

    Attributes
    ----------
    t : float
        Where it begins.
    h : float
        Step, negative where time goes back.
    every : int
        Steps between two instants.
    count : int
        Instants after the first one.
    """

    t: float
    h: float
    every: int
    count: int

    def parts(self) -> Iterator[tuple[float, float, int, int]]:
        """Yield time, step and number of every instant, and the steps that lead there."""
        for k in range(self.count + 1):
            yield self.t + k * self.every * self.h, self.h, k, self.every if k else 0


def host_run(
    code: HostCode, reader: HostReader, numbers: Floats, y: Floats, words: Words, schedule: Schedule,
    threads: int | None = None,
) -> tuple[Floats, Words]:  # fmt: skip
    """Move members and read them on the way, on the host.

    Parameters
    ----------
    code, reader : HostCode, HostReader
    numbers, y, words : arrays (members, ·)
        Where members begin; left as they are.
    schedule : Schedule
    threads : int, optional
        By default one for every processor.

    Returns
    -------
    results : array (members, results)
    statuses : array (members,) of int
    """
    results, statuses = np.zeros((len(y), reader.program.results)), np.zeros(len(y), np.int64)

    def some(first: int) -> None:
        part = slice(first, min(first + SIDE_BY_SIDE, len(y)))
        own, state, known = numbers[part], y[part].copy(), words[part].copy()
        for t, h, k, steps in schedule.parts():
            if steps:
                code.advance(own, state, known, t - steps * h, h, steps, 1, statuses[part])
            reader.read(own, state, known, results[part], statuses[part], t, schedule.every * h, k, 1)

    with ThreadPoolExecutor(max(1, min(threads or os.cpu_count() or 1, -(-len(y) // SIDE_BY_SIDE)))) as pool:
        list(pool.map(some, range(0, len(y), SIDE_BY_SIDE)))
    return results, statuses
