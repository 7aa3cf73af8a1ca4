"""What a path or an expression of paths needs to be read from a result, judged on the model alone, before the work is done."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from multibody.errors import ModelError
from multibody.model.expressions import CONSTANTS, names
from multibody.model.model import Model
from multibody.model.paths import Path, component, vector_size
from multibody.model.result_paths import RESULT_KINDS
from multibody.tables.scope import Scope


def require_readable(model: Model, text: str, *, forces: bool) -> None:
    """Refuse what the measurer of a result would refuse afterwards.

    Parameters
    ----------
    model : Model
    text : str
        A path or an expression of paths.
    forces : bool
        Whether the analysis knows forces.

    Raises
    ------
    ModelError
    """
    parts = tuple(text.split("."))
    if all(part.isidentifier() for part in parts):
        path = model.resolve(parts, text, results=True)
        used = [path, *(paths_of(model, model.outputs[path.owner]) if path.kind == "output" else ())]
    else:
        formula = model.formula(text, text)
        Scope(model).reduced(formula, text)
        used = list(paths_of(model, formula, text))
    if not forces and any(path.kind in RESULT_KINDS for path in used):
        raise no_forces()


def no_forces() -> ModelError:
    """Return the error of an analysis that is asked for forces and knows none."""
    return ModelError("reactions need masses and forces", hint="use run or inverse; kinematics knows no forces")


def paths_of(model: Model, formula: Any, where: str = "") -> Iterator[Path]:
    """Yield the paths that a formula names, those behind its outputs too; each output is looked into once."""
    waiting, seen = [formula], set()
    while waiting:
        now = waiting.pop()
        for parts in names(now) if not isinstance(now, float) else ():
            if parts in CONSTANTS or parts[0] in model.parameters:
                continue
            path = model.resolve(component(parts, "x") if vector_size(model, parts) else parts, where, results=True)
            yield path
            if path.kind == "output" and path.owner not in seen:
                seen.add(path.owner)
                waiting.append(model.outputs[path.owner])
