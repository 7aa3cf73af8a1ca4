"""The options of the verbs that a model file may state as defaults: ``run: {until: 5, rtol: 1e-9}``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from multibody.errors import ModelError
from multibody.options.methods import FORMULATIONS, method_schema, read_method, split_methods
from multibody.options.option import Option, Schema, refuse_unknown

_SPACING: dict[str, Any] = {"noun": "length of time", "low": 0.0, "above": True, "hint": "give a positive number"}
_TOLERANCE: dict[str, Any] = {
    "noun": "tolerance", "low": 0.0, "above": True, "high": 1.0, "hint": "give a number between 0 and 1, such as 1e-8",
}  # fmt: skip
_TIME: dict[str, Any] = {"noun": "time", "hint": "give a finite number"}

_CUT = Option("cut", "names", "Joints at which loops are cut (joint coordinates); default derived.")
_UNTIL = Option("until", "number", 'Last time, also a formula: "2*pi/omega"; default the model\'s.', **_TIME)
_START = Option("start", "number", "First time; default 0.", flag="from", **_TIME)
_STEPS = Option("steps", "whole", "Intervals; default 100.", low=1, hint="give a whole number of at least 1")
_AT = Option("at", "number", "One time alone.", **_TIME)
_FORMULATION = Option("formulation", "formulation", "How the equations are written; default auto. Options behind a colon.")
_INTEGRATOR = Option("integrator", "integrator", "How they are stepped; default auto. Options behind a colon.")
_STEP = Option("step", "number", "Step of rk4, ab3 and alpha.", **_SPACING)
_OUTPUT_STEP = Option("output_step", "number", "Spacing of the instants in the result; default 1/400 of the whole.", **_SPACING)
_RTOL = Option("rtol", "number", "Relative tolerance; default 1e-8.", **_TOLERANCE)
_ATOL = Option("atol", "number", "Absolute tolerance; default 1e-10.", **_TOLERANCE)


def _held(doc: str) -> Option:
    return Option("t", "number", doc, flag="at", **_TIME)


def _verbs(**verbs: tuple[Option, ...]) -> dict[str, dict[str, Option]]:
    return {verb: {option.name: option for option in options} for verb, options in verbs.items()}


VERBS = _verbs(
    run=(_UNTIL, _FORMULATION, _INTEGRATOR, _RTOL, _ATOL, _STEP, _OUTPUT_STEP, _CUT),
    kinematics=(_START, _UNTIL, _STEPS, _AT),
    assemble=(
        _held("Time of the motions; default 0."), Option("branches", "flag", "Find other ways to assemble it."),
    ),
    check=(_CUT,),
    inverse=(
        _START, _UNTIL, _STEPS, _AT,
        Option("efforts", "names", "Coordinates on which actuators act in place of the motions."), _FORMULATION,
    ),
    reactions=(_AT, Option("joints", "names", "Joints; default all.")),
    statics=(
        _held("Time at which motions are held; default 0."),
        Option("method", "word", "newton (downhill, default), nearest (stable or not) or relaxation.",
               words=("newton", "nearest", "relaxation")),
        Option("tolerance", "number", "Unbalanced force over the forces that act; default 1e-10.", **_TOLERANCE),
    ),
    modes=(
        Option("at", "word",
               "Where: equilibrium or initial; default equilibrium where the start is at rest.",
               words=("equilibrium", "initial")),
        Option("inputs", "names", "Forces or coordinates along which efforts act; default all efforts and forces."),
        Option("outputs", "names", "Paths or expressions that are read; default the outputs, else the joints' coordinates."),
        Option("count", "whole", "How many modes, lowest first; default all, of a large model 10.", low=1,
               hint="give a whole number of at least 1"),
    ),
    compare=(
        _UNTIL,
        Option("formulations", "formulations", "Formulations; default augmented, baumgarte, partitioning, kane."),
        Option("integrators", "integrators", "Integrators; default dop853, adams."),
        Option("rtol", "numbers", "Tolerances; default 1e-8.", **_TOLERANCE),
        _STEP, _OUTPUT_STEP,
        Option("repeats", "whole", "Timed repetitions; the fastest counts.", low=1, hint="give a whole number of at least 1"),
    ),
)  # fmt: skip
"""Verb → name → option."""


def read_option(verb: str, key: str, value: Any) -> Any:
    """Return one option of a verb as plain data, checked.

    Parameters
    ----------
    verb : str
        Of ``VERBS``.
    key : str
        Of its options.
    value : object
    """
    refuse_unknown([key], VERBS[verb], verb)
    option, where = VERBS[verb][key], f"{verb}.{key}"
    if option.kind in ("formulation", "integrator"):
        return read_method(value, option.kind, where).plain()
    if option.kind in ("formulations", "integrators"):
        items = split_methods(value.split(",")) if isinstance(value, str) else value
        if not isinstance(items, list | tuple):
            items = [items]
        return [read_method(item, option.kind[:-1], where).plain() for item in items]
    return option.read(value, where)


def check_together(verb: str, options: Mapping[str, Any]) -> None:
    """Refuse options of a verb that contradict each other."""
    if options.get("at") is not None and verb in ("kinematics", "inverse"):
        for key in ("start", "until", "steps"):
            if options.get(key) is not None:
                raise ModelError(f"at together with {key}", where=verb, hint="give one time or a range")
    if verb == "run" and options.get("cut") is not None:
        check_cut(options.get("formulation"), options["cut"])


def check_cut(formulation: Any, cut: Any, where: str = "run.cut") -> None:
    """Refuse joints to cut where no tree is cut, or where the formulation names others."""
    method = None if formulation is None else read_method(formulation, "formulation")
    *others, last = (name for name, options in FORMULATIONS.items() if "cut" in options)
    able = f"{', '.join(others)} or {last}"
    if method is None or method.name == "auto":
        problem = "loops are cut in joint coordinates, which no formulation asks for"
        raise ModelError(problem, where=where, hint=f"add formulation {able}")
    if method.name not in (*others, last):
        raise ModelError(f"{method.name} has no tree, and no joint to cut", where=where, hint=f"use {able}")
    own = method.options.get("cut")
    if own is not None and list(own) != list(cut):
        problem = f"it is given twice: {', '.join(own)} in {method.name} and {', '.join(cut)} beside it"
        raise ModelError(problem, where=where, hint="keep one of the two")


def verb_schema(verb: str) -> Schema:
    """Return the JSON Schema of a verb's options."""
    properties = {name: _schema(option) for name, option in VERBS[verb].items()}
    closed = {"type": ["object", "null"], "additionalProperties": False, "properties": properties}
    return {**closed, "description": f"options of {verb}"}


def _schema(option: Option) -> Schema:
    """Return the JSON Schema of one option; methods are defined once for all."""
    if option.kind in ("formulation", "integrator"):
        return {"$ref": f"#/$defs/{option.kind}", "description": option.doc}
    if option.kind in ("formulations", "integrators"):
        return {"type": "array", "items": {"$ref": f"#/$defs/{option.kind[:-1]}"}, "minItems": 1, "description": option.doc}
    return option.schema()


def definitions() -> dict[str, Schema]:
    """Return the definitions that the verbs' schemas refer to."""
    return {group: method_schema(group) for group in ("formulation", "integrator")}
