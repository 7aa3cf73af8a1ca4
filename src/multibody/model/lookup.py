"""Names of a model: which there are, and what a path, an end or a formula of them means."""

from __future__ import annotations

import dataclasses
import textwrap
from collections.abc import Iterable
from typing import TYPE_CHECKING, cast

from multibody.arguments import short
from multibody.errors import ModelError
from multibody.model.body import Body
from multibody.model.expressions import Expression, Number, names
from multibody.model.expressions.error import point_at
from multibody.model.forces import Force
from multibody.model.geometry import Frame
from multibody.model.items import Parameter
from multibody.model.joints import Joint
from multibody.model.names import unknown
from multibody.model.paths import Path, resolve
from multibody.model.tables import Table

if TYPE_CHECKING:
    from multibody.model.model import Model

if TYPE_CHECKING:
    pass


class Lookup:
    """Finds things in a model by their names."""

    dimension: int
    parameters: dict[str, Parameter]
    tables: dict[str, Table]
    ground_frames: dict[str, Frame]
    bodies: dict[str, Body]
    joints: dict[str, Joint]
    forces: dict[str, Force]
    outputs: dict[str, Number]

    def all_names(self) -> list[str]:
        """Return every name of the one namespace."""
        groups: tuple[Iterable[str], ...] = (
            self.parameters, self.bodies, self.joints, self.forces, self.tables, self.outputs,
        )  # fmt: skip
        return [item for group in groups for item in group]

    def vector_size(self, parts: tuple[str, ...]) -> int:
        """Return how many components the named parameter has, 0 for a scalar or another name."""
        if len(parts) != 1 or parts[0] not in self.parameters:
            return 0
        value = self.parameters[parts[0]].value
        if not isinstance(value, Expression):
            return len(value) if isinstance(value, tuple) else 0
        from multibody.model.scope import ParameterScope

        return ParameterScope(cast("Model", self)).size(parts)

    def frames_of(self, body: str) -> dict[str, Frame]:
        """Return the named frames of a body or of the ground."""
        return self.ground_frames if body == "ground" else self.bodies[body].frames

    def find_end(self, end: str, where: str) -> tuple[str, str]:
        """Return (body, frame) of an end, checked."""
        body, _, frame = end.partition(".")
        if body in self.joints:
            raise ModelError(f'"{body}" is a joint', where=where, hint="an end is a body or a frame of one")
        if body != "ground" and body not in self.bodies:
            raise unknown("body", body, ["ground", *self.bodies], where)
        if frame and frame not in ("origin", "com") and frame not in self.frames_of(body):
            known = ["origin", "com", *self.frames_of(body)]
            problem = unknown("frame", frame, known, where)
            listed = f"{problem.hint.split(' There is')[0]} It has {', '.join(known)}."
            hint = listed if not problem.hint.startswith("There is") else f"It has {', '.join(known)}."
            raise ModelError(f'body "{body}" has no frame "{frame}"', where=where, hint=hint)
        return body, frame or "origin"

    def resolve(self, path: str | tuple[str, ...], where: str = "", *, results: bool = False) -> Path:
        """Return what a dotted path means; see :class:`Path`."""
        if not isinstance(path, str | tuple):
            raise ModelError(f"{short(path)} is not a path", where=where, hint='give text such as "O" or "rod.tip.x"')
        parts = tuple(path.split(".")) if isinstance(path, str) else path
        return resolve(cast("Model", self), parts, where, results=results)

    def same_path(self, one: str, other: str) -> bool:
        """Return whether two paths name the same, such as ``O`` and ``O.angle``."""
        if one == other or one.split(".")[0] != other.split(".")[0]:  # all names of a coordinate begin with its owner
            return one == other
        try:
            first, second = self.resolve(one), self.resolve(other)
        except ModelError:
            return False
        return dataclasses.replace(first, text="") == dataclasses.replace(second, text="")

    def check_paths(self, formula: Number, where: str, allowed: frozenset[str], *, results: bool = False) -> None:
        """Check every name of a formula: it exists and is of an allowed kind; errors carry the caret."""
        if isinstance(formula, float):
            return
        for parts in sorted(names(formula)):
            if parts in (("pi",), ("deg",), ("rpm",)) or (parts[0] in self.parameters and len(parts) == 1):
                continue
            try:
                found = self.resolve(parts, where, results=results)
            except ModelError as error:
                raise ModelError(error.problem, where=where, hint=error.hint, detail=caret(formula, parts)) from None
            kind = "rate" if found.order == 1 and found.kind != "omega" else found.kind
            if kind not in allowed:
                hint = f"only {', '.join(sorted(allowed))} may stand here"
                raise ModelError(
                    f'"{".".join(parts)}" cannot stand here', where=where, hint=hint, detail=caret(formula, parts)
                )


def caret(formula: Expression, parts: tuple[str, ...]) -> str:
    """Return the formula's source with carets under the named path, "" if the source is not known."""
    stack = [formula]
    while stack:
        node = stack.pop()
        if node.op == "name" and node.args == parts and node.span and node.text:
            return textwrap.dedent(point_at(node.text, node.span))
        stack.extend(arg for arg in node.args if isinstance(arg, Expression))
    return ""
