"""The list of library models, filled by the decorator `example` when their modules are imported."""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from multibody.errors import ModelError, nearest
from multibody.library.recipe_files import recipe, recipes
from multibody.model.expressions import as_number, fold

if TYPE_CHECKING:
    from multibody import Model

_MODULES = (
    "shabana", "gears", "cams", "spatial", "parallel", "classic", "kane", "engine", "robots", "velocity_transformation",
    "iftomm", "suspension",
)  # fmt: skip
_EXAMPLES: dict[str, Callable[..., Model]] = {}


def example(name: str) -> Callable[[Callable[..., Model]], Callable[..., Model]]:
    """Register a function that builds a model under a name of the library.

    Parameters
    ----------
    name : str
        The name, in words joined by hyphens.

    Returns
    -------
    callable
        A decorator. The function that it returns takes keywords only: the arguments of `build`, and any further
        parameter that the model declares. It names those that there are when it is given another one.
    """

    def register(build: Callable[..., Model]) -> Callable[..., Model]:
        own = list(inspect.signature(build).parameters)

        @functools.wraps(build)
        def checked(**parameters: Any) -> Model:
            try:
                model = build(**{key: value for key, value in parameters.items() if key in own})
            except TypeError as error:  # a word where a number is meant
                raise ModelError(str(error), where=name, hint="check the parameters given") from None
            rest = {key: value for key, value in parameters.items() if key not in own}
            for key in rest:
                if key not in model.parameters:
                    hint = _choices(key, list(dict.fromkeys([*own, *model.parameters])), "it has")
                    raise ModelError(f'there is no parameter "{key}"', where=name, hint=hint)
            return model.set(**rest) if rest else model

        if name in _EXAMPLES:
            raise ValueError(f"the library has two models {name!r}")
        _EXAMPLES[name] = checked
        return checked

    return register


def names() -> list[str]:
    """Return the names of all library models, sorted."""
    return sorted(_examples())


def find(name: str) -> Callable[..., Model]:
    """Return the function that builds a library model or the model of a recipe.

    Parameters
    ----------
    name : str
        One of `names()` or `recipes()`.

    Returns
    -------
    callable
        Its keyword arguments are the parameters of the model; all have defaults.

    Raises
    ------
    ModelError
        If there is no such model; it says which name is near and lists them all.
    """
    examples = _examples()
    if name in examples:
        return examples[name]
    if name in recipes():
        return recipe(name)
    raise ModelError(f'the library has no model "{name}"', hint=_choices(name, sorted([*examples, *recipes()]), "it has"))


def describe(name: str) -> str:
    """Return the line that says what a library model or a recipe is."""
    text = inspect.getdoc(find(name)) or ""
    return text.split("\n", 1)[0]


def _examples() -> dict[str, Callable[..., Model]]:
    """Return the registered models after importing the modules that hold them."""
    for module in _MODULES:
        importlib.import_module(f"multibody.library.{module}")
    return _EXAMPLES


def whole(value: Any, key: str, model: str, least: int = 1) -> int:
    """Return a count as an integer, or say what it should be.

    Parameters
    ----------
    value : int, float or str
        What was given.
    key, model : str
        Names of the parameter and of the library model, for the message.
    least : int
        The smallest count that makes sense.
    """
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = float("nan")
    if not number.is_integer() or number < least:
        raise ModelError(f"{key} = {value} is no count", where=model, hint=f"give a whole number from {least} on")
    return int(number)


def word(value: Any, key: str, model: str, choices: Iterable[str]) -> str:
    """Return one of the words that a parameter takes, or say which there are.

    Parameters
    ----------
    value : object
        What was given; numbers are read as text, so that ``case=1`` is the case ``"1"``.
    key, model : str
        Names of the parameter and of the library model, for the message.
    choices : iterable of str
        The words.
    """
    known = list(choices)
    text = str(value)
    if text not in known:
        hint = _choices(text, known, "it is one of")
        raise ModelError(f'{key} has no choice "{text}"', where=model, hint=hint)
    return text


def flag(value: Any, key: str, model: str) -> bool:
    """Return a choice between true and false, which may come as text.

    Parameters
    ----------
    value : bool or str
        What was given.
    key, model : str
        Names of the parameter and of the library model, for the message.
    """
    return word(str(value).lower(), key, model, ("true", "false")) == "true"


def period(model: Model, amount: Any, rate: Any = 1.0) -> None:
    """Let kinematics last |amount / rate| by default.

    Parameters
    ----------
    model : Model
        The model whose default is set. It is left as it is where the numbers are formulas of other parameters, or zero.
    amount, rate : number or formula
        A revolution and a speed, or a time alone.
    """
    span, speed = fold(as_number(amount)), fold(as_number(rate))
    if isinstance(span, float) and isinstance(speed, float) and span * speed != 0.0:
        model.defaults["kinematics"] = {"until": abs(span / speed)}


def _choices(given: str, known: list[str], lead: str) -> str:
    """Return the near name and the list of all names, as the end of a sentence."""
    near, rest = nearest(given, known), f"{lead} {', '.join(known) or 'none'}"
    return f"{near} {rest[0].upper()}{rest[1:]}." if near else rest
