"""Objects made of kernels, which other kernels ask: what a formulation is written over is known when it is compiled.

A class of such objects is a frozen dataclass that derives from :class:`KernelObject`; its fields are kernels and numbers. A
kernel takes one as an argument and calls ``space.factor(model, state, scratch)``. Which function that is numba knows from the
type of the object, and numbers are constants, so that nothing is tested when the kernel runs, and no version contains another.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from numba.core import types
from numba.core.imputils import lower_constant, lower_getattr_generic
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.core.typing.typeof import typeof
from numba.extending import models, register_model, typeof_impl

Kernel = Callable[..., Any]


@dataclass(frozen=True, eq=False)
class KernelObject:
    """What kernels ask; subclasses say what for.

    Attributes
    ----------
    name : str
        Its own among the objects of its class: numba knows it by that.
    """

    name: str


class ObjectType(types.Type):
    """The type of an object inside kernels: it has no value, all of it is known when a kernel is compiled."""

    def __init__(self, made: KernelObject) -> None:
        self.made = made
        super().__init__(f"{type(made).__name__}({made.name})")


register_model(ObjectType)(models.OpaqueModel)


@typeof_impl.register(KernelObject)
def _type_of(made: KernelObject, context: Any) -> ObjectType:
    return ObjectType(made)


@lower_constant(ObjectType)
def _constant(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    return context.get_dummy_value()


@infer_getattr
class _Fields(AttributeTemplate):  # type: ignore[misc]
    """The functions and numbers of an object."""

    key = ObjectType

    def generic_resolve(self, kind: Any, name: str) -> Any:
        """Return the type of a function or a number."""
        return typeof(getattr(kind.made, name))


@lower_getattr_generic(ObjectType)
def _field(context: Any, builder: Any, kind: Any, value: Any, name: str) -> Any:
    made = getattr(kind.made, name)
    return context.get_constant(typeof(made), made) if isinstance(made, (int, float)) else context.get_dummy_value()
