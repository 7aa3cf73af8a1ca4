"""When members are stepped and when they are read, and both on the host."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from multibody.specialize.host import HostCode, HostIntegration, HostReader
from multibody.specialize.image import Floats, Words

ROOM = 1 << 27  # bytes of the states of all members that are there at a time
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
        Steps between two instants; 1 where an integrator chooses them, h is how far instants lie apart then.
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


    def parts_of(self, room: int) -> Iterator[range]:
        """Yield numbers of instants that follow each other, no more of them at a time than there is room for."""
        for first in range(0, self.count + 1, room):
            yield range(first, min(first + room, self.count + 1))


def instants_in(size: int, words: int, members: int) -> int:
    """Return for how many instants at a time there is room, from the lengths of y and words."""
    return max(1, min(256, ROOM // (8 * (size + words) * max(members, 1))))


def host_run(
    code: HostCode | HostIntegration, reader: HostReader, numbers: Floats, y: Floats, words: Words, schedule: Schedule,
    threads: int | None = None, told: Floats | None = None,
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
    told : array (members, ·), optional
        What an integrator is told of members at their start.

    Returns
    -------
    results : array (members, results)
    statuses : array (members,) of int
    """
    results, statuses = np.zeros((len(y), reader.program.results)), np.zeros(len(y), np.int64)

    def some(first: int) -> None:
        part = slice(first, min(first + SIDE_BY_SIDE, len(y)))
        own, state, known = numbers[part], y[part].copy(), words[part].copy()
        if isinstance(code, HostIntegration):
            assert told is not None
            _integrated(code, reader, own, state, known, told[part].copy(), schedule, results[part], statuses[part])
            return
        for t, h, k, steps in schedule.parts():
            if steps:
                code.advance(own, state, known, t - steps * h, h, steps, 1, statuses[part])
            reader.read(own, state, known, results[part], statuses[part], t, schedule.every * h, k, 1)

    with ThreadPoolExecutor(max(1, min(threads or os.cpu_count() or 1, -(-len(y) // SIDE_BY_SIDE)))) as pool:
        list(pool.map(some, range(0, len(y), SIDE_BY_SIDE)))
    return results, statuses


def _integrated(
    code: HostIntegration, reader: HostReader, numbers: Floats, y: Floats, words: Words, told: Floats, schedule: Schedule,
    results: Floats, statuses: Words,
) -> None:  # fmt: skip
    """Move members by an integrator and read them on the way; y, words and told are changed."""
    t, h, kept = schedule.t, schedule.h, np.zeros((len(y), code.program.kept.length("kept")))
    for instants in schedule.parts_of(instants_in(y.shape[1], words.shape[1], len(y))):
        states, known = (np.zeros((len(instants), *each.shape)) for each in (y, words))
        code.integrate(numbers, y, words, told, kept, states, known, statuses, t, h, instants[0], schedule.count, 1)
        for j, k in enumerate(instants):
            reader.read(numbers, states[j], known[j].view(np.int64), results, statuses, t + k * h, h, k, 1)
