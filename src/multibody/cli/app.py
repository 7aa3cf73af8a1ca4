"""The application: its verbs, what all of them share, and how errors are told."""

from __future__ import annotations

import errno
import os
import sys
import warnings
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from multibody._version import __version__
from multibody.errors import AnalysisError, ModelError, RobotNote, nearest
from multibody.kernels.cache.folders import CacheWarning

EPILOG = (
    "MODEL is a .yaml or .json file, a robot (.urdf, .sdf, .xacro), or the name of a library model; `multibody examples` lists "
    "these."
)
FAILED, BAD_INPUT = 1, 2


class Verbs(TyperGroup):
    """The group of verbs: an unknown one is answered with the near one, faults of the user with one sentence."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that the first argument names."""
        name = args[0] if args else ""
        if name and not name.startswith("-") and self.get_command(ctx, name) is None:
            known = self.list_commands(ctx)
            say_error(f'unknown verb "{name}"; {nearest(name, known)} Verbs are {", ".join(known)}.')
            raise typer.Exit(BAD_INPUT)
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run a verb; a fault in the model or in the options ends with status 2, a failed analysis with 1.

        What NumPy warns of, such as an overflow, is no word to users: verbs say what came of it.
        """
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RuntimeWarning)
                return super().invoke(ctx)
        except ModelError as error:
            say_error(str(error))
            raise typer.Exit(BAD_INPUT) from None
        except AnalysisError as error:
            say_error(str(error))
            raise typer.Exit(FAILED) from None
        except (ArithmeticError, MemoryError, RecursionError) as error:
            say_error(out_of_range(error))
            raise typer.Exit(FAILED) from None
        except ValueError as error:
            if type(error).__name__ != "LinAlgError":  # NumPy's, which is not loaded for this
                raise
            say_error(out_of_range(error))
            raise typer.Exit(FAILED) from None
        except OSError as error:
            if error.errno == errno.EPIPE:  # the reader has gone: click ends the process
                raise
            if error.filename is None:
                say_error(output_lost(error))
                raise typer.Exit(FAILED) from None
            say_error(f"{error.filename}: {error.strerror}; check the path and its permissions")
            raise typer.Exit(BAD_INPUT) from None


def out_of_range(error: Exception) -> str:
    """Return in words what Python or NumPy say of numbers that nobody foresaw."""
    if isinstance(error, MemoryError):
        return "it needs more memory than there is; make the model smaller or ask for fewer instants"
    if isinstance(error, RecursionError):
        return "something nests too deep; split it"
    what = f"{error}".rstrip(".") or type(error).__name__
    return f"numbers came up that cannot be computed with ({what}); look for sizes, masses or formulas out of range"


def say_error(text: str) -> None:
    """Print an error to stderr."""
    typer.echo(f"error: {text}", err=True)


def why(name: str, status: Any) -> str:
    """Return in one sentence why an analysis of a model stopped, and what would mend it."""
    return f"{name}: {status.sentence}"


app = typer.Typer(
    name="multibody",
    cls=Verbs,
    epilog=EPILOG,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)


def _version(value: bool) -> None:
    """Print the version and stop."""
    if value:
        typer.echo(f"multibody {__version__}")
        raise typer.Exit


@app.callback()
def everything(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Kinematics and dynamics of mechanisms and rigid multibody systems, planar and spatial.

    Every verb prints for people; with --json it prints one JSON object to stdout and nothing else. Exit status: 0 done, 1
    the analysis failed (what it has is still printed), 2 bad input.
    """


def run() -> None:
    """Run the application on the arguments of the process."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:  # a terminal that lacks a letter shows another one instead of a traceback
            reconfigure(errors="replace")
    warnings.showwarning = _show_warning
    try:
        app(prog_name="multibody")
    finally:
        _flush()


def _flush() -> None:
    """Bring what is printed to where it goes, while a disk that takes no more can still be told in words."""
    try:
        sys.stdout.flush()
    except OSError as error:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())  # lest the end of the process try again
        if error.errno != errno.EPIPE:
            say_error(output_lost(error))
        sys.exit(FAILED)


def output_lost(error: OSError) -> str:
    """Return why nothing can be printed."""
    return f"the output cannot be written ({error.strerror}); make room or write elsewhere"


def _show_warning(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
    """Print a warning of ours in one line; others as Python does."""
    if issubclass(category, CacheWarning | RobotNote):
        typer.echo(f"note: {message}", err=True)
    else:
        _PYTHONS_WAY(message, category, *place, **more)


_PYTHONS_WAY = warnings.showwarning


from multibody.cli import (  # noqa: E402  (they add their verbs)
    assemble,  # noqa: F401
    bearing,  # noqa: F401
    bench,  # noqa: F401
    check,  # noqa: F401
    compare,  # noqa: F401
    convert,  # noqa: F401
    equations,  # noqa: F401
    examples,  # noqa: F401
    frames,  # noqa: F401
    inverse,  # noqa: F401
    kinematics,  # noqa: F401
    loads,  # noqa: F401
    mcp,  # noqa: F401
    modes,  # noqa: F401
    reactions,  # noqa: F401
    report,  # noqa: F401
    size,  # noqa: F401
    statics,  # noqa: F401
    study,  # noqa: F401
    view,  # noqa: F401
    warm,  # noqa: F401
)
from multibody.cli import run as _run  # noqa: E402, F401
