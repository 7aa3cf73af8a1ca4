"""Blocks of many members in one table, against blocks that are made one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import multibody as mb
from multibody.analyses.members.run import RunMembers
from multibody.kernels.memory.declaration import Block

CASES = [("four-bar", {}), ("four-bar", {"formulation": "kane"}), ("four-bar", {"integrator": "bdf"}), ("arm7", {})]


def plain(block: Block, blocks: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return what a block holds, parts as what they hold."""
    found: dict[str, Any] = {}
    for name, value in block.contents().items():
        if isinstance(value, Block):
            found.update({f"{name}.{key}": x for key, x in plain(value).items()} if name in blocks else {})
        else:
            found[name] = np.asarray(value).view(np.float64) if getattr(value, "dtype", None) is not None else value
    return found


@pytest.mark.parametrize("name, options", CASES)
def test_a_block_of_the_table_is_a_block_by_itself(name: str, options: dict[str, Any]) -> None:
    model = mb.load(name)
    members = RunMembers(model, [], {"until": 0.1, **options})
    batch = members.batch(3)
    batch.numbers[:], batch.refs[:] = np.arange(3.0)[:, None], np.arange(3.0)[:, None] + 10.0
    base, mass = members.base, "planar_mass" if batch.planar else "spatial_mass"
    batch.masses[:] = np.arange(3.0)[:, None] + 20.0
    for k in range(3):
        found, state = batch.blocks(k)
        assert (int(found.address), int(state.address)) == (batch.models[k], batch.states[k])
        given = {"numbers": batch.numbers[k], "row_scale": batch.row_scale[k], "column_scale": batch.column_scale[k]}
        given[mass] = batch.masses[k].view(getattr(base.model, mass).dtype)
        np.testing.assert_equal(plain(found), plain(base.model.sharing(**given)))
        own = {"ref": batch.refs[k], "statistics": batch.statistics[k], "settings": batch.settings[k]}
        np.testing.assert_equal(plain(state), plain(base.state.copy(**own)))
    first, second = batch.blocks(0)[1], batch.blocks(1)[1]
    for name, values in first.contents().items():
        if isinstance(values, np.ndarray) and values.size:
            assert not np.shares_memory(values, getattr(second, name)), f"{name} is each member's own"
            assert np.shares_memory(values, getattr(batch.blocks(0)[1], name)), f"{name} is the member's whoever asks"


def test_rooms_are_kept_for_what_they_are_for() -> None:
    """The same pages serve batch after batch; another purpose or shape has its own, and fewer members are a part of it."""
    batch = RunMembers(mb.load("four-bar"), [], {"until": 0.1}).batch(3)
    first, other = batch.kept_room("rates", (3, 5, 2)), batch.kept_room("forces", (3, 5, 2))
    assert first.shape == (3, 5, 2) and not np.shares_memory(first, other)
    fewer = batch.kept_room("rates", (2, 5, 2))
    assert fewer.shape == (2, 5, 2) and np.shares_memory(first, fewer)
    longer = batch.kept_room("rates", (3, 7, 2))
    assert longer.shape == (3, 7, 2) and not np.shares_memory(first, longer) and not np.any(longer)
