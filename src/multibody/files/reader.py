"""Reading a model file: from plain data with lines to a model, or to all that is wrong with it at once."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path as FilePath
from typing import Any, Generic, TypeVar

from multibody.arguments import short
from multibody.errors import ModelError, ModelErrors, close_match, nearest
from multibody.files._items import ADD, PARAMETER_KEYS, blamed, refers_to, stand_in
from multibody.files.document import Document, Path, read_plain
from multibody.files.include import FORMATS, Context, add_include
from multibody.files.repeat import Item, expand
from multibody.files.robots.formats import READERS as ROBOTS
from multibody.files.robots.formats import read_robot
from multibody.files.yaml12 import read_json, read_yaml
from multibody.model.defaults import VerbOptions
from multibody.model.model import Model
from multibody.model.names import unknown
from multibody.model.scope import ParameterScope
from multibody.model.validate import validate
from multibody.model.values import read_number
from multibody.options.verbs import VERBS

__all__ = ["KEYS", "VERBS", "read_file", "read_text"]

KEYS = (
    "name", "dimension", "units", "gravity", "length", "parameters", "tables", "include", "ground", "bodies", "joints",
    "forces", "motions", "initial", "guess", "outputs", "events", "repeat", *VERBS,
)  # fmt: skip
"""Keys of a model file."""

_PATHS = ("motions", "initial", "guess")  # sections whose names have dots

M = TypeVar("M", bound=Model)


def read_file(
    source: str | os.PathLike[str], factory: Callable[..., M], parameters: Mapping[str, Any] | None = None
) -> M:
    """Read a model from a file or from the library.

    Parameters
    ----------
    source : path
        A ``.yaml``, ``.yml`` or ``.json`` file, a robot (``.urdf``, ``.sdf``, ``.xacro``), or the name of a library model.
    factory : callable
        The class of the model: ``factory(name, dimension=..., gravity=..., units=...)``.
    parameters : mapping, optional
        Values that replace those of the file: numbers, lists for vectors, or formulas as text. Of a robot: how it becomes a
        model (`RobotOptions`).

    Returns
    -------
    Model

    Raises
    ------
    ModelError
        If the model is at fault, with file and line; several faults come together as one `ModelErrors`.
    """
    if not isinstance(source, str | os.PathLike):
        raise ModelError(f"{short(source)} is no name of a model", hint="give a file, or a name of the library")
    if "\0" in str(source):
        raise ModelError(f"{str(source)!r} is no name of a file", hint="check the path")
    file = FilePath(source)
    if file.suffix.lower() in ROBOTS:
        return read_robot(file, str(source), factory, parameters or {})
    if file.suffix.lower() not in FORMATS:
        model: M = _library(str(source), parameters or {})
        return model
    context = Context(file.parent).enter(file, "")
    made = _read(file, str(source), factory, parameters or {}, context)
    made._files = tuple(str(path) for path in context.files)
    return made


def read_text(
    text: str,
    file: str,
    factory: Callable[..., M],
    parameters: Mapping[str, Any] | None = None,
    format: str = "yaml",
) -> M:
    """Read a model from a text.

    Parameters
    ----------
    text : str
        The content of a model file.
    file : str
        Its name for messages; what it includes is looked for in the directory of this name.
    factory, parameters
        As for `read_file`.
    format : {"yaml", "json"}
        How the text is written.

    Returns
    -------
    Model
    """
    document = read_json(text, file) if format == "json" else read_yaml(text, file)
    context = Context(FilePath(file).parent).enter(FilePath(file), "")
    return _Reader(document, factory, parameters or {}, context).read()


def _read(
    file: FilePath, shown: str, factory: Callable[..., M], parameters: Mapping[str, Any], context: Context
) -> M:
    """Read a file under the name that messages show."""
    try:
        text = read_plain(file, shown).decode("utf-8")
    except FileNotFoundError:
        beside = [path.name for path in itertools.islice(file.parent.iterdir(), 1000)] if file.parent.is_dir() else []
        hint = nearest(file.name, beside) or "check the path"
        raise ModelError("there is no such file", file=shown, hint=hint) from None
    except ModelError:
        raise
    except UnicodeDecodeError:
        raise ModelError("it is not text in UTF-8", file=shown, hint="save it with this encoding") from None
    except OSError as error:
        raise ModelError(f"it cannot be read ({error.strerror})", file=shown, hint="check the path") from None
    read = read_json if FORMATS[file.suffix.lower()] == "json" else read_yaml
    return _Reader(read(text, shown), factory, parameters, context).read()


def _library(name: str, parameters: Mapping[str, Any]) -> Any:
    """Return a model of the library."""
    endings = ", ".join(FORMATS)
    if os.path.exists(name):
        hint = f"a model file ends in {endings}"
        raise ModelError(f'"{name}" has no ending that says how it is written', hint=hint)
    try:
        from multibody.library import find
    except ImportError:
        raise ModelError(f'unknown model "{name}"', hint=f"a file ends in {endings}") from None
    return find(name)(**parameters)


class _Reader(Generic[M]):
    """Builds one model from one document, and notes what is wrong on the way."""

    def __init__(
        self, document: Document, factory: Callable[..., M], parameters: Mapping[str, Any], context: Context
    ) -> None:
        self.document, self.factory, self.context = document, factory, context
        self.overrides = {key: _plain(value) for key, value in parameters.items()}
        self.faults: list[ModelError] = []
        self.broken: set[str] = set()  # names that failed, so that what uses them is not reported again
        self.told: set[Path] = set()  # templates and includes of which a fault has been told
        self.origins: dict[tuple[str, str], Path] = {}  # where each item stands in the document
        self.sections: dict[str, list[Item]] = {}

    def read(self) -> M:
        """Return the model, or raise all that is wrong."""
        data = self._top()
        model = self._world(data)
        model._files = tuple(str(path) for path in self.context.stack[-1:])  # files of solids are looked for beside it
        self._items(model, "parameters")
        self._unknown_overrides(data)
        self._items(model, "tables")
        self._includes(model, data.get("include"))
        self._repeats(data.get("repeat"), model)
        for section in ("ground", "bodies", "joints", "forces", *_PATHS, "outputs", "events"):
            self._items(model, section)
        for verb in VERBS:
            self._options(model, verb, data.get(verb) or {})
        for error in validate(model, self.broken):
            self.note(error)
        self._raise()
        model._files = ()
        model._locate = self.locate  # for faults that show only when values are known
        return model

    # --- faults -------------------------------------------------------------------------------------------------------
    def note(self, error: ModelError, path: Path | None = None) -> None:
        """Note a fault; `path` is its place in the document, by default the one that its ``where`` names."""
        place = self._place(error.where) if path is None else path
        if place[:1] in (("repeat",), ("include",)):
            if place[:4] in self.told:
                return  # one fault for a template is enough, whatever the number of its copies
            self.told.add(place[:4])
        overridden = place[:1] == ("parameters",) and place[1:2] and place[1] in self.overrides
        line = None if overridden or not place else self.document.line(place)
        found = error.located(self.document.file, line)
        self.faults.extend(found.errors if isinstance(found, ModelErrors) else [found])

    def locate(self, error: ModelError) -> ModelError:
        """Return the fault with the file and the line of the place that it names."""
        place = self._place(error.where)
        return error.located(self.document.file, self.document.line(place) if place else None)

    @contextmanager
    def noting(self, path: Path | None = None) -> Iterator[None]:
        """Note a fault of the statements inside, and go on behind them."""
        try:
            yield
        except ModelError as error:
            self.note(error, path)

    def _raise(self) -> None:
        """Raise what was noted, in the order of the lines."""
        file = self.document.file
        faults = sorted(self.faults, key=lambda error: (error.file == file, error.line or 0))
        if len(faults) == 1:
            raise faults[0]
        if faults:
            raise ModelErrors(faults)

    def _place(self, where: str) -> Path:
        """Return the path in the document of a place in the model."""
        section, _, rest = where.partition(".")
        if section in ADD and rest:
            name, *fields = [rest] if section in _PATHS else rest.split(".")
            if section == "ground" and name == "frames":
                name, *fields = fields
            return (*self.origins.get((section, name), (section, name)), *fields)
        return tuple(int(step) if step.isdecimal() else step for step in where.split(".")) if where else ()

    # --- the top of the file ------------------------------------------------------------------------------------------
    def _top(self) -> dict[str, Any]:
        """Return the data by known keys, and their sections as items; faults of form end the reading here."""
        data = self.document.data
        if not isinstance(data, Mapping):
            hint = "write keys such as name, bodies and joints"
            problem = "the file is empty" if data is None else "the file is not a mapping"
            raise ModelError(problem, hint=hint).located(self.document.file, self.document.line(()))
        found: dict[str, Any] = {}
        sound = True
        for key, value in data.items():
            known = self._known_key(key, data)
            if known is None:
                continue
            found[known] = value
            if known in ADD or known in VERBS:
                sound &= self._section(known, key, value)
            elif known in ("include", "repeat") and not isinstance(value, list | None):
                sound = False
                self.note(ModelError("it is not a list", where=known, hint=f"write {known}: [{{...}}]"), (key,))
        if not sound:
            self._raise()
        return found

    def _known_key(self, key: str, data: Mapping[str, Any]) -> str | None:
        """Return the key, or the one that a misspelled key stands for, so that its content is read all the same."""
        if key in KEYS:
            return key
        hint = f"{nearest(key, KEYS)} Keys are {', '.join(KEYS)}.".strip()
        self.note(ModelError(f'unknown key "{key}"', hint=hint), (key,))
        near = close_match(key.casefold(), tuple(KEYS))
        return near if near is not None and near not in data else None

    def _section(self, section: str, key: str, value: Any) -> bool:
        """Note the entries of a section; return whether it has the right form."""
        if value is not None and not isinstance(value, Mapping):
            hint = f"write {section}: {{{'option' if section in VERBS else 'name'}: ...}}"
            self.note(ModelError("it is not a mapping", where=section, hint=hint), (key,))
            return False
        if section in ADD:
            items = [Item(name, item, (key, name)) for name, item in (value or {}).items()]
            self.sections[section] = items
            with self.noting((key,)):
                self.context.budget.take(len(items), section)
        return True

    def _world(self, data: Mapping[str, Any]) -> M:
        """Return the empty model."""
        name = data.get("name", FilePath(self.document.file).stem)
        if not isinstance(name, str):
            self.note(ModelError(f"{name!r} is not text", where="name", hint="put the name in quotes"))
            name = str(name)
        units = data.get("units")
        if units is not None and not (isinstance(units, Mapping) and all(isinstance(u, str) for u in units.values())):
            self.note(ModelError("they are not a mapping of names", where="units", hint="write {length: mm, time: s}"))
            units = None
        dimension = data.get("dimension", 3)
        if not isinstance(dimension, int):
            self.note(ModelError(f"dimension {dimension!r}", where="dimension", hint="it is 2 or 3"))
            self._raise()
        stated = {"dimension": dimension, "gravity": data.get("gravity"), "units": units}
        for key in ("gravity", "units"):
            try:
                self.factory(name, **{"dimension": dimension, key: stated[key]})
            except ModelError as error:
                self.note(error)
                if error.where == "dimension":
                    self._raise()
                stated[key] = None
        model = self.factory(name, **stated)
        if data.get("length") is not None:
            with self.noting(("length",)):
                model.length = _length(data["length"])
        return model

    # --- items --------------------------------------------------------------------------------------------------------
    def _items(self, model: M, section: str) -> None:
        """Add the items of a section to the model."""
        for item in self.sections.get(section, ()):
            self.origins.setdefault((section, item.name), item.path)
            value = self._overridden(item) if section == "parameters" else item.value
            if section in ("joints", "forces") and refers_to(value, self.broken):
                self.broken.add(item.name)
                continue
            try:
                ADD[section](model, item.name, value)
            except ModelError as error:
                exact = self._place(error.where)
                if len(exact) <= len(item.path) or exact[: len(item.path)] != item.path:
                    exact = (*item.path, *blamed(section, model, item.name, value, error))
                self.note(error, exact)
                if not stand_in(section, model, item.name, value) and section not in _PATHS:
                    self.broken.add(item.name)

    def _overridden(self, item: Item) -> Any:
        """Return the value of a parameter, or the one that replaces it."""
        if item.name not in self.overrides:
            return item.value
        given = self.overrides[item.name]
        stated = item.value.get("value") if isinstance(item.value, Mapping) else item.value
        if isinstance(stated, int | float | list) and isinstance(given, int | float | list):
            sizes = [len(value) if isinstance(value, list) else 0 for value in (stated, given)]
            if sizes[0] != sizes[1]:
                problem = f"it is a vector of {sizes[0]}" if sizes[0] else "it is a number, no vector"
                hint = f"give {sizes[0]} numbers in a list" if sizes[0] else "give one number"
                self.note(ModelError(problem, where=f"parameters.{item.name}", hint=hint))
                return item.value
        if isinstance(item.value, Mapping) and set(item.value) <= set(PARAMETER_KEYS):
            return {**item.value, "value": given}
        return given

    def _unknown_overrides(self, data: Mapping[str, Any]) -> None:
        """Note parameters that were given and that neither the file nor what it includes has."""
        own = [item.name for item in self.sections.get("parameters", ())]
        for name in self.overrides:
            if name not in own and not any(name.startswith(prefix) for prefix in _prefixes(data.get("include"))):
                self.note(unknown("parameter", name, own, ""), ())

    def _options(self, model: M, verb: str, given: Mapping[str, Any]) -> None:
        """State the options of a verb in the model, those that are sound; then what they say together is judged."""
        sound: dict[str, Any] = {}
        for key, value in given.items():
            with self.noting((verb, key)):
                sound |= VerbOptions(verb, {key: value}, alone=True)
        if given:
            with self.noting((verb,)):
                model.defaults[verb] = sound

    # --- copies and sub-mechanisms ------------------------------------------------------------------------------------
    def _repeats(self, blocks: Any, model: M) -> None:
        """Append the copies of all blocks to their sections. Without one of them nothing more can be checked."""
        if not blocks:
            return
        scope = ParameterScope(model, self.broken)
        known = len(self.faults)
        for error in scope.errors:
            self.note(error)
        for index, block in enumerate(blocks if not scope.unknown else ()):
            named = [items for section, items in self.sections.items() if section not in _PATHS]
            taken = {item.name for items in named for item in items}
            with self.noting():
                expanded = expand(block, index, scope, taken, self.context.budget, self.note)
                for section, items in expanded.items():
                    self.sections.setdefault(section, []).extend(items)
        if scope.unknown or len(self.faults) > known:
            self._raise()

    def _includes(self, model: M, entries: Any) -> None:
        """Add all sub-mechanisms; what they bring points to their entry. Without one of them nothing can be checked."""
        known = len(self.faults)
        for index, entry in enumerate(entries or ()):
            before = _names(model)
            prefix = entry.get("prefix") if isinstance(entry, Mapping) else None
            own = {item.name for item in self.sections.get("parameters", ())}
            given = {
                name.removeprefix(str(prefix)): value
                for name, value in self.overrides.items()
                if prefix and name.startswith(str(prefix)) and name not in own
            }
            try:
                add_include(model, entry, f"include.{index}", self._load, given)
            except ModelError as error:
                self.note(error, None if error.where.startswith("include.") else ("include", index))
            for key in _names(model) - before:
                self.origins[key] = ("include", index)
        if len(self.faults) > known:
            self._raise()

    def _load(self, source: str, parameters: Mapping[str, Any], where: str) -> Model:
        """Read what an entry of ``include`` names."""
        if FilePath(source).suffix.lower() not in FORMATS:
            model: Model = _library(source, parameters)
            return model
        file = self.context.find(source, where)
        shown = str(FilePath(self.document.file).parent / source)
        return _read(file, shown, self.factory, parameters, self.context.enter(file, where))


def _plain(value: Any) -> Any:
    """Return a value that replaces a parameter as plain data."""
    value = value.tolist() if hasattr(value, "tolist") else value
    return list(value) if isinstance(value, tuple) else value


def _length(value: Any) -> Any:
    """Return the characteristic length."""
    length = read_number(value, "length")
    if isinstance(length, float) and length <= 0.0:
        raise ModelError(f"{length:g} is not positive", where="length", hint="give a number above zero")
    return length


def _prefixes(entries: Any) -> list[str]:
    """Return the prefixes of all entries of ``include``."""
    found = [entry.get("prefix") for entry in entries or () if isinstance(entry, Mapping)]
    return [prefix for prefix in found if isinstance(prefix, str) and prefix]


def _names(model: Model) -> set[tuple[str, str]]:
    """Return the names of all items of a model, with their sections."""
    groups: dict[str, Mapping[str, Any]] = {
        "parameters": model.parameters, "tables": model.tables, "ground": model.ground_frames, "bodies": model.bodies,
        "joints": model.joints, "forces": model.forces, "motions": model.motions, "initial": model.initials,
        "guess": model.guesses, "outputs": model.outputs, "events": model.events,
    }  # fmt: skip
    return {(section, name) for section, group in groups.items() for name in group}
