"""Assembly in compiled code: what it needs of a model's structure, and when it may be asked.

It does the usual case, a small model whose mechanism closes at the first attempt. Where it does not, or a model has what it
does not know (values held where a motion drives), ``assemble`` does all from the beginning, and says why
a mechanism stays open.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from multibody.analyses.assembly.held import driven_functions
from multibody.analyses.assembly.tree_start import hangers
from multibody.analyses.events.switching import switching_times
from multibody.kernels.assembly import declared as D
from multibody.kernels.assembly.closing import ITERATIONS
from multibody.kernels.assembly.member import CLOSED, OPEN, assemble_member, rates_member
from multibody.model.structure import SLIDE
from multibody.rank.leastnorm import DENSE_ASSEMBLY
from multibody.state.state import State, Status
from multibody.state.system import Integers, System
from multibody.tables.growing import Link
from multibody.tables.lower import Tables
from multibody.tables.pairs import Pair
from multibody.tables.rows import listed, record

_AXES = "fgh"


@dataclass(frozen=True)
class Plan:
    """What compiled assembly takes beside the model: the structure of the start, and the sizes of its room."""

    block: D.Assembly
    sizes: dict[str, int]

    def room(self) -> D.AssemblyScratch:
        """Return room for one assembly at a time."""
        return D.AssemblyScratch(**self.sizes)


def plan_of(tables: Tables, switching: bool = False) -> Plan | None:
    """Return the plan of a model, made once for its structure; None where compiled assembly does not know all of it.

    Parameters
    ----------
    tables : Tables
    switching : bool
        Whether motions may switch: whoever asks then looks for rates behind a switching instant himself.
    """
    if not switching and switching_times(tables) is not None:
        return None
    if "assembly" not in tables.structure:
        tables.structure["assembly"] = _plan(tables) if _is_known(tables) else None
    found: Plan | None = tables.structure["assembly"]
    return found


def compiled_state(system: System, t: float) -> tuple[State, Integers | None] | None:
    """Return the assembled state of a model, and its rows where all of them are independent; None if it has to be looked for.

    Parameters
    ----------
    system : System
        Its angle references become those of the state.
    t : float
        Time.
    """
    plan, times = plan_of(system.tables, switching=True), switching_times(system.tables)
    if plan is None:
        return None
    q, v, room = np.empty(system.nq), np.empty(system.nv), plan.room()
    answer = assemble_member(*system.run, plan.block.address, room.address, t, q, v)
    here = None if times is None or answer == OPEN else times.around(t)
    if here is not None:
        answer = rates_member(*system.run, plan.block.address, room.address, here.after, q, v)
    if answer == OPEN:
        system.ref[:] = 0.0
        return None
    state = State(system.tables, t, q, v, system.ref.copy(), "", Status(True, "assembled", t), _history(room))
    return state, np.arange(system.rows, dtype=np.int64) if answer == CLOSED else None


def _history(room: D.AssemblyScratch) -> list[dict[str, Any]]:
    """Return the iterations that an assembly noted, as a state has them."""
    count = int(room.iterations)
    poses, steps = (np.array(each).reshape(ITERATIONS, -1)[:count] for each in (room.poses, room.steps))
    numbers = zip(room.residuals[:count].tolist(), room.sizes[:count].tolist(), poses, steps, strict=True)
    return [{"residual": residual, "step": size, "q": q, "delta": delta} for residual, size, q, delta in numbers]


def _is_known(tables: Tables) -> bool:
    """Return whether compiled assembly can do a model: whether it is small and has nothing that only the other one knows."""
    if tables.nv > DENSE_ASSEMBLY:
        return False
    driven = driven_functions(System(tables))
    paths = [tables.model.resolve(text) for text in tables.model.initials]
    held = {tables.coordinates.get((path.kind, path.owner, path.item, path.axis), -1) for path in paths}
    return not held & set(driven)  # whether values and motions agree is asked elsewhere


def _plan(tables: Tables) -> Plan:
    """Return what assembly does."""
    targets, screws = _given(tables), _screws(tables)
    values = _body_values(tables, targets)
    turned, joints = _orientations(tables)
    moved = {tables.layout.body_of(place) for place, _ in values} | {body for body, _ in turned}
    steps: list[tuple[int, ...]] = []
    kinds = list(screws)
    hung = [_hanger(tables, link, targets, moved, joints, kinds, steps) for link in hangers(tables, targets).values()]
    driven = driven_functions(System(tables))
    rates = sorted(tables.rates, key=lambda rate: not rate.held)
    block = D.Assembly(
        drawn=listed(D.Drawn, [tuple(pose) for pose in tables.poses[1:]]), drawn_angle=_drawn_angles(tables),
        hangers=listed(D.Hanger, hung), steps=listed(D.Step, steps),
        screws=listed(D.Screw, list(screws.values())), contacts=listed(D.Contact, _contacts(tables, targets)),
        guesses=listed(D.Wish, [
            (each.function, each.value, each.weight) for each in tables.guesses if each.function >= 0
        ]),
        given=listed(D.BodyValue, values), turned=listed(D.Turned, turned),
        rates=listed(D.Rate, [
            (rate.function, rate.body, rate.axis, rate.value, -1 if rate.held else rate.weight)
            for rate in rates if not (rate.held and rate.function in driven)
        ]),
        aligned=listed(D.Aligned, _aligned(tables)),
        is_length=np.array([int(f.is_length) for f in tables.functions], dtype=np.int64),
        row_function=np.array([tables.function_of_row(r) for r in range(len(tables.rows))], dtype=np.int64),
        joint_rows=tables.count_joint, rows=tables.count_joint + tables.count_motion, all_rows=len(tables.rows),
    )  # fmt: skip
    n, rows = tables.nv, len(tables.rows) + len(tables.guesses) + len(tables.rates)
    sizes = {
        "target": len(tables.functions), "has_target": len(tables.functions), "start": tables.nq, "trial": tables.nq,
        "best": tables.nq, "step": n, "residual": len(tables.rows), "entries": int(tables.row_pointer[-1]), "A": rows * n,
        "right": rows, "factor": n, "diagonal": n, "owner": n, "order": rows, "y": n, "L": rows * n, "rest": rows,
        "residuals": ITERATIONS, "sizes": ITERATIONS, "poses": ITERATIONS * tables.nq, "steps": ITERATIONS * n,
    }  # fmt: skip
    return Plan(block, sizes)


def _given(tables: Tables) -> set[int]:
    """Return the functions that motions, held values and guesses give a value."""
    rows = range(tables.count_joint, len(tables.rows))
    found = {guess.function for guess in tables.guesses if guess.function >= 0} | {tables.function_of_row(r) for r in rows}
    screws = [pair.screw for pair in tables.pairs.values() if pair.screw is not None]
    return found | {screw.angle for screw in screws if screw.position in found}  # which stands for the angle


def _screws(tables: Tables) -> dict[str, tuple[int, ...]]:
    """Return the records of the screws by the names of their joints."""
    return {
        name: record(D.Screw, **vars(pair.screw), row=tables.row_of(name, "advance"))
        for name, pair in tables.pairs.items() if pair.screw is not None
    }  # fmt: skip


def _contacts(tables: Tables, targets: set[int]) -> list[tuple[int, ...]]:
    """Return the records of where followers touch their cams."""
    found, first = list[tuple[int, ...]](), tables.nq - len(tables.extras)
    for k, name in enumerate(tables.extras):
        function, (cam, follower) = tables.coordinates["joint", name, "contact", 0], tables.ends[name]
        found.append(record(
            D.Contact, function=function, place=first + k, given=int(function in targets), cam=cam.body, cam_point=cam.point,
            cam_axes=cam.axes, follower=follower.body, follower_point=follower.point,
        ))  # fmt: skip
    return found


def _body_values(tables: Tables, targets: set[int]) -> list[tuple[int, int]]:
    """Return places in q and functions of the positions and angles of bodies that have a value."""
    found, layout = [], tables.layout
    for (kind, owner, item, axis), function in tables.coordinates.items():
        if function in targets and kind in ("point", "angle") and owner in tables.bodies:
            b = tables.bodies.index(owner)
            if kind == "angle":
                found.append((layout.angle_of(b), function))
            elif item == "com":
                found.append((layout.first(b) + axis, function))
    return found


def _orientations(tables: Tables) -> tuple[list[tuple[int, int]], dict[str, int]]:
    """Return the bodies with an orientation of their own, and the joints with one: where the matrices stand in F."""
    bodies: dict[int, int] = {}
    joints: dict[str, int] = {}
    for guess in tables.guesses:
        if guess.orientation >= 0 and guess.path.split(".")[0] in tables.bodies:
            bodies[guess.body] = guess.orientation
        elif guess.orientation >= 0:
            joints[guess.path.removesuffix(".rotation")] = guess.orientation
    for held in tables.held_rotations:  # what is held goes before what is guessed
        if held.path.split(".")[0] in tables.bodies:
            bodies[held.second.body] = held.first.axes
        else:
            joints[held.path.removesuffix(".rotation")] = held.first.axes
    return list(bodies.items()), joints


def _hanger(
    tables: Tables, link: Link, targets: set[int], moved: set[int], joints: dict[str, int], screws: list[str],
    steps: list[tuple[int, ...]],
) -> tuple[int, ...]:  # fmt: skip
    """Return the record of a pair of the tree; its elementary motions are appended to `steps`."""
    pair: Pair = tables.pairs[link.joint]
    (first, second), begin = pair.ends, len(steps)
    for freedom, function in pair.steps:
        if function >= 0:
            how = D.SLIDES if freedom.how == SLIDE else D.TURNS
            given, screw = int(function in targets), screws.index(pair.joint) if pair.screw is not None else -1
            steps.append(record(D.Step, how=how, axis=freedom.number, function=function, given=given, screw=screw))
    return record(
        D.Hanger, forward=int(not link.reversed), child=link.body, moved=int(link.body in moved), first=first.body,
        second=second.body, first_point=first.point, first_axes=first.axes, second_point=second.point,
        second_axes=second.axes, step=begin, steps=len(steps) - begin, ball=int(pair.motion.ball),
        orientation=joints.get(pair.joint, -1) if pair.motion.ball else -1,
        angle=pair.angle if pair.angle in targets else -1,
    )  # fmt: skip


def _drawn_angles(tables: Tables) -> list[float]:
    """Return the drawn angles that are written as numbers, NaN for others and in space."""
    found = []
    for name in tables.bodies[1:]:
        orientation = tables.model.bodies[name].orientation if tables.dimension == 2 else None
        written = orientation is not None and isinstance(orientation.numbers[0], float)
        found.append(float(orientation.numbers[0]) if orientation is not None and written else np.nan)
    return found


def _aligned(tables: Tables) -> list[tuple[int, ...]]:
    """Return the axes of pairs that must point the same way."""
    if tables.dimension == 2:
        return []
    ends = [(*tables.ends[name], tables.model.joints[name].kind.structure(3).aligned) for name in tables.ends]
    ends += [(held.first, held.second, ("f", "g", "h")) for held in tables.held_rotations]
    found: list[tuple[int, ...]] = []
    for first, second, letters in ends:
        found += [(first.body, first.axes, second.body, second.axes, _AXES.index(letter)) for letter in letters]
    return found
