"""Dynamic analysis: the motion of a model under its forces."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from multibody.analyses.dynamics.choice import Choice, check_steps, remarks, stiff_choice
from multibody.analyses.dynamics.dense_output import DenseOutput
from multibody.analyses.dynamics.drift import promised_drift
from multibody.analyses.dynamics.ending import status_of
from multibody.analyses.dynamics.known_forces import KnownForces
from multibody.analyses.dynamics.opening import Opening, begun, opened, planned
from multibody.analyses.dynamics.plan import Plan, keep_plan, known_plan, question
from multibody.analyses.dynamics.simulation import Simulation
from multibody.analyses.dynamics.step_events import EndlessEventsError
from multibody.analyses.events.impulse import JumpError, with_impulses
from multibody.analyses.events.switching import limits_behind
from multibody.analyses.events.undefined import silent_events
from multibody.analyses.given.run_options import Options, read_options
from multibody.errors import ModelError
from multibody.formulations import Augmented, Formulation
from multibody.formulations.spaces.expanded import Expanded
from multibody.integrators import contract as C
from multibody.model.model import Model
from multibody.state.motion import Motion, PromisedMotion
from multibody.state.state import State, Status
from multibody.state.system import Floats, Integers, System, tables_of, unchanged_tables

INTERVALS = 400  # of the output grid, unless a step is asked for
MOST_NUMBERS = 200_000_000  # numbers of output (1.6 GB) that a run may fill


def run(
    model: Model, until: float | str | None = None, *, initial: State | None = None, formulation: Any = None,
    integrator: Any = None, rtol: float | None = None, atol: float | None = None, step: float | None = None,
    output_step: float | str | None = None, dense: bool = True, progress: Callable[[float], None] | None = None,
    cut: Sequence[str] | None = None, joints: Sequence[str] | None = None, opening: Opening | None = None,
) -> Motion:  # fmt: skip
    """Return the motion of a model under its forces.

    Parameters
    ----------
    model : Model
    until : float or formula
        Last time.
    initial : State, optional
        Where to start, with its time; default the model's own initial values at t = 0.
    formulation : str, mapping or Formulation
        ``auto``, ``augmented``, ``baumgarte``, ``partitioning``, ``kane``, ``parametric``, ``recursive``, ``transformation``,
        ``articulated``; with options ``baumgarte:alpha=5,beta=5``, ``{"baumgarte": {"alpha": 5}}`` or the object.
    integrator : str, mapping or Integrator
        ``auto``, ``dop853``, ``adams``, ``rk4``, ``ab3``, ``bdf``, ``radau``, ``alpha``, with options in the same ways. With
        ``auto`` an explicit method begins, and an implicit one takes over where the model turns out to be stiff.
    rtol, atol : float
        Tolerances of the integrator; default 1e-8 and 1e-10.
    step : float
        Step of fixed-step integrators.
    output_step : float
        Spacing of the instants that are returned; default one four-hundredth of the whole.
    dense : bool
        Whether the motion between the instants is kept (``run.at(t)``).
    progress : callable, optional
        Called with the time now and then.
    cut : list of str, optional
        Joints at which loops are cut in joint coordinates; derived by default.
    joints : list of str, optional
        Joints whose forces are wanted; `recursive` finds only these.
    opening : Opening, optional
        Where it begins, where that is known already; in place of `initial`.

    Returns
    -------
    Motion
        One that stopped early keeps everything up to there; its status says why.
    """
    asked = (until, formulation, integrator, rtol, atol, step, output_step, dense)
    key = question(*asked) if initial is None and opening is None and cut is None and joints is None else None
    plan = known_plan(unchanged_tables(model), key)
    if plan is None:
        options = read_options(model, *asked, cut)
        tables = tables_of(model)
        choice = planned(tables, options)
        opening = opened(model, initial, tables=tables) if opening is None else opening
        state = opening.state
        if not state.ok:
            return _nothing(tables, state, choice)
        times = output_times(state.t, options, tables)
        check_steps(choice.integrator, state.t, options.until)
        said = (*options.notes, *remarks(choice.integrator, state.t, options.until))
        if opening.determined:
            formulation = Augmented() if choice.chosen else choice.formulation
            motion = driven(model, state, times, opening.rows, formulation, (opening.note, *said))
            motion.statistics |= options.settings(times[1] - times[0])
            return motion
        opening = opening.with_inertia(choice.regular)
        plan = Plan(tables, options, choice, opening, times, (opening.note, *said))
        if key is not None and opening.own:
            keep_plan(tables, key, plan)
        sim, status, choice = _simulated(plan, begun(plan.opening, plan.choice, options), progress)
    else:
        plan = plan.prepared()
        keep_plan(plan.tables, key, plan)
        sim, status, choice = _simulated(plan, plan.simulation(), progress)
    if joints is not None and not choice.chosen:
        sim.space.select(joints)
    return PromisedMotion(plan.tables, status, lambda: _made(plan, sim, status, choice))


def _made(plan: Plan, sim: Simulation, status: Status, choice: Choice) -> Motion:
    """Return the motion of a simulation that has come to its end."""
    options, times = plan.options, plan.times
    motion = gather(sim, plan.state, times, status)
    motion.tables = plan.tables
    motion.statistics |= {"choice": choice.reason, **options.settings(times[1] - times[0], sim.integrator)}
    _remark(motion, sim.system, [choice.remark, *plan.said], sim.integrator.adaptive, options)
    return motion


def _remark(motion: Motion, system: System, said: Sequence[str], adaptive: bool, options: Options) -> None:
    """Add to a motion what one should know of it: remarks, events without a value, an energy balance that is off."""
    assert motion.dynamics is not None
    notes = motion.dynamics.notes
    notes += [text for text in said if text]
    notes += silent_events(system, motion.t, motion.q, motion.v, motion.references)
    drift = motion.dynamics.energy_drift()
    if drift > promised_drift(motion, adaptive, options.rtol, options.atol):
        notes.append(f"the energy balance is off by {drift:.2g}: make rtol, or the step, smaller before you trust it")


def _simulated(
    plan: Plan, first: tuple[Simulation, Choice], progress: Callable[[float], None] | None
) -> tuple[Simulation, Status, Choice]:
    """Return a simulation at its end; where an explicit integrator chosen by ``auto`` meets stiffness, it is begun anew.

    Should the implicit one not get to the end, the explicit one does the whole after all, unless a formula of the model is the
    cause: that stops any method, and an explicit one only after ever shorter steps.
    """
    (sim, now), implicit = first, False
    while True:
        sim.grid, sim.switching = plan.times, now.switching
        status = _integrate(sim, plan.options, progress)
        if sim.gave_up:
            now, implicit = stiff_choice(plan.choice, sim.t), True
        elif implicit and not status.success and not status.interrupted and not status.blames:
            reason = f"{plan.choice.reason}; it is stiff, but bdf {status.message}"
            now, implicit = replace(plan.choice, reason=reason, switching=False), False
        else:
            return sim, status, now
        sim, now = begun(plan.start(), now, plan.options)


def output_times(start: float, options: Options, tables: Any) -> Floats:
    """Return the instants of the output, the last one exactly at the end."""
    span = options.until - start
    if span == 0.0:
        raise ModelError(f"the end time equals the start, {start:g}", where="run", hint="give a later time")
    step = abs(span) / INTERVALS if options.output_step is None else options.output_step
    count = max(1, math.ceil(abs(span) / step * (1.0 - 1e-9)))
    each = tables.nq + 2 * tables.nv + len(tables.rows) + tables.effort_count + len(tables.functions)
    if count * each > MOST_NUMBERS:
        size = count * each * 8 / 1e9
        raise ModelError(
            f"{count:.3g} instants would fill {size:.3g} GB of memory", where="run.output_step",
            hint=f"{abs(span) * each / (0.1 * MOST_NUMBERS):.2g} would do",
        )  # fmt: skip
    times = start + math.copysign(step, span) * np.arange(count + 1)
    times[-1] = options.until
    return np.asarray(times)


def _integrate(sim: Simulation, options: Options, progress: Callable[[float], None] | None) -> Status:
    """Let the simulation run to the end; return what came of it."""
    try:
        code = sim.advance(options.until, progress)
    except KeyboardInterrupt:
        return Status(False, f"interrupted at t = {sim.t:.9g}", sim.t, advice="what was computed up to there is kept")
    except JumpError as found:
        return found.status
    except EndlessEventsError as many:
        message = f'event "{many.name}" happens without end near t = {many.time:.9g}'
        return Status(False, message, many.time, advice="make it terminal, or watch an expression that settles")
    return status_of(sim, code)


def gather(sim: Simulation, state: State, times: Floats, status: Status) -> Motion:
    """Return a simulation as a motion on the output grid."""
    tables = sim.system.tables
    direction = 1.0 if times[-1] >= times[0] else -1.0
    kept = times[direction * times <= direction * status.time_reached]
    if len(kept) == 0 or kept[-1] != status.time_reached:
        kept = np.append(kept, status.time_reached)
    whole = bool(sim.counts[C.DENSE] or sim.harvest)  # else only the steps in which events were looked for are there
    dense = DenseOutput(sim) if sim.segments.parts and whole else None
    limits = limits_behind(sim.passed, kept)
    if dense is not None:
        Y, references = dense.states(limits)
    else:  # nothing between the start and now is kept
        kept = np.array([state.t, status.time_reached]) if sim.t != state.t else np.array([state.t])
        limits = limits_behind(sim.passed, kept)
        Y = np.stack([sim.space.start(state), sim.y])[: len(kept)]
        references = np.stack([state.references, sim.bundle.ref])[: len(kept)]
    if kept[0] == state.t:
        Y[0], references[0] = sim.space.start(state), state.references
    if limits[-1] == sim.t:
        Y[-1], references[-1] = sim.y, sim.bundle.ref
    ends = Y[[0, -1]].copy()
    found = sim.space.expanded(limits, Y, references, state.q, closing=True)
    closed = [k for k in (0, -1) if kept[k] == state.t or limits[k] == sim.t]  # the start and the last step
    sim.space.keep_closed(found, closed, limits, ends, state.q)
    found.dynamics.dense = dense
    if sim.harvest and dense is not None:
        first = f"t = {dense.steps[0, 0]:.6g}"
        found.dynamics.notes.append(f"the motion between the instants is kept from {first} on: the run has too many steps")
    found.dynamics.notes += sim.notes
    found.dynamics.events = [sim.event(e) for e in sim.events]
    motion = as_motion(tables, kept, found, status, state)
    motion.statistics = sim.statistics()
    motion.certificate = _certificate(sim, motion)
    return motion


def as_motion(tables: Any, times: Floats, found: Expanded, status: Status, state: State) -> Motion:
    """Return expanded states as a motion."""
    nq, nv = tables.nq, tables.nv
    references = found.references if tables.dimension == 3 else state.references
    return Motion(
        tables, times, found.Y[:, :nq].copy(), found.Y[:, nq : nq + nv].copy(), found.A, np.full(len(times), np.nan),
        references, status, state, dynamics=found.dynamics,
    )  # fmt: skip


def _certificate(sim: Simulation, motion: Motion) -> dict[str, Any]:
    """Return violations, energy balance and nearness to a singular position, maxima over the run."""
    b = sim.bundle
    assert motion.dynamics is not None
    return {
        "position_violation": b.statistic("position_after"), "velocity_violation": b.statistic("velocity_after"),
        "position_violation_before_projection": b.statistic("position_before"),
        "velocity_violation_before_projection": b.statistic("velocity_before"),
        "energy_drift": motion.dynamics.energy_drift(),
        "smallest_singular_value": None, "smallest_pivot_ratio": b.statistic("lowest_ratio"),
    }  # fmt: skip


def driven(
    model: Model, state: State, times: Floats, rows: Integers, formulation: Formulation, said: Sequence[str] = ()
) -> Motion:
    """Return the motion of a model whose motions determine everything, with the efforts that they need."""
    tables = tables_of(model)
    motion = _driven_motion(System(tables), state, times)
    found = KnownForces(motion, state, rows, formulation)(motion)
    motion.dynamics = found.dynamics
    found.dynamics.events = with_impulses(motion, state, rows)
    word = "the motions determine everything: positions come from kinematics"
    found.dynamics.notes.append(word if tables.count_motion else "nothing can move: the joints hold all bodies")
    found.dynamics.notes += [text for text in said if text]
    return motion


def _driven_motion(system: System, state: State, times: Floats) -> Motion:
    """Return the kinematics of a model whose motions determine everything.

    The start is consistent; but where events hang on the last digits of the position, it is assembled as kinematics does it.
    """
    from multibody.analyses.kinematics.kinematics import kinematics, motion_from
    from multibody.rank.drive import plain_drive

    model = system.tables.model
    if model.events:
        return kinematics(model, times=times, initial=state)
    return motion_from(system, state, times, plain_drive(system.nv) if system.rows == system.nv else None)


def _nothing(tables: Any, state: State, choice: Choice) -> Motion:
    """Return an empty motion with the reason why it could not be started."""
    empty = np.zeros((0, tables.nv))
    return Motion(
        tables, np.zeros(0), np.zeros((0, tables.nq)), empty, empty, np.zeros(0), state.references, state.status, state,
        statistics={
            "formulation": choice.formulation.name, "integrator": choice.integrator.name, "steps": 0, "rhs_evaluations": 0,
        },
    )  # fmt: skip
