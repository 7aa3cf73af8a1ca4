"""Preparing a run in joint coordinates: the tree, and the sections that the equations of motion need, behind the tables."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from multibody.formulations.prepare import Bundle, depends_on_time
from multibody.kernels import sections as R
from multibody.kernels.arrays import Arrays
from multibody.kernels.calls import address_of
from multibody.kernels.mass import set_masses
from multibody.kernels.tree.declared import TreeBlocks
from multibody.kernels.tree.units import units_of
from multibody.tables.columns import Columns
from multibody.tables.scales import characteristic_mass, second
from multibody.tables.tree_arrays import tree_blocks

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@dataclass
class JointBundle(Bundle):
    """The arrays of a run in joint coordinates.

    Attributes
    ----------
    columns : Columns
    loops : list of int
        Rows that the tree does not satisfy by itself; `chosen` are places in this list.
    tree : TreeBlocks
        The tree's parts of model, state and scratch.
    """

    columns: Columns
    loops: list[int]
    tree: TreeBlocks

    @property
    def size(self) -> int:
        """Length of y = (q, u, w)."""
        return self.columns.nq + self.columns.nv + 1

    @property
    def velocities(self) -> int:
        """Number of rates in y."""
        return self.columns.nv


def prepare_relative(
    columns: Columns, method: int, references: Floats, chosen: Integers, *, regular: bool, partitioned: bool
) -> JointBundle:
    """Return the arrays of a run in joint coordinates.

    Parameters
    ----------
    columns : Columns
    method : int
        RECURSIVE, TRANSFORMATION or ARTICULATED.
    references : array
        Angle references at the start.
    chosen : array of int
        Independent loop rows, as places in ``columns.loop_rows()``.
    regular : bool
        Whether the mass matrix is positive definite by itself.
    partitioned : bool
        Whether room for a partition is needed.
    """
    tables, loops, chosen = columns.tables, columns.loop_rows(), np.sort(chosen)
    n, m, count = columns.nv, len(chosen), len(loops)
    f = max(n - m, 0)
    sizes = {
        R.W_J: count * n, R.W_U: m * n, R.W_S: m * (m + 1) // 2, R.W_D: m, R.W_X: count, R.W_FEEDBACK: count, R.W_LAMBDA: m,
        R.W_A: n, R.W_B: max(n, m), R.W_STATE: columns.nq + n, R.W_GAUGE: count,
        R.W_PARTITION: m * m + n * f + f * f + f if partitioned else 0, R.W_SCALE: count + n, R.W_BRIDGE: columns.nq + 2 * n,
        R.W_STATISTICS: R.STATISTICS, R.W_SETTINGS: R.SETTINGS,
    }  # fmt: skip
    I, at = tables.I.copy(), tables.workspace
    for slot, size in sizes.items():
        I[slot] = at
        at += size
    rows = np.arange(m)
    sections = {
        R.CHOSEN: chosen, R.BASE: rows * (rows + 1) // 2, R.FIRST: np.zeros(m), R.DEPENDENT: np.zeros(m),
        R.INDEPENDENT: np.zeros(f), R.PLACE: np.full(n, -1), R.PIVOTS: np.zeros(n),
    }  # fmt: skip
    I[R.ALL_COUNT], I[R.CHOSEN_COUNT], I[R.GENERAL] = count, m, int(not regular)
    I[R.COLUMN_COUNT], I[R.COORDINATE_COUNT], I[R.PARTITIONED], I[R.W_WEIGHT] = n, columns.nq, int(partitioned), I[R.W_GAUGE]
    I[R.DRIVEN] = int(any(depends_on_time(tables, r) for r in loops))
    parts, end = [I], len(I)
    for slot, section in sections.items():
        I[slot] = end
        end += len(section)
        parts.append(np.asarray(section, dtype=np.int64))
    tree = tree_blocks(columns, method, loops, list(chosen), full=not regular)
    I, W = np.concatenate(parts), np.zeros(at)
    unneeded = _unneeded(tree, bool(I[R.DRIVEN]))
    for name, unit in units_of(tables.dimension, method).items():
        if name not in unneeded:  # a unit that is never called need not be compiled
            setattr(tree.model.calls, name, address_of(unit))
    arrays = Arrays(I, tables.F, W)
    set_masses(arrays.at.model, arrays.at.scratch)
    places = np.asarray(chosen, dtype=np.int64)
    bundle = JointBundle(tables, I, tables.F.copy(), W, references.copy(), places, regular, columns, loops, tree)
    _set_scales(bundle)
    return bundle


def _unneeded(tree: TreeBlocks, driven: bool) -> set[str]:
    """Return the units that a model without loops, forces beside gravity or motions never calls."""
    found, model = set[str](), tree.model
    if len(model.row_list) == 0:
        found |= {"rows", "values", "gaps"}
    if model.acted == 0:
        found.add("applied")
    if len(model.given) == 0 and not driven:
        found.add("power")
    return found


def column_scales(columns: Columns) -> Floats:
    """Return L for slides and 1 for everything else, over the rates in y."""
    scale = np.ones(columns.nv)
    for column, rate in zip(columns.columns, columns.rates, strict=True):
        if rate >= 0 and column.is_length:
            scale[rate] = columns.tables.length
    return scale


def _set_scales(bundle: JointBundle) -> None:
    """Write the scales of rows and columns, and the row weights of H̄."""
    tables, I, W = bundle.tables, bundle.I, bundle.W
    length, at, count = tables.length, int(I[R.W_SCALE]), len(bundle.loops)
    is_length = np.array([tables.rows[r].is_length for r in bundle.loops], dtype=bool)
    W[at : at + count] = np.where(is_length, 1.0 / length, 1.0)
    W[at + count : at + count + bundle.columns.nv] = column_scales(bundle.columns)
    W[I[R.W_STATISTICS] + R.LOWEST_RATIO] = 1.0
    W[I[R.W_SETTINGS] + R.SECOND] = second(tables)
    mass = characteristic_mass(tables)
    W[I[R.W_GAUGE] : I[R.W_GAUGE] + count] = np.where(is_length, mass, mass * length**2)
