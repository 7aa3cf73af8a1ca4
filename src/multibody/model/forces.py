"""Forces as the user states them: springs, efforts on coordinates, loads at frames, bushings, friction."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from multibody.errors import ModelError, nearest
from multibody.model.values import Field, FieldType, read_end, read_fields, write_value

_NUMBER, _EXPRESSION, _VECTOR = FieldType("number"), FieldType("expression"), FieldType("vector")


@dataclass(frozen=True)
class ForceKind:
    """One kind of force: what it acts on (``ends`` two, ``end`` one, ``coordinate`` a path) and its fields."""

    name: str
    target: str
    fields: tuple[Field, ...]


_KINDS = (
    ForceKind("spring", "ends", (
        Field("stiffness", FieldType("nonnegative"), "stiffness [force/length]", default=0.0),
        Field("damping", FieldType("nonnegative"), "damping [force·time/length]", default=0.0),
        Field("length", FieldType("nonnegative"), "free length [length]", default=0.0),
        Field("force", _EXPRESSION, "force along the spring, positive if it lengthens it [force]"),
    )),
    ForceKind("effort", "coordinate", (
        Field("value", _EXPRESSION, "effort, positive if it raises the coordinate [force or moment]"),
        Field("stiffness", FieldType("nonnegative"), "stiffness", default=0.0),
        Field("rest", _NUMBER, "coordinate at rest", default=0.0),
        Field("damping", FieldType("nonnegative"), "damping", default=0.0),
    )),
    ForceKind("force", "end", (
        Field("value", FieldType("vector"), "components [force]"),
        Field("moment", FieldType("moment"), "moment [force·length]"),
        Field("axes", FieldType("word"), "ground or body", default="ground"),
    )),
    ForceKind("bushing", "ends", (
        Field("stiffness", FieldType("diagonal"), "stiffness of each translation, then each rotation"),
        Field("damping", FieldType("diagonal"), "damping of each translation, then each rotation"),
    )),
    ForceKind("friction", "coordinate", (
        Field("load", _EXPRESSION, "normal load [force or moment]"),
        Field("coulomb", FieldType("nonnegative"), "coefficient of sliding friction", default=0.0),
        Field("static", FieldType("nonnegative"), "coefficient at rest"),
        Field("stribeck", FieldType("positive"), "rate at which it falls from static to sliding"),
        Field("viscous", FieldType("nonnegative"), "effort a rate", default=0.0),
        Field("smooth", FieldType("positive"), "rate below which it is smoothed"),
    )),
)  # fmt: skip

KINDS: dict[str, ForceKind] = {kind.name: kind for kind in _KINDS}


@dataclass(frozen=True)
class Force:
    """A force of the model: its kind, what it acts on and its fields."""

    name: str
    kind: ForceKind
    target: tuple[str, ...]
    fields: dict[str, Any] = field(default_factory=dict)

    def plain(self) -> dict[str, Any]:
        """Return the mapping a file has for it."""
        value: Any = list(self.target) if self.kind.target == "ends" else self.target[0]
        data: dict[str, Any] = {self.kind.name: value}
        for f in self.kind.fields:
            item = self.fields.get(f.name)
            if item is not None and item != f.default:
                data[f.name] = write_value(item)
        return data


def make_force(kind_name: str, name: str, target: object, dimension: int, **given: Any) -> Force:
    """Return a checked force; `target` is an end, a pair of ends or the path of a coordinate."""
    where = f"forces.{name}"
    kind = KINDS.get(kind_name)
    if kind is None:
        raise ModelError(
            f'unknown kind "{kind_name}"', where=where, hint=f"{nearest(kind_name, KINDS)} Kinds are {', '.join(KINDS)}"
        )
    fields = read_fields(kind.fields, given, dimension, where)
    if kind.target == "ends":
        if isinstance(target, str) or not isinstance(target, list | tuple) or len(target) != 2:
            raise ModelError(f"{kind.name} needs two ends", where=where, hint=f"write {kind.name}: [first, second]")
        ends = (read_end(target[0], where), read_end(target[1], where))
        if ends[0] == ends[1]:
            raise ModelError("both ends are the same", where=where, hint="a spring joins two different points")
        return Force(name, kind, ends, fields)
    if kind.target == "end":
        return Force(name, kind, (read_end(target, where),), fields)
    return Force(name, kind, (coordinate_text(target, where),), fields)


def coordinate_text(target: object, where: str) -> str:
    """Return the path of a coordinate as text, from a string, a joint handle or an expression."""
    reference = getattr(target, "reference", None)
    if isinstance(reference, str):
        return reference
    if getattr(target, "op", "") == "name":
        return ".".join(getattr(target, "args"))  # noqa: B009
    if not isinstance(target, str):
        raise ModelError(f"{target!r} is not a coordinate", where=where, hint='give a path such as "O" or "rod.tip.x"')
    return target


def read_force(name: str, given: dict[str, Any], dimension: int) -> Force:
    """Return a force from the mapping that a file has: the kind is the key of its target."""
    where = f"forces.{name}"
    kinds = [key for key in given if key in KINDS]
    if "spring" in kinds and "force" in kinds:
        kinds.remove("force")  # the field of a spring, not the kind
    if len(kinds) != 1:
        hint = f"{nearest(next(iter(given), ''), KINDS)} Kinds are {', '.join(KINDS)}".strip()
        raise ModelError("it needs one kind", where=where, hint=hint)
    rest = {key: value for key, value in given.items() if key != kinds[0]}
    return make_force(kinds[0], name, given[kinds[0]], dimension, **rest)
