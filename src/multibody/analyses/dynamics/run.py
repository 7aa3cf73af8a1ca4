"""Dynamic analysis: the motion of a model under its forces."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from multibody.analyses.dynamics.choice import Choice, check_pair, check_steps, choose, fallen_back, remarks, stiff_choice
from multibody.analyses.dynamics.dense_output import DenseOutput
from multibody.analyses.dynamics.drift import promised_drift
from multibody.analyses.dynamics.headway import NO_HEADWAY
from multibody.analyses.dynamics.idle_spin import with_spins
from multibody.analyses.dynamics.passing import body_state
from multibody.analyses.dynamics.run_start import require_inertia, require_masses, start_state
from multibody.analyses.dynamics.simulation import Simulation
from multibody.analyses.dynamics.step_events import EndlessEventsError
from multibody.analyses.events.impulse import JumpError, with_impulses
from multibody.analyses.events.switching import limits_behind
from multibody.analyses.events.undefined import culprit_ahead, silent_events
from multibody.analyses.given.run_options import Options, read_options
from multibody.analyses.rank.leastnorm import DENSE_LIMIT
from multibody.analyses.rank.run_rows import run_rows
from multibody.analyses.spaces.expanded import Expanded, expanded
from multibody.analyses.state.motion import Motion
from multibody.analyses.state.state import State, Status
from multibody.analyses.state.system import Floats, Integers, System, tables_of
from multibody.errors import ModelError
from multibody.formulations import Augmented, Formulation
from multibody.formulations.prepare import prepare
from multibody.integrators import contract as C
from multibody.kernels import sections as R
from multibody.model.model import Model

INTERVALS = 400  # of the output grid, unless a step is asked for
MOST_NUMBERS = 200_000_000  # numbers of output (1.6 GB) that a run may fill


def run(
    model: Model, until: float | str | None = None, *, initial: State | None = None, formulation: Any = None,
    integrator: Any = None, rtol: float | None = None, atol: float | None = None, step: float | None = None,
    output_step: float | str | None = None, dense: bool = True, progress: Callable[[float], None] | None = None,
    cut: Sequence[str] | None = None, joints: Sequence[str] | None = None,
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

    Returns
    -------
    Motion
        One that stopped early keeps everything up to there; its status says why.
    """
    options = read_options(model, until, formulation, integrator, rtol, atol, step, output_step, dense, cut)
    tables = tables_of(model)
    choice = choose(tables, options.formulation, options.integrator)
    check_pair(choice.formulation, choice.integrator)
    if choice.formulation.relative:  # what is too large is refused before anything is assembled
        from multibody.analyses.spaces.joint_space import joint_columns

        joint_columns(tables, choice.formulation)
    state, note = start_state(model, initial, None)
    if not state.ok:
        return _nothing(tables, state)
    times = output_times(state.t, options, tables)
    check_steps(choice.integrator, state.t, options.until)
    system = System(tables)
    system.ref[:] = state.references
    require_masses(system)
    rows = run_rows(system, state.q, state.t)
    said = [note, *options.notes, *remarks(choice.integrator, state.t, options.until)]
    if len(rows) == system.nv:
        motion = driven(model, state, times, rows, Augmented() if choice.chosen else choice.formulation, said)
        motion.statistics |= options.settings(times[1] - times[0])
        return motion
    if system.nv <= DENSE_LIMIT:
        spins = require_inertia(system, state.q, state.t, rows)
        system = with_spins(system, spins) if choice.regular else system
    sim, status, choice = _simulated(system, state, rows, choice, options, times, progress)
    if joints is not None and not choice.chosen:
        sim.space.select(joints)
    motion = gather(sim, state, times, status)
    motion.tables = tables
    if motion.dynamics is not None:
        motion.dynamics.notes += [text for text in (choice.remark, *said) if text]
        motion.statistics |= {"choice": choice.reason, **options.settings(times[1] - times[0], sim.integrator)}
        motion.dynamics.notes += silent_events(system, motion.t, motion.q, motion.v, motion.references)
        drift = motion.dynamics.energy_drift()
        if drift > promised_drift(motion, sim.integrator.adaptive, options.rtol, options.atol):
            advice = "make rtol, or the step, smaller before you trust it"
            motion.dynamics.notes.append(f"the energy balance is off by {drift:.2g}: {advice}")
    return motion


def _simulated(
    system: System, state: State, rows: Integers, choice: Choice, options: Options, times: Floats,
    progress: Callable[[float], None] | None,
) -> tuple[Simulation, Status, Choice]:  # fmt: skip
    """Return the simulation at its end; where an explicit integrator chosen by ``auto`` meets stiffness, it is begun anew.

    Should the implicit one not get to the end, the explicit one does the whole after all, unless a formula of the model is the
    cause: that stops any method, and an explicit one only after ever shorter steps.
    """
    plans = [choice]
    while True:
        now = plans[-1]
        sim, now = begun(system, state, rows, now, options)
        plans[-1] = now
        sim.grid, sim.switching = times, now.switching
        status = _integrate(sim, options, progress)
        if sim.gave_up:
            plans.append(stiff_choice(choice, sim.t))
        elif len(plans) == 2 and not status.success and not status.interrupted and not status.blames:
            plans.append(replace(choice, reason=f"{choice.reason}; it is stiff, but bdf {status.message}", switching=False))
        else:
            return sim, status, now
        system.ref[:] = state.references


def begun(
    system: System, state: State, rows: Integers, choice: Choice, options: Options, dense: bool | None = None
) -> tuple[Simulation, Choice]:
    """Return a simulation at its start; what ``auto`` chose and does not take the model gives way to `augmented`."""
    settings: dict[str, Any] = {
        "rtol": options.rtol, "atol": options.atol, "dense": options.dense if dense is None else dense,
    }  # fmt: skip
    try:
        return Simulation(system, state, rows, choice.formulation, choice.integrator, **settings), choice
    except ModelError:
        if not choice.chosen or isinstance(choice.formulation, Augmented):
            raise
    system.ref[:] = state.references
    choice = fallen_back(choice)
    return Simulation(system, state, rows, choice.formulation, choice.integrator, **settings), choice


def output_times(start: float, options: Options, tables: Any) -> Floats:
    """Return the instants of the output, the last one exactly at the end."""
    span = options.until - start
    if span == 0.0:
        raise ModelError(f"the end time equals the start, {start:g}", where="run", hint="give a later time")
    step = abs(span) / INTERVALS if options.output_step is None else options.output_step
    count = max(1, math.ceil(abs(span) / step * (1.0 - 1e-9)))
    each = tables.nq + 2 * tables.nv + len(tables.rows) + len(tables.law_functions) + len(tables.function_is_length)
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
    return _status(sim, code)


def _status(sim: Simulation, code: int) -> Status:
    """Return an integrator's last answer in words."""
    t, stiff = sim.t, bool(sim.counts[C.STIFF])
    if code == C.DONE:
        advice = "the problem is stiff: an implicit integrator would need far fewer steps" if stiff else ""
        return Status(True, "finished", sim.goal, advice=advice)
    if code == C.EVENT:
        event = sim.events[-1]
        return Status(True, f'stopped by event "{event.name}" at t = {event.time:.9g}', event.time)
    cause = _cause(sim)
    if cause is not None:
        return cause
    worst, size = _worst(sim)
    advice = "an explicit method needs such small steps where a model is stiff: use an implicit integrator" if stiff else ""
    words = {
        C.STEP_TOO_SMALL: ("the step became too small", advice or "look for a force that jumps or a position that locks"),
        C.RHS_FAILED: ("the equations of motion cannot be solved", advice or "look for a massless or locked position"),
        C.ACCEPT_FAILED: ("it locks: the motion does not get past a singular position", "let the motion end before it"),
        C.NOT_FINITE: ("a number that is not finite came up", advice or "check the forces and motions there"),
        NO_HEADWAY: ("it makes no headway: steps make next to no time", advice or "try another integrator or a larger rtol"),
    }
    text, advice = words.get(code, (f"it stopped (code {code})", advice))
    switch = _switching(sim) if code == C.STEP_TOO_SMALL else ""
    if switch:
        advice = f"{switch} switches there (abs, min, max, sign, if or step): make it smooth over a short range"
    if code == C.ACCEPT_FAILED and int(sim.counts[C.CODE]) == R.LOST_RANK:
        from multibody.analyses.spaces.parametric_space import trouble

        text, advice = trouble(sim.space)
    return Status(False, f"{text} at t = {t:.9g}", t, worst, size, advice)


def _cause(sim: Simulation) -> Status | None:
    """Return the status that names a formula which ends or changes abruptly where a run could not go on, None if none does."""
    t = sim.t
    state = body_state(sim, t)
    span = float(sim.control[C.END]) - t or 1.0
    owner, ends = culprit_ahead(sim.system, state.q, state.v, t, span)
    if not owner:
        return None
    what = "has no finite value at or behind" if ends else "changes beyond all bounds at"
    return Status(False, f"{owner}: it {what} t = {t:.9g}", t, owner, 0.0, "check its formula there, or let the run end before")


def _switching(sim: Simulation) -> str:
    """Return whose expression is at a switching point now, nothing if none is."""
    values = np.abs(sim.g[1]) if sim.g.shape[1] else np.zeros(0)
    near = [(value, watch.name) for value, watch in zip(values, sim.watches, strict=True) if watch.kind == "switch"]
    return min(near)[1] if near and min(near)[0] < 1e-6 else ""


def _worst(sim: Simulation) -> tuple[str, float]:
    """Return the name and the residual of the row that is violated most."""
    s = sim.system
    q = sim.cartesian(sim.t, sim.y, sim.bundle.ref)[: s.nq]
    phi = np.abs(s.phi(q, sim.t)) * s.scale_rows[: s.rows]
    if len(phi) == 0 or not np.all(np.isfinite(phi)):
        return "", 0.0
    k = int(np.argmax(phi))
    return s.tables.rows[k].name, float(phi[k])


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
    if not sim.formulation.relative:
        ends = sim.space.cartesian(limits[[0, -1]], ends, references[[0, -1]], state.q)
        for k in (0, -1):  # the start and the last step are closed already: they stay as they are, to the last digit
            if kept[k] == state.t or limits[k] == sim.t:
                found.Y[k] = ends[k]
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
    from multibody.analyses.kinematics.kinematics import kinematics

    motion: Motion = kinematics(model, times=times, initial=state)
    tables = motion.tables
    found = forces_of(motion, state, rows, formulation)
    motion.dynamics = found.dynamics
    found.dynamics.events = with_impulses(motion, state, rows)
    word = "the motions determine everything: positions come from kinematics"
    found.dynamics.notes.append(word if tables.count_motion else "nothing can move: the joints hold all bodies")
    found.dynamics.notes += [text for text in said if text]
    return motion


def forces_of(
    motion: Motion, state: State, rows: Integers, formulation: Formulation, joints: Sequence[str] | None = None
) -> Expanded:
    """Return forces and energies along a motion that is known from kinematics.

    Parameters
    ----------
    motion : Motion
    state : State
        Where it starts.
    rows : array of int
        Independent rows of the bodies' coordinates, as many as velocities.
    formulation : Formulation
        Of joint coordinates, or any other one for Cartesian coordinates.
    joints : list of str, optional
        Joints whose forces are wanted; `recursive` finds only these.
    """
    tables, n = motion.tables, len(motion.t)
    references = motion.references if motion.references.ndim == 2 else np.tile(motion.references, (n, 1))
    references, times = np.ascontiguousarray(references), limits_behind(motion.passed, motion.t)
    if not formulation.relative:
        Y = np.hstack([motion.q, motion.v, np.zeros((n, 1))])
        return expanded(prepare(tables, rows, state.references, False), times, Y, references, closing=False)
    from multibody.analyses.spaces.joint_space import JointSpace

    system = System(tables)
    system.ref[:] = state.references
    space = JointSpace(system, state, rows, formulation)
    if joints is not None:
        space.select(joints)
    states = [
        replace(state, t=float(t), q=q, v=v, references=r)
        for t, q, v, r in zip(times, motion.q, motion.v, references, strict=True)
    ]
    Y = np.array([space.start(each) for each in states]).reshape(n, -1)
    return space.expanded(times, Y, references, motion.q[0] if n else state.q, closing=False)


def _nothing(tables: Any, state: State) -> Motion:
    """Return an empty motion with the reason why it could not be started."""
    empty = np.zeros((0, tables.nv))
    return Motion(
        tables, np.zeros(0), np.zeros((0, tables.nq)), empty, empty, np.zeros(0), state.references, state.status, state,
        statistics={"steps": 0, "rhs_evaluations": 0},
    )  # fmt: skip
