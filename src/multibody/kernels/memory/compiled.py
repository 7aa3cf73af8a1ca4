"""How numba reads named memory: a block or record is a pointer, a field one load, an array its address and length.

Types carry the declaration (:mod:`~multibody.kernels.memory.declaration`). Loads from what is declared read-only, and of
addresses and lengths, are marked as invariant: LLVM may keep what it has read.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.core import cgutils, imputils
from numba.core.datamodel import models, register_default
from numba.core.typing import signature
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, infer_getattr, infer_global
from numba.extending import intrinsic
from numba.np import arrayobj

from multibody import kernels
from multibody.kernels.memory.declaration import LIVING, SLOT, Block, Field, Record

_BYTE, _WORD = ir.IntType(8), ir.IntType(64)
_KINDS = {int: types.int64, float: types.float64}
MAKERS: dict[Any, type[Block]] = {}  # what makes a block from its address, and of which declaration


class Place(types.Type):  # type: ignore[misc]
    """Pointer to a block or a record: ``declared`` says what lies there, ``known`` which fields have which values."""

    def __init__(self, declared: type, readonly: bool, known: Mapping[str, int] = MappingProxyType({})) -> None:
        self.declared, self.readonly, self.known = declared, readonly, known
        version = "".join(f"[{name}={value}]" for name, value in known.items())
        super().__init__(name=f"{declared.__module__}.{declared.__qualname__}{version}{'' if readonly else '*'}")

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what makes the type again."""
        return Place, (self.declared, self.readonly, dict(self.known))


class Places(types.Type):  # type: ignore[misc]
    """Records one behind the other: ``[k]`` is one of them, ``.size`` their number."""

    def __init__(self, declared: type[Record], readonly: bool) -> None:
        self.item = Place(declared, readonly)
        super().__init__(name=f"[{self.item.name}]")


@register_default(Place)
class _PlaceModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _BYTE.as_pointer())


@register_default(Places)
class _PlacesModel(models.StructModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, [("data", types.voidptr), ("size", types.int64)])


def _type_of(field: Field, readonly: bool) -> Any:
    """Return the numba type of a field."""
    if field.array and isinstance(field.kind, type) and issubclass(field.kind, Record):
        return Places(field.kind, readonly)
    if field.kind in _KINDS:
        kind = _KINDS[field.kind]
        return types.Array(kind, 1, "C", readonly=readonly) if field.array or field.width > 1 else kind
    return Place(field.kind, field.kind.readonly)


@infer_getattr
class _PlaceAttributes(AttributeTemplate):  # type: ignore[misc]
    key = Place

    def generic_resolve(self, kind: Any, name: str) -> Any:
        field = kind.declared.fields.get(name)
        return None if field is None else _type_of(field, kind.readonly)


@infer_getattr
class _PlacesAttributes(AttributeTemplate):  # type: ignore[misc]
    key = Places

    def generic_resolve(self, kind: Any, name: str) -> Any:
        return types.int64 if name == "size" else None


@infer_global(operator.getitem)
class _Item(AbstractTemplate):  # type: ignore[misc]
    def generic(self, given: Any, named: Any) -> Any:
        if isinstance(given[0], Places) and isinstance(given[1], types.Integer):
            return signature(given[0].item, given[0], types.intp)
        return None


@imputils.lower_builtin(operator.getitem, Places, types.Integer)
def _item(context: Any, builder: Any, called: Any, arguments: Any) -> Any:
    kind = called.args[0]
    whole = cgutils.create_struct_proxy(kind)(context, builder, value=arguments[0])
    stride = ir.Constant(_WORD, SLOT * kind.item.declared.size)
    if kernels.CHECKED:
        cgutils.do_boundscheck(context, builder, arguments[1], whole.size, 0)
    return builder.gep(whole.data, [builder.mul(arguments[1], stride)])


def _at(builder: Any, pointer: Any, slot: int, kind: Any) -> Any:
    """Return a pointer to a slot."""
    place = builder.gep(pointer, [ir.Constant(_WORD, SLOT * slot)])
    return builder.bitcast(place, kind.as_pointer())


def _load(builder: Any, pointer: Any, slot: int, kind: Any, invariant: bool) -> Any:
    """Return what lies in a slot."""
    value = builder.load(_at(builder, pointer, slot, kind), align=SLOT)
    if invariant:
        value.set_metadata("invariant.load", builder.module.add_metadata([]))
    return value


@imputils.lower_getattr_generic(Place)
def _read(context: Any, builder: Any, kind: Any, value: Any, name: str) -> Any:
    field = kind.declared.fields[name]
    found = _type_of(field, kind.readonly)
    if name in kind.known:
        return context.get_constant(found, kind.known[name])
    if isinstance(found, Place):
        return builder.inttoptr(_load(builder, value, field.slot, _WORD, True), _BYTE.as_pointer())
    if isinstance(found, Places):
        places = cgutils.create_struct_proxy(found)(context, builder)
        places.data = builder.inttoptr(_load(builder, value, field.slot, _WORD, True), _BYTE.as_pointer())
        places.size = _load(builder, value, field.slot + 1, _WORD, True)
        return places._getvalue()
    if not isinstance(found, types.Array):
        return _load(builder, value, field.slot, context.get_value_type(found), kind.readonly)
    if field.array:
        address, length = (_load(builder, value, field.slot + k, _WORD, True) for k in range(2))
        data = None
    else:  # a vector inside a record
        address, length = None, ir.Constant(_WORD, field.width)
        data = builder.gep(value, [ir.Constant(_WORD, SLOT * field.slot)])
    array = arrayobj.make_array(found)(context, builder)
    pointer = builder.inttoptr(address, array.data.type) if data is None else builder.bitcast(data, array.data.type)
    item = ir.Constant(_WORD, SLOT)
    arrayobj.populate_array(array, data=pointer, shape=[length], strides=[item], itemsize=item, meminfo=None)
    return imputils.impl_ret_borrowed(context, builder, found, array._getvalue())


@imputils.lower_getattr(Places, "size")
def _size(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    return cgutils.create_struct_proxy(kind)(context, builder, value=value).size


@imputils.lower_setattr_generic(Place)
def _write(context: Any, builder: Any, called: Any, arguments: Any, name: str) -> None:
    kind, given = called.args
    field = kind.declared.fields[name]
    found = _type_of(field, kind.readonly)
    if kind.readonly or found not in _KINDS.values():
        raise TypeError(f"{kind.name}.{name} cannot be assigned to")
    value = context.cast(builder, arguments[1], given, found)
    builder.store(value, _at(builder, arguments[0], field.slot, value.type))


def at(declared: type[Block]) -> Any:
    """Return what makes the block of a declaration from its address inside a kernel; a block stays what it is."""
    if config.DISABLE_JIT:  # kernels as plain Python
        return lambda given: given if isinstance(given, Block) else LIVING[int(given)]

    @intrinsic
    def placed(typing_context: Any, given: Any) -> Any:
        place = place_at(declared, given)
        if place is None:
            return None

        def generate(context: Any, builder: Any, called: Any, arguments: Any) -> Any:
            if called.args[0] == place:
                return arguments[0]
            return builder.inttoptr(arguments[0], _BYTE.as_pointer())

        return place(given if given == place else address_type(given.signed)), generate

    MAKERS[placed] = declared
    return placed


def address_type(first: bool) -> Any:
    """Return the type of the address of a block in its first or its second version."""
    return types.int64 if first else types.uint64


def place_at(declared: type[Block], given: Any) -> Place | None:
    """Return the type of a block from that of its address, or of itself; None where it is neither."""
    if isinstance(given, Place):
        return given if given.declared is declared else None
    if not isinstance(given, types.Integer):
        return None
    known = declared.versions[0 if given.signed else -1] if declared.versions else {}
    return Place(declared, declared.readonly, known)


def within(declared: type[Record]) -> Any:
    """Return what makes the record that begins at place k of an array of numbers: ``planar_numbers(model.numbers, k)``."""
    if config.DISABLE_JIT:
        return lambda array, k: array[k : k + declared.size].view(declared.dtype).view(np.recarray)[0]

    @intrinsic
    def placed(typing_context: Any, array: Any, k: Any) -> Any:
        if not isinstance(array, types.Array):
            return None
        place = Place(declared, not array.mutable)

        def generate(context: Any, builder: Any, called: Any, arguments: Any) -> Any:
            whole = arrayobj.make_array(called.args[0])(context, builder, value=arguments[0])
            if kernels.CHECKED:
                last = builder.add(arguments[1], ir.Constant(_WORD, declared.size - 1))
                cgutils.do_boundscheck(context, builder, last, whole.nitems, 0)
            return builder.bitcast(builder.gep(whole.data, [arguments[1]]), _BYTE.as_pointer())

        return place(array, types.int64), generate

    return placed


def _table() -> Any:
    """Return what views the m×n numbers that lie in an array by rows; ``reshape`` tests so much that it costs 15 ns."""
    if config.DISABLE_JIT:
        return lambda array, m, n: array[: m * n].reshape(m, n)

    @intrinsic
    def viewed(typing_context: Any, array: Any, m: Any, n: Any) -> Any:
        if not isinstance(array, types.Array) or array.layout != "C":
            return None
        kind = types.Array(array.dtype, 2, "C", readonly=not array.mutable)

        def generate(context: Any, builder: Any, called: Any, arguments: Any) -> Any:
            whole = arrayobj.make_array(called.args[0])(context, builder, value=arguments[0])
            view, item, (rows, size) = arrayobj.make_array(kind)(context, builder), ir.Constant(_WORD, SLOT), arguments[1:]
            if kernels.CHECKED:
                behind = builder.add(whole.nitems, ir.Constant(_WORD, 1))
                cgutils.do_boundscheck(context, builder, builder.mul(rows, size), behind, 0)
            strides = [builder.mul(size, item), item]
            arrayobj.populate_array(view, data=whole.data, shape=[rows, size], strides=strides, itemsize=item, meminfo=None)
            return imputils.impl_ret_borrowed(context, builder, kind, view._getvalue())

        return kind(array, types.int64, types.int64), generate

    return viewed


def _split() -> Any:
    """Return what views the parts of an array that lie one behind the other; lengths and views are named tuples."""
    if config.DISABLE_JIT:
        return lambda array, lengths: lengths._make(np.split(array, np.cumsum(lengths))[:-1])

    @intrinsic
    def viewed(typing_context: Any, array: Any, lengths: Any) -> Any:
        if not isinstance(array, types.Array) or array.layout != "C" or not isinstance(lengths, types.BaseNamedTuple):
            return None
        part = types.Array(array.dtype, 1, "C", readonly=not array.mutable)
        kind = types.NamedUniTuple(part, lengths.count, lengths.instance_class)

        def generate(context: Any, builder: Any, called: Any, arguments: Any) -> Any:
            whole, item = arrayobj.make_array(called.args[0])(context, builder, value=arguments[0]), ir.Constant(_WORD, SLOT)
            at, views = ir.Constant(_WORD, 0), []
            for k in range(lengths.count):
                view, length = arrayobj.make_array(part)(context, builder), builder.extract_value(arguments[1], k)
                data = builder.gep(whole.data, [at])
                arrayobj.populate_array(view, data=data, shape=[length], strides=[item], itemsize=item, meminfo=None)
                views.append(view._getvalue())
                at = builder.add(at, length)
            if kernels.CHECKED:
                cgutils.do_boundscheck(context, builder, at, builder.add(whole.nitems, ir.Constant(_WORD, 1)), 0)
            return context.make_tuple(builder, kind, views)

        return kind(array, lengths), generate

    return viewed


table = _table()  # ``table(square.ends, 2, n)[r, c]``
split = _split()  # ``split(work, Work(x=n, r=m)).r[k]``
