"""Blocks of many members: a row of slots each, in one table, that differ in some arrays and are otherwise a block of the model.

To make them one by one takes longer than to assemble a small mechanism, and threads would wait for each other meanwhile.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Generic, TypeVar

import numpy as np

from multibody.kernels.memory.declaration import Block, _address_of
from multibody.state.system import Floats, Integers

Kind = TypeVar("Kind", bound=Block)


class Many(Generic[Kind]):
    """Blocks like one of a model.

    Parameters
    ----------
    base : Block
    count : int
    rows : mapping of arrays (count, ·)
        Arrays of the members by name; records without a second axis are one a member.
    own : bool
        Whether all other arrays are copied for every member, as ``Block.copy`` does; otherwise they are shared.
    **parts : Block
        Parts that the members share in any case.

    Attributes
    ----------
    addresses : array of int (count,)
        Of the blocks; good as long as this object lives.
    """

    def __init__(self, base: Kind, count: int, rows: Mapping[str, Any], own: bool = False, **parts: Block) -> None:
        self.base, self.own, self.table = base, own, np.tile(base._slots, (count, 1))
        self._rows, self._parts = dict(rows), dict[str, Any]()
        self._memory = np.tile(base._memory, (count, 1)) if own else base._memory
        for name, part in parts.items():
            self.join(name, part)
        if own:
            self._copy(count)
        for name, values in self._rows.items():
            slot = base.fields[name].slot
            self.table[:, slot], self.table[:, slot + 1] = _addresses(values), values.shape[1] if values.ndim > 1 else 1
        self.addresses = _addresses(self.table)

    def _copy(self, count: int) -> None:
        """Give members their own arrays: those in the memory of the block, and those beside it."""
        recipe = self.base._recipe or self.base._make_recipe()
        if self.base._parts:
            moved = _addresses(self._memory) - _address_of(self.base._memory)
            self.table += moved[:, None] * recipe.moving
        for name, value in recipe.owned:
            if name in self._rows or name in self._parts:
                continue
            if isinstance(value, Block):
                self.join(name, [value.copy() for _ in range(count)])
            else:
                self._rows[name] = np.tile(value, (count, 1))

    def join(self, name: str, parts: Many[Any] | list[Any] | Block) -> None:
        """Let the members have parts of their own, or one that they share."""
        slot = self.base.fields[name].slot
        if isinstance(parts, Many):
            self.table[:, slot] = parts.addresses
        else:
            self.table[:, slot] = parts.address if isinstance(parts, Block) else [part.address for part in parts]
        self._parts[name] = parts

    def numbers(self, name: str) -> Floats:
        """Return a number of the members (count,), to be read or written."""
        return self.table.view(np.float64)[:, self.base.fields[name].slot]

    def __getitem__(self, k: int) -> Kind:
        """Return the block of a member, on the same memory."""
        base, made = self.base, object.__new__(type(self.base))
        held = dict((base._recipe or base._make_recipe()).shared if self.own else base._held)
        held |= {name: rows[k] if rows.ndim > 1 else rows[k : k + 1] for name, rows in self._rows.items()}
        held |= {name: part if isinstance(part, Block) else part[k] for name, part in self._parts.items()}
        made._place(self.table[k], held)
        made._memory = self._memory[k] if self.own else self._memory
        made._parts = {name: part for name, part in base._parts.items() if name not in self._rows}
        return made


def _addresses(rows: Any) -> Integers:
    """Return where the rows of an array begin."""
    return np.asarray(rows.ctypes.data + rows.strides[0] * np.arange(len(rows)), dtype=np.int64)
