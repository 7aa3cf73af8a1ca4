"""Numbered PNG files: ``frames/x.png`` means ``frames/x-0001.png``, ``frames/x-0002.png`` and so on."""

from __future__ import annotations

import contextlib
import itertools
import os
import pathlib
import re
import secrets
import shutil
from collections.abc import Callable, Iterator

from multibody._target import FORCED, WriteError
from multibody.errors import ModelError
from multibody.view.film.boxes import Pixels

DIGITS = 4  # of a number, at least


def numbered(file: pathlib.Path, k: int, count: int) -> str:
    """Return the name of the k-th of so many frames, counted from 0."""
    return f"{file.stem}-{k + 1:0{max(DIGITS, len(str(count)))}d}{file.suffix}"


def existing(file: pathlib.Path) -> list[pathlib.Path]:
    """Return the frames that lie there already: unbroken series from number 1, with numbers of one width each.

    A number alone does not make a frame: ``x-20240101.png`` is somebody's picture of a day.
    """
    form = re.compile(re.escape(file.stem) + rf"-([0-9]{{{DIGITS},}}){re.escape(file.suffix)}")
    found = {match[1] for item in file.parent.iterdir() if (match := form.fullmatch(item.name))}
    series: list[str] = []
    for width in sorted({len(number) for number in found}):
        numbers = (f"{k:0{width}d}" for k in itertools.count(1))
        series += itertools.takewhile(lambda number: number in found, numbers)
    return [file.parent / f"{file.stem}-{number}{file.suffix}" for number in series]


def check_sequence(file: pathlib.Path, force: bool) -> None:
    """Refuse to write over frames that lie there already, unless told to."""
    _refuse(file, [] if force else existing(file))


def _refuse(file: pathlib.Path, found: list[pathlib.Path]) -> None:
    """Say that there are files which frames would replace, if there are."""
    if found:
        raise ModelError(f"{len(found)} frames exist already, such as {found[0].name}", file=str(file), hint=FORCED)


def write_sequence(
    file: pathlib.Path, frames: Iterator[Pixels], count: int, force: bool, progress: Callable[[int, int], None]
) -> None:
    """Write all frames, or none where that fails; frames of an earlier film are replaced, also those that were more."""
    from PIL import Image

    made = [file.parent / numbered(file, k, count) for k in range(count)]
    _refuse(file, [] if force else [frame for frame in made if os.path.lexists(frame)])
    beside = file.parent / f".{file.stem[:80]}.{secrets.token_hex(6)}"
    try:
        beside.mkdir()
        for k, frame in enumerate(frames):
            Image.fromarray(frame).convert("RGB").save(beside / made[k].name, "PNG", compress_level=4)
            progress(k + 1, count)
        surplus = sorted(set(existing(file)).difference(made)) if force else []
        for target in made:
            os.replace(beside / target.name, target)
        for old in surplus:  # the last to do: nothing is taken away before there is something in its place
            old.unlink()
    except OSError as error:
        hint = "check the path and the room on the disk"
        raise WriteError(f"it cannot be written ({error.strerror})", file=str(file), hint=hint) from None
    finally:
        with contextlib.suppress(OSError):
            shutil.rmtree(beside)
