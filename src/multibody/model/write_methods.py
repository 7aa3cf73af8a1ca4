"""Writes the methods and constructors of all kinds of joints and forces from the catalog.

Run it after a change of the catalog: ``python -m multibody.model.write_methods``.

The catalog (``joints.py``, ``forces.py``) is the only place where a kind and its fields are stated. Editors and type checkers
read source text, so that signatures must be written out; they are written by this module and never by hand.
"""

from __future__ import annotations

import pathlib
import textwrap
from typing import Any

from multibody.model.forces import KINDS as FORCES
from multibody.model.forces import ForceKind
from multibody.model.joints import ALIASES, JointKind
from multibody.model.joints import KINDS as JOINTS
from multibody.model.values import Field

HERE = pathlib.Path(__file__).parent
WIDTH = 124
ENDS = (("first", "EndLike"), ("second", "EndLike"))
DOCS = {
    "name": "of the {noun}, unique over the whole model",
    "first": 'the end that is measured from: a body, a frame of one (``crank["pin"]``) or its path ``"crank.pin"``',
    "second": "the end that is measured",
    "end": 'where it acts: a body, a frame of one (``crank["pin"]``) or its path ``"crank.pin"``',
    "coordinate": 'what it acts along: a joint with one coordinate, or a path such as ``"O.angle"`` or ``"rod.tip.x"``',
    "at": "point in ground, as drawn, for a joint made in place; ends are then bodies, not frames [length]",
}
METHODS = '''"""The methods of a model that add {noun}s, one a kind; written by ``write_methods.py`` from the catalog."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from multibody.arguments import answered
from multibody.model.{noun}s import {title}, make_{noun}
from multibody.model.values import {types}


@answered
class {title}Methods:
    """Adds {noun}s: ``model.{first}(...)`` and so on."""

    _section = "{noun}s"
    dimension: int

    def _added(self, item: Any) -> Any:
        raise NotImplementedError
'''
CONSTRUCTORS = '''"""Constructors of joints and forces for ``model.add``, one a kind; written by ``write_methods.py``.

They need no model: what depends on its dimension is looked at when the item is added.
"""

from __future__ import annotations

from collections.abc import Sequence

from multibody.arguments import in_words
from multibody.model.forces import Force, make_force
from multibody.model.joints import Joint, make_joint
from multibody.model.values import {types}

__all__ = [
{listed}]'''

Argument = tuple[str, str, Any, bool]  # name, annotation, default, whether it must be given


def class_name(kind: str) -> str:
    """Return the constructor of a kind: ``point_on_line`` is ``PointOnLine``; ``Force`` is what all forces are."""
    return "Load" if kind == "force" else "".join(part.capitalize() for part in kind.split("_"))


def placed(kind: JointKind | ForceKind) -> list[tuple[str, str]]:
    """Return the arguments that are given by their place, after the name: what the item acts on."""
    if isinstance(kind, JointKind):
        return [("expression", "NumberLike")] if kind.relation == "coupler" else list(ENDS)
    return {"ends": list(ENDS), "end": [("end", "EndLike")], "coordinate": [("coordinate", "CoordinateLike")]}[kind.target]


def named(kind: JointKind | ForceKind) -> list[Argument]:
    """Return the arguments that are given by name: the place, then the kind's own fields."""
    found: list[Argument] = []
    if isinstance(kind, JointKind) and kind.relation not in ("gear", "rack", "coupler"):
        found.append(("at", "VectorLike", None, False))
    taken = {name for name, _ in placed(kind)}
    return found + [(f.name, f.type.annotation(), f.default, f.required) for f in kind.fields if f.name not in taken]


def signature(kind: JointKind | ForceKind) -> list[str]:
    """Return the arguments of a method or constructor as source text."""
    parts = ["name: str", *(f"{name}: {annotation}" for name, annotation in placed(kind))]
    options = named(kind)
    if options:
        parts.append("*")
    for name, annotation, default, required in options:
        if required:
            parts.append(f"{name}: {annotation}")
        else:
            text = f'"{default}"' if isinstance(default, str) else repr(default)
            parts.append(f"{name}: {annotation}{' | None' if default is None else ''} = {text}")
    return parts


def docstring(kind: JointKind | ForceKind, indent: str) -> str:
    """Return the NumPy docstring of a method."""
    joint = isinstance(kind, JointKind)
    noun = "joint" if joint else "force"
    article = "an" if kind.name[0] in "aeio" else "a"
    title = f"Add {article} {kind.name}{' joint' if joint else ''}: {kind.summary}."
    fields: dict[str, Field] = {f.name: f for f in kind.fields}
    lines = [title, "", "Parameters", "----------"]
    given: list[Argument] = [(key, annotation, None, True) for key, annotation in (("name", "str"), *placed(kind))]
    for name, annotation, _, required in [*given, *named(kind)]:
        optional = "" if required else ", optional"
        text = fields[name].doc if name in fields else DOCS[name].format(noun=noun)
        lines += [f"{name} : {_words(annotation)}{optional}", *_wrapped(f"{text[0].upper()}{text[1:]}.")]
    lines += ["", "Returns", "-------", "Joint" if joint else "Force"]
    return f'{indent}"""' + f"\n{indent}".join(lines).replace(f"\n{indent}\n", "\n\n") + f'\n{indent}"""'


def _words(annotation: str) -> str:
    """Return a type as a reader knows it."""
    words = {
        "NumberLike": "number or formula", "VectorLike": "vector", "EndLike": "body, frame or path", "bool": "bool",
        "CoordinateLike": "joint, expression or path", "str": "str", "NumberLike | VectorLike": "number or vector",
        "Sequence[VectorLike] | ArrayLike": "pair of vectors", "Sequence[NumberLike] | ArrayLike": "list of numbers",
        "Sequence[NumberLike] | Sequence[Sequence[NumberLike]] | ArrayLike": "list of numbers, or rows of a matrix",
    }  # fmt: skip
    return words[annotation]


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH - 12, initial_indent="    ", subsequent_indent="    ", break_on_hyphens=False)


def head(name: str, parts: list[str], result: str, indent: str) -> str:
    """Return the line, or lines, that begin a function."""
    line = f"{indent}def {name}({', '.join(parts)}) -> {result}:"
    if len(line) <= WIDTH:
        return line
    return f"{indent}def {name}(\n{_filled([f'{part},' for part in parts], indent)}\n{indent}) -> {result}:  # fmt: skip"


def _filled(parts: list[str], indent: str) -> str:
    """Return parts in lines that are not too long, none of them broken."""
    lines = [f"{indent}    {parts[0]}"]
    for part in parts[1:]:
        if len(lines[-1]) + 1 + len(part) <= WIDTH:
            lines[-1] += f" {part}"
        else:
            lines.append(f"{indent}    {part}")
    return "\n".join(lines)


def call(kind: JointKind | ForceKind, made: str, dimension: str) -> str:
    """Return the call that reads the arguments."""
    own = [name for name, *_ in named(kind) if name != "at"]
    targets = [name for name, _ in placed(kind)]
    if not isinstance(kind, JointKind):
        target = f"({', '.join(targets)})" if len(targets) == 2 else targets[0]
        parts = [f'"{kind.name}"', "name", target, dimension]
    elif kind.relation == "coupler":
        parts, own = [f'"{kind.name}"', "name", '""', '""', dimension], ["expression"]
    else:
        parts = [f'"{kind.name}"', "name", "first", "second", dimension]
        parts += ["at"] if any(name == "at" for name, *_ in named(kind)) else []
    return f"{made}({', '.join([*parts, *(f'{name}={name}' for name in own)])})"


def methods(kinds: dict[str, JointKind] | dict[str, ForceKind], noun: str) -> str:
    """Return the module with the methods of a model for all kinds of joints, or of forces."""
    title = noun.capitalize()
    intro = METHODS.format(noun=noun, title=title, first=next(iter(kinds)), types=_types(kinds))
    names = {name: name for name in kinds} | (ALIASES if noun == "joint" else {})
    body = []
    for name, kind_name in names.items():
        kind: Any = kinds[kind_name]
        made = call(kind, f"make_{noun}", "self.dimension")
        lines = [head(name, ["self", *signature(kind)], title, "    "), docstring(kind, "        ")]
        body.append("\n".join([*lines, _assigned(f"        item: {title} = self._added({made})"), "        return item"]))
    return intro + "\n" + "\n\n".join(body) + "\n"


def constructors() -> str:
    """Return the module with ``mb.Revolute``, ``mb.Spring`` and so on."""
    kinds: dict[str, Any] = {**JOINTS, **FORCES, **{alias: JOINTS[name] for alias, name in ALIASES.items()}}
    listed = "".join(f'    "{name}",\n' for name in sorted(class_name(kind) for kind in kinds))
    body = [CONSTRUCTORS.format(types=_types(kinds), listed=listed)]
    for name, kind in kinds.items():
        noun, title = ("joint", "Joint") if isinstance(kind, JointKind) else ("force", "Force")
        lines = ["@in_words", head(class_name(name), signature(kind), title, "")]
        lines.append(f'    """As ``model.{name}``: {kind.summary}."""')
        body.append("\n".join([*lines, _assigned(f"    return {call(kind, f'make_{noun}', 'None')}")]))
    return "\n\n\n".join(body) + "\n"


def _types(kinds: Any) -> str:
    """Return the types that signatures of these kinds use."""
    used = " ".join(part for kind in kinds.values() for part in signature(kind))
    return ", ".join(n for n in ("ArrayLike", "CoordinateLike", "EndLike", "NumberLike", "VectorLike") if n in used)


def _assigned(line: str) -> str:
    """Return a statement, folded at its last bracket if it is long."""
    if len(line) <= WIDTH:
        return line
    indent = line[: len(line) - len(line.lstrip())]
    cut = line.index("(", line.index("make_")) + 1
    inner = line[cut:].rstrip(")")
    closing = line[cut + len(inner) :]
    return f"{line[:cut]}\n{_filled(inner.split(' '), indent)}\n{indent}{closing}  # fmt: skip"


def texts() -> dict[pathlib.Path, str]:
    """Return what each written file holds."""
    return {
        HERE / "joint_methods.py": methods(JOINTS, "joint"),
        HERE / "force_methods.py": methods(FORCES, "force"),
        HERE / "constructors.py": constructors(),
    }


if __name__ == "__main__":
    for path, text in texts().items():
        path.write_text(text, encoding="utf-8")
