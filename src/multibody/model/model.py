"""The model: what the user says, once. A graph of bodies and joints with parameters, motions and an initial state."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from multibody.errors import ModelError
from multibody.model.body import Body, make_body, read_frames
from multibody.model.defaults import Defaults
from multibody.model.events import check_event
from multibody.model.expressions import Expression, ExpressionError, Number, check_calls, name, names
from multibody.model.expressions.error import point_at
from multibody.model.forces import Force, coordinate_text, make_force
from multibody.model.geometry import Frame, Orientation, read_orientation
from multibody.model.joints import KINDS as JOINT_KINDS
from multibody.model.joints import Joint, JointKind, make_joint
from multibody.model.names import check_name, unknown
from multibody.model.paths import Path, resolve
from multibody.model.tables import Table, read_table
from multibody.model.units import Units, read_units
from multibody.model.values import Vector, check_limits, from_expression, read_number, read_vector, write_value

InitialValue = Number | Orientation


@dataclass(frozen=True)
class Parameter:
    """A named number, vector or formula of other parameters."""

    name: str
    value: Any  # Number or tuple of Numbers or a vector Expression
    unit: str | None = None
    doc: str = ""
    min: float | None = None
    max: float | None = None

    def plain(self) -> Any:
        """Return what a file has for it."""
        extra = {
            k: v
            for k, v in (("unit", self.unit), ("doc", self.doc), ("min", self.min), ("max", self.max))
            if v not in (None, "")
        }
        return {"value": write_value(self.value), **extra} if extra else write_value(self.value)


@dataclass(frozen=True)
class Guess:
    """A value that assembly starts from and stays near, with its weight."""

    value: InitialValue
    weight: Number = 1.0


class Model:
    """A mechanism, described once; every analysis reads it and none changes it.

    Parameters
    ----------
    name : str
    dimension : int
        2 or 3.
    gravity : vector, optional
        Acceleration of gravity in ground axes [length/time²]; default none.
    units : mapping, optional
        ``{"length": ..., "time": ..., "mass" or "force": ...}``; default m, s, kg. Angles are always radians.
    """

    def __init__(self, name: str, dimension: int = 3, gravity: Any = None, units: Any = None) -> None:
        if dimension not in (2, 3) or isinstance(dimension, bool):
            raise ModelError(f"dimension {dimension!r}", where="dimension", hint="it is 2 or 3")
        self.name = name
        self.dimension: int = int(dimension)
        self.units: Units = read_units(units)
        self.gravity: Vector | None = None if gravity is None else read_vector(gravity, dimension, "gravity")
        self.parameters: dict[str, Parameter] = {}
        self.tables: dict[str, Table] = {}
        self.ground_frames: dict[str, Frame] = {}
        self.bodies: dict[str, Body] = {}
        self.joints: dict[str, Joint] = {}
        self.forces: dict[str, Force] = {}
        self.motions: dict[str, Number] = {}
        self.initials: dict[str, InitialValue] = {}
        self.guesses: dict[str, Guess] = {}
        self.outputs: dict[str, Number] = {}
        self.output_units: dict[str, str] = {}  # of outputs whose unit is stated
        self.events: dict[str, dict[str, Any]] = {}
        self._defaults = Defaults()
        self.length: Number | None = None  # characteristic length, None: derived
        self._lowered: Any = None
        self._files: tuple[str, ...] = ()  # those that it was read from, which no result replaces
        self._locate: Callable[[ModelError], ModelError] = lambda error: error  # a file's reader adds file and line

    if TYPE_CHECKING:  # model.revolute, model.gear, …: one method for every kind of the catalog, made below

        def __getattr__(self, kind: str) -> Callable[..., Joint]: ...

    @property
    def defaults(self) -> Defaults:
        """Options that verbs take where none are given: ``model.defaults["run"] = {"until": 5, "rtol": 1e-9}``."""
        return self._defaults

    @defaults.setter
    def defaults(self, given: Mapping[str, Mapping[str, Any]]) -> None:
        self._defaults = Defaults(given)

    # --- names ------------------------------------------------------------------------------------------------------
    def all_names(self) -> list[str]:
        """Return every name of the one namespace."""
        groups: tuple[Iterable[str], ...] = (
            self.parameters, self.bodies, self.joints, self.forces, self.tables, self.outputs,
        )  # fmt: skip
        return [item for group in groups for item in group]

    def _claim(self, item: object, where: str) -> str:
        """Return a name that is valid and not taken."""
        checked = check_name(item, where)
        groups = (self.parameters, self.bodies, self.joints, self.forces, self.tables, self.outputs)
        if any(checked in group for group in groups):
            raise ModelError(
                f'the name "{checked}" is taken', where=where, hint="names are unique over the whole model"
            )
        self._lowered = None
        return checked

    def vector_size(self, parts: tuple[str, ...]) -> int:
        """Return how many components the named parameter has, 0 for a scalar or another name."""
        if len(parts) != 1 or parts[0] not in self.parameters:
            return 0
        value = self.parameters[parts[0]].value
        if not isinstance(value, Expression):
            return len(value) if isinstance(value, tuple) else 0
        from multibody.model.scope import ParameterScope

        return ParameterScope(self).size(parts)

    def frames_of(self, body: str) -> dict[str, Frame]:
        """Return the named frames of a body or of the ground."""
        return self.ground_frames if body == "ground" else self.bodies[body].frames

    def find_end(self, end: str, where: str) -> tuple[str, str]:
        """Return (body, frame) of an end, checked."""
        body, _, frame = end.partition(".")
        if body != "ground" and body not in self.bodies:
            raise unknown("body", body, ["ground", *self.bodies], where)
        if frame and frame not in ("origin", "com") and frame not in self.frames_of(body):
            known = ["origin", "com", *self.frames_of(body)]
            problem = unknown("frame", frame, known, where)
            listed = f"{problem.hint.split(' There is')[0]} It has {', '.join(known)}."
            hint = listed if not problem.hint.startswith("There is") else f"It has {', '.join(known)}."
            raise ModelError(f'body "{body}" has no frame "{frame}"', where=where, hint=hint)
        return body, frame or "origin"

    def resolve(self, path: str | tuple[str, ...], where: str = "", *, results: bool = False) -> Path:
        """Return what a dotted path means; see :class:`Path`."""
        parts = tuple(path.split(".")) if isinstance(path, str) else path
        return resolve(self, parts, where, results=results)

    # --- building ---------------------------------------------------------------------------------------------------
    def parameter(
        self,
        item: str,
        value: Any,
        unit: str | None = None,
        doc: str = "",
        min: float | None = None,
        max: float | None = None,
    ) -> Expression:
        """Declare a parameter and return its handle, usable in any number of the model.

        Parameters
        ----------
        item : str
            Name.
        value : number, vector or formula of other parameters
        unit, doc : str, optional
        min, max : float, optional
            Limits that `set` and sweeps respect.
        """
        where = f"parameters.{item}"
        self._claim(item, where)
        value = value.tolist() if hasattr(value, "tolist") else value  # NumPy arrays and scalars
        if isinstance(value, list | tuple):
            checked: Any = read_vector(value, len(value), where)
            if len(value) not in (2, 3):
                raise ModelError(f"{len(value)} components", where=where, hint="a vector has 2 or 3")
        else:
            checked = read_number(value, where)
        check_limits(item, checked, min, max)
        self.parameters[item] = Parameter(item, checked, unit, doc, min, max)
        return name(item)

    def table(self, item: str, x: Any, y: Any, kind: str = "spline") -> None:
        """Add a table, usable in expressions as a function ``item(x)``; see :class:`Table`."""
        self._claim(item, f"tables.{item}")
        self.tables[item] = read_table(item, {"x": x, "y": y, "kind": kind})

    def body(
        self, item: str, mass: Any = None, inertia: Any = None, com: Any = None, frames: Mapping[str, Any] | None = None,
        shape: Any = None, at: Any = None, **orientation: Any,
    ) -> Body:  # fmt: skip
        """Add a body and return its handle; see :class:`Body` for the fields."""
        self._claim(item, f"bodies.{item}")
        self.bodies[item] = make_body(
            item, self.dimension, mass=mass, inertia=inertia, com=com, frames=frames, shape=shape, at=at, **orientation
        )
        return self.bodies[item]

    @property
    def ground(self) -> Body:
        """The ground as a body: an end of joints."""
        return Body("ground", frames=self.ground_frames)

    def frames(self, **frames: Any) -> None:
        """Add frames on the ground."""
        self.ground_frames.update(read_frames(frames, self.dimension, "ground"))
        self._lowered = None

    def joint(self, kind: str, item: str, first: Any, second: Any, *, at: Any = None, **fields: Any) -> Joint:
        """Add a joint of the named kind and return it; ``model.revolute(...)`` and so on call this."""
        made: Joint = self.add(make_joint(kind, item, first, second, self.dimension, at, **fields))
        return made

    def add(self, item: Joint | Force | Body) -> Any:
        """Add a joint, a force or a body that was made elsewhere, and return it."""
        if isinstance(item, Body):
            self._claim(item.name, f"bodies.{item.name}")
            self.bodies[item.name] = item
            return item
        if isinstance(item, Force):
            self._claim(item.name, f"forces.{item.name}")
            for end in item.target if item.kind.target != "coordinate" else ():
                self.find_end(end, f"forces.{item.name}")
            self.forces[item.name] = item
            return item
        where = f"joints.{item.name}"
        self._claim(item.name, where)
        for end in (item.first, item.second, item.fields.get("carrier") or "ground"):
            if end:
                self.find_end(end, where)
        self.joints[item.name] = item
        return item

    def spring(self, item: str, first: Any, second: Any, **fields: Any) -> Force:
        """Add a spring-damper between two ends: ``stiffness, damping, length`` and/or ``force``."""
        force: Force = self.add(make_force("spring", item, (first, second), self.dimension, **fields))
        return force

    def effort(self, item: str, coordinate: Any, **fields: Any) -> Force:
        """Add an effort on a coordinate: ``value`` and/or ``stiffness, rest, damping``."""
        force: Force = self.add(make_force("effort", item, coordinate, self.dimension, **fields))
        return force

    def force(self, item: str, end: Any, **fields: Any) -> Force:
        """Add a load at a frame: ``value``, ``moment``, ``axes``."""
        force: Force = self.add(make_force("force", item, end, self.dimension, **fields))
        return force

    def bushing(self, item: str, first: Any, second: Any, **fields: Any) -> Force:
        """Add a bushing between two ends: ``stiffness``, ``damping``."""
        force: Force = self.add(make_force("bushing", item, (first, second), self.dimension, **fields))
        return force

    def friction(self, item: str, coordinate: Any, **fields: Any) -> Force:
        """Add friction on a coordinate: ``load, coulomb, static, stribeck, viscous, smooth``."""
        force: Force = self.add(make_force("friction", item, coordinate, self.dimension, **fields))
        return force

    def stop(self, item: str, coordinate: Any, **fields: Any) -> Force:
        """Add elastic end stops to a coordinate: ``lower`` and/or ``upper``, ``stiffness, damping, smooth``."""
        force: Force = self.add(make_force("stop", item, coordinate, self.dimension, **fields))
        return force

    def motion(self, coordinate: Any, expression: Any) -> None:
        """Prescribe a coordinate as a function of ``t`` and parameters: the value itself, not its rate."""
        text = coordinate_text(coordinate, "motions")
        where = f"motions.{text}"
        if text in self.motions:
            raise ModelError("it is driven already", where=where, hint="give one motion for a coordinate")
        self.motions[text] = self.formula(expression, where)
        self._lowered = None

    def initial(self, values: Mapping[str, Any] | None = None, guess: Mapping[str, Any] | None = None) -> None:
        """State what assembly holds exactly (`values`) and what it starts from and stays near (`guess`)."""
        for path, value in (values or {}).items():
            self.initials[coordinate_text(path, "initial")] = self._initial_value(value, f"initial.{path}")
        for path, value in (guess or {}).items():
            where, weight = f"guess.{path}", 1.0
            if isinstance(value, Mapping) and "value" in value:
                weight = read_number(value.get("weight", 1.0), where)  # type: ignore[assignment]
                value = value["value"]
            self.guesses[coordinate_text(path, "guess")] = Guess(self._initial_value(value, where), weight)
        self._lowered = None

    def _initial_value(self, value: Any, where: str) -> InitialValue:
        """Return a number, a formula or an orientation."""
        if isinstance(value, Mapping):
            orientation = read_orientation(value, 3, where)
            if orientation is None:
                raise ModelError("the value is empty", where=where, hint="give a number or an orientation")
            return orientation
        if hasattr(value, "as_quat"):
            return read_orientation({"rotation": value}, 3, where) or 0.0
        return self.formula(value, where)

    def output(self, item: str, expression: Any, unit: str | None = None) -> None:
        """Name an expression of paths as a measure; results have it under this name.

        Parameters
        ----------
        item : str
            Name.
        expression : formula of paths
        unit : str, optional
            Its unit for people; by default the one that follows from the parts of the expression.
        """
        where = f"outputs.{item}"
        self._claim(item, where)
        formula = self.formula(expression, where)
        if unit is not None:
            if not isinstance(unit, str) or not unit.strip():
                raise ModelError(f"its unit is {unit!r}", where=where, hint="give the name of a unit, such as W")
            self.output_units[item] = unit
        self.outputs[item] = formula

    def event(self, item: str, when: Any, **options: Any) -> None:
        """Name an expression whose zero crossings a run locates."""
        where = f"events.{item}"
        self._claim(item, where)
        check_event(options, where)
        self.events[item] = {"when": self.formula(when, where), **options}

    def formula(self, value: Any, where: str) -> Number:
        """Return a number or formula whose function calls are known."""
        number = read_number(value, where)
        if isinstance(number, float):
            return number
        try:
            return check_calls(number, self.tables)
        except ExpressionError as error:
            raise from_expression(error, where) from None

    # --- checking -----------------------------------------------------------------------------------------------------
    def check_paths(self, formula: Number, where: str, allowed: frozenset[str], *, results: bool = False) -> None:
        """Check every name of a formula: it exists and is of an allowed kind; errors carry the caret."""
        if isinstance(formula, float):
            return
        for parts in sorted(names(formula)):
            if parts in (("pi",), ("deg",), ("rpm",)) or (parts[0] in self.parameters and len(parts) == 1):
                continue
            try:
                found = self.resolve(parts, where, results=results)
            except ModelError as error:
                raise ModelError(error.problem, where=where, hint=error.hint, detail=caret(formula, parts)) from None
            kind = "rate" if found.order == 1 and found.kind != "omega" else found.kind
            if kind not in allowed:
                hint = f"only {', '.join(sorted(allowed))} may stand here"
                raise ModelError(
                    f'"{".".join(parts)}" cannot stand here', where=where, hint=hint, detail=caret(formula, parts)
                )

    def __repr__(self) -> str:
        """Return a line that says what the model holds."""
        counts = f"{len(self.bodies)} bodies, {len(self.joints)} joints, {len(self.motions)} motions"
        return f"<Model {self.name!r}: dimension {self.dimension}, {counts}>"


def _kind_method(kind: JointKind) -> Any:
    """Return the method ``model.KIND(name, first, second, *, at, fields)`` of a joint kind."""

    def method(self: Model, item: str, first: Any, second: Any, *, at: Any = None, **fields: Any) -> Joint:
        return self.joint(kind.name, item, first, second, at=at, **fields)

    def coupler(self: Model, item: str, expression: Any) -> Joint:
        return self.joint("coupler", item, "", "", expression=expression)

    made = coupler if kind.relation == "coupler" else method
    lines = [f"{f.name} : {f.doc}" for f in kind.fields]
    made.__name__ = kind.name
    made.__doc__ = f"Add a {kind.name} joint: {kind.summary}.\n\n" + "\n".join(lines)
    return made


for _kind in JOINT_KINDS.values():
    setattr(Model, _kind.name, _kind_method(_kind))


def caret(formula: Expression, parts: tuple[str, ...]) -> str:
    """Return the formula's source with carets under the named path, "" if the source is not known."""
    stack = [formula]
    while stack:
        node = stack.pop()
        if node.op == "name" and node.args == parts and node.span and node.text:
            return textwrap.dedent(point_at(node.text, node.span))
        stack.extend(arg for arg in node.args if isinstance(arg, Expression))
    return ""
