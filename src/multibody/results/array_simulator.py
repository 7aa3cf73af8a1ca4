"""A model that is stepped from outside with arrays: what a controller sets goes in, what it reads comes out."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from multibody.arguments import answered, number_in, short
from multibody.errors import ModelError
from multibody.integrators import contract as C
from multibody.model.paths import component_names
from multibody.results.reading import labels_of, path_text
from multibody.results.simulator import Simulator, SimulatorState

Floats = npt.NDArray[np.float64]


@answered
class ArraySimulator:
    """A model in motion: ``y = sim.step(u)`` holds the inputs for a period and returns the outputs.

    Parameters
    ----------
    simulator : Simulator
    inputs : list of str
        What u sets, as :meth:`Simulator.set` takes it; a vector stands for its components.
    outputs : list of str
        What y has: paths or expressions; a vector stands for its components.
    period : float
        Time between two samples.

    Attributes
    ----------
    simulator : Simulator
        The same model in motion, with all that it can do.
    inputs, outputs : list of str
        Names of the numbers of u and y.
    period : float
    """

    _bare = ("step", "read")  # called more often than anything else

    def __init__(self, simulator: Simulator, inputs: Sequence[str], outputs: Sequence[Any], period: float) -> None:
        self.simulator, self.period = simulator, number_in(period)
        if not (math.isfinite(self.period) and self.period > 0.0):
            raise ModelError(f"period is {short(period)}", where="simulator", hint="give the time between two samples")
        self._given = inputs, outputs
        self.inputs: list[str] = []
        slots: list[int] = []
        for path in _listed(inputs, "inputs"):
            names, own = _taken(simulator, path)
            self.inputs += names
            slots += own
        if len(set(slots)) < len(slots):
            raise ModelError("an input is given twice", where="inputs", hint="name each component once")
        self._slots, self._F, self._new = np.array(slots, dtype=np.int64), simulator._F, np.zeros(len(slots))
        self.outputs: list[str] = []
        readers: list[Callable[[], Any]] = []
        for path in _listed(outputs, "outputs"):
            names, own_readers = _readers(simulator, path_text(path))
            self.outputs += names
            readers += own_readers
        self._readers, self._y = readers, simulator.simulation.y
        places = [_place(simulator, name) for name in self.outputs]
        self._places = np.array(places, dtype=np.int64) if -1 not in places else None

    def step(self, u: Any) -> Floats:
        """Hold the inputs u for a period and return the outputs at its end.

        Parameters
        ----------
        u : array (inputs,)
            Finite numbers, in the model's units and in the order of :attr:`inputs`.

        Returns
        -------
        array (outputs,)
            Its own array every time. A terminal event ends the period early: ``stopped`` is its name then.

        Raises
        ------
        AnalysisError
            If the motion cannot go on; the simulator stays at the last accepted state.
        """
        sim, new = self.simulator, self._new
        try:
            new[:] = u
        except (TypeError, ValueError):
            raise self._misfit(u) from None
        if new.tobytes() != self._F.take(self._slots).tobytes():
            if not all(map(math.isfinite, new.tolist())):
                raise self._misfit(u)
            self._F[self._slots] = new
            sim._renew()
        sim._go(sim._control.item(C.T) + self.period)
        return self.read()

    def _misfit(self, u: Any) -> ModelError:
        """Return the error for inputs that do not fit."""
        return ModelError(f"{short(u)} is no input", where="step", hint=f"give {len(self._new)} finite numbers")

    def read(self) -> Floats:
        """Return the outputs now (outputs,)."""
        if self._places is not None:
            return self._y.take(self._places)
        self.simulator._refresh()
        return np.array([reader() for reader in self._readers])

    # --- where it is --------------------------------------------------------------------------------------------------
    @property
    def t(self) -> float:
        """The time now."""
        return self.simulator.t

    @property
    def stopped(self) -> str:
        """Name of the terminal event that ended the last period early, else ""."""
        return self.simulator.stopped

    @property
    def state(self) -> SimulatorState:
        """Time, positions and velocities now."""
        return self.simulator.state

    def restore(self, state: Any) -> Floats:
        """Go back, or elsewhere, as :meth:`Simulator.restore`; return the outputs there. The inputs stay as they are."""
        self.simulator.restore(state)
        return self.read()

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what makes it again, in this process or another."""
        return ArraySimulator, (self.simulator, *self._given, self.period)

    def __repr__(self) -> str:
        """Return a line for people."""
        ports = f"{len(self.inputs)} inputs, {len(self.outputs)} outputs every {self.period:g}"
        return f"<ArraySimulator of {self.simulator.model.name!r} at t = {self.t:g}: {ports}>"


def _listed(given: Any, where: str) -> list[Any]:
    """Return names as a list; refuse what is none."""
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise ModelError(f"{short(given)} is no list", where=where, hint=f'write ["{given}"]')
    return list(given)


def _taken(simulator: Simulator, path: Any) -> tuple[list[str], list[int]]:
    """Take an input over from its formula; return the names of its numbers and where they stand."""
    known = simulator._inputs.get(path)
    count = 1 if known is None else len(known.values)
    simulator.set(path, 0.0 if count == 1 else [0.0] * count)
    slot = simulator._taken[path]
    return component_names(path, count), [slot] if isinstance(slot, int) else list(slot)


def _readers(simulator: Simulator, text: str) -> tuple[list[str], list[Callable[[], Any]]]:
    """Return the names of the numbers of an output, and what reads each."""
    first = np.atleast_1d(simulator[text])  # refuses what cannot be read
    whole = simulator._readers[text]
    if len(first) == 1:
        return [text], [whole]

    def part(k: int) -> Callable[[], float]:
        return lambda: float(whole()[k])

    return labels_of(text, len(first)), [part(k) for k in range(len(first))]


def _place(simulator: Simulator, text: str) -> int:
    """Return where a joint coordinate or its rate stands in the state of a run in joint coordinates, −1 where it does not."""
    parts = tuple(text.split("."))
    if not all(part.isidentifier() for part in parts):
        return -1
    path = simulator.model.resolve(parts, text, results=True)
    if path.kind != "joint" or path.order > 1:
        return -1
    function = simulator.tables.coordinates["joint", path.owner, path.item, 0]
    return simulator.simulation.space.state_columns()[0].get((function, path.order), -1)
