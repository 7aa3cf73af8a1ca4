"""What is known of a model when a kernel is compiled: its dimension."""

from __future__ import annotations

import pytest
from numba import typeof

from multibody.kernels.calls import address_of
from multibody.kernels.compile import inner_kernel, kernel
from multibody.kernels.declared import Model, model_at
from multibody.kernels.watch import monitor


@inner_kernel
def _inner(model):  # type: ignore[no-untyped-def]
    """Return what only one dimension has: the other branch could not even be typed."""
    return 10.0 * model.width if model.planar else model.nothing_of_this_name


@kernel
def _entry(model):  # type: ignore[no-untyped-def]
    """Ask in an entry, where the block is made from its address."""
    model = model_at(model)
    if not model.planar:
        return model.nothing_of_this_name
    return _inner(model)


def test_an_address_says_the_dimension_to_numba() -> None:
    plane, space = Model(planar=1, width=3), Model(planar=0, width=6)
    assert typeof(plane.address) != typeof(space.address)
    assert int(plane.address) != int(space.address)


def test_branches_of_the_other_dimension_are_not_compiled() -> None:
    assert _entry(Model(planar=1, width=3).address) == 30.0
    with pytest.raises(Exception, match="nothing_of_this_name"):
        _entry(Model(planar=0, width=6).address)


@kernel
def _read(model):  # type: ignore[no-untyped-def]
    """Read what is known and what is not."""
    model = model_at(model)
    return (model.planar, model.width, model.bodies)


def test_what_is_known_is_what_lies_there() -> None:
    for values in ({"planar": 1, "width": 3, "bodies": 5}, {"planar": 0, "width": 6, "bodies": 7}):
        assert _read(Model(**values).address) == tuple(values.values())


def test_an_address_serves_one_dimension() -> None:
    assert address_of(monitor, planar=True) != address_of(monitor, planar=False)
    assert address_of(monitor, planar=True) == address_of(monitor, planar=True)
