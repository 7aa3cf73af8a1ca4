"""Lowering: the model's graph into functions, rows and numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from multibody.errors import ModelError
from multibody.kernels import codes as L
from multibody.kernels.declared import FUNCTION_NUMBERS, PlanarNumbers
from multibody.model.expressions import Number, names
from multibody.model.geometry import Orientation
from multibody.model.joints import Joint
from multibody.model.matrices import IDENTITY, Mat, Vec, orientation_matrix, product
from multibody.model.model import Model
from multibody.model.paths import Path
from multibody.model.structure import Basic
from multibody.model.validate import MEASURE
from multibody.tables.forces import collect
from multibody.tables.placement import End, Placement
from multibody.tables.relations import BUILDERS, Relation, Term, advance
from multibody.tables.scope import Scope

Key = tuple[str, str, str, int]  # kind, owner, item, axis of a path: names a coordinate function

_MEANING = {
    ("f", "h"): "rotation about g", ("g", "h"): "rotation about f", ("h", "f"): "rotation about g",
    ("f", "g"): "rotation about h",
}  # fmt: skip


@dataclass(frozen=True)
class RowInfo:
    """What a row of Φ is: its owner (joint or path), its group (joint, motion, held) and its meaning in words."""

    owner: str
    group: str
    meaning: str
    is_length: bool

    @property
    def name(self) -> str:
        """The row by name and meaning: ``A: x-coincidence``."""
        return f"{self.owner}: {self.meaning}"


@dataclass
class FunctionRecord:
    """A coordinate function before it is packed: kind, bodies, numbers and the extra coordinate it stands for."""

    kind: int
    first: int
    second: int
    numbers: tuple[Number, ...]
    extra: int = 0
    is_length: bool = True


@dataclass
class RowRecord:
    """A row before it is packed: its terms, formula G or 0, and its description."""

    terms: list[Term]
    formula: Number
    info: RowInfo


@dataclass(frozen=True)
class RateCondition:
    """A rate that the initial state holds or stays near: of a function, or an angular velocity of a body."""

    path: str
    function: int
    body: int
    axis: int
    value: Number
    weight: Number
    held: bool


@dataclass(frozen=True)
class Soft:
    """A guess: a function's value or a body's orientation, with its weight."""

    path: str
    function: int
    body: int
    orientation: Mat | None
    value: Number
    weight: Number


@dataclass
class Builder:
    """Collects functions, rows and conditions of a model."""

    model: Model
    scope: Scope = field(init=False)
    placement: Placement = field(init=False)

    def __post_init__(self) -> None:
        self.dimension = self.model.dimension
        self.scope = Scope(self.model)
        self.placement = Placement(self.model, self.scope)
        self.functions: list[FunctionRecord] = []
        self.coordinates: dict[Key, int] = {}
        self.ends: dict[str, tuple[End, End]] = {}
        self.rows: list[RowRecord] = []
        self.joint_rows: dict[str, range] = {}
        self.aligned: dict[str, int] = {}  # function that keeps the frames of a planar joint aligned
        self.extras: list[str] = []  # joint that owns each extra coordinate
        self.rates: list[RateCondition] = []
        self.soft: list[Soft] = []
        self.held_rotations: list[tuple[str, End, End]] = []

    def run(self) -> Builder:
        """Lower joints, motions, held values, guesses and forces, in this order."""
        for joint in self.model.joints.values():
            if joint.kind.relation != "coupler":
                self.ends[joint.name] = self.placement.ends(joint)
            self._declare_coordinates(joint)
        for joint in self.model.joints.values():
            start = len(self.rows)
            self._joint_rows(joint)
            self.joint_rows[joint.name] = range(start, len(self.rows))
        self.count_joint = len(self.rows)
        for path, formula in self.model.motions.items():
            self._motion(path, formula)
        self.count_motion = len(self.rows) - self.count_joint
        for path, value in self.model.initials.items():
            self._initial(path, value)
        for path, guess in self.model.guesses.items():
            self._guess(path, guess.value, guess.weight)
        for path, formula in self.model.outputs.items():
            self.scope.check_names(formula, f"outputs.{path}", MEASURE, results=True)
        self.forces = collect(self)
        return self

    # --- functions ----------------------------------------------------------------------------------------------------
    def _add(self, record: FunctionRecord) -> int:
        self.functions.append(record)
        return len(self.functions) - 1

    def _pack(self, first: End, second: End, *vectors: Vec) -> tuple[Number, ...]:
        """Return the numbers of a function in the order the kernels read them."""
        flat: list[Number] = [*first.point, *second.point]
        for vector in vectors:
            flat.extend(vector)
        return tuple(flat) + (0.0,) * (FUNCTION_NUMBERS[self.dimension].size - len(flat))

    def dot1(self, first: End, second: End, a: Vec, b: Vec) -> int:
        """Add a_i·b_j, a on the first body and b on the second."""
        return self._add(FunctionRecord(L.DOT1, first.body, second.body, self._pack(first, second, a, b), is_length=False))

    def dot2(self, first: End, second: End, a: Vec) -> int:
        """Add a_i·d, a on the first body."""
        return self._add(FunctionRecord(L.DOT2, first.body, second.body, self._pack(first, second, a)))

    def coincide(self, first: End, second: End, axis: int) -> int:
        """Add the ground component of d."""
        e = tuple(1.0 if k == axis else 0.0 for k in range(self.dimension))
        return self._add(FunctionRecord(L.COINCIDE, first.body, second.body, self._pack(first, second, e)))

    def distance(self, first: End, second: End) -> int:
        """Add |d|."""
        return self._add(FunctionRecord(L.DISTANCE, first.body, second.body, self._pack(first, second)))

    def angle2(self, i: int, j: int, offset: Number, kind: int = L.ANGLE) -> int:
        """Add the planar angle θ_j − θ_i + offset; of kind ALIGNED without its whole turns."""
        numbers: list[Number] = [0.0] * PlanarNumbers.size
        numbers[PlanarNumbers.fields["offset"].slot] = offset
        return self._add(FunctionRecord(kind, i, j, tuple(numbers), is_length=False))

    def angle3(self, first: End, second: End, letters: tuple[str, ...]) -> int:
        """Add the spatial angle atan2(s1_i·s2_j, c1_i·c2_j) of the named axes."""
        a, b, c, d = letters
        numbers = self._pack(first, second, first.axis(a), second.axis(b), first.axis(c), second.axis(d))
        return self._add(FunctionRecord(L.ANGLE, first.body, second.body, numbers, is_length=False))

    def extra(self, owner: str) -> int:
        """Add an extra coordinate and return the function that is its value."""
        self.extras.append(owner)
        numbers = (0.0,) * FUNCTION_NUMBERS[self.dimension].size
        return self._add(FunctionRecord(L.EXTRA, 0, 0, numbers, len(self.extras) - 1, is_length=False))

    def basic(self, spec: Basic, ends: tuple[End, End], kind: int = L.ANGLE) -> list[tuple[int, str]]:
        """Add the functions of a basic constraint or coordinate; return them with their meanings."""
        first, second = ends
        if spec[0] == "coincide":
            return [(self.coincide(first, second, k), f"{'xyz'[k]}-coincidence") for k in range(self.dimension)]
        if spec[0] == "dot1":
            return [(self.dot1(first, second, first.axis(spec[1]), second.axis(spec[2])), _MEANING[spec[1], spec[2]])]
        if spec[0] == "dot2":
            return [(self.dot2(first, second, first.axis(spec[1])), f"offset along {spec[1]}")]
        if spec[0] == "distance":
            return [(self.distance(first, second), "distance")]
        if self.dimension == 2:
            return [(self.angle2(first.body, second.body, self._angle_offset(first, second), kind), "rotation")]
        return [(self.angle3(first, second, spec[1:]), "rotation about h")]

    def _angle_offset(self, first: End, second: End) -> Number:
        """Return the offset of a planar angle, so that it lies within half a turn as drawn."""
        place, offset = self.placement, second.angle - first.angle
        drawn = self.scope.value(place.drawn_angle(second.body) - place.drawn_angle(first.body) + offset)
        return offset - 2.0 * math.pi * round(drawn / (2.0 * math.pi))

    def _declare_coordinates(self, joint: Joint) -> None:
        """Add the coordinate functions of a joint and name them."""
        structure = joint.kind.structure(self.dimension)
        for name, spec in (*structure.coordinates, *structure.readable):
            self.coordinates["joint", joint.name, name, 0] = self.basic(spec, self.ends[joint.name])[0][0]
        if joint.kind.relation == "cam":
            self.coordinates["joint", joint.name, "contact", 0] = self.extra(joint.name)

    def joint_function(self, joint: Joint, name: str) -> int:
        """Return the function of a joint's coordinate or other readable quantity."""
        return self.coordinates["joint", joint.name, name, 0]

    def function_of(self, path: Path) -> int:
        """Return the function of a scalar coordinate path, added if it is new."""
        key = (path.kind, path.owner, path.item, path.axis)
        if key in self.coordinates:
            return self.coordinates[key]
        ground = self.point_end("ground", "origin")
        if path.kind == "point":
            self.coordinates[key] = self.coincide(ground, self.point_end(path.owner, path.item), path.axis)
        elif path.kind == "angle":
            self.coordinates[key] = self.angle2(0, self.placement.index[path.owner], 0.0)
        elif path.kind == "spring":
            a, b = (self.point_end(*self.model.find_end(end, "")) for end in self.model.forces[path.owner].target)
            self.coordinates[key] = self.distance(a, b)
        else:
            raise ModelError(f'"{path.text}" is not a coordinate', hint="name a joint coordinate or a point's component")
        return self.coordinates[key]

    def point_end(self, body: str, frame: str) -> End:
        """Return a frame as an end with the axes of its body."""
        point, _ = self.placement.frame(body, frame)
        return End(self.placement.index[body], point, _identity(self.dimension))

    def coordinate_of(self, text: str, where: str) -> int:
        """Return the function of a coordinate that a motion, an effort or a guess names."""
        path = self.model.resolve(text, where)
        if not path.scalar_coordinate:
            raise ModelError(
                f'"{text}" is not a coordinate', where=where, hint="name a joint coordinate or a point's component"
            )
        if path.owner == "ground":
            raise ModelError("the ground does not move", where=where, hint="name a coordinate of a body or joint")
        return self.function_of(path)

    # --- rows ---------------------------------------------------------------------------------------------------------
    def _append(self, relation: Relation, owner: str, group: str) -> None:
        info = RowInfo(owner, group, relation.meaning, relation.is_length)
        self.rows.append(RowRecord(relation.terms, relation.formula, info))

    def _joint_rows(self, joint: Joint) -> None:
        """Add a joint's basic rows, then its relation."""
        ends = self.ends.get(joint.name)
        for spec in joint.kind.structure(self.dimension).rows if ends is not None else ():
            for relation in self._basic_rows(joint, spec):
                self._append(relation, joint.name, "joint")
        if joint.kind.relation:
            none = End(0, (0.0,) * self.dimension, _identity(self.dimension))
            for relation in BUILDERS[joint.kind.relation](self, joint, ends or (none, none)):
                self._append(relation, joint.name, "joint")

    def _basic_rows(self, joint: Joint, spec: Basic) -> list[Relation]:
        """Return the rows of one of a joint's basic constraints."""
        if spec == ("advance",):
            return [advance(self, joint)]
        made = self.basic(spec, self.ends[joint.name], L.ALIGNED)
        if spec == ("angle",):
            self.aligned[joint.name] = made[0][0]
        return [Relation([Term(function, 1.0)], 0.0, meaning, self.functions[function].is_length) for function, meaning in made]

    def _motion(self, text: str, formula: Number) -> None:
        """Add the row coordinate − f(t) = 0."""
        where = f"motions.{text}"
        function = self.coordinate_of(text, where)
        for other in self.rows[self.count_joint :]:
            if other.terms[0].function == function:
                raise ModelError(f'"{other.info.owner}" drives the same coordinate', where=where, hint="keep one of them")
        self.model.check_paths(formula, where, frozenset({"parameter", "time"}))
        reduced = self.scope.formula(formula, where)
        relation = Relation([Term(function, 1.0)], -reduced, "motion", self.functions[function].is_length)
        self._append(relation, text, "motion")

    def _initial(self, text: str, value: Number | Orientation) -> None:
        """Add a held value as a row, or a held rate as a condition."""
        where = f"initial.{text}"
        path = self.model.resolve(text, where)
        if path.kind == "rotation":
            self._held_rotation(path, value, where)
            return
        if isinstance(value, Orientation):
            raise ModelError("it takes a number", where=where, hint="an orientation belongs to a rotation path")
        number = self._number(value, where)
        if path.order == 1:
            self._rate(path, number, 1.0, True, where)
            return
        function = self.coordinate_of(text, where)
        if any(row.terms[0].function == function for row in self.rows[self.count_joint : self.count_joint + self.count_motion]):
            return  # the motion holds it; assembly compares the two
        self._append(Relation([Term(function, 1.0)], -number, "held", self.functions[function].is_length), text, "held")

    def _number(self, value: Number, where: str) -> Number:
        for parts in names(value):
            if parts == ("t",):
                raise ModelError("it depends on t", where=where, hint="a value over time is a motion")
        return self.scope.scalar(value, where)

    def _rate(self, path: Path, value: Number, weight: Number, held: bool, where: str) -> None:
        """Add a condition on a rate."""
        if path.kind == "omega":
            if path.owner not in self.placement.index:
                raise ModelError("an angular velocity of a joint cannot be set", where=where, hint="set the body's omega")
            self.rates.append(RateCondition(path.text, -1, self.placement.index[path.owner], path.axis, value, weight, held))
            return
        function = self.function_of(Path(path.kind, path.owner, path.item, path.axis, 0, path.text))
        self.rates.append(RateCondition(path.text, function, -1, 0, value, weight, held))

    def _rotation_target(self, path: Path, value: object, where: str) -> tuple[End, End]:
        """Return frames that are aligned when the body or joint has the given orientation."""
        if not isinstance(value, Orientation):
            raise ModelError("it takes an orientation", where=where, hint="give {rpy: [..]}, {quaternion: [..]} or the like")
        turn = orientation_matrix(value, 3, self.scope, where)
        if path.owner in self.ends:
            first, second = self.ends[path.owner]
            return End(first.body, first.point, product(first.axes, turn)), second
        k = self.placement.index[path.owner]
        return End(0, (0.0, 0.0, 0.0), turn), End(k, (0.0, 0.0, 0.0), IDENTITY)

    def _held_rotation(self, path: Path, value: object, where: str) -> None:
        """Hold an orientation by three rows."""
        ends = self._rotation_target(path, value, where)
        self.held_rotations.append((path.text, *ends))
        for a, b in (("g", "h"), ("h", "f"), ("f", "g")):
            function = self.dot1(ends[0], ends[1], ends[0].axis(a), ends[1].axis(b))
            self._append(Relation([Term(function, 1.0)], 0.0, f"held {_MEANING[a, b]}", False), path.text, "held")

    def _guess(self, text: str, value: Number | Orientation, weight: Number) -> None:
        """Add a guess for a value, an orientation or a rate."""
        where = f"guess.{text}"
        path = self.model.resolve(text, where)
        size = self.scope.scalar(weight, where)
        if self.scope.value(size, where) < 0.0:
            raise ModelError("the weight is negative", where=where, hint="a weight is zero or above")
        self.scope.keep(size)
        if path.kind == "rotation":
            first, second = self._rotation_target(path, value, where)
            self.soft.append(Soft(text, -1, second.body, first.axes, 0.0, size))
            return
        if isinstance(value, Orientation):
            raise ModelError("it takes a number", where=where, hint="an orientation belongs to a rotation path")
        number = self._number(value, where)
        if path.order == 1:
            self._rate(path, number, size, False, where)
            return
        self.soft.append(Soft(text, self.coordinate_of(text, where), -1, None, number, size))


def _identity(dimension: int) -> Mat:
    """Return the identity matrix."""
    return tuple(tuple(1.0 if i == j else 0.0 for j in range(dimension)) for i in range(dimension))
