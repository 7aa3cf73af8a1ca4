"""Paths: the one set of names that expressions, motions, guesses and results share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from multibody.errors import ModelError, nearest
from multibody.model.names import unknown
from multibody.model.result_paths import PARTS, RESULT_KINDS, WHOLE, WRENCHES, resolve_result

if TYPE_CHECKING:
    from multibody.model.model import Model

AXES = "xyz"
QUATERNION = 4  # numbers of a rotation in space


@dataclass(frozen=True)
class Path:
    """What a path names.

    Attributes
    ----------
    kind : str
        ``time``, ``phi``, ``parameter``, ``joint``, ``point``, ``angle``, ``omega``, ``rotation``, ``spring``, ``output``;
        in results also ``effort``, ``reaction``, ``total``, ``load``, ``energy``, ``momentum``, ``angular_momentum``.
    owner : str
        Body, joint, force, parameter or output.
    item : str
        Coordinate of the joint, frame of the body (``com`` for the center of mass), component of a vector parameter,
        ``force`` or ``moment`` of a wrench, or the kind of energy.
    axis : int
        Component 0, 1, 2 of a point, an angular velocity, a wrench or a momentum; −1 for the whole vector.
    order : int
        0 value, 1 rate, 2 acceleration.
    text : str
        As the user wrote it.
    of : str
        What an effort belongs to: the kind of the coordinate's path, ``force`` or ``coupler``.
    """

    kind: str
    owner: str = ""
    item: str = ""
    axis: int = 0
    order: int = 0
    text: str = ""
    of: str = ""

    @property
    def key(self) -> tuple[str, str, str, int]:
        """What tells one coordinate from another, however it is spelled."""
        return self.kind, self.owner, self.item, self.axis

    @property
    def scalar_coordinate(self) -> bool:
        """Whether a motion, an effort or a coupler may use it."""
        return self.kind in ("joint", "point", "angle", "spring") and self.order == 0


def resolve(model: Model, parts: tuple[str, ...], where: str, *, results: bool = False) -> Path:
    """Return what the dotted path means in this model.

    Parameters
    ----------
    model : Model
    parts : tuple of str
        The path, split at its dots.
    where : str
        Path of the place that uses it, for error messages.
    results : bool
        Whether ``.acceleration``, output names and what only a result has (reactions, efforts, energies) are allowed.

    Returns
    -------
    Path
    """
    text = ".".join(parts)
    order, core = 0, parts
    if len(parts) > 1 and parts[-1] in ("rate", "acceleration"):
        order, core = (1 if parts[-1] == "rate" else 2), parts[:-1]
        if order == 2 and not results:
            raise ModelError(f'"{text}" is known only in results', where=where, hint="use a coordinate or its rate")
    found = resolve_result(model, core, where)
    if found is not None and not results:
        raise ModelError(f'"{text}" is known only in results', where=where, hint="use coordinates and their rates")
    found = found or _resolve_value(model, core, where, results)
    if found.kind == "omega" and order:
        if not results:
            raise ModelError(f'"{text}" is known only in results', where=where, hint="use the angular velocity itself")
        return Path("omega", found.owner, "", found.axis, 2, text)
    if order and found.kind in ("time", "phi", "parameter", "rotation", *RESULT_KINDS):
        raise ModelError(f'"{text}" has no rate', where=where, hint="a rate belongs to a coordinate")
    if order == 1 and found.order:
        raise ModelError(f'"{text}" is a rate of a rate', where=where, hint="write .acceleration in results")
    return Path(found.kind, found.owner, found.item, found.axis, found.order + order, text, found.of)


def vector_size(model: Model, parts: tuple[str, ...]) -> int:
    """Return how many components a path has that names a vector: a point, a force, a momentum or their rate; else 0.

    Parameters
    ----------
    model : Model
    parts : tuple of str
        The path, split at its dots; paths of results count too.
    """
    if parts[0] in ("t", "phi") or (len(parts) == 1 and parts[0] not in WHOLE):
        return 0
    return sum(_exists(model, component(parts, axis)) for axis in AXES[: model.dimension])


def component(parts: tuple[str, ...], axis: str) -> tuple[str, ...]:
    """Return the path of a component: ``rod.tip.x``, and ``rod.tip.x.rate`` of ``rod.tip.rate``."""
    if parts[-1] in ("rate", "acceleration"):
        return (*parts[:-1], axis, parts[-1])
    return (*parts, axis)


def letters_of(count: int, dimension: int = 3) -> list[str]:
    """Return the names of components: of a vector, a quaternion, or the efforts of a bushing (3 in the plane, 6 in space)."""
    if count == QUATERNION:
        return list("wxyz")
    if dimension == 2 and count > dimension:
        return ["x", "y", "about_z"]
    return [*AXES[:count], *(f"about_{letter}" for letter in AXES[: max(count - 3, 0)])]


def component_names(text: str, count: int) -> list[str]:
    """Return the names of the numbers that a path stands for, as one writes them: ``A.reaction.force.x``.

    Parameters
    ----------
    text : str
        A path or an expression.
    count : int
        How many numbers it has at an instant: 1, 2 or 3 components, the 4 of a quaternion, the 6 efforts of a bushing.
    """
    if count == 1:
        return [text]
    parts = tuple(text.split("."))
    return [".".join(component(parts, letter)) for letter in letters_of(count)]


def _exists(model: Model, parts: tuple[str, ...]) -> bool:
    """Return whether a path means anything in results."""
    try:
        resolve(model, parts, "", results=True)
    except ModelError:
        return False
    return True


def _resolve_value(model: Model, parts: tuple[str, ...], where: str, results: bool) -> Path:
    """Return the path without its rate."""
    first, rest = parts[0], parts[1:]
    if first in ("t", "phi") and not rest:
        return Path("time" if first == "t" else "phi")
    if first in model.parameters:
        return _parameter(model, first, rest, where)
    if first in model.joints:
        return _joint(model, first, rest, where, results)
    if first in model.bodies or first == "ground":
        return _body(model, first, rest, where)
    if first in model.forces and model.forces[first].kind.name == "spring" and rest in ((), ("length",)):
        return Path("spring", first, "length")
    if results and first in model.outputs and not rest:
        return Path("output", first)
    known = [*model.all_names(), *(sorted(WHOLE) if results else ())]
    raise unknown("name", ".".join(parts), known, where)


def _parameter(model: Model, first: str, rest: tuple[str, ...], where: str) -> Path:
    """Return a scalar parameter or a component of a vector one."""
    size = model.vector_size((first,))
    if not size and not rest:
        return Path("parameter", first)
    if size and len(rest) == 1 and rest[0] in AXES[:size]:
        return Path("parameter", first, rest[0], AXES.index(rest[0]))
    word = "a vector" if size else "a number"
    raise ModelError(f'parameter "{first}" is {word}', where=where, hint=f"write {first}.x" if size else f"write {first}")


def _joint(model: Model, first: str, rest: tuple[str, ...], where: str, results: bool) -> Path:
    """Return a joint's coordinate; the joint alone where there is just one."""
    joint = model.joints[first]
    names = joint.readable(model.dimension)
    own = joint.names_of_coordinates(model.dimension)
    if not rest:
        if len(own) == 1:
            return Path("joint", first, own[0])
        if not own and len(names) == 1:
            return Path("joint", first, names[0])
        hint = f"write {first}.{names[0]}" if names else f"a {joint.kind.name} joint has no scalar coordinate"
        raise ModelError(f'"{first}" has {len(own)} coordinates', where=where, hint=hint)
    if len(rest) == 1 and rest[0] in names:
        return Path("joint", first, rest[0])
    motion = joint.kind.structure(model.dimension).motion
    free_rotation = motion is not None and motion.ball
    if free_rotation and rest == ("rotation",):
        return Path("rotation", first)
    if free_rotation and len(rest) == 2 and rest[0] == "omega" and rest[1] in AXES:
        return Path("omega", first, "", AXES.index(rest[1]), 1)
    known = [*names, "rate"] + (["rotation", "omega.x"] if free_rotation else [])
    if results:
        known += ["effort", *(f"{word}.{part}" for word in WRENCHES for part in PARTS)]
    word = rest[1] if rest[0] in names else rest[0]
    near = nearest(word, [item.split(".")[0] for item in known])
    raise ModelError(
        f'unknown name "{".".join((first, *rest))}"',
        where=where,
        hint=f'{near} Joint "{first}" ({joint.kind.name}) has {", ".join(known)}.'.strip(),
    )


def _body(model: Model, first: str, rest: tuple[str, ...], where: str) -> Path:
    """Return a point's component, a planar body's angle or a spatial body's angular velocity."""
    axes = AXES[: model.dimension]
    if len(rest) == 1 and rest[0] in axes:
        return Path("point", first, "com", axes.index(rest[0]))
    if rest == ("angle",) and model.dimension == 2:
        return Path("angle", first)
    if model.dimension == 3 and rest == ("rotation",):
        return Path("rotation", first)
    if model.dimension == 3 and len(rest) == 2 and rest[0] == "omega" and rest[1] in axes:
        return Path("omega", first, "", axes.index(rest[1]), 1)
    frames = ["origin", "com", *model.frames_of(first)]
    if len(rest) == 2 and rest[0] in frames and rest[1] in axes:
        return Path("point", first, rest[0], axes.index(rest[1]))
    known = [*axes, "angle" if model.dimension == 2 else "omega.x", *(f"{frame}.x" for frame in frames)]
    word = rest[0] if rest else ""
    raise ModelError(
        f'unknown name "{".".join((first, *rest))}"',
        where=where,
        hint=f'{nearest(word, [*axes, *frames])} Body "{first}" has {", ".join(known)}.'.strip(),
    )
