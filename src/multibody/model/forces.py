"""Forces as the user states them: springs, efforts on coordinates, loads at frames, bushings, friction, stops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from multibody.errors import ModelError, nearest
from multibody.model.expressions import Expression
from multibody.model.fixed import ReadOnly, fixed
from multibody.model.values import Field, FieldType, read_end, read_fields, read_number, write_value

_NUMBER, _EXPRESSION, _SYMMETRIC = FieldType("number"), FieldType("expression"), FieldType("symmetric")
_POSITIVE, _NONNEGATIVE = FieldType("positive"), FieldType("nonnegative")
AXES = ("ground", "body")
SAME = 1e-9  # share by which two entries of a symmetric matrix may differ
ON_EXPRESSIONS = ("stop", "friction")  # kinds that act along an expression of coordinates too


@dataclass(frozen=True)
class ForceKind:
    """One kind of force.

    Attributes
    ----------
    name : str
    target : str
        What it acts on: ``ends`` two of them, ``end`` one, ``coordinate`` the path of a scalar coordinate.
    summary : str
        What it does, in one sentence without an end.
    fields : tuple of Field
    """

    name: str
    target: str
    summary: str
    fields: tuple[Field, ...]


_KINDS = (
    ForceKind("spring", "ends", "a spring and damper along the line between two points", (
        Field("stiffness", _NONNEGATIVE, "stiffness [force/length]", default=0.0),
        Field("damping", _NONNEGATIVE, "damping [force·time/length]", default=0.0),
        Field("length", _NONNEGATIVE, "free length [length]", default=0.0),
        Field("force", _EXPRESSION, "further force along the line, positive if it pushes the ends apart [force]"),
    )),
    ForceKind("effort", "coordinate", "a force or moment along a coordinate, positive if it raises it", (
        Field("value", _EXPRESSION, "effort, positive if it raises the coordinate [force or moment]"),
        Field("stiffness", _NONNEGATIVE, "stiffness against leaving `rest` [effort/coordinate]", default=0.0),
        Field("rest", _NUMBER, "value of the coordinate at which the stiffness has no effort", default=0.0),
        Field("damping", _NONNEGATIVE, "damping [effort·time/coordinate]", default=0.0),
    )),
    ForceKind("force", "end", "a force and a moment on a body, at a point of it", (
        Field("value", FieldType("vector"), "components of the force [force]"),
        Field("moment", FieldType("moment"), "moment [force·length]: planar a number, spatial three components"),
        Field("axes", FieldType("word"), "axes of the components: `ground`, or `body` to follow the body",
              default="ground"),
    )),
    ForceKind("bushing", "ends", "an elastic connection of two frames in all directions", (
        Field("stiffness", _SYMMETRIC, "stiffness of each translation [force/length], then each rotation [moment/rad]; or all "
              "rows of a symmetric matrix, whose mixed entries are [force/rad] = [moment/length]"),
        Field("damping", _SYMMETRIC, "damping of each translation, then each rotation; or all rows of a symmetric matrix"),
        Field("preload", FieldType("wrench"), "force [force], then moment [force·length] on the second end where the frames "
              "coincide, along the axes of the first"),
    )),
    ForceKind("friction", "coordinate", "dry and viscous friction along a coordinate", (
        Field("load", _EXPRESSION, "normal load whose size the coefficients multiply [force or moment]", default=1.0),
        Field("coulomb", _NONNEGATIVE, "coefficient of sliding friction", default=0.0),
        Field("static", _NONNEGATIVE, "coefficient at rest; default `coulomb`"),
        Field("stribeck", _POSITIVE, "rate at which it has fallen from static to sliding; default 10 `smooth`"),
        Field("viscous", _NONNEGATIVE, "viscous effort a rate [effort·time/coordinate]", default=0.0),
        Field("smooth", _POSITIVE, "rate below which it is smoothed; default `stribeck`/10, else 0.01 a second"),
    )),
    ForceKind("stop", "coordinate", "elastic end stops of a coordinate", (
        Field("lower", _NUMBER, "lower limit of the coordinate"),
        Field("upper", _NUMBER, "upper limit of the coordinate"),
        Field("stiffness", _POSITIVE, "stiffness beyond a limit [effort/coordinate]", required=True),
        Field("damping", _NONNEGATIVE, "damping beyond a limit [effort·time/coordinate]", default=0.0),
        Field("smooth", _POSITIVE, "depth over which the stop sets in; default 0.001 rad or 0.001 of the model's length"),
    )),
)  # fmt: skip

KINDS: dict[str, ForceKind] = {kind.name: kind for kind in _KINDS}


@fixed("forces")
@dataclass(frozen=True)
class Force:
    """A force of the model: its kind, what it acts on and its fields."""

    name: str
    kind: ForceKind
    target: tuple[str, ...]
    fields: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "fields", ReadOnly(self.fields, f"forces.{self.name}"))

    @property
    def on_expression(self) -> bool:
        """Whether it acts along an expression of coordinates, in place of one of them."""
        return self.kind.target == "coordinate" and not all(part.isidentifier() for part in self.target[0].split("."))

    @property
    def coupled(self) -> bool:
        """Whether it is a bushing that acts in all directions together: with rows of a matrix, or with a preload."""
        given = [self.fields.get(key) for key in ("stiffness", "damping")]
        full = any(isinstance(value, tuple) and isinstance(value[0], tuple) for value in given)
        return self.kind.name == "bushing" and (full or self.fields.get("preload") is not None)

    def plain(self) -> dict[str, Any]:
        """Return the mapping a file has for it."""
        value: Any = list(self.target) if self.kind.target == "ends" else self.target[0]
        data: dict[str, Any] = {self.kind.name: value}
        for f in self.kind.fields:
            item = self.fields.get(f.name)
            if item is not None and item != f.default:
                data[f.name] = write_value(item)
        return data


def make_force(kind_name: str, name: str, target: object, dimension: int | None, **given: Any) -> Force:
    """Return a checked force; `target` is an end, a pair of ends or the path of a coordinate.

    Without a dimension the model that the force is added to looks at its vectors again.
    """
    where = f"forces.{name}"
    kind = KINDS.get(kind_name)
    if kind is None:
        raise ModelError(
            f'unknown kind "{kind_name}"', where=where, hint=f"{nearest(kind_name, KINDS)} Kinds are {', '.join(KINDS)}"
        )
    fields = read_fields(kind.fields, given, dimension, where)
    _check_fields(kind, fields, where)
    if kind.target == "ends":
        if isinstance(target, str) or not isinstance(target, list | tuple) or len(target) != 2:
            raise ModelError(f"{kind.name} needs two ends", where=where, hint=f"write {kind.name}: [first, second]")
        ends = (read_end(target[0], where), read_end(target[1], where))
        if ends[0] == ends[1]:
            raise ModelError("both ends are the same", where=where, hint=f"a {kind.name} joins two different frames")
        return Force(name, kind, ends, fields)
    if kind.target == "end":
        return Force(name, kind, (read_end(target, where),), fields)
    if kind.name in ON_EXPRESSIONS:
        return Force(name, kind, (expression_text(target, where),), fields)
    return Force(name, kind, (coordinate_text(target, where),), fields)


def _check_fields(kind: ForceKind, fields: dict[str, Any], where: str) -> None:
    """Refuse fields that contradict each other; formulas are judged by their values when the model is lowered."""
    if kind.name == "force":
        if fields["axes"] not in AXES:
            problem = f'unknown axes "{fields["axes"]}"'
            raise ModelError(problem, where=f"{where}.axes", hint=f"they are {' or '.join(AXES)}")
        if fields["value"] is None and fields["moment"] is None:
            raise ModelError("it has no force and no moment", where=where, hint="give value: [..], moment: or both")
    elif kind.name == "bushing":
        for key in ("stiffness", "damping"):
            value, full = fields[key] or (), bool(fields[key]) and isinstance(fields[key][0], tuple)
            diagonal = [row[k] for k, row in enumerate(value)] if full else value
            worst = min((x for x in diagonal if isinstance(x, float)), default=0.0)
            if worst < 0.0:
                hint = "give numbers that are zero or above" if not full else "give a diagonal that is zero or above"
                raise ModelError(f"{worst:g} is negative", where=f"{where}.{key}", hint=hint)
            if full:
                check_symmetric(value, f"{where}.{key}")
        _check_count(fields, where)
    elif kind.name == "stop":
        if fields["lower"] is None and fields["upper"] is None:
            raise ModelError("it has no limit", where=where, hint="give lower, upper or both")
        check_order(fields["lower"], fields["upper"], where)
    elif kind.name == "friction":
        check_static(fields["static"], fields["coulomb"], where)


def check_symmetric(rows: Sequence[Sequence[object]], where: str) -> None:
    """Refuse a matrix whose entries across the diagonal are numbers that differ by more than rounding."""
    for r, row in enumerate(rows):
        for c in range(r):
            a, b = row[c], rows[c][r]
            if isinstance(a, float) and isinstance(b, float) and abs(a - b) > SAME * max(abs(a), abs(b)):
                problem = f"the matrix is not symmetric: row {r + 1} has {a:g} in column {c + 1}, row {c + 1} has {b:g}"
                raise ModelError(problem, where=where, hint=f"give row {c + 1} and row {r + 1} the same number there")


def _check_count(fields: dict[str, Any], where: str) -> None:
    """Refuse fields of a bushing that are of different dimensions, which is seen only where no model says which it is."""
    counts = {key: len(fields[key]) for key in ("stiffness", "damping", "preload") if fields[key]}
    if len(set(counts.values())) > 1:
        told = ", ".join(f"{key} has {count}" for key, count in counts.items())
        raise ModelError(f"its fields are of different dimensions: {told}", where=where, hint="planar 3, spatial 6")


def check_order(lower: object, upper: object, where: str) -> None:
    """Refuse limits that are numbers in the wrong order."""
    if isinstance(lower, float) and isinstance(upper, float) and not lower < upper:
        problem = f"its lower limit {lower:g} is not below its upper limit {upper:g}"
        raise ModelError(problem, where=where, hint="lower must be below upper")


def check_static(static: object, coulomb: object, where: str) -> None:
    """Refuse a coefficient at rest below that of sliding."""
    if isinstance(static, float) and isinstance(coulomb, float) and static < coulomb:
        problem = f"static {static:g} is below coulomb {coulomb:g}"
        raise ModelError(problem, where=where, hint="friction at rest is at least that of sliding")


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


def expression_text(target: object, where: str) -> str:
    """Return a coordinate, or an expression of coordinates, as text."""
    if isinstance(target, Expression) and target.op != "name":
        return str(target)
    text = coordinate_text(target, where)
    if all(part.isidentifier() for part in text.split(".")):
        return text
    return str(read_number(text, where))


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
