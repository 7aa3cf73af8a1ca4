"""Benchmark problems with every formulation and integrator: error against the reference, quality, work, and a verdict."""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from multibody.analyses.dynamics.run import run
from multibody.analyses.measures.measure import Measurer
from multibody.errors import ModelError, nearest
from multibody.formulations import FORMULATIONS, formulation_of
from multibody.integrators import INTEGRATORS, OPTIONAL, integrator_of
from multibody.library import find
from multibody.library.criteria import Check, Problem
from multibody.model.model import Model
from multibody.options.methods import read_method
from multibody.state.motion import Motion

AUTO = "auto"
KNOWN = INTEGRATORS | OPTIONAL
PASSED, FAILED, REFUSED = "passed", "failed", "refused"
PATIENCE = 2.0  # seconds beyond which a run is not repeated
BRIEF = 1e-4  # of the whole time: a first run that only compiles


@dataclass(frozen=True)
class Attempt:
    """One problem with one formulation and integrator.

    Attributes
    ----------
    problem, formulation, integrator : str
        What was asked for.
    outcome : str
        ``passed``: all criteria are met; ``failed``; ``refused``: this combination does not exist.
    reason : str
        Why it failed or was refused; what ``auto`` chose.
    rtol, step : float or None
        Tolerance of a method that chooses its steps, step of one that does not.
    error : float or None
        Largest distance from the reference.
    errors : dict
        Every distance by the name of its check.
    position_violation, velocity_violation, energy_drift : float or None
        Largest violation of the constraints (lengths over the model's), error of the energy balance over the energies at play.
    steps, rejected, evaluations, jacobians, factorizations, iterations : int
    wall_time : float or None
        Of the integration alone, the smallest of the repeats [s].
    """

    problem: str
    formulation: str
    integrator: str
    outcome: str
    reason: str = ""
    rtol: float | None = None
    step: float | None = None
    error: float | None = None
    errors: dict[str, float] = field(default_factory=dict)
    position_violation: float | None = None
    velocity_violation: float | None = None
    energy_drift: float | None = None
    steps: int = 0
    rejected: int = 0
    evaluations: int = 0
    jacobians: int = 0
    factorizations: int = 0
    iterations: int = 0
    wall_time: float | None = None


class _TooSlow:
    """What a run calls with its time: interrupts it when time is up, counted from the first call on, when it moves."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self.begin, self.struck = seconds, 0.0, False

    def __call__(self, now: float) -> None:
        self.begin = self.begin or clock.perf_counter()
        if clock.perf_counter() - self.begin > self.seconds:
            self.struck = True
            raise KeyboardInterrupt


def bench(
    problems: Sequence[Problem], *, names: Sequence[str] | None = None, formulations: Sequence[str] | None = None,
    integrators: Sequence[str] | None = None, repeats: int = 3, progress: Callable[[str, int, int], None] | None = None,
) -> tuple[list[Attempt], int]:  # fmt: skip
    """Return what comes of every problem with every formulation and integrator, and how many runs that would be.

    There are fewer if it was interrupted.

    Parameters
    ----------
    problems : sequence of Problem
    names : sequence of str, optional
        Of the problems that are wanted; default all.
    formulations, integrators : sequences of str, optional
        Default all there are, and ``auto`` before them; those that need another package only where they are named.
    repeats : int
        Timed repetitions, of which the fastest counts.
    progress : callable, optional
        Called with words, the number of the run and their count.
    """
    if isinstance(repeats, bool) or not isinstance(repeats, int) or repeats < 1:
        raise ModelError(f"{repeats!r} repeats", where="bench", hint="give a whole number of at least 1")
    chosen = _chosen(problems, names)
    pairs = _pairs(formulations, integrators)
    attempts: list[Attempt] = []
    for k, problem in enumerate(chosen):
        model = find(problem.model)(**problem.parameters)
        for j, (formulation, integrator) in enumerate(pairs):
            if progress is not None:
                words = f"{problem.name}: {formulation}, {integrator}" if formulation != integrator else f"{problem.name}: auto"
                progress(words, k * len(pairs) + j, len(chosen) * len(pairs))
            try:
                attempts.append(attempt(problem, model, formulation, integrator, repeats))
            except KeyboardInterrupt:  # what was computed is kept
                return attempts, len(chosen) * len(pairs)
    return attempts, len(chosen) * len(pairs)


def _chosen(problems: Sequence[Problem], names: Sequence[str] | None) -> list[Problem]:
    """Return the problems that are meant; the name of the library model, and ``n-four-bar`` for all of them, do too."""
    if names is None:
        return list(problems)
    found: list[Problem] = []
    for name in names:
        fitting = [p for p in problems if name in (p.name, p.model, p.model.partition("-")[2])]
        if not fitting:
            known = [p.name for p in problems]
            hint = f"{nearest(str(name), known)} There are {', '.join(known)}.".strip()
            raise ModelError(f'there is no problem "{name}"', where="bench", hint=hint)
        found += [p for p in fitting if p not in found]
    return found


def _pairs(formulations: Sequence[str] | None, integrators: Sequence[str] | None) -> list[tuple[str, str]]:
    """Return the combinations, checked; the first is ``auto`` for both unless something is named."""
    for name in formulations or ():
        formulation_of(name)
    for name in integrators or ():
        if name != AUTO:
            integrator_of(name, None if _own_steps(name) else 1.0)
    found = [(f, i) for f in (formulations or FORMULATIONS) for i in (integrators or INTEGRATORS)]
    return found if formulations or integrators else [(AUTO, AUTO), *found]


def _own_steps(integrator: str) -> bool:
    """Return whether an integrator needs no step from outside."""
    method = read_method(integrator, "integrator")
    return bool(KNOWN[method.name].adaptive) or "step" in method.options


def attempt(problem: Problem, model: Model, formulation: str, integrator: str, repeats: int = 1) -> Attempt:
    """Run one problem with one formulation and integrator, and judge it.

    Parameters
    ----------
    problem : Problem
    model : Model
        Its model.
    formulation, integrator : str
        Names, with options as in ``bdf:max_order=2``; ``auto`` leaves the choice to the run.
    repeats : int
        Timed repetitions, of which the fastest counts.
    """
    method = read_method(integrator, "integrator")
    adaptive = integrator == AUTO or KNOWN[method.name].adaptive
    step = None if adaptive else method.options.get("step", problem.step(KNOWN[method.name].order))
    head: dict[str, Any] = {
        "problem": problem.name, "formulation": formulation, "integrator": integrator, "step": step,
        "rtol": problem.rtol if adaptive else None,
    }  # fmt: skip
    options: dict[str, Any] = {
        "formulation": formulation, "integrator": integrator, "rtol": problem.rtol, "atol": problem.atol, "step": step,
    }  # fmt: skip
    try:
        brief = run(model, BRIEF * problem.until, **options, dense=False)  # what has to be compiled is compiled here
        if brief.status.interrupted:
            raise KeyboardInterrupt
        motion, slow = _run(problem, model, options)
    except ModelError as error:
        return Attempt(**head, outcome=REFUSED, reason=str(error))
    wall = float(motion.statistics["wall_time"])
    if motion.status.success:
        wall = _fastest(problem, model, options, wall, repeats)
    return _judged(problem, head, motion, wall, slow)


def _run(problem: Problem, model: Model, options: dict[str, Any], dense: bool = True) -> tuple[Motion, bool]:
    """Return one run, and whether it was stopped because it took too long."""
    watch = _TooSlow(problem.seconds)
    motion = run(model, problem.until, **options, dense=dense, progress=watch)
    if not watch.struck and motion.status.interrupted:
        raise KeyboardInterrupt  # it was the user
    return motion, watch.struck


def _fastest(problem: Problem, model: Model, options: dict[str, Any], first: float, repeats: int) -> float:
    """Return the smallest time of the repeats, of which the first is known; long ones are not repeated."""
    walls = [first]
    while len(walls) < repeats and sum(walls) < PATIENCE:
        walls.append(float(_run(problem, model, options, dense=False)[0].statistics["wall_time"]))
    return min(walls)


def _judged(problem: Problem, head: dict[str, Any], motion: Motion, wall: float, slow: bool) -> Attempt:
    """Return a run with its measures and whether all criteria are met."""
    s, c = motion.statistics, motion.certificate
    errors = reference_errors(motion, problem.checks)
    reasons = _shortcomings(problem, errors, motion, wall)
    if slow:
        reasons = [f"stopped at t = {motion.status.time_reached:.3g}: it takes longer than {problem.seconds:g} s"]
    elif not motion.status.success:
        reasons = [motion.status.message]
    words = "; ".join(reasons)
    if not reasons and head["formulation"] == AUTO:
        words = f"{s['formulation']}, {s['integrator']}"
    return Attempt(
        **head, outcome=FAILED if reasons else PASSED, reason=words, errors=errors,
        error=max(errors.values()) if len(errors) == len(problem.checks) else None,
        position_violation=c.get("position_violation"), velocity_violation=c.get("velocity_violation"),
        energy_drift=c.get("energy_drift"), steps=int(s["steps"]), rejected=int(s.get("rejected", 0)),
        evaluations=int(s["rhs_evaluations"]), jacobians=int(s.get("jacobian_evaluations", 0)),
        factorizations=int(s.get("factorizations", 0)), iterations=int(s.get("iterations", 0)), wall_time=wall,
    )  # fmt: skip


def reference_errors(motion: Motion, checks: Sequence[Check]) -> dict[str, float]:
    """Return the distance from the reference of every check whose time was reached.

    Parameters
    ----------
    motion : Motion
        With the times of the checks among its instants.
    checks : sequence of Check
    """
    measure = Measurer(motion.tables, motion.t, motion.q, motion.v, motion.a, motion.references, motion.dynamics)
    found: dict[str, float] = {}
    for check in checks:
        if len(motion.t) == 0:
            break
        k = int(np.argmin(np.abs(motion.t - check.time)))
        if abs(motion.t[k] - check.time) <= 1e-9 * max(abs(check.time), 1e-9):
            found[check.name] = abs(float(measure(check.path).values[k]) - check.value)
    return found


def _shortcomings(problem: Problem, errors: dict[str, float], motion: Motion, wall: float) -> list[str]:
    """Return in words which criteria are not met."""
    limits = {check.name: check.tolerance for check in problem.checks}
    missed = [name for name, size in errors.items() if not size <= limits[name]]
    worst = max(missed, key=lambda name: errors[name] / limits[name], default="")
    found = [f"{worst} is off by {errors[worst]:.1e}"] if missed else []
    c = motion.certificate
    for key, limit in (
        ("energy_drift", problem.energy_drift), ("position_violation", problem.violation),
        ("velocity_violation", problem.violation),
    ):  # fmt: skip
        value = c.get(key)
        if value is not None and not value <= limit:
            found.append(f"{key.replace('_', ' ')} {value:.1e}")
    if wall > problem.seconds:
        found.append(f"{wall:.3g} s")
    return found
