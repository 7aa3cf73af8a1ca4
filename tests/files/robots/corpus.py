"""Robots that other people wrote, from PyPI and Debian: fetched when asked for, never kept here.

Used by the suite where the folder exists or ``MULTIBODY_CORPUS`` is set, and by ``benchmarks/corpus.py``, which makes the table
of the documentation.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import warnings
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import multibody as mb
from multibody.errors import ModelErrors, RobotNote
from multibody.files.robots.formats import READERS
from multibody.state.system import System

WHEELS = ("example-robot-data", "pybullet", "genesis-world", "rtb-data", "gym-xarm", "gym-hil", "mujoco-warp")
PACKAGES = ("dart-doc",)  # of Debian


def folder() -> Path:
    """Return where the corpus lies: ``MULTIBODY_CORPUS`` if that is a path, else in the user's cache."""
    told = os.environ.get("MULTIBODY_CORPUS", "")
    return Path(told) if "/" in told else Path.home() / ".cache" / "multibody-corpus"


def wanted() -> bool:
    """Return whether the corpus is to be read: it is there, or was asked for."""
    return bool(os.environ.get("MULTIBODY_CORPUS")) or folder().is_dir()


def fetch(name: str) -> Path | None:
    """Return the folder of an unpacked package, downloaded where it is not there; None where it cannot be had."""
    place = folder() / name.replace("-", "_")
    if place.is_dir():
        return place
    load = folder() / "downloads"
    load.mkdir(parents=True, exist_ok=True)
    try:
        if name in PACKAGES:
            subprocess.run(["apt-get", "download", name], cwd=load, check=True, capture_output=True, timeout=600)
            subprocess.run(["dpkg-deb", "-x", str(next(load.glob(f"{name}_*.deb"))), str(place)], check=True, timeout=600)
        else:
            command = [
                sys.executable,
                "-m",
                "pip",
                "download",
                "-q",
                "--no-deps",
                "--only-binary=:all:",
                "--python-version",
                "3.11",
            ]
            subprocess.run([*command, "-d", str(load), name], check=True, capture_output=True, timeout=600)
            wheel = next(load.glob(f"{name.replace('-', '_')}-*.whl"))
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(place, [item for item in archive.namelist() if not item.endswith((".so", ".pyc"))])
    except (OSError, subprocess.SubprocessError, StopIteration):
        return None
    return place


def files_of(place: Path, ending: str) -> list[Path]:
    """Return all robot files with an ending below a folder."""
    return sorted(path for path in place.rglob(f"*{ending}") if path.is_file())


@dataclass
class Reading:
    """What became of one file."""

    file: Path
    model: mb.Model | None = None
    refused: str = ""
    notes: list[str] = field(default_factory=list)

    @property
    def reason(self) -> str:
        """Why it was refused, without its own names and numbers."""
        first = self.refused.splitlines()[0]
        return grouped(first.split(": ", 1)[-1] if str(self.file) in first else first)


def grouped(sentence: str) -> str:
    """Return a sentence without the names and numbers that only one file has, so that others say the same."""
    said = re.sub(r"(Package not found|No such file or directory): .*", r"\1)", sentence.split("; ")[0])
    return re.sub(r"\b\d+\b", "N", re.sub(r'"[^"]*"', '"…"', said)).strip()


def read(file: Path, **options: object) -> Reading:
    """Return what becomes of a file; any error that is no `ModelError` goes on to the caller."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", RobotNote)
        try:
            model = mb.load(str(file), **options)
        except mb.ModelError as error:
            assert isinstance(error, ModelErrors) or "\n" not in str(error), f"more than one sentence: {error}"
            return Reading(file, refused=str(error))
    return Reading(file, model, notes=[str(item.message) for item in caught if issubclass(item.category, RobotNote)])


def endings() -> list[str]:
    """Return the endings of robot files that are read."""
    return [ending for ending in READERS if ending != ".xml"]


def gap(model: mb.Model) -> float:
    """Return the largest residual of all equations of an assembled model [m or rad]."""
    state = model.assemble()
    return float(np.max(np.abs(System(state.tables).phi(state.q, state.t)), initial=0.0))
