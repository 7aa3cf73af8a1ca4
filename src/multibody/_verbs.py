"""The verbs on a model: one-line delegations; this file and that of results know both ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias, TypedDict, Unpack, overload

from multibody._result_verbs import Paging
from multibody._shown import Shown
from multibody.arguments import answered, in_words, short, spread
from multibody.errors import ModelError
from multibody.model.geometry import Orienting
from multibody.model.model import Model as _Model
from multibody.model.values import VectorLike

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from multibody.analyses.check.report import CheckReport
    from multibody.analyses.linear.system_jacobian import SystemJacobian
    from multibody.learn.environment import Environment, Environments
    from multibody.results.array_simulator import ArraySimulator
    from multibody.results.compare import Compare
    from multibody.results.inverse import Inverse
    from multibody.results.modes import Modes
    from multibody.results.robot import Robot
    from multibody.results.run import Run
    from multibody.results.simulator import Simulator
    from multibody.results.small_motions import Freedoms
    from multibody.results.state import State
    from multibody.results.statics import Equilibrium
    from multibody.study.result import Study
    from multibody.symbolic.equations import Equations
    from multibody.view.draw import View

    Initial: TypeAlias = State | Mapping[str, Any]  # a state, or values by path


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


class StudyOptions(TypedDict, total=False):
    """How the members of a study are analyzed."""

    formulation: Any
    integrator: Any
    rtol: float | None
    atol: float | None
    step: float | None
    output_step: float | str | None
    cut: Sequence[str] | None
    start: float | str | None
    steps: int | None
    efforts: Sequence[Any] | None
    t: float | str | None
    tolerance: float | None


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
        from multibody.analyses.check.check import check

        report = check(self, cut=cut)
        object.__setattr__(report, "_checked", (self, (*self.bodies, *self.joints)))  # for the picture in notebooks
        return report

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
        from multibody.analyses.given.initial import given
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
        from multibody.analyses.given.initial import given
        from multibody.analyses.kinematics.kinematics import kinematics
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
        from multibody.analyses.dynamics.run import run
        from multibody.analyses.given.initial import given
        from multibody.results.run import Run

        model, state = given(self, initial)
        return Run(
            run(
                model, until, initial=state, formulation=formulation, integrator=integrator, rtol=rtol, atol=atol, step=step,
                output_step=output_step, dense=dense, progress=progress, cut=cut,
            )
        )  # fmt: skip

    @overload
    def simulator(
        self, initial: Initial | None = None, *, inputs: None = None, outputs: None = None, period: None = None,
        formulation: Any = None, integrator: Any = None, rtol: float | None = None, atol: float | None = None,
        step: float | None = None,
    ) -> Simulator: ...  # fmt: skip

    @overload
    def simulator(
        self, initial: Initial | None = None, *, inputs: Sequence[str], outputs: Sequence[Any], period: float,
        formulation: Any = None, integrator: Any = None, rtol: float | None = None, atol: float | None = None,
        step: float | None = None,
    ) -> ArraySimulator: ...  # fmt: skip

    def simulator(
        self, initial: Initial | None = None, *, inputs: Sequence[str] | None = None, outputs: Sequence[Any] | None = None,
        period: float | None = None, formulation: Any = None, integrator: Any = None, rtol: float | None = None,
        atol: float | None = None, step: float | None = None,
    ) -> Simulator | ArraySimulator:  # fmt: skip
        """Return the model in motion, to be stepped from outside by a controller or in a lesson.

        ``sim.set("motor.effort", u)``, ``sim.step(dt)``, ``sim["O.angle"]``, ``sim.state``, ``sim.restore(state)``. With
        `inputs`, `outputs` and a `period` they are arrays: ``y = sim.step(u)``.

        Parameters
        ----------
        initial : State or values by path, optional
            Where to start, with its time. Default: the model's own initial values at t = 0.
        inputs : list of str, optional
            What the numbers of u set: ``["motor.effort"]``; a vector stands for its components.
        outputs : list of str, optional
            What the numbers of y are: paths or expressions; a vector stands for its components.
        period : float, optional
            Time between two samples.
        formulation, integrator, rtol, atol, step
            As for :meth:`run`.
        """
        from multibody.analyses.given.initial import given
        from multibody.results.array_simulator import ArraySimulator
        from multibody.results.simulator import simulator

        made = simulator(*given(self, initial), formulation, integrator, rtol, atol, step)
        if inputs is None and outputs is None and period is None:
            return made
        if inputs is None or outputs is None or period is None:
            hint = "give inputs, outputs and period, or none of them"
            raise ModelError("arrays need all three", where="simulator", hint=hint)
        return ArraySimulator(made, inputs, outputs, period)

    @overload
    def environment(
        self, inputs: Any, outputs: Any = None, *, step: float, reward: Any = 1.0, terminated: Any = None,
        initial: Mapping[str, Any] | None = None, members: None = None, limit: int | None = None, substeps: int = 1,
        formulation: Any = None, autoreset: str = "next-step",
    ) -> Environment: ...  # fmt: skip

    @overload
    def environment(
        self, inputs: Any, outputs: Any = None, *, step: float, reward: Any = 1.0, terminated: Any = None,
        initial: Mapping[str, Any] | None = None, members: int, limit: int | None = None, substeps: int = 1,
        formulation: Any = None, autoreset: str = "next-step",
    ) -> Environments: ...  # fmt: skip

    def environment(
        self, inputs: Any, outputs: Any = None, *, step: float, reward: Any = 1.0, terminated: Any = None,
        initial: Mapping[str, Any] | None = None, members: int | None = None, limit: int | None = None, substeps: int = 1,
        formulation: Any = None, autoreset: str = "next-step",
    ) -> Environment | Environments:  # fmt: skip
        """Return the model as an environment of Gymnasium (extra ``gym``), one or many members stepped in one compiled call.

        Parameters
        ----------
        inputs : mapping or list of str
            What an action sets: ``{"motor.effort": (-10, 10)}`` with limits, to which actions are clipped, or
            ``["motor.effort"]`` without; as :meth:`simulator` takes them. Held for a step.
        outputs : list of str, optional
            What is observed: paths or formulas of positions, velocities, inputs and t; a vector gives its components. Default
            coordinates and rates of all joints.
        step : float
            Time between two actions.
        reward : str or callable
            A formula at the end of a step, ``"1 - 0.1*pivot^2"``, inputs too; or a function of observations (members, outputs)
            and actions (members, inputs) that returns a number a member. Default 1.
        terminated : str, callable or list of them, optional
            An episode ends where one of them is true: ``"abs(pivot) > 0.2"``.
        initial : mapping, optional
            Initial values that are drawn anew for every episode: numbers, ranges ``(low, high)`` or distributions
            (``mb.normal(0, 0.1)``, any of ``scipy.stats``), in place of the model's own.
        members : int, optional
            How many: a vector environment. Default a single one.
        limit : int, optional
            Steps after which an episode is truncated.
        substeps : int
            Steps of the integrator (``rk4``) within one of the environment.
        formulation : str or object, optional
            Default ``recursive`` for models without loops, else what :meth:`run` takes.
        autoreset : {"next-step", "same-step", "disabled"}
            When a member whose episode is over begins anew, as Gymnasium's vector environments have it.
        """
        try:
            from multibody.learn.environment import environment
        except ImportError as error:
            if "gymnasium" not in str(error):
                raise
            raise ModelError("Gymnasium is not installed", where="environment", hint="pip install multibody[gym]") from None
        from multibody.learn.plant import Plant

        plant = Plant(
            self, inputs, outputs, step, reward, terminated, initial, 1 if members is None else members, substeps, formulation
        )
        return environment(plant, members is None, limit, autoreset)

    def robot(self, cut: Sequence[str] | None = None, *, forces: bool = True) -> Robot:
        """Return the open tree as roboticists ask about it: inverse and forward dynamics, mass matrix, Jacobians, momentum.

        ``robot.inverse_dynamics(q, v, a)`` for one state or for many in one call. Motions of the model are ignored.

        Parameters
        ----------
        cut : list of str, optional
            Joints to open: what they hold together is then free. Without it loops are refused.
        forces : bool
            Whether springs, dampers, friction, stops and loads of the model act. Without them only masses and gravity do, as in
            programs that read robot files for these alone.
        """
        from multibody.results.robot import Robot

        return Robot(self, cut, forces)

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
        from multibody.analyses.given.initial import given
        from multibody.analyses.inverse.inverse import inverse
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
        from multibody.analyses.given.initial import given
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
        from multibody.analyses.given.initial import given
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
        from multibody.analyses.given.initial import given
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
        from multibody.analyses.given.initial import given
        from multibody.analyses.linear.system_jacobian import system_jacobian

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
        from multibody.analyses.comparison.compare import compare
        from multibody.analyses.given.initial import given
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

    @spread(StudyOptions)
    def study(
        self, parameters: Mapping[str, Any], outputs: Any, *, until: float | str | None = None, samples: int | None = None,
        method: str | None = None, seed: int = 0, analysis: str = "run", initial: Initial | None = None,
        executor: Any = None, workers: int | None = None, chunk: int | None = None, store: str | PathLike[str] | None = None,
        resume: bool = False, refine: bool = True, progress: Any = None, device: str | None = None, specialize: bool = False,
        **options: Unpack[StudyOptions],
    ) -> Study:  # fmt: skip
        """Return numbers of many members: this model with other parameters or initial values, each analyzed by itself.

        Parameters
        ----------
        parameters : mapping
            What is varied: parameters (``"l2"``), components of vectors (``"pA.x"``), initial values (``"initial.O.rate"``);
            each a list of values, a range ``(low, high)``, points of a range ``(low, high, count)``, or a distribution:
            ``mb.normal(0.15, 0.001)``, ``mb.uniform``, ``mb.triangular`` or a frozen one of ``scipy.stats``.
        outputs : list of str, or mapping of names to them
            Numbers of a motion: ``"max(norm(A.reaction.force))"``, ``"final slider.x"``, ``"rms(O.effort)"``; words are max,
            min, mean, rms, integral, final, time of max, time of min, ``at(time, …)`` and ``first(event)``.
        until : float or formula
            Last time; default the model's own.
        samples : int
            How many members are sampled; of ``saltelli`` base samples, each of which makes d + 2 members.
        method : str
            ``grid`` (all combinations), ``list`` (side by side), ``random``, ``sobol``, ``halton``, ``lhs`` (Latin hypercube),
            ``saltelli`` (for Sobol' indices). Default ``sobol`` with `samples` or ranges, else ``grid``.
        seed : int
            The same seed gives the same plan.
        analysis : str
            ``run`` (default), ``kinematics``, ``inverse``, ``statics`` or ``assemble``.
        initial : State or values by path, optional
            Where every member starts, as for :meth:`run`.
        executor : Executor or dask.distributed.Client, optional
            Where chunks of members are computed.
        workers : int, optional
            Of this machine, in place of an executor: threads for members in compiled loops, by default one a processor;
            processes for others, by default none: they are computed in turn.
        chunk : int, optional
            Members that travel together.
        store : path, optional
            A folder that finished chunks are kept in.
        resume : bool
            Whether a store that is there is gone on with: members in it are not computed again.
        refine : bool
            Whether extremes are sought between the instants too, where the motion is known there.
        progress : callable, optional
            Called with the number of members computed and of all.
        device : str, optional
            Members of ``run`` in code that is made for this model, by ``integrator="dop853"`` or, with a `step`, ``"rk4"``:
            ``cuda`` on a processor of NVIDIA's, ``host`` on this machine's. Outputs are made while members move. Making the
            code takes a minute or more, once for a structure: it is for studies that take longer than that.
        specialize : bool
            The same as ``device="host"``.
        formulation, integrator, rtol, atol, step, output_step, cut
            Of ``run``, as for :meth:`run`.
        start, steps, efforts
            Of ``kinematics`` and ``inverse``, as there.
        t, tolerance
            Of ``statics`` and ``assemble``, as there.

        Returns
        -------
        Study
        """
        from multibody.files.writer import known_text
        from multibody.study.study import Ways, study

        if options.keys() - StudyOptions.__annotations__.keys():
            raise TypeError  # answered in words, as everywhere
        told: Mapping[str, Any] = {"until": until, **options}
        ways = Ways(executor, workers, chunk, store, resume, progress, "host" if device is None and specialize else device)
        return study(self, known_text(self), parameters, outputs, samples, method, seed, analysis, initial, refine, told, ways)

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

    @spread(Paging)
    def page(
        self, file: str | PathLike[str], until: float | str | None = None, *, force: bool = False, **options: Unpack[Paging]
    ) -> Path:
        """Move the model as its file says and write the page that plays it; return its path.

        It is moved under its forces, or along its motions where it cannot be; one that cannot move shows its freedoms.

        Parameters
        ----------
        file : path
            Ends in ``.html``.
        until : float or formula, optional
            Last time; default the model's own, else 5 s.
        force : bool
            Whether a file that exists is replaced.
        plot, x, trace, names, paper, layout, title
            As for :meth:`Run.page`.
        """
        from multibody.results.seen import last_time, seen
        from multibody.view.page.write import check_page

        check_page(file, force, self._files)
        shown: Path = seen(self, last_time(self, until)).page(file, force=force, **options)
        return shown

    @spread(Paging)
    def view(self, until: float | str | None = None, **options: Unpack[Paging]) -> Path:
        """Move the model as for :meth:`page` and open the browser; ``model.run(5).view()`` says how it is moved.

        Parameters
        ----------
        until, plot, x, trace, names, paper, layout, title
            As for :meth:`page`.

        Returns
        -------
        Path
            Of the page; where no browser can be opened it is printed too.
        """
        from multibody.results.seen import last_time, seen

        shown: Path = seen(self, last_time(self, until)).view(**options)
        return shown

    def equations(
        self, *, minimal: bool = True, cut: Sequence[str] | None = None, independent: Sequence[str] | None = None,
        angles: Literal["joints", "bodies"] | None = None,
    ) -> Equations:  # fmt: skip
        """Return the equations on paper: q, Φ, Φ_q, γ, M, Q and minimal equations of motion, as SymPy expressions.

        They are made of the lowered model that the kernels read and compared with the kernels at random states before they
        are returned. Needs ``pip install multibody[symbolic]``.

        Parameters
        ----------
        minimal : bool
            Whether minimal equations of motion are made too.
        cut : list of str, optional
            Joints at which loops are cut; derived by default.
        independent : list of str, optional
            Joints or bodies whose coordinates are independent where loops close; derived by default.
        angles : str, optional
            Of planar minimal equations: ``"joints"`` for angles between bodies, ``"bodies"`` for their angles from the x axis.
            Default: joints for trees, bodies where loops close.

        Returns
        -------
        Equations
            ``print`` shows them; ``.latex()``, ``.python()`` and ``.c()`` write them.
        """
        from multibody.symbolic import require_sympy

        require_sympy()
        from multibody.symbolic.make import equations

        return equations(self, minimal=minimal, cut=cut, independent=independent, angles=angles)

    def text(self) -> str:
        """Return the model as the text of a ``.yaml`` file; reading it back gives the same model."""
        from multibody.files.writer import model_text

        return model_text(self)

    def save(self, file: str) -> None:
        """Write the model to a ``.yaml`` or ``.json`` file, which reads back as the same model, or as a robot to ``.urdf``."""
        if Path(file).suffix.lower() == ".urdf":
            from multibody._target import write_whole
            from multibody.files.robots.write_urdf import urdf_text
            from multibody.tables.mass_numbers import mass_numbers

            write_whole(file, urdf_text(self, mass_numbers(self)).encode())
            return
        from multibody.files.writer import write_file

        write_file(self, file)

    def draw(
        self, ax: Axes | None = None, *, labels: bool | None = None, symbols: bool | None = None, title: str | None = None,
        figsize: tuple[float, float] | None = None, view: View | None = None,
    ) -> Axes:  # fmt: skip
        """Draw the assembled mechanism with matplotlib and return the axes; arguments as for :meth:`State.draw`."""
        state = self.assemble(branches=False)
        return state.draw(ax, labels=labels, symbols=symbols, title=title, figsize=figsize, view=view)


@in_words
def load(source: str, **parameters: Any) -> Model:
    """Return the model of a file or of the library, with parameters set.

    Parameters
    ----------
    source : str
        Path of a ``.yaml`` or ``.json`` file, of a robot (``.urdf``, ``.sdf``, ``.xacro``), or the name of a library model.
    **parameters
        Values of its parameters. Of a robot: `base` ("file", "fixed", "floating"), `fixed` joints ("keep", "merge"), `inertias`
        that are missing or impossible ("refuse", "shapes" with a `density`, "massless"), `limits` ("stops", "none"),
        `packages` (folders by name), `loops` (a YAML file beside a URDF).
    """
    from multibody.files.reader import read_file

    model: Model = read_file(source, Model, parameters)
    return model


@in_words
def read_run(file: str | PathLike[str], model: _Model | None = None) -> Run:
    """Return the run of a file that :meth:`Run.save` wrote; the model comes with it.

    Parameters
    ----------
    file : path
        ``.nc`` or ``.mat``; tables (``.csv``, ``.parquet``) have columns of a run, not the run.
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
def read_study(file: str | PathLike[str]) -> Study:
    """Return the study of a ``.nc`` file that :meth:`Study.save` wrote, or of the folder of a store as far as it came.

    Parameters
    ----------
    file : path
    """
    from multibody.study.read import read_study as read

    return read(Path(file))
