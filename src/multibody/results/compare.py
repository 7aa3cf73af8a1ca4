"""A comparison as a table, plain data and a work–precision diagram."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from multibody._result_verbs import PageVerbs
from multibody.analyses.comparison.compare import Comparison, Trial
from multibody.arguments import answered

if TYPE_CHECKING:
    from multibody.results.run import Run
    from multibody.tables.lower import Tables
    from multibody.view.plots import Plots

Cell = Callable[[Trial], str]


def _number(value: float | None, form: str = ".3g") -> str:
    """Return a number for people; nothing where there is none."""
    return "" if value is None else format(value, form)


def _time(value: float | None) -> str:
    """Return a wall time with a fitting unit."""
    if value is None:
        return ""
    for factor, unit in ((1.0, "s"), (1e3, "ms")):
        if value * factor >= 1.0:
            return f"{value * factor:.3g} {unit}"
    return f"{value * 1e6:.3g} µs"


COLUMNS: tuple[tuple[str, str, Cell], ...] = (
    ("formulation", "left", lambda r: r.formulation),
    ("integrator", "left", lambda r: r.integrator),
    ("rtol or step", "right", lambda r: _number(r.rtol if r.step is None else r.step, ".2g")),
    ("time", "right", lambda r: _time(r.wall_time)),
    ("evaluations", "right", lambda r: str(r.evaluations) if r.wall_time is not None else ""),
    ("steps", "right", lambda r: str(r.steps) if r.wall_time is not None else ""),
    ("mean step", "right", lambda r: _number(r.mean_step)),
    ("error", "right", lambda r: _number(r.error, ".1e")),
    ("at the end", "right", lambda r: _number(r.error_end, ".1e")),
    ("position viol.", "right", lambda r: _number(r.position_violation, ".1e")),
    ("velocity viol.", "right", lambda r: _number(r.velocity_violation, ".1e")),
    ("energy drift", "right", lambda r: _number(r.energy_drift, ".1e")),
    ("failed", "left", lambda r: "" if r.success else r.message),
)


@answered
class Compare(PageVerbs):
    """What one model costs with several formulations, integrators and tolerances.

    Parameters
    ----------
    found : Comparison

    Attributes
    ----------
    rows : list of Trial
        One a combination; ``error`` is the largest distance of any body from the reference over the output grid (lengths
        over the characteristic length, angles in rad), ``wall_time`` that of the integration alone [s].
    reference : str
        What errors are taken against.
    """

    def __init__(self, found: Comparison) -> None:
        self.model, self.until, self.rows = found.reference.tables.model, found.until, found.trials
        self.reference, self._reference = found.reference_text, found.reference
        self.planned = found.planned
        self._motions = found.motions

    @property
    def tables(self) -> Tables:
        """The model, lowered."""
        return self._reference.tables

    def runs(self) -> dict[str, Run]:
        """Return the run of every combination that could begin, by its name: ``augmented, dop853, 1e-08``."""
        import warnings

        from multibody.results.run import Run

        found = {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # the table says which ones failed
            for row, motion in zip(self.rows, self._motions, strict=True):
                if motion is not None and len(motion.t):
                    size = _number(row.rtol if row.step is None else row.step, ".2g")
                    found[", ".join(filter(None, (row.formulation, row.integrator, size)))] = Run(motion)
        return found

    @property
    def ok(self) -> bool:
        """Whether every combination and the reference reached the end."""
        return self._reference.status.success and all(row.success for row in self.rows) and not self.interrupted

    @property
    def interrupted(self) -> str:
        """How far it came before it was interrupted, in words; nothing if it was not."""
        return "" if len(self.rows) >= self.planned else f"interrupted after {len(self.rows)} of {self.planned} combinations"

    def columns(self) -> tuple[tuple[str, str, Cell], ...]:
        """Return heading, side and text of the columns that have something to show."""
        return tuple(column for column in COLUMNS if any(column[2](row) for row in self.rows))

    def heading(self) -> str:
        """Return what is compared with what."""
        units = self.model.units
        failed = "" if self._reference.status.success else f" (failed: {self._reference.status.message})"
        return f"{self.model.name}, {self.until:g} {units.time}; errors against {self.reference}{failed}"

    def table(self) -> str:
        """Return the comparison as lines of text."""
        columns = self.columns()
        lines = [[heading for heading, _, _ in columns], *([text(row) for _, _, text in columns] for row in self.rows)]
        widths = [max(len(line[k]) for line in lines) for k in range(len(columns))]
        rows = []
        for line in lines:
            cells = zip(line, widths, columns, strict=True)
            rows.append("  ".join(x.ljust(w) if side == "left" else x.rjust(w) for x, w, (_, side, _) in cells).rstrip())
        return "\n".join([self.heading(), *rows])

    def plain(self) -> dict[str, Any]:
        """Return what the command line prints as JSON; wall times are in seconds, mean steps in the model's unit of time."""
        status = self._reference.status
        return {
            "model": self.model.name,
            "units": self.model.units.plain(),
            "status": {"success": self.ok, "message": "finished" if self.ok else self._failures(), "time_reached": self.until},
            "reference": {"text": self.reference, "success": status.success, "message": status.message},
            "rows": [asdict(row) for row in self.rows],
        }

    def _failures(self) -> str:
        """Return how many combinations failed, or how far it came."""
        if self.interrupted:
            return self.interrupted
        failed = sum(not row.success for row in self.rows)
        return f"{failed} of {len(self.rows)} combinations failed" if failed else "the reference failed"

    def plot(
        self, ax: Any = None, *, title: str | None = None, figsize: tuple[float, float] | None = None,
        legend: bool | None = None, grid: bool | None = None,
    ) -> Plots:  # fmt: skip
        """Draw the work–precision diagram: error over evaluations and over time, a curve for each combination.

        Parameters
        ----------
        ax : two Axes, optional
            Default a new figure.
        title : str, optional
            Default: the model's name.
        figsize : (float, float), optional
            Width and height of a new figure [inch].
        legend : bool, optional
            Whether the combinations are named in a legend; default: they are.
        grid : bool, optional
            Whether there are grid lines; default: on new axes.

        Returns
        -------
        Plots
            Evaluations, then wall time. Color tells the formulation, line and marker the integrator.
        """
        from multibody.view.workprecision import plot_work_precision

        return plot_work_precision(self, ax, title=title, figsize=figsize, legend=legend, grid=grid)

    def __str__(self) -> str:
        """Return the table."""
        return self.table()

    def __repr__(self) -> str:
        """Return a line for people."""
        return f"<Compare of {self.model.name!r}: {len(self.rows)} combinations; {'finished' if self.ok else self._failures()}>"
