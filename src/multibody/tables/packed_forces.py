"""Forces as kernels read them: numbers allocated, programs compiled, records made, and what names them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from multibody.kernels import declared as D
from multibody.model.expressions import Number
from multibody.tables.forces import Forces, Law, Load, OfLength
from multibody.tables.inputs import Item
from multibody.tables.lowered import LengthSlot, LoweredLaw, LoweredLoad, LoweredWrench
from multibody.tables.packer import Packer
from multibody.tables.programs import Compiler, coordinate
from multibody.tables.rows import record
from multibody.tables.watches import Watched
from multibody.tables.wrench_elements import WrenchElement, frame_numbers


@dataclass
class PackedForces:
    """Laws, loads, wrench elements and watched expressions, packed one by one.

    Attributes
    ----------
    packer, compiler
        Take their numbers and programs.
    tables : list of int
        Program tables, which theirs are appended to.
    laws : list of LoweredLaw
    loads : list of LoweredLoad
    wrenches : list of LoweredWrench
    of_length : list of LengthSlot
    law_records, load_records, wrench_records, inputs, watches : list of tuple
        Records; see ``kernels/declared.py``.
    """

    packer: Packer
    compiler: Compiler
    tables: list[int]
    laws: list[LoweredLaw] = field(default_factory=list)
    loads: list[LoweredLoad] = field(default_factory=list)
    wrenches: list[LoweredWrench] = field(default_factory=list)
    of_length: list[LengthSlot] = field(default_factory=list)
    law_records: list[tuple[int, ...]] = field(default_factory=list)
    load_records: list[tuple[int, ...]] = field(default_factory=list)
    wrench_records: list[tuple[Any, ...]] = field(default_factory=list)
    inputs: list[Item] = field(default_factory=list)
    watches: list[tuple[int, ...]] = field(default_factory=list)
    _first: dict[tuple[Item, ...], int] = field(default_factory=dict)  # where inputs that occurred before begin

    def add(self, forces: Forces) -> PackedForces:
        """Pack all forces of a model."""
        for law in forces.laws:
            self._law(law)
        for load in forces.loads:
            self._load(load)
        for element in forces.wrench_elements:
            self._wrench(element)
        for watched in forces.watched:
            self._watched(watched)
        return self

    def _law(self, law: Law) -> None:
        slot = self.packer.many([0.0 if isinstance(x, OfLength) else x for x in law.numbers])
        self.of_length += [LengthSlot(slot + k, x.factor) for k, x in enumerate(law.numbers) if isinstance(x, OfLength)]
        program = self._program((law.formula,), len(law.items), law.name)
        first, count = self._inputs(law.items)
        self.laws.append(LoweredLaw(law.name, law.kind, law.function, slot, program, first, count))
        made = record(
            D.Law, kind=law.kind, function=law.function, numbers=slot, program=program, first_input=first, inputs=count
        )
        self.law_records.append(made)

    def _load(self, load: Load) -> None:
        slot = self.packer.many(load.numbers)
        program, point = self._program(load.formulas, len(load.items), load.name), self.packer.many(load.point)
        first, count = self._inputs(load.items)
        self.loads.append(LoweredLoad(load.name, load.body, slot, program, first, count))
        made = record(
            D.Load, body=load.body, point=point, follows=load.axes, components=slot, program=program, first_input=first,
            inputs=count,
        )  # fmt: skip
        self.load_records.append(made)

    def _wrench(self, element: WrenchElement) -> None:
        frames = self.packer.many([*frame_numbers(element.first), *frame_numbers(element.second)])
        slot = self.packer.many(element.numbers)
        self.wrenches.append(LoweredWrench(element.name, element.first.body, element.second.body, frames, slot))
        made = record(
            D.WrenchElement, kind=element.kind, first=element.first.body, second=element.second.body, frames=frames,
            angles=element.angles, numbers=slot,
        )  # fmt: skip
        self.wrench_records.append(made)

    def _watched(self, watched: Watched) -> None:
        names = [("t",), *(coordinate(k + 1).args for k in range(len(watched.items)))]
        program = self.compiler.program(watched.formula, names, watched.watch.name)
        first, count = self._inputs(watched.items)
        self.watches.append(record(D.Watch, program=program, first_input=first, inputs=count))

    def _inputs(self, items: tuple[Item, ...]) -> tuple[int, int]:
        """Return the first of the inputs and how many there are; the same ones are stored once."""
        if items not in self._first:
            self._first[items] = len(self.inputs)
            self.inputs += items
        return self._first[items], len(items)

    def _program(self, formulas: Sequence[Number], count: int, name: str) -> int:
        """Return where the program tables of formulas begin, −1 where all are zero."""
        if all(formula == 0.0 for formula in formulas):
            return -1
        start = len(self.tables)
        for formula in formulas:
            self.tables.extend(self.compiler.table(formula, count, f"forces.{name}", second=False))
        return start

    @property
    def laws_of(self) -> dict[str, list[int]]:
        """The numbers of the laws of each force."""
        found: dict[str, list[int]] = {}
        for k, law in enumerate(self.laws):
            found.setdefault(law.force, []).append(k)
        return found

    @property
    def load_of(self) -> dict[str, int]:
        """The number of the load of each force at a frame."""
        return {load.force: k for k, load in enumerate(self.loads)}

    @property
    def wrench_of(self) -> dict[str, int]:
        """The number of the wrench element of each force that is one."""
        return {element.force: k for k, element in enumerate(self.wrenches)}
