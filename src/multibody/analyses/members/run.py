"""Members of a study of ``run``: assembled, integrated and read in compiled loops, each as the single run of its model.

What follows from the structure is found once: rows, elimination, formulation, integrator. A member that does not fit (its
masses do not count, its mechanism does not close at the first attempt, something happens on its way) is left to the ordinary
path.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from multibody.analyses.assembly.member import plan_of
from multibody.analyses.dynamics.choice import Choice, check_steps
from multibody.analyses.dynamics.opening import opened, planned
from multibody.analyses.dynamics.run import output_times
from multibody.analyses.dynamics.run_start import require_inertia
from multibody.analyses.dynamics.settling import tell_tolerances, told_integrator
from multibody.analyses.given.initial import adopted
from multibody.analyses.given.run_options import Options, read_options
from multibody.analyses.members.batch import Batch, Read
from multibody.analyses.members.batches import batch_of
from multibody.analyses.members.crossing import JUMPED, cross_members
from multibody.analyses.members.inertia import surely_has_inertia
from multibody.analyses.members.instants import set_times
from multibody.analyses.members.matrices import Equations
from multibody.analyses.members.numbers import OPENED, NotServed, Numbers, note
from multibody.analyses.members.rows import note_rows
from multibody.analyses.members.switched import Switches
from multibody.analyses.members.together import Stack, StackedAnswers
from multibody.arguments import number_in
from multibody.errors import AnalysisError, ModelError
from multibody.formulations.prepare import Bundle, inverts_masses
from multibody.integrators import contract as C
from multibody.integrators import members as columns
from multibody.kernels.assembly.member import OPEN
from multibody.kernels.codes import ENERGIES, KINETIC, POTENTIAL
from multibody.kernels.declared import Statistics
from multibody.model.expressions import Expression
from multibody.model.model import Model
from multibody.options.methods import AUTO, read_method
from multibody.state.kinetics import Dynamics, energy_drifts
from multibody.state.state import State
from multibody.state.system import Flags, Floats, Integers, tables_of
from multibody.tables.scales import second

ROOM = 64  # steps whose dense output a batch has room for at first
MOST_STEPS = 4096  # longer runs can be interrupted, which a batch cannot
MOST_NUMBERS = 12_000_000  # that a batch may fill, 96 MB
MOST_MEMBERS = 512  # of a batch
BESIDE = 20  # numbers of an instant that outputs need: wrenches, and formulas on their way
KEYS = ("until", "formulation", "integrator", "rtol", "atol", "step", "output_step", "cut")  # of the options of ``run``
FORMULAS = ("step", "first_step", "max_step")  # options of integrators that may be formulas of parameters


class RunMembers:
    """The members of a study of ``run``.

    Parameters
    ----------
    model : Model
    names : sequence of str
        Parameters that differ from member to member.
    options : mapping
        Of ``run``.

    Attributes
    ----------
    last_only : bool
        Whether the last instant is all that will be read.

    Raises
    ------
    NotServed
        Where the model or the options have what single runs alone do.
    """

    def __init__(self, model: Model, names: Sequence[str], options: Mapping[str, Any], state: State | None = None) -> None:
        self.model, self.names, self.given, self.last_only = model, tuple(names), dict(options), False
        self.tables = tables = tables_of(model)
        self.options: Options = read_options(model, dense=True, **{key: options.get(key) for key in KEYS})
        self.choice: Choice = planned(tables, self.options)
        plan, self.switches = plan_of(tables, switching=True), Switches.of(tables, names)
        if plan is None:
            raise NotServed("its assembly is not compiled")
        self.plan, self.told = plan, state
        self._check(options)
        self.numbers = Numbers(tables, names)
        self.until = self._formula("until", self.options.until)
        self.state = None if state is None else adopted(state, tables, "initial")
        self.start = 0.0 if state is None else float(state.t)
        times = output_times(self.start, self.options, tables)
        self.count, self.times = len(times), times if self._same_for_all() else None
        self.room = ROOM
        self.space = self._space()
        self.base: Bundle = self.space.bundle
        self.heavy = inverts_masses(tables)  # whether every body has a mass, and so those of all members
        tell_tolerances(self.base, self.choice.integrator, self.options.rtol)
        self.matrices = Equations(self.space, self.choice) if self.choice.integrator.implicit else None
        self.size: int = self.base.size
        self.functions = len(self.base.ref)
        self._lengths = self.space.lengths
        self._rates = self._lengths[self.space.nq : -1]
        self._row_lengths = tables.packed.rows["is_length"][self.space.rows] == 1
        self.control, self.counts = self._told()

    def _space(self) -> Any:
        """Return the coordinates of the model at its start, whose rows are those of all members."""
        try:
            opening = opened(self.model, self.state, tables=self.tables).with_inertia()
        except (ModelError, AnalysisError) as error:
            raise NotServed("its own start") from error
        self.rows = opening.rows if opening.state.ok else np.arange(opening.system.rows, dtype=np.int64)
        formulation = self.choice.formulation
        if len(self.rows) == self.tables.nv:
            raise NotServed("its motions determine everything")
        try:
            made = formulation.space(opening.system, opening.state, self.rows)
        except ModelError as error:
            raise NotServed(f"formulation {formulation.name}") from error
        self.kind: type[Batch] = batch_of(made, formulation.name)
        return made

    def _check(self, options: Mapping[str, Any]) -> None:
        """Raise where single runs do what is not done here."""
        integrator, own = self.choice.integrator, self.model.defaults.of("run")
        if not integrator.compiled:
            raise NotServed(f"integrator {integrator.name}")
        if self.switches is not None and self.told is not None:
            raise NotServed("motions that switch, from a given state")
        for key in ("rtol", "atol", "step", "output_step"):
            value = options.get(key, own.get(key))
            if value is not None and math.isnan(number_in(value)):
                raise NotServed(f"{key} is a formula")
        for group in ("formulation", "integrator"):
            asked = options.get(group, own.get(group, AUTO))
            if isinstance(asked, str | Mapping) and asked != AUTO:
                told = read_method(asked, group).options
                texts = [told[key] for key in FORMULAS if isinstance(told.get(key), str)]
                if any(math.isnan(number_in(text)) for text in texts):
                    raise NotServed(f"{group} has formulas")

    def _formula(self, key: str, value: float) -> Any:
        """Return an option that may be a formula of parameters."""
        given = self.given.get(key, self.model.defaults.of("run").get(key))
        return value if not math.isnan(number_in(given)) else self.numbers.number(self.model, given, f"run.{key}")

    def _same_for_all(self) -> bool:
        """Return whether all members have the same instants, and the steps for them."""
        if isinstance(self.until, Expression):
            return False
        try:
            check_steps(self.choice.integrator, self.start, self.options.until)
        except ModelError:
            return False
        return True

    def _told(self) -> tuple[Floats, Integers]:
        """Return what the integrator is told at the start of every member."""
        control, counts = told_integrator(self.choice.integrator, self.tables, self.start, self.options.rtol)
        counts[C.DENSE], counts[C.LIMIT] = 1, MOST_STEPS
        if self.matrices is not None:
            self.matrices.tell(counts)
        return control, counts

    # --- sizes --------------------------------------------------------------------------------------------------------
    @property
    def most(self) -> int:
        """How many members a batch has."""
        t, integrator = self.tables, self.choice.integrator
        read = 1 if self.last_only and not self.kind.reads_all else self.count
        instant = self.size + self.functions + 2 * t.nv + 2 * len(t.rows) + t.effort_count + BESIDE
        if len(self.rows) < t.count_joint + t.count_motion:
            instant += int(t.row_pointer[-1])
        each = self.room * (2 + integrator.dense_rows * self.size + self.functions) + read * instant + self.count + len(t.F)
        return max(1, min(MOST_MEMBERS, MOST_NUMBERS // int(each)))

    def batch(self, count: int) -> Batch:
        """Return room for so many members at a time."""
        return self.kind(self, count, self.room)

    # --- computing ----------------------------------------------------------------------------------------------------
    def computed(self, b: Batch, values: Floats, why: Any) -> Integers:
        """Run members; return those that came to their ends with nothing on the way.

        Parameters
        ----------
        b : Batch
        values : array (members, varied)
        why : array of text (members,), written
            Why the others are left to the ordinary path.
        """
        self._start(b, values, why)
        which = np.flatnonzero(why == "")
        if len(which):
            self._integrate(b, which, why)
        return np.flatnonzero(why == "")

    def _start(self, b: Batch, values: Floats, why: Any) -> None:
        """Write numbers and consistent states of members."""
        n, nq, nv = len(values), self.space.nq, self.space.nv
        numbers = b.numbers[:n]
        note(why, self.numbers.fill(values, b.models[:n], b.scratch.address, numbers), "values that are refused")
        numbers[why != ""] = self.tables.F  # of no account
        if self.heavy:
            note(why, self.numbers.heavy(numbers), "masses that do not count")
        length = numbers[:, self.tables.packed.length, None]
        b.row_scale[:n] = np.where(self._row_lengths, 1.0 / length, 1.0)
        b.column_scale[:n] = np.where(self._rates, length, 1.0)
        if self.state is None:
            b.assemble(np.zeros(n))
            if self.switches is not None:
                self.switches.settle(b, np.flatnonzero((why == "") & (b.codes[:n, columns.CLOSED] != OPEN)))
            note(why, b.codes[:n, columns.CLOSED] != OPEN, OPENED)
        else:
            b.adopt(self.state, n, why)
        note(why, self.numbers.inverts(numbers, b.codes[:n, columns.HEAVY] == 1) == self.heavy, "masses that do not count")
        if not self.heavy:
            self.numbers.row_weights(numbers, b.row_weight[:n])
            sure = surely_has_inertia(b, n, self.rows, self.start, self.numbers) | (why != "")
            note(why, np.array([sure[k] or self._has_inertia(b, k) for k in range(n)], dtype=bool), "an idle spin")
        note_rows(b, self.rows, np.full(n, self.start), why)
        b.begin(n, why)
        if b.matrices is not None:
            b.matrices.begin(b, n, why)
        b.ends[:n], b.lasting[:n] = self.numbers.evaluated(self.until, numbers), self.count
        note(why, self._set_times(b, n), "other instants")
        b.atol[:n] = self.options.atol * np.where(self._lengths, length, 1.0)
        b.atol[:n, nq : nq + nv] /= second(self.tables)

    def _has_inertia(self, b: Batch, k: int) -> bool:
        """Return whether every direction of a member that is free has a mass, also those that move nothing."""
        try:
            return not require_inertia(b.one.system(k), b.Q[k], self.start, self.rows)
        except ModelError:
            return False

    def _set_times(self, b: Batch, n: int) -> Flags:
        """Write the instants of members; return which of them have as many as the model."""
        if self.times is not None:
            b.times[:n] = self.times
            return np.ones(n, dtype=bool)
        return set_times(b.ends[:n], self.start, self.options, self.tables, self.choice.integrator, b.times[:n])

    def _integrate(self, b: Batch, which: Integers, why: Any) -> None:
        """Integrate members."""
        b.passed.clear()
        self._advance(b, which)
        full = which[b.answers[which, columns.ANSWER] == C.OUTPUT_FULL]
        while len(full) and b.room < MOST_STEPS:
            self.room = max(self.room, min(8 * b.room, MOST_STEPS))
            if self.most < b.count:  # smaller batches will have the room
                break
            b.grow(self.room)
            self._advance(b, full)
            full = full[b.answers[full, columns.ANSWER] == C.OUTPUT_FULL]
        answers = b.answers[: len(why)]
        note(why, answers[:, columns.ANSWER] != JUMPED, "a motion that jumps")
        stiff = self.choice.switching & (answers[:, columns.STIFF] != 0)
        note(why, answers[:, columns.ANSWER] != C.EVENT, "an event")
        note(why, (answers[:, columns.ANSWER] != C.OUTPUT_FULL) & (answers[:, columns.ANSWER] != C.CONTINUE), "many steps")
        note(why, ~stiff, "stiffness")
        note(why, answers[:, columns.ANSWER] == C.DONE, "it does not come to its end")
        note(why, b.lasting[: len(why)] > 1, "an event at its start")

    def _advance(self, b: Batch, which: Integers) -> None:
        """Let members go to their ends."""
        if self.switches is not None:
            cross_members(b, which, self.switches)
            return
        b.run(which)
        b.end(which)

    def answers(self, b: Batch, which: Integers) -> RunAnswers:
        """Return what was computed of members."""
        return RunAnswers(b, b.read(which, last=self.last_only), self.last_only, lasting=True)


class RunAnswers(StackedAnswers):
    """Runs of some members, known between their instants by dense output.

    Parameters
    ----------
    batch : Batch
    read : Read
    alone : bool
        Whether there is one instant: turns cannot be counted from the start then.
    lasting : bool
        Whether the instants are those of the members.
    """

    def __init__(self, batch: Batch, read: Read, alone: bool = False, lasting: bool = False) -> None:
        nq, nv, flat = batch.tables.nq, batch.tables.nv, read.t.size
        energies = read.energies.reshape(flat, ENERGIES)
        dynamics = Dynamics(
            read.multipliers.reshape(flat, -1), energies[:, KINETIC], energies[:, POTENTIAL],
            read.Y[:, :, nq + nv].reshape(flat),
            read.efforts.reshape(flat, read.efforts.shape[2]), read.loads.reshape(flat, read.loads.shape[2]),
            batch.members.space.independent_rows(),
        )  # fmt: skip
        start = batch.begin_refs[read.which][:, None, :]
        R = np.ascontiguousarray(start if batch.planar and not alone else read.references)
        V = read.Y[:, :, nq : nq + nv]  # and q stands before it
        stack = Stack(batch, read.which, read.t, read.Y, V, read.A, R, dynamics, alone, lasting)
        super().__init__(stack, known_between=True)
        self.batch = batch

    def first(self, event: str) -> Floats:
        """Return the first time of an event (members,), NaN where it did not happen."""
        return self.batch.watching.first(event, self.stack.which)

    def certificate(self, key: str) -> Floats:
        """Return a number of the certificates (members,)."""
        if key == "energy_drift":
            d, shape = self.stack.dynamics, self.times.shape
            assert d is not None
            return energy_drifts(*(np.ascontiguousarray(x).reshape(shape) for x in (d.kinetic, d.potential, d.work)))
        statistic = {"position_violation": "position_after", "velocity_violation": "velocity_after"}
        name = statistic.get(key, key.replace("_violation", "").removesuffix("_projection"))
        return np.asarray(self.batch.statistics[self.stack.which, Statistics.fields[name].slot])

    def between(self, which: Any, times: Floats) -> RunAnswers:
        """Return the answers of some members at other times of their motions (which, times)."""
        s = self.stack
        near = np.argmin(np.abs(s.t[which] - times[:, :1]), axis=1)
        like = np.ascontiguousarray(s.Q[which, near, : self.batch.tables.nq])
        return RunAnswers(self.batch, self.batch.read(s.which[which], times, like=like))
