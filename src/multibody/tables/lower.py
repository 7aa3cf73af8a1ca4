"""Packing: functions, rows and numbers into the block that kernels read, and everything that names them."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from multibody.errors import ModelError
from multibody.kernels import codes as L
from multibody.kernels import declared as D
from multibody.kernels.arrays import room_for_masses
from multibody.kernels.body_layout import LAYOUTS, BodyLayout
from multibody.kernels.declared import Model as Packed
from multibody.kernels.memory.declaration import Block
from multibody.model.model import Model
from multibody.tables.build import Builder, Key, RowInfo, Soft
from multibody.tables.inputs import Item
from multibody.tables.length import set_length
from multibody.tables.lowered import (
    EndSlots,
    FrameSlots,
    HeldRotation,
    LengthSlot,
    LoweredFunction,
    LoweredGuess,
    LoweredLaw,
    LoweredLoad,
    LoweredRate,
    LoweredWrench,
    MassSlots,
    PoseSlots,
)
from multibody.tables.mass import MassProperties
from multibody.tables.packed_forces import PackedForces
from multibody.tables.packer import Packer
from multibody.tables.pairs import Pair, lowered_pairs
from multibody.tables.programs import Compiler
from multibody.tables.rows import Rows, WeightedFunction, listed, record
from multibody.tables.sound import Conditions
from multibody.tables.splines import pack_table
from multibody.tables.watches import Watch

__all__ = ["Tables", "lower", "set_length"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]
MOST_BODIES = 20_000


@dataclass
class Tables:
    """A model as kernels read it, and the names of what is in it.

    Attributes
    ----------
    packed : kernels.declared.Model
        Functions, rows, terms, columns, programs, laws, loads, wrench elements as records, and all numbers.
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
    functions : list of LoweredFunction
        All coordinate functions.
    frames : dict
        Point and axes of each frame, by (body, frame).
    poses : list of PoseSlots
        Drawn pose of each body, the ground first.
    masses : list of MassSlots
        Of each moving body.
    rates, guesses, held_rotations : list of LoweredRate, LoweredGuess, HeldRotation
        What the initial state holds or stays near, beside the rows of held values.
    laws : list of LoweredLaw
        Efforts along functions.
    laws_of : dict
        Laws of each force but loads: one, or one for each direction of a bushing (translations, then rotations).
    loads : list of LoweredLoad
        Forces and moments at frames.
    load_of : dict
        Load of each force at a frame.
    wrenches : list of LoweredWrench
        Forces and moments between two frames.
    wrench_of : dict
        Wrench element of each force that is one.
    watches : list of Watch
        What each watched expression is: events first, then switching points.
    of_length : list of LengthSlot
        Numbers that are multiples of the characteristic length.
    conditions : Conditions
        Which numbers there can be.
    starts, slots : arrays of int
        Program of every number that depends on parameters, and where it lies in F.
    cache : dict
        What was derived from the tables.
    structure : dict
        What was derived from their structure alone: tables with other parameter values share it.
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
    functions: list[LoweredFunction]
    bodies: list[str]
    extras: list[str]
    parameter_slots: dict[tuple[str, ...], int]
    starts: Integers
    slots: Integers
    ends: dict[str, tuple[EndSlots, EndSlots]]
    pairs: dict[str, Pair]
    frames: dict[tuple[str, str], FrameSlots]
    poses: list[PoseSlots]
    masses: list[MassSlots]
    rates: list[LoweredRate]
    guesses: list[LoweredGuess]
    held_rotations: list[HeldRotation]
    laws: list[LoweredLaw]
    laws_of: dict[str, list[int]]
    loads: list[LoweredLoad]
    load_of: dict[str, int]
    wrenches: list[LoweredWrench]
    wrench_of: dict[str, int]
    watches: list[Watch]
    of_length: list[LengthSlot]
    conditions: Conditions
    cache: dict[Any, Any] = field(default_factory=dict)
    structure: dict[Any, Any] = field(default_factory=dict)

    def __getstate__(self) -> dict[str, Any]:
        """Return what travels to another process; what was derived is derived again there."""
        return {**vars(self), "cache": {}, "structure": {}}

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
    def layout(self) -> BodyLayout:
        """Where bodies lie in q and v."""
        return LAYOUTS[int(self.packed.dimension)]

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

    def entries_of(self, r: int) -> range:
        """Return the entries of Φ_q that row r has."""
        return range(*(int(e) for e in self.row_pointer[r : r + 2]))

    def extra_of(self, function: int) -> int:
        """Return which of the extra coordinates a function is, −1 if it is none."""
        if "extra_of" not in self.cache:
            self.cache["extra_of"] = [f.extra if f.kind == L.EXTRA else -1 for f in self.functions]
        found: int = self.cache["extra_of"][function]
        return found

    def function_of_row(self, r: int) -> int:
        """Return the first of the functions that a row is made of."""
        return int(self.packed.terms.function[self.packed.rows.first_term[r]])

    def functions_of_rows(self) -> list[list[int]]:
        """Return the functions that every row is made of."""
        functions, rows = self.packed.terms.function.tolist(), self.packed.rows
        spans = zip(rows.first_term.tolist(), rows.terms.tolist(), strict=True)
        return [functions[first : first + count] for first, count in spans]

    def inputs_of(self, force: LoweredLaw | LoweredLoad) -> list[Item]:
        """Return what the expression of a law or load reads beside time: codes as in ``kernels/codes.py``, and which one."""
        own = self.packed.inputs[force.first_input : force.first_input + force.inputs]
        return list(zip(own.code.tolist(), own.index.tolist(), strict=True))

    @property
    def effort_count(self) -> int:
        """How many numbers tell what laws and wrench elements do: an effort a law, then three or six a wrench element."""
        return len(self.laws) + self.width * len(self.wrenches)

    @property
    def load_count(self) -> int:
        """How many numbers tell what loads do: force and moment of each, three or six."""
        return self.width * len(self.loads)

    def part_of_load(self, k: int) -> slice:
        """Return which of these numbers are those of load k."""
        return slice(self.width * k, self.width * (k + 1))

    def efforts_of(self, force: str) -> list[int]:
        """Return which of these numbers are those of a force."""
        if force in self.laws_of:
            return self.laws_of[force]
        at = len(self.laws) + self.width * self.wrench_of[force]
        return list(range(at, at + self.width))

    def law_of(self, force: str) -> LoweredLaw:
        """Return the law of a force, the first where it has several."""
        return self.laws[self.laws_of[force][0]]

    def row_of(self, joint: str, meaning: str) -> int:
        """Return the row of a joint that has this meaning."""
        return next(r for r in self.joint_rows[joint] if self.rows[r].meaning == meaning)

    @property
    def width(self) -> int:
        """Velocity coordinates of a body: 3 or 6."""
        return self.layout.velocities

    def vector(self, offset: int, count: int | None = None) -> Floats:
        """Return numbers of F as an array."""
        return self.F[offset : offset + (self.dimension if count is None else count)]

    def matrix(self, offset: int) -> Floats:
        """Return a matrix of F."""
        d = self.dimension
        return self.F[offset : offset + d * d].reshape(d, d)

    def with_parameters(self, values: Mapping[str, Any], model: Model) -> Tables:
        """Return the same tables with other parameter values: nothing is lowered again."""
        from multibody.kernels.declared import Scratch
        from multibody.kernels.programs import evaluate_programs

        changed = copy.copy(self)
        changed.model, changed.packed, changed.cache = model, self.packed.sharing(numbers=self.F.copy()), {}
        changed.structure = self.structure
        given: set[int] = set()
        for name, value in values.items():
            paths = [p for p in self.parameter_slots if p[0] == name]
            parts = np.atleast_1d(np.asarray(value, dtype=float))
            for path, part in zip(paths, parts, strict=True):
                changed.F[self.parameter_slots[path]] = part
                given.add(self.parameter_slots[path])
        keep = np.array([slot not in given for slot in self.slots], dtype=bool)
        scratch = Scratch(stack=L.STACK_DEPTH, kept=changed.packed.most_kept, input=changed.packed.most_inputs + 2)
        evaluate_programs(changed.packed.address, scratch.address, self.starts[keep], self.slots[keep], changed.F)
        if not np.all(np.isfinite(changed.F)):
            raise ModelError("the parameters give a number that is not finite", hint="check their values")
        set_length(changed)
        if not changed.conditions.hold(changed.F[None, :])[0]:
            lower(model)  # which says what is wrong
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
    d, nb, nx, layout = model.dimension, len(model.bodies), len(builder.extras), LAYOUTS[model.dimension]
    functions = [
        record(D.Function, kind=f.kind, first=f.first, second=f.second, numbers=packer.many(f.numbers), extra=f.extra)
        for f in builder.functions
    ]
    splines, spline_index = _splines(model, packer)
    compiler = Compiler(packer.parameter_slots, spline_index, packer.constant)
    made_rows, program_tables = _rows(builder, packer, compiler)
    rows, terms, columns = made_rows.packed()
    forces = PackedForces(packer, compiler, program_tables).add(builder.forces)
    named = _named(builder, packer)
    gravity = packer.many((0.0,) * d if model.gravity is None else builder.scope.vector(model.gravity, d, "gravity"))
    conditions = Conditions.of(builder.scope, packer, named["masses"], d)
    formulas = [(slot, number) for slot, number in enumerate(packer.numbers) if not isinstance(number, float)]
    starts = [compiler.program(number, (), "") for _, number in formulas]
    zero = compiler.program_of_zero() if -1 in starts else -1

    most = max((len(row.terms) for row in builder.rows), default=0)
    packed = Packed(
        planar=int(d == 2), dimension=d, width=layout.velocities, bodies=nb, extras=nx,
        coordinates=layout.coordinates * nb + nx, velocities=layout.velocities * nb + nx,
        length=packer.length_slot, gravity=gravity, parameters=0, most_inputs=max(most, builder.forces.most_inputs),
        most_kept=compiler.kept, numbers=np.array([builder.scope.value(x) for x in packer.numbers], dtype=np.float64),
        function_count=len(builder.functions),
        functions=listed(D.Function, functions), rows=rows, terms=terms, columns=columns,
        tables=np.array(program_tables, dtype=np.int64), code=np.array(compiler.code, dtype=np.int64),
        splines=listed(D.Spline, splines), masses=listed(D.MassSlots, named["masses"]),
        laws=listed(D.Law, forces.law_records), loads=listed(D.Load, forces.load_records),
        wrench_elements=listed(D.WrenchElement, forces.wrench_records),
        inputs=listed(D.Input, forces.inputs), watches=listed(D.Watch, forces.watches),
    )  # fmt: skip
    for name, room in room_for_masses(packed).items():
        setattr(packed, name, room)
    tables = Tables(
        model=model, packed=packed, rows=[row.info for row in builder.rows], row_pointer=made_rows.pointer, columns=columns,
        count_joint=builder.count_joint, count_motion=builder.count_motion, joint_rows=builder.joint_rows,
        coordinates=builder.coordinates, bodies=["ground", *model.bodies], extras=builder.extras,
        functions=[LoweredFunction(f.first, f.second, f.is_length, f.kind, f.extra) for f in builder.functions],
        parameter_slots=packer.parameter_slots, slots=np.array([slot for slot, _ in formulas], dtype=np.int64),
        starts=np.array([s if s >= 0 else zero for s in starts], dtype=np.int64), **named,
        laws=forces.laws, laws_of=forces.laws_of, loads=forces.loads, load_of=forces.load_of,
        wrenches=forces.wrenches, wrench_of=forces.wrench_of,
        watches=[w.watch for w in builder.forces.watched], of_length=forces.of_length,
        conditions=conditions,
    )  # fmt: skip
    set_length(tables)
    return tables


def same_structure(one: Block, other: Block) -> bool:
    """Return whether two models, or parts of them, differ in numbers alone."""
    return all(_same(value, getattr(other, name)) for name, value in one.contents().items() if name != "numbers")


def _same(one: Any, other: Any) -> bool:
    """Return whether a field of two blocks is the same."""
    if isinstance(one, Block):
        return same_structure(one, other)
    return bool(np.array_equal(one, other))


def _splines(model: Model, packer: Packer) -> tuple[list[tuple[int, ...]], dict[str, int]]:
    """Return the spline records and the number of each table."""
    records: list[tuple[int, ...]] = []
    index = {}
    for k, (name, table) in enumerate(model.tables.items()):
        kind, knots, coefficients = pack_table(table)
        at = packer.many(knots)
        made = record(D.Spline, kind=kind, intervals=len(knots) - 1, knots=at, coefficients=packer.many(coefficients))
        records.append(made)
        index[name] = k
    return records, index


def _rows(builder: Builder, packer: Packer, compiler: Compiler) -> tuple[Rows, list[int]]:
    """Return the rows and the program tables."""
    made, tables = Rows(LAYOUTS[builder.dimension].velocities, len(builder.model.bodies)), list[int]()
    for row in builder.rows:
        program = -1
        if not (isinstance(row.formula, float) and row.formula == 0.0):
            program = len(tables)
        own = [WeightedFunction(f, builder.functions[f], packer.weight(weight)) for f, weight in row.terms]
        made.add(own, program, row.info.is_length)
        if program >= 0:
            tables += compiler.table(row.formula, len(row.terms), f"{row.info.group}s.{row.info.owner}")
    return made, tables


def _named(builder: Builder, packer: Packer) -> dict[str, Any]:
    """Allocate frames, poses, masses, ends and conditions in F; return what finds them."""
    place, model = builder.placement, builder.model
    frames = {}
    for body in ["ground", *model.bodies]:
        for frame in ["origin", "com", *model.frames_of(body)]:
            point, axes = place.frame(body, frame)
            frames[body, frame] = FrameSlots(packer.many(point), packer.matrix(axes))
    poses = [PoseSlots(packer.many(place.center(k)), packer.matrix(place.turn[k])) for k in range(len(place.com))]
    masses = [_mass(properties, packer) for properties in place.masses]
    ends = {name: (packer.end(a), packer.end(b)) for name, (a, b) in builder.ends.items()}
    held = [HeldRotation(path, packer.end(a), packer.end(b)) for path, a, b in builder.held_rotations]
    pairs = lowered_pairs(builder, packer, ends)
    rates = [
        LoweredRate(rate.path, rate.function, rate.body, rate.axis, rate.held, packer.one(rate.value), packer.one(rate.weight))
        for rate in builder.rates
    ]
    guesses = [_guess(soft, packer) for soft in builder.soft]
    return {
        "frames": frames, "poses": poses, "masses": masses, "ends": ends, "pairs": pairs, "held_rotations": held,
        "rates": rates, "guesses": guesses,
    }  # fmt: skip


def _mass(properties: MassProperties, packer: Packer) -> MassSlots:
    """Allocate mass and inertia of a body, as far as they are stated."""
    inertia, at = properties.inertia, -1
    if inertia is not None:
        at = packer.matrix(inertia) if isinstance(inertia, tuple) else packer.one(inertia)
    return MassSlots(-1 if properties.mass is None else packer.one(properties.mass), at)


def _guess(soft: Soft, packer: Packer) -> LoweredGuess:
    """Allocate the numbers of a guess."""
    value, weight = packer.one(soft.value), packer.one(soft.weight)
    orientation = -1 if soft.orientation is None else packer.matrix(soft.orientation)
    return LoweredGuess(soft.path, soft.function, soft.body, value, weight, orientation)
