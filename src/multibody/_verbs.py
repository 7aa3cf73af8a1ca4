"""The verbs on a model, a state and a run: one-line delegations, and the only file that knows both ends."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias, TypedDict, Unpack, overload

from multibody._shown import Shown
from multibody.arguments import answered, in_words, short, spread
from multibody.errors import ModelError
from multibody.model.geometry import Orienting
from multibody.model.model import Model as _Model
from multibody.model.values import VectorLike

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from multibody.analyses.check_report import CheckReport
    from multibody.analyses.relative import RelativeMotion
    from multibody.analyses.system_jacobian import SystemJacobian
    from multibody.results.bearing import Bearing
    from multibody.results.compare import Compare
    from multibody.results.inverse import Inverse
    from multibody.results.modes import Modes
    from multibody.results.robot import Robot
    from multibody.results.run import Run
    from multibody.results.simulator import Simulator
    from multibody.results.size import Size
    from multibody.results.small_motions import Freedoms
    from multibody.results.state import State
    from multibody.results.statics import Equilibrium
    from multibody.view.draw import View
    from multibody.view.plots import Plots

    Initial: TypeAlias = State | Mapping[str, Any]  # a state, or values by path


class Paging(TypedDict, total=False):
    """What a page shows at first."""

    plot: Sequence[str]
    x: str | None
    trace: Sequence[str]
    names: bool | None
    paper: str
    layout: str
    title: str


class RunOptions(TypedDict, total=False):
    """How a model is run to the time that is asked for."""

    initial: Initial | None
    formulation: Any
    integrator: Any
    rtol: float | None
    atol: float | None
    step: float | None
    cut: Sequence[str] | None
    progress: Any


@answered
class Model(_Model, Shown):
    """A mechanism, described once; every analysis reads it and none changes it."""

    __doc__ = _Model.__doc__

    def check(self, *, cut: Sequence[str] | None = None) -> CheckReport:
        """Return mobility, rank, redundancy by name, singularity, which reactions are unique, and the spanning tree.

        Parameters
        ----------
        cut : list of str, optional
            Joints at which loops are cut in joint coordinates; derived by default.
        """
        from multibody.analyses.check import check

        return check(self, cut=cut)

    @overload
    def assemble(
        self, initial: Initial | None = None, *, t: float | str | None = None, branches: Literal[False] | None = None
    ) -> State: ...

    @overload
    def assemble(
        self, initial: Initial | None = None, *, t: float | str | None = None, branches: Literal[True]
    ) -> list[State]: ...

    @overload
    def assemble(
        self, initial: Initial | None = None, *, t: float | str | None = None, branches: bool | None
    ) -> State | list[State]: ...

    def assemble(
        self, initial: Initial | None = None, *, t: float | str | None = None, branches: bool | None = None
    ) -> State | list[State]:
        """Return a consistent :class:`State`; with ``branches=True`` a list of the assemblies found.

        Parameters
        ----------
        initial : State or values by path, optional
            Where to start; ``{"O": 0.3}`` holds values exactly. Default: the model's own initial values.
        t : float, optional
            Time at which motions are taken; default that of `initial`, else 0.
        branches : bool
            Whether the assemblies found are listed.
        """
        from multibody.analyses.given import given
        from multibody.results.state import assembled

        found: State | list[State] = assembled(*given(self, initial), t, branches)
        return found

    def kinematics(
        self, until: float | str | None = None, steps: int | None = None, *, start: float | str | None = None,
        at: float | str | None = None, times: Any = None, initial: Initial | None = None,
    ) -> Run:  # fmt: skip
        """Return positions, velocities and accelerations of the driven mechanism over time.

        Parameters
        ----------
        until, start : float or formula
            Last and first time; ``"2*pi/150"`` and formulas of parameters do too.
        steps : int
            Number of intervals; default 100.
        at : float, optional
            One time alone.
        times : array, optional
            The instants themselves.
        initial : State or values by path, optional
            Where assembly starts, and with it the branch.
        """
        from multibody.analyses.given import given
        from multibody.analyses.kinematics import kinematics
        from multibody.results.run import Run

        model, state = given(self, initial)
        return Run(kinematics(model, start=start, until=until, steps=steps, at=at, times=times, initial=state))

    def run(
        self, until: float | str | None = None, *, initial: Initial | None = None, formulation: Any = None,
        integrator: Any = None, rtol: float | None = None, atol: float | None = None, step: float | None = None,
        output_step: float | str | None = None, dense: bool = True, progress: Any = None, cut: Sequence[str] | None = None,
    ) -> Run:  # fmt: skip
        """Return the motion under forces, with reactions, efforts and energies.

        Parameters
        ----------
        until : float or formula
            Last time; default the model's own.
        initial : State or values by path, optional
            Where to start, with its time: ``run.final`` goes on. Default: the model's own initial values at t = 0.
        formulation : str or object
            ``auto`` (default), ``augmented``, ``baumgarte``, ``partitioning``, ``kane``; in joint coordinates ``recursive``,
            ``transformation``, ``articulated``; with options ``"baumgarte:alpha=5,beta=5"`` or ``mb.Baumgarte(5, 5)``.
        integrator : str or object
            ``auto`` (default), ``dop853``, ``adams``, ``rk4``, ``ab3``, ``bdf``, ``radau``, ``alpha``, ``ida``; with options
            ``"adams:max_order=6"`` or ``mb.Adams(max_order=6)``.
        rtol, atol : float
            Tolerances; default 1e-8 and 1e-10.
        step : float
            Step of ``rk4`` and ``ab3``.
        output_step : float or formula
            Spacing of the instants in the result; default one four-hundredth of the whole.
        dense : bool
            Keep the motion between the instants, for ``run.at(t)``.
        progress : callable, optional
            Called with the time about twenty times a second.
        cut : list of str, optional
            Joints at which loops are cut in joint coordinates; derived by default, see :meth:`check`.
        """
        from multibody.analyses.given import given
        from multibody.analyses.run import run
        from multibody.results.run import Run

        model, state = given(self, initial)
        return Run(
            run(
                model, until, initial=state, formulation=formulation, integrator=integrator, rtol=rtol, atol=atol, step=step,
                output_step=output_step, dense=dense, progress=progress, cut=cut,
            )
        )  # fmt: skip

    def simulator(
        self, initial: Initial | None = None, *, formulation: Any = None, integrator: Any = None, rtol: float | None = None,
        atol: float | None = None, step: float | None = None,
    ) -> Simulator:  # fmt: skip
        """Return the model in motion, to be stepped from outside by a controller or in a lesson.

        ``sim.set("motor.effort", u)``, ``sim.step(dt)``, ``sim["O.angle"]``, ``sim.state``, ``sim.restore(state)``.

        Parameters
        ----------
        initial : State or values by path, optional
            Where to start, with its time. Default: the model's own initial values at t = 0.
        formulation, integrator, rtol, atol, step
            As for :meth:`run`.
        """
        from multibody.analyses.given import given
        from multibody.results.simulator import simulator

        return simulator(*given(self, initial), formulation, integrator, rtol, atol, step)

    def robot(self, cut: Sequence[str] | None = None) -> Robot:
        """Return the open tree as roboticists ask about it: inverse and forward dynamics, mass matrix, Jacobians, momentum.

        ``robot.inverse_dynamics(q, v, a)`` for one state or for many in one call. Motions of the model are ignored.

        Parameters
        ----------
        cut : list of str, optional
            Joints to open: what they hold together is then free. Without it loops are refused.
        """
        from multibody.results.robot import Robot

        return Robot(self, cut)

    def inverse(
        self, until: float | str | None = None, steps: int | None = None, *, start: float | str | None = None,
        at: float | str | None = None, times: Any = None, efforts: Sequence[Any] | None = None, initial: Initial | None = None,
        formulation: Any = None, progress: Any = None,
    ) -> Inverse:  # fmt: skip
        """Return the efforts that the prescribed motions need, at their own coordinates or from actuators elsewhere.

        Parameters
        ----------
        until, steps, start, at, times, initial
            The instants, as for :meth:`kinematics`.
        efforts : list of coordinates, optional
            Where actuators act in place of the motions: ``["S"]``, ``["O", "rod.tip.x"]``. As many as there are degrees of
            freedom give one answer, more give the smallest efforts, marked as not unique.
        formulation : str, optional
            ``recursive``, ``transformation``, ``articulated``: from joint coordinates instead of virtual power.
        progress : callable, optional
            Called with the time now and then.
        """
        from multibody.analyses.given import given
        from multibody.analyses.inverse import inverse
        from multibody.results.inverse import Inverse

        model, state = given(self, initial)
        return Inverse(
            inverse(
                model, start=start, until=until, steps=steps, at=at, times=times, efforts=efforts, initial=state,
                formulation=formulation, progress=progress,
            )
        )  # fmt: skip

    @spread(RunOptions)
    def reactions(
        self, at: float | str | None = None, joints: Sequence[str] | None = None, **options: Unpack[RunOptions]
    ) -> dict[str, Any]:
        """Return force, moment and effort of joints at one time, as a dictionary of plain numbers.

        Parameters
        ----------
        at : float or formula
            The time; a model that its motions do not determine runs until then.
        joints : list of str, optional
            Default all.
        initial, formulation, integrator, rtol, atol, step, cut, progress
            As for :meth:`run`.
        """
        from multibody.analyses.given import given
        from multibody.results.reactions_at import reactions_at

        model, state = given(self, options.get("initial"))
        chosen: Mapping[str, Any] = {**options, "initial": state}
        return reactions_at(model, at, joints, chosen)

    def statics(
        self, initial: Initial | None = None, *, t: float | str | None = None, method: str | None = None,
        tolerance: float | None = None,
    ) -> Equilibrium:  # fmt: skip
        """Return a position in which all forces balance, with reactions and whether it is stable.

        Parameters
        ----------
        initial : State or values by path, optional
            Where to start; its velocities do not count. Default: the model's own initial position.
        t : float, optional
            Time at which motions are held; default that of the start.
        method : {"newton", "nearest", "relaxation"}
            ``newton`` (default) goes downhill to a stable position, by relaxation where steps alone do not get there;
            ``nearest`` finds the nearest equilibrium, stable or not; ``relaxation`` swings with its velocity taken away at
            every peak.
        tolerance : float
            Largest unbalanced force over the largest force that acts; default 1e-10.
        """
        from multibody.analyses.given import given
        from multibody.results.statics import equilibrium

        return equilibrium(*given(self, initial), t, method, tolerance)

    def modes(
        self, initial: Initial | None = None, *, at: Any = None, inputs: Sequence[str] | None = None,
        outputs: Sequence[str] | None = None, count: int | None = None,
    ) -> Modes:  # fmt: skip
        """Return natural frequencies, damping ratios and shapes of the motion near a state, and its state-space matrices.

        Parameters
        ----------
        initial : State or values by path, optional
            Where to start; default the model's own initial state.
        at : {"equilibrium", "initial"} or State, optional
            Where to linearize. Default the equilibrium found from the initial state where that is at rest, else that state.
        inputs : list of str, optional
            Forces (``motor``, ``push.force.x``) or coordinates (``O``, ``rod.tip.x``) along which efforts act; default all
            efforts and forces of the model.
        outputs : list of str, optional
            Paths or expressions as results read them; default the model's outputs, else the coordinates of its joints.
        count : int, optional
            How many modes, lowest first; default all, of a large model 10.
        """
        from multibody.analyses.given import given
        from multibody.results.modes import modes_of

        return modes_of(*given(self, initial), at, inputs, outputs, count)

    def system_jacobian(
        self, formulation: Any = "augmented", initial: Initial | None = None, t: float | None = None, *,
        acceleration: Any = None, multipliers: Any = None,
    ) -> SystemJacobian:  # fmt: skip
        """Return the exact derivatives of the implicit equations of motion F(t, y, ẏ) = 0.

        Parameters
        ----------
        formulation : str or object
            ``augmented``: y = (q, v, λ, μ) in the coordinates of bodies, stabilized form of index 2; ``recursive`` or
            ``transformation``: the same in joint coordinates, with the loops' multipliers; ``parametric``: with the
            joints' parameters.
        initial : State or values by path, optional
            Where; default the model's own initial state.
        t : float, optional
            Time; default that of the state.
        acceleration, multipliers : arrays, optional
            v̇, and λ of all rows of joints and motions; default the consistent ones of a run.
        """
        from multibody.analyses.given import given
        from multibody.analyses.system_jacobian import system_jacobian

        model, state = given(self, initial)
        return system_jacobian(model, formulation, state, t, acceleration, multipliers)

    def compare(
        self, until: float | str | None = None, *, formulations: Sequence[Any] | None = None,
        integrators: Sequence[Any] | None = None, rtol: Sequence[float] | float | None = None,
        step: float | str | None = None, reference: Run | None = None, initial: Initial | None = None,
        output_step: float | str | None = None, repeats: int | None = None, progress: Any = None,
    ) -> Compare:  # fmt: skip
        """Return a table of time, evaluations, error and violations for several formulations and integrators.

        Parameters
        ----------
        until : float or formula
            Last time; default the model's own.
        formulations, integrators : lists of names or objects
            Default ``augmented``, ``baumgarte``, ``partitioning``, ``kane`` with ``dop853`` and ``adams``.
        rtol : list of float
            Tolerances; several make a work–precision diagram (``.plot()``). Default 1e-8.
        step : float, optional
            Step of ``rk4`` and ``ab3``; default from the reference.
        reference : Run, optional
            What errors are taken against; default ``augmented`` with ``dop853`` at 1e-13.
        initial : State or values by path, optional
            Where to start.
        output_step : float
            Spacing of the instants at which errors are taken.
        repeats : int
            Timed repetitions, of which the fastest counts; default 3.
        progress : callable, optional
            Called with words, the number of the combination and their count.
        """
        from multibody.analyses.compare import compare
        from multibody.analyses.given import given
        from multibody.results.compare import Compare

        if reference is not None and not hasattr(reference, "motion"):
            raise ModelError(f"{short(reference)} is no reference", where="compare", hint="give a run of this model")
        model, state = given(self, initial)
        return Compare(
            compare(
                model, until, formulations=formulations, integrators=integrators, rtol=rtol, step=step,
                reference=None if reference is None else reference.motion, initial=state, output_step=output_step,
                repeats=repeats, progress=progress,
            )
        )  # fmt: skip

    def set(self, **parameters: Any) -> Self:
        """Return a copy with other parameter values; nothing is lowered again.

        Parameters
        ----------
        **parameters
            New values by name: numbers, or lists for vectors.
        """
        from multibody.model.parameters import changed

        return changed(self, parameters)

    @spread(Orienting)
    def include(
        self, other: _Model, prefix: str, at: VectorLike | None = None, **orientation: Unpack[Orienting]
    ) -> None:
        """Add another model's bodies, joints and everything else, every name with a prefix, placed as a whole.

        Parameters
        ----------
        other : Model
        prefix : str
            Begins the name of everything that is copied: ``left_``.
        at : vector, optional
            Where the origin of its ground comes to lie [length].
        angle, x, z, quaternion, rotvec, rpy, euler, rotation : optional
            How its ground axes come to lie, one form of it, as for :meth:`body`.
        """
        from multibody.model.include import include

        turned: Mapping[str, Any] = orientation
        include(self, other, prefix, at, **turned)

    def wiggle(self) -> Freedoms:
        """Return the freedoms that the joints leave at the assembled pose, each a small motion; motions are not held.

        ``model.wiggle().view()`` plays them in the browser, ``print(model.wiggle())`` lists them.
        """
        return self.assemble(branches=False).wiggle()

    def text(self) -> str:
        """Return the model as the text of a ``.yaml`` file; reading it back gives the same model."""
        from multibody.files.writer import model_text

        return model_text(self)

    def save(self, file: str) -> None:
        """Write the model to a ``.yaml`` or ``.json`` file; reading it back gives the same model."""
        from multibody.files.writer import write_file

        write_file(self, file)

    def draw(
        self, ax: Axes | None = None, *, labels: bool | None = None, symbols: bool | None = None, title: str | None = None,
        figsize: tuple[float, float] | None = None, view: View | None = None,
    ) -> Axes:  # fmt: skip
        """Draw the assembled mechanism with matplotlib and return the axes; arguments as for :meth:`State.draw`."""
        state = self.assemble(branches=False)
        return state.draw(ax, labels=labels, symbols=symbols, title=title, figsize=figsize, view=view)


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
            Times; the nearest instants are drawn, all but the last in paler colors. Default: the last instant.
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
            ``frames/x.png`` becomes ``frames/x-0001.png``, ``frames/x-0002.png`` and so on; ``.glb`` (animated glTF) for
            bodies that any 3-D viewer plays.
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
        from multibody.analyses.relative import relative_motion

        return relative_motion(self.measurer, point, to)

    def instant_center(self, body: str, other: str = "ground") -> Any:
        """Return the instant center of a planar body relative to another over time (instants, 2)."""
        from multibody.analyses.relative import instant_center

        return instant_center(self.measurer, body, other)

    def toggles(self) -> list[dict[str, Any]]:
        """Return the instants at which three pins of a planar mechanism come into line."""
        from multibody.analyses.toggles import toggle_positions

        return toggle_positions(self.measurer)


@in_words
def load(source: str, **parameters: Any) -> Model:
    """Return the model of a file or of the library, with parameters set.

    Parameters
    ----------
    source : str
        Path of a ``.yaml`` or ``.json`` file, or the name of a library model.
    **parameters
        Values of its parameters.
    """
    from multibody.files.reader import read_file

    model: Model = read_file(source, Model, parameters)
    return model


@in_words
def read_run(file: str | PathLike[str], model: _Model | None = None) -> Run:
    """Return the run of a ``.nc`` file that :meth:`Run.save` wrote; the model comes with it.

    Parameters
    ----------
    file : path
    model : Model, optional
        The model that it has to be of; another one is an error.
    """
    from multibody.files.reader import read_text
    from multibody.files.writer import model_to_plain
    from multibody.results.run import Run
    from multibody.results.stored import motion_of, open_stored

    data = open_stored(str(file))
    own: Model = read_text(data.attrs["model_text"], str(file), Model)
    if model is not None and model_to_plain(model) != model_to_plain(own):
        raise ModelError(f'it holds a run of another model, "{own.name}"', file=str(file), hint="read it without a model")
    return Run(motion_of(data, own, str(file)))


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
