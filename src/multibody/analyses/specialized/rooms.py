"""Rooms in which members are prepared, some at a time, in several threads."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from multibody.specialize.image import Floats, Part

THREADS = 4  # a third of the work holds Python's lock: more threads stand in each other's way


class Rooms(ABC):
    """Prepares members in the compiled loops of studies.

    Parameters
    ----------
    loops : RunMembers or DriveMembers
    """

    def __init__(self, loops: Any) -> None:
        self.loops = loops
        self._free: list[Any] = []  # rooms that no thread uses

    def __call__(self, values: Floats, arrays: Sequence[Any]) -> Any:
        """Write members into arrays (members, ·) that hold those of the model as it is; return which of them fit.

        Parameters
        ----------
        values : array (members, varied)
        arrays : sequence of arrays (members, ·), written
        """
        fits, most = np.zeros(len(values), dtype=bool), self.loops.most

        def some(first: int) -> None:
            part = slice(first, min(first + most, len(values)))
            try:
                room = self._free.pop()
            except IndexError:
                room = self.loops.batch(most)
            fits[part] = self._some(room, np.ascontiguousarray(values[part]), *(each[part] for each in arrays))
            self._free.append(room)

        with ThreadPoolExecutor(max(1, min(THREADS, os.cpu_count() or 1, -(-len(values) // most)))) as pool:
            list(pool.map(some, range(0, len(values), most)))
        return fits

    @abstractmethod
    def _some(self, room: Any, values: Floats, *arrays: Any) -> Any:
        """Do the same for as many members as there is room for."""


def addresses_of(room: Any, n: int) -> list[tuple[Any, int]]:
    """Return the addresses of model and state of the first members, as kernels take them from Python."""
    kind = type(room.blocks(0)[0].address)  # by which planar models are told from those in space
    return [(kind(m), s) for m, s in zip(room.models[:n].tolist(), room.states[:n].tolist(), strict=True)]


def put(rows: Any, part: Part, values: Any) -> None:
    """Write a part of all members."""
    rows[:, part.at : part.at + part.words] = values
