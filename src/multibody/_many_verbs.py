"""The verbs that take a model many times: stepped from outside, asked state by state, varied; one-line delegations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, TypedDict, Unpack, overload

from multibody.arguments import answered, spread, truth
from multibody.errors import ModelError
from multibody.model.model import Model as _Model

if TYPE_CHECKING:
    from multibody._analysis_verbs import Initial
    from multibody.learn.environment import Environment, Environments
    from multibody.results.array_simulator import ArraySimulator
    from multibody.results.robot import Robot
    from multibody.results.simulator import Simulator
    from multibody.study.result import Study


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
class ManyVerbs(_Model):
    """What steps a model from outside, asks it as a robot, or computes many members of it."""

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
        made = truth(specialize, "specialize", "study.specialize")
        ways = Ways(executor, workers, chunk, store, resume, progress, "host" if device is None and made else device)
        return study(self, known_text(self), parameters, outputs, samples, method, seed, analysis, initial, refine, told, ways)
