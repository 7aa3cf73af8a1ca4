"""What a run was asked to do: given options, then the model's own, then the defaults, all checked."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from multibody.arguments import number_in
from multibody.errors import ModelError
from multibody.formulations import Formulation, formulation_of
from multibody.integrators import INTEGRATORS, Integrator, integrator_of
from multibody.model.model import Model
from multibody.options.methods import AUTO, GROUPS, Method, read_method

TIGHTEST = 1e-14  # tolerance
FIXED = ", ".join(name for name, kind in INTEGRATORS.items() if not kind.adaptive)


@dataclass(frozen=True)
class Options:
    """What a run was asked to do, with the model's own defaults filled in."""

    until: float
    formulation: Formulation | None  # None: auto
    integrator: Integrator | None
    rtol: float
    atol: float
    output_step: float | None
    dense: bool
    notes: tuple[str, ...] = ()

    def settings(self, spacing: float, integrator: Integrator | None = None) -> dict[str, float]:
        """Return what it takes to repeat a run: last time, spacing of the instants, tolerances or step of its integrator."""
        found = {"until": float(self.until), "output_step": float(self.output_step or abs(spacing))}
        if integrator is None:  # the motions determine everything
            return found
        if integrator.adaptive:
            return {**found, "rtol": self.rtol, "atol": self.atol}
        return {**found, "step": float(getattr(integrator, "step", math.nan))}


def read_options(
    model: Model, until: Any, formulation: Any, integrator: Any, rtol: Any, atol: Any, step: Any, output_step: Any, dense: bool,
    cut: Sequence[str] | None = None,
) -> Options:  # fmt: skip
    """Return checked options; what is not given comes from the model's own `run` options, then from the defaults."""
    own = model.defaults.of("run")
    end = own.get("until") if until is None else until
    if end is None:
        raise ModelError("no end time", where="run", hint="give until")
    spacing = own.get("output_step") if output_step is None else output_step
    notes: list[str] = []
    tolerances = [
        _tolerance(model, own.get(key, usual) if given is None else given, key, notes)
        for key, given, usual in (("rtol", rtol, 1e-8), ("atol", atol, 1e-10))
    ]
    return Options(
        number_of(model, end, "until"), formulation_asked(model, formulation, cut, notes),
        _integrator(model, own, integrator, step, notes), tolerances[0], tolerances[1],
        None if spacing is None else _positive(model, spacing, "output_step"), dense, tuple(notes),
    )  # fmt: skip


def formulation_asked(
    model: Model, given: Any, cut: Sequence[str] | None, notes: list[str] | None = None
) -> Formulation | None:
    """Return the formulation, None for ``auto``; joints to cut that only the model names matter only where there is a tree."""
    own, notes = model.defaults.of("run"), [] if notes is None else notes
    asked = own.get("formulation", AUTO) if given is None else given
    if cut is not None:
        return formulation_of(_evaluated(model, asked, "formulation"), list(cut))
    if isinstance(asked, str) and asked == AUTO:
        if own.get("cut") is not None:
            notes.append("cut of the model's own options is not used: auto was asked for")
        return None
    found = formulation_of(_evaluated(model, asked, "formulation"))
    if own.get("cut") is None or getattr(found, "cut", None) is not None:
        return found
    cut_there = found.cut_at(own["cut"])
    if cut_there is not None:
        return cut_there
    notes.append(f"cut of the model's own options is not used: {found.name} has no tree")
    return found


def _integrator(model: Model, own: Mapping[str, Any], given: Any, step: Any, notes: list[str]) -> Integrator | None:
    """Return the integrator, None for ``auto``; a step that only the model names matters only where steps are given."""
    asked = own.get("integrator", AUTO) if given is None else given
    length = None if step is None else _positive(model, step, "step")
    own_length = None if step is not None or own.get("step") is None else _positive(model, own["step"], "step")
    if isinstance(asked, str) and asked == AUTO:
        if length is not None or (own_length is not None and given is None):
            problem = "step is set, but auto takes dop853, and this integrator chooses its steps"
            raise ModelError(problem, where="run", hint=f"name one with a fixed step: {FIXED}")
        return None
    chosen = _evaluated(model, asked, "integrator")
    if own_length is not None:
        method = read_method(chosen, "integrator")
        adaptive = method.name not in INTEGRATORS or INTEGRATORS[method.name].adaptive
        if given is None or not (adaptive or "step" in method.options):
            length = own_length
        elif adaptive:
            notes.append(f"step of the model's own options is not used: {method.name} chooses its steps")
    return integrator_of(chosen, length)


def _evaluated(model: Model, given: Any, group: str) -> Any:
    """Return a method whose formulas are numbers; an object is returned as it is."""
    if not isinstance(given, str | Mapping):
        return given
    method = read_method(given, group)
    return Method(method.name, evaluated_options(model, method, group)).plain()


def evaluated_options(model: Model, method: Method, group: str) -> dict[str, Any]:
    """Return the options of a method, formulas of parameters as their values."""
    found, catalog = dict(method.options), GROUPS[group].get(method.name, {})
    for key, value in found.items():
        if catalog[key].kind == "number" and isinstance(value, str):
            place = f"{method.name}.{key}"
            found[key] = catalog[key].read(number_of(model, value, key, place), method.name, formulas=False)
    return found


def _tolerance(model: Model, value: Any, key: str, notes: list[str]) -> float:
    """Return a tolerance; one beyond the last digit is replaced, with a note."""
    number = number_of(model, value, key)
    if not 0.0 < number < 1.0:
        raise ModelError(f"{key} is {number:g}", where="run", hint="give a tolerance between 0 and 1, such as 1e-8")
    if number < TIGHTEST:
        notes.append(f"{key} {number:g} is taken as {TIGHTEST:g}: the numbers have no more digits")
    return max(number, TIGHTEST)


def _positive(model: Model, value: Any, key: str) -> float:
    """Return a length of time."""
    number = number_of(model, value, key)
    if not number > 0.0:
        raise ModelError(f"{key} is {number:g}", where="run", hint="give a positive length of time")
    return number


def number_of(model: Model, value: Any, key: str, where: str = "") -> float:
    """Return a number or a formula of parameters as a number."""
    from multibody.tables.scope import Scope

    number = number_in(value)
    if math.isnan(number) and not isinstance(value, float):
        scope, where = Scope(model), where or f"run.{key}"
        number = scope.value(scope.scalar(model.formula(value, where), where), where)
    if not math.isfinite(number):
        raise ModelError(f"{key} is {number}", where="run", hint="give a finite number")
    return number
