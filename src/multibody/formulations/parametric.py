"""Parametric coordinates: bodies and the parameters α of their pairs (Lee, Lee, Bae 2013), six constraints a pair.

The equations are those of ``augmented`` on other tables (``tables/parametric.py``): α has no mass, what acts along it stands in
its own rows Φ_αᵀ λ = Q_α. Here the arrays of a run are prepared; the mathematics is in ``kernels/parametric``.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from multibody.formulations.augmented import accept_augmented
from multibody.formulations.implicit import factor_newton, product_newton, residual_newton, solve_complex, solve_newton
from multibody.formulations.pattern import Pattern, sparse_pattern
from multibody.formulations.prepare import Bundle, prepare
from multibody.formulations.prepare_newton import attach_newton
from multibody.kernels import blocks as B
from multibody.kernels import sections as R
from multibody.kernels.calls import address_of
from multibody.kernels.parametric import layout as P
from multibody.kernels.parametric.units import units_of
from multibody.tables.parametric import COSINE, REGULAR, Pair, ParametricTables, picks

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
NEVER = 1e9  # more idle unknowns than any group has


@dataclass
class ParametricBundle(Bundle):
    """The arrays of a run in parametric coordinates.

    Attributes
    ----------
    rotation : str
        ``regular`` or ``cosine``: which rows the rotations of pairs have.
    exact : bool
        Whether derivatives are exact in ground axes, or functions of α alone in the axes of the bodies.
    numbers : int
        Where the numbers of the pairs begin in F; before them F is that of the Cartesian tables.
    """

    rotation: str = REGULAR
    exact: bool = False
    numbers: int = 0
    pairs: tuple[Pair, ...] = field(default=())

    def attach(self, complex_: bool) -> None:
        """Append the iteration matrix of an implicit method."""
        h, pointer = int(self.I[R.PARAMETRIC]), self.tables.row_pointer
        attach_newton(self, _pattern(self), _entries(self), complex_, scaled=False)
        self._roomy(int(self.I[R.NEWTON]), int(pointer[len(self.tables.rows)]))
        self.I[h + P.NEWTON_SOLVE] = address_of(solve_complex if complex_ else solve_newton)
        self.I[h + P.NEWTON_PRODUCT], self.I[h + P.NEWTON_RESIDUAL] = address_of(product_newton), address_of(residual_newton)
        self.I[h + R.PAIR_PARTIALS] = address_of(units_of(self.tables.dimension, self.exact)[R.PAIR_PARTIALS])

    def _roomy(self, at: int, entries: int) -> None:
        """Give Φ_q and V of an iteration matrix room for the rows that are left out too: pairs write all of theirs."""
        end = len(self.W)
        self.I[at + B.W_P], self.I[at + B.W_V] = end, end + entries
        self.W = np.concatenate([self.W, np.zeros(2 * entries)])

    def frame(self, k: int, second: bool = False) -> Floats:
        """Return the axes of a spatial pair's frame as columns."""
        at = self.numbers + P.SPATIAL_NUMBERS * k + (15 if second else 6)
        return self.F[at : at + 9].reshape(3, 3).T.copy()

    def set_frame(self, k: int, axes: Floats) -> None:
        """Move the first frame of a spatial pair."""
        at = self.numbers + P.SPATIAL_NUMBERS * k + 6
        self.F[at : at + 9] = axes.T.ravel()


def prepare_parametric(
    tables: ParametricTables, rows: Integers, references: Floats, rotation: str = REGULAR, exact: bool = False
) -> ParametricBundle:
    """Return the arrays of a run, without the scales of the linear systems (:func:`set_scales`).

    Parameters
    ----------
    tables : ParametricTables
    rows : array of int
        Independent rows.
    references : array
        Angle references at the start.
    rotation : {"regular", "cosine"}
    exact : bool
    """
    base = prepare(tables, rows, references, partitioned=False, regular=True)
    made = ParametricBundle(**vars(base), rotation=rotation, exact=exact, numbers=len(base.F), pairs=tables.pairs)
    made.F = np.concatenate([base.F, *(_numbers(tables, pair) for pair in tables.pairs)])
    own = {r for pair in tables.pairs for r in tables.joint_rows[pair.joint]}
    others = [r for r in made.I[made.I[R.OTHERS] :][: made.I[R.OTHER_COUNT]] if int(r) not in own]
    made.I[made.I[R.OTHERS] : made.I[R.OTHERS] + len(others)], made.I[R.OTHER_COUNT] = others, len(others)
    scale = int(made.I[R.W_SCALE] + made.I[R.ALL_COUNT])
    for column in slide_columns(tables):
        made.W[scale + column] = tables.length
    made.I[R.NEWTON] = 0
    attach_newton(made, _pattern(made), _entries(made), complex_=False, scaled=False)
    kkt, made.I[R.NEWTON] = int(made.I[R.NEWTON]), 0
    _append_header(made, kkt)
    return made


def slide_columns(tables: ParametricTables) -> list[int]:
    """Return the velocity columns of parameters that are lengths."""
    first = tables.nv - len(tables.extras)
    return [first + pair.extra + k for pair in tables.pairs for k in range(len(pair.slides))]


def _numbers(tables: ParametricTables, pair: Pair) -> Floats:
    """Return the numbers of a pair."""
    d, (a, b) = tables.dimension, tables.ends[pair.joint]
    points = [tables.vector(a.point), tables.vector(b.point)]
    first, second = tables.matrix(a.axes), tables.matrix(b.axes)
    if d == 2:
        slide = first[:, pair.slides[0]] if pair.slides else np.zeros(2)
        return np.concatenate([*points, slide, [tables.F[pair.slot]]])
    pitch = -tables.F[pair.slot] if pair.pitched else 0.0
    return np.concatenate([*points, first.T.ravel(), second.T.ravel(), [pitch]])


def _entries(bundle: ParametricBundle) -> Integers:
    """Return (place in W_J, chosen row, column) of the entries of Φ_q."""
    from multibody.formulations.newton import row_entries

    return row_entries(bundle, relative=False)


def _pattern(bundle: ParametricBundle) -> Pattern:
    """Return which columns meet: the bodies and parameters of a pair through derivatives by α, or exact, all of them."""
    tables, further = bundle.tables, []
    bodies = len(tables.bodies) - 1
    for pair in bundle.pairs:
        both = {b - 1 for b in (pair.first, pair.second) if b > 0}
        own = {bodies + pair.extra + k for k in range(pair.parameters)}
        further += [(both | own, both | own)] if bundle.exact else [(both, own), (own, own)]
    return sparse_pattern(tables, bundle.chosen, further=further)


def _append_header(bundle: ParametricBundle, kkt: int) -> None:
    """Append the header of the pairs, their records and scratch."""
    tables, n, m = bundle.tables, bundle.velocities, len(bundle.chosen)
    d, groups = tables.dimension, int(bundle.I[kkt + B.GROUP_COUNT])
    at, end = len(bundle.I), len(bundle.W)
    header = np.zeros(P.HEADER, dtype=np.int64)
    records = np.concatenate([np.zeros(0, dtype=np.int64), *(_record(bundle, k, pair) for k, pair in enumerate(bundle.pairs))])
    shadows = [x for p in bundle.pairs for k, f in enumerate(p.functions) if f >= 0 for x in (f, p.extra + k)]
    header[P.PAIR_COUNT], header[P.PAIRS] = len(bundle.pairs), at + P.HEADER
    header[P.SHADOW_COUNT], header[P.SHADOWS] = len(shadows) // 2, at + P.HEADER + len(records)
    header[P.KKT], header[P.EXACT] = kkt, int(bundle.exact)
    sizes = {
        R.PAIR_RESULT: P.RESULTS, P.W_TURN: (2 if d == 2 else 9) * (len(tables.bodies) - 1), P.W_COLUMN_SCALE: n,
        P.W_ROW_SCALE: m, P.W_VECTOR: 4 * (n + m) + 4 * n, P.W_SEEN: 2 * groups, P.W_COEFFICIENTS: 12,
        P.W_LAST: 3 * len(bundle.pairs),
    }  # fmt: skip
    for slot, size in sizes.items():
        header[slot], end = end, end + size
    for slot, unit in units_of(d, bundle.exact).items():
        header[slot] = address_of(unit) if slot != R.PAIR_PARTIALS else 0
    header[P.CLOSE], header[P.KKT_FACTOR] = address_of(accept_augmented), address_of(factor_newton)
    header[P.KKT_SOLVE] = address_of(solve_newton)
    bundle.I = np.ascontiguousarray(np.concatenate([bundle.I, header, records, np.array(shadows, dtype=np.int64)]))
    bundle.W = np.concatenate([bundle.W, np.zeros(end - len(bundle.W))])
    bundle.I[R.PARAMETRIC] = at
    bundle.W[header[P.W_SEEN] : header[P.W_SEEN] + 2 * groups] = np.tile([0.0, NEVER], groups)
    bundle.W[header[P.W_COLUMN_SCALE] : header[P.W_COLUMN_SCALE] + n] = 1.0
    bundle.W[header[P.W_ROW_SCALE] : header[P.W_ROW_SCALE] + m] = 1.0
    bundle._roomy(kkt, int(tables.row_pointer[len(tables.rows)]))


def _record(bundle: ParametricBundle, k: int, pair: Pair) -> Integers:
    """Return the record of a pair."""
    tables, place = bundle.tables, {int(r): n for n, r in enumerate(bundle.chosen)}
    d, width, own = tables.dimension, tables.width, tables.joint_rows[pair.joint]
    found = np.full(P.PAIR_STRIDE, -1, dtype=np.int64)
    found[P.FIRST], found[P.SECOND], found[P.ROTATION] = pair.first, pair.second, pair.rotation
    found[P.NUMBERS] = bundle.numbers + (P.PLANAR_NUMBERS if d == 2 else P.SPATIAL_NUMBERS) * k
    found[P.COSINE] = int(bundle.rotation == COSINE and d == 3 and pair.rotation > 0)
    found[P.SLIDES], found[P.PITCHED] = len(pair.slides), int(pair.pitched)
    found[P.SLIDE : P.SLIDE + len(pair.slides)] = pair.slides
    found[P.EXTRA], found[P.ALPHAS], found[P.ROW] = pair.extra, pair.parameters, own.start
    found[P.ENTRY] = tables.row_pointer[own.start]
    found[P.WIDTH] = tables.row_pointer[own.start + 1] - found[P.ENTRY]
    found[P.AT_FIRST] = 0 if pair.first > 0 else -1
    found[P.AT_SECOND] = (width if pair.first > 0 else 0) if pair.second > 0 else -1
    found[P.AT_ALPHA] = width * ((pair.first > 0) + (pair.second > 0))
    found[P.PICK : P.PICK + 3] = picks(pair.rotation, bundle.rotation)
    found[P.CHOSEN : P.CHOSEN + len(own)] = [place.get(r, -1) for r in own]
    return found


def set_scales(bundle: ParametricBundle, J: Floats) -> None:
    """Scale the linear systems so that units change nothing, and write the masses into the matrix of the equations of motion.

    Parameters
    ----------
    bundle : ParametricBundle
    J : array (chosen rows, columns)
        Φ_q at the start: columns of bodies get 1/√mass, rows and parameters what then makes them of size one.
    """
    tables, I, W = bundle.tables, bundle.I, bundle.W
    d, width, nb, h = tables.dimension, tables.width, len(tables.bodies) - 1, int(bundle.I[R.PARAMETRIC])
    n, m, length = bundle.velocities, len(bundle.chosen), tables.length
    masses = np.array([tables.F[slot] for slot, _ in tables.masses])
    typical = float(np.max(masses)) or 1.0
    columns = np.ones(n)
    for b, (_, inertia) in enumerate(tables.masses):
        J_b = tables.F[inertia] if d == 2 else np.trace(tables.matrix(inertia)) / 3.0
        mass = max(masses[b], 1e-6 * typical)
        columns[width * b : width * b + d] = 1.0 / np.sqrt(mass)
        columns[width * b + d : width * (b + 1)] = 1.0 / np.sqrt(max(J_b, 1e-6 * mass * length**2))
    rows = _inverse(np.linalg.norm(J[:, : width * nb] * columns[: width * nb], axis=1))
    columns[width * nb :] = _inverse(np.max(np.abs(rows[:, None] * J[:, width * nb :]), axis=0, initial=0.0))
    weak = np.linalg.norm(J[:, : width * nb], axis=1) == 0.0
    rows[weak] = _inverse(np.linalg.norm(J[weak] * columns, axis=1))
    W[I[h + P.W_COLUMN_SCALE] :][:n], W[I[h + P.W_ROW_SCALE] :][:m] = columns, rows
    _write_masses(bundle, columns)


def _inverse(sizes: Floats) -> Floats:
    """Return 1/size, 1 where it vanishes."""
    return np.asarray(np.where(sizes > 0.0, 1.0 / np.where(sizes > 0.0, sizes, 1.0), 1.0))


def _write_masses(bundle: ParametricBundle, columns: Floats) -> None:
    """Write D M D into the matrix of the equations of motion."""
    tables, I, W, h = bundle.tables, bundle.I, bundle.W, int(bundle.I[R.PARAMETRIC])
    kkt, width, d = int(I[h + P.KKT]), tables.width, tables.dimension
    for b, (mass, inertia) in enumerate(tables.masses):
        block = np.zeros((width, width))
        block[range(d), range(d)] = tables.F[mass]
        block[d:, d:] = tables.F[inertia] if d == 2 else tables.matrix(inertia)
        scale = columns[width * b : width * (b + 1)]
        at = int(I[kkt + B.W_M]) + int(I[I[I[kkt + B.MEETINGS] + b] + 1])  # a node meets itself first
        W[at : at + width * width] = (scale[:, None] * block * scale).ravel()
