"""Members of a run before they move: numbers, state and words of each, as specialized code takes them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from multibody.analyses.dynamics.opening import begun, opened, planned
from multibody.analyses.dynamics.run import INTERVALS
from multibody.analyses.dynamics.simulation import Simulation
from multibody.analyses.given.run_options import Options, read_options
from multibody.analyses.members.numbers import NotServed
from multibody.analyses.specialized.quick import QuickPreparation
from multibody.analyses.specialized.symbols import SymbolicMeasurer
from multibody.errors import AnalysisError, ModelError
from multibody.formulations.spaces.cartesian_space import CartesianSpace
from multibody.formulations.spaces.joint_space import JointSpace
from multibody.integrators import INTEGRATORS, LENGTH, OWN
from multibody.integrators import contract as C
from multibody.model.model import Model
from multibody.model.parameters import changed
from multibody.specialize.image import Floats, Words, room_of
from multibody.specialize.integration import Kept
from multibody.specialize.observer import Acting
from multibody.specialize.schedule import Schedule
from multibody.specialize.specialized import Specialized
from multibody.state.state import State
from multibody.state.system import Integers, tables_of
from multibody.tables.lower import Tables

TOLD = ("until", "formulation", "integrator", "rtol", "atol", "step", "output_step", "cut")
READ_AS: dict[type, str] = {CartesianSpace: "bodies", JointSpace: "joints"}  # how members are read, by the class of their space
WHOLE = 1e-9  # share of a step by which a way may differ from a whole number of them


@dataclass(frozen=True)
class Prepared:
    """Members at their start.

    Attributes
    ----------
    numbers, y : arrays (members, ·)
    words : array (members, ·) of int
    fits : array (members,) of bool
        Whether a member has the structure of the code, and a start; the rows of the others mean nothing.
    told : array (members, ·) or None
        What an integrator is told of members at their start.
    """

    numbers: Floats
    y: Floats
    words: Words
    fits: Any
    told: Floats | None = None


def simulation_of(model: Model, state: State | None, told: Mapping[str, Any]) -> tuple[Simulation, Options]:
    """Return a run at its start, as ``run`` begins it, and what it was asked.

    Raises
    ------
    AnalysisError, ModelError
        Where it has no start.
    """
    given: dict[str, Any] = {key: told.get(key) for key in TOLD}
    asked = read_options(model, dense=False, **given)
    tables = tables_of(model)
    choice = planned(tables, asked)
    opening = opened(model, state, tables=tables).required()
    if opening.determined:
        hint = 'take analysis="kinematics"'
        raise ModelError("motions leave nothing free", where="study.device", hint=hint)
    found, _ = begun(opening.with_inertia(choice.regular), choice, asked, dense=False)
    found.face(asked.until)
    return found, asked


def check(simulation: Simulation, asked: Options) -> Schedule:
    """Return when members are read; refuse what specialized code does not do, with what would do.

    Parameters
    ----------
    simulation : Simulation
        Of the model as it is.
    asked : Options
    """
    made, where = simulation.integrator, "study.device"
    if not made.specialized:
        able = [name for name, kind in INTEGRATORS.items() if kind.specialized]
        usual = next(name for name, kind in INTEGRATORS.items() if kind.specialized and kind.usual)
        problem = f"specialized code steps by {', '.join(able)}, and not by {made.name}"
        raise ModelError(problem, where=where, hint=f'say integrator="{usual}", or leave device out')
    formulation, space = simulation.formulation, simulation.space
    if formulation.renewed or type(space) not in READ_AS:
        hint = "take augmented or articulated"
        raise ModelError(f"{formulation.name} is not made into specialized code here", where="study.formulation", hint=hint)
    if simulation.watches or simulation.ahead.next(simulation.t, asked.until, 1.0) is not None:
        problem = "the model has events, or formulas that switch, which specialized code steps over"
        raise ModelError(problem, where=where, hint="leave device out")
    span = asked.until - simulation.t
    if made.specialized == OWN:
        spacing = abs(span) / INTERVALS if asked.output_step is None else asked.output_step
        if spacing >= abs(span):
            spacing = abs(span)
        return Schedule(
            simulation.t, math.copysign(spacing, span), 1, _whole(abs(span) / spacing, "output_step", spacing, abs(span))
        )
    step = float(getattr(made, "step", None) or math.nan)
    steps = _whole(abs(span) / step, "step", step, abs(span))
    every = 1 if asked.output_step is None else _whole(asked.output_step / step, "step", step, asked.output_step)
    if steps % every:
        hint = f"let {asked.output_step:g} divide {abs(span):g}"
        raise ModelError("the last instant is not at the end", where="study.output_step", hint=hint)
    return Schedule(simulation.t, math.copysign(step, span), every, steps // every)


def _whole(ratio: float, key: str, step: float, span: float) -> int:
    """Return a number of steps that has to be a whole one."""
    count = round(ratio)
    if count < 1 or abs(ratio - count) > WHOLE * max(count, 1):
        hint = f"{span / max(math.ceil(ratio), 1):.6g} would do" if span > 0.0 else "give a time that is not zero"
        raise ModelError(f"{span:g} is no whole number of steps of {step:g}", where=f"study.{key}", hint=hint)
    return count


def layout_of(simulation: Simulation) -> Kept | None:
    """Return how what the integrator keeps of a member lies; None for steps of one length, which keep nothing."""
    made = simulation.integrator
    if made.specialized == LENGTH:
        return None
    sizes = (len(simulation.y), len(simulation.bundle.ref), made.name, made.memory_rows, made.dense_rows)
    return Kept(*sizes, len(simulation.work[0]), room_of(simulation.bundle)) if made.implicit else Kept(*sizes)


def told_of(simulation: Simulation, layout: Kept, until: float, dense: bool) -> Floats:
    """Return what an integrator is told of a member at its start: among others its end, and whether it is read on the way."""
    found = np.zeros(layout.length("told"))
    control, counts = simulation.control.copy(), simulation.counts.copy()
    control[C.END], counts[C.DENSE] = until, int(dense)
    own = {"control": control, "counts": counts.view(np.float64), "atol": simulation.atol, "active": simulation.active}
    for part, values in own.items():
        place = layout.told(found, part)
        place[:] = values[: len(place)]
    return found


class Preparation:
    """Prepares members of one structure.

    Parameters
    ----------
    model : Model
        In which everything that is varied is a parameter.
    names : tuple of str
        These parameters.
    state : State or None
        Where each member starts.
    told : mapping
        Options of ``run``.
    """

    def __init__(self, model: Model, names: tuple[str, ...], state: State | None, told: Mapping[str, Any]) -> None:
        self.model, self.names, self.state, self.told = model, names, state, dict(told)
        self._checked = False
        self.base, asked = simulation_of(model, state, told)
        self.schedule = check(self.base, asked)
        rhs, accept = self.base.formulation.kernels()
        self.layout = layout_of(self.base)
        self._way = (asked.until, self.schedule.count > 1)
        self.code = Specialized(self.base.bundle, rhs, accept, len(self.base.y), self.layout)

    @cached_property
    def _quick(self) -> QuickPreparation | None:
        """What prepares all members at once, where compiled loops do; believed once a member of its is the same to the bit."""
        try:
            return QuickPreparation(self.model, self.names, self.state, self.told, self.base)
        except NotServed:
            return None

    @property
    def reading(self) -> str:
        """How members are read."""
        return READ_AS[type(self.base.space)]

    @property
    def closing(self) -> bool:
        """Whether states are brought onto the constraints before they are read: of dense output, and where no step is."""
        return self.layout is not None or (self.base.formulation.stabilized and self.base.space.of_bodies)

    @property
    def tables(self) -> Tables:
        """The tables of the model."""
        return self.base.system.tables

    @property
    def rows(self) -> Integers:
        """The rows that carry multipliers."""
        space: Any = self.base.space
        return self.base.rows if space.of_bodies else space.independent_rows()

    def measurer(self, entries: int) -> SymbolicMeasurer:
        """Return what reads paths at an instant; Φ_q has so many entries."""
        return SymbolicMeasurer(self.tables, self.rows, entries)

    def acting(self) -> Acting | None:
        """Return None: no effort is sought."""
        return None

    def prepared(self, values: Floats) -> Prepared:
        """Return members from the values of their parameters, rows of an array (members, varied)."""
        numbers, words = self.code.member(self.base.bundle)
        n = len(values)
        told = None if self.layout is None else np.tile(told_of(self.base, self.layout, *self._way), (n, 1))
        own, y = np.tile(numbers, (n, 1)), np.tile(self.base.y, (n, 1))
        made = Prepared(own, y, np.tile(words, (n, 1)), np.zeros(n, bool), told)
        left = np.arange(n)
        if self._quick is not None:
            tolerances = np.zeros_like(made.y) if told is None or self.layout is None else self.layout.told(told, "atol")
            made.fits[:] = self._quick(values, (made.numbers, made.y, made.words, tolerances))
            left = np.flatnonzero(~made.fits)
            if not self._same(values, made):
                self.__dict__["_quick"], left = None, np.arange(n)
                made.fits[:] = False
        for k in left:
            found = self._one(values[k])
            if found is not None:
                made.numbers[k], made.y[k], made.words[k] = found[:3]
                made.fits[k] = True
                if made.told is not None:
                    made.told[k] = found[3]
        return made

    def _same(self, values: Floats, made: Prepared) -> bool:
        """Return whether the first member that was prepared in compiled loops is what a simulation begins with."""
        first = np.flatnonzero(made.fits)[:1]
        if self._checked or not len(first):
            return True
        k, found = first[0], self._one(values[first[0]])
        if found is None or self._quick is None:
            return False
        counted = self._quick.counted(made.numbers.shape[1])
        own = (made.numbers[k, counted], made.y[k], made.words[k], *(() if made.told is None else (made.told[k],)))
        pairs = zip(own, (found[0][counted], *found[1:]), strict=True)
        self._checked = all(np.array_equal(a, b, equal_nan=b.dtype == np.float64) for a, b in pairs)
        return self._checked

    def _one(self, row: Floats) -> tuple[Any, ...] | None:
        """Return numbers, state and words of one member, and what an integrator keeps; None where it does not fit."""
        try:
            own, _ = simulation_of(self.varied(row), self.state, self.told)
            numbers, words = self.code.member(own.bundle)
        except (ModelError, AnalysisError, ArithmeticError, np.linalg.LinAlgError):
            return None  # the ordinary way says why
        told = () if self.layout is None else (told_of(own, self.layout, *self._way),)
        return numbers, own.y, words, *told

    def varied(self, row: Floats) -> Model:
        """Return the model of one member."""
        return changed(self.model, {name: float(x) for name, x in zip(self.names, row, strict=True)})
