"""Questions to Python from inside a kernel, for what no kernel does itself: the sparse factors of another library.

A question is a number and so is its answer; what they are about lies in a block that both sides see. The kernel knows nothing
but an address, as with :mod:`~multibody.kernels.calls`, and holds the interpreter's lock all the time.

No exception can pass through compiled code. One that comes up is kept, the kernel is told by :data:`FAILED` that it had better
return, and then it is raised.
"""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Callable, Generator, Iterator

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

FAILED = -1  # the answer of a function that has raised, now or before
_ENTRY = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)
_WORD = ir.IntType(64)


@intrinsic
def ask(typing_context, address, question):
    """Return the answer of the Python function at an address."""

    def generate(context, builder, signature, arguments):
        pointer = builder.inttoptr(arguments[0], ir.FunctionType(_WORD, [_WORD]).as_pointer())
        return builder.call(pointer, [arguments[1]])

    return types.int64(types.int64, types.int64), generate


@contextlib.contextmanager
def listening(answer: Callable[[int], int]) -> Iterator[int]:
    """Give a function an address while a kernel runs; raise what it has raised when the kernel is back.

    Parameters
    ----------
    answer : callable
        Takes the question, returns the answer.

    Yields
    ------
    int
        The address, good within only.
    """
    raised: list[BaseException] = []
    answering = _answering(answer, raised)
    next(answering)
    entry = _ENTRY(answering.send)
    yield int(ctypes.cast(entry, ctypes.c_void_p).value or 0)
    if raised:
        raise raised[0]


def _answering(answer: Callable[[int], int], raised: list[BaseException]) -> Generator[int, int, None]:
    """Answer every question that is sent, FAILED from the first exception on.

    An interrupt that arrives while a kernel computes is raised by the first Python instruction after it. Of a function that
    would be its entry, which no ``try`` inside can enclose; a generator goes on where it stands, and that is within one.
    """
    reply = 0
    while True:
        try:
            while True:
                question = yield reply
                reply = FAILED if raised else answer(question)
        except GeneratorExit:
            return
        except BaseException as error:
            raised.append(error)
            reply = FAILED
