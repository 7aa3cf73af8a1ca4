"""Forces, lowered: laws on coordinate functions, loads at points of bodies, and the expressions that a run watches.

A law is an effort along one coordinate function. Springs, efforts, friction and stops are one law each, a bushing is one for
each direction. A load is a force and a moment on one body. A wrench element is a force and a moment between two frames: a
bushing whose directions are coupled. Numbers that depend on parameters alone are stored; what depends on time or on the state
is a program, whose inputs are t and then items (code, index): the value or the rate of a function or a component of a body's
angular velocity.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from multibody.errors import ModelError
from multibody.kernels import codes as L
from multibody.model.events import of_results
from multibody.model.expressions import Number, abs_, differentiate, fold
from multibody.model.forces import Force, check_order, check_static
from multibody.model.matrices import Vec
from multibody.model.units import TIMES
from multibody.model.validate import COUPLED, LAW
from multibody.tables.expression_forces import (
    FRICTION_RATE,
    STOP_WIDTH,
    STRIBECK_OVER_SMOOTH,
    coordinates_of,
    effort_formula,
    target_formula,
)
from multibody.tables.inputs import Item, is_number, on_inputs, reduced, reduced_vector
from multibody.tables.relations import on_coordinates
from multibody.tables.watches import Watched, check_result_event, event, table_kinks, watch_switches
from multibody.tables.wrench_elements import WrenchElement, angles_between, coupled_bushing, ends_of

if TYPE_CHECKING:
    from multibody.tables.build import Builder

MOST_KINKS = 100  # of the tables in a coupler that are watched


@dataclass(frozen=True)
class OfLength:
    """A number that is a multiple of the model's characteristic length."""

    factor: float


@dataclass(frozen=True)
class Law:
    """An effort along a function: kind and numbers (see ``kernels/codes.py``), formula of its inputs or 0."""

    name: str
    kind: int
    function: int
    numbers: tuple[Number | OfLength, ...]
    formula: Number = 0.0
    items: tuple[Item, ...] = ()


@dataclass(frozen=True)
class Load:
    """A force and a moment at a point of a body: constant components, and formulas of its inputs to add."""

    name: str
    body: int
    point: Vec
    axes: int
    numbers: tuple[Number, ...]
    formulas: tuple[Number, ...]
    items: tuple[Item, ...] = ()


@dataclass
class Forces:
    """All laws, loads, wrench elements and watched expressions of a model."""

    laws: list[Law] = field(default_factory=list)
    loads: list[Load] = field(default_factory=list)
    wrench_elements: list[WrenchElement] = field(default_factory=list)
    watched: list[Watched] = field(default_factory=list)

    @property
    def most_inputs(self) -> int:
        """The largest number of inputs of a program."""
        items = [law.items for law in self.laws] + [load.items for load in self.loads] + [w.items for w in self.watched]
        return max((len(own) for own in items), default=0)


class _Reader:
    """Reads the fields of one force as numbers and formulas."""

    def __init__(self, builder: Builder, force: Force) -> None:
        self.builder, self.force, self.where = builder, force, f"forces.{force.name}"
        self._shapes = {f.name: f.type.shape for f in force.kind.fields}

    def number(self, key: str) -> Number:
        """Return a field that is a number or a formula of parameters, its sign checked."""
        return self._signed(self.force.fields[key], key, self._shapes[key])

    def numbers(self, key: str, count: int) -> tuple[Number, ...]:
        """Return a field of several numbers that are zero or above, zeros if it is not stated."""
        values = self.force.fields[key] or (0.0,) * count
        return tuple(self._signed(value, key, "nonnegative") for value in values)

    def _signed(self, value: Number, key: str, shape: str) -> Number:
        scope, where = self.builder.scope, f"{self.where}.{key}"
        number = scope.scalar(value, where)
        found = scope.value(number, where)
        if (shape == "nonnegative" and found < 0.0) or (shape == "positive" and found <= 0.0):
            word, hint = ("negative", "zero or above") if shape == "nonnegative" else ("not positive", "above zero")
            raise ModelError(f"{found:g} is {word}", where=where, hint=f"give a number {hint}")
        if shape in ("nonnegative", "positive"):
            scope.keep(number, shape == "positive")
        return number

    def expression(self, key: str) -> tuple[Number, Number]:
        """Return a field that may depend on the state as (number of parameters, formula); one of them is 0."""
        value = self.force.fields[key]
        if value is None:
            return 0.0, 0.0
        formula = reduced(self.builder, value, f"{self.where}.{key}")
        return (formula, 0.0) if is_number(self.builder, formula) else (0.0, formula)

    def is_length(self, function: int) -> bool:
        """Return whether the coordinate is a length."""
        return self.builder.functions[function].is_length


# --- kinds -----------------------------------------------------------------------------------------------------------
def _spring(read: _Reader, forces: Forces) -> None:
    """Add k (length − |d|) − c d|d|/dt + force along |d|."""
    function = read.builder.coordinate_of(read.force.name, read.where)
    constant, formula = read.expression("force")
    numbers = (constant, read.number("stiffness"), read.number("length"), read.number("damping"))
    _add_law(read, forces, L.LINEAR, function, numbers, formula, "force")


def _effort(read: _Reader, forces: Forces) -> None:
    """Add value − k (c − rest) − d ċ."""
    function = read.builder.coordinate_of(read.force.target[0], read.where)
    constant, formula = read.expression("value")
    numbers = (constant, read.number("stiffness"), read.number("rest"), read.number("damping"))
    _add_law(read, forces, L.LINEAR, function, numbers, formula, "value")


def _bushing(read: _Reader, forces: Forces) -> None:
    """Add a linear law for each translation along, then each rotation about the axes of the first frame.

    Where directions are coupled or loaded at rest, all of them are one wrench element.
    """
    builder, d = read.builder, read.builder.dimension
    if read.force.coupled:
        forces.wrench_elements.append(coupled_bushing(builder, read.force, read.where))
        return
    first, second = ends = ends_of(builder, read.force, read.where)
    functions = [builder.dot2(first, second, first.axis(letter)) for letter in "fgh"[:d]]
    functions += angles_between(builder, ends)
    stiffness, damping = (read.numbers(key, len(functions)) for key in ("stiffness", "damping"))
    for function, k, c in zip(functions, stiffness, damping, strict=True):
        _add_law(read, forces, L.LINEAR, function, (0.0, k, 0.0, c))


def _friction(read: _Reader, forces: Forces) -> None:
    """Add dry friction that falls from static to sliding, smoothed about rest, and viscous friction."""
    builder, fields = read.builder, read.force.fields
    if read.force.on_expression:
        return _on_expression(read, forces)
    function = builder.coordinate_of(read.force.target[0], read.where)
    constant, formula = read.expression("load")
    coulomb = read.number("coulomb")
    static = coulomb if fields["static"] is None else read.number("static")
    check_static(builder.scope.value(static), builder.scope.value(coulomb), read.where)
    builder.scope.keep(static - coulomb)
    smooth: Number | OfLength
    stribeck: Number | OfLength
    if fields["smooth"] is not None:
        smooth = read.number("smooth")
        stribeck = STRIBECK_OVER_SMOOTH * smooth if fields["stribeck"] is None else read.number("stribeck")
    elif fields["stribeck"] is not None:
        stribeck = read.number("stribeck")
        smooth = stribeck / STRIBECK_OVER_SMOOTH
    else:
        rate = FRICTION_RATE * TIMES[builder.model.units.time]
        wide = STRIBECK_OVER_SMOOTH * rate
        smooth, stribeck = (OfLength(rate), OfLength(wide)) if read.is_length(function) else (rate, wide)
    numbers = (fold(abs_(constant)), coulomb, static, stribeck, read.number("viscous"), smooth)
    _add_law(read, forces, L.FRICTION, function, numbers, abs_(formula) if formula != 0.0 else 0.0, "load")


def _stop(read: _Reader, forces: Forces) -> None:
    """Add elastic limits; a limit that is not stated is never reached."""
    builder, fields = read.builder, read.force.fields
    if read.force.on_expression:
        return _on_expression(read, forces)
    function = builder.coordinate_of(read.force.target[0], read.where)
    lower = -L.NEVER if fields["lower"] is None else read.number("lower")
    upper = L.NEVER if fields["upper"] is None else read.number("upper")
    check_order(builder.scope.value(lower), builder.scope.value(upper), read.where)
    builder.scope.keep(upper - lower, strict=True)
    width: Number | OfLength = OfLength(STOP_WIDTH) if read.is_length(function) else STOP_WIDTH
    if fields["smooth"] is not None:
        width = read.number("smooth")
    numbers = (lower, upper, read.number("stiffness"), read.number("damping"), width)
    _add_law(read, forces, L.STOP, function, numbers)


def _on_expression(read: _Reader, forces: Forces) -> None:
    """Add f ∂e/∂c along every coordinate c of the expression e that a stop or a friction acts on."""
    builder = read.builder
    value = target_formula(builder.scope, read.force)
    builder.scope.check_names(value, read.where, COUPLED)
    paths = coordinates_of(builder.scope, value)
    functions = [builder.coordinate_of(".".join(parts), read.where) for parts in paths]
    if not functions:
        raise ModelError("it names no coordinate", where=read.where, hint="write an expression of coordinates such as A - 2*B")
    effort = effort_formula(builder.scope, read.force, any(read.is_length(function) for function in functions))
    builder.scope.check_names(effort, read.where, LAW)
    for parts, function in zip(paths, functions, strict=True):
        (formula,), items = on_inputs(builder, (fold(effort * differentiate(value, parts)),), read.where)
        forces.laws.append(Law(read.force.name, L.LINEAR, function, (0.0, 0.0, 0.0, 0.0), formula, items))


def _add_law(
    read: _Reader, forces: Forces, kind: int, function: int, numbers: tuple[Number | OfLength, ...],
    formula: Number = 0.0, key: str = "",
) -> None:  # fmt: skip
    """Add a law and the switching points of its formula."""
    (formula,), items = on_inputs(read.builder, (formula,), f"{read.where}.{key}")
    forces.laws.append(Law(read.force.name, kind, function, numbers, formula, items))
    watch_switches(forces.watched, read.force.name, formula, items)


def _load(read: _Reader, forces: Forces) -> None:
    """Add a force and a moment at a frame."""
    builder, d, fields = read.builder, read.builder.dimension, read.force.fields
    body, frame = builder.model.find_end(read.force.target[0], read.where)
    if body == "ground":
        raise ModelError("the ground does not move", where=read.where, hint="name a frame of a body")
    end = builder.point_end(body, frame)
    count = 1 if d == 2 else 3
    parts = [*_components(read, "value", d), *_components(read, "moment", count)]
    constant = [is_number(builder, part) for part in parts]
    numbers = tuple(part if own else 0.0 for part, own in zip(parts, constant, strict=True))
    moving = [0.0 if own else part for part, own in zip(parts, constant, strict=True)]
    formulas, items = on_inputs(builder, moving, read.where)
    axes = int(fields["axes"] == "body")
    forces.loads.append(Load(read.force.name, end.body, end.point, axes, numbers, tuple(formulas), items))
    for formula in formulas:
        watch_switches(forces.watched, read.force.name, formula, items)


def _components(read: _Reader, key: str, count: int) -> list[Number]:
    """Return the components of a force or moment, which may depend on the state; zeros if it is not stated."""
    value, where = read.force.fields[key], f"{read.where}.{key}"
    if value is None:
        return [0.0] * count
    if isinstance(value, tuple):
        return [reduced(read.builder, part, where) for part in value]
    if count == 1:
        return [reduced(read.builder, value, where)]
    return reduced_vector(read.builder, value, count, where)


_BUILDERS: dict[str, Callable[[_Reader, Forces], None]] = {
    "spring": _spring, "effort": _effort, "force": _load, "bushing": _bushing, "friction": _friction, "stop": _stop,
}  # fmt: skip


# --- the whole model --------------------------------------------------------------------------------------------------
def collect(builder: Builder) -> Forces:
    """Lower forces and events onto functions of the builder, which gets those that are new.

    Parameters
    ----------
    builder : Builder
        With the joints' coordinates declared.

    Returns
    -------
    Forces
        Events come before switching points among the watched expressions.
    """
    forces, model = Forces(), builder.model
    for force in model.forces.values():
        _BUILDERS[force.kind.name](_Reader(builder, force), forces)
    for text, motion in model.motions.items():
        watch_switches(forces.watched, text, builder.scope.formula(motion, f"motions.{text}"), ())
    for joint in model.joints.values():
        if joint.kind.relation == "coupler":
            formula, functions = on_coordinates(builder, joint.fields["expression"], f"joints.{joint.name}")
            items = tuple((L.INPUT_VALUE, function) for function in functions)
            kinks = table_kinks(formula, model)
            watch_switches(forces.watched, joint.name, formula, items, kinks if len(kinks) <= MOST_KINKS else ())
    watched = [
        (name, given) for name, given in model.events.items()
        if not of_results(model, given["when"]) or check_result_event(builder, name, given)
    ]  # fmt: skip
    forces.watched[:0] = [event(builder, name, given) for name, given in watched]
    return forces
