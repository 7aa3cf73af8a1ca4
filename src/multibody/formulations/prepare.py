"""Preparing a run: what the equations of motion need beside the tables.

Structure only: which rows share a body (the pattern of S), an elimination order with a small envelope, the room of state and
scratch. The independent rows and the partition are given by the analysis.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from multibody.kernels import declared as D
from multibody.kernels.arrays import Arrays, room_for_masses, scratch_sizes, weigh
from multibody.kernels.codes import BY_TIME
from multibody.kernels.declared import Factors, Model, Scratch, State
from multibody.tables.lower import Tables
from multibody.tables.plain_rows import plain_rows
from multibody.tables.rows import listed
from multibody.tables.scales import characteristic_mass, second

if TYPE_CHECKING:
    from multibody.formulations.newton import NewtonKernels

LARGE = 400  # velocity coordinates from which on the general path, whose matrices are full, is only taken where it must be
KEPT = 400  # velocity coordinates up to which the blocks of a run are kept with the tables, to be copied
Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Records = npt.NDArray[Any]


@dataclass
class Bundle(Arrays):
    """The blocks that every kernel of a run takes, with the numbers that describe them.

    Attributes
    ----------
    model, state, scratch : blocks
        Numbers, laws and program tables are own copies: a run never writes to the tables.
    chosen : array of int
        Independent rows in the order of elimination.
    regular : bool
        Whether M is positive definite and there are no extra coordinates (fast path).
    """

    tables: Tables
    model: Model
    state: State
    scratch: Scratch
    chosen: Integers
    regular: bool

    @property
    def size(self) -> int:
        """Length of y = (q, v, w)."""
        return self.tables.nq + self.tables.nv + 1

    @property
    def velocities(self) -> int:
        """Number of rates in y."""
        return self.tables.nv

    @property
    def remembered(self) -> tuple[Floats, Floats]:
        """What coordinates keep from step to step beside references and settings: of the last accepted state, sizes of rows."""
        return np.zeros(0), np.zeros(0)

    def attach(self, complex_: bool) -> None:
        """Give the run the iteration matrix of an implicit method, sparse; `complex_`: with complex factors too."""
        from multibody.formulations.pattern import sparse_pattern
        from multibody.formulations.prepare_newton import attach_newton, sparse_entries

        attach_newton(self, sparse_pattern(self.tables, self.chosen), sparse_entries(self), complex_=complex_)

    def newton_kernels(self, complex_: bool) -> NewtonKernels:
        """Return what an implicit method calls."""
        from multibody.formulations.newton import cartesian_kernels

        return cartesian_kernels(complex_)

    def settings(self, **values: float) -> None:
        """Set settings by name, see ``kernels.declared.Settings``."""
        settings = self.state.settings
        for name, value in values.items():
            settings[name][0] = value

    def statistic(self, name: str) -> float:
        """Return a statistic by name, see ``kernels.declared.Statistics``."""
        return float(self.state.statistics[name][0])

    def forget_gaps(self) -> None:
        """Begin anew to note how far constraints were open."""
        for name in ("position_before", "velocity_before", "position_after", "velocity_after"):
            self.state.statistics[name][0] = 0.0


def prepare(
    tables: Tables, rows: Integers, references: Floats, partitioned: bool = True, regular: bool | None = None
) -> Bundle:
    """Return the blocks of a run.

    Parameters
    ----------
    tables : Tables
    rows : array of int
        Independent rows among those of joints and motions.
    references : array
        Angle references at the start.
    partitioned : bool
        Whether room for a partition is needed (m² numbers).
    regular : bool, optional
        Whether the fast path is taken; derived by default.

    Returns
    -------
    Bundle
    """
    regular = inverts_masses(tables) if regular is None else regular
    rows = np.asarray(rows, dtype=np.int64)
    key = ("run", rows.tobytes(), partitioned, regular)
    fresh: Bundle = tables.cache.get(key) or _fresh(tables, _elimination(tables, rows, regular), partitioned, regular)
    if tables.nv <= KEPT:  # runs of one model differ in what they write alone; of large ones nothing is kept twice
        tables.cache[key] = fresh
        made = replace(fresh, model=_own(fresh.model), state=fresh.state.copy(), scratch=fresh.scratch.copy())
    else:
        made = replace(fresh, model=_own(fresh.model))
    made.ref[:] = references
    return made


def _fresh(tables: Tables, found: dict[str, Any], partitioned: bool, regular: bool) -> Bundle:
    """Return the blocks of a run as they are before any, to be copied."""
    n, count = tables.nv, tables.count_joint + tables.count_motion
    chosen, m = found["chosen"], len(found["chosen"])
    every = plain_rows(tables)[:count]
    plain = every["kind"] > 0
    model = tables.packed.sharing(
        plain=every[plain], others=np.flatnonzero(~plain), all_rows=count, general=int(not regular),
        dense_base=n * np.arange(0 if regular else n), dense_first=0 if regular else n, **found,
        **_scales(tables, count, regular), **room_for_masses(tables.packed),
    )  # fmt: skip
    entries, full = int(tables.row_pointer[count]), 0 if regular else n
    scratch = Scratch(
        **scratch_sizes(model), **run_sizes(tables.nq, n, m, count, partitioned), J=entries,
        Q=n, dense=full * full, dense_D=full,
    )  # fmt: skip
    weigh(model)
    factors = Factors(U=entries if regular else m * n, S=int(np.sum(np.arange(m) - found["S_first"] + 1)), D=m)
    state = run_state(tables, np.zeros(max(len(tables.functions), 1)), n, factors)
    return Bundle(tables, model, state, scratch, chosen, regular)


def _elimination(tables: Tables, rows: Integers, regular: bool) -> dict[str, Any]:
    """Return how these rows are eliminated: their order, the skyline of S, what it is made of; found once for a structure."""
    key = ("elimination", rows.tobytes(), regular)
    if key in tables.structure:
        known: dict[str, Any] = tables.structure[key]
        return known
    chosen = _elimination_order(tables, rows)
    m, blocks, count = len(chosen), _blocks(tables, chosen), tables.count_joint + tables.count_motion
    first = _envelope(blocks, m) if regular else np.zeros(m, dtype=np.int64)
    base = np.concatenate([[0], np.cumsum(np.arange(m) - first + 1)])[:-1] - first
    found = tables.structure[key] = {
        "chosen": chosen, "S_base": base, "S_first": first, "driven": int(depend_on_time(tables, np.arange(count))),
        "pairs": listed(D.Pair, _pairs(blocks, base) if regular else []),
        "blocks": listed(D.RowBlock, [(e, body - 1, k) for k, row in enumerate(blocks) for e, body in row]),
    }  # fmt: skip
    return found


def own_model(tables: Tables, **values: Any) -> Model:
    """Return the block of a run: the structure of its tables, own numbers, room for masses, and what else is given."""
    return _own(tables.packed, **room_for_masses(tables.packed), **values)


def _own(model: Model, **values: Any) -> Model:
    """Return a block of a model with numbers, laws and program tables of its own."""
    return model.sharing(numbers=model.numbers.copy(), laws=model.laws.copy(), tables=model.tables.copy(), **values)


def run_sizes(nq: int, n: int, m: int, count: int, partitioned: bool) -> dict[str, int]:
    """Return the lengths of the scratch that all formulations have: coordinates, rates, chosen rows, all rows."""
    f = max(n - m, 0)
    sizes = {
        "by_row": count, "feedback": count, "multipliers": m, "a": n, "b": max(n, m, 12), "point": nq + n,
        "support": nq + n, "support_sum": n,
    }  # fmt: skip
    return sizes | ({"phi_d": m * m, "null": n * f, "reduced": f * f, "reduced_right": f} if partitioned else {})


def run_state(tables: Tables, references: Floats, n: int, factors: Factors) -> State:
    """Return what lives from step to step in a run of n rates, with room for the factors of its chosen rows."""
    m = len(factors.D)
    state = State(
        ref=len(references), statistics=1, settings=1, dependent=m, independent=max(n - m, 0), place=n, pivots=max(n, m),
        factors=factors,
    )  # fmt: skip
    state.ref[:] = references
    state.statistics.lowest_ratio[0], state.settings.second[0], state.settings.other_rows[0] = 1.0, second(tables), -1.0
    state.place[:] = -1
    return state


def _scales(tables: Tables, count: int, regular: bool) -> dict[str, Floats]:
    """Return the scales of rows and columns, and the row weights of the general path."""
    columns, length = np.ones(tables.nv), tables.length
    for k in range(tables.dimension):
        columns[tables.layout.each_rate(k, len(tables.bodies) - 1)] = length
    found = {"column_scale": columns, **row_scales(tables, np.arange(count))}
    if regular:
        found["row_weight"] = np.zeros(0)
    return found


def row_scales(tables: Tables, rows: Integers) -> dict[str, Floats]:
    """Return the scales of rows, 1/L or 1, and their weights in the matrix of the general path."""
    is_length, length, mass = tables.packed.rows["is_length"][rows] == 1, tables.length, characteristic_mass(tables)
    return {
        "row_scale": np.where(is_length, 1.0 / length, 1.0),
        "row_weight": np.where(is_length, mass, mass * length**2),
    }


def inverts_masses(tables: Tables) -> bool:
    """Return whether M can be inverted, and that without drowning bodies: then the fast path is taken."""
    if "inverts masses" not in tables.cache:
        tables.cache["inverts masses"] = Arrays(tables.packed).weigh(), _nearly_massless(tables)
    invertible, drowning = tables.cache["inverts masses"]
    return invertible and (tables.nv > LARGE or not drowning)


def envelope_lengths(tables: Tables, rows: Integers) -> Integers:
    """Return the lengths of the rows of the matrix S that the fast path factors for these rows."""
    chosen = _elimination_order(tables, rows)
    return np.asarray(np.arange(len(chosen)) - _envelope(_blocks(tables, chosen), len(chosen)) + 1)


def _nearly_massless(tables: Tables) -> bool:
    """Return whether a body weighs so little beside the others that M⁻¹ drowns them: the general path does not invert M."""
    masses = np.array([tables.F[slots.mass] for slots in tables.masses])
    return bool(np.min(masses, initial=np.inf) < 1e-7 * np.max(masses, initial=0.0))


def depend_on_time(tables: Tables, rows: Integers) -> bool:
    """Return whether one of these rows has a partial derivative by time."""
    programs = tables.packed.rows["program"][rows]
    return bool(np.any(tables.packed.tables[programs[programs >= 0] + BY_TIME] >= 0))


def _blocks(tables: Tables, chosen: Integers) -> list[list[tuple[int, int]]]:
    """Return for each chosen row its blocks (first entry, body); extra coordinates have no body and are left out."""
    width, bodies, found = tables.width, len(tables.bodies) - 1, []
    for r in chosen:
        own = tables.entries_of(r)
        row, e, end = [], own.start, own.stop
        while e < end:
            body = int(tables.columns[e]) // width + 1
            if int(tables.columns[e]) < width * bodies:
                row.append((e, body))
                e += width
            else:
                e += 1
        found.append(row)
    return found


def _elimination_order(tables: Tables, rows: Integers) -> Integers:
    """Return the rows by Cuthill and McKee's breadth-first order, which keeps the envelope of S narrow."""
    blocks = _blocks(tables, rows)
    of_body: dict[int, list[int]] = {}
    for k, row in enumerate(blocks):
        for _, body in row:
            of_body.setdefault(body, []).append(k)
    degree = [sum(len(of_body[body]) for _, body in row) for row in blocks]
    placed = np.zeros(len(rows), dtype=bool)
    order: list[int] = []
    for start in sorted(range(len(rows)), key=lambda k: (degree[k], k)):
        if placed[start]:
            continue
        placed[start] = True
        queue = [start]
        for k in queue:  # grows while it is walked
            near = {j for _, body in blocks[k] for j in of_body[body] if not placed[j]}
            for j in sorted(near, key=lambda j: (degree[j], j)):
                placed[j] = True
                queue.append(j)
        order += queue
    return rows[np.array(order[::-1], dtype=np.int64)] if len(order) else rows


def _envelope(blocks: list[list[tuple[int, int]]], m: int) -> Integers:
    """Return the first column of each row of S: the earliest row that shares a body."""
    earliest: dict[int, int] = {}
    first = np.zeros(m, dtype=np.int64)
    for k, row in enumerate(blocks):
        for _, body in row:
            earliest.setdefault(body, k)
        first[k] = min([earliest[body] for _, body in row], default=k)
    return first


def _pairs(blocks: list[list[tuple[int, int]]], base: Integers) -> list[tuple[int, ...]]:
    """Return records (place of S_ij, block of i, block of j), j ≤ i, of all pairs of rows that share a body."""
    of_body: dict[int, list[tuple[int, int]]] = {}
    pairs: list[tuple[int, ...]] = []
    for i, row in enumerate(blocks):
        for entry, body in row:
            of_body.setdefault(body, []).append((i, entry))
            for j, other in of_body[body]:
                pairs.append((int(base[i]) + j, entry, other))
    return pairs
