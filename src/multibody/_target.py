"""Files that are written: judged before the work, whole or not at all.

Content is complete in memory before the disk is touched. It is written beside its target, brought to the disk, and takes the
target's name in one step, so that a full disk, Ctrl-C or the end of the process at any moment leaves the old file as it was.
"""

from __future__ import annotations

import contextlib
import os
import pathlib
import secrets
import stat
from collections.abc import Iterable, Iterator

from multibody.arguments import short
from multibody.errors import ModelError

__all__ = ["TABLES", "WriteError", "check_free", "check_target", "filled_whole", "is_keys", "named_path", "write_whole"]

TABLES = (".csv", ".parquet")  # which have a long form
KEYS = (".keys.csv", ".keys.json")  # keyframe tables


class WriteError(ModelError):
    """A file that could not be written, though nothing was wrong with its name."""


Target = str | os.PathLike[str]
FORCED = "name another file, or say force=True (--force)"


def named_path(target: Target, where: str = "") -> str:
    """Return a path as a text; refuse what names no file or folder.

    Parameters
    ----------
    target : path
    where : str
        What it was given for.
    """
    if not isinstance(target, str | os.PathLike):
        raise ModelError(f"{short(target)} is no path", where=where, hint="give its name, a text")
    name = os.fspath(target)
    if not isinstance(name, str):
        raise ModelError(f"{short(name)} is no path", where=where, hint="give its name, a text")
    if "\0" in name:
        raise ModelError(f"{short(name)} names no file: a null character is in it", where=where, hint="leave it out")
    return name


def check_target(target: Target, endings: tuple[str, ...] = (), kept: Iterable[Target] = ()) -> str:
    """Judge where a file is to be written, before the work that makes its content.

    Parameters
    ----------
    target : path
    endings : tuple of str
        The endings that mean something, in small letters; none given, none is asked for.
    kept : iterable of paths
        Files that are not to be replaced: the model's own.

    Returns
    -------
    str
        The ending in small letters.

    Raises
    ------
    ModelError
    """
    shown = named_path(target)
    file = pathlib.Path(shown)
    ending = file.suffix.lower()
    if endings and ending not in endings:
        hint = f"use {', '.join(endings[:-1])} or {endings[-1]}" if len(endings) > 1 else f"use {endings[0]}"
        raise ModelError(f'unknown ending "{file.suffix}"', file=shown, hint=hint)
    real = _real(target)
    folder = os.path.dirname(real)
    if not os.path.isdir(folder):
        raise ModelError("there is no such directory", file=str(file.parent), hint="make it first")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise ModelError("the directory cannot be written", file=str(file.parent), hint="check its permissions")
    if any(os.path.realpath(own) == real or _same(own, real) for own in kept):
        raise ModelError("it is a file of the model itself", file=shown, hint="name another file")
    return ending


def is_keys(target: Target) -> bool:
    """Return whether a file's name asks for a keyframe table."""
    return pathlib.Path(target).name.lower().endswith(KEYS)


def check_free(target: Target, force: bool) -> None:
    """Refuse a file that exists unless it may be replaced."""
    if not force and os.path.lexists(target):
        raise ModelError("it exists already", file=str(target), hint=FORCED)


def write_whole(target: Target, content: bytes) -> None:
    """Write a file so that it is complete or as it was before.

    Parameters
    ----------
    target : path
        A link is followed, and the file that it leads to is replaced; permissions of a file that is replaced stay.
    content : bytes

    Raises
    ------
    WriteError
        If it cannot be written; the target is then as it was.
    """
    with filled_whole(target) as beside:
        handle = os.open(beside, os.O_WRONLY | getattr(os, "O_BINARY", 0))
        with open(handle, "wb") as file:
            file.write(content)


@contextlib.contextmanager
def filled_whole(target: Target) -> Iterator[str]:
    """Yield the name of an empty file beside a target, for content that comes piece by piece.

    When the block ends it is brought to the disk and takes the target's name; when the block fails, by Ctrl-C too, it goes.

    Parameters
    ----------
    target : path
        As for :func:`write_whole`.

    Raises
    ------
    WriteError
        If it cannot be written; the target is then as it was.
    """
    try:
        real = _real(target)
        folder, name = os.path.split(real)
        stem, ending = os.path.splitext(name)
        beside = os.path.join(folder, f".{stem[:80]}.{secrets.token_hex(6)}{ending[:20]}")
        try:
            os.close(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
            yield beside
            _take_name(beside, real)
        except BaseException:  # Ctrl-C too
            with contextlib.suppress(OSError):
                os.unlink(beside)
            raise
        _settle(folder)
    except OSError as error:
        hint = "check the path and the room on the disk; what was there is as it was"
        raise WriteError(f"it cannot be written ({error.strerror})", file=str(target), hint=hint) from None


def _take_name(beside: str, real: str) -> None:
    """Bring a file to the disk and give it the name and the permissions of another."""
    handle = os.open(beside, os.O_RDWR | getattr(os, "O_BINARY", 0))
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
    if os.path.exists(real):
        _dress(beside, os.stat(real))
    os.replace(beside, real)


def _dress(file: str, before: os.stat_result) -> None:
    """Give a file the permissions of the one that it replaces, and its owner where that is allowed."""
    with contextlib.suppress(OSError, AttributeError):
        os.chown(file, before.st_uid, before.st_gid)
    with contextlib.suppress(OSError):
        os.chmod(file, stat.S_IMODE(before.st_mode))


def _settle(folder: str) -> None:
    """Bring the new name to the disk, where the system lets a directory be opened."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _real(target: Target) -> str:
    """Return the file that a path leads to; refuse directories, devices and pipes."""
    try:
        real = os.path.realpath(target)
        found = os.stat(real)
    except FileNotFoundError:
        return real
    except (OSError, ValueError) as error:  # a link to itself, a NUL in the name
        why = getattr(error, "strerror", None) or str(error)
        raise ModelError(f"it cannot be written ({why})", file=repr(str(target))[1:-1], hint="check the path") from None
    if not stat.S_ISREG(found.st_mode):
        kind = "a directory" if stat.S_ISDIR(found.st_mode) else "no plain file"
        raise ModelError(f"it is {kind}", file=str(target), hint="name another file")
    return real


def _same(one: Target, other: str) -> bool:
    """Return whether two names are of one file, hard links too."""
    try:
        return os.path.samefile(one, other)
    except (OSError, ValueError):
        return False
