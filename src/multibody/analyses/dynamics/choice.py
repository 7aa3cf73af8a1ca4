"""``auto``: which formulation and which integrator a model gets, and why.

The choice is made from what an evaluation costs (see ``cost.py``) and from what an explicit method meets on the way: where
stiffness limits its steps, the run is begun anew with an implicit one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from multibody.analyses.dynamics.cost import evaluation_costs, structure_of
from multibody.errors import ModelError
from multibody.formulations import Augmented, Formulation, formulation_of
from multibody.integrators import Bdf, Dop853, Integrator
from multibody.tables.lower import Tables

MOST_STEPS = 1e12  # that a run may be made to take: days
SHORTEST = 1e-13  # of |t|: what the integrators call too small a step
GAIN = 2.0  # times cheaper that another formulation has to be to take the place of augmented


@dataclass(frozen=True)
class Choice:
    """Formulation and integrator of a run.

    Attributes
    ----------
    formulation : Formulation
    integrator : Integrator
    reason : str
        What was chosen and why; empty where the user chose everything.
    switching : bool
        Whether an implicit integrator may take over.
    chosen : bool
        Whether ``auto`` chose the formulation.
    """

    formulation: Formulation
    integrator: Integrator
    reason: str = ""
    switching: bool = False
    chosen: bool = False

    @property
    def remark(self) -> str:
        """The reason, where it is not the usual choice."""
        return "" if self.formulation.usual and self.integrator.usual else self.reason

    @property
    def regular(self) -> bool:
        """Whether its matrices have to be regular also in what moves nothing.

        Those of implicit methods, those with pairs, and those of independent coordinates, among which idle spins are.
        """
        return self.integrator.implicit or self.switching or self.formulation.pairs or self.formulation.partitioned


def check_pair(formulation: Formulation, integrator: Integrator) -> None:
    """Refuse a formulation whose equations an implicit integrator cannot take."""
    if integrator.implicit and formulation.stabilized:
        raise ModelError(
            f"{integrator.name} solves the constraints themselves, {formulation.name} feeds their violation back",
            where="formulation", hint="use augmented, or an explicit integrator",
        )  # fmt: skip


def check_steps(integrator: Integrator, start: float, end: float) -> None:
    """Refuse a length of steps with which a run would not come to its end."""
    field = "max_step" if integrator.adaptive else "step"
    longest = getattr(integrator, field, None)
    if longest is None:
        return
    where, hint = f"{integrator.name}.{field}", "give a longer one" + (", or none" if integrator.adaptive else "")
    if abs(end - start) > MOST_STEPS * longest:
        raise ModelError(f"{longest:g} is too short: it takes more than {MOST_STEPS:g} steps", where=where, hint=hint)
    latest = max(start, end, key=abs)
    if integrator.adaptive and longest < SHORTEST * abs(latest):
        raise ModelError(f"{longest:g} is too short: t = {latest:g} has no such digits", where=where, hint=hint)


def remarks(integrator: Integrator, start: float, end: float) -> list[str]:
    """Return what is worth a word about the times that were asked for: a run backward, a first step beyond the end."""
    found = []
    if end < start:
        found.append(f"until {end:g} lies before the start {start:g}: the model runs backward in time")
    for field in ("first_step", "step"):  # a length that was given
        length = getattr(integrator, field, None)
        if length is not None and length > abs(end - start) * (1.0 + 1e-9):
            whole = f"the whole, {abs(end - start):g}"
            found.append(f"{field} {length:g} of {integrator.name} is longer than {whole}: it is shortened to that")
    return found


def choose(tables: Tables, formulation: Formulation | None, integrator: Integrator | None) -> Choice:
    """Return the choice for a model.

    Parameters
    ----------
    tables : Tables
    formulation, integrator : objects or None
        What the user asked for; None for ``auto``.
    """
    words, chosen = [], formulation is None
    if formulation is None:
        formulation, why = _formulation(tables, integrator)
        words.append(f"formulation {formulation.name} ({why})")
    switching = integrator is None and not formulation.stabilized
    if integrator is None:
        integrator = Dop853()
        words.append("integrator dop853 (explicit as long as nothing is stiff)")
    return Choice(formulation, integrator, "auto: " + ", ".join(words) if words else "", switching, chosen)


def fallen_back(choice: Choice) -> Choice:
    """Return what takes the place of a formulation chosen by ``auto`` that does not take the model after all."""
    reason = choice.reason.replace(f"formulation {choice.formulation.name}", "formulation augmented")
    return replace(choice, formulation=Augmented(), reason=reason)


def _formulation(tables: Tables, integrator: Integrator | None) -> tuple[Formulation, str]:
    """Return the formulation and why: `augmented`, which passes change points best, unless another one is far cheaper."""
    bodies = len(tables.bodies) - 1
    many = f"{bodies} {'body' if bodies == 1 else 'bodies'}"
    if integrator is not None and integrator.implicit:
        return Augmented(), "sparse derivatives for an implicit integrator"
    if not all(slots.stated for slots in tables.masses):  # refused later, by name
        return Augmented(), many
    structure = structure_of(tables)
    costs = evaluation_costs(structure)
    cheapest = min(costs, key=lambda name: costs[name])
    ratio = costs["augmented"] / costs[cheapest]
    if ratio <= GAIN:
        return Augmented(), many
    if structure.loops == 0:
        return formulation_of(cheapest), f"{many} without a closed loop"
    why = "" if structure.regular else "some without mass, "
    return formulation_of(cheapest), f"{many}, {why}{structure.loops} loop equations: about {ratio:.0f} times cheaper"


def stiff_choice(choice: Choice, time: float) -> Choice:
    """Return what takes over where an explicit integrator found the model stiff."""
    found = choice.formulation
    if choice.chosen or not found.full_mass:
        found = Augmented()
    reason = f"auto: formulation {found.name}, integrator bdf (dop853 met stiffness at t = {time:.4g} and was given up)"
    return Choice(found, Bdf(), reason)
