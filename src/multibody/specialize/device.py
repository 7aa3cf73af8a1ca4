"""Specialized code on an NVIDIA processor, compared in every call with some members that the host computes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from multibody.specialize.cuda import LEVELS, Driver, Module
from multibody.specialize.host import HostCode, check_shapes
from multibody.specialize.image import Floats, Words
from multibody.specialize.program import TILE

AGREEMENT = 1e-9  # largest difference from the host, relative to max(1, |y|)
COMPARED = 16  # members of a call that the host computes too
BLOCK = 64  # threads of a block: the fastest on the processors it was tried on


class Disagreement(RuntimeError):  # noqa: N818 (it says what there is)
    """What the device computed is not what the host computed."""


@dataclass(frozen=True)
class Outcome:
    """What a call on the device gave.

    Attributes
    ----------
    statuses : array (members,) of int
        0 where a member came through, see ``stepping``.
    seconds : float
        Of the computation alone.
    difference : float
        Largest one from the host among the members that were compared, relative to max(1, |y|).
    level : int
        Of the driver's optimizer.
    """

    statuses: Words
    seconds: float
    difference: float
    level: int


class DeviceCode:
    """PTX of a program on a device, with the same program on the host beside it.

    Parameters
    ----------
    ptx : str
    host : HostCode
        Of the same structure.
    driver : Driver, optional
        By default on the first device.

    Attributes
    ----------
    notes : list of str
        What was refused on the way: levels of the driver's optimizer that made wrong code.
    """

    def __init__(self, ptx: str, host: HostCode, driver: Driver | None = None) -> None:
        self.host, self.ptx, self.driver = host, ptx, Driver() if driver is None else driver
        self.notes: list[str] = []
        self._levels = list(LEVELS)
        self.module = Module(self.driver, ptx, self._levels[0])

    def advance(
        self, numbers: Floats, y: Floats, words: Words, t: float, h: float, steps: int, seed: int = 0, block: int = BLOCK
    ) -> Outcome:
        """Step all members.

        Parameters
        ----------
        numbers : array (members, numbers)
        y : array (members, size), changed
        words : array (members, words) of int, changed
        t, h : float
        steps : int
        seed : int
            Chooses the members that the host computes too.
        block : int
            Threads of a block.

        Raises
        ------
        Disagreement
            Where results differ from the host's at every level of the driver's optimizer; nothing is changed then.
        """
        check_shapes(self.host.program, numbers, y, words)
        chosen = np.sort(np.random.default_rng(seed).choice(len(y), min(COMPARED, len(y)), replace=False))
        wanted, kept = y[chosen].copy(), words[chosen].copy()
        expected = self.host.advance(numbers[chosen], wanted, kept, t, h, steps, 1)
        batch = Batch(self.driver, numbers, y, words)
        try:
            while True:
                seconds = self.module.launch(batch.addresses, batch.count, t, h, steps, block)
                after, left, statuses = batch.get()
                worst = difference(after[chosen], wanted)
                if worst <= AGREEMENT and np.array_equal(statuses[chosen], expected):
                    y[:], words[:] = after, left
                    return Outcome(statuses, seconds, worst, self.module.level)
                self._lower(worst)
                batch.set(y, words)
        finally:
            batch.free()

    def _lower(self, worst: float) -> None:
        """Take the next level of the driver's optimizer."""
        level = self._levels.pop(0)
        self.notes.append(f"level {level} of the driver's optimizer differs from the host by {worst:.1e} and is not used")
        self.module.unload()
        if not self._levels:
            raise Disagreement("; ".join(self.notes))
        self.module = Module(self.driver, self.ptx, self._levels[0])


class Batch:
    """Members on the device: their numbers stay there between calls.

    Parameters
    ----------
    driver : Driver
    numbers, y : arrays (members, …)
    words : array (members, …) of int
    """

    def __init__(self, driver: Driver, numbers: Floats, y: Floats, words: Words) -> None:
        self.driver, self.count, self.shapes = driver, len(y), (y.shape, words.shape)
        tiles = -(-self.count // TILE)
        self.addresses = [driver.allocate(8 * tiles * TILE * each.shape[1]) for each in (numbers, y, words)]
        self.addresses.append(driver.allocate(8 * tiles * TILE))
        self._put(self.addresses[0], numbers)
        self.set(y, words)

    def set(self, y: Floats, words: Words) -> None:
        """Write states and words of all members."""
        self._put(self.addresses[1], y)
        self._put(self.addresses[2], words)

    def _put(self, address: int, rows: Any) -> None:
        tiles = tiled(rows)
        self.driver.put(address, tiles.ctypes.data, tiles.nbytes)

    def get(self) -> tuple[Floats, Words, Words]:
        """Return states, words and statuses of all members."""
        tiles, found = -(-self.count // TILE), []
        for address, (_, width), kind in zip(self.addresses[1:3], self.shapes, (np.float64, np.int64), strict=True):
            room = np.zeros((tiles, width, TILE), kind)
            self.driver.get(room.ctypes.data, address, room.nbytes)
            found.append(untiled(room, self.count))
        statuses = np.zeros(tiles * TILE, np.int64)
        self.driver.get(statuses.ctypes.data, self.addresses[3], statuses.nbytes)
        return found[0], found[1], statuses[: self.count]

    def free(self) -> None:
        """Give the memory back."""
        for address in self.addresses:
            self.driver.free(address)
        self.addresses = []


def tiled(array: Any) -> Any:
    """Return rows of members as tiles: (tiles, width, 32), the last one filled up with its last member."""
    count, width = array.shape
    tiles = -(-count // TILE)
    whole = array
    if tiles * TILE != count:
        whole = np.concatenate([array, np.repeat(array[-1:], tiles * TILE - count, axis=0)])
    return np.ascontiguousarray(whole.reshape(tiles, TILE, width).transpose(0, 2, 1))


def untiled(tiles: Any, count: int) -> Any:
    """Return rows of members from their tiles."""
    return np.ascontiguousarray(tiles.transpose(0, 2, 1).reshape(-1, tiles.shape[1])[:count])


def difference(got: Floats, wanted: Floats) -> float:
    """Return the largest difference, relative to max(1, |y|); infinite where one is no number and the other is."""
    gap = np.abs(got - wanted) / np.maximum(1.0, np.abs(wanted))
    gap[np.isnan(got) & np.isnan(wanted)] = 0.0
    return float(np.max(np.where(np.isnan(gap), np.inf, gap), initial=0.0))
