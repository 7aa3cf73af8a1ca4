"""Ways to step y' = f(t, y): one file each, all behind the same call (see ``contract``).

The classes here are what a user chooses and sets; they import no numba. The kernels come with the first use of ``advance``.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from multibody.arguments import answered
from multibody.errors import ModelError
from multibody.options.methods import INTEGRATORS as OPTIONS
from multibody.options.methods import check_object, read_method

__all__ = ["INTEGRATORS", "Ab3", "Adams", "Alpha", "Bdf", "Dop853", "Ida", "Integrator", "Radau", "Rk4", "integrator_of"]


LENGTH, OWN = "length", "own"  # steps of members in code made for their structure


@functools.cache
def _kernel(name: str, what: str) -> Any:
    """Return a kernel of a method, or what it declares beside its kernels."""
    return getattr(importlib.import_module(f"{__name__}.{name}"), f"{what}_{name}")


@dataclass(frozen=True)
class Integrator:
    """What all integrators have in common.

    Attributes
    ----------
    name : str
        As written in files and on the command line.
    adaptive : bool
        Whether steps are chosen by tolerances; otherwise ``step`` is their length.
    order : int
        Order of convergence; the highest one if it varies.
    dense_rows : int
        Rows of the array ``dense[k]``, each of the state's length.
    kept_rows, extra_evaluations : int
        Rows of a step that is stored as it was made and completed later (see ``contract``), and the evaluations of f that this
        then takes; 0 where dense output is always made at once.
    implicit : bool
        Whether ``advance`` takes the addresses ``ops`` of the equations with constraints (see ``implicit``) instead of f.
    compiled : bool
        Whether ``advance`` is a kernel.
    complex_factors : bool
        Whether it factors complex matrices too.
    usual : bool
        Whether ``auto`` begins with it.
    specialized : str
        How it steps members in code made for their structure: LENGTH, all by one length, or OWN, each by steps of its own; ""
        if there is no such code.
    keeps_step : bool
        Whether the length of its last step is worth keeping where it begins anew from the present state.
    steps_aside : float
        How many steps in a row may be refused because they end where the equations are about to lose rank; 0 for fixed steps,
        −1 where such a point costs least in the steps that are made anyway.
    """

    name: ClassVar[str] = ""
    adaptive: ClassVar[bool] = True
    order: ClassVar[int] = 0
    dense_rows: ClassVar[int] = 0
    kept_rows: ClassVar[int] = 0
    extra_evaluations: ClassVar[int] = 0
    implicit: ClassVar[bool] = False
    compiled: ClassVar[bool] = True
    complex_factors: ClassVar[bool] = False
    usual: ClassVar[bool] = False
    specialized: ClassVar[str] = ""
    keeps_step: ClassVar[bool] = False
    steps_aside: ClassVar[float] = 20.0

    @property
    def memory_rows(self) -> int:
        """Rows of the array ``memory``, each of the state's length."""
        return int(_kernel(self.name, "rows"))

    @property
    def advance(self) -> Any:
        """The kernel that makes the steps."""
        return _kernel(self.name, "advance")

    @property
    def interpolate(self) -> Any:
        """The kernel that reads the dense output of one step."""
        return _kernel(self.name, "interpolate")

    @property
    def complete(self) -> Any:
        """The kernel that makes the dense output of steps that were stored as they were made."""
        return _kernel(self.name, "complete")

    def configure(self, control: Any, counts: Any) -> None:
        """Write these options into the arrays that ``advance`` takes.

        Parameters
        ----------
        control : array of float64, (CONTROL_SIZE,)
        counts : array of int64, (COUNTS_SIZE,)
        """
        raise NotImplementedError(f"{type(self).__name__} is not an integrator by itself")

    def work_size(self, nq: int, n: int, m: int) -> int:
        """Return the length of ``work`` that an implicit integrator needs; 0 for an explicit one.

        Parameters
        ----------
        nq, n, m : int
            Numbers of coordinates, of rates and of multipliers.
        """
        if not (self.implicit and self.compiled):
            return 0
        lengths = _kernel(self.name, "work")
        return sum(getattr(lengths, "py_func", lengths)(nq, n, m))  # where numba is switched off it is a plain function


@dataclass(frozen=True)
class _Adaptive(Integrator):
    """An integrator that chooses its steps by tolerances."""

    first_step: float | None = None
    max_step: float | None = None

    def __post_init__(self) -> None:
        check_object(self, self.name)

    def configure(self, control: Any, counts: Any) -> None:
        """Write these options into the arrays that ``advance`` takes."""
        from multibody.integrators import contract

        control[contract.H] = self.first_step or 0.0
        control[contract.HMAX] = self.max_step or 0.0


@dataclass(frozen=True)
class _Fixed(Integrator):
    """An integrator with steps of one length; one without takes that of the run, ``model.run(step=...)``."""

    step: float | None = None

    adaptive: ClassVar[bool] = False
    steps_aside: ClassVar[float] = 0.0

    def __post_init__(self) -> None:
        check_object(self, self.name)

    def configure(self, control: Any, counts: Any) -> None:
        """Write these options into the arrays that ``advance`` takes."""
        from multibody.integrators import contract

        control[contract.FIXED] = self.step


@answered
@dataclass(frozen=True)
class Dop853(_Adaptive):
    """Dormand–Prince 8(5, 3): explicit Runge–Kutta method of order 8 with dense output of order 7.

    Parameters
    ----------
    first_step : float, optional
        Length of the first step; chosen from the equations if not given.
    max_step : float, optional
        No step is longer.
    """

    name: ClassVar[str] = "dop853"
    usual: ClassVar[bool] = True
    specialized: ClassVar[str] = OWN
    keeps_step: ClassVar[bool] = True
    order: ClassVar[int] = 8
    dense_rows: ClassVar[int] = 8
    kept_rows: ClassVar[int] = 11
    extra_evaluations: ClassVar[int] = 3


@answered
@dataclass(frozen=True)
class Adams(_Adaptive):
    """Adams predictor–corrector (PECE) of variable order and step in modified divided differences.

    Two evaluations a step whatever the order: the choice where an evaluation is expensive.

    Parameters
    ----------
    first_step : float, optional
        Length of the first step; chosen from the equations if not given.
    max_step : float, optional
        No step is longer.
    max_order : int
        Highest order of the predictor, 1 to 12.
    """

    max_order: int = 12

    name: ClassVar[str] = "adams"
    order: ClassVar[int] = 12
    dense_rows: ClassVar[int] = 14

    def configure(self, control: Any, counts: Any) -> None:
        """Write these options into the arrays that ``advance`` takes."""
        from multibody.integrators import contract

        super().configure(control, counts)
        counts[contract.MAX_ORDER] = self.max_order


@answered
@dataclass(frozen=True)
class Rk4(_Fixed):
    """The classical Runge–Kutta method of order 4 with a fixed step; the last step is shortened to end in time.

    Parameters
    ----------
    step : float, optional
        Length of a step; default that of the run, ``model.run(step=...)``.
    """

    name: ClassVar[str] = "rk4"
    specialized: ClassVar[str] = LENGTH
    order: ClassVar[int] = 4
    dense_rows: ClassVar[int] = 5


@answered
@dataclass(frozen=True)
class Ab3(_Fixed):
    """Adams–Bashforth of order 3 with a fixed step, one evaluation a step, started by Runge–Kutta steps.

    Parameters
    ----------
    step : float, optional
        Length of a step; default that of the run, ``model.run(step=...)``.
    """

    name: ClassVar[str] = "ab3"
    order: ClassVar[int] = 3
    dense_rows: ClassVar[int] = 4


@answered
@dataclass(frozen=True)
class Bdf(_Adaptive):
    """Backward differentiation of variable order and step with Newton's iteration on exact derivatives, for stiff systems.

    Parameters
    ----------
    first_step : float, optional
        Length of the first step; chosen from the equations if not given.
    max_step : float, optional
        No step is longer.
    max_order : int
        Highest order, 1 to 5.
    form : str
        Which constraint equations are solved in each step: "ggl" those of positions and velocities (stabilized index 2),
        "index2" those of velocities, "index1" those of accelerations.
    """

    max_order: int = 5
    form: str = "ggl"

    name: ClassVar[str] = "bdf"
    steps_aside: ClassVar[float] = -1.0  # its steps grow slowly
    order: ClassVar[int] = 5
    dense_rows: ClassVar[int] = 6
    implicit: ClassVar[bool] = True
    forms: ClassVar[tuple[str, ...]] = OPTIONS["bdf"]["form"].words

    def configure(self, control: Any, counts: Any) -> None:
        """Write these options into the arrays that ``advance`` takes."""
        from multibody.integrators import contract

        super().configure(control, counts)
        counts[contract.MAX_ORDER] = self.max_order
        counts[contract.FORM] = self.forms.index(self.form)


@answered
@dataclass(frozen=True)
class Radau(_Adaptive):
    """Radau IIA, implicit Runge–Kutta method with three stages: order 5, stiffly accurate, for stiff systems and high accuracy.

    Parameters
    ----------
    first_step : float, optional
        Length of the first step; chosen from the equations if not given.
    max_step : float, optional
        No step is longer.
    """

    name: ClassVar[str] = "radau"
    order: ClassVar[int] = 5
    dense_rows: ClassVar[int] = 4
    implicit: ClassVar[bool] = True
    complex_factors: ClassVar[bool] = True


@answered
@dataclass(frozen=True)
class Alpha(_Fixed):
    """The generalized-α method: implicit, order 2, fixed step, with damping of high frequencies as chosen.

    Parameters
    ----------
    step : float, optional
        Length of a step; default that of the run, ``model.run(step=...)``.
    rho : float
        What is left of a motion of infinitely high frequency after a step, 0 (nothing) to 1 (all of it).
    form : str
        Which constraint equations are solved in each step: "stabilized" those of positions and velocities, "index3" those of
        positions.
    """

    rho: float = 0.8
    form: str = "stabilized"

    name: ClassVar[str] = "alpha"
    specialized: ClassVar[str] = OWN
    order: ClassVar[int] = 2
    dense_rows: ClassVar[int] = 4
    implicit: ClassVar[bool] = True
    forms: ClassVar[tuple[str, ...]] = OPTIONS["alpha"]["form"].words

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.form == "index3" and self.rho == 1.0:
            what = 'with rho 1 the multipliers of the form "index3" swing without end'
            raise ModelError(what, where=self.name, hint='give a smaller rho, or form="stabilized"')

    def configure(self, control: Any, counts: Any) -> None:
        """Write these options into the arrays that ``advance`` takes."""
        from multibody.integrators import contract

        super().configure(control, counts)
        control[contract.RHO] = self.rho
        counts[contract.FORM] = self.forms.index(self.form)


@answered
@dataclass(frozen=True)
class Ida(_Adaptive):
    """IDA of SUNDIALS through the optional package scikit-sundae, on the stabilized form of index 2: to check ``bdf`` against.

    It is slower than ``bdf``, since steps and equations meet in Python, and dense. Needs ``pip install scikit-sundae``.

    Parameters
    ----------
    first_step : float, optional
        Length of the first step; chosen by IDA if not given.
    max_step : float, optional
        No step is longer.
    max_order : int
        Highest order, 1 to 5.
    """

    max_order: int = 5

    name: ClassVar[str] = "ida"
    order: ClassVar[int] = 5
    dense_rows: ClassVar[int] = 6
    implicit: ClassVar[bool] = True
    compiled: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if importlib.util.find_spec("sksundae") is None:
            raise ModelError("scikit-sundae is not installed", where=self.name, hint="pip install scikit-sundae, or use bdf")

    def configure(self, control: Any, counts: Any) -> None:
        """Write these options into the arrays that ``advance`` takes."""
        from multibody.integrators import contract

        super().configure(control, counts)
        counts[contract.MAX_ORDER] = self.max_order


INTEGRATORS: dict[str, type[Integrator]] = {kind.name: kind for kind in (Rk4, Ab3, Dop853, Adams, Bdf, Radau, Alpha)}
OPTIONAL: dict[str, type[Integrator]] = {Ida.name: Ida}  # those that need another package: used only where they are named


def integrator_of(choice: Any, step: float | None = None) -> Integrator:
    """Return the integrator that a user means.

    Parameters
    ----------
    choice : str, mapping or Integrator
        A name of ``INTEGRATORS`` or ``OPTIONAL`` (``bdf:max_order=2`` too), a mapping ``{"bdf": {"max_order": 2}}`` as files
        have it, or an integrator with its options, which is returned as it is.
    step : float, optional
        Length of the steps; needed by a method with a fixed step that has none of its own, and only there.

    Returns
    -------
    Integrator
    """
    if isinstance(choice, Integrator) and step is None and (choice.adaptive or getattr(choice, "step", None) is not None):
        return choice
    method = read_method(choice, "integrator")
    name, known = method.name, INTEGRATORS | OPTIONAL
    if name not in known:  # auto, which whoever asks has to decide
        raise ModelError(f'"{name}" is no integrator by itself', hint=f"There are {', '.join(known)}.")
    options, kind = dict(method.options), known[name]
    if kind.adaptive:
        if step is not None:
            raise ModelError("step is set, but this integrator chooses its steps", where=name, hint="set rtol and atol")
    elif options.get("step", step) is None and step is None:
        raise ModelError("a fixed step is missing", where=name, hint="give its length, as in step=0.001")
    elif options.get("step") is None:
        options["step"] = step
    elif step is not None and options["step"] != step:
        problem = f"step is given twice, {options['step']:g} in {name} and {step:g} beside it"
        raise ModelError(problem, where=name, hint="keep one of the two")
    if isinstance(choice, Integrator):
        return choice if kind.adaptive or getattr(choice, "step", None) is not None else replace(choice, **{"step": step})
    return kind(**options)
