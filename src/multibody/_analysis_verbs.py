"""The verbs of analyses on a model: one-line delegations, with their arguments described for users."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict, Unpack

from multibody.arguments import answered, short, spread
from multibody.errors import ModelError
from multibody.model.model import Model as _Model

if TYPE_CHECKING:
    from multibody.analyses.linear.system_jacobian import SystemJacobian
    from multibody.results.compare import Compare
    from multibody.results.inverse import Inverse
    from multibody.results.modes import Modes
    from multibody.results.run import Run
    from multibody.results.state import State
    from multibody.results.statics import Equilibrium

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


@answered
class AnalysisVerbs(_Model):
    """What a model is asked for: its motion, efforts, reactions, rest, small motions, and methods beside each other."""

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
