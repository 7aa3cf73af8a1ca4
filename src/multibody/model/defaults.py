"""The options of the verbs that a model states itself, checked whenever one of them is set."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from typing import Any

from multibody.errors import ModelError
from multibody.model.expressions import Expression
from multibody.model.values import read_number
from multibody.options.option import near_of
from multibody.options.verbs import VERBS, check_together, read_option

__all__ = ["Defaults", "VerbOptions", "formulas_of"]


class VerbOptions(dict[str, Any]):
    """The options of one verb; a name or a value that does not exist is refused where it is set."""

    def __init__(self, verb: str, given: Mapping[str, Any] | None = None, *, alone: bool = False) -> None:
        super().__init__()
        self.verb, self._alone = verb, alone  # alone: options are not judged together
        self.update(given or {})

    def __setitem__(self, key: str, value: Any) -> None:
        """Set an option; None takes it away."""
        self.update({key: value})

    def update(self, *given: Any, **more: Any) -> None:
        """Set several options, or none of them where one is at fault."""
        changed = dict(self)
        for key, value in dict(*given, **more).items():
            changed[key] = _read(self.verb, key, value)
        changed = {key: value for key, value in changed.items() if value is not None}
        if not self._alone:
            check_together(self.verb, changed)
        super().clear()
        super().update(changed)

    def setdefault(self, key: str, default: Any = None) -> Any:
        """Return an option, which is set where it was not."""
        if key not in self:
            self[key] = default
        return self.get(key)

    def __ior__(self, other: Any) -> VerbOptions:  # type: ignore[override, misc]
        """Set several options."""
        self.update(other)
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what a copy is made of."""
        return VerbOptions, (self.verb, dict(self))

    def __deepcopy__(self, memo: dict[int, Any]) -> VerbOptions:
        """Return a copy; what was read once is not read again."""
        made = VerbOptions(self.verb, alone=self._alone)
        dict.update(made, {key: copy.deepcopy(value, memo) for key, value in self.items()})
        return made


class Defaults(dict[str, VerbOptions]):
    """Options by verb: ``model.defaults["run"] = {"until": 5, "rtol": 1e-9}``."""

    def __init__(self, given: Mapping[str, Mapping[str, Any]] | None = None) -> None:
        super().__init__()
        self.update(given or {})

    def __setitem__(self, verb: str, options: Mapping[str, Any]) -> None:
        """Set all options of a verb."""
        if verb not in VERBS:
            raise ModelError(f'unknown verb "{verb}"', where="defaults", hint=near_of(str(verb), VERBS))
        if not isinstance(options, Mapping):
            raise ModelError("it is not a mapping", where=verb, hint=f"write {verb}: {{option: value}}")
        super().__setitem__(verb, VerbOptions(verb, options))

    def of(self, verb: str) -> dict[str, Any]:
        """Return the options of a verb, empty where none are stated."""
        return self.get(verb) or {}

    def update(self, *given: Any, **more: Any) -> None:
        """Set the options of several verbs."""
        for verb, options in dict(*given, **more).items():
            self[verb] = options

    def setdefault(self, verb: str, default: Any = None) -> Any:
        """Return the options of a verb, which are set where they were not."""
        if verb not in self:
            self[verb] = default or {}
        return self[verb]

    def __ior__(self, other: Any) -> Defaults:  # type: ignore[override, misc]
        """Set the options of several verbs."""
        self.update(other)
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what a copy is made of."""
        return Defaults, ({verb: dict(options) for verb, options in self.items()},)

    def __deepcopy__(self, memo: dict[int, Any]) -> Defaults:
        """Return a copy; what was read once is not read again."""
        made = Defaults()
        dict.update(made, {verb: copy.deepcopy(options, memo) for verb, options in self.items()})
        return made


def _read(verb: str, key: str, value: Any) -> Any:
    """Return an option as a file has it; formulas are parsed here, their names are checked with the model."""
    if value is None and key in VERBS[verb]:
        return None
    value = value.tolist() if hasattr(value, "tolist") else value
    value = str(value) if isinstance(value, Expression) else value
    if isinstance(value, tuple | list):
        value = [str(item) if isinstance(item, Expression) and item.op != "name" else item for item in value]
    value = read_option(verb, key, value)
    for place, text in formulas_of(verb, key, value):
        read_number(text, place)
    return value


def formulas_of(verb: str, key: str, value: Any) -> Iterator[tuple[str, str]]:
    """Yield the place and the text of every formula of an option."""
    kind = VERBS[verb][key].kind
    if kind == "number" and isinstance(value, str):
        yield f"{verb}.{key}", value
    for method in _methods(kind, value):
        for name, options in method.items():
            for option, item in (options or {}).items():
                if isinstance(item, str) and _is_number(kind, name, option):
                    yield f"{verb}.{key}.{name}.{option}", item


def _methods(kind: str, value: Any) -> list[Mapping[str, Any]]:
    """Return the formulations or integrators of an option that are written with options of their own."""
    if kind not in ("formulation", "integrator", "formulations", "integrators"):
        return []
    return [item for item in (value if isinstance(value, list) else [value]) if isinstance(item, Mapping)]


def _is_number(kind: str, method: str, option: str) -> bool:
    """Return whether an option of a formulation or integrator is a number."""
    from multibody.options.methods import GROUPS

    return GROUPS[kind.removesuffix("s")][method][option].kind == "number"
