"""The memory of a run: a model that kernels cannot write to, copies with state of their own, structure that is shared."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numba
import numpy as np
import pytest

import multibody as mb
from multibody.formulations.prepare import Bundle, prepare
from multibody.kernels.compile import kernel
from multibody.kernels.declared import Model, Scratch, State, model_at
from multibody.kernels.memory.declaration import Block
from multibody.state.system import System, tables_of
from multibody.tables.lower import same_structure


def bundle_of(name: str) -> Bundle:
    """Return the blocks of a run with all rows."""
    tables = tables_of(mb.load(name))
    return prepare(tables, np.arange(tables.count_joint), np.zeros(len(tables.functions)))


def test_kernels_cannot_write_to_the_model() -> None:
    def scalar(model: int) -> None:
        model_at(model).bodies = 1

    def number(model: int) -> None:
        model_at(model).numbers[0] = 1.0

    def record(model: int) -> None:
        model_at(model).rows[0].entry = 1

    def deeper(model: int) -> None:
        model_at(model).newton.entries[0].row = 1

    for function in (scalar, number, record, deeper):
        with pytest.raises((numba.core.errors.NumbaError, TypeError)):
            numba.njit(function).compile((numba.int64,))


def test_the_parts_of_a_model_are_read_only_too() -> None:
    """State and scratch are what may be written; no part of the model is."""
    for whole, writable in ((Model, False), (State, True), (Scratch, True)):
        kinds = [field.kind for field in whole.fields.values() if isinstance(field.kind, type)]
        parts = [kind for kind in kinds if issubclass(kind, Block)]
        assert len(parts) >= 3 and {part.readonly for part in parts} == {not writable}


@kernel
def _parts(model):  # type: ignore[no-untyped-def]
    """Return how much there is in the parts of a model."""
    whole = model_at(model)
    return whole.tree.links.size + whole.newton.pattern.nodes.size + whole.parametric.kkt.groups.size + whole.pattern.nodes.size


def test_a_part_that_a_run_has_not_is_empty() -> None:
    """A kernel that asks for it finds nothing; an address that leads nowhere would end the process."""
    assert _parts(Model().address) == _parts(bundle_of("four-bar").model.address) == 0
    assert Model().newton is Model().newton and State().copy().tree is State().tree


def test_structure_is_compared_in_other_processes_too() -> None:
    tables, other = tables_of(mb.load("four-bar")), tables_of(mb.load("slider-crank"))
    again = pickle.loads(pickle.dumps(tables))
    assert same_structure(again.packed, tables.packed) and not same_structure(other.packed, tables.packed)


def test_a_run_has_numbers_of_its_own_and_shares_the_structure() -> None:
    b = bundle_of("four-bar")
    packed = b.tables.packed
    assert np.shares_memory(b.model.rows, packed.rows) and np.shares_memory(b.model.code, packed.code)
    for name in ("numbers", "laws", "tables"):  # which a simulator may change
        assert not np.shares_memory(getattr(b.model, name), getattr(packed, name))


def test_a_working_copy_has_state_and_scratch_of_its_own() -> None:
    b = bundle_of("four-bar")
    other = b.working()
    assert other.model is b.model
    other.state.ref[:] = 7.0
    other.scratch.planar_pose.x[:] = 5.0
    other.settings(alpha=3.0)
    assert not np.any(b.ref == 7.0) and not np.any(b.scratch.planar_pose.x == 5.0)
    assert b.state.settings.alpha[0] == 0.0 and other.state.settings.alpha[0] == 3.0


@pytest.mark.parametrize("again", [copy.deepcopy, lambda b: pickle.loads(pickle.dumps(b))], ids=["copied", "pickled"])
def test_blocks_travel(again: Any) -> None:
    b = bundle_of("rssr")
    made = again(b)
    assert made.model.address != b.model.address
    for one, two in ((b.model, made.model), (b.state, made.state), (b.scratch, made.scratch)):
        for name, value in one.contents().items():
            if isinstance(value, np.ndarray):
                assert np.array_equal(value, getattr(two, name)), name
            elif not isinstance(value, Block):
                assert value == getattr(two, name), name


def test_arrays_of_a_block_lie_in_one_piece_of_memory() -> None:
    """Sized arrays follow each other in the order of their declaration, so that a sweep meets what it needs close by."""
    scratch = System(tables_of(mb.load("four-bar"))).scratch
    places = [getattr(scratch, name).__array_interface__["data"][0] for name in ("planar_pose", "planar_twist", "velocity")]
    sizes = [getattr(scratch, name).nbytes for name in ("planar_pose", "planar_twist")]
    assert places[1] == places[0] + sizes[0] and places[2] == places[1] + sizes[1]
