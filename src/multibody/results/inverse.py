"""The answer of inverse dynamics: efforts as labeled data, with the motion that needs them."""

from __future__ import annotations

import json
import pathlib
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from multibody._result_verbs import PageVerbs, SizingVerbs
from multibody._target import check_target, named_path, write_whole
from multibody.analyses.inverse.inverse import coordinate_key
from multibody.analyses.inverse.virtual_power import Actuator, Efforts
from multibody.analyses.measures.measure import Measure
from multibody.arguments import answered, warn
from multibody.errors import ModelError
from multibody.model.units import Units
from multibody.results.columns import Column, Columns, csv_bytes, parquet_bytes, to_frame
from multibody.results.event_list import Events
from multibody.results.finite import finite
from multibody.results.mat import mat_bytes, table_contents
from multibody.results.netcdf import netcdf
from multibody.results.plain import NO_GRAVITY
from multibody.results.reading import path_text, sealed, several
from multibody.results.run import Run
from multibody.results.save import check_form
from multibody.state.state import Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas
    import xarray

    from multibody.results.load_table import Loads
    from multibody.view.plots import Plots

SIGN = "positive if it raises the coordinate"


@answered
class Inverse(SizingVerbs, PageVerbs):
    """Efforts over time.

    Parameters
    ----------
    found : Efforts

    Attributes
    ----------
    names : list of str
        The coordinates on which the efforts act, as the motions (or `efforts`) spell them. An effort is found by any
        spelling of its coordinate: ``inverse["O"]``, ``inverse["O.angle"]``, each also with ``.effort``.
    motion : Run
        The prescribed motion, with the reactions and energies that belong to these efforts.
    status : Status
        Not successful where the motion locks up, or at some instant needs an effort that no chosen actuator can give.
    blocked : list of Blocked
        Those instants; efforts and reactions are NaN there, and ``direction`` says what no actuator can move.
    unique : dict
        Whether each effort has one value only. If not, the smallest set is given: the sum of squares of moments and of
        forces times the characteristic length.
    condition : array (instants,)
        How well the actuators grasp the motion: 1 fully, large near a dead point, infinite at it.
    notes : list of str
    """

    def __init__(self, found: Efforts) -> None:
        self._actuators = {actuator.name: actuator for actuator in found.actuators}
        self._values = dict(zip(self._actuators, found.values.T, strict=True))
        self._keys = {coordinate_key(found.motion.tables.model, name, "inverse"): name for name in self._actuators}
        self.names = list(self._actuators)
        self.unique = dict(zip(self.names, found.unique, strict=True))
        self.status: Status = found.status
        self.blocked, self.condition, self._found_notes = found.blocked, sealed(found.condition), found.notes
        self.motion = Run(found.motion)
        self.model, self.tables = self.motion.model, self.motion.tables
        self.singularities = self.motion.singularities
        if self.motion.ok and not self.ok:
            warn(f"{self.model.name}: {self.status.sentence}")

    @cached_property
    def notes(self) -> list[str]:
        """What one should know beside the numbers, and what the motion under these efforts has to say."""
        return [*self._found_notes, *(note for note in self.motion.notes if note != NO_GRAVITY)]

    @property
    def ok(self) -> bool:
        """Whether every instant has its efforts."""
        return self.status.success

    @property
    def time(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        """The instants."""
        return self.motion.time

    def _unit(self, actuator: Actuator) -> str:
        """Return the unit of an effort in the model's units."""
        return self.model.units.names["force" if actuator.is_length else "moment"]

    def _named(self, path: str) -> str:
        """Return the actuator whose coordinate a path names in any spelling, "" where there is none."""
        text = path.removesuffix(".effort")
        if text in self._actuators or not all(part.isidentifier() for part in text.split(".")):
            return text if text in self._actuators else ""
        try:
            name = self._keys.get(coordinate_key(self.model, text, "inverse"), "")
        except ModelError:  # no coordinate: the motion knows it or says what is wrong
            return ""
        if name and text == path:
            message = f'inverse["{path}"] is the effort, as inverse["{name}"]; the coordinate is inverse.motion["{path}"]'
            warn(message, FutureWarning)
        return name

    def actuator(self, path: str) -> Actuator | None:
        """Return the actuator on a coordinate, in any spelling; None where there is none."""
        return self._actuators.get(self._named(f"{path.removesuffix('.effort')}.effort"))

    def measurer(self, path: str) -> Measure:
        """Return an effort by its coordinate, or any path of the motion."""
        name = self._named(path)
        if not name:
            measure: Measure = self.motion.measurer(path)
            return measure
        about: dict[str, Any] = {
            "path": f"{name}.effort", "sign": SIGN, "unique": self.unique[name],
            "condition": float(np.max(self.condition, initial=1.0)),
        }  # fmt: skip
        return Measure(self._values[name], self._unit(self._actuators[name]), about)

    def __getitem__(self, path: Any) -> Any:
        """Return an effort over time (``inverse["O"]`` or ``inverse["O.effort"]``), or any other path of the motion.

        The coordinate itself is ``inverse.motion["O"]``. Several, ``inverse["O", "S.effort"]``, come as a dataset. The values
        are the caller's own.
        """
        import xarray

        paths = several(path)
        if paths is not None:
            return xarray.Dataset({one: self[one] for one in paths}, attrs={"model": self.model.name})
        path = path_text(path)
        name = self._named(path)
        if not name:
            return self.motion[path]
        measure = self.measurer(name)
        coords = {"time": ("time", self.time, {"unit": self.model.units.time})}
        attributes = {"unit": measure.unit, **measure.attributes}
        return xarray.DataArray(np.array(measure.values), dims=("time",), coords=coords, name=path, attrs=attributes)

    def __iter__(self) -> Any:
        """Iterate over the coordinates on which the efforts act."""
        return iter(self.names)

    @property
    def data(self) -> xarray.Dataset:
        """All efforts and their condition as one dataset over time."""
        import xarray

        columns = {f"{name}.effort": _plain_attributes(self[name]) for name in self.names}
        condition = np.array(self.condition)
        columns["condition"] = xarray.DataArray(condition, dims=("time",), coords={"time": self.time}, attrs={"unit": "1"})
        attributes: dict[str, Any] = {"model": self.model.name, "units": str(self.model.units.plain())}
        attributes |= {"status": self.status.message, "success": int(self.ok)}
        return xarray.Dataset(columns, attrs=attributes)

    def plain(self, units: str | None = None) -> dict[str, Any]:
        """Return what the command line prints as JSON; ``units="SI"`` converts."""
        si, own = units == "SI", self.model.units
        time = own.factor(0, 1, 0) if si else 1.0
        efforts = {}
        for name, actuator in self._actuators.items():
            factor = own.factor(1 if actuator.is_length else 2, -2, 1) if si else 1.0
            unit = Units().names["force" if actuator.is_length else "moment"] if si else self._unit(actuator)
            efforts[name] = {
                "effort": [float(x) * factor for x in self._values[name]], "unit": unit, "unique": self.unique[name],
            }  # fmt: skip
        return {
            "model": self.model.name,
            "units": Units().plain() if si else own.plain(),
            "status": {**self.status.plain(), "time_reached": self.status.time_reached * time},
            "time": [float(t) * time for t in self.time],
            "efforts": efforts,
            "condition": [float(x) for x in self.condition],
            "blocked": [{**item.plain(), "time": item.time * time} for item in self.blocked],
            "notes": list(self.notes),
        }

    def loads(self, joints: Sequence[str] | None = None, *, axes: str = "ground") -> Loads:
        """Return what every joint, drive and force has to carry under these efforts; as :meth:`Run.loads`."""
        return self.motion.loads(joints, axes=axes)

    def plot(
        self, *paths: str, x: str | None = None, ax: Any = None, labels: Sequence[str] | None = None,
        title: str | None = None, figsize: tuple[float, float] | None = None, legend: bool | None = None,
        grid: bool | None = None, singularities: bool = True, events: bool = True,
    ) -> Plots:  # fmt: skip
        """Plot the efforts, or chosen paths of efforts and motion, over time or against a coordinate: ``x="O"``.

        Parameters
        ----------
        *paths : str
            Default all efforts. ``"O"`` is the effort on O, as between brackets.
        x : str, optional
            Path or expression of the motion along the horizontal axis: ``"O"`` is the coordinate here, ``"O.effort"`` its
            effort. Default the time.
        ax, labels, title, figsize, legend, grid, singularities, events
            As for :meth:`Run.plot`.

        Returns
        -------
        Plots
            The axes from top to bottom, a tuple even where there is one.
        """
        from multibody.view.plot import plot_run

        return plot_run(
            self, paths or tuple(self.names), x, ax, labels=labels, title=title, figsize=figsize,  # type: ignore[arg-type]
            legend=legend, grid=grid, singularities=singularities, events=events, across=self._across,
        )  # fmt: skip

    def _across(self, path: str) -> Measure:
        """Return what efforts are plotted against: the coordinate of a name, the effort only where it is said."""
        measure: Measure = self.measurer(path) if path.endswith(".effort") else self.motion.measurer(path)
        return measure

    @property
    def events(self) -> Events:
        """Events of the motion."""
        return Events(self.motion.events)

    @property
    def _columns(self) -> Columns:
        """Efforts and their condition as columns."""
        found = [Column("time", np.array(self.time), self.model.units.time)]
        for name, actuator in self._actuators.items():
            found.append(Column(f"{name}.effort", np.array(self._values[name]), self._unit(actuator)))
        found.append(Column("condition", np.array(self.condition), ""))
        return Columns(self.model, self.status, found, self.notes)

    def to_pandas(self, *, long: bool = False) -> pandas.DataFrame:
        """Return the efforts and their condition for pandas; as :meth:`Run.to_pandas`."""
        return to_frame(self._columns, long)

    def save(self, file: str | pathlib.Path, *, long: bool = False) -> None:
        """Write the efforts to a file.

        Parameters
        ----------
        file : path
            Its ending says what: ``.csv``, ``.parquet``, ``.mat`` (MATLAB, Octave), ``.nc`` (netCDF) or ``.json``.
        long : bool
            Whether a table has a row for each effort at each instant: ``time``, ``path``, ``value``, ``unit``.
        """
        ending = check_target(file, (".csv", ".parquet", ".mat", ".nc", ".json"), self.model._files)
        check_form(pathlib.Path(named_path(file)), long=long)
        if ending in (".csv", ".parquet"):
            content = (csv_bytes if ending == ".csv" else parquet_bytes)(self._columns, long)
        elif ending == ".mat":
            content = mat_bytes(table_contents(self._columns))
        elif ending == ".json":
            content = json.dumps(finite(self.plain()), indent=1, allow_nan=False).encode()
        else:
            content = netcdf(self.data)
        write_whole(file, content)

    def __repr__(self) -> str:
        """Return a line for people."""
        names = ", ".join(self.names)
        return f"<Inverse of {self.model.name!r}: efforts on {names}, {len(self.time)} instants; {self.status.message}>"


def _plain_attributes(array: xarray.DataArray) -> xarray.DataArray:
    """Return an array whose attributes a file can hold: truth values become words."""
    array.attrs = {key: str(value).lower() if isinstance(value, bool) else value for key, value in array.attrs.items()}
    return array
