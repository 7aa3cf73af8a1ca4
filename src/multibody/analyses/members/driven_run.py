"""Members of a study of ``run`` whose motions determine everything: followed as in ``kinematics``, with their forces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from multibody.analyses.dynamics.choice import Choice
from multibody.analyses.dynamics.opening import opened, planned
from multibody.analyses.dynamics.run import output_times
from multibody.analyses.given.run_options import Options, read_options
from multibody.analyses.members.drive import DriveAnswers, DriveBatch, DriveMembers
from multibody.analyses.members.instants import set_times
from multibody.analyses.members.numbers import NotServed, note
from multibody.analyses.members.run import KEYS, RunMembers
from multibody.analyses.members.together import Stack
from multibody.arguments import number_in
from multibody.errors import AnalysisError, ModelError
from multibody.formulations.expand import expand
from multibody.formulations.prepare import Bundle, prepare
from multibody.integrators import driven_members as DM
from multibody.integrators import members as M
from multibody.kernels.codes import ENERGIES, KINETIC, POTENTIAL
from multibody.model.model import Model
from multibody.rank.run_rows import run_rows
from multibody.state.kinetics import Dynamics
from multibody.state.state import State
from multibody.state.system import Floats, Integers, System, tables_of


def run_members(
    model: Model, names: Sequence[str], options: Mapping[str, Any], state: State | None = None
) -> RunMembers | DrivenRunMembers:
    """Return what computes the members of a study of ``run``; arguments as for ``RunMembers``."""
    if state is None and _is_determined(model):
        return DrivenRunMembers(model, names, options)
    return RunMembers(model, names, options, *(() if state is None else (state,)))


def _is_determined(model: Model) -> bool:
    """Return whether joints and motions leave nothing free at the start of a model."""
    try:
        return bool(tables_of(model).count_motion) and opened(model, None).determined
    except (ModelError, AnalysisError):
        return False


class DrivenRunMembers(DriveMembers):
    """The members of a study of ``run`` whose motions determine everything.

    Parameters
    ----------
    model, names, options
        As for ``RunMembers``.
    """

    verb = "run"
    base: Bundle

    def _read_times(self, model: Model, options: Mapping[str, Any]) -> None:
        self.options: Options = read_options(model, dense=True, **{key: options.get(key) for key in KEYS})
        self.choice: Choice = planned(self.tables, self.options)
        if self.choice.formulation.own_forces and not self.choice.chosen:
            raise NotServed(f"formulation {self.choice.formulation.name} of a driven model")
        own = self.model.defaults.of("run")
        for key in ("step", "output_step"):
            value = options.get(key, own.get(key))
            if value is not None and np.isnan(number_in(value)):
                raise NotServed(f"{key} is a formula")
        given = options.get("until", own.get("until"))
        plain = not np.isnan(number_in(given))
        self.until = self.options.until if plain else self.numbers.number(model, given, "run.until")
        self.instants = output_times(0.0, self.options, self.tables)
        self.count = len(self.instants)

    def _blocks(self, system: System) -> Bundle:
        if not all(slots.stated for slots in self.tables.masses):
            raise NotServed("some bodies have no mass")
        self.rows = opened(self.model, None).rows
        return prepare(self.tables, self.rows, np.zeros(len(system.ref)), False)

    def batch(self, count: int) -> DrivenRunBatch:
        """Return room for so many members at a time."""
        return DrivenRunBatch(self, count)

    def _set_times(self, b: DriveBatch, n: int, why: Any) -> None:
        ends = self.numbers.evaluated(self.until, b.numbers[:n])
        note(why, set_times(ends, 0.0, self.options, self.tables, self.choice.integrator, b.times[:n]), "other instants")

    def _begin(self, b: DriveBatch, n: int, why: Any) -> None:
        assert isinstance(b, DrivenRunBatch)
        numbers = b.numbers[:n]
        note(why, self.numbers.inverts(numbers, b.codes[:n, M.HEAVY] == 1) == self.base.regular, "other masses that count")
        if not self.plain:
            note(why, np.array([why[k] != "" or self._has_rows(b, k) for k in range(n)], dtype=bool), "other rows")
        self.numbers.scales(numbers, b.row_scale[:n], b.column_scale[:n])
        self.numbers.row_weights(numbers, b.row_weight[:n])
        state = self.base.state
        b.statistics[:n], b.settings[:n] = state.statistics.view(np.float64), state.settings.view(np.float64)

    def _has_rows(self, b: DriveBatch, k: int) -> bool:
        """Return whether the rows that carry forces in the model do so in a member."""
        return np.array_equal(run_rows(b.one.system(k), b.Q[k], 0.0), self.rows)

    def answers(self, b: DriveBatch, which: Integers) -> DrivenRunAnswers:
        """Return what was computed of members."""
        assert isinstance(b, DrivenRunBatch)
        return DrivenRunAnswers(b.stack(which, self.last_only))


class DrivenRunBatch(DriveBatch):
    """Some members whose motions determine everything, with what forces need.

    Parameters
    ----------
    members : DrivenRunMembers
    count : int
        How many there is room for.
    """

    members: DrivenRunMembers

    def _scales(self, count: int) -> Mapping[str, Floats]:
        model = self.members.base.model
        names = ("row_scale", "column_scale", "row_weight")
        self.row_scale, self.column_scale, self.row_weight = made = [np.zeros((count, len(getattr(model, x)))) for x in names]
        self.answers = np.zeros((count, 1), dtype=np.int64)
        return dict(zip(names, made, strict=True))

    def expand(self, stack: Stack, times: Floats) -> Dynamics:
        """Return forces and energies of members at instants that are known, taken at times (read, instants)."""
        t, which, (m, n) = self.tables, stack.which, stack.t.shape
        Y = np.concatenate([stack.Q, stack.V, np.zeros((m, n, 1))], axis=2)
        sizes = (t.nv, t.count_joint + t.count_motion, ENERGIES, t.effort_count, t.load_count)
        A, *made = (np.zeros((m, n, size)) for size in sizes)
        kept = self.refs[which]
        self.refs[which] = self.begin_refs[which]  # in the plane; in space every instant has its own
        DM.expand_members(
            self.at(expand, M.EXPAND), which, self.models, self.states, self.scratch.address,
            self.answers, np.ascontiguousarray(times), Y, stack.R[:, :, :0] if self.planar else stack.R, self.statistics,
            np.zeros(self.statistics.shape[1]), A, *made,
        )  # fmt: skip
        self.refs[which] = kept
        self.bad[which] |= self.answers[which, M.ANSWER] == M.UNSOLVED
        multipliers, energies, efforts, loads = (x.reshape(m * n, x.shape[2]) for x in made)
        work, base = np.zeros(m * n), self.members.base
        return Dynamics(multipliers, energies[:, KINETIC], energies[:, POTENTIAL], work, efforts, loads, base.chosen)


class DrivenRunAnswers(DriveAnswers):
    """Runs of members whose motions determine everything: forces too, at the instants and between them.

    Parameters
    ----------
    stack : Stack
    """

    def __init__(self, stack: Stack) -> None:
        b = stack.members
        assert isinstance(b, DrivenRunBatch)
        stack.dynamics = b.expand(stack, b.limits(stack.which, stack.t))
        super().__init__(stack)
