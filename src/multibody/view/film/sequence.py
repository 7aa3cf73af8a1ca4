"""Numbered PNG files: ``frames/x.png`` means ``frames/x-0001.png``, ``frames/x-0002.png`` and so on."""

from __future__ import annotations

import contextlib
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
    """Return the frames that lie there already."""
    form = re.compile(re.escape(file.stem) + r"-\d{4,}" + re.escape(file.suffix))
    return sorted(item for item in file.parent.iterdir() if form.fullmatch(item.name))


def check_sequence(file: pathlib.Path, force: bool) -> None:
    """Refuse to write over frames that lie there already, unless told to."""
    found = existing(file)
    if found and not force:
        raise ModelError(f"{len(found)} frames exist already, such as {found[0].name}", file=str(file), hint=FORCED)


def write_sequence(
    file: pathlib.Path, frames: Iterator[Pixels], count: int, force: bool, progress: Callable[[int, int], None]
) -> None:
    """Write all frames, or none where that fails; frames of an earlier film are replaced, also those that were more."""
    from PIL import Image

    beside = file.parent / f".{file.stem[:80]}.{secrets.token_hex(6)}"
    try:
        beside.mkdir()
        for k, frame in enumerate(frames):
            Image.fromarray(frame).convert("RGB").save(beside / numbered(file, k, count), "PNG", compress_level=4)
            progress(k + 1, count)
        for old in existing(file) if force else []:
            old.unlink()
        for made in sorted(beside.iterdir()):
            os.replace(made, file.parent / made.name)
    except OSError as error:
        hint = "check the path and the room on the disk"
        raise WriteError(f"it cannot be written ({error.strerror})", file=str(file), hint=hint) from None
    finally:
        with contextlib.suppress(OSError):
            shutil.rmtree(beside)
