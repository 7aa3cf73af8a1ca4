"""Calls that do not fit a signature, answered in words; and warnings that point at the caller's own line.

Signatures stay real ones, so that editors complete and type checkers see typos. Nothing is looked at while a call fits: only
where Python refuses the arguments is its ``TypeError`` replaced by a :class:`ModelError` that names the argument meant.
"""

from __future__ import annotations

import functools
import inspect
import itertools
import math
import numbers
import sys
import types
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn, ParamSpec, TypeVar

from multibody.errors import ModelError, nearest

P = ParamSpec("P")
T = TypeVar("T")
PACKAGE = __name__.partition(".")[0]


class ModelAttributeError(ModelError, AttributeError):
    """A name that an object does not have, or that cannot be assigned; an ``AttributeError`` too, as ``hasattr`` needs it."""


def in_words(function: Callable[P, T], section: str = "") -> Callable[P, T]:
    """Return the function with arguments that do not fit answered in words.

    Parameters
    ----------
    function : callable
        With a real signature.
    section : str
        Section of a model to which it adds what its argument `name` says: the place of the fault is then ``joint "A"``.
    """

    @functools.wraps(function)
    def call(*args: P.args, **given: P.kwargs) -> T:
        try:
            return function(*args, **given)
        except TypeError:
            fault = misfit(function, args, given, section)
            if fault is None:
                raise
            raise fault from None

    return call


ABSENT: Any = object()  # an argument that was not given, in a quick entrance


def quick(entrance: Callable[[Callable[..., Any]], Callable[..., Any]]) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Return a decorator that puts a quick entrance before a function; wrong arguments are answered in words all the same.

    A wrapper around every call would cost as much as the calls that need this. The entrance takes any arguments
    (``q=ABSENT, *more, **unknown``), returns what it can, and leaves everything else to the function by :func:`slowly`.

    Parameters
    ----------
    entrance : callable
        Makes the entrance from the function.
    """

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        return functools.wraps(function)(entrance(in_words(function)))

    return decorate


def slowly(
    function: Callable[..., T], owner: object, given: dict[str, Any], more: Sequence[Any], unknown: Mapping[str, Any]
) -> T:
    """Call what stands behind a quick entrance with the arguments as they came."""
    if more:
        return function(owner, *given.values(), *more, **unknown)
    return function(owner, **{key: value for key, value in given.items() if value is not ABSENT}, **unknown)


def spread(forms: Any) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Return a decorator that shows the keys of a ``**name: Unpack[forms]`` as arguments of their own.

    Type checkers know them already; this is for ``help``, ``inspect.signature`` and editors that complete by it. The order in
    which such arguments are given is kept, which arguments written out one by one would lose.

    Parameters
    ----------
    forms : TypedDict
    """

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        signature = inspect.signature(function)
        own = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
        more = [
            inspect.Parameter(key, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind)
            for key, kind in ((key, getattr(kind, "__forward_arg__", kind)) for key, kind in forms.__annotations__.items())
        ]
        function.__signature__ = signature.replace(parameters=own + more)  # type: ignore[attr-defined]
        return function

    return decorate


def answered(cls: type[T]) -> type[T]:
    """Return a class whose constructor and public methods answer wrong arguments in words.

    Its ``_section`` is theirs; methods in ``_bare``, which are called a million times a second, are left as they are.
    """
    section, bare = vars(cls).get("_section", ""), vars(cls).get("_bare", ())
    for name, member in list(vars(cls).items()):
        if name not in bare and isinstance(member, types.FunctionType) and (name == "__init__" or not name.startswith("_")):
            setattr(cls, name, in_words(member, section))
    return cls


def misfit(
    function: Callable[..., Any], args: Sequence[Any], given: Mapping[str, Any], section: str = ""
) -> ModelError | None:
    """Return what is wrong with the arguments of a call, None if they fit."""
    signature = inspect.signature(function)
    try:
        signature.bind(*args, **given)
    except TypeError:
        pass
    else:
        return None
    parameters = dict(signature.parameters)
    name = function.__name__
    if next(iter(parameters), "") == "self":
        parameters.pop("self")
        owner, args = type(args[0]).__name__, args[1:]
        name = owner if name == "__init__" else name
    where = _place(name, parameters, args, given, section)
    return (
        _unknown(name, parameters, given, where)
        or _too_many(name, parameters, args, where)
        or _twice(parameters, args, given, where)
        or _missing(name, parameters, args, given, where, inspect.getdoc(function) or "")
    )


def _place(name: str, parameters: Mapping[str, Any], args: Sequence[Any], given: Mapping[str, Any], section: str) -> str:
    """Return the call, with the name of what it would have made."""
    made = given.get("name", args[0] if args and next(iter(parameters), "") == "name" else None)
    if not isinstance(made, str) or not made.isidentifier():
        return name
    return f"{section}.{made}" if section else f'{name} "{made}"'


def _unknown(name: str, parameters: Mapping[str, Any], given: Mapping[str, Any], where: str) -> ModelError | None:
    if any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        return None
    for key in given:
        if key not in parameters:
            near = nearest(key, parameters)
            hint = f"{near} Write {_call(name, parameters)}" if near else f"write {_call(name, parameters)}"
            return ModelError(f'unknown field "{key}"', where=where, hint=hint)
    return None


def _too_many(name: str, parameters: Mapping[str, Any], args: Sequence[Any], where: str) -> ModelError | None:
    if any(p.kind is p.VAR_POSITIONAL for p in parameters.values()):
        return None
    placed = [key for key, p in parameters.items() if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if len(args) <= len(placed):
        return None
    named = [key for key, p in parameters.items() if p.kind is p.KEYWORD_ONLY]
    count = f"{len(args)} arguments without a name are too many"
    if named:
        return ModelError(count, where=where, hint=f"say what it is: {named[0]}={short(args[len(placed)])}")
    return ModelError(count, where=where, hint=f"write {_call(name, parameters)}")


def _twice(parameters: Mapping[str, Any], args: Sequence[Any], given: Mapping[str, Any], where: str) -> ModelError | None:
    for key, value in zip(parameters, args, strict=False):
        if key in given:
            hint = f"once as {short(value)} by its place, once as {short(given[key])} by its name"
            return ModelError(f'"{key}" is given twice', where=where, hint=hint)
    return None


def _missing(
    name: str, parameters: Mapping[str, Any], args: Sequence[Any], given: Mapping[str, Any], where: str, doc: str
) -> ModelError | None:
    absent = [
        key for place, (key, p) in enumerate(parameters.items())
        if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD) and key not in given
        and not (place < len(args) and p.kind is not p.KEYWORD_ONLY)
    ]  # fmt: skip
    if not absent:
        return None
    listed = " and ".join(part for part in (", ".join(f'"{key}"' for key in absent[:-1]), f'"{absent[-1]}"') if part)
    problem = f"{listed} {'is' if len(absent) == 1 else 'are'} missing"
    said = _explained(absent[0], doc) if len(absent) == 1 else ""
    written = f"write {_call(name, parameters)}"
    return ModelError(problem, where=where, hint=f"{said}; {written}" if said else written)


def _explained(key: str, doc: str) -> str:
    """Return what the NumPy docstring says of an argument, in one line."""
    _, found, rest = f"\n{doc}".partition(f"\n{key} : ")
    lines = rest.split("\n")[1:] if found else []
    text = " ".join(line.strip() for line in itertools.takewhile(lambda line: line.startswith("    "), lines)).rstrip(".")
    return text[:1].lower() + text[1:] if len(text) <= 100 else ""


def _call(name: str, parameters: Mapping[str, Any]) -> str:
    """Return a call as one writes it: what must be given, then what may be."""
    parts = []
    for key, p in parameters.items():
        star = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        if p.default is p.empty:
            parts.append(f"{star}{key}" if p.kind is not p.KEYWORD_ONLY else f"{key}=…")
    extra = [key for key, p in parameters.items() if p.default is not p.empty]
    may = f", which may have {', '.join(extra)}" if extra else ""
    return f"{name}({', '.join(parts)}){may}"


def number_in(value: Any) -> float:
    """Return a number as Python's own, NaN where it is none; NumPy's numbers are some, truth values are not.

    Parameters
    ----------
    value : object
    """
    if not isinstance(value, numbers.Real) or isinstance(value, bool):
        return math.nan
    try:
        return float(value)
    except OverflowError:  # an integer of more than 308 digits
        return math.inf if value > 0 else -math.inf  # type: ignore[operator]


def truth(value: Any, key: str, where: str) -> bool:
    """Return a truth value; text and numbers are none, lest ``"no"`` be taken for yes.

    Parameters
    ----------
    value : object
    key, where : str
        What it is called, and by whom it was asked for.
    """
    if type(value).__name__ in ("bool", "bool_"):  # NumPy's too, without NumPy
        return bool(value)
    raise ModelError(f"{key} is {short(value)}", where=where, hint="give True or False")


def short(value: object) -> str:
    """Return a value as text, cut to a readable length."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "…"


def no_attribute(owner: str, attribute: str, known: Sequence[str], where: str = "") -> NoReturn:
    """Raise for a name that an object does not have, with the near one; private ones get Python's own short answer."""
    if attribute.startswith("_"):
        raise AttributeError(f"{owner} has no attribute {attribute!r}")
    near = nearest(attribute, known)
    listed = "" if near or not known else f"it has {', '.join(known)}"
    raise ModelAttributeError(f'{owner} has no "{attribute}"', where=where, hint=near or listed)


def warn(message: str, category: type[Warning] = RuntimeWarning) -> None:
    """Warn with the first line outside of the package as the place."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == PACKAGE:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
