"""The memory of a spanning tree: structure that kernels cannot write to, copies, and what a run takes to other processes."""

from __future__ import annotations

import pickle

import numba
import numpy as np
import pytest

import multibody as mb
from multibody.kernels.declared import Model, model_at
from multibody.kernels.tags import PLANAR
from multibody.kernels.tree.declared import TreeBlocks
from multibody.state.system import tables_of
from multibody.tables.columns import columns_of
from multibody.tables.tree import spanning_tree
from multibody.tables.tree_arrays import tree_blocks, tree_constants


def tree_of(name: str, formed: bool = True) -> TreeBlocks:
    tables = tables_of(mb.load(name))
    return tree_blocks(columns_of(tables, spanning_tree(tables)), formed=formed)


def test_kernels_cannot_write_to_structure() -> None:
    def scalar(model: int) -> None:
        model_at(model).tree.nq = 1

    def record(model: int) -> None:
        model_at(model).tree.links[0].carrier = 1

    def array(model: int) -> None:
        model_at(model).tree.link_of[0] = 1

    for function in (scalar, record, array):
        with pytest.raises((numba.core.errors.NumbaError, TypeError)):
            numba.njit(function).compile((numba.int64,))


def test_a_tree_is_planar_or_spatial() -> None:
    planar, spatial = tree_of("four-bar"), tree_of("arm7")
    assert len(planar.model.planar_constants) == len(planar.scratch.planar_links) == 3
    assert len(planar.model.spatial_constants) == len(planar.scratch.spatial_links) == 0
    assert len(spatial.model.spatial_constants) == len(spatial.scratch.spatial_columns) == 7
    assert tree_constants(spatial.model)["m"].sum() == pytest.approx(mb.load("arm7").robot().mass)
    assert len(Model().tree.links) == 0


def test_articulated_has_no_mass_matrix() -> None:
    assert len(tree_of("arm7", formed=False).scratch.H) == 0
    assert len(tree_of("arm7").scratch.H) == 7 * 8 // 2


def test_copies_share_what_they_say() -> None:
    tree = tree_of("arm7")
    working, changed = tree.working(), tree.changed(base=np.zeros(6))
    assert working.model is tree.model
    assert working.scratch.address != tree.scratch.address
    assert not np.shares_memory(working.scratch.spatial_links, tree.scratch.spatial_links)
    assert changed.scratch is tree.scratch
    assert not changed.model.base.any()
    assert tree.model.base.any()
    assert changed.model.calls is tree.model.calls


def test_pickled_blocks_are_the_same_elsewhere() -> None:
    tree = tree_of("four-bar")
    tree.scratch.ratio, tree.scratch.planar_links[1].motion[2] = 0.5, 3.0
    there = pickle.loads(pickle.dumps(tree))
    assert there.scratch.ratio == 0.5
    assert there.scratch.planar_links[1].motion[2] == 3.0
    assert there.model.address != tree.model.address
    assert np.array_equal(there.model.links, tree.model.links)


def test_tags_from_python_choose_when_a_kernel_is_compiled() -> None:
    """A tag that is True drops the branch for None as None drops the other: these could not be typed together."""
    from multibody.kernels.robot.dynamics import mass_matrices

    mb.load("double-pendulum").robot().mass_matrix(np.zeros(2))
    kinds = {signature[0] for signature in mass_matrices.signatures}
    assert numba.types.none in kinds
    assert PLANAR is None
