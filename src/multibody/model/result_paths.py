"""Paths that only results have: reactions and totals of joints, efforts, loads, energies, momentum."""

from __future__ import annotations

from typing import TYPE_CHECKING

from multibody.errors import ModelError, nearest

if TYPE_CHECKING:
    from multibody.model.model import Model
    from multibody.model.paths import Path

AXES = "xyz"
WRENCHES = ("reaction", "total")
PARTS = ("force", "moment")
WITH_WRENCHES = ("force", "bushing")  # kinds of forces that have a force and a moment
ENERGIES = ("kinetic", "potential", "total", "work")
WHOLE = ("energy", "momentum", "angular_momentum")  # of the whole model
RESULT_KINDS = ("effort", "load", *WRENCHES, *WHOLE)


def resolve_result(model: Model, parts: tuple[str, ...], where: str) -> Path | None:
    """Return what a path means that only a result knows, None where it is of another kind.

    Parameters
    ----------
    model : Model
    parts : tuple of str
        The path, split at its dots, without rate.
    where : str
        Path of the place that uses it, for error messages.
    """
    from multibody.model.paths import Path

    first, rest = parts[0], parts[1:]
    text = ".".join(parts)
    if rest and rest[-1] == "effort":
        return _effort(model, parts[:-1], text, where)
    if first in model.joints and rest and rest[0] in WRENCHES:
        if model.joints[first].kind.relation == "coupler":
            hint = f"a coupler acts on coordinates, not on frames: read {first}.effort"
            raise ModelError(f'"{first}" has no {rest[0]}', where=where, hint=hint)
        part, axis = _wrench_part(model, rest[1:], f"{first}.{rest[0]}", where)
        return Path(rest[0], first, part, axis, text=text)
    if first in model.forces and model.forces[first].kind.name in WITH_WRENCHES and rest and rest[0] in PARTS:
        part, axis = _wrench_part(model, rest, first, where)
        return Path("load", first, part, axis, text=text)
    if first in WHOLE and first not in model.all_names():
        return _whole(model, first, rest, text, where)
    return None


def _effort(model: Model, core: tuple[str, ...], text: str, where: str) -> Path:
    """Return the effort of a force, of a coupler, or of everything that acts along a coordinate."""
    from multibody.model.paths import Path, resolve

    if len(core) == 1 and core[0] in model.forces:
        if model.forces[core[0]].kind.name == "force":
            hint = f"a force at a frame has {core[0]}.force and {core[0]}.moment"
            raise ModelError(f'"{core[0]}" has no effort', where=where, hint=hint)
        return Path("effort", core[0], text=text, of="force")
    if len(core) == 1 and core[0] in model.joints and model.joints[core[0]].kind.relation == "coupler":
        return Path("effort", core[0], text=text, of="coupler")
    found = resolve(model, core, where, results=True)
    if not found.scalar_coordinate:
        raise ModelError(f'"{".".join(core)}" has no effort', where=where, hint="an effort belongs to a coordinate or a force")
    return Path("effort", found.owner, found.item, found.axis, text=text, of=found.kind)


def _wrench_part(model: Model, rest: tuple[str, ...], owner: str, where: str) -> tuple[str, int]:
    """Return the part of a wrench (``force`` or ``moment``) and its component, −1 for all."""
    axes = AXES[: model.dimension]
    if rest and rest[0] in PARTS:
        allowed = () if rest[0] == "moment" and model.dimension == 2 else tuple(axes)
        if len(rest) == 1:
            return rest[0], -1
        if len(rest) == 2 and rest[1] in allowed:
            return rest[0], axes.index(rest[1])
    known = [f"force.{axis}" for axis in axes] + (["moment"] if model.dimension == 2 else [f"moment.{axis}" for axis in axes])
    guess = nearest(rest[0], PARTS) if rest else ""
    raise ModelError(
        f'unknown name "{".".join((owner, *rest))}"', where=where,
        hint=f'{guess} "{owner}" has {", ".join(dict.fromkeys(["force", *known[:-1], "moment", known[-1]]))}.'.strip(),
    )  # fmt: skip


def _whole(model: Model, first: str, rest: tuple[str, ...], text: str, where: str) -> Path:
    """Return an energy or a momentum of the whole model."""
    from multibody.model.paths import Path

    if first == "energy":
        if len(rest) == 1 and rest[0] in ENERGIES:
            return Path("energy", "", rest[0], text=text)
        hint = f"{nearest(rest[0], ENERGIES) if rest else ''} There is {', '.join(f'energy.{item}' for item in ENERGIES)}."
        raise ModelError(f'unknown name "{text}"', where=where, hint=hint.strip())
    axes = AXES[: model.dimension] if first == "momentum" or model.dimension == 3 else ""
    if not rest:
        return Path(first, axis=-1, text=text)
    if len(rest) == 1 and rest[0] in axes:
        return Path(first, axis=axes.index(rest[0]), text=text)
    known = ", ".join([first, *(f"{first}.{axis}" for axis in axes)])
    raise ModelError(f'unknown name "{text}"', where=where, hint=f"There is {known}.")
