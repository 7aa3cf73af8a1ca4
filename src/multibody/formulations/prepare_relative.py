"""Preparing a run in joint coordinates: the tree, and the sections that the equations of motion need, behind the tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from multibody.formulations.prepare import Bundle, depend_on_time, own_model, row_scales, run_sizes, run_state
from multibody.kernels.arrays import scratch_sizes, weigh
from multibody.kernels.calls import address_of
from multibody.kernels.declared import Factors, Scratch
from multibody.kernels.tree.calls import TREE_CALLS
from multibody.kernels.tree.declared import TreeBlocks
from multibody.tables.columns import Columns
from multibody.tables.tree_arrays import tree_blocks

if TYPE_CHECKING:
    from multibody.formulations.newton import NewtonKernels
    from multibody.formulations.of_joints import JointFormulation

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@dataclass
class JointBundle(Bundle):
    """The blocks of a run in joint coordinates.

    Attributes
    ----------
    columns : Columns
    loops : list of int
        Rows that the tree does not satisfy by itself; `chosen` are places in this list.
    """

    columns: Columns
    loops: list[int]

    @property
    def size(self) -> int:
        """Length of y = (q, u, w)."""
        return self.columns.nq + self.columns.nv + 1

    @property
    def velocities(self) -> int:
        """Number of rates in y."""
        return self.columns.nv

    @property
    def remembered(self) -> tuple[Floats, Floats]:
        """What the tree keeps from step to step: coordinates of the last accepted state, sizes of its rows."""
        return self.tree.state.accepted, self.tree.state.row_size

    def attach(self, complex_: bool) -> None:
        """Give the run the iteration matrix of an implicit method, full, and room for derivatives on the way to it."""
        from multibody.formulations.pattern import full_pattern, sparse_pattern
        from multibody.formulations.prepare_newton import attach_newton, block_pattern
        from multibody.tables.tree_arrays import add_partials

        tables, n = self.tables, self.velocities
        rows = np.array([self.loops[k] for k in self.chosen], dtype=np.int64)
        self.model.pattern = block_pattern(sparse_pattern(tables, rows, ordered=False))
        add_partials(self.tree, tables, self.model.pattern.numbers, int(np.sum(np.diff(tables.row_pointer)[rows])))
        entries = [(n * int(r) + c, k, c) for k, r in enumerate(self.chosen) for c in range(n)]
        full = np.array(entries, dtype=np.int64).reshape(-1, 3)
        attach_newton(self, full_pattern(n, len(self.chosen)), full, complex_=complex_)

    def newton_kernels(self, complex_: bool) -> NewtonKernels:
        """Return what an implicit method calls."""
        from multibody.formulations.newton import joint_kernels

        return joint_kernels(complex_)


def prepare_relative(
    columns: Columns, formulation: JointFormulation, references: Floats, chosen: Integers, *, regular: bool, partitioned: bool
) -> JointBundle:
    """Return the blocks of a run in joint coordinates.

    Parameters
    ----------
    columns : Columns
    formulation : JointFormulation
        It says how the mass matrix is met.
    references : array
        Angle references at the start.
    chosen : array of int
        Independent loop rows, as places in ``columns.loop_rows()``.
    regular : bool
        Whether the mass matrix is positive definite by itself.
    partitioned : bool
        Whether room for a partition is needed.
    """
    tables, loops, chosen = columns.tables, columns.loop_rows(), np.sort(np.asarray(chosen, dtype=np.int64))
    n, m, count, rows = columns.nv, len(chosen), len(loops), np.arange(len(chosen))
    rows_of = np.array(loops, dtype=np.int64)
    tree = tree_blocks(columns, loops, list(chosen), **rooms(formulation, regular))
    model = own_model(
        tables, all_rows=count, driven=int(depend_on_time(tables, rows_of)), general=int(not regular),
        chosen=chosen, S_base=rows * (rows + 1) // 2, S_first=m, column_scale=column_scales(columns),
        **row_scales(tables, rows_of),
    )  # fmt: skip
    unneeded = _unneeded(tree, bool(model.driven))
    if not formulation.full_mass and m == 0:
        unneeded.add("factor")
    for name, called in (TREE_CALLS | formulation.calls()).items():
        if name not in unneeded:  # what is never called need not be compiled
            setattr(tree.model.calls, name, address_of(called, bool(model.planar)))
    sizes = run_sizes(columns.nq, n, m, count, partitioned)
    scratch = Scratch(**scratch_sizes(model), **sizes, J=count * n)
    weigh(model)
    state = run_state(tables, references, n, Factors(U=m * n, S=m * (m + 1) // 2, D=m))
    return JointBundle(tables, model, state, scratch, chosen, regular, columns, loops).with_tree(tree)


def rooms(formulation: JointFormulation, regular: bool) -> dict[str, bool]:
    """Return what room a tree needs for its mass matrix."""
    return {"formed": formulation.full_mass, "transformed": formulation.transformed, "full": not regular}


def _unneeded(tree: TreeBlocks, driven: bool) -> set[str]:
    """Return what a model without loops, forces beside gravity or motions never calls."""
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
