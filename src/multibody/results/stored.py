"""Runs in files, whole: what the program keeps of a motion, and the model itself, so that a file alone gives the run back."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np

from multibody.analyses.dynamics import Dynamics, Event
from multibody.analyses.motion import Motion, Singularity
from multibody.analyses.state import State, Status
from multibody.analyses.system import tables_of
from multibody.errors import ModelError
from multibody.model.model import Model
from multibody.results.finite import finite

if TYPE_CHECKING:
    import xarray

    from multibody.results.run import Run

FORMAT = 1
MOTION = ("q", "v", "a", "sigma", "references")
FORCES = ("multipliers", "kinetic", "potential", "work", "efforts", "loads")
PREFIX = "kept_"


def kept(run: Run, text: str) -> xarray.Dataset:
    """Return the dataset of a run with the arrays that the program keeps of it, and the model as text."""
    motion, data = run.motion, run.data
    for name in MOTION:
        data[f"{PREFIX}{name}"] = _column(name, np.asarray(getattr(motion, name)), len(motion.t))
    if motion.dynamics is not None:
        for name in FORCES:
            data[f"{PREFIX}{name}"] = _column(name, np.asarray(getattr(motion.dynamics, name)), len(motion.t))
        data[f"{PREFIX}rows"] = ((f"{PREFIX}row",), np.asarray(motion.dynamics.rows))
    about = {
        "format": FORMAT, "forces": motion.dynamics is not None, "status": _plain(run.status),
        "statistics": finite(run.statistics), "notes": [str(note) for note in motion.notes],
        "force_notes": [] if motion.dynamics is None else list(motion.dynamics.notes),
        "singularities": [item.plain() for item in run.singularities], "branches": [list(item) for item in run.branches],
        "events": [{"name": e.name, "time": e.time, "terminal": e.terminal} for e in _events(motion)],
        "certificate": finite(run.certificate), "initial": [float(x) for x in motion.initial.q],
    }  # fmt: skip
    data.attrs |= {"model_text": text, "kept": json.dumps(about)}
    return data


def _events(motion: Motion) -> list[Event]:
    """Return the events that the analysis itself met."""
    return motion.events if motion.dynamics is None else motion.dynamics.events


def _column(name: str, values: Any, count: int) -> tuple[tuple[str, ...], Any]:
    """Return an array with its dimensions: the first is time where it has as many rows."""
    timed = values.ndim == 2 or (values.ndim == 1 and len(values) == count and name != "references")
    return ("time" if timed else f"{PREFIX}{name}_0", *(f"{PREFIX}{name}_{k}" for k in range(1, values.ndim))), values


def _plain(status: Status) -> dict[str, Any]:
    """Return a status as JSON has it, all of its fields."""
    return {field.name: getattr(status, field.name) for field in fields(status)}


def motion_of(data: xarray.Dataset, model: Model, file: str) -> Motion:
    """Return the motion that a file holds.

    Parameters
    ----------
    data : xarray.Dataset
        As :func:`kept` made it.
    model : Model
        Read from the file's own text.
    file : str
        For messages.

    Raises
    ------
    ModelError
        If the data do not fit the model.
    """
    about = json.loads(data.attrs["kept"])
    if about["format"] > FORMAT:
        raise ModelError("it was written by a later version", file=file, hint="install the present one")
    tables = tables_of(model)
    found = {name: np.array(data[f"{PREFIX}{name}"].values) for name in MOTION}
    t = np.array(data["time"].values, dtype=float)
    if found["q"].shape != (len(t), tables.nq) or found["v"].shape != (len(t), tables.nv):
        raise ModelError("its data do not fit the model in it", file=file, hint="save the run again")
    status = Status(**about["status"])
    events = [Event(e["name"], e["time"], e["terminal"], *_state_at(found, t, e["time"])) for e in about["events"]]
    dynamics = None
    if about["forces"]:
        parts: dict[str, Any] = {name: np.array(data[f"{PREFIX}{name}"].values) for name in FORCES}
        rows = np.array(data[f"{PREFIX}rows"].values, dtype=np.int64)
        dynamics = Dynamics(**parts, rows=rows, events=events, notes=about["force_notes"])
    references = found["references"][0] if found["references"].ndim == 2 and len(t) else found["references"]
    first = found["v"][0] if len(t) else np.zeros(tables.nv)
    initial = State(tables, float(t[0]) if len(t) else 0.0, np.array(about["initial"]), first, references, "", status)
    return Motion(
        tables, t, found["q"], found["v"], found["a"], found["sigma"], found["references"], status, initial,
        [Singularity(**item) for item in about["singularities"]], [(item[0], item[1]) for item in about["branches"]],
        about["statistics"], about["certificate"], dynamics, about["notes"], events=[] if dynamics is not None else events,
    )  # fmt: skip


def _state_at(found: dict[str, Any], t: Any, time: float) -> tuple[Any, Any]:
    """Return the state of the instant nearest to an event."""
    k = int(np.argmin(np.abs(t - time))) if len(t) else 0
    return (found["q"][k], found["v"][k]) if len(t) else (np.zeros(0), np.zeros(0))


def open_stored(file: str) -> xarray.Dataset:
    """Return the dataset of a results file, in memory.

    Raises
    ------
    ModelError
        If there is no such file, it is damaged, or it holds no model.
    """
    import pathlib

    import xarray

    if not pathlib.Path(file).is_file():
        raise ModelError("there is no such file", file=file, hint="check the path")
    try:
        import h5netcdf  # noqa: F401
    except ImportError as error:
        raise ModelError(f"netCDF needs a further package ({error})", file=file, hint="pip install multibody[netcdf]") from None
    try:
        with xarray.open_dataset(file, engine="h5netcdf") as opened:
            data = opened.load()
    except Exception:  # HDF5 has many ways to say it
        raise ModelError("it is no results file, or it is damaged", file=file, hint="save the run again") from None
    if "model_text" not in data.attrs or "kept" not in data.attrs:
        raise ModelError("it holds no model", file=file, hint="save the run again with run.save(\"run.nc\")")
    return data
