"""A part: what a body takes from a file of solids, in the unit of that file."""

from __future__ import annotations

import functools
import os
import pathlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from multibody.errors import ModelError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]

UNITS: dict[str, float | None] = {".stl": None, ".obj": None, ".glb": 1.0, ".step": 1e-3, ".stp": 1e-3}
"""Endings of files of solids, and the unit of what is read from them [m]; None: the file knows none.

A STEP file states its unit, from which OCP converts to millimeters."""
STATED = frozenset({".step", ".stp"})  # these say in which unit their numbers are: nobody else may
MOST_BYTES = 100_000_000  # larger files are refused


@dataclass(frozen=True)
class Cylinder:
    """The axis of a round face, or of several that are one cylinder.

    Attributes
    ----------
    at : tuple of 3 floats
        The middle of its length on the axis [unit of the file].
    axis : tuple of 3 floats
        Of length 1; the first of its components that is not zero, from z to x, is positive.
    radius, length : float
        [unit of the file]
    inside : bool
        Whether the material is around it (a hole) or within it (a pin).
    """

    at: tuple[float, float, float]
    axis: tuple[float, float, float]
    radius: float
    length: float
    inside: bool


@dataclass(frozen=True, eq=False)
class Part:
    """Solids of a file, of density 1, in the axes and the unit of the file.

    Attributes
    ----------
    file : str
    unit : float or None
        Length of 1 in the numbers below [m]; None: the file knows none.
    solids : int
        How many closed pieces it has.
    volume : float
        [unit³]
    center : array (3,)
        Centroid of the volume [unit].
    inertia : array (3, 3)
        ∫(|r|² E − r rᵀ) dV about the centroid; off-diagonals are −∫xy dV [unit⁵].
    cylinders : dict of Cylinder
        By the names of their frames; only STEP files know them.
    """

    file: str
    unit: float | None
    solids: int
    volume: float
    center: Floats
    inertia: Floats
    cylinders: dict[str, Cylinder]

    @property
    def stated(self) -> bool:
        """Whether the file says in which unit its numbers are, so that nobody else may."""
        return pathlib.Path(self.file).suffix.lower() in STATED

    def plain(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {
            "file": self.file,
            "unit_in_meters": self.unit,
            "solids": self.solids,
            "volume": self.volume,
            "center": self.center.tolist(),
            "inertia": self.inertia.tolist(),
            "frames": {name: asdict(cylinder) for name, cylinder in self.cylinders.items()},
        }


def read_part(name: str, beside: Sequence[str] = (), where: str = "") -> Part:
    """Return the solids of a file.

    Parameters
    ----------
    name : str
        Of an STL, OBJ, GLB or STEP file.
    beside : sequence of str
        Files in whose folders it is looked for before the current folder.
    where : str
        What names it, for messages.

    Raises
    ------
    ModelError
        Where the file is missing, damaged, too large or of another kind, where its surface encloses no volume, or where
        the package that reads it is not installed.
    """
    file = find_file(name, beside, where)
    return _read_part(str(file), file.stat().st_mtime_ns, name, where)


@functools.lru_cache(maxsize=64)
def _read_part(file: str, _changed: int, name: str, where: str) -> Part:
    """Return the solids of a file that is there; kept until it changes."""
    ending = pathlib.Path(file).suffix.lower()
    if ending in STATED:
        from multibody.cad.cylinders import named_cylinders
        from multibody.cad.step import read_step, volume_properties

        shape = read_step(file, name, where)
        solids, volume, center, inertia = volume_properties(shape, name, where)
        return Part(name, UNITS[ending], solids, volume, center, inertia, named_cylinders(shape))
    from multibody.cad.closed import mass_properties
    from multibody.cad.triangles import read_triangles

    solids, volume, center, inertia = mass_properties(*read_triangles(file, name, where), name, where)
    return Part(name, UNITS[ending], solids, volume, center, inertia, {})


def find_file(name: str, beside: Sequence[str], where: str) -> pathlib.Path:
    """Return the file of a mesh or a part: beside these files, else from the current folder; no other kind, none too large."""
    file = _search(name, beside, where)
    if file.suffix.lower() not in UNITS:
        raise ModelError(f'no solid is read from "{name}"', where=where, hint=f"its name ends in {', '.join(UNITS)}")
    size = file.stat().st_size
    if size > MOST_BYTES:
        problem = f'"{name}" is too large ({size / 1e6:.0f} MB; at most {MOST_BYTES / 1e6:.0f} are read)'
        raise ModelError(problem, where=where, hint="export it with less detail")
    return file


def _search(name: str, beside: Sequence[str], where: str) -> pathlib.Path:
    """Return a plain file of this name."""
    for folder in [*(pathlib.Path(file).parent for file in beside), pathlib.Path()]:
        try:
            if (folder / name).is_file():
                return folder / name
        except (OSError, ValueError):  # a name that no file can have
            break
    place = f" beside {pathlib.Path(beside[0]).name}" if beside else " in the current folder"
    raise ModelError(f'there is no file "{name}"{place}', where=where, hint="check the path")


def short_of(error: Exception) -> str:
    """Return what another package says of a file, in a few words."""
    return str(error).splitlines()[0][:100] if str(error) else type(error).__name__


def missing(name: str, package: str, extra: str, where: str) -> ModelError:
    """Return what is said of a file whose reader is not installed."""
    hint = f"python -m pip install 'multibody[{extra}]'"
    return ModelError(f'"{name}" needs {package}, which is not installed', where=where, hint=hint)


def as_text(file: Any, where: str) -> str:
    """Return the name of a file as text."""
    if not isinstance(file, str | os.PathLike):
        raise ModelError(f"file is {file!r}", where=where, hint='name a file: "arm.step"')
    return os.fspath(file) if isinstance(os.fspath(file), str) else os.fsdecode(file)
