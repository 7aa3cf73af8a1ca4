"""Names: identifiers of any script, one namespace, a few reserved words."""

from __future__ import annotations

from collections.abc import Iterable

from multibody.errors import ModelError, nearest
from multibody.model.expressions import FUNCTIONS

RESERVED = frozenset({"ground", "origin", "com", "t", "phi", "pi", "deg", "rpm", *FUNCTIONS})


def check_name(name: object, where: str, *, reserved: bool = True) -> str:
    """Return the name if it is an identifier and not reserved.

    Parameters
    ----------
    name : object
        What the user wrote.
    where : str
        Path for the error message, such as ``joints.A``.
    reserved : bool
        Whether the reserved words are refused.

    Returns
    -------
    str
        The name.
    """
    if not isinstance(name, str) or not name.isidentifier() or name.startswith("_"):
        raise ModelError(
            f"{name!r} is not a name",
            where=where,
            hint="a name is letters, digits and underscores, beginning with a letter",
        )
    if reserved and name in RESERVED:
        raise ModelError(f'"{name}" is reserved', where=where, hint="choose another name")
    return name


def unknown(kind: str, name: str, choices: Iterable[str], where: str) -> ModelError:
    """Return the error for a name that does not exist, with the nearest one and the list to choose from."""
    known = list(choices)
    listed = ", ".join(known[:12]) + (", …" if len(known) > 12 else "")
    hint = " ".join(
        part for part in (nearest(name, known), f"There is {listed}." if known else "There is none.") if part
    )
    return ModelError(f'unknown {kind} "{name}"', where=where, hint=hint)
