"""Options that several verbs share, and how their values are read."""

from __future__ import annotations

import importlib.util
import math
import pathlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from multibody._target import TABLES, check_free, check_target, is_keys
from multibody.errors import ModelError
from multibody.options.methods import AUTO, GROUPS, read_method, split_methods
from multibody.options.verbs import VERBS
from multibody.view import style

if TYPE_CHECKING:
    from multibody import Model

ModelArgument = Annotated[str, typer.Argument(metavar="MODEL", help="A .yaml or .json file, a robot, or a library model.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Set a parameter: a number, a vector in brackets, a formula or a word. Repeatable.",
    ),
]
UnitsOption = Annotated[
    str | None, typer.Option("--units", metavar="SI", help="Convert results to SI units (default: the model's own).")
]

PlotOption = Annotated[
    list[str] | None, typer.Option("--plot", metavar="PATH", help="Plot a path over time in the picture. Repeatable.")
]
XOption = Annotated[
    str | None, typer.Option("--x", metavar="PATH", help="Plot against this path instead of the time.")
]
TraceOption = Annotated[
    list[str] | None, typer.Option("--trace", metavar="FRAME", help="Draw a point's path in the picture. Repeatable.")
]


def option(verb: str, name: str, metavar: str) -> Any:
    """Return an option of a verb for typer, with the flag and the help of the catalog that files and Python use too."""
    found = VERBS[verb][name]
    names = f" One of auto, {', '.join(GROUPS[found.kind])}." if found.kind in GROUPS else ""
    return typer.Option(found.command, metavar=metavar, help=found.doc + names)


ForceOption = Annotated[bool, typer.Option("--force", help="Replace files that exist.")]
CutOption = Annotated[str | None, option("run", "cut", "A,B")]
RtolOption = Annotated[float | None, option("run", "rtol", "R")]
StepOption = Annotated[str | None, option("run", "step", "H")]
OutputStepOption = Annotated[str | None, option("run", "output_step", "H")]

PICTURES = style.PICTURES
PAGES = (".html", ".htm")
BODIES = ".glb"  # bodies that a viewer shows at a size of its own
FILMS = (".gif", ".webp", ".mp4", BODIES)
NEEDED = {
    ".nc": (("h5netcdf", "netcdf"), ("h5py", "netcdf")), ".parquet": (("pyarrow", "parquet"),),
    ".mp4": (("imageio_ffmpeg", "video"),),
}  # fmt: skip


def load_model(source: str, settings: list[str] | None, further: Mapping[str, Any] | None = None) -> Model:
    """Return the model of a file or of the library with the parameters of ``--set``.

    Parameters
    ----------
    source : str
        Path or library name.
    settings : list of str
        ``NAME=VALUE`` each.
    further : mapping, optional
        Settings that flags of their own state.
    """
    from multibody import load

    values = {**dict(read_setting(text) for text in settings or []), **(further or {})}
    try:
        return load(source, **values)
    except (TypeError, ValueError) as error:
        # A function of the library computes with its arguments before the model sees them.
        if isinstance(error, ModelError) or not values:
            raise
        raise ModelError(f"a value does not fit ({error})", where="--set", hint="give numbers where it has numbers") from None


def read_setting(text: str) -> tuple[str, Any]:
    """Return name and value of ``NAME=VALUE``; formulas of constants become numbers, others stay text."""
    name, sign, value = (part.strip() for part in text.partition("="))
    if not sign or not name.isidentifier() or not value:
        raise ModelError(f'"{text}" is no setting', where="--set", hint='write NAME=VALUE, such as l2=0.2 or "pA=[0, 0, 0.1]"')
    if value.startswith("[") and value.endswith("]"):
        return name, [read_value(part) for part in split_list(value[1:-1])]
    return name, read_value(value)


def read_value(text: str) -> Any:
    """Return a number, a truth value, or the text itself."""
    from multibody.model.expressions import ExpressionError, evaluate, names, parse

    text = text.strip()
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    try:
        formula = parse(text)
        constant = isinstance(formula, float) or set(names(formula)) <= {("pi",), ("deg",), ("rpm",)}
        value = evaluate(formula, lambda parts: math.nan) if constant else math.nan
    except ExpressionError:
        return text  # a word such as 1b
    return value if isinstance(value, float) and math.isfinite(value) else text


def split_list(text: str) -> list[str]:
    """Return the parts of a list at the commas that stand outside parentheses."""
    parts, depth = [""], 0
    for letter in text:
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def read_time(model: Model, text: str | None, option: str) -> float | None:
    """Return a time from a number or a formula of parameters, such as ``2*pi/omega``."""
    from multibody.tables.scope import Scope

    if text is None:
        return None
    scope = Scope(model)
    value = scope.value(scope.scalar(model.formula(text, option), option), option)
    if not math.isfinite(value):
        raise ModelError(f"{text} is not a time", where=option, hint="give a finite number")
    return value


def read_units(units: str | None) -> str | None:
    """Return "SI" or None for the model's own units."""
    if units is None:
        return None
    if units.upper() != "SI":
        raise ModelError(f'unknown units "{units}"', where="--units", hint="it is SI; without it results have the model's")
    return "SI"


def check_long(files: list[pathlib.Path], long: bool) -> None:
    """Refuse ``--long`` where no file has such a form."""
    if long and not any(file.suffix.lower() in TABLES and not is_keys(file) for file in files):
        raise ModelError("there is no table", where="--long", hint="add --out x.csv or x.parquet")


def check_endings(
    files: list[pathlib.Path], allowed: tuple[str, ...], kept: tuple[str, ...] = (), *, force: bool
) -> None:
    """Refuse files that cannot be written, whose ending says nothing, or that are the model's, before any work is done.

    A file that exists is refused too, unless `force` says that it is to be replaced.
    """
    for file in files:
        ending = check_target(file, allowed, kept)
        check_free(file, force)
        for package, extra in NEEDED.get(ending, ()):
            if importlib.util.find_spec(package) is None:
                problem = f"{ending} needs a further package ({package})"
                raise ModelError(problem, file=str(file), hint=f"pip install multibody[{extra}]")


def read_names(text: str | None, option: str) -> list[str] | None:
    """Return names from a list by commas, None where the option is not given."""
    if text is None:
        return None
    names = [part.strip() for part in text.split(",")]
    if not all(names):
        raise ModelError(f'"{text}" is no list', where=option, hint="write names with commas between them, such as A,B")
    return names


def read_methods(text: str | None, flag: str) -> list[str] | None:
    """Return formulations or integrators from a list by commas; ``a:x=1,y=2,b`` is a with two options, and b."""
    names = read_names(text, flag)
    return None if names is None else split_methods(names)


def read_range(model: Model, start: str | None, until: str | None, steps: int | None, at: str | None) -> dict[str, Any]:
    """Return one time, or a range of them; what is not given comes from the model's own defaults."""
    if at is not None and (start, until, steps) != (None, None, None):
        raise ModelError("--at together with --from, --until or --steps", hint="give one time or a range")
    if at is not None:
        return {"at": read_time(model, at, "--at")}
    return {
        "start": read_time(model, start, "--from"), "until": read_time(model, until, "--until"), "steps": steps,
    }  # fmt: skip


def announce_dynamics(model: Model, options: dict[str, Any]) -> None:
    """Say on a terminal that kernels are compiled, where those of a run are not in the cache yet."""
    announce_compilation(*dynamics_kernels(model, options))


def dynamics_kernels(model: Model, options: dict[str, Any]) -> list[str]:
    """Return some of the kernels that a run needs: of its coordinates, its formulation and its integrator."""
    from multibody.formulations import formulation_of
    from multibody.integrators import INTEGRATORS, Dop853

    own = model.defaults.of("run")
    words = {key: read_method(options.get(key) or own.get(key) or AUTO, key).name for key in GROUPS}
    kind = formulation_of(words["formulation"])
    stepped = INTEGRATORS[words["integrator"]] if words["integrator"] != AUTO else Dop853
    own_loop = [f"{stepped.name}.advance_{stepped.name}"] if stepped.compiled else []
    return [kind.read_by, kind.compiled, *own_loop]


def announce_compilation(*kernels: str) -> None:
    """Say on a terminal that kernels are compiled, where the machine code of one is not in the cache yet.

    Parameters
    ----------
    *kernels : str
        ``module.function`` of some that the analysis uses.
    """
    import sys

    if not sys.stderr.isatty():
        return
    from multibody.kernels.compile import cache_directory

    found = (cache_directory(room) for room in ("kernels", "tree", "formulations", "integrators"))
    places = [place for place in found if place is not None]
    if not all(any(any(place.glob(f"{kernel}-*.nbc")) for place in places) for kernel in kernels):
        typer.echo("compiling kernels, once; see multibody warm", err=True)
