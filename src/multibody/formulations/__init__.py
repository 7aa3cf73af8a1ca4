"""Ways to write the equations of motion, all on the same tables and all giving the same motion.

A formulation is a small object that owns its options, its coordinates and its compiled functions, see ``formulation.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from multibody.formulations.formulation import FormulationBase
from multibody.formulations.of_bodies import Augmented, Baumgarte, Kane, Parametric, Partitioning
from multibody.formulations.of_joints import Articulated, JointFormulation, Recursive, Transformation
from multibody.options.methods import AUTO, read_method
from multibody.options.verbs import check_cut

__all__ = [
    "FORMULATIONS", "Articulated", "Augmented", "Baumgarte", "Formulation", "JointFormulation", "Kane", "Parametric",
    "Partitioning", "Recursive", "Transformation", "formulation_of",
]  # fmt: skip

Formulation = FormulationBase  # whatever answers as one does
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
    return found if cut is None else found.cut_at(cut) or found
