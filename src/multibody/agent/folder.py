"""The one folder that a server of tools may see: names of files in it, and nothing that leads out of it."""

from __future__ import annotations

import os
import pathlib
from pathlib import PureWindowsPath

from multibody.errors import ModelError, nearest

MODELS = (".yaml", ".yml", ".json")
MOST_FILES = 200  # that are listed


class Folder:
    """A folder, by its real path.

    Parameters
    ----------
    path : path
    writes : bool
        Whether files may be written to it.
    """

    def __init__(self, path: str | os.PathLike[str], writes: bool = False) -> None:
        self.path, self.writes = pathlib.Path(os.path.realpath(path)), writes
        if not self.path.is_dir():
            raise ModelError("there is no such folder", file=str(path), hint="make it first, or name another one")

    def inside(self, name: str) -> pathlib.Path:
        """Return the file of a name, which is relative, goes through no link and stays in the folder.

        Raises
        ------
        ModelError
        """
        parts = pathlib.PurePath(name).parts
        if not name or "\0" in name or "\\" in name or not parts:
            raise ModelError(f"{name!r} is no name of a file", hint="name a file of the folder")
        if pathlib.PurePath(name).is_absolute() or PureWindowsPath(name).anchor or ".." in parts:
            raise ModelError(f'"{name}" leaves the folder', hint="name a file of the folder, such as crane.yaml")
        found = self.path
        for part in parts:
            found = found / part
            if found.is_symlink():
                raise ModelError(f'"{name}" goes through a link', hint="name the file itself; links are not followed")
        return found

    def model(self, name: str) -> str:
        """Return what names a model to the command: a file of the folder, or a model of the library.

        Raises
        ------
        ModelError
            If there is no such thing.
        """
        from multibody.library import names, recipes

        if pathlib.PurePath(name).suffix.lower() in MODELS:
            file = self.inside(name)
            if not file.is_file():
                raise ModelError("there is no such file", file=name, hint=nearest(name, self.models()) or "see the tool files")
            return str(file)
        known = [*names(), *recipes()]
        if name not in known:
            hint = nearest(name, known) or "name a .yaml or .json file of the folder, or see the tool examples"
            raise ModelError(f'there is no model "{name}"', hint=hint)
        return name

    def target(self, name: str, endings: tuple[str, ...]) -> pathlib.Path:
        """Return a new file that may be written.

        Raises
        ------
        ModelError
            If nothing may be written, or the name will not do.
        """
        if not self.writes:
            raise ModelError("nothing is written here", where="save", hint="start the server with --write to allow it")
        file = self.inside(name)
        if not file.name.lower().endswith(endings):
            raise ModelError(f'unknown ending "{file.suffix}"', file=name, hint=f"use {', '.join(endings)}")
        if os.path.lexists(file):
            raise ModelError("it exists already", file=name, hint="name another file")
        if not file.parent.is_dir():
            raise ModelError("there is no such directory", file=name, hint="name a file in a folder that is there")
        return file

    def models(self) -> list[str]:
        """Return the model files of the folder and below it; links are left out."""
        found: list[str] = []
        for place, folders, files in os.walk(self.path, followlinks=False):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            for name in sorted(files):
                file = pathlib.Path(place, name)
                if file.suffix.lower() in MODELS and not name.startswith(".") and not file.is_symlink():
                    found.append(file.relative_to(self.path).as_posix())
            if len(found) >= MOST_FILES:
                break
        return found[:MOST_FILES]
