"""The entries of a model file, one function for each section: checked for unknown keys, then given to the model."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from multibody.errors import ModelError, nearest
from multibody.model.body import BODY_KEYS as KEYS_OF_BODIES
from multibody.model.body import Body, make_body, read_frames
from multibody.model.forces import KINDS as FORCE_KINDS
from multibody.model.forces import Force, read_force
from multibody.model.geometry import ORIENTATION_KEYS, Frame
from multibody.model.joints import ALIASES, Joint, read_joint
from multibody.model.joints import KINDS as JOINT_KINDS
from multibody.model.model import Model
from multibody.model.names import check_name
from multibody.model.tables import Table
from multibody.model.values import is_number

__all__ = ["ADD", "PARAMETER_KEYS", "add_parameter", "blamed", "check_keys", "refers_to", "stand_in"]

BODY_KEYS = (*KEYS_OF_BODIES, *ORIENTATION_KEYS)
PARAMETER_KEYS = ("value", "unit", "doc", "min", "max")
_JOINT_KINDS = (*JOINT_KINDS, *ALIASES)
_JOINT_KEYS = {"at", *(f.name for kind in JOINT_KINDS.values() for f in kind.fields)}
_FORCE_KEYS = {f.name for kind in FORCE_KINDS.values() for f in kind.fields} - FORCE_KINDS.keys()

Adder = Callable[[Model, str, Any], None]


def check_keys(given: object, known: Collection[str], where: str, example: str) -> dict[str, Any]:
    """Return the data as a mapping that has only known keys; nothing at all is an empty one."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise ModelError("it is not a mapping", where=where, hint=f"write {example}")
    for key in given:
        if key not in known:
            hint = f"{nearest(key, known)} It takes {', '.join(known)}.".strip()
            raise ModelError(f'unknown field "{key}"', where=where, hint=hint)
    return dict(given)


def _kind(given: Mapping[str, Any], kinds: Collection[str], fields: Collection[str], where: str) -> str:
    """Return the key that names the kind of a joint or force."""
    found = [key for key in given if key in kinds]
    if "spring" in found and "force" in found:
        found.remove("force")  # a field of the spring
    if len(found) == 1:
        return found[0]
    if found:
        raise ModelError(f"two kinds, {found[0]} and {found[1]}", where=where, hint="keep one of them")
    strange = next((key for key in given if key not in fields), "")
    hint = f"{nearest(strange, kinds)} Kinds are {', '.join(kinds)}.".strip()
    raise ModelError(f'unknown kind "{strange}"' if strange else "it has no kind", where=where, hint=hint)


# --- items that can be made without adding them -----------------------------------------------------------------------
def _body(model: Model, name: str, value: Any) -> Body:
    where = f"bodies.{name}"
    given = check_keys(value, BODY_KEYS, where, f"{name}: {{mass: 1, frames: {{pin: [..]}}}}")
    rows = given.get("inertia")
    if isinstance(rows, list) and len({isinstance(row, list) for row in rows}) > 1:
        raise ModelError("its inertia mixes rows and numbers", where=where, hint="give three numbers or a 3×3 matrix")
    return make_body(name, model.dimension, units=model.units, beside=model._files, **given)


def _joint(model: Model, name: str, value: Any) -> Joint:
    where, example = f"joints.{name}", f"{name}: {{revolute: [first, second]}}"
    if not isinstance(value, Mapping):
        raise ModelError("it is not a mapping", where=where, hint=f"write {example}")
    word = _kind(value, _JOINT_KINDS, _JOINT_KEYS, where)
    kind = JOINT_KINDS[ALIASES.get(word, word)]
    fields = () if kind.relation == "coupler" else ("at", *(f.name for f in kind.fields))
    joint = read_joint(name, check_keys(value, (word, *fields), where, example), model.dimension)
    for end in (joint.first, joint.second, joint.fields.get("carrier")):
        if end:
            model.find_end(end, where)
    return joint


def _force(model: Model, name: str, value: Any) -> Force:
    where, example = f"forces.{name}", f"{name}: {{spring: [first, second], stiffness: k}}"
    if not isinstance(value, Mapping):
        raise ModelError("it is not a mapping", where=where, hint=f"write {example}")
    word = _kind(value, FORCE_KINDS, _FORCE_KEYS, where)
    fields = tuple(f.name for f in FORCE_KINDS[word].fields)
    force = read_force(name, check_keys(value, (word, *fields), where, example), model.dimension)
    for end in force.target if force.kind.target != "coordinate" else ():
        model.find_end(end, where)
    return force


Maker = Callable[[Model, str, Any], Body | Joint | Force]
_MAKE: dict[str, Maker] = {"bodies": _body, "joints": _joint, "forces": _force}


def blamed(section: str, model: Model, name: str, value: Any, error: ModelError) -> tuple[str, ...]:
    """Return the key of an entry that is to blame for an error: without it the error is gone, or another one.

    The kind of a joint or force is tried last, since without it nothing can be said about the other keys.
    """
    make = _MAKE.get(section)
    if make is None or not isinstance(value, Mapping):
        return ()
    kinds = {"joints": _JOINT_KINDS, "forces": tuple(FORCE_KINDS)}.get(section, ())
    for key in sorted(value, key=lambda key: key in kinds):
        try:
            make(model, name, {other: item for other, item in value.items() if other != key})
        except ModelError as again:
            if (again.problem, again.hint) == (error.problem, error.hint):
                continue
        return (key,)
    return ()


# --- sections ---------------------------------------------------------------------------------------------------------
def add_parameter(model: Model, name: str, value: Any) -> None:
    """Add a parameter: a value, or ``{value, unit, doc, min, max}``."""
    where = f"parameters.{name}"
    given = {"value": value}
    if isinstance(value, Mapping):
        given = check_keys(value, PARAMETER_KEYS, where, f"{name}: {{value: 1, unit: m}}")
    if given.get("value") is None:
        raise ModelError("it has no value", where=where, hint="give a number, a vector or a formula")
    for key in ("min", "max"):
        if given.get(key) is not None and not is_number(given[key]):
            raise ModelError(f"{key} is {given[key]!r}", where=where, hint="a limit is a plain number")
    for key in ("unit", "doc"):
        if not isinstance(given.get(key, ""), str):
            raise ModelError(f"{key} is {given[key]!r}", where=where, hint=f"{key} is text; put it in quotes")
    if isinstance(given["value"], bool | Mapping):
        raise ModelError(f"{given['value']!r} is no value", where=where, hint="give a number, a vector or a formula")
    value = given.pop("value")
    model.parameter(name, value, **given)


def _add_table(model: Model, name: str, value: Any) -> None:
    where = f"tables.{name}"
    given = check_keys(value, ("x", "y", "kind"), where, f"{name}: {{x: [..], y: [..]}}")
    points: dict[str, Any] = {"x": None, "y": None, **given}  # what is missing is told there
    model.table(name, **points)


def _add_ground_frame(model: Model, name: str, value: Any) -> None:
    if name in model.ground_frames:
        raise ModelError("the ground has a frame of this name", where=f"ground.{name}", hint="choose another name")
    model.ground_frames.update(read_frames({name: value}, model.dimension, "ground"))


def _add_body(model: Model, name: str, value: Any) -> None:
    model.add(_body(model, name, value))


def _add_joint(model: Model, name: str, value: Any) -> None:
    model.add(_joint(model, name, value))


def _add_force(model: Model, name: str, value: Any) -> None:
    model.add(_force(model, name, value))


def _add_motion(model: Model, name: str, value: Any) -> None:
    model.motion(name, value)


def _add_initial(model: Model, name: str, value: Any) -> None:
    if name in model.initials:
        raise ModelError("it is held already", where=f"initial.{name}", hint="keep one of the two values")
    model.initial({name: value})


def _add_guess(model: Model, name: str, value: Any) -> None:
    where = f"guess.{name}"
    if name in model.guesses:
        raise ModelError("it has a guess already", where=where, hint="keep one of the two values")
    if isinstance(value, Mapping) and ("value" in value or "weight" in value):
        value = check_keys(value, ("value", "weight"), where, f"{name}: {{value: 1, weight: 2}}")
        if "value" not in value:
            raise ModelError("it has no value", where=where, hint="write {value: 1, weight: 2}")
    model.initial(guess={name: value})


def _add_output(model: Model, name: str, value: Any) -> None:
    if not isinstance(value, Mapping):
        model.output(name, value)
        return
    where = f"outputs.{name}"
    given = check_keys(value, ("value", "unit"), where, f"{name}: {{value: O.effort*O.rate, unit: W}}")
    if given.get("value") is None:
        raise ModelError("it has no value", where=where, hint=f"write {name}: {{value: an expression, unit: W}}")
    model.output(name, given["value"], unit=given.get("unit"))


def _add_event(model: Model, name: str, value: Any) -> None:
    where = f"events.{name}"
    given = dict(value) if isinstance(value, Mapping) else {"when": value}
    if given.get("when") is None:
        hint = f"write {name}: {{when: an expression that crosses zero}}"
        raise ModelError("it does not say when", where=where, hint=hint)
    if name in model.events:
        raise ModelError(f'the name "{name}" is taken', where=where, hint="choose another name")
    model.event(name, given.pop("when"), **{str(key): item for key, item in given.items()})


ADD: dict[str, Adder] = {
    "parameters": add_parameter,
    "tables": _add_table,
    "ground": _add_ground_frame,
    "bodies": _add_body,
    "joints": _add_joint,
    "forces": _add_force,
    "motions": _add_motion,
    "initial": _add_initial,
    "guess": _add_guess,
    "outputs": _add_output,
    "events": _add_event,
}


# --- what failed must not fail again where it is used -----------------------------------------------------------------
def stand_in(section: str, model: Model, name: str, value: Any) -> bool:
    """Put something in the place of a body, frame or table that failed, so that what uses it can be checked."""
    where, zero = f"{section}.{name}", Frame((0.0,) * model.dimension)
    try:
        if section == "bodies":
            frames = value.get("frames") if isinstance(value, Mapping) else None
            names = list(frames) if isinstance(frames, Mapping) else []
            model.add(Body(name, frames=dict.fromkeys(names, zero)))
        elif section == "ground":
            model.ground_frames.setdefault(check_name(name, where), zero)
        elif section == "tables":
            model._claim(name, where)
            model.tables[name] = Table(name, (0.0, 1.0), (0.0, 0.0))
        else:
            return False
    except ModelError:
        return False
    return True


def refers_to(value: Any, names: Collection[str]) -> bool:
    """Return whether an end, a carrier or a coordinate of an entry begins with one of the names."""
    entries = value.values() if isinstance(value, Mapping) else ()
    texts = [item for entry in entries for item in (entry if isinstance(entry, list) else [entry])]
    return any(isinstance(text, str) and text.split(".")[0] in names for text in texts)
