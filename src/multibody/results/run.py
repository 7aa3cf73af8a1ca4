"""A run: a motion as labelled data, read by the same paths that the model is written with."""

from __future__ import annotations

import pathlib
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from multibody._verbs import RunVerbs
from multibody.analyses.measure import Measurer
from multibody.analyses.motion import Motion, Singularity
from multibody.analyses.state import State, Status
from multibody.errors import ModelError
from multibody.results.plain import final_plain

if TYPE_CHECKING:
    import xarray


class Run(RunVerbs):
    """The result of an analysis over time.

    Parameters
    ----------
    motion : Motion

    Attributes
    ----------
    status : Status
        Finished, or why not; the time reached; advice.
    certificate : dict
        Largest violation of the constraints at position, velocity and acceleration level (scaled by the characteristic
        length), smallest singular value met.
    statistics : dict
        Steps, Newton iterations, rejected steps, wall time.
    singularities : list of Singularity
        Singular positions that were passed, touched or ended the run.
    branches : list of (time, label)
    """

    def __init__(self, motion: Motion) -> None:
        self.motion, self.tables, self.model = motion, motion.tables, motion.tables.model
        self.status: Status = motion.status
        self.certificate, self.statistics = motion.certificate, motion.statistics
        self.singularities: list[Singularity] = motion.singularities
        self.branches = motion.branches
        self.measurer = Measurer(motion.tables, motion.t, motion.q, motion.v, motion.a, motion.references)
        if not self.ok:
            advice = f"; {self.status.advice}" if self.status.advice else ""
            warnings.warn(f"{self.model.name}: {self.status.message}{advice}", RuntimeWarning, stacklevel=3)

    @property
    def ok(self) -> bool:
        """Whether it finished."""
        return self.status.success

    @property
    def time(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        """The instants."""
        return self.motion.t

    def __getitem__(self, path: str) -> xarray.DataArray:
        """Return a path or an expression of paths over time: ``run["slider.x"]``, ``run["O - 2*P"]``."""
        import xarray

        measure = self.measurer(path)
        attributes = {"unit": measure.unit, **measure.attributes}
        coords = {"time": ("time", self.time, {"unit": self.model.units.time})}
        dims = ("time",) if measure.values.ndim == 1 else ("time", "component")
        return xarray.DataArray(measure.values, dims=dims, coords=coords, name=path, attrs=attributes)

    def point(self, frame: str) -> xarray.Dataset:
        """Return position, velocity and acceleration of a frame's point over time, ground axes.

        Parameters
        ----------
        frame : str
            ``body`` (its origin) or ``body.frame``; a coupler curve is ``run.point("coupler.P").position``.
        """
        import xarray

        body, name = self.model.find_end(frame, "point")
        parts = self.measurer.frame(body, name)
        axes = list("xyz"[: self.tables.dimension])
        data = {
            key: (("time", "axis"), value, {"axes": "ground", "point": f"{body}.{name}"})
            for key, value in zip(("position", "velocity", "acceleration"), parts, strict=True)
        }
        return xarray.Dataset(
            data, coords={"time": self.time, "axis": axes}, attrs={"units": str(self.model.units.plain())}
        )

    @property
    def data(self) -> xarray.Dataset:
        """All bodies and joints as one dataset: position, velocity, acceleration, orientation, coordinates, rates."""
        from multibody.results.dataset import dataset

        return dataset(self)

    def state_at(self, k: int) -> State:
        """Return the k-th instant as a state that another analysis can start from."""
        m = self.motion
        return State(
            m.tables,
            float(m.t[k]),
            m.q[k].copy(),
            m.v[k].copy(),
            self._references(k),
            "",
            Status(True, "from a run", float(m.t[k])),
        )

    def _references(self, k: int) -> Any:
        """Return the angle references at an instant."""
        return self.motion.references[k].copy() if self.motion.references.ndim == 2 else self.motion.references.copy()

    @property
    def final(self) -> State:
        """The last instant as a state."""
        if len(self.time) == 0:
            raise ModelError("the run has no instants", hint=self.status.message)
        return self.state_at(len(self.time) - 1)

    def plain(self, units: str | None = None) -> dict[str, Any]:
        """Return what the command line prints as JSON; ``units="SI"`` converts."""
        return final_plain(self, units)

    def save(self, file: str | pathlib.Path) -> None:
        """Write the data to a file, by its ending: ``.nc`` (netCDF), ``.csv`` or ``.json``."""
        from multibody.results.save import save

        save(self, pathlib.Path(file))

    def __iter__(self) -> Iterator[str]:
        """Iterate over the paths that always exist: bodies, then joints, then outputs."""
        from multibody.results.dataset import standard_paths

        return iter(standard_paths(self.model))

    def __repr__(self) -> str:
        """Return a line for people."""
        span = (
            f"{self.time[0]:g} … {self.time[-1]:g} {self.model.units.time}, {len(self.time)} instants"
            if len(self.time)
            else "empty"
        )
        return f"<Run of {self.model.name!r}: {span}; {self.status.message}>"
