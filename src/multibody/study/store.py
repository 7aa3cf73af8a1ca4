"""A study on disk: a folder with a manifest, the plan, and a file for every chunk of members that is finished.

Chunks are NumPy's own ``.npz``: nothing has to be installed for them, every reader of arrays opens them, and a chunk is written
by itself, beside its place, brought to the disk and renamed, so that it is there as a whole or not at all. A file that grows
(netCDF, one Parquet file, an array that is written into) would have to be mended after a process was killed.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import pathlib
import zipfile
from dataclasses import dataclass
from typing import Any

import numpy as np

from multibody._target import named_path, write_whole
from multibody._version import __version__
from multibody.errors import ModelError
from multibody.study.distributions import Floats
from multibody.study.members import FAILED, WAITING, Computed

MANIFEST, PLAN = "study.json", "plan.npy"
FORM = 1
WORDS = {
    "model": "another model", "plan": "other values", "outputs": "other outputs",
    "options": "another analysis or other options",
}  # fmt: skip


@dataclass
class Store:
    """A folder that chunks of a study are kept in.

    Attributes
    ----------
    folder : Path
    digest : str
        Of the study: chunks of another one are not taken.
    size : int
        Members of a chunk.
    count : int
        Members of the study.
    """

    folder: pathlib.Path
    digest: str
    size: int
    count: int

    def write(self, first: int, computed: Computed) -> None:
        """Keep a chunk; members that are not computed yet may be among it.

        Raises
        ------
        WriteError
            If it cannot be written; what was kept before is as it was.
        """
        made = io.BytesIO()
        said = np.frombuffer(json.dumps(computed.messages).encode(), dtype=np.uint8)
        np.savez(
            made, study=np.array(self.digest), first=np.array(first), outputs=computed.outputs, status=computed.status,
            messages=said,
        )  # fmt: skip
        write_whole(self._file(first), made.getvalue())

    def read(self, first: int, outputs: int) -> Computed | None:
        """Return a chunk that was kept; None where there is none that can be believed."""
        length = min(self.size, self.count - first)
        try:
            with self._file(first).open("rb") as file, np.load(file, allow_pickle=False) as kept:
                same = str(kept["study"]) == self.digest and int(kept["first"]) == first
                found = Computed(kept["outputs"], kept["status"], json.loads(kept["messages"].tobytes().decode()))
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
            return None
        shaped = found.outputs.shape == (length, outputs) and found.status.shape == (length,) and len(found.messages) == length
        known = shaped and bool(np.all((found.status >= 0) & (found.status <= max(WAITING, FAILED))))
        return found if same and known else None

    def _file(self, first: int) -> pathlib.Path:
        """Return the file of the chunk that begins with a member."""
        return self.folder / f"chunk-{first:010d}.npz"


def digests_of(text: str, values: Floats, keys: tuple[str, ...], outputs: Any, options: Any) -> dict[str, str]:
    """Return what tells one study from another: hashes of the model, the plan, the outputs and the options.

    Parameters
    ----------
    text : str
        The model as a file has it.
    values : array (members, varied)
    keys : tuple of str
    outputs, options : objects
        Whose text says what they are.
    """
    def of(*parts: bytes) -> str:
        return hashlib.sha256(b"\0".join(parts)).hexdigest()[:32]

    return {
        "model": of(text.encode()), "plan": of(repr(keys).encode(), np.ascontiguousarray(values).tobytes()),
        "outputs": of(repr(outputs).encode()), "options": of(repr(options).encode()),
    }  # fmt: skip


def open_store(
    folder: str | os.PathLike[str], digests: dict[str, str], values: Floats, size: int, about: dict[str, Any], resume: bool
) -> Store:
    """Return the store of a study, a new one or with ``resume`` the one that is there.

    Parameters
    ----------
    folder : path
        Made where it is not there; the folder above it has to be.
    digests : dict
        Of :func:`digests_of`.
    values : array (members, varied)
    size : int
        Members of a chunk, of a new store.
    about : dict
        Plain data that is kept with it.
    resume : bool
        Whether what is there is gone on with.
    """
    place = pathlib.Path(named_path(folder, "study.store"))
    digest = hashlib.sha256(repr(sorted(digests.items())).encode()).hexdigest()[:32]
    if _is_there(place):
        if not resume:
            hint = "resume=True (--resume) goes on with it; else name another folder"
            raise ModelError("it holds a study already", file=str(place), hint=hint)
        return _resumed(place, digests, digest, values)
    try:
        place.mkdir(exist_ok=True)
        strangers = [item.name for item in place.iterdir() if not item.name.startswith(".") and item.name != PLAN]
    except OSError as error:
        raise ModelError(f"the store cannot be made ({error.strerror})", file=str(place), hint="name another folder") from None
    if strangers:
        raise ModelError(f"the folder is not empty ({strangers[0]})", file=str(place), hint="name a new or an empty folder")
    _write_plan(place, values)
    told = {"form": FORM, "version": __version__, "digest": digest, "digests": digests, "chunk": size, **about}
    write_whole(place / MANIFEST, json.dumps(told, indent=1).encode())  # last: with it the store is complete
    return Store(place, digest, size, len(values))


def _is_there(place: pathlib.Path) -> bool:
    """Return whether a folder holds a study."""
    try:
        return (place / MANIFEST).exists()
    except OSError as error:
        problem = f"the store cannot be reached ({error.strerror})"
        raise ModelError(problem, file=str(place), hint="name another folder") from None


def _write_plan(place: pathlib.Path, values: Floats) -> None:
    """Keep the values of all members."""
    made = io.BytesIO()
    np.save(made, values)
    write_whole(place / PLAN, made.getvalue())


def read_plan(place: pathlib.Path, digest: str, keys: tuple[str, ...]) -> Floats:
    """Return the values of all members; a ValueError where they are not those that the study was begun with."""
    values: Floats = np.load(place / PLAN, allow_pickle=False).astype(float)
    if digests_of("", values, keys, None, None)["plan"] != digest:
        raise ValueError("plan")
    return values


def read_manifest(place: pathlib.Path) -> dict[str, Any]:
    """Return what a store says about its study."""
    try:
        found = json.loads((place / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "it is damaged"
        raise ModelError(f"it holds no study ({why})", file=str(place / MANIFEST), hint="name the folder of a store") from None
    if not isinstance(found, dict) or found.get("form") != FORM:
        problem = "it is damaged, or of another version of the package"
        raise ModelError(problem, file=str(place / MANIFEST), hint="compute the study anew")
    return found


def chunk_of(manifest: dict[str, Any]) -> int:
    """Return how many members a chunk of a store has; a ValueError if that cannot be."""
    size = manifest["chunk"]
    if not isinstance(size, int) or size < 1:
        raise ValueError("chunk")
    return size


def _resumed(place: pathlib.Path, digests: dict[str, str], digest: str, values: Floats) -> Store:
    """Return the store that is there, refused if it is of another study; a plan that is damaged is written again."""
    found = read_manifest(place)
    try:
        size, before, version = chunk_of(found), dict(found["digests"]), str(found["version"])
    except (KeyError, TypeError, ValueError):
        raise ModelError("the store is damaged", file=str(place / MANIFEST), hint="name another folder") from None
    if found.get("digest") != digest:
        differs = [words for key, words in WORDS.items() if before.get(key) != digests[key]]
        if not differs:
            raise ModelError("the store is damaged", file=str(place / MANIFEST), hint="name another folder")
        hint = "name another folder, or ask for what it was begun with"
        raise ModelError(f"the store is of another study ({', '.join(differs)})", file=str(place), hint=hint)
    if version != __version__:
        problem = f"the store was begun with version {version} of the package, and this is {__version__}"
        raise ModelError(problem, file=str(place), hint="members of one study are computed by one version; name another folder")
    try:
        whole = np.array_equal(np.load(place / PLAN, allow_pickle=False), values)
    except (OSError, ValueError, EOFError):
        whole = False
    if not whole:
        _write_plan(place, values)
    return Store(place, digest, size, len(values))
