"""Entries that are called by other entries as well keep their own machine code."""

import os
import pathlib
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from llvmlite.binding import Linkage
from numba import types

import multibody as mb
from multibody.kernels import CHECKED, joined
from multibody.kernels.calls import address_of, call
from multibody.kernels.compile import inner_kernel, kernel, shared_in_space, shared_kernel
from multibody.kernels.declared import model_at
from multibody.kernels.memory.compiled import Place
from multibody.state.system import System, tables_of


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


@shared_kernel
def bodies(model, x):  # type: ignore[no-untyped-def]
    """Be entered by name."""
    return model.bodies * _sum(x, x, x)


@shared_in_space
def in_space(model, x):  # type: ignore[no-untyped-def]
    """Be entered by name where the model is one in space."""
    return bodies(model, x) + model.width


@kernel
def more(model, x):  # type: ignore[no-untyped-def]
    """Call both."""
    model = model_at(model)
    return bodies(model, x) + in_space(model, x)


@kernel
def half(model, x):  # type: ignore[no-untyped-def]
    """Call one of them from another entry."""
    return 0.5 * bodies(model_at(model), x)


def answers(name: str) -> tuple[Any, ...]:
    """Return what the entries say of a model of the library, and what they should."""
    system, x = System(tables_of(mb.load(name))), np.array([0.75])
    count, width = len(system.tables.bodies) - 1, system.tables.width
    return more(system.run[0], x), half(system.run[0], x), 2 * 1.5 * count + width, 0.75 * count


@pytest.mark.skipif(CHECKED, reason="with tested indices numba compiles in its own way: nothing is shared")
def test_what_is_shared_is_compiled_once_and_entered_by_name() -> None:
    for name in ("four-bar", "rssr"):
        found = answers(name)
        assert found[:2] == found[2:]
    libraries = [made.library for made in bodies.overloads.values()]  # one for the plane, one for space
    assert len(libraries) == 2 and all(isinstance(kinds[0], Place) for kinds in bodies.overloads)
    symbols = {library.shared.symbol for library in libraries}
    assert len(symbols) == 2
    needed = [set(made.library.needs) for made in (*more.overloads.values(), *half.overloads.values())]
    assert {symbol for each in needed for symbol in each if symbol in symbols} == symbols
    assert sorted(len(each) for each in needed) == [1, 1, 1, 2]  # rows in space are called too, those in the plane are joined


def test_what_is_shared_is_loaded_before_what_calls_it(tmp_path: pathlib.Path) -> None:
    """Compiled in one process, entered in others; a file that is gone is compiled anew."""
    code = (
        "import importlib.util, sys\n"
        f"spec = importlib.util.spec_from_file_location('sharing', {__file__!r})\n"
        "sharing = importlib.util.module_from_spec(spec); sys.modules['sharing'] = sharing; spec.loader.exec_module(sharing)\n"
        "found = [sharing.answers(name) for name in ('rssr', 'four-bar')]\n"
        "kernels = (sharing.bodies, sharing.in_space, sharing.more, sharing.half)\n"
        "print([each[:2] == each[2:] for each in found], sum(sum(k.stats.cache_misses.values()) for k in kernels))\n"
    )

    def compiled() -> int:
        made = subprocess.run(
            [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False,
            env={**os.environ, "MULTIBODY_CACHE_DIR": str(tmp_path)},
        )  # fmt: skip
        assert made.stdout.startswith("[True, True]"), made.stderr
        return int(made.stdout.split()[-1])

    assert compiled() > 0
    assert compiled() == 0
    files = sorted(tmp_path.rglob("*bodies-*.nbc"))
    assert len(files) == 2
    for file in files:
        file.unlink()
    assert compiled() == (0 if CHECKED else 2)  # with tested indices every entry has a copy of its own
    assert compiled() == 0


def test_types_of_blocks_travel() -> None:
    for kinds in bodies.overloads:
        assert pickle.loads(pickle.dumps(kinds)) == kinds
