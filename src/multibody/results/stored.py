"""Runs in files, whole: what the program keeps of a motion, and the model itself, so that a file alone gives the run back."""

from __future__ import annotations

import json
import os
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from multibody.analyses.events.impulse import Impulse, impulse_motion
from multibody.errors import ModelError
from multibody.model.model import Model
from multibody.results.finite import finite
from multibody.state.kinetics import Dynamics, Event
from multibody.state.motion import Motion, Singularity
from multibody.state.state import State, Status
from multibody.state.system import tables_of

if TYPE_CHECKING:
    import xarray

    from multibody.results.run import Run

FORMAT = 1
MOTION = ("q", "v", "a", "sigma", "references")
FORCES = ("multipliers", "kinetic", "potential", "work", "efforts", "loads")
IMPULSES = ("q", "before", "after", "references", "multipliers", "independent")
PREFIX = "kept_"
TABLES = (".csv", ".parquet", ".json")  # files that hold numbers of a run and cannot give it back
KINDS: dict[str, type] = {
    "format": int, "forces": bool, "status": dict, "statistics": dict, "notes": list, "force_notes": list,
    "singularities": list, "branches": list, "events": list, "certificate": dict, "initial": list,
}  # fmt: skip


def kept(run: Run, text: str) -> xarray.Dataset:
    """Return the dataset of a run with the arrays that the program keeps of it, and the model as text."""
    motion, data = run.motion, run.data
    for name in MOTION:
        data[f"{PREFIX}{name}"] = _column(name, np.asarray(getattr(motion, name)), len(motion.t))
    if motion.dynamics is not None:
        for name in FORCES:
            data[f"{PREFIX}{name}"] = _column(name, np.asarray(getattr(motion.dynamics, name)), len(motion.t))
        data[f"{PREFIX}rows"] = ((f"{PREFIX}row",), np.asarray(motion.dynamics.rows))
    impulses = [event.impulse for event in _events(motion) if event.impulse is not None]
    for name in IMPULSES if impulses else ():
        values = np.array([_of_impulse(impulse)[name] for impulse in impulses])
        data[f"{PREFIX}impulse_{name}"] = ((f"{PREFIX}impulse", f"{PREFIX}impulse_{name}_1"), values)
    about = {
        "format": FORMAT, "forces": motion.dynamics is not None, "status": _plain(run.status),
        "statistics": finite(run.statistics), "notes": [str(note) for note in motion.notes],
        "force_notes": [] if motion.dynamics is None else list(motion.dynamics.notes),
        "singularities": [item.plain() for item in run.singularities], "branches": [list(item) for item in run.branches],
        "events": [event.plain() for event in _events(motion)],
        "certificate": finite(run.certificate), "initial": [float(x) for x in motion.initial.q],
    }  # fmt: skip
    data.attrs |= {"model_text": text, "kept": json.dumps(about)}
    return data


def _events(motion: Motion) -> list[Event]:
    """Return the events that the analysis itself met."""
    return motion.events if motion.dynamics is None else motion.dynamics.events


def _of_impulse(impulse: Impulse) -> dict[str, Any]:
    """Return the arrays of an impulse: state, velocities on either side, multipliers and which rows are independent."""
    there, dynamics = impulse.motion, impulse.motion.dynamics
    assert dynamics is not None
    independent = np.zeros(len(impulse.multipliers), dtype=np.int8)
    independent[dynamics.rows] = 1
    values = (there.q[0], impulse.before, impulse.after, there.references[0], impulse.multipliers, independent)
    return dict(zip(IMPULSES, values, strict=True))


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
        If the data do not fit the model, or are damaged.
    """
    try:
        return _motion(data, model, file)
    except ModelError:
        raise
    except (LookupError, TypeError, ValueError, AttributeError):  # whatever is missing, or is something else
        raise damaged(file) from None


def damaged(file: str) -> ModelError:
    """Return the error for a file that cannot be read."""
    return ModelError("it is no results file, or it is damaged", file=file, hint="save the run again")


def _about(data: xarray.Dataset, file: str) -> dict[str, Any]:
    """Return what is kept beside the arrays."""
    about: dict[str, Any] = json.loads(data.attrs["kept"])
    if about["format"] > FORMAT:
        raise ModelError("it was written by a later version", file=file, hint="install the present one")
    if not all(isinstance(about[key], kind) for key, kind in KINDS.items()):
        raise damaged(file)
    return about


def _status(about: dict[str, Any]) -> Status:
    """Return the status of the run."""
    found = Status(**about["status"])
    if not isinstance(found.success, bool) or not isinstance(found.message, str) or not isinstance(found.advice, str):
        raise TypeError
    return replace(found, time_reached=float(found.time_reached), gap=float(found.gap))


def _motion(data: xarray.Dataset, model: Model, file: str) -> Motion:
    """Return the motion of a file that is as it should be."""
    about, tables = _about(data, file), tables_of(model)
    if "time" not in data.variables:  # xarray would count the instants
        raise damaged(file)
    found = {name: np.array(data[f"{PREFIX}{name}"].values) for name in MOTION}
    t = np.array(data["time"].values, dtype=float)
    widths = {"q": tables.nq, "v": tables.nv, "a": tables.nv}
    if any(found[name].shape != (len(t), width) for name, width in widths.items()) or len(about["initial"]) != tables.nq:
        raise ModelError("its data do not fit the model in it", file=file, hint="save the run again")
    status = _status(about)
    references = found["references"][0] if found["references"].ndim == 2 and len(t) else found["references"]
    first = found["v"][0] if len(t) else np.zeros(tables.nv)
    start = np.array(about["initial"], dtype=float)
    initial = State(tables, float(t[0]) if len(t) else 0.0, start, first, references, "", status)
    events, dynamics = _read_events(data, about["events"], found, t, initial), None
    if about["forces"]:
        parts: dict[str, Any] = {name: np.array(data[f"{PREFIX}{name}"].values) for name in FORCES}
        rows = np.array(data[f"{PREFIX}rows"].values, dtype=np.int64)
        dynamics = Dynamics(**parts, rows=rows, stored=True, events=events, notes=about["force_notes"])
    return Motion(
        tables, t, found["q"], found["v"], found["a"], found["sigma"], found["references"], status, initial,
        [Singularity(**item) for item in about["singularities"]], [(item[0], item[1]) for item in about["branches"]],
        about["statistics"], about["certificate"], dynamics, about["notes"], events=[] if dynamics is not None else events,
    )  # fmt: skip


def _read_events(data: xarray.Dataset, listed: list[Any], found: dict[str, Any], t: Any, initial: State) -> list[Event]:
    """Return the events of a file; where velocities jumped with their impulses, in the order in which these are kept."""
    with_impulse = [e for e in listed if "impulse" in e]
    parts = {name: np.array(data[f"{PREFIX}impulse_{name}"].values) for name in IMPULSES} if with_impulse else {}
    events = []
    for e in listed:
        if "impulse" not in e:
            events.append(Event(e["name"], float(e["time"]), e["terminal"], *_state_at(found, t, float(e["time"]))))
            continue
        k = sum(event.impulse is not None for event in events)
        own = {name: values[k] for name, values in parts.items()}
        there = replace(initial, t=float(e["time"]), q=own["q"], v=own["after"], references=own["references"])
        motion = impulse_motion(initial.tables, there, own["multipliers"], np.flatnonzero(own["independent"]))
        names, work = [str(name) for name in e["impulse"]["names"]], float(e["impulse"]["work"])
        impulse = Impulse(names, own["before"], own["after"], own["multipliers"], work, motion)
        events.append(Event(e["name"], there.t, e["terminal"], own["q"], own["after"], impulse))
    return events


def _state_at(found: dict[str, Any], t: Any, time: float) -> tuple[Any, Any]:
    """Return the state of the instant nearest to an event."""
    k = int(np.argmin(np.abs(t - time))) if len(t) else 0
    return (found["q"][k], found["v"][k]) if len(t) else (np.zeros(0), np.zeros(0))


def open_stored(file: str) -> xarray.Dataset:
    """Return the dataset of a file that a run was saved to, in memory.

    Raises
    ------
    ModelError
        If there is no such file, it is damaged, or it holds no model.
    """
    ending = os.path.splitext(file)[1].lower()
    if ending in TABLES:
        reader = {".csv": "pandas.read_csv", ".parquet": "pandas.read_parquet"}.get(ending, "json.load")
        hint = f"save it as .nc or .mat; {reader} reads this file"
        raise ModelError(f"{ending} has numbers of a run, not the run", file=file, hint=hint)
    if ending == ".mat":
        from multibody.results.mat import read_mat

        require_file(file)
        return read_mat(file)
    data = read_whole(file)
    if "model_text" not in data.attrs or "kept" not in data.attrs:
        raise ModelError("it holds no model", file=file, hint='save the run again with run.save("run.nc")')
    if not all(isinstance(data.attrs[name], str) for name in ("model_text", "kept")):
        raise damaged(file)
    return data


def require_file(file: str) -> None:
    """Raise where there is no such file."""
    if not os.path.isfile(file):
        raise ModelError("there is no such file", file=file, hint="check the path")


def read_whole(file: str) -> xarray.Dataset:
    """Return the dataset of a netCDF file, in memory.

    Raises
    ------
    ModelError
        If there is no such file, or it is damaged.
    """
    import xarray

    require_file(file)
    try:
        import h5netcdf  # noqa: F401
    except ImportError as error:
        raise ModelError(f"netCDF needs a further package ({error})", file=file, hint="pip install multibody[netcdf]") from None
    try:
        with xarray.open_dataset(file, engine="h5netcdf") as opened:
            return opened.load()
    except Exception:  # HDF5 has many ways to say it
        raise damaged(file) from None
