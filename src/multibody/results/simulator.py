"""A model that is stepped from outside, by a controller or in a lesson."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from multibody.analyses.dynamics.simulation import Simulation
from multibody.analyses.dynamics.stepper import Stepper, started
from multibody.analyses.measures.measure import Measurer
from multibody.arguments import answered
from multibody.kernels.measure import measure_functions
from multibody.model.events import of_results
from multibody.model.model import Model
from multibody.model.paths import Path
from multibody.results.reading import number_or_array, path_text, several
from multibody.results.state import State
from multibody.state.state import State as PlainState
from multibody.state.state import Status


@dataclass(frozen=True, repr=False)
class SimulatorState(State):
    """Where a simulator was: a state, and the work that was done up to there."""

    work: float = 0.0


@answered
class Simulator(Stepper):
    """A model in motion: ``step`` goes on, ``set`` changes an effort, ``sim["O.angle"]`` reads a path.

    Attributes
    ----------
    t : float
        The time now.
    stopped : str
        Name of the terminal event that ended the last step early, else "".
    events : list of Event
    inputs : list of str
        What can be set.
    notes : list of str
        Whether the given start had to be changed.
    """

    def __init__(self, simulation: Simulation, note: str = "") -> None:
        super().__init__(simulation)
        self.notes: list[str] = [note] if note else []
        unseen = [name for name, event in self.model.events.items() if of_results(self.model, event["when"])]
        self.notes += [f'event "{name}" names what only results know: a simulator does not see it' for name in unseen]
        b, nq, nv = simulation.bundle, self.tables.nq, self.tables.nv
        # Reading has a workspace of its own, so that it can never disturb a step; I, F and the state are the living ones.
        self._space = simulation.space.reading()
        self._own = simulation.space.of_bodies
        self._y = simulation.y if self._own else np.zeros(nq + nv + 1)
        self._y[:nq] = self._y[:nq] if self._own else simulation.begin
        y = self._y
        self._views = y[:nq].reshape(1, nq), y[nq : nq + nv].reshape(1, nv), b.ref.reshape(1, len(b.ref))
        self._functions: list[int] = []
        self._measure: tuple[Any, ...] = ()
        self._values = np.zeros((3, 1, 0))
        self._measured = -1  # number of functions that are known at the present state
        self._full: Measurer | None = None
        self._readers: dict[str, Callable[[], Any]] = {}

    # --- reading ------------------------------------------------------------------------------------------------------
    def __getitem__(self, path: Any) -> Any:
        """Return a path or an expression of paths now: a number, or an array for a vector; of several paths a list."""
        self._refresh()
        try:
            reader = self._readers[path]
        except (KeyError, TypeError):  # TypeError: a list of paths cannot be looked up
            return self._first(path)
        return reader()

    get = __getitem__

    def _refresh(self) -> None:
        """Forget what was read before the last step; in joint coordinates, find the bodies anew."""
        if not self._stale:
            return
        self._measured, self._full, self._stale = -1, None, False
        sim = self.simulation
        if not self._own:
            Y, references = sim.y.reshape(1, -1).copy(), sim.bundle.ref.reshape(1, -1).copy()
            self._y[:] = self._space.cartesian(np.array([self.t]), Y, references, self._y[: self.tables.nq])[0]

    def _first(self, path: Any) -> Any:
        """Return a path that was not read before, or several as a list."""
        paths = several(path)
        if paths is not None:
            return [self[one] for one in paths]
        text = path_text(path)
        if text not in self._readers:
            self._readers[text] = self._reader(text)
        return self._readers[text]()

    def _reader(self, text: str) -> Callable[[], Any]:
        """Return the quickest way to read a path."""
        parts = tuple(text.split("."))
        path = self.model.resolve(parts, text, results=True) if all(part.isidentifier() for part in parts) else None
        if path is not None and path.order < 2:
            index = self._index(path)
            if index is not None:
                y = self._y
                return lambda: y.item(index)
            if path.kind == "joint":
                return self._coordinate(self.tables.coordinates["joint", path.owner, path.item, 0], path.order)
        return lambda: self._measured_fully(text)

    def _index(self, path: Path) -> int | None:
        """Return where a path lies in y, None where it must be computed."""
        tables, layout = self.tables, self.tables.layout
        if path.owner not in tables.bodies[1:]:
            return None
        body = tables.bodies.index(path.owner)
        first = layout.first(body) if path.order == 0 else tables.nq + layout.first_rate(body)
        if path.kind == "point" and path.item == "com":
            return first + path.axis
        return first + layout.angle if path.kind == "angle" else None

    def _coordinate(self, function: int, order: int) -> Callable[[], float]:
        """Return a reader of a coordinate function or its rate; all that were ever asked for are computed in one call."""
        if function not in self._functions:
            self._functions.append(function)
            n = len(self._functions)
            self._values = values = np.zeros((3, 1, n))
            q, v, references = self._views
            self._arrays = self._space.reader()
            self._measure = (
                *self._arrays.run, q, v, np.zeros_like(v), references, np.array(self._functions, dtype=np.int64), *values,
            )  # fmt: skip
        k = self._functions.index(function)

        def read() -> float:
            if self._measured != len(self._functions):
                measure_functions(*self._measure)
                self._measured = len(self._functions)
            return self._values.item(order, 0, k)

        return read

    def _measured_fully(self, text: str) -> Any:
        """Return any path or expression, with accelerations and forces."""
        if self._full is None:
            q, v, references = (view.copy() for view in self._views)
            times = np.array([self.t])
            found = self._space.expanded(times, self.simulation.y.reshape(1, -1).copy(), references, q[0], closing=False)
            self._full = Measurer(self.tables, times, q, v, found.A, references, found.dynamics)
        return number_or_array(self._full(text).values[0])

    # --- states -------------------------------------------------------------------------------------------------------
    @property
    def state(self) -> SimulatorState:
        """Time, positions and velocities now: for :meth:`restore`, or as ``initial`` of another analysis."""
        self._refresh()
        q, v, references = self._views
        return SimulatorState(
            self.tables, self.t, q[0].copy(), v[0].copy(), references[0].copy(), "", Status(True, "from a simulator", self.t),
            work=float(self.simulation.y[-1]),
        )  # fmt: skip

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what makes it again, in this process or another; its integrator begins anew where it is now."""
        sim = self.simulation
        taken = {path: self._F[slot].tolist() for path, slot in self._taken.items()}
        method = (sim.formulation, sim.integrator, *sim.tolerances)
        return _again, (self.model, self.state, method, taken, list(sim.events), self.notes, self.stopped)

    def __repr__(self) -> str:
        """Return a line for people."""
        sim = self.simulation
        return f"<Simulator of {self.model.name!r} at t = {self.t:g}: {sim.formulation.name}, {sim.integrator.name}>"


def simulator(
    model: Model, initial: PlainState | None, formulation: Any, integrator: Any, rtol: float | None, atol: float | None,
    step: float | str | None,
) -> Simulator:  # fmt: skip
    """Return a simulator of a model at its start."""
    return Simulator(*started(model, initial, formulation, integrator, rtol, atol, step))


def _again(
    model: Model, state: SimulatorState, method: tuple[Any, Any, float, float], taken: dict[str, Any], events: list[Any],
    notes: list[str], stopped: str,
) -> Simulator:  # fmt: skip
    """Return a simulator that was copied or came from another process."""
    formulation, integrator, rtol, atol = method
    made = simulator(model, state, formulation, integrator, rtol, atol, None)
    for path, value in taken.items():
        made.set(path, value)
    made.restore(state)
    made.simulation.events.extend(events)
    made.notes, made.stopped = notes, stopped
    return made
