"""Items of a model that never change once they are made: what holds a number of them can trust it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn, TypeVar

from multibody.arguments import ModelAttributeError
from multibody.errors import ModelError

T = TypeVar("T")
INSTEAD = "make it a parameter and use model.set(...), or put a new one in its place: model.%s[%r] = dataclasses.replace(...)"


class ReadOnly(dict[str, Any]):
    """A dictionary that is only read, such as the frames of a body; `where` says whose it is."""

    def __init__(self, items: Mapping[str, Any] | None = None, where: str = "") -> None:
        super().__init__(items or {})
        self.where = where

    def _refuse(self, *args: Any, **given: Any) -> NoReturn:
        section, _, name = self.where.partition(".")
        hint = INSTEAD % (section, name) if name else "make a new one"
        raise ModelError("it cannot be changed in place", where=self.where, hint=hint)

    __setitem__ = __delitem__ = __ior__ = update = setdefault = pop = popitem = clear = _refuse

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(self))  # as nothing changes any more; a joint may be the key of a dictionary

    def __copy__(self) -> ReadOnly:
        return self

    def __reduce__(self) -> tuple[type[ReadOnly], tuple[dict[str, Any], str]]:
        return ReadOnly, (dict(self), self.where)


def fixed(section: str) -> Any:
    """Return a decorator of frozen data classes: an assignment is answered in words, with what to do instead.

    Parameters
    ----------
    section : str
        Collection of the model that holds such items: ``bodies``, ``joints``, ``forces``.
    """

    def decorate(cls: type[T]) -> type[T]:
        def refuse(self: Any, attribute: str, *value: object) -> NoReturn:
            hint = INSTEAD % (section, self.name)
            raise ModelAttributeError(f'"{attribute}" cannot be assigned', where=f"{section}.{self.name}", hint=hint)

        cls.__setattr__ = cls.__delattr__ = refuse  # type: ignore[method-assign]
        return cls

    return decorate
