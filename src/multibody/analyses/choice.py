"""``auto``: which formulation and which integrator a model gets, and why.

The choice is made from what is known before the run (number of bodies, loops) and from what an explicit method meets on the
way: where stiffness limits its steps, the run is begun anew with an implicit one.
"""

from __future__ import annotations

from dataclasses import dataclass

from multibody.errors import ModelError
from multibody.formulations import Articulated, Augmented, Formulation
from multibody.integrators import Bdf, Dop853, Integrator
from multibody.tables.lower import Tables
from multibody.tables.tree import loop_rows, spanning_tree

MOST_STEPS = 1e12  # that a run may be made to take: days
SHORTEST = 1e-13  # of |t|: what the integrators call too small a step
MANY_BODIES = 30  # of an open chain, from which on joint coordinates pay for what they compile


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
    """

    formulation: Formulation
    integrator: Integrator
    reason: str = ""
    switching: bool = False

    @property
    def remark(self) -> str:
        """The reason, where it is not the usual choice."""
        usual = self.formulation.name == "augmented" and self.integrator.name == "dop853"
        return "" if usual else self.reason


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
    words = []
    if formulation is None:
        formulation, why = _formulation(tables, integrator)
        words.append(f"formulation {formulation.name} ({why})")
    switching = integrator is None and not formulation.stabilized
    if integrator is None:
        integrator = Dop853()
        words.append("integrator dop853 (explicit as long as nothing is stiff)")
    return Choice(formulation, integrator, "auto: " + ", ".join(words) if words else "", switching)


def _formulation(tables: Tables, integrator: Integrator | None) -> tuple[Formulation, str]:
    """Return the formulation and why."""
    bodies = len(tables.bodies) - 1
    if integrator is not None and integrator.implicit:
        return Augmented(), "sparse derivatives for an implicit integrator"
    if bodies >= MANY_BODIES and not tables.extras:
        loops = len(loop_rows(tables, spanning_tree(tables)))
        if loops == 0 and all(tables.F[mass] > 0.0 for mass, _ in tables.masses):
            return Articulated(), f"{bodies} bodies without a closed loop"
        return Augmented(), f"{bodies} bodies, {loops} loop equations: a sparse system" if loops else "massless bodies"
    return Augmented(), f"{bodies} {'body' if bodies == 1 else 'bodies'}"


def stiff_choice(choice: Choice, time: float) -> Choice:
    """Return what takes over where an explicit integrator found the model stiff."""
    found = choice.formulation
    if isinstance(found, Articulated):
        found = Augmented()
    reason = f"auto: formulation {found.name}, integrator bdf (dop853 met stiffness at t = {time:.4g} and was given up)"
    return Choice(found, Bdf(), reason)
