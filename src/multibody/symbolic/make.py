"""Making the equations of a model: lowered, written on paper, compared with the kernels, returned."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from multibody.errors import ModelError
from multibody.model.model import Model
from multibody.state.system import System, tables_of
from multibody.symbolic.body_equations import BodyEquations, Parameters, body_equations, parameters
from multibody.symbolic.check import Reference, at_states, compare
from multibody.symbolic.check_minimal import MinimalCheck
from multibody.symbolic.closing import NoClosureError, Opened, chosen
from multibody.symbolic.code import Program, Routine, python
from multibody.symbolic.embedding import Choice, TreeEquations, embedded, of_tree, poses_of, tree_equations
from multibody.symbolic.equations import Equations
from multibody.symbolic.minimal import Minimal
from multibody.symbolic.names import Names
from multibody.tables.build import Builder
from multibody.tables.lower import Tables
from multibody.tables.splines import pack_table
from multibody.tables.tree import Tree, joint_freedom, loop_rows, spanning_tree

Floats = npt.NDArray[np.float64]
MOST_BODIES = {2: 60, 3: 30}
MOST_PATHS = {"joints": 400, "bodies": 4000, "space": 2000}  # as of ``_path_size``: ten links of a chain are 385
MOST_CLOSING = 12  # equations of loops that are embedded
SHOWN = 8


@dataclass
class _Made:
    """What the equations of one model are made of."""

    tables: Tables
    builder: Builder
    names: Names
    given: Parameters
    own: BodyEquations
    notes: list[str]


def equations(
    model: Model, *, minimal: bool = True, cut: Sequence[str] | None = None, independent: Sequence[str] | None = None,
    angles: str | None = None,
) -> Equations:  # fmt: skip
    """Return the equations of a model, compared with the kernels at random states.

    Parameters
    ----------
    model : Model
    minimal, cut, independent, angles
        As :meth:`Model.equations` says.
    """
    if angles not in (None, "joints", "bodies"):
        raise ModelError(f'"{angles}" is not known', where="angles", hint='write "joints" or "bodies"')
    tables = tables_of(model)
    _require_size(tables)
    builder, names = Builder(tables.model).run(), Names()
    given = parameters(builder, names)
    own = body_equations(builder, tables, names, given)
    parts = _Made(tables, builder, names, given, own, _notes(tables, builder))
    without = [tables.bodies[b + 1] for b, slots in enumerate(tables.masses) if not slots.stated]
    if without:
        parts.notes.append(f"no M, no Q and no minimal equations: {_listed(without)} without mass or inertia")
    known: dict[str, Any] = {
        "name": tables.model.name or "model", "dimension": tables.dimension, "t": given.t, "q": own.q, "v": own.v,
        "parameters": given.free, "derived": dict(given.derived),
        "rows": [row.info.name for row in builder.rows[: len(own.Phi)]], "Phi": own.Phi, "Phi_q": own.Phi_q, "nu": own.nu,
        "gamma": own.gamma, "M": None if without else own.M, "Q": None if without else own.Q, "names": names,
        "tables": {key: pack_table(table) for key, table in tables.model.tables.items()}, "notes": parts.notes,
    }  # fmt: skip
    found, check = (None, None) if without or not minimal else _minimal(parts, cut, independent, angles)
    made, routines = Equations(**known, minimal=found), dict[str, Any]()
    exec(made.python(), routines)
    references = _references(parts)
    difference = compare(references, routines)
    if found is not None and check is not None:
        opened, choice = check
        checks = [MinimalCheck(reference, opened, found, choice, routines) for reference in references]
        difference = max(difference, at_states(lambda seed: checks[seed % len(checks)].at(seed)))
    return Equations(**known, minimal=found, difference=difference)


def _references(parts: _Made) -> list[Reference]:
    """Return the kernels with the model's parameters, and with others: a parameter in the place of another shows then."""
    tables, free = parts.tables, list(parts.given.free.values())
    found = [Reference(System(tables), free)]
    draw = np.random.default_rng(7)
    other = {path: x * (1.0 + 0.02 * draw.uniform(-1.0, 1.0)) for path, x in zip(_free_paths(parts), free, strict=True)}
    values: dict[str, Any] = {}
    for path in tables.parameter_slots:
        if path in other:
            values.setdefault(path[0], []).append(other[path])
    whole = {name: own if len(own) > 1 else own[0] for name, own in values.items()}
    try:
        changed = tables.with_parameters(whole, tables.model)
    except (ModelError, ValueError):
        return found
    for slot, factor in tables.of_length:  # paper has the characteristic length of the model as a number
        changed.F[slot] = factor * tables.length
    return [*found, Reference(System(changed), list(other.values()))] if free else found


def _free_paths(parts: _Made) -> list[tuple[str, ...]]:
    """Return the paths of the free parameters, in their order."""
    by_symbol = {symbol: path for path, symbol in parts.given.by_path.items()}
    return [by_symbol[symbol] for symbol in parts.given.free]


def _minimal(
    parts: _Made, cut: Sequence[str] | None, independent: Sequence[str] | None, angles: str | None
) -> tuple[Minimal | None, tuple[Opened, Choice | None] | None]:
    """Return minimal equations with what they are checked with; nothing, and a note, where they are not made."""
    tables, names = parts.tables, parts.names
    tree = spanning_tree(tables, cut)
    closing = [r for r in loop_rows(tables, tree) if r < tables.count_joint]
    absolute = tables.dimension == 2 and (angles == "bodies" or (angles is None and bool(closing)))
    size = _path_size(tables, tree)
    most = MOST_PATHS["bodies" if absolute else "joints"] if tables.dimension == 2 else MOST_PATHS["space"]
    if size > most:
        told = ', or angles="bodies"' if tables.dimension == 2 and not absolute else ""
        parts.notes.append(f"no minimal equations: chains of joints are too long ({size}, up to {most} is written out{told})")
        return None, None
    if len(closing) > MOST_CLOSING:
        parts.notes.append(f"no minimal equations: {len(closing)} equations close loops, up to {MOST_CLOSING} are embedded")
        return None, None
    own = tree_equations(parts.builder, tables, tree, names, parts.given.by_path, parts.own.q, parts.own.v, absolute)
    opened, poses = Opened(tables, tree, own), poses_of(own.motion, tables.dimension)
    if tables.count_motion:
        driven = _listed([row.owner for row in tables.rows[tables.count_joint : tables.count_joint + tables.count_motion]])
        parts.notes.append(f"minimal equations leave out motions ({driven}): what they take is M du/dt + h − tau")
    if not closing:
        return of_tree(own, poses), (opened, None)
    try:
        choice = chosen(opened, _evaluated(parts, own), independent)
    except NoClosureError as error:
        parts.notes.append(f"no minimal equations: the model is not assembled ({error})")
        return None, None
    made = embedded(own, tree, choice, poses, names, [row.info.name for row in parts.builder.rows])
    return made, (opened, choice)


def _path_size(tables: Tables, tree: Tree) -> int:
    """Return the sum over all bodies of the squared number of speeds between them and the ground: what M is a sum of."""
    speeds = {0: 0}
    for link in tree.links:
        speeds[link.body] = speeds[link.parent] + joint_freedom(tables, link)
    return sum(count * count for count in speeds.values())


def _evaluated(parts: _Made, own: TreeEquations) -> Callable[[Floats], tuple[Floats, Floats]]:
    """Return a function that gives C and C_u of the opened mechanism as numbers."""
    motion, p = own.motion, list(parts.given.free.values())
    routines = [
        Routine(name, "", ("y", "p"), value, tuple(motion.definitions)) for name, value in (("C", own.C), ("Cu", own.Cu))
    ]
    tables = {key: pack_table(table) for key, table in parts.tables.model.tables.items()}
    arrays = {"y": motion.y, "p": list(parts.given.free)}
    code = python(Program(parts.names, [""], arrays, parts.given.derived, tables, p, routines))
    made: dict[str, Any] = {}
    exec(code, made)
    shape = (len(own.rows), len(motion.u))

    def evaluate(y: Floats) -> tuple[Floats, Floats]:
        value, slope = (np.array(made[name](0.0, y.tolist(), p), dtype=float) for name in ("C", "Cu"))
        return value.reshape(shape[0]), slope.reshape(shape)

    return evaluate


def _listed(names: Sequence[str]) -> str:
    """Return names with commas, the first of many."""
    return ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")


def _require_size(tables: Tables) -> None:
    """Refuse a model whose equations nobody would read."""
    count, most = len(tables.bodies) - 1, MOST_BODIES[tables.dimension]
    if count > most:
        raise ModelError(
            f"{count} bodies are too many for equations on paper", where="equations",
            hint=f"up to {most} are written out; a part of the model may do",
        )  # fmt: skip


def _notes(tables: Tables, builder: Builder) -> list[str]:
    """Return what a reader has to know of the equations."""
    notes = []
    if tables.dimension == 3:
        notes.append("q: centers of mass and Euler parameters e0 … e3 (unit length); v: ω′ in body axes, no rates of e")
        if any(row.info.group == "motion" or "rotation" in row.info.meaning for row in builder.rows):
            notes.append("angles in space are those within half a turn: whole turns are not counted")
    if builder.extras:
        notes.append("extra coordinates phi are contact angles of cams")
    if tables.model.tables:
        notes.append(f"tables stay functions with a name: {', '.join(tables.model.tables)}; code has their pieces")
    return notes
