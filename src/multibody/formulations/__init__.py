"""Ways to write the equations of motion, all on the same tables and all giving the same motion.

A formulation is a small object: its options, and on use two compiled functions of (t, y), the right-hand side and the
acceptance of a step. The kernels are imported only then.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from multibody.errors import ModelError, nearest


@dataclass(frozen=True)
class Augmented:
    """Index 1 with multipliers; positions and velocities are projected at every accepted step."""

    name: ClassVar[str] = "augmented"
    partitioned: ClassVar[bool] = False

    def kernels(self) -> tuple[Any, Any]:
        """Return the right-hand side and the acceptance."""
        from multibody.formulations.augmented import accept_augmented, rhs_augmented

        return rhs_augmented, accept_augmented


@dataclass(frozen=True)
class Baumgarte:
    """Constraint stabilization Φ̈ + 2α Φ̇ + β² Φ = 0 without projection.

    Parameters
    ----------
    alpha, beta : float, optional
        Feedback [1/time]; by default both are chosen from the rates at the start.
    """

    alpha: float | None = None
    beta: float | None = None
    name: ClassVar[str] = "baumgarte"
    partitioned: ClassVar[bool] = False

    def __post_init__(self) -> None:
        """Refuse feedback that does not decay."""
        for word, value in (("alpha", self.alpha), ("beta", self.beta)):
            if value is not None and not (isinstance(value, int | float) and math.isfinite(value) and value >= 0.0):
                raise ModelError(f"{word} is {value!r}", where="baumgarte", hint="give a number of at least 0, such as 5")

    def kernels(self) -> tuple[Any, Any]:
        """Return the right-hand side and the acceptance."""
        from multibody.formulations.baumgarte import accept_baumgarte, rhs_baumgarte

        return rhs_baumgarte, accept_baumgarte


@dataclass(frozen=True)
class Partitioning:
    """Generalized coordinate partitioning: dependent coordinates are settled at every evaluation."""

    name: ClassVar[str] = "partitioning"
    partitioned: ClassVar[bool] = True

    def kernels(self) -> tuple[Any, Any]:
        """Return the right-hand side and the acceptance."""
        from multibody.formulations.partitioned import accept_partitioned
        from multibody.formulations.partitioning import rhs_partitioning

        return rhs_partitioning, accept_partitioned


@dataclass(frozen=True)
class Kane:
    """Kane's method with the null-space matrix B: as many equations as degrees of freedom."""

    name: ClassVar[str] = "kane"
    partitioned: ClassVar[bool] = True

    def kernels(self) -> tuple[Any, Any]:
        """Return the right-hand side and the acceptance."""
        from multibody.formulations.kane import rhs_kane
        from multibody.formulations.partitioned import accept_partitioned

        return rhs_kane, accept_partitioned


Formulation = Augmented | Baumgarte | Partitioning | Kane
FORMULATIONS: dict[str, type[Formulation]] = {f.name: f for f in (Augmented, Baumgarte, Partitioning, Kane)}


def formulation_of(given: str | Formulation) -> Formulation:
    """Return a formulation from its name or itself; ``auto`` is ``augmented``."""
    if isinstance(given, Formulation):
        return given
    if given == "auto":
        return Augmented()
    if not isinstance(given, str) or given not in FORMULATIONS:
        names = ", ".join(FORMULATIONS)
        near = nearest(str(given), FORMULATIONS)
        raise ModelError(f'unknown formulation "{given}"', where="formulation", hint=f"{near} There are auto, {names}".strip())
    return FORMULATIONS[given]()
