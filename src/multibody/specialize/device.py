"""Specialized code on an NVIDIA processor, compared in every call with some members that the host computes."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from multibody.specialize import tuning
from multibody.specialize.cuda import LEVELS, Driver, Module
from multibody.specialize.folding import folded
from multibody.specialize.host import HostCode, HostIntegration, HostReader, check_shapes
from multibody.specialize.image import Floats, Words
from multibody.specialize.program import TILE
from multibody.specialize.schedule import Schedule, host_run, instants_in
from multibody.specialize.shared import common, with_constants

AGREEMENT = 1e-9  # largest difference from the host, relative to max(1, |y|)
COMPARED = 16  # members of a call that the host computes too
TINY = 1e-300  # an output that is nowhere larger is zero


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
    """PTX of steps, and of readings, on a device, with the same programs on the host beside it.

    Parameters
    ----------
    ptx : str
    host : HostCode or HostIntegration
        Of the same structure.
    driver : Driver, optional
        By default on the first device.
    reader : tuple of str and HostReader, optional
        PTX of the readings, and the same on the host.

    Attributes
    ----------
    notes : list of str
        What was refused on the way: levels of the driver's optimizer that made wrong code.
    seconds : float
        That the device has computed in all.
    """

    def __init__(
        self, ptx: str, host: HostCode | HostIntegration, driver: Driver | None = None,
        reader: tuple[str, HostReader] | None = None,
    ) -> None:  # fmt: skip
        self.host, self.driver = host, Driver() if driver is None else driver
        self.notes: list[str] = []
        self.seconds = 0.0
        self._codes = [ptx] if reader is None else [ptx, reader[0]]
        self._reader = None if reader is None else reader[1]
        self._levels, self._choice = list(LEVELS), tuning.remembered(self._codes[0], self.driver.name)
        self._tried = self._choice is not None
        if self._choice is not None:
            self._prefer(self._choice.level)
        self._same, self._values = np.zeros(0, dtype=bool), np.zeros(0)
        self.modules: list[Module] = []

    def _specialized(self, numbers: Floats) -> None:
        """Load code in which numbers that all members share are constants, unless what is loaded serves."""
        same, first = common(numbers), numbers[0].copy()
        if self.modules:
            same &= self._same & (first.view(np.int64) == self._values.view(np.int64))
            if np.array_equal(same, self._same):
                return
        self._same, self._values = same, first
        self._load()

    def _load(self) -> None:
        """Load code of the present level."""
        for module in self.modules:
            module.unload()
        codes = [folded(with_constants(code, self._same, self._values)) for code in self._codes]
        self.modules = [Module(self.driver, code, self._levels[0]) for code in codes]
        if self._choice is not None and self._choice.level == self._levels[0]:
            self.modules[0].limit(self._choice.warps)

    def _prefer(self, level: int) -> None:
        """Take a level before all others."""
        if level in self._levels:
            self._levels = [level, *(each for each in self._levels if each != level)]

    def _tune(self, batch: Batch, go: Callable[[Any], None]) -> None:
        """Find out by a few steps which code is fastest, once for a code and a device, where that is worth it."""
        if self._tried or not tuning.is_worth(self.driver, self.modules[0], batch.count):
            return
        self._tried = True
        code = folded(with_constants(self._codes[0], self._same, self._values))
        modules = {level: Module(self.driver, code, level) for level in tuning.LEVELS if level in self._levels}
        self._choice = tuning.fastest(self.driver, modules, go, batch.reset)
        for module in modules.values():
            module.unload()
        tuning.remember(self._codes[0], self.driver.name, self._choice)
        self._prefer(self._choice.level)
        self._load()

    def advance(
        self, numbers: Floats, y: Floats, words: Words, t: float, h: float, steps: int, seed: int = 0, block: int | None = None
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
        block : int, optional
            Threads of a block, by default as many as suit the code.

        Raises
        ------
        Disagreement
            Where results differ from the host's at every level of the driver's optimizer; nothing is changed then.
        """
        if isinstance(self.host, HostIntegration):
            raise ValueError("an integrator goes from instant to instant")
        check_shapes(self.host.program, numbers, y, words)
        self.driver.use()
        self._specialized(numbers)
        chosen = _chosen(len(y), seed)
        wanted, kept = y[chosen].copy(), words[chosen].copy()
        expected = self.host.advance(numbers[chosen], wanted, kept, t, h, steps, 1)

        def go(batch: Batch) -> None:
            self.modules[0].enqueue(batch.at.stepped, batch.count, t, h, (steps,), block)

        def gap(found: Found) -> float:
            return difference(found.y[chosen], wanted)

        with Batch(self.driver, numbers, y, words) as batch:
            vectors, few = batch.at.stepped, (min(steps, tuning.STEPS),)
            self._tune(batch, lambda module: module.enqueue(vectors, batch.count, t, h, few, block))
            found, outcome = self._agreed(batch, go, gap, chosen, expected)
        y[:], words[:] = found.y, found.words
        return outcome

    def run(
        self, numbers: Floats, y: Floats, words: Words, schedule: Schedule, seed: int = 0, block: int | None = None,
        told: Floats | None = None,
    ) -> tuple[Floats, Outcome]:  # fmt: skip
        """Move all members and read them on the way; return their results.

        Parameters
        ----------
        numbers, y, words : arrays (members, ·)
            Where members begin; left as they are.
        schedule : Schedule
        seed : int
        block : int, optional
        told : array (members, ·), optional
            What an integrator is told of members at their start.

        Raises
        ------
        Disagreement
        """
        if self._reader is None:
            raise ValueError("this code reads nothing")
        check_shapes(self.host.program, numbers, y, words)
        self.driver.use()
        self._specialized(numbers)
        chosen, width = _chosen(len(y), seed), self._reader.program.results
        begins = (numbers[chosen], y[chosen], words[chosen])
        wanted, expected = host_run(self.host, self._reader, *begins, schedule, 1, None if told is None else told[chosen])
        scale = np.max(np.abs(np.where(np.isfinite(wanted), wanted, 0.0)), axis=0, initial=0.0)

        def go(batch: Batch) -> None:
            if batch.states is not None:
                self._integrate(batch, batch.states, schedule, block)
                return
            for t, h, k, steps in schedule.parts():
                if steps:
                    self.modules[0].enqueue(batch.at.stepped, batch.count, t - steps * h, h, (steps,), block)
                spacing = schedule.every * h
                self.modules[1].enqueue(batch.at.read(), batch.count, t, spacing, (k,), block)

        def gap(found: Found) -> float:
            return difference(found.results[chosen], wanted, np.maximum(scale, TINY))

        def few(module: Any) -> None:
            if batch.states is not None:
                self._some_instants(module, batch, batch.states, schedule, range(min(batch.states.room, 2)), block)
                return
            steps = min(schedule.every * schedule.count, tuning.STEPS)
            module.enqueue(batch.at.stepped, batch.count, schedule.t, schedule.h, (steps,), block)

        room = 0 if told is None else self.host.program.kept.length("kept")
        with Batch(self.driver, numbers, y, words, width, told, room) as batch:
            self._tune(batch, few)
            found, outcome = self._agreed(batch, go, gap, chosen, expected)
        return found.results, outcome

    def _integrate(self, batch: Batch, states: States, schedule: Schedule, block: int | None) -> None:
        """Let the integrator go from instant to instant, as many at a time as there is room for, and read them."""
        t, h = schedule.t, schedule.h
        for instants in schedule.parts_of(states.room):
            self._some_instants(self.modules[0], batch, states, schedule, instants, block)
            for j, k in enumerate(instants):
                y, words = states.at(j)
                read = batch.at._replace(y=y, words=words).read()
                self.modules[1].enqueue(read, batch.count, t + k * h, h, (k,), block)

    def _some_instants(
        self, module: Any, batch: Batch, states: States, schedule: Schedule, instants: range, block: int | None
    ) -> None:
        """Let the integrator go to some instants."""
        asked = (instants[0], len(instants), schedule.count, states.rows)
        own = batch.at
        vectors = [own.numbers, own.y, own.words, *states.addresses, own.statuses]
        module.enqueue(vectors, batch.count, schedule.t, schedule.h, asked, block)

    def _agreed(
        self, batch: Batch, go: Callable[[Batch], None], gap: Callable[[Found], float], chosen: Words, expected: Words
    ) -> tuple[Found, Outcome]:
        """Return what the device finds as soon as it is what the host finds, by code of ever lower levels."""
        while True:
            self.driver.finish()
            begin = time.perf_counter()
            go(batch)
            self.driver.finish()
            seconds = time.perf_counter() - begin
            found = batch.get()
            worst = gap(found)
            if worst <= AGREEMENT and np.array_equal(found.statuses[chosen], expected):
                self.seconds += seconds
                return found, Outcome(found.statuses, seconds, worst, self._levels[0])
            self._lower(worst)
            batch.reset()

    def _lower(self, worst: float) -> None:
        """Take the next level of the driver's optimizer."""
        level = self._levels.pop(0)
        self.notes.append(f"level {level} of the driver's optimizer differs from the host by {worst:.1e} and is not used")
        if not self._levels:
            raise Disagreement("; ".join(self.notes))
        self._load()


class Addresses(NamedTuple):
    """Where on the device what every member has begins; results are 0 where nothing is read."""

    numbers: int
    y: int
    words: int
    results: int
    statuses: int

    @property
    def stepped(self) -> list[int]:
        """What steps are told."""
        return [self.numbers, self.y, self.words, self.statuses]

    def read(self) -> list[int]:
        """Return what readings are told."""
        return list(self)


class States(NamedTuple):
    """Addresses of what an integrator keeps and of the states at some instants; the members that these have room for."""

    told: int
    kept: int
    y: int
    words: int
    rows: int
    room: int
    widths: tuple[int, int]

    @property
    def addresses(self) -> list[int]:
        """All addresses, in the order in which an integrator is told them."""
        return [self.told, self.kept, self.y, self.words]

    def at(self, j: int) -> tuple[int, int]:
        """Return where y and words of an instant are."""
        return self.y + 8 * j * self.rows * self.widths[0], self.words + 8 * j * self.rows * self.widths[1]


class Found(NamedTuple):
    """What lies on the device after a call: states, words, results (members, ·) and statuses."""

    y: Floats
    words: Words
    results: Floats
    statuses: Words


class Batch:
    """Members on the device.

    Parameters
    ----------
    driver : Driver
    numbers, y : arrays (members, …)
    words : array (members, …) of int
    results : int
        Length of a member's results.
    told : array (members, ·), optional
        What an integrator is told of members at their start.
    kept : int
        Length of what it keeps beside that.
    """

    def __init__(
        self, driver: Driver, numbers: Floats, y: Floats, words: Words, results: int = 0, told: Floats | None = None,
        kept: int = 0,
    ) -> None:  # fmt: skip
        self.driver, self.count, self._begin = driver, len(y), (y, words)
        self._results = results
        tiles = -(-self.count // TILE)

        def room(width: int) -> int:
            return driver.allocate(8 * tiles * TILE * width)

        self.at = Addresses(
            numbers=room(numbers.shape[1]), y=room(y.shape[1]), words=room(words.shape[1]),
            results=room(results) if results else 0, statuses=room(1),
        )  # fmt: skip
        self._put(self.at.numbers, numbers)
        self._told, self._kept_size = told, 8 * tiles * TILE * kept
        self.states = None if told is None else self._states((told.shape[1], kept), tiles * TILE)
        self.reset()

    def _states(self, lengths: tuple[int, int], rows: int) -> States:
        """Return room for what an integrator keeps and for states at some instants."""
        size, words = (given.shape[1] for given in self._begin)
        room = instants_in(size, words, rows)
        told, kept, y, known = (self.driver.allocate(8 * rows * each) for each in (*lengths, room * size, room * words))
        return States(told, kept, y, known, rows, room, (size, words))

    def __enter__(self) -> Batch:
        return self

    def __exit__(self, *ended: object) -> None:
        self.free()

    def reset(self) -> None:
        """Put all members where they begin."""
        y, words = self._begin
        self._put(self.at.y, y)
        self._put(self.at.words, words)
        if self._results:
            self._put(self.at.results, np.zeros((self.count, self._results)))
        if self.states is not None:
            self._put(self.states.told, self._told)
            self.driver.clear(self.states.kept, self._kept_size)
        self._put(self.at.statuses, np.zeros((self.count, 1), np.int64))

    def _put(self, address: int, rows: Any) -> None:
        tiles = tiled(rows)
        self.driver.put(address, tiles.ctypes.data, tiles.nbytes)

    def get(self) -> Found:
        """Return what lies there now."""
        at, (y, words) = self.at, (given.shape[1] for given in self._begin)
        results = self._got(at.results, self._results, np.float64) if self._results else np.zeros((self.count, 0))
        statuses = self._got(at.statuses, 1, np.int64)[:, 0]
        return Found(self._got(at.y, y, np.float64), self._got(at.words, words, np.int64), results, statuses)

    def _got(self, address: int, width: int, kind: Any) -> Any:
        room = np.zeros((-(-self.count // TILE), width, TILE), kind)
        self.driver.get(room.ctypes.data, address, room.nbytes)
        return untiled(room, self.count)

    def free(self) -> None:
        """Give the memory back."""
        for address in filter(None, (*self.at, *([] if self.states is None else self.states.addresses))):
            self.driver.free(address)
        self.states = None


def _chosen(count: int, seed: int) -> Words:
    """Return the members that the host computes too."""
    return np.sort(np.random.default_rng(seed).choice(count, min(COMPARED, count), replace=False))


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


def difference(got: Floats, wanted: Floats, scale: Floats | float = 1.0) -> float:
    """Return the largest difference, relative to max(scale, |wanted|); infinite where one is no number and the other is."""
    gap = np.abs(got - wanted) / np.maximum(scale, np.abs(wanted))
    gap[(np.isnan(got) & np.isnan(wanted)) | (got == wanted)] = 0.0
    return float(np.max(np.where(np.isnan(gap), np.inf, gap), initial=0.0))
