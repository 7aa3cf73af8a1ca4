"""Packing: functions, rows and numbers into the block that kernels read, and everything that names them."""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from multibody.errors import ModelError
from multibody.kernels import declared as D
from multibody.kernels import layout as L
from multibody.kernels.declared import Model as Packed
from multibody.kernels.newton.declared import no_pattern
from multibody.model.model import Model
from multibody.tables.build import Builder, Key, RateCondition, RowInfo, Soft
from multibody.tables.forces import indices, pack
from multibody.tables.packer import EndSlots, Packer
from multibody.tables.pairs import Pair, lowered_pairs
from multibody.tables.programs import Compiler
from multibody.tables.rows import Rows, listed
from multibody.tables.splines import pack_table
from multibody.tables.watches import Watch

__all__ = ["EndSlots", "Tables", "lower", "set_length"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
MOST_BODIES = 20_000


@dataclass
class Tables:
    """A model as kernels read it, and the names of what is in it.

    Attributes
    ----------
    packed : kernels.declared.Model
        Functions, rows, terms, columns, programs, laws, loads as records, and all numbers.
    rows : list of RowInfo
        Name and meaning of every row: joints first, then motions, then held values.
    joint_rows : dict
        Rows of each joint.
    coordinates : dict
        Function of each named coordinate.
    ends : dict
        Both ends of each joint that has them.
    pairs : dict
        The relative motion of each joint that is a pair, in the order of the model.
    bodies : list of str
        Names; body 0 is the ground.
    laws : dict
        Laws of each force but loads: one, or one for each direction of a bushing (translations, then rotations).
    law_functions, law_slots : list of int
        Function that each law acts along, and where its numbers lie; that of a linear law is its constant effort.
    loads : dict
        Load of each force at a frame.
    load_slots : list of int
        Where the constant components of each load lie: force, then moment.
    watches : list of Watch
        What each watched expression is: events first, then switching points.
    of_length : list of (int, float)
        Numbers that are multiples of the characteristic length.
    """

    model: Model
    packed: Packed
    rows: list[RowInfo]
    row_pointer: Integers
    columns: Integers
    count_joint: int
    count_motion: int
    joint_rows: dict[str, range]
    coordinates: dict[Key, int]
    function_is_length: list[bool]
    function_bodies: list[tuple[int, int]]
    bodies: list[str]
    extras: list[str]
    parameter_slots: dict[tuple[str, ...], int]
    starts: Integers
    slots: Integers
    ends: dict[str, tuple[EndSlots, EndSlots]]
    pairs: dict[str, Pair]
    frames: dict[tuple[str, str], tuple[int, int]]
    poses: list[tuple[int, int]]
    masses: list[tuple[int, int]]
    rates: list[tuple[RateCondition, int, int]]
    soft: list[tuple[Soft, int, int, int]]
    held_rotations: list[tuple[str, EndSlots, EndSlots]]
    laws: dict[str, list[int]]
    law_functions: list[int]
    law_slots: list[int]
    loads: dict[str, int]
    load_slots: list[int]
    watches: list[Watch]
    of_length: list[tuple[int, float]]
    cache: dict[str, Any] = field(default_factory=dict)

    def __getstate__(self) -> dict[str, Any]:
        """Return what travels to another process; what was derived is derived again there."""
        return {**vars(self), "cache": {}}

    @property
    def F(self) -> Floats:
        """All numbers of the model."""
        found: Floats = self.packed.numbers
        return found

    @property
    def dimension(self) -> int:
        """2 or 3."""
        return int(self.packed.dimension)

    @property
    def nq(self) -> int:
        """Number of position coordinates."""
        return int(self.packed.coordinates)

    @property
    def nv(self) -> int:
        """Number of velocity coordinates."""
        return int(self.packed.velocities)

    @property
    def length(self) -> float:
        """Characteristic length."""
        return float(self.F[self.packed.length])

    @property
    def gravity(self) -> Floats:
        """Vector of gravity, zero where there is none."""
        return self.vector(self.packed.gravity)

    def extra_of(self, function: int) -> int:
        """Return which of the extra coordinates a function is, −1 if it is none."""
        if "extra_of" not in self.cache:
            functions = self.packed.functions
            self.cache["extra_of"] = np.where(functions.kind == L.EXTRA, functions.extra, -1).tolist()
        found: int = self.cache["extra_of"][function]
        return found

    def function_of_row(self, r: int) -> int:
        """Return the first of the functions that a row is made of."""
        return int(self.packed.terms.function[self.packed.rows.first_term[r]])

    def row_of(self, joint: str, meaning: str) -> int:
        """Return the row of a joint that has this meaning."""
        return next(r for r in self.joint_rows[joint] if self.rows[r].meaning == meaning)

    @property
    def width(self) -> int:
        """Velocity coordinates of a body: 3 or 6."""
        return L.BODY_VELOCITIES[self.dimension]

    def vector(self, offset: int, count: int | None = None) -> Floats:
        """Return numbers of F as an array."""
        return self.F[offset : offset + (self.dimension if count is None else count)]

    def matrix(self, offset: int) -> Floats:
        """Return a matrix of F."""
        d = self.dimension
        return self.F[offset : offset + d * d].reshape(d, d)

    def with_parameters(self, values: Mapping[str, Any], model: Model) -> Tables:
        """Return the same tables with other parameter values: nothing is lowered again."""
        from multibody.kernels.arrays import Arrays
        from multibody.kernels.programs import evaluate_programs

        changed = copy.copy(self)
        changed.model, changed.packed, changed.cache = model, self.packed.sharing(numbers=self.F.copy()), {}
        given: set[int] = set()
        for name, value in values.items():
            paths = [p for p in self.parameter_slots if p[0] == name]
            parts = np.atleast_1d(np.asarray(value, dtype=float))
            for path, part in zip(paths, parts, strict=True):
                changed.F[self.parameter_slots[path]] = part
                given.add(self.parameter_slots[path])
        keep = np.array([slot not in given for slot in self.slots], dtype=bool)
        arrays = Arrays(changed.packed)
        evaluate_programs(*arrays.still, self.starts[keep], self.slots[keep], changed.F)
        if not np.all(np.isfinite(changed.F)):
            raise ModelError("the parameters give a number that is not finite", hint="check their values")
        set_length(changed)
        return changed


def lower(model: Model) -> Tables:
    """Lower a model into tables.

    Parameters
    ----------
    model : Model

    Returns
    -------
    Tables
        The structure in integers, made once; every number a constant or a program of the parameters.
    """
    if not model.bodies:
        raise ModelError("the model has no bodies", hint="add a body")
    if len(model.bodies) > MOST_BODIES:
        raise ModelError(f"{len(model.bodies)} bodies", where="bodies", hint=f"a model may have {MOST_BODIES}")
    builder = Builder(model).run()
    packer = Packer(builder.scope)
    d, nb, nx = model.dimension, len(model.bodies), len(builder.extras)
    functions = [(f.kind, f.first, f.second, packer.many(f.numbers), f.extra) for f in builder.functions]
    splines, spline_index = _splines(model, packer)
    compiler = Compiler(packer.parameter_slots, spline_index, packer.constant)
    made_rows, program_tables = _rows(builder, packer, compiler)
    rows, terms, columns = made_rows.packed()
    forces = pack(builder.forces, packer, compiler, program_tables)
    named = _named(builder, packer)
    gravity = packer.many((0.0,) * d if model.gravity is None else builder.scope.vector(model.gravity, d, "gravity"))
    formulas = [(slot, number) for slot, number in enumerate(packer.numbers) if not isinstance(number, float)]
    starts = [compiler.program(number, (), "") for _, number in formulas]
    zero = compiler.program_of_zero() if -1 in starts else -1

    most = max((len(row.terms) for row in builder.rows), default=0)
    packed = Packed(
        planar=int(d == 2), dimension=d, width=L.BODY_VELOCITIES[d], bodies=nb, extras=nx,
        coordinates=L.BODY_COORDINATES[d] * nb + nx, velocities=L.BODY_VELOCITIES[d] * nb + nx,
        length=packer.length_slot, gravity=gravity, parameters=0, most_inputs=max(most, builder.forces.most_inputs),
        most_kept=compiler.kept, numbers=np.array([builder.scope.value(x) for x in packer.numbers], dtype=np.float64),
        function_count=len(builder.functions), pattern=no_pattern(),
        functions=listed(D.Function, functions),
        rows=rows, terms=terms, columns=columns,
        tables=np.array(program_tables, dtype=np.int64), code=np.array(compiler.code, dtype=np.int64),
        splines=listed(D.Spline, splines), masses=listed(D.MassSlots, named["masses"]), laws=listed(D.Law, forces.laws),
        loads=listed(D.Load, forces.loads), inputs=listed(D.Input, forces.inputs), watches=listed(D.Watch, forces.watches),
    )  # fmt: skip
    tables = Tables(
        model, packed, [row.info for row in builder.rows], made_rows.pointer,
        columns, builder.count_joint, builder.count_motion, builder.joint_rows,
        builder.coordinates, [f.is_length for f in builder.functions],
        [(f.first, f.second) for f in builder.functions], ["ground", *model.bodies], builder.extras,
        packer.parameter_slots, np.array([s if s >= 0 else zero for s in starts], dtype=np.int64),
        np.array([slot for slot, _ in formulas], dtype=np.int64), **named,
        laws=indices(builder.forces.laws), law_functions=[law.function for law in builder.forces.laws],
        law_slots=forces.law_slots, loads={load.name: k for k, load in enumerate(builder.forces.loads)},
        load_slots=forces.load_slots, watches=[w.watch for w in builder.forces.watched], of_length=forces.of_length,
    )  # fmt: skip
    set_length(tables)
    return tables


def same_structure(one: Packed, other: Packed) -> bool:
    """Return whether two models differ in numbers alone."""
    return all(
        np.array_equal(value, getattr(other, name)) if isinstance(value, np.ndarray) else value == getattr(other, name)
        for name, value in one.contents().items() if name != "numbers"
    )  # fmt: skip


def _splines(model: Model, packer: Packer) -> tuple[list[tuple[int, ...]], dict[str, int]]:
    """Return the spline records and the number of each table."""
    records: list[tuple[int, ...]] = []
    index = {}
    for k, (name, table) in enumerate(model.tables.items()):
        kind, knots, coefficients = pack_table(table)
        records.append((kind, len(knots) - 1, packer.many(knots), packer.many(coefficients)))
        index[name] = k
    return records, index


def _rows(builder: Builder, packer: Packer, compiler: Compiler) -> tuple[Rows, list[int]]:
    """Return the rows and the program tables."""
    made, tables = Rows(L.BODY_VELOCITIES[builder.dimension], len(builder.model.bodies)), list[int]()
    for row in builder.rows:
        program = -1
        if not (isinstance(row.formula, float) and row.formula == 0.0):
            program = len(tables)
        own = [(function, builder.functions[function], packer.weight(weight)) for function, weight in row.terms]
        made.add(own, program, row.info.is_length)
        if program >= 0:
            tables += compiler.table(row.formula, len(row.terms), f"{row.info.group}s.{row.info.owner}")
    return made, tables


def _named(builder: Builder, packer: Packer) -> dict[str, Any]:
    """Allocate frames, poses, masses and conditions in F; return what finds them."""
    place = builder.placement
    frames = {}
    for body in ["ground", *builder.model.bodies]:
        for frame in ["origin", "com", *builder.model.frames_of(body)]:
            point, axes = place.frame(body, frame)
            frames[body, frame] = (packer.many(point), packer.many([x for row in axes for x in row]))
    poses = [
        (packer.many(place.center(k)), packer.many([x for row in place.turn[k] for x in row])) for k in range(len(place.com))
    ]
    masses = []
    for properties in place.masses:
        inertia = properties.inertia
        if inertia is None:
            at = -1
        else:
            at = packer.many([x for row in inertia for x in row]) if isinstance(inertia, tuple) else packer.one(inertia)
        masses.append((-1 if properties.mass is None else packer.one(properties.mass), at))
    ends = {name: (packer.end(a), packer.end(b)) for name, (a, b) in builder.ends.items()}
    return {
        "ends": ends,
        "pairs": lowered_pairs(builder, packer, ends),
        "held_rotations": [(path, packer.end(a), packer.end(b)) for path, a, b in builder.held_rotations],
        "frames": frames,
        "poses": poses,
        "masses": masses,
        "rates": [(rate, packer.one(rate.value), packer.one(rate.weight)) for rate in builder.rates],
        "soft": [
            (
                s,
                packer.one(s.value),
                packer.one(s.weight),
                -1 if s.orientation is None else packer.many([x for r in s.orientation for x in r]),
            )
            for s in builder.soft
        ],
    }


def set_length(tables: Tables) -> None:
    """Set the characteristic length, unless the model states it, and the numbers that are multiples of it."""
    at = tables.packed.length
    if tables.model.length is None:
        tables.F[at] = _derived_length(tables)
    for slot, factor in tables.of_length:
        tables.F[slot] = factor * tables.F[at]


def _derived_length(tables: Tables) -> float:
    """Return the largest distance between two points of a body; where there is none, another length that the model has."""
    F, d = tables.F, tables.dimension
    points: dict[int, list[Floats]] = {}
    index = {name: k for k, name in enumerate(tables.bodies)}
    for (body, _), (at, _) in tables.frames.items():
        points.setdefault(index[body], []).append(F[at : at + d])
    for pair in tables.ends.values():
        for end in pair:
            points.setdefault(end.body, []).append(F[end.point : end.point + d])
    largest = 0.0
    for number, items in points.items():
        cloud = np.array(items)
        if number == 0 and len(points) > 1:
            continue
        spread = cloud.max(axis=0) - cloud.min(axis=0)
        largest = max(largest, float(np.linalg.norm(spread)))
    if largest == 0.0:
        cloud = np.array([F[at : at + d] for at, _ in tables.poses])
        largest = float(np.linalg.norm(cloud.max(axis=0) - cloud.min(axis=0)))
    if largest == 0.0:
        cloud = np.array(points.get(0, [np.zeros(d)]))
        largest = float(np.linalg.norm(cloud.max(axis=0) - cloud.min(axis=0)))
    if largest == 0.0:
        largest = max((_gyration(tables, mass, inertia) for mass, inertia in tables.masses), default=0.0)
    return largest if largest > 0.0 else 1.0


def _gyration(tables: Tables, mass: int, inertia: int) -> float:
    """Return a body's largest radius of gyration, 0 where it has none."""
    if mass < 0 or inertia < 0:  # not stated
        return 0.0
    size = float(tables.F[inertia]) if tables.dimension == 2 else float(np.linalg.norm(tables.matrix(inertia), 2))
    return math.sqrt(size / float(tables.F[mass])) if tables.F[mass] > 0.0 and size > 0.0 else 0.0
