"""One member: an analysis of a model, and how its answer is read."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from multibody.analyses.assembly.assemble import assemble
from multibody.analyses.dynamics.run import run
from multibody.analyses.given.own_options import own_options
from multibody.analyses.given.run_options import read_options
from multibody.analyses.inverse.at_time import motion_at
from multibody.analyses.inverse.inverse import actuator_column, inverse
from multibody.analyses.inverse.virtual_power import Efforts
from multibody.analyses.kinematics.kinematics import kinematics, time_grid
from multibody.analyses.measures.measure import Measurer
from multibody.analyses.statics.statics import Balanced, statics
from multibody.errors import ModelError
from multibody.model.model import Model
from multibody.results.instant import motion_between
from multibody.results.run import Run
from multibody.state.motion import Motion
from multibody.state.state import State, Status
from multibody.study.distributions import Floats

Integers = npt.NDArray[np.intp]
Lookup = Callable[[tuple[str, ...]], Any]
Options = Mapping[str, Any]


class Answers(Protocol):
    """The answers of some members, all with as many instants, as reductions read them.

    Attributes
    ----------
    times : array (members, instants)
    known_between : bool
        Whether anything may be known between the instants.
    """

    @property
    def times(self) -> Floats: ...  # noqa: D102

    @property
    def known_between(self) -> bool: ...  # noqa: D102

    def lookup(self, parts: tuple[str, ...]) -> Any:
        """Return the values of a path at all instants of all members, one member behind the other."""
        ...

    def certificate(self, key: str) -> Floats:
        """Return a number of the certificates (members,), NaN where there is none."""
        ...

    def parameter(self, parts: tuple[str, ...]) -> Floats:
        """Return a parameter (members,)."""
        ...

    def first(self, event: str) -> Floats:
        """Return the first time of an event (members,), NaN where it did not happen."""
        ...

    def between(self, which: Integers, times: Floats) -> Answers | None:
        """Return the answers of some members at other times of their motions (which, times); None where they are not known."""
        ...

    def splines(self) -> dict[str, Callable[..., Any]]:
        """Return the model's tables as functions."""
        ...


@dataclass
class Reading:
    """The answer of one member.

    Attributes
    ----------
    status : Status
    t : array (instants,)
    measurer : Measurer
        Reads paths at these instants.
    run : Run, optional
        Of an analysis over time: its events, and the motion between the instants.
    efforts : Efforts, optional
        Of inverse dynamics.
    end : float
        Last time that is asked for, where only the beginning was computed.
    """

    status: Status
    t: Floats
    measurer: Measurer
    run: Run | None = None
    efforts: Efforts | None = None
    end: float = math.nan

    def lookup(self, parts: tuple[str, ...]) -> Any:
        """Return the values of a path over time; the effort of an actuator where inverse dynamics knows one."""
        if self.efforts is not None and parts[-1] == "effort":
            column = actuator_column(self.efforts.motion.tables.model, self.efforts.actuators, ".".join(parts[:-1]))
            if column >= 0:
                return self.efforts.values[:, column]
        return self.measurer.lookup(parts)

    @property
    def times(self) -> Floats:
        """The instants (1, instants)."""
        return self.t[None, :]

    @property
    def known_between(self) -> bool:
        """Whether anything may be known between the instants: efforts of inverse dynamics are not."""
        return self.run is not None and self.efforts is None

    def parameter(self, parts: tuple[str, ...]) -> Floats:
        """Return a parameter (1,)."""
        tables = self.measurer.tables
        at = tables.parameter_slots[parts]
        return tables.F[at : at + 1]

    def first(self, event: str) -> Floats:
        """Return the first time of an event (1,), NaN where it did not happen."""
        events = () if self.run is None else self.run.events
        return np.array([next((found.time for found in events if found.name == event), math.nan)])

    def certificate(self, key: str) -> Floats:
        """Return a number of the run's certificate (1,), NaN where it has none."""
        found = None if self.run is None else self.run.motion.certificate.get(key)
        return np.array([math.nan if found is None else float(found)])

    def splines(self) -> dict[str, Callable[..., Any]]:
        """Return the model's tables as functions."""
        return self.measurer.splines()

    def between(self, which: Integers, times: Floats) -> Reading | None:
        """Return the answer at other times of the motion (1, times); None where it is not known there."""
        if self.run is None or self.efforts is not None:
            return None
        try:
            found = motion_between(self.run, times[0])
        except ModelError:  # a long run lets go of what lies between its first instants; a lock-up is near
            return None
        if found is None:
            return None
        measurer = Measurer(found.tables, found.t, found.q, found.v, found.a, found.references, found.dynamics)
        return Reading(self.status, found.t, measurer)


@dataclass(frozen=True)
class Analysis:
    """What a study can do with every member.

    Attributes
    ----------
    whole : callable
        ``whole(model, state, options)`` does it.
    read : callable
        ``read(found)`` makes a reading of its answer.
    begin : callable
        Does it at the first instant alone, for units and to try the outputs on; raises for options that do not fit.
    options : tuple of str
        What it can be told.
    forces : bool
        Whether it knows forces.
    instant : bool
        Whether it has one instant alone.
    certified : bool
        Whether it has a certificate.
    """

    whole: Callable[[Model, State | None, Options], Any]
    read: Callable[[Any], Reading]
    begin: Callable[[Model, State | None, Options], Reading]
    options: tuple[str, ...]
    forces: bool
    instant: bool = False
    certified: bool = False

    def __call__(self, model: Model, state: State | None, options: Options) -> Reading:
        """Return the answer of one member."""
        return self.read(self.whole(model, state, options))


def _of_motion(motion: Motion) -> Reading:
    made = Run(motion, quiet=True)
    return Reading(motion.status, motion.t, made.measurer, made)


def _of_efforts(found: Efforts) -> Reading:
    return replace(_of_motion(found.motion), status=found.status, efforts=found)


def _of_balance(found: Balanced) -> Reading:
    m = found.motion
    return Reading(found.status, m.t, Measurer(m.tables, m.t, m.q, m.v, m.a, m.references, m.dynamics))


def _of_state(found: State) -> Reading:
    t = np.array([found.t])
    return Reading(found.status, t, Measurer(found.tables, t, found.q[None, :], found.v[None, :], None, found.references))


def _run(model: Model, state: State | None, options: Options) -> Motion:
    return run(model, initial=state, **options)


def _run_begin(model: Model, state: State | None, options: Options) -> Reading:
    told: dict[str, Any] = {key: options.get(key) for key in _RUN}
    asked = read_options(model, dense=True, **told)
    start = 0.0 if state is None else state.t
    if asked.until == start:
        raise ModelError(f"the end time equals the start, {start:g}", where="study", hint="give a later time")
    given = {key: options[key] for key in ("formulation", "cut") if key in options}
    return replace(_of_motion(motion_at(model, start, {**given, "initial": state})), end=asked.until)


def _kinematics(model: Model, state: State | None, options: Options) -> Motion:
    return kinematics(model, initial=state, **options)


def _kinematics_begin(model: Model, state: State | None, options: Options) -> Reading:
    first, last = _ends(model, options, "kinematics")
    return replace(_of_motion(kinematics(model, initial=state, times=[first])), end=last)


def _inverse(model: Model, state: State | None, options: Options) -> Efforts:
    return inverse(model, initial=state, **options)


def _inverse_begin(model: Model, state: State | None, options: Options) -> Reading:
    given = {key: options[key] for key in ("efforts", "formulation") if key in options}
    first, last = _ends(model, options, "inverse")
    return replace(_of_efforts(_inverse(model, state, {**given, "times": [first]})), end=last)


def _ends(model: Model, options: Options, verb: str) -> tuple[float, float]:
    """Return the first and the last instant of a grid, which is checked."""
    grid = time_grid(model, options.get("start"), options.get("until"), options.get("steps"), None, None, verb)
    return float(grid[0]), float(grid[-1])


def _statics(model: Model, state: State | None, options: Options) -> Balanced:
    asked = own_options(model, "statics", t=options.get("t"), method=None, tolerance=options.get("tolerance"))
    return statics(model, state, **{key: value for key, value in asked.items() if value is not None})


def _statics_begin(model: Model, state: State | None, options: Options) -> Reading:
    return _of_balance(_statics(model, state, options))


def _assemble(model: Model, state: State | None, options: Options) -> State:
    return assemble(model, state, own_options(model, "assemble", t=options.get("t"))["t"])


def _assemble_begin(model: Model, state: State | None, options: Options) -> Reading:
    return _of_state(_assemble(model, state, options))


_RUN = ("until", "formulation", "integrator", "rtol", "atol", "step", "output_step", "cut")
_GRID = ("until", "start", "steps")
ANALYSES = {
    "run": Analysis(_run, _of_motion, _run_begin, _RUN, forces=True, certified=True),
    "kinematics": Analysis(_kinematics, _of_motion, _kinematics_begin, _GRID, forces=False),
    "inverse": Analysis(_inverse, _of_efforts, _inverse_begin, (*_GRID, "efforts", "formulation"), forces=True),
    "statics": Analysis(_statics, _of_balance, _statics_begin, ("t", "tolerance"), forces=True, instant=True),
    "assemble": Analysis(_assemble, _of_state, _assemble_begin, ("t",), forces=False, instant=True),
}
