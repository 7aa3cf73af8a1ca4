"""Calls through an address: one compiled integrator serves every formulation, and neither compiles the other.

Everything an integrator asks of a formulation has one signature, ``evaluate(model, state, scratch, t, y, out) -> status`` with
the addresses of the three blocks of a run: the right-hand side (out = ẏ), the acceptance of a step (out = which components the
error test counts) and the monitored expressions (out = their values). An address costs a call from Python less than a
microsecond; passing the function itself costs sixty.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any

import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from multibody import kernels
from multibody.errors import ModelError
from multibody.kernels.memory.compiled import address_type
from multibody.kernels.memory.declaration import Block

_FLOATS = types.float64[::1]
_RUN = (types.int64,) * 3
_ARGUMENTS = (*_RUN, types.float64, _FLOATS, _FLOATS)
_BY_DIMENSION = [(address_type(first), *_ARGUMENTS[1:]) for first in (True, False)]
EVALUATE = tuple(types.int64(*arguments) for arguments in _BY_DIMENSION)  # for models in space, for planar ones
INTERPOLATE = types.none(types.float64[:, ::1], *(types.float64,) * 3, _FLOATS)
_ADDRESSES: dict[tuple[Any, int], int] = {}  # of kernels with one of these signatures
_ROOMS = ("multibody.kernels", "multibody.formulations")  # in which functions with addresses live


@intrinsic
def call(typing_context, address, run, t, y, out):
    """Call the evaluate function at an address with run = (model, state, scratch), blocks or their addresses."""

    def generate(context, builder, signature, arguments):
        blocks = [builder.extract_value(arguments[1], k) for k in range(len(_RUN))]
        blocks = [x if isinstance(x.type, ir.IntType) else builder.ptrtoint(x, ir.IntType(64)) for x in blocks]
        return _enter(context, builder, arguments[0], EVALUATE[0], [*blocks, *arguments[2:]])

    return types.int64(types.int64, run, *_ARGUMENTS[3:]), generate


@intrinsic
def call_interpolant(typing_context, address, row, t0, h, t, out):
    """Call the function at an address that reads the dense output of one step: ``interpolate(row, t0, h, t, out)``."""

    def generate(context, builder, signature, arguments):
        return _enter(context, builder, arguments[0], INTERPOLATE, list(arguments[1:]))

    return INTERPOLATE.return_type(types.int64, *INTERPOLATE.args), generate


def entering(signature: Any) -> Any:
    """Return what calls a function with a signature, ``enter(address, arguments)``, from inside a kernel."""

    @intrinsic
    def enter(typing_context, address, arguments):
        def generate(context, builder, called, given):
            parts = [builder.extract_value(given[1], k) for k in range(len(signature.args))]
            return _enter(context, builder, given[0], signature, parts)

        return signature.return_type(types.int64, types.Tuple(signature.args)), generate

    return enter


def _enter(context: Any, builder: Any, address: Any, signature: Any, given: list[Any]) -> Any:
    """Return what the function at an address answers."""
    kind = context.call_conv.get_function_type(signature.return_type, signature.args)
    pointer = builder.inttoptr(address, kind.as_pointer())
    status, answer = context.call_conv.call_function(builder, pointer, signature.return_type, signature.args, given)
    if kernels.CHECKED:  # kernels raise nothing else
        with cgutils.if_unlikely(builder, status.is_error):
            context.call_conv.return_status_propagate(builder, status)
    return answer


def address_of(function: Any, planar: bool) -> int:
    """Return the address of a kernel with the signature of ``evaluate``, compiled now if it is new.

    Parameters
    ----------
    function : dispatcher
        The kernel must stay alive as long as its address is used; module-level functions do.
    planar : bool
        Whether the models that it will be called with are planar: it is compiled for them alone.
    """
    return address_with(function, EVALUATE[planar])


def address_with(function: Any, signature: Any) -> int:
    """Return the address of a kernel with a signature, compiled now if it is new."""
    key = function, id(signature)  # a signature takes long to hash
    if key not in _ADDRESSES:
        if not isinstance(function, numba.core.dispatcher.Dispatcher):
            raise TypeError("only a compiled kernel has an address")
        function.compile(signature.args)
        result = function.get_compile_result(signature)
        address = result.library.get_pointer_to_function(result.fndesc.llvm_func_name)
        _ADDRESSES[key] = int(address)
    return _ADDRESSES[key]


class Calls(Block):
    """A table of entry points: every field is the address of a kernel, 0 where there is none.

    An address is good in one process only. A table that is pickled is written with the names of its functions, which are
    looked up again, and compiled if need be, where it is read.
    """

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what makes it again, in this process or another."""
        given = {name: address for name, address in self.contents().items() if address != 0}
        known = functions_by_address() if given else {}
        if any(address not in known for address in given.values()):  # it would be called there, whatever lies at that place
            hint = "save its data, or send the model and run it there"
            raise ModelError("a compiled function of this result has no name to travel by", hint=hint)
        return _called_again, (type(self), {name: known[address] for name, address in given.items()})


def functions_by_address() -> dict[int, tuple[str, str, bool]]:
    """Return module and name of every function that has an address in this process, and whether it is for planar models."""
    found = {}
    for module_name, module in list(sys.modules.items()):
        if module is None or not module_name.startswith(_ROOMS):
            continue
        for name, member in vars(module).items():
            for planar, signature in enumerate(EVALUATE):
                compiled = getattr(member, "overloads", {}).get(signature.args)
                if compiled is not None and isinstance(compiled.signature.return_type, types.Integer):  # a literal 0 too
                    found[address_of(member, bool(planar))] = (module_name, name, bool(planar))
    return found


def _called_again(kind: type[Calls], names: dict[str, tuple[str, str, bool]]) -> Calls:
    """Return a table with the addresses of this process."""
    functions = {field: (getattr(importlib.import_module(module), name), p) for field, (module, name, p) in names.items()}
    return kind(**{field: address_of(*function) for field, function in functions.items()})
