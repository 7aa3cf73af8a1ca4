"""What a mechanism is and how far a run can be trusted, in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from multibody.analyses.check.report import CheckReport, shortened

if TYPE_CHECKING:
    from multibody.results.run import Run

FEW = 6


def count(number: int, word: str) -> str:
    """Return a number with its noun: ``1 joint``, ``3 bodies``."""
    plural = f"{word[:-1]}ies" if word.endswith("y") else f"{word}s"
    return f"{number if number else 'no'} {word if number == 1 else plural}"


def composition(run: Run) -> str:
    """Return what a model is made of."""
    model = run.model
    parts = [count(len(model.bodies), "body"), count(len(model.joints), "joint")]
    parts += [count(len(model.forces), "force")] if model.forces else []
    kind = "planar" if model.dimension == 2 else "spatial"
    driven = f"; driven: {shortened([str(name) for name in model.motions])}" if model.motions else "; nothing is driven"
    return f"A {kind} model of {', '.join(parts[:-1])} and {parts[-1]}{driven}."


def mobility(found: CheckReport) -> str:
    """Return the degrees of freedom, and whether motions determine them."""
    freedoms = {0: "no degree of freedom", 1: "one degree of freedom"}.get(
        found.mobility, f"{found.mobility} degrees of freedom"
    )
    independent = f"{found.coordinates} coordinates, {found.generic_rank} independent equations"
    if found.motions == 0:
        driven = "It moves under its forces." if found.mobility else "It is a structure."
    elif found.motions == found.mobility:
        driven = f"{count(found.motions, 'motion').capitalize()} determine{'s' if found.motions == 1 else ''} it completely."
    elif found.motions < found.mobility:
        driven = f"{count(found.motions, 'motion').capitalize()} prescribe{'s' if found.motions == 1 else ''} part of it; "
        driven += "the rest moves under forces."
    else:
        driven = f"{count(found.motions, 'motion').capitalize()} are more than it has freedoms: they have to agree."
    here = "" if found.rank == found.generic_rank else f" At the start the rank is {found.rank} only: a singular position."
    return f"The mechanism has {freedoms} ({independent}). {driven}{here}"


def redundancy(found: CheckReport) -> str:
    """Return which equations follow from others, and what that means for reactions."""
    shared = [name for name, unique in found.unique_reactions.items() if not unique]
    if not found.redundant:
        return "No equation is redundant: every reaction has one value."
    word = "equation follows" if len(found.redundant) == 1 else "equations follow"
    first = f"{len(found.redundant)} {word} from the others: {shortened(found.redundant, FEW)}."
    if not shared:
        return f"{first} No reaction is touched by it."
    return (
        f"{first} Rigid bodies alone do not tell how {shortened(shared, FEW)} share what they carry; of all reactions that "
        "fit, the smallest are given. The table of loads says which components that concerns."
    )


def certificate(run: Run, balance: float | None) -> list[str]:
    """Return how well constraints, energy and free-body balance hold, sentence by sentence."""
    found = run.certificate
    said = []
    position, velocity = found.get("position_violation"), found.get("velocity_violation")
    if position is not None:
        said.append(f"Joints are closed to {position:.1g} of the model's size, and their rates to {velocity or 0.0:.1g}.")
    drift = found.get("energy_drift")
    if drift is not None:
        said.append(f"Energy is balanced to {drift:.1g} of the largest exchange, the work of drives and losses counted.")
    if balance is not None:
        said.append(f"Reactions, loads and inertia hold every body in balance to {balance:.1g} of the largest force.")
    sigma = found.get("smallest_singular_value")
    if sigma is not None:
        nearness = (
            "far from singular" if sigma > 0.05 else "near a singular position" if sigma > 1e-4 else "singular on the way"
        )
        said.append(f"The smallest singular value that was met is {sigma:.2g}: {nearness}.")
    return said
