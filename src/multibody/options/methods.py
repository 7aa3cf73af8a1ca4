"""Formulations and integrators by name, with the options that each of them takes.

A method is said as a name (``baumgarte``), as a name with its options (``baumgarte:alpha=5,beta=5``) or, in files and in
Python, as a mapping (``{baumgarte: {alpha: 5, beta: 5}}``). The classes with the same names hold the values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from multibody.errors import ModelError
from multibody.options.option import Option, Schema, near_of, refuse_unknown, shown

Catalog = dict[str, dict[str, Option]]

_LENGTH: dict[str, Any] = {"noun": "length of time", "low": 0.0, "above": True, "hint": "give a positive number"}
_FEEDBACK: dict[str, Any] = {"noun": "feedback", "low": 0.0, "hint": "give a number of at least 0, such as 5"}
_ALPHA = Option("alpha", "number", "feedback of velocity violations [1/time]", **_FEEDBACK)
_BETA = Option("beta", "number", "feedback of position violations [1/time]", **_FEEDBACK)
_CUT = Option("cut", "names", "joints at which loops are cut")
_FIRST = Option("first_step", "number", "length of the first step", **_LENGTH)
_MAX = Option("max_step", "number", "no step is longer", **_LENGTH)
_STEP = Option("step", "number", "length of the steps", required=True, **_LENGTH)


def _order(highest: int) -> Option:
    return Option("max_order", "whole", "highest order", low=1, high=highest, hint=f"give 1 to {highest}")


def _form(*words: str) -> Option:
    return Option("form", "word", "which constraint equations are solved in each step", words=words)


def _catalog(**methods: tuple[Option, ...]) -> Catalog:
    return {name: {option.name: option for option in options} for name, options in methods.items()}


FORMULATIONS = _catalog(
    augmented=(), baumgarte=(_ALPHA, _BETA), partitioning=(), kane=(),
    parametric=(Option("rotation", "word", "rows of the rotations", words=("regular", "cosine")),),
    recursive=(_CUT,),
    transformation=(
        Option("loops", "word", "what is done about loops", words=("projected", "stabilized", "partitioned")),
        _ALPHA, _BETA, _CUT,
    ),
    articulated=(_CUT,),
)  # fmt: skip

INTEGRATORS = _catalog(
    rk4=(_STEP,), ab3=(_STEP,), dop853=(_FIRST, _MAX), adams=(_FIRST, _MAX, _order(12)),
    bdf=(_FIRST, _MAX, _order(5), _form("ggl", "index2", "index1")), radau=(_FIRST, _MAX),
    alpha=(
        _STEP,
        Option("rho", "number", "what is left of an infinitely fast motion after a step, 0 to 1",
               noun="spectral radius", low=0.0, high=1.0, hint="give 0 to 1"),
        _form("stabilized", "index3"),
    ),
    ida=(_FIRST, _MAX, _order(5)),
)  # fmt: skip

VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "parametric-cosine": ("parametric", {"rotation": "cosine"}),
    "transformation-stabilized": ("transformation", {"loops": "stabilized"}),
    "transformation-partitioned": ("transformation", {"loops": "partitioned"}),
}
"""Short names for a formulation with a word."""

GROUPS: dict[str, Catalog] = {"formulation": FORMULATIONS, "integrator": INTEGRATORS}
AUTO = "auto"


@dataclass(frozen=True)
class Method:
    """A formulation or an integrator as it was asked for: its name and the options that were given."""

    name: str
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """Name and options in one word: ``bdf:max_order=2``."""
        said = ",".join(f"{key}={_text(value)}" for key, value in self.options.items())
        return f"{self.name}:{said}" if said else self.name

    def plain(self) -> Any:
        """Return what a file has for it."""
        return {self.name: dict(self.options)} if self.options else self.name


def _text(value: Any) -> str:
    """Return a value as the short form has it."""
    if isinstance(value, list | tuple):
        return "+".join(str(item) for item in value)
    return f"{value:g}" if isinstance(value, float) else str(value)


def read_method(given: Any, group: str, where: str = "") -> Method:
    """Return a method from a name, a name with options, a mapping or the object itself.

    Parameters
    ----------
    given : str, mapping or object
    group : {"formulation", "integrator"}
    where : str
        What messages blame; default the group.
    """
    catalog, where = GROUPS[group], where or group
    if isinstance(given, Mapping):
        if len(given) != 1:
            hint = f"write {{{next(iter(given), next(iter(catalog)))}: {{...}}}}"
            raise ModelError(f"{len(given)} names where one {group} is needed", where=where, hint=hint)
        name, options = next(iter(given.items()))
        if options is not None and not isinstance(options, Mapping):
            problem = f"the options of {name} are {shown(options)}"
            raise ModelError(problem, where=f"{where}.{name}", hint=f"write {{{name}: {{option: value}}}}")
        return _checked(str(name), dict(options or {}), group, where)
    if isinstance(given, str):
        name, _, rest = given.partition(":")
        return _checked(name.strip(), _pairs(name, rest, where) if rest else {}, group, where)
    if isinstance(given, type) and given.__name__.lower() in catalog:
        raise ModelError(f"{given.__name__} is a class", where=where, hint=f"write mb.{given.__name__}()")
    kind = type(given).__name__.lower()
    if kind in catalog and hasattr(given, "name"):
        return Method(kind, {key: getattr(given, key) for key in catalog[kind] if _differs(given, key)})
    raise ModelError(f"{shown(given)} is no {group}", where=where, hint=near_of("", (AUTO, *catalog)))


def _differs(given: Any, key: str) -> bool:
    """Return whether an object's option has another value than by default."""
    return bool(getattr(given, key) != getattr(type(given), key, None))


def _checked(name: str, options: dict[str, Any], group: str, where: str) -> Method:
    """Return a method whose name and options exist."""
    catalog = GROUPS[group]
    if name == AUTO:
        if options:
            raise ModelError("auto has no options", where=where, hint=f"name the {group} that has them")
        return Method(name)
    short = VARIANTS if group == "formulation" else {}
    if name not in catalog and name not in short:
        known = (*([AUTO] if group == "formulation" else []), *catalog, *short)
        raise ModelError(f'unknown {group} "{name}"', where="" if group == "integrator" else where, hint=near_of(name, known))
    base, fixed = short.get(name, (name, {}))
    known_options = catalog[base]
    refuse_unknown(options, known_options, base)
    for key in options:
        if key in fixed:
            raise ModelError(f"{key} is in the name {name} already", where=where, hint=f"write {base} with {key}")
    return Method(base, fixed | {key: known_options[key].read(value, base) for key, value in options.items()})


def _pairs(name: str, text: str, where: str) -> dict[str, Any]:
    """Return the options of ``alpha=5,beta=5``; a list of names is written with ``+`` between them."""
    found: dict[str, Any] = {}
    for part in text.split(","):
        key, sign, value = (item.strip() for item in part.partition("="))
        if not sign or not key or not value:
            raise ModelError(f'"{part}" is no option', where=where, hint=f"write {name}:option=value,option=value")
        if key in found:
            raise ModelError(f"{key} is given twice", where=where, hint="keep one of the two")
        found[key] = value.split("+") if key == _CUT.name else _value(value)
    return found


def _value(text: str) -> Any:
    """Return a number, or the text itself: a word or a formula."""
    try:
        number = float(text)
    except ValueError:
        return text
    return int(number) if number.is_integer() and abs(number) < 1e15 and "." not in text else number


def split_methods(parts: list[str]) -> list[str]:
    """Return names from what stood between commas: options behind the first one belong to the name before them."""
    found: list[str] = []
    for part in parts:
        if found and "=" in part and ":" not in part and ":" in found[-1]:
            found[-1] += f",{part}"
        else:
            found.append(part)
    return found


def check_object(given: Any, name: str) -> None:
    """Refuse values of an object's options that are no values; called by the classes themselves."""
    for group in GROUPS.values():
        for key, option in group.get(name, {}).items():
            value = getattr(given, key)
            if value is not None:  # a method without a step takes that of the run
                option.read(value, name, formulas=False)


def label_of(given: Any, group: str) -> str:
    """Return a method's name with the options that are not as by default; the short name where there is one."""
    method = read_method(given, group)
    for name, (base, fixed) in VARIANTS.items() if group == "formulation" else ():
        if method.name == base and fixed.items() <= method.options.items():
            rest = {key: value for key, value in method.options.items() if key not in fixed}
            return Method(name, rest).label
    return method.label


def method_schema(group: str) -> Schema:
    """Return the JSON Schema of a formulation or an integrator."""
    catalog = GROUPS[group]
    names = [AUTO, *catalog, *(VARIANTS if group == "formulation" else ())]
    mappings = [
        {"type": "object", "additionalProperties": False, "required": [name], "properties": {name: _options_schema(options)}}
        for name, options in catalog.items()
    ]
    short = {"type": "string", "pattern": f"^({'|'.join(names)}):.+=", "description": "name:option=value,option=value"}
    return {"anyOf": [{"enum": names}, short, *mappings]}


def _options_schema(options: Mapping[str, Option]) -> Schema:
    properties = {name: option.schema() for name, option in options.items()}
    return {"type": ["object", "null"], "additionalProperties": False, "properties": properties}
