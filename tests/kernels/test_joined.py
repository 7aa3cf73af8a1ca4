"""Entries that are called by other entries as well keep their own machine code."""

from typing import Any

import numpy as np
import pytest
from llvmlite.binding import Linkage
from numba import types

from multibody.kernels import CHECKED, joined
from multibody.kernels.calls import address_of, call
from multibody.kernels.compile import inner_kernel, kernel


@inner_kernel
def _sum(x, unused, y):  # type: ignore[no-untyped-def]
    """Leave an argument that nobody reads: it is dropped in copies that are internal to an entry."""
    return x[0] + y[0]


@kernel
def first(model, state, scratch, t, y, out):  # type: ignore[no-untyped-def]
    """Be an entry by itself."""
    out[0] = _sum(y, t, y) * t
    return 0


@kernel
def second(model, state, scratch, t, y, out):  # type: ignore[no-untyped-def]
    """Call the first entry, whose copy in here loses the arguments that it does not need."""
    for k in range(3):
        first(model, state, scratch, t + k, y, out[k:])
    return 0


@kernel
def by_address(address, run, y, out):  # type: ignore[no-untyped-def]
    """Enter by an address."""
    return call(address, run, 2.0, y, out)


def test_an_entry_that_is_a_callee_too_is_entered_as_itself() -> None:
    """LLVM's loader keeps local symbols among the global ones: copies must not have the names of entries."""
    y, out, more = np.array([1.5]), np.zeros(1), np.zeros(3)
    run = (0, 0, 0)
    assert by_address(address_of(second, planar=False), run, y, more) == 0
    assert list(more) == [6.0, 9.0, 12.0]
    addresses: list[Any] = [address_of(first, planar=False), address_of(second, planar=False), address_of(first, planar=False)]
    assert addresses[0] == addresses[2] != addresses[1]
    assert by_address(addresses[0], run, y, out) == 0 and out[0] == 6.0
    assert first(0, 0, 0, 2.0, y, out) == 0 and out[0] == 6.0


@kernel
def twice(x, y):  # type: ignore[no-untyped-def]
    """Be compiled for two types."""
    return _sum(y, x, y) + x


@pytest.mark.skipif(CHECKED, reason="with tested indices numba compiles in its own way: nothing is joined")
def test_copies_in_two_versions_of_an_entry_have_names_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """What LLVM dropped from a copy may differ: one must not be taken for the other."""
    seen: list[set[str]] = []
    plain = joined.JoinedLibrary._optimize_final_module

    def recorded(library: Any) -> None:
        seen.append({each.name for each in library._final_module.functions if each.linkage == Linkage.internal})
        plain(library)

    monkeypatch.setattr(joined.JoinedLibrary, "_optimize_final_module", recorded)
    twice._cache.disable()  # what is read from disk is not joined again
    twice.compile((types.int64, types.float64[::1]))
    twice.compile((types.uint64, types.float64[::1]))
    seen = [names for names in seen if any("_sum" in name for name in names)]
    assert len(seen) == 2 and seen[0].isdisjoint(seen[1])
