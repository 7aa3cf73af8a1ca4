"""Ways to write the equations of motion, all on the same tables and all giving the same motion.

A formulation is a small object: its options, and on use two compiled functions of (t, y), the right-hand side and the
acceptance of a step. The kernels are imported only then.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

from multibody.arguments import answered
from multibody.options.methods import AUTO, check_object, read_method
from multibody.options.verbs import check_cut


@dataclass(frozen=True)
class _Formulation:
    """What is asked of a formulation, so that nobody has to know it by name.

    Attributes
    ----------
    partitioned : bool
        Whether independent coordinates are chosen.
    stabilized : bool
        Whether violations of the constraints are fed back.
    usual : bool
        Whether ``auto`` takes it unless something speaks for another one.
    full_mass : bool
        Whether a mass matrix of all rates is formed; what forms none is made for long chains, and not for implicit methods.
    selective : bool
        Whether it can find the forces of some joints alone.
    compiled : str
        ``module.function`` of a kernel that no run does without.
    """

    partitioned: ClassVar[bool] = False
    stabilized: ClassVar[bool] = False
    usual: ClassVar[bool] = False
    full_mass: ClassVar[bool] = True
    selective: ClassVar[bool] = False
    compiled: ClassVar[str] = "augmented.rhs_augmented"

    @property
    def feedback(self) -> tuple[float | None, float | None]:
        """What `stabilized` feeds back [1/time], None where it is to be chosen."""
        return None, None


@dataclass(frozen=True)
class _OfBodies(_Formulation):
    """In the coordinates of bodies."""

    relative: ClassVar[Literal[False]] = False
    pairs: ClassVar[Literal[False]] = False


@dataclass(frozen=True)
class _OfPairs(_Formulation):
    """In the coordinates of bodies and the parameters of their pairs."""

    relative: ClassVar[Literal[False]] = False
    pairs: ClassVar[Literal[True]] = True
    compiled: ClassVar[str] = "parametric.rhs_parametric"


@dataclass(frozen=True)
class _OfJoints(_Formulation):
    """In the coordinates of the joints of a spanning tree."""

    relative: ClassVar[Literal[True]] = True
    pairs: ClassVar[Literal[False]] = False
    compiled: ClassVar[str] = "relative.expand_relative"


@answered
@dataclass(frozen=True)
class Augmented(_OfBodies):
    """Index 1 with multipliers; positions and velocities are projected at every accepted step."""

    name: ClassVar[str] = "augmented"
    usual: ClassVar[bool] = True

    def kernels(self) -> tuple[Any, Any]:
        """Return the right-hand side and the acceptance."""
        from multibody.formulations.augmented import accept_augmented, rhs_augmented

        return rhs_augmented, accept_augmented


@answered
@dataclass(frozen=True)
class Baumgarte(_OfBodies):
    """Constraint stabilization Φ̈ + 2α Φ̇ + β² Φ = 0 without projection.

    Parameters
    ----------
    alpha, beta : float, optional
        Feedback [1/time]; by default both are chosen from the rates at the start.
    """

    alpha: float | None = None
    beta: float | None = None
    name: ClassVar[str] = "baumgarte"
    compiled: ClassVar[str] = "baumgarte.rhs_baumgarte"
    stabilized: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Refuse feedback that does not decay."""
        check_object(self, "baumgarte")

    @property
    def feedback(self) -> tuple[float | None, float | None]:
        """α and β [1/time], None where they are to be chosen."""
        return self.alpha, self.beta

    def kernels(self) -> tuple[Any, Any]:
        """Return the right-hand side and the acceptance."""
        from multibody.formulations.baumgarte import accept_baumgarte, rhs_baumgarte

        return rhs_baumgarte, accept_baumgarte


@answered
@dataclass(frozen=True)
class Partitioning(_OfBodies):
    """Generalized coordinate partitioning: dependent coordinates are settled at every evaluation."""

    name: ClassVar[str] = "partitioning"
    compiled: ClassVar[str] = "partitioning.rhs_partitioning"
    partitioned: ClassVar[bool] = True

    def kernels(self) -> tuple[Any, Any]:
        """Return the right-hand side and the acceptance."""
        from multibody.formulations.partitioned import accept_partitioned
        from multibody.formulations.partitioning import rhs_partitioning

        return rhs_partitioning, accept_partitioned


@answered
@dataclass(frozen=True)
class Kane(_OfBodies):
    """Kane's method with the null-space matrix B: as many equations as degrees of freedom."""

    name: ClassVar[str] = "kane"
    compiled: ClassVar[str] = "kane.rhs_kane"
    partitioned: ClassVar[bool] = True

    def kernels(self) -> tuple[Any, Any]:
        """Return the right-hand side and the acceptance."""
        from multibody.formulations.kane import rhs_kane
        from multibody.formulations.partitioned import accept_partitioned

        return rhs_kane, accept_partitioned


@answered
@dataclass(frozen=True)
class Parametric(_OfPairs):
    """Coordinates of the bodies and of their joints: every pair has six constraints (planar three) and its own parameters.

    Parameters
    ----------
    rotation : {"regular", "cosine"}
        Rows of the rotations: regular at every angle, or those of the paper, which lose rank where a sine vanishes; a run that
        comes there stops.
    """

    rotation: str = "regular"

    def __post_init__(self) -> None:
        """Refuse words that do not exist."""
        check_object(self, "parametric")

    @property
    def name(self) -> str:
        """``parametric``, with the rows of the rotations where these are not the regular ones."""
        return "parametric" if self.rotation == "regular" else f"parametric-{self.rotation}"

    def kernels(self) -> tuple[Any, Any]:
        """Return the right-hand side and the acceptance."""
        from multibody.formulations.parametric import accept_parametric, rhs_parametric

        return rhs_parametric, accept_parametric


@answered
@dataclass(frozen=True)
class Recursive(_OfJoints):
    """Joint coordinates, the mass matrix from composite inertias K_i; loops are closed by multipliers and projection.

    Parameters
    ----------
    cut : list of str, optional
        Joints at which loops are cut; derived by default.
    """

    cut: Sequence[str] | None = None
    name: ClassVar[str] = "recursive"
    selective: ClassVar[bool] = True
    method: ClassVar[int] = 0

    def kernels(self) -> tuple[Any, Any]:
        """Return the right-hand side and the acceptance."""
        from multibody.formulations.relative import accept_relative, rhs_relative

        return rhs_relative, accept_relative


@answered
@dataclass(frozen=True)
class Articulated(_OfJoints):
    """Joint coordinates by the articulated-body recursion: time grows with the number of bodies, no matrix is formed.

    Parameters
    ----------
    cut : list of str, optional
        Joints at which loops are cut; derived by default.
    """

    cut: Sequence[str] | None = None
    name: ClassVar[str] = "articulated"
    full_mass: ClassVar[bool] = False
    method: ClassVar[int] = 2

    def kernels(self) -> tuple[Any, Any]:
        """Return the right-hand side and the acceptance."""
        from multibody.formulations.relative import accept_relative, rhs_relative

        return rhs_relative, accept_relative


@answered
@dataclass(frozen=True)
class Transformation(_OfJoints):
    """Joint coordinates by the velocity transformation ẏ = B q̇.

    Parameters
    ----------
    loops : {"projected", "stabilized", "partitioned"}
        What is done about the loops: multipliers with projection of accepted steps, multipliers with Baumgarte's feedback, or
        independent joint coordinates from which the others are settled at every evaluation.
    alpha, beta : float, optional
        Feedback of ``stabilized`` [1/time]; by default chosen from the rates at the start.
    cut : list of str, optional
        Joints at which loops are cut; derived by default.
    """

    loops: str = "projected"
    alpha: float | None = None
    beta: float | None = None
    cut: Sequence[str] | None = None
    method: ClassVar[int] = 1

    def __post_init__(self) -> None:
        """Refuse words and feedback that do not exist."""
        check_object(self, "transformation")

    @property
    def name(self) -> str:
        """``transformation``, with what is done about the loops where that is not projection."""
        return "transformation" if self.loops == "projected" else f"transformation-{self.loops}"

    @property
    def partitioned(self) -> bool:  # type: ignore[override]
        """Whether independent coordinates are chosen."""
        return self.loops == "partitioned"

    @property
    def stabilized(self) -> bool:  # type: ignore[override]
        """Whether violations are fed back."""
        return self.loops == "stabilized"

    @property
    def feedback(self) -> tuple[float | None, float | None]:
        """α and β [1/time], None where they are to be chosen."""
        return self.alpha, self.beta

    def kernels(self) -> tuple[Any, Any]:
        """Return the right-hand side and the acceptance."""
        from multibody.formulations import relative as r

        if self.partitioned:
            return r.rhs_relative_partitioned, r.accept_relative_partitioned
        if self.stabilized:
            return r.rhs_relative_stabilized, r.accept_relative_stabilized
        return r.rhs_relative, r.accept_relative


JointFormulation = Recursive | Transformation | Articulated
Formulation = Augmented | Baumgarte | Partitioning | Kane | Parametric | Recursive | Transformation | Articulated
FORMULATIONS: dict[str, Callable[..., Formulation]] = {
    "augmented": Augmented, "baumgarte": Baumgarte, "partitioning": Partitioning, "kane": Kane,
    "parametric": Parametric, "recursive": Recursive, "transformation": Transformation, "articulated": Articulated,
}  # fmt: skip


def formulation_of(given: Any, cut: Sequence[str] | None = None) -> Formulation:
    """Return a formulation from its name (``baumgarte:alpha=5,beta=5`` too), a mapping or itself; ``auto`` is ``augmented``.

    Parameters
    ----------
    given : str, mapping or Formulation
        ``{"baumgarte": {"alpha": 5, "beta": 5}}`` as files have it.
    cut : list of str, optional
        Joints at which loops are cut; joint coordinates only.
    """
    if cut is not None:
        check_cut(given, cut, "cut")
    if not isinstance(given, Formulation):
        method = read_method(given, "formulation")
        given = Augmented() if method.name == AUTO else FORMULATIONS[method.name](**method.options)
    found: Formulation = given
    return found if cut is None else replace(found, cut=cut)  # type: ignore[arg-type]
