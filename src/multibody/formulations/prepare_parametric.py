"""Preparing a run in parametric coordinates: the pairs, their charts, and the matrix of the equations of motion."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from multibody.formulations.newton import NewtonKernels
from multibody.formulations.pattern import Pattern, sparse_pattern
from multibody.formulations.prepare import Bundle, prepare
from multibody.formulations.prepare_newton import attach_newton, iteration_blocks, sparse_entries
from multibody.kernels.codes import FIRST_BODY
from multibody.kernels.parametric.declared import (
    Chart,
    PairBlocks,
    PairOfBodies,
    Pairs,
    PairScratch,
    PairState,
    PlanarPairNumbers,
    Seen,
    Shadow,
    SpatialPairNumbers,
)
from multibody.tables.pairs import offset_of, pitch_of
from multibody.tables.parametric import COSINE, REGULAR, ParametricPair, ParametricTables, picks
from multibody.tables.rows import listed, record

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
NEVER = 1e9  # more idle unknowns than any group has


@dataclass
class ParametricBundle(Bundle):
    """The blocks of a run in parametric coordinates.

    Attributes
    ----------
    tables : ParametricTables
    rotation : str
        ``regular`` or ``cosine``: which rows the rotations of pairs have.
    exact : bool
        Whether derivatives are exact in ground axes, or functions of α alone in the axes of the bodies.
    """

    tables: ParametricTables
    rotation: str
    exact: bool

    def attach(self, complex_: bool) -> None:
        """Give the run the iteration matrix of an implicit method."""
        pattern, entries = _pattern(self.tables, self.chosen, self.exact), sparse_entries(self)
        attach_newton(self, pattern, entries, complex_=complex_, scaled=False, room=_room(self))

    def newton_kernels(self, complex_: bool) -> NewtonKernels:
        """Return what an implicit method calls."""
        from multibody.formulations.parametric import parametric_kernels

        return parametric_kernels(self.exact, complex_)

    def frame(self, k: int, second: bool = False) -> Floats:
        """Return the axes of a spatial pair's frame as columns."""
        own = self.parametric.model.spatial_numbers.C_j if second else self.parametric.state.charts.C_i
        return np.array(own[k]).reshape(3, 3).T

    def set_frame(self, k: int, axes: Floats) -> None:
        """Move the first frame of a spatial pair."""
        self.parametric.state.charts.C_i[k] = axes.T.ravel()


def prepare_parametric(
    tables: ParametricTables, rows: Integers, references: Floats, rotation: str = REGULAR, exact: bool = False
) -> ParametricBundle:
    """Return the blocks of a run, without the scales of the linear systems (:func:`set_scales`).

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
    own = {r for pair in tables.parametrized for r in tables.joint_rows[pair.joint]}
    base.model.others = np.array([r for r in base.model.others if int(r) not in own], dtype=np.int64)
    base.model.column_scale[slide_columns(tables)] = tables.length
    values: dict[str, Any] = {field.name: getattr(base, field.name) for field in fields(base)}
    made = ParametricBundle(**values, rotation=rotation, exact=exact)
    made.parametric = _blocks(made)
    return made


def slide_columns(tables: ParametricTables) -> list[int]:
    """Return the velocity columns of parameters that are lengths."""
    first = tables.nv - len(tables.extras)
    return [first + pair.extra + k for pair in tables.parametrized for k in range(len(pair.motion.slides))]


def _room(bundle: Bundle) -> int:
    """Return the number of entries of all rows: pairs write those of rows that are left out too."""
    return int(bundle.tables.row_pointer[len(bundle.tables.rows)])


def _pattern(tables: ParametricTables, chosen: Integers, exact: bool) -> Pattern:
    """Return which columns meet: the bodies and parameters of a pair through derivatives by α, or exact, all of them."""
    bodies, further = len(tables.bodies) - 1, []
    for pair in tables.parametrized:
        both = {b - FIRST_BODY for b in (pair.first, pair.second) if b > 0}
        own = {bodies + pair.extra + k for k in range(pair.parameters)}
        further += [(both | own, both | own)] if exact else [(both, own), (own, own)]
    return sparse_pattern(tables, chosen, further=further)


def _blocks(bundle: ParametricBundle) -> PairBlocks:
    """Return the pairs' parts of the three blocks."""
    tables, n, m = bundle.tables, bundle.velocities, len(bundle.chosen)
    planar, bodies = tables.dimension == 2, len(tables.bodies)
    pattern, entries = _pattern(tables, bundle.chosen, bundle.exact), sparse_entries(bundle)
    kkt = iteration_blocks(bundle, pattern, entries, complex_=False, scaled=False, room=_room(bundle))
    place = {int(r): k for k, r in enumerate(bundle.chosen)}
    shadows = [(f, pair.extra + k) for pair in tables.parametrized for k, f in enumerate(pair.functions) if f >= 0]
    numbers = [(_planar_numbers if planar else _spatial_numbers)(tables, pair) for pair in tables.parametrized]
    model = Pairs(
        pairs=listed(PairOfBodies, [_record(tables, pair, bundle.rotation, place) for pair in tables.parametrized]),
        shadows=listed(Shadow, shadows), exact=int(bundle.exact), column_scale=np.ones(n), row_scale=np.ones(m),
        kkt=kkt.model,
    )  # fmt: skip
    state = PairState(trouble=-1, seen=listed(Seen, [(0.0, NEVER)] * len(kkt.model.groups)), kkt=kkt.state)
    if planar:
        model.planar_numbers = listed(PlanarPairNumbers, numbers)
        state.planar_turns = bodies
    else:
        model.spatial_numbers = listed(SpatialPairNumbers, numbers)
        state.spatial_turns = bodies
        charts = [(tables.matrix(pair.ends[0].axes).T.ravel(), np.zeros(3)) for pair in tables.parametrized]
        state.charts = listed(Chart, charts)
    scratch = PairScratch(vector=max(2 * (n + m), 3 * n), answer=2 * (n + m), kkt=kkt.scratch)
    return PairBlocks(model, state, scratch)


def _planar_numbers(tables: ParametricTables, pair: ParametricPair) -> tuple[Any, ...]:
    """Return the numbers of a pair in the plane."""
    a, b = pair.ends
    slide = next((tables.matrix(a.axes)[:, freedom.number] for freedom in pair.motion.slides), np.zeros(2))
    s_i, s_j = tables.vector(a.point), tables.vector(b.point)
    return record(PlanarPairNumbers, s_i=s_i, s_j=s_j, slide=slide, offset=offset_of(tables, pair))


def _spatial_numbers(tables: ParametricTables, pair: ParametricPair) -> tuple[Any, ...]:
    """Return the numbers of a pair in space, but for its first frame."""
    a, b = pair.ends
    s_i, s_j, C_j = tables.vector(a.point), tables.vector(b.point), tables.matrix(b.axes).T.ravel()
    return record(SpatialPairNumbers, s_i=s_i, s_j=s_j, C_j=C_j, pitch=pitch_of(tables, pair))


def _record(tables: ParametricTables, pair: ParametricPair, rotation: str, place: dict[int, int]) -> tuple[Any, ...]:
    """Return the record of a pair; `place` is that of every row among the chosen ones."""
    width, own, motion = tables.width, tables.joint_rows[pair.joint], pair.motion
    entries, cosine = tables.entries_of(own.start), rotation == COSINE and tables.dimension == 3 and motion.angles > 0
    slides = [freedom.number for freedom in motion.slides]
    return record(
        PairOfBodies, first=pair.first, second=pair.second, rotation=motion.angles, cosine=int(cosine),
        slides=len(slides), pitched=int(motion.screw is not None), slide=(*slides, -1, -1)[:2], extra=pair.extra,
        parameters=pair.parameters, row=own.start, entry=entries.start, width=len(entries),
        at_first=0 if pair.first > 0 else -1, at_second=(width if pair.first > 0 else 0) if pair.second > 0 else -1,
        at_alpha=width * ((pair.first > 0) + (pair.second > 0)), pick=picks(motion.angles, rotation),
        chosen=[*(place.get(r, -1) for r in own), -1, -1, -1][:6],
    )  # fmt: skip


def set_scales(bundle: ParametricBundle, J: Floats) -> None:
    """Scale the linear systems so that units change nothing, and write the masses into the matrix of the equations of motion.

    Parameters
    ----------
    bundle : ParametricBundle
    J : array (chosen rows, columns)
        Φ_q at the start: columns of bodies get 1/√mass, rows and parameters what then makes them of size one.
    """
    tables, pairs = bundle.tables, bundle.parametric.model
    d, width, nb, length = tables.dimension, tables.width, len(tables.bodies) - 1, tables.length
    masses = np.array([tables.F[slots.mass] for slots in tables.masses])
    typical = float(np.max(masses)) or 1.0
    columns = np.ones(bundle.velocities)
    for b, slots in enumerate(tables.masses):
        J_b = tables.F[slots.inertia] if d == 2 else np.trace(tables.matrix(slots.inertia)) / 3.0
        mass = max(masses[b], 1e-6 * typical)
        columns[width * b : width * b + d] = 1.0 / np.sqrt(mass)
        columns[width * b + d : width * (b + 1)] = 1.0 / np.sqrt(max(J_b, 1e-6 * mass * length**2))
    rows = _inverse(np.linalg.norm(J[:, : width * nb] * columns[: width * nb], axis=1))
    columns[width * nb :] = _inverse(np.max(np.abs(rows[:, None] * J[:, width * nb :]), axis=0, initial=0.0))
    weak = np.linalg.norm(J[:, : width * nb], axis=1) == 0.0
    rows[weak] = _inverse(np.linalg.norm(J[weak] * columns, axis=1))
    pairs.column_scale[:], pairs.row_scale[:] = columns, rows
    _write_masses(bundle, columns)


def _inverse(sizes: Floats) -> Floats:
    """Return 1/size, 1 where it vanishes."""
    return np.asarray(np.where(sizes > 0.0, 1.0 / np.where(sizes > 0.0, sizes, 1.0), 1.0))


def _write_masses(bundle: ParametricBundle, columns: Floats) -> None:
    """Write D M D into the matrix of the equations of motion."""
    tables, width, d = bundle.tables, bundle.tables.width, bundle.tables.dimension
    pattern, M = bundle.parametric.model.kkt.pattern, bundle.parametric.state.kkt.M
    for b, (mass, inertia) in enumerate(tables.masses):
        block = np.zeros((width, width))
        block[range(d), range(d)] = tables.F[mass]
        block[d:, d:] = tables.F[inertia] if d == 2 else tables.matrix(inertia)
        scale = columns[width * b : width * (b + 1)]
        at = int(pattern.meetings[pattern.nodes[b].first].at)  # a node meets itself first
        M[at : at + width * width] = (scale[:, None] * block * scale).ravel()
