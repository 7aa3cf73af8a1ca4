"""The folder that machine code is kept in: the user's own, written by nobody else.

What lies in the folder is unpickled and executed, so whoever can write there, or can put another folder in its place, can run
programs as the user. A folder is therefore judged with everything on the way to it, links included; one that does not pass is
not used, and a private temporary one takes its place for the life of the process.
"""

from __future__ import annotations

import atexit
import functools
import os
import pathlib
import shutil
import stat
import sys
import tempfile
import warnings
from collections.abc import Iterator

VARIABLES = ("MULTIBODY_CACHE_DIR", "NUMBA_CACHE_DIR")
MOST_LINKS = 40  # as Linux allows on the way to one file
OTHERS = stat.S_IWGRP | stat.S_IWOTH
_TEMPORARY: list[pathlib.Path] = []


class CacheWarning(UserWarning):
    """What is the matter with the folder of compiled kernels."""


class Unfit(Exception):  # noqa: N818 (it ends no program)
    """A folder cannot be used; the text says why and what would mend it."""


@functools.cache
def say(text: str) -> None:
    """Tell the user, once in a process."""
    warnings.warn(text, CacheWarning, stacklevel=3)


def user_folder() -> pathlib.Path:
    """Return where the compiled kernels of this user belong: MULTIBODY_CACHE_DIR, NUMBA_CACHE_DIR, or the user's cache folder.

    Raises
    ------
    Unfit
        If a variable names a relative folder, which would be another one in every working directory, or there is no home.
    """
    for variable in VARIABLES:
        given = os.environ.get(variable)
        if given:
            if not os.path.isabs(given):
                raise Unfit(f"{variable}={given} is a relative path; give an absolute one")
            return pathlib.Path(given)
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA", "")
        if not os.path.isabs(local):
            raise Unfit("LOCALAPPDATA names no folder; set MULTIBODY_CACHE_DIR")
        return pathlib.Path(local) / "multibody"
    shared = os.environ.get("XDG_CACHE_HOME", "")
    return (pathlib.Path(shared) if os.path.isabs(shared) else _home() / ".cache") / "multibody"


def _home() -> pathlib.Path:
    """Return the user's home, which exists."""
    home = os.environ.get("HOME", "")
    if not os.path.isabs(home):
        import pwd

        try:
            home = pwd.getpwuid(os.getuid()).pw_dir
        except KeyError:
            raise Unfit("the user has no home; set MULTIBODY_CACHE_DIR") from None
    if not os.path.isdir(home):
        raise Unfit(f"the home {home} does not exist; set MULTIBODY_CACHE_DIR")
    return pathlib.Path(home)


def fit_folder(path: pathlib.Path) -> pathlib.Path:
    """Return a folder as it really lies, made if it is not there, if it is the user's and written by nobody else.

    Raises
    ------
    Unfit
    """
    try:
        _judge_way(path)  # before anything is made, lest it be made in a place of somebody else
        _make(path)
        _judge_way(path)
        real = pathlib.Path(os.path.realpath(path))
        found = os.stat(real)
        if hasattr(os, "getuid") and found.st_uid != os.getuid():
            raise Unfit(f"{real} belongs to another user; name a folder of your own")
        if hasattr(os, "getuid") and found.st_mode & OTHERS:  # the sticky bit keeps nobody from adding files
            raise Unfit(f"{real} can be written by other users; chmod go-w {real}")
    except OSError as error:
        raise Unfit(f"{error.filename or path}: {error.strerror}") from None
    return real


def _make(path: pathlib.Path) -> None:
    """Make a folder and what is missing above it, for the user alone."""
    missing = [folder for folder in (path, *path.parents) if not folder.exists()]
    for folder in reversed(missing):
        try:
            folder.mkdir(mode=0o700)
        except FileExistsError:  # by another process of ours, or a file
            if not folder.is_dir():
                raise


def _judge_way(path: pathlib.Path) -> None:
    """Refuse a way on which another user could put something else in place of the folder, now or later."""
    if not hasattr(os, "getuid"):
        return  # Windows keeps the folders of users apart by other means
    trusted = (0, os.getuid())
    for place in _way(path):
        found = os.lstat(place)
        if found.st_uid not in trusted:
            raise Unfit(f"{place} belongs to another user; name a folder of your own")
        if stat.S_ISLNK(found.st_mode):
            continue
        if not stat.S_ISDIR(found.st_mode):
            raise Unfit(f"{place} is no folder; name another one")
        # In a folder with the sticky bit, such as /tmp, only owners move what is theirs.
        if found.st_mode & OTHERS and not found.st_mode & stat.S_ISVTX:
            raise Unfit(f"{place} can be written by other users; chmod go-w {place}")


def _way(path: pathlib.Path) -> Iterator[str]:
    """Yield every folder and link that is passed on the way to a path, as far as it exists."""
    rest, place, links = list(reversed(os.path.abspath(path).split(os.sep)[1:])), "/", 0
    yield place
    while rest:
        part = rest.pop()
        if part in ("", "."):
            continue
        if part == "..":
            place = os.path.dirname(place)
            continue
        place = os.path.join(place, part)
        if not os.path.lexists(place):
            return
        yield place
        if os.path.islink(place):
            links += 1
            if links > MOST_LINKS:
                raise Unfit(f"{path} is a link that leads in a circle; name another folder")
            target = os.readlink(place)
            rest += reversed(target.split(os.sep))
            place = "/" if os.path.isabs(target) else os.path.dirname(place)


@functools.cache
def base_folder() -> pathlib.Path | None:
    """Return the folder that holds all compiled kernels; where there is none, kernels are compiled in every process.

    Returns
    -------
    pathlib.Path or None
        The user's, else a temporary one that is removed when the process ends, None where even that cannot be made.
    """
    try:
        return fit_folder(user_folder())
    except Unfit as reason:
        why = str(reason)
    try:
        made = pathlib.Path(tempfile.mkdtemp(prefix="multibody-"))  # 0700, a name that nobody knows beforehand
    except OSError:
        say(f"compiled kernels are not kept: {why}")
        return None
    atexit.register(_remove, made, os.getpid())
    _TEMPORARY.append(made)
    say(f"compiled kernels are kept in {made} until this process ends: {why}")
    return made


def lasts() -> bool:
    """Return whether compiled kernels outlive this process."""
    return base_folder() is not None and not _TEMPORARY


def _remove(folder: pathlib.Path, process: int) -> None:
    """Remove a temporary folder, unless this is a child of the process that made it."""
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)


def room_folder(name: str) -> pathlib.Path | None:
    """Return a folder within the base, judged like it, None where it cannot be had."""
    base = base_folder()
    if base is None:
        return None
    try:
        return fit_folder(base / name)
    except Unfit as reason:
        say(f"compiled kernels are not kept: {reason}")
        return None
