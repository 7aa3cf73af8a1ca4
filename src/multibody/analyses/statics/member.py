"""Statics in compiled code: room for a search, and when it may be asked.

It does the usual case, a small model that steps downhill lead to a position of rest. Where they do not, ``statics`` looks for
one from the beginning, and says what is left.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from multibody.analyses.assembly.member import Plan, plan_of
from multibody.analyses.statics.balance import Balance, Point
from multibody.kernels.assembly.declared import AssemblyScratch
from multibody.kernels.statics import declared as D
from multibody.kernels.statics.search import BALANCED, find_rest
from multibody.state.state import State
from multibody.state.system import Floats
from multibody.tables.lower import Tables


@dataclass
class Room:
    """Room for one search at a time.

    Attributes
    ----------
    plan : Plan
        Of assembly, which knows the rows.
    assembly : AssemblyScratch
    rest : StaticsRoom
    """

    plan: Plan
    assembly: AssemblyScratch
    rest: D.StaticsRoom

    @property
    def addresses(self) -> tuple[int, int, int]:
        """Where its parts lie, as ``find_rest`` takes them."""
        return self.plan.block.address, self.assembly.address, self.rest.address


@dataclass(frozen=True)
class Rested:
    """A position of rest.

    Attributes
    ----------
    point : Point
    reference : float
        Size of the largest force that acted on the way, scaled.
    iterations : int
    potential : float
    efforts, loads : arrays
    """

    point: Point
    reference: float
    iterations: int
    potential: float
    efforts: Floats
    loads: Floats


def room_of(tables: Tables) -> Room | None:
    """Return room for a search of a model; None where its assembly is not compiled."""
    plan = plan_of(tables)
    if plan is None:
        return None
    n, rows = tables.nv, tables.count_joint + tables.count_motion
    points = [
        D.Point(q=tables.nq, ref=max(len(tables.functions), 1), multipliers=rows, p=n, N=n * n) for _ in range(2)
    ]  # fmt: skip
    efforts, loads = forces_of(tables)
    rest = D.StaticsRoom(
        effort_is_length=_effort_lengths(tables), here=points[0], there=points[1], dual=_conditions(n, rows),
        newton=_conditions(n, n), still=n, Q=n, efforts=efforts, loads=loads, K=n * n, D=n * n,
        V=int(tables.row_pointer[rows]), KN=n * n, S=n * n, U=n * n, eigenvalues=n, force=n, y=n, z=n, d=n, tried=n,
    )  # fmt: skip
    return Room(plan, plan.room(), rest)


def forces_of(tables: Tables) -> tuple[int, int]:
    """Return how many numbers the efforts and the loads of a model have."""
    return tables.effort_count, tables.load_count


def _conditions(count: int, unknowns: int) -> AssemblyScratch:
    """Return room for so many linear conditions."""
    sizes = {"A": count * unknowns, "L": count * unknowns, "right": count, "rest": count, "order": count}
    return AssemblyScratch(**sizes, factor=unknowns, diagonal=unknowns, owner=unknowns, y=unknowns)


def _effort_lengths(tables: Tables) -> list[int]:
    """Return 1 for each effort that is a force: of laws along lengths, and the forces of wrench elements."""
    laws = [int(tables.functions[law.function].is_length) for law in tables.laws]
    others = (tables.effort_count - len(laws)) // tables.width
    return laws + [int(k < tables.dimension) for _ in range(others) for k in range(tables.width)]


def compiled_rest(balance: Balance, state: State, tolerance: float) -> Rested | None:
    """Return the position of rest that steps downhill lead to; None if it has to be looked for.

    Parameters
    ----------
    balance : Balance
        Its system's angle references become those of the position.
    state : State
        A closed pose.
    tolerance : float
    """
    system, room = balance.system, room_of(balance.system.tables)
    if room is None:
        return None
    q, rows, (efforts, loads) = state.q.copy(), system.rows, forces_of(system.tables)
    found = np.zeros(rows), np.zeros(efforts), np.zeros(loads)
    system.ref[:] = state.references
    system.weigh()
    answer, potential = find_rest(*system.run, *room.addresses, state.t, len(balance.rows), tolerance, q, *found)
    if answer != BALANCED:
        system.ref[:] = state.references
        return None
    here, free, n = room.rest.here, int(room.rest.free), system.nv
    at_rest = replace(balance.like, q=q, references=system.ref.copy())
    N = np.array(here.N[: free * n]).reshape(free, n).T
    point = Point(at_rest, found[0], np.array(here.p), float(here.reference), N)
    return Rested(point, float(room.rest.reference), int(room.rest.iterations), potential, *found[1:])
