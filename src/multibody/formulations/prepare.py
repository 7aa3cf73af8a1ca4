"""Preparing a run: the sections that the equations of motion need beside the tables, appended to I and W.

Structure only: which rows share a body (the pattern of S), an elimination order with a small envelope, places in the
workspace. The independent rows and the partition are given by the analysis.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from multibody.kernels import layout as L
from multibody.kernels import sections as R
from multibody.kernels.arrays import Arrays
from multibody.kernels.mass import set_masses
from multibody.tables.lower import Tables
from multibody.tables.plain import plain_row
from multibody.tables.scales import characteristic_mass, second

LARGE = 400  # velocity coordinates from which on the general path, whose matrices are full, is only taken where it must be
Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@dataclass
class Bundle(Arrays):
    """The arrays that every kernel of a run takes, with the numbers that describe them.

    Attributes
    ----------
    I, F, W, ref : arrays
        Own copies: a run never writes to the tables.
    chosen : array of int
        Independent rows in the order of elimination.
    regular : bool
        Whether M is positive definite and there are no extra coordinates (fast path).
    """

    tables: Tables
    I: Integers
    F: Floats
    W: Floats
    ref: Floats
    chosen: Integers
    regular: bool

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what makes it again, in this process or another."""
        from multibody.formulations.travel import bundle_parts

        return bundle_parts(self)

    @property
    def size(self) -> int:
        """Length of y = (q, v, w)."""
        return self.tables.nq + self.tables.nv + 1

    @property
    def velocities(self) -> int:
        """Number of rates in y."""
        return self.tables.nv

    def settings(self, **values: float) -> None:
        """Set settings by their names in lower case."""
        for name, value in values.items():
            self.W[self.I[R.W_SETTINGS] + getattr(R, name.upper())] = value

    def statistic(self, name: str) -> float:
        """Return a statistic by its name in lower case."""
        return float(self.W[self.I[R.W_STATISTICS] + getattr(R, name.upper())])

    def set_partition(self, dependent: Integers) -> None:
        """Use these columns as dependent ones, one for each chosen row."""
        n, m = self.velocities, len(self.chosen)
        place = np.full(n, -1, dtype=np.int64)
        place[dependent] = np.arange(m)
        self.I[self.I[R.DEPENDENT] : self.I[R.DEPENDENT] + m] = dependent
        self.I[self.I[R.INDEPENDENT] : self.I[R.INDEPENDENT] + n - m] = np.flatnonzero(place < 0)
        self.I[self.I[R.PLACE] : self.I[R.PLACE] + n] = place


def prepare(
    tables: Tables, rows: Integers, references: Floats, partitioned: bool = True, regular: bool | None = None
) -> Bundle:
    """Return the arrays of a run.

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
    W = np.zeros(tables.workspace)
    arrays = Arrays(tables.I, tables.F, W)
    set_masses(arrays.at.model, arrays.at.scratch)
    regular = inverts_masses(tables) if regular is None else regular
    chosen = _elimination_order(tables, np.asarray(rows, dtype=np.int64))
    n, m, count = tables.nv, len(chosen), tables.count_joint + tables.count_motion
    blocks = _blocks(tables, chosen)
    first = _envelope(blocks, m) if regular else np.zeros(m, dtype=np.int64)
    lengths = np.arange(m) - first + 1
    base = np.concatenate([[0], np.cumsum(lengths)])[:-1] - first
    entries = int(tables.row_pointer[count])
    places = _places(tables.workspace, n, m, count, entries, int(np.sum(lengths)), tables.nq, regular, partitioned)
    end = places.pop(-1)
    plain, others = _plain(tables, count)
    sections = {
        R.CHOSEN: chosen,
        R.BASE: base,
        R.FIRST: first,
        R.PAIRS: _pairs(blocks, base) if regular else np.zeros(0, dtype=np.int64),
        R.BLOCKS: np.array([x for k, row in enumerate(blocks) for e, body in row for x in (e, body - 1, k)], dtype=np.int64),
        R.PLAIN: plain,
        R.OTHERS: others,
        R.DENSE_BASE: n * np.arange(0 if regular else n),
        R.DENSE_FIRST: np.zeros(0 if regular else n, dtype=np.int64),
        R.DEPENDENT: np.zeros(m, dtype=np.int64),
        R.INDEPENDENT: np.zeros(n - m, dtype=np.int64),
        R.PLACE: np.full(n, -1, dtype=np.int64),
        R.PIVOTS: np.zeros(n, dtype=np.int64),
    }
    I = tables.I.copy()
    I[R.ALL_COUNT], I[R.CHOSEN_COUNT], I[R.GENERAL] = count, m, int(not regular)
    I[R.DRIVEN] = int(any(depends_on_time(tables, r) for r in range(count)))
    I[R.PAIR_COUNT], I[R.BLOCK_COUNT] = len(sections[R.PAIRS]) // 3, len(sections[R.BLOCKS]) // 3
    I[R.PLAIN_COUNT], I[R.OTHER_COUNT] = len(plain) // R.PLAIN_STRIDE, len(others)
    for slot, place in places.items():
        I[slot] = place
    I[R.COLUMN_COUNT], I[R.COORDINATE_COUNT], I[R.PARTITIONED] = n, tables.nq, int(partitioned)
    I[R.W_WEIGHT] = 0 if regular else places[R.W_GAUGE] + n
    parts, at = [I], len(I)
    for slot, section in sections.items():
        I[slot] = at
        at += len(section)
        parts.append(section.astype(np.int64))
    bundle = Bundle(
        tables, np.ascontiguousarray(np.concatenate(parts)), tables.F.copy(), np.zeros(end), references.copy(), chosen, regular
    )
    bundle.W[: tables.workspace] = W
    _set_scales(bundle, count)
    return bundle


def inverts_masses(tables: Tables) -> bool:
    """Return whether M can be inverted, and that without drowning bodies: then the fast path is taken."""
    arrays = Arrays(tables.I, tables.F, np.zeros(tables.workspace))
    invertible = bool(set_masses(arrays.at.model, arrays.at.scratch))
    return invertible and (tables.nv > LARGE or not _nearly_massless(tables))


def envelope_lengths(tables: Tables, rows: Integers) -> Integers:
    """Return the lengths of the rows of the matrix S that the fast path factors for these rows."""
    chosen = _elimination_order(tables, rows)
    return np.asarray(np.arange(len(chosen)) - _envelope(_blocks(tables, chosen), len(chosen)) + 1)


def _nearly_massless(tables: Tables) -> bool:
    """Return whether a body weighs so little beside the others that M⁻¹ drowns them: the general path does not invert M."""
    masses = np.array([tables.F[mass] for mass, _ in tables.masses])
    return bool(np.min(masses, initial=np.inf) < 1e-7 * np.max(masses, initial=0.0))


def _plain(tables: Tables, count: int) -> tuple[Integers, Integers]:
    """Return the records of rows that are one basic function with weight 1, and the other rows."""
    I = tables.I
    plain: list[int] = []
    others: list[int] = []
    for r in range(count):
        found = plain_row(tables, r)
        if found[0] == 0:
            others.append(r)
            continue
        row = int(I[L.ROWS]) + L.ROW_STRIDE * r
        term = int(I[L.TERMS]) + L.TERM_STRIDE * int(I[row])
        places = [int(I[row + 2]) + int(entry) if entry >= 0 else -1 for entry in I[term + 2 : term + 4]]
        plain += [*found, *places, r, int(I[term])]
    return np.array(plain, dtype=np.int64), np.array(others, dtype=np.int64)


def depends_on_time(tables: Tables, r: int) -> bool:
    """Return whether a row has a partial derivative by time."""
    program = int(tables.I[tables.I[L.ROWS] + L.ROW_STRIDE * r + 4])
    return program >= 0 and int(tables.I[program + 1]) >= 0


def _places(
    start: int, n: int, m: int, count: int, entries: int, envelope: int, nq: int, regular: bool, partitioned: bool
) -> dict[int, int]:
    """Return where each scratch lies in W; under −1 the end."""
    f = n - m
    sizes = {
        R.W_J: entries, R.W_U: entries if regular else m * n, R.W_S: envelope, R.W_D: m, R.W_X: count, R.W_FEEDBACK: count,
        R.W_LAMBDA: m, R.W_Q: n, R.W_A: n, R.W_B: max(n, m, 12), R.W_STATE: nq + n, R.W_DENSE: 0 if regular else n * n,
        R.W_GAUGE: 0 if regular else n + count, R.W_PARTITION: m * m + n * f + f * f + f if partitioned else 0,
        R.W_SCALE: count + n, R.W_BRIDGE: nq + 2 * n, R.W_STATISTICS: R.STATISTICS, R.W_SETTINGS: R.SETTINGS,
    }  # fmt: skip
    places = {}
    for slot, size in sizes.items():
        places[slot] = start
        start += size
    places[-1] = start
    return places


def _set_scales(bundle: Bundle, count: int) -> None:
    """Write the scales of rows and columns, and the row weights of the general path."""
    tables, I, W = bundle.tables, bundle.I, bundle.W
    length = tables.length
    at = int(I[R.W_SCALE])
    is_length = np.array([row.is_length for row in tables.rows[:count]], dtype=bool)
    W[at : at + count] = np.where(is_length, 1.0 / length, 1.0)
    columns = np.ones(tables.nv)
    for k in range(tables.dimension):
        columns[k : tables.width * (len(tables.bodies) - 1) : tables.width] = length
    W[at + count : at + count + tables.nv] = columns
    W[I[R.W_STATISTICS] + R.LOWEST_RATIO] = 1.0
    W[I[R.W_SETTINGS] + R.SECOND] = second(tables)
    if not bundle.regular:
        mass = characteristic_mass(tables)
        W[I[R.W_GAUGE] + tables.nv : I[R.W_GAUGE] + tables.nv + count] = np.where(is_length, mass, mass * length**2)


def _blocks(tables: Tables, chosen: Integers) -> list[list[tuple[int, int]]]:
    """Return for each chosen row its blocks (first entry, body); extra coordinates have no body and are left out."""
    width, bodies, found = tables.width, len(tables.bodies) - 1, []
    for r in chosen:
        row, e, end = [], int(tables.row_pointer[r]), int(tables.row_pointer[r + 1])
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


def _pairs(blocks: list[list[tuple[int, int]]], base: Integers) -> Integers:
    """Return records (place of S_ij, block of i, block of j), j ≤ i, of all pairs of rows that share a body."""
    of_body: dict[int, list[tuple[int, int]]] = {}
    pairs: list[int] = []
    for i, row in enumerate(blocks):
        for entry, body in row:
            of_body.setdefault(body, []).append((i, entry))
            for j, other in of_body[body]:
                pairs += [int(base[i]) + j, entry, other]
    return np.array(pairs, dtype=np.int64)


def full_pivoting(J: Floats) -> tuple[Integers, float]:
    """Return the dependent columns that Gauss elimination with full pivoting finds, and smallest over largest pivot.

    Parameters
    ----------
    J : array (m, n)
        Scaled rows, independent.
    """
    A = J.copy()
    m, n = A.shape
    rows, columns = np.arange(m), np.arange(n)
    low, high = np.inf, 0.0
    for k in range(m):
        at = int(np.argmax(np.abs(A[k:, k:])))
        i, j = k + at // (n - k), k + at % (n - k)
        A[[k, i]], rows[[k, i]] = A[[i, k]], rows[[i, k]]
        A[:, [k, j]], columns[[k, j]] = A[:, [j, k]], columns[[j, k]]
        pivot = abs(A[k, k])
        low, high = min(low, pivot), max(high, pivot)
        if pivot == 0.0:
            break
        A[k + 1 :, k:] -= np.outer(A[k + 1 :, k] / A[k, k], A[k, k:])
    return np.sort(columns[:m]), float(low / high) if m else 1.0
