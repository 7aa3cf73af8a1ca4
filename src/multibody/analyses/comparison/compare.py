"""One model with several formulations, integrators and tolerances: work, error against a tight reference, quality."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from multibody.analyses.dynamics.run import run
from multibody.analyses.given.run_options import evaluated_options, read_options
from multibody.errors import ModelError
from multibody.formulations import Formulation, formulation_of
from multibody.integrators import INTEGRATORS, OPTIONAL, integrator_of
from multibody.model.model import Model
from multibody.options.methods import AUTO, Method, label_of, read_method
from multibody.state.motion import Motion
from multibody.state.state import State
from multibody.state.system import Floats

TIGHT = 1e-13  # relative tolerance of the reference
USUAL = 1e-8  # tolerance for which a fixed step is chosen
FIXED = 0.25  # a fixed step over the mean step of the reference
PATIENCE = 2.0  # seconds beyond which a run is not repeated
KNOWN = INTEGRATORS | OPTIONAL
FOUR = ["augmented", "baumgarte", "partitioning", "kane"]


@dataclass(frozen=True)
class Trial:
    """One line of a comparison.

    Attributes
    ----------
    formulation, integrator : str
    rtol : float or None
        None for a fixed step.
    step : float or None
        The fixed step.
    success : bool
    message : str
        Why it failed, or how it ended.
    wall_time : float
        Of the integration alone, the smallest of the repeats [s].
    evaluations, steps, rejected : int
    mean_step : float
    error, error_end : float or None
        Largest distance of any body from the reference, over the output grid and at the end: lengths over L, angles in rad.
    position_violation, velocity_violation : float
        Largest violation of the constraints, scaled.
    energy_drift : float
    mean_order : float
    """

    formulation: str
    integrator: str
    rtol: float | None
    step: float | None
    success: bool
    message: str
    wall_time: float | None = None
    evaluations: int = 0
    steps: int = 0
    rejected: int = 0
    mean_step: float | None = None
    error: float | None = None
    error_end: float | None = None
    position_violation: float | None = None
    velocity_violation: float | None = None
    energy_drift: float | None = None
    mean_order: float | None = None


@dataclass(frozen=True)
class Comparison:
    """All lines, and the reference that errors are taken against."""

    model: Model
    until: float
    trials: list[Trial]
    reference: Motion
    reference_text: str
    planned: int = 0  # lines that were asked for; fewer are there if it was interrupted
    motions: list[Motion | None] = field(default_factory=list)  # of each line; None where it could not begin


def compare(
    model: Model, until: float | str | None = None, *, formulations: Sequence[Any] | None = None,
    integrators: Sequence[Any] | None = None, rtol: Sequence[float] | float | None = None, step: float | str | None = None,
    reference: Motion | None = None, initial: State | None = None, output_step: float | str | None = None,
    repeats: int | None = None, progress: Callable[[str, int, int], None] | None = None,
) -> Comparison:  # fmt: skip
    """Return what one model costs and how well it is solved with each formulation and integrator.

    Parameters
    ----------
    model : Model
    until : float or formula
        Last time; default the model's own.
    formulations, integrators : sequence of names, mappings or objects
        Default ``augmented``, ``baumgarte``, ``partitioning`` and ``kane`` with ``dop853`` and ``adams``.
    rtol : float or sequence of floats
        Tolerances, atol a hundredth of each; default 1e-8.
    step : float, optional
        Step of methods with a fixed step; default a quarter of the reference's mean step, and for other tolerances than
        1e-8 changed with the order of the method.
    reference : Motion, optional
        Default: ``augmented`` with ``dop853`` at 1e-13.
    initial : State, optional
    output_step : float
        Spacing of the instants at which errors are taken; default one four-hundredth of the whole.
    repeats : int
        Timed repetitions, of which the fastest counts.
    progress : callable, optional
        Called with words, the number of the line and their count.

    Returns
    -------
    Comparison
    """
    own = model.defaults.of("compare")
    until, step, output_step = (
        own.get(key) if value is None else value
        for key, value in (("until", until), ("step", step), ("output_step", output_step))
    )
    chosen = [_formulation(model, item) for item in _several(formulations, own.get("formulations", FOUR))]
    methods = [_method(model, item) for item in _several(integrators, own.get("integrators", ["dop853", "adams"]))]
    tolerances = [float(x) for x in _several(rtol, own.get("rtol", [USUAL]))]
    repeats = own.get("repeats", 3) if repeats is None else repeats
    if isinstance(repeats, bool) or not isinstance(repeats, int) or repeats < 1:
        raise ModelError(f"{repeats!r} repeats", where="compare", hint="give a whole number of at least 1")
    for value in tolerances:
        read_options(model, until, None, "dop853", value, None, None, output_step, True)
    end = read_options(model, until, None, "rk4", None, None, 1.0 if step is None else step, output_step, True)
    common = {"initial": initial, "output_step": output_step}
    plans = [(f, m, tol) for f in chosen for m in methods for tol in (tolerances if _varies(m, step) else tolerances[:1])]
    if progress is not None:
        progress("reference", 0, len(plans) + 1)
    text = "given"
    if reference is None:
        reference = run(model, end.until, formulation="augmented", integrator="dop853", rtol=TIGHT, atol=1e-14, **common)  # type: ignore[arg-type]
        text = f"augmented, dop853, rtol {TIGHT:g}"
    if "rhs_evaluations" not in reference.statistics:
        raise ModelError(
            "the motions determine everything, so nothing is integrated", where="compare",
            hint="take out a motion, or use kinematics",
        )  # fmt: skip
    trials: list[Trial] = []
    motions: list[Motion | None] = []
    for k, (formulation, method, tolerance) in enumerate(plans):
        if progress is not None:
            progress(f"{formulation.name}, {method.label}, {tolerance:g}", k + 1, len(plans) + 1)
        if reference.status.interrupted:
            break
        length = getattr(end.integrator, "step", None) if step is not None else _fixed_step(reference, method, tolerance)
        try:
            trial, motion = _trial(model, end.until, formulation, method, tolerance, length, reference, common, repeats)
        except KeyboardInterrupt:  # what was computed is kept
            break
        trials.append(trial)
        motions.append(motion)
    return Comparison(model, end.until, trials, reference, text, len(plans), motions)


def _several(given: Any, default: list[Any]) -> list[Any]:
    """Return a list from one item, several or none."""
    if given is None:
        return default
    items = [given] if isinstance(given, str | int | float) or not isinstance(given, Sequence) else list(given)
    if not items:
        raise ModelError("an empty list", where="compare", hint="name at least one, or leave it out")
    return items


def _formulation(model: Model, given: Any) -> Formulation:
    """Return a formulation, formulas of its options as their values."""
    method = read_method(given, "formulation")
    return formulation_of(Method(method.name, evaluated_options(model, method, "formulation")).plain())


def _method(model: Model, given: Any) -> Method:
    """Return an integrator with the options that were given, checked; ``auto`` is ``dop853``."""
    found = read_method(given, "integrator")
    method = Method("dop853") if found.name == AUTO else Method(found.name, evaluated_options(model, found, "integrator"))
    integrator_of(method.plain(), None if _adaptive(method) or "step" in method.options else 1.0)
    return method


def _adaptive(method: Method) -> bool:
    """Return whether an integrator chooses its steps."""
    return bool(KNOWN[method.name].adaptive)


def _varies(method: Method, step: Any) -> bool:
    """Return whether a method's work changes with the tolerance."""
    return _adaptive(method) or ("step" not in method.options and step is None)


def _fixed_step(reference: Motion, method: Method, tolerance: float) -> float | None:
    """Return the step of a method with a fixed one: for the usual tolerance a part of the reference's mean step."""
    if _adaptive(method):
        return None
    steps = max(int(reference.statistics.get("steps", 0)), 1)
    span = abs(float(reference.t[-1] - reference.t[0])) if len(reference.t) > 1 else 1.0
    length = FIXED * span / steps * (tolerance / USUAL) ** (1.0 / KNOWN[method.name].order)
    return float(span / max(1, math.ceil(span / length)))


def _trial(
    model: Model, until: float, formulation: Formulation, method: Method, tolerance: float, step: float | None,
    reference: Motion, common: dict[str, Any], repeats: int,
) -> tuple[Trial, Motion | None]:  # fmt: skip
    """Run one combination and measure it; return its motion too, without what lies between the instants."""
    adaptive = _adaptive(method)
    step = None if adaptive else method.options.get("step", step)
    named = Method(method.name, {key: value for key, value in method.options.items() if key != "step"})
    head: dict[str, Any] = {
        "formulation": label_of(formulation, "formulation"), "integrator": named.label,
        "rtol": tolerance if adaptive else None, "step": step,
    }  # fmt: skip
    options: dict[str, Any] = {
        "formulation": formulation, "integrator": integrator_of(named.plain(), step), "rtol": tolerance,
        "atol": max(1e-2 * tolerance, 1e-14), **common,
    }  # fmt: skip
    try:
        motion = run(model, until, **options)
        if motion.status.interrupted:
            raise KeyboardInterrupt
        if len(motion.t) == 0:  # it cannot begin: there is nothing to measure
            return Trial(**head, success=False, message=_words(motion)), None
        walls = [] if motion.status.success else [float(motion.statistics["wall_time"])]
        while len(walls) < repeats and motion.status.success and float(np.sum(walls)) < PATIENCE:
            again = run(model, until, **(options | {"dense": False}))
            if again.status.interrupted:
                raise KeyboardInterrupt
            walls.append(float(again.statistics["wall_time"]))
    except ModelError as error:
        return Trial(**head, success=False, message=str(error)), None
    kept = None if motion.dynamics is None else replace(motion.dynamics, dense=None, along=None)
    return _measured(head, motion, min(walls), reference), replace(motion, dynamics=kept)


def _measured(head: dict[str, Any], motion: Motion, wall: float, reference: Motion) -> Trial:
    """Return a finished run as a line."""
    s, c = motion.statistics, motion.certificate
    steps = int(s["steps"])
    span = abs(float(motion.t[-1] - motion.t[0]))
    errors = distances(motion, reference)
    return Trial(
        **head, success=motion.status.success, message=_words(motion), wall_time=wall,
        evaluations=int(s["rhs_evaluations"]), steps=steps, rejected=int(s["rejected"]),
        mean_step=span / steps if steps else None, error=float(np.max(errors)) if len(errors) else None,
        error_end=float(errors[-1]) if len(errors) and motion.t[-1] == reference.t[-1] else None,
        position_violation=c["position_violation"], velocity_violation=c["velocity_violation"],
        energy_drift=c["energy_drift"], mean_order=float(s["mean_order"]),
    )  # fmt: skip


def _words(motion: Motion) -> str:
    """Return how a run ended, and what would help."""
    return motion.status.message + (f"; {motion.status.advice}" if motion.status.advice else "")


def distances(motion: Motion, reference: Motion) -> Floats:
    """Return the largest distance of any body from the reference at the common instants: lengths over L, angles in rad."""
    tables = motion.tables
    if motion.q.shape[1] != reference.q.shape[1]:
        raise ModelError("the reference belongs to another model", where="compare", hint="give a run of this model")
    _, mine, its = np.intersect1d(motion.t, reference.t, return_indices=True)
    order = np.argsort(mine)
    a, b = motion.q[mine[order]], reference.q[its[order]]
    bodies, length, layout = len(tables.bodies) - 1, tables.length, tables.layout
    a, b = layout.split(a, bodies), layout.split(b, bodies)
    if layout.dimension == 2:
        parts = np.abs(a - b) / np.array([length, length, 1.0])
        return np.asarray(np.max(parts, axis=(1, 2)))
    moved = np.max(np.abs(a - b)[:, :, layout.shift], axis=2) / length
    a, b = a[:, :, layout.turn], b[:, :, layout.turn]
    apart = np.minimum(np.linalg.norm(a - b, axis=2), np.linalg.norm(a + b, axis=2))
    turned = 4.0 * np.arcsin(np.minimum(0.5 * apart, 1.0))
    return np.asarray(np.max(np.maximum(moved, turned), axis=1))
