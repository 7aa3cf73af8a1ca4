"""A run: a motion as labeled data, read by the same paths that the model is written with."""

from __future__ import annotations

import pathlib
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, SupportsFloat, overload

import numpy as np

from multibody._result_verbs import RunVerbs
from multibody._target import named_path
from multibody.analyses.measures.contact import contact_notes
from multibody.analyses.measures.measure import Measurer
from multibody.analyses.reactions.uniqueness import smallest_singular_value
from multibody.arguments import answered, short, warn
from multibody.errors import ModelError
from multibody.model.paths import letters_of
from multibody.results.balance import Balance, balance
from multibody.results.event_list import Events
from multibody.results.force_events import result_events, unseen
from multibody.results.instant import Instant, instant_at, instant_of, slice_of
from multibody.results.plain import final_plain, gravity_notes
from multibody.results.reading import path_text, sealed, several
from multibody.state.kinetics import Event
from multibody.state.motion import Motion, Singularity
from multibody.state.state import Status
from multibody.state.system import System

if TYPE_CHECKING:
    import pandas
    import xarray

    from multibody.model.expressions import Expression
    from multibody.model.joints import Joint
    from multibody.results.keyframes import Keyframes
    from multibody.results.load_table import Loads


@answered
class Run(RunVerbs):
    """The result of an analysis over time.

    Parameters
    ----------
    motion : Motion
    quiet : bool
        Whether nothing is said where the motion ended early: whoever asked for it reads the status.

    Attributes
    ----------
    status : Status
        Finished, or why not; the time reached; advice.
    statistics : dict
        Steps, Newton iterations, rejected steps, wall time.
    singularities : list of Singularity
        Singular positions that were passed, touched or ended the run.
    branches : list of (time, label)
    events : list of Event
        Events that happened, with their times and states.
    notes : list of str
        What one should know about the run: gravity that is missing, a start that had to be changed, a cam that would have to
        pull its follower, a stop that is not left any more; formed when they are read.
    """

    def __init__(self, motion: Motion, *, quiet: bool = False) -> None:
        self.motion, self.tables, self.model = motion, motion.tables, motion.tables.model
        self.status: Status = motion.status
        if not self.ok and not quiet:
            warn(f"{self.model.name}: {self.status.sentence}")

    @cached_property
    def measurer(self) -> Measurer:
        """What reads paths: made with the arrays of the motion, when the first one is read."""
        motion = self.motion
        return Measurer(motion.tables, motion.t, motion.q, motion.v, motion.a, motion.references, motion.dynamics)

    @cached_property
    def notes(self) -> list[str]:
        """The analysis' notes, and a word where a model under forces has no gravity, a cam pulls or a stop is not left."""
        if self.motion.dynamics is None:
            return [*self.motion.notes, *(unseen(self) if self.model.events else [])]
        notes = [*self.motion.dynamics.notes, *self.motion.notes]
        return [*gravity_notes(self.tables), *notes, *contact_notes(self.measurer)]

    @property
    def statistics(self) -> dict[str, Any]:
        """Steps, iterations, rejected steps, wall time."""
        return dict(self.motion.statistics)

    @property
    def singularities(self) -> list[Singularity]:
        """Singular positions that were passed, touched or ended the run."""
        return list(self.motion.singularities)

    @property
    def branches(self) -> list[tuple[float, str]]:
        """The branch label from each time on."""
        return list(self.motion.branches)

    @property
    def events(self) -> Events:
        """Events that happened, with their times and states, in the order in which they were met; printed as a table."""
        return Events(self._events)

    @cached_property
    def _events(self) -> list[Event]:
        found = self.motion.events if self.motion.dynamics is None else self.motion.dynamics.events
        more = result_events(self) if self.model.events else []
        backward = bool(len(self.time) > 1 and self.time[-1] < self.time[0])
        return sorted([*found, *more], key=lambda event: event.time, reverse=backward) if more else found

    @property
    def certificate(self) -> dict[str, Any]:
        """How far the run can be trusted.

        Largest violation of the constraints at position and velocity level (scaled by the characteristic length), energy
        balance, smallest singular value met; :meth:`balance` adds the free-body balance of the reactions.
        """
        return dict(self._certificate)

    @cached_property
    def _certificate(self) -> dict[str, Any]:
        found, motion = dict(self.motion.certificate), self.motion
        if motion.dynamics is not None and found.get("smallest_singular_value") is None:
            system = System(self.tables)
            found["smallest_singular_value"] = smallest_singular_value(
                system, motion.dynamics.rows, motion.t, motion.q, motion.references
            )
        return found

    def balance(self) -> Balance:
        """Return the free-body balance of every body, formed from the results alone, and put it into the certificate.

        Mass times acceleration of every body is compared with gravity, the wrenches of its joints at their points and all
        other forces on it.
        """
        found = balance(self.data)
        self._certificate["reaction_balance"] = found.relative
        return found

    @property
    def ok(self) -> bool:
        """Whether it finished."""
        return self.status.success

    @property
    def time(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        """The instants, only to be read."""
        return sealed(self.motion.t)

    @overload
    def __getitem__(self, path: str | Expression | Joint) -> xarray.DataArray: ...

    @overload
    def __getitem__(self, path: tuple[Any, ...] | list[Any]) -> xarray.Dataset: ...

    def __getitem__(self, path: Any) -> Any:
        """Return a path or an expression of paths over time: ``run["slider.x"]``, ``run["O - 2*P"]``.

        Several, ``run["O", "O.rate"]``, come as a dataset. The values are the caller's own: changing them changes no run.
        """
        import xarray

        paths = several(path)
        if paths is not None:
            return xarray.Dataset({one: _apart(self[one]) for one in paths}, attrs={"model": self.model.name})
        path = path_text(path)
        measure = self.measurer(path)
        attributes = {"unit": measure.unit, **measure.attributes}
        coords: dict[str, Any] = {"time": ("time", self.time, {"unit": self.model.units.time})}
        dims = ("time",) if measure.values.ndim == 1 else ("time", "component")
        if measure.values.ndim == 2:
            coords["component"] = letters_of(measure.values.shape[1], self.tables.dimension)
        return xarray.DataArray(np.array(measure.values), dims=dims, coords=coords, name=path, attrs=attributes)

    def reactions(self, joint: str, at: str = "second", axes: str = "ground", drives: bool = False) -> xarray.Dataset:
        """Return force and moment that a joint exerts on its second body, over time.

        Parameters
        ----------
        joint : str
        at : str
            Where the moment is taken: ``second`` (origin of the joint's second frame; of a cam the contact point),
            ``first``, or a frame: ``tip`` of the second body, or ``rod.tip``.
        axes : {"ground", "body", "joint"}
            Axes of the components: the ground's, the second body's, or f, g, h of the joint's first frame.
        drives : bool
            Whether the efforts along the joint's coordinates (motions, springs, actuators, friction, stops) are added.

        Returns
        -------
        xarray.Dataset
            ``force``, ``moment``, ``point`` (ground axes), ``unique_force`` and ``unique_moment`` (whether a component has
            one value only, in spite of redundant constraints), ``effort_COORDINATE``.
        """
        from multibody.results.reactions import reactions

        return reactions(self, joint, at, axes, drives)

    def loads(self, joints: Sequence[str] | None = None, *, axes: str = "ground", refine: bool = False) -> Loads:
        """Return what every joint, drive and force has to carry: peaks with time and direction, means, unique or not.

        Parameters
        ----------
        joints : list of str, optional
            Default all, with drives, springs and other forces.
        axes : {"ground", "body", "joint"}
            Axes of the components at the peak, as for :meth:`reactions`.
        refine : bool
            Whether peaks are sought between the instants too, near the largest instant; default at the instants alone.

        Returns
        -------
        Loads
            Of joints the reaction on the second body at its frame's origin, without efforts along its coordinates.
        """
        from multibody.results.load_table import loads

        return loads(self, joints, axes, refine)

    def at(self, t: float) -> Instant:
        """Return the motion at any time of the run as a state that knows accelerations and forces too.

        ``run.at(0.3)["slider.x"]``; ``model.run(until, initial=run.at(0.3))`` starts there. Between the instants an
        integrated run is read from its dense output and closed onto the constraints; a kinematic one is solved there.
        """
        if not isinstance(t, SupportsFloat):
            raise ModelError(f"{short(t)} is not a time", where="run.at", hint="give a number")
        return instant_at(self, float(t))

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
        components = list("xyz"[: self.tables.dimension])
        data = {
            key: (("time", "component"), np.array(value), {"axes": "ground", "point": f"{body}.{name}"})
            for key, value in zip(("position", "velocity", "acceleration"), parts, strict=True)
        }
        return xarray.Dataset(
            data, coords={"time": self.time, "component": components}, attrs={"units": str(self.model.units.plain())}
        )

    @property
    def data(self) -> xarray.Dataset:
        """All bodies and joints as one dataset.

        Position, velocity, acceleration and orientation of bodies, coordinates and rates of joints; where forces are known
        also reactions, totals, efforts, energies, momentum and which reactions are unique.
        """
        from multibody.results.dataset import dataset

        return dataset(self)

    def state_at(self, k: int) -> Instant:
        """Return the k-th instant as a state that another analysis can start from."""
        count = len(self.motion.t)
        if isinstance(k, bool) or not isinstance(k, int | np.integer) or not -count <= k < count:
            raise ModelError(f"there is no instant {short(k)}", where="run.state_at", hint=f"there are {count}, counted from 0")
        return instant_of(slice_of(self.motion, range(count)[k]))

    @property
    def final(self) -> Instant:
        """The last instant as a state."""
        if len(self.time) == 0:
            raise ModelError("the run has no instants", hint=self.status.message)
        return self.state_at(len(self.time) - 1)

    def plain(self, units: str | None = None) -> dict[str, Any]:
        """Return what the command line prints as JSON; ``units="SI"`` converts."""
        return final_plain(self, units)

    def save(
        self, file: str | pathlib.Path, *, long: bool = False, paths: Sequence[Any] | None = None, fps: float | None = None
    ) -> None:
        """Write the run by a file's ending.

        Parameters
        ----------
        file : path
            ``.nc`` (netCDF) and ``.mat`` (MATLAB, Octave): all of it, for :meth:`load`; ``.csv`` and ``.parquet``: a table,
            one column a path; ``.json``: what the command line prints; ``.keys.csv`` and ``.keys.json``: :meth:`keyframes`;
            ``.glb``: moving 3-D bodies.
        long : bool
            Whether a table has a row for each path at each instant: ``time``, ``path``, ``value``, ``unit``.
        paths : list of str, optional
            The columns of a table or a MAT file; a vector gives one a component. Default all scalar paths.
        fps : float, optional
            Frames a second of keyframes; default 24.
        """
        from multibody.results.save import save

        save(self, pathlib.Path(named_path(file)), long=long, paths=paths, fps=fps)

    def to_pandas(self, *paths: Any, long: bool = False) -> pandas.DataFrame:
        """Return a table for pandas: a column a path, named by it, indexed by time; no index has several levels.

        Parameters
        ----------
        *paths : str
            Paths or expressions; a vector gives a column for each component. Default all scalar paths.
        long : bool
            Whether there is a row for each path at each instant: ``time``, ``path``, ``value``, ``unit``.

        Returns
        -------
        pandas.DataFrame
            ``attrs`` has ``model``, ``units`` (by column), ``status``, ``success`` and ``notes``.
        """
        from multibody.results.columns import columns_of, to_frame

        return to_frame(columns_of(self, paths or None), long)

    def keyframes(self, fps: float = 24.0, *, speed: float = 1.0, unit: str = "m") -> Keyframes:
        """Return where every body is in every frame of a film, for scripts of Blender and FreeCAD.

        Parameters
        ----------
        fps : float
            Frames a second.
        speed : float
            How many times faster than in reality the film runs.
        unit : {"m", "cm", "mm", "in"}
            Of positions: Blender's scenes are in m, FreeCAD's documents in mm.
        """
        from multibody.results.keyframes import keyframes

        return keyframes(self, fps, speed, unit)

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


def _apart(array: xarray.DataArray) -> xarray.DataArray:
    """Return an array for a dataset: a quaternion has other components than vectors have."""
    return array.rename(component="quaternion") if array.sizes.get("component") == 4 else array
