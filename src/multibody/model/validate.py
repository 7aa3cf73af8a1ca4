"""Checks of a whole model that need no numerics: every name exists, may stand where it stands, and has the right shape.

What a single item can tell is refused when it is added to the model. Here come the faults that need all of it: names in
formulas, paths of motions, initial values and outputs. Reading a file and the verbs of Python run the same checks.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from multibody.errors import ModelError
from multibody.model.body import Body
from multibody.model.defaults import formulas_of
from multibody.model.events import crossing, of_results, refuse_terminal
from multibody.model.expressions import Expression, Number, names
from multibody.model.forces import Force
from multibody.model.geometry import Frame, Orientation
from multibody.model.joints import Joint
from multibody.model.model import InitialValue, Model
from multibody.model.names import unknown
from multibody.model.paths import Path
from multibody.model.result_paths import RESULT_KINDS
from multibody.model.scope import PARAMETERS, ParameterScope, circle
from multibody.model.shapes import Shape
from multibody.model.values import Field, Vector, read_number

OF_TIME = PARAMETERS | {"time"}
PROFILE = PARAMETERS | {"phi"}
COUPLED = OF_TIME | {"joint", "point", "angle", "spring"}
LAW = COUPLED | {"rate", "omega"}
MEASURE = LAW | {"output", *RESULT_KINDS}


def validate(model: Model, broken: Collection[str] = ()) -> list[ModelError]:
    """Find what is wrong with a model as a whole.

    Parameters
    ----------
    model : Model
    broken : collection of str
        Names whose own definition failed already; what uses them is not reported again.

    Returns
    -------
    list of ModelError
        All faults; ``where`` names the field (``bodies.rod.mass``). Empty for a model that can be lowered, but for what
        only values can show, such as an inertia that no body has.
    """
    checker = Checker(model, broken)
    checker.world()
    for name, frame in model.ground_frames.items():
        checker.frame(frame, f"ground.frames.{name}")
    for body in model.bodies.values():
        checker.body(body)
    for joint in model.joints.values():
        checker.joint(joint)
    for force in model.forces.values():
        checker.force(force)
    checker.motions()
    for path, value in model.initials.items():
        checker.condition(path, value, f"initial.{path}")
    for path, guess in model.guesses.items():
        checker.condition(path, guess.value, f"guess.{path}")
        checker.number(guess.weight, f"guess.{path}")
    checker.measures()
    for verb, options in model.defaults.items():
        checker.options(verb, options)
    return checker.errors


class Checker:
    """Collects the faults of a model's items.

    Parameters
    ----------
    model : Model
    broken : collection of str
        Names that are not reported again.
    """

    def __init__(self, model: Model, broken: Collection[str] = ()) -> None:
        self.model, self.dimension = model, model.dimension
        self.scope = ParameterScope(model, broken)
        self.errors: list[ModelError] = list(self.scope.errors)
        self._sound: set[tuple[Expression, frozenset[str]]] = set()  # copies repeat their formulas

    # --- formulas -----------------------------------------------------------------------------------------------------
    def _hidden(self, formula: Number) -> bool:
        """Return whether a formula uses a name that was reported already."""
        return any(parts[0] in self.scope.unknown for parts in names(formula))

    def number(
        self, value: Number, where: str, allowed: frozenset[str] = PARAMETERS, *, results: bool = False
    ) -> None:
        """Check a formula that must be a number."""
        if not isinstance(value, Expression) or (value, allowed) in self._sound or self._hidden(value):
            return
        try:
            self.scope.check_names(value, where, allowed, results=results)
            self.scope.scalar(value, where)
            self._sound.add((value, allowed))
        except ModelError as error:
            self.errors.append(error)

    def vector(self, value: Vector, size: int, where: str, allowed: frozenset[str] = PARAMETERS) -> None:
        """Check the components of a vector, or a formula that must be one."""
        if isinstance(value, tuple):
            for part in value:
                self.number(part, where, allowed)
        elif not self._hidden(value):
            try:
                self.scope.check_names(value, where, allowed)
                self.scope.vector(value, size, where)
            except ModelError as error:
                self.errors.append(error)

    def orientation(self, orientation: Orientation | None, where: str) -> None:
        """Check the numbers of an orientation."""
        if orientation is None:
            return
        if orientation.form == "axes":
            for letter, vector in orientation.numbers:
                self.vector(vector, 3, f"{where}.{letter}")
            return
        for number in orientation.numbers:
            self.number(number, f"{where}.{orientation.form}")

    def frame(self, frame: Frame, where: str) -> None:
        """Check a point and axes."""
        self.vector(frame.at, self.dimension, where)
        self.orientation(frame.orientation, where)

    # --- items --------------------------------------------------------------------------------------------------------
    def world(self) -> None:
        """Check what belongs to the model itself."""
        if self.model.gravity is not None:
            self.vector(self.model.gravity, self.dimension, "gravity")
        if self.model.length is not None:
            self.number(self.model.length, "length")

    def body(self, body: Body) -> None:
        """Check mass properties, frames, shapes and the drawn pose."""
        where = f"bodies.{body.name}"
        if body.mass is not None:
            self.number(body.mass, f"{where}.mass")
        for row in body.inertia if isinstance(body.inertia, tuple) else (body.inertia,):
            for item in row if isinstance(row, tuple) else (row,):
                if item is not None:
                    self.number(item, f"{where}.inertia")
        for key, point in (("com", body.com), ("at", body.at)):
            if point is not None:
                self.vector(point, self.dimension, f"{where}.{key}")
        self.orientation(body.orientation, where)
        for name, frame in body.frames.items():
            self.frame(frame, f"{where}.frames.{name}")
        for shape in body.shape:
            self._shape(shape, f"{where}.shape")

    def _shape(self, shape: Shape, where: str) -> None:
        if shape.kind != "mesh":
            for point in shape.value if shape.kind in ("rod", "cylinder") else (shape.value,):
                self.vector(point, self.dimension, where)
        for key, value in shape.fields.items():
            if key == "orientation":
                self.orientation(value, where)
            elif key in ("at", "axis") or isinstance(value, tuple):
                self.vector(value, self.dimension, where)
            else:
                self.number(value, where)

    def joint(self, joint: Joint) -> None:
        """Check a joint's place and fields."""
        where = f"joints.{joint.name}"
        if joint.at is not None:
            self.vector(joint.at, self.dimension, f"{where}.at")
        law = PROFILE if joint.kind.relation == "cam" else COUPLED
        for f in joint.kind.fields:
            place = where if joint.kind.relation == "coupler" else f"{where}.{f.name}"
            self._field(f, joint.fields.get(f.name), place, law)
        if joint.kind.relation == "coupler":
            self._coupler(joint.fields["expression"], where)
        if joint.kind.relation == "gear":
            carrier = joint.fields["carrier"].split(".")[0]
            if carrier in (joint.first.split(".")[0], joint.second.split(".")[0]):
                hint = "the carrier is the body that holds the wheels' axes; name it with carrier:"
                self.errors.append(ModelError(f'"{carrier}" is a wheel and the carrier', where=where, hint=hint))

    def _coupler(self, expression: Number, where: str) -> None:
        """Refuse an expression without a coordinate, which nothing could keep at zero."""
        used = {parts[0] for parts in names(expression)}
        model = self.model
        movable = used & (model.joints.keys() | model.bodies.keys() | model.forces.keys())
        if not movable and not self._hidden(expression) and not any(e.where == where for e in self.errors):
            hint = "write an expression of coordinates such as O - 2*P"
            self.errors.append(ModelError("it names no coordinate", where=where, hint=hint))

    def _field(self, f: Field, value: Any, where: str, law: frozenset[str]) -> None:
        """Check one field of a joint or force by its type; `law` is what its expressions may name."""
        shape, d = f.type.shape, self.dimension
        if value is None or shape in ("flag", "end", "word"):
            return
        if shape in ("vector", "axis", "axis3") or (shape == "moment" and d == 3):
            loads = shape in ("vector", "moment")
            self.vector(value, 3 if shape == "axis3" else d, where, law if loads else PARAMETERS)
        elif shape == "axes":
            for axis in value:
                self.vector(axis, d, where)
        elif shape in ("pair", "wrench", "symmetric"):
            for item in value:
                for number in item if isinstance(item, tuple) else (item,):
                    self.number(number, where)
        else:
            self.number(value, where, law if shape in ("expression", "moment") else PARAMETERS)

    def force(self, force: Force) -> None:
        """Check what a force acts on and its fields."""
        where = f"forces.{force.name}"
        if force.on_expression:
            self.number(read_number(force.target[0], where), where, COUPLED)
        elif force.kind.target == "coordinate":
            self.coordinate(force.target[0], where)
        for f in force.kind.fields:
            self._field(f, force.fields.get(f.name), f"{where}.{f.name}", LAW)
        if force.kind.name == "force" and force.fields["axes"] not in ("ground", "body"):
            problem = f'unknown axes "{force.fields["axes"]}"'
            self.errors.append(ModelError(problem, where=f"{where}.axes", hint="they are ground or body"))

    # --- paths --------------------------------------------------------------------------------------------------------
    def _path(self, text: str, where: str) -> Path | None:
        """Return what moves under a path, None if there is no such thing; the fault is noted unless it is known."""
        first = text.split(".")[0]
        if first in self.scope.unknown:
            return None
        hint = "name a coordinate of a body or joint"
        try:
            if first in self.model.parameters:
                raise ModelError(f'"{text}" is a parameter', where=where, hint=hint)
            path = self.model.resolve(text, where)
            if path.owner == "ground":
                raise ModelError("the ground does not move", where=where, hint=hint)
            if path.kind in ("time", "phi"):
                raise ModelError(f'"{text}" is not a coordinate', where=where, hint=hint)
        except ModelError as error:
            self.errors.append(error)
            return None
        return path

    def coordinate(self, text: str, where: str) -> Path | None:
        """Check the path of a coordinate that a motion or an effort names; return what it means."""
        path = self._path(text, where)
        if path is None or path.scalar_coordinate:
            return path
        hint = "name a joint coordinate or a point's component"
        if path.order:
            hint = "name the coordinate itself" + (f": {text.removesuffix('.rate')}" if text.endswith(".rate") else "")
            problem = f'"{text}" is a rate'
        else:
            problem = f'"{text}" is not a scalar coordinate'
        self.errors.append(ModelError(problem, where=where, hint=hint))
        return None

    def motions(self) -> None:
        """Check that each motion drives a coordinate of its own by a function of time."""
        driven: dict[tuple[str, str, str, int], str] = {}
        for text, formula in self.model.motions.items():
            where = f"motions.{text}"
            path = self.coordinate(text, where)
            self.number(formula, where, OF_TIME)
            if path is None:
                continue
            key = (path.kind, path.owner, path.item, path.axis)
            if key in driven:
                problem = f'"{driven[key]}" drives the same coordinate'
                self.errors.append(ModelError(problem, where=where, hint="keep one of the two motions"))
            driven.setdefault(key, text)

    def condition(self, text: str, value: InitialValue, where: str) -> None:
        """Check a held value or a guess: a coordinate, a rate or an orientation, and its number."""
        path = self._path(text, where)
        if isinstance(value, Orientation):
            self.orientation(value, where)
        elif ("t",) in names(value):
            self.errors.append(ModelError("it depends on t", where=where, hint="a value over time is a motion"))
            return
        else:
            self.number(value, where)
        problem = hint = ""
        if path is None:
            return
        if (path.kind == "rotation") != isinstance(value, Orientation):
            problem, hint = "it takes a number", "an orientation belongs to a rotation"
            if path.kind == "rotation":
                problem, hint = "it takes an orientation", "give {rpy: [..]}, {quaternion: [..]} or the like"
        elif path.kind == "omega" and path.owner in self.model.joints:
            problem, hint = "an angular velocity of a joint cannot be set", "set the body's omega"
        if problem:
            self.errors.append(ModelError(problem, where=where, hint=hint))

    def options(self, verb: str, options: Mapping[str, Any]) -> None:
        """Check the names in the model's own options of a verb."""
        for key, value in options.items():
            for where, text in formulas_of(verb, key, value):
                self.number(read_number(text, where), where)
            cuts = [(key, value)] if key in ("cut", "joints") else []
            if key == "formulation" and isinstance(value, Mapping):
                cuts = [(f"{key}.{name}.cut", inner["cut"]) for name, inner in value.items() if inner and "cut" in inner]
            for place, joints in cuts:
                for joint in joints:
                    if joint not in self.model.joints and joint not in self.scope.unknown:
                        self.errors.append(unknown("joint", joint, self.model.joints, f"{verb}.{place}"))
            if key == "efforts":
                for text in value:
                    self.coordinate(text, f"{verb}.{key}")

    def measures(self) -> None:
        """Check outputs and events."""
        graph = {}
        for name, formula in self.model.outputs.items():
            self.number(formula, f"outputs.{name}", MEASURE, results=True)
            graph[name] = [parts[0] for parts in names(formula) if parts[0] in self.model.outputs]
        found = circle(graph)
        if found:
            problem = f"it depends on itself ({' → '.join(found)})"
            self.errors.append(ModelError(problem, where=f"outputs.{found[0]}", hint="break the circle"))
        for name, event in self.model.events.items():
            self._event(event, f"events.{name}")

    def _event(self, event: Mapping[str, Any], where: str) -> None:
        """Check an event: of the state where it may end a run, of anything that results know where it may not."""
        try:
            when, _ = crossing(event, where)
            results = not self._hidden(when) and of_results(self.model, when)
            if results:
                refuse_terminal(event, where)
        except ModelError as error:
            self.errors.append(error)
            return
        self.number(when, where, MEASURE if results else LAW, results=results)
