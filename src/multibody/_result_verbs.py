"""The verbs on results, a state, a run and others: one-line delegations; this file and that of models know both ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from multibody._shown import Shown
from multibody.arguments import answered, in_words, spread

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from multibody.analyses.measures.relative_motion import RelativeMotion
    from multibody.results.bearing import Bearing
    from multibody.results.run import Run
    from multibody.results.size import Size
    from multibody.results.small_motions import Freedoms
    from multibody.view.draw import View
    from multibody.view.plots import Plots


class Paging(TypedDict, total=False):
    """What a page shows at first."""

    plot: Sequence[str]
    x: str | None
    trace: Sequence[str]
    names: bool | None
    paper: str
    layout: str
    title: str


@answered
class PageVerbs(Shown):
    """What every result can do that has something to show: a page, and the browser."""

    @spread(Paging)
    def page(self, file: str | PathLike[str], *, force: bool = False, **options: Unpack[Paging]) -> Path:
        """Write one HTML page that plays the result in any browser, without a network; return its path.

        Parameters
        ----------
        file : path
            Ends in ``.html``.
        force : bool
            Whether a file that exists is replaced.
        plot : list of str
            Paths or expressions whose curves are shown at first; default outputs, or a coordinate, a reaction and energies.
        x : str, optional
            Path or expression that they are drawn over at first; default the time.
        trace : list of str
            Frames whose paths are drawn: ``["rod.P"]``.
        names : bool, optional
            Whether bodies and joints are named; default: where there are few.
        paper : str
            ``light`` or ``dark``; default what the reader's system prefers.
        layout : str
            Of several runs: ``beside`` each other (default) or laid ``over`` each other.
        title : str
            Default the model's name.
        """
        from multibody.view.page.write import save_page

        return save_page(file, [self], force=force, **options)

    @spread(Paging)
    def view(self, **options: Unpack[Paging]) -> Path:
        """Write the page to a temporary place and open the browser; options as for :meth:`page`.

        Returns
        -------
        Path
            Of the page; where no browser can be opened it is printed too.
        """
        from multibody.view.page.write import view_page

        return view_page([self], **options)


@answered
class StateVerbs(PageVerbs):
    """What a state can do beside holding numbers."""

    def draw(
        self, ax: Axes | None = None, *, labels: bool | None = None, symbols: bool | None = None, title: str | None = None,
        figsize: tuple[float, float] | None = None, view: View | None = None,
    ) -> Axes:  # fmt: skip
        """Draw the pose with matplotlib and return the axes.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw (``projection="3d"`` for a spatial model); default a new figure.
        labels : bool, optional
            Whether bodies and joints are named; default: where there are few enough.
        symbols : bool, optional
            Whether joints are drawn by their symbols; default: all, on a body with shapes those that the shapes leave open.
        title : str, optional
            Default: the model's name and the time.
        figsize : (float, float), optional
            Width and height of a new figure [inch]; default after the mechanism's shape.
        view : str or (float, float), optional
            Where a spatial model is seen from: ``"iso"``, ``"front"``, ``"right"``, ``"top"``, or elevation and azimuth of
            the eye [degrees].
        """
        from multibody.view.draw import draw_state

        return draw_state(self, ax, labels=labels, symbols=symbols, title=title, figsize=figsize, view=view)  # type: ignore[arg-type]

    def wiggle(self) -> Freedoms:
        """Return the freedoms that the joints leave at this pose, each a small motion: ``state.wiggle().view()`` plays them."""
        from multibody.results.small_motions import Freedoms

        return Freedoms(self)  # type: ignore[arg-type]


@answered
class SizingVerbs:
    """What a run and an inverse analysis say to those who build it: motors, bearings, a report."""

    def report(
        self, file: str | PathLike[str], *, title: str | None = None, plot: Sequence[str] = (), player: bool = True,
        force: bool = False,
    ) -> Path:  # fmt: skip
        """Write one HTML page for a design review: player, mechanism, motion, loads, certificate, what it takes to repeat it.

        Parameters
        ----------
        file : path
            Ends in ``.html``; opened from disk it needs nothing else, and prints well.
        title : str, optional
            Default: the model's name.
        plot : list of str
            Paths or expressions whose curves are shown; default outputs and the coordinates that move.
        player : bool
            Whether the motion can be played in it.
        force : bool
            Whether a file that is there is replaced.

        Returns
        -------
        Path
            The file.
        """
        from multibody.files.writer import known_text
        from multibody.results.drives import run_of
        from multibody.view.report.assemble import Told, save_report

        result: Any = self
        run = run_of(result)
        paths = (plot,) if isinstance(plot, str) else tuple(plot)
        told = Told(title or "", "", known_text(run.model), paths, player)
        return save_report(run, file, told, force)

    def size(
        self, drive: str, motors: Any = "generic", ratios: Any = None, *, efficiency: float = 1.0, gear_inertia: float = 0.0,
        margin: float = 1.0, inertia_ratio: float | None = None, cycle: float | None = None, start: float | None = None,
        until: float | None = None,
    ) -> Size:  # fmt: skip
        """Return what a drive needs, and which motors with which gears give it; numbers of the answer are in SI units.

        Parameters
        ----------
        drive : str
            A driven coordinate (``"O"``), a coordinate on which one effort acts, or the name of an effort.
        motors : path, mapping or list
            A table of motors (.yaml, .json, .csv), or ``"generic"``: motors that come with the package.
        ratios : list of float, optional
            Motor speed over the coordinate's rate; default for every motor the one that leaves it most. Between a motor
            that turns and a coordinate that slides in radians a unit of the model's length: ``2*pi/lead``. A linear motor
            drives a coordinate that slides directly.
        efficiency : float
            Of the gear, in either direction of power.
        gear_inertia : float
            Of gear and coupling at the motor's side [kg·m², or kg].
        margin : float
            What a motor can give over what it has to, at least.
        inertia_ratio : float, optional
            Largest reflected inertia of the load over the rotor's, at most.
        cycle : float, optional
            Length of a cycle with its rest, in the model's unit of time; default that of the motion.
        start, until : float, optional
            The part of the motion that counts; default all.
        """
        from multibody.files.motors import read_motors
        from multibody.results.size import size

        result: Any = self
        return size(
            result, drive, read_motors(motors), ratios, efficiency, gear_inertia, margin, inertia_ratio, cycle, start, until
        )

    def bearing(
        self, joint: str, rating: float, kind: str = "ball", *, X: float = 1.0, Y: float = 0.0, e: float | None = None,
        share: float = 1.0,
    ) -> Bearing:  # fmt: skip
        """Return the basic rating life L10 (ISO 281) of a bearing in a joint, in revolutions and hours.

        Parameters
        ----------
        joint : str
            A revolute, cylindrical or screw joint.
        rating : float
            Dynamic load rating C, in the model's unit of force.
        kind : {"ball", "roller"}
            Exponent of life 3 or 10/3.
        X, Y : float
            Factors of radial and axial force in the equivalent load.
        e : float, optional
            Where the axial force is at most e times the radial one, the radial one alone counts.
        share : float
            Part of the joint's force that this bearing takes; 0.5 for one of two that share it evenly.
        """
        from multibody.results.bearing import bearing

        result: Any = self
        return bearing(result, joint, rating, kind, X, Y, e, share)


@answered
class RunVerbs(SizingVerbs, PageVerbs):
    """What a run can do beside holding data."""

    measurer: Any

    @staticmethod
    def load(file: str | PathLike[str], model: Any = None) -> Run:
        """Return the run of a ``.nc`` or ``.mat`` file, as :func:`multibody.read_run` does.

        Parameters
        ----------
        file : path
        model : Model, optional
            The model that it has to be of; another one is an error.
        """
        from multibody._verbs import read_run

        return read_run(file, model)

    def plot(
        self, *paths: str, x: str | None = None, ax: Any = None, labels: Sequence[str] | None = None,
        title: str | None = None, figsize: tuple[float, float] | None = None, legend: bool | None = None,
        grid: bool | None = None, singularities: bool = True, events: bool = True,
    ) -> Plots:  # fmt: skip
        """Plot paths or expressions over time, ``run.plot("slider.x", "O.rate")``, or against each other, ``x="O"``.

        Parameters
        ----------
        *paths : str
            Each unit has an axes of its own; a vector such as ``"A.reaction.force"`` gives a curve for each component.
        x : str, optional
            Path or expression along the horizontal axis; default the time.
        ax : Axes or several, optional
            As many as there are units, or what another `plot` returned; default a new figure.
        labels : list of str, optional
            Names of the curves, one for each path; default the paths.
        title : str, optional
            Default: the model's name.
        figsize : (float, float), optional
            Width and height of a new figure [inch]; default wide enough for the legends.
        legend : bool, optional
            Whether the curves are named in a legend, which covers none of them; default: where an axes has several.
        grid : bool, optional
            Whether there are grid lines; default: on new axes.
        singularities : bool
            Whether singular positions are marked by thin vertical lines, a lock-up in red.
        events : bool
            Whether events are marked by ticks at the foot of the axes.

        Returns
        -------
        Plots
            The axes from top to bottom, a tuple even where there is one; ``.figure`` is their figure, ``.save(file)`` writes
            it.
        """
        from multibody.view.plot import plot_run

        return plot_run(
            self, paths, x, ax, labels=labels, title=title, figsize=figsize, legend=legend, grid=grid,  # type: ignore[arg-type]
            singularities=singularities, events=events,
        )  # fmt: skip

    def draw(
        self, at: float | Sequence[float] | None = None, ax: Axes | None = None, *, trace: Sequence[str] = (),
        labels: bool | None = None, symbols: bool | None = None, title: str | None = None,
        figsize: tuple[float, float] | None = None, view: View | None = None,
    ) -> Axes:  # fmt: skip
        """Draw the pose at one or several times, with the paths of chosen points, and return the axes.

        Parameters
        ----------
        at : float or several, optional
            Times in the run; the nearest instants are drawn, all but the last in paler colors. Default: the last instant.
        ax : Axes, optional
            Where to draw (``projection="3d"`` for a spatial model); default a new figure.
        trace : list of str
            Frames whose paths are drawn: ``["rod.P"]``, or a body for its origin.
        labels, symbols, title, figsize, view
            As for :meth:`State.draw`.
        """
        from multibody.view.draw import draw_run

        return draw_run(
            self, at, ax, trace=trace, labels=labels, symbols=symbols, title=title, figsize=figsize, view=view,  # type: ignore[arg-type]
        )  # fmt: skip

    def animate(
        self, file: str | PathLike[str], *, fps: float = 25.0, seconds: float | None = None, speed: float | None = None,
        size: tuple[int, int] | None = None, trace: Sequence[str] = (), labels: bool | None = None,
        symbols: bool | None = None, title: str | None = None, view: str | tuple[float, float] | None = None,
        paper: str = "light", loop: bool = True, force: bool = False, progress: Callable[[int, int], None] | None = None,
    ) -> Path:  # fmt: skip
        """Write the run as a film, ``run.animate("motion.gif")``, or as moving 3-D bodies; return its path.

        Parameters
        ----------
        file : path
            Its ending says what: ``.gif``, ``.webp``, ``.mp4`` (with the extra ``video``); ``.png`` for one file a frame:
            ``frames/x.png`` becomes ``frames/x-0001.png``, ``frames/x-0002.png`` and so on, and the path of the first one is
            returned; ``.glb`` (animated glTF) for bodies that any 3-D viewer plays.
        fps : float
            Frames a second; of a ``.glb`` the most keys a second that a motion is given.
        seconds : float, optional
            How long the film takes.
        speed : float, optional
            How many times faster than in reality it runs, in place of `seconds`. Default of both: real time where the run
            takes 2 to 20 s (``.glb``: 60 s); a shorter one is stretched to 4 s, a longer one takes that long.
        size : (int, int), optional
            Width and height [pixels]; default after the mechanism's shape, at most 640 wide.
        trace : list of str
            Frames whose paths grow as they move: ``["rod.P"]``.
        labels : bool, optional
            Whether bodies and joints are named; default: where there are few enough.
        symbols : bool, optional
            Whether joints are drawn by their symbols; default as for :meth:`draw`.
        title : str, optional
            Default: the model's name and the running time.
        view : str or (float, float), optional
            Where a spatial model is seen from, as for :meth:`draw`.
        paper : {"light", "dark"}
        loop : bool
            Whether players begin again at the end (GIF and WebP).
        force : bool
            Whether a file that exists is replaced.
        progress : callable, optional
            Called with the number of frames written and of all.
        """
        from multibody.view.film.animate import animate

        return animate(
            self, file, fps=fps, seconds=seconds, speed=speed, size=size, trace=trace, labels=labels, symbols=symbols,  # type: ignore[arg-type]
            title=title, view=view, paper=paper, loop=loop, force=force, progress=progress,
        )  # fmt: skip

    def relative(self, point: str, to: str) -> RelativeMotion:
        """Return the motion of a point as seen from a body, with normal, tangential and Coriolis parts."""
        from multibody.analyses.measures.relative_motion import relative_motion

        return relative_motion(self.measurer, point, to)

    def instant_center(self, body: str, other: str = "ground") -> Any:
        """Return the instant center of a planar body relative to another over time (instants, 2)."""
        from multibody.analyses.measures.relative_motion import instant_center

        return instant_center(self.measurer, body, other)

    def toggles(self) -> list[dict[str, Any]]:
        """Return the instants at which three pins of a planar mechanism come into line."""
        from multibody.analyses.measures.toggles import toggle_positions

        return toggle_positions(self.measurer)


@answered
class StudyVerbs(Shown):
    """What a study can do beside holding numbers: diagrams and a page."""

    def histogram(
        self, *outputs: str, bins: int | None = None, ax: Any = None, title: str | None = None,
        figsize: tuple[float, float] | None = None,
    ) -> Plots:  # fmt: skip
        """Draw how often each value of an output occurs among the members that are done.

        Parameters
        ----------
        *outputs : str
            Default all; each has an axes of its own.
        bins : int, optional
            Default by the number of members and their spread.
        ax : Axes or several, optional
            As many as there are outputs; default a new figure.
        title : str, optional
            Default: the model's name.
        figsize : (float, float), optional
            Of a new figure [inch].
        """
        from multibody.view.study.plots import histogram

        return histogram(self, outputs, bins, ax, title=title, figsize=figsize)  # type: ignore[arg-type]

    def scatter(
        self, output: str | None = None, *parameters: str, ax: Any = None, title: str | None = None,
        figsize: tuple[float, float] | None = None,
    ) -> Plots:  # fmt: skip
        """Draw an output over each number that was varied, a point a member that is done.

        Parameters
        ----------
        output : str, optional
            Default the first.
        *parameters : str
            Default all that were varied; outputs do too.
        ax : Axes or several, optional
            As many as there are parameters; default a new figure.
        title : str, optional
            Default: the model's name.
        figsize : (float, float), optional
            Of a new figure [inch].
        """
        from multibody.view.study.plots import scatter

        return scatter(self, output, parameters, ax, title=title, figsize=figsize)  # type: ignore[arg-type]

    def page(self, file: str | PathLike[str], *, title: str | None = None, force: bool = False) -> Path:
        """Write one HTML page with tables, histograms and scatter diagrams, without a network; return its path.

        Parameters
        ----------
        file : path
            Ends in ``.html``.
        title : str, optional
            Default: the model's name.
        force : bool
            Whether a file that exists is replaced.
        """
        from multibody.view.study.page import save_study_page

        return save_study_page(self, file, title, force)  # type: ignore[arg-type]


@in_words
@spread(Paging)
def page(
    file: str | PathLike[str], results: Sequence[Any], *, labels: Sequence[str] | None = None, force: bool = False,
    **options: Unpack[Paging],
) -> Path:  # fmt: skip
    """Write one HTML page that plays several results of one model, side by side or laid over each other; return its path.

    Parameters
    ----------
    file : path
        Ends in ``.html``.
    results : sequence of Run, State, ...
        Of one model, or of models that differ in their parameters only.
    labels : sequence of str, optional
        What each is called.
    force : bool
        Whether a file that exists is replaced.
    plot, x, trace, names, paper, layout, title
        As for :meth:`Run.page`.
    """
    from multibody.view.page.write import save_page

    return save_page(file, results, labels, force=force, **options)
